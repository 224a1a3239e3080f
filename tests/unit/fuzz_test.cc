// Generated modules are legal and reproducible from a seed, and both engines agree on them.
#include "fuzz/cases.h"

#include <set>

#include "fuzz/checks.h"
#include "fuzz/mutate.h"
#include "fuzz/programs.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/runner.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"

namespace hloir::fuzz {
namespace {

uint64_t Hash(std::string_view bytes, uint64_t hash = 0xCBF29CE484222325u) {
  for (unsigned char c : bytes) hash = (hash ^ c) * 0x100000001B3u;
  return hash;
}

TEST_CASE("the same seed makes the same module and values everywhere") {
  const CaseModule made = MakeCases(7);
  uint64_t hash = Hash(PrintModule(*made.module, PrintOptions::Canonical()));
  for (const Literal& input : made.inputs) hash = Hash(input.ToString(), hash);
  // From this machine. The numbers change with the generator, and then for all.
  CHECK(hash == 0x5bc0063f8959ac54);
  CHECK(Hash(PrintModule(*RandomModule(7), PrintOptions::Canonical())) == 0xcea7a5bdd6063224);
}

TEST_CASE("cases are legal, and both engines agree on each") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const CaseModule made = MakeCases(seed);
    INFO("seed " << seed);
    REQUIRE(VerifyModule(*made.module).ok());
    REQUIRE(made.cases.size() == 24);
    std::vector<Literal> results[2];
    for (const Engine engine : {Engine::kReference, Engine::kFast}) {
      RunnerOptions options;
      options.engine = engine;
      StatusOr<Runner> runner = Runner::Prepare(*made.module, options);
      REQUIRE(runner.ok());
      StatusOr<Literal> result = runner->Run(Pointers(made.inputs));
      REQUIRE(result.ok());
      results[engine == Engine::kFast] = ResultLeaves(*result);
    }
    for (size_t k = 0; k < made.cases.size(); ++k) {
      INFO(made.cases[k].what);
      CHECK(Difference(results[0][k], results[1][k], made.cases[k].agreement) == "");
    }
  }
}

TEST_CASE("a called computation gives as many elements as it is asked for, whatever there is to make them from") {
  CHECK(VerifyModule(*RandomModule(9069967)).message() == "");
}

TEST_CASE("programs reach the sizes and ranks that they are asked for, and are legal") {
  fuzz::ProgramOptions options;
  options.most_elements = 100000, options.most_rank = 8;
  int64_t elements = 0, rank = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const std::unique_ptr<HloModule> module = fuzz::RandomModule(seed, options);
    CHECK(VerifyModule(*module).message() == "");
    for (const HloInstruction* i : module->AllInstructions()) {
      if (!i->shape().IsArray()) continue;
      CHECK(i->shape().ElementCount() <= options.most_elements);
      elements = std::max(elements, i->shape().ElementCount());
      rank = std::max(rank, i->shape().rank());
    }
  }
  CHECK(elements > 50000);
  CHECK(rank >= 8);
}

TEST_CASE("a case alone is what it was among others") {
  const CaseModule made = MakeCases(3);
  CaseModule some = MakeCases(3);
  KeepCases(some, {2, 5});
  REQUIRE(some.cases.size() == 2);
  CHECK(some.cases[1].what == made.cases[5].what);
  CHECK(VerifyModule(*some.module).ok());
  CHECK(some.inputs.size() == static_cast<size_t>(some.module->entry_computation()->parameter_count()));
}

TEST_CASE("every opcode is made that one device runs by itself") {
  std::set<HloOpcode> made;
  for (uint64_t seed = 1; seed <= 400; ++seed)
    for (const Case& one : MakeCases(seed).cases) made.insert(one.opcode);
  for (const HloOpcode opcode :
       {HloOpcode::kScaledDot, HloOpcode::kBitcast, HloOpcode::kDynamicReshape, HloOpcode::kPartitionId,
        HloOpcode::kReplicaId, HloOpcode::kRaggedAllToAll, HloOpcode::kDomain, HloOpcode::kCopyStart,
        HloOpcode::kCopyDone, HloOpcode::kAllGatherStart, HloOpcode::kAllGatherDone, HloOpcode::kAllReduceStart,
        HloOpcode::kAllReduceDone, HloOpcode::kCollectivePermuteStart, HloOpcode::kCollectivePermuteDone,
        HloOpcode::kAsyncStart, HloOpcode::kAsyncUpdate, HloOpcode::kAsyncDone}) {
    INFO(OpcodeName(opcode));
    CHECK(made.contains(opcode));
  }
}

TEST_CASE("what text says of an asynchronous pair it says of all of it, so that programs read back as they are") {
  ModuleChecks checks;
  for (const uint64_t seed : {uint64_t{25535}, uint64_t{179541334774}})
    CHECK(checks.Forms(*RandomModule(seed), /*with_json=*/true).what == "");
}

TEST_CASE("what a module says of its devices is kept beside its message, not in it") {
  const auto module = ParseModule(R"(
HloModule halves, allow_spmd_sharding_propagation_to_parameters={true}, allow_spmd_sharding_propagation_to_output={true}, replica_count=3, num_partitions=2

ENTRY main {
  ROOT x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
})");
  REQUIRE(module.status().message() == "");
  CHECK(ModuleChecks().Forms(**module, /*with_json=*/true).what == "");
}

TEST_CASE("what a message or JSON cannot hold is not looked for there") {
  for (const char* attribute :
       {"sharding={mesh['x'=2], [{}], unreduced=max{'x'}}", "frontend_attributes={a=\"\\364\"}"}) {
    const auto module = ParseModule(std::string("HloModule m, num_partitions=2\nENTRY e {\n  ROOT x = f32[4]{0} "
                                                "parameter(0), ") +
                                    attribute + "\n}\n");
    REQUIRE(module.ok());
    CHECK(ModuleChecks().Forms(**module, /*with_json=*/true).what == "");
  }
}

TEST_CASE("no pass is to blame for shards that were wrong before it") {
  const auto module = ParseModule(R"(HloModule shards, num_partitions=2

twice {
  p = f32[8]{0} parameter(0)
  ROOT sum = f32[8]{0} add(p, p)
}

ENTRY main {
  x = f32[8]{0} parameter(0)
  shard = f32[4]{0} custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={manual}
  ROOT call = f32[8]{0} call(x), to_apply=twice
}
)");
  REQUIRE(module.ok());
  CHECK(ModuleChecks().Passes(**module, {"call-inliner"}).what == "");
}

TEST_CASE("a mutation is another legal module, the same for a seed") {
  const char* const text = R"(
HloModule given

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

ENTRY main {
  x = f32[4,3] parameter(0)
  y = f32[4,3] parameter(1)
  product = f32[4,3] multiply(x, y)
  zero = f32[] constant(0)
  sums = f32[4] reduce(product, zero), dimensions={1}, to_apply=add
  ROOT both = (f32[4], f32[4,3]) tuple(sums, product)
})";
  const auto given = ParseModule(text);
  REQUIRE(given.ok());
  const auto print = [](const HloModule& module) { return PrintModule(module, PrintOptions::Readable()); };
  std::set<std::string> texts;
  std::set<HloOpcode> opcodes;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const std::unique_ptr<HloModule> mutated = MutateModule(**given, seed);
    REQUIRE(VerifyModule(*mutated).message() == "");
    CHECK(mutated->entry_computation()->parameter_count() == 2);
    CHECK(print(*MutateModule(**given, seed)) == print(*mutated));
    texts.insert(print(*mutated));
    for (const HloInstruction* i : mutated->AllInstructions()) opcodes.insert(i->opcode());
  }
  CHECK(print(**given) == print(**ParseModule(text)));  // it is unchanged
  CHECK(texts.size() > 190);
  CHECK(!texts.contains(print(**given)));
  CHECK(opcodes.size() > 40);
  CHECK(opcodes.contains(HloOpcode::kConditional));
}

TEST_CASE("mutations of values larger than what is made, and where nothing is there yet") {
  for (const char* text : {"HloModule m\nENTRY e {\n  x = c64[40,40] parameter(0)\n  ROOT s = c64[40,40] sine(x)\n}",
                           "HloModule m\nENTRY e {\n  x = f32[2000] parameter(0)\n  y = f32[2000] negate(x)\n"
                           "  ROOT z = f32[2000] add(x, y)\n}",
                           "HloModule m\nENTRY e {\n  x = (f32[2]) parameter(0)\n"
                           "  ROOT y = f32[2] get-tuple-element(x), index=0\n}",
                           "HloModule m\nENTRY e {\n  x = s32[] parameter(0)\n"
                           "  ROOT y = s32[] dynamic-slice(x), dynamic_slice_sizes={}\n}"}) {
    const auto given = ParseModule(text);
    REQUIRE(given.ok());
    for (uint64_t seed = 1; seed <= 200; ++seed) {
      INFO("seed " << seed);
      CHECK(VerifyModule(*MutateModule(**given, seed)).message() == "");
    }
  }
}

TEST_CASE("what differs is told") {
  Literal a(Shape::Array(PrimitiveType::F32, {2})), b(a);
  b.SetFromDouble(1, 0x1p-20);
  CHECK(Difference(a, b, {}) == "1 of 2 elements; the first, 1, is 0.000001, not 0.000000");
  a.SetFromDouble(0, 1), b.SetFromDouble(0, 1 + 0x1p-22);
  CHECK(Difference(a, b, {.ulps = 2}) != "");
  CHECK(Difference(a, b, {.leaf_ulps = 8}) == "");
  CHECK(Difference(a, b, {.leaf_ulps = 0x1p-3, .term = 64}) == "");
  a.SetFromDouble(1, -0.0), b = a, b.SetFromDouble(1, 0);
  CHECK(Difference(a, b, {}) != "");
  CHECK(Difference(a, b, {.loose_zero = true}) == "");
}

}  // namespace
}  // namespace hloir::fuzz
