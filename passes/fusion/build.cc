// See build.h.
#include "fusion/build.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fusion/name.h"
#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir::fusion {
namespace {

// Output fusion: ops after a dot, convolution or reduce-window. Input fusion: ops before a reduction. Else a loop.
FusionKind KindOf(const HloComputation& body) {
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    if (MayContract(i->opcode()) && RoleOf(*i) == Role::kContraction) return FusionKind::kOutput;
  }
  return body.root()->opcode() == HloOpcode::kReduce ? FusionKind::kInput : FusionKind::kLoop;
}

HloInstruction* AddFusion(HloComputation& computation, HloComputation* body, std::span<HloInstruction* const> inputs) {
  HloInstruction* fusion = computation.AddInstruction(HloOpcode::kFusion, body->root()->shape(), inputs,
                                                      FusionAttributes{KindOf(*body), {}}, NameOf(*body));
  fusion->AddCalledComputation(body);
  return fusion;
}

// A fusion body under construction, to which fusions and single instructions are added.
class Joiner {
 public:
  explicit Joiner(HloComputation* body) : body_(body) {}

  // Adds the computation of `unit`, as results.
  void Add(HloInstruction* unit) {
    std::vector<HloInstruction*> operands;
    if (unit->opcode() != HloOpcode::kFusion) {
      for (HloInstruction* operand : unit->operands()) operands.push_back(Inside(operand));
      Result(unit, Copy(*unit, operands));
      return;
    }
    HloComputation& from = *unit->fused_computation();
    std::unordered_map<const HloInstruction*, HloInstruction*> copies;
    for (HloInstruction* i : from.PostOrder()) {
      if (i->IsParameter()) {
        copies[i] = Inside(unit->operand(i->parameter_number()));
        continue;
      }
      if (i == from.root() && i->opcode() == HloOpcode::kTuple) {
        for (HloInstruction* element : i->operands()) results_.push_back(copies.at(element));
        return;
      }
      operands.clear();
      for (const HloInstruction* operand : i->operands()) operands.push_back(copies.at(operand));
      copies[i] = Copy(*i, operands);
    }
    Result(unit, copies.at(from.root()));
  }
  const std::vector<HloInstruction*>& inputs() const { return inputs_; }
  const std::vector<HloInstruction*>& results() const { return results_; }

  // Makes users of `unit`, the first that was added, read its results inside the body.
  void Provide(HloInstruction* unit) {
    if (!unit->shape().IsTuple()) {
      inside_[unit] = results_[0];
      return;
    }
    for (HloInstruction* element : unit->users())
      inside_[element] = results_[static_cast<size_t>(element->tuple_index())];
  }

 private:
  // Merges instructions that both have, such as a broadcast that each repeats.
  HloInstruction* Copy(const HloInstruction& original, std::span<HloInstruction* const> operands) {
    uint64_t hash = StructuralHash(original);
    for (const HloInstruction* operand : operands) hash = MixHash(hash, static_cast<uint64_t>(operand->id()));
    auto [first, last] = copies_.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      HloInstruction* known = it->second;
      const auto same = [](const auto& a, const auto& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); };
      if (StructurallyEqual(*known, original) && same(known->operands(), operands) &&
          same(known->called_computations(), original.called_computations())) {
        known->MergeMetadataOf(original);
        return known;
      }
    }
    HloInstruction* copy = body_->AddClone(original, operands);
    copies_.emplace(hash, copy);
    return copy;
  }
  void Result(HloInstruction* unit, HloInstruction* value) {
    if (!unit->shape().IsTuple()) {
      results_.push_back(value);
      return;
    }
    // A reduction with several results.
    for (int64_t k = 0; k < unit->shape().tuple_size(); ++k) results_.push_back(body_->AddGetTupleElement(value, k));
  }
  HloInstruction* Inside(HloInstruction* outside) {
    HloInstruction*& inside = inside_[outside];
    if (inside == nullptr) {
      const std::string name = "param_" + std::to_string(inputs_.size());
      inside = body_->AddParameter(static_cast<int64_t>(inputs_.size()), outside->shape(), name);
      inputs_.push_back(outside);
    }
    return inside;
  }

  HloComputation* body_;
  std::unordered_map<const HloInstruction*, HloInstruction*> inside_;
  std::unordered_multimap<uint64_t, HloInstruction*> copies_;
  std::vector<HloInstruction*> inputs_, results_;
};

// True if an instruction other than `reader` uses the unit's result `k`.
bool IsNeeded(const HloInstruction& unit, int64_t k, const HloInstruction* reader) {
  if (!unit.shape().IsTuple()) return unit.IsRoot() || unit.user_count() > (unit.IsUsedBy(reader) ? 1 : 0);
  for (const HloInstruction* element : unit.users()) {
    if (element->tuple_index() == k && element->user_count() > (element->IsUsedBy(reader) ? 1 : 0)) return true;
  }
  return false;
}

// Uses of `unit` take elements of `joined`: its result k is the element places[k]; -1 where it is unused.
void MoveUses(HloInstruction* unit, HloInstruction* joined, std::span<const int64_t> places) {
  HloComputation& computation = *unit->parent();
  const auto move = [&](HloInstruction* old, int64_t k) {
    if (places[static_cast<size_t>(k)] < 0) return;
    HloInstruction* taken = joined;
    if (joined->shape().IsTuple()) {
      taken = computation.AddGetTupleElement(joined, places[static_cast<size_t>(k)], old->name());
      InheritAnnotations(taken, *old);
    }
    old->ReplaceAllUsesWith(taken);
  };
  if (!unit->shape().IsTuple()) return move(unit, 0);
  const std::vector<HloInstruction*> elements(unit->users().begin(), unit->users().end());
  for (HloInstruction* element : elements) move(element, element->tuple_index());
}

// Removes instructions that only an unused result needed. Operands precede their users in a new body.
void RemoveUnused(HloComputation& body) {
  const std::vector<HloInstruction*> all = body.instructions();
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    if (IsDead(**it)) body.RemoveInstruction(*it);
  }
}

constexpr std::string_view kBody = "fused_computation";

}  // namespace

void FusionBuilder::RemoveUnit(HloInstruction* unit, bool body_later) {
  HloComputation& computation = *unit->parent();
  const std::vector<HloInstruction*> elements(unit->users().begin(), unit->users().end());
  for (HloInstruction* element : elements) computation.RemoveInstruction(element);
  HloComputation* body = unit->opcode() == HloOpcode::kFusion ? unit->fused_computation() : nullptr;
  computation.RemoveInstruction(unit);
  if (body == nullptr || !body->callers().empty()) return;
  // NewBody tries this name again, and has not tried those of bodies that were there before.
  const bool frees_name = body->name() == kBody || first_body_ < 0 || body->id() < first_body_;
  if (!body_later || frees_name) return computation.module()->RemoveComputation(body);
  for (HloInstruction* i : body->AllInstructions()) i->ClearCalledComputations();
  dead_bodies_.push_back(body);
}

void FusionBuilder::RemoveDeadBodies(HloModule& module) {
  module.RemoveComputations(dead_bodies_);
  dead_bodies_.clear();
  first_body_ = -1;
}

HloComputation* FusionBuilder::NewBody(HloComputation& computation) {
  HloModule& module = *computation.module();
  std::string name(kBody);
  while (module.FindComputation(name) != nullptr) name = "fused_computation." + std::to_string(++next_body_);
  HloComputation* body = module.AddComputation(name);
  if (first_body_ < 0) first_body_ = body->id();
  body->set_execution_thread(computation.execution_thread());
  return body;
}

HloInstruction* FusionBuilder::Build(std::span<const Member> members, HloInstruction* root, const Grouper& grouper,
                                     bool moves) {
  HloComputation& computation = *root->parent();
  SmallVector<HloInstruction*, 16> inputs;
  for (const Member& member : members) {
    for (HloInstruction* operand : member.instruction->operands()) {
      if (!grouper.Contains(operand)) inputs.push_back(operand);
    }
  }
  const auto comes_first = [&](const HloInstruction* a, const HloInstruction* b) {
    return grouper.PositionOf(a) < grouper.PositionOf(b);
  };
  std::sort(inputs.begin(), inputs.end(), comes_first);
  inputs.resize(static_cast<size_t>(std::unique(inputs.begin(), inputs.end()) - inputs.begin()));
  HloComputation* body = NewBody(computation);
  SmallVector<HloInstruction*, 16> made(members.size());  // the members' copies in the body
  const auto inside = [&](HloInstruction* i) {
    if (const int32_t index = grouper.IndexOf(i); index >= 0) return made[static_cast<size_t>(index)];
    return body->parameter(std::lower_bound(inputs.begin(), inputs.end(), i, comes_first) - inputs.begin());
  };
  for (size_t k = 0; k < inputs.size(); ++k) {
    body->AddParameter(static_cast<int64_t>(k), inputs[k]->shape(), "param_" + std::to_string(k));
  }
  // An instruction without other users moves, rather than being copied. (Not if a rewriter logs the removed
  // instructions.)
  moves = moves && std::all_of(members.begin(), members.end(), [](const Member& member) {
            return !member.owned || MayRemoveIfUnused(*member.instruction);
          });
  const bool was_root = root->IsRoot();
  HloInstruction* after_root = nullptr;
  SmallVector<HloInstruction*, 8> operands;
  for (size_t k = 0; k < members.size(); ++k) {
    operands.clear();
    HloInstruction* original = made[k] = members[k].instruction;
    for (HloInstruction* operand : original->operands()) operands.push_back(inside(operand));
    if (!moves || !members[k].owned) {
      made[k] = body->AddClone(*original, operands);
      continue;
    }
    if (original == root) after_root = root->next();
    body->Take(original, operands);
  }
  body->set_root(made.back());  // the last member is the root
  HloInstruction* fusion = AddFusion(computation, body, inputs);
  InheritAnnotations(fusion, *root);
  computation.MoveBefore(fusion, moves ? after_root : root);
  if (!moves) {
    root->ReplaceAllUsesWith(fusion);
    return fusion;
  }
  const SmallVector<HloInstruction*, 8> users(root->users().begin(), root->users().end());
  for (HloInstruction* user : users) root->ReplaceUseWith(user, fusion);
  if (was_root) computation.set_root(fusion);
  return fusion;
}

HloInstruction* FusionBuilder::Join(HloInstruction* first, HloInstruction* second, bool copy_first, bool bodies_later) {
  HloComputation& computation = *second->parent();
  HloComputation* body = NewBody(computation);
  Joiner joiner(body);
  joiner.Add(first);
  joiner.Provide(first);
  const size_t results_of_first = joiner.results().size();
  joiner.Add(second);
  std::vector<HloInstruction*> results;
  std::vector<int64_t> places;
  for (size_t k = 0; k < joiner.results().size(); ++k) {
    const bool of_first = k < results_of_first;
    const bool needed = of_first ? !copy_first && IsNeeded(*first, static_cast<int64_t>(k), second)
                                 : IsNeeded(*second, static_cast<int64_t>(k - results_of_first), nullptr);
    places.push_back(needed ? static_cast<int64_t>(results.size()) : -1);
    if (needed) results.push_back(joiner.results()[k]);
  }
  body->set_root(results.size() == 1 ? results[0] : body->AddTuple(results));
  RemoveUnused(*body);
  HloInstruction* joined = AddFusion(computation, body, joiner.inputs());
  computation.MoveBefore(joined, second);
  for (HloInstruction* old : {second, first}) joined->MergeMetadataOf(*old);
  MoveUses(second, joined, std::span(places).subspan(results_of_first));
  if (!copy_first) MoveUses(first, joined, std::span(places).first(results_of_first));
  RemoveUnit(second, bodies_later);
  if (!copy_first) RemoveUnit(first, bodies_later);
  return joined;
}

}  // namespace hloir::fusion
