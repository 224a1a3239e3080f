// executable.h: prepared plans give the reference evaluator's results, with each instruction set, fused or not, and the
// same bytes for any number of threads. Modules here aim at the plan's own corners: tails, short rows, views that fit
// no loop, reductions of every shape, results in place of operands, loop carries that trade places.
#include "hloir/executable.h"

#include <string>
#include <tuple>

#include "hloir/parser.h"
#include "tests/unit/check_module.h"

using namespace hloir;

TEST_CASE("elementwise chains with tails") {
  for (const char* n : {"1", "3", "17", "1000", "5000", "200000"}) {
    for (const char* type : {"f32", "f64", "s32", "u8", "s16", "s64"}) {
      const std::string shape = std::string(type) + "[" + n + "]";
      CheckModule(Entry("a = " + shape + " parameter(0)\n b = " + shape + " parameter(1)\n c = " + shape +
                        " add(a, b)\n d = " + shape + " multiply(c, b)\n m = " + shape + " maximum(d, a)\n p = pred[" +
                        n + "] compare(m, c), direction=GT\n" + "s = " + shape + " select(p, m, b)\n ROOT t = (" +
                        shape + ", pred[" + n + "]) tuple(s, p)"),
                  0);
    }
  }
}

TEST_CASE("NaNs keep their signs and payloads through functions, as the reference has them") {
  for (const char* op : {"logistic", "log", "log-plus-one", "exponential", "tanh", "negate"}) {
    for (const auto& [type, bits, quiet] : {std::tuple("f32", "u32", "2143289344"),  // 0x7fc00000
                                            std::tuple("f64", "u64", "9221120237041090560")}) {
      const std::string u = std::string(bits) + "[67]{0}", f = std::string(type) + "[67]{0}", b = bits;
      CheckModule("HloModule m\nENTRY e {\n x = " + u + " parameter(0)\n q = " + b + "[] constant(" + quiet +
                      ")\n qs = " + u + " broadcast(q), dimensions={}\n n = " + u + " or(x, qs)\n f = " + f +
                      " bitcast-convert(n)\n y = " + f + " " + op + "(f)\n ROOT r = " + u + " bitcast-convert(y)\n}\n",
                  0);
    }
  }
}

TEST_CASE("numbers without elements") {
  CheckModule(Entry("ROOT i = f32[1000000000000,0] iota(), iota_dimension=0"), 0);
}

TEST_CASE("types of different widths share no register") {
  CheckModule(Entry(R"(a = s32[11] parameter(0)
    b = s32[11] parameter(1)
    p = pred[11] compare(a, b), direction=NE
    c = s32[11] convert(p)
    d = s64[11] convert(c)
    e = s8[11] convert(d)
    f = s32[11] convert(e)
    g = s32[11] add(f, a)
    ROOT r = s32[11] minimum(g, b))"),
              0);
}

TEST_CASE("views within loops") {
  for (const char* columns : {"3", "40", "100", "3000"}) {
    const std::string n = columns;
    CheckModule(
        Entry("x = f32[7," + n + "] parameter(0)\n r = f32[" + n + "] parameter(1)\n c = f32[7] parameter(2)\n" +
              "rb = f32[7," + n + "] broadcast(r), dimensions={1}\n cb = f32[7," + n +
              "] broadcast(c), dimensions={0}\n" + "a = f32[7," + n + "] multiply(x, rb)\n b = f32[7," + n +
              "] add(a, cb)\n v = f32[7," + n + "] reverse(x), dimensions={0,1}\n i = f32[7," + n +
              "] iota(), iota_dimension=1\n d = f32[7," + n + "] subtract(b, v)\n ROOT e = f32[7," + n + "] add(d, i)"),
        1e-6);
    CheckModule(Entry("x = f32[7," + n + "] parameter(0)\n y = f32[" + n + ",7] parameter(1)\n t = f32[7," + n +
                      "] transpose(y), dimensions={1,0}\n ROOT a = f32[7," + n + "] add(x, t)"),
                0);
  }
  CheckModule(Entry(R"(x = bf16[5,2,33] parameter(0)
    s = bf16[5,1,16] slice(x), slice={[0:5], [1:2], [1:33:2]}
    t = bf16[16,1,5] transpose(s), dimensions={2,1,0}
    u = bf16[80] reshape(t)
    ROOT r = bf16[80] add(u, u))"),
              0);
}

TEST_CASE("reductions of every shape") {
  struct Case {
    const char *in, *out, *dims;
  };
  for (Case c :
       {Case{"[5]", "[]", "{0}"}, Case{"[100000]", "[]", "{0}"}, Case{"[9,7]", "[9]", "{1}"},
        Case{"[300,7]", "[300]", "{1}"}, Case{"[9,7]", "[7]", "{0}"}, Case{"[3000,7]", "[7]", "{0}"},
        Case{"[300,200]", "[300]", "{1}"}, Case{"[300,200]", "[200]", "{0}"}, Case{"[3,5000]", "[3]", "{1}"},
        Case{"[2000,64]", "[64]", "{0}"}, Case{"[4,300,5]", "[4,5]", "{1}"}, Case{"[4,30,200]", "[4,200]", "{1}"},
        Case{"[4,30,200]", "[4]", "{1,2}"}, Case{"[4,1,200]", "[4,200]", "{1}"}, Case{"[1,1]", "[]", "{0,1}"}}) {
    for (const char* op : {"add", "maximum"}) {
      for (const char* type : {"f32", "s32"}) {
        const std::string t = type;
        CheckModule("HloModule m\nf { a = " + t + "[] parameter(0)\n b = " + t + "[] parameter(1)\n ROOT c = " + t +
                        "[] " + op + "(a, b)\n}\nENTRY e {\n x = " + t + c.in + " parameter(0)\n y = " + t + c.in +
                        " multiply(x, x)\n z = " + t + "[] constant(3)\n r = " + t + c.out +
                        " reduce(y, z), dimensions=" + c.dims + ", to_apply=f\n ROOT q = (" + t + c.out + ", " + t +
                        c.in + ") tuple(r, y)\n}\n",
                    t == "f32" ? 1e-5 : 0);
      }
    }
  }
}

TEST_CASE("long rows that lie in memory") {
  for (const char* type : {"s32", "f32", "bf16", "u8"}) {
    for (const char* op : {"add", "maximum"}) {
      for (const char* size : {"[70001]", "[3,300001]", "[2,524288]"}) {
        INFO(type << " " << op << " " << size);
        const std::string t = type, out = size[2] == ',' ? std::string("[") + size[1] + "]" : "[]";
        const std::string dimension = size[2] == ',' ? "1" : "0";
        // Sums of f32 are rounded in another order, whose error grows with the square root of the length.
        CheckModule("HloModule m\nf { a = " + t + "[] parameter(0)\n b = " + t + "[] parameter(1)\n ROOT c = " + t +
                        "[] " + op + "(a, b)\n}\nENTRY e {\n x = " + t + size + " parameter(0)\n z = " + t +
                        "[] constant(3)\n ROOT r = " + t + out + " reduce(x, z), dimensions={" + dimension +
                        "}, to_apply=f\n}\n",
                    op[0] == 'm' || t == "s32" || t == "u8" ? 0
                    : t == "f32"                            ? 1e-4
                                                            : 2e-2);
      }
    }
  }
}

TEST_CASE("products of all sizes") {
  for (const char* dims : {"1 1 1", "3 5 7", "1 300 200", "300 1 200", "33 65 129", "130 70 800", "300 200 100",
                           "8 130 900", "30 32 40", "70 50 2500", "9 7 64", "300 3 20", "3 64 70", "5 40 90", "11 64 9",
                           "333 64 800", "101 33 30", "13 150 1700"}) {
    int m, n, k;
    REQUIRE(std::sscanf(dims, "%d %d %d", &m, &n, &k) == 3);
    auto shape = [](const char* type, int a, int b) {
      return std::string(type) + "[" + std::to_string(a) + "," + std::to_string(b) + "]";
    };
    for (const char* type : {"f32", "f64", "s32", "s8", "u8", "s16", "bf16"}) {
      const std::string narrow = type;
      const char* wide = narrow == "s8" || narrow == "u8" || narrow == "s16" ? "s32" : type;
      const double tolerance = type == std::string("bf16") ? 0.01 : type == std::string("f32") ? 1e-5 : 1e-12;
      CheckModule(Entry("a = " + shape(type, m, k) + " parameter(0)\n b = " + shape(type, k, n) +
                        " parameter(1)\n ROOT c = " + shape(wide, m, n) +
                        " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
                  tolerance);
      CheckModule(Entry("a = " + shape(type, k, m) + " parameter(0)\n b = " + shape(type, n, k) +
                        " parameter(1)\n ROOT c = " + shape(wide, m, n) +
                        " dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={1}"),
                  tolerance);
      CheckModule(Entry("a = " + shape(type, m, k) + " parameter(0)\n b = " + shape(type, n, k) +
                        " parameter(1)\n ROOT c = " + shape(wide, m, n) +
                        " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}"),
                  tolerance);
    }
  }
  // The most that narrow integers can be, over a length that is not a multiple of four. Sums of s16 wrap.
  for (const char* type : {"s8", "u8", "s16"}) {
    const std::string t = type, least = t == "s8" ? "-128" : t == "u8" ? "255" : "-32768";
    CheckModule(Entry("l = " + t + "[] constant(" + least + ")\n a = " + t +
                      "[20,2001] broadcast(l), dimensions={}\n b = " + t +
                      "[2001,40] parameter(0)\n c = s32[20,40] dot(a, b), lhs_contracting_dims={1}, "
                      "rhs_contracting_dims={0}\n d = s32[20,20] " +
                      "dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n ROOT t = (s32[20,40], "
                      "s32[20,20]) tuple(c, d)"),
                0);
  }
  CheckModule(Entry(R"(a = s8[33,129] parameter(0)
    b = u8[129,65] parameter(1)
    c = s16[65,70] parameter(2)
    ab = s32[33,65] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ac = s16[129,70] dot(b, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT t = (s32[33,65], s16[129,70]) tuple(ab, ac))"),
              0);
  CheckModule(Entry(R"(a = f32[2,30,5,40] parameter(0)
    b = f32[40,2,50,5] parameter(1)
    ROOT c = f32[2,5,30,50] dot(a, b), lhs_batch_dims={0,2}, lhs_contracting_dims={3}, rhs_batch_dims={1,3}, rhs_contracting_dims={0})"),
              1e-5);
}

namespace {
std::string PlanOf(const std::string& text) {
  auto module = ParseModule(text);
  REQUIRE(module.status().message() == "");
  auto executable = PrepareExecutable(**module);
  REQUIRE(executable.status().message() == "");
  return (*executable)->ToString();
}
}  // namespace

TEST_CASE("what costs little is computed by each loop that reads it, not written, if there is nothing more to read") {
  const std::string add = "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n";
  // The sum of the squares must be complete before they are divided by it.
  const auto module = [&](const std::string& cheap, const std::string& results) {
    return "HloModule m\n" + add + "ENTRY e { x = f32[70,200] parameter(0)\n row = f32[70] parameter(1)\n y = " +
           "f32[70,200] parameter(2)\n zero = f32[] constant(0)\n rows = f32[70,200] broadcast(row), dimensions={0}\n" +
           cheap + " b = f32[70,200] multiply(a, a)\n s = f32[70] reduce(b, zero), dimensions={1}, to_apply=add\n" +
           " t = f32[70,200] broadcast(s), dimensions={0}\n r = f32[70,200] divide(a, t)\n ROOT q = (" + results + " }";
  };
  const std::string one = "f32[70,200]) tuple(r)";
  const auto check = [&](const std::string& cheap, const std::string& results, const std::string& expected) {
    const std::string text = module(cheap, results);
    CheckModule(text, 1e-5);
    INFO(PlanOf(text));
    CHECK(PlanOf(text).find(expected) != std::string::npos);
  };
  check(" a = f32[70,200] subtract(x, rows)\n", one, "elements: subtract divide");
  // Written: two arrays to read in place of one; costly; made of what this loop alone knows; a result.
  check(" a = f32[70,200] subtract(x, y)\n", one, "elements: divide");
  check(" a = f32[70,200] exponential(x)\n", one, "elements: divide");
  check(" n = f32[70,200] exponential(x)\n a = f32[70,200] negate(n)\n", one, "elements: divide");
  check(" a = f32[70,200] subtract(x, rows)\n", "f32[70,200], f32[70,200]) tuple(r, a)", "elements: divide");
}

TEST_CASE("a product that is read as its transpose is made as that") {
  const std::string plain = Entry(R"(a = f32[50,70] parameter(0)
    b = f32[70,90] parameter(1)
    d = f32[50,90] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    t = f32[90,50] transpose(d), dimensions={1,0}
    u = f32[4500] reshape(t)
    n = f32[90,50] negate(t)
    ROOT r = (f32[90,50], f32[4500]) tuple(n, u))");
  CheckModule(plain, 1e-5);
  CHECK(PlanOf(plain).find("copy view") == std::string::npos);
  CHECK(PlanOf(plain).find("dot [90x50x70]") != std::string::npos);
  const std::string batch = Entry(R"(a = f64[3,20,4,30] parameter(0)
    b = f64[3,30,50] parameter(1)
    d = f64[3,20,4,50] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={3}, rhs_batch_dims={0}, rhs_contracting_dims={1}
    ROOT t = f64[3,50,20,4] transpose(d), dimensions={0,3,1,2})");
  CheckModule(batch, 1e-12);
  CHECK(PlanOf(batch).find("copy view") == std::string::npos);
  // Read both ways, or in part, it stays as it is.
  for (const char* other : {"negate(d)", "slice(d), slice={[0:50], [0:90]}"}) {
    const std::string both = Entry(std::string(R"(a = f32[50,70] parameter(0)
      b = f32[70,90] parameter(1)
      d = f32[50,90] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      t = f32[90,50] transpose(d), dimensions={1,0}
      n = f32[50,90] )") + other + "\n ROOT r = (f32[90,50], f32[50,90]) tuple(t, n)");
    CheckModule(both, 1e-5);
    CHECK(PlanOf(both).find("dot [50x90x70]") != std::string::npos);
  }
}

TEST_CASE("a reduction runs in the loop that makes its operand, whatever comes in between") {
  const std::string text = R"(HloModule m
    f { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
    ENTRY e { x = f32[40,60] parameter(0)  w = f32[60,20] parameter(1)  zero = f32[] constant(0)
      y = f32[40,60] multiply(x, x)
      z = f32[40,60] negate(y)
      d = f32[40,20] dot(z, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      s = f32[60] reduce(y, zero), dimensions={0}, to_apply=f
      ROOT r = (f32[40,20], f32[60]) tuple(d, s) })";
  CheckModule(text, 1e-5);
  const std::string plan = PlanOf(text);
  INFO(plan);
  CHECK(plan.find("loop 2400 elements") == plan.rfind("loop 2400 elements"));
}

TEST_CASE("moved data") {
  CheckModule(Entry(R"(x = f32[6,5] parameter(0)
    y = f32[6,3] parameter(1)
    z = f32[] parameter(2)
    i = s32[] constant(4)
    j = s32[] constant(-1)
    c = f32[6,8] concatenate(x, y), dimensions={1}
    p = f32[8,10] pad(c, z), padding=1_1x-1_-4_1
    d = f32[3,4] dynamic-slice(p, i, j), dynamic_slice_sizes={3,4}
    u = f32[8,10] dynamic-update-slice(p, d, j, i)
    ROOT t = (f32[6,8], f32[8,10], f32[3,4], f32[8,10]) tuple(c, p, d, u))"),
              0);
  CheckModule(Entry(R"(x = f32[40,6] parameter(0)
    i = s32[9,1] parameter(1)
    ROOT g = f32[9,6] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6})"),
              0);
  CheckModule(R"(HloModule m
    f { a = f32[] parameter(0)
        b = f32[] parameter(1)
        ROOT c = f32[] add(a, b) }
    ENTRY e { x = f32[40,6] parameter(0)
      i = s32[9,1] parameter(1)
      u = f32[9,6] parameter(2)
      ROOT s = f32[40,6] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f })",
              1e-6);
}

TEST_CASE("single elements by clamped indices, in blocks") {
  for (const char* type : {"s32", "s64"}) {
    for (const char* element : {"f32", "f64", "s32"}) {
      // iota * 7 - 900: some indices lie before the first element, some behind the last; 700 are no whole blocks.
      const std::string index = std::string(type) + "[700,1]";
      const std::string e = element;
      CheckModule(Entry("x = " + e + "[60,50] parameter(0)\n  n = " + index +
                        " iota(), iota_dimension=0\n  c = " + type + "[] constant(7)\n  cs = " + index +
                        " broadcast(c), dimensions={}\n  m = " + index + " multiply(n, cs)\n  o = " + type +
                        "[] constant(900)\n  os = " + index + " broadcast(o), dimensions={}\n  i = " + index +
                        " subtract(m, os)\n  flat = " + e + "[3000] reshape(x)\n  a = " + e +
                        "[700] gather(flat, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
                        "index_vector_dim=1, slice_sizes={1}\n  b = " +
                        e +
                        "[700,1] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
                        "index_vector_dim=1, slice_sizes={1,1}\n  ROOT t = (" +
                        e + "[700], " + e + "[700,1]) tuple(a, b)"),
                  0);
    }
  }
}

TEST_CASE("large arrays transposed, past the caches") {
  // Blocks of whole lines, partial blocks at the edges, and unaligned lines.
  CheckModule(Entry("x = f32[2064,2050] parameter(0)\n  ROOT t = f32[2050,2064] transpose(x), dimensions={1,0}"), 0);
  CheckModule(Entry("x = f64[1450,1451] parameter(0)\n  ROOT t = f64[1451,1450] transpose(x), dimensions={1,0}"), 0);
  // In parts of whole blocks, of which the last is smaller.
  for (const std::string t : {"s8", "f32"}) {
    CheckModule(Entry("x = " + t + "[20,9,25,150] parameter(0)\n  ROOT t = " + t +
                      "[150,25,9,20] transpose(x), dimensions={3,2,1,0}"),
                0);
  }
}

TEST_CASE("loops and branches") {
  // Carries that trade places, one that stays, one updated in place.
  CheckModule(R"(HloModule m
    body { p = (s32[], f32[5], f32[5], f32[5], f32[9,5]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      a = f32[5] get-tuple-element(p), index=1
      b = f32[5] get-tuple-element(p), index=2
      k = f32[5] get-tuple-element(p), index=3
      all = f32[9,5] get-tuple-element(p), index=4
      one = s32[] constant(1)
      zero = s32[] constant(0)
      n = s32[] add(i, one)
      s = f32[5] add(a, k)
      row = f32[1,5] reshape(s)
      new = f32[9,5] dynamic-update-slice(all, row, i, zero)
      ROOT t = (s32[], f32[5], f32[5], f32[5], f32[9,5]) tuple(n, b, s, k, new) }
    condition { p = (s32[], f32[5], f32[5], f32[5], f32[9,5]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(7)
      ROOT c = pred[] compare(i, n), direction=LT }
    ENTRY e { a = f32[5] parameter(0)
      b = f32[5] parameter(1)
      k = f32[5] parameter(2)
      all = f32[9,5] parameter(3)
      zero = s32[] constant(0)
      t = (s32[], f32[5], f32[5], f32[5], f32[9,5]) tuple(zero, a, b, k, all)
      ROOT w = (s32[], f32[5], f32[5], f32[5], f32[9,5]) while(t), condition=condition, body=body })",
              1e-6);
  CheckModule(R"(HloModule m
    double { x = f32[5] parameter(0)
      ROOT y = f32[5] add(x, x) }
    same { ROOT x = f32[5] parameter(0) }
    ENTRY e { p = s32[] parameter(0)
      x = f32[5] parameter(1)
      ROOT c = f32[5] conditional(p, x, x), branch_computations={double, same} })",
              0);
}

TEST_CASE("iterations of a short elementwise loop become one loop over elements") {
  const auto loop = [](int64_t trips, const char* dims, const char* op) {
    std::string text = R"(HloModule m
    step { x = f32[D] parameter(0)
      y = f32[D] parameter(1)
      s = f32[] parameter(2)
      b = f32[D] broadcast(s), dimensions={}
      z = f32[D] OP
      ROOT t = (f32[D], f32[D]) tuple(z, x) }
    body { p = (s32[], f32[D], f32[D], f32[2]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      x = f32[D] get-tuple-element(p), index=1
      y = f32[D] get-tuple-element(p), index=2
      k = f32[2] get-tuple-element(p), index=3
      one = s32[] constant(1)
      n = s32[] add(i, one)
      first = f32[1] slice(k), slice={[0:1]}
      s = f32[] reshape(first)
      c = (f32[D], f32[D]) call(x, y, s), to_apply=step
      u = f32[D] get-tuple-element(c), index=0
      v = f32[D] get-tuple-element(c), index=1
      ROOT t = (s32[], f32[D], f32[D], f32[2]) tuple(n, u, v, k) }
    condition { p = (s32[], f32[D], f32[D], f32[2]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(TRIPS)
      ROOT c = pred[] compare(i, n), direction=LT }
    ENTRY e { x = f32[D] parameter(0)
      y = f32[D] parameter(1)
      k = f32[2] parameter(2)
      zero = s32[] constant(0)
      t = (s32[], f32[D], f32[D], f32[2]) tuple(zero, x, y, k)
      ROOT w = (s32[], f32[D], f32[D], f32[2]) while(t), condition=condition, body=body })";
    for (const auto& [word, value] : {std::pair<std::string, std::string>{"[D]", std::string("[") + dims + "]"},
                                      {"TRIPS", std::to_string(trips)},
                                      {"OP", op}}) {
      for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) text.replace(at, word.size(), value);
    }
    return text;
  };
  const auto is_loop = [&](int64_t trips, const char* dims, const char* op) {
    const std::string text = loop(trips, dims, op);
    CheckModule(text, 1e-6);
    return PlanOf(text).find("while") != std::string::npos;
  };
  const char* const multiply = "multiply(b, y)";
  CHECK_FALSE(is_loop(1, "1024", multiply));
  CHECK_FALSE(is_loop(8, "1024", multiply));
  CHECK(is_loop(9, "1024", multiply));
  CHECK(is_loop(8, "1023", multiply));
  CHECK(is_loop(0, "1024", multiply));
  CHECK(is_loop(3, "1024", "reverse(y), dimensions={0}"));
}

TEST_CASE("limits and cancelling") {
  auto module = ParseModule(R"(HloModule m
    body { p = s32[] parameter(0)
      ROOT n = s32[] not(p) }
    condition { p = s32[] parameter(0)
      ROOT c = pred[] constant(true) }
    ENTRY e { a = s32[] parameter(0)
      ROOT w = s32[] while(a), condition=condition, body=body })");
  REQUIRE(module.ok());
  const Literal zero = Literal::Zero(PrimitiveType::S32);
  const Literal* arguments[] = {&zero};
  ExecutableOptions options;
  options.evaluator.max_steps = 1000;
  auto executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  CHECK((*executable)->Run(arguments).status().code() == StatusCode::kDeadlineExceeded);
  std::atomic<bool> cancel{true};
  options.evaluator.cancel = &cancel;
  executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  CHECK((*executable)->Run(arguments).status().code() == StatusCode::kCancelled);
  CHECK((*executable)->Run({}).status().code() == StatusCode::kInvalidArgument);
  // During the last step, which may then have left parts undone.
  auto one_step = ParseModule("HloModule m\nENTRY e { x = s32[] parameter(0)\n ROOT n = s32[] not(x) }");
  REQUIRE(one_step.ok());
  cancel = false;
  options.evaluator.on_progress = [&](int64_t, int64_t) { cancel = true; };
  executable = PrepareExecutable(**one_step, options);
  REQUIRE(executable.ok());
  CHECK((*executable)->Run(arguments).status().code() == StatusCode::kCancelled);
  options.evaluator.on_progress = nullptr;
  options.isa = "none";
  CHECK(PrepareExecutable(**module, options).status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("each instruction set of this machine can be chosen, and there is always one") {
  auto module = ParseModule("HloModule m\nENTRY e {\n  ROOT p = f32[2] parameter(0)\n}");
  REQUIRE(module.ok());
  const std::vector<std::string> isas = SupportedIsas();
  REQUIRE(!isas.empty());
  CHECK(isas.front() == "scalar");
  ExecutableOptions options;
  for (const std::string& isa : isas) {
    options.isa = isa;
    auto executable = PrepareExecutable(**module, options);
    REQUIRE(executable.ok());
    CHECK((*executable)->isa() == isa);
  }
  options.isa = "none";
  const Status status = PrepareExecutable(**module, options).status();
  CHECK(status.code() == StatusCode::kInvalidArgument);
  for (const std::string& isa : isas) CHECK(status.message().find(isa) != std::string::npos);
}

TEST_CASE("a profile counts every step, those of a loop's body at every turn") {
  auto module = ParseModule(R"(HloModule m
    sum { a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b) }
    body { p = (s32[], f32[8,8]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      x = f32[8,8] get-tuple-element(p), index=1
      one = s32[] constant(1)
      j = s32[] add(i, one)
      y = f32[8,8] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT t = (s32[], f32[8,8]) tuple(j, y) }
    condition { p = (s32[], f32[8,8]) parameter(0)
      i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(5)
      ROOT c = pred[] compare(i, n), direction=LT }
    ENTRY e { x = f32[8,8] parameter(0)
      z = s32[] constant(0)
      t = (s32[], f32[8,8]) tuple(z, x)
      ROOT w = (s32[], f32[8,8]) while(t), condition=condition, body=body })");
  REQUIRE(module.ok());
  const Literal x = Ramp(Shape::Array(PrimitiveType::F32, {8, 8}), 1);
  const Literal* arguments[] = {&x};
  ExecutableOptions options;
  int64_t done = 0, total = -1;
  options.evaluator.on_progress = [&](int64_t d, int64_t t) { done = d, total = t; };
  auto executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  REQUIRE((*executable)->Run(arguments).ok());
  CHECK((*executable)->Profile().steps.empty());
  CHECK(done > 0);
  CHECK(done == total);
  options.profile = true;
  executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  REQUIRE((*executable)->Run(arguments).ok());
  REQUIRE((*executable)->Run(arguments).ok());
  const ExecutionProfile profile = (*executable)->Profile();
  int dots = 0, loops = 0;
  for (const StepProfile& step : profile.steps) {
    if (step.name.rfind("dot", 0) == 0) {
      ++dots;
      CHECK(step.instruction == "y");
      CHECK(step.calls == 10);
      CHECK(step.depth == 1);
      CHECK(step.flops == 2 * 8 * 8 * 8);
      CHECK(step.bytes >= 2 * 8 * 8 * 4);
    }
    if (step.name == "while") {
      ++loops;
      CHECK(step.instruction == "w");
      CHECK(step.calls == 2);
    }
  }
  CHECK(dots == 1);
  CHECK(loops == 1);
  CHECK(profile.events.size() > 20);
  CHECK(profile.peak_flops > 0);
}

TEST_CASE("operations are counted, not what moves elements") {
  auto flops = [](const std::string& text) {
    auto module = ParseModule(text);
    REQUIRE(module.status().message() == "");
    ExecutableOptions options;
    options.profile = true;
    auto executable = PrepareExecutable(**module, options);
    REQUIRE(executable.ok());
    double sum = 0;
    for (const StepProfile& step : (*executable)->Profile().steps) sum += step.flops;
    return sum;
  };
  const std::string add =
      "HloModule m\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }\n";
  // An exponential and a product of each element, and its part in the sum; converts, views and copies are none.
  CHECK(flops(add + "ENTRY e { x = bf16[30,40] parameter(0)\n y = f32[30,40] convert(x)\n e = f32[30,40] "
                    "exponential(y)\n t = f32[40,30] transpose(e), dimensions={1,0}\n"
                    " u = f32[30,40] reshape(t)\n m = f32[30,40] multiply(e, y)\n z = f32[] constant(0)\n s = f32[30] "
                    "reduce(m, z), dimensions={1}, to_apply=add\n"
                    " ROOT r = (f32[30], f32[30,40]) tuple(s, u) }") == 3 * 30 * 40);
  CHECK(flops(add + "ENTRY e { x = f32[6,8] parameter(0)\n z = f32[] constant(0)\n ROOT w = f32[5,7] reduce-window(x, "
                    "z), window={size=2x2}, to_apply=add }") == 4 * 5 * 7);
  CHECK(flops(Entry("x = c64[4,8] parameter(0)\n ROOT f = c64[4,8] fft(x), fft_type=FFT, fft_length={8}")) ==
        5 * 32 * 3);
}

TEST_CASE("a plan whose values take more than the limit is refused before it runs") {
  auto module = ParseModule(R"(HloModule m
    ENTRY e { x = f32[1000] parameter(0)
      r = f32[1000] reverse(x), dimensions={0}
      one = s32[] constant(1)
      u = f32[1] constant({1})
      y = f32[1000] dynamic-update-slice(r, u, one)
      z = f32[1000] dynamic-update-slice(x, u, one)
      a = f32[500] slice(y), slice={[0:500]}
      b = f32[500] slice(z), slice={[0:500]}
      ROOT s = f32[500] add(a, b) })");
  REQUIRE(module.ok());
  ExecutableOptions options;
  options.evaluator.max_bytes = 4000;  // of one value, but not of all
  CHECK(PrepareExecutable(**module, options).status().code() == StatusCode::kResourceExhausted);
  options.evaluator.max_bytes = 1 << 20;
  CHECK(PrepareExecutable(**module, options).ok());
  // The result counts too, though it lies elsewhere.
  module = ParseModule(R"(HloModule m
    ENTRY e { x = f32[] parameter(0)
      a = f32[1000] broadcast(x), dimensions={}
      ROOT t = (f32[1000], f32[1000], f32[1000]) tuple(a, a, a) })");
  REQUIRE(module.ok());
  options.evaluator.max_bytes = 10000;
  CHECK(PrepareExecutable(**module, options).status().code() == StatusCode::kResourceExhausted);
}

TEST_CASE("custom-calls of the caller's own, and feeds, in a prepared plan") {
  auto module = ParseModule(R"(HloModule m
    ENTRY e { x = f32[3] parameter(0)
      y = f32[3] custom-call(x), custom_call_target="my_reverse", backend_config="by 1"
      ROOT z = f32[3] add(x, y) })");
  REQUIRE(module.ok());
  ExecutableOptions options;
  options.evaluator.custom_calls["my_reverse"] = [](const HloInstruction& call,
                                                    std::span<const Literal* const> operands) -> StatusOr<Literal> {
    CHECK(call.extras().backend_config.find("by 1") != std::string_view::npos);
    Literal result(call.shape());
    for (int64_t i = 0; i < 3; ++i)
      result.data<float>()[static_cast<size_t>(i)] = operands[0]->data<float>()[static_cast<size_t>(2 - i)];
    return result;
  };
  const Literal x = Ramp(Shape::Array(PrimitiveType::F32, {3}), 1);
  const Literal* arguments[] = {&x};
  auto executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  auto result = (*executable)->Run(arguments);
  REQUIRE(result.ok());
  for (int64_t i = 0; i < 3; ++i) {
    CHECK(result->GetAsDouble(i) ==
          static_cast<double>(static_cast<float>(x.GetAsDouble(i)) + static_cast<float>(x.GetAsDouble(2 - i))));
  }
  module = ParseModule(R"(HloModule m
    ENTRY e { start = token[] after-all()
      fed = (s32[2], token[]) infeed(start)
      x = s32[2] get-tuple-element(fed), index=0
      then = token[] get-tuple-element(fed), index=1
      out = token[] outfeed(x, then), outfeed_shape=s32[2]
      ROOT n = s32[2] negate(x) })");
  REQUIRE(module.ok());
  std::vector<Literal> taken;
  options.evaluator.infeed = [](const Shape& shape) -> StatusOr<Literal> {
    Literal value(shape);
    value.SetFromInt64(1, 7);
    return value;
  };
  options.evaluator.outfeed = [&](const Literal& value) { return taken.push_back(value), OkStatus(); };
  executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  result = (*executable)->Run({});
  REQUIRE(result.status().message() == "");
  CHECK(result->GetAsInt64(1) == -7);
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].GetAsInt64(1) == 7);
}
