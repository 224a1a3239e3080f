// Collectives as expressions in the mesh axes (devices.h): a value on another device is the same expression with that
// device's coordinates. An all-reduce is a sum over a group, an all-gather reads the device that the index selects, a
// permutation reads the source device. See build.h.
#include <algorithm>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int64_t kMostApart = 64;  // devices that are enumerated one by one

bool IsPermuteStart(const HloInstruction& i) { return i.opcode() == HloOpcode::kCollectivePermuteStart; }

}  // namespace

// The device number of member `k` of the device's group.
std::optional<Index> Builder::Member(const Devices::Groups& groups, const Index& k) {
  const Devices& devices = *shared_.devices;
  const size_t size = groups[0].size();
  std::vector<int64_t> first(static_cast<size_t>(devices.count())), steps(size);
  for (size_t m = 0; m < size; ++m) steps[m] = groups[0][m] - groups[0][0];
  for (const auto& group : groups) {
    for (size_t m = 0; m < size; ++m) {
      if (group[m] - group[0] != steps[m]) return std::nullopt;
      first[static_cast<size_t>(group[m])] = group[0];
    }
  }
  const std::optional<Index> base = Devices::Entry(x_, first, devices.Number(x_)), step = Devices::Entry(x_, steps, k);
  if (!base || !step) return std::nullopt;
  return x_.Plus(*base, *step);
}

// The device's rank in its group.
std::optional<Index> Builder::Rank(const Devices::Groups& groups) {
  std::vector<int64_t> rank(static_cast<size_t>(shared_.devices->count()));
  for (const auto& group : groups) {
    for (size_t m = 0; m < group.size(); ++m) rank[static_cast<size_t>(group[m])] = static_cast<int64_t>(m);
  }
  return Devices::Entry(x_, rank, shared_.devices->Number(x_));
}

// Combines the group members' values of `e`; -1 if the combiner or the groups are unsupported.
ExprId Builder::Combined(const HloInstruction& i, const Devices::Groups& groups, ExprId e, HloOpcode op) {
  const Devices& devices = *shared_.devices;
  const PrimitiveType type = x_.TypeOf(e);
  Devices::Groups sorted = groups;
  for (auto& group : sorted) std::sort(group.begin(), group.end());
  const VarId over = x_.Fresh(static_cast<int64_t>(sorted[0].size()));
  const std::optional<Index> member = Member(sorted, x_.Var(over));
  if (!member) return -1;
  const ExprId each = x_.Substitute(e, devices.On(x_, *member));
  switch (op) {
    case HloOpcode::kAdd: {
      if (IsFloat(i.operand(0)->shape().element_type()) || IsComplex(type)) x_.Uses(kRounds);
      return x_.SumOverMembers(over, each);
    }
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
    case HloOpcode::kAnd: return x_.ExtremeOver(op, {over}, each, x_.True());
    case HloOpcode::kMultiply: x_.Uses(kRounds); return x_.ExtremeOver(op, {over}, each, x_.True());
    case HloOpcode::kOr: return x_.Not(x_.ExtremeOver(HloOpcode::kAnd, {over}, x_.Not(each), x_.True()));
    default: return -1;  // not supported across devices
  }
}

Value Builder::Reduced(const HloInstruction& i, const std::vector<ExprId>& x, const Devices::Groups& groups,
                       Inside in) {
  const bool scatters = i.opcode() == HloOpcode::kReduceScatter;
  Value result;
  for (size_t k = 0; k < x.size(); ++k) {
    const Shape& from = i.operand(static_cast<int64_t>(k))->shape();
    if (IsQuantized(from.element_type())) return {};
    Value region;
    const HloOpcode op = Combiner(*i.to_apply(), x_.TypeOf(x[k]), in, &region);
    if (!why_.empty()) return {};
    ExprId e = op == HloOpcode::kTuple ? -1 : Combined(i, groups, x[k], op);
    if (e < 0) return {};
    if (op == HloOpcode::kAdd || op == HloOpcode::kMultiply) e = RoundedAs(region[0], e);
    if (scatters) {
      const std::optional<Index> rank = Rank(groups);
      if (!rank) return {};
      const size_t d = static_cast<size_t>(i.dimensions()[0]);
      DimVector part = from.dimensions();
      part[d] /= static_cast<int64_t>(groups[0].size());
      std::vector<Index> at = Dimensions(Shape::Array(from.element_type(), part));
      at[d] = x_.Plus(at[d], *rank, part[d]);
      e = Read(e, from, at);
    }
    result.push_back(e);
  }
  return result;
}

// Reads the value `e` of `device` at the index `at`. One substitution replaces the device and the index together.
ExprId Builder::OnDevice(ExprId e, const Index& device, const Shape& shape, const std::vector<Index>& at) {
  Exprs::Substitution by = shared_.devices->On(x_, device);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const VarId v = x_.Dimension(static_cast<int32_t>(d), shape.dimensions(d));
    if (!(at[static_cast<size_t>(d)] == x_.Var(v))) by.push_back({v, at[static_cast<size_t>(d)]});
  }
  return x_.Substitute(e, by);
}

Value Builder::Gathered(const HloInstruction& i, const std::vector<ExprId>& x, const Devices::Groups& groups) {
  Value result;
  const size_t d = static_cast<size_t>(i.dimensions()[0]);
  for (size_t k = 0; k < x.size(); ++k) {
    const Shape& from = i.operand(static_cast<int64_t>(k))->shape();
    const int64_t size = from.dimensions(static_cast<int64_t>(d));
    DimVector whole = from.dimensions();
    whole[d] *= static_cast<int64_t>(groups[0].size());
    std::vector<Index> at = Dimensions(Shape::Array(from.element_type(), whole));
    const std::optional<Index> device = Member(groups, x_.Div(at[d], size));
    if (!device) return {};
    at[d] = x_.Mod(at[d], size);
    result.push_back(OnDevice(x[k], *device, from, at));
  }
  return result;
}

Value Builder::Exchanged(const HloInstruction& i, const std::vector<ExprId>& x, const Devices::Groups& groups) {
  const std::optional<Index> rank = Rank(groups);
  if (!rank) return {};
  if (i.shape().IsArray()) {
    // Concatenates part `rank` of each member.
    if (x.size() != 1 || i.dimensions().empty()) return {};
    const size_t d = static_cast<size_t>(i.dimensions()[0]);
    const int64_t size = i.shape().dimensions(static_cast<int64_t>(d)) / static_cast<int64_t>(groups[0].size());
    std::vector<Index> at = Dimensions(i.shape());
    const std::optional<Index> device = Member(groups, x_.Div(at[d], size));
    if (!device) return {};
    at[d] = x_.Plus(x_.Mod(at[d], size), *rank, size);
    return {OnDevice(x[0], *device, i.shape(), at)};
  }
  // With one operand per member, reads the operand of this device's rank from each member.
  if (x.size() != groups[0].size() || static_cast<int64_t>(x.size()) > kMostApart) return {};
  Value result;
  for (size_t k = 0; k < x.size(); ++k) {
    const std::optional<Index> device = Member(groups, Exprs::Number(static_cast<int64_t>(k)));
    if (!device) return {};
    ExprId e = x_.Substitute(x[0], shared_.devices->On(x_, *device));
    for (size_t r = 1; r < x.size(); ++r) {
      const ExprId is = x_.Guard(true, x_.Plus(*rank, Exprs::Number(-static_cast<int64_t>(r))));
      e = x_.If(is, x_.Substitute(x[r], shared_.devices->On(x_, *device)), e);
    }
    result.push_back(e);
  }
  return result;
}

Value Builder::Permuted(const HloInstruction& i, ExprId e) {
  const Devices& devices = *shared_.devices;
  const PrimitiveType type = x_.TypeOf(e);
  const std::vector<int64_t> sources = devices.SourcesOf(i);
  if (sources.empty()) return {};
  const ExprId zero = type == PrimitiveType::PRED ? x_.False() : IsInteger(type) ? x_.Integer(0, type) : x_.Real(0);
  std::vector<bool> on;
  for (int64_t source : sources) on.push_back(source >= 0);
  const ExprId holds = devices.Holds(x_, on);
  if (const auto along = devices.Along(x_, sources); along && holds >= 0)
    return {x_.If(holds, x_.Substitute(e, *along), zero)};
  const std::optional<Index> device = devices.Device(x_, sources);
  if (device && holds >= 0) return {x_.If(holds, x_.Substitute(e, devices.On(x_, *device)), zero)};
  if (devices.count() > kMostApart) return {};
  ExprId result = zero;
  for (size_t d = 0; d < sources.size(); ++d) {
    if (sources[d] < 0) continue;
    const ExprId here = x_.Guard(true, x_.Plus(devices.Number(x_), Exprs::Number(-static_cast<int64_t>(d))));
    result = x_.If(here, x_.Substitute(e, devices.On(x_, Exprs::Number(sources[d]))), result);
  }
  return {result};
}

Value Builder::Collective(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in) {
  using enum HloOpcode;
  const Devices& devices = *shared_.devices;
  switch (i.opcode()) {
    case kPartitionId: return {x_.IndexValue(x_.Mod(devices.Number(x_), devices.partitions()), PrimitiveType::U32)};
    case kReplicaId: return {x_.IndexValue(x_.Div(devices.Number(x_), devices.partitions()), PrimitiveType::U32)};
    case kAllReduceDone: return *operands[0];
    case kCollectivePermuteDone: return operands[0]->size() < 2 ? Value() : Value{(*operands[0])[1]};
    case kAllGatherDone: {
      const size_t n = operands[0]->size() / 2;
      return {operands[0]->begin() + static_cast<std::ptrdiff_t>(n), operands[0]->end()};
    }
    default: break;
  }
  std::vector<ExprId> x;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (operands[k]->size() != 1 || !i.operand(static_cast<int64_t>(k))->shape().IsArray()) return {};
    x.push_back((*operands[k])[0]);
  }
  if (i.opcode() == kCollectivePermute || IsPermuteStart(i)) {
    if (x.size() != 1) return {};
    Value value = Permuted(i, x[0]);
    if (!IsPermuteStart(i) || value.empty()) return value;
    Value all{x[0], value[0]};
    const std::vector<const Shape*> leaves = i.shape().Leaves();
    while (all.size() < leaves.size()) all.push_back(LeafArray({-10}, *leaves[all.size()]));
    return all;
  }
  const Devices::Groups groups = devices.GroupsOf(i);
  if (groups.empty() || x.empty()) return {};
  switch (i.opcode()) {
    case kAllReduce:
    case kAllReduceStart:
    case kReduceScatter: return Reduced(i, x, groups, in);
    case kAllGather: return Gathered(i, x, groups);
    case kAllGatherStart: {
      Value gathered = Gathered(i, x, groups);
      if (!gathered.empty()) gathered.insert(gathered.begin(), x.begin(), x.end());
      return gathered;
    }
    case kAllToAll: return Exchanged(i, x, groups);
    default: return {};
  }
}

}  // namespace hloir::equivalence::inside
