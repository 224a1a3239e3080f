// Rules of work that runs aside: each start has one user, its done (or update), each done one start; a channel is for
// transfers or for collectives, and a transfer's two halves agree on it.
#include <algorithm>
#include <initializer_list>
#include <unordered_map>

#include "internal.h"

#include "hloir/format.h"

namespace hloir::verification {
namespace {

using Opcodes = std::initializer_list<HloOpcode>;

std::string Names(Opcodes opcodes) {
  std::string text;
  for (HloOpcode opcode : opcodes) text += Format("{}{}", text.empty() ? "" : " or ", OpcodeName(opcode));
  return text;
}
bool IsOneOf(const HloInstruction& i, Opcodes opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), i.opcode()) != opcodes.end();
}

void ExpectOneUser(const HloInstruction& i, Opcodes users, Errors& errors) {
  if (i.user_count() != 1) {
    errors.Add(&i, "must have one user, {}, but has {}", Names(users), i.user_count());
  } else if (!IsOneOf(*i.users()[0], users)) {
    errors.Add(&i, "must be used by {}, but is used by {}", Names(users), i.users()[0]->opcode_name());
  }
}
void ExpectOperand(const HloInstruction& i, Opcodes operands, Errors& errors) {
  if (!IsOneOf(*i.operand(0), operands)) {
    errors.Add(&i, "must take {}, but takes {}", Names(operands), i.operand(0)->opcode_name());
  }
}

// A send or receive may be the whole of an async computation, and then has its done outside.
bool IsWrapped(const HloInstruction& i) {
  auto callers = i.parent()->callers();
  return i.IsRoot() && !callers.empty() && callers[0]->opcode() == HloOpcode::kAsyncStart;
}

void ExpectSameTransfer(const HloInstruction& start, Errors& errors) {
  if (start.user_count() != 1 || !start.users()[0]->HasAttributes<TransferAttributes>()) return;
  const HloInstruction& done = *start.users()[0];
  const auto &a = start.attributes<TransferAttributes>(), &b = done.attributes<TransferAttributes>();
  if (!a.channel_id || !b.channel_id) return;
  if (*a.channel_id != *b.channel_id) {
    errors.Add(&done, "has channel_id={}, but {} has {}", *b.channel_id, start.name(), *a.channel_id);
  } else if (a.is_host_transfer != b.is_host_transfer) {
    errors.Add(&done, "differs from {} in is_host_transfer", start.name());
  }
}

OptionalInt64 ChannelOf(const HloInstruction& i) {
  return std::visit(
      [](auto attributes) -> OptionalInt64 {
        if constexpr (requires { attributes->channel_id; }) return attributes->channel_id;
        else return std::nullopt;
      },
      i.attributes_variant());
}

}  // namespace

void VerifyAsyncPair(const HloInstruction& i, Errors& errors) {
  switch (i.opcode()) {
    // Async work may be handed on by a loop's state or a barrier.
    case HloOpcode::kAsyncStart:
      ExpectOneUser(
          i, {HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone, HloOpcode::kTuple, HloOpcode::kOptimizationBarrier},
          errors);
      break;
    case HloOpcode::kAsyncUpdate:
      ExpectOneUser(
          i, {HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone, HloOpcode::kTuple, HloOpcode::kOptimizationBarrier},
          errors);
      [[fallthrough]];
    case HloOpcode::kAsyncDone:
      ExpectOperand(i,
                    {HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate, HloOpcode::kGetTupleElement,
                     HloOpcode::kOptimizationBarrier},
                    errors);
      break;
    case HloOpcode::kAllReduceStart: ExpectOneUser(i, {HloOpcode::kAllReduceDone}, errors); break;
    case HloOpcode::kAllReduceDone: ExpectOperand(i, {HloOpcode::kAllReduceStart}, errors); break;
    case HloOpcode::kAllGatherStart: ExpectOneUser(i, {HloOpcode::kAllGatherDone}, errors); break;
    case HloOpcode::kAllGatherDone: ExpectOperand(i, {HloOpcode::kAllGatherStart}, errors); break;
    case HloOpcode::kCollectivePermuteStart: ExpectOneUser(i, {HloOpcode::kCollectivePermuteDone}, errors); break;
    case HloOpcode::kCollectivePermuteDone: ExpectOperand(i, {HloOpcode::kCollectivePermuteStart}, errors); break;
    case HloOpcode::kCopyStart: ExpectOneUser(i, {HloOpcode::kCopyDone}, errors); break;
    case HloOpcode::kCopyDone: ExpectOperand(i, {HloOpcode::kCopyStart}, errors); break;
    case HloOpcode::kSend:
      if (!IsWrapped(i)) ExpectOneUser(i, {HloOpcode::kSendDone, HloOpcode::kTuple}, errors);
      ExpectSameTransfer(i, errors);
      break;
    case HloOpcode::kRecv:
      if (!IsWrapped(i)) ExpectOneUser(i, {HloOpcode::kRecvDone, HloOpcode::kTuple}, errors);
      ExpectSameTransfer(i, errors);
      break;
    // A loop may carry a transfer under way, so that its done takes an element of the loop's state.
    case HloOpcode::kSendDone: ExpectOperand(i, {HloOpcode::kSend, HloOpcode::kGetTupleElement}, errors); break;
    case HloOpcode::kRecvDone: ExpectOperand(i, {HloOpcode::kRecv, HloOpcode::kGetTupleElement}, errors); break;
    default: break;
  }
}

void VerifyChannels(const HloModule& module, Errors& errors) {
  std::unordered_map<int64_t, const HloInstruction*> first_on;
  const HloInstruction* first_all_reduce = nullptr;
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (i->opcode() == HloOpcode::kAllReduce || i->opcode() == HloOpcode::kAllReduceStart) {
        if (first_all_reduce == nullptr) first_all_reduce = i;
        if (i->attributes<AllReduceAttributes>().constrain_layout !=
            first_all_reduce->attributes<AllReduceAttributes>().constrain_layout) {
          errors.Add(i, "differs from {} in constrain_layout; a module has all or none", first_all_reduce->name());
        }
      }
      if (!i->Is(kCollective | kAsyncPart)) continue;
      OptionalInt64 channel = ChannelOf(*i);
      if (!channel) continue;
      if (i->opcode() == HloOpcode::kAllReduce && *channel <= 0)
        errors.Add(i, "channel_id={} must be positive", *channel);
      auto [it, is_first] = first_on.emplace(*channel, i);
      const HloInstruction& other = *it->second;
      // JAX gives all collectives channel 1.
      if (!is_first && other.HasAttributes<TransferAttributes>() != i->HasAttributes<TransferAttributes>())
        errors.Add(i, "channel {} is already that of {} {}", *channel, other.opcode_name(), other.name());
    }
  }
}

}  // namespace hloir::verification
