// float-normalization: computes operations on a narrow float type in a wider one, and rounds after each operation.
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
// The options `from` and `to` name the types; bf16 and f32 without them. Exact for the four arithmetic operations, and
// for those that do not round; others are of class rounding. Leaves alone: data movement; ops that call computations
// (whose bodies are normalized); ops with a fixed type.
#include "type_change.h"

namespace hloir {
namespace {

constexpr RuleInfo kWiden = {"widen", "op(A) => convert(op(convert(A)))", MathMode::kRounding};
constexpr ElementTypeOption kUnsupportedType = {"from", "the type that is not computed in", PrimitiveType::BF16};
constexpr ElementTypeOption kNormalizedType = {"to", "the type that is computed in instead", PrimitiveType::F32};

class FloatNormalization : public TypeChangePass {
 public:
  FloatNormalization(std::string_view name, const PassOptions& options) : TypeChangePass(name, options, kWiden) {
    from_ = options.Get(kUnsupportedType);
    to_ = options.Get(kNormalizedType);
  }

 private:
  Status CheckTypes() const override {
    if (IsFloat(from_) && IsFloat(to_) && GetFloatFormat(to_).mantissa_bits > GetFloatFormat(from_).mantissa_bits)
      return OkStatus();
    return InvalidArgument("float-normalization goes from a float type to a wider one");
  }
  bool Wants(const HloInstruction& i) const override {
    return Computes(i) && (i.shape().element_type() == from_ || Reads(i, from_));
  }
  static bool Computes(const HloInstruction& i) {
    if (i.HasControlDependencies() || !i.shape().IsArray()) return false;
    const HloOpcode opcode = i.opcode();
    if (IsOneOf(opcode, HloOpcode::kConvert, HloOpcode::kBitcastConvert, HloOpcode::kCopy, HloOpcode::kReducePrecision,
                HloOpcode::kStochasticConvert))
      return false;
    if (opcode == HloOpcode::kCompare)
      return i.attributes<CompareAttributes>().type != ComparisonType::kFloatTotalOrder;
    if (IsOneOf(opcode, HloOpcode::kDot, HloOpcode::kConvolution)) return true;
    return i.Is(kElementwise);
  }
};

}  // namespace

PassDefinition DefineFloatNormalization() {
  return {MakePassOf<FloatNormalization>, {kWiden}, {kUnsupportedType, kNormalizedType}};
}

}  // namespace hloir
