// Custom-calls of XLA's GPU backend (cuBLAS, cuDNN, cuSOLVER, …) expressed in HLO: the engines, `custom-call-expander`
// and the cost analysis share one definition of each. docs/custom-calls.md lists them. Tests:
// tests/unit/custom_calls_test.cc, tests/passes/custom-call-expander.
//
// Threads: as HloBuilder, and no state of their own.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "hloir/builder.h"

#pragma GCC visibility push(default)
namespace hloir {

// A target and a description of its calls.
struct KnownCustomCall {
  std::string_view target;
  std::string_view meaning;  // in a few words
};
// All targets that BuildCustomCall implements, by name.
std::span<const KnownCustomCall> KnownCustomCalls();
// True if the target of `call`, a custom-call, is one of them.
bool IsKnownCustomCall(const HloInstruction& call);

// Adds ops to `b` that compute `call` on `operands`, which replace its own; the result has the call's shape except for
// layouts. Products and sums of narrow floats are computed in f32, as in the libraries. Scratch buffers are zeros.
// Unimplemented: an unknown target, or an unsupported form of it (for example random dropout). InvalidArgument:
// operands or backend_config do not fit the target. Ops added before an error are not removed.
StatusOr<HloInstruction*> BuildCustomCall(HloBuilder& b, const HloInstruction& call, HloBuilder::Ops operands);

// The same as a separate module: its parameters are the call's operands, in the default layout.
StatusOr<std::unique_ptr<HloModule>> CustomCallAsModule(const HloInstruction& call);

}  // namespace hloir
#pragma GCC visibility pop
