// while-loop-simplifier: removes elements from the tuples that loops carry, and loops that run never or once.
//
// BEFORE
// HloModule example
//
// condition {
//   p = (s32[], f32[4]{0}, f32[4]{0}, f32[8]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(10)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}, f32[4]{0}, f32[8]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   sum = f32[4]{0} get-tuple-element(p), index=1
//   x = f32[4]{0} get-tuple-element(p), index=2
//   unread = f32[8]{0} get-tuple-element(p), index=3
//   next_unread = f32[8]{0} negate(unread)
//   next_sum = f32[4]{0} add(sum, x)
//   ROOT next = (s32[], f32[4]{0}, f32[4]{0}, f32[8]{0}) tuple(next_i, next_sum, x, next_unread)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   y = f32[8]{0} parameter(1)
//   zero = s32[] constant(0)
//   init = (s32[], f32[4]{0}, f32[4]{0}, f32[8]{0}) tuple(zero, x, x, y)
//   loop = (s32[], f32[4]{0}, f32[4]{0}, f32[8]{0}) while(init), condition=condition, body=body
//   sum = f32[4]{0} get-tuple-element(loop), index=1
//   same_x = f32[4]{0} get-tuple-element(loop), index=2
//   ROOT result = f32[4]{0} multiply(sum, same_x)
// }
// AFTER
// HloModule example
//
// condition {
//   p = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   limit = s32[] constant(10)
//   ROOT less = pred[] compare(i, limit), direction=LT
// }
//
// body {
//   p = (s32[], f32[4]{0}, f32[4]{0}) parameter(0)
//   i = s32[] get-tuple-element(p), index=0
//   one = s32[] constant(1)
//   next_i = s32[] add(i, one)
//   sum = f32[4]{0} get-tuple-element(p), index=1
//   x = f32[4]{0} get-tuple-element(p), index=2
//   next_sum = f32[4]{0} add(sum, x)
//   ROOT next = (s32[], f32[4]{0}, f32[4]{0}) tuple(next_i, next_sum, x)
// }
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   y = f32[8]{0} parameter(1)
//   zero = s32[] constant(0)
//   init = (s32[], f32[4]{0}, f32[4]{0}) tuple(zero, x, x)
//   loop = (s32[], f32[4]{0}, f32[4]{0}) while(init), condition=condition, body=body
//   sum = f32[4]{0} get-tuple-element(loop), index=1
//   ROOT result = f32[4]{0} multiply(sum, x)
// }
// END
//
// Drops unneeded elements; reads loop-invariant ones from before the loop; reads one of two equal elements, or of two
// counters with equal steps; folds comparisons that are constant for the range of counters, and removes bounds that are
// never reached.
// Leaves alone: loops over a single array; loops with side effects, if iterations would be removed; shardings, frontend
// attributes and control dependencies on the loop's parts.
#include <algorithm>
#include <memory>
#include <unordered_set>

#include "integer_range.h"
#include "loop_util.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kNoRound = {"no-round", "while(A), its condition false at first => A"};
constexpr RuleInfo kOneRound = {"one-round", "while(A), one iteration => body(A)"};
constexpr RuleInfo kEqualElements = {"equal-elements", "while((A, A)), both going on alike => one is read for both"};
constexpr RuleInfo kDecidedComparison = {"decided-comparison",
                                         "A < B in a loop, the same in every iteration => constant"};
constexpr RuleInfo kUnneededElement = {"unneeded-element", "while((A, B)), B unneeded => while((A))"};
constexpr RuleInfo kElementHandedOn = {
    "element-handed-on", "get-tuple-element(while(A), k) => get-tuple-element(A, k), if the body hands it on"};
constexpr RuleInfo kNeedlessBound = {
    "needless-bound", "clamp(C, A, D), maximum(A, C), ... in a loop => A, within them in every iteration"};

class WhileLoopSimplifier : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    effects_.emplace(module);
    for (HloComputation* computation : InFetchedOrder(ControlFlowComputations(module))) {
      for (HloInstruction* loop : InstructionsOf(*computation, HloOpcode::kWhile)) {
        if (!IsTupleLoop(*loop) || (loop->user_count() == 0 && !loop->IsRoot())) continue;
        if (Unrolled(loop)) {
          changed = true;
          continue;
        }
        changed |= PassedThrough(loop);
        if (loop->user_count() == 0 && !loop->IsRoot()) continue;  // and perhaps gone
        changed |= EqualElements(loop);
        changed |= UnneededElements(loop);
      }
    }
    changed |= DecideByRanges(module);
    return changed;
  }

 private:
  // while(A), no iteration => A; one iteration => body(A)
  bool Unrolled(HloInstruction* loop) {
    std::optional<LoopCounter> counter = FindLoopCounter(*loop);
    if (!counter || counter->trips > 1) return false;
    const int64_t added = counter->trips * loop->while_body()->instruction_count();
    if (!gate_.HasRoom(kOneRound, *loop, added) || !MayBeUnrolled(*loop)) return false;
    HloInstruction* result = loop->operand(0);
    if (counter->trips == 0) {
      if (!Ask(kNoRound, *loop)) return false;
    } else {
      const HloComputation& body = *loop->while_body();
      if (!MayBeInlined(body, *loop->parent()) || !Ask(kOneRound, *loop)) {
        return false;
      }
      result = InlineBefore(loop, body, loop->operands());
    }
    loop->ReplaceAllUsesWith(result);
    gate_.Done(result);
    loop->parent()->RemoveInstructionAndUnusedOperands(loop);
    return true;
  }

  // get-tuple-element(while(A), k) => get-tuple-element(A, k), element k loop-invariant
  bool PassedThrough(HloInstruction* loop) {
    bool changed = false;
    std::vector<HloInstruction*> reads(loop->users().begin(), loop->users().end());
    for (HloInstruction* read : reads) {
      if (read->opcode() != HloOpcode::kGetTupleElement || read->HasControlDependencies()) continue;
      HloInstruction* initial = InitialValue(*loop, read->tuple_index());
      if (initial == nullptr || !IsPassedThrough(*loop, read->tuple_index())) continue;
      changed |= ReplaceWith(read, initial, kElementHandedOn);
    }
    return changed;
  }

  // For elements with equal initial and next values, the first one is read instead of the others.
  bool EqualElements(HloInstruction* loop) {
    bool changed = false;
    std::vector<int64_t> candidates;
    for (int64_t k = 0; k < loop->shape().tuple_size(); ++k) {
      if (InitialValue(*loop, k) != nullptr && (IsPassedThrough(*loop, k) || StepsOf(*loop, k)))
        candidates.push_back(k);
    }
    constexpr size_t kMostElements = 64;  // all pairs of them are looked at
    if (candidates.size() > kMostElements) candidates.resize(kMostElements);
    for (size_t x = 0; x < candidates.size(); ++x) {
      for (size_t y = x + 1; y < candidates.size(); ++y) {
        const int64_t a = candidates[x], b = candidates[y];
        if (!GoInStep(*loop, a, b) || !IsReadBesides(*loop, b) || !ReadsAreAlike(*loop, a, b)) continue;
        if (!Ask(kEqualElements, *loop)) continue;
        OwnLoopComputations(loop);
        for (HloInstruction* tuple : {loop->while_body()->parameter(0), loop->while_condition()->parameter(0), loop}) {
          ReadInPlaceOf(tuple, a, b, loop);
        }
        gate_.Done(loop);
        changed = true;
      }
    }
    return changed;
  }
  static bool GoInStep(const HloInstruction& loop, int64_t a, int64_t b) {
    const HloInstruction *x = InitialValue(loop, a), *y = InitialValue(loop, b);
    if (!(x->shape() == y->shape())) return false;
    if (IsPassedThrough(loop, a) && IsPassedThrough(loop, b)) return x == y;
    std::optional<LoopCounter> p = StepsOf(loop, a), q = StepsOf(loop, b);
    return p && q && p->start == q->start && p->step == q->step;
  }
  // It is read by something other than its own next value.
  static bool IsReadBesides(const HloInstruction& loop, int64_t element) {
    const HloInstruction* const tuples[] = {loop.while_body()->parameter(0), loop.while_condition()->parameter(0),
                                            &loop};
    for (const HloInstruction* tuple : tuples) {
      for (const HloInstruction* read : tuple->users()) {
        if (read->opcode() != HloOpcode::kGetTupleElement || read->tuple_index() != element) continue;
        for (const HloInstruction* user : read->users()) {
          if (tuple == &loop || (user != NextValue(loop, element) && user != loop.while_body()->root())) return true;
        }
        if (read->IsRoot()) return true;
      }
    }
    return false;
  }
  // No reader of `b` has an annotation that the reader of `a` lacks.
  static bool ReadsAreAlike(HloInstruction& loop, int64_t a, int64_t b) {
    const HloInstruction* read_a = ReadOf(loop, a);
    return read_a == nullptr || std::all_of(loop.users().begin(), loop.users().end(), [&](const HloInstruction* read) {
             return read->opcode() != HloOpcode::kGetTupleElement || read->tuple_index() != b ||
                    MayTakePlaceOf(*read_a, *read);
           });
  }

  static void ReadInPlaceOf(HloInstruction* tuple, int64_t a, int64_t b, const HloInstruction* loop) {
    HloInstruction* read_a = ReadOf(*tuple, a);
    std::vector<HloInstruction*> reads(tuple->users().begin(), tuple->users().end());
    for (HloInstruction* read : reads) {
      if (read->opcode() != HloOpcode::kGetTupleElement || read->tuple_index() != b) continue;
      if (read_a == nullptr) {
        read->mutable_attributes<GetTupleElementAttributes>().index = a;
        read_a = read;
        continue;
      }
      tuple->parent()->MoveBefore(read_a, tuple->next());
      std::vector<HloInstruction*> users(read->users().begin(), read->users().end());
      for (HloInstruction* user : users) {
        // Its own next value is unchanged: without other readers it is unneeded.
        if (tuple != loop && (user == NextValue(*loop, b) || user == loop->while_body()->root())) continue;
        read->ReplaceUseWith(user, read_a);
      }
      if (read->IsRoot()) tuple->parent()->set_root(read_a);
    }
  }

  // A < B in the body, the same in every iteration => the answer. Outer loops first: inner loops may get their counters
  // as operands.
  bool DecideByRanges(HloModule& module) {
    struct Place {
      HloComputation* computation;
      std::shared_ptr<IntegerRanges> ranges;  // nullptr: its parameters are unknown
    };
    std::vector<Place> places;
    for (HloComputation* computation : InFetchedOrder(ControlFlowComputations(module))) {
      const bool by_its_loop =
          computation->callers().size() == 1 && computation->callers()[0]->opcode() == HloOpcode::kWhile;
      if (!by_its_loop) places.push_back({computation, nullptr});
    }
    bool changed = false;
    while (!places.empty()) {
      Place place = std::move(places.back());
      places.pop_back();
      const std::vector<HloInstruction*> loops = InstructionsOf(*place.computation, HloOpcode::kWhile);
      if (loops.empty()) continue;
      if (place.ranges == nullptr)
        place.ranges = std::make_shared<IntegerRanges>(*place.computation, [](auto&) { return std::nullopt; });
      for (HloInstruction* loop : loops) {
        const bool shared = loop->while_body()->callers().size() > 1;
        std::shared_ptr<IntegerRanges> ranges;
        if (IsTupleLoop(*loop)) {
          ranges = RangesInBody(*loop, *place.ranges);
          changed |= DecideComparisons(loop, *ranges);
          if (!shared) changed |= DropBounds(loop, *ranges);
        }
        if (!shared) places.push_back({loop->while_body(), std::move(ranges)});
      }
    }
    return changed;
  }

  static std::shared_ptr<IntegerRanges> RangesInBody(const HloInstruction& loop, const IntegerRanges& outside) {
    const std::optional<LoopCounter> counter = FindLoopCounter(loop);
    return std::make_shared<IntegerRanges>(
        *loop.while_body(), [&](const HloInstruction& i) -> std::optional<IntegerRange> {
          const int64_t element = ElementRead(i);
          if (element < 0) return {};
          if (IsPassedThrough(loop, element)) {
            const HloInstruction* initial = InitialValue(loop, element);
            return initial != nullptr ? outside.of(initial) : std::nullopt;
          }
          if (!counter || counter->trips == 0) return {};
          const std::optional<LoopCounter> steps = StepsOf(loop, element);
          if (!steps) return {};
          const __int128 first = steps->start, last = first + (counter->trips - 1) * static_cast<__int128>(steps->step);
          return RangeHeld(i.shape().element_type(), std::min(first, last), std::max(first, last));
        });
  }

  bool DecideComparisons(HloInstruction* loop, const IntegerRanges& ranges) {
    bool changed = false;
    for (HloInstruction* i : InstructionsOf(*loop->while_body(), HloOpcode::kCompare)) {
      if (i->HasControlDependencies() || HasAnnotations(*i) || (i->user_count() == 0 && !i->IsRoot())) continue;
      const std::optional<IntegerRange> answer = ranges.of(i);
      if (!answer || !Ask(kDecidedComparison, *i)) continue;
      if (i->parent() != OwnComputation(loop, 1)) {
        // Another loop runs the same body; the comparison to replace is that of the copy, at the same place.
        const std::string name(i->name());
        i = loop->while_body()->FindInstruction(name);
      }
      HloInstruction* constant = i->parent()->AddConstant(Literal::Scalar(PrimitiveType::PRED, answer->low != 0));
      i->parent()->MoveBefore(constant, i);
      if (!i->shape().IsScalar()) {
        constant = i->parent()->AddInstruction(HloOpcode::kBroadcast, i->shape(), {constant}, DimensionsAttributes{});
        i->parent()->MoveBefore(constant, i);
      }
      PutInPlaceOf(i, constant);
      changed = true;
    }
    return changed;
  }

  // clamp(C, A, D) => A, maximum(A, C) => A, remainder(A, C) => A, where A is between the bounds in every iteration
  bool DropBounds(HloInstruction* loop, const IntegerRanges& ranges) {
    bool changed = false;
    for (HloInstruction* i : loop->while_body()->instructions()) {
      if (i->operand_count() < 2 || i->HasControlDependencies() || !i->shape().IsArray()) continue;
      const bool clamps = i->opcode() == HloOpcode::kClamp;
      const std::optional<IntegerRange> a = ranges.of(i->operand(clamps ? 1 : 0)),
                                        b = ranges.of(i->operand(clamps ? 0 : 1));
      if (!a || !b) continue;
      HloInstruction* kept = nullptr;
      switch (i->opcode()) {
        case HloOpcode::kClamp: {
          const std::optional<IntegerRange> most = ranges.of(i->operand(2));
          if (most && a->low >= b->high && a->high <= most->low) kept = i->operand(1);
          break;
        }
        case HloOpcode::kRemainder:
          if (a->low >= 0 && a->high < b->low) kept = i->operand(0);
          break;
        case HloOpcode::kMaximum:
          kept = a->low >= b->high ? i->operand(0) : b->low >= a->high ? i->operand(1) : nullptr;
          break;
        case HloOpcode::kMinimum:
          kept = a->high <= b->low ? i->operand(0) : b->high <= a->low ? i->operand(1) : nullptr;
          break;
        default: break;  // no range decides it
      }
      if (kept != nullptr) {
        changed |= ReplaceWith(i, kept, kNeedlessBound);
      }
    }
    return changed;
  }

  // while((A, B)), B only used to compute B => while((A))
  bool UnneededElements(HloInstruction* loop) {
    if (!IsTupleLoopReadByElement(*loop)) return false;
    const int64_t count = loop->shape().tuple_size();
    std::vector<bool> needed(static_cast<size_t>(count), false);
    std::vector<int64_t> worklist;
    auto need = [&](int64_t element) {
      if (element < 0 || needed[static_cast<size_t>(element)]) return;
      needed[static_cast<size_t>(element)] = true;
      worklist.push_back(element);
    };
    for (const HloInstruction* read : loop->users()) need(read->tuple_index());
    for (const HloInstruction* read : loop->while_condition()->parameter(0)->users()) need(read->tuple_index());
    if (static_cast<int64_t>(worklist.size()) == count) return false;
    // Visits the operands of needed instructions.
    HloComputation& body = *loop->while_body();
    std::unordered_set<const HloInstruction*> seen;  // not by id: there may be as many loops as instructions
    std::vector<const HloInstruction*> stack;
    auto see = [&](const HloInstruction* i) {
      if (seen.insert(i).second) stack.push_back(i);
    };
    for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
      // dce removes unused instructions, which need their operands until then.
      const bool unused = i->user_count() == 0 && !i->IsRoot() && ElementRead(*i) < 0;
      if (!i->IsParameter() && (unused || !effects_->MayRemoveIfUnused(*i))) see(i);
    }
    while (true) {
      while (!stack.empty()) {
        const HloInstruction* i = stack.back();
        stack.pop_back();
        if (ElementRead(*i) >= 0) need(i->tuple_index());
        else
          for (const HloInstruction* operand : i->operands()) see(operand);
      }
      if (worklist.empty()) break;
      see(NextValue(*loop, worklist.back()));
      worklist.pop_back();
    }
    if (std::find(needed.begin(), needed.end(), false) == needed.end()) return false;
    if (!Ask(kUnneededElement, *loop)) return false;
    OwnLoopComputations(loop);
    RemoveLoopElements(loop, needed);
    gate_.Done(loop);
    return true;
  }

  std::optional<Effects> effects_;
};

}  // namespace

PassDefinition DefineWhileLoopSimplifier() {
  return {
      MakePassOf<WhileLoopSimplifier>,
      {kNoRound, kOneRound, kElementHandedOn, kEqualElements, kDecidedComparison, kNeedlessBound, kUnneededElement}};
}

}  // namespace hloir
