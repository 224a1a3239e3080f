// Moving data between devices: the plan of collectives that converts an array from one sharding to another, the bytes
// that it moves, and SpmdBuilder, which writes it and the other communication of a partitioned program. Tested by
// tests/unit/spmd_test.cc.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "device_mesh.h"
#include "hloir/builder.h"

namespace hloir::spmd {

// One step of a plan, all along a list of axes.
struct ReshardStep {
  enum class Kind : uint8_t {
    kSlice,     // each device keeps its part of dimension `dim`
    kGather,    // dimension `dim` is put together
    kAllToAll,  // dimension `dim` is put together, and `to_dim` cut
    kPermute,   // the parts change places
  };
  Kind kind;
  Axes axes;
  int64_t dim = 0, to_dim = 0;
  ArraySharding before, after;
  // That each device sends and receives, roughly: as HLO's cost analysis counts the collective.
  double bytes = 0;
};

std::vector<ReshardStep> PlanReshard(const DeviceMesh& mesh, const Shape& whole, const ArraySharding& from,
                                     const ArraySharding& to);
double ReshardBytes(const DeviceMesh& mesh, const Shape& whole, const ArraySharding& from, const ArraySharding& to);
// Partial results that are wanted cut along a dimension: reduce-scattered along these axes.
struct Scattering {
  int64_t dim;
  Axes axes;
};
std::vector<Scattering> ScatteringsOf(const DeviceMesh& mesh, const Shape& whole, const Axes& partial,
                                      const ArraySharding& sharding, const ArraySharding& to);
// The cost of an all-reduce of this size.
double AllReduceBytes(const DeviceMesh& mesh, double bytes, const Axes& among);

// Instructions of one computation of the partitioned program.
class SpmdBuilder {
 public:
  using Op = HloInstruction*;

  SpmdBuilder(HloBuilder& b, const DeviceMesh& mesh, int64_t& next_channel)
      : b(b), mesh(mesh), next_channel_(next_channel) {}

  // From one sharding to another; `x` is the part of `whole` that each device has.
  Op Reshard(Op x, const Shape& whole, const ArraySharding& from, const ArraySharding& to);
  // Each device's own number, as s32.
  Op PerDevice(const std::vector<int64_t>& values);
  // The start of this device's part along `axes`, if each part has `size` elements.
  Op Offset(const Axes& axes, int64_t size);
  // `reducer`: of two scalars.
  Op AllReduce(Op x, const Axes& among, HloComputation* reducer);
  // Combines the results on the devices along `partial` by `reducer`: from `sharding` to `to`, as far as that is split
  // along `partial`. Returns the new sharding.
  Op ReducePartial(Op x, const Shape& whole, const Axes& partial, HloComputation* reducer, ArraySharding sharding,
                   const ArraySharding& to, ArraySharding* result);
  Op AllGather(Op x, int64_t dim, const Axes& axes);
  Op Permute(Op x, Int64Pairs pairs);
  // Elements of the dimension behind the whole array's end become `value`, a scalar.
  Op MaskBehind(Op x, const Shape& whole, const ArraySharding& sharding, int64_t dim, Op value);
  // true where `x`'s index along `dim`, from `start` on (a scalar s32), is at least `low` and below `high`.
  Op IndexIsWithin(const Shape& like, int64_t dim, Op start, int64_t low, int64_t high);
  // The part of x that begins at `start` along one dimension, a scalar s32; along the others all.
  Op DynamicSliceOf(Op x, int64_t dim, Op start, int64_t size);
  Op SliceOf(Op x, int64_t dim, int64_t start, int64_t limit, int64_t stride = 1);
  Op PadOf(Op x, int64_t dim, int64_t low, int64_t high, Op value);
  Op Zero(const Shape& like) { return b.Constant(like.element_type(), 0); }
  Op Scalar(int64_t value) { return b.Constant(static_cast<int32_t>(value)); }
  OptionalInt64 NextChannel() { return next_channel_++; }
  ReplicaGroups GroupsOf(const Axes& axes) const;

  HloBuilder& b;
  const DeviceMesh& mesh;
  // Intervals that OpPartitioner::Fetch made, by array, fill, axes and numbers.
  std::map<std::tuple<Op, Op, Axes, std::vector<int64_t>>, Op> fetched;

 private:
  Op Step(Op x, const Shape& whole, const ReshardStep& step);
  Op StepAgain(Op x, const Shape& whole, const ReshardStep& step);

  int64_t& next_channel_;
  Op partition_ = nullptr;
  std::map<std::vector<int64_t>, Op> tables_;
  // An array takes the same step once, whoever needs it; no later pass merges two exchanges of different channels.
  std::map<std::tuple<Op, ReshardStep::Kind, Axes, DimVector, std::vector<Axes>>, Op> steps_;
};

}  // namespace hloir::spmd
