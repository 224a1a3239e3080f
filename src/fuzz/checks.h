// ModuleChecks: properties of every legal module. Its text and message read back unchanged; each pass leaves it legal
// and computing the same, keeps its annotations, and changes nothing in a second run; every engine computes the
// reference's results. `hloir fuzz run` checks generated modules, `hloir reduce` the candidates of a reduction.
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

// An error, and the check that found it: "text", "proto", "verifier", a pass's name, "pipeline", an instruction set's.
// No error if `what` is empty.
struct Complaint {
  std::string check, what;
};

class ModuleChecks {
 public:
  // Modules that take more steps (EvaluatorOptions::max_steps) are not run.
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

  int64_t not_run = 0;  // the number of modules given to Passes() that the reference does not run
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

// Each pass outside the default pipeline, as a separate list.
std::vector<std::vector<std::string>> PassesBesideTheDefault();

}  // namespace hloir::fuzz
