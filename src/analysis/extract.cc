// See analysis/extract.h.
#include "analysis/extract.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace hloir {
namespace {

std::unique_ptr<HloModule> NewModule(const HloInstruction& i) {
  auto module = std::make_unique<HloModule>(std::string(i.name()));
  module->config().replica_count = i.module()->config().replica_count;
  module->config().num_partitions = i.module()->config().num_partitions;
  return module;
}

}  // namespace

HloInstruction* InstructionCopier::Copy(const HloInstruction& i, std::span<HloInstruction* const> operands) {
  HloInstruction* copy = into_.AddClone(i, operands);
  for (const HloComputation* called : i.called_computations()) {
    // The body of a fusion has but one caller.
    const bool own = i.opcode() == HloOpcode::kFusion || i.opcode() == HloOpcode::kAsyncStart;
    HloComputation*& known = called_[called];
    if (known == nullptr || own) known = into_.module()->CloneComputation(*called);
    copy->AddCalledComputation(known);
  }
  return copy;
}

std::unique_ptr<HloModule> ExtractCone(const HloInstruction& root, int64_t height,
                                       std::span<const HloInstruction* const> boundary) {
  const std::unordered_set<const HloInstruction*> given(boundary.begin(), boundary.end());
  // Breadth first, so that each is reached at its minimal height; `true`: a parameter of the new module.
  std::unordered_map<const HloInstruction*, bool> needed;
  std::vector<const HloInstruction*> level{&root}, next;
  for (int64_t at = 0; !level.empty(); ++at) {
    next.clear();
    for (const HloInstruction* i : level) {
      const bool is_parameter = i->IsParameter() || given.contains(i) || at == height;
      if (!needed.emplace(i, is_parameter).second || is_parameter) continue;
      for (const HloInstruction* operand : i->operands()) next.push_back(operand);
    }
    level.swap(next);
  }

  std::unique_ptr<HloModule> module = NewModule(root);
  HloComputation* entry = module->AddComputation(root.parent()->name());
  module->set_entry_computation(entry);
  InstructionCopier copier(*entry);
  std::unordered_map<const HloInstruction*, HloInstruction*> copies;
  std::vector<HloInstruction*> operands;
  for (const HloInstruction* i : root.parent()->PostOrder()) {
    const auto found = needed.find(i);
    if (found == needed.end()) continue;
    if (found->second) {
      copies[i] = entry->AddParameter(entry->parameter_count(), i->shape(), i->name());
      continue;
    }
    operands.clear();
    for (const HloInstruction* operand : i->operands()) operands.push_back(copies.at(operand));
    copies[i] = copier.Copy(*i, operands);
  }
  entry->set_root(copies.at(&root));
  module->PutInTextOrder();
  return module;
}

std::unique_ptr<HloModule> RepeatInstruction(const HloInstruction& instruction, int64_t times) {
  std::unique_ptr<HloModule> module = NewModule(instruction);
  HloComputation* entry = module->AddComputation("repeated");
  module->set_entry_computation(entry);
  std::unordered_map<const HloInstruction*, HloInstruction*> parameters;
  std::vector<HloInstruction*> operands;
  for (const HloInstruction* operand : instruction.operands()) {
    HloInstruction*& parameter = parameters[operand];
    if (parameter == nullptr)
      parameter = entry->AddParameter(entry->parameter_count(), operand->shape(), operand->name());
    operands.push_back(parameter);
  }
  InstructionCopier copier(*entry);
  HloInstruction* last = nullptr;
  for (int64_t time = 0; time < times; ++time) {
    HloInstruction* copy = copier.Copy(instruction, operands);
    if (last != nullptr) last->AddControlDependencyTo(copy);
    last = copy;
  }
  entry->set_root(last);
  module->PutInTextOrder();
  return module;
}

}  // namespace hloir
