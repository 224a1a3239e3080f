// What the files of this folder share: a custom-call being said in HLO. Private to src/custom_calls.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "custom_calls/config.h"
#include "hloir/builder.h"

namespace hloir::custom_calls {

using Op = HloBuilder::Op;

struct Call {
  HloBuilder& b;
  const HloInstruction& instruction;
  HloBuilder::Ops x;  // its operands
  Json config;        // backend_config, or {}

  const CustomCallAttributes& attributes() const { return instruction.attributes<CustomCallAttributes>(); }
  const Json& Section(const char* name) const { return custom_calls::Section(config, name); }
  // Of the result: the array, or the tuple's element `i`.
  const Shape& Result(int64_t i = 0) const;
  int64_t Results() const { return instruction.shape().IsTuple() ? instruction.shape().tuple_size() : 1; }

  // The call's result: these arrays, converted to its types, then scratch buffers, of which nobody reads anything.
  Op Give(std::initializer_list<Op> arrays) const;

  // x as an array of `sizes`: dimensions of one element are repeated. nullptr and an error, if they are not sizes of x.
  Op Spread(Op x, const DimVector& sizes) const;
  Op Number(PrimitiveType type, const DimVector& sizes, double value) const {
    return b.Full(Shape::Array(type, sizes), value);
  }
  Op As(Op x, PrimitiveType type) const {
    return x == nullptr || x->shape().element_type() == type ? x : b.Convert(x, type);
  }
  Op Scaled(Op x, double factor) const;
  // Sums, or largest numbers, along the last dimension, which stays as one of one element.
  Op Along(Op x, HloOpcode opcode, double initial) const;
};

// In what sums are taken: of narrow floats f32, of narrow integers s32.
PrimitiveType Accumulator(PrimitiveType type);
// A type's value nearest to x; a number that is too large becomes the largest (cuBLAS and cuDNN saturate).
Op Saturated(HloBuilder& b, Op x, PrimitiveType type);

Status Unknown(const Call& call, std::string_view why);  // Unimplemented
Status Wrong(const Call& call, std::string_view why);    // InvalidArgument

// The meanings, in gemm.cc, convolution.cc, fft.cc, attention.cc, solvers.cc and small_calls.cc.
StatusOr<Op> Gemm(const Call& call);
StatusOr<Op> GemmF8(const Call& call);
StatusOr<Op> ConvolutionForward(const Call& call);
StatusOr<Op> ConvolutionGraph(const Call& call);
StatusOr<Op> ConvolutionBackwardInput(const Call& call);
StatusOr<Op> ConvolutionBackwardFilter(const Call& call);
StatusOr<Op> DuccFft(const Call& call);
StatusOr<Op> DynamicDuccFft(const Call& call);
StatusOr<Op> Attention(const Call& call);
StatusOr<Op> AttentionBackward(const Call& call);
StatusOr<Op> Norm(const Call& call);
StatusOr<Op> RadixSort(const Call& call);
StatusOr<Op> Cholesky(const Call& call);
StatusOr<Op> TriangularSolve(const Call& call);
StatusOr<Op> TrsmBatched(const Call& call);
StatusOr<Op> SymmetricProduct(const Call& call);
StatusOr<Op> CholeskyUpdate(const Call& call);
StatusOr<Op> BatchNormInference(const Call& call);
StatusOr<Op> BatchNormTraining(const Call& call);
StatusOr<Op> BatchNormBackward(const Call& call);
StatusOr<Op> RotateRight(const Call& call);
StatusOr<Op> GpuTopK(const Call& call);
StatusOr<Op> Threefry(const Call& call);
StatusOr<Op> CombineHalves(const Call& call);
StatusOr<Op> LowHalf(const Call& call);
StatusOr<Op> HighHalf(const Call& call);
StatusOr<Op> BlockScaledDot(const Call& call);
StatusOr<Op> PassOn(const Call& call);

}  // namespace hloir::custom_calls
