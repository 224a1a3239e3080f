// hloir export: writes a module in the formats of simulators and viewers.
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/export.h"
#include "inspect/cost_report.h"
#include "hloir/inspect.h"
#include "hloir/io.h"
#include "tools/command.h"
#include "tools/devices.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

enum class Format { kParagraph, kChakra, kPerfetto, kDot };

struct ExportFlags {
  std::string file, output, device, mesh;
  Format format = Format::kParagraph;
  bool per_device = false, optimize = false, json = false;
};

// "a/b.pb" for rank 3 is "a/b.3.pb", as ParaGraph's graph translator names them.
std::string NameFor(const std::string& path, int64_t rank) {
  const size_t dot = path.find_last_of("./");
  const size_t at = dot == std::string::npos || path[dot] == '/' ? path.size() : dot;
  return fmt::format("{}.{}{}", path.substr(0, at), rank, path.substr(at));
}

Status WriteParagraph(const HloModule& module, const Roofline& roofline, const ExportFlags& flags) {
  ParagraphOptions options;
  options.text = flags.output.ends_with(".textproto");
  if (!options.text && !flags.output.ends_with(".pb"))
    return InvalidArgument("ParaGraph's format is the file's extension: .pb, or .textproto for text");
  if (!flags.per_device) {
    HLOIR_ASSIGN_OR_RETURN(const std::string graph, ParagraphGraph(module, roofline, options));
    return WriteOutput(flags.output, graph);
  }
  const NamedDevices named = NamedDevicesOf(module);
  const int64_t devices = named.replicas * named.partitions;
  for (int64_t device = 0; device < devices; ++device) {
    options.device = device;
    HLOIR_ASSIGN_OR_RETURN(const std::string graph, ParagraphGraph(module, roofline, options));
    HLOIR_RETURN_IF_ERROR(WriteOutput(NameFor(flags.output, device), graph));
  }
  return OkStatus();
}

Status WriteChakra(const HloModule& module, const Roofline& roofline, const std::string& output) {
  HLOIR_ASSIGN_OR_RETURN(const ChakraTraces traces, ChakraTrace(module, roofline));
  const std::string prefix = output.ends_with(".et") ? output.substr(0, output.size() - 3) : output;
  for (size_t rank = 0; rank < traces.ranks.size(); ++rank)
    HLOIR_RETURN_IF_ERROR(WriteOutput(fmt::format("{}.{}.et", prefix, rank), traces.ranks[rank]));
  return WriteOutput(prefix + ".groups.json", traces.groups);
}

int Export(const ExportFlags& flags) {
  if (flags.json) ReportErrorsAsJson();
  const std::string file = DisplayName(flags.file);
  auto loaded = LoadForCost(flags.file, flags.optimize);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  const HloModule& module = loaded->module();
  if (flags.format == Format::kDot) {
    auto graph = MakeGraph(module, {});
    if (!graph.ok()) return Fail(graph.status(), file);
    const Status written = WriteOutput(flags.output, GraphDot(*graph));
    if (!written.ok()) return Fail(written);
    if (flags.json) PrintWritten(file);
    return kExitGood;
  }
  if (flags.device.empty() && flags.format == Format::kPerfetto)
    return Fail(InvalidArgument("--format=perfetto needs a --device"));
  DeviceDescription device;  // without one only the counts are reported
  if (!flags.device.empty()) {
    auto found = FindDevice(flags.device);
    if (!found.ok()) return Fail(found.status());
    device = *std::move(found);
  }
  std::optional<WhatIfMesh> mesh;
  if (!flags.mesh.empty()) {
    auto asked = MeshFor(module, flags.mesh);
    if (!asked.ok()) return Fail(asked.status());
    mesh = *std::move(asked);
  }
  const Roofline roofline(module, device, mesh);
  if (const int64_t loops = roofline.cost().total().unknown_loops; loops > 0)
    Note(fmt::format("loops of unknown trip count, written as one round: {}", loops));
  Status written;
  switch (flags.format) {
    case Format::kParagraph: written = WriteParagraph(module, roofline, flags); break;
    case Format::kChakra: written = WriteChakra(module, roofline, flags.output); break;
    default: written = WriteOutput(flags.output, CostTrace(roofline)); break;
  }
  if (!written.ok()) return Fail(written, file);
  if (flags.json) PrintWritten(file);
  return kExitGood;
}

}  // namespace

void AddExportCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  static const std::map<std::string, Format> kFormats = {{"paragraph", Format::kParagraph},
                                                         {"chakra", Format::kChakra},
                                                         {"perfetto", Format::kPerfetto},
                                                         {"dot", Format::kDot}};
  auto flags = std::make_shared<ExportFlags>();
  AddOption(*command, "FILE", flags->file, "HLO text, HloProto, snapshot or JSON, optionally gzipped")->required();
  AddChoice(
      *command, "--format FORMAT", flags->format, kFormats,
      "paragraph: ParaGraph's graph (.pb, or .textproto for text); chakra: execution traces, OUT.N.et of each rank "
      "and OUT.groups.json; perfetto: the predicted timeline; dot")
      ->required();
  AddOption(*command, "-o,--output OUT", flags->output, "Output file")->required();
  AddOption(*command, "--device DEVICE", flags->device, "Estimate times for this device, as hloir cost does");
  AddOption(*command, "--mesh AXES", flags->mesh, "Mesh axes, as in hloir cost");
  command->add_flag("--per-device", flags->per_device,
                    "ParaGraph: write one graph per device, OUT.N.pb, instead of one for all devices");
  command->add_flag("--optimize", flags->optimize, "Run the default pipeline first, as hloir opt does");
  command->add_flag("--json", flags->json, "Print errors, or the names of the files written, as JSON");
  command->callback([flags, &action] { action = [flags] { return Export(*flags); }; });
}

}  // namespace hloir::tool
