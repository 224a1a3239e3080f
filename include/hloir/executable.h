// HloExecutable: a module prepared once and run often. Preparing makes a flat list of kernel calls with every buffer's
// place in one arena; a run allocates nothing. In backend_cpu/plan.
//
// Threads. An executable owns its buffers and runs in one thread at a time. Different executables, also of one module,
// may be prepared and run concurrently while no thread edits the module. A run starts the executable's own threads at
// the first step that is large enough. Each step uses one thread for about every 60 microseconds of work, so that a
// module of a tenth of a millisecond runs in the calling thread. A step never waits for a thread that has not started
// it, and threads stop spinning some 5 microseconds after their last part. Results do not depend on the number of
// threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

class Transport;

// Options of PrepareExecutable and PrepareOnDevices.
struct ExecutableOptions {
  int threads = 0;  // at most; 0: as many as this process may use: by its affinity and its container's limit
  // One of SupportedIsas(). "": the one that the environment variable HLOIR_FORCE_ISA names, else the best.
  std::string isa;
  bool fuse_elementwise = true;  // run elementwise chains tile by tile
  bool choose_layouts = true;    // choose the cheapest layouts; otherwise all arrays are row-major
  bool pack_ahead = true;        // pack what a loop multiplies by once, before the loop, which takes memory
  EvaluatorOptions evaluator;    // limits, cancelling, elided constants, custom-calls, progress
  bool profile = false;          // measure each step: see ExecutionProfile
  // For PrepareOnDevices: the connection of the processes over which the devices are distributed, in order and evenly.
  // Not owned. Each process calls the same functions with the same module. nullptr: all devices are in this process.
  Transport* transport = nullptr;
  // For PrepareOnDevices: a folder for files that hold values and exchanged data instead of memory; then one device
  // runs at a time. "": memory, and ResourceExhausted if the machine has too little.
  std::string spill_folder;
  // For PrepareExecutable: a folder for files of plans, so that preparing the same module again takes less. "": none.
  // A file is used for its own build of hloir, instruction set, options and module alone; others and damaged ones are
  // ignored, and replaced by renaming a new file, so that several processes may share a folder. A checksum detects
  // damage but not manipulation: trust in a folder is trust in everyone who can write to it.
  std::string cache;
};

// What became of ExecutableOptions::cache.
struct CacheUse {
  bool was_read = false;
  std::string message;  // why a file was not used or not written; "" if there was none, or it was
};

// Time of a step of a prepared plan, over all runs so far.
struct StepProfile {
  std::string name;         // a description: "dot 128x256x64 f32"
  std::string instruction;  // the instruction whose result it computes, by its name in the module; the last one of a
                            // fused loop
  std::string op_name;      // of that instruction's metadata
  int depth = 0;            // loops and branches around it
  int64_t calls = 0;
  int64_t nanoseconds = 0;  // of all calls, without the time of nested steps
  int threads = 0;          // the maximum of all calls; determined by the work of the step
  int64_t bytes = 0;        // of the buffers that a call reads and writes
  double flops = 0;         // per call: floating-point and integer operations on elements
};
// Times of a prepared module's runs, step by step.
struct ExecutionProfile {
  // One call of a step.
  struct Event {
    int32_t step = 0;                 // index into `steps`
    int64_t start = 0, duration = 0;  // nanoseconds since the first run began
  };
  std::vector<StepProfile> steps;  // in the plan's order
  std::vector<Event> events;       // by end; only the first hundred thousand
  // Per second: the f32 product kernel on data in the first-level cache, times the threads.
  double peak_flops = 0;
};

// A module that is prepared to run.
class HloExecutable {
 public:
  virtual ~HloExecutable() = default;
  // The entry computation's result for these parameters, tuples as tuple literals. An argument may be a LiteralView,
  // which is read in place. Errors: InvalidArgument if the arguments do not fit, and those of EvaluatorOptions' limits.
  virtual StatusOr<Literal> Run(std::span<const Literal* const> arguments) = 0;
  // Like Run, but writes into `result`, which must have the shape of the result: a literal from an earlier run, or a
  // borrowed one (Literal::Borrow), so that the caller provides the memory. The run writes it from its beginning, so
  // arguments must not overlap it. Allocates nothing, which halves the latency of modules that take microseconds.
  virtual Status RunInto(std::span<const Literal* const> arguments, Literal* result) = 0;
  // Size of the one block that holds all intermediate values, in bytes.
  virtual int64_t arena_bytes() const = 0;
  virtual std::string isa() const = 0;
  virtual CacheUse cache_use() const;
  // Empty unless options.profile was set, and for a module that the reference runs as a whole.
  virtual ExecutionProfile Profile() const;
  // The plan as text, one step a line, for reading and for tests. A step of the reference evaluator comes with the
  // reason why no kernel runs it.
  virtual std::string ToString() const = 0;
};

// The module must be one that the verifier accepts (verifier.h), and must outlive the executable.
StatusOr<std::unique_ptr<HloExecutable>> PrepareExecutable(const HloModule& module,
                                                           const ExecutableOptions& options = {});

// The layout that a plan chooses for an array, or for several that share one, and the reason.
struct LayoutChoice {
  std::string instruction;  // the instruction that defines it, by its name in the module; the first of several
  Shape shape;              // of that result, with the layout that was chosen
  bool moved = false;       // it is not row-major
  std::string reason;       // a clause: the bytes that move with this layout, and without it
};
// The layouts that PrepareExecutable would choose, for the arrays with a choice, in the order of the module; those
// inside loops and branches precede the loop or branch. Results of elementwise ops, dots, convolutions and
// reduce-windows may have any layout; results do not depend on it. Empty for a module that the reference runs as a
// whole. Errors: InvalidArgument, ResourceExhausted, as PrepareExecutable.
StatusOr<std::vector<LayoutChoice>> ChosenLayouts(const HloModule& module, const ExecutableOptions& options = {});

// A module prepared for several devices: threads of this process, of which at most one per core runs at a time.
class HloDeviceExecutable {
 public:
  virtual ~HloDeviceExecutable() = default;
  // The entry computation's result on each device, as RunOnDevices (evaluator.h) numbers them; arguments[d] are device
  // d's. The same bits for any number of threads and processes. InvalidArgument, naming the instruction and the
  // devices, if these deadlock. With a transport, process 0 returns the results and the others return as many empty
  // literals; all return the same errors.
  virtual StatusOr<std::vector<Literal>> Run(std::span<const std::vector<const Literal*>> arguments) = 0;
  // The executable of a device, numbered from the first device of this process.
  virtual const HloExecutable& device(int64_t index) const = 0;
};

// options.threads: for all devices together. Handlers in options.evaluator are never called concurrently; with
// handlers, one device runs at a time. Progress and profile are those of the first device. The module must outlive the
// executable. ResourceExhausted for over 1024 devices.
StatusOr<std::unique_ptr<HloDeviceExecutable>> PrepareOnDevices(const HloModule& module, const DeviceCounts& counts,
                                                                const ExecutableOptions& options = {});
// One replica whose partition p runs programs[p]: they communicate by transfers and collectives of the same channel.
StatusOr<std::unique_ptr<HloDeviceExecutable>> PrepareOnDevices(std::span<const HloModule* const> programs,
                                                                const ExecutableOptions& options = {});
// The instruction sets of this machine that kernels exist for, best last: "scalar", plain C++ for any machine; on
// x86-64 "sse2", "avx2", "avx512"; on AArch64 "neon". Never empty.
std::vector<std::string> SupportedIsas();

// Transport: messages between the processes of one run, so that a module's devices may be spread over processes and
// machines (ExecutableOptions::transport). Any channel that carries bytes can implement it; OpenMpi uses MPI.
//
//   StatusOr<std::unique_ptr<Transport>> transport = OpenMpi();
//   if (transport.ok()) options.transport = transport->get();   // then PrepareOnDevices as usual, in each process
//
// One thread at a time uses a transport: the one that calls PrepareOnDevices and HloDeviceExecutable::Run. Tests:
// tests/unit/transport_test.cc, over queues; tests/mpi/compare.py, by mpirun.

// One process's end.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int rank() const = 0;  // this process, of 0, 1, …
  virtual int size() const = 0;  // how many there are
  // Takes the message and returns without waiting for the receiver. Messages from one process to another arrive in
  // order.
  virtual void Send(int to, std::string message) = 0;
  // A message that has arrived, and its sender; nothing if none has arrived. Never waits.
  virtual std::optional<std::pair<int, std::string>> Receive() = 0;
};

// True if this process was started by mpirun or similar, as one of several.
bool IsStartedByMpi();
// A transport over MPI, from the plugin libhloir_mpi.so, which is built if MPI is installed (option HLOIR_MPI); the
// library itself does not depend on MPI. Call it once per process, in its main thread. Unimplemented, listing the
// searched paths, if there is no plugin.
StatusOr<std::unique_ptr<Transport>> OpenMpi();

}  // namespace hloir
#pragma GCC visibility pop
