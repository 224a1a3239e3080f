// ModuleChecks: properties of every legal module. Its text and message read back unchanged; each pass keeps it legal
// and equivalent, keeps its annotations, and changes nothing in a second run; a proof of that is not refused by hloir
// check-proof; every engine agrees with the reference.
// `hloir fuzz run` checks generated modules, `hloir reduce` the candidates of a reduction.
//
// An object is used by one thread at a time. Tested by the command's own campaigns in ctest (random.*).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuzz/cases.h"
#include "fuzz/proof_file.h"
#include "hloir/check.h"
#include "hloir/module.h"
#include "hloir/rewrite.h"

namespace hloir::fuzz {

// An error and its check: "text", "proto", "verifier", the name of a pass, "pipeline", the name of an instruction set.
// No error if `what` is empty.
struct Complaint {
  std::string check, what;
};

class ModuleChecks {
 public:
  // Modules that take more steps (EvaluatorOptions::max_steps) are not run.
  explicit ModuleChecks(MathMode math = MathMode::kExact, int64_t max_steps = 1 << 20);
  ~ModuleChecks();

  // Text and message read back to the same module; also JSON, which takes twice as long as both and shares the
  // message's fields.
  Complaint Forms(const HloModule& module, bool with_json);
  // Checks these passes, or the default pipeline for an empty list: the module is legal after each; with
  // MathMode::kExact the reference returns the same bits, on `inputs` or, without these, on plain values and corner
  // cases; no control dependency, frontend attribute or sharding of a result is lost; a second run changes nothing, and
  // another run gives the same text.
  Complaint Passes(const HloModule& module, const std::vector<std::string>& passes,
                   const std::vector<Literal>* inputs = nullptr);
  // hloir check-proof does not refuse the proof that a module and what the passes make of it are equal, if there is
  // one.
  Complaint Proof(const HloModule& module, const std::vector<std::string>& passes);
  // Compares every instruction set of this machine with the reference, each case with its tolerance.
  Complaint Engines(const CaseModule& cases);
  // The same of any module, by Check().
  Complaint Engines(const HloModule& module);

  int64_t not_run = 0;  // the number of modules given to Passes() that the reference does not run
  ProofFiles proofs;    // of modules given to Proof()
  const RewriteLog& log() const { return log_; }

 private:
  Complaint Run(HloModule& module, const std::vector<std::string>& passes, bool watched);
  void FindResults(const HloModule& module, const std::vector<Literal>* inputs);
  std::string Judge(const HloModule& now);

  MathMode math_;
  int64_t max_steps_;
  RewriteLog log_;  // which rules fired how often
  std::shared_ptr<HloEvaluator> evaluator_;
  const HloModule* before_ = nullptr;  // the original module, during Passes()
  std::unique_ptr<Checker> checker_;   // of it; none if it does not run
  std::string changed_by_;             // the first pass that changed the module in the last run
};

// Each pass outside the default pipeline, as a separate list.
std::vector<std::vector<std::string>> PassesBesideTheDefault();

}  // namespace hloir::fuzz
