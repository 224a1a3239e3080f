// Indices and conditions as linear conditions on unknowns: variables, and quotients. See summands.h.
#include <algorithm>
#include <numeric>

#include "equivalence/summands.h"

namespace hloir::equivalence::inside {
namespace {

// An equation without a common factor.
void Reduce(Linear& equation) {
  int64_t common = equation.constant;
  for (const auto& [unknown, factor] : equation.terms) common = std::gcd(common, factor);
  if (common <= 1) return;
  equation.constant /= common;
  for (auto& [unknown, factor] : equation.terms) factor /= common;
}

}  // namespace

std::vector<Condition> Connected(const std::vector<Condition>& all) {
  std::vector<Condition> found{all.back()};
  std::vector<bool> taken(all.size(), false);
  taken.back() = true;
  std::set<int32_t> unknowns;
  for (size_t next = 0; next < found.size(); ++next) {
    std::set<int32_t> more;
    for (const auto& [unknown, factor] : found[next].value.terms) {
      if (unknowns.insert(unknown).second) more.insert(unknown);
    }
    for (size_t k = 0; k < all.size() && !more.empty(); ++k) {
      if (taken[k] || std::none_of(all[k].value.terms.begin(), all[k].value.terms.end(),
                                   [&](const auto& term) { return more.count(term.first) != 0; }))
        continue;
      taken[k] = true;
      found.push_back(all[k]);
    }
  }
  return found;
}

int32_t Regions::UnknownOf(VarId v) {
  const auto [found, is_new] = unknowns_.try_emplace(v, next_);
  if (is_new) ++next_;
  return found->second;
}

// inner div `by`: what `by` divides, and an unknown for the rest.
std::optional<Linear> Regions::Quotient(const Linear& inner, int64_t by) {
  if (by == 1) return inner;
  Linear whole, rest;
  const auto split = [&](int64_t value) { return value / by - (value % by < 0); };
  whole.constant = split(inner.constant), rest.constant = inner.constant - whole.constant * by;
  for (const auto& [unknown, factor] : inner.terms) {
    if (factor % by == 0) whole.terms.push_back({unknown, factor / by});
    else rest.terms.push_back({unknown, factor});
  }
  if (rest.terms.empty()) return whole;
  std::map<int64_t, int32_t>& known = quotients_[rest];
  const auto [found, is_new] = known.try_emplace(by, next_);
  if (is_new) {
    ++next_;
    // 0 <= number - step * quotient < step, also for quotients of quotients.
    const auto divides = [&](const Linear& number, int32_t quotient, int64_t step) {
      const std::optional<Linear> left = Plus(number, Linear::Of(quotient), -step);
      const std::optional<Linear> most = left ? Plus({step - 1, {}}, *left, -1) : std::nullopt;
      overflowed_ = overflowed_ || !most;
      if (!most) return;
      facts_.push_back({Condition::Kind::kAtLeastZero, *left});
      facts_.push_back({Condition::Kind::kAtLeastZero, *most});
    };
    divides(rest, found->second, by);
    for (const auto& [other, quotient] : known) {
      if (other < by && by % other == 0) divides(Linear::Of(quotient), found->second, by / other);
      if (other > by && other % by == 0) divides(Linear::Of(found->second), quotient, other / by);
    }
  }
  return Plus(whole, Linear::Of(found->second));
}

// (inner div `div`) mod `mod`; mod 0: no mod.
std::optional<Linear> Regions::DividedBy(const Linear& inner, int64_t div, int64_t mod) {
  const std::optional<Linear> quotient = Quotient(inner, div);
  if (!quotient || mod == 0) return quotient;
  const std::optional<Linear> above = Quotient(inner, div * mod);
  return above ? Plus(*quotient, *above, -mod) : std::nullopt;
}

// `values` replaces unknowns of variables. Empty where the index depends on data, or on overflow.
std::optional<Linear> Regions::LinearOf(const Index& index, const Values& values) {
  std::optional<Linear> sum = Linear{index.constant, {}};
  for (const auto& [term, factor] : index.terms) {
    const IndexTerm t = x_.TermAt(term);
    std::optional<Linear> part;
    if (t.kind == IndexTerm::Kind::kVar) {
      const int32_t unknown = UnknownOf(t.var);
      const auto value = values.find(unknown);
      part = value == values.end() ? Linear::Of(unknown) : value->second;
    } else if (t.kind == IndexTerm::Kind::kDivMod) {
      const std::optional<Linear> inner = LinearOf(t.inner, values);
      if (!inner) return std::nullopt;
      part = DividedBy(*inner, t.div, t.mod);
      if (!part) return std::nullopt;
    } else {
      return std::nullopt;
    }
    sum = Plus(*sum, *part, factor);
    if (!sum) return std::nullopt;
  }
  return sum;
}

std::optional<Linear> Regions::Replaced(const Linear& value, const Values& values) const {
  std::optional<Linear> sum = Linear{value.constant, {}};
  for (const auto& [unknown, factor] : value.terms) {
    const auto known = values.find(unknown);
    sum = Plus(*sum, known == values.end() ? Linear::Of(unknown) : known->second, factor);
    if (!sum) return std::nullopt;
  }
  return sum;
}

// Determines variables by equations that have one of them with the factor 1 or -1; `alone`: and no other one of them.
void Regions::UseUnits(std::vector<Linear>& equations, std::vector<VarId>& left, Values& values, bool alone) {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = 0; k < equations.size() && !changed; ++k) {
      const auto has = [&](VarId v) { return equations[k].FactorOf(UnknownOf(v)) != 0; };
      if (alone && std::count_if(left.begin(), left.end(), has) != 1) continue;
      for (size_t j = 0; j < left.size() && !changed; ++j) {
        const int32_t unknown = UnknownOf(left[j]);
        const int64_t factor = equations[k].FactorOf(unknown);
        if (factor != 1 && factor != -1) continue;
        const std::optional<Linear> without = Plus(equations[k], Linear::Of(unknown), -factor);
        const std::optional<Linear> value = without ? Plus({}, *without, -factor) : std::nullopt;
        if (!value) continue;
        equations.erase(equations.begin() + static_cast<std::ptrdiff_t>(k));
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(j));
        Put(unknown, *value, equations, values);
        changed = true;
      }
    }
  }
}

// Determines variables that are the digits of a number, as in v = 4 a + b with b < 4.
void Regions::UseDigits(std::vector<Linear>& equations, std::vector<VarId>& left, Values& values) {
  for (size_t k = 0; k < equations.size(); ++k) {
    std::vector<std::pair<int64_t, VarId>> digits;
    Linear number = equations[k];
    int64_t sign = 0;
    bool fits = true;
    for (VarId v : left) {
      const int64_t factor = number.FactorOf(UnknownOf(v));
      if (factor == 0) continue;
      fits = fits && (sign == 0 || (factor > 0) == (sign > 0));
      sign = factor > 0 ? 1 : -1;
      digits.push_back({std::abs(factor), v});
      const std::optional<Linear> without = Plus(number, Linear::Of(UnknownOf(v)), -factor);
      fits = fits && without;
      if (without) number = *without;
    }
    std::sort(digits.begin(), digits.end());
    for (size_t j = 0; j + 1 < digits.size(); ++j) {
      fits = fits && digits[j + 1].first % digits[j].first == 0 &&
             digits[j + 1].first / digits[j].first >= x_.VariableAt(digits[j].second).size;
    }
    const std::optional<Linear> value = Plus({}, number, -sign);
    if (digits.empty() || !fits || !value) continue;
    equations.erase(equations.begin() + static_cast<std::ptrdiff_t>(k));
    for (size_t j = 0; j < digits.size(); ++j) {
      const auto& [step, v] = digits[j];
      const int64_t radix = j + 1 < digits.size() ? digits[j + 1].first / step : 0;
      const std::optional<Linear> digit = DividedBy(*value, step, radix);
      overflowed_ = overflowed_ || !digit;
      if (!digit) return;
      std::erase(left, v);
      Put(UnknownOf(v), *digit, equations, values);
    }
    // What is no multiple of the least step has no digits.
    if (digits[0].first > 1) {
      const std::optional<Linear> rest = DividedBy(*value, 1, digits[0].first);
      overflowed_ = overflowed_ || !rest;
      if (rest) equations.push_back(*rest);
    }
    return UseDigits(equations, left, values);
  }
}

// Replaces an unknown in equations and in the values of others.
void Regions::Put(int32_t unknown, const Linear& value, std::vector<Linear>& equations, Values& values) {
  const Values by{{unknown, value}};
  const auto put = [&](Linear& in) {
    const std::optional<Linear> replaced = Replaced(in, by);
    overflowed_ = overflowed_ || !replaced;
    if (replaced) in = *replaced;
  };
  for (Linear& equation : equations) {
    put(equation);
    Reduce(equation);
  }
  for (auto& [other, known] : values) put(known);
  values[unknown] = value;
}

// The variables in terms of the other unknowns. `rest` receives the equations that remain. Empty if the equations do
// not determine each variable.
std::optional<Regions::Values> Regions::Solved(std::vector<Linear> equations, const std::vector<VarId>& variables,
                                               bool digits, std::vector<Linear>& rest) {
  std::vector<VarId> left = variables;
  Values values;
  for (Linear& equation : equations) Reduce(equation);
  UseUnits(equations, left, values, digits);
  if (digits) UseDigits(equations, left, values);
  UseUnits(equations, left, values, false);
  if (!left.empty() || overflowed_) return std::nullopt;
  for (Linear& equation : equations) {
    if (!equation.terms.empty() || equation.constant != 0) rest.push_back(std::move(equation));
  }
  return values;
}

bool Regions::ConditionOf(ExprId bound, const Values& values, std::vector<Condition>& conditions) {
  const Expr* c = &x_.At(bound);
  const bool negated = c->kind == Expr::Kind::kFunction;
  if (negated) c = &x_.At(c->args[0]);
  const bool equal = c->tag != 0;
  if (negated && !equal) return false;  // (its negation would be a bound)
  const std::optional<Linear> value = LinearOf(Index(c->index[0]), values);
  if (!value) return false;
  conditions.push_back({negated ? Condition::Kind::kNotZero
                        : equal ? Condition::Kind::kZero
                                : Condition::Kind::kAtLeastZero,
                        *value});
  return true;
}

// The conditions of a summand, with the sizes of its variables.
bool Regions::AddBounds(const Summand& s, const Values& values, std::vector<Condition>& conditions) {
  for (VarId v : s.over) {
    const int32_t unknown = UnknownOf(v);
    const auto known = values.find(unknown);
    const Linear value = known == values.end() ? Linear::Of(unknown) : known->second;
    const std::optional<Linear> above = Plus({x_.VariableAt(v).size - 1, {}}, value, -1);
    if (!above) return false;
    conditions.push_back({Condition::Kind::kAtLeastZero, value});
    conditions.push_back({Condition::Kind::kAtLeastZero, *above});
  }
  for (const Condition& c : s.given) {
    const std::optional<Linear> value = Replaced(c.value, values);
    if (!value) return false;
    conditions.push_back({c.kind, *value});
  }
  return std::all_of(s.bounds.begin(), s.bounds.end(),
                     [&](ExprId bound) { return ConditionOf(bound, values, conditions); });
}

// What holds for all unknowns: what quotients mean, and the ranges of variables that no summand binds.
std::vector<Condition> Regions::Facts() const {
  std::vector<Condition> facts = facts_;
  for (const auto& [v, unknown] : unknowns_) {
    if (bound_.count(v) != 0) continue;
    facts.push_back({Condition::Kind::kAtLeastZero, Linear::Of(unknown)});
    facts.push_back({Condition::Kind::kAtLeastZero, {x_.VariableAt(v).size - 1, {{unknown, -1}}}});
  }
  return facts;
}

bool Regions::Possible(const Summand& s) {
  std::vector<Condition> conditions;
  if (!AddBounds(s, {}, conditions)) return true;
  const std::vector<Condition> facts = Facts();
  conditions.insert(conditions.end(), facts.begin(), facts.end());
  return MayHold(conditions, work_);
}

}  // namespace hloir::equivalence::inside
