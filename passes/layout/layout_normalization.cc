// layout-normalization: makes all arrays row-major, with their dimensions in the order of memory.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4,6,8]{2,1,0} parameter(0)
//   y = f32[4,6,8]{1,2,0} copy(x)
//   z = f32[4,6,8]{1,2,0} tanh(y)
//   part = f32[4,2,8]{1,2,0} slice(z), slice={[0:4], [1:3], [0:8]}
//   ROOT t = f32[4,8,2]{2,1,0} transpose(part), dimensions={0,2,1}
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4,6,8]{2,1,0} parameter(0)
//   y = f32[4,8,6]{2,1,0} transpose(x), dimensions={0,2,1}
//   z = f32[4,8,6]{2,1,0} tanh(y)
//   ROOT part = f32[4,8,2]{2,1,0} slice(z), slice={[0:4], [0:8], [1:3]}
// }
// END
//
// A copy to another order becomes a transpose, a transpose that moves nothing is removed. An op that the pass does not
// support keeps its layouts, between bitcasts. Afterwards logical order and memory agree, as hloir's engine requires:
// it lays every array row-major. Leaves alone: bodies of fusions; parameters and results; arrays with tiles, dynamic
// sizes or a sharding.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "hloir/rewrite_util.h"
#include "layout/orders.h"

namespace hloir {
namespace layout {
namespace {

constexpr RuleInfo kNormalize = {"normalize-layout", "op(A) in another order => bitcast(op(bitcast(A))), row-major"};
// The order of sums may change, because the engine selects kernels by the layout of operands.
constexpr RuleInfo kNormalizeReduce = {"normalize-reduce",
                                       "reduce(A) in another order => reduce(bitcast(A)), row-major", MathMode::kExact,
                                       MathMode::kRounding};
constexpr RuleInfo kNormalizeDot = {"normalize-dot",
                                    "dot(A, B) in another order => dot(bitcast(A), bitcast(B)), row-major",
                                    MathMode::kExact, MathMode::kRounding};
constexpr RuleInfo kSwapDot = {"normalize-swapped-dot", "dot(A, B) with columns major => bitcast(dot(B, A)), row-major",
                               MathMode::kExact, MathMode::kRounding};

bool IsRowMajor(const Shape& shape) { return OrderOf(shape) == RowMajor(shape.rank()); }

// The elements of a row-major array of these sizes in another order of dimensions.
Literal Transposed(const Literal& from, const DimVector& permutation, const Shape& to) {
  Literal result(to);
  const size_t bytes = static_cast<size_t>(StorageBytes(to.element_type()));
  DimVector strides(permutation.size(), 1), index(permutation.size(), 0);
  for (size_t d = permutation.size(); d-- > 1;)
    strides[d - 1] = strides[d] * from.shape().dimensions(static_cast<int64_t>(d));
  for (int64_t n = 0; n < result.element_count(); ++n) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[static_cast<size_t>(permutation[d])];
    std::copy_n(from.untyped_data() + static_cast<size_t>(at) * bytes, bytes,
                result.untyped_data() + static_cast<size_t>(n) * bytes);
    for (size_t d = index.size(); d-- > 0 && ++index[d] == to.dimensions(static_cast<int64_t>(d));) index[d] = 0;
  }
  return result;
}

class LayoutNormalization : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      made_.clear();
      for (HloInstruction* i : InOrder(*computation)) changed = Visit(i) || changed;
    }
    return changed;
  }

 private:
  using List = std::vector<HloInstruction*>;

  // The row-major array with the dimensions of `x` in memory order; a bitcast of `x`, created once.
  HloInstruction* Flat(HloInstruction* x) {
    if (IsRowMajor(x->shape())) return x;
    HloInstruction*& flat = made_[x];
    if (flat == nullptr) {
      HloInstruction* next = x->next();
      flat = x->parent()->AddInstruction(HloOpcode::kBitcast, Physical(x->shape()), {x}, NoAttributes());
      if (next != nullptr) x->parent()->MoveBefore(flat, next);
    }
    return flat;
  }

  bool Visit(HloInstruction* i) {
    if (!IsPlain(i->shape()) || !i->shape().has_layout() || i->HasControlDependencies() || i->sharding() != nullptr)
      return false;
    bool other = !IsRowMajor(i->shape());
    for (const HloInstruction* operand : i->operands()) {
      if (!IsPlain(operand->shape()) || !operand->shape().has_layout()) return false;
      other = other || !IsRowMajor(operand->shape());
    }
    if (!other || IsBridge(i) || !Handles(*i)) return false;
    const RuleInfo& rule = RuleFor(*i);
    if (!Ask(rule,
             IsFloat(i->shape().element_type()) || IsComplex(i->shape().element_type()) ? rule.floats : rule.integers,
             *i))
      return false;
    const int32_t next = i->module()->instruction_id_limit();
    HloInstruction* flat = Normalized(i);
    if (flat->id() >= next) InheritAnnotations(flat, *i);
    HloInstruction* back = flat;
    if (!IsRowMajor(i->shape())) {
      back = i->parent()->AddInstruction(HloOpcode::kBitcast, i->shape(), {flat}, NoAttributes());
      InheritAnnotations(back, *i);
      made_[back] = flat;
    }
    for (HloInstruction* made : {flat, back})
      if (made->id() >= next) i->parent()->MoveBefore(made, i);
    i->ReplaceAllUsesWith(back);
    gate_.Done(back);
    if (IsDead(*i)) RemoveIfDead(i);
    return true;
  }

  // A bitcast between an array and its row-major form, as this pass makes them.
  bool IsBridge(HloInstruction* i) {
    if (i->opcode() != HloOpcode::kBitcast) return false;
    HloInstruction* operand = i->operand(0);
    if (!IsRowMajor(operand->shape()) && i->shape() == Physical(operand->shape())) made_.emplace(operand, i);
    else if (!IsRowMajor(i->shape()) && operand->shape() == Physical(i->shape())) made_.emplace(i, operand);
    else return false;
    return true;
  }

  static const RuleInfo& RuleFor(const HloInstruction& i) {
    if (i.opcode() == HloOpcode::kReduce) return kNormalizeReduce;
    if (i.opcode() != HloOpcode::kDot) return kNormalize;
    return DotInMemory(i)->swapped ? kSwapDot : kNormalizeDot;
  }

  // True if all operands of the op's rank have the layout of its result.
  static bool Agree(const HloInstruction& i, int64_t first, int64_t last) {
    for (int64_t k = first; k < last; ++k) {
      const Shape& shape = i.operand(k)->shape();
      if (shape.rank() == i.shape().rank() && OrderOf(shape) != OrderOf(i.shape())) return false;
    }
    return true;
  }
  static bool Handles(const HloInstruction& i) {
    const int64_t count = i.operand_count();
    switch (i.opcode()) {
      case HloOpcode::kConstant: return !i.literal().elided();
      case HloOpcode::kIota:
      case HloOpcode::kTranspose:
      case HloOpcode::kCopy:
      case HloOpcode::kBroadcast: return true;
      case HloOpcode::kConvolution:
        return count == 2 && !i.attributes<ConvolutionAttributes>().sparsity_config.lhs &&
               !i.attributes<ConvolutionAttributes>().sparsity_config.rhs;
      case HloOpcode::kBitcast: return i.shape().element_type() == i.operand(0)->shape().element_type();
      case HloOpcode::kBitcastConvert:
        return Agree(i, 0, 1) && BitWidth(i.shape().element_type()) == BitWidth(i.operand(0)->shape().element_type());
      case HloOpcode::kSlice:
      case HloOpcode::kPad:
      case HloOpcode::kReverse:
      case HloOpcode::kReduceWindow: return Agree(i, 0, 1);
      case HloOpcode::kSort: return count == 1 && Agree(i, 0, 1);
      case HloOpcode::kGather: {
        const Order order = OrderOf(i.shape());
        return order == OrderOfWindows(i, order, OrderOf(i.operand(0)->shape()), OrderOf(i.operand(1)->shape()));
      }
      case HloOpcode::kScatter: {
        if (count != 3 || !Agree(i, 0, 1) || !IsRowMajor(i.operand(1)->shape())) return false;
        const Order order = OrderOf(i.operand(2)->shape());
        return order == OrderOfWindows(i, order, OrderOf(i.shape()), OrderOf(i.operand(1)->shape()));
      }
      case HloOpcode::kDynamicSlice: return Agree(i, 0, 1) && count == i.shape().rank() + 1;
      case HloOpcode::kDynamicUpdateSlice: return Agree(i, 0, 2) && count == i.shape().rank() + 2;
      case HloOpcode::kSelectAndScatter: return Agree(i, 0, 2);
      case HloOpcode::kConcatenate: return Agree(i, 0, count);
      case HloOpcode::kReduce:
        return count == 2 && OrderOf(i.shape()) == Without(OrderOf(i.operand(0)->shape()), i.dimensions());
      case HloOpcode::kReshape: {
        const Shape& from = i.operand(0)->shape();
        const auto through = ThroughReshape(from.dimensions(), OrderOf(from), i.shape().dimensions());
        return through && SamePlaces(i.shape(), *through, OrderOf(i.shape()));
      }
      case HloOpcode::kDot: return DotInMemory(i).has_value();
      default: return i.Is(kElementwise) && Agree(i, 0, count);  // other ops keep their layouts
    }
  }

  struct FlatDot {
    DotAttributes attributes;
    bool swapped = false;  // the operands take each other's place
  };
  // The dot of both operands as they lie in memory, if its result comes as it lies in memory, too.
  static std::optional<FlatDot> DotInMemory(const HloInstruction& i) {
    FlatDot dot{i.attributes<DotAttributes>()};
    DotAttributes& a = dot.attributes;
    DimVector batches, rows, columns;  // the result's dimensions, in the order in which the operands have them
    const int64_t batch = static_cast<int64_t>(a.lhs_batch_dims.size());
    for (int64_t d = 0; d < batch; ++d) batches.push_back(d);
    int64_t before = batch;
    auto side = [&](const Shape& shape, DimVector& of_batch, DimVector& contracting, DimVector& kept) {
      const DimVector order = Major(OrderOf(shape)), where = Inverse(order);
      DimVector number(order.size(), -1);
      for (int64_t d = 0; d < shape.rank(); ++d)
        if (!Contains(of_batch, d) && !Contains(contracting, d)) number[static_cast<size_t>(d)] = before++;
      for (int64_t d : order)
        if (number[static_cast<size_t>(d)] >= 0) kept.push_back(number[static_cast<size_t>(d)]);
      for (int64_t& d : of_batch) d = where[static_cast<size_t>(d)];
      for (int64_t& d : contracting) d = where[static_cast<size_t>(d)];
    };
    side(i.operand(0)->shape(), a.lhs_batch_dims, a.lhs_contracting_dims, rows);
    side(i.operand(1)->shape(), a.rhs_batch_dims, a.rhs_contracting_dims, columns);
    const DimVector wanted = Major(OrderOf(i.shape()));
    auto joined = [&](const DimVector& first, const DimVector& second) {
      DimVector all = batches;
      for (const DimVector* list : {&first, &second})
        for (int64_t d : *list) all.push_back(d);
      return all;
    };
    if (joined(rows, columns) == wanted) return dot;
    if (joined(columns, rows) != wanted) return std::nullopt;
    dot.swapped = true;
    std::swap(a.lhs_batch_dims, a.rhs_batch_dims);
    std::swap(a.lhs_contracting_dims, a.rhs_contracting_dims);
    if (a.operand_precision.size() == 2) std::reverse(a.operand_precision.begin(), a.operand_precision.end());
    return dot;
  }

  // Batching dimensions of the operand, which have to ascend, and beside them those of the indices. {}: they stay.
  static void RenumberPairs(DimVector& operand, const DimVector& operand_where, DimVector& indices,
                            const DimVector& indices_where) {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t k = 0; k < operand.size(); ++k) {
      const int64_t index = indices[k];
      pairs.emplace_back(operand_where[static_cast<size_t>(operand[k])],
                         indices_where.empty() ? index : indices_where[static_cast<size_t>(index)]);
    }
    std::sort(pairs.begin(), pairs.end());
    for (size_t k = 0; k < pairs.size(); ++k) operand[k] = pairs[k].first, indices[k] = pairs[k].second;
  }

  HloInstruction* Normalized(HloInstruction* i) {
    HloComputation* computation = i->parent();
    const Shape& shape = i->shape();
    const Shape flat = Physical(shape);
    const DimVector major = Major(OrderOf(shape)), where = Inverse(major);
    List operands;
    for (HloInstruction* operand : i->operands()) operands.push_back(Flat(operand));
    const bool has_operand = !operands.empty();
    const DimVector operand_major = has_operand ? Major(OrderOf(i->operand(0)->shape())) : DimVector();
    const DimVector operand_where = Inverse(operand_major);
    auto renumbered = [](DimVector dimensions, const DimVector& to) {
      for (int64_t& d : dimensions) d = to[static_cast<size_t>(d)];
      return dimensions;
    };
    auto ascending = [](DimVector dimensions) {
      std::sort(dimensions.begin(), dimensions.end());
      return dimensions;
    };
    auto permuted = [&](const auto& list) {
      auto result = list;
      for (size_t p = 0; p < major.size(); ++p) result[p] = list[static_cast<size_t>(major[p])];
      return result;
    };
    auto clone = [&] { return computation->AddClone(*i, operands, &flat); };
    // Takes the operand's elements to where the result has them.
    auto move = [&](const DimVector& operand_dimension) -> HloInstruction* {
      DimVector permutation;
      for (int64_t d : major)
        permutation.push_back(operand_where[static_cast<size_t>(operand_dimension[static_cast<size_t>(d)])]);
      for (size_t p = 0; p < permutation.size(); ++p) {
        if (permutation[p] != static_cast<int64_t>(p))
          return computation->AddInstruction(HloOpcode::kTranspose, flat, operands, DimensionsAttributes{permutation});
      }
      return operands[0];
    };
    switch (i->opcode()) {
      case HloOpcode::kConstant: return computation->AddConstant(Transposed(i->literal(), major, flat));
      case HloOpcode::kIota: {
        IotaAttributes a = i->attributes<IotaAttributes>();
        a.iota_dimension = where[static_cast<size_t>(a.iota_dimension)];
        return computation->AddInstruction(HloOpcode::kIota, flat, operands, a);
      }
      case HloOpcode::kTranspose: return move(i->dimensions());
      case HloOpcode::kCopy: {
        DimVector same;
        for (int64_t d = 0; d < shape.rank(); ++d) same.push_back(d);
        HloInstruction* moved = move(same);
        return moved == operands[0] ? clone() : moved;
      }
      case HloOpcode::kBroadcast: {
        DimVector dimensions;
        for (int64_t d : operand_major)
          dimensions.push_back(where[static_cast<size_t>(i->dimensions()[static_cast<size_t>(d)])]);
        return computation->AddInstruction(HloOpcode::kBroadcast, flat, operands, DimensionsAttributes{dimensions});
      }
      case HloOpcode::kReshape:
        return computation->AddInstruction(HloOpcode::kReshape, flat, operands, ReshapeAttributes());
      case HloOpcode::kSlice: {
        HloInstruction* made = clone();
        auto& ranges = made->mutable_attributes<SliceAttributes>().slice;
        ranges = permuted(ranges);
        return made;
      }
      case HloOpcode::kPad: {
        HloInstruction* made = clone();
        auto& padding = made->mutable_attributes<PadAttributes>().padding;
        padding = permuted(padding);
        return made;
      }
      case HloOpcode::kReduceWindow:
      case HloOpcode::kSelectAndScatter: {
        HloInstruction* made = clone();
        if (auto& window = made->mutable_attributes<WindowAttributes>().window; window.size() == major.size())
          window = permuted(window);
        return made;
      }
      case HloOpcode::kReverse:
      case HloOpcode::kConcatenate: {
        HloInstruction* made = clone();
        auto& dimensions = made->mutable_attributes<DimensionsAttributes>().dimensions;
        dimensions = renumbered(dimensions, where);
        return made;
      }
      case HloOpcode::kReduce: {
        HloInstruction* made = clone();
        auto& dimensions = made->mutable_attributes<DimensionsAttributes>().dimensions;
        dimensions = renumbered(dimensions, operand_where);
        std::sort(dimensions.begin(), dimensions.end());
        return made;
      }
      case HloOpcode::kSort: {
        HloInstruction* made = clone();
        auto& dimensions = made->mutable_attributes<SortAttributes>().dimensions;
        dimensions = renumbered(dimensions, where);
        return made;
      }
      case HloOpcode::kGather: {
        HloInstruction* made = clone();
        auto& a = made->mutable_attributes<GatherAttributes>();
        const DimVector indices_where = Inverse(Major(OrderOf(i->operand(1)->shape())));
        a.offset_dims = ascending(renumbered(a.offset_dims, where));
        a.collapsed_slice_dims = ascending(renumbered(a.collapsed_slice_dims, operand_where));
        a.start_index_map = renumbered(a.start_index_map, operand_where);
        RenumberPairs(a.operand_batching_dims, operand_where, a.start_indices_batching_dims, indices_where);
        if (a.index_vector_dim < i->operand(1)->shape().rank())
          a.index_vector_dim = indices_where[static_cast<size_t>(a.index_vector_dim)];
        const DimVector sizes = a.slice_sizes;
        for (size_t p = 0; p < sizes.size(); ++p) a.slice_sizes[p] = sizes[static_cast<size_t>(operand_major[p])];
        return made;
      }
      case HloOpcode::kScatter: {
        HloInstruction* made = clone();
        auto& a = made->mutable_attributes<ScatterAttributes>();
        const DimVector updates_where = Inverse(Major(OrderOf(i->operand(2)->shape())));
        a.update_window_dims = ascending(renumbered(a.update_window_dims, updates_where));
        a.inserted_window_dims = ascending(renumbered(a.inserted_window_dims, operand_where));
        a.scatter_dims_to_operand_dims = renumbered(a.scatter_dims_to_operand_dims, operand_where);
        RenumberPairs(a.input_batching_dims, operand_where, a.scatter_indices_batching_dims, {});
        return made;
      }
      case HloOpcode::kDynamicSlice:
      case HloOpcode::kDynamicUpdateSlice: {
        const size_t first = operands.size() - major.size();
        List places;
        for (int64_t d : major) places.push_back(operands[first + static_cast<size_t>(d)]);
        std::copy(places.begin(), places.end(), operands.begin() + static_cast<std::ptrdiff_t>(first));
        HloInstruction* made = clone();
        if (i->opcode() == HloOpcode::kDynamicSlice) {
          auto& sizes = made->mutable_attributes<DynamicSliceAttributes>().dynamic_slice_sizes;
          sizes = permuted(sizes);
        }
        return made;
      }
      case HloOpcode::kConvolution: {
        HloInstruction* made = clone();
        ConvDimensionNumbers& labels = made->mutable_attributes<ConvolutionAttributes>().dim_labels;
        const DimVector kernel_where = Inverse(Major(OrderOf(i->operand(1)->shape())));
        auto renumber = [](int64_t& d, const DimVector& to) { d = to[static_cast<size_t>(d)]; };
        renumber(labels.input_batch, operand_where);
        renumber(labels.input_feature, operand_where);
        labels.input_spatial = renumbered(labels.input_spatial, operand_where);
        renumber(labels.kernel_input_feature, kernel_where);
        renumber(labels.kernel_output_feature, kernel_where);
        labels.kernel_spatial = renumbered(labels.kernel_spatial, kernel_where);
        renumber(labels.output_batch, where);
        renumber(labels.output_feature, where);
        labels.output_spatial = renumbered(labels.output_spatial, where);
        return made;
      }
      case HloOpcode::kDot: {
        FlatDot dot = *DotInMemory(*i);
        if (dot.swapped) std::swap(operands[0], operands[1]);
        HloInstruction* made = clone();
        made->mutable_attributes<DotAttributes>() = std::move(dot.attributes);
        return made;
      }
      default: return clone();  // elementwise, as Handles says
    }
  }

  std::unordered_map<HloInstruction*, HloInstruction*> made_;  // by array: as it lies in memory
};

}  // namespace
}  // namespace layout

PassDefinition DefineLayoutNormalization() {
  return {MakePassOf<layout::LayoutNormalization>,
          {layout::kNormalize, layout::kNormalizeReduce, layout::kNormalizeDot, layout::kSwapDot}};
}

}  // namespace hloir
