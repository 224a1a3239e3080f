// Which pass, and which single rewrite, changed what a module computes: what `opt --check-each` and `opt --bisect` ask.
// Both run the module before and after on the same made-up inputs. Tested by tests/unit/blame_test.cc with planted
// bugs.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/pass.h"
#include "tools/agree.h"

namespace hloir::tool {

// Several sets of arguments of the entry computation.
using InputSets = std::vector<std::vector<Literal>>;

// Runs the module before and after each pass that changes it; an error names the first that changed the meaning.
class CheckEach {
 public:
  CheckEach(const HloModule& module, const InputSets& inputs, AgreeOptions options);
  // For PipelineOptions::after.
  Status AfterPass(std::string_view pass, const HloModule& module);
  // Was the error that AfterPass gave a disagreement, and not a module that could not be run?
  bool disagreed() const { return disagreed_; }

 private:
  std::unique_ptr<HloModule> before_;
  std::string text_;
  const InputSets& inputs_;
  AgreeOptions options_;
  bool disagreed_ = false;
};

struct Bisection {
  int64_t rewrites = 0;      // that the whole run makes
  int64_t guilty = -1;       // the first that changes the meaning, counted from 0; -1: none does
  RewriteLog::Entry record;  // of that one
  std::string reason;        // how the results differ, or what the verifier says
};

// `optimize` runs the passes with this rewriter; each call must do the same, up to the fuel it is given.
StatusOr<Bisection> Bisect(const HloModule& module, const std::function<Status(HloModule&, Rewriter&)>& optimize,
                           const InputSets& inputs, const AgreeOptions& options);

}  // namespace hloir::tool
