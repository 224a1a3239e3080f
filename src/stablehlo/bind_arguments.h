// Binds the unbounded dimensions (`?`) of a program's arguments before conversion, so that what computes sizes from
// them is constant: jax.export's symbolic shapes. Calls are inlined, as a function may have other sizes at each call;
// the converter infers the sizes of all other values. Tested by tests/unit/stablehlo_test.cc.
#pragma once

#include <cstdint>
#include <vector>

#include "mlir.h"

namespace hloir::stablehlo {

// One list of sizes for each argument of main, of the argument's rank.
Status BindArguments(Module& module, const std::vector<std::vector<int64_t>>& sizes);

// After simplification: removes assertions on shapes that hold. One that does not hold is an error with its message.
Status CheckShapeAssertions(Module& module);

}  // namespace hloir::stablehlo
