// A module seen without its wrapping, for comparing: fusions, calls (of several of one computation the first), their
// parameters, and elements taken from tuples that are made in sight are looked through, so that each instruction's
// operands are the instructions that really compute them. In it the same program fused and unfused looks the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hloir/module.h"

namespace hloir {

class FlatModule {
 public:
  explicit FlatModule(const HloModule& module);

  struct Node {
    const HloInstruction* instruction = nullptr;
    bool looked_through = false;             // has no separate value; not hashed
    const HloComputation* home = nullptr;    // the innermost computation around it that is not looked through
    const HloInstruction* fusion = nullptr;  // the innermost fusion around it
    std::vector<int32_t> operands, users;    // nodes, including those that are looked through
    int32_t start = -1;                      // of a loop-carried value: its initial value
    // Of opcode, shape and attributes; without annotations and layouts; and of these and all that it is computed from.
    uint64_t own = 0, own_plain = 0, value = 0, value_plain = 0;
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](int32_t node) const { return nodes_[static_cast<size_t>(node)]; }
  int32_t NodeOf(const HloInstruction& instruction) const { return node_of_id_[static_cast<size_t>(instruction.id())]; }
  // The node whose value the instruction has: itself, unless it is looked through.
  int32_t Resolve(const HloInstruction& instruction) const { return NodeOf(*Source(instruction)); }
  // The module's computations that are not looked through, callers first.
  const std::vector<const HloComputation*>& homes() const { return homes_; }
  // The sinks of a home: its root and all other nodes without users.
  uint64_t HashOf(const HloComputation& home) const { return home_hashes_[static_cast<size_t>(home.id())]; }
  bool IsLookedThrough(const HloComputation& computation) const {
    return inlined_[static_cast<size_t>(computation.id())] != nullptr;
  }
  // The one instruction that a computation is looked through for; null if it is not.
  const HloInstruction* WrapperOf(const HloComputation& computation) const {
    return inlined_[static_cast<size_t>(computation.id())];
  }
  bool IsWrapper(const HloInstruction& caller) const {
    return inlined_[static_cast<size_t>(caller.to_apply()->id())] == &caller;
  }
  // Nodes, each after its operands and the nodes of the computations it calls.
  const std::vector<int32_t>& order() const { return order_; }

 private:
  const HloInstruction* Source(const HloInstruction& instruction) const;
  void Order();
  void Hash();

  std::vector<Node> nodes_;
  std::vector<int32_t> node_of_id_, order_;
  std::vector<const HloInstruction*> inlined_;  // by computation id: the one that calls it, if it is looked through
  std::vector<const HloComputation*> homes_;
  std::vector<uint64_t> home_hashes_;  // by computation id
};

// Of opcode, result type, dimensions and attributes, as text.
std::string PlainText(const HloInstruction& instruction);

}  // namespace hloir
