// Differences that HLO does not specify: an rng's numbers, the formula of a batch norm or a solver, the order of a
// reduction. Used by rows of explanations.cc.
#pragma once

#include <string>

namespace hloir::check {

struct ResultDifference;

// Each function returns the reason for which HLO does not specify the result of an instruction, and takes the leaves
// that depend on it out of the difference, of which at least one differs. Empty if there is none, or if the work limits
// allow no decision. Others of these functions may explain the leaves that are left.

// An rng of the first module, of which the second module, which has fewer, expanded one.
std::string UnspecifiedRng(ResultDifference& difference);
// A batch norm or a solver that the second module expanded (reference_formula.h), and another formula changes the first
// module's result, or gives the second's.
std::string UnspecifiedFormula(ResultDifference& difference);
// A reduction whose order, groups or number of initial values HLO does not specify, and another choice changes the
// result by more than rounding.
std::string UnspecifiedOrder(ResultDifference& difference);

}  // namespace hloir::check
