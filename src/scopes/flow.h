// A simplified graph of a computation for pictures: constants, their broadcasts, parameters, tuples and bitcasts are
// folded into their users; the other instructions are the nodes. Entry: MakeFlow. Scopes of nodes: scopes.h.
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
    std::string_view op_name;                   // its own, or a neighbour's if it has none
  };
  std::vector<Node> nodes;  // operands before users
};

// The flow of these instructions of one computation, operands before users. At most `few` instructions are not folded.
// `fold_parameters`: fold parameters, and elements of one, into their users.
Flow MakeFlow(std::span<const HloInstruction* const> order, size_t few, bool fold_parameters);

// The computation's instructions in text order if operands precede users there, otherwise in post-order.
std::vector<const HloInstruction*> FlowOrder(const HloComputation& computation);

}  // namespace hloir
