// HloModule::AllInstructions and HloComputation::AllInstructions: the visited instructions and their order.
#include "hloir/module.h"

#include <string>

#include "hloir/parser.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

template <class Range>
std::string NamesIn(const Range& range) {
  std::string names;
  for (const HloInstruction* i : range) names += std::string(i->name()) + " ";
  return names;
}

TEST_CASE("AllInstructions visits computations, and instructions in each, in stored order") {
  auto module = ParseModule(R"(HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

ENTRY main {
  x = f32[8] parameter(0)
  zero = f32[] constant(0)
  ROOT total = f32[] reduce(x, zero), dimensions={0}, to_apply=add
}
)");
  REQUIRE(module.ok());
  const HloModule& read = **module;
  CHECK(NamesIn(read.AllInstructions()) == "a b sum x zero total ");
  CHECK(NamesIn((*module)->AllInstructions()) == "a b sum x zero total ");
  CHECK(NamesIn(read.FindComputation("add")->AllInstructions()) == "a b sum ");
  CHECK(NamesIn(read.entry_computation()->AllInstructions()) == "x zero total ");
}

TEST_CASE("AllInstructions passes over computations without instructions") {
  HloModule module("m");
  CHECK(NamesIn(module.AllInstructions()).empty());
  HloComputation* empty = module.AddComputation("empty");
  CHECK(NamesIn(module.AllInstructions()).empty());
  CHECK(NamesIn(empty->AllInstructions()).empty());
  module.AddComputation("full")->AddParameter(0, Shape::Scalar(PrimitiveType::F32), "p");
  module.AddComputation("last");
  CHECK(NamesIn(module.AllInstructions()) == "p ");
  // More of them than the iterator looks ahead.
  for (int k = 0; k < 40; ++k) {
    module.AddComputation("more");
    module.AddComputation("some")->AddParameter(0, Shape::Scalar(PrimitiveType::F32), "q");
  }
  size_t count = 0;
  for (const HloInstruction* i : module.AllInstructions()) count += i->IsParameter();
  CHECK(count == 41);
}

TEST_CASE("AllInstructions visits what the loop adds at the end of a computation") {
  HloModule module("m");
  HloComputation* computation = module.AddComputation("c");
  HloInstruction* p = computation->AddParameter(0, Shape::Scalar(PrimitiveType::F32), "p");
  int visited = 0;
  for (const HloInstruction* i : computation->AllInstructions()) {
    ++visited;
    if (i == p) computation->AddInstruction(HloOpcode::kNegate, p->shape(), {p});
  }
  CHECK(visited == 2);
}

}  // namespace
}  // namespace hloir
