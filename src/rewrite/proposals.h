// The rewrites that passes would make in a module, each with its resulting text; the module is unchanged. `hloir opt
// --dry-run` prints them, `--take` takes some. Tested by tests/unit/rewriter_test.cc.
//
// Threads: any, while none edits the module.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hloir/pass.h"

namespace hloir {

// The list of proposals.
struct Proposals {
  std::vector<RewriteLog::Entry> entries;  // kProposed, in the order in which the passes find them
  int64_t untried = 0;                     // entries without `after`, which were not tried because of the limit on work
};

// `names` is as for MakePipeline. For its `before` and `after`, a proposal is made on a copy of the module. By default
// the work is linear in the module: if there are many, proposals far from one another share a copy; the others have 16
// copies, of a small module more. `max_work`: instructions to copy, for proposals one by one. The remaining proposals
// are not tried. `options.rewriter` is not used.
// Errors: MakePipeline's, those of the passes, and Cancelled soon after `cancel` (optional) becomes true.
StatusOr<Proposals> FindProposals(const HloModule& module, const PassRegistry& registry,
                                  std::span<const std::string> names, const PassOptions& options = {},
                                  std::optional<int64_t> max_work = std::nullopt,
                                  const std::atomic<bool>* cancel = nullptr);

}  // namespace hloir
