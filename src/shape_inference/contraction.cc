// Shapes of dot, scaled-dot, ragged-dot and convolution. The text states the result, because its element type is free
// ("preferred_element_type"); the dimensions follow from the operands.
#include <algorithm>

#include "internal.h"

#include "support/format.h"

namespace hloir::shape_inference {

static Status ExpectTwoArrays(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(q.operand(0), "operand 0"));
  return ExpectArray(q.operand(1), "operand 1");
}

static StatusOr<PrimitiveType> ResultType(const Query& q) {
  PrimitiveType type = HigherPrecisionType(q.operand(0).element_type(), q.operand(1).element_type());
  if (q.stated == nullptr || q.stated->element_type() == type) return type;
  if (!q.stated->IsArray()) return Invalid("the result must be an array, not {}", Text(*q.stated));
  return q.stated->element_type();
}

namespace {
struct DotDimensions {
  const DimVector &lhs_batch, &lhs_contracting, &rhs_batch, &rhs_contracting;
};
}  // namespace

static Status ExpectDotDimensions(const Shape& lhs, const Shape& rhs, const DotDimensions& d) {
  auto one_side = [](const Shape& shape, const DimVector& batch, const DimVector& contracting, std::string_view side) {
    DimVector all = batch;
    for (int64_t dim : contracting) all.push_back(dim);
    return ExpectDimensions(all, shape.rank(), "{0}_batch_dims and {0}_contracting_dims", side);
  };
  HLOIR_RETURN_IF_ERROR(one_side(lhs, d.lhs_batch, d.lhs_contracting, "lhs"));
  HLOIR_RETURN_IF_ERROR(one_side(rhs, d.rhs_batch, d.rhs_contracting, "rhs"));
  auto pairs = [&](const DimVector& left, const DimVector& right, std::string_view what) {
    if (left.size() != right.size())
      return Invalid("lhs has {} {} dimensions, rhs {}", left.size(), what, right.size());
    for (size_t i = 0; i < left.size(); ++i) {
      if (!MeetDimensions(lhs, left[i], rhs, right[i])) {
        return Invalid("{} dimension {} of {} and {} of {} differ in size", what, left[i], Text(lhs), right[i],
                       Text(rhs));
      }
    }
    return OkStatus();
  };
  HLOIR_RETURN_IF_ERROR(pairs(d.lhs_batch, d.rhs_batch, "batch"));
  return pairs(d.lhs_contracting, d.rhs_contracting, "contracting");
}

// Batch dimensions in lhs order, then the other dimensions of lhs, then those of rhs without `rhs_skip`.
static Shape DotResult(PrimitiveType type, const Shape& lhs, const Shape& rhs, const DotDimensions& d,
                       const DimVector& rhs_skip = {}) {
  DimVector sizes;
  SmallVector<bool, 8> dynamic;
  auto add = [&](DimensionSize size) {
    sizes.push_back(size.size);
    dynamic.push_back(size.dynamic);
  };
  for (size_t i = 0; i < d.lhs_batch.size(); ++i) {
    add(MeetDimensions(lhs, d.lhs_batch[i], rhs, d.rhs_batch[i]).value_or(DimensionSize{}));
  }
  for (int64_t i = 0; i < lhs.rank(); ++i) {
    if (!Contains(d.lhs_batch, i) && !Contains(d.lhs_contracting, i))
      add({lhs.dimensions(i), lhs.is_dynamic_dimension(i)});
  }
  for (int64_t i = 0; i < rhs.rank(); ++i) {
    if (Contains(d.rhs_batch, i) || Contains(d.rhs_contracting, i) || Contains(rhs_skip, i)) continue;
    add({rhs.dimensions(i), rhs.is_dynamic_dimension(i)});
  }
  Shape result = MakeArray(type, sizes);
  for (int64_t i = 0; i < result.rank(); ++i) {
    if (dynamic[i]) result.set_dynamic_dimension(i, true);
  }
  return result;
}

// A nibble stands in each half of a byte, in both operands.
static Status ExpectNibbles(const PrecisionList& precision, const Shape& lhs, const Shape& rhs,
                            bool has_groups = false) {
  const auto nibbles = std::count(precision.begin(), precision.end(), Precision::kPackedNibble);
  if (nibbles == 0) return OkStatus();
  if (has_groups) return InvalidArgument("precision packed_nibble is not for convolutions in groups");
  if (nibbles != 2) return InvalidArgument("precision packed_nibble is for both operands, or none");
  for (const Shape* operand : {&lhs, &rhs}) {
    if (!IsInteger(operand->element_type()) || BitWidth(operand->element_type()) != 8)
      return Invalid("precision packed_nibble takes integers of 8 bits, not {}", Text(*operand));
  }
  return OkStatus();
}

StatusOr<Shape> InferDot(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectTwoArrays(q));
  const auto& a = q.attr<DotAttributes>();
  const Shape &lhs = q.operand(0), &rhs = q.operand(1);
  HLOIR_RETURN_IF_ERROR(ExpectNibbles(a.operand_precision, lhs, rhs));
  DotDimensions d{a.lhs_batch_dims, a.lhs_contracting_dims, a.rhs_batch_dims, a.rhs_contracting_dims};
  HLOIR_RETURN_IF_ERROR(ExpectDotDimensions(lhs, rhs, d));
  HLOIR_ASSIGN_OR_RETURN(PrimitiveType type, ResultType(q));
  return DotResult(type, lhs, rhs, d);
}

// The scales of one side: the operand's shape with each dimension divided by the number of elements that share a scale.
// The scale of an unscaled operand has one element, of the operand's type.
static Status ExpectScale(const Shape& operand, const Shape& scale, const DimVector& contracting,
                          std::string_view side) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(scale, "the scale of {}", side));
  auto is_one = [](int64_t size) { return size == 1; };
  auto all_ones = [&](const Shape& s) { return std::all_of(s.dimensions().begin(), s.dimensions().end(), is_one); };
  if (operand.element_type() == PrimitiveType::BF16 && scale.element_type() == PrimitiveType::BF16 && all_ones(scale) &&
      !all_ones(operand))
    return OkStatus();
  if (scale.rank() != operand.rank())
    return Invalid("{} and its scale differ in rank: {} and {}", side, Text(operand), Text(scale));
  if (contracting.size() != 1)
    return Invalid("scaled-dot contracts one dimension, not {}_contracting_dims={}", side, Braced(contracting));
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (scale.dimensions(i) == 0 ? operand.dimensions(i) != 0 : operand.dimensions(i) % scale.dimensions(i) != 0)
      return Invalid("dimension {} of {} is not a multiple of that of its scale: {} and {}", i, side, Text(operand),
                     Text(scale));
  }
  return OkStatus();
}

StatusOr<Shape> InferScaledDot(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectTwoArrays(q));
  HLOIR_ASSIGN_OR_RETURN(Shape result, InferDot(q));
  if (q.operands.size() != 4)
    return Invalid("scaled-dot takes two operands and their scales, not {}", q.operands.size());
  const auto& a = q.attr<DotAttributes>();
  HLOIR_RETURN_IF_ERROR(ExpectScale(q.operand(0), q.operand(2), a.lhs_contracting_dims, "lhs"));
  HLOIR_RETURN_IF_ERROR(ExpectScale(q.operand(1), q.operand(3), a.rhs_contracting_dims, "rhs"));
  if (q.operand(2).IsScalar() && q.operand(3).IsScalar()) return InvalidArgument("both scales are scalars");
  return result;
}

// Rows of one group share a slice of rhs. The kind of lhs's grouped dimension determines the result: a free one pairs
// with rhs's group dimension, a contracting one gives the result a leading group dimension, a batch one changes
// nothing.
// The sizes of the groups are one list, or a list for each index of the batch dimensions and of the dimensions of the
// ragged one's kind that come before it.
static Status ExpectGroupSizes(const Shape& sizes, const Shape& lhs, const RaggedDotAttributes& a) {
  HLOIR_RETURN_IF_ERROR(ExpectArray(sizes, "the group sizes"));
  if (!IsInteger(sizes.element_type()) || sizes.rank() < 1)
    return Invalid("the group sizes must be integers of rank 1 or more, not {}", Text(sizes));
  if (sizes.rank() == 1) return OkStatus();
  DimVector outer = a.lhs_batch_dims, same_kind;
  if (!Contains(outer, a.lhs_ragged_dims[0])) {
    same_kind = a.lhs_contracting_dims;
    if (!Contains(same_kind, a.lhs_ragged_dims[0])) {
      same_kind = {};
      for (int64_t i = 0; i < lhs.rank(); ++i) {
        if (!Contains(a.lhs_batch_dims, i) && !Contains(a.lhs_contracting_dims, i)) same_kind.push_back(i);
      }
    }
  }
  for (int64_t dim : same_kind) outer.push_back(dim);
  DimVector expected;
  for (int64_t dim : outer) {
    if (dim == a.lhs_ragged_dims[0]) break;
    expected.push_back(lhs.dimensions(dim));
  }
  expected.push_back(sizes.dimensions(sizes.rank() - 1));
  const Shape wanted = MakeArray(sizes.element_type(), expected);
  return SameBuffer(sizes, wanted)
             ? OkStatus()
             : Invalid("the group sizes must be a list, or {}, not {}", Text(wanted), Text(sizes));
}

StatusOr<Shape> InferRaggedDot(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectTwoArrays(q));
  const auto& a = q.attr<RaggedDotAttributes>();
  const Shape &lhs = q.operand(0), &rhs = q.operand(1), &group_sizes = q.operand(2);
  DotDimensions d{a.lhs_batch_dims, a.lhs_contracting_dims, a.rhs_batch_dims, a.rhs_contracting_dims};
  HLOIR_RETURN_IF_ERROR(ExpectDotDimensions(lhs, rhs, d));
  if (a.lhs_ragged_dims.size() != 1)
    return Invalid("lhs_ragged_dims={} must name one dimension", Braced(a.lhs_ragged_dims));
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(a.lhs_ragged_dims, lhs.rank(), "lhs_ragged_dims"));
  HLOIR_RETURN_IF_ERROR(ExpectGroupSizes(group_sizes, lhs, a));
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(a.rhs_group_dims, rhs.rank(), "rhs_group_dims"));
  for (int64_t dim : a.rhs_group_dims) {
    if (Contains(a.rhs_batch_dims, dim) || Contains(a.rhs_contracting_dims, dim)) {
      return Invalid("rhs_group_dims={} holds a batch or contracting dimension", Braced(a.rhs_group_dims));
    }
  }
  int64_t ragged = a.lhs_ragged_dims[0];
  bool is_contracting = Contains(a.lhs_contracting_dims, ragged);
  bool is_free = !is_contracting && !Contains(a.lhs_batch_dims, ragged);
  if (a.rhs_group_dims.size() != (is_free ? 1u : 0u)) {
    return Invalid("rhs_group_dims={} must name {} with lhs_ragged_dims={}", Braced(a.rhs_group_dims),
                   is_free ? "one dimension" : "nothing", Braced(a.lhs_ragged_dims));
  }
  int64_t groups = group_sizes.dimensions(group_sizes.rank() - 1);
  if (is_free && rhs.dimensions(a.rhs_group_dims[0]) != groups) {
    return Invalid("rhs {} has {} groups, the group sizes {} have {}", Text(rhs), rhs.dimensions(a.rhs_group_dims[0]),
                   Text(group_sizes), groups);
  }
  HLOIR_ASSIGN_OR_RETURN(PrimitiveType type, ResultType(q));
  Shape result = DotResult(type, lhs, rhs, d, a.rhs_group_dims);
  if (!is_contracting) return result;
  DimVector sizes{groups};
  for (int64_t size : result.dimensions()) sizes.push_back(size);
  return MakeArray(type, sizes);
}

// Each dimension of one of the three arrays has one role: batch, feature, or one of the spatial ones.
static Status ExpectRoles(const Shape& shape, int64_t first, int64_t second, const DimVector& spatial,
                          std::string_view what) {
  DimVector all = spatial;
  all.push_back(first);
  all.push_back(second);
  if (static_cast<int64_t>(all.size()) != shape.rank()) {
    return Invalid("dim_labels name {} dimensions of the {}, which is {}", all.size(), what, Text(shape));
  }
  return ExpectDimensions(all, shape.rank(), "dim_labels of the {}", what);
}

StatusOr<Shape> InferConvolution(const Query& q) {
  HLOIR_RETURN_IF_ERROR(ExpectTwoArrays(q));
  const auto& a = q.attr<ConvolutionAttributes>();
  const ConvDimensionNumbers& d = a.dim_labels;
  const Shape &input = q.operand(0), &kernel = q.operand(1);
  // The others describe the zeros of a sparse kernel.
  if (q.operands.size() != 2 && a.sparsity_config == SparsityConfig())
    return Invalid("convolution takes 2 operands, not {}", q.operands.size());
  HLOIR_RETURN_IF_ERROR(
      ExpectNibbles(a.operand_precision, input, kernel, a.feature_group_count > 1 || a.batch_group_count > 1));
  const size_t spatial = d.input_spatial.size();
  if (d.kernel_spatial.size() != spatial || d.output_spatial.size() != spatial) {
    return InvalidArgument("dim_labels give input, kernel and output different numbers of spatial dimensions");
  }
  HLOIR_RETURN_IF_ERROR(ExpectRoles(input, d.input_batch, d.input_feature, d.input_spatial, "input"));
  HLOIR_RETURN_IF_ERROR(
      ExpectRoles(kernel, d.kernel_input_feature, d.kernel_output_feature, d.kernel_spatial, "kernel"));
  if (a.window.size() != spatial)
    return Invalid("the window has {} dimensions, dim_labels {} spatial ones", a.window.size(), spatial);
  HLOIR_RETURN_IF_ERROR(ExpectWindow(a.window));
  const int64_t feature_groups = a.feature_group_count, batch_groups = a.batch_group_count;
  if (feature_groups < 1) return Invalid("feature_group_count={} must be positive", feature_groups);
  if (batch_groups < 1) return Invalid("batch_group_count={} must be positive", batch_groups);
  if (feature_groups > 1 && batch_groups > 1)
    return InvalidArgument("feature_group_count and batch_group_count are both over 1");
  const int64_t batch = input.dimensions(d.input_batch), features = input.dimensions(d.input_feature);
  const int64_t kernel_in = kernel.dimensions(d.kernel_input_feature),
                kernel_out = kernel.dimensions(d.kernel_output_feature);
  auto known = [](int64_t size) { return size != Shape::kUnboundedSize; };
  if (known(features) &&
      (features % feature_groups != 0 || (known(kernel_in) && features / feature_groups != kernel_in))) {
    return Invalid("the input's {} features in feature_group_count={} groups don't fit the kernel's {} input features",
                   features, feature_groups, kernel_in);
  }
  if (known(kernel_out) && (kernel_out % feature_groups != 0 || kernel_out % batch_groups != 0)) {
    return Invalid("the kernel's {} output features can't be cut in {} groups", kernel_out,
                   std::max(feature_groups, batch_groups));
  }
  if (known(batch) && batch % batch_groups != 0)
    return Invalid("a batch of {} can't be cut in batch_group_count={} groups", batch, batch_groups);

  DimVector sizes(spatial + 2, 0);
  DimVector output_roles = d.output_spatial;
  output_roles.push_back(d.output_batch);
  output_roles.push_back(d.output_feature);
  HLOIR_RETURN_IF_ERROR(ExpectDimensions(output_roles, static_cast<int64_t>(spatial) + 2, "dim_labels of the output"));
  sizes[d.output_batch] = known(batch) ? batch / batch_groups : batch;
  sizes[d.output_feature] = kernel_out;
  for (size_t i = 0; i < spatial; ++i) {
    int64_t kernel_size = kernel.dimensions(d.kernel_spatial[i]);
    if (known(kernel_size) && a.window[i].size != kernel_size) {
      return Invalid("the window's size {} in spatial dimension {} is not the kernel's {}", a.window[i].size, i,
                     kernel_size);
    }
    HLOIR_ASSIGN_OR_RETURN(sizes[d.output_spatial[i]], WindowedSize(input.dimensions(d.input_spatial[i]), a.window[i]));
  }
  HLOIR_ASSIGN_OR_RETURN(PrimitiveType type, ResultType(q));
  Shape result = MakeArray(type, sizes);
  CopyDynamism(input, d.input_batch, result, d.output_batch);
  CopyDynamism(kernel, d.kernel_output_feature, result, d.output_feature);
  for (size_t i = 0; i < spatial; ++i) CopyDynamism(input, d.input_spatial[i], result, d.output_spatial[i]);
  return result;
}

}  // namespace hloir::shape_inference
