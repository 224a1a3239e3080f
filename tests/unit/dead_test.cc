// Criteria for deletion: the functions of the graph and dce agree.
#include <string>

#include "hloir/instruction.h"
#include "hloir/module.h"
#include "hloir/parser.h"
#include "hloir/pass.h"
#include "tests/unit/catch.h"

using namespace hloir;

namespace {

constexpr const char* kText = R"(HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

communicates {
  c = f32[4]{0} parameter(0)
  ROOT inner = f32[4]{0} all-reduce(c), replica_groups={}, to_apply=add
}

computes {
  d = f32[4]{0} parameter(0)
  ROOT negated = f32[4]{0} negate(d)
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} parameter(1)
  n = f32[4]{0} negate(x)
  reduced = f32[4]{0} all-reduce(n), replica_groups={}, to_apply=add
  start = (f32[4]{0}, f32[4]{0}, u32[]) copy-start(x)
  done = f32[4]{0} copy-done(start)
  exchanging = f32[4]{0} call(x), to_apply=communicates
  computing = f32[4]{0} call(x), to_apply=computes
  pure = f32[4]{0} custom-call(x), custom_call_target="pure"
  effect = f32[4]{0} custom-call(x), custom_call_target="effect", custom_call_has_side_effect=true
  state = u64[1]{0} rng-get-and-update-state(), delta=1
  ordered = f32[4]{0} sine(x)
  later = f32[4]{0} cosine(x), control-predecessors={ordered}
  ROOT root = f32[4]{0} exponential(y)
})";

}  // namespace

TEST_CASE("what acts outside, is ordered, or is a parameter is never dead") {
  auto module = ParseModule(kText);
  REQUIRE(module.ok());
  HloComputation& main = *(*module)->entry_computation();
  std::string dead;
  for (const HloInstruction* i = main.first(); i != nullptr; i = i->next()) {
    if (IsDead(*i)) dead += std::string(i->name()) + " ";
  }
  CHECK(dead == "computing pure ");
  CHECK(!MayRemoveIfUnused(*main.FindInstruction("start")));
  CHECK(MayRemoveIfUnused(*main.FindInstruction("n")));
  CHECK(ActsOutside(*main.FindInstruction("exchanging")));
  CHECK(!main.FindInstruction("exchanging")->HasSideEffect());
}

TEST_CASE("the graph's own removals keep what dce keeps") {
  auto module = ParseModule(kText);
  REQUIRE(module.ok());
  HloComputation& main = *(*module)->entry_computation();
  HloInstruction *x = main.parameter(0), *reduced = main.FindInstruction("reduced");
  HloInstruction* sum = main.AddInstruction(HloOpcode::kAdd, x->shape(), {reduced, main.FindInstruction("done")});
  HloInstruction* alone = main.AddInstruction(HloOpcode::kNegate, x->shape(), {main.FindInstruction("computing")});
  SECTION("RemoveInstructionAndUnusedOperands") {
    main.RemoveInstructionAndUnusedOperands(sum);
    CHECK(main.FindInstruction("reduced") != nullptr);
    CHECK(main.FindInstruction("done") != nullptr);
    main.RemoveInstructionAndUnusedOperands(alone);
    CHECK(main.FindInstruction("computing") == nullptr);
  }
  SECTION("ReplaceInstruction") {
    main.ReplaceInstruction(reduced, x);
    CHECK(main.FindInstruction("reduced") == reduced);
    CHECK(sum->operand(0) == x);
    main.ReplaceInstruction(main.FindInstruction("computing"), x);
    CHECK(main.FindInstruction("computing") == nullptr);
  }
}
