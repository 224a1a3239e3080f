// View: where the elements of an array lie within another array that is stored row-major. Broadcasts, slices,
// transposes, reversals and most reshapes are views, and views of views are views; so they cost nothing until they are
// read.
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
  // Of an array of these dims that lies with order[0] major, order.back() minor; empty: row-major.
  static View InOrder(const DimVector& dims, const DimVector& order);
  int64_t count() const;
  // Elements lie side by side, in order; `offset` may be anything.
  bool IsContiguous() const;
  // Every element is the same one.
  bool IsUniform() const;

  View Broadcast(const DimVector& to, const DimVector& dimensions) const;
  View Transpose(const DimVector& permutation) const;
  View Slice(const SliceRanges& ranges) const;
  View Reverse(const DimVector& dimensions) const;
  // nullopt if no strides express it; then the elements have to be copied first.
  std::optional<View> Reshape(const DimVector& to) const;
  // Of a row-major array of these dims: the same elements, once that array lies in another order. nullopt if no strides
  // express it.
  std::optional<View> Reorder(const DimVector& of, const DimVector& order) const;
  // The same elements in the same order with fewer dimensions: without those of size 1, and with neighbours merged
  // where one goes on from the other.
  View Collapse() const;
};

// Collapses several views of the same dims together: dimensions merge only where they do in every view.
void CollapseTogether(std::span<View* const> views);

}  // namespace hloir::cpu
