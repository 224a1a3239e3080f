// Cases of calls, forwarding operations, scans, and communication on one device. See case_maker.h.
#include "fuzz/case_maker.h"

namespace hloir::fuzz {

using Op = CaseMaker::Op;

// Ops that forward their operand.
Op CaseMaker::PassOn(Case& result) {
  const PrimitiveType type = AnyType();
  const DimVector sizes = Sizes(0, 3, 5);
  Op x = In(type, sizes);
  switch (Below(portable_ ? 6 : 7)) {
    case 6: {
      Name(result, HloOpcode::kDomain, type);
      Sharding here, there;
      here.kind = there.kind = Sharding::Kind::kMaximal, here.devices.devices = there.devices.devices = {0};
      return Make(HloOpcode::kDomain, {x}, DomainAttributes{{"sharding", here, there}});
    }
    case 0: Name(result, HloOpcode::kCopy, type); return Make(HloOpcode::kCopy, {x});
    case 1: {
      Name(result, HloOpcode::kOptimizationBarrier, type);
      Op both = Make(HloOpcode::kTuple, {In(AnyType(), {2}), x});
      const Shape stated = both->shape();
      return Element(Make(HloOpcode::kOptimizationBarrier, {both}, NoAttributes(), {}, &stated), 1);
    }
    case 2: {
      Name(result, HloOpcode::kCall, type);
      HloComputation* callee = module_.AddComputation("callee");
      Op unused = In(PrimitiveType::S8, {});
      callee->AddParameter(0, unused->shape(), "unused");
      callee->set_root(MakeIn(callee, HloOpcode::kCopy, {callee->AddParameter(1, x->shape(), "p")}));
      return Make(HloOpcode::kCall, {unused, x}, CallAttributes(), {callee});
    }
    case 3: {
      Name(result, HloOpcode::kTuple, type);
      return Element(Element(Make(HloOpcode::kTuple, {In(AnyType(), {}), Make(HloOpcode::kTuple, {x, x})}), 1),
                     Below(2));
    }
    case 4: {
      Name(result, HloOpcode::kGetTupleElement, type);
      return Element(Make(HloOpcode::kTuple, {x, In(AnyType(), {3})}), 0);
    }
    default: {
      Name(result, HloOpcode::kAddDependency, type);
      return Make(HloOpcode::kAddDependency, {x, Make(HloOpcode::kAfterAll, {})});
    }
  }
}

// A running sum or similar; its result, or the carry at the end.
Op CaseMaker::Scan(Case& result) {
  const PrimitiveType type = TypeOf(OperandTypes::kInteger);
  const DimVector sizes = Sizes(1, 3, 5);
  const int64_t along = Below(static_cast<int64_t>(sizes.size()));
  DimVector rest = sizes;
  rest.erase(rest.begin() + along);
  const HloOpcode opcode = Reducer(type);
  const bool backwards = Chance(40);
  Name(result, HloOpcode::kScan, type, std::string(OpcodeName(opcode)) + (backwards ? " from behind" : ""));
  HloComputation* step = module_.AddComputation("step");
  Op value = step->AddParameter(0, Shape::Array(type, rest), "value"),
     carry = step->AddParameter(1, Shape::Array(type, rest), "carry");
  Op next = MakeIn(step, opcode, {carry, value});
  step->set_root(MakeIn(step, HloOpcode::kTuple, {next, next}));
  return AnyElement(
      Make(HloOpcode::kScan, {In(type, sizes), In(type, rest)}, ScanAttributes{{along}, 1, backwards, false}, {step}));
}

// With one device in each group the result is the operand.
Op CaseMaker::Exchange(Case& result) {
  const PrimitiveType type = AnyType();
  const DimVector sizes = Sizes(1, 3, 5);
  const DimVector along{Below(static_cast<int64_t>(sizes.size()))};
  ReplicaGroups groups;
  if (Chance(50)) groups.groups = {{0}};
  Op x = In(type, sizes);
  const Shape stated = x->shape();
  switch (Below(portable_ ? 7 : 8)) {
    case 7: {
      // Copies rows from random positions in x to random positions in the second operand.
      DimVector other = sizes;
      other[0] = random_.Between(0, 6);
      const PrimitiveType index = Pick({PrimitiveType::S32, PrimitiveType::S64});
      const int64_t rows = Below(std::min(sizes[0], other[0]) + 1);
      Op start = Integers(index, {1}, 0, sizes[0] - rows), sent = Integers(index, {1}, rows, rows);
      Op to = Integers(index, {1}, 0, other[0] - rows), received = Integers(index, {1}, rows, rows);
      Name(result, HloOpcode::kRaggedAllToAll, type, "index " + std::string(TypeName(index)));
      RaggedAllToAllAttributes a;
      a.replica_groups = groups;
      return Make(HloOpcode::kRaggedAllToAll, {x, In(type, other), start, sent, to, received}, a, {}, &stated);
    }
    case 6: {
      const HloOpcode opcode = Pick({HloOpcode::kPartitionId, HloOpcode::kReplicaId});
      Name(result, opcode, PrimitiveType::U32);
      return Make(opcode, {});
    }
    case 0: {
      const HloOpcode opcode = Reducer(type);
      Name(result, HloOpcode::kAllReduce, type, std::string(OpcodeName(opcode)));
      AllReduceAttributes a;
      a.replica_groups = groups;
      return Make(HloOpcode::kAllReduce, {x}, a, {MakeReducer(module_, opcode, type)}, &stated);
    }
    case 1: {
      Name(result, HloOpcode::kAllGather, type);
      AllGatherAttributes a;
      a.replica_groups = groups, a.dimensions = along;
      return Make(HloOpcode::kAllGather, {x}, a, {}, &stated);
    }
    case 2: {
      const HloOpcode opcode = Reducer(type);
      Name(result, HloOpcode::kReduceScatter, type, std::string(OpcodeName(opcode)));
      ReduceScatterAttributes a;
      a.replica_groups = groups, a.dimensions = along;
      return Make(HloOpcode::kReduceScatter, {x}, a, {MakeReducer(module_, opcode, type)}, &stated);
    }
    case 3: {
      Name(result, HloOpcode::kAllToAll, type);
      AllToAllAttributes a;
      a.replica_groups = groups, a.dimensions = along;
      return Make(HloOpcode::kAllToAll, {x}, a, {}, &stated);
    }
    case 4: {
      Name(result, HloOpcode::kCollectiveBroadcast, type);
      CollectiveBroadcastAttributes a;
      a.replica_groups.groups = {{0}};
      return Make(HloOpcode::kCollectiveBroadcast, {x}, a, {}, &stated);
    }
    default: {
      const bool sent = Chance(60);  // otherwise no device sends, and the result is zeros
      Name(result, HloOpcode::kCollectivePermute, type, sent ? "" : "from nobody");
      CollectivePermuteAttributes a;
      if (sent) a.source_target_pairs = {{0, 0}};
      return Make(HloOpcode::kCollectivePermute, {x}, a, {}, &stated);
    }
  }
}

// Operations in two halves.
Op CaseMaker::Asynchronous(Case& result) {
  if (portable_) return nullptr;
  const PrimitiveType type = AnyType();
  const DimVector sizes = Sizes(1, 3, 5);
  Op x = In(type, sizes);
  const Shape one = x->shape(), context = Shape::Scalar(PrimitiveType::U32);
  ReplicaGroups groups;
  if (Chance(50)) groups.groups = {{0}};
  const auto halves = [&](HloOpcode start, HloOpcode done, const Shape& begun, auto attributes,
                          std::vector<HloComputation*> called = {}) {
    Name(result, Chance(50) ? start : done, type);
    return Make(done, {Make(start, {x}, std::move(attributes), std::move(called), &begun)}, NoAttributes(), {}, &one);
  };
  switch (Below(5)) {
    case 0:
      return halves(HloOpcode::kCopyStart, HloOpcode::kCopyDone, Shape::Tuple({one, one, context}),
                    CopyStartAttributes());
    case 1: {
      AllGatherAttributes a;
      a.replica_groups = groups, a.dimensions = {Below(one.rank())};
      return halves(HloOpcode::kAllGatherStart, HloOpcode::kAllGatherDone, Shape::Tuple({one, one}), a);
    }
    case 2: {
      AllReduceAttributes a;
      a.replica_groups = groups;
      HloComputation* reducer = MakeReducer(module_, Reducer(type), type);
      return halves(HloOpcode::kAllReduceStart, HloOpcode::kAllReduceDone, one, a, {reducer});
    }
    case 3: {
      CollectivePermuteAttributes a;
      if (Chance(60)) a.source_target_pairs = {{0, 0}};
      return halves(HloOpcode::kCollectivePermuteStart, HloOpcode::kCollectivePermuteDone,
                    Shape::Tuple({one, one, context, context}), a);
    }
    default: {
      HloComputation* wrapped = module_.AddComputation("wrapped");
      Op p = wrapped->AddParameter(0, one, "p");
      Op root = MakeIn(wrapped, HloOpcode::kReverse, {p}, DimensionsAttributes{{Below(one.rank())}});
      wrapped->set_root(root);
      const Shape state = Shape::Tuple({Shape::Tuple({one}), one, context});
      Name(result, Pick({HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone}), type);
      Op begun = Make(HloOpcode::kAsyncStart, {x}, AsyncAttributes(), {wrapped}, &state);
      if (result.opcode == HloOpcode::kAsyncUpdate)
        begun = Make(HloOpcode::kAsyncUpdate, {begun}, AsyncAttributes(), {}, &state);
      return Make(HloOpcode::kAsyncDone, {begun}, AsyncAttributes(), {}, &one);
    }
  }
}

}  // namespace hloir::fuzz
