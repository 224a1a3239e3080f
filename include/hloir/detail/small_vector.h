// SmallVector<T, N>: a vector of a trivially copyable T that keeps up to N elements in place. DimVector, its one
// common use, holds dimension numbers and sizes: almost every HLO list of those has at most four.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>

#pragma GCC visibility push(default)
namespace hloir {

template <class T, uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() {}
  SmallVector(std::initializer_list<T> values) { Assign(values.begin(), values.size()); }
  explicit SmallVector(size_t size, T value = T{}) { resize(size, value); }
  SmallVector(std::span<const T> values) { Assign(values.data(), values.size()); }
  template <class It>
  requires(!std::is_integral_v<It>) SmallVector(It first, It last) {
    for (; first != last; ++first) push_back(*first);
  }
  SmallVector(const SmallVector& other) { Assign(other.data(), other.size()); }
  SmallVector(SmallVector&& other) noexcept { Take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) size_ = 0, Assign(other.data(), other.size());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) Free(), Take(other);
    return *this;
  }
  ~SmallVector() { Free(); }

  T* data() { return capacity_ > N ? heap_ : inline_; }
  const T* data() const { return capacity_ > N ? heap_ : inline_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool is_inline() const { return capacity_ <= N; }  // it owns no memory
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    uint32_t grown = static_cast<uint32_t>(std::max<size_t>(capacity, 2 * size_t{capacity_}));
    T* heap = static_cast<T*>(std::malloc(grown * sizeof(T)));
    if (size_ > 0) std::memcpy(heap, data(), size_ * sizeof(T));
    if (capacity_ > N) std::free(heap_);
    heap_ = heap;
    capacity_ = grown;
  }
  void push_back(T value) {
    if (size_ == capacity_) reserve(size_ + 1);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(size_t size, T value = T{}) {
    reserve(size);
    for (size_t i = size_; i < size; ++i) data()[i] = value;
    size_ = static_cast<uint32_t>(size);
  }
  T* insert(const T* at, T value) {
    size_t i = at - data();
    push_back(value);
    std::rotate(data() + i, data() + size_ - 1, data() + size_);
    return data() + i;
  }
  T* erase(const T* at) {
    size_t i = at - data();
    std::copy(data() + i + 1, data() + size_, data() + i);
    --size_;
    return data() + i;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator<(const SmallVector& a, const SmallVector& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  void Assign(const T* values, size_t size) {
    reserve(size);
    if (size > 0) std::memcpy(data(), values, size * sizeof(T));
    size_ = static_cast<uint32_t>(size);
  }
  // Both access the active member of the union, or copy uninitialized bytes; GCC 12 warns about both (false positives).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
  void Take(SmallVector& other) {
    size_ = other.size_;
    capacity_ = other.capacity_;
    if (capacity_ > N) heap_ = other.heap_;
    else std::memcpy(inline_, other.inline_, sizeof(inline_));
    other.size_ = 0;
    other.capacity_ = N;
  }
  void Free() {
    if (capacity_ > N) std::free(heap_);
  }
#pragma GCC diagnostic pop

  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  union {
    T inline_[N];
    T* heap_;
  };
};

using DimVector = SmallVector<int64_t, 4>;

inline bool Contains(const DimVector& list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

}  // namespace hloir
#pragma GCC visibility pop
