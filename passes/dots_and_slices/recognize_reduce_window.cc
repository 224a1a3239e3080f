// recognize-reduce-window: shifted slices of one array, or the array padded in two ways, joined by one operation, as a
// window that slides over it.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = s32[10]{0} parameter(0)
//   first = s32[8]{0} slice(x), slice={[0:8]}
//   second = s32[8]{0} slice(x), slice={[1:9]}
//   third = s32[8]{0} slice(x), slice={[2:10]}
//   two = s32[8]{0} add(first, second)
//   ROOT three = s32[8]{0} add(two, third)
// }
// AFTER
// HloModule example
//
// add_s32 {
//   x = s32[] parameter(0)
//   y = s32[] parameter(1)
//   ROOT add = s32[] add(x, y)
// }
//
// ENTRY main {
//   x = s32[10]{0} parameter(0)
//   constant = s32[] constant(0)
//   ROOT window = s32[8]{0} reduce-window(x, constant), window={size=3}, to_apply=add_s32
// }
// END
//
// add, multiply, maximum, minimum, and, or, xor. The slices are at equal distances along one dimension, the window's
// dilation. Two slices become a window; further slices or windows extend it: of class rounding for sums and products of
// floats, whose order changes. An array padded before and after is a padded window if the padding is neutral for the
// operation; with +0 in a sum of class rounding, because of -0. Leaves alone: strides; slices along several dimensions.
#include <algorithm>

#include "hloir/rules.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace rules {
namespace {

bool MayJoin(const HloInstruction* i) { return i->Is(kAssociative) && !IsComplex(i->shape().element_type()); }
bool ReducerDependsOnOrder(const HloInstruction* i) {
  return IsFloating(i) && (i->opcode() == HloOpcode::kAdd || i->opcode() == HloOpcode::kMultiply);
}

// The identity of the operation.
Literal Identity(HloOpcode op, PrimitiveType type) {
  Literal literal = Literal::Scalar(type, 0);
  switch (op) {
    case HloOpcode::kAdd: literal.SetFromDouble(0, IsFloat(type) ? -0.0 : 0.0); break;
    case HloOpcode::kMultiply: literal.SetFromDouble(0, 1); break;
    case HloOpcode::kMaximum: return Literal::MinValue(type);
    case HloOpcode::kMinimum: return Literal::MaxValue(type);
    case HloOpcode::kAnd:
      if (!IsSigned(type)) return Literal::MaxValue(type);
      literal.SetFromDouble(0, -1);
      break;
    default: break;  // zero, the identity of add and or
  }
  return literal;
}

// `count` slices of x, at `distance` from one to the next along dimension d, joined.
struct Run {
  HloInstruction* x = nullptr;
  DimVector starts, limits;  // of the first slice
  int64_t count = 1, d = -1, distance = 0;
};

// A slice is a run of one; a window of this operation over a slice, or over an array, is a run.
std::optional<Run> RunOf(HloInstruction* i, HloOpcode op) {
  if (i->HasControlDependencies() || HasAnnotations(*i)) return std::nullopt;
  Run run;
  HloInstruction* sliced = i;
  if (i->opcode() == HloOpcode::kReduceWindow) {
    if (i->operand_count() != 2 || i->user_count() != 1 || BinaryReducer(i->to_apply()) != op ||
        !IsIdentityElement(op, i->operand(1)))
      return std::nullopt;
    const Window& window = i->attributes<WindowAttributes>().window;
    for (size_t d = 0; d < window.size(); ++d) {
      WindowDimension plain;
      plain.size = window[d].size, plain.window_dilation = window[d].window_dilation;
      if (window[d] != plain || (plain.size != 1 && run.d >= 0)) return std::nullopt;
      if (plain.size != 1)
        run.d = static_cast<int64_t>(d), run.count = plain.size, run.distance = plain.window_dilation;
    }
    if (run.d < 0) return std::nullopt;
    sliced = i->operand(0);
  } else if (i->opcode() != HloOpcode::kSlice) {
    return std::nullopt;
  }
  run.x = sliced;
  run.starts = DimVector(sliced->shape().dimensions().size(), 0);
  if (sliced->opcode() == HloOpcode::kSlice && !sliced->HasControlDependencies() && !HasAnnotations(*sliced)) {
    const SliceRanges& ranges = sliced->attributes<SliceAttributes>().slice;
    if (std::all_of(ranges.begin(), ranges.end(), [](const SliceRange& r) { return r.stride == 1; })) {
      run.x = sliced->operand(0);
      for (size_t d = 0; d < ranges.size(); ++d) run.starts[static_cast<int64_t>(d)] = ranges[d].start;
    }
  }
  if (i == run.x) return std::nullopt;  // a slice in steps
  run.limits = run.starts;
  for (int64_t d = 0; d < i->shape().rank(); ++d) run.limits[d] += i->shape().dimensions(d);
  return run;
}

// `second` begins at the end of `first`.
std::optional<Run> Together(const Run& first, const Run& second) {
  if (first.x != second.x) return std::nullopt;
  Run run = first;
  run.count += second.count;
  for (int64_t d = 0; d < static_cast<int64_t>(first.starts.size()); ++d) {
    const int64_t shift = second.starts[d] - first.starts[d];
    if (second.limits[d] - first.limits[d] != shift) return std::nullopt;
    if (shift == 0) continue;
    if (shift < 0 || shift % first.count != 0 || (run.d >= 0 && run.d != d) ||
        (run.distance != 0 && run.distance * first.count != shift))
      return std::nullopt;
    run.d = d;
    run.distance = shift / first.count;
  }
  // Dimensions of size over one have places already.
  const bool same_way = second.count == 1 || (second.d == run.d && second.distance == run.distance);
  const bool shifted = run.d >= 0 && second.starts[run.d] != first.starts[run.d];
  return same_way && shifted ? std::optional(run) : std::nullopt;
}

HloInstruction* MakeWindow(HloInstruction* i, RuleContext& c, HloInstruction* x, Window window, Literal init) {
  HloInstruction* made = c.Add(HloOpcode::kReduceWindow, i->shape(), {x, c.Constant(std::move(init))},
                               WindowAttributes{std::move(window)});
  HloInstruction* shorter = nullptr;
  for (HloInstruction* operand : i->operands()) {
    if (operand->opcode() == HloOpcode::kReduceWindow) shorter = operand;
  }
  made->AddCalledComputation(shorter != nullptr ? shorter->to_apply()
                                                : MakeReducer(*i->module(), i->opcode(), i->shape().element_type()));
  return made;
}

HloInstruction* JoinSlices(HloInstruction* i, RuleContext& c, bool of_two) {
  if (!MayJoin(i)) return nullptr;
  const std::optional<Run> a = RunOf(i->operand(0), i->opcode()), b = RunOf(i->operand(1), i->opcode());
  if (!a || !b || (a->count + b->count == 2) != of_two) return nullptr;
  std::optional<Run> run = Together(*a, *b);
  if (!run) run = Together(*b, *a);
  if (!run || !c.Allow()) return nullptr;
  Window window(run->starts.size());
  window[static_cast<size_t>(run->d)].size = run->count;
  window[static_cast<size_t>(run->d)].window_dilation = run->distance;
  SliceRanges ranges;
  for (int64_t d = 0; d < static_cast<int64_t>(run->starts.size()); ++d)
    ranges.push_back({run->starts[d], run->limits[d], 1});
  ranges[static_cast<size_t>(run->d)].limit += (run->count - 1) * run->distance;
  bool whole = true;
  for (size_t d = 0; d < ranges.size(); ++d)
    whole = whole && ranges[d].start == 0 && ranges[d].limit == run->x->shape().dimensions(static_cast<int64_t>(d));
  return MakeWindow(i, c, whole ? run->x : c.Slice(run->x, ranges), std::move(window),
                    Identity(i->opcode(), i->shape().element_type()));
}

// op(slice(A), slice(A)) => reduce-window(slice(A), v), v an identity of op
HloInstruction* JoinTwo(HloInstruction* i, RuleContext& c) { return JoinSlices(i, c, true); }
// op(reduce-window(A, v), slice(A)) => reduce-window(A, v), a longer window
HloInstruction* JoinMore(HloInstruction* i, RuleContext& c) {
  return ReducerDependsOnOrder(i) ? nullptr : JoinSlices(i, c, false);
}
HloInstruction* JoinMoreTerms(HloInstruction* i, RuleContext& c) {
  return ReducerDependsOnOrder(i) ? JoinSlices(i, c, false) : nullptr;
}

HloInstruction* JoinPads(HloInstruction* i, RuleContext& c, bool exact) {
  if (!MayJoin(i)) return nullptr;
  HloInstruction *a = i->operand(0), *b = i->operand(1);
  for (const HloInstruction* pad : {a, b}) {
    if (pad->opcode() != HloOpcode::kPad || pad->HasControlDependencies() || HasAnnotations(*pad)) return nullptr;
  }
  const HloInstruction *v = SplatConstant(a->operand(1)), *w = SplatConstant(b->operand(1));
  if (a->operand(0) != b->operand(0) || v == nullptr || w == nullptr || !v->literal().BitwiseEqual(w->literal()))
    return nullptr;
  if (exact ? !IsIdentityElement(i->opcode(), v) : i->opcode() != HloOpcode::kAdd || !IsPositiveZero(v)) return nullptr;
  const PaddingConfig &p = a->attributes<PadAttributes>().padding, &q = b->attributes<PadAttributes>().padding;
  Window window(p.size());
  bool shifted = false;
  for (size_t d = 0; d < p.size(); ++d) {
    const int64_t shift = std::abs(p[d].low - q[d].low);
    if (p[d].interior != 0 || q[d].interior != 0 || std::min({p[d].low, p[d].high, q[d].low, q[d].high}) < 0 ||
        (shift != 0 && shifted))
      return nullptr;
    window[d].padding_low = std::max(p[d].low, q[d].low);
    window[d].padding_high = std::max(p[d].high, q[d].high);
    if (shift != 0) window[d].size = 2, window[d].window_dilation = shift;
    shifted = shifted || shift != 0;
  }
  if (!shifted || !c.Allow()) return nullptr;
  return MakeWindow(i, c, a->operand(0), std::move(window), Literal(v->literal()));
}

// op(pad(A, v), pad(A, v)) => reduce-window(A, v), v an identity of op
HloInstruction* JoinTwoPads(HloInstruction* i, RuleContext& c) { return JoinPads(i, c, true); }
HloInstruction* JoinZeroPads(HloInstruction* i, RuleContext& c) { return JoinPads(i, c, false); }

constexpr std::string_view kTwo = "op(slice(A), slice(A)) => reduce-window(slice(A), v), v an identity of op";
constexpr std::string_view kMore = "op(reduce-window(A, v), slice(A)) => reduce-window(A, v), a longer window";
constexpr std::string_view kPads = "op(pad(A, v), pad(A, v)) => reduce-window(A, v), v an identity of op";
constexpr Rule kRecognizeReduceWindowRules[] = {
    {{}, "two-slices", kTwo, kExact, kExact, JoinTwo, true},
    {{}, "more-slices", kMore, kExact, kExact, JoinMore, true},
    {{}, "more-terms", kMore, kExact, kRounding, JoinMoreTerms, true},
    {{}, "two-pads", kPads, kExact, kExact, JoinTwoPads, true},
    {{}, "two-pads-of-zero", "pad(A, +0) + pad(A, +0) => reduce-window(A, +0)", kExact, kRounding, JoinZeroPads, true},
};

}  // namespace
}  // namespace rules

PassDefinition DefineRecognizeReduceWindow() { return rules::DefineRulePass(rules::kRecognizeReduceWindowRules); }

}  // namespace hloir
