// Sends and receives without explicit pairs: a channel connects its sender and its receiver. The devices that execute
// an instruction follow from its sharding and from the enclosing conditionals whose branches depend only on
// partition-id and replica-id. See hloir/cost.h; tested by
// tests/unit/devices_test.cc.
#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>

#include "hloir/cost.h"
#include "support/format.h"

namespace hloir {
namespace {

struct ChannelDevice {
  int64_t replica = 0, partition = 0;
};

// The value of a scalar integer or predicate on a device, if it depends only on constants and the device's numbers.
class DeviceScalar {
 public:
  explicit DeviceScalar(const ChannelDevice& device) : device_(device) {}
  std::optional<int64_t> Of(const HloInstruction& i, int depth = 0) {
    constexpr int kMostDepth = 64, kMostLooks = 10000;  // a limit, because the number of paths may be exponential
    if (depth > kMostDepth || ++looks_ > kMostLooks) return std::nullopt;
    const auto operand = [&](int64_t k) { return Of(*i.operand(k), depth + 1); };
    switch (i.opcode()) {
      case HloOpcode::kPartitionId: return device_.partition;
      case HloOpcode::kReplicaId: return device_.replica;
      case HloOpcode::kConstant: {
        const Literal& literal = i.literal();
        if (!literal.shape().IsArray() || literal.element_count() != 1 || literal.elided()) return std::nullopt;
        const PrimitiveType type = literal.shape().element_type();
        if (!IsInteger(type) && type != PrimitiveType::PRED) return std::nullopt;
        return literal.GetAsInt64(0);
      }
      case HloOpcode::kConvert:
      case HloOpcode::kCopy:
      case HloOpcode::kBitcast:
      case HloOpcode::kReshape: {
        if (i.shape().ElementCount() != 1) return std::nullopt;
        const std::optional<int64_t> value = operand(0);
        if (i.shape().element_type() == PrimitiveType::PRED && value) return *value != 0;
        return value;
      }
      case HloOpcode::kNot:
        if (const auto value = operand(0); value && i.shape().element_type() == PrimitiveType::PRED) return !*value;
        return std::nullopt;
      case HloOpcode::kSelect: {
        const std::optional<int64_t> which = operand(0);
        return which ? operand(*which != 0 ? 1 : 2) : std::nullopt;
      }
      case HloOpcode::kGetTupleElement: {
        const HloInstruction& tuple = *i.operand(0);
        if (tuple.opcode() != HloOpcode::kTuple) return std::nullopt;
        return Of(*tuple.operand(i.tuple_index()), depth + 1);
      }
      case HloOpcode::kDynamicSlice: return LookedUp(i, depth);
      case HloOpcode::kParameter: return Argument(i, depth);
      default: break;  // unknown
    }
    if (i.operand_count() != 2) return std::nullopt;
    const std::optional<int64_t> a = operand(0), b = operand(1);
    if (!a || !b) return std::nullopt;
    return Combined(i, *a, *b);
  }

 private:
  // Device numbers are small, so wrap-around is ignored.
  static std::optional<int64_t> Combined(const HloInstruction& i, int64_t a, int64_t b) {
    constexpr int64_t kSmall = int64_t{1} << 30;
    if (std::max(a, b) > kSmall || std::min(a, b) < -kSmall) return std::nullopt;
    switch (i.opcode()) {
      case HloOpcode::kAdd: return a + b;
      case HloOpcode::kSubtract: return a - b;
      case HloOpcode::kMultiply: return a * b;
      case HloOpcode::kDivide: return a < 0 || b <= 0 ? std::nullopt : std::optional(a / b);
      case HloOpcode::kRemainder: return a < 0 || b <= 0 ? std::nullopt : std::optional(a % b);
      case HloOpcode::kMinimum: return std::min(a, b);
      case HloOpcode::kMaximum: return std::max(a, b);
      case HloOpcode::kAnd: return a & b;
      case HloOpcode::kOr: return a | b;
      case HloOpcode::kXor: return a ^ b;
      case HloOpcode::kCompare:
        switch (i.attributes<CompareAttributes>().direction) {
          case ComparisonDirection::kEq: return a == b;
          case ComparisonDirection::kNe: return a != b;
          case ComparisonDirection::kGe: return a >= b;
          case ComparisonDirection::kGt: return a > b;
          case ComparisonDirection::kLe: return a <= b;
          case ComparisonDirection::kLt: return a < b;
        }
        return std::nullopt;
      default: return std::nullopt;  // unknown
    }
  }
  // constant[index], by which partitioners look up a device's position in a list.
  std::optional<int64_t> LookedUp(const HloInstruction& slice, int depth) {
    const HloInstruction& table = *slice.operand(0);
    if (table.opcode() != HloOpcode::kConstant || table.shape().rank() != 1 || slice.shape().ElementCount() != 1 ||
        slice.operand_count() != 2 || table.literal().elided() || !IsInteger(table.shape().element_type()) ||
        table.shape().ElementCount() < 1)
      return std::nullopt;
    const std::optional<int64_t> index = Of(*slice.operand(1), depth + 1);
    if (!index) return std::nullopt;
    return table.literal().GetAsInt64(std::clamp<int64_t>(*index, 0, table.shape().ElementCount() - 1));
  }
  std::optional<int64_t> Argument(const HloInstruction& parameter, int depth) {
    const HloComputation& computation = *parameter.parent();
    if (computation.callers().size() != 1) return std::nullopt;
    const HloInstruction& caller = *computation.callers()[0];
    const int64_t number = parameter.parameter_number();
    if ((caller.opcode() == HloOpcode::kCall || caller.opcode() == HloOpcode::kFusion) &&
        number < caller.operand_count())
      return Of(*caller.operand(number), depth + 1);
    if (caller.opcode() != HloOpcode::kConditional) return std::nullopt;
    for (int64_t k = 0; k + 1 < caller.operand_count(); ++k)
      if (caller.called_computations()[static_cast<size_t>(k)] == &computation)
        return Of(*caller.operand(k + 1), depth + 1);
    return std::nullopt;
  }

  ChannelDevice device_;
  int looks_ = 0;
};

// True if the device executes the computation, false if not; nullopt if that depends on data.
std::optional<bool> Runs(const HloComputation& computation, const ChannelDevice& device, int& looks, int depth = 0) {
  constexpr int kMostDepth = 64, kMostLooks = 10000;
  if (computation.module() != nullptr && &computation == computation.module()->entry_computation()) return true;
  if (depth > kMostDepth || ++looks > kMostLooks) return std::nullopt;
  bool known = true;
  for (const HloInstruction* caller : computation.callers()) {
    std::optional<bool> taken = true;
    if (caller->opcode() == HloOpcode::kConditional) {
      const auto branches = caller->called_computations();
      const std::optional<int64_t> value = DeviceScalar(device).Of(*caller->operand(0));
      if (!value) {
        taken = std::nullopt;
      } else {
        const int64_t count = static_cast<int64_t>(branches.size());
        int64_t branch = caller->operand(0)->shape().element_type() == PrimitiveType::PRED ? (*value != 0 ? 0 : 1)
                         : *value < 0 || *value >= count                                   ? count - 1
                                                                                           : *value;
        taken = branch < count && branches[static_cast<size_t>(branch)] == &computation;
      }
    }
    if (taken == false) continue;
    const std::optional<bool> above = Runs(*caller->parent(), device, looks, depth + 1);
    if (taken == true && above == true) return true;
    if (above != false) known = false;
  }
  return known ? std::optional(false) : std::nullopt;
}

bool IsEnd(const HloInstruction& i) { return i.opcode() == HloOpcode::kSend || i.opcode() == HloOpcode::kRecv; }

std::string Listed(const std::vector<int64_t>& devices) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t k = 0; k < devices.size() && k <= kMost; ++k)
    text += k == kMost ? ", …" : Format("{}{}", k > 0 ? ", " : "", devices[k]);
  return text;
}

}  // namespace

std::optional<int64_t> OwnerOf(const HloInstruction& i) {
  const Sharding* sharding = i.sharding();
  if (sharding == nullptr) return std::nullopt;
  const auto of = [](const Sharding& s) -> std::optional<int64_t> {
    if (s.kind != Sharding::Kind::kMaximal) return std::nullopt;
    const std::vector<int64_t> devices = s.devices.Expand();
    return devices.size() == 1 ? std::optional(devices[0]) : std::nullopt;
  };
  if (sharding->kind != Sharding::Kind::kTuple) return of(*sharding);
  if (sharding->tuple_elements.empty()) return std::nullopt;
  const std::optional<int64_t> first = of(sharding->tuple_elements[0]);
  for (const Sharding& element : sharding->tuple_elements)
    if (of(element) != first) return std::nullopt;
  return first;
}

StatusOr<ChannelPairs> PairsOfChannel(const HloInstruction& transfer, int64_t replicas, int64_t partitions,
                                      std::span<const HloModule* const> programs) {
  replicas = std::max<int64_t>(replicas, 1), partitions = std::max<int64_t>(partitions, 1);
  const HloModule* own = transfer.module();
  if (programs.empty()) programs = std::span(&own, 1);
  const int64_t channel = transfer.attributes<TransferAttributes>().channel_id.value_or(0);
  const HloOpcode other = transfer.opcode() == HloOpcode::kSend ? HloOpcode::kRecv : HloOpcode::kSend;
  // Its ends, program by program.
  struct End {
    const HloInstruction* instruction;
    size_t program;
  };
  std::vector<End> ends;
  const HloInstruction* named = nullptr;  // an end of the channel with explicit pairs
  bool has_other = false;
  for (size_t p = 0; p < programs.size(); ++p) {
    for (const HloComputation* computation : programs[p]->computations()) {
      for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
        if (!IsEnd(*i) || i->attributes<TransferAttributes>().is_host_transfer) continue;
        if (i->attributes<TransferAttributes>().channel_id.value_or(0) != channel) continue;
        if (HasTransferPairs(*i)) {
          if (i->opcode() == other && named == nullptr) named = i;
          continue;
        }
        ends.push_back({i, p});
        has_other = has_other || i->opcode() == other;
      }
    }
  }
  ChannelPairs result;
  if (!has_other) {
    if (named == nullptr) {
      result.is_open = true;
      return result;
    }
    HLOIR_ASSIGN_OR_RETURN(result.pairs, MeetingGroups(*named, replicas, partitions));
    return result;
  }
  // On one device both ends are on it, regardless of shardings.
  const bool is_alone = replicas * partitions == 1;
  const bool of_partitions = partitions > 1;
  for (int64_t scope = 0; scope < (of_partitions ? replicas : 1); ++scope) {
    std::vector<int64_t> from, to;
    for (int64_t id = 0; id < (of_partitions ? partitions : replicas); ++id) {
      const ChannelDevice device{of_partitions ? scope : id, of_partitions ? id : 0};
      bool sends = false, receives = false;
      for (const End& end : ends) {
        if (programs.size() > 1 && end.program != static_cast<size_t>(id)) continue;
        if (const auto owner = OwnerOf(*end.instruction); owner && !is_alone && *owner != id) continue;
        int looks = 0;
        const std::optional<bool> runs = Runs(*end.instruction->parent(), device, looks);
        if (!runs)
          return Unimplemented(
              Format("{}: which devices come to it follows from data, and no "
                     "_xla_send_recv_source_target_pairs says who sends to whom",
                     end.instruction->name()));
        if (*runs) (end.instruction->opcode() == HloOpcode::kSend ? sends : receives) = true;
      }
      const int64_t number = device.replica * partitions + device.partition;
      if (sends) from.push_back(number);
      if (receives) to.push_back(number);
    }
    if (from == to) {
      for (int64_t device : from) result.pairs.push_back({device, device});
    } else if (from.size() == 1 && to.size() == 1) {
      result.pairs.push_back({from[0], to[0]});
    } else {
      // By its first end, because devices reach its ends in any order.
      return InvalidArgument(
          Format("{}: over channel {} devices {} send and devices {} receive, and no "
                 "_xla_send_recv_source_target_pairs says who to whom",
                 ends.front().instruction->name(), channel, from.empty() ? "none" : Listed(from),
                 to.empty() ? "none" : Listed(to)));
    }
  }
  return result;
}

std::vector<const HloInstruction*> OrderOfRun(const HloComputation& computation) {
  std::vector<const HloInstruction*> order = computation.PostOrder();
  bool sends = false, waits = false;
  for (const HloInstruction* i : order) {
    sends = sends || i->opcode() == HloOpcode::kSend;
    waits = waits || i->opcode() == HloOpcode::kRecvDone;
  }
  if (!sends || !waits) return order;
  // Kahn's algorithm by positions in the order; instructions that wait for other devices come last among the ready
  // ones.
  std::unordered_map<const HloInstruction*, size_t> place;
  for (size_t k = 0; k < order.size(); ++k) place.emplace(order[k], k);
  std::vector<size_t> missing(order.size(), 0);
  std::vector<std::vector<size_t>> after(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    const auto needs = [&](const HloInstruction* before) {
      const auto found = place.find(before);
      if (found == place.end()) return;
      after[found->second].push_back(k);
      ++missing[k];
    };
    for (const HloInstruction* operand : order[k]->operands()) needs(operand);
    for (const HloInstruction* before : order[k]->control_predecessors()) needs(before);
  }
  using Ready = std::priority_queue<size_t, std::vector<size_t>, std::greater<>>;
  Ready ready, waiting;
  const auto add = [&](size_t k) {
    const bool may_wait = order[k]->opcode() == HloOpcode::kRecvDone || order[k]->Is(kCollective | kControlFlow);
    (may_wait ? waiting : ready).push(k);
  };
  for (size_t k = 0; k < order.size(); ++k)
    if (missing[k] == 0) add(k);
  std::vector<const HloInstruction*> result;
  while (!ready.empty() || !waiting.empty()) {
    Ready& from = ready.empty() ? waiting : ready;
    const size_t k = from.top();
    from.pop();
    result.push_back(order[k]);
    for (size_t next : after[k])
      if (--missing[next] == 0) add(next);
  }
  return result.size() == order.size() ? result : order;  // in a circle: the verifier's to say
}

}  // namespace hloir
