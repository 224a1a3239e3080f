// The division of a module into views; see hloir/inspect.h.
#include "hloir/inspect.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace {

using View = ModuleGraph::View;

constexpr size_t kWorthFolding = 60;  // a computation with fewer instructions is shown as it is
constexpr size_t kMostOutside = 24;   // boxes from elsewhere

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
  Maker(const HloModule& module, size_t most_boxes) : most_boxes_(std::max<size_t>(most_boxes, 2)) {
    graph_.module = &module;
    graph_.view_of_computation.assign(static_cast<size_t>(module.computation_id_limit()), -1);
  }

  // A computation, or the chosen part of it, and all computations called from there.
  ModuleGraph Run(const HloComputation& first, const Chosen* chosen) {
    AddComputation(first, nullptr, -1, chosen);
    for (size_t k = 0; k < todo_.size(); ++k) AddComputation(*todo_[k].first, todo_[k].second, -1, nullptr);
    // The view in which each computation is folded: that of its first caller.
    for (View& view : graph_.views) {
      if (view.caller != nullptr && view.parent < 0) view.parent = view_of_[view.caller];
    }
    for (size_t v = 0; v < graph_.views.size(); ++v) AddEdges(static_cast<int32_t>(v));
    return std::move(graph_);
  }

 private:
  int32_t NewView(std::string title, std::string kind, int32_t parent, const HloInstruction* caller) {
    View& view = graph_.views.emplace_back();
    view.title = std::move(title), view.kind = std::move(kind), view.parent = parent, view.caller = caller;
    return static_cast<int32_t>(graph_.views.size() - 1);
  }

  void AddComputation(const HloComputation& computation, const HloInstruction* caller, int32_t parent,
                      const Chosen* chosen) {
    int32_t& known = graph_.view_of_computation[static_cast<size_t>(computation.id())];
    if (known >= 0) return;
    const int32_t view = known = NewView(std::string(computation.name()), "computation", parent, caller);
    std::vector<const HloInstruction*> instructions;
    for (const HloInstruction* i : computation.PostOrder())
      if (chosen == nullptr || chosen->contains(i)) instructions.push_back(i);
    graph_.instructions += static_cast<int64_t>(instructions.size());
    // Many parameters would make everything wide.
    constexpr int64_t kManyParameters = 24;
    std::vector<const HloInstruction*> rest, parameters;
    for (const HloInstruction* i : instructions) (i->IsParameter() ? parameters : rest).push_back(i);
    if (static_cast<int64_t>(parameters.size()) > kManyParameters) {
      const int32_t folded = NewView(Format("{} parameters", parameters.size()), "scope", view, nullptr);
      Fill(folded, parameters, 0, false);
      folded_ = {nullptr, folded, false};
    } else {
      rest = instructions;
    }
    Fill(view, rest, 0, instructions.size() > kWorthFolding);
    for (const HloInstruction* i : instructions)
      for (const HloComputation* callee : i->called_computations()) todo_.push_back({callee, i});
  }

  // Folds by the op_names' part number `depth`, then by length.
  void Fill(int32_t view, const std::vector<const HloInstruction*>& instructions, size_t depth, bool by_scope) {
    constexpr size_t kMostDepth = 24;
    if (by_scope && depth < kMostDepth && instructions.size() > kWorthFolding / 4) {
      std::map<std::string_view, std::vector<const HloInstruction*>> scopes;
      for (const HloInstruction* i : instructions)
        if (std::string_view part = ScopePart(*i, depth); !part.empty()) scopes[part].push_back(i);
      // A scope that all are in says nothing.
      if (scopes.size() == 1 && scopes.begin()->second.size() == instructions.size())
        return Fill(view, instructions, depth + 1, true);
      std::unordered_map<const HloInstruction*, const std::vector<const HloInstruction*>*> scope_of;
      for (const auto& [part, members] : scopes)
        if (members.size() > 2)
          for (const HloInstruction* i : members) scope_of[i] = &members;
      if (!scope_of.empty()) {
        std::unordered_map<const std::vector<const HloInstruction*>*, int32_t> made;
        std::vector<std::function<void()>> later;
        std::vector<ModuleGraph::Box> boxes;
        for (const HloInstruction* i : instructions) {
          const auto scope = scope_of.find(i);
          if (scope == scope_of.end()) {
            boxes.push_back({i, -1, false});
            view_of_[i] = view;
            continue;
          }
          auto [it, inserted] = made.try_emplace(scope->second, -1);
          if (!inserted) continue;
          const int32_t inner = it->second = NewView(std::string(ScopePart(*i, depth)), "scope", view, nullptr);
          boxes.push_back({nullptr, inner, false});
          const std::vector<const HloInstruction*>& members = *scope->second;
          later.push_back([this, inner, &members, depth] { Fill(inner, members, depth + 1, true); });
        }
        Cut(view, std::move(boxes));
        for (auto& fill : later) fill();
        return;
      }
    }
    std::vector<ModuleGraph::Box> boxes;
    for (const HloInstruction* i : instructions) boxes.push_back({i, -1, false}), view_of_[i] = view;
    Cut(view, std::move(boxes));
  }

  void Cut(int32_t view, std::vector<ModuleGraph::Box> boxes) {
    if (folded_ && graph_.views[static_cast<size_t>(folded_->view)].parent == view)
      boxes.insert(boxes.begin(), *std::exchange(folded_, std::nullopt));
    while (boxes.size() > most_boxes_) {
      std::vector<ModuleGraph::Box> parts;
      // Even parts, so that none is a leftover.
      const size_t count = (boxes.size() + most_boxes_ - 1) / most_boxes_;
      for (size_t k = 0; k < count; ++k) {
        const size_t begin = boxes.size() * k / count, end = boxes.size() * (k + 1) / count;
        const int32_t part = NewView(Format("part {} of {}", k + 1, count), "part", view, nullptr);
        std::vector<ModuleGraph::Box> inside(boxes.begin() + static_cast<int64_t>(begin),
                                             boxes.begin() + static_cast<int64_t>(end));
        for (const ModuleGraph::Box& box : inside) {
          if (box.instruction != nullptr) view_of_[box.instruction] = part;
          else graph_.views[static_cast<size_t>(box.view)].parent = part;
        }
        graph_.views[static_cast<size_t>(part)].boxes = std::move(inside);
        parts.push_back({nullptr, part, false});
      }
      boxes = std::move(parts);
    }
    graph_.views[static_cast<size_t>(view)].boxes = std::move(boxes);
  }

  static std::string_view ScopePart(const HloInstruction& i, size_t depth) {
    if (i.metadata() == nullptr) return {};
    std::string_view name = i.metadata()->op_name;
    for (; depth > 0; --depth) {
      const size_t slash = name.find('/');
      if (slash == std::string_view::npos) return {};
      name.remove_prefix(slash + 1);
    }
    const size_t slash = name.find('/');
    return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
  }

  // The box of `view` that holds the instruction, directly or folded; -1: none does.
  int32_t BoxIn(int32_t view, const HloInstruction& i, const std::unordered_map<int64_t, int32_t>& boxes) const {
    if (const auto own = boxes.find(i.id()); own != boxes.end()) return own->second;
    const auto at = view_of_.find(&i);
    if (at == view_of_.end()) return -1;
    for (int32_t v = at->second; v >= 0; v = graph_.views[static_cast<size_t>(v)].parent) {
      if (v == view) return -1;
      if (graph_.views[static_cast<size_t>(v)].caller != nullptr) return -1;
      if (const auto box = boxes.find(-1 - int64_t{v}); box != boxes.end()) return box->second;
    }
    return -1;
  }

  void AddEdges(int32_t v) {
    std::unordered_map<int64_t, int32_t> boxes;
    std::vector<std::pair<int32_t, const HloInstruction*>> members;  // what is in each box, folded views too
    {
      const View& view = graph_.views[static_cast<size_t>(v)];
      for (size_t b = 0; b < view.boxes.size(); ++b) {
        const ModuleGraph::Box& box = view.boxes[b];
        boxes[box.instruction != nullptr ? box.instruction->id() : -1 - int64_t{box.view}] = static_cast<int32_t>(b);
      }
      for (size_t b = 0; b < view.boxes.size(); ++b) {
        std::vector<ModuleGraph::Box> todo = {view.boxes[b]};
        while (!todo.empty()) {
          const ModuleGraph::Box box = todo.back();
          todo.pop_back();
          if (box.instruction != nullptr) {
            members.push_back({static_cast<int32_t>(b), box.instruction});
            continue;
          }
          for (const ModuleGraph::Box& inner : graph_.views[static_cast<size_t>(box.view)].boxes)
            if (!inner.outside) todo.push_back(inner);
        }
      }
    }
    View& view = graph_.views[static_cast<size_t>(v)];
    std::map<std::pair<int32_t, int32_t>, size_t> known;
    std::unordered_map<const HloInstruction*, int32_t> outside;
    const auto connect = [&](int32_t from, int32_t to, const HloInstruction* value) {
      const auto [it, inserted] = known.try_emplace({from, to}, view.edges.size());
      if (inserted) view.edges.push_back({from, to, 1, value});
      else ++view.edges[it->second].values;
    };
    for (const auto& [to, user] : members) {
      for (const HloInstruction* operand : user->operands()) {
        int32_t from = BoxIn(v, *operand, boxes);
        if (from < 0 && view_of_.contains(operand)) {
          const auto found = outside.find(operand);
          if (found != outside.end()) from = found->second;
          else if (outside.size() < kMostOutside) {
            from = outside[operand] = static_cast<int32_t>(view.boxes.size());
            view.boxes.push_back({operand, -1, true});
          }
        }
        if (from >= 0 && from != to) connect(from, to, operand);
      }
    }
  }

  const size_t most_boxes_;
  ModuleGraph graph_;
  std::vector<std::pair<const HloComputation*, const HloInstruction*>> todo_;
  std::optional<ModuleGraph::Box> folded_;  // a computation's parameters, which still need a place in its view
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
