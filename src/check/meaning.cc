// See meaning.h. Two results in f64 may be apart, in each element, by what rounding to f64 does to it. That is
// measured: the module runs again with each rounded result moved by 2^-44 of itself, a few hundred units in the last
// place of f64 (MoveRoundings), and how far an element then moves is its bound. Where numbers cancel, or a loop
// magnifies, the bound grows by itself; elements that fall on the other side of a comparison move by all of the
// difference.
//
// What else right modules may differ in, each tried in turn and only where it is needed:
//   roundings   steps through narrower types mean something, but compilers drop them (XLA's float normalization,
//               excess precision). Modules agree too if they do without such steps, and `after` rounds no more for it.
//   constants   what `after` has folded is rounded: its constants that `before` does not have may be off by half a
//   unit.
// Covered by tests/unit/meaning_test.cc.
#include "check/meaning.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "check/compare.h"
#include "check/extremes.h"
#include "check/folded.h"
#include "check/rounding.h"
#include "check/sources.h"
#include "check/spread.h"
#include "hloir/custom_call.h"
#include "hloir/detail/widen.h"
#include "hloir/passes.h"
#include "support/format.h"

namespace hloir::check {
namespace {

// 16 units in the last place of f64, and as many times what double-double's roundings are moved by; and what is left of
// double-double's low parts where they run out of exponents.
constexpr double kFewUnitsOfDoubles = 0x1p-48, kFewUnitsOfPairs = 0x1p-77, kSmallestOfPairs = 0x1p-1064;
// f32 rounds 2^20 times as much as what is moved for a bound: a leaf that moves by this much of its size is noise in
// f32.
constexpr double kChaotic = 0x1p-20;
constexpr double kLost = 0x1p-8;
constexpr double kMuchCoarser = 4;

// The results in the modules' own types. They are computed when they are first asked for.
struct OwnResults {
  Subject &a, &b;
  size_t set;
  bool at_limits;  // the inputs are as large, or small, as f64 goes
  // Does an infinity against NaN tell? Not of complex numbers, of double-double, whose low parts are NaN beside it, and
  // of ops that are programs of their own, which may multiply an infinity by 0 or not.
  bool tells_nonfinite;
  bool pairs() const { return a.pairs(); }
};
const Literal* LeafOf(Subject& subject, size_t set, size_t d, size_t leaf) {
  const StatusOr<Results>& results = subject.Result(set);
  if (!results.ok() || d >= results->size()) return nullptr;
  const std::vector<const Literal*> leaves = (*results)[d].Leaves();
  return leaf < leaves.size() ? leaves[leaf] : nullptr;
}

enum class NumberClass { kFinite, kNan, kPositiveInfinity, kNegativeInfinity };
NumberClass ClassOf(const Literal& literal, size_t i) {
  const PrimitiveType type = literal.shape().element_type();
  if (!IsFloat(type) && !IsComplex(type)) return NumberClass::kFinite;
  const std::complex<double> z = literal.GetAsComplex(static_cast<int64_t>(i));
  if (std::isnan(z.real()) || std::isnan(z.imag())) return NumberClass::kNan;
  if (std::isfinite(z.real()) && std::isfinite(z.imag())) return NumberClass::kFinite;
  return z.real() < 0 ? NumberClass::kNegativeInfinity : NumberClass::kPositiveInfinity;
}

// Is an element beyond what its own type holds? Then both modules lost it there, one perhaps while it folded constants:
// f64 goes on with a number where f32 has an infinity or 0, unless that was folded, and what it tells is no longer what
// the modules compute.
// Nor is it of an integer that both give, and that rounding alone makes another one in f64.
bool IsLost(const Literal& own_a, const Literal& own_b, size_t i, double distance, double magnitude, const Literal& a,
            const Literal& b) {
  const PrimitiveType type = own_a.shape().element_type();
  const auto index = static_cast<int64_t>(i);
  if (!IsFloat(type) && !IsComplex(type)) {
    const int64_t value = own_a.GetAsInt64(index);
    return value == own_b.GetAsInt64(index) && value != a.GetAsInt64(index);
  }
  const std::complex<double> v = own_a.GetAsComplex(index), w = own_b.GetAsComplex(index);
  // One has folded it to the very number that the other computes and rounds.
  if (v == w && (v == a.GetAsComplex(index) || v == b.GetAsComplex(index))) return true;
  const auto is_finite = [](std::complex<double> z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); };
  const PrimitiveType part = IsComplex(type) ? ComplexComponentType(type) : type;
  if (!is_finite(v) && !is_finite(w))
    return !is_finite(a.GetAsComplex(index)) || !is_finite(b.GetAsComplex(index)) ||
           !(magnitude <= LargestFinite(part));
  // Where denormals may count as zeros, what they add to a normal number may be missing too.
  const double smallest = SmallestNormal(type);
  if (MayFlushDenormals(part)) return distance < smallest;
  return std::abs(v) < smallest && std::abs(w) < smallest && magnitude < smallest;
}

// Does a NaN or an infinity count that one of two elements is?
bool CountsNonfinite(Nonfinite nonfinite, const Literal& x, const Literal& y, const Literal* own_x,
                     const Literal* own_y, size_t i) {
  if (nonfinite == Nonfinite::kAlways) return true;
  if (nonfinite == Nonfinite::kIgnored || own_x == nullptr || own_y == nullptr) return false;
  const NumberClass in_x = ClassOf(x, i), in_y = ClassOf(y, i);
  if (nonfinite == Nonfinite::kWorse && in_x != NumberClass::kFinite) return false;
  return in_x == ClassOf(*own_x, i) && in_y == ClassOf(*own_y, i);
}

// A number of a result that is pairs, if these are its elements' type.
std::string WideText(const Literal& literal, size_t i, bool pairs) {
  if (!pairs || literal.shape().element_type() != PrimitiveType::C128)
    return ElementText(literal, static_cast<int64_t>(i));
  const std::complex<double> x = literal.GetAsComplex(static_cast<int64_t>(i));
  return x.imag() == 0 ? Format("{}", x.real())
                       : Format("{} {} {:.3g}", x.real(), x.imag() < 0 ? "-" : "+", std::abs(x.imag()));
}

// Is a number so large or so small that its reciprocal, or a product with it, has no low part in double-double?
bool HasNumbersAtLimits(const Arguments& arguments) {
  constexpr int kMostExponent = 900;
  const auto is_far = [](double x) { return x != 0 && std::isfinite(x) && std::abs(std::ilogb(x)) > kMostExponent; };
  for (const std::vector<const Literal*>& device : arguments) {
    for (const Literal* argument : device) {
      for (const Literal* leaf : argument->Leaves()) {
        const PrimitiveType type = leaf->shape().element_type();
        if (type != PrimitiveType::F64 && type != PrimitiveType::C128) continue;
        for (int64_t i = 0; i < leaf->element_count(); ++i) {
          const std::complex<double> x = leaf->GetAsComplex(i);
          if (is_far(x.real()) || is_far(x.imag())) return true;
        }
      }
    }
  }
  return false;
}

// Where two results in f64 are farther apart than `spreads` allow.
Comparison Judge(const Results& a, const Results& b, const OwnResults& own, const Spreads& spreads,
                 Nonfinite nonfinite) {
  Comparison all;
  ForEachLeaf(a, b, [&](size_t d, size_t index, const Literal& x, const Literal& y) {
    LeafDifference leaf;
    leaf.where = a.size() > 1 ? Format("device{}.out{}", d, index) : Format("out{}", index);
    leaf.total = x.element_count();
    const Spread* spread =
        d < spreads.size() && index < spreads[d].size() && !spreads[d][index].empty() ? &spreads[d][index] : nullptr;
    const double largest = spread != nullptr ? Measure(x, y).largest : 0;
    const double part = spread != nullptr ? kPartOfLeaf * Median(*spread) : 0;
    const Literal *own_a = nullptr, *own_b = nullptr;
    double worst = 0;
    size_t where = 0;
    ForEachDifference(x, y, own.pairs(), [&](size_t i, double distance, double magnitude) {
      double bound = spread != nullptr ? (*spread)[i] + part : 0;
      const bool both_finite = std::isfinite(distance);
      // Where so little moves it so far, how far is not a bound any more; but it was a number wherever it was moved to.
      if (both_finite && largest > 0 && bound > kLost * largest) bound = std::numeric_limits<double>::infinity();
      if (std::isfinite(magnitude)) {
        bound += own.pairs() && !own.at_limits ? kFewUnitsOfPairs * magnitude + kSmallestOfPairs
                                               : kFewUnitsOfDoubles * magnitude;
      }
      if (distance <= bound || (!both_finite && nonfinite == Nonfinite::kIgnored)) return;
      if (own_a == nullptr) own_a = LeafOf(own.a, own.set, d, index), own_b = LeafOf(own.b, own.set, d, index);
      if (!both_finite && !CountsNonfinite(nonfinite, x, y, own_a, own_b, i)) return;
      // What counted has not overflowed, as f64, too, says which infinity it is, or NaN.
      const bool told = !both_finite && own.tells_nonfinite && nonfinite == Nonfinite::kBoth;
      if (!told && own_a != nullptr && own_b != nullptr && IsLost(*own_a, *own_b, i, distance, magnitude, x, y)) return;
      ++leaf.differing;
      leaf.nonfinite += !both_finite;
      const double excess = bound > 0 ? distance / bound : std::numeric_limits<double>::infinity();
      if (leaf.differing == 1 || excess > worst) worst = excess, where = i;
      if (both_finite) {
        leaf.max_absolute = std::max(leaf.max_absolute, distance);
        if (magnitude > 0 && distance / magnitude > leaf.max_relative)
          leaf.max_relative = distance / magnitude, leaf.allowed_relative = bound / magnitude;
      }
    });
    if (leaf.differing > 0) {
      leaf.agrees = all.agree = false;
      leaf.element = ElementIndexText(x.shape(), static_cast<int64_t>(where));
      leaf.a = WideText(x, where, own.pairs()), leaf.b = WideText(y, where, own.pairs());
    }
    all.leaves.push_back(std::move(leaf));
  });
  return all;
}

// The largest distance of two results in each leaf, over its largest magnitude.
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

// What a step through a type leaves of a number.
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

// Of all that is narrower than f32 of what the leaves depend on in which `seen` does not agree; or of that alone which
// is rounded to it.
std::vector<Digits> NarrowSteps(const HloModule& module, const Comparison& seen, bool rounded) {
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

// Did conversions to fewer digits, of what the leaves depend on in which `seen` does not agree, drop a digit as the
// module ran in its own types? What was f32 is rounded to f32 by nothing, whichever way it took through f64. nullopt if
// it is not known.
struct DroppedRounding {
  bool of_floats = false, of_integers = false;
};
std::optional<DroppedRounding> DroppedByConversions(Subject& subject, size_t set, const Comparison& seen) {
  std::unordered_map<const HloInstruction*, Literal> operands;
  std::unordered_set<const HloInstruction*> open;
  for (const HloInstruction* i : SourcesOf(subject.module(), seen)) {
    if (i->opcode() != HloOpcode::kConvert) continue;
    if (!RoundingHasMeaning(*i, i->shape().element_type(), i->operand(0)->shape().element_type())) continue;
    operands[i->operand(0)];
    open.insert(i);
  }
  DroppedRounding dropped;
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

// Does each of `after` leave as much of a number as one of `before` does?
bool AreCovered(const std::vector<Digits>& after, const std::vector<Digits>& before) {
  return std::all_of(after.begin(), after.end(), [&](const Digits& a) {
    return std::any_of(before.begin(), before.end(), [&](const Digits& b) {
      return a.exponent_bits >= b.exponent_bits && a.mantissa_bits >= b.mantissa_bits;
    });
  });
}

// Half a unit in the last place of 1, of a float type that is narrower than f32; else 0.
double NarrowUnit(PrimitiveType type) {
  return IsFloat(type) && BitWidth(type) < 32 ? std::ldexp(1, -GetFloatFormat(type).mantissa_bits - 1) : 0;
}

// A copy of the module that these passes have run over, and may have rounded; nullptr if they cannot.
std::unique_ptr<HloModule> After(const std::vector<std::string>& passes, const HloModule& module) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  PassOptions options;
  options.math = MathMode::kRounding;
  StatusOr<HloPassPipeline> pipeline = MakePipeline(passes, options);
  return pipeline.ok() && pipeline->RunOnce(*copy).ok() ? std::move(copy) : nullptr;
}

// A batch norm takes steps, each of which rounds: a copy of the module in which they can be moved. nullptr if it has
// none.
std::unique_ptr<HloModule> WithoutBatchNorms(const HloModule& module) {
  const bool any = std::any_of(module.computations().begin(), module.computations().end(), [](const HloComputation* c) {
    return c->MayHave(HloOpcode::kBatchNormTraining) || c->MayHave(HloOpcode::kBatchNormInference) ||
           c->MayHave(HloOpcode::kBatchNormGrad);
  });
  return any ? After({"batchnorm-expander"}, module) : nullptr;
}

// Calls that are computed until they are as exact as their type asks for, and no further.
int64_t IterativeCalls(const HloModule& module) {
  int64_t count = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      count += IsCustomCall(*i, CustomCall::kEigh);
    }
  }
  return count;
}

}  // namespace

class MeaningComparer::Impl {
 public:
  Impl(Subject& before, Subject& after) : before_(before), after_(after) {
    is_iterative_ = IterativeCalls(before_.module()) != IterativeCalls(after_.module());
    const auto tells = [](const HloModule& module) {
      return !HasWholeArrayMathematics(module) && !HasComplexNumbers(module);
    };
    tells_nonfinite_ = tells(before_.module()) && tells(after_.module());
  }

  Meaning Run(size_t set, Nonfinite nonfinite, bool notes) {
    set_ = set, nonfinite_ = nonfinite, starved_ = OkStatus();
    at_limits_ = before_.pairs() && HasNumbersAtLimits(before_.ArgumentsOf(set));
    meaning_ = Meaning();
    if (is_iterative_) {
      meaning_.judged = false;
      meaning_.notes.push_back("not compared in f64: an expanded Eigh is as exact as the type it was expanded for");
      return std::move(meaning_);
    }
    bool agrees = Agree(/*keep=*/true);
    if (!meaning_.judged) return std::move(meaning_);
    if (notes) NoteWhatRoundingLeaves();
    if (agrees) return std::move(meaning_);
    const Comparison seen = meaning_.comparison;
    if (before_.HasRoundings() || after_.HasRoundings()) {
      agrees = Agree(/*keep=*/false);
      if (!meaning_.judged) return std::move(meaning_);
      if (agrees) {
        if (ConstantsExplain() || FoldingExplains(/*keep_alone=*/true)) {
          meaning_.agree = true;
          return std::move(meaning_);
        }
        return CompareRoundings(seen);
      }
    }
    if (ConstantsExplain() || FoldingExplains() || StepsOfConstantsExplain()) {
      meaning_.agree = true;
      return std::move(meaning_);
    }
    if (!starved_.ok()) {
      NotJudged("a module with other roundings", starved_);
      return std::move(meaning_);
    }
    meaning_.agree = false;
    meaning_.comparison = seen;
    Explain(Format("in {}, where rounding does not hide it, ", before_.wide_name()), seen);
    return std::move(meaning_);
  }

 private:
  void NotJudged(const std::string& name, const Status& failed) {
    meaning_.judged = false;
    meaning_.notes.push_back(Format("not compared in f64: {} does not run so: {}", name, failed.message()));
  }
  // Without memory for what might explain a difference nothing is known of it.
  bool HasRun(const StatusOr<Results>& variant) {
    if (variant.status().code() == StatusCode::kResourceExhausted) starved_ = variant.status();
    return variant.ok();
  }

  OwnResults Own() { return {before_, after_, set_, at_limits_, tells_nonfinite_ && !before_.pairs()}; }

  bool Agree(bool keep) {
    const StatusOr<Results>&a = before_.Ideal(set_, keep), &b = after_.Ideal(set_, keep);
    if ((!a.ok() || !b.ok()) && before_.pairs()) {
      meaning_.notes.push_back(Format("not compared in double-double: {}", (a.ok() ? b : a).status().message()));
      before_.set_pairs(false), after_.set_pairs(false);
      return Agree(keep);
    }
    if (!a.ok() || !b.ok()) {
      a.ok() ? NotJudged(after_.options().after_name, b.status())
             : NotJudged(before_.options().before_name, a.status());
      return true;
    }
    spreads_.clear();
    spreads_keep_ = keep;
    meaning_.comparison = Judge(*a, *b, Own(), spreads_, nonfinite_);
    Spreads of_before;
    for (Subject* subject : {&before_, &after_}) {
      if (meaning_.comparison.agree) return true;
      if (subject == &after_) of_before = spreads_;
      for (uint64_t pattern = 0; pattern < kPatterns && !meaning_.comparison.agree; ++pattern) {
        const StatusOr<Results> moved = subject->IdealMoved(set_, keep, pattern);
        if (!HasRun(moved)) continue;
        Raise(spreads_, *subject->Ideal(set_, keep), *moved, subject->pairs());
        if (subject == &after_) ForgetNewJumps(*a, of_before);
        meaning_.comparison = Judge(*a, *b, Own(), spreads_, nonfinite_);
      }
    }
    // Divided by a sum that is 0 but for rounding? Only what is moved whether it was rounded or not tells.
    const auto is_nonfinite = [](const LeafDifference& leaf) { return leaf.nonfinite > 0; };
    const bool any = std::any_of(meaning_.comparison.leaves.begin(), meaning_.comparison.leaves.end(), is_nonfinite);
    for (Subject* subject : {&before_, &after_}) {
      if (!any || meaning_.comparison.agree || nonfinite_ == Nonfinite::kAlways) break;
      const StatusOr<Results> moved = subject->IdealMoved(set_, keep, kPatterns, /*exact_too=*/true);
      if (!HasRun(moved)) continue;
      Raise(spreads_, *subject->Ideal(set_, keep), *moved, subject->pairs());
      meaning_.comparison = Judge(*a, *b, Own(), spreads_, nonfinite_);
    }
    return meaning_.comparison.agree;
  }

  // Where rounding makes `after` jump, and next to nothing comes of it in `before`, the jump is no excuse: it is wrong
  // where a number is exactly 1, say, and not where it is next to that. What rewrites do to roundings is smooth where
  // the module is.
  void ForgetNewJumps(const Results& results, const Spreads& of_before) {
    ForEachLeaf(results, results, [&](size_t d, size_t leaf, const Literal& x, const Literal&) {
      if (d >= of_before.size() || leaf >= of_before[d].size()) return;
      const Spread& before = of_before[d][leaf];
      const double largest = before.empty() ? 0 : Measure(x, x).largest;
      for (size_t i = 0; i < before.size(); ++i) {
        double& spread = spreads_[d][leaf][i];
        if (std::isfinite(spread) && spread > kLost * largest && before[i] < kChaotic * largest) spread = before[i];
      }
    });
  }

  // Leaves of which rounding leaves nothing, with the evidence.
  void NoteWhatRoundingLeaves() {
    const StatusOr<Results>&ideal = before_.Ideal(set_, /*keep_roundings=*/true), &result = before_.Result(set_);
    if (!result.ok() || &*ideal == &*result) return;
    for (size_t d = 0; d < ideal->size(); ++d) {
      const std::vector<const Literal*> exact = (*ideal)[d].Leaves(), rounded = (*result)[d].Leaves();
      for (size_t i = 0; i < std::min(exact.size(), rounded.size()); ++i) {
        if (!exact[i]->shape().IsArray() || IsExact(exact[i]->shape().element_type())) continue;
        const Distance distance = Measure(*exact[i], *rounded[i]);
        const std::string where = ideal->size() > 1 ? Format("device{}.out{}", d, i) : Format("out{}", i);
        const bool has_spread = d < spreads_.size() && i < spreads_[d].size();
        const double moved = has_spread ? Median(spreads_[d][i]) : 0;
        if (distance.largest > 0 && moved > kChaotic * distance.largest) {
          meaning_.notes.push_back(
              Format("{} is chaotic: if each step is moved by 2^{} of itself, it moves by {:.2g} of its size", where,
                     std::ilogb(before_.move_size()), moved / distance.largest));
        } else if (distance.nonfinite == 0 && distance.absolute > 4 * distance.largest) {
          meaning_.notes.push_back(Format("{} is nothing but rounding: it is up to {:.2g}, and in {} up to {:.2g}",
                                          where, distance.absolute, before_.wide_name(), distance.largest));
        }
      }
    }
  }

  // What each leaf of `before` rounds that was made in a narrow type, or from a few numbers of one: of these, rounding
  // may by luck have moved none.
  std::vector<double> NarrowUnits(const Comparison& seen) {
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
          for (const HloInstruction* i : SourcesOf(before_.module(), OnlyLeaf(seen, units.size()))) {
            if (Rounds(*i) && i->shape().ElementCount() <= kFewElements)
              unit = std::max(unit, NarrowUnit(i->shape().element_type()));
          }
        }
        units.push_back(unit);
      }
    }
    return units;
  }
  // As if the two agreed but in one leaf.
  static Comparison OnlyLeaf(Comparison seen, size_t leaf) {
    for (size_t k = 0; k < seen.leaves.size(); ++k) seen.leaves[k].agrees = k != leaf;
    return seen;
  }

  // Of floats nothing in either, of integers nothing in `after` where that is so of `before`.
  bool ConversionsDropNoMore(const Comparison& seen) {
    const std::optional<DroppedRounding> a = DroppedByConversions(before_, set_, seen);
    const std::optional<DroppedRounding> b =
        a && !a->of_floats ? DroppedByConversions(after_, set_, seen) : std::nullopt;
    return b && !b->of_floats && (a->of_integers || !b->of_integers);
  }

  // Nothing says in which type a batch norm of f16 squares and adds: where `after` has it written out, in f16, a
  // difference of squares is left with few digits.
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

  // They mean the same but for steps through narrower types. Those that `after` has may cost no more than those of
  // `before`.
  Meaning CompareRoundings(const Comparison& seen) {
    const std::vector<double> a = RelativeDistances(*before_.Ideal(set_, false), *before_.Ideal(set_, true));
    const std::vector<double> b = RelativeDistances(*after_.Ideal(set_, false), *after_.Ideal(set_, true));
    meaning_.comparison = seen;
    if (!before_.HasRoundings() && !NamesDotAlgorithm(before_.module())) {
      meaning_.agree = false;
      Explain("it goes through a narrower type, which the other does not: ", seen);
      return std::move(meaning_);
    }
    for (const LeafDifference& leaf : seen.leaves) {
      if (leaf.agrees) continue;
      const Comparison alone = OnlyLeaf(seen, static_cast<size_t>(&leaf - seen.leaves.data()));
      const std::vector<Digits> steps = NarrowSteps(before_.module(), alone, /*rounded=*/false);
      const std::vector<Digits> steps_of_after = NarrowSteps(after_.module(), alone, /*rounded=*/true);
      if (!steps.empty() && AreCovered(steps_of_after, steps)) continue;
      if (steps.empty() && steps_of_after.empty() && ConversionsDropNoMore(alone)) continue;
      meaning_.agree = false;
      Explain("it goes through a narrower type, which the other does not there: ", seen);
      return std::move(meaning_);
    }
    const std::vector<double> units = NarrowUnits(seen);
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      // By luck `before` may have rounded next to nothing: a unit of a narrow result is no more than others do.
      const double unit = i < units.size() ? units[i] : 0;
      if (b[i] <= kMuchCoarser * std::max(a[i], unit) || NamesDotAlgorithm(before_.module())) continue;
      if (i < seen.leaves.size() && MayNormalizeInItsType(OnlyLeaf(seen, i))) continue;
      // Where a unit in the last place of each step is magnified so, they need not have cost as much by luck.
      if (i < seen.leaves.size() &&
          !MovedByRoundingAlone(before_, before_.options().before_name, set_, OnlyLeaf(seen, i)).empty())
        continue;
      meaning_.agree = false;
      Explain(a[i] == 0
                  ? "it goes through a narrower type, which the other does not: "
                  : Format("its steps through narrower types cost {:.0f} times as much as the other's: ", b[i] / a[i]),
              seen);
      return std::move(meaning_);
    }
    meaning_.notes.push_back("they differ in steps through narrower types, and in " + std::string(before_.wide_name()) +
                             " without these agree");
    return std::move(meaning_);
  }

  // Constants that `after` has alone may have been folded, and so rounded.
  bool ConstantsExplain() {
    if (!constants_) {
      const std::unique_ptr<HloModule> before = before_.module().Clone(), after = after_.module().Clone();
      FoldScalars(*before);
      FoldScalars(*after);
      constants_ = FindFoldedConstants(*before, *after);
    }
    const FoldedConstants& folded = *constants_;
    if (folded.values.empty()) return false;
    // Of several, the moves of a pattern may cancel.
    const double factor = kConstantMargin * (folded.values.size() > 1 ? 1.5 : 1);
    for (const bool keep : {true, false}) {
      if (!keep && !before_.HasRoundings() && !after_.HasRoundings()) break;
      // What rounding does has mostly been seen before.
      if (spreads_keep_ != keep && Agree(keep)) continue;
      ConstantMove move{&folded.values, 0.5 * folded.roundings, 0};
      const uint64_t patterns = 2 + (move.are_few() ? folded.values.size() : 0) + kPatterns;
      for (; move.pattern < patterns; ++move.pattern) {
        const StatusOr<Results> moved = after_.IdealWithConstants(set_, keep, move);
        if (!HasRun(moved)) return false;
        Raise(spreads_, *after_.Ideal(set_, keep), *moved, after_.pairs(), factor);
        if (Judge(*before_.Ideal(set_, keep), *after_.Ideal(set_, keep), Own(), spreads_, nonfinite_).agree)
          return true;
      }
    }
    return false;
  }

  // What one module has folded the other may compute as it runs, by a chain of steps each of which rounds. So neither
  // is folded any further, or both are, by the same hand, as far as that goes.
  // `keep_alone`: with their steps through narrower types.
  bool FoldingExplains(bool keep_alone = false) {
    if (!unfolded_) unfolded_ = std::make_unique<Pair>(before_, after_, nullptr, nullptr, /*fold_scalars=*/false);
    if (AgreeAs(*unfolded_, keep_alone)) return true;
    if (!folded_) {
      folded_ = std::make_unique<Pair>(before_, after_, Folded(before_.module()), Folded(after_.module()),
                                       /*fold_scalars=*/true);
    }
    return folded_->is_whole && AgreeAs(*folded_, keep_alone);
  }

  // Relatives of the two, or the two themselves, to be compared in their place.
  struct Pair {
    Pair(Subject& before, Subject& after, std::unique_ptr<HloModule> a, std::unique_ptr<HloModule> b, bool fold_scalars)
        : is_whole(a != nullptr && b != nullptr),
          first(std::move(a)),
          second(std::move(b)),
          of_first(first ? *first : before.module(), before.context(), fold_scalars),
          of_second(second ? *second : after.module(), before.context(), fold_scalars),
          comparer(std::make_unique<Impl>(of_first, of_second)) {
      of_first.set_pairs(before.pairs()), of_second.set_pairs(before.pairs());
    }
    bool is_whole;
    std::unique_ptr<HloModule> first, second;
    Subject of_first, of_second;
    std::unique_ptr<Impl> comparer;
  };

  bool AgreeAs(Pair& pair, bool keep_alone) {
    const bool agree = AgreeWithVariants(pair, keep_alone);
    pair.of_first.DropVariants(), pair.of_second.DropVariants();
    if (!pair.comparer->starved_.ok()) starved_ = pair.comparer->starved_;
    return agree;
  }
  bool AgreeWithVariants(Pair& pair, bool keep_alone) {
    Impl& other = *pair.comparer;
    other.set_ = set_, other.nonfinite_ = nonfinite_, other.at_limits_ = at_limits_, other.meaning_ = Meaning();
    other.starved_ = OkStatus();
    for (const bool keep : {true, false}) {
      if (!keep && (keep_alone || (!pair.of_first.HasRoundings() && !pair.of_second.HasRoundings()))) break;
      if (other.Agree(keep) && other.meaning_.judged) return true;
    }
    return pair.is_whole && !keep_alone && other.ConstantsExplain();
  }

  // What cancels, as x - mean(x) does, magnifies what the steps before it rounded. So what `before` computes from
  // constants alone is moved step by step, by a unit in the last place of its own types, as a quotient that became a
  // product may have been: if `after` has fewer such steps.
  bool StepsOfConstantsExplain() {
    if (constants_->values.empty()) return false;
    if (!steps_are_gone_) {
      stepwise_ = WrittenOut(before_.module(), /*fold=*/false);
      const std::unique_ptr<HloModule> after = WrittenOut(after_.module(), /*fold=*/false);
      steps_are_gone_ = stepwise_ && after && RoundingsOfConstants(*after) < RoundingsOfConstants(*stepwise_);
    }
    if (!*steps_are_gone_) return false;
    const auto run = [&](const HloModule& module) {
      Subject subject(module, before_.context(), /*fold_scalars=*/false);
      subject.set_pairs(before_.pairs());
      return subject.Ideal(set_, spreads_keep_);
    };
    const StatusOr<Results> steps = run(*stepwise_);
    for (uint64_t pattern = 0; steps.ok() && pattern < kMorePatterns; ++pattern) {
      const StatusOr<Results> moved = run(*PerturbModule(*stepwise_, pattern, /*of_constants_alone=*/true));
      if (!HasRun(moved)) return false;
      Raise(spreads_, *steps, *moved, before_.pairs(), kConstantMargin);
      const auto &a = before_.Ideal(set_, spreads_keep_), &b = after_.Ideal(set_, spreads_keep_);
      if (Judge(*a, *b, Own(), spreads_, nonfinite_).agree) return true;
    }
    return false;
  }

  // With calls, fusions and batch norms written out; these may have been folded step by step. nullptr if that cannot
  // be.
  static std::unique_ptr<HloModule> WrittenOut(const HloModule& module, bool fold) {
    std::vector<std::string> names = {"defuser",
                                      "call-inliner",
                                      "conditional-simplifier",
                                      "while-loop-simplifier",
                                      "while-loop-unroller",
                                      "tuple-simplifier",
                                      "zero-sized-hlo-elimination",
                                      "batchnorm-expander"};
    if (fold) names.push_back("constant-folding");
    return After(names, module);
  }
  static std::unique_ptr<HloModule> Folded(const HloModule& module) {
    constexpr int64_t kMostElements = 1 << 16;
    std::unique_ptr<HloModule> copy = WrittenOut(module, /*fold=*/true);
    if (copy != nullptr) FoldConstants(*copy, kMostElements);
    return copy;
  }

  void Explain(const std::string& how, const Comparison& seen) {
    meaning_.reason = how + seen.ToString(before_.options().before_name, after_.options().after_name);
  }

  static constexpr double kConstantMargin = 1.125;
  Subject &before_, &after_;
  bool is_iterative_, tells_nonfinite_;
  // What is to be compared, and what has been seen of it.
  size_t set_ = 0;
  bool at_limits_ = false;
  Nonfinite nonfinite_ = Nonfinite::kIgnored;
  Spreads spreads_;
  bool spreads_keep_ = true;  // with roundings or without
  Status starved_ = OkStatus();
  Meaning meaning_;
  // Of all sets.
  std::optional<FoldedConstants> constants_;
  std::unique_ptr<Pair> unfolded_, folded_;
  std::unique_ptr<HloModule> stepwise_;
  std::optional<bool> steps_are_gone_;
};

MeaningComparer::MeaningComparer(Subject& before, Subject& after) : impl_(std::make_unique<Impl>(before, after)) {}
MeaningComparer::~MeaningComparer() = default;
Meaning MeaningComparer::Compare(size_t set, Nonfinite nonfinite, bool notes) {
  return impl_->Run(set, nonfinite, notes);
}

std::string MovedByRoundingAlone(Subject& subject, std::string_view name, size_t set, const Comparison& seen) {
  const StatusOr<Results>& results = subject.Result(set);
  if (!results.ok() || seen.leaves.empty()) return "";
  const std::unique_ptr<HloModule> written_out = WithoutBatchNorms(subject.module());
  const HloModule& module = written_out ? *written_out : subject.module();
  std::vector<double> moved_by(seen.leaves.size(), 0);
  // Does an element become NaN or infinite, or move by about the leaf's own size? Then another run may, too.
  std::vector<bool> moved_out(seen.leaves.size());
  for (uint64_t pattern = 0; pattern < kMorePatterns; ++pattern) {
    const StatusOr<Results> moved = subject.RunTested(*PerturbModule(module, pattern), set);
    if (!moved.ok()) return "";
    size_t k = 0;
    for (size_t d = 0; d < moved->size(); ++d) {
      for (const LeafDifference& leaf : Compare((*results)[d], (*moved)[d], {}, {}).leaves) {
        if (k >= seen.leaves.size()) return "";
        moved_by[k] = std::max(moved_by[k], leaf.max_absolute);
        moved_out[k] = moved_out[k] || leaf.nonfinite > 0 || leaf.max_relative >= 0.5;
        ++k;
      }
    }
  }
  std::string evidence;
  for (size_t k = 0; k < seen.leaves.size(); ++k) {
    const LeafDifference& leaf = seen.leaves[k];
    if (leaf.agrees) continue;
    if (!leaf.comparable || (leaf.nonfinite > 0 && !moved_out[k]) || leaf.max_absolute > 4 * moved_by[k]) return "";
    if (!evidence.empty()) continue;
    evidence = leaf.nonfinite > 0 ? Format(
                                        "{} of {} is chaotic: moved by a unit in the last place of what it computes, "
                                        "numbers become others, or NaN or infinite",
                                        leaf.where, name)
                                  : Format(
                                        "{} of {} is chaotic: moved by a unit in the last place of what it computes, "
                                        "it moves by {:.3g}, and {:.3g} is seen",
                                        leaf.where, name, moved_by[k], leaf.max_absolute);
  }
  return evidence;
}

}  // namespace hloir::check
