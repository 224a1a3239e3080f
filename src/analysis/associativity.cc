// Reducers that may be regrouped: f(f(a, b), c) == f(a, f(b, c)), proved from the computation's structure. The entry
// point is ClassifyReducer. A reducer is partitioned into groups of accumulators without dependences between groups.
// Each group must be one of:
// - one associative operation on its accumulator and its element, between conversions that at most round;
// - a selection: accumulators are only compared, moved and merged by max or min, so that the result for three elements
//   depends on their order alone, and trying all of the finitely many orders is a proof;
// - arithmetic (+, -, *): both groupings are expanded as polynomials and compared.
// Tests: tests/unit/open_semantics_test.cc, tests/ops/reduce-*.hlo.
#include "analysis/associativity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/open_semantics.h"
#include "hloir/module.h"
#include "support/ranges.h"

namespace hloir {
namespace {

constexpr int kMaxCallDepth = 16;
constexpr size_t kMaxOps = 256;
constexpr size_t kMaxArrays = 16;      // that are reduced together
constexpr int64_t kMaxOrders = 20000;  // of three elements, over all arrays of a group
constexpr size_t kMaxTerms = 128, kMaxDegree = 16;
constexpr double kMaxCoefficient = 9007199254740992.0;  // 2^53: whole numbers up to here are exact

// ---- The computation, with calls inlined and tuples taken apart.

struct ScalarOp {
  const HloInstruction* instruction;
  std::vector<int> operands;  // places in Reducer::ops
  int parameter = -1;
};
struct Reducer {
  int n = 0;  // accumulators
  std::vector<ScalarOp> ops;
  std::vector<int> results;
  std::vector<PrimitiveType> types;  // of the accumulators
};

using Leaves = std::vector<int>;

std::optional<Leaves> Inline(const HloComputation& computation, const std::vector<Leaves>& arguments, int depth,
                             Reducer& into) {
  if (depth > kMaxCallDepth) return std::nullopt;
  std::unordered_map<const HloInstruction*, Leaves> leaves;
  for (const HloInstruction* i : computation.PostOrder()) {
    if (into.ops.size() > kMaxOps) return std::nullopt;
    std::vector<Leaves> operands;
    for (const HloInstruction* operand : i->operands()) operands.push_back(leaves.at(operand));
    switch (i->opcode()) {
      case HloOpcode::kParameter: leaves[i] = arguments[static_cast<size_t>(i->parameter_number())]; continue;
      case HloOpcode::kGetTupleElement:
        if (static_cast<size_t>(i->tuple_index()) >= operands[0].size() || !i->shape().IsArray()) return std::nullopt;
        leaves[i] = {operands[0][static_cast<size_t>(i->tuple_index())]};
        continue;
      case HloOpcode::kTuple: {
        Leaves& all = leaves[i];
        for (const Leaves& operand : operands) {
          if (operand.size() != 1) return std::nullopt;  // tuples of tuples
          all.push_back(operand[0]);
        }
        continue;
      }
      case HloOpcode::kCall:
      case HloOpcode::kFusion: {
        const HloComputation& called = *i->called_computations()[0];
        if (static_cast<size_t>(called.parameter_count()) != operands.size()) return std::nullopt;
        std::optional<Leaves> results = Inline(called, operands, depth + 1, into);
        if (!results) return std::nullopt;
        leaves[i] = std::move(*results);
        continue;
      }
      default: break;  // a scalar op; the next switch rejects unsupported ones
    }
    ScalarOp op{i, {}, -1};
    for (const Leaves& operand : operands) {
      if (operand.size() != 1) return std::nullopt;
      op.operands.push_back(operand[0]);
    }
    leaves[i] = {static_cast<int>(into.ops.size())};
    into.ops.push_back(std::move(op));
  }
  return leaves.at(computation.root());
}

std::optional<Reducer> MakeReducer(const HloComputation& computation) {
  Reducer reducer;
  const int64_t count = computation.parameter_count();
  if (count == 0 || count % 2 != 0 || count > static_cast<int64_t>(2 * kMaxArrays)) return std::nullopt;
  reducer.n = static_cast<int>(count / 2);
  std::vector<Leaves> arguments;
  for (int64_t p = 0; p < count; ++p) {
    const HloInstruction* parameter = computation.parameter(p);
    if (!parameter->shape().IsScalar()) return std::nullopt;
    if (p < count / 2) reducer.types.push_back(parameter->shape().element_type());
    else if (parameter->shape().element_type() != reducer.types[static_cast<size_t>(p - count / 2)])
      return std::nullopt;
    arguments.push_back({static_cast<int>(p)});
    reducer.ops.push_back({parameter, {}, static_cast<int>(p)});
  }
  std::optional<Leaves> results = Inline(computation, arguments, 0, reducer);
  if (!results || static_cast<int>(results->size()) != reducer.n) return std::nullopt;
  reducer.results = std::move(*results);
  for (size_t k = 0; k < reducer.results.size(); ++k) {
    if (reducer.ops[static_cast<size_t>(reducer.results[k])].instruction->shape().element_type() != reducer.types[k])
      return std::nullopt;
  }
  return reducer;
}

// Both are floats, or integers of one signedness: converting between them is exact or rounds, or wraps around.
bool SameClass(PrimitiveType a, PrimitiveType b) {
  if (a == b || (IsFloat(a) && IsFloat(b)) || (IsComplex(a) && IsComplex(b))) return true;
  return IsInteger(a) && IsInteger(b) && IsSigned(a) == IsSigned(b);
}
// True if `to` represents every value of `from`.
bool Holds(PrimitiveType to, PrimitiveType from) {
  if (to == from) return true;
  if (!SameClass(to, from)) return false;
  if (!IsFloat(from)) return BitWidth(to) >= BitWidth(from);
  const FloatFormat wide = GetFloatFormat(to), narrow = GetFloatFormat(from);
  return wide.mantissa_bits >= narrow.mantissa_bits && wide.exponent_bits >= narrow.exponent_bits &&
         wide.has_nan >= narrow.has_nan && wide.has_infinity >= narrow.has_infinity &&
         wide.has_negative_zero >= narrow.has_negative_zero;
}

// Accumulators whose results depend on one another's arguments belong to one group: group[k] is its first member.
std::vector<int> ReducerGroups(const Reducer& reducer) {
  const size_t n = static_cast<size_t>(reducer.n);
  std::vector<uint32_t> reads(reducer.ops.size());  // accumulators, as a set, whose arguments an op depends on
  for (size_t i = 0; i < reducer.ops.size(); ++i) {
    const ScalarOp& op = reducer.ops[i];
    if (op.parameter >= 0) reads[i] = uint32_t{1} << (op.parameter % reducer.n);
    for (int operand : op.operands) reads[i] |= reads[static_cast<size_t>(operand)];
  }
  std::vector<int> group(n);
  for (size_t k = 0; k < n; ++k) group[k] = static_cast<int>(k);
  for (size_t k = 0; k < n; ++k) {
    for (size_t j = 0; j < n; ++j) {
      if (!(reads[static_cast<size_t>(reducer.results[k])] >> j & 1) || group[j] == group[k]) continue;
      const int low = std::min(group[j], group[k]), high = std::max(group[j], group[k]);
      std::replace(group.begin(), group.end(), high, low);
    }
  }
  return group;
}

// ---- One operation.

// The op that computes accumulator k's result from its two arguments, if it is the only one.
std::optional<HloOpcode> PlainOp(const Reducer& reducer, int k) {
  const PrimitiveType type = reducer.types[static_cast<size_t>(k)];
  const ScalarOp* op = &reducer.ops[static_cast<size_t>(reducer.results[static_cast<size_t>(k)])];
  auto is_conversion = [&](const ScalarOp& x) {
    return x.instruction->opcode() == HloOpcode::kConvert || x.instruction->opcode() == HloOpcode::kCopy;
  };
  // Floats may pass through any other float type, which only rounds; integers are wide inside.
  auto kept = [&](PrimitiveType inside) { return IsFloat(type) ? IsFloat(inside) : Holds(inside, type); };
  while (is_conversion(*op)) {
    op = &reducer.ops[static_cast<size_t>(op->operands[0])];
    if (!kept(op->instruction->shape().element_type())) return std::nullopt;
  }
  if (!op->instruction->Is(kAssociative)) return std::nullopt;
  int parameters[2];
  for (size_t side = 0; side < 2; ++side) {
    const ScalarOp* operand = &reducer.ops[static_cast<size_t>(op->operands[side])];
    while (is_conversion(*operand)) {
      if (!kept(operand->instruction->shape().element_type())) return std::nullopt;
      operand = &reducer.ops[static_cast<size_t>(operand->operands[0])];
    }
    parameters[side] = operand->parameter;
  }
  const bool both = std::minmax(parameters[0], parameters[1]) == std::pair<const int&, const int&>(k, k + reducer.n);
  return both ? std::optional(op->instruction->opcode()) : std::nullopt;
}

// ---- Selections.

// The abstract value of an accumulator in a selection: its rank among the three elements of its array, and the elements
// that it may be. A pred has its value.
struct Ranked {
  int array = -1;  // -1: a pred, whose value is `rank`
  int rank = 0;
  uint8_t from = 0;  // the elements it may be: several after max or min of equal values
};
constexpr int kNan = 3;  // a rank that equals nothing
using Triple = std::array<int8_t, 3>;

// All orders of three values.
std::vector<Triple> OrdersOf(PrimitiveType type) {
  std::vector<Triple> orders;
  const bool nan = IsFloat(type), pred = type == PrimitiveType::PRED;
  const int values = pred ? 2 : 3 + nan;
  for (int code = 0; code < values * values * values; ++code) {
    const Triple t = {static_cast<int8_t>(code % values), static_cast<int8_t>(code / values % values),
                      static_cast<int8_t>(code / values / values)};
    // Ranks without gaps, so that each order occurs once.
    bool used[4] = {};
    for (int8_t rank : t) used[rank] = true;
    if (pred || ((used[0] || !used[1]) && (used[1] || !used[2]))) orders.push_back(t);
  }
  return orders;
}

// A comparison of a and b in some direction.
std::optional<bool> Compare(const HloInstruction& i, const Ranked& a, const Ranked& b) {
  const CompareAttributes& attributes = i.attributes<CompareAttributes>();
  if (a.array != b.array || attributes.type == ComparisonType::kFloatTotalOrder) return std::nullopt;
  const bool unordered = a.array >= 0 && (a.rank == kNan || b.rank == kNan);
  switch (attributes.direction) {
    case ComparisonDirection::kEq: return !unordered && a.rank == b.rank;
    case ComparisonDirection::kNe: return unordered || a.rank != b.rank;
    case ComparisonDirection::kLt: return !unordered && a.rank < b.rank;
    case ComparisonDirection::kLe: return !unordered && a.rank <= b.rank;
    case ComparisonDirection::kGt: return !unordered && a.rank > b.rank;
    case ComparisonDirection::kGe: return !unordered && a.rank >= b.rank;
  }
  return std::nullopt;
}
// Only for comparisons in the type of the values.
bool ComparesAsIs(const HloInstruction& i, PrimitiveType type) {
  const ComparisonType kind = i.attributes<CompareAttributes>().type;
  if (kind == ComparisonType::kSigned) return IsInteger(type) && IsSigned(type);
  if (kind == ComparisonType::kUnsigned) return type == PrimitiveType::PRED || (IsInteger(type) && !IsSigned(type));
  return true;
}

Ranked Extreme(const Ranked& a, const Ranked& b, bool maximum) {
  if (a.rank == b.rank) return {a.array, a.rank, static_cast<uint8_t>(a.from | b.from)};
  if (a.array >= 0 && (a.rank == kNan || b.rank == kNan)) return a.rank == kNan ? a : b;
  return (a.rank > b.rank) == maximum ? a : b;
}

// The ops of a group, and their evaluation on ranks. False if an op is not allowed in a selection.
class Selection {
 public:
  Selection(const Reducer& reducer, const std::vector<int>& members) : reducer_(reducer), members_(members) {
    std::vector<bool> needed(reducer.ops.size());
    for (int k : members) needed[static_cast<size_t>(reducer.results[static_cast<size_t>(k)])] = true;
    for (size_t i = reducer.ops.size(); i-- > 0;) {
      if (!needed[i]) continue;
      order_.insert(order_.begin(), static_cast<int>(i));
      for (int operand : reducer.ops[i].operands) needed[static_cast<size_t>(operand)] = true;
    }
    values_.resize(reducer.ops.size());
  }

  // `low` and `high` are indexed by accumulator; so is the result.
  bool Run(const std::vector<Ranked>& low, const std::vector<Ranked>& high, std::vector<Ranked>* result) {
    for (int i : order_) {
      const ScalarOp& op = reducer_.ops[static_cast<size_t>(i)];
      Ranked& value = values_[static_cast<size_t>(i)];
      if (op.parameter >= 0) {
        const size_t k = static_cast<size_t>(op.parameter % reducer_.n);
        value = op.parameter < reducer_.n ? low[k] : high[k];
      } else if (!Evaluate(op, &value)) {
        return false;
      }
    }
    for (int k : members_) {
      (*result)[static_cast<size_t>(k)] = values_[static_cast<size_t>(reducer_.results[static_cast<size_t>(k)])];
      const Ranked& value = (*result)[static_cast<size_t>(k)];
      const bool pred = reducer_.types[static_cast<size_t>(k)] == PrimitiveType::PRED;
      if (value.array != (pred ? -1 : k)) return false;
    }
    return true;
  }

 private:
  const Ranked& In(const ScalarOp& op, size_t i) const { return values_[static_cast<size_t>(op.operands[i])]; }
  bool Evaluate(const ScalarOp& op, Ranked* value) const {
    const HloInstruction& i = *op.instruction;
    const bool logical = i.shape().element_type() == PrimitiveType::PRED;
    auto give = [&](bool x) {
      *value = {-1, x, 0};
      return true;
    };
    auto preds = [&] {
      return logical &&
             AllOf(op.operands, [&](int operand) { return values_[static_cast<size_t>(operand)].array < 0; });
    };
    switch (i.opcode()) {
      case HloOpcode::kConstant: return logical && !i.literal().elided() && give(i.literal().GetAsInt64(0) != 0);
      case HloOpcode::kCopy: *value = In(op, 0); return true;
      case HloOpcode::kConvert: {  // there and back to the accumulator's type, without rounding
        *value = In(op, 0);
        if (value->array < 0) return logical;
        return Holds(i.shape().element_type(), reducer_.types[static_cast<size_t>(value->array)]);
      }
      case HloOpcode::kCompare: {
        if (!ComparesAsIs(i, i.operand(0)->shape().element_type())) return false;
        const std::optional<bool> result = Compare(i, In(op, 0), In(op, 1));
        return result && give(*result);
      }
      case HloOpcode::kSelect:
        if (In(op, 0).array >= 0 || In(op, 1).array != In(op, 2).array) return false;
        *value = In(op, In(op, 0).rank != 0 ? 1 : 2);
        return true;
      case HloOpcode::kMaximum:
      case HloOpcode::kMinimum:
        if (In(op, 0).array != In(op, 1).array) return false;
        *value = Extreme(In(op, 0), In(op, 1), i.opcode() == HloOpcode::kMaximum);
        return true;
      case HloOpcode::kNot: return preds() && give(In(op, 0).rank == 0);
      case HloOpcode::kAnd: return preds() && give(In(op, 0).rank != 0 && In(op, 1).rank != 0);
      case HloOpcode::kOr: return preds() && give(In(op, 0).rank != 0 || In(op, 1).rank != 0);
      case HloOpcode::kXor: return preds() && give(In(op, 0).rank != In(op, 1).rank);
      default: return false;  // unknown, so not associative
    }
  }

  const Reducer& reducer_;
  const std::vector<int>& members_;
  std::vector<int> order_;
  std::vector<Ranked> values_;
};

// Idempotent too, if f(a, a) == a and f(a, f(a, b)) == f(f(a, b), a) == f(a, b) in every order.
ReducerClass ClassifySelection(const Reducer& reducer, const std::vector<int>& members) {
  std::vector<std::vector<Triple>> orders;
  int64_t count = 1;
  for (int k : members) {
    const PrimitiveType type = reducer.types[static_cast<size_t>(k)];
    if (IsComplex(type)) return ReducerClass::kUnknown;
    orders.push_back(OrdersOf(type));
    count *= static_cast<int64_t>(orders.back().size());
    if (count > kMaxOrders) return ReducerClass::kUnknown;
  }
  Selection selection(reducer, members);
  const size_t n = static_cast<size_t>(reducer.n);
  std::vector<Ranked> x[3], left(n), right(n), inner(n);
  for (auto& element : x) element.resize(n);
  auto same = [&](const std::vector<Ranked>& a, const std::vector<Ranked>& b) {
    return AllOf(members, [&](int k) {
      const Ranked &p = a[static_cast<size_t>(k)], &q = b[static_cast<size_t>(k)];
      // Floats of one rank may be zeros of either sign; equal integers have equal bits, and all NaNs are equivalent.
      const bool bits = p.array < 0 || p.rank == kNan || !IsFloat(reducer.types[static_cast<size_t>(k)]);
      return p.array == q.array && p.rank == q.rank && (bits || p.from == q.from);
    });
  };
  bool idempotent = true;
  for (int64_t code = 0; code < count; ++code) {
    int64_t rest = code;
    for (size_t m = 0; m < members.size(); ++m) {
      const size_t k = static_cast<size_t>(members[m]);
      const Triple& order = orders[m][static_cast<size_t>(rest) % orders[m].size()];
      rest /= static_cast<int64_t>(orders[m].size());
      const bool pred = reducer.types[k] == PrimitiveType::PRED;
      for (size_t e = 0; e < 3; ++e) x[e][k] = {pred ? -1 : members[m], order[e], static_cast<uint8_t>(1 << e)};
    }
    if (!selection.Run(x[0], x[1], &inner) || !selection.Run(inner, x[2], &left)) return ReducerClass::kUnknown;
    idempotent = idempotent && selection.Run(x[0], inner, &right) && same(inner, right) &&
                 selection.Run(inner, x[0], &right) && same(inner, right);
    if (!selection.Run(x[1], x[2], &inner) || !selection.Run(x[0], inner, &right) || !same(left, right))
      return ReducerClass::kUnknown;
  }
  return idempotent ? ReducerClass::kIdempotent : ReducerClass::kCounting;
}

// ---- Arithmetic.

// A sum of products of variables (each a character; sorted) with their coefficients.
using Polynomial = std::map<std::string, double>;

Polynomial Combine(const Polynomial& a, const Polynomial& b, double sign) {
  Polynomial sum = a;
  for (const auto& [product, coefficient] : b) {
    double& total = sum[product];
    total += sign * coefficient;
    if (total == 0) sum.erase(product);
  }
  return sum;
}
std::optional<Polynomial> Multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  if (a.size() * b.size() > kMaxTerms * kMaxTerms) return std::nullopt;
  for (const auto& [x, p] : a) {
    for (const auto& [y, q] : b) {
      if (x.size() + y.size() > kMaxDegree) return std::nullopt;
      std::string product = x + y;
      std::sort(product.begin(), product.end());
      result = Combine(result, {{product, p * q}}, 1);
    }
  }
  return result;
}

// The group's results as polynomials of its arguments, indexed by accumulator.
using Polynomials = std::vector<Polynomial>;
std::optional<Polynomials> Expand(const Reducer& reducer, const std::vector<int>& members, const Polynomials& low,
                                  const Polynomials& high) {
  std::vector<std::optional<Polynomial>> values(reducer.ops.size());
  // True if an op's value is an unchanged argument: an integer may only be widened before operations that wrap around.
  std::vector<bool> plain(reducer.ops.size());
  const PrimitiveType type = reducer.types[static_cast<size_t>(members[0])];
  for (size_t i = 0; i < reducer.ops.size(); ++i) {
    const ScalarOp& op = reducer.ops[i];
    const PrimitiveType inside = op.instruction->shape().element_type();
    if (op.parameter >= 0) {
      const size_t k = static_cast<size_t>(op.parameter % reducer.n);
      values[i] = op.parameter < reducer.n ? low[k] : high[k];
      plain[i] = true;
      continue;
    }
    if (!AllOf(op.operands, [&](int o) { return values[static_cast<size_t>(o)].has_value(); })) continue;
    if (inside == PrimitiveType::PRED || !SameClass(type, inside)) continue;
    auto in = [&](size_t k) -> const Polynomial& { return *values[static_cast<size_t>(op.operands[k])]; };
    switch (op.instruction->opcode()) {
      case HloOpcode::kConstant: {
        const double x =
            IsComplex(inside) || op.instruction->literal().elided() ? NAN : op.instruction->literal().GetAsDouble(0);
        if (std::isfinite(x)) values[i] = x == 0 ? Polynomial() : Polynomial{{"", x}};
        break;
      }
      case HloOpcode::kCopy: values[i] = in(0), plain[i] = plain[static_cast<size_t>(op.operands[0])]; break;
      case HloOpcode::kConvert: {
        const size_t operand = static_cast<size_t>(op.operands[0]);
        const PrimitiveType from = reducer.ops[operand].instruction->shape().element_type();
        if (!SameClass(inside, from)) break;
        plain[i] = plain[operand] && Holds(inside, from);
        if (!IsInteger(from) || plain[i] || BitWidth(inside) <= BitWidth(from)) values[i] = in(0);
        break;
      }
      case HloOpcode::kNegate: values[i] = Combine({}, in(0), -1); break;
      case HloOpcode::kAdd: values[i] = Combine(in(0), in(1), 1); break;
      case HloOpcode::kSubtract: values[i] = Combine(in(0), in(1), -1); break;
      case HloOpcode::kMultiply: values[i] = Multiply(in(0), in(1)); break;
      default: break;  // no polynomial
    }
    if (!values[i]) continue;
    bool small = values[i]->size() <= kMaxTerms;
    for (const auto& [product, coefficient] : *values[i]) small = small && std::abs(coefficient) <= kMaxCoefficient;
    if (!small) values[i].reset();
  }
  Polynomials results(static_cast<size_t>(reducer.n));
  for (int k : members) {
    auto& value = values[static_cast<size_t>(reducer.results[static_cast<size_t>(k)])];
    if (!value) return std::nullopt;
    results[static_cast<size_t>(k)] = *value;
  }
  return results;
}

Polynomials Variables(const Reducer& reducer, int element) {
  Polynomials variables;
  for (int k = 0; k < reducer.n; ++k)
    variables.push_back({{std::string(1, static_cast<char>(1 + element * reducer.n + k)), 1}});
  return variables;
}

bool AssociatesAsPolynomial(const Reducer& reducer, const std::vector<int>& members) {
  for (int k : members) {
    const PrimitiveType type = reducer.types[static_cast<size_t>(k)];
    if (type == PrimitiveType::PRED || !SameClass(type, reducer.types[static_cast<size_t>(members[0])])) return false;
    if (IsInteger(type) && type != reducer.types[static_cast<size_t>(members[0])]) return false;
  }
  const Polynomials a = Variables(reducer, 0), b = Variables(reducer, 1), c = Variables(reducer, 2);
  auto ab = Expand(reducer, members, a, b), bc = Expand(reducer, members, b, c);
  if (!ab || !bc) return false;
  auto left = Expand(reducer, members, *ab, c), right = Expand(reducer, members, a, *bc);
  return left && right && *left == *right;
}

// ---- Groups.

struct Group {
  std::vector<int> members;
  std::optional<HloOpcode> plain;
  ReducerClass kind = ReducerClass::kUnknown;
};

std::vector<Group> ClassifyGroups(const Reducer& reducer) {
  const std::vector<int> first = ReducerGroups(reducer);
  std::vector<Group> groups;
  for (int k = 0; k < reducer.n; ++k) {
    if (first[static_cast<size_t>(k)] != k) continue;
    Group& group = groups.emplace_back();
    for (int j = k; j < reducer.n; ++j)
      if (first[static_cast<size_t>(j)] == k) group.members.push_back(j);
    if (group.members.size() == 1) group.plain = PlainOp(reducer, k);
    if (group.plain) {
      const HloOpcode op = *group.plain;
      const bool pred = reducer.types[static_cast<size_t>(k)] == PrimitiveType::PRED;  // whose sum is or, product and
      const bool counts = op == HloOpcode::kXor || (!pred && (op == HloOpcode::kAdd || op == HloOpcode::kMultiply));
      group.kind = counts ? ReducerClass::kCounting : ReducerClass::kIdempotent;
      continue;
    }
    group.kind = ClassifySelection(reducer, group.members);
    if (group.kind == ReducerClass::kUnknown && AssociatesAsPolynomial(reducer, group.members))
      group.kind = ReducerClass::kCounting;
  }
  return groups;
}

}  // namespace

ReducerClass ClassifyReducer(const HloComputation& computation) {
  const std::optional<Reducer> reducer = MakeReducer(computation);
  if (!reducer) return ReducerClass::kUnknown;
  bool counts = false;
  for (const Group& group : ClassifyGroups(*reducer)) {
    if (group.kind == ReducerClass::kUnknown) return ReducerClass::kUnknown;
    counts = counts || group.kind == ReducerClass::kCounting;
  }
  return counts ? ReducerClass::kCounting : ReducerClass::kIdempotent;
}

std::optional<ArgExtreme> FindArgExtreme(const HloComputation& computation) {
  const std::optional<Reducer> reducer = MakeReducer(computation);
  if (!reducer || reducer->n != 2 || !IsInteger(reducer->types[1])) return std::nullopt;
  const PrimitiveType type = reducer->types[0];
  const std::vector<int> members = {0, 1};
  if (type == PrimitiveType::PRED || ClassifySelection(*reducer, members) == ReducerClass::kUnknown)
    return std::nullopt;
  Selection selection(*reducer, members);
  // Two elements, the second with the larger index, in each order of their values.
  std::vector<Ranked> result(2);
  const auto run = [&](int a, int b) { return selection.Run({{0, a, 1}, {1, 0, 1}}, {{0, b, 2}, {1, 1, 2}}, &result); };
  const auto keeps = [&](int a, int b, uint8_t from) {
    return run(a, b) && result[0].from == from && result[1].from == from;
  };
  ArgExtreme found;
  found.largest = keeps(1, 0, 1);
  const int best = found.largest ? 1 : 0;
  if (!keeps(best, 1 - best, 1) || !keeps(1 - best, best, 2)) return std::nullopt;
  for (int number : {0, 1})
    if (IsFloat(type) && (!keeps(kNan, number, 1) || !keeps(number, kNan, 2))) return std::nullopt;
  if (IsFloat(type) && (!run(kNan, kNan) || result[1].from != 1)) return std::nullopt;
  if (!run(0, 0) || result[1].from != 1) return std::nullopt;
  found.zero = result[0].from == 1   ? ArgExtreme::Zero::kFirst
               : result[0].from == 2 ? ArgExtreme::Zero::kLast
                                     : ArgExtreme::Zero::kExtreme;
  // If max and min meet in one group, the sign of a zero result depends on both.
  for (const ScalarOp& op : reducer->ops) {
    const HloOpcode opcode = op.instruction->opcode();
    if (opcode == HloOpcode::kMinimum && found.largest) return std::nullopt;
    if (opcode == HloOpcode::kMaximum && !found.largest) return std::nullopt;
  }
  return found;
}

bool IsNeutral(const HloComputation& computation, std::span<const Literal* const> initial) {
  const std::optional<Reducer> reducer = MakeReducer(computation);
  if (!reducer || static_cast<int>(initial.size()) != reducer->n) return false;
  for (const Group& group : ClassifyGroups(*reducer)) {
    if (group.kind == ReducerClass::kIdempotent) continue;
    Polynomials start(static_cast<size_t>(reducer->n));
    for (int k : group.members) {
      const Literal* literal = initial[static_cast<size_t>(k)];
      if (literal == nullptr || literal->elided() || literal->element_count() < 1) return false;
      const std::complex<double> x = literal->GetAsComplex(0);
      if (x.imag() != 0 || !std::isfinite(x.real())) return false;
      if (x.real() != 0) start[static_cast<size_t>(k)][""] = x.real();
    }
    if (group.plain == HloOpcode::kXor) {
      if (!start[static_cast<size_t>(group.members[0])].empty()) return false;
      continue;
    }
    const Polynomials x = Variables(*reducer, 0);
    const auto before = Expand(*reducer, group.members, start, x), after = Expand(*reducer, group.members, x, start);
    if (!before || !after) return false;
    for (int k : group.members) {
      const size_t i = static_cast<size_t>(k);
      if ((*before)[i] != x[i] || (*after)[i] != x[i]) return false;
    }
  }
  return true;
}

}  // namespace hloir
