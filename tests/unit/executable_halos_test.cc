// Rolls of one array that loops read become views of one copy with a halo (plan/lower/halos.h): results against the
// reference, the number of remaining concatenations, and cases without a change.
#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

// The number of concatenations in the plan of `body`.
int Concatenations(const std::string& body) {
  const std::string text = "HloModule m\nENTRY e {\n" + body + "\n}\n";
  CheckModule(text, 0);
  const auto module = Parse(text);
  auto executable = PrepareExecutable(*module, ExecutableOptions());
  REQUIRE(executable.status().message() == "");
  const std::string plan = (*executable)->ToString();
  int count = 0;
  for (size_t at = plan.find("concatenate "); at != std::string::npos; at = plan.find("concatenate ", at + 1)) ++count;
  return count;
}

// `name` is f32[6,300] x, rolled by `by` along d.
std::string Roll(const std::string& name, int d, int by) {
  const int dims[] = {6, 300};
  const auto part = [&](const std::string& of, int from, int to) {
    const std::string along = "[" + std::to_string(from) + ":" + std::to_string(to) + "]";
    const std::string shape = d == 0 ? std::to_string(to - from) + ",300" : "6," + std::to_string(to - from);
    return name + of + " = f32[" + shape + "] slice(x), slice={" + (d == 0 ? along + ",[0:300]" : "[0:6]," + along) +
           "}\n";
  };
  return part("a", dims[d] - by, dims[d]) + part("b", 0, dims[d] - by) + name + " = f32[6,300] concatenate(" + name +
         "a, " + name + "b), dimensions={" + std::to_string(d) + "}\n";
}
const std::string kX = "x = f32[6,300] parameter(0)\n";
const std::string kFour = kX + Roll("n", 0, 1) + Roll("s", 0, 5) + Roll("w", 1, 2) + Roll("e", 1, 299) +
                          "ns = f32[6,300] subtract(n, s)\n we = f32[6,300] divide(w, e)\n"
                          "both = f32[6,300] add(ns, we)\n";

}  // namespace

TEST_CASE("rolls along two dimensions, both ways, are views of one copy") {
  CHECK(Concatenations(kFour + "ROOT r = f32[6,300] add(both, x)") == 1);
}

TEST_CASE("what reads a roll in another form, or gives it on, has it as it is") {
  CHECK(Concatenations(kX + Roll("n", 0, 1) + Roll("s", 0, 5) +
                       "ns = f32[6,300] subtract(n, s)\n ROOT r = (f32[6,300], f32[6,300]) tuple(ns, n)") == 2);
  CHECK(Concatenations(kX + Roll("n", 0, 1) + Roll("s", 0, 5) +
                       "t = f32[300,6] transpose(n), dimensions={1,0}\n u = f32[300,6] transpose(s), dimensions={1,0}\n"
                       "ROOT r = f32[300,6] subtract(t, u)") == 2);
}

TEST_CASE("a single roll, one of another array, and one far around stay as they are") {
  CHECK(Concatenations(kX + Roll("n", 0, 1) + "ROOT r = f32[6,300] subtract(n, x)") == 1);
  std::string of_y = Roll("s", 0, 5);
  for (size_t at = of_y.find("(x)"); at != std::string::npos; at = of_y.find("(x)")) of_y.replace(at, 3, "(y)");
  CHECK(Concatenations(kX + "y = f32[6,300] parameter(1)\n" + Roll("n", 0, 1) + of_y +
                       "ROOT r = f32[6,300] subtract(n, s)") == 2);
  CHECK(Concatenations(kX + Roll("n", 0, 3) + Roll("s", 0, 4) + "ROOT r = f32[6,300] subtract(n, s)") == 2);
}

TEST_CASE("a roll of rows in a slice of an array, in a loop") {
  CheckModule(R"(HloModule m
cond { s = (s32[], f32[8,200]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(4)
 ROOT less = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[8,200]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 one = s32[] constant(1)
 next = s32[] add(i, one)
 all = f32[8,200] get-tuple-element(s), index=1
 x = f32[8,150] slice(all), slice={[0:8],[20:170]}
 a = f32[1,150] slice(x), slice={[7:8],[0:150]}
 b = f32[7,150] slice(x), slice={[0:7],[0:150]}
 up = f32[8,150] concatenate(a, b), dimensions={0}
 c = f32[8,3] slice(x), slice={[0:8],[147:150]}
 d = f32[8,147] slice(x), slice={[0:8],[0:147]}
 left = f32[8,150] concatenate(c, d), dimensions={1}
 sum = f32[8,150] add(up, left)
 mean = f32[8,150] subtract(sum, x)
 rest = f32[8,50] slice(all), slice={[0:8],[150:200]}
 whole = f32[8,200] concatenate(mean, rest), dimensions={1}
 ROOT t = (s32[], f32[8,200]) tuple(next, whole) }
ENTRY e { x = f32[8,200] parameter(0)
 zero = s32[] constant(0)
 s = (s32[], f32[8,200]) tuple(zero, x)
 w = (s32[], f32[8,200]) while(s), condition=cond, body=body
 ROOT r = f32[8,200] get-tuple-element(w), index=1 })",
              0);
}
