// Tiled shardings in canonical form. The iota form of the devices is kept if possible, by decomposing it into pieces:
// the tile index is a sequence of digits, each with its own stride in the device numbers. Covered by
// tests/unit/printer_test.cc.
#include "ir/sharding_canonical.h"

#include <algorithm>

namespace hloir {
namespace {

using Kind = Sharding::Kind;

// One digit of the tiles' index, outermost first: part of tile dimension `dim`, of `size` values, `stride` devices
// apart.
struct Piece {
  size_t dim;
  int64_t size, stride;
};

int Order(Kind kind) { return kind == Kind::kReplicated ? 2 : kind == Kind::kUnreduced ? 1 : 0; }

// The iota's factors, cut where tile dimensions end. False if a tile dimension ends within an indivisible factor.
bool CutIntoPieces(const DimVector& tile_dims, const DeviceList& devices, std::vector<Piece>& pieces) {
  const DimVector& reshape = devices.iota_reshape_dims;
  const size_t rank = reshape.size();
  DimVector strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * reshape[i];
  size_t dim = 0;
  int64_t wanted = tile_dims.empty() ? 1 : tile_dims[0];
  for (size_t i = 0; i < rank; ++i) {
    const size_t factor = devices.iota_transpose_perm.empty() ? i : static_cast<size_t>(devices.iota_transpose_perm[i]);
    if (factor >= rank) return false;
    for (int64_t left = reshape[factor]; left > 1;) {
      while (wanted == 1 && dim + 1 < tile_dims.size()) wanted = tile_dims[++dim];
      if (left % wanted != 0 && wanted % left != 0) return false;
      const int64_t size = std::min(left, wanted);
      if (size <= 1) return false;
      left /= size;
      wanted /= size;
      pieces.push_back({dim, size, strides[factor] * left});
    }
  }
  return true;
}

// The iota whose factors, in this order, are the pieces.
DeviceList FromPieces(const std::vector<Piece>& pieces) {
  std::vector<size_t> by_stride(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) by_stride[i] = i;
  std::sort(by_stride.begin(), by_stride.end(),
            [&](size_t a, size_t b) { return pieces[a].stride > pieces[b].stride; });
  DeviceList list;
  list.iota_transpose_perm.resize(pieces.size());
  for (size_t i = 0; i < by_stride.size(); ++i) {
    list.iota_reshape_dims.push_back(pieces[by_stride[i]].size);
    list.iota_transpose_perm[by_stride[i]] = static_cast<int64_t>(i);
  }
  if (pieces.empty()) list.iota_reshape_dims.push_back(1), list.iota_transpose_perm.push_back(0);
  return list;
}

// The listed devices, with the tile dimensions in the order `perm`.
std::vector<int64_t> TransposeList(const std::vector<int64_t>& devices, const DimVector& tile_dims,
                                   const std::vector<size_t>& perm) {
  const size_t rank = tile_dims.size();
  DimVector strides(rank, 1), index(rank, 0);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * tile_dims[i];
  std::vector<int64_t> result;
  result.reserve(devices.size());
  for (int64_t at = 0; result.size() < devices.size();) {
    result.push_back(devices[at]);
    for (size_t i = rank; i-- > 0;) {
      at += strides[perm[i]];
      if (++index[i] < tile_dims[perm[i]]) break;
      at -= index[i] * strides[perm[i]];
      index[i] = 0;
    }
  }
  return result;
}

void SortEachGroup(std::vector<int64_t>& devices, int64_t group) {
  for (auto it = devices.begin(); it != devices.end(); it += group) std::sort(it, it + group);
}

// [] alone is replicated; [], manual={…} of all axes is manual; the same of unreduced.
void CanonicalizeNamed(Sharding& sharding) {
  if (!sharding.dimensions.empty() || !sharding.named_kind.empty() || sharding.mesh.maximal_device_id >= 0) return;
  const auto all_of_mesh = [&](const std::vector<MeshAxisRef>& axes) {
    const auto is_whole = [](const MeshAxisRef& axis) { return axis.sub_axis_size == 0; };
    return !axes.empty() && axes.size() == sharding.mesh.axes.size() && std::all_of(axes.begin(), axes.end(), is_whole);
  };
  const bool none_replicated = sharding.replicated_axes.empty();
  const bool none_unreduced = sharding.unreduced_axes.empty() && sharding.unreduced_op.empty();
  const bool none_manual = sharding.manual_axes.empty();
  if (none_replicated && none_unreduced && none_manual) {
    sharding.named_kind = "replicated";
  } else if (none_replicated && none_unreduced && all_of_mesh(sharding.manual_axes)) {
    sharding.named_kind = "manual";
    sharding.manual_axes.clear();
  } else if (none_replicated && none_manual && sharding.unreduced_op.empty() && all_of_mesh(sharding.unreduced_axes)) {
    sharding.named_kind = "unreduced";
    sharding.unreduced_axes.clear();
  }
}

}  // namespace

bool KeepFirstDevices(DeviceList& devices, int64_t count) {
  std::vector<int64_t> list = devices.Expand();
  if (static_cast<int64_t>(list.size()) < count) return false;
  list.resize(static_cast<size_t>(count));
  devices = DeviceList();
  devices.devices = std::move(list);
  return true;
}

void CanonicalizeSharding(Sharding& sharding) {
  if (sharding.kind == Kind::kNamed) return CanonicalizeNamed(sharding);
  if (sharding.kind != Kind::kTiled) return;
  std::vector<Kind> kinds = sharding.last_tile_dims;
  if (sharding.replicate_on_last_tile_dim) kinds = {Kind::kReplicated};
  if (kinds.empty() || kinds.size() > sharding.tile_dims.size()) return;
  DimVector old_dims = sharding.tile_dims;
  const size_t data_rank = old_dims.size() - kinds.size();
  const bool splits_data =
      std::any_of(old_dims.begin(), old_dims.begin() + data_rank, [](int64_t d) { return d != 1; });
  // If no data is split and there is one kind of subgroup, the sharding is of that kind.
  const auto becomes_its_kind = [&] {
    const auto is_first = [&](Kind kind) { return kind == kinds[0]; };
    if (splits_data || kinds.empty() || !std::all_of(kinds.begin(), kinds.end(), is_first)) return false;
    Sharding whole;
    whole.kind = kinds[0];
    whole.shard_group = sharding.shard_group;
    whole.shard_group_id = sharding.shard_group_id;
    whole.metadata = std::move(sharding.metadata);
    sharding = std::move(whole);
    return true;
  };
  if (becomes_its_kind()) return;
  // Drops subgroups of one device.
  for (size_t i = kinds.size(); i-- > 0;) {
    if (old_dims[data_rank + i] != 1) continue;
    old_dims.erase(old_dims.begin() + static_cast<ptrdiff_t>(data_rank + i));
    kinds.erase(kinds.begin() + static_cast<ptrdiff_t>(i));
  }
  if (becomes_its_kind()) return;
  if (kinds.empty()) {
    sharding.tile_dims = std::move(old_dims);
    sharding.replicate_on_last_tile_dim = false;
    sharding.last_tile_dims.clear();
    return;
  }
  std::vector<size_t> perm(old_dims.size());
  for (size_t i = 0; i < perm.size(); ++i) perm[i] = i;
  std::stable_sort(perm.begin() + data_rank, perm.end(),
                   [&](size_t a, size_t b) { return Order(kinds[a - data_rank]) < Order(kinds[b - data_rank]); });
  DimVector dims(old_dims.begin(), old_dims.begin() + data_rank);
  std::vector<Kind> merged;
  for (size_t i = data_rank; i < perm.size(); ++i) {
    const Kind kind = kinds[perm[i] - data_rank];
    if (!merged.empty() && merged.back() == kind) {
      dims.back() *= old_dims[perm[i]];
    } else {
      merged.push_back(kind);
      dims.push_back(old_dims[perm[i]]);
    }
  }
  const bool sorts_copies = merged.back() == Kind::kReplicated;
  DeviceList& devices = sharding.devices;
  std::vector<Piece> pieces;
  if (!devices.iota_reshape_dims.empty() && CutIntoPieces(old_dims, devices, pieces)) {
    std::vector<Piece> ordered;
    for (size_t i = 0; i < perm.size(); ++i) {
      for (const Piece& piece : pieces) {
        if (piece.dim == perm[i]) ordered.push_back(piece);
      }
    }
    if (sorts_copies) {
      auto is_copy = [&](const Piece& piece) {
        return piece.dim >= data_rank && kinds[piece.dim - data_rank] == Kind::kReplicated;
      };
      auto first = std::find_if(ordered.begin(), ordered.end(), is_copy);
      std::sort(first, ordered.end(), [](const Piece& a, const Piece& b) { return a.stride > b.stride; });
    }
    devices = FromPieces(ordered);
  } else {
    std::vector<int64_t> list = devices.Expand();
    int64_t count = 1;
    for (int64_t d : dims) count *= d;
    if (static_cast<int64_t>(list.size()) != count || count == 0) return;  // too many devices to list: unchanged
    list = TransposeList(list, old_dims, perm);
    if (sorts_copies) SortEachGroup(list, dims.back());
    devices = DeviceList();
    devices.devices = std::move(list);
  }
  sharding.tile_dims = dims;
  sharding.replicate_on_last_tile_dim = merged.size() == 1 && merged[0] == Kind::kReplicated;
  if (merged.size() == 1 && merged[0] == Kind::kReplicated) merged.clear();
  sharding.last_tile_dims = std::move(merged);
}

}  // namespace hloir
