// XLA's binary forms of the same IR: HloProto, HloModuleProto, HloSnapshot and HloUnoptimizedSnapshot, and their JSON
// mapping. Reading recognizes which it is by its content. Compressed files are the caller's to unpack (the hloir
// command does).
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
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

// What a binary file held: a module, and for snapshots the arguments of each partition (one partition for HloSnapshot)
// and the result.
struct HloProtoFile {
  enum class Form { kHloProto, kHloModuleProto, kHloSnapshot, kHloUnoptimizedSnapshot };
  Form form = Form::kHloProto;
  std::unique_ptr<HloModule> module;
  std::vector<std::vector<Literal>> arguments;
  std::optional<Literal> result;
  std::string execution_platform;
  // Of kHloUnoptimizedSnapshot: the arguments stand behind the message and not in it, as XLA dumps it, so that they may
  // be more than the 2 GiB that a message can hold.
  bool streamed = false;
  // Fields of HloModuleProto that the graph has no place for (device assignment, profile, …), as they came; written
  // back.
  std::string module_fields;
  // What was found and not read, each once: "HloModuleProto.device_assignment", "HloInstructionProto.99". Of these,
  // module_fields alone are kept.
  std::vector<std::string> unread;
};

// Bytes of one of the four messages, not compressed. Errors are InvalidArgument and name the message and field.
StatusOr<HloProtoFile> ParseHloProto(std::string_view bytes);
// The bytes of `file` as its form says. XLA reads them to the same module.
StatusOr<std::string> SerializeHloProto(const HloProtoFile& file);
std::string SerializeHloModuleProto(const HloModule& module);
// True if text this is not: neither HLO text nor JSON would begin so.
bool LooksLikeHloProto(std::string_view bytes);

// The same as JSON, by protobuf's mapping (field names as in the .proto files).
StatusOr<HloProtoFile> ParseHloProtoJson(std::string_view text);
StatusOr<std::string> SerializeHloProtoAsJson(const HloProtoFile& file);

StatusOr<Literal> ParseLiteralProto(std::string_view bytes);
std::string SerializeLiteralProto(const Literal& literal);

}  // namespace hloir
