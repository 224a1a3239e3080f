// See hloir/builder.h. The parser reads the attributes, so that their syntax is implemented once: it parses a module of
// one instruction, whose operands are parameters, and whose called computations have the names and signatures of the
// real ones and empty bodies.
#include "hloir/builder.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "shape_inference/shape_inference.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "ir/opcode_suggestion.h"
#include "shape_inference/internal.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace {

constexpr std::string_view kControlPredecessorsName = "control-predecessors", kMetadataName = "metadata";
constexpr std::array<std::string_view, 10> kCalling = {"to_apply",
                                                       "calls",
                                                       "condition",
                                                       "body",
                                                       "select",
                                                       "scatter",
                                                       "true_computation",
                                                       "false_computation",
                                                       "branch_computations",
                                                       "called_computations"};
// Attributes that any instruction may have; they are in its extras.
constexpr std::array<std::string_view, 6> kAnnotations = {"sharding", "frontend_attributes", "statistics",
                                                          "origin",   "backend_config",      "result_accuracy"};

template <class List>
bool Has(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The words of "{a, %b}".
std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kBetween = "{}, %\t\n";
  std::vector<std::string_view> words;
  for (size_t begin; (begin = text.find_first_not_of(kBetween)) != std::string_view::npos;) {
    text.remove_prefix(begin);
    words.push_back(text.substr(0, text.find_first_of(kBetween)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

StatusOr<HloOpcode> OpcodeOf(std::string_view name) {
  if (const std::optional<HloOpcode> opcode = ParseOpcode(name)) return *opcode;
  return InvalidArgument(Format("unknown opcode '{}'{}", name, SuggestOpcode(name)));
}

// One instruction: copies the parsed attributes, with references to the real module's computations.
struct Reading {
  std::unique_ptr<HloModule> fragment;
  const HloInstruction* instruction = nullptr;
  std::vector<HloComputation*> called;
  std::vector<HloInstruction*> predecessors;
};

// "FILE:LINE:COLUMN: error: MESSAGE" with the source line, about an internal text => "MESSAGE".
Status WithoutPlace(const Status& status) {
  std::string_view message = status.message();
  constexpr std::string_view kError = ": error: ";
  if (const size_t at = message.find(kError); at != std::string_view::npos) message.remove_prefix(at + kError.size());
  return {status.code(), std::string(message.substr(0, message.find('\n')))};
}

StatusOr<Reading> Read(HloComputation& computation, HloOpcode opcode, std::span<const HloInstruction* const> operands,
                       const NamedAttributes& attributes, const Shape* shape) {
  HloModule& module = *computation.module();
  Reading reading;
  std::string text = "HloModule m\n", list;
  std::vector<const HloComputation*> declared;
  for (const auto& [name, value] : attributes) {
    if (name.empty() || name.find_first_of(" ={},") != std::string::npos)
      return InvalidArgument(Format("'{}' is not an attribute name", name));
    if (name == kControlPredecessorsName) {
      for (const std::string_view word : Words(value)) {
        reading.predecessors.push_back(computation.FindInstruction(word));
        if (reading.predecessors.back() == nullptr)
          return InvalidArgument(Format("{} has no instruction '{}'", computation.name(), word));
      }
      continue;
    }
    list += ", " + name + "=" + value;
    if (!Has(kCalling, name)) continue;
    for (const std::string_view word : Words(value)) {
      HloComputation* called = module.FindComputation(word);
      if (called == nullptr) return InvalidArgument(Format("the module has no computation '{}'", word));
      if (called->root() == nullptr) return InvalidArgument(Format("computation '{}' is not finished", word));
      if (called == &computation) return InvalidArgument(Format("'{}' would call itself", word));
      if (std::find(declared.begin(), declared.end(), called) != declared.end()) continue;
      declared.push_back(called);
      text += Format("%{} {{\n", called->name());
      const ProgramShape program = called->program_shape();
      for (size_t k = 0; k < program.parameters.size(); ++k)
        text += Format("p{} = {} parameter({})\n", k, program.parameters[k].ToString(), k);
      text += Format("ROOT r = {} custom-call(), custom_call_target=\"\"\n}}\n", program.result.ToString());
    }
  }
  text += "ENTRY %hloir.fragment {\n";
  std::string names;
  for (size_t k = 0; k < operands.size(); ++k) {
    text += Format("o{} = {} parameter({})\n", k, operands[k]->shape().ToString(), k);
    names += Format("{}o{}", k > 0 ? ", " : "", k);
  }
  // A missing shape is inferred later from the real operands and computations; any shape is valid here.
  Shape stated = shape != nullptr ? *shape : Shape::Scalar(PrimitiveType::F32);
  if (shape == nullptr && opcode == HloOpcode::kTuple) {
    std::vector<Shape> elements;
    for (const HloInstruction* operand : operands) elements.push_back(operand->shape());
    stated = Shape::Tuple(std::move(elements));
  }
  text += Format("ROOT r = {} {}({}){}\n}}\n", stated.ToString(), OpcodeName(opcode), names, list);
  StatusOr<std::unique_ptr<HloModule>> parsed = ParseModule(std::move(text));
  if (!parsed.ok()) return WithoutPlace(parsed.status());
  reading.fragment = *std::move(parsed);
  reading.instruction = reading.fragment->entry_computation()->root();
  if (reading.instruction->opcode() != opcode || reading.instruction->operand_count() != std::ssize(operands))
    return InvalidArgument("text follows the attribute's value");
  for (const HloComputation* called : reading.instruction->called_computations())
    reading.called.push_back(module.FindComputation(called->name()));
  return reading;
}

// The shape that the real instruction has.
StatusOr<Shape> ShapeOf(const Reading& reading, std::span<const HloInstruction* const> operands, const Shape* given) {
  std::vector<const Shape*> shapes;
  for (const HloInstruction* operand : operands) shapes.push_back(&operand->shape());
  // For sends, tokens and similar ops the parser overrides the stated shape.
  const Shape& read = reading.instruction->shape();
  HLOIR_ASSIGN_OR_RETURN(Shape inferred,
                         InferShape(reading.instruction->opcode(), shapes, reading.instruction->attributes(),
                                    reading.called, given != nullptr ? &read : nullptr));
  if (given == nullptr) return inferred;
  // Mixed precision is legal, as in the verifier.
  if (!shape_inference::CompatibleIgnoringFloatPrecision(inferred, read))
    return InvalidArgument(Format("the result is {}, not {}", inferred.ToString(), read.ToString()));
  return read.Compatible(*given) ? *given : read;
}

StatusOr<HloInstruction*> Add(HloComputation& computation, std::string_view opcode_name,
                              std::span<HloInstruction* const> operands, const NamedAttributes& attributes,
                              const Shape* shape, std::string_view name) {
  HLOIR_ASSIGN_OR_RETURN(const HloOpcode opcode, OpcodeOf(opcode_name));
  if (opcode == HloOpcode::kParameter || opcode == HloOpcode::kConstant)
    return InvalidArgument(Format("{}s are not added by name", opcode_name));
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == nullptr) return InvalidArgument(Format("operand {} is missing", k));
    if (operands[k]->parent() != &computation)
      return InvalidArgument(Format("operand {}, {}, is of another computation", k, operands[k]->name()));
  }
  HLOIR_ASSIGN_OR_RETURN(const Reading reading, Read(computation, opcode, operands, attributes, shape));
  HLOIR_ASSIGN_OR_RETURN(const Shape inferred, ShapeOf(reading, operands, shape));
  HloInstruction* made =
      computation.AddInstructionWithAttributes(opcode, inferred, operands, reading.instruction->attributes(), name);
  for (HloComputation* called : reading.called) made->AddCalledComputation(called);
  if (reading.instruction->has_extras()) made->CopyExtrasOf(*reading.instruction);
  made->CopyMetadataOf(*reading.instruction);
  for (HloInstruction* predecessor : reading.predecessors) predecessor->AddControlDependencyTo(made);
  if (opcode == HloOpcode::kAsyncStart && !reading.called.empty()) {
    const std::string& thread = made->attributes<AsyncAttributes>().async_execution_thread;
    if (!thread.empty()) reading.called[0]->set_execution_thread(thread == "main" ? "" : thread);
  }
  return made;
}

Status Set(HloInstruction& instruction, std::string_view name, std::string_view value) {
  if (instruction.IsParameter() || instruction.IsConstant()) {
    if (!Has(kAnnotations, name) && name != kMetadataName && name != kControlPredecessorsName)
      return InvalidArgument(Format("{} has no attribute '{}' to set", instruction.opcode_name(), name));
  }
  NamedAttributes attributes;
  for (auto& attribute : PrintAttributes(instruction)) {
    if (attribute.first == name || attribute.first == kMetadataName || attribute.first == kControlPredecessorsName)
      continue;
    attributes.push_back(std::move(attribute));
  }
  if (!value.empty()) attributes.emplace_back(name, value);
  // The short form of an async-start does not name its computation.
  if (instruction.opcode() == HloOpcode::kAsyncStart &&
      std::none_of(attributes.begin(), attributes.end(), [](const auto& a) { return a.first == "calls"; }))
    attributes.emplace_back("calls", instruction.called_computation(0)->name());
  // An annotation is legal on any op, so the fragment is a copy op.
  const bool is_leaf = instruction.IsParameter() || instruction.IsConstant();
  HLOIR_ASSIGN_OR_RETURN(
      const Reading reading,
      Read(*instruction.parent(), is_leaf ? HloOpcode::kCopy : instruction.opcode(),
           is_leaf ? std::vector<const HloInstruction*>{&instruction}
                   : std::vector<const HloInstruction*>(instruction.operands().begin(), instruction.operands().end()),
           attributes, &instruction.shape()));
  if (name == kMetadataName) {
    instruction.CopyMetadataOf(*reading.instruction);
    return OkStatus();
  }
  if (name == kControlPredecessorsName) {
    for (const HloInstruction* predecessor : reading.predecessors) {
      if (DependsOn(*predecessor, instruction))
        return InvalidArgument(Format("'{}' needs '{}' itself", predecessor->name(), instruction.name()));
    }
    while (!instruction.control_predecessors().empty())
      instruction.control_predecessors().front()->RemoveControlDependencyTo(&instruction);
    for (HloInstruction* predecessor : reading.predecessors) predecessor->AddControlDependencyTo(&instruction);
    return OkStatus();
  }
  if (Has(kAnnotations, name)) {
    const std::vector<const OpMetadata*> merged(instruction.merged_metadata().begin(),
                                                instruction.merged_metadata().end());
    instruction.CopyExtrasOf(*reading.instruction);
    for (const OpMetadata* metadata : merged) instruction.AddMergedMetadata(*metadata);
    return OkStatus();
  }
  const std::vector<const HloInstruction*> operands(instruction.operands().begin(), instruction.operands().end());
  HLOIR_RETURN_IF_ERROR(ShapeOf(reading, operands, &instruction.shape()).status());
  reading.instruction->attributes().Visit([&]<class T>(const T& read) {
    if constexpr (!std::is_same_v<T, NoAttributes>) instruction.mutable_attributes<T>() = read;
  });
  if (!std::ranges::equal(instruction.called_computations(), reading.called)) {
    instruction.ClearCalledComputations();
    for (HloComputation* called : reading.called) instruction.AddCalledComputation(called);
  }
  return OkStatus();
}

}  // namespace

StatusOr<HloInstruction*> AddByName(HloComputation& computation, std::string_view opcode,
                                    std::span<HloInstruction* const> operands, const NamedAttributes& attributes,
                                    const Shape* shape, std::string_view name) {
  return Guarded([&] { return Add(computation, opcode, operands, attributes, shape, name); });
}

Status SetAttribute(HloInstruction& instruction, std::string_view name, std::string_view value) {
  return Guarded([&] { return Set(instruction, name, value); });
}

}  // namespace hloir
