// real-imag-expander: the real and imaginary parts of numbers that are real.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   re = f32[4]{0} real(x)
//   im = f32[4]{0} imag(x)
//   ROOT both = (f32[4]{0}, f32[4]{0}) tuple(re, im)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   zero = f32[] constant(0)
//   zeros = f32[4]{0} broadcast(zero), dimensions={}
//   ROOT both = (f32[4]{0}, f32[4]{0}) tuple(x, zeros)
// }
// END
//
// Rules of the algebraic simplifier, without the others. Leaves alone: parts of complex numbers.
#include "algebraic_simplifier/families.h"

namespace hloir {

PassDefinition DefineRealImagExpander() { return rules::DefineRulePassOf({"real-of-real", "imag-of-real"}); }

}  // namespace hloir
