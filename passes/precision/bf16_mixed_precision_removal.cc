// bf16-mixed-precision-removal: computes ops that mix bf16 and f32 in f32 alone, with conversions.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   x = bf16[4,8]{1,0} parameter(0)
//   y = f32[8,2]{1,0} parameter(1)
//   ROOT d = bf16[4,2]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = bf16[4,8]{1,0} parameter(0)
//   a = f32[4,8]{1,0} convert(x)
//   y = f32[8,2]{1,0} parameter(1)
//   d = f32[4,2]{1,0} dot(a, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ROOT narrow = bf16[4,2]{1,0} convert(d)
// }
// END
//
// For engines without mixed precision. Of class rounding: a sum may have been in another type. Leaves alone: ops that
// call computations, and ops whose result is not an array.
#include "type_change.h"

namespace hloir {
namespace {

constexpr RuleInfo kUnmix = {"unmix", "op(A, B) of bf16 and f32 => convert(op(convert(A), B))", MathMode::kRounding};

class Bf16MixedPrecisionRemoval : public TypeChangePass {
 public:
  Bf16MixedPrecisionRemoval(std::string_view name, const PassOptions& options)
      : TypeChangePass(name, options, kUnmix) {}

 private:
  MathMode ClassOf(const HloInstruction&) const override { return MathMode::kRounding; }
  bool Wants(const HloInstruction& i) const override {
    if (!i.shape().IsArray() || !i.called_computations().empty() || i.HasControlDependencies() ||
        i.Is(kCollective | kAsyncPart | kSideEffect))
      return false;
    if (IsOneOf(i.opcode(), HloOpcode::kConvert, HloOpcode::kBitcast, HloOpcode::kBitcastConvert,
                HloOpcode::kGetTupleElement, HloOpcode::kCustomCall, HloOpcode::kStochasticConvert))
      return false;
    const auto has = [&](PrimitiveType type) { return i.shape().element_type() == type || Reads(i, type); };
    return has(from_) && has(to_);
  }
};

}  // namespace

PassDefinition DefineBf16MixedPrecisionRemoval() { return {MakePassOf<Bf16MixedPrecisionRemoval>, {kUnmix}}; }

}  // namespace hloir
