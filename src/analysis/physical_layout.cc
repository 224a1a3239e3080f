// See analysis/physical_layout.h. Tests: tests/unit/physical_layout_test.cc.
#include "analysis/physical_layout.h"

#include "support/format.h"

namespace hloir {
namespace {

constexpr int64_t kMostBits = int64_t{1} << 62;

bool MultiplyInto(int64_t& product, int64_t factor) {
  return !__builtin_mul_overflow(product, factor, &product) && product <= kMostBits;
}

}  // namespace

StatusOr<PhysicalLayout> PhysicalLayout::Of(const Shape& given) {
  if (!given.IsArray()) return InvalidArgument(Format("{} does not lie in memory as an array", given.ToString()));
  const Shape shape = given.has_layout() ? given : given.WithDefaultLayout();
  const DimVector& minor_to_major = shape.layout().minor_to_major();
  const LayoutExtras& extras = shape.layout().extras();
  if (minor_to_major.size() != shape.dimensions().size() || !extras.dim_levels.empty())
    return InvalidArgument(Format("the layout of {} does not place its elements", shape.ToString()));
  PhysicalLayout result;
  result.element_bits_ =
      extras.element_size_in_bits > 0 ? extras.element_size_in_bits : StorageBytes(shape.element_type()) * 8;
  result.strides_ = DimVector(shape.dimensions().size(), 0);
  std::vector<bool> named(shape.dimensions().size());
  int64_t stride = 1;
  for (int64_t d : minor_to_major) {
    if (d < 0 || d >= shape.rank() || named[static_cast<size_t>(d)] || shape.dimensions(d) < 0)
      return InvalidArgument(Format("the layout of {} does not place its elements", shape.ToString()));
    named[static_cast<size_t>(d)] = true;
    result.strides_[static_cast<size_t>(d)] = shape.dimensions(d) == 1 ? 0 : stride;
    if (!MultiplyInto(stride, shape.dimensions(d)))
      return ResourceExhausted(Format("{} has more than 2^62 elements", shape.ToString()));
  }
  for (size_t i = minor_to_major.size(); i-- > 0;) result.order_.push_back(minor_to_major[i]);
  for (int64_t d : result.order_) result.tiled_.push_back(shape.dimensions(d));

  for (const Tile& tile : extras.tiles) {
    // A tile of more dimensions than the array covers dimensions of size 1 before its first.
    const size_t missing =
        tile.dimensions.size() > result.tiled_.size() ? tile.dimensions.size() - result.tiled_.size() : 0;
    Level level;
    level.first = result.tiled_.size() + missing - tile.dimensions.size();
    DimVector before(missing, 1), after;
    for (int64_t d : result.tiled_) before.push_back(d);
    for (size_t i = 0; i < level.first; ++i) after.push_back(before[i]);
    DimVector counts;
    size_t run = 0;
    int64_t covered = 1;
    for (size_t i = 0; i < tile.dimensions.size(); ++i) {
      const int64_t size = tile.dimensions[i];
      ++run;
      if (!MultiplyInto(covered, before[level.first + i]))
        return ResourceExhausted(Format("{} has more than 2^62 elements", shape.ToString()));
      level.covered.push_back(before[level.first + i]);
      if (size == Tile::kCombine) continue;
      if (size < 1) return InvalidArgument(Format("{} has a tile with a dimension of {}", shape.ToString(), size));
      level.combined.push_back(run);
      level.sizes.push_back(size);
      counts.push_back(covered / size + (covered % size != 0));
      run = 0, covered = 1;
    }
    if (run > 0) return InvalidArgument(Format("{} has a tile that ends with *", shape.ToString()));
    for (int64_t count : counts) after.push_back(count);
    for (int64_t size : level.sizes) after.push_back(size);
    result.tiled_ = after;
    result.levels_.push_back(std::move(level));
  }

  result.element_count_ = 1;
  for (int64_t d : result.tiled_) {
    if (!MultiplyInto(result.element_count_, d))
      return ResourceExhausted(Format("{} has more than 2^62 elements", shape.ToString()));
  }
  const int64_t unit = extras.tail_padding_alignment_in_elements;
  if (unit > 1 && result.element_count_ % unit != 0) {
    if (unit > kMostBits) return ResourceExhausted(Format("{} is padded to 2^62 elements", shape.ToString()));
    result.element_count_ += unit - result.element_count_ % unit;
  }
  int64_t bits = result.element_count_;
  if (!MultiplyInto(bits, result.element_bits_))
    return ResourceExhausted(Format("{} has more than 2^62 bits", shape.ToString()));
  return result;
}

int64_t PhysicalLayout::LinearIndex(const DimVector& index) const {
  DimVector place;
  for (int64_t d : order_) place.push_back(index[static_cast<size_t>(d)]);
  for (const Level& level : levels_) {
    // Leading dimensions of size 1 that a tile of higher rank added.
    const size_t missing = level.first + level.covered.size() - place.size();
    DimVector whole(missing, 0), tiles, inside;
    for (int64_t i : place) whole.push_back(i);
    size_t at = 0;
    for (size_t t = 0; t < level.sizes.size(); ++t) {
      int64_t linear = 0;
      for (size_t k = 0; k < level.combined[t]; ++k, ++at)
        linear = linear * level.covered[at] + whole[level.first + at];
      tiles.push_back(linear / level.sizes[t]);
      inside.push_back(linear % level.sizes[t]);
    }
    DimVector next;
    for (size_t i = 0; i < level.first; ++i) next.push_back(whole[i]);
    for (int64_t i : tiles) next.push_back(i);
    for (int64_t i : inside) next.push_back(i);
    place = next;
  }
  int64_t linear = 0;
  for (size_t i = 0; i < place.size(); ++i) linear = linear * tiled_[i] + place[i];
  return linear;
}

}  // namespace hloir
