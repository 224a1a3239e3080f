// executable.h: buffers of a plan. Values that are dead before a result is written may use that result's memory, and a
// gather writes directly into a concatenation that is its only reader; with the reference's results and a smaller
// arena. Dead nodes are not computed (plan/lower/dead_values.h).
#include <string>

#include "hloir/executable.h"
#include "plan/lower/dead_values.h"
#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

// The arena of the module's plan, which gives the reference's result.
int64_t ArenaOf(const std::string& text, double tolerance = 1e-4) {
  CheckModule(text, tolerance);
  const auto module = Parse(text);
  ExecutableOptions options;
  options.threads = 1;
  const auto executable = PrepareExecutable(*module, options);
  REQUIRE(executable.ok());
  INFO((*executable)->ToString());
  return (*executable)->arena_bytes();
}

// A large product that a small one reads, and then a result of `result`, made of that.
std::string Late(const std::string& result) {
  return Entry(R"(x = f32[200,40] parameter(0)
    y = f32[40,200] parameter(1)
    z = f32[200,3] parameter(2)
    large = f32[200,200] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    small = f32[200,3] dot(large, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    )" + result);
}
constexpr int64_t kLarge = 200 * 200 * 4;

constexpr char kMade[] =
    "g = f32[200,3,128] broadcast(small), dimensions={0,1}\n k = f32[] constant(1e-4)\n kb = f32[200,3,128] "
    "broadcast(k), dimensions={}\n e = f32[200,3,128] multiply(g, kb)\n ";

}  // namespace

TEST_CASE("what is dead before a result is written lies in its memory") {
  CHECK(ArenaOf(Late(std::string(kMade) + "ROOT r = f32[200,3,128] negate(e)")) < kLarge);
  // Elements that need another alignment than the result has stay in the arena, though that has room for them.
  CHECK(ArenaOf(Late("g = f32[200,3,512] broadcast(small), dimensions={0,1}\n ROOT r = s8[200,3,512] convert(g)"), 1) >=
        kLarge);
  // What is still read when the result is written does, too; and what the result is too small for.
  CHECK(ArenaOf(Late(std::string(kMade) +
                     "s = f32[200,200] negate(large)\n t = f32[200,200] dot(s, large), lhs_contracting_dims={0}, "
                     "rhs_contracting_dims={0}\n ROOT r = (f32[200,3,128], f32[200,200]) tuple(e, t)")) >= kLarge);
  CHECK(ArenaOf(Late("ROOT r = f32[200,3] negate(small)")) >= kLarge);
}

TEST_CASE("results' memory is another in each run") {
  const auto module = Parse(Late(std::string(kMade) + "ROOT r = f32[200,3,128] negate(e)"));
  const auto executable = PrepareExecutable(*module, {});
  REQUIRE(executable.ok());
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module->entry_computation()->parameters())
    arguments.push_back(Ramp(parameter->shape(), 7));
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  std::vector<Literal> results;
  for (int run = 0; run < 4; ++run) {
    auto result = (*executable)->Run(pointers);
    REQUIRE(result.ok());
    results.push_back(*std::move(result));
    CHECK(results.back().BitwiseEqual(results.front()));
  }
}

TEST_CASE("a loop's values keep clear of results that are written after it") {
  CheckModule(R"(HloModule m
    body {
      p = (s32[], f32[200,200]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      x = f32[200,200] get-tuple-element(p), index=1
      one = s32[] constant(1)
      n = s32[] add(i, one)
      y = f32[200,200] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      k = f32[] constant(0.01)
      kb = f32[200,200] broadcast(k), dimensions={}
      t = f32[200,200] multiply(y, kb)
      ROOT o = (s32[], f32[200,200]) tuple(n, t)
    }
    condition {
      p = (s32[], f32[200,200]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(3)
      ROOT c = pred[] compare(i, n), direction=LT
    }
    ENTRY e {
      x = f32[200,200] parameter(0)
      zero = s32[] constant(0)
      a = f32[200,200] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={1}
      s = (s32[], f32[200,200]) tuple(zero, a)
      w = (s32[], f32[200,200]) while(s), condition=condition, body=body
      b = f32[200,200] get-tuple-element(w), index=1
      c = f32[200,200] dot(b, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      d = f32[200,200] dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = (f32[200,200], f32[200,200], f32[200,200]) tuple(b, d, x)
    })",
              1e-4);
}

namespace {

// Rows of a table gathered by `g`, concatenated with a dense part, and the computation `after` on them.
std::string Rows(const std::string& parts, const std::string& after) {
  return Entry(
      "table = f32[100,64] parameter(0)\n i = s32[32,8] parameter(1)\n dense = f32[32,1,64] parameter(2)\n w = "
      "f32[576,5] parameter(3)\n g = f32[32,8,64] gather(table, i), offset_dims={2}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=2, slice_sizes={1,64}\n c = f32[32,9,64] concatenate(" +
      parts +
      "), dimensions={1}\n f = f32[32,576] reshape(c)\n d = f32[32,5] dot(f, w), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n " +
      after);
}
constexpr int64_t kRows = 32 * 9 * 64 * 4;

}  // namespace

TEST_CASE("a gather writes into the concatenation that alone reads it") {
  CHECK(ArenaOf(Rows("dense, g", "ROOT r = f32[32,5] negate(d)")) < kRows + kRows / 8);
  CHECK(ArenaOf(Rows("g, dense", "ROOT r = f32[32,5] negate(d)")) < kRows + kRows / 8);
  // Where something else reads it, too, it lies alone.
  CHECK(ArenaOf(Rows("dense, g",
                     "s = f32[32,5] negate(d)\n k = f32[256,64] reshape(g)\n v = f32[64,8] parameter(4)\n q = "
                     "f32[256,8] dot(k, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ROOT r = (f32[32,5], "
                     "f32[256,8]) tuple(s, q)")) > kRows + kRows / 2);
  // Two of them, of which one is written from behind; and one as a result.
  CheckModule(Entry(R"(t = f32[50,4] parameter(0)
    i = s32[6,1] parameter(1)
    k = s32[5] parameter(2)
    a = f32[6,4] gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
    b = f32[4,5] gather(t, k), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
    bt = f32[5,4] transpose(b), dimensions={1,0}
    ar = f32[2,3,4] reshape(a)
    br = f32[5,1,4] reshape(bt)
    d = f32[5,3,4] broadcast(bt), dimensions={0,2}
    c = f32[7,3,4] concatenate(ar, d), dimensions={0}
    ROOT r = f32[7,3,4] negate(c))"),
              0);
  for (const char* d : {"0", "1"}) {
    const std::string shape = d == std::string("0") ? "s16[14,4]" : "s16[7,8]";
    CheckModule(
        Entry("t = s16[9,4] parameter(0)\n i = s64[7] parameter(1)\n k = s64[7] parameter(2)\n a = s16[7,4] "
              "gather(t, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
              "index_vector_dim=1, slice_sizes={1,4}\n b = s16[7,4] gather(t, k), offset_dims={1}, "
              "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}\n ROOT c = " +
              shape + " concatenate(a, b), dimensions={" + d + "}"),
        0);
  }
}

TEST_CASE("a gather that is loop-invariant writes no part of what is not") {
  CheckModule(R"(HloModule m
    body {
      p = (s32[], f32[6,4], f32[50,4], s32[6]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      x = f32[6,4] get-tuple-element(p), index=1
      t = f32[50,4] get-tuple-element(p), index=2
      k = s32[6] get-tuple-element(p), index=3
      one = s32[] constant(1)
      n = s32[] add(i, one)
      g = f32[6,4] gather(t, k), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
      c = f32[6,8] concatenate(x, g), dimensions={1}
      zero = s32[] constant(0)
      four = f32[1,1] constant({{4}})
      u = f32[6,8] dynamic-update-slice(c, four, zero, n)
      s = f32[6,8] sine(u)
      y = f32[6,4] slice(s), slice={[0:6], [2:6]}
      ROOT o = (s32[], f32[6,4], f32[50,4], s32[6]) tuple(n, y, t, k)
    }
    condition {
      p = (s32[], f32[6,4], f32[50,4], s32[6]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(5)
      ROOT c = pred[] compare(i, n), direction=LT
    }
    ENTRY e {
      x = f32[6,4] parameter(0)
      t = f32[50,4] parameter(1)
      k = s32[6] parameter(2)
      zero = s32[] constant(0)
      s = (s32[], f32[6,4], f32[50,4], s32[6]) tuple(zero, x, t, k)
      ROOT w = (s32[], f32[6,4], f32[50,4], s32[6]) while(s), condition=condition, body=body
    })",
              1e-6);
}

TEST_CASE("what a dead node made, no node makes") {
  const auto module = Parse(Entry("x = f32[4] parameter(0)\n ROOT y = f32[4] negate(x)"));
  cpu::Graph graph;
  for (const int32_t node : {-1, 0, 1, 2}) {
    cpu::GraphValue& value = graph.values.emplace_back();
    value.root = node + 1;
    value.node = node;
    if (node < 0) continue;
    cpu::Node& made = graph.nodes.emplace_back();
    made.instruction = module->entry_computation()->root();
    made.inputs = {0};
    made.outputs = {node + 1};
  }
  graph.values[0].kind = cpu::ValueKind::kParameter;
  graph.parameters = {0};
  graph.results = {2};
  RemoveDead(graph);
  CHECK(graph.nodes.size() == 1);
  CHECK(graph.values[1].node == -1);
  CHECK(graph.values[2].node == 0);
  CHECK(graph.values[3].node == -1);
}
