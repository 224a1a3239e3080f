// See exchanges.h. tests/passes/*-combiner.
#include "exchanges.h"

#include <algorithm>

#include "hloir/reachability.h"
#include "hloir/structural.h"
#include "pass_util.h"

namespace hloir {
namespace {

template <class A>
bool Alike(const A& x, const A& y) {
  bool alike = x.channel_id.has_value() == y.channel_id.has_value();
  if constexpr (requires { x.replica_groups; }) alike = alike && x.replica_groups == y.replica_groups;
  if constexpr (requires { x.use_global_device_ids; }) alike = alike && x.use_global_device_ids == y.use_global_device_ids;
  if constexpr (requires { x.constrain_layout; }) alike = alike && x.constrain_layout == y.constrain_layout;
  if constexpr (requires { x.dimensions; }) alike = alike && x.dimensions == y.dimensions;
  if constexpr (requires { x.source_target_pairs; }) {
    alike = alike && x.source_target_pairs == y.source_target_pairs && x.slice_sizes == y.slice_sizes;
  }
  return alike;
}

// Arrays alone: a permutation in place has tuples for operands.
bool IsPlain(const HloInstruction& i) {
  if (i.HasControlDependencies() || HasAnnotations(i) || i.operand_count() == 0) return false;
  if (i.shape().IsTuple() != (i.operand_count() > 1)) return false;
  return std::all_of(i.operands().begin(), i.operands().end(), [](const HloInstruction* x) { return x->shape().IsArray(); });
}
int64_t OperandBytes(const HloInstruction& i) {
  int64_t bytes = 0;
  for (const HloInstruction* operand : i.operands()) bytes += std::min(operand->shape().ByteSize(), INT64_MAX - bytes);
  return bytes;
}

class Combiner : public RewritingPass {
 public:
  Combiner(std::string_view name, HloOpcode opcode, std::string_view formula, const PassOptions& options)
      : RewritingPass(name, options), opcode_(opcode), formula_(formula) {}

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    if (module.config().is_scheduled) return false;
    for (HloComputation* computation : ControlFlowComputations(module)) changed |= RunOn(*computation);
    return changed;
  }

 private:
  bool RunOn(HloComputation& computation) {
    std::vector<HloInstruction*> left = InstructionsOf(computation, opcode_);
    std::erase_if(left, [](const HloInstruction* i) { return !IsPlain(*i); });
    std::optional<Reachability> reach;  // of the computation as it is
    bool changed = false;
    while (left.size() > 1) {
      if (!reach) {
        StatusOr<Reachability> made = Reachability::Make(computation);
        if (!made.ok()) return changed;
        reach = std::move(*made);
      }
      std::vector<HloInstruction*> group{left[0]}, rest;
      int64_t bytes = OperandBytes(*left[0]), operands = left[0]->operand_count();
      for (size_t k = 1; k < left.size(); ++k) {
        HloInstruction* other = left[k];
        const int64_t more = OperandBytes(*other);
        const bool joins = SameExchange(*left[0], *other) && more <= options_.combiner.max_bytes - bytes &&
                           operands + other->operand_count() <= options_.combiner.max_operands &&
                           std::none_of(group.begin(), group.end(), [&](const HloInstruction* i) { return reach->AreConnected(*i, *other); });
        if (joins) group.push_back(other), bytes += more, operands += other->operand_count();
        else rest.push_back(other);
      }
      if (group.size() > 1 && Ask("combine", formula_, *group[0])) {
        Combine(group);
        reach.reset();
        changed = true;
      }
      left = std::move(rest);
    }
    return changed;
  }

  void Combine(const std::vector<HloInstruction*>& group) {
    HloComputation& computation = *group[0]->parent();
    std::vector<HloInstruction*> operands;
    std::vector<Shape> shapes;
    for (const HloInstruction* i : group) {
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

  HloOpcode opcode_;
  std::string_view formula_;
};

}  // namespace

bool SameExchange(const HloInstruction& a, const HloInstruction& b) {
  if (a.opcode() != b.opcode() || a.called_computations().size() != b.called_computations().size()) return false;
  for (size_t k = 0; k < a.called_computations().size(); ++k) {
    if (!StructurallyEqual(*a.called_computations()[k], *b.called_computations()[k])) return false;
  }
  return AttributesTypeSwitch(a.opcode(), [&]<class T>(std::type_identity<T>) {
    if constexpr (requires(T attributes) { attributes.channel_id; }) return Alike(a.attributes<T>(), b.attributes<T>());
    return false;
  });
}

std::unique_ptr<HloPass> MakeCombiner(std::string_view name, HloOpcode opcode, std::string_view formula, const PassOptions& options) {
  return std::make_unique<Combiner>(name, opcode, formula, options);
}

}  // namespace hloir
