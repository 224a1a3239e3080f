// Operations that bind variables: sums, extremes, and operations on whole rows. Bound variables get canonical names
// from the body alone, so that equal bodies are one expression. See expr.h.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {
namespace {

// The largest window that is unrolled where two sums differ (tiles.cc).
constexpr int64_t kFewTaps = 8;

int64_t CeilOf(int64_t a, int64_t b) { return a / b + (a % b > 0); }   // b > 0
int64_t FloorOf(int64_t a, int64_t b) { return a / b - (a % b < 0); }  // b > 0

}  // namespace

// Binds fresh variables: they get the canonical names of a level above all levels bound inside.
ExprId Exprs::Bound(Expr e, std::vector<VarId> variables, bool in_order) {
  if (!in_order) {
    Ordered order = Order(std::move(variables), std::move(e.args), true);
    variables = std::move(order.variables);
    e.args = std::move(order.bodies);
  }
  int32_t level = -1;
  for (ExprId arg : e.args) level = std::max(level, At(arg).level);
  const std::vector<ExprId> open = e.args;
  // Substitution may simplify the body and bind variables anew; the level grows until no canonical name is captured.
  for (int turn = 0; turn < 8; ++turn) {
    Substitution by;
    e.bound.clear();
    for (size_t k = 0; k < variables.size(); ++k) {
      const VarId v = NewVariable({VariableAt(variables[k]).size, level + 1, static_cast<int32_t>(k)});
      e.bound.push_back(v);
      by.push_back({variables[k], Var(v)});
    }
    int32_t inside = -1;
    for (size_t k = 0; k < open.size(); ++k) {
      e.args[k] = Substitute(open[k], by);
      inside = std::max(inside, At(e.args[k]).level);
    }
    if (inside <= level) return Make(std::move(e));
    level = inside;
  }
  Refuse("sums nested too deeply");
  return Make(std::move(e));
}

// ---- Sums ----

void Exprs::SumOfMonomial(std::vector<VarId> variables, Monomial m, PrimitiveType type, Polynomial& out) {
  for (int turn = 0; turn < 64; ++turn) {
    if (Spent()) break;
    if (!Tidy(m, type)) return;
    bool changed = false;
    const auto substitute = [&](const Substitution& by) {
      Polynomial product{{m.real, m.integer, {}}};
      for (const Factor& f : m.factors) {
        const ExprId base = Substitute(f.base, by);
        if (TypeOf(base) == PrimitiveType::PRED) product = Product(product, {{1, 1, {{base, kOne}}}}, type);
        else product = Product(product, PolynomialOf(f.power == kOne ? base : Power(base, f.power)), type);
      }
      return product;
    };
    // The body may become a sum once an index is substituted.
    const auto again = [&](Polynomial product) {
      if (product.size() == 1) {
        m = std::move(product[0]);
        return true;
      }
      for (Monomial& part : product) SumOfMonomial(variables, std::move(part), type, out);
      return false;
    };
    if (UseBoundsOfClamps(m)) continue;
    if (const std::optional<Tile> tile = TileOf(variables, m)) {
      const VarId v = variables[tile->variable];
      variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(tile->variable));
      if (!again(substitute({{v, tile->index}}))) return;
      continue;
    }
    for (size_t k = 0; k < m.factors.size() && !changed; ++k) {
      const ExprId guard = m.factors[k].base;
      const Expr& x = At(guard);
      if (x.kind != Expr::Kind::kGuard) continue;
      for (size_t j = 0; j < variables.size() && !changed; ++j) {
        const VarId v = variables[j];
        if (!HasVariable(x.free, v)) continue;
        const TermId self = Var(v).terms[0].first;
        int64_t factor = 0;
        bool elsewhere = false;
        for (const auto& [term, f] : x.index[0].terms) {
          if (term == self) factor = f;
          else elsewhere = elsewhere || HasVariable(TermAt(term).free, v);
        }
        const int64_t size = VariableAt(v).size;
        if (x.tag == 1 && factor == 0 && x.index[0].terms.size() == 1 && x.index[0].constant == 0) {
          // (u + v) mod m = 0 has the solution v = -u mod m, if that is in range.
          const IndexTerm t = TermAt(x.index[0].terms[0].first);
          int64_t inner_factor = 0;
          bool again_inside = false;
          for (const auto& [term, f] : t.inner.terms) {
            if (term == self) inner_factor = f;
            else again_inside = again_inside || HasVariable(TermAt(term).free, v);
          }
          if (t.kind == IndexTerm::Kind::kDivMod && t.div == 1 && t.mod >= size && !again_inside &&
              (inner_factor == 1 || inner_factor == -1)) {
            const Index rest = Mod(Times(Plus(t.inner, Var(v), -inner_factor), -inner_factor), t.mod);
            m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(k));
            m.factors.push_back({Guard(false, Plus(Number(size - 1), rest, -1)), kOne});
            variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(j));
            if (!again(substitute({{v, rest}}))) return;
            changed = true;
            continue;
          }
        }
        if (x.tag == 1 && !elsewhere && (factor == 1 || factor == -1)) {
          // The equation is solved for v, with bounds for the solution.
          Index rest = Plus(x.index[0], Var(v), -factor);
          rest = Times(rest, -factor);
          m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(k));
          m.factors.push_back({Guard(false, rest), kOne});
          m.factors.push_back({Guard(false, Plus(Number(size - 1), rest, -1)), kOne});
          variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(j));
          if (!again(substitute({{v, rest}}))) return;
          changed = true;
        } else if (x.tag == 0 && !elsewhere && x.index[0].terms.size() == 1 && factor != 0) {
          const int64_t c = x.index[0].constant;
          int64_t low = 0, high = size - 1;
          if (factor > 0) low = std::max(low, CeilOf(-c, factor));
          else high = std::min(high, FloorOf(c, -factor));
          m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(k));
          if (high < low) return;
          const VarId narrow = Fresh(high - low + 1);
          variables[j] = narrow;
          if (!again(substitute({{v, Plus(Var(narrow), Number(low))}}))) return;
          changed = true;
        }
      }
    }
    if (changed) continue;
    // Nested sums are merged.
    for (size_t k = 0; k < m.factors.size() && !changed; ++k) {
      if (m.factors[k].power != kOne) continue;
      ExprId inner = m.factors[k].base;
      const bool depends =
          std::any_of(variables.begin(), variables.end(), [&](VarId v) { return HasVariable(At(inner).free, v); });
      if (!depends) continue;
      if (IsNamed(inner)) {
        const Expr& value = Unnamed(inner);
        const bool alone = std::count_if(m.factors.begin(), m.factors.end(),
                                         [&](const Factor& f) { return TypeOf(f.base) != PrimitiveType::PRED; }) == 1;
        const auto is_sum = [&](const Expr& e) { return e.kind == Expr::Kind::kBind && e.tag == kSumOf; };
        const auto has_sum = [&](const Monomial& part) {
          return std::any_of(part.factors.begin(), part.factors.end(),
                             [&](const Factor& f) { return f.power == kOne && is_sum(At(f.base)); });
        };
        if (alone && is_sum(value)) inner = Opened(inner);
        if (alone && (opens_sums_ || IsPartialResult(At(inner))) && value.kind == Expr::Kind::kSum &&
            std::any_of(value.sum.begin(), value.sum.end(), has_sum)) {
          const ExprId opened = Opened(inner);
          m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(k));
          if (!again(Product({m}, PolynomialOf(opened), type))) return;
          changed = true;
          break;
        }
      }
      const Expr& x = At(inner);
      if (x.kind != Expr::Kind::kBind || x.tag != kSumOf) continue;
      m.factors.erase(m.factors.begin() + static_cast<std::ptrdiff_t>(k));
      Substitution open;
      for (VarId v : x.bound) {
        variables.push_back(Fresh(VariableAt(v).size));
        open.push_back({v, Var(variables.back())});
      }
      const ExprId body = Substitute(x.args[0], open);
      if (!again(Product({m},
                         TypeOf(body) == PrimitiveType::PRED ? Polynomial{{1, 1, {{body, kOne}}}} : PolynomialOf(body),
                         type)))
        return;
      changed = true;
    }
    if (!changed) {
      std::vector<ExprId> conditions, parts;
      for (const Factor& f : m.factors) {
        (TypeOf(f.base) == PrimitiveType::PRED ? conditions : parts).push_back(f.base);
      }
      if (const auto moved = MovedVariable(variables, conditions, parts)) {
        std::erase_if(m.factors, [&](const Factor& f) {
          return std::find(moved->implied.begin(), moved->implied.end(), f.base) != moved->implied.end();
        });
        for (ExprId condition : moved->conditions) m.factors.push_back({condition, kOne});
        variables[moved->variable] = moved->made;
        if (!again(substitute(moved->by))) return;
        changed = true;
      }
    }
    if (!changed) {
      // Splits and joins variables as the indices require, which may leave conditions on one variable alone.
      const ExprId body = [&] {
        Expr e;
        e.type = type;
        e.sum = {{IsInteger(type) ? 0.0 : 1.0, IsInteger(type) ? 1 : 0, m.factors}};
        return Make(std::move(e));
      }();
      Ordered order{variables, {body}, std::vector<Index>(variables.size())};
      if (turn < 16 && CutOrJoin(order)) {
        variables = std::move(order.variables);
        const Monomial factor{m.real, m.integer, {}};
        if (!again(Product({factor}, PolynomialOf(order.bodies[0]), type))) return;
        changed = true;
      }
    }
    if (!changed) break;
  }
  // A variable that does not occur multiplies the sum by its size.
  Monomial outside{m.real, m.integer, {}};
  std::vector<Factor> inside;
  for (const Factor& f : m.factors) {
    const bool depends =
        std::any_of(variables.begin(), variables.end(), [&](VarId v) { return HasVariable(At(f.base).free, v); });
    if (depends) inside.push_back(f);
    else outside.factors.push_back(f);
  }
  std::vector<VarId> left;
  for (VarId v : variables) {
    const bool occurs =
        std::any_of(inside.begin(), inside.end(), [&](const Factor& f) { return HasVariable(At(f.base).free, v); });
    if (occurs) {
      left.push_back(v);
    } else {
      outside.real = outside.real * static_cast<double>(VariableAt(v).size);
      outside.integer =
          static_cast<int64_t>(static_cast<uint64_t>(outside.integer) * static_cast<uint64_t>(VariableAt(v).size));
    }
  }
  // Factors without common variables give a product of sums.
  while (!inside.empty() && !left.empty()) {
    std::vector<Factor> part{inside.back()};
    inside.pop_back();
    std::vector<VarId> over;
    for (bool grew = true; grew;) {
      grew = false;
      for (size_t k = 0; k < left.size(); ++k) {
        if (std::any_of(part.begin(), part.end(),
                        [&](const Factor& f) { return HasVariable(At(f.base).free, left[k]); })) {
          over.push_back(left[k]);
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(k--));
          grew = true;
        }
      }
      for (size_t k = 0; k < inside.size(); ++k) {
        if (std::any_of(over.begin(), over.end(), [&](VarId v) { return HasVariable(At(inside[k].base).free, v); })) {
          part.push_back(inside[k]);
          inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(k--));
          grew = true;
        }
      }
    }
    Expr e;
    e.kind = Expr::Kind::kBind;
    e.type = type;
    e.op = HloOpcode::kAdd;
    e.tag = kSumOf;
    // Made directly, since multiplying it out would recurse into this function.
    Expr body;
    body.type = type;
    std::sort(part.begin(), part.end());
    body.sum = {{IsInteger(type) ? 0.0 : 1.0, IsInteger(type) ? 1 : 0, part}};
    const bool single = part.size() == 1 && part[0].power == kOne && TypeOf(part[0].base) == type;
    e.args = {single ? part[0].base : Make(std::move(body))};
    ExprId sum = Bound(std::move(e), std::move(over), false);
    // Renaming the variables may extract a coefficient from a factor; the coefficient moves out of the sum.
    if (const Expr& made = At(sum); made.kind == Expr::Kind::kBind && made.tag == kSumOf) {
      const Expr& of = At(made.args[0]);
      if (of.kind == Expr::Kind::kSum && of.sum.size() == 1 && !of.sum[0].factors.empty() &&
          (IsInteger(type) ? of.sum[0].integer != 1 : of.sum[0].real != 1)) {
        Monomial bare = of.sum[0];
        outside.real = outside.real * bare.real;
        outside.integer =
            static_cast<int64_t>(static_cast<uint64_t>(outside.integer) * static_cast<uint64_t>(bare.integer));
        bare.real = IsInteger(type) ? 0 : 1, bare.integer = IsInteger(type) ? 1 : 0;
        Expr again = made;
        again.args[0] = Sum({std::move(bare)}, type);
        sum = Make(std::move(again));
      }
    }
    outside.factors.push_back({Named(sum), kOne});
  }
  outside.factors.insert(outside.factors.end(), inside.begin(), inside.end());
  Polynomial product = Expanded(std::move(outside), type);
  out.insert(out.end(), product.begin(), product.end());
}

ExprId Exprs::SumOver(std::vector<VarId> variables, ExprId body) {
  const PrimitiveType type = TypeOf(body);
  std::erase_if(variables, [&](VarId v) { return VariableAt(v).size == 1; });
  if (std::any_of(variables.begin(), variables.end(), [&](VarId v) { return VariableAt(v).size == 0; }))
    return IsInteger(type) ? Integer(0, type) : Real(0);
  if (variables.empty()) return body;
  Uses(kRounds);
  Polynomial out;
  for (const Monomial& m : PolynomialOf(body)) SumOfMonomial(variables, m, type, out);
  return Sum(std::move(out), type);
}

ExprId Exprs::SumOfExps(std::vector<VarId> variables, ExprId body, ExprId mask) {
  while (TakeNeutral(HloOpcode::kMaximum, body, mask)) continue;  // the exponential of -inf is 0
  Uses(kRounds | kFiniteOnly);
  return SumOver(std::move(variables), If(mask, Function(HloOpcode::kExp, TypeOf(body), {body}), Real(0)));
}

// A partial result is read at the member's number alone. A shard is read at an index of the whole, of which that is a
// part.
bool Exprs::IsPartialResult(const Expr& leaf) const {
  return member_ >= 0 && std::any_of(leaf.index.begin(), leaf.index.end(), [&](const Index& index) {
           std::vector<VarId> free;
           AddFree(index, free);
           return !free.empty() && std::all_of(free.begin(), free.end(), [&](VarId v) { return v == member_; });
         });
}

ExprId Exprs::SumOverMembers(VarId member, ExprId body) {
  const VarId outer = std::exchange(member_, member);
  const ExprId sum = SumOver({member}, body);
  member_ = outer;
  return sum;
}

// ---- Minimum, maximum, and ----

ExprId Exprs::ExtremeOver(HloOpcode op, std::vector<VarId> variables, ExprId body, ExprId mask) {
  const PrimitiveType type = TypeOf(body);
  std::erase_if(variables, [&](VarId v) { return VariableAt(v).size == 1; });
  // A product depends on the number of copies of an element; other extremes do not.
  const bool product = op == HloOpcode::kMultiply;
  // Conditions that bound one variable alone narrow its range.
  for (int turn = 0; turn < 32; ++turn) {
    bool changed = TakeNeutral(op, body, mask);
    std::vector<ExprId> conditions{mask};
    if (const Expr& x = At(mask); x.kind == Expr::Kind::kFunction && x.op == HloOpcode::kAnd) conditions = x.args;
    for (size_t k = 0; k < conditions.size() && !changed; ++k) {
      const Expr& x = At(conditions[k]);
      if (x.kind != Expr::Kind::kGuard || x.tag != 0 || x.index[0].terms.size() != 1) continue;
      for (VarId& v : variables) {
        if (VariableAt(v).size <= 1 || x.index[0].terms[0].first != Var(v).terms[0].first) continue;
        const int64_t c = x.index[0].constant, factor = x.index[0].terms[0].second;
        int64_t low = 0, high = VariableAt(v).size - 1;
        if (factor > 0) low = std::max(low, CeilOf(-c, factor));
        else high = std::min(high, FloorOf(c, -factor));
        if (high < low) break;
        const VarId narrow = Fresh(high - low + 1);
        ExprId rest = True();
        for (size_t j = 0; j < conditions.size(); ++j) {
          if (j != k) rest = And(rest, conditions[j]);
        }
        const Substitution by{{v, Plus(Var(narrow), Number(low))}};
        v = narrow;
        body = Substitute(body, by);
        mask = Substitute(rest, by);
        changed = true;
        break;
      }
    }
    if (const auto moved = changed ? std::nullopt : MovedVariable(variables, conditions, {body})) {
      ExprId rest = True();
      for (ExprId condition : conditions) {
        if (std::find(moved->implied.begin(), moved->implied.end(), condition) == moved->implied.end())
          rest = And(rest, Substitute(condition, moved->by));
      }
      for (ExprId condition : moved->conditions) rest = And(rest, condition);
      variables[moved->variable] = moved->made;
      body = Substitute(body, moved->by);
      mask = rest;
      changed = true;
    }
    // Nested extremes of one kind are merged.
    ExprId inner = body;
    if (!changed && IsNamed(inner)) {
      const Expr& value = Unnamed(inner);
      if (value.kind == Expr::Kind::kBind && value.tag == kExtremeOf && value.op == op) inner = Opened(inner);
    }
    const Expr& x = At(inner);
    if (!changed && x.kind == Expr::Kind::kBind && x.tag == kExtremeOf && x.op == op) {
      Substitution open;
      for (VarId v : x.bound) {
        variables.push_back(Fresh(VariableAt(v).size));
        open.push_back({v, Var(variables.back())});
      }
      body = Substitute(x.args[0], open);
      mask = And(mask, Substitute(x.args[1], open));
      changed = true;
    }
    if (!changed && turn < 16) {
      Ordered order{variables, {body, mask}, std::vector<Index>(variables.size())};
      if (CutOrJoin(order)) {
        variables = std::move(order.variables);
        body = order.bodies[0], mask = order.bodies[1];
        changed = true;
      }
    }
    if (!changed || Spent()) break;
  }
  std::erase_if(variables, [&](VarId v) {
    return VariableAt(v).size == 1 ||
           (!product && VariableAt(v).size > 0 && !HasVariable(At(body).free, v) && !HasVariable(At(mask).free, v));
  });
  if (variables.empty() && mask == True()) return body;
  if (op == HloOpcode::kAnd && type == PrimitiveType::PRED) {
    // Few conditions are enumerated.
    constexpr int64_t kFew = 16;
    int64_t count = 1;
    for (VarId v : variables) count = std::min<int64_t>(count * VariableAt(v).size, kFew + 1);
    if (count <= kFew) {
      if (const ExprId opened = Opened(body); opened >= 0) body = opened;
      const ExprId each = Or(Not(mask), body);
      ExprId all = True();
      for (int64_t k = 0; k < count; ++k) {
        Substitution by;
        int64_t rest = k;
        for (VarId v : variables) {
          by.push_back({v, Number(rest % VariableAt(v).size)});
          rest /= VariableAt(v).size;
        }
        all = And(all, Substitute(each, by));
      }
      return all;
    }
  }
  Expr e;
  e.kind = Expr::Kind::kBind;
  e.type = type;
  e.op = op;
  e.tag = kExtremeOf;
  e.args = {body, mask};
  return Named(Bound(std::move(e), std::move(variables), false));
}

ExprId Exprs::Row(HloOpcode op, std::vector<int64_t> data, std::vector<VarId> variables, std::vector<ExprId> bodies,
                  std::vector<Index> at, PrimitiveType type) {
  Expr e;
  e.kind = Expr::Kind::kBind;
  e.type = type;
  e.op = op;
  e.tag = kRow;
  e.data = std::move(data);
  e.args = std::move(bodies);
  e.index = std::move(at);
  const bool any_order = op == HloOpcode::kReduce && e.data[0] < 0;
  return Named(Bound(std::move(e), std::move(variables), !any_order));
}

// ---- Variables and masks ----

// A sum over v of f(v + c) with the condition 0 <= v + c becomes a sum over u = v + c, if u has no more values than v,
// with the bounds of v as conditions: a prefix sum over a zero-padded window becomes one over the array.
std::optional<Exprs::Moved> Exprs::MovedVariable(const std::vector<VarId>& variables,
                                                 const std::vector<ExprId>& conditions,
                                                 const std::vector<ExprId>& parts) {
  for (size_t k = 0; k < variables.size(); ++k) {
    const VarId v = variables[k];
    const int64_t size = VariableAt(v).size;
    if (size <= kFewTaps) continue;
    const Index self = Var(v);
    const auto factor_of = [&](const Index& index) -> int64_t {
      int64_t factor = 0;
      for (const auto& [term, f] : index.terms) {
        if (term == self.terms[0].first) factor = f;
        else if (HasVariable(TermAt(term).free, v)) return 0;
      }
      return factor;
    };
    for (ExprId low : conditions) {
      const Expr& guard = At(low);
      if (guard.kind != Expr::Kind::kGuard || guard.tag != 0 || guard.index[0].terms.size() < 2) continue;
      const Index moved = guard.index[0];
      if (factor_of(moved) != 1) continue;
      const Index by = Plus(moved, self, -1);
      std::vector<VarId> free;
      AddFree(by, free);
      if (std::any_of(free.begin(), free.end(),
                      [&](VarId f) { return std::find(variables.begin(), variables.end(), f) != variables.end(); }))
        continue;
      Moved result{k, -1, {}, {low}, {}};
      int64_t high = RangeOf(moved).high;
      for (ExprId other : conditions) {
        const Expr& x = At(other);
        if (x.kind != Expr::Kind::kGuard || x.tag != 0 || factor_of(x.index[0]) != -1) continue;
        const Index both = Plus(x.index[0], moved);
        if (!both.terms.empty()) continue;
        high = std::min(high, both.constant);
        result.implied.push_back(other);
      }
      if (high < 0 || high >= size) continue;
      result.made = Fresh(high + 1);
      const Index made = Var(result.made), back = Plus(made, by, -1);
      result.by = {{v, back}};
      // Only if the values are then read at u alone.
      bool plain = true, read = false;
      for (ExprId part : parts) {
        ForEachBelow(
            Substitute(part, result.by), [](ExprId) {},
            [&](const Index& index) {
              bool has = false, more = false;
              for (const auto& [term, factor] : index.terms) {
                const std::vector<VarId>& of = TermAt(term).free;
                const bool here = HasVariable(of, result.made);
                has = has || here;
                more = more || (here && of.size() > 1) || (!here && std::any_of(of.begin(), of.end(), [&](VarId f) {
                         return std::find(free.begin(), free.end(), f) != free.end();
                       }));
              }
              read = read || has;
              plain = plain && !(has && more);
            });
      }
      if (!plain || !read) continue;
      result.conditions = {Guard(false, back), Guard(false, Plus(Number(size - 1), back, -1))};
      return result;
    }
  }
  return std::nullopt;
}

// The maximum of a body that is -inf unless a condition holds is the maximum over the elements for which it holds;
// likewise for the minimum.
bool Exprs::TakeNeutral(HloOpcode op, ExprId& body, ExprId& mask) {
  const PrimitiveType type = TypeOf(body);
  const Expr& x = At(body);
  if (x.kind != Expr::Kind::kSum || x.sum.size() < 2 || x.sum.size() > 8 || type == PrimitiveType::PRED ||
      (op != HloOpcode::kMaximum && op != HloOpcode::kMinimum && op != HloOpcode::kMultiply))
    return false;
  if (type != PrimitiveType::F64 && !IsInteger(type)) return false;
  const bool largest = op == HloOpcode::kMaximum;
  const auto is_neutral = [&](ExprId e) {
    if (op == HloOpcode::kMultiply) return e == (IsInteger(type) ? Integer(1, type) : Real(1));
    if (type == PrimitiveType::F64) return NumberOf(e) == std::optional<double>(largest ? -INFINITY : INFINITY);
    return e == Constant(largest ? Literal::MinValue(type) : Literal::MaxValue(type), 0);
  };
  for (const Monomial& m : x.sum) {
    std::vector<ExprId> conditions;
    for (const Factor& f : m.factors) {
      if (TypeOf(f.base) == PrimitiveType::PRED) conditions.push_back(f.base);
    }
    if (conditions.empty()) continue;
    // The values of the body where the conditions do not all hold.
    ExprId otherwise = -1;
    Replacement hold;
    for (ExprId condition : conditions) {
      hold[condition] = True();
      hold[Not(condition)] = False();
    }
    if (conditions.size() == 1) {
      otherwise = Replaced(body, {{conditions[0], False()}, {Not(conditions[0]), True()}});
    } else {
      Polynomial rest;
      for (const Monomial& other : x.sum) {
        const bool all = std::all_of(conditions.begin(), conditions.end(), [&](ExprId condition) {
          return std::any_of(other.factors.begin(), other.factors.end(),
                             [&](const Factor& f) { return f.base == condition; });
        });
        if (!all) rest.push_back(other);
      }
      otherwise = Sum(std::move(rest), type);
    }
    const ExprId inside = Replaced(body, hold);
    if (conditions.size() == 1 && is_neutral(inside) && !is_neutral(otherwise)) {
      // -inf where the condition holds.
      body = otherwise;
      mask = And(mask, Not(conditions[0]));
      return true;
    }
    if (!is_neutral(otherwise) || is_neutral(inside)) continue;
    body = inside;
    for (ExprId condition : conditions) mask = And(mask, condition);
    return true;
  }
  return false;
}

}  // namespace hloir::equivalence::inside
