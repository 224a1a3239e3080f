// See flat_interface.h.
#include "check/flat_interface.h"

#include <algorithm>
#include <vector>

#include "hloir/rewrite_util.h"
#include "support/format.h"

namespace hloir::check {
namespace {

// An array of a parameter, or of a tuple in it.
struct Leaf {
  Shape shape;
  bool is_read = true;
};
using Leaves = std::vector<Leaf>;

Leaves LeavesOfParameters(const HloComputation& entry) {
  Leaves leaves;
  for (const HloInstruction* parameter : entry.parameters()) {
    const bool is_taken_apart =
        parameter != entry.root() && parameter->shape().IsTuple() &&
        std::all_of(parameter->users().begin(), parameter->users().end(),
                    [](const HloInstruction* user) { return user->opcode() == HloOpcode::kGetTupleElement; });
    if (!is_taken_apart) {
      const bool is_read = parameter == entry.root() || parameter->user_count() > 0;
      for (const Shape* leaf : parameter->shape().Leaves()) leaves.push_back({*leaf, is_read});
      continue;
    }
    std::vector<bool> is_read(static_cast<size_t>(parameter->shape().tuple_size()));
    for (const HloInstruction* user : parameter->users()) is_read[static_cast<size_t>(user->tuple_index())] = true;
    for (size_t k = 0; k < is_read.size(); ++k) {
      for (const Shape* leaf : parameter->shape().tuple_shapes(static_cast<int64_t>(k)).Leaves())
        leaves.push_back({*leaf, is_read[k]});
    }
  }
  return leaves;
}

void KeepRead(Leaves& leaves) {
  std::erase_if(leaves, [](const Leaf& leaf) { return !leaf.is_read && leaf.shape.IsArray(); });
}

bool SameShapes(const Leaves& a, const Leaves& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Leaf& x, const Leaf& y) { return x.shape.Compatible(y.shape); });
}

bool HasOneDevice(const HloModule& module) {
  return module.config().replica_count <= 1 && module.config().num_partitions <= 1;
}

// Makes the entry computation with the flat interface.
class Flattener {
 public:
  explicit Flattener(HloModule& module) : module_(module), old_(*module.entry_computation()) {}

  // `pruned`: arrays that are not read are no parameters.
  void Run(bool pruned) {
    const Leaves leaves = LeavesOfParameters(old_);
    entry_ = module_.AddComputation(Format("{}.flat", old_.name()));
    for (const Leaf& leaf : leaves) {
      if (pruned && !leaf.is_read && leaf.shape.IsArray()) {
        arguments_.push_back(Zeros(leaf.shape));
        continue;
      }
      const int64_t number = entry_->parameter_count();
      arguments_.push_back(entry_->AddParameter(number, leaf.shape, Format("in{}", number)));
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* parameter : old_.parameters()) operands.push_back(Packed(parameter->shape()));
    HloInstruction* program =
        entry_->AddInstruction(HloOpcode::kCall, old_.root()->shape(), operands, CallAttributes(), "program");
    program->AddCalledComputation(&old_);
    module_.set_entry_computation(entry_);
    if (MayBeInlined(old_, *entry_)) {
      entry_->set_root(program);
      HloInstruction* root = InlineBefore(program, old_, operands);
      entry_->set_root(root);
      entry_->RemoveInstruction(program);
      module_.RemoveComputation(&old_);
      program = root;
    }
    std::vector<HloInstruction*> results;
    Unpack(program, results);
    entry_->set_root(results.size() == 1 ? results[0] : entry_->AddTuple(results));
    ModuleConfig& config = module_.config();
    config.entry_computation_layout.reset();
    config.input_output_alias.clear();
    config.buffer_donor.clear();
    config.allow_spmd_sharding_propagation_to_parameters = {};
    config.allow_spmd_sharding_propagation_to_output = {};
  }

 private:
  // In place of an argument that nobody reads.
  HloInstruction* Zeros(const Shape& shape) {
    HloInstruction* zero = entry_->AddConstant(Literal::Zero(shape.element_type()));
    return shape.rank() == 0 ? zero
                             : entry_->AddInstruction(HloOpcode::kBroadcast, shape, {zero}, DimensionsAttributes());
  }
  // The next arguments, in tuples as `shape` has them.
  HloInstruction* Packed(const Shape& shape) {
    if (!shape.IsTuple()) return arguments_[next_++];
    std::vector<HloInstruction*> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Packed(element));
    return entry_->AddTuple(elements);
  }
  void Unpack(HloInstruction* value, std::vector<HloInstruction*>& leaves) {
    if (!value->shape().IsTuple()) return leaves.push_back(value);
    for (int64_t k = 0; k < value->shape().tuple_size(); ++k) {
      HloInstruction* element =
          value->opcode() == HloOpcode::kTuple ? value->operand(k) : entry_->AddGetTupleElement(value, k);
      Unpack(element, leaves);
    }
  }

  HloModule& module_;
  HloComputation& old_;
  HloComputation* entry_ = nullptr;
  std::vector<HloInstruction*> arguments_;
  size_t next_ = 0;
};

}  // namespace

bool SameInterface(const HloModule& a, const HloModule& b) {
  if (a.entry_computation() == nullptr || b.entry_computation() == nullptr) return false;
  const ProgramShape p = a.entry_computation()->program_shape(), q = b.entry_computation()->program_shape();
  if (p.parameters.size() != q.parameters.size() || !p.result.Compatible(q.result)) return false;
  for (size_t k = 0; k < p.parameters.size(); ++k)
    if (!p.parameters[k].Compatible(q.parameters[k])) return false;
  return true;
}

std::string GiveOneInterface(HloModule& before, HloModule& after) {
  if (before.entry_computation() == nullptr || after.entry_computation() == nullptr) return "";
  if (SameInterface(before, after) || !HasOneDevice(before) || !HasOneDevice(after)) return "";
  const std::vector<const Shape*> p = before.entry_computation()->root()->shape().Leaves(),
                                  q = after.entry_computation()->root()->shape().Leaves();
  if (!std::equal(p.begin(), p.end(), q.begin(), q.end(),
                  [](const Shape* r, const Shape* s) { return r->Compatible(*s); }))
    return "";
  Leaves of_before = LeavesOfParameters(*before.entry_computation()),
         of_after = LeavesOfParameters(*after.entry_computation());
  const size_t all_before = of_before.size(), all_after = of_after.size();
  bool prune_before = false, prune_after = false;
  if (!SameShapes(of_before, of_after)) {
    prune_before = all_before >= all_after, prune_after = all_after >= all_before;
    if (prune_before) KeepRead(of_before);
    if (prune_after) KeepRead(of_after);
    if (!SameShapes(of_before, of_after)) {
      KeepRead(of_before);
      KeepRead(of_after);
      prune_before = prune_after = true;
    }
    if (!SameShapes(of_before, of_after)) return "";
  }
  Flattener(before).Run(prune_before);
  Flattener(after).Run(prune_after);
  std::string note = "the modules take or return the same arrays in other forms; they are compared array by array";
  if (all_before > of_before.size())
    note += Format(", without {} that the first module does not read", all_before - of_before.size());
  if (all_after > of_after.size())
    note += Format("{} without {} that the second does not read", all_before > of_before.size() ? " and" : ",",
                   all_after - of_after.size());
  return note;
}

}  // namespace hloir::check
