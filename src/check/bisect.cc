// See bisect.h.
#include "hloir/check.h"

#include "hloir/verifier.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace {

// Disables timing and divergence, since bisection only needs the outcome.
CheckOptions Quick(CheckOptions options) {
  options.timing = options.divergence = false;
  options.stored.clear();
  return options;
}

}  // namespace

CheckEach::CheckEach(const HloModule& module, std::vector<InputSet> inputs, CheckOptions options)
    : before_(module.Clone()), checker_(*before_, std::move(inputs), Quick(std::move(options))) {}

Status CheckEach::AfterPass(const PassEvent& event, const HloModule& module) {
  if (!event.changed) return OkStatus();
  std::unique_ptr<HloModule> after = module.Clone();
  HLOIR_ASSIGN_OR_RETURN(const Verdict verdict, checker_.Check(*after));
  if (verdict.outcome == Outcome::kDisagree) {
    disagreed_ = true;
    return Internal(Format("the pass {} changed what the module computes: {}", event.pass, verdict.reason));
  }
  if (verdict.outcome == Outcome::kEnginesDisagree)
    return Internal(Format("after the pass {}: {}", event.pass, verdict.reason));
  checker_.Advance();
  before_ = std::move(after);
  return OkStatus();
}

StatusOr<Bisection> Bisect(const HloModule& module, const std::function<Status(HloModule&, Rewriter&)>& optimize,
                           std::vector<InputSet> inputs, CheckOptions options) try {
  Bisection result;
  Checker checker(module, std::move(inputs), Quick(std::move(options)));
  // The error after the first `count` rewrites, empty if there is none.
  const auto wrong_after = [&](int64_t count) -> StatusOr<std::string> {
    std::unique_ptr<HloModule> after = module.Clone();
    RewriteLog log;
    log.keep_text = false;
    log.max_rewrites = count;
    HLOIR_RETURN_IF_ERROR(optimize(*after, log));
    if (count == INT64_MAX) result.rewrites = log.allowed();
    if (Status legal = VerifyModule(*after); !legal.ok()) return "the module is not legal: " + legal.message();
    HLOIR_ASSIGN_OR_RETURN(const Verdict verdict, checker.Check(*after));
    return verdict.outcome == Outcome::kDisagree ? verdict.reason : std::string();
  };
  HLOIR_ASSIGN_OR_RETURN(result.reason, wrong_after(INT64_MAX));
  if (result.reason.empty()) return result;
  // Invariant: correct after `right` rewrites, wrong after `wrong`.
  int64_t right = 0, wrong = result.rewrites;
  while (wrong - right > 1) {
    const int64_t middle = right + (wrong - right) / 2;
    HLOIR_ASSIGN_OR_RETURN(std::string reason, wrong_after(middle));
    (reason.empty() ? right : wrong) = middle;
    if (!reason.empty()) result.reason = std::move(reason);
  }
  result.guilty = right;
  std::unique_ptr<HloModule> again = module.Clone();
  RewriteLog log;
  log.max_rewrites = wrong;
  log.first_entry = right;
  HLOIR_RETURN_IF_ERROR(optimize(*again, log));
  if (!log.entries().empty()) result.record = log.entries().front();
  return result;
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
