// See graph_loader.h.
#include "ir/graph_loader.h"

#include <algorithm>

#include "support/format.h"

namespace hloir {

// Most instructions have metadata of their own, so it pays not to have them all destroyed: but for a long profile_type,
// which almost none has, an OpMetadata owns no memory.
OpMetadata* GraphLoader::NewMetadata() {
  return new (module_.arena_.Allocate(sizeof(OpMetadata), alignof(OpMetadata))) OpMetadata;
}

OpMetadata* GraphLoader::Own(OpMetadata* metadata) {
  if (metadata->profile_type.is_inline()) return metadata;
  OpMetadata* owned = module_.arena_.New<OpMetadata>(std::move(*metadata));
  metadata->~OpMetadata();
  return owned;
}

HloComputation* GraphLoader::NewComputation(std::string_view name, int32_t line) {
  HloComputation* computation = module_.arena_.New<HloComputation>();
  computation->module_ = &module_;
  computation->line_ = line;
  computation->name_ = name;
  return computation;
}

void GraphLoader::Name(HloComputation* computation) {
  computation->id_ = module_.next_computation_id_++;
  if (module_.FindComputation(computation->name_) != nullptr) {
    computation->name_ = KeepText(module_.UniqueComputationName(computation->name_));
  }
  module_.IndexName(computation);
}

HloInstruction* GraphLoader::NewInstruction(HloOpcode opcode, const Shape* shape,
                                            std::span<HloInstruction* const> operands, HloComputation* parent) {
  Arena& arena = module_.arena_;
  if (room_used_ == kRoom) {
    Arena& room = module_.instruction_arena_;
    rooms_.push_back(static_cast<std::byte*>(room.Allocate(kRoom * sizeof(HloInstruction), alignof(HloInstruction))));
    room_used_ = 0;
  }
  HloInstruction* instruction = new (rooms_.back() + room_used_++ * sizeof(HloInstruction)) HloInstruction;
  instruction->opcode_ = opcode;
  instruction->id_ = module_.next_instruction_id_++;
  instruction->shape_ = shape;
  instruction->parent_ = parent;
  if (!operands.empty()) {
    instruction->operands_.reserve(arena, operands.size());
    for (HloInstruction* operand : operands) {
      instruction->operands_.push_back(arena, operand);
      // Being new, it can only be the operand's last user.
      const bool is_unused = operand->users_.empty();
      if (is_unused) --parent->unused_count_;
      if (is_unused || operand->users_.back() != instruction) operand->users_.Append(arena, instruction);
    }
  }
  ++parent->unused_count_;
  return instruction;
}

void GraphLoader::Append(HloComputation* computation, HloInstruction* instruction) {
  instruction->prev_ = computation->last_;
  (computation->last_ != nullptr ? computation->last_->next_ : computation->first_) = instruction;
  computation->last_ = instruction;
  computation->NoteAdded(instruction);
  // Put in order of their numbers when the computation is complete.
  if (instruction->opcode_ == HloOpcode::kParameter)
    computation->AddToParameters(instruction, computation->parameters_.size());
}

void GraphLoader::Redirect(HloComputation* stand_in, HloComputation* computation) {
  for (HloInstruction* caller : stand_in->callers_) {
    std::replace(caller->called_->begin(), caller->called_->end(), stand_in, computation);
    computation->callers_.Append(module_.arena_, caller);
  }
}

}  // namespace hloir
