// Sends and receives: between simulated devices, of one device with itself, and with the host or another program, for
// which the caller's handler is called. hloir/cost.h determines the pairs. Tests: tests/unit/devices_test.cc.
#include "support/format.h"
#include "devices/devices.h"

namespace hloir::reference {
namespace {

// The half of a transfer with the pairs: a done may lack the attribute.
StatusOr<const HloInstruction*> BeginningOf(const EvalContext& context) {
  const HloInstruction& done = context.instruction;
  const bool receives = done.opcode() == HloOpcode::kRecv || done.opcode() == HloOpcode::kRecvDone;
  const HloOpcode wanted = receives ? HloOpcode::kRecv : HloOpcode::kSend;
  if (done.opcode() == wanted) return &done;
  if (done.operand(0)->opcode() == wanted) return done.operand(0);
  // Carried through a loop: both ends have the same channel.
  const auto channel = done.attributes<TransferAttributes>().channel_id;
  for (const HloInstruction* i : done.module()->AllInstructions())
    if (i->opcode() == wanted && i->attributes<TransferAttributes>().channel_id == channel) return i;
  return InvalidArgument(Format("{}: it has no matching start", done.name()));
}

int64_t ChannelOf(const HloInstruction& transfer) {
  return transfer.attributes<TransferAttributes>().channel_id.value_or(0);
}

// The pairs of a transfer; none for a transfer with the host.
StatusOr<ChannelPairs> EndsOf(const EvalContext& context, const HloInstruction& beginning) {
  ChannelPairs ends;
  Device* me = context.run.device();
  if (beginning.attributes<TransferAttributes>().is_host_transfer) {
    ends.is_open = true;
    return ends;
  }
  if (me == nullptr)
    return UnimplementedOp(context, beginning.opcode() == HloOpcode::kSend ? "there is no device to send to"
                                                                           : "there is no device to receive from");
  if (HasTransferPairs(beginning)) {
    HLOIR_ASSIGN_OR_RETURN(ends.pairs, MeetingGroups(beginning, me->counts.replicas, me->counts.partitions));
    return ends;
  }
  const auto found = me->channels.find(&beginning);
  if (found != me->channels.end()) return found->second;
  HLOIR_ASSIGN_OR_RETURN(ends, PairsOfChannel(beginning, me->counts.replicas, me->counts.partitions, me->programs));
  me->channels.emplace(&beginning, ends);
  return ends;
}

// The caller's pairs in a role: 0, the sender; 1, the receiver.
StatusOr<std::vector<std::vector<int64_t>>> PairsOf(const EvalContext& context, const HloInstruction& beginning,
                                                    const ChannelPairs& ends, size_t role) {
  const Device& me = *context.run.device();
  std::vector<std::vector<int64_t>> mine;
  for (const std::vector<int64_t>& pair : ends.pairs)
    if (pair[role] == me.index()) mine.push_back(pair);
  if (role == 1 && mine.size() > 1)
    return InvalidArgument(
        Format("{}: devices {} and {} both send to device {}", beginning.name(), mine[0][0], mine[1][0], me.index()));
  return mine;
}

Meeting TransferOf(const EvalContext& context, const std::vector<int64_t>& pair, size_t role) {
  return {.where = &context.instruction,
          .is_transfer = true,
          .id = ChannelOf(context.instruction),
          .group = pair,
          .mine = role,
          .waits = role == 1};
}

StatusOr<Literal> AskHost(const EvalContext& context, const HloInstruction& beginning, const Literal* sent) {
  const HostTransferHandler& handler = context.run.options().host_transfer;
  const bool is_host = beginning.attributes<TransferAttributes>().is_host_transfer;
  if (!handler) {
    const bool sends = beginning.opcode() == HloOpcode::kSend;
    return Unimplemented(is_host ? Format("{}: {} the host, and no host transfers were given", beginning.name(),
                                          sends ? "sends to" : "receives from")
                                 : Format("{}: no {} has channel {}: its other end is in another program",
                                          beginning.name(), sends ? "recv" : "send", ChannelOf(beginning)));
  }
  const Device* me = context.run.device();
  return handler({beginning, ChannelOf(beginning), me == nullptr ? 0 : me->index(), sent});
}

// True if only another device executes it.
bool IsOthers(const EvalContext& context, const HloInstruction& beginning) {
  const Device* me = context.run.device();
  const std::optional<int64_t> owner = OwnerOf(beginning);
  if (me == nullptr || !owner || me->counts.devices() == 1) return false;
  return *owner != (me->counts.partitions > 1 ? me->partition : me->replica);
}

}  // namespace

bool HasTransfers(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions())
    if (const auto* transfer = i->attributes().GetIf<TransferAttributes>(); transfer && !transfer->is_host_transfer)
      return true;
  return false;
}

// A sender deposits its value and continues.
Status PostTransfer(EvalContext& context) {
  const HloInstruction& send = context.instruction;
  HLOIR_ASSIGN_OR_RETURN(const ChannelPairs ends, EndsOf(context, send));
  if (ends.is_open) {
    if (IsOthers(context, send)) return OkStatus();
    const Literal value = Value(context.operands[0]).TakeLiteral();
    return AskHost(context, send, &value).status();
  }
  HLOIR_ASSIGN_OR_RETURN(const auto pairs, PairsOf(context, send, ends, 0));
  for (const std::vector<int64_t>& pair : pairs) {
    DeviceValues values;
    values.push_back(Value(context.operands[0]).TakeLiteral());
    HLOIR_RETURN_IF_ERROR(
        Rendezvous(*context.run.device(), TransferOf(context, pair, 0), std::move(values), {}).status());
  }
  return OkStatus();
}

StatusOr<Literal> AwaitTransfer(EvalContext& context, const Shape& shape) {
  HLOIR_ASSIGN_OR_RETURN(const HloInstruction* recv, BeginningOf(context));
  HLOIR_ASSIGN_OR_RETURN(const ChannelPairs ends, EndsOf(context, *recv));
  if (ends.is_open) {
    if (IsOthers(context, *recv)) return Literal(shape);
    HLOIR_ASSIGN_OR_RETURN(Literal value, AskHost(context, *recv, nullptr));
    if (value.shape().Compatible(shape)) return value;
    return InvalidArgument(
        Format("{} is given {}, not {}", recv->name(), value.shape().ToString(false), shape.ToString(false)));
  }
  HLOIR_ASSIGN_OR_RETURN(const auto pairs, PairsOf(context, *recv, ends, 1));
  if (pairs.empty()) return Literal(shape);
  HLOIR_ASSIGN_OR_RETURN(
      DeviceValues values,
      Rendezvous(*context.run.device(), TransferOf(context, pairs[0], 1), {},
                 [](const std::vector<DeviceValues>& operands) -> StatusOr<std::vector<DeviceValues>> {
                   return std::vector<DeviceValues>{operands[0]};
                 }));
  if (values.size() != 1 || !values[0].shape().Compatible(shape))
    return InvalidArgument(Format("{}: device {} sends device {} something of another shape",
                                  context.instruction.name(), pairs[0][0], pairs[0][1]));
  return std::move(values[0]);
}

}  // namespace hloir::reference
