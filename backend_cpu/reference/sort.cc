// sort and topk. Both algorithms are safe with any comparator, also one that is not an order.
#include <algorithm>
#include <numeric>

#include "support/format.h"
#include "reference/evaluation.h"
#include "reference/index.h"
#include "reference/scalar_function.h"
#include "reference/sort_between_guards.h"
#include "reference/topk.h"

namespace hloir::reference {
namespace {

// Sorts `order` by before(a, b) ("a must come before b"), bottom-up; equal elements keep their order.
template <class Before>
Status MergeSort(std::vector<int64_t>& order, Before before) {
  std::vector<int64_t> merged(order.size());
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t start = 0; start < order.size(); start += 2 * width) {
      const size_t middle = std::min(start + width, order.size()), end = std::min(start + 2 * width, order.size());
      size_t left = start, right = middle;
      for (size_t out = start; out < end; ++out) {
        bool take_right = left == middle;
        if (!take_right && right < end) {
          HLOIR_ASSIGN_OR_RETURN(take_right, before(order[right], order[left]));
        }
        merged[out] = order[take_right ? right++ : left++];
      }
    }
    order.swap(merged);
  }
  return OkStatus();
}

// Float and integer keys in one unsigned order: floats by total order, with -NaN first and NaN last.
uint64_t OrderedKey(const Literal& literal, int64_t i) {
  const PrimitiveType type = literal.shape().element_type();
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if (IsFloat(type)) {
    const uint64_t bits = __builtin_bit_cast(uint64_t, literal.GetAsDouble(i));
    return bits & kSign ? ~bits : bits | kSign;
  }
  const uint64_t bits = static_cast<uint64_t>(literal.GetAsInt64(i));
  return IsSigned(type) ? bits ^ kSign : bits;
}

}  // namespace

// All operands are permuted in the same way, along one dimension, row by row. The comparator takes two elements of each
// operand, (a0, b0, a1, b1, …), and returns true if a comes before b.
StatusOr<Value> EvaluateSort(EvalContext& context) {
  const size_t n = context.operands.size();
  HLOIR_ASSIGN_OR_RETURN(ScalarFunction comparator,
                         ScalarFunction::Prepare(context.run, *context.instruction.to_apply()));
  if (comparator.argument_count() != 2 * n || comparator.result_count() != 1 ||
      comparator.result_type(0) != PrimitiveType::PRED) {
    return InvalidArgument(Format("{}'s computation does not compare {} pairs", context.instruction.name(), n));
  }
  const DimVector dims = context.operand(0).shape().dimensions();
  const DimVector strides = RowMajorStrides(dims);
  const size_t dimension = static_cast<size_t>(context.attributes<SortAttributes>().dimensions[0]);
  if (dimension >= dims.size()) return InvalidArgument("sort along a dimension that its operand does not have");
  const int64_t length = Product(dims) > 0 ? dims[dimension] : 0, stride = strides[dimension];
  std::vector<Literal> results;
  for (size_t k = 0; k < n; ++k) results.push_back(context.operand(static_cast<int64_t>(k)));

  DimVector rows = dims;
  rows[dimension] = length == 0 ? 0 : 1;
  std::vector<std::vector<Slot>> row(n, std::vector<Slot>(static_cast<size_t>(length)));
  std::vector<int64_t> order(static_cast<size_t>(length));
  Status status;
  ForEachIndex(rows, [&](const DimVector& index) {
    if (!status.ok()) return;
    const int64_t base = LinearIndex(index, strides);
    for (size_t k = 0; k < n; ++k) {
      for (int64_t i = 0; i < length; ++i) {
        LoadElement(context.operand(static_cast<int64_t>(k)), base + i * stride, comparator.argument_type(2 * k),
                    row[k][static_cast<size_t>(i)]);
      }
    }
    std::iota(order.begin(), order.end(), 0);
    auto before = [&](int64_t a, int64_t b) -> StatusOr<bool> {
      for (size_t k = 0; k < n; ++k) {
        comparator.argument(2 * k) = row[k][static_cast<size_t>(a)];
        comparator.argument(2 * k + 1) = row[k][static_cast<size_t>(b)];
      }
      HLOIR_RETURN_IF_ERROR(context.run.CountSteps(comparator.cost()));
      HLOIR_RETURN_IF_ERROR(comparator.Run());
      return comparator.result(0).bytes[0] != std::byte{0};
    };
    if (kGuardsHold && !context.attributes<SortAttributes>().is_stable) {
      order.insert(order.begin(), kSortGuard);
      order.push_back(kSortGuard);
      SortBetweenGuards(order.data() + 1, length, [&](int64_t a, int64_t b) {
        if (!status.ok()) return false;
        const StatusOr<bool> result = before(a, b);
        if (!result.ok()) status = result.status();
        return result.ok() && *result;
      });
      order.pop_back();
      order.erase(order.begin());
    } else {
      status = MergeSort(order, before);
    }
    for (size_t k = 0; k < n && status.ok(); ++k) {
      const Literal& source = context.operand(static_cast<int64_t>(k));
      for (int64_t i = 0; i < length; ++i) {
        CopyRegion({}, source, {base + order[static_cast<size_t>(i)] * stride, {}}, results[k],
                   {base + i * stride, {}});
      }
    }
  });
  HLOIR_RETURN_IF_ERROR(status);
  return Packed(std::move(results), context.shape);
}

// The k largest (or smallest) elements of each row of the last dimension, best first, and their s32 positions. Floats
// compare by total order; equal elements keep their order.
StatusOr<Value> TopK(const Literal& operand, const Shape& shape, int64_t k, bool largest) {
  if (operand.shape().rank() == 0 || !shape.IsTuple() || shape.tuple_size() != 2 ||
      IsComplex(operand.shape().element_type())) {
    return InvalidArgument("topk takes an array of real numbers of at least one dimension and gives two arrays");
  }
  const int64_t length = operand.shape().dimensions().back();
  if (k < 0 || k > length) return InvalidArgument(Format("topk takes {} of {} elements", k, length));
  Literal values(shape.tuple_shapes(0)), indices(shape.tuple_shapes(1));
  const int64_t rows = length == 0 ? 0 : operand.element_count() / length;
  if (values.element_count() != rows * k || indices.element_count() != rows * k ||
      indices.shape().element_type() != PrimitiveType::S32 ||
      values.shape().element_type() != operand.shape().element_type()) {
    return InvalidArgument("topk's results have other shapes than its operand gives");
  }
  const size_t candidates = rows > 0 ? static_cast<size_t>(length) : 0;
  std::vector<int64_t> order(candidates);
  std::vector<uint64_t> keys(candidates);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < length; ++i) {
      const uint64_t key = OrderedKey(operand, row * length + i);
      keys[static_cast<size_t>(i)] = largest ? ~key : key;
    }
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)]; });
    for (int64_t i = 0; i < k; ++i) {
      const int64_t at = order[static_cast<size_t>(i)];
      CopyRegion({}, operand, {row * length + at, {}}, values, {row * k + i, {}});
      indices.data<int32_t>()[static_cast<size_t>(row * k + i)] = static_cast<int32_t>(at);
    }
  }
  std::vector<Value> results;
  results.emplace_back(std::move(values));
  results.emplace_back(std::move(indices));
  return Value::Tuple(std::move(results));
}

StatusOr<Value> EvaluateTopK(EvalContext& context) {
  const auto& attributes = context.attributes<TopKAttributes>();
  return TopK(context.operand(0), context.shape, attributes.k, attributes.largest);
}

}  // namespace hloir::reference
