// XLA's binary forms of the same IR: HloProto, HloModuleProto, HloSnapshot and HloUnoptimizedSnapshot, and their JSON
// mapping. The content selects the message type for reading. Bytes must not be compressed: io.h reads compressed files.
//
// Example:
//
//   HloProtoFile file;
//   file.module = module.Clone();
//   StatusOr<std::string> bytes = SerializeHloProto(file);
//   if (!bytes.ok()) return;
//   StatusOr<HloProtoFile> back = ParseHloProto(*bytes);
//   if (back.ok()) (void)back->module->name();
//
// Tested by tests/unit/proto_test.cc.
//
// Threads: may be called from any thread while none edits the module or file that is written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// The content of such a file: a module, and for snapshots the arguments of each partition (HloSnapshot has one) and the
// result.
struct HloProtoFile {
  enum class Form { kHloProto, kHloModuleProto, kHloSnapshot, kHloUnoptimizedSnapshot };
  Form form = Form::kHloProto;
  std::unique_ptr<HloModule> module;
  std::vector<std::vector<Literal>> arguments;
  std::optional<Literal> result;
  std::string execution_platform;
  // kHloUnoptimizedSnapshot only: the arguments follow the message instead of being in it, as XLA dumps them, so that
  // they may exceed the 2 GiB that a message can hold.
  bool streamed = false;
  // Fields of HloModuleProto that the graph does not represent (device assignment, profile, …), as bytes; they are
  // written back.
  std::string module_fields;
  // Names of fields that were present but not read, each once: "HloModuleProto.device_assignment",
  // "HloInstructionProto.99". Only module_fields are kept.
  std::vector<std::string> unread;
};

// Bytes of one of the four messages, not compressed. Errors are InvalidArgument and name the message and field.
StatusOr<HloProtoFile> ParseHloProto(std::string_view bytes);
// Serializes `file` in its form, with `module` instead of file.module if given. XLA reads the same module from the
// bytes.
StatusOr<std::string> SerializeHloProto(const HloProtoFile& file, const HloModule* module = nullptr);
std::string SerializeHloModuleProto(const HloModule& module);
// True if `bytes` cannot be HLO text or JSON and should be read as a proto.
bool LooksLikeHloProto(std::string_view bytes);

// The same as JSON, by protobuf's mapping (field names as in the .proto files). If the text is not JSON, the error
// begins with "LINE:COLUMN: error: ".
StatusOr<HloProtoFile> ParseHloProtoJson(std::string_view text);
StatusOr<std::string> SerializeHloProtoAsJson(const HloProtoFile& file, const HloModule* module = nullptr);

StatusOr<Literal> ParseLiteralProto(std::string_view bytes);
std::string SerializeLiteralProto(const Literal& literal);

}  // namespace hloir
#pragma GCC visibility pop
