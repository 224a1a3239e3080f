// hloir cost: the cost of a module: operations, bytes, communication, memory, and time on a device.
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "inspect/cost_report.h"
#include "hloir/io.h"
#include "tools/command.h"
#include "tools/devices.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct CostFlags {
  std::string file, module, device, mesh, trace, save_device;
  int64_t top = 10;
  int threads = 0;
  bool json = false, optimize = false;
};

int RunCost(const CostFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  const std::string file = DisplayName(flags.file);
  auto loaded = LoadForCost(flags.file, flags.optimize, flags.module);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  const HloModule& module = loaded->module();
  CostReportOptions options;
  options.most = static_cast<size_t>(flags.top);
  if (!loaded->measured.empty()) options.measured = &loaded->measured.front();
  if (!flags.mesh.empty()) {
    auto mesh = MeshFor(module, flags.mesh);
    if (!mesh.ok()) return Fail(mesh.status());
    options.mesh = *std::move(mesh);
  }
  std::optional<DeviceDescription> device;
  if (!flags.device.empty()) {
    auto found = FindDevice(flags.device, flags.threads);
    if (!found.ok()) return Fail(found.status());
    options.device = &device.emplace(*std::move(found));
    if (!flags.save_device.empty()) {
      const Status written = WriteOutput(flags.save_device, DeviceJson(*device));
      if (!written.ok()) return Fail(written);
    }
  }
  if (!flags.trace.empty()) {
    if (!device) return Fail(InvalidArgument("--trace needs a --device"));
    const Roofline roofline(module, *device, options.mesh);
    const Status written = WriteOutput(flags.trace, CostTrace(roofline));
    if (!written.ok()) return Fail(written);
  }
  if (!flags.json) {
    Write(stdout, ForLocale(CostReport(module, options)));
    return kExitGood;
  }
  Json json = {{"file", file}};
  json.update(Json::parse(CostJson(module, options)));
  json["exit_status"] = static_cast<int>(kExitGood);
  PrintJson(json);
  return kExitGood;
}

}  // namespace

void AddCostCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<CostFlags>();
  AddOption(
      *command, "FILE", flags->file,
      "HLO text, HloProto, snapshot or JSON, optionally gzipped; or a profile of jax.profiler (.xplane.pb), whose "
      "measured times are shown too")
      ->required();
  AddOption(*command, "--module NAME", flags->module,
            "Which of several modules (default: of a profile, the one with the longest time)");
  AddOption(*command, "--device DEVICE", flags->device,
            "Estimate times by this device's roofline: h100, h200, b200, a100, mi300x, tpu (v5p), tpu-v4, tpu-v5e, "
            "tpu-v6e, a JSON file as docs/devices/h100.json, or cpu (this machine, measured first)");
  AddOption(*command, "--mesh AXES", flags->mesh,
            "Mesh axes, as in data=8,model=4; data=8:64@dcn estimates 64 devices on that axis, over the link dcn");
  command->add_flag("--optimize", flags->optimize, "Run the default pipeline first, as hloir opt does");
  AddOption(*command, "--trace OUT.json", flags->trace, "Write the predicted timeline for ui.perfetto.dev");
  AddOption(*command, "--save-device OUT.json", flags->save_device, "Write the device description");
  AddOption(*command, "--threads N", flags->threads, "Threads of the engine for --device=cpu (default: one per core)")
      ->check(Between(1, 1024));
  AddOption(*command, "--top N", flags->top, "Rows of each table (default: 10)")->check(Between(int64_t{1}, INT64_MAX));
  command->add_flag("--json", flags->json, "Print the report as JSON, with every instruction");
  command->callback([flags, &action] { action = [flags] { return RunCost(*flags); }; });
}

}  // namespace hloir::tool
