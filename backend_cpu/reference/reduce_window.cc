// reduce-window and select-and-scatter: a computation over each position of a sliding window.
#include <algorithm>
#include <optional>

#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"
#include "reference/reducer.h"
#include "reference/scalar_function.h"

namespace hloir::reference {
namespace {

DimVector WindowSizes(const Window& window) {
  DimVector sizes;
  for (const WindowDimension& dimension : window) sizes.push_back(dimension.size);
  return sizes;
}

// The array element under element `inside` of the window at position `position`; nullopt in padding or in a gap of base
// dilation.
std::optional<int64_t> ElementUnder(const Window& window, const DimVector& position, const DimVector& inside,
                                    const DimVector& dims, const DimVector& strides) {
  int64_t linear = 0;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    const int64_t at = position[d] * w.stride + inside[d] * w.window_dilation - w.padding_low;
    if (at < 0 || at % w.base_dilation != 0 || at / w.base_dilation >= dims[d]) return std::nullopt;
    linear += at / w.base_dilation * strides[d];
  }
  return linear;
}

}  // namespace

// Each result element is the reduction of the elements under the window there, starting from the initial value, once.
// Padding and the gaps of base dilation are skipped.
StatusOr<Value> EvaluateReduceWindow(EvalContext& context) {
  const size_t n = context.operands.size() / 2;
  const Window& window = context.attributes<WindowAttributes>().window;
  HLOIR_ASSIGN_OR_RETURN(Reducer reducer, Reducer::Prepare(context));
  const DimVector& dims = context.operand(0).shape().dimensions();
  if (window.size() != dims.size())
    return InvalidArgument(Format("{}'s window does not fit its operands", context.instruction.name()));
  const DimVector strides = RowMajorStrides(dims), sizes = WindowSizes(window);
  std::vector<Literal> results;
  for (size_t k = 0; k < n; ++k) {
    results.emplace_back(context.shape.IsTuple() ? context.shape.tuple_shapes(static_cast<int64_t>(k)) : context.shape);
  }
  HLOIR_RETURN_IF_ERROR(context.run.CountSteps(results[0].element_count()));
  Status status;
  int64_t out = 0;
  ForEachIndex(results[0].shape().dimensions(), [&](const DimVector& position) {
    if (!status.ok()) return;
    status = context.run.CountSteps(SaturatingProduct(Product(sizes), reducer.function().cost()));
    if (!status.ok()) return;
    reducer.Begin();
    ForEachIndex(sizes, [&](const DimVector& inside) {
      if (!status.ok()) return;
      const std::optional<int64_t> at = ElementUnder(window, position, inside, dims, strides);
      if (at) status = reducer.Add(*at);
    });
    reducer.Store(results, out++);
  });
  HLOIR_RETURN_IF_ERROR(status);
  return Packed(std::move(results), context.shape);
}

// The gradient of max pooling and similar ops. Operands: the array, a source with one element per window position, an
// initial value. In each window `select(kept, candidate)` is true if the element kept so far stays; `scatter` adds the
// position's source element to the last one kept. Padding is never selected.
StatusOr<Value> EvaluateSelectAndScatter(EvalContext& context) {
  const Literal& operand = context.operand(0);
  const Literal& source = context.operand(1);
  const Window& window = context.attributes<WindowAttributes>().window;
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction select,
                         ScalarFunction::Prepare(context.run, *context.instruction.called_computations()[0]));
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction scatter,
                         ScalarFunction::Prepare(context.run, *context.instruction.called_computations()[1]));
  const DimVector& dims = operand.shape().dimensions();
  if (select.argument_count() != 2 || scatter.argument_count() != 2 || select.result_count() != 1 ||
      scatter.result_count() != 1 || select.result_type(0) != PrimitiveType::PRED || window.size() != dims.size()) {
    return InvalidArgument(Format("{}'s computations or window do not fit its operands", context.instruction.name()));
  }
  const DimVector strides = RowMajorStrides(dims), sizes = WindowSizes(window);
  HLOIR_RETURN_IF_ERROR(context.run.CountSteps(source.element_count()));
  Literal result = ReadRegion(context.shape, context.operand(2).Convert(context.shape.element_type()),
                              {0, DimVector(dims.size(), 0)});
  Status status;
  int64_t at_source = 0;
  ForEachIndex(source.shape().dimensions(), [&](const DimVector& position) {
    if (!status.ok()) return;
    status = context.run.CountSteps(SaturatingProduct(Product(sizes), select.cost()));
    if (!status.ok()) return;
    std::optional<int64_t> selected;
    ForEachIndex(sizes, [&](const DimVector& inside) {
      const std::optional<int64_t> at = ElementUnder(window, position, inside, dims, strides);
      if (!at || !status.ok()) return;
      if (selected) {
        select.Load(0, operand, *selected);
        select.Load(1, operand, *at);
        status = select.Run();
        if (select.result(0).bytes[0] != std::byte{0}) return;
      }
      selected = at;
    });
    const int64_t from = at_source++;
    if (!selected || !status.ok()) return;
    scatter.Load(0, result, *selected);
    scatter.Load(1, source, from);
    status = scatter.Run();
    scatter.Store(0, result, *selected);
  });
  HLOIR_RETURN_IF_ERROR(status);
  return result;
}

}  // namespace hloir::reference
