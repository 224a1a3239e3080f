// See stored.h.
#include "tools/stored.h"

#include <algorithm>
#include <cmath>

#include "tools/arguments.h"

namespace hloir::tool {
namespace {

double Allowed(PrimitiveType type, double own_error) {
  const PrimitiveType component = ComplexComponentType(type);
  if (!IsFloat(component)) return 0;
  return std::max(std::ldexp(32, -GetFloatFormat(component).mantissa_bits - 1), 16 * own_error);
}

}  // namespace

Comparison CompareWithStored(const HloModule& module, const Literal& result, const Literal& stored,
                             std::span<const Literal* const> inputs, const ModuleRunner& run) {
  Comparison comparison = CompareResults(result, stored, nullptr, nullptr);
  if (comparison.leaves.size() != stored.elements().size()) return comparison;
  const auto judge = [&](const Comparison* own) {
    comparison.agree = true;
    for (size_t i = 0; i < comparison.leaves.size(); ++i) {
      LeafDifference& leaf = comparison.leaves[i];
      const Shape &a = result.elements()[i].shape(), &b = stored.elements()[i].shape();
      const bool measured = own != nullptr && i < own->leaves.size();
      leaf.allowed_relative = Allowed(b.element_type(), measured ? own->leaves[i].max_relative : 0);
      leaf.agrees = a.element_type() == b.element_type() && a.SameDimensions(b) && leaf.same_nonfinite &&
                    leaf.max_relative <= leaf.allowed_relative;
      comparison.agree = comparison.agree && leaf.agrees;
    }
  };
  judge(nullptr);
  if (comparison.agree) return comparison;
  if (auto wide = WidenModule(module); wide.ok()) {
    if (auto value = run(**wide, inputs); value.ok()) {
      const Comparison own = CompareResults(result, Literal::Tuple(ResultLeaves(*value)), nullptr, nullptr);
      judge(&own);
    }
  }
  return comparison;
}

}  // namespace hloir::tool
