// See for_loop.h.
#include "for_loop.h"

namespace hloir {
namespace {

using Op = HloBuilder::Op;

// A computation of one tuple: `make` gives its root.
HloComputation* OfTuple(HloBuilder& b, std::string_view name, const Shape& shape, const std::function<Op(HloBuilder&, Op)>& make) {
  HloBuilder inner(b.module(), name);
  const StatusOr<HloComputation*> built = inner.Build(make(inner, inner.Parameter(0, shape)));
  return built.ok() ? *built : nullptr;
}

}  // namespace

std::vector<Op> ForLoop(HloBuilder& b, int64_t trips, std::vector<Op> state, const LoopRound& round) {
  const size_t size = state.size();
  state.push_back(b.Constant(int32_t{0}));
  const Op init = b.Tuple(state);
  const int64_t last = static_cast<int64_t>(size);
  if (init == nullptr) return std::vector<Op>(size, nullptr);
  HloComputation* condition = OfTuple(b, "for_condition", init->shape(), [&](HloBuilder& c, Op p) {
    return c.Compare(c.GetTupleElement(p, last), c.Constant(static_cast<int32_t>(trips)), ComparisonDirection::kLt);
  });
  HloComputation* body = OfTuple(b, "for_body", init->shape(), [&](HloBuilder& c, Op p) {
    std::vector<Op> elements;
    for (int64_t k = 0; k <= last; ++k) elements.push_back(c.GetTupleElement(p, k));
    std::vector<Op> next = round(c, elements[size], std::span(elements).first(size));
    next.push_back(c.Add(elements[size], c.Constant(int32_t{1})));
    return c.Tuple(next);
  });
  std::vector<Op> results(size, nullptr);
  if (condition == nullptr || body == nullptr) return results;
  const Op loop = b.While(condition, body, init);
  for (size_t k = 0; k < size; ++k) results[k] = b.GetTupleElement(loop, static_cast<int64_t>(k));
  return results;
}

}  // namespace hloir
