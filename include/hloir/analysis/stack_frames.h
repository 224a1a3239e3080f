// Stack-frame tables reduced to what the module's instructions use, in the order of first use and without duplicates,
// as XLA keeps them. The parser and `hloir opt` reduce them. Covered by tests/unit/printer_test.cc and
// text_order_test.cc.
//
// Threads: belongs to the thread that edits the module.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

// Copies the entries of stack frame tables that are used into new tables.
class StackFrameCompactor {
 public:
  StackFrameCompactor() = default;
  explicit StackFrameCompactor(StackFrameIndex tables);

  // The id in the compact tables of what has `frame_id` in the text's; what it stands on is added first. 0: no such
  // frame.
  int64_t Use(int64_t frame_id);
  StackFrameIndex TakeTables() { return std::move(used_); }

 private:
  // The names of one kind: the text's, those used, and where they are.
  struct Names {
    std::vector<int64_t> new_id;  // by old id - 1; 0: not used yet
    std::unordered_map<std::string, int64_t> known;
  };
  struct Hash {
    template <size_t n>
    size_t operator()(const std::array<int64_t, n>& key) const {
      uint64_t hash = 0;
      for (int64_t part : key) hash = (hash ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15u + (hash >> 32);
      return hash ^ hash >> 29;
    }
  };
  int64_t UseName(const std::vector<std::string>& all, int64_t id, Names& names, std::vector<std::string>& used);
  int64_t UseLocation(int64_t location_id);

  StackFrameIndex tables_, used_;
  Names files_, functions_;
  // By old id - 1; 0: not used yet. The tables find what stands in the text twice.
  std::vector<int64_t> new_location_, new_frame_;
  std::unordered_map<std::array<int64_t, 6>, int64_t, Hash> locations_;
  std::unordered_map<std::array<int64_t, 2>, int64_t, Hash> frames_;
  std::vector<int64_t> chain_;
};

// Reduces the module's tables to what the metadata of its instructions uses, in stored order. With `merged`, merged
// metadata counts as well; otherwise it is removed.
void CompactStackFrames(HloModule& module, bool merged);

}  // namespace hloir
#pragma GCC visibility pop
