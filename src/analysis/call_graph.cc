// See call_graph.h.
#include "hloir/analysis.h"

#include <algorithm>

namespace hloir {
namespace {

template <class T>
void AddOnce(std::vector<const T*>& list, const T* item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

bool CallsInControlFlow(const HloInstruction& instruction) {
  return IsOneOf(instruction.opcode(), HloOpcode::kCall, HloOpcode::kWhile, HloOpcode::kConditional,
                 HloOpcode::kAsyncStart);
}

CallContext Merge(CallContext a, CallContext b) { return a == CallContext::kNone || a == b ? b : CallContext::kBoth; }

// Searches callers upwards from `start`, but not through `barrier`, for one that `found` accepts.
template <class Found>
bool AnyCaller(const CallGraph& graph, size_t id_limit, const HloComputation& start, const HloComputation* barrier,
               Found found) {
  std::vector<bool> seen(id_limit, false);
  std::vector<const HloComputation*> todo{&start};
  seen[start.id()] = true;
  while (!todo.empty()) {
    const HloComputation* at = todo.back();
    todo.pop_back();
    if (at == barrier) continue;
    if (found(*at)) return true;
    for (const HloComputation* caller : graph.node(*at).callers) {
      if (seen[caller->id()]) continue;
      seen[caller->id()] = true;
      todo.push_back(caller);
    }
  }
  return false;
}

}  // namespace

CallGraph::CallGraph(const HloModule& module)
    : entry_(module.entry_computation()), nodes_(module.computation_id_limit()) {
  for (const HloComputation* computation : module.computations()) {
    Node& node = nodes_[computation->id()];
    node.computation = computation;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->called_computations().empty()) continue;
      node.call_sites.push_back(i);
      for (const HloComputation* callee : i->called_computations()) {
        AddOnce(node.callees, callee);
        AddOnce(nodes_[callee->id()].callers, computation);
        AddOnce(nodes_[callee->id()].caller_sites, i);
      }
    }
  }
  if (entry_ == nullptr) return;
  nodes_[entry_->id()].context = CallContext::kControlFlow;
  // Callers first, so that a computation's context is final before it is propagated.
  const std::vector<const HloComputation*> order = module.PostOrder();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Node& node = nodes_[(*it)->id()];
    if (node.context == CallContext::kNone) continue;
    for (const HloInstruction* site : node.call_sites) {
      const CallContext context = CallsInControlFlow(*site) ? node.context : CallContext::kEmbedded;
      for (const HloComputation* callee : site->called_computations()) {
        Node& called = nodes_[callee->id()];
        called.context = Merge(called.context, context);
        called.depth = std::max(called.depth, node.depth + 1);
      }
    }
  }
}

bool CallGraph::Dominates(const HloComputation& a, const HloComputation& b) const {
  return !AnyCaller(*this, nodes_.size(), b, &a, [&](const HloComputation& c) { return &c == entry_; });
}

bool CallGraph::IsNestedIn(const HloInstruction& instruction, const HloComputation& computation) const {
  return AnyCaller(*this, nodes_.size(), *instruction.parent(), nullptr,
                   [&](const HloComputation& c) { return &c == &computation; });
}

}  // namespace hloir
