#!/usr/bin/env python3
"""Faults planted in partitioned programs: is each found, is none proved, and is the first wrong step named?

    bench/planted_faults.py [--hloir BIN] [--each N] [--skip N] [--prove] [--keep DIR] FILE…

Each FILE is a whole program with shardings, and with source lines (`tests/sharded/generate.py --metadata`,
`docs/studies/llama.py` with small sizes). The passes partition it, and if `hloir verify --prove` proves that, faults of the
kinds below are planted in the text of one device, at most N of each kind, and `hloir verify` judges each within so many
seconds of CPU time. Columns:

- `proved`: proved although runs differ, which must never be. `harmless`: proved, and runs agree (a mask that no shard
  reaches). The other columns count the faults that are left.
- `different`: exit status 1. With --prove, for programs that are too large to run: not proved.
- `step`: the first open step, or the partial result that it reads, is the changed instruction or one within two steps of it (of a value that no input tells, of
  where it meets one that an input does), or both were made from one instruction of the whole program: they have its
  op_name and stack frame.
- `line`: the file and line that the answer names are those of the changed instruction, or if it has none, of the nearest
  ones that have.
"""
import argparse, collections, itertools, os, re, subprocess, sys, tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from prove_pairs import PARTITION, prove, verify

KINDS = {}


def kind(function):
    """Gives (changed instruction, new text) of every place where the fault can be."""
    KINDS[function.__name__] = function
    return function


LINE = re.compile(r"^(\s*(?:ROOT )?)%?([\w.\-]+) = (\((?:[^()]|\([^()]*\))*\)|\S+) ([\w\-]+)\((.*)$", re.M)


def lines(text, opcode):
    return [m for m in LINE.finditer(text) if m.group(4) == opcode]


def replaced(text, match, line):
    """The line says of itself what the old one did."""
    metadata = re.search(r", metadata=\{[^{}]*\}", match.group(0))
    if metadata and ", metadata=" not in line.rsplit("\n", 1)[-1]: line += metadata.group(0)
    return match.group(2), text[:match.start()] + line + text[match.end():]


def adds(text, match):
    """Whether an all-reduce adds."""
    reducer = re.search(r"to_apply=%?([\w.\-]+)", match.group(0)).group(1)
    return re.search(rf"^%?{re.escape(reducer)} .*?\n}}", text, re.M | re.S).group(0).count(" add(") == 1


@kind
def missing_all_reduce(text):
    for m in lines(text, "all-reduce"):
        operand = m.group(5).split(")")[0]
        if "," not in operand: yield replaced(text, m, f"{m.group(1)}%{m.group(2)} = {m.group(3)} copy({operand})")


@kind
def doubled_all_reduce(text):
    for m in lines(text, "all-reduce"):
        rest = m.group(5).split(")", 1)
        if not adds(text, m): continue
        inner = f"  %doubled = {m.group(3)} {m.group(4)}({rest[0]}){re.sub(r', sharding={[^}]*}', '', rest[1])}"
        outer = f"{m.group(1)}%{m.group(2)} = {m.group(3)} all-reduce(%doubled){re.sub(r'channel_id=[0-9]+', 'channel_id=9999', rest[1])}"
        yield replaced(text, m, inner + "\n" + outer)


@kind
def wrong_group(text):
    """The groups of another axis of the mesh that is as large, or the same members in another order."""
    all_groups = {g for g in re.findall(r"replica_groups=(\{\{[^=]*?\}\})", text)}
    for m in re.finditer(r"%?([\w.\-]+) = \S+ (all-reduce|all-gather|reduce-scatter|all-to-all)\(.*?replica_groups=(\{\{.*?\}\})", text):
        groups = [g.split(",") for g in m.group(3)[2:-2].split("},{")]
        if len(groups) < 2: continue
        size = len(groups[0])
        other = [[str(k + len(groups) * j) for j in range(size)] for k in range(len(groups))]
        if other == groups: other = [[str(size * k + j) for j in range(size)] for k in range(len(groups))]
        if other == groups: continue
        new = "{{" + "},{".join(",".join(g) for g in other) + "}}"
        yield m.group(1), text[:m.start(3)] + new + text[m.end(3):]


@kind
def members_rotated(text):
    for m in re.finditer(r"%?([\w.\-]+) = \S+ (all-gather|reduce-scatter|all-to-all)\(.*?replica_groups=(\{\{.*?\}\})", text):
        groups = [g.split(",") for g in m.group(3)[2:-2].split("},{")]
        new = "{{" + "},{".join(",".join(g[1:] + g[:1]) for g in groups) + "}}"
        if new != m.group(3): yield m.group(1), text[:m.start(3)] + new + text[m.end(3):]


@kind
def wrong_axis(text):
    """Gathered or scattered along another dimension: shapes allow it where two sizes are equal."""
    for opcode in ("all-to-all", "all-gather", "reduce-scatter"):
        for m in lines(text, opcode):
            dimension = re.search(r"dimensions=\{(\d+)\}", m.group(0))
            sizes = re.match(r"\w+\[([\d,]+)\]", m.group(3))
            if not dimension or not sizes: continue
            sizes = sizes.group(1).split(",")
            at = int(dimension.group(1))
            if opcode != "all-to-all": continue
            for other in range(len(sizes)):
                if other == at or sizes[other] != sizes[at]: continue
                yield replaced(text, m, m.group(0).replace(dimension.group(0), f"dimensions={{{other}}}"))


@kind
def permute_reversed(text):
    for m in re.finditer(r"%?([\w.\-]+) = \S+ collective-permute\(.*?source_target_pairs=(\{\{.*?\}\})", text):
        pairs = [p.split(",") for p in m.group(2)[2:-2].split("},{")]
        if all([b, a] in pairs for a, b in pairs): continue
        new = "{{" + "},{".join(f"{b},{a}" for a, b in pairs) + "}}"
        yield m.group(1), text[:m.start(2)] + new + text[m.end(2):]


TABLE = re.compile(r"%?([\w.\-]+) = s32\[(\d+)\]\{0\} constant\(\{([\d, ]+)\}\)")


@kind
def shard_off_by_one(text):
    for m in TABLE.finditer(text):
        values = [int(v) for v in m.group(3).split(",")]
        if len(set(values)) < 2: continue
        values[-1] -= 1
        yield m.group(1), text[:m.start(3)] + ", ".join(map(str, values)) + text[m.end(3):]


@kind
def mask_or_positions_not_shifted(text):
    for m in TABLE.finditer(text):
        if len({v.strip() for v in m.group(3).split(",")}) < 2: continue
        yield m.group(1), text[:m.start(3)] + ", ".join("0" for _ in m.group(3).split(",")) + text[m.end(3):]


@kind
def mean_by_wrong_group(text):
    """A number that is multiplied or divided by is that of the devices' part."""
    for m in re.finditer(r"%?([\w.\-]+) = f32\[\] constant\(([\d.e+\-]+)\)", text):
        if float(m.group(2)) in (0.0, 1.0): continue
        spread = [m.group(1)] + re.findall(rf"%?([\w.\-]+) = \S+ broadcast\(%?{re.escape(m.group(1))}\)", text)
        if any(re.search(rf"(divide|multiply)\([^)]*%?{re.escape(name)}[,)]", text) for name in spread):
            yield m.group(1), text[:m.start(2)] + repr(2 * float(m.group(2))) + text[m.end(2):]


@kind
def loss_scaled_per_replica(text):
    """What is added up over devices is divided by their number first."""
    for m in lines(text, "all-reduce"):
        shape = m.group(3)
        if not re.match(r"f32\[[\d,]*\]", shape) or not adds(text, m): continue
        rest = m.group(5).split(")", 1)
        sizes = re.match(r"f32\[([\d,]*)\]", shape).group(1)
        more = f"  %count = f32[] constant(0.125)\n  %counts = {shape} broadcast(%count), dimensions={{}}\n"
        more += f"  %scaled = {shape} multiply({rest[0]}, %counts)\n"
        yield replaced(text, m, more + f"{m.group(1)}%{m.group(2)} = {shape} all-reduce(%scaled){rest[1]}")


@kind
def stale_cache(text):
    """What is written at an index, a step's keys or a layer's gradient, is dropped."""
    for m in lines(text, "dynamic-update-slice"):
        yield replaced(text, m, f"{m.group(1)}%{m.group(2)} = {m.group(3)} copy({m.group(5).split(',')[0]})")


@kind
def stale_weights(text):
    """An updated weight is returned as it came."""
    entry = text[text.index("ENTRY"):]
    parameters = {m.group(2): m.group(3) for m in lines(entry, "parameter")}
    results = re.search(r"^\s*ROOT .*$", entry, re.M).group(0)
    for m in lines(entry, "subtract"):
        if not m.group(1).strip() and not re.search(rf"%?{re.escape(m.group(2))}[,)]", results): continue
        for operand in re.findall(r"%?([\w.\-]+)", m.group(5).split(")")[0]):
            if parameters.get(operand, "").split("{")[0] == m.group(3).split("{")[0]:
                name, changed = replaced(entry, m, f"{m.group(1)}%{m.group(2)} = {m.group(3)} copy(%{operand})")
                yield name, text[:text.index("ENTRY")] + changed


def near(text, name, steps=2):
    """The instruction, what it reads and what reads it, so many steps far. Values that no input tells are no steps."""
    users, operands, data = collections.defaultdict(set), collections.defaultdict(set), set()
    for m in LINE.finditer(text):
        for operand in re.findall(r"%([\w.\-]+)", m.group(5)):
            users[operand].add(m.group(2))
            operands[m.group(2)].add(operand)
        if m.group(4) == "parameter" or operands[m.group(2)] & data: data.add(m.group(2))
    found, last = {name}, {name}
    while last - data:
        last = {n for f in last - data for n in users[f]} - found
        found |= last
    for _ in range(steps): found |= {n for f in found for n in users[f] | operands[f]}
    return found


def metadata_of(text, name):
    """An instruction's op_name with its stack frame, and its file and line."""
    line = re.search(rf"^\s*(?:ROOT )?%?{re.escape(name)} = .*$", text, re.M)
    metadata = line and re.search(r"metadata=\{(.*)\}", line.group(0))
    if not metadata: return None, None
    origin = tuple(re.findall(r"(?:op_name=\"[^\"]*\"|stack_frame_id=\d+|source_line=\d+)", metadata.group(1)))
    file, at = re.search(r'source_file="([^"]*)"', metadata.group(1)), re.search(r"source_line=(\d+)", metadata.group(1))
    if file and at: return origin, f"{file.group(1)}:{at.group(1)}"
    frame = re.search(r"stack_frame_id=(\d+)", metadata.group(1))
    if not frame: return origin, None
    def entry(table, number):
        rows = re.search(rf"^{table}\n((?:\d+ .*\n)+)", text, re.M).group(1)
        return re.search(rf"^{number} (.*)$", rows, re.M).group(1)
    place = entry("FileLocations", re.search(r"file_location_id=(\d+)", entry("StackFrames", frame.group(1))).group(1))
    file = entry("FileNames", re.search(r"file_name_id=(\d+)", place).group(1)).strip('"')
    return origin, f"{file}:{re.search(r'line=([0-9]+)', place).group(1)}"


def line_of_call(whole, op_name):
    """Of an instruction that JAX gives no line, in a computation of its own: where the whole program calls that."""
    found = re.search(rf"metadata=\{{{re.escape(op_name)}[ }}]", whole)
    for _ in range(8):
        if not found: return None
        computation = re.findall(r"^%?([\w.\-]+) \(", whole[:found.start()], re.M)
        found = computation and re.search(rf"^\s*(?:ROOT )?%?([\w.\-]+) = .*(?:to_apply|calls|body)=%?{re.escape(computation[-1])}\b.*$", whole, re.M)
        if found and metadata_of(whole, found.group(1))[1]: return metadata_of(whole, found.group(1))[1]
    return None


def judge(hloir, files, seconds, only_proof):
    """The answer, the instructions of the first open step (with the partial result that it reads), their source lines."""
    found = prove(hloir, files, seconds) if only_proof else verify(hloir, files, seconds)
    step, (device, whole) = found.get("first_open", {}), ("after", "before") if only_proof else ("device", "whole")
    sources = [step.get(device + "_source") or step.get(whole + "_source"), step.get("partial_source")]
    return found.get("answer", "error"), [step.get(device), step.get("partial")], sources


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--skip", type=int, default=0, help="leaves out the first places of each kind")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--prove", action="store_true")
    parser.add_argument("--keep", default=tempfile.mkdtemp())
    args = parser.parse_args()
    os.makedirs(args.keep, exist_ok=True)
    COLUMNS = ("planted", "proved", "harmless", "different", "step", "line")
    counts = {name: collections.Counter() for name in KINDS}
    for path in args.files:
        base = os.path.join(args.keep, os.path.basename(path))
        subprocess.run([args.hloir, "opt", f"--passes={PARTITION}", path, "-o", base], check=True, stdout=subprocess.DEVNULL)
        if not prove(args.hloir, [path, base], args.seconds)["answer"].startswith("proved"):
            print(f"{path}: not proved without a fault", flush=True)
            continue
        text, whole = open(base).read(), open(path).read()
        for name, plant in KINDS.items():
            done, count = 0, counts[name]
            for instruction, wrong in itertools.islice(plant(text), args.skip, None):
                if done == args.each: break
                mutant = base.removesuffix(".hlo") + f".{name}{done}.hlo"
                open(mutant, "w").write(wrong)
                answer, steps, named = judge(args.hloir, [path, mutant], args.seconds, args.prove)
                if answer == "error" and prove(args.hloir, [path, mutant], args.seconds)["answer"] == "error": continue  # no valid module
                done += 1
                count["planted"] += 1
                if answer.startswith("proved"):
                    # (verify runs what it proves: a difference would have been the answer.)
                    agrees = not args.prove or judge(args.hloir, [path, mutant], args.seconds, False)[0].startswith("proved")
                    count["harmless" if agrees else "proved"] += 1
                    print(f"{mutant}: {answer}, {'harmless' if agrees else 'wrong'}", flush=True)
                    continue
                different = answer in (("not-judged",) if args.prove else ("different", "less-accurate"))
                count["different"] += different
                origin, source = metadata_of(wrong, instruction)
                origins = {metadata_of(wrong, n)[0] for n in near(wrong, instruction, steps=0)}
                # (The passes, and JAX's own functions, leave some instructions without a line.)
                lines = set()
                for n in near(wrong, instruction, steps=0):
                    (own_origin, own_line), own = metadata_of(wrong, n), set()
                    if own_line or own_origin: own = {own_line or line_of_call(whole, own_origin[0])} - {None}
                    for far in (1, 2, 3): own = own or {metadata_of(wrong, o)[1] for o in near(wrong, n, steps=far)} - {None}
                    lines |= own
                is_step = any(step in near(wrong, instruction) or metadata_of(wrong, step)[0] in origins - {None} for step in steps if step)
                is_line = any(line in lines for line in named if line)
                count["step"] += is_step
                count["line"] += is_line
                if not different: print(f"{mutant}: {answer}", flush=True)
                if not is_step or not is_line: print(f"{mutant}: {instruction} changed ({source}), {steps} named ({named})", flush=True)
    counts["all"] = sum(counts.values(), collections.Counter())
    width = max(map(len, counts))
    print(f"{'':{width}}" + "".join(f"{column:>10}" for column in COLUMNS))
    for name, count in counts.items(): print(f"{name:{width}}" + "".join(f"{count[column]:10}" for column in COLUMNS))
    return 1 if counts["all"]["proved"] else 0


if __name__ == "__main__":
    sys.exit(main())
