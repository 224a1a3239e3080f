// See extremes.h. Covered by tests/unit/check_test.cc.
#include "check/extremes.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "check/compare.h"
#include "check/thresholds.h"
#include "hloir/analysis.h"

namespace hloir::check {
namespace {

constexpr std::initializer_list<HloOpcode> kUndefinedForSome = {HloOpcode::kRaggedDot, HloOpcode::kRaggedAllToAll,
                                                                HloOpcode::kCholesky, HloOpcode::kTriangularSolve,
                                                                HloOpcode::kCustomCall};

bool IsOneOf(HloOpcode opcode, std::initializer_list<HloOpcode> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

}  // namespace

bool IsForCoverage(InputKind kind) {
  return kind == InputKind::kEdges || kind == InputKind::kWide || kind == InputKind::kMixed ||
         kind == InputKind::kSpecials || kind == InputKind::kFar || kind == InputKind::kUniform;
}

bool HasLargeNumbers(const InputSet& set) {
  const std::function<bool(const Literal&)> has = [&](const Literal& literal) {
    for (const Literal& element : literal.elements())
      if (has(element)) return true;
    if (!IsFloat(ComplexComponentType(literal.shape().element_type()))) return false;
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      const double size = std::abs(literal.GetAsComplex(i));
      if (std::isfinite(size) && size > thresholds::kLarge) return true;
    }
    return false;
  };
  return std::any_of(set.devices.begin(), set.devices.end(), [&](const std::vector<Literal>& device) {
    return std::any_of(device.begin(), device.end(), has);
  });
}

int64_t CountOf(const HloModule& module, std::initializer_list<HloOpcode> opcodes) {
  int64_t count = 0;
  for (const HloComputation* computation : module.computations()) {
    const auto may_have = [&](HloOpcode opcode) { return computation->MayHave(opcode); };
    if (std::none_of(opcodes.begin(), opcodes.end(), may_have)) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next())
      count += IsOneOf(i->opcode(), opcodes) ? 1 : 0;
  }
  return count;
}
bool HasAny(const HloModule& module, std::initializer_list<HloOpcode> opcodes) {
  for (const HloInstruction* i : module.AllInstructions()) {
    if (IsOneOf(i->opcode(), opcodes)) return true;
  }
  return false;
}

bool MayLeaveF64(const HloModule& module) {
  return HasAny(module, {HloOpcode::kExp, HloOpcode::kExpm1, HloOpcode::kPower, HloOpcode::kCosh, HloOpcode::kSinh,
                         HloOpcode::kLogistic, HloOpcode::kWhile});
}

std::optional<Context> WithoutExtremes(const Context& context, size_t set, const HloModule& module, bool all_finite) {
  if (context.inputs[set].kind != InputKind::kCornerCases && !IsForCoverage(context.inputs[set].kind))
    return std::nullopt;
  Context tame{context.options, context.counts, {context.inputs[set]}};
  const bool finite_only = all_finite || HasComplexNumbers(module);
  const std::function<void(Literal&)> replace = [&](Literal& literal) {
    for (Literal& element : literal.elements()) replace(element);
    const PrimitiveType type = ComplexComponentType(literal.shape().element_type());
    if (!IsFloat(type)) return;
    const double smallest = SmallestNormal(type);
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      const std::complex<double> x = literal.GetAsComplex(i);
      const double size = std::max(std::abs(x.real()), std::abs(x.imag()));
      if (std::isfinite(std::abs(x)) ? size > thresholds::kLarge : finite_only)
        literal.SetFromDouble(i, x.real() < 0 ? -2 : 2);
      else if (size < smallest && size > 0) literal.SetFromDouble(i, 0);
    }
  };
  for (std::vector<Literal>& device : tame.inputs[0].devices) {
    for (Literal& literal : device) replace(literal);
  }
  return tame;
}

bool HasWholeArrayOps(const HloModule& module) {
  return HasAny(module, {HloOpcode::kRaggedDot, HloOpcode::kCholesky, HloOpcode::kTriangularSolve, HloOpcode::kFft,
                         HloOpcode::kBatchNormTraining, HloOpcode::kBatchNormInference, HloOpcode::kBatchNormGrad,
                         HloOpcode::kCustomCall});
}

bool IsUndefinedForSome(const HloModule& module) { return HasAny(module, kUndefinedForSome); }

bool HaveSameSolvers(const HloModule& a, const HloModule& b) {
  const auto solvers = [](const HloModule& module) {
    std::vector<const HloInstruction*> found;
    for (const HloInstruction* i : module.AllInstructions())
      if (IsOneOf(i->opcode(), kUndefinedForSome)) found.push_back(i);
    return found;
  };
  const auto alike = [](const HloInstruction* x, const HloInstruction* y) {
    const auto same_shape = [](const HloInstruction* i, const HloInstruction* j) {
      return i->shape().Compatible(j->shape());
    };
    return x->opcode() == y->opcode() && same_shape(x, y) && EqualAttributes(*x, *y) &&
           std::equal(x->operands().begin(), x->operands().end(), y->operands().begin(), y->operands().end(),
                      same_shape);
  };
  const std::vector<const HloInstruction*> of_a = solvers(a), of_b = solvers(b);
  return std::is_permutation(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), alike);
}

bool DiffersInNonfiniteAlone(const Comparison& comparison) {
  return std::all_of(comparison.leaves.begin(), comparison.leaves.end(),
                     [](const LeafDifference& leaf) { return leaf.agrees || (leaf.comparable && leaf.nonfinite > 0); });
}

bool LosesNumbers(const std::vector<Literal>& before, const std::vector<Literal>& after) {
  for (size_t d = 0; d < std::min(before.size(), after.size()); ++d) {
    const std::vector<const Literal*> x = before[d].Leaves(), y = after[d].Leaves();
    for (size_t k = 0; k < std::min(x.size(), y.size()); ++k) {
      const PrimitiveType type = x[k]->shape().element_type();
      if (!x[k]->shape().IsArray() || !(IsFloat(type) || IsComplex(type))) continue;
      for (int64_t i = 0; i < std::min(x[k]->element_count(), y[k]->element_count()); ++i) {
        const std::complex<double> a = x[k]->GetAsComplex(i), b = y[k]->GetAsComplex(i);
        if (IsFinite(a) && (std::isnan(b.real()) || std::isnan(b.imag()))) return true;
      }
    }
  }
  return false;
}

}  // namespace hloir::check
