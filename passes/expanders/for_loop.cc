// See for_loop.h.
#include "for_loop.h"

namespace hloir {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

// A computation with a tuple parameter: `make` builds its root.
HloComputation* OfTuple(HloBuilder& b, std::string_view name, const Shape& shape,
                        const std::function<Op(HloBuilder&, Op)>& make) {
  HloBuilder inner(b.module(), name);
  const StatusOr<HloComputation*> built = inner.Build(make(inner, inner.Parameter(0, shape)));
  return built.ok() ? *built : nullptr;
}

std::vector<Op> Elements(HloBuilder& b, Op tuple, size_t size) {
  std::vector<Op> elements;
  for (size_t k = 0; k < size; ++k) elements.push_back(b.GetTupleElement(tuple, static_cast<int64_t>(k)));
  return elements;
}

}  // namespace

std::vector<Op> WhileLoop(HloBuilder& b, std::string name, const std::vector<Op>& state, const LoopCondition& condition,
                          const LoopStep& step) {
  const size_t size = state.size();
  const Op init = b.Tuple(state);
  if (init == nullptr) return std::vector<Op>(size, nullptr);
  HloComputation* asks = OfTuple(b, name + "_condition", init->shape(),
                                 [&](HloBuilder& c, Op p) { return condition(c, Elements(c, p, size)); });
  HloComputation* body = OfTuple(b, name + "_body", init->shape(),
                                 [&](HloBuilder& c, Op p) { return c.Tuple(step(c, Elements(c, p, size))); });
  if (asks == nullptr || body == nullptr) return std::vector<Op>(size, nullptr);
  for (HloInstruction* i : asks->instructions()) {
    if (i->user_count() == 0 && !i->IsRoot() && !i->IsParameter())
      asks->RemoveInstruction(i);  // elements that it does not read
  }
  return Elements(b, b.While(asks, body, init), size);
}

std::vector<Op> ForLoop(HloBuilder& b, int64_t trips, std::vector<Op> state, const LoopRound& round) {
  state.push_back(b.Constant(int32_t{0}));
  std::vector<Op> results = WhileLoop(
      b, "for", state,
      [&](HloBuilder& c, Ops now) {
        return c.Compare(now.back(), c.Constant(static_cast<int32_t>(trips)), ComparisonDirection::kLt);
      },
      [&](HloBuilder& c, Ops now) {
        std::vector<Op> next = round(c, now.back(), now.first(now.size() - 1));
        next.push_back(c.Add(now.back(), c.Constant(int32_t{1})));
        return next;
      });
  results.pop_back();
  return results;
}

}  // namespace hloir
