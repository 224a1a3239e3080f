// See orders.h.
#include "layout/orders.h"

#include <algorithm>

#include "hloir/rewrite_util.h"

namespace hloir::layout {

Order RowMajor(int64_t rank) {
  Order order;
  for (int64_t d = rank; d-- > 0;) order.push_back(d);
  return order;
}

Order OrderOf(const Shape& shape) {
  return shape.has_layout() ? shape.layout().minor_to_major() : RowMajor(shape.rank());
}

bool IsPlain(const Shape& shape) {
  return shape.IsArray() && shape.IsStatic() && (!shape.has_layout() || !shape.layout().has_extras());
}

Shape WithOrder(Shape shape, const Order& order) {
  Layout layout = shape.has_layout() ? shape.layout() : Layout();
  layout.set_minor_to_major(order);
  shape.set_layout(std::move(layout));
  return shape;
}

bool SamePlaces(const Shape& shape, const Order& a, const Order& b) {
  size_t i = 0, j = 0;
  for (;; ++i, ++j) {
    while (i < a.size() && shape.dimensions(a[i]) == 1) ++i;
    while (j < b.size() && shape.dimensions(b[j]) == 1) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a[i] != b[j]) return false;
  }
}

DimVector Major(const Order& order) {
  DimVector major(order.begin(), order.end());
  std::reverse(major.begin(), major.end());
  return major;
}

DimVector Inverse(const DimVector& permutation) {
  DimVector inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return inverse;
}

Order ThroughTranspose(const Order& operand, const DimVector& permutation) {
  const DimVector where = Inverse(permutation);
  Order result;
  for (int64_t d : operand) result.push_back(where[static_cast<size_t>(d)]);
  return result;
}

Order Without(const Order& operand, const DimVector& dimensions) {
  Order result;
  for (int64_t d : operand) {
    if (Contains(dimensions, d)) continue;
    int64_t left = d;
    for (int64_t gone : dimensions) left -= gone < d;
    result.push_back(left);
  }
  return result;
}

Order BroadcastOperand(const Order& result, const DimVector& dimensions) {
  Order operand;
  for (int64_t d : result) {
    for (size_t k = 0; k < dimensions.size(); ++k)
      if (dimensions[k] == d) operand.push_back(static_cast<int64_t>(k));
  }
  return operand;
}

// The two lists of sizes are cut into the shortest runs of equal products. A run moves as a whole if it is contiguous
// and row-major in the operand; a run of a single dimension on both sides has no condition.
std::optional<Order> ThroughReshape(const DimVector& from, const Order& order, const DimVector& to) {
  struct Run {
    DimVector from, to;
  };
  std::vector<Run> runs;
  DimVector ones;  // of `to`
  std::vector<int64_t> run_of(from.size(), -1);
  size_t i = 0, j = 0;
  for (;;) {
    while (i < from.size() && from[i] == 1) ++i;
    while (j < to.size() && to[j] == 1) ones.push_back(static_cast<int64_t>(j++));
    if (i == from.size() || j == to.size()) break;
    Run run;
    int64_t a = from[i], b = to[j];
    run.from.push_back(static_cast<int64_t>(i++));
    run.to.push_back(static_cast<int64_t>(j++));
    while (a != b) {
      if (a == 0 || b == 0) return std::nullopt;
      if (a < b) {
        if (i == from.size()) return std::nullopt;
        if (from[i] != 1) run.from.push_back(static_cast<int64_t>(i));
        a *= from[i++];
      } else {
        if (j == to.size()) return std::nullopt;
        if (to[j] != 1) run.to.push_back(static_cast<int64_t>(j));
        else ones.push_back(static_cast<int64_t>(j));
        b *= to[j++];
      }
    }
    for (int64_t d : run.from) run_of[static_cast<size_t>(d)] = static_cast<int64_t>(runs.size());
    runs.push_back(std::move(run));
  }
  if (i != from.size() || j != to.size()) return std::nullopt;

  Order result;
  for (size_t k = 0; k < order.size();) {
    const int64_t r = run_of[static_cast<size_t>(order[k])];
    if (r < 0) {
      ++k;
      continue;
    }
    const Run& run = runs[static_cast<size_t>(r)];
    for (size_t n = run.from.size(); n-- > 0; ++k) {
      while (k < order.size() && run_of[static_cast<size_t>(order[k])] < 0) ++k;
      if (k == order.size() || order[k] != run.from[n]) return std::nullopt;
    }
    for (size_t n = run.to.size(); n-- > 0;) result.push_back(run.to[n]);
  }
  // Dimensions of size 1 are major, the first the most.
  std::sort(ones.begin(), ones.end());
  for (size_t n = ones.size(); n-- > 0;) result.push_back(ones[n]);
  // Row-major, where that is the same.
  const Order plain = RowMajor(static_cast<int64_t>(to.size()));
  return SamePlaces(Shape(PrimitiveType::PRED, to), result, plain) ? plain : result;
}

Order OrderOfWindows(const HloInstruction& i, const Order& order, const Order& operand, const Order& indices) {
  const bool gathers = i.opcode() == HloOpcode::kGather;
  const GatherAttributes* g = gathers ? &i.attributes<GatherAttributes>() : nullptr;
  const ScatterAttributes* s = gathers ? nullptr : &i.attributes<ScatterAttributes>();
  const DimVector& windows = gathers ? g->offset_dims : s->update_window_dims;
  const DimVector& collapsed = gathers ? g->collapsed_slice_dims : s->inserted_window_dims;
  const DimVector& batching = gathers ? g->operand_batching_dims : s->input_batching_dims;
  const int64_t vector = gathers ? g->index_vector_dim : s->index_vector_dim;
  // The dimension of the operand or the indices for each window dimension and each other dimension.
  DimVector of_operand, others, of_indices;
  for (int64_t d = 0; d < i.operand(0)->shape().rank(); ++d)
    if (!Contains(collapsed, d) && !Contains(batching, d)) of_operand.push_back(d);
  for (int64_t d = 0; d < static_cast<int64_t>(order.size()); ++d)
    if (!Contains(windows, d)) others.push_back(d);
  for (int64_t d = 0; d < i.operand(1)->shape().rank(); ++d)
    if (d != vector) of_indices.push_back(d);
  auto sorted = [](const DimVector& dims, const DimVector& of, const Order& by) {
    const DimVector where = Inverse(Major(by));
    DimVector places, result;
    for (size_t k = 0; k < dims.size(); ++k) places.push_back(static_cast<int64_t>(k));
    std::sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
      return where[static_cast<size_t>(of[static_cast<size_t>(a)])] <
             where[static_cast<size_t>(of[static_cast<size_t>(b)])];
    });
    for (int64_t k : places) result.push_back(dims[static_cast<size_t>(k)]);
    return result;
  };
  const DimVector in_windows = sorted(windows, of_operand, operand), outside = sorted(others, of_indices, indices);
  DimVector major = Major(order);
  size_t next_window = 0, next_other = 0;
  for (int64_t& d : major) d = Contains(windows, d) ? in_windows[next_window++] : outside[next_other++];
  return Major(major);
}

Shape Physical(const Shape& shape) {
  DimVector sizes;
  for (int64_t d : Major(OrderOf(shape))) sizes.push_back(shape.dimensions(d));
  return Shape::Array(shape.element_type(), sizes);
}

}  // namespace hloir::layout
