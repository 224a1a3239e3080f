// Merging of buffers, and packing of their lifetimes into an arena. See buffers.h.
#include "plan/schedule/buffers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace hloir::cpu {
namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kSmall = 4096;     // small ones are packed by a fast first fit
constexpr size_t kMaxSorted = 4000;  // and large ones above this number

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct Item {
  int32_t id, first, last;
  int64_t bytes, offset;
};

// Placed items: those with overlapping live ranges do not overlap in memory.
class Room {
 public:
  // The best-fitting place for the item among those that are placed.
  int64_t PlaceFor(const Item& item) {
    taken_.clear();
    for (const Item* other : placed_) {
      if (other->first <= item.last && item.first <= other->last)
        taken_.emplace_back(other->offset, other->offset + other->bytes);
    }
    int64_t at = 0, best = -1, best_room = INT64_MAX;
    for (auto [begin, end] : taken_) {
      if (begin - at >= item.bytes && begin - at < best_room) best = at, best_room = begin - at;
      at = std::max(at, end);
    }
    return best >= 0 ? best : at;
  }
  void Add(const Item& item) {
    placed_.insert(std::upper_bound(placed_.begin(), placed_.end(), &item,
                                    [](const Item* a, const Item* b) { return a->offset < b->offset; }),
                   &item);
  }

 private:
  std::vector<const Item*> placed_;  // by offset
  std::vector<std::pair<int64_t, int64_t>> taken_;
};

void SortBySize(std::vector<Item>& items) {
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
}

// Largest first, each at the lowest free offset beside items with overlapping live ranges.
int64_t PackBySize(std::vector<Item>& items) {
  Room room;
  int64_t top = 0;
  for (Item& item : items) {
    item.offset = room.PlaceFor(item);
    top = std::max(top, item.offset + item.bytes);
    room.Add(item);
  }
  return top;
}

// A result's memory is free until it is written, so values that are dead by then may use it. Largest first, each in the
// smallest result with room. Removes placed items from `items`, which are sorted by size.
void PackIntoResults(std::vector<Buffer>& buffers, std::vector<Item>& items) {
  constexpr int64_t kWorthwhile = 1 << 16;  // the steps that access it are bound again in each run
  constexpr size_t kMostHosts = 64;
  int64_t all = 0;
  for (const Item& item : items) all += item.bytes;
  if (all < kWorthwhile) return;
  std::vector<Item> hosts;
  for (size_t id = 0; id < buffers.size(); ++id) {
    const Buffer& buffer = buffers[id];
    if (buffer.kind != Buffer::kResult || buffer.live.empty() || buffer.bytes < kSmall) continue;
    hosts.push_back({static_cast<int32_t>(id), buffer.live.front().first, 0, buffer.bytes, 0});
  }
  SortBySize(hosts);
  if (hosts.size() > kMostHosts) hosts.resize(kMostHosts);
  std::vector<Room> rooms(hosts.size());
  std::vector<Item> hosted;
  hosted.reserve(items.size());  // rooms point to them
  std::erase_if(items, [&](const Item& item) {
    for (size_t h = hosts.size(); h-- > 0;) {
      const Item& host = hosts[h];
      if (host.bytes < item.bytes || host.first <= item.last ||
          buffers[static_cast<size_t>(item.id)].alignment > buffers[static_cast<size_t>(host.id)].alignment)
        continue;
      const int64_t offset = rooms[h].PlaceFor(item);
      if (offset + item.bytes > host.bytes) continue;
      Item& placed = hosted.emplace_back(item);
      placed.offset = offset;
      rooms[h].Add(placed);
      buffers[static_cast<size_t>(item.id)].host = host.id;
      buffers[static_cast<size_t>(item.id)].offset = offset;
      return true;
    }
    return false;
  });
}

// Free ranges between placed items. They come and go with each item, so the nodes of those that went are used again.
class Holes {
 public:
  // The offset of the smallest hole with room, which is taken from it; -1: there is none.
  int64_t Take(int64_t bytes) {
    const auto fit = by_size_.lower_bound({bytes, 0});
    if (fit == by_size_.end()) return -1;
    const auto [room, offset] = *fit;
    Erase(by_offset_.find(offset));
    if (room > bytes) Insert(offset + bytes, room - bytes);
    return offset;
  }

  // Joins the range with the holes on both sides of it.
  void Free(int64_t offset, int64_t bytes) {
    auto next = by_offset_.lower_bound(offset);
    if (next != by_offset_.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = Erase(next);
    }
    if (next != by_offset_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        Erase(before);
      }
    }
    Insert(offset, bytes);
  }

 private:
  using ByOffset = std::map<int64_t, int64_t>;           // offset -> bytes
  using BySize = std::set<std::pair<int64_t, int64_t>>;  // bytes, offset

  ByOffset::iterator Erase(ByOffset::iterator hole) {
    spare_.emplace_back(ByOffset::node_type(), by_size_.extract({hole->second, hole->first}));
    const auto next = std::next(hole);
    spare_.back().first = by_offset_.extract(hole);
    return next;
  }

  void Insert(int64_t offset, int64_t bytes) {
    if (spare_.empty()) {
      by_offset_.emplace(offset, bytes);
      by_size_.emplace(bytes, offset);
      return;
    }
    auto [hole, size] = std::move(spare_.back());
    spare_.pop_back();
    hole.key() = offset, hole.mapped() = bytes;
    size.value() = {bytes, offset};
    by_offset_.insert(std::move(hole));
    by_size_.insert(std::move(size));
  }

  ByOffset by_offset_;
  BySize by_size_;
  std::vector<std::pair<ByOffset::node_type, BySize::node_type>> spare_;
};

// In order of definition, best fit among the free ranges.
int64_t PackInOrder(std::vector<Item>& items) {
  std::vector<Item*> births, deaths;
  births.reserve(items.size()), deaths.reserve(items.size());
  for (Item& item : items) births.push_back(&item), deaths.push_back(&item);
  std::stable_sort(births.begin(), births.end(), [](const Item* a, const Item* b) { return a->first < b->first; });
  std::stable_sort(deaths.begin(), deaths.end(), [](const Item* a, const Item* b) { return a->last < b->last; });
  Holes holes;
  int64_t top = 0;
  size_t dead = 0;
  for (Item* item : births) {
    for (; dead < deaths.size() && deaths[dead]->last < item->first; ++dead)
      holes.Free(deaths[dead]->offset, deaths[dead]->bytes);
    item->offset = holes.Take(item->bytes);
    if (item->offset >= 0) continue;
    item->offset = top;
    top += item->bytes;
  }
  return top;
}

}  // namespace

int32_t BufferTable::Add(Buffer::Kind kind, int64_t bytes, int64_t alignment) {
  Buffer& buffer = buffers_.emplace_back();
  buffer.kind = kind;
  buffer.bytes = bytes;
  buffer.alignment = alignment;
  return static_cast<int32_t>(buffers_.size() - 1);
}

int32_t BufferTable::Representative(int32_t id) const {
  while (buffers_[id].merged_into >= 0) id = buffers_[id].merged_into;
  return id;
}

void BufferTable::Touch(int32_t id, int32_t time) {
  auto& live = buffers_[id].live;
  if (live.empty()) live.push_back({time, time});
  else live.back().last = std::max(live.back().last, time);
}

void BufferTable::Restart(int32_t id, int32_t time) { buffers_[id].live.push_back({time, time}); }

// True if in the step at `time` every result in `to` may share memory with the operands in `from`; results without
// later readers may already do so.
bool BufferTable::StepAllows(int32_t time, int32_t from, int32_t to) const {
  if (step_at_[time] < 0) return false;
  const Step& step = *steps_[step_at_[time]].first;
  const int count = static_cast<int>(step.refs().size());
  SmallVector<int, 4> results;
  for (int w = step.first_written(); w < count; ++w) {
    const int32_t buffer = step.refs()[w].buffer;
    if (buffer < 0) continue;
    const int32_t representative = Representative(buffer);
    if (representative == from) return false;
    if (representative == to) results.push_back(w);
  }
  bool found = false;
  for (int r = 0; !results.empty() && r < step.first_written(); ++r) {
    const Ref& read = step.refs()[r];
    if (read.buffer < 0 || Representative(read.buffer) != from) continue;
    for (const int w : results) {
      if (read.offset != 0 || step.refs()[w].offset != 0 || !step.MayShare(r, w)) return false;
      found = true;
    }
  }
  return found;
}

bool BufferTable::MayMerge(int32_t a, int32_t b) const {
  if (a == b) return false;
  const Buffer &from = buffers_[a], &to = buffers_[b];
  if (from.kind != Buffer::kArena || (to.kind != Buffer::kArena && to.kind != Buffer::kResult)) return false;
  if (from.bytes != to.bytes) return false;
  for (const Buffer::Segment& x : from.live) {
    for (const Buffer::Segment& y : to.live) {
      if (x.last < y.first || y.last < x.first) continue;
      if (x.last == y.first && StepAllows(x.last, a, b)) continue;
      if (y.last == x.first && StepAllows(y.last, b, a)) continue;
      return false;
    }
  }
  return true;
}

void BufferTable::Merge(int32_t from, int32_t to) {
  buffers_[from].merged_into = to;
  if (buffers_[to].kind == Buffer::kArena)
    buffers_[to].alignment = std::max(buffers_[to].alignment, buffers_[from].alignment);
  auto& live = buffers_[to].live;
  for (const Buffer::Segment& segment : buffers_[from].live) live.push_back(segment);
  std::sort(live.begin(), live.end(), [](const Buffer::Segment& x, const Buffer::Segment& y) {
    return x.first != y.first ? x.first < y.first : x.last < y.last;
  });
  // Neighbours that touch become one.
  size_t kept = 0;
  for (size_t i = 1; i < live.size(); ++i) {
    if (live[i].first <= live[kept].last) live[kept].last = std::max(live[kept].last, live[i].last);
    else live[++kept] = live[i];
  }
  live.resize(kept + 1);
}

bool BufferTable::IsAliveAround(int32_t id, int32_t time) const {
  return std::any_of(buffers_[id].live.begin(), buffers_[id].live.end(),
                     [&](const Buffer::Segment& segment) { return segment.first < time && time < segment.last; });
}

void BufferTable::MergeAll() {
  step_at_.assign(time_ + 1, -1);
  for (size_t i = 0; i < steps_.size(); ++i) step_at_[steps_[i].second] = static_cast<int32_t>(i);
  // Latest first: a loop's copies back into its carries, and copies into results, follow the computation of their
  // values.
  for (size_t i = steps_.size(); i-- > 0;) {
    const auto& [step, time] = steps_[i];
    const int count = static_cast<int>(step->refs().size());
    // What is alive both before and after the step shares memory with nothing of it.
    const auto may_merge = [&, time = time](const Ref& ref) {
      return ref.buffer >= 0 && ref.offset == 0 && !IsAliveAround(Representative(ref.buffer), time);
    };
    SmallVector<int, 16> reads;
    for (int r = 0; r < step->first_written(); ++r)
      if (may_merge(step->refs()[r])) reads.push_back(r);
    for (int w = step->first_written(); w < count && !reads.empty(); ++w) {
      const Ref& written = step->refs()[w];
      if (!may_merge(written)) continue;
      for (const int& r : reads) {
        int32_t from = Representative(step->refs()[r].buffer), to = Representative(written.buffer);
        // A result's buffer is the caller's, so the other one is merged into it.
        if (buffers_[from].kind == Buffer::kResult && buffers_[to].kind == Buffer::kArena) std::swap(from, to);
        if (!step->MayShare(r, w) || !MayMerge(from, to)) continue;
        Merge(from, to);
        if (!IsAliveAround(to, time)) continue;
        reads.erase(&r);
        break;
      }
    }
  }
}

int64_t BufferTable::Assign() {
  MergeAll();
  std::vector<Item> big, small;
  for (int32_t id = 0; id < static_cast<int32_t>(buffers_.size()); ++id) {
    const Buffer& buffer = buffers_[id];
    if (buffer.kind != Buffer::kArena || buffer.merged_into >= 0 || buffer.live.empty()) continue;
    Item item{id, buffer.live.front().first, buffer.live.back().last, Aligned(std::max<int64_t>(1, buffer.bytes)), 0};
    for (const Buffer::Segment& segment : buffer.live) item.last = std::max(item.last, segment.last);
    (item.bytes >= kSmall ? big : small).push_back(item);
  }
  SortBySize(big);
  PackIntoResults(buffers_, big);
  const int64_t base = big.size() <= kMaxSorted ? PackBySize(big) : PackInOrder(big);
  const int64_t top = base + PackInOrder(small);
  for (const Item& item : big) buffers_[item.id].offset = item.offset;
  for (const Item& item : small) buffers_[item.id].offset = base + item.offset;
  return top;
}

// The arena's size, then for each buffer where it went: merged, in a result's memory, or in the arena.
std::vector<int64_t> BufferTable::Assigned(int64_t arena_bytes) const {
  std::vector<int64_t> words = {arena_bytes};
  words.reserve(1 + 3 * buffers_.size());
  for (int32_t id = 0; id < static_cast<int32_t>(buffers_.size()); ++id) {
    const Buffer& buffer = buffers_[static_cast<size_t>(id)];
    words.insert(words.end(), {buffer.merged_into < 0 ? -1 : Representative(id), buffer.host, buffer.offset});
  }
  return words;
}

bool BufferTable::AssignAs(std::span<const int64_t> words, int64_t* arena_bytes) {
  const auto count = static_cast<int64_t>(buffers_.size());
  if (words.size() != 1 + 3 * buffers_.size() || words[0] < 0) return false;
  for (int64_t id = 0; id < count; ++id) {
    const Buffer& buffer = buffers_[static_cast<size_t>(id)];
    const int64_t into = words[static_cast<size_t>(1 + 3 * id)], host = words[static_cast<size_t>(2 + 3 * id)],
                  offset = words[static_cast<size_t>(3 + 3 * id)];
    if (into < -1 || into >= count || host < -1 || host >= count || offset < 0) return false;
    if (into >= 0) {
      if (words[static_cast<size_t>(1 + 3 * into)] >= 0) return false;
    } else if (host >= 0) {
      const Buffer& result = buffers_[static_cast<size_t>(host)];
      if (result.kind != Buffer::kResult || offset > result.bytes - buffer.bytes) return false;
    } else if (buffer.kind == Buffer::kArena && !buffer.live.empty() && offset > words[0] - buffer.bytes) {
      return false;
    }
  }
  for (int64_t id = 0; id < count; ++id) {
    Buffer& buffer = buffers_[static_cast<size_t>(id)];
    buffer.merged_into = static_cast<int32_t>(words[static_cast<size_t>(1 + 3 * id)]);
    buffer.host = static_cast<int32_t>(words[static_cast<size_t>(2 + 3 * id)]);
    buffer.offset = words[static_cast<size_t>(3 + 3 * id)];
  }
  *arena_bytes = words[0];
  return true;
}

}  // namespace hloir::cpu
