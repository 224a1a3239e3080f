// The entry point of the verifier. It checks the structure first; if that is legal, each instruction by each group of
// rules, and the module's header. The rules are in the other files. They follow XLA's HloVerifier with mixed precision
// allowed: floats of different widths are compatible. tests/unit/verifier_test.cc, tests/verifier_errors/.
#include "hloir/verifier.h"
#include "support/format.h"

#include <algorithm>
#include <tuple>

#include "internal.h"
#include "support/guard.h"

namespace hloir {

std::vector<VerifierError> VerifyModuleAll(const HloModule& module, const VerifierOptions& options) {
  using namespace verifier;
  Errors errors(static_cast<size_t>(std::max(options.max_errors, 1)));
  VerifyStructure(module, errors);
  if (errors.empty()) {
    for (const HloInstruction* i : module.AllInstructions()) {
      if (errors.full()) break;
      if (!VerifyShape(*i, options, errors)) continue;
      VerifyCalls(*i, errors);
      VerifyCollective(*i, errors);
      VerifyAsyncPair(*i, errors);
      VerifySharding(*i, errors);
      VerifyOrigin(*i, errors);
    }
    VerifyAsyncChains(module, errors);
    VerifyChannels(module, errors);
    VerifyBuffers(module, errors);
    VerifyHeader(module, errors);
  }
  // The module's own errors first, then in the order of the text, or of creation without a text.
  auto place = [](const VerifierError& e) {
    return e.instruction == nullptr ? std::tuple(-1, -1) : std::tuple(e.instruction->line(), e.instruction->id());
  };
  std::stable_sort(errors.list().begin(), errors.list().end(),
                   [&](const VerifierError& a, const VerifierError& b) { return place(a) < place(b); });
  return std::move(errors.list());
}

Status VerifyModule(const HloModule& module, const VerifierOptions& options) try {
  VerifierOptions first = options;
  first.max_errors = 1;
  std::vector<VerifierError> errors = VerifyModuleAll(module, first);
  if (errors.empty()) return OkStatus();
  const HloInstruction* where = errors[0].instruction;
  if (where == nullptr) return InvalidArgument(Format("module {}: {}", module.name(), errors[0].message));
  std::string line = where->line() > 0 ? Format("line {}: ", where->line()) : "";
  return InvalidArgument(Format("{}{} {}: {}", line, where->opcode_name(), where->name(), errors[0].message));
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
