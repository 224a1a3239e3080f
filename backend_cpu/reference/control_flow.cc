// Ops that run other computations as a whole: call, fusion, while, conditional; and asynchronous ops, which complete at
// their start.
#include "ir/async_chain.h"
#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/mixed_precision.h"

namespace hloir::reference {
namespace {

std::vector<Value> TakeOperands(EvalContext& context, size_t first = 0) {
  return {std::make_move_iterator(context.operands.begin() + static_cast<std::ptrdiff_t>(first)),
          std::make_move_iterator(context.operands.end())};
}

// The state of an asynchronous op: ((operands), result, contexts…), contexts being zeros.
StatusOr<Value> InFlight(const Shape& shape, Value operands, Value result) {
  std::vector<Value> elements{std::move(operands), std::move(result)};
  for (int64_t i = 2; i < shape.tuple_size(); ++i) elements.emplace_back(Literal(shape.tuple_shapes(i)));
  return Value::Tuple(std::move(elements));
}

StatusOr<Value> ResultInFlight(EvalContext& context) {
  if (!context.operands[0].IsTuple() || context.operands[0].elements().size() < 2) {
    return InvalidArgument(Format("{} has no matching start", context.instruction.name()));
  }
  return context.operands[0].elements()[1];
}

}  // namespace

StatusOr<Value> EvaluateCall(EvalContext& context) {
  return context.run.Call(*context.instruction.to_apply(), TakeOperands(context));
}

StatusOr<Value> EvaluateFusion(EvalContext& context) {
  return context.run.Call(*context.instruction.fused_computation(), TakeOperands(context));
}

// The body's result replaces the state while the condition is true. HLO assumes that loops terminate: a loop whose body
// leaves all elements unchanged on which results and condition depend returns its argument.
StatusOr<Value> EvaluateWhile(EvalContext& context) {
  const HloComputation& body = *context.instruction.while_body();
  const bool never_ends = context.run.NeverEnds(context.instruction);
  Value state = std::move(context.operands[0]);
  while (true) {
    HLOIR_ASSIGN_OR_RETURN(const Value goes_on, context.run.Call(*context.instruction.while_condition(), {state}));
    if (!goes_on.literal().data<bool>()[0] || never_ends) return state;
    std::vector<Value> argument;
    argument.push_back(std::move(state));
    HLOIR_ASSIGN_OR_RETURN(state, context.run.Call(body, std::move(argument)));
  }
}

// A true pred selects branch 0; an s32 selects the branch of that number, and the last one if it is out of range.
// Operand i+1 is the argument of branch i.
StatusOr<Value> EvaluateConditional(EvalContext& context) {
  const Literal& selector = context.operand(0);
  const int64_t branches = static_cast<int64_t>(context.instruction.called_computations().size());
  if (branches == 0 || context.operand_count() != branches + 1) {
    return InvalidArgument(Format("{} does not have one operand for each branch", context.instruction.name()));
  }
  int64_t branch;
  if (selector.shape().element_type() == PrimitiveType::PRED) {
    branch = selector.data<bool>()[0] ? 0 : 1;
  } else {
    branch = selector.GetAsInt64(0);
    if (branch < 0 || branch >= branches) branch = branches - 1;
  }
  std::vector<Value> argument;
  argument.push_back(std::move(context.operands[static_cast<size_t>(branch + 1)]));
  return context.run.Call(*context.instruction.called_computations()[static_cast<size_t>(branch)], std::move(argument));
}

// An async computation runs at its start. One with operands bound later runs at its done, and until then its result is
// zeros. This is detected only for direct chains.
StatusOr<Value> EvaluateAsyncStart(EvalContext& context) {
  const std::vector<Value> operands(context.operands.begin(), context.operands.end());
  if (IsLateBound(context.instruction)) {
    if (AsyncDoneOf(context.instruction) == nullptr)
      return UnimplementedOp(context, "it is bound late, and not by its own async-updates alone");
    return InFlight(context.shape, Value::Tuple(operands), Literal(context.shape.tuple_shapes(1)));
  }
  HLOIR_ASSIGN_OR_RETURN(Value result, context.run.Call(*context.instruction.called_computations()[0], operands));
  return InFlight(context.shape, Value::Tuple(operands), std::move(result));
}
StatusOr<Value> EvaluateAsyncUpdate(EvalContext& context) {
  const Shape& before = context.instruction.operand(0)->shape();
  if (context.operand_count() == 1 && context.shape.Compatible(before)) return std::move(context.operands[0]);
  const HloInstruction* start = AsyncStartOf(context.instruction);
  if (start == nullptr || !IsLateBound(*start))
    return UnimplementedOp(context,
                           "it binds operands or results of a start that is not before it, or has all of them");
  std::vector<Value> operands = context.operands[0].elements()[0].elements();
  operands.insert(operands.end(), context.operands.begin() + 1, context.operands.end());
  return InFlight(context.shape, Value::Tuple(std::move(operands)), Literal(context.shape.tuple_shapes(1)));
}
StatusOr<Value> EvaluateAsyncDone(EvalContext& context) {
  const HloInstruction* start = AsyncStartOf(context.instruction);
  if (start != nullptr && IsLateBound(*start))
    return context.run.Call(*start->called_computations()[0], context.operands[0].elements()[0].elements());
  if (!context.shape.Compatible(context.instruction.operand(0)->shape().tuple_shapes(1)))
    return UnimplementedOp(context, "its result is bound late, by a start that is not before it");
  return ResultInFlight(context);
}

// (destination, source, context)
StatusOr<Value> EvaluateCopyStart(EvalContext& context) {
  return InFlight(context.shape, context.operands[0], context.operands[0]);
}
StatusOr<Value> EvaluateCopyDone(EvalContext& context) { return ResultInFlight(context); }

}  // namespace hloir::reference
