// An opcode's attributes, to and from the fields of HloInstructionProto. A struct of attributes.def whose fields have
// the same names in the message needs no code here (by_name.h); the others have a Read and a Write below, selected by
// overload. reader.cc and writer.cc handle the fields of every instruction.
#include "instruction.h"

#include <algorithm>

#include "by_name.h"
#include "ir/graph_loader.h"
#include "values.h"

namespace hloir {
namespace {

template <class E>
Status EnumFromText(std::string_view text, E& value) {
  for (size_t i = 0; i < EnumWords<E>().size(); ++i) {
    if (EnumWords<E>()[i] == text) return value = static_cast<E>(i), OkStatus();
  }
  return InvalidArgument("unknown word '" + std::string(text) + "'");
}

PrecisionList ReadPrecision(const proto::Instruction& m) {
  PrecisionList list;
  if (m.precision_config.has_value()) {
    for (int64_t p : m.precision_config->operand_precision) list.push_back(ToEnum<Precision>(p));
  }
  // The inverse of WritePrecision for no precision, so that text and message give the same module.
  if (std::all_of(list.begin(), list.end(), [](Precision p) { return p == Precision::kDefault; })) list.clear();
  return list;
}
DotAlgorithm ReadAlgorithm(const proto::Instruction& m) {
  return m.precision_config.has_value() ? ToEnum<DotAlgorithm>(m.precision_config->algorithm) : DotAlgorithm::kUnset;
}
// XLA writes a precision for each of the two operands of an op with precisions.
void WritePrecision(const PrecisionList& precision, DotAlgorithm algorithm, proto::Instruction& m) {
  proto::PrecisionConfig& config = m.precision_config.emplace();
  for (Precision p : precision) config.operand_precision.push_back(static_cast<int64_t>(p));
  if (precision.empty()) config.operand_precision = {0, 0};
  config.algorithm = static_cast<int64_t>(algorithm);
}

OptionalInt64 ReadChannel(const proto::Instruction& m) {
  if (m.channel_id > 0) return m.channel_id;
  if (m.all_reduce_id > 0) return m.all_reduce_id;
  return std::nullopt;
}

Status ReadGroups(const proto::Instruction& m, ReplicaGroups& groups) {
  auto from_iota = [&](const proto::IotaReplicaGroupList& list) {
    groups.form = ReplicaGroups::Form::kIota;
    groups.num_groups = list.num_replica_groups;
    groups.group_size = list.num_devices_per_group;
    groups.iota.iota_reshape_dims = ToDims(list.iota_reshape_dims);
    groups.iota.iota_transpose_perm = ToDims(list.iota_transpose_perm);
  };
  if (m.iota_collective_device_list.has_value()) {
    from_iota(*m.iota_collective_device_list);
  } else if (m.mesh_axes_replica_group_list.has_value()) {
    groups.form = ReplicaGroups::Form::kMesh;
    if (m.mesh_axes_replica_group_list->mesh.has_value())
      groups.mesh = FromProto(*m.mesh_axes_replica_group_list->mesh);
    HLOIR_ASSIGN_OR_RETURN(groups.axes, FromProto(m.mesh_axes_replica_group_list->axes, groups.mesh));
  } else if (m.collective_device_list.has_value() && m.collective_device_list->iota_replica_group_list.has_value()) {
    from_iota(*m.collective_device_list->iota_replica_group_list);
  } else {
    const auto& listed =
        m.collective_device_list.has_value() ? m.collective_device_list->replica_groups : m.replica_groups;
    for (const proto::ReplicaGroup& group : listed) groups.groups.push_back(group.replica_ids);
  }
  return OkStatus();
}

void WriteGroups(const ReplicaGroups& groups, proto::Instruction& m) {
  switch (groups.form) {
    case ReplicaGroups::Form::kList: {
      proto::CollectiveDeviceList& list = m.collective_device_list.emplace();
      for (const auto& group : groups.groups) list.replica_groups.push_back({group});
      return;
    }
    case ReplicaGroups::Form::kIota:
      m.iota_collective_device_list =
          proto::IotaReplicaGroupList{groups.num_groups, groups.group_size, ToInt64s(groups.iota.iota_reshape_dims),
                                      ToInt64s(groups.iota.iota_transpose_perm)};
      return;
    case ReplicaGroups::Form::kMesh:
      m.mesh_axes_replica_group_list =
          proto::MeshAxesReplicaGroupList{ToProto(groups.mesh), ToProto(groups.axes, groups.mesh)};
      return;
  }
}

// Fields shared by several collectives.
template <class A>
Status ReadCollective(const proto::Instruction& m, A& a) {
  ReadByName(m, a);
  a.channel_id = ReadChannel(m);
  if constexpr (requires { a.replica_groups; }) HLOIR_RETURN_IF_ERROR(ReadGroups(m, a.replica_groups));
  return OkStatus();
}
template <class A>
Status WriteCollective(const A& a, proto::Instruction& m) {
  WriteByName(a, m);
  m.channel_id = a.channel_id.value_or(0);
  if constexpr (requires { a.replica_groups; }) WriteGroups(a.replica_groups, m);
  return OkStatus();
}

// ---- One Read and one Write per struct. `c` is the conversion's context.
using Context = ProtoContext;

Status Read(const Context&, const proto::Instruction& m, ParameterAttributes& a) {
  a.number = m.parameter_number;
  if (m.parameter_replication.has_value())
    a.parameter_replication = m.parameter_replication->replicated_at_leaf_buffers;
  return OkStatus();
}
Status Write(const Context&, const ParameterAttributes& a, proto::Instruction& m) {
  m.parameter_number = a.number;
  if (!a.parameter_replication.empty()) m.parameter_replication = proto::ParameterReplication{a.parameter_replication};
  return OkStatus();
}

Status Read(const Context& c, const proto::Instruction& m, ConstantAttributes& a) {
  if (!m.literal.has_value()) {
    // Written without its value; as `{...}` in text. The shape still bounds the allocation.
    if (c.shape->ByteSize() > kMaxProtoLiteralBytes) return ResourceExhausted("constant: too large");
    a.literal = Literal(*c.shape);
    a.literal.set_elided(true);
    return OkStatus();
  }
  HLOIR_ASSIGN_OR_RETURN(a.literal, FromProto(*m.literal));
  if (!a.literal.shape().Compatible(*c.shape)) return InvalidArgument("the literal's shape is not the constant's");
  return OkStatus();
}
Status Write(const Context& c, const ConstantAttributes& a, proto::Instruction& m) {
  if (!a.literal.elided()) m.literal = ToProto(a.literal, *c.storage);
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, IotaAttributes& a) {
  if (m.dimensions.size() != 1) return InvalidArgument("iota has one dimension");
  a.iota_dimension = m.dimensions[0];
  return OkStatus();
}
Status Write(const Context&, const IotaAttributes& a, proto::Instruction& m) {
  m.dimensions = {a.iota_dimension};
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, RngBitGeneratorAttributes& a) {
  a.algorithm = ToEnum<RandomAlgorithm>(m.rng_algorithm);
  return OkStatus();
}
Status Write(const Context&, const RngBitGeneratorAttributes& a, proto::Instruction& m) {
  m.rng_algorithm = static_cast<int64_t>(a.algorithm);
  return OkStatus();
}

// The default comparison type.
ComparisonType UsualComparison(const Context& c) {
  const PrimitiveType operand = c.operand_shapes.empty() ? PrimitiveType::INVALID : c.operand_shapes[0]->element_type();
  return IsSigned(operand)                        ? ComparisonType::kSigned
         : IsFloat(operand) || IsComplex(operand) ? ComparisonType::kFloat
                                                  : ComparisonType::kUnsigned;
}

Status Read(const Context& c, const proto::Instruction& m, CompareAttributes& a) {
  HLOIR_RETURN_IF_ERROR(EnumFromText(m.comparison_direction, a.direction));
  if (!m.comparison_type.empty()) HLOIR_RETURN_IF_ERROR(EnumFromText(m.comparison_type, a.type));
  if (a.type == UsualComparison(c)) a.type = ComparisonType::kDefault;
  return OkStatus();
}
Status Write(const Context& c, const CompareAttributes& a, proto::Instruction& m) {
  m.comparison_direction = EnumWord(a.direction);
  // XLA always writes it.
  m.comparison_type = EnumWord(a.type == ComparisonType::kDefault ? UsualComparison(c) : a.type);
  return OkStatus();
}

// XLA keeps the inferred dimension as the one entry of `dimensions`.
Status Read(const Context&, const proto::Instruction& m, ReshapeAttributes& a) {
  a.inferred_dimension = m.dimensions.empty() ? -1 : m.dimensions[0];
  return OkStatus();
}
Status Write(const Context&, const ReshapeAttributes& a, proto::Instruction& m) {
  if (a.inferred_dimension != -1) m.dimensions = {a.inferred_dimension};
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, SliceAttributes& a) {
  for (const proto::SliceDimensions& d : m.slice_dimensions) a.slice.push_back({d.start, d.limit, d.stride});
  return OkStatus();
}
Status Write(const Context&, const SliceAttributes& a, proto::Instruction& m) {
  for (const SliceRange& d : a.slice) m.slice_dimensions.push_back({d.start, d.limit, d.stride});
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, PadAttributes& a) {
  if (m.padding_config.has_value()) a.padding = FromProto(*m.padding_config);
  return OkStatus();
}
Status Write(const Context&, const PadAttributes& a, proto::Instruction& m) {
  m.padding_config = ToProto(a.padding);
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, GatherAttributes& a) {
  if (!m.gather_dimension_numbers.has_value()) return InvalidArgument("gather without dimension numbers");
  ReadByName(*m.gather_dimension_numbers, a);
  ReadByName(m, a);
  a.slice_sizes = ToDims(m.gather_slice_sizes);
  return OkStatus();
}
Status Write(const Context&, const GatherAttributes& a, proto::Instruction& m) {
  WriteByName(a, m.gather_dimension_numbers.emplace());
  WriteByName(a, m);
  m.gather_slice_sizes = ToInt64s(a.slice_sizes);
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, ScatterAttributes& a) {
  if (!m.scatter_dimension_numbers.has_value()) return InvalidArgument("scatter without dimension numbers");
  ReadByName(*m.scatter_dimension_numbers, a);
  ReadByName(m, a);
  return OkStatus();
}
Status Write(const Context&, const ScatterAttributes& a, proto::Instruction& m) {
  WriteByName(a, m.scatter_dimension_numbers.emplace());
  WriteByName(a, m);
  return OkStatus();
}

template <class A>
void ReadDotDimensions(const proto::DotDimensionNumbers& d, A& a) {
  a.lhs_contracting_dims = ToDims(d.lhs_contracting_dimensions);
  a.rhs_contracting_dims = ToDims(d.rhs_contracting_dimensions);
  a.lhs_batch_dims = ToDims(d.lhs_batch_dimensions);
  a.rhs_batch_dims = ToDims(d.rhs_batch_dimensions);
}
template <class A>
proto::DotDimensionNumbers WriteDotDimensions(const A& a) {
  return {ToInt64s(a.lhs_contracting_dims), ToInt64s(a.rhs_contracting_dims), ToInt64s(a.lhs_batch_dims),
          ToInt64s(a.rhs_batch_dims)};
}

Status Read(const Context&, const proto::Instruction& m, DotAttributes& a) {
  if (!m.dot_dimension_numbers.has_value()) return InvalidArgument("dot without dimension numbers");
  ReadDotDimensions(*m.dot_dimension_numbers, a);
  a.operand_precision = ReadPrecision(m);
  a.algorithm = ReadAlgorithm(m);
  return OkStatus();
}
Status Write(const Context&, const DotAttributes& a, proto::Instruction& m) {
  m.dot_dimension_numbers = WriteDotDimensions(a);
  WritePrecision(a.operand_precision, a.algorithm, m);
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, RaggedDotAttributes& a) {
  if (!m.ragged_dot_dimension_numbers.has_value()) return InvalidArgument("ragged-dot without dimension numbers");
  const proto::RaggedDotDimensionNumbers& d = *m.ragged_dot_dimension_numbers;
  if (d.dot_dimension_numbers.has_value()) ReadDotDimensions(*d.dot_dimension_numbers, a);
  a.lhs_ragged_dims = ToDims(d.lhs_ragged_dimensions);
  a.rhs_group_dims = ToDims(d.rhs_group_dimensions);
  a.operand_precision = ReadPrecision(m);
  return OkStatus();
}
Status Write(const Context&, const RaggedDotAttributes& a, proto::Instruction& m) {
  m.ragged_dot_dimension_numbers =
      proto::RaggedDotDimensionNumbers{WriteDotDimensions(a), ToInt64s(a.lhs_ragged_dims), ToInt64s(a.rhs_group_dims)};
  WritePrecision(a.operand_precision, DotAlgorithm::kUnset, m);
  return OkStatus();
}

std::optional<SparsitySide> FromSide(const std::optional<proto::SparsitySide>& side) {
  if (!side.has_value()) return std::nullopt;
  return SparsitySide{side->num_non_zero, side->block_size, side->dimension, side->stride, 0};
}
std::optional<proto::SparsitySide> ToSide(const std::optional<SparsitySide>& side) {
  if (!side.has_value()) return std::nullopt;
  return proto::SparsitySide{side->nonzero, side->block, side->dimension, side->stride};
}

Status Read(const Context&, const proto::Instruction& m, ConvolutionAttributes& a) {
  if (!m.convolution_dimension_numbers.has_value()) return InvalidArgument("convolution without dimension numbers");
  if (m.window.has_value()) a.window = FromProto(*m.window);
  HLOIR_ASSIGN_OR_RETURN(a.dim_labels, FromProto(*m.convolution_dimension_numbers));
  a.feature_group_count = std::max<int64_t>(m.feature_group_count, 1);
  a.batch_group_count = std::max<int64_t>(m.batch_group_count, 1);
  a.operand_precision = ReadPrecision(m);
  a.algorithm = ReadAlgorithm(m);
  a.convolution_kind = ToEnum<ConvolutionKind>(m.conv_kind);
  if (m.sparsity_config.has_value()) {
    a.sparsity_config.lhs = FromSide(m.sparsity_config->lhs);
    a.sparsity_config.rhs = FromSide(m.sparsity_config->rhs);
  }
  return OkStatus();
}
Status Write(const Context&, const ConvolutionAttributes& a, proto::Instruction& m) {
  m.window = ToProto(a.window);
  m.convolution_dimension_numbers = ToProto(a.dim_labels);
  m.feature_group_count = a.feature_group_count;
  m.batch_group_count = a.batch_group_count;
  m.conv_kind = static_cast<int64_t>(a.convolution_kind);
  WritePrecision(a.operand_precision, a.algorithm, m);
  if (a.sparsity_config != SparsityConfig()) {
    m.sparsity_config = proto::SparsityConfig{ToSide(a.sparsity_config.lhs), ToSide(a.sparsity_config.rhs)};
  }
  return OkStatus();
}

// TriState: 0 unspecified, 1 true, 2 false.
Status Read(const Context&, const proto::Instruction& m, ScanAttributes& a) {
  ReadByName(m, a);
  if (m.is_associative != 0) a.is_associative = m.is_associative == 1;
  return OkStatus();
}
Status Write(const Context&, const ScanAttributes& a, proto::Instruction& m) {
  WriteByName(a, m);
  m.is_associative = a.is_associative.value_or(false) ? 1 : 2;  // nothing said in text is false
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, CholeskyAttributes& a) {
  if (m.cholesky_options.has_value()) ReadByName(*m.cholesky_options, a);
  return OkStatus();
}
Status Write(const Context&, const CholeskyAttributes& a, proto::Instruction& m) {
  WriteByName(a, m.cholesky_options.emplace());
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, TriangularSolveAttributes& a) {
  if (m.triangular_solve_options.has_value()) ReadByName(*m.triangular_solve_options, a);
  return OkStatus();
}
Status Write(const Context&, const TriangularSolveAttributes& a, proto::Instruction& m) {
  WriteByName(a, m.triangular_solve_options.emplace());
  return OkStatus();
}

Status Read(const Context& c, const proto::Instruction& m, GetTupleElementAttributes& a) {
  a.index = m.tuple_index;
  if (c.operand_shapes.size() != 1 || !c.operand_shapes[0]->IsTuple() || a.index < 0 ||
      a.index >= c.operand_shapes[0]->tuple_size()) {
    return InvalidArgument("get-tuple-element of a missing element");
  }
  return OkStatus();
}
Status Write(const Context&, const GetTupleElementAttributes& a, proto::Instruction& m) {
  m.tuple_index = a.index;
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, FusionAttributes& a) {
  HLOIR_RETURN_IF_ERROR(EnumFromText(m.fusion_kind, a.kind));
  a.output_to_operand_aliasing = FromProto(m.output_operand_aliasing);
  return OkStatus();
}
Status Write(const Context&, const FusionAttributes& a, proto::Instruction& m) {
  m.fusion_kind = EnumWord(a.kind);
  m.output_operand_aliasing = ToProto(a.output_to_operand_aliasing);
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, CustomCallAttributes& a) {
  a.custom_call_target = m.custom_call_target;
  if (m.window.has_value()) a.window = FromProto(*m.window);
  if (m.convolution_dimension_numbers.has_value()) {
    HLOIR_ASSIGN_OR_RETURN(a.dim_labels, FromProto(*m.convolution_dimension_numbers));
  }
  a.feature_group_count = std::max<int64_t>(m.feature_group_count, 1);
  a.batch_group_count = std::max<int64_t>(m.batch_group_count, 1);
  a.operand_precision = ReadPrecision(m);
  a.padding_type = ToEnum<PaddingType>(m.padding_type);
  a.custom_call_has_side_effect = m.custom_call_has_side_effect;
  a.output_to_operand_aliasing = FromProto(m.output_operand_aliasing);
  a.schedule = ToEnum<CustomCallSchedule>(m.custom_call_schedule);
  // Unset or newer: XLA treats both as the original, and no engine depends on it.
  const int64_t version = m.custom_call_api_version;
  const bool is_known = version > 0 && version < static_cast<int64_t>(EnumWords<CustomCallApiVersion>().size());
  a.api_version = is_known ? static_cast<CustomCallApiVersion>(version) : CustomCallApiVersion::kOriginal;
  if (m.literal.has_value()) {
    HLOIR_ASSIGN_OR_RETURN(Literal literal, FromProto(*m.literal));
    a.literal = OptionalLiteral(std::move(literal));
  }
  if (m.constrain_layout) {
    a.operand_layout_constraints.emplace();
    for (const proto::Shape& shape : m.operand_shapes_with_layout) {
      HLOIR_ASSIGN_OR_RETURN(Shape constraint, FromProto(shape));
      a.operand_layout_constraints->push_back(std::move(constraint));
    }
  }
  return OkStatus();
}
Status Write(const Context& c, const CustomCallAttributes& a, proto::Instruction& m) {
  m.custom_call_target = a.custom_call_target;
  if (a.window.has_value()) m.window = ToProto(*a.window);
  if (a.dim_labels.has_value()) m.convolution_dimension_numbers = ToProto(*a.dim_labels);
  m.feature_group_count = a.feature_group_count;
  m.batch_group_count = a.batch_group_count;
  if (!a.operand_precision.empty()) WritePrecision(a.operand_precision, DotAlgorithm::kUnset, m);
  m.padding_type = static_cast<int64_t>(a.padding_type);
  m.custom_call_has_side_effect = a.custom_call_has_side_effect;
  m.output_operand_aliasing = ToProto(a.output_to_operand_aliasing);
  m.custom_call_schedule = static_cast<int64_t>(a.schedule);
  m.custom_call_api_version = static_cast<int64_t>(a.api_version);
  if (a.literal.has_value()) m.literal = ToProto(*a.literal, *c.storage);
  if (a.operand_layout_constraints.has_value()) {
    m.constrain_layout = true;
    for (const Shape& shape : *a.operand_layout_constraints) m.operand_shapes_with_layout.push_back(ToProto(shape));
  }
  return OkStatus();
}

// XLA's text and message have entry and exit exchanged.
Status Read(const Context&, const proto::Instruction& m, DomainAttributes& a) {
  a.domain.kind = "sharding";
  if (m.domain_exit_sharding.has_value()) {
    HLOIR_ASSIGN_OR_RETURN(Sharding sharding, FromProto(*m.domain_exit_sharding));
    a.domain.entry = std::move(sharding);
  }
  if (m.domain_entry_sharding.has_value()) {
    HLOIR_ASSIGN_OR_RETURN(Sharding sharding, FromProto(*m.domain_entry_sharding));
    a.domain.exit = std::move(sharding);
  }
  return OkStatus();
}
Status Write(const Context&, const DomainAttributes& a, proto::Instruction& m) {
  if (a.domain.entry.has_value()) m.domain_exit_sharding = ToProto(*a.domain.entry);
  if (a.domain.exit.has_value()) m.domain_entry_sharding = ToProto(*a.domain.exit);
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, InfeedAttributes& a) {
  a.infeed_config = m.infeed_config.value;
  return OkStatus();
}
Status Write(const Context&, const InfeedAttributes& a, proto::Instruction& m) {
  m.infeed_config.value = a.infeed_config;
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, OutfeedAttributes& a) {
  a.outfeed_config = m.outfeed_config.value;
  if (m.outfeed_shape.has_value()) {
    HLOIR_ASSIGN_OR_RETURN(Shape shape, FromProto(*m.outfeed_shape));
    a.outfeed_shape = std::move(shape);
  }
  return OkStatus();
}
Status Write(const Context&, const OutfeedAttributes& a, proto::Instruction& m) {
  m.outfeed_config.value = a.outfeed_config;
  if (a.outfeed_shape.has_value()) m.outfeed_shape = ToProto(*a.outfeed_shape);
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, TransferAttributes& a) {
  a.channel_id = ReadChannel(m);
  a.is_host_transfer = m.is_host_transfer;
  return OkStatus();
}
Status Write(const Context&, const TransferAttributes& a, proto::Instruction& m) {
  m.channel_id = a.channel_id.value_or(0);
  m.is_host_transfer = a.is_host_transfer;
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, CopyStartAttributes& a) {
  a.cross_program_prefetch_index = m.cross_program_prefetch_index;
  if (m.is_cross_program_prefetch && !a.cross_program_prefetch_index.has_value()) a.cross_program_prefetch_index = 0;
  return OkStatus();
}
Status Write(const Context&, const CopyStartAttributes& a, proto::Instruction& m) {
  m.cross_program_prefetch_index = a.cross_program_prefetch_index;
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, AllGatherAttributes& a) { return ReadCollective(m, a); }
Status Write(const Context&, const AllGatherAttributes& a, proto::Instruction& m) { return WriteCollective(a, m); }
Status Read(const Context&, const proto::Instruction& m, AllReduceAttributes& a) { return ReadCollective(m, a); }
Status Write(const Context&, const AllReduceAttributes& a, proto::Instruction& m) { return WriteCollective(a, m); }
Status Read(const Context&, const proto::Instruction& m, ReduceScatterAttributes& a) { return ReadCollective(m, a); }
Status Write(const Context&, const ReduceScatterAttributes& a, proto::Instruction& m) { return WriteCollective(a, m); }
Status Read(const Context&, const proto::Instruction& m, AllToAllAttributes& a) { return ReadCollective(m, a); }
Status Write(const Context&, const AllToAllAttributes& a, proto::Instruction& m) { return WriteCollective(a, m); }
Status Read(const Context&, const proto::Instruction& m, RaggedAllToAllAttributes& a) { return ReadCollective(m, a); }
Status Write(const Context&, const RaggedAllToAllAttributes& a, proto::Instruction& m) { return WriteCollective(a, m); }
Status Read(const Context&, const proto::Instruction& m, CollectiveBroadcastAttributes& a) {
  return ReadCollective(m, a);
}
Status Write(const Context&, const CollectiveBroadcastAttributes& a, proto::Instruction& m) {
  return WriteCollective(a, m);
}

// The slice sizes of the in-place form are concatenated rows, each with one number per dimension of the operand.
Status Read(const Context& c, const proto::Instruction& m, CollectivePermuteAttributes& a) {
  a.channel_id = ReadChannel(m);
  for (const proto::SourceTarget& pair : m.source_target_pairs)
    a.source_target_pairs.emplace_back(pair.source, pair.target);
  if (c.operand_shapes.size() != 4) return OkStatus();
  const auto depth = [](const Shape& starts) {
    int tuples = 0;
    for (const Shape* at = &starts; at->IsTuple() && at->tuple_size() > 0 && tuples < 4; at = &at->tuple_shapes(0))
      ++tuples;
    return tuples;
  };
  // One array, or a tuple of them; for each of them the start of one slice, or a tuple of starts (one more level of
  // nesting).
  const Shape& data = *c.operand_shapes[0];
  const Shape& starts = *c.operand_shapes[depth(*c.operand_shapes[2]) >= depth(*c.operand_shapes[3]) ? 2 : 3];
  const size_t arrays = data.IsTuple() ? static_cast<size_t>(data.tuple_size()) : 1;
  size_t from = 0;
  for (size_t array = 0; array < arrays; ++array) {
    const Shape& shape = data.IsTuple() ? data.tuple_shapes(static_cast<int64_t>(array)) : data;
    const Shape* own = data.IsTuple() && starts.IsTuple() && static_cast<int64_t>(array) < starts.tuple_size()
                           ? &starts.tuple_shapes(static_cast<int64_t>(array))
                           : &starts;
    // The remaining ones belong to the last array.
    const int64_t slices = array + 1 == arrays ? INT64_MAX : depth(*own) >= 2 ? own->tuple_size() : 1;
    const size_t rank = static_cast<size_t>(std::max<int64_t>(shape.rank(), 0));
    for (int64_t slice = 0; slice < slices && rank > 0 && from + rank <= m.dynamic_slice_sizes.size();
         ++slice, from += rank) {
      a.slice_sizes.emplace_back(std::span(m.dynamic_slice_sizes).subspan(from, rank));
    }
  }
  if (from != m.dynamic_slice_sizes.size()) return InvalidArgument("slice_sizes: they do not fit the operands");
  return OkStatus();
}
Status Write(const Context&, const CollectivePermuteAttributes& a, proto::Instruction& m) {
  m.channel_id = a.channel_id.value_or(0);
  for (const auto& [source, target] : a.source_target_pairs) m.source_target_pairs.push_back({source, target});
  for (const DimVector& row : a.slice_sizes)
    m.dynamic_slice_sizes.insert(m.dynamic_slice_sizes.end(), row.begin(), row.end());
  return OkStatus();
}

Status Read(const Context&, const proto::Instruction& m, AsyncAttributes& a) {
  a.async_execution_thread = m.async_execution_thread;
  a.output_to_operand_aliasing = FromProto(m.output_operand_aliasing);
  return OkStatus();
}
Status Write(const Context&, const AsyncAttributes& a, proto::Instruction& m) {
  m.async_execution_thread = a.async_execution_thread;
  m.output_operand_aliasing = ToProto(a.output_to_operand_aliasing);
  return OkStatus();
}

}  // namespace

StatusOr<Attributes> ReadAttributes(const ProtoContext& context, HloOpcode opcode,
                                    const proto::Instruction& message) try {
  return AttributesTypeSwitch(opcode, [&](auto type) -> StatusOr<Attributes> {
    using A = typename decltype(type)::type;
    if constexpr (std::is_same_v<A, NoAttributes>) {
      return Attributes();
    } else {
      A attributes;
      if constexpr (requires { Read(context, message, attributes); }) {
        HLOIR_RETURN_IF_ERROR(Read(context, message, attributes));
      } else {
        static_assert(CoveredByName<proto::Instruction>(nullptr, static_cast<A*>(nullptr)),
                      "a field is not in the message under its own name: write a Read and a Write above");
        ReadByName(message, attributes);
      }
      return Attributes(GraphLoader(*context.module).KeepAttributes(std::move(attributes)));
    }
  });
} catch (const UnknownNumber& unknown) {
  return InvalidArgument(unknown.what());
}

Status WriteAttributes(const ProtoContext& context, const Attributes& attributes, proto::Instruction& message) {
  return attributes.Visit([&]<class T>(const T& a) {
    if constexpr (std::is_same_v<T, NoAttributes>) {
      return OkStatus();
    } else if constexpr (requires { Write(context, a, message); }) {
      return Write(context, a, message);
    } else {
      WriteByName(a, message);
      return OkStatus();
    }
  });
}

}  // namespace hloir
