// Rules of the graph: parents are consistent, edges exist in both directions, parameters are numbered without gaps, no
// instruction depends on itself and no computation calls itself, a schedule respects dependencies.
#include <bit>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "internal.h"

#include "support/format.h"

namespace hloir::verifier {
namespace {

// The names of a computation's instructions, or of the computations: a hash table of twice their number, with linear
// probing.
class NameSet {
 public:
  explicit NameSet(int64_t count) : table_(std::bit_ceil(2 * static_cast<size_t>(count) + 1)) {}
  // False if it is already there.
  bool Insert(std::string_view name) {
    size_t at = std::hash<std::string_view>()(name) & (table_.size() - 1);
    for (; table_[at].data() != nullptr; at = (at + 1) & (table_.size() - 1)) {
      if (table_[at] == name) return false;
    }
    table_[at] = name;
    return true;
  }

 private:
  std::vector<std::string_view> table_;
};

// True if an operand lists its user. Long lists are walked in parallel with the instructions, whose order they usually
// have, and otherwise searched in a set, because one constant may have as many users as the module has instructions.
class UserLists {
 public:
  bool Have(const HloInstruction& operand, const HloInstruction* user) {
    if (operand.user_count() <= kShort) return operand.IsUsedBy(user);
    List& list = long_[&operand];
    auto users = operand.users();
    if (list.next > 0 && users[list.next - 1] == user) return true;  // add(x, x)
    if (list.next < static_cast<size_t>(operand.user_count()) && users[list.next] == user) return ++list.next, true;
    if (list.all.empty()) list.all.insert(users.begin(), users.end());
    return list.all.contains(user);
  }

 private:
  static constexpr int64_t kShort = 16;
  struct List {
    size_t next = 0;
    std::unordered_set<const HloInstruction*> all;  // filled when the order is another
  };
  std::unordered_map<const HloInstruction*, List> long_;
};

void VerifyComputation(const HloModule& module, const HloComputation& computation, Errors& errors) {
  if (computation.module() != &module)
    errors.Add(nullptr, "computation {} says that it is of another module", computation.name());
  const HloInstruction* root = computation.root();
  if (root == nullptr) {
    errors.Add(nullptr, "computation {} has no root", computation.name());
  } else if (root->parent() != &computation) {
    errors.Add(nullptr, "the root {} of computation {} is of another computation", root->name(), computation.name());
  }
  NameSet names(computation.instruction_count());
  UserLists user_lists;
  int64_t parameters = 0;
  for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
    if (i->parent() != &computation)
      errors.Add(i, "{} says that it is of another computation than {}", i->name(), computation.name());
    if (!names.Insert(i->name()))
      errors.Add(i, "the name {} is used twice in computation {}", i->name(), computation.name());
    for (const HloInstruction* operand : i->operands()) {
      if (operand == nullptr) {
        errors.Add(i, "an operand is missing");
      } else if (operand->parent() != &computation) {
        errors.Add(i, "the operand {} is of another computation", operand->name());
      } else if (!user_lists.Have(*operand, i)) {
        errors.Add(i, "the operand {} does not know this user", operand->name());
      }
    }
    if (i->HasControlDependencies()) {
      for (const HloInstruction* before : i->control_predecessors()) {
        if (before == nullptr || before->parent() != &computation)
          errors.Add(i, "a control predecessor is of another computation");
      }
    }
    for (const HloComputation* called : i->called_computations()) {
      if (called == nullptr || called->module() != &module) errors.Add(i, "a called computation is of another module");
    }
    if (i->IsParameter()) {
      ++parameters;
      int64_t number = i->parameter_number();
      if (number < 0 || number >= computation.parameter_count() || computation.parameter(number) != i) {
        errors.Add(i, "parameter number {} is used twice or leaves a gap", number);
      }
    }
  }
  if (parameters != computation.parameter_count()) {
    errors.Add(nullptr, "computation {} has {} parameters, but {} parameter instructions", computation.name(),
               computation.parameter_count(), parameters);
  }
}

// Depth first over operands and control predecessors, from each instruction; reaching an open one is a cycle.
void VerifyAcyclic(const HloModule& module, const HloComputation& computation, std::vector<uint8_t>& state,
                   Errors& errors) {
  enum : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    const HloInstruction* instruction;
    size_t next = 0;
  };
  state.resize(static_cast<size_t>(module.instruction_id_limit()), kNew);
  std::vector<Frame> stack;
  for (const HloInstruction* start = computation.first(); start != nullptr; start = start->next()) {
    if (state[start->id()] != kNew) continue;
    stack.push_back({start});
    state[start->id()] = kOpen;
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      auto operands = at->operands();
      std::span<const HloInstruction* const> controls;
      if (at->has_extras()) controls = at->control_predecessors();
      if (next == operands.size() + controls.size()) {
        state[at->id()] = kDone;
        stack.pop_back();
        continue;
      }
      const HloInstruction* before = next < operands.size() ? operands[next] : controls[next - operands.size()];
      ++next;
      if (state[before->id()] == kNew) {
        state[before->id()] = kOpen;
        stack.push_back({before});
      } else if (state[before->id()] == kOpen) {
        std::string path(before->name());
        for (size_t i = stack.size(); i-- > 0;) {
          path += Format(" <- {}", stack[i].instruction->name());
          if (stack[i].instruction == before) break;
        }
        errors.Add(before, "depends on itself: {}", path);
        return;
      }
    }
  }
}

// The same over computations and their callees.
void VerifyNoRecursion(const HloModule& module, Errors& errors) {
  enum : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    const HloComputation* computation;
    const HloInstruction* at;
    size_t next_call = 0;
  };
  std::vector<uint8_t> state(static_cast<size_t>(module.computation_id_limit()), kNew);
  std::vector<Frame> stack;
  for (const HloComputation* start : module.computations()) {
    if (state[start->id()] != kNew) continue;
    state[start->id()] = kOpen;
    stack.push_back({start, start->first()});
    while (!stack.empty()) {
      auto& [computation, at, next_call] = stack.back();
      while (at != nullptr && next_call == at->called_computations().size()) at = at->next(), next_call = 0;
      if (at == nullptr) {
        state[computation->id()] = kDone;
        stack.pop_back();
        continue;
      }
      const HloComputation* called = at->called_computations()[next_call++];
      if (state[called->id()] == kOpen) {
        errors.Add(at, "computation {} calls itself, by way of {}", called->name(), computation->name());
        return;
      }
      if (state[called->id()] == kNew) {
        state[called->id()] = kOpen;
        stack.push_back({called, called->first()});
      }
    }
  }
}

// The stored order of a scheduled module is its execution order.
void VerifySchedule(const HloComputation& computation, std::vector<uint8_t>& seen, Errors& errors) {
  for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
    for (const HloInstruction* operand : i->operands()) {
      if (!seen[operand->id()]) errors.Add(i, "is scheduled before its operand {}", operand->name());
    }
    for (const HloInstruction* before : i->control_predecessors()) {
      if (!seen[before->id()]) errors.Add(i, "is scheduled before its control predecessor {}", before->name());
    }
    seen[i->id()] = 1;
  }
}

}  // namespace

void VerifyStructure(const HloModule& module, Errors& errors) {
  const HloComputation* entry = module.entry_computation();
  if (entry == nullptr) {
    errors.Add(nullptr, "the module has no entry computation");
    return;
  }
  NameSet names(module.computation_count());
  for (const HloComputation* computation : module.computations()) {
    if (!names.Insert(computation->name())) errors.Add(nullptr, "two computations are called {}", computation->name());
    VerifyComputation(module, *computation, errors);
  }
  if (!errors.empty()) return;
  std::vector<uint8_t> state;
  for (const HloComputation* computation : module.computations()) VerifyAcyclic(module, *computation, state, errors);
  VerifyNoRecursion(module, errors);
  if (!errors.empty()) return;
  if (entry->fusion() != nullptr) errors.Add(entry->fusion(), "calls the entry computation as its fusion body");
  if (module.config().is_scheduled) {
    std::vector<uint8_t> seen(static_cast<size_t>(module.instruction_id_limit()), 0);
    for (const HloComputation* computation : module.computations()) VerifySchedule(*computation, seen, errors);
  }
}

}  // namespace hloir::verifier
