// dynamic-padder: replaces arrays of dynamic size by arrays of their full bounds, and masks elements past the size
// where they would change results.
//
// BEFORE
// HloModule example
//
// max {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT larger = f32[] maximum(a, b)
// }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   n = s32[] parameter(1)
//   part = f32[<=8]{0} set-dimension-size(x, n), dimensions={0}
//   less = f32[<=8]{0} negate(part)
//   lowest = f32[] constant(-inf)
//   ROOT largest = f32[] reduce(less, lowest), dimensions={0}, to_apply=max
// }
// AFTER
// HloModule example
//
// max {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT larger = f32[] maximum(a, b)
// }
//
// ENTRY main {
//   iota = s32[8]{0} iota(), iota_dimension=0
//   n = s32[] parameter(1)
//   broadcast = s32[8]{0} broadcast(n), dimensions={}
//   compare = pred[8]{0} compare(iota, broadcast), direction=LT
//   x = f32[8]{0} parameter(0)
//   less.1 = f32[8]{0} negate(x)
//   lowest = f32[] constant(-inf)
//   broadcast.1 = f32[8]{0} broadcast(lowest), dimensions={}
//   select = f32[8]{0} select(compare, less.1, broadcast.1)
//   ROOT largest.1 = f32[] reduce(select, lowest), dimensions={0}, to_apply=max
// }
// END
//
// Elementwise operations, broadcasts and transposes compute on the rest too, which is never read; a reduction sees its
// init value there. Of class rounding for sums and products of floats, which are grouped otherwise. All of a
// computation or nothing: leaves alone computations with any other use of such an array, among them handing it out.
#include <algorithm>
#include <unordered_map>

#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kPad = {"pad", "op(A), of a size known at run time => op(A whole), masked where it counts",
                           MathMode::kExact, MathMode::kRounding};

using rules::BinaryReducer;
using Sizes = std::vector<HloInstruction*>;  // of each dimension; nullptr: all of it

class DynamicPadder : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (!module.AnyShape([](const Shape& shape) { return !shape.IsStatic(); })) return false;
    for (HloComputation* computation : InFetchedOrder(ControlFlowComputations(module))) {
      if (HasDynamicShapes(*computation)) changed |= RunOn(*computation);
    }
    return changed;
  }

 private:
  static bool HasDynamicShapes(const HloComputation& computation) {
    for (const HloInstruction* i : computation.AllInstructions()) {
      if (!i->shape().IsStatic()) return true;
    }
    return false;
  }

  bool RunOn(HloComputation& computation) {
    const std::vector<HloInstruction*> order = computation.PostOrder();
    sizes_.clear(), whole_.clear();
    MathMode math = MathMode::kExact;
    HloInstruction* first = nullptr;
    for (HloInstruction* i : order) {
      const bool dynamic = !i->shape().IsStatic();
      const bool reads =
          std::any_of(i->operands().begin(), i->operands().end(), [](auto* x) { return !x->shape().IsStatic(); });
      if (!dynamic && !reads) continue;
      if (first == nullptr) first = i;
      if ((dynamic && i->IsRoot()) || i->HasControlDependencies() || HasAnnotations(*i) || !FindSizes(*i, math))
        return false;
    }
    if (!Ask(kPad, math, *first)) return false;
    HloInstruction* last = nullptr;
    std::vector<HloInstruction*> gone;
    for (HloInstruction* i : order) {
      const bool reads =
          std::any_of(i->operands().begin(), i->operands().end(), [&](auto* x) { return whole_.contains(x); });
      if (i->shape().IsStatic() && !reads) continue;
      HloInstruction* made = MakeWhole(i);
      gone.push_back(i);
      if (!i->shape().IsStatic()) {
        whole_[i] = made;
        continue;
      }
      i->ReplaceAllUsesWith(made);
      last = made;
    }
    gate_.Done(last);
    for (size_t at = gone.size(); at-- > 0;) computation.RemoveInstruction(gone[at]);
    return true;
  }

  const Sizes& SizesOf(const HloInstruction* i) {
    Sizes& sizes = sizes_[i];
    sizes.resize(static_cast<size_t>(i->shape().rank()), nullptr);
    return sizes;
  }

  // True for an op that the pass supports on padded arrays; sets the sizes of its result.
  bool FindSizes(HloInstruction& i, MathMode& math) {
    if (i.opcode() == HloOpcode::kGetDimensionSize) return true;
    if (!i.shape().IsArray()) return false;
    Sizes sizes(static_cast<size_t>(i.shape().rank()), nullptr);
    switch (i.opcode()) {
      case HloOpcode::kSetDimensionSize:
        sizes = SizesOf(i.operand(0));
        sizes[static_cast<size_t>(i.dimensions()[0])] = i.operand(1);
        break;
      case HloOpcode::kBroadcast:
      case HloOpcode::kTranspose: {
        const Sizes& of = SizesOf(i.operand(0));
        for (size_t d = 0; d < of.size(); ++d) {
          if (i.opcode() == HloOpcode::kBroadcast) sizes[static_cast<size_t>(i.dimensions()[d])] = of[d];
        }
        for (size_t d = 0; i.opcode() == HloOpcode::kTranspose && d < sizes.size(); ++d)
          sizes[d] = of[static_cast<size_t>(i.dimensions()[d])];
        break;
      }
      case HloOpcode::kReduce: {
        if (i.operand_count() != 2 || !i.operand(1)->shape().IsStatic()) return false;
        const std::optional<HloOpcode> op = BinaryReducer(i.to_apply());
        const HloInstruction* init = i.operand(1);
        const PrimitiveType type = i.shape().element_type();
        const bool sum = op == HloOpcode::kAdd || op == HloOpcode::kMultiply;
        if (!op || (!rules::IsIdentityElement(*op, init) && !(op == HloOpcode::kAdd && rules::IsSplatZero(init))))
          return false;
        if (sum && (IsFloat(type) || IsComplex(type))) math = MathMode::kRounding;
        const Sizes& of = SizesOf(i.operand(0));
        size_t at = 0;
        for (size_t d = 0; d < of.size(); ++d) {
          const DimVector& reduced = i.dimensions();
          if (std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) == reduced.end()) sizes[at++] = of[d];
        }
        break;
      }
      default: {  // elementwise ops; no other op is supported
        if (!i.Is(kElementwise) || i.Is(kImpure)) return false;
        // All operands have the same sizes, except scalars.
        bool first = true;
        for (const HloInstruction* operand : i.operands()) {
          if (operand->shape().IsScalar()) continue;
          if (!first && SizesOf(operand) != sizes) return false;
          sizes = SizesOf(operand);
          first = false;
        }
      }
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (i.shape().is_dynamic_dimension(static_cast<int64_t>(d)) != (sizes[d] != nullptr)) return false;
      if (i.shape().is_dynamic_dimension(static_cast<int64_t>(d)) &&
          i.shape().is_unbounded_dimension(static_cast<int64_t>(d)))
        return false;
    }
    sizes_[&i] = sizes;
    return true;
  }

  HloInstruction* Whole(HloInstruction* i) const {
    const auto found = whole_.find(i);
    return found == whole_.end() ? i : found->second;
  }
  HloInstruction* MakeWhole(HloInstruction* i) {
    HloComputation& computation = *i->parent();
    const auto here = [&](HloInstruction* made) {
      computation.MoveBefore(made, i);
      return made;
    };
    if (i->opcode() == HloOpcode::kSetDimensionSize) return Whole(i->operand(0));
    if (i->opcode() == HloOpcode::kGetDimensionSize) {
      const int64_t d = i->dimensions()[0];
      if (HloInstruction* size = SizesOf(i->operand(0))[static_cast<size_t>(d)]) return size;
      return here(computation.AddConstant(Literal::Scalar(PrimitiveType::S32, i->operand(0)->shape().dimensions(d))));
    }
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : i->operands()) operands.push_back(Whole(operand));
    if (i->opcode() == HloOpcode::kReduce) {
      const Sizes& sizes = SizesOf(i->operand(0));
      for (int64_t d : i->dimensions()) {
        if (HloInstruction* size = sizes[static_cast<size_t>(d)])
          operands[0] = Masked(i, operands[0], d, size, operands[1]);
      }
    }
    Shape shape = Shape::Array(i->shape().element_type(), i->shape().dimensions());
    return here(computation.AddClone(*i, operands, &shape));
  }
  // select(iota < size, A, init)
  static HloInstruction* Masked(HloInstruction* before, HloInstruction* a, int64_t d, HloInstruction* size,
                                HloInstruction* init) {
    HloComputation& computation = *before->parent();
    const DimVector& dims = a->shape().dimensions();
    const Shape places = Shape::Array(PrimitiveType::S32, dims), mask = Shape::Array(PrimitiveType::PRED, dims);
    const Shape values = Shape::Array(a->shape().element_type(), dims);
    HloInstruction* iota = computation.AddInstruction(HloOpcode::kIota, places, {}, IotaAttributes{d});
    HloInstruction* limit = computation.AddInstruction(HloOpcode::kBroadcast, places, {size}, DimensionsAttributes{});
    HloInstruction* inside =
        computation.AddInstruction(HloOpcode::kCompare, mask, {iota, limit},
                                   CompareAttributes{ComparisonDirection::kLt, ComparisonType::kDefault});
    HloInstruction* rest = computation.AddInstruction(HloOpcode::kBroadcast, values, {init}, DimensionsAttributes{});
    HloInstruction* masked = computation.AddInstruction(HloOpcode::kSelect, values, {inside, a, rest});
    for (HloInstruction* made : {iota, limit, inside, rest, masked}) computation.MoveBefore(made, before);
    return masked;
  }

  std::unordered_map<const HloInstruction*, Sizes> sizes_;
  std::unordered_map<const HloInstruction*, HloInstruction*> whole_;  // its replacement
};

}  // namespace

PassDefinition DefineDynamicPadder() { return {MakePassOf<DynamicPadder>, {kPad}}; }

}  // namespace hloir
