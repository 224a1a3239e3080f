// See op_rule.h.
#include "op_rule.h"

#include <algorithm>
#include <numeric>

#include "hloir/custom_call.h"
#include "hloir/rewrite_util.h"

namespace hloir::spmd {
namespace {

class RuleMaker {
 public:
  explicit RuleMaker(const HloInstruction& i) : i_(i) {
    for (const HloInstruction* operand : i.operands()) Add(rule_.operands, operand->shape());
    for (const Shape* leaf : i.shape().Leaves()) Add(rule_.results, *leaf);
  }

  OpRule Make();

 private:
  static void Add(std::vector<OpRule::Array>& arrays, const Shape& shape) {
    arrays.emplace_back(shape.IsArray() ? static_cast<size_t>(shape.rank()) : 0);
  }
  int64_t New(int64_t size, FactorKind kind = FactorKind::kPass) {
    rule_.factors.push_back({size, kind});
    return static_cast<int64_t>(rule_.factors.size()) - 1;
  }
  void Operand(int64_t k, int64_t d, int64_t factor) {
    rule_.operands[static_cast<size_t>(k)][static_cast<size_t>(d)].push_back(factor);
  }
  void Result(int64_t d, int64_t factor, int64_t leaf = 0) {
    rule_.results[static_cast<size_t>(leaf)][static_cast<size_t>(d)].push_back(factor);
  }
  // One factor for dimension d of all operands of the result's rank, and of all results.
  void Everywhere(int64_t d) {
    const int64_t factor = New(Leaf(0).dimensions(d));
    for (int64_t k = 0; k < i_.operand_count(); ++k) {
      if (i_.operand(k)->shape().rank() == Leaf(0).rank()) Operand(k, d, factor);
    }
    for (size_t leaf = 0; leaf < rule_.results.size(); ++leaf) Result(d, factor, static_cast<int64_t>(leaf));
  }
  void EverywhereBut(const DimVector& whole) {
    for (int64_t d = 0; d < Leaf(0).rank(); ++d) {
      if (!Contains(whole, d)) Everywhere(d);
    }
  }
  const Shape& Leaf(size_t k) const { return *i_.shape().Leaves()[k]; }
  const Shape& Of(int64_t k) const { return i_.operand(k)->shape(); }

  void Reshape();
  template <class Attributes>
  void Dot(const Attributes& dot, const DimVector& ragged = {}, const DimVector& groups = {});
  void Convolution(const ConvolutionAttributes& convolution);
  void Reduce();
  void Windowed(const Window& window);
  void Gather(const GatherAttributes& gather);
  void Scatter(const ScatterAttributes& scatter);
  void Concatenate();
  void DynamicUpdateSlice();

  const HloInstruction& i_;
  OpRule rule_;
};

void RuleMaker::Reshape() {
  const DimVector &in = Of(0).dimensions(), &out = i_.shape().dimensions();
  size_t a = 0, b = 0;
  int64_t left_in = 1, left_out = 1;
  while (true) {
    while (left_in == 1 && a < in.size()) left_in = in[a++];
    while (left_out == 1 && b < out.size()) left_out = out[b++];
    if (left_in == 1 || left_out == 1) return;
    const int64_t common = std::gcd(left_in, left_out);
    // Dimensions that are left on both sides belong to no factor, and neither do the ones after them.
    if (common == 1) return;
    const int64_t factor = New(common);
    Operand(0, static_cast<int64_t>(a) - 1, factor);
    Result(static_cast<int64_t>(b) - 1, factor);
    left_in /= common;
    left_out /= common;
    if (left_in == 1 || left_out == 1) continue;
    // 6 x 4 as 4 x 6: the factor 2 is the major part of both, the rest is mixed. Continue where the products of both
    // sides are equal again.
    int64_t product_in = left_in, product_out = left_out;
    while (product_in != product_out) {
      if (product_in < product_out) {
        if (a == in.size()) return;
        product_in *= in[a++];
      } else {
        if (b == out.size()) return;
        product_out *= out[b++];
      }
    }
    left_in = left_out = 1;
  }
}

// For a ragged dot, every device needs the whole dimension with grouped rows, and all groups.
template <class Attributes>
void RuleMaker::Dot(const Attributes& dot, const DimVector& ragged, const DimVector& groups) {
  const auto is_ragged = [&](int64_t d) { return Contains(ragged, d); };
  const bool sums_groups = std::none_of(dot.lhs_contracting_dims.begin(), dot.lhs_contracting_dims.end(), is_ragged);
  int64_t out = sums_groups ? 0 : 1;  // else the groups come first
  for (size_t k = 0; k < dot.lhs_batch_dims.size(); ++k, ++out) {
    if (is_ragged(dot.lhs_batch_dims[k])) continue;
    const int64_t factor = New(Of(0).dimensions(dot.lhs_batch_dims[k]));
    Operand(0, dot.lhs_batch_dims[k], factor);
    Operand(1, dot.rhs_batch_dims[k], factor);
    Result(out, factor);
  }
  for (size_t k = 0; k < dot.lhs_contracting_dims.size(); ++k) {
    if (is_ragged(dot.lhs_contracting_dims[k])) continue;
    const int64_t factor = New(Of(0).dimensions(dot.lhs_contracting_dims[k]), FactorKind::kReduce);
    Operand(0, dot.lhs_contracting_dims[k], factor);
    Operand(1, dot.rhs_contracting_dims[k], factor);
  }
  for (int64_t side = 0; side < 2; ++side) {
    const DimVector& batch = side == 0 ? dot.lhs_batch_dims : dot.rhs_batch_dims;
    const DimVector& contracting = side == 0 ? dot.lhs_contracting_dims : dot.rhs_contracting_dims;
    for (int64_t d = 0; d < Of(side).rank(); ++d) {
      if (Contains(batch, d) || Contains(contracting, d)) continue;
      if (side == 1 && Contains(groups, d)) continue;
      const int64_t at = out++;
      if (side == 0 && is_ragged(d)) continue;
      const int64_t factor = New(Of(side).dimensions(d));
      Operand(side, d, factor);
      Result(at, factor);
    }
  }
}

void RuleMaker::Convolution(const ConvolutionAttributes& convolution) {
  const ConvDimensionNumbers& labels = convolution.dim_labels;
  const int64_t groups = convolution.feature_group_count;
  if (convolution.batch_group_count == 1) {
    const int64_t batch = New(Of(0).dimensions(labels.input_batch));
    Operand(0, labels.input_batch, batch);
    Result(labels.output_batch, batch);
    if (groups == 1) {
      const int64_t features = New(Of(1).dimensions(labels.kernel_output_feature));
      Operand(1, labels.kernel_output_feature, features);
      Result(labels.output_feature, features);
      const int64_t summed = New(Of(0).dimensions(labels.input_feature), FactorKind::kReduce);
      Operand(0, labels.input_feature, summed);
      Operand(1, labels.kernel_input_feature, summed);
    } else {
      // Groups are the major part of the features on all three sides.
      const int64_t group = New(groups);
      Operand(0, labels.input_feature, group);
      Operand(1, labels.kernel_output_feature, group);
      Result(labels.output_feature, group);
    }
  }
  for (size_t k = 0; k < labels.output_spatial.size(); ++k) {
    const int64_t in = labels.input_spatial[k], out = labels.output_spatial[k];
    const WindowDimension& w = convolution.window[k];
    const bool same = w == WindowDimension{} && Of(0).dimensions(in) == i_.shape().dimensions(out);
    if (!same && w.size > i_.shape().dimensions(out) && w.base_dilation == 1 && !w.window_reversal) {
      // A gradient of weights: the kernel is as large as the input, and summed over.
      const int64_t summed = New(w.size, FactorKind::kReduce);
      Operand(0, in, summed);
      Operand(1, labels.kernel_spatial[k], summed);
      continue;
    }
    const int64_t factor = New(i_.shape().dimensions(out), same ? FactorKind::kPass : FactorKind::kWindow);
    Operand(0, in, factor);
    Result(out, factor);
  }
}

void RuleMaker::Reduce() {
  const DimVector& dimensions = i_.dimensions();
  const int64_t inputs = i_.operand_count() / 2;
  int64_t out = 0;
  for (int64_t d = 0; d < Of(0).rank(); ++d) {
    const bool reduced = Contains(dimensions, d);
    const int64_t factor = New(Of(0).dimensions(d), reduced ? FactorKind::kReduce : FactorKind::kPass);
    for (int64_t k = 0; k < inputs; ++k) Operand(k, d, factor);
    if (reduced) continue;
    for (size_t leaf = 0; leaf < rule_.results.size(); ++leaf) Result(out, factor, static_cast<int64_t>(leaf));
    ++out;
  }
}

void RuleMaker::Windowed(const Window& window) {
  const int64_t arrays = i_.opcode() == HloOpcode::kSelectAndScatter ? 2 : i_.operand_count() / 2;
  for (int64_t d = 0; d < Leaf(0).rank(); ++d) {
    const bool same = window[static_cast<size_t>(d)] == WindowDimension{};
    const int64_t factor = New(Leaf(0).dimensions(d), same ? FactorKind::kPass : FactorKind::kWindow);
    for (int64_t k = 0; k < arrays; ++k) Operand(k, d, factor);
    for (size_t leaf = 0; leaf < rule_.results.size(); ++leaf) Result(d, factor, static_cast<int64_t>(leaf));
  }
}

void RuleMaker::Gather(const GatherAttributes& gather) {
  DimVector batch_in_result;
  for (int64_t d = 0; d < i_.shape().rank(); ++d) {
    if (!Contains(gather.offset_dims, d)) batch_in_result.push_back(d);
  }
  // The dimensions of the indices without the index vector, in order, are the result's batch dimensions.
  DimVector of_indices(static_cast<size_t>(Of(1).rank()), -1);
  size_t next = 0;
  for (int64_t d = 0; d < Of(1).rank(); ++d) {
    if (d == gather.index_vector_dim) continue;
    const int64_t factor = New(Of(1).dimensions(d));
    of_indices[static_cast<size_t>(d)] = factor;
    Operand(1, d, factor);
    Result(batch_in_result[next++], factor);
  }
  for (size_t k = 0; k < gather.operand_batching_dims.size(); ++k)
    Operand(0, gather.operand_batching_dims[k], of_indices[static_cast<size_t>(gather.start_indices_batching_dims[k])]);
  size_t offset = 0;
  for (int64_t d = 0; d < Of(0).rank(); ++d) {
    if (Contains(gather.operand_batching_dims, d)) continue;
    const bool collapsed = Contains(gather.collapsed_slice_dims, d);
    const int64_t size = Of(0).dimensions(d);
    if (!collapsed && gather.slice_sizes[static_cast<size_t>(d)] == size) {
      const int64_t factor = New(size);
      Operand(0, d, factor);
      Result(gather.offset_dims[offset], factor);
    } else if (gather.slice_sizes[static_cast<size_t>(d)] == 1 && Contains(gather.start_index_map, d)) {
      Operand(0, d, New(size, FactorKind::kIndexed));
    }
    offset += !collapsed;
  }
}

void RuleMaker::Scatter(const ScatterAttributes& scatter) {
  const int64_t inputs = i_.operand_count() / 2;
  DimVector batch_in_updates;
  for (int64_t d = 0; d < Of(inputs + 1).rank(); ++d) {
    if (!Contains(scatter.update_window_dims, d)) batch_in_updates.push_back(d);
  }
  const auto of_updates = [&](int64_t d, int64_t factor) {
    for (int64_t k = 0; k < inputs; ++k) Operand(inputs + 1 + k, d, factor);
  };
  const auto of_inputs = [&](int64_t d, int64_t factor) {
    for (int64_t k = 0; k < inputs; ++k) {
      Operand(k, d, factor);
      Result(d, factor, k);
    }
  };
  size_t next = 0;
  for (int64_t d = 0; d < Of(inputs).rank(); ++d) {
    if (d == scatter.index_vector_dim) continue;
    const auto batching =
        std::find(scatter.scatter_indices_batching_dims.begin(), scatter.scatter_indices_batching_dims.end(), d);
    const bool is_batch = batching != scatter.scatter_indices_batching_dims.end();
    const int64_t factor = New(Of(inputs).dimensions(d), is_batch ? FactorKind::kPass : FactorKind::kReduce);
    Operand(inputs, d, factor);
    of_updates(batch_in_updates[next++], factor);
    if (is_batch)
      of_inputs(
          scatter.input_batching_dims[static_cast<size_t>(batching - scatter.scatter_indices_batching_dims.begin())],
          factor);
  }
  size_t window = 0;
  for (int64_t d = 0; d < Of(0).rank(); ++d) {
    if (Contains(scatter.input_batching_dims, d)) continue;
    const bool inserted = Contains(scatter.inserted_window_dims, d);
    const int64_t size = Of(0).dimensions(d);
    if (inserted) {
      if (Contains(scatter.scatter_dims_to_operand_dims, d)) of_inputs(d, New(size, FactorKind::kUpdate));
      continue;
    }
    const int64_t in_updates = scatter.update_window_dims[window++];
    // (An index here must be 0 for the update to be inside, of the whole and of each part.)
    if (Of(inputs + 1).dimensions(in_updates) == size) {
      const int64_t factor = New(size);
      of_inputs(d, factor);
      of_updates(in_updates, factor);
    }
  }
}

void RuleMaker::Concatenate() {
  const int64_t dimension = i_.dimensions()[0];
  EverywhereBut({dimension});
  const int64_t factor = New(i_.shape().dimensions(dimension), FactorKind::kWindow);
  for (int64_t k = 0; k < i_.operand_count(); ++k) Operand(k, dimension, factor);
  Result(dimension, factor);
}

void RuleMaker::DynamicUpdateSlice() {
  for (int64_t d = 0; d < i_.shape().rank(); ++d) {
    const bool whole = Of(1).dimensions(d) == i_.shape().dimensions(d);
    const int64_t factor = New(i_.shape().dimensions(d), whole ? FactorKind::kPass : FactorKind::kUpdate);
    Operand(0, d, factor);
    if (whole) Operand(1, d, factor);
    Result(d, factor);
  }
}

OpRule RuleMaker::Make() {
  const auto has_no_elements = [](const Shape& shape) { return !shape.IsArray() || shape.ElementCount() == 0; };
  for (const Shape* leaf : i_.shape().Leaves()) {
    if (has_no_elements(*leaf) || !leaf->IsStatic()) return rule_;
  }
  for (const HloInstruction* operand : i_.operands()) {
    if (has_no_elements(operand->shape()) || !operand->shape().IsStatic()) return rule_;
  }
  if (i_.opcode() == HloOpcode::kBitcastConvert) {
    // Between widths one side has a minor dimension more.
    for (int64_t d = 0; d < std::min(Of(0).rank(), i_.shape().rank()); ++d) {
      const int64_t factor = New(i_.shape().dimensions(d));
      Operand(0, d, factor);
      Result(d, factor);
    }
    return rule_;
  }
  if (i_.Is(kElementwise)) {
    EverywhereBut({});
    return rule_;
  }
  switch (i_.opcode()) {
    case HloOpcode::kParameter:
    case HloOpcode::kConstant:
    case HloOpcode::kIota:
    case HloOpcode::kMap:
    case HloOpcode::kCopy: EverywhereBut({}); break;
    case HloOpcode::kAllReduce:
      if (i_.operand_count() == 1) EverywhereBut({});
      break;
    case HloOpcode::kCustomCall:
      if (IsCustomCall(i_, CustomCall::kSharding)) EverywhereBut({});
      for (int64_t d = 0; d < BatchDimsOf(i_); ++d) {
        const int64_t factor = New(Leaf(0).dimensions(d));
        for (int64_t k = 0; k < i_.operand_count(); ++k) Operand(k, d, factor);
        for (size_t leaf = 0; leaf < rule_.results.size(); ++leaf) Result(d, factor, static_cast<int64_t>(leaf));
      }
      break;
    case HloOpcode::kBroadcast: {
      const DimVector& dimensions = i_.dimensions();
      for (int64_t d = 0; d < i_.shape().rank(); ++d) {
        const int64_t factor = New(i_.shape().dimensions(d));
        Result(d, factor);
        const auto at = std::find(dimensions.begin(), dimensions.end(), d);
        if (at != dimensions.end()) Operand(0, at - dimensions.begin(), factor);
      }
      break;
    }
    case HloOpcode::kTranspose:
      for (int64_t d = 0; d < i_.shape().rank(); ++d) {
        const int64_t factor = New(i_.shape().dimensions(d));
        Operand(0, i_.dimensions()[static_cast<size_t>(d)], factor);
        Result(d, factor);
      }
      break;
    case HloOpcode::kReshape: Reshape(); break;
    case HloOpcode::kDot: Dot(i_.attributes<DotAttributes>()); break;
    case HloOpcode::kRaggedDot: {
      const auto& dot = i_.attributes<RaggedDotAttributes>();
      Dot(dot, dot.lhs_ragged_dims, dot.rhs_group_dims);
      break;
    }
    case HloOpcode::kConvolution: Convolution(i_.attributes<ConvolutionAttributes>()); break;
    case HloOpcode::kReduce: Reduce(); break;
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter: Windowed(i_.attributes<WindowAttributes>().window); break;
    case HloOpcode::kSort: EverywhereBut(i_.attributes<SortAttributes>().dimensions); break;
    case HloOpcode::kTopK: EverywhereBut({Of(0).rank() - 1}); break;
    case HloOpcode::kReverse:
      EverywhereBut(i_.dimensions());
      for (int64_t d : i_.dimensions()) {
        const int64_t factor = New(i_.shape().dimensions(d), FactorKind::kWindow);
        Operand(0, d, factor);
        Result(d, factor);
      }
      break;
    case HloOpcode::kFft: {
      DimVector whole;
      for (size_t k = 0; k < i_.attributes<FftAttributes>().fft_length.size(); ++k)
        whole.push_back(i_.shape().rank() - 1 - static_cast<int64_t>(k));
      EverywhereBut(whole);
      break;
    }
    case HloOpcode::kCholesky: EverywhereBut({i_.shape().rank() - 2, i_.shape().rank() - 1}); break;
    case HloOpcode::kTriangularSolve: EverywhereBut({i_.shape().rank() - 2, i_.shape().rank() - 1}); break;
    case HloOpcode::kConcatenate: Concatenate(); break;
    case HloOpcode::kSlice:
      for (int64_t d = 0; d < i_.shape().rank(); ++d) {
        const SliceRange& range = i_.attributes<SliceAttributes>().slice[static_cast<size_t>(d)];
        const bool whole = range == SliceRange{0, Of(0).dimensions(d), 1};
        const int64_t factor = New(i_.shape().dimensions(d), whole ? FactorKind::kPass : FactorKind::kWindow);
        Operand(0, d, factor);
        Result(d, factor);
      }
      break;
    case HloOpcode::kPad:
      for (int64_t d = 0; d < i_.shape().rank(); ++d) {
        const PaddingDimension& padding = i_.attributes<PadAttributes>().padding[static_cast<size_t>(d)];
        const bool whole = padding == PaddingDimension{};
        const int64_t factor = New(i_.shape().dimensions(d), whole ? FactorKind::kPass : FactorKind::kWindow);
        Operand(0, d, factor);
        Result(d, factor);
      }
      break;
    case HloOpcode::kDynamicSlice:
      for (int64_t d = 0; d < i_.shape().rank(); ++d) {
        if (i_.shape().dimensions(d) != Of(0).dimensions(d)) continue;
        const int64_t factor = New(i_.shape().dimensions(d));
        Operand(0, d, factor);
        Result(d, factor);
      }
      break;
    case HloOpcode::kDynamicUpdateSlice: DynamicUpdateSlice(); break;
    case HloOpcode::kGather: Gather(i_.attributes<GatherAttributes>()); break;
    case HloOpcode::kScatter: Scatter(i_.attributes<ScatterAttributes>()); break;
    default: break;  // no factors: the op runs on whole arrays
  }
  return rule_;
}

}  // namespace

int64_t BatchDimsOf(const HloInstruction& custom_call) {
  int64_t batch = 0;
  for (const auto& [key, value] : custom_call.extras().frontend_attributes) {
    if (key != "num_batch_dims" || value.empty() || value.size() > 2) continue;
    for (char c : value) batch = c >= '0' && c <= '9' ? batch * 10 + (c - '0') : batch;
  }
  // All arrays have them.
  const auto fits = [&](const Shape& shape) { return shape.IsArray() && shape.rank() >= batch; };
  for (const HloInstruction* operand : custom_call.operands())
    if (!fits(operand->shape())) return 0;
  for (const Shape* leaf : custom_call.shape().Leaves()) {
    if (!fits(*leaf)) return 0;
    for (int64_t d = 0; d < batch; ++d) {
      for (const HloInstruction* operand : custom_call.operands())
        if (operand->shape().dimensions(d) != leaf->dimensions(d)) return 0;
    }
  }
  return custom_call.operand_count() == 0 || custom_call.called_computations().size() > 0 ? 0 : batch;
}

OpRule RuleOf(const HloInstruction& i) { return RuleMaker(i).Make(); }

FactorAxes ToFactors(const DeviceMesh& mesh, const OpRule& rule, const OpRule::Array& array,
                     const ArraySharding& sharding, Axes* whole) {
  FactorAxes axes(rule.factors.size());
  for (size_t d = 0; d < array.size() && d < sharding.dims.size(); ++d) {
    const Axes& cut = sharding.dims[d];
    if (array[d].empty()) {
      for (int64_t a : cut) {
        if (whole != nullptr) whole->push_back(a);
      }
      continue;
    }
    size_t k = 0;
    int64_t left = rule.factors[static_cast<size_t>(array[d][0])].size;
    for (int64_t a : cut) {
      while (left == 1 && k + 1 < array[d].size()) left = rule.factors[static_cast<size_t>(array[d][++k])].size;
      const bool alone = array[d].size() == 1;
      if (!alone && left % mesh.size(a) != 0) break;
      if (!alone) left /= mesh.size(a);
      axes[static_cast<size_t>(array[d][k])].push_back(a);
    }
  }
  return axes;
}

ArraySharding FromFactors(const OpRule::Array& array, const FactorAxes& axes, const Axes& manual) {
  ArraySharding sharding = Replicated(static_cast<int64_t>(array.size()), manual);
  for (size_t d = 0; d < array.size(); ++d) {
    for (int64_t factor : array[d]) {
      for (int64_t a : axes[static_cast<size_t>(factor)]) sharding.dims[d].push_back(a);
    }
  }
  return sharding;
}

bool LegalizeFor(const DeviceMesh& mesh, const OpRule& rule, const OpRule::Array& array, FactorAxes& axes) {
  bool changed = false;
  for (const DimVector& factors : array) {
    if (factors.size() < 2) continue;
    bool open = true;  // all factors before this one are cut wholly
    for (int64_t f : factors) {
      Axes& of = axes[static_cast<size_t>(f)];
      const int64_t size = rule.factors[static_cast<size_t>(f)].size;
      while (!of.empty() && (!open || !mesh.DividesEvenly(size, of))) of.pop_back(), changed = true;
      open = open && mesh.SizeOf(of) == size;
    }
  }
  return changed;
}

void Legalize(const DeviceMesh& mesh, const OpRule& rule, FactorAxes& axes) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const OpRule::Array& array : rule.operands) changed = LegalizeFor(mesh, rule, array, axes) || changed;
    for (const OpRule::Array& array : rule.results) changed = LegalizeFor(mesh, rule, array, axes) || changed;
  }
}

}  // namespace hloir::spmd
