// Ops by their names, and attributes by theirs, both as HLO text has them: for bindings, scripts and whoever knows an
// op as a word only. A program in C++ that knows its ops has HloBuilder, which checks names while it compiles.
//
//   StatusOr<HloInstruction*> sum =
//       AddByName(main, "reduce", std::vector{x, zero}, {{"dimensions", "{1}"}, {"to_apply", "add"}});
//   Status edited = SetAttribute(**sum, "metadata", "{op_name=\"sum\"}");
//
// Errors are InvalidArgument and leave the module as it was. Tested by tests/unit/by_name_test.cc, on every instruction
// of the corpus.
//
// Threads: as for the module (module.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Attributes as PrintAttributes (printer.h) gives them: name, and the text behind its '='. What is called, and what
// control-predecessors names, is of the same module; a metadata's stack_frame_id is not taken over.
using NamedAttributes = std::vector<std::pair<std::string, std::string>>;

// Adds an instruction at the end of the computation. Its shape is inferred (InferShape) and `shape` held against it;
// ops whose shape does not follow from the rest need it. Parameters and constants have functions of their own,
// AddParameter and AddConstant.
StatusOr<HloInstruction*> AddByName(HloComputation& computation, std::string_view opcode,
                                    std::span<HloInstruction* const> operands, const NamedAttributes& attributes = {},
                                    const Shape* shape = nullptr, std::string_view name = {});

// Gives one attribute another value; "" is its default, or none. The shape must stay what it is.
Status SetAttribute(HloInstruction& instruction, std::string_view name, std::string_view value);

}  // namespace hloir
#pragma GCC visibility pop
