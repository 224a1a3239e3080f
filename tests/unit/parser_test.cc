// The parser: syntax, older dialects, names, limits. Illegal texts, each with the location and message of its error,
// are in tests/parse_errors.
#include "hloir/parser.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "hloir/printer.h"
#include "tests/unit/folders.h"

namespace hloir {
namespace {

std::unique_ptr<HloModule> Parse(const std::string& text, const ParserOptions& options = {}) {
  StatusOr<std::unique_ptr<HloModule>> module = ParseModule(text, options);
  INFO(text);
  INFO(module.status().message());
  REQUIRE(module.ok());
  return std::move(*module);
}
// The module `HloModule m ENTRY e { … }` around some lines.
std::unique_ptr<HloModule> ParseBody(const std::string& body) {
  return Parse("HloModule m\nENTRY e {\n" + body + "\n}\n");
}
std::string ErrorOf(const std::string& text, const ParserOptions& options = {}) {
  return ParseModule(text, options).status().message();
}
const HloInstruction& Find(const HloModule& module, std::string_view name) {
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->name() == name) return *i;
  }
  FAIL("no instruction " << name);
  return *module.entry_computation()->root();
}
Literal Constant(const std::string& shape, const std::string& value) {
  auto module = ParseBody("  c = " + shape + " constant(" + value + ")");
  return module->entry_computation()->root()->literal();
}

TEST_CASE("what stands in braces means the same wherever its text comes again") {
  constexpr int kCount = 400;
  const auto sharding = [](int i) {
    return "{devices=[" + std::to_string(1 + i % 3) + "]<=[" + std::to_string(1 + i % 3) + "]}";
  };
  const auto value = [](int i) { return i % 5 == 0 ? "{\"a}" + std::to_string(i % 7) : std::to_string(i % 2) + "\\"; };
  const auto escaped = [&](int i) {
    std::string text;
    for (const char c : value(i)) text += (c == '"' || c == '\\' ? std::string(1, '\\') : std::string()) + c;
    return text;
  };
  // Half of the metadata never comes again.
  const auto op_name = [](int i) { return i % 2 == 0 ? "same/" + std::to_string(i % 6) : "own/" + std::to_string(i); };
  std::string text = "HloModule m\n\nENTRY e {\n";
  for (int i = 0; i < kCount; ++i) {
    text += "  p" + std::to_string(i) + " = f32[6] parameter(" + std::to_string(i) + "), sharding=" + sharding(i) +
            ", frontend_attributes={k=\"" + escaped(i) + "\"}, metadata={op_name=\"" + op_name(i) + "\"}\n";
  }
  const auto module = ParseModule(text + "}\n");
  REQUIRE(module.ok());
  for (int i = 0; i < kCount; ++i) {
    const HloInstruction& p = *(*module)->entry_computation()->parameter(i);
    CHECK(*p.sharding() == *ParseSharding(sharding(i)));
    CHECK(p.extras().frontend_attributes == FrontendAttributes{{"k", value(i)}});
    CHECK(p.metadata()->op_name == op_name(i));
  }
}

TEST_CASE("parser: a module's graph") {
  auto module = Parse(R"(HloModule mlp, is_scheduled=true, num_partitions=2, replica_count=3,
  input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {0}, must-alias) }, buffer_donor={ (2, {}) }

add_f32 {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}, execution_thread="host"

ENTRY main {
  a = f32[4,8]{1,0} parameter(0)
  zero = f32[] constant(0)
  s = f32[4]{0} reduce(a, zero), dimensions={1}, to_apply=add_f32
  d = f32[4]{0} add(s, s), control-predecessors={zero}
  ROOT t = (f32[4]{0}, f32[4]{0}) tuple(d, s)
}
)");
  CHECK(module->name() == "mlp");
  CHECK(module->config().is_scheduled);
  CHECK(module->config().num_partitions == 2);
  CHECK(module->config().replica_count == 3);
  REQUIRE(module->config().input_output_alias.size() == 2);
  CHECK(module->config().input_output_alias[1].must_alias);
  CHECK(module->config().input_output_alias[1].parameter_index == ShapeIndex{0});
  CHECK(module->config().buffer_donor.at(0).parameter == 2);
  REQUIRE(module->computation_count() == 2);
  CHECK(module->computations()[0]->execution_thread() == "host");
  const HloInstruction& s = Find(*module, "s");
  CHECK(s.to_apply() == module->computations()[0]);
  CHECK(s.dimensions() == DimVector{1});
  CHECK(s.line() == 13);
  CHECK(s.user_count() == 2);
  CHECK(s.use_count() == 3);
  const HloInstruction& d = Find(*module, "d");
  CHECK(d.control_predecessors()[0] == &Find(*module, "zero"));
  CHECK(module->entry_computation()->root()->operand(0) == &d);
  // Equal shapes are one object.
  CHECK(&s.shape() == &d.shape());
}

TEST_CASE("parser: shapes and layouts") {
  auto parse = [](std::string_view text) {
    StatusOr<Shape> shape = ParseShape(text);
    INFO(text << ": " << shape.status().message());
    REQUIRE(shape.ok());
    return *shape;
  };
  CHECK(parse("f32[2,3]") == Shape::Array(PrimitiveType::F32, {2, 3}));
  CHECK(parse("pred[]") == Shape::Scalar(PrimitiveType::PRED));
  CHECK(parse("f32[2,3]{0,1}").layout().minor_to_major() == DimVector{0, 1});
  CHECK(parse("(f32[], /*index=1*/ (s32[2], token[]))").tuple_shapes(1).tuple_shapes(1).IsToken());
  CHECK(parse("()").tuple_size() == 0);
  CHECK(parse("opaque[]").IsOpaque());
  CHECK(parse("b(f32[2])").IsBuffer());
  CHECK(parse("f32[<=5,2]").is_dynamic_dimension(0));
  CHECK_FALSE(parse("f32[<=5,2]").is_dynamic_dimension(1));
  CHECK(parse("f32[?,2]").is_unbounded_dimension(0));
  CHECK(parse("f32[99999999999999,99999999999999]").ElementCount() == INT64_MAX);

  const Shape full = parse("s4[8,16]{1,0:T(8,128)(2,1)L(2)#(u16)*(u32)E(4)S(5)SC(0:2,4)(1:8)M(16)}");
  const LayoutExtras& extras = full.layout().extras();
  REQUIRE(extras.tiles.size() == 2);
  CHECK(extras.tiles[1].dimensions == DimVector{2, 1});
  CHECK(extras.tail_padding_alignment_in_elements == 2);
  CHECK(extras.index_primitive_type == PrimitiveType::U16);
  CHECK(extras.pointer_primitive_type == PrimitiveType::U32);
  CHECK(extras.element_size_in_bits == 4);
  CHECK(extras.memory_space == 5);
  REQUIRE(extras.split_configs.size() == 2);
  CHECK(extras.split_configs[0].split_indices == DimVector{2, 4});
  CHECK(extras.dynamic_shape_metadata_prefix_bytes == 16);
  CHECK(parse("f32[]{:T(256)}").layout().extras().tiles.size() == 1);
  CHECK(parse("f32[2,2]{1,0:T(*,2)}").layout().extras().tiles[0].dimensions[0] == Tile::kCombine);
  CHECK(parse("f32[2,2]{1,0:D(D+~,C)}").layout().extras().dim_levels[0].non_unique);
  CHECK(parse("f32[4]{0:D(C)P(u8[64]{0})}").layout().extras().physical_shape->dimensions(0) == 64);

  for (const char* bad : {"f32", "f32[", "f32[2,]", "f32[-1]", "f32[2]{1}", "f32[2,2]{0,0}", "f32[2]{0", "(f32[]",
                          "token[2]", "tuple[]", "f32[2]{0:T(}", "q8[2]"}) {
    CHECK_FALSE(ParseShape(bad).ok());
  }
}

TEST_CASE("parser: a layout after a blank, also of a shape that was read before") {
  auto module = Parse(
      "HloModule m\ne (x: f32[2,3], y: f32[2,3] {0,1}) -> f32[2,3] {\n x = f32[2,3] parameter(0)\n y = f32[2,3] {0,1} "
      "parameter(1)\n ROOT z = f32[2,3] add(x, y)\n}\n");
  CHECK(module->entry_computation()->parameter(0)->shape().layout().minor_to_major() == DimVector{1, 0});
  CHECK(module->entry_computation()->parameter(1)->shape().layout().minor_to_major() == DimVector{0, 1});
  module = ParseBody(" x = f32[2,3] parameter(0)\n ROOT t = (f32[2,3], f32[2,3] {0,1}) tuple(x, x)");
  CHECK(module->entry_computation()->root()->shape().tuple_shapes(1).layout().minor_to_major() == DimVector{0, 1});
  for (const std::string before_layout : {" ", "  ", "\n", "/*x*/", " /*x*/", " // x\n", "{/*x*/", " { /*x*/"}) {
    INFO(before_layout);
    const std::string brace = before_layout.find('{') == std::string::npos ? "{" : "";
    module = ParseBody("  x = f32[2,3] parameter(0)\n  y = f32[2,3] negate(x)\n  ROOT z = f32[2,3]" + before_layout +
                       brace + "0,1} negate(y)");
    CHECK(module->entry_computation()->root()->shape().layout().minor_to_major() == DimVector{0, 1});
  }
}

TEST_CASE("parser: the line of each instruction, however it is written") {
  auto module = Parse(
      "HloModule m\n"
      "%add (a: f32[], b: f32[]) -> f32[] {\n"
      "  %a = f32[] parameter(0)\n"
      "  %b = f32[] parameter(1)\n"
      "  ROOT %sum = f32[] add(%a, %b)\n"
      "}\n\n"
      "ENTRY %e {\n"
      "  %x = f32[2,3]{1,0} parameter(0)\n"
      "  %y = f32[2,3]{1,0} negate(%x)\n"
      "  %z = f32[2,3]{1,0}\n"
      "    negate(%y)\n"
      "  %zero = f32[] constant(\n    0)\n"
      "  %r = f32[2]{0} reduce(%z,\n %zero), dimensions={1},\n to_apply=%add\n"
      "  %s = f32[2]{0} reduce(%z, %zero), dimensions={1}, to_apply=%add\n"
      "  %t = f32[3,2]{1,0} transpose(%z), dimensions={1,0}\n"
      "  %u = f32[3,2]{1,0} transpose(%z), dimensions={1,0}\n"
      "  %v = f32[3,2]{1,0} transpose(%z), dimensions={1,0}, metadata={op_name=\"a\"\n}\n"
      "  %w = f32[3,2]{1,0} transpose(%z), dimensions={1,0}, metadata={op_name=\"a\"\n}\n"
      "\n"
      "  %q\n = f32[3,2]{1,0} add(%v, %w) // a comment\n"
      "  ROOT %p = f32[3,2]{1,0} add(%q, %u)\n"
      "}\n");
  std::string lines;
  for (const HloInstruction* i : module->AllInstructions()) {
    lines += std::string(i->name()) + ":" + std::to_string(i->line()) + " ";
  }
  CHECK(lines == "a:3 b:4 sum:5 x:9 y:10 z:11 zero:13 r:15 s:18 t:19 u:20 v:21 w:23 q:26 p:28 ");
}

TEST_CASE("parser: attributes that came before, with and without the calls after them") {
  const std::string start =
      "HloModule m\n%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n"
      "  ROOT %sum = f32[] add(%a, %b)\n}\n\nENTRY %e {\n  %x = f32[2,3]{1,0} parameter(0)\n  %zero = f32[] "
      "constant(0)\n"
      "  %r = f32[2]{0} reduce(%x, %zero), dimensions={1}, to_apply=%add\n"
      "  %s = f32[2]{0} reduce(%x, %zero), dimensions={1}, to_apply=%add, metadata={op_name=\"s\"}\n";
  auto module = Parse(start + "  ROOT %t = f32[2]{0} reduce(%x, %zero), to_apply=%add, dimensions={1}\n}\n");
  for (const char* name : {"r", "s", "t"}) {
    const HloInstruction& reduce = Find(*module, name);
    CHECK(reduce.dimensions() == DimVector{1});
    CHECK(reduce.to_apply()->name() == "add");
  }
  CHECK(Find(*module, "s").metadata()->op_name == "s");
  CHECK(module->computations()[0]->callers().size() == 3);
  CHECK(ErrorOf(start + "  ROOT %t = f32[2]{0} reduce(%x, %zero), dimensions={1}\n}\n")
            .find("needs the attribute to_apply") != std::string::npos);
  CHECK(ErrorOf(start + "  ROOT %t = f32[2]{0} reduce(%x, %zero), to_apply=%add\n}\n")
            .find("needs the attribute dimensions") != std::string::npos);
  CHECK(ErrorOf(start + "  ROOT %t = f32[2]{0} reduce(%x, %zero), dimensions={1}, to_apply=%add, dimensions={1}\n}\n")
            .find("appears twice") != std::string::npos);
}

TEST_CASE("parser: a layout's brace is none if a body's begins") {
  auto module = Parse("e () -> f32[] {\n  ROOT c = f32[] constant(1)\n}\n");
  CHECK(module->entry_computation()->name() == "e");
  CHECK(module->name() == "module_e");
}

TEST_CASE("parser: literals") {
  CHECK(Constant("s32[2,3]", "{ {1, 2, 3}, {4, 5, -6} }").data<int32_t>()[5] == -6);
  CHECK(Constant("s32[2,2]", "{{1 2} {3 4}}").data<int32_t>()[2] == 3);
  CHECK(Constant("s32[2,2]{0,1}", "{{1,2},{3,4}}").data<int32_t>()[1] == 2);
  CHECK(Constant("f32[1,1,1,2]", "{ /*i0=0*/ { /*i1=0*/ { {1, 2} } } }").data<float>()[1] == 2);
  CHECK(Constant("f32[0]", "{}").element_count() == 0);
  CHECK(Constant("f32[2,0]", "{}").element_count() == 0);
  CHECK(Constant("f32[2,0]", "{ {}, {} }").element_count() == 0);
  CHECK(Constant("pred[]", "true").data<bool>()[0]);
  CHECK(Constant("pred[3]", "{1, 0, true}").data<bool>()[2]);
  CHECK(Constant("u64[]", "18446744073709551615").data<uint64_t>()[0] == UINT64_MAX);
  CHECK(Constant("s64[]", "-9223372036854775808").data<int64_t>()[0] == INT64_MIN);
  CHECK(Constant("s4[2]", "{-8, 7}").data<int8_t>()[0] == -8);
  CHECK(Constant("u1[2]", "{0, 1}").data<uint8_t>()[1] == 1);
  CHECK(std::isinf(Constant("f32[]", "-inf").data<float>()[0]));
  CHECK(Constant("f64[]", "1e-400").data<double>()[0] == 0);
  CHECK(Constant("f64[]", "0.1").data<double>()[0] == 0.1);
  CHECK(Constant("bf16[]", "0.1001").data<BFloat16>()[0].bits == 0x3dcd);
  CHECK(Constant("f8e4m3fn[]", "448").data<SmallFloat<PrimitiveType::F8E4M3FN>>()[0].bits == 0x7e);
  CHECK(Constant("f4e2m1fn[]", "-6").data<SmallFloat<PrimitiveType::F4E2M1FN>>()[0].bits == 0xf);
  CHECK(Constant("c64[2]", "{(1, 2), (3, -inf)}").data<std::complex<float>>()[0] == std::complex<float>(1, 2));
  CHECK(Constant("c128[]", "(0.5, -1)").data<std::complex<double>>()[0].imag() == -1);
  const Literal tuple = Constant("(f32[2], (s32[], pred[]))", "( {1, 2}, ( 3, true ) )");
  CHECK(tuple.elements()[1].elements()[0].data<int32_t>()[0] == 3);
  // One number without braces is the first element.
  CHECK(Constant("f32[16]", "1.5").data<float>()[0] == 1.5f);
  CHECK(Constant("f32[16]", "1.5").data<float>()[15] == 0);
  // Dumps of 2017 to 2019 repeat the shape.
  CHECK(Constant("f32[2]", "f32[2]{0} {1, 2}").data<float>()[1] == 2);
  CHECK(Constant("f32[]", "f32[] 3").data<float>()[0] == 3);
  CHECK(Constant("f32[<=5]", "(2) {1, 2}").dynamic_sizes() == DimVector{2});
}

TEST_CASE("parser: NaN keeps its bits") {
  auto bits = [](const char* text) { return __builtin_bit_cast(uint32_t, Constant("f32[]", text).data<float>()[0]); };
  CHECK(bits("nan") == 0x7fc00000u);
  CHECK(bits("-nan") == 0xffc00000u);
  CHECK(bits("nan(0x200001)") == 0x7fa00001u);
  CHECK(bits("-nan(0x400001)") == 0xffc00001u);
  CHECK(Constant("bf16[]", "nan(0x1)").data<BFloat16>()[0].bits == 0x7f81);
  CHECK(Constant("f8e4m3fnuz[]", "nan").data<SmallFloat<PrimitiveType::F8E4M3FNUZ>>()[0].bits == 0x80);
  CHECK(Constant("f64[]", "nan(0x1)").data<double>()[0] != 0);
  // A complex number's real part, if it is NaN, is the imaginary one too.
  auto text = [](const char* text) { return Constant("c64[]", text).ToString(); };
  CHECK(text("(nan(0x200001), 1)") == "(nan(0x200001), nan(0x200001))");
  CHECK(text("(1, nan(0x200001))") == "(1, nan)");
  CHECK(text("(-inf, -nan)") == "(-inf, -nan)");
}

TEST_CASE("parser: elided constants") {
  CHECK(Constant("f32[2,3]", "{...}").elided());
  CHECK(Constant("(f32[2], s32[])", "{...}").elided());
  CHECK_FALSE(Constant("f32[2]", "{1, 2}").elided());
}

TEST_CASE("parser: an elided constant takes no memory, whatever its size") {
  const auto resident_pages = [] {
    int64_t total = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident;
  };
  const int64_t before = resident_pages();
  REQUIRE(before > 0);
  auto module = Parse("HloModule m\nENTRY e {\n ROOT c = f32[268435456] constant({...})\n}");
  auto copy = module->Clone();
  CHECK(copy->entry_computation()->root()->literal().element_count() == 268435456);
  CHECK(resident_pages() - before < 16384);  // of the 262144 that its elements would take
}

TEST_CASE("parser: literals with their shape") {
  CHECK(ParseLiteral("f32[2] {1, 2}")->data<float>()[1] == 2);
  CHECK(ParseLiteral("f32[2]{0} {1, 2}")->data<float>()[1] == 2);
  CHECK(ParseLiteral("f32[] 0.5")->data<float>()[0] == 0.5f);
  CHECK(ParseLiteral("(f32[] 1, s32[2] {2, 3})")->elements()[1].data<int32_t>()[1] == 3);
  CHECK(ParseLiteral("(f32[], s32[]) (1, 2)")->elements()[1].data<int32_t>()[0] == 2);
  CHECK_FALSE(ParseLiteral("f32[2] {1, 2} 3").ok());
}

TEST_CASE("parser: shardings") {
  auto parse = [](std::string_view text) {
    StatusOr<Sharding> sharding = ParseSharding(text);
    INFO(text << ": " << sharding.status().message());
    REQUIRE(sharding.ok());
    return *sharding;
  };
  using Kind = Sharding::Kind;
  CHECK(parse("{replicated}").kind == Kind::kReplicated);
  CHECK(parse("{manual}").kind == Kind::kManual);
  CHECK(parse("{maximal device=5}").devices.devices.at(0) == 5);
  const Sharding tiled = parse("{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}");
  CHECK(tiled.kind == Kind::kTiled);
  CHECK(tiled.replicate_on_last_tile_dim);
  CHECK(tiled.devices.devices.size() == 4);
  const Sharding iota =
      parse("{devices=[2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated} metadata={op_name=\"a\"}}");
  CHECK(iota.devices.iota_transpose_perm == DimVector{1, 0});
  CHECK(iota.last_tile_dims == std::vector<Kind>{Kind::kManual, Kind::kReplicated});
  CHECK(iota.metadata.size() == 1);
  CHECK(parse("{devices=[2]<=[2] shard_as 3}").shard_group_id == 3);
  CHECK(parse("{{replicated}, {maximal device=1}}").tuple_elements.size() == 2);
  CHECK(parse("{}").kind == Kind::kTuple);
  const Sharding named = parse("{mesh['x'=2,'y'=4], [{'x'}, {'y':(2)2, ?}], replicated={'z'}, unreduced=sum{'w'}}");
  CHECK(named.kind == Kind::kNamed);
  CHECK(named.mesh.axes.at(1).second == 4);
  CHECK(named.dimensions.at(1).open);
  CHECK(named.dimensions.at(1).axes.at(0).sub_axis_pre_size == 2);
  CHECK(named.unreduced_op == "sum");
  CHECK(parse("{mesh['x'=2] replicated}").named_kind == "replicated");
  CHECK(parse("{maximal_mesh[device_id=3]}").mesh.maximal_device_id == 3);
  for (const char* bad :
       {"{devices=[2]0}", "{devices=[0]}", "{devices=[2,2]<=[4]T(1,0)}", "{maximal}", "replicated", "{x}"}) {
    CHECK_FALSE(ParseSharding(bad).ok());
  }
}

TEST_CASE("parser: replica groups, windows, paddings, dim_labels") {
  CHECK(ParseReplicaGroups("{{0,1},{2,3}}")->groups.at(1).at(0) == 2);
  CHECK(ParseReplicaGroups("{}")->groups.empty());
  CHECK(ParseReplicaGroups("[2,4]<=[4,2]T(1,0)")->group_size == 4);
  CHECK(ParseReplicaGroups("mesh['x'=2,'y'=4], device_ids=(7,6,5,4,3,2,1,0) {'x','y':(1)2}")->axes.size() == 2);
  CHECK(ParseReplicaGroups("mesh['x'=2]{'x'}")->form == ReplicaGroups::Form::kMesh);
  const Window window =
      *ParseWindow("{size=3x2 stride=2x1 pad=1_1x0_-1 lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=0x1}");
  REQUIRE(window.size() == 2);
  CHECK(window[0].stride == 2);
  CHECK(window[1].padding_high == -1);
  CHECK(window[1].base_dilation == 2);
  CHECK(window[0].window_dilation == 2);
  CHECK(window[1].window_reversal);
  CHECK((*ParsePadding("0_0_1x-1_2"))[1].low == -1);
  CHECK((*ParsePadding("0_0_1x-1_2"))[0].interior == 1);
  const ConvDimensionNumbers dims = *ParseConvDimensionNumbers("b01f_01io->f01b");
  CHECK(dims.input_feature == 3);
  CHECK(dims.kernel_output_feature == 3);
  CHECK(dims.output_batch == 3);
  CHECK(dims.kernel_spatial == DimVector{0, 1});
}

TEST_CASE("parser: what any instruction may have") {
  auto module = ParseBody(R"(
  a = f32[2] parameter(0), parameter_replication={true}, sharding={devices=[2]0,1}, origin={{"x" {0}}},
    frontend_attributes={b="1",a={"k":[1,"}"]}}, statistics={visualizing_index=1,flops=33.5}
  ROOT b = f32[2] tanh(a), result_accuracy={tolerance={atol=0.5,rtol=0,ulps=2}},
    metadata={op_type="tanh" op_name="jit(f)/\"tanh\"" source_file="f.py" source_line=3 stack_frame_id=0},
    backend_config={"a": {"b": "}"}})");
  const HloInstruction& a = Find(*module, "a");
  CHECK(a.attributes<ParameterAttributes>().parameter_replication == BoolList{true});
  CHECK(a.sharding()->tile_dims == DimVector{2});
  CHECK(a.extras().original_value->leaf->second == ShapeIndex{0});
  REQUIRE(a.extras().frontend_attributes.size() == 2);
  CHECK(a.extras().frontend_attributes[0].first == "a");
  CHECK(a.extras().frontend_attributes[0].second == R"({"k":[1,"}"]})");
  CHECK(a.extras().statistics->values.at(0).second == 33.5);
  const HloInstruction& b = Find(*module, "b");
  CHECK(b.extras().result_accuracy->ulps == 2);
  CHECK(b.metadata()->op_name == "jit(f)/\"tanh\"");
  CHECK(b.metadata()->source_line == 3);
  CHECK(b.extras().backend_config == R"({"a": {"b": "}"}})");
}

TEST_CASE("parser: escapes of letters are UTF-8") {
  auto module = ParseBody(
      R"( ROOT a = f32[] parameter(0), metadata={op_name="\u007f \u0080 \u0416 \u07ff \u0800 \uffff \U00010000 \U0010ffff"})");
  CHECK(module->entry_computation()->root()->metadata()->op_name ==
        "\x7f \xc2\x80 \xd0\x96 \xdf\xbf \xe0\xa0\x80 \xef\xbf\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf");
}

TEST_CASE("parser: attributes that say again what another says") {
  const std::string add =
      "HloModule m\nadd { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n";
  // mode= implies channel_id and use_global_device_ids.
  const std::string reduce = add +
                             "ENTRY e { x = f32[] parameter(0)\n ROOT r = f32[] all-reduce(x), replica_groups={{0}}, "
                             "use_global_device_ids=true, to_apply=add";
  CHECK(ErrorOf(reduce + " }").find("use_global_device_ids needs a channel_id") != std::string::npos);
  CHECK(ErrorOf(reduce + ", mode=flattened_id }") == "");
  // Beside to_apply, called_computations are read and forgotten.
  auto module = Parse(add +
                      "ENTRY e { x = f32[] parameter(0)\n ROOT r = f32[] custom-call(x, x), custom_call_target=\"f\", "
                      "to_apply=add, called_computations={add} }");
  CHECK(module->entry_computation()->root()->called_computations().size() == 1);
}

TEST_CASE("parser: an op's attributes whose text comes again are shared until one changes") {
  const std::string begin = "HloModule m\nENTRY e {\n  x = f32[2,2] parameter(0)\n";
  std::string text = begin;
  const auto dimensions = [](int i) { return i % 3 == 0 ? "1,0" : "0,1"; };
  for (int i = 0; i < 12; ++i) {
    text += "  t" + std::to_string(i) + " = f32[2,2] transpose(x), dimensions={" + dimensions(i) + "}" +
            (i % 2 == 0 ? ", metadata={op_name=\"n\"}" : "") + "\n";
  }
  // The same text with something behind it, before it, and of another opcode.
  text +=
      "  d = f32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  g = f32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name=\"n\"}, "
      "operand_precision={high,high}\n"
      "  h = f32[2,2] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  r = f32[2,2] reverse(x), dimensions={1,0}\n"
      "  s = f32[2,2] reshape(x)\n  u = f32[2,2] reshape(x), inferred_dimension=1\n  v = f32[2,2] reshape(x)\n"
      "  b = f32[2,2] broadcast(x), dimensions={0,1}\n}";
  auto module = Parse(text);
  const auto at = [&](const std::string& name) { return module->entry_computation()->FindInstruction(name); };
  for (int i = 0; i < 12; ++i) {
    const HloInstruction& t = *at("t" + std::to_string(i));
    CHECK(t.dimensions() == (i % 3 == 0 ? DimVector{1, 0} : DimVector{0, 1}));
    CHECK(&t.dimensions() == &at("t" + std::to_string(i % 3 == 0 ? 0 : 1))->dimensions());
    CHECK((t.metadata() != nullptr) == (i % 2 == 0));
  }
  CHECK(&at("r")->dimensions() != &at("t0")->dimensions());
  CHECK(at("g")->attributes<DotAttributes>().operand_precision.size() == 2);
  CHECK(at("d")->attributes<DotAttributes>().operand_precision.empty());
  CHECK(&at("h")->attributes<DotAttributes>() == &at("d")->attributes<DotAttributes>());
  CHECK(at("u")->attributes<ReshapeAttributes>().inferred_dimension == 1);
  CHECK(at("v")->attributes<ReshapeAttributes>().inferred_dimension == -1);
  for (const char* name : {"t0", "t6"}) at(name)->mutable_attributes<DimensionsAttributes>().dimensions[0] = 7;
  CHECK(at("t3")->dimensions() == DimVector{1, 0});
  CHECK(at("t6")->dimensions() == DimVector{7, 0});

  const std::string known = begin + "  y = f32[2,2] reverse(x), dimensions={0}\n";
  const std::string twice = "  z = f32[2,2] reverse(x), dimensions={0}, metadata={op_name=\"n\"}, dimensions={0}\n}";
  CHECK(ErrorOf(known + twice).find("dimensions appears twice") != std::string::npos);
  // A broadcast of a scalar needs no dimensions; one of an array does.
  const std::string broadcast = "  c = f32[] constant(1)\n  y = f32[2] broadcast(c)\n  z = f32[2,2] broadcast(x)\n}";
  CHECK(ErrorOf(begin + broadcast).find("broadcast needs the attribute dimensions") != std::string::npos);
}

TEST_CASE("parser: frontend attributes are shared until one changes") {
  auto module = ParseBody(
      "  a = f32[] constant(1), frontend_attributes={k=\"v\"}\n"
      "  b = f32[] constant(2), frontend_attributes={k=\"v\"}, backend_config=\"x\"\n"
      "  c = f32[] constant(3), backend_config=\"y\", frontend_attributes={k=\"v\"}\n"
      "  d = f32[] constant(4), frontend_attributes={k=\"v\"}");
  const auto at = [&](const char* name) { return module->entry_computation()->FindInstruction(name); };
  const FrontendAttributes kept{{"k", "v"}};
  for (const char* name : {"a", "b", "c", "d"}) CHECK(at(name)->extras().frontend_attributes == kept);
  CHECK(at("a")->extras().backend_config.empty());
  CHECK(at("b")->extras().backend_config == "x");
  CHECK(at("c")->extras().backend_config == "y");
  CHECK(&at("a")->extras() == &at("d")->extras());
  HloInstruction* clone = module->entry_computation()->AddClone(*at("b"), {});
  CHECK(&clone->extras() == &at("b")->extras());
  at("b")->set_backend_config("z");
  at("a")->set_frontend_attributes({{"k", "w"}});
  CHECK(clone->extras().backend_config == "x");
  CHECK(at("d")->extras().frontend_attributes == kept);
  CHECK(at("a")->extras().frontend_attributes == FrontendAttributes{{"k", "w"}});
}

TEST_CASE("parser: each type by its name, and no other word") {
  for (int number = 0; number < 64; ++number) {
    const std::optional<PrimitiveType> type = PrimitiveTypeFromNumber(number);
    if (!type) continue;
    const std::string name(PrimitiveTypeName(*type));
    // Tuples and buffers have no word of their own.
    const bool has_word = *type != PrimitiveType::TUPLE && *type != PrimitiveType::BUFFER;
    CHECK((ParsePrimitiveType(name) == type) == has_word);
    for (size_t i = 0; i <= name.size(); ++i) {
      CHECK_FALSE(ParsePrimitiveType(std::string(name).insert(i, 1, 'x')).has_value());
      if (i < name.size()) CHECK_FALSE(ParsePrimitiveType(std::string(name).replace(i, 1, "x")).has_value());
    }
  }
  CHECK_FALSE(ParsePrimitiveType("").has_value());
  CHECK_FALSE(ParsePrimitiveType("\xff").has_value());
}

TEST_CASE("parser: a layout names each of many dimensions once") {
  for (int rank : {63, 64, 65, 128, 130}) {
    std::string sizes, reversed;
    for (int i = 0; i < rank; ++i) {
      sizes += i == 0 ? "1" : ",1";
      reversed += (i == 0 ? "" : ",") + std::to_string(rank - 1 - i);
    }
    const auto shape = ParseShape("f32[" + sizes + "]{" + reversed + "}");
    REQUIRE(shape.ok());
    CHECK(shape->layout().minor_to_major()[0] == rank - 1);
    const std::string twice = reversed.substr(0, reversed.size() - 1) + "1";
    CHECK_FALSE(ParseShape("f32[" + sizes + "]{" + twice + "}").ok());
  }
}

TEST_CASE("parser: stack frames, however their fields are written") {
  const auto module = Parse(R"(HloModule m

FileNames
1 "a.py"
2 "b.py"
3 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=5}
2 {line=7, file_name_id=3, function_name_id=1, end_line=7, column=1, end_column=5}
3 {file_name_id=2 function_name_id=1 line=8}
4 { file_name_id=2function_name_id=1 line=8 end_line= 9 column=2 end_column=3 }

StackFrames
1 {file_location_id=1 parent_frame_id=0}
2 {parent_frame_id=0 file_location_id=2}
3 {file_location_id=3 parent_frame_id=2}
4 {file_location_id=4}

ENTRY e {
  a = f32[] constant(1), metadata={stack_frame_id=1}
  b = f32[] constant(1), metadata={stack_frame_id=2}
  c = f32[] constant(1), metadata={stack_frame_id=3}
  ROOT d = f32[] constant(1), metadata={stack_frame_id=4}
}
)");
  using Location = StackFrameIndex::FileLocation;
  const StackFrameIndex& frames = module->config().stack_frames;
  CHECK(frames.file_names == std::vector<std::string>{"a.py", "b.py"});
  // The first two are equal: contents count, not positions.
  CHECK(frames.file_locations == std::vector<Location>{{1, 1, 7, 7, 1, 5}, {2, 1, 8, 0, 0, 0}, {2, 1, 8, 9, 2, 3}});
  const auto frame = [&](const char* name) { return Find(*module, name).metadata()->stack_frame_id; };
  CHECK(frame("a") == frame("b"));
  CHECK(frames.stack_frames.size() == 3);
  CHECK(frames.stack_frames[static_cast<size_t>(frame("c") - 1)].file_location_id == 2);
  CHECK(frames.stack_frames[static_cast<size_t>(frame("d") - 1)].file_location_id == 3);
}

TEST_CASE("parser: stack frames") {
  auto module = Parse(R"(HloModule m

FileNames
1 "a.py"
2 "b.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=2 function_name_id=1 line=7 end_line=7 column=1 end_column=5}

StackFrames
1 {file_location_id=1 parent_frame_id=0}

ENTRY e {
  ROOT c = f32[] constant(1), metadata={stack_frame_id=1}
}
)");
  const StackFrameIndex& frames = module->config().stack_frames;
  REQUIRE(frames.stack_frames.size() == 1);
  const auto& location = frames.file_locations.at(static_cast<size_t>(frames.stack_frames[0].file_location_id - 1));
  CHECK(location.line == 7);
  CHECK(frames.file_names.at(static_cast<size_t>(location.file_name_id - 1)) == "b.py");
}

TEST_CASE("parser: names are unique in the module") {
  // As XLA makes them so: inline bodies are complete, and named, before the computation around them.
  auto module = Parse(R"(HloModule m
ENTRY e {
  p0 = f32[4] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[] reduce(p0, z), dimensions={0}, to_apply={
    p0 = f32[] parameter(0)
    p1 = f32[] parameter(1)
    ROOT s = f32[] add(p0, p1)
  }
}
)");
  REQUIRE(module->computation_count() == 2);
  CHECK(module->computations()[0]->name() == "_");
  CHECK(module->computations()[0]->parameter(0)->name() == "p0");
  CHECK(module->entry_computation()->parameter(0)->name() == "p0.1");
  CHECK(module->entry_computation()->root()->operand(0) == module->entry_computation()->parameter(0));

  module = Parse(
      "HloModule m\nENTRY e {\n a = f32[] parameter(0)\n ROOT c = f32[] call(a), to_apply={\n  a = f32[] parameter(0)\n"
      "  ROOT c = f32[] call(a), to_apply={\n   ROOT a = f32[] parameter(0)\n  }\n }\n}");
  REQUIRE(module->computation_count() == 3);
  CHECK(module->computations()[0]->name() == "_");
  CHECK(module->computations()[1]->name() == "_.1");
  CHECK(module->computations()[1]->root()->called_computations()[0] == module->computations()[0]);

  module = Parse(
      "HloModule m\nf {\n x = f32[] parameter(0)\n}\nENTRY e {\n x = f32[] parameter(0)\n x.1 = f32[] call(x), "
      "to_apply=f\n}");
  CHECK(module->entry_computation()->parameter(0)->name() == "x.1");
  CHECK(module->entry_computation()->root()->name() == "x.2");
}

TEST_CASE("parser: an operand is known by its whole name, in its own computation") {
  const auto module = Parse(R"(HloModule m
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT %r = f32[] add(%x, %y)
}
ENTRY e {
  %r = f32[4] parameter(0)
  %r.1 = f32[4] negate(%r)
  %r.12 = f32[4] negate(%r.1)
  %r.1x = f32[4] add(%r.12, %r.1)
  z = f32[] constant(0)
  %true = f32[] reduce(%r, z), dimensions={0}, to_apply={
    x = f32[] parameter(0)
    y = f32[] parameter(1)
    ROOT %r = f32[] add(%x, %y)
  }
  %s = (f32[4], f32[]) tuple(%r, %true)
  %g = f32[4] negate(%s#0)
  ROOT %t = f32[4] add(%g , %g)
})");
  const HloComputation& entry = *module->entry_computation();
  const auto operand = [](const HloInstruction* i, int64_t k) { return i->operand(k); };
  const HloInstruction* const r = entry.parameter(0);
  const HloInstruction* const r1 = r->next();
  const HloInstruction* const r12 = r1->next();
  const HloInstruction* const r1x = r12->next();
  CHECK(operand(r1, 0) == r);
  CHECK(operand(r12, 0) == r1);
  CHECK(operand(r1x, 0) == r12);
  CHECK(operand(r1x, 1) == r1);
  const HloInstruction* const tuple = r1x->next()->next()->next();
  REQUIRE(tuple->opcode() == HloOpcode::kTuple);
  CHECK(operand(tuple, 0) == r);  // not the one of the body in place
  CHECK(operand(tuple, 1) == tuple->prev());
  CHECK(entry.root()->operand(0) == entry.root()->operand(1));
  CHECK(entry.root()->operand(0)->operand(0)->opcode() == HloOpcode::kGetTupleElement);
  CHECK(ErrorOf("HloModule m\na {\n r = f32[] constant(0)\n}\nENTRY e {\n %s = f32[] negate(%r)\n}\n")
            .starts_with("<text>:6:20: error: instruction 'r' is not defined"));
}

// The printed form of a line is read on a path of its own. Blanks that change nothing lead to the general path, which
// must give the same module, or the same error in the same line, whichever byte of the text is another.
TEST_CASE("parser: the printed form of a line means what any other form does") {
  const std::string printed = R"(HloModule m

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum.1 = f32[] add(%a, %b)
}

ENTRY %e (p: f32[4,4], q.01: f32[4,4]) -> f32[4] {
  %p = f32[4,4]{1,0} parameter(0), metadata={op_name="p"}
  %q.01 = f32[4,4]{1,0} parameter(1)
  %zero = f32[] constant(0)
  %dynamic-update = f32[4,4]{1,0} add(%p, %q.01), metadata={op_name="a/b" stack_frame_id=3}
  %transpose.1 = f32[4,4]{0,1} transpose(%dynamic-update), dimensions={1,0}, metadata={op_name="a/b" stack_frame_id=3}
  %transpose.2 = f32[4,4]{0,1} transpose(%p), dimensions={1,0}
  %t = (f32[4,4]{0,1}, f32[4,4]{0,1}) tuple(%transpose.1, %transpose.2)
  %get = f32[4,4]{0,1} get-tuple-element(%t), index=1
  ROOT %reduce = f32[4]{0} reduce(%get, %zero), dimensions={1}, to_apply=%sum
}
)";
  const auto with_blanks = [](std::string text) {
    for (const auto& [from, to] :
         {std::pair{" = ", "  = "}, {"(%", "( %"}, {", %", ",  %"}, {", metadata", " , metadata"}}) {
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += std::string_view(to).size())
        text.replace(at, std::string_view(from).size(), to);
    }
    return text;
  };
  const auto outcome = [](const std::string& text) {
    const StatusOr<std::unique_ptr<HloModule>> module = ParseModule(text);
    if (module.ok()) return PrintModule(**module);
    const std::string& message = module.status().message();  // "<text>:LINE:COLUMN: error: …", source, caret
    const size_t line = message.find(':'), column = message.find(':', line + 1), end = message.find(':', column + 1);
    return message.substr(0, column) + message.substr(end, message.find('\n') - end);
  };
  CHECK(outcome(printed).starts_with("HloModule"));
  size_t differing = 0;
  const size_t body = printed.find("ENTRY");
  for (size_t at = body; at < printed.size(); ++at) {
    for (const char c : std::string_view("%,() =#:{}0a.\n/-\x80\0", 18)) {
      std::string text = printed;
      text[at] = c;
      const std::string usual = outcome(text), other = outcome(with_blanks(text));
      if (usual != other && differing++ < 5) {
        INFO(text);
        CHECK(usual == other);
      }
    }
  }
  CHECK(differing == 0);
}

TEST_CASE("parser: each instruction knows its line") {
  // More newlines in a row than a byte counts in any of 16 columns, and each number of bytes between two lines.
  for (int lines : {1, 2, 15, 16, 17, 254, 255, 256, 300, 5000}) {
    std::string text = "HloModule m\nENTRY e {" + std::string(static_cast<size_t>(lines), '\n');
    for (int k = 0; k < 40; ++k)
      text += "p" + std::to_string(k) + " = s32[] constant(1)" + std::string(static_cast<size_t>(k), ' ') + "\n";
    const auto module = Parse(text + "}");
    int line = lines + 1;
    for (const HloInstruction* i = module->entry_computation()->first(); i != nullptr; i = i->next())
      CHECK(i->line() == ++line);
  }
}

TEST_CASE("parser: escapes wherever they stand") {
  for (size_t size = 0; size < 40; ++size) {
    for (size_t at = 0; at <= size; ++at) {
      for (const char special : {'"', '\'', '\\', '\n', '\x01', '\x80'}) {
        std::string name(size, 'a');
        name.insert(at, 1, special);
        const auto parsed = ParseBody("ROOT c = s32[] constant(1), metadata={op_name=\"x\"}");
        OpMetadata metadata;
        metadata.op_name = name;
        parsed->entry_computation()->root()->set_metadata(metadata);
        const auto again = Parse(PrintModule(*parsed));
        CHECK(again->entry_computation()->root()->metadata()->op_name == name);
      }
    }
  }
}

TEST_CASE("parser: what stands around an inline body has its names again behind it") {
  auto module = ParseBody(
      " x = f32[4] parameter(0)\n z = f32[] constant(0)\n r = f32[] reduce(x, z), dimensions={0}, to_apply={ x = f32[] "
      "parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }\n ROOT n = f32[4] negate(x)");
  CHECK(module->entry_computation()->root()->operand(0) == module->entry_computation()->parameter(0));
}

TEST_CASE("parser: a name's number counts, not how it is written") {
  // x.01 is x.1; the next of that name gets the first number that is free, 0, as in XLA.
  auto module = ParseBody(" x.01 = f32[] parameter(0)\n x.1 = f32[] negate(x.01)\n ROOT x.2 = f32[] add(x.1, x.01)");
  const HloComputation& entry = *module->entry_computation();
  CHECK(entry.parameter(0)->name() == "x.1");
  CHECK(entry.root()->operand(0)->name() == "x.0");
  CHECK(entry.root()->name() == "x.2");
  CHECK(entry.root()->operand(1) == entry.parameter(0));
}

TEST_CASE("parser: operands in place, and elements of tuples") {
  auto module = ParseBody(R"(
  t = (f32[2], (f32[2], s32[])) parameter(0)
  ROOT r = f32[2] add(f32[2] negate(t#1#0), multiply(t#0, t#0)))");
  const HloInstruction* r = module->entry_computation()->root();
  CHECK(r->operand(0)->opcode() == HloOpcode::kNegate);
  CHECK(r->operand(0)->name() == "negate.anon");
  CHECK(r->operand(0)->operand(0)->tuple_index() == 0);
  CHECK(r->operand(0)->operand(0)->operand(0)->tuple_index() == 1);
  // The same element twice is one instruction; a shape left out is inferred.
  CHECK(r->operand(1)->operand(0) == r->operand(1)->operand(1));
  CHECK(r->operand(1)->shape() == r->shape());
}

TEST_CASE("parser: shapes left out are inferred") {
  auto module = ParseBody("  a = f32[2,3] parameter(0)\n  b = transpose(a), dimensions={1,0}\n  ROOT t = tuple(b, a)");
  CHECK(module->entry_computation()->root()->shape().tuple_shapes(0).dimensions() == DimVector{3, 2});
  // reduce has the type of its computation's result, reduce-window that of its initial value.
  module = Parse(
      "HloModule m\nadd {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = f32[] add(x, y)\n}\n"
      "ENTRY e {\n a = f32[4] parameter(0)\n z = bf16[] constant(0)\n r = reduce(a, z), dimensions={0}, to_apply=add\n"
      " w = reduce-window(a, z), window={size=2}, to_apply=add\n ROOT t = tuple(r, w)\n}");
  CHECK(module->entry_computation()->root()->shape().tuple_shapes(0) == Shape::Scalar(PrimitiveType::F32));
  CHECK(module->entry_computation()->root()->shape().tuple_shapes(1) == Shape::Array(PrimitiveType::BF16, {3}));
}

TEST_CASE("parser: async sugar") {
  auto module = ParseBody(R"(
  a = f32[2] parameter(0)
  s = ((f32[2]), f32[2], s32[]) exponential-start(a), async_execution_thread="dma"
  u = ((f32[2]), f32[2], s32[]) exponential-update(s)
  ROOT d = f32[2] exponential-done(u))");
  const HloInstruction& s = Find(*module, "s");
  CHECK(s.opcode() == HloOpcode::kAsyncStart);
  REQUIRE(s.called_computations().size() == 1);
  CHECK(s.called_computations()[0]->root()->opcode() == HloOpcode::kExp);
  CHECK(s.called_computations()[0]->execution_thread() == "dma");
  CHECK(module->entry_computation()->root()->opcode() == HloOpcode::kAsyncDone);
  // Natively asynchronous instructions are not sugar.
  module = ParseBody("  a = f32[2] parameter(0)\n  ROOT s = (f32[2], f32[2], u32[]) copy-start(a)");
  CHECK(module->entry_computation()->root()->opcode() == HloOpcode::kCopyStart);
}

TEST_CASE("parser: one instruction is a module") {
  auto module = Parse("ROOT %r = f32[4] add(f32[4] %a, f32[4] %b)");
  CHECK(module->entry_computation()->parameter_count() == 2);
  CHECK(module->entry_computation()->parameter(1)->name() == "b");
  module = Parse("f32[4] negate(f32[4])");
  CHECK(module->entry_computation()->root()->name() == "_");
  CHECK_FALSE(ParseModule("r = f32[4] add(f32[4] a, b)").ok());
}

TEST_CASE("parser: several modules") {
  const std::string one = "HloModule a\nENTRY e {\n  ROOT c = f32[] constant(1)\n}\n";
  CHECK_FALSE(ParseModule(one + one).ok());
  CHECK(ParseModules(one + one)->size() == 2);
  const std::string bare = "ENTRY e {\n  ROOT c = f32[] constant(1)\n}\n";
  auto modules = ParseModules(bare + "// -----\n" + bare);
  INFO(modules.status().message());
  REQUIRE(modules.ok());
  CHECK(modules->size() == 2);
  CHECK((*modules)[1]->entry_computation()->root()->name() == "c");
}

TEST_CASE("parser: of several modules, none has anything from the one before") {
  const std::string first = R"(HloModule a, replica_count=2

FileNames
1 "x.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

f {
  a = f32[] parameter(0)
  ROOT add = f32[] add(a, a), metadata={op_name="one" stack_frame_id=1}
}

ENTRY main {
  p = f32[] parameter(0)
  ROOT add = f32[] call(p), to_apply=f, sharding={replicated}
}
)";
  const std::string second = R"(ENTRY main {
  p = f32[] parameter(0)
  ROOT add = f32[] negate(p), metadata={op_name="two" stack_frame_id=1}
}
)";
  const std::string alone = PrintModule(*Parse(second));
  CHECK(alone.find("stack_frame_id") == std::string::npos);
  auto modules = ParseModules(first + "\n// -----\n\n" + second);
  REQUIRE(modules.status().message() == "");
  REQUIRE(modules->size() == 2);
  CHECK(PrintModule(*(*modules)[0]) == PrintModule(*Parse(first)));
  CHECK(PrintModule(*(*modules)[1]) == alone);
}

TEST_CASE("parser: a sharding keeps the texts of its metadata") {
  StatusOr<Sharding> sharding = InvalidArgument("not read yet");
  {
    std::string text = R"({replicated metadata={op_name="a\tb" source_file="f.py"}})";
    sharding = ParseSharding(text);
    std::fill(text.begin(), text.end(), '?');
  }
  REQUIRE(sharding.status().message() == "");
  CHECK(sharding->metadata.at(0).op_name == "a\tb");
  CHECK(sharding->metadata.at(0).source_file == "f.py");
}

TEST_CASE("parser: dialect of 2017") {
  auto module = Parse(R"(HloModule axpy_module:
ENTRY %axpy.v5 (alpha: f32[], x: f32[2,4], y: f32[2,4]) -> f32[2,4] {
  %alpha = f32[] parameter(0)
  %broadcast = f32[2,4]{1,0} broadcast(f32[] %alpha), dimensions={}
  %x = f32[2,4]{1,0} parameter(1)
  %multiply = f32[2,4]{1,0} multiply(f32[2,4]{1,0} %broadcast, f32[2,4]{1,0} %x)
  %y = f32[2,4]{1,0} parameter(2)
  ROOT %add = f32[2,4]{1,0} add(f32[2,4]{1,0} %multiply, f32[2,4]{1,0} %y)
}
)");
  CHECK(module->name() == "axpy_module");
  CHECK(module->entry_computation()->parameter_count() == 3);
}

TEST_CASE("parser: unknown attributes") {
  const std::string text =
      "HloModule m, new_thing={a=1}\nENTRY e {\n  ROOT c = f32[] constant(1), shiny={x, {y}}, "
      "metadata={op_name=\"n\"}\n}";
  CHECK(ErrorOf(text).find("modules have no attribute 'new_thing'") != std::string::npos);
  ParserOptions options;
  options.allow_unknown = true;
  auto module = Parse(text, options);
  CHECK(module->config().unknown_attributes.at(0).second == "{a=1}");
  const HloInstruction& c = *module->entry_computation()->root();
  CHECK(c.extras().unknown_attributes.at(0).first == "shiny");
  CHECK(c.extras().unknown_attributes.at(0).second == "{x, {y}}");
  CHECK(c.metadata()->op_name == "n");
}

TEST_CASE("parser: unknown opcodes") {
  const std::string text = R"(HloModule m, entry_computation_layout={(f32[2]{0})->(f32[2]{0}, f32[3]{0})}

%helper (x: f32[]) -> f32[] {
  ROOT %x = f32[] parameter(0)
}

ENTRY %e (p: f32[2]) -> (f32[2], f32[3]) {
  %p = f32[2]{0} parameter(0)
  %f = f32[3]{0} fold-up(%p, %p), ways={2,3}, to_apply=%helper, mode=deep, metadata={op_name="n"}
  ROOT %t = (f32[2]{0}, f32[3]{0}) tuple(%p, %f)
}

)";
  CHECK(ErrorOf(text).find("unknown opcode 'fold-up'") != std::string::npos);
  ParserOptions options;
  options.allow_unknown = true;
  auto module = Parse(text, options);
  CHECK(PrintModule(*module) == text);
  CHECK(PrintModule(*module->Clone()) == text);
  const HloInstruction& f = *module->entry_computation()->FindInstruction("f");
  CHECK(f.HasSideEffect());
  CHECK(f.metadata()->op_name == "n");
  CHECK(module->FindComputation("helper")->callers().size() == 1);
  StatusOr<std::unique_ptr<HloModule>> shapeless =
      ParseModule("ENTRY e {\n  p = f32[] parameter(0)\n  ROOT f = fold(p)\n}", options);
  REQUIRE_FALSE(shapeless.ok());
  CHECK(shapeless.status().message().find("its shape must stand before it") != std::string::npos);
  // Within an async op it is not printed as `fold-start`, which would be another unknown opcode.
  const std::string async =
      "f {\n  p = f32[] parameter(0)\n  ROOT f = f32[] fold(p), by=1\n}\nENTRY e {\n  p = f32[] parameter(0)\n"
      "  s = ((f32[]), f32[], u32[]) async-start(p), calls=f\n  ROOT d = f32[] async-done(s)\n}";
  CHECK(PrintModule(*Parse(PrintModule(*Parse(async, options)), options)) == PrintModule(*Parse(async, options)));
  CHECK(ErrorOf("ENTRY e {\n  p = f32[] parameter(0)\n  ROOT f = f32[] fold(p), by=\"x\n}", options)
            .find("expected an attribute's value, found an unterminated string") != std::string::npos);
}

TEST_CASE("parser: layouts are filled, or left out") {
  const std::string text = "HloModule m\nENTRY e {\n  ROOT p = f32[2,3] parameter(0)\n}";
  CHECK(Parse(text)->entry_computation()->root()->shape().layout().minor_to_major() == DimVector{1, 0});
  ParserOptions options;
  options.fill_missing_layouts = false;
  CHECK_FALSE(Parse(text, options)->entry_computation()->root()->shape().has_layout());
}

TEST_CASE("parser: limits") {
  auto repeat = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  constexpr int kDeep = 1000000;
  const std::string head = "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  y = ";
  for (const std::string& text :
       {head + repeat("(", kDeep), head + repeat("b(", kDeep), head + "f32[] " + repeat("negate(", kDeep),
        head + "f32[] negate(x), sharding=" + repeat("{", kDeep),
        head + "f32[] negate(x), origin={" + repeat("(", kDeep), head + "f32[1]{0:" + repeat("P(f32[1]{0:", kDeep),
        head + "f32[] custom-call(), custom_call_target=\"\", literal=" + repeat("(", kDeep),
        head + "f32[] " + repeat("call(), to_apply={ a = f32[] ", kDeep)}) {
    StatusOr<std::unique_ptr<HloModule>> module = ParseModule(text);
    REQUIRE_FALSE(module.ok());
    CHECK(module.status().message().find("nested too deeply") != std::string::npos);
  }
  // Nothing is allocated for elements that are not there.
  CHECK(ErrorOf("HloModule m\nENTRY e {\n  x = f32[99999999999] constant({1})\n}").find("over the limit") !=
        std::string::npos);
  CHECK(ErrorOf("HloModule m\nENTRY e {\n  x = f32[999999] constant({1})\n}").find("the text ends before") !=
        std::string::npos);
  ParserOptions few;
  few.max_instructions = 1;
  CHECK(
      ErrorOf("HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  y = f32[] negate(x)\n}", few).find("more than 1") !=
      std::string::npos);
}

TEST_CASE("parser: any bytes give an error, not a crash") {
  const std::string text =
      "HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\nENTRY e {\n  a = f32[2]{0:T(8)} parameter(0), "
      "sharding={devices=[2]<=[2]}, metadata={op_name=\"x\\\"y\"}\n  c = f32[2] constant({1, nan(0x1)})\n"
      "  ROOT r = f32[2] add(a, c), backend_config={\"a\":{}}\n}\n";
  REQUIRE(ParseModule(text).ok());
  for (size_t i = 0; i < text.size(); ++i) {
    // Cut off, or with one byte another: whichever comes of it, it ends.
    CHECK_FALSE((i > 0 && i < text.size() - 2 && ParseModule(text.substr(0, i)).ok()));
    for (char c : {'\0', '{', '}', '(', '"', '\xff', '9', '-'}) {
      std::string changed = text;
      changed[i] = c;
      Status status = ParseModule(changed).status();
      CHECK((status.ok() || status.message().find(": error: ") != std::string::npos));
    }
  }
}

TEST_CASE("parser: an error's form") {
  ParserOptions options;
  options.file_name = "f.hlo";
  CHECK(ErrorOf("HloModule m\nENTRY e {\n\tROOT x = f32[] negate(y)\n}\n", options) ==
        "f.hlo:3:24: error: instruction 'y' is not defined\n\tROOT x = f32[] negate(y)\n\t                      ^");
}

// tests/parse_errors/NAME.hlo: the line at fault ends in `// error: WORDS`, which the message must have.
TEST_CASE("parser: texts that are refused") {
  for (const std::filesystem::path& path : FilesIn(std::string(kTestsFolder) + "/parse_errors")) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    int number = 0, expected_line = 0;
    std::string line, words;
    while (std::getline(text, line)) {
      ++number;
      const size_t at = line.find("// error: ");
      if (at == std::string::npos) continue;
      expected_line = number;
      words = line.substr(at + 10);
    }
    INFO(path);
    REQUIRE(expected_line > 0);
    ParserOptions options;
    options.file_name = "f";
    const std::string message = ErrorOf(text.str(), options);
    INFO(message);
    CHECK(message.rfind("f:" + std::to_string(expected_line) + ":", 0) == 0);
    CHECK(message.find(words) != std::string::npos);
  }
}

}  // namespace
}  // namespace hloir
