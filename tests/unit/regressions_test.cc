// corpus/regressions: fixed bugs of hloir, and bugs of XLA that hloir must not have, each with its smallest module.
// Lines at the beginning of a file state the checks:
//
//   // check: legal                      it is read, is legal, and prints back the same
//   // check: refused: some words        it is refused in these words
//   // check: passes a,b                 these passes (none: the default pipeline) leave it legal and its results, by
//                                        every engine, the same bit for bit, and change nothing when they run again
//   // keeps: name                       after the passes the instruction is there as it was
//   // within: 1000                      after the passes it has at most so many instructions; it is not run
//   // run: …                            as in tests/ops (run_lines.h)
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hloir/check.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/run_lines.h"

namespace hloir {
namespace {

namespace fs = std::filesystem;

// The text after `// word: ` in each line that begins with it.
std::vector<std::string> Directives(const std::string& text, const std::string& word) {
  std::vector<std::string> found;
  const std::string start = "// " + word + ":";
  std::string line;
  for (std::stringstream lines(text); std::getline(lines, line);)
    if (line.starts_with(start)) found.push_back(line.size() > start.size() ? line.substr(start.size() + 1) : "");
  return found;
}

std::string Readable(const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); }

void CheckLegal(const HloModule& module) {
  const Status legal = VerifyModule(module);
  REQUIRE(legal.message() == "");
  const std::string printed = Readable(module);
  const auto again = ParseModule(printed);
  REQUIRE(again.status().message() == "");
  CHECK(Readable(**again) == printed);
}

void CheckPasses(const HloModule& module, const std::string& names, const std::string& text) {
  std::vector<std::string> passes;
  std::stringstream list(names);
  for (std::string name; std::getline(list, name, ',');) passes.push_back(name);
  PipelineOptions each;
  each.verify_each = true;
  auto pipeline = MakePipeline(passes, {}, each);
  REQUIRE(pipeline.status().message() == "");
  const std::unique_ptr<HloModule> after = module.Clone();
  const StatusOr<bool> changed = pipeline->RunOnce(*after);
  REQUIRE(changed.status().message() == "");
  CheckLegal(*after);
  if (const std::vector<std::string> most = Directives(text, "within"); !most.empty()) {
    CHECK(after->instruction_count() <= std::stoll(most[0]));
    return;
  }
  for (const std::string& name : Directives(text, "keeps")) {
    INFO(name);
    const HloInstruction* kept = after->entry_computation()->FindInstruction(name);
    REQUIRE(kept != nullptr);
    CHECK(kept->opcode() == module.entry_computation()->FindInstruction(name)->opcode());
  }
  CheckOptions options;
  options.exact = true;
  const StatusOr<Verdict> verdict = Check(module, *after, {}, options);
  REQUIRE(verdict.status().message() == "");
  INFO(verdict->ToString());
  CHECK(verdict->outcome == Outcome::kSameBits);
  const std::string once = Readable(*after);
  REQUIRE(pipeline->RunOnce(*after).status().message() == "");
  CHECK(Readable(*after) == once);
}

}  // namespace

TEST_CASE("what was mended stays mended") {
  for (const fs::path& file : FilesIn(fs::path(kCorpusFolder) / "regressions")) {
    DYNAMIC_SECTION(file.stem().string()) {
      const std::string text = TextOf(file);
      const std::vector<std::string> checks = Directives(text, "check");
      auto module = ParseModule(text);
      if (!checks.empty() && checks[0].starts_with("refused: ")) {
        const Status refused = module.ok() ? VerifyModule(**module) : module.status();
        INFO(refused.message());
        CHECK(refused.message().find(checks[0].substr(9)) != std::string::npos);
        continue;
      }
      REQUIRE(module.status().message() == "");
      CheckLegal(**module);
      const int runs = run_lines::CheckRunLines(**module, text);
      for (const std::string& check : checks) {
        INFO(check);
        if (check.starts_with("passes")) CheckPasses(**module, check.size() > 7 ? check.substr(7) : "", text);
        else CHECK(check == "legal");
      }
      CHECK(runs + static_cast<int>(checks.size()) > 0);
    }
  }
}

}  // namespace hloir
