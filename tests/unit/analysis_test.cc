// The call graph and reachability: each answer for a small module whose graph is plain to see.
#include "hloir/call_graph.h"
#include "hloir/parser.h"
#include "hloir/reachability.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

constexpr char kModule[] = R"(HloModule m

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

inner {
  p = f32[4] parameter(0)
  z = f32[] constant(0)
  r = f32[] reduce(p, z), dimensions={0}, to_apply=add
  ROOT b = f32[4] broadcast(r), dimensions={}
}

alone {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=inner
}

middle {
  p = f32[4] parameter(0)
  ROOT c = f32[4] call(p), to_apply=inner
}

ENTRY main {
  a = f32[4] parameter(0)
  one = f32[4] call(a), to_apply=middle
  two = f32[4] negate(a)
  three = f32[] parameter(1)
  four = f32[] call(three, three), to_apply=add
  five = f32[4] broadcast(four), dimensions={}
  six = f32[4] add(one, two), control-predecessors={five}
  ROOT t = (f32[4], f32[4]) tuple(six, two)
}
)";

std::unique_ptr<HloModule> Module() {
  StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(kModule);
  REQUIRE(module.ok());
  return *std::move(module);
}

TEST_CASE("call graph") {
  const std::unique_ptr<HloModule> module = Module();
  const CallGraph graph(*module);
  const auto computation = [&](std::string_view name) -> const HloComputation& { return *module->FindComputation(name); };
  const auto node = [&](std::string_view name) -> const CallGraph::Node& { return graph.node(computation(name)); };
  CHECK(node("main").context == CallContext::kControlFlow);
  CHECK(node("middle").context == CallContext::kControlFlow);
  CHECK(node("inner").context == CallContext::kControlFlow);
  CHECK(node("add").context == CallContext::kBoth);  // called by main, applied by inner
  CHECK(node("alone").context == CallContext::kNone);
  CHECK(node("main").depth == 0);
  CHECK(node("add").depth == 3);
  CHECK(node("main").call_sites.size() == 2);
  CHECK(node("add").caller_sites.size() == 2);
  CHECK(node("inner").callers == std::vector<const HloComputation*>{&computation("alone"), &computation("middle")});
  CHECK(node("main").callees == std::vector<const HloComputation*>{&computation("middle"), &computation("add")});

  CHECK(graph.Dominates(computation("main"), computation("add")));
  CHECK(graph.Dominates(computation("middle"), computation("inner")));
  CHECK_FALSE(graph.Dominates(computation("inner"), computation("add")));
  CHECK(graph.Dominates(computation("add"), computation("add")));
  CHECK_FALSE(graph.Dominates(computation("add"), computation("main")));
  CHECK(graph.IsNestedIn(*computation("inner").root(), computation("main")));
  CHECK_FALSE(graph.IsNestedIn(*computation("main").root(), computation("inner")));
}

TEST_CASE("reachability: the table says what the graph says") {
  const std::unique_ptr<HloModule> module = Module();
  const HloComputation& main = *module->entry_computation();
  StatusOr<Reachability> table = Reachability::Make(main);
  REQUIRE(table.ok());
  const auto i = [&](std::string_view name) -> const HloInstruction& { return *main.FindInstruction(name); };
  CHECK(table->IsReachable(i("a"), i("t")));
  CHECK(table->IsReachable(i("four"), i("six")));  // by the control edge
  CHECK_FALSE(table->IsReachable(i("six"), i("four")));
  CHECK(table->AreConnected(i("six"), i("four")));
  CHECK_FALSE(table->AreConnected(i("two"), i("five")));
  CHECK_FALSE(table->IsReachable(*module->FindComputation("add")->root(), i("t")));
  for (const HloInstruction* from : main.instructions()) {
    for (const HloInstruction* to : main.instructions()) {
      INFO(from->name() << " to " << to->name());
      CHECK(table->IsReachable(*from, *to) == DependsOn(*to, *from));
    }
  }
  CHECK(Reachability::Make(main, 8).status().code() == StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace hloir
