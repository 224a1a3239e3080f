// Errors of the calling program: each ends the process with a message, in every build (hloir/detail/check.h). Each case
// runs in a separate process.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>

#include "catch.h"
#include "hloir/module.h"
#include "hloir/parser.h"
#include "hloir/rewrite.h"

namespace hloir {
namespace {

// The stderr output of `misuse` before its abort; "it went on" without an abort.
std::string MessageOf(const std::function<void()>& misuse) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);  // not the test framework's
    misuse();
    _exit(0);
  }
  close(ends[1]);
  std::string message;
  char part[256];
  for (ssize_t size; (size = read(ends[0], part, sizeof(part))) > 0;) message.append(part, static_cast<size_t>(size));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? message : "it went on";
}

struct Sample {
  std::unique_ptr<HloModule> module = std::move(*ParseModule(R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  y = s32[2] parameter(1)
  n = f32[2] negate(x)
  c = f32[2] constant({1, 2})
  t = (f32[2], s32[2]) tuple(n, y)
  ROOT a = f32[2] add(n, c)
})"));
  HloComputation& main = *module->entry_computation();
  HloInstruction& operator[](std::string_view name) { return *main.FindInstruction(name); }
};

void CheckEnds(const std::string& with, const std::function<void(Sample&)>& misuse) {
  Sample sample;
  const std::string message = MessageOf([&] { misuse(sample); });
  INFO(message);
  CHECK(message.starts_with("hloir: "));
  CHECK(message.find(with) != std::string::npos);
}

TEST_CASE("misuse: the value of an error") {
  CheckEnds("no module here", [](Sample&) { (void)*StatusOr<Shape>(InvalidArgument("no module here")); });
  CheckEnds("no module here", [](Sample&) { (void)StatusOr<Shape>(InvalidArgument("no module here"))->rank(); });
  CheckEnds("needs an error", [](Sample&) { (void)StatusOr<Shape>(OkStatus()).ok(); });
}

TEST_CASE("misuse: reading a graph") {
  CheckEnds("no such operand", [](Sample& m) { (void)m["n"].operand(1); });
  CheckEnds("no such operand", [](Sample& m) { (void)m["n"].operand(-1); });
  CheckEnds("no such computation", [](Sample& m) { (void)m["n"].to_apply(); });
  CheckEnds("no such parameter", [](Sample& m) { (void)m.main.parameter(2); });
  CheckEnds("other attributes", [](Sample& m) { (void)m["n"].attributes<DotAttributes>(); });
  CheckEnds("other attributes", [](Sample& m) { (void)m["n"].literal(); });
  CheckEnds("no such dimension", [](Sample& m) { (void)m["n"].shape().dimensions(1); });
  CheckEnds("no such dimension or tuple element", [](Sample& m) { (void)m["n"].shape().tuple_shapes(0); });
}

TEST_CASE("misuse: editing a graph") {
  const Shape shape = Shape::Array(PrimitiveType::F32, {2});
  CheckEnds("as many operands", [&](Sample& m) { m.main.AddInstruction(HloOpcode::kAdd, shape, {&m["x"]}); });
  CheckEnds("attributes of its opcode",
            [&](Sample& m) { m.main.AddInstruction(HloOpcode::kReverse, shape, {&m["x"]}); });
  CheckEnds("of the instruction's computation",
            [&](Sample& m) { m.main.AddInstruction(HloOpcode::kNegate, shape, {nullptr}); });
  CheckEnds("of the instruction's computation", [&](Sample& m) {
    Sample other;
    m.main.AddInstruction(HloOpcode::kNegate, shape, {&other["x"]});
  });
  CheckEnds("out of range", [&](Sample& m) { m.main.AddParameter(-1, shape, "p"); });
  CheckEnds("needs a tuple", [](Sample& m) { m.main.AddGetTupleElement(&m["x"], 0); });
  CheckEnds("tuple element", [](Sample& m) { m.main.AddGetTupleElement(&m["t"], 2); });
  CheckEnds("no such operand", [](Sample& m) { m["n"].ReplaceOperandWith(1, &m["x"]); });
  CheckEnds("of the instruction's computation", [](Sample& m) { m["n"].ReplaceOperandWith(0, nullptr); });
  CheckEnds("of the instruction's computation", [](Sample& m) { m["n"].AppendOperand(nullptr); });
  CheckEnds("fewer operands", [](Sample& m) { m["t"].RemoveOperandsFrom(3); });
  CheckEnds("a compatible shape", [](Sample& m) { m["x"].ReplaceAllUsesWith(&m["y"]); });
  CheckEnds("of the instruction's computation", [](Sample& m) { m["x"].ReplaceAllUsesWith(nullptr); });
  CheckEnds("that has users", [](Sample& m) { m.main.RemoveInstruction(&m["n"]); });
  CheckEnds("the root", [](Sample& m) { m.main.RemoveInstruction(&m["a"]); });
  CheckEnds("not of this computation", [](Sample& m) { m.main.RemoveInstruction(nullptr); });
  CheckEnds("must be of the computation", [](Sample& m) {
    Sample other;
    m.main.set_root(&other["a"]);
  });
  CheckEnds("not its entry", [](Sample& m) { m.module->RemoveComputation(&m.main); });
  CheckEnds("its own module", [](Sample& m) { m["n"].AddCalledComputation(nullptr); });
}

TEST_CASE("misuse: a rewrite that nobody allowed") {
  CheckEnds("Allow() returned true", [](Sample& m) { RewriteGate("mine", {}).Done(&m["n"]); });
}

TEST_CASE("misuse: literals") {
  CheckEnds("as another type", [](Sample& m) { (void)m["c"].literal().data<int32_t>(); });
  CheckEnds("no element of that index", [](Sample& m) { (void)m["c"].literal().GetAsDouble(2); });
  CheckEnds("no element of that index", [](Sample&) {
    Literal literal = Literal::One(PrimitiveType::F32);
    const Literal moved = std::move(literal);
    (void)literal.GetAsDouble(0);
  });
  CheckEnds("as many elements of the same size",
            [](Sample&) { Literal::One(PrimitiveType::F32).set_shape_layout(Shape::Array(PrimitiveType::F32, {2})); });
}

}  // namespace
}  // namespace hloir
