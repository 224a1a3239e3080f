// Orders of dimensions in memory, minor to major, as in Layout. An order is propagated through an op if the op then
// moves nothing. Tested by tests/passes/layout-*.
#pragma once

#include <optional>

#include "hloir/instruction.h"

namespace hloir::layout {

using Order = DimVector;

Order RowMajor(int64_t rank);
// The shape's own; row-major if it has none.
Order OrderOf(const Shape& shape);
// True for layouts with an order only, and all sizes known: the arrays that these passes may change.
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
// The order of the result of a reshape of `from`, if no element has to move.
std::optional<Order> ThroughReshape(const DimVector& from, const Order& order, const DimVector& to);

// An order of a gather's result, or a scatter's updates, that needs no data movement, given the orders of the operand
// and the indices: `order` itself, or a similar one. Window dimensions are in the operand's order, the others in that
// of the indices, both numbered in ascending order.
Order OrderOfWindows(const HloInstruction& i, const Order& order, const Order& operand, const Order& indices);

// Dimensions major to minor, and where each stands among them.
DimVector Major(const Order& order);
DimVector Inverse(const DimVector& permutation);
// The row-major shape of the array in memory.
Shape Physical(const Shape& shape);

}  // namespace hloir::layout
