// StoredLoops: the fused loops of a plan as bytes. Building them takes most of preparing; a later plan of the same
// module by the same build reads them instead. Loops are stored in the order of planning, each with a hash of its
// request, which must be equal when it is read. Used through PlanContext::stored; the file is plan/stored_plan.h's.
// Tests: tests/unit/plan_cache_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/loops/fused_loop.h"

namespace hloir::cpu {

class StoredLoops {
 public:
  // Builds every loop and records it.
  explicit StoredLoops(const KernelTable& kernels);
  // Reads the loops that another one recorded.
  StoredLoops(const KernelTable& kernels, std::string bytes);

  // The loop of BuildFusedLoop(request).
  std::unique_ptr<Step> Build(const LoopRequest& request);
  // Recording: every loop has a form in bytes. Reading: all requests so far were those of the recording.
  bool ok() const { return ok_; }
  // Reading: and no loop is left.
  bool is_done() const { return ok_ && at_ == bytes_.size(); }
  const std::string& bytes() const { return bytes_; }

  // A hash of where the code of the kernels lies: that of another build differs, as that of another instruction set.
  static uint64_t BuildMark(const KernelTable& kernels);

 private:
  // A value whose buffer a loop reads or writes.
  struct Access {
    ValueId id;
    bool written;
  };
  void Record(const LoopRequest& request, std::unique_ptr<Step>& made, const std::vector<Access>& accesses,
              const std::vector<Ref>& refs);
  std::unique_ptr<Step> Read(const LoopRequest& request);

  const bool reads_;
  bool ok_ = true;
  std::string bytes_;
  size_t at_ = 0;
  std::vector<TileKernel> kernels_;                    // by number; 0: none
  std::unordered_map<const void*, uint32_t> numbers_;  // the inverse, for recording
};

}  // namespace hloir::cpu
