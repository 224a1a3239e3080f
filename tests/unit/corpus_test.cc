// The corpus: every module prints back byte for byte and is legal; every runnable one has XLA:CPU's results, by the
// reference evaluator and by the plan with each instruction set that this machine has.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;
namespace fs = std::filesystem;

namespace {

const fs::path kCorpus = kCorpusFolder;

// What XLA printed.
std::vector<fs::path> AllTexts() {
  std::vector<fs::path> files;
  for (const char* folder : {"modules", "with_metadata"}) {
    const std::vector<fs::path> here = FilesIn(kCorpus / folder);
    files.insert(files.end(), here.begin(), here.end());
  }
  return files;
}

std::unique_ptr<HloModule> Load(const fs::path& file, std::string* text = nullptr) {
  auto content = ReadFile(file.string());
  REQUIRE(content.ok());
  if (text != nullptr) *text = *content;
  ParserOptions options;
  options.file_name = fs::relative(file, kCorpus).string();
  auto module = ParseModule(*content, options);
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  return std::move(*module);
}

struct Case {
  std::string name;
  fs::path file, npz;
};

// The modules that run on one device and need nobody's library, with the inputs and XLA:CPU's results.
std::vector<Case> RunnableModules() {
  auto index = ReadFile((kCorpus / "index.json").string());
  REQUIRE(index.ok());
  std::vector<Case> cases;
  const nlohmann::json parsed = nlohmann::json::parse(*index);
  for (const auto& entry : parsed["modules"]) {
    if (entry["run"].get<bool>() && entry["custom_calls"].empty())
      cases.push_back({entry["name"], kCorpus / entry["file"], kCorpus / entry["npz"]});
  }
  REQUIRE(static_cast<int64_t>(cases.size()) >
          static_cast<int64_t>(FilesIn(kCorpus / "modules", ".npz").size()) - 15);  // the others call libraries
  return cases;
}

// Against XLA:CPU's results.
void CheckResults(const Case& c, const RunnerOptions& runner) {
  INFO(c.name);
  auto module = Load(c.file);
  auto inputs = ReadArguments(*module, c.npz.string());
  INFO((inputs.ok() ? "" : inputs.status().message()));
  REQUIRE(inputs.ok());
  CheckOptions options;
  options.runner = runner;
  options.other_engine_work = 0;
  auto expected = ReadNpz(c.npz.string(), "out");
  REQUIRE(expected.ok());
  options.stored = std::move(*expected);
  const auto verdict = Check(*module, *module, {{.devices = {std::move(*inputs)}}}, options);
  if (!verdict.ok()) FAIL_CHECK(c.name << ": " << verdict.status().message());
  else if (verdict->stored.has_value() && !verdict->stored->agree) FAIL_CHECK(c.name << ": " << verdict->reason);
  else if (!verdict->stored.has_value()) FAIL_CHECK(c.name << ": no results are stored");
}

}  // namespace

TEST_CASE("corpus text") {
  const std::vector<fs::path> files = AllTexts();
  PrintOptions options;
  options.print_large_constants = true;
  for (const fs::path& file : files) {
    std::string text;
    auto module = Load(file, &text);
    std::string printed = PrintModule(*module, options);
    printed.erase(printed.find_last_not_of('\n') + 1);
    text.erase(text.find_last_not_of('\n') + 1);
    if (printed == text) continue;
    const auto [at, other] = std::mismatch(text.begin(), text.end(), printed.begin(), printed.end());
    const auto around = [](const std::string& s, size_t i) { return s.substr(i < 60 ? 0 : i - 60, 120); };
    FAIL_CHECK(file << " wants …" << around(text, at - text.begin()) << "… but got …"
                    << around(printed, other - printed.begin()));
  }
}

TEST_CASE("corpus verifier") {
  for (const fs::path& file : AllTexts()) {
    const Status status = VerifyModule(*Load(file));
    if (!status.ok()) FAIL_CHECK(file << ": " << status.message());
  }
}

TEST_CASE("corpus reference") {
  RunnerOptions options;
  options.engine = Engine::kReference;
  for (const Case& c : RunnableModules()) CheckResults(c, options);
}

namespace {

void CheckIsa(const std::string& isa) {
  const std::vector<std::string> supported = SupportedIsas();
  if (std::find(supported.begin(), supported.end(), isa) == supported.end()) {
    WARN("this machine does not support " << isa);  // tests/CMakeLists.txt takes these words for a skipped test
    return;
  }
  RunnerOptions options;
  options.isa = isa;
  for (const Case& c : RunnableModules()) CheckResults(c, options);
}

}  // namespace

#define HLOIR_ISA(id, name, ...) \
  TEST_CASE("corpus " name) { CheckIsa(name); }
#include "backend_cpu/isa/isas.def"
