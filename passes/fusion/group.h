// Groups: which instructions of a computation are to become one fusion. From a root a group grows towards the operands;
// the cost model that decides who joins is in group.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fusion/role.h"
#include "hloir/rewrite.h"

namespace hloir::fusion {

inline constexpr RuleInfo kFuse = {"fuse", "g(f(A)) => fusion(A)"};

// Limits on the growth of groups and criteria for joining loops: the pass's options, described in fusion.cc.
struct Limits {
  int64_t max_instructions = 256;
  int64_t max_copies = 4;
  double work_per_byte = 1;
  bool feed_products = false;
  int64_t max_results = 8;
  double least_gain = 0.2;
  bool join_products = false;
};

// An instruction in the group that is growing.
struct Member {
  HloInstruction* instruction = nullptr;
  // Members of equal space are read at equal index. Operand k is read in operand_space (for arithmetic: the member's
  // own), or operand_space + k if the op reads its operands at different indices.
  int32_t space = 0, operand_space = 0;
  double times = 1;     // how often each element is computed
  bool owned = false;   // it will be nowhere else
  bool fed = false;     // only a dot's rows need it
  bool packed = false;  // a dot or convolution, or a member that one reads so, reads it while packing an operand
};

class Grouper {
 public:
  Grouper(const HloModule& module, const Limits& limits, RewriteGate& gate);

  // Analyzes the current state of a computation. Groups may then be grown from its last instruction to its first, each
  // built before the next one grows.
  void Begin(HloComputation& computation);
  const std::vector<HloInstruction*>& order() const { return order_; }
  // In order(); valid for instructions that Begin saw.
  int32_t PositionOf(const HloInstruction* i) const { return position_[static_cast<size_t>(i->id())]; }
  Role RoleAt(int32_t position) const { return roles_[static_cast<size_t>(position)]; }

  // The group that ends in `root`; operands before users.
  const std::vector<Member>& Grow(HloInstruction* root);
  bool Contains(const HloInstruction* i) const { return IndexOf(i) >= 0; }
  // Its position among the members; -1 if it is none. Entries of earlier groups in the table do not count.
  int32_t IndexOf(const HloInstruction* i) const {
    const size_t id = static_cast<size_t>(i->id());
    if (id >= member_of_.size()) return -1;
    const int32_t index = member_of_[id];
    const bool here = index >= 0 && index < static_cast<int32_t>(members_.size());
    return here && members_[static_cast<size_t>(index)].instruction == i ? index : -1;
  }
  // The reason why the group pays, for the log.
  std::string Reason() const;

 private:
  // The cost of duplicating an instruction and the instructions that only it needs.
  struct Cone {
    int32_t weight = 0;  // of one element
    int32_t leaves = 0;  // arrays that it reads
    bool duplicable = false;
  };
  // The requirements of one use of a producer.
  struct Use {
    int32_t space = 0;
    double times = 1;
  };
  // A hoisted broadcast: its operand is computed once per row of this space.
  struct Rows {
    int32_t operand_space = 0, space = 0;
    const HloInstruction* broadcast = nullptr;
  };

  double Traffic(const HloInstruction& i) const;
  bool Takes(const HloInstruction& user, Role role, const HloInstruction& producer) const;
  bool IsPacked(const HloInstruction& user, int64_t operand) const;
  void FindCones();
  bool Joins(HloInstruction* producer, Role role, Member& member);
  bool JoinsReduce(const HloInstruction& reduce, Member& member, bool all_owned, bool one_space);
  Use UseOf(const Member& user, Role role, int64_t operand) const;
  const Rows* FindRows(int32_t space) const;
  bool Declined(const HloInstruction& producer, const char* reason);
  void Add(Member member);
  void AddCandidate(HloInstruction* producer);

  const Limits limits_;
  RewriteGate& gate_;
  std::vector<HloInstruction*> order_;
  std::vector<int32_t> position_, member_of_;  // by instruction id
  std::vector<Role> roles_;                    // by position
  std::vector<Cone> cones_;
  std::vector<Member> members_;
  std::vector<Rows> rows_;
  std::vector<Use> uses_;
  std::vector<std::pair<int32_t, HloInstruction*>> candidates_;  // a heap, by position
  int32_t next_space_ = 1;
  int contractions_ = 0;
  bool packs_moves_alone_ = false, reduces_fed_rows_ = false;
};

}  // namespace hloir::fusion
