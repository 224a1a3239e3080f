// The wire form of the messages of messages.def, by protozero: Decode<Message>(bytes) and Encode(message). Both walk
// the same Fields() of each message.
#pragma once

#include <cstring>
#include <exception>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "messages.h"
#include "hloir/status.h"
#include "support/endian.h"

namespace hloir::proto {

// Nesting of messages; shapes, literals and shardings may nest. Deeper input throws an exception, as protozero does for
// corrupt bytes; reader.cc converts both to a Status. The parser's limit is lower; protobuf's default limit is 100
// levels.
inline constexpr int kMaxNesting = 144;
struct TooDeep : std::exception {};
inline Status TooDeepError() { return ResourceExhausted("messages nested deeper than " + std::to_string(kMaxNesting)); }

template <class Message>
void DecodeInto(Message& message, protozero::pbf_reader reader, int depth);

// Decodes the reader's current field, if Fields() names it.
class FieldDecoder {
 public:
  FieldDecoder(protozero::pbf_reader& reader, int depth) : reader_(reader), tag_(reader.tag()), depth_(depth) {}
  bool taken() const { return taken_; }

  template <class T>
  void operator()(uint32_t number, const char* /*name*/, T& field) {
    if (number != tag_ || taken_) return;
    taken_ = Read(field);
  }
  void Map(uint32_t number, const char* /*name*/, StringPairs& map) {
    if (number != tag_ || taken_ || !Is(protozero::pbf_wire_type::length_delimited)) return;
    taken_ = true;
    std::pair<std::string_view, std::string_view> entry;
    protozero::pbf_reader item = reader_.get_message();
    while (item.next()) {
      if (item.wire_type() == protozero::pbf_wire_type::length_delimited && item.tag() <= 2) {
        std::string_view& text =
            item.tag() == 1 ? entry.first : entry.second;  // must precede reading the value, which clears the tag
        text = View(item.get_view());
      } else {
        item.skip();
      }
    }
    map.push_back(entry);
  }
  // A map whose values are messages is repeated {1: key, 2: value} on the wire, as Entry's fields say.
  template <class Entry>
  void MessageMap(uint32_t number, const char* name, std::vector<Entry>& entries) {
    (*this)(number, name, entries);
  }

 private:
  static std::string_view View(protozero::data_view view) { return {view.data(), view.size()}; }
  bool Is(protozero::pbf_wire_type type) const { return reader_.wire_type() == type; }
  bool IsVarint() const { return Is(protozero::pbf_wire_type::varint); }
  bool IsBytes() const { return Is(protozero::pbf_wire_type::length_delimited); }

  bool Read(bool& field) {
    if (!IsVarint()) return false;
    field = reader_.get_uint64() != 0;
    return true;
  }
  bool Read(int64_t& field) {
    if (!IsVarint()) return false;
    field = static_cast<int64_t>(reader_.get_uint64());
    return true;
  }
  bool Read(float& field) {
    if (!Is(protozero::pbf_wire_type::fixed32)) return false;
    field = reader_.get_float();
    return true;
  }
  bool Read(double& field) {
    if (!Is(protozero::pbf_wire_type::fixed64)) return false;
    field = reader_.get_double();
    return true;
  }
  bool Read(std::string_view& field) {
    if (!IsBytes()) return false;
    field = View(reader_.get_view());
    return true;
  }
  bool Read(Bytes& field) { return Read(field.value); }
  bool Read(std::vector<std::string_view>& field) {
    field.emplace_back();
    return Read(field.back());
  }
  template <class T>
  bool Read(Raw<T>& field) {
    return Read(field.bytes);
  }
  template <class T>
  bool Read(std::optional<Raw<T>>& field) {
    return Read(field.emplace().bytes);
  }
  template <class T>
  bool Read(std::optional<T>& field) {
    if (!field.has_value()) field.emplace();  // a message that comes twice is merged
    if constexpr (std::is_same_v<T, int64_t>) {
      return Read(*field);
    } else {
      if (!IsBytes()) return false;
      DecodeInto(*field, reader_.get_message(), depth_ + 1);
      return true;
    }
  }
  // Numbers stand packed, or one by one.
  template <class T>
  requires(std::is_arithmetic_v<T>) bool Read(std::vector<T>& field) {
    if (!IsBytes()) return ReadElement(reader_, field);
    protozero::data_view view = reader_.get_view();
    if constexpr (std::is_floating_point_v<T>) {
      if (view.size() % sizeof(T) != 0) throw protozero::invalid_length_exception();
      size_t old_size = field.size();
      field.resize(old_size + view.size() / sizeof(T));
      CopyLittleEndian(field.data() + old_size, view.data(), view.size(), sizeof(T));
    } else {
      const char* at = view.data();
      const char* const end = at + view.size();
      while (at != end) field.push_back(static_cast<T>(protozero::decode_varint(&at, end)));
    }
    return true;
  }
  template <class T>
  bool ReadElement(protozero::pbf_reader& reader, std::vector<T>& field) {
    if constexpr (std::is_floating_point_v<T>) {
      T value;
      if (!Read(value)) return false;
      field.push_back(value);
    } else {
      if (!IsVarint()) return false;
      field.push_back(static_cast<T>(reader.get_uint64()));
    }
    return true;
  }
  template <class T>
  requires(std::is_class_v<T>) bool Read(std::vector<T>& field) {
    if (!IsBytes()) return false;
    field.emplace_back();
    if constexpr (requires { field.back().bytes; }) {
      return Read(field.back());
    } else {
      DecodeInto(field.back(), reader_.get_message(), depth_ + 1);
      return true;
    }
  }

  protozero::pbf_reader& reader_;
  uint32_t tag_;
  int depth_;
  bool taken_ = false;
};

template <class Message>
void DecodeInto(Message& message, protozero::pbf_reader reader, int depth) {
  if (depth > kMaxNesting) throw TooDeep();
  for (const char* start = reader.data().data(); reader.next(); start = reader.data().data()) {
    FieldDecoder decoder(reader, depth);
    Fields(decoder, message);
    if (decoder.taken()) continue;
    reader.skip();  // newer than this list, or not for us
    if constexpr (requires { message.unread; }) message.unread.append(start, reader.data().data());
  }
}

// Throws protozero's exceptions, or TooDeep.
template <class Message>
Message Decode(std::string_view bytes) {
  Message message;
  DecodeInto(message, protozero::pbf_reader(bytes.data(), bytes.size()), 0);
  return message;
}

template <class Message>
std::string Encode(Message& message);

// Writes each field that is not its type's default, as proto3 does.
class FieldEncoder {
 public:
  explicit FieldEncoder(protozero::pbf_writer& writer) : writer_(writer) {}

  void operator()(uint32_t number, const char*, bool field) {
    if (field) writer_.add_bool(number, true);
  }
  void operator()(uint32_t number, const char*, int64_t field) {
    if (field != 0) writer_.add_int64(number, field);
  }
  void operator()(uint32_t number, const char*, float field) {
    if (field != 0) writer_.add_float(number, field);
  }
  void operator()(uint32_t number, const char*, double field) {
    if (field != 0) writer_.add_double(number, field);
  }
  void operator()(uint32_t number, const char*, std::string_view field) {
    if (!field.empty()) writer_.add_string(number, field.data(), field.size());
  }
  void operator()(uint32_t number, const char* name, const Bytes& field) { (*this)(number, name, field.value); }
  void operator()(uint32_t number, const char*, const std::vector<std::string_view>& field) {
    for (std::string_view text : field) writer_.add_string(number, text.data(), text.size());
  }
  void operator()(uint32_t number, const char*, const std::vector<bool>& field) {
    writer_.add_packed_bool(number, field.begin(), field.end());
  }
  void operator()(uint32_t number, const char*, const Int64s& field) {
    writer_.add_packed_int64(number, field.begin(), field.end());
  }
  void operator()(uint32_t number, const char*, const std::vector<int32_t>& field) {
    writer_.add_packed_int32(number, field.begin(), field.end());
  }
  void operator()(uint32_t number, const char*, const std::vector<uint32_t>& field) {
    writer_.add_packed_uint32(number, field.begin(), field.end());
  }
  void operator()(uint32_t number, const char*, const std::vector<uint64_t>& field) {
    writer_.add_packed_uint64(number, field.begin(), field.end());
  }
  void operator()(uint32_t number, const char*, const std::vector<float>& field) {
    writer_.add_packed_float(number, field.begin(), field.end());
  }
  void operator()(uint32_t number, const char*, const std::vector<double>& field) {
    writer_.add_packed_double(number, field.begin(), field.end());
  }
  void operator()(uint32_t number, const char*, std::optional<int64_t>& field) {
    if (field.has_value()) writer_.add_int64(number, *field);
  }
  template <class T>
  void operator()(uint32_t number, const char*, std::optional<Raw<T>>& field) {
    if (field.has_value()) writer_.add_message(number, field->bytes.data(), field->bytes.size());
  }
  template <class T>
  void operator()(uint32_t number, const char*, std::optional<T>& field) {
    if (field.has_value()) Message(number, *field);
  }
  template <class T>
  requires(std::is_class_v<T> && !std::is_same_v<T, std::string_view>) void operator()(uint32_t number, const char*,
                                                                                       std::vector<T>& field) {
    for (T& item : field) {
      if constexpr (requires { item.bytes; }) writer_.add_message(number, item.bytes.data(), item.bytes.size());
      else Message(number, item);
    }
  }
  void Map(uint32_t number, const char*, const StringPairs& map) {
    for (const auto& [key, value] : map) {
      protozero::pbf_writer entry(writer_, number);
      entry.add_string(1, key.data(), key.size());
      entry.add_string(2, value.data(), value.size());
    }
  }
  template <class Entry>
  void MessageMap(uint32_t number, const char* name, std::vector<Entry>& entries) {
    (*this)(number, name, entries);
  }

 private:
  // Encoded separately: a nested writer would omit a message of defaults, but its presence is significant (dimension
  // numbers of a dot without any, one all-zero entry of a list).
  template <class T>
  void Message(uint32_t number, T& message) {
    writer_.add_message(number, Encode(message));
  }
  protozero::pbf_writer& writer_;
};

template <class Message>
std::string Encode(Message& message) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  FieldEncoder encoder(writer);
  Fields(encoder, message);
  if constexpr (requires { message.unread; }) bytes += message.unread;
  return bytes;
}

}  // namespace hloir::proto
