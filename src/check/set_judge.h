// Judges one set of inputs: both modules run, and each difference of the results needs an explanation (explanations.h).
// SetJudge adds its findings to a verdict. Covered by tests/unit/check_test.cc.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check/meaning.h"
#include "check/module_under_test.h"
#include "check/outputs.h"
#include "check/prove_first.h"

namespace hloir::check {

struct Explained;
struct ResultDifference;
enum class Between : unsigned;

class SetJudge {
 public:
  // All references must outlive it. `generated`: the check generated the inputs. `whole_arrays`: the modules are views
  // of partitioned ones (sharded.h).
  SetJudge(Context& context, ModuleUnderTest& before, ModuleUnderTest& after, const Proved& proved, bool generated,
           bool whole_arrays, Verdict& verdict);

  // Runs the modules in their own types by both engines, and in wide arithmetic.
  Status Judge(size_t set);
  // Runs the modules in wide arithmetic only; a set on which they differ there is judged in full.
  Status JudgeInWide(size_t set);
  // Compares the results of the engine under test, which must exist. A difference is only excused if HLO does not
  // specify the result.
  void Compare(size_t set);
  // After all sets: a loss of accuracy, or what HLO does not specify, is the outcome if nothing else differs.
  void Finish();
  const std::vector<OutputEvidence>& outputs() const { return outputs_; }

 private:
  Status JudgeResults(size_t set, const Results& a, const Results& b);
  // Adds the comparison of two results to the verdict and to the outputs.
  void Record(size_t set, const Results& a, const Results& b, bool exact);
  // Adds what the current set shows of the outputs that do not differ on it. `a`: the first module's results.
  void AddEvidence(const Results& a);
  // Compares the modules by the other engine, then each module by both engines. `must`: without work limit, and only
  // the modules. Exact mode needs the reference's bits, as the order of sums in the engine under test may depend on the
  // graph.
  Status AskOther(size_t set, bool must);
  bool EnginesAgree(ModuleUnderTest& subject, size_t set);
  // Notes that the second module loses digits in what was `seen` on a set, which is the outcome if nothing else
  // differs.
  void AddLoss(size_t set, const std::string& how, const Comparison& seen);
  // Searches for an explanation of a difference. Without one, the outcome is `otherwise`, with `reason`.
  void JudgeDifference(ResultDifference difference, Outcome otherwise, std::string reason);
  // Explains a difference row by row; outputs that HLO does not specify are taken out of it. Returns the row that
  // explains the rest, or the last of those if nothing is left. `reason`: of the difference.
  Explained ExplainAll(ResultDifference& difference, Explained (*explain)(ResultDifference&),
                       const std::string& reason);
  // Whether an output differed on an earlier set, and HLO does not specify it: it is not compared any more.
  bool IsLeftOut(size_t leaf) const { return leaf < outputs_.size() && outputs_[leaf].unspecified; }
  // Lets these outputs agree in a comparison.
  void LeaveOutUnspecified(Comparison& comparison) const;
  ResultDifference DifferenceOf(Between between, size_t set, const Results* a, const Results* b, Comparison seen);
  // Compares in wide arithmetic, after the results agreed within rounding.
  void JudgeMeaning(size_t set);
  void UseMeaning(size_t set, Meaning& meaning);
  // Compares the errors of each result with the errors that the roundings of its module, and of the first module,
  // explain.
  void JudgeAccuracy(size_t set);
  // The NaNs and infinities that count if only one module has them in wide arithmetic.
  Nonfinite WhichNonfinite(size_t set) const;

  Context& context_;
  const CheckOptions& options_;
  ModuleUnderTest &before_, &after_;
  const Proved& proved_;
  bool generated_, whole_arrays_;
  Verdict& verdict_;
  MeaningComparer meaning_;
  std::vector<OutputEvidence> outputs_;
  std::vector<bool> undetermined_;  // by output, for the current set
  std::string why_unspecified_;
  Comparison unspecified_difference_;  // the first
  std::string loss_;                   // of the first set on which the second module rounds to narrower types,
  size_t set_of_loss_ = 0;             // that set,
  Comparison loss_seen_;               // and the difference
  int accuracy_sets_ = 0;              // sets other than the whole ones on which accuracy was judged
};

}  // namespace hloir::check
