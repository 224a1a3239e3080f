// See memory.h.
#include "tools/memory.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include <CLI/CLI.hpp>

#include "hloir/memory_limit.h"
#include "inspect/folder.h"
#include "support/huge_pages.h"
#include "tools/flags.h"

namespace hloir::tool {
namespace {

bool has_default_limit = false;

// A sanitizer's own tables are larger than any limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimits = false;
#else
constexpr bool kLimits = true;
#endif

// Reserves the heap for a medium module at once, in pages of 2 MB: page faults took 10 to 20 % of the time for 10,000
// to 30,000 instructions. A module takes up to 16 times the size of its text; unused pages take no memory. Not for
// larger modules: at 100,000 instructions it saves no time, and partly used pages cost 20 % more memory.
void ReserveHeap(uint64_t text) {
  constexpr uint64_t kTimesText = 16, kPart = 8, kSmallText = 100000, kLargeText = 6 << 20;
  if (text <= kSmallText || text > kLargeText) return;
  const size_t reserved = std::min(kTimesText * text, MemoryLimit() / kPart);
  void* block = std::malloc(reserved);
  if (block == nullptr) return;
  WishForHugePages(block, reserved);
  std::free(block);  // the heap keeps it, by the settings of HloirMain
}

struct FileSizes {
  uint64_t all = 0, largest = 0;
};

// The sizes of the files and folders on the command line: FILE, --inputs=X.npz.
FileSizes SizesOf(const std::vector<std::string>& arguments) {
  FileSizes sizes;
  std::error_code none;
  for (const std::string& argument : arguments) {
    const std::string path = argument.substr(argument.starts_with("--") ? argument.find('=') + 1 : 0);
    std::vector<std::string> files{path};
    if (std::filesystem::is_directory(path, none)) {
      if (auto inside = ListModuleFiles(path); inside.ok()) files = std::move(*inside);
    }
    for (const std::string& file : files) {
      const uint64_t size = std::filesystem::file_size(file, none);
      if (none) continue;
      sizes.all += size;
      sizes.largest = std::max(sizes.largest, size);
    }
  }
  return sizes;
}

}  // namespace

void AddMemoryFlag(CLI::App& app, uint64_t& most) {
  for (CLI::App* command : app.get_subcommands({})) {
    if (!command->get_subcommands({}).empty()) {
      AddMemoryFlag(*command, most);
      continue;
    }
    AddOption(*command, "--max-memory SIZE", most,
              "Memory limit, as in 500M or 16G (default: 768M plus 64 times the size of the input files; with an input "
              "over 100 kB at least half of the machine's memory)")
        ->transform(CLI::Validator(CLI::AsSizeValue(false)).description(""));
  }
}

void LimitProcessMemory(uint64_t most, const std::vector<std::string>& arguments) {
  if (!kLimits) return;
  constexpr uint64_t kStack = uint64_t{8} << 20;  // per thread; unused memory costs nothing
  const FileSizes sizes = SizesOf(arguments);
  // An editor's texts come later.
  const bool serves = !arguments.empty() && arguments[0] == "lsp";
  has_default_limit = most == 0;
  if (most == 0) most = MemoryLimitForFiles(sizes.all, sizes.largest, serves);
  (void)LimitMemory(most + kStack * std::max(1u, std::thread::hardware_concurrency()));  // where there is one
  if (MemoryLimit() > 0) ReserveHeap(sizes.largest);
}

void RaiseMemoryLimit(int64_t devices) {
  constexpr uint64_t kEach = uint64_t{64} << 20;
  if (!has_default_limit || devices < 2 || MemoryLimit() == 0) return;
  // Each device has whole arrays, as results of dozens of runs: as much as large files get.
  const uint64_t threads = MemoryLimit() + kEach * static_cast<uint64_t>(devices);
  (void)LimitMemory(std::max(threads, MemoryLimitForFiles(0, 0, /*serves=*/true)));
}

void LimitMemoryFor(const std::vector<std::string>& files) {
  if (!has_default_limit || MemoryLimit() == 0) return;
  const FileSizes sizes = SizesOf(files);
  (void)LimitMemory(MemoryLimitForFiles(sizes.all, sizes.largest));
}

void LiftMemoryLimit() {
  if (MemoryLimit() > 0) (void)LimitMemory(0);
}

}  // namespace hloir::tool
