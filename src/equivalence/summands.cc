// Sums and extremes as summands whose variables all occur as places in what they read. See summands.h.
#include "equivalence/summands.h"

#include <algorithm>

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostSummands = 96;
constexpr size_t kMostFactors = 12;  // of a summand, without conditions
constexpr int64_t kFewValues = 8;    // values of a variable that are tried one by one
constexpr size_t kMostInside = 40;   // conditions inside the parts of a summand that are decided

}  // namespace

bool IsBound(const Exprs& x, ExprId e) {
  const Expr* c = &x.At(e);
  if (c->kind == Expr::Kind::kFunction && c->op == HloOpcode::kNot) c = &x.At(c->args[0]);
  if (c->kind != Expr::Kind::kGuard) return false;
  std::vector<const Index*> work{&c->index[0]};
  while (!work.empty()) {
    const Index* index = work.back();
    work.pop_back();
    for (const auto& [term, factor] : index->terms) {
      const IndexTerm& t = x.TermAt(term);
      if (t.kind == IndexTerm::Kind::kValue) return false;
      if (t.kind == IndexTerm::Kind::kDivMod) work.push_back(&t.inner);
    }
  }
  return true;
}

bool Regions::AddOpened(const Monomial& m, size_t factor, std::vector<VarId> over, bool second) {
  const Expr& bind = x_.At(m.factors[factor].base);
  Exprs::Substitution open;
  for (VarId v : bind.bound) {
    over.push_back(x_.Fresh(x_.VariableAt(v).size));
    open.push_back({v, x_.Var(over.back())});
  }
  const ExprId body = x_.Substitute(bind.args[0], open);
  const Polynomial sum =
      x_.TypeOf(body) == PrimitiveType::PRED ? Polynomial{{1, 1, {{body, kOne}}}} : x_.PolynomialOf(body);
  for (size_t k = 0; k < m.factors.size(); ++k)
    finite_only_ = finite_only_ || (k != factor && x_.TypeOf(m.factors[k].base) != PrimitiveType::PRED);
  for (const Monomial& inner : sum) {
    Monomial product = m;
    product.factors.erase(product.factors.begin() + static_cast<std::ptrdiff_t>(factor));
    product.real = product.real * inner.real;
    product.integer = static_cast<int64_t>(static_cast<uint64_t>(m.integer) * static_cast<uint64_t>(inner.integer));
    for (const Factor& f : inner.factors) {
      const auto same = std::find_if(product.factors.begin(), product.factors.end(),
                                     [&](const Factor& known) { return known.base == f.base; });
      if (same == product.factors.end()) product.factors.push_back(f);
      else if (x_.TypeOf(f.base) == PrimitiveType::PRED) continue;
      else if (f.power > 0 && same->power > 0) same->power += f.power;
      else return false;
    }
    if (!AddProduct(std::move(product), over, second)) return false;
  }
  return true;
}

bool Regions::AddProduct(Monomial m, std::vector<VarId> over, bool second) {
  if (summands_.size() >= kMostSummands || x_.Spent(4)) return false;
  for (size_t k = 0; k < m.factors.size(); ++k) {
    const Expr& f = x_.At(m.factors[k].base);
    if (f.kind == Expr::Kind::kBind && f.tag == kSumOf && m.factors[k].power == kOne && f.type == type_)
      return AddOpened(m, k, std::move(over), second);
  }
  Summand s;
  s.second = second;
  s.real = m.real, s.integer = m.integer;
  s.over = std::move(over);
  std::vector<ExprId> conditions;
  for (const Factor& f : m.factors) {
    if (x_.TypeOf(f.base) == PrimitiveType::PRED) conditions.push_back(f.base);
    else s.parts.push_back(f);
  }
  while (!conditions.empty()) {
    const ExprId c = conditions.back();
    conditions.pop_back();
    const Expr& e = x_.At(c);
    if (e.kind == Expr::Kind::kFunction && e.op == HloOpcode::kAnd)
      conditions.insert(conditions.end(), e.args.begin(), e.args.end());
    else if (IsBound(x_, c)) s.bounds.push_back(c);
    else s.parts.push_back({c, kOne});
  }
  return s.parts.size() <= kMostFactors && Finish(std::move(s));
}

// The parts of max(a, b), and of max over v of a where a mask holds.
bool Regions::AddExtreme(HloOpcode op, ExprId e, bool second) {
  const Expr& z = x_.At(e);
  if (z.kind == Expr::Kind::kFunction && z.op == op && z.type == type_)
    return std::all_of(z.args.begin(), z.args.end(), [&](ExprId arg) { return AddExtreme(op, arg, second); });
  Summand s;
  s.second = second;
  s.integer = 1;
  ExprId body = e, mask = x_.True();
  if (z.kind == Expr::Kind::kBind && z.tag == kExtremeOf && z.op == op) {
    Exprs::Substitution open;
    for (VarId v : z.bound) {
      s.over.push_back(x_.Fresh(x_.VariableAt(v).size));
      open.push_back({v, x_.Var(s.over.back())});
    }
    body = x_.Substitute(z.args[0], open), mask = x_.Substitute(z.args[1], open);
  }
  s.parts = {{body, kOne}};
  std::vector<ExprId> conditions{mask};
  while (!conditions.empty()) {
    const ExprId c = conditions.back();
    conditions.pop_back();
    const Expr& of = x_.At(c);
    if (of.kind == Expr::Kind::kFunction && of.op == HloOpcode::kAnd)
      conditions.insert(conditions.end(), of.args.begin(), of.args.end());
    else if (IsBound(x_, c)) s.bounds.push_back(c);
    else s.parts.push_back({c, kOne});
  }
  return summands_.size() < kMostSummands && s.parts.size() <= kMostFactors && Finish(std::move(s));
}

// The summand for each value of a variable.
bool Regions::AddTaps(const Summand& s, VarId tap) {
  std::vector<VarId> over = s.over;
  std::erase(over, tap);
  for (int64_t k = 0; k < x_.VariableAt(tap).size; ++k) {
    const Exprs::Substitution by{{tap, Exprs::Number(k)}};
    if (!sums_) {
      Summand at = s;
      at.over = over;
      bool never = false;
      for (ExprId& bound : at.bounds) {
        bound = x_.Substitute(bound, by);
        never = never || bound == x_.False();
      }
      for (Factor& f : at.parts) f.base = x_.Substitute(f.base, by);
      if (!never && (summands_.size() >= kMostSummands || !Finish(std::move(at)))) return false;
      continue;
    }
    ExprId product = x_.Sum({{s.real, s.integer, {}}}, type_), holds = x_.True();
    for (ExprId bound : s.bounds) holds = x_.And(holds, x_.Substitute(bound, by));
    for (const Factor& f : s.parts) {
      const ExprId base = x_.Substitute(f.base, by);
      if (x_.TypeOf(base) == PrimitiveType::PRED) holds = x_.And(holds, base);
      else product = x_.Multiply(product, f.power == kOne ? base : x_.Power(base, f.power));
    }
    const ExprId zero = x_.Sum({}, type_);
    for (const Monomial& m : x_.PolynomialOf(x_.If(holds, product, zero))) {
      if (!AddProduct(m, over, s.second)) return false;
    }
  }
  return true;
}

// Decides conditions inside the parts that the summand's bounds imply or exclude.
void Regions::Decide(Summand& s) {
  std::set<ExprId> inside;
  for (const Factor& f : s.parts) {
    x_.ForEachBelow(
        f.base,
        [&](ExprId e) {
          if (x_.At(e).kind == Expr::Kind::kGuard && IsBound(x_, e)) inside.insert(e);
        },
        [](const Index&) {});
  }
  if (inside.empty() || inside.size() > kMostInside) return;
  std::vector<Condition> outside;
  if (!AddBounds(s, {}, outside)) return;
  Exprs::Replacement decided;
  for (ExprId e : inside) {
    std::vector<Condition> condition;
    if (!ConditionOf(e, {}, condition)) continue;
    std::vector<Condition> all = Facts();
    all.insert(all.end(), outside.begin(), outside.end());
    all.push_back(condition[0]);
    if (!MayHold(Connected(all), work_)) {
      decided[e] = x_.False();
      continue;
    }
    bool may_fail = false;
    for (const int64_t sign : {-1, 1}) {
      if (sign > 0 && condition[0].kind == Condition::Kind::kAtLeastZero) continue;
      const std::optional<Linear> fails = Plus({-1, {}}, condition[0].value, sign);
      if (fails) all.back() = {Condition::Kind::kAtLeastZero, *fails};
      may_fail = may_fail || !fails || MayHold(Connected(all), work_);
    }
    if (!may_fail) decided[e] = x_.True();
  }
  if (decided.empty()) return;
  for (Factor& f : s.parts) f.base = x_.Replaced(f.base, decided);
}

// A condition under which a sum has a summand; -1: none.
ExprId Regions::FirstBound(ExprId e) const {
  for (const Monomial& m : x_.At(e).sum) {
    for (const Factor& f : m.factors) {
      if (x_.TypeOf(f.base) == PrimitiveType::PRED && IsBound(x_, f.base)) return f.base;
    }
  }
  return -1;
}

// Keeps a summand whose variables all occur as places in what it reads.
bool Regions::Finish(Summand s) {
  if (const ExprId bound = sums_ ? -1 : FirstBound(s.parts[0].base); bound >= 0) {
    // An extreme over pieces is one over each.
    for (const ExprId holds : {bound, x_.Not(bound)}) {
      Summand piece = s;
      piece.bounds.push_back(holds);
      piece.parts[0].base = x_.Replaced(s.parts[0].base, {{bound, holds == bound ? x_.True() : x_.False()},
                                                          {x_.Not(bound), holds == bound ? x_.False() : x_.True()}});
      if (!Possible(piece)) continue;
      if (piece.parts[0].base == s.parts[0].base || piece.bounds.size() > kMostInside ||
          summands_.size() >= kMostSummands || !Finish(std::move(piece)))
        return false;
    }
    return true;
  }
  for (VarId v : s.over) {
    if (x_.VariableAt(v).size > kFewValues) continue;
    bool place = false, inside = false;
    for (const Factor& f : s.parts) {
      if (!HasVariable(x_.At(f.base).free, v)) continue;
      x_.ForEachBelow(
          f.base, [](ExprId) {},
          [&](const Index& index) {
            for (const auto& [term, factor] : index.terms) {
              const IndexTerm& t = x_.TermAt(term);
              if (t.kind == IndexTerm::Kind::kVar) place = place || t.var == v;
              else if (t.kind == IndexTerm::Kind::kDivMod) inside = inside || HasVariable(t.free, v);
            }
          });
    }
    if (!place || inside) return AddTaps(s, v);
  }
  // Each summand has variables of its own.
  Exprs::Substitution by;
  for (VarId& v : s.over) {
    const VarId own = x_.Fresh(x_.VariableAt(v).size);
    by.push_back({std::exchange(v, own), x_.Var(own)});
    bound_.insert(own);
  }
  for (ExprId& bound : s.bounds) bound = x_.Substitute(bound, by);
  for (Factor& f : s.parts) f.base = x_.Substitute(f.base, by);
  Decide(s);
  summands_.push_back(std::move(s));
  return true;
}

}  // namespace hloir::equivalence::inside
