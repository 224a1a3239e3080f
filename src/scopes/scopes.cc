// See scopes.h.
#include "scopes/scopes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>

#include "scopes/patterns.h"
#include "scopes/repeats.h"
#include "scopes/waist.h"
#include "support/format.h"

namespace hloir {
namespace {

constexpr size_t kFew = 10;         // so many nodes are shown as they are
constexpr size_t kMostDepth = 32;   // of op_names
constexpr size_t kMostNested = 48;  // of scopes

// The part of an op_name at `depth`, if more follows: "b" of "a/b/c" at 1.
std::string_view ScopePart(std::string_view name, size_t depth) {
  for (; depth > 0; --depth) {
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos) return {};
    name.remove_prefix(slash + 1);
  }
  const size_t slash = name.find('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

// "layers_11" => "layers_#".
std::string WithoutNumbers(std::string_view title) {
  std::string text;
  for (const char c : title) {
    if (c < '0' || c > '9') text += c;
    else if (text.empty() || text.back() != '#') text += '#';
  }
  return text;
}

class Divider {
 public:
  Divider(const Flow& flow, size_t most_items) : flow_(flow), most_(std::max<size_t>(most_items, 4)) {}

  std::vector<Scope> Run() {
    std::vector<int32_t> all(flow_.nodes.size());
    for (size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int32_t>(k);
    scopes_.emplace_back();
    todo_.push_back({0, std::move(all), 0, 0, true});
    while (!todo_.empty()) {
      Work work = std::move(todo_.back());
      todo_.pop_back();
      Divide(std::move(work));
    }
    return std::move(scopes_);
  }

 private:
  struct Work {
    int32_t scope;
    std::vector<int32_t> members;
    size_t depth, nested;
    bool patterns;  // they have not been looked for
  };
  // A child in the making.
  struct Child {
    std::string title;
    ScopeKind kind = ScopeKind::kPart;
    std::vector<int32_t> members;  // of one node without a title: the node itself
    size_t depth = 0;
    bool patterns = true;
    bool IsNode() const { return title.empty(); }
  };

  void Divide(Work work) {
    std::vector<Child> children;
    if (work.members.size() <= kFew || work.nested > kMostNested) {
      AddNodes(work.members, children);
      // At this depth, a chain is only divided by even cuts.
      if (work.members.size() > kFew) return Settle(work, std::move(children));
    } else if (!ByOpName(work, children)) {
      // Within a layer, patterns come first: its repetitions are single products.
      const bool layer = scopes_[static_cast<size_t>(work.scope)].kind == ScopeKind::kRepeat;
      if (!(layer ? ByPattern(work, children) || ByRepeat(work, children)
                  : ByRepeat(work, children) || ByPattern(work, children)))
        AddNodes(work.members, children);
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const Child& a, const Child& b) { return Place(a) < Place(b); });
    if (children.size() > most_) GatherNodes(work, children);
    Settle(work, std::move(children));
  }

  // Ordered by the middle of its contents, because a single early instruction does not make a scope early.
  static int32_t Place(const Child& child) { return child.members[child.members.size() / 2]; }

  void AddNodes(const std::vector<int32_t>& nodes, std::vector<Child>& children) const {
    for (const int32_t n : nodes) children.push_back({{}, ScopeKind::kPart, {n}, 0, true});
  }

  bool ByOpName(Work& work, std::vector<Child>& children) const {
    for (; work.depth < kMostDepth; ++work.depth) {
      std::unordered_map<std::string_view, size_t> child_of;
      std::vector<std::pair<std::string_view, std::vector<int32_t>>> parts;
      size_t named = 0;
      for (const int32_t n : work.members) {
        const std::string_view part = ScopePart(flow_.nodes[static_cast<size_t>(n)].op_name, work.depth);
        if (part.empty() || part.find("->") != std::string_view::npos) continue;  // an einsum's formula is no scope
        const auto [it, inserted] = child_of.try_emplace(part, parts.size());
        if (inserted) parts.push_back({part, {}});
        parts[it->second].second.push_back(n), ++named;
      }
      if (parts.empty()) return false;
      const size_t largest = std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
                               return a.second.size() < b.second.size();
                             })->second.size();
      // A scope with nearly all nodes is not informative.
      if (largest + kFew / 2 >= work.members.size() || largest * 20 >= work.members.size() * 19) continue;
      std::unordered_map<int32_t, bool> in_scope;
      for (auto& [part, nodes] : parts) {
        if (nodes.size() < 3) continue;
        for (const int32_t n : nodes) in_scope[n] = true;
        children.push_back({std::string(part), ScopeKind::kOpName, nodes, work.depth + 1, true});
      }
      if (children.empty()) return false;
      if (Interleaved(work, children) && CoversHalf(FindRepeat(flow_, work.members), work.members.size())) {
        children.clear();
        return false;
      }
      std::vector<int32_t> rest;
      for (const int32_t n : work.members)
        if (!in_scope.contains(n)) rest.push_back(n);
      AddNodes(rest, children);
      return true;
    }
    return false;
  }

  static bool CoversHalf(const Repeat& repeat, size_t size) { return repeat.covered() * 2 >= size; }
  // True if scopes alternate several times, as when all layers of a model have the same names, or if scopes contain few
  // nodes.
  static bool Interleaved(const Work& work, const std::vector<Child>& children) {
    std::unordered_map<int32_t, size_t> child_of;
    for (size_t c = 0; c < children.size(); ++c)
      for (const int32_t n : children[c].members) child_of[n] = c;
    size_t runs = 0, last = SIZE_MAX;
    for (const int32_t n : work.members) {
      const auto it = child_of.find(n);
      const size_t child = it == child_of.end() ? SIZE_MAX : it->second;
      runs += child != last && child != SIZE_MAX, last = child;
    }
    return runs > 3 * children.size() || child_of.size() * 3 < work.members.size();
  }

  bool ByRepeat(const Work& work, std::vector<Child>& children) const {
    if (work.members.size() <= most_ / 2) return false;
    const Repeat repeat = FindRepeat(flow_, work.members);
    const size_t layers = repeat.layers();
    if (layers < 2) return false;
    const auto slice = [&](size_t begin, size_t end) {
      return std::vector<int32_t>(work.members.begin() + static_cast<int64_t>(begin),
                                  work.members.begin() + static_cast<int64_t>(end));
    };
    AddRest(slice(0, repeat.begins.front()), work.depth, children);
    const bool layer = repeat.covered() >= 16 * layers && HasProduct(slice(repeat.begins[0], repeat.begins[1]));
    for (size_t k = 0; k < layers; ++k) {
      children.push_back({Format("{} {} of {}", layer ? "layer" : "repeat", k + 1, layers), ScopeKind::kRepeat,
                          slice(repeat.begins[k], repeat.begins[k + 1]), work.depth, true});
    }
    AddRest(slice(repeat.begins.back(), work.members.size()), work.depth, children);
    return true;
  }

  // An optimizer's steps repeat as well, and are no layers.
  bool HasProduct(const std::vector<int32_t>& nodes) const {
    const auto is_product = [](const HloInstruction& i) {
      return IsOneOf(i.opcode(), HloOpcode::kDot, HloOpcode::kScaledDot, HloOpcode::kRaggedDot, HloOpcode::kConvolution,
                     HloOpcode::kCustomCall);
    };
    return std::any_of(nodes.begin(), nodes.end(), [&](int32_t n) {
      const HloInstruction& i = *flow_.nodes[static_cast<size_t>(n)].instruction;
      if (i.opcode() != HloOpcode::kFusion) return is_product(i);
      bool found = false;
      for (const HloInstruction* inner : i.fused_computation()->AllInstructions()) found = found || is_product(*inner);
      return found;
    });
  }

  // The nodes outside the layers: a separate part, if they are many.
  void AddRest(std::vector<int32_t> nodes, size_t depth, std::vector<Child>& children) const {
    if (nodes.size() <= kFew) return AddNodes(nodes, children);
    std::string title = ContentsTitle(flow_, nodes);
    children.push_back({std::move(title), ScopeKind::kPart, std::move(nodes), depth, true});
  }

  bool ByPattern(const Work& work, std::vector<Child>& children) const {
    if (!work.patterns) return false;
    std::unordered_map<int32_t, bool> in_pattern;
    for (Pattern& pattern : FindPatterns(flow_, work.members)) {
      if (pattern.nodes.size() + 2 >= work.members.size()) continue;  // it is the whole
      for (const int32_t n : pattern.nodes) in_pattern[n] = true;
      const bool more = pattern.title == "attention";
      children.push_back({std::move(pattern.title), ScopeKind::kPattern, std::move(pattern.nodes), work.depth, more});
    }
    if (children.empty()) return false;
    std::vector<int32_t> rest;
    for (const int32_t n : work.members)
      if (!in_pattern.contains(n)) rest.push_back(n);
    AddNodes(rest, children);
    return true;
  }

  // Turns children into items, up to the limit per view.
  void Settle(const Work& work, std::vector<Child> children) {
    GatherAlike(work, children);
    if (children.size() <= most_) {
      for (Child& child : children) AddItem(work, std::move(child));
      return;
    }
    for (Child& group : Grouped(work, std::move(children))) AddItem(work, std::move(group));
  }

  // Consecutive nodes outside of scopes, as an optimizer after a model, are a separate part.
  void GatherNodes(const Work& work, std::vector<Child>& children) const {
    std::vector<Child> gathered;
    for (size_t k = 0, end; k < children.size(); k = end) {
      for (end = k; end < children.size() && children[end].IsNode();) ++end;
      if (end - k > kFew && end - k < children.size()) {
        std::vector<int32_t> nodes;
        for (size_t n = k; n < end; ++n) nodes.push_back(children[n].members.front());
        std::string title = ContentsTitle(flow_, nodes);
        gathered.push_back({std::move(title), ScopeKind::kPart, std::move(nodes), work.depth, true});
        continue;
      }
      end = std::max(end, k + 1);
      std::move(children.begin() + static_cast<int64_t>(k), children.begin() + static_cast<int64_t>(end),
                std::back_inserter(gathered));
    }
    children = std::move(gathered);
  }

  // Four or more layers beside other things are one item: "layers_0 … layers_11".
  void GatherAlike(const Work& work, std::vector<Child>& children) {
    constexpr size_t kMany = 4;
    for (int forms = 0; forms < 4; ++forms) {
      std::map<std::string, std::vector<size_t>> alike;
      for (size_t k = 0; k < children.size(); ++k)
        if (!children[k].IsNode() && !grouped_.contains(children[k].members.front()))
          alike[WithoutNumbers(children[k].title)].push_back(k);
      const auto most = std::max_element(
          alike.begin(), alike.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
      if (most == alike.end() || most->second.size() < kMany || most->first.find('#') == std::string::npos) return;
      const size_t first = most->second.front(), last = most->second.back(), count = most->second.size();
      // Includes the nodes between them, if they are few.
      if (last - first + 1 > count + count / 2 + 2 || last - first + 1 == children.size()) return;
      const auto begin = children.begin() + static_cast<int64_t>(first),
                 end = children.begin() + static_cast<int64_t>(last) + 1;
      Child group = Group(work, {std::make_move_iterator(begin), std::make_move_iterator(end)});
      children.erase(begin + 1, end);
      children[first] = std::move(group);
    }
  }

  Child Group(const Work& work, std::vector<Child> inner) {
    Child group;
    group.depth = work.depth, group.patterns = false;
    for (const Child& child : inner)
      group.members.insert(group.members.end(), child.members.begin(), child.members.end());
    group.title = GroupTitle(inner, group.members);
    grouped_[group.members.front()] = std::move(inner);
    return group;
  }

  void AddItem(const Work& work, Child child) {
    const auto scope = static_cast<size_t>(work.scope);
    if (child.IsNode()) return scopes_[scope].items.push_back({child.members.front(), -1});
    const auto made = static_cast<int32_t>(scopes_.size());
    scopes_[scope].items.push_back({-1, made});
    scopes_.push_back({std::move(child.title), child.kind, work.scope, {}});
    if (const auto it = grouped_.find(child.members.front());
        child.kind == ScopeKind::kPart && it != grouped_.end() && it->second.size() > 1) {
      // Its members are already known.
      std::vector<Child> inner = std::move(it->second);
      grouped_.erase(it);
      Settle({made, {}, child.depth, work.nested + 1, true}, std::move(inner));
      return;
    }
    todo_.push_back({made, std::move(child.members), child.depth, work.nested + 1, child.patterns});
  }

  // Groups neighbours, cut where few values cross; siblings with numbered names stay together.
  std::vector<Child> Grouped(const Work& work, std::vector<Child> children) {
    std::vector<int32_t> order, first_of;
    for (const Child& child : children)
      first_of.push_back(static_cast<int32_t>(order.size())),
          order.insert(order.end(), child.members.begin(), child.members.end());
    const std::vector<int32_t> all = ValuesPassing(flow_, order);
    std::vector<int32_t> passing;
    for (const int32_t first : first_of) passing.push_back(all[static_cast<size_t>(first)]);
    const size_t parts = std::clamp<size_t>((children.size() + kFew - 1) / kFew, 2, most_ / 2);
    std::vector<size_t> begins = CutAtWaists(passing, parts);
    begins.push_back(children.size());
    std::vector<Child> groups;
    for (size_t k = 0; k + 1 < begins.size(); ++k) {
      std::vector<Child> inner(std::make_move_iterator(children.begin() + static_cast<int64_t>(begins[k])),
                               std::make_move_iterator(children.begin() + static_cast<int64_t>(begins[k + 1])));
      if (inner.size() == 1) {
        groups.push_back(std::move(inner.front()));
        continue;
      }
      groups.push_back(Group(work, std::move(inner)));
    }
    return groups;
  }

  std::string GroupTitle(const std::vector<Child>& inner, const std::vector<int32_t>& members) const {
    const std::string form = WithoutNumbers(inner.front().title);
    const bool alike = !form.empty() && std::all_of(inner.begin(), inner.end(), [&](const Child& child) {
      return child.IsNode() || WithoutNumbers(child.title) == form;
    });
    if (alike && !inner.back().IsNode()) {
      // Avoids "layer 1 of 12 … 12 of 12".
      const std::string &first = inner.front().title, &last = inner.back().title;
      size_t same = static_cast<size_t>(std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first -
                                        first.begin());
      while (same > 0 && first[same - 1] >= '0' && first[same - 1] <= '9') --same;
      const std::string_view from = std::string_view(first).substr(0, first.find(" of ")),
                             to = std::string_view(last).substr(std::min(same, last.size()));
      return Format("{} … {}", from, to);
    }
    return ContentsTitle(flow_, members);
  }

  const Flow& flow_;
  const size_t most_;
  std::vector<Scope> scopes_;
  std::vector<Work> todo_;
  std::unordered_map<int32_t, std::vector<Child>> grouped_;  // by first member: the members of a group
};

}  // namespace

std::string_view ScopeKindName(ScopeKind kind) {
  switch (kind) {
    case ScopeKind::kComputation: return "computation";
    case ScopeKind::kOpName: return "scope";
    case ScopeKind::kRepeat: return "layer";
    case ScopeKind::kPattern: return "pattern";
    case ScopeKind::kPart: return "part";
  }
  return "";
}

std::string ContentsTitle(const Flow& flow, const std::vector<int32_t>& nodes) {
  std::map<std::string_view, int64_t> counts;
  for (const int32_t n : nodes) {
    const HloInstruction& i = *flow.nodes[static_cast<size_t>(n)].instruction;
    ++counts[i.opcode_name()];
    // A fusion is described by a product or reduction in it.
    if (i.opcode() != HloOpcode::kFusion) continue;
    for (const HloInstruction* inner : i.fused_computation()->AllInstructions())
      if (IsOneOf(inner->opcode(), HloOpcode::kDot, HloOpcode::kConvolution, HloOpcode::kReduce, HloOpcode::kScatter,
                  HloOpcode::kGather, HloOpcode::kSort))
        ++counts[inner->opcode_name()];
  }
  // By the significance of the opcode, then by number.
  const auto weight = [](std::string_view opcode) {
    for (const std::string_view heavy : {"dot", "convolution", "custom-call", "while", "conditional", "call"})
      if (opcode == heavy) return 3;
    for (const std::string_view light :
         {"reshape", "broadcast", "convert", "copy", "transpose", "bitcast", "parameter", "tuple", "constant"})
      if (opcode == light) return 0;
    return opcode.starts_with("all-") || opcode.starts_with("reduce") || opcode.starts_with("fusion") ||
                   opcode.starts_with("scatter") || opcode.starts_with("gather") || opcode.starts_with("sort")
               ? 2
               : 1;
  };
  std::vector<std::pair<std::string_view, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return std::pair(weight(a.first), a.second) > std::pair(weight(b.first), b.second);
  });
  std::string title;
  for (size_t k = 0; k < std::min<size_t>(2, sorted.size()); ++k)
    title += Format("{}{} {}", k == 0 ? "" : ", ", sorted[k].second, sorted[k].first);
  return title;
}

std::vector<Scope> FindScopes(const Flow& flow, size_t most_items) { return Divider(flow, most_items).Run(); }

}  // namespace hloir
