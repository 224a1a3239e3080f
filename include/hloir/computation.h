// HloComputation: a function of HLO, a graph of instructions with parameters and one root. Its module owns it.
#pragma once

#include <bitset>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hloir/instruction.h"
#include "hloir/detail/name_index.h"

namespace hloir {

using OpcodeSet = std::bitset<kOpcodeCount>;

class HloComputation {
 public:
  std::string_view name() const { return name_; }
  void set_name(std::string_view name);  // made unique within the module
  HloModule* module() const { return module_; }
  // Small and dense within the module.
  int32_t id() const { return id_; }
  int32_t line() const { return line_; }
  void set_line(int32_t line) { line_ = line; }

  HloInstruction* root() const { return root_; }
  void set_root(HloInstruction* root) { root_ = root; }
  int64_t parameter_count() const { return static_cast<int64_t>(parameters_.size()); }
  HloInstruction* parameter(int64_t i) const { return parameters_[i]; }
  std::span<HloInstruction* const> parameters() const { return parameters_; }
  ProgramShape program_shape() const;
  std::string_view execution_thread() const { return execution_thread_; }             // "": the main one
  void set_execution_thread(std::string_view thread) { execution_thread_ = thread; }  // text kept by the module
  bool IsEntry() const;
  // Instructions that call it, in the order in which they came (see InstructionList for removals).
  std::span<HloInstruction* const> callers() const { return callers_; }
  // The fusion whose body this is; nullptr for any other computation.
  HloInstruction* fusion() const;

  // Stored order: that of the text, then of addition. for (auto* i = c.first(); i; i = i->next()).
  HloInstruction* first() const { return first_; }
  HloInstruction* last() const { return last_; }
  int64_t instruction_count() const { return count_; }
  // A copy of the stored order, safe to edit the graph by.
  std::vector<HloInstruction*> instructions() const;
  // Operands and control predecessors before their users; XLA's order: from each instruction without users, in stored
  // order, depth first, control predecessors before operands, operand 0 first. This is the order of printing.
  std::vector<HloInstruction*> MakeInstructionPostOrder() const;
  // The same, kept until the next edit: passes come one after the other and mostly change nothing. Not while another
  // thread looks at the module.
  std::vector<HloInstruction*> PostOrder();
  // Every opcode that an instruction of this computation has, and perhaps some that one had that is gone.
  const OpcodeSet& opcodes() const { return opcodes_; }
  bool MayHave(HloOpcode opcode) const { return opcodes_[static_cast<size_t>(opcode)]; }
  // How many instructions in it call something.
  int64_t calling_count() const { return calling_count_; }

  // Adds an instruction at the end; `name` is made unique, and "" takes the opcode's. Operands must be of this
  // computation. Attributes: the opcode's struct (std::monostate for none); checked by assert.
  template <class A = std::monostate>
  HloInstruction* AddInstruction(HloOpcode opcode, const Shape& shape, std::span<HloInstruction* const> operands,
                                 A attributes = {}, std::string_view name = {});
  template <class A = std::monostate>
  HloInstruction* AddInstruction(HloOpcode opcode, const Shape& shape, std::initializer_list<HloInstruction*> operands,
                                 A attributes = {}, std::string_view name = {}) {
    return AddInstruction(opcode, shape, std::span<HloInstruction* const>(operands.begin(), operands.size()),
                          std::move(attributes), name);
  }
  // The same with attributes that are in the module's arena already.
  HloInstruction* AddInstructionWithAttributes(HloOpcode opcode, const Shape& shape,
                                               std::span<HloInstruction* const> operands, Attributes attributes,
                                               std::string_view name = {});
  HloInstruction* AddParameter(int64_t number, const Shape& shape, std::string_view name);
  HloInstruction* AddConstant(Literal literal, std::string_view name = {});
  HloInstruction* AddTuple(std::span<HloInstruction* const> elements, std::string_view name = {});
  HloInstruction* AddGetTupleElement(HloInstruction* tuple, int64_t index, std::string_view name = {});
  // A copy of `original` (attributes, called computations, metadata, sharding, …; no control edges) with other
  // operands, and if given another shape. The bodies of a fusion or async-start are copied too, as they have but one
  // caller. `original` may be of another module: texts are copied then, and called computations must be mapped by the
  // caller.
  HloInstruction* AddClone(const HloInstruction& original, std::span<HloInstruction* const> operands,
                           const Shape* shape = nullptr);
  // A clone that has the very attributes and annotations of `original`, of the same module, which is to be removed
  // next; no control edges.
  HloInstruction* AddSuccessor(const HloInstruction& original, std::span<HloInstruction* const> operands);

  // The instruction must have no users and not be the root; it is unlinked and never touched again.
  void RemoveInstruction(HloInstruction* instruction);
  // The same, and its memory becomes another instruction's: nobody may look at it any more.
  void FreeInstruction(HloInstruction* instruction);
  // Removes it and then all its operands that nobody needs any more.
  void RemoveInstructionAndUnusedOperands(HloInstruction* instruction);
  // Uses of `old_instruction` take `replacement`, which also becomes the root if the old one was; then the old one, if
  // it may go (no side effect, no control edges), goes with its unused operands.
  void ReplaceInstruction(HloInstruction* old_instruction, HloInstruction* replacement);
  void RemoveParameter(int64_t i);  // it must have no users; later parameters move down by one
  // Puts `instruction` before `before` in the stored order (at the end for nullptr).
  void MoveBefore(HloInstruction* instruction, HloInstruction* before);
  HloInstruction* FindInstruction(std::string_view name) const;

 private:
  friend class HloModule;
  friend class HloInstruction;
  friend class Arena;
  friend class HloParser;
  HloComputation() = default;
  HloInstruction* AddBareClone(const HloInstruction& original, std::span<HloInstruction* const> operands,
                               const Shape* shape);
  // `is_kept`: the module keeps the name's text already.
  HloInstruction* NewInstruction(HloOpcode opcode, const Shape* shape, std::span<HloInstruction* const> operands,
                                 Attributes attributes, std::string_view name, bool is_kept = false);
  std::string_view UniqueName(std::string_view wanted, bool is_kept = false);
  void IndexNames();
  // Whatever was found out about the graph's edges or the stored order no longer holds.
  void Edited() { post_order_.clear(); }
  void NoteAdded(const HloInstruction* instruction) {
    Edited();
    ++count_;
    opcodes_.set(static_cast<size_t>(instruction->opcode()));
    lowest_id_ = std::min(lowest_id_, instruction->id());
    highest_id_ = std::max(highest_id_, instruction->id());
  }

  HloModule* module_ = nullptr;
  int32_t id_ = 0, line_ = 0;
  std::string_view name_, execution_thread_;
  HloInstruction *first_ = nullptr, *last_ = nullptr, *root_ = nullptr;
  int64_t count_ = 0;
  int32_t lowest_id_ = INT32_MAX, highest_id_ = 0;  // of all the instructions that it ever had
  std::vector<HloInstruction*> parameters_;
  InstructionList callers_;
  OpcodeSet opcodes_;
  bool removed_ = false;
  int64_t calling_count_ = 0;
  std::vector<HloInstruction*> post_order_;  // empty: not known
  // Filled when the first name has to be made unique or found, so that reading a module does not pay for it.
  NameIndex<HloInstruction> names_;
  std::unordered_map<std::string, int64_t> next_suffix_;
};

}  // namespace hloir
