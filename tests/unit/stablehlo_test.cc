// hloir/stablehlo.h: StableHLO in its pretty and its generic form, its conversion, errors for unknown ops, and
// robustness against arbitrary bytes. Whole programs are compared with XLA's conversion in "the corpus's programs",
// below.
#include "hloir/stablehlo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "hloir/executable.h"
#include "hloir/inspect.h"
#include "hloir/io.h"
#include "hloir/parser.h"
#include "hloir/printer.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"
#include "tests/unit/parse.h"

using namespace hloir;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<HloModule> Read(std::string_view text) {
  auto module = ParseStablehlo(std::string(text));
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  const Status legal = VerifyModule(**module);
  INFO(legal.message());
  REQUIRE(legal.ok());
  return *std::move(module);
}

// The only function, with that body; it returns every result.
std::string Function(std::string_view arguments, std::string_view results, std::string_view body) {
  return "module @m {\n  func.func public @main(" + std::string(arguments) + ") -> " + std::string(results) + " {\n" +
         std::string(body) + "  }\n}\n";
}

void CheckSame(const HloModule& got, const HloModule& expected) {
  INFO(PrintModule(got, PrintOptions::Readable()));
  CHECK(ModuleDiff(got, expected).same());
}

std::string ErrorOf(std::string_view text) {
  auto module = ParseStablehlo(std::string(text));
  REQUIRE(!module.ok());
  return module.status().message().substr(0, module.status().message().find('\n'));
}

constexpr std::string_view kPretty = R"(#loc1 = loc("x")
module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> loc("x"), %arg1: tensor<3xi32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.convert %arg1 : (tensor<3xi32>) -> tensor<3xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.compare GT, %arg0, %1, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %3 = stablehlo.select %2, %arg0, %1 : tensor<2x3xi1>, tensor<2x3xf32> loc(#loc1)
    %4 = call @square(%3) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  }
  func.func private @square(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = chlo.square %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
)";

constexpr std::string_view kGeneric = R"("builtin.module"() <{sym_name = "jit_f"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x3xf32>, %arg1: tensor<3xi32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.convert"(%arg1) : (tensor<3xi32>) -> tensor<3xf32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xf32>) -> tensor<2x3xf32>
    %3 = "stablehlo.compare"(%arg0, %2) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %4 = "stablehlo.select"(%3, %arg0, %2) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = "func.call"(%4) <{callee = @square}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %6 = "stablehlo.reduce"(%5, %0) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %7 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%7) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    "func.return"(%6) : (tensor<2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "square", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<2x3xf32>):
    %0 = "chlo.square"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%0) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
)";

constexpr std::string_view kExpected = R"(HloModule jit_f

add { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b) }
square { x = f32[2,3] parameter(0)
         ROOT y = f32[2,3] multiply(x, x) }
ENTRY main {
  x = f32[2,3] parameter(0)
  n = s32[3] parameter(1)
  f = f32[3] convert(n)
  b = f32[2,3] broadcast(f), dimensions={1}
  p = pred[2,3] compare(x, b), direction=GT
  s = f32[2,3] select(p, x, b)
  y = f32[2,3] call(s), to_apply=square
  zero = f32[] constant(0)
  ROOT r = f32[2] reduce(y, zero), dimensions={1}, to_apply=add
}
)";

}  // namespace

TEST_CASE("both forms of StableHLO give XLA's module") {
  CheckSame(*Read(kPretty), *Parse(kExpected));
  CheckSame(*Read(kGeneric), *Parse(kExpected));
  CHECK(Read(kPretty)->name() == "jit_f");
}

TEST_CASE("instructions have the lines of their ops, and the names from their locations") {
  const auto module = Read(kPretty);
  for (const HloInstruction* i : module->entry_computation()->PostOrder()) {
    if (i->opcode() != HloOpcode::kSelect) continue;
    CHECK(i->line() == 8);
    REQUIRE(i->metadata() != nullptr);
    CHECK(i->metadata()->op_name == "x");
  }
}

TEST_CASE("dense constants") {
  const auto value = [](std::string_view constant, std::string_view type) {
    const std::string text = Function("", std::string(type),
                                      "    %0 = stablehlo.constant dense<" + std::string(constant) +
                                          "> : " + std::string(type) + "\n    return %0 : " + std::string(type) + "\n");
    const auto module = Read(text);
    auto executable = PrepareExecutable(*module);
    REQUIRE(executable.ok());
    auto result = (*executable)->Run({});
    REQUIRE(result.ok());
    return result->ToString();
  };
  CHECK(value("[[1.5, -2.0], [3.0, 0x7F800000]]", "tensor<2x2xf32>") == "{ { 1.5, -2 }, { 3, inf } }");
  CHECK(value("7", "tensor<3xi32>") == "{7, 7, 7}");
  CHECK(value("\"0x01000000FFFFFFFF\"", "tensor<2xi32>") == "{1, -1}");
  CHECK(value("\"0x0000803F\"", "tensor<3xf32>") == "{1, 1, 1}");
  CHECK(value("[true, false]", "tensor<2xi1>") == "{1, 0}");
  CHECK(value("\"0x010001\"", "tensor<3xi1>") == "{1, 0, 1}");
  CHECK(value("(1.0, -2.0)", "tensor<complex<f32>>") == "(1, -2)");
  CHECK(value("", "tensor<0xf32>") == "{}");
  CHECK(value("0x3F80", "tensor<bf16>") == "1");
  CHECK(value("18446744073709551615", "tensor<ui64>") == "18446744073709551615");
}

TEST_CASE("loops capture what they pass on, and branches what they use") {
  const auto module = Read(Function("%arg0: tensor<f32>, %arg1: tensor<i32>", "tensor<f32>", R"(
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:3 = stablehlo.while(%a = %arg0, %i = %c, %n = %arg1) : tensor<f32>, tensor<i32>, tensor<i32>
    cond {
      %2 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_0 = stablehlo.constant dense<1> : tensor<i32>
      %2 = stablehlo.add %i, %c_0 : tensor<i32>
      %3 = stablehlo.sine %a : tensor<f32>
      stablehlo.return %3, %2, %n : tensor<f32>, tensor<i32>, tensor<i32>
    }
    %1 = "stablehlo.case"(%arg1) ({
      %2 = stablehlo.add %0#0, %arg0 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }, {
      stablehlo.return %0#0 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %1 : tensor<f32>
)"));
  CheckSame(*module, *Parse(R"(HloModule m
condition { t = (f32[], s32[], s32[]) parameter(0)
            unused = f32[] get-tuple-element(t), index=0
            i = s32[] get-tuple-element(t), index=1
            n = s32[] get-tuple-element(t), index=2
            ROOT p = pred[] compare(i, n), direction=LT }
body { t = (f32[], s32[], s32[]) parameter(0)
       a = f32[] get-tuple-element(t), index=0
       s = f32[] sine(a)
       i = s32[] get-tuple-element(t), index=1
       one = s32[] constant(1)
       j = s32[] add(i, one)
       n = s32[] get-tuple-element(t), index=2
       ROOT r = (f32[], s32[], s32[]) tuple(s, j, n) }
first { t = (f32[], f32[]) parameter(0)
        a = f32[] get-tuple-element(t), index=0
        b = f32[] get-tuple-element(t), index=1
        ROOT s = f32[] add(a, b) }
second { ROOT a = f32[] parameter(0) }
ENTRY main {
  x = f32[] parameter(0)
  n = s32[] parameter(1)
  zero = s32[] constant(0)
  t = (f32[], s32[], s32[]) tuple(x, zero, n)
  w = (f32[], s32[], s32[]) while(t), condition=condition, body=body
  a = f32[] get-tuple-element(w), index=0
  k = s32[] get-tuple-element(w), index=1
  both = (f32[], f32[]) tuple(a, x)
  ROOT r = f32[] conditional(n, both, a), branch_computations={first, second}
}
)"));
}

TEST_CASE("what XLA's converter simplifies is simplified") {
  const auto module = Read(Function("%arg0: tensor<4xf32>, %arg1: tensor<4xi32>", "(tensor<4xf32>, tensor<4xi32>)", R"(
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.multiply %0, %arg0 : tensor<4xf32>
    %2 = stablehlo.convert %1 : tensor<4xf32>
    %3 = stablehlo.reshape %2 : (tensor<4xf32>) -> tensor<2x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x2xf32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<4xi32>
    %5 = stablehlo.add %c, %arg1 : tensor<4xi32>
    return %4, %5 : tensor<4xf32>, tensor<4xi32>
)"));
  CheckSame(*module, *Parse(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  two = f32[] constant(2)
  b = f32[4] broadcast(two), dimensions={}
  y = f32[4] multiply(x, b)
  n = s32[4] parameter(1)
  ROOT r = (f32[4], s32[4]) tuple(y, n)
}
)"));
}

TEST_CASE("Shardy's meshes and axes exist, and an axis is manual once") {
  const auto sharded = [](std::string_view sharding) {
    return "module @m {\n  sdy.mesh @mesh = <[\"a\"=2, \"b\"=2]>\n  func.func public @main(%arg0: tensor<8xf32> "
           "{sdy.sharding = "
           "#sdy.sharding<" +
           std::string(sharding) + ">}) -> tensor<8xf32> {\n    return %arg0 : tensor<8xf32>\n  }\n}\n";
  };
  CHECK(ParseStablehlo(sharded(R"(@mesh, [{"a"}])")).ok());
  CHECK(ErrorOf(sharded(R"(@mash, [{"a"}])")).find("3:63: error: the module has no sdy.mesh @mash") !=
        std::string::npos);
  CHECK(ErrorOf(sharded(R"(@mesh, [{"c"}])")).find("the mesh @mesh has no axis \"c\"") != std::string::npos);
  const auto constrained = [](std::string_view sharding) {
    return "module @m {\n  sdy.mesh @mesh = <[\"a\"=2]>\n  func.func public @main(%arg0: tensor<8xf32>) -> "
           "tensor<8xf32> {\n"
           "    %0 = sdy.sharding_constraint %arg0 <" +
           std::string(sharding) + "> : tensor<8xf32>\n    return %0 : tensor<8xf32>\n  }\n}\n";
  };
  CHECK(ParseStablehlo(constrained(R"(@mesh, [{"a"}])")).ok());
  CHECK(ErrorOf(constrained(R"(@other, [{"a"}])")).find("no sdy.mesh @other") != std::string::npos);
  const auto nested = [](std::string_view inner) {
    return R"(module @m {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%x: tensor<4xf32>) {
      %1 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{")" +
           std::string(inner) + R"("}]>] out_shardings=[<@mesh, [{")" + std::string(inner) + R"("}]>] manual_axes={")" +
           std::string(inner) + R"("} (%y: tensor<2xf32>) {
        sdy.return %y : tensor<2xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
)";
  };
  CHECK(ParseStablehlo(nested("b")).ok());
  CHECK(ErrorOf(nested("a")).find("axis \"a\" is manual in a sdy.manual_computation around it, too") !=
        std::string::npos);
}

TEST_CASE("Shardy's shardings are told to XLA's partitioner, too") {
  const auto module = Read(R"(module @m attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {"b"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = stablehlo.sine %arg0 : tensor<8x8xf32>
    return %0, %arg0 : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
)");
  CHECK(module->config().num_partitions == 8);
  const std::string text = PrintModule(*module, PrintOptions::Readable());
  CHECK(text.find("parameter(0), sharding={devices=[4,2]<=[2,2,2]T(0,2,1)}, "
                  R"(frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\", \"c\"}, {\"b\"}]>"})") !=
        std::string::npos);
  CHECK(text.find("sharding={{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}, {replicated}}") !=
        std::string::npos);
  // Open dimensions and priorities are specific to Shardy; parts of axes and unreduced sums are kept.
  const auto sharding_of = [](std::string_view sharding, std::string_view mesh = R"(["a"=2, "b"=4])") {
    const auto one =
        Read("module @m {\n  sdy.mesh @mesh = <" + std::string(mesh) +
             ">\n  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, " +
             std::string(sharding) + ">}) -> tensor<8x8xf32> {\n    return %arg0 : tensor<8x8xf32>\n  }\n}\n");
    const std::string text = PrintModule(*one, PrintOptions::Readable());
    const size_t start = text.find("parameter(0), sharding=");
    if (start == std::string::npos) return std::string("none");
    return text.substr(start + 23, text.find(", frontend", start) - start - 23);
  };
  CHECK(sharding_of(R"([{"a", ?}, {}])") == "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
  CHECK(sharding_of("[{?}, {?}]") == "{replicated}");
  CHECK(sharding_of(R"([{"a"}p0, {"b", ?}p1])") == "{devices=[2,4]<=[8]}");
  CHECK(sharding_of(R"([{"b":(1)2}, {"a"}])") == "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}");
  CHECK(sharding_of(R"([{"b":(2)2, "a"}, {}])") == "{devices=[4,1,2]<=[4,2]T(1,0) last_tile_dim_replicate}");
  CHECK(sharding_of(R"([{"a"}, {}], unreduced={"b"})") == "{devices=[2,1,4]<=[8] last_tile_dims={unreduced}}");
  CHECK(sharding_of(R"([{"a"}, {}])", R"(["a"=2, "b"=4], device_ids=[7,6,5,4,3,2,1,0])") ==
        "{devices=[2,1,4]4,5,6,7,0,1,2,3 last_tile_dim_replicate}");
  CHECK(sharding_of(R"([{"b":(3)2}, {}])") == "none");
}

TEST_CASE("GSPMD's shardings of results") {
  const auto one = Read(R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    %0 = stablehlo.sine %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
)");
  CheckSame(*one, *Parse(R"(HloModule m
ENTRY main {
  x = f32[8] parameter(0)
  s = f32[8] sine(x)
  t = (f32[8]) tuple(s)
  ROOT r = f32[8] get-tuple-element(t), index=0, sharding={devices=[2]<=[2]}
})"));
}

TEST_CASE("an empty sharding is replicated") {
  const auto module = Read(
      "func.func @main(%x: tensor<2xf32> {mhlo.sharding = \"\"}) -> (tensor<2xf32> {mhlo.sharding = \"\"}) {\n"
      "  %y = stablehlo.negate %x {mhlo.sharding = \"\"} : tensor<2xf32>\n  return %y : tensor<2xf32>\n}\n");
  CheckSame(*module, *Parse(R"(
HloModule m
ENTRY main {
  x = f32[2] parameter(0), sharding={replicated}
  y = f32[2] negate(x), sharding={replicated}
  t = (f32[2]) tuple(y), sharding={{replicated}}
  ROOT r = f32[2] get-tuple-element(t), index=0, sharding={replicated}
})"));
}

TEST_CASE("functions that XLA writes out are written out, and fold where their operands are constants") {
  const auto of = [](std::string_view op, std::string_view type) {
    return Function("%arg0: " + std::string(type), std::string(type),
                    "    %0 = chlo." + std::string(op) + " %arg0 : " + std::string(type) + " -> " + std::string(type) +
                        "\n    return %0 : " + std::string(type) + "\n");
  };
  CheckSame(*Read(of("acos", "tensor<4xf32>")), *Parse(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  minus = f32[4] subtract(ones, x)
  plus = f32[4] add(x, ones)
  product = f32[4] multiply(minus, plus)
  leg = f32[4] sqrt(product)
  ROOT r = f32[4] atan2(leg, x)
})"));
  CheckSame(*Read(of("square", "tensor<4xcomplex<f32>>")), *Parse(R"(HloModule m
ENTRY main {
  z = c64[4] parameter(0)
  x = f32[4] real(z)
  y = f32[4] imag(z)
  finite = pred[4] is-finite(x)
  ax = f32[4] abs(x)
  ay = f32[4] abs(y)
  same = pred[4] compare(ax, ay), direction=EQ
  cancels = pred[4] and(finite, same)
  zero = f32[] constant(0)
  zeros = f32[4] broadcast(zero), dimensions={}
  minus = f32[4] subtract(x, y)
  plus = f32[4] add(x, y)
  product = f32[4] multiply(minus, plus)
  re = f32[4] select(cancels, zeros, product)
  xy = f32[4] multiply(x, y)
  two = f32[] constant(2)
  twos = f32[4] broadcast(two), dimensions={}
  im = f32[4] multiply(xy, twos)
  ROOT r = c64[4] complex(re, im)
})"));
  // cosh(0) is e^(log 1/2) twice.
  CheckSame(*Read(Function("", "tensor<f32>",
                           "    %cst = stablehlo.constant dense<0.0> : tensor<f32>\n    %0 = chlo.cosh %cst : "
                           "tensor<f32> -> tensor<f32>\n    return %0 : tensor<f32>\n")),
            *Parse("HloModule m\nENTRY main { ROOT r = f32[] constant(1) }"));
}

TEST_CASE("CHLO's special functions have their values") {
  struct Case {
    const char* op;
    std::array<double, 4> values;  // by SciPy 1.17
  };
  // erf_inv of x / 31, zeta of x + 1, the last two by their second operand.
  const std::array<double, 4> points = {0.3, 2.5, 9, 30};
  const Case cases[] = {
      {"lgamma", {1.0957979948180756, 0.2846828704729192, 10.60460290274525, 71.257038967168}},
      {"digamma", {-3.502524222200133, 0.7031566406452432, 2.1406414779556098, 3.384438132685525}},
      {"bessel_i1e", {0.11237756063983881, 0.20658464953126654, 0.1272249839358912, 0.07191633059864755}},
      {"erfc", {0.6713732405408726, 0.00040695201744495886, 4.137031746513811e-37, 0}},
      {"erf_inv", {0.008576599889214451, 0.07159203858901596, 0.2632483313485396, 1.5140557112032083}},
      {"zeta", {4.542083566006931, 2.9274375215399546, 17.761481181337, 7466.220896335045}},
      {"polygamma", {-75.27253658872601, -0.23620405164172736, -0.013793319195767772, -0.0011487652037285997}}};
  for (const Case& c : cases) {
    for (const PrimitiveType type : {PrimitiveType::F32, PrimitiveType::F64}) {
      const std::string op = c.op;
      INFO(op << (type == PrimitiveType::F32 ? " of f32" : " of f64"));
      const bool takes_two = op == "zeta" || op == "polygamma";
      const std::string array = type == PrimitiveType::F32 ? "tensor<4xf32>" : "tensor<4xf64>";
      const auto module = Read(takes_two ? Function("%arg0: " + array + ", %arg1: " + array, array,
                                                    "    %0 = chlo." + op + " %arg0, %arg1 : " + array + ", " + array +
                                                        " -> " + array + "\n    return %0 : " + array + "\n")
                                         : Function("%arg0: " + array, array,
                                                    "    %0 = chlo." + op + " %arg0 : " + array + " -> " + array +
                                                        "\n    return %0 : " + array + "\n"));
      auto executable = PrepareExecutable(*module);
      REQUIRE(executable.ok());
      std::vector<Literal> inputs(takes_two ? 2 : 1, Literal(Shape::Array(type, {4})));
      const auto run = [&]<class S>(S) {
        for (size_t k = 0; k < 4; ++k) {
          const double x = op == "erf_inv" ? points[k] / 31 : op == "zeta" ? points[k] + 1 : points[k];
          inputs[0].data<S>()[k] = static_cast<S>(op == "polygamma" ? 2 : x);
          if (takes_two) inputs[1].data<S>()[k] = static_cast<S>(op == "zeta" ? 0.75 : x);
        }
        std::vector<const Literal*> arguments;
        for (const Literal& input : inputs) arguments.push_back(&input);
        const StatusOr<Literal> result = (*executable)->Run(arguments);
        REQUIRE(result.ok());
        for (size_t k = 0; k < 4; ++k) {
          INFO(points[k]);
          const double got = static_cast<double>(result->data<S>()[k]);
          CHECK(std::abs(got - c.values[k]) <= (sizeof(S) == 4 ? 2e-6 : 2e-14) * std::abs(c.values[k]) + 1e-37);
        }
      };
      if (type == PrimitiveType::F32) run(float{});
      else run(double{});
    }
  }
}

TEST_CASE("constants fold element by element, and are cut, turned and joined") {
  const auto folded = [](std::string_view line, std::string_view type, std::string_view value) {
    const auto module = Read(Function("", type,
                                      "    %a = stablehlo.constant dense<[1, 5, 7]> : tensor<3xi32>\n"
                                      "    %b = stablehlo.constant dense<[2, 4, 7]> : tensor<3xi32>\n"
                                      "    %f = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>\n"
                                      "    %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n"
                                      "    %r = stablehlo." +
                                          std::string(line) + "\n    return %r : " + std::string(type) + "\n"));
    const HloInstruction* root = module->entry_computation()->root();
    INFO(line);
    REQUIRE(root->IsConstant());
    CHECK(root->literal().ToString() == value);
  };
  folded("add %a, %b : tensor<3xi32>", "tensor<3xi32>", "{3, 9, 14}");
  folded("compare GT, %a, %b, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>", "tensor<3xi1>", "{0, 1, 0}");
  folded("select %p, %a, %b : tensor<3xi1>, tensor<3xi32>", "tensor<3xi32>", "{1, 4, 7}");
  folded("clamp %b, %a, %b : tensor<3xi32>", "tensor<3xi32>", "{2, 4, 7}");
  folded("sqrt %f : tensor<2xf32>", "tensor<2xf32>", "{1, 2}");
  folded("slice %a [1:3] : (tensor<3xi32>) -> tensor<2xi32>", "tensor<2xi32>", "{5, 7}");
  folded("reverse %a, dims = [0] : tensor<3xi32>", "tensor<3xi32>", "{7, 5, 1}");
  folded("not %a : tensor<3xi32>", "tensor<3xi32>", "{-2, -6, -8}");
  folded("get_dimension_size %a, dim = 0 : (tensor<3xi32>) -> tensor<i32>", "tensor<i32>", "3");
}

TEST_CASE("constants fold where XLA's converter folds them, and stay where it leaves them") {
  struct Case {
    std::string_view arguments, body, type, hlo;
  };
  static constexpr Case kCases[] = {
      {"%i: tensor<i32>",
       "%c = stablehlo.constant dense<2.0> : tensor<3xf32>\n"
       "%r = stablehlo.dynamic_slice %c, %i, sizes = [2] : (tensor<3xf32>, tensor<i32>) -> tensor<2xf32>",
       "tensor<2xf32>", "c = f32[] constant(2)\n i = s32[] parameter(0)\n ROOT r = f32[2] broadcast(c), dimensions={}"},
      {"",
       "%c = stablehlo.constant dense<false> : tensor<2x3xi1>\n%z = stablehlo.constant dense<true> : tensor<i1>\n"
       "%r = stablehlo.reduce(%c init: %z) applies stablehlo.or across dimensions = [1] : (tensor<2x3xi1>, tensor<i1>) "
       "-> tensor<2xi1>",
       "tensor<2xi1>", "c = pred[] constant(true)\n ROOT r = pred[2] broadcast(c), dimensions={}"},
      {"",
       "%c = stablehlo.constant dense<[(1.0, 2.0), (3.0, 0.0)]> : tensor<2xcomplex<f32>>\n"
       "%r = stablehlo.reshape %c : (tensor<2xcomplex<f32>>) -> tensor<2x1xcomplex<f32>>",
       "tensor<2x1xcomplex<f32>>", "ROOT r = c64[2,1] constant({{(1, 2)}, {(3, 0)}})"},
      {"",
       "%c = stablehlo.constant dense<(1.0, 2.0)> : tensor<3xcomplex<f32>>\n"
       "%r = stablehlo.slice %c [0:2] : (tensor<3xcomplex<f32>>) -> tensor<2xcomplex<f32>>",
       "tensor<2xcomplex<f32>>",
       "c = c64[] constant((1, 2))\n b = c64[3] broadcast(c), dimensions={}\n ROOT r = c64[2] slice(b), slice={[0:2]}"},
      {"%x: tensor<2xf32>",
       "%c = stablehlo.constant dense<1.0> : tensor<2xf32>\n%d = stablehlo.constant dense<1.0> : tensor<2xf32>\n"
       "%r = stablehlo.concatenate %c, %d, %x, %c, dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, "
       "tensor<2xf32>) -> tensor<8xf32>",
       "tensor<8xf32>",
       "c = f32[] constant(1)\n b = f32[4] broadcast(c), dimensions={}\n x = f32[2] parameter(0)\n"
       " e = f32[] constant(1)\n d = f32[2] broadcast(e), dimensions={}\n ROOT r = f32[8] concatenate(b, x, d), "
       "dimensions={0}"},
      {"", "%c = stablehlo.constant dense<[4.0, -1.0]> : tensor<2xf32>\n%r = stablehlo.sqrt %c : tensor<2xf32>",
       "tensor<2xf32>", "c = f32[2] constant({4, -1})\n ROOT r = f32[2] sqrt(c)"},
      {"", "%c = stablehlo.constant dense<1.5> : tensor<f32>\n%r = stablehlo.rsqrt %c : tensor<f32>", "tensor<f32>",
       "ROOT r = f32[] constant(0.816496611)"},
      {"",
       "%c = stablehlo.constant dense<-2.0> : tensor<f32>\n%r = stablehlo.convert %c : (tensor<f32>) -> tensor<ui8>",
       "tensor<ui8>", "c = f32[] constant(-2)\n ROOT r = u8[] convert(c)"},
      {"%x: tensor<2xcomplex<f32>>", "%r = stablehlo.convert %x : (tensor<2xcomplex<f32>>) -> tensor<2xi32>",
       "tensor<2xi32>", "x = c64[2] parameter(0)\n e = f32[2] real(x)\n ROOT r = s32[2] convert(e)"},
      {"%x: tensor<2xf32>, %a: tensor<f32>",
       "%r = stablehlo.clamp %a, %x, %a : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>", "tensor<2xf32>",
       "x = f32[2] parameter(0)\n a = f32[] parameter(1)\n b = f32[2] broadcast(a), dimensions={}\n"
       " c = f32[2] broadcast(a), dimensions={}\n ROOT r = f32[2] clamp(b, x, c)"},
      {"%x: tensor<i32>",
       "%c = stablehlo.constant dense<1> : tensor<i32>\n"
       "%r = stablehlo.compare LT, %c, %x : (tensor<i32>, tensor<i32>) -> tensor<i1>",
       "tensor<i1>", "c = s32[] constant(1)\n x = s32[] parameter(0)\n ROOT r = pred[] compare(c, x), direction=LT"},
      {"%x: tensor<2x0xf32>, %y: tensor<0x3xf32>",
       "%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> "
       "tensor<2x3xf32>",
       "tensor<2x3xf32>",
       "x = f32[2,0] parameter(0)\n y = f32[0,3] parameter(1)\n a = f32[2,0] constant({{},{}})\n"
       " b = f32[0,3] constant({})\n"
       " ROOT r = f32[2,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
  };
  for (const Case& c : kCases) {
    const auto module =
        Read(Function(c.arguments, c.type, std::string(c.body) + "\nreturn %r : " + std::string(c.type) + "\n"));
    CheckSame(*module, *Parse("HloModule m\nENTRY main {\n" + std::string(c.hlo) + "\n}"));
  }
}

TEST_CASE("loops capture constants that they pass on") {
  const auto module = Read(Function("%x: tensor<f32>, %n: tensor<i1>", "tensor<f32>",
                                    R"(%c = stablehlo.constant dense<3> : tensor<i32>
  %w:3 = stablehlo.while(%a = %x, %k = %c, %go = %n) : tensor<f32>, tensor<i32>, tensor<i1>
   cond { stablehlo.return %go : tensor<i1> }
   do {
    %d = stablehlo.constant dense<3> : tensor<i32>
    %e = stablehlo.convert %k : (tensor<i32>) -> tensor<f32>
    %s = stablehlo.add %a, %e : tensor<f32>
    %not = stablehlo.not %go : tensor<i1>
    stablehlo.return %s, %d, %not : tensor<f32>, tensor<i32>, tensor<i1>
   }
  return %w#0 : tensor<f32>
)"));
  const HloInstruction* loop = module->entry_computation()->root()->operand(0);
  REQUIRE(loop->opcode() == HloOpcode::kWhile);
  CHECK(loop->shape().tuple_size() == 2);
}

TEST_CASE("what CHLO leaves implicit is written out") {
  CheckSame(*Read(Function("%arg0: tensor<4xf32>, %arg1: tensor<3x1xf32>", "tensor<3x4xf32>", R"(
    %0 = "chlo.broadcast_add"(%arg0, %arg1) : (tensor<4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
    %1 = "chlo.constant_like"(%0) {value = 2.0 : f32} : (tensor<3x4xf32>) -> tensor<3x4xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<3x4xf32>
    return %2 : tensor<3x4xf32>
)")),
            *Parse(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  xs = f32[3,4] broadcast(x), dimensions={1}
  y = f32[3,1] parameter(1)
  again = f32[3,1] broadcast(y), dimensions={0,1}
  y1 = f32[3] reshape(again)
  ys = f32[3,4] broadcast(y1), dimensions={0}
  sum = f32[3,4] add(xs, ys)
  two = f32[] constant(2)
  twos = f32[3,4] broadcast(two), dimensions={}
  ROOT r = f32[3,4] multiply(sum, twos)
})"));
  CHECK(ErrorOf(Function("%arg0: tensor<4xf32>, %arg1: tensor<3x2xf32>", "tensor<3x4xf32>", R"(
    %0 = "chlo.broadcast_add"(%arg0, %arg1) : (tensor<4xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
)"))
            .find("the op 'chlo.broadcast_add' is not supported") != std::string::npos);
}

TEST_CASE("composites that hold each other end in an error") {
  CHECK(ErrorOf(R"(module @m {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @f(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.composite "a.b" %x {decomposition = @f} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
)")
            .find("too many composites") != std::string::npos);
}

TEST_CASE("shapes that are computed from constants are known") {
  constexpr std::string_view kText = R"(
    %c = stablehlo.constant dense<2> : tensor<2xi64>
    %0 = stablehlo.dynamic_reshape %arg0, %c : (tensor<4xf32>, tensor<2xi64>) -> tensor<2x2xf32>
    %c_0 = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %1 = stablehlo.dynamic_broadcast_in_dim %arg0, %c_0, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>
    %c_1 = stablehlo.constant dense<5> : tensor<1xi64>
    %2 = stablehlo.dynamic_iota %c_1, dim = 0 : (tensor<1xi64>) -> tensor<5xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c_2 = stablehlo.constant dense<1> : tensor<1xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<1xi64>
    %3 = stablehlo.dynamic_pad %arg0, %cst, %c_2, %c_3, %c_2 : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<8xf32>
    %c_4 = stablehlo.constant dense<4> : tensor<1xi64>
    %c_5 = stablehlo.constant dense<2> : tensor<1xi64>
    %4 = stablehlo.real_dynamic_slice %arg0, %c_3, %c_4, %c_5 : (tensor<4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>
    %c_6 = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
    %5 = "stablehlo.dynamic_gather"(%arg1, %arg2, %c_6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2xi64>) -> tensor<2x3xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<2x2xf32>, tensor<3x4xf32>, tensor<5xi32>, tensor<8xf32>, tensor<2xf32>, tensor<2x3xf32>
)";
  // As XLA's converter has it.
  constexpr std::string_view kHlo = R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  reshape = f32[2,2] reshape(x)
  broadcast = f32[3,4] broadcast(x), dimensions={1}
  iota = s32[5] iota(), iota_dimension=0
  zero = f32[] constant(0)
  pad = f32[8] pad(x, zero), padding=1_0_1
  slice = f32[2] slice(x), slice={[0:4:2]}
  g = f32[4,3] parameter(1)
  i = s32[2,1] parameter(2)
  gather = f32[2,3] gather(g, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
  ROOT r = (f32[2,2], f32[3,4], s32[5], f32[8], f32[2], f32[2,3]) tuple(reshape, broadcast, iota, pad, slice, gather)
})";
  const std::string_view arguments = "%arg0: tensor<4xf32>, %arg1: tensor<4x3xf32>, %arg2: tensor<2x1xi32>";
  const std::string_view results =
      "(tensor<2x2xf32>, tensor<3x4xf32>, tensor<5xi32>, tensor<8xf32>, tensor<2xf32>, tensor<2x3xf32>)";
  CheckSame(*Read(Function(arguments, results, kText)), *Parse(kHlo));
  // From a parameter it is not.
  CHECK(ErrorOf(Function("%arg0: tensor<4xf32>, %arg1: tensor<1xi64>", "tensor<2xf32>",
                         "    %0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<4xf32>, "
                         "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>\n"
                         "    return %0 : tensor<2xf32>\n"))
            .find("the op 'stablehlo.real_dynamic_slice' is not supported") != std::string::npos);
}

TEST_CASE("sizes that are given bind a program's symbolic shapes") {
  // As jax.export writes x + arange(b)[:, None] of an x of b x 4, with its assertion.
  const std::string text = R"(module @m {
  func.func public @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %one = stablehlo.constant dense<3> : tensor<i32>
    %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %ok = stablehlo.compare GE, %b, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%ok, %b) {api_version = 2 : i32, error_message = "b is {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %r = call @inner(%b, %x) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    return %r : tensor<?x4xf32>
  }
  func.func private @inner(%b: tensor<i32>, %x: tensor<?x4xf32>) -> tensor<?x4xf32> {
    %four = stablehlo.constant dense<4> : tensor<1xi32>
    %0 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
    %2 = stablehlo.concatenate %0, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %3 = stablehlo.dynamic_broadcast_in_dim %1, %2, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %4 = stablehlo.add %x, %3 : tensor<?x4xf32>
    return %4 : tensor<?x4xf32>
  }
}
)";
  const auto module = ParseStablehlo(text, {.argument_sizes = {{5, 4}}});
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  CheckSame(**module, *Parse(R"(HloModule m
ENTRY main {
  x = f32[5,4] parameter(0)
  i = f32[5] iota(), iota_dimension=0
  b = f32[5,4] broadcast(i), dimensions={0}
  ROOT r = f32[5,4] add(x, b)
})"));
  const auto error = [&](std::vector<std::vector<int64_t>> sizes) {
    const auto refused = ParseStablehlo(text, {.argument_sizes = std::move(sizes)});
    REQUIRE(!refused.ok());
    return refused.status().message().substr(0, refused.status().message().find('\n'));
  };
  CHECK(error({{2, 4}}) == "<text>:6:5: error: b is 2");
  CHECK(error({{5, 3}}) == "argument 0 is f32[?,4], and its sizes are given as 5x3");
  CHECK(error({{5, 4}, {}}) == "sizes of 2 arguments are given, and the program has 1");
  CHECK(ErrorOf(text).find("stablehlo.dynamic_iota") != std::string::npos);
}

TEST_CASE("ops whose attributes follow from given sizes") {
  // As jax.export writes them: custom calls, whose operands state the attributes.
  const std::string text = R"(module @m {
  func.func public @main(%x: tensor<?x4xf32>, %s: tensor<2xui64>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi32>, tensor<2xui64>, tensor<?xui32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ones = stablehlo.constant dense<1> : tensor<2xi32>
    %two = stablehlo.constant dense<2> : tensor<1xi32>
    %none = stablehlo.constant dense<0> : tensor<1x2xi32>
    %front = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi32>
    %minus = stablehlo.constant dense<-1> : tensor<i32>
    %k = stablehlo.constant dense<3> : tensor<i32>
    %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %n = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
    %window = stablehlo.concatenate %n, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %padding = stablehlo.concatenate %front, %none, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
    %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %padding) {api_version = 2 : i32, called_computations = [@sum]} : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
    %top = stablehlo.add %k, %minus : tensor<i32>
    %t:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %top) {api_version = 2 : i32} : (tensor<?x4xf32>, tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
    %g:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %n) {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>, tensor<1xi32>) -> (tensor<2xui64>, tensor<?xui32>)
    return %r, %t#0, %t#1, %g#0, %g#1 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xi32>, tensor<2xui64>, tensor<?xui32>
  }
  func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32>
    return %0 : tensor<f32>
  }
}
)";
  const auto module = ParseStablehlo(text, {.argument_sizes = {{5, 4}, {2}}});
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  CheckSame(**module, *Parse(R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[5,4] parameter(0)
  zero = f32[] constant(0)
  window = f32[2,3] reduce-window(x, zero), window={size=5x2 pad=1_0x0_0}, to_apply=sum
  top = (f32[5,2], s32[5,2]) topk(x), k=2, largest=true
  values = f32[5,2] get-tuple-element(top), index=0
  places = s32[5,2] get-tuple-element(top), index=1
  state = u64[2] parameter(1)
  bits = (u64[2], u32[5]) rng-bit-generator(state), algorithm=rng_philox
  next = u64[2] get-tuple-element(bits), index=0
  random = u32[5] get-tuple-element(bits), index=1
  ROOT r = (f32[2,3], f32[5,2], s32[5,2], u64[2], u32[5]) tuple(window, values, places, next, random)
})"));
}

TEST_CASE("a convolution whose padding follows from given sizes") {
  const std::string text = R"(module @m {
  func.func public @main(%x: tensor<1x?x2xf32>, %k: tensor<3x2x5xf32>) -> tensor<1x?x5xf32> {
    %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<1x?x2xf32>) -> tensor<i32>
    %n = stablehlo.reshape %b : (tensor<i32>) -> tensor<1x1xi32>
    %one = stablehlo.constant dense<1> : tensor<1x1xi32>
    %padding = stablehlo.concatenate %one, %n, dim = 1 : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x2xi32>
    %r = "stablehlo.dynamic_conv"(%x, %k, %padding) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x?x2xf32>, tensor<3x2x5xf32>, tensor<1x2xi32>) -> tensor<1x?x5xf32>
    return %r : tensor<1x?x5xf32>
  }
}
)";
  const auto module = ParseStablehlo(text, {.argument_sizes = {{1, 7, 2}, {3, 2, 5}}});
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  CheckSame(**module, *Parse(R"(HloModule m
ENTRY main {
  x = f32[1,7,2] parameter(0)
  k = f32[3,2,5] parameter(1)
  ROOT r = f32[1,13,5] convolution(x, k), window={size=3 pad=1_7}, dim_labels=b0f_0io->b0f
})"));
  CHECK(ErrorOf(text).find("stablehlo.dynamic_conv") != std::string::npos);
}

TEST_CASE("a slice from a computed start of a loop over an array of given size") {
  const auto module = ParseStablehlo(R"(
func.func @main(%x: tensor<?xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %s = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %w:2 = stablehlo.while(%v = %x, %k = %i) : tensor<?xf32>, tensor<i32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %l = stablehlo.compare LT, %k, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
    } do {
      %u = stablehlo.add %v, %v : tensor<?xf32>
      %j = stablehlo.add %k, %k : tensor<i32>
      stablehlo.return %u, %j : tensor<?xf32>, tensor<i32>
    }
  %e = stablehlo.add %s, %two : tensor<1xi32>
  %r = stablehlo.real_dynamic_slice %w#0, %s, %e, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
)",
                                     {.argument_sizes = {{6}, {}}});
  INFO((module.ok() ? "" : module.status().message()));
  REQUIRE(module.ok());
  REQUIRE(VerifyModule(**module).ok());
  const HloInstruction* root = (*module)->entry_computation()->root();
  CHECK(root->opcode() == HloOpcode::kDynamicSlice);
  CHECK(root->operand(0)->shape().dimensions(0) == 6);
}

TEST_CASE("transfers are a start and a done") {
  constexpr std::string_view kText = R"(
    %0:2 = "stablehlo.infeed"(%arg1) <{infeed_config = "a", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %1 = "stablehlo.outfeed"(%arg0, %0#1) <{outfeed_config = "b"}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %2 = "stablehlo.send"(%arg0, %1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %3:2 = "stablehlo.recv"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 6, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    return %0#0, %3#0, %3#1 : tensor<2xi32>, tensor<3xf32>, !stablehlo.token
)";
  constexpr std::string_view kHlo = R"(HloModule m
ENTRY main {
  t = token[] parameter(1)
  infeed = ((s32[2]), token[]) infeed(t), infeed_config="a"
  in = (s32[2]) get-tuple-element(infeed), index=0
  n = s32[2] get-tuple-element(in), index=0
  x = f32[4] parameter(0)
  out = (f32[4]) tuple(x)
  t1 = token[] get-tuple-element(infeed), index=1
  outfeed = token[] outfeed(out, t1), outfeed_shape=(f32[4]{0}), outfeed_config="b"
  send = (f32[4], u32[], token[]) send(x, outfeed), channel_id=5, is_host_transfer=true
  sent = token[] send-done(send), channel_id=5, is_host_transfer=true
  recv = (f32[3], u32[], token[]) recv(sent), channel_id=6, is_host_transfer=true
  received = (f32[3], token[]) recv-done(recv), channel_id=6, is_host_transfer=true
  y = f32[3] get-tuple-element(received), index=0
  t2 = token[] get-tuple-element(received), index=1
  ROOT r = (s32[2], f32[3], token[]) tuple(n, y, t2)
})";
  CheckSame(*Read(Function("%arg0: tensor<4xf32>, %arg1: !stablehlo.token",
                           "(tensor<2xi32>, tensor<3xf32>, !stablehlo.token)", kText)),
            *Parse(kHlo));
  constexpr std::string_view kBetween = R"(
    %0 = "stablehlo.send"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
)";
  const auto between = Read(Function("%arg0: tensor<4xf32>, %arg1: !stablehlo.token", "!stablehlo.token", kBetween));
  const HloInstruction* done = between->entry_computation()->root();
  CHECK(done->opcode() == HloOpcode::kSendDone);
  for (const HloInstruction* half : {done, done->operand(0)}) {
    CHECK(half->extras().frontend_attributes ==
          FrontendAttributes{{"_xla_send_recv_source_target_pairs", "{{0,1},{1,0}}"}});
  }
}

TEST_CASE("what HLO's text cannot name") {
  constexpr std::string_view kBody =
      R"( { func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.negate %arg0 {mhlo.frontend_attributes = {NAME = "1"}} : tensor<2xf32>
    return %0 : tensor<2xf32>
  } })";
  const auto module = [&](std::string_view name, std::string_view attribute) {
    std::string text = "module @" + std::string(name) + std::string(kBody);
    return text.replace(text.find("NAME"), 4, attribute);
  };
  const auto read = Read(module(R"("jit_f$1")", "of_mine"));
  CHECK(read->name() == "jit_f_1");
  CHECK(ParseModule(PrintModule(*read)).ok());
  const auto quoted = Read(module("m", R"("$mine")"));
  const std::string text = PrintModule(*quoted);
  CHECK(text.find(R"(frontend_attributes={"$mine"="1"})") != std::string::npos);
  CHECK(PrintModule(**ParseModule(text)) == text);
}

TEST_CASE("what is wrong or not known is said with its place") {
  const auto body = [](std::string_view line) {
    return Function("%arg0: tensor<2xf32>", "tensor<2xf32>", std::string(line) + "\n");
  };
  CHECK(ErrorOf(body("    %0 = stablehlo.bogus %arg0 : tensor<2xf32>")) ==
        "<text>:3:10: error: the op 'stablehlo.bogus' is not supported");
  CHECK(ErrorOf(body("    %0 = tosa.add %arg0 : tensor<2xf32>")) == "<text>:3:10: error: unknown op 'tosa.add'");
  CHECK(ErrorOf(body("    %0 = \"tosa.add\"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>")) ==
        "<text>:3:10: error: the op 'tosa.add' is not supported");
  CHECK(ErrorOf(body("    %0 = stablehlo.convert : tensor<2xf32>\n    return %0 : tensor<2xf32>")) ==
        "<text>:3:10: error: stablehlo.convert: has too few operands");
  CHECK(ErrorOf(body("    return %7 : tensor<2xf32>")) == "<text>:3:12: error: no value %7 is defined before");
  CHECK(ErrorOf(body("    return %arg0 : tensor<3xf32>")) ==
        "<text>:3:5: error: operand 0 of func.return is f32[2], but its type here is f32[3]");
  CHECK(ErrorOf(
            body("    %0 = stablehlo.reshape %arg0 : (tensor<2xf32>) -> tensor<3xf32>\n    return %0 : tensor<3xf32>"))
            .starts_with("<text>:3:10: error: "));
  CHECK(ErrorOf(body("")) == "<text>:2:3: error: func.func: does not end with a return");
  const std::string product =
      "    %0 = stablehlo.dot %arg0, %arg0, precision = [DEFAULT, DEFAULT] {a = #stablehlo<precision >} : "
      "(tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n    return %arg0 : tensor<2xf32>";
  CHECK(ParseStablehlo(body(product)).ok());  // a word that is missing, in an attribute that nobody reads
  for (const std::string name : {"operand_layouts", "result_layouts"})
    CHECK(ErrorOf(body("    %0 = stablehlo.custom_call @f(%arg0) {" + name +
                       " = [dense<[5]> : tensor<1xindex>]} : (tensor<2xf32>) -> tensor<2xf32>\n"
                       "    return %0 : tensor<2xf32>\n"))
              .find("has no attribute '" + name + "', or not as it must be") != std::string::npos);
  // A select by a non-predicate is an error, also for a constant operand.
  CHECK(
      ErrorOf(body("    %c = stablehlo.constant dense<1> : tensor<2xi32>\n    %0 = stablehlo.select %c, %arg0, %arg0 : "
                   "tensor<2xi32>, tensor<2xf32>\n    return %0 : tensor<2xf32>")) ==
      "<text>:4:10: error: select, instruction 3 of main: the first operand of select must be pred, not s32[2]");
  CHECK(ErrorOf(body("    %c = stablehlo.constant dense<1> : tensor<2xi32>\n    %d = stablehlo.add %arg0, %arg0 : "
                     "tensor<2xf32>\n    %0 = stablehlo.select %c, %arg0, %d : tensor<2xi32>, tensor<2xf32>\n    "
                     "return %0 : tensor<2xf32>")) ==
        "<text>:5:10: error: select, instruction 4 of main: the first operand of select must be pred, not s32[2]");
  CHECK(ErrorOf(body("    %0 = stablehlo.add %arg0, %arg0 : tensor<2x!quant.uniform<i8:f32, 0.1>>")) ==
        "<text>:3:48: error: the element type !quant.uniform is not supported");
  CHECK(ErrorOf("module @m {\n  func.func @main() {\n    call @main() : () -> ()\n    return\n  }\n}\n") ==
        "<text>:3:5: error: func.call: the function 'main' calls itself");
  CHECK(ErrorOf("module @m {\n  func.func @main() {") ==
        "<text>:2:22: error: expected an operation, but the text ends here");
}

TEST_CASE("a value's name is that of its text and its function") {
  const std::string other =
      "module @m {\n  func.func public @main(%0: tensor<f32>) -> tensor<f32> {\n"
      "    return %0 : tensor<f32>\n  }\n  func.func private @g() -> tensor<f32> {\n"
      "    return %0 : tensor<f32>\n  }\n}\n";
  CHECK(ErrorOf(other) == "<text>:6:12: error: no value %0 is defined before");
  // %7, %07 and a number beyond the text's size are names like all others, and end with their region.
  const auto body = [](std::string_view last) {
    return Function("%7: tensor<i1>, %07: tensor<f32>", "tensor<f32>",
                    "    %999999 = stablehlo.negate %07 : tensor<f32>\n"
                    "    %1 = \"stablehlo.if\"(%7) ({\n      %2 = stablehlo.abs %999999 : tensor<f32>\n"
                    "      %07 = stablehlo.tanh %2 : tensor<f32>\n      stablehlo.return %07 : tensor<f32>\n    }, {\n"
                    "      stablehlo.return %07 : tensor<f32>\n    }) : (tensor<i1>) -> tensor<f32>\n"
                    "    return " +
                        std::string(last) + " : tensor<f32>\n");
  };
  const auto module = Read(body("%1"));
  const HloInstruction* branches = module->entry_computation()->root();
  REQUIRE(branches->opcode() == HloOpcode::kConditional);
  CHECK(branches->operand(2)->opcode() == HloOpcode::kParameter);
  CHECK(ErrorOf(body("%2")) == "<text>:11:12: error: no value %2 is defined before");
}

TEST_CASE("an array of integers has no others") {
  const auto broadcast = [](std::string_view dimensions) {
    return Function(
        "%arg0: tensor<2xf32>", "tensor<3x2xf32>",
        "    %0 = \"stablehlo.broadcast_in_dim\"(%arg0) {broadcast_dimensions = " + std::string(dimensions) +
            "} : (tensor<2xf32>) -> tensor<3x2xf32>\n    return %0 : tensor<3x2xf32>\n");
  };
  CHECK(ParseStablehlo(broadcast("array<i64: 1>")).ok());
  CHECK(ParseStablehlo(broadcast("[1]")).ok());
  CHECK(ErrorOf(broadcast("array<i64: 1.0>")).find("expected an integer") != std::string::npos);
  for (const char* wrong : {"array<f32: 1.0>", "[1.0]", "[a]", "[[1]]", "array<i64: 99999999999999999999>"})
    CHECK(!ParseStablehlo(broadcast(wrong)).ok());
}

// Bytes begin with their alignment; 0000803f is 1, 00000040 is 2.
const std::string kResources =
    Function("", "(tensor<2xf32>, tensor<2xi1>)",
             "    %0 = stablehlo.constant dense_resource<torch_tensor_2> : tensor<2xf32>\n"
             "    %1 = stablehlo.constant dense_resource<\"a b\"> : tensor<2xi1>\n"
             "    return %0, %1 : tensor<2xf32>, tensor<2xi1>\n") +
    "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"x\",\n      verify: true\n    }\n  },\n"
    "  dialect_resources: {\n    builtin: {\n      torch_tensor_2: \"0x040000000000803F00000040\",\n"
    "      \"a b\": \"0x010000000001\",\n      short: \"0x0400000000\"\n    }\n  }\n#-}\n";

TEST_CASE("constants whose bytes stand at the end of the text") {
  CheckSame(*Read(kResources), *Parse("HloModule m\nENTRY e {\n  a = f32[2] constant({1, 2})\n"
                                      "  b = pred[2] constant({0, 1})\n  ROOT t = (f32[2], pred[2]) tuple(a, b)\n}"));
  const auto with = [](const std::string& name) {
    std::string text = kResources;
    return text.replace(text.find("torch_tensor_2"), 14, name);
  };
  CHECK(ErrorOf(with("__elided__")).ends_with("the constant's elements are elided (dense_resource)"));
  CHECK(ErrorOf(with("short")).ends_with("the resource short does not have the bytes of f32[2]"));
  CHECK(ErrorOf(with("\"a b\"")).ends_with("the resource a b does not have the bytes of f32[2]"));
}

TEST_CASE("no depth and no bytes break the reader") {
  std::string deep(100000, '[');
  CHECK(ErrorOf("module attributes {a = " + deep + "} {}").find("nested too deep") != std::string::npos);
  std::string types;
  for (int i = 0; i < 50000; ++i) types += "tuple<";
  CHECK(ErrorOf(Function("%arg0: " + types, "f32", "")).find("nested too deep") != std::string::npos);
  // Every beginning of a text, and every text that lacks or repeats a byte, ends in a module or an error.
  int errors = 0;
  for (std::string_view text : {kPretty, kGeneric, std::string_view(kResources)}) {
    for (size_t i = 0; i < text.size(); i += 3) {
      errors += !ParseStablehlo(std::string(text.substr(0, i))).ok();
      errors += !ParseStablehlo(std::string(text.substr(0, i)) + std::string(text.substr(i + 1))).ok();
      std::string changed(text);
      changed[i] = static_cast<char>(changed[i] * 31 + static_cast<char>(i));
      errors += !ParseStablehlo(changed).ok();
    }
  }
  CHECK(errors > 1000);
}

// JAX's texts of the programs whose HLO, from XLA's own converter, is corpus/modules.
TEST_CASE("the corpus's programs become XLA's modules") {
  const fs::path corpus = kCorpusFolder;
  for (const fs::path& path : FilesIn(corpus / "stablehlo", ".mlir")) {
    const std::string name = path.stem().string();
    INFO(name);
    auto read = ReadModule(path.string());
    INFO((read.ok() ? "" : read.status().message()));
    REQUIRE(read.ok());
    auto expected = ReadModule((corpus / "modules" / (name + ".hlo")).string());
    REQUIRE(expected.ok());
    const ModuleDiff diff(**read, **expected);
    INFO((diff.same() ? "" : DiffReport(diff)));
    CHECK(diff.same());
  }
}
