// StoredPlan: the file of a module's plan in the folder ExecutableOptions::cache. It has the parts of a plan that take
// long to make: the fused loops and where the buffers lie. All else is made anew, from the module. Tests:
// tests/unit/plan_cache_test.cc.
#pragma once

#include <string>

#include "hloir/executable.h"
#include "hloir/module.h"
#include "hloir/status.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

class StoredPlan {
 public:
  StoredPlan(const HloModule& module, const ExecutableOptions& options, const KernelTable& kernels, int threads);
  // The contents of the file; "" if there is none. InvalidArgument with the reason why it is not for this plan.
  StatusOr<std::string> Read() const;
  Status Write(const std::string& contents) const;
  const std::string& path() const { return path_; }

 private:
  std::string head_, path_;
};

}  // namespace hloir::cpu
