// Stack-frame tables reduced to the entries that the module's instructions use, in the order of first use and without
// duplicates, as XLA keeps them. The parser and `hloir opt` reduce them. Covered by tests/unit/printer_test.cc and
// text_order_test.cc.
//
// Threads: belongs to the thread that edits the module.
#pragma once

#include <string>
#include <vector>

#include "hloir/module.h"

namespace hloir {

// Copies the entries of stack frame tables that are used into new tables.
class StackFrameCompactor {
 public:
  StackFrameCompactor() = default;
  explicit StackFrameCompactor(StackFrameIndex tables);

  // Maps `frame_id` of the text to its id in the compact tables, adding its parents first. 0: no such frame.
  int64_t Use(int64_t frame_id);
  StackFrameIndex TakeTables() { return std::move(used_); }

 private:
  // The entries of one kind. Used ones are found by their contents, because the text may repeat some.
  struct Entries {
    std::vector<int64_t> new_id;  // by old id - 1; 0: not used yet
    // A place of the hash table.
    struct Slot {
      uint64_t hash = 0;
      int64_t id = 0;  // 0: free
    };
    std::vector<Slot> slots;  // open addressing, at most half of them taken
  };
  static void Begin(Entries& entries, size_t count);
  template <class T>
  static int64_t IdOf(Entries& entries, uint64_t hash, std::vector<T>& used, T entry);
  int64_t UseName(std::vector<std::string>& all, int64_t id, Entries& names, std::vector<std::string>& used);
  int64_t UseLocation(int64_t location_id);

  StackFrameIndex tables_, used_;
  Entries files_, functions_, locations_, frames_;
  std::vector<int64_t> chain_;
};

// Reduces the module's tables to the entries that the metadata of its instructions uses, in stored order. With
// `merged`, merged metadata counts as well; otherwise it is removed.
void CompactStackFrames(HloModule& module, bool merged);

}  // namespace hloir
