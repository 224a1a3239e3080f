// `// run:` lines below a module, with the results of its computations: for tests/ops and corpus/regressions.
//
//   // run: e({1, 2}, 3) == {4, 5}                       exactly, bit for bit; all NaNs are equal
//   // run: e(1) ~= 2.71828183 within 2 ulps             so many units in the last place of the element type
//   // run: e(1) fails: some words                       the error's message contains them
//   // run reference: e(1) == 2                          in the reference alone
//
// Arguments and results are written as HLO literals without shapes: the computation has those. The reference evaluator
// runs them and, where it is the entry computation that is run, prepared plans with each instruction set.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "hloir/check.h"
#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/lapack.h"

namespace hloir::run_lines {

struct RunLine {
  std::string computation, arguments, expected, failure;
  bool exact = true;
  double ulps = 0;
  std::string text;
};

inline std::string Trim(std::string text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// "a, {b, c}, (d, e)" cut at the commas outside of brackets.
inline std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  if (Trim(text).empty()) return parts;
  int depth = 0;
  std::string part;
  for (char c : text) {
    if (c == '{' || c == '(') ++depth;
    if (c == '}' || c == ')') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(Trim(part));
      part.clear();
    } else {
      part += c;
    }
  }
  parts.push_back(Trim(part));
  return parts;
}

inline StatusOr<RunLine> ParseRunLine(const std::string& text) {
  RunLine line;
  line.text = text;
  const size_t open = text.find('(');
  if (open == std::string::npos) return InvalidArgument("no ( in: " + text);
  line.computation = Trim(text.substr(0, open));
  size_t close = open;
  for (int depth = 0; close < text.size(); ++close) {
    if (text[close] == '(') ++depth;
    if (text[close] == ')' && --depth == 0) break;
  }
  if (close >= text.size()) return InvalidArgument("no ) in: " + text);
  line.arguments = text.substr(open + 1, close - open - 1);
  std::string rest = Trim(text.substr(close + 1));
  if (rest.rfind("==", 0) == 0) {
    line.expected = Trim(rest.substr(2));
  } else if (rest.rfind("fails:", 0) == 0) {
    line.failure = Trim(rest.substr(6));
  } else if (const size_t within = rest.find(" within "); rest.rfind("~=", 0) == 0 && within != std::string::npos) {
    line.expected = Trim(rest.substr(2, within - 2));
    line.exact = false;
    line.ulps = std::stod(rest.substr(within + 8));
  } else {
    return InvalidArgument("neither ==, ~= … within nor fails: in: " + text);
  }
  return line;
}

inline StatusOr<Literal> ReadLiteral(const Shape& shape, const std::string& text) {
  if (!shape.IsTuple()) return ParseLiteral(shape.ToString(false) + " " + text);
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return InvalidArgument("no tuple: " + text);
  const std::vector<std::string> parts = SplitAtCommas(text.substr(1, text.size() - 2));
  if (static_cast<int64_t>(parts.size()) != shape.tuple_size()) return InvalidArgument("not so many elements: " + text);
  std::vector<Literal> elements;
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    HLOIR_ASSIGN_OR_RETURN(Literal element, ReadLiteral(shape.tuple_shapes(i), parts[static_cast<size_t>(i)]));
    elements.push_back(std::move(element));
  }
  return Literal::Tuple(std::move(elements));
}

inline void CheckResult(const RunLine& line, const HloComputation& computation, const StatusOr<Literal>& result) {
  if (LacksLapack(result.status())) return;
  INFO(result.status().message());
  if (!line.failure.empty()) {
    REQUIRE(!result.ok());
    CHECK(result.status().message().find(line.failure) != std::string::npos);
    return;
  }
  REQUIRE(result.ok());
  StatusOr<Literal> expected = ReadLiteral(computation.root()->shape(), line.expected);
  INFO(expected.status().message());
  REQUIRE(expected.ok());
  INFO("gives " << result->ToString());
  // Exactly, complex numbers are equal part by part.
  Tolerance tolerance{.ulps = line.exact ? 0 : line.ulps};
  const Comparison comparison = CompareResults(*expected, *result, tolerance);
  INFO(comparison.ToString("expected", "here"));
  CHECK(comparison.agree);
}

inline void Check(const HloModule& module, const RunLine& line, bool all_engines) {
  INFO(line.text);
  const HloComputation* computation = module.FindComputation(line.computation);
  REQUIRE(computation != nullptr);
  const std::vector<std::string> texts = SplitAtCommas(line.arguments);
  REQUIRE(static_cast<int64_t>(texts.size()) == computation->parameter_count());
  std::vector<Literal> arguments;
  for (size_t i = 0; i < texts.size(); ++i) {
    StatusOr<Literal> argument = ReadLiteral(computation->parameter(static_cast<int64_t>(i))->shape(), texts[i]);
    INFO(argument.status().message());
    REQUIRE(argument.ok());
    arguments.push_back(*std::move(argument));
  }
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  CheckResult(line, *computation, MakeReferenceEvaluator()->EvaluateComputation(*computation, pointers));
  if (!all_engines || computation != module.entry_computation()) return;
  for (const std::string& isa : SupportedIsas()) {
    INFO(isa);
    ExecutableOptions options;
    options.isa = isa;
    options.threads = 1;
    auto executable = PrepareExecutable(module, options);
    if (executable.ok()) CheckResult(line, *computation, (*executable)->Run(pointers));
    else CheckResult(line, *computation, executable.status());
  }
}

// Runs all such lines of `text`; how many there are.
inline int CheckRunLines(const HloModule& module, const std::string& text) {
  int runs = 0;
  std::string line;
  for (std::stringstream lines(text); std::getline(lines, line);) {
    const bool all_engines = line.starts_with("// run: ");
    if (!all_engines && !line.starts_with("// run reference: ")) continue;
    const StatusOr<RunLine> run = ParseRunLine(line.substr(line.find(": ") + 2));
    INFO(run.status().message());
    REQUIRE(run.ok());
    Check(module, *run, all_engines);
    ++runs;
  }
  return runs;
}

}  // namespace hloir::run_lines
