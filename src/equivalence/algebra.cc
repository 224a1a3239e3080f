// Sums and products: over the reals, over integers modulo 2^n; conditions as factors. See expr.h.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "equivalence/expr.h"
#include "hloir/attributes.h"

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostProducts = 64;
constexpr size_t kMostMerged = 96;  // monomials among which complementary conditions are merged

bool IsPred(PrimitiveType type) { return type == PrimitiveType::PRED; }

// The product modulo 2^64.
int64_t WrappedProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

// ---- Monomials ----

// The factor that is extracted from a sum before the sum becomes a factor itself, so that sums that differ by a
// constant multiple share one expression.
DoubleDouble Exprs::LeadOf(const Polynomial& p) {
  // The hashes ignore variable names, so that renaming variables keeps the choice.
  DoubleDouble lead = 1;
  std::optional<uint64_t> best;
  for (const Monomial& m : p) {
    uint64_t key = 1;
    for (const Factor& f : m.factors) key += MixHash(HashOf(f.base), static_cast<uint64_t>(f.power));
    if (m.factors.empty()) key = std::numeric_limits<uint64_t>::max();
    if (!best || key < *best) best = key, lead = m.real;
  }
  return lead;
}

// Extracts the sign of sums to whole powers: (b - a)^-1 is -(a - b)^-1. Returns whether a sign was extracted.
bool Exprs::TakeSigns(Monomial& m) {
  bool changed = false;
  for (Factor& f : m.factors) {
    const Expr& x = At(f.base);
    if (x.kind != Expr::Kind::kSum || x.sum.size() < 2 || x.type != PrimitiveType::F64 || f.power % kOne != 0) continue;
    const auto [minus, is_new] = is_led_by_minus_.try_emplace(f.base);
    if (is_new) minus->second = !(LeadOf(x.sum) > 0);
    if (!minus->second) continue;
    Polynomial negated = x.sum;
    for (Monomial& part : negated) part.real = -part.real;
    f.base = Sum(std::move(negated), PrimitiveType::F64);
    if (f.power / kOne % 2 != 0) m.real = -m.real;
    changed = true;
  }
  return changed;
}

bool Exprs::Tidy(Monomial& m, PrimitiveType type) {
  if (std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) { return IsPred(TypeOf(f.base)); })) {
    if (!TidyGuards(m) || (UseMasks(m) && !TidyGuards(m)) || (UseEqualities(m) && !TidyGuards(m)) ||
        (UseBoundsOfWindows(m) && !TidyGuards(m)))
      return false;
  }
  std::sort(m.factors.begin(), m.factors.end());
  std::vector<Factor> factors;
  for (const Factor& f : m.factors) {
    if (!factors.empty() && factors.back().base == f.base) {
      if (IsPred(TypeOf(f.base))) continue;
      // x / x is NaN where x is 0 or infinite, and the square of a root where x is negative.
      if ((factors.back().power < 0) != (f.power < 0)) Uses(kFiniteOnly | kRounds);
      if (f.power % kOne != 0 || factors.back().power % kOne != 0) Uses(kDomain | kRounds);
      factors.back().power += f.power;
      if (factors.back().power == 0) factors.pop_back();
    } else {
      factors.push_back(f);
    }
  }
  m.factors = std::move(factors);
  if (IsInteger(type)) {
    m.integer = Wrapped(m.integer, type);
    m.real = 0;
    return m.integer != 0;
  }
  if (TakeSigns(m) || (type == PrimitiveType::C128 && TakeUnits(m))) return Tidy(m, type);
  m.integer = 0;
  if (!IsFinite(m.real)) Refuse("a product of constants beyond the range of f64");
  m.real = Coefficient(m.real);
  return m.real != 0;
}

Monomial Exprs::Times(const Monomial& a, const Monomial& b, PrimitiveType type) {
  Monomial m;
  if (IsInteger(type)) m.integer = WrappedProduct(a.integer, b.integer);
  else m.real = Coefficient(a.real * b.real, Folded(Folded(a.real) * Folded(b.real)));
  // Smaller products are denormal and lose digits.
  if (!IsInteger(type) && !(a.real == 0) && !(b.real == 0) && Abs(m.real) < std::numeric_limits<double>::min())
    Refuse("a product of constants beyond the range of f64");
  m.factors = a.factors;
  m.factors.insert(m.factors.end(), b.factors.begin(), b.factors.end());
  return m;
}

// Multiplies out factors that are sums to whole powers, while the result stays small.
Polynomial Exprs::Expanded(Monomial m, PrimitiveType type) {
  if (!Tidy(m, type)) return {};
  // [not c] becomes 1 - [c] while there are few conditions; bounds of variables stay.
  constexpr size_t kMostConditions = 5;
  const size_t conditions = static_cast<size_t>(std::count_if(m.factors.begin(), m.factors.end(), [&](const Factor& f) {
    return IsPred(TypeOf(f.base)) && !IsPlainGuard(f.base);
  }));
  for (size_t i = 0; i < m.factors.size() && conditions <= kMostConditions; ++i) {
    const Expr& x = At(m.factors[i].base);
    ExprId positive = -1;
    if (x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kNot && IsPred(x.type)) {
      positive = x.args[0];
    } else if (x.kind == Expr::Kind::kGuard && x.tag == 0 && !IsPlainGuard(m.factors[i].base) && !BoundsTile(m, x)) {
      for (const auto& [term, factor] : x.index[0].terms) {
        if (TermAt(term).kind != IndexTerm::Kind::kValue) continue;
        if (factor < 0) positive = Not(m.factors[i].base);
        break;
      }
    }
    if (positive < 0) continue;
    Monomial without = m, with = m;
    without.factors.erase(without.factors.begin() + static_cast<std::ptrdiff_t>(i));
    with.factors[i] = {positive, kOne};
    with.real = -with.real;
    with.integer = Wrapped(WrappedProduct(with.integer, -1), IsInteger(type) ? type : PrimitiveType::S64);
    Polynomial out = Expanded(std::move(without), type), more = Expanded(std::move(with), type);
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  for (size_t i = 0; i < m.factors.size(); ++i) {
    const Factor f = m.factors[i];
    const Expr& x = At(f.base);
    if (opens_tables_ && x.kind == Expr::Kind::kGuard) {
      // A bound of an index that a table tells holds at some of its places.
      const std::vector<Place> places = PlacesOf(x.index, false);
      if (places.empty()) continue;
      Polynomial out;
      m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(i));
      for (const Place& place : places) {
        Monomial here = Here(place);
        here.factors.push_back({Substitute(f.base, place), kOne});
        if (!Tidy(here, type)) continue;
        Polynomial part = Expanded(Times(m, here, type), type);
        out.insert(out.end(), part.begin(), part.end());
      }
      return out;
    }
    if (x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kAbs && x.type == PrimitiveType::F64 &&
        TypeOf(x.args[0]) == PrimitiveType::F64 && f.power % (2 * kOne) == 0) {
      // |x|^2 is x^2.
      const ExprId inside = x.args[0];
      m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(i));
      return Product({m}, PolynomialOf(Power(inside, f.power)), type);
    }
    if (x.kind != Expr::Kind::kSum || IsPred(x.type) || f.power < kOne || f.power % kOne != 0) continue;
    const bool alone = m.factors.size() == 1 && f.power == kOne;
    if (!alone && (f.power > 3 * kOne || x.sum.size() > 8)) continue;
    const Polynomial inside = x.sum;
    m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(i));
    if (f.power > kOne) m.factors.insert(m.factors.begin() + static_cast<std::ptrdiff_t>(i), {f.base, f.power - kOne});
    Polynomial out;
    for (const Monomial& other : inside) {
      Polynomial part = Expanded(Times(m, other, type), type);
      out.insert(out.end(), part.begin(), part.end());
      if (Spent()) return out;
    }
    return out;
  }
  return {std::move(m)};
}

Polynomial Exprs::Product(const Polynomial& a, const Polynomial& b, PrimitiveType type) {
  if (a.size() > 1 && b.size() > 1 && a.size() * b.size() > kMostProducts) {
    // The product is too large to be multiplied out: the larger sum stays a factor.
    const Polynomial &large = a.size() >= b.size() ? a : b, &small = a.size() >= b.size() ? b : a;
    Monomial m;
    m.real = 1, m.integer = 1;
    m.factors = {{Sum(large, type), kOne}};
    Polynomial out;
    for (const Monomial& other : small) {
      Monomial product = Times(m, other, type);
      if (Tidy(product, type)) out.push_back(std::move(product));
    }
    return out;
  }
  // (x + y) z may be finite where x z is not.
  if (!IsInteger(type) && (a.size() > 1 || b.size() > 1)) Uses(kRounds | kFiniteOnly);
  Polynomial out;
  for (const Monomial& x : a) {
    for (const Monomial& y : b) {
      Polynomial part = Expanded(Times(x, y, type), type);
      out.insert(out.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
      if (Spent()) return out;
    }
  }
  return out;
}

void Exprs::SortSum(Polynomial& p, PrimitiveType type) {
  // Integers have no real coefficient, and equal coefficients must compare equal, so both parts are normalized.
  if (IsInteger(type)) {
    for (Monomial& m : p) m.real = 0, m.integer = Wrapped(m.integer, type);
  }
  std::sort(p.begin(), p.end(), [](const Monomial& a, const Monomial& b) { return a.factors < b.factors; });
  Polynomial out;
  for (Monomial& m : p) {
    if (!out.empty() && out.back().factors == m.factors) {
      if (IsInteger(type)) {
        out.back().integer = Wrapped(
            static_cast<int64_t>(static_cast<uint64_t>(out.back().integer) + static_cast<uint64_t>(m.integer)), type);
      } else {
        constexpr double kGone = 0x1p-90;  // of a difference: DoubleDouble's rounding error
        const DoubleDouble a = out.back().real, sum = a + m.real;
        const bool gone = Abs(sum) <= Abs(a) * kGone;
        if (gone && !m.factors.empty() &&
            std::none_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) { return IsPred(TypeOf(f.base)); }))
          Uses(kFiniteOnly);
        out.back().real = gone ? DoubleDouble(0) : Coefficient(sum);
      }
    } else {
      out.push_back(std::move(m));
    }
    if (out.back().integer == 0 && out.back().real == 0) out.pop_back();
  }
  p = std::move(out);
}

// f (x div a mod m) + f m (x div a m) is f (x div a), as in a sum of indices, also where f is a product. Returns
// whether two were joined.
bool Exprs::JoinDigits(Polynomial& p, PrimitiveType type) {
  struct Digit {
    size_t at, factor;  // of p, and of that monomial's factors
    TermId term;
  };
  std::vector<Digit> digits;
  for (size_t i = 0; i < p.size() && p.size() <= kMostMerged; ++i) {
    for (size_t k = 0; k < p[i].factors.size(); ++k) {
      const Expr& x = At(p[i].factors[k].base);
      if (x.kind != Expr::Kind::kIndex || p[i].factors[k].power != kOne) continue;
      const TermId term = x.index[0].terms[0].first;
      if (TermAt(term).kind == IndexTerm::Kind::kDivMod) digits.push_back({i, k, term});
    }
  }
  for (const Digit& low : digits) {
    const int64_t by = TermAt(low.term).mod;
    if (by == 0) continue;
    for (const Digit& high : digits) {
      const Monomial &a = p[low.at], &b = p[high.at];
      if (low.at == high.at || a.factors.size() != b.factors.size()) continue;
      if (IsInteger(type) ? b.integer != Wrapped(WrappedProduct(a.integer, by), type)
                          : !(b.real == a.real * static_cast<double>(by)))
        continue;
      const Index joined = Plus({0, {{low.term, 1}}}, {0, {{high.term, 1}}}, by);
      if (std::any_of(joined.terms.begin(), joined.terms.end(), [&](const auto& t) { return t.first == low.term; }))
        continue;
      // (Digits that fit may be those of a number that does not.)
      const Range range = RangeOf(joined), fits = RangeOfType(type);
      if (IsInteger(type) && (range.low < fits.low || range.high > fits.high)) continue;
      Monomial rest = a, other = b;
      rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(low.factor));
      other.factors.erase(other.factors.begin() + static_cast<std::ptrdiff_t>(high.factor));
      if (rest.factors != other.factors) continue;
      if (!IsInteger(type)) Uses(kRounds);
      const ExprId value = IndexValue(joined, TypeOf(a.factors[low.factor].base));
      p.erase(p.begin() + static_cast<std::ptrdiff_t>(std::max(low.at, high.at)));
      p.erase(p.begin() + static_cast<std::ptrdiff_t>(std::min(low.at, high.at)));
      for (Monomial& m : Product({rest}, PolynomialOf(value), type)) p.push_back(std::move(m));
      return true;
    }
  }
  return false;
}

ExprId Exprs::Sum(Polynomial p, PrimitiveType type) {
  Spent(static_cast<int64_t>(p.size()) / 4);
  SortSum(p, type);
  // f [c] + f [not c] is f, and a f + b f [c] becomes (a + b) f [c] + a f [not c].
  const auto conditional = [&](const Monomial& m) {
    return std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) { return IsPlainGuard(f.base); });
  };
  for (bool changed = true; changed && p.size() > 1 && p.size() <= kMostMerged && !Spent();) {
    changed = false;
    const auto find = [&](const Monomial& wanted) {
      const auto at = std::lower_bound(p.begin(), p.end(), wanted,
                                       [](const Monomial& a, const Monomial& b) { return a.factors < b.factors; });
      return at != p.end() && at->factors == wanted.factors ? static_cast<size_t>(at - p.begin()) : p.size();
    };
    for (size_t i = 0; i < p.size() && !changed; ++i) {
      if (!conditional(p[i])) continue;
      for (size_t k = 0; !changed && k < p[i].factors.size(); ++k) {
        const ExprId guard = p[i].factors[k].base;
        if (!IsPlainGuard(guard)) continue;
        Monomial rest = p[i], other;
        rest.factors.erase(rest.factors.begin() + static_cast<std::ptrdiff_t>(k));
        other = rest;
        other.factors.push_back({Not(guard), kOne});
        if (Tidy(other, type)) {
          const size_t j = find(other);
          if (j < p.size() && j != i && p[j].real == p[i].real && p[j].integer == p[i].integer) {
            p.erase(p.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
            p.erase(p.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
            if (Tidy(rest, type)) p.push_back(std::move(rest));
            SortSum(p, type);
            changed = true;
            break;
          }
        }
        if (!Tidy(rest, type)) continue;
        const size_t whole = find(rest);
        if (whole < p.size() && whole != i) {
          Monomial outside = p[whole];
          outside.factors = other.factors;
          Monomial inside = p[i];
          inside.real = p[whole].real, inside.integer = p[whole].integer;
          p.erase(p.begin() + static_cast<std::ptrdiff_t>(whole));
          p.push_back(std::move(inside));
          if (Tidy(outside, type)) p.push_back(std::move(outside));
          SortSum(p, type);
          changed = true;
        }
      }
    }
  }
  if (JoinDigits(p, type) || JoinPrefixes(p, type) || UseWindowsOfClamps(p, type) ||
      (opens_tables_ && p.size() <= kMostMerged && JoinPlaces(p, type)))
    return Sum(std::move(p), type);
  if (p.size() == 1 && p[0].factors.size() == 1 && p[0].factors[0].power == kOne &&
      (IsInteger(type) ? p[0].integer == 1 : p[0].real == 1)) {
    const ExprId only = p[0].factors[0].base;
    if (TypeOf(only) == type) return only;
  }
  Expr e;
  e.type = type;
  e.sum = std::move(p);
  return Make(std::move(e));
}

Polynomial Exprs::PolynomialOf(ExprId e) {
  const Expr& x = At(e);
  if (x.kind == Expr::Kind::kSum) return x.sum;
  return {{IsInteger(x.type) ? 0.0 : 1.0, IsInteger(x.type) ? 1 : 0, {{e, kOne}}}};
}

ExprId Exprs::OfMonomial(Monomial m, PrimitiveType type) { return Sum(Expanded(std::move(m), type), type); }

ExprId Exprs::Add(ExprId a, ExprId b, double factor) {
  const PrimitiveType type = TypeOf(a);
  Polynomial sum = PolynomialOf(a), more = PolynomialOf(b);
  const size_t given = sum.size();
  for (Monomial& m : more) {
    m.real = m.real * factor;
    // x - x is NaN for infinite x, also where a condition selects x. SortSum handles the other differences.
    const auto same = std::lower_bound(sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(given), m,
                                       [](const Monomial& x, const Monomial& y) { return x.factors < y.factors; });
    if (!IsInteger(type) && same != sum.begin() + static_cast<std::ptrdiff_t>(given) && same->factors == m.factors &&
        !m.factors.empty() && (same->real < 0) != (m.real < 0))
      Uses(kFiniteOnly);
    m.integer =
        Wrapped(WrappedProduct(m.integer, static_cast<int64_t>(factor)), IsInteger(type) ? type : PrimitiveType::S64);
    sum.push_back(std::move(m));
  }
  return Sum(std::move(sum), type);
}

ExprId Exprs::Multiply(ExprId a, ExprId b) {
  const PrimitiveType type = TypeOf(a);
  const Polynomial x = PolynomialOf(a), y = PolynomialOf(b);
  if (!IsInteger(type) && (x.empty() || y.empty()) && !(RealOf(a) && RealOf(b))) Uses(kFiniteOnly);
  const auto is_nonfinite = [&](ExprId e) {
    const std::optional<double> number = NumberOf(e);
    return number && !std::isfinite(*number);
  };
  // 0 times an infinite constant is NaN on every input.
  if (!IsInteger(type) && ((x.empty() && is_nonfinite(b)) || (y.empty() && is_nonfinite(a))))
    Refuse("0 times infinity");
  // 0 times infinity is NaN, while a select by the condition gives 0.
  const auto is_condition = [&](const Polynomial& p) {
    return std::any_of(p.begin(), p.end(), [&](const Monomial& m) {
      return std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) { return IsPred(TypeOf(f.base)); });
    });
  };
  if (!IsInteger(type) && (is_condition(x) || is_condition(y)) && !RealOf(a) && !RealOf(b)) Uses(kFiniteOnly);
  const ExprId product = Sum(Product(x, y, type), type);
  if (type == PrimitiveType::F64 && x.size() > 1 && y.size() > 1 && At(product).sum.size() > 1 && !is_condition(x) &&
      !is_condition(y))
    products_.try_emplace(product, a, b);
  return product;
}

ExprId Exprs::Power(ExprId a, int32_t power) {
  const PrimitiveType type = TypeOf(a);
  if (power == kOne) return a;
  if (power == 0) return Real(1);
  const Polynomial p = PolynomialOf(a);
  const bool whole = power % kOne == 0;
  if (p.empty()) {
    if (power > 0) return Real(0);
    return Unspecified(type);  // rounding errors are
  } else if (p.size() == 1) {
    Monomial m = p[0];
    if (m.real == 1 && m.factors.size() == 1 && m.factors[0].power == kOne && type == PrimitiveType::F64) {
      // exp(x)^p is exp(p x), and (x^y)^k is x^(k y).
      const Expr& inner = At(m.factors[0].base);
      const double factor = static_cast<double>(power) / kOne;
      if (inner.kind == Expr::Kind::kFunction && inner.op == HloOpcode::kExp) {
        Uses(kRounds | kFiniteOnly);
        return Function(HloOpcode::kExp, type, {Multiply(Real(factor), inner.args[0])});
      }
      if (inner.kind == Expr::Kind::kFunction && inner.op == HloOpcode::kPower && whole &&
          TypeOf(inner.args[1]) == type) {
        Uses(kRounds | kFiniteOnly | kDomain);
        return Function(HloOpcode::kPower, type, {inner.args[0], Multiply(Real(factor), inner.args[1])});
      }
    }
    if (m.factors.empty() && (whole || m.real > 0)) {
      if (!whole || power < 0) Uses(kConstants);
      return Real(inside::Power(m.real, power, kOne));
    }
    // A root of x^2 is |x|, and conditions have no inverse.
    const bool plain = std::all_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) {
      return !IsPred(TypeOf(f.base)) && (whole || (f.power % (2 * kOne) != 0 && m.factors.size() == 1 && m.real > 0));
    });
    const bool conditions =
        std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) { return IsPred(TypeOf(f.base)); });
    if (plain || (conditions && whole && power > 0)) {
      m.real = inside::Power(m.real, power, kOne);
      for (Factor& f : m.factors) {
        if (IsPred(TypeOf(f.base))) continue;
        if ((!whole && f.power != kOne) || (whole && f.power % kOne != 0)) Uses(kDomain);
        f.power = static_cast<int32_t>(static_cast<int64_t>(f.power) * power / kOne);
      }
      Uses(kRounds);
      return OfMonomial(std::move(m), type);
    }
    // (x^2)^(1/2) is |x|.
    if (m.real > 0 && type == PrimitiveType::F64 && !whole && !m.factors.empty() &&
        std::all_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) {
          return f.power % (2 * kOne) == 0 && TypeOf(f.base) == type &&
                 static_cast<int64_t>(f.power) * power % kOne == 0;
        })) {
      Uses(kRounds | kFiniteOnly);
      ExprId product = Real(inside::Power(m.real, power, kOne));
      for (const Factor& f : m.factors)
        product = Multiply(product, Power(Function(HloOpcode::kAbs, type, {f.base}),
                                          static_cast<int32_t>(static_cast<int64_t>(f.power) * power / kOne)));
      return product;
    }
    Monomial bare = m;
    bare.real = 1;
    const DoubleDouble out = whole || m.real > 0 ? inside::Power(m.real, power, kOne) : 1;
    if (!(whole || m.real > 0)) bare.real = m.real;
    Expr e;
    e.type = type;
    e.sum = {bare};
    const ExprId base = bare.real == 1 && bare.factors.size() == 1 && bare.factors[0].power == kOne
                            ? bare.factors[0].base
                            : Make(std::move(e));
    return OfMonomial({out, 0, {{base, power}}}, type);
  }
  if (power == 2 * kOne && p.size() <= 4) return Multiply(a, a);
  if (power > 0 && whole && power <= 4 * kOne && p.size() <= 4) {
    Polynomial product = p;
    for (int32_t k = kOne; k < power; k += kOne) product = Product(product, p, type);
    return Sum(std::move(product), type);
  }
  // The inverse of a product of sums is the product of their inverses, as (a / b) / c is a / (b c), and the root of a
  // square is an absolute value. What was raised to a power as a sum stays one, also while its factors are.
  if (type == PrimitiveType::F64 && (!whole || power < 0)) {
    const auto factors = std::exchange(products_.try_emplace(a, -1, -1).first->second, {-1, -1});
    const auto [x, y] = factors;
    if (x >= 0 && (whole || x == y)) {
      Uses(kRounds | kFiniteOnly);
      const ExprId result =
          whole ? Multiply(Power(x, power), Power(y, power)) : Power(Function(HloOpcode::kAbs, type, {x}), 2 * power);
      products_[a] = factors;
      return result;
    }
  }
  // Factors of all summands are extracted: if b is a sum, b / d in a / (b / d) is one with the factor 1 / d. So are
  // divisors of some: 1 / (1 + a / d) is d / (d + a).
  if (whole && !p.empty()) {
    constexpr size_t kMostCleared = 4;
    bool clears = p.size() <= kMostCleared;
    std::map<ExprId, std::pair<int32_t, size_t>> powers;  // the lowest power of a base, and how many summands have it
    for (const Monomial& m : p) {
      for (const Factor& f : m.factors) {
        auto& [lowest, count] = powers.try_emplace(f.base, f.power, 0).first->second;
        lowest = std::min(lowest, f.power);
        ++count;
        clears = clears && !IsPred(TypeOf(f.base));
      }
    }
    std::vector<Factor> common;
    for (const auto& [base, power_of] : powers) {
      const auto [lowest, count] = power_of;
      if ((count == p.size() || (clears && lowest < 0 && At(base).kind != Expr::Kind::kSum && !IsNamed(base))) &&
          lowest % kOne == 0 && !IsPred(TypeOf(base)))
        common.push_back({base, lowest});
    }
    if (!common.empty()) {
      Uses(kRounds | kFiniteOnly);
      std::vector<Factor> inverse = common, raised = common;
      for (Factor& f : inverse) f.power = -f.power;
      for (Factor& f : raised) f.power = static_cast<int32_t>(static_cast<int64_t>(f.power) * power / kOne);
      const ExprId rest = Sum(Product(p, {{1, 0, std::move(inverse)}}, type), type);
      return Multiply(OfMonomial({1, 0, std::move(raised)}, type), Power(rest, power));
    }
  }
  // The sum's leading coefficient is extracted.
  DoubleDouble lead = 1;
  ExprId base = a;
  if (!p.empty()) {
    lead = LeadOf(p);
    if (!whole) lead = Abs(lead);
    if (lead != 1) {
      Polynomial scaled = p;
      for (Monomial& m : scaled) m.real = Coefficient(m.real / lead);
      base = Sum(std::move(scaled), type);
    }
  }
  return OfMonomial({inside::Power(lead, power, kOne), 0, {{base, power}}}, type);
}

ExprId Exprs::LogOfExps(ExprId a, ExprId b) {
  const PrimitiveType type = PrimitiveType::F64;
  const auto exp = [&](ExprId e) { return Function(HloOpcode::kExp, type, {e}); };
  return Function(HloOpcode::kLog, type, {Add(exp(a), exp(b))});
}

// If x - y is NaN (x and y may be equal infinities), x + y, else max(x, y) + log(1 + exp(-|x - y|)): the logarithm of
// exp x + exp y, without overflow. -1 for any other select.
ExprId Exprs::AsLogOfExps(ExprId condition, ExprId a, ExprId b) {
  const auto is = [&](ExprId e, HloOpcode op) { return At(e).kind == Expr::Kind::kFunction && At(e).op == op; };
  if (TypeOf(a) != PrimitiveType::F64 || !is(condition, HloOpcode::kNot)) return -1;
  const ExprId equal = At(condition).args[0];
  if (!is(equal, HloOpcode::kCompare) || At(equal).args[0] != At(equal).args[1] ||
      At(equal).data[0] != static_cast<int64_t>(ComparisonDirection::kEq))
    return -1;
  const ExprId compared = At(equal).args[0];
  for (const Monomial& m : PolynomialOf(b)) {
    if (m.factors.size() != 1 || m.factors[0].power != kOne || m.real != 1) continue;
    const ExprId larger = m.factors[0].base;
    if (!is(larger, HloOpcode::kMaximum) || At(larger).args.size() != 2) continue;
    const ExprId x = At(larger).args[0], y = At(larger).args[1], less = Add(x, y, -1);
    if (a != Add(x, y) || (compared != less && compared != Add(y, x, -1))) continue;
    const ExprId size = Function(HloOpcode::kAbs, PrimitiveType::F64, {less});
    const ExprId exp = Function(HloOpcode::kExp, PrimitiveType::F64, {Add(Real(0), size, -1)});
    if (b != Add(larger, Function(HloOpcode::kLog, PrimitiveType::F64, {Add(Real(1), exp)}))) continue;
    Uses(kRounds | kFiniteOnly);
    return LogOfExps(x, y);
  }
  return -1;
}

ExprId Exprs::If(ExprId condition, ExprId a, ExprId b) {
  if (a == b) return a;
  if (const std::optional<int64_t> known = IntegerOf(condition)) return *known != 0 ? a : b;
  const PrimitiveType type = TypeOf(a);
  if (const ExprId log = AsLogOfExps(condition, a, b); log >= 0) return log;
  if (IsPred(type)) return Or(And(condition, a), And(Not(condition), b));
  if (const Expr& c = At(condition); IsInteger(type) && !IsUnsigned(type) && c.kind == Expr::Kind::kFunction &&
                                     c.op == HloOpcode::kCompare && TypeOf(c.args[0]) == type &&
                                     static_cast<ComparisonDirection>(c.data[0]) == ComparisonDirection::kLt &&
                                     IntegerOf(c.args[1]) == std::optional<int64_t>(0)) {
    // For x < 0, the low bits of |x| with the sign of x are the remainder by a power of 2, and the high bits the
    // quotient.
    const ExprId x = c.args[0];
    const Expr& part = At(b);
    if (part.kind == Expr::Kind::kFunction && part.args.size() == 2 && a == Add(Integer(0, type), b, -1) && b != x &&
        !IntegerOf(x) && part.args[0] != x && part.args[1] != x) {
      const ExprId size = If(condition, Add(Integer(0, type), x, -1), x);
      for (size_t k : {size_t{0}, size_t{1}}) {
        const auto number = IntegerOf(part.args[k]);
        if (!number || part.args[1 - k] != size) continue;
        const bool mask = part.op == HloOpcode::kAnd && *number > 0 && (*number & (*number + 1)) == 0;
        if (mask) return Function(HloOpcode::kRemainder, type, {x, Integer(*number + 1, type)});
        if (part.op == HloOpcode::kShiftRightLogical && k == 1 && *number > 0 && *number < BitWidth(type) - 1)
          return Function(HloOpcode::kDivide, type, {x, Integer(int64_t{1} << *number, type)});
      }
    }
  }
  if (type == PrimitiveType::TOKEN) return a;
  Polynomial sum;
  for (const auto& [guard, value] : {std::pair(condition, a), std::pair(Not(condition), b)}) {
    for (Monomial m : PolynomialOf(value)) {
      m.factors.push_back({guard, kOne});
      for (Monomial& part : Expanded(std::move(m), type)) sum.push_back(std::move(part));
    }
  }
  return Sum(std::move(sum), type);
}

std::optional<Index> Exprs::AsIndex(ExprId e) {
  const Expr& x = At(e);
  if (x.kind == Expr::Kind::kIndex) return x.index[0];
  const bool integer = IsInteger(x.type);
  if (x.kind != Expr::Kind::kSum || !(integer || x.type == PrimitiveType::F64)) return std::nullopt;
  constexpr int64_t kFarAway = int64_t{1} << 44;  // beyond every clipped range
  Index sum;
  for (const Monomial& m : x.sum) {
    int64_t factor = m.integer;
    if (!integer) {
      if (m.real != std::floor(m.real.high) || Abs(m.real) > 1e6) return std::nullopt;
      factor = static_cast<int64_t>(m.real.high);
    }
    if (factor > kFarAway || factor < -kFarAway) return std::nullopt;
    if (m.factors.empty()) {
      sum.constant += factor;
      continue;
    }
    if (m.factors.size() != 1 || m.factors[0].power != kOne || At(m.factors[0].base).kind != Expr::Kind::kIndex)
      return std::nullopt;
    sum = Plus(sum, At(m.factors[0].base).index[0], factor);
  }
  const Range range = RangeOf(sum);
  constexpr int64_t kWhole = int64_t{1} << 24;  // f32 represents all integers up to this one
  if (!integer && (range.low < -kWhole || range.high > kWhole)) return std::nullopt;
  if (range.low < -(int64_t{1} << 58) || range.high > int64_t{1} << 58) return std::nullopt;
  if (integer && BitWidth(x.type) < 64) {
    const int64_t high = (int64_t{1} << (BitWidth(x.type) - (IsSigned(x.type) ? 1 : 0))) - 1;
    const int64_t low = IsSigned(x.type) ? -high - 1 : 0;
    if (range.low < low || range.high > high) return std::nullopt;
  } else if (integer && IsUnsigned(x.type) && range.low < 0) {
    return std::nullopt;
  }
  return sum;
}

}  // namespace hloir::equivalence::inside
