#!/usr/bin/env python3
"""No pass takes more work for an instruction in a large module than in a small one: counted, not timed.

    tests/linear/passes.py HLOIR [--shapes REGEX] [--sizes N,M]

valgrind's callgrind counts the machine instructions that each pass's Run executes, on modules of several shapes and two sizes,
all passes one after the other on one module: the same numbers on any machine and under any load. Per HLO instruction the
larger module may take 1.5 times as many, and small sums, which say nothing, are let be. Exit status 77: there is no valgrind.
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))
from time_passes import loops, network

MOST = 1.5          # times per instruction, from the small to the large module
NEGLIGIBLE = 200    # machine instructions for an HLO instruction of the large module


def module(lines, before=""):
    return "HloModule m\n\n" + before + "ENTRY e {\n  p = f32[8] parameter(0)\n  " + "\n  ".join(lines) + "\n}\n"


def chain(n):
    """Each reads the one before."""
    names = ["p"] + [f"x{i}" for i in range(n)]
    return module([f"{names[i + 1]} = f32[8] {'tanh' if i % 2 else 'negate'}({names[i]})" for i in range(n)] + [f"ROOT r = f32[8] abs({names[-1]})"])


def fan(n):
    """One value with many users, one tuple of many operands, and all its elements."""
    lines = [f"x{i} = f32[8] {('tanh', 'sine', 'exponential')[i % 3]}(p)" for i in range(n // 3)]
    lines.append(f"t = ({', '.join(['f32[8]'] * (n // 3))}) tuple({', '.join(f'x{i}' for i in range(n // 3))})")
    lines += [f"g{i} = f32[8] get-tuple-element(t), index={i}" for i in range(n // 3)]
    return module(lines + [f"ROOT r = ({', '.join(['f32[8]'] * (n // 3))}) tuple({', '.join(f'g{i}' for i in range(n // 3))})"])


def calls(n):
    """Many computations, each called twice, from one another's callers."""
    before = "".join(f"call{i} {{\n  a = f32[8] parameter(0)\n  b = f32[8] tanh(a)\n  ROOT c = f32[8] multiply(b, a)\n}}\n" for i in range(n // 6))
    lines, last = [], "p"
    for i in range(n // 6):
        lines += [f"a{i} = f32[8] call({last}), to_apply=call{i}", f"b{i} = f32[8] call(a{i}), to_apply=call{i}", f"sa{i} = f32[8] add(a{i}, b{i})"]
        last = f"sa{i}"
    return module(lines + [f"ROOT r = f32[8] negate({last})"], before)


def movement(n):
    """Reshapes, transposes, slices and concatenations that undo one another, or do not."""
    lines, last = [], "p"
    for i in range(n // 6):
        lines += [f"ra{i} = f32[2,4] reshape({last})", f"ta{i} = f32[4,2] transpose(ra{i}), dimensions={{1,0}}", f"ua{i} = f32[8] reshape(ta{i})",
                  f"sa{i} = f32[4] slice(ua{i}), slice={{[0:4]}}", f"va{i} = f32[4] slice(ua{i}), slice={{[4:8]}}", f"ca{i} = f32[8] concatenate(va{i}, sa{i}), dimensions={{0}}"]
        last = f"ca{i}"
    return module(lines + [f"ROOT r = f32[8] copy({last})"])


def collectives(n):
    """Independent all-reduces and all-gathers, which passes combine."""
    before = "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
    lines, names = [], []
    for i in range(n // 3):
        lines += [f"x{i} = f32[8] {('tanh', 'sine')[i % 2]}(p)", f"a{i} = f32[8] all-reduce(x{i}), replica_groups={{}}, to_apply=add", f"y{i} = f32[8] add(a{i}, p)"]
        names.append(f"y{i}")
    return module(lines + [f"ROOT r = ({', '.join(['f32[8]'] * len(names))}) tuple({', '.join(names)})"], before)


def spread(n):
    """Loops whose bodies get new instructions, with ids far from those that they were read with."""
    before, lines, last = "", [], "t"
    for i in range(n // 12):
        before += f"""body{i} {{
  b = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(b), index=0
  x = f32[8] get-tuple-element(b), index=1
  y = f32[8] get-tuple-element(b), index=2
  one = s32[] constant(1)
  next = s32[] add(one, i)
  z = f32[8] negate(x)
  w = f32[8] negate(z)
  ROOT r = (s32[], f32[8], f32[8]) tuple(next, w, y)
}}
condition{i} {{
  c = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(c), index=0
  end = s32[] constant({100 + i % 50})
  ROOT less = pred[] compare(i, end), direction=LT
}}
"""
        lines.append(f"while{i} = (s32[], f32[8], f32[8]) while({last}), condition=condition{i}, body=body{i}")
        last = f"while{i}"
    return module(["zero = s32[] constant(0)", "t = (s32[], f32[8], f32[8]) tuple(zero, p, p)"] + lines + [f"ROOT r = f32[8] get-tuple-element({last}), index=1"], before)


SHAPES = {"network": network, "loops": loops, "spread": spread, "chain": chain, "fan": fan, "calls": calls, "movement": movement, "collectives": collectives}


def passes(hloir):
    listed = json.loads(subprocess.run([hloir, "opt", "--list-passes", "--json"], check=True, capture_output=True, text=True).stdout)
    names = [entry["name"] for entry in (listed["passes"] if isinstance(listed, dict) else listed)]
    # What leaves little for others to do comes last.
    return sorted(names, key=lambda name: bool(re.search("fusion|inliner|flatten|dce|unroll", name)))


def counts(hloir, text, names, folder):
    """Pass's class -> machine instructions in its Run and below."""
    path, out = os.path.join(folder, "m.hlo"), os.path.join(folder, "callgrind.out")
    with open(path, "w") as file:
        file.write(text)
    # A computation's post-order is kept until the next edit, so whoever happens to ask first would pay for it.
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=*::MakePostOrder() const", "--collect-atstart=yes", f"--callgrind-out-file={out}", hloir, "opt", path, "-o", os.devnull, "--math=fast", "--passes=" + ",".join(names)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"hloir fails: {done.stderr[-2000:]}")
    listing = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in listing.splitlines():
        match = re.match(r"\s*([\d,]+) .*?(\w+)::Run\(hloir::HloModule&\)", line)
        if match:
            found[match[2]] = max(found.get(match[2], 0), int(match[1].replace(",", "")))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hloir")
    parser.add_argument("--shapes", default="", help="those whose names match (default: all)")
    parser.add_argument("--sizes", default="250,1000")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if not shutil.which("valgrind") or not shutil.which("callgrind_annotate"):
        print("there is no valgrind")
        sys.exit(77)
    small, large = map(int, options.sizes.split(","))
    names, bad, seen = passes(options.hloir), 0, set()
    with tempfile.TemporaryDirectory() as folder:
        for shape, make in SHAPES.items():
            if not re.search(options.shapes, shape):
                continue
            # A table of all ids for each loop shows only where there are many loops.
            few_of, many_of = (4 * small, 4 * large) if shape == "spread" else (small, large)
            few, many = (counts(options.hloir, make(size), names, folder) for size in (few_of, many_of))
            for name, count in sorted(many.items(), key=lambda entry: -entry[1]):
                seen.add(name)
                before, after = few.get(name, 0) / few_of, count / many_of
                growth = after / max(before, 1)
                steep = growth > MOST and after > NEGLIGIBLE
                bad += steep
                if steep or options.verbose:
                    print(f"{shape:12} {name:44} {before:10.0f} {after:10.0f} an instruction, {growth:6.2f} times{'  STEEP' if steep else ''}")
    print(f"{len(seen)} passes' work counted, {bad} grow faster than the module")
    sys.exit(1 if bad or len(seen) < 40 else 0)


if __name__ == "__main__":
    main()
