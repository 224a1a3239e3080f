// The page of a dump folder; see hloir/inspect/dumps.h.
#include <memory>
#include <string>
#include <vector>

#include "hloir/inspect/diff.h"
#include "hloir/inspect/dumps.h"
#include "hloir/io.h"
#include "inspect/pages.h"
#include "inspect/parallel.h"
#include "report/json.h"

namespace hloir {
namespace {

// What the module has come to from its first stage that can be read to its last; "" if nothing, or if it is too large
// to be matched while one waits.
std::string FirstToLast(const DumpFolder::Module& module) {
  constexpr int64_t kMost = 20000;
  const DumpFolder::Stage *first = nullptr, *last = nullptr;
  for (const DumpFolder::Stage& stage : module.stages) {
    if (!stage.status.ok()) continue;
    if (first == nullptr) first = &stage;
    last = &stage;
  }
  if (first == last || first->structure == last->structure) return "";
  if (!first->legal || !last->legal) return "";
  if (first->count.instructions > kMost || last->count.instructions > kMost) return "";
  ReadOptions options;
  options.verify = false, options.allow_unknown = true;
  const auto before = ReadModule(first->path, options), after = ReadModule(last->path, options);
  if (!before.ok() || !after.ok()) return "";
  constexpr size_t kShown = 6;
  return DiffReport(ModuleDiff(**before, **after), kShown);
}

Json MemoryJson(const DumpFolder::Memory& memory) {
  Json json = {{"total", memory.total}};
  if (memory.parameters >= 0)
    json.update({{"parameters", memory.parameters}, {"constants", memory.constants}, {"others", memory.others}});
  constexpr size_t kMost = 20;
  for (const DumpFolder::Memory::Allocation& allocation : memory.allocations) {
    if (json["allocations"].size() == kMost) break;
    json["allocations"].push_back({allocation.what, allocation.bytes, allocation.values});
  }
  return json;
}

}  // namespace

std::string DumpPage(const DumpFolder& folder, int threads) {
  std::vector<std::string> diffs(folder.modules.size());
  ForEachInParallel(folder.modules.size(), threads, [&](size_t k) { diffs[k] = FirstToLast(folder.modules[k]); });
  Json modules = Json::array();
  for (size_t k = 0; k < folder.modules.size(); ++k) {
    const DumpFolder::Module& module = folder.modules[k];
    Json stages = Json::array();
    for (const DumpFolder::Stage& stage : module.stages) {
      Json json = {{"name", stage.name}};
      if (stage.status.ok()) {
        json.update({{"n", stage.count.instructions},
                     {"f", WholeNumber(stage.cost.flops)},
                     {"b", WholeNumber(stage.cost.bytes)},
                     {"devices", stage.devices},
                     {"changed", stage.changed}});
        if (!stage.legal) json["illegal"] = true;
        // Of a stage that changed nothing there is nothing to say.
        if (stage.changed) {
          Json opcodes = Json::object();
          for (const auto& [name, count] : stage.opcodes) opcodes[name] = count;
          json["ops"] = std::move(opcodes);
        }
      } else {
        json["error"] = stage.status.message().substr(0, stage.status.message().find('\n'));
      }
      stages.push_back(std::move(json));
    }
    Json json = {{"name", module.name},
                 {"snapshots", module.snapshots.size()},
                 {"others", module.others},
                 {"stages", std::move(stages)}};
    if (!diffs[k].empty()) json["diff"] = diffs[k];
    if (module.memory.total >= 0) json["memory"] = MemoryJson(module.memory);
    if (module.xla_memory.total >= 0) json["xla"] = MemoryJson(module.xla_memory);
    modules.push_back(std::move(json));
  }
  return FillPage(kDumpsPage,
                  JsonLine({{"name", folder.path}, {"files", folder.files}, {"modules", std::move(modules)}}));
}

}  // namespace hloir
