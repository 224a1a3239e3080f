// A computation as people see it: constants, their broadcasts, parameters, tuples and bitcasts are folded into the
// instructions that they serve, and what is left are the nodes. Entry: MakeFlow. Scopes of nodes: scopes.h.
// Tested by tests/unit/scopes_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hloir/module.h"

namespace hloir {

struct Flow {
  struct Node {
    const HloInstruction* instruction = nullptr;
    std::vector<const HloInstruction*> folded;  // into this node, in order
    std::vector<int32_t> operands, users;       // nodes; each once, ascending
    std::string_view op_name;                   // its own, or a neighbour's where it has none
  };
  std::vector<Node> nodes;  // operands before users
};

// Of these instructions of one computation, in an order with operands before users. Of at most `few` nothing is folded.
// `fold_parameters`: parameters, and elements of one, stand in their users.
Flow MakeFlow(std::span<const HloInstruction* const> order, size_t few, bool fold_parameters);

// The computation's instructions in the order of the text, if that has operands before users, else in post-order.
std::vector<const HloInstruction*> FlowOrder(const HloComputation& computation);

}  // namespace hloir
