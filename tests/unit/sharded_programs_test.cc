// The programs of tests/sharded, from JAX: each is partitioned by the passes with equal results, and all of them
// together send at most 10 % more than the results of XLA's partitioner (xla.json; generate.py).
#include <cmath>
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
  const std::vector<std::string> names = {"call-inliner", "sharding-propagation", "spmd-partitioning", "dce", "cse",
                                          "dce"};
  std::set<std::string> seen;
  double log_ratios = 0;
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
    // More than twice XLA's traffic in one program is an error, regardless of the mean.
    CHECK(ours <= 2 * theirs + 512);
    if (ours > 0 && theirs > 0) log_ratios += std::log(ours / theirs), ++compared;
  }
  CHECK(seen.size() == of_xla.size());
  CHECK(seen.size() >= 71);
  CHECK(compared >= 45);
  const double mean = std::exp(log_ratios / compared);
  INFO("bytes sent over XLA's, geometric mean: " << mean);
  CHECK(mean <= 1.1);
}
