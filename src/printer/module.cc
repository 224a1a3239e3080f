// Printing of a module: its header, stack frame tables and computations. Entry points: PrintModule, PrintComputation.
// One instruction's line is instruction.cc's. Covered by tests/unit/printer_test.cc.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "internal.h"
#include "ir/names.h"
#include "support/format.h"
#include "support/stable_sort.h"

namespace hloir {

PrintOptions PrintOptions::Readable() {
  PrintOptions options;
  options.print_large_constants = true;
  options.reads_back = true;
  return options;
}

PrintOptions PrintOptions::ShortParsable() {
  PrintOptions options;
  options.print_large_constants = true;
  options.print_metadata = false;
  options.print_operand_index_annotation_interval = 0;
  options.print_program_shape = false;
  options.print_percent = false;
  options.print_control_dependencies = false;
  return options;
}

PrintOptions PrintOptions::Canonical() {
  PrintOptions options;
  options.print_subcomputation_mode = SubcomputationMode::kFullBodies;
  options.print_metadata = false;
  options.print_backend_config = false;
  options.print_operand_names = false;
  options.print_operand_shape = true;
  options.print_operand_index_annotation_interval = 0;
  options.print_program_shape = false;
  options.print_percent = false;
  options.print_control_dependencies = false;
  options.canonicalize_instruction_names = true;
  return options;
}

PrintOptions PrintOptions::Fingerprint() {
  PrintOptions options = Canonical();
  options.print_infeed_outfeed_config = false;
  options.print_only_essential_constants = true;
  options.print_ids = false;
  options.canonicalize_computations = true;
  options.print_full_replica_group_list = true;
  return options;
}

namespace {

void AppendBools(TextBuffer& out, const BoolList& list) {
  out.Append('{');
  AppendJoined(out, list, ",", [&](bool value) { out.Append(value ? "true" : "false"); });
  out.Append('}');
}

bool IsJustFalse(const BoolList& list) { return list.empty() || (list.size() == 1 && !list[0]); }

// Fewer instructions first, then by text: an order that does not depend on names.
void SortComputations(std::vector<const HloComputation*>& computations) {
  PrintOptions fingerprint = PrintOptions::Fingerprint();
  fingerprint.print_operand_shape = false;
  std::vector<std::pair<std::string, const HloComputation*>> keyed;
  // Limits the total size of the keys to that of a text.
  const size_t most = std::max(size_t{1} << 12, Printer::kMaxNestedText / std::max<size_t>(computations.size(), 1));
  for (const HloComputation* computation : computations) {
    Printer printer(fingerprint, most);
    printer.Computation(*computation);
    keyed.emplace_back(printer.Take(), computation);
  }
  StableSort(keyed, [](const auto& a, const auto& b) {
    if (a.second->instruction_count() != b.second->instruction_count()) {
      return a.second->instruction_count() < b.second->instruction_count();
    }
    return a.first < b.first;
  });
  for (size_t i = 0; i < keyed.size(); ++i) computations[i] = keyed[i].second;
}

// An async computation represented completely by `op-start`.
bool IsToldByItsCallers(const HloComputation& computation) {
  return !computation.callers().empty() &&
         std::all_of(computation.callers().begin(), computation.callers().end(),
                     [](const HloInstruction* caller) { return caller->opcode() == HloOpcode::kAsyncStart; }) &&
         CanBeSugar(computation);
}

// The names that the parser assigns to the unnamed instructions of `op-start`: `base`, `base.1`, … in the order of
// text. If a wrapped computation has other names, one of these could collide with another instruction's name.
class UnsaidNames {
 public:
  void Add(std::string_view base, std::string_view name) {
    const int64_t number = next_[base]++;
    if (number == 0 ? name != base : name != Format("{}.{}", base, number)) changing_.insert(base);
  }
  // True if one of them, with any number, is the name of an instruction of this computation.
  bool MayTakeFrom(const HloComputation& computation) const {
    for (const HloInstruction* i = computation.first(); i != nullptr && !changing_.empty(); i = i->next())
      if (changing_.contains(i->name().substr(0, i->name().find('.')))) return true;
    return false;
  }

 private:
  std::unordered_map<std::string_view, int64_t> next_;
  std::unordered_set<std::string_view> changing_;
};

// True if the parser makes this computation from `op-start`, for each async-start that calls it. False if there is an
// opcode of that name, if others call the computation too, if operands are used later, in another order or layout, or
// if one line would need the attributes of both ops.
bool SugarReadsBack(const HloComputation* computation, UnsaidNames& names) {
  if (!computation->MayHave(HloOpcode::kAsyncStart)) return true;
  for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
    const HloInstruction* op = i->opcode() == HloOpcode::kAsyncStart ? AsyncWrapped(*i) : nullptr;
    if (op == nullptr) continue;
    if (op->IsParameter() || op->parent()->callers().size() != 1) return false;
    for (const char* part : {"-start", "-update", "-done"}) {
      if (ParseOpcode(std::string(op->opcode_name()) + part)) return false;
    }
    if (op->has_extras() || op->operand_count() != op->parent()->parameter_count() ||
        i->operand_count() != op->operand_count())
      return false;
    for (int64_t k = 0; k < op->operand_count(); ++k) {
      const HloInstruction* parameter = op->parent()->parameter(k);
      if (op->operand(k) != parameter || parameter->shape() != i->operand(k)->shape()) return false;
      names.Add("async_param", parameter->name());
    }
    names.Add(op->opcode_name(), op->name());
    const bool whole = i->shape().IsTuple() && i->shape().tuple_size() > 1 && i->shape().tuple_shapes(1) == op->shape();
    if (!whole || !i->attributes<AsyncAttributes>().output_to_operand_aliasing.empty()) return false;
  }
  return true;
}

}  // namespace

void Printer::ModuleHeader(const HloModule& module) {
  const ModuleConfig& config = module.config();
  out_.AppendSpaces(2 * static_cast<size_t>(options_.indent_amount));
  out_.Append("HloModule ");
  if (options_.print_ids) {
    const std::string name = LegalName(module.name());  // set_name takes any text
    if (IsKeyword(name)) out_.Append('%');
    out_.Append(name);
  }
  if (config.is_scheduled) Separate("is_scheduled=true");
  if (!config.input_output_alias.empty()) {
    Separate("input_output_alias={ ");
    AppendJoined(out_, config.input_output_alias, ", ", [&](const InputOutputAlias& alias) {
      AppendBracedInts(out_, alias.output_index);
      out_.Append(": (");
      out_.AppendInt(alias.parameter);
      out_.Append(", ");
      AppendBracedInts(out_, alias.parameter_index);
      out_.Append(alias.must_alias ? ", must-alias)" : ", may-alias)");
    });
    out_.Append(" }");
  }
  if (!config.buffer_donor.empty()) {
    Separate("buffer_donor={ ");
    AppendJoined(out_, config.buffer_donor, ", ", [&](const BufferDonor& donor) {
      out_.Append('(');
      out_.AppendInt(donor.parameter);
      out_.Append(", ");
      AppendBracedInts(out_, donor.parameter_index);
      out_.Append(')');
    });
    out_.Append(" }");
  }
  if (config.alias_passthrough_params) Separate("alias_passthrough_params=true");
  if (config.entry_computation_layout.has_value() || module.entry_computation() != nullptr) {
    const hloir::ProgramShape of_entry = config.entry_computation_layout.has_value()
                                             ? hloir::ProgramShape()
                                             : module.entry_computation()->program_shape();
    const hloir::ProgramShape& layout =
        config.entry_computation_layout.has_value() ? *config.entry_computation_layout : of_entry;
    Separate("entry_computation_layout={");
    AppendTuple(out_, layout.parameters, true);
    out_.Append("->");
    AppendShape(out_, layout.result, true);
    out_.Append('}');
  }
  if (!IsJustFalse(config.allow_spmd_sharding_propagation_to_parameters)) {
    Separate("allow_spmd_sharding_propagation_to_parameters=");
    AppendBools(out_, config.allow_spmd_sharding_propagation_to_parameters);
  }
  if (!IsJustFalse(config.allow_spmd_sharding_propagation_to_output)) {
    Separate("allow_spmd_sharding_propagation_to_output=");
    AppendBools(out_, config.allow_spmd_sharding_propagation_to_output);
  }
  if (config.replica_count != 1) {
    Separate("replica_count=");
    out_.AppendInt(config.replica_count);
  }
  if (config.num_partitions != 1) {
    Separate("num_partitions=");
    out_.AppendInt(config.num_partitions);
  }
  if (options_.print_frontend_attributes && !config.frontend_attributes.empty()) {
    Separate("frontend_attributes=");
    AppendFrontendAttributes(out_, config.frontend_attributes);
  }
  if (options_.print_original_value && !config.origin_recovery_table.empty())
    OriginRecoveryTable(config.origin_recovery_table);
  if (!config.debug_attributes.empty()) {
    Separate("debug_attributes=");
    out_.Append(config.debug_attributes);
  }
  for (const auto& [name, value] : config.unknown_attributes) {
    Separate(name);
    out_.Append('=');
    out_.Append(value);
  }
  out_.Append('\n');
}

// A recovery module is printed with default options, indented by two levels.
void Printer::OriginRecoveryTable(const std::vector<OriginRecovery>& table) {
  const size_t indent = 2 * static_cast<size_t>(options_.indent_amount + 1);
  Separate("origin_recovery_table={\n");
  for (const OriginRecovery& entry : table) {
    out_.AppendSpaces(indent);
    out_.Append('{');
    AppendOriginalArray(out_, entry.original);
    out_.Append("} : {");
    AppendOriginalArray(out_, entry.replacement);
    out_.Append('}');
    if (entry.recovery_module != nullptr) {
      PrintOptions options;
      options.indent_amount = options_.indent_amount + 2;
      options.reads_back = options_.reads_back;
      options.print_large_constants = options_.reads_back;
      const std::string text = PrintModule(*entry.recovery_module, options);
      out_.Append(",\n");
      out_.AppendSpaces(indent);
      if (options_.reads_back) {
        out_.AppendQuoted(text);
      } else {
        out_.Append("\"\n");
        out_.Append(text);
        out_.Append('\n');
        out_.AppendSpaces(indent);
        out_.Append('"');
      }
    }
    out_.Append('\n');
  }
  out_.Append("}\n");
}

void Printer::StackFrameTables(const HloModule& module) {
  const StackFrameIndex& tables = module.config().stack_frames;
  auto names = [&](std::string_view title, const std::vector<std::string>& list) {
    out_.AppendAll('\n', title, '\n');
    for (size_t i = 0; i < list.size(); ++i) {
      out_.AppendAll(static_cast<int64_t>(i) + 1, ' ');
      out_.AppendQuoted(list[i]);
      out_.Append('\n');
    }
  };
  names("FileNames", tables.file_names);
  names("FunctionNames", tables.function_names);
  out_.Append("\nFileLocations\n");
  for (size_t i = 0; i < tables.file_locations.size(); ++i) {
    const StackFrameIndex::FileLocation& at = tables.file_locations[i];
    out_.AppendAll(static_cast<int64_t>(i) + 1, " {file_name_id=", at.file_name_id,
                   " function_name_id=", at.function_name_id, " line=", at.line, " end_line=", at.end_line,
                   " column=", at.column, " end_column=", at.end_column, "}\n");
  }
  out_.Append("\nStackFrames\n");
  for (size_t i = 0; i < tables.stack_frames.size(); ++i) {
    const StackFrameIndex::StackFrame& frame = tables.stack_frames[i];
    out_.AppendAll(static_cast<int64_t>(i) + 1, " {file_location_id=", frame.file_location_id,
                   " parent_frame_id=", frame.parent_frame_id, "}\n");
  }
  out_.Append('\n');
}

void Printer::Module(const HloModule& module) {
  if (!out_.sends()) out_.Expect(module.text_bytes() + module.text_bytes() / 16);
  ModuleHeader(module);
  if (options_.print_metadata && !module.config().stack_frames.empty()) StackFrameTables(module);
  out_.Append('\n');
  std::vector<const HloComputation*> computations = module.TextOrder(options_.reads_back);
  if (options_.reads_back && sugar_) {
    UnsaidNames names;
    sugar_ = std::all_of(computations.begin(), computations.end(),
                         [&](const HloComputation* c) { return SugarReadsBack(c, names); }) &&
             std::none_of(computations.begin(), computations.end(),
                          [&](const HloComputation* c) { return !IsToldByItsCallers(*c) && names.MayTakeFrom(*c); });
  }
  if (options_.canonicalize_computations) SortComputations(computations);
  for (const HloComputation* computation : computations) {
    if (sugar_ && IsToldByItsCallers(*computation)) continue;
    Computation(*computation, 0, computation->IsEntry() ? Place::kEntry : Place::kAlone);
    out_.Append("\n\n");
  }
  if (out_.sends()) out_.SendRest();
}

void Printer::ProgramShape(const HloComputation& computation) {
  out_.Append('(');
  AppendJoined(out_, computation.parameters(), ", ", [&](const HloInstruction* parameter) {
    if (parameter == nullptr) return;
    out_.AppendAll(parameter->name(), ": ");
    InternedShapeWithoutLayout(parameter->shape());
  });
  out_.Append(") -> ");
  InternedShapeWithoutLayout(computation.root()->shape());
  out_.Append(' ');
}

void Printer::Computation(const HloComputation& computation, int nesting, Place place) {
  const bool is_body = place == Place::kBody;
  const size_t indent = 2 * static_cast<size_t>(options_.indent_amount + nesting);
  out_.AppendSpaces(indent);
  if (place == Place::kEntry) out_.Append("ENTRY ");
  if (!is_body && options_.print_ids) {
    Name(computation.name());
    out_.Append(' ');
  }
  if (options_.print_program_shape) ProgramShape(computation);
  out_.Append("{\n");
  const bool outer = std::exchange(in_computation_, true);
  int32_t canonical = 0;
  auto print = [&](const HloInstruction& instruction) {
    if (options_.canonicalize_instruction_names) {
      const size_t id = static_cast<size_t>(instruction.id());
      if (canonical_.size() <= id)
        canonical_.resize(std::max<size_t>(id + 1, instruction.module()->instruction_id_limit()));
      canonical_[id] = canonical++;
    }
    // A get-tuple-element is printed at its uses.
    if (options_.compact_gte && instruction.opcode() == HloOpcode::kGetTupleElement && !instruction.IsRoot()) return;
    out_.AppendSpaces(indent + 2);
    if (&instruction == computation.root()) out_.Append("ROOT ");
    Instruction(instruction, nesting + 1);
    out_.Append('\n');
    out_.MaySend();
  };
  // A schedule applies to computations other than fusions' bodies and inline bodies.
  if (!is_body && computation.module()->config().is_scheduled && computation.fusion() == nullptr) {
    for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) print(*i);
  } else {
    const std::vector<const HloInstruction*> order = computation.PostOrder();
    constexpr size_t kAhead = 8;  // the instructions of a large module are no longer in the cache
    for (size_t i = 0; i < order.size(); ++i) {
      if (i + kAhead < order.size()) __builtin_prefetch(order[i + kAhead]);
      print(*order[i]);
    }
  }
  in_computation_ = outer;
  out_.AppendSpaces(indent);
  out_.Append('}');
  if (options_.print_ids && !computation.execution_thread().empty() && computation.execution_thread() != "main") {
    Separate("execution_thread=");
    out_.AppendQuoted(computation.execution_thread());
  }
  if (options_.print_name_after_closing_brace && computation.instruction_count() > 5) {
    out_.Append(" // ");
    out_.Append(computation.name());
  }
}

std::string PrintModule(const HloModule& module, const PrintOptions& options) {
  Printer printer(options);
  printer.Module(module);
  return printer.Take();
}

Status PrintModule(const HloModule& module, const PrintOptions& options, const WriteText& write) {
  Status status;
  Printer printer(options);
  printer.SendTo([&](std::string_view piece) {
    if (status.ok()) status = write(piece);
  });
  printer.Module(module);
  return status;
}

std::string PrintComputation(const HloComputation& computation, const PrintOptions& options) {
  Printer printer(options);
  printer.Computation(computation);
  return printer.Take();
}

}  // namespace hloir
