// See hloir/analysis.h.
#include "hloir/analysis.h"

#include "analysis/trip_count.h"

namespace hloir {
namespace {

bool ReadsByElement(const HloInstruction& tuple) {
  for (const HloInstruction* user : tuple.users()) {
    if (user->opcode() != HloOpcode::kGetTupleElement || HasAnnotations(*user) || user->HasControlDependencies()) {
      return false;
    }
  }
  return !tuple.IsRoot();
}
bool IsFree(const HloInstruction& i) { return !i.HasControlDependencies() && !HasAnnotations(i); }

// The integer that the instruction of the body or condition has in every iteration; nullopt if unknown.
std::optional<__int128> FixedInteger(const HloInstruction& loop, const HloInstruction* i) {
  if (int64_t element = ElementRead(*i); element >= 0) {
    if (!IsPassedThrough(loop, element)) return std::nullopt;
    i = InitialValue(loop, element);
  }
  if (i == nullptr || !i->IsScalarConstant() || i->literal().elided()) return std::nullopt;
  const PrimitiveType type = i->shape().element_type();
  if (!IsInteger(type)) return std::nullopt;
  const int64_t bits = i->literal().GetAsInt64(0);
  return type == PrimitiveType::U64 ? static_cast<__int128>(static_cast<uint64_t>(bits)) : static_cast<__int128>(bits);
}

bool Holds(PrimitiveType type, __int128 value) {
  const int bits = BitWidth(type) - IsSigned(type);
  const __int128 end = static_cast<__int128>(1) << bits;
  return value < end && value >= (IsSigned(type) ? -end : 0);
}

}  // namespace

bool IsTupleLoop(const HloInstruction& loop) {
  if (loop.opcode() != HloOpcode::kWhile || !loop.shape().IsTuple() || !IsFree(loop)) return false;
  const HloInstruction& root = *loop.while_body()->root();
  return root.opcode() == HloOpcode::kTuple && IsFree(root) && IsFree(*loop.operand(0)) &&
         root.shape() == loop.shape() && IsFree(*loop.while_body()->parameter(0)) &&
         IsFree(*loop.while_condition()->parameter(0)) && ReadsByElement(*loop.while_body()->parameter(0)) &&
         ReadsByElement(*loop.while_condition()->parameter(0));
}

bool IsTupleLoopReadByElement(const HloInstruction& loop) { return IsTupleLoop(loop) && ReadsByElement(loop); }

bool IsPassedThrough(const HloInstruction& loop, int64_t element) {
  return ElementRead(*NextValue(loop, element)) == element;
}

int64_t ElementRead(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kGetTupleElement && i.operand(0)->IsParameter() ? i.tuple_index() : -1;
}

std::optional<LoopCounter> StepsOf(const HloInstruction& loop, int64_t element) {
  const HloInstruction *initial = InitialValue(loop, element), *next = NextValue(loop, element);
  if (initial == nullptr || !initial->IsScalarConstant() || !IsInteger(initial->shape().element_type())) return {};
  const bool adds = next->opcode() == HloOpcode::kAdd;
  if (!adds && next->opcode() != HloOpcode::kSubtract) return {};
  std::optional<__int128> start = FixedInteger(loop, initial), step;
  if (ElementRead(*next->operand(0)) == element) step = FixedInteger(loop, next->operand(1));
  else if (adds && ElementRead(*next->operand(1)) == element) step = FixedInteger(loop, next->operand(0));
  if (!start || !step || *start > INT64_MAX || *step > INT32_MAX || *step < INT32_MIN) return {};
  LoopCounter counter;
  counter.element = element;
  counter.start = static_cast<int64_t>(*start);
  counter.step = static_cast<int64_t>(adds ? *step : -*step);
  return counter;
}

std::optional<LoopCounter> FindLoopCounter(const HloInstruction& loop) {
  if (!IsTupleLoop(loop)) return {};
  const HloInstruction& root = *loop.while_condition()->root();
  if (root.opcode() != HloOpcode::kCompare) return {};
  ComparisonDirection direction = root.attributes<CompareAttributes>().direction;
  for (int64_t side = 0; side < 2; ++side) {
    const int64_t element = ElementRead(*root.operand(side));
    if (element < 0) continue;
    std::optional<LoopCounter> counter = StepsOf(loop, element);
    std::optional<__int128> limit = FixedInteger(loop, root.operand(1 - side));
    if (!counter || !limit) continue;
    const std::optional<int64_t> trips =
        CountRounds(side == 0 ? direction : Flipped(direction), counter->start, counter->step, *limit);
    // It must not wrap around up to and including the value that ends the loop.
    const PrimitiveType type = root.operand(side)->shape().element_type();
    if (!trips || !Holds(type, static_cast<__int128>(counter->start) + *trips * counter->step)) continue;
    counter->trips = *trips;
    return counter;
  }
  return {};
}

}  // namespace hloir
