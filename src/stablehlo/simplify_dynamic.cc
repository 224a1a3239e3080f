// Simplifier: ops with a computed shape that is known become ops of static shape. The converter reports an error for
// the others, as in XLA. Part of simplify.h.
#include <algorithm>

#include "simplify.h"

namespace hloir::stablehlo {
namespace {

std::optional<DimVector> ConstantInts(const Attribute* constant) {
  if (constant == nullptr || !IsInteger(constant->literal->shape().element_type())) return std::nullopt;
  constexpr int64_t kMostDimensions = 64;
  const int64_t count = constant->type->ElementCount();
  if (count > kMostDimensions) return std::nullopt;
  const bool is_splat = constant->literal->element_count() == 1;
  DimVector values;
  for (int64_t i = 0; i < count; ++i) values.push_back(constant->literal->GetAsInt64(is_splat ? 0 : i));
  return values;
}

}  // namespace

// Sizes that the result's type leaves open come from the constant operand that states them; those of a slice and of a
// padded array follow from its bounds.
bool Simplifier::TakeSizes(Operation& op, std::string_view name) {
  Shape shape = op.results[0]->shape();
  if (shape.IsStatic()) return true;
  const auto constant = [&](size_t operand) {
    const std::optional<DimVector> values = ConstantInts(Constant(op.operands[operand]));
    return values.value_or(DimVector());
  };
  if (!shape.IsArray()) return false;
  const auto rank = static_cast<size_t>(shape.rank());
  DimVector sizes;
  if (name == "dynamic_reshape" || name == "dynamic_broadcast_in_dim" || name == "dynamic_iota") {
    sizes = constant(op.operands.size() - 1);
  } else if (name == "real_dynamic_slice") {
    const DimVector start = constant(1), limit = constant(2), strides = constant(3);
    if (start.size() != rank || limit.size() != rank || strides.size() != rank) return false;
    for (size_t d = 0; d < rank; ++d) {
      if (strides[d] < 1 || limit[d] < start[d] || start[d] < 0) return false;
      sizes.push_back((limit[d] - start[d] + strides[d] - 1) / strides[d]);
    }
  } else {
    return name == "dynamic_gather" || name == "dynamic_pad" || name == "dynamic_conv";  // the converter infers them
  }
  if (sizes.size() != rank || std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; }))
    return false;
  for (size_t d = 0; d < rank; ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (!shape.is_unbounded_dimension(dimension) && shape.dimensions(dimension) != sizes[d]) return false;
    shape.set_dimension(dimension, sizes[d]);
    shape.set_dynamic_dimension(dimension, false);
  }
  op.results[0]->interned = module_.Intern(shape);
  return true;
}

// A slice of constant sizes from a computed start: its limit is the start plus a constant, and each stride 1.
bool Simplifier::RealDynamicSlice(Operation& op) {
  if (op.operands.size() != 4 || op.results.size() != 1) return false;
  Value *start = op.operands[1], *limit = op.operands[2];
  const std::optional<DimVector> strides = ConstantInts(Constant(op.operands[3]));
  const Operation* sum = Def(limit, "stablehlo.add");
  if (!strides.has_value() || sum == nullptr || sum->operands.size() != 2 || start->shape().rank() != 1 ||
      std::any_of(strides->begin(), strides->end(), [](int64_t stride) { return stride != 1; }))
    return false;
  const bool starts_first = sum->operands[0] == start;
  if (!starts_first && sum->operands[1] != start) return false;
  const std::optional<DimVector> sizes = ConstantInts(Constant(sum->operands[starts_first ? 1 : 0]));
  const Shape& shape = op.results[0]->shape();
  if (!sizes.has_value() || !shape.IsArray() || static_cast<int64_t>(sizes->size()) != shape.rank()) return false;
  Values operands = {op.operands[0]};
  const PrimitiveType type = start->shape().element_type();
  for (size_t d = 0; d < sizes->size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if ((*sizes)[d] < 0 || (!shape.is_unbounded_dimension(dimension) && shape.dimensions(dimension) != (*sizes)[d]))
      return false;
    Operation& one = New("stablehlo.slice", op, {start}, Shape::Array(type, {1}));
    Set(one, "start_indices", Ints({dimension}));
    Set(one, "limit_indices", Ints({dimension + 1}));
    Set(one, "strides", Ints({1}));
    operands.push_back(New("stablehlo.reshape", op, {one.results[0]}, Shape::Scalar(type)).results[0]);
  }
  op.results[0]->interned = module_.Intern(Shape::Array(shape.element_type(), *sizes));
  Become(op, "stablehlo.dynamic_slice", std::move(operands));
  Set(op, "slice_sizes", Ints(*sizes));
  return true;
}

// The custom calls that jax.export writes for ops whose attributes depend on symbolic sizes: with constant operands
// they are those ops. A reducer remains a function that the op names.
bool Simplifier::DynamicCall(Operation& op) {
  const Attribute* target = op.Find("call_target_name");
  if (target == nullptr) return false;
  const Values operands = op.operands;
  if (target->text == "stablehlo.dynamic_reduce_window") {
    static constexpr std::string_view kParts[] = {"window_dimensions", "window_strides", "base_dilations",
                                                  "window_dilations", "padding"};
    const Attribute* names = op.Find("called_computations");
    if (operands.size() != 2 * op.results.size() + std::size(kParts) || names == nullptr) return false;
    const Attribute called = *names;
    std::vector<Attribute> parts;
    for (size_t i = 2 * op.results.size(); i < operands.size(); ++i) {
      const Attribute* part = Constant(operands[i]);
      if (part == nullptr || !IsInteger(part->literal->shape().element_type())) return false;
      parts.push_back(*part);
    }
    Become(op, "stablehlo.reduce_window", {operands.begin(), operands.end() - std::size(kParts)});
    for (size_t i = 0; i < parts.size(); ++i) Set(op, kParts[i], std::move(parts[i]));
    Set(op, "called_computations", called);
    return true;
  }
  if (target->text == "stablehlo.dynamic_top_k") {
    const std::optional<DimVector> k = operands.size() == 2 ? ConstantInts(Constant(operands[1])) : std::nullopt;
    if (!k.has_value() || k->size() != 1) return false;
    Attribute count;
    count.kind = Kind::kInteger;
    count.integer = k->front();
    Become(op, "chlo.top_k", {operands[0]});
    Set(op, "k", std::move(count));
    return true;
  }
  if (target->text == "stablehlo.dynamic_rng_bit_generator") {
    const Attribute* algorithm = op.Find("rng_algorithm");
    const std::optional<DimVector> sizes = operands.size() == 2 ? ConstantInts(Constant(operands[1])) : std::nullopt;
    if (!sizes.has_value() || algorithm == nullptr || op.results.size() != 2) return false;
    Value* bits = op.results[1];
    bits->interned = module_.Intern(Shape::Array(bits->shape().element_type(), *sizes));
    const Attribute kept = *algorithm;
    Become(op, "stablehlo.rng_bit_generator", {operands[0]});
    Set(op, "rng_algorithm", kept);
    return true;
  }
  return false;
}

bool Simplifier::Dynamic(Operation& op, std::string_view name) {
  if (name == "custom_call") return DynamicCall(op);
  if (name == "real_dynamic_slice" && RealDynamicSlice(op)) return true;
  struct Form {
    std::string_view dynamic, fixed;
    size_t operands, kept;                       // the numbers of operands: all, and those kept
    std::array<std::string_view, 3> attributes;  // the attributes that replace the others
  };
  static constexpr Form kForms[] = {
      {"dynamic_reshape", "stablehlo.reshape", 2, 1, {}},
      {"dynamic_broadcast_in_dim", "stablehlo.broadcast_in_dim", 2, 1, {}},
      {"dynamic_iota", "stablehlo.iota", 1, 0, {}},
      {"dynamic_conv", "stablehlo.convolution", 3, 2, {"padding"}},
      {"dynamic_gather", "stablehlo.gather", 3, 2, {"slice_sizes"}},
      {"dynamic_pad", "stablehlo.pad", 5, 2, {"edge_padding_low", "edge_padding_high", "interior_padding"}},
      {"real_dynamic_slice", "stablehlo.slice", 4, 1, {"start_indices", "limit_indices", "strides"}},
  };
  for (const Form& form : kForms) {
    if (form.dynamic != name) continue;
    if (op.operands.size() != form.operands || op.results.size() != 1 || !TakeSizes(op, name)) return false;
    for (size_t k = 0; form.kept + k < form.operands && !form.attributes[k].empty(); ++k) {
      const Attribute* constant = Constant(op.operands[form.kept + k]);
      const std::optional<DimVector> values = ConstantInts(constant);
      if (!values.has_value()) return false;
      Set(op, form.attributes[k], constant->type->rank() == 2 ? *constant : Ints(*values));
    }
    op.name = module_.Name(form.fixed);
    op.operands.resize(form.kept);
    return true;
  }
  return false;
}

}  // namespace hloir::stablehlo
