// The guarantees on threads in the headers, tested from several threads: reading a const module, parsing, running
// executables and a shared evaluator, pipelines on separate modules. Under ThreadSanitizer (preset tsan) a race is an
// error; without it the results must still be those of one thread.
#include <atomic>
#include <thread>

#include "hloir/analysis.h"
#include "hloir/executable.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/verifier.h"
#include "tests/unit/check_module.h"

namespace hloir {
namespace {

constexpr int kThreads = 4;

// f(thread) on each of some threads at once.
template <class F>
void InParallel(F f) {
  std::atomic<int> waiting = kThreads;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      f(thread);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

const std::string kText = R"(HloModule m

add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }

condition { s = (s32[], f32[64]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 n = s32[] constant(5)
 ROOT less = pred[] compare(i, n), direction=LT }

body { s = (s32[], f32[64]) parameter(0)
 i = s32[] get-tuple-element(s), index=0
 x = f32[64] get-tuple-element(s), index=1
 one = s32[] constant(1)
 next = s32[] add(i, one)
 y = f32[64] tanh(x), metadata={op_name="body/tanh" source_file="a.py" source_line=3}
 z = f32[64] add(y, x), sharding={replicated}
 ROOT t = (s32[], f32[64]) tuple(next, z) }

ENTRY e { x = f32[64] parameter(0)
 zero = s32[] constant(0)
 init = (s32[], f32[64]) tuple(zero, x)
 loop = (s32[], f32[64]) while(init), condition=condition, body=body
 z = f32[64] get-tuple-element(loop), index=1
 one = f32[] constant(1)
 ones = f32[64] broadcast(one), dimensions={}
 same = f32[64] multiply(z, ones)
 neutral = f32[] constant(0)
 sum = f32[] reduce(same, neutral), dimensions={0}, to_apply=add
 ROOT r = (f32[], f32[64]) tuple(sum, same) }
)";

std::unique_ptr<HloModule> Parse(const std::string& text = kText) {
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(text);
  REQUIRE(module.status().message() == "");
  return std::move(*module);
}

TEST_CASE("threads: several parse at once") {
  const std::string expected = PrintModule(*Parse());
  std::vector<std::string> printed(kThreads);
  InParallel([&](int thread) {
    for (int k = 0; k < 20; ++k) {
      StatusOr<std::unique_ptr<HloModule>> module = ParseModule(kText);
      printed[static_cast<size_t>(thread)] = module.ok() ? PrintModule(**module) : module.status().message();
    }
  });
  for (const std::string& text : printed) CHECK(text == expected);
}

// Everything that only reads, on a module that no thread has looked at before.
TEST_CASE("threads: several read one const module") {
  const std::unique_ptr<const HloModule> module = Parse();
  const std::unique_ptr<const HloModule> other = Parse();
  std::vector<std::string> printed(kThreads);
  std::atomic<int> failures = 0;
  InParallel([&](int thread) {
    const auto expect = [&](bool holds) { failures += holds ? 0 : 1; };
    printed[static_cast<size_t>(thread)] = PrintModule(*module);
    for (const HloComputation* computation : module->PostOrder()) {
      expect(static_cast<int64_t>(computation->PostOrder().size()) == computation->instruction_count());
      for (const HloInstruction* i : computation->PostOrder()) {
        expect(computation->FindInstruction(i->name()) == i);
        for (const HloInstruction* operand : i->operands()) expect(operand->IsUsedBy(i));
        expect(!i->ToString().empty());
        (void)i->HasSideEffect();
      }
    }
    expect(module->FindComputation("body") != nullptr);
    expect(VerifyModule(*module).ok());
    expect(StructuralHash(*module) == StructuralHash(*other));
    const CallGraph graph(*module);
    expect(graph.node(*module->entry_computation()).callees.size() == 3);
    expect(Reachability::Make(*module->entry_computation()).ok());
    const std::unique_ptr<HloModule> clone = module->Clone();
    expect(clone->instruction_count() == module->instruction_count());
    expect(!SerializeHloModuleProto(*module).empty());
  });
  CHECK(failures == 0);
  for (const std::string& text : printed) CHECK(text == printed[0]);
}

TEST_CASE("threads: executables of one module, one for each thread, and a shared evaluator") {
  const std::unique_ptr<const HloModule> module = Parse();
  const Literal input = Ramp(Shape::Array(PrimitiveType::F32, {64}), 7);
  const Literal* const arguments[] = {&input};
  const std::unique_ptr<HloEvaluator> evaluator = MakeReferenceEvaluator();
  const auto run = [&]() -> Literal {
    ExecutableOptions options;
    options.threads = 2;
    auto executable = PrepareExecutable(*module, options);
    if (!executable.ok()) return {};
    StatusOr<Literal> result = (*executable)->Run(arguments);
    return result.ok() ? std::move(*result) : Literal();
  };
  const auto evaluate = [&]() -> Literal {
    StatusOr<Literal> result = evaluator->EvaluateComputation(*module->entry_computation(), arguments);
    return result.ok() ? std::move(*result) : Literal();
  };
  const Literal expected = run(), expected_value = evaluate();
  REQUIRE(expected.shape().IsTuple());
  REQUIRE(expected_value.shape().IsTuple());
  std::vector<Literal> results(kThreads), values(kThreads);
  InParallel([&](int thread) {
    results[static_cast<size_t>(thread)] = run();
    values[static_cast<size_t>(thread)] = evaluate();
  });
  for (const Literal& result : results) CHECK(result.BitwiseEqual(expected));
  for (const Literal& value : values) CHECK(value.BitwiseEqual(expected_value));
}

TEST_CASE("threads: pipelines on modules of their own") {
  const auto optimized = [](HloModule& module) {
    StatusOr<HloPassPipeline> pipeline = MakePipeline({}, {});
    if (!pipeline.ok() || !pipeline->RunOnce(module).ok()) return std::string();
    return PrintModule(module);
  };
  const std::string expected = optimized(*Parse());
  REQUIRE(!expected.empty());
  const std::unique_ptr<const HloModule> shared = Parse();
  std::vector<std::string> texts(kThreads);
  InParallel([&](int thread) {
    const std::unique_ptr<HloModule> own = shared->Clone();
    texts[static_cast<size_t>(thread)] = optimized(*own);
  });
  for (const std::string& text : texts) CHECK(text == texts[0]);
}

}  // namespace
}  // namespace hloir
