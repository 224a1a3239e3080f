// See blame.h.
#include "tools/blame.h"

#include <fmt/format.h>

#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tools/arguments.h"

namespace hloir::tool {
namespace {

// Why the two do not agree on one of the inputs; "" if they do on all.
StatusOr<std::string> Disagreement(const HloModule& before, const HloModule& after, const InputSets& inputs,
                                   const AgreeOptions& options) {
  for (const std::vector<Literal>& arguments : inputs) {
    const std::vector<const Literal*> pointers = Pointers(arguments);
    HLOIR_ASSIGN_OR_RETURN(const Agreement agreement, Agree(before, after, pointers, options));
    if (!agreement.comparison.agree) return agreement.reason;
  }
  return std::string();
}

}  // namespace

CheckEach::CheckEach(const HloModule& module, const InputSets& inputs, AgreeOptions options)
    : before_(module.Clone()), text_(PrintModule(module)), inputs_(inputs), options_(std::move(options)) {}

Status CheckEach::AfterPass(std::string_view pass, const HloModule& module) {
  std::string text = PrintModule(module);
  if (text == text_) return OkStatus();
  HLOIR_ASSIGN_OR_RETURN(const std::string reason, Disagreement(*before_, module, inputs_, options_));
  if (!reason.empty()) {
    disagreed_ = true;
    return Internal(fmt::format("the pass {} changed what the module computes: {}", pass, reason));
  }
  before_ = module.Clone();
  text_ = std::move(text);
  return OkStatus();
}

StatusOr<Bisection> Bisect(const HloModule& module, const std::function<Status(HloModule&, Rewriter&)>& optimize,
                           const InputSets& inputs, const AgreeOptions& options) {
  Bisection result;
  // What is wrong after the first `count` rewrites; "" if nothing is.
  const auto wrong_after = [&](int64_t count) -> StatusOr<std::string> {
    std::unique_ptr<HloModule> after = module.Clone();
    RewriteLog log;
    log.keep_text = false;
    log.max_rewrites = count;
    HLOIR_RETURN_IF_ERROR(optimize(*after, log));
    if (count == INT64_MAX) result.rewrites = log.allowed();
    if (Status legal = VerifyModule(*after); !legal.ok()) return "the module is not legal: " + legal.message();
    return Disagreement(module, *after, inputs, options);
  };
  HLOIR_ASSIGN_OR_RETURN(result.reason, wrong_after(INT64_MAX));
  if (result.reason.empty()) return result;
  // Right after `right` rewrites, wrong after `wrong`.
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
}

}  // namespace hloir::tool
