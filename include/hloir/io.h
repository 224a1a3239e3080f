// Reads modules and values from files, and writes them. The content selects the format of a file that is read: HLO
// text, HloProto, HloModuleProto, HloSnapshot, HloUnoptimizedSnapshot or their JSON, each also compressed by gzip, or a
// profile of jax.profiler (.xplane.pb) or a sample of TpuGraphs, with modules and measured times. The name selects the
// format of a file that is written. Snapshots and NumPy's .npz hold values (inputs and results).
//
// Example:
//
//   StatusOr<std::string> bytes = SerializeModule(module, {.form = FileFormat::Form::kJson, .gzip = true});
//   if (!bytes.ok()) return;
//   StatusOr<ModuleFile> file = ParseModuleFile(*bytes);
//   if (file.ok()) (void)file->module().name();
//   // From and to files: ReadModule("block.hlo"), WriteModule(module, "block.pb.gz").
//
// Threads: functions keep no state between calls and do not change the working directory. They may be called from
// several threads, for one file by one thread at a time. In a static build the target hloir::io brings zlib and libzip.
// Tested by tests/unit/io_test.cc, npz_test.cc and tests/cli/convert.test.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/literal.h"
#include "hloir/module.h"
#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// ---- Modules ----

// The format of a module in a file.
struct FileFormat {
  enum class Form { kText, kProto, kJson, kStablehlo };
  Form form = Form::kText;
  bool gzip = false;
};
// The format for a file name: .hlo and .txt are text, .pb a message, .json its JSON, .mlir StableHLO text, each also
// with .gz. A name without an ending, "-" and /dev/null are text. InvalidArgument for another ending.
StatusOr<FileFormat> FormatOf(std::string_view path);

// The times of a module's instructions in a profile.
struct MeasuredTimes {
  // The executions of one instruction, in all runs.
  struct Instruction {
    int64_t count = 0;
    double seconds = 0;  // of a while or call: with its computations
  };
  int64_t runs = 1;    // of the module, on all devices
  double seconds = 0;  // of one run of the module; 0: only instructions were measured
  std::map<std::string, Instruction, std::less<>> instructions;  // by name; only those with a measured time
};

// The contents of a file.
struct ModuleFile {
  FileFormat format;
  std::vector<std::unique_ptr<HloModule>> modules;  // at least one; a text may hold several
  // For a message or JSON: its content except for the module, which is above.
  HloProtoFile proto;
  std::shared_ptr<const std::string> text;  // of HLO text
  std::vector<MeasuredTimes> measured;      // of a profile: for each module, the one with the longest time first

  const HloModule& module() const { return *modules.front(); }
  HloModule& module() { return *modules.front(); }
  // A snapshot has the arguments of at least one partition.
  bool has_arguments() const { return !proto.arguments.empty(); }
};

// Requirements on a file that is read.
struct ReadOptions {
  bool verify = true;                                     // run VerifyModule; a violation is InvalidArgument
  bool allow_unknown = false;                             // see ParserOptions
  bool one_module = false;                                // a file with several is InvalidArgument
  std::string file_name = {};                             // for messages; "": the path
  std::vector<std::vector<int64_t>> argument_sizes = {};  // of StableHLO (StablehloOptions); else unused
};

// The modules of the file at `path`; "-" is standard input. Where there is a place, an error begins with
// "FILE:LINE:COLUMN: error: "; of a verifier's several errors each does.
StatusOr<ModuleFile> ReadModuleFile(const std::string& path, const ReadOptions& options = {});
// The same from a file's bytes.
StatusOr<ModuleFile> ParseModuleFile(std::string bytes, const ReadOptions& options = {});
// The one module of the file.
StatusOr<std::unique_ptr<HloModule>> ReadModule(const std::string& path, const ReadOptions& options = {});
// The verifier's errors as text like the parser's, under the name `file`; "" for a legal module. `text` is the text of
// the module, or null.
std::string VerifierReport(const HloModule& module, const std::string& file, const std::string* text);

// Options for writing a module.
struct WriteOptions {
  PrintOptions print = PrintOptions::Readable();               // for text
  HloProtoFile::Form message = HloProtoFile::Form::kHloProto;  // for .pb and .json
};
// A module as the bytes of a file. JSON and messages cannot represent unknown opcodes: InvalidArgument.
StatusOr<std::string> SerializeModule(const HloModule& module, const FileFormat& format,
                                      const WriteOptions& options = {});
// The same bytes given to `write`, text piece by piece.
Status SerializeModule(const HloModule& module, const FileFormat& format, const WriteOptions& options,
                       const WriteText& write);
// All modules of a file, or its message with the arguments and results that SerializeModule leaves out.
StatusOr<std::string> SerializeModuleFile(const ModuleFile& file, const FileFormat& format);
// To the file at `path`, in the format for its name, atomically (see WriteFile).
Status WriteModule(const HloModule& module, const std::string& path, const WriteOptions& options = {});
Status WriteModuleFile(const ModuleFile& file, const std::string& path);

// Writes a module to a folder as passes change it, under names like XLA's:
// module_0000.NAME.0003.after_PASS.txt.
class ModuleDumper {
 public:
  // Makes the folder, if it is not there.
  static StatusOr<ModuleDumper> Create(const std::string& folder, const HloModule& module);
  Status BeforeAll(const HloModule& module);
  // For PipelineOptions::after; `number` counts runs of passes.
  Status AfterPass(std::string_view pass, int64_t number, const HloModule& module);
  Status AfterAll(const HloModule& module);

 private:
  ModuleDumper() = default;
  Status Write(const std::string& what, const HloModule& module);

  std::string folder_, name_;
};

// ---- Whole files ----

// The file's bytes; "-" is standard input. Errors do not name the file.
StatusOr<std::string> ReadFile(const std::string& path);
// Writes atomically: to a new file beside `path`, which is then renamed to `path` with the permissions of the old file.
// A symbolic link stays, and its target is written. A file that is not regular (a pipe, /dev/null) is written directly;
// "-" is standard output.
Status WriteFile(const std::string& path, std::string_view bytes);
// The same for bytes that `produce` passes to `write`, in one call or many. If it returns an error, so does this, and
// the old file stays.
Status WriteFile(const std::string& path, const std::function<Status(const WriteText& write)>& produce);
// As messages name a path: "<stdin>" for "-".
std::string DisplayName(const std::string& path);

// ---- Values ----

// The array leaves of a result; leaves with dynamic dimensions are cut to their actual sizes.
std::vector<Literal> ResultLeaves(const Literal& result);
// Assembles leaves into the entry's parameters: tuple parameters take consecutive leaves. A leaf of another type or
// shape is InvalidArgument.
StatusOr<std::vector<Literal>> ArgumentsFromLeaves(const HloModule& module, std::vector<Literal> leaves);
// The form in which run functions take arguments.
std::vector<const Literal*> Pointers(const std::vector<Literal>& literals);

// Values stored with a module: the leaves of its inputs and, if present, of its results.
struct StoredValues {
  std::vector<Literal> inputs, results;
};
// in0, in1, … and out0, out1, … of the .npz at `path`.
StatusOr<StoredValues> ReadStoredValues(const std::string& path);
// A snapshot's, of one of its partitions.
StatusOr<StoredValues> StoredValuesOf(const HloProtoFile& snapshot, int64_t partition = 0);
// Turns `file` into a snapshot (HloSnapshot, unless it is one already) with these inputs and results.
Status SetStoredValues(StoredValues values, ModuleFile& file);

// The entry's arguments: in0, in1, … of the .npz at `path`.
StatusOr<std::vector<Literal>> ReadArguments(const HloModule& module, const std::string& path);
// The arguments of each device: device3.in0, device3.in1, … of the .npz at `path`, or in0, in1, … for devices without
// their own.
StatusOr<std::vector<std::vector<Literal>>> ReadDeviceArguments(const HloModule& module, const DeviceCounts& counts,
                                                                const std::string& path);
// The arguments that a snapshot has for each device's partition.
StatusOr<std::vector<std::vector<Literal>>> DeviceArgumentsOf(const HloModule& module, const DeviceCounts& counts,
                                                              const HloProtoFile& snapshot);
// "device3.": the prefix of the names of a device's leaves.
std::string DevicePrefix(int64_t device);

// ---- .npz and .npy ----
// NumPy's .npz is a zip of .npy arrays. The leaves of inputs are in0, in1, …, those of results out0, out1, …; a type
// that NumPy lacks is stored as its bytes, with ml_dtypes' name for it under "in0.dtype". Reads stored and deflated
// members, .npy versions 1 to 3, C and Fortran order, both byte orders; no pickled objects.

struct NpzLimits {
  int64_t max_bytes = int64_t{1} << 36;  // of one array, unpacked
  int64_t max_arrays = int64_t{1} << 20;
};

// PREFIX0, PREFIX1, … up to the first missing number; shapes have the default layout. A broken file is InvalidArgument.
StatusOr<std::vector<Literal>> ReadNpz(const std::string& path, std::string_view prefix, const NpzLimits& limits = {});
// True if the file holds PREFIX0.
StatusOr<bool> NpzHas(const std::string& path, std::string_view prefix);
// Leaves that an .npz holds as PREFIX0, PREFIX1, …
struct NpzLeaves {
  std::string prefix;
  std::vector<const Literal*> leaves;  // arrays, no tokens
};
// Written as a whole or not at all.
Status WriteNpz(const std::string& path, std::span<const NpzLeaves> all);
Status WriteNpz(const std::string& path, std::string_view prefix, std::span<const Literal* const> leaves);

// The leaves of one device as NAME0, NAME1, …; those of several as device0.NAME0, …, device1.NAME0, …
Status WriteLeaves(const std::string& path, std::string_view name, std::span<const std::vector<Literal>> devices);

// The bytes of a .npy file, and the reverse. `dtype` is ml_dtypes' name for a type that NumPy lacks, or "".
StatusOr<Literal> ParseNpy(std::string_view bytes, std::string_view dtype, const NpzLimits& limits = {});
std::string PrintNpy(const Literal& literal);
// ml_dtypes' name of a type that NumPy lacks; "" for one that it has.
std::string_view MlDtypesName(PrimitiveType type);

// ---- Infeeds and outfeeds ----

// Hands out the leaves in0, in1, … of an .npz in order: each infeed takes one per leaf of its shape. For
// EvaluatorOptions::infeed.
class FeedReader {
 public:
  static StatusOr<FeedReader> Open(const std::string& path);
  StatusOr<Literal> Take(const Shape& shape);
  void Rewind() { next_ = 0; }

 private:
  std::vector<Literal> leaves_;
  size_t next_ = 0;
};

// Keeps the values of outfeeds (EvaluatorOptions::outfeed); Write writes them as out0, out1, ….
class FeedWriter {
 public:
  void Add(const Literal& value);
  Status Write(const std::string& path) const;
  void Clear() { leaves_.clear(); }

 private:
  std::vector<Literal> leaves_;
};

// Transfers with the host as .npy files of a folder, for EvaluatorOptions::host_transfer. The first value that device 0
// sends over channel 7 is written to send.7.0.0.npy, the next to send.7.0.1.npy. A value that it receives is read from
// recv.7.0.0.npy, or recv.7.0.npy for all of its values, or recv.7.npy for all devices. InvalidArgument, naming the
// instruction, for a file that is missing or does not fit.
class TransferFolder {
 public:
  explicit TransferFolder(std::string folder) : folder_(std::move(folder)) {}
  StatusOr<Literal> Exchange(const HostTransfer& transfer);
  void Rewind() { counts_.clear(); }

 private:
  std::string folder_;
  std::map<std::tuple<bool, int64_t, int64_t>, int64_t> counts_;  // by direction, channel, device
};

}  // namespace hloir
#pragma GCC visibility pop
