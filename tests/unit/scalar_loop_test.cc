// executable.h: loops of scalars that turn so often that they are compiled (plan/steps/scalar_loop.h), against the
// reference, bit by bit: bodies made up of all that such a loop may have, counters of every direction, the patterns
// that are simplified, loops in loops, limits of steps.
#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

bool SameBits(const Literal& a, const Literal& b) {
  if (a.shape().IsTuple()) {
    for (size_t i = 0; i < a.elements().size(); ++i)
      if (!SameBits(a.elements()[i], b.elements()[i])) return false;
    return true;
  }
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (IsFloat(a.shape().element_type())) {
      const double x = a.GetAsDouble(i), y = b.GetAsDouble(i);
      if (!(x != x && y != y) && std::memcmp(&x, &y, sizeof x) != 0) return false;
    } else if (a.GetAsInt64(i) != b.GetAsInt64(i)) {
      return false;
    }
  }
  return true;
}

// Three times: compiled after many rounds; before the first, as it turned often; and used again.
void CheckBits(const std::string& text) {
  INFO(text);
  const CheckedModule checked(text);
  ExecutableOptions options;
  options.threads = 1;
  auto executable = PrepareExecutable(*checked.module, options);
  REQUIRE(executable.status().message() == "");
  for (int run = 0; run < 3; ++run) {
    auto result = (*executable)->Run(checked.arguments);
    REQUIRE(result.status().message() == "");
    CHECK(SameBits(*result, checked.expected));
  }
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  int Below(int n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % static_cast<uint64_t>(n));
  }

 private:
  uint64_t state_;
};

// A loop over two values of each type and two arrays, whose body is `size` operations.
class MadeUpLoop {
 public:
  MadeUpLoop(uint64_t seed, int size) : random_(seed) {
    for (int t = 0; t < kTypes; ++t)
      for (int k = 0; k < 2; ++k)
        Add(t, " " + Type(t) + "[] get-tuple-element(p), index=" + std::to_string(1 + 2 * t + k));
    text_ += " i = s32[] get-tuple-element(p), index=0\n";
    values_[kS32].push_back("i");
    for (int k = 0; k < 2; ++k) {
      const std::string name = "array" + std::to_string(k);
      text_ +=
          " " + name + " = " + Array(k) + " get-tuple-element(p), index=" + std::to_string(1 + 2 * kTypes + k) + "\n";
      arrays_[k] = name;
    }
    Constant(kF32, "0.75"), Constant(kF32, "-1.5"), Constant(kF64, "1.25"), Constant(kS32, "2"), Constant(kS32, "-3");
    Constant(kS32, "0"), Constant(kS64, "4"), Constant(kS64, "1"), Constant(kU32, "7"), Constant(kPred, "true");
    for (int i = 0; i < size; ++i) Operation();
    text_ += " one = s32[] constant(" + std::to_string(1 + random_.Below(3)) + ")\n next = s32[] add(i, one)\n";
    std::string elements = "next", shapes = "s32[]";
    for (int t = 0; t < kTypes; ++t) {
      for (int k = 0; k < 2; ++k) elements += ", " + Pick(t), shapes += ", " + Type(t) + "[]";
    }
    for (int k = 0; k < 2; ++k) elements += ", " + arrays_[k], shapes += ", " + Array(k);
    const std::string tuple = "(" + shapes + ")";
    std::string entry, initial = "zero";
    int parameters = 0;
    for (int t = 0; t < kTypes + 1; ++t) {
      for (int k = 0; k < 2; ++k) {
        const std::string name = "x" + std::to_string(parameters);
        entry += " " + name + " = " + (t < kTypes ? Type(t) + "[]" : Array(k)) + " parameter(" +
                 std::to_string(parameters++) + ")\n";
        initial += ", " + name;
      }
    }
    text_ =
        "HloModule m\nbody { p = " + tuple + " parameter(0)\n" + text_ + " ROOT t = " + tuple + " tuple(" + elements +
        ") }\ncond { p = " + tuple + " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(" +
        std::to_string(3000 + random_.Below(100)) + ")\n ROOT c = pred[] compare(i, n), direction=LT }\nENTRY e {\n" +
        entry + " zero = s32[] constant(" + std::to_string(random_.Below(2)) + ")\n t = " + tuple + " tuple(" +
        initial + ")\n ROOT w = " + tuple + " while(t), condition=cond, body=body }\n";
  }
  const std::string& text() const { return text_; }

 private:
  enum { kPred, kS32, kS64, kU32, kF32, kF64, kTypes };
  static std::string Type(int t) {
    static const char* const kNames[] = {"pred", "s32", "s64", "u32", "f32", "f64"};
    return kNames[t];
  }
  static std::string Array(int k) { return k == 0 ? "f32[16]" : "s64[9]"; }
  std::string Add(int type, const std::string& rest) {
    const std::string name = "v" + std::to_string(count_++);
    text_ += " " + name + " =" + rest + "\n";
    values_[type].push_back(name);
    return name;
  }
  void Constant(int type, const std::string& value) { Add(type, " " + Type(type) + "[] constant(" + value + ")"); }
  // Late values rather than early ones.
  std::string Pick(int type) {
    const auto& of = values_[type];
    const int n = static_cast<int>(of.size());
    return of[static_cast<size_t>(random_.Below(2) == 0 ? random_.Below(n) : n - 1 - random_.Below(std::min(n, 3)))];
  }
  std::string PickName(std::initializer_list<const char*> names) {
    return *(names.begin() + random_.Below(static_cast<int>(names.size())));
  }
  void Operation() {
    const int t = 1 + random_.Below(kTypes - 1), what = random_.Below(10);
    const bool is_float = t == kF32 || t == kF64;
    const std::string type = " " + Type(t) + "[] ";
    if (what < 4) {
      const std::string op =
          is_float
              ? PickName({"add", "subtract", "multiply", "divide", "maximum", "add", "multiply"})
              : PickName({"add", "subtract", "multiply", "divide", "remainder", "and", "or", "xor", "minimum",
                          "maximum", "shift-left", "shift-right-logical", "shift-right-arithmetic", "add", "subtract"});
      Add(t, type + op + "(" + Pick(t) + ", " + Pick(t) + ")");
    } else if (what == 4) {
      const std::string op = is_float    ? PickName({"negate", "abs", "sqrt", "floor"})
                             : t == kU32 ? PickName({"not", "negate"})
                                         : PickName({"negate", "sign", "not", "abs"});
      Add(t, type + op + "(" + Pick(t) + ")");
    } else if (what == 5) {
      Add(kPred, " pred[] compare(" + Pick(t) + ", " + Pick(t) +
                     "), direction=" + PickName({"EQ", "NE", "LT", "LE", "GT", "GE"}));
    } else if (what == 6) {
      Add(t, type + "select(" + Pick(kPred) + ", " + Pick(t) + ", " + Pick(t) + ")");
    } else if (what == 7) {
      const int from = random_.Below(kTypes);
      Add(t, type + "convert(" + Pick(from) + ")");
    } else if (what == 8) {
      if (random_.Below(2) == 0)
        Add(kPred, " pred[] " + PickName({"and", "or", "xor"}) + "(" + Pick(kPred) + ", " + Pick(kPred) + ")");
      else Floor();
    } else {
      const int k = random_.Below(2), index = random_.Below(2) == 0 ? kS32 : kS64, of = k == 0 ? kF32 : kS64;
      const std::string one = k == 0 ? "f32[1]" : "s64[1]", number = std::to_string(count_++);
      if (random_.Below(2) == 0) {
        text_ += " slice" + number + " = " + one + " dynamic-slice(" + arrays_[k] + ", " + Pick(index) +
                 "), dynamic_slice_sizes={1}\n";
        Add(of, " " + Type(of) + "[] reshape(slice" + number + ")");
      } else {
        text_ += " one" + number + " = " + one + " reshape(" + Pick(of) + ")\n set" + number + " = " + Array(k) +
                 " dynamic-update-slice(" + arrays_[k] + ", one" + number + ", " + Pick(index) + ")\n";
        arrays_[k] = "set" + number;
      }
    }
  }
  // The division or remainder that rounds down, as frontends write it.
  void Floor() {
    const std::string n = std::to_string(count_++), x = Pick(kS64), c = "c" + n;
    text_ += " " + c + " = s64[] constant(" + PickName({"1", "2", "8", "5", "-2"}) + ")\n zero" + n +
             " = s64[] constant(0)\n unit" + n + " = s64[] constant(1)\n r" + n + " = s64[] remainder(" + x + ", " + c +
             ")\n rest" + n + " = pred[] compare(r" + n + ", zero" + n + "), direction=NE\n";
    if (random_.Below(2) == 0) {
      text_ += " low" + n + " = pred[] compare(r" + n + ", zero" + n + "), direction=LT\n down" + n +
               " = pred[] compare(" + c + ", zero" + n + "), direction=LT\n turned" + n + " = pred[] compare(low" + n +
               ", down" + n + "), direction=NE\n both" + n + " = pred[] and(turned" + n + ", rest" + n + ")\n sum" + n +
               " = s64[] add(r" + n + ", " + c + ")\n";
      Add(kS64, " s64[] select(both" + n + ", sum" + n + ", r" + n + ")");
    } else {
      text_ += " sx" + n + " = s64[] sign(" + x + ")\n sc" + n + " = s64[] sign(" + c + ")\n differ" + n +
               " = pred[] compare(sx" + n + ", sc" + n + "), direction=NE\n both" + n + " = pred[] and(differ" + n +
               ", rest" + n + ")\n q" + n + " = s64[] divide(" + x + ", " + c + ")\n less" + n + " = s64[] subtract(q" +
               n + ", unit" + n + ")\n";
      Add(kS64, " s64[] select(both" + n + ", less" + n + ", q" + n + ")");
    }
  }

  Random random_;
  std::string text_;
  int count_ = 0;
  std::vector<std::string> values_[kTypes];
  std::string arrays_[2];
};

std::string While(const std::string& tuple, const std::string& cond, const std::string& body, const std::string& init) {
  return "HloModule m\nbody { p = " + tuple + " parameter(0)\n" + body + " }\ncond { p = " + tuple + " parameter(0)\n" +
         cond + " }\nENTRY e {\n" + init + "\n ROOT w = " + tuple + " while(t), condition=cond, body=body }\n";
}

}  // namespace

TEST_CASE("made up loops of scalars give the reference's bits") {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    CheckBits(MadeUpLoop(seed, 4 + static_cast<int>(seed % 30)).text());
  }
}

TEST_CASE("counters of every direction") {
  struct Case {
    const char *type, *from, *to, *step, *direction;
  };
  for (const Case c :
       {Case{"s32", "0", "5000", "1", "LT"}, Case{"s32", "-3", "5000", "7", "LE"},
        Case{"s64", "9000", "10", "-3", "GT"}, Case{"s64", "9000", "9", "-3", "GE"},
        Case{"u32", "0", "4000", "1", "NE"}, Case{"s32", "2147480000", "2147483647", "1", "LT"},
        // These wrap around before they end.
        Case{"s32", "2147480000", "-2147483648", "1", "NE"}, Case{"u32", "5000", "7", "4294967295", "GT"}}) {
    const std::string t = c.type, tuple = "(" + t + "[], " + t + "[], f32[])";
    CheckBits(
        While(tuple,
              " i = " + t + "[] get-tuple-element(p), index=0\n n = " + t + "[] constant(" + c.to +
                  ")\n ROOT c = pred[] compare(i, n), direction=" + c.direction,
              " i = " + t + "[] get-tuple-element(p), index=0\n j = " + t +
                  "[] get-tuple-element(p), index=1\n x = f32[] get-tuple-element(p), index=2\n s = " + t +
                  "[] constant(" + c.step + ")\n ni = " + t + "[] add(i, s)\n nj = " + t +
                  "[] add(j, i)\n f = f32[] convert(i)\n h = f32[] constant(0.5)\n g = f32[] multiply(x, h)\n nx = "
                  "f32[] add(g, f)\n ROOT t = " +
                  tuple + " tuple(ni, nj, nx)",
              " a = " + t + "[] constant(" + c.from + ")\n x = f32[] parameter(0)\n t = " + tuple + " tuple(a, a, x)"));
  }
}

TEST_CASE("what is nearly a division or a remainder that rounds down") {
  // x goes from -2500 to 2499, y is another value; a row's first is the pattern itself.
  const std::string numbers =
      " zero = s64[] constant(0)\n one = s64[] constant(1)\n two = s64[] constant(2)\n four = s64[] constant(4)\n "
      "eight = "
      "s64[] constant(8)\n less = s64[] constant(-5)\n";
  const auto check = [&](const std::string& value) {
    const std::string tuple = "(s64[], s64[])";
    CheckBits(While(
        tuple,
        " i = s64[] get-tuple-element(p), index=0\n n = s64[] constant(5000)\n ROOT c = pred[] compare(i, n), "
        "direction=LT",
        " i = s64[] get-tuple-element(p), index=0\n sum = s64[] get-tuple-element(p), index=1\n middle = s64[] "
        "constant(2500)\n x = s64[] subtract(i, middle)\n y = s64[] xor(sum, i)\n" +
            numbers + value +
            " three = s64[] constant(3)\n times = s64[] multiply(sum, three)\n next_sum = s64[] add(times, v)\n next = "
            "s64[] add(i, one)\n ROOT t = " +
            tuple + " tuple(next, next_sum)",
        " begin = s64[] constant(0)\n sum = s64[] parameter(0)\n t = " + tuple + " tuple(begin, sum)"));
  };
  struct Quotient {
    const char *sign, *rest_of, *rest_by, *taken_off;
  };
  for (const Quotient c : {Quotient{"one", "x", "eight", "one"}, Quotient{"zero", "x", "eight", "one"},
                           Quotient{"one", "y", "eight", "one"}, Quotient{"one", "x", "four", "one"},
                           Quotient{"one", "x", "eight", "two"}}) {
    check(std::string(" sign = s64[] sign(x)\n differs = pred[] compare(sign, ") + c.sign +
          "), direction=NE\n r = s64[] remainder(" + c.rest_of + ", " + c.rest_by +
          ")\n rest = pred[] compare(r, zero), direction=NE\n both = pred[] and(differs, rest)\n q = s64[] divide(x, "
          "eight)\n down = s64[] subtract(q, " +
          c.taken_off + ")\n v = s64[] select(both, down, q)\n");
  }
  struct Remainder {
    const char *unequal, *added;
  };
  for (const Remainder c : {Remainder{"zero", "eight"}, Remainder{"less", "eight"}, Remainder{"zero", "four"}}) {
    check(std::string(" r = s64[] remainder(x, eight)\n low = pred[] compare(r, zero), direction=LT\n unequal = pred[] "
                      "compare(r, ") +
          c.unequal + "), direction=NE\n both = pred[] and(low, unequal)\n sum_of = s64[] add(r, " + c.added +
          ")\n v = s64[] select(both, sum_of, r)\n");
  }
}

TEST_CASE("ops without an instruction are made of others, for all numbers of a type") {
  // x goes through most of the type's numbers; each op of it goes into the sum. The divisor is known to be positive.
  for (const std::string t : {"s32", "u32", "s64", "u64"}) {
    const std::string of = " = " + t + "[] ", tuple = "(s32[], " + t + "[], " + t + "[], f64[])";
    std::string body =
        " i = s32[] get-tuple-element(p), index=0\n x" + of + "get-tuple-element(p), index=1\n sum0" + of +
        "get-tuple-element(p), index=2\n g = f64[] get-tuple-element(p), index=3\n one = s32[] constant(1)\n ni = "
        "s32[] add(i, one)\n factor" +
        of + "constant(31)\n";
    for (const std::string number : {"0", "1", "5", "7", "13", "40"})
      body += " c" + number + of + "constant(" + number + ")\n";
    body +=
        " l1" + of + "shift-left(x, c13)\n x1" + of + "xor(x, l1)\n l2" + of + "shift-right-logical(x1, c7)\n x2" + of +
        "xor(l2, x1)\n l3" + of + "shift-left(x2, c5)\n x3" + of + "xor(x2, l3)\n l4" + of +
        "shift-left(x3, c40)\n v0" + of + "xor(x3, l4)\n l5" + of + "shift-right-logical(x3, c40)\n v1" + of +
        "xor(x3, l5)\n v2" + of + "maximum(x3, x)\n v3" + of + "minimum(x3, x)\n v4" + of + "not(x3)\n v5" + of +
        (t[0] == 's' ? "sign" : "negate") + "(x3)\n v6" + of + (t[0] == 's' ? "abs" : "not") +
        "(x1)\n less = pred[] compare(x3, v6), direction=LT\n v7" + of + "convert(less)\n v8" + of +
        "maximum(x3, c1)\n none = pred[] compare(v8, c0), direction=EQ\n v9" + of + "select(none, x, v8)\n v10" + of +
        "remainder(x1, v8)\n bound" + of + "minimum(v8, c7)\n small = pred[] compare(bound, c13), direction=NE\n v11" +
        of + "select(small, bound, x1)\n least = pred[] compare(v8, c1), direction=EQ\n v12" + of +
        "select(least, x, x1)\n most = pred[] compare(bound, c7), direction=NE\n v13" + of + "select(most, x, x1)\n";
    for (int k = 0; k < 14; ++k) {
      const std::string n = std::to_string(k), next = std::to_string(k + 1);
      body += " p" + n + of + "multiply(sum" + n + ", factor)\n sum" + next + of + "add(p" + n + ", v" + n + ")\n";
    }
    body +=
        " number = f64[] convert(less)\n half = f64[] constant(0.5)\n g1 = f64[] multiply(g, half)\n g2 = f64[] "
        "add(g1, "
        "number)\n ROOT t = " +
        tuple + " tuple(ni, x3, sum14, g2)";
    CheckBits(
        While(tuple,
              " i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(3000)\n ROOT c = pred[] compare(i, n), "
              "direction=LT",
              body,
              " i = s32[] constant(0)\n x" + of + "constant(12345)\n s" + of +
                  "parameter(0)\n g = f64[] parameter(1)\n t = " + tuple + " tuple(i, x, s, g)"));
  }
}

TEST_CASE("what is known of counters holds to their last values") {
  // i goes from 4000 down to -1, which is wrapped around to 4; j begins elsewhere and goes along.
  const std::string tuple = "(s32[], s32[], f32[], f32[16])";
  CheckBits(While(
      tuple,
      " i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(-2)\n ROOT c = pred[] compare(i, n), direction=GT",
      " i = s32[] get-tuple-element(p), index=0\n j = s32[] get-tuple-element(p), index=1\n x = f32[] "
      "get-tuple-element(p), index=2\n a = f32[16] get-tuple-element(p), index=3\n zero = s32[] constant(0)\n size = "
      "s32[] constant(5)\n below = pred[] compare(i, zero), direction=LT\n around = s32[] add(i, size)\n at = s32[] "
      "select(below, around, i)\n slice = f32[1] dynamic-slice(a, at), dynamic_slice_sizes={1}\n element = f32[] "
      "reshape(slice)\n half = f32[] constant(0.5)\n y = f32[] multiply(x, half)\n z = f32[] add(y, element)\n end = "
      "s32[] constant(-4001)\n last = pred[] compare(j, end), direction=LE\n other = f32[] negate(z)\n nx = f32[] "
      "select(last, other, z)\n down = s32[] constant(-1)\n ni = s32[] add(i, down)\n nj = s32[] add(j, down)\n ROOT t "
      "= " +
          tuple + " tuple(ni, nj, nx, a)",
      " i = s32[] constant(4000)\n j = s32[] constant(0)\n x = f32[] parameter(0)\n a = f32[16] parameter(1)\n t = " +
          tuple + " tuple(i, j, x, a)"));
}

TEST_CASE("loops of scalars whose carries trade places, and that only a value ends") {
  const std::string tuple = "(s32[], s32[], s32[], f32[])";
  CheckBits(
      While(tuple,
            " x = f32[] get-tuple-element(p), index=3\n n = f32[] constant(30000)\n ROOT c = pred[] compare(x, n), "
            "direction=LT",
            " a = s32[] get-tuple-element(p), index=0\n b = s32[] get-tuple-element(p), index=1\n c = s32[] "
            "get-tuple-element(p), index=2\n x = f32[] get-tuple-element(p), index=3\n s = s32[] add(a, b)\n h = f32[] "
            "constant(7.5)\n nx = f32[] add(x, h)\n ROOT t = " +
                tuple + " tuple(b, s, a, nx)",
            " a = s32[] parameter(0)\n b = s32[] parameter(1)\n x = f32[] parameter(2)\n t = " + tuple +
                " tuple(a, b, a, x)"));
}

TEST_CASE("a loop of scalars in a loop is compiled for what its counters are") {
  CheckBits(R"(HloModule m
    inner_body { p = (s32[], s32[], s32[]) parameter(0) j = s32[] get-tuple-element(p), index=0
      k = s32[] get-tuple-element(p), index=1 n = s32[] get-tuple-element(p), index=2
      one = s32[] constant(1) nj = s32[] add(j, one) three = s32[] constant(3) a = s32[] multiply(k, three)
      nk = s32[] xor(a, j) ROOT t = (s32[], s32[], s32[]) tuple(nj, nk, n) }
    inner_cond { p = (s32[], s32[], s32[]) parameter(0) j = s32[] get-tuple-element(p), index=0
      n = s32[] get-tuple-element(p), index=2 ROOT c = pred[] compare(j, n), direction=LT }
    body { p = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 k = s32[] get-tuple-element(p), index=1
      size = s32[] constant(700) n = s32[] multiply(i, size) z = s32[] constant(0)
      t = (s32[], s32[], s32[]) tuple(i, k, n) w = (s32[], s32[], s32[]) while(t), condition=inner_cond, body=inner_body
      nk = s32[] get-tuple-element(w), index=1 one = s32[] constant(1) ni = s32[] add(i, one)
      ROOT r = (s32[], s32[]) tuple(ni, nk) }
    cond { p = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(6)
      ROOT c = pred[] compare(i, n), direction=LT }
    ENTRY e { k = s32[] parameter(0) z = s32[] constant(0) t = (s32[], s32[]) tuple(z, k)
      ROOT w = (s32[], s32[]) while(t), condition=cond, body=body })");
}

TEST_CASE("a loop of scalars keeps to the limit of steps") {
  const std::string tuple = "(s32[], f32[])";
  const std::string text = While(
      tuple,
      " i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(0)\n ROOT c = pred[] compare(i, n), direction=GE",
      " i = s32[] get-tuple-element(p), index=0\n x = f32[] get-tuple-element(p), index=1\n b = s32[] and(i, i)\n y = "
      "f32[] "
      "add(x, x)\n ROOT t = " +
          tuple + " tuple(b, y)",
      " i = s32[] constant(5)\n x = f32[] parameter(0)\n t = " + tuple + " tuple(i, x)");
  auto module = ParseModule(text);
  REQUIRE(module.ok());
  ExecutableOptions options;
  options.evaluator.max_steps = 1000000;
  auto executable = PrepareExecutable(**module, options);
  REQUIRE(executable.ok());
  const Literal x = Ramp(Shape::Scalar(PrimitiveType::F32), 1);
  const std::vector<const Literal*> arguments = {&x};
  CHECK((*executable)->Run(arguments).status().code() == StatusCode::kDeadlineExceeded);
}
