// Equivalence of two modules. Check() proves it where it can; else it runs both on the same inputs and judges the
// distance of the results by the rounding error that each has, measured against the module in wider arithmetic. It runs
// two engines, so that an error of one is not taken for agreement, and modules that communicate on all of their
// devices. `hloir verify`, `opt --check-each` and the tests call it.
//
// Example:
//
//   std::unique_ptr<HloModule> optimized = module.Clone();
//   StatusOr<HloPassPipeline> pipeline = MakePipeline({}, {});
//   if (!pipeline.ok() || !pipeline->RunOnce(*optimized).ok()) return;
//   StatusOr<Verdict> verdict = Check(module, *optimized);  // on inputs that are made up
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

// A kind of made-up values. Integers are small and indices legal where the graph shows what they index. Parameters that
// reach a loop without a counter get plain numbers instead of wide, mixed, special or far ones, which might let it run
// forever.
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
// parameter that no value can be made up for. Indices that the module says are sorted are sorted.
StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module, uint64_t seed, InputKind kind);
// Plain for even seeds, corner cases for odd ones.
StatusOr<std::vector<Literal>> MakeFakeInputs(const HloModule& module, uint64_t seed);

// The arguments of a run, for each device. One element stands for all devices.
struct InputSet {
  std::vector<std::vector<Literal>> devices;
  InputKind kind = InputKind::kPlain;
};
// Made up for each device. Parameters that decide how loops and branches go, or that the module says are replicated,
// have the same value on all devices; others differ.
StatusOr<InputSet> MakeInputSet(const HloModule& module, const DeviceCounts& counts, uint64_t seed, InputKind kind);

// ---- Values ----

// The tolerance of CompareResults. Default: a few units in the last place of a leaf's largest element.
struct Tolerance {
  bool exact = false;    // bit for bit, a NaN being equal to any NaN
  double ulps = -1;      // if not negative: each element (each part of a complex one) within so many of its own units
  double relative = -1;  // if not negative: each within so much of the leaf's largest magnitude
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
  // The element that speaks most against the two: its index, and its two values as text.
  std::string element, a, b;

  // "out0 differs in 3 of 4 elements, by up to …"; "" if it agrees. The names stand for the two results.
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
  kLessAccurate,     // they agree over the real numbers, and the second loses more digits than the first
  kNothingFinite,    // some result is NaN on all inputs, or decided by rounding errors alone; or none is ever finite
  kUnspecified,      // HLO does not specify the results: a reduction's order, an rng's numbers
  kDisagree,         // they compute different things
  kEnginesDisagree,  // one module gives different results on two engines: a bug of an engine
  kNotAsStored,      // they agree, but the results are not the stored ones
};
// "agree, bit for bit", "DISAGREE"
std::string_view OutcomeName(Outcome outcome);

// The strongest statement that holds of an output, or of a module: docs/accuracy.md.
enum class Answer {
  kProvedBitwise,   // equal bits on every input, apart from which NaN
  kProvedReals,     // the same function of the real numbers; the two may round differently
  kProvedAssuming,  // one of these, if Verdict::assumptions hold
  kTested,        // not proved as a whole; what is not agrees, step by step, or the results on all inputs that were run
  kLessAccurate,  // the same function of the real numbers; the second loses more digits than the first
  kDifferent,     // there are inputs on which they differ
  kNotJudged,     // none of these is known; Verdict::reason says why
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
  int64_t run = 0;            // how often it had run before: in a loop, or a computation that is called several times
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
  // The strongest statement that holds of the modules: the weakest of those of their outputs. Engines that disagree
  // leave it kNotJudged.
  Answer answer = Answer::kNotJudged;
  std::vector<OutputAnswer> outputs;
  // The assumptions of a proof; empty if it has none.
  std::vector<std::string> assumptions;
  // Where the modules may differ in NaN or infinity though they agree on finite numbers: steps of a proof, elements
  // that were seen to overflow in one module alone.
  std::vector<std::string> finite_only;
  // Steps of a proof over the reals in which the two round differently: "dot.3 = reduce.7".
  std::vector<std::string> rounds_differently;
  // Pairs of values inside the modules that were proved equal, that were tested by themselves, and that are neither.
  struct Steps {
    int64_t proved = 0, tested = 0, open = 0;
  } steps;
  // The pairs that were tested by themselves: "dot.3 = reduce.7 (model.py:31)". If `steps.open` is 0, the rest is
  // proved; and those that differ on values that occur when the first module runs, where nothing else differs.
  std::vector<std::string> tested_steps, different_steps;
  // Rewrites that are known to change the meaning (docs/equivalence.md). Looked for if the modules differ, or agree
  // only where nothing overflows.
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
  // The explanations by which unequal results agree: names of src/check/explanations.cc, "signed-zero". In order of
  // use.
  std::vector<std::string> explanations;
  // The reason if the outcome is not agreement; else "".
  std::string reason;
  // Further notes: leaves without a finite number, an engine that was not used, results with larger rounding errors.
  std::vector<std::string> notes;
  // Of the inputs that decided the outcome, else of the first.
  Comparison comparison;
  size_t input_set = 0;  // whose comparison it is
  // Over all inputs.
  int64_t differing = 0;
  double largest_relative = 0;
  std::vector<std::string> engines;  // that were asked: "avx2", "reference"
  // Conditions in `before` that no generated input reached: "compare.3 is never true", "clamp.1 never meets its upper
  // end". For modules that the reference runs; `reached` counts those that were reached.
  std::vector<std::string> unreached;
  int64_t reached = 0;
  int64_t devices = 1;
  std::optional<Comparison> stored;  // against the stored results, if there are any
  std::optional<Divergence> divergence;
  Proof proof;  // that they agree on all inputs; if it holds, little was run (see Proofs)
  Timing before, after;
  // One of them is faster in so many of the pairs of runs that it is not noise (see PairedTimes::differ): else their
  // ratio is not to be told.
  bool times_differ = false;

  bool agrees() const { return outcome == Outcome::kSameBits || outcome == Outcome::kAgree; }
  // "agree, bit for bit", "agree where nothing overflows", "DISAGREE"
  std::string Headline() const;
  // That, the reason, the explanations, and a line for each note.
  std::string ToString() const;
};

// Runs a module on each device's arguments: an engine of the caller's own.
using ModuleRunner = std::function<StatusOr<std::vector<Literal>>(
    const HloModule&, std::span<const std::vector<const Literal*>> arguments)>;

// The use of proofs (prove.h).
enum class Proofs {
  kNone,  // none is tried
  // What is proved bit for bit runs on one set of made-up inputs, for the engines' sake; what is proved over the reals
  // on fewer than usual, for accuracy and overflow, or not at all if a run takes more than some seconds or a gigabyte.
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
  // `runner.devices` says 0. Loops that made-up inputs keep from ending stop after max_steps.
  RunnerOptions runner;
  ModuleRunner engine;  // if set: under test in place of hloir's own
  // The limit of the other engine (the reference, if the fast one or the caller's is under test), in operations on
  // elements. A module that takes more runs by the engine under test alone, and a note says so. 0: always.
  int64_t other_engine_work = int64_t{1} << 25;
  Proofs proofs = Proofs::kEnough;
  bool exact = false;       // the results must have equal bits, apart from which NaN
  bool timing = false;      // measure a run of each
  bool divergence = false;  // if they disagree, look for the first instruction that differs
  // The rewriter that made the second module from the first; if the modules disagree, Check names the rule. nullptr:
  // none.
  std::function<const RewriteLog*()> record;
  uint64_t seed = 0;  // of made-up inputs
  // Results of the first module that are known, on the first inputs: each leaf, of one device.
  std::vector<Literal> stored;
  std::string before_name = "before", after_name = "after";
};

// Compares `before` with other modules on the same inputs. Results of `before` are computed once for all comparisons.
class Checker {
 public:
  // Without inputs they are made up from the seed: two sets each of plain ones and edges, one each of corner cases,
  // wide, positive and (where the module tells what these are) typical ones, and more as long as they reach something
  // new in `before`, which must outlive the checker.
  Checker(const HloModule& before, std::vector<InputSet> inputs, CheckOptions options);
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  StatusOr<Verdict> Check(const HloModule& after);
  // From now on the last module that Check() was called with, which must outlive the checker, is `before`.
  void Advance();
  const std::vector<InputSet>& inputs() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

StatusOr<Verdict> Check(const HloModule& before, const HloModule& after, std::vector<InputSet> inputs = {},
                        const CheckOptions& options = {});

// A result against one that was computed elsewhere and rounded in another order, XLA's mostly. For each leaf: 32
// half-units in the last place of its largest element, and for products one for each 4 terms, up to 256; and where the
// module magnifies rounding, 16 times what can be seen of that: how far `result` is from the same module in wider
// arithmetic, and from the results when its inputs and what it computes in between are moved by a unit in their last
// place. `runner` computes these where they are needed, on one device. `stored` is a tuple of leaves, of sizes as they
// turned out.
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
  int64_t guilty = -1;       // the first that changes the meaning, counted from 0; -1: none does
  RewriteLog::Entry record;  // of that one
  std::string reason;        // the difference of the results, or the verifier's error
};

// `optimize` runs the passes with this rewriter; each call must do the same, up to the rewrites that it is allowed.
StatusOr<Bisection> Bisect(const HloModule& module, const std::function<Status(HloModule&, Rewriter&)>& optimize,
                           std::vector<InputSet> inputs = {}, CheckOptions options = {});

}  // namespace hloir
#pragma GCC visibility pop
