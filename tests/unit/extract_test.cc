// Cones and repeated instructions as modules of their own.
#include "analysis/extract.h"

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

constexpr char kText[] = R"(HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

body {
  p = f32[4] parameter(0)
  ROOT e = f32[4] exponential(p)
}

ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  f = f32[4] fusion(y), kind=kLoop, calls=body
  z = f32[4] multiply(f, f)
  zero = f32[] constant(0)
  r = f32[] reduce(z, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[], f32[4]) tuple(r, x)
}
)";

std::unique_ptr<HloModule> Parse() {
  auto module = ParseModule(kText);
  REQUIRE(module.status().message() == "");
  return std::move(*module);
}

TEST_CASE("a cone has what its root needs, down to a height or a boundary") {
  const std::unique_ptr<HloModule> module = Parse();
  const HloComputation& main = *std::as_const(*module).entry_computation();
  const HloInstruction* r = main.FindInstruction("r");

  const std::unique_ptr<HloModule> whole = ExtractCone(*r);
  REQUIRE(VerifyModule(*whole).message() == "");
  CHECK(whole->entry_computation()->parameter_count() == 1);
  CHECK(whole->entry_computation()->parameter(0)->name() == "y");
  CHECK(whole->entry_computation()->instruction_count() == 5);
  CHECK(whole->computation_count() == 3);

  const std::unique_ptr<HloModule> near = ExtractCone(*r, 1);
  REQUIRE(VerifyModule(*near).message() == "");
  CHECK(near->entry_computation()->parameter_count() == 2);  // z and zero
  CHECK(near->computation_count() == 2);

  const HloInstruction* f = main.FindInstruction("f");
  const std::unique_ptr<HloModule> cut = ExtractCone(*r, -1, {&f, 1});
  REQUIRE(VerifyModule(*cut).message() == "");
  CHECK(cut->entry_computation()->parameter(0)->name() == "f");
  CHECK(cut->entry_computation()->FindInstruction("y") == nullptr);

  CHECK(ExtractCone(*r, 0)->entry_computation()->root()->IsParameter());
}

TEST_CASE("a repeated instruction runs one time after the other") {
  const std::unique_ptr<HloModule> module = Parse();
  const HloComputation& main = *std::as_const(*module).entry_computation();
  const std::unique_ptr<HloModule> products = RepeatInstruction(*main.FindInstruction("z"), 3);
  REQUIRE(VerifyModule(*products).message() == "");
  CHECK(products->entry_computation()->instruction_count() == 4);  // one parameter: both operands are the same
  const HloInstruction* root = products->entry_computation()->root();
  REQUIRE(root->control_predecessors().size() == 1);
  CHECK(root->control_predecessors()[0]->control_predecessors().size() == 1);

  const std::unique_ptr<HloModule> fusions = RepeatInstruction(*main.FindInstruction("f"), 2);
  REQUIRE(VerifyModule(*fusions).message() == "");
  CHECK(fusions->computation_count() == 3);  // a body each
}

}  // namespace
}  // namespace hloir
