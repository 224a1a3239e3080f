#!/usr/bin/env python3
"""Runs generated modules through XLA:CPU and hloir's two engines and reports where they differ.

    fuzz_xla.py --hloir=build/release/tools/hloir [--kind=cases|programs] [--first=1] [--count=100] [--only=gather]
                [--work=DIR] [--jobs=1]

Needs jaxlib and ml_dtypes. Each module is many operations side by side (`hloir fuzz generate`), which makes XLA's
compile time bearable. XLA runs in a process of its own: what it refuses, or dies of, is cut out by halves and
remembered in DIR/refused.json. A line of JSON for each finding goes to standard output, one for each kind of
operation and engine; a summary to standard error. Of --kind=programs XLA's results are held against hloir's by
`hloir verify`, which knows how much rounding each program magnifies. The exit status is 1 if there are findings.
"""
import argparse, concurrent.futures, json, os, select, subprocess, sys, threading, time
import numpy as np, ml_dtypes


# ---- What an .npz of hloir's holds ----

def load(path, name):
    z, leaves = np.load(path), []
    while f"{name}{len(leaves)}" in z:
        key = f"{name}{len(leaves)}"
        v = z[key]
        if f"{key}.dtype" in z: v = v.view(np.dtype(getattr(ml_dtypes, str(z[f"{key}.dtype"]))))
        leaves.append(v)
    return leaves


def save(path, leaves, name):
    out = {}
    for i, v in enumerate(leaves):
        if v.dtype.type.__module__.startswith("ml_dtypes"):
            out[f"{name}{i}"] = v.view(np.uint8 if v.dtype.itemsize == 1 else np.uint16)
            out[f"{name}{i}.dtype"] = np.array(v.dtype.name)
        else: out[f"{name}{i}"] = v
    np.savez(path, **out)


# ---- XLA, in a process of its own ----

def worker():
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax, jaxlib._hlo as hlo, jaxlib._jax as xj
    from jax._src.lib import xla_client
    jax.config.update("jax_enable_x64", True)
    device = jax.devices("cpu")[0]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what XLA prints is not an answer
    for line in sys.stdin:
        job = json.loads(line)
        try:
            computation = hlo.XlaComputation(hlo.hlo_module_from_text(open(job["module"]).read()).as_serialized_hlo_module_proto())
            executable = device.client.compile_and_load(xj.mlir.xla_computation_to_mlir_module(computation),
                                                        xla_client.DeviceList((device,)), xla_client.CompileOptions())
            arguments = [jax.device_put(v, device) for v in load(job["inputs"], "in")]
            results = executable.execute_sharded(arguments).disassemble_into_single_device_arrays()
            save(job["results"], [np.asarray(r[0]) for r in results], "out")
            reply = {"ok": True}
        except Exception as error:
            reply = {"ok": False, "error": str(error)[:500]}
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


class Xla:
    process = None

    def run(self, job, timeout=120):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, __file__, "--worker"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.errors = []
            threading.Thread(target=self._drain, args=(self.process, self.errors), daemon=True).start()
        try:
            self.process.stdin.write(json.dumps(job) + "\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], timeout)
            line = self.process.stdout.readline() if ready else ""
        except BrokenPipeError:
            ready, line = True, ""
        if line: return json.loads(line)
        self.process.kill()
        self.process.wait()
        return {"ok": False, "died": True, "error": "".join(self.errors)[-600:] if ready else "it does not end"}

    @staticmethod
    def _drain(process, errors):
        for line in process.stderr:
            errors.append(line)
            del errors[:-40]


# ---- Comparison ----

def units(x, dtype):
    """A unit in the last place of each element."""
    if dtype.kind == "f" and dtype.itemsize >= 4: return np.abs(np.spacing(np.abs(x).astype(dtype))).astype(np.float64)
    info = ml_dtypes.finfo(dtype)
    a = np.maximum(np.abs(x.astype(np.float64)), float(info.smallest_normal))
    return np.exp2(np.floor(np.log2(a)) - info.nmant)


def difference(want, got, case, more_ulps):
    """Why `got` is not `want`, or None. Both are arrays of one dtype."""
    if want.dtype != got.dtype or want.shape != got.shape:
        return f"{got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}"
    if want.size == 0: return None
    dtype = want.dtype
    is_float = dtype.kind == "f" or dtype.name.startswith(("float", "bfloat"))
    if not is_float and dtype.kind != "c":
        bad = want != got
    else:
        bits = lambda v: np.ascontiguousarray(v).reshape(-1).view(np.uint8).reshape(v.size, -1)
        same = (bits(want) == bits(got)).all(axis=1).reshape(want.shape)
        with np.errstate(all="ignore"):
            if dtype.kind == "c":
                nan = np.isnan(want) & np.isnan(got)
                part = np.dtype(np.float32 if dtype == np.complex64 else np.float64)
                a, b = want.astype(np.complex128), got.astype(np.complex128)
                unit, tiny = units(np.abs(want), part), float(np.finfo(part).tiny)
                finite = np.isfinite(a) & np.isfinite(b)
                largest = units(np.abs(want[np.isfinite(a)]).max(initial=case["term"]), part)
            else:
                a, b = want.astype(np.float64), got.astype(np.float64)
                nan = np.isnan(a) & np.isnan(b)
                unit, tiny = units(want, dtype), float(ml_dtypes.finfo(dtype).smallest_normal)
                finite = np.isfinite(a) & np.isfinite(b)
                largest = units(np.abs(a[np.isfinite(a)]).max(initial=case["term"]).astype(dtype), dtype)
            ulps = case["ulps"] + (more_ulps if case["ulps"] else 0)
            allowed = np.maximum(ulps * unit, case["leaf_ulps"] * largest)
            # XLA:CPU flushes denormals of the types that it computes in.
            flushes = more_ulps and dtype.name in ("float32", "float64", "bfloat16", "complex64", "complex128")
            if case["loose_zero"] or flushes: allowed = np.maximum(allowed, tiny)
            close = np.zeros(want.shape, bool)
            close[finite] = np.abs(a[finite] - b[finite]) <= np.broadcast_to(allowed, want.shape)[finite]
            if not case["loose_zero"] and not case["ulps"] and not case["leaf_ulps"]: close &= (a != 0) | (b != 0)  # -0 is not 0
        bad = ~(same | nan | close)
    if not bad.any(): return None
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"{int(bad.sum())} of {bad.size}; at {list(at)} {got[at]!r}, not {want[at]!r}"


# ---- The campaign ----

class Campaign:
    def __init__(self, flags):
        self.flags, self.lock, self.local = flags, threading.Lock(), threading.local()
        self.memory = os.path.join(flags.work, "refused.json")
        self.refused = json.load(open(self.memory)) if os.path.exists(self.memory) else {}
        self.findings, self.compared, self.modules, self.coverage = {}, 0, 0, set()

    def generate(self, seed, keep, run):
        flags = self.flags
        command = [flags.hloir, "fuzz", "generate", f"--first={seed}", f"--kind={flags.kind}",
                   f"--cases={flags.cases}", "--portable",
                   "-o", flags.work]
        if flags.only: command.append(f"--only={flags.only}")
        if keep is not None: command.append("--keep=" + ",".join(map(str, keep)))
        if run: command.append("--run")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode: raise RuntimeError(f"seed {seed}: hloir exits with {done.returncode}: {done.stderr[-300:]}")
        return json.loads(done.stdout)

    def xla(self, seed, keep):
        """XLA's results of the cases at `keep` by place; what it refuses is left out."""
        if not keep: return {}
        if not hasattr(self.local, "xla"): self.local.xla = Xla()
        made = self.generate(seed, keep, run=False)
        results = os.path.join(self.flags.work, f"cases-{seed}.xla.npz")
        reply = self.local.xla.run({"module": made["module"], "inputs": made["inputs"], "results": results})
        if reply["ok"]:
            for case in made["cases"]: self.refused.pop(case["what"], None)
            return dict(zip(keep, load(results, "out")))
        if len(keep) == 1:
            what = made["cases"][0]["what"]
            with self.lock:
                known = self.refused.setdefault(what, {"times": 0, "seed": seed, "place": keep[0], **reply})
                known["times"] += 1
            return {}
        half = len(keep) // 2
        return {**self.xla(seed, keep[:half]), **self.xla(seed, keep[half:])}

    def program(self, seed):
        made = self.generate(seed, None, run=False)
        if not hasattr(self.local, "xla"): self.local.xla = Xla()
        results, both = (os.path.join(self.flags.work, f"programs-{seed}.{n}.npz") for n in ("xla", "both"))
        reply = self.local.xla.run({"module": made["module"], "inputs": made["inputs"], "results": results})
        keep = False
        with self.lock: self.modules += 1
        if reply["ok"]:
            np.savez(both, **np.load(made["inputs"]), **np.load(results))
            done = subprocess.run([self.flags.hloir, "verify", "--json", "--passes=dce", f"--inputs={both}", made["module"]],
                                  capture_output=True, text=True)
            verdict = json.loads(done.stdout)
            verdict = verdict[0] if isinstance(verdict, list) else verdict
            if verdict["verdict"] == "NOT AS STORED":
                keep = True
                self.find(seed, -1, {"what": f"program {seed}"}, "fast", verdict.get("reason", ""))
            with self.lock: self.compared += 1; self.coverage.add("programs")
        else:
            with self.lock:
                known = self.refused.setdefault(reply["error"][:60], {"times": 0, "seed": seed, **reply})
                known["times"] += 1
            keep = "died" in reply
        if keep: return
        for path in (made["module"], made["inputs"], results, both):
            if os.path.exists(path): os.remove(path)

    def module(self, seed):
        if self.flags.kind == "programs": return self.program(seed)
        made = self.generate(seed, None, run=True)
        cases = made["cases"]
        engines = {}
        for engine in ("fast", "reference"):
            if engine in made: engines[engine] = load(made[engine], "out")
            else: self.find(seed, -1, {"what": "module"}, engine, made[f"{engine}_error"])
        if "fast" in engines and "reference" in engines:
            for place, case in enumerate(cases):
                why = difference(engines["reference"][place], engines["fast"][place], case, 0)
                if why: self.find(seed, place, case, "fast against reference", why)
        keep = [k for k, case in enumerate(cases) if self.refused.get(case["what"], {"times": 0})["times"] < 3]
        theirs = {} if self.flags.no_xla else self.xla(seed, keep)
        for place, want in theirs.items():
            for engine, results in engines.items():
                why = difference(want, results[place], cases[place], self.flags.ulps)
                if why: self.find(seed, place, cases[place], engine, why)
        with self.lock:
            self.modules += 1
            self.compared += len(theirs)
            self.coverage.update(cases[k]["what"] for k in theirs)
        for suffix in (".hlo", ".npz", ".fast.npz", ".reference.npz", ".xla.npz"):
            path = os.path.join(self.flags.work, f"cases-{seed}{suffix}")
            if os.path.exists(path): os.remove(path)

    def find(self, seed, place, case, engine, why):
        key = (case["what"] if case.get("family") != "chain" else "chain " + case["what"].split()[1], engine)
        with self.lock:
            self.findings[key] = self.findings.get(key, 0) + 1
            if self.findings[key] > 1: return
            print(json.dumps({"seed": seed, "place": place, "what": case["what"], "engine": engine, "why": why}), flush=True)

    def run(self):
        seeds = iter(range(self.flags.first, self.flags.first + self.flags.count))
        started, done = time.time(), 0
        with concurrent.futures.ThreadPoolExecutor(self.flags.jobs) as pool:
            def one(seed):
                try: self.module(seed)
                except Exception as error: self.find(seed, -1, {"what": "module"}, "driver", repr(error)[:400])
            for _ in pool.map(one, seeds):
                done += 1
                if sys.stderr.isatty(): print(f"\r{done} of {self.flags.count} modules, {len(self.findings)} findings", end="", file=sys.stderr)
                if done % 20 == 0: json.dump(self.refused, open(self.memory, "w"), indent=1)
        json.dump(self.refused, open(self.memory, "w"), indent=1)
        if self.flags.json:
            print(json.dumps({"modules": self.modules, "operations": self.compared, "kinds": len(self.coverage),
                              "findings": len(self.findings), "refused": len(self.refused),
                              "killed": sum("died" in r for r in self.refused.values())}), flush=True)
        print(f"\n{self.modules} modules, {self.compared} operations compared of {len(self.coverage)} kinds, "
              f"{len(self.findings)} kinds of findings, {len(self.refused)} kinds refused by XLA "
              f"({sum('died' in r for r in self.refused.values())} killed it), {time.time() - started:.0f} s", file=sys.stderr)
        return 1 if self.findings else 0


def main():
    if "--worker" in sys.argv: return worker()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hloir", default="hloir", help="the command")
    parser.add_argument("--kind", default="cases", choices=["cases", "programs"])
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--cases", type=int, default=24, help="operations in a module")
    parser.add_argument("--only", default="", help="one family of operations")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ulps", type=float, default=16, help="what XLA's transcendental functions may be off, beyond ours")
    parser.add_argument("--work", default="fuzz-xla", help="a folder for modules and what XLA refuses")
    parser.add_argument("--json", action="store_true", help="print the summary as the last line of JSON, too")
    parser.add_argument("--no-xla", action="store_true", help="compare the engines alone")
    flags = parser.parse_args()
    os.makedirs(flags.work, exist_ok=True)
    return Campaign(flags).run()


if __name__ == "__main__": sys.exit(main())
