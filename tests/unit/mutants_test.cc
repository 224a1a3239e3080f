// Mutants of modules, and their detection by the verdict.
#include "fuzz/mutants.h"

#include <set>
#include <string>
#include <string_view>

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"

using namespace hloir;

namespace {

const char kModule[] = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[8,8]{1,0} parameter(0)
  y = f32[8,8]{1,0} parameter(1)
  i = s32[] parameter(2)
  k = f32[] constant(1.7)
  ks = f32[8,8]{1,0} broadcast(k), dimensions={}
  d = f32[8,8]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = f32[8,8]{1,0} multiply(d, ks)
  t = f32[8,8]{1,0} tanh(s)
  p = pred[8,8]{1,0} compare(x, y), direction=LT
  q = f32[8,8]{1,0} select(p, t, s)
  z = f32[] constant(0)
  zi = s32[] constant(0)
  r = f32[8]{0} reduce(q, z), dimensions={1}, to_apply=add
  w = f32[4,8]{1,0} dynamic-slice(q, i, zi), dynamic_slice_sizes={4,8}
  ROOT o = (f32[8]{0}, f32[4,8]{1,0}) tuple(r, w)
})";

std::unique_ptr<HloModule> Parse(const char* text) {
  auto module = ParseModule(text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return std::move(*module);
}

}  // namespace

TEST_CASE("there are many ways to be wrong, each with a name of its own") {
  std::set<std::string> names;
  for (const MutantKind& kind : MutantKinds()) names.insert(kind.name);
  CHECK(names.size() == MutantKinds().size());
  CHECK(names.size() >= 80);
}

TEST_CASE("mutants are legal, differ from the original, and the same seed makes the same") {
  const auto module = Parse(kModule);
  const std::string original = PrintModule(*module);
  int made = 0;
  for (size_t kind = 0; kind < MutantKinds().size(); ++kind) {
    const auto mutant = MakeMutant(*module, kind, 3);
    if (!mutant) continue;
    ++made;
    INFO(MutantKinds()[kind].name << " in " << mutant->instruction);
    const Status legal = VerifyModule(*mutant->module);
    INFO(legal.message());
    CHECK(legal.ok());
    CHECK(PrintModule(*mutant->module) != original);
    CHECK(PrintModule(*MakeMutant(*module, kind, 3)->module) == PrintModule(*mutant->module));
  }
  CHECK(made > 40);
  CHECK(PrintModule(*module) == original);
}

TEST_CASE("ordinary inputs do not show what is wrong for rare values alone") {
  const auto module = Parse("HloModule m\nENTRY e { x = f32[8] parameter(0) ROOT r = f32[8] negate(x) }");
  const auto shows = [&](std::string_view name) {
    for (size_t kind = 0; kind < MutantKinds().size(); ++kind)
      if (MutantKinds()[kind].name == name) return ShowsOnOrdinaryInputs(*module, *MakeMutant(*module, kind, 1));
    FAIL("no kind " << name);
    return false;
  };
  CHECK(shows("kernel-last-element"));
  CHECK_FALSE(shows("nan-as-zero"));
  CHECK_FALSE(shows("wrong-if-large"));
}

TEST_CASE("a mutant that does not end where the module does shows on ordinary inputs") {
  const auto module = Parse(R"(HloModule m
body {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  k = s32[] maximum(i, j)
  ROOT r = (s32[], s32[]) tuple(k, n)
}
on {
  t = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] get-tuple-element(t), index=1
  ROOT c = pred[] compare(i, n), direction=LT
}
ENTRY e {
  x = s32[] parameter(0)
  c = s32[] constant(100)
  n = s32[] minimum(x, c)
  z = s32[] constant(-1)
  t = (s32[], s32[]) tuple(z, n)
  w = (s32[], s32[]) while(t), condition=on, body=body
  ROOT g = s32[] get-tuple-element(w), index=0
})");
  for (size_t kind = 0; kind < MutantKinds().size(); ++kind) {
    if (MutantKinds()[kind].name != "max-as-min") continue;
    CHECK(ShowsOnOrdinaryInputs(*module, *MakeMutant(*module, kind, 1)));
  }
}

TEST_CASE("a mutant that differs in denormals alone is the same") {
  const auto module = Parse(R"(HloModule m
ENTRY e {
  x = f32[8] parameter(0)
  one = f32[] constant(1)
  ones = f32[8] broadcast(one), dimensions={}
  n = f32[8] exponential(x)
  d = f32[8] add(ones, n)
  ROOT r = f32[8] divide(ones, d)
})");
  Checker checker(*module, {}, {});
  for (size_t kind = 0; kind < MutantKinds().size(); ++kind) {
    if (MutantKinds()[kind].name != "infinity-as-largest") continue;
    const auto mutant = MakeMutant(*module, kind, 1);
    REQUIRE(mutant);
    CHECK(mutant->instruction == "n");
    const auto outcome = OutcomeOf(*module, *mutant, checker);
    REQUIRE(outcome.ok());
    CHECK(*outcome == MutantOutcome::kSame);
  }
}

TEST_CASE("hardly a mutant of a small module gets away, and none for being small") {
  const auto module = Parse(kModule);
  Checker checker(*module, {}, {});
  int caught = 0, missed = 0, below_rounding = 0;
  for (size_t kind = 0; kind < MutantKinds().size(); ++kind) {
    for (const uint64_t seed : {1, 2}) {
      const auto mutant = MakeMutant(*module, kind, seed);
      if (!mutant) continue;
      INFO(MutantKinds()[kind].name << " in " << mutant->instruction);
      const auto outcome = OutcomeOf(*module, *mutant, checker);
      if (!outcome.ok()) continue;  // the engine refuses an operand's value
      if (MutantKinds()[kind].below_rounding) CHECK(*outcome != MutantOutcome::kMissed);
      missed += *outcome == MutantOutcome::kMissed;
      caught += *outcome == MutantOutcome::kCaught;
      below_rounding += *outcome == MutantOutcome::kCaught && MutantKinds()[kind].below_rounding;
    }
  }
  CHECK(caught > 70);
  CHECK(missed <= caught / 20);
  CHECK(below_rounding >= 10);
}
