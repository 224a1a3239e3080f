// rng-expander: random numbers of a distribution, from random bits.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   low = f32[] constant(1)
//   high = f32[] constant(2)
//   random = f32[8]{0} rng(low, high), distribution=rng_uniform
//   lows = f32[8]{0} broadcast(low), dimensions={}
//   ROOT good = pred[8]{0} compare(random, lows), direction=GE
// }
// AFTER
// END
//
// The bits are Philox's, by a key of the run's seed (the custom-call "GetRngSeed") and of the device, and the module's
// counter (rng-get-and-update-state). Floats in [1, 2) have random mantissas; normal ones use the Box-Muller transform.
// The numbers of an rng are unspecified, but different numbers are not an exact rewrite, so its class is rounding.
// Leaves alone: integers of less than a byte, pred, f8 and less, complex numbers.
#include <numbers>

#include "hloir/custom_call.h"
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;
constexpr PrimitiveType U64 = PrimitiveType::U64;

PrimitiveType UnsignedOf(int bits) {
  return bits == 8 ? PrimitiveType::U8 : bits == 16 ? PrimitiveType::U16 : bits == 32 ? PrimitiveType::U32 : U64;
}

// Philox's state: the key and a separate counter.
Op State(HloBuilder& b, int64_t numbers) {
  Op key = b.CustomCall(std::string(TargetOf(CustomCall::kGetRngSeed)), Shape::Scalar(U64), {});
  const ModuleConfig& config = b.module().config();
  if (config.replica_count > 1) key = b.Xor(key, b.Convert(b.ReplicaId(), U64));
  if (config.num_partitions > 1 && !config.use_spmd_partitioning) {
    key = b.Xor(key, b.ShiftLeft(b.Convert(b.PartitionId(), U64), b.Constant(uint64_t{32})));
  }
  const Shape counter = Shape::Array(U64, {2});
  // A call of Philox makes 128 bits, two numbers at least: this many steps are more than enough.
  const Op start = b.Make(HloOpcode::kRngGetAndUpdateState, HloBuilder::OpList{},
                          RngGetAndUpdateStateAttributes{numbers}, {}, &counter);
  return b.Concatenate({b.Reshape(key, {1}), start}, 0);
}

Op RandomBits(HloBuilder& b, int width, const DimVector& dims) {
  const Shape bits = Shape::Array(UnsignedOf(width), dims);
  return b.GetTupleElement(b.RngBitGenerator(RandomAlgorithm::kRngPhilox, State(b, bits.ElementCount()), bits), 1);
}

// Floats in [0, 1): a random mantissa under the exponent of 1, less 1.
Op Unit(HloBuilder& b, PrimitiveType type, const DimVector& dims) {
  const int width = BitWidth(type), mantissa = GetFloatFormat(type).mantissa_bits;
  const Op bits = RandomBits(b, width, dims);
  if (bits == nullptr) return nullptr;
  auto word = [&](uint64_t value) {
    return b.Broadcast(b.Constant(Literal::Scalar(bits->shape().element_type(), value)), dims, {});
  };
  const uint64_t one = static_cast<uint64_t>(GetFloatFormat(type).bias) << mantissa;
  const Op number =
      b.BitcastConvert(b.Or(b.ShiftRightLogical(bits, word(static_cast<uint64_t>(width - mantissa))), word(one)), type);
  return b.Subtract(number, b.Full(Shape::Array(type, dims), 1));
}

Op BuildRng(HloBuilder& b, HloInstruction& i, Ops x) {
  const DimVector& dims = i.shape().dimensions();
  const PrimitiveType type = i.shape().element_type();
  const bool normal = i.attributes<RngAttributes>().distribution == RandomDistribution::kRngNormal;
  if (IsInteger(type)) {
    const PrimitiveType bits = UnsignedOf(BitWidth(type));
    const Op low = b.Broadcast(b.Convert(x[0], bits), dims, {}), high = b.Broadcast(b.Convert(x[1], bits), dims, {});
    return b.Convert(b.Add(low, b.Remainder(RandomBits(b, BitWidth(type), dims), b.Subtract(high, low))), type);
  }
  const PrimitiveType wide = type == PrimitiveType::F64 ? type : PrimitiveType::F32;
  const Op first = b.Broadcast(b.Convert(x[0], wide), dims, {}), second = b.Broadcast(b.Convert(x[1], wide), dims, {});
  if (!normal) return b.Convert(b.Add(first, b.Multiply(b.Subtract(second, first), Unit(b, wide, dims))), type);
  const Shape shape = Shape::Array(wide, dims);
  const Op angle = b.Multiply(b.Full(shape, 2 * std::numbers::pi), Unit(b, wide, dims));
  const Op radius = b.Sqrt(b.Multiply(b.Full(shape, -2), b.Log(b.Subtract(b.Full(shape, 1), Unit(b, wide, dims)))));
  return b.Convert(b.Add(first, b.Multiply(second, b.Multiply(radius, b.Cos(angle)))), type);
}

HloInstruction* ExpandRng(HloInstruction* i, RuleContext& c) {
  const PrimitiveType type = i->shape().element_type();
  const RandomDistribution distribution = i->attributes<RngAttributes>().distribution;
  const bool float_type = IsFloat(type) && BitWidth(type) >= 16;
  if (distribution == RandomDistribution::kRngInvalid ||
      (distribution == RandomDistribution::kRngNormal && !float_type))
    return nullptr;
  if ((!float_type && !(IsInteger(type) && BitWidth(type) >= 8)) || i->operand_count() != 2 ||
      i->shape().ElementCount() == 0)
    return nullptr;
  for (const HloInstruction* operand : i->operands()) {
    if (!operand->shape().IsScalar() || operand->shape().element_type() != type) return nullptr;
  }
  return c.Expand(BuildRng);
}

constexpr Rule kRngExpanderRules[] = {
    {HloOpcode::kRng, "expand-rng", "rng(a, b) => a distribution of random bits", kRounding, kRounding, ExpandRng},
};

}  // namespace
}  // namespace rules

PassDefinition DefineRngExpander() { return rules::DefineRulePass(rules::kRngExpanderRules); }

}  // namespace hloir
