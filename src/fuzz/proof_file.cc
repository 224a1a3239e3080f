// See proof_file.h.
#include "fuzz/proof_file.h"

#include "equivalence/write_proof.h"
#include "proof_check/proof_check.h"
#include "support/format.h"

namespace hloir::fuzz {

std::string ProofFiles::ToString() const {
  return Format("proof files: {} accepted by check-proof, {} unchecked, {} refused", accepted, unchecked, refused);
}

ProofFile OutcomeOfProofFile(const HloModule& before, const HloModule& after, std::string* why) {
  const auto written = equivalence::WriteProof(before, after);
  if (!written.ok()) return ProofFile::kNone;
  const auto checked = proof_check::CheckProof(before, after, written->text);
  *why = checked.ok() ? checked->why : std::string(checked.status().message());
  if (!checked.ok() || checked->outcome == proof_check::Outcome::kFalse) return ProofFile::kRefused;
  return checked->outcome == proof_check::Outcome::kHolds ? ProofFile::kAccepted : ProofFile::kUnchecked;
}

}  // namespace hloir::fuzz
