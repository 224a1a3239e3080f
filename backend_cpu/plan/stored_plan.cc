// See stored_plan.h. A file begins with a line for each thing that must be equal:
//
//   hloir steps 1
//   version 0.1.0
//   build 0123456789abcdef
//   …
//   bytes 1200 0123456789abcdef
#include "plan/stored_plan.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "hloir/printer.h"
#include "hloir/version.h"
#include "isa/isas.h"
#include "plan/loops/stored_loops.h"
#include "support/format.h"
#include "support/cache_file.h"
#include "support/text_hash.h"

namespace hloir::cpu {
namespace {

namespace fs = std::filesystem;

// Of the module's text, with the bytes of its constants instead of theirs.
std::string HashOf(const HloModule& module) {
  TextHash hash;
  PrintOptions options;
  options.print_metadata = false;
  // Never an error: this writer has none.
  (void)PrintModule(module, options, [&](std::string_view piece) { return hash.Add(piece), OkStatus(); });
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* instruction : computation->instructions())
      if (instruction->IsConstant()) hash.Add(instruction->literal().Hash());
  }
  return hash.ToString();
}

}  // namespace

StoredPlan::StoredPlan(const HloModule& module, const ExecutableOptions& options, const KernelTable& kernels,
                       int threads) {
  head_ =
      Format("hloir steps 1\nversion {}\nisa {}\nbuild {:016x}\nthreads {}\nfuse {}\nlayouts {}\npack {}\nmodule {}\n",
             kVersion, IsaName(kernels.isa), StoredLoops::BuildMark(kernels), threads, options.fuse_elementwise ? 1 : 0,
             options.choose_layouts ? 1 : 0, options.pack_ahead ? 1 : 0, HashOf(module));
  path_ = (fs::path(options.cache) / (TextHash().Add(head_).ToString() + ".steps")).string();
}

StatusOr<std::string> StoredPlan::Read() const {
  constexpr uint64_t kMost = uint64_t{1} << 32;
  HLOIR_ASSIGN_OR_RETURN(const std::optional<std::string> read, ReadCacheFile(path_, kMost));
  if (!read.has_value()) return std::string();
  const std::string& contents = *read;
  if (!contents.starts_with(head_)) return InvalidArgument("it is for another version, machine, option or module");
  const size_t line = contents.find('\n', head_.size());
  if (line == std::string::npos) return InvalidArgument("it is damaged");
  // The line follows from the bytes, so that no number in it needs to be read.
  const std::string_view bytes = std::string_view(contents).substr(line + 1);
  if (contents.compare(head_.size(), line - head_.size(),
                       Format("bytes {} {:016x}", bytes.size(), TextHash().Add(bytes).checksum())) != 0)
    return InvalidArgument("it is damaged");
  return contents.substr(line + 1);
}

Status StoredPlan::Write(const std::string& contents) const {
  return WriteAtOnce(
      path_, Format("{}bytes {} {:016x}\n", head_, contents.size(), TextHash().Add(contents).checksum()) + contents);
}

}  // namespace hloir::cpu
