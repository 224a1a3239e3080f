// Messages in protobuf's text form, by the Fields() that also write their bytes (proto/codec.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/format.h"

namespace hloir::proto {

class TextEncoder {
 public:
  TextEncoder(std::string& text, size_t indent) : text_(text), indent_(indent) {}

  void operator()(uint32_t, const char* name, int64_t field) {
    if (field != 0) Line(name, Format("{}", field));
  }
  void operator()(uint32_t, const char* name, double field) {
    if (field != 0) Line(name, Format("{}", field));
  }
  void operator()(uint32_t, const char* name, std::string_view field) {
    if (!field.empty()) Line(name, Quoted(field));
  }
  void operator()(uint32_t, const char* name, std::vector<int64_t>& field) {
    for (int64_t item : field) Line(name, Format("{}", item));
  }
  template <class T>
  requires(std::is_class_v<T>) void operator()(uint32_t, const char* name, std::vector<T>& field) {
    for (T& item : field) Message(name, item);
  }
  template <class T>
  void operator()(uint32_t, const char* name, std::optional<T>& field) {
    if (field) Message(name, *field);
  }

 private:
  void Line(const char* name, std::string_view value) {
    text_.append(indent_, ' ').append(name).append(": ").append(value).append("\n");
  }
  template <class T>
  void Message(const char* name, T& message) {
    text_.append(indent_, ' ').append(name).append(" {\n");
    TextEncoder inner(text_, indent_ + 2);
    Fields(inner, message);
    text_.append(indent_, ' ').append("}\n");
  }
  static std::string Quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') quoted += '\\';
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f)
        quoted += Format("\\{:03o}", static_cast<int64_t>(static_cast<unsigned char>(c)));
      else quoted += c;
    }
    return quoted + "\"";
  }
  std::string& text_;
  size_t indent_;
};

template <class Message>
std::string EncodeText(Message& message) {
  std::string text;
  TextEncoder encoder(text, 0);
  Fields(encoder, message);
  return text;
}

}  // namespace hloir::proto
