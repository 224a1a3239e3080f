// reduce-decomposer: a reduction's result lies as its operand does, without the dimensions that go; a copy lays it
// otherwise.
//
// BEFORE
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[4,5,6]{2,1,0} parameter(0)
//   zero = f32[] constant(0)
//   ROOT sums = f32[4,6]{0,1} reduce(x, zero), dimensions={1}, to_apply=add
// }
// AFTER
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[4,5,6]{2,1,0} parameter(0)
//   zero = f32[] constant(0)
//   sums = f32[4,6]{1,0} reduce(x, zero), dimensions={1}, to_apply=add
//   ROOT copy = f32[4,6]{0,1} copy(sums)
// }
// END
//
// Several arrays are all laid as the first is. Leaves alone: arrays without a layout.
#include "hloir/rewrite/rules.h"
#include "hloir/rewrite/util.h"

namespace hloir {
namespace rules {
namespace {

// The operand's layout without the reduced dimensions.
Layout LeftOf(const Layout& layout, const DimVector& reduced) {
  DimVector order;
  for (int64_t d : layout.minor_to_major()) {
    if (Contains(reduced, d)) continue;
    int64_t moved = d;
    for (int64_t gone : reduced) moved -= gone < d;
    order.push_back(moved);
  }
  return Layout(order);
}
Shape WithOrder(Shape shape, const Layout& layout) {
  shape.set_layout(Layout(layout.minor_to_major()));
  return shape;
}

HloInstruction* DecomposeReduce(HloInstruction* i, RuleContext& c) {
  const int64_t count = i->operand_count() / 2;
  for (int64_t k = 0; k < count; ++k) {
    if (!i->operand(k)->shape().has_layout()) return nullptr;
  }
  const Layout& layout = i->operand(0)->shape().layout();
  const Layout left = LeftOf(layout, i->dimensions());
  bool good = true;
  for (int64_t k = 0; k < count; ++k)
    good = good && i->operand(k)->shape().layout().minor_to_major() == layout.minor_to_major();
  const std::vector<const Shape*> results = i->shape().Leaves();
  for (const Shape* result : results) {
    if (!result->has_layout()) return nullptr;
    good = good && result->layout().minor_to_major() == left.minor_to_major();
  }
  if (good || !c.Allow()) return nullptr;
  std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().end());
  for (int64_t k = 1; k < count; ++k) {
    const Shape& shape = operands[static_cast<size_t>(k)]->shape();
    if (shape.layout().minor_to_major() == layout.minor_to_major()) continue;
    operands[static_cast<size_t>(k)] =
        c.Add(HloOpcode::kCopy, WithOrder(shape, layout), {operands[static_cast<size_t>(k)]}, NoAttributes());
  }
  std::vector<Shape> shapes;
  for (const Shape* result : results) shapes.push_back(WithOrder(*result, left));
  const Shape shape = i->shape().IsTuple() ? Shape::Tuple(shapes) : shapes[0];
  HloInstruction* reduced = c.computation()->AddClone(*i, operands, &shape);
  if (shape == i->shape()) return reduced;
  auto copy = [&](HloInstruction* x, const Shape& wanted) {
    return x->shape() == wanted ? x : c.Add(HloOpcode::kCopy, wanted, {x}, NoAttributes());
  };
  if (!i->shape().IsTuple()) return copy(reduced, i->shape());
  std::vector<HloInstruction*> copies;
  for (int64_t k = 0; k < count; ++k)
    copies.push_back(copy(c.computation()->AddGetTupleElement(reduced, k), *results[static_cast<size_t>(k)]));
  return c.computation()->AddTuple(copies);
}

constexpr Rule kReduceDecomposerRules[] = {
    {HloOpcode::kReduce, "lay-as-operand", "reduce(A, v) in another layout => copy(reduce(A, v))", kExact, kExact,
     DecomposeReduce},
};

}  // namespace
}  // namespace rules

PassDefinition DefineReduceDecomposer() { return rules::DefineRulePass(rules::kReduceDecomposerRules); }

}  // namespace hloir
