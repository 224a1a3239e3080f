"""HloEnv's environment, by its own names, on any machine: modules, passes and pipelines, rewrites as decisions.

What was written for HloEnv (github.com/sail-sg/hloenv) runs with its import changed:

>>> from hloir.hloenv import AltPipeline, HloEnv, HloPass, Pass
>>> env = HloEnv('''
... HloModule example
... ENTRY main {
...   x = f32[4] parameter(0)
...   y = f32[4] negate(x)
...   ROOT z = f32[4] sine(y)
... }''', 'txt', 'cpu')
>>> env.run(AltPipeline(Pass(HloPass.GeneralFusion())))
True
>>> graph = env.get_hlo_graph()
>>> [graph.node_features.names[i] for i in graph.alternative_indices]
['alternative']
>>> env.apply_alternatives([[graph.node_features.uids[i], 1] for i in graph.alternative_indices])
>>> [i.opcode for i in env.get_hlo_module().module.entry]
['parameter', 'fusion']

The platform, 'gpu' or 'cpu', is read and not asked: hloir runs on this machine's processor. docs/hloenv.md says what
else is another way here than there.
"""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass
from typing import Any, ClassVar, Iterator, Mapping, overload

import numpy as np

import hloir
import hloir.hlo_pass as HloPass
from hloir import _hloir
from hloir._arrays import Executable, dtype_of
from hloir._hlo_module import DebugOptions, EdgeFeats, HloGraph, HloModule, HloModuleConfig, NodeFeats, Offers
from hloir._hloir import Instruction, Module, Shape, _Executable
from hloir.hlo_pass import HloPassInterface

if not _hloir.has_hloenv:
    raise ImportError("this hloir was built without HloEnv's interface (-DHLOIR_HLOENV=OFF)")

__all__ = [
    "AltPipeline", "DebugOptions", "EdgeFeats", "EvaluationResult", "GpuBackend", "HloEnv", "HloGraph", "HloModule",
    "HloModuleConfig", "HloPass", "HloRewriteGraph", "NodeFeats", "Pass", "PassInterface", "Pipeline", "Rewrite",
    "RewritePipeline", "RewriteStatus",
]

_FIXED_POINT = 25  # rounds at most, for a loop_count of -1
_WARM_UP = 3  # runs that are not timed


# Passes and pipelines.


class PassInterface:
    """What HloEnv.run takes. A run that comes to a dry pass stops behind it, so that its alternatives can be decided; the
    next run goes on from there."""

    def __init__(self, name: str, loop_count: int = 1) -> None:
        self._name = name
        self._loop_count = loop_count
        self._round = 0
        self._changed = False
        self._complete = True

    @property
    def name(self) -> str:
        return self._name

    @property
    def changed(self) -> bool:
        """Did the last run change the module?"""
        return self._changed

    @property
    def loop_count(self) -> int:
        return self._loop_count

    def Run(self, hlo_module: HloModule) -> bool:
        """Runs it; true: it stopped behind a dry pass that found something."""
        if self._complete:
            self._round, self._changed, self._complete = 0, False, False
        to_fixed_point = self._loop_count == -1
        rounds = _FIXED_POINT if to_fixed_point else self._loop_count
        while self._round < rounds:
            stopped, changed, finished = self._run_once(hlo_module)
            if finished:
                self._round += 1
                self._changed |= changed
                self._complete = self._round >= rounds
            if stopped:
                return True
            if to_fixed_point and not changed:
                break
        self._complete = True
        return False

    def _run_once(self, hlo_module: HloModule) -> tuple[bool, bool, bool]:
        """Stopped behind a dry pass? Changed anything? Came to the end?"""
        raise NotImplementedError

    def _leaves(self) -> Iterator[Pass]:
        raise NotImplementedError


class Pass(PassInterface):
    """One pass, `loop_count` times; -1: until it changes nothing more."""

    def __init__(self, hlo_pass: HloPassInterface, loop_count: int = 1) -> None:
        super().__init__(hlo_pass.name, loop_count)
        self.hlo_pass = hlo_pass

    def _run_once(self, hlo_module: HloModule) -> tuple[bool, bool, bool]:
        return False, self.hlo_pass.run(hlo_module.module), True

    def _leaves(self) -> Iterator[Pass]:
        yield self


class Pipeline(PassInterface):
    """Passes and pipelines in order, `loop_count` times; -1: until a round changes nothing, 25 times at most."""

    def __init__(self, name: str, loop_count: int = 1) -> None:
        super().__init__(name, loop_count)
        self.passes: list[PassInterface] = []
        self._checkers: list[PassInterface] = []
        self._next = 0
        self._changed_this_round = False

    def add_pass(self, hlo_pass: HloPassInterface | PassInterface, loop_count: int = 1) -> None:
        self.passes.append(Pass(hlo_pass, loop_count) if isinstance(hlo_pass, HloPassInterface) else hlo_pass)

    def add_invariant_checker(self, hlo_pass: HloPassInterface | PassInterface) -> None:
        """A pass that runs before and after each round, and may not change the module."""
        self._checkers.append(Pass(hlo_pass) if isinstance(hlo_pass, HloPassInterface) else hlo_pass)

    def _check(self, hlo_module: HloModule) -> None:
        for checker in self._checkers:
            checker.Run(hlo_module)
            if checker.changed:
                raise RuntimeError(f"the invariant checker {checker.name} changed the module")

    def _run_once(self, hlo_module: HloModule) -> tuple[bool, bool, bool]:
        if self._next == 0:
            self._changed_this_round = False
            self._check(hlo_module)
        while self._next < len(self.passes):
            current = self.passes[self._next]
            stopped = current.Run(hlo_module)
            if current._complete:
                self._changed_this_round |= current.changed
                self._next += 1
            if stopped:
                # Even behind the last pass the round is not over: the next run closes it.
                return True, self._changed_this_round, False
        self._next = 0
        self._check(hlo_module)
        return False, self._changed_this_round, True

    def _leaves(self) -> Iterator[Pass]:
        for each in self.passes:
            yield from each._leaves()


class AltPipeline(PassInterface):
    """Dry: adds the rewrites of the passes to the module as alternatives, for apply_alternatives."""

    def __init__(self, pass_: PassInterface | None = None, loop_count: int = 1, **keywords: PassInterface) -> None:
        pass_ = keywords.pop("pass", pass_)
        if pass_ is None or keywords:
            raise TypeError("AltPipeline and RewritePipeline take a pass and a loop_count")
        super().__init__("alt_" + pass_.name, loop_count)
        self._dry = list(pass_._leaves())
        self.left_out: list[tuple[str, str]] = []
        """Of the last run: rewrites on offer that are not among the alternatives, each with the reason."""

    def add_pass(self, hlo_pass: HloPassInterface | PassInterface, loop_count: int = 1) -> None:
        added = Pass(hlo_pass, loop_count) if isinstance(hlo_pass, HloPassInterface) else hlo_pass
        self._dry.extend(added._leaves())

    def _leaves(self) -> Iterator[Pass]:
        yield from self._dry

    def _find(self, hlo_module: HloModule) -> tuple[Module, list[_hloir.Rewrite]]:
        text = ",".join(each.hlo_pass.passes for each in self._dry if each.hlo_pass.passes)
        if not text:
            return hlo_module.module, []
        module, rewrites, self.left_out = _hloir._alternatives(hlo_module.module, text)
        return module, rewrites

    def _run_once(self, hlo_module: HloModule) -> tuple[bool, bool, bool]:
        module, rewrites = self._find(hlo_module)
        if rewrites:
            hlo_module.module = module
        return bool(rewrites), bool(rewrites), True


class RewritePipeline(AltPipeline):
    """Dry: what the passes would rewrite is kept beside the module, for get_hlo_rewrite_graph to show and apply_rewrites
    to make."""

    def _run_once(self, hlo_module: HloModule) -> tuple[bool, bool, bool]:
        module, rewrites = self._find(hlo_module)
        hlo_module._offers = Offers(hlo_module.hash(), module, rewrites)
        return bool(rewrites), bool(rewrites), True


# Rewrites.


class RewriteStatus(enum.Enum):
    """The outcome of a rewrite in apply_rewrites."""

    OK = 0
    ADJACENCY = 1  # it shares an instruction with one that was made
    CYCLE = 2  # never here: what would close a cycle is not on offer
    PRUNED = 3  # never here
    ORIG_INST_DELETED = 4  # never here: such rewrites are adjacent
    ALREADY_APPLIED = 5


class Rewrite:
    """A subgraph and its replacement by a pass."""

    def __init__(self, module: Module, rewrite: _hloir.Rewrite, order_idx: int, uids: Mapping[str, int]) -> None:
        self._rewrite = rewrite
        self._uids = uids
        self.pass_name: str = rewrite.pass_name
        self.order_idx = order_idx
        self._alternative, self._operand = next(
            (alternative, k)
            for alternative in _hloir._alternatives_of(module)
            for k, (found, _) in enumerate(_hloir._choices(alternative), 1)
            if found == rewrite.id
        )

    @property
    def id(self) -> str:
        return self._rewrite.id

    def _boundary(self) -> dict[int, Instruction]:
        """Common parts of both ways."""
        ways = [_above(self._alternative.operands[k]) for k in (0, self._operand)]
        return {i: ways[0][i] for i in ways[0].keys() & ways[1].keys()}

    def _subgraph(self, operand: int) -> HloModule:
        boundary = list(self._boundary().values())
        return HloModule(_hloir._cone(self._alternative.operands[operand], -1, boundary))

    @property
    def orig_subgraph(self) -> HloGraph:
        return HloGraph(self._subgraph(0))

    @property
    def replacement_subgraph(self) -> HloGraph:
        return HloGraph(self._subgraph(self._operand))

    @property
    def orig_subgraph_uids(self) -> list[int]:
        """The uids of the replaced instructions, in the graph of the module."""
        source, boundary = self._alternative.operands[0], self._boundary()
        return [self._uids[i.name] for k, i in _above(source).items() if k not in boundary and i.name in self._uids]

    def orig_subgraph_to_str(self) -> str:
        return self._subgraph(0).to_string()

    def replacement_subgraph_to_str(self) -> str:
        return self._subgraph(self._operand).to_string()

    def __repr__(self) -> str:
        return f"<Rewrite {self.order_idx}: {self._rewrite.id}>"


def _above(instruction: Instruction) -> dict[int, Instruction]:
    """It and all that it needs, by id."""
    found = {instruction.id: instruction}
    stack = [instruction]
    while stack:
        for operand in stack.pop().operands:
            if operand.id not in found:
                found[operand.id] = operand
                stack.append(operand)
    return found


class HloRewriteGraph:
    """The rewrites that a RewritePipeline found, and which of them exclude each other."""

    def __init__(self, hlo_module: HloModule) -> None:
        offers = hlo_module._current_offers()
        module, rewrites = offers.module, offers.rewrites
        nodes = HloGraph(hlo_module).node_features
        uids = {name: int(uid) for name, uid in zip(nodes.names, nodes.uids)}
        self.rewrite_data = [Rewrite(module, rewrite, k, uids) for k, rewrite in enumerate(rewrites)]
        places = {rewrite.id: k for k, rewrite in enumerate(rewrites)}
        self.adjacency_matrix = [[k == other for other in range(len(rewrites))] for k in range(len(rewrites))]
        """True where of two rewrites only one can be made; each excludes itself."""
        by_source: dict[int, list[int]] = {}
        for alternative in _hloir._alternatives_of(module):
            for rewrite, conflicts in _hloir._choices(alternative):
                here = places[rewrite]
                by_source.setdefault(alternative.id, []).append(here)
                for conflict in conflicts:
                    self._connect(here, places[conflict])
        for sharing in by_source.values():
            for k in sharing:
                for other in sharing:
                    self._connect(k, other)

    def _connect(self, a: int, b: int) -> None:
        self.adjacency_matrix[a][b] = self.adjacency_matrix[b][a] = True

    @property
    def num_rewrites(self) -> int:
        return len(self.rewrite_data)

    def log(self) -> None:
        """Prints each rewrite with removed and new instructions."""
        for rewrite in self.rewrite_data:
            print(f"{rewrite.order_idx}: {rewrite.id}")
            print(rewrite._rewrite)


# The environment.


@dataclass(frozen=True)
class EvaluationResult:
    """Of HloEnv.evaluate; durations in nanoseconds, one per run."""

    durations: list[int]
    """Of the run itself."""
    compute_durations: list[int]
    """The same: nothing has to be brought to a device."""
    full_durations: list[int]
    """With the making of the result's arrays."""
    output: list[list[Any]]
    """output[0][0] is the result, an array or a tuple."""


class GpuBackend:
    """The GPU queries of pipelines; there is none."""

    stream_exec_platform: ClassVar[str] = "Host"

    class CudaComputeCapability(enum.IntEnum):
        PASCAL = 6
        VOLTA = 7
        AMPERE = 8

    @staticmethod
    def cuda_is_at_least(other_major: int, other_minor: int = 1) -> bool:
        return False


def _random_argument(shape: Shape, numbers: np.random.Generator) -> Any:
    """Floats from the normal distribution, all else zero, as HloEnv has it."""
    if shape.is_tuple:
        return tuple(_random_argument(element, numbers) for element in shape.tuple_shapes)
    dtype = dtype_of(shape)
    if shape.element_type in ("f16", "bf16", "f32", "f64"):
        return np.asarray(numbers.standard_normal(shape.dimensions)).astype(dtype)
    return np.zeros(shape.dimensions, dtype)


class HloEnv:
    """Holds a module, runs passes on it, evaluates it, and has its rewrites decided."""

    @overload
    def __init__(self, hlo_filepath: str, platform: str) -> None: ...
    @overload
    def __init__(self, hlo_data: str, format: str, platform: str) -> None: ...
    @overload
    def __init__(self, alt_hlo_module: HloModule, platform: str) -> None: ...

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        given = list(arguments)
        for name in ("hlo_filepath", "hlo_data", "alt_hlo_module", "format", "platform"):
            if name in keywords:
                given.append(keywords.pop(name))
        if keywords or len(given) not in (2, 3) or (len(given) == 3 and isinstance(given[0], HloModule)):
            raise TypeError("HloEnv takes a path or an HloModule and a platform; or a text, its format and a platform")
        if given[-1] not in ("gpu", "cpu"):
            raise ValueError("the platform is 'gpu' or 'cpu'")
        self._hlo_module = (
            given[0] if isinstance(given[0], HloModule) else HloModule(given[0], given[1] if len(given) == 3 else "path")
        )

    # The module.

    def get_hlo_module(self) -> HloModule:
        return self._hlo_module

    def clone_hlo(self) -> HloModule:
        """A copy of the module, to come back to."""
        return self._hlo_module.clone()

    def load_hlo(self, hlo_module: HloModule | str, format: str = "path") -> None:
        """Takes a copy of a module; or reads a file, or with the format 'txt' a text."""
        self._hlo_module = hlo_module.clone() if isinstance(hlo_module, HloModule) else HloModule(hlo_module, format)

    def export_hlo_to_str(self) -> str:
        return self._hlo_module.to_string()

    def get_hlo_module_hash(self) -> int:
        return self._hlo_module.hash()

    def get_hlo_graph(
        self, debug: bool = False, inline_fused_comp: bool = False, do_hash_verification: bool = False
    ) -> HloGraph:
        """The module as arrays. inline_fused_comp: with edges into called bodies and out of them."""
        return HloGraph(self._hlo_module, debug, inline_fused_comp, do_hash_verification)

    def verify_module(self) -> bool:
        """Is it legal HLO?"""
        try:
            self._hlo_module.module.verify()
        except Exception as error:
            if type(error).__name__ != "Error":
                raise
            return False
        return True

    # Running passes.

    def run(self, pass_pipeline: PassInterface) -> bool:
        """Runs a pass or pipeline; true: it stopped behind a dry one, and its alternatives or rewrites are to be decided."""
        return pass_pipeline.Run(self._hlo_module)

    def optimize_hlo_module(self) -> None:
        """XLA's pipeline for a GPU, of the passes that HloPass has: the baseline for decisions. (hloir.optimize is hloir's
        own pipeline.)"""
        for passes, rounds in _XLA_PIPELINE:
            for _ in range(rounds):
                module = self._hlo_module.module
                runs = [_hloir._optimize(module, each, "rounding", [])[0] for each in passes.split(",")]
                if not any(run.changed for run in runs):
                    break

    def prepare_for_eval(self) -> None:
        """XLA inserts copies for its emitter here; hloir needs none."""

    prepare_hlo_module_for_ir_emitting = prepare_for_eval

    # Decisions.

    def apply_alternatives(self, decisions: Any) -> None:
        """Decides the alternatives of the module: rows of (node, operand), the node by its uid or its index, operand 0 the
        source. Of two decisions that exclude each other the first holds; the source stands for the other."""
        rows = np.asarray(decisions, dtype=np.int64)
        graph = self.get_hlo_graph()
        indices = graph.alternative_indices
        if rows.ndim != 2 or rows.shape != (len(indices), 2):
            raise ValueError(f"decisions are rows of (node, operand), one for each of {len(indices)} alternatives")
        by_id = {alternative.id: alternative for alternative in _hloir._alternatives_of(self._hlo_module.module)}
        by_node = {int(node): by_id[int(k)] for node, k in zip(indices, graph._alternative_ids)}
        by_node |= {int(graph.node_features.uids[node]): by_node[int(node)] for node in indices}
        for node in rows[:, 0]:
            if int(node) not in by_node:
                raise ValueError(f"{node} is the uid or index of no alternative")
        chosen = [(by_node[int(node)], int(operand)) for node, operand in rows]
        _hloir._resolve(self._hlo_module.module, chosen)

    def get_hlo_rewrite_graph(self) -> HloRewriteGraph:
        """The result of the last RewritePipeline for the current module."""
        return HloRewriteGraph(self._hlo_module)

    def apply_rewrites(self, decisions: Any) -> list[tuple[int, RewriteStatus]]:
        """Makes these rewrites, by their indices in the rewrite graph, in this order; returns the outcome of each."""
        offers = self._hlo_module._current_offers()
        module, rewrites = offers.module, offers.rewrites
        places = [int(k) for k in np.asarray(decisions, dtype=np.int64)]
        if any(not 0 <= k < len(rewrites) for k in places):
            raise ValueError(f"there are {len(rewrites)} rewrites")
        where = {
            rewrite: (alternative, k)
            for alternative in _hloir._alternatives_of(module)
            for k, (rewrite, _) in enumerate(_hloir._choices(alternative), 1)
        }
        results: list[tuple[int, RewriteStatus]] = []
        fresh = list(dict.fromkeys(places))
        outcomes = dict(zip(fresh, _hloir._resolve(module, [where[rewrites[k].id] for k in fresh])))
        seen: set[int] = set()
        for k in places:
            status = RewriteStatus.ADJACENCY if outcomes[k][1] else RewriteStatus.OK
            results.append((k, RewriteStatus.ALREADY_APPLIED if k in seen else status))
            seen.add(k)
        self._hlo_module.module, self._hlo_module._offers = module, None
        return results

    def apply_all_rewrites_debug(self) -> None:
        """Makes all that do not exclude each other, the first first."""
        self.apply_rewrites(list(range(len(self._hlo_module._current_offers().rewrites))))

    # Running the module.

    def evaluate(self, times: int = 20, do_not_prep_for_eval: bool = False) -> EvaluationResult:
        """Runs the module on generated inputs: three warm-up runs, then `times` runs."""
        executable = Executable(_Executable(self._hlo_module.module, 0, "", {}))
        numbers = np.random.default_rng(0)
        arguments = [_random_argument(shape, numbers) for shape in executable.parameter_shapes]
        full: list[int] = []
        durations: list[int] = []
        result: Any = None
        for _ in range(times + _WARM_UP):
            begin = time.perf_counter_ns()
            result = executable(*arguments)
            full.append(time.perf_counter_ns() - begin)
            begin = time.perf_counter_ns()
            executable(*arguments, out=result)
            durations.append(time.perf_counter_ns() - begin)
        durations, full = durations[_WARM_UP:], full[_WARM_UP:]
        return EvaluationResult(durations, list(durations), full, [[result]])

    def has_equal_output(self, first_module: HloModule, second_module: HloModule, times: int = 1) -> bool:
        """True if two modules agree within rounding error on `times` sets of generated inputs."""
        return all(bool(hloir.verify(first_module.module, second_module.module, seed)) for seed in range(times))

    def has_equal_output_as(self, other_module: HloModule, times: int = 1) -> bool:
        return self.has_equal_output(self._hlo_module, other_module, times)


_SIMPLIFY = (
    "zero-sized-hlo-elimination,gather-simplifier,scatter-simplifier,algebraic-simplifier,bitcast-dtypes-expander,"
    "dot-decomposer,dot-merger,sort-simplifier,tuple-simplifier,while-loop-constant-sinking,while-loop-simplifier,"
    "reshape-mover,constant-folding,conditional-simplifier,real-imag-expander,transpose-folding,cse,dce"
)
# XLA's order of 2022 for a GPU, in hloir's passes; with how often each part runs at most.
_XLA_PIPELINE: tuple[tuple[str, int], ...] = (
    ("operand-upcaster,result-caster,rng-expander,rng-bit-generator-expander,comparison-expander,"
     "zero-sized-hlo-elimination,qr-expander,eigh-expander,dynamic-index-splitter,call-inliner,dot-decomposer,"
     "convolution-4d-expander,stable-sort-expander,float-normalization,batchnorm-expander,logistic-expander,"
     "conditional-canonicalizer,dynamic-dimension-simplifier,dynamic-padder", 1),
    (_SIMPLIFY, _FIXED_POINT),
    ("while-loop-trip-count-annotator", 1),
    ("call-inliner,tuple-simplifier", 1),
    ("algebraic-simplifier", _FIXED_POINT),
    ("constant-folding,flatten-call-graph,constant-folding", 1),
    ("tree-reduction-rewriter", _FIXED_POINT),
    ("algebraic-simplifier", _FIXED_POINT),
    ("transpose-folding,float-normalization,tuple-simplifier,cse", 1),
    ("general-fusion{multi-output=false duplicate=false},general-fusion{multi-output=false duplicate=true},"
     "general-fusion{multi-output=false fusions-only=true},fusion{disable=fuse},cse,dce", _FIXED_POINT),
    ("cse,dce", _FIXED_POINT),
    ("all-gather-combiner{max-bytes=1073741824 max-operands=256},all-reduce-combiner,reduce-scatter-combiner,"
     "collectives-schedule-linearizer,algebraic-simplifier,optimization-barrier-expander,tuple-simplifier", 1),
)
