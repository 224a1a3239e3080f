// Rules of constant and iota: large constants replaced by shorter formulas. Also rules for every elementwise op: an
// operation on broadcasts is a broadcast of the operation.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

// Shorter lists are kept, because they are easier to read.
constexpr int64_t kShortestIota = 8;

// constant({c, c, …}) => broadcast(constant(c))
HloInstruction* ConstantSplat(HloInstruction* i, RuleContext& c) {
  const Literal& literal = i->literal();
  if (!i->shape().IsArray() || i->shape().rank() == 0 || literal.elided() || literal.element_count() == 0 ||
      !literal.IsAllSame() || !c.Allow()) {
    return nullptr;
  }
  PrimitiveType type = i->shape().element_type();
  Literal scalar(Shape::Scalar(type));
  PrimitiveTypeSwitch(type, [&](auto tag) {
    using S = typename decltype(tag)::Storage;
    scalar.data<S>()[0] = literal.data<S>()[0];
  });
  return c.SplatOf(i->shape(), std::move(scalar));
}

// constant({0, 1, 2, …}) => iota
HloInstruction* ConstantIota(HloInstruction* i, RuleContext& c) {
  const Literal& literal = i->literal();
  if (!IsIntegral(i) || i->shape().rank() != 1 || literal.elided() || literal.element_count() < kShortestIota)
    return nullptr;
  for (int64_t k = 0; k < literal.element_count(); ++k) {
    if (literal.GetAsInt64(k) != k) return nullptr;
  }
  if (!c.Allow()) return nullptr;
  return c.Add(HloOpcode::kIota, i->shape(), {}, IotaAttributes{0});
}

// iota => 0, over a dimension of size 1
HloInstruction* IotaOne(HloInstruction* i, RuleContext& c) {
  if (i->shape().dimensions(i->attributes<IotaAttributes>().iota_dimension) > 1 || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), 0);
}

// op(broadcast(A), broadcast(B), …) => broadcast(op(A, B, …)), broadcasts from equal shapes along equal dimensions
HloInstruction* OnBroadcasts(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() == 0 || i->shape().rank() == 0) return nullptr;
  HloInstruction* first = nullptr;
  for (HloInstruction* operand : i->operands()) {
    // Bounds of clamp and predicates of select may be scalars; they are equivalent to broadcasts if all operands are
    // scalars.
    if (operand->opcode() != HloOpcode::kBroadcast || !operand->shape().SameDimensions(i->shape())) return nullptr;
    if (first == nullptr) first = operand;
    if (!operand->operand(0)->shape().SameDimensions(first->operand(0)->shape()) ||
        operand->dimensions() != first->dimensions()) {
      return nullptr;
    }
  }
  if (first->operand(0)->shape().ElementCount() >= i->shape().ElementCount() || !c.Allow()) return nullptr;
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : i->operands()) operands.push_back(operand->operand(0));
  HloInstruction* small = c.CloneOver(i, operands, first->operand(0)->shape());
  return c.Broadcast(small, i->shape(), first->dimensions());
}

constexpr Rule kConstant[] = {
    {HloOpcode::kConstant, "constant-splat", "constant({c, c, ...}) => broadcast(constant(c))", kExact, kExact,
     ConstantSplat},
    {HloOpcode::kConstant, "constant-iota", "constant({0, 1, 2, ...}) => iota", kExact, kExact, ConstantIota},
    {HloOpcode::kIota, "iota-one", "iota => 0, over a dimension of size 1", kExact, kExact, IotaOne},
};
constexpr Rule kElementwiseOps[] = {
    {.name = "elementwise-of-broadcasts",
     .formula = "op(broadcast(A), broadcast(B)) => broadcast(op(A, B))",
     .integers = kExact,
     .floats = kExact,
     .apply = OnBroadcasts,
     .every_elementwise = true},
};

}  // namespace

std::span<const Rule> ConstantRules() { return kConstant; }
std::span<const Rule> ElementwiseRules() { return kElementwiseOps; }

}  // namespace hloir::rules
