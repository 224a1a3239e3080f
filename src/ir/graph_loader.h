// GraphLoader: the interface by which the readers of text and of protos fill a module. They check their input
// themselves, so the loader checks nothing and keeps only the tables that readers need; all other code, apart from
// HloBuilder's NumberNames, uses the public functions of HloModule, HloComputation and HloInstruction. All objects live
// as long as the module. Tested by tests/unit/parser_test.cc, proto_test.cc and builder_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hloir/module.h"

namespace hloir {

class GraphLoader {
 public:
  explicit GraphLoader(HloModule& module) : module_(module) {}

  // Reserves memory, in bytes, for the module's instructions and for its other data.
  void Reserve(size_t instructions, size_t others) {
    module_.instruction_arena_.Reserve(instructions);
    module_.arena_.Reserve(others);
  }
  // Texts. An adopted text is shared, others are copied.
  void AdoptText(std::shared_ptr<const std::string> text) { module_.texts_.push_back(std::move(text)); }
  std::string_view KeepText(std::string_view text) { return module_.arena_.Copy(text); }
  const Shape* KeepShape(const Shape& shape) { return module_.InternShape(shape); }
  const Sharding* KeepSharding(Sharding sharding) { return module_.arena_.New<Sharding>(std::move(sharding)); }
  const OpMetadata* KeepMetadata(OpMetadata metadata) { return module_.InternMetadata(std::move(metadata)); }
  // New metadata, to be filled in, and the module's ownership of it. Its texts must be kept ones.
  OpMetadata* NewMetadata();
  OpMetadata* Own(OpMetadata* metadata);

  // A new computation, not yet in the module: it is added after its callees.
  HloComputation* NewComputation(std::string_view name, int32_t line);
  // Assigns its id and a unique name. Computations are named in the order of their completion.
  void Name(HloComputation* computation);
  // The module's, from now on.
  void List(HloComputation* computation) { module_.computations_.push_back(computation); }
  static void set_execution_thread(HloComputation* computation, std::string_view kept) {
    computation->execution_thread_ = kept;
  }
  // In the order of their numbers once the computation is complete; before, in the order of addition.
  static ArenaVector<HloInstruction*>& parameters(HloComputation* computation) { return computation->parameters_; }

  // A new instruction, linked with its operands, but not yet in its computation's list.
  HloInstruction* NewInstruction(HloOpcode opcode, const Shape* shape, std::span<HloInstruction* const> operands,
                                 HloComputation* parent);
  // Appends it to its computation's list.
  static void Append(HloComputation* computation, HloInstruction* instruction);
  static void set_name(HloInstruction* instruction, std::string_view kept) { instruction->SetName(kept); }
  // Redistributes the names that instructions have from their opcodes (exp, exp.1): operands before users.
  static void NumberNames(HloComputation& computation);
  static void set_shape(HloInstruction* instruction, const Shape* kept) { instruction->shape_ = kept; }
  static bool has_shape(const HloInstruction& instruction) { return instruction.shape_ != nullptr; }
  static void set_metadata(HloInstruction* instruction, const OpMetadata* kept) { instruction->metadata_ = kept; }
  // Adds an instruction with kept attributes to the computation, with the checks of HloComputation::AddInstruction.
  HloInstruction* AddInstruction(HloComputation& computation, HloOpcode opcode, const Shape& shape,
                                 std::span<HloInstruction* const> operands, const Attributes& kept,
                                 std::string_view name) {
    return computation.NewInstruction(opcode, KeepShape(shape), operands, kept, name);
  }
  // Its attributes, of type A, created if it has none.
  template <class A>
  A* attributes(HloInstruction* instruction) {
    if (instruction->HasAttributes<A>()) return &instruction->mutable_attributes<A>();
    A* made = NewAttributes<A>();
    instruction->SetAttributes(made);
    return made;
  }
  // Marks its attributes as shared: they are copied before a change.
  template <class A>
  static void ShareAttributes(HloInstruction* instruction, const A* kept) {
    instruction->SetAttributes(kept);
    instruction->shares_attributes_ = true;
  }
  // Adds a call to an instruction whose calls are all added one after another, and before any other's to the same
  // computations.
  void AddCall(HloInstruction* instruction, HloComputation* computation);
  static InstructionExtras& extras(HloInstruction* instruction) { return instruction->mutable_extras(); }
  // Attributes. An opcode's are made by `attributes` below.
  template <class A>
  A* KeepAttributes(A attributes) {
    return module_.arena_.New<A>(std::move(attributes));
  }
  static bool HasExtras(const HloInstruction& instruction) { return instruction.OwnsExtras(); }
  // Kept extras shared by several instructions; they are copied before a change.
  InstructionExtras* NewExtras() { return module_.arena_.New<InstructionExtras>(); }
  static void ShareExtras(HloInstruction* instruction, InstructionExtras* kept) { instruction->ShareExtras(kept); }
  static void set_sharding(HloInstruction* instruction, const Sharding* kept) {
    instruction->attached().sharding = kept;
  }
  static ArenaVector<const OpMetadata*>& merged_metadata(HloInstruction* instruction) {
    return instruction->attached().merged_metadata;
  }

  // The n-th instruction of this loader, counted from 0: the instruction's id if this is the module's only loader.
  HloInstruction* Made(uint32_t n) const {
    return std::launder(reinterpret_cast<HloInstruction*>(rooms_[n / kRoom] + n % kRoom * sizeof(HloInstruction)));
  }

  // ---- A module read in parts, each by a separate loader into a separate module (parser/parts.cc). Takes ownership of
  // a part, whose objects become the module's.
  void Keep(std::shared_ptr<const HloModule> part) {
    const std::string* name = &part->name();
    module_.texts_.emplace_back(std::move(part), name);
  }
  // Reserves ids for a part's `count` instructions; returns the first.
  int32_t TakeInstructionIds(int32_t count) {
    return std::exchange(module_.next_instruction_id_, module_.next_instruction_id_ + count);
  }
  // Moves a part's computation into the module: adds `first_id` to its instructions' ids, and replaces each shape by
  // shape_of(shape). May run concurrently for several computations.
  template <class ShapeOf>
  void Adopt(HloComputation* computation, int32_t first_id, const ShapeOf& shape_of) {
    computation->module_ = &module_;
    computation->lowest_id_ += first_id;
    computation->highest_id_ += first_id;
    for (HloInstruction* i = computation->first_; i != nullptr; i = i->next_) {
      i->id_ += first_id;
      i->shape_ = shape_of(i->shape_);
    }
  }
  // Redirects the callers of `stand_in`, the placeholder of a part for `computation`.
  void Redirect(HloComputation* stand_in, HloComputation* computation);

 private:
  static constexpr uint32_t kRoom = 32;  // adjacent instructions
  // Attributes that own memory must be destroyed. They are allocated in rows, so that the arena registers one
  // destructor per row.
  template <class A>
  struct Row {
    A* items;
    uint32_t count = 0, capacity = 0;
    ~Row() { std::destroy_n(items, count); }
  };
  template <class A>
  A* NewAttributes() {
    if constexpr (std::is_trivially_destructible_v<A>) {
      return module_.arena_.New<A>();
    } else {
      void*& known = rows_[internal::kAttributesIndex<A>];
      Row<A>* row = static_cast<Row<A>*>(known);
      if (row == nullptr || row->count == row->capacity) {
        constexpr uint32_t kLongest = 16;
        const uint32_t capacity = row == nullptr ? 1 : std::min(2 * row->capacity, kLongest);
        row = module_.arena_.New<Row<A>>(static_cast<A*>(module_.arena_.Allocate(capacity * sizeof(A), alignof(A))), 0u,
                                         capacity);
        known = row;
      }
      return new (row->items + row->count++) A{};
    }
  }

  HloModule& module_;
  std::vector<std::byte*> rooms_;  // in the arena
  size_t room_used_ = kRoom;       // of the last one
  std::array<void*, 256> rows_{};  // by kAttributesIndex: the Row<A> with the next free attributes
};

[[gnu::always_inline]] inline HloInstruction* GraphLoader::NewInstruction(HloOpcode opcode, const Shape* shape,
                                                                          std::span<HloInstruction* const> operands,
                                                                          HloComputation* parent) {
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

inline void GraphLoader::Append(HloComputation* computation, HloInstruction* instruction) {
  instruction->prev_ = computation->last_;
  (computation->last_ != nullptr ? computation->last_->next_ : computation->first_) = instruction;
  computation->last_ = instruction;
  computation->NoteAdded(instruction);
  // Put in order of their numbers when the computation is complete.
  if (instruction->opcode_ == HloOpcode::kParameter)
    computation->AddToParameters(instruction, computation->parameters_.size());
}

}  // namespace hloir
