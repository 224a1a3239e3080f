// Rules of the ops that have one or two each: copy, add-dependency, bitcast, map, sort, scatter, get-dimension-size,
// tuple constants.
#include <unordered_map>

#include "algebraic_simplifier/families.h"

namespace hloir::rules {
namespace {

// copy(A) => A, same layout
HloInstruction* DropCopy(HloInstruction* i, RuleContext& c) {
  // A copy of a tuple may separate buffers that a while loop writes.
  return i->shape().IsArray() ? c.ReplaceWith(i->operand(0)) : nullptr;
}

// copy(copy(A)) => copy(A)
HloInstruction* CopyCopy(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kCopy || !i->shape().IsArray() || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kCopy, inner->operand(0));
}

// add-dependency(A, after-all()) => A: nothing is waited for
HloInstruction* AddDependencyOnNothing(HloInstruction* i, RuleContext& c) {
  const HloInstruction* token = i->operand(1);
  const bool waits =
      token->opcode() != HloOpcode::kAfterAll || token->operand_count() > 0 || token->HasControlDependencies();
  return waits || i->HasControlDependencies() ? nullptr : c.ReplaceWith(i->operand(0));
}

// bitcast(A) => A, same shape and layout
HloInstruction* Bitcast(HloInstruction* i, RuleContext& c) { return c.ReplaceWith(i->operand(0)); }

// map(A, B), f => f's instructions on A and B, where all of them are elementwise
HloInstruction* Map(HloInstruction* i, RuleContext& c) {
  constexpr int64_t kLargestBody = 64;
  const HloComputation* f = i->to_apply();
  if (f->instruction_count() > kLargestBody || !i->shape().IsArray()) return nullptr;
  std::vector<const HloInstruction*> order = f->PostOrder();
  for (const HloInstruction* at : order) {
    if (!at->IsParameter() && !(at->IsConstant() && at->shape().IsScalar()) && !at->Is(kElementwise)) return nullptr;
    if (at->HasControlDependencies()) return nullptr;
  }
  if (f->root()->IsParameter()) return c.ReplaceWith(i->operand(f->root()->parameter_number()));
  if (!c.Allow()) return nullptr;
  std::unordered_map<const HloInstruction*, HloInstruction*> made;
  for (const HloInstruction* at : order) {
    if (at->IsParameter()) {
      made[at] = i->operand(at->parameter_number());
    } else if (at->IsConstant()) {
      made[at] = c.SplatOf(Shape::Array(at->shape().element_type(), i->shape().dimensions()), at->literal());
    } else {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : at->operands()) operands.push_back(made[operand]);
      made[at] = c.CloneOver(at, operands, i->shape());
    }
  }
  return made[f->root()];
}

// sort(A) => A, along a dimension of size 0 or 1
HloInstruction* SortOfOne(HloInstruction* i, RuleContext& c) {
  const int64_t dimension = i->attributes<SortAttributes>().dimensions[0];
  if (i->operand(0)->shape().dimensions(dimension) > 1) return nullptr;
  if (i->operand_count() == 1 && i->shape().IsArray()) return c.ReplaceWith(i->operand(0));
  return c.Allow() ? c.computation()->AddTuple(i->operands()) : nullptr;
}

// scatter(A, indices, empty) => A
HloInstruction* Scatter(HloInstruction* i, RuleContext& c) {
  if (i->operand_count() != 3 || !i->shape().IsArray() || i->operand(2)->shape().ElementCount() != 0) return nullptr;
  return c.ReplaceWith(i->operand(0));
}

// get-dimension-size(A) => constant, A static
HloInstruction* GetDimensionSize(HloInstruction* i, RuleContext& c) {
  const int64_t size = i->operand(0)->shape().dimensions(i->dimensions()[0]);
  if (!i->shape().IsScalar() || size > INT32_MAX || !c.Allow()) return nullptr;
  return c.Splat(i->shape(), static_cast<double>(size));
}

// constant((x, y)) => tuple(constant(x), constant(y))
HloInstruction* TupleConstant(HloInstruction* i, RuleContext& c) {
  if (!i->shape().IsTuple() || i->literal().elided() || !c.Allow()) return nullptr;
  std::vector<HloInstruction*> elements;
  for (const Literal& element : i->literal().elements()) elements.push_back(c.Constant(element));
  return c.computation()->AddTuple(elements);
}

// bitcast(bitcast(A)) => bitcast(A)
HloInstruction* BitcastBitcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* inner = i->operand(0);
  if (inner->opcode() != HloOpcode::kBitcast || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kBitcast, inner->operand(0));
}

// True if the shapes have the same bytes.
bool IsRowByRow(const HloInstruction* reshape) {
  for (const Shape* shape : {&reshape->operand(0)->shape(), &reshape->shape()}) {
    if (!shape->has_layout() || shape->layout().has_extras() || !shape->layout().IsMajorToMinor()) return false;
  }
  return true;
}

// bitcast(reshape(A)) => bitcast(A), row by row
HloInstruction* BitcastReshape(HloInstruction* i, RuleContext& c) {
  HloInstruction* reshape = i->operand(0);
  if (reshape->opcode() != HloOpcode::kReshape || !IsRowByRow(reshape) || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kBitcast, i->shape(), {reshape->operand(0)}, NoAttributes());
}

// reshape(bitcast(A)) => bitcast(A), row by row
HloInstruction* ReshapeBitcast(HloInstruction* i, RuleContext& c) {
  HloInstruction* bitcast = i->operand(0);
  if (bitcast->opcode() != HloOpcode::kBitcast || !IsRowByRow(i) || !c.Allow()) return nullptr;
  return c.Add(HloOpcode::kBitcast, i->shape(), {bitcast->operand(0)}, NoAttributes());
}

// reshape(A), bitcast(A) => bitcast(A), row by row
HloInstruction* ReshapeAgain(HloInstruction* i, RuleContext& c) {
  if (!IsRowByRow(i) || i->module()->config().is_scheduled) return nullptr;
  for (HloInstruction* user : i->operand(0)->users()) {
    if (user->opcode() == HloOpcode::kBitcast && user->shape() == i->shape() && !user->HasControlDependencies())
      return c.ReplaceWith(user);
  }
  return nullptr;
}

// conditional(convert(P), A, B) => conditional(P, B, A), of two branches
HloInstruction* ConditionalConvert(HloInstruction* i, RuleContext& c) {
  HloInstruction* index = i->operand(0);
  if (i->IsPredConditional() || i->called_computations().size() != 2 || index->opcode() != HloOpcode::kConvert ||
      index->operand(0)->shape().element_type() != PrimitiveType::PRED || i->HasSideEffect() || !c.Allow()) {
    return nullptr;
  }
  HloInstruction* made = c.computation()->AddInstruction(HloOpcode::kConditional, i->shape(),
                                                         {index->operand(0), i->operand(2), i->operand(1)});
  made->AddCalledComputation(i->called_computations()[1]);
  made->AddCalledComputation(i->called_computations()[0]);
  return made;
}

constexpr Rule kOtherRules[] = {
    {HloOpcode::kCopy, "copy-nothing", "copy(A) => A, same layout", kExact, kExact, DropCopy},
    {HloOpcode::kCopy, "copy-copy", "copy(copy(A)) => copy(A)", kExact, kExact, CopyCopy},
    {HloOpcode::kAddDependency, "add-dependency-nothing", "add-dependency(A, after-all()) => A", kExact, kExact,
     AddDependencyOnNothing},
    {HloOpcode::kBitcast, "bitcast-nothing", "bitcast(A) => A, same shape", kExact, kExact, Bitcast},
    {HloOpcode::kMap, "map-elementwise", "map(A, B), f elementwise => f(A, B)", kExact, kExact, Map},
    {HloOpcode::kSort, "sort-one", "sort(A) => A, of at most one element", kExact, kExact, SortOfOne},
    {HloOpcode::kScatter, "scatter-empty", "scatter(A, indices, empty) => A", kExact, kExact, Scatter},
    {HloOpcode::kGetDimensionSize, "get-dimension-size-static", "get-dimension-size(A) => constant, A static", kExact,
     kExact, GetDimensionSize},
    {HloOpcode::kConstant, "constant-tuple", "constant((x, y)) => tuple(constant(x), constant(y))", kExact, kExact,
     TupleConstant},
    {HloOpcode::kBitcast, "bitcast-bitcast", "bitcast(bitcast(A)) => bitcast(A)", kExact, kExact, BitcastBitcast},
    {HloOpcode::kBitcast, "bitcast-reshape", "bitcast(reshape(A)) => bitcast(A), row by row", kExact, kExact,
     BitcastReshape},
    {HloOpcode::kReshape, "reshape-bitcast", "reshape(bitcast(A)) => bitcast(A), row by row", kExact, kExact,
     ReshapeBitcast},
    {HloOpcode::kReshape, "reshape-again", "reshape(A), bitcast(A) => bitcast(A), row by row", kExact, kExact,
     ReshapeAgain},
    {HloOpcode::kConditional, "conditional-convert", "conditional(convert(P), A, B) => conditional(P, B, A)", kExact,
     kExact, ConditionalConvert},
};

}  // namespace

std::span<const Rule> OtherRules() { return kOtherRules; }

}  // namespace hloir::rules
