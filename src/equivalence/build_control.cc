// Loops and branches. A loop is what its condition and body make of classes of carried values: those that begin alike
// and that the body makes alike from classes are one class, so that order, number and copies of what is carried do not
// count. See build.h.
#include <algorithm>
#include <set>

#include "equivalence/build.h"

namespace hloir::equivalence {
namespace {

constexpr int64_t kMostTurns = 4;   // of a loop that is written out
constexpr int kMostRounds = 24;

}  // namespace

Value Builder::Conditional(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in) {
  const ExprId which = operands[0]->front();
  const size_t count = i.called_computations().size();
  std::vector<Value> branches;
  for (size_t k = 0; k < count; ++k) {
    Inside inner = in;
    inner.record = in.record;
    branches.push_back(Evaluate(*i.called_computation(static_cast<int64_t>(k)), {*operands[k + 1]}, inner, {-1}));
    if (!why_.empty()) return {};
  }
  Value result = branches.back();
  if (x_.TypeOf(which) == PrimitiveType::PRED) {
    for (size_t k = 0; k < result.size(); ++k) result[k] = x_.If(which, branches[0][k], branches[1][k]);
    return result;
  }
  for (size_t b = 0; b + 1 < count; ++b) {
    const ExprId taken = x_.Compare(static_cast<int>(ComparisonDirection::kEq), which, x_.Integer(static_cast<int64_t>(b), x_.TypeOf(which)));
    for (size_t k = 0; k < result.size(); ++k) result[k] = x_.If(taken, branches[b][k], result[k]);
  }
  return result;
}

Value Builder::While(const HloInstruction& i, const Value& init, Inside in) {
  const std::vector<const Shape*> shapes = i.shape().Leaves();
  const size_t n = init.size();
  Inside inner = in;
  inner.record = false;
  ++inner.level;
  const auto run = [&](const HloComputation& computation, const Value& carried) { return Evaluate(computation, {carried}, inner, {-1}); };
  // A few turns that are known are written out.
  Value now = init;
  for (int64_t turn = 0; turn <= kMostTurns; ++turn) {
    const Value again = run(*i.while_condition(), now);
    if (!why_.empty()) return {};
    const std::optional<int64_t> known = x_.IntegerOf(again[0]);
    if (!known) break;
    if (*known == 0) return now;
    if (turn == kMostTurns) break;
    now = run(*i.while_body(), now);
    if (!why_.empty()) return {};
    for (ExprId& part : now) part = x_.Named(part);
  }
  // What each turn leaves as it is.
  std::vector<bool> fixed(n, false);
  Value carried(n), next;
  const auto parameter = [&](size_t k, int64_t of) { return RegionParameter(1, inner.level, of, *shapes[k]); };
  for (size_t k = 0; k < n; ++k) carried[k] = parameter(k, -1 - static_cast<int64_t>(k));
  for (int round = 0; round < kMostRounds; ++round) {
    next = run(*i.while_body(), carried);
    if (!why_.empty()) return {};
    bool found = false;
    for (size_t k = 0; k < n; ++k) {
      if (fixed[k] || next[k] != carried[k]) continue;
      fixed[k] = found = true;
      carried[k] = init[k];
    }
    if (!found) break;
  }
  // Classes, until no turn tells two of one class apart.
  std::vector<int64_t> of(n, -1);
  const auto name = [&](std::vector<int64_t> key) {
    Leaf leaf;
    leaf.key = std::move(key);
    leaf.key.insert(leaf.key.begin(), -15);
    return static_cast<int64_t>(x_.LeafOf(std::move(leaf)));
  };
  const auto shape_key = [&](size_t k) {
    std::vector<int64_t> key{static_cast<int64_t>(shapes[k]->element_type())};
    if (shapes[k]->IsArray()) key.insert(key.end(), shapes[k]->dimensions().begin(), shapes[k]->dimensions().end());
    return key;
  };
  for (size_t k = 0; k < n; ++k) {
    std::vector<int64_t> key = shape_key(k);
    key.push_back(init[k]);
    of[k] = name(std::move(key));
  }
  const auto count = [&] {
    std::set<int64_t> all;
    for (size_t k = 0; k < n; ++k) {
      if (!fixed[k]) all.insert(of[k]);
    }
    return all.size();
  };
  Value condition;
  for (int round = 0;; ++round) {
    for (size_t k = 0; k < n; ++k) carried[k] = fixed[k] ? init[k] : parameter(k, of[k]);
    next = run(*i.while_body(), carried);
    if (why_.empty()) condition = run(*i.while_condition(), carried);
    if (!why_.empty()) return {};
    const size_t before = count();
    std::vector<int64_t> made(n, -1);
    for (size_t k = 0; k < n; ++k) {
      if (!fixed[k]) made[k] = name({of[k], next[k], condition[0]});
    }
    of = std::move(made);
    if (count() == before) break;
    if (round == kMostRounds) {
      why_ = "a loop carries too much";
      return {};
    }
  }
  // What each depends on: the classes that a turn reads for it, and those of the condition. Two loops whose closures
  // are the same set of classes are one loop there (each class tells what it was before).
  std::vector<std::vector<size_t>> reads(n + 1);
  for (size_t k = 0; k <= n; ++k) {
    if (k < n && fixed[k]) continue;
    std::set<ExprId> seen;
    std::vector<ExprId> work{k < n ? next[k] : condition[0]};
    std::set<int64_t> leaves;
    while (!work.empty()) {
      const ExprId e = work.back();
      work.pop_back();
      if (!seen.insert(e).second) continue;
      const Expr& expr = x_.At(e);
      if (expr.kind == Expr::Kind::kLeaf && leaves.insert(expr.tag).second) {
        const Leaf& leaf = x_.LeafAt(expr.tag);
        if (leaf.value >= 0) work.push_back(leaf.value);
        // (Of an opaque operation everything counts: its key holds its operands.)
        for (size_t at = 1; at < leaf.key.size(); ++at) {
          if (leaf.key[0] == -5 && (leaf.key[at - 1] == -7 || leaf.key[at - 1] == -8)) work.push_back(static_cast<ExprId>(leaf.key[at]));
        }
      }
      for (ExprId arg : expr.args) work.push_back(arg);
      for (const Monomial& m : expr.sum) {
        for (const Factor& f : m.factors) work.push_back(f.base);
      }
      std::vector<const Index*> indices;
      for (const Index& index : expr.index) indices.push_back(&index);
      while (!indices.empty()) {
        const Index* index = indices.back();
        indices.pop_back();
        for (const auto& [term, factor] : index->terms) {
          const IndexTerm& t = x_.TermAt(term);
          if (t.kind == IndexTerm::Kind::kValue) work.push_back(t.value);
          else if (t.kind == IndexTerm::Kind::kDivMod) indices.push_back(&t.inner);
        }
      }
      if (x_.Spent()) {
        why_ = "out of budget in a loop";
        return {};
      }
    }
    // A nested loop's leaf has its classes in its key: everything may be read there.
    bool nested = false;
    for (int64_t leaf : leaves) nested = nested || x_.LeafAt(leaf).key[0] == -16;
    for (size_t j = 0; j < n; ++j) {
      if (!fixed[j] && (nested || leaves.count(x_.At(carried[j]).tag) != 0)) reads[k].push_back(j);
    }
  }
  Value result;
  for (size_t k = 0; k < n; ++k) {
    if (fixed[k]) {
      result.push_back(init[k]);
      continue;
    }
    std::set<size_t> closure{k};
    std::vector<size_t> work{k, n};
    while (!work.empty()) {
      const size_t at = work.back();
      work.pop_back();
      for (size_t j : reads[at]) {
        if (closure.insert(j).second) work.push_back(j);
      }
    }
    std::set<int64_t> classes;
    for (size_t j : closure) classes.insert(of[j]);
    std::vector<int64_t> key{-16, of[k], condition[0]};
    key.insert(key.end(), classes.begin(), classes.end());
    result.push_back(LeafArray(std::move(key), *shapes[k]));
  }
  return result;
}

}  // namespace hloir::equivalence
