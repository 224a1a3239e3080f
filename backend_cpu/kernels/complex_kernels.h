// Complex numbers as vectors of interleaved parts: for loops over pairs (elementwise_kernels.h) compilers generate
// several times as many shuffles. The results have the same bits. Included by xsimd_kernels.h; everything has internal
// linkage (why: isa/isas.def).
#pragma once

#include <utility>

#include "kernels/elementwise_kernels.h"
#include "kernels/transpose_square.h"
#include "kernels/vector.h"

namespace hloir::cpu {
namespace {

template <class Real, int bytes>
struct PartVectorsOf {
  static constexpr int kParts = bytes / sizeof(Real);
  typedef Real V __attribute__((vector_size(bytes)));
  typedef Unsigned<Real> Bits __attribute__((vector_size(bytes)));

  static V Load(const Real* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof(v));
    return v;
  }
  static void Store(V v, Real* to) { __builtin_memcpy(to, &v, sizeof(v)); }
  // The pair at `from`, repeated.
  static V LoadPair(const Real* from) {
    V v;
    for (int k = 0; k < kParts; ++k) v[k] = from[k % 2];
    return v;
  }
  // Element k is element (k / 2 · twice + k % 2 · odd + first) of the concatenation of a and b.
  template <int twice, int odd, int first, size_t... k>
  static V Shuffle(V a, V b, std::index_sequence<k...>) {
    return __builtin_shufflevector(a, b, (static_cast<int>(k) / 2 * twice + static_cast<int>(k) % 2 * odd + first)...);
  }
  static constexpr std::make_index_sequence<kParts> kAll{};
  static V RealTwice(V a) { return Shuffle<2, 0, 0>(a, a, kAll); }
  static V ImagTwice(V a) { return Shuffle<2, 0, 1>(a, a, kAll); }
  static V Exchanged(V a) { return Shuffle<2, -1, 1>(a, a, kAll); }
  static V RealOf(V a, V b) { return Shuffle<4, 2, 0>(a, b, kAll); }
  static V ImagOf(V a, V b) { return Shuffle<4, 2, 1>(a, b, kAll); }
  // Negates each real part (0) or imaginary part (1).
  static V Turned(V a, int part) {
    Bits sign;
    for (int k = 0; k < kParts; ++k) sign[k] = k % 2 == part ? Unsigned<Real>(1) << (kBits<Real> - 1) : 0;
    return reinterpret_cast<V>(reinterpret_cast<Bits>(a) ^ sign);
  }

  template <BinaryOp op>
  static V Apply(V a, V b) {
    if constexpr (op == BinaryOp::kAdd) return a + b;
    else if constexpr (op == BinaryOp::kSubtract) return a - b;
    else return RealTwice(a) * b + Turned(ImagTwice(a) * Exchanged(b), 0);  // of products in ComplexBinary's order
  }
};

template <class Real, class Arch>
using PartVectors = PartVectorsOf<Real, sizeof(Vector<Real, Arch>)>;

template <BinaryOp which, class Real, class Arch, OperandMode mode>
void ComplexBinaryLoop(const TileOp& op, int64_t n) {
  using P = PartVectors<Real, Arch>;
  const Real *a = static_cast<const Real*>(op.in[0]), *b = static_cast<const Real*>(op.in[1]);
  Real* out = static_cast<Real*>(op.out);
  const auto a0 = P::LoadPair(a), b0 = P::LoadPair(b);
  const Pair<Real> a_pair = {a[0], a[1]}, b_pair = {b[0], b[1]};
  int64_t i = 0;
  for (; i + P::kParts <= 2 * n; i += P::kParts) {
    P::Store(P::template Apply<which>(mode == kScalarVector ? a0 : P::Load(a + i),
                                      mode == kVectorScalar ? b0 : P::Load(b + i)),
             out + i);
  }
  for (; i < 2 * n; i += 2) {
    const Pair<Real> x = mode == kScalarVector ? a_pair : Pair<Real>{a[i], a[i + 1]},
                     y = mode == kVectorScalar ? b_pair : Pair<Real>{b[i], b[i + 1]};
    const Pair<Real> result = ComplexBinary<which>::Apply(x, y);
    out[i] = result.re, out[i + 1] = result.im;
  }
}

template <class Real, class Arch, bool imaginary>
void PartLoop(const TileOp& op, int64_t n) {
  using P = PartVectors<Real, Arch>;
  const Real* a = static_cast<const Real*>(op.in[0]);
  Real* out = static_cast<Real*>(op.out);
  int64_t i = 0;
  for (; i + P::kParts <= n; i += P::kParts) {
    const auto first = P::Load(a + 2 * i), second = P::Load(a + 2 * i + P::kParts);
    P::Store(imaginary ? P::ImagOf(first, second) : P::RealOf(first, second), out + i);
  }
  for (; i < n; ++i) out[i] = a[2 * i + imaginary];
}

template <class Real, class Arch>
void JoinPartsLoop(const TileOp& op, int64_t n) {
  using P = PartVectors<Real, Arch>;
  const Real *re = static_cast<const Real*>(op.in[0]), *im = static_cast<const Real*>(op.in[1]);
  Real* out = static_cast<Real*>(op.out);
  int64_t i = 0;
  for (; i + P::kParts <= n; i += P::kParts) {
    const auto r = P::Load(re + i), m = P::Load(im + i);
    P::Store(Interleave<0>(r, m, P::kAll), out + 2 * i);
    P::Store(Interleave<P::kParts / 2>(r, m, P::kAll), out + 2 * i + P::kParts);
  }
  for (; i < n; ++i) out[2 * i] = re[i], out[2 * i + 1] = im[i];
}

template <class Real, class Arch>
void ConjugateLoop(const TileOp& op, int64_t n) {
  using P = PartVectors<Real, Arch>;
  const Real* a = static_cast<const Real*>(op.in[0]);
  Real* out = static_cast<Real*>(op.out);
  int64_t i = 0;
  for (; i + P::kParts <= 2 * n; i += P::kParts) P::Store(P::Turned(P::Load(a + i), 1), out + i);
  for (; i < 2 * n; i += 2) out[i] = a[i], out[i + 1] = -a[i + 1];
}

template <TileType type, TileType real_type, class Arch>
void FillComplexVectorsOf(KernelTable& table) {
  using Real = Cpp<real_type>;
  constexpr int t = static_cast<int>(type);
  auto binary = [&]<BinaryOp op>() {
    TileKernel(&kernels)[3] = table.binary[static_cast<int>(op)][t];
    kernels[kVectorVector] = &ComplexBinaryLoop<op, Real, Arch, kVectorVector>;
    kernels[kVectorScalar] = &ComplexBinaryLoop<op, Real, Arch, kVectorScalar>;
    kernels[kScalarVector] = &ComplexBinaryLoop<op, Real, Arch, kScalarVector>;
  };
  binary.template operator()<BinaryOp::kAdd>();
  binary.template operator()<BinaryOp::kSubtract>();
  binary.template operator()<BinaryOp::kMultiply>();
  table.unary[static_cast<int>(UnaryOp::kReal)][t] = &PartLoop<Real, Arch, false>;
  table.unary[static_cast<int>(UnaryOp::kImag)][t] = &PartLoop<Real, Arch, true>;
  table.unary[static_cast<int>(UnaryOp::kConjugate)][t] = &ConjugateLoop<Real, Arch>;
  table.binary[static_cast<int>(BinaryOp::kComplex)][static_cast<int>(real_type)][kVectorVector] =
      &JoinPartsLoop<Real, Arch>;
}

template <class Arch>
void FillComplexVectors(KernelTable& table) {
  FillComplexVectorsOf<TileType::kC64, TileType::kF32, Arch>(table);
  FillComplexVectorsOf<TileType::kC128, TileType::kF64, Arch>(table);
}

}  // namespace
}  // namespace hloir::cpu
