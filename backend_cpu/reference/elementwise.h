// Elementwise ops as kernels: a loop over elements of one op at one type. Whole arrays run through them, and so do the
// small computations that reduce, sort or scatter call for each element, with a count of one (scalar_function.h).
#pragma once

#include "hloir/module.h"
#include "hloir/status.h"
#include "wide/kernel.h"

namespace hloir::reference {

// The type that arithmetic on `type` is done in, which is also how scalar_function.h holds single elements: f32 for the
// narrower floats, s8 and u8 for the integers under a byte, else the type itself.
PrimitiveType ComputeType(PrimitiveType type);

// select moves elements and computes nothing: its elements are unsigned integers of the same size.
PrimitiveType BitsType(PrimitiveType type);

// The kernel for an elementwise instruction (no convert, bitcast-convert, reduce-precision, stochastic-convert), for
// operands of this compute type (for select: its second and third). nullptr: the op is not elementwise or does not take
// this type. `pairs`: c128 stands for double-double (pairs.h).
Kernel FindKernel(const HloInstruction& instruction, PrimitiveType type, bool pairs = false);

}  // namespace hloir::reference
