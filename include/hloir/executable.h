// HloExecutable: a module prepared once and run often. Preparing makes a flat list of kernel calls with every buffer's
// place in one arena; a run allocates nothing. In backend_cpu/plan.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

struct ExecutableOptions {
  int threads = 0;  // 0: as many as the machine has; the result is the same for any number
  // "": the best the machine has, or what HLOIR_FORCE_ISA says; else "sse2", "avx2" or "avx512".
  std::string isa;
  bool fuse_elementwise = true;  // run elementwise chains tile by tile
  EvaluatorOptions evaluator;    // limits, cancelling, elided constants, custom-calls, progress
  bool profile = false;          // measure each step: see ExecutionProfile
};

// What the steps of a prepared plan took, over all runs so far.
struct StepProfile {
  std::string name;
  int depth = 0;  // loops and branches around it
  int64_t calls = 0;
  int64_t nanoseconds = 0;  // of all calls, without those of the steps inside it
  int64_t bytes = 0;        // of the buffers that a call reads and writes
  double flops = 0;         // of a call: floating-point and integer operations on elements
};
struct ExecutionProfile {
  struct Event {
    int32_t step = 0;                 // index into `steps`
    int64_t start = 0, duration = 0;  // nanoseconds since the first run began
  };
  std::vector<StepProfile> steps;  // in the plan's order
  std::vector<Event> events;       // by end; only the first hundred thousand
  double peak_flops = 0;           // a second: what the f32 product kernel does from the first cache, times the threads
};

class HloExecutable {
 public:
  virtual ~HloExecutable() = default;
  // `arguments` are the entry computation's parameters, tuples as tuple literals. Not to be called from two threads at
  // once.
  virtual StatusOr<Literal> Run(std::span<const Literal* const> arguments) = 0;
  // The same into a literal that an earlier run has given: where memory is dear to get, half the time of a quick
  // module.
  virtual Status RunInto(std::span<const Literal* const> arguments, Literal* result) = 0;
  // Bytes of the one block that holds all intermediate values.
  virtual int64_t arena_bytes() const = 0;
  virtual std::string isa() const = 0;
  // Empty unless options.profile was set; of a module that the reference runs as a whole, always.
  virtual ExecutionProfile Profile() const { return {}; }
  // The plan as text, one step a line, for reading and for tests.
  virtual std::string ToString() const = 0;
};

// The module must be one that the verifier accepts (verifier.h), and must outlive the executable.
StatusOr<std::unique_ptr<HloExecutable>> PrepareExecutable(const HloModule& module,
                                                           const ExecutableOptions& options = {});
// Instruction sets of this machine that kernels exist for, best last.
std::vector<std::string> SupportedIsas();

}  // namespace hloir
