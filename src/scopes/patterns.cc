// See patterns.h.
#include "scopes/patterns.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace hloir {
namespace {

constexpr size_t kMostSteps = 12;  // maximal distance between the landmarks of a pattern
constexpr size_t kMostNodes = 80;  // of a pattern
// The limit on operands and users in a search: a tuple of a thousand values is not part of a pattern.
constexpr size_t kMostLooks = 250;

bool IsProduct(HloOpcode opcode) {
  return IsOneOf(opcode, HloOpcode::kDot, HloOpcode::kScaledDot, HloOpcode::kRaggedDot);
}
// Opcodes allowed between landmarks.
bool IsPassage(const HloInstruction& i) {
  // JAX calls jit(_where) and the like.
  return i.Is(kElementwise) || i.Is(kMovesData) || i.Is(kAliases) ||
         IsOneOf(i.opcode(), HloOpcode::kCopy, HloOpcode::kCall);
}
bool IsActivation(HloOpcode opcode) {
  return IsOneOf(opcode, HloOpcode::kLogistic, HloOpcode::kTanh, HloOpcode::kErf, HloOpcode::kMaximum, HloOpcode::kExp);
}

class Finder {
 public:
  Finder(const Flow& flow, const std::vector<int32_t>& members) : flow_(flow), members_(members) {
    in_.insert(members.begin(), members.end());
  }

  std::vector<Pattern> Run() {
    // Larger ones first: an attention contains a softmax.
    for (const int32_t m : members_)
      if (OpcodeOf(m) == HloOpcode::kExp) Softmax(m);
    std::stable_sort(found_.begin(), found_.end(), [](const Pattern& a, const Pattern& b) {
      return (a.title == "attention") > (b.title == "attention");
    });
    for (const int32_t m : members_)
      if (IsOneOf(OpcodeOf(m), HloOpcode::kRsqrt, HloOpcode::kSqrt)) Norm(m);
    for (const int32_t m : members_)
      if (IsProduct(OpcodeOf(m))) Mlp(m);
    std::vector<Pattern> disjoint;
    for (Pattern& pattern : found_) {
      const bool free =
          std::none_of(pattern.nodes.begin(), pattern.nodes.end(), [&](int32_t n) { return taken_.contains(n); });
      if (!free || pattern.nodes.size() < 4) continue;
      taken_.insert(pattern.nodes.begin(), pattern.nodes.end());
      disjoint.push_back(std::move(pattern));
    }
    std::sort(disjoint.begin(), disjoint.end(),
              [](const Pattern& a, const Pattern& b) { return a.nodes[0] < b.nodes[0]; });
    return disjoint;
  }

 private:
  const Flow::Node& Node(int32_t n) const { return flow_.nodes[static_cast<size_t>(n)]; }
  HloOpcode OpcodeOf(int32_t n) const { return Node(n).instruction->opcode(); }
  bool Passes(int32_t n) const { return in_.contains(n) && IsPassage(*Node(n).instruction); }

  int64_t ElementsOf(int32_t n) const {
    const Shape& shape = Node(n).instruction->shape();
    return shape.IsArray() ? shape.ElementCount() : 0;
  }

  // The nearest node from `start` with `wanted`, through allowed operands (or users); -1 if there is none.
  template <class Wanted>
  int32_t Nearest(int32_t start, bool over_users, Wanted wanted) const {
    std::vector<int32_t> ring = {start};
    std::unordered_set<int32_t> seen = {start};
    size_t looks = 0;
    for (size_t step = 0; step < kMostSteps && !ring.empty() && seen.size() < kMostNodes; ++step) {
      std::vector<int32_t> next;
      for (const int32_t n : ring) {
        for (const int32_t to : over_users ? Node(n).users : Node(n).operands) {
          if (++looks > kMostLooks) return -1;
          if (!in_.contains(to) || !seen.insert(to).second) continue;
          if (wanted(to)) return to;
          if (Passes(to)) next.push_back(to);
        }
      }
      ring = std::move(next);
    }
    return -1;
  }

  // All nodes on paths from a source to the sink, inclusive, ascending; empty if there are too many.
  std::vector<int32_t> Between(const std::vector<int32_t>& sources, int32_t sink) const {
    const int32_t first = *std::min_element(sources.begin(), sources.end());
    std::vector<int32_t> todo = {sink}, above;
    std::unordered_set<int32_t> seen = {sink};
    size_t looks = 0;
    seen.insert(sources.begin(), sources.end());
    while (!todo.empty()) {
      const int32_t n = todo.back();
      todo.pop_back();
      above.push_back(n);
      looks += Node(n).operands.size();
      if (above.size() > 4 * kMostNodes || looks > kMostLooks) return {};
      for (const int32_t operand : Node(n).operands)
        if (operand > first && in_.contains(operand) && seen.insert(operand).second) todo.push_back(operand);
    }
    std::sort(above.begin(), above.end());
    std::unordered_set<int32_t> reached(sources.begin(), sources.end());
    for (const int32_t n : above) {
      const std::vector<int32_t>& operands = Node(n).operands;
      if (std::any_of(operands.begin(), operands.end(), [&](int32_t o) { return reached.contains(o); }))
        reached.insert(n);
    }
    if (!reached.contains(sink) || reached.size() > kMostNodes) return {};
    std::vector<int32_t> nodes(reached.begin(), reached.end());
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  void Add(const char* title, std::vector<int32_t> nodes) {
    if (!nodes.empty()) found_.push_back({title, std::move(nodes)});
  }

  // divide(e, reduce(e)) with e = exp(x - reduce(x)); between two products, an attention.
  void Softmax(int32_t exponential) {
    const auto reduces = [&](int32_t n) { return OpcodeOf(n) == HloOpcode::kReduce; };
    const int32_t difference =
        Nearest(exponential, false, [&](int32_t n) { return OpcodeOf(n) == HloOpcode::kSubtract; });
    if (difference < 0) return;
    const int32_t largest = Nearest(difference, false, reduces);
    const int32_t sum = Nearest(exponential, true, reduces);
    if (largest < 0 || sum < 0 || Node(largest).operands.empty()) return;
    const int32_t quotient = Nearest(sum, true, [&](int32_t n) { return OpcodeOf(n) == HloOpcode::kDivide; });
    if (quotient < 0) return;
    const int32_t x = Node(largest).operands.front();
    const int32_t before =
        IsProduct(OpcodeOf(x)) ? x : Nearest(x, false, [&](int32_t n) { return IsProduct(OpcodeOf(n)); });
    const int32_t after = Nearest(quotient, true, [&](int32_t n) { return IsProduct(OpcodeOf(n)); });
    if (before >= 0 && after >= 0) {
      if (std::vector<int32_t> nodes = Between({before}, after); !nodes.empty())
        return Add("attention", std::move(nodes));
    }
    std::vector<int32_t> nodes = Between({difference, largest}, quotient);
    Add("softmax", std::move(nodes));
  }

  // x * rsqrt(reduce(x * x)), followed by scale and offset.
  void Norm(int32_t root) {
    const int32_t variance = Nearest(root, false, [&](int32_t n) { return OpcodeOf(n) == HloOpcode::kReduce; });
    if (variance < 0) return;
    const int32_t end = Nearest(root, true, [&](int32_t n) {
      return IsOneOf(OpcodeOf(n), HloOpcode::kMultiply, HloOpcode::kDivide) && ElementsOf(n) > ElementsOf(root);
    });
    const int32_t square = Nearest(variance, false, [&](int32_t n) {
      return IsOneOf(OpcodeOf(n), HloOpcode::kMultiply, HloOpcode::kPower, HloOpcode::kAbs);
    });
    if (end < 0 || square < 0) return;
    // Of a parameter there is no node.
    const int32_t x = Node(square).operands.empty() ? -1 : Node(square).operands.front();
    const int32_t mean = x < 0 ? -1 : Nearest(x, false, [&](int32_t n) { return OpcodeOf(n) == HloOpcode::kReduce; });
    std::vector<int32_t> nodes = Between({mean >= 0 ? mean : square}, WithScale(end));
    if (nodes.empty()) return;
    if (mean < 0 && x >= 0 && OpcodeOf(x) == HloOpcode::kConvert && in_.contains(x)) nodes.insert(nodes.begin(), x);
    Add(mean >= 0 ? "layer norm" : "RMS norm", std::move(nodes));
  }

  // After a norm: the only user, if it has no other operand with a box.
  int32_t WithScale(int32_t end) const {
    for (int step = 0; step < 4; ++step) {
      if (Node(end).users.size() != 1) break;
      const int32_t user = Node(end).users.front();
      if (!Passes(user) || Node(user).operands.size() != 1) break;
      end = user;
    }
    return end;
  }

  // The products whose results, through an activation, are an operand of this one.
  void Mlp(int32_t last) {
    std::vector<int32_t> todo, products;
    std::unordered_set<int32_t> seen;
    bool activated = false;
    size_t looks = 0;
    for (const int32_t operand : Node(last).operands)
      if (seen.insert(operand).second) todo.push_back(operand);
    while (!todo.empty()) {
      const int32_t n = todo.back();
      todo.pop_back();
      looks += Node(n).operands.size();
      if (!in_.contains(n) || seen.size() > kMostNodes || looks > kMostLooks) return;
      if (IsProduct(OpcodeOf(n))) {
        products.push_back(n);
        continue;
      }
      if (!Passes(n)) return;  // another input than products
      activated = activated || IsActivation(OpcodeOf(n));
      for (const int32_t operand : Node(n).operands)
        if (seen.insert(operand).second) todo.push_back(operand);
    }
    if (!activated || products.empty() || products.size() > 3) return;
    Add("MLP", Between(products, last));
  }

  const Flow& flow_;
  const std::vector<int32_t>& members_;
  std::unordered_set<int32_t> in_, taken_;
  std::vector<Pattern> found_;
};

}  // namespace

std::vector<Pattern> FindPatterns(const Flow& flow, const std::vector<int32_t>& members) {
  return Finder(flow, members).Run();
}

}  // namespace hloir
