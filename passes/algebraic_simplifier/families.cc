// See families.h.
#include "algebraic_simplifier/families.h"

#include <algorithm>
#include <vector>

namespace hloir::rules {

std::span<const std::span<const Rule>> AllFamilies() {
  static const std::span<const Rule> kFamilies[] = {AddRules(),          MultiplyRules(),
                                                    DivideRules(),       PowerRules(),
                                                    UnaryRules(),        LogicalRules(),
                                                    MinMaxRules(),       CompareRules(),
                                                    SelectRules(),       ConvertRules(),
                                                    ComplexRules(),      ConstantRules(),
                                                    BroadcastRules(),    ReshapeRules(),
                                                    TransposeRules(),    ConcatenateRules(),
                                                    PadRules(),          SliceRules(),
                                                    DynamicSliceRules(), ReduceRules(),
                                                    DotRules(),          TransposeFoldingRules(),
                                                    GatherRules(),       ScatterRules(),
                                                    ReduceWindowRules(), ConvolutionRules(),
                                                    OtherRules(),        ElementwiseRules()};
  return kFamilies;
}

PassDefinition DefineRulePassOf(std::initializer_list<std::string_view> names) {
  std::vector<std::span<const Rule>> picked;
  for (std::span<const Rule> family : AllFamilies()) {
    for (size_t k = 0; k < family.size(); ++k) {
      if (std::find(names.begin(), names.end(), family[k].name) != names.end()) picked.push_back(family.subspan(k, 1));
    }
  }
  return DefineRulePass(std::move(picked));
}

}  // namespace hloir::rules
