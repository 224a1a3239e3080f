// The rule tables of the algebraic simplifier: one family per operator, each in its own .cc.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "hloir/rules.h"

namespace hloir::rules {

std::span<const Rule> AddRules();
std::span<const Rule> MultiplyRules();
std::span<const Rule> DivideRules();
std::span<const Rule> PowerRules();
std::span<const Rule> UnaryRules();
std::span<const Rule> LogicalRules();
std::span<const Rule> MinMaxRules();
std::span<const Rule> CompareRules();
std::span<const Rule> SelectRules();
std::span<const Rule> ConvertRules();
std::span<const Rule> ComplexRules();
std::span<const Rule> ConstantRules();
std::span<const Rule> BroadcastRules();
std::span<const Rule> ReshapeRules();
std::span<const Rule> TransposeRules();
std::span<const Rule> ConcatenateRules();
std::span<const Rule> PadRules();
std::span<const Rule> SliceRules();
std::span<const Rule> DynamicSliceRules();
std::span<const Rule> ReduceRules();
std::span<const Rule> DotRules();
std::span<const Rule> DotDropOnesRules();       // the last family, also a separate pass
std::span<const Rule> TransposeFoldingRules();  // in transpose_folding.cc, also a separate pass
std::span<const Rule> GatherRules();            // in gather_simplifier.cc, likewise
std::span<const Rule> ScatterRules();           // in scatter_simplifier.cc, likewise
std::span<const Rule> ReduceWindowRules();
std::span<const Rule> ConvolutionRules();
std::span<const Rule> OtherRules();
std::span<const Rule> ElementwiseRules();  // for every elementwise opcode
// All of the above.
std::span<const std::span<const Rule>> AllFamilies();

// A pass of some of the algebraic simplifier's rules, by their names.
PassDefinition DefineRulePassOf(std::initializer_list<std::string_view> names);

}  // namespace hloir::rules
