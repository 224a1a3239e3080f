// A growing list with stable addresses, in few blocks of memory; access takes a shift.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace hloir::cpu {

template <class T>
class StableList {
  template <class List, class Element>
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;

    Iterator() = default;
    Iterator(List* list, size_t at) : list_(list), at_(at) {}
    Element& operator*() const { return (*list_)[at_]; }
    Element* operator->() const { return &(*list_)[at_]; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {list_, at_++}; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    List* list_ = nullptr;
    size_t at_ = 0;
  };

 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return blocks_[i / kBlock][i % kBlock]; }
  const T& operator[](size_t i) const { return blocks_[i / kBlock][i % kBlock]; }
  T& back() { return (*this)[size_ - 1]; }
  auto begin() { return Iterator<StableList, T>(this, 0); }
  auto end() { return Iterator<StableList, T>(this, size_); }
  auto begin() const { return Iterator<const StableList, const T>(this, 0); }
  auto end() const { return Iterator<const StableList, const T>(this, size_); }

  template <class... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ % kBlock == 0) blocks_.emplace_back().reserve(kBlock);
    ++size_;
    return blocks_.back().emplace_back(std::forward<Arguments>(arguments)...);
  }
  void push_back(const T& element) { emplace_back(element); }
  void push_back(T&& element) { emplace_back(std::move(element)); }
  // Truncates the list to `size` elements.
  void shrink(size_t size) {
    for (; size_ > size; --size_) {
      blocks_.back().pop_back();
      if (blocks_.back().empty()) blocks_.pop_back();
    }
  }

 private:
  static constexpr size_t kBlock = 8;  // most bodies of loops have few values

  std::vector<std::vector<T>> blocks_;  // full but for the last one
  size_t size_ = 0;
};

}  // namespace hloir::cpu
