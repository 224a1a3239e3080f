// executable.h: elements found by indices, in arrays and in the bodies of loops, against the reference: gather and
// scatter with indices of every type in and out of range, and loops whose slices and updates are operations on single
// elements.
#include "tests/unit/check_module.h"

using namespace hloir;

TEST_CASE("gathered and scattered elements") {
  for (const char* index : {"s8", "u8", "s16", "s32", "u32", "s64", "u64"}) {
    const std::string s = index;
    for (const char* type : {"f32", "f64", "s8", "bf16", "c64", "c128"}) {
      const std::string t = type;
      CheckModule(Entry("x = " + t + "[40] parameter(0)\n i = " + s + "[700] parameter(1)\n ROOT g = " + t +
                        "[700] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
                        "index_vector_dim=1, slice_sizes={1}"),
                  0);
    }
    // Several components of an index, stored apart; an operand read backwards; indices that lie outside.
    CheckModule(
        Entry("x = f32[9,40] parameter(0)\n r = f32[9,40] reverse(x), dimensions={1}\n i = " + s +
              "[2,5,70] parameter(1)\n ROOT g = f32[5,70] gather(r, i), offset_dims={}, collapsed_slice_dims={0,1}, "
              "start_index_map={1,0}, index_vector_dim=0, slice_sizes={1,1}"),
        0);
    for (const char* op : {"add", "maximum", "multiply"}) {
      for (const char* type : {"f32", "s32", "u8"}) {
        const std::string t = type;
        CheckModule(
            "HloModule m\nf { a = " + t + "[] parameter(0)\n b = " + t + "[] parameter(1)\n ROOT c = " + t + "[] " +
                op + "(a, b) }\nENTRY e { x = " + t + "[9,40] parameter(0)\n i = " + s +
                "[600,2] parameter(1)\n u = " + t + "[600] parameter(2)\n ROOT s = " + t +
                "[9,40] scatter(x, i, u), update_window_dims={}, "
                "inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=f }",
            0);
      }
    }
    CheckModule(
        "HloModule m\nf { a = f32[] parameter(0)\n ROOT b = f32[] parameter(1) }\nENTRY e { x = f32[50] parameter(0)\n "
        "i = " +
            s +
            "[300] parameter(1)\n u = f32[300] parameter(2)\n ROOT s = f32[50] scatter(x, i, u), "
            "update_window_dims={}, "
            "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }",
        0);
  }
}

TEST_CASE("updates that are combined with the element at one index each, and those outside left out") {
  for (const char* index : {"s8", "u8", "s32", "u32", "s64", "u64"}) {
    const std::string s = index;
    for (const char* op : {"add", "minimum"}) {
      for (const char* type : {"f32", "f64", "s32", "u8"}) {
        const std::string t = type;
        // The updates every other one of an array: they do not lie side by side.
        CheckModule("HloModule m\nf { a = " + t + "[] parameter(0)\n b = " + t + "[] parameter(1)\n ROOT c = " + t +
                        "[] " + op + "(a, b) }\nENTRY e { x = " + t + "[40] parameter(0)\n i = " + s +
                        "[600] parameter(1)\n all = " + t + "[1199] parameter(2)\n u = " + t +
                        "[600] slice(all), slice={[0:1199:2]}\n ROOT s = " + t +
                        "[40] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f }",
                    0);
      }
    }
  }
}

TEST_CASE("transposed planes with edges, of elements of every size") {
  for (const char* type : {"s8", "bf16", "f32", "f64", "c128"}) {
    const std::string t = type;
    for (const auto& [rows, columns] : {std::pair{3, 70}, {64, 64}, {65, 131}, {200, 33}}) {
      const std::string m = std::to_string(rows), n = std::to_string(columns);
      CheckModule(Entry("x = " + t + "[2," + m + "," + n + "] parameter(0)\n ROOT r = " + t + "[2," + n + "," + m +
                        "] transpose(x), dimensions={0,2,1}"),
                  0);
    }
  }
}

TEST_CASE("short rows that a loop reads along columns or in runs") {
  for (const char* type : {"s8", "bf16", "f32", "f64", "c128"}) {
    const std::string t = type;
    for (const auto& [rows, columns] : {std::pair{40, 64}, {64, 40}, {9, 8}, {8, 9}, {131, 17}, {7, 70}, {100, 5}}) {
      const std::string m = std::to_string(rows), n = std::to_string(columns);
      const std::string turned = t + "[30," + n + "," + m + "]";
      CheckModule(Entry(" x = " + t + "[30," + m + "," + n + "] parameter(0)\n y = " + turned + " parameter(1)\n z = " +
                        turned + " transpose(x), dimensions={0,2,1}\n ROOT r = " + turned + " add(z, y)"),
                  t == "bf16" ? 0.01 : 0);
      const std::string exchanged = t + "[" + m + ",30," + n + "]";
      CheckModule(Entry(" x = " + t + "[30," + m + "," + n + "] parameter(0)\n y = " + exchanged +
                        " parameter(1)\n z = " + exchanged +
                        " transpose(x), dimensions={1,0,2}\n ROOT r = " + exchanged + " add(z, y)"),
                  t == "bf16" ? 0.01 : 0);
    }
  }
}

namespace {

// A loop of 30 turns over (i, x[20], y); `body` computes `x2` and `y2` from these and the counter of the type.
std::string Loop(const std::string& type, const std::string& body) {
  const std::string state = "(" + type + "[], f32[20], f32[])";
  return "HloModule m\nf { a = f32[] parameter(0)\n ROOT b = f32[] parameter(1) }\nbody { p = " + state +
         " parameter(0)\n i = " + type +
         "[] get-tuple-element(p), index=0\n x = f32[20] get-tuple-element(p), index=1\n y = f32[] "
         "get-tuple-element(p), index=2\n one = " +
         type + "[] constant(1)\n n = " + type + "[] add(i, one)\n" + body + "\n ROOT t = " + state +
         " tuple(n, x2, y2) }\ncondition { p = " + state + " parameter(0)\n i = " + type +
         "[] get-tuple-element(p), index=0\n n = " + type +
         "[] constant(25)\n ROOT c = pred[] compare(i, n), direction=LT }\nENTRY e { x = f32[20] parameter(0)\n y = "
         "f32[] parameter(1)\n i = " +
         type + "[] constant(-5)\n t = " + state + " tuple(i, x, y)\n ROOT w = " + state +
         " while(t), condition=condition, body=body }";
}

}  // namespace

TEST_CASE("loops that move single elements") {
  for (const char* type : {"s32", "s64", "s16"}) {
    CheckModule(Loop(type, R"( one_element = f32[1] dynamic-slice(x, n), dynamic_slice_sizes={1}
      e = f32[] reshape(one_element)
      y2 = f32[] add(e, y)
      u = f32[1] reshape(y2)
      x2 = f32[20] dynamic-update-slice(x, u, i))"),
                1e-6);
    CheckModule(Loop(type, R"( z = f32[] tanh(y)
      y2 = f32[] add(z, y)
      indices = )" + std::string(type) +
                               R"([1] reshape(n)
      x2 = f32[20] scatter(x, indices, y2), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=f)"),
                1e-6);
    // Several elements at once.
    CheckModule(Loop(type, R"( some = f32[3] dynamic-slice(x, i), dynamic_slice_sizes={3}
      x2 = f32[20] dynamic-update-slice(x, some, n)
      y2 = f32[] negate(y))"),
                0);
  }
}

TEST_CASE("indices counted from the end") {
  for (const char* type : {"s8", "s16", "s32", "s64", "u32", "f32"}) {
    const std::string t = type;
    for (const char* n : {"1", "77", "5000"}) {
      const std::string array = t + "[" + n + "]", pred = std::string("pred[") + n + "]";
      const std::string parts = " x = " + array + " parameter(0)\n y = " + array + " parameter(1)\n zero = " + t +
                                "[] constant(0)\n zeros = " + array + " broadcast(zero), dimensions={}\n c = " + t +
                                "[] constant(50)\n cs = " + array + " broadcast(c), dimensions={}\n below = " + pred +
                                " compare(x, zeros), direction=LT\n sum = " + array + " add(x, cs)\n mus = " + array +
                                " add(y, x)\n";
      const std::string wraps = " a = " + array + " select(below, sum, x)\n b = " + array + " select(below, mus, x)\n";
      CheckModule(Entry(parts + wraps + " ROOT r = " + array + " subtract(a, b)"), 0);
      // The parts are needed on their own too; and selects that only look alike.
      CheckModule(Entry(parts + wraps + " k = " + array + " select(below, sum, y)\n l = " + array +
                        " select(below, x, sum)\n ROOT r = (" + array + ", " + array + ", " + pred + ", " + array +
                        ", " + array + ") tuple(a, sum, below, k, l)"),
                  0);
      // A value that only the parts read.
      CheckModule(Entry(parts + " d = " + array + " multiply(y, cs)\n e = " + array + " negate(y)\n f = " + array +
                        " add(x, d)\n i = " + array + " select(below, f, x)\n ROOT r = " + array + " subtract(i, e)"),
                  0);
    }
  }
}

TEST_CASE("what no turn of a loop changes is computed once") {
  const std::string text = R"(HloModule m
    body { p = (s32[], f32[30,40], f32[2,30], f32[2,40]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      w = f32[30,40] get-tuple-element(p), index=1
      a = f32[2,30] get-tuple-element(p), index=2
      b = f32[2,40] get-tuple-element(p), index=3
      one = s32[] constant(1)
      n = s32[] add(i, one)
      e = f32[30,40] exponential(w)
      v = f64[30,40] convert(e)
      d = f64[2,30] convert(a)
      product = f64[2,40] dot(d, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      f = f32[2,40] convert(product)
      s = f32[2,30] slice(f), slice={[0:2], [5:35]}
      h = f32[2,30] tanh(s)
      ROOT t = (s32[], f32[30,40], f32[2,30], f32[2,40]) tuple(n, w, h, f) }
    condition { p = (s32[], f32[30,40], f32[2,30], f32[2,40]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(7)
      ROOT c = pred[] compare(i, n), direction=LT }
    ENTRY e { w = f32[30,40] parameter(0)
      a = f32[2,30] parameter(1)
      b = f32[2,40] parameter(2)
      zero = s32[] constant(0)
      t = (s32[], f32[30,40], f32[2,30], f32[2,40]) tuple(zero, w, a, b)
      ROOT l = (s32[], f32[30,40], f32[2,30], f32[2,40]) while(t), condition=condition, body=body })";
  CheckModule(text, 1e-5);
  auto module = ParseModule(text);
  REQUIRE(module.ok());
  ExecutableOptions options;
  options.profile = true;
  auto executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  std::vector<Literal> inputs;
  for (int64_t i = 0; i < 3; ++i) inputs.push_back(Ramp((*module)->entry_computation()->parameter(i)->shape(), i));
  const Literal* arguments[] = {&inputs[0], &inputs[1], &inputs[2]};
  REQUIRE((*executable)->Run(arguments).ok());
  int exponentials = 0, dots = 0;
  for (const auto& step : (*executable)->Profile().steps) {
    if (step.name.find("exponential") != std::string::npos) exponentials += static_cast<int>(step.calls);
    if (step.name.find("dot") != std::string::npos) dots += static_cast<int>(step.calls);
  }
  CHECK(exponentials == 1);
  CHECK(dots == 7);
}

TEST_CASE("padding around an array, on some sides or all, and cut off on others") {
  for (const char* type : {"s8", "bf16", "f32", "f64", "c128"}) {
    const std::string t = type;
    for (const auto& [padding, dims] : {std::pair{"1_2x0_0x3_4", "[13,7,16]"},
                                        {"0_0x5_1x0_0", "[10,13,9]"},
                                        {"-1_2x1_-1x0_3", "[11,7,12]"},
                                        {"0_0x0_0x0_0", "[10,7,9]"},
                                        {"0_0x0_0x0_1", "[10,7,10]"},
                                        {"9_9x0_0x8_8", "[28,7,25]"},
                                        {"0_0x1_1_1x0_0", "[10,15,9]"}}) {
      CheckModule(Entry("x = " + t + "[10,7,9] parameter(0)\n v = " + t + "[] parameter(1)\n ROOT r = " + t + dims +
                        " pad(x, v), padding=" + padding),
                  0);
    }
  }
}

TEST_CASE("results that are written past the caches, by the chain that computes them") {
  // Into a literal's lines, and into memory of a caller's that begins in the middle of one.
  for (const char* type : {"f64[2097171]", "s32[4194309]"}) {
    const std::string t = type;
    const std::string text = Entry("x = " + t + " parameter(0)\n y = " + t + " parameter(1)\n p = " + t +
                                   " multiply(x, y)\n s = " + t + " subtract(p, y)\n ROOT a = " + t + " abs(s)");
    CheckModule(text, 0);
    const CheckedModule checked(text);
    auto executable = PrepareExecutable(*checked.module, ExecutableOptions());
    REQUIRE(executable.ok());
    std::vector<std::byte> memory(static_cast<size_t>(checked.expected.size_bytes()) + 128);
    const auto line =
        (reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64 - reinterpret_cast<uintptr_t>(memory.data());
    auto result = Literal::Borrow(checked.expected.shape(), memory.data() + line + 8);
    REQUIRE(result.ok());
    REQUIRE((*executable)->RunInto(checked.arguments, &*result).ok());
    CHECK(result->BitwiseEqual(checked.expected));
  }
}

TEST_CASE("results that are written past the caches") {
  // Unaligned rows, two results where one depends on the other, and one scalar result.
  CheckModule(Entry("x = f64[1451] parameter(0)\n y = f64[1451] parameter(1)\n a = f64[1451,1451] broadcast(x), "
                    "dimensions={0}\n b = f64[1451,1451] broadcast(y), dimensions={1}\n s = f64[1451,1451] add(a, b)\n "
                    "p = f64[1451,1451] multiply(s, b)\n ROOT t = (f64[1451,1451], f64[1451,1451]) tuple(s, p)"),
              0);
  CheckModule(Entry("x = c128[1] parameter(0)\n r = c128[] reshape(x)\n ROOT b = c128[1048579] broadcast(r), "
                    "dimensions={}"),
              0);
}
