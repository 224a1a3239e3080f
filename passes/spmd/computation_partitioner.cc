// See computation_partitioner.h. Covered by tests/passes/spmd-partitioning and tests/sharded.
#include "computation_partitioner.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "hloir/cost.h"
#include "hloir/custom_call.h"
#include "hloir/rewrite_util.h"

namespace hloir::spmd {

// The shardings in the text; leaves without one stay open.
StatusOr<Wanted> ReadLeaves(const DeviceMesh& mesh, const HloInstruction& i) {
  Wanted wanted(LeafCount(i.shape()));
  if (i.sharding() == nullptr) return wanted;
  const std::vector<const Shape*> leaves = i.shape().Leaves();
  const std::vector<const Sharding*> shardings = LeafShardings(i.sharding(), i.shape());
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (shardings[k] == nullptr || !leaves[k]->IsArray()) continue;
    HLOIR_ASSIGN_OR_RETURN(wanted[k], mesh.Read(*shardings[k], leaves[k]->rank()));
  }
  return wanted;
}

std::vector<ArraySharding> OrReplicated(const Wanted& wanted, const Shape& shape) {
  std::vector<ArraySharding> shardings;
  const std::vector<const Shape*> leaves = shape.Leaves();
  for (size_t k = 0; k < wanted.size(); ++k)
    shardings.push_back(wanted[k].value_or(Replicated(leaves[k]->IsArray() ? leaves[k]->rank() : 0)));
  return shardings;
}

namespace {

// True if the second half or the next op of a chain uses its result unchanged.
bool Begins(const HloInstruction& i) {
  const AsyncPair* pair = FindAsyncPair(i.opcode());
  return i.opcode() == HloOpcode::kAsyncUpdate || (pair != nullptr && pair->start == i.opcode());
}

// A value, leaf by leaf.
using Value = std::vector<Part>;

// One computation, for one call of it.
class ComputationPartitioner : private Remaker {
 public:
  ComputationPartitioner(PartitionState& m, const HloComputation& old, std::string_view name)
      : m_(m), mesh_(m.mesh), old_(old), b(m.module, name), spmd_(b, m.mesh, m.next_channel) {}

  // `parameters`: the shardings of their leaves, one after the other. `wanted`: of the result.
  StatusOr<HloComputation*> Partition(const std::vector<ArraySharding>& parameters, const Wanted& wanted,
                                      std::vector<ArraySharding>* result);
  // Finds the values that no iteration changes, for the body of a loop.
  void FindInvariants(const HloInstruction& loop);

 private:
  Status Visit(const HloInstruction& i);
  StatusOr<Value> Make(const HloInstruction& i);
  StatusOr<Value> MakeWhile(const HloInstruction& i);
  StatusOr<Value> MakeConditional(const HloInstruction& i);
  StatusOr<Value> MakeCustomCall(const HloInstruction& i, CustomCall call);
  StatusOr<Value> MakeWhole(const HloInstruction& i);
  StatusOr<Value> MakeFeed(const HloInstruction& i);
  Shape DataShape(const Shape& shape, const std::vector<ArraySharding>& shardings, int64_t device, size_t& next) const;
  StatusOr<HloInstruction*> MakeByData(const HloInstruction& i, const std::vector<HloInstruction*>& operands,
                                       const Shape& local, const std::vector<Shape>& own,
                                       const std::vector<int64_t>& which);
  StatusOr<HloInstruction*> MakeOnDevice(const HloInstruction& i, const std::vector<HloInstruction*>& operands,
                                         const Shape& result, int64_t device);
  StatusOr<Value> MakePartial(const HloInstruction& i, std::vector<Part> operands, const Wanted& wanted,
                              const Axes& manual, const Partials& partials);
  StatusOr<Wanted> WantedOf(const HloInstruction& i, const Axes& manual) const;
  Axes ManualOf(const HloInstruction& i) const;
  double BytesToRemake(const HloInstruction& origin, const ArraySharding& to) override;
  HloInstruction* Remake(const HloInstruction& origin, const ArraySharding& to) override;
  std::vector<Part> OperandsOf(const HloInstruction& i) const;

  const Value& ValueOf(const HloInstruction* i) const { return values_.at(i); }
  Part Resharded(const Part& part, const Shape& whole, const ArraySharding& to) {
    if (!whole.IsArray()) return part;
    return Reshard(spmd_, m_.reducers, part, whole, to);
  }
  Value Resharded(const Value& value, const Shape& shape, const Wanted& wanted);
  void Reorder(const HloInstruction& i, Value& value, bool back);
  // One instruction of that shape, from its leaves; and back.
  HloInstruction* Join(const Value& value, const Shape& shape) {
    size_t next = 0;
    return Join(value, shape, next);
  }
  HloInstruction* Join(const Value& value, const Shape& shape, size_t& next);
  void Split(HloInstruction* joined, const std::vector<ArraySharding>& shardings, const Shape& shape, Value& value);
  Shape LocalShape(const Shape& shape, const std::vector<ArraySharding>& shardings, size_t& next) const;

  PartitionState& m_;
  const DeviceMesh& mesh_;
  const HloComputation& old_;
  HloBuilder b;
  SpmdBuilder spmd_;
  std::unordered_map<const HloInstruction*, Value> values_;
  std::unordered_map<const HloInstruction*, Part> sums_;    // of partial sums with a user that needs the
                                                            // total
  std::unordered_map<const HloInstruction*, double> runs_;  // of loop invariants: Part::runs
  using Other = std::pair<const HloInstruction*, std::pair<std::vector<Axes>, Axes>>;  // a value, another sharding
  std::map<Other, double> bytes_to_remake_;
  std::map<Other, HloInstruction*> remade_;
  int64_t depth_ = 0;                                                 // of BytesToRemake
  std::unordered_map<const HloInstruction*, HloInstruction*> begun_;  // starts and updates of asynchronous ops
};

// A slice that is needed where turning an array around cannot be done at once, if at all.
bool IsForRotations(const HloInstruction& i) {
  if (i.opcode() != HloOpcode::kSlice || i.IsRoot() || i.user_count() == 0) return false;
  return std::all_of(i.users().begin(), i.users().end(), [](const HloInstruction* u) { return RotationOf(*u) > 0; });
}

// Zeros and new tokens; the depth is that of a parsed shape.
HloInstruction* ZerosOf(HloBuilder& b, const Shape& shape) {
  if (shape.IsToken()) return b.AfterAll();
  if (!shape.IsTuple()) return b.Broadcast(b.Constant(shape.element_type(), 0), shape.dimensions(), {});
  std::vector<HloInstruction*> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(ZerosOf(b, element));
  return b.Tuple(elements);
}

// Each array with the sizes of `to`: cut, or padded with zeros at the end.
HloInstruction* Resized(HloBuilder& b, HloInstruction* x, const Shape& to) {
  if (x == nullptr || !(to.IsArray() || to.IsTuple()) || x->shape().Compatible(to)) return x;
  if (to.IsTuple()) {
    std::vector<HloInstruction*> elements;
    for (int64_t k = 0; k < to.tuple_size(); ++k)
      elements.push_back(Resized(b, b.GetTupleElement(x, k), to.tuple_shapes(k)));
    return b.Tuple(elements);
  }
  PaddingConfig padding(static_cast<size_t>(to.rank()));
  for (int64_t d = 0; d < to.rank(); ++d)
    padding[static_cast<size_t>(d)].high = to.dimensions(d) - x->shape().dimensions(d);
  return b.Pad(x, b.Constant(to.element_type(), 0), padding);
}

bool IsOnOneDevice(const HloInstruction& i) {
  const std::vector<const Sharding*> said = LeafShardings(i.sharding(), i.shape());
  return std::all_of(said.begin(), said.end(), [](const Sharding* sharding) {
    return sharding != nullptr && sharding->kind == Sharding::Kind::kMaximal;
  });
}

// Nothing is cut, or partial, along these any more.
void Drop(const Axes& dropped, ArraySharding& sharding) {
  const auto drop = [&](Axes& axes) {
    Axes kept;
    for (int64_t a : axes) {
      if (std::find(dropped.begin(), dropped.end(), a) == dropped.end()) kept.push_back(a);
    }
    axes = std::move(kept);
  };
  for (Axes& axes : sharding.dims) drop(axes);
  drop(sharding.unreduced);
  if (sharding.unreduced.empty()) sharding.reduction = HloOpcode::kAdd;
}

std::vector<ArraySharding> ShardingsOf(const Value& value) {
  std::vector<ArraySharding> shardings;
  for (const Part& part : value) shardings.push_back(part.sharding);
  return shardings;
}

HloInstruction* ComputationPartitioner::Join(const Value& value, const Shape& shape, size_t& next) {
  if (!shape.IsTuple()) return value[next++].local;
  std::vector<HloInstruction*> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(Join(value, element, next));
  return b.Tuple(elements);
}

void ComputationPartitioner::Split(HloInstruction* joined, const std::vector<ArraySharding>& shardings,
                                   const Shape& shape, Value& value) {
  if (!shape.IsTuple()) {
    value.push_back({joined, shardings[value.size()]});
    return;
  }
  for (int64_t k = 0; k < shape.tuple_size(); ++k)
    Split(b.GetTupleElement(joined, k), shardings, shape.tuple_shapes(k), value);
}

Shape ComputationPartitioner::LocalShape(const Shape& shape, const std::vector<ArraySharding>& shardings,
                                         size_t& next) const {
  if (!shape.IsTuple()) return shape.IsArray() ? mesh_.ShardShape(shape, shardings[next++]) : (++next, shape);
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(LocalShape(element, shardings, next));
  return Shape::Tuple(std::move(elements));
}

Value ComputationPartitioner::Resharded(const Value& value, const Shape& shape, const Wanted& wanted) {
  Value result;
  const std::vector<const Shape*> leaves = shape.Leaves();
  for (size_t k = 0; k < value.size(); ++k)
    result.push_back(wanted[k] ? Resharded(value[k], *leaves[k], *wanted[k]) : value[k]);
  return result;
}

StatusOr<HloComputation*> ComputationPartitioner::Partition(const std::vector<ArraySharding>& parameters,
                                                            const Wanted& wanted, std::vector<ArraySharding>* result) {
  m_.room -= old_.instruction_count();
  if (m_.room < 0) return ResourceExhausted("the partitioned module would be too large");
  size_t next = 0;
  for (const HloInstruction* parameter : old_.parameters()) {
    const size_t first = next;
    const Shape local = LocalShape(parameter->shape(), parameters, next);
    HloInstruction* made = b.Parameter(parameter->parameter_number(), local, parameter->name());
    if (made == nullptr) return b.status();
    made->CopyMetadataOf(*parameter);
    Value& value = values_[parameter];
    Split(made, {parameters.begin() + static_cast<int64_t>(first), parameters.begin() + static_cast<int64_t>(next)},
          parameter->shape(), value);
    if (old_.IsEntry()) Reorder(*parameter, value, /*back=*/false);
  }
  for (const HloInstruction* i : old_.PostOrder()) {
    if (!i->IsParameter() && !IsForRotations(*i)) HLOIR_RETURN_IF_ERROR(Visit(*i));
  }
  const HloInstruction& root = *old_.root();
  Value value = Resharded(ValueOf(&root), root.shape(), wanted);
  if (old_.IsEntry()) Reorder(root, value, /*back=*/true);
  if (result != nullptr) *result = ShardingsOf(value);
  HloInstruction* made = Join(value, root.shape());
  HLOIR_RETURN_IF_ERROR(b.status());
  HLOIR_ASSIGN_OR_RETURN(HloComputation * built, b.Build(made));
  for (HloInstruction* i : built->instructions()) {
    if (i != built->root() && i->user_count() == 0 && !i->IsParameter() && IsDead(*i)) RemoveIfDead(i);
  }
  return built;
}

// From the order of devices that the text has for a value to the mesh's, or back.
void ComputationPartitioner::Reorder(const HloInstruction& i, Value& value, bool back) {
  const std::vector<const Sharding*> said = LeafShardings(i.sharding(), i.shape());
  for (size_t k = 0; k < value.size(); ++k) {
    if (said[k] == nullptr || value[k].local == nullptr || !value[k].local->shape().IsArray()) continue;
    Int64Pairs pairs = mesh_.Reordering(*said[k]);
    if (pairs.empty()) continue;
    if (back)
      for (auto& [from, to] : pairs) std::swap(from, to);
    value[k].local = spmd_.Permute(value[k].local, std::move(pairs));
  }
}

// What a device may do again for itself.
bool MayRemake(const HloInstruction& i) {
  if (!i.shape().IsArray() || i.IsParameter() || i.Is(kImpure | kSideEffect | kControlFlow)) return false;
  return i.IsConstant() || i.Is(kElementwise) ||
         IsOneOf(i.opcode(), HloOpcode::kBroadcast, HloOpcode::kIota, HloOpcode::kReshape, HloOpcode::kTranspose,
                 HloOpcode::kCopy);
}

std::vector<Part> ComputationPartitioner::OperandsOf(const HloInstruction& i) const {
  std::vector<Part> operands;
  for (const HloInstruction* operand : i.operands()) {
    operands.push_back(ValueOf(operand)[0]);
    if (MayRemake(*operand)) operands.back().origin = operand;
  }
  return operands;
}

double ComputationPartitioner::BytesToRemake(const HloInstruction& origin, const ArraySharding& to) {
  constexpr int64_t kDeepest = 6;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (depth_ >= kDeepest || !to.unreduced.empty()) return kNever;
  const auto [found, is_new] = bytes_to_remake_.try_emplace({&origin, {to.dims, to.manual}}, kNever);
  if (!is_new) return found->second;
  if (origin.IsConstant()) return found->second = 0;
  const std::vector<Part> operands = OperandsOf(origin);
  for (const Part& operand : operands)
    if (!operand.sharding.unreduced.empty() || operand.local == nullptr) return kNever;
  ++depth_;
  const double bytes = OpPartitioner(spmd_, m_.reducers, this, origin, operands, {to}, to.manual, false).Bytes();
  --depth_;
  return bytes_to_remake_[{&origin, {to.dims, to.manual}}] = bytes;
}

HloInstruction* ComputationPartitioner::Remake(const HloInstruction& origin, const ArraySharding& to) {
  const Other key{&origin, {to.dims, to.manual}};
  if (const auto found = remade_.find(key); found != remade_.end()) return found->second;
  StatusOr<std::vector<Part>> made = std::vector<Part>{};
  if (origin.IsConstant()) {
    HloInstruction* whole = b.computation()->AddClone(origin, {});
    whole->set_sharding(std::nullopt);
    made = Value{Resharded({whole, Replicated(origin.shape().rank(), to.manual)}, origin.shape(), to)};
  } else {
    const std::vector<Part> operands = OperandsOf(origin);
    made = OpPartitioner(spmd_, m_.reducers, this, origin, operands, {to}, to.manual, false).Partition();
  }
  return remade_[key] = made.ok() ? (*made)[0].local : nullptr;
}

void ComputationPartitioner::FindInvariants(const HloInstruction& loop) {
  const HloInstruction &root = *old_.root(), *state = old_.parameter(0);
  if (root.opcode() != HloOpcode::kTuple) return;
  // An unknown number of iterations is taken to be a few.
  constexpr int64_t kUnknown = 8;
  const int64_t trips = std::max<int64_t>(TripCount(loop).value_or(kUnknown), 1);
  for (const HloInstruction* i : old_.PostOrder()) {
    bool same = i->operand_count() > 0 && !i->Is(kImpure | kControlFlow | kSideEffect);
    if (i->opcode() == HloOpcode::kGetTupleElement && i->operand(0) == state) {
      const HloInstruction* next = root.operand(i->tuple_index());
      same = next->opcode() == HloOpcode::kGetTupleElement && next->operand(0) == state &&
             next->tuple_index() == i->tuple_index();
    } else {
      for (const HloInstruction* operand : i->operands()) same = same && runs_.contains(operand);
    }
    if (same) runs_.emplace(i, 1.0 / static_cast<double>(trips));
  }
}

Status ComputationPartitioner::Visit(const HloInstruction& i) {
  const HloInstruction* last = b.computation()->last();
  HLOIR_ASSIGN_OR_RETURN(values_[&i], Make(i));
  if (const auto found = runs_.find(&i); found != runs_.end())
    for (Part& part : values_[&i]) part.runs = found->second;
  HLOIR_RETURN_IF_ERROR(b.status());
  // New instructions get the origin of the instruction they replace.
  for (HloInstruction* made = b.computation()->last(); made != last && made != nullptr; made = made->prev()) {
    if (made->metadata() == nullptr) made->CopyMetadataOf(i);
  }
  return OkStatus();
}

Axes ComputationPartitioner::ManualOf(const HloInstruction& i) const {
  Axes manual;
  for (const HloInstruction* operand : i.operands()) {
    if (!values_.contains(operand)) operand = operand->operand(0);  // a slice for a rotation
    for (const Part& part : ValueOf(operand)) manual = UnionOf(manual, part.sharding.manual);
  }
  return manual;
}

StatusOr<Wanted> ComputationPartitioner::WantedOf(const HloInstruction& i, const Axes& manual) const {
  HLOIR_ASSIGN_OR_RETURN(Wanted wanted, ReadLeaves(mesh_, i));
  for (std::optional<ArraySharding>& leaf : wanted) {
    if (!leaf) continue;
    leaf->manual = UnionOf(leaf->manual, manual);
    Drop(leaf->manual, *leaf);
  }
  return wanted;
}

// Partial sums stay partial through ops that are linear in them: along their axes each device runs the op on its own
// part.
StatusOr<Value> ComputationPartitioner::MakePartial(const HloInstruction& i, std::vector<Part> operands,
                                                    const Wanted& wanted, const Axes& manual,
                                                    const Partials& partials) {
  const Axes outside = wanted[0] ? wanted[0]->manual : manual;
  for (size_t k = 0; k < operands.size(); ++k) {
    Part& part = operands[k];
    const Shape& whole = i.operand(static_cast<int64_t>(k))->shape();
    if (part.sharding.unreduced.empty()) {
      ArraySharding free = part.sharding;
      Drop(partials.axes, free);
      part = Resharded(part, whole, free);
      part.sharding.manual = UnionOf(part.sharding.manual, partials.axes);
    } else {
      part.sharding = WithoutUnreduced(part.sharding);
    }
  }
  HLOIR_RETURN_IF_ERROR(b.status());
  const Axes inside = UnionOf(outside, partials.axes);
  // Partial values that are to be reduced are reduced before their parts are joined.
  Wanted local(1);
  if (wanted[0] && wanted[0]->unreduced == partials.axes && wanted[0]->reduction == partials.reduction) {
    local[0] = WithoutUnreduced(*wanted[0]);
    local[0]->manual = inside;
  }
  HLOIR_ASSIGN_OR_RETURN(
      Value value,
      OpPartitioner(spmd_, m_.reducers, nullptr, i, operands, local, inside, m_.padded.contains(&i)).Partition());
  value[0].sharding.manual = outside;
  value[0].sharding.unreduced = partials.axes;
  value[0].sharding.reduction = partials.reduction;
  return wanted[0] ? Value{Resharded(value[0], i.shape(), *wanted[0])} : value;
}

StatusOr<Value> ComputationPartitioner::Make(const HloInstruction& i) {
  if (i.Is(kAsyncPart)) return MakeWhole(i);
  for (const HloInstruction* operand : i.operands()) {
    if (begun_.contains(operand))
      return Unimplemented(std::string(i.name()) + ": takes work under way, as only its next part may");
  }
  switch (i.opcode()) {
    case HloOpcode::kTuple: {
      Value value;
      for (const HloInstruction* operand : i.operands())
        for (const Part& part : ValueOf(operand)) value.push_back(part);
      HLOIR_ASSIGN_OR_RETURN(const Wanted wanted, WantedOf(i, {}));
      return i.IsRoot() ? value : Resharded(value, i.shape(), wanted);
    }
    case HloOpcode::kGetTupleElement: {
      const Value& tuple = ValueOf(i.operand(0));
      size_t first = 0;
      for (int64_t k = 0; k < i.tuple_index(); ++k) first += LeafCount(i.operand(0)->shape().tuple_shapes(k));
      const Value value(tuple.begin() + static_cast<int64_t>(first),
                        tuple.begin() + static_cast<int64_t>(first + LeafCount(i.shape())));
      HLOIR_ASSIGN_OR_RETURN(const Wanted wanted, WantedOf(i, ManualOf(i)));
      return Resharded(value, i.shape(), wanted);
    }
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kDomain: {
      const Value& value = ValueOf(i.operand(0));
      HloInstruction* joined = Join(value, i.shape());
      if (i.opcode() == HloOpcode::kOptimizationBarrier) joined = b.Make(HloOpcode::kOptimizationBarrier, {joined});
      if (joined == nullptr) return b.status();
      Value split;
      Split(joined, ShardingsOf(value), i.shape(), split);
      return split;
    }
    case HloOpcode::kWhile: return MakeWhile(i);
    case HloOpcode::kCall:
    case HloOpcode::kConditional: return MakeConditional(i);
    case HloOpcode::kCustomCall:
      if (BatchDimsOf(i) > 0) break;
      return MakeCustomCall(i, CustomCallOf(i));
    default: break;  // by its OpRule
  }
  const auto is_array = [](const Shape* leaf) { return leaf->IsArray(); };
  const std::vector<const Shape*> leaves = i.shape().Leaves();
  bool simple = std::all_of(leaves.begin(), leaves.end(), is_array);
  for (const HloInstruction* operand : i.operands()) simple = simple && operand->shape().IsArray();
  if (!simple || i.opcode() == HloOpcode::kFusion) return MakeWhole(i);
  const Axes manual = ManualOf(i);
  HLOIR_ASSIGN_OR_RETURN(Wanted wanted, WantedOf(i, manual));
  if (i.IsConstant()) {
    const Part whole{b.computation()->AddClone(i, {}), Replicated(i.shape().rank())};
    whole.local->set_sharding(std::nullopt);
    return Value{wanted[0] ? Resharded(whole, i.shape(), *wanted[0]) : whole};
  }
  if (RotationOf(i) > 0) {
    const Part& turned = ValueOf(i.operand(0)->operand(0))[0];
    if (turned.sharding.unreduced.empty()) {
      if (const std::optional<Part> part = PartitionRotation(spmd_, i, turned))
        return Value{wanted[0] ? Resharded(*part, i.shape(), *wanted[0]) : *part};
    }
    for (const HloInstruction* slice : i.operands()) {
      if (!values_.contains(slice)) HLOIR_RETURN_IF_ERROR(Visit(*slice));
    }
  }
  std::vector<Part> operands = OperandsOf(i);
  std::vector<const ArraySharding*> shardings;
  for (const Part& operand : operands) shardings.push_back(&operand.sharding);
  if (const std::optional<Partials> partials = PartialsThrough(i, shardings))
    return MakePartial(i, operands, wanted, manual, *partials);
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k].sharding.unreduced.empty()) continue;
    const HloInstruction* operand = i.operand(static_cast<int64_t>(k));
    const auto [found, is_new] = sums_.try_emplace(operand);
    if (is_new) {
      ArraySharding reduced = operands[k].sharding;
      reduced.unreduced.clear();
      reduced.reduction = HloOpcode::kAdd;
      found->second = Resharded(operands[k], operand->shape(), reduced);
    }
    operands[k] = found->second;
  }
  HLOIR_ASSIGN_OR_RETURN(Value value, OpPartitioner(spmd_, m_.reducers, this, i, operands, wanted,
                                                    wanted[0] ? wanted[0]->manual : manual, m_.padded.contains(&i))
                                          .Partition());
  return value;
}

// Transfers with the host are made in parts: each device feeds its own. A value for a single device is fed there.
StatusOr<Value> ComputationPartitioner::MakeFeed(const HloInstruction& i) {
  const bool is_in = i.opcode() == HloOpcode::kInfeed;
  const Shape& shape = is_in ? i.shape() : i.operand(0)->shape();
  const std::vector<const Shape*> leaves = shape.Leaves();
  std::vector<const Sharding*> said = LeafShardings(i.sharding(), shape);
  if (!is_in && i.sharding() != nullptr && i.sharding()->kind == Sharding::Kind::kTuple && said[0] == nullptr) {
    // The data's, and behind it the token's.
    const std::vector<Sharding>& elements = i.sharding()->tuple_elements;
    for (size_t k = 0; k < said.size() && k < elements.size(); ++k) said[k] = &elements[k];
  }
  std::vector<ArraySharding> shardings;
  std::optional<int64_t> only;
  bool several = false;
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (!leaves[k]->IsArray()) {
      shardings.push_back(Replicated(0));
      continue;
    }
    if (said[k] == nullptr) return Unimplemented(std::string(i.name()) + ": a feed of many devices needs a sharding");
    if (said[k]->kind == Sharding::Kind::kMaximal && !said[k]->devices.Expand().empty())
      only = said[k]->devices.Expand()[0];
    else several = true;
    HLOIR_ASSIGN_OR_RETURN(ArraySharding read, mesh_.Read(*said[k], leaves[k]->rank()));
    if (!mesh_.Reordering(*said[k]).empty())
      return Unimplemented(std::string(i.name()) + ": its order of devices is another than the other shardings'");
    shardings.push_back(std::move(read));
  }
  if (only && several) return Unimplemented(std::string(i.name()) + ": parts of it are one device's, parts are not");
  size_t next = 0;
  const Shape local = LocalShape(shape, shardings, next);
  HloInstruction* token = ValueOf(i.operand(i.operand_count() - 1))[0].local;
  std::vector<HloInstruction*> operands = {token};
  if (!is_in) {
    const Value data = Resharded(ValueOf(i.operand(0)), shape, Wanted(shardings.begin(), shardings.end()));
    operands.insert(operands.begin(), Join(data, shape));
  }
  HLOIR_RETURN_IF_ERROR(b.status());
  const Shape result = is_in ? local : i.shape();
  HloInstruction* made = nullptr;
  std::vector<Shape> own;      // distinct shapes of devices' data
  std::vector<int64_t> which;  // of them, by device
  for (int64_t device = 0; device < mesh_.device_count(); ++device) {
    next = 0;
    const Shape data = DataShape(shape, shardings, device, next);
    const auto at = std::find(own.begin(), own.end(), data);
    which.push_back(at - own.begin());
    if (at == own.end()) own.push_back(data);
  }
  if (only) {
    HLOIR_ASSIGN_OR_RETURN(made, MakeOnDevice(i, operands, result, *only));
  } else if (own.size() > 1) {
    HLOIR_ASSIGN_OR_RETURN(made, MakeByData(i, operands, local, own, which));
  } else {
    made = b.computation()->AddClone(i, operands, &result);
    if (!is_in) made->mutable_attributes<OutfeedAttributes>().outfeed_shape = local;
  }
  made->set_sharding(std::nullopt);
  Value value;
  if (!is_in) return Value{{made, Replicated(0)}};
  Split(made, shardings, shape, value);
  for (size_t k = 0; only && k < value.size(); ++k) {
    if (!leaves[k]->IsArray()) continue;
    const PrimitiveType type = leaves[k]->element_type();
    const HloOpcode sum = type == PrimitiveType::PRED ? HloOpcode::kOr : HloOpcode::kAdd;
    value[k].local = spmd_.AllReduce(value[k].local, mesh_.AllAxes(), m_.reducers.Get(sum, type));
  }
  return value;
}

// What a device has of an array, without the padding of its shard.
Shape ComputationPartitioner::DataShape(const Shape& shape, const std::vector<ArraySharding>& shardings, int64_t device,
                                        size_t& next) const {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(DataShape(element, shardings, device, next));
    return Shape::Tuple(std::move(elements));
  }
  const ArraySharding& sharding = shardings[next++];
  if (!shape.IsArray()) return shape;
  Shape data = mesh_.ShardShape(shape, sharding);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int64_t shard = data.dimensions(d),
                  start = mesh_.IndexOf(device, sharding.dims[static_cast<size_t>(d)]) * shard;
    data.set_dimension(d, std::clamp<int64_t>(shape.dimensions(d) - start, 0, shard));
  }
  return data;
}

// A feed of parts of several sizes: each device takes the branch for its own.
StatusOr<HloInstruction*> ComputationPartitioner::MakeByData(const HloInstruction& i,
                                                             const std::vector<HloInstruction*>& operands,
                                                             const Shape& local, const std::vector<Shape>& own,
                                                             const std::vector<int64_t>& which) {
  HloInstruction* argument = b.Tuple(operands);
  HLOIR_RETURN_IF_ERROR(b.status());
  const bool is_in = i.opcode() == HloOpcode::kInfeed;
  std::vector<HloComputation*> branches;
  for (const Shape& data : own) {
    HloBuilder branch(m_.module, std::string(i.name()) + ".part");
    HloInstruction* parameter = branch.Parameter(0, argument->shape(), "x");
    std::vector<HloInstruction*> inside;
    for (int64_t k = 0; k < argument->shape().tuple_size(); ++k) inside.push_back(branch.GetTupleElement(parameter, k));
    if (!is_in) inside[0] = Resized(branch, inside[0], data);
    HLOIR_RETURN_IF_ERROR(branch.status());
    HloInstruction* made = branch.computation()->AddClone(i, inside, is_in ? &data : &i.shape());
    made->set_sharding(std::nullopt);
    if (!is_in) made->mutable_attributes<OutfeedAttributes>().outfeed_shape = data;
    if (is_in) made = Resized(branch, made, local);
    HLOIR_RETURN_IF_ERROR(branch.status());
    HLOIR_ASSIGN_OR_RETURN(HloComputation * built, branch.Build(made));
    branches.push_back(built);
  }
  HloInstruction* made =
      b.Conditional(spmd_.PerDevice(which), branches, std::vector<HloInstruction*>(branches.size(), argument));
  HLOIR_RETURN_IF_ERROR(b.status());
  return made;
}

// By one device alone; the others have zeros.
StatusOr<HloInstruction*> ComputationPartitioner::MakeOnDevice(const HloInstruction& i,
                                                               const std::vector<HloInstruction*>& operands,
                                                               const Shape& result, int64_t device) {
  HloInstruction* argument = b.Tuple(operands);
  HLOIR_RETURN_IF_ERROR(b.status());
  HloComputation* branches[2];
  for (const bool does : {true, false}) {
    HloBuilder branch(m_.module, std::string(i.name()) + (does ? ".on_device" : ".elsewhere"));
    HloInstruction* parameter = branch.Parameter(0, argument->shape(), "x");
    HloInstruction* made = nullptr;
    if (does) {
      std::vector<HloInstruction*> inside;
      for (int64_t k = 0; k < argument->shape().tuple_size(); ++k)
        inside.push_back(branch.GetTupleElement(parameter, k));
      HLOIR_RETURN_IF_ERROR(branch.status());
      made = branch.computation()->AddClone(i, inside, &result);
      made->set_sharding(std::nullopt);
    } else {
      made = ZerosOf(branch, result);
    }
    HLOIR_RETURN_IF_ERROR(branch.status());
    HLOIR_ASSIGN_OR_RETURN(branches[does ? 0 : 1], branch.Build(made));
  }
  HloInstruction* is = b.Compare(b.PartitionId(), b.Constant(static_cast<uint32_t>(device)), ComparisonDirection::kEq);
  HloInstruction* made = b.Conditional(is, argument, branches[0], argument, branches[1]);
  HLOIR_RETURN_IF_ERROR(b.status());
  return made;
}

// Each device does all of it.
StatusOr<Value> ComputationPartitioner::MakeWhole(const HloInstruction& i) {
  const Axes manual = ManualOf(i);
  const bool is_manual = static_cast<int64_t>(manual.size()) == mesh_.axis_count();
  const bool is_feed = i.opcode() == HloOpcode::kInfeed || i.opcode() == HloOpcode::kOutfeed;
  if (is_feed && !is_manual) return MakeFeed(i);
  const bool begins = i.opcode() == HloOpcode::kSend || i.opcode() == HloOpcode::kRecv;
  if (!is_manual && begins && !IsOnOneDevice(i))
    return Unimplemented(std::string(i.name()) + ": which device runs it is not said (sharding={maximal device=N})");
  std::vector<HloInstruction*> operands;
  for (const HloInstruction* operand : i.operands()) {
    Value whole;
    const std::vector<const Shape*> leaves = operand->shape().Leaves();
    const Value& value = ValueOf(operand);
    for (size_t k = 0; k < value.size(); ++k)
      whole.push_back(
          Resharded(value[k], *leaves[k], Replicated(leaves[k]->IsArray() ? leaves[k]->rank() : 0, manual)));
    // The done of an asynchronous op uses its start unchanged.
    const auto begun = begun_.find(operand);
    operands.push_back(begun != begun_.end() ? begun->second : Join(whole, operand->shape()));
  }
  HLOIR_RETURN_IF_ERROR(b.status());
  HloInstruction* made = b.computation()->AddClone(i, operands);
  if (Begins(i)) begun_.emplace(&i, made);
  // The sharding of a transfer selects the device that runs it, which the evaluator reads.
  if (!begins || is_manual) made->set_sharding(std::nullopt);
  Wanted shardings;
  for (const Shape* leaf : i.shape().Leaves())
    shardings.push_back(Replicated(leaf->IsArray() ? leaf->rank() : 0, manual));
  Value value;
  Split(made, OrReplicated(shardings, i.shape()), i.shape(), value);
  if (i.opcode() == HloOpcode::kRecvDone && !is_manual) {
    // All others have zeros.
    for (size_t k = 0; k < value.size(); ++k) {
      const Shape& leaf = *i.shape().Leaves()[k];
      if (!leaf.IsArray()) continue;
      const HloOpcode sum = leaf.element_type() == PrimitiveType::PRED ? HloOpcode::kOr : HloOpcode::kAdd;
      value[k].local = spmd_.AllReduce(value[k].local, mesh_.AllAxes(), m_.reducers.Get(sum, leaf.element_type()));
    }
  }
  HLOIR_ASSIGN_OR_RETURN(const Wanted wanted, WantedOf(i, manual));
  return Resharded(value, i.shape(), wanted);
}

StatusOr<Value> ComputationPartitioner::MakeWhile(const HloInstruction& i) {
  const Axes manual = ManualOf(i);
  HLOIR_ASSIGN_OR_RETURN(Wanted wanted, WantedOf(i, manual));
  for (size_t k = 0; k < wanted.size(); ++k) {
    const Shape* leaf = i.shape().Leaves()[k];
    if (!wanted[k]) wanted[k] = Replicated(leaf->IsArray() ? leaf->rank() : 0, manual);
  }
  const std::vector<ArraySharding> state = OrReplicated(wanted, i.shape());
  HloInstruction* init = Join(Resharded(ValueOf(i.operand(0)), i.shape(), wanted), i.shape());
  HLOIR_RETURN_IF_ERROR(b.status());
  ComputationPartitioner of_body(m_, *i.while_body(), i.while_body()->name());
  of_body.FindInvariants(i);
  HLOIR_ASSIGN_OR_RETURN(HloComputation * body, of_body.Partition(state, wanted, nullptr));
  HLOIR_ASSIGN_OR_RETURN(HloComputation * condition,
                         ComputationPartitioner(m_, *i.while_condition(), i.while_condition()->name())
                             .Partition(state, {Replicated(0, manual)}, nullptr));
  HloInstruction* made = b.While(condition, body, init);
  if (made == nullptr) return b.status();
  if (!i.extras().backend_config.empty()) made->set_backend_config(i.extras().backend_config);
  Value value;
  Split(made, state, i.shape(), value);
  return value;
}

StatusOr<Value> ComputationPartitioner::MakeConditional(const HloInstruction& i) {
  const bool is_call = i.opcode() == HloOpcode::kCall;
  const Axes manual = ManualOf(i);
  HLOIR_ASSIGN_OR_RETURN(Wanted wanted, WantedOf(i, manual));
  std::vector<HloInstruction*> operands;
  std::vector<HloComputation*> called;
  std::vector<ArraySharding> results;
  if (!is_call) {
    for (size_t k = 0; k < wanted.size(); ++k) {
      const Shape* leaf = i.shape().Leaves()[k];
      if (!wanted[k]) wanted[k] = Replicated(leaf->IsArray() ? leaf->rank() : 0, manual);
    }
    const Part& selector = ValueOf(i.operand(0))[0];
    operands.push_back(Resharded(selector, i.operand(0)->shape(), Replicated(0, selector.sharding.manual)).local);
  }
  const int64_t first = is_call ? 0 : 1;
  for (int64_t k = first; k < i.operand_count(); ++k)
    operands.push_back(Join(ValueOf(i.operand(k)), i.operand(k)->shape()));
  HLOIR_RETURN_IF_ERROR(b.status());
  for (size_t c = 0; c < i.called_computations().size(); ++c) {
    const HloComputation& old = *i.called_computations()[c];
    std::vector<ArraySharding> parameters;
    const auto add = [&](const HloInstruction* operand) {
      for (const Part& part : ValueOf(operand)) parameters.push_back(part.sharding);
    };
    if (is_call) {
      for (const HloInstruction* operand : i.operands()) add(operand);
    } else {
      add(i.operand(static_cast<int64_t>(c) + 1));
    }
    HLOIR_ASSIGN_OR_RETURN(HloComputation * made,
                           ComputationPartitioner(m_, old, old.name()).Partition(parameters, wanted, &results));
    called.push_back(made);
  }
  HloInstruction* made = nullptr;
  if (is_call) made = b.Call(called[0], operands);
  else if (i.IsPredConditional()) made = b.Conditional(operands[0], operands[1], called[0], operands[2], called[1]);
  else made = b.Conditional(operands[0], called, std::span<HloInstruction* const>(operands).subspan(1));
  if (made == nullptr) return b.status();
  Value value;
  Split(made, results, i.shape(), value);
  return value;
}

StatusOr<Value> ComputationPartitioner::MakeCustomCall(const HloInstruction& i, CustomCall call) {
  if (call == CustomCall::kSharding && i.operand_count() == 1) {
    HLOIR_ASSIGN_OR_RETURN(const Wanted wanted, WantedOf(i, ManualOf(i)));
    return Resharded(ValueOf(i.operand(0)), i.shape(), wanted);
  }
  if (call == CustomCall::kSpmdFullToShardShape && i.operand_count() == 1) {
    HLOIR_ASSIGN_OR_RETURN(const Wanted wanted, ReadLeaves(mesh_, i));
    const Part& whole = ValueOf(i.operand(0))[0];
    ArraySharding manual = wanted[0].value_or(Replicated(i.shape().rank(), mesh_.AllAxes()));
    if (manual.manual.empty()) manual.manual = mesh_.AllAxes();
    // Axes that become manual cut first.
    ArraySharding cut = whole.sharding;
    for (size_t d = 0; d < cut.dims.size(); ++d) {
      std::stable_partition(cut.dims[d].begin(), cut.dims[d].end(), [&](int64_t a) {
        return std::find(manual.manual.begin(), manual.manual.end(), a) != manual.manual.end();
      });
      manual.dims[d].clear();
      for (int64_t a : cut.dims[d]) {
        if (std::find(manual.manual.begin(), manual.manual.end(), a) == manual.manual.end())
          manual.dims[d].push_back(a);
      }
    }
    Value shards = {Resharded(whole, i.operand(0)->shape(), cut)};
    Reorder(*i.operand(0), shards, /*back=*/true);
    HloInstruction* local = shards[0].local;
    if (local != nullptr && !(local->shape().SameDimensions(mesh_.ShardShape(i.shape(), manual))))
      return InvalidArgument(std::string(i.name()) + ": the shards of its operand have another shape");
    manual.manual = UnionOf(manual.manual, whole.sharding.manual);
    // A value that is partial along axes that become manual is now the device's own.
    manual.unreduced = whole.sharding.unreduced;
    manual.reduction = whole.sharding.reduction;
    Axes own = manual.manual;
    Drop(own, manual);
    return Value{{local, manual}};
  }
  if (call == CustomCall::kSpmdShardToFullShape && i.operand_count() == 1) {
    HLOIR_ASSIGN_OR_RETURN(const Wanted wanted, ReadLeaves(mesh_, i));
    const Part& shard = ValueOf(i.operand(0))[0];
    const ArraySharding to = wanted[0].value_or(Replicated(i.shape().rank()));
    ArraySharding cut = Replicated(i.shape().rank(), to.manual);
    cut.reduction = to.unreduced.empty() ? shard.sharding.reduction : to.reduction;
    for (int64_t a : to.unreduced) {
      const auto& was = shard.sharding.manual;
      if (std::find(was.begin(), was.end(), a) != was.end()) cut.unreduced.push_back(a);
    }
    cut.unreduced = UnionOf(cut.unreduced, shard.sharding.unreduced);
    for (size_t d = 0; d < cut.dims.size(); ++d) {
      for (int64_t a : to.dims[d]) {
        const auto& was = shard.sharding.manual;
        if (std::find(was.begin(), was.end(), a) != was.end()) cut.dims[d].push_back(a);
      }
      for (int64_t a : shard.sharding.dims[d]) cut.dims[d].push_back(a);
    }
    if (shard.local != nullptr && !shard.local->shape().SameDimensions(mesh_.ShardShape(i.shape(), cut)))
      return InvalidArgument(std::string(i.name()) + ": its operand is not the shard of its result");
    Value shards = {{shard.local, cut}};
    Reorder(i, shards, /*back=*/false);
    return Value{Resharded(shards[0], i.shape(), to)};
  }
  return MakeWhole(i);
}

}  // namespace

StatusOr<HloComputation*> PartitionComputation(PartitionState& state, const HloComputation& old, std::string_view name,
                                               const std::vector<ArraySharding>& parameters, const Wanted& wanted,
                                               std::vector<ArraySharding>* result) {
  return ComputationPartitioner(state, old, name).Partition(parameters, wanted, result);
}

}  // namespace hloir::spmd
