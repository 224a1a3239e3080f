// algebraic-simplifier: rewrites instructions by algebraic rules. The rules are in this folder's other files, one per
// operator family; rules.h defines rules, rule_pass.cc runs them.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[2,3]{1,0} parameter(0)
//   one = f32[] constant(1)
//   ones = f32[2,3]{1,0} broadcast(one), dimensions={}
//   product = f32[2,3]{1,0} multiply(x, ones)
//   t = f32[3,2]{1,0} transpose(product), dimensions={1,0}
//   ROOT tt = f32[2,3]{1,0} transpose(t), dimensions={1,0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   ROOT x = f32[2,3]{1,0} parameter(0)
// }
// END
//
// Leaves alone: bodies of fusions and async operations; instructions with control dependencies; dynamic shapes; an
// instruction whose sharding or frontend attributes would get lost; rules whose class is over --math, or that are
// disabled by name.
#include "algebraic_simplifier/families.h"

namespace hloir {

PassDefinition DefineAlgebraicSimplifier() {
  const auto families = rules::AllFamilies();
  return rules::DefineRulePass({families.begin(), families.end()});
}

}  // namespace hloir
