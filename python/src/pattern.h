// Pattern: a pattern of instructions as data: the patterns of hloir/match.h for Python.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "handles.h"

namespace hloir::python {

struct Pattern;
using PatternRef = std::shared_ptr<const Pattern>;
// Captured instructions by name, in the order of capture.
using Captures = std::vector<std::pair<std::string, HloInstruction*>>;

struct Pattern {
  enum class Kind : uint8_t { kAny, kSame, kSplat, kConstant, kOpcode, kAnyOf };
  Kind kind = Kind::kAny;
  HloOpcode opcode = {};
  bool any_order = false, one_user = false;
  std::string name;             // to capture it under, or of the earlier capture
  std::optional<double> value;  // of a splat
  std::optional<PrimitiveType> type;
  std::vector<PatternRef> operands;  // of an opcode, none or all; or the alternatives
  nb::object where;                  // asked last, with the instruction
  int depth = 0;
};

// Appends to `captures`; restores them after a failure. Exceptions of `where` are thrown.
bool Matches(const Pattern& pattern, HloInstruction* instruction, const GraphRef& graph, Captures& captures);
// The opcodes that it can match.
OpcodeSet OpcodesOf(const Pattern& pattern);
nb::typed<nb::dict, nb::str, Instruction> CapturesDict(const GraphRef& graph, const Captures& captures);

}  // namespace hloir::python
