// PrintAttributes (hloir/printer.h): the attributes of an instruction as a list. They are split from the printed line,
// so that the format of attributes is implemented once.
#include "hloir/printer.h"

#include <algorithm>
#include <string_view>

namespace hloir {
namespace {

// The end of the value at the start of `text`: a comma outside all brackets and strings, or the end.
size_t EndOfValue(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
        break;
      case '(':
      case '[':
      case '{': ++depth; break;
      case ')':
      case ']':
      case '}': --depth; break;
      case ',':
        if (depth == 0) return i;
        break;
      default: break;
    }
  }
  return text.size();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> PrintAttributes(const HloInstruction& instruction) {
  PrintOptions options = PrintOptions::Readable();
  options.print_result_shape = false;
  options.print_operand_shape = false;
  options.print_percent = false;
  // Skips the operands (names, or a constant's value) up to the closing parenthesis.
  const std::string line = PrintInstruction(instruction, options);
  size_t at = line.find(" = ");
  at = line.find('(', at == std::string::npos ? 0 : at + 3);
  std::vector<std::pair<std::string, std::string>> attributes;
  if (at == std::string::npos) return attributes;
  at += EndOfValue(std::string_view(line).substr(at));
  std::string_view rest = std::string_view(line).substr(std::min(at + 2, line.size()));
  while (!rest.empty()) {
    const size_t end = EndOfValue(rest);
    const std::string_view attribute = rest.substr(0, end);
    const size_t equals = std::min(attribute.find('='), attribute.size());
    attributes.emplace_back(attribute.substr(0, equals), attribute.substr(std::min(equals + 1, attribute.size())));
    rest.remove_prefix(std::min(end + 2, rest.size()));  // ", "
  }
  return attributes;
}

}  // namespace hloir
