// See folded.h. Covered by tests/unit/meaning_test.cc.
#include "check/folded.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "check/rounding.h"

namespace hloir::check {
namespace {

constexpr size_t kMostValues = size_t{1} << 22;  // distinct values
constexpr size_t kMostPairs = 128;               // constants that are combined in pairs
constexpr int kFewDigits = 12;

constexpr PrimitiveType kRoundedTo[] = {PrimitiveType::F32, PrimitiveType::BF16, PrimitiveType::F16};

// `all` values; `narrow`: values of types with few digits; `small`: values of small constants, which occur as factors
// of formulas; `of_type`: the small values by the types in kRoundedTo.
struct Values {
  std::unordered_set<double> all, narrow, small;
  std::unordered_set<double> of_type[std::size(kRoundedTo)];
};

Values FoldedValuesOf(const HloModule& module) {
  constexpr int64_t kSmall = 16;
  Values values;
  for (const HloInstruction* i : module.AllInstructions()) {
    const PrimitiveType type = i->shape().element_type();
    if (!i->IsConstant() || !(IsFloat(type) || IsComplex(type))) continue;
    const int64_t count = i->literal().element_count();
    for (int64_t k = 0; k < count && values.all.size() < kMostValues; ++k) {
      const std::complex<double> element = i->literal().GetAsComplex(k);
      for (const double value : {element.real(), element.imag()}) {
        if (!std::isfinite(value) || value == 0) continue;
        values.all.insert(value);
        if (IsFloat(type) && GetFloatFormat(type).mantissa_bits < kFewDigits) values.narrow.insert(value);
        if (count > kSmall) continue;
        values.small.insert(value);
        for (size_t t = 0; t < std::size(kRoundedTo); ++t)
          if (ComplexComponentType(type) == kRoundedTo[t]) values.of_type[t].insert(value);
      }
    }
  }
  return values;
}

// Numbers such as 0.5, 3 and 100 are not rounded results. Larger or smaller ones may be: 2^31 may be 2^31 - 1 rounded,
// and 2^-34 the square of a unit in the last place.
bool HasFewDigits(double value) {
  if (std::abs(value) > 0x1p24 || std::abs(value) < 0x1p-16) return false;
  int exponent;
  const double digits = std::ldexp(std::frexp(value, &exponent), kFewDigits);
  return digits == std::rint(digits);
}

// The largest rounding error, in half-units, of an operation that `before` has more often than `after`: a constant of
// `after` may be its result.
int RoundingsOfRemovedOps(const HloModule& before, const HloModule& after) {
  // A batch norm's epsilon is an attribute: its sum with the variance, and the root, may have been folded.
  constexpr int kOfABatchNorm = 3, kMost = 8;
  std::vector<int64_t> more(static_cast<size_t>(kOpcodeCount));
  const auto for_each = [](const HloModule& module, auto f) {
    for (const HloInstruction* i : module.AllInstructions()) f(*i);
  };
  for_each(before, [&](const HloInstruction& i) { ++more[static_cast<size_t>(i.opcode())]; });
  for_each(after, [&](const HloInstruction& i) { --more[static_cast<size_t>(i.opcode())]; });
  int most = 0;
  for_each(before, [&](const HloInstruction& i) {
    if (more[static_cast<size_t>(i.opcode())] <= 0) return;
    const bool normalizes = i.HasAttributes<BatchNormAttributes>();
    most = std::max(most, normalizes ? kOfABatchNorm : static_cast<int>(2 * GetOpcodeInfo(i.opcode()).max_ulps));
  });
  return std::min(most, kMost);
}

}  // namespace

int RoundingsOfConstants(const HloModule& module) {
  constexpr int kInABatchNorm = 8;
  int count = 0;
  for (const HloInstruction* i : ComputedFromConstants(module)) {
    const bool normalizes = i->HasAttributes<BatchNormAttributes>();
    if (normalizes || Rounds(*i)) count += normalizes ? kInABatchNorm : 1;
  }
  return count;
}

FoldedConstants FindFoldedConstants(const HloModule& before, const HloModule& after) {
  FoldedConstants folded;
  const Values old = FoldedValuesOf(before), now = FoldedValuesOf(after);
  // In types with few digits, a rounded value looks like an exact one.
  const int roundings = RoundingsOfConstants(before) - RoundingsOfConstants(after);
  const bool was_computed = roundings > 0;
  for (double value : now.all) {
    folded.is_any_new = folded.is_any_new || old.all.count(value) == 0;
    const bool may_be = !HasFewDigits(value) || (was_computed && now.narrow.count(value) > 0);
    if (old.all.count(value) == 0 && may_be) folded.values.insert(value);
  }
  // Each removed or added constant may be a step of one computation.
  int gone = 0, come = 0;
  for (double value : folded.values) come += now.small.count(value) > 0;
  for (double value : old.small) gone += now.small.count(value) == 0;
  folded.roundings = std::max(std::clamp(std::max(gone, come), 1, 4), std::min(roundings, 8));
  folded.roundings = std::max(folded.roundings, RoundingsOfRemovedOps(before, after));

  std::vector<double> factors(old.small.begin(), old.small.end());
  std::sort(factors.begin(), factors.end());
  if (factors.size() > kMostPairs) factors.resize(kMostPairs);
  factors.push_back(1);
  const auto add = [&](double value) {
    for (size_t t = 0; t < std::size(kRoundedTo); ++t) {
      if (now.of_type[t].empty()) continue;
      const double rounded = Literal::Scalar(kRoundedTo[t], value).GetAsDouble(0);
      if (rounded == value || now.of_type[t].count(rounded) == 0) continue;
      if (gone > 0 || old.small.count(rounded) == 0) folded.values.insert(rounded);
    }
  };
  for (double x : factors) {
    for (double y : factors) {
      for (const double value : {x * y, x / y, x + y, x - y}) add(value), add(-value);
    }
  }
  return folded;
}

}  // namespace hloir::check
