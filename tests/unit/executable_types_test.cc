// executable.h: types that no tile holds, and ops with bodies of any kind, all of them in the plan: each against the
// reference.
#include <string>

#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

// x0, x1, … of that type, made from wide numbers, which a test can fill in.
std::string Values(const std::string& type, const std::string& dims, int count) {
  const bool complex = type[0] == 'c';
  const std::string wide = complex || type[0] == 'f' ? "f32" : "s32";
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i), w = wide + dims;
    text += " w" + n + " = " + w + " parameter(" + n + ")\n";
    if (!complex) text += " x" + n + " = " + type + dims + " convert(w" + n + ")\n";
    else
      text += " v" + n + " = " + w + " cosine(w" + n + ")\n z" + n + " = c64" + dims + " complex(w" + n + ", v" + n +
              ")\n x" + n + " = " + type + dims + " convert(z" + n + ")\n";
  }
  return text;
}

std::string Body(const std::string& type, const std::string& lines) {
  return "body { a = " + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n" + lines + " }\n";
}

// "c64[] constant((1, 0))"
std::string Constant(const std::string& type, int value) {
  const std::string number = std::to_string(value);
  return type + "[] constant(" + (type[0] == 'c' ? "(" + number + ", 0)" : number) + ")";
}

}  // namespace

TEST_CASE("elementwise ops of types that no tile holds") {
  for (const std::string type : {"f8e4m3fn", "f8e5m2", "f4e2m1fn", "s4", "u2", "c64", "c128"}) {
    const std::string dims = "[37,111]", t = type + dims, p = "pred" + dims;
    const std::string start = Values(type, dims, 2);
    for (const std::string op : {"add", "multiply", "divide", "subtract"})
      CheckModule(Entry(start + " ROOT r = " + t + " " + op + "(x0, x1)"), 0);
    CheckModule(Entry(start + " ROOT r = " + t + " negate(x0)"), 0);
    CheckModule(Entry(start + " c = " + p + " compare(x0, x1), direction=EQ\n ROOT r = " + t + " select(c, x0, x1)"),
                0);
    CheckModule(Entry(start + " k = " + Constant(type, 1) + "\n ks = " + t +
                      " broadcast(k), dimensions={}\n ROOT r = " + t + " add(x0, ks)"),
                0);
    CheckModule(Entry(start + " s = " + type + "[1,1] slice(x0), slice={[3:4], [5:6]}\n q = " + type +
                      "[] reshape(s)\n b = " + t + " broadcast(q), dimensions={}\n ROOT r = " + t + " multiply(b, x1)"),
                0);
    CheckModule(Entry(start + " i = " + t + " iota(), iota_dimension=1\n ROOT r = " + t + " add(x0, i)"), 0);
    const std::string back = type[0] == 'c' ? "c128" : type[0] == 'f' ? "bf16" : "s64";
    CheckModule(
        Entry(start + " y = " + t + " transpose(x0), dimensions={0,1}\n ROOT r = " + back + dims + " convert(y)"), 0);
  }
  CheckModule(Entry(Values("s4", "[700]", 1) + " ROOT r = u4[700] bitcast-convert(x0)"), 0);
  CheckModule(Entry(Values("bf16", "[700]", 1) + " n = bf16[700] negate(x0)\n ROOT r = u16[700] bitcast-convert(n)"),
              0);
  CheckModule(Entry(Values("f8e5m2", "[700]", 1) + " ROOT r = s8[700] bitcast-convert(x0)"), 0);
  CheckModule(
      Entry(Values("f32", "[20,30]", 1) + " y = f32[20,30] negate(x0)\n ROOT r = u16[20,30,2] bitcast-convert(y)"), 0);
}

TEST_CASE("contractions of types that no kernel multiplies") {
  for (const std::string type : {"f8e4m3fn", "f4e2m1fn", "s4", "u4", "pred", "c64", "c128", "s64"}) {
    const double tolerance = type == "c64" ? 1e-5 : type == "c128" ? 1e-14 : type[0] == 'f' ? 0.1 : 0;
    const std::string values = Values(type, "[2,9,9]", 2);
    CheckModule(Entry(values + " ROOT r = " + type +
                      "[2,9,9] dot(x0, x1), lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
                      "lhs_batch_dims={0}, rhs_batch_dims={0}"),
                tolerance);
    if (type == "s64") continue;
    CheckModule(Entry(Values(type, "[1,9,9,2]", 1) + " k = " + type +
                      "[1,3,3,2] slice(x0), slice={[0:1], [0:3], [0:3], [0:2]}\n"
                      " w = " +
                      type + "[3,3,2,1] reshape(k)\n ROOT r = " + type +
                      "[1,9,9,1] convolution(x0, w), "
                      "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"),
                tolerance);
  }
  CheckModule(Entry(Values("s4", "[9,9]", 2) +
                    " ROOT r = s32[9,9] dot(x0, x1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
              0);
  CheckModule(Entry(Values("f8e5m2", "[9,9]", 2) +
                    " ROOT r = f32[9,9] dot(x0, x1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
              1e-6);
  CheckModule(
      Entry(
          Values("c64", "[9,9]", 1) +
          " b = f32[9,9] real(x0)\n ROOT r = c64[9,9] dot(x0, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
      1e-5);
}

TEST_CASE("reductions and scatters by any body") {
  for (const std::string type : {"s32", "f32", "f64", "bf16", "f8e5m2", "u4", "c64"}) {
    const std::string odd = Body(type, " m = " + type + "[] multiply(a, b)\n ROOT r = " + type + "[] subtract(b, m)");
    const std::string values = Values(type, "[13,70,6]", 1) + " z = " + Constant(type, 1) + "\n";
    for (const std::string dims : {"{0}", "{1}", "{2}", "{0,2}"}) {
      const std::string result = dims == "{0}"   ? "[70,6]"
                                 : dims == "{1}" ? "[13,6]"
                                 : dims == "{2}" ? "[13,70]"
                                                 : "[70]";
      CheckModule("HloModule m\n" + odd + "ENTRY e {\n" + values + " ROOT r = " + type + result +
                      " reduce(x0, z), dimensions=" + dims + ", to_apply=body\n}",
                  0);
    }
    // Two arrays: each accumulator is made of both.
    CheckModule("HloModule m\ntwo { a = " + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n c = " + type +
                    "[] parameter(2)\n d = " + type + "[] parameter(3)\n p = " + type +
                    "[] subtract(b, c)\n q = " + type + "[] add(a, d)\n ROOT r = (" + type + "[], " + type +
                    "[]) tuple(p, q)\n}\nENTRY e {\n" + values + " y = " + type + "[13,70,6] add(x0, x0)\n ROOT r = (" +
                    type + "[13,6], " + type + "[13,6]) reduce(x0, y, z, z), dimensions={1}, to_apply=two\n}",
                0);
    const std::string scatter =
        " i = s32[40,1] parameter(1)\n ROOT r = " + type +
        "[13,70,6] scatter(x0, i, u), update_window_dims={1,2}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=body\n}";
    const std::string updates = " u0 = " + type + "[40,70,6] broadcast(z), dimensions={}\n k = " + type +
                                "[40,70,6] iota(), iota_dimension=1\n u = " + type + "[40,70,6] add(u0, k)\n";
    CheckModule("HloModule m\n" + odd + "ENTRY e {\n" + values + updates + scatter, 0);
    CheckModule(
        "HloModule m\n" + Body(type, " ROOT r = " + type + "[] add(a, b)") + "ENTRY e {\n" + values + updates + scatter,
        0);
  }
  // A carried array is updated where it lies.
  CheckModule("HloModule m\n" + Body("f32", " m = f32[] multiply(a, b)\n ROOT r = f32[] subtract(b, m)") +
                  "turn { t = (s32[], f32[50]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n x = f32[50] "
                  "get-tuple-element(t), index=1\n"
                  " one = s32[] constant(1)\n j = s32[] add(i, one)\n at = s32[1] reshape(i)\n u = f32[] constant(3)\n"
                  " y = f32[50] scatter(x, at, u), update_window_dims={}, inserted_window_dims={0}, "
                  "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=body\n"
                  " ROOT r = (s32[], f32[50]) tuple(j, y) }\n"
                  "on { t = (s32[], f32[50]) parameter(0)\n i = s32[] get-tuple-element(t), index=0\n n = s32[] "
                  "constant(20)\n ROOT r = pred[] compare(i, n), direction=LT }\n"
                  "ENTRY e { x = f32[50] parameter(0)\n z = s32[] constant(0)\n t = (s32[], f32[50]) tuple(z, x)\n "
                  "ROOT w = (s32[], f32[50]) while(t), condition=on, body=turn }",
              0);
}

TEST_CASE("sums of complex numbers, and windows over them") {
  for (const std::string type : {"c64", "c128"}) {
    const std::string start = "HloModule m\n" + Body(type, " ROOT r = " + type + "[] add(a, b)") + "ENTRY e {\n" +
                              Values(type, "[13,70]", 1) + " z = " + type + "[] constant((1, 2))\n";
    CheckModule(start + " ROOT r = " + type + "[13] reduce(x0, z), dimensions={1}, to_apply=body\n}", 1e-5);
    CheckModule(
        start + " ROOT r = " + type + "[13,70] reduce-window(x0, z), window={size=1x70 pad=0_0x69_0}, to_apply=body\n}",
        1e-5);
  }
}

TEST_CASE("windows by any body") {
  for (const std::string type : {"f32", "s32", "f8e5m2", "c64"}) {
    const std::string start =
        "HloModule m\n" + Body(type, " m = " + type + "[] multiply(a, b)\n ROOT r = " + type + "[] subtract(b, m)") +
        "ENTRY e {\n" + Values(type, "[7,31]", 1) + " z = " + Constant(type, 1) + "\n";
    for (const std::string window :
         {"size=7x1 pad=6_0x0_0", "size=1x40 pad=0_0x39_0", "size=1x31 pad=0_0x0_30", "size=3x2 pad=1_1x1_0"}) {
      CheckModule(
          start + " ROOT r = " + type + "[7,31] reduce-window(x0, z), window={" + window + "}, to_apply=body\n}", 0);
    }
    CheckModule(start + " ROOT r = " + type +
                    "[4,9] reduce-window(x0, z), window={size=3x2 stride=2x7 pad=1_1x1_1 lhs_dilate=1x2 "
                    "rhs_dilate=1x3}, to_apply=body\n}",
                0);
  }
}

TEST_CASE("pooling gradients of narrow types") {
  for (const std::string type : {"bf16", "f16", "s32", "u8"}) {
    const std::string text =
        "HloModule m\nge { a = " + type + "[] parameter(0)\n b = " + type +
        "[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=GE }\n" +
        Body(type, " ROOT r = " + type + "[] add(a, b)") + "ENTRY e {\n" + Values(type, "[2,9,9,5]", 1) +
        " z = " + Constant(type, 0) + "\n s = " + type +
        "[2,4,4,5] slice(x0), slice={[0:2], [1:5], [2:6], [0:5]}\n ROOT r = " + type +
        "[2,9,9,5] select-and-scatter(x0, s, z), window={size=1x3x3x1 stride=1x2x2x1}, select=ge, scatter=body\n}";
    CheckModule(text, 0);
  }
}

TEST_CASE("sorts by several keys, and by parts of complex numbers") {
  const std::string lexical =
      "c { a = s32[] parameter(0)\n b = s32[] parameter(1)\n x = f32[] parameter(2)\n y = f32[] parameter(3)\n"
      " lt = pred[] compare(a, b), direction=LT\n eq = pred[] compare(a, b), direction=EQ\n"
      " gt = pred[] compare(x, y), direction=GT, type=TOTALORDER\n";
  for (const std::string root :
       {" n = pred[] and(eq, gt)\n ROOT r = pred[] or(lt, n) }\n",
        " n = pred[] and(gt, eq)\n ROOT r = pred[] or(n, lt) }\n", " ROOT r = pred[] select(eq, gt, lt) }\n"}) {
    for (const std::string stable : {"", ", is_stable=true"}) {
      CheckModule("HloModule m\n" + lexical + root +
                      "ENTRY e { k = s32[5,300] parameter(0)\n seven = s32[] constant(7)\n sevens = s32[5,300] "
                      "broadcast(seven), dimensions={}\n"
                      " small = s32[5,300] remainder(k, sevens)\n v = f32[5,300] parameter(1)\n ROOT s = (s32[5,300], "
                      "f32[5,300]) sort(small, v), dimensions={1}, to_apply=c" +
                      stable + " }",
                  0);
    }
  }
  CheckModule(
      "HloModule m\nc { a = c64[] parameter(0)\n b = c64[] parameter(1)\n ra = f32[] real(a)\n rb = f32[] real(b)\n ia "
      "= f32[] imag(a)\n ib = f32[] imag(b)\n"
      " lt = pred[] compare(ra, rb), direction=LT\n eq = pred[] compare(ra, rb), direction=EQ\n li = pred[] "
      "compare(ia, ib), direction=LT\n"
      " n = pred[] and(eq, li)\n ROOT r = pred[] or(lt, n) }\nENTRY e {\n" +
          Values("c64", "[300,3]", 1) +
          " f = f32[300,3] real(x0)\n g = f32[300,3] floor(f)\n i = f32[300,3] imag(x0)\n z = c64[300,3] complex(g, "
          "i)\n"
          " ROOT s = c64[300,3] sort(z), dimensions={0}, is_stable=true, to_apply=c }",
      0);
  for (const std::string type : {"f8e4m3fn", "s4", "u2", "f16"}) {
    CheckModule("HloModule m\nc { a = " + type + "[] parameter(0)\n b = " + type +
                    "[] parameter(1)\n i = s32[] parameter(2)\n j = s32[] parameter(3)\n"
                    " ROOT r = pred[] compare(a, b), direction=GT }\nENTRY e {\n" +
                    Values(type, "[4,300]", 1) + " n = s32[4,300] iota(), iota_dimension=1\n ROOT s = (" + type +
                    "[4,300], s32[4,300]) sort(x0, n), dimensions={1}, is_stable=true, to_apply=c }",
                0);
  }
  for (const std::string type : {"f64", "s64", "u64", "f32"}) {
    CheckModule(
        Entry(Values(type, "[4,300]", 1) + " ROOT r = (" + type + "[4,7], s32[4,7]) topk(x0), k=7, largest=true"), 0);
  }
}

TEST_CASE("factors and triangular systems") {
  for (const std::string type : {"f32", "f64", "bf16", "c64", "c128"}) {
    const std::string a = "[3,21,21]", t = type + a;
    // Large on the diagonal, and the same across it up to conjugation: positive definite.
    const std::string matrix =
        Values(type, a, 1) + " i = s32" + a + " iota(), iota_dimension=1\n j = s32" + a +
        " iota(), iota_dimension=2\n on = pred" + a + " compare(i, j), direction=EQ\n big = " + type + "[] constant(" +
        (type[0] == 'c' ? "(90, 0)" : "90") + ")\n bigs = " + t + " broadcast(big), dimensions={}\n m = " + t +
        " select(on, bigs, x0)\n f = " + type + "[3,441] reshape(x0)\n q = " + type + "[3,441] negate(f)\n";
    for (const std::string lower : {"true", "false"}) {
      CheckModule(Entry(matrix + " ROOT r = " + t + " cholesky(m), lower=" + lower), 0);
      for (const std::string left : {"true", "false"}) {
        for (const std::string transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          const std::string b = left == "true" ? "[3,21,70]" : "[3,70,21]";
          CheckModule(
              Entry(matrix + " k = " + type + "[3,70] slice(q), slice={[0:3], [0:70]}\n b = " + type + b +
                    " broadcast(k), dimensions={0," + (left == "true" ? "2" : "1") + "}\n ROOT r = " + type + b +
                    " triangular-solve(m, b), left_side=" + left + ", lower=" + lower + ", transpose_a=" + transpose),
              0);
        }
      }
    }
  }
}

TEST_CASE("batch normalization and reduced precision are written out") {
  for (const std::string type : {"f32", "f64", "bf16"}) {
    const std::string x = type + "[6,5,7]", f = type + "[5]";
    const double tolerance = type == "bf16" ? 0.02 : 1e-5;
    const std::string start = " x = " + x + " parameter(0)\n a = " + f + " parameter(1)\n b = " + f +
                              " parameter(2)\n v0 = " + f + " multiply(b, b)\n one = " + Constant(type, 1) +
                              "\n ones = " + f + " broadcast(one), dimensions={}\n v = " + f + " add(v0, ones)\n";
    const std::string rest = ", epsilon=0.001, feature_index=1";
    CheckModule(Entry(start + " ROOT r = (" + x + ", " + f + ", " + f + ") batch-norm-training(x, a, b)" + rest),
                tolerance);
    CheckModule(Entry(start + " ROOT r = " + x + " batch-norm-inference(x, a, b, b, v)" + rest), tolerance);
    CheckModule(Entry(start + " g = " + x + " parameter(3)\n ROOT r = (" + x + ", " + f + ", " + f +
                      ") batch-norm-grad(x, a, b, v, g)" + rest),
                tolerance);
    for (const std::string bits : {"5, mantissa_bits=2", "8, mantissa_bits=7", "2, mantissa_bits=40",
                                   "11, mantissa_bits=0", "4, mantissa_bits=3"}) {
      CheckModule(Entry(" x = " + x + " parameter(0)\n e = " + x + " exponential(x)\n y = " + x +
                        " power(e, e)\n ROOT r = " + x + " reduce-precision(x), exponent_bits=" + bits),
                  0);
    }
  }
}

TEST_CASE("asynchronous pairs and marks cost nothing") {
  CheckModule(
      "HloModule m\nwrapped { a = f32[30] parameter(0)\n b = f32[30] parameter(1)\n ROOT s = f32[30] add(a, b) }\n"
      "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n"
      "ENTRY e { x = f32[30] parameter(0)\n y = f32[30] parameter(1)\n s = ((f32[30], f32[30]), f32[30], s32[]) "
      "async-start(x, y), calls=wrapped\n"
      " u = ((f32[30], f32[30]), f32[30], s32[]) async-update(s)\n d = f32[30] async-done(u)\n c = (f32[30], f32[30], "
      "u32[]) copy-start(d)\n"
      " e = f32[30] copy-done(c)\n r = f32[30] all-reduce-start(e), to_apply=add\n t = f32[30] all-reduce-done(r)\n"
      " g = (f32[30], f32[30]) all-gather-start(t), dimensions={0}\n h = f32[30] all-gather-done(g)\n"
      " k = f32[30] custom-call(h), custom_call_target=\"Sharding\"\n ROOT n = f32[30] negate(k) }",
      0);
}
