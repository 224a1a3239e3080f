// Checks a proof that two modules compute the same: a file with one step a line. A step says that a value of one module
// equals a value of the other, by a rule, from earlier steps. Nothing of src/equivalence, which writes such files, is
// used here. docs/equivalence.md has the format, the rules, the trusted code and the probability of an error.
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
  kSame,   // one operation of equal operands
  kBits,   // equal numbers, by laws that hold bit for bit
  kSigns,  // equal numbers, ordered by signs
  kRanks,  // equal numbers, ordered by ranks
  kLoop,   // two loops that carry equal values, by induction
};

// Values of the two modules that are equal.
struct Pair {
  ValueId before = -1, after = -1;
};
struct Step {
  Rule rule = Rule::kSame;
  std::vector<Pair> pairs;    // one; of a loop, what it carries
  std::vector<int32_t> from;  // steps whose values are taken for any equal ones; the others are computed
};

enum class Outcome : uint8_t { kHolds, kUnchecked, kFalse };
std::string_view OutcomeName(Outcome outcome);  // "holds", …

struct StepResult {
  Outcome outcome = Outcome::kFalse;
  std::string why;
  bool domain = false;  // elements were undefined in some trials: roots of negative numbers, quotients by 0
};

// Checks steps one after another.
class Checker {
 public:
  // An error: a module is not looked into.
  static StatusOr<std::unique_ptr<Checker>> Make(const HloModule& before, const HloModule& after);

  const Graph& before() const { return before_; }
  const Graph& after() const { return after_; }
  StepResult Check(const Step& step) { return Check(step, kTrials); }
  // By fewer trials, for those who look for a step that holds.
  StepResult Try(const Step& step) { return Check(step, 3); }
  // The step is taken for true. The result is its number.
  int32_t Add(Step step);
  int32_t steps() const { return static_cast<int32_t>(steps_.size()); }
  bool Equal(ValueId before, ValueId after) const;
  // One operation of operands that are known to be equal; else `why` is set.
  bool SameOperation(const Graph::Op& a, const Graph::Op& b, std::string& why);
  // Once all steps are added: do the results and effects of the modules follow?
  StepResult Finish();
  // The assumptions, in words.
  std::vector<std::string> Assumptions() const;

 private:
  static constexpr int kTrials = 16;
  Checker(Graph before, Graph after) : before_(std::move(before)), after_(std::move(after)) {}
  StepResult Check(const Step& step, int trials);
  StepResult CheckSame(ValueId x, ValueId y);
  StepResult CheckEqual(const Step& step, int trials);
  StepResult CheckLoop(const Step& step, int trials);
  ArrayPtr Get(Evaluation& evaluation, ValueId value, Records& records);
  StatusOr<std::vector<std::pair<Pair, uint64_t>>> KeysOf(const std::vector<Pair>& pairs) const;

  Graph before_, after_;
  Shared shared_;
  std::vector<Step> steps_;
  std::unordered_map<ValueId, std::vector<ValueId>> equal_;  // of values of `before`
  bool unknown_calls_ = false, elided_ = false, random_ = false;
};

// A proof's text. `reals`: no step is by bits.
std::string ProofText(const HloModule& before, const HloModule& after, const Checker& checker,
                      const std::vector<Step>& steps, const std::vector<std::string>& unchecked);

struct CheckedProof {
  Outcome outcome = Outcome::kFalse;
  std::string why;    // the line, and the reason
  bool bits = false;  // every bit is the same; else the functions of real numbers
  bool domain = false;
  int64_t steps = 0, same = 0, loops = 0;  // in all; by the rules kSame and kLoop
  std::vector<std::string> assumptions;
};
// An error: the text is no proof of these two modules, with the number of the line.
StatusOr<CheckedProof> CheckProof(const HloModule& before, const HloModule& after, std::string_view text);

}  // namespace hloir::proof_check
