// Converts JAX's annotations for the Shardy partitioner to HLO shardings: see shardy.cc.
#pragma once

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::spmd {

bool HasShardy(const HloModule& module);
// Replaces `xla.sdy.` attributes by shardings that name a mesh's axes, and custom-calls xla.sdy.* by Sharding,
// SPMDFullToShardShape and SPMDShardToFullShape. True if there were any. InvalidArgument, naming the instruction, for
// text that cannot be read.
StatusOr<bool> ImportShardy(HloModule& module);

}  // namespace hloir::spmd
