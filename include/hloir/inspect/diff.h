// What differs between two modules, by structure: which instruction of the one is which of the other, and what happened
// to those that are not the same. Names, ids and order do not count; they only break ties. Fusions and calls are looked
// through: what is fused is compared with what it was before.
//
// Example:
//
//   std::unique_ptr<HloModule> before = module.Clone();
//   if (auto pipeline = MakePipeline({}, {}); !pipeline.ok() || !pipeline->RunOnce(module).ok()) return;
//   const ModuleDiff diff(*before, module);
//   if (!diff.same()) std::puts(DiffReport(diff).c_str());
//   for (const ModuleDiff::Gone& gone : diff.removed()) (void)(gone.fate == ModuleDiff::Fate::kFolded);
//
// Threads: reads both modules, which must outlive it unchanged; any thread may make one.
// Tested by tests/unit/diff_test.cc, against the record of rewrites and against values, and tests/cli/diff.test.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// A match of two modules' instructions.
class ModuleDiff {
 public:
  // Of a matched pair, what is not the same; bits.
  enum Change : uint32_t {
    kConstant = 1 << 0,    // another value
    kAttributes = 1 << 1,  // another attribute, sharding, backend config, …
    kShape = 1 << 2,       // another element type or other dimensions
    kLayout = 1 << 3,      // another order in memory
    kOperands = 1 << 4,    // another value comes in; what that is, is a change of its own
    kFused = 1 << 5,       // now in a fusion, no longer in one, or in another
    kMoved = 1 << 6,       // in another computation, fusions and calls apart: out of a loop, into a branch
    kCalled = 1 << 7,      // what it calls has changed
  };
  // What became of an instruction that is not in the second module.
  enum class Fate : uint8_t {
    kFolded,     // a constant stands there
    kMerged,     // another instruction computes the same
    kRewritten,  // something else stands there
    kInlined,    // a fusion, a call, its parameters, an element of a tuple: what it stood for stands there itself
    kDead,       // nothing needs it
  };
  struct Pair;
  struct Gone;

  ModuleDiff(const HloModule& before, const HloModule& after);

  // Nothing differs but names, numbers, metadata and order.
  bool same() const;
  const HloModule& before() const { return *before_; }
  const HloModule& after() const { return *after_; }
  // In the order of `before`, callees first.
  const std::vector<Pair>& matched() const { return matched_; }
  const std::vector<Gone>& removed() const { return removed_; }
  const std::vector<const HloInstruction*>& added() const { return added_; }
  // The other module's instruction; nullptr for none.
  const HloInstruction* MatchOf(const HloInstruction& instruction) const;

 private:
  const HloModule *before_, *after_;
  std::vector<Pair> matched_;
  std::vector<Gone> removed_;
  std::vector<const HloInstruction*> added_;
  std::vector<const HloInstruction*> after_of_, before_of_;  // by id
};

// An instruction of the first module, and the same in the second.
struct ModuleDiff::Pair {
  const HloInstruction *before = nullptr, *after = nullptr;
  uint32_t changes = 0;
};
// An instruction of the first module that the second has not.
struct ModuleDiff::Gone {
  const HloInstruction* instruction = nullptr;
  Fate fate = Fate::kDead;
  const HloInstruction* became = nullptr;  // of the second module: what stands there now; nullptr if kDead
};

// "fused, layout"
std::string ChangeWords(uint32_t changes);
std::string_view FateWord(ModuleDiff::Fate fate);

// A pair whose values differ.
struct ValueMismatch {
  const HloInstruction *before = nullptr, *after = nullptr;
  std::string before_value, after_value;  // as ValueSummary gives them
};
// What CheckMatchedValues found.
struct ValueCheck {
  std::vector<const HloInstruction*> agreeing;  // of the first module
  std::vector<ValueMismatch> mismatches;
};
// Runs both modules on the same made-up inputs, by the reference evaluator, and compares what each matched pair of
// arrays computes first; apart from rounding, it is the same, or the pair is a mismatch. What has kConstant,
// kAttributes, kShape or kCalled among its changes is left out, as it need not be the same.
StatusOr<ValueCheck> CheckMatchedValues(const ModuleDiff& diff, uint64_t seed = 0);

// For people: costs of both, changes by kind, and of each kind at most `most`; the changes alone; and as JSON
// (docs/json.md).
std::string DiffReport(const ModuleDiff& diff, size_t most = 10);
std::string DiffChanges(const ModuleDiff& diff, size_t most = 10);
std::string DiffJson(const ModuleDiff& diff);

}  // namespace hloir
#pragma GCC visibility pop
