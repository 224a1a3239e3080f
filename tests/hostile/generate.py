#!/usr/bin/env python3
"""Small texts that ask for much: hloir must answer each within bounds of time and memory, whatever the answer.

Each function below makes one text under 100 kB. `generate.py FOLDER` writes them all; attack.py beside this runs the
command on each. A text need not be legal, but most are: what is refused at once is not an attack.
"""
import math
import sys

TEXTS = {}


def text(function):
    TEXTS[function.__name__] = function
    return function


def entry(lines, head="HloModule m\n"):
    return head + "ENTRY e {\n" + "\n".join("  " + line for line in lines) + "\n}\n"


def chain(count, first, line):
    """`first` makes v0; each further one is `line` with NEW and OLD."""
    lines = [first]
    for k in range(1, count + 1):
        lines.append(line.replace("NEW", f"v{k}").replace("OLD", f"v{k - 1}").replace("K", str(k)))
    lines[-1] = "ROOT " + lines[-1]
    return lines


def doubling(levels, body, leaf="  ROOT r = f32[] sine(x)\n", type="f32[]"):
    """fn0 is `leaf`; each further function is `body` with BEFORE for the one before."""
    out = f"HloModule m\nfn0 {{\n  x = {type} parameter(0)\n{leaf}}}\n"
    for k in range(1, levels + 1):
        out += f"fn{k} {{\n  x = {type} parameter(0)\n{body}}}\n".replace("BEFORE", f"fn{k - 1}")
    return out + f"ENTRY e {{\n  x = {type} parameter(0)\n  ROOT r = {type} call(x), to_apply=fn{levels}\n}}\n"


# ---- one value with many users, one instruction with many operands

@text
def many_users():
    lines = ["x = f32[4] parameter(0)"] + [f"v{k} = f32[4] sine(x)" for k in range(2000)]
    return entry(lines + ["ROOT t = (" + ", ".join(["f32[4]"] * 2000) + ") tuple(" +
                          ", ".join(f"v{k}" for k in range(2000)) + ")"])


@text
def many_users_differ():
    lines = ["x = f32[4] parameter(0)"]
    lines += [f"v{k} = f32[{k % 4 + 1}] slice(x), slice={{[0:{k % 4 + 1}]}}" for k in range(1500)]
    lines += ["s = f32[4] sine(x)", "ROOT t = f32[4] add(s, x)"]
    return entry(lines)


@text
def wide_tuple():
    n = 6000
    return entry(["x = f32[] parameter(0)",
                  "ROOT t = (" + ", ".join(["f32[]"] * n) + ") tuple(" + ", ".join(["x"] * n) + ")"])


@text
def wide_tuple_chain():
    n = 300
    shape = "(" + ", ".join(["f32[]"] * n) + ")"
    lines = [f"t = {shape} parameter(0)"]
    for k in range(n):
        lines.append(f"g{k} = f32[] get-tuple-element(t), index={n - 1 - k}")
    lines.append(f"w0 = {shape} tuple(" + ", ".join(f"g{k}" for k in range(n)) + ")")
    for k in range(1, 20):
        lines.append(f"w{k} = {shape} opt-barrier(w{k - 1})")
    return entry(lines + [f"ROOT r = f32[] get-tuple-element(w19), index=7"])


@text
def tuples_of_tuples():
    # Each has the one before twice: 2^24 leaves in a few lines, if shapes were written out.
    shape, lines = "f32[]", ["x = f32[] parameter(0)", "v0 = f32[] sine(x)"]
    for k in range(1, 12):
        shape = f"({shape}, {shape})"
        lines.append(f"v{k} = {shape} tuple(v{k - 1}, v{k - 1})")
    lines.append(f"ROOT r = {shape} copy(v11)")
    return entry(lines)


@text
def tuples_without_shapes():
    # The same where the reader infers the shapes.
    lines = ["x = f32[] parameter(0)", "v0 = sine(x)"]
    lines += [f"v{k} = tuple(v{k - 1}, v{k - 1})" for k in range(1, 60)]
    lines += ["ROOT r = f32[] sine(x)"]
    return entry(lines)


@text
def many_parameters():
    n = 1400
    lines = [f"p{k} = f32[8] parameter({k})" for k in range(n)]
    lines += ["a0 = f32[8] add(p0, p1)"] + [f"a{k} = f32[8] add(a{k - 1}, p{k + 1})" for k in range(1, n - 1)]
    lines[-1] = "ROOT " + lines[-1]
    return entry(lines)


@text
def fusion_of_many_parameters():
    n = 900
    body = "f {\n" + "\n".join(f"  p{k} = f32[8] parameter({k})" for k in range(n)) + "\n  a0 = f32[8] add(p0, p1)\n"
    body += "\n".join(f"  a{k} = f32[8] add(a{k - 1}, p{k + 1})" for k in range(1, n - 1)).replace(
        f"  a{n - 2} =", f"  ROOT a{n - 2} =") + "\n}\n"
    return "HloModule m\n" + body + "ENTRY e {\n  x = f32[8] parameter(0)\n  ROOT r = f32[8] fusion(" + \
        ", ".join(["x"] * n) + "), kind=kLoop, calls=f\n}\n"


@text
def concatenate_of_many():
    n = 9000
    return entry(["x = f32[2] parameter(0)", "y = f32[3] parameter(1)",
                  f"ROOT c = f32[{5 * n // 2}] concatenate(" + ", ".join(["x", "y"] * (n // 2)) + "), dimensions={0}"])


@text
def control_predecessors():
    n = 120
    lines = ["x = f32[] parameter(0)", "v0 = f32[] sine(x)"]
    for k in range(1, n):
        lines.append(f"v{k} = f32[] sine(x), control-predecessors={{" + ", ".join(f"v{j}" for j in range(k)) + "}")
    lines[-1] = "ROOT " + lines[-1]
    return entry(lines)


# ---- long chains of what passes look through

def of_chain(name, first, line, count):
    TEXTS[name] = lambda: entry(chain(count, first, line))


of_chain("chain_of_adds", "v0 = f32[8] parameter(0)", "NEW = f32[8] add(OLD, OLD)", 2500)
of_chain("chain_of_squares", "v0 = f32[8] parameter(0)", "NEW = f32[8] multiply(OLD, OLD)", 2200)
of_chain("chain_of_reshapes", "v0 = f32[4,6] parameter(0)", "NEW = f32[4,6] reshape(OLD)", 2500)
of_chain("chain_of_transposes", "v0 = f32[4,4] parameter(0)", "NEW = f32[4,4] transpose(OLD), dimensions={1,0}", 1600)
of_chain("chain_of_reverses", "v0 = f32[4,4] parameter(0)", "NEW = f32[4,4] reverse(OLD), dimensions={1,0}", 1600)
of_chain("chain_of_copies", "v0 = f32[4,4] parameter(0)", "NEW = f32[4,4] copy(OLD)", 2800)
of_chain("chain_of_converts", "v0 = f32[4] parameter(0)", "NEW = f32[4] convert(OLD)", 2800)
of_chain("chain_of_barriers", "v0 = f32[4] parameter(0)", "NEW = f32[4] opt-barrier(OLD)", 2000)
of_chain("chain_of_tuples", "v0 = f32[4] parameter(0)", "tNEW = (f32[4], f32[4]) tuple(OLD, OLD)\n"
         "  NEW = f32[4] get-tuple-element(tNEW), index=1", 900)
of_chain("chain_of_selects", "v0 = pred[8] parameter(0)", "NEW = pred[8] select(OLD, OLD, OLD)", 2000)
of_chain("chain_of_negates", "v0 = f32[] parameter(0)", "NEW = f32[] negate(OLD)", 3000)
of_chain("chain_of_dots", "v0 = f32[4,4] parameter(0)",
         "NEW = f32[4,4] dot(OLD, OLD), lhs_contracting_dims={1}, rhs_contracting_dims={0}", 1000)
of_chain("chain_of_slices", "v0 = f32[3000] parameter(0)", "NEW = f32[3000] pad(sNEW, z), padding=0_1", 0)


@text
def chain_of_growing_pads():
    lines = ["z = f32[] constant(0)", "v0 = f32[1] parameter(0)"]
    for k in range(1, 40):
        lines.append(f"v{k} = f32[{2 ** k}] pad(v{k - 1}, z), padding=0_{2 ** (k - 1)}")
    return entry(lines + ["ROOT r = f32[1] slice(v39), slice={[0:1]}"])


@text
def chain_of_shrinking_slices():
    lines = ["v0 = f32[2100] parameter(0)"]
    lines += [f"v{k} = f32[{2100 - k}] slice(v{k - 1}), slice={{[1:{2101 - k}]}}" for k in range(1, 1600)]
    lines[-1] = "ROOT " + lines[-1]
    return entry(lines)


@text
def chain_of_concatenates():
    lines = ["v0 = f32[1] parameter(0)"]
    for k in range(1, 40):
        lines.append(f"v{k} = f32[{2 ** k}] concatenate(v{k - 1}, v{k - 1}), dimensions={{0}}")
    return entry(lines + ["ROOT r = f32[1] slice(v39), slice={[7:8]}"])


@text
def chain_of_broadcasts():
    lines, dims = ["v0 = f32[] parameter(0)"], ""
    for k in range(1, 40):
        shape = ",".join(["2"] * k)
        lines.append(f"v{k} = f32[{shape}] broadcast(v{k - 1}), dimensions={{{','.join(map(str, range(k - 1)))}}}")
    return entry(lines + ["ROOT r = f32[] reduce(v39, v0), dimensions={" + ",".join(map(str, range(39))) +
                          "}, to_apply=sum"],
                 "HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n")


@text
def chain_of_dynamic_updates():
    lines = ["v0 = f32[64] parameter(0)", "i = s32[] parameter(1)", "u = f32[4] parameter(2)"]
    lines += [f"v{k} = f32[64] dynamic-update-slice(v{k - 1}, u, i)" for k in range(1, 1500)]
    lines[-1] = "ROOT " + lines[-1]
    return entry(lines)


@text
def fibonacci():
    lines = ["v0 = f32[] parameter(0)", "v1 = f32[] sine(v0)"]
    lines += [f"v{k} = f32[] add(v{k - 1}, v{k - 2})" for k in range(2, 2200)]
    lines[-1] = "ROOT " + lines[-1]
    return entry(lines)


@text
def ladder_of_broadcast_reduces():
    head = "HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
    lines = ["z = f32[] constant(0)", "v0 = f32[8] parameter(0)"]
    for k in range(1, 400):
        lines += [f"b{k} = f32[8,8] broadcast(v{k - 1}), dimensions={{0}}",
                  f"v{k} = f32[8] reduce(b{k}, z), dimensions={{0}}, to_apply=sum"]
    lines[-1] = "ROOT " + lines[-1]
    return entry(lines, head)


# ---- large values in few characters

def of_one(name, *lines, head="HloModule m\n"):
    TEXTS[name] = lambda: entry(list(lines), head)


of_one("big_iota", "ROOT i = s32[1099511627776] iota(), iota_dimension=0")
of_one("big_iota_sliced", "i = s32[1099511627776] iota(), iota_dimension=0",
       "ROOT s = s32[4] slice(i), slice={[1000000000000:1000000000004]}")
of_one("big_iota_compared", "i = s32[1073741824] iota(), iota_dimension=0", "j = s32[1073741824] add(i, i)",
       "ROOT c = pred[1073741824] compare(i, j), direction=LT")
of_one("big_broadcast", "c = f32[] constant(1)", "ROOT b = f32[1048576,1048576] broadcast(c), dimensions={}")
of_one("big_broadcast_folded", "c = f32[] constant(1)", "b = f32[65536,65536] broadcast(c), dimensions={}",
       "n = f32[65536,65536] sine(b)", "ROOT s = f32[1,1] slice(n), slice={[5:6],[6:7]}")
of_one("broadcast_of_half_a_gigabyte", "c = f32[] constant(1)", "b = f32[16384,8192] broadcast(c), dimensions={}",
       "ROOT s = f32[16384,8192] sine(b)")
of_one("big_pad", "x = f32[4] parameter(0)", "z = f32[] constant(0)",
       "ROOT p = f32[1099511627776] pad(x, z), padding=0_1099511627772")
of_one("big_interior_pad", "x = f32[4] constant({1,2,3,4})", "z = f32[] constant(0)",
       "p = f32[3000000004] pad(x, z), padding=0_0_1000000000", "ROOT r = f32[2] slice(p), slice={[0:2]}")
of_one("big_parameter", "x = f32[1048576,1048576] parameter(0)", "ROOT s = f32[1048576,1048576] sine(x)")
of_one("big_parameter_sliced", "x = f32[1048576,1048576] parameter(0)",
       "ROOT s = f32[1,1] slice(x), slice={[0:1],[0:1]}")
of_one("parameters_of_gigabytes", *[f"p{k} = f32[268435456] parameter({k})" for k in range(8)],
       "a = f32[268435456] add(p0, p7)", "ROOT s = f32[1] slice(a), slice={[0:1]}")
of_one("big_dot", "x = f32[65536,65536] parameter(0)",
       "ROOT d = f32[65536,65536] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}")
of_one("long_dot", "x = f32[4096,4096] iota(), iota_dimension=0", "y = f32[4096,4096] multiply(x, x)",
       "d = f32[4096,4096] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "ROOT s = f32[1,1] slice(d), slice={[0:1],[0:1]}")
of_one("outer_products", "x = f32[32768] parameter(0)",
       "d = f32[32768,32768] dot(x, x), lhs_contracting_dims={}, rhs_contracting_dims={}",
       "ROOT s = f32[1,1] slice(d), slice={[0:1],[0:1]}")
of_one("big_sort", "x = s32[33554432] iota(), iota_dimension=0",
       "n = s32[33554432] negate(x)", "ROOT s = s32[33554432] sort(n), dimensions={0}, to_apply=less",
       head="HloModule m\nless {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n"
       "  ROOT c = pred[] compare(a, b), direction=LT\n}\n")
of_one("window_of_everything", "x = f32[100000] iota(), iota_dimension=0", "z = f32[] constant(0)",
       "ROOT w = f32[100000] reduce-window(x, z), window={size=100000 pad=50000_49999}, to_apply=sum",
       head="HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n")
of_one("convolution_of_everything", "x = f32[1,1024,1024,1] parameter(0)", "k = f32[1024,1024,1,1] parameter(1)",
       "ROOT c = f32[1,1024,1024,1] convolution(x, k), window={size=1024x1024 pad=512_511x512_511}, "
       "dim_labels=b01f_01io->b01f")
of_one("big_fft", "x = c64[16777213] parameter(0)", "ROOT f = c64[16777213] fft(x), fft_type=FFT, fft_length={16777213}")
of_one("big_cholesky", "x = f32[8192,8192] parameter(0)", "ROOT c = f32[8192,8192] cholesky(x), lower=true")
of_one("big_triangular_solve", "x = f32[8192,8192] parameter(0)",
       "ROOT c = f32[8192,8192] triangular-solve(x, x), left_side=true, lower=true, transpose_a=NO_TRANSPOSE")
of_one("big_top_k", "x = f32[4,100000000] broadcast(c), dimensions={}",
       "ROOT t = (f32[4,5], s32[4,5]) topk(x), k=5, largest=true")
TEXTS["big_top_k"] = lambda: entry(["c = f32[] constant(1)", "x = f32[4,100000000] broadcast(c), dimensions={}",
                                    "ROOT t = (f32[4,5], s32[4,5]) topk(x), k=5, largest=true"])
of_one("big_rng", "a = f32[] constant(0)", "b = f32[] constant(1)",
       "ROOT r = f32[1073741824] rng(a, b), distribution=rng_uniform")
of_one("big_rng_bits", "s = u64[2] constant({1,2})",
       "ROOT r = (u64[2], u32[1073741824]) rng-bit-generator(s), algorithm=rng_philox")
of_one("big_gather", "x = f32[4] parameter(0)", "i = s32[1073741824,1] iota(), iota_dimension=0",
       "ROOT g = f32[1073741824] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
       "index_vector_dim=1, slice_sizes={1}")
of_one("big_scatter", "x = f32[4] parameter(0)", "i = s32[1073741824,1] iota(), iota_dimension=0",
       "c = f32[] constant(1)", "u = f32[1073741824] broadcast(c), dimensions={}",
       "ROOT g = f32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
       head="HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n")
of_one("big_transpose", "i = s32[16384,16384] iota(), iota_dimension=0", "j = s32[16384,16384] negate(i)",
       "ROOT t = s32[16384,16384] transpose(j), dimensions={1,0}")
of_one("big_reverse_folded", "i = s32[1073741824] iota(), iota_dimension=0",
       "j = s32[1073741824] reverse(i), dimensions={0}", "ROOT r = s32[2] slice(j), slice={[0:2]}")
of_one("elements_past_64_bits", "x = f32[9223372036854775807,9223372036854775807] parameter(0)",
       "ROOT y = f32[9223372036854775807,9223372036854775807] negate(x)")
of_one("no_elements_but_long", "x = f32[0,9223372036854775807] parameter(0)",
       "ROOT y = f32[0,9223372036854775807] sine(x)")
of_one("rank_of_thousands", "x = f32[" + ",".join(["1"] * 9000) + "] parameter(0)",
       "ROOT y = f32[" + ",".join(["1"] * 9000) + "] negate(x)")
of_one("transpose_of_rank_thousands", "x = f32[" + ",".join(["1"] * 3000) + "] parameter(0)",
       "ROOT y = f32[" + ",".join(["1"] * 3000) + "] transpose(x), dimensions={" +
       ",".join(map(str, reversed(range(3000)))) + "}")
of_one("splat", "c = f32[1000000000] constant({...})", "ROOT r = f32[1000000000] sine(c)")
of_one("big_convert", "i = u8[1073741824] iota(), iota_dimension=0", "ROOT c = c128[1073741824] convert(i)")
of_one("bitcast_of_much", "i = u8[1073741824,8] iota(), iota_dimension=0", "ROOT c = f64[1073741824] bitcast-convert(i)")
of_one("custom_call_of_much", "x = f32[4] parameter(0)",
       'ROOT c = f32[1099511627776] custom-call(x), custom_call_target="whatever"')
of_one("all_gather_of_much", "x = f32[1048576] parameter(0)",
       "ROOT g = f32[1073741824] all-gather(x), dimensions={0}, replica_groups={{" +
       ",".join(map(str, range(1024))) + "}}", head="HloModule m, replica_count=1024\n")


@text
def constant_of_numbers():
    n = 45000
    return entry([f"c = s8[{n}] constant({{" + ",".join(str(k % 10) for k in range(n)) + "})",
                  f"r = s8[{n}] negate(c)", f"ROOT s = s8[{n}] sort(r), dimensions={{0}}, to_apply=less"],
                 "HloModule m\nless {\n  a = s8[] parameter(0)\n  b = s8[] parameter(1)\n"
                 "  ROOT c = pred[] compare(a, b), direction=LT\n}\n")


@text
def constant_of_long_numbers():
    return entry(["ROOT c = f32[3] constant({" + "1" * 30000 + ", 0." + "0" * 30000 + "1, 1e-" + "9" * 30000 + "})"])


@text
def constant_nested():
    rank = 2000
    return entry([f"ROOT c = f32[{','.join(['1'] * rank)}] constant(" + "{" * rank + "1" + "}" * rank + ")"])


# ---- names and words

@text
def long_name():
    return entry(["x = f32[] parameter(0)", "n" * 90000 + " = f32[] sine(x)", "ROOT r = f32[] sine(" + "m" * 9000 + ")"])


@text
def long_names_copied():
    # Inlining gives each copy a name of its own.
    name = "n" * 3000
    return doubling(40, "  a = f32[] call(x), to_apply=BEFORE\n  ROOT b = f32[] call(a), to_apply=BEFORE\n",
                    f"  {name} = f32[] sine(x)\n  ROOT {name}2 = f32[] cosine({name})\n")


@text
def long_metadata_copied():
    meta = "m" * 20000
    return doubling(40, "  a = f32[] call(x), to_apply=BEFORE\n  ROOT b = f32[] call(a), to_apply=BEFORE\n",
                    f'  ROOT r = f32[] sine(x), metadata={{op_name="{meta}"}}\n')


@text
def long_constants_copied():
    n = 9000
    numbers = ",".join("0.1234567" for _ in range(n))
    return doubling(40, "  a = f32[] call(x), to_apply=BEFORE\n  ROOT b = f32[] call(a), to_apply=BEFORE\n",
                    f"  c = f32[{n}] constant({{{numbers}}})\n  i = s32[] convert(x)\n  s = f32[1] dynamic-slice(c, i), "
                    "dynamic_slice_sizes={1}\n  ROOT r = f32[] reshape(s)\n")


@text
def names_that_collide():
    lines = ["x = f32[] parameter(0)"] + [f"a.{k} = f32[] sine(x)" for k in range(1200)]
    lines += ["ROOT r = f32[] add(" + "a.0, a.1199)"]
    return entry(lines) .replace("ENTRY e", "ENTRY a") + "".join(
        f"a.{k}c {{\n  a = f32[] parameter(0)\n  ROOT a.{k} = f32[] sine(a)\n}}\n" for k in range(500))


@text
def unknown_attributes():
    return entry(["x = f32[] parameter(0)", "ROOT r = f32[] sine(x), frontend_attributes={" +
                  ",".join(f'k{k}="v"' for k in range(9000)) + "}"])


@text
def backend_config_of_braces():
    return entry(["x = f32[] parameter(0)", "ROOT r = f32[] sine(x), backend_config=" + "{\"a\":" * 9000 + "1" +
                  "}" * 9000])


@text
def sharding_of_many():
    n = 8000
    return entry(["x = f32[8000] parameter(0), sharding={devices=[8000]" + ",".join(map(str, range(n))) + "}",
                  "ROOT r = f32[8000] sine(x)"])


@text
def sharding_of_iota():
    return entry(["x = f32[8] parameter(0), sharding={devices=[1099511627776]<=[1099511627776]}",
                  "ROOT r = f32[8] sine(x), sharding={devices=[1048576,1048576]<=[1048576,1048576]T(1,0)}"])


@text
def groups_of_iota():
    return entry(["x = f32[8] parameter(0)",
                  "ROOT r = f32[8] all-reduce(x), replica_groups=[1048576,1048576]<=[1099511627776], to_apply=sum"],
                 "HloModule m, replica_count=1099511627776\nsum {\n  a = f32[] parameter(0)\n"
                 "  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n")


@text
def permute_of_many_pairs():
    n = 8000
    return entry(["x = f32[8] parameter(0)", "ROOT r = f32[8] collective-permute(x), source_target_pairs={" +
                  ",".join(f"{{{k},{k + 1}}}" for k in range(n)) + "}"], "HloModule m, replica_count=8001\n")


@text
def empty_lines():
    return "HloModule m\n" + "\n" * 90000 + "ENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n"


@text
def comments():
    return "HloModule m\n" + "/*" * 40000 + "*/\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n"


# ---- calls within calls

TEXTS["calls_twice"] = lambda: doubling(
    400, "  a = f32[] call(x), to_apply=BEFORE\n  ROOT b = f32[] call(a), to_apply=BEFORE\n")
TEXTS["conditionals_twice"] = lambda: doubling(
    120, "  k = s32[] convert(x)\n  a = f32[] conditional(k, x, x), branch_computations={BEFORE, BEFORE}\n"
    "  ROOT b = f32[] conditional(k, a, a), branch_computations={BEFORE, BEFORE}\n")
TEXTS["known_conditionals_twice"] = lambda: doubling(
    120, "  k = pred[] constant(true)\n  a = f32[] conditional(k, x, x), true_computation=BEFORE, "
    "false_computation=fn0\n  ROOT b = f32[] conditional(k, a, a), true_computation=BEFORE, false_computation=fn0\n")
TEXTS["maps_twice"] = lambda: doubling(
    60, "  a = f32[] map(x), dimensions={}, to_apply=BEFORE\n  ROOT b = f32[] map(a), dimensions={}, to_apply=BEFORE\n")
TEXTS["fusions_twice"] = lambda: doubling(
    60, "  a = f32[] call(x), to_apply=BEFORE\n  ROOT b = f32[] call(a), to_apply=BEFORE\n",
    "  ROOT r = f32[] fusion(x), kind=kLoop, calls=leaf\n").replace(
        "fn0 {", "leaf {\n  x = f32[] parameter(0)\n  ROOT s = f32[] sine(x)\n}\nfn0 {", 1)
TEXTS["fusions_once"] = lambda: doubling(90, "  ROOT b = f32[] fusion(x), kind=kLoop, calls=BEFORE\n")
TEXTS["calls_of_branches"] = lambda: doubling(
    200, "  k = pred[] is-finite(x)\n  ROOT b = f32[] conditional(k, x, x), true_computation=BEFORE, "
    "false_computation=BEFORE\n")
TEXTS["reduces_of_reduces"] = lambda: (
    "HloModule m\nfn0 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n" +
    "".join(f"fn{k} {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[1000] broadcast(a), "
            f"dimensions={{}}\n  ROOT d = f32[] reduce(c, b), dimensions={{0}}, to_apply=fn{k - 1}\n}}\n"
            for k in range(1, 7)) +
    "ENTRY e {\n  x = f32[1000] parameter(0)\n  z = f32[] constant(0)\n"
    "  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=fn6\n}\n")
TEXTS["async_in_async"] = lambda: doubling(
    40, "  s = ((f32[]), f32[], u32[]) async-start(x), calls=BEFORE\n  ROOT d = f32[] async-done(s)\n")


@text
def many_branches():
    n = 700
    return "HloModule m\n" + "".join(
        f"b{k} {{\n  x = f32[] parameter(0)\n  c = f32[] constant({k})\n  ROOT r = f32[] multiply(x, c)\n}}\n"
        for k in range(n)) + "ENTRY e {\n  x = f32[] parameter(0)\n  k = s32[] parameter(1)\n" + \
        "  ROOT r = f32[] conditional(k" + ", x" * n + "), branch_computations={" + \
        ", ".join(f"b{k}" for k in range(n)) + "}\n}\n"


@text
def one_body_many_calls():
    # A large function that a thousand small ones call, and those are called in turn.
    big = "big {\n  v0 = f32[] parameter(0)\n" + "\n".join(
        f"  v{k} = f32[] sine(v{k - 1})" for k in range(1, 1200)) + "\n  ROOT r = f32[] cosine(v1199)\n}\n"
    lines = ["x0 = f32[] parameter(0)"] + [f"x{k} = f32[] call(x{k - 1}), to_apply=big" for k in range(1, 1200)]
    lines[-1] = "ROOT " + lines[-1]
    return "HloModule m\n" + big + entry(lines, "")


@text
def one_branch_many_conditionals():
    big = "big {\n  v0 = f32[] parameter(0)\n" + "\n".join(
        f"  v{k} = f32[] sine(v{k - 1})" for k in range(1, 900)) + "\n  ROOT r = f32[] cosine(v899)\n}\n"
    lines = ["x0 = f32[] parameter(0)", "k = s32[] parameter(1)"]
    lines += [f"x{k} = f32[] conditional(k, x{k - 1}, x{k - 1}), branch_computations={{big, big2}}"
              for k in range(1, 600)]
    lines[-1] = "ROOT " + lines[-1]
    return "HloModule m\n" + big + big.replace("big {", "big2 {") + entry(lines, "")


# ---- loops

CONDITION = """cond {{
  t = {state} parameter(0)
  i = s64[] get-tuple-element(t), index=0
  n = s64[] constant({trips})
  ROOT less = pred[] compare(i, n), direction=LT
}}
"""


def loop(trips, state="(s64[], f32[])"):
    return CONDITION.format(trips=trips, state=state)


def counting(name, before, trips=None):
    """A body that counts, and runs `before` (a while of another body, or "" for a sine) inside."""
    inner = "  y2 = f32[] sine(y)\n"
    if before:
        inner = "  z = s64[] constant(0)\n  t0 = (s64[], f32[]) tuple(z, y)\n" \
                f"  w = (s64[], f32[]) while(t0), condition=cond, body={before}\n" \
                "  y2 = f32[] get-tuple-element(w), index=1\n"
    return f"{name} {{\n  t = (s64[], f32[]) parameter(0)\n  i = s64[] get-tuple-element(t), index=0\n" \
           "  y = f32[] get-tuple-element(t), index=1\n  one = s64[] constant(1)\n  next = s64[] add(i, one)\n" + \
           inner + "  ROOT r = (s64[], f32[]) tuple(next, y2)\n}\n"


def run_loops(body, count=1):
    lines = ["x0 = f32[] parameter(0)", "z = s64[] constant(0)"]
    for k in range(1, count + 1):
        lines += [f"t{k} = (s64[], f32[]) tuple(z, x{k - 1})",
                  f"w{k} = (s64[], f32[]) while(t{k}), condition=cond, body={body}",
                  f"x{k} = f32[] get-tuple-element(w{k}), index=1"]
    lines[-1] = "ROOT " + lines[-1]
    return entry(lines, "")


TEXTS["loop_for_ever"] = lambda: "HloModule m\n" + loop(2 ** 62) + counting("b", "") + run_loops("b")
TEXTS["loops_in_loops"] = lambda: "HloModule m\n" + loop(1000) + "".join(
    counting(f"b{k}", f"b{k - 1}" if k else "") for k in range(12)) + run_loops("b11")
TEXTS["loops_after_loops"] = lambda: "HloModule m\n" + loop(5) + counting("b", "") + run_loops("b", 500)
TEXTS["loops_of_one_round"] = lambda: "HloModule m\n" + loop(1) + "".join(
    counting(f"b{k}", f"b{k - 1}" if k else "") for k in range(90)) + run_loops("b89", 8)
TEXTS["deep_loops"] = lambda: "HloModule m\n" + loop(3) + "".join(
    counting(f"b{k}", f"b{k - 1}" if k else "") for k in range(95)) + run_loops("b94")


@text
def loop_of_wide_state():
    n = 400
    state = "(s64[], " + ", ".join(["f32[4]"] * n) + ")"
    body = f"b {{\n  t = {state} parameter(0)\n  i = s64[] get-tuple-element(t), index=0\n  one = s64[] constant(1)\n" \
           "  next = s64[] add(i, one)\n" + "".join(
               f"  e{k} = f32[4] get-tuple-element(t), index={k + 1}\n" for k in range(n)) + \
           f"  ROOT r = {state} tuple(next, " + ", ".join(f"e{(k + 1) % n}" for k in range(n)) + ")\n}\n"
    return "HloModule m\n" + loop(100, state) + body + \
        f"ENTRY e {{\n  x = {state} parameter(0)\n  ROOT w = {state} while(x), condition=cond, body=b\n}}\n"


@text
def loop_of_counters():
    n = 200
    state = "(" + ", ".join(["s64[]"] * n) + ")"
    body = f"b {{\n  t = {state} parameter(0)\n  one = s64[] constant(1)\n" + "".join(
        f"  e{k} = s64[] get-tuple-element(t), index={k}\n  n{k} = s64[] add(e{k}, one)\n" for k in range(n)) + \
        f"  ROOT r = {state} tuple(" + ", ".join(f"n{k}" for k in range(n)) + ")\n}\n"
    return "HloModule m\n" + loop(1000000, state) + body + "ENTRY e {\n  z = s64[] constant(0)\n" \
        f"  x = {state} tuple(" + ", ".join(["z"] * n) + f")\n  ROOT w = {state} while(x), condition=cond, body=b\n}}\n"


@text
def loop_that_grows_arrays():
    state = "(s64[], f32[1048576])"
    return "HloModule m\n" + loop(2 ** 40, state) + \
        f"b {{\n  t = {state} parameter(0)\n  i = s64[] get-tuple-element(t), index=0\n  one = s64[] constant(1)\n" \
        "  next = s64[] add(i, one)\n  y = f32[1048576] get-tuple-element(t), index=1\n  y2 = f32[1048576] sine(y)\n" \
        f"  ROOT r = {state} tuple(next, y2)\n}}\n" \
        f"ENTRY e {{\n  x = {state} parameter(0)\n  ROOT w = {state} while(x), condition=cond, body=b\n}}\n"


@text
def loop_whose_exit_is_unknown():
    state = "(s64[], f32[])"
    return f"HloModule m\nc {{\n  t = {state} parameter(0)\n  ROOT y = pred[] constant(true)\n}}\n" + \
        counting("b", "") + \
        f"ENTRY e {{\n  x = {state} parameter(0)\n  ROOT w = {state} while(x), condition=c, body=b\n}}\n"


@text
def sort_of_much():
    n = 250
    names = ", ".join(f"p{k}" for k in range(n))
    comparator = "less {\n" + "".join(f"  a{k} = f32[] parameter({2 * k})\n  b{k} = f32[] parameter({2 * k + 1})\n"
                                      for k in range(n)) + "  ROOT c = pred[] compare(a0, b0), direction=LT\n}\n"
    return "HloModule m\n" + comparator + "ENTRY e {\n" + "".join(
        f"  p{k} = f32[64] parameter({k})\n" for k in range(n)) + \
        "  ROOT s = (" + ", ".join(["f32[64]"] * n) + f") sort({names}), dimensions={{0}}, to_apply=less\n}}\n"


@text
def reduce_of_much():
    n = 150
    f = "f {\n" + "".join(f"  p{k} = f32[] parameter({k})\n" for k in range(2 * n)) + "".join(
        f"  q{k} = f32[] add(p{k}, p{n + k})\n" for k in range(n)) + "  ROOT t = (" + ", ".join(
            ["f32[]"] * n) + ") tuple(" + ", ".join(f"q{k}" for k in range(n)) + ")\n}\n"
    return "HloModule m\n" + f + "ENTRY e {\n  x = f32[1000] parameter(0)\n  z = f32[] constant(0)\n" \
        "  ROOT r = (" + ", ".join(["f32[]"] * n) + ") reduce(" + ", ".join(["x"] * n + ["z"] * n) + \
        "), dimensions={0}, to_apply=f\n}\n"


@text
def equal_reduces():
    head = "HloModule m\n" + "".join(
        f"sum{k} {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}}\n"
        for k in range(400))
    lines = ["x = f32[8,8] parameter(0)", "z = f32[] constant(0)"]
    lines += [f"r{k} = f32[8] reduce(x, z), dimensions={{{k % 2}}}, to_apply=sum{k}" for k in range(400)]
    lines += ["ROOT t = (" + ", ".join(["f32[8]"] * 400) + ") tuple(" + ", ".join(f"r{k}" for k in range(400)) + ")"]
    return entry(lines, head)


@text
def einsums():
    lines = ["v0 = f32[2,2,2,2,2,2] parameter(0)"]
    for k in range(1, 300):
        lines.append(f"v{k} = f32[2,2,2,2,2,2] dot(v{k - 1}, v{k // 2}), lhs_batch_dims={{0,1}}, rhs_batch_dims={{0,1}}, "
                     "lhs_contracting_dims={4,5}, rhs_contracting_dims={2,3}")
    lines[-1] = "ROOT " + lines[-1]
    return entry(lines)


del TEXTS["chain_of_slices"]


def main():
    from pathlib import Path
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in TEXTS.items():
        content = make()
        assert len(content) < 100_000, (name, len(content))
        (folder / f"{name}.hlo").write_text(content)
    print(f"{len(TEXTS)} texts")


if __name__ == "__main__":
    main()
