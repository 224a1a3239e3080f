"""HloEnv's modules and graphs: HloModule with its parts, and HloGraph, a module as numpy arrays. See hloenv.py."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any, Mapping

import numpy as np

from hloir import _hloir
from hloir._hloir import Instruction, Module


@dataclass(frozen=True)
class DebugOptions:
    """XLA's flags used by pipelines, with XLA's default values."""

    xla_llvm_enable_alias_scope_metadata: bool = True
    xla_llvm_enable_noalias_metadata: bool = True
    xla_llvm_enable_invariant_load_metadata: bool = True
    xla_llvm_disable_expensive_passes: bool = False
    xla_backend_optimization_level: int = 3
    xla_gpu_deterministic_ops: bool = False
    xla_gpu_autotune_level: int = 4
    xla_cpu_multi_thread_eigen: bool = True
    xla_gpu_cuda_data_dir: str = ""
    xla_gpu_asm_extra_flags: str = ""
    xla_eliminate_hlo_implicit_broadcast: bool = True
    xla_dump_hlo_as_html: bool = False
    xla_dump_fusion_visualization: bool = False
    xla_dump_include_timestamp: bool = False
    xla_dump_max_hlo_modules: int = -1
    xla_dump_module_metadata: bool = False
    xla_dump_hlo_as_long_text: bool = False
    xla_cpu_use_mkl_dnn: bool = False
    xla_gpu_max_kernel_unroll_factor: int = 4
    xla_gpu_disable_multi_streaming: bool = False
    xla_cpu_enable_fast_math: bool = False
    xla_cpu_fast_math_honor_nans: bool = True
    xla_cpu_fast_math_honor_infs: bool = True
    xla_cpu_fast_math_honor_functions: bool = True
    xla_cpu_fast_math_honor_division: bool = True
    xla_cpu_enable_fast_min_max: bool = True
    xla_gpu_enable_cudnn_frontend: bool = False
    xla_gpu_enable_fast_min_max: bool = False
    xla_gpu_strict_conv_algorithm_picker: bool = True
    xla_allow_excess_precision: bool = True
    xla_force_host_platform_device_count: int = 1
    xla_gpu_all_reduce_combine_threshold_bytes: int = 30 << 20
    xla_gpu_all_reduce_contiguous: bool = False
    xla_gpu_all_reduce_blueconnect_num_devices_per_host: int = 0
    xla_gpu_enable_async_all_reduce: bool = False
    xla_cpu_enable_xprof_traceme: bool = False
    xla_gpu_unsafe_fallback_to_driver_on_ptxas_not_found: bool = False
    xla_multiheap_size_constraint_per_heap: int = -1
    xla_detailed_logging_and_dumping: bool = True
    xla_gpu_bef_executable: bool = False
    xla_gpu_bef_thunk: bool = False
    xla_gpu_nccl_termination_timeout_seconds: int = -1
    xla_gpu_enable_shared_constants: bool = True
    xla_gpu_redzone_scratch_max_megabytes: int = 4096


@dataclass(frozen=True)
class HloModuleConfig:
    """The options with which a module is compiled."""

    debug_options: DebugOptions = field(default_factory=DebugOptions)
    seed: int = 42
    launch_id: int = 0
    replica_count: int = 1
    num_partitions: int = 1
    use_spmd_partitioning: bool = False
    use_auto_spmd_partitioning: bool = False
    deduplicate_hlo: bool = False
    intra_op_parallelism_threads: int = -1
    has_static_device_assignment: bool = False
    alias_passthrough_params: bool = False
    content_aware_computation_sorting: bool = True
    phase_index: int = 0
    allow_spmd_sharding_propagation_to_output: bool = False


@dataclass(frozen=True)
class Offers:
    """The result of a RewritePipeline for the module of this hash: the module with alternatives, and the rewrites."""

    of: int
    module: Module
    rewrites: list[_hloir.Rewrite]


class HloModule:
    """A module of HLO; `module` is the hloir.Module that it holds."""

    _offers: Offers | None = None

    def __init__(self, input: str | Module, format: str = "path") -> None:
        """Reads a file, or with the format 'txt' a text, in which constants of left-out values, {...}, are zeros; or takes
        a hloir.Module."""
        if isinstance(input, Module):
            self.module = input
            return
        if format == "path":
            self.module = _hloir.read(input)
        elif format == "txt":
            self.module = _hloir._parse_text(input, "<text>")
        else:
            raise ValueError("the format is 'path' or 'txt'")
        _hloir._take_elided_as_zeros(self.module)

    @property
    def config(self) -> HloModuleConfig:
        return HloModuleConfig(replica_count=self.module.replica_count, num_partitions=self.module.num_partitions)

    def to_string(self) -> str:
        """Its complete text, which reads back to the same module."""
        return str(self.module)

    def hash(self) -> int:
        """A hash of its structure, without names and metadata."""
        return self.module.hash

    def clone(self) -> HloModule:
        return HloModule(self.module.clone())

    @property
    def instruction_count(self) -> int:
        return self.module.instruction_count

    @property
    def computation_count(self) -> int:
        return len(self.module.computations)

    def is_bef_enabled(self) -> bool:
        """XLA's executables in the binary executable format: there are none here."""
        return False

    def cost_analysis(self) -> dict[str, float]:
        """As XLA's HloCostAnalysis has them: 'flops', 'transcendentals' and 'bytes accessed'. 'optimal_seconds' is 0, as
        XLA has it too where no rates are given."""
        cost: Mapping[str, Any] = self.module.cost()["once"]
        return {
            "flops": float(cost["flops"]),
            "transcendentals": float(cost["transcendentals"]),
            "bytes accessed": float(cost["bytes"]),
            "optimal_seconds": 0.0,
        }

    def extract_random_submodule(self, instruction_count_threshold: int, height: int) -> HloModule | None:
        """A random instruction with what it needs, up to `height` steps; parameters stand for what is above. None if ten
        tries give none of at least `instruction_count_threshold` instructions (and without calls)."""
        smallest = 10
        if self.instruction_count < max(smallest, instruction_count_threshold):
            return None
        computations = [c for c in self.module.computations if len(c) > smallest]
        if not computations:
            return None
        instructions = random.choice(computations).instructions
        for _ in range(10):
            part = _hloir._cone(random.choice(instructions), height, [])
            calls = any(i.opcode == "call" for c in part.computations for i in c)
            if part.instruction_count >= instruction_count_threshold and not calls:
                return HloModule(part)
        return None

    def extract_instructions_as_module(self, repeat: int = 1000) -> list[tuple[str, HloModule]]:
        """Each instruction that calls nothing, as text, with a module that runs it `repeat` times, one after the other."""
        return [
            (str(i), HloModule(_hloir._repeat(i, repeat)))
            for computation in self.module.computations
            for i in computation
            if not i.called and i.opcode != "parameter" and _may_repeat(i)
        ]

    def extract_fusions_as_module(self, repeat: int = 1000) -> list[HloModule]:
        """Each fusion of the entry computation as a module that runs it `repeat` times."""
        return [HloModule(_hloir._repeat(i, repeat)) for i in self.module.entry if i.opcode == "fusion"]

    def _current_offers(self) -> Offers:
        if self._offers is not None and self._offers.of == self.hash():
            return self._offers
        return Offers(self.hash(), self.module.clone(), [])

    def __repr__(self) -> str:
        return f"<HloModule {self.module.name}, {self.instruction_count} instructions>"


def _may_repeat(instruction: Instruction) -> bool:
    """Excludes instructions that communicate with other devices or the host, which a separate module cannot have."""
    return instruction.opcode not in _OUTSIDE and "custom_call_has_side_effect" not in instruction.attributes


_OUTSIDE = frozenset({
    "all-gather", "all-gather-start", "all-gather-done", "all-reduce", "all-reduce-start", "all-reduce-done",
    "all-to-all", "async-done", "async-start", "async-update", "collective-broadcast", "collective-permute",
    "collective-permute-done", "collective-permute-start", "copy-done", "copy-start", "infeed", "outfeed",
    "partition-id", "ragged-all-to-all", "recv", "recv-done", "reduce-scatter", "replica-id", "rng",
    "rng-get-and-update-state", "send", "send-done",
})


# The graph.


class _Features:
    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self.__dict__.update(arrays)


class NodeFeats(_Features):
    """One entry per instruction; of `opcode_attrs` as many as `num_opcode_attrs` says, which has two per instruction."""

    uids: np.ndarray[Any, np.dtype[np.int32]]
    names: list[str]
    gids: np.ndarray[Any, np.dtype[np.int64]]
    fused_comp_ids: np.ndarray[Any, np.dtype[np.int64]]
    num_users: np.ndarray[Any, np.dtype[np.int32]]
    num_operands: np.ndarray[Any, np.dtype[np.int32]]
    opcodes: np.ndarray[Any, np.dtype[np.int32]]
    opcode_attrs: np.ndarray[Any, np.dtype[np.int32]]
    num_opcode_attrs: np.ndarray[Any, np.dtype[np.int32]]
    is_alternative: np.ndarray[Any, np.dtype[np.uint8]]
    is_in_fusion: np.ndarray[Any, np.dtype[np.uint8]]
    in_tensor_sizes: np.ndarray[Any, np.dtype[np.int64]]
    out_tensor_sizes: np.ndarray[Any, np.dtype[np.int64]]
    has_max_in_tensor: np.ndarray[Any, np.dtype[np.uint8]]
    has_max_out_tensor: np.ndarray[Any, np.dtype[np.uint8]]
    normalized_num_group_inst: np.ndarray[Any, np.dtype[np.float32]]


class EdgeFeats(_Features):
    """One entry per edge; of dims, layouts and lehmercodes eight."""

    uids: np.ndarray[Any, np.dtype[np.int64]]
    srcs: np.ndarray[Any, np.dtype[np.int32]]
    dsts: np.ndarray[Any, np.dtype[np.int32]]
    dims: np.ndarray[Any, np.dtype[np.int64]]
    layouts: np.ndarray[Any, np.dtype[np.int64]]
    lehmercodes: np.ndarray[Any, np.dtype[np.int64]]
    types: np.ndarray[Any, np.dtype[np.uint8]]
    dtypes: np.ndarray[Any, np.dtype[np.int32]]

    def get_tensor_size(self, index: int) -> int:
        """The number of elements of an edge's value."""
        return abs(int(np.prod(self.dims[8 * index : 8 * index + 8])))


class HloGraph:
    """A module as arrays: node i's operands are in_edge_indices[in_edge_offsets[i]:in_edge_offsets[i + 1]], its users the
    same of out_edge_…; the features of edges are in the same order."""

    node_features: NodeFeats
    in_edge_features: EdgeFeats
    out_edge_features: EdgeFeats
    in_edge_offsets: np.ndarray[Any, np.dtype[np.int64]]
    in_edge_indices: np.ndarray[Any, np.dtype[np.int64]]
    out_edge_offsets: np.ndarray[Any, np.dtype[np.int64]]
    out_edge_indices: np.ndarray[Any, np.dtype[np.int64]]
    alternative_indices: np.ndarray[Any, np.dtype[np.int32]]
    opcode_attr_counts: np.ndarray[Any, np.dtype[np.int32]]
    _alternative_ids: np.ndarray[Any, np.dtype[np.int32]]

    def __init__(
        self, hlo_module: HloModule | Module, debug: bool = False, inline_fused_comp: bool = False,
        do_hash_verification: bool = False,
    ) -> None:
        module = hlo_module.module if isinstance(hlo_module, HloModule) else hlo_module
        arrays: dict[str, Any] = dict(_hloir._graph_arrays(module, inline_fused_comp))
        arrays["node_features"] = NodeFeats(arrays["node_features"])
        arrays["in_edge_features"] = EdgeFeats(arrays["in_edge_features"])
        arrays["out_edge_features"] = EdgeFeats(arrays["out_edge_features"])
        self.__dict__.update(arrays)
        self._hash: int = module.hash

    def hash(self) -> int:
        """That of the module it was made of."""
        return self._hash

    def get_graph_load_errors(self) -> int:
        return 0
