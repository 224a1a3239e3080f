// Proves that two modules compute the same, from inside: each value becomes an expression in index notation over the
// reals, in a normal form that both modules share; values of one expression are equal, and an output is proved when its
// two values are. Neither module is run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"

namespace hloir::equivalence {

enum class Answer : uint8_t { kProvedBitwise, kProvedReals, kProvedAssuming, kOpen };
std::string_view AnswerName(Answer answer);

// Two values that are equal, or (open) that are not shown to be.
struct Step {
  std::string before, after;  // instructions' names
  std::string rule;
  uint32_t uses = 0;  // Use bits: the reasons that it rests on
  bool rounds() const;
  bool finite_only() const;
  bool of_positives() const;  // roots and logarithms
};

// Two instructions whose values are equal, each by how often it was read before: one that is called twice has two.
struct Match {
  const HloInstruction *before, *after;
  int32_t nth_before, nth_after;
};

struct Output {
  Answer answer = Answer::kOpen;
  uint32_t uses = 0;
};

// A value of a module, inside calls, fusions and branches too, but not in loops.
struct Node {
  const HloInstruction* instruction;
  std::vector<int32_t> operands;  // nodes that come before it; -1: a value inside a branch that has no node
  int32_t equal;                  // nodes of the same number, of either module, are equal and have compatible shapes
};

struct Result {
  Answer answer = Answer::kOpen;
  uint32_t uses = 0;
  std::vector<Output> outputs;
  std::vector<Step> steps;     // those that are more than the same operation of equal operands
  std::vector<Match> matches;  // all, in the order of evaluation
  std::vector<Step> open;      // the first unproved values whose operands are all matched
  std::string why;             // if nothing could be said
  bool out_of_budget = false;
  bool refused = false;  // an expression has no normal form: `why` tells
  int64_t values = 0, matched = 0;
  // With Options::nodes, in the order of evaluation; and that of each root.
  std::vector<Node> before, after;
  int32_t before_root = -1, after_root = -1;
  // A rounding to a narrower float is left out, or made elsewhere.
  bool Narrows() const;
  // Constants were computed, and rounded.
  bool RoundsConstants() const;
  // log1p or expm1 is written out, which loses digits near 0.
  bool LosesDigits() const;
  // It holds where nothing is infinite or NaN, or where roots and logarithms take positive values.
  bool FiniteOnly() const;
  // The assumptions, in words.
  std::vector<std::string> Assumptions() const;
  std::string ToString() const;
  std::string ToJson() const;
};

// The target of a custom-call without operands that stands for any value.
inline constexpr std::string_view kUnspecified = "hloir.unspecified";
// The entry that cuts the inputs of a partitioned program and puts its results together.
inline constexpr std::string_view kWholeEntry = "whole";

struct Options {
  int64_t max_work = int64_t{1} << 21;  // in expressions, about
  int64_t work_for_each = 32;           // and so much more for each instruction
  bool whole_arrays = false;            // each device has the same parameters
  bool try_bits = true;                 // where it rests on the reals, ask the exact normal form too (prove.h)
  bool nodes = false;                   // tell all values
  // Nodes of both modules that are taken for equal.
  std::vector<std::pair<int32_t, int32_t>> assumed = {};
};

Result ProveInside(const HloModule& before, const HloModule& after, const Options& options = {});

// True if both depend on the device that runs them, and run on different numbers of devices.
bool ForOtherDevices(const HloModule& a, const HloModule& b);

// The assumptions of any proof about the two, in words.
std::vector<std::string> AssumptionsOf(const HloModule& before, const HloModule& after);

// The meaning of Use bits, in words.
std::vector<std::string> WordsOf(uint32_t uses);

}  // namespace hloir::equivalence
