// Steps without kernels: copies, control flow, and ops that the reference evaluator runs.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hloir/instruction.h"
#include "plan/run/step.h"
#include "plan/steps/scalar_loop.h"
#include "plan/steps/strided_copy.h"

namespace hloir::cpu {

// Copies a whole buffer's bytes; no-op if both buffers were merged.
class BlockCopy : public Step {
 public:
  explicit BlockCopy(int64_t bytes) : bytes_(bytes) {}
  bool Run(Runtime& runtime) override;
  bool AppendScalarOps(std::vector<TileOp>& ops) const override;
  bool MayShare(int, int) const override { return true; }
  std::string Name() const override;

 private:
  int64_t bytes_;
};

// Copies views: the list's entry i reads refs()[i] and writes the one result.
class ViewCopy : public Step {
 public:
  explicit ViewCopy(std::vector<StridedCopy> copies, std::string name)
      : copies_(std::move(copies)), name_(std::move(name)) {}
  bool Run(Runtime& runtime) override;
  std::string Name() const override { return name_; }

 private:
  std::vector<StridedCopy> copies_;
  std::string name_;
};

// refs()[0] is the condition's result, the others, of `carry_bytes`, are the loop-carried values. `prologue` computes
// loop-invariant values before the first iteration. A loop whose condition and body are only scalar operations runs as
// one list of these, and after many iterations as a ScalarLoop; of another loop, neighbouring steps on single elements
// become such lists after some iterations.
class WhileStep : public Step {
 public:
  bool Run(Runtime& runtime) override;
  std::string Name() const override { return "while"; }
  StepList prologue, condition, body;
  // That an iteration and the prologue count, beside their steps: see node_work.h.
  int64_t extra_steps = 0, prologue_extra_steps = 0;
  std::vector<int64_t> carry_bytes;

 private:
  bool MakeScalarLoop();  // false: it is none
  bool RunScalarLoop(Runtime& runtime);
  // A step, or a chain of the operations of several.
  struct Part {
    Step* step = nullptr;
    std::vector<TileOp> ops;
  };
  using Parts = std::vector<Part>;
  static std::span<const Part> MakeParts(const StepList& steps, Parts& parts);
  static bool RunParts(std::span<const Part> parts, Runtime& runtime);
  bool RunByParts(Runtime& runtime);
  // Members to reuse memory. For a scalar loop: the condition alone, and the body; both as a chain.
  std::vector<TileOp> condition_ops_, body_ops_, chain_;
  std::vector<ScalarPlace> results_;
  ScalarLoop compiled_;
  bool turns_often_ = false;  // it did in the last run
  Parts condition_parts_, body_parts_;
};

// refs()[0] is the branch number, or a pred that takes the first branch when true.
class ConditionalStep : public Step {
 public:
  explicit ConditionalStep(bool by_pred) : by_pred_(by_pred) {}
  bool Run(Runtime& runtime) override;
  std::string Name() const override { return "conditional"; }
  std::vector<StepList> branches;
  std::vector<int64_t> extra_steps;  // of each branch, as a loop's

 private:
  bool by_pred_;
};

// Evaluates one instruction without a kernel by the reference: operands are copied into literals, results out of one.
// `reason` says why, for the plan's text and the profile.
class ReferenceStep : public Step {
 public:
  ReferenceStep(const HloInstruction& instruction, std::string reason)
      : instruction_(instruction), reason_(std::move(reason)) {}
  bool Run(Runtime& runtime) override;
  std::string Name() const override;

 private:
  const HloInstruction& instruction_;
  const std::string reason_;
};

}  // namespace hloir::cpu
