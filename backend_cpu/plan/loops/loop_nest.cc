// See loop_nest.h.
#include "plan/loops/loop_nest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "plan/capability/kernel_choice.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kLineElements = 64;    // fill whole cache lines, of any type
constexpr int64_t kMinRow = 64;          // shorter rows are not worth a kernel call each
constexpr int64_t kLeastRunOf = 16;      // elements
constexpr int64_t kLeastRunsTile = 512;  // of an operand in runs: a tile's fixed cost is that of some runs
constexpr int64_t kViewTile = 2048, kRowsTile = 8192, kLongRowTile = 32768, kRowTiles = 64;

// The number of elements in as many of the view's runs as a tile should have, which begins with a run; 0: it has no
// runs, or rows of another view are better tiles.
int64_t RunsTile(const View& view, std::span<const View> views, int64_t most) {
  const size_t rank = view.dims.size();
  const int64_t length = view.dims[rank - 1], runs = rank > 1 ? view.dims[rank - 2] : 0;
  if (runs == 0 || length < kLeastRunOf || length > kLongestRun || view.strides[rank - 1] != 1 ||
      view.strides[rank - 2] <= length)
    return 0;
  for (const View& other : views)
    if (length >= kMinRow && !(other == view) && !(other.strides[0] == 0 && other.strides.back() == 1)) return 0;
  int64_t together = std::min(runs, most / length);
  while (together > 0 && runs % together != 0) --together;
  return together * length < kLeastRunsTile ? 0 : together * length;
}

// Sizes of loops, outermost first, along which the reductions and as many views as possible have strides. A view that
// would make rows shorter than kMinRow is loaded along the view instead, as is one whose few rows are transposed; or in
// runs, of which a tile has up to `most` elements.
DimVector CommonDims(int64_t count, const ReduceShape* reduce, std::span<const View> views, int64_t most) {
  using Sizes = SmallVector<int64_t, 16>;
  Sizes boundaries{1, count};  // ascending; each divides the next
  auto add = [&](std::span<const int64_t> wanted) {
    Sizes joined = boundaries;
    for (int64_t size : wanted) joined.push_back(size);
    std::sort(joined.begin(), joined.end());
    joined.resize(static_cast<size_t>(std::unique(joined.begin(), joined.end()) - joined.begin()));
    for (size_t i = 1; i < joined.size(); ++i)
      if (joined[i] % joined[i - 1] != 0) return;
    boundaries = std::move(joined);
  };
  if (reduce != nullptr) add(Sizes{reduce->inner, reduce->inner * reduce->reduced});
  for (const View& view : views) {
    Sizes wanted;
    for (size_t d = view.dims.size(), suffix = 1; d-- > 1;)
      wanted.push_back(static_cast<int64_t>(suffix *= view.dims[d]));
    if (const int64_t tile = reduce == nullptr ? RunsTile(view, views, most) : 0; tile > 0) wanted[0] = tile;
    if (wanted[0] >= kMinRow && !LoadsTransposed(view)) add(wanted);
  }
  DimVector dims;
  for (size_t i = boundaries.size(); i-- > 1;) dims.push_back(boundaries[i] / boundaries[i - 1]);
  return dims;
}

}  // namespace

LoopSpace ChooseNest(int64_t count, const ReduceShape* reduce, std::span<const View> views, int64_t max_tile,
                     bool rows_alone, bool few) {
  LoopSpace space;
  LoopNest& nest = space.nest;
  DimVector& dims = space.dims;
  const int64_t most = few ? std::max(kViewTile, max_tile) : max_tile;
  dims = CommonDims(count, reduce, views, most);
  space.flat = dims.empty() || dims.back() < kMinRow;
  if (rows_alone && reduce->reduced > max_tile) {
    max_tile = std::max(max_tile, std::min(kLongRowTile, count / kRowTiles));
  } else if (rows_alone) {
    // The fixed cost of a tile is paid once for several rows; there are enough rows for all threads, or little to do.
    const int64_t share = std::max(kViewTile, reduce->outer / kRowTiles * reduce->reduced);
    max_tile = std::max(max_tile, std::min(kRowsTile, share));
    if (max_tile >= 2 * reduce->reduced) space.flat = true;
  }
  if (space.flat) {
    // Loops over the kept outer part, if the part after it is reduced as one; otherwise all is one row.
    const bool rows = reduce != nullptr && reduce->inner == 1 && reduce->reduced <= max_tile;
    const int64_t outer = reduce != nullptr && !rows ? reduce->outer : 1;
    dims = outer > 1 ? DimVector{outer, count / outer} : DimVector{count};
    space.rows_in_tile = rows;
  }
  nest.sizes = dims;
  nest.tile_loop = static_cast<int>(dims.size()) - 1;
  nest.extent = dims.back();
  nest.tile = std::min(nest.extent, max_tile);
  if (space.flat && nest.extent > nest.tile) {
    // Tiles of whole rows if they are needed, or if repeated operands are then loaded once.
    int64_t unit = reduce != nullptr ? (space.rows_in_tile ? reduce->reduced : reduce->inner) : 1;
    for (const View& view : views) {
      const bool along_view = view.dims.back() < kMinRow || LoadsTransposed(view);
      // Finding the place in the view takes as long as a hundred elements.
      if (along_view && few) max_tile = kViewTile;
      if (const int64_t rows = std::lcm(unit, view.dims.back()); along_view && rows <= max_tile) unit = rows;
      if (view.strides[0] != 0) continue;
      const int64_t period = std::lcm(unit, view.count() / view.dims[0]);
      if (period <= max_tile) unit = period;
    }
    // All tiles begin at a cache line then. (Sums keep their order.)
    if (const int64_t lines = std::lcm(unit, kLineElements); reduce == nullptr && lines <= max_tile) unit = lines;
    nest.tile = std::max<int64_t>(1, max_tile / unit) * unit;
  } else if (!space.flat) {
    const auto in_runs = [&](const View& view) {
      return reduce == nullptr && RunsTile(view, views, most) == nest.extent;
    };
    if (std::any_of(views.begin(), views.end(), in_runs)) max_tile = nest.extent;
    // Equal tiles, in whole vectors.
    const int64_t tiles = (nest.extent + max_tile - 1) / max_tile;
    nest.tile = std::min(nest.extent, ((nest.extent + tiles - 1) / tiles + 63) / 64 * 64);
  }
  nest.sizes.back() = (nest.extent + nest.tile - 1) / nest.tile;
  nest.reduced.assign(dims.size(), false);
  if (reduce != nullptr && !space.rows_in_tile) {
    int64_t suffix = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      const int64_t next = suffix * dims[d];
      // In flat mode the row is reduced × inner, and its tiles are folded.
      nest.reduced[d] =
          space.flat ? d + 1 == dims.size() : suffix >= reduce->inner && next <= reduce->inner * reduce->reduced;
      suffix = next;
    }
  }
  return space;
}

}  // namespace hloir::cpu
