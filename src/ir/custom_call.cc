// See custom_call.h.
#include "hloir/custom_call.h"

#include <algorithm>
#include <array>

#include "hloir/instruction.h"

namespace hloir {
namespace {

constexpr CustomCallInfo kCustomCallInfos[] = {
    {"", "", "", 0},
#define HLOIR_CUSTOM_CALL(name, target, computes, meaning, evaluate, cost, verify, expander, traits) \
  {target, computes, expander, traits},
#include "hloir/custom_calls.def"
};

// All but kUnknown, by target.
constexpr std::array<CustomCall, kCustomCallCount - 1> kByTarget = [] {
  std::array<CustomCall, kCustomCallCount - 1> calls{};
  for (size_t i = 0; i < calls.size(); ++i) calls[i] = static_cast<CustomCall>(i + 1);
  std::sort(calls.begin(), calls.end(), [](CustomCall a, CustomCall b) {
    return kCustomCallInfos[static_cast<size_t>(a)].target < kCustomCallInfos[static_cast<size_t>(b)].target;
  });
  return calls;
}();

constexpr bool HasTwice() {
  for (size_t i = 1; i < kByTarget.size(); ++i)
    if (kCustomCallInfos[static_cast<size_t>(kByTarget[i])].target ==
        kCustomCallInfos[static_cast<size_t>(kByTarget[i - 1])].target)
      return true;
  return false;
}
static_assert(!HasTwice(), "a target has two rows in custom_calls.def");

// One operand and its copy, or several in a tuple.
bool ForwardsOperands(const HloInstruction& call) {
  const Shape& shape = call.shape();
  if (!shape.IsTuple()) return call.operand_count() == 1 && call.operand(0)->shape().Compatible(shape);
  if (call.operand_count() == 1 && call.operand(0)->shape().Compatible(shape)) return true;
  if (call.operand_count() == 0 || call.operand_count() != shape.tuple_size()) return false;
  for (int64_t i = 0; i < call.operand_count(); ++i)
    if (!call.operand(i)->shape().Compatible(shape.tuple_shapes(i))) return false;
  return true;
}

}  // namespace

const CustomCallInfo& GetCustomCallInfo(CustomCall call) { return kCustomCallInfos[static_cast<size_t>(call)]; }

CustomCall FindCustomCall(std::string_view target) {
  const auto less = [](CustomCall call, std::string_view name) { return TargetOf(call) < name; };
  const auto at = std::lower_bound(kByTarget.begin(), kByTarget.end(), target, less);
  return at != kByTarget.end() && TargetOf(*at) == target ? *at : CustomCall::kUnknown;
}

CustomCall CustomCallOf(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCustomCall) return CustomCall::kUnknown;
  return FindCustomCall(instruction.attributes<CustomCallAttributes>().custom_call_target);
}

bool IsCustomCall(const HloInstruction& instruction, CustomCall call) {
  return instruction.opcode() == HloOpcode::kCustomCall &&
         instruction.attributes<CustomCallAttributes>().custom_call_target == TargetOf(call);
}

bool IsShardingAnnotation(const HloInstruction& call) {
  return GetCustomCallInfo(CustomCallOf(call)).Is(kShardingAnnotation) && ForwardsOperands(call);
}

int64_t ForwardedOperands(const HloInstruction& call) {
  const CustomCallInfo& info = GetCustomCallInfo(CustomCallOf(call));
  if (info.Is(kForwardsFirstOperand) && call.operand_count() > 0 && call.operand(0)->shape().Compatible(call.shape()))
    return 1;
  return info.Is(kForwardsOperands) && ForwardsOperands(call) ? call.operand_count() : 0;
}

}  // namespace hloir
