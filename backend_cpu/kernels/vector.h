// VectorTraits<T, Arch>: the vectors of T that an instruction set has, for kernels that keep values in registers
// (gemm_kernels.h). Arch is one of xsimd's (xsimd_kernels.h) or Plain, for machines without specialized kernels:
// there a vector is one element. Everything has internal linkage (why: isa/isas.def).
#pragma once

#include "kernels/functors.h"

namespace hloir::cpu {
namespace {

template <class T, class Arch>
struct VectorTraits;
template <class T, class Arch>
using Vector = typename VectorTraits<T, Arch>::Type;

struct Plain {};

template <class T>
struct OneElement {
  static constexpr int size = 1;
  T value;
  explicit OneElement(T x = T(0)) : value(x) {}
  static OneElement load_unaligned(const T* p) { return OneElement(*p); }
  void store_unaligned(T* p) const { *p = value; }
  friend OneElement operator+(OneElement a, OneElement b) { return OneElement(AddFn::Apply(a.value, b.value)); }
};

template <class T>
struct VectorTraits<T, Plain> {
  using Type = OneElement<T>;
#if defined(__x86_64__)
  static constexpr int kGemmRows = 4, kGemmVectors = 3;  // with the operands, as many as 16 registers hold
#else
  static constexpr int kGemmRows = 4, kGemmVectors = 4;
#endif
  // Rounds twice, as where SSE2 is all: not every machine has FMA, and emulating it would cost too much.
  static Type MultiplyAdd(Type a, Type b, Type sum) {
    return Type(AddFn::Apply(sum.value, MultiplyFn::Apply(a.value, b.value)));
  }
};

}  // namespace
}  // namespace hloir::cpu
