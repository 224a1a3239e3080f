// Out of memory: each entry point of the library runs with its first, second, third, … allocation failing, and must
// return an error Status. All memory is freed (checked by the sanitizers), and no exception leaves the library.
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include "hloir/check.h"
#include "hloir/executable.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/passes.h"
#include "hloir/proto.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"

namespace {

// Of this thread: after so many allocations each fails. Below 0: none does.
thread_local int64_t left = -1;
thread_local bool failed = false;

void* Allocate(size_t size, size_t alignment) {
  if (left == 0) {
    failed = true;
    throw std::bad_alloc();
  }
  if (left > 0) --left;
  void* block = alignment == 0 ? std::malloc(size + (size == 0))
                               : std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

// The program's own, for all of its tests.
void* operator new(size_t size) { return Allocate(size, 0); }
void* operator new[](size_t size) { return Allocate(size, 0); }
void* operator new(size_t size, std::align_val_t alignment) { return Allocate(size, static_cast<size_t>(alignment)); }
void* operator new[](size_t size, std::align_val_t alignment) { return Allocate(size, static_cast<size_t>(alignment)); }
void operator delete(void* block) noexcept { std::free(block); }
void operator delete[](void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { std::free(block); }
void operator delete[](void* block, size_t, std::align_val_t) noexcept { std::free(block); }

namespace hloir {
namespace {

constexpr const char* kText = R"(HloModule m

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

double {
  x = f32[4]{0} parameter(0)
  ROOT y = f32[4]{0} add(x, x)
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  zeros = f32[4]{0} broadcast(zero), dimensions={}
  same = f32[4]{0} add(x, zeros)
  twice = f32[4]{0} call(same), to_apply=double
  total = f32[] reduce(twice, zero), dimensions={0}, to_apply=sum, metadata={op_name="a name that is not short"}
  ROOT result = (f32[4]{0}, f32[]) tuple(twice, total)
}
)";

// Runs it with ever more allocations until it needs none beyond; every time it must say that memory ran out. Where it
// takes many, not each is made to fail.
void FailEach(const char* what, const std::function<Status()>& run) {
  INFO(what);
  int64_t allowed = 0, failures = 0;
  for (;; allowed += 1 + allowed / 200) {
    REQUIRE(allowed < 10'000'000);
    left = allowed;
    failed = false;
    Status status;
    bool thrown = false;
    try {
      status = run();
    } catch (...) {
      thrown = true;
    }
    left = -1;
    REQUIRE_FALSE(thrown);
    if (!failed) {
      REQUIRE(status.message() == "");
      break;
    }
    ++failures;
    REQUIRE(status.code() == StatusCode::kResourceExhausted);
  }
  CHECK(failures > 0);
}

std::unique_ptr<HloModule> Parsed() {
  auto module = ParseModule(kText);
  REQUIRE(module.status().message() == "");
  return std::move(*module);
}

}  // namespace

TEST_CASE("memory: reading and writing say that there is none left", "[memory]") {
  const auto module = Parsed();
  auto text = std::make_shared<const std::string>(kText);
  FailEach("text", [&] { return ParseModules(text).status(); });
  FailEach("verifier", [&] { return VerifyModule(*module); });
  // Not JSON: the destructor of nlohmann::json allocates memory, and ends the process if that fails.
  for (const FileFormat::Form form : {FileFormat::Form::kText, FileFormat::Form::kProto}) {
    FailEach("writing", [&] { return SerializeModule(*module, {.form = form}).status(); });
    const std::string bytes = *SerializeModule(*module, {.form = form});
    FailEach("reading", [&] {
      const int64_t kept = std::exchange(left, -1);
      std::string copy = bytes;
      left = kept;
      return ParseModuleFile(std::move(copy)).status();
    });
  }
}

TEST_CASE("memory: passes say that there is none left", "[memory]") {
  std::unique_ptr<HloModule> module;
  std::optional<HloPassPipeline> pipeline;
  REQUIRE(MakePipeline({}, {}).ok());  // the table of passes is made once
  FailEach("a pipeline", [] { return MakePipeline({}, {}).status(); });
  FailEach("passes", [&] {
    const int64_t kept = std::exchange(left, -1);
    module = Parsed();
    auto made = MakePipeline({}, {});
    REQUIRE(made.ok());
    pipeline.emplace(std::move(*made));
    left = kept;
    return pipeline->RunOnce(*module).status();
  });
}

TEST_CASE("memory: engines and the check say that there is none left", "[memory]") {
  const auto module = Parsed();
  const auto inputs = MakeFakeInputs(*module, 1);
  REQUIRE(inputs.ok());
  const Literal* const arguments[] = {&(*inputs)[0]};
  FailEach("inputs", [&] { return MakeFakeInputs(*module, 1).status(); });
  ExecutableOptions one_thread;
  one_thread.threads = 1;
  FailEach("preparing", [&] { return PrepareExecutable(*module, one_thread).status(); });
  auto executable = PrepareExecutable(*module, one_thread);
  REQUIRE(executable.ok());
  FailEach("running", [&] { return (*executable)->Run(arguments).status(); });
  const auto evaluator = MakeReferenceEvaluator();
  FailEach("reference",
           [&] { return evaluator->EvaluateComputation(*module->entry_computation(), arguments).status(); });
  const auto other = Parsed();
  CheckOptions options;
  options.runner.threads = 1;
  options.proofs = Proofs::kNone;  // without memory nothing is proved, and the check goes on
  FailEach("check", [&] { return Check(*module, *other, {}, options).status(); });
}

}  // namespace hloir
