// Shape: element type, dimensions and layout of an array, or a tuple of shapes. A value type; a module keeps one copy
// of each shape of its instructions. Layout: the order of an array's elements in memory; it never changes results.
//
// Threads: values; each thread uses its own, and any number may read one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hloir/detail/check.h"
#include "hloir/detail/small_vector.h"
#include "hloir/primitive_type.h"

#pragma GCC visibility push(default)
namespace hloir {

class Shape;

// One level of tiling of a layout: T(8,128).
struct Tile {
  static constexpr int64_t kCombine = INT64_MIN;  // `*`: this dimension is combined with the next more minor one
  DimVector dimensions;
  bool operator==(const Tile&) const = default;
};

// A dimension that is cut into parts at these indices.
struct SplitConfig {
  int64_t dimension = 0;
  DimVector split_indices;
  bool operator==(const SplitConfig&) const = default;
};

// Sparse-format marks of old dumps: one letter a dimension, and two flags.
struct DimLevel {
  char type = 'D';  // D dense, C compressed, S singleton, H loose compressed
  bool non_unique = false, non_ordered = false;
  bool operator==(const DimLevel&) const = default;
};

// Rare parts of a layout, stored separately to keep the common layout small.
struct LayoutExtras {
  std::vector<Tile> tiles;
  std::vector<DimLevel> dim_levels;
  int64_t tail_padding_alignment_in_elements = 1;
  PrimitiveType index_primitive_type = PrimitiveType::INVALID;
  PrimitiveType pointer_primitive_type = PrimitiveType::INVALID;
  int64_t element_size_in_bits = 0;
  int64_t memory_space = 0;
  std::vector<SplitConfig> split_configs;
  std::shared_ptr<const Shape> physical_shape;
  int64_t dynamic_shape_metadata_prefix_bytes = 0;
  bool operator==(const LayoutExtras& other) const;
};

// The order of an array's dimensions in memory, and for some devices tiles and more.
class Layout {
 public:
  Layout() = default;
  explicit Layout(DimVector minor_to_major) : minor_to_major_(std::move(minor_to_major)) {}
  static Layout MajorToMinor(int64_t rank);  // {rank-1, …, 1, 0}: row-major, the default

  const DimVector& minor_to_major() const { return minor_to_major_; }
  void set_minor_to_major(DimVector dims) { minor_to_major_ = std::move(dims); }
  bool has_extras() const { return extras_ != nullptr; }
  const LayoutExtras& extras() const;  // the defaults, if there are none
  void set_extras(LayoutExtras extras);
  bool IsMajorToMinor() const;
  bool operator==(const Layout& other) const;
  std::string ToString() const;

 private:
  DimVector minor_to_major_;
  std::shared_ptr<const LayoutExtras> extras_;
};

// The path to a leaf in nested tuples: {1,0} is element 0 of element 1; {} is the whole.
using ShapeIndex = DimVector;

// Element type, dimensions and layout of an array; or a tuple, token, opaque value or buffer.
class Shape {
 public:
  static constexpr int64_t kUnboundedSize = INT64_MIN;  // `?`

  Shape() = default;
  // An array without layout.
  Shape(PrimitiveType element_type, DimVector dimensions)
      : element_type_(element_type), dimensions_(std::move(dimensions)) {}
  // An array with the default, row-major layout.
  static Shape Array(PrimitiveType element_type, DimVector dimensions);
  static Shape Scalar(PrimitiveType element_type) { return Array(element_type, {}); }
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();
  static Shape Opaque();
  static Shape Buffer(Shape element);

  PrimitiveType element_type() const { return element_type_; }
  void set_element_type(PrimitiveType type) { element_type_ = type; }
  bool IsArray() const { return IsArrayType(element_type_); }
  bool IsTuple() const { return element_type_ == PrimitiveType::TUPLE; }
  bool IsToken() const { return element_type_ == PrimitiveType::TOKEN; }
  bool IsOpaque() const { return element_type_ == PrimitiveType::OPAQUE_TYPE; }
  bool IsBuffer() const { return element_type_ == PrimitiveType::BUFFER; }
  bool IsScalar() const { return IsArray() && dimensions_.empty(); }
  bool IsEffectiveScalar() const { return IsArray() && ElementCount() == 1; }

  int64_t rank() const { return static_cast<int64_t>(dimensions_.size()); }
  const DimVector& dimensions() const { return dimensions_; }
  int64_t dimensions(int64_t i) const { return dimensions_[Checked(i, rank())]; }
  void set_dimension(int64_t i, int64_t size) { dimensions_[Checked(i, rank())] = size; }
  // Bounded (`<=n`) or unbounded (`?`).
  bool is_dynamic_dimension(int64_t i) const { return i < 64 && (dynamic_mask_ >> i & 1) != 0; }
  void set_dynamic_dimension(int64_t i, bool dynamic);
  bool is_unbounded_dimension(int64_t i) const { return dimensions(i) == kUnboundedSize; }
  // No dynamic dimension, here or in any tuple element.
  bool IsStatic() const { return tuple_shapes_.empty() ? dynamic_mask_ == 0 : AreLeavesStatic(); }

  bool has_layout() const { return has_layout_; }
  const Layout& layout() const { return layout_; }
  void set_layout(Layout layout) { layout_ = std::move(layout), has_layout_ = true; }
  void clear_layout() { layout_ = Layout(), has_layout_ = false; }

  const std::vector<Shape>& tuple_shapes() const { return tuple_shapes_; }
  const Shape& tuple_shapes(int64_t i) const { return tuple_shapes_[Checked(i, tuple_size())]; }
  Shape& mutable_tuple_shape(int64_t i) { return tuple_shapes_[Checked(i, tuple_size())]; }
  int64_t tuple_size() const { return static_cast<int64_t>(tuple_shapes_.size()); }
  // The shape at `index`, or nullptr if there is none.
  const Shape* AtIndex(const ShapeIndex& index) const;
  // The array, token, opaque and buffer leaves, depth first. The shape itself if it is not a tuple.
  std::vector<const Shape*> Leaves() const;

  // Number of elements of an array (bounds for dynamic dimensions), saturating at INT64_MAX; 0 for other kinds.
  int64_t ElementCount() const;
  // Bytes of all leaves as a Literal stores them (types under a byte take one), saturating.
  int64_t ByteSize() const;

  bool operator==(const Shape& other) const;  // everything, layout included
  bool Compatible(const Shape& other) const;  // layout and bounds-of-dynamism apart
  bool SameDimensions(const Shape& other) const { return dimensions_ == other.dimensions_; }
  Shape WithElementType(PrimitiveType type) const;  // of an array: same dimensions and layout
  Shape WithoutLayout() const;
  Shape WithDefaultLayout() const;  // fills missing layouts, row-major, in all leaves
  size_t Hash() const;
  // As HLO text: "f32[2,3]{1,0}", "(s32[], pred[2]{0})".
  std::string ToString(bool with_layout = true) const;

 private:
  bool AreLeavesStatic() const;
  static size_t Checked(int64_t i, int64_t size) {
    HLOIR_CHECK(i >= 0 && i < size, "the shape has no such dimension or tuple element");
    return static_cast<size_t>(i);
  }

  PrimitiveType element_type_ = PrimitiveType::INVALID;
  bool has_layout_ = false;
  uint64_t dynamic_mask_ = 0;
  DimVector dimensions_;
  Layout layout_;
  std::vector<Shape> tuple_shapes_;
};

// Parameters and result of a computation.
struct ProgramShape {
  std::vector<Shape> parameters;
  Shape result;
  bool operator==(const ProgramShape&) const = default;
};

}  // namespace hloir
#pragma GCC visibility pop
