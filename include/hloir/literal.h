// Literal: a value. An array literal holds its elements row-major, whatever its shape's layout says (a layout never
// changes what is computed), one element per StorageType; a tuple literal holds its elements' literals; a token holds
// nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hloir/shape.h"
#include "hloir/status.h"

namespace hloir {

class Literal {
 public:
  Literal() = default;
  // Zeros (and their kin: false, +0) of that shape; whoever takes shapes from outside checks ByteSize() first.
  explicit Literal(const Shape& shape);
  Literal(const Literal& other);
  Literal(Literal&&) noexcept = default;
  Literal& operator=(const Literal& other);
  Literal& operator=(Literal&&) noexcept = default;

  template <class T>
  static Literal Scalar(PrimitiveType type, T value) {
    Literal result(Shape::Scalar(type));
    PrimitiveTypeSwitch(type, [&](auto tag) {
      using S = typename decltype(tag)::Storage;
      result.data<S>()[0] = static_cast<S>(value);
    });
    return result;
  }
  static Literal Tuple(std::vector<Literal> elements);
  // The smallest and largest finite-or-infinite value of a real type: what max and min reductions start from.
  static Literal MinValue(PrimitiveType type);
  static Literal MaxValue(PrimitiveType type);
  static Literal Zero(PrimitiveType type) { return Literal(Shape::Scalar(type)); }
  static Literal One(PrimitiveType type);

  const Shape& shape() const { return shape_; }
  void set_shape_layout(const Shape& shape) { shape_ = shape; }  // same dimensions, another layout
  int64_t element_count() const { return element_count_; }
  int64_t size_bytes() const { return size_bytes_; }

  template <class T>
  std::span<T> data() {
    return {reinterpret_cast<T*>(data_.get()), static_cast<size_t>(element_count_)};
  }
  template <class T>
  std::span<const T> data() const {
    return {reinterpret_cast<const T*>(data_.get()), static_cast<size_t>(element_count_)};
  }
  std::byte* untyped_data() { return data_.get(); }
  const std::byte* untyped_data() const { return data_.get(); }

  std::vector<Literal>& elements() { return elements_; }
  const std::vector<Literal>& elements() const { return elements_; }
  // All leaves, depth first; the literal itself if it is no tuple.
  std::vector<const Literal*> Leaves() const;

  // The element at a row-major linear index, widened. Complex: the real part.
  double GetAsDouble(int64_t linear_index) const;
  int64_t GetAsInt64(int64_t linear_index) const;
  std::complex<double> GetAsComplex(int64_t linear_index) const;
  void SetFromDouble(int64_t linear_index, double value);
  void SetFromInt64(int64_t linear_index, int64_t value);

  // The text said `{...}`: the values are unknown (and read as zeros). Running such a constant needs the user's word.
  bool elided() const { return elided_; }
  void set_elided(bool elided) { elided_ = elided; }
  // Actual sizes of bounded dynamic dimensions; empty: all at their bounds.
  const DimVector& dynamic_sizes() const { return dynamic_sizes_; }
  void set_dynamic_sizes(DimVector sizes) { dynamic_sizes_ = std::move(sizes); }

  // Same shape (layout apart) and same bits; so NaN equals the same NaN, and -0 differs from +0.
  bool BitwiseEqual(const Literal& other) const;
  size_t Hash() const;
  // Every element equal, by value, to this number. False for tuples.
  bool IsAll(double value) const;
  bool IsAllSame() const;  // bitwise; false for no elements
  // The same value in another element type, by HLO's convert (in literal_convert.cc).
  Literal Convert(PrimitiveType type) const;
  // As HLO text writes it in `constant(…)`, without the shape: "{1, 2}".
  std::string ToString() const;

 private:
  struct FreeDeleter {
    void operator()(std::byte* p) const;
  };
  Shape shape_;
  int64_t element_count_ = 0;
  int64_t size_bytes_ = 0;
  bool elided_ = false;
  std::unique_ptr<std::byte[], FreeDeleter> data_;
  DimVector dynamic_sizes_;
  std::vector<Literal> elements_;
};

// HLO's convert, on `count` elements in their storage types: rounds to nearest even; floats to integers truncate and
// saturate, NaN gives 0; integers wrap; anything but zero is true. (In literal_convert.cc.)
void ConvertElements(PrimitiveType from, const void* in, PrimitiveType to, void* out, int64_t count);

}  // namespace hloir
