// See device_executable.h. Tests: tests/unit/devices_test.cc, transport_test.cc.
#include "devices/device_executable.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "devices/remote.h"
#include "hloir/printer.h"
#include "support/format.h"

namespace hloir::reference {
namespace {

// The memory of this machine, or of the container's limit. Use by others is unknown.
int64_t MachineMemory() {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) bytes = int64_t{pages} * page;
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/memory.max", "r")) {
    long long limit = 0;
    if (std::fscanf(file, "%lld", &limit) == 1 && limit > 0) bytes = std::min<int64_t>(bytes, limit);
    std::fclose(file);
  }
  return bytes;
}

std::string Gigabytes(double bytes) { return Format("{:.1f} GB", bytes / 1e9); }

// An executable for each device, each on separate threads, which exchange data through Rendezvous.
class DeviceExecutable : public HloDeviceExecutable {
 public:
  DeviceExecutable(const DeviceCounts& counts, std::span<const HloModule* const> programs)
      : counts_(counts), programs_(programs.begin(), programs.end()), devices_(MakeDevices(counts, programs_)) {}

  Status Prepare(ExecutableOptions options, const PrepareOne& prepare) {
    const int64_t cores = options.threads;
    const EvaluatorOptions& evaluator = options.evaluator;
    if (options.transport != nullptr) network_.emplace(*options.transport, counts_.devices());
    first_ = network_ ? network_->first() : 0;
    const int64_t here = network_ ? network_->count() : counts_.devices();
    how_.network = network_ ? &*network_ : nullptr;
    how_.spill_folder = options.spill_folder;
    // Handlers may not be reentrant. Only the first device reports progress. Values on disk are in memory for one
    // device at a time.
    const bool handlers = evaluator.infeed || evaluator.outfeed || evaluator.host_transfer || evaluator.on_result ||
                          !evaluator.custom_calls.empty();
    how_.at_once = handlers || !options.spill_folder.empty() ? 1 : std::max<int64_t>(std::min(cores, here), 1);
    options.threads = static_cast<int>(std::max<int64_t>(cores / std::max<int64_t>(here, 1), 1));
    executables_.resize(static_cast<size_t>(here));
    // Preparation uses the same threads as a run. Its results identify the module of each process, which must be the
    // same.
    DeviceRun preparing = how_;
    preparing.judge = [](const std::vector<Literal>& got) { return CheckSame(got); };
    size_t text = 0;
    if (network_)
      for (const HloModule* program : programs_)
        text = 31 * text + std::hash<std::string>()(PrintModule(*program, PrintOptions::Fingerprint()));
    const auto prepared = RunOnEach(devices_, preparing, [&](Device& device) -> StatusOr<Literal> {
      ExecutableOptions mine = options;
      const bool is_first = device.index() == first_;
      if (!is_first) mine.profile = false, mine.evaluator.on_progress = nullptr;
      auto& executable = executables_[Place(device)];
      const HloModule& program = device.program(programs_);
      HLOIR_ASSIGN_OR_RETURN(executable, prepare(device, program, mine));
      if (options.spill_folder.empty() && (is_first || programs_.size() > 1))
        HLOIR_RETURN_IF_ERROR(CheckMemory(program, *executable, programs_.size() > 1 ? 1 : here));
      if (!network_) return Literal();
      Literal got(Shape::Array(PrimitiveType::U64, {2}));
      got.data<uint64_t>()[0] = text;
      got.data<uint64_t>()[1] = std::hash<std::string>()(executable->isa());
      return got;
    });
    return prepared.status();
  }

  StatusOr<std::vector<Literal>> Run(std::span<const std::vector<const Literal*>> arguments) override {
    HLOIR_RETURN_IF_ERROR(CheckDeviceArguments(counts_, arguments.size()));
    return RunOnEach(devices_, how_, [&](Device& device) {
      return executables_[Place(device)]->Run(arguments[static_cast<size_t>(device.index())]);
    });
  }
  const HloExecutable& device(int64_t index) const override { return *executables_[static_cast<size_t>(index)]; }

 private:
  size_t Place(const Device& device) const { return static_cast<size_t>(device.index() - first_); }

  // All devices have the same plan, so each needs the same memory.
  static Status CheckMemory(const HloModule& module, const HloExecutable& one, int64_t devices) {
    double results = 0, parameters = 0;
    for (const Shape* leaf : module.entry_computation()->root()->shape().Leaves())
      results += static_cast<double>(leaf->ByteSize());
    for (int64_t i = 0; i < module.entry_computation()->parameter_count(); ++i)
      parameters += static_cast<double>(module.entry_computation()->parameter(i)->shape().ByteSize());
    const double values = static_cast<double>(one.arena_bytes()), each = values + results;
    // Parameters are owned by the caller and may be shared by all devices.
    const double all = each * static_cast<double>(devices) + parameters;
    const double memory = static_cast<double>(MachineMemory());
    if (all <= memory) return OkStatus();
    return ResourceExhausted(
        Format("{} devices take {}, {} for values and {} for results each, and this machine has {}: values can be on "
               "disk (--spill=DIR), or devices on other machines (mpirun)",
               devices, Gigabytes(all), Gigabytes(values), Gigabytes(results), Gigabytes(memory)));
  }

  static Status CheckSame(const std::vector<Literal>& got) {
    for (size_t d = 1; d < got.size(); ++d) {
      if (got[d].element_count() != 2 || got[0].element_count() != 2) continue;  // one process
      if (got[d].GetAsInt64(0) != got[0].GetAsInt64(0))
        return InvalidArgument(Format("device {} has another module than device 0", d));
      if (got[d].GetAsInt64(1) != got[0].GetAsInt64(1))
        return InvalidArgument(
            Format("device {} runs on other instructions than device 0: choose one set for all by "
                   "the environment variable HLOIR_FORCE_ISA",
                   d));
    }
    return OkStatus();
  }

  const DeviceCounts counts_;
  const std::vector<const HloModule*> programs_;  // one, or each partition's
  std::vector<Device> devices_;                   // of all processes
  std::optional<Network> network_;
  DeviceRun how_;
  int64_t first_ = 0;  // of this process
  std::vector<std::unique_ptr<HloExecutable>> executables_;
};

}  // namespace

StatusOr<std::unique_ptr<HloDeviceExecutable>> PrepareDevices(const DeviceCounts& counts,
                                                              std::span<const HloModule* const> programs,
                                                              const ExecutableOptions& options,
                                                              const PrepareOne& prepare) {
  auto made = std::make_unique<DeviceExecutable>(counts, programs);
  HLOIR_RETURN_IF_ERROR(made->Prepare(options, prepare));
  return std::unique_ptr<HloDeviceExecutable>(std::move(made));
}

}  // namespace hloir::reference
