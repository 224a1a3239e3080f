// Do two results agree? CompareResults() judges values; CompareModules() and JudgeResults() also fetch what it judges
// by.
//
// The rule, for each leaf: the two may be apart by twice the rounding error that each has, added up, and by a few units
// in the last place. The error of a result is its distance from the same module's result in wider arithmetic. By the
// triangle inequality, modules that mean the same always pass, and modules that do not are caught as soon as they
// differ by more than they round. Errors are those of a whole leaf: the largest distance of any element.
// Integers and booleans that rounding has not moved must be equal. NaNs must be in the same places, infinities too.
// Covered by tests/unit/equivalence_test.cc.
#include "hloir/equivalence.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

namespace hloir {
namespace {

// One unit in the last place, relative to the largest element. 0 where results are exact.
double RelativeUlp(PrimitiveType type) {
  const PrimitiveType component = ComplexComponentType(type);
  return IsFloat(component) ? std::ldexp(1.0, -GetFloatFormat(component).mantissa_bits) : 0;
}

bool IsNan(std::complex<double> v) { return std::isnan(v.real()) || std::isnan(v.imag()); }
bool IsFinite(std::complex<double> v) { return std::isfinite(v.real()) && std::isfinite(v.imag()); }
// Numbers of infinite parts: what is left to differ in the finite ones. Infinite if the infinities differ.
double FiniteDistance(std::complex<double> x, std::complex<double> y) {
  const auto part = [](double a, double b) { return a == b ? 0 : std::abs(a - b); };
  return std::max(part(x.real(), y.real()), part(x.imag(), y.imag()));
}

struct Distance {
  int64_t differing = 0;       // bitwise, a NaN being equal to any NaN
  double absolute = 0;         // of elements that are finite in both
  double largest = 0;          // magnitude of a finite element of the first
  bool same_nonfinite = true;  // NaNs and infinities in the same places
};

template <class T>
std::complex<double> Wide(T value) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
    return std::complex<double>(value);
  else return static_cast<double>(value);
}

// Both leaves have the same dimensions; their element types may differ.
Distance Measure(const Literal& a, const Literal& b) {
  Distance d;
  const int64_t n = a.element_count();
  const auto element = [&](std::complex<double> x, std::complex<double> y, bool same_bits) {
    if (IsFinite(x)) d.largest = std::max(d.largest, std::abs(x));
    if (same_bits) return;
    if (IsNan(x) || IsNan(y)) {
      if (IsNan(x) != IsNan(y)) d.same_nonfinite = false, ++d.differing;
      return;
    }
    ++d.differing;
    const double distance = IsFinite(x) && IsFinite(y) ? std::abs(x - y) : FiniteDistance(x, y);
    if (std::isfinite(distance)) d.absolute = std::max(d.absolute, distance);
    else d.same_nonfinite = false;
  };
  PrimitiveTypeSwitch(a.shape().element_type(), [&](auto tag_a) {
    using A = typename decltype(tag_a)::Storage;
    const auto x = a.data<A>();
    if (a.shape().element_type() == b.shape().element_type()) {
      const auto y = b.data<A>();
      for (int64_t i = 0; i < n; ++i) {
        element(Wide(x[i]), Wide(y[i]), std::memcmp(&x[i], &y[i], sizeof(A)) == 0);
      }
    } else {
      for (int64_t i = 0; i < n; ++i) element(Wide(x[i]), b.GetAsComplex(i), false);
    }
  });
  return d;
}

// The error of `result` against `wide`, leaf by leaf; 0 where they cannot be compared.
std::vector<double> MeasureErrors(const Literal& result, const Literal* wide) {
  const std::vector<const Literal*> leaves = result.Leaves();
  std::vector<double> errors(leaves.size(), 0);
  if (wide == nullptr) return errors;
  const std::vector<const Literal*> wide_leaves = wide->Leaves();
  if (wide_leaves.size() != leaves.size()) return errors;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i]->shape().IsArray() || !leaves[i]->shape().SameDimensions(wide_leaves[i]->shape())) continue;
    errors[i] = Measure(*leaves[i], *wide_leaves[i]).absolute;
  }
  return errors;
}

Comparison Compare(const Literal& a, const Literal& b, const std::vector<double>& errors, bool exact) {
  constexpr double kFewUlps = 4;
  Comparison comparison;
  const std::vector<const Literal*> a_leaves = a.Leaves(), b_leaves = b.Leaves();
  if (a_leaves.size() != b_leaves.size()) comparison.agree = false;
  for (size_t i = 0; i < std::min(a_leaves.size(), b_leaves.size()); ++i) {
    const Literal &x = *a_leaves[i], &y = *b_leaves[i];
    LeafDifference leaf;
    leaf.where = "out" + std::to_string(i);
    leaf.total = x.element_count();
    if (x.shape().element_type() != y.shape().element_type() || !x.shape().SameDimensions(y.shape()) ||
        x.dynamic_sizes() != y.dynamic_sizes()) {
      leaf.agrees = false;
      leaf.differing = leaf.total;
    } else if (x.shape().IsArray()) {
      const Distance d = Measure(x, y);
      leaf.differing = d.differing;
      leaf.max_absolute = d.absolute;
      leaf.same_nonfinite = d.same_nonfinite;
      const auto relative = [&](double absolute) { return absolute == 0 ? 0 : absolute / std::max(d.largest, 1e-300); };
      leaf.max_relative = relative(d.absolute);
      leaf.allowed_relative = exact ? 0 : relative(errors[i]) + kFewUlps * RelativeUlp(x.shape().element_type());
      leaf.agrees = exact ? d.differing == 0 : d.same_nonfinite && leaf.max_relative <= leaf.allowed_relative;
    }
    comparison.agree = comparison.agree && leaf.agrees;
    comparison.leaves.push_back(std::move(leaf));
  }
  return comparison;
}

bool HasDoubles(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      const PrimitiveType type = i->shape().element_type();
      if (type == PrimitiveType::F64 || type == PrimitiveType::C128) return true;
    }
  }
  return false;
}

// The rounding error of a module's result, leaf by leaf. Where the other arithmetic cannot run, it counts as none.
std::vector<double> RoundingErrors(const HloModule& module, const Literal& result,
                                   std::span<const Literal* const> inputs, const ModuleRunner& run) {
  const auto against = [&](StatusOr<std::unique_ptr<HloModule>> other) {
    if (!other.ok()) return MeasureErrors(result, nullptr);
    StatusOr<Literal> value = run(**other, inputs);
    return MeasureErrors(result, value.ok() ? &*value : nullptr);
  };
  std::vector<double> errors = against(WidenModule(module));
  if (HasDoubles(module)) {
    const std::vector<double> narrow = against(NarrowModule(module));
    for (size_t i = 0; i < errors.size(); ++i) errors[i] = std::max(errors[i], std::ldexp(narrow[i], 23 - 52));
  }
  return errors;
}

std::vector<double> Sum(std::vector<double> a, const std::vector<double>& b, double factor) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = factor * (a[i] + (i < b.size() ? b[i] : 0));
  return a;
}

constexpr double kErrorFactor = 2;

}  // namespace

double Comparison::max_absolute() const {
  double largest = 0;
  for (const LeafDifference& leaf : leaves) largest = std::max(largest, leaf.max_absolute);
  return largest;
}

int64_t Comparison::differing() const {
  int64_t count = 0;
  for (const LeafDifference& leaf : leaves) count += leaf.differing;
  return count;
}

Comparison CompareResults(const Literal& a, const Literal& b, const Literal* wide_a, const Literal* wide_b,
                          const EquivalenceOptions& options) {
  return Compare(a, b, Sum(MeasureErrors(a, wide_a), MeasureErrors(b, wide_b), kErrorFactor), options.exact);
}

Comparison JudgeResults(const HloModule& a, const Literal& result_a, const HloModule& b, const Literal& result_b,
                        std::span<const Literal* const> inputs, const ModuleRunner& run,
                        const EquivalenceOptions& options) {
  Comparison first = CompareResults(result_a, result_b, nullptr, nullptr, options);
  if (options.exact || first.differing() == 0) return first;
  return Compare(result_a, result_b,
                 Sum(RoundingErrors(a, result_a, inputs, run), RoundingErrors(b, result_b, inputs, run), kErrorFactor),
                 /*exact=*/false);
}

StatusOr<Comparison> CompareModules(const HloModule& a, const HloModule& b, std::span<const Literal* const> inputs,
                                    const ModuleRunner& run, const EquivalenceOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(const Literal result_a, run(a, inputs));
  HLOIR_ASSIGN_OR_RETURN(const Literal result_b, run(b, inputs));
  return JudgeResults(a, result_a, b, result_b, inputs, run, options);
}

}  // namespace hloir
