// Errors on stderr, JSON on stdout and exit statuses; see report.h. Tested by tests/cli/mistakes.test and json.test.
#include "tools/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "hloir/io.h"
#include "hloir/report.h"
#include "tools/terminal.h"

namespace hloir::tool {
namespace {

bool errors_as_json = false;
std::vector<std::string> files_written;

// The first "error:" in red where stderr is a terminal.
std::string Colored(std::string message) {
  if (!UseColor(stderr)) return message;
  if (size_t at = message.find("error:"); at != std::string::npos) message.replace(at, 6, "\033[1;31merror:\033[0m");
  return message;
}

}  // namespace

int ExitStatusOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return kExitGood;
    case StatusCode::kInvalidArgument: return kExitBadInput;
    case StatusCode::kUnimplemented:
    case StatusCode::kResourceExhausted:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kCancelled: return kExitUnsupported;
    case StatusCode::kInternal: return kExitInternal;
  }
  return kExitInternal;
}

int Fail(const Status& status, std::string_view file) {
  std::string message = status.message();
  // The parser's messages already have a location.
  if (message.starts_with("out of memory")) message += " (see --max-memory)";
  if (!file.empty() && !message.starts_with(file)) message = fmt::format("{}: error: {}", file, message);
  if (file.empty() && message.find("error: ") == std::string::npos) message = "hloir: error: " + message;
  if (message.empty() || message.back() != '\n') message += '\n';
  if (status.code() == StatusCode::kInternal) message += "This is a bug in hloir; please report it with the input.\n";
  const int exit_status = ExitStatusOf(status.code());
  Write(stderr, Colored(ForLocale(Printable(message))));
  if (errors_as_json) {
    Json json;
    if (!file.empty()) json["file"] = file;
    json["errors"] = Json::parse(DiagnosticsJson(status, file));
    json["exit_status"] = exit_status;
    PrintJson(json);
  }
  return exit_status;
}

void ReportErrorsAsJson() { errors_as_json = true; }

void PrintWritten(const std::string& file, const std::vector<std::string>& outputs) {
  std::vector<std::string> all = files_written;
  all.insert(all.end(), outputs.begin(), outputs.end());
  PrintJson({{"file", file}, {"outputs", all}});
}

void Note(std::string_view text) { PrintError("hloir: note: {}\n", Printable(text)); }

Status WriteOutput(const std::string& path, std::string_view text) {
  if (path != "-") files_written.push_back(path);
  if (path != "-") return WriteFile(path, text);
  Write(stdout, text);
  return OkStatus();
}

int WriteModuleOutput(const std::string& path, const HloModule& module, const FileFormat& format,
                      const WriteOptions& options, const std::string& file) {
  Status unwritten, unprinted;
  const auto produce = [&](const WriteText& write) {
    const Status status =
        SerializeModule(module, format, options, [&](std::string_view piece) { return unwritten = write(piece); });
    if (unwritten.ok()) unprinted = status;
    return status;
  };
  const auto to_stdout = [](std::string_view piece) {
    Write(stdout, piece);
    return OkStatus();
  };
  const Status written = path == "-" ? produce(to_stdout) : WriteFile(path, produce);
  if (!unprinted.ok()) return Fail(unprinted, file);
  return written.ok() ? kExitGood : Fail(written);
}

void PrintJson(const Json& json) { Write(stdout, JsonText(json)); }

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace hloir::tool
