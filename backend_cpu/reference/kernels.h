// Kernels from the ops of scalar_ops.h: MakeKernel<Op, operands>(type) is the loop of Op over that compute type, or
// nullptr if Op has no overload for it. Included by elementwise_*.cc only; each instantiates some of the ops.
#pragma once

#include "reference/elementwise.h"
#include "reference/scalar_ops.h"

namespace hloir::reference {

template <class Op, class T>
void UnaryLoop(const KernelArgs& args) {
  using R = std::invoke_result_t<Op, T, int>;
  const T* x = reinterpret_cast<const T*>(args.in[0]);
  R* out = reinterpret_cast<R*>(args.out);
  for (int64_t i = 0; i < args.count; ++i) out[i] = Op()(x[i * args.stride[0]], args.bits);
}

template <class Op, class T>
void BinaryLoop(const KernelArgs& args) {
  using R = std::invoke_result_t<Op, T, T, int>;
  const T* a = reinterpret_cast<const T*>(args.in[0]);
  const T* b = reinterpret_cast<const T*>(args.in[1]);
  R* out = reinterpret_cast<R*>(args.out);
  for (int64_t i = 0; i < args.count; ++i) out[i] = Op()(a[i * args.stride[0]], b[i * args.stride[1]], args.bits);
}

// First: the type of operand 0, if it differs from the others.
template <class Op, class First, class T>
void TernaryLoop(const KernelArgs& args) {
  const First* a = reinterpret_cast<const First*>(args.in[0]);
  const T* b = reinterpret_cast<const T*>(args.in[1]);
  const T* c = reinterpret_cast<const T*>(args.in[2]);
  T* out = reinterpret_cast<T*>(args.out);
  for (int64_t i = 0; i < args.count; ++i) {
    out[i] = Op()(a[i * args.stride[0]], b[i * args.stride[1]], c[i * args.stride[2]], args.bits);
  }
}

template <class T>
struct CppType {
  using type = T;
};

// f(CppType<T>{}) for the compute type `type`.
template <class F>
Kernel ComputeTypeSwitch(PrimitiveType type, F f) {
  switch (type) {
    case PrimitiveType::PRED: return f(CppType<bool>());
    case PrimitiveType::S8: return f(CppType<int8_t>());
    case PrimitiveType::S16: return f(CppType<int16_t>());
    case PrimitiveType::S32: return f(CppType<int32_t>());
    case PrimitiveType::S64: return f(CppType<int64_t>());
    case PrimitiveType::U8: return f(CppType<uint8_t>());
    case PrimitiveType::U16: return f(CppType<uint16_t>());
    case PrimitiveType::U32: return f(CppType<uint32_t>());
    case PrimitiveType::U64: return f(CppType<uint64_t>());
    case PrimitiveType::F32: return f(CppType<float>());
    case PrimitiveType::F64: return f(CppType<double>());
    case PrimitiveType::C64: return f(CppType<std::complex<float>>());
    case PrimitiveType::C128: return f(CppType<std::complex<double>>());
    default: return nullptr;
  }
}

template <class Op>
Kernel UnaryKernel(PrimitiveType type) {
  return ComputeTypeSwitch(type, [](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_invocable_v<Op, T, int>) return &UnaryLoop<Op, T>;
    else return nullptr;
  });
}

template <class Op>
Kernel BinaryKernel(PrimitiveType type) {
  return ComputeTypeSwitch(type, [](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_invocable_v<Op, T, T, int>) return &BinaryLoop<Op, T>;
    else return nullptr;
  });
}

template <class Op>
Kernel TernaryKernel(PrimitiveType type) {
  return ComputeTypeSwitch(type, [](auto tag) -> Kernel {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_invocable_v<Op, T, T, T, int>) return &TernaryLoop<Op, T, T>;
    else return nullptr;
  });
}

// The kernels of one file, by opcode; nullptr for other opcodes. `type`: the compute type of the op's main operand.
Kernel FindUnaryKernel(HloOpcode opcode, PrimitiveType type);
Kernel FindBinaryKernel(HloOpcode opcode, PrimitiveType type);
Kernel FindCompareKernel(const CompareAttributes& attributes, PrimitiveType type);

}  // namespace hloir::reference
