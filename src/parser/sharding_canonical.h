// CanonicalizeSharding: the one form that XLA gives to tiled shardings that mean the same. The reader's; covered by
// tests/unit/printer_test.cc.
#pragma once

#include "hloir/attributes.h"

namespace hloir {

// Of a tiled sharding with subgroups (last_tile_dim_replicate, last_tile_dims): subgroups of one kind become one, in
// the order manual, unreduced, replicated; the devices that hold copies of one tile are sorted; and a sharding that
// splits no data becomes {replicated} or {manual}. Others are left alone.
void CanonicalizeSharding(Sharding& sharding);

}  // namespace hloir
