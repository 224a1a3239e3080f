// HloExecutable: a module prepared once and run often. Preparing makes a flat list of kernel calls with every buffer's place
// in one arena; a run allocates nothing. In backend_cpu/plan.
#pragma once

#include <atomic>
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
  bool fuse_elementwise = true;   // run elementwise chains tile by tile
  EvaluatorOptions evaluator;     // limits, elided constants, custom-calls
  const std::atomic<bool>* cancel = nullptr;
};

class HloExecutable {
 public:
  virtual ~HloExecutable() = default;
  // `arguments` are the entry computation's parameters, tuples as tuple literals. Not to be called from two threads at once.
  virtual StatusOr<Literal> Run(std::span<const Literal* const> arguments) = 0;
  // The same into a literal that an earlier run has given: where memory is dear to get, half the time of a quick module.
  virtual Status RunInto(std::span<const Literal* const> arguments, Literal* result) = 0;
  // Bytes of the one block that holds all intermediate values.
  virtual int64_t arena_bytes() const = 0;
  virtual std::string isa() const = 0;
  // The plan as text, one step a line, for reading and for tests.
  virtual std::string ToString() const = 0;
};

// The module must outlive the executable.
StatusOr<std::unique_ptr<HloExecutable>> PrepareExecutable(const HloModule& module, const ExecutableOptions& options = {});
// Instruction sets of this machine that kernels exist for, best last.
std::vector<std::string> SupportedIsas();

}  // namespace hloir
