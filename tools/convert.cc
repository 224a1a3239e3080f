// hloir convert: one form of a module, and of the values that come with it, into others. What a file is told by is its
// content on the way in and its name on the way out. Tested by tests/cli/convert.test.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/printer.h"
#include "hloir/proto.h"
#include "tools/arguments.h"
#include "tools/choices.h"
#include "tools/command.h"
#include "tools/files.h"
#include "tools/gzip.h"
#include "tools/modules.h"
#include "tools/npz.h"
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
  bool streamed = false, allow_unknown = false;
};

struct Encoding {
  enum class Kind { kText, kProto, kJson, kNpz };
  Kind kind = Kind::kText;
  bool gzip = false;
};

StatusOr<Encoding> EncodingOf(std::string_view path) {
  Encoding encoding;
  if (path == "-") return encoding;
  encoding.gzip = path.ends_with(".gz");
  if (encoding.gzip) path.remove_suffix(3);
  if (path.ends_with(".pb")) encoding.kind = Encoding::Kind::kProto;
  else if (path.ends_with(".json")) encoding.kind = Encoding::Kind::kJson;
  else if (path.ends_with(".npz") && !encoding.gzip) encoding.kind = Encoding::Kind::kNpz;
  else if (!path.ends_with(".hlo") && !path.ends_with(".txt")) {
    return InvalidArgument(
        "what to write is told by the file's ending: .hlo, .txt, .pb, .json, each also with .gz, or .npz");
  }
  return encoding;
}

bool IsSnapshot(Message message) {
  return message == Message::kHloSnapshot || message == Message::kHloUnoptimizedSnapshot;
}

// Gives the message its arguments, and a result, from an .npz.
Status TakeInputs(const std::string& npz, const HloModule& module, HloProtoFile& proto) {
  HLOIR_ASSIGN_OR_RETURN(StoredValues values, ReadStoredValues(npz));
  StatusOr<std::vector<Literal>> arguments = ArgumentsFromLeaves(module, std::move(values.inputs));
  if (!arguments.ok()) return Status(arguments.status().code(), npz + ": " + arguments.status().message());
  proto.arguments.clear();
  proto.arguments.push_back(*std::move(arguments));
  proto.result.reset();
  if (values.results.empty()) return OkStatus();
  const bool is_tuple = module.entry_computation()->root()->shape().IsTuple();
  if (!is_tuple && values.results.size() > 1)
    return InvalidArgument(npz + ": it holds more results than the module has");
  proto.result = is_tuple ? Literal::Tuple(std::move(values.results)) : std::move(values.results.front());
  return OkStatus();
}

StatusOr<std::string> Text(const ModuleFile& file) {
  std::string text;
  for (const auto& module : file.modules) text += PrintModule(*module, PrintOptions::Readable());
  return text;
}

Status WriteValues(const std::string& path, const HloProtoFile& proto, int64_t partition) {
  if (proto.arguments.empty()) return InvalidArgument("it holds no inputs for " + path);
  HLOIR_ASSIGN_OR_RETURN(const StoredValues values, StoredValuesOf(proto, partition));
  const NpzLeaves all[] = {{"in", Pointers(values.inputs)}, {"out", Pointers(values.results)}};
  return WriteNpz(path, all);
}

// What a message had and `kind` does not get, on stderr. Only messages keep what the graph has no place for, and only
// the module's own.
void TellWhatIsLeftOut(const std::string& path, Encoding::Kind kind, const HloProtoFile& proto) {
  if (kind == Encoding::Kind::kNpz) return;
  std::string left_out;
  for (const std::string& field : proto.unread) {
    if (kind == Encoding::Kind::kProto && field.starts_with("HloModuleProto.")) continue;
    left_out += (left_out.empty() ? "" : ", ") + field;
  }
  if (!left_out.empty()) fmt::print(stderr, "hloir: note: {} is without {}\n", DisplayName(path), left_out);
}

Status Write(const std::string& path, const Encoding& encoding, ModuleFile& file, const ConvertFlags& flags) {
  if (encoding.kind == Encoding::Kind::kNpz) return WriteValues(path, file.proto, flags.partition);
  std::string content;
  if (encoding.kind == Encoding::Kind::kText) {
    HLOIR_ASSIGN_OR_RETURN(content, Text(file));
  } else {
    if (file.modules.size() != 1)
      return InvalidArgument(fmt::format("it holds {} modules; {} has room for one", file.modules.size(), path));
    // The library's form of a file owns its module; it is lent for as long as the writing takes.
    file.proto.module = std::move(file.modules.front());
    const bool json = encoding.kind == Encoding::Kind::kJson;
    StatusOr<std::string> bytes = json ? SerializeHloProtoAsJson(file.proto) : SerializeHloProto(file.proto);
    file.modules.front() = std::move(file.proto.module);
    HLOIR_ASSIGN_OR_RETURN(content, std::move(bytes));
    if (!json && !file.proto.streamed && content.size() > INT32_MAX) {
      return ResourceExhausted(
          "a message cannot be over 2 GiB; --proto=unoptimized-snapshot --stream puts the arguments behind it");
    }
  }
  if (encoding.gzip) {
    HLOIR_ASSIGN_OR_RETURN(content, Gzip(content));
  }
  return WriteFile(path, content);
}

int Convert(const ConvertFlags& flags) {
  const std::string file = DisplayName(flags.file);
  std::vector<Encoding> encodings;
  for (const std::string& output : flags.outputs) {
    StatusOr<Encoding> encoding = EncodingOf(output);
    if (!encoding.ok()) return Fail(encoding.status(), output);
    encodings.push_back(*encoding);
  }
  StatusOr<ModuleFile> loaded = LoadModules(flags.file, {.verify = false, .allow_unknown = flags.allow_unknown});
  if (!loaded.ok()) return Fail(loaded.status(), file);
  HloProtoFile& proto = loaded->proto;
  if (!flags.inputs.empty()) {
    if (Status taken = TakeInputs(flags.inputs, loaded->module(), proto); !taken.ok()) return Fail(taken, file);
    if (!IsSnapshot(proto.form)) proto.form = Message::kHloSnapshot;
  }
  if (flags.has_message) proto.form = flags.message;
  proto.streamed = proto.form == Message::kHloUnoptimizedSnapshot && (proto.streamed || flags.streamed);
  if (flags.streamed && !proto.streamed)
    return Fail(InvalidArgument("--stream is for --proto=unoptimized-snapshot"), file);
  for (size_t i = 0; i < encodings.size(); ++i) {
    if (Status written = Write(flags.outputs[i], encodings[i], *loaded, flags); !written.ok())
      return Fail(written, file);
    TellWhatIsLeftOut(flags.outputs[i], encodings[i].kind, proto);
  }
  return kExitGood;
}

}  // namespace

void AddConvertCommand(CLI::App& app, Action& action) {
  static const std::map<std::string, Message> kMessages = {{"hlo", Message::kHloProto},
                                                           {"module", Message::kHloModuleProto},
                                                           {"snapshot", Message::kHloSnapshot},
                                                           {"unoptimized-snapshot", Message::kHloUnoptimizedSnapshot}};
  auto flags = std::make_shared<ConvertFlags>();
  CLI::App* command = app.add_subcommand("convert", "Convert between HLO text, HloProto, JSON, snapshots and .npz");
  command->add_option("IN", flags->file, "HLO text, HloProto or a snapshot, JSON; also gzipped")
      ->required()
      ->type_name("");
  command
      ->add_option("-o,--output", flags->outputs,
                   "Write it there, as the ending says: .hlo .txt .pb .json, each also with .gz; .npz takes a "
                   "snapshot's values. May be given several times")
      ->required()
      ->allow_extra_args(false)
      ->type_name("OUT");
  command
      ->add_option("--inputs", flags->inputs,
                   "Make a snapshot: its inputs are in0, in1, … of this .npz, its result out0, …")
      ->type_name("X.npz");
  CLI::Option* message = AddChoice(*command, "--proto", flags->message, kMessages,
                                   "Which message .pb and .json hold: hlo, module, snapshot or unoptimized-snapshot "
                                   "(default: what IN was; hlo for text)")
                             ->type_name("MESSAGE");
  command->add_flag(
      "--stream", flags->streamed,
      "Put an unoptimized snapshot's arguments behind the message, as XLA dumps it: there may be more than 2 GiB");
  command
      ->add_option("--partition", flags->partition,
                   "Of a snapshot with several: whose values go to the .npz (default: 0)")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  command->add_flag("--allow-unknown", flags->allow_unknown, "Keep opcodes and attributes that no table knows");
  command->callback([flags, message, &action] {
    flags->has_message = message->count() > 0;
    action = [flags] { return Convert(*flags); };
  });
}

}  // namespace hloir::tool
