// See prove_first.h. Covered by tests/unit/check_test.cc.
#include "check/prove_first.h"

#include "check/confirm.h"

namespace hloir::check {

Proved ProveFirst(const HloModule& before, const HloModule& after) {
  Proved proved;
  ProveOptions options;
  options.confirm = ConfirmDifference;
  proved.proof = Prove(before, after, options);
  const size_t leaves = before.entry_computation()->root()->shape().Leaves().size();
  if (proved.proof.holds) proved.outputs.assign(leaves, Answer::kProvedBitwise);
  return proved;
}

}  // namespace hloir::check
