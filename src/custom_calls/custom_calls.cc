// Custom-calls expressed in HLO (custom_calls.def), and common parts of their builders. See custom_calls.h.
#include "hloir/custom_calls.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "custom_calls/call.h"
#include "hloir/custom_call.h"
#include "support/format.h"
#include "support/parse_json.h"

namespace hloir {
namespace custom_calls {
namespace {

constexpr int kMostNesting = 64;  // of a backend_config

// By CustomCall.
constexpr StatusOr<Op> (*kMeanings[])(const Call&) = {
    NoMeaning,
#define HLOIR_CUSTOM_CALL(name, target, computes, meaning, ...) meaning,
#include "hloir/custom_calls.def"
};
auto MeaningOf(CustomCall call) { return kMeanings[static_cast<size_t>(call)]; }

// The name of the call, for messages.
std::string NameOf(const Call& call) {
  return Format("{} ({})", call.instruction.name(), call.attributes().custom_call_target);
}

}  // namespace

Status Unknown(const Call& call, std::string_view why) { return Unimplemented(Format("{}: {}", NameOf(call), why)); }
Status Wrong(const Call& call, std::string_view why) { return InvalidArgument(Format("{}: {}", NameOf(call), why)); }

StatusOr<Op> NoMeaning(const Call& call) { return Unknown(call, "unsupported custom-call target"); }

const Shape& Call::Result(int64_t i) const {
  return instruction.shape().IsTuple() ? instruction.shape().tuple_shapes(i) : instruction.shape();
}

Op Call::Give(std::initializer_list<Op> arrays) const {
  std::vector<Op> results;
  for (Op array : arrays) {
    const Shape& shape = Result(static_cast<int64_t>(results.size()));
    results.push_back(As(array, shape.element_type()));
  }
  if (!instruction.shape().IsTuple()) return results[0];
  while (static_cast<int64_t>(results.size()) < Results())
    results.push_back(b.Full(Result(static_cast<int64_t>(results.size())), 0));
  return b.Tuple(results);
}

Op Call::Spread(Op x, const DimVector& sizes) const {
  if (x == nullptr || x->shape().dimensions() == sizes) return x;
  const DimVector& from = x->shape().dimensions();
  DimVector kept, places;
  if (from.size() == sizes.size()) {
    for (size_t d = 0; d < from.size(); ++d)
      if (from[d] != 1 || sizes[d] == 1) kept.push_back(from[d]), places.push_back(static_cast<int64_t>(d));
  } else {  // the last dimensions
    for (size_t d = 0; d < from.size(); ++d)
      kept.push_back(from[d]), places.push_back(static_cast<int64_t>(sizes.size() - from.size() + d));
  }
  return b.Broadcast(kept == from ? x : b.Reshape(x, kept), sizes, places);
}

Op Call::Scaled(Op x, double factor) const {
  if (x == nullptr || factor == 1) return x;
  return b.Multiply(x, Number(x->shape().element_type(), x->shape().dimensions(), factor));
}

Op Call::Along(Op x, HloOpcode opcode, double initial) const {
  if (x == nullptr) return nullptr;
  const PrimitiveType type = x->shape().element_type();
  DimVector sizes = x->shape().dimensions();
  sizes.back() = 1;
  return b.Reshape(
      b.Reduce(x, b.Constant(type, initial), {x->shape().rank() - 1}, MakeReducer(b.module(), opcode, type)), sizes);
}

PrimitiveType Accumulator(PrimitiveType type) {
  if (IsInteger(type)) return PrimitiveType::S32;
  return IsComplex(type) || type == PrimitiveType::F64 ? type : PrimitiveType::F32;
}

Op Saturated(HloBuilder& b, Op x, PrimitiveType type) {
  if (x == nullptr || x->shape().element_type() == type) return x;
  const bool narrow_float = IsFloat(type) && BitWidth(type) == 8;
  if (!narrow_float && !(IsInteger(type) && IsFloat(x->shape().element_type()))) return b.Convert(x, type);
  const PrimitiveType from = x->shape().element_type();
  Literal largest = Literal::MaxValue(type);
  if (narrow_float && GetFloatFormat(type).has_infinity) {
    const FloatFormat format = GetFloatFormat(type);
    const int highest = (1 << format.exponent_bits) - 2 - format.bias;
    largest.SetFromDouble(0, std::ldexp(2 - std::ldexp(1, -format.mantissa_bits), highest));
  }
  const Op high = b.Convert(b.Constant(std::move(largest)), from);
  const Op low = IsInteger(type) ? b.Convert(b.Constant(Literal::MinValue(type)), from) : b.Negate(high);
  if (IsInteger(type)) x = b.RoundNearestEven(x);
  return b.Convert(b.Clamp(low, x, high), type);
}

}  // namespace custom_calls

std::span<const KnownCustomCall> KnownCustomCalls() {
  static const std::vector<KnownCustomCall> kCalls = [] {
    std::vector<KnownCustomCall> calls;
    for (int i = 0; i < kCustomCallCount; ++i) {
      if (custom_calls::kMeanings[i] == custom_calls::NoMeaning) continue;
      const CustomCallInfo& info = GetCustomCallInfo(static_cast<CustomCall>(i));
      calls.push_back({info.target, info.computes});
    }
    std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.target < b.target; });
    return calls;
  }();
  return kCalls;
}

bool IsKnownCustomCall(const HloInstruction& call) {
  return custom_calls::MeaningOf(CustomCallOf(call)) != custom_calls::NoMeaning;
}

StatusOr<HloInstruction*> BuildCustomCall(HloBuilder& b, const HloInstruction& call, HloBuilder::Ops operands) {
  custom_calls::Call known{b, call, operands, custom_calls::Json::object()};
  const auto meaning = custom_calls::MeaningOf(CustomCallOf(call));
  if (meaning == custom_calls::NoMeaning) return meaning(known);
  for (const HloInstruction* operand : operands)
    if (operand == nullptr || !operand->shape().IsArray())
      return custom_calls::Unknown(known, "an operand is not an array");
  if (const std::string_view text = call.extras().backend_config; !text.empty()) {
    if (NestsDeeperThan(text, custom_calls::kMostNesting))
      return custom_calls::Wrong(known, "its backend_config nests too deep");
    known.config = custom_calls::ReadConfig(call);
  }
  HLOIR_ASSIGN_OR_RETURN(HloInstruction * result, meaning(known));
  HLOIR_RETURN_IF_ERROR(b.status());
  if (!result->shape().Compatible(call.shape())) {
    return custom_calls::Wrong(known, Format("its result is {}, but its config gives {}",
                                             result->shape().ToString(false), call.shape().ToString(false)));
  }
  return result;
}

StatusOr<std::unique_ptr<HloModule>> CustomCallAsModule(const HloInstruction& call) {
  auto module = std::make_unique<HloModule>("meaning");
  HloBuilder b(*module, "meaning");
  std::vector<HloInstruction*> operands;
  for (const HloInstruction* operand : call.operands()) {
    const Shape& shape = operand->shape();
    operands.push_back(b.Parameter(static_cast<int64_t>(operands.size()),
                                   shape.IsArray() ? Shape::Array(shape.element_type(), shape.dimensions()) : shape));
  }
  HLOIR_ASSIGN_OR_RETURN(HloInstruction * root, BuildCustomCall(b, call, operands));
  HLOIR_RETURN_IF_ERROR(b.BuildEntry(root).status());
  return module;
}

}  // namespace hloir
