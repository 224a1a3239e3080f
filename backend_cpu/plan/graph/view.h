// View: an array as a strided part of another array that is stored row-major. Broadcasts, slices, transposes, reversals
// and most reshapes are views, and views compose, so these ops cost nothing until they are read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "hloir/attributes.h"
#include "hloir/detail/small_vector.h"

namespace hloir::cpu {

struct View {
  DimVector dims;
  DimVector strides;  // in elements of the underlying array; 0 for repeated dimensions, negative for reversed ones
  int64_t offset = 0;

  bool operator==(const View&) const = default;
  static View RowMajor(const DimVector& dims);
  // The view of an array of these dims with the layout `order`, major to minor; empty: row-major.
  static View InOrder(const DimVector& dims, const DimVector& order);
  int64_t count() const;
  // True if elements are contiguous and in order; `offset` is arbitrary.
  bool IsContiguous() const;
  // True if every element is the same.
  bool IsUniform() const;

  View Broadcast(const DimVector& to, const DimVector& dimensions) const;
  View Transpose(const DimVector& permutation) const;
  View Slice(const SliceRanges& ranges) const;
  View Reverse(const DimVector& dimensions) const;
  // nullopt if strides cannot express it; then the elements must be copied first.
  std::optional<View> Reshape(const DimVector& to) const;
  // For a view of a row-major array of these dims: the same elements after the array changes its layout. nullopt if
  // strides cannot express it.
  std::optional<View> Reorder(const DimVector& of, const DimVector& order) const;
  // The same elements in the same order with fewer dimensions: without those of size 1, and with adjacent dimensions
  // merged if their strides allow it.
  View Collapse() const;
};

// Collapses several views of the same dims together: dimensions merge only where they do in every view.
void CollapseTogether(std::span<View* const> views);

}  // namespace hloir::cpu
