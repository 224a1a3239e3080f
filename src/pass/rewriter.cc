// The door for rewrites: RewriteGate, which passes ask, and RewriteLog, which keeps what was asked.
#include <algorithm>

#include "hloir/pass.h"

namespace hloir {

bool RewriteGate::Enabled(std::string_view rule, MathMode math) const {
  return math <= options_.math &&
         (options_.disabled_rules.empty() || std::find(options_.disabled_rules.begin(), options_.disabled_rules.end(),
                                                       rule) == options_.disabled_rules.end());
}

bool RewriteGate::Allow(std::string_view rule, std::string_view formula, MathMode math,
                        const HloInstruction& instruction, std::string reason) {
  if (options_.rewriter == nullptr) return true;
  current_ = {pass_, rule, formula, math, &instruction, std::move(reason)};
  return options_.rewriter->Allow(current_);
}

void RewriteGate::Done(const HloInstruction* replacement) {
  if (options_.rewriter != nullptr) options_.rewriter->Done(current_, replacement);
}

bool RewriteLog::Allow(const Rewrite& rewrite) {
  const bool allowed = !propose_only && allowed_ < max_rewrites;
  if (!allowed && !propose_only) return false;
  if (allowed) ++allowed_;
  ++counts_[std::string(rewrite.pass) + "/" + std::string(rewrite.rule)];
  if (keep_text) {
    Entry& entry = entries_.emplace_back();
    entry.pass = rewrite.pass, entry.rule = rewrite.rule, entry.formula = rewrite.formula;
    entry.reason = rewrite.reason, entry.math = rewrite.math;
    entry.computation = rewrite.instruction->parent()->name();
    entry.instruction = rewrite.instruction->name();
    entry.before = rewrite.instruction->ToString();
  }
  return allowed;
}

void RewriteLog::Done(const Rewrite&, const HloInstruction* replacement) {
  if (keep_text && replacement != nullptr) entries_.back().after = replacement->ToString();
}

}  // namespace hloir
