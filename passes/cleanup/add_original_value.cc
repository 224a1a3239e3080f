// add-original-value: records on each instruction its name, so that results of passes can be traced back.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   y = f32[4]{0} sine(x)
//   pair = (f32[4]{0}, f32[4]{0}) tuple(x, y)
//   ROOT first = f32[4]{0} get-tuple-element(pair), index=0
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0), origin={{"x"}}
//   y = f32[4]{0} sine(x), origin={{"y"}}
//   pair = (f32[4]{0}, f32[4]{0}) tuple(x, y), origin={({"x"}, {"y"})}
//   ROOT first = f32[4]{0} get-tuple-element(pair), index=0, origin={{"x"}}
// }
// END
//
// A tuple has the origins of its elements, and a get-tuple-element the origin in its tuple; every other array has its
// own name, which is made unique in the module first. Leaves alone: instructions that have an origin already.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSayOrigin = {"say-origin", "A => A, annotated with its origin"};

// Recursion is as deep as shapes nest, which the reader limits.
OriginalValue Itself(const std::string& name, const Shape& shape, ShapeIndex& index) {
  OriginalValue value;
  if (!shape.IsTuple()) {
    value.leaf = OriginalArray(name, index);
    return value;
  }
  value.is_tuple = true;
  for (int64_t k = 0; k < shape.tuple_size(); ++k) {
    index.push_back(k);
    value.elements.push_back(Itself(name, shape.tuple_shapes(k), index));
    index.pop_back();
  }
  return value;
}

// nullptr: it does not say.
const OriginalValue* OriginOf(const HloInstruction& i) {
  return i.has_extras() && i.extras().original_value ? &*i.extras().original_value : nullptr;
}

OriginalValue MakeOrigin(const HloInstruction& i) {
  if (i.opcode() == HloOpcode::kGetTupleElement) {
    const OriginalValue* tuple = OriginOf(*i.operand(0));
    if (tuple != nullptr && tuple->is_tuple) return tuple->elements[static_cast<size_t>(i.tuple_index())];
  }
  if (i.opcode() == HloOpcode::kTuple) {
    OriginalValue value;
    value.is_tuple = true;
    ShapeIndex index;
    for (const HloInstruction* element : i.operands()) {
      const OriginalValue* own = OriginOf(*element);
      value.elements.push_back(own != nullptr && !own->synthetic_call
                                   ? *own
                                   : Itself(std::string(element->name()), element->shape(), index));
    }
    return value;
  }
  ShapeIndex index;
  return Itself(std::string(i.name()), i.shape(), index);
}

class AddOriginalValue : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    std::vector<HloInstruction*> silent;
    for (HloComputation* computation : module.PostOrder()) {
      for (HloInstruction* i : computation->PostOrder()) {
        if (OriginOf(*i) == nullptr) silent.push_back(i);
      }
    }
    bool changed = false;
    for (HloInstruction* i : silent) {
      if (!Ask(kSayOrigin, *i)) continue;
      if (!changed) module.PutInTextOrder();
      changed = true;
      i->set_original_value(MakeOrigin(*i));
      gate_.Done(i);
    }
    return changed;
  }
};

}  // namespace

PassDefinition DefineAddOriginalValue() { return {MakePassOf<AddOriginalValue>, {kSayOrigin}}; }

}  // namespace hloir
