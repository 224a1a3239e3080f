// batch-dot-simplification: a dot without the batch dimensions of size 1.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   a = f32[1,2,3,4]{3,2,1,0} parameter(0)
//   b = f32[1,2,4,5]{3,2,1,0} parameter(1)
//   ROOT d = f32[1,2,3,5]{3,2,1,0} dot(a, b), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1},
//   rhs_contracting_dims={2}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   a = f32[1,2,3,4]{3,2,1,0} parameter(0)
//   ra = f32[2,3,4]{2,1,0} reshape(a)
//   b = f32[1,2,4,5]{3,2,1,0} parameter(1)
//   rb = f32[2,4,5]{2,1,0} reshape(b)
//   d = f32[2,3,5]{2,1,0} dot(ra, rb), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0},
//   rhs_contracting_dims={1} ROOT r = f32[1,2,3,5]{3,2,1,0} reshape(d)
// }
// END
//
// A single rule of the algebraic simplifier. It also removes contracted dimensions of size 1, except the last. Leaves
// alone: all other dots.
#include "algebraic_simplifier/families.h"

namespace hloir {

PassDefinition DefineBatchDotSimplification() { return rules::DefineRulePass(rules::DotDropOnesRules()); }

}  // namespace hloir
