// See layout.h.
#include "inspect/layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace hloir {
namespace {

constexpr int kSweeps = 8;
constexpr double kPassWidth = 10, kColumnGap = 16, kRowGap = 34;

struct Rank {
  std::vector<int32_t> of;  // by box
  int32_t count = 0;
};

// The downward edges. Boxes are processed in topological order, or in a cycle the one with the lowest number first; an
// edge to an already processed box points up and is ignored.
std::vector<LayoutEdge> EdgesDown(int32_t boxes, std::span<const LayoutEdge> edges) {
  std::vector<std::vector<int32_t>> users(static_cast<size_t>(boxes));
  std::vector<int32_t> waits(static_cast<size_t>(boxes), 0), number(static_cast<size_t>(boxes), -1);
  for (const auto& [from, to] : edges)
    if (from != to) users[static_cast<size_t>(from)].push_back(to), ++waits[static_cast<size_t>(to)];
  std::set<int32_t> ready, rest;
  for (int32_t b = 0; b < boxes; ++b) (waits[static_cast<size_t>(b)] == 0 ? ready : rest).insert(b);
  for (int32_t n = 0; n < boxes; ++n) {
    std::set<int32_t>& from = ready.empty() ? rest : ready;
    const int32_t b = *from.begin();
    from.erase(from.begin());
    number[static_cast<size_t>(b)] = n;
    for (const int32_t user : users[static_cast<size_t>(b)])
      if (--waits[static_cast<size_t>(user)] == 0 && rest.erase(user) > 0) ready.insert(user);
  }
  std::vector<LayoutEdge> down;
  for (const auto& [from, to] : edges)
    if (number[static_cast<size_t>(from)] < number[static_cast<size_t>(to)]) down.push_back({from, to});
  // Sorted by the lower end's number, so that ranks are computed in one pass.
  std::sort(down.begin(), down.end(), [&](const LayoutEdge& a, const LayoutEdge& b) {
    return std::pair(number[static_cast<size_t>(a.first)], a.second) <
           std::pair(number[static_cast<size_t>(b.first)], b.second);
  });
  down.erase(std::unique(down.begin(), down.end()), down.end());
  return down;
}

// The rank of a box is one below the lowest of its operands; a box without operands is directly above its first user.
// `edges` are from EdgesDown.
Rank Ranks(int32_t boxes, std::span<const LayoutEdge> edges) {
  Rank rank;
  rank.of.assign(static_cast<size_t>(boxes), 0);
  std::vector<std::vector<int32_t>> users(static_cast<size_t>(boxes));
  std::vector<char> uses(static_cast<size_t>(boxes), 0);
  for (const auto& [from, to] : edges) {
    users[static_cast<size_t>(from)].push_back(to), uses[static_cast<size_t>(to)] = 1;
    rank.of[static_cast<size_t>(to)] =
        std::max(rank.of[static_cast<size_t>(to)], rank.of[static_cast<size_t>(from)] + 1);
  }
  for (size_t b = 0; b < users.size(); ++b) {
    if (!uses[b] && !users[b].empty()) {
      int32_t first = INT32_MAX;
      for (const int32_t user : users[b]) first = std::min(first, rank.of[static_cast<size_t>(user)]);
      rank.of[b] = first - 1;
    }
    rank.count = std::max(rank.count, rank.of[b] + 1);
  }
  return rank;
}

// Rows with their links to the row below, by position.
struct Rows {
  Layers rows;
  std::vector<std::vector<LayoutEdge>> links;  // [r]: entries of row r to entries of row r + 1, by index into rows[r]
};

Rows MakeRows(int32_t boxes, std::span<const LayoutEdge> edges) {
  const Rank rank = Ranks(boxes, edges);
  Rows made;
  made.rows.resize(static_cast<size_t>(rank.count)), made.links.resize(static_cast<size_t>(rank.count));
  std::vector<int32_t> place(static_cast<size_t>(boxes));
  std::vector<std::vector<int32_t>> users(static_cast<size_t>(boxes));
  for (int32_t b = 0; b < boxes; ++b) {
    std::vector<int32_t>& row = made.rows[static_cast<size_t>(rank.of[static_cast<size_t>(b)])];
    place[static_cast<size_t>(b)] = static_cast<int32_t>(row.size());
    row.push_back(b);
  }
  for (const auto& [from, to] : edges) users[static_cast<size_t>(from)].push_back(to);
  // The values of a box share one position in each row that they cross.
  for (int32_t b = 0; b < boxes; ++b) {
    int32_t last = -1;
    for (const int32_t user : users[static_cast<size_t>(b)]) last = std::max(last, rank.of[static_cast<size_t>(user)]);
    int32_t at = place[static_cast<size_t>(b)];
    for (int32_t r = rank.of[static_cast<size_t>(b)]; r < last; ++r) {
      for (const int32_t user : users[static_cast<size_t>(b)])
        if (rank.of[static_cast<size_t>(user)] == r + 1)
          made.links[static_cast<size_t>(r)].push_back({at, place[static_cast<size_t>(user)]});
      if (r + 1 == last) break;
      std::vector<int32_t>& below = made.rows[static_cast<size_t>(r) + 1];
      made.links[static_cast<size_t>(r)].push_back({at, static_cast<int32_t>(below.size())});
      at = static_cast<int32_t>(below.size());
      below.push_back(~b);
    }
  }
  return made;
}

int64_t Crossings(std::vector<std::pair<size_t, size_t>> links) {
  std::sort(links.begin(), links.end());
  int64_t crossings = 0;
  for (size_t a = 0; a < links.size(); ++a)
    for (size_t b = a + 1; b < links.size(); ++b) crossings += links[b].second < links[a].second;
  return crossings;
}

// Orders the entries of each row by the mean position of their links in the row above, then below, and so on; keeps the
// order with the fewest crossings. `position[r][k]`: the position of entry k of row r.
class Orderer {
 public:
  explicit Orderer(const Rows& rows) : rows_(rows) {
    for (const std::vector<int32_t>& row : rows.rows) {
      position_.emplace_back(row.size());
      std::iota(position_.back().begin(), position_.back().end(), size_t{0});
    }
  }

  Layers Run() {
    std::vector<std::vector<size_t>> best = position_;
    int64_t fewest = Count();
    for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t k = 1; k < position_.size(); ++k) Order(down ? k : position_.size() - 1 - k, down);
      if (const int64_t crossings = Count(); crossings < fewest) fewest = crossings, best = position_;
    }
    Layers layers;
    for (size_t r = 0; r < best.size(); ++r) {
      std::vector<int32_t>& row = layers.emplace_back(best[r].size());
      for (size_t k = 0; k < best[r].size(); ++k) row[best[r][k]] = rows_.rows[r][k];
    }
    return layers;
  }

 private:
  int64_t Count() const {
    int64_t crossings = 0;
    for (size_t r = 0; r + 1 < position_.size(); ++r) {
      std::vector<std::pair<size_t, size_t>> links;
      for (const auto& [a, b] : rows_.links[r])
        links.push_back({position_[r][static_cast<size_t>(a)], position_[r + 1][static_cast<size_t>(b)]});
      constexpr size_t kMostLinks = 2000;  // counting is quadratic
      if (links.size() <= kMostLinks) crossings += Crossings(std::move(links));
    }
    return crossings;
  }

  void Order(size_t r, bool from_above) {
    const size_t other = from_above ? r - 1 : r + 1;
    std::vector<std::pair<double, size_t>> sums(position_[r].size());
    for (const auto& [a, b] : rows_.links[from_above ? other : r]) {
      const auto here = static_cast<size_t>(from_above ? b : a), there = static_cast<size_t>(from_above ? a : b);
      sums[here].first += static_cast<double>(position_[other][there]), ++sums[here].second;
    }
    std::vector<size_t> order(position_[r].size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto wish = [&](size_t k) {
      return sums[k].second > 0 ? sums[k].first / static_cast<double>(sums[k].second)
                                : static_cast<double>(position_[r][k]);
    };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return wish(a) != wish(b) ? wish(a) < wish(b) : position_[r][a] < position_[r][b];
    });
    for (size_t k = 0; k < order.size(); ++k) position_[r][order[k]] = k;
  }

  const Rows& rows_;
  std::vector<std::vector<size_t>> position_;
};

// Places the centers of the entries of one row near their desired positions, in order and without overlap.
std::vector<double> Apart(const std::vector<double>& wish, const std::vector<double>& widths) {
  const size_t n = wish.size();
  std::vector<double> left = wish, right = wish;
  const auto apart = [&](size_t k) { return (widths[k] + widths[k + 1]) / 2 + kColumnGap; };
  for (size_t k = 1; k < n; ++k) left[k] = std::max(left[k], left[k - 1] + apart(k - 1));
  for (size_t k = n; k-- > 1;) right[k - 1] = std::min(right[k - 1], right[k] - apart(k - 1));
  for (size_t k = 0; k < n; ++k) left[k] = (left[k] + right[k]) / 2;
  return left;
}

}  // namespace

Layers FindLayers(int32_t boxes, std::span<const LayoutEdge> edges) {
  const std::vector<LayoutEdge> down = EdgesDown(boxes, edges);
  const Rows rows = MakeRows(boxes, down);
  return Orderer(rows).Run();
}

LayoutResult LayOut(const LayoutGraph& graph) {
  const auto boxes = static_cast<int32_t>(graph.sizes.size());
  const Layers layers = FindLayers(boxes, graph.edges);
  std::vector<std::vector<double>> widths, x;
  std::map<int32_t, std::pair<size_t, size_t>> at;  // entries that are boxes
  for (size_t r = 0; r < layers.size(); ++r) {
    std::vector<double>& row = widths.emplace_back();
    for (const int32_t entry : layers[r]) {
      if (entry >= 0) at[entry] = {r, row.size()};
      row.push_back(entry >= 0 ? graph.sizes[static_cast<size_t>(entry)].first : kPassWidth);
    }
    x.push_back(Apart(std::vector<double>(row.size(), 0.0), row));
  }
  // Moves boxes below their operands and above their users.
  std::vector<std::vector<int32_t>> near(graph.sizes.size());
  for (const auto& [from, to] : graph.edges)
    near[static_cast<size_t>(from)].push_back(to), near[static_cast<size_t>(to)].push_back(from);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (size_t k = 0; k < layers.size(); ++k) {
      const size_t r = sweep % 2 == 0 ? k : layers.size() - 1 - k;
      std::vector<double> wish = x[r];
      for (size_t e = 0; e < wish.size(); ++e) {
        const int32_t box = layers[r][e] >= 0 ? layers[r][e] : ~layers[r][e];
        double sum = 0;
        for (const int32_t other : near[static_cast<size_t>(box)]) sum += x[at[other].first][at[other].second];
        if (const size_t n = near[static_cast<size_t>(box)].size(); n > 0) wish[e] = sum / static_cast<double>(n);
      }
      x[r] = Apart(wish, widths[r]);
    }
  }
  LayoutResult result;
  result.centers.resize(graph.sizes.size());
  double left = 0, right = 0, y = 0;
  for (size_t r = 0; r < layers.size(); ++r) {
    double height = 0;
    for (const int32_t entry : layers[r])
      if (entry >= 0) height = std::max(height, graph.sizes[static_cast<size_t>(entry)].second);
    for (size_t e = 0; e < layers[r].size(); ++e) {
      left = std::min(left, x[r][e] - widths[r][e] / 2), right = std::max(right, x[r][e] + widths[r][e] / 2);
      if (layers[r][e] >= 0) result.centers[static_cast<size_t>(layers[r][e])] = {x[r][e], y + height / 2};
    }
    y += height + kRowGap;
  }
  for (auto& center : result.centers) center.first -= left;
  result.width = right - left, result.height = std::max(0.0, y - kRowGap);
  return result;
}

}  // namespace hloir
