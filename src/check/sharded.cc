// See sharded.h.
#include "check/sharded.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/flat_interface.h"
#include "equivalence/equivalence.h"
#include "hloir/builder.h"
#include "hloir/custom_call.h"
#include "hloir/evaluator.h"
#include "hloir/passes.h"
#include "support/format.h"

namespace hloir::check {
namespace {

using Op = HloInstruction*;

// Conversions between whole arrays and shards, around code that is written for one device.
bool IsBoundary(const HloInstruction& i) {
  const CustomCall call = CustomCallOf(i);
  return call == CustomCall::kSpmdFullToShardShape || call == CustomCall::kSpmdShardToFullShape ||
         call == CustomCall::kSdyGlobalToLocalShape || call == CustomCall::kSdyLocalToGlobalShape;
}

bool HasBoundaries(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions())
    if (IsBoundary(*i)) return true;
  return false;
}

// The suffix that XLA's partitioner, and ours, gives to the entry computation.
bool IsNamedPartitioned(const HloModule& module) { return module.entry_computation()->name().ends_with("_spmd"); }

int64_t Product(const DimVector& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

// Imports Shardy annotations as Sharding and SPMDFullToShardShape.
Status ReadShardy(HloModule& module) {
  HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<HloPass> import,
                         MakePass("sharding-propagation{disable=propagate}", {}));
  return import->Run(module).status();
}

// The device count of the header, or else of the first sharding; 1 without either.
int64_t DevicesOf(const HloModule& module) {
  if (module.config().num_partitions > 1) return module.config().num_partitions;
  const FrontendAttributes& attributes = module.config().frontend_attributes;
  const bool shardy = std::any_of(attributes.begin(), attributes.end(),
                                  [](const auto& attribute) { return attribute.first == "xla.sdy.meshes"; });
  if (shardy) {
    const std::unique_ptr<HloModule> read = module.Clone();
    return ReadShardy(*read).ok() ? DevicesOf(*read) : 1;
  }
  for (const HloInstruction* i : module.AllInstructions()) {
    const Sharding* sharding = i->sharding();
    while (sharding != nullptr && sharding->kind == Sharding::Kind::kTuple)
      sharding = sharding->tuple_elements.empty() ? nullptr : &sharding->tuple_elements[0];
    if (sharding == nullptr) continue;
    int64_t count = 1;
    if (sharding->kind == Sharding::Kind::kTiled) count = Product(sharding->tile_dims);
    for (const auto& [name, size] : sharding->mesh.axes) count *= size;
    if (count > 1) return count;
  }
  return 1;
}

// The tile of an array on each device.
struct Tiling {
  DimVector counts;              // number of tiles, by dimension
  std::vector<DimVector> tiles;  // tile index, by device
};

// The position of each device in an array of devices.
StatusOr<std::vector<DimVector>> Positions(const DimVector& dims, const std::vector<int64_t>& devices, int64_t count) {
  std::vector<DimVector> positions(static_cast<size_t>(count));
  if (Product(dims) != count || static_cast<int64_t>(devices.size()) != count)
    return InvalidArgument("a sharding and its module have different numbers of devices");
  for (size_t n = 0; n < devices.size(); ++n) {
    DimVector index(dims.size());
    int64_t rest = static_cast<int64_t>(n);
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
    if (devices[n] < 0 || devices[n] >= count || !positions[static_cast<size_t>(devices[n])].empty())
      return InvalidArgument("a sharding names a device twice, or one that does not exist");
    positions[static_cast<size_t>(devices[n])] = index;
    if (index.empty()) positions[static_cast<size_t>(devices[n])].push_back(0);
  }
  return positions;
}

// The axis sizes of a named sharding's mesh.
DimVector SizesOf(const Sharding& sharding) {
  DimVector sizes;
  for (const auto& [name, size] : sharding.mesh.axes) sizes.push_back(size);
  return sizes;
}
StatusOr<std::vector<DimVector>> PositionsInMesh(const Sharding& sharding, int64_t devices) {
  std::vector<int64_t> ids;
  if (sharding.mesh.device_ids) ids = sharding.mesh.device_ids->Expand();
  for (int64_t device = 0; !sharding.mesh.device_ids && device < devices; ++device) ids.push_back(device);
  return Positions(SizesOf(sharding), ids, devices);
}

// The tiling of a named sharding. `only`: along these axes alone.
StatusOr<Tiling> NamedTiling(const Sharding& sharding, int64_t rank, int64_t devices,
                             const std::vector<MeshAxisRef>* only) {
  Tiling tiling{DimVector(static_cast<size_t>(rank), 1),
                std::vector<DimVector>(static_cast<size_t>(devices), DimVector(static_cast<size_t>(rank), 0))};
  if (sharding.mesh.maximal_device_id >= 0 || sharding.mesh.axes.empty() || !sharding.named_kind.empty()) return tiling;
  const DimVector sizes = SizesOf(sharding);
  HLOIR_ASSIGN_OR_RETURN(const std::vector<DimVector> positions, PositionsInMesh(sharding, devices));
  for (size_t d = 0; d < sharding.dimensions.size() && d < tiling.counts.size(); ++d) {
    for (const MeshAxisRef& ref : sharding.dimensions[d].axes) {
      if (only != nullptr &&
          std::none_of(only->begin(), only->end(), [&](const MeshAxisRef& a) { return a.axis == ref.axis; }))
        continue;
      for (size_t a = 0; a < sizes.size(); ++a) {
        if (sharding.mesh.axes[a].first != ref.axis) continue;
        const int64_t size = ref.sub_axis_size == 0 ? sizes[a] : ref.sub_axis_size;
        const int64_t behind =
            ref.sub_axis_size == 0 ? 1 : sizes[a] / std::max<int64_t>(ref.sub_axis_pre_size * ref.sub_axis_size, 1);
        tiling.counts[d] *= size;
        for (size_t n = 0; n < tiling.tiles.size(); ++n)
          tiling.tiles[n][d] = tiling.tiles[n][d] * size + positions[n][a] / behind % size;
      }
    }
  }
  return tiling;
}

StatusOr<Tiling> TilingOf(const Sharding* sharding, int64_t rank, int64_t devices) {
  Tiling tiling{DimVector(static_cast<size_t>(rank), 1),
                std::vector<DimVector>(static_cast<size_t>(devices), DimVector(static_cast<size_t>(rank), 0))};
  if (sharding == nullptr) return tiling;
  if (sharding->kind == Sharding::Kind::kNamed) return NamedTiling(*sharding, rank, devices, nullptr);
  if (sharding->kind != Sharding::Kind::kTiled) return tiling;  // replicated
  if (static_cast<int64_t>(sharding->tile_dims.size()) < rank)
    return InvalidArgument("a sharding has fewer dimensions than its array");
  HLOIR_ASSIGN_OR_RETURN(const std::vector<DimVector> positions,
                         Positions(sharding->tile_dims, sharding->devices.Expand(), devices));
  for (size_t d = 0; d < tiling.counts.size(); ++d) {
    tiling.counts[d] = sharding->tile_dims[d];
    for (size_t n = 0; n < tiling.tiles.size(); ++n) tiling.tiles[n][d] = positions[n][d];
  }
  return tiling;
}

// Devices with partial sums of an array: the groups whose partial sums add up, and each device's place in its group.
struct PartialSums {
  std::vector<std::vector<int64_t>> groups;
  std::vector<int64_t> place;  // by device
  HloOpcode reduction = HloOpcode::kAdd;
};

// Empty if the tiles are not partial sums. `inside` and `outside`: a device's coordinates along the unreduced axes and
// along the others.
StatusOr<std::optional<PartialSums>> PartialsOf(const Sharding* sharding, int64_t devices) {
  if (sharding == nullptr) return std::optional<PartialSums>();
  const Sharding& s = *sharding;
  const bool is_whole = s.kind == Sharding::Kind::kUnreduced ||
                        (s.kind == Sharding::Kind::kNamed && s.named_kind == "unreduced" && s.unreduced_axes.empty());
  const auto& kinds = s.last_tile_dims;
  const bool has_group = std::find(kinds.begin(), kinds.end(), Sharding::Kind::kUnreduced) != kinds.end();
  if (!is_whole && !has_group && s.unreduced_axes.empty()) return std::optional<PartialSums>();
  std::vector<DimVector> inside(static_cast<size_t>(devices)), outside(static_cast<size_t>(devices));
  if (is_whole) {
    for (int64_t d = 0; d < devices; ++d) inside[static_cast<size_t>(d)] = {d};
  } else if (has_group) {
    HLOIR_ASSIGN_OR_RETURN(const std::vector<DimVector> positions, Positions(s.tile_dims, s.devices.Expand(), devices));
    const size_t data = s.tile_dims.size() - kinds.size();
    for (size_t d = 0; d < positions.size(); ++d) {
      for (size_t k = 0; k < positions[d].size(); ++k) {
        const bool partial = k >= data && kinds[k - data] == Sharding::Kind::kUnreduced;
        (partial ? inside : outside)[d].push_back(positions[d][k]);
      }
    }
  } else {
    const DimVector sizes = SizesOf(s);
    HLOIR_ASSIGN_OR_RETURN(const std::vector<DimVector> positions, PositionsInMesh(s, devices));
    for (size_t d = 0; d < positions.size(); ++d) {
      for (size_t a = 0; a < sizes.size(); ++a) {
        int64_t rest = positions[d][a];
        for (const MeshAxisRef& ref : s.unreduced_axes) {
          if (ref.axis != s.mesh.axes[a].first) continue;
          const int64_t size = ref.sub_axis_size == 0 ? sizes[a] : ref.sub_axis_size;
          const int64_t behind =
              ref.sub_axis_size == 0 ? 1 : sizes[a] / std::max<int64_t>(ref.sub_axis_pre_size * ref.sub_axis_size, 1);
          const int64_t part = positions[d][a] / behind % size;
          inside[d].push_back(part);
          rest -= part * behind;
        }
        outside[d].push_back(rest);
      }
    }
  }
  PartialSums sums;
  if (s.unreduced_op == "max") sums.reduction = HloOpcode::kMaximum;
  if (s.unreduced_op == "min") sums.reduction = HloOpcode::kMinimum;
  std::map<DimVector, std::map<DimVector, int64_t>> by_place;
  for (size_t d = 0; d < inside.size(); ++d) by_place[outside[d]][inside[d]] = static_cast<int64_t>(d);
  sums.place.resize(inside.size());
  for (const auto& [key, members] : by_place) {
    std::vector<int64_t>& group = sums.groups.emplace_back();
    for (const auto& [at, device] : members) {
      sums.place[static_cast<size_t>(device)] = static_cast<int64_t>(group.size());
      group.push_back(device);
    }
  }
  return std::optional<PartialSums>(std::move(sums));
}

// Emits the operations that cut arrays into shards and gather them.
class Writer {
 public:
  Writer(HloBuilder& b, const ModuleConfig& config, int64_t& channel, ShardPadding padding)
      : b(b), devices_(config.num_partitions), replicas_(config.replica_count), channel_(channel), padding_(padding) {}

  Op Cut(Op whole, const Shape& shard, const Tiling& tiling) {
    if (whole == nullptr) return nullptr;
    PaddingConfig padding(static_cast<size_t>(shard.rank()));
    bool pads = false, cuts = false;
    for (int64_t d = 0; d < shard.rank(); ++d) {
      const size_t k = static_cast<size_t>(d);
      padding[k].high = shard.dimensions(d) * tiling.counts[k] - whole->shape().dimensions(d);
      pads = pads || padding[k].high != 0;
      cuts = cuts || tiling.counts[k] > 1;
    }
    const PrimitiveType type = whole->shape().element_type();
    if (pads) {
      Op value = padding_ == ShardPadding::kZero
                     ? b.Constant(type, 0)
                     : b.CustomCall(std::string(equivalence::kUnspecified), Shape::Scalar(type), HloBuilder::Ops());
      whole = b.Pad(whole, value, padding);
    }
    if (!cuts) return whole;
    std::vector<Op> starts;
    for (int64_t d = 0; d < shard.rank(); ++d) {
      std::vector<int64_t> values;
      for (const DimVector& tile : tiling.tiles) values.push_back(tile[static_cast<size_t>(d)] * shard.dimensions(d));
      starts.push_back(b.Reshape(Row(values, 1), {}));
    }
    return b.DynamicSlice(whole, starts, shard.dimensions());
  }

  // Splits an array into partial sums: twice the array, its negation, and zeros, so that no device's part equals the
  // sum or can be omitted. Elements for which this is not exact (infinities, zeros, unsigned types) go to one device,
  // and the others get the identity. Maxima and minima are split in the latter way too.
  Op Split(Op whole, const PartialSums& sums) {
    if (whole == nullptr) return nullptr;
    const PrimitiveType type = whole->shape().element_type();
    const DimVector sizes = whole->shape().dimensions();
    const auto spread = [&](Op scalar) { return b.Broadcast(scalar, sizes, {}); };
    Literal neutral = sums.reduction == HloOpcode::kMaximum   ? Literal::MinValue(type)
                      : sums.reduction == HloOpcode::kMinimum ? Literal::MaxValue(type)
                                                              : Literal::Zero(type);
    Op others = spread(b.Constant(std::move(neutral))), first = whole, second = others;
    if (sums.reduction == HloOpcode::kAdd && (IsFloat(type) || IsInteger(type))) {
      if (IsFloat(type)) others = second = b.Negate(others);  // -0 is the identity, 0 is not
      Op twice = b.Add(whole, whole), less = b.Negate(whole);
      if (IsFloat(type)) {
        Op fits = b.And(b.IsFinite(twice), b.Compare(whole, b.Negate(others), ComparisonDirection::kNe));
        first = b.Select(fits, twice, whole), second = b.Select(fits, less, others);
      } else {
        first = twice, second = less;
      }
    }
    Op place = b.Reshape(Row(sums.place, 1), {});
    const auto is = [&](int32_t n) { return spread(b.Compare(place, b.Constant(n), ComparisonDirection::kEq)); };
    return b.Select(is(0), first, b.Select(is(1), second, others));
  }
  Op Sum(Op part, const PartialSums& sums) {
    if (part == nullptr) return nullptr;
    const PrimitiveType type = part->shape().element_type();
    AllReduceAttributes attributes{.channel_id = channel_++, .use_global_device_ids = true};
    for (int64_t replica = 0; replica < replicas_; ++replica) {
      for (std::vector<int64_t> group : sums.groups) {
        for (int64_t& device : group) device += replica * devices_;
        attributes.replica_groups.groups.push_back(std::move(group));
      }
    }
    return b.AllReduce(part, MakeReducer(*part->module(), sums.reduction, type), attributes);
  }

  // Among the devices with a copy of a tile, a device reads the one whose rank equals its own rank among the copies of
  // its tile, so that every copy is checked by some device.
  Op Gather(Op shard, const Shape& whole, const Tiling& tiling) {
    if (shard == nullptr) return nullptr;
    std::map<DimVector, std::vector<int64_t>> having;
    std::vector<int64_t> place;
    for (const DimVector& tile : tiling.tiles) {
      std::vector<int64_t>& devices = having[tile];
      place.push_back(static_cast<int64_t>(devices.size()));
      devices.push_back(static_cast<int64_t>(place.size()) - 1);
    }
    const int64_t tiles = static_cast<int64_t>(having.size()), rank = whole.rank();
    std::vector<int64_t> rows;
    for (int64_t at : place) {
      for (const auto& [tile, devices] : having) rows.push_back(devices[static_cast<size_t>(at) % devices.size()]);
    }
    if (tiles == 1) return shard;
    DimVector one = shard->shape().dimensions();
    one.insert(one.begin(), 1);
    ReplicaGroups everybody;
    for (int64_t replica = 0; replica < replicas_; ++replica) {  // each replica separately
      everybody.groups.emplace_back();
      for (int64_t n = 0; n < devices_; ++n) everybody.groups.back().push_back(replica * devices_ + n);
    }
    Op all = b.AllGather(b.Reshape(shard, one), 0, devices_,
                         {.channel_id = channel_++, .replica_groups = everybody, .use_global_device_ids = true});
    GatherAttributes taken;
    taken.collapsed_slice_dims = {0};
    taken.start_index_map = {0};
    taken.index_vector_dim = 1;
    taken.slice_sizes = one;
    for (int64_t d = 0; d < rank; ++d) taken.offset_dims.push_back(d + 1);
    Op found = b.Gather(all, Row(rows, tiles), std::move(taken));
    DimVector split = tiling.counts, order, joined;
    for (int64_t d = 0; d < rank; ++d) {
      split.push_back(shard->shape().dimensions(d));
      order.push_back(d);
      order.push_back(rank + d);
      joined.push_back(tiling.counts[static_cast<size_t>(d)] * shard->shape().dimensions(d));
    }
    Op together = b.Reshape(b.Transpose(b.Reshape(found, split), order), joined);
    if (joined == whole.dimensions()) return together;
    return b.Slice(together, DimVector(static_cast<size_t>(rank), 0), whole.dimensions());
  }

 private:
  // The table's row for this device.
  Op Row(const std::vector<int64_t>& table, int64_t columns) {
    const bool same = std::equal(table.begin(), table.end() - columns, table.begin() + columns);
    if (same) {
      Literal row(Shape::Array(PrimitiveType::S32, {columns}));
      for (int64_t n = 0; n < columns; ++n)
        row.data<int32_t>()[n] = static_cast<int32_t>(table[static_cast<size_t>(n)]);
      return b.Constant(std::move(row));
    }
    Literal literal(Shape::Array(PrimitiveType::S32, {devices_, columns}));
    for (size_t n = 0; n < table.size(); ++n) literal.data<int32_t>()[n] = static_cast<int32_t>(table[n]);
    if (partition_ == nullptr) partition_ = b.Convert(b.PartitionId(), PrimitiveType::S32);
    const Op starts[] = {partition_, b.Constant(int32_t{0})};
    return b.Reshape(b.DynamicSlice(b.Constant(std::move(literal)), starts, {1, columns}), {columns});
  }

  HloBuilder& b;
  int64_t devices_, replicas_;  // per replica
  int64_t& channel_;
  ShardPadding padding_;
  Op partition_ = nullptr;
};

std::vector<const Sharding*> LeafShardings(const HloInstruction& i) {
  const size_t leaves = i.shape().Leaves().size();
  std::vector<const Sharding*> found(leaves, nullptr);
  if (i.sharding() == nullptr) return found;
  if (i.sharding()->kind != Sharding::Kind::kTuple) return std::vector<const Sharding*>(leaves, i.sharding());
  // Tuple shardings may be nested or flat.
  std::vector<const Sharding*> flat, todo = {i.sharding()};
  while (!todo.empty()) {
    const Sharding* sharding = todo.back();
    todo.pop_back();
    if (sharding->kind != Sharding::Kind::kTuple) {
      flat.push_back(sharding);
      continue;
    }
    for (size_t k = sharding->tuple_elements.size(); k-- > 0;) todo.push_back(&sharding->tuple_elements[k]);
  }
  return flat.size() == leaves ? flat : found;
}

// The tiling that shapes imply: the one dimension that is smaller on a device is split among all devices. Returns
// nothing if the shapes imply none.
std::optional<Tiling> TilingByShapes(const Shape& shard, const Shape& whole, int64_t devices, const std::string& what,
                                     std::vector<std::string>& inferred) {
  if (shard.rank() != whole.rank() || shard.element_type() != whole.element_type()) return std::nullopt;
  Tiling tiling{DimVector(static_cast<size_t>(whole.rank()), 1),
                std::vector<DimVector>(static_cast<size_t>(devices), DimVector(static_cast<size_t>(whole.rank()), 0))};
  bool cut = false;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const int64_t part = shard.dimensions(d), all = whole.dimensions(d);
    if (part == all) continue;
    if (cut || part > all || part * devices < all) return std::nullopt;
    cut = true;
    tiling.counts[static_cast<size_t>(d)] = devices;
    for (int64_t n = 0; n < devices; ++n) tiling.tiles[static_cast<size_t>(n)][static_cast<size_t>(d)] = n;
    inferred.push_back(Format("{} is cut along dimension {} into {} parts of {}{}", what, d, devices, part,
                              part * devices > all ? Format(", with zeros behind {}", all) : ""));
  }
  return tiling;
}

// The tiling of one leaf, by its own sharding or else by the other module's; with `inferred`, by shapes.
StatusOr<Tiling> TilingOfLeaf(const Sharding* own, const Sharding* other, const Shape& shard, const Shape& whole,
                              int64_t devices, const std::string& what, std::vector<std::string>* inferred) {
  const Sharding* sharding = own != nullptr ? own : other;
  if (inferred != nullptr) {
    if (auto tiling = TilingByShapes(shard, whole, devices, what, *inferred)) return *std::move(tiling);
  }
  HLOIR_ASSIGN_OR_RETURN(Tiling tiling, TilingOf(sharding, whole.rank(), devices));
  bool fits = shard.rank() == whole.rank() && shard.element_type() == whole.element_type();
  for (int64_t d = 0; fits && d < whole.rank(); ++d) {
    const int64_t count = tiling.counts[static_cast<size_t>(d)];
    fits = shard.dimensions(d) == (whole.dimensions(d) + count - 1) / count;
  }
  if (fits) return tiling;
  return InvalidArgument(
      sharding == nullptr
          ? Format("{} is {} on a device and {} in the whole program, and has no sharding in either module", what,
                   shard.ToString(false), whole.ToString(false))
          : Format("{} is {} on a device and {} in the whole program, which does not match its sharding", what,
                   shard.ToString(false), whole.ToString(false)));
}

// The reader's limit on nested tuples bounds the recursion.
void Flatten(HloBuilder& b, Op value, const Shape& shape, std::vector<Op>& leaves) {
  if (!shape.IsTuple()) {
    leaves.push_back(value);
    return;
  }
  for (int64_t k = 0; k < shape.tuple_size(); ++k)
    Flatten(b, b.GetTupleElement(value, k), shape.tuple_shapes(k), leaves);
}

Op Unflatten(HloBuilder& b, const std::vector<Op>& leaves, const Shape& shape, size_t& next) {
  if (!shape.IsTuple()) return leaves[next++];
  std::vector<Op> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(Unflatten(b, leaves, element, next));
  return b.Tuple(elements);
}

int64_t NextChannel(const HloModule& module) {
  int64_t next = 1;
  for (const HloInstruction* i : module.AllInstructions()) {
    i->attributes().Visit([&](const auto& attributes) {
      if constexpr (requires { attributes.channel_id; }) next = std::max(next, attributes.channel_id.value_or(0) + 1);
    });
  }
  return next;
}

// `propagated`: the whole program after sharding propagation.
Status WrapEntry(HloModule& module, const HloModule& whole, const HloModule& propagated, ShardPadding padding,
                 std::vector<std::string>* inferred = nullptr) {
  const int64_t devices = module.config().num_partitions;
  int64_t channel = NextChannel(module);
  HloComputation* entry = module.entry_computation();
  const HloComputation* other = whole.entry_computation();
  // A compiler may hand a device's number to it as one more parameter.
  const int64_t given = other->parameter_count();
  const bool takes_number =
      entry->parameter_count() == given + 1 && entry->parameter(given)->name().starts_with("partition-id") &&
      entry->parameter(given)->shape().IsScalar() && IsInteger(entry->parameter(given)->shape().element_type());
  if (entry->parameter_count() != given && !takes_number)
    return InvalidArgument("the two modules have different numbers of parameters");
  HloBuilder b(module, equivalence::kWholeEntry);
  Writer writer(b, module.config(), channel, padding);
  std::vector<Op> arguments;
  for (int64_t k = 0; k < given; ++k) {
    const HloInstruction &mine = *entry->parameter(k), &theirs = *other->parameter(k);
    Op parameter = b.Parameter(k, theirs.shape().WithDefaultLayout(), theirs.name());
    std::vector<Op> leaves;
    Flatten(b, parameter, theirs.shape(), leaves);
    const std::vector<const Shape*> shards = mine.shape().Leaves(), wholes = theirs.shape().Leaves();
    if (shards.size() != wholes.size())
      return InvalidArgument(Format("parameter {} has different tuple elements in the two modules", k));
    const std::vector<const Sharding*> own = LeafShardings(mine), others = LeafShardings(theirs);
    for (size_t n = 0; n < leaves.size(); ++n) {
      if (!wholes[n]->IsArray()) continue;
      HLOIR_ASSIGN_OR_RETURN(const Tiling tiling, TilingOfLeaf(own[n], others[n], *shards[n], *wholes[n], devices,
                                                               Format("parameter {}", k), inferred));
      leaves[n] = writer.Cut(leaves[n], *shards[n], tiling);
      HLOIR_ASSIGN_OR_RETURN(const auto sums, PartialsOf(own[n] != nullptr ? own[n] : others[n], devices));
      if (sums) leaves[n] = writer.Split(leaves[n], *sums);
    }
    size_t next = 0;
    arguments.push_back(Unflatten(b, leaves, mine.shape(), next));
  }
  if (takes_number) {
    arguments.push_back(b.Convert(b.PartitionId(), entry->parameter(given)->shape().element_type()));
  }
  Op result = b.Call(entry, arguments);
  HLOIR_RETURN_IF_ERROR(b.status());
  const Shape &shard = entry->root()->shape(), &all = other->root()->shape();
  std::vector<Op> leaves;
  Flatten(b, result, shard, leaves);
  const std::vector<const Shape*> shards = shard.Leaves(), wholes = all.Leaves();
  if (shards.size() != wholes.size()) return InvalidArgument("the two modules have different results");
  const std::vector<const Sharding*> own = LeafShardings(*entry->root()),
                                     others = LeafShardings(other->root()->sharding() != nullptr
                                                                ? *other->root()
                                                                : *propagated.entry_computation()->root());
  for (size_t n = 0; n < leaves.size(); ++n) {
    if (!wholes[n]->IsArray()) continue;
    HLOIR_ASSIGN_OR_RETURN(const Tiling tiling, TilingOfLeaf(own[n], others[n], *shards[n], *wholes[n], devices,
                                                             Format("result {}", n), inferred));
    HLOIR_ASSIGN_OR_RETURN(const auto sums, PartialsOf(own[n] != nullptr ? own[n] : others[n], devices));
    if (sums) leaves[n] = writer.Sum(leaves[n], *sums);
    leaves[n] = writer.Gather(leaves[n], *wholes[n], tiling);
  }
  size_t next = 0;
  HLOIR_RETURN_IF_ERROR(b.BuildEntry(Unflatten(b, leaves, all, next)).status());
  return OkStatus();
}

// The sharding outside of a boundary, and the axes along which the boundary cuts the array.
StatusOr<Tiling> BoundaryTiling(const HloInstruction& i, int64_t devices) {
  const bool enters = IsCustomCall(i, CustomCall::kSpmdFullToShardShape);
  const Shape &whole = enters ? i.operand(0)->shape() : i.shape(), &shard = enters ? i.shape() : i.operand(0)->shape();
  const Sharding* outside = enters ? i.operand(0)->sharding() : i.sharding();
  Tiling tiling;
  if (outside != nullptr && outside->kind == Sharding::Kind::kNamed) {
    const Sharding* inside = enters ? i.sharding() : i.operand(0)->sharding();
    const bool some = inside != nullptr && !inside->manual_axes.empty();
    HLOIR_ASSIGN_OR_RETURN(tiling, NamedTiling(*outside, whole.rank(), devices, some ? &inside->manual_axes : nullptr));
  } else {
    HLOIR_ASSIGN_OR_RETURN(tiling, TilingOf(outside, whole.rank(), devices));
  }
  for (int64_t d = 0; d < whole.rank(); ++d) {
    // A dimension may be cut further along axes that the inside does not use; these are the minor ones.
    const size_t k = static_cast<size_t>(d);
    const int64_t parts =
        shard.dimensions(d) == 0 ? 1 : (whole.dimensions(d) + shard.dimensions(d) - 1) / shard.dimensions(d);
    if (parts < 1 || tiling.counts[k] % parts != 0)
      return InvalidArgument(Format("{}: the shape of its shards does not match its sharding", i.name()));
    for (DimVector& tile : tiling.tiles) tile[k] /= tiling.counts[k] / parts;
    tiling.counts[k] = parts;
  }
  return tiling;
}

Status LowerBoundaries(HloModule& module, ShardPadding padding) {
  const int64_t devices = module.config().num_partitions;
  int64_t channel = NextChannel(module);
  // All boundaries are read before one is removed, since a boundary may be the operand of the next.
  std::vector<HloInstruction*> marks;
  std::vector<std::pair<HloInstruction*, Tiling>> boundaries;
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* i : computation->instructions()) {
      if (IsCustomCall(*i, CustomCall::kSharding) && i->operand_count() == 1 &&
          i->shape().Compatible(i->operand(0)->shape())) {
        marks.push_back(i);
      } else if (IsCustomCall(*i, CustomCall::kSpmdFullToShardShape) ||
                 IsCustomCall(*i, CustomCall::kSpmdShardToFullShape)) {
        if (i->operand_count() != 1 || !i->shape().IsArray() || i->operand(0)->shape().rank() != i->shape().rank())
          return InvalidArgument(Format("{} does not convert between an array and its shard", i->name()));
        HLOIR_ASSIGN_OR_RETURN(Tiling tiling, BoundaryTiling(*i, devices));
        boundaries.emplace_back(i, std::move(tiling));
      }
    }
  }
  for (const auto& [i, tiling] : boundaries) {
    HloBuilder b(i);
    Writer writer(b, module.config(), channel, padding);
    Op made = IsCustomCall(*i, CustomCall::kSpmdFullToShardShape) ? writer.Cut(i->operand(0), i->shape(), tiling)
                                                                  : writer.Gather(i->operand(0), i->shape(), tiling);
    HLOIR_RETURN_IF_ERROR(b.status());
    i->ReplaceAllUsesWith(made);
    i->parent()->RemoveInstruction(i);
  }
  for (HloInstruction* mark : marks) {
    mark->ReplaceAllUsesWith(mark->operand(0));
    mark->parent()->RemoveInstruction(mark);
  }
  return OkStatus();
}

}  // namespace

bool AreOfWholeArrays(const HloModule& a, const HloModule& b) {
  if (a.entry_computation() == nullptr || b.entry_computation() == nullptr) return false;
  if (a.config().replica_count != b.config().replica_count) return false;
  const int64_t of_a = DevicesOf(a), of_b = DevicesOf(b);
  if (std::max(of_a, of_b) <= 1 || (of_a > 1 && of_b > 1 && of_a != of_b)) return false;
  return !SameInterface(a, b) || IsNamedPartitioned(a) != IsNamedPartitioned(b) || HasBoundaries(a) || HasBoundaries(b);
}

bool HasShardMapBodies(const HloModule& module) { return HasBoundaries(module) && !IsNamedPartitioned(module); }

int64_t DevicesOfBoth(const HloModule& a, const HloModule& b) {
  const int64_t counted = std::max(DeviceCountsOf(a).devices(), DeviceCountsOf(b).devices());
  return AreOfWholeArrays(a, b) ? std::max({counted, DevicesOf(a), DevicesOf(b)}) : counted;
}

const HloModule& WholeOf(const HloModule& a, const HloModule& b) {
  return IsNamedPartitioned(a) && !IsNamedPartitioned(b) ? b : a;
}

StatusOr<std::unique_ptr<HloModule>> MakeWholeView(const HloModule& module, const HloModule& whole,
                                                   ShardPadding padding) {
  std::unique_ptr<HloModule> view = module.Clone();
  view->config().entry_computation_layout.reset();
  view->config().input_output_alias.clear();
  view->config().buffer_donor.clear();
  view->config().is_scheduled = false;
  view->config().num_partitions = std::max(DevicesOf(module), DevicesOf(whole));
  if (!SameInterface(module, whole) || (IsNamedPartitioned(module) && !IsNamedPartitioned(whole))) {
    // If the whole program does not annotate its result, sharding propagation supplies the sharding.
    const std::unique_ptr<HloModule> texts = whole.Clone();
    texts->config().allow_spmd_sharding_propagation_to_output = {true};
    HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<HloPass> propagation, MakePass("sharding-propagation", {}));
    HLOIR_RETURN_IF_ERROR(propagation->Run(*texts).status());
    HLOIR_RETURN_IF_ERROR(WrapEntry(*view, whole, *texts, padding));
    return view;
  }
  HLOIR_RETURN_IF_ERROR(ReadShardy(*view));
  HLOIR_RETURN_IF_ERROR(LowerBoundaries(*view, padding));
  return view;
}

// By shapes alone. (What does not fit is compared as it stands.)
static StatusOr<std::optional<WholeViews>> InferViews(const HloModule& before, const HloModule& after) {
  if (before.entry_computation() == nullptr || after.entry_computation() == nullptr) return std::optional<WholeViews>();
  const int64_t of_before = DeviceCountsOf(before).devices(), of_after = DeviceCountsOf(after).devices();
  if ((of_before > 1) == (of_after > 1) || DevicesOf(before) > 1 || DevicesOf(after) > 1)
    return std::optional<WholeViews>();
  const HloModule &device = of_after > 1 ? after : before, &whole = of_after > 1 ? before : after;
  if (SameInterface(device, whole) || device.config().replica_count > 1) return std::optional<WholeViews>();
  WholeViews views;
  std::unique_ptr<HloModule> view = device.Clone(), other = whole.Clone();
  for (HloModule* module : {view.get(), other.get()}) {
    module->config().entry_computation_layout.reset();
    module->config().input_output_alias.clear();
    module->config().buffer_donor.clear();
    module->config().is_scheduled = false;
  }
  // What ran on replicas runs on partitions, by the same numbers.
  view->config().num_partitions = std::max(of_before, of_after);
  int64_t channel = NextChannel(*view);
  for (HloComputation* computation : view->computations()) {
    for (HloInstruction* i : computation->instructions()) {
      const auto number = [&](auto& attributes) {
        if (attributes.channel_id) return;
        attributes.channel_id = channel++;
        if constexpr (requires { attributes.use_global_device_ids; }) attributes.use_global_device_ids = true;
      };
      switch (i->opcode()) {
        case HloOpcode::kAllReduce: number(i->mutable_attributes<AllReduceAttributes>()); break;
        case HloOpcode::kReduceScatter: number(i->mutable_attributes<ReduceScatterAttributes>()); break;
        case HloOpcode::kAllGather: number(i->mutable_attributes<AllGatherAttributes>()); break;
        case HloOpcode::kAllToAll: number(i->mutable_attributes<AllToAllAttributes>()); break;
        case HloOpcode::kCollectivePermute: number(i->mutable_attributes<CollectivePermuteAttributes>()); break;
        default:  // other collectives have no form on whole arrays
          if (i->Is(kCollective)) return std::optional<WholeViews>();
      }
    }
  }
  if (!WrapEntry(*view, whole, whole, ShardPadding::kZero, &views.inferred).ok()) return std::optional<WholeViews>();
  views.before = std::move(of_after > 1 ? other : view), views.after = std::move(of_after > 1 ? view : other);
  return std::optional<WholeViews>(std::move(views));
}

StatusOr<std::optional<WholeViews>> MakeViewsForProof(const HloModule& before, const HloModule& after) {
  if (!AreOfWholeArrays(before, after)) return InferViews(before, after);
  const HloModule& whole = WholeOf(before, after);
  WholeViews views;
  HLOIR_ASSIGN_OR_RETURN(views.before, MakeWholeView(before, whole, ShardPadding::kUnknown));
  HLOIR_ASSIGN_OR_RETURN(views.after, MakeWholeView(after, whole, ShardPadding::kUnknown));
  return std::optional<WholeViews>(std::move(views));
}

}  // namespace hloir::check
