// Common parts of passes: RewritingPass, a pass of named rules; and predicates and edits for replacing one instruction
// by another. (IsDead, instruction.h, is the criterion for deletion.) Covered by the tests of the passes, tests/passes.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/detail/fetch_ahead.h"  // Fetch and InFetchedOrder, for a pass's walks
#include "hloir/module.h"
#include "hloir/pass.h"

#pragma GCC visibility push(default)
namespace hloir {

// The base of a pass that makes named rewrites: its name, its options, and its gate.
//
//   constexpr RuleInfo kDrop = {"drop-barrier", "optimization-barrier(A) => A"};
//   class DropBarriers : public RewritingPass {
//    public:
//     using RewritingPass::RewritingPass;
//     StatusOr<bool> Run(HloModule& module) override;
//   };
//   PassDefinition DefineDropBarriers() { return {MakePassOf<DropBarriers>, {kDrop}}; }
class RewritingPass : public HloPass {
 public:
  RewritingPass(std::string_view name, const PassOptions& options)
      : name_(name), options_(options), gate_(name, options) {}
  std::string_view name() const override { return name_; }

 protected:
  // Returns true if the change may be made now. `math`: the rule's class, if it depends on the instruction.
  bool Ask(const RuleInfo& rule, MathMode math, const HloInstruction& instruction, std::string reason = {}) {
    return gate_.Enabled(rule, math) && gate_.Allow(rule, math, instruction, std::move(reason));
  }
  bool Ask(const RuleInfo& rule, const HloInstruction& instruction, std::string reason = {}) {
    return Ask(rule, rule.integers, instruction, std::move(reason));
  }
  // After Ask returned true: replaces `old` by `made`, a new instruction, which takes over its annotations; removes
  // `old` if it is dead.
  void PutInPlaceOf(HloInstruction* old, HloInstruction* made);
  // Calls rewrite(i) for each instruction of `opcode` in ControlFlowComputations, callees first, within a computation
  // in InOrder; returns true if one of the calls returned true. `rewrite` must not remove another such instruction.
  static bool ForEach(HloModule& module, HloOpcode opcode, const std::function<bool(HloInstruction*)>& rewrite);
  // Calls Ask, and if it returns true, replaces all uses of `old` by `existing`, an older instruction.
  bool ReplaceWith(HloInstruction* old, HloInstruction* existing, const RuleInfo& rule);

  std::string name_;
  PassOptions options_;
  RewriteGate gate_;
};

// True if `replacement`, an instruction that existed before, can replace `original` for all users: it has the same
// shape and layout, and no sharding or frontend attribute of the original is lost.
bool MayTakePlaceOf(const HloInstruction& replacement, const HloInstruction& original);
// Copies to a new instruction the original's metadata (if it has none), sharding, frontend attributes and original
// value.
void InheritAnnotations(HloInstruction* replacement, const HloInstruction& original);
// Removes the elements outside `keep` from the original value of an instruction whose tuple lost them.
void KeepOrigins(HloInstruction& tuple, const std::vector<bool>& keep);

// MayRemoveIfUnused for many instructions: the effects of a computation are computed once, not for each caller. The
// result stays right as long as edits only remove effects.
class Effects {
 public:
  explicit Effects(const HloModule& module);
  bool MayRemoveIfUnused(const HloInstruction& i) const;

 private:
  bool Acts(const HloInstruction& i) const;

  std::vector<bool> acts_;  // by a computation's id: true if its instructions, or those of called computations, have
                            // observable effects
};

// True for the body of a fusion or of an async operation. Passes that rewrite single instructions leave these alone.
bool IsWrapped(const HloComputation& computation);
// Opcodes that have one of these traits.
OpcodeSet OpcodesWith(uint32_t traits);
// Computations that run once per call: the entry and those reachable through call, while and conditional. Not bodies of
// fusions and async operations, nor reducers, comparators and the like, which run once per element. In the module's
// post-order.
std::vector<HloComputation*> ControlFlowComputations(HloModule& module);

// Copies the body's instructions in front of `place`, with `arguments` for its parameters; returns the copy of its
// root.
HloInstruction* InlineBefore(HloInstruction* place, const HloComputation& body,
                             std::span<HloInstruction* const> arguments);
// True if the body can be inlined: no control dependencies, no other thread, and no partitioner that refers to it by
// name.
bool MayBeInlined(const HloComputation& body, const HloComputation& into);
// The k-th computation that the instruction calls; a new copy of it if it has other callers.
HloComputation* OwnComputation(HloInstruction* caller, int64_t k);
// Operands before users: a schedule, or the post-order.
std::vector<HloInstruction*> InOrder(HloComputation& computation);
// Instructions of one opcode, in that order.
std::vector<HloInstruction*> InstructionsOf(HloComputation& computation, HloOpcode opcode);

}  // namespace hloir
#pragma GCC visibility pop
