// Literal: a value. An array literal holds its elements row-major, whatever its shape's layout (a layout never changes
// results), one element per StorageType; a tuple literal holds its elements' literals; a token holds nothing.
//
// Threads: values; each thread uses its own, and any number may read one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hloir/shape.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

namespace internal {
// Frees owned memory; leaves borrowed memory alone.
struct LiteralDeleter {
  bool borrowed = false;
  void operator()(std::byte* p) const;
};
}  // namespace internal

// A value: an array with its elements, or a tuple of literals.
class Literal {
 public:
  Literal() = default;
  // Zeros (false, +0) of that shape; check ByteSize() first if the shape comes from outside.
  explicit Literal(const Shape& shape);
  // A copy owns its elements, also if the original borrows them.
  Literal(const Literal& other);
  Literal& operator=(const Literal& other);
  // A moved-from literal equals a default-constructed one.
  Literal(Literal&& other) noexcept { Swap(other); }
  Literal& operator=(Literal&& other) noexcept {
    if (this != &other) Literal(std::move(other)).Swap(*this);
    return *this;
  }

  // A literal whose elements are in memory of the caller, one block for each array of the shape, depth first; the
  // memory must outlive it. Each block is row-major, one StorageType an element, Shape::ByteSize() bytes, and aligned
  // as its elements are. HloExecutable::RunInto writes a result there. InvalidArgument if the blocks do not fit the
  // shape, or if it has leaves other than arrays.
  static StatusOr<Literal> Borrow(const Shape& shape, std::span<void* const> blocks);
  static StatusOr<Literal> Borrow(const Shape& shape, void* block) { return Borrow(shape, std::span(&block, 1)); }
  bool is_borrowed() const { return data_.get_deleter().borrowed; }
  // Assigns a value of the same shape: copies it into borrowed leaves, moves it into owned ones.
  void Take(Literal value);

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
  // The smallest and largest value of a real type, infinities included: initial values of max and min reductions.
  static Literal MinValue(PrimitiveType type);
  static Literal MaxValue(PrimitiveType type);
  static Literal Zero(PrimitiveType type) { return Literal(Shape::Scalar(type)); }
  static Literal One(PrimitiveType type);

  const Shape& shape() const { return shape_; }
  // Replaces the shape, keeping the elements: the new shape must have the same number of elements of the same size, for
  // example with another layout.
  void set_shape_layout(const Shape& shape);
  int64_t element_count() const { return element_count_; }
  int64_t size_bytes() const { return size_bytes_; }

  // The elements of an array, row-major. T: the StorageType of its element type.
  template <class T>
  std::span<T> data() {
    CheckStorage<T>();
    return {reinterpret_cast<T*>(data_.get()), static_cast<size_t>(element_count_)};
  }
  template <class T>
  std::span<const T> data() const {
    CheckStorage<T>();
    return {reinterpret_cast<const T*>(data_.get()), static_cast<size_t>(element_count_)};
  }
  std::byte* untyped_data() { return data_.get(); }
  const std::byte* untyped_data() const { return data_.get(); }

  std::vector<Literal>& elements() { return elements_; }
  const std::vector<Literal>& elements() const { return elements_; }
  // All leaves, depth first; the literal itself if it is not a tuple.
  std::vector<const Literal*> Leaves() const;

  // The element at a row-major linear index of an array, widened. Complex: the real part.
  double GetAsDouble(int64_t linear_index) const;
  int64_t GetAsInt64(int64_t linear_index) const;
  std::complex<double> GetAsComplex(int64_t linear_index) const;
  void SetFromDouble(int64_t linear_index, double value);
  void SetFromInt64(int64_t linear_index, int64_t value);

  // True for a constant whose text is `{...}`: the values are unknown (and read as zeros). A run refuses such a
  // constant unless EvaluatorOptions::elided gives it values.
  bool elided() const { return elided_; }
  void set_elided(bool elided) { elided_ = elided; }
  // Actual sizes of bounded dynamic dimensions; empty: all at their bounds.
  const DimVector& dynamic_sizes() const { return dynamic_sizes_; }
  void set_dynamic_sizes(DimVector sizes) { dynamic_sizes_ = std::move(sizes); }

  // Equal shapes (except for layouts) and equal bits: a NaN equals the same NaN, and -0 differs from +0.
  bool BitwiseEqual(const Literal& other) const;
  size_t Hash() const;
  // Every element equal, by value, to this number. False for tuples.
  bool IsAll(double value) const;
  bool IsAllSame() const;  // bitwise; false for no elements
  // The same value in another element type, by HLO's convert (in literal_convert.cc).
  Literal Convert(PrimitiveType type) const;
  // As in HLO text inside `constant(…)`, without the shape: "{1, 2}".
  std::string ToString() const;

 private:
  void Swap(Literal& other) noexcept;
  static Literal BorrowChecked(const Shape& shape, std::span<void* const> blocks, size_t& next);
  void CheckIndex(int64_t i) const {
    HLOIR_CHECK(i >= 0 && i < element_count_, "the literal has no element of that index");
  }
  template <class T>
  void CheckStorage() const {
    HLOIR_CHECK(IsStoredAs<T>(shape_.element_type()), "the literal stores its elements as another type");
  }
  Shape shape_;
  int64_t element_count_ = 0;
  int64_t size_bytes_ = 0;
  bool elided_ = false;
  std::unique_ptr<std::byte[], internal::LiteralDeleter> data_;
  DimVector dynamic_sizes_;
  std::vector<Literal> elements_;
};

// LiteralView: an input in memory of the caller, read in place. Use it for any parameter of type const Literal*. It
// must outlive that call; the memory must outlive the view and not change.
//
//   HLOIR_ASSIGN_OR_RETURN(LiteralView x, LiteralView::Make(Shape::Array(PrimitiveType::F32, {2, 3}), floats));
//   HLOIR_ASSIGN_OR_RETURN(Literal result, executable->Run(std::array{x.get()}));
class LiteralView {
 public:
  // As Literal::Borrow.
  static StatusOr<LiteralView> Make(const Shape& shape, std::span<const void* const> blocks);
  static StatusOr<LiteralView> Make(const Shape& shape, const void* block) { return Make(shape, std::span(&block, 1)); }
  const Literal* get() const { return &literal_; }
  const Literal& operator*() const { return literal_; }
  const Literal* operator->() const { return &literal_; }

 private:
  explicit LiteralView(Literal literal) : literal_(std::move(literal)) {}
  Literal literal_;
};

// HLO's convert, on `count` elements in their storage types: rounds to nearest even; floats to integers truncate and
// saturate, NaN gives 0; integers wrap; anything but zero is true. (In literal_convert.cc.)
void ConvertElements(PrimitiveType from, const void* in, PrimitiveType to, void* out, int64_t count);

}  // namespace hloir
#pragma GCC visibility pop
