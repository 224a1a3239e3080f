// PlanCache: a folder of prepared plans, so that preparing the same module again takes less. Without a memory limit it
// has the parts of a plan that take long to make (ExecutableOptions::cache). With RunnerOptions::memory_limit it has
// the module that fits: fitting reorders and rematerializes a module until its plan does, which takes longer than the
// rest of preparing.
//
//   PlanCache cache("plans");
//   RunnerOptions options;
//   options.memory_limit = 100000;
//   StatusOr<Runner> runner = cache.Prepare(module, options);  // `cache` and `module` must outlive it
//
// A file is used only for the version, instruction set, options and module that it was written for. Damaged or foreign
// files are ignored, and replaced by renaming a new file, so several processes may share a folder. A checksum detects
// damage but not manipulation: trust in a folder is trust in everyone who can write to it.
//
// Threads: a cache belongs to one thread at a time. Tested by tests/unit/plan_cache_test.cc.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/runner.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Prepares modules with a folder of plans.
class PlanCache {
 public:
  // The folder is created when the first file is written.
  explicit PlanCache(std::string folder) : folder_(std::move(folder)) {}
  // Like Runner::Prepare, with what the folder has of it. A failed write is no error: see message().
  StatusOr<Runner> Prepare(const HloModule& module, const RunnerOptions& options);
  // Of the last Prepare: whether a file was read; else why one was not used or not written, or "".
  bool was_read() const { return was_read_; }
  const std::string& message() const { return message_; }
  // The instructions that rematerialization added to the module of the last Prepare.
  int64_t added_instructions() const { return added_instructions_; }

 private:
  std::string folder_, message_;
  bool was_read_ = false;
  int64_t added_instructions_ = 0;
  std::vector<std::unique_ptr<HloModule>> modules_;  // of the runners
};

}  // namespace hloir
#pragma GCC visibility pop
