// HloInstruction: one node of the graph, of whatever opcode. Its computation owns it; operands and users only look.
// Both edge directions change together, here and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hloir/detail/arena.h"
#include "hloir/attributes.h"
#include "hloir/detail/instruction_list.h"
#include "hloir/opcode.h"
#include "hloir/shape.h"

namespace hloir {

class HloComputation;
class HloModule;
class HloInstruction;

// Enough for what people wrote into one line of results, and a bound on what a chain of merges carries along.
inline constexpr size_t kMostMergedMetadata = 256;

// What few instructions have; nothing in it changes what is computed, but it must not get lost.
struct InstructionExtras {
  const Sharding* sharding = nullptr;
  FrontendAttributes frontend_attributes;
  std::string_view backend_config;
  std::optional<ResultAccuracy> result_accuracy;
  std::optional<Statistics> statistics;
  std::optional<OriginalValue> original_value;
  // Metadata of other instructions that this one now stands for too: merged, folded or fused into it. At most
  // kMostMergedMetadata; text shows them only on request (PrintOptions::print_merged_metadata), as XLA has one a line.
  std::vector<const OpMetadata*> merged_metadata;
  // Attributes that no table knows, kept because the reader asked for it: name and raw text.
  std::vector<std::pair<std::string_view, std::string_view>> unknown_attributes;
  std::vector<HloInstruction*> control_predecessors, control_successors;
};

class HloInstruction {
 public:
  HloOpcode opcode() const { return opcode_; }
  std::string_view opcode_name() const { return OpcodeName(opcode_); }
  bool Is(uint32_t trait) const { return HasTrait(opcode_, trait); }
  std::string_view name() const { return name_; }
  // Takes the name, made unique within the computation if need be.
  void set_name(std::string_view name);
  // Small, dense and never used again within the module: an index for side tables.
  int32_t id() const { return id_; }
  // Line of the text it was read from, 1-based; 0 if it was not.
  int32_t line() const { return line_; }
  void set_line(int32_t line) { line_ = line; }

  const Shape& shape() const { return *shape_; }
  void set_shape(const Shape& shape);
  HloComputation* parent() const { return parent_; }
  HloModule* module() const;
  bool IsRoot() const;

  std::span<HloInstruction* const> operands() const { return {operands_.data(), operands_.size()}; }
  HloInstruction* operand(int64_t i) const { return operands_[i]; }
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }
  int64_t OperandIndex(const HloInstruction* operand) const;  // -1: not an operand
  // Each user once, however many of its operands this is, in the order in which they came. Past some 30 users a removal
  // may put the last one into the gap (the order then still depends on the edits alone, never on addresses).
  std::span<HloInstruction* const> users() const { return users_; }
  int64_t user_count() const { return static_cast<int64_t>(users_.size()); }
  bool IsUsedBy(const HloInstruction* user) const { return users_.Contains(user); }
  // How many operand slots of all users this fills.
  int64_t use_count() const;

  void ReplaceOperandWith(int64_t i, HloInstruction* operand);
  void AppendOperand(HloInstruction* operand);
  void RemoveOperandsFrom(int64_t first);
  // All users take `other` instead, and it becomes the root if this was. Shapes must be compatible.
  void ReplaceAllUsesWith(HloInstruction* other);
  void ReplaceUseWith(HloInstruction* user, HloInstruction* other);

  // The attributes as opcode's struct. Asking for another struct is the caller's bug.
  template <class T>
  const T& attributes() const {
    return *std::get<T*>(attributes_);
  }
  template <class T>
  T& mutable_attributes() {
    return *std::get<T*>(attributes_);
  }
  template <class T>
  bool HasAttributes() const {
    return std::holds_alternative<T*>(attributes_);
  }
  const Attributes& attributes_variant() const { return attributes_; }

  // Shorthands for the attributes that every pass reads.
  int64_t parameter_number() const { return attributes<ParameterAttributes>().number; }
  const Literal& literal() const { return attributes<ConstantAttributes>().literal; }
  int64_t tuple_index() const { return attributes<GetTupleElementAttributes>().index; }
  const DimVector& dimensions() const;  // `dimensions={}` of whichever op has it; else empty
  bool IsConstant() const { return opcode_ == HloOpcode::kConstant; }
  bool IsParameter() const { return opcode_ == HloOpcode::kParameter; }
  bool IsScalarConstant() const { return IsConstant() && shape().IsScalar(); }

  // Computations it calls, in CallKind's order.
  std::span<HloComputation* const> called_computations() const { return {called_.data(), called_.size()}; }
  HloComputation* to_apply() const { return called_[0]; }
  HloComputation* while_condition() const { return called_[0]; }
  HloComputation* while_body() const { return called_[1]; }
  HloComputation* fused_computation() const { return called_[0]; }
  void set_called_computation(int64_t i, HloComputation* computation);
  void AddCalledComputation(HloComputation* computation);
  void ClearCalledComputations();
  // conditional: true_computation/false_computation rather than branch_computations.
  bool IsPredConditional() const;

  const OpMetadata* metadata() const { return metadata_; }
  void set_metadata(const OpMetadata* metadata) { metadata_ = metadata; }  // module's; see HloModule::InternMetadata
  // Takes the other's metadata and what was merged into it; each once. Of the same module.
  void MergeMetadataOf(const HloInstruction& other);
  const InstructionExtras& extras() const;  // empty ones, if there are none
  InstructionExtras& mutable_extras();
  bool has_extras() const { return extras_ != nullptr; }
  const Sharding* sharding() const { return extras().sharding; }
  std::span<HloInstruction* const> control_predecessors() const { return extras().control_predecessors; }
  std::span<HloInstruction* const> control_successors() const { return extras().control_successors; }
  bool HasControlDependencies() const {
    return extras_ && (!extras_->control_predecessors.empty() || !extras_->control_successors.empty());
  }
  void AddControlDependencyTo(HloInstruction* successor);
  void RemoveControlDependencyTo(HloInstruction* successor);
  void DropAllControlDependencies();

  // Must stay, even without users: it, or something it calls, acts on the outside.
  bool HasSideEffect() const;
  // Neighbours in the computation's stored order; nullptr at the ends.
  HloInstruction* next() const { return next_; }
  HloInstruction* prev() const { return prev_; }
  // One line of HLO text, for messages.
  std::string ToString() const;

 private:
  friend class HloComputation;
  friend class HloModule;
  friend class Arena;
  friend class HloParser;
  HloInstruction() = default;
  void RemoveUserIfUnused(HloInstruction* user);

  HloOpcode opcode_ = HloOpcode::kTuple;
  bool removed_ = false;
  int32_t id_ = 0;
  int32_t line_ = 0;
  const Shape* shape_ = nullptr;
  std::string_view name_;
  HloComputation* parent_ = nullptr;
  HloInstruction *prev_ = nullptr, *next_ = nullptr;
  ArenaVector<HloInstruction*> operands_;
  InstructionList users_;
  ArenaVector<HloComputation*> called_;
  Attributes attributes_;
  const OpMetadata* metadata_ = nullptr;
  InstructionExtras* extras_ = nullptr;
};

}  // namespace hloir
