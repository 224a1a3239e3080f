// See stored.h.
#include "tools/stored.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/arguments.h"

namespace hloir::tool {
namespace {

double Allowed(PrimitiveType type, double own_error) {
  const PrimitiveType component = ComplexComponentType(type);
  if (!IsFloat(component)) return 0;
  return std::max(std::ldexp(32, -GetFloatFormat(component).mantissa_bits - 1), 16 * own_error);
}

// Every float moved by a unit in its last place, up or down by turns that follow no pattern of the data's.
void Perturb(Literal& literal) {
  for (Literal& element : literal.elements()) Perturb(element);
  const PrimitiveType type = literal.shape().element_type();
  if (!IsFloat(type)) return;
  const double ulp = std::ldexp(1.0, -GetFloatFormat(type).mantissa_bits);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const bool up = (static_cast<uint64_t>(i) * 0x9E3779B97F4A7C15 >> 63) != 0;
    literal.SetFromDouble(i, literal.GetAsDouble(i) * (up ? 1 + ulp : 1 - ulp));
  }
}

void RaiseErrors(std::vector<double>& errors, const Literal& result, const StatusOr<Literal>& other) {
  if (!other.ok()) return;
  const Comparison distance = CompareResults(result, Literal::Tuple(ResultLeaves(*other)), nullptr, nullptr);
  for (size_t i = 0; i < std::min(errors.size(), distance.leaves.size()); ++i) {
    errors[i] = std::max(errors[i], distance.leaves[i].max_relative);
  }
}

// What rounding does to each leaf of the result, relative to its largest element.
std::vector<double> OwnErrors(const HloModule& module, const Literal& result, std::span<const Literal* const> inputs,
                              const ModuleRunner& run) {
  std::vector<double> errors(result.elements().size(), 0);
  if (auto wide = WidenModule(module); wide.ok()) RaiseErrors(errors, result, run(**wide, inputs));
  std::vector<Literal> moved;
  for (const Literal* input : inputs) Perturb(moved.emplace_back(*input));
  RaiseErrors(errors, result, run(module, Pointers(moved)));
  return errors;
}

}  // namespace

Comparison CompareWithStored(const HloModule& module, const Literal& result, const Literal& stored,
                             std::span<const Literal* const> inputs, const ModuleRunner& run) {
  Comparison comparison = CompareResults(result, stored, nullptr, nullptr);
  const size_t count = stored.elements().size();
  if (comparison.leaves.size() != count || result.elements().size() != count) return comparison;
  const auto judge = [&](const std::vector<double>& own_errors) {
    comparison.agree = true;
    for (size_t i = 0; i < count; ++i) {
      LeafDifference& leaf = comparison.leaves[i];
      const Shape &a = result.elements()[i].shape(), &b = stored.elements()[i].shape();
      leaf.allowed_relative = Allowed(b.element_type(), own_errors[i]);
      leaf.agrees = a.element_type() == b.element_type() && a.SameDimensions(b) && leaf.same_nonfinite &&
                    leaf.max_relative <= leaf.allowed_relative;
      comparison.agree = comparison.agree && leaf.agrees;
    }
  };
  judge(std::vector<double>(count, 0));
  if (!comparison.agree) judge(OwnErrors(module, result, inputs, run));
  return comparison;
}

}  // namespace hloir::tool
