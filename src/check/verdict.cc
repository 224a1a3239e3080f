// What a verdict says in words.
#include "hloir/check.h"
#include "support/format.h"

namespace hloir {

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSameBits: return "agree, bit for bit";
    case Outcome::kAgree: return "agree";
    case Outcome::kNothingFinite: return "nothing finite to compare";
    case Outcome::kLeftOpen: return "left open by HLO";
    case Outcome::kDisagree: return "DISAGREE";
    case Outcome::kEnginesDisagree: return "ENGINES DISAGREE";
    case Outcome::kNotAsStored: return "NOT AS STORED";
  }
  return "";
}

std::string Verdict::ToString() const {
  std::string text(OutcomeName(outcome));
  if (!reason.empty()) text += ": " + reason;
  if (proof.holds) text += "\nproved: " + proof.how;
  if (divergence) text += "\n" + divergence->ToString();
  for (const std::string& note : notes) text += "\nnote: " + note;
  return text;
}

}  // namespace hloir
