// A progress bar on stderr, shown only where that is a terminal; it disappears when the work is done.
#pragma once

#include <cstddef>
#include <string_view>

#include "support/stopwatch.h"

namespace hloir::tool {

class Progress {
 public:
  explicit Progress(size_t total);
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // `done` of the total are finished; `what` is the current item.
  void Show(size_t done, std::string_view what);
  // Removes the bar, so that a message can be printed.
  void Clear();

 private:
  size_t total_;
  bool on_, shown_ = false;
  Stopwatch watch_;
};

}  // namespace hloir::tool
