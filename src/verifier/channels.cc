// Rules of channels: the two halves of a transfer name the same one; transfers with the host that share one are the
// same transfer; all-reduces have positive ones.
// tests/verifier_errors/.
#include <unordered_map>

#include "internal.h"

namespace hloir::verifier {
namespace {

void VerifyTransfer(const HloInstruction& start, Errors& errors) {
  if (start.user_count() != 1 || !start.users()[0]->HasAttributes<TransferAttributes>()) return;
  const HloInstruction& done = *start.users()[0];
  const auto &a = start.attributes<TransferAttributes>(), &b = done.attributes<TransferAttributes>();
  auto name = [](OptionalInt64 channel) { return channel ? std::to_string(*channel) : std::string("none"); };
  if (a.channel_id && a.channel_id != b.channel_id) {
    errors.Add(&done, "has channel_id={}, but {} has {}", name(b.channel_id), start.name(), name(a.channel_id));
  } else if (a.channel_id && a.is_host_transfer != b.is_host_transfer) {
    errors.Add(&done, "differs from {} in is_host_transfer", start.name());
  }
}

bool SameTransfer(const HloInstruction& a, const HloInstruction& b) {
  if (a.opcode() != b.opcode() || !(a.shape() == b.shape()) || a.operand_count() != b.operand_count()) return false;
  for (int64_t k = 0; k < a.operand_count(); ++k) {
    if (!(a.operand(k)->shape() == b.operand(k)->shape())) return false;
  }
  return a.extras().frontend_attributes == b.extras().frontend_attributes;
}

}  // namespace

void VerifyChannels(const HloModule& module, Errors& errors) {
  std::unordered_map<int64_t, const HloInstruction*> first_with_host;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->opcode() == HloOpcode::kAllReduce || i->opcode() == HloOpcode::kAllReduceStart) {
      const auto& a = i->attributes<AllReduceAttributes>();
      if (i->opcode() == HloOpcode::kAllReduce && a.channel_id && *a.channel_id <= 0)
        errors.Add(i, "channel_id={} must be positive", *a.channel_id);
    } else if (i->opcode() == HloOpcode::kSend || i->opcode() == HloOpcode::kRecv) {
      VerifyTransfer(*i, errors);
      const auto& a = i->attributes<TransferAttributes>();
      if (!a.is_host_transfer || !a.channel_id) continue;
      const HloInstruction& first = *first_with_host.emplace(*a.channel_id, i).first->second;
      if (!SameTransfer(first, *i))
        errors.Add(i, "is another transfer than {}, but has channel {} with the host as well", first.name(),
                   *a.channel_id);
    }
  }
}

}  // namespace hloir::verifier
