// ReduceModule and ReduceText: large things with one fault become small ones.
#include "reduce/reduce.h"

#include <string>

#include "hloir/parser.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

// Something like a program: each instruction reads two of the 40 before it; the one at `fault` is an atan2.
std::string Program(int count, int fault) {
  std::string text = "HloModule m\n\nENTRY main {\n  v0 = f32[8] parameter(0)\n  v1 = f32[8] parameter(1)\n";
  uint32_t random = 1;
  const auto earlier = [&](int k) {
    random = random * 1664525 + 1013904223;
    return "v" + std::to_string(std::max(0, k - 1 - static_cast<int>(random >> 16) % 40));
  };
  for (int k = 2; k < count; ++k) {
    const std::string a = earlier(k), b = earlier(k);
    text += "  v" + std::to_string(k) + " = f32[8] " + (k == fault ? "atan2(" : "add(") + a + ", " + b + ")\n";
  }
  const std::string last = std::to_string(count - 1), before = std::to_string(count - 2);
  return text + "  ROOT r = f32[8] add(v" + last + ", v" + before + ")\n}\n";
}

bool HasAtan2(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions())
    if (i->opcode() == HloOpcode::kAtan2) return true;
  return false;
}

TEST_CASE("of ten thousand instructions the one with the fault stays, in a few hundred attempts") {
  for (const int fault : {2, 6000, 9999}) {
    INFO("at " << fault);
    StatusOr<std::unique_ptr<HloModule>> module = ParseModule(Program(10000, fault));
    REQUIRE(module.ok());
    int attempts = 0;
    const auto property = [&](const HloModule& m) { return ++attempts, HasAtan2(m); };
    const std::unique_ptr<HloModule> small = ReduceModule(**module, property);
    CHECK(HasAtan2(*small));
    CHECK(small->instruction_count() <= 3);
    CHECK(attempts < 300);
  }
}

TEST_CASE("a fault in a loop's body comes out of it") {
  std::string text = R"(HloModule m

condition {
  p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT less = pred[] compare(i, n), direction=LT
}

body {
  p = (s32[], f32[8], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v0 = f32[8] get-tuple-element(p), index=1
  v1 = f32[8] get-tuple-element(p), index=2
)";
  for (int k = 2; k < 1000; ++k) {
    text += "  v" + std::to_string(k) + " = f32[8] " + (k == 500 ? "atan2" : "add") + "(v" + std::to_string(k - 1) +
            ", v" + std::to_string(k - 2) + ")\n";
  }
  text += R"(  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT t = (s32[], f32[8], f32[8]) tuple(next, v998, v999)
}

ENTRY main {
  zero = s32[] constant(0)
  x = f32[8] parameter(0)
  t = (s32[], f32[8], f32[8]) tuple(zero, x, x)
  w = (s32[], f32[8], f32[8]) while(t), condition=condition, body=body
  ROOT r = f32[8] get-tuple-element(w), index=2
}
)";
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(text);
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  const std::unique_ptr<HloModule> small = ReduceModule(**module, HasAtan2);
  CHECK(HasAtan2(*small));
  CHECK(small->instruction_count() <= 3);
}

TEST_CASE("what only a control dependency keeps is let go, and nothing is cut twice") {
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(R"(HloModule m

ENTRY main {
  x = f32[8] parameter(0)
  first = f32[8] negate(x)
  second = f32[8] sine(first), control-predecessors={first}
  third = f32[8] atan2(second, x), control-predecessors={first, second}
  ROOT r = f32[8] add(third, first), control-predecessors={third}
}
)");
  REQUIRE(module.ok());
  const auto property = [](const HloModule& m) {
    for (const HloInstruction* i : m.entry_computation()->instructions())
      CHECK(i->name().find(".cut.cut") == std::string_view::npos);
    return HasAtan2(m);
  };
  const std::unique_ptr<HloModule> small = ReduceModule(**module, property);
  CHECK(small->instruction_count() <= 3);
  for (const HloInstruction* i : small->entry_computation()->instructions()) CHECK_FALSE(i->HasControlDependencies());
}

TEST_CASE("text that is not a module is made small as text") {
  std::string text = Program(500, 0);
  text.replace(text.find("v250 = f32[8] add"), 17, "v250 = f32[8] adde");
  const auto property = [](const std::string& candidate) {
    const auto module = ParseModule(candidate);
    return !module.ok() && module.status().message().find("unknown opcode 'adde'") != std::string::npos;
  };
  REQUIRE(property(text));
  const std::string small = ReduceText(text, property);
  CHECK(property(small));
  CHECK(small.size() < 60);
}

}  // namespace
}  // namespace hloir
