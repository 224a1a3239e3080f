// Reads dump folders; see inspect/dumps.h.
#include "inspect/dumps.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <tuple>

#include "hloir/analysis.h"
#include "hloir/io.h"
#include "hloir/verifier.h"
#include "inspect/dump_names.h"
#include "support/parallel.h"
#include "inspect/xla_memory.h"
#include "report/json.h"
#include "report/table.h"
#include "support/format.h"
#include "support/guard.h"
#include "support/text.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// The properties in a file's name.
struct FileName {
  std::string module, stage;
  int64_t order = 0;  // of stages
  enum class Kind { kStage, kSnapshot, kMemoryReport, kBuffers, kOther } kind = Kind::kOther;
};

// The position of ".0012.", XLA's number of a pass.
size_t FindNumber(std::string_view stem) {
  for (size_t at = stem.find('.'); at != std::string_view::npos; at = stem.find('.', at + 1)) {
    size_t end = at + 1;
    while (end < stem.size() && stem[end] >= '0' && stem[end] <= '9') ++end;
    if (end - at - 1 >= 4 && end < stem.size() && stem[end] == '.') return at;
  }
  return std::string_view::npos;
}

constexpr int64_t kLast = INT64_MAX;

// "X.before", "X-after", "X.opt": how two files that belong together are told apart, and their order.
struct Ending {
  std::string_view stage;
  int64_t order;
};
std::optional<Ending> PairEnding(std::string_view stem) {
  for (const Ending ending : {Ending{"before", -1}, Ending{"after", kLast}, Ending{"opt", kLast}}) {
    if (stem.size() < ending.stage.size() + 2 || !stem.ends_with(ending.stage)) continue;
    const char separator = stem[stem.size() - ending.stage.size() - 1];
    if (separator == '.' || (ending.stage != "opt" && (separator == '-' || separator == '_'))) return ending;
  }
  return std::nullopt;
}

FileName Parse(std::string name) {
  FileName result;
  for (const std::string_view ending : {".gz", ".txt", ".hlo", ".pb", ".json"}) {
    if (name.ends_with(ending)) name.erase(name.size() - ending.size()), result.kind = FileName::Kind::kStage;
    else if (ending == ".gz") continue;
  }
  if (name.ends_with(".hlo")) name.erase(name.size() - 4);  // .hlo.pb
  const std::string_view stem = name;
  const auto cut = [&](size_t at, int64_t order) {
    result.module = stem.substr(0, at), result.stage = stem.substr(std::min(at + 1, stem.size())), result.order = order;
  };
  const size_t number = FindNumber(stem), before = stem.find(".before_optimizations"),
               after = stem.find("after_optimizations"), snapshot = stem.find(".snapshot"), ours = stem.find(".after_");
  if (after != std::string_view::npos && number == std::string_view::npos) {
    cut(std::min(stem.rfind('.', after), stem.size()), kLast);
    if (result.stage.ends_with("memory-usage-report")) result.kind = FileName::Kind::kMemoryReport;
    else if (result.stage.ends_with("-buffer-assignment")) return result.kind = FileName::Kind::kBuffers, result;
    else if (!result.stage.ends_with("after_optimizations")) result.kind = FileName::Kind::kOther;
  } else if (before != std::string_view::npos && number == std::string_view::npos) {
    cut(before, -1);
  } else if (snapshot != std::string_view::npos) {
    cut(snapshot, kLast);
    result.kind = FileName::Kind::kSnapshot;
  } else if (number != std::string_view::npos) {
    cut(number, 0);
    // "0012.PIPELINE.after_PASS.before_NEXT" or "0003.after_PASS"
    const size_t dot = result.stage.find('.');
    result.order = std::atoll(result.stage.substr(0, dot).c_str());
    std::string rest = result.stage.substr(dot + 1);
    if (const size_t next = rest.find(".before_"); next != std::string::npos) rest.resize(next);
    // The pipeline's name may contain "after_" as well.
    if (const size_t pass = rest.rfind(".after_"); pass != std::string::npos)
      result.stage = rest.substr(0, pass) + ": " + rest.substr(pass + 7);
    else result.stage = rest.starts_with("after_") ? rest.substr(6) : rest;
  } else if (ours != std::string_view::npos) {
    cut(ours, 0);
  } else if (const auto ending = PairEnding(stem); ending) {
    cut(stem.size() - ending->stage.size() - 1, ending->order);
  } else {
    // An unrelated file, or another file of a module: IR, objects, options.
    cut(stem.size(), 0);
    result.stage = "module";
  }
  for (const std::string_view other : {".debug_options", ".ir-no-opt", ".ir-with-opt", ".obj-file", ".thunk_sequence",
                                       ".autotune", "-buffer-assignment", "-live-range", ".metadata", ".config"})
    if (Contains(stem, other)) result.kind = FileName::Kind::kOther;
  return result;
}

}  // namespace

bool NamesModule(const std::string& file_name) {
  if (file_name == "index.json") return false;  // WriteHarvest's
  const FileName::Kind kind = Parse(file_name).kind;
  return kind == FileName::Kind::kStage || kind == FileName::Kind::kSnapshot;
}

namespace {

int64_t DevicesOf(const HloModule& module) {
  return std::max<int64_t>(1, module.config().replica_count) * std::max<int64_t>(1, module.config().num_partitions);
}

bool Finds(const HloInstruction& i, const std::string& text) {
  if (Contains(i.name(), text) || Contains(i.opcode_name(), text)) return true;
  if (i.metadata() != nullptr && Contains(i.metadata()->op_name, text)) return true;
  const auto line = SourceOf(i);
  return line && Contains(line->ToString(), text);
}

ReadOptions Unverified() {
  ReadOptions options;
  options.verify = false, options.allow_unknown = true;
  return options;
}

void ReadStage(DumpFolder::Stage& stage, const std::string& find, bool is_last, DumpFolder::Memory& memory) {
  const auto file = ReadModuleFile(stage.path, Unverified());
  if (!file.ok()) {
    stage.status = file.status();
    return;
  }
  const HloModule& module = file->module();
  stage.count = CountInstructions(module);
  // Analyses take legal modules only.
  stage.legal = VerifyModule(module).ok();
  if (stage.legal) stage.cost = CostAnalysis(module).total().once;
  stage.devices = DevicesOf(module);
  stage.structure = StructuralHash(module);
  if (is_last && stage.legal) {
    const BufferAssignment buffers = AssignBuffers(module);
    memory.parameters = buffers.parameter_bytes, memory.constants = buffers.constant_bytes;
    memory.others = buffers.of(*module.entry_computation()).heap_bytes;
    memory.total = memory.parameters + memory.constants + memory.others;
  }
  std::array<int64_t, kOpcodeCount> counts{};
  for (const HloInstruction* i : module.AllInstructions()) ++counts[static_cast<size_t>(i->opcode())];
  for (size_t k = 0; k < counts.size(); ++k)
    if (counts[k] > 0) stage.opcodes.emplace_back(OpcodeName(static_cast<HloOpcode>(k)), counts[k]);
  std::sort(stage.opcodes.begin(), stage.opcodes.end());
  if (find.empty()) return;
  for (const HloInstruction* i : module.AllInstructions())
    if (Finds(*i, find)) stage.found.push_back(i->ToString());
}

std::string BytesText(double bytes) { return HumanBytes(static_cast<int64_t>(std::min(bytes, 0x1p62))); }

// The last valid stage; the first is stages.front().
const DumpFolder::Stage* LastOf(const DumpFolder::Module& module) {
  for (auto it = module.stages.rbegin(); it != module.stages.rend(); ++it)
    if (it->status.ok()) return &*it;
  return nullptr;
}

}  // namespace

StatusOr<DumpFolder> ListDumps(std::span<const std::string> paths) try {
  struct Known {
    DumpFolder::Module module;
    std::vector<std::pair<int64_t, DumpFolder::Stage>> stages;
  };
  std::map<std::string, Known> modules;
  DumpFolder folder;
  std::vector<std::pair<std::string, std::string>> others;  // by name: files of a module, among other ones
  // `prefix`: of the names of its modules.
  const auto add = [&](const fs::path& file, const std::string& prefix) {
    ++folder.files;
    const FileName name = Parse(file.filename().string());
    if (name.kind == FileName::Kind::kOther) {
      others.emplace_back(prefix + file.filename().string(), file.string());
      return;
    }
    DumpFolder::Module& module = modules[prefix + name.module].module;
    if (name.kind == FileName::Kind::kSnapshot) module.snapshots.push_back(file.string());
    else if (name.kind == FileName::Kind::kMemoryReport) module.memory_report = file.string(), ++module.others;
    else if (name.kind == FileName::Kind::kBuffers) module.buffer_report = file.string(), ++module.others;
    else {
      auto& [order, stage] = modules[prefix + name.module].stages.emplace_back();
      order = name.order, stage.path = file.string(), stage.name = name.stage;
    }
  };
  // "" for the folder itself.
  const auto below = [](const fs::path& inside) {
    std::string text = inside.lexically_normal().string();
    if (text.empty() || text == "." || text == "./") return std::string();
    if (text.back() != '/') text += '/';
    return text;
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (!fs::exists(path, error)) return InvalidArgument(Format("{}: error: there is no such file or folder", path));
      add(path, below(fs::path(path).parent_path()));
      continue;
    }
    const fs::path outer = paths.size() > 1 ? fs::path(path) : fs::path();
    fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error), end;
    for (; !error && at != end; at.increment(error)) {
      if (!at->is_regular_file(error)) continue;
      add(at->path(), below(outer / fs::relative(at->path().parent_path(), path, error)));
    }
  }
  // The names of a module's other files begin with the module's name.
  for (const auto& [name, file] : others) {
    auto it = modules.upper_bound(name);
    if (it == modules.begin() || !name.starts_with((--it)->first)) continue;
    if (name.ends_with(".npz")) it->second.module.values.push_back(file);
    else ++it->second.module.others;
  }
  for (auto& [name, known] : modules) {
    if (known.stages.empty() && known.module.snapshots.empty()) continue;
    std::sort(known.module.snapshots.begin(), known.module.snapshots.end());
    std::sort(known.module.values.begin(), known.module.values.end());
    std::stable_sort(known.stages.begin(), known.stages.end(), [](const auto& a, const auto& b) {
      return std::tie(a.first, a.second.path) < std::tie(b.first, b.second.path);
    });
    known.module.name = name;
    for (auto& [order, stage] : known.stages) known.module.stages.push_back(std::move(stage));
    folder.modules.push_back(std::move(known.module));
  }
  if (folder.modules.empty())
    return InvalidArgument(paths.size() == 1 ? "the folder has no modules" : "there are no modules");
  return folder;
} catch (...) {
  return OutOfMemory();
}

StatusOr<DumpFolder> ReadDumps(const std::string& path, const ReadDumpsOptions& options) try {
  std::error_code error;
  if (!fs::is_directory(path, error)) return InvalidArgument("it is not a folder");
  HLOIR_ASSIGN_OR_RETURN(DumpFolder folder, ListDumps({&path, 1}));
  folder.path = path;
  struct Task {
    DumpFolder::Stage* stage;
    bool is_last;
    DumpFolder::Memory* memory;
  };
  for (DumpFolder::Module& module : folder.modules)
    module.xla_memory = ReadXlaMemory(module.memory_report, module.buffer_report);
  std::vector<Task> tasks;
  for (DumpFolder::Module& module : folder.modules)
    for (DumpFolder::Stage& stage : module.stages)
      tasks.push_back({&stage, &stage == &module.stages.back(), &module.memory});

  std::mutex mutex;
  size_t done = 0;
  ForEachInParallel(tasks.size(), options.threads, [&](size_t k) {
    // Runs in a thread, so it must not throw.
    const Status read = Guarded([&] {
      ReadStage(*tasks[k].stage, options.find, tasks[k].is_last, *tasks[k].memory);
      return OkStatus();
    });
    if (!read.ok()) tasks[k].stage->status = read;
    const std::lock_guard lock(mutex);
    if (options.on_progress) options.on_progress(++done, tasks.size());
  });

  for (DumpFolder::Module& module : folder.modules) {
    const DumpFolder::Stage* before = nullptr;
    for (DumpFolder::Stage& stage : module.stages) {
      if (!stage.status.ok()) continue;
      stage.changed = before == nullptr || before->structure != stage.structure;
      before = &stage;
    }
  }
  return folder;
} catch (...) {
  return OutOfMemory();
}

std::string DumpReport(const DumpFolder& folder) {
  Table table({"module", "stages", "instr.", "→", "moved", "→", "memory", "XLA's"});
  constexpr size_t kName = 26;
  int64_t stages = 0, unread = 0;
  for (const DumpFolder::Module& module : folder.modules) {
    stages += static_cast<int64_t>(module.stages.size());
    for (const DumpFolder::Stage& stage : module.stages) unread += !stage.status.ok();
    const std::string name = ShortName(module.name, kName), count = Format("{}", module.stages.size());
    const DumpFolder::Stage* last = LastOf(module);
    if (last == nullptr) {
      table.Add({name, count, "", "", "", "", "", ""});
      continue;
    }
    const DumpFolder::Stage& first = module.stages.front();
    table.Add({name, count, Format("{}", first.count.instructions), Format("{}", last->count.instructions),
               BytesText(first.cost.bytes), BytesText(last->cost.bytes),
               module.memory.total < 0 ? "" : HumanBytes(module.memory.total),
               module.xla_memory.total < 0 ? "" : HumanBytes(module.xla_memory.total)});
  }
  std::string text = table.ToString();
  text += Format("{} files: {} modules in {} stages\n", folder.files, folder.modules.size(), stages);
  if (unread > 0) text += Format("{} of them could not be read\n", unread);
  for (const DumpFolder::Module& module : folder.modules)
    for (const DumpFolder::Stage& stage : module.stages)
      for (const std::string& found : stage.found)
        text +=
            Format("{}: {}: {}\n", ShortName(module.name, 60), ShortName(stage.name, 60), ShortName(found, 200, false));
  return text;
}

std::string StagesReport(const DumpFolder::Module& module) {
  Table table({ShortName(module.name, 50), "instr.", "top-level", "FLOPs", "moved"});
  size_t unchanged = 0;
  for (const DumpFolder::Stage& stage : module.stages) {
    if (!stage.status.ok()) {
      table.Add({ShortName(stage.name, 50), "unread", "", "", ""});
    } else if (stage.changed) {
      table.Add({ShortName(stage.name, 50), Format("{}", stage.count.instructions), Format("{}", stage.count.top_level),
                 HumanCount(stage.cost.flops), BytesText(stage.cost.bytes)});
    } else {
      ++unchanged;
    }
  }
  std::string text = table.ToString() + Format("and {} that changed nothing\n", unchanged);
  for (const auto& [who, memory] : {std::pair("hloir", &module.memory), {"XLA", &module.xla_memory}}) {
    if (memory->total < 0) continue;
    text += Format("memory by {}: {}", who, HumanBytes(memory->total));
    if (memory->parameters >= 0)
      text += Format(" (parameters {}, constants {}, others {})", HumanBytes(memory->parameters),
                     HumanBytes(memory->constants), HumanBytes(memory->others));
    text += "\n";
  }
  return text;
}

std::string DumpJson(const DumpFolder& folder) {
  Json modules = Json::array();
  for (const DumpFolder::Module& module : folder.modules) {
    Json stages = Json::array();
    for (const DumpFolder::Stage& stage : module.stages) {
      Json json = {{"stage", stage.name}, {"file", stage.path}};
      if (stage.status.ok()) {
        json["changed"] = stage.changed;
        json["instructions"] = stage.count.instructions, json["top_level_instructions"] = stage.count.top_level;
        json["flops"] = WholeNumber(stage.cost.flops), json["bytes"] = WholeNumber(stage.cost.bytes);
        json["devices"] = stage.devices;
        if (!stage.legal) json["legal"] = false;
        if (!stage.found.empty()) json["found"] = stage.found;
      } else {
        json["errors"] = Json::array({{{"message", stage.status.message()}}});
      }
      stages.push_back(std::move(json));
    }
    Json json = {{"module", module.name}, {"snapshots", module.snapshots.size()}, {"others", module.others}};
    if (module.memory.total >= 0) json["memory_bytes"] = module.memory.total;
    if (module.xla_memory.total >= 0) json["xla_memory_bytes"] = module.xla_memory.total;
    for (const auto& [key, memory] : {std::pair("memory", &module.memory), {"xla_memory", &module.xla_memory}}) {
      if (memory->parameters < 0) continue;
      json[key] = {{"parameters", memory->parameters}, {"constants", memory->constants}, {"others", memory->others}};
    }
    json["stages"] = std::move(stages);
    modules.push_back(std::move(json));
  }
  return JsonLine({{"files", folder.files}, {"modules", std::move(modules)}});
}

}  // namespace hloir
