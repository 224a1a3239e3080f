// spmd-partitioning: partitions a module whose instructions have shardings into the program of one device.
//
// BEFORE --math=rounding
// HloModule example, num_partitions=2
//
// ENTRY main {
//   x = f32[4,6]{1,0} parameter(0), sharding={devices=[1,2]<=[2]}
//   w = f32[6,8]{1,0} parameter(1), sharding={devices=[2,1]<=[2]}
//   ROOT y = f32[4,8]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}
// }
// AFTER
// HloModule example, num_partitions=2
//
// add_f32 {
//   x2 = f32[] parameter(0)
//   y2 = f32[] parameter(1)
//   ROOT add = f32[] add(x2, y2)
// }
//
// ENTRY main_spmd {
//   x = f32[4,3]{1,0} parameter(0), sharding={devices=[1,2]<=[2]}
//   w = f32[3,8]{1,0} parameter(1), sharding={devices=[2,1]<=[2]}
//   dot = f32[4,8]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   ROOT all-reduce = f32[4,8]{1,0} all-reduce(dot), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true,
//   to_apply=add_f32, sharding={replicated}
// }
// END
//
// Parameters and result keep their shardings, by which tools (hloir verify) split inputs and assemble results. An
// instruction without a sharding (sharding-propagation has not run) follows its operands. Instructions without a rule
// are computed unpartitioned by each device. The order of sums changes in every math mode. Leaves alone: modules for
// one device, and entries named …_spmd, the suffix of partitioned entries (also XLA's). Design: docs/partition.md.
#include <algorithm>

#include "hloir/custom_call.h"
#include "hloir/rewrite_util.h"
#include "computation_partitioner.h"
#include "merge_pads.h"
#include "shardy.h"

namespace hloir {
namespace spmd {
namespace {

constexpr RuleInfo kPartition = {"partition", "a program on whole arrays => each device's program on its shards"};

// Removes computations without callers, and sharding annotations in reducers, which are not partitioned.
void RemoveUnreached(HloModule& module, HloComputation* entry) {
  std::vector<bool> reached(static_cast<size_t>(module.computation_id_limit()));
  std::vector<HloComputation*> todo = {entry}, dead;
  while (!todo.empty()) {
    HloComputation* computation = todo.back();
    todo.pop_back();
    if (reached[static_cast<size_t>(computation->id())]) continue;
    reached[static_cast<size_t>(computation->id())] = true;
    for (HloInstruction* i : computation->instructions()) {
      todo.insert(todo.end(), i->called_computations().begin(), i->called_computations().end());
      if (!IsCustomCall(*i, CustomCall::kSharding) || i->operand_count() != 1) continue;
      i->ReplaceAllUsesWith(i->operand(0));
      computation->RemoveInstruction(i);
    }
  }
  for (HloComputation* computation : module.computations()) {
    if (!reached[static_cast<size_t>(computation->id())]) dead.push_back(computation);
  }
  module.RemoveComputations(dead);
}

class SpmdPartitioner : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;
  StatusOr<bool> Run(HloModule& module) override;
};

StatusOr<bool> SpmdPartitioner::Run(HloModule& module) {
  HloComputation& old = *module.entry_computation();
  if (IsPartitioned(module) || !gate_.Enabled(kPartition)) return false;
  bool imported = false;
  if (HasShardy(module)) {
    HLOIR_ASSIGN_OR_RETURN(imported, ImportShardy(module));
  }
  const int64_t devices = PartitionCount(module);
  if (devices <= 1 || !Ask(kPartition, *old.root())) return imported;
  module.config().num_partitions = devices;
  PaddedByValue padded;
  for (HloComputation* computation : module.computations()) MergePads(*computation, padded);
  HLOIR_ASSIGN_OR_RETURN(const DeviceMesh mesh, DeviceMesh::Of(module, devices));
  constexpr int64_t kGrowth = 64, kSmall = 100000;
  PartitionState m{module, mesh, Reducers(module), 1, kGrowth * module.instruction_count() + kSmall, padded};
  for (const HloInstruction* i : module.AllInstructions()) {
    i->attributes().Visit([&](const auto& attributes) {
      if constexpr (requires { attributes.channel_id; })
        m.next_channel = std::max(m.next_channel, attributes.channel_id.value_or(0) + 1);
    });
  }
  std::vector<ArraySharding> parameters;
  for (const HloInstruction* parameter : old.parameters()) {
    HLOIR_ASSIGN_OR_RETURN(const Wanted wanted, ReadLeaves(mesh, *parameter));
    for (ArraySharding& sharding : OrReplicated(wanted, parameter->shape())) parameters.push_back(std::move(sharding));
  }
  HLOIR_ASSIGN_OR_RETURN(Wanted wanted, ReadLeaves(mesh, *old.root()));
  const std::vector<ArraySharding> results = OrReplicated(wanted, old.root()->shape());
  wanted.assign(results.begin(), results.end());
  HLOIR_ASSIGN_OR_RETURN(HloComputation * made,
                         PartitionComputation(m, old, std::string(old.name()) + "_spmd", parameters, wanted, nullptr));
  // Parameters and root say how they are sharded.
  const auto annotate = [&](HloInstruction* i, const HloInstruction& was, std::span<const ArraySharding> shardings) {
    const std::vector<const Sharding*> said = LeafShardings(was.sharding(), was.shape());
    std::vector<Sharding> leaves;
    for (size_t k = 0; k < shardings.size(); ++k) {
      const bool own_order = said[k] != nullptr && !mesh.Reordering(*said[k]).empty();
      leaves.push_back(own_order ? *said[k] : mesh.Write(shardings[k]));
    }
    Sharding written;
    if (!was.shape().IsTuple()) {
      written = std::move(leaves[0]);
    } else {
      written.kind = Sharding::Kind::kTuple;
      written.tuple_elements = std::move(leaves);
    }
    i->set_sharding(std::move(written));
  };
  size_t next = 0;
  for (int64_t k = 0; k < old.parameter_count(); ++k) {
    const size_t leaves = LeafCount(old.parameter(k)->shape());
    annotate(made->parameter(k), *old.parameter(k), std::span(parameters).subspan(next, leaves));
    next += leaves;
  }
  if (made->root()->IsParameter() && !(results == std::vector<ArraySharding>{parameters[0]}))
    made->set_root(made->AddInstruction(HloOpcode::kCopy, made->root()->shape(), {made->root()}));
  annotate(made->root(), *old.root(), results);
  module.set_entry_computation(made);
  gate_.Done(made->root());
  RemoveUnreached(module, made);
  ModuleConfig& config = module.config();
  config.entry_computation_layout.reset();
  config.is_scheduled = false;
  // An alias stays where both sides are still of one shape.
  const auto differ = [&](const InputOutputAlias& alias) {
    const Shape* out = made->root()->shape().AtIndex(alias.output_index);
    const Shape* in = alias.parameter < made->parameter_count()
                          ? made->parameter(alias.parameter)->shape().AtIndex(alias.parameter_index)
                          : nullptr;
    return out == nullptr || in == nullptr || !out->Compatible(*in);
  };
  std::erase_if(config.input_output_alias, differ);
  return true;
}

}  // namespace
}  // namespace spmd

PassDefinition DefineSpmdPartitioner() { return {MakePassOf<spmd::SpmdPartitioner>, {spmd::kPartition}}; }

}  // namespace hloir
