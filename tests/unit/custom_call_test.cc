// custom_call.h: the consistency of the table of known custom-call targets and its users.
#include "hloir/custom_call.h"

#include "hloir/cost.h"
#include "hloir/custom_calls.h"
#include "hloir/evaluator.h"
#include "hloir/passes.h"
#include "tests/unit/check_module.h"

namespace hloir {
namespace {

TEST_CASE("rows of custom_calls.def agree") {
  const PassRegistry passes = BuiltinPasses();
  for (int k = 1; k < kCustomCallCount; ++k) {
    const auto call = static_cast<CustomCall>(k);
    const CustomCallInfo& info = GetCustomCallInfo(call);
    INFO(info.target);
    CHECK(FindCustomCall(info.target) == call);
    CHECK(!info.computes.empty());
    if (!info.expander.empty()) CHECK(passes.Find(info.expander) != nullptr);
    if (info.Is(kShardingAnnotation | kMemoryPlacement)) CHECK(info.Is(kForwardsOperands));
  }
  for (const KnownCustomCall& known : KnownCustomCalls()) {
    INFO(known.target);
    CHECK(!GetCustomCallInfo(FindCustomCall(known.target)).expander.empty());
  }
}

TEST_CASE("an instruction is a custom-call of one target at most") {
  const auto module =
      Parse(Entry(" x = f32[2] parameter(0)\n"
                  " known = f32[2] custom-call(x), custom_call_target=\"MoveToHost\"\n"
                  " ROOT other = f32[2] custom-call(known), custom_call_target=\"MoveToMars\""));
  const HloInstruction& unknown = *module->entry_computation()->root();
  const HloInstruction& known = *unknown.operand(0);
  CHECK(CustomCallOf(known) == CustomCall::kMoveToHost);
  CHECK(IsCustomCall(known, CustomCall::kMoveToHost));
  CHECK(!IsCustomCall(known, CustomCall::kMoveToDevice));
  CHECK(ForwardedOperands(known) == 1);
  CHECK(!IsShardingAnnotation(known));
  CHECK(CustomCallOf(unknown) == CustomCall::kUnknown);
  CHECK(ForwardedOperands(unknown) == 0);
  CHECK(CustomCallOf(*known.operand(0)) == CustomCall::kUnknown);  // a parameter
  CHECK(!IsCustomCall(*known.operand(0), CustomCall::kMoveToHost));
}

TEST_CASE("a target that has no evaluator is refused with the pass that rewrites it") {
  const auto error = [](const std::string& target) {
    const auto module = Parse(
        Entry(" x = s32[2] constant({1, 2})\n ROOT r = s32[2] custom-call(x), custom_call_target=\"" + target + "\""));
    return std::string(
        MakeReferenceEvaluator()->EvaluateComputation(*module->entry_computation(), {}).status().message());
  };
  CHECK(error("GatherScatterIndicesBitpacked").find("assume-gather-indices-in-bound-rewrite-to-copy") !=
        std::string::npos);
  CHECK(error("QrDecomposition").ends_with("unsupported custom-call target \"QrDecomposition\""));
  CHECK(error("of-mine").ends_with("unsupported custom-call target \"of-mine\""));
}

TEST_CASE("both names of a radix sort cost a sort") {
  for (const char* target : {"__cub$DeviceRadixSort", "xla.gpu.ext.cub_sort_keys"}) {
    INFO(target);
    const auto module =
        Parse(Entry(" x = u32[8] parameter(0)\n ROOT r = (u32[8], u8[16]) custom-call(x), custom_call_target=\"" +
                    std::string(target) + "\""));
    const CostAnalysis cost(*module);
    CHECK(cost.total().custom_calls == 0);
    CHECK(cost.Of(*module->entry_computation()->root()).once.flops == 8 * 3);
  }
}

}  // namespace
}  // namespace hloir
