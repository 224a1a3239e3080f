// What a result says: its answer, steps and conditions as text and JSON. See equivalence.h.
#include <string>
#include <string_view>
#include <vector>

#include "equivalence/equivalence.h"
#include "equivalence/expr.h"
#include "support/format.h"

namespace hloir::equivalence {
using namespace inside;  // the conditions of steps

std::string_view AnswerName(Answer answer) {
  switch (answer) {
    case Answer::kProvedBitwise: return "proved-bitwise";
    case Answer::kProvedReals: return "proved-reals";
    case Answer::kProvedAssuming: return "proved-assuming";
    case Answer::kOpen: break;
  }
  return "not-judged";
}

std::vector<std::string> WordsOf(uint32_t uses) {
  std::vector<std::string> words;
  const auto add = [&](uint32_t use, const char* text) {
    if ((uses & use) != 0) words.push_back(text);
  };
  add(kRounds, "rounds differently");
  add(kFiniteOnly, "for finite values only");
  add(kNarrows, "passes through a narrower float on one side");
  add(kConstants, "a constant was computed and rounded");
  add(kDomain, "where roots and logarithms take positive values");
  add(kCancels, "log1p or expm1 written out: digits are lost near 0");
  add(kSameUnknown, "custom-calls of one target are one function of their operands");
  add(kSameElided, "elided constants are the same");
  add(kSameRandom, "random numbers and infeeds come in the same order");
  add(kInBounds, "dynamic-update-slices of the whole program start within bounds");
  add(kSameDraws, "rng draws the numbers that the expansion computes, from the compiler's key");
  return words;
}

std::string Step::ToString() const {
  const auto with = [](const std::string& name, const std::string& source) {
    return source.empty() ? name : Format("{} ({})", name, source);
  };
  const bool named_alike = before == after && before_source == after_source;
  std::string text = before.empty() || named_alike
                         ? with(after, after_source)
                         : Format("{}, of {}", after_source == before_source ? after : with(after, after_source),
                                  with(before, before_source));
  if (!partial.empty()) text += Format(", made from {}, a partial result", with(partial, partial_source));
  return text;
}
bool Step::rounds() const { return (uses & (kRounds | kNarrows | kConstants | kCancels)) != 0; }
bool Step::finite_only() const { return (uses & kFiniteOnly) != 0; }
bool Step::of_positives() const { return (uses & kDomain) != 0; }

bool Output::KeepsRoundings() const { return (uses & kNarrows) == 0; }

std::vector<std::string> Result::Assumptions() const { return WordsOf(uses & kAssumptions); }
bool Result::Narrows() const { return (uses & kNarrows) != 0; }
bool Result::RoundsConstants() const { return (uses & kConstants) != 0; }
bool Result::LosesDigits() const { return (uses & kCancels) != 0; }
bool Result::DrawsAlike() const { return (uses & kSameDraws) != 0; }
bool Result::FiniteOnly() const { return (uses & (kFiniteOnly | kDomain)) != 0; }

std::string Result::ToString() const {
  std::string text = Format("answer: {}\n", AnswerName(answer));
  if (!why.empty()) text += Format("  {}\n", why);
  for (const std::string& word : WordsOf(uses)) text += Format("  {}\n", word);
  for (const Step& step : steps) {
    if (step.uses == 0) continue;
    text += Format("  {} = {}:", step.before, step.after);
    for (const std::string& word : WordsOf(step.uses)) text += " " + word + ";";
    text.back() = '\n';
  }
  if (answer == Answer::kOpen) {
    size_t proved = 0;
    for (const Output& output : outputs) proved += output.answer != Answer::kOpen;
    text += Format("  {} of {} results proved, {} of {} values matched\n", proved, outputs.size(), matched, values);
    for (const Step& step : open) text += Format("  open: {}: {}\n", step.ToString(), step.rule);
  }
  return text;
}

std::string Result::ToJson() const {
  const auto quoted = [](std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      if (static_cast<unsigned char>(c) >= 32) out += c;
    }
    return out + "\"";
  };
  const auto words = [&](uint32_t of) {
    std::string out = "[";
    for (const std::string& word : WordsOf(of)) out += (out.size() > 1 ? ", " : "") + quoted(word);
    return out + "]";
  };
  const auto one = [&](const Step& step) {
    std::string out = Format("{{\"before\": {}, \"after\": {}, \"rule\": {}, \"uses\": {}", quoted(step.before),
                             quoted(step.after), quoted(step.rule), words(step.uses));
    if (!step.before_source.empty()) out += Format(", \"before_source\": {}", quoted(step.before_source));
    if (!step.after_source.empty()) out += Format(", \"after_source\": {}", quoted(step.after_source));
    if (!step.partial.empty()) out += Format(", \"partial\": {}", quoted(step.partial));
    if (!step.partial_source.empty()) out += Format(", \"partial_source\": {}", quoted(step.partial_source));
    return out + "}";
  };
  const auto list = [&](const std::vector<Step>& all) {
    std::string out = "[";
    for (const Step& step : all) out += (out.size() > 1 ? ", " : "") + one(step);
    return out + "]";
  };
  std::string out = Format("{{\"answer\": {}, \"why\": {}, \"uses\": {}, \"outputs\": [", quoted(AnswerName(answer)),
                           quoted(why), words(uses));
  for (size_t k = 0; k < outputs.size(); ++k)
    out += Format("{}{}", k > 0 ? ", " : "", quoted(AnswerName(outputs[k].answer)));
  out += Format("], \"values\": {}, \"matched\": {}, \"steps\": {}, \"open\": {}", values, matched, list(steps),
                list(open));
  if (first_open) out += Format(", \"first_open\": {}", one(*first_open));
  return out + "}";
}

}  // namespace hloir::equivalence
