#!/usr/bin/env python3
"""How the passes' time grows with the module: per instruction, by pass.

    bench/time_passes.py [--hloir BIN] [--module network|loops] [--sizes 1000,10000,…] [--repeat N] [--passes LIST]
                         [--svg OUT.svg]

Runs `hloir opt --stats --json` on generated modules of these sizes, takes the least of N runs of each (of small ones of
more, as they are over before the machine is quiet), prints microseconds per instruction and the factor between the
sizes, and draws one bar a size, cut up by pass. The network is one long computation; the loops are many short ones that
loops, calls, conditionals and reductions call. Drawing needs matplotlib.
"""
import argparse, json, os, subprocess, tempfile

from compare_text import generated


def network(instructions):
    """With the weights as a parameter: constants left out cannot be optimized."""
    text = generated(instructions)
    text = text.replace("ENTRY %main (p: f32[64,128])", "ENTRY %main (p: f32[64,128], w: f32[128,128])")
    return text.replace("constant({...})", "parameter(1)")


def loops(instructions):
    """A loop, a call, a conditional and a reduction in each block of 35, with computations of their own."""
    computations, main, last = [], ["ENTRY main {", "  p = f32[64] parameter(0)", "  zero = f32[] constant(0)", "  none = s32[] constant(0)"], "p"
    for b in range(max(1, instructions // 35)):
        computations.append(f"""add.{b} {{
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}}
f.{b} {{
  a = f32[64] parameter(0)
  e = f32[64] exponential(a)
  s = f32[64] sine(e)
  ROOT m = f32[64] multiply(s, e)
}}
body.{b} {{
  t = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[64] get-tuple-element(t), index=1
  c = f32[64] cosine(v)
  w = f32[64] add(c, v)
  r = f32[64] reverse(w), dimensions={{0}}
  ROOT o = (s32[], f32[64]) tuple(next, r)
}}
condition.{b} {{
  t = (s32[], f32[64]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  rounds = s32[] constant({100 + b % 50})
  ROOT less = pred[] compare(i, rounds), direction=LT
}}
yes.{b} {{
  a = f32[64] parameter(0)
  r = f32[64] reverse(a), dimensions={{0}}
  ROOT t = f32[64] tanh(r)
}}
no.{b} {{
  a = f32[64] parameter(0)
  ROOT n = f32[64] negate(a)
}}
""")
        main += [f"  call.{b} = f32[64] call({last}), to_apply=f.{b}",
                 f"  start.{b} = (s32[], f32[64]) tuple(none, call.{b})",
                 f"  while.{b} = (s32[], f32[64]) while(start.{b}), condition=condition.{b}, body=body.{b}",
                 f"  value.{b} = f32[64] get-tuple-element(while.{b}), index=1",
                 f"  sum.{b} = f32[] reduce(value.{b}, zero), dimensions={{0}}, to_apply=add.{b}",
                 f"  wide.{b} = f32[64] broadcast(sum.{b}), dimensions={{}}",
                 f"  rest.{b} = f32[64] subtract(value.{b}, wide.{b})",
                 f"  positive.{b} = pred[] compare(sum.{b}, zero), direction=GT",
                 f"  either.{b} = f32[64] conditional(positive.{b}, rest.{b}, value.{b}), true_computation=yes.{b}, false_computation=no.{b}",
                 f"  result.{b} = f32[64] add(either.{b}, {last})"]
        last = f"result.{b}"
    return "\n".join(["HloModule loops", ""] + computations + main + [f"  ROOT out = f32[64] negate({last})", "}", ""])


def measure(binary, path, passes, repeat):
    """How many instructions the module has, and each pass's milliseconds."""
    best, instructions = None, 0
    for _ in range(repeat):
        command = [binary, "opt", "--stats", "--json", path, "-o", os.devnull] + ([f"--passes={passes}"] if passes else [])
        stats = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stderr)
        instructions = stats["instructions_before"]
        times = {entry["pass"]: entry["ms"] for entry in stats["passes"]}
        if best is None or sum(times.values()) < sum(best.values()):
            best = times
    return instructions, best


MODULES = {"network": network, "loops": loops}


def draw(rows, path):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    order = list(rows[0][1])
    weight = {name: max(times[name] / size for size, times in rows) for name in order}
    shown = sorted(sorted(order, key=lambda name: -weight[name])[:9], key=order.index)
    figure, axes = plt.subplots(figsize=(8, 4.2))
    labels = [f"{size:,}" for size, _ in rows]
    bottom = [0.0] * len(rows)
    for name in shown + ["all others"]:
        heights = []
        for size, times in rows:
            ms = times[name] if name in times else sum(v for k, v in times.items() if k not in shown)
            heights.append(1000 * ms / size)
        axes.bar(labels, heights, bottom=bottom, label=name, width=0.6)
        bottom = [b + h for b, h in zip(bottom, heights)]
    axes.set_xlabel("instructions in the module")
    axes.set_ylabel("microseconds per instruction")
    axes.set_title("Time of the default pipeline, by pass")
    handles, names = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], names[::-1], fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--module", choices=MODULES, default="network")
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--passes", default="")
    parser.add_argument("--svg", help="a picture")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, options.sizes.split(",")):
            path = os.path.join(folder, "module.hlo")
            with open(path, "w") as out:
                out.write(MODULES[options.module](size))
            size, times = measure(options.hloir, path, options.passes, max(options.repeat, min(30, 300000 // size)))
            rows.append((size, times))
            total = sum(times.values())
            print(f"{size:>9} instructions: {total:9.1f} ms, {1000 * total / size:.2f} µs each; most: "
                  + ", ".join(f"{name} {1000 * ms / size:.2f}" for name, ms in sorted(times.items(), key=lambda item: -item[1])[:4]))
    per = [sum(times.values()) / size for size, times in rows]
    print(f"largest over least time per instruction: {max(per) / min(per):.2f}")
    if options.svg:
        draw(rows, options.svg)


if __name__ == "__main__":
    main()
