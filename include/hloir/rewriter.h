// Rewriter: the one door for rewrites. A rule that matches describes the rewrite and asks; only on a yes does it change
// the graph. So applying, recording (a trace for teaching), proposing (a dry run, or a learned optimizer's list of
// choices), taking some by their ids, and stopping after n (fuel, and with it bisection) are the same code. Passes ask
// through RewriteGate in pass.h. Tested by tests/unit/rewriter_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/module.h"

namespace hloir {

// How far a rewrite may change results. exact: no bit of any result (but any NaN may become any other NaN); rounding:
// as XLA does by default; fast: as XLA does only with fast-math.
enum class MathMode : uint8_t { kExact, kRounding, kFast };

// One opportunity that a rule found, or one change that was made. What it points to is valid during the call only.
struct Rewrite {
  std::string_view pass, rule;  // "algebraic-simplifier", "add-zero"
  std::string_view formula;     // "A + 0 => A"
  MathMode math = MathMode::kExact;
  const HloInstruction* instruction = nullptr;  // what it replaces
  std::string reason;  // why it is sound here, or why it pays; often empty, as the formula says it
  // Where one instruction has several alternatives by one rule (sibling fusion): the other party.
  const HloInstruction* partner = nullptr;
  // Known when it was made: what is dead without `instruction`, itself first, and what is new under its replacement.
  std::span<const HloInstruction*const> consumed, made;

  // "algebraic-simplifier/add-zero@main/sum": the same in every run on the same module, as long as names are.
  std::string Id() const;
};

class Rewriter {
 public:
  virtual ~Rewriter() = default;
  virtual bool Allow(const Rewrite& rewrite) = 0;
  // After an allowed rewrite was made: what stands there now (nullptr where nothing does).
  virtual void Done(const Rewrite& rewrite, const HloInstruction* replacement) { (void)rewrite, (void)replacement; }
  // A rule matched, and the pass itself decided that it does not pay or is not safe; reason says why.
  virtual void Declined(const Rewrite& rewrite) { (void)rewrite; }
  // A rule that PassOptions::disabled_rules names was met.
  virtual void Disabled(std::string_view pass, std::string_view rule) { (void)pass, (void)rule; }
  // Is it worth the pass's while to write reasons and to report what it declined?
  virtual bool wants_text() const { return false; }
};

// The rewriter that the tools and tests use. It keeps what it saw, and allows everything, the first `max_rewrites`,
// those in `take`, or nothing.
class RewriteLog : public Rewriter {
 public:
  enum class Outcome : uint8_t { kApplied, kProposed, kDeclined };
  struct Entry {
    std::string id, pass, rule, formula, computation, instruction;
    std::vector<std::string> operands;  // names
    // HLO text, a line each: the instructions that went, and those that came (where nothing is new, the one that
    // stands there now).
    std::string before, after;
    std::string reason;
    std::vector<std::string> sources;  // metadata of what went, as text
    MathMode math = MathMode::kExact;
    Outcome outcome = Outcome::kApplied;
  };
  int64_t max_rewrites = INT64_MAX;
  bool propose_only = false;  // nothing is allowed: a list of what could be done, each once
  bool take_only = false;     // only what is in `take`; each id once, and then it is gone from there
  std::set<std::string, std::less<>> take;
  bool keep_text = true;       // entries; without it only the counts cost anything
  bool keep_declined = false;  // entries for what passes decided against, too
  int64_t first_entry = 0;     // with keep_text: entries only from this rewrite on (bisection wants the last alone)

  bool Allow(const Rewrite& rewrite) override;
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override;
  void Declined(const Rewrite& rewrite) override;
  void Disabled(std::string_view pass, std::string_view rule) override;
  bool wants_text() const override { return keep_text; }

  const std::vector<Entry>& entries() const { return entries_; }
  int64_t allowed() const { return allowed_; }
  // How often each rule fired (when proposing: was found), by "pass/rule".
  const std::map<std::string, int64_t>& counts() const { return counts_; }
  // Rules that were switched off and would have been asked, by name.
  const std::set<std::string, std::less<>>& disabled() const { return disabled_; }

 private:
  void Keep(const Rewrite& rewrite, Outcome outcome);

  std::vector<Entry> entries_;
  std::map<std::string, int64_t> counts_;
  std::set<std::string, std::less<>> seen_, disabled_;
  int64_t allowed_ = 0;
};

}  // namespace hloir
