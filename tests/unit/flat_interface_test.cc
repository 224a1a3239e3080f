// check/flat_interface.h: two modules with the same arrays in other tuples, or without arrays that are not read.
#include "check/flat_interface.h"

#include <string>

#include "hloir/check.h"
#include "hloir/parser.h"
#include "hloir/verifier.h"
#include "tests/unit/check_module.h"

namespace hloir {
namespace {

const std::string kTwice =
    "HloModule m, entry_computation_layout={(f32[4]{0}, f32[2]{0})->f32[4]{0}}\nENTRY e {\n x = f32[4] parameter(0)\n"
    " u = f32[2] parameter(1)\n ROOT r = f32[4] add(x, x)\n}\n";
const std::string kInTuples =
    "HloModule m\nENTRY e {\n t = (f32[4], (s32[], s32[3])) parameter(0)\n"
    " x = f32[4] get-tuple-element(t), index=0\n ROOT r = (f32[4]) tuple(x)\n}\n";

std::string OneInterface(HloModule& a, HloModule& b) {
  const std::string note = check::GiveOneInterface(a, b);
  CHECK(VerifyModule(a).ToString() == "ok");
  CHECK(VerifyModule(b).ToString() == "ok");
  return note;
}

TEST_CASE("modules with the same arrays in other forms get one interface") {
  const std::string forms =
      "the modules take or return the same arrays in other forms; they are compared array by array";
  auto twice = Parse(kTwice), once = Parse(kInTuples);
  CHECK(OneInterface(*twice, *once) ==
        forms + ", without 1 that the first module does not read and without 2 that the second does not read");
  for (const HloModule* module : {twice.get(), once.get()}) {
    const ProgramShape shape = module->entry_computation()->program_shape();
    CHECK(shape.parameters.size() == 1);
    CHECK(shape.result.ToString(false) == "f32[4]");
  }
  // Twice the array is not the array: the arguments are the same ones.
  const auto verdict = Check(*twice, *once, {});
  REQUIRE(verdict.ok());
  CHECK(verdict->answer == Answer::kDifferent);
}

TEST_CASE("an array that is read is never left out") {
  auto reads = Parse(
           "HloModule m\nENTRY e {\n x = f32[4] parameter(0)\n u = f32[2] parameter(1)\n"
           " c = f32[] constant(0)\n v = f32[4] pad(u, c), padding=0_2\n ROOT r = f32[4] add(x, v)\n}\n"),
       lacks = Parse("HloModule m\nENTRY e {\n x = f32[4] parameter(0)\n ROOT r = f32[4] add(x, x)\n}\n"),
       other_type = Parse("HloModule m\nENTRY e {\n x = s32[4] parameter(0)\n ROOT r = f32[4] convert(x)\n}\n"),
       several = Parse(
           "HloModule m, num_partitions=2\nENTRY e {\n x = f32[4] parameter(0)\n"
           " ROOT r = (f32[4]) tuple(x)\n}\n");
  CHECK(OneInterface(*reads, *lacks) == "");
  CHECK(OneInterface(*lacks, *other_type) == "");
  CHECK(OneInterface(*lacks, *several) == "");
  auto same = Parse(kTwice), again = Parse(kTwice);
  CHECK(OneInterface(*same, *again) == "");
  CHECK(same->entry_computation()->parameter_count() == 2);
}

}  // namespace
}  // namespace hloir
