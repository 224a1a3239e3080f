// The patterns of match.h, as its example shows them.
#include "hloir/match.h"
#include "hloir/parser.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

namespace m = match;

struct Example {
  std::unique_ptr<HloModule> module;
  HloInstruction* operator[](std::string_view name) const { return module->entry_computation()->FindInstruction(name); }
};

Example Read() {
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(R"(HloModule example
ENTRY main {
  a = f32[4] parameter(0)
  b = f32[4] parameter(1)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  nb = f32[4] negate(b)
  sum = f32[4] add(nb, a)
  scaled = f32[4] multiply(a, ones)
  zero = f32[4] subtract(a, a)
  eb = f32[4] exponential(b)
  ratio = f32[4] divide(a, eb)
  ratio_too = f32[4] divide(b, eb)
  ROOT all = (f32[4], f32[4], f32[4], f32[4], f32[4]) tuple(sum, scaled, zero, ratio, ratio_too)
})");
  REQUIRE(module.ok());
  return {std::move(module).value()};
}

TEST_CASE("patterns match as their formulas read") {
  Example e = Read();
  HloInstruction *a = nullptr, *b = nullptr, *whole = nullptr;
  REQUIRE(Match(e["sum"], m::AddAnyOrder(m::Any(&a), m::Negate(m::Any(&b)))));
  CHECK(a == e["a"]);
  CHECK(b == e["b"]);
  CHECK_FALSE(Match(e["sum"], m::Add(m::Any(&a), m::Negate(m::Any(&b)))));
  CHECK(Match(e["sum"], m::Add(&whole, m::Negate(), m::Parameter())));
  CHECK(whole == e["sum"]);

  CHECK(Match(e["scaled"], m::Multiply(m::Any(&a), m::Splat(1))));
  CHECK_FALSE(Match(e["scaled"], m::Multiply(m::Any(&a), m::Splat(2))));
  CHECK(Match(e["scaled"], m::Multiply(m::Any(), m::BroadcastOfScalar(m::ConstantScalar(1)))));
  CHECK(Match(e["ones"], m::ConstantLike()));
  CHECK(Match(e["one"], m::ConstantScalar(1)));
  CHECK_FALSE(Match(e["ones"], m::ConstantScalar(1)));

  CHECK(Match(e["zero"], m::Subtract(m::Any(&a), m::Same(&a))));
  CHECK_FALSE(Match(e["scaled"], m::Multiply(m::Any(&a), m::Same(&a))));

  CHECK(Match(e["ratio"], m::Divide(m::Any(&a), m::Exp(m::Any(&b)))));
  CHECK_FALSE(Match(e["ratio"], m::Divide(m::Any(&a), m::Exp(m::Any(&b)).WithOneUser())));
}

TEST_CASE("patterns are narrowed by users, types, shapes and conditions; one of several may match") {
  Example e = Read();
  HloInstruction *a = nullptr, *b = nullptr;
  CHECK(Match(e["scaled"], m::WithElementType(m::Multiply(), PrimitiveType::F32)));
  CHECK_FALSE(Match(e["scaled"], m::WithElementType(m::Multiply(), PrimitiveType::F64)));
  CHECK(Match(e["scaled"], m::Multiply(m::Any(), m::WithShape(m::Any(), e["scaled"]->shape()))));
  CHECK_FALSE(Match(e["scaled"], m::WithShape(m::Any(), Shape::Scalar(PrimitiveType::F32))));
  const auto is_named_scaled = [](const HloInstruction& i) { return i.name() == "scaled"; };
  CHECK(Match(e["scaled"], m::With(m::Any(), is_named_scaled)));
  CHECK_FALSE(Match(e["sum"], m::With(m::Any(), is_named_scaled)));
  CHECK(Match(e["ratio"], m::Divide(m::Any(&a), m::Any(&b))));
  CHECK(Match(a, m::WithOneUser(m::Any())) == (a->user_count() == 1));
  CHECK(Match(b, m::WithOneUser(m::Any())) == (b->user_count() == 1));
  for (const char* name : {"scaled", "sum"}) {
    CHECK(Match(e[name], m::AnyOf(m::Multiply(m::Any(&a), m::Splat(1)), m::Add(m::Negate(), m::Any(&a)))));
    CHECK(a == e[name]->operand(name == std::string("sum") ? 1 : 0));
  }
  CHECK_FALSE(Match(e["ratio"], m::AnyOf(m::Multiply(), m::Add())));
}

}  // namespace
}  // namespace hloir
