// See merge_pads.h.
#include "merge_pads.h"

#include "hloir/rewrite_util.h"
#include "partition_op.h"

namespace hloir::spmd {
namespace {

std::vector<HloInstruction*> WithPad(HloComputation& computation, HloOpcode opcode) {
  std::vector<HloInstruction*> found;
  for (HloInstruction* i : computation.instructions())
    if (i->opcode() == opcode && i->operand_count() > 0 && i->operand(0)->opcode() == HloOpcode::kPad)
      found.push_back(i);
  return found;
}

// slice(pad(A, v)) is a pad with less or negative padding: one shift rather than two.
void MergeSlicesOfPads(HloComputation& computation) {
  std::vector<HloInstruction*> slices;
  for (HloInstruction* i : computation.instructions())
    if (i->opcode() == HloOpcode::kSlice && i->operand(0)->opcode() == HloOpcode::kPad) slices.push_back(i);
  for (HloInstruction* slice : slices) {
    HloInstruction* pad = slice->operand(0);
    if (pad->user_count() != 1 || pad->IsRoot()) continue;
    PaddingConfig padding = pad->attributes<PadAttributes>().padding;
    bool fits = true;
    for (size_t d = 0; d < padding.size(); ++d) {
      const SliceRange& range = slice->attributes<SliceAttributes>().slice[d];
      const int64_t padded = pad->shape().dimensions(static_cast<int64_t>(d));
      if (range == SliceRange{0, padded, 1}) continue;
      const int64_t size = pad->operand(0)->shape().dimensions(static_cast<int64_t>(d));
      padding[d].low -= range.start;
      padding[d].high -= padded - range.limit;
      fits =
          fits && range.stride == 1 && padding[d].interior == 0 && -padding[d].low <= size && -padding[d].high <= size;
    }
    if (!fits) continue;
    HloInstruction* const operands[] = {pad->operand(0), pad->operand(1)};
    HloInstruction* made =
        computation.AddInstruction(HloOpcode::kPad, slice->shape(), operands, PadAttributes{std::move(padding)});
    if (slice->sharding() != nullptr) made->set_sharding(*slice->sharding());
    made->CopyMetadataOf(*slice);
    slice->ReplaceAllUsesWith(made);
    if (computation.root() == slice) computation.set_root(made);
    computation.RemoveInstruction(slice);
    computation.RemoveInstruction(pad);
  }
}

// The padding of a window, if the window is read by a pad's dimension first; false: a window cannot express it.
bool Prepend(const PaddingDimension& padding, WindowDimension& w) {
  if (padding == PaddingDimension{}) return true;
  if (w.base_dilation != 1) return false;
  w.base_dilation = padding.interior + 1;
  w.padding_low += padding.low;
  w.padding_high += padding.high;
  return true;
}

bool PrependAll(const PaddingConfig& padding, Window& window) {
  for (size_t d = 0; d < padding.size(); ++d)
    if (!Prepend(padding[d], window[d])) return false;
  return true;
}

// reduce-window(pad(A, v), v), where the window itself reads v outside of the array.
void MergeIntoReduceWindows(HloComputation& computation) {
  for (HloInstruction* i : WithPad(computation, HloOpcode::kReduceWindow)) {
    HloInstruction *pad = i->operand(0), *init = i->operand(i->operand_count() - 1);
    const bool same = pad->operand(1) == init || (pad->operand(1)->IsConstant() && init->IsConstant() &&
                                                  pad->operand(1)->literal().BitwiseEqual(init->literal()));
    Window window = i->attributes<WindowAttributes>().window;
    if (i->operand_count() != 2 || !same || !PrependAll(pad->attributes<PadAttributes>().padding, window)) continue;
    i->ReplaceOperandWith(0, pad->operand(0));
    i->mutable_attributes<WindowAttributes>().window = window;
    RemoveIfDead(pad);
  }
}

// slice(select-and-scatter(pad(A, v), B)) with the elements of A alone.
void MergeIntoSelectAndScatters(HloComputation& computation, PaddedByValue& padded) {
  for (HloInstruction* i : WithPad(computation, HloOpcode::kSelectAndScatter)) {
    HloInstruction* pad = i->operand(0);
    const std::optional<HloOpcode> extreme = SelectedExtreme(*i);
    const PaddingConfig& padding = pad->attributes<PadAttributes>().padding;
    Window window = i->attributes<WindowAttributes>().window;
    if (!extreme || i->user_count() != 1 || i->IsRoot() || !pad->operand(1)->IsConstant()) continue;
    if (!pad->operand(1)->literal().BitwiseEqual(IdentityOf(*extreme, pad->shape().element_type()))) continue;
    HloInstruction* slice = i->users()[0];
    if (slice->opcode() != HloOpcode::kSlice || !PrependAll(padding, window)) continue;
    bool undoes = true;
    for (size_t d = 0; d < padding.size(); ++d) {
      const int64_t size = pad->operand(0)->shape().dimensions(static_cast<int64_t>(d));
      const SliceRange own{padding[d].low, padding[d].low + size, 1};
      const bool is_free = i->attributes<WindowAttributes>().window[d].padding_low == 0 &&
                           i->attributes<WindowAttributes>().window[d].padding_high == 0;
      undoes = undoes && is_free && padding[d].interior == 0 && slice->attributes<SliceAttributes>().slice[d] == own;
    }
    if (!undoes) continue;
    HloInstruction* const operands[] = {pad->operand(0), i->operand(1), i->operand(2)};
    HloInstruction* made = computation.AddClone(*i, operands, &slice->shape());
    made->mutable_attributes<WindowAttributes>().window = window;
    made->set_sharding(std::nullopt);
    if (slice->sharding() != nullptr) made->set_sharding(*slice->sharding());
    slice->ReplaceAllUsesWith(made);
    if (computation.root() == slice) computation.set_root(made);
    computation.RemoveInstruction(slice);
    RemoveIfDead(i);
    padded.insert(made);
  }
}

}  // namespace

void MergePads(HloComputation& computation, PaddedByValue& padded) {
  MergeSlicesOfPads(computation);
  MergeIntoReduceWindows(computation);
  MergeIntoSelectAndScatters(computation, padded);
}

}  // namespace hloir::spmd
