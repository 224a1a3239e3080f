// Arena's slow path: another block. Covered by every test that makes a module.
#include "hloir/detail/arena.h"

#include <algorithm>

#include "support/huge_pages.h"

namespace hloir {
namespace {

constexpr size_t kMinBlock = 4096, kMaxBlock = 16 << 20;

}  // namespace

Arena::~Arena() {
  for (Cleanup* c = cleanups_; c != nullptr; c = c->next) c->destroy(c->object);
  for (auto [block, alignment] : blocks_) ::operator delete(block, alignment);
}

void* Arena::AllocateBlock(size_t bytes) {
  size_t capacity = std::max({bytes, reserved_, std::min(kMaxBlock, std::max(kMinBlock, total_ / 8))});
  reserved_ = 0;
  // Walks over a large module touch all of it. The gap before an aligned block costs up to a page.
  constexpr size_t kMostBeforeGap = 8;  // times the gap
  const bool is_huge = capacity >= kMostBeforeGap * kHugePage;
  const std::align_val_t alignment{is_huge ? kHugePage : alignof(std::max_align_t)};
  void* block = ::operator new(capacity, alignment);
  if (capacity >= kHugePage) WishForHugePages(block, capacity);
  blocks_.push_back({block, alignment});
  total_ += capacity;
  next_ = reinterpret_cast<uintptr_t>(block) + bytes;
  end_ = reinterpret_cast<uintptr_t>(block) + capacity;
  return block;
}

}  // namespace hloir
