// The division of a module into views; see hloir/inspect.h.
#include "hloir/inspect.h"

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "scopes/scopes.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace {

using View = ModuleGraph::View;

const HloInstruction* Find(const HloModule& module, std::string_view name) {
  const HloInstruction* found = module.entry_computation()->FindInstruction(name);
  for (const HloComputation* computation : module.computations()) {
    if (found != nullptr) break;
    found = computation->FindInstruction(name);
  }
  return found;
}

Status NoInstruction(const std::string& name) {
  return InvalidArgument(Format("the module has no instruction '{}'", name));
}

using Chosen = std::unordered_set<const HloInstruction*>;

Chosen Around(const HloInstruction& center, int64_t depth) {
  Chosen chosen = {&center};
  std::vector<const HloInstruction*> ring = {&center};
  for (int64_t d = 0; d < depth && !ring.empty(); ++d) {
    std::vector<const HloInstruction*> next;
    for (const HloInstruction* i : ring) {
      for (const HloInstruction* operand : i->operands())
        if (chosen.insert(operand).second) next.push_back(operand);
      for (const HloInstruction* user : i->users())
        if (chosen.insert(user).second) next.push_back(user);
    }
    ring = std::move(next);
  }
  return chosen;
}

// The instructions reachable through users (or operands).
Chosen Reached(const HloInstruction& start, bool over_users) {
  Chosen reached = {&start};
  std::vector<const HloInstruction*> todo = {&start};
  while (!todo.empty()) {
    const HloInstruction* i = todo.back();
    todo.pop_back();
    for (const HloInstruction* next : over_users ? i->users() : i->operands())
      if (reached.insert(next).second) todo.push_back(next);
  }
  return reached;
}

class Maker {
 public:
  Maker(const HloModule& module, size_t most_boxes) : most_boxes_(most_boxes) {
    graph_.module = &module;
    graph_.view_of_computation.assign(static_cast<size_t>(module.computation_id_limit()), -1);
  }

  // A computation, or the chosen part of it, and all computations called from there.
  ModuleGraph Run(const HloComputation& first, const Chosen* chosen) {
    AddComputation(first, nullptr, chosen);
    for (size_t k = 0; k < todo_.size(); ++k) AddComputation(*todo_[k].first, todo_[k].second, nullptr);
    // The view that contains each computation: that of its first caller.
    for (View& view : graph_.views) {
      if (view.caller != nullptr && view.parent < 0) view.parent = view_of_[view.caller];
    }
    return std::move(graph_);
  }

 private:
  void AddComputation(const HloComputation& computation, const HloInstruction* caller, const Chosen* chosen) {
    int32_t& known = graph_.view_of_computation[static_cast<size_t>(computation.id())];
    if (known >= 0) return;
    known = static_cast<int32_t>(graph_.views.size());
    std::vector<const HloInstruction*> order;
    for (const HloInstruction* i : FlowOrder(computation))
      if (chosen == nullptr || chosen->contains(i)) order.push_back(i);
    graph_.instructions += static_cast<int64_t>(order.size());
    constexpr size_t kFoldNothing = 12, kFoldParameters = 40;
    const Flow flow = MakeFlow(order, kFoldNothing, order.size() > kFoldParameters);
    const std::vector<Scope> scopes = FindScopes(flow, most_boxes_);
    AddViews(computation, caller, flow, scopes, known);
    AddEdges(flow, scopes, known);
    for (const HloInstruction* i : order)
      for (const HloComputation* callee : i->called_computations()) todo_.push_back({callee, i});
  }

  // The scopes' views, from number `first` on.
  void AddViews(const HloComputation& computation, const HloInstruction* caller, const Flow& flow,
                const std::vector<Scope>& scopes, int32_t first) {
    for (const Scope& scope : scopes) {
      const bool whole = scope.parent < 0;
      View& view = graph_.views.emplace_back();
      view.title = whole ? std::string(computation.name()) : scope.title;
      view.kind = ScopeKindName(scope.kind);
      view.parent = whole ? -1 : first + scope.parent;
      view.caller = whole ? caller : nullptr;
      view.computation = &computation;
      for (const Scope::Item& item : scope.items) {
        if (item.scope >= 0) {
          view.boxes.push_back({nullptr, first + item.scope, {}});
          continue;
        }
        const Flow::Node& node = flow.nodes[static_cast<size_t>(item.node)];
        view.boxes.push_back({node.instruction, -1, node.folded});
        const auto number = static_cast<int32_t>(graph_.views.size() - 1);
        view_of_[node.instruction] = number;
        for (const HloInstruction* folded : node.folded) view_of_[folded] = number;
      }
    }
  }

  // An edge belongs to the innermost scope of both its ends.
  void AddEdges(const Flow& flow, const std::vector<Scope>& scopes, int32_t first) {
    std::vector<int32_t> depth(scopes.size(), 0), box_of_scope(scopes.size(), -1);
    std::vector<int32_t> scope_of(flow.nodes.size(), 0), box_of(flow.nodes.size(), 0);
    for (size_t s = 0; s < scopes.size(); ++s) {
      if (scopes[s].parent >= 0) depth[s] = depth[static_cast<size_t>(scopes[s].parent)] + 1;
      for (size_t k = 0; k < scopes[s].items.size(); ++k) {
        const Scope::Item& item = scopes[s].items[k];
        if (item.scope >= 0) box_of_scope[static_cast<size_t>(item.scope)] = static_cast<int32_t>(k);
        else
          scope_of[static_cast<size_t>(item.node)] = static_cast<int32_t>(s),
          box_of[static_cast<size_t>(item.node)] = static_cast<int32_t>(k);
      }
    }
    struct End {
      int32_t scope, box;
    };
    const auto rise = [&](End& end) {
      const auto s = static_cast<size_t>(end.scope);
      end = {scopes[s].parent, box_of_scope[s]};
    };
    std::vector<std::map<std::pair<int32_t, int32_t>, size_t>> known(scopes.size());
    std::vector<std::set<std::pair<size_t, size_t>>> counted(scopes.size());  // edge, value
    for (size_t n = 0; n < flow.nodes.size(); ++n) {
      for (const int32_t operand : flow.nodes[n].operands) {
        const auto o = static_cast<size_t>(operand);
        End from = {scope_of[o], box_of[o]}, to = {scope_of[n], box_of[n]};
        while (from.scope != to.scope)
          rise(depth[static_cast<size_t>(from.scope)] >= depth[static_cast<size_t>(to.scope)] ? from : to);
        View& view = graph_.views[static_cast<size_t>(first + from.scope)];
        const auto [it, inserted] =
            known[static_cast<size_t>(from.scope)].try_emplace({from.box, to.box}, view.edges.size());
        if (inserted) view.edges.push_back({from.box, to.box, 0, flow.nodes[o].instruction});
        if (counted[static_cast<size_t>(from.scope)].insert({it->second, o}).second) ++view.edges[it->second].values;
      }
    }
  }

  const size_t most_boxes_;
  ModuleGraph graph_;
  std::vector<std::pair<const HloComputation*, const HloInstruction*>> todo_;
  std::unordered_map<const HloInstruction*, int32_t> view_of_;
};

}  // namespace

std::vector<std::pair<std::string, int32_t>> ModuleGraph::CalledViews(const HloInstruction& instruction) const {
  std::vector<std::pair<std::string, int32_t>> called;
  for (const HloComputation* callee : instruction.called_computations())
    called.push_back({std::string(callee->name()), view_of_computation[static_cast<size_t>(callee->id())]});
  return called;
}

StatusOr<ModuleGraph> MakeGraph(const HloModule& module, const GraphOptions& options) try {
  const HloComputation* first = module.entry_computation();
  if (!options.computation.empty()) {
    first = module.FindComputation(options.computation);
    if (first == nullptr) return InvalidArgument(Format("the module has no computation '{}'", options.computation));
  }
  const auto find = [&](const std::string& name) {
    const HloInstruction* found = options.computation.empty() ? Find(module, name) : first->FindInstruction(name);
    return found;
  };
  Chosen chosen;
  if (!options.around.empty()) {
    const HloInstruction* center = find(options.around);
    if (center == nullptr) return NoInstruction(options.around);
    chosen = Around(*center, options.depth);
    first = center->parent();
  } else if (!options.from.empty() || !options.to.empty()) {
    const HloInstruction *from = find(options.from), *to = find(options.to);
    if (from == nullptr || to == nullptr) return NoInstruction(from == nullptr ? options.from : options.to);
    const Chosen above = Reached(*to, false);
    for (const HloInstruction* i : Reached(*from, true))
      if (above.contains(i)) chosen.insert(i);
    if (chosen.empty()) return InvalidArgument(Format("there is no path from '{}' to '{}'", options.from, options.to));
    first = from->parent();
  }
  return Maker(module, options.most_boxes).Run(*first, chosen.empty() ? nullptr : &chosen);
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
