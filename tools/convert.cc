// hloir convert: converts modules, and the values that come with them, between file formats. The content selects the
// input format, the name the output format. Tested by tests/cli/convert.test.
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/io.h"
#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/stablehlo.h"
#include "tools/bind_sizes.h"
#include "tools/command.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

using Message = HloProtoFile::Form;

struct ConvertFlags {
  std::string file, inputs;
  std::vector<std::string> outputs;
  Message message = Message::kHloProto;
  bool has_message = false;
  int64_t partition = 0;
  bool streamed = false, allow_unknown = false, json = false;
  std::string sizes;
};

using ArgumentSizes = std::vector<std::vector<int64_t>>;

// "3x4,,2": the sizes of each argument; none for a scalar.
StatusOr<ArgumentSizes> ParseSizes(std::string_view text) {
  ArgumentSizes all(text.empty() ? 0 : 1);
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ',') all.emplace_back(), ++at;
    int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), size);
    if (error == std::errc()) {
      all.back().push_back(size);
      at = static_cast<size_t>(end - text.data());
      if (at < text.size() && text[at] == 'x' && at + 1 < text.size()) ++at;
      else if (at < text.size() && text[at] != ',') return InvalidArgument("--sizes: expected sizes as in 3x4,2");
    } else if (at < text.size() && text[at] != ',') {
      return InvalidArgument("--sizes: expected sizes as in 3x4,2");
    }
  }
  return all;
}

bool IsNpz(const std::string& path) { return path.ends_with(".npz"); }

Status WriteValues(const std::string& path, const HloProtoFile& proto, int64_t partition) {
  if (proto.arguments.empty()) return InvalidArgument("it holds no inputs for " + path);
  HLOIR_ASSIGN_OR_RETURN(const StoredValues values, StoredValuesOf(proto, partition));
  const NpzLeaves all[] = {{"in", Pointers(values.inputs)}, {"out", Pointers(values.results)}};
  return WriteNpz(path, all);
}

// True if the sharding combines partial values by other operations than addition.
bool NamesReduction(const Sharding& sharding) {
  return sharding.unreduced_op == "max" || sharding.unreduced_op == "min" ||
         std::any_of(sharding.tuple_elements.begin(), sharding.tuple_elements.end(), NamesReduction);
}
bool NamesReduction(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->sharding() != nullptr && NamesReduction(*i->sharding())) return true;
  }
  return false;
}

bool HasOtherLayout(const Shape& shape) {
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->has_layout() && !leaf->layout().IsMajorToMinor()) return true;
  }
  return false;
}

bool HasMoreMetadata(const HloInstruction& i) {
  const OpMetadata* metadata = i.metadata();
  return metadata != nullptr &&
         (!metadata->op_type.empty() || !metadata->deduplicated_name.empty() || !metadata->scheduling_name.empty() ||
          !metadata->metadata_payload.empty() || !metadata->profile_type.empty());
}

bool IsAnnotated(const HloInstruction& i) { return i.sharding() != nullptr || !i.extras().frontend_attributes.empty(); }

// What StableHLO has no place for, and does not change what a module computes.
void AddNotInStablehlo(const HloModule& module, std::vector<std::string>& fields) {
  const ModuleConfig& config = module.config();
  const auto any = [&](const auto& has) {
    for (const HloInstruction* i : module.AllInstructions()) {
      if (has(*i)) return true;
    }
    return false;
  };
  const auto add = [&](bool is_there, std::string_view what) {
    if (is_there) fields.emplace_back(what);
  };
  bool entry_layouts = false;
  if (config.entry_computation_layout.has_value()) {
    entry_layouts = HasOtherLayout(config.entry_computation_layout->result);
    for (const Shape& shape : config.entry_computation_layout->parameters) entry_layouts |= HasOtherLayout(shape);
  }
  add(entry_layouts || any([](const auto& i) { return HasOtherLayout(i.shape()); }), "layouts");
  add(any([](const auto& i) { return i.HasControlDependencies(); }), "control dependencies");
  add(any([](const auto& i) { return i.opcode() != HloOpcode::kCustomCall && !i.extras().backend_config.empty(); }),
      "backend_config");
  add(config.is_scheduled, "the schedule");
  const bool has_tuple = module.entry_computation()->root()->shape().IsTuple();
  add(std::any_of(config.input_output_alias.begin(), config.input_output_alias.end(),
                  [&](const InputOutputAlias& alias) {
                    return alias.must_alias || !alias.parameter_index.empty() ||
                           alias.output_index.size() != (has_tuple ? 1U : 0U);
                  }),
      "input_output_alias of must-alias or nested arrays");
  add(std::any_of(config.buffer_donor.begin(), config.buffer_donor.end(),
                  [](const BufferDonor& donor) { return !donor.parameter_index.empty(); }),
      "buffer_donor of nested arrays");
  add(config.alias_passthrough_params, "alias_passthrough_params");
  add(!config.allow_spmd_sharding_propagation_to_parameters.empty() ||
          !config.allow_spmd_sharding_propagation_to_output.empty(),
      "allow_spmd_sharding_propagation");
  add(!config.origin_recovery_table.empty() || any([](const auto& i) { return i.extras().original_value.has_value(); }),
      "origins");
  add(!config.debug_attributes.empty(), "debug attributes");
  add(any([](const auto& i) { return i.extras().statistics.has_value(); }), "statistics");
  add(any([](const auto& i) { return i.extras().result_accuracy.has_value(); }), "result_accuracy");
  add(any(HasMoreMetadata), "metadata besides op_name and source lines");
  add(any([](const auto& i) { return i.opcode() == HloOpcode::kGetTupleElement && IsAnnotated(i); }),
      "annotations of tuples' elements");
  add(any([&](const auto& i) { return i.IsParameter() && i.parent() != module.entry_computation() && IsAnnotated(i); }),
      "annotations of parameters of called computations");
  for (const HloComputation* computation : module.computations()) {
    if (computation->execution_thread().empty()) continue;
    fields.emplace_back("execution threads");
    break;
  }
}

// Reports on stderr the parts of a message that `form` cannot hold. Only messages have parts that the graph does not
// represent, and only their own form can hold these.
void TellWhatIsLeftOut(const std::string& path, FileFormat::Form form, const ModuleFile& file) {
  std::vector<std::string> fields;
  for (const std::string& field : file.proto.unread) {
    if (form != FileFormat::Form::kProto || !field.starts_with("HloModuleProto.")) fields.push_back(field);
  }
  if (form == FileFormat::Form::kStablehlo) {
    AddNotInStablehlo(file.module(), fields);
  } else if (form != FileFormat::Form::kText) {
    // XLA keeps these beside the message.
    const ModuleConfig& config = file.module().config();
    if (config.replica_count > 1) fields.push_back("replica_count");
    if (config.num_partitions > 1) fields.push_back("num_partitions");
    if (!config.allow_spmd_sharding_propagation_to_parameters.empty())
      fields.push_back("allow_spmd_sharding_propagation_to_parameters");
    if (!config.allow_spmd_sharding_propagation_to_output.empty())
      fields.push_back("allow_spmd_sharding_propagation_to_output");
    if (NamesReduction(file.module())) fields.push_back("the max or min of unreduced shardings");
  }
  const std::string left_out = fmt::format("{}", fmt::join(fields, ", "));
  if (!left_out.empty()) Note(fmt::format("{} lacks {}", DisplayName(path), left_out));
}

int Convert(const ConvertFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  const std::string file = DisplayName(flags.file);
  std::vector<FileFormat> formats;
  for (const std::string& output : flags.outputs) {
    StatusOr<FileFormat> format = IsNpz(output) ? FileFormat() : FormatOf(output);
    if (!format.ok()) return Fail(InvalidArgument(format.status().message() + ", or .npz for values"), output);
    formats.push_back(*format);
  }
  const StatusOr<ArgumentSizes> sizes = ParseSizes(flags.sizes);
  if (!sizes.ok()) return Fail(sizes.status());
  StatusOr<ModuleFile> loaded =
      ReadModuleFile(flags.file, {.verify = false, .allow_unknown = flags.allow_unknown, .argument_sizes = *sizes});
  if (!loaded.ok()) return Fail(loaded.status(), file);
  if (!sizes->empty() && (loaded->text == nullptr || !LooksLikeMlir(*loaded->text)))
    return Fail(InvalidArgument("sizes of arguments are for StableHLO text"), file);
  HloProtoFile& proto = loaded->proto;
  if (!flags.inputs.empty()) {
    StatusOr<StoredValues> values = ReadStoredValues(flags.inputs);
    if (!values.ok()) return Fail(values.status());
    if (Status set = SetStoredValues(*std::move(values), *loaded); !set.ok()) return Fail(set, flags.inputs);
  }
  if (flags.has_message) proto.form = flags.message;
  proto.streamed = proto.form == Message::kHloUnoptimizedSnapshot && (proto.streamed || flags.streamed);
  if (flags.streamed && !proto.streamed)
    return Fail(InvalidArgument("--stream needs --proto=unoptimized-snapshot"), file);
  for (size_t i = 0; i < formats.size(); ++i) {
    const std::string& output = flags.outputs[i];
    const Status written =
        IsNpz(output) ? WriteValues(output, proto, flags.partition) : WriteModuleFile(*loaded, output);
    if (!written.ok()) return Fail(written, file);
    if (!IsNpz(output)) TellWhatIsLeftOut(output, formats[i].form, *loaded);
  }
  if (flags.json) PrintWritten(file, flags.outputs);
  return kExitGood;
}

}  // namespace

void AddConvertCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  static const std::map<std::string, Message> kMessages = {{"hlo", Message::kHloProto},
                                                           {"module", Message::kHloModuleProto},
                                                           {"snapshot", Message::kHloSnapshot},
                                                           {"unoptimized-snapshot", Message::kHloUnoptimizedSnapshot}};
  auto flags = std::make_shared<ConvertFlags>();
  AddOption(*command, "IN", flags->file, "HLO text, HloProto, snapshot, JSON or StableHLO text, optionally gzipped")
      ->required();
  AddOption(*command, "-o,--output OUT", flags->outputs,
            "Output file; the extension selects the format: .hlo .txt .pb .json, .mlir for StableHLO, optionally .gz; "
            ".npz gets the values of a snapshot. May be repeated")
      ->required()
      ->allow_extra_args(false);
  AddOption(*command, "--inputs X.npz", flags->inputs,
            "Write a snapshot with inputs in0, in1, … and results out0, … of this .npz");
  CLI::Option* message = AddChoice(*command, "--proto MESSAGE", flags->message, kMessages,
                                   "Message type of .pb and .json: hlo, module, snapshot or unoptimized-snapshot "
                                   "(default: the type of IN; hlo if IN is text)");
  command->add_flag(
      "--stream", flags->streamed,
      "Append an unoptimized snapshot's arguments to the message, as XLA's dumps do; allows more than 2 GiB");
  AddOption(*command, "--partition N", flags->partition,
            "Partition of a snapshot whose values go to the .npz (default: 0)")
      ->check(Between<int64_t>(0, INT64_MAX));
  AddOption(*command, "--sizes 3x4,2", flags->sizes,
            "Sizes of the arguments of a StableHLO program with unbounded dimensions (?), one list for each argument");
  command->add_flag("--allow-unknown", flags->allow_unknown, "Keep unknown opcodes and attributes");
  command->add_flag("--json", flags->json, "Print errors, or the names of the files written, as JSON");
  command->callback([flags, message, &action] {
    flags->has_message = message->count() > 0;
    action = [flags] { return Convert(*flags); };
  });
}

}  // namespace hloir::tool
