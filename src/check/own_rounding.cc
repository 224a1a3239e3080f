// See own_rounding.h. How far an element moves if each rounding in f64 is moved by up to 2^-44 of itself (IdealMoved)
// is how far it moves in f32, 2^-20 times as much: roundings are so small that results move in proportion, and where
// they do not, the module is chaotic and its bound large. So no further run is needed than those that the meaning is
// compared by. Covered by tests/unit/meaning_test.cc.
#include "check/own_rounding.h"

#include <algorithm>
#include <complex>

#include "check/compare.h"
#include "check/sources.h"
#include "check/spread.h"
#include "support/format.h"

namespace hloir::check {
namespace {

constexpr double kOverMove = 0x1p20;  // 2^-24 over 2^-44, and 2^-53 over 2^-73
// Sums of many terms, of which only the terms and the result are moved, do up to 14 times as much on the corpus; a type
// of 16 bits does 2^13 times as much.
constexpr double kMargin = 256;
constexpr double kUlpsOfOneStep = 8;
// Patterns may happen to cancel in an element: so many do not.
constexpr uint64_t kMovesOnSuspicion = 2 * kPatterns;

// May a result that depends on this be another one, and not just a little, for a rounding, or for one that is not
// moved?
bool Jumps(const HloInstruction& i, PrimitiveType own_type) {
  const auto is_float = [](const HloInstruction* operand) {
    return operand->shape().IsArray() && IsFloat(ComplexComponentType(operand->shape().element_type()));
  };
  const bool of_floats = std::any_of(i.operands().begin(), i.operands().end(), is_float);
  for (const Shape* leaf : i.shape().Leaves()) {
    const PrimitiveType type = ComplexComponentType(leaf->element_type());
    if (IsFloat(type) && type != own_type) return true;  // other units
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
        const PrimitiveType type = own[leaf]->shape().element_type(), wide = exact[leaf]->shape().element_type();
        const bool is_f64 = subject.pairs() && type == PrimitiveType::F64 && wide == PrimitiveType::C128;
        const bool is_f32 = !subject.pairs() && type == PrimitiveType::F32 && wide == PrimitiveType::F64;
        if (!is_f64 && !is_f32) continue;
        const double unit = is_f64 ? 0x1p-52 : 0x1p-23;
        const bool known = d < spreads.size() && leaf < spreads[d].size() && !spreads[d][leaf].empty();
        const double part = known ? kPartOfLeaf * Median(spreads[d][leaf]) : 0;
        for (size_t i = 0; i < static_cast<size_t>(own[leaf]->element_count()); ++i) {
          const double x = own[leaf]->GetAsDouble(static_cast<int64_t>(i));
          const std::complex<double> pair = exact[leaf]->GetAsComplex(static_cast<int64_t>(i));
          const double y = pair.real();
          if (!std::isfinite(x) || !std::isfinite(y)) continue;
          const double distance = std::abs((x - y) - pair.imag());
          double bound = kUlpsOfOneStep * (std::abs(y) * unit + SmallestNormal(type));
          if (known) bound += kMargin * kOverMove * (spreads[d][leaf][i] + part);
          if (distance <= bound) continue;
          if (moved) {
            // Only leaves that do not agree are looked for.
            Comparison seen;
            seen.leaves.resize(own.size());
            seen.leaves[leaf].agrees = false;
            const auto sources = SourcesOf(subject.module(), seen);
            if (std::any_of(sources.begin(), sources.end(),
                            [type](const HloInstruction* s) { return Jumps(*s, type); }))
              break;
          }
          evidence =
              Format("out{}{} is {:.{}g}, and {:.{}g} in {}, which is {:.3g} times as far as its roundings explain",
                     leaf, ElementIndexText(own[leaf]->shape(), static_cast<int64_t>(i)), x, is_f64 ? 17 : 9, y,
                     is_f64 ? 17 : 9, subject.wide_name(), distance / bound);
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
    Raise(spreads, *ideal, *other, subject.pairs());
    judge();
  }
  return evidence;
}

}  // namespace hloir::check
