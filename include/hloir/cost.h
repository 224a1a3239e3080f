// What a module costs to run: operations, transcendentals, and bytes read and written, per instruction and in all. The
// rules are those of XLA's HloCostAnalysis, so that figures can be held against XLA's; docs/cost.md has them, with the
// differences. Counted, not measured: nothing is said of caches, threads or a machine.
//
// Example:
//
//   const CostAnalysis cost(module);
//   double flops = cost.total().once.flops, rounds_counted = cost.total().repeated.flops;
//   double bytes = cost.Of(*module.entry_computation()->root()).once.bytes;
//
// An analysis is of the module as it was when it was made; it reads the module, so any thread may use one of its own.
// Tested by tests/unit/cost_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hloir/module.h"

#pragma GCC visibility push(default)
namespace hloir {

// Whole numbers, as doubles: a sum may pass 2^63.
struct Cost {
  double flops = 0;            // operations on elements that are not transcendental; a multiply-add is two
  double transcendentals = 0;  // elements that transcendental ops give
  double bytes = 0;            // read from operands and written to the result; types under a byte take one

  Cost& operator+=(const Cost& other);
  friend Cost operator*(Cost cost, double times);
  friend bool operator==(const Cost&, const Cost&) = default;
};

// A cost, counted in both ways that loops can be counted.
struct CostResult {
  Cost once;                  // XLA's figures: the body of a loop counts once
  Cost repeated;              // the body of a loop counts as often as it runs, where that is known; else once
  int64_t unknown_loops = 0;  // loops in it of which it is not
  int64_t custom_calls = 0;   // in it of targets that docs/cost.md does not list: nothing is counted for them
};

// The costs of a module: of each instruction, each computation, and in all.
class CostAnalysis {
 public:
  // Linear in the module's size.
  explicit CostAnalysis(const HloModule& module);

  // Of the entry computation, with all that it calls.
  const CostResult& total() const { return total_; }
  // Of one run of `computation`: zero if it has come into the module since.
  const CostResult& Of(const HloComputation& computation) const;
  // Of one instruction, with what it calls: a fusion's operations are its body's, its bytes its operands' and results'.
  // An instruction that has come into the module since is fine, if what it calls has not.
  CostResult Of(const HloInstruction& instruction) const;
  // For one who edits the module: counts `computation` anew, from what is known of its callees.
  void Update(const HloComputation& computation);
  // How the bytes divide: what is read of each operand, and what is written. A call, loop or conditional moves nothing
  // itself.
  struct Bytes {
    std::vector<double> operands;
    double output = 0;
    double Sum() const;
  };
  Bytes BytesOf(const HloInstruction& instruction) const;

 private:
  CostResult total_;
  std::vector<CostResult> computations_;  // by id
};

// How often the loop's body runs, if its counter tells (FindLoopCounter) or its backend_config does: XLA's
// {"known_trip_count":{"n":"5"}}.
std::optional<int64_t> TripCount(const HloInstruction& loop);

// How often one run of the entry runs each computation as a step of control flow, by computation id: a loop's body as
// often as it runs, where that is known, else once; each branch of a conditional once. 0 for what is only applied to
// elements, fused, or reached by nothing.
std::vector<double> ExecutionCounts(const HloModule& module);

}  // namespace hloir
#pragma GCC visibility pop
