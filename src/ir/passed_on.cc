// See passed_on.h.
#include "hloir/detail/passed_on.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "hloir/instruction.h"

namespace hloir {

// One operand and its copy, or several in a tuple.
static bool PassesOperandsOn(const HloInstruction& call) {
  const Shape& shape = call.shape();
  if (!shape.IsTuple()) return call.operand_count() == 1 && call.operand(0)->shape().Compatible(shape);
  if (call.operand_count() == 1 && call.operand(0)->shape().Compatible(shape)) return true;
  if (call.operand_count() == 0 || call.operand_count() != shape.tuple_size()) return false;
  for (int64_t i = 0; i < call.operand_count(); ++i)
    if (!call.operand(i)->shape().Compatible(shape.tuple_shapes(i))) return false;
  return true;
}

template <size_t kCount>
static bool IsOneOf(const HloInstruction& call, const std::string_view (&targets)[kCount]) {
  const std::string& target = call.attributes<CustomCallAttributes>().custom_call_target;
  return std::find(std::begin(targets), std::end(targets), target) != std::end(targets);
}

bool IsShardingMark(const HloInstruction& call) {
  constexpr std::string_view kMarks[] = {"Sharding",
                                         "SPMDFullToShardShape",
                                         "SPMDShardToFullShape",
                                         "xla.sdy.FuncResultSharding",
                                         "xla.sdy.PropagationBarrier",
                                         "xla.sdy.GlobalToLocalShape",
                                         "xla.sdy.LocalToGlobalShape"};
  return IsOneOf(call, kMarks) && PassesOperandsOn(call);
}

int64_t PassedOnOperands(const HloInstruction& call) {
  // A choice among rewrites (rewrite/alternatives.h) that nobody has made yet: its source.
  if (call.attributes<CustomCallAttributes>().custom_call_target == "kAlternative" && call.operand_count() > 0 &&
      call.operand(0)->shape().Compatible(call.shape()))
    return 1;
  constexpr std::string_view kPlacements[] = {"annotate_device_placement", "MoveToHost", "MoveToDevice",
                                              "LayoutConstraint"};
  const bool passes = IsShardingMark(call) || (IsOneOf(call, kPlacements) && PassesOperandsOn(call));
  return passes ? call.operand_count() : 0;
}

}  // namespace hloir
