// See outputs.h.
#include "check/outputs.h"

#include <algorithm>

#include "check/outcome.h"
#include "support/format.h"

namespace hloir::check {
namespace {

void AppendName(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; }

// `by_steps`: the modules differ in steps alone, and these change bits of the output, as far as runs tell.
Answer AnswerOf(const OutputEvidence& output, Answer proved, bool differs, bool by_steps, const Verdict& verdict) {
  if (output.less_accurate && !verdict.agrees() && !(differs && verdict.outcome == Outcome::kDisagree))
    return Answer::kLessAccurate;
  if (proved != Answer::kNotJudged && (!differs || verdict.agrees())) return proved;
  if (verdict.outcome == Outcome::kDisagree && (differs || by_steps)) return Answer::kDifferent;
  if (verdict.outcome == Outcome::kLessAccurate && (differs || by_steps)) return Answer::kLessAccurate;
  return output.known() && (verdict.agrees() || !differs) ? Answer::kTested : Answer::kNotJudged;
}

}  // namespace

void OutputEvidence::Add(bool has_number, bool is_zero, bool is_undetermined) {
  undetermined = undetermined || is_undetermined;
  if (has_number && !is_undetermined) (is_zero ? zero : judged) = true;
}

void Conclude(const std::vector<OutputEvidence>& outputs, const Proved& proved, Verdict& verdict) {
  const bool agrees = verdict.agrees();
  Answer weakest = outputs.empty() && !proved.all() ? Answer::kTested : Answer::kProvedBitwise;
  std::string unknown, undetermined;
  const std::vector<LeafDifference>& leaves = verdict.comparison.leaves;
  const bool by_steps = !verdict.different_steps.empty() && verdict.comparison.agree;
  const bool by_bits = verdict.comparison.differing() > 0;  // which tell where the steps show
  for (size_t k = 0; k < outputs.size(); ++k) {
    const OutputEvidence& output = outputs[k];
    const bool differs = k < leaves.size() && !leaves[k].agrees;
    // Each device has the same outputs; the first device's come first.
    const size_t proofs = proved.outputs.size();
    const Answer by_proof = proofs > 0 ? proved.outputs[k % proofs] : Answer::kNotJudged;
    const bool shows = !output.unspecified && (!by_bits || (k < leaves.size() && leaves[k].differing > 0));
    const Answer answer = AnswerOf(output, by_proof, differs, by_steps && shows, verdict);
    if (!output.known() && !output.how_undetermined.empty()) verdict.notes.push_back(output.how_undetermined);
    else if (!output.how_undetermined.empty()) AppendName(undetermined, output.where);
    if (agrees && output.total > 0 && output.finite == 0 && !output.known())
      verdict.notes.push_back(output.where + " has no finite element on any input");
    if (answer == Answer::kNotJudged) AppendName(unknown, output.where);
    weakest = std::max(weakest, answer);
    verdict.outputs.push_back({output.where, answer});
  }
  if (!undetermined.empty())
    verdict.notes.push_back("ill-conditioned on some inputs, on which it was not judged: " + undetermined);
  if (!agrees) {
    verdict.answer = verdict.outcome == Outcome::kDisagree       ? Answer::kDifferent
                     : verdict.outcome == Outcome::kLessAccurate ? Answer::kLessAccurate
                                                                 : Answer::kNotJudged;
    return;
  }
  const bool any_finite = std::any_of(outputs.begin(), outputs.end(), [](const OutputEvidence& output) {
    return output.finite > 0 || output.total == 0;
  });
  if (!any_finite && !proved.all() && !outputs.empty()) weakest = Answer::kNotJudged;
  verdict.answer = weakest;
  verdict.outcome = verdict.differing == 0 ? Outcome::kSameBits : Outcome::kAgree;
  if (weakest != Answer::kNotJudged) return;
  if (!any_finite) return SetOutcome(verdict, Outcome::kNothingFinite, "no result has a finite element on any input");
  SetOutcome(verdict, Outcome::kNothingFinite,
             Format("{} cannot be judged: on all inputs it is NaN or rounding error", unknown));
}

void ConcludeWithoutRuns(const HloModule& before, const Proved& proved, const std::string& why, Verdict& verdict) {
  const std::vector<const Shape*> leaves = before.entry_computation()->root()->shape().Leaves();
  verdict.outputs.clear();
  verdict.answer = Answer::kProvedBitwise;
  for (size_t k = 0; k < std::min(leaves.size(), proved.outputs.size()); ++k) {
    verdict.outputs.push_back({Format("out{}", k), proved.outputs[k]});
    verdict.answer = std::max(verdict.answer, proved.outputs[k]);
  }
  SetOutcome(verdict, verdict.answer == Answer::kProvedBitwise ? Outcome::kSameBits : Outcome::kAgree, "");
  verdict.notes.push_back(Format("neither module was run ({}){}", why,
                                 verdict.proof.holds ? "" : "; accuracy and overflow were not tested"));
}

}  // namespace hloir::check
