// See reduce_window_plan.h. Tests: tests/ops/reduce-window-*.hlo, tests/unit/executable_kernels_test.cc.
#include "plan/capability/reduce_window_plan.h"

#include <algorithm>

#include "plan/capability/kernel_choice.h"
#include "plan/run/step.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kMaxWindowWork = int64_t{1} << 32;

bool Trivial(const WindowDimension& w) {
  return w.size == 1 && w.stride == 1 && w.padding_low == 0 && w.padding_high == 0 && w.base_dilation == 1;
}

void SetGeometry(const HloInstruction& instruction, const DimVector& order, ReduceWindowPlan& p) {
  p.dims = instruction.operand(0)->shape().dimensions();
  p.out_dims = instruction.shape().dimensions();
  p.window = instruction.attributes<WindowAttributes>().window;
  if (!order.empty()) {
    const ReduceWindowPlan given = p;
    for (size_t i = 0; i < order.size(); ++i) {
      p.dims[i] = given.dims[order[i]];
      p.out_dims[i] = given.out_dims[order[i]];
      p.window[i] = given.window[order[i]];
    }
  }
  p.strides = View::RowMajor(p.dims).strides;
  p.along = static_cast<int>(p.dims.size()) - 1;
  while (p.along > 0 && Trivial(p.window[p.along])) p.inner *= p.dims[p.along--];
  for (int d = 0; d < p.along; ++d) p.rows *= p.out_dims[d];
  p.taps = TapCount(p.window);
}

ReduceWindowPlan::Scan ScanOf(const ReduceWindowPlan& p) {
  const WindowDimension& w = p.window[p.along];
  const bool one = std::all_of(p.window.begin(), p.window.begin() + p.along, Trivial);
  const bool plain = w.stride == 1 && w.window_dilation == 1 && w.base_dilation == 1 && w.size >= p.dims[p.along] &&
                     p.out_dims[p.along] == p.dims[p.along];
  if (!one || !plain || Narrow(p.type)) return ReduceWindowPlan::kNone;
  return w.padding_low == w.size - 1 ? ReduceWindowPlan::kForward
         : w.padding_low == 0        ? ReduceWindowPlan::kBackward
                                     : ReduceWindowPlan::kNone;
}

}  // namespace

int64_t TapCount(const Window& window) {
  int64_t taps = 1;
  for (const WindowDimension& w : window)
    if (__builtin_mul_overflow(taps, w.size, &taps)) return INT64_MAX;
  return taps;
}

std::optional<ReduceWindowPlan> PlanReduceWindow(const HloInstruction& instruction, const KernelTable& kernels,
                                                 const DimVector& order) {
  if (instruction.operand_count() != 2 || !instruction.shape().IsArray() || instruction.shape().rank() == 0 ||
      instruction.shape().rank() > 64 ||
      instruction.attributes<WindowAttributes>().window.size() != static_cast<size_t>(instruction.shape().rank())) {
    return std::nullopt;
  }
  ReduceWindowPlan plan;
  plan.type = instruction.shape().element_type();
  const auto op = ReducerOp(*instruction.to_apply());
  if (!op || IsComplex(plan.type) || !TileTypeFor(plan.type, &plan.tile) ||
      instruction.operand(0)->shape().element_type() != plan.type ||
      instruction.to_apply()->root()->shape().element_type() != plan.type ||
      kernels.binary[static_cast<int>(*op)][static_cast<int>(plan.tile)][kVectorVector] == nullptr) {
    return std::nullopt;
  }
  plan.op = *op;
  SetGeometry(instruction, order, plan);
  plan.scan = ScanOf(plan);
  // Rows of tiles must fit a thread's scratch memory, and the work must be small enough for one step, which cannot be
  // cancelled.
  const int64_t results = plan.rows * plan.row();
  if (plan.scan == ReduceWindowPlan::kNone && (plan.row() > kScratchBytes / 4 / TileBytes(plan.tile) ||
                                               plan.taps > kMaxWindowWork / std::max<int64_t>(results, 1))) {
    return std::nullopt;
  }
  return plan;
}

}  // namespace hloir::cpu
