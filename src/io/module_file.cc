// Modules from and to files: the content selects the format for reading, the name the format for writing. See the head
// of hloir/io.h. Tested by tests/unit/io_test.cc and tests/cli/convert.test.
#include <functional>
#include <utility>

#include "foreign.h"
#include "gzip.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/stablehlo.h"
#include "profile.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace {

// HLO text never begins with a brace.
bool LooksLikeJson(std::string_view content) {
  const size_t at = content.find_first_not_of(" \t\r\n");
  return at != std::string_view::npos && content[at] == '{';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string NameOf(const ReadOptions& options) { return options.file_name.empty() ? "<text>" : options.file_name; }

Status TakeProto(StatusOr<HloProtoFile> proto, ModuleFile& file) {
  if (!proto.ok()) return proto.status();
  file.modules.push_back(std::move(proto->module));
  file.proto = *std::move(proto);
  return OkStatus();
}

Status ParseContent(std::string content, const ReadOptions& options, ModuleFile& file) {
  if (IsGzip(content)) {
    file.format.gzip = true;
    HLOIR_ASSIGN_OR_RETURN(content, Gunzip(content));
  }
  if (content.starts_with("\xEF\xBB\xBF")) content.erase(0, 3);  // a byte order mark
  if (LooksLikeMlir(content)) {
    HLOIR_ASSIGN_OR_RETURN(
        file.modules.emplace_back(),
        ParseStablehlo(content, {.file_name = NameOf(options), .argument_sizes = options.argument_sizes}));
    file.text = std::make_shared<const std::string>(std::move(content));
    return OkStatus();
  }
  if (const std::string what = ForeignFormat(content); !what.empty()) return InvalidArgument(what);
  if (LooksLikeJson(content)) {
    file.format.form = FileFormat::Form::kJson;
    const Status taken = TakeProto(ParseHloProtoJson(content), file);
    // "3:7: error: …" lacks the file's name.
    const bool has_place = !taken.ok() && IsDigit(taken.message()[0]);
    return has_place ? Status(taken.code(), Format("{}:{}", NameOf(options), taken.message())) : taken;
  }
  if (LooksLikeProfile(content)) return ParseProfile(content, file);
  if (LooksLikeTuningData(content)) return ParseTuningData(content, file);
  if (LooksLikeHloProto(content)) {
    file.format.form = FileFormat::Form::kProto;
    return TakeProto(ParseHloProto(content), file);
  }
  file.text = std::make_shared<const std::string>(std::move(content));
  ParserOptions parser_options;
  parser_options.file_name = NameOf(options);
  parser_options.allow_unknown = options.allow_unknown;
  HLOIR_ASSIGN_OR_RETURN(file.modules, ParseModules(file.text, parser_options));
  return OkStatus();
}

bool HasEnding(std::string_view path) { return path.substr(path.rfind('/') + 1).find('.') != std::string_view::npos; }

constexpr size_t kMaxMessageBytes = INT32_MAX;  // protobuf's limit

// Passes the output of `produce` to `write`, compressed if the format is.
Status Send(const FileFormat& format, const std::function<Status(const WriteText&)>& produce, const WriteText& write) {
  return format.gzip ? Gzip(produce, write) : produce(write);
}

// Formats that are written whole.
StatusOr<std::string> SerializeWhole(const HloProtoFile& proto, const HloModule& module, const FileFormat& format) {
  if (format.form == FileFormat::Form::kStablehlo) return PrintStablehlo(module);
  if (format.form == FileFormat::Form::kJson) return SerializeHloProtoAsJson(proto, &module);
  StatusOr<std::string> bytes = SerializeHloProto(proto, &module);
  if (bytes.ok() && !proto.streamed && bytes->size() > kMaxMessageBytes) {
    return ResourceExhausted(
        "a message cannot be over 2 GiB; an unoptimized snapshot can have its arguments behind it (convert --stream)");
  }
  return bytes;
}

}  // namespace

StatusOr<FileFormat> FormatOf(std::string_view path) {
  FileFormat format;
  if (path == "-") return format;
  format.gzip = path.ends_with(".gz");
  if (format.gzip) path.remove_suffix(3);
  if (path.ends_with(".pb")) format.form = FileFormat::Form::kProto;
  else if (path.ends_with(".json")) format.form = FileFormat::Form::kJson;
  else if (path.ends_with(".mlir")) format.form = FileFormat::Form::kStablehlo;
  else if (!path.ends_with(".hlo") && !path.ends_with(".txt") && HasEnding(path)) {
    return InvalidArgument("the file's extension must be .hlo, .txt, .pb, .json or .mlir, each also with .gz");
  }
  return format;
}

StatusOr<ModuleFile> ParseModuleFile(std::string bytes, const ReadOptions& options) try {
  ModuleFile file;
  HLOIR_RETURN_IF_ERROR(ParseContent(std::move(bytes), options, file));
  if (options.verify) {
    std::string report;
    for (const auto& module : file.modules) report += VerifierReport(*module, NameOf(options), file.text.get());
    if (!report.empty()) return InvalidArgument(report);
  }
  if (options.one_module && file.modules.size() != 1)
    return InvalidArgument(Format("it holds {} modules, expected one", file.modules.size()));
  return file;
} catch (...) {
  return OutOfMemory();
}

StatusOr<ModuleFile> ReadModuleFile(const std::string& path, const ReadOptions& options) try {
  HLOIR_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path));
  ReadOptions named = options;
  if (named.file_name.empty()) named.file_name = DisplayName(path);
  return ParseModuleFile(std::move(bytes), named);
} catch (...) {
  return OutOfMemory();
}

StatusOr<std::unique_ptr<HloModule>> ReadModule(const std::string& path, const ReadOptions& options) {
  ReadOptions one = options;
  one.one_module = true;
  HLOIR_ASSIGN_OR_RETURN(ModuleFile file, ReadModuleFile(path, one));
  return std::move(file.modules.front());
}

namespace {

Status SendModuleFile(const ModuleFile& file, const FileFormat& format, const WriteText& write) {
  if (format.form == FileFormat::Form::kText) {
    const auto print = [&](const WriteText& send) -> Status {
      for (const auto& module : file.modules)
        HLOIR_RETURN_IF_ERROR(PrintModule(*module, PrintOptions::Readable(), send));
      return OkStatus();
    };
    return Send(format, print, write);
  }
  if (file.modules.size() != 1)
    return InvalidArgument(Format("it holds {} modules, and the format has room for one", file.modules.size()));
  HLOIR_ASSIGN_OR_RETURN(const std::string bytes, SerializeWhole(file.proto, file.module(), format));
  return Send(
      format, [&](const WriteText& send) { return send(bytes); }, write);
}

// All that `produce` gives.
StatusOr<std::string> Joined(const std::function<Status(const WriteText&)>& produce) {
  std::string bytes;
  HLOIR_RETURN_IF_ERROR(produce([&](std::string_view piece) {
    bytes += piece;
    return OkStatus();
  }));
  return bytes;
}

}  // namespace

Status SerializeModule(const HloModule& module, const FileFormat& format, const WriteOptions& options,
                       const WriteText& write) try {
  if (format.form == FileFormat::Form::kText) {
    return Send(
        format, [&](const WriteText& send) { return PrintModule(module, options.print, send); }, write);
  }
  HloProtoFile proto;
  proto.form = options.message;
  HLOIR_ASSIGN_OR_RETURN(const std::string bytes, SerializeWhole(proto, module, format));
  return Send(
      format, [&](const WriteText& send) { return send(bytes); }, write);
} catch (...) {
  return OutOfMemory();
}

StatusOr<std::string> SerializeModule(const HloModule& module, const FileFormat& format,
                                      const WriteOptions& options) try {
  return Joined([&](const WriteText& write) { return SerializeModule(module, format, options, write); });
} catch (...) {
  return OutOfMemory();
}

StatusOr<std::string> SerializeModuleFile(const ModuleFile& file, const FileFormat& format) try {
  return Joined([&](const WriteText& write) { return SendModuleFile(file, format, write); });
} catch (...) {
  return OutOfMemory();
}

Status WriteModule(const HloModule& module, const std::string& path, const WriteOptions& options) try {
  HLOIR_ASSIGN_OR_RETURN(const FileFormat format, FormatOf(path));
  return WriteFile(path, [&](const WriteText& write) { return SerializeModule(module, format, options, write); });
} catch (...) {
  return OutOfMemory();
}

Status WriteModuleFile(const ModuleFile& file, const std::string& path) try {
  HLOIR_ASSIGN_OR_RETURN(const FileFormat format, FormatOf(path));
  return WriteFile(path, [&](const WriteText& write) { return SendModuleFile(file, format, write); });
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
