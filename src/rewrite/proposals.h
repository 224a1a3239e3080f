// The rewrites that passes would make in a module, each with the text that it would give; none is made. `hloir opt
// --dry-run` prints them, `--take` takes some. Tested by tests/unit/rewriter_test.cc.
//
// Threads: any, while nobody edits the module.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hloir/pass.h"

namespace hloir {

// The list of proposals, and whether each was tried.
struct Proposals {
  std::vector<RewriteLog::Entry> entries;  // kProposed, in the order in which the passes find them
  int64_t untried = 0;                     // entries without `after`, as trying them would have taken too long
};

// `names` is as for MakePipeline. To find its `before` and `after`, each proposal is made on a copy of the module,
// which takes time: at most `max_work`, in instructions copied; the rest stay untried. `options.rewriter` is not used.
// Errors: MakePipeline's, those of the passes, and Cancelled soon after `cancel`, if there is one, becomes true.
StatusOr<Proposals> FindProposals(const HloModule& module, const PassRegistry& registry,
                                  std::span<const std::string> names, const PassOptions& options = {},
                                  int64_t max_work = int64_t{1} << 24, const std::atomic<bool>* cancel = nullptr);

}  // namespace hloir
