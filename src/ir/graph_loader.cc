// See graph_loader.h.
#include "ir/graph_loader.h"

#include <algorithm>

#include "support/format.h"

namespace hloir {

// Skips the destructors, because most instructions have metadata: an OpMetadata owns memory only for a long
// profile_type, which is rare.
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

void GraphLoader::AddCall(HloInstruction* instruction, HloComputation* computation) {
  module_.CallsEdited();
  if (instruction->Called().empty()) ++instruction->parent_->calling_count_;
  if (instruction->called_ == nullptr) instruction->called_ = module_.arena_.New<ArenaVector<HloComputation*>>();
  instruction->called_->push_back(module_.arena_, computation);
  InstructionList& callers = computation->callers_;
  if (callers.empty() || callers.back() != instruction) callers.Append(module_.arena_, instruction);
}

void GraphLoader::Name(HloComputation* computation) {
  computation->id_ = module_.next_computation_id_++;
  NameIndex<HloComputation>& names = module_.computation_names_;
  if (!names.full() && names.AddIfNew(computation, names.Fetch(computation->name_))) return;
  if (module_.FindComputation(computation->name_) != nullptr) {
    computation->name_ = KeepText(module_.UniqueComputationName(computation->name_));
  }
  module_.IndexName(computation);
}

void GraphLoader::Redirect(HloComputation* stand_in, HloComputation* computation) {
  for (HloInstruction* caller : stand_in->callers_) {
    std::replace(caller->called_->begin(), caller->called_->end(), stand_in, computation);
    computation->callers_.Append(module_.arena_, caller);
  }
}

}  // namespace hloir
