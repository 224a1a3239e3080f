// `origin` follows the instruction's shape: a tuple of origins for a tuple, and one entry, possibly unknown, for each
// leaf. tests/verifier_errors/origin.hlo.
#include "internal.h"

namespace hloir::verifier {

void VerifyOrigin(const HloInstruction& instruction, Errors& errors) {
  if (!instruction.has_extras() || !instruction.extras().original_value) return;
  if (instruction.extras().original_value->synthetic_call) return;
  std::vector<std::pair<const Shape*, const OriginalValue*>> pending;
  pending.emplace_back(&instruction.shape(), &*instruction.extras().original_value);
  while (!pending.empty()) {
    auto [shape, origin] = pending.back();
    pending.pop_back();
    const size_t size = shape->IsTuple() ? shape->tuple_shapes().size() : 0;
    if (origin->elements.size() != size || (size == 0 && origin->is_tuple && !shape->IsTuple())) {
      errors.Add(&instruction, "the origin has {} elements where the shape is {}", origin->elements.size(),
                 Text(*shape));
      return;
    }
    for (size_t i = 0; i < size; ++i) pending.emplace_back(&shape->tuple_shapes(i), &origin->elements[i]);
  }
}

}  // namespace hloir::verifier
