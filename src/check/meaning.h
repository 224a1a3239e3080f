// Whether two modules are the same function, apart from rounding. Both run in wide arithmetic (f64, or double-double
// where f64 is a type of the module), where a difference stands out from rounding by a factor of 2^29, and are compared
// element by element. MeaningComparer::Compare is the entry point; how it decides: docs/accuracy.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/error_bound.h"
#include "check/folded.h"
#include "check/module_under_test.h"

namespace hloir::check {

struct Meaning {
  bool judged = true;  // false: one of the two does not run in wide arithmetic; see `notes`
  bool agree = true;
  Comparison comparison;  // of the wide results, if they do not agree
  std::string reason;     // why they do not agree
  std::vector<std::string> notes;
  std::string explanation;  // the row of explanations.cc that made them agree
  // A rounding by an instruction of its own in the first module that the second leaves out: "reduce-precision.1".
  std::string dropped_rounding;
  // By leaf: some element is no NaN; rounding errors alone decide what it is.
  std::vector<bool> has_number, undetermined;
  std::vector<bool> is_zero;                  // all of its elements
  std::vector<std::string> how_undetermined;  // in words, for a note; "" if it is not
};

// Which NaNs and infinities count that one of the two modules has alone.
enum class Nonfinite {
  kIgnored,
  kWorse,   // where `before` has a number and `after` has none, if wide arithmetic and the modules' own types say so
  kBoth,    // the other way too, on the same condition
  kAlways,  // whatever the modules' own types say
};

// Two modules, on one set of inputs after another. Both outlive it.
class MeaningComparer {
 public:
  MeaningComparer(ModuleUnderTest& before, ModuleUnderTest& after);
  ~MeaningComparer();
  // `notes`: with notes about sets on which they agree.
  Meaning Compare(size_t set, Nonfinite nonfinite, bool notes = true);

  // For explanations.cc, of the difference that Compare has just found.

  // The modules agree if neither rounds to narrower types.
  bool agree_without_roundings() const { return agree_without_roundings_; }
  // They agree within the changes that the rounding of constants makes which only the second has, and may have folded.
  bool AgreeWithConstantsMoved();
  // They agree if neither is folded any further, or both are, by the same pass.
  bool AgreeFoldedAlike();
  // They agree but for roundings to narrower types, and those of the second cost no more than those of the first.
  bool AgreeWithExcessPrecision();
  // They agree within the changes that the rounding of each constant step of the first module makes, if the second has
  // fewer such steps: a cancellation, as in x - mean(x), magnifies such a rounding.
  bool AgreeWithConstantStepsMoved();

 private:
  struct Relatives;

  void NotJudged(const std::string& name, const Status& failed);
  bool HasRun(const StatusOr<Results>& variant);
  bool Agree(bool keep);
  void ForgetNewJumps(const Results& results, const ErrorBounds& of_before);
  void ForgiveJumps(const Results& results, const ErrorBounds& of_before);
  static bool Jumps(const ErrorBounds& bounds, const Results& results);
  void RecordWhatIsKnown();
  void NoteWhatRoundingLeaves();
  Comparison CompareWide(const Results& a, const Results& b);
  bool AgreeAs(Relatives& relatives);
  void Say(const std::string& how);

  ModuleUnderTest &before_, &after_;
  bool is_iterative_, tells_nonfinite_;
  // Of the comparison under way.
  size_t set_ = 0;
  bool at_limits_ = false;  // the inputs are as large, or small, as f64 goes
  Nonfinite nonfinite_ = Nonfinite::kIgnored;
  ErrorBounds bounds_;
  bool bounds_keep_ = true;  // they are those of the modules with roundings to narrower types
  bool agree_without_roundings_ = false;
  Status starved_ = OkStatus();
  Comparison seen_;
  Meaning meaning_;
  // Of all sets.
  std::optional<FoldedConstants> constants_;
  std::unique_ptr<Relatives> unfolded_, folded_;
  std::unique_ptr<HloModule> stepwise_;
  std::optional<bool> steps_are_gone_;
};

// If rounding alone moves every leaf of `subject` in which `seen` does not agree as far as that, says so, with the name
// that messages call it by: rounding errors alone decide the results of such a module. Else "".
std::string MovedByRoundingAlone(ModuleUnderTest& subject, std::string_view name, size_t set, const Comparison& seen);

// A copy of the module on which these passes have run, which may round; nullptr if they fail.
std::unique_ptr<HloModule> AfterPasses(const std::vector<std::string>& passes, const HloModule& module);

}  // namespace hloir::check
