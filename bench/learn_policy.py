#!/usr/bin/env python3
"""Trains the policy of `hloir tune --rewrites` on some programs of the corpus and judges it on others.

  bench/learn_policy.py collect --hloir BIN     search the training modules, and keep what each rewrite tried brought
  bench/learn_policy.py train                   a small network on that, by JAX; writes POLICY
  bench/learn_policy.py judge --hloir BIN       bytes moved on held-out modules, against the default pipeline's

Programs are told apart by the names of their modules without _forward, _backward, _f32 and the like: of a program, either
all modules are trained on or none. What judge prints is the geometric mean over held-out modules of bytes moved, as a part
of what the default pipeline gives, and between which values 95 % of such means lie when modules are drawn again
(bootstrap); every module is verified by hloir. Needs numpy, and jax for train. docs/notes/tune.md has what came of it.
"""
import argparse
import concurrent.futures
import glob
import hashlib
import json
import math
import os
import re
import subprocess
import sys

import numpy as np

SUFFIXES = re.compile(
    r"_(forward|backward|train|step|steps|gradient|gradients|hessian|mode|of_types|mixed_precision|adam|double|wide|"
    r"bf16|f16|f32|f64|c64|c128|s8|s16|s32|s64|u8|u16|u32|u64)$")
FEATURES, HIDDEN = 32, 32


def program(name):
    while (shorter := SUFFIXES.sub("", name)) != name:
        name = shorter
    return name


def held_out(name):
    return int(hashlib.sha256(program(name).encode()).hexdigest(), 16) % 5 < 2


def modules(args, test):
    """Files of one side of the split, of a size that is worth a search, in an order of the seed's."""
    with open(os.path.join(args.corpus, "index.json")) as file:
        index = {m["name"]: m for m in json.load(file)["modules"]}
    chosen = [m for name, m in index.items() if held_out(name) == test and
              args.least <= m["instructions"] <= args.most]
    np.random.default_rng(args.seed).shuffle(chosen)
    return [os.path.join(args.corpus, m["file"]) for m in chosen[: args.modules]]


def tune(args, path, method, trials, *flags):
    command = [args.hloir, "tune", path, f"--rewrites={method}", f"--trials={trials}", f"--seed={args.seed}", "--json", *flags]
    done = subprocess.run(["nice", "-n", "19", *command], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def spread(ratios, seed=0):
    """Geometric mean, and the bootstrap's 2.5 and 97.5 percentiles of it."""
    logs = np.log(ratios)
    means = np.random.default_rng(seed).choice(logs, (4000, len(logs))).mean(axis=1)
    return math.exp(logs.mean()), *np.exp(np.percentile(means, [2.5, 97.5]))


def collect(args):
    os.makedirs(args.samples, exist_ok=True)
    paths = modules(args, test=False)

    def one(path):
        out = os.path.join(args.samples, os.path.basename(path)[:-4] + ".txt")
        return path, tune(args, path, "tree", args.trials, f"--samples={out}", "--no-verify")

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, result in pool.map(one, paths):
            part = result["best"]["bytes"] / result["first"]["bytes"] if result else float("nan")
            print(f"{os.path.basename(path):40} {part:.3f}", flush=True)


def states(args):
    """For each state of the searches where something was won: features of what was tried there, and what that brought."""
    for path in sorted(glob.glob(os.path.join(args.samples, "*.txt"))):
        if os.path.getsize(path) == 0:
            continue
        table = np.loadtxt(path, ndmin=2)
        assert table.shape[1] == FEATURES + 3, f"{table.shape[1] - 3} features, not {FEATURES}"
        for state in np.unique(table[:, 0]):
            rows = table[table[:, 0] == state]
            if len(rows) > 1:
                yield rows[:, 3:], np.clip(rows[:, 2], -5, 10)


def train(args):
    """To tell what is best of what is open together: cross entropy with the softmax of what was won, in percent."""
    import jax
    import jax.numpy as jnp
    groups = list(states(args))
    most = max(len(g) for _, g in groups)
    x = np.zeros((len(groups), most, FEATURES), np.float32)
    y = np.full((len(groups), most), -np.inf, np.float32)
    for k, (features, gains) in enumerate(groups):
        x[k, :len(gains)], y[k, :len(gains)] = features, gains
    known = np.isfinite(y)
    target = np.where(known, np.exp(np.where(known, y, 0) - y.max(1, keepdims=True)), 0)
    target /= target.sum(1, keepdims=True)
    weight = 0.05 + np.clip(y.max(1) - np.where(known, y, np.inf).min(1), 0, 3)  # where all is the same, there is little to learn
    weight = (weight / weight.mean()).astype(np.float32)
    key = jax.random.split(jax.random.PRNGKey(args.seed), 2)
    parameters = [jax.random.normal(key[0], (HIDDEN, FEATURES)) * math.sqrt(2 / FEATURES), jnp.zeros(HIDDEN),
                  jax.random.normal(key[1], (HIDDEN,)) * math.sqrt(2 / HIDDEN), jnp.zeros(())]

    def logits(p, x):
        return jax.nn.relu(x @ p[0].T + p[1]) @ p[2] + p[3]

    def loss(p, x, target, known, w):
        scores = jax.nn.log_softmax(jnp.where(known, logits(p, x), -1e9))
        return jnp.mean(w * -jnp.sum(jnp.where(known, target * scores, 0), 1)) + 1e-4 * sum(jnp.sum(q * q) for q in p)

    @jax.jit
    def step(p, m, v, t, *batch):  # Adam
        g = jax.grad(loss)(p, *batch)
        m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
        v = [0.999 * a + 0.001 * b * b for a, b in zip(v, g)]
        p = [a - 3e-3 * (b / (1 - 0.9**t)) / (jnp.sqrt(c / (1 - 0.999**t)) + 1e-8) for a, b, c in zip(p, m, v)]
        return p, m, v

    first, second = [jnp.zeros_like(p) for p in parameters], [jnp.zeros_like(p) for p in parameters]
    random = np.random.default_rng(args.seed)
    won = np.flatnonzero(y.max(1) > 0.01)
    for t in range(1, args.steps + 1):
        rows = random.integers(0, len(x), 128)
        parameters, first, second = step(parameters, first, second, float(t), x[rows], target[rows], known[rows], weight[rows])
    scores = np.where(known, np.asarray(logits(parameters, x)), -np.inf)
    best = np.where(known, y, -np.inf).argmax(1)
    rank = (scores > np.take_along_axis(scores, best[:, None], 1)).sum(1)
    print(f"{len(x)} states, {known.sum()} samples; something is won in {len(won)}, where the best is the policy's first in "
          f"{np.mean(rank[won] == 0):.0%}, among its first three in {np.mean(rank[won] < 3):.0%} (of {known[won].sum(1).mean():.1f} tried)")
    numbers = [FEATURES, HIDDEN] + [f"{w:.6g}" for p in parameters for w in np.asarray(p).ravel()]
    with open(args.policy, "w") as file:
        file.write("hloir-policy 2\n")
        for k in range(0, len(numbers), 12):
            file.write(" ".join(map(str, numbers[k:k + 12])) + "\n")


def judge(args):
    paths = modules(args, test=True)
    policy = f"--policy={args.policy}"
    methods = {"wide fusion alone": ("tree", 1), "policy alone": ("policy", 1, policy), "beam": ("beam", args.trials),
               "tree": ("tree", args.trials), "tree with policy": ("tree", args.trials, policy)}
    ratios, operations = {m: [] for m in methods}, {m: [] for m in methods}
    wrong = 0

    def one(path):
        return path, {m: tune(args, path, *how) for m, how in methods.items()}

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, results in pool.map(one, paths):
            name = os.path.basename(path)[:-4]
            if any(r is None for r in results.values()):
                print(f"{name:36} not judged: it does not run, or a search failed", flush=True)
                continue
            for method, result in results.items():
                wrong += not result["verdict"]["agree"]
                ratios[method].append(result["best"]["bytes"] / result["first"]["bytes"])
                operations[method].append((result["best"]["operations"] + 1) / (result["first"]["operations"] + 1))
            print(f"{name:36}" + "".join(f" {ratios[m][-1]:6.3f}" for m in methods), flush=True)
    print(f"\n{len(ratios['tree'])} held-out modules, all of {len(methods)} results each verified, {wrong} wrong")
    for method in methods:
        mean, low, high = spread(ratios[method])
        print(f"{method:20} bytes {mean:.3f} ({low:.3f} to {high:.3f}) of the default pipeline's, "
              f"operations {spread(operations[method])[0]:.3f}")
    return wrong > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["collect", "train", "judge"])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--hloir", default="hloir")
    parser.add_argument("--corpus", default=os.path.join(here, "..", "corpus"))
    parser.add_argument("--samples", default="policy-samples", help="folder of what collect writes")
    parser.add_argument("--policy", default=os.path.join(here, "policy.txt"))
    parser.add_argument("--trials", type=int, default=100, help="modules finished and counted in each search")
    parser.add_argument("--modules", type=int, default=1000, help="at most so many")
    parser.add_argument("--least", type=int, default=25, help="instructions")
    parser.add_argument("--most", type=int, default=700)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    sys.exit({"collect": collect, "train": train, "judge": judge}[args.what](args))


if __name__ == "__main__":
    main()
