"""HLO, the IR of XLA, without XLA: read, look at, change, run and check modules.

>>> import hloir, numpy as np
>>> module = hloir.parse('''
... HloModule example
... ENTRY main {
...   x = f32[3] parameter(0)
...   zero = f32[] constant(0)
...   zeros = f32[3] broadcast(zero), dimensions={}
...   y = f32[3] add(x, zeros)
...   ROOT r = f32[3] multiply(y, y)
... }''')
>>> [i.opcode for i in module.entry]
['parameter', 'constant', 'broadcast', 'add', 'multiply']
>>> hloir.run(module, np.array([1, 2, 3], np.float32))
array([1., 4., 9.], dtype=float32)
>>> [rewrite.id for rewrite in hloir.proposals(module, 'algebraic-simplifier', math='rounding')]
['algebraic-simplifier/add-zero@main/y']
>>> before = module.clone()
>>> _ = hloir.optimize(module, math='rounding')
>>> bool(hloir.verify(before, module))
True
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hloir._arrays import DeviceExecutable, Executable, _answers, _host, _inputs, _sizes, dtype_of, to_dlpack
from hloir._display import Diff, Explanation, Picture, diff, explain, graph, stats
from hloir._error import Error
from hloir import _hloir
from hloir._hloir import (
    Builder,
    CheckedProof,
    Computation,
    Instruction,
    Module,
    PassRun,
    Pattern,
    Rewrite,
    Shape,
    Tuned,
    Verdict,
    _add_pass,
    _bisect,
    _check_proof,
    _default_pipeline,
    _DeviceExecutable,
    _Executable,
    _optimize,
    _parse_text,
    _parse_proto,
    _pass_names,
    _proposals,
    _take,
    _tune,
    _bound_to,
    _is_unbounded,
    _verify,
    isas,
    limit_memory as _limit_memory,
    match,
    version,
)
from hloir._blame import Blame, blame
from hloir._jax import from_jax
from hloir._modules import check_module, checked, pipeline
from hloir._rules import Rule, register_rules, rule

__version__: str = version

for _each in (Builder, CheckedProof, Computation, Instruction, Module, PassRun, Pattern, Rewrite, Shape, Tuned, Verdict):
    _each.__module__ = "hloir"  # in messages and help

__all__ = [
    "Bisection", "Blame", "Builder", "CheckedProof", "Computation", "DeviceExecutable", "Diff", "Error", "Executable", "Explanation", "Instruction", "Module", "PassRun",
    "Pattern", "Picture", "Rewrite", "Rule", "Shape", "Tuned", "Verdict", "__version__", "bisect", "blame", "check", "check_proof", "check_same", "constant_value", "default_pipeline",
    "diff", "dtype_of", "explain", "from_jax", "graph", "isas", "limit_memory", "match", "optimize", "parse", "parse_proto", "pass_names",
    "prepare", "prepare_on_devices", "proposals", "read", "reduce", "register_pass", "register_rules", "rule", "run", "stats",
    "take", "to_dlpack", "tune", "verify",
]

if _hloir.has_hloenv:  # the option HLOIR_HLOENV of the build
    from hloir.hloenv import (
        AltPipeline,
        EvaluationResult,
        GpuBackend,
        HloEnv,
        HloGraph,
        HloModule,
        HloPass,
        HloRewriteGraph,
        Pass,
        Pipeline,
        RewritePipeline,
        RewriteStatus,
    )

    __all__ += [
        "AltPipeline", "EvaluationResult", "GpuBackend", "HloEnv", "HloGraph", "HloModule", "HloPass", "HloRewriteGraph",
        "Pass", "Pipeline", "RewritePipeline", "RewriteStatus",
    ]

def parse(source: str | bytes | os.PathLike[str], name: str = "") -> Module:
    """The module in HLO or StableHLO text, in the bytes of a message or of a file, or in the file at a path; verified.

    A text of one line without a brace is taken for a path, too. `name` stands in messages for a file's. hloir.Error, with
    line and column where it is text: what is wrong, or not known. FileNotFoundError.
    """
    if not isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike)):
        hint = ""
        if hasattr(source, "read"):
            hint = "; a file's .read() gives the text"
        elif callable(source) or hasattr(source, "compiler_ir") or hasattr(source, "runtime_executable"):
            hint = "; hloir.from_jax() is for JAX"
        elif isinstance(source, Module):
            hint = "; it is a module already"
        what = "None" if source is None else f"a {type(source).__name__}"
        raise TypeError(f"hloir.parse takes text, bytes or a path, not {what}{hint}")
    if isinstance(source, os.PathLike):
        return read(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _parse_proto(bytes(source))
    if source.strip() and "\n" not in source and "{" not in source:
        return read(source)
    return _parse_text(source, name or "<text>")


def read(path: str | os.PathLike[str]) -> Module:
    """The module in a file of any form: text, XLA's messages, their JSON, StableHLO, each also gzipped; verified. Errors
    are parse()'s."""
    if not isinstance(path, (str, os.PathLike)):
        what = "None" if path is None else f"a {type(path).__name__}"
        raise TypeError(f"hloir.read takes a path, not {what}; hloir.parse takes text and bytes")
    if "\n" in os.fspath(path):
        raise ValueError("hloir.read takes a path; hloir.parse takes text")
    if os.fspath(path) != "-":
        os.stat(path)  # FileNotFoundError, with its name
    return _hloir.read(os.fspath(path))


def parse_proto(message: bytes) -> Module:
    """The module in a serialized HloModuleProto, HloProto or snapshot, verified."""
    return _parse_proto(message)


@checked
def prepare(
    module: Module,
    *,
    threads: int = 0,
    isa: str = "",
    callbacks: Mapping[Any, Callable[..., Any]] | None = None,
    host_transfer: Callable[[int, int, Any], Any] | None = None,
    cache: str | os.PathLike[str] = "",
) -> Executable:
    """Prepares a module to be run often.

    threads: 0 takes what the machine has; isa: one of isas(), '' the best. hloir.Error: it has something that does not run
    here, such as a custom-call of unknown meaning.

    callbacks: functions that answer custom-calls, by target ('xla_ffi_python_cpu_callback'), by the name of an instruction,
    or by the index of a callback of JAX's, which its backend_config has. A function takes an array for each operand, gives
    an array or a tuple of them, nothing where the call has no result, and comes before what hloir itself knows of a target.

    host_transfer: the other end of a send or recv with is_host_transfer=true, or whose other end is in another program: a
    function of the channel, the device and the array that is sent, or None where the module receives; then it gives one.

    cache: a folder that keeps plans, so that preparing the same module again takes less; the executable's was_cached says
    whether its plan was read from there.
    """
    answers = _answers(callbacks)
    return Executable(_Executable(check_module(module, "prepare"), threads, isa, answers, _host(host_transfer), os.fspath(cache)))


@checked
def prepare_on_devices(
    module: Module,
    *,
    replicas: int = 0,
    partitions: int = 0,
    threads: int = 0,
    isa: str = "",
    callbacks: Mapping[Any, Callable[..., Any]] | None = None,
    host_transfer: Callable[[int, int, Any], Any] | None = None,
) -> DeviceExecutable:
    """Prepares a module to be run on several devices, as many as it says itself, or as are given here. callbacks,
    host_transfer: as of prepare(); no two are called at once."""
    answers = _answers(callbacks)
    return DeviceExecutable(_DeviceExecutable(check_module(module, "prepare_on_devices"), replicas, partitions, threads, isa, answers, _host(host_transfer)))


@checked
def run(
    module: Module,
    *arguments: Any,
    callbacks: Mapping[Any, Callable[..., Any]] | None = None,
    host_transfer: Callable[[int, int, Any], Any] | None = None,
) -> Any:
    """Prepares a module and runs it once; arguments, results and errors are Executable's. Unbounded dimensions (f32[?,4])
    have the arguments' sizes. callbacks, host_transfer: as of prepare()."""
    if _is_unbounded(check_module(module, "run")):
        module = _bound_to(module, _sizes(arguments))
    return prepare(module, callbacks=callbacks, host_transfer=host_transfer)(*arguments)


@checked
def optimize(
    module: Module,
    passes: str | Sequence[str] = "",
    *,
    math: str = "exact",
    disable: Sequence[str] = (),
    verify_each: bool = False,
    check_each: bool = False,
    seed: int = 0,
) -> list[PassRun]:
    """Rewrites the module; returns the result of each pass.

    passes: 'dce,[cse,dce],fusion{multi-output=false}', a list of such parts, or '' for the default pipeline; math: how far
    results may change, 'exact' (no bit), 'rounding' (as XLA does) or 'fast'; disable: rules that are switched off, by name.
    verify_each: after each pass the module must be legal. check_each: after each pass that changes it, it must compute what
    it did before, on inputs made from `seed`; hloir.Error names the first pass after which it does not, and the module is
    as that pass left it. At Ctrl-C the module is legal, and may be half rewritten.
    """
    check_module(module, "optimize")
    return _optimize(module, pipeline(passes), math, list(disable), verify_each, check_each, seed)


@dataclasses.dataclass(frozen=True)
class Bisection:
    """The result of bisect(). True if some rewrite changes the results.

    rewrites: how many the passes make; number: which of them, from 1, or 0; rewrite: what it does; reason: what differs.
    """

    rewrites: int
    number: int
    rewrite: Rewrite | None
    reason: str

    def __bool__(self) -> bool:
        return self.number > 0

    def __str__(self) -> str:
        if self.rewrite is None:
            return f"none of the {self.rewrites} rewrites changes what the module computes"
        return f"rewrite {self.number} of {self.rewrites} changes what the module computes: {self.reason}\n{self.rewrite}"


@checked
def bisect(
    module: Module, passes: str | Sequence[str] = "", *, math: str = "exact", disable: Sequence[str] = (), seed: int = 0
) -> Bisection:
    """The single rewrite of these passes that changes what the module computes, as `hloir opt --bisect` finds it. The module
    stays as it is."""
    check_module(module, "bisect")
    rewrites, number, rewrite, reason = _bisect(module, pipeline(passes), math, list(disable), seed)
    return Bisection(rewrites, number or 0, rewrite, reason)


@checked
def proposals(
    module: Module, passes: str | Sequence[str] = "", *, math: str = "exact", disable: Sequence[str] = ()
) -> list[Rewrite]:
    """The rewrites that these passes could make in the module, each with its result; the module is unchanged."""
    return _proposals(check_module(module, "proposals"), pipeline(passes), math, list(disable))


@checked
def take(
    module: Module, rewrites: Sequence[Rewrite | str], passes: str | Sequence[str] = "", *, math: str = "exact"
) -> list[Rewrite]:
    """Makes these rewrites, by proposals() or their ids, and no others; returns those made. One can exclude another."""
    if isinstance(rewrites, str) or not isinstance(rewrites, Sequence) or not all(isinstance(r, (str, Rewrite)) for r in rewrites):
        raise TypeError(f"rewrites is a list, of what proposals() returns or of ids, not {rewrites!r}")
    ids = [rewrite if isinstance(rewrite, str) else rewrite.id for rewrite in rewrites]
    return _take(check_module(module, "take"), ids, pipeline(passes), math)


@checked
def tune(
    module: Module,
    *,
    by: str = "bytes",
    seconds: float = 60,
    trials: int = 0,
    seed: int = 0,
    passes: str | Sequence[str] = "",
    math: str = "exact",
    verify: bool = True,
    threads: int = 0,
    progress: Callable[[float, int, float], object] | None = None,
) -> Tuned:
    """Searches for the pipeline that is best for the module: its order, its passes and their options, and which rules are
    switched off. The module is left as it is, and the result is verified; passes and rules in Python take part.

    by: what is to be least, 'bytes' (moved), 'operations', 'roofline' (of both) or 'time' (of runs here, in pairs).
    seconds: how long to search, by the clock. trials: if not 0, so many pipelines whatever the time, so that a seed
        gives the same result everywhere (but by 'time').
    passes: the pipeline to begin with, '' for the default; math: how far results may change.
    threads: of the runs that are measured, 0 for all there are.
    progress(done, tried, best) hears at most twenty times a second which part is done, how many pipelines were tried, and
        what the best costs, as a part of what the first costs.

    hloir.Error, or what a pass in Python raises: a pass of the first pipeline is unknown or fails, or the module cannot be
        verified. Others that fail are counted in `failed`.
    """
    return _tune(check_module(module, "tune"), by, seconds, trials, seed, pipeline(passes), math, verify, threads, progress)


def _input_list(inputs: Any) -> Sequence[Any]:
    if isinstance(inputs, Mapping):  # an .npz that numpy loaded
        named = {name: inputs[name] for name in inputs}
        inputs = [named[f"in{k}"] for k in range(len(named)) if f"in{k}" in named]
        if named and not inputs:
            raise ValueError(f"inputs by name are in0, in1, …, as hloir run --save writes them, not {', '.join(map(str, named))}")
    elif isinstance(inputs, np.ndarray) or not isinstance(inputs, Sequence):
        raise TypeError(f"inputs is a list with an argument for each parameter, or the path of an .npz, not {type(inputs).__name__}")
    given: Sequence[Any] = inputs
    return given


@checked
def verify(
    before: Module,
    after: Module,
    seed: int = 0,
    exact: bool = False,
    divergence: bool = False,
    *,
    inputs: Sequence[Any] | Mapping[str, Any] | str | os.PathLike[str] | None = None,
    finite_only: bool = False,
    callbacks: Mapping[Any, Callable[..., Any]] | None = None,
    host_transfer: Callable[[int, int, Any], Any] | None = None,
    elided: str | os.PathLike[str] = "refuse",
    threads: int = 0,
    proof: str | os.PathLike[str] | None = None,
) -> Verdict:
    """Compares two modules, by a proof if possible, otherwise by runs on inputs generated from `seed`.

    exact: no bit may differ. divergence: name the first instruction that parts.
    inputs: judge by runs on these arguments alone, an array for each parameter, or on in0, in1, … of an .npz, whose out0, …
        are then what results must be, too.
    finite_only: judge by runs on ordinary numbers alone: no NaN, infinity or extreme is among the inputs.
    callbacks, host_transfer: as of prepare(). Then only one engine runs, as the other knows nothing of them.
    elided: the values of constants that the text left out, {...}: 'refuse', 'assume' (random ones, equal for one shape),
        'zeros', 'iota', 'random', or an .npz with c0, c1, ….
    threads: of the engine, 0 for all there are.
    proof: a file to which the proof is written, for check_proof(); without a proof nothing is, and a note says why.

    The verdict has the arguments on which they differ, `counterexample`. hloir.Error: they take or give other shapes, or do
    not run here.
    """
    check_module(before, "verify")
    check_module(after, "verify", "second")
    if inputs is not None and finite_only:
        raise ValueError("finite_only selects generated inputs; these inputs are given")
    file, leaves = "", None
    if isinstance(inputs, (str, os.PathLike)):
        file = os.fspath(inputs)
        os.stat(file)  # FileNotFoundError, with its name
    elif inputs is not None:
        given = _input_list(inputs)
        before, after = (_bound_to(m, _sizes(given)) if _is_unbounded(m) else m for m in (before, after))
        leaves = [_inputs(given, [parameter.shape for parameter in before.entry.parameters], "input")]
    return _verify(before, after, seed, exact, divergence, leaves, file, _answers(callbacks), _host(host_transfer),
                   os.fspath(elided), finite_only, threads, os.fspath(proof) if proof is not None else "")


check = verify


@checked
def check_proof(before: Module, after: Module, proof: str | os.PathLike[str]) -> CheckedProof:
    """Checks a file that verify(proof=FILE) or `hloir verify --proof=FILE` wrote, without the prover's code.

    hloir.Error: the file is malformed, or is about other modules. FileNotFoundError.
    """
    check_module(before, "check_proof")
    check_module(after, "check_proof", "second")
    os.stat(proof)  # FileNotFoundError, with its name
    return _check_proof(before, after, os.fspath(proof))


def check_same(
    function_a: Callable[..., Any], function_b: Callable[..., Any], *arguments: Any, **options: Any
) -> Verdict:
    """Do two functions of JAX's, traced with these arguments, compute the same? A verdict, as of verify(), whose options it
    takes. Shapes, jax.ShapeDtypeStruct, are as good as arrays; inputs='given' judges by a run on these very arguments."""
    import jax  # type: ignore[import-not-found, unused-ignore]

    # An argument that one of the two does not use stays a parameter of both.
    before, after = (from_jax(jax.jit(f, keep_unused=True), *arguments) for f in (function_a, function_b))
    if isinstance(options.get("inputs"), str) and options["inputs"] == "given":
        options["inputs"] = [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]
    return verify(before, after, **options)


@checked
def reduce(module: Module, property: Callable[[Module], object], max_attempts: int = 1 << 40) -> Module:
    """The smallest module found that still has a property: a function that is given a candidate and says whether. What it
    raises ends the search, and comes out; ValueError: the module does not have it."""
    if not callable(property):
        raise TypeError(f"hloir.reduce takes a function that is given a module and says whether it has the property, not {property!r}")
    return _hloir.reduce(check_module(module, "reduce"), lambda candidate: bool(property(candidate)), max_attempts)


@checked
def register_pass(
    name: str, function: Callable[[Module], bool], description: str = "", *, math: str = "exact"
) -> None:
    """Makes a Python function a pass of that name, for every pipeline. It gets the module, which it may keep no longer
    than the call, and returns whether it changed anything.

    math: how far it may change results; a pipeline that allows less skips it. Where rewrites are decided one by one
    (proposals(), take(), hloir.gym), the whole pass is one of them: it is tried on a copy first, and is on offer if that
    changes. ValueError or hloir.Error: a name that is taken or cannot be written.
    """
    if not callable(function):
        raise TypeError(f"register_pass takes a name and a function, not {function!r}")
    _add_pass(name, function, description or (function.__doc__ or name).strip().splitlines()[0], math)


def pass_names() -> list[str]:
    """The passes there are, those of register_pass and register_rules among them."""
    return _pass_names()


def default_pipeline() -> list[str]:
    """The default pipeline of optimize(), as a list into which passes can be inserted."""
    return _default_pipeline()


def constant_value(instruction: Instruction) -> npt.NDArray[Any]:
    """The value of an array constant, a view of the module's own memory. ValueError: it is not one, or its values were left
    out."""
    if not isinstance(instruction, Instruction):
        raise TypeError(f"constant_value takes an Instruction, not {instruction!r}")
    dtype = dtype_of(instruction.shape)
    return np.frombuffer(instruction._constant_bytes(), np.uint8).view(dtype).reshape(instruction.shape.dimensions)


@checked
def limit_memory(bytes: int) -> None:
    """Bounds the memory of this whole process (Linux's RLIMIT_DATA) from now on, for reading untrusted files: an allocation over
    it raises hloir.Error, or MemoryError outside hloir. 0 removes the limit."""
    _limit_memory(bytes)


def __dir__() -> list[str]:
    return __all__
