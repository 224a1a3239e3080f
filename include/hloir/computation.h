// HloComputation: a function of HLO, a graph of instructions with parameters and one root. Its module owns it. A const
// computation leads to const instructions only.
//
// Threads: as for the module (module.h): const functions from any number of threads, the others from one thread at a
// time.
#pragma once

#include <bitset>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/instruction.h"
#include "hloir/detail/instruction_range.h"
#include "hloir/detail/name_index.h"
#include "hloir/detail/unique_name.h"

#pragma GCC visibility push(default)
namespace hloir {

using OpcodeSet = std::bitset<kOpcodeCount>;

// A bound on parameters' numbers, which index a table.
inline constexpr int64_t kMostParameters = int64_t{1} << 24;

// A function: parameters, instructions in an order, and a root.
class HloComputation {
 public:
  std::string_view name() const { return name_; }
  void set_name(std::string_view name);  // made unique within the module
  HloModule* module() { return module_; }
  const HloModule* module() const { return module_; }
  // Small and dense within the module.
  int32_t id() const { return id_; }
  int32_t line() const { return line_; }
  void set_line(int32_t line) { line_ = line; }

  HloInstruction* root() { return root_; }
  const HloInstruction* root() const { return root_; }
  void set_root(HloInstruction* root);  // of this computation
  int64_t parameter_count() const { return static_cast<int64_t>(parameters_.size()); }
  HloInstruction* parameter(int64_t i) { return parameters_[CheckedParameter(i)]; }
  const HloInstruction* parameter(int64_t i) const { return parameters_[CheckedParameter(i)]; }
  std::span<HloInstruction* const> parameters() { return {parameters_.data(), parameters_.size()}; }
  std::span<const HloInstruction* const> parameters() const { return {parameters_.data(), parameters_.size()}; }
  ProgramShape program_shape() const;
  std::string_view execution_thread() const { return execution_thread_; }  // "": the main one
  void set_execution_thread(std::string_view thread);                      // the text is copied
  bool IsEntry() const;
  // Instructions that call it, in the order in which they came (see InstructionList for removals).
  std::span<HloInstruction* const> callers() { return {callers_.begin(), callers_.size()}; }
  std::span<const HloInstruction* const> callers() const { return {callers_.begin(), callers_.size()}; }
  // The fusion whose body this is; nullptr for any other computation.
  HloInstruction* fusion();
  const HloInstruction* fusion() const;

  // In stored order, which is that of the text, then of addition: for (HloInstruction* i : c.AllInstructions()). The
  // body may add instructions at the end, which are visited too; it must not remove the current one.
  InstructionRange<HloComputation, HloInstruction> AllInstructions() {
    return InstructionRange<HloComputation, HloInstruction>(first_);
  }
  InstructionRange<const HloComputation, const HloInstruction> AllInstructions() const {
    return InstructionRange<const HloComputation, const HloInstruction>(first_);
  }
  // The same order step by step: first(), and then next() of each instruction.
  HloInstruction* first() { return first_; }
  const HloInstruction* first() const { return first_; }
  HloInstruction* last() { return last_; }
  const HloInstruction* last() const { return last_; }
  int64_t instruction_count() const { return count_; }
  // A copy of the stored order, safe to edit the graph by.
  std::vector<HloInstruction*> instructions();
  std::vector<const HloInstruction*> instructions() const;
  // Operands and control predecessors before their users; XLA's order: from each instruction without users, in stored
  // order, depth first, control predecessors before operands, operand 0 first. This is the order of printing.
  // The mutable form keeps the order of a large computation until the next edit; the const form never writes, so
  // threads may share a module.
  std::vector<HloInstruction*> PostOrder();
  std::vector<const HloInstruction*> PostOrder() const;
  // A superset of the opcodes of this computation's instructions: opcodes of removed instructions may be included.
  const OpcodeSet& opcodes() const { return opcodes_; }
  bool MayHave(HloOpcode opcode) const { return opcodes_[static_cast<size_t>(opcode)]; }
  // The number of its instructions that call computations.
  int64_t calling_count() const { return calling_count_; }
  // True if an instruction other than the root has no users; if false, no instruction IsDead. Takes constant time.
  bool HasUnused() const { return unused_count_ > (root_ != nullptr && root_->user_count() == 0 ? 1 : 0); }

  // Adds an instruction at the end; `name` is made unique, and "" takes the opcode's. Operands: as many as the opcode
  // takes, of this computation. Attributes: the opcode's struct (NoAttributes for none). Does not check that shape,
  // operands and attributes are consistent: HloBuilder infers shapes, the verifier checks them.
  template <class A = NoAttributes>
  HloInstruction* AddInstruction(HloOpcode opcode, const Shape& shape, std::span<HloInstruction* const> operands,
                                 A attributes = {}, std::string_view name = {});
  template <class A = NoAttributes>
  HloInstruction* AddInstruction(HloOpcode opcode, const Shape& shape, std::initializer_list<HloInstruction*> operands,
                                 A attributes = {}, std::string_view name = {}) {
    return AddInstruction(opcode, shape, std::span<HloInstruction* const>(operands.begin(), operands.size()),
                          std::move(attributes), name);
  }
  // The same with a copy of another instruction's attributes.
  HloInstruction* AddInstructionWithAttributes(HloOpcode opcode, const Shape& shape,
                                               std::span<HloInstruction* const> operands, const Attributes& attributes,
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
  // Moves an instruction of another computation of the module to the end of this one; `operands`, of this computation,
  // replace its own. It has no control edges. The caller must move its users too, or give them other operands, before
  // either computation is traversed.
  void Take(HloInstruction* instruction, std::span<HloInstruction* const> operands);

  // The instruction must have no users and not be the root; it is unlinked, and its memory is not reused.
  void RemoveInstruction(HloInstruction* instruction);
  // The same, but its memory is reused: no pointer to it may be dereferenced afterwards.
  void FreeInstruction(HloInstruction* instruction);
  // Removes it, and then each operand that IsDead without it.
  void RemoveInstructionAndUnusedOperands(HloInstruction* instruction);
  // Replaces all uses of `old_instruction` by `replacement`, which also becomes the root if the old one was. Then
  // removes the old one with its unused operands if it IsDead.
  void ReplaceInstruction(HloInstruction* old_instruction, HloInstruction* replacement);
  void RemoveParameter(int64_t i);  // it must have no users; later parameters move down by one
  // Puts `instruction` before `before` in the stored order (at the end for nullptr).
  void MoveBefore(HloInstruction* instruction, HloInstruction* before);
  HloInstruction* FindInstruction(std::string_view name) { return Find(name); }
  const HloInstruction* FindInstruction(std::string_view name) const { return Find(name); }

 private:
  friend class HloModule;
  friend class HloInstruction;
  friend class Arena;
  friend class GraphLoader;
  HloComputation() = default;
  HloInstruction* AddBareClone(const HloInstruction& original, std::span<HloInstruction* const> operands,
                               const Shape* shape);
  void CheckIngredients(HloOpcode opcode, std::span<HloInstruction* const> operands,
                        const Attributes& attributes) const;
  Attributes Copied(const Attributes& attributes);
  // The module keeps the attributes; `is_kept`: and the name's text already.
  HloInstruction* NewInstruction(HloOpcode opcode, const Shape* shape, std::span<HloInstruction* const> operands,
                                 Attributes attributes, std::string_view name, bool is_kept = false);
  void AddToParameters(HloInstruction* parameter, size_t number);
  std::string_view UniqueName(std::string_view wanted, bool is_kept = false);
  HloInstruction* Find(std::string_view name) const;
  size_t CheckedParameter(int64_t i) const {
    HLOIR_CHECK(i >= 0 && i < parameter_count(), "the computation has no such parameter");
    return static_cast<size_t>(i);
  }
  static constexpr size_t kShort = 32;  // instructions, of MakeShortPostOrder
  std::vector<HloInstruction*> MakeShortPostOrder() const;
  std::vector<HloInstruction*> MakePostOrder() const;
  struct Tables;
  Tables& tables();
  void IndexNames();
  void NoteName(HloInstruction* instruction);
  // Invalidates cached properties of the graph's edges and the stored order.
  void Edited() { knows_post_order_ = false; }
  void NoteAdded(const HloInstruction* instruction) {
    Edited();
    ++count_;
    opcodes_.set(static_cast<size_t>(instruction->opcode()));
    lowest_id_ = std::min(lowest_id_, instruction->id());
    highest_id_ = std::max(highest_id_, instruction->id());
  }

  // A module has about as many computations as fusions, so this class is small as well, and all it owns is in the
  // arena.
  HloModule* module_ = nullptr;
  int32_t id_ = 0, line_ = 0;
  std::string_view name_, execution_thread_;
  HloInstruction *first_ = nullptr, *last_ = nullptr, *root_ = nullptr;
  int32_t count_ = 0, calling_count_ = 0, unused_count_ = 0;  // counts: instructions; those that call computations;
                                                              // those without users
  int32_t lowest_id_ = INT32_MAX, highest_id_ = 0;            // of all the instructions that it ever had
  bool removed_ = false, knows_post_order_ = false;
  ArenaVector<HloInstruction*> parameters_;
  InstructionList callers_;
  OpcodeSet opcodes_;
  Tables* tables_ = nullptr;  // created for a large computation's order, or when a name first has to be made unique
};

// Returns true if `later` is `earlier` or depends on it transitively. Visits at most the instructions between the two.
bool DependsOn(const HloInstruction& later, const HloInstruction& earlier);

}  // namespace hloir
#pragma GCC visibility pop
