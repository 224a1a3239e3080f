// Simplifier: makes implicit parts of CHLO explicit: broadcasts of operands (chlo.broadcast_add and similar ops with
// static shapes), constants of another value's shape; and elements of tuples. Part of simplify.h.
#include <algorithm>
#include <array>

#include "simplify.h"

namespace hloir::stablehlo {

// Dimensions count from the last, and of size 1 are repeated.
bool Simplifier::BroadcastOperands(Operation& op) {
  // The tree references names, so they must outlive it.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 21> kNames = {{
      {"add", "stablehlo.add"},
      {"and", "stablehlo.and"},
      {"atan2", "stablehlo.atan2"},
      {"compare", "stablehlo.compare"},
      {"complex", "stablehlo.complex"},
      {"divide", "stablehlo.divide"},
      {"maximum", "stablehlo.maximum"},
      {"minimum", "stablehlo.minimum"},
      {"multiply", "stablehlo.multiply"},
      {"next_after", "chlo.next_after"},
      {"or", "stablehlo.or"},
      {"polygamma", "chlo.polygamma"},
      {"power", "stablehlo.power"},
      {"remainder", "stablehlo.remainder"},
      {"select", "stablehlo.select"},
      {"shift_left", "stablehlo.shift_left"},
      {"shift_right_arithmetic", "stablehlo.shift_right_arithmetic"},
      {"shift_right_logical", "stablehlo.shift_right_logical"},
      {"subtract", "stablehlo.subtract"},
      {"xor", "stablehlo.xor"},
      {"zeta", "chlo.zeta"},
  }};
  const std::string_view name = op.name->base.substr(std::string_view("broadcast_").size());
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.first == name; });
  // (XLA supports only the last dimensions.)
  if (found == kNames.end() || op.results.size() != 1 || op.Find("broadcast_dimensions") != nullptr) return false;
  if (op.operands.size() != (name == "select" ? 3u : 2u)) return false;
  const Shape& shape = op.results[0]->shape();
  if (!shape.IsArray() || !shape.IsStatic()) return false;
  for (const Value* operand : op.operands) {
    const Shape& from = operand->shape();
    if (!from.IsArray() || !from.IsStatic() || from.rank() > shape.rank()) return false;
    for (int64_t d = 0; d < from.rank(); ++d) {
      if (from.dimensions(d) != 1 && from.dimensions(d) != shape.dimensions(shape.rank() - from.rank() + d))
        return false;
    }
  }
  for (Value*& operand : op.operands) {
    if (operand->shape().SameDimensions(shape)) continue;
    DimVector dimensions;
    for (int64_t d = shape.rank() - operand->shape().rank(); d < shape.rank(); ++d) dimensions.push_back(d);
    Operation& broadcast = New("stablehlo.broadcast_in_dim", op, {operand},
                               Shape::Array(operand->shape().element_type(), shape.dimensions()));
    Set(broadcast, "broadcast_dimensions", Ints(dimensions));
    operand = broadcast.results[0];
  }
  op.name = module_.Name(found->second);
  return true;
}

bool Simplifier::ConstantLike(Operation& op) {
  const Attribute* value = op.Find("value");
  if (value == nullptr || op.results.size() != 1) return false;
  const Shape& shape = op.results[0]->shape();
  if (!shape.IsArray() || !shape.IsStatic()) return false;
  if (op.name == "chlo.constant") {
    if (value->literal == nullptr || !op.operands.empty()) return false;
    op.name = module_.Name("stablehlo.constant");
    return true;
  }
  Literal literal(Shape::Scalar(shape.element_type()));
  if (IsFloat(shape.element_type()) && value->kind == Kind::kFloat) literal.SetFromDouble(0, value->number);
  else if (IsIntegerType(shape.element_type())) literal.SetFromInt64(0, value->integer);
  else return false;
  return Replace(op, NewConstant(op, shape, std::move(literal)));
}

bool Simplifier::TupleElement(Operation& op) {
  const int64_t index = GetInt(op, "index");
  Operation* tuple = op.operands[0]->op;
  if (tuple == nullptr || tuple->name != "stablehlo.tuple" || index < 0 ||
      index >= static_cast<int64_t>(tuple->operands.size()))
    return false;
  return Replace(op, tuple->operands[static_cast<size_t>(index)]);
}

bool Simplifier::DimensionSize(Operation& op) {
  const Shape& from = op.operands[0]->shape();
  const int64_t dimension = GetInt(op, "dimension");
  if (!from.IsArray() || dimension < 0 || dimension >= from.rank() || from.is_dynamic_dimension(dimension) ||
      from.is_unbounded_dimension(dimension))
    return false;
  return Replace(op, NewInteger(op, op.results[0]->shape(), from.dimensions(dimension)));
}

}  // namespace hloir::stablehlo
