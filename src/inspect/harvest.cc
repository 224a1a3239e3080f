// A data set from a dump folder; see inspect/dumps.h.
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "inspect/dumps.h"
#include "hloir/io.h"
#include "hloir/printer.h"
#include "support/parallel.h"
#include "report/json.h"
#include "support/format.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

// The module's text without its origin (name, metadata).
StatusOr<std::string> Stripped(const std::string& path) {
  ReadOptions options;
  options.verify = false, options.allow_unknown = true;
  HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, ReadModule(path, options));
  module->config().stack_frames = {};
  PrintOptions print = PrintOptions::Readable();
  print.print_metadata = false;
  print.print_original_value = false;
  return PrintModule(*module, print);
}

}  // namespace

StatusOr<Harvest> HarvestDumps(const DumpFolder& folder, const std::string& out, int threads) {
  struct Entry {
    const DumpFolder::Stage* stage = nullptr;
    Json sources = Json::array();
    Status status;
  };
  Harvest harvest;
  std::map<uint64_t, Entry> by_structure;
  for (const DumpFolder::Module& module : folder.modules) {
    for (const DumpFolder::Stage& stage : module.stages) {
      if (!stage.status.ok()) continue;
      ++harvest.stages;
      Entry& entry = by_structure[stage.structure];
      if (entry.stage == nullptr) entry.stage = &stage;
      else ++harvest.duplicates;
      entry.sources.push_back({{"module", module.name}, {"stage", stage.name}});
    }
  }
  std::error_code error;
  fs::create_directories(out, error);
  if (!fs::is_directory(out)) return InvalidArgument("cannot create the folder");
  std::vector<std::pair<std::string, Entry*>> work;
  for (auto& [structure, entry] : by_structure) work.emplace_back(Format("{:016x}.hlo", structure), &entry);
  ForEachInParallel(work.size(), threads, [&](size_t k) {
    const std::string path = (fs::path(out) / work[k].first).string();
    std::error_code missing;
    if (fs::exists(path, missing)) return;
    StatusOr<std::string> text = Stripped(work[k].second->stage->path);
    work[k].second->status = text.ok() ? WriteFile(path, *text) : text.status();
  });
  Json modules = Json::array();
  for (const auto& [file, entry] : work) {
    if (!entry->status.ok()) return entry->status;
    const DumpFolder::Stage& stage = *entry->stage;
    Json opcodes = Json::object();
    for (const auto& [name, count] : stage.opcodes) opcodes[name] = count;
    modules.push_back({{"file", file},
                       {"instructions", stage.count.instructions},
                       {"top_level_instructions", stage.count.top_level},
                       {"flops", WholeNumber(stage.cost.flops)},
                       {"bytes", WholeNumber(stage.cost.bytes)},
                       {"devices", stage.devices},
                       {"opcodes", std::move(opcodes)},
                       {"sources", std::move(entry->sources)}});
    ++harvest.modules;
  }
  const Json index = {{"modules", std::move(modules)}};
  HLOIR_RETURN_IF_ERROR(WriteFile((fs::path(out) / "index.json").string(), JsonLine(index) + "\n"));
  return harvest;
}

}  // namespace hloir
