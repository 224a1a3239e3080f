// Elementwise ops as kernels: a loop over elements for an op and a type. Used for whole arrays and, with a count of
// one, for the computations that reduce, sort or scatter call per element (scalar_function.h).
#pragma once

#include "hloir/module.h"
#include "hloir/status.h"
#include "wide/kernel.h"

namespace hloir::reference {

// The type for arithmetic on `type`, also for single elements in scalar_function.h: f32 for the narrower floats, s8 and
// u8 for integers under a byte, otherwise the type itself.
PrimitiveType ComputeType(PrimitiveType type);

// select moves elements and computes nothing: its elements are unsigned integers of the same size.
PrimitiveType BitsType(PrimitiveType type);

// The kernel for an elementwise instruction (no convert, bitcast-convert, reduce-precision, stochastic-convert), for
// operands of this compute type (for select: its second and third). nullptr: the op is not elementwise or does not
// support this type. `pairs`: c128 represents double-double (pairs.h).
Kernel FindKernel(const HloInstruction& instruction, PrimitiveType type, bool pairs = false);

}  // namespace hloir::reference
