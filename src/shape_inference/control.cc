// Shapes of tuples, calls, loops and branches, of tokens, and of ops for the host and asynchronous ops (send,
// copy-start, async-start, …). The verifier checks the pairing of starts and dones.
#include "internal.h"

#include "support/format.h"

namespace hloir::shape_inference {

// Limits on nested tuples, whose size can grow exponentially with the text; far above real programs.
constexpr int64_t kMaxTupleNodes = 1 << 18;
constexpr int kMaxTupleDepth = 512;

static Status ExpectReasonableSize(const Shape& element_shape, int64_t& nodes) {
  std::vector<std::pair<const Shape*, int>> pending{{&element_shape, 1}};
  while (!pending.empty()) {
    auto [shape, depth] = pending.back();
    pending.pop_back();
    if (++nodes > kMaxTupleNodes)
      return ResourceExhausted(Format("a tuple has over {} elements in all", kMaxTupleNodes));
    if (depth > kMaxTupleDepth) return ResourceExhausted(Format("tuples nest over {} deep", kMaxTupleDepth));
    for (const Shape& element : shape->tuple_shapes()) pending.emplace_back(&element, depth + 1);
  }
  return OkStatus();
}

StatusOr<Shape> InferTuple(const Query& q) {
  int64_t nodes = 0;
  std::vector<Shape> elements;
  elements.reserve(q.operands.size());
  for (const Shape* operand : q.operands) {
    HLOIR_RETURN_IF_ERROR(ExpectReasonableSize(*operand, nodes));
    elements.push_back(*operand);
  }
  return Shape::Tuple(std::move(elements));
}

StatusOr<Shape> InferGetTupleElement(const Query& q) {
  const Shape& x = q.operand(0);
  int64_t index = q.attr<GetTupleElementAttributes>().index;
  if (!x.IsTuple()) return Invalid("get-tuple-element of {}, which is not a tuple", Text(x));
  if (index < 0 || index >= x.tuple_size())
    return Invalid("index={} is out of range for a tuple of {}", index, x.tuple_size());
  return x.tuple_shapes(index);
}

static Status ExpectParameters(const HloComputation& computation, std::span<const Shape* const> arguments) {
  if (static_cast<size_t>(computation.parameter_count()) != arguments.size()) {
    return Invalid("{} has {} parameters, but is given {} operands", computation.name(), computation.parameter_count(),
                   arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& parameter = computation.parameter(i)->shape();
    if (!SameBuffer(parameter, *arguments[i])) {
      return Invalid("parameter {} of {} is {}, but the operand is {}", i, computation.name(), Text(parameter),
                     Text(*arguments[i]));
    }
  }
  return OkStatus();
}

StatusOr<Shape> InferWhile(const Query& q) {
  const HloComputation &condition = *q.called[0], &body = *q.called[1];
  HLOIR_RETURN_IF_ERROR(ExpectParameters(condition, q.operands));
  HLOIR_RETURN_IF_ERROR(ExpectParameters(body, q.operands));
  const Shape &goes_on = condition.root()->shape(), &next = body.root()->shape();
  if (!goes_on.Compatible(Shape::Scalar(PrimitiveType::PRED))) {
    return Invalid("the condition {} must return pred[], not {}", condition.name(), Text(goes_on));
  }
  if (!SameBuffer(next, q.operand(0))) {
    return Invalid("the body {} returns {}, but the loop starts from {}", body.name(), Text(next), Text(q.operand(0)));
  }
  return q.operand(0);
}

StatusOr<Shape> InferConditional(const Query& q) {
  const Shape& selector = q.operand(0);
  const size_t branches = q.called.size();
  if (selector.Compatible(Shape::Scalar(PrimitiveType::PRED))) {
    if (branches != 2) return Invalid("a pred selector has two branches, not {}", branches);
  } else if (!selector.Compatible(Shape::Scalar(PrimitiveType::S32))) {
    return Invalid("the selector must be pred[] or s32[], not {}", Text(selector));
  }
  if (q.operands.size() != branches + 1)
    return Invalid("{} branches need as many operands, not {}", branches, q.operands.size() - 1);
  const Shape& result = q.called[0]->root()->shape();
  for (size_t i = 0; i < branches; ++i) {
    HLOIR_RETURN_IF_ERROR(ExpectParameters(*q.called[i], q.operands.subspan(i + 1, 1)));
    const Shape& other = q.called[i]->root()->shape();
    if (!SameBuffer(result, other)) {
      return Invalid("branches return different shapes: {} gives {}, {} gives {}", q.called[0]->name(), Text(result),
                     q.called[i]->name(), Text(other));
    }
  }
  return result;
}

static Status ExpectToken(const Shape& shape, std::string_view what) {
  return shape.IsToken() ? OkStatus() : Invalid("{} must be a token, not {}", what, Text(shape));
}
static Status ExpectTuple(const Shape& shape, int64_t at_least, std::string_view what) {
  if (shape.IsTuple() && shape.tuple_size() >= at_least) return OkStatus();
  return Invalid("{} must be a tuple of {} or more, not {}", what, at_least, Text(shape));
}

// Values that a start passes to its done besides the data.
static Shape Context() { return Shape::Scalar(PrimitiveType::U32); }

StatusOr<Shape> InferInfeed(const Query& q) {
  const Shape& result = *q.stated;
  HLOIR_RETURN_IF_ERROR(ExpectToken(q.operand(0), "the operand"));
  HLOIR_RETURN_IF_ERROR(ExpectTuple(result, 2, "the result"));
  HLOIR_RETURN_IF_ERROR(ExpectToken(result.tuple_shapes(1), "the result's second element"));
  return Shape::Tuple({result.tuple_shapes(0), Shape::Token()});
}
StatusOr<Shape> InferOutfeed(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectToken(q.operand(1), "the second operand"));
  const OptionalShape& stated = q.attr<OutfeedAttributes>().outfeed_shape;
  if (stated && !stated->Compatible(q.operand(0)))
    return Invalid("outfeed_shape is {}, but the operand is {}", Text(*stated), Text(q.operand(0)));
  return Shape::Token();
}
StatusOr<Shape> InferSend(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectToken(q.operand(1), "the second operand"));
  HLOIR_RETURN_IF_ERROR(ExpectTuple(*q.stated, 3, "the result"));
  return Shape::Tuple({q.operand(0), Context(), Shape::Token()});
}
StatusOr<Shape> InferRecv(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectToken(q.operand(0), "the operand"));
  HLOIR_RETURN_IF_ERROR(ExpectTuple(*q.stated, 3, "the result"));
  return Shape::Tuple({q.stated->tuple_shapes(0), Context(), Shape::Token()});
}
StatusOr<Shape> InferSendDone(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectTuple(q.operand(0), 3, "the operand"));
  return q.operand(0).tuple_shapes(2);
}
StatusOr<Shape> InferRecvDone(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectTuple(q.operand(0), 3, "the operand"));
  return Shape::Tuple({q.operand(0).tuple_shapes(0), q.operand(0).tuple_shapes(2)});
}
StatusOr<Shape> InferCopyStart(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectTuple(*q.stated, 3, "the result"));
  return Shape::Tuple({q.operand(0), q.operand(0), Context()});
}
StatusOr<Shape> InferCopyDone(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectTuple(q.operand(0), 2, "the operand"));
  if (!SameBuffer(q.operand(0).tuple_shapes(0), q.operand(0).tuple_shapes(1)))
    return Invalid("the copy's two ends differ: {}", Text(q.operand(0)));
  return q.operand(0).tuple_shapes(0);
}

// True if `part` is a prefix of `whole`; a shape other than a tuple counts as a tuple of one.
static bool IsPrefix(const Shape& part, const Shape& whole) {
  if (SameBuffer(part, whole)) return true;
  if (!part.IsTuple()) return false;
  const int64_t size = whole.IsTuple() ? whole.tuple_size() : 1;
  if (part.tuple_size() > size) return false;
  for (int64_t i = 0; i < part.tuple_size(); ++i) {
    const Shape& element = whole.IsTuple() ? whole.tuple_shapes(i) : whole;
    if (!SameBuffer(part.tuple_shapes(i), element)) return false;
  }
  return true;
}

// async-start and async-update are ((operands…), results, contexts…). Since 2026 the start and each update may bind
// operands and results, so each step's lists are prefixes of the next one's.
static StatusOr<Shape> InferAsync(const Query& q) {
  const bool is_start = q.opcode == HloOpcode::kAsyncStart;
  std::vector<Shape> operands;
  const Shape* results_before = nullptr;
  if (!is_start) {
    if (q.operands.empty())
      return Invalid("{} expects the result of its start, and has no operand", OpcodeName(q.opcode));
    HLOIR_RETURN_IF_ERROR(ExpectTuple(q.operand(0), 2, "the operand"));
    if (q.operand(0).tuple_shapes(0).IsTuple()) operands = q.operand(0).tuple_shapes(0).tuple_shapes();
    results_before = &q.operand(0).tuple_shapes(1);
  }
  if (q.opcode == HloOpcode::kAsyncDone) return IsPrefix(*results_before, *q.stated) ? *q.stated : *results_before;
  for (size_t i = is_start ? 0 : 1; i < q.operands.size(); ++i) operands.push_back(q.operand(i));
  HLOIR_RETURN_IF_ERROR(ExpectTuple(*q.stated, 2, "the result"));
  Shape result = *q.stated;
  result.mutable_tuple_shape(0) = Shape::Tuple(operands);
  if (!is_start) {
    if (!IsPrefix(*results_before, q.stated->tuple_shapes(1))) result.mutable_tuple_shape(1) = *results_before;
    return result;
  }
  const HloComputation& called = *q.called[0];
  if (static_cast<int64_t>(operands.size()) > called.parameter_count()) {
    return Invalid("{} has {} parameters, but is given {} operands", called.name(), called.parameter_count(),
                   operands.size());
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const Shape& parameter = called.parameter(i)->shape();
    if (SameBuffer(parameter, operands[i])) continue;
    return Invalid("parameter {} of {} is {}, but the operand is {}", i, called.name(), Text(parameter),
                   Text(operands[i]));
  }
  if (!IsPrefix(q.stated->tuple_shapes(1), called.root()->shape()))
    result.mutable_tuple_shape(1) = called.root()->shape();
  return result;
}

StatusOr<Shape> InferParameter(const Query& q) { return *q.stated; }
StatusOr<Shape> InferConstant(const Query& q) { return q.attr<ConstantAttributes>().literal.shape(); }
StatusOr<Shape> InferReplicaId(const Query&) { return MakeArray(PrimitiveType::U32, {}); }
StatusOr<Shape> InferPartitionId(const Query&) { return MakeArray(PrimitiveType::U32, {}); }
StatusOr<Shape> InferCall(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectParameters(*q.called[0], q.operands));
  return q.called[0]->root()->shape();
}
StatusOr<Shape> InferFusion(const Query& q) { return InferCall(q); }
StatusOr<Shape> InferCustomCall(const Query& q) { return *q.stated; }
StatusOr<Shape> InferAddDependency(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectToken(q.operand(1), "the second operand"));
  return q.operand(0);
}
// Operands are tokens or other values to wait for.
StatusOr<Shape> InferAfterAll(const Query&) { return Shape::Token(); }
StatusOr<Shape> InferAsyncStart(const Query& q) { return InferAsync(q); }
StatusOr<Shape> InferAsyncUpdate(const Query& q) { return InferAsync(q); }
StatusOr<Shape> InferAsyncDone(const Query& q) { return InferAsync(q); }

}  // namespace hloir::shape_inference
