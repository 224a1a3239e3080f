// From a module to HloProto's bytes, so that XLA reads the same module back. Callees precede callers and operands
// precede users, as XLA's reader requires.
#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

#include "hloir/proto.h"
#include "codec.h"
#include "instruction.h"
#include "values.h"
#include "support/guard.h"

namespace hloir {
namespace {

// Ids start at 1: XLA takes 0 in places for "none".
int64_t ProtoId(const HloComputation& computation) { return computation.id() + 1; }

// XLA orders the instructions of a computation by ids, so these follow the stored order.
class InstructionIds {
 public:
  explicit InstructionIds(const HloModule& module) : ids_(static_cast<size_t>(module.instruction_id_limit()), 0) {
    int64_t next = 1;
    for (const HloInstruction* i : module.AllInstructions()) ids_[static_cast<size_t>(i->id())] = next++;
  }
  int64_t operator()(const HloInstruction& instruction) const { return ids_[static_cast<size_t>(instruction.id())]; }

 private:
  std::vector<int64_t> ids_;
};

proto::FrontendAttributes WriteMap(const FrontendAttributes& map) {
  proto::FrontendAttributes message;
  for (const auto& [key, value] : map) message.map.emplace_back(key, value);
  return message;
}

// The texts that instructions' metadata point to, each once.
class Payloads {
 public:
  int64_t IndexOf(std::string_view text) {
    const auto [it, is_new] = index_.try_emplace(text, static_cast<int64_t>(list_.size()));
    if (is_new) list_.push_back(text);
    return it->second;
  }
  const std::vector<std::string_view>& list() const { return list_; }

 private:
  std::vector<std::string_view> list_;
  std::unordered_map<std::string_view, int64_t> index_;
};

std::string WriteInstruction(const HloInstruction& instruction, const InstructionIds& ids, Payloads& payloads) {
  proto::Instruction m;
  std::deque<std::string> storage;
  ProtoContext context;
  context.shape = &instruction.shape();
  context.storage = &storage;
  m.name = instruction.name();
  m.opcode = instruction.opcode_name();
  m.id = ids(instruction);
  m.shape = ToProto(instruction.shape());
  for (const HloInstruction* operand : instruction.operands()) {
    m.operand_ids.push_back(ids(*operand));
    context.operand_shapes.push_back(&operand->shape());
  }
  for (const HloInstruction* predecessor : instruction.control_predecessors()) {
    m.control_predecessor_ids.push_back(ids(*predecessor));
  }
  for (const HloComputation* called : instruction.called_computations()) {
    m.called_computation_ids.push_back(ProtoId(*called));
  }
  // XLA's while has its body first.
  if (instruction.opcode() == HloOpcode::kWhile) std::swap(m.called_computation_ids[0], m.called_computation_ids[1]);
  // Writing attributes of the graph cannot fail.
  (void)WriteAttributes(context, instruction.attributes(), m).ok();
  m.metadata = instruction.metadata() != nullptr ? ToProto(*instruction.metadata()) : proto::OpMetadata();
  if (instruction.metadata() != nullptr && !instruction.metadata()->metadata_payload.empty()) {
    m.metadata->metadata_payload = proto::MetadataPayload{payloads.IndexOf(instruction.metadata()->metadata_payload)};
  }
  if (instruction.has_extras()) {
    const InstructionExtras& extras = instruction.extras();
    if (instruction.sharding() != nullptr) m.sharding = ToProto(*instruction.sharding());
    if (!extras.frontend_attributes.empty()) m.frontend_attributes = WriteMap(extras.frontend_attributes);
    m.backend_config.value = extras.backend_config;
    if (extras.statistics.has_value()) {
      proto::StatisticsViz& statistics = m.statistics_viz.emplace();
      statistics.stat_index_to_visualize = extras.statistics->visualizing_index;
      for (const auto& [name, value] : extras.statistics->values) statistics.statistics.push_back({name, value});
    }
    if (extras.result_accuracy.has_value()) {
      proto::ResultAccuracy& accuracy = m.result_accuracy.emplace();
      accuracy.mode = extras.result_accuracy->mode == Precision::kHighest ? 1 : 0;
      if (extras.result_accuracy->has_tolerance) {
        accuracy.tolerance =
            proto::Tolerance{extras.result_accuracy->atol, extras.result_accuracy->rtol, extras.result_accuracy->ulps};
      }
    }
    if (extras.original_value.has_value()) m.original_value = ToProto(*extras.original_value);
  }
  return proto::Encode(m);
}

// XLA requires as many names as parameters in a program shape.
proto::ProgramShape WriteProgramShape(const ProgramShape& shape, const HloComputation& named_as) {
  proto::ProgramShape message;
  for (const Shape& parameter : shape.parameters) message.parameters.push_back(ToProto(parameter));
  message.result = ToProto(shape.result);
  message.parameter_names.resize(shape.parameters.size());
  for (size_t i = 0; i < shape.parameters.size() && static_cast<int64_t>(i) < named_as.parameter_count(); ++i) {
    message.parameter_names[i] = named_as.parameter(static_cast<int64_t>(i))->name();
  }
  return message;
}

std::string WriteComputation(const HloComputation& computation, const InstructionIds& ids, Payloads& payloads) {
  proto::Computation m;
  m.name = computation.name();
  m.id = ProtoId(computation);
  m.root_id = ids(*computation.root());
  m.is_fusion_computation = computation.fusion() != nullptr;
  m.execution_thread = computation.execution_thread().empty() ? "main" : computation.execution_thread();
  m.program_shape = WriteProgramShape(computation.program_shape(), computation);
  std::deque<std::string> instructions;
  const bool scheduled = computation.module()->config().is_scheduled;
  for (const HloInstruction* i : scheduled ? computation.instructions() : computation.PostOrder()) {
    m.instructions.push_back({instructions.emplace_back(WriteInstruction(*i, ids, payloads))});
  }
  return proto::Encode(m);
}

// Callees first. Keeps the stored order if it satisfies this, so that a reader that keeps the file's order prints the
// same text.
std::vector<const HloComputation*> FileOrder(const HloModule& module) {
  std::vector<bool> seen(static_cast<size_t>(module.computation_id_limit()), false);
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      for (const HloComputation* called : i->called_computations()) {
        if (!seen[called->id()]) return module.PostOrder();
      }
    }
    seen[computation->id()] = true;
  }
  return {module.computations().begin(), module.computations().end()};
}

// The module's message. `storage` owns the computations' bytes, which it references.
proto::Module WriteModule(const HloModule& module, std::deque<std::string>& storage) {
  proto::Module m;
  const ModuleConfig& config = module.config();
  m.name = module.name();
  m.entry_computation_name = module.entry_computation()->name();
  m.entry_computation_id = ProtoId(*module.entry_computation());
  const InstructionIds ids(module);
  Payloads payloads;
  for (const HloComputation* computation : FileOrder(module)) {
    m.computations.push_back({storage.emplace_back(WriteComputation(*computation, ids, payloads))});
  }
  m.payloads = payloads.list();
  m.host_program_shape =
      WriteProgramShape(config.entry_computation_layout.has_value() ? *config.entry_computation_layout
                                                                    : module.entry_computation()->program_shape(),
                        *module.entry_computation());
  if (config.is_scheduled) {
    proto::Schedule& schedule = m.schedule.emplace();
    for (const HloComputation* computation : module.computations()) {
      if (computation->fusion() != nullptr) continue;
      proto::ScheduleEntry& entry = schedule.sequences.emplace_back();
      entry.key = ProtoId(*computation);
      entry.value.emplace();
      for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
        entry.value->instruction_ids.push_back(ids(*i));
      }
    }
  }
  if (!config.input_output_alias.empty()) {
    m.input_output_alias.emplace();
    for (const InputOutputAlias& a : config.input_output_alias) {
      m.input_output_alias->entries.push_back(
          {ToInt64s(a.output_index), a.parameter, ToInt64s(a.parameter_index), a.must_alias ? 2 : 1});
    }
  }
  if (!config.buffer_donor.empty()) {
    m.buffer_donor.emplace();
    for (const BufferDonor& d : config.buffer_donor)
      m.buffer_donor->entries.push_back({d.parameter, ToInt64s(d.parameter_index)});
  }
  if (!config.frontend_attributes.empty()) m.frontend_attributes = WriteMap(config.frontend_attributes);
  if (!config.origin_recovery_table.empty()) {
    proto::OriginRecoveryTable& table = m.original_value_recovery_table.emplace();
    for (const OriginRecovery& entry : config.origin_recovery_table) {
      proto::OriginRecoveryEntry& e = table.entries.emplace_back();
      e.old_original_array = ToProto(entry.original);
      e.new_original_array = ToProto(entry.replacement);
      if (entry.recovery_module != nullptr)
        e.recovery_module.emplace().bytes = storage.emplace_back(SerializeHloModuleProto(*entry.recovery_module));
    }
  }
  if (const StackFrameIndex& frames = config.stack_frames; !frames.empty()) {
    proto::StackFrameIndex& index = m.stack_frame_index.emplace();
    index.file_names.assign(frames.file_names.begin(), frames.file_names.end());
    index.function_names.assign(frames.function_names.begin(), frames.function_names.end());
    for (const StackFrameIndex::FileLocation& l : frames.file_locations) {
      index.file_locations.push_back({l.file_name_id, l.function_name_id, l.line, l.column, l.end_line, l.end_column});
    }
    for (const StackFrameIndex::StackFrame& f : frames.stack_frames) {
      index.stack_frames.push_back({f.file_location_id, std::max<int64_t>(f.parent_frame_id - 1, 0)});
    }
  }
  return m;
}

// Text that the message cannot represent must be an error.
Status CheckAllKnown(const HloModule& module) {
  const auto no_field = [](std::string_view where, std::string_view name, std::string_view value) {
    const std::string what =
        name.empty() ? "the opcode '" + std::string(value) + "'" : "an attribute '" + std::string(name) + "'";
    return InvalidArgument(std::string(where) + " has " + what + ", for which a message has no field");
  };
  for (const auto& [name, value] : module.config().unknown_attributes) return no_field("the module", name, value);
  if (!module.config().debug_attributes.empty()) {
    return Unimplemented("the module has debug_attributes, whose form in a message is not known here");
  }
  for (const HloInstruction* i : module.AllInstructions()) {
    if (!i->has_extras()) continue;
    for (const auto& [name, value] : i->extras().unknown_attributes) return no_field(i->name(), name, value);
  }
  return OkStatus();
}

}  // namespace

std::string SerializeHloModuleProto(const HloModule& module) {
  std::deque<std::string> storage;
  proto::Module message = WriteModule(module, storage);
  return proto::Encode(message);
}

StatusOr<std::string> SerializeHloProto(const HloProtoFile& file, const HloModule* module) try {
  if (!file.streamed || file.form != HloProtoFile::Form::kHloUnoptimizedSnapshot)
    return SerializeMessage(file, module, nullptr);
  std::string stream, bytes;
  HLOIR_ASSIGN_OR_RETURN(const std::string message, SerializeMessage(file, module, &stream));
  protozero::add_varint_to_buffer(&bytes, message.size());
  return bytes + message + stream;
} catch (...) {
  return OutOfMemory();
}

StatusOr<std::string> SerializeMessage(const HloProtoFile& file, const HloModule* graph, std::string* stream) {
  if (graph == nullptr) graph = file.module.get();
  if (graph == nullptr || graph->entry_computation() == nullptr) return InvalidArgument("no module to write");
  HLOIR_RETURN_IF_ERROR(CheckAllKnown(*graph));
  std::deque<std::string> storage;
  proto::Module module = WriteModule(*graph, storage);
  module.unread = file.module_fields;
  switch (file.form) {
    case HloProtoFile::Form::kHloModuleProto: return proto::Encode(module);
    case HloProtoFile::Form::kHloProto: {
      proto::HloProto message;
      message.hlo_module = std::move(module);
      return proto::Encode(message);
    }
    case HloProtoFile::Form::kHloSnapshot: {
      if (file.arguments.size() > 1) return InvalidArgument("a snapshot holds the arguments of one device");
      proto::Snapshot message;
      message.hlo.emplace().hlo_module = std::move(module);
      if (!file.arguments.empty()) {
        for (const Literal& argument : file.arguments[0]) message.arguments.push_back(ToProto(argument, storage));
      }
      if (file.result.has_value()) message.result = ToProto(*file.result, storage);
      message.execution_platform = file.execution_platform;
      return proto::Encode(message);
    }
    case HloProtoFile::Form::kHloUnoptimizedSnapshot: {
      proto::UnoptimizedSnapshot message;
      message.hlo_module = std::move(module);
      for (const std::vector<Literal>& arguments : file.arguments) {
        proto::Inputs& partition = message.partitions.emplace_back();
        for (const Literal& argument : arguments) {
          if (stream == nullptr) {
            partition.arguments.push_back(ToProto(argument, storage));
            continue;
          }
          const std::string literal = WriteStreamedLiteral(argument);
          partition.arguments_descriptors.push_back({/*version=*/0, static_cast<int64_t>(literal.size())});
          *stream += literal;
        }
      }
      return proto::Encode(message);
    }
  }
  return Internal("unknown file format");
}

}  // namespace hloir
