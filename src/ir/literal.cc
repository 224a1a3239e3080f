// Literals: storage, access and comparison. Their text is printer/literal.cc's and the parser's; convert is
// literal_convert.cc's.
#include "hloir/literal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "support/endian.h"
#include "support/format.h"
#include "support/hash.h"
#include "support/huge_pages.h"

namespace hloir {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kLarge = 4 << 20;  // blocks of at least this size are aligned to pages of 2 MB

// Rounds up to whole cache lines, so that vector kernels may read a full vector at the end. Uses calloc, because pages
// of a large block take no memory until they are written: an elided constant of gigabytes is free.
std::byte* AllocateZeroed(size_t bytes) {
  const size_t alignment = bytes >= kLarge ? kHugePage : kAlignment;
  const size_t rounded = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
  void* const block = std::calloc(rounded + alignment, 1);
  if (block == nullptr) throw std::bad_alloc();  // as the standard containers do
  std::byte* const aligned =
      reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(block) + alignment) & ~(alignment - 1));
  std::memcpy(aligned - sizeof(block), &block, sizeof(block));
  if (bytes >= kLarge) WishForHugePages(aligned, rounded);
  return aligned;
}

template <class T>
double ToDouble(T value) {
  return static_cast<double>(value);
}
template <class T>
double ToDouble(std::complex<T> value) {
  return static_cast<double>(value.real());
}

int64_t SaturateToInt64(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return INT64_MAX;
  if (value < -0x1p63) return INT64_MIN;
  return static_cast<int64_t>(value);
}

}  // namespace

void internal::LiteralDeleter::operator()(std::byte* p) const {
  if (borrowed) return;
  void* block;
  std::memcpy(&block, p - sizeof(block), sizeof(block));
  std::free(block);
}

Literal::Literal(const Shape& shape) : shape_(shape) {
  if (shape.IsTuple()) {
    elements_.reserve(shape.tuple_size());
    for (const Shape& element : shape.tuple_shapes()) elements_.emplace_back(element);
  } else if (shape.IsArray()) {
    element_count_ = shape.ElementCount();
    size_bytes_ = element_count_ * StorageBytes(shape.element_type());
    data_.reset(AllocateZeroed(static_cast<size_t>(size_bytes_)));
  }
}

Literal::Literal(const Literal& other)
    : shape_(other.shape_),
      element_count_(other.element_count_),
      size_bytes_(other.size_bytes_),
      elided_(other.elided_),
      dynamic_sizes_(other.dynamic_sizes_),
      elements_(other.elements_) {
  if (other.data_ != nullptr) {
    data_.reset(AllocateZeroed(static_cast<size_t>(size_bytes_)));
    if (!elided_) std::memcpy(data_.get(), other.data_.get(), static_cast<size_t>(size_bytes_));
  }
}

void Literal::Swap(Literal& other) noexcept {
  std::swap(shape_, other.shape_);
  std::swap(element_count_, other.element_count_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(elided_, other.elided_);
  std::swap(data_, other.data_);
  std::swap(dynamic_sizes_, other.dynamic_sizes_);
  std::swap(elements_, other.elements_);
}

namespace {

// Elements of complex types are aligned as their parts are.
size_t AlignmentOf(PrimitiveType type) { return static_cast<size_t>(StorageBytes(ComplexComponentType(type))); }

}  // namespace

StatusOr<Literal> Literal::Borrow(const Shape& shape, std::span<void* const> blocks) {
  const std::vector<const Shape*> leaves = shape.Leaves();
  if (leaves.size() != blocks.size()) {
    return InvalidArgument(Format("{} has {} arrays, not {}", shape.ToString(), leaves.size(), blocks.size()));
  }
  size_t next = 0;
  for (const Shape* leaf : leaves) {
    if (!leaf->IsArray()) return InvalidArgument(Format("{} has no elements to borrow", leaf->ToString()));
    const void* block = blocks[next];
    if (leaf->ByteSize() > 0 && block == nullptr) return InvalidArgument(Format("block {} does not exist", next));
    if (reinterpret_cast<uintptr_t>(block) % AlignmentOf(leaf->element_type()) != 0) {
      return InvalidArgument(Format("block {} is not aligned as {} is", next, PrimitiveTypeName(leaf->element_type())));
    }
    ++next;
  }
  next = 0;
  return BorrowChecked(shape, blocks, next);
}

Literal Literal::BorrowChecked(const Shape& shape, std::span<void* const> blocks, size_t& next) {
  Literal result;
  result.shape_ = shape;
  if (shape.IsTuple()) {
    result.elements_.reserve(static_cast<size_t>(shape.tuple_size()));
    for (const Shape& element : shape.tuple_shapes()) {
      result.elements_.push_back(BorrowChecked(element, blocks, next));
    }
    return result;
  }
  result.element_count_ = shape.ElementCount();
  result.size_bytes_ = shape.ByteSize();
  result.data_ =
      decltype(result.data_){static_cast<std::byte*>(blocks[next++]), internal::LiteralDeleter{.borrowed = true}};
  return result;
}

StatusOr<LiteralView> LiteralView::Make(const Shape& shape, std::span<const void* const> blocks) {
  // The view exposes the literal as const only.
  std::vector<void*> writable(blocks.size());
  std::memcpy(writable.data(), blocks.data(), blocks.size_bytes());
  HLOIR_ASSIGN_OR_RETURN(Literal literal, Literal::Borrow(shape, writable));
  return LiteralView(std::move(literal));
}

void Literal::Take(Literal value) {
  HLOIR_CHECK(shape_.Compatible(value.shape_), "a literal takes a value of its own shape");
  if (shape_.IsTuple()) {
    for (size_t i = 0; i < elements_.size(); ++i) elements_[i].Take(std::move(value.elements_[i]));
  } else if (is_borrowed()) {
    if (size_bytes_ > 0) std::memcpy(data_.get(), value.data_.get(), static_cast<size_t>(size_bytes_));
    dynamic_sizes_ = std::move(value.dynamic_sizes_);
  } else {
    *this = std::move(value);
  }
}

void Literal::set_shape_layout(const Shape& shape) {
  HLOIR_CHECK(shape.IsTuple() ? shape.tuple_size() == static_cast<int64_t>(elements_.size())
                              : shape.ElementCount() == element_count_ && shape.ByteSize() == size_bytes_,
              "a literal's new shape must have as many elements of the same size");
  shape_ = shape;
}

Literal& Literal::operator=(const Literal& other) {
  if (this != &other) *this = Literal(other);
  return *this;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Literal& element : elements) shapes.push_back(element.shape());
  Literal result;
  result.shape_ = Shape::Tuple(std::move(shapes));
  result.elements_ = std::move(elements);
  return result;
}

Literal Literal::MinValue(PrimitiveType type) {
  Literal result(Shape::Scalar(type));
  int bits = BitWidth(type);
  if (IsSigned(type)) result.SetFromInt64(0, bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1)));
  if (IsFloat(type)) {
    const FloatFormat format = GetFloatFormat(type);
    if (format.has_infinity) {
      result.SetFromDouble(0, -INFINITY);
    } else if (format.has_sign) {
      Literal largest = MaxValue(type);
      result.SetFromDouble(0, -largest.GetAsDouble(0));
    } else {
      result.SetFromDouble(0, format.has_zero ? 0 : std::ldexp(1.0, -format.bias));
    }
  }
  return result;
}

Literal Literal::MaxValue(PrimitiveType type) {
  Literal result(Shape::Scalar(type));
  int bits = BitWidth(type);
  if (type == PrimitiveType::PRED) result.SetFromInt64(0, 1);
  if (IsSigned(type)) result.SetFromInt64(0, bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1);
  if (IsUnsigned(type)) {
    if (bits == 64) result.data<uint64_t>()[0] = UINT64_MAX;
    else result.SetFromInt64(0, (int64_t{1} << bits) - 1);
  }
  if (IsFloat(type)) {
    if (GetFloatFormat(type).has_infinity) {
      result.SetFromDouble(0, INFINITY);
    } else {
      // Without an infinity: the largest number among all bit patterns, of which there are at most 256.
      float largest = 0;
      for (uint32_t i = 0; i < (1u << bits); ++i) {
        float value = DecodeSmallFloat(type, static_cast<uint16_t>(i));
        if (value > largest) largest = value;
      }
      result.SetFromDouble(0, static_cast<double>(largest));
    }
  }
  return result;
}

Literal Literal::One(PrimitiveType type) {
  Literal result(Shape::Scalar(type));
  if (type == PrimitiveType::PRED || IsInteger(type)) result.SetFromInt64(0, 1);
  else result.SetFromDouble(0, 1);
  return result;
}

std::vector<const Literal*> Literal::Leaves() const {
  std::vector<const Literal*> leaves, stack{this};
  while (!stack.empty()) {
    const Literal* top = stack.back();
    stack.pop_back();
    if (!top->shape_.IsTuple()) {
      leaves.push_back(top);
      continue;
    }
    for (auto it = top->elements_.rbegin(); it != top->elements_.rend(); ++it) stack.push_back(&*it);
  }
  return leaves;
}

double Literal::GetAsDouble(int64_t i) const {
  CheckIndex(i);
  return PrimitiveTypeSwitch(shape_.element_type(),
                             [&](auto tag) { return ToDouble(data<typename decltype(tag)::Storage>()[i]); });
}

int64_t Literal::GetAsInt64(int64_t i) const {
  CheckIndex(i);
  return PrimitiveTypeSwitch(shape_.element_type(), [&](auto tag) -> int64_t {
    using S = typename decltype(tag)::Storage;
    if constexpr (std::is_integral_v<S>) return static_cast<int64_t>(data<S>()[i]);
    else return SaturateToInt64(ToDouble(data<S>()[i]));
  });
}

std::complex<double> Literal::GetAsComplex(int64_t i) const {
  CheckIndex(i);
  if (shape_.element_type() == PrimitiveType::C64) return std::complex<double>(data<std::complex<float>>()[i]);
  if (shape_.element_type() == PrimitiveType::C128) return data<std::complex<double>>()[i];
  return GetAsDouble(i);
}

void Literal::SetFromDouble(int64_t i, double value) {
  CheckIndex(i);
  PrimitiveTypeSwitch(shape_.element_type(), [&](auto tag) {
    using S = typename decltype(tag)::Storage;
    if constexpr (std::is_same_v<S, bool>) data<S>()[i] = value != 0;
    else if constexpr (std::is_integral_v<S>) SetFromInt64(i, SaturateToInt64(value));
    else if constexpr (std::is_same_v<S, std::complex<float>>) data<S>()[i] = static_cast<float>(value);
    else data<S>()[i] = S(value);
  });
}

void Literal::SetFromInt64(int64_t i, int64_t value) {
  CheckIndex(i);
  PrimitiveTypeSwitch(shape_.element_type(), [&](auto tag) {
    using S = typename decltype(tag)::Storage;
    constexpr int kUnused = 64 - BitWidth(decltype(tag)::kType);
    // Modulo 2^bits: 1 is -1 in s1, whose storage has room for more.
    if constexpr (std::is_same_v<S, bool>) data<S>()[i] = value != 0;
    else if constexpr (std::is_signed_v<S> && std::is_integral_v<S>)
      data<S>()[i] = static_cast<S>(static_cast<int64_t>(static_cast<uint64_t>(value) << kUnused) >> kUnused);
    else if constexpr (std::is_integral_v<S>)
      data<S>()[i] = static_cast<S>(static_cast<uint64_t>(value) << kUnused >> kUnused);
    else SetFromDouble(i, static_cast<double>(value));
  });
}

bool Literal::BitwiseEqual(const Literal& other) const {
  if (!shape_.Compatible(other.shape_) || elided_ != other.elided_ || dynamic_sizes_ != other.dynamic_sizes_)
    return false;
  if (shape_.IsTuple()) {
    for (size_t i = 0; i < elements_.size(); ++i) {
      if (!elements_[i].BitwiseEqual(other.elements_[i])) return false;
    }
    return true;
  }
  return size_bytes_ == 0 || std::memcmp(data_.get(), other.data_.get(), static_cast<size_t>(size_bytes_)) == 0;
}

size_t Literal::Hash() const {
  uint64_t hash = static_cast<uint64_t>(shape_.element_type()) + 1;
  for (int64_t size : shape_.dimensions()) hash = Mix(hash, static_cast<uint64_t>(size));
  for (const Literal& element : elements_) hash = Mix(hash, element.Hash());
  const size_t words = static_cast<size_t>(size_bytes_) / 8;
  const std::byte* data = data_.get();
  std::vector<std::byte> swapped;
  if constexpr (kBigEndian) {  // the same hash on every machine
    const size_t parts = IsComplex(shape_.element_type()) ? 2 : 1;
    swapped.resize(static_cast<size_t>(size_bytes_));
    CopyLittleEndian(swapped.data(), data, swapped.size(),
                     swapped.size() / std::max<size_t>(element_count_ * parts, 1));
    data = swapped.data();
  }
  for (size_t i = 0; i < words; ++i) hash = Mix(hash, LoadLittleEndian<uint64_t>(data + 8 * i));
  for (size_t i = 8 * words; i < static_cast<size_t>(size_bytes_); ++i)
    hash = Mix(hash, static_cast<uint64_t>(data[i]));
  return static_cast<size_t>(hash);
}

bool Literal::IsAll(double value) const {
  if (!shape_.IsArray() || elided_) return false;
  for (int64_t i = 0; i < element_count_; ++i) {
    if (IsComplex(shape_.element_type())) {
      if (GetAsComplex(i) != std::complex<double>(value)) return false;
    } else if (GetAsDouble(i) != value) {
      return false;
    }
  }
  return true;
}

bool Literal::IsAllSame() const {
  if (!shape_.IsArray() || elided_ || element_count_ == 0) return false;
  const size_t step = static_cast<size_t>(size_bytes_ / element_count_);
  for (size_t at = step; at < static_cast<size_t>(size_bytes_); at += step) {
    if (std::memcmp(data_.get(), data_.get() + at, step) != 0) return false;
  }
  return true;
}

}  // namespace hloir
