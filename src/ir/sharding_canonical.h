// CanonicalizeSharding: the one form that XLA gives to shardings that mean the same. The readers', of text and of
// messages; covered by tests/unit/printer_test.cc.
#pragma once

#include "hloir/attributes.h"

namespace hloir {

// Of a tiled sharding with subgroups (last_tile_dim_replicate, last_tile_dims): subgroups of one kind become one, in
// the order manual, unreduced, replicated; the devices that hold copies of one tile are sorted; and what splits no data
// becomes {replicated} or {manual}. Of a named one that splits no dimension and says one thing of all axes: the word
// alone. Others are left alone. Tiles must be positive and as many as devices.
void CanonicalizeSharding(Sharding& sharding);
// XLA takes no more devices than there are tiles or places in groups. False: there are fewer, or too many to list.
bool KeepFirstDevices(DeviceList& devices, int64_t count);

}  // namespace hloir
