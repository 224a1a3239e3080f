// Chains of elementwise ops (backend_cpu/kernels/chain_table.h): a fused loop with chains equals its ops run separately
// without chains, for every instruction set, all sizes with tails, and on NaN, zeros of both signs, infinities and
// denormals. tests/ops checks the ops themselves.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <string>

#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

// Ordinary numbers with corners among them.
Literal Numbers(const Shape& shape, uint64_t seed) {
  Literal literal = Ramp(shape, seed);
  if (!IsFloat(shape.element_type())) return literal;
  const double inf = std::numeric_limits<double>::infinity();
  const double corners[] = {0.0,   -0.0,    inf,  -inf, std::numeric_limits<double>::quiet_NaN(),
                            1e-40, -1e-310, 88.5, -100, 1};
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    // Neighbours differ, and each corner of one array meets each of another.
    const uint64_t k = static_cast<uint64_t>(i) * (seed + 2) % 31;
    if (k < std::size(corners)) literal.SetFromDouble(i, corners[k]);
  }
  return literal;
}

// Bit for bit, but that one NaN is as good as another: of two, a sum may be either.
bool Same(const Literal& a, const Literal& b) {
  if (a.shape().IsTuple()) {
    return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), &Same);
  }
  if (IsComplex(a.shape().element_type())) {
    const auto near = [](double x, double y) {
      return (x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y));
    };
    for (int64_t i = 0; i < a.element_count(); ++i) {
      const std::complex<double> x = a.GetAsComplex(i), y = b.GetAsComplex(i);
      if (!near(x.real(), y.real()) || !near(x.imag(), y.imag())) return false;
    }
    return true;
  }
  if (!IsFloat(a.shape().element_type())) return a.BitwiseEqual(b);
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const double x = a.GetAsDouble(i), y = b.GetAsDouble(i);
    if ((x != y || std::signbit(x) != std::signbit(y)) && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

// `unusual`: of otherwise ordinary numbers, one in each array.
void CheckChains(const std::string& text, std::optional<double> unusual = std::nullopt) {
  INFO(text);
  auto module = ParseModule(text);
  REQUIRE(module.status().message() == "");
  const HloComputation& entry = *(*module)->entry_computation();
  std::vector<Literal> inputs;
  for (int64_t i = 0; i < entry.parameter_count(); ++i)
    inputs.push_back((unusual ? Ramp : Numbers)(entry.parameter(i)->shape(), static_cast<uint64_t>(i) + 1));
  for (Literal& input : inputs)
    if (unusual) input.SetFromDouble(input.element_count() / 2, *unusual);
  std::vector<const Literal*> arguments;
  for (const Literal& input : inputs) arguments.push_back(&input);
  for (const std::string& isa : SupportedIsas()) {
    StatusOr<Literal> results[2] = {Internal("not run"), Internal("not run")};
    for (bool fuse : {false, true}) {
      INFO(isa << (fuse ? " fused" : " unfused"));
      ExecutableOptions options;
      options.isa = isa;
      options.threads = 1;
      options.fuse_elementwise = fuse;
      auto executable = PrepareExecutable(**module, options);
      REQUIRE(executable.status().message() == "");
      CHECK((*executable)->ToString().find("reference") == std::string::npos);
      results[fuse] = (*executable)->Run(arguments);
      REQUIRE(results[fuse].status().message() == "");
    }
    INFO(isa);
    CHECK(Same(*results[1], *results[0]));
  }
}

// `T`, `P` and `S` in the body: the type with its size, pred of that size, and the type of a scalar.
std::string Module(std::string body, const std::string& type, int64_t n) {
  const std::string dims = "[" + std::to_string(n) + "]";
  std::string text;
  for (size_t i = 0; i < body.size(); ++i) {
    const bool word = (i == 0 || body[i - 1] == ' ' || body[i - 1] == '(') && i + 1 < body.size() &&
                      (body[i + 1] == ' ' || body[i + 1] == ',' || body[i + 1] == ')');
    if (word && body[i] == 'T') text += type + dims;
    else if (word && body[i] == 'P') text += "pred" + dims;
    else if (word && body[i] == 'S') text += type + "[]";
    else text += body[i];
  }
  return Entry(text);
}
void CheckAllTypes(const std::string& body) {
  for (const char* type : {"f32", "f64", "bf16", "f16"}) {
    for (int64_t n : {7, 32, 63, 64, 65, 1000, 4099}) CheckChains(Module(body, type, n));
  }
}

const std::string kParameters =
    " x = T parameter(0)\n y = T parameter(1)\n z = T parameter(2)\n s = S parameter(3)\n"
    " c = T broadcast(s), dimensions={}\n";

}  // namespace

TEST_CASE("chains: each operation, its operands in either order and of either kind") {
  for (const char* op : {"add", "subtract", "multiply", "divide", "maximum", "minimum"}) {
    const auto line = [&](const char* name, const char* a, const char* b) {
      return std::string(" ") + name + " = T " + op + "(" + a + ", " + b + ")\n";
    };
    CheckAllTypes(kParameters + " a = T negate(x)\n" + line("b", "a", "y") + line("d", "z", "b") + line("e", "d", "c") +
                  line("f", "c", "e") + " ROOT g = T abs(f)");
  }
  for (const char* op : {"abs", "negate", "sqrt", "rsqrt", "exponential", "exponential-minus-one", "log",
                         "log-plus-one", "logistic", "tanh", "erf"}) {
    CheckAllTypes(kParameters + " a = T add(x, y)\n b = T " + op + "(a)\n ROOT d = T multiply(b, z)");
  }
}

TEST_CASE("chains: extremes with a limit") {
  for (const char* limit : {"0", "-0", "1", "-2.5", "nan", "inf", "-inf"}) {
    for (const char* op : {"maximum(a, c)", "maximum(c, a)", "minimum(a, c)", "minimum(c, a)"}) {
      CheckAllTypes(std::string(" x = T parameter(0)\n y = T parameter(1)\n s = S constant(") + limit +
                    ")\n c = T broadcast(s), dimensions={}\n a = T add(x, y)\n b = T " + op +
                    "\n d = T negate(a)\n e = T maximum(b, d)\n ROOT r = T minimum(e, b)");
      CheckAllTypes(std::string(" x = T parameter(0)\n y = T parameter(1)\n s = S constant(") + limit +
                    ")\n c = T broadcast(s), dimensions={}\n a = T multiply(x, y)\n b = T " + op +
                    "\n ROOT r = T negate(b)");
    }
  }
}

TEST_CASE("chains: one number of a block beyond the usual range of a function") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* op : {"exponential", "exponential-minus-one", "logistic", "tanh", "log", "log-plus-one"}) {
    const std::string body = std::string(" x = T parameter(0)\n a = T ") + op + "(x)\n ROOT r = T negate(a)";
    for (const double number : {-100., 89., -800., 800., -9.5, 20., -1., 0., -0., nan, inf, -inf, 1e-40, 1e-310}) {
      for (const char* type : {"f32", "f64"}) CheckChains(Module(body, type, 1000), number);
    }
  }
}

TEST_CASE("chains: comparisons and selects") {
  for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
    const std::string end = std::string("), direction=") + direction + "\n";
    for (const char* pair : {"x, y", "x, c", "c, x"}) {
      const std::string compare = std::string(" p = P compare(") + pair + end;
      for (const char* values : {"a, z", "z, a", "a, c", "c, a", "a, b"}) {
        CheckChains(Module(kParameters + compare + " a = T add(z, y)\n b = T multiply(y, y)\n t = T select(p, " +
                               values + ")\n ROOT r = T negate(t)",
                           "f32", 999));
      }
    }
    // The compared value is the last computed.
    CheckAllTypes(kParameters + " a = T add(x, y)\n p = P compare(a, c" + end +
                  " t = T select(p, z, c)\n ROOT r = T add(t, y)");
    CheckAllTypes(kParameters + " a = T add(x, y)\n p = P compare(c, a" + end +
                  " t = T select(p, c, z)\n ROOT r = T add(t, y)");
  }
  // One value is a product of what is compared.
  for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
    for (const char* pair : {"y, c", "c, y"}) {
      const std::string compare = std::string(" p = P compare(") + pair + "), direction=" + direction + "\n";
      for (const char* product : {"x, y", "y, x", "y, y", "x, z"}) {
        for (const char* values : {"m, a", "a, m"}) {
          const std::string body = kParameters + compare + " m = T multiply(" + product +
                                   ")\n a = T subtract(c, x)\n t = T select(p, " + values + ")\n";
          CheckAllTypes(body + " ROOT r = T copy(t)");
          CheckAllTypes(body + " ROOT r = (T, T) tuple(t, m)");
        }
      }
    }
  }
  // What is compared was in the chain that goes on with the select.
  for (const char* pair : {"a, c", "c, a", "b, c", "a, b", "d, z"}) {
    const std::string compare = std::string(" p = P compare(") + pair + "), direction=LT\n";
    for (const char* values : {"d, z", "z, d", "c, d", "d, b", "b, d"}) {
      const std::string body = kParameters + " a = T add(x, y)\n b = T negate(a)\n d = T multiply(b, y)\n" + compare +
                               " t = T select(p, " + values + ")\n u = T subtract(t, c)\n";
      CheckAllTypes(body + " ROOT r = T add(u, a)");
      CheckAllTypes(body + " e = T abs(d)\n ROOT r = (T, P) tuple(e, p)");
      CheckAllTypes(body + " q = P compare(a, u), direction=GT\n ROOT r = T select(q, u, a)");
    }
  }
  // A mask that two read, and one that is a result.
  CheckAllTypes(kParameters +
                " p = P compare(x, y), direction=LT\n a = T add(x, z)\n t = T select(p, a, y)\n b = T multiply(x, z)\n"
                " u = T select(p, z, b)\n ROOT r = T add(t, u)");
  CheckAllTypes(
      kParameters +
      " a = T add(x, z)\n p = P compare(a, y), direction=LT\n t = T select(p, a, y)\n ROOT r = (P, T) tuple(p, t)");
}

TEST_CASE("chains: masks in memory become numbers") {
  for (const char* type : {"f32", "f64", "s32", "s64", "s16", "s8", "bf16"}) {
    for (int64_t n : {7, 64, 999, 4096}) {
      const std::string body = " p = P parameter(0)\n x = T parameter(1)\n a = T convert(p)\n";
      CheckChains(Module(body + " b = T negate(a)\n ROOT r = T add(b, x)", type, n));
      CheckChains(Module(body + " b = T multiply(x, a)\n ROOT r = (T, T) tuple(a, b)", type, n));
      const std::string i = "s16[" + std::to_string(n) + "]";
      CheckChains(Module(" y = " + i + " parameter(0)\n z = " + i +
                             " parameter(1)\n p = P compare(y, z), direction=LT\n" +
                             " a = T convert(p)\n b = T abs(a)\n ROOT r = (T, T) tuple(a, b)",
                         type, n));
    }
  }
}

TEST_CASE("chains: integers, and what becomes of them") {
  const std::string parameters =
      " x = T parameter(0)\n y = T parameter(1)\n z = T parameter(2)\n s = S parameter(3)\n"
      " c = T broadcast(s), dimensions={}\n";
  for (const char* type : {"s32", "u32", "s64", "s16", "u16", "s8", "u8"}) {
    for (int64_t n : {7, 64, 999, 4096}) {
      for (const char* op : {"add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "shift-left",
                             "shift-right-logical", "shift-right-arithmetic"}) {
        const auto line = [&](const char* name, const char* a, const char* b) {
          return std::string(" ") + name + " = T " + op + "(" + a + ", " + b + ")\n";
        };
        CheckChains(Module(parameters + " a = T not(x)\n" + line("b", "a", "y") + line("d", "z", "b") +
                               line("e", "d", "c") + line("f", "c", "e") + " g = T negate(f)\n ROOT h = T abs(g)",
                           type, n));
      }
      for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
        for (const char* pair : {"x, y", "x, c", "c, x"}) {
          CheckChains(Module(parameters + " a = T add(x, z)\n p = P compare(" + pair + "), direction=" + direction +
                                 "\n t = T select(p, a, y)\n b = T xor(t, y)\n q = P compare(b, z), direction=" +
                                 direction + "\n d = T convert(q)\n ROOT r = (T, T) tuple(d, t)",
                             type, n));
        }
      }
      const std::string f = "f32[" + std::to_string(n) + "]", h = "bf16[" + std::to_string(n) + "]";
      CheckChains(Module(parameters + " a = T add(x, z)\n w = " + f + " convert(a)\n v = " + f +
                             " negate(w)\n u = " + h + " convert(v)\n p = P compare(a, y), direction=LT\n m = " + f +
                             " convert(p)\n ROOT r = (" + h + ", " + f + ") tuple(u, m)",
                         type, n));
    }
  }
}

TEST_CASE("chains: shifts by less and by more than the width") {
  for (const char* type : {"s32", "u32"}) {
    for (const char* op : {"shift-left", "shift-right-logical", "shift-right-arithmetic"}) {
      for (const char* amount : {"0", "1", "31", "32", "33", "65535", "65536", "2147483647"}) {
        const std::string shift = std::string(" = T ") + op;
        CheckChains(Module(
            " x = T parameter(0)\n y = T parameter(1)\n k = S constant(63)\n"
            " l = T broadcast(k), dimensions={}\n m = T and(y, l)\n n = S constant(" +
                std::string(amount) + ")\n o = T broadcast(n), dimensions={}\n a" + shift + "(x, m)\n b" + shift +
                "(a, o)\n c" + shift + "(o, b)\n d = T xor(c, b)\n e" + shift + "(y, x)\n ROOT f = T add(d, e)",
            type, 999));
      }
    }
  }
}

TEST_CASE("chains: each product of two bytes") {
  CheckChains(
      "HloModule m\nENTRY e { x = s8[65536] iota(), iota_dimension=0\n i = s32[65536] iota(), iota_dimension=0\n"
      " k = s32[] constant(8)\n eight = s32[65536] broadcast(k), dimensions={}\n"
      " h = s32[65536] shift-right-logical(i, eight)\n y = s8[65536] convert(h)\n a = s8[65536] not(x)\n"
      " b = s8[65536] multiply(a, y)\n ROOT r = s8[65536] negate(b) }");
}

TEST_CASE("chains: products and sums in one link, and steps of polynomials") {
  for (const char* factor : {"y", "c"}) {
    for (const char* addend : {"z", "h"}) {
      // In this order, and not where another reads the product, or the operands lie the other way round.
      const std::string f = factor, g = addend,
                        begin = kParameters + " k = S constant(3)\n h = T broadcast(k), dimensions={}\n" +
                                " a = T negate(x)\n b = T multiply(a, " + f + ")\n d = T add(b, " + g + ")\n";
      for (const char* end :
           {" ROOT r = T abs(d)", " ROOT r = (T, T) tuple(d, b)", " e = T multiply(d, a)\n ROOT r = T add(e, b)",
            " e = T multiply(y, d)\n i = T add(c, e)\n ROOT r = T abs(i)"})
        CheckAllTypes(begin + end);
      for (const char* again : {"y", "z", "c"}) {
        const std::string w = again;
        CheckAllTypes(begin + " e = T multiply(d, " + w + ")\n i = T add(e, c)\n j = T multiply(i, " + w +
                      ")\n l = T add(j, h)\n" + " m = T multiply(l, " + w + ")\n n = T add(m, c)\n o = T multiply(n, " +
                      w + ")\n q = T add(o, z)\n" + " ROOT r = (T, T) tuple(q, m)");
        for (const char* type : {"s32", "s64"})
          CheckChains(
              Module(begin + " e = T multiply(d, " + w + ")\n i = T add(e, c)\n ROOT r = T negate(i)", type, 999));
      }
    }
  }
}

TEST_CASE("chains: complex numbers") {
  for (const char* type : {"c64", "c128"}) {
    for (int64_t n : {7, 64, 65, 1000, 4099}) {
      const std::string part = type == std::string("c64") ? "f32" : "f64", f = part + "[" + std::to_string(n) + "]";
      const std::string parameters =
          " p = " + f + " parameter(0)\n q = " + f + " parameter(1)\n w = " + f +
          " parameter(2)\n x = T complex(p, q)\n y = T complex(q, w)\n z = T complex(w, p)\n" +
          " k = S constant((2, -3))\n c = T broadcast(k), dimensions={}\n";
      for (const char* op : {"add", "subtract", "multiply"}) {
        const auto line = [&](const char* name, const char* a, const char* b) {
          return std::string(" ") + name + " = T " + op + "(" + a + ", " + b + ")\n";
        };
        const std::string body = parameters + line("a", "x", "y") + line("b", "z", "a") + line("d", "b", "c") +
                                 line("e", "c", "d") + " m = T negate(e)\n" + line("g", "m", "m") + " h = " + f +
                                 " real(g)\n i = " + f + " imag(g)\n j = " + f + " negate(i)\n l = T complex(h, j)\n" +
                                 line("o", "l", "x");
        CheckChains(Module(body + " ROOT r = (" + f + ", T, T) tuple(h, o, e)", type, n));
        CheckChains(Module(body + " t = P compare(p, q), direction=LT\n u = T select(t, o, c)\n" + line("v", "u", "y") +
                               " ra = " + f + " real(v)\n rb = " + f + " imag(v)\n ROOT r = (" + f + ", " + f +
                               ") tuple(ra, rb)",
                           type, n));
      }
    }
  }
}

TEST_CASE("chains: values that are read again, or are results") {
  CheckAllTypes(
      kParameters +
      " a = T add(x, y)\n b = T multiply(a, a)\n d = T add(b, a)\n e = T multiply(d, b)\n f = T subtract(e, a)\n"
      " ROOT r = (T, T, T) tuple(f, b, a)");
  CheckAllTypes(kParameters +
                " a = T multiply(x, x)\n b = T multiply(a, c)\n d = T add(b, a)\n e = T multiply(d, a)\n"
                " f = T exponential(a)\n g = T multiply(e, f)\n h = T add(g, x)\n ROOT r = T maximum(h, b)");
  CheckAllTypes(kParameters + " a = T abs(x)\n b = T abs(a)\n ROOT r = (T, T) tuple(a, b)");
  // The bits of a value are written to memory, and read there before its chain ends.
  for (int64_t n : {36, 64, 4099}) {
    const std::string bits = "u32[" + std::to_string(n) + "]";
    CheckChains(Module(" x = T parameter(0)\n y = T parameter(1)\n w = " + bits +
                           " parameter(2)\n a = T add(x, y)\n b = " + bits + " bitcast-convert(a)\n d = " + bits +
                           " add(w, b)\n e = T negate(a)\n ROOT r = (" + bits + ", " + bits + ", T) tuple(b, d, e)",
                       "f32", n));
  }
}

TEST_CASE("chains: equal values, any of which is a result") {
  for (const char* results : {"(T, T) tuple(d, a)", "(T, T) tuple(d, b)", "(T, T) tuple(a, b)", "(T, T) tuple(b, a)",
                              "(T, T, T) tuple(b, d, a)"}) {
    for (const char* op : {"add(x, y)", "multiply(x, x)", "negate(y)", "add(x, c)"}) {
      const std::string twice = std::string(" a = T ") + op + "\n b = T " + op + "\n";
      CheckAllTypes(kParameters + twice + " d = T add(a, z)\n ROOT r = " + results);
      CheckAllTypes(kParameters + twice + " d = T add(b, z)\n ROOT r = " + results);
      CheckAllTypes(kParameters + twice + " e = T exponential(a)\n d = T multiply(e, b)\n ROOT r = " + results);
    }
  }
}

TEST_CASE("chains: two blocks at once") {
  // One block waits while the other operand is computed; which may also be stored, or be a whole function.
  for (const char* op : {"add", "subtract", "multiply", "divide", "maximum"}) {
    const std::string join = std::string(" T ") + op;
    const std::string body = kParameters + " a = T multiply(x, y)\n b = T subtract(y, z)\n d = T abs(b)\n f =" + join +
                             "(a, d)\n g = T subtract(c, x)\n h =" + join + "(g, f)\n";
    CheckAllTypes(body + " ROOT r = T negate(h)");
    CheckAllTypes(body + " i = T add(b, x)\n ROOT r = (T, T, T) tuple(h, b, i)");
    // What the other operand is made of is read before it.
    CheckAllTypes(kParameters + " a = T multiply(x, y)\n b = T subtract(y, z)\n d = T abs(b)\n e = T add(a, b)\n f =" +
                  join + "(e, d)\n ROOT r = T negate(f)");
    CheckAllTypes(body + " i = T exponential(y)\n j = T negate(i)\n k = T divide(h, j)\n ROOT r = T abs(k)");
  }
  for (const char* op : {"add", "subtract", "multiply", "and", "or", "xor", "maximum"}) {
    for (const char* type : {"s32", "u32", "s64", "s16", "s8"}) {
      for (int64_t n : {512, 1000, 4099})
        CheckChains(Module(kParameters + " a = T multiply(x, y)\n b = T subtract(y, z)\n d = T add(b, c)\n f = T " +
                               op + "(a, d)\n ROOT r = T subtract(f, z)",
                           type, n));
    }
  }
  for (const char* direction : {"EQ", "NE", "GE", "GT", "LE", "LT"}) {
    const std::string mask = std::string(" m = P compare(z, y), direction=") + direction + "\n" +
                             " l = P compare(z, c), direction=" + direction + "\n";
    for (const char* order : {"a, b", "b, a"}) {
      const std::string values = kParameters + mask + " a = T multiply(x, y)\n b = T subtract(c, x)\n";
      CheckAllTypes(values + " f = T select(m, " + order + ")\n ROOT r = T negate(f)");
      CheckAllTypes(values + " f = T select(l, " + order + ")\n ROOT r = T negate(f)");
      CheckAllTypes(values + " f = T select(m, " + order + ")\n ROOT r = (T, P) tuple(f, m)");
    }
  }
}

TEST_CASE("chains: results in memory that begins inside of a cache line") {
  // Rows of 700 and 1001 elements: the second block of each begins at a line.
  for (const char* dims : {"9,700", "3,1001", "5,130", "2,2500"}) {
    for (const std::string type : {"f32", "f64", "bf16", "s16"}) {
      const std::string text = dims, t = type + "[" + text + "]",
                        row = type + "[" + text.substr(text.find(',') + 1) + "]",
                        column = type + "[" + text.substr(0, text.find(',')) + "]", mask = "pred[" + text + "]";
      CheckChains("HloModule m\nENTRY e { x = " + t + " parameter(0)\n row = " + row +
                  " parameter(1)\n column = " + column + " parameter(2)\n r = " + t +
                  " broadcast(row), dimensions={1}\n c = " + t + " broadcast(column), dimensions={0}\n m = " + mask +
                  " compare(r, c), direction=GT\n a = " + t + " multiply(x, r)\n b = " + t +
                  " subtract(c, x)\n f = " + t + " select(m, a, b)\n ROOT g = (" + t + ", " + mask + ") tuple(f, m) }");
    }
  }
}

TEST_CASE("chains: operands in short runs and transposed squares") {
  for (const std::string type : {"f32", "f64", "bf16", "s8"}) {
    for (const int run : {3, 4, 8, 13, 16, 17, 31, 40, 63}) {
      const std::string n = std::to_string(run);
      const auto shape = [&](const std::string& dims) { return type + "[" + dims + "]"; };
      const auto check = [&](const std::string& from, const std::string& to, const std::string& order) {
        CheckChains(Entry(" x = " + shape(from) + " parameter(0)\n y = " + shape(to) +
                          " parameter(1)\n t = " + shape(to) + " transpose(x), dimensions={" + order +
                          "}\n a = " + shape(to) + " add(t, y)\n ROOT r = " + shape(to) + " subtract(a, t)"));
      };
      check("3,9,25," + n, "3,25,9," + n, "0,2,1,3");
      check("3,35," + n, "3," + n + ",35", "0,2,1");
      check("3,10," + n, "3," + n + ",10", "0,2,1");
      // From the last row to the first.
      CheckChains(Entry(" x = " + shape("60," + n) + " parameter(0)\n y = " + shape("60," + n) +
                        " parameter(1)\n t = " + shape("60," + n) + " reverse(x), dimensions={0}\n a = " +
                        shape("60," + n) + " add(t, y)\n ROOT r = " + shape("60," + n) + " subtract(a, t)"));
    }
  }
}

TEST_CASE("chains: operands in runs, several of which are a tile") {
  for (const std::string type : {"f32", "f64", "s32", "bf16", "s8"}) {
    for (const int run : {16, 17, 24, 31, 40, 63, 64, 130, 255, 256}) {
      const std::string n = std::to_string(run);
      const auto shape = [&](const std::string& dims) { return type + "[" + dims + "," + n + "]"; };
      const std::string x = " x = " + shape("2,48,7") + " parameter(0)\n", t = shape("2,7,48"),
                        moved = " t = " + t + " transpose(x), dimensions={0,2,1,3}\n";
      // The first operand, the second one, and both; beside rows that repeat, and beside numbers of their own.
      CheckChains(Entry(x + " y = " + t + " parameter(1)\n" + moved + " a = " + t + " add(t, y)\n ROOT r = " + t +
                        " multiply(a, y)"));
      CheckChains(Entry(x + " y = " + t + " parameter(1)\n" + moved + " a = " + t + " multiply(y, y)\n b = " + t +
                        " subtract(a, t)\n ROOT r = (" + t + ", " + t + ") tuple(b, t)"));
      CheckChains(Entry(x + " y = " + shape("2,48,7") + " parameter(1)\n" + moved + " u = " + t +
                        " transpose(y), dimensions={0,2,1,3}\n a = " + t + " add(t, u)\n ROOT r = " + t +
                        " maximum(a, t)"));
      CheckChains(Entry(x + " row = " + type + "[" + n + "] parameter(1)\n column = " + type +
                        "[2,7,48] parameter(2)\n" + moved + " b = " + t + " broadcast(row), dimensions={3}\n c = " + t +
                        " broadcast(column), dimensions={0,1,2}\n a = " + t + " add(t, b)\n ROOT r = " + t +
                        " subtract(c, a)"));
      // A part of each row, to its last element; and an operand whose buffer the result takes.
      CheckChains(Entry(" x = " + type + "[90," + std::to_string(run + 9) + "] parameter(0)\n y = " + shape("90") +
                        " parameter(1)\n s = " + shape("90") +
                        " slice(x), slice={[0:90], [9:" + std::to_string(run + 9) + "]}\n a = " + shape("90") +
                        " add(s, y)\n ROOT r = " + shape("90") + " multiply(a, s)"));
      CheckChains(Entry(x + " y = " + shape("14,48") +
                        " parameter(1)\n k = s32[] constant(3)\n z = s32[] constant(0)\n"
                        " row = " +
                        shape("1,48") + " slice(y), slice={[2:3], [0:48], [0:" + n + "]}\n u = " + shape("14,48") +
                        " dynamic-update-slice(y, row, k, z, z)\n v = " + t + " reshape(u)\n" + moved + " a = " + t +
                        " add(v, t)\n ROOT r = " + t + " multiply(a, t)"));
    }
  }
}

TEST_CASE("chains: a result takes the buffer of an operand") {
  // By negated dots, which end a loop: the loop between them reads one and writes what the next one reads.
  for (const int64_t n : {16, 40}) {
    const std::string t = "f32[" + std::to_string(n) + "," + std::to_string(n) + "]";
    const std::string dot = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
    const std::string text = Entry(" x = " + t + " parameter(0)\n y = " + t + " parameter(1)\n a = " + t +
                                   " dot(x, y)" + dot + " b = " + t + " multiply(a, y)\n d = " + t +
                                   " add(b, a)\n f = " + t + " dot(d, x)" + dot + " ROOT r = " + t + " negate(f)");
    CheckChains(text);
    auto module = ParseModule(text);
    REQUIRE(module.ok());
    auto executable = PrepareExecutable(**module);
    REQUIRE(executable.ok());
    CHECK((*executable)->arena_bytes() == n * n * 4);
  }
}

TEST_CASE("chains: scalars that change from row to row, and reductions") {
  const std::string add = "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\n";
  for (const char* dims : {"37,130", "5,1100", "300,20"}) {
    const std::string t = std::string("f32[") + dims + "]",
                      rows = "f32[" + std::string(dims).substr(0, std::string(dims).find(',')) + "]";
    CheckChains("HloModule m\n" + add + "ENTRY e { x = " + t + " parameter(0)\n row = " + rows +
                " parameter(1)\n zero = f32[] constant(0)\n" + " wide = " + t +
                " broadcast(row), dimensions={0}\n a = " + t + " subtract(x, wide)\n b = " + t +
                " exponential(a)\n d = " + rows + " reduce(b, zero), dimensions={1}, to_apply=add\n f = " + t +
                " multiply(b, b)\n ROOT r = (" + t + ", " + rows + ") tuple(f, d) }");
  }
}

TEST_CASE("chains: comparisons of places, which are numbers of 64 bits") {
  const auto check = [](const std::string& text) {
    CheckChains(text);
    CheckModule(text, 0);  // as chains of one op are made in the same way
  };
  for (const char* type : {"s64", "u64", "s32"}) {
    for (const char* direction : {"GE", "LT", "EQ"}) {
      for (const auto& [m, n] : {std::pair{37, 130}, {5, 1100}, {300, 20}}) {
        const std::string t = type, rows = std::to_string(m), columns = std::to_string(n),
                          dims = "[" + rows + "," + columns + "]", d = direction,
                          select = " x = f32" + dims + " parameter(0)\n zero = f32[] constant(0)\n zeros = f32" + dims +
                                   " broadcast(zero), dimensions={}\n ROOT r = f32" + dims + " select(c, x, zeros) }";
        check("HloModule m\nENTRY e { a = " + t + dims + " iota(), iota_dimension=0\n b = " + t + dims +
              " iota(), iota_dimension=1\n c = pred" + dims + " compare(a, b), direction=" + d + "\n" + select);
        // Along both dimensions, and backwards.
        check("HloModule m\nENTRY e { i = " + t + "[" + std::to_string(m * n) + "] iota(), iota_dimension=0\n a = " +
              t + dims + " reshape(i)\n j = " + t + dims + " iota(), iota_dimension=1\n b = " + t + dims +
              " reverse(j), dimensions={1}\n c = pred" + dims + " compare(a, b), direction=" + d + "\n" + select);
      }
    }
  }
}

TEST_CASE("chains: two operations in one link, squares and rotations") {
  const std::string half = " k = S constant(3)\n h = T broadcast(k), dimensions={}\n";
  for (const char* outer : {"add", "subtract", "multiply"}) {
    for (const char* inner : {"add", "subtract", "multiply"}) {
      const auto line = [&](const char* name, const std::string& op, const char* a, const char* b) {
        return std::string(" ") + name + " = T " + op + "(" + a + ", " + b + ")\n";
      };
      // Of a value in memory, and of the block; in either order, of a scalar on either side.
      for (bool exchange : {false, true}) {
        const std::string body = kParameters + half + line("a", "add", "x", "y") + line("b", inner, "z", "c") +
                                 line("d", outer, exchange ? "b" : "a", exchange ? "a" : "b") +
                                 line("e", inner, exchange ? "h" : "d", exchange ? "d" : "h") +
                                 line("f", outer, exchange ? "e" : "d", exchange ? "d" : "e") +
                                 line("g", "multiply", "f", "f") + " i = T abs(g)\n";
        CheckAllTypes(body + " ROOT r = T negate(i)");
        CheckAllTypes(body + " ROOT r = (T, T, T, T) tuple(i, d, f, g)");
        for (const char* type : {"s32", "u32"}) CheckChains(Module(body + " ROOT r = T negate(i)", type, 1001));
      }
    }
  }
  // Turned by the width in all, and by more or less.
  for (const auto& [left, right] : {std::pair{13, 19}, {1, 31}, {0, 32}, {32, 0}, {33, -1}, {-1, 33}, {5, 28}}) {
    const std::string text = " l = S constant(" + std::to_string(left) + ")\n lb = T broadcast(l), dimensions={}\n" +
                             " r = S constant(" + std::to_string(right) + ")\n rb = T broadcast(r), dimensions={}\n" +
                             " m = T shift-left(x, lb)\n o = T shift-right-logical(x, rb)\n a = T or(m, o)\n";
    CheckChains(Module(kParameters + text + " ROOT b = T xor(a, y)", "s32", 999));
  }
  for (const char* type : {"s32", "u32", "s64"}) {
    for (int64_t n : {64, 999, 4096}) {
      for (const char* outer : {"add", "subtract", "multiply", "and", "or", "xor"}) {
        for (const char* shift : {"shift-left", "shift-right-logical", "shift-right-arithmetic"}) {
          const std::string o = outer, s = std::string(" = T ") + shift;
          CheckChains(Module(kParameters + half + " a = T add(x, y)\n b" + s + "(a, c)\n d = T " + o + "(a, b)\n e" +
                                 s + "(z, h)\n f = T " + o + "(e, d)\n g" + s + "(x, h)\n i = T " + o +
                                 "(g, x)\n ROOT r = (T, T) tuple(f, i)",
                             type, n));
        }
      }
      const std::string spread =
          " u = S constant(2654435)\n f = T broadcast(u), dimensions={}\n v = S constant(7)\n w = T broadcast(v), "
          "dimensions={}\n m = T multiply(x, f)\n o = T shift-right-logical(m, h)\n a = T xor(m, o)\n"
          " n = T multiply(f, a)\n q = T shift-right-logical(n, w)\n d = T xor(n, q)\n";
      CheckChains(Module(kParameters + half + spread + " ROOT r = T add(d, y)", type, n));
      CheckChains(Module(kParameters + half + spread + " ROOT r = (T, T, T) tuple(d, m, a)", type, n));
      for (const char* values : {"l, m", "m, l"}) {
        const std::string turn = std::string(" l = T shift-left(x, h)\n m = T shift-right-logical(x, c)\n a = T or(") +
                                 values + ")\n b = T xor(a, y)\n n = T shift-right-logical(b, c)\n" +
                                 " o = T shift-left(b, h)\n d = T or(n, o)\n e = T add(d, z)\n";
        CheckChains(Module(kParameters + half + turn + " ROOT r = T negate(e)", type, n));
        CheckChains(Module(kParameters + half + turn + " ROOT r = (T, T, T) tuple(e, b, n)", type, n));
        CheckChains(Module(kParameters + half + turn + " f = T add(e, b)\n ROOT r = (T, T) tuple(f, x)", type, n));
      }
    }
  }
}

TEST_CASE("chains: results beside the block") {
  // What several ops read stays in registers, while their results but the last go to memory.
  for (const char* op : {"add", "subtract", "multiply"}) {
    for (const char* operands : {"a, y", "y, a", "a, c", "c, a", "x, y", "y, x"}) {
      const std::string beside = std::string(" b = T ") + op + "(" + operands + ")\n";
      const std::string body = kParameters + " a = T negate(x)\n" + beside + " d = T abs(a)\n e = T sqrt(x)\n";
      CheckAllTypes(body + " ROOT r = T multiply(b, d)");
      CheckAllTypes(body + " f = T add(e, d)\n ROOT r = T maximum(b, f)");
      CheckAllTypes(body + " f = T multiply(b, e)\n g = T add(b, f)\n ROOT r = (T, T) tuple(g, d)");
    }
  }
  // Rounds of a hash of two words, which both change.
  for (const char* type : {"s32", "u32"}) {
    std::string body = kParameters + " l = S constant(13)\n lb = T broadcast(l), dimensions={}\n m = S constant(19)\n" +
                       " mb = T broadcast(m), dimensions={}\n a0 = T add(x, c)\n b0 = T add(y, c)\n";
    for (int i = 0; i < 4; ++i) {
      const std::string from = std::to_string(i), to = std::to_string(i + 1);
      body += " a" + to + " = T add(a" + from + ", b" + from + ")\n left" + to + " = T shift-left(b" + from +
              ", lb)\n right" + to + " = T shift-right-logical(b" + from + ", mb)\n turned" + to + " = T or(left" + to +
              ", right" + to + ")\n b" + to + " = T xor(a" + to + ", turned" + to + ")\n";
    }
    for (int64_t n : {64, 999, 4096}) {
      CheckChains(Module(body + " ROOT r = (T, T) tuple(a4, b4)", type, n));
      CheckChains(Module(body + " d = T add(a4, z)\n e = T add(b4, d)\n ROOT r = (T, T) tuple(d, e)", type, n));
    }
    // With words added between rounds, and values that more than the rounds read.
    for (const char* last :
         {"(T, T) tuple(a8, b8)", "T subtract(a8, b5)", "T subtract(b8, in6)", "T subtract(b8, turned6)"}) {
      for (bool exchange : {false, true}) {
        body = kParameters + " l = S constant(13)\n lb = T broadcast(l), dimensions={}\n m = S constant(19)\n" +
               " mb = T broadcast(m), dimensions={}\n a0 = T add(x, c)\n b0 = T add(y, c)\n";
        for (int i = 0; i < 8; ++i) {
          const std::string from = std::to_string(i), to = std::to_string(i + 1);
          const auto put = [&](const char* name, const std::string& op, const std::string& a, const std::string& b) {
            body +=
                " " + std::string(name) + to + " = T " + op + "(" + (exchange ? b + ", " + a : a + ", " + b) + ")\n";
          };
          put("in", "add", "a" + from, i % 2 == 0 ? "lb" : "z");
          put("a", "add", (i % 3 == 2 ? "in" + to : "a" + from), "b" + from);
          body += " left" + to + " = T shift-left(b" + from + ", lb)\n right" + to + " = T shift-right-logical(b" +
                  from + ", mb)\n";
          put("turned", "or", "left" + to, "right" + to);
          put("d", "xor", "a" + to, "turned" + to);
          put("b", i % 3 == 1 ? "add" : "xor", "d" + to, i % 3 == 1 ? "mb" : "z");
        }
        for (int64_t n : {64, 999, 4096}) CheckChains(Module(body + " ROOT r = " + last, type, n));
      }
    }
  }
}

TEST_CASE("chains: random programs") {
  // Each op reads two of the values before it, mostly late ones.
  uint32_t state = 1;
  const auto below = [&state](size_t n) {
    state = state * 1664525 + 1013904223;
    return static_cast<size_t>(state >> 8) % n;
  };
  constexpr const char* kTypes[] = {"f32", "s32", "s64"};
  for (int program = 0; program < 300; ++program) {
    std::vector<std::string> values = {"x", "y", "z", "c"};
    std::string body = kParameters;
    for (int i = 0; i < 14; ++i) {
      const auto value = [&] {
        return values[values.size() - 1 - std::min(below(values.size()), below(values.size()))];
      };
      constexpr const char* kOps[] = {"add", "subtract", "multiply", "add", "maximum", "abs", "negate", "select"};
      const size_t op = below(std::size(kOps));
      const std::string name = "v" + std::to_string(i), mask = "p" + std::to_string(i);
      if (op == 7) body += " " + mask + " = P compare(" + value() + ", " + value() + "), direction=LT\n";
      body += " " + name + " = T " + kOps[op] + "(" + (op == 7 ? mask + ", " : "") + value() +
              (op < 5 || op == 7 ? ", " + value() : "") + ")\n";
      values.push_back(name);
    }
    CheckChains(Module(body + " w = T add(v9, v12)\n ROOT r = (T, T) tuple(v13, w)", kTypes[program % 3],
                       program % 2 == 0 ? 128 : 999));
  }
}
