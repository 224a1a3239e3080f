// PhysicalLayout: where each element of an array lies in memory by its shape's layout: the order of dimensions, tiles
// over tiles (T(8,128)(2,1)), combined dimensions (`*`), packed elements (E(4)) and padding behind the end (L(1024)).
// On paper, as XLA means it: the values of this library lie row-major whatever their layout says (literal.h).
//
// Example, the first of XLA's page on tiled layouts:
//
//   StatusOr<PhysicalLayout> layout = PhysicalLayout::Of(shape);  // f32[3,5]{1,0:T(2,2)}
//   int64_t place = layout->LinearIndex({2, 3});                  // 17
//   layout->element_count();                                      // 24: the tiles at the edges are padded
//
// Leaves out: sparse layouts, dynamic dimensions' metadata and split configs, which place nothing within an array.
// Tested by tests/unit/physical_layout_test.cc.
//
// Threads: a value.
#pragma once

#include <cstdint>
#include <vector>

#include "hloir/shape.h"
#include "hloir/status.h"

namespace hloir {

// The places of an array's elements, from the shape's layout (row-major if it has none).
class PhysicalLayout {
 public:
  // InvalidArgument: no array, or tiles that do not fit. ResourceExhausted: more than 2^62 bits.
  static StatusOr<PhysicalLayout> Of(const Shape& shape);

  // The number of elements before the one at `index`, which has a number in bounds for each dimension of the shape.
  int64_t LinearIndex(const DimVector& index) const;
  // The same in bits, which packed elements need; divided by 8 the address of all others.
  int64_t BitOffset(const DimVector& index) const { return LinearIndex(index) * element_bits_; }

  // The shape's dimensions major to minor, divided into tiles: f32[3,5]{1,0:T(2,2)} has {2, 3, 2, 2}.
  const DimVector& tiled_dimensions() const { return tiled_; }
  int64_t element_count() const { return element_count_; }  // padding included
  int64_t element_bits() const { return element_bits_; }
  int64_t byte_size() const { return (element_count_ * element_bits_ + 7) / 8; }
  // Elements side by side in memory along dimension `d` of the shape are so far apart, tiles aside; 0: of size 1.
  int64_t UntiledStride(int64_t d) const { return strides_[static_cast<size_t>(d)]; }

 private:
  // One tile over the dimensions that there are before it.
  struct Level {
    size_t first = 0;              // the first dimension that it covers
    std::vector<size_t> combined;  // how many dimensions each of the tile's covers: more than one behind `*`
    DimVector covered;             // sizes of the covered dimensions
    DimVector sizes;               // of the tile
  };
  DimVector order_;  // major to minor
  DimVector tiled_, strides_;
  std::vector<Level> levels_;
  int64_t element_count_ = 0, element_bits_ = 8;
};

}  // namespace hloir
