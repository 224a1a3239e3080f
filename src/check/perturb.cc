// PerturbModule(): a module that rounds otherwise. Covered by tests/unit/check_test.cc.
#include <cmath>
#include <unordered_set>
#include <vector>

#include "check/subject.h"

namespace hloir::check {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 22;  // of one result; larger ones are left as they are

// Ops whose result is rounded, or is left to an approximation.
bool Rounds(const HloInstruction& i) {
  if (!i.shape().IsArray() || !IsFloat(ComplexComponentType(i.shape().element_type()))) return false;
  if (i.shape().ElementCount() > kMaxElements || !i.shape().IsStatic()) return false;
  switch (i.opcode()) {
    case HloOpcode::kAdd:
    case HloOpcode::kSubtract:
    case HloOpcode::kMultiply:
    case HloOpcode::kDivide:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve: return true;
    default: return GetOpcodeInfo(i.opcode()).max_ulps > 0;
  }
}

// What runs once for each element (reducers, comparators) stays: only the entry and what control flow and fusions call.
std::vector<HloComputation*> Computations(HloModule& module) {
  std::vector<HloComputation*> found = {module.entry_computation()};
  std::unordered_set<const HloComputation*> seen(found.begin(), found.end());
  for (size_t k = 0; k < found.size(); ++k) {
    for (HloInstruction* i = found[k]->first(); i != nullptr; i = i->next()) {
      if (!i->Is(kControlFlow) && i->opcode() != HloOpcode::kFusion) continue;
      for (HloComputation* called : i->called_computations())
        if (seen.insert(called).second) found.push_back(called);
    }
  }
  return found;
}

}  // namespace

std::unique_ptr<HloModule> PerturbModule(const HloModule& module, uint64_t pattern) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  for (HloComputation* computation : Computations(*copy)) {
    for (HloInstruction* i : computation->instructions()) {
      if (!Rounds(*i)) continue;
      Literal factors(Shape::Array(i->shape().element_type(), i->shape().dimensions()));
      FillWithNearlyOne(factors, pattern + static_cast<uint64_t>(i->id()) * 7919);
      const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
      const bool was_root = i->IsRoot();
      HloInstruction* moved = computation->AddInstruction(HloOpcode::kMultiply, i->shape(),
                                                          {i, computation->AddConstant(std::move(factors))});
      for (HloInstruction* user : users) i->ReplaceUseWith(user, moved);
      if (was_root) computation->set_root(moved);
    }
  }
  return copy;
}

void FillWithNearlyOne(Literal& literal, uint64_t pattern) {
  const double ulp =
      std::ldexp(1.0, -GetFloatFormat(ComplexComponentType(literal.shape().element_type())).mantissa_bits);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const bool up = ((static_cast<uint64_t>(i) + pattern) * 0x9E3779B97F4A7C15 >> 63) != 0;
    literal.SetFromDouble(i, up ? 1 + ulp : 1 - ulp);
  }
}

}  // namespace hloir::check
