// The gate of all rewrites, and the log of rewrites. A rule that matches requests the rewrite before it changes the
// graph, and changes it only if the request is allowed. So applying, recording (a trace), proposing (a dry run, or a
// learned optimizer's list of choices), taking some by their ids, and stopping after n (fuel, and with it bisection)
// are the same code. Passes request by RewriteGate; tools decide as a Rewriter. Tested by tests/unit/rewriter_test.cc.
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

// The largest change of results that a rewrite may cause. exact: no bit of any result (but any NaN may become any other
// NaN); rounding: as XLA does by default; fast: as XLA does only with fast-math.
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

// An opportunity that a rule found, or a change that was made. Its pointers are valid during the call only.
struct Rewrite {
  std::string_view pass, rule;  // "algebraic-simplifier", "add-zero"
  std::string_view formula;     // "A + 0 => A"
  MathMode math = MathMode::kExact;
  const HloInstruction* instruction = nullptr;  // the replaced instruction
  std::string reason;                           // the reason why it is sound or profitable here; often empty
  // For several alternatives at one instruction by one rule (sibling fusion): the other instruction.
  const HloInstruction* partner = nullptr;
  // Set after the change: the dead instructions, `instruction` first, and the new ones among the replacement and its
  // operands.
  std::span<const HloInstruction*const> consumed, made;

  // "algebraic-simplifier/add-zero@main/sum": stable across runs on the same module with the same names.
  std::string Id() const;
};

// The interface that decides on each rewrite and is informed of each change.
class Rewriter {
 public:
  virtual ~Rewriter() = default;
  virtual bool Allow(const Rewrite& rewrite) = 0;
  // False only if Allow() returns false for each rewrite of that rule at the instruction. It spares the search for the
  // rewrite.
  virtual bool MayAllow(std::string_view pass, std::string_view rule, const HloInstruction& instruction) const {
    (void)pass, (void)rule, (void)instruction;
    return true;
  }
  // Called after an allowed rewrite; `replacement` is nullptr if the instruction is removed without replacement.
  virtual void Done(const Rewrite& rewrite, const HloInstruction* replacement) { (void)rewrite, (void)replacement; }
  // A rule matched, but the pass decided that the rewrite is not profitable or not safe; see `reason`.
  virtual void Declined(const Rewrite& rewrite) { (void)rewrite; }
  // A rule in PassOptions::disabled_rules was skipped.
  virtual void Disabled(std::string_view pass, std::string_view rule) { (void)pass, (void)rule; }
  // True if passes should write reasons and report declined rewrites, which takes time.
  virtual bool wants_text() const { return false; }
};

// The rewriter of tools and tests. It keeps a log, and allows everything, the first `max_rewrites`, those in `take`, or
// nothing.
class RewriteLog : public Rewriter {
 public:
  enum class Outcome : uint8_t { kApplied, kProposed, kDeclined };
  // One rewrite, as text.
  struct Entry {
    std::string id, pass, rule, formula, computation, instruction;
    std::vector<std::string> operands;  // names
    // HLO text, a line each: the removed instructions, and the new ones (or, if none is new, the replacement).
    std::string before, after;
    std::string reason;
    std::vector<std::string> sources;  // metadata of the removed instructions, as text
    // Of a proposal: ids of other proposals for the same instruction. Taking one excludes the others. (A rewrite may
    // consume further instructions; ExcludedBy has the exclusions after some were taken.)
    std::vector<std::string> conflicts;
    MathMode math = MathMode::kExact;
    Outcome outcome = Outcome::kApplied;
  };
  int64_t max_rewrites = INT64_MAX;
  bool propose_only = false;                // allows nothing: lists the possible rewrites, each once
  bool take_only = false;                   // allows only ids in `take`; an id is used once and removed from there
  std::set<std::string, std::less<>> take;  // ids left after a run were not found: see ExcludedBy
  bool keep_text = true;                    // record entries; without it, only counts
  bool keep_declined = false;               // logs rewrites that passes declined, too
  int64_t first_entry = 0;  // with keep_text: entries only from this rewrite on (bisection wants the last alone)

  bool Allow(const Rewrite& rewrite) override;
  bool MayAllow(std::string_view pass, std::string_view rule, const HloInstruction& instruction) const override;
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override;
  void Declined(const Rewrite& rewrite) override;
  void Disabled(std::string_view pass, std::string_view rule) override;
  bool wants_text() const override { return keep_text || take_only; }

  const std::vector<Entry>& entries() const { return entries_; }
  // With take_only, for an id left in `take`: the id of the first rewrite that removed or replaced its instruction or
  // an operand of it; "" if there was no such opportunity.
  std::string_view ExcludedBy(std::string_view id) const;
  int64_t allowed() const { return allowed_; }
  // Counts of each rule's rewrites (or proposals), by "pass/rule".
  const std::map<std::string, int64_t>& counts() const { return counts_; }
  // Disabled rules that would otherwise have run, by name.
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

// A limit on the size of modules. Without it passes that inline, copy or unroll could double a module again and again:
// forty small functions, each of which calls the one before twice, are 2^40 instructions. A pipeline has one budget for
// all its passes; each gate tests it before a rewrite, so that a pass stops one rewrite after the module exceeds it.
class GrowthBudget {
 public:
  explicit GrowthBudget(int64_t max_instructions = 0) : given_(max_instructions) {}
  // Starts a pipeline on this module, which may grow to max_instructions; 0: to 16 times its size plus 50,000.
  void Begin(const HloModule& module);
  // Called at the begin of a pass. Passes that do not grow the module are never stopped.
  void BeginPass(const HloModule& module);
  // True if the module may grow by that many instructions.
  bool HasRoom(const HloModule& module, int64_t added = 0);
  bool stopped() const { return stopped_; }  // true if HasRoom() returned false since the pass began
  int64_t max_instructions() const { return most_; }

 private:
  int64_t given_, most_ = INT64_MAX;
  int64_t most_now_ = INT64_MAX;  // for this pass
  int64_t look_again_ = 0;        // instruction ids below this one are within the limit (ids are never reused)
  bool stopped_ = false;
};

// The caller's settings for the rewrites of a pass.
struct RewriteOptions {
  MathMode math = MathMode::kExact;              // rules of a further class are not asked for
  Rewriter* rewriter = nullptr;                  // borrowed; nullptr allows every rewrite
  std::vector<std::string> disabled_rules = {};  // by name
  std::shared_ptr<GrowthBudget> growth = {};     // nullptr: no limit. MakePipeline makes one
};

// A pass calls Allow before each change and Done after it.
//
//   if (!gate_.Enabled(kMyRule)) return false;           // before any analysis
//   if (!gate_.Allow(kMyRule, *old)) continue;
//   HloInstruction* replacement = …build…;
//   old->ReplaceAllUsesWith(replacement);
//   gate_.Done(replacement);                             // nullptr: nothing replaces it
class RewriteGate {
 public:
  RewriteGate(std::string_view pass, const RewriteOptions& options) : pass_(pass), options_(options) {}
  // True if the rule may run; test it before looking for matches. `math`: the rule's class at this instruction, if it
  // depends on the instruction.
  bool Enabled(const RuleInfo& rule) const { return Enabled(rule, rule.integers); }
  bool Enabled(const RuleInfo& rule, MathMode math) const;
  // False only if Allow() returns false for each rewrite of the rule at the instruction. Test it before an expensive
  // search.
  bool MayAllow(const RuleInfo& rule, const HloInstruction& instruction) const {
    return options_.rewriter == nullptr || options_.rewriter->MayAllow(pass_, rule.name, instruction);
  }
  // Returns true if the change may be made now. Requires Enabled(). Call it before building anything.
  bool Allow(const RuleInfo& rule, MathMode math, const HloInstruction& instruction, std::string reason = {},
             const HloInstruction* partner = nullptr);
  bool Allow(const RuleInfo& rule, const HloInstruction& instruction, std::string reason = {},
             const HloInstruction* partner = nullptr) {
    return Allow(rule, rule.integers, instruction, std::move(reason), partner);
  }
  // True if the module may grow by that many instructions. Passes that copy whole computations test it before Allow.
  bool HasRoom(const RuleInfo& rule, const HloInstruction& instruction, int64_t added);
  // Reports the change, after uses were replaced; dead instructions may still exist. The replacement takes over the
  // metadata of the replaced instruction and, if it is new, of the instructions that became dead.
  void Done(HloInstruction* replacement);
  // The rule matched, but the pass decided against it.
  void Decline(const RuleInfo& rule, const HloInstruction& instruction, std::string reason,
               const HloInstruction* partner = nullptr);
  // True if reasons are logged; otherwise a pass need not write them.
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
