// while-loop-simplifier: makes loops that carry a tuple carry less, and drops those that run never or once.
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
// An element that nobody needs is dropped; one that the body only hands on is read from before the loop; of two
// equal ones, or two counters that go in step, one is read; a comparison of the counter that always comes out alike is
// that answer. Leaves alone: loops that carry one array; loops with side effects, where rounds would be dropped;
// shardings, frontend attributes and control dependencies on the loop's parts.
#include <algorithm>

#include "loop_util.h"
#include "pass_util.h"

namespace hloir {
namespace {

class WhileLoopSimplifier : public RewritingPass {
 public:
  explicit WhileLoopSimplifier(const PassOptions& options) : RewritingPass("while-loop-simplifier", options) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* loop : InstructionsOf(*computation, HloOpcode::kWhile)) {
        if (!IsTupleLoop(*loop) || (loop->user_count() == 0 && !loop->IsRoot())) continue;
        if (Unrolled(loop)) {
          changed = true;
          continue;
        }
        changed |= PassedThrough(loop);
        if (loop->user_count() == 0 && !loop->IsRoot()) continue;  // and perhaps gone
        changed |= EqualElements(loop);
        changed |= DecidedComparisons(loop);
        changed |= UnneededElements(loop);
      }
    }
    return changed;
  }

 private:
  // while(A), no round => A; one round => body(A)
  bool Unrolled(HloInstruction* loop) {
    std::optional<LoopCounter> counter = FindLoopCounter(*loop);
    if (!counter || counter->trips > 1 || loop->HasSideEffect()) return false;
    HloInstruction* result = loop->operand(0);
    if (counter->trips == 0) {
      if (!Ask("no-round", "while(A), its condition false at first => A", *loop)) return false;
    } else {
      const HloComputation& body = *loop->while_body();
      if (!MayBeInlined(body, *loop->parent()) ||
          !Ask("one-round", "while(A), one round => body(A)", *loop)) {
        return false;
      }
      result = InlineBefore(loop, body, loop->operands());
    }
    loop->ReplaceAllUsesWith(result);
    gate_.Done(result);
    RemoveIfDead(loop);
    return true;
  }

  // get-tuple-element(while(A), k) => get-tuple-element(A, k), which the body hands on
  bool PassedThrough(HloInstruction* loop) {
    bool changed = false;
    std::vector<HloInstruction*> reads(loop->users().begin(), loop->users().end());
    for (HloInstruction* read : reads) {
      if (read->opcode() != HloOpcode::kGetTupleElement || read->HasControlDependencies()) continue;
      HloInstruction* initial = InitialValue(*loop, read->tuple_index());
      if (initial == nullptr || !IsPassedThrough(*loop, read->tuple_index())) continue;
      changed |= ReplaceWith(read, initial, "element-handed-on",
                             "get-tuple-element(while(A), k) => get-tuple-element(A, k), if the body hands it on");
    }
    return changed;
  }

  // Of elements that start alike and go on alike, the first is read in the others' place.
  bool EqualElements(HloInstruction* loop) {
    bool changed = false;
    std::vector<int64_t> candidates;
    for (int64_t k = 0; k < loop->shape().tuple_size(); ++k) {
      if (InitialValue(*loop, k) != nullptr && (IsPassedThrough(*loop, k) || StepsOf(*loop, k))) candidates.push_back(k);
    }
    constexpr size_t kMostElements = 64;  // all pairs of them are looked at
    if (candidates.size() > kMostElements) candidates.resize(kMostElements);
    for (size_t x = 0; x < candidates.size(); ++x) {
      for (size_t y = x + 1; y < candidates.size(); ++y) {
        const int64_t a = candidates[x], b = candidates[y];
        if (!GoInStep(*loop, a, b) || !IsReadBesides(*loop, b)) continue;
        if (!Ask("equal-elements", "while((A, A)), both going on alike => one is read for both", *loop)) continue;
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
  // Somebody but the element's own next value reads it.
  static bool IsReadBesides(const HloInstruction& loop, int64_t element) {
    const HloInstruction* const tuples[] = {loop.while_body()->parameter(0), loop.while_condition()->parameter(0), &loop};
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
  static void ReadInPlaceOf(HloInstruction* tuple, int64_t a, int64_t b, const HloInstruction* loop) {
    HloInstruction* read_a = nullptr;
    std::vector<HloInstruction*> reads(tuple->users().begin(), tuple->users().end());
    for (HloInstruction* read : reads) {
      if (read->opcode() == HloOpcode::kGetTupleElement && read->tuple_index() == a) read_a = read;
    }
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
        // Its own next value stays as it is: without other readers it is one that nobody needs.
        if (tuple != loop && (user == NextValue(*loop, b) || user == loop->while_body()->root())) continue;
        read->ReplaceUseWith(user, read_a);
      }
      if (read->IsRoot()) tuple->parent()->set_root(read_a);
    }
  }

  // counter < C in the body, true (or false) in every round => the answer
  bool DecidedComparisons(HloInstruction* loop) {
    std::optional<LoopCounter> counter = FindLoopCounter(*loop);
    if (!counter || counter->trips == 0) return false;
    const int64_t first = counter->start, last = counter->start + (counter->trips - 1) * counter->step;
    const int64_t low = std::min(first, last), high = std::max(first, last);
    bool changed = false;
    for (HloInstruction* i : InstructionsOf(*loop->while_body(), HloOpcode::kCompare)) {
      const HloInstruction *a = i->operand(0), *b = i->operand(1);
      if (ElementRead(*a) != counter->element || !b->IsScalarConstant() || b->literal().elided()) continue;
      if (b->shape().element_type() == PrimitiveType::U64 || i->HasControlDependencies() || HasAnnotations(*i)) continue;
      std::optional<bool> answer =
          Decide(i->attributes<CompareAttributes>().direction, low, high, b->literal().GetAsInt64(0));
      if (!answer || i->user_count() == 0) continue;
      if (!Ask("decided-comparison", "counter < C, alike in every round => constant", *i)) continue;
      if (i->parent() != OwnComputation(loop, 1)) {
        // Another loop runs the same body; the comparison to replace is that of the copy, at the same place.
        const std::string name(i->name());
        i = loop->while_body()->FindInstruction(name);
      }
      HloInstruction* constant = i->parent()->AddConstant(Literal::Scalar(PrimitiveType::PRED, *answer));
      i->parent()->MoveBefore(constant, i);
      PutInPlaceOf(i, constant);
      changed = true;
    }
    return changed;
  }
  static std::optional<bool> Decide(ComparisonDirection direction, int64_t low, int64_t high, int64_t c) {
    auto decide = [](bool always, bool never) { return always ? std::optional(true) : never ? std::optional(false) : std::nullopt; };
    switch (direction) {
      case ComparisonDirection::kLt: return decide(high < c, low >= c);
      case ComparisonDirection::kLe: return decide(high <= c, low > c);
      case ComparisonDirection::kGt: return decide(low > c, high <= c);
      case ComparisonDirection::kGe: return decide(low >= c, high < c);
      case ComparisonDirection::kEq: return decide(low == c && high == c, c < low || c > high);
      case ComparisonDirection::kNe: return decide(c < low || c > high, low == c && high == c);
    }
    __builtin_unreachable();
  }

  // while((A, B)), B read by nobody but for itself => while((A))
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
    // Walks from what is needed to what it is made of.
    HloComputation& body = *loop->while_body();
    std::vector<bool> seen(static_cast<size_t>(loop->module()->instruction_id_limit()), false);
    std::vector<const HloInstruction*> stack;
    auto see = [&](const HloInstruction* i) {
      if (seen[static_cast<size_t>(i->id())]) return;
      seen[static_cast<size_t>(i->id())] = true;
      stack.push_back(i);
    };
    for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
      // What is unused goes with dce, and until then needs its operands.
      const bool unused = i->user_count() == 0 && !i->IsRoot() && ElementRead(*i) < 0;
      if (!i->IsParameter() && (unused || !MayRemoveIfUnused(*i))) see(i);
    }
    while (true) {
      while (!stack.empty()) {
        const HloInstruction* i = stack.back();
        stack.pop_back();
        if (ElementRead(*i) >= 0) need(i->tuple_index());
        else for (const HloInstruction* operand : i->operands()) see(operand);
      }
      if (worklist.empty()) break;
      see(NextValue(*loop, worklist.back()));
      worklist.pop_back();
    }
    if (std::find(needed.begin(), needed.end(), false) == needed.end()) return false;
    if (!Ask("unneeded-element", "while((A, B)), B needed by nobody => while((A))", *loop)) return false;
    OwnLoopComputations(loop);
    RemoveLoopElements(loop, needed);
    gate_.Done(loop);
    return true;
  }
};

}  // namespace

std::unique_ptr<HloPass> MakeWhileLoopSimplifier(const PassOptions& options) {
  return std::make_unique<WhileLoopSimplifier>(options);
}

}  // namespace hloir
