// Offsets for the values of a computation's heap. buffer_assignment.cc has decided which values share memory. Tested by
// tests/unit/buffer_assignment_test.cc.
#pragma once

#include "hloir/analysis.h"

namespace hloir {

// Sets the offset of each value in the heap, and the computation's heap_bytes and unshared_bytes.
void PlaceValues(BufferAssignment::Computation& computation);

}  // namespace hloir
