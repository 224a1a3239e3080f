#!/usr/bin/env python3
"""Compares `hloir check` with XLA's verifier.

    bench/compare_verifier.py [--hloir BIN] [--list] [FILE…]

FILE: a module (.hlo), or cases as in verifier_cases.txt, which is the default. XLA's compiler runs its verifier between
passes, and jaxlib lets a script add passes: one puts the module in place of a compiled one that has the same parameters
and result, and a later one ends the compilation. The module has passed through a proto then, and its header is that of
the compiled module but for the numbers of devices. Prints how often the two agree, and with --list the other modules.
Needs jaxlib 0.10.2.
"""
import argparse, collections, os, re, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import xla_process

HERE = os.path.dirname(os.path.abspath(__file__))
TYPE = r"b\([^()]*\)|\([^()]*\)|\w+\[[^\]]*\](?:\{[^}]*\})?"
ENTRY = re.compile(r"^\s*ENTRY\s+%?([\w.\-]+)", re.M)
DEVICES = 8
END = "VERIFIED BY XLA"


def module_of(case, computations):
    """A case's module: its named computations and an entry computation of its instructions."""
    header = re.match(r"#(.*?)#", case)
    if header: case = case[header.end():]
    types = []

    def parameter(match):
        types.append(match[1])
        return f"p{len(types) - 1}"

    lines = [line.strip() for line in re.sub(rf"\$({TYPE})", parameter, case).split(";")]
    named = dict.fromkeys(re.findall(r"@(\w+)", case))
    body = [f"  p{k} = {t} parameter({k})" for k, t in enumerate(types)]
    for line in lines:
        line = line.replace("@", "")
        if not re.match(r"[\w.\-]+ = ", line): line = "r = " + line
        body.append(("  ROOT " if len(body) == len(types) + len(lines) - 1 else "  ") + line)
    parts = ["HloModule m" + (", " + header[1] if header else ""), *(computations[name] for name in named)]
    return "\n\n".join(parts + ["ENTRY main {\n" + "\n".join(body) + "\n}\n"])


def cases_of(path):
    """Pairs of a group and a module's text."""
    text = open(path).read()
    if path.endswith(".hlo"): return [(path, text)]
    computations = {m[1]: m[0][1:] for m in re.finditer(r"^@(\w+) \{.*?^\}[^\n]*", text, re.M | re.S)}
    cases, group, whole = [], "", None
    for line in text[text.index("\n= "):].splitlines():
        if whole is not None:
            if line == ">>": cases.append((group, "\n".join(whole) + "\n")); whole = None
            else: whole.append(line)
        elif line == "<<": whole = []
        elif line.startswith("= "): group = line[2:]
        elif line: cases.append((group, module_of(line, computations)))
    return cases


def devices_of(text):
    header = text.lstrip().split("\n", 1)[0]
    counts = [re.search(name + r"=(\d+)", header) for name in ("replica_count", "num_partitions")]
    return [int(count[1]) if count else 1 for count in counts]


def leaves(shape):
    return [leaf for part in shape.tuple_shapes() for leaf in leaves(part)] if shape.is_tuple() else [shape]


def without_tuples(text, parameters, result):
    """The module as a callee of an entry without tuples of parameters, which the way into the compiler takes apart."""
    single = result.is_tuple() and len(leaves(result)) == 1
    entry = ENTRY.search(text)
    if not entry or not (single or any(p.is_tuple() for p in parameters)): return text
    lines, numbers = [], iter(range(1 << 20))

    def made(shape):
        parts = [made(part) for part in shape.tuple_shapes()] if shape.is_tuple() else None
        what = f"parameter({next(numbers)})" if parts is None else f"tuple({', '.join(parts)})"
        lines.append(f"  wrapped.{len(lines)} = {shape} {what}")
        return f"wrapped.{len(lines) - 1}"

    operands = ", ".join([made(p) for p in parameters])
    lines.append(f"  {'' if single else 'ROOT '}wrapped.call = {result} call({operands}), to_apply={entry[1]}")
    if single: lines.append("  ROOT wrapped.result = s32[] constant(0)")
    replicas, partitions = devices_of(text)
    header = f"HloModule wrapped, replica_count={replicas}, num_partitions={partitions}\n"
    rest = (text[:entry.start()] + text[entry.start():].replace("ENTRY", "", 1)).lstrip().partition("\n")[2]
    return header + rest + "\n\nENTRY wrapped.main {\n" + "\n".join(lines) + "\n}\n"


passes = {}  # in the worker: the module in place of the compiled one


def judge(xla, text):
    """In the worker: raises what XLA's parser or verifier says of the module."""
    import jax, jaxlib._xla
    hlo = xla._hlo
    if not passes:
        def end(_): raise RuntimeError(END)
        jaxlib._xla.register_xla_transform("replace", 0, lambda _: passes["module"])
        jaxlib._xla.register_xla_transform("end", 1, end)
    proto = lambda text: hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    shape = hlo.XlaComputation(proto(text)).program_shape()
    text = without_tuples(text, shape.parameter_shapes(), shape.result_shape())
    passes["module"] = proto(text)
    shape = hlo.XlaComputation(passes["module"]).program_shape()
    parameters = [f"p{k} = {s} parameter({k})" for k, s in enumerate(shape.parameter_shapes())]
    operands = ", ".join(f"p{k}" for k in range(len(parameters)))
    root = f"ROOT r = {shape.result_shape()} custom-call({operands}), custom_call_target=\"f\""
    host = "HloModule host\nENTRY main {\n" + "\n".join([*parameters, root]) + "\n}\n"
    options = xla._client.CompileOptions()
    replicas, partitions = devices_of(text)
    devices = jax.devices("cpu")[:replicas * partitions]
    if len(devices) > 1:
        import numpy
        build = options.executable_build_options
        options.num_replicas, options.num_partitions = replicas, partitions
        build.num_replicas, build.num_partitions, build.use_spmd_partitioning = replicas, partitions, partitions > 1
        grid = numpy.array([device.id for device in devices]).reshape(replicas, partitions)
        options.device_assignment = xla._client.DeviceAssignment.create(grid)
    program = xla._xj.mlir.xla_computation_to_mlir_module(hlo.XlaComputation(proto(host)))
    try: devices[0].client.compile_and_load(program, xla._client.DeviceList(tuple(devices)), options)
    except Exception as error:
        if END not in str(error): raise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--list", action="store_true", help="print the modules that one accepts and the other refuses")
    parser.add_argument("files", nargs="*", default=[os.path.join(HERE, "verifier_cases.txt")])
    args = parser.parse_args()
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
    xla, counts, groups = xla_process.Process(__file__), collections.Counter(), set()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.hlo")
        for group, text in (case for file in args.files for case in cases_of(file)):
            with open(path, "w") as file: file.write(text)
            check = subprocess.run([args.hloir, "check", path], capture_output=True, text=True)
            says = check.stderr.replace(path, "").strip().split("\n")[0] if check.returncode else ""
            xla_says = xla.ask(text, 60)
            groups.add(group)
            kind = ("XLA refuses" if xla_says else "XLA accepts") + (", hloir refuses" if says else ", hloir accepts")
            counts[kind] += 1
            if args.list and bool(says) != bool(xla_says):
                print(f"--- {kind}: {group}\n{text.strip()}\n  XLA: {xla_says}\n  hloir: {says}")
    print(f"{sum(counts.values())} modules of {len(groups)} groups")
    for kind in sorted(counts): print(f"{counts[kind]:6} {kind}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]: xla_process.serve(judge)
    else: main()
