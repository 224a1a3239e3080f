// Integers as polynomials modulo 2^n, and bits as polynomials of and and xor. See prove_terms.h.
#include <algorithm>
#include <utility>

#include "equivalence/prove_algebra.h"

namespace hloir::equivalence {

bool Terms::Times(Polynomial& a, const Polynomial& b, bool bits) const {
  Polynomial product;
  if (a.size() * b.size() > kMostMonomials * kMostMonomials) return false;
  for (const auto& [x, m] : a) {
    for (const auto& [y, n] : b) {
      std::vector<int32_t> key;
      if (bits) std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(key));
      else std::merge(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(key));
      if (key.size() > kMostFactors) return false;
      if (bits) product[std::move(key)] ^= m & n;
      else product[std::move(key)] += m * n;
    }
  }
  std::erase_if(product, [](const auto& entry) { return entry.second == 0; });
  a = std::move(product);
  return a.size() <= kMostMonomials;
}

namespace {

std::map<std::vector<int32_t>, uint64_t> Decoded(const Term* t) {
  std::map<std::vector<int32_t>, uint64_t> p;
  for (size_t at = 0; at < t->data.size();) {
    std::vector<int32_t> key;
    const uint64_t factor = static_cast<uint64_t>(t->data[at]);
    const size_t count = static_cast<size_t>(t->data[at + 1]);
    at += 2;
    for (size_t k = 0; k < count; ++k, ++at) key.push_back(t->operands[static_cast<size_t>(t->data[at])]->id);
    p[key] = factor;
  }
  return p;
}

}  // namespace

bool IsNegated(const Term* condition) {
  return condition->kind == Term::Kind::kBits && Decoded(condition).contains({});
}

Terms::Polynomial Terms::RingOf(const Term* t) {
  if (t->kind == Term::Kind::kRing) return Decoded(t);
  if (const std::optional<int64_t> value = SplatInteger(t)) return {{{}, static_cast<uint64_t>(*value)}};
  if (IsOp(t, HloOpcode::kSelect)) {
    // One of two numbers is the second plus their difference times the condition.
    const std::optional<int64_t> if_true = SplatInteger(t->operands[1]), if_false = SplatInteger(t->operands[2]);
    if (if_true && if_false) {
      const uint64_t least = static_cast<uint64_t>(*if_false);
      return {{{}, least}, {{Convert(t->shape, t->operands[0])->id}, static_cast<uint64_t>(*if_true) - least}};
    }
  }
  if (const Term* condition = ConditionOf(t); condition != nullptr && IsNegated(condition)) {
    // The conversion of a negated condition is 1 minus that of the condition.
    return {{{}, 1}, {{Convert(t->shape, Not(condition))->id}, ~uint64_t{0}}};
  }
  if (t->kind == Term::Kind::kBits) {
    // not A is -1 - A.
    Polynomial p = Decoded(t);
    if (const auto constant = p.find({}); constant != p.end() && constant->second == MaskOf(t->shape.element_type())) {
      p.erase(constant);
      Polynomial rest = RingOf(FromPolynomial(p, t->shape, true));
      for (auto& [key, factor] : rest) factor = -factor;
      rest[{}] -= 1;
      return rest;
    }
  }
  return {{{t->id}, 1}};
}

Terms::Polynomial Terms::BitsOf(const Term* t) {
  if (t->kind == Term::Kind::kBits) return Decoded(t);
  const uint64_t ones = MaskOf(t->shape.element_type());
  if (const std::optional<int64_t> value = SplatInteger(t)) {
    if ((static_cast<uint64_t>(*value) & ones) == 0) return {};
    return {{{}, static_cast<uint64_t>(*value) & ones}};
  }
  return {{{t->id}, ones}};
}

const Term* Terms::FromPolynomial(const Polynomial& given, const Shape& shape, bool bits) {
  const PrimitiveType type = shape.element_type();
  const uint64_t ones = MaskOf(type);
  Polynomial p;
  for (const auto& [key, factor] : given) {
    if ((factor & ones) != 0) p[key] = factor & ones;
  }
  if (p.empty()) return SplatOf(shape, 0);
  const auto constant = p.find({});
  if (p.size() == 1) {
    const auto& [key, factor] = *p.begin();
    if (key.empty()) {
      // The factor as a number of the type: sign-extended if the type is signed.
      int64_t value = static_cast<int64_t>(factor);
      if (IsSigned(type) && WidthOfTerm(type) < 64 && (factor >> (WidthOfTerm(type) - 1) & 1) != 0)
        value = static_cast<int64_t>(factor | ~ones);
      return SplatOf(shape, value);
    }
    if (key.size() == 1 && factor == (bits ? ones : 1)) return At(key[0]);
  }
  const bool is_not = p.size() == 2 && constant != p.end() && constant->second == ones && p.rbegin()->second == ones;
  if ((!bits || is_not) && p.size() == (constant != p.end() ? 2 : 1) && p.rbegin()->first.size() == 1) {
    // A multiple of a converted condition, plus a number, is one of two numbers.
    if (const Term* condition = ConditionOf(At(p.rbegin()->first[0]))) {
      const uint64_t least = constant != p.end() ? constant->second : 0;
      const Term* if_true = FromPolynomial({{{}, least + p.rbegin()->second}}, shape, false);
      return Select(shape, {condition, if_true, FromPolynomial({{{}, least}}, shape, false)});
    }
  }
  // -1 - A is not A; if A is a sum, not A is a sum.
  if (is_not) {
    const std::vector<int32_t>& key = p.rbegin()->first;
    if (key.size() == 1) {
      const Term* atom = At(key[0]);
      const bool is_sum = atom->kind == Term::Kind::kRing;
      if (bits && is_sum) {
        Polynomial sum = RingOf(atom);
        for (auto& [unused, f] : sum) f = -f;
        sum[{}] -= 1;
        return FromPolynomial(sum, shape, false);
      }
      bits = true;  // both have the same normal form
    }
  }
  Term t;
  t.kind = bits ? Term::Kind::kBits : Term::Kind::kRing;
  t.shape = shape.WithoutLayout();
  std::vector<int32_t> atoms;
  for (const auto& [key, factor] : p) atoms.insert(atoms.end(), key.begin(), key.end());
  std::sort(atoms.begin(), atoms.end());
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
  for (int32_t atom : atoms) t.operands.push_back(At(atom));
  for (const auto& [key, factor] : p) {
    t.data.push_back(static_cast<int64_t>(factor));
    t.data.push_back(static_cast<int64_t>(key.size()));
    for (int32_t atom : key) t.data.push_back(std::lower_bound(atoms.begin(), atoms.end(), atom) - atoms.begin());
  }
  return Make(std::move(t));
}

const Term* Terms::Not(const Term* x) {
  Polynomial p = BitsOf(x);
  p[{}] ^= MaskOf(x->shape.element_type());
  return FromPolynomial(p, x->shape, true);
}

}  // namespace hloir::equivalence
