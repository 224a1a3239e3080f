// HloEvaluator: computes the value of an instruction or computation. Constant folding, tests and the equivalence check
// depend on this interface, not on a backend. The scalar reference behind it: backend_cpu/reference.
//
// Threads: an evaluator may be shared: its functions are const, keep nothing between calls and may run concurrently if
// the handlers in its options may. Its modules must not be edited meanwhile.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

enum class ElidedConstants { kRefuse, kZeros, kIota, kRandom };

// The treatment of custom-calls with unknown semantics (IsUnknownCall).
enum class UnknownCalls {
  kRefuse,  // Unimplemented
  // Uninterpreted functions of the operands: equal targets, configs and operands give equal results. Float results are
  // smooth in float operands, so that small rounding differences stay small.
  kUninterpreted,
};

// A function that computes a custom-call.
using CustomCallHandler =
    std::function<StatusOr<Literal>(const HloInstruction& call, std::span<const Literal* const> operands)>;

// A send or recv whose other end is the host (is_host_transfer=true), or a program that does not run with this one.
struct HostTransfer {
  const HloInstruction& instruction;  // its frontend attributes may name the host's function
  int64_t channel = 0;
  int64_t device = 0;             // as RunOnDevices numbers them
  const Literal* sent = nullptr;  // a send's value; null: a recv wants one
};
// For a send: takes the value, returns any literal. For a recv: returns a value of the shape of its first element.
using HostTransferHandler = std::function<StatusOr<Literal>(const HostTransfer& transfer)>;

// Limits, hooks and custom-call implementations for evaluators and executables.
struct EvaluatorOptions {
  int64_t max_steps = int64_t{1} << 40;       // instructions executed; each 1024 operations and bytes are one more
  int64_t max_bytes = int64_t{1} << 34;       // of all values at once, the result included
  const std::atomic<bool>* cancel = nullptr;  // once true, a run stops with Cancelled; set it from any thread
  ElidedConstants elided = ElidedConstants::kRefuse;
  UnknownCalls unknown_calls = UnknownCalls::kRefuse;
  // By target. These precede the targets that hloir knows.
  std::unordered_map<std::string, CustomCallHandler> custom_calls;
  // The host's side of infeed (gives a value of the shape) and outfeed. Without them these ops are Unimplemented.
  std::function<StatusOr<Literal>(const Shape& shape)> infeed;
  std::function<Status(const Literal& value)> outfeed;
  // The other end of transfers that are not between devices. Without it they are Unimplemented, by name.
  HostTransferHandler host_transfer;
  // Called with each instruction's result, before it is used; for traces and for finding the first difference of two
  // modules.
  std::function<void(const HloInstruction&, const Literal&)> on_result;
  // Called after each step of the entry computation, of which there are `total`; a whole loop is one step.
  std::function<void(int64_t done, int64_t total)> on_progress;
};

// True if `instruction` is a custom-call whose target hloir does not know, or a call back into the program that made
// the module, and it carries no computation.
bool IsUnknownCall(const HloInstruction& instruction);

// Evaluates modules that the verifier accepts (verifier.h).
class HloEvaluator {
 public:
  virtual ~HloEvaluator() = default;
  // The value of one instruction, given its operands' values. It may run the computations that it calls.
  virtual StatusOr<Literal> EvaluateInstruction(const HloInstruction& instruction,
                                                std::span<const Literal* const> operands) const = 0;
  // The value of the root, given the parameters' values. Errors: Unimplemented names the op, ResourceExhausted the
  // limit.
  virtual StatusOr<Literal> EvaluateComputation(const HloComputation& computation,
                                                std::span<const Literal* const> arguments) const = 0;
};

// The scalar reference: one plain loop per op, for every type; slow and simple. In backend_cpu/reference.
std::unique_ptr<HloEvaluator> MakeReferenceEvaluator(EvaluatorOptions options = {});

// Several devices on one machine: the reference evaluator runs a module for each replica and partition, in lockstep.
// Each device runs until it reaches a collective (all-reduce, all-gather, collective-permute, …) that others have not
// reached yet; then the next device runs. So every run has the same order of events. It may be called from any thread
// while none edits the module; it calls the handlers in the options from its own threads, never concurrently.
// PrepareOnDevices (executable.h) is faster.

// The number of devices on which a module runs.
struct DeviceCounts {
  int64_t replicas = 1, partitions = 1;
  int64_t devices() const { return replicas * partitions; }
};
// From the module's header; if that declares one device, from the groups of the module's collectives.
DeviceCounts DeviceCountsOf(const HloModule& module);
// ResourceExhausted for more than 1024 devices, the limit of the simulation. Call it before allocating arguments for
// all of them.
Status CheckDeviceCounts(const DeviceCounts& counts);
// True if the entry's result depends on the device that runs it, or on other devices.
bool UsesDevices(const HloModule& module);

// The entry's result on each device. Device d is partition d % partitions of replica d / partitions; arguments[d] are
// its parameters. The limits hold for each device. InvalidArgument, naming the instruction, if the devices
// deadlock.
StatusOr<std::vector<Literal>> RunOnDevices(const HloModule& module, const DeviceCounts& counts,
                                            std::span<const std::vector<const Literal*>> arguments,
                                            const EvaluatorOptions& options = {});
// One replica whose partition p runs programs[p].
StatusOr<std::vector<Literal>> RunOnDevices(std::span<const HloModule* const> programs,
                                            std::span<const std::vector<const Literal*>> arguments,
                                            const EvaluatorOptions& options = {});

}  // namespace hloir
#pragma GCC visibility pop
