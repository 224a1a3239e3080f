// Flags with a value: any, one of a few words (--math=exact), numbers within bounds.
#pragma once

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hloir::tool {

// "--seed N": a flag (or a place, "FILE"), and the name of its value in the help.
template <class T>
CLI::Option* AddOption(CLI::App& command, const std::string& usage, T& value, const std::string& description) {
  const size_t blank = std::min(usage.find(' '), usage.size());
  CLI::Option* option = command.add_option(usage.substr(0, blank), value, description);
  return option->type_name(usage.substr(std::min(blank + 1, usage.size())));
}

inline CLI::Validator OneOf(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    return fmt::format("expected one of {}, not '{}'", fmt::join(words, ", "), text);
  };
  return CLI::Validator(check, "");
}

template <class E>
CLI::Option* AddChoice(CLI::App& command, const std::string& usage, E& value, const std::map<std::string, E>& words,
                       const std::string& description) {
  std::vector<std::string> known;
  for (const auto& [word, ignored] : words) known.push_back(word);
  const size_t blank = usage.find(' ');
  const auto choose = [&value, words](const std::string& text) { value = words.at(text); };
  return command.add_option_function<std::string>(usage.substr(0, blank), choose, description)
      ->type_name(usage.substr(blank + 1))
      ->check(OneOf(known));
}

// CLI11's check reads too large numbers as the maximum.
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
