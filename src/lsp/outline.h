// Outline: the positions in an HLO text of modules, computations, instructions, their names, shapes and opcodes. It is
// defined for any text, also while a line is incomplete; the parser interprets the text. An edit rereads the
// surrounding statements (UpdateOutline). Uses of names are not stored: SpotsIn finds those in a few statements,
// SpotsOf those of one name; LayoutOf returns the changes of formatting (blanks only). The entry point is ReadOutline.
// Tested by tests/unit/lsp_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hloir::lsp {

// Bytes of the text.
struct Range {
  uint32_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
  bool Has(size_t at) const { return begin <= at && at <= end; }
  std::string_view In(std::string_view text) const { return text.substr(begin, end - begin); }
};

// A place that one can point at.
struct Spot {
  enum class Kind : uint8_t { kInstruction, kComputation, kOpcode, kShape };
  Range range;
  Kind kind = Kind::kInstruction;
  bool defines = false;
  int32_t target = -1;  // the index of the instruction or computation; -1: unknown name
  int32_t owner = -1;   // the enclosing instruction; -1: a computation's head
};

struct Outline {
  struct Instruction {
    Range name, shape, opcode, metadata, whole;  // shape and metadata may be empty
    bool is_root = false;
  };
  struct Computation {
    Range name, whole;
    int32_t first = 0, end = 0;  // instructions
    bool is_entry = false;
  };
  struct Module {
    Range name, whole;           // no name: computations without a header
    int32_t first = 0, end = 0;  // computations
  };
  // A change of blanks by formatting.
  struct Edit {
    Range range;
    std::string_view text;
  };
  std::vector<Module> modules;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  // The position of an unterminated comment or bracket, which affects all later text.
  uint32_t unclosed = UINT32_MAX;
  size_t bytes_read = 0;  // of text, by ReadOutline and UpdateOutline together: a measure of work

  // The instruction, or computation, whose text contains the byte; -1 if there is none.
  int32_t InstructionAt(size_t offset) const;
  int32_t ComputationAt(size_t offset) const;
  // The computation of an instruction, and the module of a computation.
  int32_t ComputationOf(int32_t instruction) const;
  int32_t ModuleOf(int32_t computation) const;
};

// Linear in the text, which must be shorter than 4 GB.
Outline ReadOutline(std::string_view text);
// The outline of `text`, from the outline before the bytes `replaced` were replaced by `size` others. Reads the edited
// statements only, or the whole text if the edit is outside of computation bodies or changes the end of one.
void UpdateOutline(Outline& outline, std::string_view text, Range replaced, size_t size);

// The spots of the statements and heads of computations that touch the range, in the text's order.
std::vector<Spot> SpotsIn(const Outline& outline, std::string_view text, Range within);
// The spot that has the byte, or ends there.
std::optional<Spot> SpotAt(const Outline& outline, std::string_view text, size_t offset);
// Every spot of an instruction or computation, in the text's order.
std::vector<Spot> SpotsOf(const Outline& outline, std::string_view text, Spot::Kind kind, int32_t target);
// The changes of formatting, in the text's order. The edits' texts are literals.
std::vector<Outline::Edit> LayoutOf(std::string_view text);

}  // namespace hloir::lsp
