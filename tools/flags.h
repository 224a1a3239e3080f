// Flags with a value: any, one of a few words (--math=exact), numbers within bounds.
#pragma once

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace hloir::tool {

// "--seed N": a flag (or a place, "FILE"), and what its help calls the value.
struct Usage {
  explicit Usage(const std::string& usage)
      : name(usage, 0, usage.find(' ')), value(usage, std::min(name.size() + 1, usage.size())) {}
  std::string name, value;
};

template <class T>
CLI::Option* AddOption(CLI::App& command, const std::string& usage, T& value, const std::string& description) {
  return command.add_option(Usage(usage).name, value, description)->type_name(Usage(usage).value);
}

template <class E>
CLI::Option* AddChoice(CLI::App& command, const std::string& usage, E& value, const std::map<std::string, E>& words,
                       const std::string& description) {
  const std::string name = Usage(usage).name;
  const auto choose = [name, &value, words](const std::string& text) {
    if (auto found = words.find(text); found != words.end()) {
      value = found->second;
      return;
    }
    std::string known;
    for (const auto& [word, ignored] : words) known += (known.empty() ? "" : ", ") + word;
    throw CLI::ValidationError(name, "expected one of " + known + ", not '" + text + "'");
  };
  return command.add_option_function<std::string>(name, choose, description)->type_name(Usage(usage).value);
}

// CLI11's own check takes numbers that are too large for the largest there is.
template <class T>
CLI::Validator Between(T low, T high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    std::string_view digits = text;
    const bool is_hex = digits.starts_with("0x");
    if (is_hex) digits.remove_prefix(2);
    T value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
    if (error == std::errc() && end == digits.data() + digits.size() && low <= value && value <= high) return "";
    return fmt::format("expected an integer from {} to {}, not '{}'", low, high, text);
  };
  return CLI::Validator(check, "");
}
inline CLI::Validator AnySeed() { return Between<uint64_t>(0, std::numeric_limits<uint64_t>::max()); }

}  // namespace hloir::tool
