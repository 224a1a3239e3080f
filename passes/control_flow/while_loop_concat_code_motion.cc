// while-loop-concat-code-motion: arrays that a loop joins at the start of each iteration and cuts apart at its end are
// carried along as one.
//
// BEFORE
// HloModule example
//
// condition {
//   p = (s32[], f32[2]{0}, f32[3]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   ten = s32[] constant(10)
//   ROOT less = pred[] compare(i, ten), direction=LT
// }
//
// body {
//   p = (s32[], f32[2]{0}, f32[3]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   a = f32[2]{0} get-tuple-element(p), index=1
//   b = f32[3]{0} get-tuple-element(p), index=2
//   ab = f32[5]{0} concatenate(a, b), dimensions={0}
//   next_ab = f32[5]{0} sine(ab)
//   next_a = f32[2]{0} slice(next_ab), slice={[0:2]}
//   next_b = f32[3]{0} slice(next_ab), slice={[2:5]}
//   ROOT next = (s32[], f32[2]{0}, f32[3]{0}) tuple(next_i, next_a, next_b)
// }
//
// ENTRY main {
//   zero = s32[] constant(0)
//   a = f32[2]{0} parameter(0)
//   b = f32[3]{0} parameter(1)
//   init = (s32[], f32[2]{0}, f32[3]{0}) tuple(zero, a, b)
//   loop = (s32[], f32[2]{0}, f32[3]{0}) while(init), condition=condition, body=body
//   ROOT result = f32[3]{0} get-tuple-element(loop), index=2
// }
// AFTER
// HloModule example
//
// condition {
//   p = (s32[], f32[5]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   ten = s32[] constant(10)
//   ROOT less = pred[] compare(i, ten), direction=LT
// }
//
// body {
//   p = (s32[], f32[5]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   ab = f32[5]{0} get-tuple-element(p), index=1
//   next_ab = f32[5]{0} sine(ab)
//   ROOT next = (s32[], f32[5]{0}) tuple(next_i, next_ab)
// }
//
// ENTRY main {
//   zero = s32[] constant(0)
//   a = f32[2]{0} parameter(0)
//   b = f32[3]{0} parameter(1)
//   ab = f32[5]{0} concatenate(a, b), dimensions={0}
//   init = (s32[], f32[5]{0}) tuple(zero, ab)
//   loop = (s32[], f32[5]{0}) while(init), condition=condition, body=body
//   next_ab = f32[5]{0} get-tuple-element(loop), index=1
//   ROOT result = f32[3]{0} slice(next_ab), slice={[2:5]}
// }
// END
//
// Who else reads one of the arrays, in the loop or after it, gets a slice. Leaves alone: arrays that are cut from
// another place than they are put, or that the condition reads.
#include <algorithm>
#include <optional>

#include "loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kCarryJoined = {"carry-joined",
                                   "while(A, B), C = concatenate(A, B) inside, A and B next slices of one => while(C)"};

// A concatenation of loop elements, and the array whose slices are their next values.
struct Joined {
  HloInstruction *concatenate = nullptr, *next = nullptr;
  std::vector<int64_t> elements;
};

SliceRanges RangesOfPart(const Shape& whole, int64_t dimension, int64_t start, int64_t size) {
  SliceRanges ranges;
  for (int64_t size_of_whole : whole.dimensions()) ranges.push_back({0, size_of_whole, 1});
  ranges[dimension] = {start, start + size, 1};
  return ranges;
}

std::optional<Joined> FindJoined(HloInstruction& loop, HloInstruction* concatenate) {
  Joined joined;
  joined.concatenate = concatenate;
  if (HasAnnotations(*concatenate) || concatenate->HasControlDependencies()) return {};
  int64_t start = 0;
  const int64_t dimension = concatenate->dimensions()[0];
  for (const HloInstruction* operand : concatenate->operands()) {
    const int64_t element = ElementRead(*operand);
    if (element < 0 || std::find(joined.elements.begin(), joined.elements.end(), element) != joined.elements.end())
      return {};
    HloInstruction* slice = NextValue(loop, element);
    if (slice->opcode() != HloOpcode::kSlice) return {};
    if (joined.next == nullptr) joined.next = slice->operand(0);
    if (slice->operand(0) != joined.next || !(joined.next->shape() == concatenate->shape())) return {};
    const int64_t size = operand->shape().dimensions(dimension);
    if (slice->attributes<SliceAttributes>().slice != RangesOfPart(concatenate->shape(), dimension, start, size))
      return {};
    for (const HloInstruction* read : loop.while_condition()->parameter(0)->users()) {
      if (read->tuple_index() == element) return {};
    }
    start += size;
    joined.elements.push_back(element);
  }
  if (joined.elements.size() < 2) return {};
  return joined;
}

class WhileLoopConcatCodeMotion : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    if (module.config().is_scheduled) return false;
    return ForEach(module, HloOpcode::kWhile, [this](HloInstruction* loop) {
      bool changed = false;
      while (IsTupleLoopReadByElement(*loop) && loop->operand(0)->opcode() == HloOpcode::kTuple && RunOn(loop))
        changed = true;
      return changed;
    });
  }

 private:
  bool RunOn(HloInstruction* loop) {
    for (HloInstruction* concatenate : InstructionsOf(*loop->while_body(), HloOpcode::kConcatenate)) {
      if (!FindJoined(*loop, concatenate)) continue;
      if (!Ask(kCarryJoined, *concatenate)) continue;
      const std::string name(concatenate->name());
      OwnLoopComputations(loop);
      CarryJoined(loop, *FindJoined(*loop, loop->while_body()->FindInstruction(name)));
      return true;
    }
    return false;
  }

  void CarryJoined(HloInstruction* loop, const Joined& joined) {
    HloComputation &outside = *loop->parent(), &body = *loop->while_body();
    const int64_t dimension = joined.concatenate->dimensions()[0], whole = loop->shape().tuple_size();
    const Shape shape = joined.concatenate->shape();
    std::vector<HloInstruction*> initial;
    for (int64_t element : joined.elements) initial.push_back(InitialValue(*loop, element));
    HloInstruction* before =
        outside.AddInstruction(HloOpcode::kConcatenate, shape, initial, DimensionsAttributes{{dimension}});
    before->CopyMetadataOf(*joined.concatenate);
    outside.MoveBefore(before, loop);
    HloInstruction* read = AddLoopElement(loop, before);
    body.root()->ReplaceOperandWith(whole, joined.next);
    joined.concatenate->ReplaceAllUsesWith(read);
    gate_.Done(read);
    RemoveIfDead(joined.concatenate);
    // The parts: slices of the carried array, for readers of a part.
    std::vector<bool> keep(static_cast<size_t>(whole) + 1, true);
    HloInstruction* after = nullptr;
    int64_t start = 0;
    for (size_t k = 0; k < joined.elements.size(); ++k) {
      const int64_t element = joined.elements[k], size = initial[k]->shape().dimensions(dimension);
      keep[static_cast<size_t>(element)] = false;
      const SliceAttributes part{RangesOfPart(shape, dimension, start, size)};
      start += size;
      auto slice_for = [&](HloInstruction* old, HloInstruction* of) {
        HloInstruction* slice = old->parent()->AddInstruction(HloOpcode::kSlice, old->shape(), {of}, part);
        slice->CopyMetadataOf(*old);
        old->parent()->MoveBefore(slice, old->next());
        old->ReplaceAllUsesWith(slice);
      };
      for (HloInstruction* old :
           std::vector<HloInstruction*>(body.parameter(0)->users().begin(), body.parameter(0)->users().end())) {
        if (old->tuple_index() != element) continue;
        if (old->user_count() > 0) slice_for(old, read);
      }
      for (HloInstruction* old : std::vector<HloInstruction*>(loop->users().begin(), loop->users().end())) {
        if (old->tuple_index() != element || (old->user_count() == 0 && !old->IsRoot())) continue;
        if (after == nullptr) {
          after = outside.AddGetTupleElement(loop, whole);
          outside.MoveBefore(after, loop->next());
        }
        slice_for(old, after);
      }
    }
    RemoveLoopElements(loop, keep);
  }
};

}  // namespace

PassDefinition DefineWhileLoopConcatCodeMotion() { return {MakePassOf<WhileLoopConcatCodeMotion>, {kCarryJoined}}; }

}  // namespace hloir
