// Proofs as text: writes them, and reads and checks them line by line. docs/equivalence.md has the format.
#include <algorithm>
#include <charconv>
#include <string>

#include "hloir/printer.h"
#include "proof_check/proof_check.h"
#include "support/format.h"
#include "support/hash.h"

namespace hloir::proof_check {
namespace {

constexpr std::string_view kHeader = "hloir-proof 1";
constexpr std::string_view kRules[] = {"same", "bits", "signs", "ranks", "loop"};  // in Rule's order

// A hash of the whole module except metadata.
uint64_t HashOf(const HloModule& module) {
  PrintOptions options = PrintOptions::Readable();
  options.print_metadata = false;
  uint64_t hash = 1;
  for (char c : PrintModule(module, options)) hash = Mix(hash, static_cast<unsigned char>(c));
  return hash;
}

std::string Hexadecimal(uint64_t value) { return Format("{:016x}", value); }

std::vector<std::string_view> Split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(by), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool ReadNumber(std::string_view text, int32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

// Parses the step of a line. Returns an error message, empty if the step is well-formed.
std::string ReadStep(const std::vector<std::string_view>& words, const Checker& checker, Step& step) {
  if (words.size() < 5 || words[3] != "=") return "expected 'NUMBER RULE VALUE = VALUE'";
  for (size_t k = 0; k < std::size(kRules); ++k) {
    if (words[1] == kRules[k]) step.rule = static_cast<Rule>(k);
  }
  const std::string suffix = step.rule == Rule::kLoop ? "#0" : "";
  Pair pair{checker.before().Find(words[2]), checker.after().Find(words[4])};
  if (pair.before < 0) return Format("'{}' is no value of the first module", words[2]);
  if (pair.after < 0) return Format("'{}' is no value of the second module", words[4]);
  if (words.size() == 7 && words[5] == "from" && step.rule != Rule::kLoop) {
    for (std::string_view number : Split(words[6], ',')) {
      int32_t from;
      if (!ReadNumber(number, from) || from < 1 || from > checker.steps())
        return Format("'{}' is no number of an earlier step", number);
      step.from.push_back(from - 1);
    }
  } else if (words.size() == 7 && words[5] == "carries" && step.rule == Rule::kLoop) {
    for (std::string_view two : Split(words[6], ',')) {
      const std::vector<std::string_view> sides = Split(two, '=');
      int32_t k, l;
      const auto parts = [](const Graph& graph, ValueId value) {
        return static_cast<int32_t>(graph.OpOf(value).shapes.size());
      };
      if (sides.size() != 2 || !ReadNumber(sides[0], k) || !ReadNumber(sides[1], l) ||
          k >= parts(checker.before(), pair.before) || l >= parts(checker.after(), pair.after))
        return Format("'{}' is no pair of carried values", two);
      step.pairs.push_back({checker.before().OpOf(pair.before).first + k, checker.after().OpOf(pair.after).first + l});
    }
    return "";
  } else if (words.size() != 5 || step.rule == Rule::kLoop) {
    return "expected 'from NUMBERS', 'carries PAIRS' of a loop, or the end of the line";
  }
  step.pairs.push_back(pair);
  return "";
}

}  // namespace

std::string ProofText(const HloModule& before, const HloModule& after, const Checker& checker,
                      const std::vector<Step>& steps, const std::vector<std::string>& unchecked) {
  std::string text = Format("{}\nbefore {} {}\nafter {} {}\n", kHeader, Hexadecimal(HashOf(before)), before.name(),
                            Hexadecimal(HashOf(after)), after.name());
  for (const std::string& assumption : checker.Assumptions()) text += Format("# assumes: {}\n", assumption);
  int32_t number = 0;
  for (const Step& step : steps) {
    const Pair& first = step.pairs[0];
    const bool loop = step.rule == Rule::kLoop;
    text += Format("{} {} {} = {}", ++number, kRules[static_cast<size_t>(step.rule)],
                   loop ? checker.before().OpOf(first.before).name : checker.before().NameOf(first.before),
                   loop ? checker.after().OpOf(first.after).name : checker.after().NameOf(first.after));
    for (size_t k = 0; k < step.from.size(); ++k) text += Format("{}{}", k == 0 ? " from " : ",", step.from[k] + 1);
    for (size_t k = 0; k < step.pairs.size() && loop; ++k) {
      const Pair& pair = step.pairs[k];
      text += Format("{}{}={}", k == 0 ? " carries " : ",", pair.before - checker.before().OpOf(pair.before).first,
                     pair.after - checker.after().OpOf(pair.after).first);
    }
    text += "\n";
  }
  for (const std::string& line : unchecked) text += Format("{} {}\n", ++number, line);
  return text;
}

StatusOr<CheckedProof> CheckProof(const HloModule& before, const HloModule& after, std::string_view text) {
  HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<Checker> checker, Checker::Make(before, after));
  CheckedProof checked;
  checked.bits = true;
  int64_t line_number = 0;
  bool complete = true;  // no step was left unchecked
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    const auto wrong = [&](std::string_view why) { return InvalidArgument(Format("line {}: {}", line_number, why)); };
    if (line_number == 1) {
      if (line != kHeader) return wrong(Format("expected '{}'", kHeader));
      continue;
    }
    const std::vector<std::string_view> words = Split(line, ' ');
    if (line_number <= 3) {
      const bool first = line_number == 2;
      if (words.size() < 2 || words[0] != (first ? "before" : "after"))
        return wrong(Format("expected '{} HASH NAME'", first ? "before" : "after"));
      if (words[1] != Hexadecimal(HashOf(first ? before : after)))
        return wrong(Format("the proof is of another {} module", first ? "first" : "second"));
      continue;
    }
    if (words.empty() || words[0][0] == '#') continue;
    int32_t number;
    if (!ReadNumber(words[0], number) || number != checked.steps + 1)
      return wrong(Format("expected a step with the number {}", checked.steps + 1));
    ++checked.steps;
    if (words.size() > 1 && std::find(std::begin(kRules), std::end(kRules), words[1]) == std::end(kRules)) {
      // A step with an unknown rule is no premise.
      if (complete) checked.why = Format("line {}: unchecked: rule {}", line_number, line.substr(line.find(words[1])));
      complete = false;
      continue;
    }
    if (!complete) return wrong("a step that is checked comes after one that is not");
    Step step;
    if (const std::string error = ReadStep(words, *checker, step); !error.empty()) return wrong(error);
    StepResult result = checker->Check(step);
    if (result.outcome != Outcome::kHolds) {
      checked.outcome = result.outcome;
      checked.why =
          Format("line {}: {}: {} {} = {}: {}", line_number, result.outcome == Outcome::kFalse ? "false" : "unchecked",
                 words[1], words[2], words[4], result.why);
      return checked;
    }
    checked.domain |= result.domain;
    checked.bits &= step.rule == Rule::kSame || step.rule == Rule::kBits;
    checked.same += step.rule == Rule::kSame;
    checked.loops += step.rule == Rule::kLoop;
    checker->Add(std::move(step));
  }
  if (line_number < 3) return InvalidArgument("the proof ends before its steps");
  checked.assumptions = checker->Assumptions();
  if (!complete) {
    checked.outcome = Outcome::kUnchecked;
    return checked;
  }
  StepResult result = checker->Finish();
  checked.outcome = result.outcome;
  if (result.outcome != Outcome::kHolds) checked.why = "false: " + result.why;
  return checked;
}

}  // namespace hloir::proof_check
