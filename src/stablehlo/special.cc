// Special functions, which XLA's converter expands: the approximations of Giles for the inverse of erf, of Cephes for
// erfc, zeta and Bessel's functions, of Lanczos for the logarithm of gamma and its derivative. Elementary ones:
// elementary.cc. Tests: stablehlo_test.cc, bench/compare_stablehlo.py.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "formula.h"

namespace hloir::stablehlo {
namespace {

using Coefficients = std::span<const double>;

// c0 x^n + c1 x^(n-1) + …; with `monic`, x^(n+1) + c0 x^n + ….
E Polynomial(E x, Coefficients c, bool monic = false) {
  E sum = monic ? x + c[0] : x * c[0] + c[1];
  for (size_t i = monic ? 1 : 2; i < c.size(); ++i) sum = sum * x + c[i];
  return sum;
}

// ---- erfc ----

E Erfc32(E x) {
  static constexpr double kErf[] = {7.853861353153693e-5,  -8.010193625184903e-4, 5.188327685732524e-3,
                                    -2.685381193529856e-2, 1.128358514861418e-1,  -3.761262582423300e-1,
                                    1.128379165726710e+0};
  static constexpr double kNear[] = {2.326819970068386e-2,  -1.387039388740657e-1, 3.687424674597105e-1,
                                     -5.824733027278666e-1, 6.210004621745983e-1,  -4.944515323274145e-1,
                                     3.404879937665872e-1,  -2.741127028184656e-1, 5.638259427386472e-1};
  static constexpr double kFar[] = {-1.047766399936249e+1, 1.297719955372516e+1,  -7.495518717768503e+0,
                                    2.921019019210786e+0,  -1.015265279202700e+0, 4.218463358204948e-1,
                                    -2.820767439740514e-1, 5.641895067754075e-1};
  const E square = x * x;
  const E small = 1.0 - x * Polynomial(square, kErf);
  const E again = x * x, minus = -again, abs = Abs(x);  // twice, as XLA has it
  const E q = 1.0 / again;
  const E p = Select(Less(abs, 2), Polynomial(q, kNear), Polynomial(q, kFar));
  E y = Exp(minus) * (1.0 / abs) * p;
  y = Select(Less(minus, -88.72283905206835), x.Full(0), y);
  const E large = Select(Less(x, 0), 2.0 - y, y);
  return Select(Less(Abs(x), 1), small, large);
}

E Erfc64(E x) {
  static constexpr double kT[] = {9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
                                  7.00332514112805075473e3, 5.55923013010394962768e4};
  static constexpr double kU[] = {3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
                                  2.26290000613890934246e4, 4.92673942608635921086e4};
  static constexpr double kP[] = {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
                                  4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
                                  9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
  static constexpr double kQ[] = {1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
                                  9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3,
                                  1.65666309194161350182e3, 5.57535340817727675546e2};
  static constexpr double kR[] = {5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
                                  6.16021097993053585195e0,  7.40974269950448939160e0, 2.97886665372100240670e0};
  static constexpr double kS[] = {2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
                                  1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0};
  const E square = x * x;
  const E small = 1.0 - x * Polynomial(square, kT) / Polynomial(square, kU, true);
  const E minus = -(x * x), e = Exp(minus), abs = Abs(x);
  const E near = e * Polynomial(abs, kP) / Polynomial(abs, kQ, true);
  const E far = e * Polynomial(abs, kR) / Polynomial(abs, kS, true);
  E y = Select(Less(abs, 8), near, far);
  y = Select(Less(minus, -709.78271289338397), x.Full(0), y);
  const E large = Select(Less(x, 0), 2.0 - y, y);
  return Select(Less(Abs(x), 1), small, large);
}

// ---- the inverse of erf ----

E ErfInv32(E x) {
  static constexpr double kNear[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                     -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
  static constexpr double kFar[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                    -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
  E w = -Log1p(x * -x);
  const E is_near = Less(w, 5);
  w = Select(is_near, w - 2.5, Sqrt(w) - 3.0);
  E p = Select(is_near, x.Full(kNear[0]), x.Full(kFar[0]));
  for (size_t i = 1; i < std::size(kNear); ++i) {
    const E c = Select(is_near, x.Full(kNear[i]), x.Full(kFar[i]));
    p = c + p * w;
  }
  return Select(Equal(Abs(x), 1), x * kInfinity, p * x);
}

E ErfInv64(E x) {
  static constexpr double kNear[] = {
      -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
      -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
      -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
      1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
      -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
      -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
  static constexpr double kMiddle[] = {
      2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
      1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
      -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
      0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
      0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
  static constexpr double kFar[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
                                    -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
                                    2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
                                    -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
                                    7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
                                    1.0103004648645343977,      4.8499064014085844221};
  E w = -Log1p(x * -x);
  const E is_near = Less(w, 6.25), is_middle = Less(w, 16);
  const auto coefficient = [&](size_t i) {
    E c = Select(is_near, x.Full(kNear[i]), x.Full(kMiddle[i]));
    return i < std::size(kFar) ? Select(is_middle, c, x.Full(kFar[i])) : c;
  };
  w = Select(is_near, w - 3.125, Sqrt(w) - Select(is_middle, x.Full(3.25), x.Full(5)));
  E p = coefficient(0);
  for (size_t i = 1; i < std::size(kFar); ++i) p = coefficient(i) + p * w;
  for (size_t i = std::size(kFar); i < std::size(kMiddle); ++i) p = Select(is_middle, coefficient(i) + p * w, p);
  for (size_t i = std::size(kMiddle); i < std::size(kNear); ++i) p = Select(is_near, p * w + kNear[i], p);
  return Select(Equal(Abs(x), 1), x * kInfinity, p * x);
}

// ---- gamma ----

constexpr double kLanczosG = 7, kLanczosBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                               771.3234287776530788486528258894,   -176.61502916214059906584551354,
                               12.507343278686904814458936853,     -0.13857109526572011689554707,
                               9.984369578019570859563e-6,         1.50563273514931155834e-7};

E Lgamma(E x) {
  const E reflects = Less(x, 0.5);
  const E z = Select(reflects, -x, x - 1.0);
  E sum = x.Full(kLanczosBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i)
    sum = i == 0 ? kLanczos[0] / (z + 1.0) + kLanczosBase : sum + kLanczos[i] / (z + static_cast<double>(i + 1));
  const E t = z + (kLanczosG + 0.5);
  const E log_t = Log1p(z / (kLanczosG + 0.5)) + std::log(kLanczosG + 0.5);
  const E result = ((z + 0.5) - t / log_t) * log_t + (std::log(2 * std::numbers::pi) / 2) + Log(sum);
  // lgamma(x) = log(pi) - lgamma(1 - x) - log(abs(sin(pi x))), where the sine is that of the distance to an integer.
  const E abs = Abs(x);
  E fraction = abs - Floor(abs);
  fraction = Select(Compare(x.Full(0.5), "LT", fraction), 1.0 - fraction, fraction);
  const E log_sine = Log(Sin(fraction * std::numbers::pi));
  const E reflection = Select(IsFinite(log_sine), (std::log(std::numbers::pi) - log_sine) - result, -log_sine);
  return Select(Equal(Abs(x), kInfinity), x.Full(kInfinity), Select(reflects, reflection, result));
}

E Digamma(E x) {
  const E reflects = Less(x, 0.5);
  const E z = Select(reflects, -x, x - 1.0);
  E numerator = x.Full(0), denominator = x.Full(kLanczosBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i) {
    const E zi = z + static_cast<double>(i + 1);
    numerator = i == 0 ? x.Full(0) - kLanczos[0] / (zi * zi) : numerator - kLanczos[i] / (zi * zi);
    denominator = i == 0 ? kLanczos[0] / zi + kLanczosBase : denominator + kLanczos[i] / zi;
  }
  const E t = z + (kLanczosG + 0.5);
  const E log_t = Log1p(z / (kLanczosG + 0.5)) + std::log(kLanczosG + 0.5);
  const E y = (log_t + numerator / denominator) - kLanczosG / t;
  // digamma(1 - x) = digamma(x) + pi cot(pi x), with x reduced to near 0, which is exact.
  const E moved = x + Abs(Floor(x + 0.5));
  const E angle = moved * std::numbers::pi;
  const E reflected = y - (Cos(angle) * std::numbers::pi) / Sin(angle);
  const E result = Select(reflects, reflected, y);
  const E is_pole = And(Compare(x, "LE", x.Full(0)), Compare(x, "EQ", Floor(x)));
  return Select(is_pole, x.Full(kNan), result);
}

// ---- Bessel's i1e ----

// Clenshaw's sum of Chebyshev polynomials.
E Chebyshev(E x, Coefficients c) {
  E b0 = x.Full(0), b1 = x.Full(0), b2 = x.Full(0);
  for (size_t i = 0; i < c.size(); ++i) {
    b2 = b1, b1 = b0;
    b0 = i == 0 ? x * 0.0 + c[0] : i == 1 ? x * b1 + c[1] : x * b1 - b2 + c[i];
  }
  return (b0 - b2) * 0.5;
}

E BesselI1e(E x, bool is_double) {
  static constexpr double kNear[] = {
      2.77791411276104639959e-18, -2.11142121435816608115e-17, 1.55363195773620046921e-16, -1.10559694773538630805e-15,
      7.60068429473540693410e-15, -5.04218550472791168711e-14, 3.22379336594557470981e-13, -1.98397439776494371520e-12,
      1.17361862988909016308e-11, -6.66348972350202774223e-11, 3.62559028155211703701e-10, -1.88724975172282928790e-9,
      9.38153738649577178388e-9,  -4.44505912879632808065e-8,  2.00329475355213526229e-7,  -8.56872026469545474066e-7,
      3.47025130813767847674e-6,  -1.32731636560394358279e-5,  4.78156510755005422638e-5,  -1.61760815825896745588e-4,
      5.12285956168575772895e-4,  -1.51357245063125314899e-3,  4.15642294431288815669e-3,  -1.05640848946261981558e-2,
      2.47264490306265168283e-2,  -5.29459812080949914269e-2,  1.02643658689847095384e-1,  -1.76416518357834055153e-1,
      2.52587186443633654823e-1};
  static constexpr double kFar[] = {
      7.51729631084210481353e-18,  4.41434832307170791151e-18,  -4.65030536848935832153e-17,
      -3.20952592199342395980e-17, 2.96262899764595013876e-16,  3.30820231092092828324e-16,
      -1.88035477551078244854e-15, -3.81440307243700780478e-15, 1.04202769841288027642e-14,
      4.27244001671195135429e-14,  -2.10154184277266431302e-14, -4.08355111109219731823e-13,
      -7.19855177624590851209e-13, 2.03562854414708950722e-12,  1.41258074366137813316e-11,
      3.25260358301548823856e-11,  -1.89749581235054123450e-11, -5.58974346219658380687e-10,
      -3.83538038596423702205e-9,  -2.63146884688951950684e-8,  -2.51223623787020892529e-7,
      -3.88256480887769039346e-6,  -1.10588938762623716291e-4,  -9.76109749136146840777e-3,
      7.78576235018280120474e-1};
  const E z = Abs(x);
  const Coefficients near_all(kNear), far_all(kFar);  // of which f32 needs the last
  const E near = z * Chebyshev(z * 0.5 - 2.0, is_double ? near_all : near_all.last(17));
  const E far = Chebyshev(32.0 / z - 2.0, is_double ? far_all : far_all.last(7)) / Sqrt(z);
  return Sign(x) * Select(Compare(z, "LE", z.Full(8)), near, far);
}

// ---- zeta and polygamma ----

// Hurwitz's zeta: the sum of (q + i)^-x by Euler's and Maclaurin's formula, whose coefficients are Bernoulli's numbers
// over factorials.
E Zeta(E x, E q) {
  static constexpr double kCoefficients[] = {-1.3954464685812522e-19, 5.5090028283602295e-18,  -2.1748686985580617e-16,
                                             8.5860620562778452e-15,  -3.3896802963225832e-13, 1.3382536530684679e-11,
                                             -5.2841901386874932e-10, 2.08767569878681e-08,    -8.2671957671957675e-07,
                                             3.3068783068783071e-05,  -0.0013888888888888889,  0.083333333333333329};
  const double least = x.type() == PrimitiveType::F64 ? std::numeric_limits<double>::denorm_min()
                                                      : static_cast<double>(std::numeric_limits<float>::denorm_min());
  const E minus = -x, one = x.Full(1);
  E a = q, sum = Power(q, minus);
  for (int i = 0; i < 9; ++i) {
    a = a + one;
    sum = sum + Power(a, minus);
  }
  a = a + one;
  const E term = Power(a, minus), inverse = one / (a * a);
  const E integral = sum + term * a / (x - one);
  E tail = inverse * kCoefficients[0];
  for (int i = 0; i < 11; ++i) {
    const double k = 22 - 2 * i;
    tail = (x + k) * (x + (k - 1)) * tail + kCoefficients[i + 1];
    if (i < 10) tail = inverse * tail;
  }
  const E whole = integral + term * (x / a * tail + 0.5);
  E result = Select(Compare(Abs(term), "LT", Abs(sum) * least), sum, whole);
  result = Select(Less(x, 1), x.Full(kNan), result);
  const E is_left = Compare(q, "LE", q.Full(0));
  result = Select(And(is_left, Compare(x, "NE", Floor(x))), x.Full(kNan), result);
  const E is_even = And(Compare(x, "EQ", Floor(x)), Equal(Remainder(x, 2), 0));
  const E pole = Select(is_even, x.Full(kInfinity), x.Full(kNan));
  result = Select(And(is_left, Compare(q, "EQ", Floor(q))), pole, result);
  return Select(Equal(x, 1), x.Full(kInfinity), result);
}

// The n-th derivative of digamma.
E Polygamma(E n, E x) {
  const E order = n + 1.0;
  const E general = (Remainder(n, 2) * 2.0 - 1.0) * Exp(Lgamma(order)) * Zeta(order, x);
  const E result = Select(Equal(n, 0), Digamma(x), general);
  return Select(Or(Compare(n, "NE", Floor(n)), Less(n, 0)), n.Full(kNan), result);
}

// ---- the next number ----

PrimitiveType SignedOfWidth(int bits) {
  return bits == 8    ? PrimitiveType::S8
         : bits == 16 ? PrimitiveType::S16
         : bits == 32 ? PrimitiveType::S32
                      : PrimitiveType::S64;
}

// By the bits: plus one away from zero, minus one towards it.
E NextAfter(E x, E y) {
  const int bits = BitWidth(x.type());
  const PrimitiveType type = SignedOfWidth(bits);
  const int64_t sign = bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1));
  const E i = BitcastTo(x, type), j = BitcastTo(y, type);
  const E zero = i.FullInteger(0), one = i.FullInteger(1), sign_bit = i.FullInteger(sign),
          others = i.FullInteger(~sign);
  const E is_nan = Or(Compare(x, "NE", x), Compare(y, "NE", y));
  const E abs_i = And(i, others), abs_j = And(j, others);
  const E sign_i = And(i, sign_bit), sign_j = And(j, sign_bit);
  const E from_zero = Select(Compare(abs_j, "EQ", zero), j, Or(sign_j, one));
  const E is_towards_zero = Or(Compare(abs_i, "GT", abs_j), Compare(sign_i, "NE", sign_j));
  const E moved = i + Select(is_towards_zero, i.FullInteger(-1), one);
  const E next = Select(Compare(abs_i, "EQ", zero), from_zero, moved);
  const E result = Select(is_nan, BitcastTo(x.Full(kNan), type), Select(Compare(x, "EQ", y), j, next));
  return BitcastTo(result, x.type());
}

}  // namespace

E Special(std::string_view name, E x, E y) {
  const E none = {x.s, x.like, nullptr};
  const PrimitiveType type = x.type();
  if (name == "conj") return IsComplex(type) ? MakeComplex(Real(x), -Imag(x)) : none;
  if (!IsFloat(type)) return none;
  if (name == "atan") return Atan2(x, x.Full(1));
  if (name == "next_after") return BitWidth(type) >= 8 ? NextAfter(x, y) : none;
  if (name == "is_inf") return Equal(Abs(x), kInfinity);
  if (name == "is_pos_inf") return Equal(x, kInfinity);
  if (name == "is_neg_inf") return Equal(x, -kInfinity);
  static constexpr std::string_view kNames[] = {"erfc",       "erf_inv", "lgamma",   "digamma",
                                                "bessel_i1e", "zeta",    "polygamma"};
  if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return none;
  // Narrow numbers are computed in f32.
  const bool is_double = type == PrimitiveType::F64, is_narrow = !is_double && type != PrimitiveType::F32;
  const bool is_pair = name == "zeta" || name == "polygamma";
  if (is_narrow) x = ConvertTo(x, PrimitiveType::F32);
  if (is_narrow && is_pair) y = ConvertTo(y, PrimitiveType::F32);
  const E result = name == "erfc"        ? (is_double ? Erfc64(x) : Erfc32(x))
                   : name == "erf_inv"   ? (is_double ? ErfInv64(x) : ErfInv32(x))
                   : name == "lgamma"    ? Lgamma(x)
                   : name == "digamma"   ? Digamma(x)
                   : name == "zeta"      ? Zeta(x, y)
                   : name == "polygamma" ? Polygamma(x, y)
                                         : BesselI1e(x, is_double);
  return is_narrow ? ConvertTo(result, type) : result;
}

}  // namespace hloir::stablehlo
