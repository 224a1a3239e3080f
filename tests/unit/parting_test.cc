// parting.h: planted differences are found by name, the earliest first, and rounding is none.
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tools/parting.h"

using namespace hloir;
using namespace hloir::tool;

namespace {

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseHloModule(text);
  REQUIRE(module.status().message() == "");
  return std::move(*module);
}

std::optional<Parting> PartingOf(const std::string& a, const std::string& b) {
  const auto before = Parse(a), after = Parse(b);
  Literal x(before->entry_computation()->parameter(0)->shape());
  for (int64_t i = 0; i < x.element_count(); ++i) x.SetFromDouble(i, static_cast<double>(i) + 1);
  const Literal* inputs[] = {&x};
  return FindParting(*before, *after, inputs, {});
}

std::string Chain(const std::string& first, const std::string& second, const std::string& root) {
  return "HloModule m\nENTRY e {\n x = f32[3] parameter(0)\n a = f32[3] " + first +
         "(x)\n extra = f32[3] negate(x)\n b = f32[3] " + second + "(a)\n c = f32[3] add(b, extra)\n ROOT " + root +
         " = f32[3] multiply(c, c)\n}\n";
}

// A loop of five turns that adds `step`, and from the third turn on takes something else if `late`.
std::string Loop(bool late) {
  const std::string change =
      late ? " two = s32[] constant(2)\n is = pred[] compare(i, two), direction=GE\n k = f32[] select(is, x, one)\n"
           : " two = s32[] constant(2)\n is = pred[] compare(i, two), direction=GE\n k = f32[] select(is, one, one)\n";
  return "HloModule m\nbody { t = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n x = f32[] "
         "get-tuple-element(t), index=1\n"
         " n = s32[] constant(1)\n j = s32[] add(i, n)\n one = f32[] constant(1)\n" +
         change +
         " y = f32[] add(x, k)\n ROOT r = (s32[], f32[]) tuple(j, y) }\n"
         "on { t = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] constant(5)\n "
         "ROOT c = pred[] compare(i, n), direction=LT }\n"
         "ENTRY e { p = f32[] parameter(0)\n z = s32[] constant(0)\n s = (s32[], f32[]) tuple(z, p)\n w = (s32[], "
         "f32[]) while(s), condition=on, body=body\n"
         " ROOT r0 = f32[] get-tuple-element(w), index=1 }\n";
}

}  // namespace

TEST_CASE("the first instruction that differs") {
  CHECK(!PartingOf(Chain("abs", "sqrt", "r"), Chain("abs", "sqrt", "other")));
  const auto first = PartingOf(Chain("exponential", "sqrt", "r"), Chain("negate", "sqrt", "r"));
  REQUIRE(first);
  CHECK(first->instruction == "a");
  CHECK(first->before.find("min 2.71828") != std::string::npos);
  CHECK(first->after.find("min -3") != std::string::npos);
  const auto second = PartingOf(Chain("abs", "sqrt", "r"), Chain("abs", "negate", "other"));
  REQUIRE(second);
  CHECK(second->instruction == "b");
  // tanh by way of another formula is the same but for rounding.
  CHECK(!PartingOf(Chain("tanh", "abs", "r"), Chain("tanh", "abs", "s")));
}

TEST_CASE("the turn of a loop in which it differs") {
  const auto late = PartingOf(Loop(false), Loop(true));
  REQUIRE(late);
  CHECK(late->instruction == "k");
  CHECK(late->turn == 2);
  CHECK(ToString(*late) ==
        "k is the first instruction of both that differs, at its run number 3: f32[] 1, then f32[] 3");
}
