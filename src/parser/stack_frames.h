// StackFrameCompactor: of the stack frame tables that a text brings, those that instructions use, in the order of first
// use and without doubles, as XLA keeps them. The reader's; covered by tests/unit/printer_test.cc.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "hloir/module.h"

namespace hloir {

class StackFrameCompactor {
 public:
  StackFrameCompactor() = default;
  explicit StackFrameCompactor(StackFrameIndex tables);

  // The id in the compact tables of what has `frame_id` in the text's; what it stands on is added first. 0: no such frame.
  int64_t Use(int64_t frame_id);
  StackFrameIndex TakeTables() { return std::move(used_); }

 private:
  int64_t UseLocation(int64_t location_id);

  StackFrameIndex tables_, used_;
  std::vector<int64_t> new_frame_;  // by old id - 1; 0: not used yet
  std::map<std::string, int64_t> files_, functions_;
  std::map<std::array<int64_t, 6>, int64_t> locations_;
  std::map<std::array<int64_t, 2>, int64_t> frames_;
};

}  // namespace hloir
