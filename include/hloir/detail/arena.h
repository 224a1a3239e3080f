// Arena: the memory of a module's instructions, names and attributes. Allocation increments a pointer; all memory is
// freed with the module, which also runs the destructors of objects that have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace hloir {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  void* Allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
    const uintptr_t at = (next_ + alignment - 1) & ~(alignment - 1);
    if (at + bytes > end_) return AllocateBlock(bytes);
    next_ = at + bytes;
    return reinterpret_cast<void*>(at);
  }
  // Sets the minimal size of the next block, for callers that can estimate their allocations.
  void Reserve(size_t bytes) { reserved_ = bytes; }
  template <class T, class... Args>
  T* New(Args&&... args) {
    T* object = new (Allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
    if constexpr (!std::is_trivially_destructible_v<T>) {
      cleanups_ = new (Allocate(sizeof(Cleanup), alignof(Cleanup)))
          Cleanup{object, [](void* p) { static_cast<T*>(p)->~T(); }, cleanups_};
    }
    return object;
  }
  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    char* bytes = static_cast<char*>(Allocate(text.size(), 1));
    std::memcpy(bytes, text.data(), text.size());
    return {bytes, text.size()};
  }
  size_t bytes() const { return total_; }

 private:
  struct Cleanup {
    void* object;
    void (*destroy)(void*);
    Cleanup* next;
  };
  struct Block {
    void* memory;
    std::align_val_t alignment;
  };
  void* AllocateBlock(size_t bytes);

  std::vector<Block> blocks_;
  uintptr_t next_ = 0, end_ = 0;  // the free part of the last block
  size_t total_ = 0, reserved_ = 0;
  Cleanup* cleanups_ = nullptr;
};

// A growing list of pointers in an arena, 16 bytes large. A list of one element stores it in place of the array's
// address, as most lists have one. Its elements are never freed before the arena.
template <class T>
class ArenaVector {
  static_assert(std::is_pointer_v<T>);

 public:
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return capacity_ > 1 ? many_ : &one_; }
  T* end() { return begin() + size_; }
  const T* begin() const { return capacity_ > 1 ? many_ : &one_; }
  const T* end() const { return begin() + size_; }
  const T* data() const { return begin(); }
  T& operator[](size_t i) { return begin()[i]; }
  const T& operator[](size_t i) const { return begin()[i]; }
  T& back() { return begin()[size_ - 1]; }
  // `before`: the number of bytes in front of the elements reserved for the caller.
  void reserve(Arena& arena, size_t capacity, size_t before = 0) {
    if (capacity <= capacity_) return;
    std::byte* room = static_cast<std::byte*>(arena.Allocate(before + capacity * sizeof(T), alignof(T)));
    T* grown = reinterpret_cast<T*>(room + before);
    std::memcpy(grown, begin(), size_ * sizeof(T));
    many_ = grown;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void push_back(Arena& arena, T value) {
    if (size_ == capacity_) reserve(arena, 2 * size_t{capacity_});
    begin()[size_++] = value;
  }
  void erase(size_t i) {
    T* const items = begin();
    for (size_t k = i + 1; k < size_; ++k) items[k - 1] = items[k];
    --size_;
  }
  void truncate(size_t size) { size_ = static_cast<uint32_t>(size); }

 private:
  union {
    T one_ = nullptr;
    T* many_;  // of a capacity over 1
  };
  uint32_t size_ = 0, capacity_ = 1;
};

}  // namespace hloir
#pragma GCC visibility pop
