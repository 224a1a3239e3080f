// The gate that every rewrite goes through, and the log of what went through it. A rule that matches describes the
// rewrite and asks; only on a yes does it change the graph. So applying, recording (a trace), proposing (a dry run, or
// a learned optimizer's list of choices), taking some by their ids, and stopping after n (fuel, and with it bisection)
// are the same code. Passes ask through RewriteGate; tools answer as a Rewriter. Tested by tests/unit/rewriter_test.cc.
//
// Threads: a gate and a rewriter belong to the thread that runs the pass.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

// How far a rewrite may change results. exact: no bit of any result (but any NaN may become any other NaN); rounding:
// as XLA does by default; fast: as XLA does only with fast-math.
enum class MathMode : uint8_t { kExact, kRounding, kFast };

// A rewrite that a pass can make, as data. Each is declared once, in the pass's own file:
//
//   constexpr RuleInfo kAddZero = {"add-zero", "A + 0 => A", MathMode::kExact};
struct RuleInfo {
  constexpr RuleInfo(std::string_view name, std::string_view formula, MathMode math = MathMode::kExact)
      : RuleInfo(name, formula, math, math) {}
  constexpr RuleInfo(std::string_view name, std::string_view formula, MathMode integers, MathMode floats)
      : name(name), formula(formula), integers(integers), floats(floats) {}

  std::string_view name, formula;
  MathMode integers, floats;  // its class on integers (or pred), and on floats (or complex)
};

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

// Who is asked before each rewrite, and told after it.
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
  // One rewrite, as text.
  struct Entry {
    std::string id, pass, rule, formula, computation, instruction;
    std::vector<std::string> operands;  // names
    // HLO text, a line each: the instructions that went, and those that came (where nothing is new, the one that
    // stands there now).
    std::string before, after;
    std::string reason;
    std::vector<std::string> sources;  // metadata of what went, as text
    // Of a proposal: ids of other proposals for the same instruction. To take one of them excludes the others. (A
    // rewrite may consume further instructions; what excluded what is known when some are taken, see ExcludedBy.)
    std::vector<std::string> conflicts;
    MathMode math = MathMode::kExact;
    Outcome outcome = Outcome::kApplied;
  };
  int64_t max_rewrites = INT64_MAX;
  bool propose_only = false;                // nothing is allowed: a list of what could be done, each once
  bool take_only = false;                   // only what is in `take`; each id once, and then it is gone from there
  std::set<std::string, std::less<>> take;  // what is left after a run was not found: see ExcludedBy
  bool keep_text = true;                    // entries; without it only the counts cost anything
  bool keep_declined = false;               // entries for what passes decided against, too
  int64_t first_entry = 0;  // with keep_text: entries only from this rewrite on (bisection wants the last alone)

  bool Allow(const Rewrite& rewrite) override;
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override;
  void Declined(const Rewrite& rewrite) override;
  void Disabled(std::string_view pass, std::string_view rule) override;
  bool wants_text() const override { return keep_text || take_only; }

  const std::vector<Entry>& entries() const { return entries_; }
  // With take_only, for an id that is left in `take`: the id of the first rewrite taken that removed or replaced its
  // instruction or an operand of it; "" if none did, so that there was no such opportunity.
  std::string_view ExcludedBy(std::string_view id) const;
  int64_t allowed() const { return allowed_; }
  // How often each rule fired (when proposing: was found), by "pass/rule".
  const std::map<std::string, int64_t>& counts() const { return counts_; }
  // Rules that were switched off and would have been asked, by name.
  const std::set<std::string, std::less<>>& disabled() const { return disabled_; }

 private:
  void Keep(const Rewrite& rewrite, Outcome outcome);
  void FindConflicts(const Rewrite& rewrite);

  std::vector<Entry> entries_;
  std::map<std::string, std::vector<size_t>, std::less<>> proposed_;  // entries by COMPUTATION/INSTRUCTION
  // With take_only: the rewrite that removed or replaced an instruction or its operand, by COMPUTATION/INSTRUCTION.
  std::map<std::string, std::string, std::less<>> consumed_by_;
  std::string taking_;  // the id of the rewrite that is being made
  std::map<std::string, int64_t> counts_;
  std::set<std::string, std::less<>> seen_, disabled_;
  int64_t allowed_ = 0;
};

// How large passes may make a module. Without it what inlines, copies or unrolls can double a module again and again:
// forty small functions of which each calls the one before twice are 2^40 instructions. A pipeline has one for all its
// passes; each gate asks it before a rewrite, so that a pass stops a rewrite after it went over.
class GrowthBudget {
 public:
  explicit GrowthBudget(int64_t max_instructions = 0) : given_(max_instructions) {}
  // A pipeline begins on this module: it may come to have max_instructions; of 0, 16 times what it has and 50,000.
  void Begin(const HloModule& module);
  // A pass begins. One that shrinks a module, or leaves it as large as it is, is never stopped.
  void BeginPass(const HloModule& module);
  // For so many instructions more?
  bool HasRoom(const HloModule& module, int64_t added = 0);
  bool stopped() const { return stopped_; }  // did HasRoom() say no since the pass began?
  int64_t max_instructions() const { return most_; }

 private:
  int64_t given_, most_ = INT64_MAX;
  int64_t most_now_ = INT64_MAX;  // for this pass
  int64_t look_again_ = 0;        // below this id of an instruction, which are never used again, there is room for sure
  bool stopped_ = false;
};

// What a caller says about the rewrites of a pass.
struct RewriteOptions {
  MathMode math = MathMode::kExact;              // rules of a further class are not asked for
  Rewriter* rewriter = nullptr;                  // borrowed; nullptr allows every rewrite
  std::vector<std::string> disabled_rules = {};  // by name
  std::shared_ptr<GrowthBudget> growth = {};     // nullptr: no limit. MakePipeline makes one
};

// What a pass asks before each change and tells after it.
//
//   if (!gate_.Enabled(kMyRule)) return false;           // before it looks at anything
//   if (!gate_.Allow(kMyRule, *old)) continue;
//   HloInstruction* replacement = …build…;
//   old->ReplaceAllUsesWith(replacement);
//   gate_.Done(replacement);                             // nullptr: nothing replaces it
class RewriteGate {
 public:
  RewriteGate(std::string_view pass, const RewriteOptions& options) : pass_(pass), options_(options) {}
  // May the rule run at all? Ask before looking for matches. `math`: its class here, where that depends on more than
  // the rule.
  bool Enabled(const RuleInfo& rule) const { return Enabled(rule, rule.integers); }
  bool Enabled(const RuleInfo& rule, MathMode math) const;
  // True: make this change now. Assumes Enabled(). Nothing may be built before.
  bool Allow(const RuleInfo& rule, MathMode math, const HloInstruction& instruction, std::string reason = {},
             const HloInstruction* partner = nullptr);
  bool Allow(const RuleInfo& rule, const HloInstruction& instruction, std::string reason = {},
             const HloInstruction* partner = nullptr) {
    return Allow(rule, rule.integers, instruction, std::move(reason), partner);
  }
  // Does the module have room for so many instructions more? Asked before Allow by what copies whole computations.
  bool HasRoom(const RuleInfo& rule, const HloInstruction& instruction, int64_t added);
  // The change was made and uses were moved; what died is still there or was just removed. The replacement takes over
  // the metadata of the instruction it replaces; if it is new, also of all that died with that.
  void Done(HloInstruction* replacement);
  // The rule matched, but the pass decided against it.
  void Decline(const RuleInfo& rule, const HloInstruction& instruction, std::string reason,
               const HloInstruction* partner = nullptr);
  // Does anybody read reasons? If not, spare the work of writing them.
  bool explaining() const { return options_.rewriter != nullptr && options_.rewriter->wants_text(); }

 private:
  void FindConsumed();
  void FindMade(const HloInstruction* replacement);

  std::string pass_;
  RewriteOptions options_;
  Rewrite current_;
  int32_t first_new_id_ = 0;
  std::vector<const HloInstruction*> consumed_, made_;
};

}  // namespace hloir
#pragma GCC visibility pop
