// The command's error messages, and the conversion of a Status to an exit status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "hloir/io.h"
#include "hloir/status.h"
#include "tools/terminal.h"

namespace hloir::tool {

using Json = nlohmann::ordered_json;

enum ExitStatus : int {
  kExitGood = 0,
  kExitDisagree = 1,     // the modules do not agree
  kExitBadInput = 2,     // the input or the command line is wrong
  kExitUnsupported = 3,  // legal HLO that is not supported, or over a limit
  kExitInternal = 70,    // a bug of ours
};

int ExitStatusOf(StatusCode code);

// Prints the error to stderr and returns its exit status. Prefixes `file` to messages that do not begin with it.
int Fail(const Status& status, std::string_view file = {});
// Makes Fail also print {"file", "errors", "exit_status"} to stdout, for --json.
void ReportErrorsAsJson();

// The report of a command that writes files, with --json: {"file", "outputs"} on stdout. `outputs`: files in addition
// to those of WriteOutput.
void PrintWritten(const std::string& file, const std::vector<std::string>& outputs = {});

// "hloir: note: …" on stderr.
void Note(std::string_view text);

// Writes text to the file at `path`, or to stdout for "-" (FlushStdout reports whether that succeeded).
Status WriteOutput(const std::string& path, std::string_view text);
// Writes a module in the same way, text in pieces; returns the exit status. `file`: its source.
int WriteModuleOutput(const std::string& path, const HloModule& module, const FileFormat& format,
                      const WriteOptions& options, const std::string& file);

// Prints a JSON document to stdout. Bytes that are not UTF-8 (names may hold any) are replaced.
void PrintJson(const Json& json);
std::string JsonText(const Json& json);

}  // namespace hloir::tool
