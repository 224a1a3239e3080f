// XLA's messages as plain structs, and Fields(io, message), which names each of a message's fields to `io`: the wire
// form (codec.h), JSON (json.cc), the table of literal types (literal.cc) and attributes by their names (by_name.h) are
// such walks. Both come from the rows of messages.def. Strings look into the bytes that are read, or into the module
// that is written.
//
// Why neither protoc nor libprotobuf: measured on an HloProto of 17 MB with 200,000 instructions, a first read by code
// that protoc made for libprotobuf-lite 3.21 takes 2.6 times the time (255 ms against 97) and 8 times the memory (357
// MB against 42), and adds 0.9 MB of code; with nested messages kept as bytes and parsed one by one, 1.2 times the time
// (119 ms) and 2 times the memory. The lite library has no names of fields, so JSON would need the full one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hloir::proto {

// A string field that may hold any bytes (JSON writes it in base64).
struct Bytes {
  std::string_view value;
};
using Int64s = std::vector<int64_t>;
// A nested message still (or already) in its wire form: messages that occur by the hundred thousand are decoded one at
// a time.
template <class Message>
struct Raw {
  std::string_view bytes;
};
using StringPairs = std::vector<std::pair<std::string_view, std::string_view>>;

// Of OpSharding::type.
struct ShardingType {
  enum : int64_t { kReplicated, kMaximal, kTuple, kOther, kManual, kUnknown, kUnreduced };
};

struct Shape;
#define HLOIR_MESSAGE(name) struct name {
#define HLOIR_FIELD(number, type, name) type name{};
#define HLOIR_LATER(number, type, name) type name;  // `{}` needs the complete type
#define HLOIR_MAP HLOIR_FIELD
#define HLOIR_MESSAGE_MAP HLOIR_FIELD
#define HLOIR_UNREAD std::string unread;
#define HLOIR_END \
  }               \
  ;
#include "proto/messages.def"
#undef HLOIR_MESSAGE
#undef HLOIR_FIELD
#undef HLOIR_LATER
#undef HLOIR_MAP
#undef HLOIR_MESSAGE_MAP
#undef HLOIR_UNREAD
#undef HLOIR_END

#define HLOIR_MESSAGE(name) \
  template <class IO>       \
  void Fields(IO& io, name& m) {
#define HLOIR_FIELD(number, type, name) io(number, #name, m.name);
#define HLOIR_LATER HLOIR_FIELD
#define HLOIR_MAP(number, type, name) io.Map(number, #name, m.name);
#define HLOIR_MESSAGE_MAP(number, type, name) io.MessageMap(number, #name, m.name);
#define HLOIR_UNREAD
#define HLOIR_END }
#include "proto/messages.def"
#undef HLOIR_MESSAGE
#undef HLOIR_FIELD
#undef HLOIR_LATER
#undef HLOIR_MAP
#undef HLOIR_MESSAGE_MAP
#undef HLOIR_UNREAD
#undef HLOIR_END

}  // namespace hloir::proto
