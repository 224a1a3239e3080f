// RowBlocksStep: two products and the steps between them, one block after another; each thread has its own plan for a
// block, and memory for one block after its scratch memory. The planner fills it in.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/run/step.h"

namespace hloir::cpu {

// Refs: the blocks' operands, and the second product's result.
class RowBlocksStep : public Step {
 public:
  // The buffer of a block's step: in the thread's memory (outer is -1), or in refs()[outer] at the block's offset.
  struct Place {
    Step* step;
    int ref;
    int32_t outer;
    int64_t offset;  // bytes
  };
  struct Worker {
    StepList steps;
    std::vector<Place> here, outside;
    Runtime runtime;
    std::unique_ptr<ThreadPool> pool;  // of this one thread
  };

  // offsets[i][b]: the offset in bytes of block b in refs()[i].
  RowBlocksStep(int64_t count, std::vector<std::vector<int64_t>> offsets, std::vector<Worker> workers);
  bool Run(Runtime& runtime) override;
  void Bound(Runtime& runtime) override;
  std::string Name() const override;
  double Flops() const override;

 private:
  int64_t count_;
  std::vector<std::vector<int64_t>> offsets_;
  std::vector<Worker> workers_;
};

}  // namespace hloir::cpu
