// Buffer assignment: sizes computed by hand, and on random modules, that live values do not overlap.
#include "hloir/analysis.h"

#include <algorithm>

#include "hloir/parser.h"
#include "hloir/passes.h"
#include "fuzz/programs.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

const BufferAssignment::Value& ValueOf(const BufferAssignment::Computation& computation, std::string_view name) {
  for (const BufferAssignment::Value& value : computation.values) {
    if (value.instruction->name() == name && !value.is_scratch) return value;
  }
  FAIL("no value " << name);
  return computation.values[0];
}

TEST_CASE("memory is used again when nobody reads it any more, and elementwise results go over their operands") {
  auto module = Parse(R"(HloModule m, is_scheduled=true

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

ENTRY main {
  p = f32[256] parameter(0)
  zero = f32[] constant(0)
  a = f32[256] exponential(p)
  b = f32[256] negate(a)
  s = f32[] reduce(b, zero), dimensions={0}, to_apply=add
  w = f32[256] reverse(p), dimensions={0}
  t = f32[] reduce(w, zero), dimensions={0}, to_apply=add
  ROOT r = (f32[], f32[]) tuple(s, t)
}
)");
  const BufferAssignment buffers = AssignBuffers(*module);
  const BufferAssignment::Computation& entry = buffers.of(*module->entry_computation());
  CHECK(buffers.parameter_bytes == 1024);
  CHECK(buffers.constant_bytes == 4);  // the reducer is not code that runs
  CHECK(ValueOf(entry, "b").shares >= 0);
  CHECK(ValueOf(entry, "b").offset == ValueOf(entry, "a").offset);
  CHECK(ValueOf(entry, "w").offset == ValueOf(entry, "a").offset);
  CHECK(ValueOf(entry, "w").shares < 0);
  CHECK(entry.unshared_bytes == 2 * 1024 + 2 * 4);
  CHECK(entry.peak_bytes == 1024 + 8);
  CHECK(entry.heap_bytes < 1024 + 256);
  CHECK(entry.peak->name() == "t");
  REQUIRE(entry.live_at_peak.size() == 3);
  CHECK(entry.values[static_cast<size_t>(entry.live_at_peak[0])].instruction->name() == "w");
}

TEST_CASE("a loop's state is one buffer, an update goes in place, and a loop's body is scratch of its caller") {
  auto module = Parse(R"(HloModule m

condition {
  p = (s32[], f32[100], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(9)
  ROOT less = pred[] compare(i, n), direction=LT
}

body {
  p = (s32[], f32[100], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[100] get-tuple-element(p), index=1
  y = f32[100] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  u = f32[1] slice(y), slice={[0:1]}
  in_place = f32[100] dynamic-update-slice(x, u, i)
  read_twice = f32[100] reverse(y), dimensions={0}
  kept = f32[100] add(read_twice, y)
  ROOT r = (s32[], f32[100], f32[100]) tuple(next, in_place, kept)
}

ENTRY main {
  zero = s32[] constant(0)
  p = f32[100] parameter(0)
  x = f32[100] negate(p)
  y = f32[100] exponential(p)
  init = (s32[], f32[100], f32[100]) tuple(zero, x, y)
  loop = (s32[], f32[100], f32[100]) while(init), condition=condition, body=body
  ROOT r = f32[100] get-tuple-element(loop), index=1
}
)");
  const BufferAssignment buffers = AssignBuffers(*module);
  const BufferAssignment::Computation& body = buffers.of(*module->FindComputation("body"));
  CHECK(ValueOf(body, "in_place").is_result);
  CHECK(ValueOf(body, "in_place").offset == -1);
  CHECK(ValueOf(body, "kept").is_result);  // over y, which nobody reads later
  CHECK(ValueOf(body, "read_twice").offset >= 0);
  CHECK(body.heap_bytes >= 400);
  const BufferAssignment::Computation& entry = buffers.of(*module->entry_computation());
  int64_t taken = 0, scratch = 0;
  for (const BufferAssignment::Value& value : entry.values) {
    if (value.instruction->name() != "loop") continue;
    taken += value.shares >= 0;
    if (value.is_scratch) scratch = value.bytes;
  }
  CHECK(taken == 2);  // x and y; a constant keeps its value
  CHECK(scratch == body.heap_bytes);
  CHECK(entry.peak_bytes == 400 + 400 + 4 + scratch);
}

TEST_CASE("an inner loop goes on in the state of the outer one") {
  const auto heap_of_outer = [](const std::string& next) {
    auto module = Parse(R"(HloModule m

condition {
  p = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(9)
  ROOT less = pred[] compare(i, n), direction=LT
}

inner {
  p = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[100] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  sine = f32[100] sine(x)
  ROOT r = (s32[], f32[100]) tuple(next, sine)
}

outer {
  p = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[100] get-tuple-element(p), index=1
  one = s32[] constant(1)
  zero = s32[] constant(0)
  next = s32[] add(i, one)
  init = (s32[], f32[100]) tuple(zero, x)
  loop = (s32[], f32[100]) while(init), condition=condition, body=inner
  y = f32[100] get-tuple-element(loop), index=1
  ROOT r = (s32[], f32[100]) tuple(next, )" +
                        next + R"()
}

ENTRY main {
  zero = s32[] constant(0)
  x = f32[100] parameter(0)
  init = (s32[], f32[100]) tuple(zero, x)
  ROOT loop = (s32[], f32[100]) while(init), condition=condition, body=outer
}
)");
    return AssignBuffers(*module).of(*module->FindComputation("outer")).peak_bytes;
  };
  CHECK(heap_of_outer("y") == 3 * 4);  // the numbers of both loops, and the inner body's
  // The inner loop's result does not go on: the state stays, beside the inner loop's own.
  CHECK(heap_of_outer("x") == 400 + 2 * 4);
}

TEST_CASE("no two values in use at once lie in one place, and no plan is below the peak") {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    std::unique_ptr<HloModule> module = fuzz::RandomModule(seed);
    if (seed % 2 == 0) {
      auto scheduler = MakePass("hlo-memory-scheduler", {});
      REQUIRE(scheduler.ok());
      REQUIRE((*scheduler)->Run(*module).ok());
    }
    const BufferAssignment buffers = AssignBuffers(*module);
    for (const BufferAssignment::Computation& one : buffers.computations) {
      CHECK(one.heap_bytes >= one.peak_bytes);
      // Who takes over begins where the other ends; all others that meet in time must not in space.
      for (size_t a = 0; a < one.values.size(); ++a) {
        const BufferAssignment::Value& x = one.values[a];
        if (x.offset < 0) continue;
        CHECK(x.offset + x.bytes <= one.heap_bytes);
        for (size_t b = a + 1; b < one.values.size(); ++b) {
          const BufferAssignment::Value& y = one.values[b];
          if (y.offset < 0 || x.last < y.first || y.last < x.first) continue;
          if (y.shares == static_cast<int64_t>(a) || x.shares == static_cast<int64_t>(b)) {
            CHECK(std::max(x.first, y.first) == std::min(x.last, y.last));
            continue;
          }
          CHECK((x.offset + x.bytes <= y.offset || y.offset + y.bytes <= x.offset));
        }
      }
    }
  }
}

int64_t BytesOf(const HloModule& module) {
  const BufferAssignment buffers = AssignBuffers(module);
  return buffers.parameter_bytes + buffers.of(*module.entry_computation()).heap_bytes;
}

TEST_CASE("what a loop or a call hands on as it came is not copied") {
  const char* text = R"(HloModule m
condition {
  p = (s32[], f32[4,100], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(4)
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[4,100], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  w = f32[4,100] get-tuple-element(p), index=1
  x = f32[100] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  zero = s32[] constant(0)
  row = f32[1,100] dynamic-slice(w, i, zero), dynamic_slice_sizes={1,100}
  flat = f32[100] reshape(row)
  y = f32[100] add(x, flat)
  ROOT r = (s32[], f32[4,100], f32[100]) tuple(next, w, y)
}
f {
  a = f32[4,100] parameter(0)
  b = f32[100] parameter(1)
  n = f32[100] negate(b)
  ROOT r = (f32[4,100], f32[100]) tuple(a, n)
}
ENTRY main {
  w = f32[4,100] parameter(0)
  x = f32[100] parameter(1)
  zero = s32[] constant(0)
  called = (f32[4,100], f32[100]) call(w, x), to_apply=f
  v = f32[4,100] get-tuple-element(called), index=0
  z = f32[100] get-tuple-element(called), index=1
  init = (s32[], f32[4,100], f32[100]) tuple(zero, v, z)
  loop = (s32[], f32[4,100], f32[100]) while(init), condition=condition, body=body
  ROOT r = f32[100] get-tuple-element(loop), index=2
}
)";
  auto module = Parse(text);
  const BufferAssignment buffers = AssignBuffers(*module);
  for (const BufferAssignment::Value& value : buffers.of(*module->entry_computation()).values)
    CHECK(value.bytes != 1600);  // the weights, which only a parameter holds
}

TEST_CASE("a donated parameter's memory takes the result, and temporaries before it") {
  const std::string header = "HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n";
  CHECK(BytesOf(*Parse(header + "ENTRY e {\n  x = f32[1000] parameter(0)\n  ROOT y = f32[1000] exponential(x)\n}\n")) ==
        4000);
  // The parameter is read after the result is made: the result stays beside it.
  CHECK(BytesOf(*Parse(header + "ENTRY e {\n  x = f32[1000] parameter(0)\n  y = f32[1000] reverse(x), dimensions={0}\n"
                                "  ROOT z = f32[1000] add(y, x)\n}\n")) == 8000);
  // A chain whose last goes into the parameter, and whose first is made beside it.
  CHECK(BytesOf(*Parse(header + "ENTRY e {\n  x = f32[1000] parameter(0)\n  a = f32[1000] reverse(x), dimensions={0}\n"
                                "  b = f32[1000] reverse(a), dimensions={0}\n  ROOT c = f32[1000] negate(b)\n}\n")) ==
        8000);
}

TEST_CASE("results that are exchanged between donated parameters do not go over one another") {
  auto module = Parse(
      "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }\n"
      "ENTRY e {\n  a = f32[1000] parameter(0)\n  b = f32[1000] parameter(1)\n  c = f32[1000] negate(a)\n"
      "  d = f32[1000] negate(b)\n  ROOT r = (f32[1000], f32[1000]) tuple(d, c)\n}\n");
  // c is made while b is still read: only d finds its parameter free.
  CHECK(BytesOf(*module) == 12000);
}

TEST_CASE("fusions write over what they read in place alone, also into several results") {
  const std::string two =
      "f {\n  a = f32[1000] parameter(0)\n  b = f32[1000] parameter(1)\n  s = f32[] parameter(2)\n"
      "  t = f32[1000] broadcast(s), dimensions={}\n  c = f32[1000] multiply(a, t)\n  d = f32[1000] add(c, b)\n"
      "  ROOT r = (f32[1000], f32[1000]) tuple(c, d)\n}\n";
  auto module = Parse(
      "HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, "
      "may-alias) }\n" +
      two +
      "ENTRY e {\n  a = f32[1000] parameter(0)\n  b = f32[1000] parameter(1)\n  s = f32[] parameter(2)\n"
      "  ROOT r = (f32[1000], f32[1000]) fusion(a, b, s), kind=kLoop, calls=f\n}\n");
  CHECK(BytesOf(*module) == 8004);
  auto reversed = Parse(
      "HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n"
      "f {\n  a = f32[1000] parameter(0)\n  v = f32[1000] reverse(a), dimensions={0}\n"
      "  ROOT r = f32[1000] add(a, v)\n}\n"
      "ENTRY e {\n  a = f32[1000] parameter(0)\n  ROOT r = f32[1000] fusion(a), kind=kLoop, calls=f\n}\n");
  CHECK(BytesOf(*reversed) == 8000);
}

TEST_CASE("memory with an unbounded dimension is not known") {
  const BufferAssignment buffers =
      AssignBuffers(*Parse("HloModule m\nENTRY e {\n  x = f32[?,8] parameter(0)\n  ROOT r = f32[?,8] tanh(x)\n}\n"));
  CHECK(buffers.is_unknown);
  CHECK(buffers.parameter_bytes == 0);
}

}  // namespace
}  // namespace hloir
