// See array_orders.h. Tests: tests/unit/executable_layouts_test.cc.
#include "plan/lower/array_orders.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "plan/capability/convolution_plan.h"
#include "plan/capability/gemm_problem.h"
#include "plan/capability/kernel_choice.h"
#include "plan/capability/reduce_window_plan.h"
#include "support/format.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kNearStride = 4;           // elements within this distance share cache lines
constexpr int64_t kBlockedTranspose = 4096;  // minimal number of elements for a copy
constexpr int64_t kSmallArray = 256;         // smaller arrays stay row-major
constexpr int64_t kShortRun = 32;            // contiguous elements below which a fused loop is slow
constexpr int kMostRounds = 4;
constexpr size_t kMostCandidates = 8;
constexpr double kImpossible = std::numeric_limits<double>::infinity();

bool IsIdentity(const DimVector& order) { return std::is_sorted(order.begin(), order.end()); }

// The dimensions that have more than one element.
DimVector LongDims(const DimVector& dims) {
  DimVector result;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1) result.push_back(static_cast<int64_t>(d));
  return result;
}

// The order of dimensions, major to minor, closest to the view's order in memory.
DimVector OrderInMemory(const View& view) {
  DimVector order = LongDims(view.dims);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return std::abs(view.strides[a]) > std::abs(view.strides[b]); });
  return order;
}

class OrderChoice {
 public:
  OrderChoice(Graph& graph, const KernelTable& kernels)
      : graph_(graph), kernels_(kernels), places_(graph.values.size()) {}

  void Run() {
    if (!MovesAnything()) return;
    FindReaders();
    MakeGroups();
    bool chose = false;
    for (int round = 0; round < kMostRounds; ++round) {
      bool changed = false;
      for (Group& group : groups_) changed = Choose(group) || changed;
      if (!changed) break;
      chose = true;
    }
    Explain();
    if (chose) Apply();
  }

 private:
  struct Place {
    int32_t group = -1;
    DimVector axes;  // of the group: one for each of the value's long dimensions
  };
  struct Group {
    std::vector<ValueId> members;
    std::vector<int32_t> touched;  // nodes that make or read them
    DimVector order;               // axes, major to minor; empty: each member is row-major
    double at_first = 0;           // its cost
  };

  const Node& Producer(ValueId root) const { return graph_.nodes[graph_.values[root].node]; }
  static bool IsLoop(const Node& node) { return node.support.kind == Support::kLoop; }
  static bool IsGemm(const Node& node) {
    GemmType compute;
    return node.opcode() == HloOpcode::kDot && !node.is_copy && node.support.kind == Support::kStep &&
           GemmTypeFor(node.instruction->operand(0)->shape().element_type(),
                       node.instruction->operand(1)->shape().element_type(), node.instruction->shape().element_type(),
                       &compute);
  }
  bool IsConvolution(const Node& node) const {
    if (node.opcode() != HloOpcode::kConvolution || node.is_copy || node.support.kind != Support::kStep) return false;
    if (IsIdentity(ConvolutionOrder(*node.instruction, true))) return true;  // the planner never has to move its result
    auto view = [&](ValueId id) {
      const GraphValue& value = graph_.values[id];
      return value.root == kNoValue ? View::RowMajor(value.dims) : value.view;
    };
    return cpu::PlanConvolution(*node.instruction, view(node.inputs[0]), view(node.inputs[1]), kernels_).has_value();
  }
  static bool IsWindow(const Node& node) {
    return node.opcode() == HloOpcode::kReduceWindow && !node.is_copy && node.support.kind == Support::kStep &&
           node.outputs.size() == 1 && node.inputs.size() == 2;
  }
  // Ops that read their first operand element by element.
  bool Follows(const Node& node) const { return IsLoop(node) || IsWindow(node); }
  bool IsFree(const Node& node) const {
    if (node.outputs.size() != 1 || node.is_copy || graph_.values[node.outputs[0]].count <= kSmallArray) return false;
    return IsLoop(node) || IsGemm(node) || (IsWindow(node) && PlanReduceWindow(*node.instruction, kernels_, {})) ||
           IsConvolution(node);
  }

  // True if other orders may reduce costs: most modules have no expensive transposes.
  bool MovesAnything() const {
    for (const Node& node : graph_.nodes) {
      if (Cost(node) > 0) return true;
    }
    for (ValueId id : graph_.results)
      if (ResultCost(id) > 0) return true;
    return false;
  }

  // ---- Groups.
  void FindReaders() {
    readers_.resize(graph_.values.size());
    results_.resize(graph_.values.size());
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      for (ValueId id : graph_.nodes[n].inputs) {
        const ValueId root = graph_.values[id].root;
        if (root != kNoValue && (readers_[root].empty() || readers_[root].back() != static_cast<int32_t>(n)))
          readers_[root].push_back(static_cast<int32_t>(n));
      }
    }
    for (ValueId id : graph_.results)
      if (graph_.values[id].root != kNoValue) results_[graph_.values[id].root].push_back(id);
  }
  // For each dimension of the view the long dimension of its root, if the view permutes all of it.
  std::optional<DimVector> Permutation(ValueId id) const {
    const GraphValue& value = graph_.values[id];
    if (value.root == kNoValue || value.view.offset != 0 || value.count != graph_.values[value.root].count)
      return std::nullopt;
    const View whole = View::RowMajor(graph_.values[value.root].dims);
    const DimVector mine = LongDims(value.dims), its = LongDims(whole.dims);
    if (mine.size() != its.size()) return std::nullopt;
    DimVector result;
    for (int64_t d : mine) {
      size_t k = 0;
      while (k < its.size() &&
             (whole.strides[its[k]] != value.view.strides[d] || whole.dims[its[k]] != value.dims[d])) {
        ++k;
      }
      if (k == its.size()) return std::nullopt;
      result.push_back(static_cast<int64_t>(k));
    }
    return result;
  }
  void MakeGroups() {
    std::vector<bool> free(graph_.nodes.size());
    for (size_t n = 0; n < graph_.nodes.size(); ++n) free[n] = IsFree(graph_.nodes[n]);
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!free[n] || places_[graph_.nodes[n].outputs[0]].group >= 0) continue;
      const int32_t g = static_cast<int32_t>(groups_.size());
      Group& group = groups_.emplace_back();
      const ValueId first = graph_.nodes[n].outputs[0];
      const int64_t rank = static_cast<int64_t>(LongDims(graph_.values[first].dims).size());
      Place& place = places_[first];
      place.group = g;
      for (int64_t axis = 0; axis < rank; ++axis) place.axes.push_back(axis);
      group.members.push_back(first);
      for (size_t at = 0; at < group.members.size(); ++at) {
        const ValueId member = group.members[at];
        const DimVector axes = places_[member].axes;
        const Node& node = Producer(member);
        if (Follows(node)) {
          for (ValueId id : node.inputs) {
            const ValueId root = graph_.values[id].root;
            if (root == kNoValue || graph_.values[root].node < 0 ||
                !free[static_cast<size_t>(graph_.values[root].node)] || places_[root].group >= 0) {
              continue;
            }
            const auto permutation = TieOf(node, id);
            if (!permutation) continue;
            DimVector its(axes.size());
            for (size_t k = 0; k < axes.size(); ++k) its[(*permutation)[k]] = axes[k];
            places_[root] = {g, std::move(its)};
            group.members.push_back(root);
          }
        }
        for (int32_t reader : readers_[member]) {
          const Node& user = graph_.nodes[reader];
          if (!free[static_cast<size_t>(reader)] || !Follows(user) || places_[user.outputs[0]].group >= 0) continue;
          for (ValueId id : user.inputs) {
            const auto permutation = graph_.values[id].root == member ? TieOf(user, id) : std::nullopt;
            if (!permutation) continue;
            DimVector its;
            for (int64_t k : *permutation) its.push_back(axes[k]);
            places_[user.outputs[0]] = {g, std::move(its)};
            group.members.push_back(user.outputs[0]);
            break;
          }
        }
      }
    }
    for (Group& group : groups_) {
      for (ValueId member : group.members) {
        group.touched.push_back(graph_.values[member].node);
        group.touched.insert(group.touched.end(), readers_[member].begin(), readers_[member].end());
        for (int32_t reader : readers_[member]) {  // whose results follow
          const Node& node = graph_.nodes[reader];
          if (node.support.kind != Support::kLoopReduction) continue;
          const std::vector<int32_t>& next = readers_[node.outputs[0]];
          group.touched.insert(group.touched.end(), next.begin(), next.end());
        }
      }
      std::sort(group.touched.begin(), group.touched.end());
      group.touched.erase(std::unique(group.touched.begin(), group.touched.end()), group.touched.end());
      group.at_first = Cost(group);
    }
  }
  // The permutation, if the node's result may have this input's order.
  std::optional<DimVector> TieOf(const Node& node, ValueId id) const {
    if (IsWindow(node)) {
      // A dimension that windows reduce to size 1 has no axis on the other side.
      const GraphValue& value = graph_.values[id];
      if (id != node.inputs[0] || LongDims(value.dims) != LongDims(graph_.values[node.outputs[0]].dims))
        return std::nullopt;
    }
    return Permutation(id);
  }

  // ---- Where things lie.
  // All dimensions of the root, major to minor; empty: row-major. Those of size 1 come first.
  DimVector OrderOf(ValueId root) const {
    const Place& place = places_[root];
    if (place.group < 0) return ReducedOrder(root);
    const DimVector &dims = graph_.values[root].dims, &order = groups_[static_cast<size_t>(place.group)].order;
    if (order.empty()) return {};
    const DimVector its = LongDims(dims);
    DimVector result, sorted;
    for (int64_t axis : order) {
      const auto at = std::find(place.axes.begin(), place.axes.end(), axis) - place.axes.begin();
      sorted.push_back(its[static_cast<size_t>(at)]);
    }
    if (IsIdentity(sorted)) return {};
    for (size_t d = 0; d < dims.size(); ++d)
      if (dims[d] == 1) result.push_back(static_cast<int64_t>(d));
    for (int64_t d : sorted) result.push_back(d);
    return result;
  }
  // The order of a reduction's operand, which determines the result's: rows that are summed separately may have any
  // order if each is contiguous and row-major. Empty: row-major.
  DimVector OperandOrder(const Node& node) const {
    if (node.support.kind != Support::kLoopReduction || node.support.reduce.inner != 1 ||
        node.support.reduce.reduced == 1) {
      return {};
    }
    const ValueId id = node.inputs[0], root = graph_.values[id].root;
    if (root == kNoValue || places_[root].group < 0 || !Permutation(id)) return {};
    const auto seen = Seen(id);
    if (!seen) return {};
    const DimVector order = OrderInMemory(*seen);
    if (IsIdentity(order)) return {};
    const DimVector& dims = graph_.values[id].dims;
    int64_t last = -1;  // of those reduced so far
    for (int64_t d : order) {
      const DimVector& reduced = node.instruction->dimensions();
      const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
      if (is_reduced ? d < last : last >= 0) return {};
      if (is_reduced) last = d;
    }
    DimVector result;
    for (size_t d = 0; d < dims.size(); ++d)
      if (dims[d] == 1) result.push_back(static_cast<int64_t>(d));
    for (int64_t d : order) result.push_back(d);
    return result;
  }
  DimVector ReducedOrder(ValueId root) const {
    if (graph_.values[root].node < 0) return {};
    const Node& node = Producer(root);
    DimVector result;
    const DimVector order = OperandOrder(node);
    const DimVector& reduced = order.empty() ? order : node.instruction->dimensions();
    for (int64_t d : order) {
      if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
      const auto before = std::count_if(reduced.begin(), reduced.end(), [&](int64_t other) { return other < d; });
      result.push_back(d - static_cast<int64_t>(before));
    }
    return IsIdentity(result) ? DimVector() : result;
  }
  std::optional<View> Seen(ValueId id) const {
    const GraphValue& value = graph_.values[id];
    if (value.root == kNoValue) return value.view;
    const DimVector order = OrderOf(value.root);
    return order.empty() ? value.view : value.view.Reorder(graph_.values[value.root].dims, order);
  }

  // ---- Costs, in additional bytes read or written.
  double Cost(const Group& group) const {
    double cost = 0;
    for (int32_t node : group.touched) cost += Cost(graph_.nodes[node]);
    for (ValueId member : group.members)
      for (ValueId id : results_[member]) cost += ResultCost(id);
    return cost;
  }
  double ResultCost(ValueId id) const {
    const GraphValue& value = graph_.values[id];
    if (value.root == kNoValue || value.kind == ValueKind::kToken || value.kind == ValueKind::kDynamic) return 0;
    const auto seen = Seen(id);
    return !seen ? kImpossible : seen->IsContiguous() ? 0 : 2.0 * static_cast<double>(value.bytes());
  }
  double Cost(const Node& node) const {
    double cost = 0;
    const bool reduces = node.support.kind == Support::kLoopReduction;
    const DimVector order = reduces                    ? OperandOrder(node)
                            : node.outputs.size() == 1 ? OrderOf(node.outputs[0])
                                                       : DimVector();
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const GraphValue& value = graph_.values[node.inputs[k]];
      if (value.kind == ValueKind::kToken || value.kind == ValueKind::kDynamic || value.count <= kSmallArray) {
        // Cheap, if it is possible.
        if (value.root != kNoValue && places_[value.root].group >= 0 && !Seen(node.inputs[k])) return kImpossible;
        continue;
      }
      const auto seen = Seen(node.inputs[k]);
      if (!seen) return kImpossible;
      cost += ReadCost(node, k, *seen, order);
    }
    if (node.outputs.size() == 1 && !reduces) cost += WriteCost(node, order);
    return cost;
  }
  double WriteCost(const Node& node, const DimVector& order) const {
    const GraphValue& result = graph_.values[node.outputs[0]];
    if (result.count <= kSmallArray || node.support.kind != Support::kStep || node.is_copy) return 0;
    const double bytes = static_cast<double>(result.bytes());
    if (node.opcode() == HloOpcode::kConvolution) {
      const View made = View::InOrder(result.dims, ConvolutionOrder(*node.instruction, true));
      return (order.empty() ? made : made.Transpose(order)).IsContiguous() ? 0 : 2 * bytes;
    }
    if (order.empty()) return IsWindow(node) ? WindowCost(node, order) : 0;
    if (IsWindow(node)) return MayReorder(node, order) ? WindowCost(node, order) : kImpossible;
    return IsGemm(node) && !CanStoreInOrder(*node.instruction, order) ? 2 * bytes : 0;
  }
  // A window along the contiguous dimension is slower than one whose elements have neighbours under the next window.
  double WindowCost(const Node& node, const DimVector& order) const {
    const Window& window = node.instruction->attributes<WindowAttributes>().window;
    const DimVector& dims = graph_.values[node.outputs[0]].dims;
    int64_t minor = -1;
    for (size_t i = 0; i < dims.size(); ++i) {
      const int64_t d = order.empty() ? static_cast<int64_t>(i) : order[i];
      if (dims[d] != 1) minor = d;
    }
    if (minor < 0 || static_cast<size_t>(minor) >= window.size() || window[minor].size == 1) return 0;
    return 2.0 * static_cast<double>(graph_.values[node.inputs[0]].bytes());
  }
  // A window combines elements in the same order, and there is a kernel for it.
  bool MayReorder(const Node& node, const DimVector& order) const {
    const Window& window = node.instruction->attributes<WindowAttributes>().window;
    int64_t last = -1;
    for (int64_t d : order) {
      if (window[d].size == 1) continue;
      if (d < last) return false;
      last = d;
    }
    return PlanReduceWindow(*node.instruction, kernels_, order).has_value();
  }
  double ReadCost(const Node& node, size_t k, const View& seen, const DimVector& order) const {
    const GraphValue& value = graph_.values[node.inputs[k]];
    const double bytes = static_cast<double>(value.bytes());
    if (IsLoop(node) || node.support.kind == Support::kLoopReduction) {
      if (value.kind == ValueKind::kIota) return 0;
      const bool turns = order.size() == seen.dims.size() && (IsLoop(node) || k == 0);
      return LoopReadCost(value, turns ? seen.Transpose(order) : seen, node.support.kind);
    }
    if (node.is_copy || node.support.kind == Support::kReference) return seen.IsContiguous() ? 0 : 2 * bytes;
    switch (node.opcode()) {
      case HloOpcode::kDot: return DotReadCost(node, k, seen, bytes);
      case HloOpcode::kConvolution: {
        if (k != 0) return 0;
        const int64_t feature = ConvolutionOrder(*node.instruction, false).back();
        return seen.strides[feature] == 1 || seen.dims[feature] == 1 ? 0 : bytes;
      }
      case HloOpcode::kReduceWindow:
        return k != 0 || (order.empty() ? seen : seen.Transpose(order)).IsContiguous() ? 0 : 2 * bytes;
      case HloOpcode::kConcatenate:
      case HloOpcode::kDynamicSlice:
      case HloOpcode::kGather:
      case HloOpcode::kPad: return IsReadAlongColumns(seen, value.count) ? bytes : 0;
      default: return seen.IsContiguous() ? 0 : 2 * bytes;  // a copy first, unless contiguous
    }
  }
  double LoopReadCost(const GraphValue& value, const View& seen, Support::Kind kind) const {
    const double bytes = static_cast<double>(value.bytes());
    double cost = 0;
    // Otherwise the value would stay in a register of the loop that reads it.
    const bool computed = value.root != kNoValue && graph_.values[value.root].node >= 0;
    const bool whole = seen.IsContiguous();
    if (!whole && computed && IsLoop(Producer(value.root)) && value.count == graph_.values[value.root].count)
      cost += 2.0 * bytes;
    const View runs = seen.Collapse();
    if (kind == Support::kLoop && LoadsTransposed(runs)) return cost + 0.5 * bytes;
    if (IsReadAlongColumns(seen, value.count)) return cost + 2.0 * bytes;
    if (!whole && kind == Support::kLoop && runs.dims.size() > 1 && runs.strides.back() == 1 &&
        runs.dims.back() < kShortRun) {
      cost += 0.5 * bytes;
    }
    return cost;
  }
  // Operands are packed in place, which is fast if rows or terms of the sums are contiguous.
  static double DotReadCost(const Node& node, size_t k, const View& seen, double bytes) {
    const DotAttributes& a = node.instruction->attributes<DotAttributes>();
    const DimVector &batch = k == 0 ? a.lhs_batch_dims : a.rhs_batch_dims,
                    &terms = k == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
    auto contains = [](const DimVector& list, int64_t d) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    View of_rows, of_terms;
    for (size_t i = 0; i < seen.dims.size(); ++i) {
      const int64_t d = static_cast<int64_t>(i);
      if (contains(batch, d) || contains(terms, d)) continue;
      of_rows.dims.push_back(seen.dims[i]), of_rows.strides.push_back(seen.strides[i]);
    }
    for (int64_t d : terms) of_terms.dims.push_back(seen.dims[d]), of_terms.strides.push_back(seen.strides[d]);
    const View rows = of_rows.Collapse(), along = of_terms.Collapse();
    if (along.dims.empty() || rows.dims.empty()) return 0;
    if (along.dims.size() == 1 && along.strides[0] == 1) return 0;
    // A panel of rows is contiguous, which may be fewer than all.
    if (rows.strides.back() == 1 && rows.dims.back() >= kShortRun) return 0;
    return along.strides.back() == 1 || rows.strides.back() == 1 ? 0.5 * bytes : 2 * bytes;
  }

  // ---- Choices.
  // Orders preferred by producers and readers of the group's members; the present one first.
  std::vector<DimVector> Candidates(const Group& group) const {
    std::vector<DimVector> candidates{group.order};
    auto add = [&](ValueId member, const DimVector& long_dims) {
      const Place& place = places_[member];
      if (candidates.size() >= kMostCandidates || long_dims.size() != place.axes.size()) return;
      const DimVector its = LongDims(graph_.values[member].dims);
      DimVector order;
      for (int64_t d : long_dims)
        order.push_back(place.axes[static_cast<size_t>(std::find(its.begin(), its.end(), d) - its.begin())]);
      if (std::find(candidates.begin(), candidates.end(), order) == candidates.end()) candidates.push_back(order);
    };
    for (ValueId member : group.members) {
      if (candidates.size() >= kMostCandidates) break;
      const Node& node = Producer(member);
      const GraphValue& value = graph_.values[member];
      add(member, LongDims(value.dims));
      if (node.opcode() == HloOpcode::kConvolution && !node.is_copy)
        add(member, OrderInMemory(View::InOrder(value.dims, ConvolutionOrder(*node.instruction, true))));
      if (Follows(node)) {
        for (ValueId id : node.inputs) {
          const GraphValue& input = graph_.values[id];
          if (input.root == kNoValue || input.count != value.count ||
              places_[input.root].group == places_[member].group)
            continue;
          const auto seen = Seen(id);
          const bool repeats = !seen || std::find(seen->strides.begin(), seen->strides.end(), 0) != seen->strides.end();
          if (!repeats && !IsWindow(node)) add(member, OrderInMemory(*seen));
        }
      }
      for (ValueId id : results_[member]) add(member, Wished(member, id, {}));
      for (int32_t reader : readers_[member]) {
        const Node& user = graph_.nodes[reader];
        for (size_t k = 0; k < user.inputs.size(); ++k) {
          const ValueId id = user.inputs[k];
          if (graph_.values[id].root != member) continue;
          DimVector order;
          if (user.opcode() == HloOpcode::kConvolution && k == 0) order = ConvolutionOrder(*user.instruction, false);
          else if (user.outputs.size() == 1 && Follows(user)) order = OrderOf(user.outputs[0]);
          add(member, Wished(member, id, order));
        }
      }
    }
    return candidates;
  }
  // The order of the root's long dimensions in which the view is contiguous for this order of its own.
  DimVector Wished(ValueId root, ValueId id, DimVector order) const {
    const View& view = graph_.values[id].view;
    const View whole = View::RowMajor(graph_.values[root].dims);
    if (order.size() != view.dims.size()) {
      order = DimVector();
      for (size_t i = 0; i < view.dims.size(); ++i) order.push_back(static_cast<int64_t>(i));
    }
    DimVector long_dims = LongDims(whole.dims);
    std::vector<size_t> first(whole.dims.size(), 0);  // 1 + the position in `order` of the dimension along it
    for (int64_t d : long_dims) {
      const int64_t stride = whole.strides[d], end = stride * whole.dims[d];
      for (size_t i = order.size(); i-- > 0;) {
        const int64_t from = std::abs(view.strides[order[i]]), to = from * view.dims[order[i]];
        if (view.dims[order[i]] > 1 && from > 0 && from < end && to > stride) first[d] = i + 1;
      }
    }
    std::stable_sort(long_dims.begin(), long_dims.end(), [&](int64_t a, int64_t b) { return first[a] < first[b]; });
    return long_dims;
  }
  bool Choose(Group& group) {
    double least = Cost(group);
    if (least == 0) return false;
    const std::vector<DimVector> candidates = Candidates(group);
    DimVector best = group.order;
    for (size_t c = 1; c < candidates.size(); ++c) {
      group.order = candidates[c];
      if (const double cost = Cost(group); cost < least) least = cost, best = candidates[c];
    }
    group.order = best;
    return best != candidates[0];
  }

  // The choices with their reasons; unchanged arrays only if others around them change.
  void Explain() {
    for (Group& group : groups_) {
      // The first array in the module, preferably one that is not row-major.
      ValueId first = kNoValue;
      for (ValueId member : group.members) {
        const bool moved = !OrderOf(member).empty(), before = first != kNoValue && !OrderOf(first).empty();
        if (first == kNoValue || (moved == before ? member < first : moved)) first = member;
      }
      const DimVector order = OrderOf(first), chosen = group.order;
      const double cost = Cost(group);
      if (order.empty() && group.at_first == 0) continue;
      std::string reason;
      if (group.members.size() > 1) reason = Format("group of {} arrays: ", group.members.size());
      reason += Format("{} bytes moved", static_cast<int64_t>(cost));
      if (chosen.empty()) {
        double next = kImpossible;
        for (const DimVector& other : Candidates(group)) {
          if (other == chosen) continue;
          group.order = other;
          next = std::min(next, Cost(group));
        }
        group.order = chosen;
        if (next == kImpossible) continue;
        reason += Format("; {} with the next best layout", static_cast<int64_t>(next));
      } else {
        // For whom most.
        std::vector<double> now;
        for (int32_t node : group.touched) now.push_back(Cost(graph_.nodes[node]));
        group.order = DimVector();
        size_t most = 0;
        double saved = -1;
        for (size_t i = 0; i < now.size(); ++i) {
          const double before = Cost(graph_.nodes[group.touched[i]]) - now[i];
          if (before > saved) saved = before, most = i;
        }
        group.order = chosen;
        reason += Format("; {} if row-major, most for {}", static_cast<int64_t>(group.at_first),
                         graph_.nodes[group.touched[most]].instruction->name());
      }
      graph_.order_reasons.push_back(
          {graph_.values[first].instruction, graph_.values[first].dims, order, !order.empty(), std::move(reason)});
    }
  }

  // Gives values that are not row-major their dimensions in memory, and their readers views.
  void Apply() {
    const size_t count = graph_.values.size();
    std::vector<DimVector> orders(count);
    std::vector<ValueId> as_numbered(count, kNoValue);
    std::vector<DimVector> operands(graph_.nodes.size());  // of reductions
    for (size_t v = 0; v < count; ++v) orders[v] = OrderOf(static_cast<ValueId>(v));
    for (size_t n = 0; n < graph_.nodes.size(); ++n) operands[n] = OperandOrder(graph_.nodes[n]);
    for (size_t v = 0; v < count; ++v) {
      GraphValue& value = graph_.values[v];
      if (value.kind == ValueKind::kView && value.root != kNoValue && !orders[value.root].empty())
        value.view = *value.view.Reorder(graph_.values[value.root].dims, orders[value.root]);
    }
    for (size_t v = 0; v < count; ++v) {
      if (orders[v].empty()) continue;
      const View lies = View::InOrder(graph_.values[v].dims, orders[v]);
      DimVector dims;
      for (int64_t d : orders[v]) dims.push_back(graph_.values[v].dims[d]);
      graph_.values[v].dims = dims;
      graph_.values[v].view = View::RowMajor(dims);
      as_numbered[v] =
          graph_.AddView(static_cast<ValueId>(v), graph_.values[v].type, lies, graph_.values[v].instruction);
    }
    auto replace = [&](ValueId& id) {
      if (static_cast<size_t>(id) < count && as_numbered[id] != kNoValue) id = as_numbered[id];
    };
    for (ValueId& id : graph_.results) replace(id);
    // A scalar operand of select or clamp is unchanged.
    auto turn = [&](ValueId& id, const DimVector& order) {
      const GraphValue value = graph_.values[id];
      if (value.dims.size() == order.size())
        id = graph_.AddView(id, value.type, value.view.Transpose(order), value.instruction);
    };
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      Node& node = graph_.nodes[n];
      for (ValueId& id : node.inputs) replace(id);
      if (!operands[n].empty()) turn(node.inputs[0], operands[n]);
      if (node.support.kind == Support::kLoopReduction || node.outputs.size() != 1 || orders[node.outputs[0]].empty())
        continue;
      const DimVector& order = orders[node.outputs[0]];
      if (!IsLoop(node)) node.order = order;
      for (size_t k = 0; Follows(node) && k < (IsWindow(node) ? 1 : node.inputs.size()); ++k)
        turn(node.inputs[k], order);
    }
  }

  Graph& graph_;
  const KernelTable& kernels_;
  std::vector<Place> places_;  // by value
  std::vector<Group> groups_;
  std::vector<std::vector<int32_t>> readers_;  // by root: nodes
  std::vector<std::vector<ValueId>> results_;  // by root: the graph's results that are views of it
};

}  // namespace

bool IsReadAlongColumns(const View& seen, int64_t count) {
  const View view = seen.Collapse();
  const int64_t inner = view.dims.empty() ? 0 : view.strides.back();
  return count >= kBlockedTranspose && inner != 0 && std::abs(inner) > kNearStride && view.dims.size() > 1;
}

void ChooseOrders(Graph& graph, const KernelTable& kernels) { OrderChoice(graph, kernels).Run(); }

}  // namespace hloir::cpu
