// See number.h.
#include "proof_check/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "support/hash.h"
#include "support/random.h"

namespace hloir::proof_check {
namespace {

uint64_t PowMod(uint64_t a, uint64_t n, uint64_t m) {
  uint64_t result = 1;
  for (a %= m; n != 0; n >>= 1, a = a * a % m) {
    if ((n & 1) != 0) result = result * a % m;
  }
  return result;
}

// The Miller-Rabin test with bases that decide primality below 2^32.
bool IsPrime(uint64_t n) {
  for (uint64_t small : {2, 3, 5, 7, 11, 13}) {
    if (n % small == 0) return n == small;
  }
  const int twos = std::countr_zero(n - 1);
  for (uint64_t base : {2, 7, 61}) {
    uint64_t x = PowMod(base, (n - 1) >> twos, n);
    bool composite = x != 1 && x != n - 1;
    for (int k = 1; k < twos && composite; ++k) composite = (x = x * x % n) != n - 1;
    if (composite) return false;
  }
  return true;
}

// A safe prime below 2^31 modulo which 2, 3, 5 and 7 are squares, so that residues of most constants have the
// constants' signs.
uint64_t RandomPrime(Random& random) {
  while (true) {
    const uint64_t p = static_cast<uint64_t>(random.Between(int64_t{1} << 29, (int64_t{1} << 30) - 1)) * 2 + 1;
    if (p % 8 != 7 || p % 12 != 11 || (p % 5 != 1 && p % 5 != 4)) continue;
    if (!IsPrime(p / 2) || !IsPrime(p) || PowMod(7, p / 2, p) != 1) continue;
    return p;
  }
}

bool IsPowerOfTwo(double x) {
  int exponent;
  return x != 0 && std::isfinite(x) && std::abs(std::frexp(x, &exponent)) == 0.5;
}

double RoundTo(double value, PrimitiveType type) {
  if (type == PrimitiveType::F64 || type == PrimitiveType::C128 || !std::isfinite(value)) return value;
  if (type == PrimitiveType::F32 || type == PrimitiveType::C64 || !IsFloat(type)) return static_cast<float>(value);
  return DecodeSmallFloat(type, EncodeSmallFloat(type, value));
}

// Finds the simplest fraction that is nearer to `x` than the neighbouring floats, by continued fractions. Returns false
// if its numerator or denominator is too large for it to be the intended number.
bool SimpleFraction(double x, double half_ulp, int64_t& numerator, int64_t& denominator) {
  constexpr double kMost = 0x1p21;
  double rest = x;
  int64_t n0 = 0, d0 = 1, n1 = 1, d1 = 0;
  for (int k = 0; k < 24; ++k) {
    const double whole = std::floor(rest);
    if (whole > kMost) return false;
    const int64_t a = static_cast<int64_t>(whole);
    const int64_t n = a * n1 + n0, d = a * d1 + d0;
    if (static_cast<double>(n) * static_cast<double>(d) > kMost) return false;
    n0 = n1, d0 = d1, n1 = n, d1 = d;
    if (std::abs(static_cast<double>(n) / static_cast<double>(d) - x) < half_ulp * 0.999) {
      numerator = n, denominator = d;
      return true;
    }
    rest = 1 / (rest - whole);
  }
  return false;
}

// The same, with the numbers that need no continued fraction; false for a number that stands for itself.
bool IsFraction(double size, int64_t& numerator, int64_t& denominator) {
  const double scaled = size * 0x1p12;
  if (scaled == std::floor(scaled)) return false;
  const double next = static_cast<double>(static_cast<float>(size)) == size
                          ? static_cast<double>(std::nextafterf(static_cast<float>(size), INFINITY))
                          : std::nextafter(size, INFINITY);
  return SimpleFraction(size, (next - size) / 2, numerator, denominator);
}

double Mantissa(double x) {
  int exponent;
  return std::frexp(x, &exponent);
}

// Bitwise functions depend on the type.
uint64_t KeyOf(uint64_t operation, PrimitiveType type) { return Mix(operation, static_cast<uint64_t>(type)); }

double ValueOf(HloOpcode op, double x) {
  using enum HloOpcode;
  switch (op) {
    case kSin: return std::sin(x);
    case kCos: return std::cos(x);
    case kTan: return std::tan(x);
    case kErf: return std::erf(x);
    case kLog: return std::log(x);
    case kLog1p: return std::log1p(x);
    case kTanh: return std::tanh(x);
    case kExp: return std::exp(x);
    case kExpm1: return std::expm1(x);
    case kSqrt: return std::sqrt(x);
    case kRsqrt: return 1 / std::sqrt(x);
    case kCbrt: return std::cbrt(x);
    case kLogistic: return 1 / (1 + std::exp(-x));
    case kCeil: return std::ceil(x);
    case kFloor: return std::floor(x);
    case kRoundNearestAfz: return std::round(x);
    case kRoundNearestEven: return std::nearbyint(x);
    case kSinh: return std::sinh(x);
    case kCosh: return std::cosh(x);
    // The value of any other function is unknown.
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

Arithmetic::Arithmetic(uint64_t seed, Order order, bool bits) : seed_(Scramble(seed)), order_(order), bits_(bits) {
  Random random(seed);
  p_ = RandomPrime(random);
  q_ = p_ / 2;
  const uint64_t root = static_cast<uint64_t>(random.Between(2, static_cast<int64_t>(p_) - 2));
  generator_ = root * root % p_;  // generates the squares, a group of prime order
}

uint64_t Arithmetic::PowP(uint64_t a, uint64_t n) const { return PowMod(a, n, p_); }
uint64_t Arithmetic::PowQ(uint64_t a, uint64_t n) const { return PowMod(a, n, q_); }

int Arithmetic::SignOf(uint32_t p) const { return p == 0 ? 0 : PowP(p, q_) == 1 ? 1 : -1; }

void Arithmetic::KnowLiteral(double value) {
  if (std::isfinite(value)) known_.push_back(value);
  if (!bits_ && std::isfinite(value) && value != 0) literals_.try_emplace(std::abs(value), Literal(std::abs(value)));
}

// The residue of a binary fraction.
Number Arithmetic::Closed(double value) const {
  Number n;
  n.open = false;
  n.value = value;
  if (std::isnan(value)) n.undefined = true;
  if (bits_ && std::isnan(value)) return n;
  if (bits_ && value == 0) {  // 0 and -0 are distinct
    n = AnyNumber(kZero);
    n.open = false, n.value = value;
    return std::signbit(value) ? Negate(n) : n;
  }
  if (!std::isfinite(value)) {
    const uint64_t key = Mix(seed_, (std::isnan(value) ? 2 : 0) + (std::signbit(value) ? 1 : 0));
    n.p = static_cast<uint32_t>(key % p_), n.q = static_cast<uint32_t>(key % q_);
    return n;
  }
  int exponent;
  const double mantissa = std::ldexp(std::frexp(std::abs(value), &exponent), 53);
  const uint64_t m = static_cast<uint64_t>(mantissa);
  exponent -= 53;
  const auto times = [&](uint64_t base, uint64_t prime) {
    const uint64_t two = exponent >= 0 ? 2 : (prime + 1) / 2;
    const uint64_t r = base % prime * PowMod(two, static_cast<uint64_t>(std::abs(exponent)), prime) % prime;
    return static_cast<uint32_t>(std::signbit(value) && r != 0 ? prime - r : r);
  };
  n.p = times(m, p_), n.q = times(m, q_);
  return n;
}

Number Arithmetic::Literal(double value) {
  const double size = std::abs(value);
  if (bits_ || !std::isfinite(value) || value == 0) return Closed(value);
  int64_t n = 0, d = 1;
  Number x = Closed(size);
  if (IsFraction(size, n, d)) {
    x = Times(Closed(static_cast<double>(n)), Inverse(Closed(static_cast<double>(d))));
  } else if (const auto found = combined_.find(Mantissa(size)); found != combined_.end()) {
    x = Times(found->second, Closed(size / Mantissa(size)));
  }
  x.value = size;
  return value < 0 ? Negate(x) : x;
}

std::vector<Arithmetic::Combined> Arithmetic::CombinedOf(std::span<const double> literals, bool wide) {
  constexpr size_t kMost = 256;
  std::vector<double> sizes;
  std::unordered_map<double, bool> settled;  // by mantissas: whether the number is a fraction or used in a row
  for (double literal : literals) {
    const double size = std::abs(literal);
    int64_t n, d;
    if (!std::isfinite(size) || size == 0 || sizes.size() == kMost) continue;
    const bool stands_for_itself = size * 0x1p12 == std::floor(size * 0x1p12);
    if (settled.try_emplace(Mantissa(size), stands_for_itself || IsFraction(size, n, d)).second) sizes.push_back(size);
  }
  std::vector<Combined> rows;
  for (double a : sizes) {
    for (double b : sizes) {
      for (const bool divides : {false, true}) {
        const double exact = divides ? a / b : a * b;
        const auto found = settled.find(Mantissa(wide ? exact : static_cast<double>(static_cast<float>(exact))));
        if (found == settled.end() || found->second || found->first == Mantissa(a) || found->first == Mantissa(b))
          continue;
        found->second = settled[Mantissa(a)] = settled[Mantissa(b)] = true;
        rows.push_back({found->first, a, b, divides});
      }
    }
  }
  return rows;
}

void Arithmetic::Combine(const Combined& row) {
  const double exact = row.divides ? row.a / row.b : row.a * row.b;
  const Number b = Literal(row.b), n = Times(Literal(row.a), row.divides ? Inverse(b) : b);
  combined_[row.of] = Times(n, Closed(Mantissa(exact) / exact));
}

// Identifies a computed constant that rounds to a number of the texts with that number.
Number Arithmetic::Known(Number a) const {
  if (a.open || bits_ || a.undefined || literals_.empty()) return a;
  for (const double rounded : {std::abs(a.value), static_cast<double>(static_cast<float>(std::abs(a.value)))}) {
    const auto found = literals_.find(rounded);
    if (found == literals_.end()) continue;
    return a.value < 0 ? Negate(found->second) : found->second;
  }
  return a;
}

Number Arithmetic::AnyNumber(uint64_t key) const {
  Number n;
  const uint64_t hash = Scramble(Mix(seed_, key));
  // NaN, in some trials seldom or never, so that not all rows of many numbers have one.
  constexpr uint64_t kOneIn[] = {4, 8, 64};
  const uint64_t density = seed_ % 4;
  if (bits_ && key != kZero && density < 3 && hash % kOneIn[density] == 0) return n;
  n.p = static_cast<uint32_t>((hash >> 32) * p_ >> 32);
  n.q = static_cast<uint32_t>((hash & 0xFFFFFFFF) * q_ >> 32);
  return n;
}

Number Arithmetic::Unknown(uint64_t key, std::initializer_list<Number> of) const {
  Number taint;
  taint.open = false;
  for (const Number& n : of) {
    key = Mix(key, n.p);
    taint.open |= n.open;
    taint.undefined |= n.undefined;
  }
  Number n = AnyNumber(key);
  n.open = taint.open, n.undefined = taint.undefined;
  if (!n.open) n.value = std::numeric_limits<double>::quiet_NaN();
  return n;
}

Number Arithmetic::Integer(int64_t value) {
  Number n = Closed(static_cast<double>(value));
  if (std::abs(value) > int64_t{1} << 53) {
    const auto mod = [&](uint64_t prime) {
      const int64_t r = value % static_cast<int64_t>(prime);
      return static_cast<uint32_t>(r < 0 ? r + static_cast<int64_t>(prime) : r);
    };
    n.p = mod(p_), n.q = mod(q_);
  }
  return n;
}

Number Arithmetic::Negate(Number a) const {
  if (a.p != 0) a.p = static_cast<uint32_t>(p_ - a.p);
  if (a.q != 0) a.q = static_cast<uint32_t>(q_ - a.q);
  a.value = -a.value;
  return a;
}

Number Arithmetic::PlainAdd(const Number& a, const Number& b) const {
  Number n;
  n.p = static_cast<uint32_t>((uint64_t{a.p} + b.p) % p_);
  n.q = static_cast<uint32_t>((uint64_t{a.q} + b.q) % q_);
  n.has_q = a.has_q && b.has_q;
  n.open = a.open || b.open;
  n.undefined = a.undefined || b.undefined;
  n.value = n.open ? 0 : a.value + b.value;
  return n;
}

namespace {

bool IsInfinite(const Number& a) { return !a.open && std::isinf(a.value); }
bool IsZero(const Number& a) { return !a.open && a.value == 0; }

}  // namespace

Number Arithmetic::Add(const Number& a, const Number& b, PrimitiveType type) {
  if (!bits_ && (IsInfinite(a) || IsInfinite(b))) {
    if (IsInfinite(a) && IsInfinite(b) && a.value != b.value) return Closed(std::numeric_limits<double>::quiet_NaN());
    return IsInfinite(a) ? a : b;
  }
  if (!bits_) return Known(PlainAdd(a, b));
  if (!a.open && !b.open && !a.undefined && !b.undefined && !std::isnan(a.value + b.value))
    return Closed(RoundTo(a.value + b.value, type));
  // -(-a + -b) differs in the sign of a zero sum.
  return a.p < b.p ? Unknown(KeyOf(1, type), {a, b}) : Unknown(KeyOf(1, type), {b, a});
}

Number Arithmetic::Times(const Number& a, const Number& b) const {
  Number n;
  n.p = static_cast<uint32_t>(uint64_t{a.p} * b.p % p_);
  n.q = static_cast<uint32_t>(uint64_t{a.q} * b.q % q_);
  n.has_q = a.has_q && b.has_q;
  n.open = a.open || b.open;
  n.undefined = a.undefined || b.undefined;
  n.value = n.open ? 0 : a.value * b.value;
  return n;
}

Number Arithmetic::Multiply(const Number& a, const Number& b, PrimitiveType type) {
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (bits_ || !IsInfinite(*x)) continue;
    if (!y->open && y->value != 0) return Closed(x->value * y->value);
    Number n = Unknown(2, {a, b});
    n.undefined = true;
    return n;
  }
  if (!bits_) {
    if (IsZero(a) || IsZero(b)) return Closed(0);  // for finite numbers
    return Known(Times(a, b));
  }
  if (!a.open && !b.open && !std::isnan(a.value * b.value)) return Closed(RoundTo(a.value * b.value, type));
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (x->open || std::abs(x->value) != 1) continue;
    return x->value < 0 ? Negate(*y) : *y;
  }
  const bool negative = (SignOf(a.p) < 0) != (SignOf(b.p) < 0);
  const Number x = SignOf(a.p) < 0 ? Negate(a) : a, y = SignOf(b.p) < 0 ? Negate(b) : b;
  const Number n = x.p < y.p ? Unknown(KeyOf(3, type), {x, y}) : Unknown(KeyOf(3, type), {y, x});
  return negative ? Negate(n) : n;
}

Number Arithmetic::Inverse(const Number& a) const {
  Number n = a;
  n.p = static_cast<uint32_t>(PowP(a.p, p_ - 2));
  n.q = static_cast<uint32_t>(PowQ(a.q, q_ - 2));
  n.has_q = a.has_q && a.q != 0;
  n.undefined = a.undefined || a.p == 0;
  if (!a.open) n.value = 1 / a.value;
  return n;
}

Number Arithmetic::Divide(const Number& a, const Number& b, PrimitiveType type) {
  if (!bits_ && IsInfinite(b)) {
    if (IsInfinite(a)) return Closed(std::numeric_limits<double>::quiet_NaN());
    return Closed(0);
  }
  if (!bits_) {
    if (IsInfinite(a)) return Multiply(a, Inverse(b), type);
    return Multiply(a, Known(Inverse(b)), type);
  }
  if (!a.open && !b.open && !std::isnan(a.value / b.value)) return Closed(RoundTo(a.value / b.value, type));
  if (!b.open && IsPowerOfTwo(b.value) && std::isfinite(1 / b.value)) return Multiply(a, Closed(1 / b.value), type);
  const bool negative = (SignOf(a.p) < 0) != (SignOf(b.p) < 0);
  const Number n = Unknown(KeyOf(4, type), {SignOf(a.p) < 0 ? Negate(a) : a, SignOf(b.p) < 0 ? Negate(b) : b});
  return negative ? Negate(n) : n;
}

Number Arithmetic::Power(const Number& a, int64_t n) const {
  Number x = n < 0 ? Inverse(a) : a;
  const double value = a.open ? 0 : std::pow(a.value, static_cast<double>(n));
  x.p = static_cast<uint32_t>(PowP(x.p, static_cast<uint64_t>(std::abs(n))));
  x.q = static_cast<uint32_t>(PowQ(x.q, static_cast<uint64_t>(std::abs(n))));
  x.value = value;
  return x;
}

Number Arithmetic::Root(const Number& a) const {
  if (IsInfinite(a)) return a;
  Number n = a;
  n.p = static_cast<uint32_t>(PowP(a.p, (p_ + 1) / 4));
  n.has_q = a.q == 0 && a.p == 0;
  n.undefined = a.undefined || (a.open ? SignOf(a.p) < 0 : a.value < 0);
  if (!a.open) n.value = std::sqrt(a.value);
  return Known(n);
}

Number Arithmetic::Exp(const Number& a) const {
  if (IsInfinite(a)) return a.value < 0 ? Closed(0) : a;
  Number n = a.has_q ? a : Unknown(5, {a});
  // Exponentials are positive, so their residues are squares.
  n.p = static_cast<uint32_t>(a.has_q ? PowP(generator_, a.q) : uint64_t{n.p} * n.p % p_);
  n.has_q = false;
  n.value = a.open ? 0 : std::exp(a.value);
  return Known(n);
}

Number Arithmetic::Rounded(const Number& a, PrimitiveType type) {
  if (!a.open && !std::isnan(a.value)) return Literal(RoundTo(a.value, type));
  return Unknown(KeyOf(6, type), {a});
}

bool Arithmetic::Unary(HloOpcode op, const Number& a, PrimitiveType type, Number& result) {
  using enum HloOpcode;
  const uint64_t key = 256 + static_cast<uint64_t>(op);
  const int sign = !a.open && !a.undefined ? (a.value > 0) - (a.value < 0) : SignOf(a.p);
  switch (op) {
    case kNegate: result = Negate(a); return true;
    case kAbs: result = sign < 0 ? Negate(a) : a; return true;
    case kSign:
      if (bits_ && a.open) {
        result = sign < 0 ? Negate(Unknown(KeyOf(key, type), {Negate(a)})) : Unknown(KeyOf(key, type), {a});
        return true;
      }
      result = WithTaint(Closed(sign), a);
      result.open = a.open;
      return true;
    case kCopy: result = a; return true;
    default: break;
  }
  const double value = a.open ? 0 : ValueOf(op, a.value);
  if (!a.open && !a.undefined && !std::isnan(value) && (bits_ || std::isinf(value) || value == std::floor(value))) {
    // A function of a constant. In bitwise trials only exact results are the same in all engines.
    if (!bits_ || op == kSqrt || op == kFloor || op == kCeil || op == kRoundNearestAfz || op == kRoundNearestEven) {
      result = Closed(RoundTo(value, type));
      return true;
    }
  }
  if (bits_) {
    result = Unknown(KeyOf(key, type), {a});
    return true;
  }
  const Number one = Closed(1);
  switch (op) {
    case kSqrt: result = Root(a); break;
    case kRsqrt: result = IsInfinite(a) ? Closed(0) : Known(Inverse(Root(a))); break;
    case kCbrt: {  // 3 does not divide p - 1 = 2q
      result = a;
      const uint64_t inverse = ((p_ - 1) % 3 == 1 ? 2 * (p_ - 1) + 1 : p_) / 3;  // the inverse of 3 modulo p - 1
      result.p = static_cast<uint32_t>(PowP(a.p, inverse));
      result.has_q = false;
      result.value = value;
      break;
    }
    case kExp: result = Exp(a); break;
    case kExpm1: result = Add(Exp(a), Closed(-1), type); break;
    case kLogistic: result = Divide(one, Add(one, Exp(Negate(a)), type), type); break;
    case kTanh: {
      const Number e = Exp(Add(a, a, type));
      result = Divide(Add(e, Closed(-1), type), Add(e, one, type), type);
      break;
    }
    case kSinh:
    case kCosh: {
      const Number e = Exp(a), f = Exp(Negate(a));
      result = Multiply(Add(e, op == kSinh ? Negate(f) : f, type), Closed(0.5), type);
      break;
    }
    case kLog1p: return Unary(kLog, Add(a, one, type), type, result);
    case kTan: {
      Number s, c;
      Unary(kSin, a, type, s);
      Unary(kCos, a, type, c);
      result = Divide(s, c, type);
      break;
    }
    case kCos: result = Unknown(key, {sign < 0 ? Negate(a) : a}); break;
    case kSin:
    case kErf: result = sign < 0 ? Negate(Unknown(key, {Negate(a)})) : Unknown(key, {a}); break;
    case kLog:
    case kFloor:
    case kCeil:
    case kRoundNearestAfz:
    case kRoundNearestEven: result = Unknown(key, {a}); break;
    default: return false;  // not a function of one real number
  }
  if (!a.open && !result.undefined) {
    result.value = value;
    result = Known(result);
  }
  return true;
}

bool Arithmetic::Binary(HloOpcode op, const Number& a, const Number& b, PrimitiveType type, Number& result) {
  using enum HloOpcode;
  const uint64_t key = 256 + static_cast<uint64_t>(op);
  switch (op) {
    case kAdd: result = Add(a, b, type); return true;
    case kSubtract: result = Add(a, Negate(b), type); return true;
    case kMultiply: result = Multiply(a, b, type); return true;
    case kDivide: result = Divide(a, b, type); return true;
    case kMaximum:
    case kMinimum: result = Extremum(std::array{a, b}, op == kMaximum); return true;
    case kPower:
      if (!bits_ && !b.open && !IsInfinite(a) && b.value * 2 == std::floor(b.value * 2) && std::abs(b.value) < 1024) {
        const int64_t twice = static_cast<int64_t>(b.value * 2);
        result = Known(twice % 2 == 0 ? Power(a, twice / 2) : Power(Root(a), twice));
        return true;
      }
      result = Unknown(bits_ ? KeyOf(key, type) : key, {a, b});
      return true;
    case kRemainder:
      if (!a.open && !b.open && a.value == std::floor(a.value) && b.value == std::floor(b.value) &&
          std::isfinite(a.value) && b.value != 0) {
        result = Closed(std::fmod(a.value, b.value));
        return true;
      }
      [[fallthrough]];
    case kAtan2: result = Unknown(bits_ ? KeyOf(key, type) : key, {a, b}); return true;
    default: return false;  // not a function of two real numbers
  }
  result.undefined = a.undefined || b.undefined;
  return true;
}

Number Arithmetic::Extremum(std::span<const Number> numbers, bool largest) {
  constexpr size_t kFew = 3, kMostChosenFrom = size_t{1} << 16;
  constexpr int kFewAlternations = 3;
  const auto wins = [&](const Number& a, const Number& b) { return largest ? Compare(a, b) >= 0 : Compare(a, b) <= 0; };
  Choice choice{largest, 0, {}, {}};
  bool undefined = false;
  std::optional<Number> constant;  // of the constants, one decides
  const auto add = [&](const Number& n) {
    if (n.open || ChoiceOf(n) != nullptr) choice.from.push_back(n);
    else if (!constant || !wins(*constant, n)) constant = n;
  };
  for (const Number& n : numbers) {
    if (IsNaN(n)) return n;
    undefined |= n.undefined;
    if (const Choice* of = ChoiceOf(n); of != nullptr && of->largest == largest) {
      for (const Number& from : of->from) add(from);
    } else {
      add(n);
    }
  }
  const bool closed = choice.from.empty();
  const bool decided = constant && IsInfinite(*constant) && (constant->value > 0) == largest;
  Number result;
  if (closed || decided) {
    result = *constant;
    result.undefined = undefined;
    return result;
  }
  if (constant && !IsInfinite(*constant)) choice.from.push_back(*constant);
  const auto residues = [](const Number& n) { return uint64_t{n.p} << 32 | n.q; };
  std::sort(choice.from.begin(), choice.from.end(),
            [&](const Number& a, const Number& b) { return residues(a) < residues(b); });
  choice.from.erase(std::unique(choice.from.begin(), choice.from.end(), &Arithmetic::Same), choice.from.end());
  uint64_t key = largest ? 1 : 0;
  for (const Number& n : choice.from) {
    key = Mix(key, residues(n));
    if (const Choice* of = ChoiceOf(n); of != nullptr && of->largest != largest)
      choice.alternations = std::max(choice.alternations, of->alternations + 1);
  }
  if (choice.from.size() <= kFew) {
    result = choice.from[0];
    for (const Number& n : choice.from) result = wins(result, n) ? result : n;
  } else {
    result = choice.from[static_cast<size_t>(Scramble(Mix(seed_, key)) % choice.from.size())];
  }
  if (choice.alternations > kFewAlternations) result = Unknown(Mix(kOfExtrema, key), {result});
  result.undefined = undefined;
  if (choice.from.size() == 1) return result;
  auto [known, added] = choice_of_.try_emplace(key, 0);
  if (added && chosen_from_ + choice.from.size() <= kMostChosenFrom) {
    chosen_from_ += choice.from.size();
    choice.result = result;
    choices_.push_back(std::move(choice));
    known->second = static_cast<uint32_t>(choices_.size());
  }
  result.choice = known->second;
  return result;
}

int Arithmetic::Compare(const Number& a, const Number& b) const {
  if (!a.open && !b.open && !std::isnan(a.value) && !std::isnan(b.value)) {
    if (a.p == b.p && (!a.has_q || !b.has_q || a.q == b.q)) return 0;
    return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
  }
  if (IsInfinite(a)) return a.value < 0 ? -1 : 1;
  if (IsInfinite(b)) return b.value < 0 ? 1 : -1;
  if (a.p == b.p) return 0;
  if (order_ == Order::kSigns) return SignOf(static_cast<uint32_t>((uint64_t{a.p} + p_ - b.p) % p_));
  const auto rank = [&](const Number& n) {
    if (!n.open && !std::isnan(n.value)) return n.value;
    // A random rank of arbitrary magnitude, beyond the numbers of the texts or between two of them.
    const uint64_t hash = Scramble(Mix(seed_ + 1, n.p));
    const double uniform = static_cast<double>(hash >> 11) * 0x1p-53;
    if ((hash & 3) == 1 && known_.size() > 1) {
      const size_t at = static_cast<size_t>(Scramble(hash) % (known_.size() - 1));
      return known_[at] + (known_[at + 1] - known_[at]) * uniform;
    }
    if ((hash & 3) == 0)
      return std::ldexp(uniform + 1, static_cast<int>(hash >> 2 & 1023)) * ((hash & 4096) != 0 ? 1 : -1);
    return std::tan((uniform - 0.5) * 3);
  };
  const double x = rank(a), y = rank(b);
  return x < y ? -1 : x > y ? 1 : a.p < b.p ? -1 : 1;
}

}  // namespace hloir::proof_check
