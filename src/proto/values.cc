// Conversion of shapes, shardings, windows and similar values between the graph and XLA's messages. Literals:
// literal.cc.
#include "values.h"

#include "ir/sharding_canonical.h"

namespace hloir {
namespace {

Sharding::Kind KindFromProto(int64_t type) {
  switch (type) {
    case proto::ShardingType::kReplicated: return Sharding::Kind::kReplicated;
    case proto::ShardingType::kMaximal: return Sharding::Kind::kMaximal;
    case proto::ShardingType::kTuple: return Sharding::Kind::kTuple;
    case proto::ShardingType::kManual: return Sharding::Kind::kManual;
    case proto::ShardingType::kUnreduced: return Sharding::Kind::kUnreduced;
    case proto::ShardingType::kOther: return Sharding::Kind::kTiled;
    default: return Sharding::Kind::kUnknown;
  }
}

int64_t KindToProto(Sharding::Kind kind) {
  switch (kind) {
    case Sharding::Kind::kReplicated: return proto::ShardingType::kReplicated;
    case Sharding::Kind::kMaximal: return proto::ShardingType::kMaximal;
    case Sharding::Kind::kTuple: return proto::ShardingType::kTuple;
    case Sharding::Kind::kManual: return proto::ShardingType::kManual;
    case Sharding::Kind::kUnreduced: return proto::ShardingType::kUnreduced;
    case Sharding::Kind::kTiled: return proto::ShardingType::kOther;
    case Sharding::Kind::kUnknown: return proto::ShardingType::kUnknown;
    case Sharding::Kind::kNamed: break;
  }
  return proto::ShardingType::kReplicated;
}

}  // namespace

DimVector ToDims(const proto::Int64s& numbers) { return DimVector(std::span<const int64_t>(numbers)); }
proto::Int64s ToInt64s(const DimVector& dims) { return proto::Int64s(dims.begin(), dims.end()); }

StatusOr<Shape> FromProto(const proto::Shape& message) {
  std::optional<PrimitiveType> type = PrimitiveTypeFromNumber(message.element_type);
  if (!type.has_value()) {
    return InvalidArgument("shape: no element type has the number " + std::to_string(message.element_type));
  }
  if (*type == PrimitiveType::TUPLE || *type == PrimitiveType::BUFFER) {
    std::vector<Shape> elements;
    elements.reserve(message.tuple_shapes.size());
    for (const proto::Shape& element : message.tuple_shapes) {
      HLOIR_ASSIGN_OR_RETURN(Shape shape, FromProto(element));
      elements.push_back(std::move(shape));
    }
    if (*type == PrimitiveType::TUPLE) return Shape::Tuple(std::move(elements));
    if (elements.size() != 1) return InvalidArgument("shape: a buffer holds one shape");
    return Shape::Buffer(std::move(elements[0]));
  }
  Shape shape(*type, ToDims(message.dimensions));
  if (!shape.IsArray()) {
    if (!message.dimensions.empty()) return InvalidArgument("shape: only arrays have dimensions");
    return shape;
  }
  for (size_t i = 0; i < message.dimensions.size(); ++i) {
    if (message.dimensions[i] < 0 && message.dimensions[i] != Shape::kUnboundedSize) {
      return InvalidArgument("shape: a dimension of negative size");
    }
  }
  for (size_t i = 0; i < message.is_dynamic_dimension.size() && i < message.dimensions.size(); ++i) {
    shape.set_dynamic_dimension(static_cast<int64_t>(i), message.is_dynamic_dimension[i]);
  }
  if (!message.layout.has_value()) return shape;
  const proto::Layout& from = *message.layout;
  std::vector<bool> seen(message.dimensions.size(), false);
  for (int64_t dim : from.minor_to_major) {
    if (dim < 0 || dim >= shape.rank() || seen[dim]) return InvalidArgument("shape: the layout is not a permutation");
    seen[dim] = true;
  }
  if (from.minor_to_major.size() != message.dimensions.size())
    return InvalidArgument("shape: the layout is not a permutation");
  Layout layout(ToDims(from.minor_to_major));
  LayoutExtras extras;
  for (const proto::Tile& tile : from.tiles) extras.tiles.push_back({ToDims(tile.dimensions)});
  for (size_t i = 0; i < from.dim_level_types.size(); ++i) {
    DimLevel level;
    level.type = "DCSH"[from.dim_level_types[i] & 3];
    level.non_unique = i < from.dim_unique.size() && !from.dim_unique[i];
    level.non_ordered = i < from.dim_ordered.size() && !from.dim_ordered[i];
    extras.dim_levels.push_back(level);
  }
  if (from.tail_padding_alignment_in_elements > 0) {
    extras.tail_padding_alignment_in_elements = from.tail_padding_alignment_in_elements;
  }
  extras.index_primitive_type = PrimitiveTypeFromNumber(from.index_primitive_type).value_or(PrimitiveType::INVALID);
  extras.pointer_primitive_type = PrimitiveTypeFromNumber(from.pointer_primitive_type).value_or(PrimitiveType::INVALID);
  extras.element_size_in_bits = from.element_size_in_bits;
  extras.memory_space = from.memory_space;
  extras.dynamic_shape_metadata_prefix_bytes = from.dynamic_shape_metadata_prefix_bytes;
  for (const proto::SplitConfig& split : from.split_configs) {
    extras.split_configs.push_back({split.dimension, ToDims(split.split_indices)});
  }
  if (!from.physical_shape.empty()) {
    HLOIR_ASSIGN_OR_RETURN(Shape physical, FromProto(from.physical_shape[0]));
    extras.physical_shape = std::make_shared<const Shape>(std::move(physical));
  }
  layout.set_extras(std::move(extras));
  shape.set_layout(std::move(layout));
  return shape;
}

proto::Shape ToProto(const Shape& shape) {
  proto::Shape message;
  message.element_type = static_cast<int64_t>(shape.element_type());
  message.dimensions = ToInt64s(shape.dimensions());
  for (const Shape& element : shape.tuple_shapes()) message.tuple_shapes.push_back(ToProto(element));
  for (int64_t i = 0; i < shape.rank(); ++i) message.is_dynamic_dimension.push_back(shape.is_dynamic_dimension(i));
  if (!shape.has_layout()) return message;
  proto::Layout& layout = message.layout.emplace();
  layout.minor_to_major = ToInt64s(shape.layout().minor_to_major());
  const LayoutExtras& extras = shape.layout().extras();
  for (const Tile& tile : extras.tiles) layout.tiles.push_back({ToInt64s(tile.dimensions)});
  for (const DimLevel& level : extras.dim_levels) {
    layout.dim_level_types.push_back(static_cast<int64_t>(std::string_view("DCSH").find(level.type)));
    layout.dim_unique.push_back(!level.non_unique);
    layout.dim_ordered.push_back(!level.non_ordered);
  }
  layout.tail_padding_alignment_in_elements = extras.tail_padding_alignment_in_elements;
  layout.index_primitive_type = static_cast<int64_t>(extras.index_primitive_type);
  layout.pointer_primitive_type = static_cast<int64_t>(extras.pointer_primitive_type);
  layout.element_size_in_bits = extras.element_size_in_bits;
  layout.memory_space = extras.memory_space;
  layout.dynamic_shape_metadata_prefix_bytes = extras.dynamic_shape_metadata_prefix_bytes;
  for (const SplitConfig& split : extras.split_configs) {
    layout.split_configs.push_back({split.dimension, ToInt64s(split.split_indices)});
  }
  if (extras.physical_shape != nullptr) layout.physical_shape.push_back(ToProto(*extras.physical_shape));
  return message;
}

Window FromProto(const proto::Window& message) {
  Window window;
  for (const proto::WindowDimension& d : message.dimensions) {
    window.push_back(
        {d.size, d.stride, d.padding_low, d.padding_high, d.base_dilation, d.window_dilation, d.window_reversal});
  }
  return window;
}

proto::Window ToProto(const Window& window) {
  proto::Window message;
  for (const WindowDimension& d : window) {
    message.dimensions.push_back(
        {d.size, d.stride, d.padding_low, d.padding_high, d.window_dilation, d.base_dilation, d.window_reversal});
  }
  return message;
}

PaddingConfig FromProto(const proto::PaddingConfig& message) {
  PaddingConfig padding;
  for (const proto::PaddingDimension& d : message.dimensions)
    padding.push_back({d.edge_padding_low, d.edge_padding_high, d.interior_padding});
  return padding;
}

proto::PaddingConfig ToProto(const PaddingConfig& padding) {
  proto::PaddingConfig message;
  for (const PaddingDimension& d : padding) message.dimensions.push_back({d.low, d.high, d.interior});
  return message;
}

StatusOr<ConvDimensionNumbers> FromProto(const proto::ConvolutionDimensionNumbers& m) {
  constexpr int64_t kMostDimensions = 1024;  // text lists every dimension up to the largest
  proto::Int64s all = {m.input_batch_dimension,           m.input_feature_dimension, m.kernel_input_feature_dimension,
                       m.kernel_output_feature_dimension, m.output_batch_dimension,  m.output_feature_dimension};
  for (const proto::Int64s* spatial :
       {&m.input_spatial_dimensions, &m.kernel_spatial_dimensions, &m.output_spatial_dimensions}) {
    all.insert(all.end(), spatial->begin(), spatial->end());
  }
  for (int64_t dimension : all) {
    if (dimension < 0 || dimension >= kMostDimensions) {
      return InvalidArgument("convolution_dimension_numbers: no array has a dimension " + std::to_string(dimension));
    }
  }
  return ConvDimensionNumbers{m.input_batch_dimension,
                              m.input_feature_dimension,
                              m.kernel_input_feature_dimension,
                              m.kernel_output_feature_dimension,
                              m.output_batch_dimension,
                              m.output_feature_dimension,
                              ToDims(m.input_spatial_dimensions),
                              ToDims(m.kernel_spatial_dimensions),
                              ToDims(m.output_spatial_dimensions)};
}

proto::ConvolutionDimensionNumbers ToProto(const ConvDimensionNumbers& d) {
  return {.kernel_input_feature_dimension = d.kernel_input_feature,
          .kernel_output_feature_dimension = d.kernel_output_feature,
          .kernel_spatial_dimensions = ToInt64s(d.kernel_spatial),
          .input_batch_dimension = d.input_batch,
          .input_feature_dimension = d.input_feature,
          .output_batch_dimension = d.output_batch,
          .output_feature_dimension = d.output_feature,
          .input_spatial_dimensions = ToInt64s(d.input_spatial),
          .output_spatial_dimensions = ToInt64s(d.output_spatial)};
}

OpMetadata FromProto(const proto::OpMetadata& m) {
  OpMetadata metadata;
  metadata.op_type = m.op_type;
  metadata.op_name = m.op_name;
  metadata.source_file = m.source_file;
  metadata.deduplicated_name = m.deduplicated_name;
  metadata.scheduling_name = m.scheduling_name;
  metadata.source_line = m.source_line;
  metadata.source_end_line = m.source_end_line;
  metadata.source_column = m.source_column;
  metadata.source_end_column = m.source_end_column;
  metadata.stack_frame_id = m.stack_frame_id;
  metadata.profile_type = ToDims(m.profile_type);
  return metadata;
}

proto::OpMetadata ToProto(const OpMetadata& m) {
  return {.op_type = m.op_type,
          .op_name = m.op_name,
          .source_file = m.source_file,
          .source_line = m.source_line,
          .profile_type = ToInt64s(m.profile_type),
          .deduplicated_name = m.deduplicated_name,
          .stack_frame_id = m.stack_frame_id,
          .scheduling_name = m.scheduling_name,
          .source_end_line = m.source_end_line,
          .source_column = m.source_column,
          .source_end_column = m.source_end_column};
}

Mesh FromProto(const proto::Mesh& message) {
  Mesh mesh;
  for (const proto::MeshAxis& axis : message.axes) mesh.axes.emplace_back(axis.name, axis.size);
  if (message.axes.empty() && message.device_ids.size() == 1) {
    mesh.maximal_device_id = message.device_ids[0];
  } else if (message.iota_transform.has_value()) {
    DeviceList& ids = mesh.device_ids.emplace();
    ids.iota_reshape_dims = ToDims(message.iota_transform->reshape_dims);
    ids.iota_transpose_perm = ToDims(message.iota_transform->transpose_perm);
  } else if (!message.device_ids.empty()) {
    mesh.device_ids.emplace().devices = message.device_ids;
  }
  return mesh;
}

proto::Mesh ToProto(const Mesh& mesh) {
  proto::Mesh message;
  for (const auto& [name, size] : mesh.axes) message.axes.push_back({name, size});
  if (mesh.maximal_device_id >= 0) message.device_ids.push_back(mesh.maximal_device_id);
  if (mesh.device_ids.has_value()) {
    if (mesh.device_ids->iota_reshape_dims.empty()) {
      message.device_ids = mesh.device_ids->devices;
    } else {
      message.iota_transform = proto::IotaTransform{ToInt64s(mesh.device_ids->iota_reshape_dims),
                                                    ToInt64s(mesh.device_ids->iota_transpose_perm)};
    }
  }
  return message;
}

StatusOr<std::vector<MeshAxisRef>> FromProto(const std::vector<proto::AxisRef>& refs, const Mesh& mesh) {
  std::vector<MeshAxisRef> result;
  for (const proto::AxisRef& ref : refs) {
    if (ref.mesh_axis_index < 0 || ref.mesh_axis_index >= static_cast<int64_t>(mesh.axes.size())) {
      return InvalidArgument("mesh: axis " + std::to_string(ref.mesh_axis_index) + " of " +
                             std::to_string(mesh.axes.size()));
    }
    MeshAxisRef& axis = result.emplace_back();
    axis.axis = mesh.axes[ref.mesh_axis_index].first;
    if (ref.sub_axis_info.has_value()) {
      axis.sub_axis_pre_size = ref.sub_axis_info->pre_size;
      axis.sub_axis_size = ref.sub_axis_info->size;
    }
  }
  return result;
}

std::vector<proto::AxisRef> ToProto(const std::vector<MeshAxisRef>& refs, const Mesh& mesh) {
  std::vector<proto::AxisRef> result;
  for (const MeshAxisRef& ref : refs) {
    proto::AxisRef& axis = result.emplace_back();
    for (size_t i = 0; i < mesh.axes.size(); ++i) {
      if (mesh.axes[i].first == ref.axis) axis.mesh_axis_index = static_cast<int64_t>(i);
    }
    if (ref.sub_axis_size != 0) axis.sub_axis_info = proto::SubAxis{ref.sub_axis_pre_size, ref.sub_axis_size};
  }
  return result;
}

namespace {

// Positive sizes and their product, or -1.
int64_t CountOf(const DimVector& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (size <= 0 || __builtin_mul_overflow(count, size, &count)) return -1;
  }
  return count;
}

// The rules of the text parser: a device for each tile, an iota's order a permutation.
Status SettleTiles(Sharding& sharding) {
  DeviceList& devices = sharding.devices;
  const int64_t tiles = CountOf(sharding.tile_dims);
  const bool is_iota = !devices.iota_reshape_dims.empty();
  const int64_t given = is_iota ? CountOf(devices.iota_reshape_dims) : static_cast<int64_t>(devices.devices.size());
  std::vector<bool> seen(devices.iota_reshape_dims.size(), false);
  bool fits = devices.iota_transpose_perm.empty() || devices.iota_transpose_perm.size() == seen.size();
  for (int64_t dim : devices.iota_transpose_perm) {
    fits = fits && dim >= 0 && dim < static_cast<int64_t>(seen.size()) && !seen[static_cast<size_t>(dim)];
    if (fits) seen[static_cast<size_t>(dim)] = true;
  }
  if (tiles < 0 || given < tiles || !fits || (given > tiles && !KeepFirstDevices(devices, tiles)))
    return InvalidArgument("sharding: its tiles and its devices do not fit together");
  if (sharding.last_tile_dims.size() > sharding.tile_dims.size())
    return InvalidArgument("sharding: more last_tile_dims than tile dimensions");
  return OkStatus();
}

}  // namespace

StatusOr<Sharding> FromProto(const proto::OpSharding& m) {
  Sharding sharding;
  for (const proto::OpMetadata& metadata : m.named_sharding ? m.named_sharding->metadata : m.metadata) {
    sharding.metadata.push_back(FromProto(metadata).As<std::string>());
  }
  if (m.named_sharding.has_value()) {
    const proto::NamedSharding& named = *m.named_sharding;
    sharding.kind = Sharding::Kind::kNamed;
    if (named.mesh.has_value()) sharding.mesh = FromProto(*named.mesh);
    for (const proto::DimensionSharding& from : named.dim_shardings) {
      Sharding::Dimension& to = sharding.dimensions.emplace_back();
      HLOIR_ASSIGN_OR_RETURN(to.axes, FromProto(from.axes, sharding.mesh));
      to.open = !from.is_closed;
    }
    HLOIR_ASSIGN_OR_RETURN(sharding.replicated_axes, FromProto(named.replicated_axes, sharding.mesh));
    HLOIR_ASSIGN_OR_RETURN(sharding.unreduced_axes, FromProto(named.unreduced_axes, sharding.mesh));
    HLOIR_ASSIGN_OR_RETURN(sharding.manual_axes, FromProto(named.manual_axes, sharding.mesh));
    CanonicalizeSharding(sharding);
    return sharding;
  }
  sharding.kind = KindFromProto(m.type);
  for (const proto::OpSharding& element : m.tuple_shardings) {
    HLOIR_ASSIGN_OR_RETURN(Sharding converted, FromProto(element));
    sharding.tuple_elements.push_back(std::move(converted));
  }
  // A sharding to one device has no tiles here, but one tile in a message.
  if (sharding.kind != Sharding::Kind::kMaximal) sharding.tile_dims = ToDims(m.tile_assignment_dimensions);
  sharding.devices.devices = m.tile_assignment_devices;
  sharding.devices.iota_reshape_dims = ToDims(m.iota_reshape_dims);
  sharding.devices.iota_transpose_perm = ToDims(m.iota_transpose_perm);
  sharding.replicate_on_last_tile_dim = m.replicate_on_last_tile_dim;
  for (int64_t type : m.last_tile_dims) {
    const Sharding::Kind kind = KindFromProto(type);
    if (kind != Sharding::Kind::kReplicated && kind != Sharding::Kind::kManual && kind != Sharding::Kind::kUnreduced)
      return InvalidArgument("sharding: a last_tile_dims of type " + std::to_string(type));
    sharding.last_tile_dims.push_back(kind);
  }
  if (m.is_shard_group) {
    sharding.shard_group = m.shard_group_type == 0 ? Sharding::Group::kAs : Sharding::Group::kLike;
    sharding.shard_group_id = m.shard_group_id;
  }
  if (sharding.kind == Sharding::Kind::kTiled) HLOIR_RETURN_IF_ERROR(SettleTiles(sharding));
  CanonicalizeSharding(sharding);
  return sharding;
}

proto::OpSharding ToProto(const Sharding& sharding) {
  proto::OpSharding message;
  if (sharding.kind == Sharding::Kind::kNamed) {
    proto::NamedSharding& named = message.named_sharding.emplace();
    named.mesh = ToProto(sharding.mesh);
    for (const Sharding::Dimension& d : sharding.dimensions) {
      named.dim_shardings.push_back({ToProto(d.axes, sharding.mesh), !d.open});
    }
    // The word alone is said of all axes.
    std::vector<MeshAxisRef> all;
    for (const auto& [name, size] : sharding.mesh.axes) all.push_back({name});
    const auto axes_of = [&](std::string_view word, const std::vector<MeshAxisRef>& axes) {
      const bool is_word_alone = sharding.named_kind == word && axes.empty();
      return ToProto(is_word_alone ? all : axes, sharding.mesh);
    };
    named.replicated_axes = ToProto(sharding.replicated_axes, sharding.mesh);
    named.unreduced_axes = axes_of("unreduced", sharding.unreduced_axes);
    named.manual_axes = axes_of("manual", sharding.manual_axes);
    for (const OwnedOpMetadata& metadata : sharding.metadata) {
      named.metadata.push_back(ToProto(metadata.As<std::string_view>()));
    }
    return message;
  }
  message.type = KindToProto(sharding.kind);
  for (const Sharding& element : sharding.tuple_elements) message.tuple_shardings.push_back(ToProto(element));
  message.tile_assignment_dimensions = ToInt64s(sharding.tile_dims);
  if (sharding.kind == Sharding::Kind::kMaximal && sharding.tile_dims.empty()) message.tile_assignment_dimensions = {1};
  message.tile_assignment_devices = sharding.devices.devices;
  message.iota_reshape_dims = ToInt64s(sharding.devices.iota_reshape_dims);
  message.iota_transpose_perm = ToInt64s(sharding.devices.iota_transpose_perm);
  message.replicate_on_last_tile_dim = sharding.replicate_on_last_tile_dim;
  for (Sharding::Kind kind : sharding.last_tile_dims) message.last_tile_dims.push_back(KindToProto(kind));
  if (sharding.shard_group != Sharding::Group::kNone) {
    message.is_shard_group = true;
    message.shard_group_id = sharding.shard_group_id;
    message.shard_group_type = sharding.shard_group == Sharding::Group::kAs ? 0 : 1;
  }
  for (const OwnedOpMetadata& metadata : sharding.metadata) {
    message.metadata.push_back(ToProto(metadata.As<std::string_view>()));
  }
  return message;
}

OutputOperandAliasing FromProto(const std::vector<proto::OutputOperandAliasing>& message) {
  OutputOperandAliasing aliasing;
  for (const proto::OutputOperandAliasing& a : message) {
    aliasing.push_back({ToDims(a.output_shape_index), a.operand_index, ToDims(a.operand_shape_index)});
  }
  return aliasing;
}

std::vector<proto::OutputOperandAliasing> ToProto(const OutputOperandAliasing& aliasing) {
  std::vector<proto::OutputOperandAliasing> message;
  for (const OutputOperandAlias& a : aliasing) {
    message.push_back({ToInt64s(a.output_index), a.operand, ToInt64s(a.operand_index)});
  }
  return message;
}

namespace {

// A tree with the nesting of `shape`, without leaves.
OriginalValue EmptyOriginalValue(const Shape& shape) {
  OriginalValue value;
  value.is_tuple = shape.IsTuple();
  if (value.is_tuple) {
    for (const Shape& element : shape.tuple_shapes()) value.elements.push_back(EmptyOriginalValue(element));
  }
  return value;
}

void CollectLeaves(const OriginalValue& value, proto::Int64s& index, proto::OriginalValue& message) {
  if (value.is_tuple) {
    for (size_t i = 0; i < value.elements.size(); ++i) {
      index.push_back(static_cast<int64_t>(i));
      CollectLeaves(value.elements[i], index, message);
      index.pop_back();
    }
    return;
  }
  proto::OriginalValueElement& element = message.elements.emplace_back();
  element.shape_index = index;
  if (value.leaf.has_value()) element.original_array = ToProto(*value.leaf);
}

}  // namespace

StatusOr<OriginalValue> FromProto(const proto::OriginalValue& message, const Shape& shape) {
  if (message.is_synthetic_call) {
    OriginalValue value;
    value.synthetic_call = true;
    return value;
  }
  OriginalValue value = EmptyOriginalValue(shape);
  for (const proto::OriginalValueElement& element : message.elements) {
    OriginalValue* at = &value;
    for (int64_t i : element.shape_index) {
      if (i < 0 || i >= static_cast<int64_t>(at->elements.size())) {
        return InvalidArgument("original_value: an index that the shape does not have");
      }
      at = &at->elements[i];
    }
    if (element.original_array.has_value()) {
      at->leaf = FromProto(*element.original_array);
    }
  }
  return value;
}

OriginalArray FromProto(const proto::OriginalArray& message) {
  return {std::string(message.instruction_name), ToDims(message.shape_index)};
}

proto::OriginalArray ToProto(const OriginalArray& array) { return {array.first, ToInt64s(array.second)}; }

proto::OriginalValue ToProto(const OriginalValue& value) {
  proto::OriginalValue message;
  message.is_synthetic_call = value.synthetic_call;
  proto::Int64s index;
  if (!value.synthetic_call) CollectLeaves(value, index, message);
  return message;
}

}  // namespace hloir
