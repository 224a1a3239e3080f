// The standard streams as a person sees them; see terminal.h.
#include "tools/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace hloir::tool {

bool IsTerminal(FILE* stream) { return isatty(fileno(stream)) != 0; }

bool UseColor(FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return IsTerminal(stream);
}

int TerminalWidth(FILE* stream) {
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (char c : text) width += (c & 0xC0) != 0x80;
  return width;
}

std::string Paint(std::string_view text, Color color, bool use_color) {
  if (!use_color) return std::string(text);
  const char* code = "";
  switch (color) {
    case Color::kGreen: code = "\033[32m"; break;
    case Color::kRed: code = "\033[1;31m"; break;
    case Color::kYellow: code = "\033[33m"; break;
    case Color::kDim: code = "\033[2m"; break;
  }
  return code + std::string(text) + "\033[0m";
}

}  // namespace hloir::tool
