// Custom-calls of a few ops each: normalization, sorts, random bits, halves of 64-bit numbers, rotations, marks.
#include <charconv>
#include <optional>
#include <vector>

#include "custom_calls/call.h"
#include "support/format.h"

namespace hloir::custom_calls {
namespace {

constexpr std::string_view kNorms[] = {"LAYER_FWD_INFER", "LAYER_FWD_TRAIN", "LAYER_BWD"};

// The value of a constant scalar operand.
std::optional<double> ConstantOperand(const Call& call, int64_t i) {
  const HloInstruction& x = *call.instruction.operand(i);
  if (!x.IsConstant() || !x.shape().IsScalar() || x.literal().elided()) return std::nullopt;
  return x.literal().GetAsDouble(0);
}
// Attributes of the old calls for batch normalization, which are their last operands.
struct BatchNormOptions {
  float epsilon;
  int64_t feature_index;
};
StatusOr<BatchNormOptions> ReadBatchNorm(const Call& call, size_t operands) {
  if (call.x.size() != operands) return Wrong(call, Format("expected {} operands, got {}", operands, call.x.size()));
  const int64_t last = static_cast<int64_t>(operands) - 1;
  const auto epsilon = ConstantOperand(call, last - 1), feature = ConstantOperand(call, last);
  if (!epsilon || !feature) return Unknown(call, "an epsilon or a feature index that is not a constant");
  if (!(*feature >= 0) || *feature >= static_cast<double>(call.x[0]->shape().rank()))
    return Wrong(call, "its feature index is not a dimension");
  return BatchNormOptions{static_cast<float>(*epsilon), static_cast<int64_t>(*feature)};
}

}  // namespace

// Layer normalization over the dimensions in which `scale` has a size above 1. Operands: x, scale, bias; backward x,
// scale, dy, mean, 1/deviation. Results: y, in training mean and 1/deviation too; backward dx, dscale, dbias.
StatusOr<Op> Norm(const Call& call) {
  HloBuilder& b = call.b;
  const Json& config = call.Section("cudnn_norm_backend_config");
  const std::string kind = Choice(config, "kind", kNorms);
  const bool backward = kind == "LAYER_BWD", training = kind == "LAYER_FWD_TRAIN";
  if (call.x.size() != (backward ? 5 : 3)) return Wrong(call, Format("{} operands do not fit its kind", call.x.size()));
  const PrimitiveType type = Accumulator(call.x[0]->shape().element_type());
  const DimVector sizes = call.x[0]->shape().dimensions(), features = call.x[1]->shape().dimensions();
  if (features.size() != sizes.size()) return Wrong(call, "its scale has another number of dimensions than x");
  DimVector normalized, others, rows = sizes;
  double count = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (features[d] == 1) {
      others.push_back(static_cast<int64_t>(d));
      continue;
    }
    normalized.push_back(static_cast<int64_t>(d));
    count *= static_cast<double>(sizes[d]);
    rows[d] = 1;
  }
  HloComputation* add = MakeReducer(b.module(), HloOpcode::kAdd, type);
  const auto sum = [&](Op x, const DimVector& dims, const DimVector& kept) {
    return b.Reshape(b.Reduce(x, b.Constant(type, 0), dims, add), kept);
  };
  const auto mean_of = [&](Op x) { return call.Scaled(sum(x, normalized, rows), 1 / count); };
  const auto spread = [&](Op x) { return call.Spread(x, sizes); };
  const Op x = call.As(call.x[0], type), scale = call.As(call.x[1], type);
  if (backward) {
    const Op dy = call.As(call.x[2], type), mean = b.Reshape(call.As(call.x[3], type), rows);
    const Op inverse = spread(b.Reshape(call.As(call.x[4], type), rows));
    const Op normal = b.Multiply(b.Subtract(x, spread(mean)), inverse), scaled = b.Multiply(dy, spread(scale));
    const Op moved = b.Add(spread(mean_of(scaled)), b.Multiply(normal, spread(mean_of(b.Multiply(scaled, normal)))));
    return call.Give({b.Multiply(inverse, b.Subtract(scaled, moved)), sum(b.Multiply(dy, normal), others, features),
                      sum(dy, others, features)});
  }
  const Op mean = mean_of(x), centered = b.Subtract(x, spread(mean));
  const Op variance = mean_of(b.Multiply(centered, centered));
  const Op inverse = b.Rsqrt(b.Add(variance, call.Number(type, rows, Float(config, "epsilon"))));
  const Op y =
      b.Add(b.Multiply(b.Multiply(centered, spread(inverse)), spread(scale)), spread(call.As(call.x[2], type)));
  if (!training) return call.Give({y});
  return call.Give({y, b.Reshape(mean, call.Result(1).dimensions()), b.Reshape(inverse, call.Result(2).dimensions())});
}

// Until 2023 XLA called cuDNN for batch-norm-inference, -training and -grad. The third result of training, and the
// fourth operand of the derivative, is 1/deviation, where HLO has the variance.
StatusOr<Op> BatchNormInference(const Call& call) {
  HLOIR_ASSIGN_OR_RETURN(const BatchNormOptions how, ReadBatchNorm(call, 7));
  return call.Give({call.b.BatchNormInference(call.x[0], call.x[1], call.x[2], call.x[3], call.x[4], how.epsilon,
                                              how.feature_index)});
}
StatusOr<Op> BatchNormTraining(const Call& call) {
  HloBuilder& b = call.b;
  HLOIR_ASSIGN_OR_RETURN(const BatchNormOptions how, ReadBatchNorm(call, 5));
  const Op normal = b.BatchNormTraining(call.x[0], call.x[1], call.x[2], how.epsilon, how.feature_index);
  if (normal == nullptr || call.Results() < 3) return Wrong(call, "it gives an array, its means and 1/deviations");
  const Op variance = b.GetTupleElement(normal, 2);
  const Op epsilon =
      call.Number(variance->shape().element_type(), variance->shape().dimensions(), static_cast<double>(how.epsilon));
  return call.Give({b.GetTupleElement(normal, 0), b.GetTupleElement(normal, 1), b.Rsqrt(b.Add(variance, epsilon))});
}
StatusOr<Op> BatchNormBackward(const Call& call) {
  HloBuilder& b = call.b;
  HLOIR_ASSIGN_OR_RETURN(const BatchNormOptions how, ReadBatchNorm(call, 7));
  const Op inverse = call.x[3];
  const PrimitiveType type = inverse->shape().element_type();
  const DimVector sizes = inverse->shape().dimensions();
  const Op variance = b.Subtract(b.Divide(call.Number(type, sizes, 1), b.Multiply(inverse, inverse)),
                                 call.Number(type, sizes, static_cast<double>(how.epsilon)));
  const Op slopes =
      b.BatchNormGrad(call.x[0], call.x[1], call.x[2], variance, call.x[4], how.epsilon, how.feature_index);
  if (slopes == nullptr || call.Results() < 3) return Wrong(call, "it gives three derivatives");
  return call.Give({b.GetTupleElement(slopes, 0), b.GetTupleElement(slopes, 1), b.GetTupleElement(slopes, 2)});
}

// Rotates elements along a dimension towards higher indices: "dimension=0,amount=1".
StatusOr<Op> RotateRight(const Call& call) {
  const std::string_view config = call.instruction.extras().backend_config;
  const auto number = [&](std::string_view key) {
    int64_t value = -1;
    if (const size_t at = config.find(key); at != std::string_view::npos)
      std::from_chars(config.data() + at + key.size(), config.data() + config.size(), value);
    return value;
  };
  const int64_t dimension = number("dimension="), amount = number("amount=");
  if (call.x.size() != 1 || dimension < 0 || dimension >= call.x[0]->shape().rank() || amount < 0)
    return Wrong(call, "it takes an array, a dimension of it and by how much");
  const DimVector& sizes = call.x[0]->shape().dimensions();
  const size_t d = static_cast<size_t>(dimension);
  if (sizes[d] == 0 || amount % sizes[d] == 0) return call.b.Copy(call.x[0]);
  DimVector starts(sizes.size(), 0), limits = sizes;
  starts[d] = limits[d] = sizes[d] - amount % sizes[d];
  const Op moved = call.b.Slice(call.x[0], DimVector(sizes.size(), 0), limits);
  return call.b.Concatenate({call.b.Slice(call.x[0], starts, sizes), moved}, dimension);
}

// Keys, or keys and values, along the last dimension.
StatusOr<Op> RadixSort(const Call& call) {
  HloBuilder& b = call.b;
  if (call.x.empty() || call.x.size() > 2 || call.x[0]->shape().rank() == 0)
    return Wrong(call, "it sorts keys, and values with them");
  std::vector<PrimitiveType> types;
  for (Op x : call.x) types.push_back(x->shape().element_type());
  const ComparisonDirection order =
      Flag(call.config, "descending") ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  const Op sorted = b.Sort(call.x, call.x[0]->shape().rank() - 1, MakeComparator(b.module(), order, types), true);
  if (call.x.size() == 1) return call.Give({sorted});
  return call.Give({b.GetTupleElement(sorted, 0), b.GetTupleElement(sorted, 1)});
}

StatusOr<Op> GpuTopK(const Call& call) {
  if (call.x.size() != 1 || call.Results() < 2 || call.Result().rank() == 0)
    return Wrong(call, "it takes an array and gives two");
  const Op best = call.b.TopK(call.x[0], call.Result().dimensions().back());
  return call.Give({call.b.GetTupleElement(best, 0), call.b.GetTupleElement(best, 1)});
}

// Threefry-2x32 with 20 rounds (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011), as JAX's
// random numbers use it. Operands: two keys and two counters; results: two words.
StatusOr<Op> Threefry(const Call& call) {
  HloBuilder& b = call.b;
  if (call.x.size() < 4) return Wrong(call, "it takes two keys and two counters");
  for (size_t i = 0; i < 4; ++i) {
    if (call.x[i]->shape().element_type() != PrimitiveType::U32) return Wrong(call, "its words are u32");
  }
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const DimVector sizes = call.Result().dimensions();
  const auto word = [&](double value) { return call.Number(PrimitiveType::U32, sizes, value); };
  const auto operand = [&](size_t i) { return call.Spread(call.x[i], sizes); };
  const Op keys[3] = {operand(0), operand(1), b.Xor(b.Xor(operand(0), operand(1)), word(0x1bd11bda))};
  Op x = b.Add(operand(2), keys[0]), y = b.Add(operand(3), keys[1]);
  for (int group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x = b.Add(x, y);
      y = b.Xor(x, b.Or(b.ShiftLeft(y, word(rotation)), b.ShiftRightLogical(y, word(32 - rotation))));
    }
    x = b.Add(x, keys[(group + 1) % 3]);
    y = b.Add(b.Add(y, keys[(group + 2) % 3]), word(group + 1));
  }
  return call.Give({x, y});
}

StatusOr<Op> CombineHalves(const Call& call) {
  HloBuilder& b = call.b;
  const PrimitiveType type = call.Result().element_type();
  if (call.x.size() != 2 || BitWidth(type) != 64 || !IsInteger(type)) return Unknown(call, "its form");
  const auto wide = [&](size_t i) {
    const Op half =
        BitWidth(call.x[i]->shape().element_type()) == 32 ? b.BitcastConvert(call.x[i], PrimitiveType::U32) : call.x[i];
    return call.As(half, PrimitiveType::U64);
  };
  const Op high = b.ShiftLeft(wide(1), call.Number(PrimitiveType::U64, call.Result().dimensions(), 32));
  const Op both = b.Or(wide(0), high);
  return type == PrimitiveType::U64 ? both : b.BitcastConvert(both, type);
}

namespace {

StatusOr<Op> Half(const Call& call, double shift) {
  HloBuilder& b = call.b;
  if (call.x.size() != 1 || BitWidth(call.x[0]->shape().element_type()) != 64 ||
      !IsInteger(call.x[0]->shape().element_type()) || BitWidth(call.Result().element_type()) != 32)
    return Unknown(call, "its form");
  const Op bits = b.BitcastConvert(call.x[0], PrimitiveType::U64);
  const Op moved = b.ShiftRightLogical(bits, call.Number(PrimitiveType::U64, call.Result().dimensions(), shift));
  const Op half = call.As(moved, PrimitiveType::U32);
  return call.Result().element_type() == PrimitiveType::U32 ? half
                                                            : b.BitcastConvert(half, call.Result().element_type());
}

}  // namespace

StatusOr<Op> LowHalf(const Call& call) { return Half(call, 0); }
StatusOr<Op> HighHalf(const Call& call) { return Half(call, 32); }

// Operands: A [batch, m, k], B [batch, n, k], their scales [batch, m, k / block]; those of B are optional. Equivalent
// to scaled-dot.
StatusOr<Op> BlockScaledDot(const Call& call) {
  HloBuilder& b = call.b;
  if (call.x.size() < 3 || call.x.size() > 4) return Wrong(call, "it takes two matrices and their scales");
  const auto scaled = [&](Op x, Op scale) -> Op {
    const DimVector sizes = x->shape().dimensions();
    DimVector blocks = scale->shape().dimensions(), places;
    if (blocks.size() != sizes.size() || blocks.empty() || blocks.back() == 0 || sizes.back() % blocks.back() != 0)
      return nullptr;
    for (size_t d = 0; d < blocks.size(); ++d) places.push_back(static_cast<int64_t>(d));
    blocks.push_back(sizes.back() / blocks.back());
    const Op factors = b.Reshape(b.Broadcast(call.As(scale, PrimitiveType::F32), blocks, places), sizes);
    return b.Multiply(call.As(x, PrimitiveType::F32), factors);
  };
  const Op lhs = scaled(call.x[0], call.x[2]);
  const Op rhs = call.x.size() == 4 ? scaled(call.x[1], call.x[3]) : call.As(call.x[1], PrimitiveType::F32);
  if (lhs == nullptr || rhs == nullptr) return Wrong(call, "its scales do not divide its matrices into blocks");
  DotAttributes dims;
  const int64_t last = lhs->shape().rank() - 1;
  for (int64_t d = 0; d + 1 < last; ++d) dims.lhs_batch_dims.push_back(d), dims.rhs_batch_dims.push_back(d);
  dims.lhs_contracting_dims = {last}, dims.rhs_contracting_dims = {rhs->shape().rank() - 1};
  return call.Give({b.Dot(lhs, rhs, dims, PrimitiveType::F32)});
}

StatusOr<Op> PassOn(const Call& call) {
  if (call.x.size() != 1) return Unknown(call, "several operands");
  return call.b.Copy(call.x[0]);
}

}  // namespace hloir::custom_calls
