// topk-rewriter: the first elements of a sorted array are its largest ones, or its smallest.
//
// BEFORE
// HloModule example
//
// greater {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   i = s32[] parameter(2)
//   j = s32[] parameter(3)
//   ROOT greater = pred[] compare(a, b), direction=GT, type=TOTALORDER
// }
//
// ENTRY main {
//   x = f32[2,8]{1,0} parameter(0)
//   places = s32[2,8]{1,0} iota(), iota_dimension=1
//   sorted = (f32[2,8]{1,0}, s32[2,8]{1,0}) sort(x, places), dimensions={1}, is_stable=true, to_apply=greater
//   values = f32[2,8]{1,0} get-tuple-element(sorted), index=0
//   ROOT best = f32[2,3]{1,0} slice(values), slice={[0:2], [0:3]}
// }
// AFTER
// HloModule example
//
// greater {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   i = s32[] parameter(2)
//   j = s32[] parameter(3)
//   ROOT greater = pred[] compare(a, b), direction=GT, type=TOTALORDER
// }
//
// ENTRY main {
//   x = f32[2,8]{1,0} parameter(0)
//   top = (f32[2,3]{1,0}, s32[2,3]{1,0}) topk(x), k=3, largest=true, is_stable=true
//   ROOT best = f32[2,3]{1,0} get-tuple-element(top), index=0
// }
// END
//
// topk-decomposer undoes it. Exact where the order is total and, if places are sorted along, stable; of class rounding
// where the comparison does not say where NaN and -0 go, or the sort does not say which of equal ones come first.
// Leaves alone: sorts that are read in another way, along another dimension than the last, by other comparators.
#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kRewriteTopk = {"rewrite-topk", "slice(sort(A)) => topk(A)"};
constexpr RuleInfo kRewriteTopkOfAnyOrder = {"rewrite-topk-of-any-order",
                                             "slice(sort(A)) => topk(A), which may order equal numbers otherwise",
                                             MathMode::kRounding};

class TopkRewriter : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    return ForEach(module, HloOpcode::kSort, [this](HloInstruction* sort) { return Rewrite(sort); });
  }

 private:
  bool Rewrite(HloInstruction* sort) {
    const Shape& shape = sort->operand(0)->shape();
    const int64_t last = shape.rank() - 1, operands = sort->operand_count();
    const auto& attributes = sort->attributes<SortAttributes>();
    if (operands > 2 || last < 0 || attributes.dimensions != DimVector{last} || sort->HasControlDependencies() ||
        HasAnnotations(*sort))
      return false;
    if (!shape.IsStatic() || !(IsInteger(shape.element_type()) || IsFloat(shape.element_type())) ||
        sort->user_count() == 0)
      return false;
    if (operands == 2 && !AreItsPlaces(*sort->operand(1), last)) return false;
    const HloInstruction* compare = sort->to_apply()->root();
    if (compare->opcode() != HloOpcode::kCompare || !compare->operand(0)->IsParameter() ||
        !compare->operand(1)->IsParameter())
      return false;
    const int64_t left = compare->operand(0)->parameter_number(), right = compare->operand(1)->parameter_number();
    if (left + right != 1) return false;  // of the first array, in either order
    const ComparisonDirection direction = left == 0 ? compare->attributes<CompareAttributes>().direction
                                                    : Flipped(compare->attributes<CompareAttributes>().direction);
    if (direction != ComparisonDirection::kGt && direction != ComparisonDirection::kLt) return false;

    std::vector<HloInstruction*> slices;
    int64_t k = -1;
    if (!CollectSlices(sort, last, slices, k)) return false;
    const bool total = !IsFloat(shape.element_type()) ||
                       compare->attributes<CompareAttributes>().type == ComparisonType::kFloatTotalOrder;
    const bool exact = total && (operands == 1 || attributes.is_stable);
    if (!Ask(exact ? kRewriteTopk : kRewriteTopkOfAnyOrder, *sort)) {
      return false;
    }
    HloComputation& computation = *sort->parent();
    DimVector some = shape.dimensions();
    some[last] = k;
    const Shape result =
        Shape::Tuple({Shape::Array(shape.element_type(), some), Shape::Array(PrimitiveType::S32, some)});
    HloInstruction* top = computation.AddInstruction(
        HloOpcode::kTopK, result, {sort->operand(0)},
        TopKAttributes{.k = k, .largest = direction == ComparisonDirection::kGt, .is_stable = attributes.is_stable});
    computation.MoveBefore(top, sort);
    for (HloInstruction* slice : slices) {
      const HloInstruction* from = slice->operand(0);
      HloInstruction* part = computation.AddGetTupleElement(top, from == sort ? 0 : from->tuple_index());
      computation.MoveBefore(part, slice);
      if (!(part->shape() == slice->shape())) part->set_shape(slice->shape());
      InheritAnnotations(part, *slice);
      slice->ReplaceAllUsesWith(part);
    }
    gate_.Done(top);
    for (HloInstruction* slice : slices) RemoveIfDead(slice);
    return true;
  }

  static bool AreItsPlaces(const HloInstruction& i, int64_t last) {
    return i.opcode() == HloOpcode::kIota && i.shape().element_type() == PrimitiveType::S32 &&
           i.attributes<IotaAttributes>().iota_dimension == last;
  }
  // All that is read of the sort: slices of the first k in each row.
  static bool CollectSlices(HloInstruction* from, int64_t last, std::vector<HloInstruction*>& slices, int64_t& k) {
    if (from->IsRoot()) return false;
    for (HloInstruction* user : from->users()) {
      if (user->HasControlDependencies()) return false;
      if (user->opcode() == HloOpcode::kGetTupleElement) {
        if (!CollectSlices(user, last, slices, k)) return false;
        continue;
      }
      if (user->opcode() != HloOpcode::kSlice || !user->shape().layout().IsMajorToMinor()) return false;
      const SliceRanges& ranges = user->attributes<SliceAttributes>().slice;
      for (int64_t d = 0; d <= last; ++d) {
        const SliceRange& range = ranges[static_cast<size_t>(d)];
        if (range.start != 0 || range.stride != 1 ||
            (d < last && range.limit != user->operand(0)->shape().dimensions(d)))
          return false;
      }
      const int64_t limit = ranges[static_cast<size_t>(last)].limit;
      if (limit <= 0 || (k >= 0 && limit != k)) return false;
      k = limit;
      slices.push_back(user);
    }
    return k > 0;
  }
};

}  // namespace

PassDefinition DefineTopkRewriter() { return {MakePassOf<TopkRewriter>, {kRewriteTopk, kRewriteTopkOfAnyOrder}}; }

}  // namespace hloir
