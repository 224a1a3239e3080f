// The changes of matched instructions, and the reasons for unmatched ones; see hloir/inspect.h. The match: match.h.
#include "hloir/inspect.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hloir/check.h"
#include "hloir/evaluator.h"
#include "hloir/analysis.h"
#include "analysis/flat.h"
#include "analysis/match.h"
#include "support/hash.h"

namespace hloir {
namespace {

using Change = ModuleDiff::Change;

bool SameType(const Shape& a, const Shape& b) { return a.Compatible(b); }
bool SameLayout(const Shape& a, const Shape& b) {
  const std::vector<const Shape*> x = a.Leaves(), y = b.Leaves();
  if (x.size() != y.size()) return true;  // that is a change of shape
  for (size_t k = 0; k < x.size(); ++k)
    if (x[k]->has_layout() && y[k]->has_layout() && !(x[k]->layout() == y[k]->layout())) return false;
  return true;
}

using Pairs = std::unordered_map<const HloInstruction*, const HloInstruction*>;

// Pairs two modules of equal structure by parallel walks from their roots; instructions on which no root depends, by
// structure, in order. Returns false if they differ.
bool MatchIsomorphic(const HloModule& before, const HloModule& after, Pairs& pairs) {
  std::unordered_map<const HloComputation*, const HloComputation*> paired = {
      {before.entry_computation(), after.entry_computation()}};
  std::vector<const HloComputation*> computations = {before.entry_computation()};
  std::vector<std::pair<const HloInstruction*, const HloInstruction*>> todo;
  std::unordered_set<const HloInstruction*> taken;
  bool same = before.computation_count() == after.computation_count();
  const auto match = [&](const HloInstruction* i, const HloInstruction* j) {
    const auto [it, inserted] = pairs.try_emplace(i, j);
    if (inserted) same = same && taken.insert(j).second, todo.push_back({i, j});
    else same = same && it->second == j;
  };
  const auto follow = [&] {
    while (!todo.empty() && same) {
      const auto [i, j] = todo.back();
      todo.pop_back();
      same = i->opcode() == j->opcode() && i->operand_count() == j->operand_count() &&
             i->called_computations().size() == j->called_computations().size();
      for (int64_t k = 0; same && k < i->operand_count(); ++k) match(i->operand(k), j->operand(k));
      for (size_t k = 0; same && k < i->called_computations().size(); ++k) {
        const HloComputation *f = i->called_computations()[k], *g = j->called_computations()[k];
        const auto [it, inserted] = paired.try_emplace(f, g);
        if (inserted) computations.push_back(f);
        same = it->second == g;
      }
    }
  };
  for (size_t c = 0; c < computations.size() && same; ++c) {
    const HloComputation &f = *computations[c], &g = *paired[computations[c]];
    if (f.instruction_count() != g.instruction_count() || f.parameter_count() != g.parameter_count()) return false;
    match(f.root(), g.root());
    for (int64_t k = 0; k < f.parameter_count(); ++k) match(f.parameter(k), g.parameter(k));
    follow();
    // The rest, users before operands.
    std::unordered_map<uint64_t, std::vector<const HloInstruction*>> left;
    for (const HloInstruction* j : g.PostOrder())
      if (!taken.contains(j)) left[StructuralHash(*j)].push_back(j);
    if (left.empty()) continue;
    const std::vector<const HloInstruction*> order = f.PostOrder();
    for (auto it = order.rbegin(); it != order.rend() && same; ++it) {
      if (pairs.contains(*it)) continue;
      std::vector<const HloInstruction*>& equal = left[StructuralHash(**it)];
      std::erase_if(equal, [&](const HloInstruction* j) { return taken.contains(j); });
      const auto fits = [&](const HloInstruction* j) {
        bool fit = (*it)->operand_count() == j->operand_count();
        for (int64_t k = 0; fit && k < j->operand_count(); ++k) {
          const auto image = pairs.find((*it)->operand(k));
          fit = image == pairs.end() ? !taken.contains(j->operand(k)) : image->second == j->operand(k);
        }
        return fit;
      };
      const auto found = std::find_if(equal.rbegin(), equal.rend(), fits);
      if (found == equal.rend()) return false;
      match(*it, *found);
      follow();
    }
  }
  return same && pairs.size() == static_cast<size_t>(before.instruction_count()) &&
         taken.size() == static_cast<size_t>(after.instruction_count());
}

}  // namespace

ModuleDiff::ModuleDiff(const HloModule& before, const HloModule& after)
    : before_(&before),
      after_(&after),
      after_of_(static_cast<size_t>(before.instruction_id_limit())),
      before_of_(static_cast<size_t>(after.instruction_id_limit())) {
  if (Pairs pairs; StructuralHash(before) == StructuralHash(after) && MatchIsomorphic(before, after, pairs)) {
    for (const HloComputation* computation : before.PostOrder()) {
      for (const HloInstruction* i : computation->PostOrder()) {
        matched_.push_back({i, pairs.at(i), 0});
        after_of_[static_cast<size_t>(i->id())] = pairs.at(i);
        before_of_[static_cast<size_t>(pairs.at(i)->id())] = i;
      }
    }
    return;
  }
  const FlatModule a(before), b(after);
  const NodeMatch match = MatchNodes(a, b);
  const auto image = [&](int32_t n) { return n < 0 ? -1 : match.after_of[static_cast<size_t>(n)]; };

  // Values are the same if their computations are equal or if they are matched.
  const auto same_value = [&](int32_t x, int32_t y) {
    return image(x) == y || match.merged_into[static_cast<size_t>(x)] == y || a[x].value == b[y].value;
  };
  const auto changes_of = [&](int32_t x, int32_t y) {
    const FlatModule::Node &p = a[x], &q = b[y];
    const HloInstruction &i = *p.instruction, &j = *q.instruction;
    uint32_t changes = 0;
    const bool same_type = SameType(i.shape(), j.shape()), wraps = i.opcode() == HloOpcode::kFusion;
    if (!same_type) changes |= kShape;
    else if (!SameLayout(i.shape(), j.shape())) changes |= kLayout;
    if (i.IsConstant()) {
      if (same_type && p.own_plain != q.own_plain) changes |= kConstant;
    } else if (p.own_plain != q.own_plain ? same_type : !StructurallyEqual(i, j, /*same_layout=*/false)) {
      changes |= kAttributes;
    }
    if (!wraps && !p.looked_through) {
      bool same = p.operands.size() == q.operands.size();
      for (size_t k = 0; same && k < p.operands.size(); ++k) same = same_value(p.operands[k], q.operands[k]);
      if (!same) changes |= kOperands;
      const bool both = p.fusion != nullptr && q.fusion != nullptr;
      if (both ? image(a.NodeOf(*p.fusion)) != b.NodeOf(*q.fusion) : p.fusion != q.fusion) changes |= kFused;
      if (match.after_home[static_cast<size_t>(p.home->id())] != q.home) changes |= kMoved;
    }
    for (size_t k = 0; k < i.called_computations().size() && k < j.called_computations().size(); ++k) {
      const HloComputation &f = *i.called_computations()[k], &g = *j.called_computations()[k];
      if (a.IsLookedThrough(f) || b.IsLookedThrough(g)) continue;
      if (a.HashOf(f) != b.HashOf(g)) changes |= kCalled;
    }
    return changes;
  };

  // The replacement of a removed instruction: from its users, which may be removed too, so users first.
  std::vector<int32_t> became(a.nodes().size(), -1);
  std::vector<bool> merged(a.nodes().size());
  // Computations merged as a whole.
  std::unordered_map<uint64_t, const HloComputation*> homes;
  for (const HloComputation* home : b.homes()) homes.try_emplace(b.HashOf(*home), home);
  const auto home_of = [&](const HloComputation& home) {
    const HloComputation* matched = match.after_home[static_cast<size_t>(home.id())];
    const auto equal = homes.find(a.HashOf(home));
    return matched == nullptr && equal != homes.end() ? equal->second : matched;
  };
  std::unordered_map<uint64_t, int32_t> by_value;  // and home
  const auto key = [](const FlatModule::Node& node, const HloComputation* home) {
    return Mix(node.value_plain, static_cast<uint64_t>(home->id()));
  };
  for (int32_t n : b.order())
    if (!b[n].looked_through) by_value.try_emplace(key(b[n], b[n].home), n);
  for (auto it = a.order().rbegin(); it != a.order().rend(); ++it) {
    const int32_t n = *it;
    const FlatModule::Node& node = a[n];
    if (node.looked_through || image(n) >= 0) continue;
    int32_t& found = became[static_cast<size_t>(n)];
    const HloComputation* home = home_of(*node.home);
    found = match.merged_into[static_cast<size_t>(n)];
    if (found < 0 && home != nullptr) {
      if (const auto equal = by_value.find(key(node, home)); equal != by_value.end()) found = equal->second;
    }
    if (found >= 0) {
      merged[static_cast<size_t>(n)] = true;
      continue;
    }
    for (size_t k = 0; found < 0 && k < node.users.size(); ++k) {
      const int32_t user = node.users[k], theirs = image(user);
      if (theirs < 0 || a[user].operands.size() != b[theirs].operands.size()) continue;
      for (size_t slot = 0; slot < a[user].operands.size(); ++slot)
        if (a[user].operands[slot] == n) found = b[theirs].operands[slot];
    }
    if (found < 0 && home != nullptr && a.Resolve(*node.home->root()) == n) found = b.Resolve(*home->root());
    for (size_t k = 0; found < 0 && k < node.users.size(); ++k) found = became[static_cast<size_t>(node.users[k])];
  }

  // In the order of the text: a's nodes are in creation order, by computation.
  for (size_t x = 0; x < a.nodes().size(); ++x) {
    const FlatModule::Node& node = a.nodes()[x];
    const int32_t y = match.after_of[x];
    if (y >= 0) {
      matched_.push_back({node.instruction, b[y].instruction, changes_of(static_cast<int32_t>(x), y)});
      after_of_[static_cast<size_t>(node.instruction->id())] = b[y].instruction;
      before_of_[static_cast<size_t>(b[y].instruction->id())] = node.instruction;
      continue;
    }
    Removal removal{node.instruction, RemovalReason::kDead, nullptr};
    const int32_t now = node.looked_through ? image(a.Resolve(*node.instruction)) : became[x];
    if (now >= 0) {
      removal.became = b[now].instruction;
      const bool folded = removal.became->IsConstant() && !node.instruction->IsConstant();
      removal.reason = node.looked_through ? RemovalReason::kInlined
                       : merged[x]         ? RemovalReason::kMerged
                       : folded            ? RemovalReason::kFolded
                                           : RemovalReason::kRewritten;
    }
    removed_.push_back(removal);
  }
  for (size_t y = 0; y < b.nodes().size(); ++y)
    if (match.before_of[y] < 0) added_.push_back(b.nodes()[y].instruction);
}

bool ModuleDiff::same() const {
  if (!removed_.empty() || !added_.empty()) return false;
  for (const Pair& pair : matched_)
    if (pair.changes != 0) return false;
  return true;
}

const HloInstruction* ModuleDiff::MatchOf(const HloInstruction& instruction) const {
  const auto& matches = instruction.module() == before_ ? after_of_ : before_of_;
  const size_t id = static_cast<size_t>(instruction.id());
  return id < matches.size() ? matches[id] : nullptr;
}

StatusOr<ValueCheck> CheckMatchedValues(const ModuleDiff& diff, uint64_t seed) {
  constexpr int64_t kMostBytes = int64_t{1} << 28;  // of values that are kept for comparing
  constexpr uint32_t kMayDiffer =
      ModuleDiff::kConstant | ModuleDiff::kAttributes | ModuleDiff::kShape | ModuleDiff::kCalled;
  std::unordered_map<const HloInstruction*, const HloInstruction*> wanted;
  for (const ModuleDiff::Pair& pair : diff.matched()) {
    if ((pair.changes & kMayDiffer) == 0 && pair.before->shape().IsArray() && !pair.before->IsParameter() &&
        pair.before->shape().Compatible(pair.after->shape()))
      wanted.emplace(pair.after, pair.before);
  }
  const StatusOr<std::vector<Literal>> inputs = MakeFakeInputs(diff.before(), seed, InputKind::kPlain);
  if (!inputs.ok()) return inputs.status();
  const HloComputation &before = *diff.before().entry_computation(), &after = *diff.after().entry_computation();
  bool same_parameters = before.parameter_count() == after.parameter_count();
  for (int64_t k = 0; same_parameters && k < before.parameter_count(); ++k)
    same_parameters = before.parameter(k)->shape().Compatible(after.parameter(k)->shape());
  if (!same_parameters) return InvalidArgument("the two modules have different parameters");
  std::vector<const Literal*> arguments;
  for (const Literal& literal : *inputs) arguments.push_back(&literal);

  ValueCheck result;
  std::unordered_map<const HloInstruction*, Literal> values;  // of the first module, each one's first
  int64_t bytes = 0;
  EvaluatorOptions options;
  options.unknown_calls = UnknownCalls::kUninterpreted;
  options.max_steps = int64_t{1} << 24;
  options.on_result = [&](const HloInstruction& i, const Literal& value) {
    if (diff.MatchOf(i) == nullptr || !value.shape().IsArray() || value.size_bytes() > kMostBytes - bytes) return;
    if (values.emplace(&i, value).second) bytes += value.size_bytes();
  };
  const auto ran = MakeReferenceEvaluator(options)->EvaluateComputation(before, arguments);
  if (!ran.ok()) return ran.status();
  options.on_result = [&](const HloInstruction& i, const Literal& value) {
    const auto match = wanted.find(&i);
    if (match == wanted.end()) return;
    const auto other = values.find(match->second);
    if (other != values.end()) {
      if (CompareResults(other->second, value).agree) result.agreeing.push_back(match->second);
      else result.mismatches.push_back({match->second, &i, ValueSummary(other->second), ValueSummary(value)});
    }
    wanted.erase(match);
  };
  const auto again = MakeReferenceEvaluator(options)->EvaluateComputation(after, arguments);
  if (!again.ok()) return again.status();
  return result;
}

}  // namespace hloir
