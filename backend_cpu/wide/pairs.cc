// See pairs.h.
#include "wide/pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace hloir::reference {
namespace {

using Pair = DoubleDouble;

const Pair* PairsOf(const KernelArgs& args, int k) { return reinterpret_cast<const Pair*>(args.in[k]); }

template <auto f>
void UnaryPairs(const KernelArgs& args) {
  const Pair* x = PairsOf(args, 0);
  auto* out = reinterpret_cast<decltype(f(Pair()))*>(args.out);
  for (int64_t i = 0; i < args.count; ++i) out[i] = f(x[i * args.stride[0]]);
}
template <auto f>
void BinaryPairs(const KernelArgs& args) {
  const Pair *a = PairsOf(args, 0), *b = PairsOf(args, 1);
  auto* out = reinterpret_cast<decltype(f(Pair(), Pair()))*>(args.out);
  for (int64_t i = 0; i < args.count; ++i) out[i] = f(a[i * args.stride[0]], b[i * args.stride[1]]);
}

Pair Same(Pair x) { return x; }
Pair ImaginaryPart(Pair) { return 0.0; }
Pair Negated(Pair x) { return -x; }
Pair Sum(Pair a, Pair b) { return a + b; }
Pair Difference(Pair a, Pair b) { return a - b; }
Pair Multiplied(Pair a, Pair b) { return a * b; }
Pair Quotient(Pair a, Pair b) { return a / b; }
bool IsEqual(Pair a, Pair b) { return a == b; }
bool IsUnequal(Pair a, Pair b) { return a != b; }
bool IsLess(Pair a, Pair b) { return a < b; }
bool IsAtMost(Pair a, Pair b) { return a <= b; }
bool IsMore(Pair a, Pair b) { return a > b; }
bool IsAtLeast(Pair a, Pair b) { return a >= b; }
// By total order of the high parts, then of the low parts.
int64_t Key(double x) {
  const auto bits = __builtin_bit_cast(int64_t, x);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}
bool IsBefore(Pair a, Pair b) { return Key(a.hi) < Key(b.hi) || (Key(a.hi) == Key(b.hi) && a.lo < b.lo); }
bool IsBehind(Pair a, Pair b) { return IsBefore(b, a); }
bool IsNotBehind(Pair a, Pair b) { return !IsBefore(b, a); }
bool IsNotBefore(Pair a, Pair b) { return !IsBefore(a, b); }
bool IsSame(Pair a, Pair b) { return Key(a.hi) == Key(b.hi) && a.lo == b.lo; }
bool IsOther(Pair a, Pair b) { return !IsSame(a, b); }
bool IsFinite(Pair x) { return std::isfinite(x.hi); }
bool IsNan(Pair x) { return std::isnan(x.hi); }
bool IsNegative(Pair x) { return std::signbit(x.hi); }  // -0 too

// As in MaximumOp and MinimumOp of scalar_ops.h.
Pair Maximum(Pair a, Pair b) {
  if (IsNan(a)) return a;
  if (IsNan(b)) return b;
  return a < b || (a == b && IsNegative(a)) ? b : a;
}
Pair Minimum(Pair a, Pair b) {
  if (IsNan(a)) return a;
  if (IsNan(b)) return b;
  return b < a || (a == b && IsNegative(b)) ? b : a;
}
Pair Sign(Pair x) { return x.hi == 0 || IsNan(x) ? x : Pair(std::copysign(1.0, x.hi)); }
Pair TowardsZero(Pair x) { return x.hi < 0 ? Ceil(x) : Floor(x); }
Pair Size(Pair x) { return IsNegative(x) ? -x : x; }

void ClampPairs(const KernelArgs& args) {
  const Pair *low = PairsOf(args, 0), *x = PairsOf(args, 1), *high = PairsOf(args, 2);
  Pair* out = reinterpret_cast<Pair*>(args.out);
  for (int64_t i = 0; i < args.count; ++i)
    out[i] = Minimum(high[i * args.stride[2]], Maximum(x[i * args.stride[1]], low[i * args.stride[0]]));
}

Kernel FindPairCompare(const CompareAttributes& attributes) {
  using enum ComparisonDirection;
  const bool total = attributes.type == ComparisonType::kFloatTotalOrder;
  switch (attributes.direction) {
    case kEq: return total ? BinaryPairs<IsSame> : BinaryPairs<IsEqual>;
    case kNe: return total ? BinaryPairs<IsOther> : BinaryPairs<IsUnequal>;
    case kGe: return total ? BinaryPairs<IsNotBefore> : BinaryPairs<IsAtLeast>;
    case kGt: return total ? BinaryPairs<IsBehind> : BinaryPairs<IsMore>;
    case kLe: return total ? BinaryPairs<IsNotBehind> : BinaryPairs<IsAtMost>;
    case kLt: return total ? BinaryPairs<IsBefore> : BinaryPairs<IsLess>;
  }
  return nullptr;
}

struct PairKernel {
  HloOpcode opcode;
  Kernel kernel;
};
constexpr PairKernel kKernels[] = {
    {HloOpcode::kClamp, ClampPairs},
    {HloOpcode::kCopy, UnaryPairs<Same>},
    {HloOpcode::kReal, UnaryPairs<Same>},
    {HloOpcode::kImag, UnaryPairs<ImaginaryPart>},
    {HloOpcode::kAbs, UnaryPairs<Size>},
    {HloOpcode::kNegate, UnaryPairs<Negated>},
    {HloOpcode::kSign, UnaryPairs<Sign>},
    {HloOpcode::kFloor, UnaryPairs<Floor>},
    {HloOpcode::kCeil, UnaryPairs<Ceil>},
    {HloOpcode::kRoundNearestAfz, UnaryPairs<RoundAway>},
    {HloOpcode::kRoundNearestEven, UnaryPairs<RoundEven>},
    {HloOpcode::kIsFinite, UnaryPairs<IsFinite>},
    {HloOpcode::kAcos, UnaryPairs<Acos>},
    {HloOpcode::kAcosh, UnaryPairs<Acosh>},
    {HloOpcode::kAsin, UnaryPairs<Asin>},
    {HloOpcode::kAsinh, UnaryPairs<Asinh>},
    {HloOpcode::kAtanh, UnaryPairs<Atanh>},
    {HloOpcode::kCbrt, UnaryPairs<Cbrt>},
    {HloOpcode::kCos, UnaryPairs<Cos>},
    {HloOpcode::kCosh, UnaryPairs<Cosh>},
    {HloOpcode::kErf, UnaryPairs<Erf>},
    {HloOpcode::kExp, UnaryPairs<Exp>},
    {HloOpcode::kExpm1, UnaryPairs<Expm1>},
    {HloOpcode::kLog, UnaryPairs<Log>},
    {HloOpcode::kLog1p, UnaryPairs<Log1p>},
    {HloOpcode::kLogistic, UnaryPairs<Logistic>},
    {HloOpcode::kRsqrt, UnaryPairs<Rsqrt>},
    {HloOpcode::kSin, UnaryPairs<Sin>},
    {HloOpcode::kSinh, UnaryPairs<Sinh>},
    {HloOpcode::kSqrt, UnaryPairs<Sqrt>},
    {HloOpcode::kTan, UnaryPairs<Tan>},
    {HloOpcode::kTanh, UnaryPairs<Tanh>},
    {HloOpcode::kAdd, BinaryPairs<Sum>},
    {HloOpcode::kSubtract, BinaryPairs<Difference>},
    {HloOpcode::kMultiply, BinaryPairs<Multiplied>},
    {HloOpcode::kDivide, BinaryPairs<Quotient>},
    {HloOpcode::kRemainder, BinaryPairs<Remainder>},
    {HloOpcode::kPower, BinaryPairs<Power>},
    {HloOpcode::kAtan2, BinaryPairs<Atan2>},
    {HloOpcode::kMaximum, BinaryPairs<Maximum>},
    {HloOpcode::kMinimum, BinaryPairs<Minimum>},
};
// Elementwise ops without a pair kernel of this form: compare has one per comparison; others are on bits and integers,
// or select and convert.
constexpr HloOpcode kWithoutKernel[] = {HloOpcode::kCompare,
                                        HloOpcode::kClz,
                                        HloOpcode::kNot,
                                        HloOpcode::kPopulationCount,
                                        HloOpcode::kBitcastConvert,
                                        HloOpcode::kConvert,
                                        HloOpcode::kReducePrecision,
                                        HloOpcode::kAnd,
                                        HloOpcode::kComplex,
                                        HloOpcode::kMulhi,
                                        HloOpcode::kOr,
                                        HloOpcode::kShiftLeft,
                                        HloOpcode::kShiftRightArithmetic,
                                        HloOpcode::kShiftRightLogical,
                                        HloOpcode::kXor,
                                        HloOpcode::kStochasticConvert,
                                        HloOpcode::kSelect};

constexpr std::array<Kernel, kOpcodeCount> kKernelOf = [] {
  std::array<Kernel, kOpcodeCount> kernels{};
  for (const PairKernel& row : kKernels) kernels[static_cast<size_t>(row.opcode)] = row.kernel;
  return kernels;
}();

constexpr bool AllElementwiseAreNamed() {
  std::array<bool, kOpcodeCount> named{};
  for (const PairKernel& row : kKernels) named[static_cast<size_t>(row.opcode)] = true;
  for (HloOpcode opcode : kWithoutKernel) named[static_cast<size_t>(opcode)] = true;
  for (int k = 0; k < kOpcodeCount; ++k)
    if (HasTrait(static_cast<HloOpcode>(k), kElementwise) && !named[static_cast<size_t>(k)]) return false;
  return true;
}
static_assert(AllElementwiseAreNamed(), "a new elementwise opcode is a row of kKernels or of kWithoutKernel");

}  // namespace

Kernel FindPairKernel(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kCompare) return FindPairCompare(instruction.attributes<CompareAttributes>());
  return kKernelOf[static_cast<size_t>(instruction.opcode())];
}

void ConvertPairElements(PrimitiveType from, const std::byte* in, PrimitiveType to, std::byte* out, int64_t count) {
  constexpr PrimitiveType kPair = PrimitiveType::C128;
  if (from != kPair) {
    if (BitWidth(from) == 64 && IsInteger(from)) {  // of which a double holds the upper part
      Pair* pairs = reinterpret_cast<Pair*>(out);
      for (int64_t i = 0; i < count; ++i) {
        const uint64_t bits = reinterpret_cast<const uint64_t*>(in)[i];
        const double high =
            IsSigned(from) ? static_cast<double>(static_cast<int64_t>(bits) >> 32) : static_cast<double>(bits >> 32);
        pairs[i] = TwoSum(high * 0x1p32, static_cast<double>(bits & 0xFFFFFFFF));
      }
      return;
    }
    ConvertElements(from, in, kPair, out, count);  // a number and nothing
    return;
  }
  const Pair* pairs = reinterpret_cast<const Pair*>(in);
  std::vector<double> high(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const Pair x = pairs[i];
    double& h = high[static_cast<size_t>(i)];
    if (IsInteger(to)) h = TowardsZero(x).hi;
    else h = to == PrimitiveType::F64 || to == PrimitiveType::PRED ? x.hi : RoundToOdd(x);
  }
  ConvertElements(PrimitiveType::F64, reinterpret_cast<const std::byte*>(high.data()), to, out, count);
  if (!IsInteger(to) || BitWidth(to) < 64) return;
  // 64-bit integers that a double does not hold.
  for (int64_t i = 0; i < count; ++i) {
    const Pair whole = TowardsZero(pairs[i]);
    if (whole.lo == 0 || !(std::abs(whole.hi) < (IsSigned(to) ? 0x1p63 : 0x1p64))) continue;
    auto& bits = reinterpret_cast<uint64_t*>(out)[i];
    bits += static_cast<uint64_t>(static_cast<int64_t>(whole.lo));
  }
}

Literal ConvertPairs(const Literal& operand, PrimitiveType to) {
  Literal result(operand.shape().WithElementType(to));
  ConvertPairElements(operand.shape().element_type(), operand.untyped_data(), to, result.untyped_data(),
                      operand.element_count());
  return result;
}

bool IsUnknownToPairs(const HloInstruction& i) {
  using enum HloOpcode;
  const auto is_pair = [](const HloInstruction* operand) {
    return operand->shape().IsArray() && operand->shape().element_type() == PrimitiveType::C128;
  };
  const auto any = [&](const auto& test) {
    return is_pair(&i) || std::any_of(i.operands().begin(), i.operands().end(), test);
  };
  const HloOpcode opcode = i.opcode();
  if (IsOneOf(opcode, kComplex, kScaledDot, kRaggedDot, kTopK, kFft, kCholesky, kTriangularSolve, kStochasticConvert,
              kRng, kCustomCall))
    return any(is_pair);
  if (IsOneOf(opcode, kBitcastConvert, kBitcast)) return is_pair(&i) != is_pair(i.operand(0));
  return false;
}

}  // namespace hloir::reference
