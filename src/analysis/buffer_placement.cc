// See buffer_placement.h.
#include "analysis/buffer_placement.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace hloir {
namespace {

class Placer {
 public:
  explicit Placer(BufferAssignment::Computation& computation) : computation_(computation) {}

  // Largest first, each at the lowest offset that is free during its live range.
  void Place() {
    std::vector<int64_t> roots;  // values that share nothing
    std::vector<int64_t> last(computation_.values.size());
    for (size_t v = 0; v < computation_.values.size(); ++v) {
      last[v] = computation_.values[v].last;
      if (computation_.values[v].shares < 0 && computation_.values[v].in_heap) roots.push_back(static_cast<int64_t>(v));
    }
    // A value is defined after the value whose buffer it reuses.
    for (size_t v = computation_.values.size(); v-- > 0;) {
      if (const int64_t of = computation_.values[v].shares; of >= 0)
        last[static_cast<size_t>(of)] = std::max(last[static_cast<size_t>(of)], last[v]);
    }
    for (int64_t v : roots) computation_.unshared_bytes += computation_.values[static_cast<size_t>(v)].bytes;
    constexpr size_t kMostBySize = 20000;  // the search is quadratic; longer lists are placed in definition order
    if (roots.size() <= kMostBySize) {
      std::stable_sort(roots.begin(), roots.end(), [&](int64_t a, int64_t b) {
        return computation_.values[static_cast<size_t>(a)].bytes > computation_.values[static_cast<size_t>(b)].bytes;
      });
      PlaceBySize(roots, last);
    } else {
      PlaceInOrder(roots, last);
    }
    for (Value& value : computation_.values) {
      if (value.shares >= 0 && value.in_heap)
        value.offset = computation_.values[static_cast<size_t>(value.shares)].offset;
    }
  }

 private:
  using Value = BufferAssignment::Value;

  static int64_t Aligned(int64_t bytes) {
    constexpr int64_t kAlignment = 64;
    return bytes > std::numeric_limits<int64_t>::max() / 2 ? bytes : (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  void PlaceBySize(const std::vector<int64_t>& roots, const std::vector<int64_t>& last) {
    std::vector<int64_t> placed;  // by offset
    for (int64_t v : roots) {
      Value& value = computation_.values[static_cast<size_t>(v)];
      int64_t offset = 0;
      for (int64_t other : placed) {
        const Value& o = computation_.values[static_cast<size_t>(other)];
        if (o.first > last[static_cast<size_t>(v)] || last[static_cast<size_t>(other)] < value.first) continue;
        if (o.offset - offset >= value.bytes) break;
        offset = std::max(offset, o.offset + Aligned(o.bytes));
      }
      value.offset = offset;
      computation_.heap_bytes = std::max(computation_.heap_bytes, offset + value.bytes);
      const auto place = std::upper_bound(placed.begin(), placed.end(), offset, [&](int64_t at, int64_t other) {
        return at < computation_.values[static_cast<size_t>(other)].offset;
      });
      placed.insert(place, v);
    }
  }

  // In definition order, each in the smallest gap that is large enough.
  void PlaceInOrder(const std::vector<int64_t>& roots, const std::vector<int64_t>& last) {
    std::map<int64_t, int64_t> gaps;       // offset => bytes
    std::multimap<int64_t, int64_t> ends;  // last step => value
    int64_t top = 0;
    auto free_until = [&](int64_t step) {
      while (!ends.empty() && ends.begin()->first < step) {
        const Value& gone = computation_.values[static_cast<size_t>(ends.begin()->second)];
        ends.erase(ends.begin());
        auto it = gaps.emplace(gone.offset, Aligned(gone.bytes)).first;
        if (auto after = std::next(it); after != gaps.end() && it->first + it->second == after->first) {
          it->second += after->second;
          gaps.erase(after);
        }
        if (it != gaps.begin()) {
          if (auto before = std::prev(it); before->first + before->second == it->first) {
            before->second += it->second;
            gaps.erase(it);
          }
        }
      }
    };
    for (int64_t v : roots) {
      Value& value = computation_.values[static_cast<size_t>(v)];
      free_until(value.first);
      const int64_t bytes = Aligned(value.bytes);
      auto best = gaps.end();
      for (auto it = gaps.begin(); it != gaps.end(); ++it) {
        if (it->second >= bytes && (best == gaps.end() || it->second < best->second)) best = it;
      }
      if (best == gaps.end()) {
        value.offset = top;
        top += bytes;
      } else {
        value.offset = best->first;
        if (best->second > bytes) gaps.emplace(best->first + bytes, best->second - bytes);
        gaps.erase(best);
      }
      ends.emplace(last[static_cast<size_t>(v)], v);
      computation_.heap_bytes = std::max(computation_.heap_bytes, value.offset + value.bytes);
    }
  }

  BufferAssignment::Computation& computation_;
};

}  // namespace

void PlaceValues(BufferAssignment::Computation& computation) { Placer(computation).Place(); }

}  // namespace hloir
