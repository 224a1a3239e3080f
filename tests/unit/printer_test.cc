// The printer: literals' digits, layouts, shardings, every print style and switch on small modules, and that printed
// text reads back to the same text.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "hloir/parser.h"
#include "hloir/printer.h"
#include "tests/unit/catch.h"
#include "tests/unit/parse.h"

namespace hloir {
namespace {

std::string Print(const std::string& text, const PrintOptions& options = {}) {
  return PrintModule(*Parse(text), options);
}

// The line of instruction `name`, without the indentation.
std::string Line(const HloModule& module, std::string_view name, const PrintOptions& options = {}) {
  for (const HloComputation* computation : module.computations()) {
    if (const HloInstruction* instruction = computation->FindInstruction(name))
      return PrintInstruction(*instruction, options);
  }
  return "";
}

template <class T>
std::string Scalar(PrimitiveType type, T value) {
  return Literal::Scalar(type, value).ToString();
}

template <PrimitiveType P>
std::string FromBits(uint16_t bits) {
  Literal literal(Shape::Scalar(P));
  literal.data<SmallFloat<P>>()[0] = SmallFloat<P>::FromBits(static_cast<typename SmallFloat<P>::Bits>(bits));
  return literal.ToString();
}

std::string F32Bits(uint32_t bits) {
  Literal literal(Shape::Scalar(PrimitiveType::F32));
  std::memcpy(literal.untyped_data(), &bits, sizeof(bits));
  return literal.ToString();
}

// The text of a literal, read and written again.
std::string Again(const std::string& text) {
  auto literal = ParseLiteral(text);
  INFO((literal.ok() ? "" : literal.status().message()));
  REQUIRE(literal.ok());
  return literal->ToString();
}

TEST_CASE("a window reverses no dimension that it does not name") {
  const auto module = ParseModule(
      "HloModule m\nENTRY e {\n  x = f32[1,8,8,1] parameter(0)\n  k = f32[3,3,1,1] parameter(1)\n"
      "  ROOT r = f32[1,6,6,1] convolution(x, k), window={size=3x3 rhs_reversal=1}, dim_labels=b01f_01io->b01f\n}\n");
  REQUIRE(module.ok());
  CHECK(PrintModule(**module).find("window={size=3x3 rhs_reversal=1x0}") != std::string::npos);
}

TEST_CASE("f32 takes six digits if they read back, else nine") {
  CHECK(Scalar(PrimitiveType::F32, 1.0f) == "1");
  CHECK(Scalar(PrimitiveType::F32, -0.0f) == "-0");
  CHECK(Scalar(PrimitiveType::F32, 0.0f) == "0");
  CHECK(Scalar(PrimitiveType::F32, 0.1f) == "0.1");
  CHECK(Scalar(PrimitiveType::F32, 1.0f / 3) == "0.333333343");
  CHECK(Scalar(PrimitiveType::F32, 999999.0f) == "999999");
  CHECK(Scalar(PrimitiveType::F32, 1e6f) == "1e+06");
  CHECK(Scalar(PrimitiveType::F32, 16777216.0f) == "16777216");
  CHECK(Scalar(PrimitiveType::F32, 1e-5f) == "1e-05");
  CHECK(Scalar(PrimitiveType::F32, std::numeric_limits<float>::max()) == "3.40282347e+38");
  CHECK(Scalar(PrimitiveType::F32, std::numeric_limits<float>::denorm_min()) == "1.4013e-45");
  CHECK(Scalar(PrimitiveType::F32, -std::numeric_limits<float>::infinity()) == "-inf");
}

TEST_CASE("f64 takes fifteen digits if they read back, else seventeen") {
  CHECK(Scalar(PrimitiveType::F64, 0.1) == "0.1");
  CHECK(Scalar(PrimitiveType::F64, 0.1 + 0.2) == "0.30000000000000004");
  CHECK(Scalar(PrimitiveType::F64, 1e15) == "1e+15");
  CHECK(Scalar(PrimitiveType::F64, 123456.5) == "123456.5");
}

TEST_CASE("narrow floats take all the digits of their type at once") {
  CHECK(Scalar(PrimitiveType::BF16, 0.1f) == "0.1001");
  CHECK(Scalar(PrimitiveType::F16, 0.1f) == "0.099976");
  CHECK(Scalar(PrimitiveType::F8E5M2, 0.1f) == "0.094");
  CHECK(Scalar(PrimitiveType::F8E4M3FN, 448.0f) == "448");
  CHECK(Scalar(PrimitiveType::F8E3M4, 0.1f) == "0.0938");
  CHECK(Scalar(PrimitiveType::F4E2M1FN, 1.5f) == "1.5");
  CHECK(Scalar(PrimitiveType::F8E8M0FNU, 0.25f) == "0.25");
}

TEST_CASE("a NaN shows its payload unless that is just the quiet bit") {
  CHECK(F32Bits(0x7FC00000) == "nan");
  CHECK(F32Bits(0xFFC00000) == "-nan");
  CHECK(F32Bits(0x7F800001) == "nan(0x1)");
  CHECK(F32Bits(0xFFFFFFFF) == "-nan(0x7fffff)");
  CHECK(FromBits<PrimitiveType::BF16>(0x7FC1) == "nan(0x41)");
  CHECK(FromBits<PrimitiveType::F8E5M2>(0x7E) == "nan");
  CHECK(FromBits<PrimitiveType::F8E5M2>(0x7D) == "nan(0x1)");
  CHECK(FromBits<PrimitiveType::F8E4M3FN>(0x7F) == "nan");  // it has no other
}

TEST_CASE("every bit pattern of the 8-bit floats reads back to itself") {
  auto check = [](auto tag) {
    constexpr PrimitiveType kType = decltype(tag)::kType;
    for (uint32_t bits = 0; bits < 256; ++bits) {
      const std::string text = FromBits<kType>(static_cast<uint16_t>(bits));
      if (text.starts_with("-nan") && !GetFloatFormat(kType).has_infinity) continue;  // a NaN's sign may not be kept
      auto literal = ParseLiteral(std::string(PrimitiveTypeName(kType)) + "[] " + text);
      INFO(PrimitiveTypeName(kType) << " " << bits << " " << text);
      REQUIRE(literal.ok());
      CHECK(literal->template data<SmallFloat<kType>>()[0].bits == bits);
    }
  };
  check(TypeTag<PrimitiveType::F8E5M2>{});
  check(TypeTag<PrimitiveType::F8E4M3>{});
  check(TypeTag<PrimitiveType::F8E4M3FN>{});
  check(TypeTag<PrimitiveType::F8E3M4>{});
  check(TypeTag<PrimitiveType::F8E8M0FNU>{});
}

TEST_CASE("arrays: braces, blanks and comments of place") {
  CHECK(Again("s32[3] {1, 2, 3}") == "{1, 2, 3}");
  CHECK(Again("s32[0] {}") == "{}");
  CHECK(Again("s32[2,0] { {}, {} }") == "{ {}, {} }");
  CHECK(Again("s32[1,2] { {1, 2} }") == "{ { 1, 2 } }");
  CHECK(Again("s32[2,1] { {1}, {2} }") == "{ {1}, {2} }");
  CHECK(Again("s32[1,2,1] { { {1}, {2} } }") == "{ { {1}, {2} } }");
  CHECK(Again("s32[1,2,1,2] { { { {1, 2} }, { {3, 4} } } }") ==
        "{ { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } }");
  CHECK(Again("pred[] true") == "true");
  CHECK(Again("pred[3] {true, false, 1}") == "{1, 0, 1}");
  CHECK(Again("c64[2] {(1, -2.5), (0, nan)}") == "{(1, -2.5), (0, nan)}");
  CHECK(Again("u64[] 18446744073709551615") == "18446744073709551615");
  CHECK(Again("s4[2] {-8, 7}") == "{-8, 7}");
}

TEST_CASE("a layout does not change the order in which elements are printed") {
  CHECK(Again("s32[2,2]{0,1} { {1, 2}, {3, 4} }") == "{ { 1, 2 }, { 3, 4 } }");
}

TEST_CASE("shapes and layouts are written as they were read") {
  for (const char* text :
       {"f32[]", "f32[2,3]{1,0}", "f32[2,3]{0,1:T(8,128)(2,1)}", "u32[]{:T(128)}", "s4[8]{0:E(4)}", "bf16[4]{0:S(5)}",
        "f32[<=5,3]{1,0}", "()", "(f32[], s32[2]{0})", "((pred[]), token[])", "opaque[]",
        "f32[2,3]{1,0:T(2,*)L(4)E(32)S(1)}", "(s8[], s8[], s8[], s8[], s8[], /*index=5*/s8[])", "b(f32[2]{0})"}) {
    auto shape = ParseShape(text);
    INFO(text);
    REQUIRE(shape.ok());
    CHECK(shape->ToString() == text);
  }
  CHECK(ParseShape("(f32[2,3]{0,1:T(8)}, s8[2]{0})")->ToString(false) == "(f32[2,3], s8[2])");
}

TEST_CASE("shardings are written as they were read") {
  for (const char* text :
       {"{replicated}", "{manual}", "{unknown}", "{maximal device=3}", "{devices=[2,1]0,1}", "{devices=[2,2]<=[4]}",
        "{devices=[4,1,2]<=[8] last_tile_dim_replicate}", "{devices=[2,4]<=[4,2]T(1,0) last_tile_dims={manual}}",
        "{devices=[2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}", "{unknown shard_as 0}",
        "{unknown shard_like 1}", "{replicated metadata={op_name=\"a\"}}", "{{replicated}, {maximal device=0}}", "{}",
        "{mesh['x'=2,'y'=2], [{'x'}, {}]}", "{mesh['x'=2], [{}, {}], unreduced={'x'}}"}) {
    auto sharding = ParseSharding(text);
    INFO(text);
    REQUIRE(sharding.ok());
    CHECK(PrintSharding(*sharding) == text);
  }
}

TEST_CASE("shardings are brought into one form") {
  // As XLA prints them.
  for (const auto& [read, printed] : std::initializer_list<std::pair<const char*, const char*>>{
           {"{devices=[1,4,1]<=[4] last_tile_dims={manual}}", "{devices=[1,4]<=[4]}"},
           {"{devices=[1,2,1,2]<=[4] last_tile_dims={manual,replicated}}",
            "{devices=[1,2,2]<=[4] last_tile_dim_replicate}"},
           {"{devices=[1,2,2,1]<=[4] last_tile_dims={manual,unreduced}}",
            "{devices=[1,2,2]<=[4] last_tile_dims={manual}}"},
           {"{devices=[1,1,1,4]<=[4] last_tile_dims={manual,replicated}}", "{replicated}"},
           {"{devices=[1,1,4]<=[4] last_tile_dims={unreduced}}", "{unreduced}"},
           {"{devices=[1,1,2,1,2]<=[4] last_tile_dims={manual,replicated,manual}}", "{manual}"},
           {"{devices=[1,1,1,1]<=[1] last_tile_dims={manual,replicated}}", "{devices=[1,1]<=[1]}"},
           {"{devices=[1,2,2,1]3,2,1,0 last_tile_dims={replicated,manual}}",
            "{devices=[1,2,2]2,3,0,1 last_tile_dim_replicate}"},
           {"{devices=[2,2,1]<=[4] last_tile_dim_replicate}", "{devices=[2,2]<=[4]}"},
           {"{last_tile_dim_replicate devices=[1,2,2]<=[4]}", "{devices=[1,2,2]<=[4] last_tile_dim_replicate}"},
           {"{metadata={op_name=\"a\"} manual replicated}", "{replicated metadata={op_name=\"a\"}}"},
           {"{replicated shard_like 1 shard_as 2}", "{replicated shard_as 2}"}}) {
    auto sharding = ParseSharding(read);
    INFO(read);
    REQUIRE(sharding.ok());
    CHECK(PrintSharding(*sharding) == printed);
  }
}

TEST_CASE("what follows from operands is printed, whatever the text says") {
  // As XLA reads them; docs/messages.md.
  for (const auto& [read, printed] : std::initializer_list<std::pair<const char*, const char*>>{
           {"f32[] after-all()", "token[] after-all()"},
           {"f32[9] add-dependency(%p, %t)", "f32[4]{0} add-dependency(%p, %t)"},
           {"f32[] outfeed(%p, %t)", "token[] outfeed(%p, %t), outfeed_shape=f32[4]{0}"},
           {"(f32[2]) infeed(%t)", "(f32[2]{0}, token[]) infeed(%t)"},
           {"f32[<=2] constant({1, 2})", "f32[2]{0} constant({1, 2})"},
           {"f32[2] constant(5)", "f32[2]{0} constant({5, 0})"},
           {"pred[] constant(-2)", "pred[] constant(true)"},
           {"broadcast(%p), dimensions={3}", "f32[3,4]{1,0} broadcast(%p), dimensions={3}"},
           {"f32[4] rng(%z, %z), distribution=RNG_Uniform", "f32[4]{0} rng(%z, %z), distribution=rng_uniform"},
           {"f32[] dot(%p, %p), algorithm=unset, lhs_contracting_dims={0}, rhs_contracting_dims={0}",
            "f32[] dot(%p, %p), lhs_contracting_dims={0}, rhs_contracting_dims={0}"},
           {"f32[4] negate(%p), sharding={devices=[2]<=[4]}", "f32[4]{0} negate(%p), sharding={devices=[2]0,1}"},
           {"f32[4] negate(%p), sharding={devices=[2]3,2,1}", "f32[4]{0} negate(%p), sharding={devices=[2]3,2}"},
           {"f32[4] negate(%p), sharding={mesh['x'=2], []}",
            "f32[4]{0} negate(%p), sharding={mesh['x'=2], replicated}"},
           {"f32[4] negate(%p), sharding={mesh['x'=2], [], manual={'x'}}",
            "f32[4]{0} negate(%p), sharding={mesh['x'=2], manual}"},
           {"f32[4] negate(%p), sharding={mesh['x'=2,'y'=2], [], manual={'x'}}",
            "f32[4]{0} negate(%p), sharding={mesh['x'=2,'y'=2], [], manual={'x'}}"},
           {"f32[4] negate(%p), sharding={mesh['x'=2], [], unreduced={'x'}}",
            "f32[4]{0} negate(%p), sharding={mesh['x'=2], unreduced}"},
           {"f32[4] all-gather(%p), replica_groups=[2,1]<=[4], dimensions={0}",
            "f32[4]{0} all-gather(%p), replica_groups={{0},{1}}, dimensions={0}"},
           {"f32[4] negate(%p), statistics={}", "f32[4]{0} negate(%p)"},
           {"f32[4] negate(%p), statistics={first=0,a=1}",
            "f32[4]{0} negate(%p), statistics={visualizing_index=0,a=1}"},
           {"f32[4] negate(%p), origin={}", "f32[4]{0} negate(%p), origin={()}"},
           {"f32[4] negate(%p), origin={({\"a\"}, , )}", "f32[4]{0} negate(%p), origin={({\"a\"})}"},
           {"f32[4] negate(%p), backend_config=\"\\u00e9\\101\"",
            "f32[4]{0} negate(%p), backend_config=\"\\303\\251A\""}}) {
    INFO(read);
    const auto module =
        Parse(std::string("HloModule m\nENTRY e {\n  %p = f32[4] parameter(0)\n  %z = f32[] constant(0)\n"
                          "  %t = token[] after-all()\n  ROOT %r = ") +
              read + "\n}\n");
    CHECK(Line(*module, "r") == std::string("%r = ") + printed);
  }
}

TEST_CASE("a computation named as none may be is renamed; header sets are in order") {
  const std::string text = PrintModule(*Parse(
      "HloModule m, input_output_alias={ {1}: (0, {}), {0}: (1, {}), {1}: (2, {}) }, buffer_donor={ (4, {}), (3, {}), "
      "(4, {}) }\n"
      "__f {\n  ROOT x = f32[] parameter(0)\n}\nENTRY %f32 {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  c = f32[] call(a), to_apply=__f\n  ROOT t = tuple(c, b)\n}\n"));
  CHECK(text.find("input_output_alias={ {0}: (1, {}, may-alias), {1}: (0, {}, may-alias) }, buffer_donor={ (3, {}), "
                  "(4, {}) }") != std::string::npos);
  CHECK(text.find("%a_f (x: f32[])") != std::string::npos);
  CHECK(text.find("to_apply=%a_f") != std::string::npos);
  CHECK(text.find("ENTRY %f32_ (") != std::string::npos);
}

TEST_CASE("an async op's thread is that of all that it calls") {
  const auto threads = [](const std::string& inner, const std::string& first, const std::string& second) {
    const std::string text = PrintModule(
        *Parse("HloModule m\ninner {\n  a = f32[] parameter(0)\n  ROOT n = f32[] negate(a)\n}" + inner +
               "\none {\n  b = f32[] parameter(0)\n  ROOT c = f32[] call(b), to_apply=inner\n}\n"
               "two {\n  b = f32[] parameter(0)\n  ROOT c = f32[] call(b), to_apply=inner\n}\n"
               "ENTRY e {\n  x = f32[] parameter(0)\n  f = ((f32[]), f32[], u32[]) async-start(x), calls=one" +
               first + "\n  g = ((f32[]), f32[], u32[]) async-start(x), calls=two" + second +
               "\n  h = f32[] async-done(f)\n  i = f32[] async-done(g)\n  ROOT r = tuple(h, i)\n}\n"));
    const size_t end = text.find("\n}", text.find("%inner"));
    return text.substr(end + 2, text.find('\n', end + 2) - end - 2);
  };
  CHECK(threads("", "", "") == "");
  CHECK(threads(", execution_thread=\"host\"", "", "") == "");
  CHECK(threads(", execution_thread=\"host\"", "", ", async_execution_thread=\"t\"") == ", execution_thread=\"t\"");
  CHECK(threads("", ", async_execution_thread=\"t\"", ", async_execution_thread=\"u\"") == ", execution_thread=\"u\"");
  CHECK(threads("", ", async_execution_thread=\"t\"", "") == "");
}

TEST_CASE("one sharding for a tuple is printed for each of its leaves") {
  auto line = [](const std::string& shape, const std::string& rest) {
    return Line(*Parse("HloModule m\nENTRY e {\n p = f32[4] parameter(0)\n ROOT t = " + shape + " " + rest +
                       ", sharding={maximal device=1}\n}"),
                "t");
  };
  CHECK(line("(f32[4])", "tuple(p)").ends_with("sharding={{maximal device=1}}"));
  CHECK(line("()", "tuple()").ends_with("sharding={{maximal device=1}}"));
  CHECK(line("((f32[4], f32[]), f32[])", "custom-call(p), custom_call_target=\"x\"")
            .ends_with("sharding={{maximal device=1}, {maximal device=1}, {maximal device=1}}"));
  CHECK(line("f32[4]", "negate(p)").ends_with("sharding={maximal device=1}"));
}

TEST_CASE("stack frames can be printed in place") {
  auto module = Parse(
      "HloModule m\nFileNames\n1 \"a.py\"\nFunctionNames\n1 \"f\"\nFileLocations\n"
      "1 {file_name_id=1 function_name_id=1 line=7 end_line=8 column=3 end_column=9}\nStackFrames\n1 "
      "{file_location_id=1}\n"
      "ENTRY e {\n ROOT p = f32[] parameter(0), metadata={op_name=\"x\" stack_frame_id=1}\n}");
  CHECK(Line(*module, "p").ends_with("metadata={op_name=\"x\" stack_frame_id=1}"));
  PrintOptions options;
  options.print_inline_stack_frames = true;
  CHECK(Line(*module, "p", options)
            .ends_with("metadata={op_name=\"x\" source_file=\"a.py\" source_line=7 source_column=3}"));
}

TEST_CASE("an iota device list has one text") {
  auto sharding = ParseSharding("{devices=[2,2]<=[2,1,2]T(0,1,2)}");
  REQUIRE(sharding.ok());
  CHECK(PrintSharding(*sharding) == "{devices=[2,2]<=[4]}");
}

TEST_CASE("replica groups: text and meaning") {
  using Groups = std::vector<std::vector<int64_t>>;
  auto check = [](const char* text, const Groups& expanded) {
    auto groups = ParseReplicaGroups(text);
    INFO(text);
    REQUIRE(groups.ok());
    CHECK(PrintReplicaGroups(*groups) == text);
    CHECK(groups->Expand() == expanded);
  };
  check("{}", {});
  check("{{0,1},{2,3}}", {{0, 1}, {2, 3}});
  check("[2,2]<=[4]", {{0, 1}, {2, 3}});
  check("[2,4]<=[4,2]T(1,0)", {{0, 2, 4, 6}, {1, 3, 5, 7}});
  check("mesh['x'=2,'y'=2] {'x'}", {{0, 2}, {1, 3}});
  check("mesh['x'=2,'y'=2] {'x','y'}", {{0, 1, 2, 3}});
  check("mesh['x'=4] {'x':(1)2}", {{0, 2}, {1, 3}});
}

TEST_CASE("a device list that does not fit together expands to nothing") {
  DeviceList list;
  list.iota_reshape_dims = {2, 3};
  list.iota_transpose_perm = {0, 0};
  CHECK(list.Expand().empty());
  list.iota_transpose_perm = {0, 7};
  CHECK(list.Expand().empty());
  list.iota_reshape_dims = {int64_t{1} << 40, int64_t{1} << 40};
  list.iota_transpose_perm = {0, 1};
  CHECK(list.Expand().empty());
}

constexpr char kModule[] = R"(HloModule sample, entry_computation_layout={(f32[4]{0}, s32[])->(f32[], f32[4]{0})}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b)
}

ENTRY %main (p0: f32[4], p1: s32[]) -> (f32[], f32[4]) {
  %p0 = f32[4]{0} parameter(0)
  %zero = f32[] constant(0)
  %reduce.1 = f32[] reduce(%p0, %zero), dimensions={0}, to_apply=%sum, metadata={op_type="sum" op_name="jit(f)/sum"}
  %p1 = s32[] parameter(1)
  %updated = f32[4]{0} dynamic-update-slice(%p0, %p0, %p1), control-predecessors={%reduce.1}, backend_config={"a":1}
  ROOT %out = (f32[], f32[4]{0}) tuple(%reduce.1, %updated)
}

)";

TEST_CASE("default style: what was printed is printed again") { CHECK(Print(kModule) == kModule); }

TEST_CASE("short style") {
  CHECK(Print(kModule, PrintOptions::ShortParsable()) ==
        R"(HloModule sample, entry_computation_layout={(f32[4]{0}, s32[])->(f32[], f32[4]{0})}

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT add = f32[] add(a, b)
}

ENTRY main {
  p0 = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  reduce.1 = f32[] reduce(p0, zero), dimensions={0}, to_apply=sum
  p1 = s32[] parameter(1)
  updated = f32[4]{0} dynamic-update-slice(p0, p0, p1), backend_config={"a":1}
  ROOT out = (f32[], f32[4]{0}) tuple(reduce.1, updated)
}

)");
}

TEST_CASE("canonical style: bodies where they are called, names by place") {
  CHECK(Print(kModule, PrintOptions::Canonical()) ==
        R"(HloModule sample, entry_computation_layout={(f32[4]{0}, s32[])->(f32[], f32[4]{0})}

sum {
  tmp_0 = f32[] parameter(0)
  tmp_1 = f32[] parameter(1)
  ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)
}

ENTRY main {
  tmp_0 = f32[4]{0} parameter(0)
  tmp_1 = f32[] constant(0)
  tmp_2 = f32[] reduce(f32[4]{0} tmp_0, f32[] tmp_1), dimensions={0}, to_apply=
  {
    tmp_0 = f32[] parameter(0)
    tmp_1 = f32[] parameter(1)
    ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)
  }
  tmp_3 = s32[] parameter(1)
  tmp_4 = f32[4]{0} dynamic-update-slice(f32[4]{0} tmp_0, f32[4]{0} tmp_0, s32[] tmp_3)
  ROOT tmp_5 = (f32[], f32[4]{0}) tuple(f32[] tmp_2, f32[4]{0} tmp_4)
}

)");
}

TEST_CASE("fingerprint style does not depend on names") {
  std::string renamed = kModule;
  for (size_t at; (at = renamed.find("reduce.1")) != std::string::npos;) renamed.replace(at, 8, "r");
  const PrintOptions fingerprint = PrintOptions::Fingerprint();
  CHECK(Print(kModule, fingerprint) == Print(renamed, fingerprint));
  CHECK(Print(kModule, fingerprint).find("sample") == std::string::npos);
}

TEST_CASE("switches of one line") {
  auto module = Parse(kModule);
  auto line = [&](auto set) {
    PrintOptions options;
    set(options);
    return Line(*module, "reduce.1", options);
  };
  const std::string metadata = R"(, metadata={op_type="sum" op_name="jit(f)/sum"})";
  CHECK(line([](PrintOptions&) {}) == "%reduce.1 = f32[] reduce(%p0, %zero), dimensions={0}, to_apply=%sum" + metadata);
  CHECK(line([](PrintOptions& o) { o.print_metadata = false; }) ==
        "%reduce.1 = f32[] reduce(%p0, %zero), dimensions={0}, to_apply=%sum");
  CHECK(line([](PrintOptions& o) { o.print_metadata_only_op_name = true; }) ==
        "%reduce.1 = f32[] reduce(%p0, %zero), dimensions={0}, to_apply=%sum, metadata={op_name=\"jit(f)/sum\"}");
  CHECK(line([](PrintOptions& o) { o.print_percent = false; }) ==
        "reduce.1 = f32[] reduce(p0, zero), dimensions={0}, to_apply=sum" + metadata);
  CHECK(line([](PrintOptions& o) { o.print_operand_shape = true; }) ==
        "%reduce.1 = f32[] reduce(f32[4]{0} %p0, f32[] %zero), dimensions={0}, to_apply=%sum" + metadata);
  CHECK(line([](PrintOptions& o) {
          o.print_operand_shape = true;
          o.include_layout_in_shapes = false;
          o.print_operand_names = false;
        }) == "%reduce.1 = f32[] reduce(f32[4], f32[]), dimensions={0}, to_apply=%sum" + metadata);
  CHECK(line([](PrintOptions& o) { o.print_result_shape = false; }) ==
        "%reduce.1 = reduce(%p0, %zero), dimensions={0}, to_apply=%sum" + metadata);
  CHECK(line([](PrintOptions& o) { o.print_ids = false; }) ==
        "%reduce = f32[] reduce(%p0, %zero), dimensions={0}, to_apply=%sum" + metadata);
  CHECK(line([](PrintOptions& o) { o.print_subcomputation_mode = PrintOptions::SubcomputationMode::kOff; }) ==
        "%reduce.1 = f32[] reduce(%p0, %zero), dimensions={0}" + metadata);
  CHECK(line([](PrintOptions& o) { o = PrintOptions::Canonical(); }) ==
        "f32[] reduce(f32[4]{0}, f32[]), dimensions={0}, to_apply=\n{\n  tmp_0 = f32[] parameter(0)\n"
        "  tmp_1 = f32[] parameter(1)\n  ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)\n}");
  PrintOptions options;
  options.print_backend_config = false;
  options.print_control_dependencies = false;
  CHECK(Line(*module, "updated", options) == "%updated = f32[4]{0} dynamic-update-slice(%p0, %p0, %p1)");
  options.print_parameter_number = false;
  CHECK(Line(*module, "p1", options) == "%p1 = s32[] parameter(_)");
  options.indent_amount = 2;
  CHECK(PrintComputation(*module->entry_computation(), options).starts_with("    %main ("));
}

TEST_CASE("what nothing reads stands where it was, though a control edge leads there") {
  const std::string text = R"(HloModule m, entry_computation_layout={(f32[], f32[])->(f32[], f32[])}

ENTRY %e (p0: f32[], p1: f32[]) -> (f32[], f32[]) {
  %p0 = f32[] parameter(0)
  %p1 = f32[] parameter(1)
  %c = f32[] constant(0)
  %first = f32[] copy(%c), control-predecessors={%p0}
  %second = f32[] copy(%c), control-predecessors={%p1}
  ROOT %t = (f32[], f32[]) tuple(%first, %second)
}

)";
  CHECK(Print(text) == text);
}

TEST_CASE("many operands: index comments, and the compact form") {
  auto module = Parse(R"(ENTRY e {
  p = f32[] parameter(0)
  ROOT t = (f32[], f32[], f32[], f32[], f32[], f32[]) tuple(p, p, p, p, p, p)
})");
  const std::string shape = "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])";
  CHECK(Line(*module, "t") == "%t = " + shape + " tuple(%p, %p, %p, %p, %p, /*index=5*/%p)");
  PrintOptions options;
  options.print_operand_index_annotation_interval = 0;
  CHECK(Line(*module, "t", options) == "%t = " + shape + " tuple(%p, %p, %p, %p, %p, %p)");
  options.compact_operands = true;
  CHECK(Line(*module, "t", options) == "%t = " + shape + " tuple(%p, %p, %p, %p, ...(+2))");

  // In a module, where the shape was printed before.
  module = Parse(R"(ENTRY e {
  p = f32[] parameter(0)
  c = f32[] clamp(p, p, p)
  ROOT r = f32[] clamp(c, c, p)
})");
  options = {};
  options.print_operand_index_annotation_interval = 2;
  const std::string with_comments = PrintModule(*module, options);
  CHECK(with_comments.find("%c = f32[] clamp(%p, %p, /*index=2*/%p)\n") != std::string::npos);
  CHECK(with_comments.find("%r = f32[] clamp(%c, %c, /*index=2*/%p)\n") != std::string::npos);
}

TEST_CASE("texts of every length are copied whole") {
  // Names and shapes of 3 to 70 characters, each shape on two lines.
  std::string lines, dimensions, last = "p";
  for (int size = 2; size < 70; ++size) {
    const std::string name(static_cast<size_t>(size), static_cast<char>('a' + size % 26));
    if (size % 2 == 0) dimensions += dimensions.empty() ? "1" : ",1";
    const std::string type = "s8[" + dimensions + "]";
    lines += "  %" + name + " = " + type + " reshape(%" + last + ")\n";
    last = name;
  }
  const std::string text = "HloModule m, entry_computation_layout={(s8[])->s8[]}\n\nENTRY %e (p: s8[]) -> s8[] {\n" +
                           ("  %p = s8[] parameter(0)\n" + lines) + "  ROOT %r = s8[] reshape(%" + last + ")\n}\n\n";
  PrintOptions options;
  options.include_layout_in_shapes = false;
  CHECK(Print(text, options) == text);
}

TEST_CASE("integers of every number of digits") {
  for (int64_t power = 1; power <= 100'000'000'000; power *= 10) {
    for (const int64_t value : {power - 1, power, power + power / 2, 9 * power + 1}) {
      CHECK(Scalar(PrimitiveType::S64, value) == std::to_string(value));
      CHECK(Scalar(PrimitiveType::S64, -value) == std::to_string(-value));
      CHECK(Scalar(PrimitiveType::U64, static_cast<uint64_t>(value)) == std::to_string(value));
    }
  }
  for (int64_t value = 0; value < 12000; value += 7) CHECK(Scalar(PrimitiveType::S64, value) == std::to_string(value));
  CHECK(Scalar(PrimitiveType::S64, std::numeric_limits<int64_t>::min()) == "-9223372036854775808");
  CHECK(Scalar(PrimitiveType::U64, std::numeric_limits<uint64_t>::max()) == "18446744073709551615");
}

TEST_CASE("attributes and shapes that were printed before are printed alike, but for what depends on the line") {
  const std::string text = R"(HloModule m, entry_computation_layout={(u32[2,3]{0,1}, s32[2,3]{0,1})->pred[2,3]{0,1}}

%e.1 (q: u32[2,3]) -> u32[3,2] {
  %q = u32[2,3]{0,1} parameter(0)
  ROOT %t = u32[3,2]{1,0} transpose(%q), dimensions={1,0}
}

ENTRY %e (a: u32[2,3], b: s32[2,3]) -> pred[2,3] {
  %a = u32[2,3]{0,1} parameter(0)
  %called = u32[3,2]{1,0} call(%a), to_apply=%e.1
  %back = u32[2,3]{0,1} transpose(%called), dimensions={1,0}
  %less = pred[2,3]{0,1} compare(%a, %back), direction=LT
  %b = s32[2,3]{0,1} parameter(1)
  %other = pred[2,3]{0,1} compare(%b, %b), direction=LT, type=UNSIGNED
  ROOT %both = pred[2,3]{0,1} and(%less, %other)
}

)";
  std::string typed = text;
  typed.replace(typed.find("(%a, %back), direction=LT"), 25, "(%a, %back), direction=LT, type=UNSIGNED");
  CHECK(Print(typed) == text);
}

TEST_CASE("constants: elided when large, and only the essential ones") {
  auto module = Parse(R"(ENTRY e {
  small = s32[10] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  large = s32[11] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  weight = f32[2] constant({0.5, 2})
  ones = f32[2] constant({1, 1})
  ROOT t = (s32[10], s32[11], f32[2], f32[2]) tuple(small, large, weight, ones)
})");
  CHECK(Line(*module, "small") == "%small = s32[10]{0} constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})");
  CHECK(Line(*module, "large") == "%large = s32[11]{0} constant({...})");
  PrintOptions options;
  options.print_large_constants = true;
  CHECK(Line(*module, "large", options) == "%large = s32[11]{0} constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})");
  options.print_only_essential_constants = true;
  CHECK(Line(*module, "weight", options) == "%weight = f32[2]{0} constant({...})");
  CHECK(Line(*module, "ones", options) == "%ones = f32[2]{0} constant(1)");
}

TEST_CASE("get-tuple-elements in compact form") {
  const char* text = R"(ENTRY e {
  p = (f32[], (s32[], pred[])) parameter(0)
  inner = (s32[], pred[]) get-tuple-element(p), index=1
  flag = pred[] get-tuple-element(inner), index=1
  ROOT n = pred[] not(flag)
})";
  PrintOptions options;
  options.compact_gte = true;
  const std::string printed = Print(text, options);
  CHECK(printed.find("get-tuple-element") == std::string::npos);
  CHECK(printed.find("not(%p#1#1)") != std::string::npos);
  CHECK(Print(printed).find("get-tuple-element") != std::string::npos);
}

TEST_CASE("async operations: sugar, and without it") {
  const char* text = R"(HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

wrapped {
  q = f32[4]{0} parameter(0)
  ROOT c = f32[4]{0} custom-call(q), custom_call_target="foo"
}, execution_thread="host"

ENTRY e {
  p = f32[4]{0} parameter(0)
  s = ((f32[4]{0}), f32[4]{0}, u32[]) async-start(p), async_execution_thread="host", calls=wrapped
  u = ((f32[4]{0}), f32[4]{0}, u32[]) async-update(s)
  ROOT d = f32[4]{0} async-done(u)
})";
  auto module = Parse(text);
  CHECK(Line(*module, "s") ==
        "%s = ((f32[4]{0}), f32[4]{0}, u32[]) custom-call-start(%p), async_execution_thread=\"host\", "
        "custom_call_target=\"foo\"");
  CHECK(Line(*module, "u") == "%u = ((f32[4]{0}), f32[4]{0}, u32[]) custom-call-update(%s)");
  CHECK(Line(*module, "d") == "%d = f32[4]{0} custom-call-done(%u)");
  CHECK(PrintModule(*module).find("wrapped") == std::string::npos);
  PrintOptions options;
  options.syntax_sugar_async_ops = false;
  CHECK(Line(*module, "s", options) ==
        "%s = ((f32[4]{0}), f32[4]{0}, u32[]) async-start(%p), async_execution_thread=\"host\", calls=%wrapped");
  CHECK(PrintModule(*module, options).find("}, execution_thread=\"host\"") != std::string::npos);
  CHECK(Print(PrintModule(*module, options)) == PrintModule(*module));
}

TEST_CASE("while and conditional: names and bodies") {
  const char* text = R"(ENTRY e {
  p = s32[] parameter(0)
  ROOT w = s32[] while(p), condition={ a = s32[] parameter(0) ROOT k = pred[] constant(false) }, body={ ROOT b = s32[] parameter(0) }
})";
  auto module = Parse(text);
  PrintOptions options;
  options.print_subcomputation_mode = PrintOptions::SubcomputationMode::kNonSequentialBodies;
  CHECK(Line(*module, "w", options) == Line(*module, "w"));  // a loop is sequential
  options.print_subcomputation_mode = PrintOptions::SubcomputationMode::kFullBodies;
  options.print_program_shape = false;
  CHECK(Line(*module, "w", options)
            .find("condition=\n{\n  %a = s32[] parameter(0)\n  ROOT %k = pred[] constant(false)\n}, body=\n{\n") !=
        std::string::npos);
}

TEST_CASE("a module's header") {
  for (const char* header :
       {"is_scheduled=true, entry_computation_layout={(f32[])->f32[]}",
        "input_output_alias={ {}: (0, {}, may-alias) }, entry_computation_layout={(f32[])->f32[]}",
        "input_output_alias={ {}: (0, {}, must-alias) }, entry_computation_layout={(f32[])->f32[]}, replica_count=2, "
        "num_partitions=4",
        "buffer_donor={ (0, {}) }, alias_passthrough_params=true, entry_computation_layout={(f32[])->f32[]}",
        "entry_computation_layout={(f32[])->f32[]}, allow_spmd_sharding_propagation_to_parameters={true}, "
        "allow_spmd_sharding_propagation_to_output={true}",
        "entry_computation_layout={(f32[])->f32[]}, frontend_attributes={a=\"b\",c={\"d\":1}}"}) {
    const std::string text = "HloModule m, " + std::string(header) +
                             "\n\nENTRY %e (p: f32[]) -> f32[] {\n  ROOT %p = f32[] parameter(0)\n}\n\n";
    CHECK(Print(text) == text);
  }
}

TEST_CASE("the recovery table: sorted, each array once, its modules printed anew") {
  const std::string text = R"(HloModule m, origin_recovery_table={ {"z" {1}}: {"y"} {"b"} : {"c" {0,1}}, "
ENTRY r { p = f32[2] parameter(0) ROOT q = f32[2] add(p, p), metadata={op_name=\"o\"} }" {"z" {1}} : {"x"} }
ENTRY e {
  ROOT p = f32[] parameter(0)
}
)";
  const char* head = R"(HloModule m, entry_computation_layout={(f32[])->f32[]}, origin_recovery_table={
  {"b"} : {"c" {0,1}},
)";
  const char* tail = R"(
  {"z" {1}} : {"y"}
}


ENTRY %e (p: f32[]) -> f32[] {
  ROOT %p = f32[] parameter(0)
}

)";
  const char* recovery = R"(  "
    HloModule module_r, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

    ENTRY %r (p: f32[2]) -> f32[2] {
      %p = f32[2]{0} parameter(0)
      ROOT %q = f32[2]{0} add(%p, %p), metadata={op_name="o"}
    }


  ")";
  CHECK(Print(text) == std::string(head) + recovery + tail);
  // With escapes it reads back.
  PrintOptions options;
  options.reads_back = true;
  const std::string escaped = Print(text, options);
  CHECK(Print(escaped, options) == escaped);
  CHECK(Print(escaped) == Print(text));
}

TEST_CASE("what XLA prints and cannot read is printed in full on request") {
  const auto reads_back = [](const std::string& text) {
    PrintOptions options = PrintOptions::Readable();
    const std::string printed = Print(text, options);
    INFO(printed);
    CHECK(Print(printed, options) == printed);
    CHECK(Print(printed) == Print(text));
    return printed;
  };
  // Short form: op-start if it is complete; full form if it would be another op, or omit an operand.
  const std::string body = "HloModule m\n\nbody {\n  a = f32[4] parameter(0)\n  b = f32[4] parameter(1)\n  ROOT r = ";
  const std::string entry = "\n}\n\nENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  s = ";
  const std::string end = ", calls=body\n  ROOT d = f32[4] async-done(s)\n}\n";
  CHECK(reads_back(body + "f32[4] add(a, b)" + entry + "((f32[4], f32[4]), f32[4], u32[]) async-start(x, y)" + end)
            .find("add-start(") != std::string::npos);
  CHECK(reads_back(body + "f32[4] add(b, b)" + entry + "((f32[4], f32[4]), f32[4], u32[]) async-start(x, y)" + end)
            .find("async-start(") != std::string::npos);
  CHECK(reads_back("HloModule m\n\nbody {\n  a = f32[4] parameter(0)\n  ROOT r = f32[4] copy(a)" + entry +
                   "((f32[4]), f32[4], u32[]) async-start(x)" + end)
            .find("async-start(") != std::string::npos);
  // op-start gives its computation the layouts of its operands.
  for (const std::string layout : {"{1,0}", "{0,1}"}) {
    const std::string x = "s32[2,2]" + layout;
    const std::string text = reads_back(
        "HloModule m\n\nbody {\n  a = s32[2,2]{1,0} parameter(0)\n  ROOT r = s32[2,2]{1,0} not(a)\n}\n\n"
        "ENTRY e {\n  x = " +
        x + " parameter(0)\n  s = ((" + x +
        "), s32[2,2]{1,0}, u32[]) async-start(x), calls=body\n"
        "  ROOT d = s32[2,2]{1,0} async-done(s)\n}\n");
    CHECK((text.find("async-start(") != std::string::npos) == (layout == "{0,1}"));
  }
  // XLA prints `inner` after `outer`, which calls it: one instruction calls both.
  const std::string order = reads_back(R"(HloModule m

inner {
  p = f32[] parameter(0)
  ROOT n = f32[] negate(p)
}

outer {
  q = f32[] parameter(0)
  ROOT c = f32[] call(q), to_apply=inner
}

ENTRY e {
  which = pred[] parameter(0)
  x = f32[] parameter(1)
  ROOT r = f32[] conditional(which, x, x), true_computation=inner, false_computation=outer
}
)");
  CHECK(order.find("%inner (") < order.find("%outer ("));
}

TEST_CASE("attributes of all kinds are written as they were read") {
  const char* text =
      R"(HloModule m, entry_computation_layout={(f32[1,8,8,4]{3,2,1,0}, f32[3,3,4,4]{3,2,1,0}, f32[8,8]{1,0})->()}

ENTRY %e (x: f32[1,8,8,4], k: f32[3,3,4,4], m: f32[8,8]) -> () {
  %x = f32[1,8,8,4]{3,2,1,0} parameter(0), sharding={replicated}
  %k = f32[3,3,4,4]{3,2,1,0} parameter(1), parameter_replication={false}
  %conv = f32[1,8,8,4]{3,2,1,0} convolution(%x, %k), window={size=3x3 pad=1_1x1_1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, operand_precision={high,default}
  %m = f32[8,8]{1,0} parameter(2)
  %dot = f32[8,8]{1,0} dot(%m, %m), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x3
  %slice = f32[2,4]{1,0} slice(%m), slice={[0:2:1], [0:8:2]}
  %zero = f32[] constant(0)
  %pad = f32[10,11]{1,0} pad(%m, %zero), padding=1_1_0x-1_-3_1
  %transposed = f32[8,8]{0,1} transpose(%m), dimensions={1,0}, frontend_attributes={a="b\"c"}
  %less = pred[8,8]{1,0} compare(%m, %m), direction=LT, type=TOTALORDER
  %solve = f32[8,8]{1,0} triangular-solve(%m, %m), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  %call = f32[8,8]{1,0} custom-call(%m), custom_call_target="a\"b", operand_layout_constraints={f32[8,8]{1,0}}, custom_call_has_side_effect=true, literal=s32[2]{0} {1, 2}, output_to_operand_aliasing={{}: (0, {})}, schedule=SCHEDULE_EARLIEST, api_version=API_VERSION_TYPED_FFI, backend_config="text"
  %exp = f32[8,8]{1,0} exponential(%m), statistics={visualizing_index=1,stat-1=33,stat-2=44}, result_accuracy={tolerance={atol=0.5,rtol=0,ulps=10}}
  ROOT %nothing = () tuple()
}

)";
  CHECK(Print(text) == text);
}

TEST_CASE("bodies printed in place stop at a depth") {
  std::string text = "c.0 {\n  ROOT p = f32[] parameter(0)\n}\n";
  for (int i = 1; i <= 2000; ++i) {
    text += "c." + std::to_string(i) + " {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=c." +
            std::to_string(i - 1) + "\n}\n";
  }
  text += "ENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=c.2000\n}\n";
  const std::string line = Line(*Parse(text), "r", PrintOptions::Canonical());
  CHECK(!line.empty());
}

TEST_CASE("a large module is printed in pieces, which are the text") {
  std::string text = "HloModule m\n\nENTRY e {\n  x.0 = f32[2,3]{0,1} parameter(0), metadata={op_name=\"f\"}\n";
  constexpr int kLines = 6000;
  for (int i = 1; i < kLines; ++i) {
    text += "  x." + std::to_string(i) + " = f32[2,3]{0,1} negate(x." + std::to_string(i - 1) +
            "), metadata={op_name=\"f\"}\n";
  }
  text += "  big = s32[60000]{0} iota(), iota_dimension=0\n  c = s32[60000]{0} constant({";
  for (int i = 0; i < 60000; ++i) text += (i > 0 ? ", " : "") + std::to_string(i);
  text += "})\n  s = s32[60000]{0} add(big, c)\n  ROOT t = (f32[2,3]{0,1}, s32[60000]{0}) tuple(x.5999, s)\n}\n";
  const std::unique_ptr<HloModule> module = Parse(text);
  for (const PrintOptions& options : {PrintOptions::Readable(), PrintOptions::Canonical()}) {
    std::string joined;
    size_t pieces = 0, largest = 0;
    const Status status = PrintModule(*module, options, [&](std::string_view piece) {
      joined += piece;
      ++pieces;
      largest = std::max(largest, piece.size());
      return OkStatus();
    });
    CHECK(status.ok());
    CHECK(joined == PrintModule(*module, options));
    CHECK(pieces >= joined.size() / (80 << 10));
    CHECK(largest < 80 << 10);
  }
  int calls = 0;
  const Status status =
      PrintModule(*module, {}, [&](std::string_view) { return ++calls == 2 ? ResourceExhausted("full") : OkStatus(); });
  CHECK(status.message() == "full");
  CHECK(calls == 2);
}

TEST_CASE("printer: -0 as XLA prints it, or as XLA reads it") {
  const std::unique_ptr<HloModule> module = Parse(
      "HloModule m\nENTRY e {\n  a = f32[3] constant({-0, 0, -1})\n  b = bf16[] constant(-0)\n"
      "  c = c64[] constant((-0, -0))\n  d = f8e5m2[] constant(-0)\n  e = s32[] constant(0)\n"
      "  ROOT t = (f32[3], bf16[], c64[], f8e5m2[], s32[]) tuple(a, b, c, d, e)\n}\n");
  const std::string as_xla = PrintModule(*module), readable = PrintModule(*module, PrintOptions::Readable());
  for (const char* text :
       {"constant({-0, 0, -1})", "bf16[] constant(-0)", "constant((-0, -0))", "f8e5m2[] constant(-0)"}) {
    CHECK(as_xla.find(text) != std::string::npos);
  }
  for (const char* text :
       {"constant({-0.0, 0, -1})", "bf16[] constant(-0.0)", "constant((-0.0, -0.0))", "f8e5m2[] constant(-0.0)"}) {
    CHECK(readable.find(text) != std::string::npos);
  }
  CHECK(readable.find("s32[] constant(0)") != std::string::npos);
  CHECK(PrintModule(*Parse(readable)) == as_xla);
}

}  // namespace
}  // namespace hloir
