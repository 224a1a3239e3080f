// PhysicalLayout: the offset of each element of an array in memory by its shape's layout: the order of dimensions,
// tiles over tiles (T(8,128)(2,1)), combined dimensions (`*`), packed elements (E(4)) and padding behind the end
// (L(1024)). These are XLA's semantics; values in this library are row-major regardless of layout (literal.h).
//
// Example, the first of XLA's page on tiled layouts:
//
//   StatusOr<PhysicalLayout> layout = PhysicalLayout::Of(shape);  // f32[3,5]{1,0:T(2,2)}
//   int64_t place = layout->LinearIndex({2, 3});                  // 17
//   layout->element_count();                                      // 24: the tiles at the edges are padded
//
// Not supported: sparse layouts, metadata of dynamic dimensions, and split configs, which do not affect offsets. Tested
// by tests/unit/physical_layout_test.cc.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <vector>

#include "hloir/shape.h"
#include "hloir/status.h"

namespace hloir {

// The offsets of an array's elements for the shape's layout (row-major if it has none).
class PhysicalLayout {
 public:
  // InvalidArgument: not an array, or inconsistent tiles. ResourceExhausted: more than 2^62 bits.
  static StatusOr<PhysicalLayout> Of(const Shape& shape);

  // The number of elements before the one at `index`, which must be in bounds.
  int64_t LinearIndex(const DimVector& index) const;
  // The same in bits, for packed elements.
  int64_t BitOffset(const DimVector& index) const { return LinearIndex(index) * element_bits_; }

  // The shape's dimensions major to minor, divided into tiles: f32[3,5]{1,0:T(2,2)} has {2, 3, 2, 2}.
  const DimVector& tiled_dimensions() const { return tiled_; }
  int64_t element_count() const { return element_count_; }  // padding included
  int64_t element_bits() const { return element_bits_; }
  int64_t byte_size() const { return (element_count_ * element_bits_ + 7) / 8; }
  // The stride of dimension `d` of the shape in elements, without tiles; 0 for size 1.
  int64_t UntiledStride(int64_t d) const { return strides_[static_cast<size_t>(d)]; }

 private:
  // One tile over the dimensions before it.
  struct Level {
    size_t first = 0;              // the first dimension that it covers
    std::vector<size_t> combined;  // the number of dimensions that each tile dimension covers: several with `*`
    DimVector covered;             // sizes of the covered dimensions
    DimVector sizes;               // of the tile
  };
  DimVector order_;  // major to minor
  DimVector tiled_, strides_;
  std::vector<Level> levels_;
  int64_t element_count_ = 0, element_bits_ = 8;
};

}  // namespace hloir
