// Contractions (dot, convolution, …) are computed in a wide type for each class of element types, and rounded to the
// result's type once: double for floats, complex<double>, and int64 for integers, whose arithmetic modulo 2^64 wraps to
// the correct value in any narrower type. So results depend on the order of summation by at most the last bit.
#pragma once

#include <complex>

#include "hloir/literal.h"
#include "wide/double_double.h"

namespace hloir::reference {

// The type for a product of these types: a float operand makes the sum a float, also for an integer result.
inline PrimitiveType WideType(PrimitiveType result, const Literal& lhs, const Literal& rhs) {
  const PrimitiveType types[] = {result, lhs.shape().element_type(), rhs.shape().element_type()};
  if (IsComplex(types[0]) || IsComplex(types[1]) || IsComplex(types[2])) return PrimitiveType::C128;
  return IsFloat(types[0]) || IsFloat(types[1]) || IsFloat(types[2]) ? PrimitiveType::F64 : PrimitiveType::S64;
}

inline DoubleDouble MultiplyAdd(DoubleDouble sum, DoubleDouble a, DoubleDouble b) { return sum + a * b; }
template <class T>
T MultiplyAdd(T sum, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return sum + a * b;
  } else {
    return sum + T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
}

// The elements of a literal of a wide type, or of pairs.
template <class T>
const T* WideElements(const Literal& literal) {
  return reinterpret_cast<const T*>(literal.untyped_data());
}
template <class T>
T* WideElements(Literal& literal) {
  return reinterpret_cast<T*>(literal.untyped_data());
}

// f(T()) for the C++ type of a wide type. `pairs`: c128 stands for double-double (pairs.h).
template <class F>
auto WideSwitch(PrimitiveType type, bool pairs, F&& f) {
  if (pairs && type == PrimitiveType::C128) return f(DoubleDouble());
  if (type == PrimitiveType::C128) return f(std::complex<double>());
  if (type == PrimitiveType::F64) return f(double());
  return f(int64_t());
}

}  // namespace hloir::reference
