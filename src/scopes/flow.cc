// See flow.h.
#include "scopes/flow.h"

#include <algorithm>
#include <unordered_map>

#include "hloir/custom_call.h"

namespace hloir {
namespace {

// The role of an instruction in the picture.
enum class Role : uint8_t {
  kNode,      // has a box
  kConstant,  // a constant or a reordered one: folded into each user
  kInput,     // a parameter or an element or reordering of one: likewise
  kAlias,     // an alias of its operand: folded into the operand's node
  kBundle,    // a forwarded tuple: folded into its first user
};

bool Reorders(HloOpcode opcode) {
  return IsOneOf(opcode, HloOpcode::kBroadcast, HloOpcode::kReshape, HloOpcode::kBitcast, HloOpcode::kConvert,
                 HloOpcode::kTranspose, HloOpcode::kCopy, HloOpcode::kBitcastConvert);
}

class Folder {
 public:
  Folder(std::span<const HloInstruction* const> order, bool fold_parameters)
      : order_(order), fold_parameters_(fold_parameters) {
    index_.reserve(order.size());
    for (size_t k = 0; k < order.size(); ++k) index_[order[k]] = static_cast<int32_t>(k);
    role_.resize(order.size()), home_.assign(order.size(), -1);
  }

  Flow Run(bool fold) {
    for (size_t k = 0; k < order_.size(); ++k) role_[k] = fold ? RoleOf(*order_[k]) : Role::kNode;
    // Only parameters: there is no user to fold one into.
    if (std::find(role_.begin(), role_.end(), Role::kNode) == role_.end()) role_.assign(role_.size(), Role::kNode);
    for (size_t k = 0; k < order_.size(); ++k) {
      if (role_[k] == Role::kNode) {
        home_[k] = static_cast<int32_t>(flow_.nodes.size());
        flow_.nodes.push_back({order_[k], {}, {}, {}, {}});
      } else if (role_[k] == Role::kAlias) {
        home_[k] = home_[At(*order_[k]->operand(0))];
      }
    }
    // Instructions folded into users belong to the first one.
    for (size_t k = order_.size(); k-- > 0;) {
      if (home_[k] < 0) home_[k] = FirstUserHome(*order_[k]);
    }
    for (size_t k = 0; k < order_.size(); ++k)
      if (role_[k] != Role::kNode) flow_.nodes[static_cast<size_t>(home_[k])].folded.push_back(order_[k]);
    AddEdges();
    NameNeighbours();
    return std::move(flow_);
  }

 private:
  static constexpr size_t kNowhere = SIZE_MAX;
  size_t At(const HloInstruction& i) const {
    const auto it = index_.find(&i);
    return it == index_.end() ? kNowhere : static_cast<size_t>(it->second);
  }
  // The role of an operand, which precedes; an operand outside the selection is a node.
  Role RoleAt(const HloInstruction& i) const {
    const size_t at = At(i);
    return at == kNowhere ? Role::kNode : role_[at];
  }
  bool HasUser(const HloInstruction& i) const {
    return std::any_of(i.users().begin(), i.users().end(), [&](const HloInstruction* u) { return At(*u) != kNowhere; });
  }

  Role RoleOf(const HloInstruction& i) const {
    const HloOpcode opcode = i.opcode();
    if (i.IsRoot() || (i.Is(kSideEffect) && !i.IsParameter())) return Role::kNode;
    if (opcode == HloOpcode::kParameter) return fold_parameters_ ? Role::kInput : Role::kNode;
    if (IsOneOf(opcode, HloOpcode::kConstant, HloOpcode::kIota)) return Role::kConstant;
    if (!HasUser(i) && opcode != HloOpcode::kGetTupleElement) return Role::kNode;
    if (opcode == HloOpcode::kTuple) {
      const bool nested = std::any_of(i.operands().begin(), i.operands().end(),
                                      [&](const HloInstruction* o) { return RoleAt(*o) == Role::kBundle; });
      // Each user gets an edge from each element.
      constexpr int64_t kMostUsers = 4;
      return nested || i.operand_count() == 0 || i.user_count() > kMostUsers ? Role::kNode : Role::kBundle;
    }
    if (i.operand_count() != 1 || At(*i.operand(0)) == kNowhere) return Role::kNode;
    const Role operand = RoleAt(*i.operand(0));
    if (Reorders(opcode) && (operand == Role::kConstant || operand == Role::kInput)) return operand;
    if (opcode == HloOpcode::kGetTupleElement && operand != Role::kBundle)
      return operand == Role::kNode ? Role::kAlias : operand;
    const bool annotates = IsCustomCall(i, CustomCall::kSharding);
    if (annotates && (operand == Role::kConstant || operand == Role::kInput)) return operand;
    if ((opcode == HloOpcode::kBitcast || annotates) && (operand == Role::kNode || operand == Role::kAlias))
      return Role::kAlias;
    return Role::kNode;
  }

  int32_t FirstUserHome(const HloInstruction& i) const {
    size_t first = kNowhere;
    for (const HloInstruction* user : i.users()) first = std::min(first, At(*user));
    // Without users, as an unread element of a loop: belongs to the last node, the root.
    return first == kNowhere ? static_cast<int32_t>(flow_.nodes.size()) - 1 : home_[first];
  }

  void AddSources(const HloInstruction& value, std::vector<int32_t>& sources) const {
    const size_t at = At(value);
    if (at == kNowhere || role_[at] == Role::kConstant || role_[at] == Role::kInput) return;
    if (role_[at] != Role::kBundle) return sources.push_back(home_[at]);
    for (const HloInstruction* element : value.operands()) {
      const size_t from = At(*element);
      if (from != kNowhere && (role_[from] == Role::kNode || role_[from] == Role::kAlias))
        sources.push_back(home_[from]);
    }
  }

  void AddEdges() {
    std::vector<int32_t> sources;
    for (size_t n = 0; n < flow_.nodes.size(); ++n) {
      sources.clear();
      for (const HloInstruction* operand : flow_.nodes[n].instruction->operands()) AddSources(*operand, sources);
      std::sort(sources.begin(), sources.end());
      sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
      for (const int32_t source : sources)
        flow_.nodes[static_cast<size_t>(source)].users.push_back(static_cast<int32_t>(n));
      flow_.nodes[n].operands = sources;
    }
  }

  // Copies inserted by the compiler have no op_name, and some sums of JAX are "reduce_sum" without a scope: these take
  // a neighbour's scope.
  void NameNeighbours() {
    for (Flow::Node& node : flow_.nodes)
      if (node.instruction->metadata() != nullptr) node.op_name = node.instruction->metadata()->op_name;
    const auto scoped = [](std::string_view name) { return name.find('/') != std::string_view::npos; };
    const auto take = [&](Flow::Node& node, const std::vector<int32_t>& from) {
      for (size_t k = 0; k < from.size() && !scoped(node.op_name); ++k) {
        const std::string_view name = flow_.nodes[static_cast<size_t>(from[k])].op_name;
        if (node.op_name.empty() || scoped(name)) node.op_name = name;
      }
    };
    for (Flow::Node& node : flow_.nodes) take(node, node.operands);
    for (size_t n = flow_.nodes.size(); n-- > 0;) take(flow_.nodes[n], flow_.nodes[n].users);
  }

  std::span<const HloInstruction* const> order_;
  const bool fold_parameters_;
  std::unordered_map<const HloInstruction*, int32_t> index_;
  std::vector<Role> role_;
  std::vector<int32_t> home_;  // the node that an instruction is, or is folded into
  Flow flow_;
};

}  // namespace

Flow MakeFlow(std::span<const HloInstruction* const> order, size_t few, bool fold_parameters) {
  return Folder(order, fold_parameters).Run(order.size() > few);
}

std::vector<const HloInstruction*> FlowOrder(const HloComputation& computation) {
  std::vector<const HloInstruction*> order;
  std::unordered_map<const HloInstruction*, bool> seen;
  seen.reserve(static_cast<size_t>(computation.instruction_count()));
  order.reserve(static_cast<size_t>(computation.instruction_count()));
  for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
    for (const HloInstruction* operand : i->operands())
      if (!seen.contains(operand)) return computation.PostOrder();
    seen[i] = true;
    order.push_back(i);
  }
  return order;
}

}  // namespace hloir
