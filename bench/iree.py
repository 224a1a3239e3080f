"""IREE's llvm-cpu beside the others in compare.py, by its command-line tools (pip install iree-base-compiler
iree-base-runtime, in an environment of their own): a module goes to it as StableHLO, which `hloir convert` writes.

    Iree(folder of the tools, hloir, threads, cpu).measure(module.hlo, inputs, shapes of the results, scratch folder, seconds)

gives {"ms", "compile_ms", "outputs"}, or {"refused": why}. Tested by hand: it needs IREE.
"""
import json, os, statistics, subprocess, time

import numpy as np

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1", 
          **{f"{sign}int{bits}": f"i{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}}


class Refused(Exception):
    pass


class Iree:
    def __init__(self, tools, hloir, threads, cpu):
        self.tools, self.hloir, self.cpu = tools, hloir, cpu
        self.device = ["--device=local-sync"] if threads == 1 else ["--device=local-task", f"--task_topology_max_group_count={threads}"]

    def call(self, *command, seconds=120):
        """The output; IREE's own words if it refuses, or how it ended."""
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Refused(f"{os.path.basename(command[0])} takes over {seconds} s")
        if done.returncode == 0: return done.stdout
        lines = [line for line in done.stderr.splitlines() if "error" in line.lower()] or done.stderr.splitlines() or [""]
        why = lines[0].split("error:", 1)[-1].strip()[:100]
        raise Refused(f"{os.path.basename(command[0])}: {why or f'exit {done.returncode}'}")

    def tool(self, name, *arguments):
        return self.call(os.path.join(self.tools, name), *arguments)

    def measure(self, module, inputs, results, folder, seconds):
        try:
            return self.run(module, inputs, results, folder, seconds)
        except Refused as refused:
            return {"refused": str(refused)}

    def run(self, module, inputs, results, folder, seconds):
        mlir, binary = os.path.join(folder, "module.mlir"), os.path.join(folder, "module.vmfb")
        self.call(self.hloir, "convert", module, "-o", mlir)
        start = time.perf_counter()
        self.tool("iree-compile", mlir, "-o", binary, "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                  f"--iree-llvmcpu-target-cpu={self.cpu}", "--iree-input-demote-f64-to-f32=false", "--iree-input-demote-i64-to-i32=false")
        compile_s = time.perf_counter() - start
        given = [f"--module={binary}", "--function=main", *self.device]
        for i, array in enumerate(inputs):
            path = os.path.join(folder, f"in{i}")
            if array.dtype.kind == "c":  # whose name would not be told from a size
                np.save(path + ".npy", array)
                given.append(f"--input=@{path}.npy")
                continue
            np.ascontiguousarray(array).tofile(path + ".bin")
            given.append("--input=" + "".join(f"{d}x" for d in array.shape) + f"{NAMES[array.dtype.name]}=@{path}.bin")
        # A refusal of a result's form comes before the times.
        files = [os.path.join(folder, f"iree{k}.bin") for k in range(len(results))]
        start = time.perf_counter()
        self.tool("iree-run-module", *given, *(f"--output=@{path}" for path in files))
        repetitions = 5 if time.perf_counter() - start < 1 else 1
        outputs = [np.fromfile(path, dtype=like.dtype).reshape(like.shape) for path, like in zip(files, results)]
        report = json.loads(self.tool("iree-benchmark-module", *given, f"--benchmark_min_time={seconds / 3}s", f"--benchmark_repetitions={repetitions}",
                                      "--benchmark_format=json"))
        scale = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}
        times = [row["real_time"] * scale[row["time_unit"]] for row in report["benchmarks"] if row.get("run_type") == "iteration"]
        if not times: raise Refused("iree-benchmark-module: no times")
        return {"ms": statistics.median(times), "compile_ms": 1e3 * compile_s, "outputs": outputs}
