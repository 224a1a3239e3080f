// Converter: the ops of StableHLO. Most are HLO's ops of the same name; ops that XLA's builder expands to several are
// expanded here as well. Ops that call computations are in calls.cc. See convert.h.
#include <algorithm>
#include <charconv>

#include "convert.h"
#include "hloir/parser.h"

namespace hloir::stablehlo {
namespace {

#define HLOIR_OPERANDS(count)                                                                \
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Op> operands, Operands(op, scope));               \
  if (static_cast<int>(operands.size()) < (count)) return Error(op, "has too few operands"); \
  if (op.results.empty()) return Error(op, "has no result");                                 \
  HloBuilder& b = scope.builder;                                                             \
  (void)b

const Shape& ResultShape(const Operation& op) { return op.results[0]->shape(); }

// The shape of the result if the type states all sizes, or null.
const Shape* Stated(const Operation& op) {
  const Shape& shape = ResultShape(op);
  for (int64_t d = 0; shape.IsArray() && d < shape.rank(); ++d) {
    if (shape.is_unbounded_dimension(d)) return nullptr;
  }
  return &shape;
}

// The window of a reduce-window or select-and-scatter.
StatusOr<Window> MakeWindow(const DimVector& sizes, const DimVector& strides, const DimVector& base,
                            const DimVector& dilations, const std::vector<std::vector<int64_t>>& padding) {
  Window window;
  const auto fits = [&](size_t size) { return size == 0 || size == sizes.size(); };
  if (!fits(strides.size()) || !fits(base.size()) || !fits(dilations.size()) || !fits(padding.size()))
    return InvalidArgument("its window's attributes are not of one length");
  for (size_t i = 0; i < sizes.size(); ++i) {
    WindowDimension d;
    d.size = sizes[i];
    if (!strides.empty()) d.stride = strides[i];
    if (!base.empty()) d.base_dilation = base[i];
    if (!dilations.empty()) d.window_dilation = dilations[i];
    if (!padding.empty()) {
      if (padding[i].size() != 2) return InvalidArgument("padding needs two numbers for each dimension");
      d.padding_low = padding[i][0], d.padding_high = padding[i][1];
    }
    window.push_back(d);
  }
  return window;
}

// One bracket of [b, f, 0]x[o, i, 0]->[b, f, 0]: positions of the two letters and of the numbers.
bool ReadLabels(std::string_view& text, char first, char second, int64_t& first_at, int64_t& second_at,
                DimVector& spatial) {
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return false;
  std::string_view inside = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  std::vector<std::pair<int64_t, int64_t>> numbers;
  bool has_first = false, has_second = false;
  for (int64_t at = 0; !inside.empty(); ++at) {
    inside.remove_prefix(std::min(inside.find_first_not_of(", "), inside.size()));
    const std::string_view word = inside.substr(0, inside.find_first_of(", "));
    inside.remove_prefix(word.size());
    int64_t number = 0;
    if (word.size() == 1 && word[0] == first) first_at = at, has_first = true;
    else if (word.size() == 1 && word[0] == second) second_at = at, has_second = true;
    else if (std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc())
      numbers.emplace_back(number, at);
    else return false;
  }
  std::sort(numbers.begin(), numbers.end());
  for (const auto& [number, at] : numbers) {
    if (number != static_cast<int64_t>(spatial.size())) return false;
    spatial.push_back(at);
  }
  return has_first && has_second;
}

}  // namespace

Status Converter::Precision(const Operation& op, PrecisionList& list) const {
  const Attribute* attribute = op.Find("precision_config");
  if (attribute == nullptr) return OkStatus();
  bool all_default = true;
  for (const Attribute& element : attribute->elements) {
    hloir::Precision precision = hloir::Precision::kDefault;
    if (element.text == "HIGH") precision = hloir::Precision::kHigh;
    else if (element.text == "HIGHEST") precision = hloir::Precision::kHighest;
    else if (element.text == "PACKED_NIBBLE") precision = hloir::Precision::kPackedNibble;
    else if (element.text != "DEFAULT") return Missing(op, "precision_config");
    all_default &= precision == hloir::Precision::kDefault;
    list.push_back(precision);
  }
  if (all_default) list.clear();
  return OkStatus();
}

// The op of HLO of that name, without attributes.
Status Converter::Simple(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(0);
  std::string name(op.name->base);
  std::replace(name.begin(), name.end(), '_', '-');
  const std::optional<HloOpcode> opcode = ParseOpcode(name);
  const bool is_plain = opcode.has_value() && GetOpcodeInfo(*opcode).calls == CallKind::kNone &&
                        AttributesTypeSwitch(*opcode, [](auto tag) {
                          return std::is_same_v<typename decltype(tag)::type, NoAttributes>;
                        });
  if (!is_plain || op.results.size() != 1 || !op.regions.empty())
    return Unsupported(op, Format("the op '{}' is not supported", op.name));
  return Set(op, scope, b.Make(*opcode, HloBuilder::Ops(operands), NoAttributes(), {}, Stated(op)));
}

Status Converter::ConstantOp(const Operation& op, Scope& scope) {
  const Attribute* value = op.Find("value");
  const bool fits = value != nullptr && value->literal != nullptr && op.results.size() == 1 && op.operands.empty() &&
                    value->type->Compatible(op.results[0]->shape());
  if (!fits) return Missing(op, "value");
  if (!as_written_) return OkStatus();  // made where it is used
  const Literal& literal = *value->literal;
  Literal all(op.results[0]->shape().WithDefaultLayout());
  const auto width = static_cast<size_t>(StorageBytes(all.shape().element_type()));
  for (int64_t i = 0; i < all.element_count(); ++i) {
    const int64_t from = literal.element_count() == 1 ? 0 : i;
    std::copy_n(literal.untyped_data() + static_cast<size_t>(from) * width, width,
                all.untyped_data() + static_cast<size_t>(i) * width);
  }
  return Set(op, scope, scope.builder.Constant(std::move(all)));
}

Status Converter::Iota(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(0);
  int64_t dimension = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "iota_dimension", dimension));
  const Shape& shape = ResultShape(op);
  if (dimension < 0 || dimension >= shape.rank()) return Error(op, "has no such dimension");
  if (shape.rank() == 1 || as_written_) return Set(op, scope, b.Iota(shape, dimension));
  Op line = b.Iota(Shape::Array(shape.element_type(), {shape.dimensions(dimension)}), 0);
  return Set(op, scope, b.Broadcast(line, shape.dimensions(), {dimension}));
}

// Dimensions of size 1 that grow are first reshaped away.
Status Converter::BroadcastInDim(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  DimVector dimensions;
  HLOIR_RETURN_IF_ERROR(Ints(op, "broadcast_dimensions", dimensions));
  const Shape &from = operands[0]->shape(), &to = ResultShape(op);
  if (static_cast<int64_t>(dimensions.size()) != from.rank())
    return Error(op, "needs a dimension for each of its operand's");
  bool grows = false;
  DimVector sizes = to.dimensions(), kept_sizes, kept;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t d = dimensions[i], size = from.dimensions(static_cast<int64_t>(i));
    if (d < 0 || d >= to.rank()) return Error(op, "has no such dimension");
    if (size != 1 && size != to.dimensions(d)) return Error(op, "can only make dimensions of size 1 larger");
    grows |= size != to.dimensions(d);
    sizes[static_cast<size_t>(d)] = size;
  }
  if (!grows) return Set(op, scope, b.Broadcast(operands[0], to.dimensions(), dimensions));
  Op inner = b.Broadcast(operands[0], sizes, dimensions);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != to.dimensions(static_cast<int64_t>(d))) continue;
    kept.push_back(static_cast<int64_t>(d));
    kept_sizes.push_back(sizes[d]);
  }
  return Set(op, scope, b.Broadcast(b.Reshape(inner, kept_sizes), to.dimensions(), kept));
}

// New dimensions in front.
Status Converter::Broadcast(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  const Shape& to = ResultShape(op);
  DimVector dimensions;
  for (int64_t i = 0; i < operands[0]->shape().rank(); ++i)
    dimensions.push_back(to.rank() - operands[0]->shape().rank() + i);
  return Set(op, scope, b.Broadcast(operands[0], to.dimensions(), dimensions));
}

Status Converter::Reshape(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  return Set(op, scope, b.Reshape(operands[0], ResultShape(op).dimensions()));
}

Status Converter::Transpose(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  DimVector permutation;
  HLOIR_RETURN_IF_ERROR(Ints(op, "permutation", permutation));
  return Set(op, scope, b.Transpose(operands[0], permutation));
}

Status Converter::Reverse(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  DimVector dimensions;
  HLOIR_RETURN_IF_ERROR(Ints(op, "dimensions", dimensions));
  return Set(op, scope, b.Reverse(operands[0], dimensions));
}

Status Converter::Concatenate(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  int64_t dimension = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "dimension", dimension));
  return Set(op, scope, b.Concatenate(HloBuilder::Ops(operands), dimension));
}

Status Converter::Slice(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  DimVector starts, limits, strides;
  HLOIR_RETURN_IF_ERROR(Ints(op, "start_indices", starts));
  HLOIR_RETURN_IF_ERROR(Ints(op, "limit_indices", limits));
  HLOIR_RETURN_IF_ERROR(Ints(op, "strides", strides));
  const auto rank = static_cast<size_t>(operands[0]->shape().rank());
  if (starts.size() != rank || limits.size() != rank || strides.size() != rank)
    return Error(op, "needs a range for each dimension");
  return Set(op, scope, b.Slice(operands[0], starts, limits, strides));
}

Status Converter::DynamicSlice(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  DimVector sizes;
  HLOIR_RETURN_IF_ERROR(Ints(op, "slice_sizes", sizes));
  return Set(op, scope, b.DynamicSlice(operands[0], HloBuilder::Ops(operands).subspan(1), sizes));
}

Status Converter::Pad(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  DimVector low, high, interior;
  HLOIR_RETURN_IF_ERROR(Ints(op, "edge_padding_low", low));
  HLOIR_RETURN_IF_ERROR(Ints(op, "edge_padding_high", high));
  HLOIR_RETURN_IF_ERROR(Ints(op, "interior_padding", interior));
  if (low.size() != high.size() || low.size() != interior.size())
    return Error(op, "its attributes are not of one length");
  PaddingConfig padding;
  for (size_t i = 0; i < low.size(); ++i) padding.push_back({low[i], high[i], interior[i]});
  return Set(op, scope, b.Pad(operands[0], operands[1], padding));
}

Status Converter::Gather(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  const Attribute* numbers = op.Find("dimension_numbers");
  if (numbers == nullptr) return Missing(op, "dimension_numbers");
  GatherAttributes a;
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "offset_dims", a.offset_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "collapsed_slice_dims", a.collapsed_slice_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "start_index_map", a.start_index_map));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "operand_batching_dims", a.operand_batching_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "start_indices_batching_dims", a.start_indices_batching_dims));
  if (const Attribute* dim = numbers->Find("index_vector_dim")) a.index_vector_dim = dim->integer;
  HLOIR_RETURN_IF_ERROR(Ints(op, "slice_sizes", a.slice_sizes));
  HLOIR_RETURN_IF_ERROR(Bool(op, "indices_are_sorted", a.indices_are_sorted));
  return Set(op, scope, b.Gather(operands[0], operands[1], a));
}

Status Converter::Scatter(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(3);
  const Attribute* numbers = op.Find("scatter_dimension_numbers");
  if (numbers == nullptr || operands.size() % 2 == 0) return Missing(op, "scatter_dimension_numbers");
  ScatterAttributes a;
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "update_window_dims", a.update_window_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "inserted_window_dims", a.inserted_window_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "scatter_dims_to_operand_dims", a.scatter_dims_to_operand_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "input_batching_dims", a.input_batching_dims));
  HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "scatter_indices_batching_dims", a.scatter_indices_batching_dims));
  if (const Attribute* dim = numbers->Find("index_vector_dim")) a.index_vector_dim = dim->integer;
  HLOIR_RETURN_IF_ERROR(Bool(op, "indices_are_sorted", a.indices_are_sorted));
  HLOIR_RETURN_IF_ERROR(Bool(op, "unique_indices", a.unique_indices));
  HLOIR_ASSIGN_OR_RETURN(HloComputation * update, RegionComputation(op, 0));
  const size_t count = operands.size() / 2;
  const HloBuilder::Ops all(operands);
  return SetAll(op, scope, b.Scatter(all.first(count), operands[count], all.subspan(count + 1), a, update));
}

// A scalar predicate is broadcast first. The result has the predicate's layout, as in XLA.
Status Converter::Select(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(3);
  Op pred = operands[0];
  if (pred->shape().IsScalar() && !operands[1]->shape().IsScalar() && operands[1]->shape().IsArray())
    pred = b.Broadcast(pred, operands[1]->shape().dimensions(), {});
  Op made = b.Select(pred, operands[1], operands[2]);
  if (made != nullptr && made->shape().IsArray())
    made->set_shape(pred->shape().WithElementType(made->shape().element_type()));
  return Set(op, scope, made);
}

Status Converter::Compare(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  CompareAttributes a;
  if (op.Find("comparison_direction") == nullptr) return Missing(op, "comparison_direction");
  HLOIR_RETURN_IF_ERROR(Word(op, "comparison_direction", a.direction));
  const std::string_view type = Text(op, "compare_type");
  // Set only if it differs from the one that the operands' type implies.
  if (type == "TOTALORDER") a.type = ComparisonType::kFloatTotalOrder;
  return Set(op, scope, b.Compare(operands[0], operands[1], a.direction, a.type));
}

Status Converter::Convert(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  const PrimitiveType type = ResultShape(op).element_type();
  if (op.name->base == "bitcast_convert") {
    const Shape& from = operands[0]->shape();
    const bool keeps_sizes = from.IsArray() && from.rank() == ResultShape(op).rank();
    const Shape same = keeps_sizes ? from.WithElementType(type) : ResultShape(op);
    const Shape* shape = Stated(op) == nullptr ? &same : Stated(op);
    return Set(op, scope, b.Make(HloOpcode::kBitcastConvert, {operands[0]}, NoAttributes(), {}, shape));
  }
  // A real number of a complex one is that of its real part.
  Op x = operands[0];
  const bool drops_imaginary = x->shape().IsArray() && IsComplex(x->shape().element_type()) && !IsComplex(type);
  return Set(op, scope, b.Convert(drops_imaginary && !as_written_ ? b.Real(x) : x, type));
}

// Bounds that are scalars are broadcast, each by itself.
Status Converter::Clamp(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(3);
  const Shape& shape = operands[1]->shape();
  const auto bound = [&](Op x) {
    const bool widens = !as_written_ && shape.IsArray() && !shape.IsScalar() && x->shape().IsScalar();
    return widens ? b.Broadcast(x, shape.dimensions(), {}) : x;
  };
  Op low = bound(operands[0]), high = bound(operands[2]);
  return Set(op, scope, b.Make(HloOpcode::kClamp, {low, operands[1], high}, NoAttributes(), {}, Stated(op)));
}

Status Converter::ReducePrecision(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  int64_t exponent = 0, mantissa = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "exponent_bits", exponent));
  HLOIR_RETURN_IF_ERROR(Int(op, "mantissa_bits", mantissa));
  return Set(op, scope, b.ReducePrecision(operands[0], exponent, mantissa));
}

namespace {

// The algorithm that {lhs_precision_type = …, …} describes.
DotAlgorithm AlgorithmOf(const Attribute& attribute) {
  const auto word = [&](std::string_view name) {
    const Attribute* found = attribute.Find(name);
    return found != nullptr ? found->text : std::string_view();
  };
  const auto number = [&](std::string_view name) {
    const Attribute* found = attribute.Find(name);
    return found != nullptr ? found->integer : int64_t{1};
  };
  const std::string_view lhs = word("lhs_precision_type"), rhs = word("rhs_precision_type"),
                         sum = word("accumulation_type");
  const Attribute* imprecise = attribute.Find("allow_imprecise_accumulation");
  std::string name = "dot_";
  if (lhs.starts_with("f8") && rhs.starts_with("f8")) {
    name += "any_f8_any_f8_f32";
    if (imprecise != nullptr && imprecise->integer != 0) name += "_fast_accum";
  } else {
    name += Format("{}_{}_{}", lhs, rhs, sum);
    if (number("num_primitive_operations") > 1) name += Format("_x{}", number("num_primitive_operations"));
  }
  const auto words = EnumWords<DotAlgorithm>();
  const auto found = std::find(words.begin(), words.end(), name);
  return found == words.end() ? DotAlgorithm::kUnset : static_cast<DotAlgorithm>(found - words.begin());
}

}  // namespace

Status Converter::Dot(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  DotAttributes a;
  if (const Attribute* numbers = op.Find("dot_dimension_numbers")) {
    HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "lhs_batching_dimensions", a.lhs_batch_dims));
    HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "rhs_batching_dimensions", a.rhs_batch_dims));
    HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "lhs_contracting_dimensions", a.lhs_contracting_dims));
    HLOIR_RETURN_IF_ERROR(EntryInts(op, *numbers, "rhs_contracting_dimensions", a.rhs_contracting_dims));
  } else if (op.name->base == "dot") {
    a.lhs_contracting_dims = {operands[0]->shape().rank() - 1};
    a.rhs_contracting_dims = {0};
  }
  HLOIR_RETURN_IF_ERROR(Precision(op, a.operand_precision));
  if (const Attribute* algorithm = op.Find("algorithm")) {
    a.algorithm = AlgorithmOf(*algorithm);
    if (a.algorithm == DotAlgorithm::kUnset) return Unsupported(op, "unknown dot algorithm");
  }
  return Set(op, scope, b.Dot(operands[0], operands[1], a, ResultShape(op).element_type()));
}

Status Converter::Convolution(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  ConvolutionAttributes a;
  const Attribute* numbers = op.Find("dimension_numbers");
  if (numbers == nullptr) return Missing(op, "dimension_numbers");
  std::string_view text = numbers->source;
  ConvDimensionNumbers& d = a.dim_labels;
  if (!ReadLabels(text, 'b', 'f', d.input_batch, d.input_feature, d.input_spatial) ||
      !ReadLabels(text, 'i', 'o', d.kernel_input_feature, d.kernel_output_feature, d.kernel_spatial) ||
      !ReadLabels(text, 'b', 'f', d.output_batch, d.output_feature, d.output_spatial))
    return Missing(op, "dimension_numbers");
  DimVector sizes, strides, base, dilations, reversal;
  std::vector<std::vector<int64_t>> padding;
  for (int64_t dim : d.kernel_spatial) {
    if (dim >= operands[1]->shape().rank()) return Missing(op, "dimension_numbers");
    sizes.push_back(operands[1]->shape().dimensions(dim));
  }
  HLOIR_RETURN_IF_ERROR(Ints(op, "window_strides", strides));
  HLOIR_RETURN_IF_ERROR(Ints(op, "lhs_dilation", base));
  HLOIR_RETURN_IF_ERROR(Ints(op, "rhs_dilation", dilations));
  HLOIR_RETURN_IF_ERROR(Ints(op, "window_reversal", reversal));
  HLOIR_RETURN_IF_ERROR(Rows(op, "padding", padding));
  StatusOr<Window> window = MakeWindow(sizes, strides, base, dilations, padding);
  if (!window.ok()) return Error(op, window.status().message());
  a.window = *window;
  for (size_t i = 0; i < std::min(reversal.size(), a.window.size()); ++i)
    a.window[i].window_reversal = reversal[i] != 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "feature_group_count", a.feature_group_count));
  HLOIR_RETURN_IF_ERROR(Int(op, "batch_group_count", a.batch_group_count));
  HLOIR_RETURN_IF_ERROR(Precision(op, a.operand_precision));
  return Set(op, scope, b.Convolution(operands[0], operands[1], a, ResultShape(op).element_type()));
}

Status Converter::Reduce(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  DimVector dimensions;
  HLOIR_RETURN_IF_ERROR(Ints(op, "dimensions", dimensions));
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, RegionComputation(op, 0));
  const HloBuilder::Ops all(operands);
  const size_t count = operands.size() / 2;
  return SetAll(op, scope, b.Reduce(all.first(count), all.subspan(count), dimensions, body));
}

Status Converter::ReduceWindow(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  DimVector sizes, strides, base, dilations;
  std::vector<std::vector<int64_t>> padding;
  HLOIR_RETURN_IF_ERROR(Ints(op, "window_dimensions", sizes));
  HLOIR_RETURN_IF_ERROR(Ints(op, "window_strides", strides));
  HLOIR_RETURN_IF_ERROR(Ints(op, "base_dilations", base));
  HLOIR_RETURN_IF_ERROR(Ints(op, "window_dilations", dilations));
  HLOIR_RETURN_IF_ERROR(Rows(op, "padding", padding));
  StatusOr<Window> window = MakeWindow(sizes, strides, base, dilations, padding);
  if (!window.ok()) return Error(op, window.status().message());
  const Attribute* names = op.Find("called_computations");  // of an op that was a custom call: simplify_dynamic.cc
  const bool is_named = op.regions.empty() && names != nullptr && names->elements.size() == 1;
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body,
                         is_named ? Function(names->elements[0].text, op) : RegionComputation(op, 0));
  const HloBuilder::Ops all(operands);
  const size_t count = operands.size() / 2;
  return SetAll(op, scope, b.ReduceWindow(all.first(count), all.subspan(count), *window, body));
}

Status Converter::SelectAndScatter(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(3);
  DimVector sizes, strides;
  std::vector<std::vector<int64_t>> padding;
  HLOIR_RETURN_IF_ERROR(Ints(op, "window_dimensions", sizes));
  HLOIR_RETURN_IF_ERROR(Ints(op, "window_strides", strides));
  HLOIR_RETURN_IF_ERROR(Rows(op, "padding", padding));
  StatusOr<Window> window = MakeWindow(sizes, strides, {}, {}, padding);
  if (!window.ok()) return Error(op, window.status().message());
  HLOIR_ASSIGN_OR_RETURN(HloComputation * select, RegionComputation(op, 0));
  HLOIR_ASSIGN_OR_RETURN(HloComputation * scatter, RegionComputation(op, 1));
  return Set(op, scope, b.SelectAndScatter(operands[0], operands[1], operands[2], *window, select, scatter));
}

Status Converter::Map(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, RegionComputation(op, 0));
  return Set(op, scope, b.Map(HloBuilder::Ops(operands), body));
}

Status Converter::Sort(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  int64_t dimension = operands[0]->shape().rank() - 1;
  bool is_stable = false;
  HLOIR_RETURN_IF_ERROR(Int(op, "dimension", dimension));
  HLOIR_RETURN_IF_ERROR(Bool(op, "is_stable", is_stable));
  if (dimension < 0) dimension += operands[0]->shape().rank();
  HLOIR_ASSIGN_OR_RETURN(HloComputation * comparator, RegionComputation(op, 0));
  return SetAll(op, scope, b.Sort(HloBuilder::Ops(operands), dimension, comparator, is_stable));
}

Status Converter::Fft(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  FftType type = FftType::kFft;
  DimVector lengths;
  HLOIR_RETURN_IF_ERROR(Word(op, "fft_type", type));
  HLOIR_RETURN_IF_ERROR(Ints(op, "fft_length", lengths));
  return Set(op, scope, b.Fft(operands[0], type, lengths));
}

Status Converter::Cholesky(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  bool lower = false;
  HLOIR_RETURN_IF_ERROR(Bool(op, "lower", lower));
  return Set(op, scope, b.Cholesky(operands[0], lower));
}

Status Converter::TriangularSolve(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  TriangularSolveAttributes a;
  HLOIR_RETURN_IF_ERROR(Bool(op, "left_side", a.left_side));
  HLOIR_RETURN_IF_ERROR(Bool(op, "lower", a.lower));
  HLOIR_RETURN_IF_ERROR(Bool(op, "unit_diagonal", a.unit_diagonal));
  HLOIR_RETURN_IF_ERROR(Word(op, "transpose_a", a.transpose_a));
  return Set(op, scope, b.TriangularSolve(operands[0], operands[1], a));
}

Status Converter::BatchNorm(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(3);
  const Attribute* epsilon = op.Find("epsilon");
  int64_t feature = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "feature_index", feature));
  if (epsilon == nullptr) return Missing(op, "epsilon");
  const auto e = static_cast<float>(epsilon->number);
  if (op.name->base.ends_with("training"))
    return SetAll(op, scope, b.BatchNormTraining(operands[0], operands[1], operands[2], e, feature));
  if (operands.size() < 5) return Error(op, "has too few operands");
  return SetAll(op, scope,
                op.name->base.ends_with("inference")
                    ? b.BatchNormInference(operands[0], operands[1], operands[2], operands[3], operands[4], e, feature)
                    : b.BatchNormGrad(operands[0], operands[1], operands[2], operands[3], operands[4], e, feature));
}

Status Converter::Rng(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(2);
  const bool normal = Text(op, "rng_distribution") == "NORMAL";
  // HLO's op has no operand for the sizes of the result.
  if (as_written_ && operands.size() == 3 && operands[2]->IsConstant() && operands[2]->user_count() == 0)
    b.computation()->RemoveInstruction(operands[2]);
  return Set(op, scope,
             b.Rng(normal ? RandomDistribution::kRngNormal : RandomDistribution::kRngUniform, operands[0], operands[1],
                   ResultShape(op)));
}

Status Converter::RngBitGenerator(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  if (op.results.size() != 2) return Error(op, "has two results");
  const std::string_view word = Text(op, "rng_algorithm");
  const RandomAlgorithm algorithm = word == "THREE_FRY" ? RandomAlgorithm::kRngThreeFry
                                    : word == "PHILOX"  ? RandomAlgorithm::kRngPhilox
                                                        : RandomAlgorithm::kRngDefault;
  return SetAll(op, scope, b.RngBitGenerator(algorithm, operands[0], op.results[1]->shape()));
}

Status Converter::Tuple(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(0);
  return Set(op, scope, b.Tuple(HloBuilder::Ops(operands)));
}

Status Converter::GetTupleElement(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  int64_t index = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "index", index));
  return Set(op, scope, b.GetTupleElement(operands[0], index));
}

Status Converter::DimensionSize(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(1);
  int64_t dimension = 0;
  HLOIR_RETURN_IF_ERROR(Int(op, "dimension", dimension));
  if (op.name->base == "get_dimension_size") return Set(op, scope, b.GetDimensionSize(operands[0], dimension));
  if (operands.size() < 2) return Error(op, "has too few operands");
  return Set(op, scope, b.SetDimensionSize(operands[0], operands[1], dimension));
}

Status Converter::AfterAll(const Operation& op, Scope& scope) {
  HLOIR_OPERANDS(0);
  return Set(op, scope, b.AfterAll(HloBuilder::Ops(operands)));
}

Status Converter::OptimizationBarrier(const Operation& op, Scope& scope) {
  if (op.operands.empty()) return OkStatus();
  HLOIR_OPERANDS(1);
  return SetAll(op, scope, b.Make(HloOpcode::kOptimizationBarrier, {TupleUnlessOne(b, operands)}));
}

bool Converter::Knows(std::string_view name) {
  if (Table().contains(name)) return true;
  std::string hlo(name);
  std::replace(hlo.begin(), hlo.end(), '_', '-');
  return ParseOpcode(hlo).has_value();
}

const std::unordered_map<std::string_view, Converter::Emit>& Converter::Table() {
  using C = Converter;
  static const auto* const kTable = new std::unordered_map<std::string_view, Emit>{
      {"constant", &C::ConstantOp},
      {"iota", &C::Iota},
      {"broadcast_in_dim", &C::BroadcastInDim},
      {"broadcast", &C::Broadcast},
      {"reshape", &C::Reshape},
      {"transpose", &C::Transpose},
      {"reverse", &C::Reverse},
      {"concatenate", &C::Concatenate},
      {"slice", &C::Slice},
      {"dynamic_slice", &C::DynamicSlice},
      {"pad", &C::Pad},
      {"gather", &C::Gather},
      {"scatter", &C::Scatter},
      {"select", &C::Select},
      {"compare", &C::Compare},
      {"convert", &C::Convert},
      {"clamp", &C::Clamp},
      {"bitcast_convert", &C::Convert},
      {"reduce_precision", &C::ReducePrecision},
      {"dot", &C::Dot},
      {"dot_general", &C::Dot},
      {"convolution", &C::Convolution},
      {"reduce", &C::Reduce},
      {"reduce_window", &C::ReduceWindow},
      {"select_and_scatter", &C::SelectAndScatter},
      {"map", &C::Map},
      {"sort", &C::Sort},
      {"fft", &C::Fft},
      {"cholesky", &C::Cholesky},
      {"triangular_solve", &C::TriangularSolve},
      {"batch_norm_training", &C::BatchNorm},
      {"batch_norm_inference", &C::BatchNorm},
      {"batch_norm_grad", &C::BatchNorm},
      {"rng", &C::Rng},
      {"rng_bit_generator", &C::RngBitGenerator},
      {"tuple", &C::Tuple},
      {"get_tuple_element", &C::GetTupleElement},
      {"get_dimension_size", &C::DimensionSize},
      {"set_dimension_size", &C::DimensionSize},
      {"after_all", &C::AfterAll},
      {"create_token", &C::AfterAll},
      {"optimization_barrier", &C::OptimizationBarrier},
      {"func.call", &C::Call},
      {"composite", &C::Composite},
      {"while", &C::While},
      {"case", &C::Conditional},
      {"if", &C::Conditional},
      {"custom_call", &C::CustomCall},
      {"infeed", &C::Infeed},
      {"outfeed", &C::Outfeed},
      {"send", &C::Send},
      {"recv", &C::Recv},
      {"chlo.top_k", &C::TopK},
      {"chlo.ragged_dot", &C::RaggedDot},
      {"topk", &C::TopK},
      {"all_gather", &C::AllGather},
      {"all_reduce", &C::AllReduce},
      {"reduce_scatter", &C::ReduceScatter},
      {"all_to_all", &C::AllToAll},
      {"collective_permute", &C::CollectivePermute},
      {"collective_broadcast", &C::CollectiveBroadcast},
      {"sdy.sharding_constraint", &C::ShardingConstraint},
      {"sdy.manual_computation", &C::ManualComputation},
  };
  return *kTable;
}

}  // namespace hloir::stablehlo
