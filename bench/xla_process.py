"""XLA:CPU in a process of its own, so that a module that XLA dies of, or never finishes, costs that module alone.

A script that uses it starts with `xla_process.serve(work)` if its arguments are ["--worker"], and else asks
`Process(__file__).ask(job, seconds)`. tools/fuzz_xla.py, which is installed as one file, has a process of its own.
"""
import json, os, select, subprocess, sys


class Compiler:
    """In the worker: XLA:CPU on one device."""

    def __init__(self):
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax, jaxlib._hlo as hlo, jaxlib._jax as xj
        from jax._src.lib import xla_client
        jax.config.update("jax_enable_x64", True)
        self.device = jax.devices("cpu")[0]
        self._hlo, self._xj, self._client = hlo, xj, xla_client

    def compile(self, path, overrides=()):
        """The executable of a module's text; overrides: pairs of a debug option of XLA and its value."""
        proto = self._hlo.hlo_module_from_text(open(path).read()).as_serialized_hlo_module_proto()
        module = self._xj.mlir.xla_computation_to_mlir_module(self._hlo.XlaComputation(proto))
        options = self._client.CompileOptions()
        if overrides: options.env_option_overrides = list(overrides)
        return self.device.client.compile_and_load(module, self._client.DeviceList((self.device,)), options)


def serve(work):
    """Calls work(compiler, job) for each job from standard input and answers with its error, or ""."""
    compiler = Compiler()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what XLA prints is not an answer
    for line in sys.stdin:
        try:
            work(compiler, json.loads(line))
            reply = ""
        except Exception as error:
            reply = str(error).splitlines()[0][:300] or "?"
        print(json.dumps(reply), file=answers, flush=True)


class Process:
    """The worker of a script, started anew when it has died."""

    def __init__(self, script):
        self.script, self.process = os.path.abspath(script), None

    def ask(self, job, seconds):
        """The error of a job, or ""."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([sys.executable, self.script, "--worker"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        print(json.dumps(job), file=self.process.stdin, flush=True)
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline() if ready else ""
        if line: return json.loads(line)
        self.process.kill()
        self.process.wait()
        return "XLA died" if ready else "XLA took too long"
