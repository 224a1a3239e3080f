// Collectives, for one device: with a single participant the result is the operands. For several devices, simulated by
// RunOnDevices: collective_functions.cc. Transfers: transfers.cc.
#include <algorithm>
#include <functional>

#include "support/format.h"
#include "devices/devices.h"
#include "reference/evaluation.h"
#include "reference/index.h"

namespace hloir::reference {
namespace {

Status CheckSingleParticipant(const EvalContext& context) {
  const HloModule* module = context.instruction.module();
  if (module != nullptr && module->config().replica_count * module->config().num_partitions > 1) {
    return UnimplementedOp(context, "communicates between devices, but there is only one");
  }
  return OkStatus();
}

// Returns the operands as the result: one, or a tuple of several. Their shapes must be equal to the result's.
StatusOr<Value> Keep(EvalContext& context, const Shape& shape) {
  if (context.run.device() != nullptr) return EvaluateCollective(context, shape);
  HLOIR_RETURN_IF_ERROR(CheckSingleParticipant(context));
  if (!shape.IsTuple()) {
    if (context.operands.empty() || !context.instruction.operand(0)->shape().Compatible(shape)) {
      return UnimplementedOp(context, "a single device cannot make its result");
    }
    return context.operands[0];
  }
  if (shape.tuple_size() != context.operand_count())
    return UnimplementedOp(context, "a single device cannot make its result");
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    if (!context.instruction.operand(i)->shape().Compatible(shape.tuple_shapes(i))) {
      return UnimplementedOp(context, "a single device cannot make its result");
    }
  }
  return Value::Tuple({context.operands.begin(), context.operands.end()});
}

// (operands, results, contexts…)
StatusOr<Value> KeepInFlight(EvalContext& context, StatusOr<Value> result) {
  if (!result.ok()) return result;
  if (!context.shape.IsTuple() || context.shape.tuple_size() < 2) return UnimplementedOp(context, "in this form");
  std::vector<Value> elements;
  elements.push_back(context.shape.tuple_shapes(0).IsTuple()
                         ? Value::Tuple({context.operands.begin(), context.operands.end()})
                         : context.operands[0]);
  elements.push_back(*std::move(result));
  for (int64_t i = 2; i < context.shape.tuple_size(); ++i)
    elements.emplace_back(Literal(context.shape.tuple_shapes(i)));
  return Value::Tuple(std::move(elements));
}

StatusOr<Value> Element1(EvalContext& context) {
  if (!context.operands[0].IsTuple() || context.operands[0].elements().size() < 2) {
    return InvalidArgument(Format("{} has no matching start", context.instruction.name()));
  }
  return context.operands[0].elements()[1];
}

// A device that is not a permutation's target gets zeros.
StatusOr<Value> Permute(EvalContext& context, const Shape& shape) {
  if (context.run.device() != nullptr) return EvaluateCollective(context, shape);
  const auto& attributes = context.attributes<CollectivePermuteAttributes>();
  if (!attributes.slice_sizes.empty()) return UnimplementedOp(context, "in place");
  for (const auto& [source, target] : attributes.source_target_pairs) {
    if (source == 0 && target == 0) return Keep(context, shape);
  }
  HLOIR_RETURN_IF_ERROR(CheckSingleParticipant(context));
  return Literal(shape);
}

}  // namespace

StatusOr<Value> EvaluateAllGather(EvalContext& context) { return Keep(context, context.shape); }
StatusOr<Value> EvaluateAllReduce(EvalContext& context) { return Keep(context, context.shape); }
StatusOr<Value> EvaluateAllReduceStart(EvalContext& context) { return Keep(context, context.shape); }
// If the shapes are for more devices, the first device's part.
StatusOr<Value> EvaluateReduceScatter(EvalContext& context) {
  if (context.run.device() != nullptr || context.operand_count() != 1 || !context.shape.IsArray())
    return Keep(context, context.shape);
  HLOIR_RETURN_IF_ERROR(CheckSingleParticipant(context));
  const DimVector& dims = context.operand(0).shape().dimensions();
  if (dims.size() != context.dims().size() ||
      !std::equal(context.dims().begin(), context.dims().end(), dims.begin(), std::less_equal<>())) {
    return UnimplementedOp(context, "a single device cannot make its result");
  }
  return ReadRegion(context.shape, context.operand(0), {0, RowMajorStrides(dims)});
}
StatusOr<Value> EvaluateAllToAll(EvalContext& context) { return Keep(context, context.shape); }
StatusOr<Value> EvaluateCollectiveBroadcast(EvalContext& context) { return Keep(context, context.shape); }
StatusOr<Value> EvaluateCollectivePermute(EvalContext& context) { return Permute(context, context.shape); }

StatusOr<Value> EvaluateAllGatherStart(EvalContext& context) {
  if (!context.shape.IsTuple() || context.shape.tuple_size() < 2) return UnimplementedOp(context, "in this form");
  return KeepInFlight(context, Keep(context, context.shape.tuple_shapes(1)));
}
StatusOr<Value> EvaluateCollectivePermuteStart(EvalContext& context) {
  if (!context.shape.IsTuple() || context.shape.tuple_size() < 2) return UnimplementedOp(context, "in this form");
  return KeepInFlight(context, Permute(context, context.shape.tuple_shapes(1)));
}
StatusOr<Value> EvaluateAllReduceDone(EvalContext& context) { return std::move(context.operands[0]); }
StatusOr<Value> EvaluateAllGatherDone(EvalContext& context) { return Element1(context); }
StatusOr<Value> EvaluateCollectivePermuteDone(EvalContext& context) { return Element1(context); }

StatusOr<Value> EvaluateRaggedAllToAll(EvalContext& context) {
  if (context.run.device() != nullptr) return EvaluateCollective(context, context.shape);
  HLOIR_RETURN_IF_ERROR(CheckSingleParticipant(context));
  Literal result = context.operand(1);
  HLOIR_RETURN_IF_ERROR(MoveRaggedRows(context, context.operand(0), context.operand(2), context.operand(3),
                                       context.operand(4), /*member=*/0, result));
  return result;
}
// (data, a number, a token). The data of a receive arrives at its done, which waits for it, so that all devices may
// start to receive before they send.
StatusOr<Value> EvaluateSend(EvalContext& context) {
  HLOIR_RETURN_IF_ERROR(PostTransfer(context));
  return Value::Tuple({context.operands[0], Value(Literal(context.shape.tuple_shapes(1))),
                       Value(Literal(context.shape.tuple_shapes(2)))});
}
StatusOr<Value> EvaluateSendDone(EvalContext& context) { return Value(Literal(context.shape)); }
StatusOr<Value> EvaluateRecv(EvalContext& context) { return Value(Literal(context.shape)); }
StatusOr<Value> EvaluateRecvDone(EvalContext& context) {
  HLOIR_ASSIGN_OR_RETURN(Literal data, AwaitTransfer(context, context.shape.tuple_shapes(0)));
  return Value::Tuple({Value(std::move(data)), Value(Literal(context.shape.tuple_shapes(1)))});
}

// (data, token)
StatusOr<Value> EvaluateInfeed(EvalContext& context) {
  if (!context.run.options().infeed) return UnimplementedOp(context, "no infeed data was given");
  if (!context.shape.IsTuple() || context.shape.tuple_size() != 2)
    return InvalidArgument("infeed gives data and a token");
  const Shape& wanted = context.shape.tuple_shapes(0);
  HLOIR_ASSIGN_OR_RETURN(Literal data, context.run.options().infeed(wanted));
  if (!data.shape().Compatible(wanted)) {
    return InvalidArgument(Format("{} is fed {}, not {}", context.instruction.name(), data.shape().ToString(false),
                                  wanted.ToString(false)));
  }
  return Value::Tuple({Value(std::move(data)), Value(Literal(context.shape.tuple_shapes(1)))});
}
// Operands: data, token.
StatusOr<Value> EvaluateOutfeed(EvalContext& context) {
  if (!context.run.options().outfeed) return UnimplementedOp(context, "no outfeed was given");
  HLOIR_RETURN_IF_ERROR(context.run.options().outfeed(Value(context.operands[0]).TakeLiteral()));
  return Value(Literal(context.shape));
}

// A single device is number 0.
StatusOr<Value> EvaluateReplicaId(EvalContext& context) {
  Literal id(context.shape);
  if (context.run.device() != nullptr) id.SetFromInt64(0, context.run.device()->replica);
  return id;
}
StatusOr<Value> EvaluatePartitionId(EvalContext& context) {
  Literal id(context.shape);
  if (context.run.device() != nullptr) id.SetFromInt64(0, context.run.device()->partition);
  return id;
}

}  // namespace hloir::reference
