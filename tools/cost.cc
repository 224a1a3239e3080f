// hloir cost: what a module costs: operations, bytes, communication, memory, and time on a device.
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/inspect/cost_report.h"
#include "hloir/io.h"
#include "hloir/passes.h"
#include "hloir/pipeline.h"
#include "tools/choices.h"
#include "tools/command.h"
#include "tools/devices.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct CostFlags {
  std::string file, device, mesh, trace;
  int64_t top = 10;
  bool json = false, optimize = false;
};

// The mesh that is asked for fits the module's devices, unless the module names one with the same axes: then its sizes
// are a what-if.
StatusOr<WhatIfMesh> MeshFor(const HloModule& module, const std::string& text) {
  HLOIR_ASSIGN_OR_RETURN(WhatIfMesh mesh, ParseWhatIfMesh(text));
  const int64_t devices = module.config().replica_count * module.config().num_partitions;
  if (DeviceCount(mesh.mesh) == devices) return mesh;
  if (const std::optional<Mesh> named = FindMesh(module); named && named->axes.size() == mesh.mesh.axes.size()) {
    bool same = true;
    for (size_t axis = 0; axis < named->axes.size(); ++axis)
      same = same && named->axes[axis].first == mesh.mesh.axes[axis].first;
    if (same) return mesh.mesh = *named, mesh;
  }
  return InvalidArgument(
      fmt::format("mesh {} has {} devices, and the module runs on {}; what if axis a had 64 rather than 8 is a=8:64",
                  text, DeviceCount(mesh.mesh), devices));
}

int RunCost(const CostFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  const std::string file = DisplayName(flags.file);
  auto loaded = ReadModuleFile(flags.file, {.one_module = true});
  if (!loaded.ok()) return Fail(loaded.status(), file);
  HloModule& module = loaded->module();
  if (flags.optimize) {
    auto pipeline = MakePipeline({}, {});
    if (!pipeline.ok()) return Fail(pipeline.status());
    if (auto changed = pipeline->RunOnce(module); !changed.ok()) return Fail(changed.status(), file);
  }
  CostReportOptions options;
  options.most = static_cast<size_t>(flags.top);
  if (!flags.mesh.empty()) {
    auto mesh = MeshFor(module, flags.mesh);
    if (!mesh.ok()) return Fail(mesh.status());
    options.mesh = *std::move(mesh);
  }
  std::optional<DeviceDescription> device;
  if (!flags.device.empty()) {
    auto found = FindDevice(flags.device);
    if (!found.ok()) return Fail(found.status());
    options.device = &device.emplace(*std::move(found));
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

void AddCostCommand(CLI::App& app, Action& action) {
  auto flags = std::make_shared<CostFlags>();
  CLI::App* command = app.add_subcommand("cost", "Tell what a module costs, and how long it would take on a device");
  command->add_option("FILE", flags->file, "A module: HLO text, HloProto or a snapshot, JSON; also gzipped")
      ->required()
      ->type_name("");
  command
      ->add_option("--device", flags->device,
                   "Times by the roofline of this device: h100, a100, tpu, … or a file like docs/devices/h100.json")
      ->type_name("DEVICE");
  command
      ->add_option("--mesh", flags->mesh,
                   "Names the axes of the devices, data=8,model=4; data=8:64@dcn asks what if it were 64, on that link")
      ->type_name("AXES");
  command->add_flag("--optimize", flags->optimize, "Run the default passes first, as hloir opt does");
  command->add_option("--trace", flags->trace, "Write the predicted timeline there, for ui.perfetto.dev")
      ->type_name("OUT.json");
  command->add_option("--top", flags->top, "Rows of each table (default: 10)")
      ->check(Between(int64_t{1}, INT64_MAX))
      ->type_name("N");
  command->add_flag("--json", flags->json, "Report as JSON, each instruction");
  command->callback([flags, &action] { action = [flags] { return RunCost(*flags); }; });
}

}  // namespace hloir::tool
