// The prover's pairs of equal values are candidates here: the writer searches for the rule and the premises by which
// the checker accepts a pair. A pair that the checker does not accept is left out unless it is a result. See
// write_proof.h.
#include "equivalence/write_proof.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "equivalence/equivalence.h"
#include "equivalence/expr.h"
#include "hloir/analysis.h"
#include "hloir/evaluator.h"
#include "proof_check/proof_check.h"
#include "support/format.h"

namespace hloir::equivalence {
namespace {

constexpr std::string_view kOpenRule = "index-notation";  // of a result for which the checker has no rule

// The modules run on the same devices, if on several, and read the same arrays.
bool HaveSameParameters(const HloModule& before, const HloModule& after) {
  const DeviceCounts x = DeviceCountsOf(before), y = DeviceCountsOf(after);
  if ((x.replicas != y.replicas || x.partitions != y.partitions) && (UsesDevices(before) || UsesDevices(after)))
    return false;
  const auto parameters = [](const HloModule& module) { return module.entry_computation()->parameters(); };
  const auto a = parameters(before), b = parameters(after);
  return a.size() != b.size() ||
         std::equal(a.begin(), a.end(), b.begin(),
                    [](const auto* p, const auto* q) { return p->shape().Compatible(q->shape()); }) ||
         (!UsesDevices(before) && !UsesDevices(after));
}

using proof_check::Checker;
using proof_check::Graph;
using proof_check::Outcome;
using proof_check::Pair;
using proof_check::Rule;
using proof_check::ValueId;

class Writer {
 public:
  explicit Writer(Checker& checker) : checker_(checker), a_(checker.before()), b_(checker.after()) {
    FindOpen(a_, open_a_);
    FindOpen(b_, open_b_);
  }

  // Returns false if no rule was found; why() says what the checker answered.
  bool Add(Pair pair, const std::vector<Rule>& rules) {
    if (checker_.Equal(pair.before, pair.after)) return true;
    AddOperands(pair, rules);
    if (Accept({Rule::kSame, {pair}, {}})) return true;
    if (AddLoop(pair)) return true;
    if (!a_.ShapeOf(pair.before).IsArray()) return false;
    // Tries all steps as premises first, then fewer.
    std::set<int32_t> cut(cuts_.begin(), cuts_.end());
    for (int wider = 0; wider < 4; ++wider) {
      if (wider == 3) cut.clear();
      const std::set<int32_t> from = Frontier(pair, cut);
      for (Rule rule : rules) {
        proof_check::Step step{rule, {pair}, {from.begin(), from.end()}};
        const proof_check::StepResult tried = checker_.Try(step);
        if (tried.outcome != Outcome::kHolds) why_ = WhyNot(tried);
        else if (Accept(std::move(step))) return true;
      }
      if (from.empty()) return false;
      for (int32_t step : from) cut.erase(step);
    }
    return false;
  }
  // Adds the operands' pairs of two side effects. Returns false unless the effects are the same operation of equal
  // operands.
  bool AddEffect(const Graph::Op& a, const Graph::Op& b, const std::vector<Rule>& rules) {
    for (size_t k = 0; k < a.operands.size() && k < b.operands.size(); ++k) {
      for (size_t l = 0; l < a.operands[k].size() && l < b.operands[k].size(); ++l)
        Add({a.operands[k][l], b.operands[k][l]}, rules);
    }
    return checker_.SameOperation(a, b, why_);
  }
  const std::string& why() const { return why_; }
  std::vector<proof_check::Step> steps;

 private:
  // Why the checker does not accept a step that the prover proved.
  static std::string WhyNot(const proof_check::StepResult& result) {
    return result.outcome == Outcome::kFalse ? "it needs a law that the checker does not have" : result.why;
  }

  // Adds pairs for operands of operations with several values, since the prover's pairs have one value each.
  void AddOperands(Pair pair, const std::vector<Rule>& rules) {
    const Graph::Op &a = a_.OpOf(pair.before), &b = b_.OpOf(pair.after);
    if (a.instruction->opcode() != b.instruction->opcode() || a.operands.size() != b.operands.size()) return;
    for (size_t k = 0; k < a.operands.size(); ++k) {
      for (size_t l = 0; l < a.operands[k].size() && l < b.operands[k].size(); ++l) {
        const Pair operand{a.operands[k][l], b.operands[k][l]};
        const bool several = a_.OpOf(operand.before).shapes.size() > 1 && b_.OpOf(operand.after).shapes.size() > 1;
        if (several && tried_operands_.insert({operand.before, operand.after}).second) Add(operand, rules);
      }
    }
  }

  bool Accept(proof_check::Step step) {
    const proof_check::StepResult checked = checker_.Check(step);
    why_ = WhyNot(checked);
    if (checked.outcome != Outcome::kHolds) return false;
    steps.push_back(step);
    const int32_t number = checker_.Add(std::move(step));
    for (const Pair& pair : steps.back().pairs) {
      // Constant values and integers are computed: a premise would replace them by arbitrary equal values.
      const Shape& shape = a_.ShapeOf(pair.before);
      if (!shape.IsArray() || !open_a_[static_cast<size_t>(pair.before)] || !open_b_[static_cast<size_t>(pair.after)])
        continue;
      if (!IsFloat(shape.element_type()) && !IsComplex(shape.element_type())) continue;
      cuts_.push_back(number);
      steps_of_a_[pair.before].push_back(number);
      steps_of_b_[pair.after].push_back(number);
    }
    return true;
  }

  // Adds a loop step with pairs of carried values by equality, or by position; if these do not hold, with the pairs
  // that are left of all that are equal where the loops begin when those that a turn makes differ are removed.
  bool AddLoop(Pair pair) {
    constexpr size_t kMostPairs = 256;
    const Graph::Op &a = a_.OpOf(pair.before), &b = b_.OpOf(pair.after);
    if (a.instruction->opcode() != HloOpcode::kWhile || b.instruction->opcode() != HloOpcode::kWhile) return false;
    if (!tried_loops_.insert({a.first, b.first}).second) return false;
    const auto& x = a.operands[0];
    const auto& y = b.operands[0];
    const auto carry = [&](size_t k, size_t l) {
      return Pair{a.first + static_cast<ValueId>(k), b.first + static_cast<ValueId>(l)};
    };
    proof_check::Step step{Rule::kLoop, {}, {}}, all = step;
    std::unordered_set<size_t> taken;
    for (size_t k = 0; k < x.size(); ++k) {
      for (size_t tried = 0; tried < y.size(); ++tried) {
        const size_t l = (k + tried) % y.size();
        if (taken.count(l) != 0) continue;
        if (!checker_.Equal(x[k], y[l]) && !Add({x[k], y[l]}, {Rule::kSigns})) continue;
        taken.insert(l);
        step.pairs.push_back(carry(k, l));
        break;
      }
    }
    if (!step.pairs.empty() && Accept(std::move(step)) && checker_.Equal(pair.before, pair.after)) return true;
    // (What is passed on is the initial value, and not arbitrary.)
    const auto changes = [](const Graph::Op& loop, size_t k) {
      return !proof_check::PassesOn(*loop.instruction, static_cast<int64_t>(k));
    };
    for (size_t k = 0; k < x.size() && x.size() * y.size() <= kMostPairs; ++k) {
      for (size_t l = 0; l < y.size(); ++l) {
        if (changes(a, k) && changes(b, l) && a_.ShapeOf(x[k]).Compatible(b_.ShapeOf(y[l])) &&
            (checker_.Equal(x[k], y[l]) || Add({x[k], y[l]}, {})))
          all.pairs.push_back(carry(k, l));
      }
    }
    while (!all.pairs.empty()) {
      const proof_check::StepResult tried = checker_.Check(all);
      if (tried.outcome == Outcome::kHolds) return Accept(std::move(all)) && checker_.Equal(pair.before, pair.after);
      why_ = WhyNot(tried);
      if (tried.broken.empty()) return false;
      for (size_t k = tried.broken.size(); k-- > 0;)
        all.pairs.erase(all.pairs.begin() + static_cast<std::ptrdiff_t>(tried.broken[k]));
    }
    return false;
  }

  // Finds the values that depend on inputs or unknown functions.
  static void FindOpen(const Graph& graph, std::vector<bool>& open) {
    open.resize(static_cast<size_t>(graph.value_count()));
    for (const Graph::Op& op : graph.ops()) {
      bool is_open = op.instruction->IsParameter() || op.instruction->opcode() == HloOpcode::kCustomCall;
      for (const auto& operand : op.operands) {
        for (ValueId v : operand) is_open = is_open || open[static_cast<size_t>(v)];
      }
      for (size_t k = 0; k < op.shapes.size(); ++k) open[static_cast<size_t>(op.first) + k] = is_open;
    }
  }

  // The steps of `cut` that bound the cone of a value.
  std::set<int32_t> Ends(const Graph& graph, ValueId value, const std::set<int32_t>& cut,
                         const std::unordered_map<ValueId, std::vector<int32_t>>& steps_of) const {
    std::set<int32_t> ends;
    std::unordered_set<ValueId> seen{value};
    std::vector<ValueId> work{value};
    while (!work.empty()) {
      const ValueId at = work.back();
      work.pop_back();
      if (const auto found = steps_of.find(at); found != steps_of.end() && at != value) {
        bool ended = false;
        for (int32_t step : found->second) {
          if (cut.count(step) != 0) ends.insert(step), ended = true;
        }
        if (ended) continue;
      }
      for (const auto& operand : graph.OpOf(at).operands) {
        for (ValueId v : operand) {
          if (seen.insert(v).second) work.push_back(v);
        }
      }
    }
    return ends;
  }

  // The steps that bound both cones. A step that bounds only one is removed from `cut`.
  std::set<int32_t> Frontier(Pair pair, std::set<int32_t>& cut) const {
    constexpr int kMostRounds = 64;
    for (int round = 0; round < kMostRounds; ++round) {
      const std::set<int32_t> x = Ends(a_, pair.before, cut, steps_of_a_), y = Ends(b_, pair.after, cut, steps_of_b_);
      if (x == y) return x;
      std::vector<int32_t> alone;
      std::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(alone));
      for (int32_t step : alone) cut.erase(step);
    }
    cut.clear();
    return {};
  }

  Checker& checker_;
  std::string why_;
  const Graph &a_, &b_;
  std::vector<bool> open_a_, open_b_;
  std::vector<int32_t> cuts_;
  std::unordered_map<ValueId, std::vector<int32_t>> steps_of_a_, steps_of_b_;
  std::set<std::pair<ValueId, ValueId>> tried_loops_, tried_operands_;
};

// The values of an instruction in the order in which its calls were read.
class Values {
 public:
  explicit Values(const Graph& graph) {
    for (const auto& [instruction, values] : graph.read()) of_[instruction].push_back(&values);
  }
  ValueId Of(const HloInstruction* i, int32_t nth) const {
    const auto found = of_.find(i);
    if (found == of_.end() || static_cast<size_t>(nth) >= found->second.size()) return -1;
    const std::vector<ValueId>& values = *found->second[static_cast<size_t>(nth)];
    return values.size() == 1 ? values[0] : -1;
  }

 private:
  std::unordered_map<const HloInstruction*, std::vector<const std::vector<ValueId>*>> of_;
};

StatusOr<WrittenProof> Written(const HloModule& before, const HloModule& after, const Result& result, bool bits) {
  HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<Checker> checker, Checker::Make(before, after));
  const Graph &a = checker->before(), &b = checker->after();
  const Values values_a(a), values_b(b);
  Writer writer(*checker);
  const std::vector<Rule> rules = bits ? std::vector{Rule::kBits} : std::vector{Rule::kSigns, Rule::kRanks};
  for (const Match& match : result.matches) {
    const Pair pair{values_a.Of(match.before, match.nth_before), values_b.Of(match.after, match.nth_after)};
    if (pair.before >= 0 && pair.after >= 0) writer.Add(pair, rules);
  }
  std::vector<std::string> unchecked;
  if (a.results().size() != b.results().size()) return InvalidArgument("the results differ in number");
  for (size_t k = 0; k < a.results().size(); ++k) {
    const Pair pair{a.results()[k], b.results()[k]};
    if (!writer.Add(pair, rules))
      unchecked.push_back(
          Format("{} {} = {}: {}", kOpenRule, a.NameOf(pair.before), b.NameOf(pair.after), writer.why()));
  }
  if (a.effects().size() != b.effects().size()) return InvalidArgument("the effects differ in number");
  for (size_t k = 0; k < a.effects().size(); ++k) {
    if (!writer.AddEffect(a.Effect(k), b.Effect(k), rules))
      unchecked.push_back(Format("{} {} = {}: {}", kOpenRule, a.Effect(k).name, b.Effect(k).name, writer.why()));
  }
  std::string text = ProofText(before, after, *checker, writer.steps, unchecked);
  return WrittenProof{std::move(text), static_cast<int64_t>(writer.steps.size() + unchecked.size()),
                      std::move(unchecked)};
}

}  // namespace

StatusOr<WrittenProof> WriteProof(const HloModule& before, const HloModule& after) {
  if (!HaveSameParameters(before, after))
    return Unimplemented("a program and its partitioned form have no proof that hloir check-proof reads");
  const Result result = ProveInside(before, after);
  if (result.answer == Answer::kOpen) {
    return Unimplemented(result.why.empty() ? "the two are not proved to compute the same"
                                            : "the two are not proved to compute the same: " + result.why);
  }
  if ((result.uses & ~inside::kAssumptions) == 0) {
    HLOIR_ASSIGN_OR_RETURN(WrittenProof exact, Written(before, after, result, /*bits=*/true));
    if (exact.unchecked.empty()) return exact;
  }
  return Written(before, after, result, /*bits=*/false);
}

std::string NoteOn(const StatusOr<WrittenProof>& proof) {
  if (!proof.ok()) return Format("no proof is written: {}", proof.status().message());
  if (proof->unchecked.empty()) return "";
  constexpr size_t kShown = 8;
  std::string note =
      Format("hloir check-proof has no rule for {} of the proof's {} steps", proof->unchecked.size(), proof->steps);
  for (size_t k = 0; k < std::min(kShown, proof->unchecked.size()); ++k)
    note += (k == 0 ? ": " : "; ") + proof->unchecked[k].substr(kOpenRule.size() + 1);
  if (proof->unchecked.size() > kShown) note += Format("; and {} more", proof->unchecked.size() - kShown);
  return note;
}

}  // namespace hloir::equivalence
