// The class of a compiled program, and the cause of its differences. blame.h makes a finding; `hloir triage` and `hloir
// blame` print it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/status.h"

namespace hloir {

// The classes of `hloir triage`, the most severe first.
enum class FindingKind : uint8_t {
  kFault,         // the compiled program computes something else
  kLessAccurate,  // the same function of the real numbers, with fewer correct digits
  kDoubt,         // not judged: a limit, an unreadable file, no evidence
  kUndefined,     // HLO does not specify the differing part
  kRounding,      // the results differ by rounding, or where values overflow
  kFine,          // the same: proved, or equal on all inputs that ran
};
inline constexpr int kFindingKinds = 6;
// "fault", "less-accurate", "doubt", "undefined", "rounding", "fine"
std::string_view FindingKindName(FindingKind kind);
// "compiler's fault", "less accurate", …: for display.
std::string_view FindingKindWords(FindingKind kind);

// Where the cause lies.
enum class Culprit : uint8_t {
  kNone,      // there is nothing to explain
  kProgram,   // the program itself: it computes NaN, or HLO does not specify its result
  kPass,      // a pass of the compiler changed the results
  kKernel,    // the passes are correct, but the executed code does not compute their result
  kMachine,   // the machine has other arithmetic: it flushes denormals, or rounds factors of products
  kRounding,  // rounding explains all differences
  kUnknown,
};
// "none", "program", "pass", …
std::string_view CulpritName(Culprit culprit);

struct Finding {
  std::string program;
  FindingKind kind = FindingKind::kDoubt;
  Culprit culprit = Culprit::kUnknown;
  std::string summary;               // the cause in one line
  std::vector<std::string> details;  // further lines
  std::string next;                  // the next command; empty if there is none
  std::string answer;                // AnswerName of the verdict on the first and the last stage; empty without one
  std::string pass;                  // the first stage that differs; empty if unknown
  std::string instruction, partner;  // the first instructions that differ, before and after that pass
  std::vector<Verdict::Fault> faults;
  std::vector<std::string> notes, assumptions;
  int64_t stages = 0;  // number of stage files
  int64_t stored = 0;  // number of compared sets of stored results
  bool bug = false;    // a bug of hloir: its engines disagree, or it crashed
};

// docs/json.md lists the fields.
std::string FindingJson(const Finding& finding);
// The inverse. InvalidArgument for a text that FindingJson did not write.
StatusOr<Finding> ParseFinding(std::string_view json);
// The summary and further lines.
std::string FindingReport(const Finding& finding);
// The size of each class: "302 programs: 3 compiler's fault, 120 rounding, …".
std::string FindingCounts(std::span<const Finding> findings);

}  // namespace hloir
