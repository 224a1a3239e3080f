#!/usr/bin/env python3
"""How well the roofline of this machine predicts `hloir run`.

    bench/predict.py [--hloir BIN] [--only REGEX] [--threads N] [--device FILE] [--factor 1.5] [--json OUT] [FILE…]

Measures the machine once (`hloir cost --device=cpu --save-device`), then predicts and runs each case of cases.py, or each .hlo file
(its .npz beside it as inputs). A case counts as predicted if the two differ by at most the factor. The time of a run is the best
of several, as the machine's figures are, or with one thread the processor time of a run, if that is less: others on a busy machine
only add. Needs jax for the cases.
"""
import argparse, json, math, os, re, resource, subprocess, sys, tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def output(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stderr or done.stdout).strip().splitlines()[-1])
    return json.loads(done.stdout)


def timed(command):
    """The times of the runs, and the process's own processor time, in ms."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    runs = output(command)["runs_ms"]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return runs, 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--only", default="")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--device")
    parser.add_argument("--factor", type=float, default=1.5)
    parser.add_argument("--json")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    threads = [f"--threads={options.threads}"] if options.threads else []
    with tempfile.TemporaryDirectory() as folder:
        device = options.device or os.path.join(folder, "machine.json")
        cases = [(os.path.basename(f), f, os.path.splitext(f)[0] + ".npz") for f in options.files]
        if not options.files:
            import jax
            jax.config.update("jax_enable_x64", True)
            import cases as programs
            from compare import save_inputs
            for name in programs.CASES:
                if re.search(options.only, name):
                    cases.append((name, os.path.join(folder, name + ".hlo"), os.path.join(folder, name + ".npz")))
        rows, measured = [], options.device is not None
        for name, module, inputs in cases:
            try:
                if not options.files:
                    text, arrays = programs.make(name)
                    with open(module, "w") as out:
                        out.write(text)
                    save_inputs(inputs, arrays)
                if not measured:
                    output([options.hloir, "cost", module, "--device=cpu", "--save-device=" + device, "--json"] + threads)
                    measured = True
                predicted = output([options.hloir, "cost", module, "--optimize", "--device=" + device, "--json"])["roofline"]["ms"]
                given = ["--inputs=" + inputs] if os.path.exists(inputs) else []
                run = [options.hloir, "run", module, "--json", "--outputs=/dev/null"] + given + threads
                once, cpu_once = timed(run + ["--repeat=2"])
                repeat = int(min(3000, max(8, 100 / max(min(once), 1e-3))))
                runs, cpu = timed(run + [f"--repeat={repeat + 2}"])
                actual = min(runs)
                if options.threads == 1:  # then the processor's time counts as well, which others do not stretch
                    actual = min(actual, max((cpu - cpu_once) / repeat, 1e-6))
            except Exception as error:  # of JAX too
                print(f"{name:24} {type(error).__name__}: {error}", flush=True)
                continue
            rows.append({"name": name, "predicted_ms": predicted, "run_ms": actual, "ratio": predicted / actual})
            mark = "" if 1 / options.factor <= predicted / actual <= options.factor else " *"
            print(f"{name:24} predicted {predicted:9.4f} ms   run {actual:9.4f} ms   {predicted / actual:6.2f}{mark}", flush=True)
    good = sum(1 / options.factor <= row["ratio"] <= options.factor for row in rows)
    print(f"within a factor {options.factor}: {good} of {len(rows)}; geometric mean of predicted over run "
          f"{math.exp(sum(math.log(r['ratio']) for r in rows) / max(len(rows), 1)):.2f}")
    if options.json:
        with open(options.json, "w") as out:
            json.dump(rows, out, indent=1)


if __name__ == "__main__":
    main()
