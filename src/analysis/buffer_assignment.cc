// Buffer assignment; see hloir/analysis.h. Each executed computation has its own heap, assigned callees first; an
// instruction that calls computations needs the largest of their heaps while it runs (scratch). So the cost is linear
// in the call graph, not in its paths.
//
// Parameters of the entry, and constants, are outside the heap. A called computation's parameters and results lie in
// the caller's memory: results are written to the caller's buffers, and a parameter that is returned unchanged stays
// the caller's array. A loop's state has one buffer per element: a new value of the body is written to it in place
// after the last read of the old value, or otherwise to another buffer; elements that the body only reads are not
// copied. A result aliased with a parameter (input_output_alias) is written to its buffer after the last read of the
// parameter.
#include "hloir/analysis.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "analysis/buffer_placement.h"
#include "analysis/unbounded.h"

namespace hloir {
namespace {

using Value = BufferAssignment::Value;

size_t LeafCount(const Shape& shape) { return shape.IsTuple() ? shape.Leaves().size() : 1; }

// True if each element of the result depends on the operands' elements at the same index and offset.
bool IsInPlace(const HloInstruction& i) {
  if (!i.Is(kElementwise)) return false;
  const Shape& from = i.operand(0)->shape();
  return i.opcode() != HloOpcode::kCopy || !from.has_layout() || !i.shape().has_layout() ||
         from.layout().minor_to_major() == i.shape().layout().minor_to_major();
}

// True if every element of a fusion's results that depends on `parameter` depends on its element at the same offset.
bool IsReadInPlace(const HloInstruction& parameter) {
  std::vector<const HloInstruction*> open = {&parameter};
  std::unordered_set<const HloInstruction*> seen;
  while (!open.empty()) {
    const HloInstruction* at = open.back();
    open.pop_back();
    for (const HloInstruction* user : at->users()) {
      const bool is_result = user->opcode() == HloOpcode::kTuple && user->IsRoot();
      if (!is_result && (!IsInPlace(*user) || user->shape().rank() != parameter.shape().rank())) return false;
      if (!is_result && seen.insert(user).second) open.push_back(user);
    }
  }
  return true;
}

// True if element `leaf` of the result may be written over operand k, element by element, while it is read.
bool MayOverwrite(const HloInstruction& i, int64_t k, size_t leaf = 0) {
  const Shape& operand = i.operand(k)->shape();
  const Shape& result = i.shape().IsTuple() && leaf < static_cast<size_t>(i.shape().tuple_size())
                            ? i.shape().tuple_shapes(static_cast<int64_t>(leaf))
                            : i.shape();
  if (!result.IsArray() || !operand.IsArray() || operand.ByteSize() != result.ByteSize()) return false;
  switch (i.opcode()) {
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kScatter: return k == 0;
    case HloOpcode::kFusion: {
      const HloComputation& body = *i.fused_computation();
      const HloInstruction *root = body.root(), *parameter = body.parameter(k);
      if (root->opcode() == HloOpcode::kTuple && leaf < static_cast<size_t>(root->operand_count()))
        root = root->operand(static_cast<int64_t>(leaf));
      if (IsOneOf(root->opcode(), HloOpcode::kDynamicUpdateSlice, HloOpcode::kScatter))
        return root->operand(0) == parameter && parameter->use_count() == 1;
      return IsReadInPlace(*parameter);
    }
    // Only elementwise ops work in place.
    default: return !i.shape().IsTuple() && IsInPlace(i) && operand.rank() == result.rank();
  }
}

// 0 for an array with an unbounded dimension, which sets `is_unknown`.
int64_t KnownBytes(const Shape& shape, bool& is_unknown) {
  int64_t bytes = 0;
  for (const Shape* leaf : shape.Leaves()) {
    if (!leaf->IsArray()) continue;
    const bool unbounded = IsUnboundedArray(*leaf);
    is_unknown = is_unknown || unbounded;
    if (!unbounded && __builtin_add_overflow(bytes, leaf->ByteSize(), &bytes)) bytes = INT64_MAX;
  }
  return bytes;
}

// Summaries of called computations for their callers, by computation id.
struct Callee {
  int64_t heap_bytes = 0;
  // For each leaf of the result, the number of the parameter leaf that it forwards, over all parameters; -1: a new
  // value.
  std::vector<int32_t> handed_on;
};

class ComputationAssigner {
 public:
  ComputationAssigner(const HloComputation& computation, const std::vector<Callee>& callees,
                      BufferAssignment::Computation& result, bool& is_unknown)
      : computation_(computation),
        callees_(callees),
        result_(result),
        is_unknown_(is_unknown),
        is_entry_(computation.IsEntry()) {
    result_.computation = &computation;
    order_ = computation.module()->config().is_scheduled ? computation.instructions() : computation.PostOrder();
    for (const HloInstruction* caller : computation.callers()) is_body_ |= caller->opcode() == HloOpcode::kWhile;
    int32_t leaves = 0;
    for (const HloInstruction* parameter : computation.parameters()) {
      first_parameter_leaf_.push_back(leaves);
      leaves += static_cast<int32_t>(LeafCount(parameter->shape()));
    }
    if (!is_entry_) return;
    for (const InputOutputAlias& alias : computation.module()->config().input_output_alias)
      aliases_[alias.parameter].push_back(&alias);
  }

  void Run(bool with_offsets) {
    for (size_t step = 0; step < order_.size(); ++step) Define(*order_[step], static_cast<int64_t>(step));
    FindLastReads();
    MarkResults();
    FindHomes();
    for (const HloInstruction* i : order_) Share(*i);
    for (const auto& [result, parameter] : home_) GiveTo(parameter, result);
    FindHeap();
    UseDonatedMemory();
    if (with_offsets) PlaceValues(result_);
    FindPeak();
    if (!with_offsets) result_.heap_bytes = result_.peak_bytes;
  }
  std::vector<int32_t> HandedOn() const {
    std::vector<int32_t> handed_on;
    for (const std::vector<int32_t>& leaf : leaves_.at(computation_.root()))
      handed_on.push_back(leaf.size() == 1 && leaf[0] < 0 ? FromCaller(leaf[0]) : -1);
    return handed_on;
  }

 private:
  // The values at one leaf of an instruction's result; there may be several. Leaves of parameters, which are the
  // caller's values, have negative numbers.
  using Leaves = std::vector<std::vector<int32_t>>;
  static int32_t FromCaller(int32_t leaf) { return -1 - leaf; }  // and back

  void DefineParameter(const HloInstruction& i, Leaves& leaves) {
    int32_t first = first_parameter_leaf_[static_cast<size_t>(i.parameter_number())];
    for (std::vector<int32_t>& leaf : leaves) leaf.push_back(FromCaller(first++));
    const auto donated = aliases_.find(i.parameter_number());
    if (donated == aliases_.end()) return;
    for (const InputOutputAlias* alias : donated->second) {
      const Shape* shape = i.shape().AtIndex(alias->parameter_index);
      if (shape == nullptr || !shape->IsArray()) continue;
      std::vector<int32_t>& leaf = leaves[LeafAt(i.shape(), alias->parameter_index)];
      if (leaf[0] >= 0) continue;
      leaf[0] = static_cast<int32_t>(result_.values.size());
      Value value{&i, alias->parameter_index, KnownBytes(*shape, is_unknown_), 0, 0};
      value.in_heap = false;
      result_.values.push_back(std::move(value));
    }
  }
  // The number of the leaf of `shape` at `index`.
  static size_t LeafAt(const Shape& shape, const ShapeIndex& index) {
    size_t leaf = 0;
    const Shape* at = &shape;
    for (int64_t k : index) {
      for (int64_t before = 0; before < k; ++before) leaf += LeafCount(at->tuple_shapes(before));
      at = &at->tuple_shapes(k);
    }
    return leaf;
  }
  // The values of the leaves that a loop or call forwards.
  void HandOn(const HloInstruction& i, Leaves& leaves) {
    if (i.opcode() != HloOpcode::kWhile && i.opcode() != HloOpcode::kCall) return;
    const bool is_loop = i.opcode() == HloOpcode::kWhile;
    const HloComputation& callee = is_loop ? *i.while_body() : *i.to_apply();
    const std::vector<int32_t>& handed_on = callees_[static_cast<size_t>(callee.id())].handed_on;
    std::vector<const std::vector<int32_t>*> given;
    for (const HloInstruction* operand : i.operands())
      for (const std::vector<int32_t>& leaf : leaves_[operand]) given.push_back(&leaf);
    for (size_t k = 0; k < leaves.size() && k < handed_on.size(); ++k) {
      const int32_t from = handed_on[k];
      if (from < 0 || static_cast<size_t>(from) >= given.size() || (is_loop && static_cast<size_t>(from) != k))
        continue;
      leaves[k] = *given[static_cast<size_t>(from)];
      // A constant has no value in the heap, and so has a result that forwards it.
      if (leaves[k].empty()) leaves[k].push_back(kNoMemory);
    }
  }

  void Define(const HloInstruction& i, int64_t step) {
    Leaves& leaves = leaves_[&i];
    leaves.resize(LeafCount(i.shape()));
    if (i.IsParameter()) return DefineParameter(i, leaves);
    if (i.IsConstant()) return;
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
      default: break;  // defines its arrays, unless its traits declare aliasing
    }
    if (i.Is(kAliases)) {
      const Leaves& of = leaves_[i.operand(0)];
      if (of.size() == leaves.size()) leaves = of;
      return;
    }
    HandOn(i, leaves);
    AddLeaves(i, step, leaves);
    int64_t scratch = 0;
    if (i.Is(kControlFlow)) {
      for (const HloComputation* called : i.called_computations())
        scratch = std::max(scratch, callees_[static_cast<size_t>(called->id())].heap_bytes);
    }
    if (scratch > 0) {
      Value value{&i, {}, scratch, step, step};
      value.is_scratch = true;
      result_.values.push_back(std::move(value));
    }
  }

  // The number of the element's first leaf. Cached per tuple, because all elements of a long tuple may be read.
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
      if (item.shape->IsArray() && leaves[at].empty()) {
        leaves[at].push_back(static_cast<int32_t>(result_.values.size()));
        result_.values.push_back({&i, std::move(item.index), KnownBytes(*item.shape, is_unknown_), step, step});
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
            if (value < 0) continue;
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
      for (int32_t value : leaf)
        if (value >= 0) ++times[static_cast<size_t>(value)];
    }
    const Leaves& leaves = leaves_[root];
    for (size_t k = 0; k < leaves.size(); ++k) {
      for (int32_t v : leaves[k]) {
        if (v < 0) continue;
        Value& value = result_.values[static_cast<size_t>(v)];
        value.last = end;
        // It goes to the caller's memory, unless it is several elements, or the old value of a loop's state is still
        // read.
        if (is_entry_ || (times[static_cast<size_t>(v)] == 1 && (!is_body_ || MayReplaceState(k, value))))
          value.is_result = true;
      }
    }
  }
  // The uses of a loop's state: the last step, whether a tuple contains it, and the inner loop, if the only tuple is
  // its initial state.
  struct StateReads {
    int64_t last = -1;
    bool handed_on = false;
    const HloInstruction* loop = nullptr;
    int64_t element = -1;  // of the inner loop
    void Note(const HloInstruction& reader, const HloInstruction& read, int64_t step) {
      last = std::max(last, step);
      if (reader.opcode() != HloOpcode::kTuple) return;
      const bool begins = reader.user_count() == 1 && !reader.IsRoot() &&
                          reader.users()[0]->opcode() == HloOpcode::kWhile && loop == nullptr &&
                          std::count(reader.operands().begin(), reader.operands().end(), &read) == 1;
      if (!begins) {
        handed_on = true;
        return;
      }
      loop = reader.users()[0];
      element = reader.OperandIndex(&read);
    }
    // True if `made` is the result of the inner loop that began with the state, in its place.
    bool Continues(const Value& made) const {
      return loop == nullptr || (made.instruction == loop && made.index == ShapeIndex{element});
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
          if (k < state_reads_.size()) state_reads_[k].Note(i, *operand, static_cast<int64_t>(step));
        } else if (ReadsState(operand, parameter, 0)) {
          whole_state_reads_.Note(i, *operand, static_cast<int64_t>(step));
        }
      }
    }
  }
  // True if element k of the loop's state is read after the step that defines the new value, or is stored elsewhere.
  bool MayReplaceState(size_t k, const Value& made) {
    const HloInstruction* parameter = computation_.parameter_count() == 1 ? computation_.parameter(0) : nullptr;
    if (parameter == nullptr) return false;
    if (state_reads_.empty()) FindStateReads();
    for (const StateReads* reads : {&whole_state_reads_, &state_reads_[k]})
      if (reads->handed_on || reads->last > made.first || !reads->Continues(made)) return false;
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

  // Reuses the buffer of an operand whose live range ends here.
  void Share(const HloInstruction& i) {
    Leaves& made = leaves_[&i];
    if (i.Is(kAliases) || i.IsParameter() || i.IsConstant()) return;
    if (i.opcode() == HloOpcode::kWhile) {
      const Leaves& init = leaves_[i.operand(0)];
      for (size_t k = 0; k < made.size() && k < init.size(); ++k) {
        if (made[k].size() == 1 && init[k].size() == 1 && made[k] != init[k]) TakeOver(made[k][0], init[k][0]);
      }
      return;
    }
    for (size_t leaf = 0; leaf < made.size(); ++leaf) {
      if (made[leaf].size() == 1) ShareLeaf(i, leaf, made[leaf][0]);
    }
  }
  void ShareLeaf(const HloInstruction& i, size_t leaf, int32_t made) {
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      const Leaves& read = leaves_[i.operand(k)];
      if (read.size() != 1 || read[0].size() != 1 || !MayOverwrite(i, k, leaf)) continue;
      // Not if another operand reads the same memory at other offsets.
      int64_t reads = 0;
      for (const HloInstruction* operand : i.operands()) {
        for (const std::vector<int32_t>& of : leaves_[operand]) reads += std::count(of.begin(), of.end(), read[0][0]);
      }
      if ((reads == 1 || i.Is(kElementwise)) && TakeOver(made, read[0][0])) return;
    }
  }
  bool TakeOver(int32_t by, int32_t of) {
    if (by < 0 || of < 0) return false;
    Value &taker = result_.values[static_cast<size_t>(by)], &old = result_.values[static_cast<size_t>(of)];
    const bool placed_apart = (taker.is_result || old.is_result) && !is_entry_;
    if (taker.shares >= 0 || taken_.contains(of) || old.last != taker.first || old.bytes != taker.bytes || placed_apart)
      return false;
    // A result lies in the parameter of its input_output_alias, and in no other.
    const auto donated = in_parameter_.find(of);
    if (donated != in_parameter_.end()) {
      const auto home = home_.find(by);
      if (taker.is_result && (home == home_.end() || home->second != donated->second)) return false;
      in_parameter_[by] = donated->second;
    }
    taker.shares = of;
    taken_[of] = by;
    return true;
  }

  // The last value that reuses the buffer of this one.
  int32_t LastTaker(int32_t value) const {
    for (auto it = taken_.find(value); it != taken_.end(); it = taken_.find(value)) value = it->second;
    return value;
  }
  // By input_output_alias: the parameter's value of each result.
  void FindHomes() {
    if (!is_entry_) return;
    const Leaves& results = leaves_[computation_.root()];
    for (const InputOutputAlias& alias : computation_.module()->config().input_output_alias) {
      if (alias.parameter < 0 || alias.parameter >= computation_.parameter_count()) continue;
      const HloInstruction* parameter = computation_.parameter(alias.parameter);
      const Shape* to = parameter->shape().AtIndex(alias.parameter_index);
      const Shape* from = computation_.root()->shape().AtIndex(alias.output_index);
      if (to == nullptr || from == nullptr || !to->IsArray() || !from->IsArray()) continue;
      const auto& given = leaves_[parameter][LeafAt(parameter->shape(), alias.parameter_index)];
      const auto& result = results[LeafAt(computation_.root()->shape(), alias.output_index)];
      if (given.size() != 1 || result.size() != 1 || given[0] < 0 || result[0] < 0) continue;
      home_[result[0]] = in_parameter_[given[0]] = given[0];
    }
  }
  // Places the result in the parameter's buffer, with the values whose buffer it reuses, or without those whose live
  // range overlaps the parameter's. If the result's own live range overlaps, it is not moved.
  void GiveTo(int32_t parameter, int32_t result) {
    if (parameter == result) return;
    const int32_t before = LastTaker(parameter);
    const int64_t free_from = result_.values[static_cast<size_t>(before)].last;
    for (int32_t v = result; v != parameter; v = static_cast<int32_t>(result_.values[static_cast<size_t>(v)].shares)) {
      Value& value = result_.values[static_cast<size_t>(v)];
      if (v == before || value.bytes != result_.values[static_cast<size_t>(parameter)].bytes) return;
      const bool fits = value.first > free_from;
      if (fits && value.shares >= 0 && result_.values[static_cast<size_t>(value.shares)].first > free_from) continue;
      if (!fits) return;
      if (value.shares >= 0) taken_.erase(static_cast<int32_t>(value.shares));
      value.shares = before;
      taken_[before] = v;
      return;
    }
  }
  // A value precedes in `values` those that reuse its buffer, or is a parameter.
  void FindHeap() {
    for (Value& value : result_.values) {
      const bool is_callers = !is_entry_ && value.is_result;
      const bool shares_callers = value.shares >= 0 && !result_.values[static_cast<size_t>(value.shares)].in_heap;
      if (is_callers || shares_callers) value.in_heap = false;
    }
  }

  // Places temporaries in donated memory while it is free, the largest first, as in XLA.
  void UseDonatedMemory() {
    struct Room {
      int32_t parameter;
      std::vector<std::pair<int64_t, int64_t>> taken;  // steps
    };
    std::vector<Room> rooms;
    for (const auto& [value, parameter] : in_parameter_) {
      if (value != parameter) continue;
      Room& room = rooms.emplace_back(Room{parameter, {}});
      for (int32_t v = value;;) {
        room.taken.emplace_back(result_.values[static_cast<size_t>(v)].first,
                                result_.values[static_cast<size_t>(v)].last);
        const auto taker = taken_.find(v);
        if (taker == taken_.end()) break;
        v = taker->second;
      }
    }
    if (rooms.empty()) return;
    const auto bytes_of = [&](int32_t v) { return result_.values[static_cast<size_t>(v)].bytes; };
    std::stable_sort(rooms.begin(), rooms.end(),
                     [&](const Room& a, const Room& b) { return bytes_of(a.parameter) < bytes_of(b.parameter); });
    std::vector<int32_t> temporaries;  // the first of the values that share a buffer
    for (size_t v = 0; v < result_.values.size(); ++v) {
      const Value& value = result_.values[v];
      if (value.in_heap && value.shares < 0 && !value.is_scratch && value.bytes > 0)
        temporaries.push_back(static_cast<int32_t>(v));
    }
    std::stable_sort(temporaries.begin(), temporaries.end(),
                     [&](int32_t a, int32_t b) { return bytes_of(a) > bytes_of(b); });
    constexpr int64_t kMostWork = 1 << 22;
    int64_t work = 0;
    for (int32_t v : temporaries) {
      bool has_result = false;
      int32_t last = v;
      for (auto it = taken_.find(v); it != taken_.end(); it = taken_.find(last)) {
        has_result = has_result || result_.values[static_cast<size_t>(last)].is_result;
        last = it->second;
      }
      if (has_result || result_.values[static_cast<size_t>(last)].is_result) continue;
      const int64_t from = result_.values[static_cast<size_t>(v)].first,
                    to = result_.values[static_cast<size_t>(last)].last;
      for (Room& room : rooms) {
        if (bytes_of(room.parameter) < bytes_of(v)) continue;
        if ((work += static_cast<int64_t>(room.taken.size())) > kMostWork) return;
        const bool free = std::none_of(room.taken.begin(), room.taken.end(),
                                       [&](const auto& steps) { return steps.first <= to && from <= steps.second; });
        if (!free) continue;
        room.taken.emplace_back(from, to);
        for (int32_t member = v;; member = taken_.find(member)->second) {
          result_.values[static_cast<size_t>(member)].in_heap = false;
          if (member == last) break;
        }
        break;
      }
    }
  }

  // The peak of live values, independent of offsets. The last of the values that share a buffer counts.
  void FindPeak() {
    if (order_.empty()) return;
    auto counts = [&](size_t v) { return result_.values[v].in_heap; };
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
  const std::vector<Callee>& callees_;  // by computation id
  BufferAssignment::Computation& result_;
  bool& is_unknown_;
  static constexpr int32_t kNoMemory = INT32_MIN;
  std::vector<int32_t> first_parameter_leaf_;
  std::map<int32_t, int32_t> home_;          // for results: the parameter's value whose buffer they reuse
  std::map<int32_t, int32_t> in_parameter_;  // for values in donated memory: the parameter
  std::unordered_map<int64_t, std::vector<const InputOutputAlias*>> aliases_;  // for the entry, by parameter
  const bool is_entry_;
  bool is_body_ = false;
  std::vector<StateReads> state_reads_;  // by leaf, of the loop body computed last
  StateReads whole_state_reads_;
  std::vector<const HloInstruction*> order_;
  std::unordered_map<const HloInstruction*, Leaves> leaves_;
  std::unordered_map<const Shape*, std::vector<size_t>> first_leaves_;  // for tuples; a module has one copy of each
                                                                        // shape
  std::map<int32_t, int32_t> taken_;  // value => the value that reuses its buffer next
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
  std::vector<Callee> callees(runs.size());
  for (const HloComputation* computation : order) {
    if (!runs[static_cast<size_t>(computation->id())]) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->IsConstant()) result.constant_bytes += KnownBytes(i->shape(), result.is_unknown);
      if (i->IsParameter() && computation->IsEntry())
        result.parameter_bytes += KnownBytes(i->shape(), result.is_unknown);
    }
    BufferAssignment::Computation& one = result.computations.emplace_back();
    ComputationAssigner assigner(*computation, callees, one, result.is_unknown);
    assigner.Run(with_offsets);
    callees[static_cast<size_t>(computation->id())] = {one.heap_bytes, assigner.HandedOn()};
  }
  return result;
}

}  // namespace hloir
