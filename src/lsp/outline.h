// Outline: the places in a text of HLO: computations, instructions, their names, shapes and opcodes, and every
// reference to one of them. It is read from any bytes, so that an editor has it while a line is half written; the
// parser interprets the text. The layout, which is computed with it, has the changes of formatting: blanks only. The
// entry point is ReadOutline. Tested by tests/unit/lsp_test.cc.
#pragma once

#include <cstdint>
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
    int32_t computation = -1;
    int32_t line = 0;  // of the name, 1-based, as HloInstruction::line()
    bool is_root = false;
  };
  struct Computation {
    Range name, whole;
    int32_t module = -1, first = 0, end = 0;  // instructions
    int32_t line = 0;
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
  std::vector<Spot> spots;  // in the text's order
  std::vector<Edit> layout;

  // The spot that has the byte, or ends there; nullptr for none.
  const Spot* SpotAt(size_t offset) const;
  // The instruction whose statement has the byte; -1 for none.
  int32_t InstructionAt(size_t offset) const;
  // Every spot of one thing, in the text's order.
  std::vector<const Spot*> SpotsOf(Spot::Kind kind, int32_t target) const;
};

// Linear in the text, which must be shorter than 4 GB and outlive the outline.
Outline ReadOutline(std::string_view text);

}  // namespace hloir::lsp
