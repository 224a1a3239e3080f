// ModuleChecks: what must hold of every legal module. Its text and message read back as they are; each pass leaves it
// legal and computing the same, loses nothing that was asked for, and is done after one run; every engine computes what
// the reference computes. `hloir fuzz run` asks it of generated modules, `hloir reduce` while it makes one smaller.
//
// An object is used by one thread at a time. Tested by the command's own campaigns in ctest (random.*).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzz/cases.h"
#include "hloir/check.h"
#include "hloir/module.h"
#include "hloir/rewrite.h"

namespace hloir::fuzz {

// What is wrong, and which check found it: "text", "proto", "verifier", a pass's name, "pipeline", an instruction
// set's. Nothing is wrong where `what` is empty.
struct Complaint {
  std::string check, what;
};

class ModuleChecks {
 public:
  // What takes more steps (EvaluatorOptions::max_steps) is not run.
  explicit ModuleChecks(MathMode math = MathMode::kExact, int64_t max_steps = 1 << 20);
  ~ModuleChecks();

  // Text and message give the module back; and JSON, which takes twice as long as both and shares the message's fields.
  Complaint Forms(const HloModule& module, bool with_json);
  // Through these passes, an empty list being the default pipeline: legal after each; with MathMode::kExact the same
  // results bit for bit, by the reference, on `inputs` or else on plain values and corner cases; no control dependency,
  // frontend attribute or sharding of a result lost; a second run changes nothing, another run gives the same text.
  Complaint Passes(const HloModule& module, const std::vector<std::string>& passes,
                   const std::vector<Literal>* inputs = nullptr);
  // On every instruction set of this machine against the reference: each case as exactly as it says.
  Complaint Engines(const CaseModule& cases);
  // The same of any module, by Check().
  Complaint Engines(const HloModule& module);

  int64_t not_run = 0;  // modules that the reference does not run, of those that Passes() was given
  const RewriteLog& log() const { return log_; }

 private:
  Complaint Run(HloModule& module, const std::vector<std::string>& passes, bool watched);
  void FindResults(const HloModule& module, const std::vector<Literal>* inputs);
  std::string Judge(const HloModule& now);

  MathMode math_;
  int64_t max_steps_;
  RewriteLog log_;  // which rules fired how often
  std::shared_ptr<HloEvaluator> evaluator_;
  const HloModule* before_ = nullptr;  // the module as it came, during Passes()
  std::unique_ptr<Checker> checker_;   // of it; none if it does not run
  std::string changed_by_;             // the first pass that changed the module in the last run
};

// Each pass that the default pipeline has not, as a list of its own.
std::vector<std::vector<std::string>> PassesBesideTheDefault();

}  // namespace hloir::fuzz
