// Small texts that would grow without end or nest deep, and a process that ends while it writes. (Files that unpack to
// more than a machine has: tests/cli/mistakes.test.)
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "check/widen.h"
#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/io.h"
#include "hloir/memory_limit.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/proto.h"
#include "hloir/runner.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

// fn0 is one sine; each further function has twice the instructions of the previous one: `body` with NAME and BEFORE.
std::string Doubling(int levels, const std::string& body) {
  auto replaced = [](std::string text, const std::string& what, const std::string& with) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;) text.replace(at, what.size(), with);
    return text;
  };
  std::string text = "HloModule m\nfn0 {\n  x = f32[] parameter(0)\n  ROOT r = f32[] sine(x)\n}\n";
  for (int i = 1; i <= levels; ++i) {
    text += replaced(replaced("NAME {\n  x = f32[] parameter(0)\n" + body + "}\n", "NAME", "fn" + std::to_string(i)),
                     "BEFORE", "fn" + std::to_string(i - 1));
  }
  return text + "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT r = f32[] call(x), to_apply=fn" + std::to_string(levels) +
         "\n}\n";
}

constexpr const char* kCalls = "  a = f32[] call(x), to_apply=BEFORE\n  ROOT b = f32[] call(a), to_apply=BEFORE\n";

}  // namespace

TEST_CASE("passes: what doubles a module again and again stops, and says so", "[limits]") {
  constexpr int kLevels = 40;
  constexpr int64_t kLimit = 2000;
  struct Case {
    const char *pass, *body;
  };
  const Case cases[] = {
      {"call-inliner", kCalls},
      {"flatten-call-graph", kCalls},
      {"conditional-simplifier",
       "  k = s32[] convert(x)\n  a = f32[] conditional(k, x, x), branch_computations={BEFORE, BEFORE}\n"
       "  ROOT b = f32[] conditional(k, a, a), branch_computations={BEFORE, BEFORE}\n"},
      {"conditional-simplifier",
       "  k = s32[] constant(1)\n  a = f32[] conditional(k, x, x), branch_computations={fn0, BEFORE}\n"
       "  ROOT b = f32[] conditional(k, a, a), branch_computations={fn0, BEFORE}\n"},
      {"map-inliner",
       "  a = f32[] map(x), dimensions={}, to_apply=BEFORE\n"
       "  ROOT b = f32[] map(a), dimensions={}, to_apply=BEFORE\n"},
  };
  for (const Case& c : cases) {
    INFO(c.pass << "\n" << c.body);
    auto module = Parse(Doubling(kLevels, c.body));
    auto pipeline = MakePipeline({{c.pass}}, {}, {.max_instructions = kLimit});
    REQUIRE(pipeline.ok());
    REQUIRE(pipeline->RunOnce(*module).ok());
    CHECK(module->instruction_count() <= 2 * kLimit);  // the last rewrite may exceed the limit
    CHECK(pipeline->runs()[0].stopped);
    CHECK(VerifyModule(*module).ok());
    // Passes that shrink a module run on modules above the limit.
    auto cleanup = MakePipeline({{"dce", "cse"}}, {}, {.max_instructions = 1});
    REQUIRE(cleanup.ok());
    REQUIRE(cleanup->RunOnce(*module).ok());
    for (const PassRun& run : cleanup->runs()) CHECK_FALSE(run.stopped);
  }
}

TEST_CASE("runs: what maps and calls double with each level is refused before it has run", "[limits]") {
  const char* bodies[] = {
      "  a = f32[] map(x), dimensions={}, to_apply=BEFORE\n  ROOT b = f32[] map(a), dimensions={}, to_apply=BEFORE\n",
      "  a = f32[] call(x), to_apply=BEFORE\n  ROOT b = f32[] call(a), to_apply=BEFORE\n"};
  for (const char* body : bodies) {
    INFO(body);
    EvaluatorOptions options;
    options.max_steps = 1 << 16;
    const Literal x = Literal::Scalar(PrimitiveType::F32, 0.5);
    const Literal* arguments[] = {&x};
    const auto run = [&](int levels) {
      const auto module = Parse(Doubling(levels, body));
      return MakeReferenceEvaluator(options)->EvaluateComputation(*module->entry_computation(), arguments).status();
    };
    CHECK(run(10).ok());  // some 2^11 or 2^12 steps
    CHECK(run(40).message().find("evaluation takes ") == 0);
  }
}

TEST_CASE("passes: one that met its limit copies nothing more, in whatever round it is asked again", "[limits]") {
  // Otherwise functions that call one that is too large to copy are copied instead: tens of thousands of conditionals,
  // each with branches of thousands of instructions that each later pass visits.
  auto module = Parse(Doubling(40,
                               "  k = pred[] constant(true)\n  a = f32[] conditional(k, x, x), "
                               "true_computation=BEFORE, false_computation=fn0\n"
                               "  ROOT b = f32[] conditional(k, a, a), true_computation=BEFORE, "
                               "false_computation=fn0\n"));
  const auto names = SplitPipeline("[conditional-simplifier,dce]");
  REQUIRE(names.ok());
  auto pipeline = MakePipeline(*names, {}, {.max_instructions = 2000});
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(*module).ok());
  int64_t conditionals = 0;
  for (const HloInstruction* i : module->AllInstructions()) conditionals += i->opcode() == HloOpcode::kConditional;
  CHECK(conditionals <= 2 * 40);
  CHECK(pipeline->runs().size() <= 8);
}

TEST_CASE("passes: copies of what is long count for more", "[limits]") {
  const std::string name(20000, 'n');
  auto module = Parse(Doubling(40, kCalls));
  auto named = Parse([&] {
    std::string text = Doubling(40, kCalls);
    const std::string sine = "ROOT r = f32[] sine(x)";
    return text.replace(text.find(sine), sine.size(), sine + ", metadata={op_name=\"" + name + "\"}");
  }());
  for (HloModule* each : {module.get(), named.get()}) {
    auto pipeline = MakePipeline({{"call-inliner"}}, {});
    REQUIRE(pipeline.ok());
    REQUIRE(pipeline->RunOnce(*each).ok());
    CHECK(pipeline->runs()[0].stopped);
  }
  CHECK(module->instruction_count() > 20000);
  CHECK(named->instruction_count() < 10000);
}

TEST_CASE("passes: loops of one round in one another stop, too", "[limits]") {
  const std::string state = "(s32[], f32[])";
  std::string text = "HloModule m\nonce {\n  t = " + state +
                     " parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n  one = s32[] constant(1)\n"
                     "  ROOT less = pred[] compare(i, one), direction=LT\n}\n";
  for (int level = 0; level <= 40; ++level) {
    const std::string n = std::to_string(level),
                      before = "while(t0), condition=once, body=b" + std::to_string(level - 1);
    text += "b" + n + " {\n  t = " + state + " parameter(0)\n  i = s32[] get-tuple-element(t), index=0\n" +
            "  y = f32[] get-tuple-element(t), index=1\n  one = s32[] constant(1)\n  next = s32[] add(i, one)\n";
    if (level == 0) {
      text += "  y2 = f32[] sine(y)\n";
    } else {
      text += "  zero = s32[] constant(0)\n  t0 = " + state + " tuple(zero, y)\n  w1 = " + state + " " + before +
              "\n  y1 = f32[] get-tuple-element(w1), index=1\n  t1 = " + state + " tuple(zero, y1)\n  w2 = " + state +
              " while(t1), condition=once, body=b" + std::to_string(level - 1) +
              "\n  y2 = f32[] get-tuple-element(w2), index=1\n";
    }
    text += "  ROOT r = " + state + " tuple(next, y2)\n}\n";
  }
  text += "ENTRY e {\n  zero = s32[] constant(0)\n  x = f32[] parameter(0)\n  t = " + state +
          " tuple(zero, x)\n  ROOT w = " + state + " while(t), condition=once, body=b40\n}\n";
  auto module = Parse(text);
  auto pipeline = MakePipeline({{"while-loop-simplifier"}}, {}, {.max_instructions = 2000});
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(*module).ok());
  CHECK(module->instruction_count() <= 4000);
  CHECK(pipeline->runs()[0].stopped);
  CHECK(VerifyModule(*module).ok());
}

TEST_CASE("passes: concatenations of themselves are not written out", "[limits]") {
  std::string text = "HloModule m\nENTRY e {\n  v0 = f32[1] parameter(0)\n";
  for (int i = 1; i <= 35; ++i) {
    const std::string before = "v" + std::to_string(i - 1);
    text += "  v" + std::to_string(i) + " = f32[" + std::to_string(int64_t{1} << i) + "] concatenate(" + before + ", " +
            before + "), dimensions={0}\n";
  }
  auto module = Parse(text + "}\n");
  auto pipeline = MakePipeline({{"dynamic-dimension-simplifier"}}, {});
  REQUIRE(pipeline.ok());
  REQUIRE(pipeline->RunOnce(*module).ok());
  for (const HloInstruction* i : module->entry_computation()->PostOrder()) CHECK(i->operand_count() <= 128);
}

TEST_CASE("passes: functions alike but for what they call deep down are told apart", "[limits]") {
  // Comparing each with each down to the leaves took time that grew with the cube of their number.
  auto module = Parse(Doubling(700,
                               "  a = f32[] call(x), to_apply=BEFORE\n  b = f32[] call(x), to_apply=BEFORE\n"
                               "  ROOT c = f32[] add(a, b)\n"));
  auto pipeline = MakePipeline({{"computation-deduplicator"}}, {});
  REQUIRE(pipeline.ok());
  const int64_t computations = module->computation_count();
  REQUIRE(pipeline->RunOnce(*module).ok());
  CHECK(module->computation_count() == computations);
}

namespace {

// Under sanitizers, and where lines are counted, frames are several times as large.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(HLOIR_COVERAGE)
constexpr size_t kSmallStack = size_t{2048} << 10;
#else
constexpr size_t kSmallStack = size_t{256} << 10;
#endif

// Runs it in a thread whose stack is small.
void WithSmallStack(const std::function<void()>& run) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, kSmallStack) == 0);
  pthread_t thread;
  auto entry = [](void* given) -> void* {
    (*static_cast<const std::function<void()>*>(given))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, entry, const_cast<std::function<void()>*>(&run)) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Applies all operations to a text; returns the error or "".
std::string DoEverything(const std::string& text) {
  auto module = ParseModule(text);
  if (!module.ok()) return module.status().message();
  if (Status legal = VerifyModule(**module); !legal.ok()) return legal.message();
  (void)PrintModule(**module);
  for (const FileFormat::Form form : {FileFormat::Form::kText, FileFormat::Form::kProto, FileFormat::Form::kJson}) {
    auto bytes = SerializeModule(**module, {.form = form});
    if (!bytes.ok()) return bytes.status().message();
    auto read = ParseModuleFile(*bytes);
    if (!read.ok()) return read.status().message();
  }
  auto pipeline = MakePipeline({}, {}, {.verify_each = true});
  if (!pipeline.ok()) return pipeline.status().message();
  auto before = (*module)->Clone();
  if (auto changed = pipeline->RunOnce(**module); !changed.ok()) return changed.status().message();
  auto verdict = Check(*before, **module);
  if (!verdict.ok()) return verdict.status().message();
  return verdict->agrees() ? "" : verdict->ToString();
}

}  // namespace

TEST_CASE("a thread with 256 kB of stack is enough for whatever the parser takes", "[limits]") {
  const std::string head = "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  ";
  constexpr int kTuples = 100, kOperands = 30;
  const std::string taken[] = {
      head + "ROOT y = f32[] " + Repeated("negate(f32[] ", kOperands) + "sine(x)" + Repeated(")", kOperands) + "\n}\n",
      "HloModule m\nENTRY e {\n  ROOT x = " + Repeated("(", kTuples) + "f32[2]" + Repeated(")", kTuples) +
          " parameter(0)\n}\n",
      Doubling(8, kCalls),
      Doubling(90, "  a = f32[] call(x), to_apply=BEFORE\n  ROOT b = f32[] sine(a)\n"),
  };
  for (const std::string& text : taken) {
    INFO(text.substr(0, 200));
    std::string wrong;
    WithSmallStack([&] { wrong = DoEverything(text); });
    CHECK(wrong == "");
  }
  // Deeper nesting is refused, also without stack overflow.
  for (const std::string& text :
       {head + "ROOT y = f32[] " + Repeated("negate(f32[] ", 100000),
        "HloModule m\nENTRY e {\n  ROOT x = " + Repeated("(", 100000),
        head + "ROOT y = f32[] negate(x), sharding=" + Repeated("{", 100000),
        head + "ROOT y = f32[] custom-call(), custom_call_target=\"\", literal=" + Repeated("(", 100000)}) {
    std::string wrong;
    WithSmallStack([&] { wrong = ParseModule(text).status().message(); });
    CHECK(wrong.find("nested too deeply") != std::string::npos);
  }
}

namespace {

// The status of a run of the module, on zeros, by an engine.
Status RunWithSteps(const HloModule& module, Engine engine, int64_t max_steps) {
  RunnerOptions options;
  options.engine = engine;
  options.threads = 1;
  options.max_steps = max_steps;
  StatusOr<Runner> runner = Runner::Prepare(module, options);
  REQUIRE(runner.ok());
  std::vector<Literal> zeros;
  for (const HloInstruction* parameter : module.entry_computation()->parameters())
    zeros.emplace_back(parameter->shape());
  std::vector<const Literal*> arguments;
  for (const Literal& zero : zeros) arguments.push_back(&zero);
  return runner->Run(arguments).status();
}

}  // namespace

TEST_CASE("runs: steps count by their work, in loops, branches and calls", "[limits]") {
  // 100 rounds of some six instructions; a product is 2^21 operations, 2048 steps.
  const std::string body = R"({
  s = (s32[], f32[128,64], f32[64,128]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[128,64] get-tuple-element(s), index=1
  b = f32[64,128] get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
)";
  const std::string rest = R"(condition {
  s = (s32[], f32[128,64], f32[64,128]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(100)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY e {
  t = (s32[], f32[128,64], f32[64,128]) parameter(0)
  ROOT w = (s32[], f32[128,64], f32[64,128]) while(t), condition=condition, body=body
}
)";
  const std::string product = R"(  c = f32[128,128] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  d = f32[128,64] slice(c), slice={[0:128], [0:64]}
  ROOT t = (s32[], f32[128,64], f32[64,128]) tuple(next, d, b)
)";
  const auto heavy = Parse("HloModule m\nbody " + body + product + "}\n" + rest);
  const auto light =
      Parse("HloModule m\nbody " + body + "  ROOT t = (s32[], f32[128,64], f32[64,128]) tuple(next, a, b)\n}\n" + rest);
  // A product that a branch computes counts as well, but only if the branch is taken.
  const auto branches = [&](const std::string& taken) {
    return Parse("HloModule m\nyes " + body + product + "}\nno " + body +
                 "  ROOT t = (s32[], f32[128,64], f32[64,128]) tuple(next, a, b)\n}\nbody {\n" +
                 "  s = (s32[], f32[128,64], f32[64,128]) parameter(0)\n  p = pred[] constant(" + taken + ")\n" +
                 "  ROOT c = (s32[], f32[128,64], f32[64,128]) conditional(p, s, s), true_computation=yes, "
                 "false_computation=no\n}\n" +
                 rest);
  };
  // Outside of loops, too: one product of 2^28 operations, and 256 of 2^21 by calls of calls and branches of branches.
  const auto once = Parse(R"(HloModule m
ENTRY e {
  a = f32[512,512] parameter(0)
  ROOT c = f32[512,512] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  const auto doubled = [](const std::string& twice) {
    std::string text =
        "HloModule m\nfn0 {\n  x = f32[100,100] parameter(0)\n  ROOT r = f32[100,100] dot(x, x), "
        "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
    for (int level = 1; level <= 8; ++level) {
      std::string body = twice;
      for (size_t at = 0; (at = body.find("BEFORE", at)) != std::string::npos;)
        body.replace(at, 6, "fn" + std::to_string(level - 1));
      text += "fn" + std::to_string(level) + " {\n  x = f32[100,100] parameter(0)\n" + body + "}\n";
    }
    return Parse(text +
                 "ENTRY e {\n  x = f32[100,100] parameter(0)\n  ROOT r = f32[100,100] call(x), to_apply=fn8\n}\n");
  };
  const auto calls =
      doubled("  a = f32[100,100] call(x), to_apply=BEFORE\n  ROOT b = f32[100,100] call(a), to_apply=BEFORE\n");
  const auto nested_branches = doubled(
      "  p = pred[] constant(true)\n"
      "  a = f32[100,100] conditional(p, x, x), true_computation=BEFORE, false_computation=BEFORE\n"
      "  ROOT b = f32[100,100] conditional(p, a, a), true_computation=BEFORE, false_computation=BEFORE\n");
  for (const Engine engine : {Engine::kFast, Engine::kReference}) {
    CHECK(RunWithSteps(*heavy, engine, 100000).code() == StatusCode::kDeadlineExceeded);
    CHECK(RunWithSteps(*heavy, engine, 1000000).ok());
    CHECK(RunWithSteps(*light, engine, 100000).ok());
    CHECK(RunWithSteps(*branches("true"), engine, 100000).code() == StatusCode::kDeadlineExceeded);
    CHECK(RunWithSteps(*branches("false"), engine, 100000).ok());
    for (const HloModule* each : {once.get(), calls.get(), nested_branches.get()}) {
      CHECK(RunWithSteps(*each, engine, 100000).code() == StatusCode::kDeadlineExceeded);
      CHECK(RunWithSteps(*each, engine, 1000000).ok());
    }
  }
}

TEST_CASE("check: the limit on steps is for what runs again", "[limits]") {
  // Each instruction may run once, whatever it takes: the limit is for loops and calls of calls.
  const auto before = Parse(R"(HloModule before
ENTRY e {
  a = f32[64,64] parameter(0)
  b = f32[64,64] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT c = f32[64,64] add(b, b)
})");
  const auto after = Parse(R"(HloModule after
ENTRY e {
  a = f32[64,64] parameter(0)
  d = f32[64,64] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  two = f32[] constant(2)
  twos = f32[64,64] broadcast(two), dimensions={}
  ROOT c = f32[64,64] multiply(d, twos)
})");
  CheckOptions options;
  options.runner.max_steps = 20;
  options.proofs = Proofs::kNone;
  const auto verdict = Check(*before, *after, {}, options);
  REQUIRE(verdict.ok());
  CHECK(verdict->agrees());
}

TEST_CASE("check: an endless loop of constants is not folded", "[limits]") {
  auto module = Parse(R"(HloModule m
body {
  i = s32[] parameter(0)
  two = s32[] constant(2)
  ROOT j = s32[] add(i, two)
}
condition {
  i = s32[] parameter(0)
  odd = s32[] constant(7)
  ROOT on = pred[] compare(i, odd), direction=NE
}
ENTRY e {
  zero = s32[] constant(0)
  ROOT w = s32[] while(zero), condition=condition, body=body
})");
  FoldConstants(*module, 16);
  CHECK(module->entry_computation()->root()->opcode() == HloOpcode::kWhile);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a process with a limit gets an error where it would take more memory", "[limits]") {
  CHECK(MemoryLimitForFiles(0, 0) == uint64_t{768} << 20);
  CHECK(MemoryLimitForFiles(1000, 1000) == (uint64_t{768} << 20) + 64000);
  CHECK(MemoryLimitForFiles(UINT64_MAX, 0) >= uint64_t{768} << 20);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto parse = [] {
      return ParseModule("HloModule m\nENTRY e {\n  ROOT c = f32[300000000] constant(1)\n}\n").status();
    };
    bool good = LimitMemory(uint64_t{512} << 20).ok() && MemoryLimit() == uint64_t{512} << 20;
    good = good && parse().code() == StatusCode::kResourceExhausted;
    good = good && LimitMemory(0).ok() && MemoryLimit() == 0;
    _exit(good ? 0 : 1);
  }
  int status = 1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
#endif

TEST_CASE("files: a process that is killed while it writes leaves no half of a file behind", "[limits]") {
  namespace fs = std::filesystem;
  char name[] = "/tmp/hloir-limits-test-XXXXXX";
  REQUIRE(mkdtemp(name) != nullptr);
  const std::string path = std::string(name) + "/out.hlo";
  for (int milliseconds : {1, 3, 10, 30}) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const std::string content(size_t{1} << 24, 'x');
      while (WriteFile(path, content).ok()) {
      }
      _exit(1);
    }
    usleep(static_cast<useconds_t>(1000 * milliseconds));
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    // A complete temporary file may stay where the process is killed just before rename(): src/io/files.cc.
    int others = 0;
    for (const auto& entry : fs::directory_iterator(name)) {
      if (entry.path() != path) ++others;
      CHECK(entry.file_size() == size_t{1} << 24);
    }
    CHECK(others <= 1);
    for (const auto& entry : fs::directory_iterator(name)) fs::remove(entry);
  }
  fs::remove_all(name);
}

}  // namespace hloir
