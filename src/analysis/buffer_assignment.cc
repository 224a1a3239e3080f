// See buffer_assignment.h. Each computation that runs as code gets a heap of its own, callees first; an instruction
// that calls some needs the largest of their heaps while it runs (scratch). So nothing is counted once per path through
// the call graph.
//
// Parameters of the entry, and constants, are outside the heap. A called computation's parameters lie in the caller's
// memory, and so do its results: what the root's elements are made of is written where the caller wants it. A loop's
// state is one buffer per element: what the body makes anew goes there in place if nobody reads the old one any more,
// else it is made beside it.
#include "hloir/analysis.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

namespace hloir {
namespace {

using Value = BufferAssignment::Value;

size_t LeafCount(const Shape& shape) { return shape.IsTuple() ? shape.Leaves().size() : 1; }

// Every element of the body's root comes from elements of the parameters at the same place alone.
bool IsElementwiseBody(const HloComputation& body) {
  for (const HloInstruction* i = body.first(); i != nullptr; i = i->next()) {
    const bool scalar_broadcast = i->opcode() == HloOpcode::kBroadcast && i->operand(0)->shape().IsScalar();
    if (!i->IsParameter() && !i->IsConstant() && !i->Is(kElementwise) && !scalar_broadcast) return false;
  }
  return body.root()->shape().IsArray();
}

// True if the result may be written over operand k, element by element, while it is read.
bool MayOverwrite(const HloInstruction& i, int64_t k) {
  const Shape& operand = i.operand(k)->shape();
  if (!i.shape().IsArray() || !operand.IsArray() || operand.ByteSize() != i.shape().ByteSize()) return false;
  switch (i.opcode()) {
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kScatter: return k == 0;
    case HloOpcode::kFusion: {
      const HloComputation& body = *i.fused_computation();
      const HloInstruction *root = body.root(), *parameter = body.parameter(k);
      if (root->opcode() == HloOpcode::kDynamicUpdateSlice)
        return root->operand(0) == parameter && parameter->use_count() == 1;
      return IsElementwiseBody(body);
    }
    default: return i.Is(kElementwise) && operand.rank() == i.shape().rank();  // only elementwise ops work in place
  }
}

class ComputationAssigner {
 public:
  ComputationAssigner(const HloComputation& computation, const std::vector<int64_t>& heaps,
                      BufferAssignment::Computation& result)
      : computation_(computation), heaps_(heaps), result_(result), is_entry_(computation.IsEntry()) {
    result_.computation = &computation;
    order_ = computation.module()->config().is_scheduled ? computation.instructions() : computation.PostOrder();
    for (const HloInstruction* caller : computation.callers()) is_body_ |= caller->opcode() == HloOpcode::kWhile;
  }

  void Run(bool with_offsets) {
    for (size_t step = 0; step < order_.size(); ++step) Define(*order_[step], static_cast<int64_t>(step));
    FindLastReads();
    MarkResults();
    for (const HloInstruction* i : order_) Share(*i);
    if (with_offsets) Place();
    FindPeak();
    if (!with_offsets) result_.heap_bytes = result_.peak_bytes;
  }

 private:
  // The values at one leaf of an instruction's result; there may be several, or none (an element of a loop's parameter
  // is a value of the caller).
  using Leaves = std::vector<std::vector<int32_t>>;

  void Define(const HloInstruction& i, int64_t step) {
    Leaves& leaves = leaves_[&i];
    leaves.resize(LeafCount(i.shape()));
    if (i.IsParameter() || i.IsConstant()) return;
    switch (i.opcode()) {
      case HloOpcode::kTuple: {
        leaves.clear();
        for (const HloInstruction* operand : i.operands()) {
          const Leaves& of = leaves_[operand];
          leaves.insert(leaves.end(), of.begin(), of.end());
        }
        return;
      }
      case HloOpcode::kGetTupleElement: {
        const size_t skip = FirstLeaf(i.operand(0)->shape(), i.tuple_index());
        const Leaves& of = leaves_[i.operand(0)];
        for (size_t k = 0; k < leaves.size(); ++k) leaves[k] = of[skip + k];
        return;
      }
      default: break;  // makes its own arrays, unless its traits say that it aliases
    }
    if (i.Is(kAliases)) {
      const Leaves& of = leaves_[i.operand(0)];
      if (of.size() == leaves.size()) leaves = of;
      return;
    }
    AddLeaves(i, step, leaves);
    int64_t scratch = 0;
    if (i.Is(kControlFlow)) {
      for (const HloComputation* called : i.called_computations())
        scratch = std::max(scratch, heaps_[static_cast<size_t>(called->id())]);
    }
    if (scratch > 0) {
      Value value{&i, {}, scratch, step, step, -1, -1, false, true};
      result_.values.push_back(value);
    }
  }

  // Of the tuple's leaves, the first that is of that element. Counted once a tuple, which may be long, and be read
  // element by element.
  size_t FirstLeaf(const Shape& tuple, int64_t element) {
    std::vector<size_t>& firsts = first_leaves_[&tuple];
    for (size_t next = 0; firsts.size() < static_cast<size_t>(tuple.tuple_size());) {
      firsts.push_back(next);
      next += LeafCount(tuple.tuple_shapes(static_cast<int64_t>(firsts.size()) - 1));
    }
    return firsts[static_cast<size_t>(element)];
  }

  void AddLeaves(const HloInstruction& i, int64_t step, Leaves& leaves) {
    // Depth first, without recursion: tuples may be nested deeply.
    struct Item {
      const Shape* shape;
      ShapeIndex index;
    };
    std::vector<Item> stack{{&i.shape(), {}}};
    size_t at = 0;
    while (!stack.empty()) {
      Item item = std::move(stack.back());
      stack.pop_back();
      if (item.shape->IsTuple()) {
        for (int64_t k = item.shape->tuple_size(); k-- > 0;) {
          ShapeIndex index = item.index;
          index.push_back(k);
          stack.push_back({&item.shape->tuple_shapes(k), std::move(index)});
        }
        continue;
      }
      if (item.shape->IsArray()) {
        leaves[at].push_back(static_cast<int32_t>(result_.values.size()));
        result_.values.push_back({&i, std::move(item.index), item.shape->ByteSize(), step, step, -1, -1, false, false});
      }
      ++at;
    }
  }

  void FindLastReads() {
    for (size_t step = 0; step < order_.size(); ++step) {
      const HloInstruction& i = *order_[step];
      if (i.Is(kAliases) && i.opcode() != HloOpcode::kOptimizationBarrier) continue;
      for (const HloInstruction* operand : i.operands()) {
        for (const std::vector<int32_t>& leaf : leaves_[operand]) {
          for (int32_t value : leaf) {
            int64_t& last = result_.values[static_cast<size_t>(value)].last;
            last = std::max(last, static_cast<int64_t>(step));
          }
        }
      }
    }
  }

  void MarkResults() {
    const HloInstruction* root = computation_.root();
    const int64_t end = static_cast<int64_t>(order_.size()) - 1;
    std::vector<int> times(result_.values.size(), 0);
    for (const std::vector<int32_t>& leaf : leaves_[root]) {
      for (int32_t value : leaf) ++times[static_cast<size_t>(value)];
    }
    const Leaves& leaves = leaves_[root];
    for (size_t k = 0; k < leaves.size(); ++k) {
      for (int32_t v : leaves[k]) {
        Value& value = result_.values[static_cast<size_t>(v)];
        value.last = end;
        // The caller's memory takes it, unless it stands for several elements, or, of a loop, the old one is still
        // read.
        if (is_entry_ || (times[static_cast<size_t>(v)] == 1 && (!is_body_ || MayReplaceState(k, value))))
          value.is_result = true;
      }
    }
  }
  // The uses of a loop's state: the last step, and whether a tuple contains it.
  struct StateReads {
    int64_t last = -1;
    bool handed_on = false;
    void Note(const HloInstruction& reader, int64_t step) {
      last = std::max(last, step);
      handed_on = handed_on || reader.opcode() == HloOpcode::kTuple;
    }
  };
  void FindStateReads() {
    const HloInstruction* parameter = computation_.parameter(0);
    state_reads_.resize(leaves_[computation_.root()].size());
    for (size_t step = 0; step < order_.size(); ++step) {
      const HloInstruction& i = *order_[step];
      for (const HloInstruction* operand : i.operands()) {
        if (operand->opcode() == HloOpcode::kGetTupleElement && operand->operand(0) == parameter &&
            !operand->shape().IsTuple()) {
          const size_t k = static_cast<size_t>(operand->tuple_index());
          if (k < state_reads_.size()) state_reads_[k].Note(i, static_cast<int64_t>(step));
        } else if (ReadsState(operand, parameter, 0)) {
          whole_state_reads_.Note(i, static_cast<int64_t>(step));
        }
      }
    }
  }
  // True if element k of the loop's state is read after the step that makes the new one, or is stored elsewhere.
  bool MayReplaceState(size_t k, const Value& made) {
    const HloInstruction* parameter = computation_.parameter_count() == 1 ? computation_.parameter(0) : nullptr;
    if (parameter == nullptr) return false;
    if (state_reads_.empty()) FindStateReads();
    for (const StateReads* reads : {&whole_state_reads_, &state_reads_[k]})
      if (reads->handed_on || reads->last > made.first) return false;
    const HloInstruction& i = *made.instruction;
    for (const HloInstruction* operand : i.operands())
      if (ReadsState(operand, parameter, k) && !MayOverwrite(i, i.OperandIndex(operand))) return false;
    return true;
  }
  // Leaf k of a flat tuple parameter. Nested elements are assumed to be read.
  static bool ReadsState(const HloInstruction* read, const HloInstruction* parameter, size_t k) {
    if (read == parameter) return true;
    if (read->opcode() != HloOpcode::kGetTupleElement || read->operand(0) != parameter) return false;
    return static_cast<size_t>(read->tuple_index()) == k || read->shape().IsTuple();
  }

  // The result goes over an operand that dies here.
  void Share(const HloInstruction& i) {
    Leaves& made = leaves_[&i];
    if (i.Is(kAliases) || i.IsParameter() || i.IsConstant()) return;
    if (i.opcode() == HloOpcode::kWhile) {
      const Leaves& init = leaves_[i.operand(0)];
      for (size_t k = 0; k < made.size() && k < init.size(); ++k) {
        if (made[k].size() == 1 && init[k].size() == 1) TakeOver(made[k][0], init[k][0]);
      }
      return;
    }
    if (made.size() != 1 || made[0].size() != 1) return;
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      const Leaves& read = leaves_[i.operand(k)];
      if (read.size() != 1 || read[0].size() != 1 || !MayOverwrite(i, k)) continue;
      // Not if another operand reads the same memory some other way.
      int64_t reads = 0;
      for (const HloInstruction* operand : i.operands()) {
        for (const std::vector<int32_t>& leaf : leaves_[operand])
          reads += std::count(leaf.begin(), leaf.end(), read[0][0]);
      }
      if ((reads == 1 || i.Is(kElementwise)) && TakeOver(made[0][0], read[0][0])) return;
    }
  }
  bool TakeOver(int32_t by, int32_t of) {
    Value &taker = result_.values[static_cast<size_t>(by)], &old = result_.values[static_cast<size_t>(of)];
    const bool placed_apart = (taker.is_result || old.is_result) && !is_entry_;
    if (taker.shares >= 0 || taken_.contains(of) || old.last != taker.first || old.bytes != taker.bytes || placed_apart)
      return false;
    taker.shares = of;
    taken_[of] = by;
    return true;
  }

  bool InHeap(const Value& value) const { return is_entry_ || !value.is_result; }

  // Largest first, each at the lowest offset that is free for as long as it is needed.
  void Place() {
    std::vector<int64_t> roots;  // values that share nothing
    std::vector<int64_t> last(result_.values.size());
    for (size_t v = 0; v < result_.values.size(); ++v) {
      last[v] = result_.values[v].last;
      if (result_.values[v].shares < 0 && InHeap(result_.values[v])) roots.push_back(static_cast<int64_t>(v));
    }
    // A value that reuses a buffer is made later than the buffer's first value.
    for (size_t v = result_.values.size(); v-- > 0;) {
      if (const int64_t of = result_.values[v].shares; of >= 0)
        last[static_cast<size_t>(of)] = std::max(last[static_cast<size_t>(of)], last[v]);
    }
    for (int64_t v : roots) result_.unshared_bytes += result_.values[static_cast<size_t>(v)].bytes;
    constexpr size_t kMostBySize = 20000;  // the search is quadratic; a longer list goes in the order of its steps
    if (roots.size() <= kMostBySize) {
      std::stable_sort(roots.begin(), roots.end(), [&](int64_t a, int64_t b) {
        return result_.values[static_cast<size_t>(a)].bytes > result_.values[static_cast<size_t>(b)].bytes;
      });
      PlaceBySize(roots, last);
    } else {
      PlaceInOrder(roots, last);
    }
    for (Value& value : result_.values) {
      if (value.shares >= 0) value.offset = result_.values[static_cast<size_t>(value.shares)].offset;
    }
  }

  static int64_t Aligned(int64_t bytes) {
    constexpr int64_t kAlignment = 64;
    return bytes > std::numeric_limits<int64_t>::max() / 2 ? bytes : (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  void PlaceBySize(const std::vector<int64_t>& roots, const std::vector<int64_t>& last) {
    std::vector<int64_t> placed;  // by offset
    for (int64_t v : roots) {
      Value& value = result_.values[static_cast<size_t>(v)];
      int64_t offset = 0;
      for (int64_t other : placed) {
        const Value& o = result_.values[static_cast<size_t>(other)];
        if (o.first > last[static_cast<size_t>(v)] || last[static_cast<size_t>(other)] < value.first) continue;
        if (o.offset - offset >= value.bytes) break;
        offset = std::max(offset, o.offset + Aligned(o.bytes));
      }
      value.offset = offset;
      result_.heap_bytes = std::max(result_.heap_bytes, offset + value.bytes);
      const auto place = std::upper_bound(placed.begin(), placed.end(), offset, [&](int64_t at, int64_t other) {
        return at < result_.values[static_cast<size_t>(other)].offset;
      });
      placed.insert(place, v);
    }
  }

  // In the order in which they are made, each into the smallest gap that is large enough.
  void PlaceInOrder(const std::vector<int64_t>& roots, const std::vector<int64_t>& last) {
    std::map<int64_t, int64_t> gaps;       // offset => bytes
    std::multimap<int64_t, int64_t> ends;  // last step => value
    int64_t top = 0;
    auto free_until = [&](int64_t step) {
      while (!ends.empty() && ends.begin()->first < step) {
        const Value& gone = result_.values[static_cast<size_t>(ends.begin()->second)];
        ends.erase(ends.begin());
        auto it = gaps.emplace(gone.offset, Aligned(gone.bytes)).first;
        if (auto after = std::next(it); after != gaps.end() && it->first + it->second == after->first) {
          it->second += after->second;
          gaps.erase(after);
        }
        if (it != gaps.begin()) {
          if (auto before = std::prev(it); before->first + before->second == it->first) {
            before->second += it->second;
            gaps.erase(it);
          }
        }
      }
    };
    for (int64_t v : roots) {
      Value& value = result_.values[static_cast<size_t>(v)];
      free_until(value.first);
      const int64_t bytes = Aligned(value.bytes);
      auto best = gaps.end();
      for (auto it = gaps.begin(); it != gaps.end(); ++it) {
        if (it->second >= bytes && (best == gaps.end() || it->second < best->second)) best = it;
      }
      if (best == gaps.end()) {
        value.offset = top;
        top += bytes;
      } else {
        value.offset = best->first;
        if (best->second > bytes) gaps.emplace(best->first + bytes, best->second - bytes);
        gaps.erase(best);
      }
      ends.emplace(last[static_cast<size_t>(v)], v);
      result_.heap_bytes = std::max(result_.heap_bytes, value.offset + value.bytes);
    }
  }

  // The peak of live values, whatever the offsets. Of values that share a buffer, the last counts.
  void FindPeak() {
    if (order_.empty()) return;
    auto counts = [&](size_t v) { return InHeap(result_.values[v]); };
    auto end_of = [&](size_t v) {
      return taken_.contains(static_cast<int32_t>(v)) ? result_.values[v].last - 1 : result_.values[v].last;
    };
    std::vector<int64_t> change(order_.size() + 1, 0);
    for (size_t v = 0; v < result_.values.size(); ++v) {
      if (!counts(v) || end_of(v) < result_.values[v].first) continue;
      change[static_cast<size_t>(result_.values[v].first)] += result_.values[v].bytes;
      change[static_cast<size_t>(end_of(v)) + 1] -= result_.values[v].bytes;
    }
    int64_t live = 0, peak_step = 0;
    for (size_t step = 0; step < order_.size(); ++step) {
      live += change[step];
      if (live > result_.peak_bytes) result_.peak_bytes = live, peak_step = static_cast<int64_t>(step);
    }
    result_.peak = order_[static_cast<size_t>(peak_step)];
    for (size_t v = 0; v < result_.values.size(); ++v) {
      if (counts(v) && result_.values[v].first <= peak_step && end_of(v) >= peak_step)
        result_.live_at_peak.push_back(static_cast<int64_t>(v));
    }
    std::stable_sort(result_.live_at_peak.begin(), result_.live_at_peak.end(), [&](int64_t a, int64_t b) {
      return result_.values[static_cast<size_t>(a)].bytes > result_.values[static_cast<size_t>(b)].bytes;
    });
  }

  const HloComputation& computation_;
  const std::vector<int64_t>& heaps_;  // of callees, by computation id
  BufferAssignment::Computation& result_;
  const bool is_entry_;
  bool is_body_ = false;
  std::vector<StateReads> state_reads_;  // by leaf, of a loop's body that one was asked for
  StateReads whole_state_reads_;
  std::vector<const HloInstruction*> order_;
  std::unordered_map<const HloInstruction*, Leaves> leaves_;
  std::unordered_map<const Shape*, std::vector<size_t>> first_leaves_;  // of tuples; a module has each shape once
  std::map<int32_t, int32_t> taken_;  // value => the one that shares its memory from then on
};

}  // namespace

const BufferAssignment::Computation& BufferAssignment::of(const HloComputation& computation) const {
  for (const Computation& one : computations) {
    if (one.computation == &computation) return one;
  }
  static const Computation kNone;
  return kNone;
}

BufferAssignment AssignBuffers(const HloModule& module, bool with_offsets) {
  BufferAssignment result;
  // The entry and the computations that it reaches through call, while and conditional.
  const std::vector<const HloComputation*> order = module.PostOrder();
  std::vector<bool> runs(static_cast<size_t>(module.computation_id_limit()), false);
  if (module.entry_computation() != nullptr) runs[static_cast<size_t>(module.entry_computation()->id())] = true;
  for (size_t at = order.size(); at-- > 0;) {
    if (!runs[static_cast<size_t>(order[at]->id())]) continue;
    for (const HloInstruction* i = order[at]->first(); i != nullptr; i = i->next()) {
      if (!i->Is(kControlFlow)) continue;
      for (const HloComputation* called : i->called_computations()) runs[static_cast<size_t>(called->id())] = true;
    }
  }
  std::vector<int64_t> heaps(runs.size(), 0);
  for (const HloComputation* computation : order) {
    if (!runs[static_cast<size_t>(computation->id())]) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->IsConstant()) result.constant_bytes += i->shape().ByteSize();
      if (i->IsParameter() && computation->IsEntry()) result.parameter_bytes += i->shape().ByteSize();
    }
    BufferAssignment::Computation& one = result.computations.emplace_back();
    ComputationAssigner(*computation, heaps, one).Run(with_offsets);
    heaps[static_cast<size_t>(computation->id())] = one.heap_bytes;
  }
  return result;
}

}  // namespace hloir
