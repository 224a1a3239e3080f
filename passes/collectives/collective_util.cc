// See collectives.h. tests/passes: *-combiner, *-cse, *-reassociate, reduce-scatter-decomposer.
#include "collective_util.h"

#include <algorithm>
#include <unordered_map>

#include "hloir/rules.h"
#include "hloir/analysis.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

template <class A>
bool Alike(const A& x, const A& y) {
  bool alike = x.channel_id.has_value() == y.channel_id.has_value();
  if constexpr (requires { x.replica_groups; }) alike = alike && x.replica_groups == y.replica_groups;
  if constexpr (requires { x.use_global_device_ids; })
    alike = alike && x.use_global_device_ids == y.use_global_device_ids;
  if constexpr (requires { x.constrain_layout; }) alike = alike && x.constrain_layout == y.constrain_layout;
  if constexpr (requires { x.dimensions; }) alike = alike && x.dimensions == y.dimensions;
  if constexpr (requires { x.source_target_pairs; }) {
    alike = alike && x.source_target_pairs == y.source_target_pairs && x.slice_sizes == y.slice_sizes;
  }
  return alike;
}

int64_t OperandBytes(const HloInstruction& i) {
  int64_t bytes = 0;
  for (const HloInstruction* operand : i.operands()) bytes += std::min(operand->shape().ByteSize(), INT64_MAX - bytes);
  return bytes;
}

constexpr NumberOption kMaxCombinedBytes = {"max-bytes", "bytes of operands in one combined collective",
                                            int64_t{30} << 20};
constexpr NumberOption kMaxOperands = {"max-operands", "operands of one combined collective", 256};

class Combiner : public RewritingPass {
 public:
  Combiner(std::string_view name, const PassOptions& options, HloOpcode opcode, const RuleInfo& rule)
      : RewritingPass(name, options), opcode_(opcode), rule_(rule) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (module.config().is_scheduled) return false;
    for (HloComputation* computation : ControlFlowComputations(module)) changed |= RunOn(*computation);
    return changed;
  }

 private:
  // The number of these collectives on the longest path to each, its level. Collectives of one level do not depend on
  // each other, nor do the combined ones of two levels form a cycle.
  std::vector<std::vector<HloInstruction*>> Levels(HloComputation& computation) const {
    std::vector<std::vector<HloInstruction*>> levels;
    std::unordered_map<const HloInstruction*, size_t> before;
    for (HloInstruction* i : computation.PostOrder()) {
      size_t level = 0;
      for (const HloInstruction* operand : i->operands()) level = std::max(level, before[operand]);
      for (const HloInstruction* predecessor : i->control_predecessors()) level = std::max(level, before[predecessor]);
      const bool collective = i->opcode() == opcode_;
      if (collective && IsPlainCollective(*i)) {
        levels.resize(std::max(levels.size(), level + 1));
        levels[level].push_back(i);
      }
      before[i] = level + collective;
    }
    return levels;
  }

  bool RunOn(HloComputation& computation) {
    bool changed = false;
    for (std::vector<HloInstruction*>& left : Levels(computation)) {
      while (left.size() > 1) {
        std::vector<HloInstruction*> group{left[0]}, rest;
        int64_t bytes = OperandBytes(*left[0]), operands = left[0]->operand_count();
        for (size_t k = 1; k < left.size(); ++k) {
          HloInstruction* other = left[k];
          const int64_t more = OperandBytes(*other);
          const bool joins = more <= max_bytes_ - bytes && operands + other->operand_count() <= max_operands_ &&
                             SameCollective(*left[0], *other);
          if (joins) group.push_back(other), bytes += more, operands += other->operand_count();
          else rest.push_back(other);
        }
        if (group.size() > 1 && Ask(rule_, *group[0])) {
          Combine(group);
          changed = true;
        }
        left = std::move(rest);
      }
    }
    return changed;
  }

  void Combine(const std::vector<HloInstruction*>& group) {
    HloComputation& computation = *group[0]->parent();
    std::vector<HloInstruction*> operands;
    std::vector<Shape> shapes;
    for (HloInstruction* i : group) {
      operands.insert(operands.end(), i->operands().begin(), i->operands().end());
      for (const Shape* leaf : i->shape().Leaves()) shapes.push_back(*leaf);
    }
    const Shape shape = Shape::Tuple(std::move(shapes));
    HloInstruction* all = computation.AddClone(*group[0], operands, &shape);
    int64_t next = 0;
    for (HloInstruction* i : group) {
      std::vector<HloInstruction*> results;
      for (int64_t k = 0; k < i->operand_count(); ++k) results.push_back(computation.AddGetTupleElement(all, next++));
      all->MergeMetadataOf(*i);
      i->ReplaceAllUsesWith(i->shape().IsTuple() ? computation.AddTuple(results) : results[0]);
    }
    gate_.Done(all);
    for (HloInstruction* i : group) computation.RemoveInstruction(i);
  }

  const int64_t max_bytes_ = options_.Get(kMaxCombinedBytes), max_operands_ = options_.Get(kMaxOperands);
  HloOpcode opcode_;
  RuleInfo rule_;
};

class CollectiveCse : public RewritingPass {
 public:
  CollectiveCse(std::string_view name, const PassOptions& options, HloOpcode opcode, const RuleInfo& rule)
      : RewritingPass(name, options), opcode_(opcode), rule_(rule) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      std::unordered_map<const HloInstruction*, std::vector<HloInstruction*>> seen;  // by operand
      for (HloInstruction* collective : InstructionsOf(*computation, opcode_)) {
        if (collective->operand_count() != 1 || !IsPlainCollective(*collective)) continue;
        std::vector<HloInstruction*>& earlier = seen[collective->operand(0)];
        const auto same = std::find_if(earlier.begin(), earlier.end(), [&](const HloInstruction* candidate) {
          return candidate->shape() == collective->shape() && SameCollective(*candidate, *collective);
        });
        if (same == earlier.end() || !Ask(rule_, *collective)) {
          earlier.push_back(collective);
          continue;
        }
        collective->ReplaceAllUsesWith(*same);
        gate_.Done(*same);
        computation->RemoveInstruction(collective);
        changed = true;
      }
    }
    return changed;
  }

 private:
  HloOpcode opcode_;
  RuleInfo rule_;
};

class Reassociate : public RewritingPass {
 public:
  Reassociate(std::string_view name, const PassOptions& options, HloOpcode opcode, const RuleInfo& rule)
      : RewritingPass(name, options), opcode_(opcode), rule_(rule) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* op : computation->PostOrder()) changed |= RunOn(op);
    }
    return changed;
  }

 private:
  bool MayMove(const HloInstruction& i) const {
    if (i.opcode() != opcode_ || i.operand_count() != 1 || i.user_count() != 1 || !IsPlainCollective(i)) return false;
    return opcode_ != HloOpcode::kAllReduce || !i.attributes<AllReduceAttributes>().constrain_layout;
  }
  bool RunOn(HloInstruction* op) {
    if (op->operand_count() != 2 || !op->Is(kAssociative) || op->HasControlDependencies() || HasAnnotations(*op))
      return false;
    HloInstruction *a = op->operand(0), *b = op->operand(1);
    if (a == b || !MayMove(*a) || !MayMove(*b) || !SameCollective(*a, *b) ||
        rules::BinaryReducer(a->to_apply()) != op->opcode())
      return false;
    if (!(a->shape() == op->shape()) || !(b->shape() == op->shape()) ||
        !(a->operand(0)->shape() == b->operand(0)->shape()))
      return false;
    const PrimitiveType type = op->shape().element_type();
    if (a->operand(0)->shape().element_type() != type) return false;
    const bool rounds =
        (IsFloat(type) || IsComplex(type)) && (op->opcode() == HloOpcode::kAdd || op->opcode() == HloOpcode::kMultiply);
    if (!Ask(rule_, rounds ? MathMode::kRounding : MathMode::kExact, *op)) return false;
    HloComputation& computation = *op->parent();
    HloInstruction* joined =
        computation.AddClone(*op, std::vector{a->operand(0), b->operand(0)}, &a->operand(0)->shape());
    HloInstruction* reduced = computation.AddClone(*a, std::span(&joined, 1));
    computation.MoveBefore(joined, op);
    computation.MoveBefore(reduced, op);
    reduced->MergeMetadataOf(*b);
    op->ReplaceAllUsesWith(reduced);
    gate_.Done(reduced);
    for (HloInstruction* gone : {op, a, b}) computation.RemoveInstruction(gone);
    return true;
  }

  HloOpcode opcode_;
  RuleInfo rule_;
};

// The running device's place in its group, s32[]. nullptr if some device is in none.
HloBuilder::Op PlaceInGroup(HloBuilder& b, const HloInstruction& collective) {
  const ReplicaGroups* groups = nullptr;
  bool channel = false, global = false;
  AttributesTypeSwitch(collective.opcode(), [&]<class T>(std::type_identity<T>) {
    if constexpr (requires(T attributes) { attributes.use_global_device_ids; }) {
      const T& attributes = collective.attributes<T>();
      groups = &attributes.replica_groups, channel = attributes.channel_id.has_value(),
      global = attributes.use_global_device_ids;
    }
  });
  constexpr int64_t kMostDevices = 1 << 16;
  const int64_t replicas = b.module().config().replica_count, partitions = b.module().config().num_partitions;
  if (groups == nullptr || replicas < 1 || partitions < 1 || replicas > kMostDevices || partitions > kMostDevices)
    return nullptr;
  // Groups consist of replicas (with a channel, of all their partitions) or of devices.
  const bool of_devices = channel && global;
  const int64_t ids = of_devices ? replicas * partitions : replicas;
  if (ids > kMostDevices) return nullptr;
  std::vector<std::vector<int64_t>> lists = groups->Expand();
  if (lists.empty()) {
    lists.emplace_back();
    for (int64_t id = 0; id < ids; ++id) lists[0].push_back(id);
  }
  Literal places(Shape::Array(PrimitiveType::S32, {ids}));
  std::fill(places.data<int32_t>().begin(), places.data<int32_t>().end(), -1);
  for (const std::vector<int64_t>& list : lists) {
    for (size_t k = 0; k < list.size(); ++k) {
      if (list[k] < 0 || list[k] >= ids) return nullptr;
      places.data<int32_t>()[static_cast<size_t>(list[k])] = static_cast<int32_t>(k);
    }
  }
  for (int32_t place : places.data<int32_t>()) {
    if (place < 0) return nullptr;
  }
  const auto s32 = [&](HloBuilder::Op id) { return b.Convert(id, PrimitiveType::S32); };
  const auto times_partitions = [&](HloBuilder::Op x) {
    return b.Multiply(x, b.Constant(static_cast<int32_t>(partitions)));
  };
  HloBuilder::Op id = s32(b.ReplicaId());
  if (of_devices) id = b.Add(times_partitions(id), s32(b.PartitionId()));
  const HloBuilder::Op place = b.Reshape(b.DynamicSlice(b.Constant(std::move(places)), {id}, {1}), {});
  return channel && !global ? b.Add(times_partitions(place), s32(b.PartitionId())) : place;
}

}  // namespace

bool SameCollective(const HloInstruction& a, const HloInstruction& b) {
  if (a.opcode() != b.opcode() || a.called_computations().size() != b.called_computations().size()) return false;
  for (size_t k = 0; k < a.called_computations().size(); ++k) {
    const HloComputation *f = a.called_computations()[k], *g = b.called_computations()[k];
    if (f != g && !StructurallyEqual(*f, *g)) return false;
  }
  return AttributesTypeSwitch(a.opcode(), [&]<class T>(std::type_identity<T>) {
    if constexpr (requires(T attributes) { attributes.channel_id; }) return Alike(a.attributes<T>(), b.attributes<T>());
    return false;
  });
}

bool IsPlainCollective(const HloInstruction& i) {
  if (i.HasControlDependencies() || HasAnnotations(i) || i.operand_count() == 0) return false;
  if (i.shape().IsTuple() != (i.operand_count() > 1)) return false;
  return std::all_of(i.operands().begin(), i.operands().end(),
                     [](const HloInstruction* x) { return x->shape().IsArray(); });
}

HloInstruction* CollectiveOf(const HloInstruction& collective, HloInstruction* operand, const Shape& shape,
                             HloInstruction* place) {
  HloInstruction* made = place->parent()->AddClone(collective, std::span(&operand, 1), &shape);
  if (shape.element_type() != collective.shape().element_type() && !collective.called_computations().empty()) {
    const HloOpcode op = *rules::BinaryReducer(collective.to_apply());
    made->set_called_computation(0, MakeReducer(*place->module(), op, shape.element_type()));
  }
  place->parent()->MoveBefore(made, place);
  return made;
}

bool IsLoopBody(const HloComputation& computation) {
  return std::any_of(computation.callers().begin(), computation.callers().end(), [&](const HloInstruction* caller) {
    return caller->opcode() == HloOpcode::kWhile && caller->while_body() == &computation;
  });
}

namespace {
// Makes a P for one opcode and rule.
template <class P>
auto MakerOf(HloOpcode opcode, const RuleInfo& rule) {
  return [opcode, rule](std::string_view name, const PassOptions& options) {
    return std::make_unique<P>(name, options, opcode, rule);
  };
}
}  // namespace

PassDefinition DefineCombiner(HloOpcode opcode, const RuleInfo& rule) {
  return {MakerOf<Combiner>(opcode, rule), {rule}, {kMaxCombinedBytes, kMaxOperands}};
}

PassDefinition DefineCollectiveCse(HloOpcode opcode, const RuleInfo& rule) {
  return {MakerOf<CollectiveCse>(opcode, rule), {rule}};
}

PassDefinition DefineReassociate(HloOpcode opcode, const RuleInfo& rule) {
  return {MakerOf<Reassociate>(opcode, rule), {rule}};
}

std::vector<HloBuilder::Op> PartStarts(HloBuilder& b, const HloInstruction& collective, int64_t d, int64_t size) {
  std::vector<HloBuilder::Op> starts(static_cast<size_t>(collective.shape().rank()));
  for (HloBuilder::Op& start : starts) start = b.Constant(int32_t{0});
  starts[static_cast<size_t>(d)] = b.Multiply(PlaceInGroup(b, collective), b.Constant(static_cast<int32_t>(size)));
  return starts;
}

}  // namespace hloir
