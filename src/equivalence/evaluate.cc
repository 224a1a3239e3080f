// Evaluates constant expressions with an error bound for the arithmetic of their type, so that a folded constant is
// compared with the operations that it replaces. See expr.h.
#include <algorithm>
#include <cmath>

#include "equivalence/expr.h"
#include "hloir/attributes.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int64_t kMostElements = 1 << 14;
constexpr int64_t kMostVisits = 1 << 21;
constexpr int kMostInside = 200;

uint64_t Unsigned(PrimitiveType type, int64_t value) {
  const int width = BitWidth(type);
  return width >= 64 ? static_cast<uint64_t>(value) : static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1);
}

// Evaluates real numbers and integers; the result is empty if the error bound leaves it undecided.
struct Evaluation {
  struct Number {
    double value = 0, error = 0;
    int64_t integer = 0;  // integers are sign-extended, unsigned ones too; conditions are 0 or 1
  };
  using Known = std::optional<Number>;

  Exprs& x;
  double unit;
  int64_t visits = 0;
  std::unordered_map<VarId, int64_t> at = {};

  Known Real(double value, double error) const {
    if (!std::isfinite(value) || !std::isfinite(error)) return std::nullopt;
    return Number{value, error, 0};
  }
  Known Rounded(double value, double error) const { return Real(value, error + unit * std::fabs(value)); }

  std::optional<int64_t> Of(const Index& index, int depth) {
    int64_t sum = index.constant;
    for (const auto& [term, factor] : index.terms) {
      const IndexTerm t = x.TermAt(term);
      std::optional<int64_t> value;
      if (t.kind == IndexTerm::Kind::kVar) {
        const auto found = at.find(t.var);
        if (found == at.end()) return std::nullopt;
        value = found->second;
      } else if (t.kind == IndexTerm::Kind::kDivMod) {
        value = Of(t.inner, depth + 1);
        if (!value) return std::nullopt;
        const auto floor_div = [](int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); };
        *value = floor_div(*value, t.div);
        if (t.mod != 0) *value -= floor_div(*value, t.mod) * t.mod;
      } else if (const Known known = Of(t.value, depth + 1)) {
        const PrimitiveType type = x.TypeOf(t.value);
        value = IsUnsigned(type) ? static_cast<int64_t>(Unsigned(type, known->integer)) : known->integer;
      }
      if (!value) return std::nullopt;
      sum += *value * factor;
    }
    return sum;
  }

  Known Of(ExprId e, int depth) {
    if (depth > kMostInside || ++visits > kMostVisits) return std::nullopt;
    const Expr& expr = x.At(e);
    switch (expr.kind) {
      case Expr::Kind::kSum: return OfSum(expr, depth);
      case Expr::Kind::kLeaf: return OfLeaf(expr, depth);
      case Expr::Kind::kIndex: {
        const std::optional<int64_t> index = Of(expr.index[0], depth);
        if (!index) return std::nullopt;
        if (IsInteger(expr.type)) return Number{0, 0, Wrapped(*index, expr.type)};
        return Real(static_cast<double>(*index), 0);
      }
      case Expr::Kind::kGuard: {
        const std::optional<int64_t> index = Of(expr.index[0], depth);
        if (!index) return std::nullopt;
        return Number{0, 0, expr.tag == 1 ? *index == 0 : *index >= 0};
      }
      case Expr::Kind::kFunction: return OfFunction(expr, depth);
      case Expr::Kind::kBind: return OfBind(expr, depth);
    }
    return std::nullopt;
  }

  Known OfSum(const Expr& expr, int depth) {
    if (!IsInteger(expr.type) && expr.type != PrimitiveType::F64) return std::nullopt;
    uint64_t integers = 0;
    double sum = 0, size = 0, error = 0;
    for (const Monomial& m : expr.sum) {
      uint64_t integer = static_cast<uint64_t>(m.integer);
      Known product = Real(m.real.high, 0);
      bool first = m.real == 1, none = false;
      for (const Factor& f : m.factors) {
        const Known base = Of(f.base, depth + 1);
        if (!base) return std::nullopt;
        if (x.TypeOf(f.base) == PrimitiveType::PRED) {
          none = none || base->integer == 0;
        } else if (IsInteger(expr.type)) {
          for (int32_t k = 0; k < f.power; k += kOne) integer *= static_cast<uint64_t>(base->integer);
        } else {
          Known power = base;
          if (f.power != kOne) {
            const double exponent = static_cast<double>(f.power) / kOne, value = std::pow(base->value, exponent);
            if (base->value == 0 && f.power < 0) return std::nullopt;
            power = Rounded(value,
                            base->value == 0 ? base->error : std::fabs(exponent * value / base->value) * base->error);
          }
          if (!power) return std::nullopt;
          const double value = product->value * power->value;
          const double off = std::fabs(product->value) * power->error + std::fabs(power->value) * product->error +
                             product->error * power->error;
          product = first ? power : Rounded(value, off);
          if (!product) return std::nullopt;
          first = false;
        }
      }
      if (none) continue;
      integers += integer;
      sum += product->value, size += std::fabs(product->value), error += product->error;
    }
    if (IsInteger(expr.type)) return Number{0, 0, Wrapped(static_cast<int64_t>(integers), expr.type)};
    return Real(sum, error + (expr.sum.size() > 1 ? unit * size : 0));
  }

  Known OfLeaf(const Expr& expr, int depth) {
    const Leaf& leaf = x.LeafAt(expr.tag);
    std::vector<int64_t> index;
    for (size_t d = 0; d < expr.index.size(); ++d) {
      const std::optional<int64_t> one = Of(expr.index[d], depth);
      if (!one) return std::nullopt;
      // A read out of bounds has no defined value.
      if (*one < 0 || *one >= leaf.sizes[d]) return Number{};
      index.push_back(*one);
    }
    if (leaf.literal != nullptr) {
      int64_t element = 0;
      for (size_t d = 0; d < index.size(); ++d) element = element * leaf.sizes[d] + index[d];
      const PrimitiveType type = leaf.literal->shape().element_type();
      if (IsComplex(type)) return std::nullopt;
      if (!IsFloat(type))
        return Number{
            0, 0, Wrapped(leaf.literal->GetAsInt64(element), type == PrimitiveType::PRED ? PrimitiveType::S32 : type)};
      return Real(leaf.literal->GetAsDouble(element), 0);
    }
    if (leaf.value < 0) return std::nullopt;
    std::unordered_map<VarId, int64_t> inside;
    for (size_t d = 0; d < index.size(); ++d) inside[x.Dimension(static_cast<int32_t>(d), leaf.sizes[d])] = index[d];
    std::swap(at, inside);
    const Known value = Of(leaf.value, depth + 1);
    std::swap(at, inside);
    return value;
  }

  Known OfFunction(const Expr& expr, int depth) {
    using enum HloOpcode;
    std::vector<Number> a;
    for (ExprId arg : expr.args) {
      const Known one = Of(arg, depth + 1);
      if (!one) return std::nullopt;
      a.push_back(*one);
    }
    if (a.empty()) return std::nullopt;
    const PrimitiveType from = x.TypeOf(expr.args[0]), type = expr.type;
    if (type == PrimitiveType::PRED) {
      switch (expr.op) {
        case kNot: return Number{0, 0, a[0].integer == 0};
        case kAnd: return Number{0, 0, std::all_of(a.begin(), a.end(), [](const Number& n) { return n.integer != 0; })};
        case kCompare: {
          double less = 0;  // sign of a - b
          if (IsInteger(from)) {
            const bool is = IsUnsigned(from) ? Unsigned(from, a[0].integer) < Unsigned(from, a[1].integer)
                                             : a[0].integer < a[1].integer;
            less = is ? -1 : a[0].integer == a[1].integer ? 0 : 1;
          } else {
            less = a[0].value - a[1].value;
            const double error = a[0].error + a[1].error;
            if (error > 0 && std::fabs(less) <= 4 * error) return std::nullopt;
          }
          switch (static_cast<ComparisonDirection>(expr.data[0])) {
            case ComparisonDirection::kLt: return Number{0, 0, less < 0};
            case ComparisonDirection::kLe: return Number{0, 0, less <= 0};
            case ComparisonDirection::kEq: return Number{0, 0, less == 0};
            default: return std::nullopt;
          }
        }
        default: return std::nullopt;
      }
    }
    if (IsInteger(type)) return OfInteger(expr, from, a);
    if (type != PrimitiveType::F64) return std::nullopt;
    const double v = a[0].value, e = a[0].error;
    switch (expr.op) {
      case kConvert:
        if (from == PrimitiveType::PRED) return Real(static_cast<double>(a[0].integer), 0);
        if (!IsInteger(from)) return std::nullopt;
        return Rounded(
            IsUnsigned(from) ? static_cast<double>(Unsigned(from, a[0].integer)) : static_cast<double>(a[0].integer),
            0);
      case kMaximum:
      case kMinimum: {
        Number best = a[0];
        for (const Number& n : a) {
          best.value = expr.op == kMaximum ? std::max(best.value, n.value) : std::min(best.value, n.value);
          best.error = std::max(best.error, n.error);
        }
        return best;
      }
      case kAbs: return Real(std::fabs(v), e);
      case kExp: return Rounded(std::exp(v), std::exp(v) * e);
      case kLog: return v > 0 ? Rounded(std::log(v), e / v) : std::nullopt;
      case kSin: return Rounded(std::sin(v), e);
      case kCos: return Rounded(std::cos(v), e);
      case kTanh: return Rounded(std::tanh(v), e);
      case kErf: return Rounded(std::erf(v), 1.2 * e);
      case kFloor: return std::floor(v - e) == std::floor(v + e) ? Real(std::floor(v), 0) : std::nullopt;
      case kCeil: return std::ceil(v - e) == std::ceil(v + e) ? Real(std::ceil(v), 0) : std::nullopt;
      default: return std::nullopt;
    }
  }

  Known OfInteger(const Expr& expr, PrimitiveType from, const std::vector<Number>& a) {
    using enum HloOpcode;
    const PrimitiveType type = expr.type;
    const auto number = [&](uint64_t value) { return Number{0, 0, Wrapped(static_cast<int64_t>(value), type)}; };
    const auto as = [&](const Number& n) { return static_cast<uint64_t>(n.integer); };
    if (expr.op == kConvert) {
      if (from == PrimitiveType::PRED) return number(as(a[0]));
      if (IsInteger(from)) return number(IsUnsigned(from) ? Unsigned(from, a[0].integer) : as(a[0]));
      const double v = a[0].value, e = a[0].error;
      if (from != PrimitiveType::F64 || std::fabs(v) >= 1e9 || std::trunc(v - e) != std::trunc(v + e))
        return std::nullopt;
      if (v < 0 && IsUnsigned(type)) return std::nullopt;
      return number(static_cast<uint64_t>(static_cast<int64_t>(std::trunc(v))));
    }
    if (!IsInteger(from)) return std::nullopt;
    const auto less = [&](const Number& p, const Number& q) {
      return IsUnsigned(type) ? Unsigned(type, p.integer) < Unsigned(type, q.integer) : p.integer < q.integer;
    };
    if (expr.op == kMaximum || expr.op == kMinimum) {
      Number best = a[0];
      for (const Number& n : a) {
        if (expr.op == kMaximum ? less(best, n) : less(n, best)) best = n;
      }
      return best;
    }
    if (a.size() == 1 && expr.op == kAbs) return number(a[0].integer < 0 ? uint64_t{0} - as(a[0]) : as(a[0]));
    if (a.size() != 2) return std::nullopt;
    const uint64_t p = Unsigned(type, a[0].integer), q = Unsigned(type, a[1].integer);
    const uint64_t width = static_cast<uint64_t>(BitWidth(type));
    switch (expr.op) {
      case kAnd: return number(p & q);
      case kOr: return number(p | q);
      case kXor: return number(p ^ q);
      case kShiftLeft: return number(q < width ? p << q : 0);
      case kShiftRightLogical: return number(q < width ? p >> q : 0);
      case kDivide:
        if (q == 0 || a[1].integer == -1) return std::nullopt;
        return number(IsUnsigned(type) ? p / q : static_cast<uint64_t>(a[0].integer / a[1].integer));
      case kRemainder:
        if (q == 0 || a[1].integer == -1) return std::nullopt;
        return number(IsUnsigned(type) ? p % q : static_cast<uint64_t>(a[0].integer % a[1].integer));
      default: return std::nullopt;
    }
  }

  Known OfBind(const Expr& expr, int depth) {
    if ((expr.tag != kSumOf && expr.tag != kExtremeOf) || expr.op == HloOpcode::kMultiply) return std::nullopt;
    const std::vector<VarId> bound = expr.bound;
    const std::vector<ExprId> args = expr.args;
    const PrimitiveType type = expr.type;
    const HloOpcode op = expr.op;
    int64_t count = 1;
    for (VarId v : bound) count = std::min(count * x.VariableAt(v).size, kMostVisits + 1);
    uint64_t integers = 0;
    double sum = 0, size = 0, error = 0;
    Known best;
    for (int64_t k = 0; k < count; ++k) {
      int64_t rest = k;
      for (VarId v : bound) {
        at[v] = rest % x.VariableAt(v).size;
        rest /= x.VariableAt(v).size;
      }
      if (args.size() > 1) {
        const Known mask = Of(args[1], depth + 1);
        if (!mask) return std::nullopt;
        if (mask->integer == 0) continue;
      }
      const Known one = Of(args[0], depth + 1);
      if (!one) return std::nullopt;
      integers += static_cast<uint64_t>(one->integer);
      sum += one->value, size += std::fabs(one->value), error += one->error;
      const bool larger = !best || (IsInteger(type) ? one->integer > best->integer : one->value > best->value);
      if (!best || (op == HloOpcode::kMaximum) == larger) best = one;
    }
    if (expr.tag == kSumOf) {
      if (IsInteger(type)) return Number{0, 0, Wrapped(static_cast<int64_t>(integers), type)};
      return Real(sum, error + unit * size * std::log2(static_cast<double>(count) + 1));
    }
    if (IsUnsigned(type) || type == PrimitiveType::PRED) return std::nullopt;
    if (best) best->error = error;
    return best;
  }
};

}  // namespace

// The parts of a sum that depend on inputs must be the same expression; the constant parts must have the same value.
bool Exprs::EqualClosed(ExprId a, ExprId b) {
  if (a == b) return true;
  const PrimitiveType type = TypeOf(a);
  if (type != TypeOf(b) || (type != PrimitiveType::F64 && type != PrimitiveType::PRED && !IsInteger(type)))
    return false;
  ExprId closed[2] = {a, b};
  if (At(a).open || At(b).open) {
    if (At(a).kind != Expr::Kind::kSum || At(b).kind != Expr::Kind::kSum) return false;
    Polynomial open[2], rest[2];
    for (int k = 0; k < 2; ++k) {
      for (const Monomial& m : At(k == 0 ? a : b).sum) {
        const bool is_open =
            std::any_of(m.factors.begin(), m.factors.end(), [&](const Factor& f) { return At(f.base).open; });
        (is_open ? open : rest)[k].push_back(m);
      }
    }
    const auto same = [](const Monomial& m, const Monomial& n) {
      return m.factors == n.factors && m.real == n.real && m.integer == n.integer;
    };
    if (!std::equal(open[0].begin(), open[0].end(), open[1].begin(), open[1].end(), same)) return false;
    for (int k = 0; k < 2; ++k) closed[k] = Sum(std::move(rest[k]), type);
  }
  std::vector<VarId> variables = At(closed[0]).free;
  variables.insert(variables.end(), At(closed[1]).free.begin(), At(closed[1]).free.end());
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  int64_t count = 1;
  for (VarId v : variables) count = std::min(count * VariableAt(v).size, kMostElements + 1);
  if (count > kMostElements) return false;
  // Values are computed to double precision; a value that depends on f32 rounding is left undecided.
  Evaluation run{*this, 0x1p-50}, coarse{*this, wide_ ? 0x1p-50 : 0x1p-24};
  for (int64_t k = 0; k < count; ++k) {
    int64_t left = k;
    for (VarId v : variables) {
      coarse.at[v] = run.at[v] = left % VariableAt(v).size;
      left /= VariableAt(v).size;
    }
    if (!coarse.Of(closed[0], 0) || !coarse.Of(closed[1], 0)) return false;
    const auto p = run.Of(closed[0], 0), q = run.Of(closed[1], 0);
    if (!p || !q || p->integer != q->integer || !(std::fabs(p->value - q->value) <= p->error + q->error)) return false;
  }
  Spent((run.visits + coarse.visits) / 16);
  return true;
}

}  // namespace hloir::equivalence::inside
