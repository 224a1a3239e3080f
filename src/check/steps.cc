// See steps.h. Candidate pairs have nearly equal values in a run of both modules, the same name or origin, or are
// results. The first tests are of values whose operands wait for no other test, so that all steps that differ whatever
// the others are, the roots, are known before the proof that assumes them equal. A differing pair does not end the
// search: a compiler may compute intermediate values differently and equal values later. A differing pair therefore
// becomes part of the cones of its users.
#include "check/steps.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <set>
#include <utility>

#include "check/compare.h"
#include "check/extremes.h"
#include "check/meaning.h"
#include "check/prove_first.h"
#include "check/step_graph.h"
#include "hloir/analysis.h"
#include "support/format.h"

namespace hloir::check {
namespace {

using Pair = StepGraph::Pair;
using Step = StepGraph::Step;

constexpr int kMostRounds = 32;                    // proofs
constexpr int kMostTests = 96;                     // tested pairs
constexpr size_t kMostKinds = 64;                  // differing steps, whose repetitions are not tested
constexpr size_t kMostDiffering = 12;              // differing pairs, after which the search ends
constexpr int kMostDifferences = 24;               // proofs with differing pairs taken for equal,
constexpr size_t kMostProved = 1 << 15;            // and nodes of all of them, of which one is always made
constexpr int kMostSearches = 8;                   // for inputs that show a difference of made-up values
constexpr int kDeepest = 3;                        // extensions of a cone beyond the nearest proved pairs
constexpr int64_t kMostValues = int64_t{1} << 27;  // bytes of a run's values

// A summary that is robust against rounding.
struct Signature {
  double sum = 0, size = 0;
  int64_t nonfinite = 0;
  // Apart by no more than this part of its size.
  bool IsWithin(double part, const Signature& other) const {
    return nonfinite == other.nonfinite && std::abs(size - other.size) <= part * size &&
           std::abs(sum - other.sum) <= part * size;
  }
};
Signature SignatureOf(const Literal& value) {
  Signature s;
  uint64_t state = 1;
  for (int64_t i = 0; i < value.element_count(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double weight = 0.5 + std::ldexp(static_cast<double>(state >> 11), -53);
    const std::complex<double> z = value.GetAsComplex(i);
    const double x = z.real() + 0.618 * z.imag();
    if (!std::isfinite(x)) ++s.nonfinite;
    else s.sum += weight * x, s.size += std::abs(x);
  }
  return s;
}

// A constant that is added to a large value shows once the value is small.
void ScaleDown(Literal& value) {
  constexpr double kScale = 0x1p-6;
  if (!IsFloat(value.shape().element_type())) return;
  for (int64_t i = 0; i < value.element_count(); ++i) value.SetFromDouble(i, kScale * value.GetAsDouble(i));
}

class StepTester {
 public:
  StepTester(const HloModule& before, const HloModule& after, const ParameterUses& uses, const Context& context,
             bool exactly)
      : before_(before),
        after_(after),
        uses_(uses),
        context_(context),
        exactly_(exactly),
        runs_{context.options, {}, {}} {
    CheckOptions& options = runs_.options;
    options.proofs = Proofs::kNone;
    options.exact = options.timing = options.divergence = false;
    options.engine = nullptr;
    options.record = nullptr;
    options.stored.clear();
  }
  StepTests Test(equivalence::Result proof);

 private:
  // kNonfinite: the step differs in NaN and infinities alone.
  enum class Found { kAgree, kDiffer, kDifferWhenMadeUp, kNonfinite, kUnknown };
  struct Tried {
    Pair pair;
    std::string text;
    Found found;
    std::string how;
    std::optional<size_t> set = {};  // of the runs: it differs on values of this one
    bool narrows = false;            // it differs in roundings to narrower types alone
  };

  equivalence::Result Prove(const std::vector<Pair>& assumed) const {
    if (exactly_) return equivalence::ProveExactly(before_, after_, assumed);
    return equivalence::ProveInside(before_, after_,
                                    {.try_bits = false, .nodes = true, .gives_up = gives_up_, .assumed = assumed});
  }
  // Runs `before`, and `after` once, for the values that are not proved.
  void RunWhole();
  bool AddValues(InputSet set, bool after_too);
  void DropValues() { values_.pop_back(), runs_.inputs.pop_back(); }
  std::vector<int32_t> CandidatesFor(int32_t k) const;
  struct Judged {
    Found found = Found::kUnknown;
    std::string how = "";
    bool excess_precision = false;  // roundings to narrower types explain what differs
    bool narrows = false;           // it differs in roundings to narrower types alone
    double relative = 0;  // the largest difference, relative to the element; infinite if an element is not finite
    size_t set = 0;       // the first of the sets on which they differ
  };
  Judged Judge(const HloModule& x, const HloModule& y, std::vector<InputSet> inputs) const;
  std::vector<InputSet> Occurring(const std::vector<int32_t>& cut, size_t first) const;
  // A pair inside the cones whose second value has roundings that its first value does not have.
  const Tried* RoundedInside(Pair pair, const Step& step) const;
  // Whether a difference shows only that the values at the cut are rounded: one cone uses a value that the other makes
  // from others of the cut, which differs by a rounding. It grows as the values are moved; that of two functions stays.
  // Or the value stands for another one of the module that is equal to it over the reals, and cancellation makes them
  // differ by more: then the cone of `before` does not give the number that the module gives.
  bool IsOfRoundedCut(Pair pair, const Step& step, const Judged& seen) const;
  // Sets the members of `test` that say how the pair differs.
  Found TestPair(Tried& test);
  // Searches for module inputs that reach a difference which random values at the cut have shown.
  void Reach(Pair pair, std::string& how);
  // Tests a node of `after` against its candidates until one agrees, and assumes that one. Returns whether one agreed.
  bool TestNode(int32_t k);
  bool AreResults(Pair pair) const;
  // A root with the same cones, or null.
  const Tried* Repeated(Pair pair) const;
  // Tests the values that are behind no differing pair, and makes the proof that assumes the roots.
  bool TestFrontier();
  // Tests values behind differing pairs. Users of the assumed pairs from place `known` wait for the next proof.
  bool TestBehind(size_t known);
  // Tests values behind one root and no other, until one root's values all differ.
  bool TestBehindRoots();
  bool TestOpen();
  std::vector<int32_t> RootsOf(const Nodes& nodes, bool after) const;
  std::vector<Tried> NeededRoots() const;
  bool AssumeDoubtful();
  equivalence::Result ProveWith(const std::vector<Tried>& tests) const;
  void FindDifferent();
  void Assume(const Tried& test) {
    assumed_.push_back(test.pair);
    tests_.tested.push_back(test.text);
    if (!test.how.empty()) tests_.doubtful.push_back(Format("{}: {}", test.text, test.how));
  }

  const HloModule &before_, &after_;
  const ParameterUses& uses_;
  const Context& context_;
  const bool exactly_;  // proves by ProveExactly, tests the first candidates, and ends with the first step that agrees
  Context runs_;        // of both modules, with the sets of inputs of `values_`, and the options of steps
  StepTests tests_;
  std::vector<Pair> assumed_;
  std::vector<Tried> differing_;
  std::vector<Tried> roots_;                     // differing pairs behind no other
  std::optional<equivalence::Result> of_roots_;  // the proof that assumes them
  std::vector<std::pair<Tried, Step>> kinds_;    // the roots that are no repetitions
  std::map<Pair, Tried> tried_;
  StepGraph graph_;  // of the last proof
  // Values of the runs, by node.
  struct Flat {
    std::unique_ptr<HloModule> module;  // computes the wanted values
    std::unique_ptr<ModuleUnderTest> runs;
  };
  Flat flat_a_;
  std::vector<int32_t> wanted_a_, wanted_b_;
  std::vector<std::map<int32_t, Literal>> values_;  // values of `before` on each of these sets
  std::map<int32_t, Signature> signatures_a_, signatures_b_;
  bool gives_up_ = false;       // as the first proof did
  bool roots_are_all_ = false;  // the modules are proved equal if the roots are assumed equal
  bool persists_ = false;       // a result, or what is made from one root alone, was found to differ
  bool assumes_roots_ = false;  // the last proof took differing pairs for equal
  int tests_made_ = 0, searches_ = 0;
};

void StepTester::RunWhole() {
  if (SizeOfRuns(before_, after_) == RunSize::kTooLarge) return;
  const auto wanted = [&](const Nodes& nodes, const std::vector<bool>& closed, const std::vector<int32_t>& results) {
    const std::vector<bool> computable = ComputableOf(nodes);
    // Values that are not proved, and values at which cones may be cut.
    std::vector<int> reach(nodes.size(), 0);
    for (int32_t k : results) reach[static_cast<size_t>(k)] = 1;
    for (size_t k = nodes.size(); k-- > 0;) {
      if (!graph_.IsShared(nodes[k])) reach[k] = kDeepest + 2;
      for (int32_t o : nodes[k].operands)
        if (o >= 0) reach[static_cast<size_t>(o)] = std::max(reach[static_cast<size_t>(o)], reach[k] - 1);
    }
    std::vector<int32_t> all;
    int64_t bytes = 0;
    for (size_t k = 0; k < nodes.size(); ++k) {
      const HloInstruction& i = *nodes[k].instruction;
      if (reach[k] <= 0 || closed[k] || !computable[k] || i.IsParameter() || !i.shape().IsArray()) continue;
      if ((bytes += i.shape().ByteSize()) > kMostValues) break;  // the first steps are tested first
      all.push_back(static_cast<int32_t>(k));
    }
    return all;
  };
  wanted_a_ = wanted(graph_.a, graph_.closed_a, graph_.results_a),
  wanted_b_ = wanted(graph_.b, graph_.closed_b, graph_.results_b);
  for (const InputSet& set : context_.inputs) {
    if (values_.size() < 3 && !AddValues(set, values_.empty())) return;
  }
  if (!context_.inputs.empty()) return;
  for (const InputKind kind : {InputKind::kTypical, InputKind::kPlain, InputKind::kPositive}) {
    StatusOr<InputSet> made = MakeInputSet(before_, uses_, {}, context_.options.seed + 300, kind);
    if (!made.ok() || !AddValues(*std::move(made), values_.empty())) return;
    if (kind != InputKind::kTypical) continue;
    InputSet small = runs_.inputs.back();
    for (Literal& value : small.devices[0]) ScaleDown(value);
    if (!AddValues(std::move(small), /*after_too=*/false)) return;
  }
}

// Adds the values of one more set of inputs.
bool StepTester::AddValues(InputSet set, bool after_too) {
  const size_t last = values_.size();
  runs_.inputs.push_back(std::move(set));
  values_.emplace_back();
  const auto run = [&](const Nodes& nodes, const std::vector<int32_t>& wanted, Flat& flat,
                       std::map<int32_t, Literal>& values) {
    std::vector<int32_t> parameters;
    for (size_t k = 0; k < nodes.size() && nodes[k].instruction->IsParameter(); ++k)
      parameters.push_back(static_cast<int32_t>(k));
    for (size_t k = 0; k < parameters.size(); ++k) values[parameters[k]] = runs_.inputs[last].devices[0][k];
    if (wanted.empty()) return true;
    if (!flat.module) {
      flat.module = MakeCone(nodes, wanted, parameters, nodes.size());
      if (!flat.module) return false;
      if (&flat == &flat_a_) runs_.first = flat.module.get();
      flat.runs = std::make_unique<ModuleUnderTest>(*flat.module, runs_);
    }
    const StatusOr<Results>& results = flat.runs->Result(last);
    if (results.ok()) {
      const std::vector<const Literal*> leaves = (*results)[0].Leaves();
      for (size_t k = 0; k < wanted.size(); ++k) values[wanted[k]] = *leaves[k];
    }
    const bool ran = results.ok();
    flat.runs->Forget(last);
    return ran;
  };
  if (!run(graph_.a, wanted_a_, flat_a_, values_[last])) {
    DropValues();
    return false;
  }
  std::map<int32_t, Literal> of_b;
  Flat flat_b;
  if (after_too && run(graph_.b, wanted_b_, flat_b, of_b)) {
    for (const auto& [k, value] : values_[last]) {
      if (value.shape().IsArray()) signatures_a_[k] = SignatureOf(value);
    }
    for (const auto& [k, value] : of_b) {
      if (value.shape().IsArray()) signatures_b_[k] = SignatureOf(value);
    }
  }
  return true;
}

// Candidates in the order of preference.
std::vector<int32_t> StepTester::CandidatesFor(int32_t k) const {
  constexpr size_t kMost = 3;
  constexpr double kNear = 1e-4, kAlike = 1.0 / 64;
  const HloInstruction& b = *graph_.b[static_cast<size_t>(k)].instruction;
  std::vector<std::pair<int, int32_t>> all;
  const auto of_b = signatures_b_.find(k);
  const bool has_origin = b.metadata() != nullptr && !b.metadata()->op_name.empty();
  std::vector<int32_t> as_results;  // what `before` returns where `after` returns this value
  for (size_t r = 0; r < std::min(graph_.results_a.size(), graph_.results_b.size()); ++r)
    if (graph_.results_b[r] == k) as_results.push_back(graph_.results_a[r]);
  const auto is_result = [&](int32_t index) {
    return std::find(as_results.begin(), as_results.end(), index) != as_results.end();
  };
  const auto alike = graph_.open_a.find(b.shape().ToString(/*with_layout=*/false));
  std::vector<int32_t> indices = alike == graph_.open_a.end() ? std::vector<int32_t>() : alike->second;
  // `after` may compute more from a value that both modules have, and return that.
  for (int32_t index : as_results)
    if (graph_.IsShared(graph_.a[static_cast<size_t>(index)])) indices.push_back(index);
  for (int32_t index : indices) {
    const HloInstruction& a = *graph_.a[static_cast<size_t>(index)].instruction;
    if (!a.shape().Compatible(b.shape())) continue;
    const auto of_a = signatures_a_.find(index);
    const bool both = of_a != signatures_a_.end() && of_b != signatures_b_.end();
    const bool named = a.name() == b.name(), same = a.opcode() == b.opcode();
    const bool near = both && of_a->second.IsWithin(kNear, of_b->second);
    const bool alike = both && same && of_a->second.IsWithin(kAlike, of_b->second);
    const bool origin = has_origin && a.metadata() != nullptr && a.metadata()->op_name == b.metadata()->op_name;
    const bool result = is_result(index);
    const bool of_equals =
        same && graph_.AreOfEqualOperands(graph_.a[static_cast<size_t>(index)], graph_.b[static_cast<size_t>(k)]);
    const bool shares =
        same && graph_.SharesOperand(graph_.a[static_cast<size_t>(index)], graph_.b[static_cast<size_t>(k)]);
    if (!near && !of_equals && !alike && !named && !shares && !(origin && same) && !result) continue;
    const bool first = near || of_equals, second = first || alike || shares;
    all.emplace_back(32 * !first + 16 * !second + 8 * !(named || result) + 4 * !shares + 2 * !origin + !same, index);
  }
  std::sort(all.begin(), all.end());
  std::vector<int32_t> best;
  for (size_t n = 0; n < std::min(kMost, all.size()); ++n) best.push_back(all[n].second);
  return best;
}

StepTester::Judged StepTester::Judge(const HloModule& x, const HloModule& y, std::vector<InputSet> inputs) const {
  const StatusOr<Verdict> verdict = hloir::Check(x, y, std::move(inputs), runs_.options);
  Judged judged;
  if (!verdict.ok()) return judged;
  const std::vector<std::string>& rows = verdict->explanations;
  judged.excess_precision = std::find(rows.begin(), rows.end(), "excess-precision") != rows.end();
  const Outcome outcome = verdict->outcome;
  // A rounding to a narrower type may be a part of a step that rounds as often as the other module's.
  judged.narrows =
      outcome == Outcome::kLessAccurate && std::find(rows.begin(), rows.end(), "narrower-steps") != rows.end();
  if (outcome == Outcome::kDisagree || judged.narrows) {
    const Comparison& seen = verdict->comparison;
    judged.found = DiffersInNonfiniteAlone(seen) ? Found::kNonfinite : Found::kDiffer;
    judged.how = verdict->reason;
    for (const LeafDifference& leaf : seen.leaves)
      judged.relative = std::max(judged.relative, leaf.nonfinite > 0 ? HUGE_VAL : leaf.max_relative);
    judged.set = verdict->input_set;
  } else if (outcome == Outcome::kLessAccurate) {
    judged.found = Found::kAgree, judged.how = verdict->reason;
  } else if (verdict->agrees()) {
    judged.found = verdict->answer == Answer::kNotJudged ? Found::kUnknown : Found::kAgree;
  }
  return judged;
}

// The values at a cut in the runs of `before`.
std::vector<InputSet> StepTester::Occurring(const std::vector<int32_t>& cut, size_t first) const {
  std::vector<InputSet> sets;
  if (cut.empty()) return {{.devices = {{}}}};
  for (size_t set = first; set < values_.size(); ++set) {
    InputSet made;
    made.kind = runs_.inputs[set].kind;
    made.devices.emplace_back();
    for (int32_t k : cut) {
      const auto found = values_[set].find(k);
      if (found == values_[set].end()) return {};
      made.devices[0].push_back(found->second);
    }
    sets.push_back(std::move(made));
  }
  return sets;
}

const StepTester::Tried* StepTester::RoundedInside(Pair pair, const Step& step) const {
  for (const Tried& test : differing_) {
    if (test.found != Found::kDiffer || !graph_.Reads(false, pair.first, step.cut, test.pair.first) ||
        !graph_.Reads(true, pair.second, step.cut, test.pair.second))
      continue;
    const std::optional<Step> inner = graph_.MakeStep(test.pair, 0);
    if (!inner) continue;
    const Context context{runs_.options, {}, Occurring(inner->cut, 0), inner->before.get()};
    ModuleUnderTest x(*inner->before, context), y(*inner->after, context);
    MeaningComparer meaning(x, y);
    for (size_t set = 0; set < context.inputs.size(); ++set)
      if (!meaning.Compare(set, Nonfinite::kIgnored).agree && meaning.agree_without_roundings()) return &test;
  }
  return nullptr;
}

bool StepTester::IsOfRoundedCut(Pair pair, const Step& step, const Judged& seen) const {
  constexpr double kUnits = 64, kGrowth = 8;
  const PrimitiveType type = step.before->entry_computation()->root()->shape().element_type();
  std::vector<InputSet> sets = Occurring(step.cut, 0);
  if (seen.set >= sets.size()) return false;
  if (const auto own = values_[seen.set].find(pair.first); own != values_[seen.set].end()) {
    const Context context{runs_.options, {}, sets, step.before.get()};
    ModuleUnderTest cone(*step.before, context);
    const StatusOr<Results>& results = cone.Result(seen.set);
    if (results.ok() && 2 * Compare((*results)[0], own->second, {}, {}).leaves[0].max_relative > seen.relative)
      return true;
  }
  if (seen.relative > thresholds::kFewUlps * RelativeUlp(type)) return false;
  InputSet moved = std::move(sets[seen.set]);
  bool any = false;
  for (size_t k = 0; k < step.cut.size(); ++k) {
    Literal& value = moved.devices[0][k];
    const PrimitiveType of = value.shape().element_type();
    if (graph_.a[static_cast<size_t>(step.cut[k])].instruction->IsParameter() || !IsFloat(of)) continue;
    Literal factors(value.shape());
    FillWithNearlyOne(factors, k, kUnits);
    for (int64_t i = 0; i < value.element_count(); ++i)
      value.SetFromDouble(i, value.GetAsDouble(i) * factors.GetAsDouble(i));
    any = true;
  }
  if (!any) return false;
  sets.clear();
  sets.push_back(std::move(moved));
  const Judged judged = Judge(*step.before, *step.after, std::move(sets));
  return judged.found == Found::kDiffer && judged.relative > kGrowth * seen.relative;
}

StepTester::Found StepTester::TestPair(Tried& test) {
  const Pair pair = test.pair;
  std::string& how = test.how;
  Found found = Found::kUnknown;
  // Once the roots account for all differences, the cones of its users are not extended: they show whether the
  // difference persists.
  for (int deeper = 0; deeper <= (roots_are_all_ ? 0 : kDeepest); ++deeper) {
    const std::optional<Step> step = graph_.MakeStep(pair, deeper);
    if (!step || SizeOfRuns(*step->before, *step->after) == RunSize::kTooLarge) break;
    const HloModule &x = *step->before, &y = *step->after;
    // Loops may run long.
    const bool loops = HasLoops(x) || HasLoops(y);
    if (loops && deeper > 0) break;
    if (!step->cut.empty()) tests_made_ += loops ? kMostTests / 6 : 1;
    std::vector<InputSet> occurring = Occurring(step->cut, 0);
    const Judged seen = occurring.empty() ? Judged() : Judge(x, y, std::move(occurring));
    how = seen.how, test.narrows = seen.narrows;
    if (seen.found == Found::kDiffer && !step->cut.empty()) test.set = seen.set;
    if (seen.found == Found::kDiffer && IsOfRoundedCut(pair, *step, seen)) continue;
    if (seen.found == Found::kDiffer || step->cut.empty()) return seen.found;
    const Judged made_up = Judge(x, y, {});
    if (made_up.found == Found::kAgree || (made_up.found == Found::kUnknown && seen.found == Found::kAgree)) {
      // A rounding that both modules have hides one before it that only the second has.
      const bool excess_precision = seen.excess_precision || made_up.excess_precision;
      if (const Tried* inside = excess_precision ? RoundedInside(pair, *step) : nullptr) {
        how = inside->how, test.narrows = inside->narrows;
        return Found::kDiffer;
      }
      // Values that larger cones have not met may occur.
      std::string reached;
      if (found == Found::kDifferWhenMadeUp) Reach(pair, reached);
      if (how.empty()) how = made_up.how;
      return Found::kAgree;
    }
    if (made_up.found == Found::kUnknown) break;
    how = made_up.how, test.narrows = made_up.narrows;
    const bool of_parameters = std::all_of(step->cut.begin(), step->cut.end(), [&](int32_t k) {
      return graph_.a[static_cast<size_t>(k)].instruction->IsParameter();
    });
    // Generated parameters may have any value. Runs of the whole modules decide about given inputs, and about NaN and
    // infinities, which some inputs exclude.
    if (of_parameters)
      return made_up.found == Found::kDiffer && context_.inputs.empty() ? Found::kDiffer : Found::kUnknown;
    if (seen.found == Found::kAgree) found = Found::kDifferWhenMadeUp;
  }
  return found;
}

void StepTester::Reach(Pair pair, std::string& how) {
  if (!context_.inputs.empty() || ++searches_ > kMostSearches) return;
  const std::optional<Step> step = graph_.MakeStep(pair, 0);
  if (!step) return;
  constexpr uint64_t kSetsOfAKind = 4;
  constexpr InputKind kKinds[] = {InputKind::kEdges, InputKind::kWide,    InputKind::kFar,
                                  InputKind::kMixed, InputKind::kUniform, InputKind::kSpecials};
  for (uint64_t k = 0; k < kSetsOfAKind * std::size(kKinds); ++k) {
    const InputKind kind = kKinds[k % std::size(kKinds)];
    StatusOr<InputSet> made =
        MakeInputSet(before_, uses_, {}, context_.options.seed + 301 + k / std::size(kKinds), kind);
    if (!made.ok() || !AddValues(*made, false)) continue;
    std::vector<InputSet> occurring = Occurring(step->cut, values_.size() - 1);
    DropValues();
    if (occurring.empty()) continue;
    occurring[0].kind = kind;
    Judged judged = Judge(*step->before, *step->after, std::move(occurring));
    if (judged.found != Found::kDiffer) continue;
    how = std::move(judged.how);
    tests_.inputs.push_back(*std::move(made));
    return;
  }
}

bool StepTester::TestNode(int32_t k) {
  for (int32_t a : CandidatesFor(k)) {
    const Pair pair{a, k};
    if (const auto known = tried_.find(pair); known != tried_.end()) {
      if (assumes_roots_ && known->second.found == Found::kDiffer) differing_.push_back(known->second);
      continue;
    }
    Tried test{pair, graph_.Text(pair), Found::kUnknown, ""};
    const Tried* const same = Repeated(pair);
    if (same != nullptr) test = {pair, test.text, same->found, same->how, same->set, same->narrows};
    else test.found = TestPair(test);
    tried_.emplace(pair, test);
    if (test.found == Found::kDiffer || test.found == Found::kDifferWhenMadeUp) differing_.push_back(test);
    if (test.found == Found::kDiffer && !assumes_roots_ && AreResults(pair)) persists_ = true;
    if (test.found == Found::kAgree) {
      Assume(test);
      return true;
    }
    if (exactly_) break;
  }
  return false;
}

bool StepTester::AreResults(Pair pair) const {
  const auto equal = [](const Nodes& nodes, int32_t k, int32_t other) {
    return nodes[static_cast<size_t>(k)].equal == nodes[static_cast<size_t>(other)].equal;
  };
  for (size_t r = 0; r < std::min(graph_.results_a.size(), graph_.results_b.size()); ++r)
    if (equal(graph_.a, graph_.results_a[r], pair.first) && equal(graph_.b, graph_.results_b[r], pair.second))
      return true;
  return false;
}

const StepTester::Tried* StepTester::Repeated(Pair pair) const {
  if (kinds_.empty()) return nullptr;
  const std::optional<Step> step = graph_.MakeStep(pair, 0);
  if (!step) return nullptr;
  const auto same = [](const HloModule& x, const HloModule& y) {
    return StructurallyEqual(*x.entry_computation(), *y.entry_computation());
  };
  const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const std::pair<Tried, Step>& kind) {
    return same(*kind.second.before, *step->before) && same(*kind.second.after, *step->after);
  });
  return found == kinds_.end() ? nullptr : &found->first;
}

bool StepTester::TestFrontier() {
  // Users of a pair that is newly assumed wait for the next proof.
  std::vector<bool> waits(graph_.b.size(), false);
  // A value has one counterpart, and may have copies.
  std::set<int32_t> values, counterparts;
  const auto add_root = [&](const Tried& root) {
    values.insert(graph_.b[static_cast<size_t>(root.pair.second)].equal);
    return counterparts.insert(graph_.a[static_cast<size_t>(root.pair.first)].equal).second;
  };
  for (const Tried& root : NeededRoots()) add_root(root);
  const size_t known = roots_.size();
  bool progress = false;
  for (size_t k = 0; k < graph_.b.size(); ++k) {
    waits[k] = values.count(graph_.b[k].equal) > 0;
    for (int32_t o : graph_.b[k].operands) waits[k] = waits[k] || (o >= 0 && waits[static_cast<size_t>(o)]);
    if (!graph_.needed[k] || waits[k] || tests_made_ > kMostTests) continue;
    const size_t before = differing_.size();
    if (TestNode(static_cast<int32_t>(k))) {
      waits[k] = progress = true;
      if (exactly_) return true;
    }
    for (size_t n = before; n < differing_.size() && !waits[k]; ++n) {
      const Tried& test = differing_[n];
      if (test.found != Found::kDiffer || !add_root(test)) continue;
      roots_.push_back(test);
      waits[k] = true;
      if (kinds_.size() >= kMostKinds || Repeated(test.pair) != nullptr) continue;
      if (std::optional<Step> step = graph_.MakeStep(test.pair, 0)) kinds_.emplace_back(test, *std::move(step));
    }
  }
  if (roots_.size() > known && !(progress && known > 0) && !assumes_roots_) {
    of_roots_ = ProveWith(NeededRoots());
    roots_are_all_ = of_roots_->answer != equivalence::Answer::kOpen;
  }
  return progress;
}

std::vector<StepTester::Tried> StepTester::NeededRoots() const {
  std::vector<Tried> needed;
  for (const Tried& root : roots_)
    if (graph_.needed[static_cast<size_t>(root.pair.second)]) needed.push_back(root);
  return needed;
}

bool StepTester::TestBehind(size_t known) {
  std::vector<bool> waits(graph_.b.size(), false);
  for (size_t n = known; n < assumed_.size(); ++n) waits[static_cast<size_t>(assumed_[n].second)] = true;
  bool progress = false;
  size_t found = 0;
  // After roots that account for differences, only a few more are tested.
  const bool accounts = of_roots_ && (roots_are_all_ || of_roots_->matched > graph_.result.matched);
  const size_t most = accounts ? kMostDiffering / 2 : kMostDiffering;
  for (size_t k = 0; k < graph_.b.size() && found < most; ++k) {
    for (int32_t o : graph_.b[k].operands) waits[k] = waits[k] || (o >= 0 && waits[static_cast<size_t>(o)]);
    if (!graph_.needed[k] || waits[k] || tests_made_ > kMostTests) continue;
    const size_t before = differing_.size();
    if (TestNode(static_cast<int32_t>(k))) waits[k] = progress = true;
    found += differing_.size() - before;
  }
  return progress;
}

constexpr int32_t kNoRoot = -1, kManyRoots = -2;

// By node: the place of the only root on which the value depends, or one of these.
std::vector<int32_t> StepTester::RootsOf(const Nodes& nodes, bool after) const {
  std::vector<int32_t> of(nodes.size(), kNoRoot);
  std::map<int32_t, int32_t> roots;  // by value number
  for (size_t n = 0; n < roots_.size(); ++n)
    roots[nodes[static_cast<size_t>(after ? roots_[n].pair.second : roots_[n].pair.first)].equal] =
        static_cast<int32_t>(n);
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (graph_.IsShared(nodes[k])) continue;
    for (int32_t o : nodes[k].operands) {
      const int32_t other = o < 0 ? kManyRoots : of[static_cast<size_t>(o)];
      if (other != kNoRoot) of[k] = of[k] == kNoRoot || of[k] == other ? other : kManyRoots;
    }
    if (const auto found = roots.find(nodes[k].equal); found != roots.end()) of[k] = found->second;
  }
  return of;
}

bool StepTester::TestBehindRoots() {
  constexpr size_t kMost = kMostDiffering / 2 - 1;
  const std::vector<int32_t> of_a = RootsOf(graph_.a, false), of_b = RootsOf(graph_.b, true);
  bool progress = false;
  std::set<int32_t> done;
  for (size_t r = 0; r < std::min(graph_.results_a.size(), graph_.results_b.size()) && !persists_; ++r) {
    const auto result = static_cast<size_t>(graph_.results_b[r]);
    const int32_t root = of_b[result];
    if (!graph_.needed[result] || root < 0 || of_a[static_cast<size_t>(graph_.results_a[r])] != root ||
        !done.insert(root).second)
      continue;
    std::vector<bool> makes(result + 1, false);
    makes[result] = true;
    for (size_t k = result + 1; k-- > 0;) {
      for (int32_t o : graph_.b[k].operands)
        if (makes[k] && o >= 0 && of_b[static_cast<size_t>(o)] == root) makes[static_cast<size_t>(o)] = true;
    }
    bool agrees = false;
    const size_t before = differing_.size();
    for (size_t k = 0; k <= result && !agrees && differing_.size() < before + kMost; ++k)
      if (makes[k]) agrees = TestNode(static_cast<int32_t>(k));
    progress = progress || agrees;
    // The one that is known to persist is named first.
    if (!agrees) persists_ = true, std::swap(roots_[0], roots_[static_cast<size_t>(root)]);
  }
  return progress;
}

// Tests unproved pairs in order. Returns whether one agreed.
bool StepTester::TestOpen() {
  const size_t known = assumed_.size();
  const bool progress = TestFrontier();
  if (exactly_ && progress) return false;
  if (roots_are_all_ && roots_.size() > 1) return TestBehindRoots() || progress;
  return TestBehind(known) || progress;
}

// Assumes a pair that agreed on all values that occur and differed on others, and reports the doubt.
bool StepTester::AssumeDoubtful() {
  for (Tried& test : differing_) {
    if (test.found != Found::kDifferWhenMadeUp) continue;
    Reach(test.pair, test.how);
    Assume(test);
    test.found = Found::kAgree;
    return true;
  }
  return false;
}

equivalence::Result StepTester::ProveWith(const std::vector<Tried>& tests) const {
  std::vector<Pair> assumed = assumed_;
  for (const Tried& test : tests) assumed.push_back(test.pair);
  return Prove(assumed);
}

// Finds the differing pairs that account for all differences: assuming them equal proves the rest. Behind the pairs
// that are assumed equal the next ones are found in the same way.
void StepTester::FindDifferent() {
  std::vector<Tried> chosen, found = std::exchange(differing_, {}), conflicting;
  int64_t matched = graph_.result.matched;
  const size_t most_nodes = exactly_ ? kMostDifferences * kMostProved : kMostProved;
  const int most =
      std::clamp(static_cast<int>(most_nodes / (graph_.a.size() + graph_.b.size() + 1)), 1, kMostDifferences);
  int proofs = 0;
  const auto assume = [&](const std::vector<Tried>& tests, bool known = false) {
    if (tests_.all || (!known && proofs++ >= most)) return;
    equivalence::Result result = known ? *std::exchange(of_roots_, std::nullopt) : ProveWith(tests);
    tests_.all = result.answer != equivalence::Answer::kOpen;
    if (!tests_.all && result.matched <= matched) return;
    matched = result.matched, chosen = tests;
    if (!tests_.all) graph_.Use(std::move(result));
  };
  for (size_t before = 0;; before = chosen.size()) {
    const std::vector<Tried> roots = NeededRoots();
    if (!roots.empty()) {
      std::vector<Tried> with = chosen;
      with.insert(with.end(), roots.begin(), roots.end());
      assume(with, of_roots_.has_value());
    }
    // Differences of many roots may cancel. What differs behind them is found again behind all of them.
    if (roots.size() > 1) tests_.independent = persists_;
    for (const Tried& test : found) {
      // A value has one counterpart.
      const bool conflicts = std::any_of(chosen.begin(), chosen.end(), [&](const Tried& other) {
        return other.pair.first == test.pair.first || other.pair.second == test.pair.second;
      });
      const size_t k = static_cast<size_t>(test.pair.second);
      if (test.found != Found::kDiffer) continue;
      if (conflicts) {
        if (std::none_of(chosen.begin(), chosen.end(), [&](const Tried& other) { return other.pair == test.pair; }))
          conflicting.push_back(test);
      } else if (graph_.needed[k] && roots.size() <= 1) {
        std::vector<Tried> with = chosen;
        with.push_back(test);
        assume(with);
      }
    }
    if (tests_.all || chosen.size() <= before) break;
    tests_.independent = persists_;
    assumes_roots_ = true;
    if (TestOpen()) assume(chosen);
    found = std::exchange(differing_, {});
  }
  for (const Tried& test : conflicting) {
    if (tests_.all || chosen.size() > 1) break;
    assume({test});
    tests_.independent = tests_.independent || tests_.all;
  }
  if (chosen.empty()) return;
  tests_.independent = tests_.independent && tests_.all;
  tests_.narrow = std::all_of(chosen.begin(), chosen.end(), [](const Tried& test) { return test.narrows; });
  for (const Tried& test : chosen) tests_.different.push_back(test.text);
  // One that does more than round is named first.
  const Tried& first = *std::min_element(chosen.begin(), chosen.end(),
                                         [](const Tried& x, const Tried& y) { return x.narrows < y.narrows; });
  tests_.how = first.how;
  tests_.first = {graph_.a[static_cast<size_t>(first.pair.first)].instruction,
                  graph_.b[static_cast<size_t>(first.pair.second)].instruction};
  if (first.set && context_.inputs.empty()) tests_.inputs.insert(tests_.inputs.begin(), runs_.inputs[*first.set]);
}

StepTests StepTester::Test(equivalence::Result proof) {
  gives_up_ = proof.gave_up;
  for (int round = 0; round < kMostRounds && !proof.before.empty(); ++round) {
    graph_.Use(std::move(proof));
    if (round == 0) {
      RunWhole();
      runs_.options.runner.max_steps = runs_.MostSteps();  // a part of a run takes no more steps
    }
    const bool progress = TestOpen() || (!exactly_ && AssumeDoubtful());
    if (exactly_ && !assumed_.empty()) return {};
    if (!progress) break;
    proof = Prove(assumed_);
    if (!roots_are_all_) of_roots_.reset();
    tests_.all = proof.answer != equivalence::Answer::kOpen;
    if (!tests_.all) continue;
    tests_.proof = std::move(proof);
    return std::move(tests_);
  }
  FindDifferent();
  if (exactly_ && !assumed_.empty()) return {};
  return std::move(tests_);
}

}  // namespace

StepTests TestSteps(const HloModule& before, const HloModule& after, const ParameterUses& uses,
                    equivalence::Result proof, const Context& context, bool exactly) {
  return StepTester(before, after, uses, context, exactly).Test(std::move(proof));
}

}  // namespace hloir::check
