#!/usr/bin/env python3
"""The largest errors of transcendental functions of f32, in units in the last place: hloir's, XLA:CPU's and IREE's.

    bench/compare_accuracy.py [--hloir BIN] [--count N] [--iree FOLDER [--iree-cpu CPU]] [--only REGEX]

Half of the inputs are normally distributed with a deviation of 3, half have evenly distributed exponents from 2^-20 to 2^6. Results
are compared with those of numpy in f64; a result that is 0 or infinite beside a number that is not counts as `far`, and errors of
denormal numbers are not counted, as XLA and IREE flush these. Needs jax.
"""
import argparse, json, math, os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
from compare import Xla, load, save_inputs

FUNCTIONS = {"exponential": np.exp, "exponential-minus-one": np.expm1, "tanh": np.tanh, "logistic": lambda x: 1 / (1 + np.exp(-x)),
             "sine": np.sin, "cosine": np.cos, "erf": np.vectorize(math.erf), "log": lambda x: np.log(np.abs(x)),
             "log-plus-one": lambda x: np.log1p(np.abs(x)), "rsqrt": lambda x: 1 / np.sqrt(np.abs(x)), "cbrt": np.cbrt}
POSITIVE = ("log", "log-plus-one", "rsqrt")


def error(found, true):
    """The largest in ulps, where it is, and how many are far off."""
    with np.errstate(all="ignore"):
        rounded = true.astype(np.float32)
        usual = np.isfinite(rounded) & (np.abs(true) >= 2.0 ** -126)
        _, exponent = np.frexp(true)
        ulps = np.where(usual, np.abs(found.astype(np.float64) - true) / 2.0 ** (exponent - 24.0), 0)
    far = ~np.isfinite(found) & usual | (found == 0) & usual
    ulps = np.where(far, 0, ulps)
    return ulps.max(), np.argmax(ulps), int(far.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="build/release/tools/hloir")
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--iree", help="folder of IREE's tools")
    parser.add_argument("--iree-cpu", default="host")
    parser.add_argument("--only", default="", help="functions whose names match")
    options = parser.parse_args()
    import jax
    random = np.random.default_rng(1)
    half = options.count // 2
    inputs = np.concatenate([random.normal(0, 3, half), 2.0 ** random.uniform(-20, 6, options.count - half) * random.choice([-1, 1], options.count - half)])
    inputs = inputs.astype(np.float32)
    print(f"{'function':24}" + "".join(f"{side:>30}" for side in ("hloir", "XLA:CPU", *(["IREE"] if options.iree else []))))
    with tempfile.TemporaryDirectory() as folder:
        module, given, results = (os.path.join(folder, name) for name in ("module.hlo", "in.npz", "out.npz"))
        for name, function in FUNCTIONS.items():
            if not re.search(options.only, name): continue
            x = np.abs(inputs) if name in POSITIVE else inputs
            text = f"HloModule m\n\nENTRY main {{\n  x = f32[{x.size}] parameter(0)\n  ROOT y = f32[{x.size}] {name}(x)\n}}\n"
            with open(module, "w") as out:
                out.write(text)
            save_inputs(given, [x])
            subprocess.run([options.hloir, "run", module, f"--inputs={given}", f"--outputs={results}"], check=True, capture_output=True)
            sides = [load(results, "out")[0]]
            xla = Xla(text)
            sides.append(np.asarray(xla.run([jax.device_put(x, xla.device)])[0][0]))
            if options.iree:
                from iree import Iree
                measured = Iree(options.iree, options.hloir, 1, options.iree_cpu).measure(module, [x], sides[:1], folder, 0.01)
                sides.append(measured["outputs"][0] if "outputs" in measured else None)
            cells = []
            for found in sides:
                if found is None:
                    cells.append("refused")
                    continue
                worst, at, far = error(found, function(x.astype(np.float64)))
                cells.append(f"{worst:9.2f} at {x[at]:10.4g}" + (f", {far} far" if far else ""))
            print(f"{name:24}" + "".join(f"{cell:>30}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
