// The arithmetic of strides behind view.h.
#include "plan/graph/view.h"

#include <cstdlib>
#include <vector>

#include "reference/index.h"

namespace hloir::cpu {

View View::RowMajor(const DimVector& dims) {
  View view{dims, DimVector(dims.size()), 0};
  if (view.count() == 0) return view;  // strides of 0: others might overflow
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) view.strides[i] = stride, stride *= dims[i];
  return view;
}

View View::InOrder(const DimVector& dims, const DimVector& order) {
  if (order.empty()) return RowMajor(dims);
  DimVector sizes, where(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    sizes.push_back(dims[order[i]]);
    where[order[i]] = static_cast<int64_t>(i);
  }
  return RowMajor(sizes).Transpose(where);
}

int64_t View::count() const { return reference::Product(dims); }

bool View::IsContiguous() const {
  if (count() == 0) return true;
  int64_t expected = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= dims[i];
  }
  return true;
}

bool View::IsUniform() const {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1 && strides[i] != 0) return false;
  }
  return true;
}

View View::Broadcast(const DimVector& to, const DimVector& dimensions) const {
  View view{to, DimVector(to.size(), 0), offset};
  for (size_t i = 0; i < dimensions.size(); ++i) {
    // HLO's broadcast may stretch a dimension of size 1.
    view.strides[dimensions[i]] = dims[i] == to[dimensions[i]] ? strides[i] : 0;
  }
  return view;
}

View View::Transpose(const DimVector& permutation) const {
  View view{dims, strides, offset};
  for (size_t i = 0; i < permutation.size(); ++i) {
    view.dims[i] = dims[permutation[i]];
    view.strides[i] = strides[permutation[i]];
  }
  return view;
}

View View::Slice(const SliceRanges& ranges) const {
  View view = *this;
  for (size_t i = 0; i < dims.size(); ++i) {
    view.offset += ranges[i].start * strides[i];
    // Avoids sums that could overflow: an array without elements may have dimensions of any size.
    const int64_t length = ranges[i].limit - ranges[i].start;
    view.dims[i] = length > 0 ? (length - 1) / ranges[i].stride + 1 : 0;
    view.strides[i] *= ranges[i].stride;
  }
  return view;
}

View View::Reverse(const DimVector& dimensions) const {
  View view = *this;
  for (int64_t d : dimensions) {
    view.offset += (dims[d] - 1) * strides[d];
    view.strides[d] = -strides[d];
  }
  return view;
}

std::optional<View> View::Reshape(const DimVector& to) const {
  View result{to, DimVector(to.size(), 0), offset};
  if (count() == 0) return result;
  View from = Collapse();
  // Groups of source and target dimensions with equal products correspond; within a group the source must be one
  // dimension.
  size_t i = 0, j = 0;
  while (j < to.size()) {
    if (to[j] == 1) {
      ++j;
      continue;
    }
    if (i >= from.dims.size()) return std::nullopt;
    int64_t rest = from.dims[i];
    size_t end = j;
    for (; end < to.size() && rest > 1; ++end) {
      if (rest % to[end] != 0) return std::nullopt;
      rest /= to[end];
    }
    if (rest != 1) return std::nullopt;
    int64_t stride = from.strides[i];
    for (size_t k = end; k-- > j;) result.strides[k] = stride, stride *= to[k];
    j = end;
    ++i;
  }
  return result;
}

std::optional<View> View::Reorder(const DimVector& of, const DimVector& order) const {
  if (count() == 0) return *this;
  // Dimensions that stay adjacent are merged.
  View from = RowMajor(of), to = InOrder(of, order);
  View* const both[] = {&from, &to};
  CollapseTogether(both);
  const size_t rank = from.dims.size();
  DimVector low(rank), high(rank);
  View result = *this;
  result.offset = 0;
  for (size_t d = 0; d < rank; ++d) {
    low[d] = high[d] = offset / from.strides[d] % from.dims[d];
    result.offset += low[d] * to.strides[d];
  }
  // Each dimension of the view must be along one dimension of the array, and within its bounds.
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t stride = std::abs(strides[i]);
    if (dims[i] == 1 || stride == 0) continue;
    size_t d = 0;
    while (d < rank && stride < from.strides[d]) ++d;
    if (d == rank || stride % from.strides[d] != 0) return std::nullopt;
    const int64_t step = strides[i] / from.strides[d];
    (step > 0 ? high[d] : low[d]) += step * (dims[i] - 1);
    if (low[d] < 0 || high[d] >= from.dims[d]) return std::nullopt;
    result.strides[i] = step * to.strides[d];
  }
  return result;
}

// CollapseTogether for one view, without its lists, which took 5 % of the preparation time.
View View::Collapse() const {
  View view{{}, {}, offset};
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    if (!view.dims.empty() && view.strides.back() == strides[d] * dims[d]) {
      view.dims.back() *= dims[d];
      view.strides.back() = strides[d];
    } else {
      view.dims.push_back(dims[d]);
      view.strides.push_back(strides[d]);
    }
  }
  return view;
}

void CollapseTogether(std::span<View* const> views) {
  if (views.empty()) return;
  const DimVector dims = views[0]->dims;
  DimVector merged;
  std::vector<DimVector> strides(views.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    bool joins = !merged.empty();
    for (size_t v = 0; joins && v < views.size(); ++v) {
      joins = strides[v].back() == views[v]->strides[d] * dims[d];
    }
    if (joins) {
      merged.back() *= dims[d];
      for (size_t v = 0; v < views.size(); ++v) strides[v].back() = views[v]->strides[d];
    } else {
      merged.push_back(dims[d]);
      for (size_t v = 0; v < views.size(); ++v) strides[v].push_back(views[v]->strides[d]);
    }
  }
  for (size_t v = 0; v < views.size(); ++v) {
    views[v]->dims = merged;
    views[v]->strides = strides[v];
  }
}

}  // namespace hloir::cpu
