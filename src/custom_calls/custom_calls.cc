// The table of custom-calls with a meaning, and what their builders share. See custom_calls.h.
#include "hloir/custom_calls.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "custom_calls/call.h"
#include "support/format.h"
#include "support/parse_json.h"

namespace hloir {
namespace custom_calls {
namespace {

constexpr int kMostNesting = 64;  // of a backend_config
constexpr const char* kAttention =
    "attention: softmax(scale · Q K^T + bias, masked) V, and the log of each softmax's sum";
constexpr const char* kAttentionBackward = "the derivatives of attention by Q, K, V and bias";
constexpr const char* kPassOn = "its operands: a mark for where things lie or who computes them";

struct Meaning : KnownCustomCall {
  StatusOr<Op> (*build)(const Call&);
};
// By name. From XLA's service/gpu/cublas_cudnn.cc, and from where jaxlib registers its own.
constexpr const char* kSymmetricProduct = "alpha A A^T + beta C";
constexpr const char* kCholeskyUpdate = "the Cholesky factor of R^T R + w w^T";
constexpr Meaning kMeanings[] = {
    {{"AssumeGatherIndicesInBound", kPassOn}, PassOn},
    {{"ShardBarrierFrom", kPassOn}, PassOn},
    {{"ShardBarrierTo", kPassOn}, PassOn},
    {{"X64Combine", "64-bit numbers of their low and high halves"}, CombineHalves},
    {{"X64SplitHigh", "the high halves of 64-bit numbers"}, HighHalf},
    {{"X64SplitLow", "the low halves of 64-bit numbers"}, LowHalf},
    {{"_SPMDInternalOp_RotateRight", "its operand rotated along a dimension"}, RotateRight},
    {{"__cub$DeviceRadixSort", "rows sorted by their keys"}, RadixSort},
    {{"__cublas$gemm", "alpha A B + beta C"}, Gemm},
    {{"__cublas$lt$matmul", "epilogue(alpha A B + beta C + bias)"}, Gemm},
    {{"__cublas$lt$matmul$f8", "the same of scaled f8 matrices, and the largest |result|"}, GemmF8},
    {{"__cublas$triangularSolve", "triangular-solve"}, TriangularSolve},
    {{"__cudnn$batchNormalizationBackward", "batch-norm-grad, of 1/deviations"}, BatchNormBackward},
    {{"__cudnn$batchNormalizationForwardInference", "batch-norm-inference"}, BatchNormInference},
    {{"__cudnn$batchNormalizationForwardTraining", "batch-norm-training, with 1/deviations"}, BatchNormTraining},
    {{"__cudnn$convBackwardFilter", "the derivative of a convolution by its filter"}, ConvolutionBackwardFilter},
    {{"__cudnn$convBackwardInput", "the derivative of a convolution by its input"}, ConvolutionBackwardInput},
    {{"__cudnn$convBiasActivationForward", "activation(scale · convolution + side_scale · side + bias)"},
     ConvolutionForward},
    {{"__cudnn$convForward", "scale · convolution"}, ConvolutionForward},
    {{"__cudnn$convForwardGraph", "a convolution and the scales, sums, ReLU and largest |x| of its graph"},
     ConvolutionGraph},
    {{"__cudnn$fmhaScaleBiasSoftmax", kAttention}, Attention},
    {{"__cudnn$fmhaScaleBiasSoftmaxBackward", kAttentionBackward}, AttentionBackward},
    {{"__cudnn$fmhaScaleBiasSoftmaxDropout", kAttention}, Attention},
    {{"__cudnn$fmhaScaleBiasSoftmaxDropoutBackward", kAttentionBackward}, AttentionBackward},
    {{"__cudnn$fmhaSoftmax", kAttention}, Attention},
    {{"__cudnn$fmhaSoftmaxBackward", kAttentionBackward}, AttentionBackward},
    {{"__cudnn$fmhaSoftmaxDropout", kAttention}, Attention},
    {{"__cudnn$fmhaSoftmaxDropoutBackward", kAttentionBackward}, AttentionBackward},
    {{"__cudnn$norm", "layer normalization, with mean and 1/deviation where they are asked for"}, Norm},
    {{"__cusolver$cholesky", "cholesky, and an info of zeros"}, Cholesky},
    {{"__gpu$TopK", "topk: the largest elements of each row and their places"}, GpuTopK},
    {{"__op$block_scaled_dot", "A B^T of matrices whose blocks of columns have a scale each"}, BlockScaledDot},
    {{"cu_cholesky_update_ffi", kCholeskyUpdate}, CholeskyUpdate},
    {{"cu_threefry2x32", "Threefry's 20 rounds"}, Threefry},
    {{"cu_threefry2x32_ffi", "Threefry's 20 rounds"}, Threefry},
    {{"cublas_trsm_batched", "triangular-solve"}, TrsmBatched},
    {{"cuda_threefry2x32", "Threefry's 20 rounds"}, Threefry},
    {{"cusolver_syrk_ffi", kSymmetricProduct}, SymmetricProduct},
    {{"ducc_fft", "scale · fft"}, DuccFft},
    {{"dynamic_ducc_fft", "scale · fft"}, DynamicDuccFft},
    {{"hip_cholesky_update_ffi", kCholeskyUpdate}, CholeskyUpdate},
    {{"hip_threefry2x32_ffi", "Threefry's 20 rounds"}, Threefry},
    {{"hipblas_trsm_batched", "triangular-solve"}, TrsmBatched},
    {{"hipsolver_syrk_ffi", kSymmetricProduct}, SymmetricProduct},
    {{"xla.gpu.ext.cub_sort_keys", "rows sorted by their keys"}, RadixSort},
    {{"xla.gpu.ext.cub_sort_pairs", "rows sorted by their keys"}, RadixSort},
    {{"xla.gpu.ext.cub_sort_unassigned_scratch_size", "rows sorted by their keys"}, RadixSort},
};

constexpr bool ByName(const Meaning& a, const Meaning& b) { return a.target < b.target; }
static_assert(std::is_sorted(std::begin(kMeanings), std::end(kMeanings), ByName), "kMeanings is searched by halves");

const Meaning* FindMeaning(const HloInstruction& call) {
  const std::string_view target = call.attributes<CustomCallAttributes>().custom_call_target;
  const auto less = [](const Meaning& m, std::string_view name) { return m.target < name; };
  const auto at = std::lower_bound(std::begin(kMeanings), std::end(kMeanings), target, less);
  return at != std::end(kMeanings) && at->target == target ? at : nullptr;
}

// What it is called, for messages.
std::string NameOf(const Call& call) {
  return Format("{} ({})", call.instruction.name(), call.attributes().custom_call_target);
}

}  // namespace

Status Unknown(const Call& call, std::string_view why) { return Unimplemented(Format("{}: {}", NameOf(call), why)); }
Status Wrong(const Call& call, std::string_view why) { return InvalidArgument(Format("{}: {}", NameOf(call), why)); }

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
  static const std::vector<KnownCustomCall> kCalls(std::begin(custom_calls::kMeanings),
                                                   std::end(custom_calls::kMeanings));
  return kCalls;
}

bool IsKnownCustomCall(const HloInstruction& call) { return custom_calls::FindMeaning(call) != nullptr; }

StatusOr<HloInstruction*> BuildCustomCall(HloBuilder& b, const HloInstruction& call, HloBuilder::Ops operands) {
  custom_calls::Call known{b, call, operands, custom_calls::Json::object()};
  const custom_calls::Meaning* meaning = custom_calls::FindMeaning(call);
  if (meaning == nullptr) return custom_calls::Unknown(known, "unsupported custom-call target");
  for (const HloInstruction* operand : operands)
    if (operand == nullptr || !operand->shape().IsArray())
      return custom_calls::Unknown(known, "an operand is not an array");
  if (const std::string_view text = call.extras().backend_config; !text.empty()) {
    if (NestsDeeperThan(text, custom_calls::kMostNesting))
      return custom_calls::Wrong(known, "its backend_config nests too deep");
    known.config = custom_calls::ReadConfig(call);
  }
  HLOIR_ASSIGN_OR_RETURN(HloInstruction * result, meaning->build(known));
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
