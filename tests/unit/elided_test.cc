// Values for constants that a text elides: assignment to constants, and errors for wrong types.
#include <filesystem>

#include "hloir/io.h"
#include "hloir/parser.h"
#include "io/elided.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

std::unique_ptr<HloModule> Module() {
  return *ParseModule(R"(HloModule m
ENTRY e {
  a = f32[20]{0} constant({...})
  b = f32[20]{0} constant({...})
  n = s4[20]{0} constant({...})
  z = c64[12]{0} constant({...})
  here = f32[2]{0} constant({1, 2})
  ROOT t = (f32[20], f32[20], s4[20], c64[12], f32[2]) tuple(a, b, n, z, here)
})");
}

const Literal& ValueOf(const HloModule& module, std::string_view name) {
  return module.entry_computation()->FindInstruction(name)->literal();
}

ElidedValues Parsed(const std::string& text) {
  const StatusOr<ElidedValues> values = ParseElidedValues(text);
  REQUIRE(values.ok());
  return *values;
}

TEST_CASE("elided constants get the values that are asked for") {
  for (const char* how : {"assume", "random", "zeros", "iota"}) {
    INFO(how);
    const std::unique_ptr<HloModule> module = Module(), again = Module();
    CHECK(*FillElided(*module, Parsed(how)) == 4);
    CHECK(*FillElided(*module, Parsed(how)) == 0);
    CHECK(*FillElided(*again, Parsed(how)) == 4);
    for (const char* name : {"a", "b", "n", "z", "here"}) {
      CHECK_FALSE(ValueOf(*module, name).elided());
      CHECK(ValueOf(*module, name).BitwiseEqual(ValueOf(*again, name)));
    }
    CHECK(ValueOf(*module, "a").BitwiseEqual(ValueOf(*module, "b")) == (std::string(how) != "random"));
    CHECK(ValueOf(*module, "here").GetAsDouble(1) == 2);
  }
  const std::unique_ptr<HloModule> counted = Module();
  REQUIRE(FillElided(*counted, Parsed("iota")).ok());
  CHECK(ValueOf(*counted, "a").GetAsDouble(19) == 19);
  CHECK(ValueOf(*counted, "n").GetAsInt64(7) == 7);
  const std::unique_ptr<HloModule> left = Module();
  CHECK(*FillElided(*left, Parsed("refuse")) == 0);
  CHECK(ValueOf(*left, "a").elided());
  CHECK_FALSE(ParseElidedValues("whatever").ok());
}

TEST_CASE("elided constants from a file") {
  const std::unique_ptr<HloModule> module = *ParseModule(
      "HloModule m\nENTRY e {\n  a = f32[20]{0} constant({...})\n  b = s32[11]{0} constant({...})\n"
      "  ROOT t = (f32[20], s32[11]) tuple(a, b)\n}\n");
  const Literal a(Shape::Array(PrimitiveType::F32, {20})), b(Shape::Array(PrimitiveType::S32, {11}));
  const std::string path = (std::filesystem::temp_directory_path() / "hloir-elided-test.npz").string();
  const auto fill = [&](std::vector<const Literal*> arrays) {
    REQUIRE(WriteNpz(path, "c", arrays).ok());
    return FillElided(*module->Clone(), Parsed(path)).status().message();
  };
  CHECK(fill({&a, &b}).empty());
  CHECK(fill({&a}) == path + " has no c1, the value of b");
  CHECK(fill({&b, &a}) == path + ": c0 is s32[11], but a is f32[20]");
  CHECK(fill({&a, &b, &b}) == path + " has 3 arrays, but 2 constants have no values");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace hloir
