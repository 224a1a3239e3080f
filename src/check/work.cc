// How much the reference evaluator would have to do for a module: WorkOf(). Rough, and the same on every machine, so
// that whether an engine is asked does not depend on the clock.
#include <algorithm>
#include <cmath>

#include "check/subject.h"

namespace hloir::check {
namespace {

double Elements(const Shape& shape) {
  double count = 0;
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->IsArray()) count += static_cast<double>(leaf->ElementCount());
  }
  return count;
}

double WindowSize(const Window& window) {
  double size = 1;
  for (const WindowDimension& d : window) size *= static_cast<double>(d.size);
  return size;
}

}  // namespace

double WorkOf(const HloInstruction& i) {
  const double result = Elements(i.shape());
  const double operand = i.operand_count() > 0 ? Elements(i.operand(0)->shape()) : 0;
  // Instructions of what is applied to each element.
  const double applied =
      i.called_computations().empty() ? 1 : static_cast<double>(i.called_computations()[0]->instruction_count());
  const auto last = [&] {
    return static_cast<double>(std::max<int64_t>(1, i.shape().rank() > 0 ? i.shape().dimensions().back() : 1));
  };
  switch (i.opcode()) {
    case HloOpcode::kWhile:
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kConditional:
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kParameter:
    case HloOpcode::kConstant: return 0;
    case HloOpcode::kDot: {
      double contracted = 1;
      for (int64_t d : i.attributes<DotAttributes>().lhs_contracting_dims)
        contracted *= static_cast<double>(i.operand(0)->shape().dimensions(d));
      return result * contracted;
    }
    case HloOpcode::kConvolution: {
      const Shape& kernel = i.operand(1)->shape();
      const int64_t feature = i.attributes<ConvolutionAttributes>().dim_labels.kernel_output_feature;
      return result * Elements(kernel) / std::max(1.0, static_cast<double>(kernel.dimensions(feature)));
    }
    case HloOpcode::kReduce: return operand * applied;
    case HloOpcode::kReduceWindow: return result * WindowSize(i.attributes<WindowAttributes>().window) * applied;
    case HloOpcode::kSelectAndScatter: return operand * applied * 16;
    case HloOpcode::kMap:
    case HloOpcode::kScatter: return (result + operand) * applied;
    case HloOpcode::kSort: return operand * std::log2(2 + operand) * applied;
    case HloOpcode::kFft: return result * 64;
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve: return result * last();
    case HloOpcode::kCustomCall: return (result + operand) * 16;
    default: return std::max(result, 1.0);
  }
}

double WorkOf(const HloModule& module) {
  double work = 0;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) work += WorkOf(*i);
  }
  return work;
}

}  // namespace hloir::check
