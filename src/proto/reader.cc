// From HloProto's bytes to a module. The entry point is ParseHloProto; the first fields of the bytes decide which of
// the four messages they are. Corrupt bytes, unknown ids and inconsistent shapes are InvalidArgument.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "hloir/proto.h"
#include "ir/graph_loader.h"
#include "codec.h"
#include "instruction.h"
#include "values.h"
#include "support/guard.h"

namespace hloir {
namespace {

// Opcodes that changed their names.
std::string_view CurrentOpcodeName(std::string_view name) {
  if (name == "cross-replica-sum") return "all-reduce";
  if (name == "generate-token") return "after-all";
  if (name == "async-wrapped") return "call";
  return name;
}

// Text, perhaps in UTF-8: distinguishes a module's name from a message, which begins with a tag.
bool IsPrintable(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7F; });
}

Status Within(Status status, std::string_view what, std::string_view name) {
  if (status.ok()) return status;
  return Status(status.code(), std::string(what) + " '" + std::string(name) + "': " + status.message());
}

// Fields of a message without a row in messages.def.
void NoteUnread(std::string_view message, std::string_view fields, std::vector<std::string>& unread) {
  static constexpr std::tuple<std::string_view, uint32_t, std::string_view> kNames[] = {
      {"HloProto", 3, "buffer_assignment"},
      {"HloModuleProto", 9, "dynamic_parameter_binding"},
      {"HloModuleProto", 10, "cross_program_prefetches"},
      {"HloModuleProto", 12, "spmd_output_sharding"},
      {"HloModuleProto", 13, "profile_info"},
      {"HloModuleProto", 14, "spmd_parameters_shardings"},
      {"HloModuleProto", 15, "device_assignment"},
      {"HloModuleProto", 16, "use_auto_spmd_partitioning"},
      {"HloModuleProto", 21, "device_type"},
      {"HloModuleProto", 24, "debug_attributes"},
  };
  protozero::pbf_reader reader(fields.data(), fields.size());
  while (reader.next()) {
    const auto known = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& name) {
      return std::get<0>(name) == message && std::get<1>(name) == reader.tag();
    });
    std::string name(message);
    name += '.';
    name += known != std::end(kNames) ? std::string(std::get<2>(*known)) : std::to_string(reader.tag());
    if (std::find(unread.begin(), unread.end(), name) == unread.end()) unread.push_back(std::move(name));
    reader.skip();
  }
}

StatusOr<std::unique_ptr<HloModule>> ReadModule(const proto::Module& message, int depth,
                                                std::vector<std::string>& unread);

class ProtoModuleReader {
 public:
  // `depth`: the number of enclosing recovery tables.
  ProtoModuleReader(HloModule& module, int depth, std::vector<std::string>& unread)
      : module_(module), depth_(depth), unread_(unread) {}

  Status Read(const proto::Module& m) {
    if (m.name.empty()) return InvalidArgument("the module has no name");
    if (!IsPrintable(m.name)) return InvalidArgument("the module's name is not a string");
    NoteUnread("HloModuleProto", m.unread, unread_);
    payloads_ = m.payloads;
    std::vector<proto::Computation> computations;
    for (const auto& raw : m.computations) {
      computations.push_back(proto::Decode<proto::Computation>(raw.bytes));
      NoteUnread("HloComputationProto", computations.back().unread, unread_);
    }
    // The file has callees first; the module orders computations by id, as in XLA.
    std::vector<size_t> by_id(computations.size());
    std::iota(by_id.begin(), by_id.end(), size_t{0});
    std::stable_sort(by_id.begin(), by_id.end(),
                     [&](size_t a, size_t b) { return computations[a].id < computations[b].id; });
    std::vector<HloComputation*> made(computations.size());
    for (size_t i : by_id) made[i] = module_.AddComputation(computations[i].name);
    for (size_t i = 0; i < computations.size(); ++i) {
      HLOIR_RETURN_IF_ERROR(Within(ReadComputation(computations[i], made[i]), "computation", computations[i].name));
    }
    auto entry = computations_.find(m.entry_computation_id);
    HloComputation* entry_computation =
        entry != computations_.end() ? entry->second : module_.FindComputation(m.entry_computation_name);
    if (entry_computation == nullptr) return InvalidArgument("the entry computation is missing");
    module_.set_entry_computation(entry_computation);
    HLOIR_RETURN_IF_ERROR(ReadConfig(m));
    if (m.schedule.has_value()) HLOIR_RETURN_IF_ERROR(ReadSchedule(*m.schedule));
    return OkStatus();
  }

 private:
  Status ReadComputation(const proto::Computation& m, HloComputation* computation) {
    if (computations_.contains(m.id)) return InvalidArgument("duplicate id");
    if (m.execution_thread != "main") computation->set_execution_thread(m.execution_thread);
    std::unordered_map<int64_t, HloInstruction*> local;
    std::vector<int64_t> ids;
    bool operands_have_lower_ids = true;
    for (const auto& raw : m.instructions) {
      proto::Instruction instruction = proto::Decode<proto::Instruction>(raw.bytes);
      NoteUnread("HloInstructionProto", instruction.unread, unread_);
      HLOIR_RETURN_IF_ERROR(Within(ReadInstruction(instruction, *computation, local), "instruction", instruction.name));
      ids.push_back(instruction.id);
      const auto is_lower = [&](int64_t id) { return id < instruction.id; };
      operands_have_lower_ids &=
          std::all_of(instruction.operand_ids.begin(), instruction.operand_ids.end(), is_lower) &&
          std::all_of(instruction.control_predecessor_ids.begin(), instruction.control_predecessor_ids.end(), is_lower);
    }
    // XLA orders instructions by id; so does this reader if operands then precede users.
    if (operands_have_lower_ids && !std::is_sorted(ids.begin(), ids.end())) {
      std::sort(ids.begin(), ids.end());
      for (int64_t id : ids) computation->MoveBefore(local[id], nullptr);
    }
    auto root = local.find(m.root_id);
    if (root == local.end()) return InvalidArgument("the root is missing");
    computation->set_root(root->second);
    for (int64_t i = 0; i < computation->parameter_count(); ++i) {
      if (computation->parameter(i) == nullptr)
        return InvalidArgument("parameter " + std::to_string(i) + " is missing");
    }
    computations_[m.id] = computation;
    instruction_ids_[computation] = std::move(local);
    return OkStatus();
  }

  Status ReadInstruction(const proto::Instruction& m, HloComputation& computation,
                         std::unordered_map<int64_t, HloInstruction*>& local) {
    std::optional<HloOpcode> opcode = ParseOpcode(CurrentOpcodeName(m.opcode));
    if (!opcode.has_value()) return InvalidArgument("unknown opcode '" + std::string(m.opcode) + "'");
    if (!m.shape.has_value()) return InvalidArgument("no shape");
    HLOIR_ASSIGN_OR_RETURN(Shape shape, FromProto(*m.shape));
    std::vector<HloInstruction*> operands;
    ProtoContext context;
    context.module = &module_;
    context.shape = &shape;
    for (int64_t id : m.operand_ids) {
      auto it = local.find(id);
      if (it == local.end()) return InvalidArgument("operand " + std::to_string(id) + " is not before it");
      operands.push_back(it->second);
      context.operand_shapes.push_back(&it->second->shape());
    }
    const OpcodeInfo& info = GetOpcodeInfo(*opcode);
    const int64_t count = static_cast<int64_t>(operands.size());
    if (info.arity >= 0 ? count != info.arity : count < -info.arity - 1) {
      return InvalidArgument("it has " + std::to_string(count) + " operands");
    }
    HLOIR_ASSIGN_OR_RETURN(Attributes attributes, ReadAttributes(context, *opcode, m));
    if (*opcode == HloOpcode::kParameter) {
      // Parameter numbers index a table; a number above the count of instructions is invalid.
      if (m.parameter_number < 0 || m.parameter_number > (1 << 24)) return InvalidArgument("no such parameter number");
      if (m.parameter_number < computation.parameter_count() && computation.parameter(m.parameter_number) != nullptr) {
        return InvalidArgument("parameter " + std::to_string(m.parameter_number) + " stands twice");
      }
    }
    HloInstruction* instruction =
        GraphLoader(module_).AddInstruction(computation, *opcode, shape, operands, attributes, m.name);
    if (!local.emplace(m.id, instruction).second) return InvalidArgument("duplicate id");
    for (int64_t id : m.control_predecessor_ids) {
      auto it = local.find(id);
      if (it == local.end()) return InvalidArgument("control predecessor " + std::to_string(id) + " is not before it");
      it->second->AddControlDependencyTo(instruction);
    }
    proto::Int64s called = m.called_computation_ids;
    if (*opcode == HloOpcode::kWhile) std::reverse(called.begin(), called.end());  // XLA's has its body first
    for (int64_t id : called) {
      auto it = computations_.find(id);
      if (it == computations_.end())
        return InvalidArgument("called computation " + std::to_string(id) + " is not before it");
      instruction->AddCalledComputation(it->second);
    }
    HLOIR_RETURN_IF_ERROR(CheckCalls(*instruction));
    // The start determines the thread, as in XLA.
    if (*opcode == HloOpcode::kAsyncStart) {
      const std::string& thread = instruction->attributes<AsyncAttributes>().async_execution_thread;
      instruction->called_computations()[0]->set_execution_thread(thread == "main" ? "" : thread);
    }
    return ReadDecorations(m, *instruction);
  }

  // The graph's accessors (while_body() and the like) require these.
  static Status CheckCalls(const HloInstruction& instruction) {
    const size_t count = instruction.called_computations().size();
    switch (GetOpcodeInfo(instruction.opcode()).calls) {
      case CallKind::kToApply:
      case CallKind::kCalls:
        if (count != 1) return InvalidArgument("it calls " + std::to_string(count) + " computations, expected one");
        break;
      case CallKind::kConditionBody:
      case CallKind::kSelectScatter:
        if (count != 2) return InvalidArgument("it calls " + std::to_string(count) + " computations, expected two");
        break;
      case CallKind::kBranches:
        if (count == 0) return InvalidArgument("no branches");
        break;
      case CallKind::kNone:
      case CallKind::kCalledComputations: break;
    }
    return OkStatus();
  }

  Status ReadDecorations(const proto::Instruction& m, HloInstruction& instruction) {
    if (m.metadata.has_value()) {
      OpMetadata metadata = FromProto(*m.metadata);
      if (m.metadata->metadata_payload.has_value() && m.metadata->metadata_payload->payload_index.has_value()) {
        const int64_t index = *m.metadata->metadata_payload->payload_index;
        if (index < 0 || index >= static_cast<int64_t>(payloads_.size()))
          return InvalidArgument("metadata: no payload " + std::to_string(index));
        metadata.metadata_payload = payloads_[static_cast<size_t>(index)];
      }
      if (!(metadata == OpMetadata())) instruction.set_metadata(metadata);
    }
    if (m.sharding.has_value()) {
      HLOIR_ASSIGN_OR_RETURN(Sharding sharding, FromProto(*m.sharding));
      instruction.set_sharding(std::move(sharding));
    }
    if (m.frontend_attributes.has_value() && !m.frontend_attributes->map.empty()) {
      instruction.set_frontend_attributes(ReadMap(*m.frontend_attributes));
    }
    std::string_view config = !m.backend_config.value.empty() ? m.backend_config.value : m.custom_call_opaque.value;
    if (!config.empty()) instruction.set_backend_config(config);
    if (m.statistics_viz.has_value() && !m.statistics_viz->statistics.empty()) {
      Statistics statistics;
      statistics.visualizing_index = m.statistics_viz->stat_index_to_visualize;
      for (const proto::Statistic& s : m.statistics_viz->statistics)
        statistics.values.emplace_back(s.stat_name, s.stat_val);
      instruction.set_statistics(std::move(statistics));
    }
    if (m.result_accuracy.has_value() && (m.result_accuracy->mode != 0 || m.result_accuracy->tolerance.has_value())) {
      ResultAccuracy accuracy;
      if (m.result_accuracy->mode < 0 || m.result_accuracy->mode > 1)
        return InvalidArgument("result_accuracy: there is no mode " + std::to_string(m.result_accuracy->mode));
      accuracy.mode = m.result_accuracy->mode == 1 ? Precision::kHighest : Precision::kDefault;
      if (m.result_accuracy->tolerance.has_value()) {
        accuracy.has_tolerance = true;
        accuracy.atol = m.result_accuracy->tolerance->atol;
        accuracy.rtol = m.result_accuracy->tolerance->rtol;
        accuracy.ulps = m.result_accuracy->tolerance->ulps;
      }
      instruction.set_result_accuracy(accuracy);
    }
    if (m.original_value.has_value()) {
      HLOIR_ASSIGN_OR_RETURN(OriginalValue value, FromProto(*m.original_value, instruction.shape()));
      instruction.set_original_value(std::move(value));
    }
    return OkStatus();
  }

  static FrontendAttributes ReadMap(const proto::FrontendAttributes& m) {
    FrontendAttributes map;
    for (const auto& [key, value] : m.map) map.emplace_back(key, value);
    // The last value of a repeated key applies, as in protobuf maps.
    std::stable_sort(map.begin(), map.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto later = [](const auto& a, const auto& b) { return a.first == b.first; };
    map.erase(map.begin(), std::unique(map.rbegin(), map.rend(), later).base());
    return map;
  }

  Status ReadConfig(const proto::Module& m) {
    ModuleConfig& config = module_.config();
    if (m.host_program_shape.has_value()) {
      ProgramShape& shape = config.entry_computation_layout.emplace();
      for (const proto::Shape& parameter : m.host_program_shape->parameters) {
        HLOIR_ASSIGN_OR_RETURN(Shape converted, FromProto(parameter));
        shape.parameters.push_back(std::move(converted));
      }
      if (!m.host_program_shape->result.has_value()) return InvalidArgument("host_program_shape: no result");
      HLOIR_ASSIGN_OR_RETURN(shape.result, FromProto(*m.host_program_shape->result));
    }
    if (m.input_output_alias.has_value()) {
      for (const proto::AliasEntry& e : m.input_output_alias->entries) {
        config.input_output_alias.push_back(
            {ToDims(e.output_shape_index), e.parameter_number, ToDims(e.parameter_shape_index), e.kind == 2});
      }
    }
    if (m.buffer_donor.has_value()) {
      for (const proto::DonorEntry& e : m.buffer_donor->entries) {
        config.buffer_donor.push_back({e.parameter_number, ToDims(e.parameter_shape_index)});
      }
    }
    if (m.frontend_attributes.has_value()) config.frontend_attributes = ReadMap(*m.frontend_attributes);
    if (m.original_value_recovery_table.has_value()) {
      for (const proto::OriginRecoveryEntry& e : m.original_value_recovery_table->entries) {
        OriginRecovery& entry = config.origin_recovery_table.emplace_back();
        if (e.old_original_array.has_value()) entry.original = FromProto(*e.old_original_array);
        if (e.new_original_array.has_value()) entry.replacement = FromProto(*e.new_original_array);
        if (e.recovery_module.has_value()) {
          HLOIR_ASSIGN_OR_RETURN(
              entry.recovery_module,
              ReadModule(proto::Decode<proto::Module>(e.recovery_module->bytes), depth_ + 1, unread_));
        }
      }
      SortOriginRecoveries(config.origin_recovery_table);
    }
    if (m.stack_frame_index.has_value()) {
      StackFrameIndex& frames = config.stack_frames;
      frames.file_names.assign(m.stack_frame_index->file_names.begin(), m.stack_frame_index->file_names.end());
      frames.function_names.assign(m.stack_frame_index->function_names.begin(),
                                   m.stack_frame_index->function_names.end());
      for (const proto::FileLocation& l : m.stack_frame_index->file_locations) {
        frames.file_locations.push_back(
            {l.file_name_id, l.function_name_id, l.line, l.end_line, l.column, l.end_column});
      }
      for (const proto::StackFrame& f : m.stack_frame_index->stack_frames) {
        if (f.parent_frame_id < 0 || f.parent_frame_id > INT32_MAX)
          return InvalidArgument("stack_frame_index: no frame " + std::to_string(f.parent_frame_id));
        // In messages parent id 0 means none; in text 1 does, and other ids are shifted by one.
        frames.stack_frames.push_back({f.file_location_id, f.parent_frame_id + 1});
      }
    }
    return OkStatus();
  }

  Status ReadSchedule(const proto::Schedule& schedule) {
    module_.config().is_scheduled = true;
    for (const proto::ScheduleEntry& entry : schedule.sequences) {
      auto it = computations_.find(entry.key);
      if (it == computations_.end()) return InvalidArgument("schedule: of a missing computation");
      if (!entry.value.has_value()) continue;
      const std::unordered_map<int64_t, HloInstruction*>& ids = instruction_ids_[it->second];
      for (int64_t id : entry.value->instruction_ids) {
        auto instruction = ids.find(id);
        if (instruction == ids.end()) return InvalidArgument("schedule: of a missing instruction");
        it->second->MoveBefore(instruction->second, nullptr);
      }
    }
    std::vector<bool> done(static_cast<size_t>(module_.instruction_id_limit()), false);
    for (const HloInstruction* i : module_.AllInstructions()) {
      const auto is_done = [&](const HloInstruction* needed) { return done[static_cast<size_t>(needed->id())]; };
      if (!std::all_of(i->operands().begin(), i->operands().end(), is_done) ||
          !std::all_of(i->control_predecessors().begin(), i->control_predecessors().end(), is_done)) {
        return InvalidArgument("schedule: '" + std::string(i->name()) + "' comes before its operand or predecessor");
      }
      done[static_cast<size_t>(i->id())] = true;
    }
    return OkStatus();
  }

  HloModule& module_;
  const int depth_;
  std::vector<std::string>& unread_;
  std::vector<std::string_view> payloads_;
  std::unordered_map<int64_t, HloComputation*> computations_;
  std::unordered_map<const HloComputation*, std::unordered_map<int64_t, HloInstruction*>> instruction_ids_;
};

StatusOr<std::unique_ptr<HloModule>> ReadModule(const proto::Module& message, int depth,
                                                std::vector<std::string>& unread) {
  constexpr int kMaxDepth = 8;
  if (depth > kMaxDepth) throw proto::TooDeep();
  auto module = std::make_unique<HloModule>(std::string(message.name));
  HLOIR_RETURN_IF_ERROR(ProtoModuleReader(*module, depth, unread).Read(message));
  return module;
}

Status ReadModule(const proto::Module& message, HloProtoFile& file) {
  HLOIR_ASSIGN_OR_RETURN(file.module, ReadModule(message, 0, file.unread));
  file.module_fields = message.unread;
  return OkStatus();
}

Status ReadModule(const proto::HloProto& message, HloProtoFile& file) {
  NoteUnread("HloProto", message.unread, file.unread);
  return ReadModule(*message.hlo_module, file);
}

StatusOr<std::vector<Literal>> ReadLiterals(const std::vector<proto::Literal>& messages) {
  std::vector<Literal> literals;
  for (const proto::Literal& message : messages) {
    HLOIR_ASSIGN_OR_RETURN(Literal literal, FromProto(message));
    literals.push_back(std::move(literal));
  }
  return literals;
}

constexpr char kModuleTag = 0x0A;  // field 1, length-delimited: the first tag of each of the four messages

// The first field 1 of a message, if it is length-delimited.
std::optional<std::string_view> FirstField(std::string_view bytes) {
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    if (reader.tag() == 1 && reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
      protozero::data_view view = reader.get_view();
      return std::string_view(view.data(), view.size());
    }
    reader.skip();
  }
  return std::nullopt;
}

// The number of nested messages around the module's name, through field 1: 0 HloModuleProto, 1 HloProto or
// HloUnoptimizedSnapshot, 2 HloSnapshot. A name is text that does not parse as a message with a text as first field.
std::optional<int> NameDepth(std::string_view bytes) {
  for (int depth = 0; depth <= 2; ++depth) {
    std::optional<std::string_view> first;
    try {
      first = FirstField(bytes);
    } catch (const std::exception&) {
      return std::nullopt;
    }
    if (!first.has_value()) return std::nullopt;
    if (IsPrintable(*first)) return depth;
    bytes = *first;
  }
  return std::nullopt;
}

// The message that begins a file of streamed literals: its length, a varint, precedes it. Messages of the other forms
// begin with the tag 0x0A, which as a length would be ten bytes, too few for a module.
std::optional<std::string_view> MessageBeforeStream(std::string_view bytes) {
  if (bytes.empty() || bytes[0] == kModuleTag) return std::nullopt;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  try {
    const uint64_t length = protozero::decode_varint(&at, end);
    if (length == 0 || length > static_cast<uint64_t>(end - at) || *at != kModuleTag) return std::nullopt;
    const std::string_view message(at, length);
    protozero::pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      if (reader.tag() > 3) return std::nullopt;
      reader.skip();
    }
    if (NameDepth(message) != 1) return std::nullopt;
    return message;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

StatusOr<HloProtoFile> ParseStreamed(std::string_view message, std::string_view stream) {
  HloProtoFile file;
  file.form = HloProtoFile::Form::kHloUnoptimizedSnapshot;
  file.streamed = true;
  const proto::UnoptimizedSnapshot snapshot = proto::Decode<proto::UnoptimizedSnapshot>(message);
  HLOIR_RETURN_IF_ERROR(ReadModule(*snapshot.hlo_module, file));
  for (const proto::Inputs& partition : snapshot.partitions) {
    std::vector<Literal>& arguments = file.arguments.emplace_back();
    for (const proto::LiteralDescriptor& descriptor : partition.arguments_descriptors) {
      if (descriptor.argument_size_bytes < 0 || static_cast<uint64_t>(descriptor.argument_size_bytes) > stream.size()) {
        return InvalidArgument("the file ends within its arguments");
      }
      const size_t size = static_cast<size_t>(descriptor.argument_size_bytes);
      HLOIR_ASSIGN_OR_RETURN(Literal literal, ReadStreamedLiteral(stream.substr(0, size)));
      arguments.push_back(std::move(literal));
      stream.remove_prefix(size);
    }
  }
  if (!stream.empty()) return InvalidArgument("the file is longer than its arguments");
  return file;
}

// True if the bytes are a truncated prefix of one of the four messages.
bool IsCutOff(std::string_view bytes) {
  if (bytes.empty() || bytes[0] != kModuleTag) return false;
  try {
    protozero::pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) reader.skip();
  } catch (const protozero::end_of_buffer_exception&) {
    return true;
  } catch (const std::exception&) {
  }
  return false;
}

StatusOr<HloProtoFile> Parse(std::string_view bytes) {
  if (const std::optional<std::string_view> message = MessageBeforeStream(bytes)) {
    return ParseStreamed(*message, bytes.substr(static_cast<size_t>(message->data() - bytes.data()) + message->size()));
  }
  HloProtoFile file;
  const std::optional<int> depth = NameDepth(bytes);
  if (!depth.has_value()) {
    return InvalidArgument(IsCutOff(bytes) ? "truncated file: it ends within a message"
                                           : "not an HloProto, HloModuleProto or snapshot");
  }
  if (*depth == 0) {
    file.form = HloProtoFile::Form::kHloModuleProto;
    HLOIR_RETURN_IF_ERROR(ReadModule(proto::Decode<proto::Module>(bytes), file));
    return file;
  }
  if (*depth == 2) {
    file.form = HloProtoFile::Form::kHloSnapshot;
    proto::Snapshot snapshot = proto::Decode<proto::Snapshot>(bytes);
    if (!snapshot.hlo.has_value() || !snapshot.hlo->hlo_module.has_value())
      return InvalidArgument("a snapshot without a module");
    HLOIR_RETURN_IF_ERROR(ReadModule(*snapshot.hlo, file));
    HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> arguments, ReadLiterals(snapshot.arguments));
    file.arguments.push_back(std::move(arguments));
    if (snapshot.result.has_value()) {
      HLOIR_ASSIGN_OR_RETURN(Literal result, FromProto(*snapshot.result));
      file.result = std::move(result);
    }
    file.execution_platform = snapshot.execution_platform;
    return file;
  }
  // HloProto {module 1, buffer_assignment 3} and HloUnoptimizedSnapshot {module 1, partitions 2, version 3: a number}:
  // the second has a field 2, or a field 3 that is not a message.
  bool unoptimized = false;
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    unoptimized |= reader.tag() == 2 || (reader.tag() == 3 && reader.wire_type() == protozero::pbf_wire_type::varint);
    reader.skip();
  }
  if (unoptimized) {
    file.form = HloProtoFile::Form::kHloUnoptimizedSnapshot;
    proto::UnoptimizedSnapshot snapshot = proto::Decode<proto::UnoptimizedSnapshot>(bytes);
    HLOIR_RETURN_IF_ERROR(ReadModule(*snapshot.hlo_module, file));
    for (const proto::Inputs& partition : snapshot.partitions) {
      HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> arguments, ReadLiterals(partition.arguments));
      file.arguments.push_back(std::move(arguments));
    }
    return file;
  }
  proto::HloProto message = proto::Decode<proto::HloProto>(bytes);
  HLOIR_RETURN_IF_ERROR(ReadModule(message, file));
  return file;
}

}  // namespace

StatusOr<HloProtoFile> ParseHloProto(std::string_view bytes) try {
  // Catches protozero's exceptions for corrupt bytes.
  try {
    return Parse(bytes);
  } catch (const proto::TooDeep&) {
    return proto::TooDeepError();
  } catch (const std::exception& error) {
    return InvalidArgument(std::string("broken protocol buffer: ") + error.what());
  }
} catch (...) {
  return OutOfMemory();
}

bool LooksLikeHloProto(std::string_view bytes) {
  // The leading tags and lengths of all four messages contain bytes that do not occur in text; names and indented text
  // are ambiguous.
  const std::string_view begin = bytes.substr(0, 512);
  const bool is_text = std::none_of(begin.begin(), begin.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && (c < '\t' || c > '\r');
  });
  if (is_text) return false;
  // A stream's length may be any byte; in a corrupt stream only bytes that are not characters are accepted as lengths.
  return bytes[0] == kModuleTag || static_cast<unsigned char>(bytes[0]) >= 0x80 ||
         MessageBeforeStream(bytes).has_value();
}

}  // namespace hloir
