// The texts of verdicts.
#include "hloir/check.h"
#include "support/format.h"

namespace hloir {
namespace {

std::string Join(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSameBits: return "agree, bit for bit";
    case Outcome::kAgree: return "agree";
    case Outcome::kLessAccurate: return "LESS ACCURATE";
    case Outcome::kNothingFinite: return "not judged";
    case Outcome::kUnspecified: return "not specified by HLO";
    case Outcome::kDisagree: return "DISAGREE";
    case Outcome::kEnginesDisagree: return "ENGINES DISAGREE";
    case Outcome::kNotAsStored: return "NOT AS STORED";
  }
  return "";
}

std::string_view AnswerName(Answer answer) {
  switch (answer) {
    case Answer::kProvedBitwise: return "proved-bitwise";
    case Answer::kProvedReals: return "proved-reals";
    case Answer::kProvedAssuming: return "proved-assuming";
    case Answer::kTested: return "tested";
    case Answer::kLessAccurate: return "less-accurate";
    case Answer::kDifferent: return "different";
    case Answer::kNotJudged: return "not-judged";
  }
  return "";
}

std::string Verdict::Headline() const {
  const std::string text(OutcomeName(outcome));
  return agrees() && !finite_only.empty() ? text + " where nothing overflows" : text;
}

std::string Verdict::Fault::ToString() const {
  const std::string where = after.empty() ? before : before + ", " + after;
  return Format("{}: {} ({}{})", name, what, where, issue.empty() ? "" : "; " + issue);
}

std::string Verdict::ToString() const {
  std::string text(Headline());
  if (!reason.empty()) text += ": " + reason;
  if (proof.holds) text += "\nproved: " + proof.how;
  if (divergence) text += "\n" + divergence->ToString();
  if (first_open && !agrees()) text += "\nfirst wrong step: " + first_open->text;
  if (!explanations.empty()) text += "\nexplained by: " + Join(explanations);
  for (const std::string& where : finite_only) text += "\nonly where nothing overflows: " + where;
  for (const Fault& fault : faults) text += "\nknown fault: " + fault.ToString();
  for (const std::string& note : notes) text += "\nnote: " + note;
  return text;
}

}  // namespace hloir
