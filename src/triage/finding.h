// What is known of one compiled program: which class it belongs to, and who is to blame. blame.h makes one; `hloir
// triage` and `hloir blame` print it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/status.h"

namespace hloir {

// The classes of `hloir triage`, the gravest first.
enum class FindingKind : uint8_t {
  kFault,         // the compiled program computes something else
  kLessAccurate,  // the same function of the real numbers, with fewer correct digits
  kDoubt,         // hloir does not know: not judged, a limit, a file that cannot be read
  kUndefined,     // HLO does not specify the differing part
  kRounding,      // the results differ by rounding, or where something overflows
  kFine,          // the same: proved, or equal on all inputs that were tried
};
inline constexpr int kFindingKinds = 6;
// "fault", "less-accurate", "doubt", "undefined", "rounding", "fine"
std::string_view FindingKindName(FindingKind kind);
// "compiler's fault", "less accurate", … : for people.
std::string_view FindingKindWords(FindingKind kind);

// Where the cause lies.
enum class Culprit : uint8_t {
  kNone,      // there is nothing to explain
  kProgram,   // the program itself: it gives NaN, or HLO does not specify its result
  kPass,      // a pass of the compiler changed what the program computes
  kKernel,    // the passes are right, but the executed code does not compute their result
  kMachine,   // the machine has another arithmetic: denormals are zeros, products are rounded
  kRounding,  // rounding explains all that differs
  kUnknown,
};
// "none", "program", "pass", …
std::string_view CulpritName(Culprit culprit);

struct Finding {
  std::string program;
  FindingKind kind = FindingKind::kDoubt;
  Culprit culprit = Culprit::kUnknown;
  std::string summary;               // one line: who is to blame for what
  std::vector<std::string> details;  // further lines
  std::string next;                  // a command that goes on from here; "" if there is none
  std::string answer;                // AnswerName of the verdict on the first and the last stage; "" without one
  std::string pass;                  // the stage that first differs; "" if it is not known
  std::string instruction, partner;  // the first that differs, before and after that pass
  std::vector<Verdict::Fault> faults;
  std::vector<std::string> notes, assumptions;
  int64_t stages = 0;  // files of stages
  int64_t stored = 0;  // sets of stored results that were compared
  bool bug = false;    // of hloir: its engines disagree, or it crashed
};

// docs/json.md lists the fields.
std::string FindingJson(const Finding& finding);
// The other way round. InvalidArgument for a text that FindingJson does not write.
StatusOr<Finding> ParseFinding(std::string_view json);
// The summary and what belongs to it, a line each.
std::string FindingReport(const Finding& finding);
// How many there are of each class: "302 programs: 3 compiler's fault, 120 rounding, …".
std::string FindingCounts(std::span<const Finding> findings);

}  // namespace hloir
