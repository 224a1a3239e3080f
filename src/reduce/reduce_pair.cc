// ReducePair(): the first disagreeing parts of two modules. See reduce.h.
//
// Instructions correspond by their values: searching backwards from the results, a pair of instructions with equal
// values on the inputs becomes a parameter of both. The instructions between these and the first different pair are the
// result. Covered by tests/unit/reduce_test.cc.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reduce/reduce.h"
#include "hloir/evaluator.h"

namespace hloir {
namespace {

constexpr int64_t kMaxPairBytes = int64_t{1} << 28;  // of values that are kept

using PairValues = std::unordered_map<const HloInstruction*, Literal>;

// Of the entry computation's arrays, parameters included.
PairValues ValuesOf(const HloModule& module, const std::vector<Literal>& arguments, const RunnerOptions& options) {
  const HloComputation& entry = *module.entry_computation();
  PairValues values;
  std::vector<const Literal*> pointers;
  for (size_t k = 0; k < arguments.size(); ++k) {
    pointers.push_back(&arguments[k]);
    values[entry.parameter(static_cast<int64_t>(k))] = arguments[k];
  }
  int64_t bytes = 0;
  EvaluatorOptions evaluator = ToEvaluatorOptions(options);
  evaluator.on_progress = nullptr;
  evaluator.on_result = [&](const HloInstruction& i, const Literal& value) {
    if (i.parent() != &entry || !i.shape().IsArray() || value.size_bytes() > kMaxPairBytes - bytes) return;
    bytes += value.size_bytes();
    values.emplace(&i, value);
  };
  (void)MakeReferenceEvaluator(evaluator)->EvaluateComputation(entry, pointers);
  return values;
}

// The transitive operands of `target` up to the frontier, which is in `stop`. In post-order.
struct Part {
  std::vector<const HloInstruction*> inside, frontier;
};
template <class F>
Part PartOf(const HloInstruction& target, F&& stop) {
  std::unordered_set<const HloInstruction*> wanted{&target};
  std::vector<const HloInstruction*> stack{&target};
  Part part;
  while (!stack.empty()) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (i != &target && stop(i)) continue;
    for (const HloInstruction* operand : i->operands()) {
      if (wanted.insert(operand).second) stack.push_back(operand);
    }
  }
  for (const HloInstruction* i : target.parent()->PostOrder()) {
    if (wanted.contains(i)) (i != &target && stop(i) ? part.frontier : part.inside).push_back(i);
  }
  return part;
}

// A module of that part: the frontier becomes parameters, and the target the result.
std::unique_ptr<HloModule> Cut(const HloModule& module, const HloInstruction& target, const Part& part,
                               const std::unordered_map<const HloInstruction*, int64_t>& parameters,
                               std::span<const Shape> shapes) {
  std::unique_ptr<HloModule> cut = module.Clone();
  HloComputation* entry = cut->entry_computation();
  HloComputation* made = cut->AddComputation(std::string(entry->name()) + ".part");
  std::unordered_map<const HloInstruction*, HloInstruction*> of;
  std::vector<HloInstruction*> stands;
  for (size_t k = 0; k < shapes.size(); ++k)
    stands.push_back(made->AddParameter(static_cast<int64_t>(k), shapes[k], "p" + std::to_string(k)));
  for (const HloInstruction* i : part.frontier) of[i] = stands[static_cast<size_t>(parameters.at(i))];
  for (const HloInstruction* i : part.inside) {
    const HloInstruction* original = entry->FindInstruction(i->name());  // of the clone
    if (original == nullptr) return nullptr;
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : i->operands()) operands.push_back(of.at(operand));
    of[i] = made->AddClone(*original, operands);
  }
  made->set_root(of.at(&target));
  cut->set_entry_computation(made);
  ModuleConfig& config = cut->config();
  config.entry_computation_layout.reset();
  config.input_output_alias.clear();
  config.buffer_donor.clear();
  // Removes computations without callers.
  std::vector<const HloComputation*> reached{made};
  std::unordered_set<const HloComputation*> called{made};
  for (size_t at = 0; at < reached.size(); ++at) {
    for (const HloInstruction* i = reached[at]->first(); i != nullptr; i = i->next()) {
      for (const HloComputation* callee : i->called_computations())
        if (called.insert(callee).second) reached.push_back(callee);
    }
  }
  std::vector<HloComputation*> unused;
  for (HloComputation* computation : cut->computations())
    if (!called.contains(computation)) unused.push_back(computation);
  cut->RemoveComputations(unused);
  return cut;
}

}  // namespace

ReducedPair ReducePair(const HloModule& before, const HloModule& after, const InputSet& inputs,
                       const CheckOptions& options) {
  ReducedPair whole{before.Clone(), after.Clone(), inputs};
  if (inputs.devices.size() != 1) return whole;
  const PairValues a = ValuesOf(before, inputs.devices[0], options.runner);
  const PairValues b = ValuesOf(after, inputs.devices[0], options.runner);
  // Partners have equal values; among several, the one of the same name, otherwise the first. Constants have no
  // partners.
  const std::vector<const HloInstruction*> order_a = before.entry_computation()->PostOrder(),
                                           order_b = after.entry_computation()->PostOrder();
  std::unordered_map<size_t, std::vector<const HloInstruction*>> by_hash;
  for (const HloInstruction* i : order_a) {
    if (const auto value = a.find(i); value != a.end()) by_hash[value->second.Hash()].push_back(i);
  }
  std::unordered_map<const HloInstruction*, const HloInstruction*> partner_of_b;
  std::unordered_set<const HloInstruction*> known_a;
  for (const HloInstruction* i : order_b) {
    const auto value = b.find(i);
    if (value == b.end() || i->IsConstant()) continue;
    const auto same = by_hash.find(value->second.Hash());
    if (same == by_hash.end()) continue;
    const HloInstruction* best = nullptr;
    for (const HloInstruction* candidate : same->second) {
      if (candidate->IsConstant() || !candidate->shape().Compatible(i->shape()) ||
          !a.at(candidate).BitwiseEqual(value->second))
        continue;
      if (best == nullptr || (candidate->name() == i->name() && best->name() != i->name())) best = candidate;
    }
    if (best == nullptr) continue;
    partner_of_b[i] = best;
    known_a.insert(best);
  }
  // Candidates for the first difference: pairs of equal name or position with different values, including the roots.
  std::vector<std::pair<const HloInstruction*, const HloInstruction*>> targets;
  for (const HloInstruction* i : order_b) {
    const HloInstruction* same_name = before.entry_computation()->FindInstruction(i->name());
    if (same_name == nullptr || !b.contains(i) || !a.contains(same_name) || i->IsConstant() || i->IsParameter() ||
        !same_name->shape().Compatible(i->shape()) || partner_of_b.contains(i) || known_a.contains(same_name))
      continue;
    targets.push_back({same_name, i});
  }
  const HloInstruction *root_a = before.entry_computation()->root(), *root_b = after.entry_computation()->root();
  if (root_a->opcode() == HloOpcode::kTuple && root_b->opcode() == HloOpcode::kTuple) {
    for (int64_t k = 0; k < std::min(root_a->operand_count(), root_b->operand_count()); ++k) {
      if (!partner_of_b.contains(root_b->operand(k)) || partner_of_b.at(root_b->operand(k)) != root_a->operand(k))
        targets.push_back({root_a->operand(k), root_b->operand(k)});
    }
  }
  targets.push_back({root_a, root_b});

  CheckOptions quick = options;
  quick.timing = quick.divergence = false;
  quick.stored.clear();
  constexpr size_t kMostTries = 16;
  for (size_t at = 0; at < targets.size() && at < kMostTries; ++at) {
    const auto& [x, y] = targets[at];
    const Part part_a = PartOf(*x, [&](const HloInstruction* i) { return i->IsParameter() || known_a.contains(i); });
    const Part part_b =
        PartOf(*y, [&](const HloInstruction* i) { return i->IsParameter() || partner_of_b.contains(i); });
    ReducedPair pair;
    std::unordered_map<const HloInstruction*, int64_t> parameters_a, parameters_b;
    std::vector<Shape> shapes;
    std::vector<Literal>& values = pair.inputs.devices.emplace_back();
    pair.inputs.kind = inputs.kind;
    const auto add = [&](const HloInstruction* i) {
      const auto [found, is_new] = parameters_a.emplace(i, static_cast<int64_t>(shapes.size()));
      if (is_new) shapes.push_back(i->shape()), values.push_back(a.at(i));
      return found->second;
    };
    bool complete = true;
    for (const HloInstruction* i : part_a.frontier) complete = complete && (a.contains(i) && add(i) >= 0);
    for (const HloInstruction* i : part_b.frontier) {
      // A parameter without a partner (a tuple) stays a parameter of its own module.
      const auto found = partner_of_b.find(i);
      const HloInstruction* partner = found != partner_of_b.end() ? found->second
                                      : i->IsParameter() ? before.entry_computation()->parameter(i->parameter_number())
                                                         : nullptr;
      complete = complete && partner != nullptr && a.contains(partner);
      if (complete) parameters_b[i] = add(partner);
    }
    if (!complete) continue;
    pair.before = Cut(before, *x, part_a, parameters_a, shapes);
    pair.after = Cut(after, *y, part_b, parameters_b, shapes);
    if (pair.before == nullptr || pair.after == nullptr) continue;
    const StatusOr<Verdict> verdict = Check(*pair.before, *pair.after, {pair.inputs}, quick);
    if (verdict.ok() && verdict->outcome == Outcome::kDisagree) return pair;
  }
  return whole;
}

}  // namespace hloir
