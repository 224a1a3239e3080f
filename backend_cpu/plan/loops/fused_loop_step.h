// The compiled form of a fused loop, and its interpreter: a nest of counted loops around a list of tile ops.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/run/step.h"
#include "plan/graph/view.h"

namespace hloir::cpu {

// The location of a tile op's operand or result.
struct TilePlace {
  enum Kind : uint8_t { kNone, kRegister, kSource };
  Kind kind = kNone;
  int32_t index = 0;  // of the register (its offset after allocation) or source

  friend bool operator==(const TilePlace& a, const TilePlace& b) = default;
};

// A pointer with a stride for each loop, in bytes; without a ref, a number for kernels.
struct LoopSource {
  int32_t ref = -1;
  int64_t offset = 0;
  DimVector strides;  // for each loop of the nest
};

struct LoopOp {
  TileOp op;
  TilePlace in[3], out;
};

struct LoopSink {
  TileKernel combine = nullptr;      // acc = acc op x, on tiles
  TileKernel combine_one = nullptr;  // out = init op acc, init a scalar
  int64_t element_bytes = 4;
  int32_t accumulator = 0;        // register offset
  int64_t accumulator_count = 1;  // elements per chunk, folded
  int64_t accumulator_room = 1;   // elements, unfolded
  int32_t init = 0, out = 0;      // sources; `out` moves with the kept loops only
};

inline bool SamePlaces(const LoopSource& a, const LoopSource& b) {
  return a.offset == b.offset && a.strides == b.strides;
}

// A nest has unit loops (independent, in any order), and within each the loops along which sinks reduce.
struct LoopNest {
  DimVector sizes;  // all loops, outermost first; one of them runs over tiles
  std::vector<bool> reduced;
  int tile_loop = 0;
  int64_t tile = 1, extent = 1;  // elements a tile; elements along the tile loop
};

class FusedLoop : public Step {
 public:
  bool Run(Runtime& runtime) override;
  void Bound(Runtime& runtime) override;
  bool AppendScalarOps(std::vector<TileOp>& ops) const override;
  bool MayShare(int read, int written) const override;
  std::string Name() const override { return name_; }
  double Flops() const override { return flops_; }
  int64_t partial_bytes() const { return chunks_ > 1 ? units_ * chunks_ * partial_bytes_ : 0; }

 private:
  friend class LoopBuilder;
  friend class StoredLoops;
  template <class Bytes>
  friend class LoopFields;
  struct Move {
    int32_t op, slot, source;  // slot 3: out
  };
  void RunPart(Runtime& runtime, int64_t part, int64_t parts, int thread);
  void FinishUnits();
  void Finish(const LoopSink& sink, const std::byte* accumulator, std::byte* out, int64_t n) const;
  void Prepare(int64_t cost, double nanoseconds);

  std::string name_;
  double flops_ = 0;
  LoopNest nest_;
  std::vector<LoopSource> sources_;
  // Ops run once per part; for each tile; at a unit's first tile; at each later tile.
  std::vector<LoopOp> prologue_, body_, first_, next_;
  bool all_steps_ = false;  // one call of first_ for all steps of a unit, whose number is its op's `extra`
  std::vector<LoopSink> sinks_;
  std::vector<std::unique_ptr<View>> views_;  // that loads into registers follow
  // For MayShare: the last op of the body that reads a ref, and the first that writes one, with a source of it. A chain
  // runs as links, and its rest as ops: each has an order.
  struct Access {
    int32_t op = -1, link = -1, source = -1;
  };
  static constexpr int32_t kNeverShared = INT32_MAX;  // as an op: read outside of the body, or in several orders
  std::vector<Access> reads_, writes_;
  int64_t register_bytes_ = 0;
  bool streams_ = false;  // past the caches

  // Given to Prepare().
  int64_t cost_ = 0;
  double nanoseconds_ = 0;  // an estimate: see thread_pool.h

  // Derived by Prepare().
  std::vector<int> unit_loops_, reduced_loops_;  // of loops with more than one iteration
  std::vector<int64_t> strides_;                 // [loop][source]
  std::vector<Move> moves_, fixed_;              // of pointers that change from tile to tile; of the others
  size_t moves_of_links_ = 0;  // how many of the former there are without those of chains' ops, which come last
  int64_t units_ = 1, reduced_steps_ = 1, chunks_ = 1, parts_ = 1;
  bool single_ = false;          // a single tile: addresses of ops are fixed
  std::vector<TileOp> all_ops_;  // prologue, body, first, next
  int64_t partial_bytes_ = 0;
  std::vector<int64_t> partial_offsets_;  // of each sink within a unit's
};

}  // namespace hloir::cpu
