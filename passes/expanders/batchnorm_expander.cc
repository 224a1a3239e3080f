// batchnorm-expander: batch normalization as the elementwise operations and reductions that it is, which then fuse.
//
// BEFORE --math=rounding
// HloModule example
//
// ENTRY main {
//   x = f32[8,4]{1,0} parameter(0)
//   scale = f32[4]{0} parameter(1)
//   offset = f32[4]{0} parameter(2)
//   mean = f32[4]{0} parameter(3)
//   variance = f32[4]{0} parameter(4)
//   ROOT n = f32[8,4]{1,0} batch-norm-inference(x, scale, offset, mean, variance), epsilon=0.001, feature_index=1
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[8,4]{1,0} parameter(0)
//   mean = f32[4]{0} parameter(3)
//   b0 = f32[8,4]{1,0} broadcast(mean), dimensions={1}
//   centered = f32[8,4]{1,0} subtract(x, b0)
//   variance = f32[4]{0} parameter(4)
//   epsilon = f32[] constant(0.001)
//   epsilons = f32[4]{0} broadcast(epsilon), dimensions={}
//   sum = f32[4]{0} add(variance, epsilons)
//   r = f32[4]{0} rsqrt(sum)
//   b1 = f32[8,4]{1,0} broadcast(r), dimensions={1}
//   normal = f32[8,4]{1,0} multiply(centered, b1)
//   scale = f32[4]{0} parameter(1)
//   b2 = f32[8,4]{1,0} broadcast(scale), dimensions={1}
//   scaled = f32[8,4]{1,0} multiply(normal, b2)
//   offset = f32[4]{0} parameter(2)
//   b3 = f32[8,4]{1,0} broadcast(offset), dimensions={1}
//   ROOT n = f32[8,4]{1,0} add(scaled, b3)
// }
// END
//
// Class rounding, as the op itself leaves open in which precision it computes: ours is the widest of its operands'
// types, and f32 at least. Rounding each step to bf16 would cost most digits.
#include "hloir/rules.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

PrimitiveType ComputedIn(const HloInstruction& i) {
  PrimitiveType widest = PrimitiveType::F32;
  for (const HloInstruction* operand : i.operands()) {
    if (operand->shape().element_type() == PrimitiveType::F64) widest = PrimitiveType::F64;
  }
  return widest;
}

// Common to the three ops: operands in the type of the computation, the shape of x in that type, its features, and
// conversions between both types.
struct Normalization {
  Normalization(HloBuilder& builder, const HloInstruction& i, Ops operands)
      : b(builder),
        results(i.shape()),
        shape(i.operand(0)->shape().WithElementType(ComputedIn(i))),
        attributes(i.attributes<BatchNormAttributes>()) {
    for (Op operand : operands) x.push_back(In(operand, shape.element_type()));
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (d != attributes.feature_index) reduced.push_back(d);
    }
    const int64_t features = shape.dimensions(attributes.feature_index);
    feature_shape = Shape::Array(shape.element_type(), {features});
    count = features == 0 ? 0 : static_cast<double>(shape.ElementCount() / features);
  }
  Op In(Op op, PrimitiveType type) { return op->shape().element_type() == type ? op : b.Convert(op, type); }
  Op Wide(Op per_feature) { return b.Broadcast(per_feature, shape.dimensions(), {attributes.feature_index}); }
  Op Sum(Op x) {
    return b.Reduce(x, b.Constant(shape.element_type(), 0), reduced,
                    MakeReducer(b.module(), HloOpcode::kAdd, shape.element_type()));
  }
  Op Mean(Op x) { return b.Divide(Sum(x), b.Full(feature_shape, count)); }
  Op InverseDeviation(Op variance) {
    return b.Rsqrt(b.Add(variance, b.Full(feature_shape, static_cast<double>(attributes.epsilon))));
  }
  Op Normalize(Op centered, Op variance, Op scale, Op offset) {
    return b.Add(b.Multiply(b.Multiply(centered, Wide(InverseDeviation(variance))), Wide(scale)), Wide(offset));
  }

  // The results in their own types.
  Op Result(Op normalized) { return In(normalized, results.element_type()); }
  Op Result(Op normalized, Op first, Op second) {
    const auto in = [&](Op op, size_t k) { return In(op, results.tuple_shapes()[k].element_type()); };
    return b.Tuple({in(normalized, 0), in(first, 1), in(second, 2)});
  }

  HloBuilder& b;
  const Shape& results;
  const Shape shape;
  const BatchNormAttributes& attributes;
  std::vector<Op> x;
  DimVector reduced;
  Shape feature_shape;
  double count = 0;  // elements of each feature
};

// batch-norm-inference => (x - mean) * rsqrt(variance + epsilon) * scale + offset
HloInstruction* Inference(HloInstruction*, RuleContext& c) {
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops operands) {
    Normalization n(b, i, operands);
    const std::vector<Op>& x = n.x;
    return n.Result(n.Normalize(b.Subtract(x[0], n.Wide(x[3])), x[4], x[1], x[2]));
  });
}

// batch-norm-training => the same with the mean and variance of x, which are results too
HloInstruction* Training(HloInstruction*, RuleContext& c) {
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops operands) {
    Normalization n(b, i, operands);
    const std::vector<Op>& x = n.x;
    Op mean = n.Mean(x[0]);
    Op centered = b.Subtract(x[0], n.Wide(mean));
    Op variance = n.Mean(b.Multiply(centered, centered));
    return n.Result(n.Normalize(centered, variance, x[1], x[2]), mean, variance);
  });
}

// batch-norm-grad => the gradients of x, scale and offset
HloInstruction* Gradient(HloInstruction*, RuleContext& c) {
  return c.Expand([](HloBuilder& b, HloInstruction& i, Ops operands) {
    Normalization n(b, i, operands);
    const std::vector<Op>& x = n.x;
    Op scale = x[1], centered = b.Subtract(x[0], n.Wide(x[2])), gradient = x[4], r = n.InverseDeviation(x[3]);
    Op sum = n.Sum(gradient), moment = n.Sum(b.Multiply(gradient, centered));
    Op count = b.Full(n.feature_shape, n.count);
    Op along = b.Multiply(centered, n.Wide(b.Multiply(b.Multiply(r, r), b.Divide(moment, count))));
    Op inner = b.Subtract(b.Subtract(gradient, n.Wide(b.Divide(sum, count))), along);
    return n.Result(b.Multiply(n.Wide(b.Multiply(scale, r)), inner), b.Multiply(moment, r), sum);
  });
}

constexpr Rule kBatchnormExpanderRules[] = {
    {HloOpcode::kBatchNormInference, "expand-inference",
     "batch-norm-inference => (x - mean) * rsqrt(variance + epsilon) * scale + offset", kRounding, kRounding,
     Inference},
    {HloOpcode::kBatchNormTraining, "expand-training", "batch-norm-training => x normalized, its mean, its variance",
     kRounding, kRounding, Training},
    {HloOpcode::kBatchNormGrad, "expand-grad", "batch-norm-grad => the gradients of x, scale and offset", kRounding,
     kRounding, Gradient},
};

}  // namespace
}  // namespace rules

PassDefinition DefineBatchNormExpander() { return rules::DefineRulePass(rules::kBatchnormExpanderRules); }

}  // namespace hloir
