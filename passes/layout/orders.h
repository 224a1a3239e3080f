// The order of dimensions in memory, as the passes of this folder speak of it: minor to major, as Layout has it. An
// order goes through an op where the op then moves nothing. Tested by tests/passes/layout-*.
#pragma once

#include <optional>

#include "hloir/instruction.h"

namespace hloir::layouts {

using Order = DimVector;

Order RowMajor(int64_t rank);
// The shape's own; row-major if it has none.
Order OrderOf(const Shape& shape);
// Nothing in the layout but the order, and all sizes known: what these passes may change.
bool IsPlain(const Shape& shape);
Shape WithOrder(Shape shape, const Order& order);
// The same places in memory: dimensions of size 1 may stand anywhere.
bool SamePlaces(const Shape& shape, const Order& a, const Order& b);

// result dimension d is operand dimension permutation[d].
Order ThroughTranspose(const Order& operand, const DimVector& permutation);
// The order without these dimensions, as a reduction leaves it.
Order Without(const Order& operand, const DimVector& dimensions);
// Of the operand of a broadcast: its dimensions in the order that they have in the result.
Order BroadcastOperand(const Order& result, const DimVector& dimensions);
// Of the result of a reshape of `from` in that order, if it can be had without moving an element.
std::optional<Order> ThroughReshape(const DimVector& from, const Order& order, const DimVector& to);

// Of a gather's result, or a scatter's updates, given the orders of the operand and the indices, what can be had
// without moving an element: `order` itself, or one like it. Windows have their dimensions in the operand's order, and
// the other dimensions are in that of the indices, both numbered in ascending order.
Order OrderOfWindows(const HloInstruction& i, const Order& order, const Order& operand, const Order& indices);

// Dimensions major to minor, and where each stands among them.
DimVector Major(const Order& order);
DimVector Inverse(const DimVector& permutation);
// What lies in memory, as a row-major array of its own.
Shape Physical(const Shape& shape);

}  // namespace hloir::layouts
