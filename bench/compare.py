#!/usr/bin/env python3
"""Times hloir, XLA:CPU and IREE on the same modules and inputs in one run, and checks that their results agree.

    bench/compare.py [--hloir BIN] [--only REGEX] [--rounds N] [--threads N] [--json OUT] [--png OUT] [--save DIR]
                     [--iree FOLDER [--iree-cpu CPU]] [FILE…]

Cases are those of cases.py, or .hlo files beside their .npz of inputs. The sides take turns. Of each are printed: the median
of a run in the steady state, the ratio of the two (XLA's time over hloir's: above 1, hloir is faster), and one shot, from
text to first result (XLA: parse, compile, run; hloir: load, prepare, run). With the folder of IREE's tools (iree.py)
there are three more columns: IREE's time, its ratio to hloir's, and the time of its compiler, or why it refuses the module. Needs jax; for
the picture matplotlib.
"""
import argparse, json, math, os, re, statistics, subprocess, sys, tempfile, time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
import ml_dtypes


def save_inputs(path, arrays):
    entries = {}
    for i, array in enumerate(arrays):
        if array.dtype.type.__module__.startswith("ml_dtypes"):
            entries[f"in{i}"] = array.view(f"u{array.dtype.itemsize}")
            entries[f"in{i}.dtype"] = np.array(array.dtype.name)
        else:
            entries[f"in{i}"] = array
    np.savez(path, **entries)


def load(path, prefix):
    stored, arrays = np.load(path), []
    while (key := f"{prefix}{len(arrays)}") in stored:
        array = stored[key]
        if key + ".dtype" in stored:
            array = array.view(np.dtype(getattr(ml_dtypes, str(stored[key + ".dtype"]))))
        arrays.append(array)
    return arrays


class Xla:
    """A module compiled by XLA:CPU, by way of StableHLO."""
    def __init__(self, text):
        import jax, jaxlib._hlo as hlo, jaxlib._jax as xj
        from jax._src.lib import xla_client
        self.device = jax.devices("cpu")[0]
        start = time.perf_counter()
        computation = hlo.XlaComputation(hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
        module = xj.mlir.xla_computation_to_mlir_module(computation)
        self.executable = self.device.client.compile_and_load(module, xla_client.DeviceList((self.device,)), xla_client.CompileOptions())
        self.compile_s = time.perf_counter() - start

    def run(self, inputs):
        start = time.perf_counter()
        outputs = [o[0] for o in self.executable.execute_sharded(inputs).disassemble_into_single_device_arrays()]
        for output in outputs:
            output.block_until_ready()
        return outputs, time.perf_counter() - start


def agree(ours, theirs):
    """None if they do, else what differs. The bound is for sums of random numbers in different orders."""
    if len(ours) != len(theirs):
        return f"{len(ours)} results, not {len(theirs)}"
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {i} is {a.dtype}{list(a.shape)}, not {b.dtype}{list(b.shape)}"
        if a.dtype.kind in "iub":
            if not np.array_equal(a, b):
                return f"result {i}: {np.sum(a != b)} of {a.size} differ"
            continue
        wide = np.complex128 if a.dtype.kind == "c" else np.float64
        a, b = a.astype(wide), b.astype(wide)
        bound = 2e-2 if theirs[i].dtype.itemsize == 2 else 1e-9 if theirs[i].dtype.itemsize == 8 and a.dtype.kind != "c" else 2e-4
        scale = np.max(np.abs(b), initial=0, where=np.isfinite(b)) + 1e-30
        with np.errstate(invalid="ignore"):
            same = (np.abs(a - b) <= bound * (scale + np.abs(b))) | (a == b) | (np.isnan(a) & np.isnan(b))
        if not same.all():
            return f"result {i}: {np.sum(~same)} of {same.size} differ"
    return None


def compare(text, inputs, options, folder):
    import jax
    module, given, results = (os.path.join(folder, name) for name in ("module.hlo", "in.npz", "out.npz"))
    with open(module, "w") as out:
        out.write(text)
    save_inputs(given, inputs)
    xla = Xla(text)
    placed = [jax.device_put(array, xla.device) for array in inputs]
    theirs, first = xla.run(placed)
    estimate = min(xla.run(placed)[1] for _ in range(3))
    repeat = int(min(1000, max(5, options.seconds / max(estimate, 1e-6))))
    xla_s, ours_ms, shots, report = [], [], [], {}
    for _ in range(options.rounds):
        xla_s += [xla.run(placed)[1] for _ in range(repeat)]
        command = [options.hloir, "run", module, "--json", f"--inputs={given}", f"--outputs={results}", f"--repeat={repeat}"]
        done = subprocess.run(command + [f"--threads={options.threads}"], capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            return {"error": done.stderr.strip().splitlines()[-1] if done.stderr else f"exit {done.returncode}"}
        report = json.loads(done.stdout)
        ours_ms += report["runs_ms"][1:]
        shots.append(report["load_ms"] + report["prepare_ms"] + report["runs_ms"][0])
    found = load(results, "out")
    iree = {}
    if options.iree:
        measured = iree_side(options).measure(module, inputs, found, folder, options.seconds)
        if "ms" in measured:
            outputs = measured.pop("outputs")
            measured |= {"ratio": measured["ms"] / statistics.median(ours_ms), "difference": agree(found, outputs)}
        iree = {"iree": measured}
    ours, xla_ms, shot = statistics.median(ours_ms), 1e3 * statistics.median(xla_s), statistics.median(shots)
    xla_shot = 1e3 * (xla.compile_s + first)
    return {"xla_ms": xla_ms, "hloir_ms": ours, "ratio": xla_ms / ours, "xla_shot_ms": xla_shot, "hloir_shot_ms": shot,
            "shot_ratio": xla_shot / shot, "prepare_ms": report["prepare_ms"], "arena_bytes": report["arena_bytes"],
            "difference": agree(found, [np.asarray(o) for o in theirs]), **iree}


def iree_side(options):
    from iree import Iree
    return Iree(options.iree, options.hloir, options.threads, options.iree_cpu)


def iree_columns(iree):
    """Its time, its ratio to hloir's, and its compiler's time."""
    if "refused" in iree: return f"{'refused':>9} {'':6} {'':8}"
    return f"{iree['ms']:9.3f} {iree['ratio']:6.2f} {iree['compile_ms']:8.0f}"


def picture(rows, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    rows = sorted(rows, key=lambda row: row["ratio"])
    figure, axes = plt.subplots(figsize=(9, 0.22 * len(rows) + 1.2))
    axes.barh([row["case"] for row in rows], [row["ratio"] for row in rows],
              color=["tab:green" if row["ratio"] >= 1 else "tab:orange" if row["ratio"] >= 0.3 else "tab:red" for row in rows])
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlabel("XLA:CPU's time over hloir's, steady state (right of 1: hloir is faster)")
    axes.margins(y=0.005)
    axes.tick_params(axis="y", labelsize=7)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--only", default="", help="cases whose names match")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.3, help="of each side in each round, about")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", help="write the figures to this file too")
    parser.add_argument("--png", help="draw the ratios")
    parser.add_argument("--save", help="only write the cases' .hlo and .npz to this folder")
    parser.add_argument("--iree", metavar="FOLDER", help="measure IREE as well, by the tools in this folder")
    parser.add_argument("--iree-cpu", default="host", help="what IREE compiles for (default: this machine)")
    options = parser.parse_args()
    import jax
    jax.config.update("jax_enable_x64", True)
    import cases
    if options.files:
        names = {os.path.basename(path): lambda path=path: (open(path).read(), load(os.path.splitext(path)[0] + ".npz", "in")) for path in options.files}
    else:
        names = {name: lambda name=name: cases.make(name) for name in cases.CASES if re.search(options.only, name)}
    if options.save:
        os.makedirs(options.save, exist_ok=True)
        for name, make in names.items():
            text, inputs = make()
            with open(os.path.join(options.save, name + ".hlo"), "w") as out:
                out.write(text)
            save_inputs(os.path.join(options.save, name + ".npz"), inputs)
        return

    rows, failed = [], 0
    head = f"   {'IREE ms':>9} {'ratio':>6} {'compiles':>8}" if options.iree else ""
    print(f"{'case':24} {'XLA ms':>9} {'hloir ms':>9} {'ratio':>6}   {'shot: XLA':>9} {'hloir ms':>9} {'ratio':>6}{head}")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in names.items():
            row = compare(*make(), options, folder)
            if "error" in row:
                failed += 1
                print(f"{name:24} {row['error']}", flush=True)
                continue
            failed += row["difference"] is not None
            rows.append({"case": name, **row})
            peer, notes = row.get("iree", {}), []
            if row["difference"]: notes.append(f"DIFFERS from XLA: {row['difference']}")
            if peer.get("difference"): notes.append(f"DIFFERS from IREE: {peer['difference']}")
            if "refused" in peer: notes.append(peer["refused"])
            print(f"{name:24} {row['xla_ms']:9.3f} {row['hloir_ms']:9.3f} {row['ratio']:6.2f}   {row['xla_shot_ms']:9.1f} "
                  f"{row['hloir_shot_ms']:9.2f} {row['shot_ratio']:6.1f}{'   ' + iree_columns(peer) if peer else ''}   {'; '.join(notes)}".rstrip(), flush=True)
    mean = lambda key: math.exp(statistics.mean(math.log(row[key]) for row in rows))
    if rows:
        print(f"geometric mean of {len(rows)}: steady state {mean('ratio'):.2f} times XLA's speed, one shot {mean('shot_ratio'):.1f} times")
    ran = [row["iree"] for row in rows if "ratio" in row.get("iree", {})]
    if ran:
        geometric = lambda values: math.exp(statistics.mean(map(math.log, values)))
        print(f"geometric mean of {len(ran)}: {geometric([i['ratio'] for i in ran]):.2f} times IREE's speed; "
              f"it refuses {len(rows) - len(ran)}; {sum(i['ratio'] < 1 for i in ran)} below 1")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)
    if options.png:
        picture(rows, options.png)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
