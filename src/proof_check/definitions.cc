// Operations that are functions of others. A row states an operation's meaning in operations that the checker
// evaluates; `bits` says whether it holds bit for bit. An operation with no row is evaluated by evaluate.cc, or
// is a random function of its operands.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "hloir/builder.h"
#include "hloir/custom_call.h"
#include "proof_check/evaluate.h"

namespace hloir::proof_check {
namespace {

using Op = HloBuilder::Op;
using Ops = std::vector<Op>;
constexpr auto kBelow = ComparisonDirection::kLt;

bool IsSingleOrDouble(PrimitiveType type) { return type == PrimitiveType::F32 || type == PrimitiveType::F64; }

Op Filled(HloBuilder& b, Literal value, const DimVector& sizes) {
  return b.Broadcast(b.Constant(std::move(value)), sizes, {});
}

// Statistics of each feature are over all other dimensions; the variance is divided by the number of elements.
Op BatchNorm(HloBuilder& b, const HloInstruction& i, const Ops& x) {
  constexpr int64_t kMostExact = 1 << 24;  // of the integers in f32
  const BatchNormAttributes& norm = i.attributes<BatchNormAttributes>();
  const Shape& shape = i.operand(0)->shape();
  const PrimitiveType type = shape.element_type();
  const int64_t features = shape.dimensions(norm.feature_index);
  for (const HloInstruction* operand : i.operands()) {
    if (!IsSingleOrDouble(type) || operand->shape().element_type() != type) return nullptr;
  }
  if (shape.ElementCount() == 0 || shape.ElementCount() / features > kMostExact) return nullptr;
  const Shape of_features = Shape::Array(type, {features});
  DimVector others;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != norm.feature_index) others.push_back(d);
  }
  HloComputation* add = MakeReducer(b.module(), HloOpcode::kAdd, type);
  const Op count = b.Full(of_features, static_cast<double>(shape.ElementCount() / features));
  const auto sum = [&](Op y) { return b.Reduce(y, b.Constant(type, 0), others, add); };
  const auto spread = [&](Op y) { return b.Broadcast(y, shape.dimensions(), {norm.feature_index}); };
  const auto with_epsilon = [&](Op variance) {
    return b.Add(variance, b.Full(of_features, static_cast<double>(norm.epsilon)));
  };
  const auto normalized = [&](Op mean, Op variance) {
    const Op scaled = b.Multiply(b.Subtract(x[0], spread(mean)), spread(b.Rsqrt(with_epsilon(variance))));
    return b.Add(b.Multiply(scaled, spread(x[1])), spread(x[2]));
  };
  if (i.opcode() == HloOpcode::kBatchNormInference) return normalized(x[3], x[4]);
  if (i.opcode() == HloOpcode::kBatchNormTraining) {
    const Op mean = b.Divide(sum(x[0]), count), centred = b.Subtract(x[0], spread(mean)),
             variance = b.Divide(sum(b.Multiply(centred, centred)), count);
    return b.Tuple({normalized(mean, variance), mean, variance});
  }
  // The operands are the array, scale, mean, variance and the gradient of the result.
  const Op centred = b.Subtract(x[0], spread(x[2])), variance = with_epsilon(x[3]), of_offset = sum(x[4]),
           product = sum(b.Multiply(x[4], centred)), root = b.Rsqrt(variance);
  const Op towards_mean = spread(b.Divide(of_offset, count)),
           towards_variance = b.Multiply(centred, spread(b.Divide(b.Divide(product, count), variance)));
  const Op inner = b.Subtract(b.Subtract(x[4], towards_mean), towards_variance);
  return b.Tuple({b.Multiply(spread(b.Multiply(x[1], root)), inner), b.Multiply(product, root), of_offset});
}

// The bits as an integer, whose other bits are inverted if it is negative, are in the total order.
Op TotalOrder(HloBuilder& b, const HloInstruction& i, const Ops& x) {
  const CompareAttributes& compare = i.attributes<CompareAttributes>();
  const Shape& shape = i.operand(0)->shape();
  if (compare.type != ComparisonType::kFloatTotalOrder || !IsFloat(shape.element_type())) return nullptr;
  const int bits = BitWidth(shape.element_type());
  if (bits < 16) return nullptr;
  const PrimitiveType type = bits == 16 ? PrimitiveType::S16 : bits == 32 ? PrimitiveType::S32 : PrimitiveType::S64;
  const Op zero = Filled(b, Literal(Shape::Scalar(type)), shape.dimensions()),
           others = Filled(b, Literal::MaxValue(type), shape.dimensions());
  const auto key = [&](Op y) {
    const Op whole = b.BitcastConvert(y, type);
    return b.Select(b.Compare(whole, zero, kBelow), b.Xor(whole, others), whole);
  };
  return b.Compare(key(x[0]), key(x[1]), compare.direction);
}

// Away from 0 if the fraction, as a fixed-point number, exceeds the random bits. The arithmetic is exact.
Op StochasticConvert(HloBuilder& b, const HloInstruction& i, const Ops& x) {
  const Shape& shape = i.operand(0)->shape();
  const PrimitiveType from = shape.element_type(), to = i.shape().element_type(),
                      random = i.operand(1)->shape().element_type();
  if (!IsSingleOrDouble(from) || !IsInteger(to) || !IsSigned(to) || !IsUnsigned(random) ||
      BitWidth(random) != BitWidth(from))
    return nullptr;
  const Op size = b.Abs(x[0]), whole = b.Floor(size), down = b.Convert(whole, to);
  const Op fraction = b.Multiply(b.Subtract(size, whole), b.Full(shape, std::ldexp(1.0, BitWidth(random))));
  const Op up = b.Compare(x[1], b.Convert(fraction, random), kBelow);
  const Op rounded = b.Select(up, b.Add(down, b.Full(i.shape(), 1)), down);
  Op result = b.Select(b.Compare(b.Sign(x[0]), b.Full(shape, 0), kBelow), b.Negate(rounded), rounded);
  const auto end = [&](const Literal& value, ComparisonDirection beyond) {
    const Op limit = Filled(b, value.Convert(from), shape.dimensions());
    result = b.Select(b.Compare(x[0], limit, beyond), Filled(b, value, shape.dimensions()), result);
  };
  end(Literal::MinValue(to), ComparisonDirection::kLe);
  end(Literal::MaxValue(to), ComparisonDirection::kGe);
  return result;
}

// A stable sort along the last dimension by the total order, of which the first are kept.
Op TopK(HloBuilder& b, const HloInstruction& i, const Ops& x) {
  const bool is_call = i.opcode() == HloOpcode::kCustomCall;
  const std::vector<const Shape*> results = i.shape().Leaves();
  if ((is_call && !IsCustomCall(i, CustomCall::kTopK)) || x.size() != 1 || results.size() != 2) return nullptr;
  const Shape &shape = i.operand(0)->shape(), places = shape.WithElementType(results[1]->element_type());
  const bool largest = is_call || i.attributes<TopKAttributes>().largest;
  HloBuilder order(b.module(), "order");
  const Op p = order.Parameter(0, Shape::Scalar(shape.element_type())), q = order.Parameter(1, p->shape());
  for (int64_t k : {2, 3}) order.Parameter(k, Shape::Scalar(places.element_type()));
  const Op before =
      order.Compare(p, q, largest ? ComparisonDirection::kGt : kBelow,
                    IsFloat(shape.element_type()) ? ComparisonType::kFloatTotalOrder : ComparisonType::kDefault);
  const auto comparator = order.Build(before);
  if (!comparator.ok()) return nullptr;
  const int64_t last = shape.rank() - 1;
  const Op sorted = b.Sort({x[0], b.Iota(places, last)}, last, *comparator, true);
  const auto first = [&](int64_t k) {
    return b.Slice(b.GetTupleElement(sorted, k), DimVector(shape.rank(), 0),
                   results[static_cast<size_t>(k)]->dimensions());
  };
  return b.Tuple({first(0), first(1)});
}

struct Definition {
  HloOpcode opcode;
  bool bits;                                                         // holds bit for bit
  Op (*make)(HloBuilder& b, const HloInstruction& i, const Ops& x);  // null if it has no meaning for these types
};
constexpr Definition kDefinitions[] = {
    {HloOpcode::kBatchNormTraining, false, BatchNorm},
    {HloOpcode::kBatchNormInference, false, BatchNorm},
    {HloOpcode::kBatchNormGrad, false, BatchNorm},
    {HloOpcode::kCompare, true, TotalOrder},
    {HloOpcode::kStochasticConvert, true, StochasticConvert},
    {HloOpcode::kTopK, true, TopK},
    {HloOpcode::kCustomCall, false, TopK},
};

}  // namespace

const HloComputation* Shared::DefinitionOf(const HloInstruction& i, bool bits) {
  const Definition* row = nullptr;
  for (const Definition& definition : kDefinitions) {
    if (definition.opcode == i.opcode() && (definition.bits || !bits)) row = &definition;
  }
  if (row == nullptr) return nullptr;
  const auto [known, added] = definitions_.try_emplace(&i);
  if (added) {
    auto module = std::make_unique<HloModule>("definition");
    HloBuilder b(*module, "definition");
    Ops x;
    for (const HloInstruction* operand : i.operands())
      x.push_back(b.Parameter(static_cast<int64_t>(x.size()), operand->shape()));
    if (const Op root = row->make(b, i, x); root != nullptr && b.BuildEntry(root).ok())
      known->second = std::move(module);
  }
  return known->second != nullptr ? known->second->entry_computation() : nullptr;
}

}  // namespace hloir::proof_check
