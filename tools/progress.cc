// See progress.h.
#include "tools/progress.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "tools/terminal.h"

namespace hloir::tool {

Progress::Progress(size_t total) : total_(total), on_(total > 1 && IsTerminal(stderr)) {}

void Progress::Show(size_t done, std::string_view what) {
  if (!on_) return;
  constexpr size_t kCells = 24;
  const size_t filled = total_ == 0 ? kCells : kCells * done / total_;
  std::string bar;
  for (size_t i = 0; i < kCells; ++i) bar += i < filled ? "█" : "░";
  bar = ForLocale(std::move(bar));
  std::string line =
      fmt::format("{} {}/{} {:.0f} s  {}", bar, done, total_, watch_.Milliseconds() / 1000, Printable(what));
  const size_t width = static_cast<size_t>(std::max(TerminalWidth(stderr) - 1, 10));
  while (DisplayWidth(line) > width) {
    while (!line.empty() && (line.back() & 0xC0) == 0x80) line.pop_back();
    line.pop_back();
  }
  PrintError("\r\033[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::Clear() {
  if (!shown_) return;
  PrintError("\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace hloir::tool
