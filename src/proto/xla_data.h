// The messages of XLA's xla_data.proto as plain structs, each with its fields' numbers and names, once: Fields(io,
// message) names every field to `io`, and by it the reader and the writer walk a message (codec.h). Field numbers are
// XLA's of 2026; older files hold a subset. Strings look into the bytes being read, or into the module being written.
// hlo.proto's messages: hlo.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/detail/small_vector.h"

namespace hloir::proto {

// A string field that may hold any bytes (JSON writes it in base64).
struct Bytes {
  std::string_view value;
};
using Int64s = std::vector<int64_t>;
// A nested message still (or already) in its wire form: what comes by the hundred thousand is decoded one at a time.
template <class Message>
struct Raw {
  std::string_view bytes;
};
using StringPairs = std::vector<std::pair<std::string_view, std::string_view>>;

struct Tile {
  Int64s dimensions;
};
template <class IO>
void Fields(IO& io, Tile& m) {
  io(1, "dimensions", m.dimensions);
}

struct SplitConfig {
  int64_t dimension = 0;
  Int64s split_indices;
};
template <class IO>
void Fields(IO& io, SplitConfig& m) {
  io(1, "dimension", m.dimension);
  io(2, "split_indices", m.split_indices);
}

struct Shape;
struct Layout {
  Int64s minor_to_major;
  Int64s dim_level_types;
  std::vector<bool> dim_unique, dim_ordered;
  std::vector<Tile> tiles;
  int64_t tail_padding_alignment_in_elements = 0, element_size_in_bits = 0, memory_space = 0;
  int64_t index_primitive_type = 0, pointer_primitive_type = 0;
  std::vector<Shape> physical_shape;  // at most one
  int64_t dynamic_shape_metadata_prefix_bytes = 0;
  std::vector<SplitConfig> split_configs;
};
struct Shape {
  int64_t element_type = 0;
  Int64s dimensions;
  std::vector<bool> is_dynamic_dimension;
  std::vector<Shape> tuple_shapes;
  std::optional<Layout> layout;
};
template <class IO>
void Fields(IO& io, Shape& m);
template <class IO>
void Fields(IO& io, Layout& m) {
  io(1, "minor_to_major", m.minor_to_major);
  io(6, "tiles", m.tiles);
  io(7, "element_size_in_bits", m.element_size_in_bits);
  io(8, "memory_space", m.memory_space);
  io(9, "dim_level_types", m.dim_level_types);
  io(10, "physical_shape", m.physical_shape);
  io(11, "index_primitive_type", m.index_primitive_type);
  io(12, "pointer_primitive_type", m.pointer_primitive_type);
  io(13, "dim_unique", m.dim_unique);
  io(14, "dim_ordered", m.dim_ordered);
  io(15, "dynamic_shape_metadata_prefix_bytes", m.dynamic_shape_metadata_prefix_bytes);
  io(16, "tail_padding_alignment_in_elements", m.tail_padding_alignment_in_elements);
  io(17, "split_configs", m.split_configs);
}
template <class IO>
void Fields(IO& io, Shape& m) {
  io(2, "element_type", m.element_type);
  io(3, "dimensions", m.dimensions);
  io(4, "tuple_shapes", m.tuple_shapes);
  io(5, "layout", m.layout);
  io(6, "is_dynamic_dimension", m.is_dynamic_dimension);
}

struct ProgramShape {
  std::vector<Shape> parameters;
  std::optional<Shape> result;
  std::vector<std::string_view> parameter_names;
};
template <class IO>
void Fields(IO& io, ProgramShape& m) {
  io(1, "parameters", m.parameters);
  io(2, "result", m.result);
  io(3, "parameter_names", m.parameter_names);
}

// Which of the module's payloads.
struct MetadataPayload {
  std::optional<int64_t> index;
};
template <class IO>
void Fields(IO& io, MetadataPayload& m) {
  io(2, "payload_index", m.index);
}
struct OpMetadata {
  std::string_view op_type, op_name, source_file, deduplicated_name, scheduling_name;
  int64_t source_line = 0, source_end_line = 0, source_column = 0, source_end_column = 0, stack_frame_id = 0;
  Int64s profile_type;
  std::optional<MetadataPayload> metadata_payload;
};
template <class IO>
void Fields(IO& io, OpMetadata& m) {
  io(1, "op_type", m.op_type);
  io(2, "op_name", m.op_name);
  io(3, "source_file", m.source_file);
  io(4, "source_line", m.source_line);
  io(5, "profile_type", m.profile_type);
  io(12, "deduplicated_name", m.deduplicated_name);
  io(15, "stack_frame_id", m.stack_frame_id);
  io(16, "scheduling_name", m.scheduling_name);
  io(17, "source_end_line", m.source_end_line);
  io(18, "source_column", m.source_column);
  io(19, "source_end_column", m.source_end_column);
  io(20, "metadata_payload", m.metadata_payload);
}

struct Literal {
  std::optional<Shape> shape;
  std::vector<bool> preds;
  std::vector<int32_t> s32s;
  Int64s s64s;
  std::vector<uint32_t> u32s;
  std::vector<uint64_t> u64s;
  std::vector<float> f32s, c64s;
  std::vector<double> f64s, c128s;
  std::vector<Literal> tuple_literals;
  // Every other type: its elements' bytes, little-endian, under the type's own field.
  Bytes u8s, f16s, bf16s, s8s, u16s, s16s, f8e5m2s, f8e4m3fns, s4s, u4s, f8e4m3b11fnuzs, f8e5m2fnuzs, f8e4m3fnuzs, s2s,
      u2s, f8e4m3s, f8e3m4s, s1s, u1s, f4e2m1fns, f8e8m0fnus, f6e3m2fns, f6e2m3fns;
};
template <class IO>
void Fields(IO& io, Literal& m) {
  io(1, "shape", m.shape);
  io(2, "preds", m.preds);
  io(3, "u8s", m.u8s);
  io(4, "s32s", m.s32s);
  io(5, "s64s", m.s64s);
  io(6, "u32s", m.u32s);
  io(7, "u64s", m.u64s);
  io(8, "f32s", m.f32s);
  io(9, "f64s", m.f64s);
  io(10, "tuple_literals", m.tuple_literals);
  io(11, "f16s", m.f16s);
  io(12, "c64s", m.c64s);
  io(13, "bf16s", m.bf16s);
  io(15, "s8s", m.s8s);
  io(16, "u16s", m.u16s);
  io(17, "s16s", m.s16s);
  io(18, "c128s", m.c128s);
  io(19, "f8e5m2s", m.f8e5m2s);
  io(20, "f8e4m3fns", m.f8e4m3fns);
  io(21, "s4s", m.s4s);
  io(22, "u4s", m.u4s);
  io(23, "f8e4m3b11fnuzs", m.f8e4m3b11fnuzs);
  io(24, "f8e5m2fnuzs", m.f8e5m2fnuzs);
  io(25, "f8e4m3fnuzs", m.f8e4m3fnuzs);
  io(26, "s2s", m.s2s);
  io(27, "u2s", m.u2s);
  io(28, "f8e4m3s", m.f8e4m3s);
  io(29, "f8e3m4s", m.f8e3m4s);
  io(30, "s1s", m.s1s);
  io(31, "u1s", m.u1s);
  io(32, "f4e2m1fns", m.f4e2m1fns);
  io(33, "f8e8m0fnus", m.f8e8m0fnus);
  io(35, "f6e3m2fns", m.f6e3m2fns);
  io(36, "f6e2m3fns", m.f6e2m3fns);
}

struct WindowDimension {
  int64_t size = 0, stride = 0, padding_low = 0, padding_high = 0, window_dilation = 0, base_dilation = 0;
  bool window_reversal = false;
};
template <class IO>
void Fields(IO& io, WindowDimension& m) {
  io(1, "size", m.size);
  io(2, "stride", m.stride);
  io(3, "padding_low", m.padding_low);
  io(4, "padding_high", m.padding_high);
  io(5, "window_dilation", m.window_dilation);
  io(6, "base_dilation", m.base_dilation);
  io(7, "window_reversal", m.window_reversal);
}
struct Window {
  std::vector<WindowDimension> dimensions;
};
template <class IO>
void Fields(IO& io, Window& m) {
  io(1, "dimensions", m.dimensions);
}

struct PaddingDimension {
  int64_t low = 0, high = 0, interior = 0;
};
template <class IO>
void Fields(IO& io, PaddingDimension& m) {
  io(1, "edge_padding_low", m.low);
  io(2, "edge_padding_high", m.high);
  io(3, "interior_padding", m.interior);
}
struct PaddingConfig {
  std::vector<PaddingDimension> dimensions;
};
template <class IO>
void Fields(IO& io, PaddingConfig& m) {
  io(1, "dimensions", m.dimensions);
}

struct ConvolutionDimensionNumbers {
  int64_t input_batch = 0, input_feature = 0, kernel_input_feature = 0, kernel_output_feature = 0, output_batch = 0,
          output_feature = 0;
  Int64s input_spatial, kernel_spatial, output_spatial;
};
template <class IO>
void Fields(IO& io, ConvolutionDimensionNumbers& m) {
  io(3, "kernel_input_feature_dimension", m.kernel_input_feature);
  io(4, "kernel_output_feature_dimension", m.kernel_output_feature);
  io(6, "kernel_spatial_dimensions", m.kernel_spatial);
  io(7, "input_batch_dimension", m.input_batch);
  io(8, "input_feature_dimension", m.input_feature);
  io(9, "output_batch_dimension", m.output_batch);
  io(10, "output_feature_dimension", m.output_feature);
  io(11, "input_spatial_dimensions", m.input_spatial);
  io(12, "output_spatial_dimensions", m.output_spatial);
}

struct DotDimensionNumbers {
  Int64s lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
};
template <class IO>
void Fields(IO& io, DotDimensionNumbers& m) {
  io(1, "lhs_contracting_dimensions", m.lhs_contracting);
  io(2, "rhs_contracting_dimensions", m.rhs_contracting);
  io(3, "lhs_batch_dimensions", m.lhs_batch);
  io(4, "rhs_batch_dimensions", m.rhs_batch);
}
struct RaggedDotDimensionNumbers {
  std::optional<DotDimensionNumbers> dot;
  Int64s lhs_ragged, rhs_group;
};
template <class IO>
void Fields(IO& io, RaggedDotDimensionNumbers& m) {
  io(1, "dot_dimension_numbers", m.dot);
  io(2, "lhs_ragged_dimensions", m.lhs_ragged);
  io(3, "rhs_group_dimensions", m.rhs_group);
}

struct GatherDimensionNumbers {
  Int64s offset_dims, collapsed_slice_dims, start_index_map, operand_batching_dims, start_indices_batching_dims;
  int64_t index_vector_dim = 0;
};
template <class IO>
void Fields(IO& io, GatherDimensionNumbers& m) {
  io(1, "offset_dims", m.offset_dims);
  io(2, "collapsed_slice_dims", m.collapsed_slice_dims);
  io(3, "start_index_map", m.start_index_map);
  io(4, "index_vector_dim", m.index_vector_dim);
  io(5, "operand_batching_dims", m.operand_batching_dims);
  io(6, "start_indices_batching_dims", m.start_indices_batching_dims);
}
struct ScatterDimensionNumbers {
  Int64s update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims, input_batching_dims,
      scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
};
template <class IO>
void Fields(IO& io, ScatterDimensionNumbers& m) {
  io(1, "update_window_dims", m.update_window_dims);
  io(2, "inserted_window_dims", m.inserted_window_dims);
  io(3, "scatter_dims_to_operand_dims", m.scatter_dims_to_operand_dims);
  io(4, "index_vector_dim", m.index_vector_dim);
  io(5, "input_batching_dims", m.input_batching_dims);
  io(6, "scatter_indices_batching_dims", m.scatter_indices_batching_dims);
}

struct SparsitySide {
  int64_t num_non_zero = 0, block_size = 0, dimension = 0, stride = 0;
};
template <class IO>
void Fields(IO& io, SparsitySide& m) {
  io(1, "num_non_zero", m.num_non_zero);
  io(2, "block_size", m.block_size);
  io(3, "dimension", m.dimension);
  io(4, "stride", m.stride);
}
struct SparsityConfig {
  std::optional<SparsitySide> lhs, rhs;
};
template <class IO>
void Fields(IO& io, SparsityConfig& m) {
  io(1, "lhs", m.lhs);
  io(2, "rhs", m.rhs);
}

struct PrecisionConfig {
  Int64s operand_precision;
  int64_t algorithm = 0;
};
template <class IO>
void Fields(IO& io, PrecisionConfig& m) {
  io(1, "operand_precision", m.operand_precision);
  io(2, "algorithm", m.algorithm);
}

struct TriangularSolveOptions {
  bool left_side = false, lower = false, unit_diagonal = false;
  int64_t transpose_a = 0;
};
template <class IO>
void Fields(IO& io, TriangularSolveOptions& m) {
  io(1, "left_side", m.left_side);
  io(2, "lower", m.lower);
  io(3, "unit_diagonal", m.unit_diagonal);
  io(4, "transpose_a", m.transpose_a);
}
struct CholeskyOptions {
  bool lower = false;
};
template <class IO>
void Fields(IO& io, CholeskyOptions& m) {
  io(1, "lower", m.lower);
}
struct ParameterReplication {
  std::vector<bool> replicated_at_leaf_buffers;
};
template <class IO>
void Fields(IO& io, ParameterReplication& m) {
  io(1, "replicated_at_leaf_buffers", m.replicated_at_leaf_buffers);
}
// A map<string, string> is repeated {1: key, 2: value} on the wire; `io.Map` knows.
struct FrontendAttributes {
  StringPairs map;
};
template <class IO>
void Fields(IO& io, FrontendAttributes& m) {
  io.Map(1, "map", m.map);
}

struct Statistic {
  std::string_view stat_name;
  double stat_val = 0;
};
template <class IO>
void Fields(IO& io, Statistic& m) {
  io(1, "stat_name", m.stat_name);
  io(2, "stat_val", m.stat_val);
}
struct StatisticsViz {
  int64_t stat_index_to_visualize = 0;
  std::vector<Statistic> statistics;
};
template <class IO>
void Fields(IO& io, StatisticsViz& m) {
  io(1, "stat_index_to_visualize", m.stat_index_to_visualize);
  io(2, "statistics", m.statistics);
}

struct MeshAxis {
  std::string_view name;
  int64_t size = 0;
};
template <class IO>
void Fields(IO& io, MeshAxis& m) {
  io(1, "name", m.name);
  io(2, "size", m.size);
}
struct IotaTransform {
  Int64s reshape_dims, transpose_perm;
};
template <class IO>
void Fields(IO& io, IotaTransform& m) {
  io(1, "reshape_dims", m.reshape_dims);
  io(2, "transpose_perm", m.transpose_perm);
}
struct Mesh {
  std::vector<MeshAxis> axes;
  Int64s device_ids;
  std::optional<IotaTransform> iota_transform;
};
template <class IO>
void Fields(IO& io, Mesh& m) {
  io(1, "axes", m.axes);
  io(2, "device_ids", m.device_ids);
  io(3, "iota_transform", m.iota_transform);
}
struct SubAxis {
  int64_t pre_size = 0, size = 0;
};
template <class IO>
void Fields(IO& io, SubAxis& m) {
  io(1, "pre_size", m.pre_size);
  io(2, "size", m.size);
}
struct AxisRef {
  int64_t mesh_axis_index = 0;
  std::optional<SubAxis> sub_axis_info;
};
template <class IO>
void Fields(IO& io, AxisRef& m) {
  io(1, "mesh_axis_index", m.mesh_axis_index);
  io(2, "sub_axis_info", m.sub_axis_info);
}
struct DimensionSharding {
  std::vector<AxisRef> axes;
  bool is_closed = false;
};
template <class IO>
void Fields(IO& io, DimensionSharding& m) {
  io(1, "axes", m.axes);
  io(2, "is_closed", m.is_closed);
}
struct NamedSharding {
  std::optional<Mesh> mesh;
  std::vector<DimensionSharding> dim_shardings;
  std::vector<AxisRef> replicated_axes, unreduced_axes, manual_axes;
  std::vector<OpMetadata> metadata;
};
template <class IO>
void Fields(IO& io, NamedSharding& m) {
  io(2, "mesh", m.mesh);
  io(3, "dim_shardings", m.dim_shardings);
  io(4, "replicated_axes", m.replicated_axes);
  io(5, "unreduced_axes", m.unreduced_axes);
  io(6, "metadata", m.metadata);
  io(7, "manual_axes", m.manual_axes);
}
struct OpSharding {
  enum Type { kReplicated, kMaximal, kTuple, kOther, kManual, kUnknown, kUnreduced };
  int64_t type = 0;
  Int64s tile_assignment_dimensions, tile_assignment_devices;
  std::vector<OpSharding> tuple_shardings;
  bool replicate_on_last_tile_dim = false;
  std::vector<OpMetadata> metadata;
  Int64s last_tile_dims, iota_reshape_dims, iota_transpose_perm;
  bool is_shard_group = false;
  int64_t shard_group_id = 0, shard_group_type = 0;
  std::optional<NamedSharding> named_sharding;
};
template <class IO>
void Fields(IO& io, OpSharding& m) {
  io(1, "type", m.type);
  io(3, "tile_assignment_dimensions", m.tile_assignment_dimensions);
  io(4, "tile_assignment_devices", m.tile_assignment_devices);
  io(5, "tuple_shardings", m.tuple_shardings);
  io(6, "replicate_on_last_tile_dim", m.replicate_on_last_tile_dim);
  io(7, "metadata", m.metadata);
  io(8, "last_tile_dims", m.last_tile_dims);
  io(9, "iota_reshape_dims", m.iota_reshape_dims);
  io(10, "iota_transpose_perm", m.iota_transpose_perm);
  io(11, "is_shard_group", m.is_shard_group);
  io(12, "shard_group_id", m.shard_group_id);
  io(13, "shard_group_type", m.shard_group_type);
  io(14, "named_sharding", m.named_sharding);
}

struct ReplicaGroup {
  Int64s replica_ids;
};
template <class IO>
void Fields(IO& io, ReplicaGroup& m) {
  io(1, "replica_ids", m.replica_ids);
}
struct IotaReplicaGroupList {
  int64_t num_replica_groups = 0, num_devices_per_group = 0;
  Int64s iota_reshape_dims, iota_transpose_perm;
};
template <class IO>
void Fields(IO& io, IotaReplicaGroupList& m) {
  io(1, "num_replica_groups", m.num_replica_groups);
  io(2, "num_devices_per_group", m.num_devices_per_group);
  io(3, "iota_reshape_dims", m.iota_reshape_dims);
  io(4, "iota_transpose_perm", m.iota_transpose_perm);
}
struct MeshAxesReplicaGroupList {
  std::optional<Mesh> mesh;
  std::vector<AxisRef> axes;
};
template <class IO>
void Fields(IO& io, MeshAxesReplicaGroupList& m) {
  io(1, "mesh", m.mesh);
  io(2, "axes", m.axes);
}
// Field 2 is how 2024-25 wrote the iota form; since then it has a field of its own in the instruction.
struct CollectiveDeviceList {
  std::vector<ReplicaGroup> replica_groups;
  std::optional<IotaReplicaGroupList> iota_replica_group_list;
};
template <class IO>
void Fields(IO& io, CollectiveDeviceList& m) {
  io(1, "replica_groups", m.replica_groups);
  io(2, "iota_replica_group_list", m.iota_replica_group_list);
}
struct SourceTarget {
  int64_t source = 0, target = 0;
};
template <class IO>
void Fields(IO& io, SourceTarget& m) {
  io(1, "source", m.source);
  io(2, "target", m.target);
}

struct Tolerance {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
};
template <class IO>
void Fields(IO& io, Tolerance& m) {
  io(1, "atol", m.atol);
  io(2, "rtol", m.rtol);
  io(3, "ulps", m.ulps);
}
struct ResultAccuracy {
  int64_t mode = 0;
  std::optional<Tolerance> tolerance;
};
template <class IO>
void Fields(IO& io, ResultAccuracy& m) {
  io(1, "mode", m.mode);
  io(2, "tolerance", m.tolerance);
}

struct OutputOperandAliasing {
  Int64s output_shape_index, operand_shape_index;
  int64_t operand_index = 0;
};
template <class IO>
void Fields(IO& io, OutputOperandAliasing& m) {
  io(1, "output_shape_index", m.output_shape_index);
  io(2, "operand_index", m.operand_index);
  io(3, "operand_shape_index", m.operand_shape_index);
}

struct OriginalArray {
  std::string_view instruction_name;
  Int64s shape_index;
};
template <class IO>
void Fields(IO& io, OriginalArray& m) {
  io(1, "instruction_name", m.instruction_name);
  io(2, "shape_index", m.shape_index);
}
struct OriginalValueElement {
  Int64s shape_index;
  std::optional<OriginalArray> original_array;
};
template <class IO>
void Fields(IO& io, OriginalValueElement& m) {
  io(1, "shape_index", m.shape_index);
  io(2, "original_array", m.original_array);
}
struct OriginalValue {
  std::vector<OriginalValueElement> elements;
  bool is_synthetic_call = false;
};
template <class IO>
void Fields(IO& io, OriginalValue& m) {
  io(1, "elements", m.elements);
  io(2, "is_synthetic_call", m.is_synthetic_call);
}

}  // namespace hloir::proto
