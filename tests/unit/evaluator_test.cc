// The reference evaluator as a whole: limits, callbacks, errors, in-place loops, conversion of literals. Single ops are
// tested in tests/ops (ops_test.cc).
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

StatusOr<Literal> Run(const HloModule& module, const std::vector<Literal>& arguments = {},
                      EvaluatorOptions options = {}) {
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  return MakeReferenceEvaluator(std::move(options))->EvaluateComputation(*module.entry_computation(), pointers);
}

constexpr const char* kEndlessLoop = R"(
HloModule endless
always {
  x = s32[] parameter(0)
  ROOT t = pred[] constant(true)
}
next {
  x = s32[] parameter(0)
  ROOT y = s32[] add(x, x)
}
ENTRY e {
  z = s32[] constant(0)
  ROOT w = s32[] while(z), condition=always, body=next
}
)";

}  // namespace

TEST_CASE("the limit of bytes is one for all values that live at once") {
  auto run = [](const std::string& body, int64_t limit) {
    auto module = ParseModule("HloModule m\nENTRY e {\n x = f32[1000] parameter(0)\n" + body + "}\n");
    REQUIRE(module.ok());
    const Literal x(Shape::Array(PrimitiveType::F32, {1000}));
    const Literal* arguments[] = {&x};
    EvaluatorOptions options;
    options.max_bytes = limit;
    return MakeReferenceEvaluator(options)
        ->EvaluateComputation(*(*module)->entry_computation(), arguments)
        .status()
        .code();
  };
  // Four values that live to the end, and a chain with two live values at a time.
  const std::string wide =
      " a = f32[1000] negate(x)\n b = f32[1000] sine(x)\n c = f32[1000] cosine(x)\n d = f32[1000] tan(x)\n ROOT t = "
      "(f32[1000], f32[1000], f32[1000], f32[1000]) tuple(a, b, c, d)\n";
  const std::string chain =
      " a = f32[1000] negate(x)\n b = f32[1000] sine(a)\n c = f32[1000] cosine(b)\n ROOT d = f32[1000] tan(c)\n";
  CHECK(run(wide, 15999) == StatusCode::kResourceExhausted);
  CHECK(run(wide, 16000) == StatusCode::kOk);
  CHECK(run(chain, 8000) == StatusCode::kOk);
  CHECK(run(chain, 7999) == StatusCode::kResourceExhausted);
}

TEST_CASE("evaluator: an endless loop ends at the step limit", "[evaluator]") {
  EvaluatorOptions options;
  options.max_steps = 1000;
  const StatusOr<Literal> result = Run(*Parse(kEndlessLoop), {}, options);
  REQUIRE(!result.ok());
  CHECK(result.status().code() == StatusCode::kDeadlineExceeded);
}

TEST_CASE("evaluator: a value that is too large is refused before it is made", "[evaluator]") {
  const auto module =
      Parse("ENTRY e {\n  c = f32[] constant(1)\n  ROOT b = f32[1000000,1000000] broadcast(c), dimensions={}\n}");
  const StatusOr<Literal> result = Run(*module);
  REQUIRE(!result.ok());
  CHECK(result.status().code() == StatusCode::kResourceExhausted);
  CHECK(result.status().message().find("b") != std::string::npos);
}

TEST_CASE("evaluator: steps of a reduction count, too", "[evaluator]") {
  const auto module = Parse(R"(
HloModule m
mul {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] multiply(x, y)
}
ENTRY e {
  a = f32[1000] parameter(0)
  o = f32[] constant(1)
  ROOT r = f32[] reduce(a, o), dimensions={0}, to_apply=mul
}
)");
  const std::vector<Literal> arguments{Literal(Shape::Array(PrimitiveType::F32, {1000}))};
  EvaluatorOptions options;
  options.max_steps = 1000;
  CHECK(!Run(*module, arguments, options).ok());
  options.max_steps = 10000;
  CHECK(Run(*module, arguments, options).ok());
}

TEST_CASE("evaluator: a window larger than the limit of steps is not walked through", "[evaluator]") {
  const auto module = Parse(R"(
HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT r = f32[] add(x, y)
}
ENTRY e {
  a = f32[100] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[1] reduce-window(a, z), window={size=1000000000000000000 pad=500000000000000000_499999999999999900}, to_apply=add
}
)");
  EvaluatorOptions options;
  options.max_steps = 1000000;
  const auto result = Run(*module, {Literal(Shape::Array(PrimitiveType::F32, {100}))}, options);
  CHECK(result.status().code() == StatusCode::kDeadlineExceeded);
}

TEST_CASE("evaluator: calls nested too deep are refused", "[evaluator]") {
  std::string text = "HloModule deep\nf.0 {\n  ROOT x = s32[] parameter(0)\n}\n";
  for (int i = 1; i <= 300; ++i) {
    text += "f." + std::to_string(i) + " {\n  x = s32[] parameter(0)\n  ROOT r = s32[] call(x), to_apply=f." +
            std::to_string(i - 1) + "\n}\n";
  }
  text += "ENTRY e {\n  z = s32[] constant(5)\n  ROOT r = s32[] call(z), to_apply=f.300\n}\n";
  const StatusOr<Literal> result = Run(*Parse(text));
  REQUIRE(!result.ok());
  CHECK(result.status().code() == StatusCode::kResourceExhausted);
}

TEST_CASE("evaluator: a chain of a hundred thousand instructions needs no deep stack", "[evaluator]") {
  std::string text = "HloModule long\nENTRY e {\n  x0 = s32[] parameter(0)\n";
  constexpr int kLength = 100000;
  for (int i = 1; i <= kLength; ++i) {
    text += "  x" + std::to_string(i) + " = s32[] add(x" + std::to_string(i - 1) + ", x0)\n";
  }
  text += "}\n";
  const std::vector<Literal> arguments{Literal::One(PrimitiveType::S32)};
  const StatusOr<Literal> result = Run(*Parse(text), arguments);
  REQUIRE(result.ok());
  CHECK(result->GetAsInt64(0) == kLength + 1);
}

TEST_CASE("evaluator: on_result sees each instruction's value", "[evaluator]") {
  const auto module =
      Parse("ENTRY e {\n  a = s32[] parameter(0)\n  b = s32[] add(a, a)\n  ROOT t = (s32[], s32[]) tuple(a, b)\n}");
  std::vector<std::string> seen;
  EvaluatorOptions options;
  options.on_result = [&](const HloInstruction& instruction, const Literal& value) {
    seen.push_back(std::string(instruction.name()) + "=" + value.ToString());
  };
  const std::vector<Literal> arguments{Literal::Scalar(PrimitiveType::S32, 3)};
  REQUIRE(Run(*module, arguments, options).ok());
  REQUIRE(seen.size() == 3);
  CHECK(seen[0] == "a=3");
  CHECK(seen[1] == "b=6");
}

TEST_CASE("evaluator: arguments keep their values though loops work in place", "[evaluator]") {
  const auto module = Parse(R"(
HloModule m
more {
  s = (s32[], s32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT
}
step {
  s = (s32[], s32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = s32[4] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  u = s32[1] reshape(j)
  b = s32[4] dynamic-update-slice(a, u, i)
  ROOT t = (s32[], s32[4]) tuple(j, b)
}
ENTRY e {
  a = s32[4] parameter(0)
  z = s32[] constant(0)
  s = (s32[], s32[4]) tuple(z, a)
  w = (s32[], s32[4]) while(s), condition=more, body=step
  r = s32[4] get-tuple-element(w), index=1
  ROOT t = (s32[4], s32[4]) tuple(a, r)
}
)");
  const std::vector<Literal> arguments{Literal(Shape::Array(PrimitiveType::S32, {4}))};
  const StatusOr<Literal> result = Run(*module, arguments);
  INFO(result.status().message());
  REQUIRE(result.ok());
  CHECK(result->elements()[0].IsAll(0));
  CHECK(result->elements()[1].ToString() == "{1, 2, 3, 4}");
  CHECK(arguments[0].IsAll(0));
}

TEST_CASE("evaluator: elided constants are refused, or filled as asked", "[evaluator]") {
  const auto module = Parse("ENTRY e {\n  ROOT c = f32[3] constant({...})\n}");
  CHECK(!Run(*module).ok());
  EvaluatorOptions options;
  options.elided = ElidedConstants::kIota;
  StatusOr<Literal> result = Run(*module, {}, options);
  REQUIRE(result.ok());
  CHECK(result->ToString() == "{0, 1, 2}");
  options.elided = ElidedConstants::kZeros;
  result = Run(*module, {}, options);
  REQUIRE(result.ok());
  CHECK(result->IsAll(0));
}

TEST_CASE("evaluator: a registered custom-call is called, and its result checked", "[evaluator]") {
  const auto module =
      Parse("ENTRY e {\n  a = s32[] parameter(0)\n  ROOT c = s32[] custom-call(a, a), custom_call_target=\"plus\"\n}");
  EvaluatorOptions options;
  options.custom_calls["plus"] = [](const HloInstruction&,
                                    std::span<const Literal* const> operands) -> StatusOr<Literal> {
    return Literal::Scalar(PrimitiveType::S32, operands[0]->GetAsInt64(0) + operands[1]->GetAsInt64(0));
  };
  const std::vector<Literal> arguments{Literal::Scalar(PrimitiveType::S32, 21)};
  const StatusOr<Literal> result = Run(*module, arguments, options);
  REQUIRE(result.ok());
  CHECK(result->GetAsInt64(0) == 42);
  options.custom_calls["plus"] = [](const HloInstruction&, std::span<const Literal* const>) -> StatusOr<Literal> {
    return Literal::Scalar(PrimitiveType::F32, 1);
  };
  CHECK(!Run(*module, arguments, options).ok());
}

TEST_CASE("evaluator: wrong arguments are refused", "[evaluator]") {
  const auto module = Parse("ENTRY e {\n  ROOT a = s32[2] parameter(0)\n}");
  CHECK(!Run(*module).ok());
  const std::vector<Literal> arguments{Literal::One(PrimitiveType::S32)};
  CHECK(!Run(*module, arguments).ok());
}

TEST_CASE("evaluator: one instruction, as constant folding asks for it", "[evaluator]") {
  const auto module = Parse("ENTRY e {\n  a = s32[2] parameter(0)\n  ROOT n = s32[2] negate(a)\n}");
  const Literal ones = *ParseLiteral("s32[2] {1, 2}");
  const Literal* operand = &ones;
  const StatusOr<Literal> result = MakeReferenceEvaluator()->EvaluateInstruction(
      *module->entry_computation()->root(), std::span<const Literal* const>(&operand, 1));
  REQUIRE(result.ok());
  CHECK(result->ToString() == "{-1, -2}");
}

TEST_CASE("literal: every type converts to every type and keeps 0 and 1", "[evaluator]") {
  std::vector<PrimitiveType> types;
#define HLOIR_TYPE(name, ...) types.push_back(PrimitiveType::name);
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
  for (PrimitiveType from : types) {
    for (PrimitiveType to : types) {
      const Literal one = Literal::One(from).Convert(to);
      INFO(PrimitiveTypeName(from) << " to " << PrimitiveTypeName(to));
      REQUIRE(one.shape().element_type() == to);
      // s1 holds 0 and -1 alone: an integer 1 wraps to -1, another ends at the largest, 0.
      const bool is_minus_one = from == PrimitiveType::S1 || to == PrimitiveType::S1;
      if (to == PrimitiveType::S1 && (IsFloat(from) || IsComplex(from))) {
        CHECK(one.GetAsDouble(0) == 0);
      } else if (is_minus_one && IsUnsigned(to)) {
        CHECK(one.GetAsDouble(0) == std::ldexp(1.0, BitWidth(to)) - 1);
      } else if (is_minus_one && to == PrimitiveType::F8E8M0FNU) {  // it has no sign
        CHECK(std::isnan(one.GetAsDouble(0)));
      } else {
        CHECK(one.GetAsDouble(0) == (is_minus_one && to != PrimitiveType::PRED ? -1 : 1));
      }
      const bool no_zero = from == PrimitiveType::F8E8M0FNU || to == PrimitiveType::F8E8M0FNU;
      if (!no_zero) CHECK(Literal::Zero(from).Convert(to).GetAsDouble(0) == 0);
    }
  }
}

TEST_CASE("literal: each narrow float survives the way to f32 and back", "[evaluator]") {
  for (PrimitiveType type :
       {PrimitiveType::F8E5M2, PrimitiveType::F8E4M3, PrimitiveType::F8E4M3FN, PrimitiveType::F8E4M3B11FNUZ,
        PrimitiveType::F8E3M4, PrimitiveType::F8E5M2FNUZ, PrimitiveType::F8E4M3FNUZ, PrimitiveType::F8E8M0FNU,
        PrimitiveType::F4E2M1FN, PrimitiveType::F6E3M2FN, PrimitiveType::F6E2M3FN}) {
    const int64_t count = int64_t{1} << BitWidth(type);
    Literal all(Shape::Array(type, {count}));
    for (int64_t i = 0; i < count; ++i) all.untyped_data()[i] = static_cast<std::byte>(i);
    const Literal back = all.Convert(PrimitiveType::F32).Convert(type);
    for (int64_t i = 0; i < count; ++i) {
      INFO(PrimitiveTypeName(type) << " bits " << i);
      if (std::isnan(all.GetAsDouble(i))) CHECK(std::isnan(back.GetAsDouble(i)));
      else CHECK(back.untyped_data()[i] == all.untyped_data()[i]);
    }
    // The ends of the range are ends of all numbers, whatever the type lacks: a zero, infinities, a sign.
    const double least = Literal::MinValue(type).GetAsDouble(0), largest = Literal::MaxValue(type).GetAsDouble(0);
    for (int64_t i = 0; i < count; ++i) {
      const double x = all.GetAsDouble(i);
      INFO(PrimitiveTypeName(type) << " " << x);
      CHECK((std::isnan(x) || (least <= x && x <= largest)));
    }
  }
}

TEST_CASE("literal: integers at the ends of their ranges", "[evaluator]") {
  const Literal huge = Literal::Scalar(PrimitiveType::U64, std::numeric_limits<uint64_t>::max());
  CHECK(huge.Convert(PrimitiveType::F64).GetAsDouble(0) == 0x1p64);
  CHECK(huge.Convert(PrimitiveType::S64).GetAsInt64(0) == -1);
  CHECK(Literal::Scalar(PrimitiveType::F64, 0x1p64).Convert(PrimitiveType::U64).data<uint64_t>()[0] ==
        std::numeric_limits<uint64_t>::max());
  CHECK(Literal::Scalar(PrimitiveType::S8, -1).Convert(PrimitiveType::U64).data<uint64_t>()[0] ==
        std::numeric_limits<uint64_t>::max());
}

}  // namespace hloir
