// See own_rounding.h. How far an element moves if each rounding in f64 is moved by up to 2^-44 of itself (IdealMoved)
// is how far it moves in f32, 2^-20 times as much: roundings are so small that results move in proportion, and where
// they do not, the module is chaotic and its bound large. So no further run is needed than those that the meaning is
// compared by. Covered by tests/unit/meaning_test.cc.
#include "check/own_rounding.h"

#include <algorithm>

#include "check/compare.h"
#include "check/sources.h"
#include "check/spread.h"
#include "support/format.h"

namespace hloir::check {
namespace {

constexpr double kF32OverMove = 0x1p20;  // 2^-24 over 2^-44
// Sums of many terms, of which only the terms and the result are moved, do up to 14 times as much on the corpus; a type
// of 16 bits does 2^13 times as much.
constexpr double kMargin = 256;
constexpr double kFewUnits = 8;
// Patterns may happen to cancel in an element: so many do not.
constexpr uint64_t kMovesOnSuspicion = 2 * kPatterns;

// May a result that depends on this be another one, and not just a little, for a rounding, or for one that is not
// moved?
bool Jumps(const HloInstruction& i) {
  const auto is_float = [](const HloInstruction* operand) {
    return operand->shape().IsArray() && IsFloat(ComplexComponentType(operand->shape().element_type()));
  };
  const bool of_floats = std::any_of(i.operands().begin(), i.operands().end(), is_float);
  for (const Shape* leaf : i.shape().Leaves()) {
    const PrimitiveType type = ComplexComponentType(leaf->element_type());
    if (IsFloat(type) && type != PrimitiveType::F32) return true;  // other units
    if (IsComplex(leaf->element_type())) return true;              // products cancel inside
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
    case HloOpcode::kWhile: return true;  // what they round inside is not moved
    case HloOpcode::kReduce:
    case HloOpcode::kScatter:
    case HloOpcode::kAllReduce:
    case HloOpcode::kReduceScatter:
      return !i.called_computations().empty() && i.called_computations()[0]->instruction_count() > 3;
    case HloOpcode::kDot: return i.attributes<DotAttributes>().algorithm != DotAlgorithm::kUnset;
    default: return false;
  }
}

}  // namespace

std::string BeyondOwnRounding(Subject& subject, size_t set) {
  const StatusOr<Results>&result = subject.Result(set), &ideal = subject.Ideal(set, /*keep_roundings=*/true);
  if (!result.ok() || !ideal.ok() || &*result == &*ideal) return "";
  std::string evidence;
  Spreads spreads;
  bool moved = false;
  const auto judge = [&] {
    evidence.clear();
    for (size_t d = 0; d < std::min(result->size(), ideal->size()); ++d) {
      const std::vector<const Literal*> own = (*result)[d].Leaves(), exact = (*ideal)[d].Leaves();
      for (size_t leaf = 0; leaf < std::min(own.size(), exact.size()); ++leaf) {
        if (own[leaf]->shape().element_type() != PrimitiveType::F32 ||
            exact[leaf]->shape().element_type() != PrimitiveType::F64)
          continue;
        const bool known = d < spreads.size() && leaf < spreads[d].size() && !spreads[d][leaf].empty();
        const double part = known ? kPartOfLeaf * Median(spreads[d][leaf]) : 0;
        const auto x = own[leaf]->data<float>();
        const auto y = exact[leaf]->data<double>();
        for (size_t i = 0; i < x.size(); ++i) {
          if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
          const double distance = std::abs(static_cast<double>(x[i]) - y[i]);
          double bound = kFewUnits * (std::abs(y[i]) * 0x1p-23 + SmallestNormal(PrimitiveType::F32));
          if (known) bound += kMargin * kF32OverMove * (spreads[d][leaf][i] + part);
          if (distance <= bound) continue;
          if (moved) {
            // Only leaves that do not agree are looked for.
            Comparison seen;
            seen.leaves.resize(own.size());
            seen.leaves[leaf].agrees = false;
            const auto sources = SourcesOf(subject.module(), seen);
            if (std::any_of(sources.begin(), sources.end(), [](const HloInstruction* s) { return Jumps(*s); })) break;
          }
          evidence =
              Format("out{}{} is {:.9g}, and {:.9g} in f64, which is {:.3g} times as far as its roundings explain",
                     leaf, ElementIndexText(own[leaf]->shape(), static_cast<int64_t>(i)), x[i], y[i], distance / bound);
          return;
        }
      }
    }
  };
  judge();
  moved = true;
  for (uint64_t pattern = 0; pattern < kMovesOnSuspicion && !evidence.empty(); ++pattern) {
    const StatusOr<Results> other = subject.IdealMoved(set, /*keep_roundings=*/true, pattern);
    if (!other.ok()) return "";
    Raise(spreads, *ideal, *other);
    judge();
  }
  return evidence;
}

}  // namespace hloir::check
