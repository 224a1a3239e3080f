// Rules of shardings: a sharding fits its instruction's shape, names each device once, and all devices if the module
// states their number; a loop or a conditional has the same sharding as its computations.
#include <algorithm>
#include <unordered_set>

#include "internal.h"

#include "support/format.h"

namespace hloir::verifier {
namespace {

// A limit for the iota form; explicit device lists are bounded by the text.
constexpr int64_t kMaxDevices = 1 << 24;

// -1 if it is none, or too many.
int64_t CountOf(const DimVector& sizes) {
  int64_t count = 1;
  for (int64_t size : sizes) {
    if (size <= 0 || __builtin_mul_overflow(count, size, &count) || count > kMaxDevices) return -1;
  }
  return count;
}

// The reason why a sharding (not of a tuple) does not fit a leaf, or "". `devices` is 0 if the module does not state
// it.
std::string WhyNot(const Sharding& sharding, const Shape& leaf, int64_t devices) {
  if (leaf.IsToken() || leaf.IsOpaque()) return {};
  if (sharding.kind == Sharding::Kind::kMaximal) {
    if (sharding.devices.devices.size() != 1) return {};
    const int64_t device = sharding.devices.devices[0];
    if (device < 0) return Format("device {}", device);
    if (devices > 0 && device >= devices) return Format("device {} of {}", device, devices);
    return {};
  }
  if (sharding.kind == Sharding::Kind::kNamed) {
    if (!sharding.dimensions.empty() && static_cast<int64_t>(sharding.dimensions.size()) != leaf.rank()) {
      return Format("{} dimensions for {}", sharding.dimensions.size(), Text(leaf));
    }
    return {};
  }
  if (sharding.kind != Sharding::Kind::kTiled) return {};
  const int64_t tiles = CountOf(sharding.tile_dims);
  if (tiles < 0) return "the product of the tile dimensions is not a number of devices";
  const DeviceList& list = sharding.devices;
  if (list.iota_reshape_dims.empty()) {
    std::unordered_set<int64_t> seen;
    for (int64_t device : list.devices) {
      if (device < 0 || (devices > 0 && device >= devices)) return Format("device {} of {}", device, devices);
      if (!seen.insert(device).second) return Format("device {} is named twice", device);
    }
    if (static_cast<int64_t>(list.devices.size()) != tiles)
      return Format("{} devices for {} tiles", list.devices.size(), tiles);
  } else if (CountOf(list.iota_reshape_dims) != tiles) {
    return Format("{} devices for {} tiles", CountOf(list.iota_reshape_dims), tiles);
  }
  const int64_t extra = static_cast<int64_t>(sharding.last_tile_dims.size()) + sharding.replicate_on_last_tile_dim;
  const int64_t data_rank = static_cast<int64_t>(sharding.tile_dims.size()) - extra;
  if (leaf.rank() != data_rank) return Format("tiles of rank {} for {}", data_rank, Text(leaf));
  if (devices > 0 && tiles != devices) return Format("{} tiles for {} devices", tiles, devices);
  return {};
}

void VerifyAgainstShape(const HloInstruction& i, Errors& errors) {
  const Sharding& sharding = *i.sharding();
  const ModuleConfig& config = i.module()->config();
  const int64_t devices = config.use_spmd_partitioning && config.num_partitions > 1 ? config.num_partitions : 0;
  std::vector<const Shape*> leaves = i.shape().Leaves();
  if (i.shape().IsToken()) return;
  if (sharding.kind != Sharding::Kind::kTuple) {
    // One for all leaves.
    for (const Shape* leaf : leaves) {
      if (std::string why = WhyNot(sharding, *leaf, devices); !why.empty()) {
        errors.Add(&i, "invalid sharding: {}", why);
        return;
      }
    }
    return;
  }
  if (!i.shape().IsTuple()) {
    errors.Add(&i, "has a tuple of shardings, but is {}", Text(i.shape()));
    return;
  }
  const auto& elements = sharding.tuple_elements;
  if (leaves.empty() && elements.size() <= 1) return;  // an empty tuple has one sharding, or none
  if (elements.size() != leaves.size()) {
    errors.Add(&i, "has {} shardings for {} leaves", elements.size(), leaves.size());
    return;
  }
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (std::string why = WhyNot(elements[k], *leaves[k], devices); !why.empty()) {
      errors.Add(&i, "sharding {} does not fit: {}", k, why);
    }
  }
}

// Compares the members if the texts differ. A list that is too long is left to VerifyAgainstShape.
bool SameDevices(const DeviceList& a, const DeviceList& b) {
  return a == b || CountOf(a.iota_reshape_dims) < 0 || CountOf(b.iota_reshape_dims) < 0 || a.Expand() == b.Expand();
}

// True if they are equal except for metadata.
bool SameSharding(const Sharding& a, const Sharding& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Sharding::Kind::kTuple) {
    return std::equal(a.tuple_elements.begin(), a.tuple_elements.end(), b.tuple_elements.begin(),
                      b.tuple_elements.end(), SameSharding);
  }
  if (a.kind == Sharding::Kind::kTiled || a.kind == Sharding::Kind::kMaximal) {
    return a.tile_dims == b.tile_dims && a.replicate_on_last_tile_dim == b.replicate_on_last_tile_dim &&
           a.last_tile_dims == b.last_tile_dims && SameDevices(a.devices, b.devices);
  }
  return a.mesh == b.mesh && a.dimensions == b.dimensions && a.replicated_axes == b.replicated_axes &&
         a.unreduced_axes == b.unreduced_axes && a.manual_axes == b.manual_axes;
}

// A single sharding for a tuple applies to each element.
bool SameOn(const HloInstruction& a, const HloInstruction& b) {
  const Sharding &x = *a.sharding(), &y = *b.sharding();
  const bool x_tuple = x.kind == Sharding::Kind::kTuple, y_tuple = y.kind == Sharding::Kind::kTuple;
  if (x_tuple == y_tuple) return SameSharding(x, y);
  const Sharding &tuple = x_tuple ? x : y, &one = x_tuple ? y : x;
  return std::all_of(tuple.tuple_elements.begin(), tuple.tuple_elements.end(),
                     [&](const Sharding& e) { return SameSharding(e, one); });
}

void VerifyConsistent(const HloInstruction& i, std::initializer_list<const HloInstruction*> related,
                      const HloInstruction*& first, Errors& errors) {
  for (const HloInstruction* other : related) {
    if (other->sharding() == nullptr) continue;
    if (first == nullptr) first = other;
    if (other != first && !SameOn(*first, *other)) {
      errors.Add(&i, "{} and {} must be sharded alike", first->name(), other->name());
      return;
    }
  }
}

}  // namespace

void VerifySharding(const HloInstruction& i, Errors& errors) {
  if (i.sharding() != nullptr) VerifyAgainstShape(i, errors);
  const HloInstruction* first = nullptr;
  if (i.opcode() == HloOpcode::kWhile) {
    VerifyConsistent(i, {&i, i.while_body()->root(), i.while_body()->parameter(0), i.while_condition()->parameter(0)},
                     first, errors);
  } else if (i.opcode() == HloOpcode::kConditional) {
    VerifyConsistent(i, {&i}, first, errors);
    for (const HloComputation* branch : i.called_computations()) VerifyConsistent(i, {branch->root()}, first, errors);
  }
}

}  // namespace hloir::verifier
