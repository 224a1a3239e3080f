// HloInstruction: the edges of the graph, kept consistent in both directions.
#include "hloir/instruction.h"

#include <algorithm>
#include <unordered_set>
#include <functional>
#include "hloir/module.h"
#include "ir/module_tables.h"
#include "support/stable_sort.h"

namespace hloir {

static_assert(sizeof(void*) != 8 || sizeof(HloInstruction) == 120, "modules' memory depends on this size");

namespace {

void EraseFirst(ArenaVector<HloInstruction*>& list, const HloInstruction* item) {
  const auto at = std::find(list.begin(), list.end(), item);
  if (at != list.end()) list.erase(static_cast<size_t>(at - list.begin()));
}

}  // namespace

HloModule* HloInstruction::module() { return parent_->module(); }
const HloModule* HloInstruction::module() const { return parent_->module(); }
bool HloInstruction::IsRoot() const { return parent_->root() == this; }

void HloInstruction::set_name(std::string_view name) {
  if (name == this->name()) return;
  SetName(parent_->UniqueName(name));
  parent_->NoteName(this);
}

void HloInstruction::set_shape(const Shape& shape) { shape_ = module()->InternShape(shape); }

int64_t HloInstruction::OperandIndex(const HloInstruction* operand) const {
  for (size_t i = 0; i < operands_.size(); ++i) {
    if (operands_[i] == operand) return static_cast<int64_t>(i);
  }
  return -1;
}

int64_t HloInstruction::use_count() const {
  int64_t count = 0;
  for (const HloInstruction* user : users_) count += std::count(user->operands_.begin(), user->operands_.end(), this);
  return count;
}

void HloInstruction::AppendUser(HloInstruction* user) {
  if (users_.empty()) --parent_->unused_count_;
  users_.Append(module()->arena_, user);
}

void HloInstruction::AddUser(HloInstruction* user) {
  if (users_.empty()) --parent_->unused_count_;
  users_.Add(module()->arena_, user);
}

void HloInstruction::RemoveUser(HloInstruction* user) {
  if (users_.empty()) return;
  users_.Remove(module()->arena_, user);
  if (users_.empty()) ++parent_->unused_count_;
}

void HloInstruction::RemoveUserIfUnused(HloInstruction* user) {
  if (user->OperandIndex(this) < 0) RemoveUser(user);
}

void HloInstruction::CheckNewOperand(const HloInstruction* operand) const {
  HLOIR_CHECK(operand != nullptr && operand->parent_ == parent_, "an operand must be of the instruction's computation");
}

void HloInstruction::ReplaceOperandWith(int64_t i, HloInstruction* operand) {
  HloInstruction* old = this->operand(i);
  if (old == operand) return;
  CheckNewOperand(operand);
  parent_->Edited();
  OperandPlaces* places = module()->shapes_->PlacesOf(*this, operands());
  operands_[i] = operand;
  if (places == nullptr) {
    old->RemoveUserIfUnused(this);
  } else {
    places->Replace(i, old, operand);
    if (places->PlaceOf(old) < 0) old->RemoveUser(this);
  }
  operand->AddUser(this);
}

void HloInstruction::AppendOperand(HloInstruction* operand) {
  CheckNewOperand(operand);
  parent_->Edited();
  module()->shapes_->ForgetPlaces(*this);
  operands_.push_back(module()->arena_, operand);
  operand->AddUser(this);
}

void HloInstruction::RemoveOperandsFrom(int64_t first) {
  HLOIR_CHECK(first >= 0 && first <= operand_count(), "the instruction has fewer operands");
  parent_->Edited();
  module()->shapes_->ForgetPlaces(*this);
  // The removed entries are still in memory, behind the end.
  HloInstruction *const *gone = operands_.begin() + first, *const *end = operands_.end();
  operands_.truncate(static_cast<size_t>(first));
  if (operands_.size() < HloModule::ShapePool::kManyOperands) {
    for (; gone != end; ++gone) (*gone)->RemoveUserIfUnused(this);
    return;
  }
  const std::unordered_set<const HloInstruction*> left(operands_.begin(), operands_.end());
  for (; gone != end; ++gone) {
    if (!left.contains(*gone)) (*gone)->RemoveUser(this);
  }
}

void HloInstruction::ReplaceUseWith(HloInstruction* user, HloInstruction* other) {
  if (this == other) return;
  if (const OperandPlaces* places = module()->shapes_->PlacesOf(*user, user->operands())) {
    for (int64_t i; (i = places->PlaceOf(this)) >= 0;) user->ReplaceOperandWith(i, other);
    return;
  }
  for (int64_t i = 0; i < user->operand_count(); ++i) {
    if (user->operand(i) == this) user->ReplaceOperandWith(i, other);
  }
}

void HloInstruction::ReplaceAllUsesWith(HloInstruction* other) {
  if (this == other) return;
  CheckNewOperand(other);
  HLOIR_CHECK(shape_ == other->shape_ || shape_->Compatible(*other->shape_),
              "an instruction's replacement must have a compatible shape");
  std::vector<HloInstruction*> users(users_.begin(), users_.end());
  for (HloInstruction* user : users) {
    if (user != other) ReplaceUseWith(user, other);
  }
  if (parent_->root_ == this) parent_->root_ = other;
}

const DimVector& HloInstruction::dimensions() const {
  static const DimVector kNone;
  const DimVector* found = &kNone;
  attributes().Visit([&](const auto& attributes) {
    if constexpr (requires { attributes.dimensions; }) found = &attributes.dimensions;
  });
  return *found;
}

void HloInstruction::set_called_computation(int64_t i, HloComputation* computation) {
  HloComputation* old = called_computation(i);
  HLOIR_CHECK(computation != nullptr, "an instruction calls a computation, not nullptr");
  if (old == computation) return;
  module()->CallsEdited();
  (*called_)[static_cast<size_t>(i)] = computation;
  if (std::find(called_->begin(), called_->end(), old) == called_->end()) old->callers_.Remove(module()->arena_, this);
  computation->callers_.Add(module()->arena_, this);
}

void HloInstruction::AddCalledComputation(HloComputation* computation) {
  HLOIR_CHECK(computation != nullptr && computation->module() == module(),
              "an instruction calls computations of its own module");
  module()->CallsEdited();
  if (Called().empty()) ++parent_->calling_count_;
  if (called_ == nullptr) called_ = module()->arena_.New<ArenaVector<HloComputation*>>();
  called_->push_back(module()->arena_, computation);
  computation->callers_.Add(module()->arena_, this);
}

void HloInstruction::ClearCalledComputations() {
  if (Called().empty()) return;
  --parent_->calling_count_;
  module()->CallsEdited();
  for (HloComputation* computation : *called_) computation->callers_.Remove(module()->arena_, this);
  called_->truncate(0);
}

bool HloInstruction::IsPredConditional() const {
  return opcode_ == HloOpcode::kConditional && !operands_.empty() &&
         operands_[0]->shape().element_type() == PrimitiveType::PRED;
}

void HloInstruction::MergeMetadataOf(const HloInstruction& other) {
  auto merge = [this](const OpMetadata* metadata) {
    if (metadata == nullptr || metadata == metadata_) return;
    if (metadata_ == nullptr && !IsParameter()) {  // a parameter has no source line; its replacement may have one
      metadata_ = metadata;
      return;
    }
    if (metadata_ != nullptr && *metadata == *metadata_) return;
    ArenaVector<const OpMetadata*>& merged = attached().merged_metadata;
    if (merged.size() >= kMostMergedMetadata) return;
    auto same = [&](const OpMetadata* m) { return m == metadata || *m == *metadata; };
    if (std::find_if(merged.begin(), merged.end(), same) == merged.end()) merged.push_back(module()->arena_, metadata);
  };
  if (&other == this) return;
  merge(other.metadata_);
  for (const OpMetadata* metadata : other.merged_metadata()) merge(metadata);
}

void HloInstruction::set_metadata(const OpMetadata& metadata) { metadata_ = module()->InternMetadata(metadata); }

void HloInstruction::CopyMetadataOf(const HloInstruction& other) {
  if (other.metadata_ == nullptr || other.module() == module()) metadata_ = other.metadata_;
  else set_metadata(*other.metadata_);
}

void HloInstruction::AddMergedMetadata(const OpMetadata& metadata) {
  attached().merged_metadata.push_back(module()->arena_, module()->InternMetadata(metadata));
}

void HloInstruction::ClearMergedMetadata() {
  if (attached_ != nullptr) attached_->merged_metadata.truncate(0);
}

void HloInstruction::set_sharding(std::optional<Sharding> sharding) {
  if (!sharding && attached_ == nullptr) return;
  attached().sharding = sharding ? module()->arena_.New<Sharding>(*std::move(sharding)) : nullptr;
}

void HloInstruction::set_frontend_attributes(FrontendAttributes attributes) {
  if (attributes.empty() && !OwnsExtras()) return;
  StableSort(attributes, std::less<>());
  mutable_extras().frontend_attributes = std::move(attributes);
}

void HloInstruction::set_backend_config(std::string_view config) {
  if (config.empty() && !OwnsExtras()) return;
  mutable_extras().backend_config = module()->InternText(config);
}

void HloInstruction::set_result_accuracy(std::optional<ResultAccuracy> accuracy) {
  if (accuracy || OwnsExtras()) mutable_extras().result_accuracy = std::move(accuracy);
}

void HloInstruction::set_statistics(std::optional<Statistics> statistics) {
  if (statistics || OwnsExtras()) mutable_extras().statistics = std::move(statistics);
}

void HloInstruction::set_original_value(std::optional<OriginalValue> value) {
  if (value || OwnsExtras()) mutable_extras().original_value = std::move(value);
}

void HloInstruction::CopyExtrasOf(const HloInstruction& other) {
  if (&other == this || (!other.has_extras() && !has_extras())) return;
  HloModule& module = *this->module();
  const bool is_of_another = other.module() != &module;
  Attached& own = attached();
  own.sharding = other.sharding();
  if (is_of_another && own.sharding != nullptr) own.sharding = module.arena_.New<Sharding>(*own.sharding);
  own.merged_metadata.truncate(0);
  for (const OpMetadata* metadata : other.merged_metadata())
    own.merged_metadata.push_back(module.arena_, is_of_another ? module.InternMetadata(*metadata) : metadata);
  if (!OwnsExtras() && !other.OwnsExtras()) return;
  if (!is_of_another && other.OwnsExtras()) {
    ShareExtras(other.attached_->extras);
    other.attached_->shares_extras = true;
    return;
  }
  InstructionExtras& extras = mutable_extras() = other.extras();
  if (!is_of_another) return;
  extras.backend_config = module.InternText(extras.backend_config);
  for (auto& [name, text] : extras.unknown_attributes) {
    name = module.InternText(name);
    text = module.InternText(text);
  }
}

const InstructionExtras& HloInstruction::extras() const {
  static const InstructionExtras kNone;
  return OwnsExtras() ? *attached_->extras : kNone;
}

HloInstruction::Attached& HloInstruction::attached() {
  if (attached_ == nullptr) attached_ = module()->arena_.New<Attached>();
  return *attached_;
}

InstructionExtras& HloInstruction::mutable_extras() {
  Attached& own = attached();
  if (own.extras == nullptr) own.extras = module()->arena_.New<InstructionExtras>();
  else if (own.shares_extras) own.extras = module()->arena_.New<InstructionExtras>(*own.extras);
  own.shares_extras = false;
  return *own.extras;
}

void HloInstruction::ShareExtras(InstructionExtras* extras) {
  Attached& own = attached();
  own.extras = extras;
  own.shares_extras = true;
}

void HloInstruction::OwnAttributes() { SetAttributes(parent_->Copied(attributes())); }

void HloInstruction::AddControlDependencyTo(HloInstruction* successor) {
  auto& successors = attached().control_successors;
  if (std::find(successors.begin(), successors.end(), successor) != successors.end()) return;
  parent_->Edited();
  Arena& arena = module()->arena_;
  successors.push_back(arena, successor);
  successor->attached().control_predecessors.push_back(arena, this);
}

void HloInstruction::RemoveControlDependencyTo(HloInstruction* successor) {
  parent_->Edited();
  EraseFirst(attached().control_successors, successor);
  EraseFirst(successor->attached().control_predecessors, this);
}

void HloInstruction::DropAllControlDependencies() {
  if (!HasControlDependencies()) return;
  parent_->Edited();
  for (HloInstruction* successor : attached_->control_successors)
    EraseFirst(successor->attached_->control_predecessors, this);
  for (HloInstruction* predecessor : attached_->control_predecessors)
    EraseFirst(predecessor->attached_->control_successors, this);
  attached_->control_successors.truncate(0);
  attached_->control_predecessors.truncate(0);
}

bool HasAnnotations(const HloInstruction& instruction) {
  return instruction.has_extras() &&
         (instruction.sharding() != nullptr || !instruction.extras().frontend_attributes.empty());
}

namespace {

bool HasOwnSideEffect(const HloInstruction& i) {
  if (i.Is(kSideEffect)) return true;
  if (i.opcode() == HloOpcode::kCustomCall) return i.attributes<CustomCallAttributes>().custom_call_has_side_effect;
  // XLA's name for an op in which another program participates.
  return i.opcode() == HloOpcode::kAllReduce && i.attributes<AllReduceAttributes>().constrain_layout;
}

// True for an async-update or async-done that binds operands of the running computation.
bool EndsWhatOthersBegan(const HloInstruction& i) {
  if (!i.Is(kAsyncPart) || i.operand_count() == 0 || i.operand(0)->Is(kAsyncPart)) return false;
  const AsyncPair* pair = FindAsyncPair(i.opcode());
  return i.opcode() == HloOpcode::kAsyncUpdate || (pair != nullptr && pair->done == i.opcode());
}

// The opcodes that may have a side effect or be a collective.
const OpcodeSet& OutsideOpcodes() {
  static const OpcodeSet set = [] {
    OpcodeSet opcodes;
    for (int opcode = 0; opcode < kOpcodeCount; ++opcode) {
      const bool outside = HasTrait(static_cast<HloOpcode>(opcode), kSideEffect | kCollective | kAsyncPart);
      opcodes[static_cast<size_t>(opcode)] = outside || static_cast<HloOpcode>(opcode) == HloOpcode::kCustomCall;
    }
    return opcodes;
  }();
  return set;
}

// True if `holds`, which can hold for OutsideOpcodes only, holds for the instruction or one in the computations it
// calls. Each computation is visited once, so that nested calls cost their size and not the number of their paths; most
// are reducers, which their opcodes exclude.
bool AnyCalled(const HloInstruction& instruction, bool (*holds)(const HloInstruction&)) {
  if (holds(instruction)) return true;
  const auto is_plain = [](const HloComputation* computation) {
    return computation->calling_count() == 0 && (computation->opcodes() & OutsideOpcodes()).none();
  };
  const auto called = instruction.called_computations();
  if (std::all_of(called.begin(), called.end(), is_plain)) return false;
  std::vector<const HloInstruction*> stack{&instruction};
  std::vector<const HloComputation*> seen;
  while (!stack.empty()) {
    const HloInstruction* at = stack.back();
    stack.pop_back();
    if (holds(*at)) return true;
    for (const HloComputation* computation : at->called_computations()) {
      const auto place = std::lower_bound(seen.begin(), seen.end(), computation, std::less<>());
      if (place != seen.end() && *place == computation) continue;
      seen.insert(place, computation);
      if (is_plain(computation)) continue;
      for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) stack.push_back(i);
    }
  }
  return false;
}

}  // namespace

bool HloInstruction::HasSideEffect() const { return AnyCalled(*this, HasOwnSideEffect); }

bool ActsOutside(const HloInstruction& instruction) {
  return instruction.Is(kAsyncPart) || AnyCalled(instruction, [](const HloInstruction& i) {
           return i.Is(kCollective) || HasOwnSideEffect(i) || EndsWhatOthersBegan(i);
         });
}

bool MayRemoveIfUnused(const HloInstruction& instruction) {
  return !instruction.IsParameter() && !instruction.HasControlDependencies() && !ActsOutside(instruction);
}

bool IsDead(const HloInstruction& instruction) {
  return instruction.user_count() == 0 && !instruction.IsRoot() && MayRemoveIfUnused(instruction);
}

void RemoveIfDead(HloInstruction* instruction) {
  if (IsDead(*instruction)) instruction->parent()->RemoveInstructionAndUnusedOperands(instruction);
}

}  // namespace hloir
