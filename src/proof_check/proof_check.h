// Checks a proof that two modules compute the same: a file with one step a line. A step states by a rule, from earlier
// steps, that a value of one module equals a value of the other. The checker shares no code with src/equivalence, which
// writes such files. docs/equivalence.md has the format, the rules, the trusted code and the probability of an error.
// Covered by tests/unit/proof_check_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hloir/module.h"
#include "proof_check/evaluate.h"
#include "proof_check/graph.h"

namespace hloir::proof_check {

enum class Rule : uint8_t {
  kSame,   // the same operation of equal operands
  kBits,   // equal numbers, by laws that hold bit for bit
  kSigns,  // equal numbers, ordered by signs
  kRanks,  // equal numbers, ordered by ranks
  kLoop,   // two loops that carry equal values, by induction
};

// Two equal values, one of each module.
struct Pair {
  ValueId before = -1, after = -1;
};
struct Step {
  Rule rule = Rule::kSame;
  std::vector<Pair> pairs;    // one pair; for a loop, its carried values
  std::vector<int32_t> from;  // premises: steps whose values become arbitrary equal ones; others are computed
};

enum class Outcome : uint8_t { kHolds, kUnchecked, kFalse };
std::string_view OutcomeName(Outcome outcome);  // "holds", …

struct StepResult {
  Outcome outcome = Outcome::kFalse;
  std::string why;
  bool domain = false;              // elements were undefined in some trials: roots of negative numbers, quotients by 0
  std::vector<size_t> broken = {};  // the pairs of a loop that a turn makes differ, or that have no value after it
};

// Checks the steps of a proof in sequence.
class Checker {
 public:
  // Returns an error if a module is unsupported.
  static StatusOr<std::unique_ptr<Checker>> Make(const HloModule& before, const HloModule& after);

  const Graph& before() const { return before_; }
  const Graph& after() const { return after_; }
  StepResult Check(const Step& step) { return Check(step, kTrials); }
  // The same with fewer trials, for a writer that searches for a valid step.
  StepResult Try(const Step& step) { return Check(step, 3); }
  // Adds a step without a check. Returns the step's number.
  int32_t Add(Step step);
  int32_t steps() const { return static_cast<int32_t>(steps_.size()); }
  bool Equal(ValueId before, ValueId after) const;
  // Returns whether the two are the same operation of operands that are known equal; otherwise sets `why`.
  bool SameOperation(const Graph::Op& a, const Graph::Op& b, std::string& why);
  // Returns whether the modules' results and effects follow from the steps. Call it after the last Add.
  StepResult Finish();
  // The assumptions, in words.
  std::vector<std::string> Assumptions() const;

 private:
  static constexpr int kTrials = 16;
  Checker(Graph before, Graph after) : before_(std::move(before)), after_(std::move(after)) {}
  StepResult Check(const Step& step, int trials);
  StepResult CheckSame(ValueId x, ValueId y);
  static bool GoesOn(int done, int trials, int64_t work);
  StepResult CheckEqual(const Step& step, int trials);
  StepResult CheckLoop(const Step& step, int trials);
  Bounds BoundsOfCounter(const Graph::Op& loop, size_t k, Evaluation& outside, Trial& trial);
  ArrayPtr Get(Evaluation& evaluation, ValueId value, Records& records, const Ties& ties);
  StatusOr<std::vector<std::pair<Pair, uint64_t>>> KeysOf(const std::vector<Pair>& pairs) const;

  Graph before_, after_;
  Shared shared_;
  std::vector<Step> steps_;
  std::unordered_map<ValueId, std::vector<ValueId>> equal_;  // equal values of `after` for each value of `before`
  bool unknown_calls_ = false, elided_ = false, random_ = false;
};

// Writes a proof. `reals`: no step is bitwise.
std::string ProofText(const HloModule& before, const HloModule& after, const Checker& checker,
                      const std::vector<Step>& steps, const std::vector<std::string>& unchecked);

struct CheckedProof {
  Outcome outcome = Outcome::kFalse;
  std::string why;    // the line and the reason
  bool bits = false;  // every bit is the same; otherwise the functions of real numbers
  bool domain = false;
  int64_t steps = 0, same = 0, loops = 0;  // all steps; those by kSame; those by kLoop
  std::vector<std::string> assumptions;
};
// Returns an error, with the line number, if the text is not a proof of these two modules.
StatusOr<CheckedProof> CheckProof(const HloModule& before, const HloModule& after, std::string_view text);

}  // namespace hloir::proof_check
