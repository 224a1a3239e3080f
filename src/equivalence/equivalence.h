// Proves that two modules compute the same by value numbering: each value becomes an expression in index notation over
// the reals, in a normal form that both modules share. Values with the same expression are equal, and an output is
// proved when its two values are. Neither module is run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"

namespace hloir::equivalence {

enum class Answer : uint8_t { kProvedBitwise, kProvedReals, kProvedAssuming, kOpen };
std::string_view AnswerName(Answer answer);

// Two equal values, or (open) two values that were not proved equal.
struct Step {
  std::string before, after;  // names of instructions
  std::string rule;
  uint32_t uses = 0;  // Use bits: the step's assumptions
  // Of open steps only: source lines, "model.py:31", or "" where the module has none; and a partial result that the
  // step takes for the whole.
  std::string before_source = "", after_source = "", partial = "", partial_source = "";
  // "tanh.1, of tanh.4 (model.py:32), made from dot.3 (model.py:31), a partial result"
  std::string ToString() const;
  bool rounds() const;
  bool finite_only() const;
  bool of_positives() const;  // assumes that arguments of roots and logarithms are positive
};

// Two instructions with equal values. The numbers distinguish the values of an instruction that is called more than
// once.
struct Match {
  const HloInstruction *before, *after;
  int32_t nth_before, nth_after;
};

struct Output {
  Answer answer = Answer::kOpen;
  uint32_t uses = 0;
  bool KeepsRoundings() const;  // no rounding to a narrower float was removed or moved
};

// A value of a module, inside calls, fusions and branches too, but not inside loops.
struct Node {
  const HloInstruction* instruction;
  std::vector<int32_t> operands;  // earlier nodes; -1: a value inside a branch that has no node
  int32_t equal;                  // value number: equal nodes of either module with compatible shapes have the same one
};

struct Result {
  Answer answer = Answer::kOpen;
  uint32_t uses = 0;
  std::vector<Output> outputs;
  std::vector<Step> steps;     // without congruent pairs (the same operation of equal operands)
  std::vector<Match> matches;  // all, in evaluation order
  std::vector<Step> open;      // the first unproved values whose operands are all matched
  // Of a partitioned program: the first of these that is no shard either, nor a partial result, and from which none is
  // made.
  std::optional<Step> first_open;
  std::string why;  // the reason, if the modules were not compared
  bool out_of_budget = false;
  bool gave_up = false;  // operations that were too much work are opaque
  bool refused = false;  // an expression has no normal form; `why` has the reason
  int64_t values = 0, matched = 0;
  int64_t unbounded_starts = 0;  // of the first module's dynamic-update-slices
  bool has_tables = false;       // constants are read at variable indices
  int64_t unproved = 0;          // values without an equal on which open outputs depend
  // With Options::nodes: the nodes in evaluation order, and the node of each root.
  std::vector<Node> before, after;
  int32_t before_root = -1, after_root = -1;
  // A rounding to a narrower float was removed or moved.
  bool Narrows() const;
  // Constants were folded, and rounded.
  bool RoundsConstants() const;
  // log1p or expm1 was expanded, which loses digits near 0.
  bool LosesDigits() const;
  // The proof assumes finite values, or positive arguments of roots and logarithms.
  bool FiniteOnly() const;
  // The proof assumes what random numbers one of the modules draws.
  bool DrawsAlike() const;
  // The assumptions, in words.
  std::vector<std::string> Assumptions() const;
  std::string ToString() const;
  std::string ToJson() const;
};

// The target of a custom-call without operands that stands for an arbitrary value.
inline constexpr std::string_view kUnspecified = "hloir.unspecified";
// The entry that cuts the inputs of a partitioned program and puts its results together.
inline constexpr std::string_view kWholeEntry = "whole";

struct Options {
  int64_t max_work = int64_t{1} << 21;  // approximate number of expressions
  int64_t work_for_each = 256;          // added for each instruction
  bool whole_arrays = false;            // all devices have the same parameters
  bool try_bits = true;                 // also try the exact normal form (prove.h) if the proof rests on the reals
  bool nodes = false;                   // return all nodes
  bool gives_up = false;                // take operations that are too much work for opaque ones
  // Pairs of nodes that are assumed equal.
  std::vector<std::pair<int32_t, int32_t>> assumed = {};
};

Result ProveInside(const HloModule& before, const HloModule& after, const Options& options = {});

// Compares values bit for bit, by their exact normal forms (prove_terms.h), in a small part of the time. The result has
// the nodes, but no steps. Takes modules without side effects.
Result ProveExactly(const HloModule& before, const HloModule& after,
                    const std::vector<std::pair<int32_t, int32_t>>& assumed = {});

// Returns whether both modules depend on the device that runs them but have different device counts.
bool ForOtherDevices(const HloModule& a, const HloModule& b);

// The assumptions of every proof about these two modules, in words.
std::vector<std::string> AssumptionsOf(const HloModule& before, const HloModule& after);

// The meaning of Use bits, in words.
std::vector<std::string> WordsOf(uint32_t uses);

}  // namespace hloir::equivalence
