// custom-call: by handlers of the caller (EvaluatorOptions::custom_calls), otherwise for the known targets:
// annotations, targets with an evaluator in custom_calls.def, LAPACK, sparse matrices, and targets that custom_calls.h
// expands to HLO. Others are Unimplemented, or run as uninterpreted functions (uninterpreted.h).

#include <algorithm>
#include <string>

#include "hloir/custom_call.h"
#include "hloir/custom_calls.h"
#include "support/format.h"
#include "reference/dynamic.h"
#include "reference/evaluation.h"
#include "reference/index.h"
#include "calls/lapack.h"
#include "calls/sparse.h"
#include "calls/uninterpreted.h"
#include "reference/topk.h"

namespace hloir::reference {
namespace {

bool TakesArray(const EvalContext& context) {
  return context.operand_count() >= 1 && context.instruction.operand(0)->shape().IsArray();
}

StatusOr<Value> LargestOfRows(EvalContext& context) {
  if (!TakesArray(context) || !context.shape.IsTuple() || context.shape.tuple_size() != 2 ||
      context.shape.tuple_shapes(0).rank() == 0)
    return UnimplementedOp(context, "TopK takes an array and gives two");
  return TopK(context.operand(0), context.shape, context.shape.tuple_shapes(0).dimensions().back(), true);
}

// Each run has the same random numbers.
StatusOr<Value> RngSeed(EvalContext& context) {
  if (context.operand_count() != 0 || !context.shape.Compatible(Shape::Scalar(PrimitiveType::U64)))
    return UnimplementedOp(context, "GetRngSeed gives an u64");
  return Literal::Zero(PrimitiveType::U64);
}

// XLA's buffers (shape b(f32[4])), which updates write in place; here a buffer is its array.
StatusOr<Value> NewBuffer(EvalContext& context) {
  const Shape& shape = context.shape.IsBuffer() ? context.shape.tuple_shapes(0) : context.shape;
  if (!shape.IsArray()) return UnimplementedOp(context, "it gives arrays alone");
  return Literal(shape.WithDefaultLayout());
}
StatusOr<Value> SameBuffer(EvalContext& context) {
  if (context.operand_count() != 1) return InvalidArgument("Pin and Unpin take one array");
  return std::move(context.operands[0]);
}

// (array, actual size of each dimension)
StatusOr<Value> PadToStatic(EvalContext& context) {
  if (!TakesArray(context)) return UnimplementedOp(context, "expected an array");
  const Literal& operand = context.operand(0);
  Literal trimmed = TrimToActualSizes(operand);
  std::vector<Value> results;
  const DimVector sizes = trimmed.shape().dimensions();
  if (!context.shape.IsTuple() || context.shape.tuple_size() != static_cast<int64_t>(sizes.size()) + 1 ||
      context.shape.tuple_shapes(0).dimensions() != operand.shape().dimensions()) {
    return InvalidArgument("PadToStatic gives an array and its sizes");
  }
  Literal whole = operand;
  whole.set_dynamic_sizes(AtBounds());
  whole.set_shape_layout(context.shape.tuple_shapes(0));
  results.emplace_back(std::move(whole));
  for (size_t d = 0; d < sizes.size(); ++d) {
    Literal size(context.shape.tuple_shapes(static_cast<int64_t>(d) + 1));
    if (!size.shape().IsScalar()) return InvalidArgument("PadToStatic gives scalar sizes");
    size.SetFromInt64(0, sizes[d]);
    results.emplace_back(std::move(size));
  }
  return Value::Tuple(std::move(results));
}

// Operands: an array and the actual size of each dimension.
StatusOr<Value> SliceToDynamic(EvalContext& context) {
  if (!TakesArray(context)) return UnimplementedOp(context, "expected an array");
  const Literal& operand = context.operand(0);
  DimVector sizes;
  for (int64_t i = 1; i < context.operand_count(); ++i) sizes.push_back(context.operand(i).GetAsInt64(0));
  if (!context.shape.IsArray() || sizes.size() != context.dims().size() ||
      operand.shape().dimensions() != context.dims()) {
    return InvalidArgument("SliceToDynamic takes an array and its sizes");
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || sizes[d] > context.dims()[d])
      return InvalidArgument("SliceToDynamic takes sizes within the bounds");
  }
  Literal result = operand;
  result.set_shape_layout(context.shape);
  result.set_dynamic_sizes(sizes == context.dims() ? AtBounds() : sizes);
  return result;
}

// Converts LU's row swaps (each with a later row) to permutations.
StatusOr<Value> LuPivotsToPermutation(EvalContext& context) {
  if (!TakesArray(context) || !context.shape.IsArray()) return UnimplementedOp(context, "expected an array");
  const Literal& pivots = context.operand(0);
  Literal result(context.shape);
  const DimVector &from = pivots.shape().dimensions(), &to = context.dims();
  if (from.empty() || to.size() != from.size() || from.back() > to.back() ||
      result.shape().element_type() != PrimitiveType::S32 || pivots.shape().element_type() != PrimitiveType::S32 ||
      pivots.element_count() * to.back() != result.element_count() * from.back()) {
    return InvalidArgument("lu_pivots_to_permutation takes swaps and gives permutations of at least as many places");
  }
  const std::span<const int32_t> swaps = pivots.data<int32_t>();
  const std::span<int32_t> places = result.data<int32_t>();
  const size_t k = static_cast<size_t>(from.back()), n = static_cast<size_t>(to.back());
  for (size_t row = 0; n > 0 && row < places.size() / n; ++row) {
    for (size_t i = 0; i < n; ++i) places[row * n + i] = static_cast<int32_t>(i);
    for (size_t i = 0; i < k; ++i) {
      const int32_t with = swaps[row * k + i];
      if (with >= 0 && static_cast<size_t>(with) < n)
        std::swap(places[row * n + i], places[row * n + static_cast<size_t>(with)]);
    }
  }
  return result;
}

// Debugging checks and messages: only the checks are evaluated.
StatusOr<Value> Nothing(EvalContext& context) {
  if (context.shape.IsToken() || (context.shape.IsTuple() && context.shape.tuple_size() == 0))
    return Literal(context.shape);
  return UnimplementedOp(context, "it gives a token, or nothing");
}
StatusOr<Value> Assert(EvalContext& context) {
  if (!TakesArray(context) || context.operand(0).shape().element_type() != PrimitiveType::PRED)
    return UnimplementedOp(context, "it takes a predicate");
  for (const bool holds : context.operand(0).data<bool>())
    if (!holds)
      return InvalidArgument(Format("{}: the assertion of the program does not hold: {}", context.instruction.name(),
                                    context.instruction.extras().backend_config));
  return Nothing(context);
}

StatusOr<Value> NotEvaluated(EvalContext& context) {
  const CustomCallInfo& info = GetCustomCallInfo(CustomCallOf(context.instruction));
  const std::string& target = context.attributes<CustomCallAttributes>().custom_call_target;
  if (info.expander.empty()) return UnimplementedOp(context, Format("unsupported custom-call target \"{}\"", target));
  return UnimplementedOp(
      context, Format("unsupported custom-call target \"{}\"; the pass {} rewrites it", target, info.expander));
}
StatusOr<Value> Lapack(EvalContext& context) {
  return IsLapackCall(context.instruction) ? EvaluateLapack(context) : NotEvaluated(context);
}
StatusOr<Value> Sparse(EvalContext& context) { return EvaluateSparse(context); }

// By CustomCall.
constexpr StatusOr<Value> (*kEvaluators[])(EvalContext&) = {
    NotEvaluated,
#define HLOIR_CUSTOM_CALL(name, target, computes, meaning, evaluate, ...) evaluate,
#include "hloir/custom_calls.def"
};

}  // namespace

// Host functions, and the composites of XLA's builder, call a computation that defines them.
static bool CarriesItsMeaning(const HloInstruction& call) {
  const std::string& target = call.attributes<CustomCallAttributes>().custom_call_target;
  if (!IsCustomCall(call, CustomCall::kHostExecute) && !target.starts_with("xla_builder.")) return false;
  if (call.called_computations().size() != 1) return false;
  const HloComputation& body = *call.called_computations()[0];
  if (body.parameter_count() != call.operand_count() || !body.root()->shape().Compatible(call.shape())) return false;
  for (int64_t i = 0; i < call.operand_count(); ++i)
    if (!body.parameter(i)->shape().Compatible(call.operand(i)->shape())) return false;
  return true;
}

// Calls back into the program that compiled the module.
static bool IsHostCallback(std::string_view target, CustomCall call) {
  return target.find("python_cpu_callback") != std::string_view::npos ||
         target.find("python_gpu_callback") != std::string_view::npos || call == CustomCall::kCallbackWithToken;
}

static bool HasUnknownMeaning(const HloInstruction& i) {
  const CustomCall call = CustomCallOf(i);
  if (call == CustomCall::kUnknown) return !IsLapackCall(i) && !IsSparseCall(i);
  return IsHostCallback(TargetOf(call), call);
}

StatusOr<Value> EvaluateCustomCall(EvalContext& context) {
  const std::string& target = context.attributes<CustomCallAttributes>().custom_call_target;
  const auto& registered = context.run.options().custom_calls;
  if (const auto it = registered.find(target); it != registered.end()) {
    std::vector<Literal> literals;
    for (Value& operand : context.operands) literals.push_back(std::move(operand).TakeLiteral());
    std::vector<const Literal*> pointers;
    for (const Literal& literal : literals) pointers.push_back(&literal);
    HLOIR_ASSIGN_OR_RETURN(Literal result, it->second(context.instruction, pointers));
    if (!result.shape().Compatible(context.shape)) {
      return Internal(Format("the handler of {} gave {}, not {}", target, result.shape().ToString(false),
                             context.shape.ToString(false)));
    }
    return result;
  }
  if (ForwardedOperands(context.instruction) > 0) {
    if (!context.shape.IsTuple() || context.instruction.operand(0)->shape().IsTuple())
      return std::move(context.operands[0]);
    return Value::Tuple({std::move_iterator(context.operands.begin()), std::move_iterator(context.operands.end())});
  }
  const CustomCall call = CustomCallOf(context.instruction);
  const auto evaluate = kEvaluators[static_cast<size_t>(call)];
  if (evaluate != NotEvaluated) return evaluate(context);
  if (IsLapackCall(context.instruction)) return EvaluateLapack(context);
  if (IsSparseCall(context.instruction)) return EvaluateSparse(context);
  if (CarriesItsMeaning(context.instruction)) {
    return context.run.Call(*context.instruction.called_computations()[0],
                            {std::move_iterator(context.operands.begin()), std::move_iterator(context.operands.end())});
  }
  if (IsKnownCustomCall(context.instruction)) {
    HLOIR_ASSIGN_OR_RETURN(const HloComputation* meaning, context.run.MeaningOf(context.instruction));
    return context.run.Call(*meaning,
                            {std::move_iterator(context.operands.begin()), std::move_iterator(context.operands.end())});
  }
  if (IsUnknownCall(context.instruction) && context.run.options().unknown_calls == UnknownCalls::kUninterpreted)
    return EvaluateUninterpreted(context);
  if (IsHostCallback(target, call)) {
    return UnimplementedOp(context,
                           Format("\"{}\" calls back into the program that made the module, which is not here; "
                                  "give a function for it: callbacks= in Python, "
                                  "EvaluatorOptions::custom_calls in C++, hloir_custom_call in C",
                                  target));
  }
  return NotEvaluated(context);
}

}  // namespace hloir::reference

namespace hloir {

bool IsUnknownCall(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kCustomCall && instruction.called_computations().empty() &&
         reference::HasUnknownMeaning(instruction);
}

}  // namespace hloir
