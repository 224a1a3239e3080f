// Check() on a program on whole arrays and its program for one device.
#include <string>

#include "hloir/check.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

const std::string kWhole =
    "HloModule m, num_partitions=4\nENTRY main {\n"
    "  x = f32[8,6] parameter(0), sharding={devices=[4,1]<=[4]}\n"
    "  y = f32[6] parameter(1), sharding={replicated}\n"
    "  wide = f32[8,6] broadcast(y), dimensions={1}\n"
    "  ROOT sum = f32[8,6] add(x, wide), sharding={devices=[4,1]<=[4]}\n}\n";

// A device's program, with this sharding of the result.
std::string OfADevice(const std::string& sharding, const std::string& y = "y") {
  return "HloModule m, num_partitions=4\nENTRY main_spmd {\n"
         "  x = f32[2,6] parameter(0), sharding={devices=[4,1]<=[4]}\n"
         "  y = f32[6] parameter(1), sharding={replicated}\n"
         "  id = u32[] partition-id()\n  number = f32[] convert(id)\n  three = f32[] constant(3)\n"
         "  last = pred[] compare(number, three), direction=EQ\n  all = pred[6] broadcast(last), dimensions={}\n"
         "  twice = f32[6] add(y, y)\n  other = f32[6] select(all, twice, y)\n"
         "  wide = f32[2,6] broadcast(" +
         y + "), dimensions={1}\n  ROOT sum = f32[2,6] add(x, wide)" +
         (sharding.empty() ? "" : ", sharding=" + sharding) + "\n}\n";
}

StatusOr<Verdict> Compare(const std::string& a, const std::string& b) { return Check(*Parse(a), *Parse(b)); }

TEST_CASE("inputs are cut and results put together by the shardings in the texts") {
  const auto verdict = Compare(kWhole, OfADevice("{devices=[4,1]<=[4]}"));
  INFO((verdict.ok() ? verdict->reason : verdict.status().message()));
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kSameBits);
  CHECK(verdict->devices == 4);
  // The result's sharding may stand in the other text alone; and the two may change places.
  CHECK(Compare(kWhole, OfADevice(""))->agrees());
  CHECK(Compare(OfADevice("{devices=[4,1]<=[4]}"), kWhole)->agrees());
}

TEST_CASE("what one device does wrong is seen, and so are shards in a wrong order") {
  CHECK(Compare(kWhole, OfADevice("{devices=[4,1]<=[4]}", "other"))->outcome == Outcome::kDisagree);
  CHECK(Compare(kWhole, OfADevice("{devices=[4,1]<=[2,2]T(1,0)}"))->outcome == Outcome::kDisagree);
}

TEST_CASE("each of several replicas has the whole arrays") {
  const auto of = [](std::string text) {
    const std::string header = "num_partitions=4";
    text.replace(text.find(header), header.size(), "replica_count=2, num_partitions=4");
    return text;
  };
  const auto verdict = Compare(of(kWhole), of(OfADevice("{devices=[4,1]<=[4]}")));
  INFO((verdict.ok() ? verdict->reason : verdict.status().message()));
  REQUIRE(verdict.ok());
  CHECK(verdict->outcome == Outcome::kSameBits);
  CHECK(verdict->devices == 8);
  CHECK(Compare(of(kWhole), of(OfADevice("{devices=[4,1]<=[4]}", "other")))->outcome == Outcome::kDisagree);
}

TEST_CASE("each copy of a shard is looked at") {
  const std::string whole =
      "HloModule m, num_partitions=2\nENTRY main {\n  x = f32[3] parameter(0), sharding={replicated}\n"
      "  ROOT y = f32[3] negate(x), sharding={replicated}\n}\n";
  const std::string device =
      "HloModule m, num_partitions=2\nENTRY main_spmd {\n  x = f32[3] parameter(0), sharding={replicated}\n"
      "  id = u32[] partition-id()\n  number = f32[] convert(id)\n  wide = f32[3] broadcast(number), dimensions={}\n"
      "  z = f32[3] negate(x)\n  ROOT y = f32[3] subtract(z, wide), sharding={replicated}\n}\n";
  CHECK(Compare(whole, device)->outcome == Outcome::kDisagree);
}

TEST_CASE("a sharding that is missing or does not fit is told by name") {
  std::string bare = kWhole;
  const std::string said = ", sharding={devices=[4,1]<=[4]}\n}";
  bare.replace(bare.find(said), said.size(), "\n}");
  // Of the result it follows from the rest.
  CHECK(Compare(bare, OfADevice(""))->agrees());
  const std::string of_x = ", sharding={devices=[4,1]<=[4]}";
  bare.replace(bare.find(of_x), of_x.size(), "");
  const auto missing = Compare(bare, OfADevice(""));
  REQUIRE_FALSE(missing.ok());
  CHECK(std::string(missing.status().message()).find("result 0") != std::string::npos);
  const auto wrong = Compare(kWhole, OfADevice("{devices=[2,2]<=[4]}"));
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("a partitioned module is not held to bits, and a later one is") {
  std::string rounded = kWhole;
  rounded.replace(rounded.find("  ROOT sum = f32[8,6] add(x, wide)"), 34,
                  "  c = f32[] constant(7)\n  cs = f32[8,6] broadcast(c), dimensions={}\n"
                  "  m = f32[8,6] multiply(x, cs)\n  d = f32[8,6] divide(m, cs)\n  ROOT sum = f32[8,6] add(d, wide)");
  const auto before = Parse(kWhole), partitioned = Parse(OfADevice("{devices=[4,1]<=[4]}")), other = Parse(rounded);
  CheckOptions options;
  options.exact = true;
  Checker checker(*before, {}, options);
  const auto first = checker.Check(*partitioned);
  REQUIRE(first.ok());
  CHECK(first->agrees());
  const auto second = checker.Check(*other);
  REQUIRE(second.ok());
  CHECK(second->outcome == Outcome::kDisagree);
}

TEST_CASE("what is written for a device is run as such, within a program on whole arrays") {
  const std::string manual =
      "HloModule m, num_partitions=4\nadd {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(p, q)\n}\nENTRY main {\n"
      "  x = f32[8,6] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      "  cut = f32[8,6] custom-call(x), custom_call_target=\"Sharding\", sharding={devices=[4,1]<=[4]}\n"
      "  own = f32[2,6] custom-call(cut), custom_call_target=\"SPMDFullToShardShape\", sharding={manual}\n"
      "  sum = f32[2,6] all-reduce(own), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, "
      "to_apply=add\n"
      "  ROOT all = f32[8,6] custom-call(sum), custom_call_target=\"SPMDShardToFullShape\", "
      "sharding={devices=[4,1]<=[4]}\n}\n";
  const auto before = Parse(manual);
  const auto after = before->Clone();
  REQUIRE((*MakePass("spmd-partitioning", {}))->Run(*after).ok());
  const auto verdict = Check(*before, *after);
  INFO((verdict.ok() ? verdict->reason : verdict.status().message()));
  REQUIRE(verdict.ok());
  CHECK(verdict->agrees());
  // The same sums by hand on whole arrays.
  const auto by_hand = Parse(
      "HloModule m, num_partitions=4\nadd {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n"
      "  ROOT s = f32[] add(p, q)\n}\nENTRY main {\n  x = f32[8,6] parameter(0)\n"
      "  split = f32[4,2,6] reshape(x)\n  zero = f32[] constant(0)\n"
      "  sum = f32[2,6] reduce(split, zero), dimensions={0}, to_apply=add\n"
      "  wide = f32[4,2,6] broadcast(sum), dimensions={1,2}\n  ROOT all = f32[8,6] reshape(wide)\n}\n");
  const auto same = Check(*before, *by_hand);
  REQUIRE(same.ok());
  CHECK(same->agrees());
}

TEST_CASE("the corpus's sharded programs agree with their partitioned forms, ours and XLA's") {
  for (const char* name : {"collectives", "data_parallel_step", "halo_exchange", "sharded_products"}) {
    INFO(name);
    const std::string path = std::string(kCorpusFolder) + "/modules/spmd_" + name;
    const auto whole = ReadModule(path + ".hlo"), xla = ReadModule(path + ".opt.hlo");
    REQUIRE(whole.ok());
    REQUIRE(xla.ok());
    const auto ours = (*whole)->Clone();
    const std::string passes[] = {"sharding-propagation", "spmd-partitioning"};
    REQUIRE(MakePipeline(passes, {})->RunOnce(*ours).ok());
    CHECK(ours->config().num_partitions == 8);
    for (const HloModule* partitioned : {ours.get(), xla->get()}) {
      const auto verdict = Check(**whole, *partitioned);
      INFO((verdict.ok() ? verdict->reason : verdict.status().message()));
      REQUIRE(verdict.ok());
      CHECK(verdict->agrees());
      CHECK(verdict->devices == 8);
    }
  }
}

}  // namespace
}  // namespace hloir
