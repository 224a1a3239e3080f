// Common parts of this folder: building the HLO of a custom-call. Private to src/custom_calls.
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
  // The shape of the result: the array, or the tuple's element `i`.
  const Shape& Result(int64_t i = 0) const;
  int64_t Results() const { return instruction.shape().IsTuple() ? instruction.shape().tuple_size() : 1; }

  // The call's result: these arrays, converted to its types, then scratch buffers, which are never read.
  Op Give(std::initializer_list<Op> arrays) const;

  // Broadcasts x to `sizes`: dimensions of size 1 are repeated. nullptr and an error if x does not fit.
  Op Spread(Op x, const DimVector& sizes) const;
  Op Number(PrimitiveType type, const DimVector& sizes, double value) const {
    return b.Full(Shape::Array(type, sizes), value);
  }
  Op As(Op x, PrimitiveType type) const {
    return x == nullptr || x->shape().element_type() == type ? x : b.Convert(x, type);
  }
  Op Scaled(Op x, double factor) const;
  // Sums, or maxima, along the last dimension, which is kept with size 1.
  Op Along(Op x, HloOpcode opcode, double initial) const;
};

// The accumulation type: f32 for narrow floats, s32 for narrow integers.
PrimitiveType Accumulator(PrimitiveType type);
// Converts x to a type with saturation, as in cuBLAS and cuDNN.
Op Saturated(HloBuilder& b, Op x, PrimitiveType type);
// GELU by its approximation with tanh, as in cuBLASLt and oneDNN.
Op GeluByTanh(const Call& call, Op x);

Status Unknown(const Call& call, std::string_view why);  // Unimplemented
Status Wrong(const Call& call, std::string_view why);    // InvalidArgument

// The builders named in custom_calls.def, in gemm.cc, convolution.cc, fft.cc, attention.cc, solvers.cc, onednn.cc and
// small_calls.cc.
#define HLOIR_CUSTOM_CALL(name, target, computes, meaning, ...) StatusOr<Op> meaning(const Call& call);
#include "hloir/custom_calls.def"

}  // namespace hloir::custom_calls
