// Rules of reduce-window. As for reduce, the init value is counted once, and rules do not change this unless it is an
// identity of the reducer.
#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

bool IsPlainReduceWindow(const HloInstruction* i) { return i->operand_count() == 2 && i->shape().IsArray(); }
const Window& WindowOf(const HloInstruction* i) { return i->attributes<WindowAttributes>().window; }
bool IsWhole(const WindowDimension& d) {
  return d.padding_low == 0 && d.padding_high == 0 && d.base_dilation == 1 && d.window_dilation == 1;
}

// reduce-window(empty, v) => broadcast(v)
HloInstruction* ReduceWindowOfEmpty(HloInstruction* i, RuleContext& c) {
  if (!IsPlainReduceWindow(i) || i->operand(0)->shape().ElementCount() != 0 || i->shape().rank() == 0 || !c.Allow())
    return nullptr;
  return c.Broadcast(i->operand(1), i->shape(), {});
}

// reduce-window(A, v), windows of one element => v op A
HloInstruction* ReduceWindowOfOne(HloInstruction* i, RuleContext& c) {
  if (!IsPlainReduceWindow(i)) return nullptr;
  for (const WindowDimension& d : WindowOf(i)) {
    if (d.size != 1 || d.stride != 1 || d.padding_low != 0 || d.padding_high != 0 || d.base_dilation != 1)
      return nullptr;
  }
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  HloInstruction *a = i->operand(0), *init = i->operand(1);
  if (!op || a->shape().element_type() != i->shape().element_type()) return nullptr;
  if (IsIdentityElement(*op, init)) return c.ReplaceWith(a);
  if (!c.Allow()) return nullptr;
  return c.CloneOver(i->to_apply()->root(), std::vector{c.BroadcastScalar(init, i->shape()), a}, i->shape());
}

// reduce-window(A, v), one window over whole dimensions => reshape(reduce(A, v))
HloInstruction* Whole(HloInstruction* i, RuleContext& c) {
  HloInstruction* a = i->operand(0);
  DimVector reduced, sizes;
  for (int64_t d = 0; d < a->shape().rank(); ++d) {
    const WindowDimension& w = WindowOf(i)[d];
    if (!IsWhole(w)) return nullptr;
    if (w.size == a->shape().dimensions(d)) {
      reduced.push_back(d);
    } else if (w.size == 1 && w.stride == 1) {
      sizes.push_back(a->shape().dimensions(d));
    } else {
      return nullptr;
    }
  }
  if (reduced.empty() || a->shape().ElementCount() == 0 || !c.Allow()) return nullptr;
  HloInstruction* reduce = c.Add(HloOpcode::kReduce, Shape::Array(i->shape().element_type(), sizes), {a, i->operand(1)},
                                 DimensionsAttributes{reduced});
  reduce->AddCalledComputation(i->to_apply());
  return reduce->shape().SameDimensions(i->shape()) ? reduce : c.Reshape(reduce, i->shape());
}

// The order of a reduction is open, so that rounding may differ.
bool WindowDependsOnOrder(const HloInstruction* i) {
  const std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  return !op || !(HasTrait(*op, kAssociative)) || *op == HloOpcode::kAdd || *op == HloOpcode::kMultiply;
}
HloInstruction* OfWhole(HloInstruction* i, RuleContext& c) {
  return IsPlainReduceWindow(i) && !WindowDependsOnOrder(i) ? Whole(i, c) : nullptr;
}
HloInstruction* SumOfWhole(HloInstruction* i, RuleContext& c) {
  return IsPlainReduceWindow(i) && WindowDependsOnOrder(i) ? Whole(i, c) : nullptr;
}

// reduce-window(pad(A, v), v) => reduce-window(A, v), a larger window padding, dilated where the pad was; v an
// identity, or 0 of a sum, which begins with +0 anyway
HloInstruction* ReduceWindowOfPad(HloInstruction* i, RuleContext& c) {
  HloInstruction* pad = i->operand(0);
  if (!IsPlainReduceWindow(i) || pad->opcode() != HloOpcode::kPad) return nullptr;
  const HloInstruction *v = SplatConstant(i->operand(1)), *padded = SplatConstant(pad->operand(1));
  std::optional<HloOpcode> op = BinaryReducer(i->to_apply());
  if (!op || v == nullptr || padded == nullptr || !v->literal().BitwiseEqual(padded->literal()) ||
      (!IsIdentityElement(*op, v) && !(*op == HloOpcode::kAdd && IsPositiveZero(v)))) {
    return nullptr;
  }
  Window window = WindowOf(i);
  for (size_t d = 0; d < window.size(); ++d) {
    const PaddingDimension& p = pad->attributes<PadAttributes>().padding[d];
    // Dilation also spreads the pad's elements.
    const bool dilated = window[d].base_dilation != 1 && (p.low != 0 || p.high != 0 || p.interior != 0);
    if (p.low < 0 || p.high < 0 || dilated ||
        (p.interior != 0 && pad->operand(0)->shape().dimensions(static_cast<int64_t>(d)) == 0)) {
      return nullptr;
    }
    if (p.interior != 0) window[d].base_dilation = p.interior + 1;
    window[d].padding_low += p.low;
    window[d].padding_high += p.high;
  }
  if (!c.Allow()) return nullptr;
  HloInstruction* result =
      c.Add(HloOpcode::kReduceWindow, i->shape(), {pad->operand(0), i->operand(1)}, WindowAttributes{window});
  result->AddCalledComputation(i->to_apply());
  return result;
}

constexpr Rule kReduceWindowRules[] = {
    {HloOpcode::kReduceWindow, "reduce-window-empty", "reduce-window(empty, v) => broadcast(v)", kExact, kExact,
     ReduceWindowOfEmpty},
    {HloOpcode::kReduceWindow, "reduce-window-one", "reduce-window(A, v), windows of one element => v op A", kExact,
     kExact, ReduceWindowOfOne},
    {HloOpcode::kReduceWindow, "reduce-window-whole", "reduce-window(A, v), one window => reshape(reduce(A, v))",
     kExact, kExact, OfWhole},
    {HloOpcode::kReduceWindow, "reduce-window-whole-sum", "reduce-window(A, v), one window => reshape(reduce(A, v))",
     kExact, kRounding, SumOfWhole},
    {HloOpcode::kReduceWindow, "reduce-window-pad", "reduce-window(pad(A, v), v) => reduce-window(A, v), v an identity",
     kExact, kExact, ReduceWindowOfPad},
};

}  // namespace

std::span<const Rule> ReduceWindowRules() { return kReduceWindowRules; }

}  // namespace hloir::rules
