// HloModule: a whole program. Owns its computations, the texts they reference, and one copy of each shape. A const
// module leads to const computations and instructions only.
//
// Threads: any number of threads may call const functions of one module and of its parts at once: they never write, not
// even to a cache. Other functions need exclusive access. Different modules share no state.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/detail/arena.h"
#include "hloir/computation.h"

#pragma GCC visibility push(default)
namespace hloir {

// {output index}: (parameter, {parameter index}, kind)
struct InputOutputAlias {
  ShapeIndex output_index;
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool must_alias = false;
  bool operator==(const InputOutputAlias&) const = default;
};
// A parameter whose memory the caller donates to any result.
struct BufferDonor {
  int64_t parameter = 0;
  ShapeIndex parameter_index;
  bool operator==(const BufferDonor&) const = default;
};

class HloModule;

// The four tables that metadata's stack_frame_id points into. Ids in text are 1-based: entry i has id i+1.
struct StackFrameIndex {
  // A location in a source file and its function.
  struct FileLocation {
    int64_t file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0, end_column = 0;
    bool operator==(const FileLocation&) const = default;
  };
  // A call on the stack, and its caller.
  struct StackFrame {
    int64_t file_location_id = 0, parent_frame_id = 0;
    bool operator==(const StackFrame&) const = default;
  };
  std::vector<std::string> file_names, function_names;
  std::vector<FileLocation> file_locations;
  std::vector<StackFrame> stack_frames;
  bool empty() const {
    return file_names.empty() && function_names.empty() && file_locations.empty() && stack_frames.empty();
  }
};

// An entry of origin_recovery_table: `recovery_module` computes the value of `original` from that of `replacement`;
// without such a module they are the same value.
struct OriginRecovery {
  OriginalArray original, replacement;
  std::shared_ptr<const HloModule> recovery_module;
};
// In the order of XLA's map: by the original array; of equal ones, the first.
void SortOriginRecoveries(std::vector<OriginRecovery>& table);

// The module's header line.
struct ModuleConfig {
  bool is_scheduled = false;
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  bool alias_passthrough_params = false;
  // The shapes and layouts of the entry computation for callers. Without a value: those of the computation itself.
  std::optional<ProgramShape> entry_computation_layout;
  BoolList allow_spmd_sharding_propagation_to_parameters, allow_spmd_sharding_propagation_to_output;
  int64_t replica_count = 1, num_partitions = 1;
  bool use_spmd_partitioning = false;
  FrontendAttributes frontend_attributes;
  std::vector<OriginRecovery> origin_recovery_table;  // by the original array, each once
  std::string debug_attributes;                       // its text, braces included; "" for none
  StackFrameIndex stack_frames;
  std::vector<std::pair<std::string, std::string>> unknown_attributes;
};

// A whole program: its computations, of which one is the entry, and its header.
class HloModule {
 public:
  explicit HloModule(std::string name);
  HloModule(const HloModule&) = delete;
  HloModule& operator=(const HloModule&) = delete;
  ~HloModule();

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  ModuleConfig& config() { return config_; }
  const ModuleConfig& config() const { return config_; }

  HloComputation* entry_computation() { return entry_; }
  const HloComputation* entry_computation() const { return entry_; }
  void set_entry_computation(HloComputation* computation) {
    entry_ = computation;
    CallsEdited();
  }
  // In stored order.
  std::span<HloComputation* const> computations() { return {computations_.data(), computations_.size()}; }
  std::span<const HloComputation* const> computations() const { return {computations_.data(), computations_.size()}; }
  int64_t computation_count() const { return static_cast<int64_t>(computations_.size()); }
  int64_t instruction_count() const;
  // The instructions of all computations, in stored order: for (const HloInstruction* i : module.AllInstructions()).
  // The body may edit instructions, but must neither remove the current one nor add or remove computations.
  InstructionRange<HloComputation, HloInstruction> AllInstructions() {
    return InstructionRange<HloComputation, HloInstruction>(computations());
  }
  InstructionRange<const HloComputation, const HloInstruction> AllInstructions() const {
    return InstructionRange<const HloComputation, const HloInstruction>(computations());
  }
  // Callees before callers, the entry last. Computations unreachable from the entry come in the order of their own
  // depth-first walks.
  // The mutable form keeps the order until the next edit of a call; the const form never writes.
  std::vector<HloComputation*> PostOrder();
  std::vector<const HloComputation*> PostOrder() const;
  // The order of the text, which is XLA's: callees before callers, with exceptions in XLA's order; with `reads_back`,
  // without exceptions.
  std::vector<const HloComputation*> TextOrder(bool reads_back = false) const;
  // Puts computations and instructions in the order of the text and makes each instruction's name unique in the module,
  // so that its text reads back to the same module. A pipeline of passes ends with this.
  bool PutInTextOrder();
  HloComputation* AddComputation(std::string_view name);  // made unique
  // It must have no callers and not be the entry.
  void RemoveComputation(HloComputation* computation);
  // Removes many at once, in time linear in the module. They may call one another.
  void RemoveComputations(std::span<HloComputation* const> computations);
  HloComputation* FindComputation(std::string_view name) { return Find(name); }
  const HloComputation* FindComputation(std::string_view name) const { return Find(name); }
  // A copy of `original` (of this module or another) under a unique name, with all computations that it calls. Within
  // one module callees are shared unless `deep`, except bodies of fusions and async-starts.
  HloComputation* CloneComputation(const HloComputation& original, bool deep = false);
  std::unique_ptr<HloModule> Clone() const;

  // True if `test` holds for the shape of a present or removed instruction of the module. Equal shapes are tested once.
  bool AnyShape(bool (*test)(const Shape&)) const;

  // Side tables indexed by id() need this many entries.
  int32_t instruction_id_limit() const { return next_instruction_id_; }
  int32_t computation_id_limit() const { return next_computation_id_; }

  // Bytes of the texts that the module keeps: an estimate of the size of its printed text.
  size_t text_bytes() const;
  // Bytes that the graph takes, texts apart.
  size_t memory_bytes() const { return arena_.bytes() + instruction_arena_.bytes(); }

 private:
  friend class HloComputation;
  friend class HloInstruction;
  friend class GraphLoader;
  struct ShapePool;
  // These return objects that live as long as the module.
  const Shape* InternShape(const Shape& shape);
  const OpMetadata* InternMetadata(OpMetadata metadata);  // with its texts
  std::string_view InternText(std::string_view text) { return arena_.Copy(text); }
  HloComputation* Find(std::string_view name) const;
  std::vector<HloComputation*> MakePostOrder() const;
  std::vector<HloComputation*> MakeTextOrder(bool reads_back) const;
  std::string UniqueComputationName(std::string_view wanted);
  void DropCallsAndName(HloComputation* computation);
  void CallsEdited() { post_order_.clear(); }
  void IndexName(HloComputation* computation);
  template <class Instructions, class Computations>
  static void CloneInto(const HloComputation& from, HloComputation& to, Instructions& mapped,
                        const Computations& clones);

  std::vector<std::shared_ptr<const std::string>> texts_;
  // Instructions have an arena of their own, so that a walk over a large module loads nothing else into the cache.
  Arena arena_, instruction_arena_;
  std::string name_;
  ModuleConfig config_;
  HloComputation* entry_ = nullptr;
  std::vector<HloComputation*> computations_, post_order_;  // no post-order: it is not known
  NameIndex<HloComputation> computation_names_;
  UniqueNamer computation_namer_;
  std::unique_ptr<ShapePool> shapes_;
  HloInstruction* free_instructions_ = nullptr;  // linked by next()
  int32_t next_instruction_id_ = 0, next_computation_id_ = 0;
};

template <class A>
HloInstruction* HloComputation::AddInstruction(HloOpcode opcode, const Shape& shape,
                                               std::span<HloInstruction* const> operands, A attributes,
                                               std::string_view name) {
  Attributes stored;
  bool is_common = false;
  if constexpr (requires { CommonAttributes(attributes); }) {
    const A* common = CommonAttributes(attributes);
    if ((is_common = common != nullptr)) stored = common;
  }
  if constexpr (!std::is_same_v<A, NoAttributes>) {
    if (!is_common) stored = module_->arena_.template New<A>(std::move(attributes));
  }
  HloInstruction* instruction = NewInstruction(opcode, module_->InternShape(shape), operands, stored, name);
  instruction->shares_attributes_ = is_common;
  return instruction;
}

}  // namespace hloir
#pragma GCC visibility pop
