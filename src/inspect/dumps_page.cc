// The page of a dump folder; see inspect/dumps.h.
#include <memory>
#include <string>
#include <vector>

#include "hloir/inspect.h"
#include "inspect/dumps.h"
#include "hloir/io.h"
#include "inspect/pages.h"
#include "support/parallel.h"
#include "report/json.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace {

using Stage = DumpFolder::Stage;

// The differences between two stages.
std::string ChangesOf(const Stage& before, const Stage& after, size_t most) {
  constexpr int64_t kMost = 20000;
  if (!before.legal || !after.legal) return "not compared: the verifier refuses it\n";
  if (before.count.instructions > kMost || after.count.instructions > kMost)
    return Format("not compared: it has more than {} instructions; hloir diff takes any\n", kMost);
  ReadOptions options;
  options.verify = false, options.allow_unknown = true;
  const auto first = ReadModule(before.path, options), last = ReadModule(after.path, options);
  if (!first.ok() || !last.ok()) return "";
  return DiffChanges(ModuleDiff(**first, **last), most);
}

// Two stages to be compared, and the destination of the text.
struct Task {
  const Stage *before, *after;
  size_t most;
  std::string* text;
};
void Compare(const std::vector<Task>& tasks, int threads) {
  ForEachInParallel(tasks.size(), threads, [&](size_t k) {
    const Task& task = tasks[k];
    const StatusOr<std::string> text =
        Guarded([&]() -> StatusOr<std::string> { return ChangesOf(*task.before, *task.after, task.most); });
    *task.text = text.ok() ? *text : "not compared: " + text.status().message() + "\n";
  });
}

void AddTasks(const DumpFolder::Module& module, size_t most, std::vector<std::string>& texts,
              std::vector<Task>& tasks) {
  texts.resize(module.stages.size());
  const Stage* before = nullptr;
  for (size_t k = 0; k < module.stages.size(); ++k) {
    const Stage& stage = module.stages[k];
    if (!stage.status.ok()) continue;
    if (before != nullptr && stage.changed) tasks.push_back({before, &stage, most, &texts[k]});
    before = &stage;
  }
}

// The difference between the first and the last valid stage.
void AddFirstToLast(const DumpFolder::Module& module, size_t most, std::string& text, std::vector<Task>& tasks) {
  const Stage *first = nullptr, *last = nullptr;
  for (const Stage& stage : module.stages) {
    if (!stage.status.ok()) continue;
    if (first == nullptr) first = &stage;
    last = &stage;
  }
  if (first != last && first->structure != last->structure) tasks.push_back({first, last, most, &text});
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

std::vector<std::string> StageChanges(const DumpFolder::Module& module, size_t most, int threads) {
  std::vector<std::string> texts;
  std::vector<Task> tasks;
  AddTasks(module, most, texts, tasks);
  Compare(tasks, threads);
  return texts;
}

std::string DumpPage(const DumpFolder& folder, int threads) {
  constexpr size_t kShown = 6;  // of each kind of change
  std::vector<std::string> whole(folder.modules.size());
  std::vector<std::vector<std::string>> changes(folder.modules.size());
  std::vector<Task> tasks;
  for (size_t k = 0; k < folder.modules.size(); ++k) {
    AddTasks(folder.modules[k], kShown, changes[k], tasks);
    AddFirstToLast(folder.modules[k], kShown, whole[k], tasks);
  }
  Compare(tasks, threads);
  Json modules = Json::array();
  for (size_t k = 0; k < folder.modules.size(); ++k) {
    const DumpFolder::Module& module = folder.modules[k];
    Json stages = Json::array();
    for (size_t n = 0; n < module.stages.size(); ++n) {
      const Stage& stage = module.stages[n];
      Json json = {{"name", stage.name}};
      if (stage.status.ok()) {
        json.update({{"n", stage.count.instructions},
                     {"f", WholeNumber(stage.cost.flops)},
                     {"b", WholeNumber(stage.cost.bytes)},
                     {"devices", stage.devices},
                     {"changed", stage.changed}});
        if (!stage.legal) json["illegal"] = true;
        // Unchanged stages have no text.
        if (stage.changed) {
          Json opcodes = Json::object();
          for (const auto& [name, count] : stage.opcodes) opcodes[name] = count;
          json["ops"] = std::move(opcodes);
          if (!changes[k][n].empty()) json["diff"] = changes[k][n];
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
    if (!whole[k].empty()) json["diff"] = whole[k];
    if (module.memory.total >= 0) json["memory"] = MemoryJson(module.memory);
    if (module.xla_memory.total >= 0) json["xla"] = MemoryJson(module.xla_memory);
    modules.push_back(std::move(json));
  }
  return FillPage(kDumpsPage,
                  JsonLine({{"name", folder.path}, {"files", folder.files}, {"modules", std::move(modules)}}));
}

}  // namespace hloir
