// Arena: where a module's instructions, names and attributes live. Allocation is a pointer bump; everything goes at once
// when the module does. Objects with a destructor have it run then.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace hloir {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() {
    for (Cleanup* c = cleanups_; c != nullptr; c = c->next) c->destroy(c->object);
  }

  void* Allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
    size_t at = (used_ + alignment - 1) & ~(alignment - 1);
    if (at + bytes > capacity_) {
      capacity_ = std::max(bytes, std::min<size_t>(kMaxBlock, std::max<size_t>(kMinBlock, total_ / 4)));
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(capacity_));
      total_ += capacity_;
      at = 0;
    }
    used_ = at + bytes;
    return blocks_.back().get() + at;
  }
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
  static constexpr size_t kMinBlock = 4096, kMaxBlock = 16 << 20;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t used_ = 0, capacity_ = 0, total_ = 0;
  Cleanup* cleanups_ = nullptr;
};

// A growing list in an arena: pointer, size, capacity in 16 bytes. Its elements are never freed before the arena.
template <class T>
class ArenaVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  void reserve(Arena& arena, size_t capacity) {
    if (capacity <= capacity_) return;
    T* grown = static_cast<T*>(arena.Allocate(capacity * sizeof(T), alignof(T)));
    if (size_ > 0) std::memcpy(static_cast<void*>(grown), data_, size_ * sizeof(T));
    data_ = grown;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void push_back(Arena& arena, T value) {
    if (size_ == capacity_) reserve(arena, capacity_ == 0 ? 1 : 2 * size_t{capacity_});
    data_[size_++] = value;
  }
  void erase(size_t i) {
    for (size_t k = i + 1; k < size_; ++k) data_[k - 1] = data_[k];
    --size_;
  }
  void truncate(size_t size) { size_ = static_cast<uint32_t>(size); }

 private:
  T* data_ = nullptr;
  uint32_t size_ = 0, capacity_ = 0;
};

}  // namespace hloir
