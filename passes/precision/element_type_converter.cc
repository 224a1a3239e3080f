// element-type-converter: computes operations on one element type in another.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = bf16[4,6]{1,0} parameter(0)
//   t = bf16[6,4]{1,0} transpose(x), dimensions={1,0}
//   ROOT s = bf16[6,4]{1,0} add(t, t)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = bf16[4,6]{1,0} parameter(0)
//   wide = f32[4,6]{1,0} convert(x)
//   t = f32[6,4]{1,0} transpose(wide), dimensions={1,0}
//   back = bf16[6,4]{1,0} convert(t)
//   a = f32[6,4]{1,0} convert(back)
//   b = f32[6,4]{1,0} convert(back)
//   s = f32[6,4]{1,0} add(a, b)
//   ROOT narrow = bf16[6,4]{1,0} convert(s)
// }
// END
//
// The options `from` and `to` name the types; bf16 and f32 without them. Parameters, constants and results keep their
// types; the algebraic simplifier removes conversions between operations. Of class fast unless the new type holds all
// of the old one's values (f64 to f32). Leaves alone: ops that call computations, and the parameters of these;
// collectives, custom-calls, and ops with a fixed type.
#include "type_change.h"

namespace hloir {
namespace {

constexpr RuleInfo kChangeType = {"change-type", "op(A) => convert(op(convert(A)))", MathMode::kFast};
constexpr ElementTypeOption kConvertFrom = {"from", "the type that is replaced", PrimitiveType::BF16};
constexpr ElementTypeOption kConvertTo = {"to", "the type that replaces it", PrimitiveType::F32};

class ElementTypeConverter : public TypeChangePass {
 public:
  ElementTypeConverter(std::string_view name, const PassOptions& options) : TypeChangePass(name, options, kChangeType) {
    from_ = options.Get(kConvertFrom);
    to_ = options.Get(kConvertTo);
  }

 private:
  Status CheckTypes() const override {
    if (from_ != to_ && GetTypeClass(from_) == GetTypeClass(to_)) return OkStatus();
    return InvalidArgument("element-type-converter goes from one type to another of its kind");
  }
  bool Wants(const HloInstruction& i) const override {
    return (i.operand_count() == 0 ? i.shape().element_type() == from_ : Reads(i, from_)) && MayChange(i);
  }
  static bool MayChange(const HloInstruction& i) {
    if (i.HasControlDependencies() || !i.shape().IsArray() || i.Is(kSideEffect | kAsyncPart | kCollective) ||
        !i.called_computations().empty())
      return false;
    const HloOpcode opcode = i.opcode();
    if (IsOneOf(opcode, HloOpcode::kParameter, HloOpcode::kConstant, HloOpcode::kConvert, HloOpcode::kBitcast,
                HloOpcode::kBitcastConvert, HloOpcode::kReducePrecision, HloOpcode::kStochasticConvert,
                HloOpcode::kGetTupleElement, HloOpcode::kComplex, HloOpcode::kReal, HloOpcode::kImag, HloOpcode::kFft,
                HloOpcode::kCustomCall, HloOpcode::kDomain, HloOpcode::kRng))
      return false;
    // Not of a complex number.
    if (opcode == HloOpcode::kAbs) return i.shape().element_type() == i.operand(0)->shape().element_type();
    return true;
  }
};

}  // namespace

PassDefinition DefineElementTypeConverter() {
  return {MakePassOf<ElementTypeConverter>, {kChangeType}, {kConvertFrom, kConvertTo}};
}

}  // namespace hloir
