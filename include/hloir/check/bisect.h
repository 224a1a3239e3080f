// Which pass, and which single rewrite, changed what a module computes: what `opt --check-each` and `opt --bisect` ask.
// Both compare modules by check.h.
//
// Example:
//
//   auto optimize = [](HloModule& clone, Rewriter& rewriter) -> Status {
//     PassOptions options;
//     options.rewriter = &rewriter;
//     HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline({}, options));
//     return pipeline.RunOnce(clone).status();
//   };
//   StatusOr<Bisection> found = Bisect(module, optimize);
//   if (found.ok() && found->guilty >= 0) std::puts(found->record.rule.c_str());
//
// A CheckEach is used by one thread at a time. Tested by tests/unit/bisect_test.cc with planted bugs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/pipeline.h"

#pragma GCC visibility push(default)
namespace hloir {

// Checks the module after each pass that changes it against what it was before; an error names the first pass that
// changed the meaning.
class CheckEach {
 public:
  // Without inputs they are made up, as by Checker.
  CheckEach(const HloModule& module, std::vector<InputSet> inputs, CheckOptions options);
  // For PipelineOptions::after.
  Status AfterPass(const PassEvent& event, const HloModule& module);
  // Was the error that AfterPass gave a disagreement, and not a module that could not be run?
  bool disagreed() const { return disagreed_; }

 private:
  std::unique_ptr<HloModule> before_;
  Checker checker_;
  bool disagreed_ = false;
};

// What Bisect found.
struct Bisection {
  int64_t rewrites = 0;      // that the whole run makes
  int64_t guilty = -1;       // the first that changes the meaning, counted from 0; -1: none does
  RewriteLog::Entry record;  // of that one
  std::string reason;        // how the results differ, or what the verifier says
};

// `optimize` runs the passes with this rewriter; each call must do the same, up to the rewrites that it is allowed.
StatusOr<Bisection> Bisect(const HloModule& module, const std::function<Status(HloModule&, Rewriter&)>& optimize,
                           std::vector<InputSet> inputs = {}, CheckOptions options = {});

}  // namespace hloir
#pragma GCC visibility pop
