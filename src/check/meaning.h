// Decides whether two modules are the same function up to rounding. Both run in wide arithmetic: f64, or double-double
// if the module uses f64. There, a difference exceeds rounding errors by a factor of 2^29. The results are compared
// element by element. MeaningComparer::Compare is the entry point; docs/accuracy.md describes the method.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/error_bound.h"
#include "check/folded.h"
#include "check/module_under_test.h"

namespace hloir::check {

struct Meaning {
  bool judged = true;  // false: one of the modules does not run in wide arithmetic; see `notes`
  bool agree = true;
  Comparison comparison;  // the wide results, if they do not agree
  std::string reason;     // the reason, if they do not agree
  std::vector<std::string> notes;
  std::string explanation;  // the row of explanations.cc that made them agree
  // An explicit rounding of the first module that the second omits: "reduce-precision.1".
  std::string dropped_rounding;
  // If the modules agree without roundings to narrower types, and not with them: how the second rounds more.
  std::string narrows;
  // By leaf: some element is not NaN; the value consists of rounding errors.
  std::vector<bool> has_number, undetermined;
  std::vector<bool> is_zero;                  // all elements are 0
  std::vector<std::string> how_undetermined;  // for a note; empty if determined
};

// Which NaNs and infinities count if only one of the two modules has them.
enum class Nonfinite {
  kIgnored,
  kWorse,   // `before` has a number and `after` has none, in wide arithmetic and in the modules' own types
  kBoth,    // also the reverse, under the same condition
  kAlways,  // regardless of the modules' own types
};

// Compares two modules on one set of inputs after another. Both must outlive it.
class MeaningComparer {
 public:
  MeaningComparer(ModuleUnderTest& before, ModuleUnderTest& after);
  ~MeaningComparer();
  // Outputs, by number, that are not compared.
  void set_left_out(std::function<bool(size_t)> is_left_out) { is_left_out_ = std::move(is_left_out); }
  // `notes`: also adds notes about sets on which the modules agree.
  Meaning Compare(size_t set, Nonfinite nonfinite, bool notes = true);

  // The following are for explanations.cc and refer to the last difference that Compare found.

  // The modules agree if neither rounds to narrower types.
  bool agree_without_roundings() const { return agree_without_roundings_; }
  // They agree within the rounding errors of constants that only the second module has, and may have folded, or of
  // factors that only the first has, whose product is rounded to 1.
  bool AgreeWithConstantsMoved();
  // They agree if neither module's constants are folded, or if both are folded by the same pass.
  bool AgreeFoldedAlike();
  // They agree except for roundings to narrower types, and the second module's roundings lose no more than the first's.
  bool AgreeWithExcessPrecision();
  // They agree within the rounding error of each constant operation of the first module, if the second has fewer such
  // operations. Cancellation, as in x - mean(x), amplifies such an error.
  bool AgreeWithConstantStepsMoved();

 private:
  struct Variants;

  void NotJudged(const std::string& name, const Status& failed);
  bool HasRun(const StatusOr<Results>& variant);
  // Whether the modules agree in wide arithmetic, with or without roundings to narrower types. Sets the bounds and the
  // comparison; once for a set of inputs.
  bool Agree(bool keep);
  bool FindAgreement(bool keep);
  bool RoundingsShow();
  void ForgetNewJumps(const Results& results, const ErrorBounds& of_before);
  void ForgiveJumps(const Results& results, const ErrorBounds& of_before);
  static bool Jumps(const ErrorBounds& bounds, const Results& results);
  void RecordLeaves();
  void NoteIllConditionedLeaves();
  Comparison CompareWide(const Results& a, const Results& b);
  bool AgreeAs(Variants& variants);
  bool AgreeWithMoved(ModuleUnderTest& subject, const std::unordered_set<double>& values);
  void Say(const std::string& how);

  ModuleUnderTest &before_, &after_;
  bool is_iterative_, compares_nonfinite_, reads_narrow_bits_;
  std::function<bool(size_t)> is_left_out_;
  // The current comparison.
  size_t set_ = 0;
  bool at_limits_ = false;  // the inputs are near f64's limits
  Nonfinite nonfinite_ = Nonfinite::kIgnored;
  ErrorBounds bounds_;
  bool bounds_keep_ = true;  // the bounds include roundings to narrower types
  struct Agreement {
    bool agree;
    ErrorBounds bounds;
    Comparison comparison;
  };
  std::optional<Agreement> known_[2];  // of Agree without and with roundings
  bool agree_without_roundings_ = false;
  bool hidden_ = false;  // they agree with these roundings, and not without
  Status over_limit_ = OkStatus();
  Comparison seen_;
  Meaning meaning_;
  // For all sets.
  std::optional<FoldedConstants> constants_;
  std::unique_ptr<Variants> unfolded_, folded_;
  std::unique_ptr<HloModule> stepwise_;
  std::optional<bool> steps_are_gone_;
};

// Returns a message if rounding alone moves every differing leaf of `subject` by as much as the difference: the results
// of such a module are rounding errors. `name` is the module's name in the message. Empty otherwise. `proved`: the
// leaves are proved equal over the reals, which allows more.
std::string MovedByRoundingAlone(ModuleUnderTest& subject, std::string_view name, size_t set, const Comparison& seen,
                                 bool proved = false);

// Runs passes, which may round, on a copy of the module. Null on failure.
std::unique_ptr<HloModule> AfterPasses(const std::vector<std::string>& passes, const HloModule& module);

}  // namespace hloir::check
