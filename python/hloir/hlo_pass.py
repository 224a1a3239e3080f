"""HloEnv's passes by their names, each implemented by hloir's equivalents. `hloir.hloenv.HloPass` is this module.

A pass here is an object that says which passes of hloir it stands for (`passes`, a pipeline in hloir's language) and
runs them, with the freedom in rounding that XLA takes. Some stand for nothing on this machine: what calls a GPU's
libraries, splits work for a GPU's limits, or assigns layouts; `why` says which, and running them changes nothing.

>>> from hloir import HloPass
>>> HloPass.HloCSE(is_layout_sensitive=False).passes
'cse'
>>> HloPass.GpuInstructionFusion(may_duplicate=False).passes
'general-fusion{multi-output=false duplicate=false}'
>>> HloPass.GemmAlgorithmPicker().why
'it chooses among the algorithms of a GPU library'
"""

from __future__ import annotations

import enum
from typing import Any, Mapping

from hloir._hloir import Module, _optimize


class HloPassInterface:
    """A pass that can be given to Pass, Pipeline, AltPipeline and RewritePipeline."""

    passes: str = ""
    """The equivalent passes of hloir, for hloir.optimize; '' if none is needed."""
    why: str = ""
    """Where `passes` is empty, the reason."""

    @property
    def name(self) -> str:
        return type(self).__name__

    def run(self, module: Module) -> bool:
        """Runs it on a module; did that change anything?"""
        if not self.passes:
            return False
        return any(run.changed for run in _optimize(module, self.passes, "rounding", []))

    def __repr__(self) -> str:
        return f"<HloPass.{self.name}: {self.passes or 'nothing, as ' + self.why}>"


def _flag(value: bool) -> str:
    return "true" if value else "false"


# Algebra, cleaning up, control flow.


class AlgebraicSimplifier(HloPassInterface):
    """`options`: XLA's, by name. Those that hloir's rules do not depend on are taken and have no effect."""

    passes = "algebraic-simplifier"
    OPTIONS = frozenset({
        "is_layout_sensitive", "enable_dot_strength_reduction", "enable_dot_to_multiply_rewrite",
        "enable_conv_simplification", "enable_conv_operand_swap", "enable_scalar_multiply_reduction",
        "enable_floats_are_real", "enable_window_reduce_to_reduce_replacement", "very_small_gather_size",
        "cudnn_batchnorm_forward_training_metadata", "enable_reduce_of_reshape", "enable_negative_padding_replacement",
        "enable_sink_broadcast", "replace_transpose_with_bitcast", "minmax_propagate_nan",
    })

    def __init__(self, options: Mapping[str, Any]) -> None:
        unknown = set(options) - self.OPTIONS
        if unknown:
            raise ValueError(f"{sorted(unknown)[0]!r} is not an option of the algebraic simplifier")
        self.options = dict(options)


class CallInliner(HloPassInterface):
    passes = "call-inliner"

    def __init__(self, single_call_site: bool = False, update_domain: bool = False) -> None:
        pass


class ConditionalCanonicalizer(HloPassInterface):
    passes = "conditional-canonicalizer"


class ConditionalSimplifier(HloPassInterface):
    passes = "conditional-simplifier"


class FlattenCallGraph(HloPassInterface):
    passes = "flatten-call-graph"


class HloConstantFolding(HloPassInterface):
    passes = "constant-folding"


class HloCSE(HloPassInterface):
    """With `only_fusion_computations`, as in XLA's pipelines after fusion, hloir's cse processes the whole module as well."""

    passes = "cse"

    def __init__(self, is_layout_sensitive: bool, only_fusion_computations: bool = False) -> None:
        pass


class HloDCE(HloPassInterface):
    passes = "dce"

    def __init__(self, remove_cross_partition_collective_ops: bool = False) -> None:
        pass


class HloVerifier(HloPassInterface):
    """Raises hloir.Error if the module is not legal; changes nothing."""

    why = "it changes nothing"

    def __init__(self, layout_sensitive: bool, allow_mixed_precision: bool) -> None:
        pass

    def run(self, module: Module) -> bool:
        module.verify()
        return False


class ReshapeMover(HloPassInterface):
    passes = "reshape-mover"


class SliceSinker(HloPassInterface):
    passes = "slice-sinker"


class SortSimplifier(HloPassInterface):
    passes = "sort-simplifier"


class TransposeFolding(HloPassInterface):
    passes = "transpose-folding"


class TupleSimplifier(HloPassInterface):
    passes = "tuple-simplifier"

    def __init__(self, exclude_entry_computation: bool = False) -> None:
        pass


class WhileLoopConstantSinking(HloPassInterface):
    passes = "while-loop-constant-sinking"


class WhileLoopSimplifier(HloPassInterface):
    passes = "while-loop-simplifier"


class WhileLoopTripCountAnnotator(HloPassInterface):
    passes = "while-loop-trip-count-annotator"


class ZeroSizedHloElimination(HloPassInterface):
    passes = "zero-sized-hlo-elimination"


# Expanders, shapes, types.


class BatchNormExpander(HloPassInterface):
    """hloir expands all three; without any of them it does nothing."""

    def __init__(
        self, rewrite_training_op: bool = False, rewrite_inference_op: bool = False, rewrite_grad_op: bool = False
    ) -> None:
        if rewrite_training_op or rewrite_inference_op or rewrite_grad_op:
            self.passes = "batchnorm-expander"
        else:
            self.why = "no operation was named"


class BFloat16Normalization(HloPassInterface):
    """This machine's arithmetic supports bf16 nowhere; the argument is about matrix products on a GPU."""

    passes = "float-normalization"

    def __init__(self, supports_matrix_multiplication: bool) -> None:
        pass


class BitcastDtypesExpander(HloPassInterface):
    passes = "bitcast-dtypes-expander"


class ComparisonExpander(HloPassInterface):
    passes = "comparison-expander"


class Convolution4DExpander(HloPassInterface):
    passes = "convolution-4d-expander"


class DotDecomposer(HloPassInterface):
    passes = "dot-decomposer"


class DotMerger(HloPassInterface):
    def __init__(self, max_size_to_merge: int) -> None:
        if max_size_to_merge > 0:
            self.passes = "dot-merger"
        else:
            self.why = "no dot is as small as that"


class DynamicDimensionSimplifier(HloPassInterface):
    passes = "dynamic-dimension-simplifier"


class DynamicIndexSplitter(HloPassInterface):
    passes = "dynamic-index-splitter"


class DynamicPadder(HloPassInterface):
    passes = "dynamic-padder"

    class ShapeCheckMode(enum.Enum):
        kInvalid = 0
        kCompileTime = 1
        kRuntimeTime = 2
        kIgnore = 3

    def __init__(self, options: Mapping[str, Any] = {}) -> None:
        unknown = set(options) - {"slice_dynamic_output", "shape_check_mode"}
        if unknown:
            raise ValueError(f"{sorted(unknown)[0]!r} is not an option of the dynamic padder")


class EighExpander(HloPassInterface):
    passes = "eigh-expander"


class GatherExpander(HloPassInterface):
    """Of the two modes, 'simple gathers' are those of a single slice, which become dynamic slices."""

    class Mode(enum.Enum):
        kEliminateAllGathers = 0
        kEliminateSimpleGathers = 1

    def __init__(self, m: Mode) -> None:
        self.passes = "gather-expander" if m is self.Mode.kEliminateAllGathers else "gather-simplifier"


class GpuScatterExpander(HloPassInterface):
    """GPUs lack atomic updates of some types; here every scatter runs unchanged."""

    why = "it expands what a GPU has no atomic operation for"


class LogisticExpander(HloPassInterface):
    passes = "logistic-expander"

    class LogisticExpansionType(enum.Enum):
        kTanh = 0
        kExp = 1

    def __init__(self, expansion_type: LogisticExpansionType) -> None:
        pass


class OperandUpcaster(HloPassInterface):
    passes = "operand-upcaster"


class OptimizationBarrierExpander(HloPassInterface):
    passes = "optimization-barrier-expander"


class QrExpander(HloPassInterface):
    passes = "qr-expander"


class RealImagExpander(HloPassInterface):
    passes = "real-imag-expander"


class ResultCaster(HloPassInterface):
    passes = "result-caster"


class RngBitGeneratorExpander(HloPassInterface):
    """Instructions with RNG_DEFAULT use hloir's choice of algorithm, which is XLA:CPU's."""

    passes = "rng-bit-generator-expander"

    class RandomAlgorithm(enum.Enum):
        RNG_DEFAULT = 0
        RNG_THREE_FRY = 1
        RNG_PHILOX = 2

    def __init__(self, default_algorithm: RandomAlgorithm) -> None:
        pass


class RngExpander(HloPassInterface):
    passes = "rng-expander"


class ScatterExpander(HloPassInterface):
    """Of the two modes, 'simple scatters' are canonicalized to one list of indices."""

    class Mode(enum.Enum):
        kEliminateAllScatters = 0
        kEliminateSimpleScatters = 1

    def __init__(self, m: Mode) -> None:
        self.passes = "scatter-expander" if m is self.Mode.kEliminateAllScatters else "scatter-simplifier"


class StableSortExpander(HloPassInterface):
    passes = "stable-sort-expander"


# Fusion.


class GeneralFusion(HloPassInterface):
    """Any two loops that may become one, producer and consumer or siblings: HloEnv's own pass, for agents to choose from."""

    passes = "general-fusion"


class GpuInstructionFusion(HloPassInterface):
    """Producers into their consumers, one pair at a time; `may_duplicate`: also cheap ones that have other users."""

    def __init__(self, may_duplicate: bool) -> None:
        self.passes = "general-fusion{multi-output=false duplicate=" + _flag(may_duplicate) + "}"


class FusionMerger(HloPassInterface):
    """Fusions into the fusions that read them."""

    passes = "general-fusion{multi-output=false fusions-only=true}"


class GpuMultiOutputFusion(HloPassInterface):
    """Loops that read the same values, or one the other's, into one with several results, where that saves memory traffic."""

    passes = "fusion{disable=fuse}"


class FusionBitcastLift(HloPassInterface):
    why = "it is about layouts, which are plain here"


class GpuHorizontalInputFusion(HloPassInterface):
    why = "it saves launches of GPU kernels"


class GpuHorizontalLoopFusion(HloPassInterface):
    why = "it saves launches of GPU kernels"


class VariadicOpSplitter(HloPassInterface):
    why = "it splits what has more operands than a GPU kernel takes"


# Collectives and partitioning.


class AllGatherBroadcastReorder(HloPassInterface):
    passes = "all-gather-bcast-reorder"


class _Combiner(HloPassInterface):
    pass_name = ""

    def __init__(self, combine_threshold_in_bytes: int, combine_threshold_count: int) -> None:
        self.passes = (
            f"{self.pass_name}{{max-bytes={combine_threshold_in_bytes} max-operands={combine_threshold_count}}}"
        )


class AllGatherCombiner(_Combiner):
    pass_name = "all-gather-combiner"


class AllReduceCombiner(_Combiner):
    pass_name = "all-reduce-combiner"


class ReduceScatterCombiner(_Combiner):
    pass_name = "reduce-scatter-combiner"


class AllReduceBlueConnect(HloPassInterface):
    why = "it follows the wires between the GPUs of a host"

    def __init__(self, num_devices_per_host: int) -> None:
        pass


class AllReduceContiguous(HloPassInterface):
    passes = "all-reduce-contiguous"


class AllReduceFolder(HloPassInterface):
    passes = "all-reduce-folder"


class AllReduceReassociate(HloPassInterface):
    passes = "all-reduce-reassociate"


class AllToAllDecomposer(HloPassInterface):
    why = "all-to-all of an array runs as it is"

    def __init__(self, decompose_to_tuple: bool = True, min_array_rank: int = 0) -> None:
        pass


class AsyncCollectiveCreator(HloPassInterface):
    passes = "async-collective-creator"


class CollectivesScheduleLinearizer(HloPassInterface):
    passes = "collectives-schedule-linearizer"


class ReduceScatterCreator(HloPassInterface):
    why = "a reduce-scatter is no faster here than the all-reduce and slice it comes from"


class ShardingRemover(HloPassInterface):
    passes = "sharding-remover"


class ShardingPropagation(HloPassInterface):
    """Shardings are only propagated in modules partitioned by SPMD."""

    def __init__(
        self, is_spmd: bool = False, propagate_metadata: bool = False,
        allow_spmd_sharding_propagation_to_output: bool = False, cse_prevention_only: bool = False,
    ) -> None:
        if is_spmd:
            self.passes = "sharding-propagation"
        else:
            self.why = "hloir propagates for SPMD alone"


class StatefulRngSpmdPartitioner(HloPassInterface):
    """The module's own number of partitions counts."""

    passes = "spmd-partitioning"

    def __init__(self, num_partitions: int, num_replicas: int) -> None:
        pass


# For a GPU and its libraries.


class GpuTreeReductionRewriter(HloPassInterface):
    passes = "tree-reduction-rewriter"


class GpuLayoutAssignment(HloPassInterface):
    why = "layouts are plain here"

    def __init__(self, alt_hlo_module: Any) -> None:
        pass


class _Library(HloPassInterface):
    why = "it calls a GPU library"


class CublasPadForGemms(_Library):
    class PrimitiveType(enum.Enum):
        PRIMITIVE_TYPE_INVALID = 0
        PRED = 1
        S8 = 2
        S16 = 3
        S32 = 4
        S64 = 5
        U8 = 6
        U16 = 7
        U32 = 8
        U64 = 9
        F16 = 10
        F32 = 11
        BF16 = 16
        F64 = 12
        C64 = 15
        C128 = 18
        TUPLE = 13
        OPAQUE_TYPE = 14
        TOKEN = 17

    def __init__(self, datatype: PrimitiveType, pad_to_multiple_of: int) -> None:
        pass


class CudnnFusedConvRewriter(_Library):
    pass


class CudnnPadForConvolutions(_Library):
    pass


class CudnnVectorizeConvolutions(_Library):
    pass


class GemmBroadcastFoldingRewriter(_Library):
    pass


class GemmRewriter(_Library):
    pass


class GpuConvPaddingLegalization(_Library):
    pass


class GpuConvRewriter(_Library):
    pass


class GpusolverRewriter(_Library):
    pass


class TriangularSolveRewriter(_Library):
    pass


class GemmAlgorithmPicker(HloPassInterface):
    why = "it chooses among the algorithms of a GPU library"


class GpuConvAlgorithmPicker(HloPassInterface):
    why = "it chooses among the algorithms of a GPU library"


class _Reductions(HloPassInterface):
    why = "it brings reductions into the form that a GPU emitter takes"


class ReductionDegenerateDimRemover(_Reductions):
    pass


class ReductionDimensionGrouper(_Reductions):
    pass


class ReductionLayoutNormalizer(_Reductions):
    pass


class ReductionSplitter(_Reductions):
    pass
