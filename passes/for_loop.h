// ForLoop: a counted while over some values, for expanders that become a loop. HloBuilder's rules hold: a nullptr passes on.
#pragma once

#include <functional>
#include <vector>

#include "hloir/builder.h"

namespace hloir {

// What a round makes of its number (s32, from 0) and the state.
using LoopRound = std::function<std::vector<HloBuilder::Op>(HloBuilder& b, HloBuilder::Op i, HloBuilder::Ops state)>;

// The state after `trips` rounds. Rounds see nothing but the state: what they need of the outside is handed on in it.
std::vector<HloBuilder::Op> ForLoop(HloBuilder& b, int64_t trips, std::vector<HloBuilder::Op> state, const LoopRound& round);

}  // namespace hloir
