// executable.h: ops that only the reference evaluator can run are steps of a plan, not the end of it.
#include <string>

#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

// The plan contains `steps`, is not the reference as a whole, and has the reference's results in each run.
void CheckSteps(const std::string& text, const std::vector<std::string>& steps) {
  INFO(text);
  const CheckedModule checked(text);
  auto executable = PrepareExecutable(*checked.module);
  REQUIRE(executable.status().message() == "");
  const std::string plan = (*executable)->ToString();
  INFO(plan);
  CHECK(plan.rfind("reference:", 0) == std::string::npos);
  for (const std::string& step : steps) CHECK(plan.find(step) != std::string::npos);
  for (int run = 0; run < 2; ++run) {
    auto result = (*executable)->Run(checked.arguments);
    REQUIRE(result.status().message() == "");
    const auto leaves = result->Leaves(), wanted = checked.expected.Leaves();
    REQUIRE(leaves.size() == wanted.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
      CHECK(leaves[i]->dynamic_sizes() == wanted[i]->dynamic_sizes());
      CHECK(leaves[i]->BitwiseEqual(*wanted[i]));
    }
  }
}

}  // namespace

TEST_CASE("dynamic sizes stay within the steps that need them") {
  CheckSteps(R"(HloModule m
    f { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
    ENTRY e { x = f32[8] parameter(0)  n = s32[] constant(3)  zero = f32[] constant(0)
      y = f32[8] multiply(x, x)
      d = f32[<=8] set-dimension-size(y, n), dimensions={0}
      t = f32[<=8] negate(d)
      s = f32[] reduce(t, zero), dimensions={0}, to_apply=f
      all = f32[8] broadcast(s), dimensions={}
      r = f32[8] add(all, x)
      size = s32[] get-dimension-size(t), dimensions={0}
      ROOT out = (f32[8], f32[<=8], s32[]) tuple(r, t, size) })",
             {"reference set-dimension-size", "reference negate", "reference reduce", "loop 8 elements: multiply",
              "loop 8 elements: add"});
  // Through a loop and a call.
  CheckSteps(R"(HloModule m
    f { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT c = s32[] add(a, b) }
    twice { p = s32[<=6] parameter(0)  ROOT q = s32[<=6] add(p, p) }
    cond { s = (s32[], s32[<=6]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(2)  ROOT go = pred[] compare(i, n), direction=LT }
    body { s = (s32[], s32[<=6]) parameter(0)  i = s32[] get-tuple-element(s), index=0  x = s32[<=6] get-tuple-element(s), index=1
      one = s32[] constant(1)  j = s32[] add(i, one)  y = s32[<=6] call(x), to_apply=twice  ROOT t = (s32[], s32[<=6]) tuple(j, y) }
    ENTRY e { x = s32[6] parameter(0)  n = s32[] constant(4)  zero = s32[] constant(0)
      d = s32[<=6] set-dimension-size(x, n), dimensions={0}
      start = (s32[], s32[<=6]) tuple(zero, d)
      loop = (s32[], s32[<=6]) while(start), condition=cond, body=body
      y = s32[<=6] get-tuple-element(loop), index=1
      s = s32[] reduce(y, zero), dimensions={0}, to_apply=f
      w = s32[6] negate(x)
      ROOT out = (s32[], s32[6]) tuple(s, w) })",
             {"reference set-dimension-size", "reference while", "loop 6 elements: negate"});
  CheckSteps(R"(HloModule m
    ENTRY e { x = f32[<=5] parameter(0)  y = f32[5] parameter(1)  z = f32[<=5] exponential(x)  w = f32[5] negate(y)
      ROOT t = (f32[<=5], f32[5], f32[<=5]) tuple(z, w, x) })",
             {"reference exponential", "loop 5 elements: negate"});
}

TEST_CASE("a call that mixes precisions is one step") {
  CheckSteps(R"(HloModule m
    f { a = f32[4] parameter(0)  ROOT c = bf16[4] convert(a) }
    ENTRY e { x = f32[4] parameter(0)  y = f32[4] negate(x)  c = f32[4] call(y), to_apply=f  ROOT r = f32[4] multiply(c, c) })",
             {"reference call", "loop 4 elements: negate", "loop 4 elements: multiply"});
}

TEST_CASE("random numbers go on from op to op, and begin anew with each run") {
  CheckSteps(R"(HloModule m
    ENTRY e { a = f32[] constant(0)  b = f32[] constant(1)  x = f32[4] rng(a, b), distribution=rng_uniform
      y = f32[4] rng(a, b), distribution=rng_uniform  z = u64[2] rng-get-and-update-state(), delta=7
      d = f32[4] subtract(x, y)  w = u64[2] rng-get-and-update-state(), delta=7
      ROOT t = (f32[4], u64[2], u64[2]) tuple(d, z, w) })",
             {"reference rng", "subtract"});
}

TEST_CASE("feeds are steps in their order") {
  auto module = ParseModule(R"(HloModule m
    ENTRY e { t0 = token[] after-all()
      a = (s32[2], token[]) infeed(t0)  x = s32[2] get-tuple-element(a), index=0  t1 = token[] get-tuple-element(a), index=1
      b = (s32[2], token[]) infeed(t1)  y = s32[2] get-tuple-element(b), index=0  t2 = token[] get-tuple-element(b), index=1
      d = s32[2] subtract(y, x)  t3 = token[] outfeed(d, t2), outfeed_shape=s32[2]
      ROOT n = s32[2] negate(d) })");
  REQUIRE(module.ok());
  ExecutableOptions options;
  int64_t fed = 0;
  std::vector<int64_t> taken;
  options.evaluator.infeed = [&](const Shape& shape) -> StatusOr<Literal> {
    Literal value(shape);
    value.SetFromInt64(1, fed = 3 * fed + 1);
    return value;
  };
  options.evaluator.outfeed = [&](const Literal& value) { return taken.push_back(value.GetAsInt64(1)), OkStatus(); };
  auto executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  CHECK((*executable)->ToString().find("reference infeed") != std::string::npos);
  CHECK((*executable)->ToString().find("loop 2 elements") != std::string::npos);
  auto result = (*executable)->Run({});
  REQUIRE(result.status().message() == "");
  CHECK(result->GetAsInt64(1) == -3);
  CHECK(taken == std::vector<int64_t>{3});
}

TEST_CASE("a step of the reference says why there is no kernel") {
  auto reason_of = [](const std::string& body) {
    auto module = ParseModule(
        "HloModule m\nless { a = f32[] parameter(0)  b = f32[] parameter(1)  s = f32[] add(a, b)\n"
        "  ROOT p = pred[] compare(s, b), direction=LT }\nENTRY e {\n" +
        body + "}\n");
    INFO(module.status().message());
    REQUIRE(module.ok());
    auto executable = PrepareExecutable(**module);
    REQUIRE(executable.status().message() == "");
    const std::string plan = (*executable)->ToString();
    const size_t begin = plan.find(": ", plan.find("reference "));
    REQUIRE(begin != std::string::npos);
    return plan.substr(begin + 2, plan.find(" (", begin) - begin - 2);
  };
  CHECK(reason_of("x = f32[4] parameter(0)  n = s32[] constant(2)  ROOT d = f32[<=4] set-dimension-size(x, n), "
                  "dimensions={0}\n") == "an array has a dynamic size");
  CHECK(reason_of("x = u64[2] parameter(0)  ROOT r = u64[2] rng-get-and-update-state(), delta=1\n") ==
        "it has no kernel");
  CHECK(reason_of("x = f32[4] parameter(0)  ROOT s = f32[4] sort(x), dimensions={0}, to_apply=less\n") ==
        "its comparator does not compare elements by keys");
  CHECK(reason_of("x = f32[0,3] parameter(0)  z = f32[] constant(0)  ROOT p = f32[0,3] pad(x, z), padding=0_0x0_0\n") ==
        "an array has no elements");
}
