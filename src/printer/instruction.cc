// One instruction as a line of HLO text: name = shape opcode(operands), attributes, metadata={…}, backend_config=….
// Entry points: PrintInstruction, HloInstruction::ToString. attributes.cc prints the attributes. Covered by
// tests/unit/printer_test.cc.
#include "internal.h"

namespace hloir {
namespace {

// Constants up to this many elements are shown without print_large_constants.
constexpr int64_t kSmallConstantElements = 10;
// The number of operands shown with compact_operands.
constexpr size_t kCompactOperands = 4;

// As XLA: metadata without any of these is not printed.
bool SaysSomething(const OpMetadata& metadata, const PrintOptions& options) {
  if (options.print_metadata_only_op_name) return !metadata.op_name.empty();
  return !metadata.op_type.empty() || !metadata.op_name.empty() || !metadata.source_file.empty() ||
         !metadata.scheduling_name.empty() || metadata.stack_frame_id != 0 || !metadata.metadata_payload.empty();
}

void AppendConstant(TextBuffer& out, const Literal& literal, const PrintOptions& options) {
  const Shape& shape = literal.shape();
  if (options.print_only_essential_constants) {
    if (literal.IsAll(0)) out.Append('0');
    else if (literal.IsAll(1)) out.Append('1');
    else if (shape.IsArray() && IsInteger(shape.element_type())) AppendLiteral(out, literal, options.reads_back);
    else out.Append("{...}");
    return;
  }
  const bool small = shape.IsArray() && shape.ElementCount() <= kSmallConstantElements;
  if (literal.elided() ? !shape.IsArray() || shape.rank() > 0 : !small && !options.print_large_constants) {
    out.Append("{...}");
  } else {
    AppendLiteral(out, literal, options.reads_back);
  }
}

// False for most elementwise ops.
bool HasMoreThanOperands(const HloInstruction& instruction) {
  return !instruction.attributes().SameType(Attributes()) || instruction.has_extras() ||
         !instruction.called_computations().empty();
}

}  // namespace

size_t Printer::PlainOperands() const {
  if (!is_plain_ || !options_.print_result_shape) return 0;
  const int interval = options_.print_operand_index_annotation_interval;
  const size_t most = interval > 0 ? static_cast<size_t>(interval) : SIZE_MAX;
  return options_.compact_operands ? std::min(most, kCompactOperands) : most;
}

bool CanBeSugar(const HloComputation& computation) {
  if (!UnknownOpcode(*computation.root()).empty()) return false;
  for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
    if (i != computation.root() && i->opcode() != HloOpcode::kParameter) return false;
  }
  return true;
}

const HloInstruction* AsyncWrapped(const HloInstruction& instruction) {
  const HloInstruction* start = &instruction;
  while (start->opcode() == HloOpcode::kAsyncUpdate || start->opcode() == HloOpcode::kAsyncDone) {
    if (start->operand_count() == 0) return nullptr;
    start = start->operand(0);
  }
  if (start->opcode() != HloOpcode::kAsyncStart || start->called_computations().empty()) return nullptr;
  const HloComputation& body = *start->called_computations()[0];
  return CanBeSugar(body) ? body.root() : nullptr;
}

// Without its number, a name ends at the first dot.
void Printer::Name(std::string_view name) {
  if (options_.print_percent) out_.Append('%');
  out_.Append(options_.print_ids ? name : name.substr(0, name.find('.')));
}

void Printer::InstructionName(const HloInstruction& instruction) {
  if (!options_.canonicalize_instruction_names) return Name(instruction.name());
  out_.Append("tmp_");
  const size_t id = static_cast<size_t>(instruction.id());
  out_.AppendInt(id < canonical_.size() ? canonical_[id] : 0);
}

void Printer::Operand(const HloInstruction& operand) {
  const HloInstruction* named = &operand;
  std::vector<int64_t> path;  // of the get-tuple-elements printed as #index in the compact form
  if (options_.compact_gte) {
    while (named->opcode() == HloOpcode::kGetTupleElement && !named->IsRoot()) {
      path.push_back(named->tuple_index());
      named = named->operand(0);
    }
  }
  if (options_.print_operand_shape) InternedShape(operand.shape());
  const bool canonical = options_.canonicalize_instruction_names;
  // A canonical line has no names.
  if (canonical ? in_computation_ : options_.print_operand_names) {
    if (options_.print_operand_shape) out_.Append(' ');
    InstructionName(*named);
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      out_.Append('#');
      out_.AppendInt(*it);
    }
  }
}

void Printer::Operands(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kParameter) {
    if (options_.print_parameter_number) out_.AppendInt(instruction.parameter_number());
    else out_.Append('_');
    return;
  }
  if (instruction.opcode() == HloOpcode::kConstant) return AppendConstant(out_, instruction.literal(), options_);
  const auto operands = instruction.operands();
  if (is_plain_ && operands.size() == 1) return out_.AppendAll('%', operands[0]->name());
  const size_t shown = options_.compact_operands ? std::min(operands.size(), kCompactOperands) : operands.size();
  const size_t interval = static_cast<size_t>(std::max(options_.print_operand_index_annotation_interval, 0));
  size_t next_index = interval;  // the next operand with an annotation; 0: none
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) {
      out_.Append(", ");
      if (i == next_index) {
        next_index += interval;
        out_.Append("/*index=");
        out_.AppendInt(static_cast<int64_t>(i));
        out_.Append("*/");
      }
    }
    if (is_plain_) out_.AppendAll('%', operands[i]->name());
    else Operand(*operands[i]);
  }
  if (shown < operands.size()) {
    out_.Append(", ...(+");
    out_.AppendInt(static_cast<int64_t>(operands.size() - shown));
    out_.Append(')');
  }
}

// With print_inline_stack_frames: the source location of the instruction's stack frame. XLA prints file, line and
// column.
const StackFrameIndex::FileLocation* Printer::InlinedLocation(const HloInstruction& instruction) const {
  if (!options_.print_inline_stack_frames) return nullptr;
  const StackFrameIndex& tables = instruction.module()->config().stack_frames;
  const auto at = [](const auto& table, int64_t id) {
    return id >= 1 && id <= static_cast<int64_t>(table.size()) ? &table[static_cast<size_t>(id - 1)] : nullptr;
  };
  const auto* frame = at(tables.stack_frames, instruction.metadata()->stack_frame_id);
  const auto* location = frame != nullptr ? at(tables.file_locations, frame->file_location_id) : nullptr;
  return location != nullptr && at(tables.file_names, location->file_name_id) != nullptr ? location : nullptr;
}

// The usual line up to its closing parenthesis, at once: %name = shape opcode(%a, %b). False if nothing was printed,
// because its shape was not printed recently, or its opcode or operands may be printed in another form.
bool Printer::PlainHead(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  if (operands.empty() || operands.size() > plain_operands_) return false;
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kAsyncStart || opcode == HloOpcode::kAsyncUpdate || opcode == HloOpcode::kAsyncDone ||
      opcode == HloOpcode::kCustomCall) {
    return false;
  }
  const Printed& shape = RecentOf(&instruction.shape());
  if (!IsRecent(shape, &instruction.shape())) return false;
  TextBuffer::Pen pen(out_);
  pen('%', instruction.name(), " = ", TextBuffer::Again{shape.offset, shape.size}, ' ', OpcodeName(opcode), "(%",
      operands[0]->name());
  for (const HloInstruction* operand : operands.subspan(1)) pen(", %", operand->name());
  pen(')');
  return true;
}

void Printer::Head(const HloInstruction& instruction) {
  if (in_computation_ || !options_.canonicalize_instruction_names) {
    if (is_plain_) {
      out_.AppendAll('%', instruction.name(), " = ");
    } else {
      InstructionName(instruction);
      out_.Append(" = ");
    }
  }
  if (options_.print_result_shape) {
    InternedShape(instruction.shape());
    out_.Append(' ');
  }
}

void Printer::Metadata(const HloInstruction& instruction) {
  const OpMetadata& metadata = *instruction.metadata();
  if (const Printed& recent = RecentOf(&metadata); IsRecent(recent, &metadata)) {
    return out_.AppendAll(", metadata={", TextBuffer::Again{recent.offset, recent.size}, '}');
  }
  if (!SaysSomething(metadata, options_)) return;
  Separate("metadata={");
  if (const StackFrameIndex::FileLocation* location = InlinedLocation(instruction)) {
    OpMetadata inlined = metadata;
    inlined.stack_frame_id = 0;
    inlined.source_file =
        instruction.module()->config().stack_frames.file_names[static_cast<size_t>(location->file_name_id - 1)];
    inlined.source_line = location->line;
    inlined.source_column = location->column;
    AppendMetadata(out_, inlined, options_.print_metadata_only_op_name);
  } else {
    Interned(&metadata, [&] { AppendMetadata(out_, metadata, options_.print_metadata_only_op_name); });
  }
  out_.Append('}');
}

void Printer::WholeHead(const HloInstruction& instruction) {
  Head(instruction);
  const HloInstruction* wrapped = nullptr;
  const HloOpcode opcode = instruction.opcode();
  if (sugar_ &&
      (opcode == HloOpcode::kAsyncStart || opcode == HloOpcode::kAsyncUpdate || opcode == HloOpcode::kAsyncDone)) {
    wrapped = AsyncWrapped(instruction);
  }
  if (wrapped != nullptr) {
    out_.Append(wrapped->opcode_name());
    out_.Append(opcode == HloOpcode::kAsyncStart ? "-start" : opcode == HloOpcode::kAsyncUpdate ? "-update" : "-done");
    out_.Append('(');
  } else {
    const std::string_view unknown = opcode == HloOpcode::kCustomCall ? UnknownOpcode(instruction) : std::string_view();
    out_.AppendAll(unknown.empty() ? instruction.opcode_name() : unknown, '(');
  }
  Operands(instruction);
  out_.Append(')');
}

void Printer::Instruction(const HloInstruction& instruction, int nesting) {
  if (!PlainHead(instruction)) WholeHead(instruction);
  if (HasMoreThanOperands(instruction)) ExtraAttributes(instruction, nesting);
  const InstructionExtras* extras = instruction.has_extras() ? &instruction.extras() : nullptr;
  if (extras != nullptr && extras->original_value.has_value() && options_.print_original_value) {
    Separate("origin={");
    AppendOriginalValue(out_, *extras->original_value);
    out_.Append('}');
  }
  if (options_.print_metadata && instruction.metadata() != nullptr) Metadata(instruction);
  if (extras == nullptr) return;
  if (options_.print_merged_metadata) AppendMergedMetadata(out_, instruction.merged_metadata());
  if (options_.print_backend_config && !extras->backend_config.empty()) {
    Separate("backend_config=");
    AppendDictOrQuoted(out_, extras->backend_config);
  }
  for (const auto& [name, value] : extras->unknown_attributes) {
    if (name.empty()) break;  // of an unknown opcode: printed in place of an opcode's own attributes
    Separate(name);
    out_.Append('=');
    out_.Append(value);
  }
}

std::string PrintInstruction(const HloInstruction& instruction, const PrintOptions& options) {
  Printer printer(options);
  printer.Instruction(instruction);
  return printer.Take();
}

std::string HloInstruction::ToString() const { return PrintInstruction(*this); }

}  // namespace hloir
