// DeviceMesh: the devices of a module as a mesh, and shardings by its axes. All shardings of a module, old and new,
// iota or written out, are read into one form: each dimension of an array is cut along a list of axes, major first, and
// axes that no dimension names hold copies. Axes are of prime size, the digits of a device's number, so that parts of
// an axis are axes again, and operations on shardings are operations on lists. Used by the passes of this folder.
//
// A sharding whose order of devices is not a permutation of the others' digits, or whose numbers of parts fit no one
// mesh with the others' (2 x 3 and 3 x 2), is read as if it had the mesh's order, and Reordering has the permutation.
// Tested by tests/unit/spmd_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir::spmd {

// Axes of a DeviceMesh by number, major first.
using Axes = DimVector;

// The part of an array that each device holds. A dimension of size n that is cut in k has shards of ceil(n / k)
// elements; elements past n are undefined.
struct ArraySharding {
  std::vector<Axes> dims;
  // The program is written for each device along these; no dimension may name them. Sorted.
  Axes manual;
  // Each device has a part of a sum along these, or of the maximum or minimum; no dimension may name them. Sorted.
  Axes unreduced;
  HloOpcode reduction = HloOpcode::kAdd;  // kMaximum, kMinimum
  bool operator==(const ArraySharding&) const = default;
  // Every device has all of it, along the axes that are not manual.
  bool IsReplicated() const;
  bool Uses(int64_t axis) const;  // a dimension is cut along it, or it is manual or unreduced
};
ArraySharding Replicated(int64_t rank, Axes manual = {});

// The devices, 0 to device_count() - 1, as the digits of their numbers.
class DeviceMesh {
 public:
  // The coarsest mesh that can express each sharding of the module. `devices`: num_partitions.
  static StatusOr<DeviceMesh> Of(const HloModule& module, int64_t devices);

  int64_t device_count() const { return device_count_; }
  int64_t axis_count() const { return static_cast<int64_t>(sizes_.size()); }
  int64_t size(int64_t axis) const { return sizes_[static_cast<size_t>(axis)]; }
  Axes AllAxes() const;
  // The number of parts that a dimension is cut into along these.
  int64_t SizeOf(const Axes& axes) const;
  // The number of a device's part along these axes.
  int64_t IndexOf(int64_t device, const Axes& axes) const;
  // The devices that differ along these axes alone, in IndexOf's order, group by group.
  std::vector<std::vector<int64_t>> Groups(const Axes& axes) const;

  // Reads the sharding of one array; replicated for an array of another rank, or without a sharding. `open`, if given:
  // the dimensions that may be cut further.
  StatusOr<ArraySharding> Read(const Sharding& sharding, int64_t rank, std::vector<bool>* open = nullptr) const;
  Sharding Write(const ArraySharding& sharding) const;
  // For a sharding with another order of devices than the mesh's, which Read ignores: {device, to}, the moves of parts
  // to the order of Read. Empty if the orders agree.
  Int64Pairs Reordering(const Sharding& sharding) const;
  // The shape of each device's part.
  Shape ShardShape(const Shape& whole, const ArraySharding& sharding) const;
  // True if all parts have the same number of elements along this dimension.
  bool DividesEvenly(int64_t size, const Axes& axes) const { return size % SizeOf(axes) == 0; }
  // A digit of a device's number.
  int64_t Coordinate(int64_t device, int64_t axis) const;

 private:
  // A digit of a sharding's tile index: part of tile dimension `dim`, of `size` values, `stride` devices apart.
  struct Digit {
    int64_t dim, size, stride;
  };
  static bool DigitsOf(int64_t dim, const std::vector<int64_t>& steps, std::vector<Digit>& digits);
  static bool DigitsOf(const DimVector& dims, const std::vector<int64_t>& devices, std::vector<Digit>& digits);
  // The digits of an array of device numbers, of axes of the mesh. False if its order is another; then they are those
  // in the mesh's order.
  bool DigitsInMesh(const DimVector& dims, const std::vector<int64_t>& devices, std::vector<Digit>& digits) const;
  Axes AxesOf(int64_t size, int64_t stride) const;
  Sharding WriteNamed(const ArraySharding& sharding) const;
  StatusOr<ArraySharding> ReadNamed(const Sharding& sharding, int64_t rank, std::vector<bool>* open) const;

  int64_t device_count_ = 1;
  std::vector<int64_t> sizes_, strides_;  // of axes, major first
  std::vector<int64_t> number_of_;        // a device's number in the mesh
  std::vector<int64_t> device_of_;        // and back
};

// The sharding of a per-device program along the unreduced axes; and the reverse.
ArraySharding WithoutUnreduced(ArraySharding sharding);
Axes UnionOf(Axes a, const Axes& b);

// The number of devices of the module: num_partitions, or if the header has none, the number in its shardings.
int64_t PartitionCount(const HloModule& module);

// True if it is a per-device program already, by the name of its entry, which XLA's partitioner gives, too.
bool IsPartitioned(const HloModule& module);

// The shardings of a value's leaves, depth first: one for an array. nullptr for leaves without a sharding.
std::vector<const Sharding*> LeafShardings(const Sharding* sharding, const Shape& shape);

}  // namespace hloir::spmd
