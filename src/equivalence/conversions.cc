// Type conversions, and which values a narrow float represents exactly. See expr.h.
#include <algorithm>
#include <cmath>

#include "equivalence/expr.h"
#include "hloir/attributes.h"

namespace hloir::equivalence::inside {

ExprId Exprs::Convert(ExprId a, PrimitiveType from, PrimitiveType to) {
  const bool from_real = from == PrimitiveType::F64, to_real = to == PrimitiveType::F64;
  if (from == to) return a;
  if (from == PrimitiveType::PRED) {
    if (to == PrimitiveType::C128) return Complex(Convert(a, from, PrimitiveType::F64), Real(0));
    return Sum({{to_real ? 1.0 : 0.0, to_real ? 0 : 1, {{a, kOne}}}}, to);
  }
  if (to == PrimitiveType::PRED) {
    const ExprId zero = from_real ? Real(0) : Integer(0, from);
    return Not(Compare(static_cast<int>(ComparisonDirection::kEq), a, zero));
  }
  if (IsInteger(from)) {
    // IntegerOf returns unsigned values above the range of s64 as negative numbers.
    if (const auto value = IntegerOf(a);
        value && to_real && std::llabs(*value) < (int64_t{1} << 53) && (*value >= 0 || IsSigned(from)))
      return Real(static_cast<double>(*value));
    if (const auto value = IntegerOf(a); value && IsInteger(to)) return Integer(*value, to);
    if (std::optional<Index> index = AsIndex(a)) {
      const Range range = RangeOf(*index);
      const int64_t most =
          to_real ? int64_t{1} << 24 : int64_t{1} << std::min(62, BitWidth(to) - (IsSigned(to) ? 1 : 0));
      if (range.high < most && range.low >= (to_real || IsSigned(to) ? -most : 0)) return IndexValue(*index, to);
    }
    // The value is a count of conditions that hold.
    const Expr& x = At(a);
    // The count must fit the type: a sum of two may exceed a byte.
    const bool counts = x.kind == Expr::Kind::kSum && x.sum.size() <= (BitWidth(from) > 8 ? 2 : 1) &&
                        std::all_of(x.sum.begin(), x.sum.end(), [&](const Monomial& m) {
                          return std::llabs(m.integer) < (BitWidth(from) >= 8 ? 100 : 2) &&
                                 (m.integer >= 0 || IsSigned(from)) &&
                                 std::all_of(m.factors.begin(), m.factors.end(),
                                             [&](const Factor& f) { return TypeOf(f.base) == PrimitiveType::PRED; });
                        });
    if (counts && (to_real || (IsInteger(to) && BitWidth(to) >= 16 && (IsSigned(to) || x.sum.size() == 1)))) {
      Polynomial sum;
      for (const Monomial& m : Polynomial(x.sum))
        sum.push_back({to_real ? static_cast<double>(m.integer) : 0.0, to_real ? 0 : m.integer, m.factors});
      return Sum(std::move(sum), to);
    }
    if (IsInteger(to) && BitWidth(to) <= BitWidth(from)) {
      // Truncation commutes with sums, products and earlier conversions.
      if (x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kConvert && x.data.size() == 1 &&
          IsInteger(TypeOf(x.args[0])))
        return Convert(x.args[0], TypeOf(x.args[0]), to);
      if (x.kind == Expr::Kind::kSum) {
        Polynomial sum;
        for (const Monomial& m : Polynomial(x.sum)) {
          Polynomial product{{0, m.integer, {}}};
          for (const Factor& f : m.factors) {
            const bool pred = TypeOf(f.base) == PrimitiveType::PRED;
            const ExprId base = pred ? f.base : Convert(f.base, from, to);
            if (pred) product = Product(product, {{0, 1, {{base, kOne}}}}, to);
            for (int32_t k = 0; k < f.power && !pred; k += kOne) product = Product(product, PolynomialOf(base), to);
          }
          sum.insert(sum.end(), product.begin(), product.end());
        }
        return Sum(std::move(sum), to);
      }
      if (x.kind == Expr::Kind::kBind && x.tag == kSumOf) {
        Substitution open;
        std::vector<VarId> variables;
        for (VarId v : x.bound) {
          variables.push_back(Fresh(VariableAt(v).size));
          open.push_back({v, Var(variables.back())});
        }
        const ExprId body = Substitute(x.args[0], open);
        return SumOver(std::move(variables), Convert(body, TypeOf(body), to));
      }
    }
  }
  if (from_real && IsInteger(to)) {
    if (std::optional<Index> index = AsIndex(a)) {
      const Range range = RangeOf(*index);
      if (BitWidth(to) >= 32 && range.low >= 0 && range.high < (int64_t{1} << 24)) return IndexValue(*index, to);
    }
    if (const auto value = RealOf(a);
        value && Abs(*value) < (BitWidth(to) >= 8 ? 100 : 1) && (*value > -1 || IsSigned(to)))
      return Integer(static_cast<int64_t>((*value < 0 ? -Floor(-*value) : Floor(*value)).high), to);
  }
  Expr e;
  e.kind = Expr::Kind::kFunction;
  e.type = to;
  e.op = HloOpcode::kConvert;
  e.args = {a};
  e.data = {static_cast<int64_t>(from)};
  return Make(std::move(e));
}

namespace {

// The function's result has no more significant digits than its operands.
bool IsExactFunction(HloOpcode op) {
  using enum HloOpcode;
  return op == kSign || op == kFloor || op == kCeil || op == kRoundNearestAfz || op == kRoundNearestEven ||
         op == kRemainder;
}

}  // namespace

// Returns whether `type` represents all values of `e` exactly: values rounded to it, inputs of that type, selects and
// negations of such values, and functions that are exact in a 16-bit type.
bool Exprs::IsNarrow(ExprId e, PrimitiveType type, int depth) {
  const Expr& x = At(e);
  if (depth > 8 || x.type != PrimitiveType::F64) return false;
  const auto holds = [&](double value) {
    Literal scalar(Shape::Scalar(type));
    scalar.SetFromDouble(0, value);
    return scalar.GetAsDouble(0) == value;
  };
  switch (x.kind) {
    case Expr::Kind::kLeaf: {
      const Leaf& leaf = LeafAt(x.tag);
      return leaf.stored == type || (leaf.value >= 0 && IsNarrow(leaf.value, type, depth + 1));
    }
    case Expr::Kind::kFunction:
      if (x.op == HloOpcode::kReducePrecision)
        return x.data.size() == 2 && x.data[0] < 0 && static_cast<PrimitiveType>(x.data[1]) == type;
      if (x.op != HloOpcode::kMaximum && x.op != HloOpcode::kMinimum && x.op != HloOpcode::kAbs &&
          !(BitWidth(type) == 16 && IsExactFunction(x.op)))
        return false;
      return std::all_of(x.args.begin(), x.args.end(), [&](ExprId arg) { return IsNarrow(arg, type, depth + 1); });
    case Expr::Kind::kBind:
      return x.tag == kExtremeOf && x.op != HloOpcode::kMultiply && IsNarrow(x.args[0], type, depth + 1);
    case Expr::Kind::kSum: {
      // A select among values by mutually exclusive conditions.
      if (x.sum.size() > 8) return false;
      std::vector<Monomial> conditions;
      for (const Monomial& m : x.sum) {
        Monomial of;
        of.integer = 1;
        int values = 0;
        for (const Factor& f : m.factors) {
          if (TypeOf(f.base) == PrimitiveType::PRED) of.factors.push_back(f);
          else if (++values > 1 || f.power != kOne || !IsNarrow(f.base, type, depth + 1)) return false;
        }
        if (values == 0 ? m.real.low != 0 || !holds(m.real.high) : Abs(m.real) != 1) return false;
        for (const Monomial& other : conditions) {
          Monomial both = of;
          both.factors.insert(both.factors.end(), other.factors.begin(), other.factors.end());
          if (Tidy(both, PrimitiveType::S32)) return false;
        }
        conditions.push_back(std::move(of));
      }
      return true;
    }
    default: return false;
  }
}

}  // namespace hloir::equivalence::inside
