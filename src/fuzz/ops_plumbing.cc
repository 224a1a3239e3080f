// See ops.h: operations that forward arrays unchanged.
#include "fuzz/ops.h"

namespace hloir::fuzz {

RandomOps::Op RandomOps::Plumbing() {
  Op x = Any();
  const Shape& shape = x->shape();
  switch (portable_ ? 0 : Below(6)) {
    case 0: {
      Op both = Keep(computation()->AddTuple(Ops{x, Any()}));
      return Elements(Make(HloOpcode::kOptimizationBarrier, {both}, NoAttributes(), {}, &both->shape()));
    }
    case 1: {
      const Shape other = Shape::Array(shape.element_type(), Regroup(shape.dimensions()));
      return Make(HloOpcode::kBitcast, {x}, NoAttributes(), {}, &other);
    }
    case 2: return Make(Pick({HloOpcode::kPartitionId, HloOpcode::kReplicaId}), {});
    case 3: {
      if (Chance(50)) return Make(HloOpcode::kAddDependency, {x, Make(HloOpcode::kAfterAll, {})});
      DomainMetadata domain{"sharding", Sharding(), Sharding()};
      return Make(HloOpcode::kDomain, {x}, DomainAttributes{domain});
    }
    case 4: return InTwoHalves(x);
    default: return BetweenDevices(x);
  }
}

RandomOps::Op RandomOps::InTwoHalves(Op x) {
  const Shape shape = x->shape(), context = Shape::Scalar(PrimitiveType::U32);
  if (Chance(40)) {
    const Shape begun = Shape::Tuple({shape, shape, context});
    return Make(HloOpcode::kCopyDone, {Make(HloOpcode::kCopyStart, {x}, CopyStartAttributes(), {}, &begun)},
                NoAttributes(), {}, &shape);
  }
  if (shape.ElementCount() > options_.most_elements) return nullptr;
  Begin("wrapped");
  Op p = Parameter(shape);
  Op root = Make(Pick({HloOpcode::kCopy, HloOpcode::kNegate, HloOpcode::kNot, HloOpcode::kTanh}), {p});
  if (root == nullptr) root = Make(HloOpcode::kCopy, {p});
  computation()->set_root(root);
  HloComputation* wrapped = computation();
  frames_.pop_back();
  const Shape result = root->shape(), state = Shape::Tuple({Shape::Tuple({shape}), result, context});
  Op begun = Make(HloOpcode::kAsyncStart, {x}, AsyncAttributes(), {wrapped}, &state);
  if (Chance(30)) begun = Make(HloOpcode::kAsyncUpdate, {begun}, AsyncAttributes(), {}, &state);
  return Make(HloOpcode::kAsyncDone, {begun}, AsyncAttributes(), {}, &result);
}

RandomOps::Op RandomOps::BetweenDevices(Op x) {
  const Shape shape = x->shape();
  const bool halves = Chance(40);
  ReplicaGroups groups;
  if (Chance(50)) groups.groups = {{0}};
  const DimVector along{shape.rank() == 0 ? 0 : Below(shape.rank())};
  const HloOpcode opcode = ReducerOpcode(shape.element_type());
  const auto done = [&](HloOpcode last, Op begun) { return Make(last, {begun}, NoAttributes(), {}, &shape); };
  switch (Below(6)) {
    case 0: {
      AllReduceAttributes a;
      a.replica_groups = groups;
      HloComputation* reducer = Binary(opcode, shape.element_type());
      if (!halves) return Make(HloOpcode::kAllReduce, {x}, a, {reducer}, &shape);
      // The result of a start is an array, but only its done may use it.
      Op begun = Make(HloOpcode::kAllReduceStart, {x}, a, {reducer}, &shape);
      if (begun != nullptr) values().pop_back();
      return done(HloOpcode::kAllReduceDone, begun);
    }
    case 1: {
      AllGatherAttributes a;
      a.replica_groups = groups, a.dimensions = along;
      if (!halves) return Make(HloOpcode::kAllGather, {x}, a, {}, &shape);
      const Shape begun = Shape::Tuple({shape, shape});
      return done(HloOpcode::kAllGatherDone, Make(HloOpcode::kAllGatherStart, {x}, a, {}, &begun));
    }
    case 2: {
      CollectivePermuteAttributes a;
      if (Chance(60)) a.source_target_pairs = {{0, 0}};
      if (!halves) return Make(HloOpcode::kCollectivePermute, {x}, a, {}, &shape);
      const Shape begun = Shape::Tuple({shape, shape});
      return done(HloOpcode::kCollectivePermuteDone, Make(HloOpcode::kCollectivePermuteStart, {x}, a, {}, &begun));
    }
    case 3: {
      ReduceScatterAttributes a;
      a.replica_groups = groups, a.dimensions = along;
      return Make(HloOpcode::kReduceScatter, {x}, a, {Binary(opcode, shape.element_type())}, &shape);
    }
    case 4: {
      AllToAllAttributes a;
      a.replica_groups = groups, a.dimensions = along;
      return Make(HloOpcode::kAllToAll, {x}, a, {}, &shape);
    }
    default: {
      CollectiveBroadcastAttributes a;
      a.replica_groups.groups = {{0}};
      return Make(HloOpcode::kCollectiveBroadcast, {x}, a, {}, &shape);
    }
  }
}

}  // namespace hloir::fuzz
