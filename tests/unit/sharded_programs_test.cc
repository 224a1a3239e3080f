// The programs of tests/sharded, from JAX: each is partitioned by the passes with equal results, sends at most 1.3
// times the bytes of the program that XLA compiles (xla.json; generate.py), and all of them at most 0.95 times in the
// mean.
#include <filesystem>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "hloir/cost.h"
#include "hloir/check.h"
#include "hloir/io.h"
#include "hloir/passes.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;

namespace fs = std::filesystem;

TEST_CASE("JAX's sharded programs, partitioned, compute the same and send no more than XLA's") {
  const fs::path folder = fs::path(kTestsFolder) / "sharded";
  const auto of_xla = nlohmann::json::parse(std::ifstream(folder / "xla.json"));
  // As XLA does, calls are inlined before: a pad in one place and its slice in another are one shift.
  const std::vector<std::string> names = {"call-inliner",
                                          "sharding-propagation",
                                          "spmd-partitioning",
                                          "dce",
                                          "cse",
                                          "while-loop-invariant-code-motion",
                                          "dce",
                                          "cse",
                                          "dce"};
  std::set<std::string> seen;
  double ratios = 0;
  int compared = 0;
  for (const std::filesystem::path& path : FilesIn(folder)) {
    const std::string name = path.stem();
    INFO(name);
    seen.insert(name);
    StatusOr<ModuleFile> file = ReadModuleFile(path.string(), {.one_module = true});
    REQUIRE(file.status().message() == "");
    const HloModule& whole = file->module();
    const std::unique_ptr<HloModule> partitioned = whole.Clone();
    StatusOr<HloPassPipeline> pipeline = MakePipeline(names, {});
    REQUIRE(pipeline.ok());
    CHECK(pipeline->RunOnce(*partitioned).status().message() == "");
    CHECK(VerifyModule(*partitioned).message() == "");
    CHECK(partitioned->entry_computation()->name().ends_with("_spmd"));
    const StatusOr<Verdict> verdict = Check(whole, *partitioned);
    CHECK(verdict.status().message() == "");
    if (verdict.ok() && !verdict->agrees()) FAIL_CHECK(verdict->ToString());
    REQUIRE(of_xla.contains(name));
    const double ours = CommunicationAnalysis(*partitioned).sent_bytes(), theirs = of_xla[name];
    CHECK(ours <= 1.3 * theirs);
    ratios += ours == theirs ? 1 : ours / theirs;
    ++compared;
  }
  CHECK(seen.size() == of_xla.size());
  CHECK(seen.size() >= 100);
  const double mean = ratios / compared;
  INFO("bytes sent over XLA's, mean: " << mean);
  CHECK(mean <= 0.95);
}
