// Simplifier: ops with a computed shape that is known become ops of static shape. The converter reports an error for
// the others, as in XLA. Part of simplify.h.
#include "simplify.h"

namespace hloir::stablehlo {
namespace {

std::optional<DimVector> ConstantInts(const Attribute* constant) {
  if (constant == nullptr || !IsInteger(constant->literal->shape().element_type())) return std::nullopt;
  constexpr int64_t kMostDimensions = 64;
  const int64_t count = constant->type->shape.ElementCount();
  if (count > kMostDimensions) return std::nullopt;
  const bool is_splat = constant->literal->element_count() == 1;
  DimVector values;
  for (int64_t i = 0; i < count; ++i) values.push_back(constant->literal->GetAsInt64(is_splat ? 0 : i));
  return values;
}

}  // namespace

bool Simplifier::Dynamic(Operation& op, std::string_view name) {
  struct Form {
    std::string_view dynamic, fixed;
    size_t operands, kept;                       // the numbers of operands: all, and those kept
    std::array<std::string_view, 3> attributes;  // the attributes that replace the others
  };
  static constexpr Form kForms[] = {
      {"dynamic_reshape", "stablehlo.reshape", 2, 1, {}},
      {"dynamic_broadcast_in_dim", "stablehlo.broadcast_in_dim", 2, 1, {}},
      {"dynamic_iota", "stablehlo.iota", 1, 0, {}},
      {"dynamic_gather", "stablehlo.gather", 3, 2, {"slice_sizes"}},
      {"dynamic_pad", "stablehlo.pad", 5, 2, {"edge_padding_low", "edge_padding_high", "interior_padding"}},
      {"real_dynamic_slice", "stablehlo.slice", 4, 1, {"start_indices", "limit_indices", "strides"}},
  };
  for (const Form& form : kForms) {
    if (form.dynamic != name) continue;
    if (op.operands.size() != form.operands || op.results.size() != 1 || !op.results[0]->shape.IsStatic()) return false;
    for (size_t k = 0; form.kept + k < form.operands && !form.attributes[k].empty(); ++k) {
      const std::optional<DimVector> values = ConstantInts(Constant(op.operands[form.kept + k]));
      if (!values.has_value()) return false;
      Set(op, form.attributes[k], Ints(*values));
    }
    op.name = form.fixed;
    op.operands.resize(form.kept);
    return true;
  }
  return false;
}

}  // namespace hloir::stablehlo
