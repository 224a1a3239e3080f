// Runs a compiled fused loop: see fused_loop_step.h.
#include "plan/loops/fused_loop_step.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "plan/loops/loop_chains.h"
#include "plan/steps/one_element.h"

namespace hloir::cpu {
namespace {

// An address may be a number (relative to null), or belong to an argument that is not bound yet, so pointer arithmetic
// has no array.
const std::byte* Moved(const std::byte* from, int64_t bytes) {
  return reinterpret_cast<const std::byte*>(reinterpret_cast<uintptr_t>(from) + static_cast<uintptr_t>(bytes));
}

void Call(const TileOp& op, int64_t n) { op.kernel(op, op.divisor == 1 ? n : op.divisor == 0 ? 1 : n / op.divisor); }
void CallAll(const TileOp* op, const TileOp* end, int64_t n) {
  while (op != end) {
    if (op->kernel == nullptr) op = RunChain(op, n);
    else Call(*op++, n);
  }
}

}  // namespace

bool FusedLoop::MayShare(int read, int written) const {
  if (read >= static_cast<int>(reads_.size()) || written < first_written()) return false;
  const size_t result = static_cast<size_t>(written - first_written());
  if (result >= writes_.size()) return false;  // of the threads' partial results
  const Access &last = reads_[static_cast<size_t>(read)], &write = writes_[result];
  return last.op >= 0 && last.op <= write.op && last.link <= write.link &&
         SamePlaces(sources_[static_cast<size_t>(last.source)], sources_[static_cast<size_t>(write.source)]);
}

// `cost` estimates the work of all tiles, the same on every machine: it determines the number of parts, and so the
// order of sums.
void FusedLoop::Prepare(int64_t cost, double nanoseconds) {
  cost_ = cost;
  nanoseconds_ = nanoseconds;
  const int loops = static_cast<int>(nest_.sizes.size());
  for (int d = 0; d < loops; ++d) (nest_.reduced[d] ? reduced_steps_ : units_) *= nest_.sizes[d];
  const auto lists = {&prologue_, &body_, &first_, &next_};
  all_ops_.reserve(prologue_.size() + body_.size() + first_.size() + next_.size());
  for (const auto* list : lists)
    for (const LoopOp& op : *list) all_ops_.push_back(op.op);
  single_ = units_ * reduced_steps_ == 1;
  for (const LoopSink& sink : sinks_) single_ = single_ && sink.accumulator_room == sink.accumulator_count;
  if (single_) return;  // nothing moves
  for (int d = 0; d < loops; ++d)
    if (nest_.sizes[d] > 1) (nest_.reduced[d] ? reduced_loops_ : unit_loops_).push_back(d);
  strides_.resize(loops * sources_.size());
  for (int d = 0; d < loops; ++d) {
    for (size_t s = 0; s < sources_.size(); ++s) strides_[d * sources_.size() + s] = sources_[s].strides[d];
  }
  const int64_t wanted = std::clamp<int64_t>(cost / 20000, 1, 64);
  if (!sinks_.empty() && units_ < 8 && wanted > 1) chunks_ = std::min({wanted, reduced_steps_, int64_t{16}});
  parts_ = std::min(wanted, units_ * chunks_);
  for (const LoopSink& sink : sinks_) {
    partial_offsets_.push_back(partial_bytes_);
    partial_bytes_ += (sink.accumulator_count * sink.element_bytes + 63) / 64 * 64;
  }
  int32_t index = 0;
  for (const auto* list : lists) {
    for (const LoopOp& op : *list) {
      for (int k = 0; k < 4; ++k) {
        const TilePlace& place = k < 3 ? op.in[k] : op.out;
        if (place.kind != TilePlace::kSource) continue;
        const DimVector& strides = sources_[place.index].strides;
        const bool stays = std::all_of(strides.begin(), strides.end(), [](int64_t stride) { return stride == 0; });
        (stays ? fixed_ : moves_).push_back({index, k, place.index});
      }
      ++index;
    }
  }
  std::vector<bool> of_chains(all_ops_.size());
  for (size_t i = prologue_.size(), end = i + body_.size(); i < end; ++i) {
    const TileOp& head = all_ops_[i];
    if (head.kernel != nullptr) continue;
    std::fill_n(of_chains.begin() + static_cast<std::ptrdiff_t>(i) + 1, head.extra, true);
    i += static_cast<size_t>(head.extra + head.divisor);
  }
  const auto rest = std::stable_partition(moves_.begin(), moves_.end(),
                                          [&](const Move& move) { return !of_chains[static_cast<size_t>(move.op)]; });
  moves_of_links_ = static_cast<size_t>(rest - moves_.begin());
}

void FusedLoop::Bound(Runtime& runtime) {
  if (!single_) return;
  // All addresses are fixed: registers are in the first thread's scratch, and each op has its own count.
  std::byte* scratch = runtime.scratch[0];
  size_t index = 0;
  for (const auto* list : {&prologue_, &body_, &first_, &next_}) {
    for (const LoopOp& op : *list) {
      TileOp& bound = all_ops_[index++];
      if (nest_.extent == 1) bound.kernel = OneElementKernel(*runtime.kernels, op.op.kernel);
      for (int k = 0; k < 4; ++k) {
        const TilePlace& place = k < 3 ? op.in[k] : op.out;
        const std::byte* pointer = nullptr;
        if (place.kind == TilePlace::kRegister) pointer = scratch + place.index;
        if (place.kind == TilePlace::kSource) {
          const LoopSource& source = sources_[place.index];
          pointer = Moved(source.ref < 0 ? nullptr : ref(source.ref).pointer, source.offset);
        }
        if (k < 3) bound.in[k] = pointer;
        else bound.out = const_cast<std::byte*>(pointer);
      }
    }
  }
}

bool FusedLoop::AppendScalarOps(std::vector<TileOp>& ops) const {
  if (!single_ || nest_.extent != 1 || !sinks_.empty()) return false;
  ops.insert(ops.end(), all_ops_.begin(), all_ops_.end() - static_cast<std::ptrdiff_t>(next_.size()));
  return true;
}

bool FusedLoop::Run(Runtime& runtime) {
  if (single_) {
    const int64_t n = nest_.extent;
    CallAll(all_ops_.data(), all_ops_.data() + all_ops_.size() - next_.size(), n);
    for (const LoopSink& sink : sinks_) {
      const LoopSource& out = sources_[sink.out];
      Finish(sink, runtime.scratch[0] + sink.accumulator, ref(out.ref).pointer + out.offset, n);
    }
    return true;
  }
  const int64_t parts = runtime.pool->ThreadsFor(parts_, nanoseconds_) == 1 ? 1 : parts_;
  if (parts == 1) {
    RunPart(runtime, 0, 1, 0);
  } else {
    auto part = [&](int64_t i, int thread) { RunPart(runtime, i, parts, thread); };
    runtime.pool->For(parts, nanoseconds_, part);
  }
  if (chunks_ > 1) FinishUnits();
  return true;
}

// Folds an accumulator that holds several rows, joins it with the start value, and stores the result.
void FusedLoop::Finish(const LoopSink& sink, const std::byte* accumulator, std::byte* out, int64_t n) const {
  const LoopSource& init = sources_[sink.init];
  TileOp op;
  op.in[0] = refs()[init.ref].pointer + init.offset;
  op.in[1] = accumulator;
  op.out = out;
  sink.combine_one(op, std::min(sink.accumulator_count, n));
}

void FusedLoop::RunPart(Runtime& runtime, int64_t part, int64_t parts, int thread) {
  std::byte* registers = runtime.scratch[thread];
  TileOp* ops = reinterpret_cast<TileOp*>(registers + register_bytes_);
  const size_t source_count = sources_.size();
  const std::byte** at = reinterpret_cast<const std::byte**>(ops + all_ops_.size());
  int64_t* index = reinterpret_cast<int64_t*>(at + source_count);
  const int loops = static_cast<int>(nest_.sizes.size());
  const int64_t* sizes = nest_.sizes.data();

  // This thread's copy of the ops, with its registers.
  size_t count = 0;
  for (const auto* list : {&prologue_, &body_, &first_, &next_}) {
    for (const LoopOp& op : *list) {
      TileOp& bound = ops[count++] = op.op;
      for (int k = 0; k < 3; ++k)
        if (op.in[k].kind == TilePlace::kRegister) bound.in[k] = registers + op.in[k].index;
      if (op.out.kind == TilePlace::kRegister) bound.out = registers + op.out.index;
    }
  }
  TileOp* body = ops + prologue_.size();
  TileOp* first = body + body_.size();
  TileOp* next = first + first_.size();
  TileOp* end = next + next_.size();

  auto seek = [&] {
    for (size_t s = 0; s < source_count; ++s) {
      const LoopSource& source = sources_[s];
      int64_t offset = source.offset;
      for (int d = 0; d < loops; ++d) offset += index[d] * source.strides[d];
      at[s] = Moved(source.ref < 0 ? nullptr : ref(source.ref).pointer, offset);
    }
  };
  // By one iteration of the first `count` of these loops.
  auto advance = [&](const std::vector<int>& which, size_t count) {
    for (size_t i = count; i-- > 0;) {
      const int d = which[i];
      const int64_t* strides = strides_.data() + d * source_count;
      if (++index[d] < sizes[d]) {
        for (size_t s = 0; s < source_count; ++s) at[s] = Moved(at[s], strides[s]);
        return;
      }
      index[d] = 0;
      for (size_t s = 0; s < source_count; ++s) at[s] = Moved(at[s], -strides[s] * (sizes[d] - 1));
    }
  };
  auto place = [&](std::span<const Move> moves) {
    for (const Move& move : moves) {
      if (move.slot < 3) ops[move.op].in[move.slot] = at[move.source];
      else ops[move.op].out = const_cast<std::byte*>(at[move.source]);
    }
  };
  auto decode = [&](int64_t linear, const std::vector<int>& which) {
    for (size_t i = which.size(); i-- > 0;) index[which[i]] = linear % sizes[which[i]], linear /= sizes[which[i]];
  };

  const int64_t tasks = units_ * chunks_;
  const int64_t begin = tasks * part / parts, stop = tasks * (part + 1) / parts;
  const int64_t last_tile = sizes[nest_.tile_loop] - 1, last_n = nest_.extent - last_tile * nest_.tile;
  for (int d = 0; d < loops; ++d) index[d] = 0;
  decode(begin / chunks_, unit_loops_);
  seek();
  place(fixed_);
  place(moves_);
  size_t moved = moves_of_links_;
  for (TileOp* op = body; op != first; ++op) {
    if (op->kernel != nullptr) continue;
    NoteDistinct(op);
    if (!RunsLinksAlone(op, nest_.tile) || !RunsLinksAlone(op, last_n)) moved = moves_.size();
    op += op->extra + op->divisor;
  }
  const std::span<const Move> moves(moves_.data(), moved);
  CallAll(ops, body, nest_.tile);
  if (reduced_loops_.empty() && sinks_.empty()) {
    // Nothing is reduced: along the innermost loop, the ops' pointers move by themselves, and `at` stays at its start.
    const int inner = unit_loops_.back();
    const int64_t* strides = strides_.data() + inner * source_count;
    for (size_t s = 0; s < source_count; ++s) at[s] = Moved(at[s], -strides[s] * index[inner]);
    for (int64_t task = begin; task < stop; ++task) {
      CallAll(body, first, index[nest_.tile_loop] == last_tile ? last_n : nest_.tile);
      if (++index[inner] < sizes[inner]) {
        for (const Move& move : moves) {
          TileOp& op = ops[move.op];
          if (move.slot < 3)
            op.in[move.slot] = Moved(static_cast<const std::byte*>(op.in[move.slot]), strides[move.source]);
          else op.out = static_cast<std::byte*>(op.out) + strides[move.source];
        }
      } else {
        index[inner] = 0;
        advance(unit_loops_, unit_loops_.size() - 1);
        place(moves);
      }
    }
    if (streams_) runtime.kernels->end_stream();
    return;
  }
  for (int64_t task = begin; task < stop; ++task) {
    int64_t from = 0, to = reduced_steps_;
    if (chunks_ > 1) {
      const int64_t chunk = task % chunks_;
      from = reduced_steps_ * chunk / chunks_, to = reduced_steps_ * (chunk + 1) / chunks_;
      decode(task / chunks_, unit_loops_);
      decode(from, reduced_loops_);
      seek();
    }
    int64_t first_n = 0;
    if (all_steps_) {
      first_n = index[nest_.tile_loop] == last_tile ? last_n : nest_.tile;
      place(moves);
      first->extra = to - from;
      CallAll(first, next, first_n);
      from = to;
    }
    for (int64_t step = from; step < to; ++step) {
      const int64_t n = index[nest_.tile_loop] == last_tile ? last_n : nest_.tile;
      if (step == from) first_n = n;
      place(moves);
      CallAll(body, first, n);
      if (step == from) CallAll(first, next, n);
      else CallAll(next, end, n);
      if (!reduced_loops_.empty()) advance(reduced_loops_, reduced_loops_.size());
    }
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const LoopSink& sink = sinks_[k];
      std::byte* accumulator = registers + sink.accumulator;
      int64_t left = first_n;
      if (sink.accumulator_room > sink.accumulator_count) {  // several adjacent rows: fold them
        for (int64_t row = sink.accumulator_count; row < first_n; row += sink.accumulator_count) {
          TileOp op;
          op.in[0] = accumulator;
          op.in[1] = accumulator + row * sink.element_bytes;
          op.out = accumulator;
          sink.combine(op, sink.accumulator_count);
        }
      }
      if (chunks_ == 1) {
        Finish(sink, accumulator, const_cast<std::byte*>(at[sink.out]), left);
      } else {
        std::byte* partial = refs().back().pointer + task * partial_bytes_ + partial_offsets_[k];
        std::memcpy(partial, accumulator, std::min(sink.accumulator_count, left) * sink.element_bytes);
      }
    }
    if (chunks_ == 1) advance(unit_loops_, unit_loops_.size());
  }
  if (streams_) runtime.kernels->end_stream();
}

// Joins the chunks' accumulators of each unit, in order.
void FusedLoop::FinishUnits() {
  for (int64_t unit = 0; unit < units_; ++unit) {
    int64_t linear = unit, n = nest_.reduced[nest_.tile_loop] ? INT64_MAX : std::min(nest_.tile, nest_.extent);
    DimVector index(nest_.sizes.size(), 0);
    for (size_t i = unit_loops_.size(); i-- > 0;) {
      const int d = unit_loops_[i];
      index[d] = linear % nest_.sizes[d], linear /= nest_.sizes[d];
      if (d == nest_.tile_loop && index[d] == nest_.sizes[d] - 1) n = nest_.extent - index[d] * nest_.tile;
    }
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const LoopSink& sink = sinks_[k];
      std::byte* accumulator = refs().back().pointer + unit * chunks_ * partial_bytes_ + partial_offsets_[k];
      for (int64_t chunk = 1; chunk < chunks_; ++chunk) {
        TileOp op;
        op.in[0] = accumulator;
        op.in[1] = accumulator + chunk * partial_bytes_;
        op.out = accumulator;
        sink.combine(op, std::min(sink.accumulator_count, n));
      }
      const LoopSource& out = sources_[sink.out];
      int64_t offset = out.offset;
      for (size_t d = 0; d < index.size(); ++d) offset += index[d] * out.strides[d];
      Finish(sink, accumulator, ref(out.ref).pointer + offset, n);
    }
  }
}

}  // namespace hloir::cpu
