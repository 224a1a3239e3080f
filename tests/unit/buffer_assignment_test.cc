// Buffer assignment: sizes that can be told by hand, and on random modules that no two values in use lie in one place.
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
  CHECK(taken == 2);  // x and y; a constant stays what it is
  CHECK(scratch == body.heap_bytes);
  CHECK(entry.peak_bytes == 400 + 400 + 4 + scratch);
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

}  // namespace
}  // namespace hloir
