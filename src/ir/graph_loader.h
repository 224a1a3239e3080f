// GraphLoader: how the readers of text and of protos fill a module. What they read is consistent by their own checks,
// so the loader checks nothing and keeps no table that a reader does not need; everybody else goes through the public
// functions of HloModule, HloComputation and HloInstruction. Everything it makes lives as long as the module. Tested by
// tests/unit/parser_test.cc and proto_test.cc.
#pragma once

#include <memory>
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

  // About how many bytes the module will take.
  void Reserve(size_t bytes) { module_.arena_.Reserve(bytes); }
  // Texts. An adopted text is shared, others are copied.
  void AdoptText(std::shared_ptr<const std::string> text) { module_.texts_.push_back(std::move(text)); }
  std::string_view KeepText(std::string_view text) { return module_.arena_.Copy(text); }
  const Shape* KeepShape(const Shape& shape) { return module_.InternShape(shape); }
  const Sharding* KeepSharding(Sharding sharding) { return module_.arena_.New<Sharding>(std::move(sharding)); }
  const OpMetadata* KeepMetadata(OpMetadata metadata) { return module_.InternMetadata(std::move(metadata)); }
  // Metadata to be filled in, and then owned. Its texts must be kept ones.
  OpMetadata* NewMetadata();
  OpMetadata* Own(OpMetadata* metadata);
  // Attributes. An opcode's are made by `attributes` below.
  template <class A>
  A* KeepAttributes(A attributes) {
    return module_.arena_.New<A>(std::move(attributes));
  }

  // A computation, not yet one of the module's: it comes after those that it calls.
  HloComputation* NewComputation(std::string_view name, int32_t line);
  // Gives it its id, and a name that no other has. Names are given in the order in which computations are complete.
  void Name(HloComputation* computation);
  // The module's, from now on.
  void List(HloComputation* computation) { module_.computations_.push_back(computation); }
  static void set_execution_thread(HloComputation* computation, std::string_view kept) {
    computation->execution_thread_ = kept;
  }
  // In the order of their numbers, when the computation is complete; before that as they came.
  static std::vector<HloInstruction*>& parameters(HloComputation* computation) { return computation->parameters_; }

  // An instruction, linked with its operands, but not yet one of its computation's.
  HloInstruction* NewInstruction(HloOpcode opcode, const Shape* shape, std::span<HloInstruction* const> operands,
                                 HloComputation* parent);
  // The last of its computation's, from now on.
  static void Append(HloComputation* computation, HloInstruction* instruction);
  static void set_name(HloInstruction* instruction, std::string_view kept) { instruction->name_ = kept; }
  static void set_shape(HloInstruction* instruction, const Shape* kept) { instruction->shape_ = kept; }
  static bool has_shape(const HloInstruction& instruction) { return instruction.shape_ != nullptr; }
  static void set_metadata(HloInstruction* instruction, const OpMetadata* kept) { instruction->metadata_ = kept; }
  // One with attributes that are kept, checked as HloComputation::AddInstruction checks it, and the computation's.
  HloInstruction* AddInstruction(HloComputation& computation, HloOpcode opcode, const Shape& shape,
                                 std::span<HloInstruction* const> operands, const Attributes& kept,
                                 std::string_view name) {
    return computation.NewInstruction(opcode, KeepShape(shape), operands, kept, name);
  }
  // Its attributes, of type A, made if it has none.
  template <class A>
  A* attributes(HloInstruction* instruction) {
    if (instruction->HasAttributes<A>()) return &instruction->mutable_attributes<A>();
    A* made = module_.arena_.New<A>();
    instruction->attributes_ = made;
    return made;
  }
  static InstructionExtras& extras(HloInstruction* instruction) { return instruction->mutable_extras(); }

 private:
  HloModule& module_;
  std::byte* room_ = nullptr;  // in the arena, for the next instructions
  size_t room_left_ = 0, room_size_ = 16;
};

}  // namespace hloir
