// CompareWithStored(): compares a result with one that was computed elsewhere. See check.h. Covered by
// tests/unit/corpus_test.cc and check_test.cc.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <list>
#include <span>
#include <utility>
#include <vector>

#include "check/compare.h"
#include "check/rounding.h"
#include "check/module_under_test.h"
#include "hloir/cost.h"
#include "check/widen.h"
#include "support/format.h"

namespace hloir::check {
namespace {

// A leaf with dynamic dimensions, cut to its dynamic sizes.
Literal CutToSize(const Literal& leaf) {
  if (leaf.dynamic_sizes().empty() || leaf.dynamic_sizes() == leaf.shape().dimensions()) return leaf;
  const DimVector& sizes = leaf.dynamic_sizes();
  Literal cut(Shape::Array(leaf.shape().element_type(), sizes));
  const size_t bytes = static_cast<size_t>(StorageBytes(leaf.shape().element_type()));
  for (int64_t i = 0; i < cut.element_count(); ++i) {
    int64_t source = 0, rest = i, stride = 1;
    for (int64_t d = leaf.shape().rank(); d-- > 0; stride *= leaf.shape().dimensions(d), rest /= sizes[d])
      source += rest % sizes[d] * stride;
    std::memcpy(cut.untyped_data() + static_cast<size_t>(i) * bytes,
                leaf.untyped_data() + static_cast<size_t>(source) * bytes, bytes);
  }
  return cut;
}

// The stored form of a result: its arrays, cut to their dynamic sizes.
Literal StoredForm(const Literal& result) {
  std::vector<Literal> leaves;
  for (const Literal* leaf : result.Leaves()) {
    if (leaf->shape().IsArray()) leaves.push_back(CutToSize(*leaf));
  }
  return Literal::Tuple(std::move(leaves));
}

constexpr double kLeastHalfUnits = 32;

// The allowed error in half-units in the last place of a leaf's largest element. Long sums get more: consecutive equal
// terms all round in the same direction, by half a unit of a growing sum, which perturbing the inputs does not show.
double HalfUnits(const HloModule& module) {
  constexpr double kMost = 256, kTermsOfOne = 2;
  double most_terms = 0;
  const CostAnalysis costs(module);
  for (const HloInstruction* i : module.AllInstructions()) most_terms = std::max(most_terms, TermsOf(*i, costs));
  return std::clamp(most_terms / kTermsOfOne, kLeastHalfUnits, kMost);
}

// Relative to a leaf's largest element.
double Allowed(PrimitiveType type, double half_units, double own_error) {
  const PrimitiveType component = ComplexComponentType(type);
  const double units = IsFloat(component) ? std::ldexp(half_units, -GetFloatFormat(component).mantissa_bits - 1) : 0;
  return std::max(units, 16 * own_error);
}

// Perturbs every float, and each part of every complex number, by one unit in the last place; the pattern decides the
// direction.
void Perturb(Literal& literal, uint64_t pattern) {
  for (Literal& element : literal.elements()) Perturb(element, pattern);
  const auto move_parts = [&]<class T>(std::span<std::complex<T>> values, PrimitiveType part) {
    Literal factors(Shape::Array(part, {2 * literal.element_count()}));
    FillWithNearlyOne(factors, pattern);
    const std::span<const T> by = std::as_const(factors).data<T>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = {values[i].real() * by[2 * i], values[i].imag() * by[2 * i + 1]};
  };
  if (literal.shape().element_type() == PrimitiveType::C64)
    move_parts(std::span(literal.data<std::complex<float>>()), PrimitiveType::F32);
  if (literal.shape().element_type() == PrimitiveType::C128)
    move_parts(std::span(literal.data<std::complex<double>>()), PrimitiveType::F64);
  if (!IsFloat(literal.shape().element_type())) return;
  Literal factors(Shape::Array(literal.shape().element_type(), literal.shape().dimensions()));
  FillWithNearlyOne(factors, pattern);
  for (int64_t i = 0; i < literal.element_count(); ++i)
    literal.SetFromDouble(i, literal.GetAsDouble(i) * factors.GetAsDouble(i));
}

// Raises each leaf's measured rounding error, relative to its largest element.

void RaiseErrors(Errors& errors, const Results& results, const StatusOr<Results>& other) {
  if (!other.ok() || other->size() != results.size()) return;
  for (size_t d = 0; d < errors.size(); ++d) {
    const Comparison distance = CompareResults(results[d], StoredForm((*other)[d]));
    for (size_t i = 0; i < std::min(errors[d].size(), distance.leaves.size()); ++i)
      errors[d][i] = std::max(errors[d][i], distance.leaves[i].max_relative);
  }
}

// Stops once `enough` accepts the errors.
Errors OwnErrors(const HloModule& module, const Results& results, const Arguments& arguments,
                 const ModuleRunner& runner, const std::function<bool(const Errors&)>& enough) {
  constexpr uint64_t kPatterns = 4;
  Errors errors;
  for (const Literal& result : results) errors.emplace_back(result.elements().size(), 0);
  if (auto wide = WidenModule(module); wide.ok()) RaiseErrors(errors, results, runner(**wide, arguments));
  for (uint64_t pattern = 0; pattern < kPatterns && !enough(errors); ++pattern) {
    std::list<Literal> moved;
    Arguments pointers(arguments.size());
    for (size_t d = 0; d < arguments.size(); ++d) {
      for (const Literal* argument : arguments[d]) {
        Perturb(moved.emplace_back(*argument), pattern);
        pointers[d].push_back(&moved.back());
      }
    }
    RaiseErrors(errors, results, runner(module, pointers));
    RaiseErrors(errors, results, runner(*PerturbModule(module, pattern), arguments));
  }
  return errors;
}

}  // namespace

Comparison CompareRounded(const HloModule& module, const Results& given_results, const Results& given_others,
                          const Arguments& arguments, const ModuleRunner& runner) {
  Results results, others;
  for (const Literal& result : given_results) results.push_back(StoredForm(result));
  for (const Literal& other : given_others) others.push_back(StoredForm(other));
  double half_units = kLeastHalfUnits;
  const auto judge = [&](const Errors& own_errors) {
    Comparison all;
    all.agree = results.size() == others.size();
    for (size_t d = 0; d < std::min(results.size(), others.size()); ++d) {
      Comparison one = CompareResults(results[d], others[d]);
      all.agree = all.agree && results[d].elements().size() == others[d].elements().size();
      for (size_t i = 0; i < one.leaves.size(); ++i) {
        LeafDifference& leaf = one.leaves[i];
        if (results.size() > 1) leaf.where = Format("device{}.{}", d, leaf.where);
        leaf.allowed_relative = Allowed(results[d].elements()[i].shape().element_type(), half_units,
                                        d < own_errors.size() ? own_errors[d][i] : 0);
        const bool near = leaf.max_relative <= leaf.allowed_relative ||
                          leaf.max_absolute < SmallestNormal(results[d].elements()[i].shape().element_type());
        leaf.agrees = leaf.comparable && leaf.nonfinite == 0 && near;
        all.agree = all.agree && leaf.agrees;
        all.leaves.push_back(std::move(leaf));
      }
    }
    return all;
  };
  Comparison first = judge({});
  if (first.agree) return first;
  half_units = HalfUnits(module);
  return judge(
      OwnErrors(module, results, arguments, runner, [&](const Errors& errors) { return judge(errors).agree; }));
}

}  // namespace hloir::check

namespace hloir {

Comparison CompareWithStored(const HloModule& module, const Literal& result, const Literal& stored,
                             std::span<const Literal* const> inputs, const ModuleRunner& runner) {
  return check::CompareRounded(module, {result}, {stored}, {{inputs.begin(), inputs.end()}}, runner);
}

}  // namespace hloir
