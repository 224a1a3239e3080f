// Reduction: finds a small module with a given property ("the verifier crashes", "the passes change its result") by
// removing results, instructions and bodies, first many at once, while the property holds. Text that is not a legal
// module is reduced as text.
//
// Example:
//
//   auto has_add = [](const HloModule& m) {
//     for (const HloInstruction* i : m.entry_computation()->instructions())
//       if (i->opcode() == HloOpcode::kAdd) return true;
//     return false;
//   };
//   std::unique_ptr<HloModule> small = ReduceModule(module, has_add);
//
// May be called from any thread. Used by `reduce`, `verify --save` and `fuzz run`; tested by tests/unit/bisect_test.cc
// and reduce_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hloir/check.h"
#include "hloir/module.h"
#include "hloir/runner.h"

namespace hloir {

// `property` is called with legal modules only; it must hold for `module`. After `max_attempts` candidates, returns the
// smallest so far. A removed operand in the entry computation becomes a parameter of its name.
std::unique_ptr<HloModule> ReduceModule(const HloModule& module, const std::function<bool(const HloModule&)>& property,
                                        int64_t max_attempts = INT64_MAX);

// A reduced module, and the inputs on which it has the property.
struct ReducedCase {
  std::unique_ptr<HloModule> module;
  InputSet inputs;
};
// The same for a property of a module on inputs. A removed part is replaced by the value that the reference evaluator
// computes for it from `inputs`. On several devices instructions are removed without replacement.
ReducedCase ReduceOnInputs(const HloModule& module, const InputSet& inputs,
                           const std::function<bool(const HloModule&, const InputSet&)>& property,
                           const RunnerOptions& options = {}, int64_t max_attempts = 4000);

// Two modules, and inputs on which they disagree.
struct ReducedPair {
  std::unique_ptr<HloModule> before, after;
  InputSet inputs;
};
// The first disagreeing parts of two modules on `inputs`: equal values of both become parameters, and the first
// different value the result. The names of the two need not correspond. Copies of the whole modules if no part
// disagrees in isolation, or on several devices.
ReducedPair ReducePair(const HloModule& before, const HloModule& after, const InputSet& inputs,
                       const CheckOptions& options = {});

// Writes the files of a disagreement: the inputs to STEM.npz (in0, in1, …; for several devices device0.in0, …), the
// module, if given, to STEM.hlo, and the second of two to STEM.other.hlo. `hloir verify STEM.hlo --inputs=STEM.npz` and
// `hloir run` take them.
Status WriteSpecimen(const std::string& stem, const InputSet& inputs, const HloModule* module = nullptr,
                     const HloModule* other = nullptr);

// Reduces a text while the property holds: removes lines, first many at once, and then words.
std::string ReduceText(std::string_view text, const std::function<bool(const std::string&)>& property,
                       int64_t max_attempts = INT64_MAX);

}  // namespace hloir
