// scan-expander: scans as loops over slices.
//
// BEFORE
// HloModule example
//
// step {
//   x = s32[] parameter(0)
//   carry = s32[] parameter(1)
//   sum = s32[] add(x, carry)
//   ROOT both = (s32[], s32[]) tuple(sum, sum)
// }
//
// ENTRY main {
//   a = s32[4]{0} parameter(0)
//   start = s32[] parameter(1)
//   ROOT sums = (s32[4]{0}, s32[]) scan(a, start), dimensions={0}, num_carries=1, to_apply=step
// }
// AFTER
// END
//
// The loop's state is the inputs, the outputs so far and the carries. Leaves alone: scans that mix float types.
#include "hloir/rules.h"
#include "for_loop.h"

namespace hloir {
namespace rules {
namespace {

using Op = HloBuilder::Op;
using Ops = HloBuilder::Ops;

Op BuildScan(HloBuilder& b, HloInstruction& i, Ops x) {
  const auto& attributes = i.attributes<ScanAttributes>();
  const int64_t along = attributes.dimensions[0];
  const size_t carries = static_cast<size_t>(attributes.num_carries), inputs = x.size() - carries;
  const std::vector<Shape> results = i.shape().IsTuple() ? i.shape().tuple_shapes() : std::vector<Shape>{i.shape()};
  const size_t outputs = results.size() - carries;
  const Shape& longest = inputs > 0 ? x[0]->shape() : results[0];
  const int64_t length = longest.dimensions(along);
  std::vector<Op> state(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(inputs));
  for (size_t k = 0; k < outputs; ++k) state.push_back(b.Full(results[k].WithDefaultLayout(), 0));
  state.insert(state.end(), x.begin() + static_cast<std::ptrdiff_t>(inputs), x.end());
  HloComputation* step = i.to_apply();
  const std::vector<Op> done = ForLoop(b, length, state, [&](HloBuilder& c, Op round, Ops now) {
    const Op at = attributes.is_reverse ? c.Subtract(c.Constant(static_cast<int32_t>(length - 1)), round) : round;
    auto place = [&](int64_t rank) {
      std::vector<Op> starts(static_cast<size_t>(rank), c.Constant(int32_t{0}));
      starts[static_cast<size_t>(along)] = at;
      return starts;
    };
    std::vector<Op> arguments;
    for (size_t k = 0; k < inputs; ++k) {
      DimVector slice = now[k]->shape().dimensions(), flat = slice;
      slice[along] = 1;
      flat.erase(flat.begin() + along);
      arguments.push_back(c.Reshape(c.DynamicSlice(now[k], place(now[k]->shape().rank()), slice), flat));
    }
    arguments.insert(arguments.end(), now.end() - static_cast<std::ptrdiff_t>(carries), now.end());
    const Op made = c.Call(step, arguments);
    std::vector<Op> next(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(inputs));
    for (size_t k = 0; k < outputs + carries; ++k) {
      Op result = made->shape().IsTuple() ? c.GetTupleElement(made, static_cast<int64_t>(k)) : made;
      if (k < outputs) {
        DimVector slice = results[k].dimensions();
        slice[along] = 1;
        result = c.DynamicUpdateSlice(now[inputs + k], c.Reshape(result, slice), place(results[k].rank()));
      }
      next.push_back(result);
    }
    return next;
  });
  if (!i.shape().IsTuple()) return done[inputs];
  return b.Tuple(Ops(done).subspan(inputs));
}

HloInstruction* ExpandScan(HloInstruction* i, RuleContext& c) {
  for (const Shape* leaf : i->shape().Leaves()) {
    if (!leaf->IsArray()) return nullptr;
  }
  return c.Expand(BuildScan);
}

constexpr Rule kScanExpanderRules[] = {
    {HloOpcode::kScan, "expand-scan", "scan(A, v) => a loop over A's slices", kExact, kExact, ExpandScan},
};

}  // namespace
}  // namespace rules

PassDefinition DefineScanExpander() { return rules::DefineRulePass(rules::kScanExpanderRules); }

}  // namespace hloir
