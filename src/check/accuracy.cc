// See accuracy.h. IdealMoved perturbs each rounding in f64 by a relative 2^-44. Rounding errors are small enough that
// results respond linearly: in f32 an element moves 2^20 times as far. Where the response is not linear, the module is
// ill-conditioned and its bound is large. The runs that meaning.cc compares are therefore sufficient. Covered by
// tests/unit/meaning_test.cc and accuracy_test.cc.
#include "check/accuracy.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "check/compare.h"
#include "check/error_bound.h"
#include "check/explanations.h"
#include "check/sources.h"
#include "check/thresholds.h"
#include "support/format.h"

namespace hloir::check {
namespace {

// Returns whether a rounding error may change users of `i` by any amount: `i` is discontinuous, or it rounds inside,
// which MoveRoundings does not perturb.
bool IsDiscontinuous(const HloInstruction& i, PrimitiveType own_type) {
  const auto is_float = [](const HloInstruction* operand) {
    return operand->shape().IsArray() && IsFloat(ComplexComponentType(operand->shape().element_type()));
  };
  const bool of_floats = std::any_of(i.operands().begin(), i.operands().end(), is_float);
  for (const Shape* leaf : i.shape().Leaves()) {
    const PrimitiveType type = ComplexComponentType(leaf->element_type());
    if (IsFloat(type) && type != own_type) return true;  // has other units in the last place
    if (IsComplex(leaf->element_type())) return true;    // products cancel inside
    if (leaf->IsArray() && of_floats && IsExact(leaf->element_type()) && !i.IsConstant()) return true;
  }
  switch (i.opcode()) {
    case HloOpcode::kFloor:
    case HloOpcode::kCeil:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kSign:
    case HloOpcode::kRemainder:
    case HloOpcode::kReducePrecision:
    case HloOpcode::kSort:
    case HloOpcode::kSelectAndScatter:
    case HloOpcode::kCustomCall:
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve:
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kBatchNormTraining:
    case HloOpcode::kBatchNormInference:
    case HloOpcode::kBatchNormGrad:
    case HloOpcode::kMap:
    case HloOpcode::kRng:
    case HloOpcode::kRngBitGenerator:
    case HloOpcode::kScan:
    case HloOpcode::kWhile: return true;  // roundings inside are not perturbed
    case HloOpcode::kReduce:
    case HloOpcode::kScatter:
    case HloOpcode::kAllReduce:
    case HloOpcode::kReduceScatter:
      return !i.called_computations().empty() && i.called_computations()[0]->instruction_count() > 3;
    case HloOpcode::kDot: return i.attributes<DotAttributes>().algorithm != DotAlgorithm::kUnset;
    default: return false;  // continuous in its operands
  }
}

bool HasDiscontinuousSource(const HloModule& module, size_t leaf, size_t leaves, PrimitiveType type) {
  Comparison seen;  // only this leaf differs
  seen.leaves.resize(leaves);
  seen.leaves[leaf].agrees = false;
  const auto sources = SourcesOf(module, seen);
  return std::any_of(sources.begin(), sources.end(),
                     [type](const HloInstruction* i) { return IsDiscontinuous(*i, type); });
}

// The number of correct decimal digits.
double RightDigits(double distance, double ideal) {
  constexpr double kMost = 17;
  if (distance == 0) return kMost;
  return ideal == 0 ? 0 : std::clamp(-std::log10(distance / std::abs(ideal)), 0.0, kMost);
}

// Compares the results of `judged` with the results of `measure` in wide arithmetic, within the bounds of `measure`'s
// roundings. The two may be the same module.
class AccuracyComparer {
 public:
  AccuracyComparer(ModuleUnderTest& judged, ModuleUnderTest& measure, size_t set)
      : judged_(judged),
        measure_(measure),
        set_(set),
        result_(judged.Result(set)),
        own_(measure.Result(set)),
        ideal_(measure.Ideal(set, /*keep_roundings=*/true)) {}

  std::optional<Inaccuracy> Find() {
    if (!result_.ok() || !own_.ok() || !ideal_.ok() || &*result_ == &*ideal_) return std::nullopt;
    std::optional<Inaccuracy> found = FindOnce(/*bounds_are_known=*/false);
    for (uint64_t pattern = 0; pattern < thresholds::kMovesForAccuracy && found; ++pattern) {
      const StatusOr<Results> moved = measure_.IdealMoved(set_, /*keep_roundings=*/true, pattern);
      if (!moved.ok()) return std::nullopt;
      Raise(bounds_, *ideal_, *moved, measure_.pairs());
      found = FindOnce(/*bounds_are_known=*/true);
    }
    return found;
  }

 private:
  // The distance from the wide result, whose imaginary part is the low part in double-double.
  static double DistanceOf(double value, std::complex<double> ideal) {
    return std::abs((value - ideal.real()) - ideal.imag());
  }

  std::optional<Inaccuracy> FindOnce(bool bounds_are_known) {
    for (size_t d = 0; d < std::min(result_->size(), ideal_->size()); ++d) {
      const std::vector<const Literal*> value = (*result_)[d].Leaves(), own = (*own_)[d].Leaves(),
                                        ideal = (*ideal_)[d].Leaves();
      for (size_t leaf = 0; leaf < std::min({value.size(), own.size(), ideal.size()}); ++leaf) {
        const PrimitiveType type = value[leaf]->shape().element_type(), wide = ideal[leaf]->shape().element_type();
        const bool is_f64 = measure_.pairs() && type == PrimitiveType::F64 && wide == PrimitiveType::C128;
        const bool is_f32 = !measure_.pairs() && type == PrimitiveType::F32 && wide == PrimitiveType::F64;
        if ((!is_f64 && !is_f32) || !value[leaf]->shape().SameDimensions(ideal[leaf]->shape())) continue;
        const bool known = d < bounds_.size() && leaf < bounds_[d].size() && !bounds_[d][leaf].empty();
        std::optional<Inaccuracy> found =
            FindInLeaf(leaf, *value[leaf], *own[leaf], *ideal[leaf], known ? &bounds_[d][leaf] : nullptr);
        if (!found) continue;
        const auto jumps = [&](const ModuleUnderTest& subject) {
          return HasDiscontinuousSource(subject.module(), leaf, value.size(), type);
        };
        if (bounds_are_known && (jumps(judged_) || (&judged_ != &measure_ && jumps(measure_)))) continue;
        return found;
      }
    }
    return std::nullopt;
  }

  std::optional<Inaccuracy> FindInLeaf(size_t leaf, const Literal& value, const Literal& own, const Literal& ideal,
                                       const ErrorBound* bounds) const {
    const PrimitiveType type = value.shape().element_type();
    const double unit = std::ldexp(1, -GetFloatFormat(type).mantissa_bits);
    const double part = bounds != nullptr ? thresholds::kPartOfLeaf * Median(*bounds) : 0;
    const Loss loss = &judged_ == &measure_ ? Loss() : LossOf(own, ideal);
    for (int64_t i = 0; i < value.element_count(); ++i) {
      const double x = value.GetAsDouble(i);
      const std::complex<double> pair = ideal.GetAsComplex(i);
      if (!std::isfinite(x) || !std::isfinite(pair.real())) continue;
      const double distance = DistanceOf(x, pair), size = std::abs(pair.real());
      double bound = thresholds::kUnitsOfAccuracy * (size * unit + SmallestNormal(type));
      if (bounds != nullptr) {
        bound += thresholds::kAccuracyMargin * thresholds::kOwnOverMoved * ((*bounds)[static_cast<size_t>(i)] + part);
      }
      if (&judged_ != &measure_) {
        const double own_distance = DistanceOf(own.GetAsDouble(i), pair);
        bound += thresholds::kOwnLosses * std::max(own_distance, std::min(loss.relative * size, loss.absolute));
      }
      if (distance > bound)
        return Inaccuracy{leaf, i, ElementIndexText(value.shape(), i), x, pair.real(), distance / bound};
    }
    return std::nullopt;
  }

  // The largest absolute and relative errors of a leaf's elements.
  struct Loss {
    double absolute = 0, relative = 0;
  };
  static Loss LossOf(const Literal& own, const Literal& ideal) {
    Loss loss;
    for (int64_t i = 0; i < own.element_count(); ++i) {
      const double x = own.GetAsDouble(i);
      const std::complex<double> pair = ideal.GetAsComplex(i);
      if (!std::isfinite(x) || !std::isfinite(pair.real()) || pair.real() == 0) continue;
      const double distance = DistanceOf(x, pair);
      loss.absolute = std::max(loss.absolute, distance);
      loss.relative = std::max(loss.relative, distance / std::abs(pair.real()));
    }
    return loss;
  }

  ModuleUnderTest &judged_, &measure_;
  size_t set_;
  const StatusOr<Results>&result_, &own_, &ideal_;
  ErrorBounds bounds_;
};

// `own`: the leaf of the first module.
AccuracyLoss MakeLoss(Inaccuracy element, const Literal& own) {
  const double first = own.GetAsDouble(element.index), ideal = element.ideal, second = element.value;
  return {std::move(element),
          first,
          {RightDigits(std::abs(first - ideal), ideal), RightDigits(std::abs(second - ideal), ideal)}};
}

}  // namespace

std::string Inaccuracy::ToString(const ModuleUnderTest& subject) const {
  const int digits = subject.pairs() ? 17 : 9;
  return Format("out{}{} is {:.{}g}, but {:.{}g} in {}: {:.3g} times the distance that roundings explain", leaf,
                element, value, digits, ideal, digits, subject.wide_name(), times);
}

std::string AccuracyLoss::ToString(const ModuleUnderTest& subject) const {
  const int decimals = subject.pairs() ? 17 : 9;
  return Format(
      "out{}{} is {:.{}g} in {}, {:.{}g} in {} and {:.{}g} in {}: {:.1f} and {:.1f} decimal digits are correct",
      element.leaf, element.element, element.ideal, decimals, subject.wide_name(), first, decimals,
      subject.options().before_name, element.value, decimals, subject.options().after_name, digits[0], digits[1]);
}

std::optional<Inaccuracy> BeyondOwnRounding(ModuleUnderTest& subject, size_t set) {
  return AccuracyComparer(subject, subject, set).Find();
}

std::optional<AccuracyLoss> LosesMore(ModuleUnderTest& first, ModuleUnderTest& second, size_t set) {
  if (&first == &second) return std::nullopt;
  const std::optional<Inaccuracy> found = AccuracyComparer(second, first, set).Find();
  if (!found) return std::nullopt;
  return MakeLoss(*found, *(*first.Result(set))[0].Leaves()[found->leaf]);
}

std::optional<std::string> LossOf(const ResultDifference& difference, bool may_overflow) {
  constexpr double kMost = 0.5;  // of the leaf's largest element
  ModuleUnderTest &before = difference.before, &after = difference.after;
  const size_t set = difference.set;
  const StatusOr<Results>&own = before.Result(set), &other = after.Result(set),
        &wide = before.Ideal(set, /*keep_roundings=*/true);
  if (!own.ok() || !other.ok() || !wide.ok()) return std::nullopt;
  const Literal *first = nullptr, *second = nullptr, *exact = nullptr;  // of the leaf that lost most
  size_t most = 0, k = 0;
  int64_t at = 0;
  double largest_part = 0;
  for (size_t d = 0; d < own->size(); ++d) {
    const std::vector<const Literal*> x = (*own)[d].Leaves(), y = (*other)[d].Leaves(), ideal = (*wide)[d].Leaves();
    for (size_t leaf = 0; leaf < x.size(); ++leaf, ++k) {
      if (k >= difference.seen.leaves.size() || difference.seen.leaves[k].agrees) continue;
      const PrimitiveType type = x[leaf]->shape().element_type();
      if (IsExact(type) || !ideal[leaf]->shape().SameDimensions(x[leaf]->shape())) return std::nullopt;
      const Distance ours = Measure(*ideal[leaf], *x[leaf]), theirs = Measure(*ideal[leaf], *y[leaf]);
      const bool is_lost = theirs.nonfinite > ours.nonfinite || theirs.absolute > kMost * theirs.largest;
      if (is_lost && !may_overflow) return std::nullopt;
      if (theirs.nonfinite > 0 || theirs.absolute <= thresholds::kErrorFactor * ours.absolute ||
          theirs.absolute <= largest_part * theirs.largest)
        continue;
      largest_part = theirs.absolute / theirs.largest;
      most = leaf, at = theirs.worst;
      first = x[leaf], second = y[leaf], exact = ideal[leaf];
    }
  }
  if (first == nullptr) return "";
  Inaccuracy element{most, at, ElementIndexText(first->shape(), at), second->GetAsDouble(at), exact->GetAsDouble(at),
                     0};
  return MakeLoss(std::move(element), *first).ToString(before);
}

}  // namespace hloir::check
