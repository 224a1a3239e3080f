// dot-merger: merges dots that share an operand into one, with the other operands concatenated.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[2,8]{1,0} parameter(0)
//   v = f32[8,3]{1,0} parameter(1)
//   w = f32[8,5]{1,0} parameter(2)
//   a = f32[2,3]{1,0} dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   b = f32[2,5]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ROOT result = (f32[2,3]{1,0}, f32[2,5]{1,0}) tuple(a, b)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[2,8]{1,0} parameter(0)
//   v = f32[8,3]{1,0} parameter(1)
//   w = f32[8,5]{1,0} parameter(2)
//   vw = f32[8,8]{1,0} concatenate(v, w), dimensions={1}
//   ab = f32[2,8]{1,0} dot(x, vw), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   a = f32[2,3]{1,0} slice(ab), slice={[0:2], [0:3]}
//   b = f32[2,5]{1,0} slice(ab), slice={[0:2], [3:8]}
//   ROOT result = (f32[2,3]{1,0}, f32[2,5]{1,0}) tuple(a, b)
// }
// END
//
// Two at a time, if the shared operand is the left one. Not in the default pipeline: the concatenation is a copy, which
// only pays for narrow operands. Leaves alone: results over 1 MiB; dots that may depend on one another; right operands
// with more than one free dimension.
#include <unordered_map>

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kMergeDots = {"merge", "dot(A, B), dot(A, C) => slices of dot(A, concatenate(B, C))"};

constexpr int64_t kMaxMergedBytes = 1 << 20;
// The limit on instructions visited in the search for a dependence between two dots.
constexpr size_t kMostLookedAt = 1000;

// The one dimension of the right operand that the result keeps; -1 if there are more or none.
int64_t KeptDimension(const HloInstruction& dot) {
  const auto& a = dot.attributes<DotAttributes>();
  int64_t kept = -1;
  for (int64_t d = 0; d < dot.operand(1)->shape().rank(); ++d) {
    if (Contains(a.rhs_batch_dims, d) || Contains(a.rhs_contracting_dims, d)) continue;
    if (kept >= 0) return -1;
    kept = d;
  }
  return kept;
}

bool SameNumbers(const DotAttributes& a, const DotAttributes& b) {
  return a.lhs_batch_dims == b.lhs_batch_dims && a.rhs_batch_dims == b.rhs_batch_dims &&
         a.lhs_contracting_dims == b.lhs_contracting_dims && a.rhs_contracting_dims == b.rhs_contracting_dims &&
         a.operand_precision == b.operand_precision && a.algorithm == b.algorithm;
}

// True if `user` depends on `used`, or if the search would take too long.
bool Needs(const HloInstruction* user, const HloInstruction* used) {
  std::vector<const HloInstruction*> stack{user};
  std::unordered_map<const HloInstruction*, bool> seen;
  while (!stack.empty()) {
    const HloInstruction* at = stack.back();
    stack.pop_back();
    if (at == used || seen.size() > kMostLookedAt) return true;
    if (!seen.emplace(at, true).second) continue;
    for (const HloInstruction* operand : at->operands()) stack.push_back(operand);
    for (const HloInstruction* predecessor : at->control_predecessors()) stack.push_back(predecessor);
  }
  return false;
}

class DotMerger : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (module.config().is_scheduled) return false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      std::unordered_map<const HloInstruction*, HloInstruction*> by_left;  // the last dot seen with this left operand
      for (HloInstruction* dot : InstructionsOf(*computation, HloOpcode::kDot)) {
        HloInstruction*& earlier = by_left[dot->operand(0)];
        HloInstruction* merged = earlier != nullptr && MayMerge(*earlier, *dot) ? Merge(earlier, dot) : nullptr;
        changed |= merged != nullptr;
        earlier = merged != nullptr ? merged : dot;
      }
    }
    return changed;
  }

 private:
  static bool MayMerge(const HloInstruction& a, const HloInstruction& b) {
    for (const HloInstruction* dot : {&a, &b}) {
      if (dot->HasControlDependencies() || HasAnnotations(*dot) || KeptDimension(*dot) < 0 ||
          !dot->shape().IsStatic() || dot->shape().ByteSize() > kMaxMergedBytes) {
        return false;
      }
    }
    return a.operand(1) != b.operand(1) && SameNumbers(a.attributes<DotAttributes>(), b.attributes<DotAttributes>()) &&
           a.shape().element_type() == b.shape().element_type() &&
           a.operand(1)->shape().element_type() == b.operand(1)->shape().element_type() &&
           KeptDimension(a) == KeptDimension(b) && !Needs(&b, &a) && !Needs(&a, &b);
  }

  // dot(A, B), dot(A, C) => slices of dot(A, concatenate(B, C))
  HloInstruction* Merge(HloInstruction* a, HloInstruction* b) {
    if (!Ask(kMergeDots, *a)) return nullptr;
    HloComputation& computation = *a->parent();
    const int64_t kept = KeptDimension(*a), last = a->shape().rank() - 1;
    const Shape &x = a->operand(1)->shape(), &y = b->operand(1)->shape();
    Shape both = Shape::Array(x.element_type(), x.dimensions());
    both.set_dimension(kept, x.dimensions(kept) + y.dimensions(kept));
    HloInstruction* operands = computation.AddInstruction(HloOpcode::kConcatenate, both, {a->operand(1), b->operand(1)},
                                                          DimensionsAttributes{{kept}});
    Shape shape = Shape::Array(a->shape().element_type(), a->shape().dimensions());
    shape.set_dimension(last, both.dimensions(kept));
    HloInstruction* dot =
        computation.AddInstruction(HloOpcode::kDot, shape, {a->operand(0), operands}, a->attributes<DotAttributes>());
    dot->CopyMetadataOf(*a);
    int64_t start = 0;
    for (HloInstruction* old : {a, b}) {
      SliceRanges ranges;
      for (int64_t d = 0; d <= last; ++d) ranges.push_back({0, old->shape().dimensions(d), 1});
      ranges[last].start = start;
      ranges[last].limit = start += old->shape().dimensions(last);
      HloInstruction* slice =
          computation.AddInstruction(HloOpcode::kSlice, old->shape(), {dot}, SliceAttributes{ranges});
      InheritAnnotations(slice, *old);
      old->ReplaceAllUsesWith(slice);
    }
    gate_.Done(dot);
    RemoveIfDead(a);
    RemoveIfDead(b);
    return dot;
  }
};

}  // namespace

PassDefinition DefineDotMerger() { return {MakePassOf<DotMerger>, {kMergeDots}}; }

}  // namespace hloir
