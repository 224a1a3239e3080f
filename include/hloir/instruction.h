// HloInstruction: one node of the graph, of any opcode. Its computation owns it; operands and users do not own.
// Both edge directions change together, here and nowhere else. A const instruction leads to const neighbours only.
//
// Threads: as for the module (module.h): const functions from any number of threads, the others from one thread at a
// time, whichever instruction of the module they are called on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/detail/arena.h"
#include "hloir/attributes.h"
#include "hloir/detail/instruction_list.h"
#include "hloir/opcode.h"
#include "hloir/shape.h"

#pragma GCC visibility push(default)
namespace hloir {

class HloComputation;
class HloModule;
class HloInstruction;

// A bound on the metadata that a chain of merges accumulates.
inline constexpr size_t kMostMergedMetadata = 256;

// Rare properties of instructions. They do not change results, but must be kept.
struct InstructionExtras {
  FrontendAttributes frontend_attributes;
  std::string_view backend_config;
  std::optional<ResultAccuracy> result_accuracy;
  std::optional<Statistics> statistics;
  std::optional<OriginalValue> original_value;
  // Unknown attributes, kept if ParseOptions requests it: name and raw text.
  std::vector<std::pair<std::string_view, std::string_view>> unknown_attributes;
};

// One operation: opcode, shape, operands, users and attributes.
class HloInstruction {
 public:
  HloOpcode opcode() const { return opcode_; }
  std::string_view opcode_name() const { return OpcodeName(opcode_); }
  bool Is(uint32_t trait) const { return HasTrait(opcode_, trait); }
  std::string_view name() const { return {name_, name_size_}; }
  // Sets the name, made unique within the computation if it is taken.
  void set_name(std::string_view name);
  // Small, dense and never reused within the module: an index for side tables.
  int32_t id() const { return id_; }
  // Line of the text it was read from, 1-based; 0 if it was not.
  int32_t line() const { return line_; }
  void set_line(int32_t line) { line_ = line; }

  const Shape& shape() const { return *shape_; }
  void set_shape(const Shape& shape);
  HloComputation* parent() { return parent_; }
  const HloComputation* parent() const { return parent_; }
  HloModule* module();
  const HloModule* module() const;
  bool IsRoot() const;

  std::span<HloInstruction* const> operands() { return {operands_.data(), operands_.size()}; }
  std::span<const HloInstruction* const> operands() const { return {operands_.data(), operands_.size()}; }
  HloInstruction* operand(int64_t i) { return operands_[CheckedOperand(i)]; }
  const HloInstruction* operand(int64_t i) const { return operands_[CheckedOperand(i)]; }
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }
  int64_t OperandIndex(const HloInstruction* operand) const;  // -1: not an operand
  // Each user once, also if it uses this in several operands, in the order in which they were added. With more than
  // some 30 users, removing one may move the last one into its place; the order depends on the edits alone, never on
  // addresses.
  std::span<HloInstruction* const> users() { return {users_.begin(), users_.size()}; }
  std::span<const HloInstruction* const> users() const { return {users_.begin(), users_.size()}; }
  int64_t user_count() const { return static_cast<int64_t>(users_.size()); }
  bool IsUsedBy(const HloInstruction* user) const { return users_.Contains(user); }
  // The number of uses: operand slots of all users.
  int64_t use_count() const;

  void ReplaceOperandWith(int64_t i, HloInstruction* operand);
  void AppendOperand(HloInstruction* operand);
  void RemoveOperandsFrom(int64_t first);
  // Replaces all uses by `other`, of the same computation and a compatible shape; `other` becomes the root if this was.
  void ReplaceAllUsesWith(HloInstruction* other);
  void ReplaceUseWith(HloInstruction* user, HloInstruction* other);

  // The attributes, as the struct that opcodes.def names for the opcode.
  template <class T>
  const T& attributes() const {
    return *CheckedAttributes<T>();
  }
  template <class T>
  T& mutable_attributes() {
    CheckedAttributes<T>();
    if (shares_attributes_) OwnAttributes();
    return const_cast<T&>(*CheckedAttributes<T>());  // in the module's arena
  }
  template <class T>
  bool HasAttributes() const {
    return attributes().GetIf<T>() != nullptr;
  }
  // The same whatever the opcode.
  Attributes attributes() const { return {attributes_, attributes_index_}; }

  // Shorthands for the attributes that every pass reads.
  int64_t parameter_number() const { return attributes<ParameterAttributes>().number; }
  const Literal& literal() const { return attributes<ConstantAttributes>().literal; }
  int64_t tuple_index() const { return attributes<GetTupleElementAttributes>().index; }
  const DimVector& dimensions() const;  // `dimensions={}` if the opcode has it; otherwise empty
  bool IsConstant() const { return opcode_ == HloOpcode::kConstant; }
  bool IsParameter() const { return opcode_ == HloOpcode::kParameter; }
  bool IsScalarConstant() const { return IsConstant() && shape().IsScalar(); }

  // Computations it calls, in CallKind's order.
  std::span<HloComputation* const> called_computations() { return Called(); }
  std::span<const HloComputation* const> called_computations() const { return Called(); }
  HloComputation* called_computation(int64_t i) { return Called()[CheckedCall(i)]; }
  const HloComputation* called_computation(int64_t i) const { return Called()[CheckedCall(i)]; }
  HloComputation* to_apply() { return called_computation(0); }
  const HloComputation* to_apply() const { return called_computation(0); }
  HloComputation* while_condition() { return called_computation(0); }
  const HloComputation* while_condition() const { return called_computation(0); }
  HloComputation* while_body() { return called_computation(1); }
  const HloComputation* while_body() const { return called_computation(1); }
  HloComputation* fused_computation() { return called_computation(0); }
  const HloComputation* fused_computation() const { return called_computation(0); }
  void set_called_computation(int64_t i, HloComputation* computation);
  void AddCalledComputation(HloComputation* computation);
  void ClearCalledComputations();
  // conditional: true_computation/false_computation rather than branch_computations.
  bool IsPredConditional() const;

  // Metadata and other annotations. Setters copy the texts that they are given.
  const OpMetadata* metadata() const { return metadata_; }  // nullptr: none
  void set_metadata(const OpMetadata& metadata);
  // Takes the metadata of another instruction, of any module; none if that has none.
  void CopyMetadataOf(const HloInstruction& other);
  // Adds the metadata of `other`, an instruction of the same module, and those merged into it; each once.
  void MergeMetadataOf(const HloInstruction& other);
  void AddMergedMetadata(const OpMetadata& metadata);
  void ClearMergedMetadata();
  // Metadata of other instructions that were merged, folded or fused into this one. At most kMostMergedMetadata.
  // Printed only with PrintOptions::print_merged_metadata, because XLA's text has one metadata per instruction.
  std::span<const OpMetadata* const> merged_metadata() const {
    if (attached_ == nullptr) return {};
    return {attached_->merged_metadata.data(), attached_->merged_metadata.size()};
  }
  const InstructionExtras& extras() const;  // empty ones, if there are none
  // False if it has no extras, sharding, merged metadata or control edges.
  bool has_extras() const { return attached_ != nullptr; }
  void set_sharding(std::optional<Sharding> sharding);
  void set_frontend_attributes(FrontendAttributes attributes);
  void set_backend_config(std::string_view config);
  void set_result_accuracy(std::optional<ResultAccuracy> accuracy);
  void set_statistics(std::optional<Statistics> statistics);
  void set_original_value(std::optional<OriginalValue> value);
  // Replaces the extras by those of another instruction, of any module, except for control edges.
  void CopyExtrasOf(const HloInstruction& other);
  const Sharding* sharding() const { return attached_ != nullptr ? attached_->sharding : nullptr; }
  std::span<HloInstruction* const> control_predecessors() {
    if (attached_ == nullptr) return {};
    return {attached_->control_predecessors.data(), attached_->control_predecessors.size()};
  }
  std::span<const HloInstruction* const> control_predecessors() const {
    if (attached_ == nullptr) return {};
    return {attached_->control_predecessors.data(), attached_->control_predecessors.size()};
  }
  std::span<HloInstruction* const> control_successors() {
    if (attached_ == nullptr) return {};
    return {attached_->control_successors.data(), attached_->control_successors.size()};
  }
  std::span<const HloInstruction* const> control_successors() const {
    if (attached_ == nullptr) return {};
    return {attached_->control_successors.data(), attached_->control_successors.size()};
  }
  bool HasControlDependencies() const {
    return attached_ && (!attached_->control_predecessors.empty() || !attached_->control_successors.empty());
  }
  void AddControlDependencyTo(HloInstruction* successor);
  void RemoveControlDependencyTo(HloInstruction* successor);
  void DropAllControlDependencies();

  // As in XLA: the instruction, or one in a called computation, has a side effect. IsDead says whether it may be
  // deleted.
  bool HasSideEffect() const;
  // Neighbours in the computation's stored order; nullptr at the ends.
  HloInstruction* next() { return next_; }
  const HloInstruction* next() const { return next_; }
  HloInstruction* prev() { return prev_; }
  const HloInstruction* prev() const { return prev_; }
  // One line of HLO text, for messages.
  std::string ToString() const;

 private:
  friend class HloComputation;
  friend class HloModule;
  friend class Arena;
  friend class GraphLoader;
  // Data that few instructions have: several texts of fusions, and the extras.
  struct Attached {
    const Sharding* sharding = nullptr;
    InstructionExtras* extras = nullptr;
    mutable bool shares_extras = false;  // others have the same, as with attributes below
    ArenaVector<const OpMetadata*> merged_metadata;
    ArenaVector<HloInstruction*> control_predecessors, control_successors;
  };
  HloInstruction() = default;
  Attached& attached();
  bool OwnsExtras() const { return attached_ != nullptr && attached_->extras != nullptr; }
  InstructionExtras& mutable_extras();
  void ShareExtras(InstructionExtras* extras);
  void OwnAttributes();
  // Only these two change users; they keep the computation's count of instructions without users.
  void AppendUser(HloInstruction* user);  // known to be new
  void AddUser(HloInstruction* user);
  void RemoveUser(HloInstruction* user);
  void RemoveUserIfUnused(HloInstruction* user);
  size_t CheckedOperand(int64_t i) const {
    HLOIR_CHECK(i >= 0 && i < operand_count(), "the instruction has no such operand");
    return static_cast<size_t>(i);
  }
  size_t CheckedCall(int64_t i) const {
    HLOIR_CHECK(i >= 0 && static_cast<size_t>(i) < Called().size(), "the instruction calls no such computation");
    return static_cast<size_t>(i);
  }
  template <class T>
  const T* CheckedAttributes() const {
    const T* found = attributes().GetIf<T>();
    HLOIR_CHECK(found != nullptr, "the instruction's opcode has other attributes");
    return found;
  }
  void CheckNewOperand(const HloInstruction* operand) const;
  std::span<HloComputation* const> Called() const {
    if (called_ == nullptr) return {};
    return {called_->data(), called_->size()};
  }
  void SetName(std::string_view kept) {
    name_ = kept.data();
    name_size_ = static_cast<uint32_t>(kept.size());
  }
  void SetAttributes(const Attributes& kept) {
    attributes_ = kept.attributes_;
    attributes_index_ = kept.index_;
    shares_attributes_ = false;
  }

  // Most of a large module's memory is instructions, so rare members are stored compactly.
  HloOpcode opcode_ = HloOpcode::kTuple;
  bool removed_ = false;
  internal::AttributesIndex attributes_index_ = internal::kNoAttributesIndex;
  // Clones share their original's attributes until one of them is changed. (Mutable, because cloning a const
  // instruction sets the mark.)
  mutable bool shares_attributes_ = false;
  int32_t id_ = 0;
  int32_t line_ = 0;
  uint32_t name_size_ = 0;
  const char* name_ = nullptr;
  const Shape* shape_ = nullptr;
  HloComputation* parent_ = nullptr;
  HloInstruction *prev_ = nullptr, *next_ = nullptr;
  ArenaVector<HloInstruction*> operands_;
  InstructionList users_;
  ArenaVector<HloComputation*>* called_ = nullptr;  // nullptr: it never called anything
  const void* attributes_ = nullptr;
  const OpMetadata* metadata_ = nullptr;
  Attached* attached_ = nullptr;
};

// It has a sharding or frontend attributes.
bool HasAnnotations(const HloInstruction& instruction);

// Criteria for deletion, used by every pass and tool. True if its execution is observable: it, or an instruction in a
// called computation, has a side effect or is a collective, or it is one half of a start/done pair. (Other devices wait
// for a collective, even if this one ignores the result.)
bool ActsOutside(const HloInstruction& instruction);
// True if it could be deleted without users: it has no observable effect, no control dependencies, and is not a
// parameter (part of the computation's signature).
bool MayRemoveIfUnused(const HloInstruction& instruction);
// MayRemoveIfUnused, and nothing uses it: it has no users and is not the root.
bool IsDead(const HloInstruction& instruction);
// Removes it if it is dead, and then each operand that is dead without it.
void RemoveIfDead(HloInstruction* instruction);

}  // namespace hloir
#pragma GCC visibility pop
