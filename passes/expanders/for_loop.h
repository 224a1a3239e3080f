// WhileLoop and ForLoop: builders of loops for expanders. As in HloBuilder, nullptr operands give nullptr. Iterations
// and conditions can only access the state, which must contain all values that they use.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/builder.h"

namespace hloir {

// The loop's condition.
using LoopCondition = std::function<HloBuilder::Op(HloBuilder& b, HloBuilder::Ops state)>;
using LoopStep = std::function<std::vector<HloBuilder::Op>(HloBuilder& b, HloBuilder::Ops state)>;
// The state when `condition` is false. The computations are named NAME_condition and NAME_body.
std::vector<HloBuilder::Op> WhileLoop(HloBuilder& b, std::string name, const std::vector<HloBuilder::Op>& state,
                                      const LoopCondition& condition, const LoopStep& step);

// The state after an iteration, from the iteration's number (s32, from 0) and the state before it.
using LoopRound = std::function<std::vector<HloBuilder::Op>(HloBuilder& b, HloBuilder::Op i, HloBuilder::Ops state)>;
// The state after `trips` iterations.
std::vector<HloBuilder::Op> ForLoop(HloBuilder& b, int64_t trips, std::vector<HloBuilder::Op> state,
                                    const LoopRound& round);

}  // namespace hloir
