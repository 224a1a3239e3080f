// fusion: joins elementwise chains and diamonds, with the broadcasts, reshapes, slices, transposes and iotas inside
// them, and the reduction that they end in, into one loop, so that what is between them never goes through memory.
//
// BEFORE
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// ENTRY main {
//   x = f32[8,4]{1,0} parameter(0)
//   bias = f32[4]{0} parameter(1)
//   wide = f32[8,4]{1,0} broadcast(bias), dimensions={1}
//   shifted = f32[8,4]{1,0} subtract(x, wide)
//   squared = f32[8,4]{1,0} multiply(shifted, shifted)
//   zero = f32[] constant(0)
//   ROOT total = f32[8]{0} reduce(squared, zero), dimensions={1}, to_apply=add
// }
// AFTER
// HloModule example
//
// add {
//   a = f32[] parameter(0)
//   b = f32[] parameter(1)
//   ROOT sum = f32[] add(a, b)
// }
//
// fused_computation {
//   param_0 = f32[8,4]{1,0} parameter(0)
//   param_1 = f32[4]{0} parameter(1)
//   wide = f32[8,4]{1,0} broadcast(param_1), dimensions={1}
//   shifted = f32[8,4]{1,0} subtract(param_0, wide)
//   squared = f32[8,4]{1,0} multiply(shifted, shifted)
//   zero = f32[] constant(0)
//   ROOT total = f32[8]{0} reduce(squared, zero), dimensions={1}, to_apply=add
// }
//
// ENTRY main {
//   x = f32[8,4]{1,0} parameter(0)
//   bias = f32[4]{0} parameter(1)
//   ROOT fusion = f32[8]{0} fusion(x, bias), kind=kLoop, calls=fused_computation
// }
// END
//
// From each root, last instructions first, a group grows towards the operands. Arithmetic joins only if it is then
// computed once per element: all its users are in the group and read it at the same index, and none of them repeats it
// (below a broadcast, or as a scalar of an array operation). Broadcasts, iotas and scalar constants may be in many
// groups; so may other data movement, if what it reads is in memory anyway. Leaves alone: reducers, comparators and
// bodies of fusions; dynamic shapes; copies; dynamic-update-slice, which is done in place; gather and scatter;
// concatenations of many; reductions in the middle and those with several results; shardings and frontend attributes
// inside a group; control dependencies.
#include <algorithm>
#include <queue>
#include <unordered_map>

#include "hloir/pass.h"
#include "pass_util.h"

namespace hloir {
namespace {

// Beyond this a fused loop is slow to compile and hard to read.
constexpr int64_t kMostConcatenated = 8;
constexpr int64_t kMostUsersLookedAt = 64;

enum class Role : uint8_t {
  kNone,        // cannot be in a fusion
  kScalar,      // a scalar constant
  kFree,        // broadcast, iota: needs no memory of its own, may be anywhere any number of times
  kMove,        // takes elements from elsewhere
  kArithmetic,  // elementwise
  kReduce,      // only at the end
};

Role RoleOf(const HloInstruction& i) {
  if (!i.shape().IsArray() || !i.shape().IsStatic() || i.HasControlDependencies()) return Role::kNone;
  for (const HloInstruction* operand : i.operands()) {
    if (!operand->shape().IsArray() || !operand->shape().IsStatic()) return Role::kNone;
  }
  switch (i.opcode()) {
    case HloOpcode::kCopy:
    case HloOpcode::kStochasticConvert: return Role::kNone;
    case HloOpcode::kConstant: return i.shape().IsScalar() && !i.literal().elided() ? Role::kScalar : Role::kNone;
    case HloOpcode::kBroadcast:
    case HloOpcode::kIota: return Role::kFree;
    case HloOpcode::kReshape:
    case HloOpcode::kTranspose:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kPad: return Role::kMove;
    case HloOpcode::kConcatenate: return i.operand_count() <= kMostConcatenated ? Role::kMove : Role::kNone;
    case HloOpcode::kReduce: return i.operand_count() == 2 ? Role::kReduce : Role::kNone;
    default: break;
  }
  // An element that takes another number of bytes is no longer at the operand's index.
  if (i.opcode() == HloOpcode::kBitcastConvert && !i.shape().SameDimensions(i.operand(0)->shape())) return Role::kNone;
  return i.Is(kElementwise) ? Role::kArithmetic : Role::kNone;
}

bool HasOwnAnnotations(const HloInstruction& i) {
  return i.sharding() != nullptr || !i.extras().frontend_attributes.empty();
}

class Fusion : public HloPass {
 public:
  explicit Fusion(const PassOptions& options) : options_(options), gate_(name(), options_) {}
  std::string_view name() const override { return "fusion"; }

  StatusOr<bool> Run(HloModule& module) override {
    if (!gate_.Enabled("fuse", MathMode::kExact)) return false;
    bool changed = false;
    for (HloComputation* computation : ControlFlowComputations(module)) {
      // What one round joins can leave something for the next: a group that is closed no longer claims its operands'
      // users.
      constexpr int kRounds = 8;
      bool again = true;
      for (int round = 0; round < kRounds && again; ++round) {
        again = RunOn(*computation);
        changed |= again;
      }
    }
    return changed;
  }

 private:
  // What the group knows of an instruction in it.
  struct Member {
    HloInstruction* instruction = nullptr;
    // Members of equal space are read at equal index. 0: nothing is known yet.
    int32_t space = 0;
    int32_t operand_space = 0;  // the first of those that its operands are read in; its own for arithmetic
    bool reused = false;        // each element is computed several times
    bool owned = false;         // it will be nowhere else
  };

  bool RunOn(HloComputation& computation);
  void Grow(HloInstruction* root);
  bool Joins(HloInstruction* producer, Member& member);
  void Add(Member member);
  void Build(HloInstruction* root);
  HloComputation* NewBody(HloModule& module);
  Member* Find(const HloInstruction* i) {
    auto it = index_.find(i);
    return it == index_.end() ? nullptr : &members_[it->second];
  }

  PassOptions options_;
  RewriteGate gate_;
  int64_t next_body_ = 0;
  std::unordered_map<const HloInstruction*, int32_t> position_;  // in the computation's post-order
  // The group that is growing.
  std::vector<Member> members_;
  std::unordered_map<const HloInstruction*, size_t> index_;
  std::priority_queue<std::pair<int32_t, HloInstruction*>> candidates_;
  int32_t next_space_ = 1;
};

bool Fusion::RunOn(HloComputation& computation) {
  std::vector<HloInstruction*> order = computation.MakeInstructionPostOrder();
  position_.clear();
  position_.reserve(order.size());
  for (size_t at = 0; at < order.size(); ++at) position_[order[at]] = static_cast<int32_t>(at);
  std::vector<bool> gone(order.size(), false);
  bool changed = false;
  for (size_t at = order.size(); at-- > 0;) {
    HloInstruction* root = order[at];
    if (gone[at] || (root->user_count() == 0 && !root->IsRoot())) continue;
    Role role = RoleOf(*root);
    if (role == Role::kNone || role == Role::kScalar) continue;
    Grow(root);
    const auto joined = std::count_if(members_.begin(), members_.end(),
                                      [](const Member& m) { return RoleOf(*m.instruction) != Role::kScalar; });
    if (joined < 2) continue;
    if (!gate_.Allow("fuse", "g(f(A)) => fusion(A)", MathMode::kExact, *root,
                     std::to_string(members_.size()) + " instructions become one loop")) {
      continue;
    }
    for (const Member& member : members_) {
      if (member.owned) gone[static_cast<size_t>(position_.at(member.instruction))] = true;
    }
    Build(root);
    changed = true;
  }
  return changed;
}

void Fusion::Add(Member member) {
  const HloInstruction& i = *member.instruction;
  index_[&i] = members_.size();
  if (RoleOf(i) == Role::kArithmetic) {
    member.operand_space = member.space;
  } else {
    member.operand_space = next_space_;
    next_space_ += static_cast<int32_t>(i.operand_count()) + 1;
  }
  members_.push_back(member);
  for (HloInstruction* operand : i.operands()) {
    auto it = position_.find(operand);
    if (it != position_.end()) candidates_.push({it->second, operand});
  }
}

void Fusion::Grow(HloInstruction* root) {
  members_.clear();
  index_.clear();
  candidates_ = {};
  next_space_ = 2;
  Member first;
  first.instruction = root;
  first.space = 1;
  first.owned = true;
  Add(first);
  // The latest first: when an instruction's turn comes, all of its users that will be in the group are.
  while (!candidates_.empty() && static_cast<int64_t>(members_.size()) < options_.fusion.max_instructions) {
    HloInstruction* producer = candidates_.top().second;
    candidates_.pop();
    if (Find(producer) != nullptr) continue;
    Member member;
    member.instruction = producer;
    if (Joins(producer, member)) Add(member);
  }
}

bool Fusion::Joins(HloInstruction* producer, Member& member) {
  const Role role = RoleOf(*producer);
  if (role == Role::kNone || role == Role::kReduce || HasOwnAnnotations(*producer)) return false;
  const bool free = role == Role::kScalar || role == Role::kFree;
  if (!free && producer->user_count() > kMostUsersLookedAt) return false;
  bool all_owned = !producer->IsRoot();
  bool all_fusible = true;
  bool several_spaces = false;
  if (!free || producer->user_count() <= kMostUsersLookedAt) {
    for (HloInstruction* user : producer->users()) {
      Member* in_group = Find(user);
      if (in_group == nullptr || !in_group->owned) all_owned = false;
      if (in_group == nullptr) {
        Role of_user = RoleOf(*user);
        all_fusible = all_fusible && of_user != Role::kNone;
        continue;
      }
      const bool arithmetic = RoleOf(*user) == Role::kArithmetic;
      for (int64_t k = 0; k < user->operand_count(); ++k) {
        if (user->operand(k) != producer) continue;
        const int32_t space = arithmetic ? in_group->operand_space : in_group->operand_space + static_cast<int32_t>(k);
        several_spaces = several_spaces || (member.space != 0 && member.space != space);
        member.space = space;
        // A scalar of an array operation, an index, an init or padding value; or what a broadcast repeats.
        const bool repeats = arithmetic ? !user->shape().SameDimensions(producer->shape())
                                        : k > 0 && user->opcode() != HloOpcode::kConcatenate;
        member.reused = member.reused || in_group->reused || repeats ||
                        (user->opcode() == HloOpcode::kBroadcast &&
                         user->shape().ElementCount() > producer->shape().ElementCount());
      }
    }
  } else {
    all_owned = false;
  }
  if (member.space == 0) member.space = next_space_++;
  member.owned = all_owned;
  switch (role) {
    case Role::kScalar:
    case Role::kFree: return true;
    case Role::kMove: {
      if (all_owned) return true;
      // Read again by each group, if it need not be written first: its source stays in memory whatever happens.
      if (!all_fusible || producer->IsRoot() || producer->operand_count() != 1) return false;
      return RoleOf(*producer->operand(0)) == Role::kNone;
    }
    case Role::kArithmetic: return all_owned && !several_spaces && !member.reused;
    default: return false;
  }
}

HloComputation* Fusion::NewBody(HloModule& module) {
  std::string name = "fused_computation";
  while (module.FindComputation(name) != nullptr) name = "fused_computation." + std::to_string(++next_body_);
  return module.AddComputation(name);
}

void Fusion::Build(HloInstruction* root) {
  HloComputation& computation = *root->parent();
  std::sort(members_.begin(), members_.end(), [&](const Member& a, const Member& b) {
    return position_.at(a.instruction) < position_.at(b.instruction);
  });
  HloComputation* body = NewBody(*computation.module());
  body->set_execution_thread(computation.execution_thread());
  std::vector<HloInstruction*> inputs;
  for (const Member& member : members_) {
    for (HloInstruction* operand : member.instruction->operands()) {
      if (!index_.contains(operand)) inputs.push_back(operand);
    }
  }
  std::sort(inputs.begin(), inputs.end(),
            [&](const HloInstruction* a, const HloInstruction* b) { return position_.at(a) < position_.at(b); });
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  std::unordered_map<const HloInstruction*, HloInstruction*> inside;
  for (size_t k = 0; k < inputs.size(); ++k) {
    inside[inputs[k]] = body->AddParameter(static_cast<int64_t>(k), inputs[k]->shape(), "param_" + std::to_string(k));
  }
  std::vector<HloInstruction*> operands;
  for (const Member& member : members_) {
    operands.clear();
    for (const HloInstruction* operand : member.instruction->operands()) operands.push_back(inside.at(operand));
    inside[member.instruction] = body->AddClone(*member.instruction, operands);
  }
  body->set_root(inside.at(root));
  HloInstruction* fusion = computation.AddInstruction(HloOpcode::kFusion, root->shape(), inputs,
                                                      FusionAttributes{FusionKind::kLoop, {}}, "fusion");
  fusion->AddCalledComputation(body);
  InheritAnnotations(fusion, *root);
  computation.MoveBefore(fusion, root);
  root->ReplaceAllUsesWith(fusion);
  gate_.Done(fusion);
  for (size_t k = members_.size(); k-- > 0;) {
    HloInstruction* i = members_[k].instruction;
    if (IsDead(*i)) computation.RemoveInstruction(i);
  }
}

}  // namespace

std::unique_ptr<HloPass> MakeFusion(const PassOptions& options) { return std::make_unique<Fusion>(options); }

}  // namespace hloir
