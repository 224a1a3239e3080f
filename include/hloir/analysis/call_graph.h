// CallGraph: which computation calls which, by what instructions, and whether a call is a step of control flow (call,
// while, conditional, async-start) or embedded in an op (a reduction's body, a fusion). It is a picture of the module
// as it was when it was made. The order of computations, callees first: HloModule::PostOrder().
//
// Example:
//
//   const CallGraph graph(module);
//   for (const HloComputation* computation : module.PostOrder()) {
//     const CallGraph::Node& node = graph.node(*computation);
//     if (node.context == CallContext::kEmbedded) continue;  // runs as a part of one instruction
//     for (const HloInstruction* site : node.call_sites) (void)site->called_computations();
//   }
//
// Tested by tests/unit/analysis_test.cc.
//
// Threads: may be made and asked from any thread while none edits the module.
#pragma once

#include <cstdint>
#include <vector>

#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

// How a computation is entered. kNone: nothing reaches it from the entry.
enum class CallContext : uint8_t { kNone, kControlFlow, kEmbedded, kBoth };

// Who calls whom in a module, and in which context. Valid until the module is edited.
class CallGraph {
 public:
  // A computation and its callers.
  struct Node {
    const HloComputation* computation = nullptr;
    std::vector<const HloInstruction*> call_sites;        // its instructions that call, in stored order
    std::vector<const HloInstruction*> caller_sites;      // the instructions that call it
    std::vector<const HloComputation*> callees, callers;  // each once, in the order of the sites
    CallContext context = CallContext::kNone;
    int64_t depth = 0;  // of the longest chain of calls from the entry
  };

  explicit CallGraph(const HloModule& module);
  const Node& node(const HloComputation& computation) const { return nodes_[computation.id()]; }

  // Every chain of calls from the entry to `b` goes through `a`. A computation dominates itself.
  bool Dominates(const HloComputation& a, const HloComputation& b) const;
  // The instruction is in `computation`, or in what that calls, at whatever depth and by whatever path.
  bool IsNestedIn(const HloInstruction& instruction, const HloComputation& computation) const;

 private:
  const HloComputation* entry_;
  std::vector<Node> nodes_;  // by computation's id()
};

}  // namespace hloir
#pragma GCC visibility pop
