// Differences in what HLO does not specify: an rng's numbers, the formula of a batch norm or a solver, the order in
// which a reduction combines. Rows of explanations.cc.
#pragma once

#include <string>

namespace hloir::check {

struct ResultDifference;

// The reason for which HLO does not specify the leaves in which the results differ; "" if it specifies them, or if that
// could not be found out within the limits of work.

// Each of these leaves depends on an rng of the first module, and the second module, which has fewer, wrote one out.
std::string UnspecifiedRng(const ResultDifference& difference);
// They depend on a batch norm or a solver that the second module wrote out (reference_formula.h), and another formula
// of it changes the first module's result, or gives the second's.
std::string UnspecifiedFormula(const ResultDifference& difference);
// They depend on a reduction whose order, groups or number of initial values HLO does not specify, and another choice
// of these changes the result on these inputs by more than rounding.
std::string UnspecifiedOrder(const ResultDifference& difference);

}  // namespace hloir::check
