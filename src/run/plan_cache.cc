// See hloir/plan_cache.h. A file has a line for each thing that must be equal, then the texts of the two modules:
//
//   hloir plan 1
//   version 0.1.0
//   isa avx512
//   …
//   texts 1200 1400 0123456789abcdef
//   HloModule …
#include "hloir/plan_cache.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "hloir/executable.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "hloir/version.h"
#include "run/fit_memory.h"
#include "support/format.h"
#include "support/cache_file.h"
#include "support/text_hash.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

std::string IsaOf(const RunnerOptions& options) {
  if (!options.isa.empty()) return options.isa;
  const char* forced = std::getenv("HLOIR_FORCE_ISA");
  return forced != nullptr && *forced != '\0' ? forced : SupportedIsas().back();
}

// All but the modules that determines a plan.
std::string HeadOf(const RunnerOptions& options) {
  return Format("hloir plan 1\nversion {}\nisa {}\nthreads {}\nfuse {}\nlayouts {}\nmemory-limit {}\n", kVersion,
                IsaOf(options), options.threads, options.fuse ? 1 : 0, options.choose_layouts ? 1 : 0,
                options.memory_limit);
}

std::string ContentsOf(const std::string& head, const std::string& given, const std::string& fitted) {
  const uint64_t checksum = TextHash().Add(given).Add(fitted).checksum();
  return Format("{}texts {} {} {:016x}\n", head, given.size(), fitted.size(), checksum) + given + fitted;
}

// True if the entries take and give values of the same shapes.
bool SameSignature(const HloModule& a, const HloModule& b) {
  const HloComputation &x = *a.entry_computation(), &y = *b.entry_computation();
  if (x.parameter_count() != y.parameter_count() || !(x.root()->shape() == y.root()->shape())) return false;
  for (int64_t i = 0; i < x.parameter_count(); ++i)
    if (!(x.parameter(i)->shape() == y.parameter(i)->shape())) return false;
  return true;
}

// The text of the fitted module in a file's contents; InvalidArgument with the reason why it is not for this run.
StatusOr<std::string> FittedText(std::string_view contents, const std::string& head, const std::string& given) {
  constexpr std::string_view kTexts = "texts ";
  if (!contents.starts_with(head)) return InvalidArgument("it is for another version, instruction set or option");
  contents.remove_prefix(head.size());
  const size_t line = contents.find('\n');
  if (!contents.starts_with(kTexts) || line == std::string_view::npos) return InvalidArgument("it is damaged");
  const std::string_view all = contents.substr(line + 1);
  if (all.size() < given.size()) return InvalidArgument("it is damaged");
  std::string fitted(all.substr(given.size()));
  // The whole file follows from the two texts, so that no number in it needs to be read.
  if (all.substr(0, given.size()) != given) return InvalidArgument("it is for another module, or damaged");
  if (ContentsOf(head, given, fitted).substr(head.size()) != contents) return InvalidArgument("it is damaged");
  return fitted;
}

StatusOr<std::unique_ptr<HloModule>> ReadFitted(const std::string& path, const std::string& head,
                                                const std::string& given, const HloModule& module) {
  constexpr uint64_t kTimesText = 64;  // a fitted module is not much larger than the given one
  const uint64_t most = kTimesText * (given.size() + head.size());
  HLOIR_ASSIGN_OR_RETURN(const std::optional<std::string> contents, ReadCacheFile(path, most));
  if (!contents.has_value()) return std::unique_ptr<HloModule>();
  HLOIR_ASSIGN_OR_RETURN(std::string text, FittedText(*contents, head, given));
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> fitted, ParseModule(std::move(text)));
  HLOIR_RETURN_IF_ERROR(VerifyModule(*fitted));
  if (fitted->entry_computation() == nullptr || !SameSignature(*fitted, module))
    return InvalidArgument("it is for another module");
  return fitted;
}

StatusOr<int64_t> ArenaOf(const HloModule& module, const RunnerOptions& options) {
  RunnerOptions without = options;
  without.memory_limit = 0;
  HLOIR_ASSIGN_OR_RETURN(const Runner runner, Runner::Prepare(module, without));
  return runner.arena_bytes();
}

}  // namespace

StatusOr<Runner> PlanCache::Prepare(const HloModule& module, const RunnerOptions& options) {
  was_read_ = false;
  message_.clear();
  added_instructions_ = 0;
  const bool has_plan = options.engine == Engine::kFast && options.devices.devices() <= 1;
  if (!has_plan || module.entry_computation() == nullptr) return Runner::Prepare(module, options);
  if (options.memory_limit == 0) {
    RunnerOptions with = options;
    with.cache = folder_;
    HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, with));
    was_read_ = runner.cache_use().was_read;
    message_ = runner.cache_use().message;
    return runner;
  }
  const std::string head = HeadOf(options), given = PrintModule(module, PrintOptions::Readable());
  const std::string path = (fs::path(folder_) / (TextHash().Add(head).Add(given).ToString() + ".plan")).string();
  std::unique_ptr<HloModule> fitted;
  if (auto read = ReadFitted(path, head, given, module); !read.ok())
    message_ = Format("{} is not used: {}", path, read.status().message());
  else fitted = std::move(*read);
  was_read_ = fitted != nullptr;
  if (!was_read_) {
    HLOIR_ASSIGN_OR_RETURN(fitted, FitToMemory(module, options.memory_limit, [&](const HloModule& candidate) {
                             return ArenaOf(candidate, options);
                           }));
    if (fitted == nullptr) return Runner::Prepare(module, options);  // it fits as it is
    const Status written = WriteAtOnce(path, ContentsOf(head, given, PrintModule(*fitted, PrintOptions::Readable())));
    if (!written.ok()) message_ = Format("the plan is not kept: {}", written.message());
  }
  added_instructions_ = fitted->instruction_count() - module.instruction_count();
  modules_.push_back(std::move(fitted));
  return Runner::Prepare(*modules_.back(), options);
}

}  // namespace hloir
