// host-offloader: keeps values between MoveToHost and MoveToDevice in the host's memory.
//
// BEFORE
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   e = f32[4]{0} exponential(x)
//   away = f32[4]{0} custom-call(e), custom_call_target="MoveToHost"
//   back = f32[4]{0} custom-call(away), custom_call_target="MoveToDevice"
//   ROOT y = f32[4]{0} negate(back)
// }
// AFTER
// HloModule example
//
// ENTRY main {
//   x = f32[4]{0} parameter(0)
//   e = f32[4]{0} exponential(x)
//   copy.1 = f32[4]{0:S(5)} copy(e)
//   copy.2 = f32[4]{0} copy(copy.1)
//   ROOT y = f32[4]{0} negate(copy.2)
// }
// END
//
// The calls become copies to memory space 5, XLA's for the host, and back; the layout has that memory space along the
// whole path of the value: tuples, loops, branches, calls, bitcasts, and arrays that are updated in place. If an array
// of the host is updated (MoveToHost before the update of a dynamic-update-slice) or read in part (a slice before
// MoveToDevice), that op moves the part, and the call is removed. The pass declines, with the reason, values that are
// used in computations before they are moved back, or returned by the entry without S(5) in its layout; and all values
// that share their buffers, such as those of a conditional's other branches.
#include <set>
#include <vector>

#include "hloir/custom_call.h"
#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr int64_t kHostMemory = 5;
constexpr RuleInfo kOffload = {"offload", "MoveToDevice(MoveToHost(A)) => copy(copy(A)), kept in the host's memory"};
constexpr RuleInfo kLoad = {"load", "MoveToDevice(A), A in the host's memory => copy(A)"};

bool IsCallOf(const HloInstruction& i, CustomCall call) { return i.operand_count() == 1 && IsCustomCall(i, call); }
bool IsOnHost(const Shape& shape) { return shape.has_layout() && shape.layout().extras().memory_space == kHostMemory; }
Shape InMemory(Shape shape, int64_t memory_space) {
  if (!shape.has_layout()) shape = shape.WithDefaultLayout();
  Layout layout = shape.layout();
  LayoutExtras extras = layout.extras();
  extras.memory_space = memory_space;
  layout.set_extras(std::move(extras));
  shape.set_layout(std::move(layout));
  return shape;
}

// A leaf of an instruction's result: the array at `index`.
using Position = std::pair<HloInstruction*, ShapeIndex>;
ShapeIndex Inside(int64_t first, const ShapeIndex& rest) {
  ShapeIndex index{first};
  for (int64_t d : rest) index.push_back(d);
  return index;
}

// All places of one buffer, and where it begins and ends.
class Buffer {
 public:
  explicit Buffer(HloInstruction* start) {
    Add({start, {}});
    Close();
  }

  const std::vector<Position>& places() const { return places_; }
  const std::vector<HloInstruction*>& starts() const { return starts_; }      // MoveToHost
  const std::vector<HloInstruction*>& ends() const { return ends_; }          // MoveToDevice
  const std::vector<HloInstruction*>& readers() const { return part_ends_; }  // MoveToDevice of a part
  const std::vector<HloInstruction*>& updates() const { return updates_; }    // MoveToHost of a part
  const std::string& trouble() const { return trouble_; }

 private:
  void Add(Position position) {
    if (seen_.emplace(position.first->id(), position.second).second) places_.push_back(std::move(position));
  }
  void Fail(const HloInstruction& at, std::string_view what) {
    if (trouble_.empty()) trouble_ = std::string(at.name()) + " " + std::string(what);
  }

  void Close() {
    for (size_t at = 0; at < places_.size() && trouble_.empty(); ++at) {
      const Position place = places_[at];
      FollowDefinition(*place.first, place.second);
      FollowUsers(place.first, place.second);
      HloComputation* computation = place.first->parent();
      if (computation->root() == place.first) FollowRoot(*computation, place.second);
    }
  }
  void AddLoop(HloInstruction* loop, const ShapeIndex& index) {
    Add({loop, index});
    Add({loop->operand(0), index});
    Add({loop->while_body()->root(), index});
    Add({loop->while_body()->parameter(0), index});
    Add({loop->while_condition()->parameter(0), index});
  }
  // The callee's parameter that the caller's operand k is, and the other way round.
  static HloInstruction* ParameterOf(HloInstruction& caller, int64_t k) {
    if (caller.opcode() == HloOpcode::kCall) return caller.called_computation(0)->parameter(k);
    return k == 0 ? nullptr : caller.called_computation(k - 1)->parameter(0);  // of a conditional
  }
  void AddArguments(HloInstruction* caller, const HloInstruction& parameter, const ShapeIndex& index) {
    for (int64_t k = 0; k < caller->operand_count(); ++k)
      if (ParameterOf(*caller, k) == &parameter) Add({caller->operand(k), index});
  }
  void AddResults(HloInstruction* caller, const ShapeIndex& index) {
    Add({caller, index});
    for (HloComputation* called : caller->called_computations()) Add({called->root(), index});
  }
  static bool IsCaller(const HloInstruction& i) {
    return i.opcode() == HloOpcode::kCall || i.opcode() == HloOpcode::kConditional;
  }
  // The operands' arrays that share the buffer of this array; none if the buffer begins here.
  void FollowDefinition(HloInstruction& i, const ShapeIndex& index) {
    switch (i.opcode()) {
      case HloOpcode::kCustomCall:
        if (IsCallOf(i, CustomCall::kMoveToHost)) starts_.push_back(&i);
        else Fail(i, "computes it");
        return;
      case HloOpcode::kTuple: return Add({i.operand(index[0]), ShapeIndex(index.begin() + 1, index.end())});
      case HloOpcode::kGetTupleElement: return Add({i.operand(0), Inside(i.tuple_index(), index)});
      case HloOpcode::kBitcast:
      case HloOpcode::kReshape:
      case HloOpcode::kOptimizationBarrier:
      case HloOpcode::kDynamicUpdateSlice: return Add({i.operand(0), index});
      case HloOpcode::kWhile: return AddLoop(&i, index);
      case HloOpcode::kCall:
      case HloOpcode::kConditional: return AddResults(&i, index);
      case HloOpcode::kBroadcast:
      case HloOpcode::kConstant: return;  // arrays filled by updates
      case HloOpcode::kParameter: {
        HloComputation* computation = i.parent();
        if (computation->IsEntry()) {
          if (!IsOnHost(*i.shape().AtIndex(index))) Fail(i, "is a parameter on the device");
          return;
        }
        for (HloInstruction* caller : computation->callers()) {
          if (caller->opcode() == HloOpcode::kWhile) AddLoop(caller, index);
          else if (IsCaller(*caller)) AddArguments(caller, i, index);
          else Fail(*caller, "calls with it");
        }
        return;
      }
      default: Fail(i, "computes it");  // no other op keeps a value on the host
    }
  }
  void FollowUsers(HloInstruction* i, const ShapeIndex& index) {
    for (HloInstruction* user : i->users()) {
      switch (user->opcode()) {
        case HloOpcode::kTuple:
          for (int64_t k = 0; k < user->operand_count(); ++k)
            if (user->operand(k) == i) Add({user, Inside(k, index)});
          break;
        case HloOpcode::kGetTupleElement:
          if (!index.empty() && index[0] == user->tuple_index())
            Add({user, ShapeIndex(index.begin() + 1, index.end())});
          break;
        case HloOpcode::kBitcast:
        case HloOpcode::kReshape:
        case HloOpcode::kOptimizationBarrier: Add({user, index}); break;
        case HloOpcode::kWhile: AddLoop(user, index); break;
        case HloOpcode::kCall:
        case HloOpcode::kConditional:
          for (int64_t k = 0; k < user->operand_count(); ++k) {
            if (user->operand(k) != i) continue;
            if (HloInstruction* parameter = ParameterOf(*user, k)) Add({parameter, index});
            else Fail(*user, "chooses by it in the host's memory");
          }
          break;
        case HloOpcode::kDynamicUpdateSlice:
          Add({user, {}});
          if (user->operand(1) == i) {
            if (IsCallOf(*i, CustomCall::kMoveToHost)) updates_.push_back(i);
            else Fail(*user, "takes a part from the host's memory");
          }
          break;
        case HloOpcode::kSlice:
        case HloOpcode::kDynamicSlice: FollowPart(user); break;
        case HloOpcode::kCustomCall:
          if (IsCallOf(*user, CustomCall::kMoveToDevice)) ends_.push_back(user);
          else Fail(*user, "reads it in the host's memory");
          break;
        default: Fail(*user, "reads it in the host's memory");  // no other op takes a value on the host
      }
    }
  }
  // A part that is read must go to the device at once.
  void FollowPart(HloInstruction* part) {
    std::vector<HloInstruction*> work{part};
    while (!work.empty()) {
      HloInstruction* at = work.back();
      work.pop_back();
      for (HloInstruction* user : at->users()) {
        if (IsCallOf(*user, CustomCall::kMoveToDevice)) part_ends_.push_back(user);
        else if (user->opcode() == HloOpcode::kBitcast || user->opcode() == HloOpcode::kReshape) work.push_back(user);
        else Fail(*user, "reads a part of it in the host's memory");
      }
      if (at->IsRoot()) Fail(*at, "gives a part of it out");
    }
  }
  void FollowRoot(HloComputation& computation, const ShapeIndex& index) {
    if (computation.IsEntry()) {
      const auto& layout = computation.module()->config().entry_computation_layout;
      const Shape& result = layout ? layout->result : computation.root()->shape();
      const Shape* leaf = result.AtIndex(index);
      if (leaf == nullptr || !IsOnHost(*leaf))
        Fail(*computation.root(), "gives it out, and the entry's layout does not say S(5)");
      return;
    }
    for (HloInstruction* caller : computation.callers()) {
      if (caller->opcode() == HloOpcode::kWhile) AddLoop(caller, index);
      else if (IsCaller(*caller)) AddResults(caller, index);
      else Fail(*caller, "gets it");
    }
  }

  std::set<std::pair<int32_t, ShapeIndex>> seen_;
  std::vector<Position> places_;
  std::vector<HloInstruction*> starts_, ends_, part_ends_, updates_;
  std::string trouble_;
};

class HostOffloader : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    bool changed = false;
    std::set<int32_t> looked_at;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      for (HloInstruction* i : InstructionsOf(*computation, HloOpcode::kCustomCall)) {
        if (looked_at.count(i->id()) > 0) continue;
        if (IsCallOf(*i, CustomCall::kMoveToHost)) {
          const Buffer buffer(i);
          for (HloInstruction* start : buffer.starts()) looked_at.insert(start->id());
          for (HloInstruction* end : buffer.ends()) looked_at.insert(end->id());
          for (HloInstruction* end : buffer.readers()) looked_at.insert(end->id());
          changed = Offload(i, buffer) || changed;
        }
      }
      for (HloInstruction* i : InstructionsOf(*computation, HloOpcode::kCustomCall)) {
        if (IsCallOf(*i, CustomCall::kMoveToDevice) && IsOnHost(i->operand(0)->shape()) && Ask(kLoad, *i)) {
          PutInPlaceOf(i, Copy(i, 0));
          changed = true;
        }
      }
    }
    return changed;
  }

 private:
  static HloInstruction* Copy(HloInstruction* call, int64_t memory_space) {
    return call->parent()->AddInstruction(HloOpcode::kCopy, InMemory(call->shape(), memory_space), {call->operand(0)},
                                          NoAttributes());
  }

  bool Offload(HloInstruction* i, const Buffer& buffer) {
    if (!gate_.Enabled(kOffload)) return false;
    if (!buffer.trouble().empty()) {
      gate_.Decline(kOffload, *i, buffer.trouble());
      return false;
    }
    if (!gate_.Allow(kOffload, *i, std::to_string(buffer.places().size()) + " places in the host's memory"))
      return false;
    for (const auto& [instruction, index] : buffer.places()) {
      Shape shape = instruction->shape();
      Shape* leaf = &shape;
      for (int64_t k : index) leaf = &leaf->mutable_tuple_shape(k);
      *leaf = InMemory(*leaf, kHostMemory);
      instruction->set_shape(shape);
    }
    const std::set<HloInstruction*> updates(buffer.updates().begin(), buffer.updates().end());
    HloInstruction* made = nullptr;
    auto replace = [&](HloInstruction* call, HloInstruction* replacement) {
      call->ReplaceAllUsesWith(replacement);
      made = replacement;
    };
    for (HloInstruction* start : buffer.starts()) {
      if (updates.count(start) > 0) replace(start, start->operand(0));
      else replace(start, Copy(start, kHostMemory));
    }
    for (HloInstruction* end : buffer.ends()) replace(end, Copy(end, 0));
    for (HloInstruction* end : buffer.readers()) replace(end, end->operand(0));
    gate_.Done(made);
    for (const auto* calls : {&buffer.starts(), &buffer.ends(), &buffer.readers()})
      for (HloInstruction* call : *calls) RemoveIfDead(call);
    return true;
  }
};

}  // namespace

PassDefinition DefineHostOffloader() { return {MakePassOf<HostOffloader>, {kOffload, kLoad}}; }

}  // namespace hloir
