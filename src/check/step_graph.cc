// See step_graph.h.
#include "check/step_graph.h"

#include <algorithm>
#include <iterator>

#include "analysis/extract.h"
#include "hloir/source_line.h"
#include "support/format.h"

namespace hloir::check {
namespace {

constexpr size_t kMostCone = 600;  // nodes of a cone

// Marks constant expressions.
std::vector<bool> ClosedOf(const Nodes& nodes) {
  std::vector<bool> closed(nodes.size());
  for (size_t k = 0; k < nodes.size(); ++k) {
    const HloInstruction& i = *nodes[k].instruction;
    closed[k] = !i.IsParameter() && !i.Is(kImpure | kSideEffect) &&
                std::all_of(nodes[k].operands.begin(), nodes[k].operands.end(),
                            [&](int32_t o) { return o >= 0 && closed[static_cast<size_t>(o)]; });
  }
  return closed;
}

// The nodes of the result's arrays, in order. A tuple from an opaque operation counts as one node.
void ResultsOf(const Nodes& nodes, int32_t root, std::vector<int32_t>& all) {
  const Node& node = nodes[static_cast<size_t>(root)];
  if (node.instruction->opcode() != HloOpcode::kTuple) return all.push_back(root);
  for (int32_t o : node.operands) {
    if (o >= 0) ResultsOf(nodes, o, all);
  }
}

// Whether an operand has a node of its shape. Inside a map, operands are scalars.
bool HasOperand(const Nodes& nodes, size_t k, size_t o) {
  const int32_t operand = nodes[k].operands[o];
  return operand >= 0 && nodes[static_cast<size_t>(operand)].instruction->shape().Compatible(
                             nodes[k].instruction->operand(static_cast<int64_t>(o))->shape());
}

}  // namespace

std::vector<bool> ComputableOf(const Nodes& nodes) {
  std::vector<bool> computable(nodes.size());
  bool of_entry = true;  // the first nodes are the entry's parameters
  for (size_t k = 0; k < nodes.size(); ++k) {
    const HloInstruction& i = *nodes[k].instruction;
    of_entry = of_entry && i.IsParameter();
    computable[k] = of_entry || !i.IsParameter();
    for (size_t o = 0; o < nodes[k].operands.size() && computable[k]; ++o)
      computable[k] = HasOperand(nodes, k, o) && computable[static_cast<size_t>(nodes[k].operands[o])];
  }
  return computable;
}

std::unique_ptr<HloModule> MakeCone(const Nodes& nodes, const std::vector<int32_t>& roots,
                                    const std::vector<int32_t>& cut, size_t most) {
  std::map<int32_t, HloInstruction*> given;
  for (int32_t k : cut) given[nodes[static_cast<size_t>(k)].equal] = nullptr;
  std::vector<bool> needed(nodes.size(), false);
  for (int32_t root : roots) needed[static_cast<size_t>(root)] = true;
  size_t count = 0;
  for (size_t k = nodes.size(); k-- > 0;) {
    if (!needed[k] || given.count(nodes[k].equal) > 0) continue;
    if (nodes[k].instruction->IsParameter() || ++count > most) return nullptr;
    for (size_t o = 0; o < nodes[k].operands.size(); ++o) {
      if (!HasOperand(nodes, k, o)) return nullptr;
      needed[static_cast<size_t>(nodes[k].operands[o])] = true;
    }
  }
  auto module = std::make_unique<HloModule>("step");
  HloComputation* entry = module->AddComputation("step");
  module->set_entry_computation(entry);
  for (int32_t k : cut) {
    const HloInstruction& i = *nodes[static_cast<size_t>(k)].instruction;
    given[nodes[static_cast<size_t>(k)].equal] = entry->AddParameter(entry->parameter_count(), i.shape(), i.name());
  }
  InstructionCopier copier(*entry);
  std::vector<HloInstruction*> copies(nodes.size(), nullptr), operands;
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (!needed[k]) continue;
    const HloInstruction& i = *nodes[k].instruction;
    if (const auto found = given.find(nodes[k].equal); found != given.end()) {
      copies[k] = found->second;
      // Users may depend on the value's layout.
      if (i.shape() != copies[k]->shape() && i.shape().IsArray())
        copies[k] = entry->AddInstruction(HloOpcode::kCopy, i.shape(), {copies[k]});
      continue;
    }
    operands.clear();
    for (int32_t o : nodes[k].operands) operands.push_back(copies[static_cast<size_t>(o)]);
    copies[k] = copier.Copy(i, operands);
  }
  operands.clear();
  for (int32_t root : roots) operands.push_back(copies[static_cast<size_t>(root)]);
  entry->set_root(operands.size() == 1 ? operands[0] : entry->AddTuple(operands));
  module->PutInTextOrder();
  return module;
}

void StepGraph::Use(equivalence::Result proof) {
  result = std::move(proof);
  a = std::move(result.before), b = std::move(result.after);
  closed_a = ClosedOf(a), closed_b = ClosedOf(b);
  int32_t most = 0;
  for (const Nodes* nodes : {&a, &b}) {
    for (const Node& node : *nodes) most = std::max(most, node.equal + 1);
  }
  first_a.assign(static_cast<size_t>(most), -1), first_b = first_a;
  for (size_t k = a.size(); k-- > 0;) first_a[static_cast<size_t>(a[k].equal)] = static_cast<int32_t>(k);
  for (size_t k = b.size(); k-- > 0;) first_b[static_cast<size_t>(b[k].equal)] = static_cast<int32_t>(k);
  both.assign(static_cast<size_t>(most), false);
  for (size_t n = 0; n < both.size(); ++n) both[n] = first_a[n] >= 0 && first_b[n] >= 0;
  open_a.clear();
  for (size_t k = 0; k < a.size(); ++k) {
    if (!IsShared(a[k])) open_a[a[k].instruction->shape().ToString(false)].push_back(static_cast<int32_t>(k));
  }
  results_a.clear(), results_b.clear();
  if (result.before_root >= 0) ResultsOf(a, result.before_root, results_a);
  if (result.after_root >= 0) ResultsOf(b, result.after_root, results_b);
  needed.assign(b.size(), false);
  for (size_t k = 0; k < results_b.size(); ++k) {
    const bool open =
        results_b.size() != result.outputs.size() || result.outputs[k].answer == equivalence::Answer::kOpen;
    if (open) needed[static_cast<size_t>(results_b[k])] = true;
  }
  for (size_t k = b.size(); k-- > 0;) {
    if (!needed[k]) continue;
    if (IsShared(b[k])) needed[k] = false;
    else
      for (int32_t o : b[k].operands)
        if (o >= 0) needed[static_cast<size_t>(o)] = true;
  }
}

namespace {

// Whether two nodes are the same operation, and each pair of operands `matches`, one of them with `any`; the first two
// operands may change places if the operation is commutative.
template <class Matches>
bool MatchOperands(const Node& p, const Node& q, Matches matches) {
  if (p.instruction->opcode() != q.instruction->opcode() || p.operands.size() != q.operands.size()) return false;
  const auto match = [&](bool swapped) {
    bool any = false;
    for (size_t k = 0; k < p.operands.size(); ++k) {
      const int32_t x = p.operands[k], y = q.operands[swapped && k < 2 ? 1 - k : k];
      if (x < 0 || y < 0 || !matches(static_cast<size_t>(x), static_cast<size_t>(y), any)) return false;
    }
    return any;
  };
  return match(false) || (p.instruction->Is(kCommutative) && match(true));
}

}  // namespace

bool StepGraph::AreOfEqualOperands(const Node& p, const Node& q) const {
  return MatchOperands(p, q, [&](size_t x, size_t y, bool& any) {
    if (closed_a[x] && closed_b[y]) return true;
    any = true;
    return a[x].equal == b[y].equal;
  });
}

bool StepGraph::SharesOperand(const Node& p, const Node& q) const {
  return MatchOperands(p, q, [&](size_t x, size_t y, bool& any) {
    any = any || (!closed_a[x] && a[x].equal == b[y].equal);
    return closed_a[x] == closed_b[y];
  });
}

// Collects the value numbers at which the walk from the root stops: proved pairs that are not `inside`, and parameters.
// Returns false if the cone is too large or has no complete cut.
bool StepGraph::Frontier(bool after, int32_t root, const std::set<int32_t>& inside, std::set<int32_t>& cut) const {
  const Nodes& nodes = after ? b : a;
  const std::vector<bool>& closed = after ? closed_b : closed_a;
  // A value of both modules from which `after` computes more is itself the cut.
  const bool may_stop_at_root = IsShared(nodes[static_cast<size_t>(root)]);
  std::set<int32_t> seen{root};
  std::vector<int32_t> todo{root};
  while (!todo.empty()) {
    const int32_t k = todo.back();
    const Node& node = nodes[static_cast<size_t>(k)];
    todo.pop_back();
    const bool stops = (k != root || may_stop_at_root) && !closed[static_cast<size_t>(k)] && IsShared(node) &&
                       node.instruction->shape().IsArray() && inside.count(node.equal) == 0;
    if (stops || node.instruction->IsParameter()) {
      if (!IsShared(node)) return false;
      cut.insert(node.equal);
      continue;
    }
    if (seen.size() > kMostCone) return false;
    for (int32_t o : node.operands) {
      if (o < 0) return false;
      if (seen.insert(o).second) todo.push_back(o);
    }
  }
  return true;
}

int32_t StepGraph::Dependent(const std::set<int32_t>& of, const std::set<int32_t>& all) const {
  constexpr size_t kMostSeen = 4000;
  for (const bool after : {false, true}) {
    const Nodes& nodes = after ? b : a;
    for (auto it = of.rbegin(); it != of.rend(); ++it) {
      const int32_t first = (after ? first_b : first_a)[static_cast<size_t>(*it)];
      std::set<int32_t> seen{first};
      std::vector<int32_t> todo{first};
      while (!todo.empty() && seen.size() < kMostSeen) {
        const Node& node = nodes[static_cast<size_t>(todo.back())];
        const bool is_first = todo.back() == first;
        todo.pop_back();
        if (!is_first && all.count(node.equal) > 0) return *it;
        for (int32_t o : node.operands)
          if (o >= 0 && seen.insert(o).second) todo.push_back(o);
      }
    }
  }
  return -1;
}

// The nodes at which both cones are cut. The cut has the same values in both.
std::optional<std::pair<std::vector<int32_t>, std::vector<int32_t>>> StepGraph::Cut(Pair pair, int deeper) const {
  constexpr int kMostTries = 24;
  std::set<int32_t> inside, cut;
  for (int tries = 0; tries < kMostTries; ++tries) {
    std::set<int32_t> of_a, of_b;
    if (!Frontier(false, pair.first, inside, of_a) || !Frontier(true, pair.second, inside, of_b)) return std::nullopt;
    cut = of_a;
    cut.insert(of_b.begin(), of_b.end());
    if (of_a != of_b) {
      // A value that only one cone reads may depend on, or be used by, a value that the other cone reads.
      std::set<int32_t> alone;
      std::set_symmetric_difference(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                                    std::inserter(alone, alone.end()));
      int32_t dependent = Dependent(alone, cut);
      if (dependent < 0) {
        for (int32_t n : cut) {
          if (alone.count(n) == 0 && Dependent({n}, alone) >= 0) dependent = n;
        }
      }
      if (dependent >= 0) {
        inside.insert(dependent);
        continue;
      }
    }
    if (deeper-- <= 0) break;
    for (int32_t n : cut) {
      if (!a[static_cast<size_t>(first_a[static_cast<size_t>(n)])].instruction->IsParameter()) inside.insert(n);
    }
  }
  std::pair<std::vector<int32_t>, std::vector<int32_t>> nodes;
  for (int32_t n : cut) {
    nodes.first.push_back(first_a[static_cast<size_t>(n)]);
    nodes.second.push_back(first_b[static_cast<size_t>(n)]);
  }
  return nodes;
}

std::optional<StepGraph::Step> StepGraph::MakeStep(Pair pair, int deeper) const {
  auto cut = Cut(pair, deeper);
  if (!cut) return std::nullopt;
  auto before = MakeCone(a, {pair.first}, cut->first, kMostCone),
       after = MakeCone(b, {pair.second}, cut->second, kMostCone);
  if (!before || !after) return std::nullopt;
  return Step{std::move(cut->first), std::move(before), std::move(after)};
}

bool StepGraph::Reads(bool after, int32_t root, const std::vector<int32_t>& cut, int32_t value) const {
  const Nodes& nodes = after ? b : a;
  std::set<int32_t> ends, seen{root};
  for (int32_t k : cut) ends.insert(a[static_cast<size_t>(k)].equal);
  std::vector<int32_t> todo{root};
  while (!todo.empty()) {
    const int32_t k = todo.back();
    todo.pop_back();
    if (k == value) return true;
    if (ends.count(nodes[static_cast<size_t>(k)].equal) > 0) continue;
    for (int32_t o : nodes[static_cast<size_t>(k)].operands)
      if (o >= 0 && seen.insert(o).second) todo.push_back(o);
  }
  return false;
}

std::string StepGraph::Text(Pair pair) const {
  const HloInstruction &x = *a[static_cast<size_t>(pair.first)].instruction,
                       &y = *b[static_cast<size_t>(pair.second)].instruction;
  std::string text(x.name());
  if (x.name() != y.name()) text += Format(" = {}", y.name());
  for (const HloInstruction* i : {&x, &y}) {
    if (const auto line = SourceOf(*i)) return text + Format(" ({})", line->ToString());
  }
  return text;
}

}  // namespace hloir::check
