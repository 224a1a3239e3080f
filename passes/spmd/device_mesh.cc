// See device_mesh.h. A tiled sharding is a sequence of digits of the tile's index; each steps through the device
// numbers by a stride. Where all digits' strides divide one another the common refinement of them is the mesh.
#include "device_mesh.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace hloir::spmd {
namespace {

using Kind = Sharding::Kind;

}  // namespace

// The digits of tile dimension `dim`, from the device numbers that it steps through; major first. False if it is no
// such sequence.
bool DeviceMesh::DigitsOf(int64_t dim, const std::vector<int64_t>& steps, std::vector<Digit>& digits) {
  std::vector<Digit> minor_first;
  const int64_t count = static_cast<int64_t>(steps.size());
  for (int64_t unit = 1; unit < count;) {
    const int64_t stride = steps[static_cast<size_t>(unit)];
    if (stride <= 0) return false;
    int64_t size = 1;
    while (unit * (size + 1) <= count && steps[static_cast<size_t>(unit * size)] == stride * size) ++size;
    while (count % (unit * size) != 0) --size;
    if (size < 2) return false;
    minor_first.push_back({dim, size, stride});
    unit *= size;
  }
  digits.insert(digits.end(), minor_first.rbegin(), minor_first.rend());
  return true;
}

// The digits of an array of device numbers. False if it is none of digits.
bool DeviceMesh::DigitsOf(const DimVector& dims, const std::vector<int64_t>& devices, std::vector<Digit>& digits) {
  if (devices.empty() || devices[0] != 0) return false;
  digits.clear();
  int64_t unit = static_cast<int64_t>(devices.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    unit /= dims[d];
    std::vector<int64_t> steps;
    for (int64_t i = 0; i < dims[d]; ++i) steps.push_back(devices[static_cast<size_t>(i * unit)]);
    if (!DigitsOf(static_cast<int64_t>(d), steps, digits)) return false;
  }
  for (size_t n = 0; n < devices.size(); ++n) {
    int64_t rest = static_cast<int64_t>(n), sum = 0;
    for (size_t k = digits.size(); k-- > 0;) {
      sum += rest % digits[k].size * digits[k].stride;
      rest /= digits[k].size;
    }
    if (sum != devices[n]) return false;
  }
  return true;
}

bool DeviceMesh::DigitsInMesh(const DimVector& dims, const std::vector<int64_t>& devices,
                              std::vector<Digit>& digits) const {
  const auto is_cut = [&](int64_t at) {
    return at == device_count_ || std::find(strides_.begin(), strides_.end(), at) != strides_.end();
  };
  const auto fits = [&](const Digit& digit) { return is_cut(digit.stride) && is_cut(digit.stride * digit.size); };
  if (DigitsOf(dims, devices, digits) && std::all_of(digits.begin(), digits.end(), fits)) return true;
  // As many parts by the next axes of these sizes: those of the mesh have the prime factors of the number of devices.
  digits.clear();
  std::vector<bool> taken(sizes_.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t left = dims[d];
    for (size_t a = 0; a < sizes_.size() && left > 1; ++a) {
      if (taken[a] || left % sizes_[a] != 0) continue;
      taken[a] = true;
      left /= sizes_[a];
      digits.push_back({static_cast<int64_t>(d), sizes_[a], strides_[a]});
    }
  }
  return false;
}

namespace {

std::vector<int64_t> Renumbered(const DeviceList& list, const std::vector<int64_t>& number_of) {
  std::vector<int64_t> devices = list.Expand();
  for (int64_t& device : devices) {
    if (device < 0 || device >= static_cast<int64_t>(number_of.size())) return {};
    device = number_of[static_cast<size_t>(device)];
  }
  return devices;
}

std::vector<int64_t> MeshDevices(const Mesh& mesh, const std::vector<int64_t>& number_of) {
  if (mesh.device_ids) return Renumbered(*mesh.device_ids, number_of);
  DeviceList all;
  int64_t count = 1;
  for (const auto& [name, size] : mesh.axes) count *= size;
  all.iota_reshape_dims = {count};
  all.iota_transpose_perm = {0};
  return Renumbered(all, number_of);
}

// The array of devices and its dimensions in one sharding (no tuple). Nothing for those without.
bool DevicesOf(const Sharding& sharding, const std::vector<int64_t>& number_of, DimVector& dims,
               std::vector<int64_t>& devices) {
  dims.clear();
  if (sharding.kind == Kind::kTiled) {
    dims = sharding.tile_dims;
    devices = Renumbered(sharding.devices, number_of);
    return true;
  }
  if (sharding.kind != Kind::kNamed || sharding.mesh.maximal_device_id >= 0 || sharding.mesh.axes.empty()) return false;
  for (const auto& [name, size] : sharding.mesh.axes) dims.push_back(size);
  devices = MeshDevices(sharding.mesh, number_of);
  return true;
}

int64_t Product(const DimVector& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, [](int64_t a, int64_t b) { return a * b; });
}

HloOpcode ReductionOf(const Sharding& sharding) {
  return sharding.unreduced_op == "max"   ? HloOpcode::kMaximum
         : sharding.unreduced_op == "min" ? HloOpcode::kMinimum
                                          : HloOpcode::kAdd;
}

void Collect(const Sharding& sharding, std::vector<const Sharding*>& all) {
  if (sharding.kind == Kind::kTuple) {
    for (const Sharding& element : sharding.tuple_elements) Collect(element, all);
  } else {
    all.push_back(&sharding);
  }
}

}  // namespace

bool ArraySharding::IsReplicated() const {
  return std::all_of(dims.begin(), dims.end(), [](const Axes& axes) { return axes.empty(); });
}

bool ArraySharding::Uses(int64_t axis) const {
  const auto has = [axis](const Axes& axes) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
  return has(manual) || has(unreduced) || std::any_of(dims.begin(), dims.end(), has);
}

Axes UnionOf(Axes a, const Axes& b) {
  for (int64_t axis : b) {
    if (std::find(a.begin(), a.end(), axis) == a.end()) a.push_back(axis);
  }
  std::sort(a.begin(), a.end());
  return a;
}

ArraySharding WithoutUnreduced(ArraySharding sharding) {
  sharding.manual = UnionOf(std::move(sharding.manual), sharding.unreduced);
  sharding.unreduced.clear();
  sharding.reduction = HloOpcode::kAdd;
  return sharding;
}

ArraySharding Replicated(int64_t rank, Axes manual) {
  ArraySharding sharding;
  sharding.dims.resize(static_cast<size_t>(rank));
  sharding.manual = std::move(manual);
  return sharding;
}

StatusOr<DeviceMesh> DeviceMesh::Of(const HloModule& module, int64_t devices) {
  constexpr int64_t kMostDevices = 1 << 16;
  if (devices < 1 || devices > kMostDevices)
    return ResourceExhausted("cannot partition for " + std::to_string(devices) + " devices");
  DeviceMesh mesh;
  mesh.device_count_ = devices;
  mesh.number_of_.resize(static_cast<size_t>(devices));
  std::iota(mesh.number_of_.begin(), mesh.number_of_.end(), 0);
  mesh.device_of_ = mesh.number_of_;
  std::vector<const Sharding*> all;
  std::vector<const HloInstruction*> owners;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->sharding() != nullptr) Collect(*i->sharding(), all);
    owners.resize(all.size(), i);
  }
  DimVector dims;
  std::vector<int64_t> array;
  std::vector<Digit> digits;
  // Devices in an explicit order: the first such order numbers them for all shardings.
  for (const Sharding* sharding : all) {
    if (!DevicesOf(*sharding, mesh.number_of_, dims, array)) continue;
    if (static_cast<int64_t>(array.size()) != devices || Product(dims) != devices) continue;
    std::vector<int64_t> sorted = array;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != mesh.number_of_ || DigitsOf(dims, array, digits)) continue;
    mesh.device_of_ = array;
    for (size_t n = 0; n < array.size(); ++n) mesh.number_of_[static_cast<size_t>(array[n])] = static_cast<int64_t>(n);
    break;
  }
  std::set<int64_t> cuts = {1, devices};
  for (size_t k = 0; k < all.size(); ++k) {
    if (!DevicesOf(*all[k], mesh.number_of_, dims, array)) continue;
    std::vector<int64_t> sorted = array;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int64_t> each(static_cast<size_t>(devices));
    std::iota(each.begin(), each.end(), 0);
    if (sorted != each || Product(dims) != devices)
      return InvalidArgument("the sharding of " + std::string(owners[k]->name()) + " does not name each of the " +
                             std::to_string(devices) + " devices once");
    if (!DigitsOf(dims, array, digits)) continue;
    std::set<int64_t> more = cuts;
    for (const Digit& digit : digits) more.insert(digit.stride), more.insert(digit.stride * digit.size);
    int64_t last = 1;
    const bool fits = std::all_of(more.begin(), more.end(), [&](int64_t cut) {
      const bool divides = cut % last == 0;
      last = cut;
      return divides;
    });
    if (fits) cuts = std::move(more);
  }
  int64_t below = 1;
  for (int64_t cut : cuts) {
    std::vector<int64_t> primes;
    for (int64_t rest = cut / below, p = 2; rest > 1; rest % p == 0 ? rest /= p : ++p) {
      if (rest % p == 0) primes.push_back(p);
    }
    for (int64_t p : primes) {
      mesh.sizes_.insert(mesh.sizes_.begin(), p);
      mesh.strides_.insert(mesh.strides_.begin(), below);
      below *= p;
    }
  }
  return mesh;
}

Axes DeviceMesh::AllAxes() const {
  Axes all;
  for (int64_t a = 0; a < axis_count(); ++a) all.push_back(a);
  return all;
}

int64_t DeviceMesh::SizeOf(const Axes& axes) const {
  int64_t product = 1;
  for (int64_t a : axes) product *= size(a);
  return product;
}

int64_t DeviceMesh::Coordinate(int64_t device, int64_t axis) const {
  return number_of_[static_cast<size_t>(device)] / strides_[static_cast<size_t>(axis)] % size(axis);
}

int64_t DeviceMesh::IndexOf(int64_t device, const Axes& axes) const {
  int64_t index = 0;
  for (int64_t a : axes) index = index * size(a) + Coordinate(device, a);
  return index;
}

std::vector<std::vector<int64_t>> DeviceMesh::Groups(const Axes& axes) const {
  Axes others;
  for (int64_t a = 0; a < axis_count(); ++a) {
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) others.push_back(a);
  }
  std::vector<std::vector<int64_t>> groups(static_cast<size_t>(SizeOf(others)),
                                           std::vector<int64_t>(static_cast<size_t>(SizeOf(axes))));
  for (int64_t device = 0; device < device_count_; ++device)
    groups[static_cast<size_t>(IndexOf(device, others))][static_cast<size_t>(IndexOf(device, axes))] = device;
  return groups;
}

Int64Pairs DeviceMesh::Reordering(const Sharding& sharding) const {
  DimVector dims;
  std::vector<int64_t> numbers;
  std::vector<Digit> digits;
  if (!DevicesOf(sharding, number_of_, dims, numbers) || DigitsInMesh(dims, numbers, digits)) return {};
  Int64Pairs pairs;
  for (size_t n = 0; n < numbers.size(); ++n) {
    int64_t rest = static_cast<int64_t>(n), place = 0;
    for (size_t k = digits.size(); k-- > 0; rest /= digits[k].size) place += rest % digits[k].size * digits[k].stride;
    pairs.emplace_back(device_of_[static_cast<size_t>(numbers[n])], device_of_[static_cast<size_t>(place)]);
  }
  return pairs;
}

Axes DeviceMesh::AxesOf(int64_t size, int64_t stride) const {
  Axes axes;
  for (int64_t a = 0; a < axis_count(); ++a) {
    const int64_t s = strides_[static_cast<size_t>(a)];
    if (s >= stride && s < stride * size) axes.push_back(a);
  }
  return axes;
}

StatusOr<ArraySharding> DeviceMesh::ReadNamed(const Sharding& sharding, int64_t rank, std::vector<bool>* open) const {
  ArraySharding read = Replicated(rank);
  if (sharding.mesh.maximal_device_id >= 0 || sharding.named_kind == "replicated") return read;
  read.reduction = ReductionOf(sharding);
  if (sharding.named_kind == "unreduced" && sharding.unreduced_axes.empty()) {
    read.unreduced = AllAxes();
    return read;
  }
  if (sharding.named_kind == "manual") {
    read.manual = AllAxes();
    return read;
  }
  if (sharding.mesh.axes.empty()) {  // nothing is cut, but some of it may be
    for (size_t d = 0; open != nullptr && d < sharding.dimensions.size() && d < open->size(); ++d)
      (*open)[d] = sharding.dimensions[d].open;
    return read;
  }
  DimVector dims;
  for (const auto& [name, size] : sharding.mesh.axes) dims.push_back(size);
  std::vector<Digit> digits;
  DigitsInMesh(dims, MeshDevices(sharding.mesh, number_of_), digits);
  const auto append = [&](const MeshAxisRef& ref, Axes& to) {
    for (size_t a = 0; a < sharding.mesh.axes.size(); ++a) {
      if (sharding.mesh.axes[a].first != ref.axis) continue;
      // The mesh's axis is a run of digits; a part of it, those between pre_size and pre_size * size, from the major
      // end.
      int64_t done = 1;
      for (const Digit& digit : digits) {
        if (digit.dim != static_cast<int64_t>(a)) continue;
        for (int64_t axis : AxesOf(digit.size, digit.stride)) {
          const bool taken = ref.sub_axis_size == 0 ||
                             (done >= ref.sub_axis_pre_size && done < ref.sub_axis_pre_size * ref.sub_axis_size);
          if (taken) to.push_back(axis);
          done *= size(axis);
        }
      }
    }
  };
  for (size_t d = 0; d < sharding.dimensions.size() && d < read.dims.size(); ++d) {
    for (const MeshAxisRef& ref : sharding.dimensions[d].axes) append(ref, read.dims[d]);
    if (open != nullptr) (*open)[d] = sharding.dimensions[d].open;
  }
  for (const MeshAxisRef& ref : sharding.manual_axes) append(ref, read.manual);
  for (const MeshAxisRef& ref : sharding.unreduced_axes) append(ref, read.unreduced);
  std::sort(read.manual.begin(), read.manual.end());
  std::sort(read.unreduced.begin(), read.unreduced.end());
  if (read.unreduced.empty()) read.reduction = HloOpcode::kAdd;
  return read;
}

StatusOr<ArraySharding> DeviceMesh::Read(const Sharding& sharding, int64_t rank, std::vector<bool>* open) const {
  if (open != nullptr) open->assign(static_cast<size_t>(rank), false);
  ArraySharding read = Replicated(rank);
  switch (sharding.kind) {
    case Kind::kReplicated:
    case Kind::kMaximal: return read;  // one device's is everybody's
    case Kind::kUnknown:
      if (open != nullptr) open->assign(static_cast<size_t>(rank), true);
      return read;
    case Kind::kManual: read.manual = AllAxes(); return read;
    case Kind::kUnreduced:
      read.unreduced = AllAxes();
      read.reduction = ReductionOf(sharding);
      return read;
    case Kind::kTuple:
      return sharding.tuple_elements.empty() ? StatusOr<ArraySharding>(read)
                                             : Read(sharding.tuple_elements[0], rank, open);
    case Kind::kNamed: return ReadNamed(sharding, rank, open);
    case Kind::kTiled: break;
  }
  std::vector<Digit> digits;
  DigitsInMesh(sharding.tile_dims, Renumbered(sharding.devices, number_of_), digits);
  const int64_t data_rank =
      static_cast<int64_t>(sharding.tile_dims.size()) -
      (sharding.replicate_on_last_tile_dim ? 1 : static_cast<int64_t>(sharding.last_tile_dims.size()));
  if (data_rank != rank) return InvalidArgument("a sharding of another rank than its array");
  for (const Digit& digit : digits) {
    const Axes axes = AxesOf(digit.size, digit.stride);
    if (digit.dim < rank) {
      for (int64_t a : axes) read.dims[static_cast<size_t>(digit.dim)].push_back(a);
      continue;
    }
    if (sharding.replicate_on_last_tile_dim) continue;
    const Kind kind = sharding.last_tile_dims[static_cast<size_t>(digit.dim - rank)];
    for (int64_t a : axes) {
      if (kind == Kind::kManual) read.manual.push_back(a);
      if (kind == Kind::kUnreduced) read.unreduced.push_back(a);
    }
  }
  std::sort(read.manual.begin(), read.manual.end());
  std::sort(read.unreduced.begin(), read.unreduced.end());
  if (!read.unreduced.empty()) read.reduction = ReductionOf(sharding);
  return read;
}

// By the axes of the mesh, which only this form names.
Sharding DeviceMesh::WriteNamed(const ArraySharding& sharding) const {
  Sharding written;
  written.kind = Kind::kNamed;
  const auto ref = [](int64_t axis) { return MeshAxisRef{"axis_" + std::to_string(axis)}; };
  for (int64_t a = 0; a < axis_count(); ++a) written.mesh.axes.emplace_back(ref(a).axis, size(a));
  if (!std::is_sorted(device_of_.begin(), device_of_.end())) {
    DeviceList& ids = written.mesh.device_ids.emplace();
    ids.devices = device_of_;
  }
  for (const Axes& axes : sharding.dims) {
    Sharding::Dimension& dimension = written.dimensions.emplace_back();
    for (int64_t a : axes) dimension.axes.push_back(ref(a));
  }
  for (int64_t a : sharding.manual) written.manual_axes.push_back(ref(a));
  for (int64_t a : sharding.unreduced) written.unreduced_axes.push_back(ref(a));
  if (sharding.reduction != HloOpcode::kAdd)
    written.unreduced_op = sharding.reduction == HloOpcode::kMaximum ? "max" : "min";
  return written;
}

Sharding DeviceMesh::Write(const ArraySharding& sharding) const {
  Sharding written;
  if (!sharding.unreduced.empty() && sharding.reduction != HloOpcode::kAdd) return WriteNamed(sharding);
  const auto is_all = [&](const Axes& axes) { return static_cast<int64_t>(axes.size()) == axis_count(); };
  if (sharding.IsReplicated() && sharding.manual.empty() && sharding.unreduced.empty()) return written;
  if (sharding.IsReplicated() && (is_all(sharding.manual) || is_all(sharding.unreduced))) {
    written.kind = is_all(sharding.manual) ? Kind::kManual : Kind::kUnreduced;
    return written;
  }
  written.kind = Kind::kTiled;
  Axes order, copies;
  for (const Axes& axes : sharding.dims) {
    written.tile_dims.push_back(SizeOf(axes));
    for (int64_t a : axes) order.push_back(a);
  }
  for (int64_t a = 0; a < axis_count(); ++a) {
    if (!sharding.Uses(a)) copies.push_back(a);
  }
  if (!sharding.manual.empty()) {
    written.tile_dims.push_back(SizeOf(sharding.manual));
    written.last_tile_dims.push_back(Kind::kManual);
    for (int64_t a : sharding.manual) order.push_back(a);
  }
  if (!sharding.unreduced.empty()) {
    written.tile_dims.push_back(SizeOf(sharding.unreduced));
    written.last_tile_dims.push_back(Kind::kUnreduced);
    for (int64_t a : sharding.unreduced) order.push_back(a);
  }
  if (!copies.empty()) {
    written.tile_dims.push_back(SizeOf(copies));
    if (written.last_tile_dims.empty()) written.replicate_on_last_tile_dim = true;
    else written.last_tile_dims.push_back(Kind::kReplicated);
    for (int64_t a : copies) order.push_back(a);
  }
  if (device_of_ == number_of_ && std::is_sorted(device_of_.begin(), device_of_.end())) {
    written.devices.iota_reshape_dims = DimVector(sizes_.begin(), sizes_.end());
    written.devices.iota_transpose_perm = order;
  } else {
    written.devices.devices.resize(static_cast<size_t>(device_count_));
    for (int64_t device = 0; device < device_count_; ++device)
      written.devices.devices[static_cast<size_t>(IndexOf(device, order))] = device;
  }
  return written;
}

Shape DeviceMesh::ShardShape(const Shape& whole, const ArraySharding& sharding) const {
  Shape shard = whole;
  for (size_t d = 0; d < sharding.dims.size() && static_cast<int64_t>(d) < whole.rank(); ++d) {
    const int64_t parts = SizeOf(sharding.dims[d]);
    if (parts > 1)
      shard.set_dimension(static_cast<int64_t>(d), (whole.dimensions(static_cast<int64_t>(d)) + parts - 1) / parts);
  }
  return shard;
}

bool IsPartitioned(const HloModule& module) { return module.entry_computation()->name().ends_with("_spmd"); }

int64_t PartitionCount(const HloModule& module) {
  if (module.config().num_partitions > 1) return module.config().num_partitions;
  for (const HloInstruction* i : module.AllInstructions()) {
    std::vector<const Sharding*> shardings;
    if (i->sharding() != nullptr) Collect(*i->sharding(), shardings);
    for (const Sharding* sharding : shardings) {
      int64_t count = 1;
      if (sharding->kind == Kind::kTiled) count = Product(sharding->tile_dims);
      if (sharding->kind == Kind::kNamed)
        for (const auto& [name, size] : sharding->mesh.axes) count *= size;
      if (count > 1) return count;
    }
  }
  return 1;
}

std::vector<const Sharding*> LeafShardings(const Sharding* sharding, const Shape& shape) {
  const size_t leaves = shape.Leaves().size();
  std::vector<const Sharding*> found;
  if (sharding != nullptr && sharding->kind == Kind::kTuple) Collect(*sharding, found);
  else found.assign(leaves, sharding);
  if (found.size() != leaves) found.assign(leaves, nullptr);
  return found;
}

}  // namespace hloir::spmd
