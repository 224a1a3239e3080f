// slice-sinker: replaces equal operations on slices of arrays by one on the whole arrays, and slices of its result.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[8]{0} parameter(1)
//   x0 = f32[4]{0} slice(x), slice={[0:4]}
//   y0 = f32[4]{0} slice(y), slice={[0:4]}
//   low = f32[4]{0} add(x0, y0)
//   x1 = f32[4]{0} slice(x), slice={[4:8]}
//   y1 = f32[4]{0} slice(y), slice={[4:8]}
//   high = f32[4]{0} add(x1, y1)
//   ROOT parts = (f32[4]{0}, f32[4]{0}) tuple(low, high)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   y = f32[8]{0} parameter(1)
//   low.1 = f32[8]{0} add(x, y)
//   slice = f32[4]{0} slice(low.1), slice={[0:4]}
//   slice.1 = f32[4]{0} slice(low.1), slice={[4:8]}
//   ROOT parts = (f32[4]{0}, f32[4]{0}) tuple(slice, slice.1)
// }
// END
//
// Only if the slices together are as large as the whole, so that nothing more is computed. Leaves alone: operations
// that take something besides slices; shardings, frontend attributes, control dependencies.
#include <algorithm>
#include <map>

#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kSinkSlice = {"sink", "f(slice(A), slice(B)), f(slice(A), slice(B)) => slices of f(A, B)"};

const SliceRanges& RangesOf(const HloInstruction* slice) { return slice->attributes<SliceAttributes>().slice; }

class SliceSinker : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      while (RunOn(*computation)) changed = true;  // an unsliced result may be sliced by later instructions
    }
    return changed;
  }

 private:
  // An elementwise operation on equal slices of arrays of one shape.
  static bool IsOnSlices(const HloInstruction& i) {
    if (!i.Is(kElementwise) || i.operand_count() == 0 || !i.shape().IsArray() || !i.shape().IsStatic() ||
        i.HasControlDependencies() || HasAnnotations(i) || i.shape().ElementCount() == 0) {
      return false;
    }
    const HloInstruction* first = i.operand(0);
    for (const HloInstruction* operand : i.operands()) {
      if (operand->opcode() != HloOpcode::kSlice || HasAnnotations(*operand) || operand->HasControlDependencies() ||
          RangesOf(operand) != RangesOf(first) ||
          !operand->operand(0)->shape().SameDimensions(first->operand(0)->shape())) {
        return false;
      }
    }
    return i.shape().SameDimensions(first->shape()) && !first->shape().SameDimensions(first->operand(0)->shape());
  }
  // The same operation on slices of the same arrays.
  static bool Together(const HloInstruction& a, const HloInstruction& b) {
    if (a.opcode() != b.opcode() || a.shape().element_type() != b.shape().element_type() ||
        a.operand_count() != b.operand_count())
      return false;
    for (int64_t k = 0; k < a.operand_count(); ++k) {
      if (a.operand(k)->operand(0) != b.operand(k)->operand(0)) return false;
    }
    // Attributes; the shapes are of different slices.
    return a.Is(kElementwise) &&
           (!a.HasAttributes<CompareAttributes>() ||
            a.attributes<CompareAttributes>().direction == b.attributes<CompareAttributes>().direction) &&
           (!a.HasAttributes<CompareAttributes>() ||
            a.attributes<CompareAttributes>().type == b.attributes<CompareAttributes>().type) &&
           (!a.HasAttributes<ReducePrecisionAttributes>() || SamePrecision(a, b));
  }
  static bool SamePrecision(const HloInstruction& a, const HloInstruction& b) {
    const auto &x = a.attributes<ReducePrecisionAttributes>(), &y = b.attributes<ReducePrecisionAttributes>();
    return x.exponent_bits == y.exponent_bits && x.mantissa_bits == y.mantissa_bits;
  }

  bool RunOn(HloComputation& computation) {
    std::map<int64_t, std::vector<std::vector<HloInstruction*>>> groups;  // by the id of the first array
    for (HloInstruction* i : InOrder(computation)) {
      if (!IsOnSlices(*i)) continue;
      auto& same_array = groups[i->operand(0)->operand(0)->id()];
      auto group =
          std::find_if(same_array.begin(), same_array.end(), [&](const auto& g) { return Together(*g[0], *i); });
      if (group == same_array.end()) same_array.push_back({i});
      else group->push_back(i);
    }
    bool changed = false;
    for (const auto& [id, same_array] : groups) {
      for (const std::vector<HloInstruction*>& group : same_array) changed |= Sink(computation, group);
    }
    return changed;
  }

  // f(slice(A), slice(B)), f(slice(A), slice(B)) => slices of f(A, B)
  bool Sink(HloComputation& computation, const std::vector<HloInstruction*>& group) {
    const Shape& whole = group[0]->operand(0)->operand(0)->shape();
    int64_t elements = 0;
    for (const HloInstruction* i : group) elements += i->shape().ElementCount();
    if (elements < whole.ElementCount() || group.size() < 2) return false;
    if (!Ask(kSinkSlice, *group[0])) return false;
    std::vector<HloInstruction*> arrays;
    for (HloInstruction* slice : group[0]->operands()) arrays.push_back(slice->operand(0));
    Shape shape = Shape::Array(group[0]->shape().element_type(), whole.dimensions());
    HloInstruction* all = computation.AddClone(*group[0], arrays, &shape);
    computation.MoveBefore(all, group[0]);
    for (HloInstruction* i : group) {
      HloInstruction* slice =
          computation.AddInstruction(HloOpcode::kSlice, i->shape(), {all}, SliceAttributes{RangesOf(i->operand(0))});
      computation.MoveBefore(slice, i);
      slice->CopyMetadataOf(*i);
      i->ReplaceAllUsesWith(slice);
    }
    gate_.Done(all);
    for (HloInstruction* i : group) RemoveIfDead(i);
    return true;
  }
};

}  // namespace

PassDefinition DefineSliceSinker() { return {MakePassOf<SliceSinker>, {kSinkSlice}}; }

}  // namespace hloir
