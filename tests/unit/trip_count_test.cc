// Trip counts: of loops in forms that no rewrite would take, and of counters of all directions against going round.
#include "analysis/trip_count.h"

#include <cstdint>
#include <limits>
#include <string>

#include "hloir/cost.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

// The first while of the text order, callees first.
std::optional<int64_t> TripsOfFirst(std::string_view text) {
  auto module = Parse(text);
  for (const HloInstruction* i : module->AllInstructions())
    if (i->opcode() == HloOpcode::kWhile) return TripCount(*i);
  FAIL("no loop");
  return std::nullopt;
}

std::optional<int64_t> TripsOf(const HloModule& module, std::string_view name) {
  for (const HloInstruction* i : module.AllInstructions())
    if (i->name() == name) return TripCount(*i);
  FAIL("no " << name);
  return std::nullopt;
}

// while (i < 126) i += 1, over (s32[], f32[8]), with parts to replace: `more` are computations, `body` gives %j from
// %i, `init` gives %z, the entry's tuple is of `z` and `x`.
struct Loop {
  std::string more = "", gte = "  i = s32[] get-tuple-element(p), index=0\n", body = "  j = s32[] add(i, one)\n";
  std::string root = "  ROOT t = (s32[], f32[8]) tuple(j, d)\n",
              condition = "  ROOT l = pred[] compare(i, n), direction=LT\n";
  std::string init = "  z = s32[] constant(0)\n", loop_notes = "", x_notes = "", x = "  y = f32[8] copy(x)\n",
              shape = "(s32[], f32[8])";

  std::string Text() const {
    return "HloModule m\n" + more + "c {\n  p = " + "(s32[], f32[8]) parameter(0)\n" + gte +
           "  n = s32[] constant(126)\n" + condition + "}\nb {\n  p = (s32[], f32[8]) parameter(0)\n" + gte +
           "  one = s32[] constant(1)\n" + body + "  d = f32[8] get-tuple-element(p), index=1" + x_notes + "\n" + root +
           "}\nENTRY e {\n  x = f32[8] parameter(0)\n" + init + x + "  t = " + shape +
           " tuple(z, y)\n  ROOT w = " + shape + " while(t), condition=c, body=b" + loop_notes + "\n}\n";
  }
};

TEST_CASE("annotations, layouts and copies do not hide how often a loop runs") {
  Loop loop;
  CHECK(TripsOfFirst(loop.Text()) == 126);
  Loop sharded;
  sharded.loop_notes = ", sharding={{replicated}, {replicated}}";
  CHECK(TripsOfFirst(sharded.Text()) == 126);
  Loop attribute;
  attribute.loop_notes = ", frontend_attributes={a=\"b\"}";
  CHECK(TripsOfFirst(attribute.Text()) == 126);
  Loop element;
  element.x_notes = ", sharding={replicated}";
  CHECK(TripsOfFirst(element.Text()) == 126);
  Loop copied;
  copied.init = "  zero = s32[] constant(0)\n  z = s32[] copy(zero)\n";
  CHECK(TripsOfFirst(copied.Text()) == 126);
  Loop halves;
  halves.init = "  zero = s32[] constant(1)\n  s = (s32[], s32[], u32[]) copy-start(zero)\n  z = s32[] copy-done(s)\n";
  CHECK(TripsOfFirst(halves.Text()) == 125);
  Loop layout;
  layout.x = "  y = f32[8]{0:T(8)} copy(x)\n", layout.shape = "(s32[], f32[8]{0:T(8)})";
  CHECK(TripsOfFirst(layout.Text()) == 126);
}

TEST_CASE("a count goes through calls, fusions, tuples, conversions, reshapes, barriers and annotating custom-calls") {
  Loop call;
  call.more = "f {\n  a = s32[] parameter(0)\n  two = s32[] constant(2)\n  ROOT r = s32[] add(a, two)\n}\n";
  call.body = "  j = s32[] call(i), to_apply=f\n";
  CHECK(TripsOfFirst(call.Text()) == 63);
  Loop fusion = call;
  fusion.body = "  j = s32[] fusion(i), kind=kLoop, calls=f\n";
  CHECK(TripsOfFirst(fusion.Text()) == 63);
  Loop asynchronous = call;
  asynchronous.body = "  s = ((s32[]), s32[], s32[]) async-start(i), calls=f\n  j = s32[] async-done(s)\n";
  CHECK(TripsOfFirst(asynchronous.Text()) == 63);
  Loop tuple;
  tuple.body =
      "  k = s32[] add(i, one)\n  in = (s32[], s32[]) tuple(one, k)\n  out = ((s32[], s32[])) tuple(in)\n"
      "  o = (s32[], s32[]) get-tuple-element(out), index=0\n  j = s32[] get-tuple-element(o), index=1\n";
  CHECK(TripsOfFirst(tuple.Text()) == 126);
  Loop convert;
  convert.gte = "  e = s32[] get-tuple-element(p), index=0\n  v = s64[] convert(e)\n  i = s32[] convert(v)\n";
  CHECK(TripsOfFirst(convert.Text()) == 126);
  Loop shapes;
  shapes.body =
      "  o = s32[1] reshape(i)\n  q = s32[1] constant({3})\n  a = s32[1] add(o, q)\n  u = (s32[1]) "
      "opt-barrier((s32[1]) "
      "tuple(a))\n  g = s32[1] get-tuple-element(u), index=0\n  j = s32[] reshape(g)\n";
  CHECK(TripsOfFirst(shapes.Text()) == 42);
  Loop annotated;
  annotated.body =
      "  k = s32[] add(i, one)\n  j = s32[] custom-call(k), custom_call_target=\"Sharding\", sharding={replicated}\n";
  CHECK(TripsOfFirst(annotated.Text()) == 126);
  Loop shifted;  // XLA's form after rotation: i + 10 < 126
  shifted.condition =
      "  s = s32[] constant(10)\n  k = s32[] add(i, s)\n  ROOT l = pred[] compare(n, k), direction=GT\n";
  CHECK(TripsOfFirst(shifted.Text()) == 116);
}

TEST_CASE("what a loop computes other than a sum is counted by going round") {
  Loop doubled;
  doubled.init = "  z = s32[] constant(1)\n";
  doubled.body = "  j = s32[] add(i, i)\n";
  CHECK(TripsOfFirst(doubled.Text()) == 7);  // 1, 2, …, 64
  Loop chosen;
  chosen.body =
      "  three = s32[] constant(3)\n  h = s32[] constant(60)\n  q = pred[] compare(i, h), direction=LT\n"
      "  s = s32[] select(q, one, three)\n  j = s32[] add(i, s)\n";
  CHECK(TripsOfFirst(chosen.Text()) == 60 + 22);
  Loop both;
  both.condition =
      "  h = s32[] constant(60)\n  a = pred[] compare(i, n), direction=LT\n  q = pred[] compare(i, h), direction=NE\n"
      "  ROOT l = pred[] and(a, q)\n";
  CHECK(TripsOfFirst(both.Text()) == 60);
  Loop branches;
  branches.more =
      "t {\n  a = s32[] parameter(0)\n  v = s32[] constant(2)\n  ROOT r = s32[] add(a, v)\n}\n"
      "f {\n  a = s32[] parameter(0)\n  v = s32[] constant(4)\n  ROOT r = s32[] add(a, v)\n}\n";
  branches.body =
      "  h = s32[] constant(100)\n  q = pred[] compare(i, h), direction=LT\n"
      "  j = s32[] conditional(q, i, i), true_computation=t, false_computation=f\n";
  CHECK(TripsOfFirst(branches.Text()) == 50 + 7);
  Loop endless;
  endless.body = "  j = s32[] multiply(i, one)\n";
  CHECK(TripsOfFirst(endless.Text()) == std::nullopt);
}

TEST_CASE("what is open stays open") {
  Loop parameter;
  parameter.init = "  z = s32[] parameter(1)\n";
  CHECK(TripsOfFirst(parameter.Text()) == std::nullopt);
  Loop unknown;
  unknown.body = "  j = s32[] custom-call(i), custom_call_target=\"next\"\n";
  CHECK(TripsOfFirst(unknown.Text()) == std::nullopt);
  Loop elided;
  elided.init = "  many = s32[1] constant({...})\n  z = s32[] reshape(many)\n";
  CHECK(TripsOfFirst(elided.Text()) == std::nullopt);
  Loop noted = unknown;
  noted.loop_notes = ", backend_config={\"known_trip_count\":{\"n\":\"9\"}}";
  CHECK(TripsOfFirst(noted.Text()) == 9);
}

// Two loops of the state (i, n): `outer` runs `inner` with n as its limit.
constexpr std::string_view kNest = R"(HloModule m
c {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT l = pred[] compare(i, n), direction=LT
}
b {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  ROOT r = (s32[], s32[]) tuple(j, n)
}
oc {
  p = (s32[], (s32[], s32[])) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  three = s32[] constant(3)
  ROOT l = pred[] compare(i, three), direction=LT
}
ob {
  p = (s32[], (s32[], s32[])) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  s = (s32[], s32[]) get-tuple-element(p), index=1
  n = s32[] get-tuple-element(s), index=1
  zero = s32[] constant(0)
  begin = (s32[], s32[]) tuple(zero, n)
  inner = (s32[], s32[]) while(begin), condition=c, body=b
  m = s32[] get-tuple-element(inner), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  after = (s32[], s32[]) tuple(one, m)
  ROOT r = (s32[], (s32[], s32[])) tuple(j, after)
}
run {
  p = s32[] parameter(0)
  zero = s32[] constant(0)
  five = s32[] constant(5)
  limit = s32[] multiply(p, five)
  s = (s32[], s32[]) tuple(zero, limit)
  begin = (s32[], (s32[], s32[])) tuple(zero, s)
  ROOT outer = (s32[], (s32[], s32[])) while(begin), condition=oc, body=ob
}
ENTRY e {
  four = s32[] constant(4)
  x = (s32[], (s32[], s32[])) call(four), to_apply=run
  ROOT y = (s32[], (s32[], s32[])) call(OTHER), to_apply=run
}
)";

TEST_CASE("a nested loop's limit comes from around it, if all that call it agree") {
  std::string text(kNest);
  const size_t at = text.find("OTHER");
  auto module = Parse(text.replace(at, 5, "four"));
  CHECK(TripsOf(*module, "inner") == 20);
  CHECK(TripsOf(*module, "outer") == 3);
  CHECK(ExecutionCounts(*module)[static_cast<size_t>(module->FindComputation("b")->id())] == 2 * 3 * 20);
  text = kNest;
  text.replace(at, 5, "five").replace(text.find("ENTRY e {\n") + 10, 0, "  five = s32[] constant(5)\n");
  module = Parse(text);
  CHECK(TripsOf(*module, "inner") == std::nullopt);
  CHECK(TripsOf(*module, "outer") == 3);
}

TEST_CASE("a second loop that goes on where the first ended") {
  const char* text = R"(HloModule m
c1 {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(50)
  ROOT l = pred[] compare(i, n), direction=LT
}
c2 {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT l = pred[] compare(i, n), direction=LT
}
b {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  seven = s32[] constant(7)
  j = s32[] add(seven, i)
  ROOT r = (s32[], s32[]) tuple(j, n)
}
ENTRY e {
  zero = s32[] constant(0)
  limit = s32[] constant(126)
  t = (s32[], s32[]) tuple(zero, limit)
  first = (s32[], s32[]) while(t), condition=c1, body=b
  ROOT second = (s32[], s32[]) while(first), condition=c2, body=b
}
)";
  auto module = Parse(text);
  CHECK(TripsOf(*module, "first") == 8);  // up to 56
  CHECK(TripsOf(*module, "second") == 10);
}

// Going round in the type, at most a thousand times.
template <class T>
std::optional<int64_t> GoRound(T start, T step, T limit, ComparisonDirection direction) {
  using D = ComparisonDirection;
  T i = start;
  for (int64_t rounds = 0; rounds < 1000; ++rounds) {
    const bool goes_on = direction == D::kLt   ? i < limit
                         : direction == D::kLe ? i <= limit
                         : direction == D::kGt ? i > limit
                         : direction == D::kGe ? i >= limit
                         : direction == D::kEq ? i == limit
                                               : i != limit;
    if (!goes_on) return rounds;
    i = static_cast<T>(i + step);
  }
  return std::nullopt;
}

template <class T>
void CheckAll(const std::string& type) {
  using D = ComparisonDirection;
  const std::pair<D, const char*> directions[] = {{D::kLt, "LT"}, {D::kLe, "LE"}, {D::kGt, "GT"},
                                                  {D::kGe, "GE"}, {D::kEq, "EQ"}, {D::kNe, "NE"}};
  const int low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  for (const int start : {low, low + 1, 0, 5, high - 3, high}) {
    for (const int step : {-100, -3, -1, 0, 1, 2, 3, 100}) {
      if (step < low) continue;
      for (const int limit : {low, 0, 1, 7, 100, high - 1, high}) {
        for (const auto& [direction, word] : directions) {
          const std::string text =
              "HloModule m\nc {\n  i = " + type + "[] parameter(0)\n  n = " + type + "[] constant(" +
              std::to_string(limit) + ")\n  ROOT l = pred[] compare(i, n), direction=" + word +
              "\n}\nb {\n  i = " + type + "[] parameter(0)\n  s = " + type + "[] constant(" + std::to_string(step) +
              ")\n  ROOT j = " + type + "[] add(i, s)\n}\nENTRY e {\n  z = " + type + "[] constant(" +
              std::to_string(start) + ")\n  ROOT w = " + type + "[] while(z), condition=c, body=b\n}\n";
          INFO(text);
          CHECK(TripsOfFirst(text) ==
                GoRound(static_cast<T>(start), static_cast<T>(step), static_cast<T>(limit), direction));
        }
      }
    }
  }
}

TEST_CASE("counters of every direction, with wrap-around, against going round") {
  CheckAll<int8_t>("s8");
  CheckAll<uint8_t>("u8");
}

TEST_CASE("long chains and doubling sums end soon") {
  Loop chain;
  chain.body = "  j0 = s32[] add(i, one)\n";
  for (int k = 1; k < 20000; ++k)
    chain.body += "  j" + std::to_string(k) + " = s32[] copy(j" + std::to_string(k - 1) + ")\n";
  chain.body += "  j = s32[] copy(j19999)\n";
  CHECK(TripsOfFirst(chain.Text()) == 126);
  Loop sums;
  sums.body = "  j0 = s32[] add(i, one)\n";
  for (int k = 1; k < 20000; ++k)
    sums.body +=
        "  j" + std::to_string(k) + " = s32[] add(j" + std::to_string(k - 1) + ", j" + std::to_string(k - 1) + ")\n";
  sums.body += "  j = s32[] copy(j19999)\n";
  CHECK(TripsOfFirst(sums.Text()) == std::nullopt);
}

}  // namespace
}  // namespace hloir
