// A view of a module for comparisons in which wrappers are transparent: fusions, calls (the first call of a
// computation), their parameters, and get-tuple-elements of tuple instructions. The operands of an instruction are the
// instructions that compute them, so a fused and an unfused program have the same view.
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
    const HloComputation* home = nullptr;    // the innermost enclosing computation that is not transparent
    const HloInstruction* fusion = nullptr;  // the innermost fusion around it
    std::vector<int32_t> operands, users;    // nodes, including transparent ones
    int32_t start = -1;                      // for a loop-carried value: its initial value
    // Hashes of opcode, shape and attributes, without annotations and layouts; and of these and all transitive
    // operands.
    uint64_t own = 0, own_plain = 0, value = 0, value_plain = 0;
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& operator[](int32_t node) const { return nodes_[static_cast<size_t>(node)]; }
  int32_t NodeOf(const HloInstruction& instruction) const { return node_of_id_[static_cast<size_t>(instruction.id())]; }
  // The node that defines the instruction's value: itself, unless it is transparent.
  int32_t Resolve(const HloInstruction& instruction) const { return NodeOf(*Source(instruction)); }
  // The module's computations that are not transparent, callers first.
  const std::vector<const HloComputation*>& homes() const { return homes_; }
  // The sinks of a home: its root and all other nodes without users.
  uint64_t HashOf(const HloComputation& home) const { return home_hashes_[static_cast<size_t>(home.id())]; }
  bool IsLookedThrough(const HloComputation& computation) const {
    return inlined_[static_cast<size_t>(computation.id())] != nullptr;
  }
  // The caller of a transparent computation; nullptr for others.
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
  std::vector<const HloInstruction*> inlined_;  // by computation id: the caller, if it is transparent
  std::vector<const HloComputation*> homes_;
  std::vector<uint64_t> home_hashes_;  // by computation id
};

// Opcode, result type, dimensions and attributes as text.
std::string PlainText(const HloInstruction& instruction);

}  // namespace hloir
