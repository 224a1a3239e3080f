// cuDNN's fused attention, forward and backward: S = scale Q K^T + bias, masked; P = softmax(S); O = P V. The order of
// operands is from XLA's ThunkEmitter (EmitFusedMHAThunk and EmitFusedMHABackwardThunk); masks: cuDNN's documentation
// of its scaled dot product attention. S and all later steps are in f32; no step is rounded to a narrower type.
#include <limits>

#include "custom_calls/call.h"
#include "support/format.h"

namespace hloir::custom_calls {
namespace {

constexpr PrimitiveType kF32 = PrimitiveType::F32;
constexpr PrimitiveType kS32 = PrimitiveType::S32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::string_view kMasks[] = {"NO_MASK", "PADDING", "CAUSAL", "PADDING_CAUSAL", "ALIBI"};

struct Scores {
  const Json* config = nullptr;
  double scale = 1;
  Op value = nullptr;   // scale Q K^T + bias, -inf where it is masked: [batch, heads, queries, keys]
  Op masked = nullptr;  // where; nullptr: nowhere
};

// `q_lengths`, `k_lengths`: s32, the numbers of queries and keys of each batch; nullptr: all.
StatusOr<Scores> ScoresOf(const Call& call, const char* dimensions, Op bias, Op q_lengths, Op k_lengths) {
  HloBuilder& b = call.b;
  Scores s;
  s.config = &call.Section("cudnn_fmha_backend_config");
  if (Float(*s.config, "dropout_rate") != 0) return Unknown(call, "dropout, which is random");
  if (Float(*s.config, "max_seg_per_batch", 1) > 1) return Unknown(call, "several segments in a batch");
  if (const double scale = Float(*s.config, "fmha_scale", 1); scale != 0) s.scale = scale;
  std::string mask = Choice(*s.config, "mask_type", kMasks);
  if (mask == "ALIBI") return Unknown(call, "an ALiBi mask");
  const bool causal = mask.ends_with("CAUSAL") || Flag(*s.config, "is_causal_mask");
  const bool padded = mask.starts_with("PADDING");
  if (padded && (q_lengths == nullptr || k_lengths == nullptr)) return Wrong(call, "its padding mask has no lengths");
  const DotAttributes dims = DotDimensions(*s.config, dimensions);
  if (dims.lhs_batch_dims.size() != 2) return Wrong(call, Format("it has no {} of two batch dimensions", dimensions));
  s.value = call.Scaled(b.Dot(call.x[0], call.x[1], dims, kF32), s.scale);
  if (s.value == nullptr) return s;
  const DimVector sizes = s.value->shape().dimensions();
  if (sizes.size() != 4) return Wrong(call, "its scores are not an array of batches, heads, queries and keys");
  if (bias != nullptr) s.value = b.Add(s.value, call.Spread(call.As(bias, kF32), sizes));
  const Shape places = Shape::Array(kS32, sizes);
  const Op query = b.Iota(places, 2), key = b.Iota(places, 3);
  const auto mask_if = [&](Op also) { s.masked = s.masked == nullptr ? also : b.Or(s.masked, also); };
  if (causal) mask_if(b.Compare(key, query, ComparisonDirection::kGt));
  if (const double window = Float(*s.config, "sliding_window_length"); window > 0) {
    mask_if(b.Compare(key, b.Subtract(query, call.Number(kS32, sizes, window)), ComparisonDirection::kLe));
  }
  if (padded) {
    const auto lengths = [&](Op of) { return b.Broadcast(b.Reshape(call.As(of, kS32), {sizes[0]}), sizes, {0}); };
    mask_if(b.Compare(key, lengths(k_lengths), ComparisonDirection::kGe));
    mask_if(b.Compare(query, lengths(q_lengths), ComparisonDirection::kGe));
  }
  if (s.masked != nullptr) s.value = b.Select(s.masked, call.Number(kF32, sizes, -kInfinity), s.value);
  return s;
}

// A fully masked row (a padded query) is zeros.
Op ZeroWhereMasked(const Call& call, const Scores& s, Op p) {
  if (s.masked == nullptr || p == nullptr) return p;
  return call.b.Select(s.masked, call.Number(kF32, p->shape().dimensions(), 0), p);
}

}  // namespace

// Operands: Q, K, V, bias, the lengths of queries and keys. Results: O, the logarithms of the sums, scratch.
StatusOr<Op> Attention(const Call& call) {
  HloBuilder& b = call.b;
  const bool biased = call.attributes().custom_call_target.find("ScaleBias") != std::string::npos;
  const size_t fixed = 3 + size_t{biased};
  if (call.x.size() != fixed && call.x.size() != fixed + 2)
    return Wrong(call, Format("{} operands do not fit its name", call.x.size()));
  const bool lengths = call.x.size() > fixed;
  HLOIR_ASSIGN_OR_RETURN(const Scores s,
                         ScoresOf(call, "bmm1_dot_dimension_numbers", biased ? call.x[3] : nullptr,
                                  lengths ? call.x[fixed] : nullptr, lengths ? call.x[fixed + 1] : nullptr));
  if (s.value == nullptr) return s.value;
  const DimVector sizes = s.value->shape().dimensions();
  const Op highest = call.Along(s.value, HloOpcode::kMaximum, -kInfinity);
  const Op e = ZeroWhereMasked(call, s, b.Exp(b.Subtract(s.value, call.Spread(highest, sizes))));
  const Op sum = call.Along(e, HloOpcode::kAdd, 0);
  const Op p = ZeroWhereMasked(call, s, b.Divide(e, call.Spread(sum, sizes)));
  const Op output = b.Dot(p, call.As(call.x[2], kF32), DotDimensions(*s.config, "bmm2_dot_dimension_numbers"), kF32);
  if (call.Results() < 3) return call.Give({output});
  return call.Give({output, b.Reshape(b.Add(highest, b.Log(sum)), call.Result(1).dimensions())});
}

// Operands: Q, K, V, the forward call's second result, dO, bias, O, the lengths. Results: dQ, dK, dV, dbias, scratch.
StatusOr<Op> AttentionBackward(const Call& call) {
  HloBuilder& b = call.b;
  const bool biased = call.attributes().custom_call_target.find("ScaleBias") != std::string::npos;
  const size_t fixed = 5 + size_t{biased};  // followed by O, for "flash" attention, and lengths
  if (call.x.size() < fixed || call.x.size() > fixed + 3)
    return Wrong(call, Format("{} operands do not fit its name", call.x.size()));
  const bool lengths = call.x.size() >= fixed + 2;
  const size_t last = call.x.size() - 1;
  // dO V^T has the form of Q K^T.
  HLOIR_ASSIGN_OR_RETURN(const Scores s,
                         ScoresOf(call, "bmm2_grad_gemm2_dot_dimension_numbers", biased ? call.x[5] : nullptr,
                                  lengths ? call.x[last - 1] : nullptr, lengths ? call.x[last] : nullptr));
  if (s.value == nullptr) return s.value;
  const DimVector sizes = s.value->shape().dimensions();
  const auto dims = [&](const char* name) { return DotDimensions(*s.config, name); };
  const auto wide = [&](size_t i) { return call.As(call.x[i], kF32); };
  const Op statistics = b.Reshape(wide(3), {sizes[0], sizes[1], sizes[2], 1});
  const Op p = ZeroWhereMasked(call, s, b.Exp(b.Subtract(s.value, call.Spread(statistics, sizes))));
  const Op dv = b.Dot(p, wide(4), dims("bmm2_grad_gemm1_dot_dimension_numbers"), kF32);
  const Op dp = b.Dot(wide(4), wide(2), dims("bmm2_grad_gemm2_dot_dimension_numbers"), kF32);
  const Op sum = call.Along(b.Multiply(p, dp), HloOpcode::kAdd, 0);
  const Op ds = b.Multiply(p, b.Subtract(dp, call.Spread(sum, sizes)));
  const Op dq = call.Scaled(b.Dot(ds, wide(1), dims("bmm1_grad_gemm2_dot_dimension_numbers"), kF32), s.scale);
  const Op dk = call.Scaled(b.Dot(ds, wide(0), dims("bmm1_grad_gemm1_dot_dimension_numbers"), kF32), s.scale);
  if (!biased || call.Results() < 5) return call.Give({dq, dk, dv});
  DimVector summed;  // where the bias was repeated
  const DimVector& kept = call.Result(3).dimensions();
  for (size_t d = 0; d < sizes.size() && kept.size() == sizes.size(); ++d)
    if (kept[d] != sizes[d]) summed.push_back(static_cast<int64_t>(d));
  const Op dbias = b.Reduce(ds, b.Constant(kF32, 0), summed, MakeReducer(b.module(), HloOpcode::kAdd, kF32));
  return call.Give({dq, dk, dv, b.Reshape(dbias, kept)});
}

}  // namespace hloir::custom_calls
