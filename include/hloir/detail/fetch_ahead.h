// FetchAhead and InFetchedOrder: prefetching for loops over instructions and computations. Instructions of a parsed
// module lie one after the other in memory, and a loop over more of them than fit in the cache has a miss for each;
// prefetching some instructions ahead halves its time.
#pragma once

#include <type_traits>
#include <utility>

#include "hloir/computation.h"

#pragma GCC visibility push(default)

namespace hloir {

// For walks in another order whose next instructions are known in advance.
inline void Fetch(const HloInstruction* instruction) {
  for (int bytes : {0, 64, 128}) __builtin_prefetch(reinterpret_cast<const char*>(instruction) + bytes);
}

inline void FetchAhead(const HloInstruction* instruction) {
  for (int bytes : {2048, 2112, 2176}) __builtin_prefetch(reinterpret_cast<const char*>(instruction) + bytes);
}

// A range over a list of computations that prefetches the next ones, with their first callers and instructions: for
// (HloComputation* c : InFetchedOrder(module.PostOrder())).
template <class List>
class InFetchedOrder {
 public:
  explicit InFetchedOrder(List&& list) : list_(std::forward<List>(list)) {}

  class Iterator {
   public:
    Iterator(const std::remove_reference_t<List>& list, size_t at) : list_(&list), at_(at) {}
    auto operator*() const {
      constexpr size_t kFar = 16, kNear = 8;
      if (at_ + kFar < list_->size()) {
        const char* computation = reinterpret_cast<const char*>((*list_)[at_ + kFar]);
        for (int bytes : {0, 64, 128}) __builtin_prefetch(computation + bytes);
        const HloComputation& near = *(*list_)[at_ + kNear];
        if (near.callers().size() > 0) __builtin_prefetch(near.callers()[0]);
        Fetch(near.first());
      }
      return (*list_)[at_];
    }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const std::remove_reference_t<List>* list_;
    size_t at_;
  };
  Iterator begin() const { return {list_, 0}; }
  Iterator end() const { return {list_, list_.size()}; }

 private:
  List list_;
};
template <class List>
InFetchedOrder(List&&) -> InFetchedOrder<List>;

}  // namespace hloir

#pragma GCC visibility pop
