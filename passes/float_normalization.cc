// float-normalization: what is computed in a narrow float type is computed in a wider one, and rounded after each operation.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = bf16[4]{0} parameter(0)
//   y = bf16[4]{0} parameter(1)
//   ROOT sum = bf16[4]{0} add(x, y)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = bf16[4]{0} parameter(0)
//   a = f32[4]{0} convert(x)
//   y = bf16[4]{0} parameter(1)
//   b = f32[4]{0} convert(y)
//   sum = f32[4]{0} add(a, b)
//   ROOT narrow = bf16[4]{0} convert(sum)
// }
// END
//
// The options `from` and `to` name the types; bf16 and f32 without them. Exact for the four arithmetic operations, and for those
// that do not round; others are of class rounding. Leaves alone: data movement; what calls computations (these are normalized
// themselves); whatever is tied to its type.
#include "pass_util.h"
#include "type_change.h"

namespace hloir {
namespace {

class FloatNormalization : public RewritingPass {
 public:
  explicit FloatNormalization(const PassOptions& options) : RewritingPass("float-normalization", options) {
    if (options_.types.from == PrimitiveType::INVALID) options_.types.from = PrimitiveType::BF16;
    if (options_.types.to == PrimitiveType::INVALID) options_.types.to = PrimitiveType::F32;
  }

  StatusOr<bool> Run(HloModule& module) override {
    const auto [from, to] = options_.types;
    if (!IsFloat(from) || !IsFloat(to) || GetFloatFormat(to).mantissa_bits <= GetFloatFormat(from).mantissa_bits) {
      return InvalidArgument("float-normalization goes from a float type to a wider one");
    }
    bool changed = false;
    for (HloComputation* computation : module.MakeComputationPostOrder()) {
      if (IsWrapped(*computation)) continue;
      for (HloInstruction* i : computation->MakeInstructionPostOrder()) {
        if (!Computes(*i) || !Has(*i, from)) continue;
        if (!Ask("widen", "op(A) => convert(op(convert(A)))", *i, ClassOfComputingIn(*i, from, to))) continue;
        PutInPlaceOf(i, ComputeIn(i, from, to));
        changed = true;
      }
    }
    return changed;
  }

 private:
  static bool Has(const HloInstruction& i, PrimitiveType type) {
    if (i.shape().element_type() == type) return true;
    return std::any_of(i.operands().begin(), i.operands().end(), [&](const HloInstruction* x) { return x->shape().element_type() == type; });
  }
  static bool Computes(const HloInstruction& i) {
    if (i.HasControlDependencies() || !i.shape().IsArray()) return false;
    switch (i.opcode()) {
      case HloOpcode::kConvert:
      case HloOpcode::kBitcastConvert:
      case HloOpcode::kCopy:
      case HloOpcode::kReducePrecision:
      case HloOpcode::kStochasticConvert: return false;
      case HloOpcode::kCompare: return i.attributes<CompareAttributes>().type != ComparisonType::kFloatTotalOrder;
      case HloOpcode::kDot:
      case HloOpcode::kConvolution: return true;
      default: return i.Is(kElementwise);
    }
  }
};

}  // namespace

std::unique_ptr<HloPass> MakeFloatNormalization(const PassOptions& options) { return std::make_unique<FloatNormalization>(options); }

}  // namespace hloir
