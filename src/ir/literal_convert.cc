// HLO's convert: the value of an element in another element type. The entry points are Literal::Convert and
// ConvertElements. Each element goes through one of four wide types (int64, uint64, double, complex<double>) that holds
// it exactly, so a pair of types needs no code of its own and no value is rounded twice. The bits of narrow floats are
// primitive_type.cc's. Covered by tests/unit/evaluator_test.cc and tests/ops/convert-*.hlo.
#include <algorithm>
#include <cmath>
#include <complex>

#include "hloir/literal.h"

namespace hloir {
namespace {

// Elements are converted in blocks, from storage to the wide type and from there to storage.
constexpr int64_t kBlock = 256;

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

template <class Storage>
using WideOf =
    std::conditional_t<kIsComplex<Storage>, std::complex<double>,
                       std::conditional_t<!std::is_integral_v<Storage>, double,
                                          std::conditional_t<std::is_signed_v<Storage> || std::is_same_v<Storage, bool>,
                                                             int64_t, uint64_t>>>;

// The low `bits` bits, sign-extended for a signed type: the result of wrapping to that width.
template <class T, class Wide>
T WrapTo(Wide value, int bits) {
  const int shift = 64 - bits;
  const uint64_t raised = static_cast<uint64_t>(value) << shift;
  if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<int64_t>(raised) >> shift);
  else return static_cast<T>(raised >> shift);
}

// Truncates; values out of range saturate; NaN becomes 0.
template <class T>
T FloatToInteger(double value, int bits) {
  if (std::isnan(value)) return 0;
  if constexpr (std::is_signed_v<T>) {
    const double limit = std::ldexp(1.0, bits - 1);  // a power of two: exact, and one above the largest integer
    if (value >= limit) return static_cast<T>(static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1));
    if (value <= -limit) return static_cast<T>(-static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1) - 1);
    return static_cast<T>(static_cast<int64_t>(value));
  } else {
    if (value <= 0) return 0;
    if (value >= std::ldexp(1.0, bits)) return static_cast<T>(~uint64_t{0} >> (64 - bits));
    return static_cast<T>(static_cast<uint64_t>(value));
  }
}

template <PrimitiveType P, class Wide>
StorageType<P> FromWide(Wide value) {
  using S = StorageType<P>;
  if constexpr (std::is_same_v<S, bool>) {
    return value != Wide(0);  // NaN is not zero
  } else if constexpr (kIsComplex<S>) {
    using R = typename S::value_type;
    if constexpr (kIsComplex<Wide>) return S(static_cast<R>(value.real()), static_cast<R>(value.imag()));
    else return S(static_cast<R>(value), R(0));
  } else if constexpr (kIsComplex<Wide>) {
    return FromWide<P>(value.real());  // the imaginary part is dropped
  } else if constexpr (std::is_integral_v<S>) {
    if constexpr (std::is_integral_v<Wide>) return WrapTo<S>(value, BitWidth(P));
    else return FloatToInteger<S>(value, BitWidth(P));
  } else if constexpr (std::is_same_v<S, float> && std::is_same_v<Wide, double>) {
    return DoubleToFloat(value);
  } else if constexpr (std::is_floating_point_v<S>) {
    return static_cast<S>(value);
  } else {
    return S(static_cast<double>(value));
  }
}

template <class Wide, class Storage>
Wide ToWide(Storage value) {
  if constexpr (std::is_same_v<Storage, float>) return FloatToDouble(value);
  else return static_cast<Wide>(value);
}

// One instantiation per wide type and target instead of one per pair of types.
template <class Wide>
void StoreBlock(const Wide* block, PrimitiveType to, void* out, int64_t count) {
  PrimitiveTypeSwitch(to, [&](auto tag) {
    constexpr PrimitiveType kTo = decltype(tag)::kType;
    auto* target = static_cast<StorageType<kTo>*>(out);
    for (int64_t i = 0; i < count; ++i) target[i] = FromWide<kTo>(block[i]);
  });
}

}  // namespace

void ConvertElements(PrimitiveType from, const void* in, PrimitiveType to, void* out, int64_t count) {
  if (from == PrimitiveType::BF16 && to == PrimitiveType::F32) {
    // Zeros are appended. A conversion through double would make a signalling NaN quiet, which changes the total order.
    std::transform(static_cast<const BFloat16*>(in), static_cast<const BFloat16*>(in) + count, static_cast<float*>(out),
                   [](BFloat16 x) { return static_cast<float>(x); });
    return;
  }
  PrimitiveTypeSwitch(from, [&](auto tag) {
    using S = typename decltype(tag)::Storage;
    using Wide = WideOf<S>;
    const auto* source = static_cast<const S*>(in);
    auto* target = static_cast<std::byte*>(out);
    Wide block[kBlock];
    for (int64_t start = 0; start < count; start += kBlock) {
      const int64_t n = std::min(kBlock, count - start);
      for (int64_t i = 0; i < n; ++i) block[i] = ToWide<Wide>(source[start + i]);
      StoreBlock(block, to, target + start * StorageBytes(to), n);
    }
  });
}

Literal Literal::Convert(PrimitiveType type) const {
  if (!shape_.IsArray() || !IsArrayType(type)) return *this;
  if (type == shape_.element_type()) return *this;  // bits and all: a NaN keeps its payload
  Literal result(shape_.WithElementType(type));
  result.dynamic_sizes_ = dynamic_sizes_;
  result.elided_ = elided_;
  ConvertElements(shape_.element_type(), data_.get(), type, result.data_.get(), element_count_);
  return result;
}

}  // namespace hloir
