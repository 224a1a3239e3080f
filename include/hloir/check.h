// Equivalence of two modules. Check() first tries a proof. Without one, it runs both modules on the same inputs and
// compares the difference of their results with the rounding error of each, measured against the module in wider
// arithmetic. Two engines run the modules, because a bug in one engine could make different modules agree. Modules with
// collectives run on all of their devices. `hloir verify`, `opt --check-each` and the tests call it.
//
// Example:
//
//   std::unique_ptr<HloModule> optimized = module.Clone();
//   StatusOr<HloPassPipeline> pipeline = MakePipeline({}, {});
//   if (!pipeline.ok() || !pipeline->RunOnce(*optimized).ok()) return;
//   StatusOr<Verdict> verdict = Check(module, *optimized);  // on generated inputs
//   if (verdict.ok() && !verdict->agrees()) std::puts(verdict->ToString().c_str());
//
// An error means that there is no verdict: kInvalidArgument if the modules cannot be compared, kUnimplemented or
// kResourceExhausted if one does not run. Functions may be called from any thread; a Checker by one thread at a time.
// Tested by tests/unit/check_test.cc and check_compare_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/prove.h"
#include "hloir/runner.h"
#include "hloir/evaluator.h"
#include "hloir/literal.h"
#include "hloir/module.h"
#include "hloir/pipeline.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

class RewriteLog;

// ---- Inputs ----

// A kind of generated values. Integers are small; indices are in bounds if the graph shows the array they index.
// Parameters that reach a loop without a counter get plain numbers instead of wide, mixed, special or far ones, with
// which the loop might not terminate.
enum class InputKind {
  kPlain,        // numbers around 0, of both signs
  kCornerCases,  // with NaN, infinities, -0, denormals and extremes among them, except where the value reaches a loop
  kPositive,     // numbers between 1/4 and 1
  kEdges,        // few values, so that many are equal: halves and whole numbers around 0, with every other seed / 2 the
                 // module's own constants and their neighbours; integers of both signs; indices at their ends and just
                 // outside
  kWide,         // numbers between 2^-24 and 2^16 of both signs, integers of all sizes
  kMixed,        // each value of another of these kinds, some of them scaled by a power of two, equal throughout or
                 // nearly all 0
  kDominant,     // as kPlain, but the diagonals of square matrices are larger than all else: they have inverses
  kSpecials,     // as kPlain, but in some values NaN, an infinity, -0 or a denormal, of one sort
  kFar,          // as kPlain, but most values are shifted by a power of two: far from 0, and near one another
  kUniform,      // as kEdges, but equal along one dimension of each value, or throughout
  kTypical,      // as kPlain, but weights of dots and convolutions are divided by the root of their fan-in, and what
                 // roots and logarithms are taken of is positive: a deep network keeps its numbers near 1
};
// Values for the entry computation's parameters; the same seed gives the same values everywhere. Unimplemented for a
// parameter of a type without values. Indices that the module declares as sorted (indices_are_sorted) are sorted.
StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module, uint64_t seed, InputKind kind);
// Plain for even seeds, corner cases for odd ones.
StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module, uint64_t seed);

// The arguments of a run, for each device. One element stands for all devices.
struct InputSet {
  std::vector<std::vector<Literal>> devices;
  InputKind kind = InputKind::kPlain;
};
// Generated arguments for each device. Parameters that control loops and branches, and parameters that the module
// declares as replicated, have the same value on all devices; others differ.
StatusOr<InputSet> MakeInputSet(const HloModule& module, const DeviceCounts& counts, uint64_t seed, InputKind kind);

// ---- Values ----

// The tolerance of CompareResults. Default: a few units in the last place of a leaf's largest element.
struct Tolerance {
  bool exact = false;    // bit for bit, a NaN being equal to any NaN
  double ulps = -1;      // if not negative: tolerance of each element (each part of a complex one) in units in its last
                         // place
  double relative = -1;  // if not negative: tolerance of each element relative to the leaf's largest magnitude
};

// The difference of one leaf of two results. "a" is the first result, "b" the second.
struct LeafDifference {
  std::string where;       // "out0", "device3.out0"
  bool comparable = true;  // both have the same type and dimensions
  int64_t differing = 0;   // elements that are not bitwise equal (NaNs count as equal to each other)
  int64_t total = 0;
  int64_t finite = 0;           // elements that are finite in both; of integers all
  int64_t nonfinite = 0;        // elements that are NaN, or the same infinity, in one alone
  double max_absolute = 0;      // largest |a - b| of finite elements
  double max_relative = 0;      // that over the leaf's largest magnitude
  double allowed_relative = 0;  // the rounding error that the two modules really have
  bool agrees = true;
  // The element with the largest difference relative to the tolerance: its index, and its two values as text.
  std::string element, a, b;

  // "out0 differs in 3 of 4 elements, by up to …"; "" if the leaf agrees. The arguments name the two results.
  std::string ToString(const std::string& a_name = "before", const std::string& b_name = "after") const;
};

// Two results compared, leaf by leaf.
struct Comparison {
  bool agree = true;
  std::vector<LeafDifference> leaves;
  int64_t differing() const;  // elements, of all leaves; 0: the results are bit for bit the same
  double max_absolute() const;
  double max_relative() const;
  // A description of the first leaf that does not agree; "" if all agree.
  std::string ToString(const std::string& a_name = "before", const std::string& b_name = "after") const;
};

// Compares two values leaf by leaf. 64-bit integers are compared as such.
Comparison CompareResults(const Literal& a, const Literal& b, const Tolerance& tolerance = {});

// A value in a line: "f32[2,3] min -1 max 2.5 mean 0.25 zeros 1 nan 2 inf 0"; a scalar's value.
std::string ValueSummary(const Literal& value);

// ---- The verdict ----

enum class Outcome {
  kSameBits,         // the modules agree, bit for bit
  kAgree,            // they agree as far as rounding explains
  kLessAccurate,     // equal over the real numbers; the second has larger rounding errors than the first
  kNothingFinite,    // some result is NaN on all inputs or consists of rounding errors; or no result is ever finite
  kUnspecified,      // HLO does not specify the results: a reduction's order, an rng's numbers
  kDisagree,         // they compute different things
  kEnginesDisagree,  // one module gives different results on two engines: a bug in one of them
  kNotAsStored,      // they agree, but differ from the stored results
};
// "agree, bit for bit", "DISAGREE"
std::string_view OutcomeName(Outcome outcome);

// The strongest property that holds for an output or a module; see docs/accuracy.md.
enum class Answer {
  kProvedBitwise,   // equal bits on every input, apart from which NaN
  kProvedReals,     // the same function of the real numbers; the two may round differently
  kProvedAssuming,  // one of these, if Verdict::assumptions hold
  kTested,          // no proof as a whole; open steps agree one by one, or the results on all inputs that were run
  kLessAccurate,    // the same function of the real numbers; the second has larger rounding errors
  kDifferent,       // there are inputs on which they differ
  kNotJudged,       // none of these is known; Verdict::reason says why
};
// "proved-bitwise", "tested", "not-judged", …
std::string_view AnswerName(Answer answer);

// The verdict on one leaf of the result.
struct OutputAnswer {
  std::string where;  // "out0"
  Answer answer = Answer::kNotJudged;
};

// The first divergent instruction: its values differ from those of its partner in the other module, while all its
// operands that have partners have equal values.
struct Divergence {
  std::string instruction;  // of the first module
  std::string partner;      // of the second
  // Partners were found by structure, because their names do not match.
  bool by_structure = false;
  int64_t run = 0;            // the number of its earlier executions, in a loop or in a computation called several
                              // times
  std::string before, after;  // its values, as ValueSummary gives them
  // An operand, and its value.
  struct Operand {
    std::string name, value;
  };
  std::vector<Operand> operands, partner_operands;
  std::string text, partner_text;  // the instructions, as HLO text
  // "algebraic-simplifier/add-zero: A + 0 => A": the rewrite that made the partner or an instruction that it depends
  // on; "" if no record has it.
  std::string rule;

  // "first divergence: multiply.3 (before: …, after: …)"
  std::string ToString(const std::string& a_name = "before", const std::string& b_name = "after") const;
  // The same with the instructions, their operands' values and the rule, a line each.
  std::string Details(const std::string& a_name = "before", const std::string& b_name = "after") const;
};

// Run times in milliseconds, over several runs.
struct Timing {
  int runs = 0;  // 0: it was not measured
  double median = 0;
  double low = 0, high = 0;  // the quartiles
};

// The result of Check.
struct Verdict {
  Outcome outcome = Outcome::kSameBits;
  // The strongest property that holds for the modules: the weakest one of their outputs. kNotJudged if the engines
  // disagree.
  Answer answer = Answer::kNotJudged;
  std::vector<OutputAnswer> outputs;
  // The assumptions of a proof; empty if it has none.
  std::vector<std::string> assumptions;
  // Places where the modules may differ in NaN or infinity although they agree on finite numbers: steps of a proof, and
  // elements that overflowed in only one module.
  std::vector<std::string> finite_only;
  // Steps of a proof over the reals in which the two round differently: "dot.3 = reduce.7".
  std::vector<std::string> rounds_differently;
  // Numbers of pairs of intermediate values: proved equal, tested separately, and neither.
  struct Steps {
    int64_t proved = 0, tested = 0, open = 0;
  } steps;
  // The pairs that were tested separately: "dot.3 = reduce.7 (model.py:31)". If `steps.open` is 0, all others are
  // proved. And the pairs that differ on values of a run of the first module, if nothing else differs.
  std::vector<std::string> tested_steps, different_steps;
  // Of a program and its partitioned form, if they are not proved equal: the first value on the devices that is neither
  // a shard nor a partial result of a value of the whole program, and from which no such value is made. If the results
  // differ, it is the first wrong step.
  struct OpenStep {
    std::string device, whole;                // instructions; `whole` is "" if it is not known whose part the step is
    std::string device_source, whole_source;  // "model.py:31"; "" without metadata
    std::string partial, partial_source;      // a partial result that the step takes for the whole; or ""
    std::string text;  // "tanh.1, of tanh.4 (model.py:32), made from dot.3 (model.py:31), a partial result"
  };
  std::optional<OpenStep> first_open;
  // Known rewrites that change the meaning (docs/equivalence.md). Searched for if the modules differ, or agree only
  // without overflow.
  struct Fault {
    std::string name;           // "predicate-product"
    std::string what;           // "x * convert(p) became select(p, x, 0), which loses NaN"
    std::string before, after;  // instructions
    std::string issue;          // a public one: "openxla/xla#42732"; "" if none is known
    // In a line.
    std::string ToString() const;
  };
  std::vector<Fault> faults;
  // The number of sets of inputs on which the modules were compared.
  int64_t input_sets = 0;
  // The explanations accepted for unequal results, in order of use, by their names in src/check/explanations.cc
  // ("signed-zero").
  std::vector<std::string> explanations;
  // The reason if the outcome is not agreement; else "".
  std::string reason;
  // Further notes: leaves without a finite number, an engine that did not run, results with larger rounding errors.
  std::vector<std::string> notes;
  // For the inputs that decided the outcome; otherwise for the first ones.
  Comparison comparison;
  size_t input_set = 0;  // whose comparison it is
  // Over all inputs.
  int64_t differing = 0;
  double largest_relative = 0;
  std::vector<std::string> engines;  // that were asked: "avx2", "reference"
  // Conditions in `before` that no generated input reached: "compare.3 is never true", "clamp.1 never reaches its
  // upper bound". Only for modules that the reference runs. `reached` counts the conditions that were reached.
  std::vector<std::string> unreached;
  int64_t reached = 0;
  int64_t devices = 1;
  std::optional<Comparison> stored;  // against the stored results, if there are any
  std::optional<Divergence> divergence;
  Proof proof;  // that the modules agree on all inputs; if it holds, few inputs were run (see Proofs)
  Timing before, after;
  // The difference in speed is statistically significant (see PairedTimes::differ); otherwise their ratio is not
  // reported.
  bool times_differ = false;

  bool agrees() const { return outcome == Outcome::kSameBits || outcome == Outcome::kAgree; }
  // "agree, bit for bit", "agree where nothing overflows", "DISAGREE"
  std::string Headline() const;
  // The outcome, the reason, the explanations, and a line for each note.
  std::string ToString() const;
};

// An engine provided by the caller: runs a module on each device's arguments.
using ModuleRunner = std::function<StatusOr<std::vector<Literal>>(
    const HloModule&, std::span<const std::vector<const Literal*>> arguments)>;

// The use of proofs (prove.h).
enum class Proofs {
  kNone,  // none is tried
  // Modules proved equal bit for bit run on one set of generated inputs, to compare the engines. Modules proved equal
  // over the reals run on fewer sets than others, to compare accuracy and overflow, or not at all if a run takes more
  // than some seconds or a gigabyte.
  kEnough,
  kAlso,  // what is proved runs as if it were not
};

// Effort of Check, and its criteria for agreement.
struct CheckOptions {
  CheckOptions() {
    runner.max_steps = int64_t{1} << 28, runner.devices = {0, 0};
    runner.unknown_calls = UnknownCalls::kUninterpreted;
  }
  // The engine under test; it also runs the modules in wider arithmetic. Devices are counted from the first module if
  // `runner.devices` says 0. Endless loops stop after max_steps, to which one run of each instruction is added; those
  // of the second module alone after a multiple of the steps of the first.
  RunnerOptions runner;
  ModuleRunner engine;  // if set: under test in place of hloir's own
  // The limit of the other engine (the reference, if the fast one or the caller's is under test), in operations on
  // elements. For a module that takes more, only the engine under test runs, and a note says so. 0: the other engine
  // always runs.
  int64_t other_engine_work = int64_t{1} << 25;
  Proofs proofs = Proofs::kEnough;
  bool exact = false;       // the results must have equal bits, apart from which NaN
  bool timing = false;      // measure a run of each
  bool divergence = false;  // if they disagree, find the first instruction that differs
  // The rewriter that made the second module from the first; if the modules disagree, Check reports its rule. May be
  // nullptr.
  std::function<const RewriteLog*()> record;
  uint64_t seed = 0;  // of made-up inputs
  // Known results of the first module on the first inputs: each leaf, for one device.
  std::vector<Literal> stored;
  std::string before_name = "before", after_name = "after";
};

// Compares `before` with other modules on the same inputs. Results of `before` are computed once for all comparisons.
class Checker {
 public:
  // Without inputs, they are generated from the seed: two sets each of plain ones and edges; one set each of corner
  // cases, wide, positive and, where the module determines them, typical ones; and further sets while they reach new
  // conditions in `before`. `before` must outlive the checker.
  Checker(const HloModule& before, std::vector<InputSet> inputs, CheckOptions options);
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  StatusOr<Verdict> Check(const HloModule& after);
  // Makes the module of the last Check() the new `before`. It must outlive the checker.
  void Advance();
  const std::vector<InputSet>& inputs() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

StatusOr<Verdict> Check(const HloModule& before, const HloModule& after, std::vector<InputSet> inputs = {},
                        const CheckOptions& options = {});

// Compares a result with one from another implementation, usually XLA, that rounds in another order. The tolerance of
// each leaf is 32 half-units in the last place of its largest element, and for products one for each 4 terms, up to
// 256. If the module magnifies rounding errors, the tolerance is 16 times the observed magnification: the distance of
// `result` from the same module in wider arithmetic, and from the results with inputs and intermediate values perturbed
// by a unit in their last place. `runner` computes these on demand, on one device. `stored` is a tuple of leaves with
// their actual sizes.
Comparison CompareWithStored(const HloModule& module, const Literal& result, const Literal& stored,
                             std::span<const Literal* const> inputs, const ModuleRunner& runner);

// CheckEach finds the first pass that changes the results of a module, Bisect the single rewrite: `opt --check-each`
// and `opt --bisect`. Both compare modules by Check.
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

// Compares the module after each pass that changes it with the module before the pass; an error names the first pass
// that changed results.
class CheckEach {
 public:
  // Without inputs they are made up, as by Checker.
  CheckEach(const HloModule& module, std::vector<InputSet> inputs, CheckOptions options);
  // For PipelineOptions::after.
  Status AfterPass(const PassEvent& event, const HloModule& module);
  // True if the error of AfterPass was a disagreement, false if a module could not be run.
  bool disagreed() const { return disagreed_; }

 private:
  std::unique_ptr<HloModule> before_;
  Checker checker_;
  bool disagreed_ = false;
};

// The result of Bisect.
struct Bisection {
  int64_t rewrites = 0;      // that the whole run makes
  int64_t guilty = -1;       // the first rewrite that changes the meaning, counted from 0; -1: none
  RewriteLog::Entry record;  // of that one
  std::string reason;        // the difference of the results, or the verifier's error
};

// `optimize` runs the passes with this rewriter. It must be deterministic except for the rewrites that are allowed.
StatusOr<Bisection> Bisect(const HloModule& module, const std::function<Status(HloModule&, Rewriter&)>& optimize,
                           std::vector<InputSet> inputs = {}, CheckOptions options = {});

}  // namespace hloir
#pragma GCC visibility pop
