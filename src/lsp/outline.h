// Outline: the places in a text of HLO: modules, computations, instructions, their names, shapes and opcodes. It is
// read from any bytes, so that an editor has it while a line is half written; the parser interprets the text. An edit
// reads the statements around it again (UpdateOutline). Uses of names are not kept: SpotsIn reads those of a few
// statements, SpotsOf searches those of one name, and LayoutOf has the changes of formatting (blanks only). The entry
// point is ReadOutline. Tested by tests/unit/lsp_test.cc.
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
  int32_t target = -1;  // of instructions or computations; -1: there is none of that name
  int32_t owner = -1;   // the instruction that it is in; -1: a computation's head
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
  // Blanks that formatting would have otherwise.
  struct Edit {
    Range range;
    std::string_view text;
  };
  std::vector<Module> modules;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  // Where a comment or bracket begins that nothing ends; the reading of all text behind it depends on that.
  uint32_t unclosed = UINT32_MAX;
  size_t bytes_read = 0;  // of text, by ReadOutline and UpdateOutline together: a measure of work

  // The instruction, or computation, whose text has the byte; -1 for none.
  int32_t InstructionAt(size_t offset) const;
  int32_t ComputationAt(size_t offset) const;
  // Those that an instruction, or computation, belongs to.
  int32_t ComputationOf(int32_t instruction) const;
  int32_t ModuleOf(int32_t computation) const;
};

// Linear in the text, which must be shorter than 4 GB.
Outline ReadOutline(std::string_view text);
// The outline of `text`, from that of the text before `replaced`'s bytes were replaced by `size` others. Reads the
// statements that the edit touches; all of the text where the edit is outside of the computations' bodies, or changes
// where one ends.
void UpdateOutline(Outline& outline, std::string_view text, Range replaced, size_t size);

// The spots of the statements and heads of computations that touch the range, in the text's order.
std::vector<Spot> SpotsIn(const Outline& outline, std::string_view text, Range within);
// The spot that has the byte, or ends there.
std::optional<Spot> SpotAt(const Outline& outline, std::string_view text, size_t offset);
// Every spot of an instruction or computation, in the text's order.
std::vector<Spot> SpotsOf(const Outline& outline, std::string_view text, Spot::Kind kind, int32_t target);
// What formatting would change, in the text's order. The edits' texts are literals.
std::vector<Outline::Edit> LayoutOf(std::string_view text);

}  // namespace hloir::lsp
