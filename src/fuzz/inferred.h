// Adds an instruction with an inferred shape, or nothing: for generators, whose random operands may be illegal.
// (HloBuilder keeps the first error.)
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "shape_inference/shape_inference.h"
#include "hloir/module.h"

namespace hloir::fuzz {

// nullptr if an operand is nullptr, if shape inference fails, or if the array would have too many elements.
template <class Operands, class A>
HloInstruction* AddInferred(HloComputation& computation, HloOpcode opcode, const Operands& operands, A attributes,
                            const std::vector<HloComputation*>& called, const Shape* stated, int64_t most_elements) {
  std::vector<const Shape*> shapes;
  for (const HloInstruction* operand : operands) {
    if (operand == nullptr) return nullptr;
    shapes.push_back(&operand->shape());
  }
  Attributes view;
  if constexpr (!std::is_same_v<A, NoAttributes>) view = &attributes;
  StatusOr<Shape> shape = InferShape(opcode, shapes, view, called, stated);
  if (!shape.ok() || (shape->IsArray() && shape->ElementCount() > most_elements)) return nullptr;
  HloInstruction* made =
      computation.AddInstruction(opcode, shape->WithDefaultLayout(), operands, std::move(attributes));
  for (HloComputation* callee : called) made->AddCalledComputation(callee);
  return made;
}

}  // namespace hloir::fuzz
