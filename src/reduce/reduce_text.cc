// ReduceText(): see reduce.h.
#include <algorithm>
#include <cctype>
#include <vector>

#include "reduce/reduce.h"

namespace hloir {
namespace {

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// Tokens are names and numbers, everything else by the character; blanks belong to the token before them.
std::vector<std::string> Words(std::string_view text) {
  const auto of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' || c == '%';
  };
  std::vector<std::string> words;
  while (!text.empty()) {
    size_t end = 1;
    while (of_name(text[0]) && end < text.size() && of_name(text[end])) ++end;
    while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])) != 0) ++end;
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

}  // namespace

std::string ReduceText(std::string_view text, const std::function<bool(const std::string&)>& property,
                       int64_t max_attempts) {
  std::string best(text);
  int64_t attempts = 0;
  for (const auto split : {Lines, Words}) {
    for (bool smaller = true; smaller && attempts < max_attempts;) {
      smaller = false;
      std::vector<std::string> parts = split(best);
      for (size_t length = (parts.size() + 1) / 2; length > 0; length = length == 1 ? 0 : (length + 1) / 2) {
        for (size_t start = 0; start < parts.size() && attempts < max_attempts;) {
          std::vector<std::string> fewer = parts;
          fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(start),
                      fewer.begin() + static_cast<std::ptrdiff_t>(std::min(start + length, parts.size())));
          ++attempts;
          if (property(Joined(fewer))) parts = std::move(fewer), smaller = true;
          else start += length;
        }
      }
      best = Joined(parts);
    }
  }
  return best;
}

}  // namespace hloir
