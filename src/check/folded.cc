// See folded.h. Covered by tests/unit/meaning_test.cc.
#include "check/folded.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <unordered_map>
#include <vector>

#include "check/error_bound.h"
#include "check/rounding.h"

namespace hloir::check {
namespace {

constexpr size_t kMostValues = size_t{1} << 22;  // distinct values
constexpr size_t kMostPairs = 128;               // constants that are combined in pairs
constexpr int kFewDigits = 12;

constexpr PrimitiveType kRoundedTo[] = {PrimitiveType::F64, PrimitiveType::F32, PrimitiveType::BF16,
                                        PrimitiveType::F16};

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

// The error of x + y in f64 (Knuth's two-sum); 0 if one of them is negligible, as such a sum is no other constant.
double ErrorOfSum(double x, double y) {
  const double sum = x + y, of_y = sum - x;
  return sum == x || sum == y ? 0 : (x - (sum - of_y)) + (y - of_y);
}

// The coefficient of a value: the product of the constant factors that a compiler may move to one place. In
// (x / c) * (x / c) it is 1 / c^2, the reciprocal of c, rounded, and its square, rounded: an error of 3 half-units.
struct Coefficient {
  bool is_one = true;
  int roundings = 0;
};

Coefficient Product(const Coefficient& a, const Coefficient& b) {
  return {a.is_one && b.is_one, a.roundings + b.roundings + (!a.is_one && !b.is_one)};
}

// For each number of roundings, the number of values whose coefficient has it.
std::map<int, int64_t> RoundingsOfCoefficients(const HloModule& module) {
  constexpr int kMost = 1 << 10;
  const std::unordered_set<const HloInstruction*> computed = ComputedFromConstants(module);
  std::unordered_map<const HloInstruction*, Coefficient> coefficients;
  const auto of = [&](const HloInstruction* i) {
    if (i->IsConstant() || computed.contains(i)) return Coefficient{.is_one = false};
    const auto found = coefficients.find(i);
    return found != coefficients.end() ? found->second : Coefficient();
  };
  std::map<int, int64_t> counts;
  for (const HloComputation* computation : module.PostOrder()) {
    for (const HloInstruction* i : computation->PostOrder()) {
      if (i->operand_count() == 0 || !i->shape().IsArray() || computed.contains(i)) continue;
      Coefficient c;
      if (IsOneOf(i->opcode(), HloOpcode::kMultiply, HloOpcode::kDot, HloOpcode::kConvolution)) {
        c = Product(of(i->operand(0)), of(i->operand(1)));
      } else if (i->opcode() == HloOpcode::kDivide) {
        Coefficient divisor = of(i->operand(1));
        divisor.roundings += !divisor.is_one;  // the reciprocal
        c = Product(of(i->operand(0)), divisor);
      } else if (i->Is(kMovesData) || IsOneOf(i->opcode(), HloOpcode::kAdd, HloOpcode::kSubtract, HloOpcode::kNegate,
                                              HloOpcode::kConvert, HloOpcode::kReducePrecision, HloOpcode::kReduce)) {
        // x * a + y has no coefficient; x * a + b has one.
        c.is_one = false;
        for (const HloInstruction* operand : i->operands()) {
          if (!operand->shape().IsArray() || IsExact(operand->shape().element_type())) continue;
          if (operand->IsConstant() || computed.contains(operand)) continue;
          const Coefficient o = of(operand);
          c.is_one = c.is_one || o.is_one;
          c.roundings = std::max(c.roundings, o.roundings);
        }
        if (c.is_one) c.roundings = 0;
      }  // of other functions, which are not linear, a coefficient stays inside
      c.roundings = std::min(c.roundings, kMost);
      coefficients[i] = c;
      if (c.roundings > 0) ++counts[c.roundings];
    }
  }
  return counts;
}

// The largest number of roundings of a coefficient of `before` that `after` lacks, as it may have merged the factors; 0
// if a coefficient of `after` has more.
int RoundingsOfMergedFactors(const HloModule& before, const HloModule& after) {
  constexpr int kMost = 16;
  const std::map<int, int64_t> old = RoundingsOfCoefficients(before), now = RoundingsOfCoefficients(after);
  const auto most = [](const std::map<int, int64_t>& of, const std::map<int, int64_t>& others) {
    for (auto it = of.rbegin(); it != of.rend(); ++it) {
      const auto found = others.find(it->first);
      if (found == others.end() || found->second < it->second) return it->first;
    }
    return 0;
  };
  const int lost = most(old, now);
  return lost > most(now, old) ? std::min(lost, kMost) : 0;
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
  folded.of_merged = RoundingsOfMergedFactors(before, after);
  const bool was_computed = roundings > 0 || folded.of_merged > 0;
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
  // `error`: of the value, which is a result in f64.
  const auto rounded_to = [](PrimitiveType type, double value) {
    return type == PrimitiveType::F64 ? value : Literal::Scalar(type, value).GetAsDouble(0);
  };
  const auto add = [&](double value, double error) {
    for (size_t t = 0; t < std::size(kRoundedTo); ++t) {
      if (now.of_type[t].empty()) continue;
      const double rounded = rounded_to(kRoundedTo[t], value);
      if ((rounded == value && error == 0) || now.of_type[t].count(rounded) == 0) continue;
      if (gone > 0 || old.small.count(rounded) == 0) folded.values.insert(rounded);
    }
  };
  const auto are_left_out = [&](double x, double y) {
    for (size_t t = 0; t < std::size(kRoundedTo); ++t) {
      const bool both = old.of_type[t].count(x) > 0 && old.of_type[t].count(y) > 0;
      if (both && (rounded_to(kRoundedTo[t], x * y) == 1 || rounded_to(kRoundedTo[t], x / y) == 1)) return true;
    }
    return false;
  };
  for (double x : factors) {
    for (double y : factors) {
      const bool are_gone = now.small.count(x) == 0 && now.small.count(y) == 0;
      if (folded.of_merged > 0 && x != y && are_gone && are_left_out(x, y)) folded.left_out.insert({x, y});
      const double product = x * y, quotient = x / y;
      for (const double sign : {1., -1.}) {
        add(sign * product, std::fma(x, y, -product));
        add(sign * quotient, std::fma(quotient, y, -x));
        add(sign * (x + y), ErrorOfSum(x, y));
        add(sign * (x - y), ErrorOfSum(x, -y));
      }
    }
  }
  return folded;
}

}  // namespace hloir::check
