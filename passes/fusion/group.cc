// Growth of fusion groups: from the root, the latest candidate first, so that all users that will be in the group are
// in it when an instruction is examined. An instruction joins if the recomputation costs less than the memory traffic
// that it saves:
//
// - Nothing is computed again when all users are in the group and read it at the same index ("space").
// - Below a broadcast along the last dimensions it is computed once per row and hoisted out of the inner loop. So is a
//   reduction of that very row, if the row stays in cache: softmax and layer normalization become one loop over rows.
// - Below any other broadcast, or read at several indices, it is computed several times: 2 * bytes additions are as
// dear as
//   writing and reading an element.
// - What a dot reads row by row, each row for one row of the result, is computed as it is read, if a row stays in
// cache;
//   from another dot only if its rows are reduced on the way, as in attention.
// - With feed-products, what a dot reads otherwise is computed as it packs its operands, and a convolution reads
// through
//   what moves data.
// - With users in other groups, it is duplicated into all of them, if the whole cone of instructions that only it needs
//   is cheap; then it need not be written.
// - A loop costs something however few elements it has, so of small arrays more may be computed again.
#include "fusion/group.h"

#include <algorithm>
#include <limits>

#include "hloir/rewrite_util.h"

namespace hloir::fusion {
namespace {

constexpr int64_t kMostUsersLookedAt = 64;    // of one producer
constexpr int64_t kMostCopiesOfNothing = 16;  // of one that reads no array
constexpr double kLoopCost = 256;             // of one more loop, in additions
constexpr int64_t kMostRowBytes = 1 << 16;    // that a loop over rows may keep
constexpr int32_t kHoisted = -1;              // the space of values that are computed once per loop
constexpr int32_t kAnywhere = -2;             // the space of values that a dot reads for each of its rows
constexpr int32_t kPacked = -3;               // the space of a product's first operand during packing; -4: the second

// True if the broadcast repeats along the last dimensions only: {0, 1, …, k-1}.
bool IsHoistable(const HloInstruction& broadcast) {
  const DimVector& dimensions = broadcast.dimensions();
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

// True if operand k of the dot is read row by row: batches first, contracted dimensions last, and a row stays in cache.
bool ReadsRows(const HloInstruction& dot, int64_t k) {
  const auto& numbers = dot.attributes<DotAttributes>();
  const DimVector& batch = k == 0 ? numbers.lhs_batch_dims : numbers.rhs_batch_dims;
  const DimVector& contracting = k == 0 ? numbers.lhs_contracting_dims : numbers.rhs_contracting_dims;
  const Shape& shape = dot.operand(k)->shape();
  int64_t row_bytes = StorageBytes(shape.element_type());
  for (size_t d = 0; d < batch.size(); ++d) {
    if (batch[d] != static_cast<int64_t>(d)) return false;
  }
  for (int64_t d : contracting) {
    if (d < shape.rank() - static_cast<int64_t>(contracting.size())) return false;
    row_bytes *= shape.dimensions(d);
  }
  return row_bytes <= kMostRowBytes;
}

// The operand of the dot that should be computed while it is read; -1: both come from memory.
int64_t FedOperand(const HloInstruction& dot) {
  if (dot.opcode() != HloOpcode::kDot) return -1;
  const bool left = ReadsRows(dot, 0), right = ReadsRows(dot, 1);
  if (!left || !right) return left ? 0 : right ? 1 : -1;
  return dot.operand(1)->shape().ElementCount() > dot.operand(0)->shape().ElementCount() ? 1 : 0;
}

// True for a reshape that only adds and drops dimensions of size 1. Each element keeps its index.
bool KeepsIndices(const HloInstruction& i) {
  if (i.opcode() != HloOpcode::kReshape) return false;
  auto beside_ones = [](const Shape& shape) {
    DimVector sizes;
    for (int64_t size : shape.dimensions())
      if (size != 1) sizes.push_back(size);
    return sizes;
  };
  return beside_ones(i.shape()) == beside_ones(i.operand(0)->shape());
}

double Ratio(int64_t a, int64_t b) { return b <= 0 || a <= b ? 1 : static_cast<double>(a) / static_cast<double>(b); }

// The number of additions per element that cost as much as a separate loop.
double LoopCost(const HloInstruction& i) {
  return kLoopCost / static_cast<double>(std::max<int64_t>(1, i.shape().ElementCount()));
}

}  // namespace

Grouper::Grouper(const HloModule& module, const Limits& limits, RewriteGate& gate) : limits_(limits), gate_(gate) {
  const size_t limit = static_cast<size_t>(module.instruction_id_limit());
  for (std::vector<int32_t>* table : {&position_, &member_of_}) {
    table->reserve(2 * limit);  // parameters become fusion operands; unused values take no memory
    table->resize(limit, -1);
  }
}

// Additions that cost as much as writing and reading one element.
double Grouper::Traffic(const HloInstruction& i) const {
  return limits_.work_per_byte * 2.0 * StorageBytes(i.shape().element_type());
}

// A dot copies its operands into blocks before it multiplies: elementwise ops are computed once for each element then,
// and data movement is only another way to read. A convolution reads an element for each position of the window, so
// only data movement is free.
bool Grouper::IsPacked(const HloInstruction& user, int64_t operand) const {
  const HloOpcode opcode = user.opcode();
  if (!limits_.feed_products || (opcode != HloOpcode::kDot && opcode != HloOpcode::kConvolution)) return false;
  if (operand > 1 || user.operand(0) == user.operand(1)) return false;
  const Role role = RoleOf(*user.operand(operand));
  return role == Role::kMove || role == Role::kFree || (role == Role::kArithmetic && opcode == HloOpcode::kDot);
}

// True if a user of that role can have the producer in its fusion.
bool Grouper::Takes(const HloInstruction& user, Role role, const HloInstruction& producer) const {
  if (role != Role::kContraction) return role != Role::kNone;
  const int64_t fed = FedOperand(user);
  if (fed >= 0 && user.operand(fed) == &producer && user.operand(1 - fed) != &producer) return true;
  const int64_t k = user.OperandIndex(&producer);
  return k >= 0 && IsPacked(user, k);
}

void Grouper::Begin(HloComputation& computation) {
  order_ = computation.PostOrder();
  const size_t limit = static_cast<size_t>(computation.module()->instruction_id_limit());
  if (position_.size() < limit) position_.resize(limit, -1), member_of_.resize(limit, -1);
  roles_.resize(order_.size());
  for (size_t at = 0; at < order_.size(); ++at) {
    if (at + kFetched < order_.size()) Fetch(order_[at + kFetched]);
    position_[static_cast<size_t>(order_[at]->id())] = static_cast<int32_t>(at);
    roles_[at] = RoleOf(*order_[at]);
  }
  FindCones();
}

void Grouper::FindCones() {
  cones_.assign(order_.size(), {});
  for (size_t at = 0; at < order_.size(); ++at) {
    const HloInstruction& i = *order_[at];
    Cone& cone = cones_[at];
    if (roles_[at] == Role::kScalar) continue;
    const bool inside = roles_[at] == Role::kFree || roles_[at] == Role::kMove || roles_[at] == Role::kArithmetic;
    if (!inside) {
      cone.leaves = 1;
      continue;
    }
    cone.weight = roles_[at] == Role::kFree ? 0 : Weight(i);
    for (const HloInstruction* operand : i.operands()) {
      const size_t below = static_cast<size_t>(PositionOf(operand));
      const Role role = roles_[below];
      const bool free = role == Role::kScalar || role == Role::kFree;
      const bool comes_along = free || ((role == Role::kMove || role == Role::kArithmetic) &&
                                        (operand->user_count() == 1 || cones_[below].duplicable));
      cone.leaves += comes_along ? cones_[below].leaves : 1;
      if (comes_along) cone.weight += cones_[below].weight;
    }
    cone.weight = std::min(cone.weight, 1 << 20), cone.leaves = std::min(cone.leaves, 1 << 20);
    if (roles_[at] == Role::kFree || i.IsRoot() || HasAnnotations(i)) continue;
    const int64_t copies = i.user_count() - 1;
    if (copies < 1 || copies >= (cone.leaves == 0 ? kMostCopiesOfNothing : limits_.max_copies)) continue;
    // Saved: one write, and a read per user; cost: reads of its leaves by the others, too.
    const double saved =
        (1.0 + static_cast<double>(i.user_count()) - cone.leaves * static_cast<double>(copies)) * Traffic(i) / 2;
    cone.duplicable =
        saved >= 0 && static_cast<double>(copies) * cone.weight <= (cone.leaves == 0 ? 2 : 1) * saved + LoopCost(i);
    for (const HloInstruction* user : i.users()) {
      const int32_t position = PositionOf(user);
      // The role of a user may not be computed yet; compute it.
      const Role role = position < static_cast<int32_t>(at) ? roles_[static_cast<size_t>(position)] : RoleOf(*user);
      cone.duplicable = cone.duplicable && Takes(*user, role, i);
    }
  }
}

const std::vector<Member>& Grouper::Grow(HloInstruction* root) {
  members_.clear();
  rows_.clear();
  candidates_.clear();
  next_space_ = 2;
  contractions_ = 0;
  packs_moves_alone_ = reduces_fed_rows_ = false;
  Member first;
  first.instruction = root;
  first.space = 1;
  first.owned = true;
  const Role role = RoleAt(PositionOf(root));
  first.operand_space = role == Role::kArithmetic || KeepsIndices(*root) ? first.space : next_space_;
  next_space_ += static_cast<int32_t>(root->operand_count()) + 1;
  Add(first);
  while (!candidates_.empty() && static_cast<int64_t>(members_.size()) < limits_.max_instructions) {
    std::pop_heap(candidates_.begin(), candidates_.end());
    HloInstruction* producer = candidates_.back().second;
    candidates_.pop_back();
    if (Contains(producer)) continue;
    Member member;
    member.instruction = producer;
    if (Joins(producer, RoleAt(PositionOf(producer)), member)) Add(member);
  }
  std::sort(members_.begin(), members_.end(),
            [&](const Member& a, const Member& b) { return PositionOf(a.instruction) < PositionOf(b.instruction); });
  for (size_t k = 0; k < members_.size(); ++k) {
    member_of_[static_cast<size_t>(members_[k].instruction->id())] = static_cast<int32_t>(k);
  }
  return members_;
}

void Grouper::Add(Member member) {
  HloInstruction& i = *member.instruction;
  const Role role = RoleAt(PositionOf(&i));
  member_of_[static_cast<size_t>(i.id())] = static_cast<int32_t>(members_.size());
  members_.push_back(member);
  if (role == Role::kFree && i.opcode() == HloOpcode::kBroadcast && IsHoistable(i)) {
    rows_.push_back({member.operand_space, member.space, &i});
  }
  if (role == Role::kContraction) {
    // The operands of a producer of another dot's rows come from memory.
    if (++contractions_ > 1) return;
    packs_moves_alone_ = i.opcode() == HloOpcode::kConvolution;
    const int64_t fed = FedOperand(i);
    for (int64_t k = 0; k < i.operand_count(); ++k) {
      if (k == fed || IsPacked(i, k)) AddCandidate(i.operand(k));
    }
    return;
  }
  for (int64_t k = role == Role::kUpdate ? 1 : 0; k < i.operand_count(); ++k) {
    AddCandidate(i.operand(k));
  }
}

void Grouper::AddCandidate(HloInstruction* producer) {
  candidates_.push_back({PositionOf(producer), producer});
  std::push_heap(candidates_.begin(), candidates_.end());
}

const Grouper::Rows* Grouper::FindRows(int32_t space) const {
  for (const Rows& rows : rows_) {
    if (rows.operand_space == space) return &rows;
  }
  return nullptr;
}

Grouper::Use Grouper::UseOf(const Member& user, Role role, int64_t k) const {
  const HloInstruction& i = *user.instruction;
  const HloInstruction& operand = *i.operand(k);
  // The number of reads of each operand element, for as many reads as the result has elements.
  const auto repeats = [&] { return Ratio(i.shape().ElementCount(), operand.shape().ElementCount()); };
  switch (role) {
    case Role::kArithmetic:
      if (i.shape().SameDimensions(operand.shape())) return {user.operand_space, user.times};
      return {kHoisted, 1};  // a scalar bound or predicate
    case Role::kFree: return {user.operand_space, IsHoistable(i) ? user.times : user.times * repeats()};
    case Role::kReduce:
      // Inits, one for each result.
      if (k >= i.operand_count() / 2) return {kHoisted, 1};
      return {user.operand_space, user.times};
    case Role::kContraction:
      if (k == FedOperand(i)) return {user.operand_space, user.times};
      if (IsPacked(i, k)) return {kPacked - static_cast<int32_t>(k), user.times};
      return {kAnywhere,
              std::numeric_limits<double>::infinity()};  // each element for many of the result, so from memory
    case Role::kUpdate:
      if (k > 1 && i.opcode() == HloOpcode::kDynamicUpdateSlice) return {kHoisted, 1};
      return {user.operand_space + static_cast<int32_t>(k), 1};
    default: break;
  }
  const int32_t space = user.operand_space + static_cast<int32_t>(k);
  if (i.opcode() == HloOpcode::kGather) return {space, user.times * repeats()};
  // Indices of a dynamic-slice, the value of a pad.
  if (k > 0 && i.opcode() != HloOpcode::kConcatenate) return {kHoisted, 1};
  return {space, user.times};
}

bool Grouper::Declined(const HloInstruction& producer, const char* reason) {
  if (gate_.explaining()) gate_.Decline(kFuse, producer, reason, members_[0].instruction);
  return false;
}

bool Grouper::Joins(HloInstruction* producer, Role role, Member& member) {
  if (role == Role::kNone || role == Role::kUpdate || producer->IsParameter()) return false;
  if (HasAnnotations(*producer))
    return Declined(*producer, "it has a sharding or a frontend attribute, which would be lost");
  // All users are in the group; it is their only one; or they may all have it in theirs.
  bool all_here = !producer->IsRoot(), all_owned = all_here, all_fusible = all_here;
  uses_.clear();
  member.fed = true;
  // With more users than this, the search for users outside the group is skipped; users in the group find the producer
  // themselves.
  const bool few_users = producer->user_count() <= kMostUsersLookedAt;
  if (!few_users) all_here = all_owned = all_fusible = false;
  auto use = [&](const Member& user) {
    const Role user_role = RoleAt(PositionOf(user.instruction));
    for (int64_t k = 0; k < user.instruction->operand_count(); ++k) {
      if (user.instruction->operand(k) != producer) continue;
      const Use one = UseOf(user, user_role, k);
      const bool packed = user_role == Role::kContraction && k != FedOperand(*user.instruction);
      member.packed = member.packed || user.packed || packed;
      member.fed = member.fed && (user.fed || user_role == Role::kContraction);
      auto same = std::find_if(uses_.begin(), uses_.end(), [&](const Use& u) { return u.space == one.space; });
      if (same == uses_.end()) uses_.push_back(one);
      else same->times = std::max(same->times, one.times);
    }
  };
  if (few_users) {
    for (const HloInstruction* user : producer->users()) {
      const int32_t index = IndexOf(user);
      if (index >= 0) use(members_[static_cast<size_t>(index)]);
      if (index >= 0 && members_[static_cast<size_t>(index)].owned) continue;
      all_owned = false;
      all_here = all_here && index >= 0;
      if (index >= 0 || !all_fusible) continue;
      // Fusions that were built since Begin are among them.
      const size_t id = static_cast<size_t>(user->id());
      const bool known = id < position_.size() && position_[id] >= 0;
      all_fusible = Takes(*user, known ? RoleAt(position_[id]) : RoleOf(*user), *producer);
    }
  } else {
    for (const Member& user : members_) {
      if (user.instruction->OperandIndex(producer) >= 0) use(user);
    }
  }
  member.times = 0;
  for (const Use& one : uses_) member.times += one.times;
  const bool one_space = uses_.size() == 1;
  member.space = one_space && uses_[0].space != kHoisted ? uses_[0].space : next_space_++;
  member.owned = all_owned;
  member.operand_space = role == Role::kArithmetic || KeepsIndices(*producer) ? member.space : next_space_;
  next_space_ += static_cast<int32_t>(producer->operand_count()) + 1;
  // No reduction, and no other product, is done while one packs its operands; and for a convolution nothing is
  // computed.
  const bool moves = role == Role::kScalar || role == Role::kFree || role == Role::kMove;
  if (member.packed && !moves && (role != Role::kArithmetic || packs_moves_alone_)) {
    return Declined(*producer, "a product reads it from memory as it packs its operands");
  }
  const Cone& cone = cones_[static_cast<size_t>(PositionOf(producer))];
  // Saved: its write, and a separate loop.
  const auto saved = [&](double traffic) {
    return producer->shape().IsArray() ? traffic * Traffic(*producer) + LoopCost(*producer) : 0;
  };
  switch (role) {
    case Role::kScalar:
    case Role::kFree: return true;
    case Role::kMove: {
      const double work = member.times * Weight(*producer);
      if (all_here) return work <= saved(4) || Declined(*producer, "its elements would be looked up too many times");
      // Read again by each group, if it need not be written first: its source stays in memory whatever happens.
      if (!all_fusible) return Declined(*producer, "others read it from memory anyway");
      const Role source = RoleAt(PositionOf(producer->operand(0)));
      if (producer->operand_count() == 1 && (source == Role::kNone || source == Role::kContraction)) return true;
      return (cone.duplicable && work <= saved(1)) ||
             Declined(*producer, "too expensive to repeat for each of its users");
    }
    case Role::kArithmetic: {
      const double weight = Weight(*producer);
      if (all_here) {
        return member.times <= 1 || (member.times - 1) * weight <= saved(1) ||
               Declined(*producer,
                        "its elements would be computed too many times: at several indices, or below a broadcast");
      }
      if (!all_fusible) return Declined(*producer, "others read it from memory anyway");
      return (cone.duplicable && member.times * weight <= saved(1)) ||
             Declined(*producer, "too expensive to compute for each of its users");
    }
    case Role::kReduce: return JoinsReduce(*producer, member, all_owned, one_space);
    case Role::kContraction:
      if (!all_owned || !one_space || member.times > 1) return false;
      if (contractions_ == 0) return true;
      if (contractions_ == 1 && member.fed && reduces_fed_rows_ && producer->opcode() == HloOpcode::kDot) return true;
      return Declined(*producer, "one dot, convolution or reduce-window is enough for a fusion");
    default: return false;
  }
}

bool Grouper::JoinsReduce(const HloInstruction& reduce, Member& member, bool all_owned, bool one_space) {
  if (!reduce.shape().IsArray()) return false;
  if (!all_owned || !one_space || member.times > 1) {
    return Declined(reduce, "a reduction is never duplicated");
  }
  const Rows* rows = FindRows(member.space);
  if (rows == nullptr) return uses_[0].space != kHoisted;
  // Below a broadcast with one value per row of the loop: the value must belong to the same row.
  const Shape& row_shape = rows->broadcast->shape();
  const Shape& shape = reduce.operand(0)->shape();
  const int64_t kept = reduce.shape().rank();
  bool same = shape.SameDimensions(row_shape) && static_cast<int64_t>(rows->broadcast->dimensions().size()) == kept;
  for (int64_t d : reduce.dimensions()) same = same && d >= kept;
  if (!same) return Declined(reduce, "it is not the rows of the loop that it reduces");
  const int64_t row_bytes =
      Ratio(shape.ElementCount(), reduce.shape().ElementCount()) * StorageBytes(shape.element_type());
  if (row_bytes > kMostRowBytes) return Declined(reduce, "a row would not stay in cache");
  member.operand_space = rows->space;
  reduces_fed_rows_ = reduces_fed_rows_ || member.fed;
  return true;
}

std::string Grouper::Reason() const {
  int64_t saved = 0;
  for (const Member& member : members_) {
    const Role role = RoleAt(PositionOf(member.instruction));
    if (!member.owned || role == Role::kScalar || role == Role::kFree || &member == &members_.back()) continue;
    saved += 2 * member.instruction->shape().ByteSize();
  }
  std::string reason = std::to_string(members_.size()) + " instructions become one loop";
  if (saved > 0) reason += "; " + std::to_string(saved) + " bytes less are written and read";
  return reason;
}

}  // namespace hloir::fusion
