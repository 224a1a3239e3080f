// CanonicalizeSharding: XLA's canonical form of equivalent shardings. Used by the readers of text and of messages;
// covered by tests/unit/printer_test.cc.
#pragma once

#include "hloir/attributes.h"

namespace hloir {

// Canonicalizes a tiled sharding with subgroups (last_tile_dim_replicate, last_tile_dims): merges subgroups of one
// kind, in the order manual, unreduced, replicated; sorts the devices that hold copies of one tile; and turns a
// sharding that splits no data into {replicated} or {manual}. A named sharding that splits no dimension and is of one
// kind along all axes becomes that word. Others are unchanged. Tiles must be positive and as many as devices.
void CanonicalizeSharding(Sharding& sharding);
// Drops devices beyond the number of tiles or group members, as XLA does. Returns false if there are fewer, or too many
// to list.
bool KeepFirstDevices(DeviceList& devices, int64_t count);

}  // namespace hloir
