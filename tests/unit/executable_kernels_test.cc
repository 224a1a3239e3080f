// executable.h: the ops with kernels or expansions of their own, each against the reference over shapes with tails:
// convolution, windows, sorting, Fourier transforms, random bits, map and reductions by any computation, complex
// numbers.
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <string>

#include "tests/unit/check_module.h"

using namespace hloir;

namespace {

std::string Binary(const std::string& name, const std::string& type, const std::string& op) {
  return name + " { a = " + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n ROOT c = " + type + "[] " + op +
         "(a, b) }\n";
}

// Some of x's elements, made NaN and -0.
std::string WithCorners(const std::string& type, const std::string& dims) {
  const std::string t = type + dims, p = "pred" + dims;
  return " x0 = " + t + " parameter(0)\n high = " + type + "[] constant(2.2)\n highs = " + t +
         " broadcast(high), dimensions={}\n" + " low = " + type + "[] constant(-2)\n lows = " + t +
         " broadcast(low), dimensions={}\n is_high = " + p + " compare(x0, highs), direction=GT\n is_low = " + p +
         " compare(x0, lows), direction=LT\n one_nan = " + type + "[] constant(nan)\n nans = " + t +
         " broadcast(one_nan), dimensions={}\n zero = " + type + "[] constant(-0)\n zeros = " + t +
         " broadcast(zero), dimensions={}\n x1 = " + t + " select(is_high, nans, x0)\n x = " + t +
         " select(is_low, zeros, x1)\n";
}

}  // namespace

TEST_CASE("convolutions") {
  struct Case {
    const char *input, *kernel, *result, *attributes;
  };
  for (Case c : {
           Case{"[2,9,10,5]", "[3,3,5,7]", "[2,9,10,7]", "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
           Case{"[2,9,10,5]", "[1,1,5,40]", "[2,9,10,40]", "window={size=1x1}, dim_labels=b01f_01io->b01f"},
           Case{"[1,15,12,3]", "[7,5,3,33]", "[1,8,6,33]",
                "window={size=7x5 stride=2x2 pad=3_3x2_2}, dim_labels=b01f_01io->b01f"},
           Case{"[2,5,9,10]", "[7,5,3,3]", "[2,7,7,8]", "window={size=3x3}, dim_labels=bf01_oi01->bf01"},
           Case{"[2,6,9,8]", "[4,3,2,3]", "[2,4,8,6]",
                "window={size=2x3}, dim_labels=bf01_oi01->bf01, feature_group_count=2"},
           Case{"[2,9,10,19]", "[3,3,1,19]", "[2,5,5,19]",
                "window={size=3x3 stride=2x2 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=19"},
           Case{"[2,9,10,6]", "[3,3,1,12]", "[2,7,8,12]",
                "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=6"},
           Case{"[4,9,3]", "[3,3,8]", "[2,9,8]",
                "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f, batch_group_count=2"},
           Case{"[1,5,6,4]", "[3,3,4,5]", "[1,11,13,5]",
                "window={size=3x3 pad=2_2x2_2 lhs_dilate=2x2 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f"},
           // Rows in order of the terms they have: some have none; several blocks of terms; cropped; few rows of each.
           Case{"[3,6,7,4]", "[3,2,4,5]", "[3,12,9,5]", "window={size=3x2 pad=4_4x0_3}, dim_labels=b01f_01io->b01f"},
           Case{"[1,4,5,200]", "[3,3,200,34]", "[1,4,5,34]",
                "window={size=3x3 pad=1_1x1_1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f"},
           Case{"[9,5,3]", "[9,3,6]", "[4,5,6]", "window={size=9 stride=2 pad=7_-1}, dim_labels=0bf_0io->0bf"},
           Case{"[1,7,7,3]", "[7,7,3,4]", "[1,7,7,4]", "window={size=7x7 pad=3_3x3_3}, dim_labels=b01f_01io->b01f"},
           Case{"[2,13,11,6]", "[3,3,3,8]", "[2,13,9,8]",
                "window={size=3x3 pad=2_2x1_1 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=2"},
           // Transposed ones, by phases.
           Case{"[2,5,6,4]", "[4,4,4,5]", "[2,10,12,5]",
                "window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f"},
           Case{"[2,4,5,6]", "[6,4,4,4]", "[2,6,10,12]",
                "window={size=4x4 pad=3_1x2_2 lhs_dilate=2x2 rhs_reversal=1x0}, dim_labels=bf01_oi01->bf01"},
           Case{"[1,5,6,4]", "[2,3,4,5]", "[1,10,6,5]",
                "window={size=2x3 pad=1_1x1_1 lhs_dilate=2x1}, dim_labels=b01f_01io->b01f"},
           Case{"[2,7,3]", "[3,3,4]", "[2,21,4]", "window={size=3 pad=2_2 lhs_dilate=3}, dim_labels=b0f_0io->b0f"},
           Case{"[2,7,3]", "[3,3,4]", "[2,18,4]", "window={size=3 pad=-1_2 lhs_dilate=3}, dim_labels=b0f_0io->b0f"},
           Case{"[3,5,7]", "[6,4,3]", "[5,21,4]", "window={size=6 pad=4_3 lhs_dilate=3}, dim_labels=fb0_0oi->b0f"},
           Case{"[2,7,3]", "[3,3,4]", "[2,21,4]", "window={size=3 pad=-1_5 lhs_dilate=3}, dim_labels=b0f_0io->b0f"},
           Case{"[2,5,6,4]", "[4,4,2,6]", "[2,10,12,6]",
                "window={size=4x4 pad=2_2x2_2 lhs_dilate=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=2"},
           Case{"[4,5,6]", "[4,6,8]", "[2,10,8]",
                "window={size=4 pad=2_2 lhs_dilate=2}, dim_labels=b0f_0io->b0f, batch_group_count=2"},
           Case{"[2,20,3]", "[3,3,4]", "[2,12,4]", "window={size=3 pad=-1_-1 rhs_dilate=3}, dim_labels=b0f_0io->b0f"},
           Case{"[5,3,6]", "[4,3,2]", "[5,5,4]", "window={size=2}, dim_labels=bf0_oi0->b0f"},
           Case{"[3,4]", "[4,5]", "[3,5]", "dim_labels=bf_io->bf"},
           Case{"[1,70,70,8]", "[3,3,8,16]", "[1,70,70,16]",
                "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"},
       }) {
    for (const char* type : {"f32", "f64", "bf16", "s32", "s64"}) {
      const std::string t = type;
      if (t != "f32" && std::string(c.input) == "[1,70,70,8]") continue;
      // Infinities and NaNs among the weights: padding is not a zero that they multiply.
      if (t != "s32" && t != "s64") {
        const std::string w = t + c.kernel, p = std::string("pred") + c.kernel;
        CheckModule(Entry("x = " + t + c.input + " parameter(0)\n v = " + w + " parameter(1)\n high = " + t +
                          "[] constant(2.2)\n highs = " + w + " broadcast(high), dimensions={}\n is_high = " + p +
                          " compare(v, highs), direction=GT\n low = " + t + "[] constant(-2.45)\n lows = " + w +
                          " broadcast(low), dimensions={}\n is_low = " + p +
                          " compare(v, lows), direction=LT\n i = " + t + "[] constant(inf)\n is = " + w +
                          " broadcast(i), dimensions={}\n n = " + t + "[] constant(nan)\n ns = " + w +
                          " broadcast(n), dimensions={}\n u = " + w + " select(is_high, is, v)\n w = " + w +
                          " select(is_low, ns, u)\n ROOT y = " + t + c.result + " convolution(x, w), " + c.attributes),
                    t == "bf16"  ? 0.01
                    : t == "f32" ? 1e-5
                                 : 1e-12);
      }
      CheckModule(Entry("x = " + t + c.input + " parameter(0)\n w = " + t + c.kernel + " parameter(1)\n ROOT y = " + t +
                        c.result + " convolution(x, w), " + c.attributes),
                  t == "bf16"  ? 0.01
                  : t == "f32" ? 1e-5
                               : 1e-12);
    }
  }
}

TEST_CASE("sliding windows") {
  struct Case {
    const char *in, *out, *window;
  };
  for (Case c : {
           Case{"[2,9,10,5]", "[2,5,5,5]", "size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_0x0_0"},
           Case{"[2,3,9,10]", "[2,3,9,10]", "size=1x1x3x3 pad=0_0x0_0x1_1x1_1"},
           Case{"[2,3,9,10]", "[2,3,4,5]", "size=1x1x2x2 stride=1x1x2x2"},
           Case{"[40]", "[36]", "size=3 rhs_dilate=2"},
           Case{"[12]", "[21]", "size=3 lhs_dilate=2"},
           Case{"[70,300]", "[70,300]", "size=1x300 pad=0_0x299_0"},
           Case{"[7,30]", "[7,30]", "size=1x30 pad=0_0x0_29"},
           Case{"[30,7]", "[30,7]", "size=30x1 pad=29_0x0_0"},
           Case{"[5,5]", "[1,1]", "size=5x5"},
           Case{"[6]", "[8]", "size=2 pad=3_0"},
           // Rows of fewer elements than a vector has, of whole vectors, and with rests; cropped; of no element.
           Case{"[3,7,9,3]", "[3,3,4,3]", "size=1x3x3x1 stride=1x2x2x1"},
           Case{"[2,6,8,64]", "[2,3,4,64]", "size=1x2x2x1 stride=1x2x2x1"},
           Case{"[2,5,9,77]", "[2,5,5,77]", "size=1x3x3x1 stride=1x1x2x1 pad=0_0x1_1x1_1x0_0"},
           Case{"[2,5,9,20]", "[2,3,4,20]", "size=1x3x3x1 stride=1x1x2x1 pad=0_0x0_0x-1_1x0_0"},
           Case{"[9,20]", "[14,20]", "size=2x1 rhs_dilate=3x1 pad=4_4x0_0"},
       }) {
    for (const char* op : {"add", "maximum", "minimum"}) {
      for (const char* type : {"f32", "f64", "bf16", "s32", "u8"}) {
        const std::string t = type;
        const bool corners = (t == "f32" || t == "f64") && op != std::string("add");
        CheckModule("HloModule m\n" + Binary("f", t, op) + "ENTRY e {\n" +
                        (corners ? WithCorners(t, c.in) : " x = " + t + c.in + " parameter(0)\n") + " i = " + t +
                        "[] constant(1)\n ROOT y = " + t + c.out + " reduce-window(x, i), window={" + c.window +
                        "}, to_apply=f\n}\n",
                    op != std::string("add") ? 0
                    : t == "bf16"            ? 0.05
                    : t == "f32"             ? 1e-5
                                             : 1e-12);
      }
    }
  }
  // Of zeros, whose signs the reciprocals show, and NaNs.
  for (const char* type : {"f32", "f64"}) {
    for (const char* op : {"maximum", "minimum"}) {
      const std::string t = type, in = t + "[2,5,9,77]", out = t + "[2,5,5,77]";
      CheckModule(
          "HloModule m\n" + Binary("f", t, op) + "ENTRY e {\n" + WithCorners(t, "[2,5,9,77]") + " none = " + t +
              "[] constant(0)\n nones = " + in + " broadcast(none), dimensions={}\n w = " + in +
              " multiply(x, nones)\n i = " + t + "[] constant(" + (op == std::string("maximum") ? "-" : "") +
              "inf)\n y = " + out +
              " reduce-window(w, i), window={size=1x2x2x1 stride=1x1x2x1 pad=0_0x1_0x1_0x0_0}, to_apply=f\n one = " +
              t + "[] constant(1)\n ones = " + out + " broadcast(one), dimensions={}\n ROOT r = " + out +
              " divide(ones, y)\n}\n",
          0);
    }
  }
  for (const char* direction : {"GE", "LT"}) {
    CheckModule(std::string("HloModule m\ns { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] "
                            "compare(a, b), direction=") +
                    direction + " }\n" + Binary("f", "f32", "add") + "ENTRY e {\n" + WithCorners("f32", "[2,9,10,5]") +
                    R"( z = f32[] constant(1)
      y = f32[2,5,5,5] parameter(1)
      ROOT r = f32[2,9,10,5] select-and-scatter(x, y, z), window={size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_0x0_0}, select=s, scatter=f
    })",
                1e-6);
  }
}

// Few different values, so that many are equal; of floats some are NaN, and the zero that is extreme has both signs.
TEST_CASE("the first place of the largest and of the least value") {
  const char* const prologue =
      "no = pred[] compare(a, a), direction=NE\n g = pred[] compare(a, b), direction=DIR\n o = pred[] or(g, no)\n";
  struct Form {
    const char *direction, *value, *pick;  // of the body, for values a before b
  };
  const Form forms[] = {
      {"T", "v = TYPE[] select(o, a, b)\n",
       "e = pred[] compare(a, b), direction=EQ\n l = pred[] compare(i, j), direction=LT\n el = pred[] and(e, l)\n"
       "p = pred[] or(o, el)\n"},
      {"E", "v = TYPE[] select(o, a, b)\n", "p = pred[] copy(o)\n"},
      {"E", "v = TYPE[] EXTREME(a, b)\n", "p = pred[] copy(o)\n"},
  };
  const auto replace = [](std::string text, const std::string& what, const std::string& with) {
    for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), with);
    return text;
  };
  for (const Form& form : forms) {
    for (const bool largest : {true, false}) {
      for (const std::string type : {"f32", "f64", "bf16", "s32", "s8"}) {
        for (const std::string along : {"0", "1"}) {
          const bool is_float = type[0] != 's';
          const std::string kept = along == "0" ? "[70]" : "[9]";
          std::string text =
              "HloModule m\nbody { a = TYPE[] parameter(0)\n i = s32[] parameter(1)\n b = TYPE[] "
              "parameter(2)\n j = s32[] parameter(3)\n" +
              std::string(prologue) + form.value + form.pick +
              "k = s32[] select(p, i, j)\n ROOT r = (TYPE[], s32[]) tuple(v, k) }\n";
          text += R"(ENTRY e {
            n = s32[9,70] parameter(0)
            seven = s32[] constant(7)
            sevens = s32[9,70] broadcast(seven), dimensions={}
            few = s32[9,70] and(n, sevens)
            )";
          text += largest ? "numbers = s32[9,70] subtract(few, sevens)\n" : "numbers = s32[9,70] copy(few)\n";
          text += " plain = TYPE[9,70] convert(numbers)\n";
          text += is_float ? R"( none = s32[] constant(0)
            nones = s32[9,70] broadcast(none), dimensions={}
            is_zero = pred[9,70] compare(numbers, nones), direction=EQ
            negative = pred[9,70] compare(n, nones), direction=LT
            change = pred[9,70] and(is_zero, negative)
            zero = TYPE[] constant(-0)
            zeros = TYPE[9,70] broadcast(zero), dimensions={}
            with_zeros = TYPE[9,70] select(change, zeros, plain)
            many = s32[] constant(93)
            manies = s32[9,70] broadcast(many), dimensions={}
            few_of_them = pred[9,70] compare(n, manies), direction=GT
            no_number = TYPE[] constant(nan)
            no_numbers = TYPE[9,70] broadcast(no_number), dimensions={}
            x = TYPE[9,70] select(few_of_them, no_numbers, with_zeros)
            )"
                           : " x = TYPE[9,70] copy(plain)\n";
          text += "i = s32[9,70] iota(), iota_dimension=" + along + "\n start = TYPE[] constant(" +
                  (is_float        ? largest ? "-inf" : "inf"
                   : type == "s32" ? largest ? "-2147483648" : "2147483647"
                                   : (largest ? "-128" : "127")) +
                  ")\n first = s32[] constant(0)\n ROOT r = (TYPE" + kept + ", s32" + kept +
                  ") reduce(x, i, start, first), dimensions={" + along + "}, to_apply=body }\n";
          text = replace(text, "DIR", (largest ? "G" : "L") + std::string(form.direction));
          text = replace(text, "EXTREME", largest ? "maximum" : "minimum");
          CheckModule(replace(text, "TYPE", type), 0);
        }
      }
    }
  }
}

TEST_CASE("sorting by keys") {
  const std::string canonical = R"(HloModule m
    less { a = f32[] parameter(0)
      b = f32[] parameter(1)
      zero = f32[] constant(0)
      no_number = f32[] constant(nan)
      za = pred[] compare(a, zero), direction=EQ
      zb = pred[] compare(b, zero), direction=EQ
      na = pred[] compare(a, a), direction=NE
      nb = pred[] compare(b, b), direction=NE
      a1 = f32[] select(za, zero, a)
      b1 = f32[] select(zb, zero, b)
      a2 = f32[] select(na, no_number, a1)
      b2 = f32[] select(nb, no_number, b1)
      p = s32[] parameter(2)
      q = s32[] parameter(3)
      ROOT c = pred[] compare(a2, b2), direction=LT, type=TOTALORDER }
    )";
  for (const char* dims : {"[7,5]", "[3,700]", "[300,4]", "[1,1]"}) {
    for (const char* dimension : {"0", "1"}) {
      for (const char* stable : {"true", "false"}) {
        CheckModule(canonical + "ENTRY e {\n" + WithCorners("f32", dims) + " p = s32" + dims +
                        " iota(), iota_dimension=" + dimension + "\n ROOT s = (f32" + dims + ", s32" + dims +
                        ") sort(x, p), dimensions={" + dimension + "}, is_stable=" + stable + ", to_apply=less\n}\n",
                    0);
        for (const char* type : {"f32", "bf16", "s32", "u8", "s64", "f64"}) {
          for (const char* direction : {"LT", "GT"}) {
            const std::string t = type;
            CheckModule(
                "HloModule m\nf { a = " + t + "[] parameter(0)\n b = " + t +
                    "[] parameter(1)\n p = s32[] parameter(2)\n q = " +
                    "s32[] parameter(3)\n ROOT c = pred[] compare(a, b), direction=" + direction + " }\nENTRY e {\n" +
                    (t == "f32" ? WithCorners(t, dims) : " x = " + t + dims + " parameter(0)\n") + " p = s32" + dims +
                    " iota(), iota_dimension=" + dimension + "\n ROOT s = (" + t + dims + ", s32" + dims +
                    ") sort(x, p), dimensions={" + dimension + "}, is_stable=" + stable + ", to_apply=f\n}\n",
                0);
          }
        }
      }
    }
  }
  for (const char* largest : {"true", "false"}) {
    CheckModule("HloModule m\nENTRY e {\n" + WithCorners("f32", "[5,700]") +
                    " ROOT k = (f32[5,9], s32[5,9]) topk(x), k=9, largest=" + largest + "\n}\n",
                0);
    CheckModule("HloModule m\nENTRY e {\n" + WithCorners("bf16", "[5,700]") +
                    " ROOT k = (bf16[5,40], s32[5,40]) topk(x), k=40, largest=" + largest + "\n}\n",
                0);
    for (const char* type : {"s32", "u32", "s16"}) {
      const std::string t = type;
      CheckModule(Entry("x = " + t + "[5,700] parameter(0)\n ROOT k = (" + t +
                        "[5,19], s32[5,19]) topk(x), k=19, largest=" + largest),
                  0);
    }
    CheckModule(
        Entry(std::string("x = bf16[3,20] parameter(0)\n ROOT k = (bf16[3,20], s32[3,20]) topk(x), k=20, largest=") +
              largest),
        0);
  }
}

TEST_CASE("fourier transforms") {
  for (const char* n : {"1", "2", "8", "12", "45", "7", "34", "128", "256"}) {
    const std::string size = n, half = std::to_string(std::stoi(size) / 2 + 1), dims = "[3,5," + size + "]";
    const std::string length = ", fft_length={" + size + "}", both = ", fft_length={5," + size + "}";
    for (const char* type : {"f32", "f64"}) {
      const std::string real = type, complex = real == "f32" ? "c64" : "c128";
      const std::string numbers = " a = " + real + dims + " parameter(0)\n b = " + real + dims +
                                  " parameter(1)\n x = " + complex + dims + " complex(a, b)\n";
      for (const std::string& lengths : {length, both}) {
        const std::string h = "[3,5," + half + "]";
        CheckModule(
            Entry(numbers + " f = " + complex + dims + " fft(x), fft_type=FFT" + lengths + "\n i = " + complex + dims +
                  " fft(x), fft_type=IFFT" + lengths + "\n r = " + complex + h + " fft(a), fft_type=RFFT" + lengths +
                  "\n s = " + complex + h + " slice(x), slice={[0:3], [0:5], [0:" + half + "]}\n b2 = " + real + dims +
                  " fft(s), fft_type=IRFFT" + lengths + "\n ROOT t = (" + complex + dims + ", " + complex + dims +
                  ", " + complex + h + ", " + real + dims + ") tuple(f, i, r, b2)"),
            real == "f32" ? 1e-5 : 1e-12);
      }
    }
  }
}

TEST_CASE("random bits") {
  for (const char* dims : {"[]", "[7]", "[4]", "[3,6,5]", "[3,7,5]", "[9000]"}) {
    for (const char* type : {"u32", "u64", "u8", "s16", "f32"}) {
      for (const char* how : {"u64[2] parameter(0)", "u64[3] parameter(0)", "u32[4] parameter(0)"}) {
        for (const char* algorithm : {"rng_three_fry", "rng_philox", "rng_default"}) {
          const std::string state = std::string(how).substr(0, 6), result = std::string(type) + dims;
          if (state == "u64[3]" && algorithm == std::string("rng_three_fry")) continue;
          if (state != "u64[2]" && type != std::string("u32")) continue;
          CheckModule(Entry(std::string("s = ") + how + "\n ROOT r = (" + state + ", " + result +
                            ") rng-bit-generator(s), algorithm=" + algorithm),
                      0);
        }
      }
    }
  }
}

TEST_CASE("random bits where words of the counter overflow") {
  for (const char* state : {"{7, 4294967290}", "{7, 18446744073709551590}"}) {
    for (const char* dims : {"[5]", "[90]", "[1000]"}) {
      for (const char* algorithm : {"rng_three_fry", "rng_philox"}) {
        CheckModule(Entry(std::string("s = u64[2] constant(") + state + ")\n ROOT r = (u64[2], u32" + dims +
                          ") rng-bit-generator(s), algorithm=" + algorithm),
                    0);
      }
    }
  }
}

TEST_CASE("computations for each element") {
  CheckModule(R"(HloModule m
    f { a = f32[] parameter(0)
        b = f32[] parameter(1)
        k = f32[] constant(0.5)
        s = f32[] multiply(a, k)
        t = f32[] tanh(s)
        c = pred[] compare(t, b), direction=LT
        ROOT r = f32[] select(c, b, t) }
    ENTRY e { x = f32[37,9] parameter(0)
      y = f32[37,9] parameter(1)
      ROOT m = f32[37,9] map(x, y), dimensions={0,1}, to_apply=f })",
              1e-6);
  const std::string argmax = R"(HloModule m
    f { v = f32[] parameter(0)
        i = s32[] parameter(1)
        w = f32[] parameter(2)
        j = s32[] parameter(3)
        gt = pred[] compare(v, w), direction=GT
        ne = pred[] compare(v, v), direction=NE
        first = pred[] or(gt, ne)
        eq = pred[] compare(v, w), direction=EQ
        lt = pred[] compare(i, j), direction=LT
        both = pred[] and(eq, lt)
        take = pred[] or(first, both)
        value = f32[] select(first, v, w)
        index = s32[] select(take, i, j)
        ROOT r = (f32[], s32[]) tuple(value, index) }
    )";
  struct Case {
    const char *in, *out, *dims, *iota;
  };
  for (Case c :
       {Case{"[37,9]", "[37]", "{1}", "1"}, Case{"[37,9]", "[9]", "{0}", "0"}, Case{"[5,1000]", "[5]", "{1}", "1"},
        Case{"[64]", "[]", "{0}", "0"}, Case{"[3,11,7]", "[11]", "{0,2}", "2"}, Case{"[3,1]", "[3]", "{1}", "1"}}) {
    CheckModule(argmax + "ENTRY e {\n" + WithCorners("f32", c.in) + " n = s32" + c.in + " iota(), iota_dimension=" +
                    c.iota + "\n v = f32[] constant(-inf)\n i = s32[] constant(0)\n ROOT r = (f32" + c.out + ", s32" +
                    c.out + ") reduce(x, n, v, i), dimensions=" + c.dims + ", to_apply=f\n}\n",
                0);
  }
}

TEST_CASE("sums of narrow floats") {
  for (const char* type : {"bf16", "f16"}) {
    const std::string t = type;
    struct Case {
      const char *in, *out, *dims;
    };
    for (Case c : {Case{"[5]", "[]", "{0}"}, Case{"[9,70]", "[9]", "{1}"}, Case{"[70,9]", "[9]", "{0}"},
                   Case{"[3,4000]", "[3]", "{1}"}, Case{"[4,31,5]", "[4,5]", "{1}"}, Case{"[4,32,5]", "[5]", "{0,1}"},
                   Case{"[3,33]", "[3]", "{1}"}}) {
      CheckModule("HloModule m\n" + Binary("f", t, "add") + "ENTRY e { x = " + t + c.in + " parameter(0)\n z = " + t +
                      "[] constant(3)\n ROOT r = " + t + c.out + " reduce(x, z), dimensions=" + c.dims +
                      ", to_apply=f }\n",
                  0);
    }
  }
}

TEST_CASE("complex numbers") {
  for (const char* type : {"f32", "f64"}) {
    const std::string r = type, c = r == "f32" ? "c64" : "c128";
    for (const char* n : {"1", "33", "5000"}) {
      const std::string d = std::string("[") + n + "]";
      CheckModule(Entry(" a = " + r + d + " parameter(0)\n b = " + r + d + " parameter(1)\n x = " + c + d +
                        " complex(a, b)\n y = " + c + d + " complex(b, a)\n p = " + c + d +
                        " multiply(x, y)\n s = " + c + d + " subtract(p, x)\n k = " + c +
                        "[] constant((0.5, -2))\n kb = " + c + d + " broadcast(k), dimensions={}\n q = " + c + d +
                        " divide(s, kb)\n n = " + c + d + " negate(q)\n im = " + r + d + " imag(n)\n re = " + r + d +
                        " real(n)\n ab = " + r + d + " abs(y)\n rev = " + c + d +
                        " reverse(p), dimensions={0}\n z = " + c + d + " add(rev, n)\n ROOT t = (" + c + d + ", " + r +
                        d + ", " + r + d + ", " + r + d + ") tuple(z, im, re, ab)"),
                  r == "f32" ? 2e-6 : 1e-14);
    }
  }
}

TEST_CASE("strided and reversed rows are loaded to their last element, whatever its size") {
  for (const char* type : {"s8", "bf16", "f32", "f64", "c128"}) {
    const std::string t = type;
    for (const int64_t size : {1, 7, 16, 33, 100, 513}) {
      for (const int64_t stride : {2, 3, 4, 5}) {
        const std::string row = "[3," + std::to_string(size) + "]";
        const std::string whole = "[3," + std::to_string((size - 1) * stride + 1) + "]";
        const std::string limit = std::to_string((size - 1) * stride + 1);
        CheckModule("HloModule m\nENTRY e {\n x = " + t + whole + " parameter(0)\n y = " + t + row +
                        " parameter(1)\n s = " + t + row + " slice(x), slice={[0:3],[0:" + limit + ":" +
                        std::to_string(stride) + "]}\n ROOT r = " + t + row + " add(s, y)\n}\n",
                    0);
      }
      const std::string row = t + "[3," + std::to_string(size) + "]";
      CheckModule("HloModule m\nENTRY e {\n x = " + row + " parameter(0)\n y = " + row + " parameter(1)\n b = " + row +
                      " reverse(x), dimensions={1}\n ROOT r = " + row + " add(b, y)\n}\n",
                  0);
    }
  }
}

TEST_CASE("sums of rows of a few elements") {
  for (const char* type : {"f32", "f64"}) {
    const std::string t = type;
    for (const int64_t length : {2, 3, 4, 5}) {
      for (const int64_t rows : {1, 17, 1000}) {
        CheckModule("HloModule m\n" + Binary("f", t, "add") + "ENTRY e {\n x = " + t + "[" + std::to_string(rows) +
                        "," + std::to_string(length) + "] parameter(0)\n z = " + t + "[] constant(0.5)\n ROOT r = " +
                        t + "[" + std::to_string(rows) + "] reduce(x, z), dimensions={1}, to_apply=f\n}\n",
                    1e-6);
      }
    }
  }
}

TEST_CASE("a vector times a matrix, of bf16 too, of caches' size and beyond, with tails") {
  for (const char* type : {"f32", "f64", "bf16"}) {
    const std::string t = type;
    for (const auto& [k, n] : {std::pair{7, 5}, {64, 200}, {301, 1031}, {1027, 333}}) {
      const std::string rows = std::to_string(k), columns = std::to_string(n);
      CheckModule("HloModule m\nENTRY e {\n x = " + t + "[" + rows + "] parameter(0)\n w = " + t + "[" + rows + "," +
                      columns + "] parameter(1)\n ROOT r = " + t + "[" + columns +
                      "] dot(x, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n}\n",
                  t == "bf16" ? 1e-2 : 1e-5);
    }
  }
}

TEST_CASE("bf16 is reduced where it lies, along rows that fit a tile and longer ones, and along columns") {
  for (const char* op : {"add", "maximum", "minimum"}) {
    for (const auto& [in, out] : {std::pair<std::string, std::string>{"[500,3]", "[500]"},
                                  {"[40,64]", "[40]"},
                                  {"[33,130]", "[33]"},
                                  {"[3,70001]", "[3]"},
                                  {"[3,2,70]", "[3,70]"},
                                  {"[3,7,64]", "[3,64]"},
                                  {"[3,130,201]", "[3,201]"},
                                  {"[3,9,3000]", "[3,3000]"}}) {
      CheckModule("HloModule m\n" + Binary("f", "f32", op) + "ENTRY e {\n x = bf16" + in + " parameter(0)\n w = f32" +
                      in + " convert(x)\n z = f32[] parameter(1)\n ROOT r = f32" + out +
                      " reduce(w, z), dimensions={1}, to_apply=f\n}\n",
                  1e-4);
    }
  }
  // Two reductions read the same: it is widened for both.
  CheckModule(
      "HloModule m\n" + Binary("f", "f32", "add") + Binary("g", "f32", "maximum") +
          "ENTRY e {\n x = bf16[30,700] parameter(0)\n w = f32[30,700] convert(x)\n z = f32[] parameter(1)\n a = "
          "f32[30] reduce(w, z), dimensions={1}, to_apply=f\n b = f32[30] reduce(w, z), dimensions={1}, "
          "to_apply=g\n ROOT t = (f32[30], f32[30]) tuple(a, b)\n}\n",
      1e-4);
}

TEST_CASE("extremes of bf16 and f16 are found in one loop") {
  for (const char* op : {"maximum", "minimum"}) {
    for (const char* type : {"bf16", "f16"}) {
      const std::string t = type;
      for (const auto& [in, out] : {std::pair<std::string, std::string>{"[40,64]", "[40]"},
                                    {"[33,130]", "[33]"},
                                    {"[3,5001]", "[3]"},
                                    {"[3,7,64]", "[3,64]"},
                                    {"[3,130,201]", "[3,201]"}}) {
        const std::string text = "HloModule m\n" + Binary("f", t, op) + "ENTRY e {\n" + WithCorners(t, in) +
                                 " z = " + t + "[] parameter(1)\n ROOT r = " + t + out +
                                 " reduce(x, z), dimensions={1}, to_apply=f\n}\n";
        CheckModule(text, 0);
        const auto executable = PrepareExecutable(*Parse(text), {});
        REQUIRE(executable.ok());
        CHECK((*executable)->ToString().find("reduce ") != std::string::npos);
      }
    }
  }
}

TEST_CASE("windows and factors of f16 are widened once") {
  const auto plan = [](const std::string& text) {
    CheckModule(text, 2e-2);
    const auto executable = PrepareExecutable(*Parse(text), {});
    REQUIRE(executable.ok());
    return (*executable)->ToString();
  };
  const std::string convolution =
      plan(Entry("x = f16[2,9,10,8] parameter(0)\n w = f16[3,3,8,40] parameter(1)\n ROOT r = f16[2,9,10,40] "
                 "convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f"));
  INFO(convolution);
  CHECK(convolution.find("convert") != std::string::npos);
  CHECK(convolution.find("pad to") == std::string::npos);
  const std::string product = "r = f16[70,90] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  CHECK(plan(Entry("x = f16[70,50] parameter(0)\n y = f16[50,90] parameter(1)\n ROOT " + product)).find("convert") !=
        std::string::npos);
  // A few rows: each element of the other operand is used as often.
  CHECK(plan(Entry("x = f16[7,50] parameter(0)\n y = f16[50,90] parameter(1)\n ROOT r = f16[7,90] dot(x, y), "
                   "lhs_contracting_dims={1}, rhs_contracting_dims={0}"))
            .find("convert") == std::string::npos);
}

TEST_CASE("what a loop multiplies by in each iteration is packed before it") {
  struct Case {
    const char *type, *weights;  // the types
    int64_t rows, terms, columns;
    bool transposed, packs;
  };
  const std::string packs = "for a loop's product";
  for (const Case& c : {Case{"f32", "f32", 8, 600, 600, false, true}, Case{"f32", "f32", 33, 270, 270, false, true},
                        Case{"f32", "f32", 5, 130, 130, true, true}, Case{"f64", "f64", 9, 300, 300, false, true},
                        Case{"f32", "f32", 4, 90, 90, false, false}, Case{"f64", "f64", 16, 70, 70, true, true},
                        Case{"s32", "s32", 13, 290, 290, false, true}, Case{"f32", "bf16", 12, 100, 100, false, true},
                        Case{"f32", "f16", 7, 100, 100, true, true}, Case{"f32", "f32", 1, 200, 200, false, false},
                        Case{"f32", "f32", 300, 64, 64, false, false}}) {
    const auto shape = [](const std::string& type, int64_t m, int64_t n) {
      return type + "[" + std::to_string(m) + "," + std::to_string(n) + "]";
    };
    const std::string h = shape(c.type, c.rows, c.terms), w = shape(c.weights, c.terms, c.columns),
                      state = "(s32[], " + h + ", " + w + ")", contracting = c.transposed ? "1" : "0",
                      factor = c.type[0] == 'f' ? "0.01" : "3";
    const auto text = [&](const std::string& next) {
      return "HloModule m\nbody {\n p = " + state +
             " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n h = " + h +
             " get-tuple-element(p), index=1\n w = " + w +
             " get-tuple-element(p), index=2\n one = s32[] constant(1)\n" + " n = s32[] add(i, one)\n d = " + h +
             " dot(h, w), lhs_contracting_dims={1}, rhs_contracting_dims={" + contracting + "}\n k = " + c.type +
             "[] constant(" + factor + ")\n ks = " + h + " broadcast(k), dimensions={}\n g = " + h +
             " multiply(d, ks)\n v = " + w + " negate(w)\n ROOT t = " + state + " tuple(n, g, " + next +
             ")\n}\ncondition {\n p = " + state +
             " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(3)\n ROOT c = pred[] "
             "compare(i, n), direction=LT\n}\nENTRY e {\n h = " +
             h + " parameter(0)\n w = " + w + " parameter(1)\n zero = s32[] constant(0)\n s = " + state +
             " tuple(zero, h, w)\n l = " + state + " while(s), condition=condition, body=body\n ROOT r = " + h +
             " get-tuple-element(l), index=1\n}\n";
    };
    for (const bool varies : {false, true}) {
      const std::string module = text(varies ? "v" : "w");
      CheckModule(module, 1e-4);
      const auto executable = PrepareExecutable(*Parse(module), {});
      REQUIRE(executable.ok());
      CHECK(((*executable)->ToString().find(packs) != std::string::npos) == (c.packs && !varies));
    }
  }
}

TEST_CASE("what a loop multiplies by is packed from what it was converted from") {
  for (const auto& [type, narrow] :
       {std::pair<std::string, std::string>{"f64", "f32"}, {"f32", "bf16"}, {"f32", "f16"}}) {
    for (const char* contracting : {"0", "1"}) {
      for (const bool read : {false, true}) {
        const std::string h = type + "[9,290]", w = narrow + "[290,290]", c = type + "[290,290]",
                          state = "(s32[], " + h + ", " + w + ")";
        const std::string text =
            "HloModule m\nbody {\n p = " + state +
            " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n h = " + h +
            " get-tuple-element(p), index=1\n w = " + w + " get-tuple-element(p), index=2\n one = s32[] constant(1)\n" +
            " n = s32[] add(i, one)\n c = " + c + " convert(w)\n d = " + h +
            " dot(h, c), lhs_contracting_dims={1}, rhs_contracting_dims={" + contracting + "}\n k = " + type +
            "[] constant(0.01)\n ks = " + h + " broadcast(k), dimensions={}\n t = " + h +
            " multiply(d, ks)\n row = " + h + " slice(c), slice={[3:12], [0:290]}\n a = " + h +
            " add(t, row)\n ROOT r = " + state + " tuple(n, " + (read ? "a" : "t") +
            ", w)\n}\ncondition {\n p = " + state +
            " parameter(0)\n i = s32[] get-tuple-element(p), index=0\n n = s32[] constant(3)\n ROOT c = pred[] "
            "compare(i, n), direction=LT\n}\nENTRY e {\n h = " +
            h + " parameter(0)\n w = " + w + " parameter(1)\n zero = s32[] constant(0)\n s = " + state +
            " tuple(zero, h, w)\n l = " + state + " while(s), condition=condition, body=body\n ROOT r = " + h +
            " get-tuple-element(l), index=1\n}\n";
        CheckModule(text, 1e-4);
        const auto executable = PrepareExecutable(*Parse(text), {});
        REQUIRE(executable.ok());
        const std::string plan = (*executable)->ToString();
        INFO(plan);
        CHECK(plan.find("for a loop's product") != std::string::npos);
        // Unless the loop reads it itself.
        CHECK((plan.find("convert") != std::string::npos) == read);
      }
    }
  }
}

TEST_CASE("what lies in memory is reduced by several rows at a time") {
  for (const char* type : {"f32", "f64", "s32", "s8", "f16"}) {
    for (const char* op : {"add", "maximum", "minimum"}) {
      for (const auto& [in, out, dim] : {std::tuple{"[131,200]", "[131]", "1"},
                                         {"[1030,64]", "[1030]", "1"},
                                         {"[300,1000]", "[300]", "1"},
                                         {"[131,200]", "[200]", "0"},
                                         {"[9,64]", "[64]", "0"},
                                         {"[3,5000]", "[5000]", "0"},
                                         {"[3,2,130]", "[3,130]", "1"},
                                         {"[2000,70]", "[70]", "0"}}) {
        const std::string t = type;
        CheckModule("HloModule m\n" + Binary("f", t, op) + "ENTRY e {\n x = " + t + in + " parameter(0)\n z = " + t +
                        "[] parameter(1)\n ROOT r = " + t + out + " reduce(x, z), dimensions={" + dim +
                        "}, to_apply=f\n}\n",
                    t == "f16" ? 0.02 : 1e-5);
      }
    }
  }
}

TEST_CASE("extremes of columns among NaNs and zeros of both signs") {
  for (const char* type : {"f32", "f64", "bf16"}) {
    for (const char* op : {"maximum", "minimum"}) {
      for (const auto& [in, out] : {std::pair{"[9,64]", "[64]"}, {"[40,77]", "[77]"}, {"[2000,70]", "[70]"}}) {
        const std::string t = type;
        // Of zeros alone, with a NaN in some columns.
        const std::string zeros = " none = " + t + "[] constant(0)\n nones = " + t + in +
                                  " broadcast(none), dimensions={}\n y = " + t + in + " multiply(x, nones)\n";
        for (const char* reduced : {"x", "y"}) {
          const std::string f = t == "bf16" ? "f32" : t;
          CheckModule("HloModule m\n" + Binary("f", f, op) + "ENTRY e {\n" + WithCorners(t, in) + zeros + " o = " + t +
                          in + " opt-barrier(" + reduced + ")\n w = " + f + in + " convert(o)\n z = " + f +
                          "[] constant(" + (op == std::string("maximum") ? "-" : "") + "inf)\n r = " + f + out +
                          " reduce(w, z), dimensions={0}, to_apply=f\n one = " + f + "[] constant(1)\n ones = " + f +
                          out + " broadcast(one), dimensions={}\n sign = " + f + out + " divide(ones, r)\n ROOT t = (" +
                          f + out + ", " + f + out + ") tuple(r, sign)\n}\n",
                      0);
        }
      }
    }
  }
}

TEST_CASE("quotients and remainders of integers") {
  // All pairs of bytes.
  for (const char* type : {"s8", "u8"}) {
    const std::string t = std::string(type) + "[65536]";
    CheckModule(Entry(" i = s32[65536] iota(), iota_dimension=0\n k = s32[] constant(8)\n eight = s32[65536] "
                      "broadcast(k), dimensions={}\n h = s32[65536] shift-right-logical(i, eight)\n x = " +
                      t + " convert(i)\n y = " + t + " convert(h)\n q = " + t + " divide(x, y)\n r = " + t +
                      " remainder(x, y)\n ROOT t = (" + t + ", " + t + ") tuple(q, r)"),
                0);
  }
  // Any bits by any bits shifted to every size, multiples and their neighbours, and the corners: 0, 1, -1, the least.
  for (const char* type : {"s16", "u16", "s32", "u32", "s64"}) {
    for (const char* divisor : {"y", "c"}) {
      for (const int64_t n : {5, 20011}) {
        const std::string t = type, dims = "[" + std::to_string(n) + "]", a = t + dims, u = "u32" + dims;
        const auto constant = [&](const std::string& name, const std::string& of, const std::string& value) {
          return " " + name + "0 = " + of + "[] constant(" + value + ")\n " + name + " = " + of + dims + " broadcast(" +
                 name + "0), dimensions={}\n";
        };
        std::string body = " i = " + u + " iota(), iota_dimension=0\n" + constant("p", "u32", "2654435769") +
                           constant("q", "u32", "2246822519") + constant("s", "u32", "15") +
                           constant("m", "u32", "31") + " h0 = " + u + " multiply(i, p)\n h1 = " + u +
                           " shift-right-logical(h0, s)\n h2 = " + u + " xor(h0, h1)\n h = " + u +
                           " multiply(h2, q)\n g0 = " + u + " multiply(h, p)\n g1 = " + u +
                           " shift-right-logical(g0, s)\n g = " + u + " xor(g0, g1)\n by = " + u +
                           " and(h, m)\n gs = " + u + " shift-right-logical(g, by)\n";
        const std::string least = t == "s16" ? "-32768" : t == "s32" ? "-2147483648" : t == "s64" ? "-9" : "0";
        body += constant("least", t, least) + constant("minus", t, t[0] == 's' ? "-1" : "3") +
                constant("seven", "u32", "7") + constant("zero", "u32", "0") + constant("c", t, "-7");
        if (t[0] == 'u') body.replace(body.rfind("constant(-7)"), 12, "constant(7)");
        body += " x0 = " + a + " convert(h)\n y = " + a + " convert(gs)\n products = " + a +
                " multiply(x0, y)\n near = " + a + " add(products, minus)\n k = " + u + " and(i, seven)\n f = pred" +
                dims + " compare(k, zero), direction=EQ\n two0 = u32[] constant(2)\n two = " + u +
                " broadcast(two0), dimensions={}\n e = pred" + dims + " compare(k, two), direction=LT\n x1 = " + a +
                " select(e, near, x0)\n x = " + a + " select(f, least, x1)\n d = " + a + " select(f, minus, " +
                divisor + ")\n v = " + a + " divide(x, d)\n w = " + a + " remainder(x, d)\n v2 = " + a +
                " divide(x, c)\n w2 = " + a + " remainder(c, d)\n ROOT t = (" + a + ", " + a + ", " + a + ", " + a +
                ") tuple(v, w, v2, w2)";
        CheckModule(Entry(body), 0);
      }
    }
  }
}

TEST_CASE("a remainder by what replaces 0, beside the quotient") {
  for (const char* type : {"s8", "u8", "s32", "u32", "s64"}) {
    for (const char* instead : {"1", "2"}) {
      const std::string t = std::string(type) + "[65536]", s = std::string(type) + "[]";
      CheckModule(
          Entry(" i = s32[65536] iota(), iota_dimension=0\n k = s32[] constant(8)\n eight = s32[65536] broadcast(k), "
                "dimensions={}\n h = s32[65536] shift-right-logical(i, eight)\n less = s32[] constant(128)\n half = "
                "s32[65536] broadcast(less), dimensions={}\n g = s32[65536] subtract(h, half)\n x = " +
                t + " convert(i)\n y = " + t + " convert(g)\n zero0 = " + s + " constant(0)\n zero = " + t +
                " broadcast(zero0), dimensions={}\n one0 = " + s + " constant(" + instead + ")\n one = " + t +
                " broadcast(one0), dimensions={}\n none = pred[65536] compare(y, zero), direction=EQ\n by = " + t +
                " select(none, one, y)\n r = " + t + " remainder(x, by)\n q = " + t + " divide(x, y)\n ROOT t = (" + t +
                ", " + t + ") tuple(q, r)"),
          0);
    }
  }
}

TEST_CASE("quotients by powers of two and other scalars") {
  for (const char* type : {"f32", "f64", "bf16", "f16"}) {
    for (const char* by : {"4", "-0.5", "3", "1", "0", "inf", "32768", "0.000030517578125", "-7"}) {
      for (const int64_t n : {3, 64, 1000}) {
        const std::string t = std::string(type) + "[" + std::to_string(n) + "]";
        CheckModule(Entry(" x = " + t + " parameter(0)\n b = " + type + "[] constant(" + by + ")\n c = " + t +
                          " broadcast(b), dimensions={}\n q = " + t + " divide(x, c)\n p = " + t +
                          " divide(c, x)\n ROOT r = (" + t + ", " + t + ") tuple(q, p)"),
                    0);
      }
    }
  }
}

TEST_CASE("results are rounded to bf16, in blocks with and without denormals") {
  for (const char* op : {"multiply(x, c)", "multiply(x, y)", "add(x, y)", "divide(x, c)"}) {
    // All bf16 numbers, in two orders.
    CheckModule(
        Entry(std::string(" i = u32[65536] iota(), iota_dimension=0\n p = u32[] constant(40503)\n m = u32[65536] "
                          "broadcast(p), dimensions={}\n h = u32[65536] multiply(i, m)\n k = u16[65536] "
                          "convert(h)\n g = u32[65536] multiply(h, m)\n j = u16[65536] convert(g)\n x = "
                          "bf16[65536] bitcast-convert(k)\n y = bf16[65536] bitcast-convert(j)\n b = bf16[] "
                          "constant(1.5)\n c = bf16[65536] broadcast(b), dimensions={}\n ROOT r = bf16[65536] ") +
              op),
        0);
  }
}

TEST_CASE("quotients of any bits by scalars") {
  // Among them 2^-100, and 2^127, whose inverse is no normal number.
  for (const char* by : {"4", "-0.5", "3", "1", "0", "-inf", "32768", "0x1p-100", "0x1p127"}) {
    const double number = std::strtod(by, nullptr);
    std::ostringstream constant;
    constant << std::setprecision(9) << number;
    CheckModule(
        Entry(" i = u32[20011] iota(), iota_dimension=0\n p = u32[] constant(2654435769)\n m = u32[20011] "
              "broadcast(p), dimensions={}\n h = u32[20011] multiply(i, m)\n x = f32[20011] "
              "bitcast-convert(h)\n b = f32[] constant(" +
              constant.str() + ")\n c = f32[20011] broadcast(b), dimensions={}\n ROOT q = f32[20011] divide(x, c)"),
        0);
  }
}

TEST_CASE("complex elementwise operations with a scalar on either side, and conjugates") {
  for (const std::string& c : {std::string("c64"), std::string("c128")}) {
    const std::string r = c == "c64" ? "f32" : "f64";
    for (const char* dims : {"[1]", "[7]", "[64]", "[1001]"}) {
      const std::string d = dims;
      CheckModule(Entry(" x = " + c + d + " parameter(0)\n s = " + c + "[] parameter(1)\n sb = " + c + d +
                        " broadcast(s), dimensions={}\n a = " + c + d + " multiply(sb, x)\n b = " + c + d +
                        " subtract(x, sb)\n re = " + r + d + " real(x)\n im = " + r + d + " imag(x)\n n = " + r + d +
                        " negate(im)\n conjugate = " + c + d + " complex(re, n)\n p = " + c + d +
                        " multiply(conjugate, b)\n ROOT t = (" + c + d + ", " + c + d + ", " + r + d + ", " + r + d +
                        ") tuple(p, a, n, re)"),
                  r == "f32" ? 2e-6 : 1e-14);
      // Of values without other users.
      CheckModule(Entry(" x = " + c + d + " parameter(0)\n y = " + c + d + " parameter(1)\n a = " + c + d +
                        " add(x, y)\n b = " + c + d + " add(a, y)\n re = " + r + d + " real(b)\n im = " + r + d +
                        " imag(b)\n n = " + r + d + " negate(im)\n j = " + c + d + " complex(re, n)\n ROOT k = " + c +
                        d + " subtract(j, a)"),
                  r == "f32" ? 2e-6 : 1e-14);
    }
  }
}

TEST_CASE("transforms of reals of odd and even lengths, in the last dimension and beside others") {
  for (const int64_t length : {1, 2, 3, 6, 34, 37, 100, 512}) {
    for (const char* real : {"f32", "f64"}) {
      const std::string r = real, c = r == "f32" ? "c64" : "c128", n = std::to_string(length),
                        half = std::to_string(length / 2 + 1);
      CheckModule(
          Entry(" x = " + r + "[3,4," + n + "] parameter(0)\n y = " + c + "[3,4," + half + "] parameter(1)\n a = " + c +
                "[3,4," + half + "] fft(x), fft_type=RFFT, fft_length={" + n + "}\n b = " + r + "[3,4," + n +
                "] fft(y), fft_type=IRFFT, fft_length={" + n + "}\n c = " + c + "[3,4," + half +
                "] fft(x), fft_type=RFFT, fft_length={4," + n + "}\n d = " + r + "[3,4," + n +
                "] fft(y), fft_type=IRFFT, fft_length={4," + n + "}\n ROOT t = (" + c + "[3,4," + half + "], " + r +
                "[3,4," + n + "], " + c + "[3,4," + half + "], " + r + "[3,4," + n + "]) tuple(a, b, c, d)"),
          r == "f32" ? 1e-5 : 1e-13);
    }
  }
}

TEST_CASE("the largest and smallest of long rows, among NaNs, infinities and zeros of both signs") {
  for (const char* op : {"maximum", "minimum"}) {
    for (const char* type : {"f32", "f64"}) {
      const std::string t = type;
      for (const char* shift : {"0", "1e9", "-1e9", "inf", "-inf"}) {
        // Of rows with NaNs, of zeros alone, of numbers, and of numbers below or above zero.
        const std::string row = "[5,400]", body = WithCorners(t, row);
        CheckModule("HloModule m\n" + Binary("f", t, op) + "ENTRY e {\n" + body + " s = " + t + "[] constant(" + shift +
                        ")\n sb = " + t + row + " broadcast(s), dimensions={}\n y = " + t + row +
                        " add(x0, sb)\n o = " + t + "[] constant(0)\n ob = " + t + row +
                        " broadcast(o), dimensions={}\n w = " + t + row + " minimum(x0, ob)\n v = " + t + row +
                        " maximum(x0, ob)\n nw = " + t + row + " multiply(v, zeros)\n z = " + t + "[] constant(" +
                        (op[1] == 'a' ? "-inf" : "inf") + ")\n a = " + t +
                        "[5] reduce(x, z), dimensions={1}, to_apply=f\n b = " + t +
                        "[5] reduce(y, z), dimensions={1}, to_apply=f\n c = " + t +
                        "[5] reduce(w, z), dimensions={1}, to_apply=f\n d = " + t +
                        "[5] reduce(nw, z), dimensions={1}, to_apply=f\n ROOT t = (" + t + "[5], " + t + "[5], " + t +
                        "[5], " + t + "[5]) tuple(a, b, c, d)\n}\n",
                    0);
      }
    }
  }
}
