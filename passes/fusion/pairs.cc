// See pairs.h.
#include "fusion/pairs.h"

#include <algorithm>
#include <vector>

#include "fusion/role.h"

namespace hloir::fusion {
namespace {

constexpr int64_t kMostOperands = 32;
constexpr int kPathBudget = 256;  // instructions looked at for a path between two loops

}  // namespace

const HloInstruction& BodyRoot(const HloInstruction& unit) {
  return unit.opcode() == HloOpcode::kFusion ? *unit.fused_computation()->root() : unit;
}

bool IsProduct(const HloInstruction& unit) {
  if (unit.opcode() != HloOpcode::kFusion) return unit.opcode() == HloOpcode::kDot;
  return unit.attributes<FusionAttributes>().kind == FusionKind::kOutput;
}

const Shape* LoopShape(const HloInstruction& unit, int64_t max_results, bool products) {
  const bool is_fusion = unit.opcode() == HloOpcode::kFusion;
  if (is_fusion) {
    const FusionKind kind = unit.attributes<FusionAttributes>().kind;
    if (kind != FusionKind::kLoop && kind != FusionKind::kInput && !(products && IsProduct(unit))) return nullptr;
  }
  if (unit.HasControlDependencies() || HasAnnotations(unit) || unit.operand_count() > kMostOperands) return nullptr;
  if (unit.shape().IsTuple()) {
    if (unit.IsRoot() || unit.shape().tuple_size() > max_results) return nullptr;
    for (const HloInstruction* user : unit.users()) {
      if (user->opcode() != HloOpcode::kGetTupleElement || user->IsRoot() || user->HasControlDependencies())
        return nullptr;
    }
  }
  const HloInstruction* root = &BodyRoot(unit);
  if (is_fusion) {
    if (root->opcode() == HloOpcode::kTuple) root = root->operand(0);
    if (root->opcode() == HloOpcode::kGetTupleElement) root = root->operand(0);
  }
  const Role role = RoleOf(*root);
  if (role == Role::kReduce) return &root->operand(0)->shape();
  if (products && root->opcode() == HloOpcode::kDot) return &root->shape();
  if (role == Role::kArithmetic || (is_fusion && (role == Role::kMove || role == Role::kFree))) return &root->shape();
  return nullptr;
}

int64_t SizeOf(const HloInstruction& unit) {
  return unit.opcode() == HloOpcode::kFusion ? unit.fused_computation()->instruction_count() : 1;
}

bool HasPathAround(const HloInstruction* first, const HloInstruction* second, const Positions& positions,
                   bool* cut_short) {
  const int32_t earliest = positions.Of(first);
  Positions::Search& search = positions.search();
  search.Begin();
  std::vector<const HloInstruction*>& stack = search.stack;
  auto push = [&](const HloInstruction* i) {
    if (positions.Of(i) >= earliest && search.See(i)) stack.push_back(i);
  };
  auto push_all = [&](const HloInstruction* i, bool direct) {
    for (const HloInstruction* operand : i->operands()) {
      if (!(direct && UnitOf(operand) == first)) push(operand);
    }
    for (const HloInstruction* predecessor : i->control_predecessors()) push(predecessor);
  };
  push_all(second, true);
  for (int budget = kPathBudget; !stack.empty(); --budget) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (i == first) return true;
    if (budget == 0) {
      if (cut_short != nullptr) *cut_short = true;
      return true;
    }
    push_all(i, false);
  }
  return false;
}

}  // namespace hloir::fusion
