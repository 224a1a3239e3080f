// PlanCache: a folder that keeps what preparing under a limit of memory (RunnerOptions::memory_limit) takes long to
// find: the reordered and rematerialized module whose plan fits. Preparing the same module again reads it, and runs no
// pass.
//
//   PlanCache cache("plans");
//   RunnerOptions options;
//   options.memory_limit = 100000;
//   StatusOr<Runner> runner = cache.Prepare(module, options);  // `cache` and `module` must outlive it
//
// A file is used only for the version, instruction set, options and module that it was written for; the module is
// compared by its whole text. What was read is parsed and verified as any other module. Files that are damaged or for
// something else are ignored, and written anew under another name that replaces them at once, so that any number of
// processes may share a folder. A checksum tells damage, not intent: a folder that others may write is as trusted as
// they are. Without a limit nothing is kept: such a plan takes less time to make than to read.
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

class PlanCache {
 public:
  // The folder is made when a plan is written.
  explicit PlanCache(std::string folder) : folder_(std::move(folder)) {}
  // Runner::Prepare, with the module from the folder if it has it. A plan that cannot be written is no error: see
  // message().
  StatusOr<Runner> Prepare(const HloModule& module, const RunnerOptions& options);
  // Of the last Prepare: whether the plan was read, and otherwise why a file was not used or not written, or "".
  bool was_read() const { return was_read_; }
  const std::string& message() const { return message_; }
  // The instructions that rematerialization added to the module of the last Prepare.
  int64_t added_instructions() const { return added_instructions_; }

 private:
  std::string folder_, message_;
  bool was_read_ = false;
  int64_t added_instructions_ = 0;
  std::vector<std::unique_ptr<HloModule>> modules_;  // that runners point to
};

}  // namespace hloir
#pragma GCC visibility pop
