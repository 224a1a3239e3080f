// Recognition of associative reducers, and the results of FindOpenSemantics.
#include <string>

#include "analysis/open_semantics.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

// A module that reduces arrays of these types by a computation with parameters a0, a1, …, b0, b1, …
std::unique_ptr<HloModule> Reducing(const std::vector<std::string>& types, const std::string& body) {
  std::string reducer = "f {\n", operands, shapes;
  const size_t n = types.size();
  for (size_t p = 0; p < 2 * n; ++p) {
    reducer += "  " + std::string(p < n ? "a" : "b") + std::to_string(p % n) + " = " + types[p % n] + "[] parameter(" +
               std::to_string(p) + ")\n";
  }
  std::string entry = "ENTRY e {\n";
  for (size_t p = 0; p < 2 * n; ++p) {
    entry += "  p" + std::to_string(p) + " = " + types[p % n] + (p < n ? "[8]" : "[]") + " parameter(" +
             std::to_string(p) + ")\n";
    operands += (p > 0 ? ", p" : "p") + std::to_string(p);
  }
  for (size_t k = 0; k < n; ++k) shapes += (k > 0 ? ", " : "") + types[k] + "[]";
  if (n > 1) shapes = "(" + shapes + ")";
  const std::string text = "HloModule m\n" + reducer + body + "}\n" + entry + "  ROOT r = " + shapes + " reduce(" +
                           operands + "), dimensions={0}, to_apply=f\n}\n";
  INFO(text);
  auto module = ParseModule(text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return *std::move(module);
}

bool Associative(const std::vector<std::string>& types, const std::string& body) {
  const auto module = Reducing(types, body);
  return IsAssociative(*module->entry_computation()->root()->to_apply());
}

std::string Argmax(const std::string& tie_breaker) {
  return "  gt = pred[] compare(a0, b0), direction=GT\n"
         "  no_number = pred[] compare(a0, a0), direction=NE\n"
         "  keep = pred[] or(gt, no_number)\n"
         "  v = f32[] select(keep, a0, b0)\n"
         "  eq = pred[] compare(a0, b0), direction=EQ\n" +
         tie_breaker + "  ROOT t = (f32[], s32[]) tuple(v, i)\n";
}

TEST_CASE("single operations are associative") {
  for (const char* op : {"add", "multiply", "maximum", "minimum"}) {
    for (const char* type : {"f32", "bf16", "s8", "u64"})
      CHECK(Associative({type}, std::string("  ROOT r = ") + type + "[] " + op + "(b0, a0)\n"));
  }
  CHECK(Associative({"c64"}, "  ROOT r = c64[] multiply(a0, b0)\n"));
  CHECK(Associative({"u32"}, "  ROOT r = u32[] xor(a0, b0)\n"));
  CHECK(Associative({"pred"}, "  ROOT r = pred[] or(a0, b0)\n"));
  for (const char* op : {"subtract", "divide", "power", "atan2", "remainder"})
    CHECK_FALSE(Associative({"f32"}, std::string("  ROOT r = f32[] ") + op + "(a0, b0)\n"));
}

TEST_CASE("operations that are no longer one are not") {
  CHECK_FALSE(Associative({"f32"}, "  s = f32[] add(a0, b0)\n  ROOT r = f32[] maximum(s, a0)\n"));
  CHECK_FALSE(
      Associative({"s32"}, "  s = s32[] add(a0, b0)\n  c = s32[] constant(100)\n  ROOT r = s32[] minimum(s, c)\n"));
  CHECK_FALSE(Associative({"f32"}, "  x = f32[] abs(b0)\n  ROOT r = f32[] maximum(a0, x)\n"));
  CHECK_FALSE(Associative({"f32"}, "  ROOT r = f32[] add(a0, a0)\n"));
  CHECK_FALSE(Associative({"pred"}, "  n = pred[] not(b0)\n  ROOT r = pred[] and(a0, n)\n"));
}

TEST_CASE("converting back and forth keeps an operation associative, unless an integer loses bits on the way") {
  CHECK(Associative({"bf16"},
                    "  x = f32[] convert(a0)\n  y = f32[] convert(b0)\n  s = f32[] add(x, y)\n  ROOT r = bf16[] "
                    "convert(s)\n"));
  CHECK(Associative({"s8"},
                    "  x = s32[] convert(a0)\n  y = s32[] convert(b0)\n  s = s32[] maximum(x, y)\n  ROOT r = s8[] "
                    "convert(s)\n"));
  CHECK_FALSE(Associative({"s32"},
                          "  x = s8[] convert(a0)\n  y = s8[] convert(b0)\n  s = s8[] add(x, y)\n  ROOT r = s32[] "
                          "convert(s)\n"));
}

TEST_CASE("selections by comparison are decided in every order of three elements") {
  const std::string lowest =
      "  lt = pred[] compare(a1, b1), direction=LT\n  tie = pred[] and(eq, lt)\n  first = pred[] or(keep, tie)\n"
      "  i = s32[] select(first, a1, b1)\n";
  CHECK(Associative({"f32", "s32"}, Argmax(lowest)));
  const std::string minimum =
      "  m = s32[] minimum(a1, b1)\n  s = s32[] select(keep, a1, b1)\n  i = s32[] select(eq, m, s)\n";
  CHECK(Associative({"f32", "s32"}, Argmax(minimum)));
  // The index of the smaller value beside the larger value.
  CHECK_FALSE(Associative({"f32", "s32"}, Argmax("  i = s32[] select(keep, b1, a1)\n")));
  // Ties keep the first index, whatever lies in between: with NaNs, whose order of coming counts, this is not the same.
  CHECK_FALSE(Associative({"f32", "s32"},
                          "  ge = pred[] compare(a0, b0), direction=GE\n  v = f32[] select(ge, a0, b0)\n"
                          "  i = s32[] select(ge, a1, b1)\n  ROOT t = (f32[], s32[]) tuple(v, i)\n"));
  CHECK(Associative({"s32", "s32"},
                    "  ge = pred[] compare(a0, b0), direction=GE\n  v = s32[] select(ge, a0, b0)\n"
                    "  i = s32[] select(ge, a1, b1)\n  ROOT t = (s32[], s32[]) tuple(v, i)\n"));
  // A constant takes part: no order of three elements tells all.
  CHECK_FALSE(Associative({"f32"},
                          "  c = f32[] constant(1)\n  p = pred[] compare(a0, c), direction=LT\n"
                          "  ROOT r = f32[] select(p, a0, b0)\n"));
}

TEST_CASE("arithmetic is associative if both groupings are one polynomial") {
  CHECK(Associative({"f32", "f32"},
                    "  rr = f32[] multiply(a0, b0)\n  ii = f32[] multiply(a1, b1)\n  re = f32[] subtract(rr, ii)\n"
                    "  ri = f32[] multiply(a0, b1)\n  ir = f32[] multiply(a1, b0)\n  im = f32[] add(ri, ir)\n"
                    "  ROOT t = (f32[], f32[]) tuple(re, im)\n"));
  CHECK_FALSE(
      Associative({"f32", "f32"},
                  "  rr = f32[] multiply(a0, b0)\n  ii = f32[] multiply(a1, b1)\n  re = f32[] subtract(rr, ii)\n"
                  "  ri = f32[] multiply(a0, b1)\n  ir = f32[] multiply(a1, b0)\n  im = f32[] subtract(ri, ir)\n"
                  "  ROOT t = (f32[], f32[]) tuple(re, im)\n"));
  // a + b + a b is associative, a + 2 b is not.
  CHECK(Associative({"s32"}, "  s = s32[] add(a0, b0)\n  m = s32[] multiply(a0, b0)\n  ROOT r = s32[] add(s, m)\n"));
  CHECK_FALSE(Associative({"s32"}, "  s = s32[] add(a0, b0)\n  ROOT r = s32[] add(s, b0)\n"));
}

TEST_CASE("each array of a tuple may have its own kind, also behind calls") {
  auto module = ParseModule(R"(HloModule m
pick {
  p = pred[] parameter(0)
  x = s32[] parameter(1)
  y = s32[] parameter(2)
  ROOT r = s32[] select(p, x, y)
}
f {
  a0 = f32[] parameter(0)
  a1 = s32[] parameter(1)
  b0 = f32[] parameter(2)
  b1 = s32[] parameter(3)
  s = f32[] add(a0, b0)
  p = pred[] compare(a1, b1), direction=LT
  i = s32[] call(p, a1, b1), to_apply=pick
  ROOT t = (f32[], s32[]) tuple(s, i)
}
ENTRY e {
  x = f32[8] parameter(0)
  y = s32[8] parameter(1)
  z = f32[] constant(0)
  m = s32[] constant(2147483647)
  ROOT r = (f32[], s32[]) reduce(x, y, z, m), dimensions={0}, to_apply=f
})");
  REQUIRE(module.ok());
  CHECK(IsAssociative(*(*module)->entry_computation()->root()->to_apply()));
  CHECK_FALSE(FindOpenSemantics(**module).has_value());
}

std::string Open(const std::string& initial, const std::string& op) {
  auto module = ParseModule("HloModule m\nf {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n" + op +
                            "}\nENTRY e {\n  x = f32[8] parameter(0)\n  z = f32[] " + initial +
                            "\n  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=f\n}\n");
  REQUIRE(module.ok());
  const auto open = FindOpenSemantics(**module);
  if (!open) return "";
  CHECK(open->instruction == (*module)->entry_computation()->root());
  return open->reason;
}

TEST_CASE("a reduction is open if its reducer does not associate or counts its initial value") {
  const std::string not_neutral = "its initial value is not known to be neutral for its reducer f";
  CHECK(Open("constant(0)", "  ROOT s = f32[] add(a, b)\n") == "");
  CHECK(Open("constant(1)", "  ROOT s = f32[] add(a, b)\n") == not_neutral);
  CHECK(Open("parameter(1)", "  ROOT s = f32[] add(a, b)\n") == not_neutral);
  CHECK(Open("constant(1)", "  ROOT s = f32[] multiply(a, b)\n") == "");
  CHECK(Open("constant(0)", "  ROOT s = f32[] multiply(a, b)\n") == not_neutral);
  CHECK(Open("constant(5)", "  ROOT s = f32[] maximum(a, b)\n") == "");
  CHECK(Open("constant(0)", "  s = f32[] add(a, b)\n  ROOT m = f32[] maximum(s, a)\n") ==
        "its reducer f is not known to be associative");
}

TEST_CASE("an initial value is looked for outside of its fusion") {
  const std::string text = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
inside {
  x = f32[8] parameter(0)
  z = f32[] parameter(1)
  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add
}
ENTRY e {
  x = f32[8] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] fusion(x, z), kind=kLoop, calls=inside
})";
  auto module = ParseModule(text);
  REQUIRE(module.ok());
  CHECK_FALSE(FindOpenSemantics(**module).has_value());
}

}  // namespace
}  // namespace hloir
