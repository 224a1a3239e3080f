// Custom-calls that dumps of XLA's GPU backend are full of (cuBLAS, cuDNN, cuSOLVER, …), said in HLO: one meaning, by
// which the engines run them, `custom-call-expander` writes them out, and costs can be told. docs/custom-calls.md says
// what each computes. Tests: tests/unit/custom_calls_test.cc, tests/passes/custom-call-expander.
//
// Threads: as HloBuilder, and no state of their own.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "hloir/builder.h"

#pragma GCC visibility push(default)
namespace hloir {

// A target and what its calls compute.
struct KnownCustomCall {
  std::string_view target;
  std::string_view meaning;  // in a few words
};
// All targets that BuildCustomCall has a meaning for, by name.
std::span<const KnownCustomCall> KnownCustomCalls();
// Whether `call`, a custom-call, is one of them.
bool IsKnownCustomCall(const HloInstruction& call);

// Adds ops to `b` that compute what `call` does with `operands` in the place of its own; the result has the call's
// shape, layouts aside. Products and sums of narrow floats are taken in f32, as the libraries do. Scratch buffers are
// zeros. Unimplemented: the target is not known, or not this form of it (dropout is random, for example).
// InvalidArgument: operands or backend_config do not fit the target. What was added before an error stays.
StatusOr<HloInstruction*> BuildCustomCall(HloBuilder& b, const HloInstruction& call, HloBuilder::Ops operands);

// The same as a module of its own: its parameters are the call's operands, in the default layout.
StatusOr<std::unique_ptr<HloModule>> CustomCallAsModule(const HloInstruction& call);

}  // namespace hloir
#pragma GCC visibility pop
