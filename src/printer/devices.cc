// The text of device lists, meshes and replica groups, and the expansion of their short forms. Entry points:
// AppendDevices, AppendMesh, AppendReplicaGroups, DeviceList::Expand, ReplicaGroups::Expand. Covered by
// tests/unit/printer_test.cc.
#include <algorithm>
#include <functional>

#include "hloir/printer.h"
#include "values.h"
#include "support/stable_sort.h"

namespace hloir {
namespace {

// <=[4,2]T(1,0). XLA merges dimensions that stay adjacent in the transpose and drops those of size 1, so that an order
// has one text.
void AppendIota(TextBuffer& out, const DeviceList& list) {
  const size_t rank = list.iota_reshape_dims.size();
  // kept: the dimensions in transposed order, grouped into runs of neighbours.
  struct Run {
    int64_t first, size;
  };
  std::vector<Run> runs;
  int64_t previous = -2;
  auto next_dim = [&](int64_t dim) {  // the next dimension that is not of size 1
    do ++dim;
    while (dim < static_cast<int64_t>(rank) && list.iota_reshape_dims[dim] == 1);
    return dim;
  };
  for (size_t i = 0; i < rank; ++i) {
    const int64_t dim = i < list.iota_transpose_perm.size() ? list.iota_transpose_perm[i] : static_cast<int64_t>(i);
    const int64_t size = list.iota_reshape_dims[dim];
    if (size == 1) continue;
    if (!runs.empty() && next_dim(previous) == dim) runs.back().size *= size;
    else runs.push_back({dim, size});
    previous = dim;
  }
  if (runs.empty()) runs.push_back({0, 1});
  // A run's number among the reshape dimensions is the number of runs that start before it.
  auto position = [&](const Run& run) {
    int64_t before = 0;
    for (const Run& other : runs) before += other.first < run.first;
    return before;
  };
  DimVector dims(runs.size()), perm;
  for (const Run& run : runs) {
    perm.push_back(position(run));
    dims[position(run)] = run.size;
  }
  out.Append("<=[");
  out.AppendInts(dims);
  out.Append(']');
  if (runs.size() > 1) {
    out.Append("T(");
    out.AppendInts(perm);
    out.Append(')');
  }
}

// Reshape and transpose may come from text: inconsistent or huge ones are not expanded.
constexpr int64_t kMaxExpandedDevices = int64_t{1} << 24;

// The product of the sizes, or -1 if one is negative or the product is past the limit.
int64_t BoundedProduct(const DimVector& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 0 || __builtin_mul_overflow(product, size, &product) || product > kMaxExpandedDevices) return -1;
  }
  return product;
}

// arange(product of dims) reshaped to dims, transposed by perm, read row-major. Empty if they are inconsistent.
std::vector<int64_t> TransposedIota(const DimVector& dims, const DimVector& perm) {
  const size_t rank = dims.size();
  const int64_t count = BoundedProduct(dims);
  if (count < 0) return {};
  DimVector order = perm;
  if (order.empty()) {
    for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  }
  if (order.size() != rank) return {};
  DimVector strides(rank, 1), sizes(rank), steps(rank);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  for (size_t i = 0; i < rank; ++i) {
    if (order[i] < 0 || order[i] >= static_cast<int64_t>(rank)) return {};
    sizes[i] = dims[order[i]];
    steps[i] = strides[order[i]];
  }
  if (BoundedProduct(sizes) != count) return {};  // the permutation names a dimension twice
  std::vector<int64_t> values;
  values.reserve(count);
  DimVector index(rank, 0);
  for (int64_t n = 0, value = 0; n < count; ++n) {
    values.push_back(value);
    for (size_t i = rank; i-- > 0;) {
      value += steps[i];
      if (++index[i] < sizes[i]) break;
      value -= index[i] * steps[i];
      index[i] = 0;
    }
  }
  return values;
}

}  // namespace

void AppendDevices(TextBuffer& out, const DeviceList& list) {
  if (list.iota_reshape_dims.empty()) out.AppendInts(list.devices);
  else AppendIota(out, list);
}

// mesh['x'=2,'y'=4]
void AppendMesh(TextBuffer& out, const Mesh& mesh) {
  if (mesh.maximal_device_id >= 0) {
    out.Append("maximal_mesh[device_id=");
    out.AppendInt(mesh.maximal_device_id);
    out.Append(']');
    return;
  }
  out.Append("mesh[");
  AppendJoined(out, mesh.axes, ",", [&](const auto& axis) {
    out.AppendQuoted(axis.first, '\'');
    out.Append('=');
    out.AppendInt(axis.second);
  });
  out.Append(']');
  if (mesh.device_ids.has_value()) {
    out.Append(", device_ids=(");
    const DeviceList& ids = *mesh.device_ids;
    if (ids.iota_reshape_dims.empty()) {
      out.AppendInts(ids.devices);
    } else {
      out.Append('[');
      out.AppendInts(ids.iota_reshape_dims);
      out.Append(']');
      if (!ids.iota_transpose_perm.empty()) {
        out.Append("T(");
        out.AppendInts(ids.iota_transpose_perm);
        out.Append(')');
      }
    }
    out.Append(')');
  }
}

// {'x', 'y':(1)2}
void AppendAxes(TextBuffer& out, const std::vector<MeshAxisRef>& axes, std::string_view separator, bool open) {
  out.Append('{');
  AppendJoined(out, axes, separator, [&](const MeshAxisRef& ref) {
    out.AppendQuoted(ref.axis, '\'');
    if (ref.sub_axis_size == 0) return;
    out.Append(":(");
    out.AppendInt(ref.sub_axis_pre_size);
    out.Append(')');
    out.AppendInt(ref.sub_axis_size);
  });
  if (open) out.Append(axes.empty() ? "?" : ", ?");
  out.Append('}');
}

void AppendReplicaGroups(TextBuffer& out, const ReplicaGroups& groups, bool full_list) {
  if (groups.form == ReplicaGroups::Form::kIota && !full_list) {
    out.Append('[');
    out.AppendInt(groups.num_groups);
    out.Append(',');
    out.AppendInt(groups.group_size);
    out.Append(']');
    AppendIota(out, groups.iota);
    return;
  }
  if (groups.form == ReplicaGroups::Form::kMesh && !full_list) {
    AppendMesh(out, groups.mesh);
    out.Append(' ');
    AppendAxes(out, groups.axes, ",");
    return;
  }
  auto append_list = [&](const std::vector<std::vector<int64_t>>& list) {
    out.Append('{');
    AppendJoined(out, list, ",", [&](const std::vector<int64_t>& group) { AppendBracedInts(out, group); });
    out.Append('}');
  };
  if (groups.form == ReplicaGroups::Form::kList) append_list(groups.groups);
  else append_list(groups.Expand());
}

std::vector<int64_t> DeviceList::Expand() const {
  return iota_reshape_dims.empty() ? devices : TransposedIota(iota_reshape_dims, iota_transpose_perm);
}

std::vector<std::vector<int64_t>> ReplicaGroups::Expand() const {
  if (form == Form::kList) return groups;
  auto split = [](const std::vector<int64_t>& devices, int64_t size) {
    std::vector<std::vector<int64_t>> result;
    if (size <= 0 || devices.size() % size != 0) return result;
    for (auto it = devices.begin(); it != devices.end(); it += size) result.emplace_back(it, it + size);
    return result;
  };
  if (form == Form::kIota) return split(iota.Expand(), group_size);
  // The mesh as an array, with an axis split into (before, part, after) if a part of it is named. The named parts
  // become the minor dimensions, in the order in which they are named; each group is a row of these.
  DimVector dims, named, others;
  std::vector<std::pair<int64_t, int64_t>> pieces;  // (axis, pre-size) of each dimension
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    const auto& [name, size] = mesh.axes[a];
    int64_t rest = size, done = 1;
    auto piece = [&](int64_t piece_size) {
      dims.push_back(piece_size);
      pieces.emplace_back(a, done);
      done *= piece_size;
    };
    if (size <= 0 || size > kMaxExpandedDevices) return {};
    std::vector<std::pair<int64_t, int64_t>> parts;  // pre-size, size
    for (const MeshAxisRef& ref : axes) {
      if (ref.axis == name && ref.sub_axis_size != 0) parts.emplace_back(ref.sub_axis_pre_size, ref.sub_axis_size);
    }
    StableSort(parts, std::less<>());
    for (const auto& [pre, part] : parts) {
      if (pre < done || part <= 0 || pre % done != 0 || size % pre != 0 || (size / pre) % part != 0) return {};
      if (pre != done) piece(pre / done);
      piece(part);
    }
    rest = size / done;
    piece(rest);
  }
  std::vector<bool> is_named(dims.size(), false);
  for (const MeshAxisRef& ref : axes) {
    for (size_t d = 0; d < dims.size(); ++d) {
      const bool same_axis = mesh.axes[pieces[d].first].first == ref.axis;
      if (!same_axis || is_named[d]) continue;
      const bool wanted =
          ref.sub_axis_size == 0 || (pieces[d].second == ref.sub_axis_pre_size && dims[d] == ref.sub_axis_size);
      if (!wanted) continue;
      is_named[d] = true;
      named.push_back(static_cast<int64_t>(d));
    }
  }
  int64_t named_size = 1;
  for (int64_t d : named) named_size *= dims[d];
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!is_named[d]) others.push_back(static_cast<int64_t>(d));
  }
  DimVector perm = others;
  for (int64_t d : named) perm.push_back(d);
  std::vector<int64_t> positions = TransposedIota(dims, perm);
  if (mesh.device_ids.has_value()) {
    const std::vector<int64_t> ids = mesh.device_ids->Expand();
    if (ids.size() != positions.size()) return {};
    for (int64_t& position : positions) position = ids[position];
  }
  return split(positions, named_size);
}

std::string PrintReplicaGroups(const ReplicaGroups& groups) {
  TextBuffer out;
  AppendReplicaGroups(out, groups, false);
  return out.Take();
}

}  // namespace hloir
