// See graph_text.h.
#include "inspect/graph_text.h"

#include "hloir/printer.h"
#include "support/text.h"

namespace hloir {

const char* KindOf(const HloInstruction& i) {
  const HloOpcode opcode = i.opcode();
  if (opcode == HloOpcode::kParameter) return "parameter";
  if (IsOneOf(opcode, HloOpcode::kConstant, HloOpcode::kIota)) return "constant";
  if (opcode == HloOpcode::kFusion) return "fusion";
  if (IsOneOf(opcode, HloOpcode::kDot, HloOpcode::kScaledDot, HloOpcode::kRaggedDot, HloOpcode::kConvolution))
    return "contraction";
  if (IsOneOf(opcode, HloOpcode::kReduce, HloOpcode::kReduceWindow, HloOpcode::kSort, HloOpcode::kScatter,
              HloOpcode::kScan))
    return "reduction";
  if (opcode == HloOpcode::kCustomCall) return "custom-call";
  if (IsOneOf(opcode, HloOpcode::kTuple, HloOpcode::kGetTupleElement)) return "tuple";
  if (i.Is(kCollective)) return "collective";
  if (i.Is(kControlFlow)) return "control";
  if (i.Is(kMovesData) || i.Is(kAliases)) return "movement";
  return "elementwise";
}

std::string ShapeText(const Shape& shape) {
  constexpr size_t kWidth = 40;
  return ShortName(shape.ToString(/*with_layout=*/false), kWidth, /*middle=*/false);
}
std::string InstructionText(const HloInstruction& i) {
  PrintOptions options = PrintOptions::ShortParsable();
  options.print_metadata = false;
  constexpr size_t kMost = 2000;
  std::string text = PrintInstruction(i, options);
  if (text.size() > kMost) text = text.substr(0, kMost) + " …";
  return text;
}

std::string OperationText(const HloInstruction& i) {
  std::string text(i.opcode_name());
  if (i.opcode() == HloOpcode::kCustomCall) text += " " + i.attributes<CustomCallAttributes>().custom_call_target;
  return text;
}

}  // namespace hloir
