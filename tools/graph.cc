// hloir graph: draws a module, or a part of it.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "hloir/inspect.h"
#include "hloir/io.h"
#include "tools/command.h"
#include "tools/devices.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {
namespace {

struct GraphFlags {
  std::string file, output, path, device;
  GraphOptions options;
  bool json = false;
};

int Graph(GraphFlags flags) {
  if (flags.json) ReportErrorsAsJson();
  if (!flags.path.empty()) {
    const size_t colon = flags.path.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == flags.path.size())
      return Fail(InvalidArgument(fmt::format("--path={}: expected FROM:TO", flags.path)));
    flags.options.from = flags.path.substr(0, colon), flags.options.to = flags.path.substr(colon + 1);
  }
  const size_t dot = flags.output.find_last_of("./");
  const std::string ending = dot == std::string::npos || flags.output[dot] == '/' ? "" : flags.output.substr(dot + 1);
  if (ending != "svg" && ending != "html" && ending != "dot" && ending != "json")
    return Fail(InvalidArgument("the file's extension must be .html, .svg, .dot or .json"), flags.output);
  const std::string file = DisplayName(flags.file);
  auto loaded = ReadModule(flags.file);
  if (!loaded.ok()) return Fail(loaded.status(), file);
  auto graph = MakeGraph(**loaded, flags.options);
  if (!graph.ok()) return Fail(graph.status(), file);
  std::string text;
  if (ending == "svg") {
    text = GraphSvg(*graph);
  } else if (ending == "html") {
    // Without a device description (an incomplete installation), the page has no times.
    auto device = FindDevice(flags.device.empty() ? "h100" : flags.device);
    if (!device.ok() && !flags.device.empty()) return Fail(device.status());
    text = GraphPage(*graph, device.ok() ? &*device : nullptr);
  } else {
    text = ending == "dot" ? GraphDot(*graph) : GraphJson(*graph);
  }
  const Status written = WriteOutput(flags.output, text);
  if (!written.ok()) return Fail(written);
  if (flags.json) PrintWritten(file);
  return kExitGood;
}

}  // namespace

void AddGraphCommand(CLI::App* command, Action& action, PassRegistry& /*registry*/) {
  auto flags = std::make_shared<GraphFlags>();
  AddOption(*command, "FILE", flags->file, "HLO text, HloProto, snapshot or JSON, optionally gzipped")->required();
  AddOption(*command, "-o,--output OUT", flags->output,
            "Output file; its extension is the format: .html (an interactive page), .svg, .dot for Graphviz, .json for "
            "Model Explorer")
      ->required();
  CLI::Option* around =
      AddOption(*command, "--around NAME", flags->options.around, "Draw only this instruction and its neighbours");
  AddOption(*command, "--depth N", flags->options.depth, "Distance of neighbours drawn by --around (default: 2)")
      ->check(Between(int64_t{0}, int64_t{1} << 20))
      ->needs(around);
  AddOption(*command, "--path FROM:TO", flags->path, "Draw only the instructions on paths from FROM to TO")
      ->excludes(around);
  AddOption(*command, "--computation NAME", flags->options.computation,
            "Start at this computation (default: the entry)");
  AddOption(*command, "--device DEVICE", flags->device,
            "Device whose roofline gives the page's times: as for hloir cost (default: h100)");
  command->add_flag("--json", flags->json, "Print errors, or the names of the files written, as JSON");
  command->callback([flags, &action] { action = [flags] { return Graph(*flags); }; });
}

}  // namespace hloir::tool
