// Medians and percentiles of a profile's runs, which the report takes from its events.
#include "hloir/report.h"
#include "report/json.h"
#include "support/format.h"
#include "support/text.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

// A loop, in it a product, and after it a copy. Each run: two products of `product` ns, the loop's own 100, the
// copy's 7.
ExecutionProfile Runs(std::initializer_list<int64_t> products) {
  ExecutionProfile profile;
  profile.steps.resize(3);
  profile.steps[0].name = "while", profile.steps[1].name = "dot", profile.steps[2].name = "copy";
  profile.steps[1].depth = 1;
  int64_t at = 0;
  for (const int64_t product : products) {
    const int64_t begin = at;
    for (int k = 0; k < 2; ++k) {
      profile.events.push_back({1, at + 25, product});
      at += 50 + product;
    }
    profile.events.push_back({0, begin, at - begin});
    profile.events.push_back({2, at, 7});
    at += 7;
    profile.steps[0].calls += 1, profile.steps[1].calls += 2, profile.steps[2].calls += 1;
    profile.steps[0].nanoseconds += 100, profile.steps[1].nanoseconds += 2 * product, profile.steps[2].nanoseconds += 7;
  }
  return profile;
}

TEST_CASE("a run that was held up is not in the median") {
  const ExecutionProfile profile = Runs({10, 11, 12, 13, 5000});
  const Json json = Json::parse(ProfileReportJson(profile));
  CHECK(json["runs"] == 5);
  CHECK(json["median"] == 107 + 2 * 12);
  CHECK(json["p10"] == 107 + 2 * 10);
  CHECK(json["p90"] == 107 + 2 * 5000);
  CHECK(json["steps"][0]["median"] == 100);  // without what is inside
  CHECK(json["steps"][1]["median"] == 24);
  CHECK(json["steps"][1]["p90"] == 10000);
  CHECK(json["steps"][2]["p90"] == 7);
  CHECK(ProfileReport(profile).find(Format("5 runs: median {}; a tenth below {}, a tenth above {}\n", HumanTime(131e-6),
                                           HumanTime(127e-6), HumanTime(10107e-6))) != std::string::npos);
}

TEST_CASE("a run of which events are missing is not counted") {
  ExecutionProfile profile = Runs({10, 11, 12});
  profile.events.resize(10);  // two runs of four, and two products
  const Json json = Json::parse(ProfileReportJson(profile));
  CHECK(json["runs"] == 1);  // the second may not be whole
  CHECK(json["median"] == 127);
  CHECK(ProfileReport(profile).find("runs:") == std::string::npos);
  CHECK(Json::parse(ProfileReportJson({}))["runs"] == 0);
}

}  // namespace
}  // namespace hloir
