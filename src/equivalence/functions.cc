// Elementwise operations other than sums and products: conditions, comparisons, conversions, and functions with their
// identities. Each identity records its assumptions. See expr.h.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "equivalence/expr.h"
#include "hloir/attributes.h"

namespace hloir::equivalence::inside {
namespace {

bool IsRealOrComplex(PrimitiveType type) { return type == PrimitiveType::F64 || type == PrimitiveType::C128; }

// The exact value of a function of a constant, if the value is representable. Otherwise the function stays symbolic:
// numbers that agree in their first digits may differ.
std::optional<DoubleDouble> Known(HloOpcode op, const DoubleDouble& x) {
  switch (op) {
    case HloOpcode::kExp:
    case HloOpcode::kCos: return x == 0 ? std::optional<DoubleDouble>(1) : std::nullopt;
    case HloOpcode::kTanh:
    case HloOpcode::kSin:
    case HloOpcode::kErf: return x == 0 ? std::optional<DoubleDouble>(0) : std::nullopt;
    case HloOpcode::kLog: return x == 1 ? std::optional<DoubleDouble>(0) : std::nullopt;
    case HloOpcode::kFloor: return Floor(x);
    case HloOpcode::kCeil: return -Floor(-x);
    case HloOpcode::kRoundNearestEven:
      return x.low == 0 ? std::optional<DoubleDouble>(std::nearbyint(x.high)) : std::nullopt;
    case HloOpcode::kSign: return x > 0 ? 1 : x < 0 ? -1 : 0;
    default: return std::nullopt;  // not exactly representable
  }
}

// The value to double precision.
double Nearly(HloOpcode op, double x) {
  switch (op) {
    case HloOpcode::kExp: return std::exp(x);
    case HloOpcode::kCos: return std::cos(x);
    case HloOpcode::kTanh: return std::tanh(x);
    case HloOpcode::kSin: return std::sin(x);
    case HloOpcode::kErf: return std::erf(x);
    case HloOpcode::kLog: return std::log(x);
    default: return std::numeric_limits<double>::quiet_NaN();  // unknown
  }
}

}  // namespace

ExprId Exprs::Not(ExprId a) {
  const Expr& x = At(a);
  if (x.kind == Expr::Kind::kGuard && x.tag == 0) return Guard(false, Plus(Number(-1), x.index[0], -1));
  if (x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kNot) return x.args[0];
  Expr e;
  e.kind = Expr::Kind::kFunction;
  e.type = PrimitiveType::PRED;
  e.op = HloOpcode::kNot;
  e.args = {a};
  return Make(std::move(e));
}

ExprId Exprs::And(ExprId a, ExprId b) {
  Monomial m;
  m.integer = 1;
  m.factors = {{a, kOne}, {b, kOne}};
  if (!Tidy(m, PrimitiveType::S32)) return False();
  if (m.factors.empty()) return True();
  // a and not (a and b) is a and not b.
  for (size_t i = 0; i < m.factors.size(); ++i) {
    const Expr& x = At(m.factors[i].base);
    if (x.kind != Expr::Kind::kFunction || x.op != HloOpcode::kNot) continue;
    const Expr& y = At(x.args[0]);
    if (y.kind != Expr::Kind::kFunction || y.op != HloOpcode::kAnd) continue;
    ExprId rest = True();
    bool shorter = false;
    for (ExprId arg : std::vector<ExprId>(y.args)) {
      const bool given =
          std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) { return f.base == arg; });
      shorter = shorter || given;
      if (!given) rest = And(rest, arg);
    }
    if (!shorter) continue;
    ExprId result = Not(rest);
    for (size_t j = 0; j < m.factors.size(); ++j) {
      if (j != i) result = And(result, m.factors[j].base);
    }
    return result;
  }
  if (m.factors.size() == 1) return m.factors[0].base;
  Expr e;
  e.kind = Expr::Kind::kFunction;
  e.type = PrimitiveType::PRED;
  e.op = HloOpcode::kAnd;
  for (const Factor& f : m.factors) e.args.push_back(f.base);
  return Make(std::move(e));
}

// The low half of 64 bits beside the high half, 2^32 times: the whole. -1: they are something else.
ExprId Exprs::JoinedHalves(ExprId a, ExprId b) {
  constexpr PrimitiveType kWord = PrimitiveType::U64;
  const auto inside = [&](ExprId e, PrimitiveType to) -> ExprId {
    const Expr& x = At(e);
    const bool converts = x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kConvert && x.type == to;
    return converts ? x.args[0] : -1;
  };
  for (const auto& [low, high] : {std::pair(a, b), std::pair(b, a)}) {
    const ExprId half = inside(low, kWord), whole = half >= 0 ? inside(half, PrimitiveType::U32) : -1;
    if (whole < 0 || TypeOf(whole) != kWord) continue;
    const ExprId shifted = Function(HloOpcode::kShiftRightLogical, kWord, {whole, Integer(32, kWord)});
    const ExprId upper = Convert(Convert(shifted, kWord, PrimitiveType::U32), PrimitiveType::U32, kWord);
    if (Multiply(upper, Integer(int64_t{1} << 32, kWord)) == high) return whole;
  }
  return -1;
}

// Integers that were widened, as they were before: two of one type, or one and a number that its type has. An order
// needs a wider type that keeps signs. None: they were not.
std::optional<std::pair<ExprId, ExprId>> Exprs::BeforeWidening(ExprId a, ExprId b, bool equality) {
  const auto widened_from = [&](ExprId e) {
    const Expr& x = At(e);
    if (x.kind != Expr::Kind::kFunction || x.op != HloOpcode::kConvert || x.data.size() != 1)
      return PrimitiveType::PRED;
    const PrimitiveType from = static_cast<PrimitiveType>(x.data[0]);
    const bool keeps = IsSigned(from) ? IsSigned(x.type) : IsUnsigned(x.type) || BitWidth(x.type) > BitWidth(from);
    const bool wider = IsInteger(from) && IsInteger(x.type) && BitWidth(x.type) >= BitWidth(from);
    return wider && (keeps || equality) ? from : PrimitiveType::PRED;
  };
  const PrimitiveType from = widened_from(a), other = widened_from(b);
  if (from != PrimitiveType::PRED && from == other) return std::pair(At(a).args[0], At(b).args[0]);
  const PrimitiveType one = from != PrimitiveType::PRED ? from : other;
  const ExprId number = from != PrimitiveType::PRED ? b : a;
  const std::optional<int64_t> value = IntegerOf(number);
  if (one == PrimitiveType::PRED || !value) return std::nullopt;
  const int bits = BitWidth(one) - (IsSigned(one) ? 1 : 0);
  if (bits > 62 || *value >= int64_t{1} << bits || *value < (IsSigned(one) ? -(int64_t{1} << bits) : 0) ||
      (IsSigned(one) && !IsSigned(TypeOf(number))))
    return std::nullopt;
  const ExprId narrow = Integer(*value, one);
  return from != PrimitiveType::PRED ? std::pair(At(a).args[0], narrow) : std::pair(narrow, At(b).args[0]);
}

// A value against the largest or smallest of it and others is that value against the others. (Without a number that
// is also so: then neither side holds.) None: it is something else.
std::optional<ExprId> Exprs::BesideItsExtreme(ComparisonDirection d, ExprId a, ExprId b) {
  using D = ComparisonDirection;
  if (d != D::kLt && d != D::kLe && d != D::kEq) return std::nullopt;
  for (const auto& [value, extreme, is_left] : {std::tuple(a, b, true), std::tuple(b, a, false)}) {
    const Expr& x = At(extreme);
    if (x.kind != Expr::Kind::kFunction || (x.op != HloOpcode::kMaximum && x.op != HloOpcode::kMinimum)) continue;
    if (x.args.size() < 2 || std::find(x.args.begin(), x.args.end(), value) == x.args.end()) continue;
    std::vector<ExprId> rest = x.args;
    std::erase(rest, value);
    const ExprId others = rest.size() == 1 ? rest[0] : Function(x.op, x.type, rest);
    // v < max(v, r) is v < r, and max(v, r) <= v is r <= v; v = max(v, r) is r <= v, too.
    const bool largest = x.op == HloOpcode::kMaximum;
    if (d == D::kEq)
      return largest ? Compare(static_cast<int>(D::kLe), others, value)
                     : Compare(static_cast<int>(D::kLe), value, others);
    if ((d == D::kLt) != (largest == is_left)) continue;
    return is_left ? Compare(static_cast<int>(d), value, others) : Compare(static_cast<int>(d), others, value);
  }
  return std::nullopt;
}

ExprId Exprs::Compare(int direction, ExprId a, ExprId b) {
  using D = ComparisonDirection;
  D d = static_cast<D>(direction);
  const PrimitiveType type = TypeOf(a);
  if (d == D::kGt || d == D::kGe) {
    std::swap(a, b);
    d = d == D::kGt ? D::kLt : D::kLe;
  }
  if (type == PrimitiveType::PRED) {
    if (d == D::kLt) return And(Not(a), b);
    if (d == D::kLe) return Or(Not(a), b);
    const ExprId differs = Or(And(a, Not(b)), And(Not(a), b));
    return d == D::kNe ? differs : Not(differs);
  }
  if (IsInteger(type) && a == b) return d == D::kEq || d == D::kLe ? True() : False();
  if (const auto narrow = BeforeWidening(a, b, d == D::kEq || d == D::kNe))
    return Compare(static_cast<int>(d), narrow->first, narrow->second);
  if (const auto other = BesideItsExtreme(d, a, b)) return *other;
  const std::optional<Index> i = AsIndex(a), j = AsIndex(b);
  if (i && j) {
    switch (d) {
      case D::kLt: return Guard(false, Plus(Plus(*j, *i, -1), Number(-1)));
      case D::kLe: return Guard(false, Plus(*j, *i, -1));
      case D::kEq: return Guard(true, Plus(*j, *i, -1));
      case D::kNe: return Not(Guard(true, Plus(*j, *i, -1)));
      default: break;
    }
  }
  // An integer value compared with an index.
  if (IsInteger(type) && (d == D::kEq || d == D::kNe) && i.has_value() != j.has_value()) {
    if (const ExprId equal = EqualsIndex(i ? b : a, i ? *i : *j); equal >= 0) return d == D::kEq ? equal : Not(equal);
  }
  if (IsInteger(type) && (d == D::kLt || d == D::kLe) && i.has_value() != j.has_value()) {
    if (const std::optional<Index> mixed = MixedIndex(i ? b : a, !OfDevices(i ? *i : *j))) {
      const Index more = i ? Plus(*mixed, *i, -1) : Plus(*j, *mixed, -1);
      return Guard(false, d == D::kLt ? Plus(more, Number(-1)) : more);
    }
    // (A value of data alone, however large.)
    const Index& index = i ? *i : *j;
    const Polynomial of = PolynomialOf(i ? b : a);
    const bool data =
        bounds_data_ && !index.terms.empty() && !IsUnsigned(type) && BitWidth(type) >= 32 &&
        std::none_of(of.begin(), of.end(), [&](const Monomial& m) {
          return m.factors.empty() || (m.factors.size() == 1 && At(m.factors[0].base).kind == Expr::Kind::kIndex);
        });
    if (data) {
      const Index value = ValueTerm(i ? b : a), more = i ? Plus(value, index, -1) : Plus(index, value, -1);
      return Guard(false, d == D::kLt ? Plus(more, Number(-1)) : more);
    }
  }
  // Compares a select with a number. The select is `with` if all conditions of the product hold, else `without`.
  const auto decided = [&](const Monomial& product, bool is_right, ExprId with, ExprId without) {
    const auto holds = [&](ExprId number) {
      return IntegerOf(Compare(static_cast<int>(d), is_right ? a : number, is_right ? number : b)) ==
             std::optional<int64_t>(1);
    };
    ExprId condition = True();
    for (const Factor& f : product.factors) condition = And(condition, f.base);
    const bool yes = holds(with), no = holds(without);
    return yes ? (no ? True() : condition) : no ? Not(condition) : False();
  };
  // A select of two integers compared with a third.
  if (const auto x = IntegerOf(a), y = IntegerOf(b); IsInteger(type) && x.has_value() != y.has_value() && d != D::kNe) {
    const Polynomial of = PolynomialOf(x ? b : a);
    Monomial picked;
    int64_t without = 0;
    int others = 0;
    for (const Monomial& m : of) {
      if (m.factors.empty()) without = m.integer;
      else picked = m, ++others;
    }
    const bool conditions =
        others == 1 && std::all_of(picked.factors.begin(), picked.factors.end(),
                                   [&](const Factor& f) { return TypeOf(f.base) == PrimitiveType::PRED; });
    if (conditions) {
      const uint64_t with = static_cast<uint64_t>(without) + static_cast<uint64_t>(picked.integer);
      return decided(picked, x.has_value(), Integer(static_cast<int64_t>(with), type), Integer(without, type));
    }
  }
  // The same for a real select of a number and 0. No other selects, as rounding may lose one of two floats in their
  // difference.
  if (const auto x = RealOf(a), y = RealOf(b);
      type == PrimitiveType::F64 && x.has_value() != y.has_value() && d != D::kNe) {
    const Polynomial of = PolynomialOf(x ? b : a);
    if (of.size() == 1 && std::all_of(of[0].factors.begin(), of[0].factors.end(),
                                      [&](const Factor& f) { return TypeOf(f.base) == PrimitiveType::PRED; }))
      return decided(of[0], x.has_value(), Real(of[0].real), Real(0));
  }
  if (const auto x = IntegerOf(a), y = IntegerOf(b); x && y) {
    const bool less = IsUnsigned(type) ? static_cast<uint64_t>(*x) < static_cast<uint64_t>(*y) : *x < *y;
    const bool value = d == D::kEq ? *x == *y : d == D::kNe ? *x != *y : d == D::kLt ? less : less || *x == *y;
    return value ? True() : False();
  }
  if (const auto x = RealOf(a), y = RealOf(b); x && y && type == PrimitiveType::F64) {
    const bool value = d == D::kEq ? *x == *y : d == D::kNe ? *x != *y : d == D::kLt ? *x < *y : *x <= *y;
    return value ? True() : False();
  }
  if (const auto x = NumberOf(a), y = NumberOf(b); x && y && type == PrimitiveType::F64) {
    const bool value = d == D::kEq ? *x == *y : d == D::kNe ? *x != *y : d == D::kLt ? *x < *y : *x <= *y;
    return value ? True() : False();
  }
  if (d == D::kNe) return Not(Compare(static_cast<int>(D::kEq), a, b));
  if (IsInteger(type)) {
    const Range r = RangeOf(a), s = RangeOf(b);
    if (r.high < s.low && r.high < kUnbounded && s.low > -kUnbounded) return d == D::kEq ? False() : True();
    if ((s.high < r.low || (d == D::kLt && r.low >= s.high)) && s.high < kUnbounded && r.low > -kUnbounded)
      return False();
  }
  // For integers, a <= b is not (b < a).
  if (d == D::kLe && IsInteger(type)) return Not(Compare(static_cast<int>(D::kLt), b, a));
  if (d == D::kLt && IsUnsigned(type)) {
    if (const auto zero = IntegerOf(b); zero && *zero == 0) return False();
  }
  // c * x is NaN if x is.
  if (const Expr& x = At(a); d == D::kEq && a == b && type == PrimitiveType::F64 && x.kind == Expr::Kind::kSum &&
                             x.sum.size() == 1 && x.sum[0].factors.size() == 1 && x.sum[0].factors[0].power == kOne &&
                             TypeOf(x.sum[0].factors[0].base) == type)
    a = b = x.sum[0].factors[0].base;
  // x + 2 = 5 is x = 3, also where integers wrap.
  if (d == D::kEq && IsInteger(type)) {
    if (IntegerOf(a)) std::swap(a, b);
    const Polynomial of = PolynomialOf(a);
    const auto number = std::find_if(of.begin(), of.end(), [](const Monomial& m) { return m.factors.empty(); });
    if (IntegerOf(b) && number != of.end()) {
      const ExprId moved = Integer(number->integer, type);
      return Compare(static_cast<int>(d), Add(a, moved, -1), Add(b, moved, -1));
    }
  }
  if (d == D::kEq && a > b) std::swap(a, b);
  Expr e;
  e.kind = Expr::Kind::kFunction;
  e.type = PrimitiveType::PRED;
  e.op = HloOpcode::kCompare;
  e.data = {static_cast<int64_t>(d)};
  e.args = {a, b};
  return Make(std::move(e));
}

// Whether a real number is 0 or more wherever it has a value.
bool Exprs::IsNonNegative(ExprId e, int depth) {
  using enum HloOpcode;
  const Expr& x = Unnamed(e);
  const auto is = [&](ExprId arg) { return IsNonNegative(arg, depth + 1); };
  if (x.type == PrimitiveType::PRED) return true;
  constexpr int kMostNested = 16;
  if (x.type != PrimitiveType::F64 || depth > kMostNested) return false;
  switch (x.kind) {
    case Expr::Kind::kIndex: return RangeOf(x.index[0]).low >= 0;
    case Expr::Kind::kSum:
      return std::all_of(x.sum.begin(), x.sum.end(), [&](const Monomial& m) {
        return m.real > 0 && std::all_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) {
                 const bool even = f.power % (2 * kOne) == 0 || std::abs(f.power) % kOne == kOne / 2;
                 return (even && TypeOf(f.base) == PrimitiveType::F64) || is(f.base);
               });
      });
    case Expr::Kind::kBind: return (x.tag == kSumOf || x.tag == kExtremeOf) && x.args.size() == 1 && is(x.args[0]);
    case Expr::Kind::kFunction:
      if (x.op == kMaximum) return std::any_of(x.args.begin(), x.args.end(), is);
      if (x.op == kMinimum) return std::all_of(x.args.begin(), x.args.end(), is);
      if (x.op == kConvert) return TypeOf(x.args[0]) == PrimitiveType::PRED || RangeOf(x.args[0]).low >= 0;
      return x.op == kExp || x.op == kAbs;
    default: return false;
  }
}

ExprId Exprs::Function(HloOpcode op, PrimitiveType type, std::vector<ExprId> args, std::vector<int64_t> data) {
  using enum HloOpcode;
  const bool real = type == PrimitiveType::F64;
  switch (op) {
    case kNot:
      if (type == PrimitiveType::PRED) return Not(args[0]);
      return Add(Integer(-1, type), args[0], -1);
    case kAnd:
      if (type == PrimitiveType::PRED) {
        ExprId all = args[0];
        for (size_t k = 1; k < args.size(); ++k) all = And(all, args[k]);
        return all;
      }
      break;
    case kOr:
      if (type == PrimitiveType::PRED) return Or(args[0], args[1]);
      break;
    case kXor:
      if (type == PrimitiveType::PRED) return Compare(static_cast<int>(ComparisonDirection::kNe), args[0], args[1]);
      break;
    case kCompare: return Compare(static_cast<int>(data[0]), args[0], args[1]);
    case kConvert:
      if (!data.empty()) return Convert(args[0], TypeOf(args[0]), type);
      break;
    case kSqrt:
      if (real) return Power(args[0], kOne / 2);
      break;
    case kRsqrt:
      if (real) return Power(args[0], -kOne / 2);
      break;
    case kLogistic:
      if (real) return Power(Add(Real(1), Function(kExp, type, {Add(Real(0), args[0], -1)})), -kOne);
      break;
    case kExp: {
      if (!real) break;
      if (NumberOf(args[0]) == std::optional<double>(-INFINITY)) return Real(0);
      // The exponential of a logarithm, whose argument is not negative.
      ExprId inside = args[0];
      if (const ExprId opened = Opened(inside); opened >= 0) inside = opened;
      if (const Expr& x = At(inside); x.kind == Expr::Kind::kFunction && x.op == kLog && TypeOf(x.args[0]) == type) {
        Uses(kRounds | Use::kDomain);
        return x.args[0];
      }
      break;
    }
    case kExpm1:
      if (real) {
        Uses(kCancels);
        return Add(Function(kExp, type, {args[0]}), Real(-1));
      }
      break;
    case kLog:
      if (const Expr& x = At(args[0]); real && x.kind == Expr::Kind::kFunction && x.op == kExp) {
        Uses(kRounds | kFiniteOnly);
        return x.args[0];
      }
      break;
    case kLog1p:
      if (real) {
        Uses(kCancels);
        return Function(kLog, type, {Add(Real(1), args[0])});
      }
      break;
    case kPower: {
      const std::optional<DoubleDouble> power = real ? RealOf(args[1]) : std::nullopt;
      if (power && *power != std::floor(power->high)) Uses(kFiniteOnly);  // sqrt(-inf) is NaN, pow(-inf, 0.5) inf
      if (power && Abs(*power) <= 16) {
        const DoubleDouble twelfths = *power * kOne;
        if (twelfths == std::floor(twelfths.high)) return Power(args[0], static_cast<int32_t>(twelfths.high));
      }
      const std::optional<int64_t> whole = IsInteger(type) ? IntegerOf(args[1]) : std::nullopt;
      if (whole && *whole >= 0 && *whole <= 4) {
        ExprId product = Integer(1, type);
        for (int64_t k = 0; k < *whole; ++k) product = Multiply(product, args[0]);
        return product;
      }
      break;
    }
    case kDivide:
      if (IsRealOrComplex(type)) {
        const ExprId inverse = Power(args[1], -kOne);
        return Multiply(args[0], inverse);
      }
      if (const auto by = IntegerOf(args[1])) {
        if (*by == 1) return args[0];
        std::optional<Index> index = AsIndex(args[0]);
        if (index && *by > 0 && RangeOf(*index).low >= 0) return IndexValue(Div(*index, *by), type);
        // Division of a non-negative integer by a power of 2 is a shift.
        if (*by > 1 && (*by & (*by - 1)) == 0 && (IsUnsigned(type) || RangeOf(args[0]).low >= 0))
          return Function(kShiftRightLogical, type,
                          {args[0], Integer(__builtin_ctzll(static_cast<uint64_t>(*by)), type)});
      }
      break;
    case kRemainder:
      if (const auto by = IsInteger(type) ? IntegerOf(args[1]) : std::nullopt) {
        std::optional<Index> index = AsIndex(args[0]);
        if (index && *by > 0 && RangeOf(*index).low >= 0) return IndexValue(Mod(*index, *by), type);
        if (*by == 1) return Integer(0, type);
        if (*by > 1 && (*by & (*by - 1)) == 0 && (IsUnsigned(type) || RangeOf(args[0]).low >= 0))
          return Function(kAnd, type, {args[0], Integer(*by - 1, type)});
      }
      break;
    case kAbs:
      if (const auto value = real ? RealOf(args[0]) : std::nullopt) return Real(Abs(*value));
      if (const Expr& x = At(args[0]); x.kind == Expr::Kind::kFunction && x.op == kAbs) return args[0];
      if (real && IsNonNegative(args[0])) {
        if (At(args[0]).kind != Expr::Kind::kIndex) Uses(kRounds);  // the sign of zero is lost
        return args[0];
      }
      if (real && TypeOf(args[0]) == PrimitiveType::F64) {
        // |-x| is |x|: takes the operand with the smaller id.
        const ExprId negative = Add(Real(0), args[0], -1);
        args[0] = std::min(args[0], negative);
      }
      break;
    case kMaximum:
    case kMinimum: {
      if (type == PrimitiveType::PRED) return op == kMaximum ? Or(args[0], args[1]) : And(args[0], args[1]);
      std::vector<ExprId> parts;
      for (ExprId arg : args) {
        const Expr& x = At(arg);
        if (x.kind == Expr::Kind::kFunction && x.op == op) parts.insert(parts.end(), x.args.begin(), x.args.end());
        else parts.push_back(arg);
      }
      while (JoinPrefixes(parts)) continue;
      std::sort(parts.begin(), parts.end());
      parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
      // Removes the identity of the operation.
      const ExprId infinity = real ? Real(op == kMaximum ? -INFINITY : INFINITY) : -1;
      if (parts.size() > 1 && real) std::erase(parts, infinity);
      std::optional<int64_t> bound;
      std::optional<DoubleDouble> real_bound;
      std::vector<ExprId> rest;
      for (ExprId part : parts) {
        if (const auto value = IntegerOf(part); value && (!IsUnsigned(type) || BitWidth(type) < 64)) {
          bound = bound ? (op == kMaximum ? std::max(*bound, *value) : std::min(*bound, *value)) : *value;
        } else if (const auto value = real ? RealOf(part) : std::nullopt) {
          real_bound =
              real_bound ? (op == kMaximum ? std::max(*real_bound, *value) : std::min(*real_bound, *value)) : *value;
        } else {
          rest.push_back(part);
        }
      }
      // The value's range decides the extreme.
      if (bound && rest.size() == 1) {
        const Range range = RangeOf(rest[0]);
        const bool above = range.low >= *bound && range.low > -kUnbounded;
        const bool below = range.high <= *bound && range.high < kUnbounded;
        if (op == kMaximum ? above : below) return rest[0];
        if (op == kMaximum ? below : above) return Integer(*bound, type);
      }
      if (bound) rest.push_back(Integer(*bound, type));
      if (real_bound) rest.push_back(Real(*real_bound));
      std::sort(rest.begin(), rest.end());
      if (rest.size() == 1) return rest[0];
      args = std::move(rest);
      break;
    }
    case kReducePrecision: {
      // Rounding to a narrow type: exact if the type represents the value; a constant is rounded.
      if (data.size() != 2 || data[0] >= 0) break;
      const PrimitiveType to = static_cast<PrimitiveType>(data[1]);
      if (IsNarrow(args[0], to)) return args[0];
      if (const Expr& inner = At(args[0]); inner.kind == Expr::Kind::kFunction && inner.op == kReducePrecision &&
                                           inner.data.size() == 2 && inner.data[0] == -2 && data[0] == -1) {
        // Rounding to 16 bits before rounding to 8 or fewer.
        Uses(kRounds);
        return Function(op, type, inner.args, data);
      }
      if (const auto value = RealOf(args[0])) {
        Literal scalar(Shape::Scalar(to));
        scalar.SetFromDouble(0, value->high);
        return Real(scalar.GetAsDouble(0));
      }
      break;
    }
    case kComplex: return Complex(args[0], args[1]);
    case kReal:
    case kImag:
      if (TypeOf(args[0]) == PrimitiveType::F64) return op == kReal ? args[0] : Real(0);
      return PartOf(args[0], op == kReal);
    case kBitcastConvert: {
      // The bits of a constant.
      const PrimitiveType from = static_cast<PrimitiveType>(data[0]), to = static_cast<PrimitiveType>(data[1]);
      const std::optional<double> value = IsFloat(from) ? NumberOf(args[0]) : std::nullopt;
      const std::optional<int64_t> integer = IsInteger(from) ? IntegerOf(args[0]) : std::nullopt;
      if (!value && !integer) break;
      Literal scalar(Shape::Scalar(from)), bits(Shape::Scalar(to));
      if (value) scalar.SetFromDouble(0, *value);
      else scalar.SetFromInt64(0, *integer);
      if (scalar.size_bytes() != bits.size_bytes() || to == PrimitiveType::PRED) break;
      std::copy_n(scalar.untyped_data(), scalar.size_bytes(), bits.untyped_data());
      return Constant(bits, 0);
    }
    case kShiftLeft:
      if (const auto by = IntegerOf(args[1]); by && *by >= 0 && *by < BitWidth(type))
        return Multiply(args[0], Integer(static_cast<int64_t>(uint64_t{1} << *by), type));
      break;
    default: break;
  }
  if ((op == kAnd || op == kShiftRightLogical) && IsInteger(type)) {
    // The low or the high bits of an index.
    for (size_t k : {size_t{0}, size_t{1}}) {
      const auto number = IntegerOf(args[k]);
      const std::optional<Index> index = number ? AsIndex(args[1 - k]) : std::nullopt;
      if (!index || RangeOf(*index).low < 0 || index->terms.empty()) continue;
      if (op == kAnd && *number > 0 && *number < (int64_t{1} << 30) && (*number & (*number + 1)) == 0)
        return IndexValue(Mod(*index, *number + 1), type);
      if (op == kShiftRightLogical && k == 1 && *number > 0 && *number < 30)
        return IndexValue(Div(*index, int64_t{1} << *number), type);
    }
  }
  if (op == kSign && IsInteger(type)) {
    if (const auto value = IntegerOf(args[0]))
      return Integer(*value > 0 || (IsUnsigned(type) && *value != 0) ? 1 : *value < 0 ? -1 : 0, type);
  }
  // Integer constants.
  if (IsInteger(type) && args.size() == 2 && !(op == kMaximum || op == kMinimum)) {
    const auto a = IntegerOf(args[0]), b = IntegerOf(args[1]);
    if (a && b && TypeOf(args[0]) == type) {
      const int width = BitWidth(type);
      const uint64_t x = static_cast<uint64_t>(*a), y = static_cast<uint64_t>(*b);
      const uint64_t low = width < 64 ? x & ((uint64_t{1} << width) - 1) : x;
      switch (op) {
        case kAnd: return Integer(static_cast<int64_t>(x & y), type);
        case kOr: return Integer(static_cast<int64_t>(x | y), type);
        case kXor: return Integer(static_cast<int64_t>(x ^ y), type);
        case kShiftRightLogical:
          return Integer(y < static_cast<uint64_t>(width) ? static_cast<int64_t>(low >> y) : 0, type);
        case kDivide:
          // Division by zero gives all ones; on overflow the quotient is the dividend.
          if (*b == 0) return Integer(-1, type);
          if (*b == -1 && !IsUnsigned(type)) return Integer(static_cast<int64_t>(uint64_t{0} - x), type);
          return Integer(IsUnsigned(type) ? static_cast<int64_t>(x / y) : *a / *b, type);
        case kRemainder:
          if (*b == 0) return args[0];
          if (*b == -1 && !IsUnsigned(type)) return Integer(0, type);
          return Integer(IsUnsigned(type) ? static_cast<int64_t>(x % y) : *a % *b, type);
        default: break;
      }
    }
  }
  if (real && args.size() == 1) {
    if (const auto x = RealOf(args[0])) {
      if (const auto value = Known(op, *x)) return Real(*value);
      if (const double nearly = Nearly(op, x->high); std::isfinite(nearly)) {
        Expr e;
        e.kind = Expr::Kind::kFunction;
        e.type = type;
        e.op = op;
        e.args = args;
        return StandIn(Make(std::move(e)), Folded(nearly));
      }
    }
  }
  if (op == kOr && type == PrimitiveType::U64 && args.size() == 2) {
    if (const ExprId whole = JoinedHalves(args[0], args[1]); whole >= 0) return whole;
  }
  if (OpcodeInfo info = GetOpcodeInfo(op); (info.traits & kCommutative) != 0 && args.size() >= 2)
    std::sort(args.begin(), args.end());
  if ((op == kAnd || op == kOr) && args.size() == 2) {
    if (args[0] == args[1]) return args[0];
    for (size_t k : {size_t{0}, size_t{1}}) {
      const auto value = IntegerOf(args[k]);
      if (!value) continue;
      const int64_t ones = *IntegerOf(Integer(-1, type));
      if (*value == 0) return op == kAnd ? args[k] : args[1 - k];
      if (*value == ones) return op == kAnd ? args[1 - k] : args[k];
    }
  }
  if (op == kXor && args.size() == 2 && args[0] == args[1]) return Integer(0, type);
  if ((op == kShiftRightLogical || op == kShiftRightArithmetic) && IntegerOf(args[1]) == std::optional<int64_t>(0))
    return args[0];
  Expr e;
  e.kind = Expr::Kind::kFunction;
  e.type = type;
  e.op = op;
  e.data = std::move(data);
  e.args = std::move(args);
  return Make(std::move(e));
}

}  // namespace hloir::equivalence::inside
