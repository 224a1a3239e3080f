// The values of two modules in a proof that leaves some open: which are equal, which are needed for open results, and
// the cones of a pair of values up to values that the modules share. Covered by tests/unit/steps_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "equivalence/equivalence.h"
#include "hloir/module.h"

namespace hloir::check {

using equivalence::Node;
using Nodes = std::vector<Node>;

// Marks values that a module can compute from the entry's parameters. Others are inside a branch or a map.
std::vector<bool> ComputableOf(const Nodes& nodes);

// Extracts a module that computes the roots (as a tuple if there are several) with the values in `cut` as its
// parameters. Null if it needs a value without a node, or more than `most` nodes.
std::unique_ptr<HloModule> MakeCone(const Nodes& nodes, const std::vector<int32_t>& roots,
                                    const std::vector<int32_t>& cut, size_t most);

struct StepGraph {
  using Pair = std::pair<int32_t, int32_t>;  // nodes of `a` and `b`

  void Use(equivalence::Result proof);
  bool IsShared(const Node& node) const { return both[static_cast<size_t>(node.equal)]; }
  // The same operation of operands that are equal or constants, and not all constants. A changed constant shows here
  // first, where no other operation has diluted it.
  bool AreOfEqualOperands(const Node& p, const Node& q) const;
  // The same operation with an equal operand, and others of which either both are constants or neither is.
  bool SharesOperand(const Node& p, const Node& q) const;
  // Whether the root's cone up to `cut` has the value, all of `a`, or of `b` if `after`. (`cut` has nodes of `a`.)
  bool Reads(bool after, int32_t root, const std::vector<int32_t>& cut, int32_t value) const;
  // The cones of a pair as modules, and the nodes of `a` that are their parameters.
  struct Step {
    std::vector<int32_t> cut;
    std::unique_ptr<HloModule> before, after;
  };
  // `deeper`: how many times the cones go on beyond the nearest shared values. Null if they are too large or have no
  // cut.
  std::optional<Step> MakeStep(Pair pair, int deeper) const;
  // "dot.3 = reduce.7 (model.py:31)"
  std::string Text(Pair pair) const;

  equivalence::Result result;                          // without its nodes
  Nodes a, b;                                          // of the first and the second module
  std::vector<bool> closed_a, closed_b;                // constant expressions, which are no inputs of a step
  std::vector<bool> both;                              // by value number: it is a value of both modules
  std::vector<int32_t> first_a, first_b;               // by value number: the first node
  std::vector<bool> needed;                            // nodes of `b` that open outputs depend on
  std::vector<int32_t> results_a, results_b;           // a tuple of an opaque operation is one
  std::map<std::string, std::vector<int32_t>> open_a;  // nodes of `a` without an equal, by shape

 private:
  bool Frontier(bool after, int32_t root, const std::set<int32_t>& inside, std::set<int32_t>& cut) const;
  // A value in `of` that depends on a value in `all`, so that the two cannot be chosen independently; -1 if there is
  // none.
  int32_t Dependent(const std::set<int32_t>& of, const std::set<int32_t>& all) const;
  std::optional<std::pair<std::vector<int32_t>, std::vector<int32_t>>> Cut(Pair pair, int deeper) const;
};

}  // namespace hloir::check
