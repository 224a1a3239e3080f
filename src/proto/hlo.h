// The messages of XLA's hlo.proto, from an instruction up to the snapshots; in the form that xla_data.h explains.
#pragma once

#include "xla_data.h"

namespace hloir::proto {

struct SliceDimensions {
  int64_t start = 0, limit = 0, stride = 0;
};
template <class IO>
void Fields(IO& io, SliceDimensions& m) {
  io(1, "start", m.start);
  io(2, "limit", m.limit);
  io(3, "stride", m.stride);
}

// `unread`: fields that are not listed here, as they came.
struct Instruction {
  std::string unread;
  std::string_view name, opcode, fusion_kind, custom_call_target, comparison_direction, comparison_type,
      async_execution_thread;
  Bytes outfeed_config, infeed_config, backend_config, custom_call_opaque;
  std::optional<Shape> shape, outfeed_shape;
  std::optional<OpMetadata> metadata;
  std::optional<Literal> literal;
  int64_t parameter_number = 0, tuple_index = 0, feature_group_count = 0, batch_group_count = 0, exponent_bits = 0,
          mantissa_bits = 0, distribution = 0, feature_index = 0, channel_id = 0, fft_type = 0, id = 0,
          all_reduce_id = 0, custom_call_schedule = 0, delta = 0, rng_algorithm = 0, padding_type = 0,
          custom_call_api_version = 0, k = 0, num_carries = 0, is_associative = 0, conv_kind = 0;
  float epsilon = 0;
  Int64s dimensions, dynamic_slice_sizes, fft_length, gather_slice_sizes, operand_ids, control_predecessor_ids,
      called_computation_ids;
  std::optional<Window> window;
  std::optional<ConvolutionDimensionNumbers> convolution_dimension_numbers;
  std::vector<SliceDimensions> slice_dimensions;
  std::optional<PaddingConfig> padding_config;
  std::optional<DotDimensionNumbers> dot_dimension_numbers;
  std::optional<RaggedDotDimensionNumbers> ragged_dot_dimension_numbers;
  std::optional<GatherDimensionNumbers> gather_dimension_numbers;
  std::optional<ScatterDimensionNumbers> scatter_dimension_numbers;
  std::optional<OpSharding> sharding, domain_entry_sharding, domain_exit_sharding;
  std::vector<ReplicaGroup> replica_groups;
  std::optional<CollectiveDeviceList> collective_device_list;
  std::optional<IotaReplicaGroupList> iota_collective_device_list;
  std::optional<MeshAxesReplicaGroupList> mesh_axes_replica_group_list;
  std::optional<PrecisionConfig> precision_config;
  std::vector<SourceTarget> source_target_pairs;
  std::vector<Shape> operand_shapes_with_layout;
  std::optional<TriangularSolveOptions> triangular_solve_options;
  std::optional<CholeskyOptions> cholesky_options;
  std::optional<ParameterReplication> parameter_replication;
  std::vector<OutputOperandAliasing> output_operand_aliasing;
  std::optional<FrontendAttributes> frontend_attributes;
  std::optional<StatisticsViz> statistics_viz;
  std::optional<OriginalValue> original_value;
  std::optional<ResultAccuracy> result_accuracy;
  std::optional<SparsityConfig> sparsity_config;
  std::optional<int64_t> cross_program_prefetch_index;
  bool use_global_device_ids = false, is_host_transfer = false, is_stable = false, constrain_layout = false,
       custom_call_has_side_effect = false, indices_are_sorted = false, unique_indices = false,
       is_cross_program_prefetch = false, largest = false, is_composite = false, is_reverse = false;
};
template <class IO>
void Fields(IO& io, Instruction& m) {
  io(1, "name", m.name);
  io(2, "opcode", m.opcode);
  io(3, "shape", m.shape);
  io(7, "metadata", m.metadata);
  io(8, "literal", m.literal);
  io(9, "parameter_number", m.parameter_number);
  io(11, "fusion_kind", m.fusion_kind);
  io(13, "tuple_index", m.tuple_index);
  io(14, "dimensions", m.dimensions);
  io(15, "window", m.window);
  io(16, "convolution_dimension_numbers", m.convolution_dimension_numbers);
  io(17, "slice_dimensions", m.slice_dimensions);
  io(18, "exponent_bits", m.exponent_bits);
  io(19, "mantissa_bits", m.mantissa_bits);
  io(20, "dynamic_slice_sizes", m.dynamic_slice_sizes);
  io(21, "padding_config", m.padding_config);
  io(22, "outfeed_config", m.outfeed_config);
  io(23, "distribution", m.distribution);
  io(24, "epsilon", m.epsilon);
  io(25, "feature_index", m.feature_index);
  io(26, "channel_id", m.channel_id);
  io(27, "infeed_config", m.infeed_config);
  io(28, "custom_call_target", m.custom_call_target);
  io(29, "outfeed_shape", m.outfeed_shape);
  io(30, "dot_dimension_numbers", m.dot_dimension_numbers);
  io(31, "fft_type", m.fft_type);
  io(32, "fft_length", m.fft_length);
  io(33, "gather_dimension_numbers", m.gather_dimension_numbers);
  io(34, "gather_slice_sizes", m.gather_slice_sizes);
  io(35, "id", m.id);
  io(36, "operand_ids", m.operand_ids);
  io(37, "control_predecessor_ids", m.control_predecessor_ids);
  io(38, "called_computation_ids", m.called_computation_ids);
  io(40, "sharding", m.sharding);
  io(43, "backend_config", m.backend_config);
  io(45, "all_reduce_id", m.all_reduce_id);
  io(47, "is_host_transfer", m.is_host_transfer);
  io(48, "scatter_dimension_numbers", m.scatter_dimension_numbers);
  io(49, "replica_groups", m.replica_groups);
  io(50, "feature_group_count", m.feature_group_count);
  io(51, "precision_config", m.precision_config);
  io(52, "source_target_pairs", m.source_target_pairs);
  io(53, "custom_call_opaque", m.custom_call_opaque);
  io(54, "domain_entry_sharding", m.domain_entry_sharding);
  io(55, "domain_exit_sharding", m.domain_exit_sharding);
  io(56, "constrain_layout", m.constrain_layout);
  io(57, "operand_shapes_with_layout", m.operand_shapes_with_layout);
  io(58, "batch_group_count", m.batch_group_count);
  io(59, "triangular_solve_options", m.triangular_solve_options);
  io(60, "is_stable", m.is_stable);
  io(61, "parameter_replication", m.parameter_replication);
  io(62, "cholesky_options", m.cholesky_options);
  io(63, "comparison_direction", m.comparison_direction);
  io(65, "custom_call_has_side_effect", m.custom_call_has_side_effect);
  io(66, "delta", m.delta);
  io(67, "indices_are_sorted", m.indices_are_sorted);
  io(68, "frontend_attributes", m.frontend_attributes);
  io(69, "unique_indices", m.unique_indices);
  io(70, "rng_algorithm", m.rng_algorithm);
  io(71, "use_global_device_ids", m.use_global_device_ids);
  io(72, "comparison_type", m.comparison_type);
  io(73, "is_cross_program_prefetch", m.is_cross_program_prefetch);
  io(74, "output_operand_aliasing", m.output_operand_aliasing);
  io(75, "padding_type", m.padding_type);
  io(76, "custom_call_schedule", m.custom_call_schedule);
  io(77, "custom_call_api_version", m.custom_call_api_version);
  io(79, "async_execution_thread", m.async_execution_thread);
  io(80, "cross_program_prefetch_index", m.cross_program_prefetch_index);
  io(81, "k", m.k);
  io(82, "statistics_viz", m.statistics_viz);
  io(85, "largest", m.largest);
  io(87, "collective_device_list", m.collective_device_list);
  io(88, "original_value", m.original_value);
  io(89, "is_composite", m.is_composite);
  io(90, "ragged_dot_dimension_numbers", m.ragged_dot_dimension_numbers);
  io(91, "result_accuracy", m.result_accuracy);
  io(92, "iota_collective_device_list", m.iota_collective_device_list);
  io(93, "mesh_axes_replica_group_list", m.mesh_axes_replica_group_list);
  io(94, "is_reverse", m.is_reverse);
  io(95, "num_carries", m.num_carries);
  io(96, "is_associative", m.is_associative);
  io(97, "conv_kind", m.conv_kind);
  io(98, "sparsity_config", m.sparsity_config);
}

struct Computation {
  std::string unread;
  std::string_view name, execution_thread;
  std::vector<Raw<Instruction>> instructions;
  std::optional<ProgramShape> program_shape;
  int64_t id = 0, root_id = 0;
  bool is_fusion_computation = false;
};
template <class IO>
void Fields(IO& io, Computation& m) {
  io(1, "name", m.name);
  io(2, "instructions", m.instructions);
  io(4, "program_shape", m.program_shape);
  io(5, "id", m.id);
  io(6, "root_id", m.root_id);
  io(7, "is_fusion_computation", m.is_fusion_computation);
  io(8, "execution_thread", m.execution_thread);
}

// map<int64, InstructionSequence>, as the wire has it.
struct InstructionSequence {
  Int64s instruction_ids;
};
template <class IO>
void Fields(IO& io, InstructionSequence& m) {
  io(1, "instruction_ids", m.instruction_ids);
}
struct ScheduleEntry {
  int64_t key = 0;
  std::optional<InstructionSequence> value;
};
template <class IO>
void Fields(IO& io, ScheduleEntry& m) {
  io(1, "key", m.key);
  io(2, "value", m.value);
}
struct Schedule {
  std::vector<ScheduleEntry> sequences;
};
template <class IO>
void Fields(IO& io, Schedule& m) {
  io.MessageMap(1, "sequences", m.sequences);
}

struct AliasEntry {
  Int64s output_shape_index, parameter_shape_index;
  int64_t parameter_number = 0, kind = 0;  // 1 may alias, 2 must alias
};
template <class IO>
void Fields(IO& io, AliasEntry& m) {
  io(1, "output_shape_index", m.output_shape_index);
  io(2, "parameter_number", m.parameter_number);
  io(3, "parameter_shape_index", m.parameter_shape_index);
  io(4, "kind", m.kind);
}
struct InputOutputAlias {
  std::vector<AliasEntry> entries;
};
template <class IO>
void Fields(IO& io, InputOutputAlias& m) {
  io(1, "entries", m.entries);
}
struct DonorEntry {
  int64_t parameter_number = 0;
  Int64s parameter_shape_index;
};
template <class IO>
void Fields(IO& io, DonorEntry& m) {
  io(1, "parameter_number", m.parameter_number);
  io(2, "parameter_shape_index", m.parameter_shape_index);
}
struct BufferDonor {
  std::vector<DonorEntry> entries;
};
template <class IO>
void Fields(IO& io, BufferDonor& m) {
  io(1, "entries", m.entries);
}

struct FileLocation {
  int64_t file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0, end_column = 0;
};
template <class IO>
void Fields(IO& io, FileLocation& m) {
  io(1, "file_name_id", m.file_name_id);
  io(2, "function_name_id", m.function_name_id);
  io(3, "line", m.line);
  io(4, "column", m.column);
  io(5, "end_line", m.end_line);
  io(6, "end_column", m.end_column);
}
struct StackFrame {
  int64_t file_location_id = 0, parent_frame_id = 0;
};
template <class IO>
void Fields(IO& io, StackFrame& m) {
  io(1, "file_location_id", m.file_location_id);
  io(2, "parent_frame_id", m.parent_frame_id);
}
struct StackFrameIndex {
  std::vector<std::string_view> file_names, function_names;
  std::vector<FileLocation> file_locations;
  std::vector<StackFrame> stack_frames;
};
template <class IO>
void Fields(IO& io, StackFrameIndex& m) {
  io(1, "file_names", m.file_names);
  io(2, "function_names", m.function_names);
  io(3, "file_locations", m.file_locations);
  io(4, "stack_frames", m.stack_frames);
}

struct OriginRecoveryEntry {
  std::optional<OriginalArray> old_original_array, new_original_array;
  std::optional<Raw<struct Module>> recovery_module;
};
template <class IO>
void Fields(IO& io, OriginRecoveryEntry& m) {
  io(1, "old_original_array", m.old_original_array);
  io(2, "new_original_array", m.new_original_array);
  io(3, "recovery_module", m.recovery_module);
}
struct OriginRecoveryTable {
  std::vector<OriginRecoveryEntry> entries;
};
template <class IO>
void Fields(IO& io, OriginRecoveryTable& m) {
  io(1, "entries", m.entries);
}

struct Module {
  std::string unread;
  std::string_view name, entry_computation_name;
  int64_t entry_computation_id = 0, id = 0;
  std::vector<Raw<Computation>> computations;
  std::optional<ProgramShape> host_program_shape;
  std::optional<Schedule> schedule;
  std::optional<InputOutputAlias> input_output_alias;
  std::optional<BufferDonor> buffer_donor;
  std::optional<StackFrameIndex> stack_frame_index;
  std::optional<FrontendAttributes> frontend_attributes;
  std::optional<OriginRecoveryTable> original_value_recovery_table;
  std::vector<std::string_view> payloads;
  bool is_dynamic = false;
};
template <class IO>
void Fields(IO& io, Module& m) {
  io(1, "name", m.name);
  io(2, "entry_computation_name", m.entry_computation_name);
  io(3, "computations", m.computations);
  io(4, "host_program_shape", m.host_program_shape);
  io(5, "id", m.id);
  io(6, "entry_computation_id", m.entry_computation_id);
  io(7, "schedule", m.schedule);
  io(8, "input_output_alias", m.input_output_alias);
  io(11, "is_dynamic", m.is_dynamic);
  io(17, "stack_frame_index", m.stack_frame_index);
  io(18, "buffer_donor", m.buffer_donor);
  io(19, "frontend_attributes", m.frontend_attributes);
  io(20, "original_value_recovery_table", m.original_value_recovery_table);
  io(22, "payloads", m.payloads);
}

struct HloProto {
  std::string unread;
  std::optional<Module> hlo_module;
};
template <class IO>
void Fields(IO& io, HloProto& m) {
  io(1, "hlo_module", m.hlo_module);
}
struct Snapshot {
  std::optional<HloProto> hlo;
  std::vector<Literal> arguments;
  std::optional<Literal> result;
  std::string_view execution_platform;
};
template <class IO>
void Fields(IO& io, Snapshot& m) {
  io(1, "hlo", m.hlo);
  io(2, "arguments", m.arguments);
  io(3, "result", m.result);
  io(4, "execution_platform", m.execution_platform);
}
struct LiteralDescriptor {
  int64_t version = 0, argument_size_bytes = 0;
};
template <class IO>
void Fields(IO& io, LiteralDescriptor& m) {
  io(1, "version", m.version);
  io(2, "argument_size_bytes", m.argument_size_bytes);
}
struct Inputs {
  std::vector<Literal> arguments;
  std::vector<LiteralDescriptor> arguments_descriptors;
};
template <class IO>
void Fields(IO& io, Inputs& m) {
  io(1, "arguments", m.arguments);
  io(2, "arguments_descriptors", m.arguments_descriptors);
}
struct UnoptimizedSnapshot {
  std::optional<Module> hlo_module;
  std::vector<Inputs> partitions;
  int64_t version = 0;
};
template <class IO>
void Fields(IO& io, UnoptimizedSnapshot& m) {
  io(1, "hlo_module", m.hlo_module);
  io(2, "partitions", m.partitions);
  io(3, "version", m.version);
}

}  // namespace hloir::proto
