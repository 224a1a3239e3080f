// A folder of dumps by XLA_FLAGS=--xla_dump_to=DIR (or hloir opt --dump-to): its modules, each with its ordered stages,
// snapshots, and XLA's memory reports. Name and content determine the kind of a file; LLVM IR and objects are only
// counted.
//
// Example:
//
//   StatusOr<DumpFolder> dumps = ReadDumps("dump");
//   if (dumps.ok()) for (const DumpFolder::Module& m : dumps->modules) std::puts(m.name.c_str());
//
// Threads: a value; ReadDumps reads files on several threads.
// Tested by tests/unit/dumps_test.cc and tests/cli/dumps.test.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/check.h"
#include "hloir/cost.h"
#include "hloir/inspect.h"
#include "hloir/status.h"
#include "io/elided.h"

namespace hloir {

// The contents of a dump folder.
struct DumpFolder {
  // One state of a module: a file.
  struct Stage {
    std::string path, name;  // "before_optimizations", "simplification: algsimp", "cpu_after_optimizations"
    Status status;           // not ok: it cannot be read
    bool legal = true;       // the module is legal; otherwise it has neither costs nor memory
    InstructionCount count;
    Cost cost;
    int64_t devices = 1;
    bool changed = true;  // it is not the same as the stage before
    uint64_t structure = 0;
    std::vector<std::pair<std::string, int64_t>> opcodes;  // how many of each, by name
    std::vector<std::string> found;  // instructions that ReadDumpsOptions::find looks for, as text
  };
  // Bytes by use; -1: unknown.
  struct Memory {
    int64_t parameters = -1, constants = -1;
    int64_t others = -1;  // results and temporaries
    int64_t total = -1;
    // A block of memory.
    struct Allocation {
      std::string what;  // "parameter 0", "preallocated-temp"
      int64_t bytes = 0;
      int64_t values = 0;  // values in it, at different times or offsets
    };
    std::vector<Allocation> allocations;  // XLA's, the largest first
  };
  // A module: "module_0001.jit_f".
  struct Module {
    std::string name;
    std::vector<Stage> stages;                 // before the passes, after each, at last
    std::vector<std::string> snapshots;        // files with inputs and results
    std::vector<std::string> values;           // .npz files with inputs and results, named after it
    int64_t others = 0;                        // reports, IR, …
    std::string memory_report, buffer_report;  // XLA's, as files; "": there is none
    Memory xla_memory;                         // by XLA's buffer-assignment and memory-usage-report
    Memory memory;                             // of the last stage, by hloir's buffer assignment
  };
  std::string path;             // as it was given
  std::vector<Module> modules;  // by name
  int64_t files = 0;
};

// Options for reading a folder.
struct ReadDumpsOptions {
  // Finds instructions whose opcode, name, op_name or source line (FILE:LINE) contains this text; "": none.
  std::string find = {};
  int threads = 0;                                                  // 0: as many as there are cores
  std::function<void(size_t done, size_t total)> on_progress = {};  // called from one thread at a time
};
// Lists the modules of folders, their subfolders, and files by their names alone: stages and reports are not read, and
// each stage counts as changed. Beside the names of dumps, a pair of files X.before.hlo and X.after.hlo (or X-before,
// X_before), or X.hlo and X.opt.hlo, is a module of two stages. InvalidArgument if there is no module.
StatusOr<DumpFolder> ListDumps(std::span<const std::string> paths);

// Reads the folder and its subfolders. InvalidArgument if it is not a folder, or has no dumps.
StatusOr<DumpFolder> ReadDumps(const std::string& path, const ReadDumpsOptions& options = {});

// The result of running a module's stages on the same inputs.
struct DumpVerdict {
  int64_t stages = 0;                 // that were compared with the first
  int64_t guilty = -1;                // the first stage that disagrees with it; -1: none
  Verdict verdict;                    // of that one, else of the last
  std::set<std::string> assumptions;  // of all verdicts
  int64_t elided = 0;                 // constants of the first stage that got values
};
// `elided`: values for elided constants. Without `inputs` they are made up, as by Checker.
StatusOr<DumpVerdict> VerifyStages(const DumpFolder::Module& module, const CheckOptions& options = {},
                                   const ElidedValues& elided = {}, std::vector<InputSet> inputs = {});

// The result of running a snapshot's module on its inputs.
struct SnapshotVerdict {
  std::string path;
  Status status;             // not ok: it could not be read or run
  bool has_results = false;  // stored ones, to compare with
  Comparison comparison;     // with them
};
std::vector<SnapshotVerdict> RunSnapshots(const DumpFolder::Module& module);

// A data set from a folder: each structure once, without metadata, as OUT/HASH.hlo; and OUT/index.json with the size,
// cost, opcodes, module and stage of each (docs/json.md). Existing files are kept.
struct Harvest {
  int64_t stages = 0;      // that could be read
  int64_t modules = 0;     // files: structures that differ
  int64_t duplicates = 0;  // stages whose structure another one has
};
StatusOr<Harvest> HarvestDumps(const DumpFolder& folder, const std::string& out, int threads = 0);

// A self-contained HTML file: modules, stages, sizes, the changes of each pass, the difference between a module's first
// and last stage, and memory as reported by XLA and by hloir.
std::string DumpPage(const DumpFolder& folder, int threads = 0);

// The changes of each stage: removed and changed instructions by reason (DiffChanges), at most `most` of a kind; "" for
// unchanged stages and for the first. An illegal stage, or one too large for a quick match, has a message.
std::vector<std::string> StageChanges(const DumpFolder::Module& module, size_t most = 6, int threads = 0);

// Text tables, and everything as JSON (docs/json.md).
std::string DumpReport(const DumpFolder& folder);
std::string StagesReport(const DumpFolder::Module& module);  // those that changed something
std::string DumpJson(const DumpFolder& folder);

}  // namespace hloir
