// Output to the standard streams; see terminal.h.
#include "tools/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "support/plain_text.h"

namespace hloir::tool {
namespace {

int stdout_errno = 0;    // of its first failure
std::string stdout_cut;  // on a terminal: the first bytes of an incomplete character

// The number of bytes of an incomplete character at the end of the text.
size_t CutBytes(std::string_view text) {
  for (size_t n = 1; n <= std::min<size_t>(text.size(), 3); ++n) {
    const unsigned char byte = static_cast<unsigned char>(text[text.size() - n]);
    if (byte < 0x80) return 0;
    if (byte >= 0xC0) return n < (byte >= 0xF0 ? 4u : byte >= 0xE0 ? 3u : 2u) ? n : 0;
  }
  return 0;
}

// Text for a terminal: keeps the control sequences for colors of a verdict and escapes all others, which can only come
// from a file.
std::string ForTerminal(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t escape = std::min(text.find('\033'), text.size());
    result += WithoutControls(text.substr(0, escape));
    text.remove_prefix(escape);
    if (text.empty()) break;
    size_t known = 0;
    for (const std::string& code :
         {ColorCode(Color::kGreen), ColorCode(Color::kRed), ColorCode(Color::kYellow), std::string(kNoColor)}) {
      if (text.starts_with(code)) known = code.size();
    }
    result += known > 0 ? std::string(text.substr(0, known)) : WithoutControls(text.substr(0, 1));
    text.remove_prefix(std::max<size_t>(known, 1));
  }
  return result;
}

// The first of LC_ALL, LC_CTYPE and LANG that is set, as in the C library.
bool IsUtf8Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale = value;
    for (char& c : locale) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

void Write(FILE* stream, std::string_view text) {
  static const bool is_terminal = IsTerminal(stdout);
  std::string shown;
  if (stream == stdout && is_terminal) {
    stdout_cut += text;
    const size_t cut = CutBytes(stdout_cut);
    shown = ForTerminal(std::string_view(stdout_cut).substr(0, stdout_cut.size() - cut));
    stdout_cut.erase(0, stdout_cut.size() - cut);
    text = shown;
  }
  if (std::fwrite(text.data(), 1, text.size(), stream) != text.size() && stream == stdout && stdout_errno == 0)
    stdout_errno = errno;
}

Status FlushStdout() {
  if (const std::string cut = std::exchange(stdout_cut, {}); !cut.empty()) Write(stdout, WithoutControls(cut));
  if (std::fflush(stdout) != 0 && stdout_errno == 0) stdout_errno = errno;
  if (stdout_errno == 0) return OkStatus();
  return InvalidArgument(fmt::format("cannot write <stdout>: {}", std::strerror(stdout_errno)));
}

void OpenStandardStreams() {
  for (int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free descriptor is the stream's own; it is opened in the wrong direction, so that its use fails.
    if (fcntl(stream, F_GETFD) == -1) (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

bool IsTerminal(FILE* stream) { return isatty(fileno(stream)) != 0; }

bool UseColor(FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  if (no_color != nullptr && *no_color != '\0') return false;
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return IsTerminal(stream);
}

int TerminalWidth(FILE* stream) {
  constexpr int kLeast = 20, kMost = 100000;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    if (const int width = std::atoi(columns); width > 0) return std::clamp(width, kLeast, kMost);
  }
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<int>(size.ws_col, kLeast);
  return 80;
}

std::string ForLocale(std::string text) {
  static const bool is_utf8 = IsUtf8Locale();
  if (is_utf8) return text;
  constexpr std::pair<std::string_view, std::string_view> kAscii[] = {{"─", "-"},   {"—", "-"}, {"→", ">"}, {"µ", "u"},
                                                                      {"…", "..."}, {"█", "#"}, {"░", "."}};
  for (const auto& [sign, ascii] : kAscii) {
    for (size_t at = 0; (at = text.find(sign, at)) != std::string::npos; at += ascii.size())
      text.replace(at, sign.size(), ascii);
  }
  return text;
}

std::string Folded(std::string text, size_t indent) {
  return Fold(ForLocale(std::move(text)), static_cast<size_t>(TerminalWidth(stdout)), indent);
}

std::string ColorCode(Color color) {
  switch (color) {
    case Color::kGreen: return "\033[32m";
    case Color::kRed: return "\033[1;31m";
    case Color::kYellow: return "\033[33m";
  }
  return "";
}

std::string Paint(std::string_view text, Color color, bool use_color) {
  return use_color ? ColorCode(color) + std::string(text) + std::string(kNoColor) : std::string(text);
}

}  // namespace hloir::tool
