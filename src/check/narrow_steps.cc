// See narrow_steps.h. Covered by tests/unit/meaning_test.cc and explanations_test.cc.
#include "check/narrow_steps.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/compare.h"
#include "check/error_bound.h"
#include "check/extremes.h"
#include "check/meaning.h"
#include "check/rounding.h"
#include "check/sources.h"
#include "check/thresholds.h"
#include "support/format.h"

namespace hloir::check {
namespace {

// The largest distance of two results in each leaf, relative to the leaf's largest magnitude.
std::vector<double> RelativeDistances(const Results& a, const Results& b) {
  std::vector<double> distances;
  ForEachLeaf(a, b, [&](size_t, size_t, const Literal& x, const Literal& y) {
    const Distance d = Measure(x, y);
    const bool counts = !IsExact(x.shape().element_type()) && d.absolute > 0 && d.largest > 0;
    distances.push_back(counts ? d.absolute / d.largest : 0);
  });
  return distances;
}

bool NamesDotAlgorithm(const HloModule& module) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->HasAttributes<DotAttributes>() && i->attributes<DotAttributes>().algorithm != DotAlgorithm::kUnset)
        return true;
    }
  }
  return false;
}

// The precision of a type.
struct Digits {
  int64_t exponent_bits, mantissa_bits;
};
std::optional<Digits> DigitsOf(DotAlgorithm algorithm) {
  switch (algorithm) {
    case DotAlgorithm::kAnyF8AnyF8F32:
    case DotAlgorithm::kAnyF8AnyF8F32FastAccum: return Digits{4, 3};
    case DotAlgorithm::kF16F16F16:
    case DotAlgorithm::kF16F16F32: return Digits{5, 10};
    case DotAlgorithm::kTF32TF32F32:
    case DotAlgorithm::kTF32TF32F32X3: return Digits{8, 10};
    case DotAlgorithm::kUnset:
    case DotAlgorithm::kF32F32F32:
    case DotAlgorithm::kF64F64F64: return std::nullopt;
    default: return Digits{8, 7};
  }
}

// The precision of each type narrower than f32 among the instructions on which the differing leaves depend; `rounded`:
// only of instructions that round to it.
std::vector<Digits> NarrowStepsOf(const HloModule& module, const Comparison& seen, bool rounded) {
  std::vector<Digits> steps;
  for (const HloInstruction* i : SourcesOf(module, seen)) {
    if (i->opcode() == HloOpcode::kReducePrecision) {
      const auto& to = i->attributes<ReducePrecisionAttributes>();
      steps.push_back({to.exponent_bits, to.mantissa_bits});
    }
    if (i->HasAttributes<DotAttributes>())
      if (const auto digits = DigitsOf(i->attributes<DotAttributes>().algorithm)) steps.push_back(*digits);
    if (rounded && !Rounds(*i) && i->opcode() != HloOpcode::kConvert) continue;
    for (const Shape* leaf : i->shape().Leaves()) {
      if (!IsFloat(leaf->element_type()) || BitWidth(leaf->element_type()) >= 32) continue;
      const FloatFormat format = GetFloatFormat(leaf->element_type());
      steps.push_back({format.exponent_bits, format.mantissa_bits});
    }
  }
  return steps;
}

// Whether conversions to fewer digits on which these leaves depend lost digits in a run in the module's own types. (An
// f32 number that is converted to f64 and back loses none.) nullopt if a conversion was not executed.
struct LostDigits {
  bool of_floats = false, of_integers = false;
};
std::optional<LostDigits> DroppedByConversions(ModuleUnderTest& subject, size_t set, const Comparison& seen) {
  std::unordered_map<const HloInstruction*, Literal> operands;
  std::unordered_set<const HloInstruction*> open;
  for (const HloInstruction* i : SourcesOf(subject.module(), seen)) {
    if (i->opcode() != HloOpcode::kConvert) continue;
    if (!RoundingHasMeaning(*i, i->shape().element_type(), i->operand(0)->shape().element_type())) continue;
    operands[i->operand(0)];
    open.insert(i);
  }
  LostDigits dropped;
  subject.set_watch([&](const HloInstruction& i, const Literal& value) {
    if (const auto operand = operands.find(&i); operand != operands.end()) operand->second = value;
    if (i.opcode() != HloOpcode::kConvert || !operands.contains(i.operand(0))) return;
    const Literal& operand = operands[i.operand(0)];
    const bool is_float = IsFloat(ComplexComponentType(operand.shape().element_type()));
    const bool whole = operand.element_count() == value.element_count();
    for (int64_t k = 0; whole && k < value.element_count(); ++k) {
      const std::complex<double> x = operand.GetAsComplex(k), y = value.GetAsComplex(k);
      if (x != y && x == x) (is_float ? dropped.of_floats : dropped.of_integers) = true;
    }
    if (whole) open.erase(&i);
  });
  const bool ran = subject
                       .RunReference(subject.module(), subject.ArgumentsOf(set),
                                     /*whatever_it_takes=*/TestsReference(subject.context()))
                       .ok();
  subject.set_watch(nullptr);
  return ran && open.empty() ? std::optional(dropped) : std::nullopt;
}

// Each precision in `after` is at least some precision in `before`.
bool AreCovered(const std::vector<Digits>& after, const std::vector<Digits>& before) {
  return std::all_of(after.begin(), after.end(), [&](const Digits& a) {
    return std::any_of(before.begin(), before.end(), [&](const Digits& b) {
      return a.exponent_bits >= b.exponent_bits && a.mantissa_bits >= b.mantissa_bits;
    });
  });
}

// Half a unit in the last place of 1 for a float type narrower than f32, else 0.
double NarrowUnit(PrimitiveType type) {
  return IsFloat(type) && BitWidth(type) < 32 ? std::ldexp(1, -GetFloatFormat(type).mantissa_bits - 1) : 0;
}

// NarrowsMore() for one difference.
class NarrowSteps {
 public:
  NarrowSteps(ModuleUnderTest& before, ModuleUnderTest& after, size_t set, const Comparison& seen)
      : before_(before), after_(after), set_(set), seen_(seen) {}

  std::string Find() {
    if (!before_.HasRoundings() && !NamesDotAlgorithm(before_.module()))
      return Format("{} rounds to a narrower type and {} does not: ", after_name(), before_name());
    for (size_t k = 0; k < seen_.leaves.size(); ++k) {
      if (!seen_.leaves[k].agrees && !AreCoveredIn(OnlyLeaf(seen_, k)))
        return Format("{} rounds to a narrower type where {} does not: ", after_name(), before_name());
    }
    if (NamesDotAlgorithm(before_.module())) return "";
    const std::vector<double> a = RelativeDistances(*before_.Ideal(set_, false), *before_.Ideal(set_, true));
    const std::vector<double> b = RelativeDistances(*after_.Ideal(set_, false), *after_.Ideal(set_, true));
    const std::vector<double> units = NarrowUnits();
    for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      // `before` may by chance have rounded almost nothing; a unit of a narrow result is an acceptable loss.
      const double unit = k < units.size() ? units[k] : 0;
      if (b[k] <= thresholds::kNarrowStepFactor * std::max(a[k], unit)) continue;
      if (k < seen_.leaves.size() && MayNormalizeInItsType(OnlyLeaf(seen_, k))) continue;
      // Steps without any loss are exact, as those of small integers.
      if (k < seen_.leaves.size() && a[k] > 0 && IsIllConditioned(OnlyLeaf(seen_, k))) continue;
      if (a[k] == 0) return Format("{} rounds to a narrower type and {} does not: ", after_name(), before_name());
      return Format("{} loses {:.0f} times as much as {} in narrower types: ", after_name(), b[k] / a[k],
                    before_name());
    }
    return "";
  }

 private:
  const std::string& before_name() const { return before_.options().before_name; }
  const std::string& after_name() const { return before_.options().after_name; }

  bool AreCoveredIn(const Comparison& leaf) {
    const std::vector<Digits> steps = NarrowStepsOf(before_.module(), leaf, /*rounded=*/false);
    const std::vector<Digits> steps_of_after = NarrowStepsOf(after_.module(), leaf, /*rounded=*/true);
    if (!steps.empty()) return AreCovered(steps_of_after, steps);
    return steps_of_after.empty() && ConversionsDropNoMore(leaf);
  }

  // If one unit in the last place of each step changes the leaf by as much, the losses of two modules are not
  // comparable.
  bool IsIllConditioned(const Comparison& leaf) {
    return !MovedByRoundingAlone(before_, before_.options().before_name, set_, leaf).empty();
  }

  // For each leaf of `before`, half a unit in the last place of the narrow type in which it is computed, or of the
  // narrow types of its small sources: with so few elements, rounding may by chance have changed none.
  std::vector<double> NarrowUnits() const {
    constexpr int64_t kFewElements = 16;
    const HloInstruction& root = *before_.module().entry_computation()->root();
    std::vector<double> units;
    const StatusOr<Results>& own = before_.Result(set_);
    for (size_t d = 0; own.ok() && d < own->size(); ++d) {
      const std::vector<const Literal*> leaves = (*own)[d].Leaves();
      for (size_t k = 0; k < leaves.size(); ++k) {
        PrimitiveType type = leaves[k]->shape().element_type();
        const bool flat =
            root.opcode() == HloOpcode::kTuple && root.operand_count() == static_cast<int64_t>(leaves.size());
        if (flat) type = MadeIn(*root.operand(static_cast<int64_t>(k)));
        else if (root.shape().IsArray()) type = MadeIn(root);
        double unit = NarrowUnit(type);
        if (flat || root.shape().IsArray()) {
          for (const HloInstruction* i : SourcesOf(before_.module(), OnlyLeaf(seen_, units.size()))) {
            if (Rounds(*i) && i->shape().ElementCount() <= kFewElements)
              unit = std::max(unit, NarrowUnit(i->shape().element_type()));
          }
        }
        units.push_back(unit);
      }
    }
    return units;
  }
  // Conversions of `after` lose no digits of floats, and digits of integers only if those of `before` lose some too.
  bool ConversionsDropNoMore(const Comparison& seen) {
    const std::optional<LostDigits> a = DroppedByConversions(before_, set_, seen);
    const std::optional<LostDigits> b = a ? DroppedByConversions(after_, set_, seen) : std::nullopt;
    return b && !b->of_floats && (a->of_integers || !b->of_integers);
  }

  // HLO does not specify in which type an f16 batch norm sums squares. Expanded in f16, a difference of squares keeps
  // few digits.
  bool MayNormalizeInItsType(const Comparison& seen) {
    constexpr int kFewDigits = 12;
    const auto count = [](const HloModule& module) {
      return CountOf(module,
                     {HloOpcode::kBatchNormTraining, HloOpcode::kBatchNormInference, HloOpcode::kBatchNormGrad});
    };
    if (count(after_.module()) >= count(before_.module())) return false;
    const auto sources = SourcesOf(before_.module(), seen);
    return std::any_of(sources.begin(), sources.end(), [](const HloInstruction* i) {
      return i->HasAttributes<BatchNormAttributes>() &&
             GetFloatFormat(i->operand(0)->shape().element_type()).mantissa_bits < kFewDigits;
    });
  }

  ModuleUnderTest &before_, &after_;
  size_t set_;
  const Comparison& seen_;
};

// The converted value is converted back before any computation in its type.
bool IsConvertedBack(const HloInstruction& convert) {
  const PrimitiveType from = convert.operand(0)->shape().element_type();
  std::vector<const HloInstruction*> todo = {&convert};
  std::unordered_set<const HloInstruction*> seen;
  while (!todo.empty()) {
    const HloInstruction* i = todo.back();
    todo.pop_back();
    if (!seen.insert(i).second) continue;
    if (i->users().empty() || i->IsRoot()) return false;
    for (const HloInstruction* user : i->users()) {
      if (user->opcode() == HloOpcode::kConvert) {
        const PrimitiveType to = user->shape().element_type();
        if (IsFloat(from) ? !HoldsFloats(to, from) : IsFloat(to)) return false;
      } else if (user->Is(kMovesData) && user->shape().IsArray()) {
        todo.push_back(user);
      } else {
        return false;
      }
    }
  }
  return true;
}

// By exponent and mantissa bits.
using Roundings = std::map<std::pair<int64_t, int64_t>, std::vector<const HloInstruction*>>;
// The explicit roundings on which these leaves depend, each value counted once.
Roundings OwnRoundings(const HloModule& module, const Comparison& seen) {
  Roundings found;
  std::unordered_set<const HloInstruction*> rounded;
  for (const HloInstruction* i : SourcesOf(module, seen)) {
    std::pair<int64_t, int64_t> digits;
    if (i->opcode() == HloOpcode::kReducePrecision) {
      const auto& to = i->attributes<ReducePrecisionAttributes>();
      digits = {to.exponent_bits, to.mantissa_bits};
    } else if (i->opcode() == HloOpcode::kConvert && IsFloat(i->shape().element_type()) &&
               RoundingHasMeaning(*i, i->shape().element_type(), i->operand(0)->shape().element_type()) &&
               IsConvertedBack(*i)) {
      const FloatFormat format = GetFloatFormat(i->shape().element_type());
      digits = {format.exponent_bits, format.mantissa_bits};
    } else {
      continue;
    }
    if (rounded.insert(i->operand(0)).second) found[digits].push_back(i);
  }
  return found;
}

}  // namespace

std::string NarrowsMore(ModuleUnderTest& before, ModuleUnderTest& after, size_t set, const Comparison& seen) {
  return NarrowSteps(before, after, set, seen).Find();
}

std::string DroppedRounding(const HloModule& before, const HloModule& after, const Comparison& seen) {
  const auto in_after = OwnRoundings(after, seen);
  for (auto& [digits, instructions] : OwnRoundings(before, seen)) {
    const auto same = in_after.find(digits);
    if (same != in_after.end() && same->second.size() >= instructions.size()) continue;
    const HloInstruction& first = **std::min_element(instructions.begin(), instructions.end(),
                                                     [](auto* a, auto* b) { return a->id() < b->id(); });
    return Format("the rounding of {} to {} exponent and {} mantissa bits", first.name(), digits.first, digits.second);
  }
  return "";
}

}  // namespace hloir::check
