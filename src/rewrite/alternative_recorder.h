// The first half of AddAlternatives: records the rewrites that passes would make, and copies them into the module that
// will hold the alternatives. alternative_graph.cc has the second half, and describes both.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rewrite/alternatives.h"

namespace hloir::alternatives {

// A rewrite in the target.
struct Recorded {
  RewriteLog::Entry entry;
  struct Result {
    HloInstruction* source = nullptr;
    HloInstruction* made = nullptr;  // new, or an existing one
  };
  std::vector<Result> results;
  std::vector<HloInstruction*> made;          // all that is new
  std::vector<const HloInstruction*> region;  // the replaced instruction and those that become dead with it
};

// The module to which the alternatives are added.
class Target {
 public:
  explicit Target(std::unique_ptr<HloModule> module)
      : module_(std::move(module)),
        old_instructions_(module_->instruction_id_limit()),
        old_computations_(module_->computation_id_limit()),
        instructions_(static_cast<size_t>(old_instructions_), nullptr),
        computations_(static_cast<size_t>(old_computations_), nullptr) {
    for (HloComputation* computation : module_->computations()) {
      computations_[static_cast<size_t>(computation->id())] = computation;
      for (HloInstruction* i = computation->first(); i != nullptr; i = i->next())
        instructions_[static_cast<size_t>(i->id())] = i;
    }
  }
  HloModule& module() { return *module_; }
  std::unique_ptr<HloModule> Release() { return std::move(module_); }

  bool IsOld(const HloInstruction* i) const { return i->id() < old_instructions_; }
  bool IsOld(const HloComputation* c) const { return c->id() < old_computations_; }
  // The counterpart of an old instruction or computation in a scratch copy.
  HloInstruction* Of(const HloInstruction* i) const { return instructions_[static_cast<size_t>(i->id())]; }
  HloInstruction* At(int32_t id) const { return instructions_[static_cast<size_t>(id)]; }
  HloComputation* Of(const HloComputation* c) const { return computations_[static_cast<size_t>(c->id())]; }
  size_t old_count() const { return instructions_.size(); }

  // Copies `i`, of a scratch copy, with the computations it calls.
  HloInstruction* Copy(const HloInstruction& i, HloComputation& into, std::span<HloInstruction* const> operands) {
    HloInstruction* copy = into.AddClone(i, operands);
    for (const HloComputation* called : i.called_computations()) copy->AddCalledComputation(CopyOfCalled(*called));
    return copy;
  }

 private:
  bool IsUnchanged(const HloComputation& c) const;
  // The target's computation if it is unchanged, unless it is a body with one caller.
  HloComputation* CopyOfCalled(const HloComputation& called);

  std::unique_ptr<HloModule> module_;
  const int32_t old_instructions_, old_computations_;
  std::vector<HloInstruction*> instructions_;  // by id
  std::vector<HloComputation*> computations_;
};

// Allows, on one scratch copy, rewrites that do not interfere, and copies their results into the target.
class Recorder : public RewriteLog {
 public:
  Recorder(HloModule& scratch, Target& target, std::set<std::string, std::less<>> wanted)
      : scratch_(scratch), target_(target), touched_(target.old_count(), false), here_(target.old_count(), nullptr) {
    take_only = true;
    take = std::move(wanted);
  }

  bool Allow(const Rewrite& rewrite) override;
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override;

  std::vector<Recorded> recorded_;
  std::vector<AlternativeGraph::LeftOut> left_out_;
  std::vector<HloInstruction*> made_in_vain_;  // in the target

 private:
  bool Touched(const HloInstruction& i) const;
  void Touch(const HloInstruction* i) {
    if (target_.IsOld(i)) touched_[static_cast<size_t>(i->id())] = true;
  }

  // An edge between old instructions that the rewrite changed; without a user, the root of `computation`.
  struct Moved {
    const HloComputation* computation = nullptr;
    const HloInstruction* user = nullptr;
    int32_t source = 0;
    const HloInstruction* now = nullptr;
  };

  // Its previous operands: those in the target, except for edges moved by an earlier rewrite on this copy.
  std::vector<int32_t> OperandsBefore(const HloInstruction* i) const;
  bool SameOperands(const HloInstruction* i) const;
  // True if only new instructions call it, so that its copy is new too.
  bool IsPartOfMade(const HloComputation& c) const;

  // Fills in `recorded`, or returns the reason why the rewrite is not an alternative.
  std::string Explain(const Rewrite& rewrite, const HloInstruction* replacement, Recorded& recorded);
  std::string FindMoved(std::vector<Moved>& moved);
  bool IsEditedInPlace(const HloInstruction* i) const;
  // The target's counterpart of `i` in the scratch copy; nullptr if it depends on an earlier rewrite.
  HloInstruction* Import(const HloInstruction* i, bool edited_in_place, Recorded& recorded);

  const HloModule& scratch_;
  Target& target_;
  std::vector<bool> touched_;                // old instructions, by id
  std::vector<const HloInstruction*> here_;  // those that the scratch copy still has, by id
  std::set<int32_t> new_operands_;           // ids of old instructions with other operands than before this rewrite
  std::unordered_map<int32_t, std::vector<int32_t>> operands_;  // of old instructions whose edges moved
  std::unordered_map<int32_t, int32_t> roots_;                  // of old computations whose root moved
  std::unordered_map<int32_t, HloInstruction*> imported_;       // in the target, by the id in the scratch copy
  int32_t first_new_ = 0, source_ = 0, partner_ = -1;
  bool again_ = false;    // depends on another rewrite on this copy; try it on the next copy
  bool ordered_ = false;  // the imported instructions have control dependencies
};

}  // namespace hloir::alternatives
