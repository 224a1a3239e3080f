// dynamic-dimension-simplifier: simplifies conversions between sizes of dynamic arrays as scalars and as lists.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   rows = s32[] parameter(0)
//   columns = s32[] parameter(1)
//   row = s32[1]{0} reshape(rows)
//   column = s32[1]{0} reshape(columns)
//   sizes = s32[2]{0} concatenate(row, column), dimensions={0}
//   second = s32[1]{0} slice(sizes), slice={[1:2]}
//   ROOT size = s32[] reshape(second)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   rows = s32[] parameter(0)
//   ROOT columns = s32[] parameter(1)
// }
// END
//
// A subset of the algebraic simplifier's rules.
#include "algebraic_simplifier/families.h"

namespace hloir {

PassDefinition DefineDynamicDimensionSimplifier() {
  return rules::DefineRulePassOf({"concatenate-nested", "slice-concatenate", "reshape-broadcast", "reshape-reshape",
                                  "convert-same", "reshape-nothing", "slice-nothing"});
}

}  // namespace hloir
