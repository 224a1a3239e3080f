// See row_blocks.h. Tests: tests/unit/executable_row_blocks_test.cc.
#include "plan/steps/row_blocks.h"

#include "support/format.h"

namespace hloir::cpu {
namespace {

constexpr double kFlopsPerNano = 40;  // a guess

}  // namespace

RowBlocksStep::RowBlocksStep(int64_t count, std::vector<std::vector<int64_t>> offsets, std::vector<Worker> workers)
    : count_(count), offsets_(std::move(offsets)), workers_(std::move(workers)) {}

void RowBlocksStep::Bound(Runtime& runtime) {
  for (size_t t = 0; t < workers_.size(); ++t) {
    Worker& worker = workers_[t];
    if (worker.pool == nullptr) worker.pool = std::make_unique<ThreadPool>(1);
    worker.runtime.kernels = runtime.kernels;
    worker.runtime.pool = worker.pool.get();
    worker.runtime.evaluator = runtime.evaluator;
    worker.runtime.scratch = {runtime.scratch[t]};
    for (const Place& place : worker.here)
      place.step->refs()[static_cast<size_t>(place.ref)].pointer = runtime.scratch[t] + kScratchBytes + place.offset;
  }
}

bool RowBlocksStep::Run(Runtime& runtime) {
  if (!runtime.Tick(count_ * static_cast<int64_t>(workers_[0].steps.size()))) return false;
  runtime.pool->For(count_, Flops() / kFlopsPerNano, [&](int64_t block, int thread) {
    Worker& worker = workers_[static_cast<size_t>(thread)];
    for (const Place& place : worker.outside) {
      place.step->refs()[static_cast<size_t>(place.ref)].pointer =
          ref(place.outer).pointer + offsets_[static_cast<size_t>(place.outer)][static_cast<size_t>(block)] +
          place.offset;
    }
    // None of these steps can fail: see lower/row_blocks.cc.
    for (const auto& step : worker.steps) step->Bound(worker.runtime), step->Run(worker.runtime);
  });
  return true;
}

std::string RowBlocksStep::Name() const {
  std::string name = Format("{} blocks of", count_);
  const char* before = " ";
  for (const auto& step : workers_[0].steps) name += before + step->Name(), before = ", ";
  return name;
}

double RowBlocksStep::Flops() const {
  double flops = 0;
  for (const auto& step : workers_[0].steps) flops += step->Flops();
  return flops * static_cast<double>(count_);
}

}  // namespace hloir::cpu
