// dot, scaled-dot and ragged-dot. Precision and algorithm attributes allow reduced precision; this evaluates in full
// precision. Tests: tests/ops/dot-*.hlo.
#include <algorithm>

#include "reference/evaluation.h"
#include "reference/index.h"
#include "wide/wide_types.h"

namespace hloir::reference {
namespace {

DimVector FreeDims(int64_t rank, const DimVector& batch, const DimVector& contracting, const DimVector& other = {}) {
  DimVector free;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(batch, d) && !Contains(contracting, d) && !Contains(other, d)) free.push_back(d);
  }
  return free;
}

// The array reshaped to (batch, free, contracting), in a wide type.
Literal ThreeDimensional(const Literal& operand, PrimitiveType wide_type, const DimVector& batch, const DimVector& free,
                         const DimVector& contracting) {
  const DimVector& dims = operand.shape().dimensions();
  const DimVector strides = RowMajorStrides(dims);
  DimVector order_dims;
  Region from;
  int64_t sizes[3] = {1, 1, 1};
  const DimVector* groups[3] = {&batch, &free, &contracting};
  for (int g = 0; g < 3; ++g) {
    for (int64_t d : *groups[g]) {
      order_dims.push_back(dims[static_cast<size_t>(d)]);
      from.strides.push_back(strides[static_cast<size_t>(d)]);
      sizes[g] *= dims[static_cast<size_t>(d)];
    }
  }
  Literal ordered = ReadRegion(Shape::Array(operand.shape().element_type(), order_dims), operand, from);
  Literal wide = ordered.Convert(wide_type);
  wide.set_shape_layout(Shape::Array(wide_type, {sizes[0], sizes[1], sizes[2]}));
  return wide;
}

// Result dimensions: batch, free ones of the left side, free ones of the right side.
StatusOr<Value> Dot(EvalContext& context, const Literal& lhs, const Literal& rhs, const DimVector& lhs_batch,
                    const DimVector& lhs_contracting, const DimVector& rhs_batch, const DimVector& rhs_contracting) {
  const PrimitiveType type = context.shape.element_type(), wide = WideType(type, lhs, rhs);
  const Literal a =
      ThreeDimensional(lhs, wide, lhs_batch, FreeDims(lhs.shape().rank(), lhs_batch, lhs_contracting), lhs_contracting);
  const Literal b =
      ThreeDimensional(rhs, wide, rhs_batch, FreeDims(rhs.shape().rank(), rhs_batch, rhs_contracting), rhs_contracting);
  const int64_t batches = a.shape().dimensions(0), rows = a.shape().dimensions(1), length = a.shape().dimensions(2);
  const int64_t columns = b.shape().dimensions(1);
  Literal sums(context.shape.WithElementType(wide));
  WideSwitch(wide, context.run.pairs(), [&](auto zero) {
    using T = decltype(zero);
    T* out = WideElements<T>(sums);
    for (int64_t batch = 0; batch < batches; ++batch) {
      for (int64_t row = 0; row < rows; ++row) {
        const T* x = WideElements<T>(a) + (batch * rows + row) * length;
        for (int64_t column = 0; column < columns; ++column) {
          const T* y = WideElements<T>(b) + (batch * columns + column) * length;
          T sum{};
          for (int64_t k = 0; k < length; ++k) sum = MultiplyAdd(sum, x[k], y[k]);
          *out++ = sum;
        }
      }
    }
  });
  return sums.Convert(type);
}

// The operand times its scale, each element of which applies to a block of the operand.
StatusOr<Literal> ApplyScale(const Literal& operand, const Literal& scale) {
  Literal scaled = operand.Convert(PrimitiveType::F64);
  const DimVector& dims = operand.shape().dimensions();
  const DimVector& scale_dims = scale.shape().dimensions();
  const DimVector strides = RowMajorStrides(scale_dims);
  const bool scalar = scale_dims.empty();
  if (!scalar && scale_dims.size() != dims.size())
    return InvalidArgument("scaled-dot's scale has another rank than its operand");
  DimVector block;
  for (size_t d = 0; d < scale_dims.size(); ++d) {
    if (scale_dims[d] == 0 || dims[d] % scale_dims[d] != 0)
      return InvalidArgument("scaled-dot's scale does not divide its operand");
    block.push_back(dims[d] / scale_dims[d]);
  }
  int64_t i = 0;
  ForEachIndex(dims, [&](const DimVector& index) {
    int64_t at = 0;
    for (size_t d = 0; d < block.size(); ++d) at += index[d] / block[d] * strides[d];
    scaled.data<double>()[static_cast<size_t>(i++)] *= scale.GetAsDouble(at);
  });
  return scaled;
}

}  // namespace

StatusOr<Value> EvaluateDot(EvalContext& context) {
  const auto& a = context.attributes<DotAttributes>();
  return Dot(context, context.operand(0), context.operand(1), a.lhs_batch_dims, a.lhs_contracting_dims,
             a.rhs_batch_dims, a.rhs_contracting_dims);
}

// Operands: lhs, rhs, lhs scale, rhs scale.
StatusOr<Value> EvaluateScaledDot(EvalContext& context) {
  const auto& a = context.attributes<DotAttributes>();
  if (context.operand_count() != 4) return UnimplementedOp(context, "with a number of operands other than four");
  HLOIR_ASSIGN_OR_RETURN(const Literal lhs, ApplyScale(context.operand(0), context.operand(2)));
  HLOIR_ASSIGN_OR_RETURN(const Literal rhs, ApplyScale(context.operand(1), context.operand(3)));
  return Dot(context, lhs, rhs, a.lhs_batch_dims, a.lhs_contracting_dims, a.rhs_batch_dims, a.rhs_contracting_dims);
}

// Operands: lhs, rhs, group sizes. One lhs dimension is cut into groups of these sizes, one after another; the sizes
// may differ for each index of the lhs dimensions that come before it in its kind. By the kind of the ragged dimension:
//   free         each group has its own rhs, found along rhs_group_dims; rows beyond the last group give zeros
//   contracting  each group gives its own product, along a new first result dimension
//   batch        the groups do not matter
StatusOr<Value> EvaluateRaggedDot(EvalContext& context) {
  const auto& a = context.attributes<RaggedDotAttributes>();
  const Literal &lhs = context.operand(0), &rhs = context.operand(1), &group_sizes = context.operand(2);
  if (a.lhs_ragged_dims.size() != 1) return InvalidArgument("ragged-dot takes one ragged dimension");
  const int64_t ragged = a.lhs_ragged_dims[0];
  if (Contains(a.lhs_batch_dims, ragged)) {
    return Dot(context, lhs, rhs, a.lhs_batch_dims, a.lhs_contracting_dims, a.rhs_batch_dims, a.rhs_contracting_dims);
  }
  const bool contracting = Contains(a.lhs_contracting_dims, ragged);
  const DimVector lhs_free = FreeDims(lhs.shape().rank(), a.lhs_batch_dims, a.lhs_contracting_dims);
  const DimVector rhs_free = FreeDims(rhs.shape().rank(), a.rhs_batch_dims, a.rhs_contracting_dims, a.rhs_group_dims);
  if (!contracting && a.rhs_group_dims.size() != 1) return InvalidArgument("ragged-dot takes one group dimension");
  // The lhs dimensions on which the sizes depend.
  DimVector prefix = a.lhs_batch_dims;
  for (int64_t d : contracting ? a.lhs_contracting_dims : lhs_free) {
    if (d == ragged) break;
    prefix.push_back(d);
  }
  const DimVector& size_dims = group_sizes.shape().dimensions();
  if (size_dims.size() == 1) prefix.clear();
  if (size_dims.size() != prefix.size() + 1) return InvalidArgument("ragged-dot's group sizes have another rank");
  const DimVector size_strides = RowMajorStrides(size_dims);
  const int64_t groups = size_dims.back();
  auto group_of = [&](const DimVector& lhs_index) {
    int64_t at = 0, end = 0;
    for (size_t i = 0; i < prefix.size(); ++i) at += lhs_index[static_cast<size_t>(prefix[i])] * size_strides[i];
    for (int64_t g = 0; g < groups; ++g) {
      end += group_sizes.GetAsInt64(at + g);
      if (lhs_index[static_cast<size_t>(ragged)] < end) return g;
    }
    return int64_t{-1};
  };
  const PrimitiveType type = context.shape.element_type(), wide = WideType(type, lhs, rhs);
  const Literal x = lhs.Convert(wide), y = rhs.Convert(wide);
  const DimVector x_strides = RowMajorStrides(lhs.shape().dimensions()),
                  y_strides = RowMajorStrides(rhs.shape().dimensions());
  DimVector contracted;
  for (int64_t d : a.lhs_contracting_dims) contracted.push_back(lhs.shape().dimensions(d));
  Literal sums(context.shape.WithElementType(wide));
  int64_t out = 0;
  WideSwitch(wide, context.run.pairs(), [&](auto zero) {
    using T = decltype(zero);
    ForEachIndex(context.dims(), [&](const DimVector& index) {
      size_t at = contracting ? 1 : 0;
      DimVector i(static_cast<size_t>(lhs.shape().rank()), 0), j(static_cast<size_t>(rhs.shape().rank()), 0);
      for (size_t b = 0; b < a.lhs_batch_dims.size(); ++b, ++at) {
        i[static_cast<size_t>(a.lhs_batch_dims[b])] = j[static_cast<size_t>(a.rhs_batch_dims[b])] = index[at];
      }
      for (int64_t d : lhs_free) i[static_cast<size_t>(d)] = index[at++];
      for (int64_t d : rhs_free) j[static_cast<size_t>(d)] = index[at++];
      T sum{};
      const int64_t row_group = contracting ? 0 : group_of(i);
      if (!contracting && row_group >= 0) j[static_cast<size_t>(a.rhs_group_dims[0])] = row_group;
      ForEachIndex(contracted, [&](const DimVector& k) {
        if (row_group < 0) return;
        for (size_t c = 0; c < k.size(); ++c) {
          i[static_cast<size_t>(a.lhs_contracting_dims[c])] = j[static_cast<size_t>(a.rhs_contracting_dims[c])] = k[c];
        }
        if (contracting && group_of(i) != index[0]) return;
        sum = MultiplyAdd(sum, WideElements<T>(x)[static_cast<size_t>(LinearIndex(i, x_strides))],
                          WideElements<T>(y)[static_cast<size_t>(LinearIndex(j, y_strides))]);
      });
      WideElements<T>(sums)[static_cast<size_t>(out++)] = sum;
    });
  });
  return sums.Convert(type);
}

}  // namespace hloir::reference
