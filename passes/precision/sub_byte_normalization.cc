// sub-byte-normalization: marks elements of less than a byte as packed in layouts.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = s4[8]{0} parameter(0)
//   ROOT y = s4[8]{0} negate(x)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = s4[8]{0:E(4)} parameter(0)
//   ROOT y = s4[8]{0:E(4)} negate(x)
// }
// END
//
// All layouts at once, including the entry's, because shapes must agree. (XLA has the reverse under another option;
// here a layout without E(…) is equivalent.) Leaves alone: arrays without a layout; constants, whose text cannot
// express it.
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kPack = {"pack", "{0} => {0:E(4)}"};

// The shape with its packing written out.
Shape Packed(const Shape& shape) {
  Shape packed = shape;
  for (int64_t k = 0; shape.IsTuple() && k < shape.tuple_size(); ++k)
    packed.mutable_tuple_shape(k) = Packed(shape.tuple_shapes(k));
  const int bits = BitWidth(shape.element_type());
  if (bits > 0 && bits < 8 && shape.has_layout() && shape.layout().extras().element_size_in_bits != bits) {
    Layout layout = shape.layout();
    LayoutExtras extras = layout.extras();
    extras.element_size_in_bits = bits;
    layout.set_extras(std::move(extras));
    packed.set_layout(std::move(layout));
  }
  return packed;
}

class SubByteNormalization : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    std::vector<std::pair<HloInstruction*, Shape>> changes;
    for (HloInstruction* i : module.AllInstructions()) {
      if (i->IsConstant()) continue;
      Shape packed = Packed(i->shape());
      if (!(packed == i->shape())) changes.emplace_back(i, std::move(packed));
    }
    std::optional<ProgramShape>& entry = module.config().entry_computation_layout;
    ProgramShape wanted = entry ? *entry : ProgramShape();
    for (Shape& parameter : wanted.parameters) parameter = Packed(parameter);
    wanted.result = Packed(wanted.result);
    const bool other_entry = entry && !(wanted == *entry);
    if (changes.empty() && !other_entry) return false;
    HloInstruction* root = module.entry_computation()->root();
    if (!Ask(kPack, changes.empty() ? *root : *changes[0].first)) return false;
    for (auto& [i, shape] : changes) i->set_shape(shape);
    if (entry) *entry = std::move(wanted);
    gate_.Done(changes.empty() ? root : changes[0].first);
    return true;
  }
};

}  // namespace

PassDefinition DefineSubByteNormalization() { return {MakePassOf<SubByteNormalization>, {kPack}}; }

}  // namespace hloir
