// A folder that XLA_FLAGS=--xla_dump_to=DIR (or hloir opt --dump-to) has filled, as one thing: its modules, each with
// its stages in their order, and what came to each file's neighbour. Files are told by name and content; XLA's reports,
// LLVM IR and objects are counted and left alone.
//
// Example:
//
//   StatusOr<DumpFolder> dumps = ReadDumps("dump");
//   if (dumps.ok()) for (const DumpFolder::Module& m : dumps->modules) std::puts(m.name.c_str());
//
// Threads: a value; ReadDumps reads files on several threads of its own.
// Tested by tests/unit/dumps_test.cc and tests/cli/dumps.test.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/check.h"
#include "hloir/cost.h"
#include "hloir/inspect/stats.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// What a dump folder holds.
struct DumpFolder {
  // One state of a module: a file.
  struct Stage {
    std::string path, name;  // "before_optimizations", "simplification: algsimp", "cpu_after_optimizations"
    Status status;           // not ok: it cannot be read
    InstructionCount count;
    Cost cost;
    int64_t devices = 1;
    bool changed = true;  // it is not the same as the stage before
    uint64_t structure = 0;
    std::vector<std::string> found;  // instructions that ReadDumpsOptions::find looks for, as text
  };
  // A module: "module_0001.jit_f".
  struct Module {
    std::string name;
    std::vector<Stage> stages;          // before the passes, after each, at last
    int64_t snapshots = 0, others = 0;  // files with inputs and results; reports, IR, …
    int64_t xla_memory = -1;            // bytes, by XLA's memory-usage-report; -1: there is none
    int64_t memory = -1;                // bytes of the last stage, by ours
  };
  std::vector<Module> modules;  // by name
  int64_t files = 0;
};

// How to read a folder.
struct ReadDumpsOptions {
  // Instructions whose opcode, name, op_name or source line (FILE:LINE) has this in it; "": none.
  std::string find = {};
  int threads = 0;                                                  // 0: as many as there are cores
  std::function<void(size_t done, size_t total)> on_progress = {};  // called from one thread at a time
};
// The folder and those in it. InvalidArgument if it is no folder, or holds nothing of the kind.
StatusOr<DumpFolder> ReadDumps(const std::string& path, const ReadDumpsOptions& options = {});

// What came of running a module's stages on the same inputs.
struct DumpVerdict {
  int64_t stages = 0;   // that were compared with the first
  int64_t guilty = -1;  // the first stage that does not agree with it; -1: all do
  Verdict verdict;      // of that one, else of the last
};
StatusOr<DumpVerdict> VerifyStages(const DumpFolder::Module& module, const CheckOptions& options = {});

// Tables for people, and all as JSON (docs/json.md).
std::string DumpReport(const DumpFolder& folder);
std::string StagesReport(const DumpFolder::Module& module);  // those that changed something
std::string DumpJson(const DumpFolder& folder);

}  // namespace hloir
#pragma GCC visibility pop
