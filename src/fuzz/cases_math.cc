// Cases of contractions and of mathematics on whole arrays. See case_maker.h.
#include <algorithm>
#include <cmath>

#include "fuzz/case_maker.h"

namespace hloir::fuzz {
namespace {

using Op = CaseMaker::Op;

}  // namespace

Op CaseMaker::Dot(Case& result) {
  const PrimitiveType type = AnyType();
  DotAttributes a;
  DimVector lhs, rhs;
  // The dimensions of each side in any order, the contracted ones anywhere.
  struct Dimension {
    int64_t size, meets;  // the role: 0 free, n > 0 contracting pair n, n < 0 batch pair -n
  };
  std::vector<Dimension> left, right;
  int64_t terms = 1;
  const int64_t batches = Chance(40) ? random_.Between(1, 2) : 0;
  for (int64_t k = 1; k <= batches; ++k) {
    const int64_t size = random_.Between(1, 3);
    left.push_back({size, -k}), right.push_back({size, -k});
  }
  const int64_t contracting = Chance(75) ? 1 : random_.Between(0, 2);
  for (int64_t k = 1; k <= contracting; ++k) {
    const int64_t size = Chance(3) ? 0 : Chance(30) ? random_.Between(1, 40) : random_.Between(1, 6);
    terms *= size;
    left.push_back({size, k}), right.push_back({size, k});
  }
  for (int64_t k = Below(3); k > 0; --k) left.push_back({random_.Between(1, 9), 0});
  for (int64_t k = Below(3); k > 0; --k) right.push_back({random_.Between(1, 9), 0});
  random_.Shuffle(left), random_.Shuffle(right);
  for (size_t k = 0; k < left.size(); ++k) {
    lhs.push_back(left[k].size);
    for (size_t j = 0; left[k].meets != 0 && j < right.size(); ++j) {
      if (right[j].meets != left[k].meets) continue;
      (left[k].meets > 0 ? a.lhs_contracting_dims : a.lhs_batch_dims).push_back(static_cast<int64_t>(k));
      (left[k].meets > 0 ? a.rhs_contracting_dims : a.rhs_batch_dims).push_back(static_cast<int64_t>(j));
    }
  }
  for (const Dimension& d : right) rhs.push_back(d.size);
  if (Chance(20)) a.operand_precision = {Precision::kHighest, Precision::kHighest};
  // Narrow types may give wide sums.
  PrimitiveType to = type;
  if (Chance(30)) {
    if (IsFloat(type) && BitWidth(type) <= 16) to = PrimitiveType::F32;
    if (IsInteger(type) && BitWidth(type) <= 16) to = PrimitiveType::S32;
  }
  Name(result, HloOpcode::kDot, type, to == type ? "" : "to " + std::string(TypeName(to)));
  const Values values = SumValues(type, HloOpcode::kAdd, terms, result);
  Op x = In(type, lhs, values);
  const Shape stated = Shape::Array(to, {});
  return Make(HloOpcode::kDot, {x, In(type, rhs, values)}, a, {}, &stated);
}

// Each element of a scale applies to a block of its operand. Scales are powers of two, so that products are exact.
Op CaseMaker::ScaledDot(Case& result) {
  if (portable_) return nullptr;  // StableHLO has none
  const auto narrow = [&] {
    return Pick({PrimitiveType::F8E4M3FN, PrimitiveType::F8E5M2, PrimitiveType::F4E2M1FN, PrimitiveType::BF16});
  };
  const PrimitiveType type = narrow();
  const int64_t block = random_.Between(1, 4), k = block * random_.Between(1, 4), batch = random_.Between(1, 3);
  const bool batched = Chance(40), first = Chance(50);  // true if the contracting dimension is the first after it
  DotAttributes a;
  if (batched) a.lhs_batch_dims = a.rhs_batch_dims = {0};
  a.lhs_contracting_dims = {batched + (first ? 0 : 1)}, a.rhs_contracting_dims = {batched + (first ? 1 : 0)};
  const PrimitiveType to = Pick({PrimitiveType::F32, PrimitiveType::BF16});
  Name(result, HloOpcode::kScaledDot, type, "to " + std::string(TypeName(to)) + (batched ? " in batches" : ""));
  result.agreement = {.leaf_ulps = 4.0 * static_cast<double>(std::max<int64_t>(k, 4)), .loose_zero = true};
  Ops sides, scales;
  const int64_t whole = Below(3);  // one side may have one scale for everything
  for (int64_t side = 0; side < 2; ++side) {
    const int64_t contracting = (side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims)[0];
    const int64_t free = random_.Between(1, 5);
    DimVector sizes, scale_sizes;
    if (batched) sizes.push_back(batch), scale_sizes.push_back(batch);
    for (int64_t d = batched; d < batched + 2; ++d) {
      sizes.push_back(d == contracting ? k : free);
      scale_sizes.push_back(d == contracting ? k / block : Chance(80) ? free : 1);
    }
    if (whole == side) scale_sizes = DimVector(scale_sizes.size(), 1);
    const PrimitiveType scale_type = Pick({PrimitiveType::F8E8M0FNU, PrimitiveType::BF16, PrimitiveType::F32});
    Literal scale(Shape::Array(scale_type, scale_sizes));
    for (int64_t i = 0; i < scale.element_count(); ++i)
      scale.SetFromDouble(i, std::ldexp(1.0, static_cast<int>(random_.Between(-2, 2))));
    sides.push_back(In(side == 0 ? type : narrow(), sizes, Values::kSmall));
    scales.push_back(Given(std::move(scale)));
  }
  const Shape stated = Shape::Array(to, {});
  return Make(HloOpcode::kScaledDot, {sides[0], sides[1], scales[0], scales[1]}, a, {}, &stated);
}

Op CaseMaker::RaggedDot(Case& result) {
  const PrimitiveType type = Pick({PrimitiveType::F32, PrimitiveType::F64, PrimitiveType::S32, PrimitiveType::BF16});
  const int64_t m = random_.Between(1, 8), k = random_.Between(1, 5), n = random_.Between(1, 5),
                groups = random_.Between(1, 4);
  RaggedDotAttributes a;
  a.lhs_contracting_dims = {1}, a.rhs_contracting_dims = {1}, a.lhs_ragged_dims = {0}, a.rhs_group_dims = {0};
  Name(result, HloOpcode::kRaggedDot, type);
  const Values values = SumValues(type, HloOpcode::kAdd, k, result);
  Literal sizes(Shape::Array(PrimitiveType::S32, {groups}));
  int64_t left = m;
  for (int64_t g = 0; g < groups; ++g) {
    const int64_t size = g + 1 == groups && Chance(70) ? left : Below(left + 1);
    sizes.SetFromInt64(g, size), left -= size;
  }
  Op x = In(type, {m, k}, values), y = In(type, {groups, k, n}, values);
  const Shape stated = Shape::Array(type, {});
  return Make(HloOpcode::kRaggedDot, {x, y, Given(std::move(sizes))}, a, {}, &stated);
}

Op CaseMaker::Convolution(Case& result) {
  const PrimitiveType type = Chance(70) ? FloatType() : AnyType();
  const int64_t spatial = Pick<int64_t>({0, 1, 1, 2, 2, 3}), rank = spatial + 2;
  const int64_t groups = Chance(30) ? random_.Between(2, 3) : 1;
  const bool of_batch = groups > 1 && Chance(40);
  const int64_t features = random_.Between(1, 3);  // of a group
  const int64_t input_features = of_batch ? features : features * groups;
  const int64_t output_features = groups * random_.Between(1, 3);
  const int64_t batch = of_batch ? groups * random_.Between(1, 2) : random_.Between(1, 3);
  ConvolutionAttributes a;
  (of_batch ? a.batch_group_count : a.feature_group_count) = groups;
  // Every dimension at any place.
  DimVector order[3];
  for (DimVector& each : order) {
    for (int64_t d = 0; d < rank; ++d) each.push_back(d);
    if (Chance(60)) random_.Shuffle(each);
  }
  auto& labels = a.dim_labels;
  labels.input_batch = order[0][0], labels.input_feature = order[0][1];
  labels.kernel_output_feature = order[1][0], labels.kernel_input_feature = order[1][1];
  labels.output_batch = order[2][0], labels.output_feature = order[2][1];
  DimVector input(static_cast<size_t>(rank), 0), kernel(static_cast<size_t>(rank), 0);
  input[static_cast<size_t>(order[0][0])] = batch, input[static_cast<size_t>(order[0][1])] = input_features;
  kernel[static_cast<size_t>(order[1][0])] = output_features, kernel[static_cast<size_t>(order[1][1])] = features;
  int64_t terms = features;
  for (int64_t d = 0; d < spatial; ++d) {
    labels.input_spatial.push_back(order[0][static_cast<size_t>(d + 2)]);
    labels.kernel_spatial.push_back(order[1][static_cast<size_t>(d + 2)]);
    labels.output_spatial.push_back(order[2][static_cast<size_t>(d + 2)]);
    WindowDimension w;
    w.size = random_.Between(1, 3), w.stride = random_.Between(1, 2);
    if (Chance(50)) w.padding_low = random_.Between(-1, 2), w.padding_high = random_.Between(-1, 2);
    if (Chance(25)) w.base_dilation = random_.Between(2, 3);
    if (Chance(25)) w.window_dilation = random_.Between(2, 3);
    w.window_reversal = Chance(20);
    terms *= w.size;
    input[static_cast<size_t>(order[0][static_cast<size_t>(d + 2)])] = random_.Between(1, spatial == 3 ? 4 : 7);
    kernel[static_cast<size_t>(order[1][static_cast<size_t>(d + 2)])] = w.size;
    a.window.push_back(w);
  }
  PrimitiveType to = type;
  if (Chance(20)) {
    if (IsFloat(type) && BitWidth(type) <= 16) to = PrimitiveType::F32;
    if (IsInteger(type) && BitWidth(type) <= 16) to = PrimitiveType::S32;
  }
  Name(result, HloOpcode::kConvolution, type,
       (of_batch     ? "batch groups"
        : groups > 1 ? "feature groups"
                     : "") +
           std::string(to == type ? "" : " wider"));
  const Values values = SumValues(type, HloOpcode::kAdd, terms, result);
  Op x = In(type, input, values);
  const Shape stated = Shape::Array(to, {});
  return Make(HloOpcode::kConvolution, {x, In(type, kernel, values)}, a, {}, &stated);
}

Op CaseMaker::Fft(Case& result) {
  const FftType kind = static_cast<FftType>(Below(4));
  const bool wide = Chance(40);
  const PrimitiveType complex = wide ? PrimitiveType::C128 : PrimitiveType::C64,
                      real = wide ? PrimitiveType::F64 : PrimitiveType::F32;
  const PrimitiveType type = kind == FftType::kRfft ? real : complex;
  const int64_t rank = random_.Between(1, 3);
  DimVector sizes, lengths;
  if (Chance(50)) sizes.push_back(random_.Between(1, 3));
  for (int64_t k = 0; k < rank; ++k) lengths.push_back(rank == 1 ? random_.Between(1, 40) : random_.Between(1, 7));
  for (int64_t length : lengths) sizes.push_back(length);
  if (kind == FftType::kIrfft) sizes.back() = lengths.back() / 2 + 1;
  Name(result, HloOpcode::kFft, type, std::string(EnumWord(kind)) + " rank " + std::to_string(rank));
  result.agreement = {.leaf_ulps = 64, .loose_zero = true};
  return Make(HloOpcode::kFft, {In(type, sizes, Values::kModerate)}, FftAttributes{kind, lengths});
}

// cholesky and triangular-solve of well-conditioned matrices.
Op CaseMaker::Triangular(Case& result) {
  const PrimitiveType type = Pick({PrimitiveType::F32, PrimitiveType::F64, PrimitiveType::C64, PrimitiveType::C128});
  const int64_t n = random_.Between(1, 6), batch = random_.Between(1, 2);
  DimVector sizes = Chance(50) ? DimVector{batch, n, n} : DimVector{n, n};
  Literal matrix(Shape::Array(type, sizes));
  for (int64_t i = 0; i < matrix.element_count(); ++i) {
    const int64_t row = i / n % n, column = i % n;
    // Symmetric, by a hash of the two indices, and diagonally dominant.
    const int64_t hash = (row * 7 + column * 7 + row * column * 3) % 5 - 2;
    matrix.SetFromDouble(i, row == column ? static_cast<double>(3 * n + row) : static_cast<double>(hash));
  }
  Op a = Given(std::move(matrix));
  result.agreement = {.leaf_ulps = 256, .loose_zero = true};
  if (Chance(40)) {
    const bool lower = Chance(50);
    Name(result, HloOpcode::kCholesky, type, lower ? "lower" : "upper");
    Op factor = Make(HloOpcode::kCholesky, {a}, CholeskyAttributes{lower});
    if (factor == nullptr) return nullptr;
    // The other triangle is unspecified.
    const Shape places = Shape::Array(PrimitiveType::S32, factor->shape().dimensions());
    const int64_t last = factor->shape().rank() - 1;
    Op row = Make(HloOpcode::kIota, {}, IotaAttributes{last - 1}, {}, &places);
    Op column = Make(HloOpcode::kIota, {}, IotaAttributes{last}, {}, &places);
    Op inside = Make(HloOpcode::kCompare, {lower ? column : row, lower ? row : column},
                     CompareAttributes{ComparisonDirection::kLe, ComparisonType::kDefault});
    Op zeros = Make(HloOpcode::kBroadcast, {entry_->AddConstant(Literal::Zero(type))}, DimensionsAttributes{}, {},
                    &factor->shape());
    return Make(HloOpcode::kSelect, {inside, factor, zeros});
  }
  TriangularSolveAttributes t;
  t.left_side = Chance(50), t.lower = Chance(50), t.unit_diagonal = Chance(30);
  t.transpose_a = Pick({TransposeA::kNoTranspose, TransposeA::kTranspose, TransposeA::kAdjoint});
  const int64_t m = random_.Between(1, 4);
  DimVector other = sizes;
  other[other.size() - (t.left_side ? 1 : 2)] = m;
  Name(result, HloOpcode::kTriangularSolve, type,
       std::string(t.left_side ? "left " : "right ") + (t.lower ? "lower " : "upper ") +
           std::string(EnumWord(t.transpose_a)) + (t.unit_diagonal ? " unit" : ""));
  if (t.unit_diagonal) result.agreement.leaf_ulps = 1 << 14;
  return Make(HloOpcode::kTriangularSolve, {a, In(type, other, Values::kSmall)}, t);
}

Op CaseMaker::BatchNorm(Case& result) {
  const PrimitiveType type = Pick({PrimitiveType::F32, PrimitiveType::F64, PrimitiveType::BF16, PrimitiveType::F16});
  const DimVector sizes = Sizes(2, 4, 5);
  const int64_t feature = Below(static_cast<int64_t>(sizes.size()));
  const DimVector of_feature{sizes[static_cast<size_t>(feature)]};
  const BatchNormAttributes a{0.5f, feature};
  result.agreement = {.leaf_ulps = 256, .term = 1, .loose_zero = true};
  const HloOpcode opcode =
      Pick({HloOpcode::kBatchNormInference, HloOpcode::kBatchNormTraining, HloOpcode::kBatchNormGrad});
  Name(result, opcode, type);
  Op x = In(type, sizes, Values::kModerate), scale = In(type, of_feature, Values::kModerate);
  if (opcode == HloOpcode::kBatchNormTraining)
    return AnyElement(Make(opcode, {x, scale, In(type, of_feature, Values::kModerate)}, a));
  Op third = In(type, of_feature, Values::kModerate);
  if (opcode == HloOpcode::kBatchNormInference) {
    Op mean = In(type, of_feature, Values::kModerate);
    return Make(opcode, {x, scale, third, mean, In(type, of_feature, Values::kPositive)}, a);
  }
  Op variance = In(type, of_feature, Values::kPositive);
  return AnyElement(Make(opcode, {x, scale, third, variance, In(type, sizes, Values::kModerate)}, a));
}

Op CaseMaker::RandomBits(Case& result) {
  const RandomAlgorithm algorithm = static_cast<RandomAlgorithm>(Below(3));
  const int64_t words = algorithm == RandomAlgorithm::kRngThreeFry ? 2
                        : algorithm == RandomAlgorithm::kRngPhilox ? random_.Between(2, 3)
                                                                   : 2;
  PrimitiveType type = Pick({PrimitiveType::U32, PrimitiveType::U64, PrimitiveType::U8, PrimitiveType::U16,
                             PrimitiveType::S32, PrimitiveType::S64, PrimitiveType::S8, PrimitiveType::S16});
  if (portable_ && IsSigned(type)) type = PrimitiveType::U32;
  const DimVector sizes = Sizes(0, 3, 9);
  Name(result, HloOpcode::kRngBitGenerator, type, std::string(EnumWord(algorithm)) + " state " + std::to_string(words));
  Op state = In(PrimitiveType::U64, {words});
  const Shape both = Shape::Tuple({state->shape(), Shape::Array(type, sizes)});
  return AnyElement(Make(HloOpcode::kRngBitGenerator, {state}, RngBitGeneratorAttributes{algorithm}, {}, &both));
}

}  // namespace hloir::fuzz
