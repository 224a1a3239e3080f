// See convolution_plan.h. Tests: tests/ops/convolution-*.hlo, tests/unit/executable_kernels_test.cc.
#include "plan/capability/convolution_plan.h"

#include <algorithm>

namespace hloir::cpu {
namespace {

constexpr int64_t kMaxPadded = 16;  // limit on the size of the copy, relative to input and output together; above it
                                    // the reference runs

std::vector<int64_t> Multiples(int64_t count, int64_t step) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < count; ++i) offsets.push_back(i * step);
  return offsets;
}

// Rows of windows overlap, so packing would multiply the reads. A step takes terms of one tap.
bool HasWindowsInPlace(const GemmProblem& problem, int64_t features, const KernelTable& kernels) {
  const int64_t terms = TermsInPlace(problem, kernels);
  return terms > 0 && features % terms == 0;
}
// All rows have all terms.
void GiveAllTerms(GemmProblem& problem) {
  if (problem.m % 2 != 0) problem.a.row_offsets.push_back(problem.a.row_offsets.back());
  problem.windows = {{0, problem.m, {{0, problem.k}}}};
}

// Positions along one dimension of the result with the same taps inside the input.
struct Positions {
  int64_t first_tap, end_tap;
  std::vector<int64_t> positions;
};
std::vector<Positions> PositionsByTaps(const WindowDimension& w, int64_t taps, int64_t positions, int64_t elements) {
  std::vector<Positions> all;
  for (int64_t i = 0; i < positions; ++i) {
    const int64_t start = i * w.stride - w.padding_low;  // the offset of the first tap
    const auto before = [&](int64_t place) {             // taps before it
      return place <= start ? 0 : std::min(taps, (place - start + w.window_dilation - 1) / w.window_dilation);
    };
    const int64_t first = before(0), end = std::max(first, before(elements));
    const auto same = [&](const Positions& p) { return p.first_tap == first && p.end_tap == end; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(found, {first, end, {}});
    found->positions.push_back(i);
  }
  return all;
}

// A convolution whose input needs no copy, as its rows are ordered by the set of their terms: `taps` of each spatial
// dimension, and features. False if so few rows share a set that multiplying padding is faster.
bool MakeRowsByTerms(const ConvolutionAttributes& a, const DimVector& taps, const View& input,
                     const DimVector& result_dims, GemmProblem& problem) {
  constexpr size_t kMostWindows = 256;
  std::vector<std::vector<Positions>> by_taps;
  size_t count = 1;
  for (size_t d = 0; d < taps.size(); ++d) {
    by_taps.push_back(PositionsByTaps(a.window[d], taps[d], result_dims[d + 1], input.dims[d + 1]));
    count *= by_taps.back().size();
    if (count > kMostWindows) return false;
  }
  const int64_t features = input.dims.back() / a.feature_group_count;
  std::vector<WindowRows> windows;
  std::vector<int64_t> row_offsets, c_rows;
  int64_t work = 0, rows = 0, inner = features;
  for (size_t i = 0; i < count; ++i) {
    WindowRows window{static_cast<int64_t>(row_offsets.size()), 0, {}};
    // The offsets of its rows, their numbers among all rows, and its terms, from the innermost dimension outwards.
    std::vector<std::pair<int64_t, int64_t>> at, terms{{0, features}};
    for (int64_t b = 0; b < result_dims[0]; ++b) at.emplace_back(b * input.strides[0], b);
    std::vector<const Positions*> of(taps.size());
    for (size_t d = taps.size(), rest = i; d-- > 0; rest /= by_taps[d].size())
      of[d] = &by_taps[d][rest % by_taps[d].size()];
    inner = features;  // terms to a tap of dimension d
    for (size_t d = taps.size(); d-- > 0; inner *= taps[d]) {
      std::vector<std::pair<int64_t, int64_t>> next;
      for (int64_t tap = of[d]->first_tap; tap < of[d]->end_tap; ++tap) {
        for (const auto& [begin, end] : terms) {
          if (!next.empty() && next.back().second == tap * inner + begin) next.back().second = tap * inner + end;
          else next.emplace_back(tap * inner + begin, tap * inner + end);
        }
      }
      terms = std::move(next);
    }
    for (size_t d = 0; d < taps.size(); ++d) {
      std::vector<std::pair<int64_t, int64_t>> next;
      next.reserve(at.size() * of[d]->positions.size() + 1);
      for (const auto& [offset, row] : at) {
        for (const int64_t p : of[d]->positions)
          next.emplace_back(offset + (p * a.window[d].stride - a.window[d].padding_low) * input.strides[d + 1],
                            row * result_dims[d + 1] + p);
      }
      at = std::move(next);
    }
    window.count = static_cast<int64_t>(at.size());
    rows += window.count;
    if (window.count % 2 != 0) at.push_back(at.back());
    for (const auto& [offset, row] : at) row_offsets.push_back(offset), c_rows.push_back(row * problem.c_row);
    for (const auto& [begin, end] : terms) work += (end - begin) * static_cast<int64_t>(at.size());
    window.terms = std::move(terms);
    windows.push_back(std::move(window));
  }
  if (work > rows * inner) return false;
  problem.windows = std::move(windows);
  problem.a.row_offsets = std::move(row_offsets);
  problem.c_rows = std::move(c_rows);
  return true;
}

// The phases of one dimension of a convolution with a dilated input: the results at phase + i · count use every
// count-th tap, from `first` on, and contiguous elements of the input, from `start` + i on.
struct Phases {
  int64_t count = 1, taps = 1, positions = 1, least = 0, most = 0;
  std::vector<int64_t> first, start;
};
std::optional<Phases> PhasesOf(const WindowDimension& w, int64_t size, int64_t positions) {
  Phases phases;
  phases.count = w.base_dilation;
  constexpr int64_t kFar = int64_t{1} << 31;
  if (w.stride != 1 || w.window_dilation != 1 || phases.count < 1 || phases.count > 8 || size < 1 || positions < 1 ||
      size % phases.count != 0 || positions % phases.count != 0 || w.padding_low > kFar || w.padding_low < -kFar)
    return std::nullopt;
  phases.taps = size / phases.count;
  phases.positions = positions / phases.count;
  for (int64_t phase = 0; phase < phases.count; ++phase) {
    const int64_t rest = (w.padding_low - phase) % phases.count;
    phases.first.push_back(rest < 0 ? rest + phases.count : rest);
    phases.start.push_back((phase + phases.first.back() - w.padding_low) / phases.count);
  }
  phases.least = *std::min_element(phases.start.begin(), phases.start.end());
  phases.most = *std::max_element(phases.start.begin(), phases.start.end());
  return phases;
}

// A transposed convolution as a product for each combination of phases, which multiplies no zero between the input's
// elements. `plan` has the parts that do not depend on the phase.
std::optional<ConvolutionPlan> PlanByPhases(const HloInstruction& convolution, const View& kernel, ConvolutionPlan plan,
                                            const KernelTable& kernels) {
  const auto& a = convolution.attributes<ConvolutionAttributes>();
  const ConvDimensionNumbers& labels = a.dim_labels;
  const size_t spatial = labels.input_spatial.size();
  const auto dilated = [](const WindowDimension& w) { return w.base_dilation > 1; };
  if (a.feature_group_count != 1 || a.batch_group_count != 1 ||
      std::none_of(a.window.begin(), a.window.end(), dilated) || plan.input.count() == 0)
    return std::nullopt;
  std::vector<Phases> phases;
  int64_t padded = plan.input.dims[0] * plan.input.dims.back();
  plan.padding.resize(spatial + 2);
  plan.padded_dims = plan.input.dims;
  for (size_t d = 0; d < spatial; ++d) {
    auto of = PhasesOf(a.window[d], kernel.dims[labels.kernel_spatial[d]], plan.result_dims[d + 1]);
    if (!of) return std::nullopt;
    const int64_t size = of->positions + of->taps - 1 + of->most - of->least, elements = plan.input.dims[d + 1];
    if (__builtin_mul_overflow(padded, size, &padded)) return std::nullopt;
    plan.padded_dims[d + 1] = size;
    plan.padding[d + 1] = {-of->least, 0, 0};
    plan.pads = plan.pads || of->least < 0 || size + of->least > elements;
    phases.push_back(std::move(*of));
  }
  const int64_t result_count = View::RowMajor(plan.result_dims).count();
  if (result_count == 0 || padded > kMaxPadded * (plan.input.count() + result_count + 4096)) return std::nullopt;
  plan.copies_input = plan.in_phases = true;
  const View from = View::RowMajor(plan.padded_dims);
  View rows = from, terms = from, weights = kernel;
  DimVector row_dims, term_dims, kernel_order, dims, order(spatial + 2);
  rows.dims = plan.result_dims;
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t k = labels.kernel_spatial[d];
    rows.dims[d + 1] = phases[d].positions;
    terms.dims[d + 1] = phases[d].taps;
    if (a.window[d].window_reversal) weights = weights.Reverse({k});
    kernel_order.push_back(k);
    dims.push_back(phases[d].count);
  }
  for (size_t d = 0; d <= spatial; ++d) row_dims.push_back(static_cast<int64_t>(d));
  for (size_t d = 1; d <= spatial + 1; ++d) term_dims.push_back(static_cast<int64_t>(d));
  kernel_order.push_back(labels.kernel_input_feature);
  GemmProblem& problem = plan.problem;
  problem.a.row_offsets = Offsets(rows, row_dims);
  problem.a.k_offsets = Offsets(terms, term_dims);
  problem.m = static_cast<int64_t>(problem.a.row_offsets.size());
  problem.k = static_cast<int64_t>(problem.a.k_offsets.size());
  problem.n = problem.c_row = plan.result_dims.back();
  // Each combination's offset in the input, the taps and the result.
  problem.batch = View::RowMajor(dims).count();
  for (int64_t i = 0; i < problem.batch; ++i) {
    int64_t rest = i, input_at = 0, kernel_at = weights.offset;
    for (size_t d = spatial; d-- > 0;) {
      const auto phase = static_cast<size_t>(rest % phases[d].count);
      rest /= phases[d].count;
      input_at += (phases[d].start[phase] - phases[d].least) * from.strides[d + 1];
      kernel_at += phases[d].first[phase] * weights.strides[labels.kernel_spatial[d]];
    }
    problem.a.batch_offsets.push_back(input_at);
    problem.b.batch_offsets.push_back(kernel_at);
    problem.c_offsets.push_back(i * problem.m * problem.n);
  }
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t k = labels.kernel_spatial[d];
    weights.dims[k] = phases[d].taps;
    weights.strides[k] *= phases[d].count;
  }
  problem.b.k_offsets = Offsets(weights, kernel_order);
  problem.b.row_offsets = Multiples(problem.n, weights.strides[labels.kernel_output_feature]);
  if (static_cast<int64_t>(problem.b.k_offsets.size()) != problem.k) return std::nullopt;
  if (problem.k > plan.input.dims.back() && HasWindowsInPlace(problem, plan.input.dims.back(), kernels))
    GiveAllTerms(problem);
  // The input within its copy, for correcting results at their final positions.
  View& view = plan.elements.input;
  view.strides = from.strides;
  view.offset = 0;
  for (size_t d = 0; d < spatial; ++d) view.offset -= phases[d].least * from.strides[d + 1];
  // Phases, then rows; each spatial dimension of the result is one of its positions and one of its phases.
  for (size_t d = 0; d <= spatial + 1; ++d) dims.push_back(rows.dims[d]);
  plan.result_dims = dims;
  const auto n = static_cast<int64_t>(spatial);
  order[static_cast<size_t>(labels.output_batch)] = n;
  order[static_cast<size_t>(labels.output_feature)] = 2 * n + 1;
  for (size_t d = 0; d < spatial; ++d)
    order[static_cast<size_t>(labels.output_spatial[d])] = n + 1 + static_cast<int64_t>(d);
  for (const int64_t at : order) {
    plan.phased_dims.push_back({at});
    if (at > n && at <= 2 * n) plan.phased_dims.back().push_back(at - n - 1);
  }
  return plan;
}

}  // namespace

DimVector ConvolutionOrder(const HloInstruction& convolution, bool of_result) {
  const ConvDimensionNumbers& labels = convolution.attributes<ConvolutionAttributes>().dim_labels;
  DimVector order{of_result ? labels.output_batch : labels.input_batch};
  for (int64_t d : of_result ? labels.output_spatial : labels.input_spatial) order.push_back(d);
  order.push_back(of_result ? labels.output_feature : labels.input_feature);
  return order;
}

ConvolutionViews ViewsInOrder(const HloInstruction& convolution, const View& input, const View& kernel,
                              const View& result) {
  return {input.Transpose(ConvolutionOrder(convolution, false)), kernel,
          result.Transpose(ConvolutionOrder(convolution, true))};
}

std::optional<ConvolutionPlan> PlanConvolution(const HloInstruction& convolution, const View& input, const View& kernel,
                                               const KernelTable& kernels) {
  const auto& a = convolution.attributes<ConvolutionAttributes>();
  const ConvDimensionNumbers& labels = a.dim_labels;
  const size_t spatial = labels.input_spatial.size();
  ConvolutionPlan plan;
  GemmProblem& problem = plan.problem;
  problem.a.type = convolution.operand(0)->shape().element_type();
  problem.b.type = convolution.operand(1)->shape().element_type();
  problem.result = convolution.shape().element_type();
  problem.name = "convolution";
  if (convolution.operand_count() != 2 || a.window.size() != spatial ||
      !GemmTypeFor(problem.a.type, problem.b.type, problem.result, &problem.compute)) {
    return std::nullopt;
  }

  // The input with its dimensions in the plan's order, restricted to the part covered by windows.
  plan.elements = ViewsInOrder(convolution, input, kernel, View::RowMajor(convolution.shape().dimensions()));
  plan.input = plan.elements.input;
  plan.result_dims = plan.elements.result.dims;
  if (auto phased = PlanByPhases(convolution, kernel, plan, kernels)) return phased;
  const int64_t features = plan.input.dims.back(), batches = plan.input.dims[0],
                output_features = plan.result_dims.back();
  plan.padding.resize(spatial + 2);
  plan.padded_dims = plan.input.dims;
  DimVector taps_of;
  bool dilated = false;
  int64_t taps = 1, padded = features * batches, room = plan.input.count();
  for (int64_t d : plan.result_dims) room += d;
  room = (room + View::RowMajor(plan.result_dims).count() + 4096) * kMaxPadded;
  for (size_t d = 0; d < spatial; ++d) {
    const WindowDimension& w = a.window[d];
    const int64_t size = kernel.dims[labels.kernel_spatial[d]], positions = plan.result_dims[d + 1];
    int64_t last, reach;
    if (size < 1 || positions < 1 || __builtin_mul_overflow(positions - 1, w.stride, &last) ||
        __builtin_mul_overflow(size - 1, w.window_dilation, &reach) || __builtin_add_overflow(last, reach, &last) ||
        last >= room || __builtin_mul_overflow(padded, last + 1, &padded) || padded > room || w.padding_low > room ||
        w.padding_low < -room || w.base_dilation > room) {
      return std::nullopt;
    }
    taps *= size;
    taps_of.push_back(size);
    dilated = dilated || w.base_dilation != 1;
    plan.padded_dims[d + 1] = last + 1;
    plan.padding[d + 1] = {w.padding_low, 0, w.base_dilation - 1};
    const int64_t elements = plan.input.dims[d + 1], spread = elements > 0 ? (elements - 1) * w.base_dilation + 1 : 0;
    plan.pads = plan.pads || w.padding_low > 0 || spread > elements || last - w.padding_low >= spread;
    plan.copies_input = plan.copies_input || plan.pads || w.padding_low != 0;
  }
  const bool apart = taps > 1 && plan.input.strides.back() != 1 && features > 1;
  plan.copies_input = plan.copies_input || apart;
  const int64_t groups = a.feature_group_count * a.batch_group_count;
  const int64_t group_features = features / a.feature_group_count, group_columns = output_features / groups;
  if (group_features < 1 || group_columns < 1 || groups * group_columns != output_features) return std::nullopt;
  const bool plain = problem.a.type == problem.result && problem.b.type == problem.result &&
                     StorageBytes(problem.result) == (problem.compute == GemmType::kF64 ? 8 : 4);
  plan.depthwise = plain && groups > 1 && a.feature_group_count == groups && group_features == 1 &&
                   group_columns == 1 && (plan.copies_input || plan.input.strides.back() == 1);
  problem.c_row = output_features;
  const bool in_place = taps > 1 && !plan.depthwise && HasWindowsInPlace(problem, group_features, kernels);
  if (plan.copies_input && in_place && !apart && !dilated &&
      MakeRowsByTerms(a, taps_of, plan.input, plan.result_dims, problem))
    plan.copies_input = plan.pads = false;
  const View from = plan.copies_input ? View::RowMajor(plan.padded_dims) : plan.input;

  // Rows, columns and terms of the product, for each group.
  View rows = from, terms = from;
  rows.dims = plan.result_dims;
  DimVector kernel_order;
  View weights = kernel;
  for (size_t d = 0; d < spatial; ++d) {
    const WindowDimension& w = a.window[d];
    const int64_t k = labels.kernel_spatial[d];
    rows.strides[d + 1] *= w.stride;
    terms.dims[d + 1] = kernel.dims[k];
    terms.strides[d + 1] *= w.window_dilation;
    if (w.window_reversal) weights = weights.Reverse({k});
    kernel_order.push_back(k);
  }
  terms.dims.back() = group_features;
  DimVector row_dims, term_dims;
  for (size_t d = 0; d <= spatial; ++d) row_dims.push_back(static_cast<int64_t>(d));
  for (size_t d = 1; d <= spatial + 1; ++d) term_dims.push_back(static_cast<int64_t>(d));
  kernel_order.push_back(labels.kernel_input_feature);
  if (problem.windows.empty()) problem.a.row_offsets = Offsets(rows, row_dims);
  problem.a.k_offsets = Offsets(terms, term_dims);
  problem.a.batch_offsets = a.batch_group_count > 1 ? Multiples(groups, batches / a.batch_group_count * from.strides[0])
                                                    : Multiples(groups, group_features * from.strides.back());
  for (int64_t& offset : problem.a.batch_offsets) offset += from.offset;
  problem.b.k_offsets = Offsets(weights, kernel_order);
  problem.b.row_offsets = Multiples(group_columns, weights.strides[labels.kernel_output_feature]);
  problem.b.batch_offsets = Multiples(groups, group_columns * weights.strides[labels.kernel_output_feature]);
  for (int64_t& offset : problem.b.batch_offsets) offset += weights.offset;
  problem.batch = groups;
  problem.m = rows.count() / rows.dims.back();
  problem.n = group_columns;
  problem.k = static_cast<int64_t>(problem.a.k_offsets.size());
  if (problem.m == 0 || problem.k == 0 || static_cast<int64_t>(problem.b.k_offsets.size()) != problem.k)
    return std::nullopt;
  problem.c_offsets = Multiples(groups, group_columns);
  if (in_place && problem.windows.empty()) GiveAllTerms(problem);

  if (plan.depthwise) {
    for (int64_t& offset : problem.a.row_offsets) offset += from.offset;
    DimVector to_front(kernel_order.begin(), kernel_order.end() - 1);
    to_front.push_back(labels.kernel_output_feature);
    to_front.push_back(labels.kernel_input_feature);
    plan.weights = weights.Transpose(to_front);
  }
  plan.elements.result = View::RowMajor(plan.result_dims);
  if (plan.copies_input) {
    View& view = plan.elements.input;
    view.strides = from.strides;
    view.offset = 0;
    for (size_t d = 0; d < spatial; ++d) {
      view.offset += a.window[d].padding_low * from.strides[d + 1];
      view.strides[d + 1] *= a.window[d].base_dilation;
    }
  }
  return plan;
}

}  // namespace hloir::cpu
