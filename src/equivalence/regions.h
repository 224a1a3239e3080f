// Equality of sums (or of extremes) whose summands cover an array in pieces, as a device's own rows and the rows of its
// neighbours do. Both sides become summands over the same elements, with the bounds of each piece as linear conditions.
// They are equal if in each region, in which every condition either holds or does not, the summands that count there
// are the same. The regions are found by cases (linear.h), not by numbers, so that sizes do not count.
//
// In: EqualInRegions, where tiles.cc and cases.cc find no equality. Covered by
// tests/unit/equivalence_devices_test.cc.
#pragma once

#include "equivalence/expr.h"

namespace hloir::equivalence::inside {

bool EqualInRegions(Exprs& exprs, ExprId a, ExprId b);

}  // namespace hloir::equivalence::inside
