// Format("{} of {}", i, n): fmt's format strings. fmt itself stays in format.cc, so that includers pay nothing for it,
// and an installed hloir does not require fmt.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace hloir {

// One argument: a truth value, a character, a number or a text (which must live until the call is over).
class FormatArg {
 public:
  using Value = std::variant<bool, char, int64_t, uint64_t, double, std::string_view>;
  FormatArg(bool value) : value_(value) {}
  FormatArg(char value) : value_(value) {}
  template <class T>
  requires(std::is_arithmetic_v<T>) FormatArg(T value) {
    if constexpr (std::is_floating_point_v<T>) value_ = static_cast<double>(value);
    else if constexpr (std::is_signed_v<T>) value_ = static_cast<int64_t>(value);
    else value_ = static_cast<uint64_t>(value);
  }
  FormatArg(std::string_view value) : value_(value) {}
  FormatArg(const std::string& value) : value_(std::string_view(value)) {}
  FormatArg(const char* value) : value_(std::string_view(value)) {}
  const Value& value() const { return value_; }

 private:
  Value value_;
};

std::string FormatWith(std::string_view format, std::initializer_list<FormatArg> args);

template <class... Args>
std::string Format(std::string_view format, const Args&... args) {
  return FormatWith(format, {FormatArg(args)...});
}

}  // namespace hloir
