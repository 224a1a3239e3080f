// MakeMutant(): see mutants.h. Covered by tests/unit/mutants_test.cc.
#include "fuzz/mutants.h"

#include <algorithm>
#include <vector>

#include "fuzz/mutations.h"
#include "support/hash.h"

namespace hloir {
namespace fuzz {
namespace {

const std::vector<Mutation>& Mutations() {
  static const std::vector<Mutation>* const all = [] {
    auto* mutations = new std::vector<Mutation>;
    AddMutationsOfInstructions(*mutations);
    AddMutationsOfValues(*mutations);
    AddMutationsOfLowering(*mutations);
    return mutations;
  }();
  return *all;
}

}  // namespace

bool Rewire(HloInstruction* i, HloInstruction* to) {
  std::vector<HloInstruction*> users;
  // The operands of `to` keep reading `i`.
  std::vector<const HloInstruction*> made = {to};
  for (size_t k = 0; k < made.size(); ++k) {
    for (const HloInstruction* operand : made[k]->operands())
      if (operand->id() > i->id() && operand != i) made.push_back(operand);
  }
  for (HloInstruction* user : i->users())
    if (std::find(made.begin(), made.end(), user) == made.end()) users.push_back(user);
  const bool was_root = i->IsRoot();
  for (HloInstruction* user : users) i->ReplaceUseWith(user, to);
  if (was_root) i->parent()->set_root(to);
  return was_root || !users.empty();
}

HloInstruction* Filled(HloComputation* computation, const Shape& shape, double value) {
  Literal literal(Shape::Scalar(shape.element_type()));
  if (IsFloat(ComplexComponentType(shape.element_type()))) literal.SetFromDouble(0, value);
  else literal.SetFromInt64(0, static_cast<int64_t>(value));
  HloInstruction* constant = computation->AddConstant(std::move(literal));
  if (shape.rank() == 0) return constant;
  return computation->AddInstruction(HloOpcode::kBroadcast, shape, {constant}, DimensionsAttributes());
}

}  // namespace fuzz

std::span<const MutantKind> MutantKinds() {
  static const std::vector<MutantKind>* const kinds = [] {
    auto* all = new std::vector<MutantKind>;
    for (const fuzz::Mutation& mutation : fuzz::Mutations()) all->push_back(mutation.kind);
    return all;
  }();
  return *kinds;
}

std::optional<Mutant> MakeMutant(const HloModule& module, size_t kind, uint64_t seed) {
  if (kind >= fuzz::Mutations().size()) return std::nullopt;
  Mutant mutant{module.Clone(), ""};
  mutant.module->config().is_scheduled = false;
  // The computations reachable from the entry.
  std::vector<HloInstruction*> sites;
  for (HloComputation* computation : mutant.module->PostOrder()) {
    for (HloInstruction* i : computation->PostOrder()) {
      if (i->user_count() > 0 || i->IsRoot()) sites.push_back(i);
    }
  }
  std::sort(sites.begin(), sites.end(), [&](const HloInstruction* a, const HloInstruction* b) {
    const uint64_t x = Scramble(seed * kGoldenRatio + static_cast<uint64_t>(a->id())),
                   y = Scramble(seed * kGoldenRatio + static_cast<uint64_t>(b->id()));
    return x != y ? x < y : a->id() < b->id();
  });
  for (HloInstruction* i : sites) {
    mutant.instruction = i->name();
    if (fuzz::Mutations()[kind].apply(i, Scramble(seed + 1))) return mutant;
  }
  return std::nullopt;
}

}  // namespace hloir
