// How far each transcendental op is from the true value, in units in the last place, with each instruction set and in the
// reference: every f32 there is (or every N-th), and f64 at random bit patterns and at every size of number. The true value
// comes from libm in f64 for f32, in 80-bit arithmetic for f64. Fails if an op is further off than opcodes.def says, if a
// NaN or an infinity is out of place, or if a zero has the wrong sign.
//
//   ulp_sweep [--every=N] [--op=NAME] [--type=f32|f64] [--isa=NAME] [--seed=N]
//
// ctest runs it with a large N; without one it is exhaustive and takes hours.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "hloir/evaluator.h"
#include "hloir/executable.h"
#include "hloir/opcode.h"
#include "hloir/parser.h"

namespace {

using namespace hloir;

constexpr int64_t kBlock = 1 << 16;  // inputs at a time

struct Op {
  HloOpcode opcode;
  int arity;
  long double (*truth)(long double, long double);
};

long double Rsqrt(long double x) {
  return x == 0 ? std::copysign(std::numeric_limits<long double>::infinity(), x) : 1 / std::sqrt(x);
}
// 1 / (1 + exp(-x)) loses nothing that long double would miss.
long double Logistic(long double x) { return 1 / (1 + std::exp(-x)); }

#define UNARY(name, f) {HloOpcode::k##name, 1, [](long double x, long double) -> long double { return f(x); }}
#define BINARY(name, f) {HloOpcode::k##name, 2, [](long double x, long double y) -> long double { return f(x, y); }}
const Op kOps[] = {
    UNARY(Acos, std::acos), UNARY(Acosh, std::acosh), UNARY(Asin, std::asin),   UNARY(Asinh, std::asinh), UNARY(Atanh, std::atanh),
    UNARY(Cbrt, std::cbrt), UNARY(Cos, std::cos),     UNARY(Cosh, std::cosh),   UNARY(Erf, std::erf),     UNARY(Exp, std::exp),
    UNARY(Expm1, std::expm1), UNARY(Log, std::log),   UNARY(Log1p, std::log1p), UNARY(Logistic, Logistic), UNARY(Rsqrt, Rsqrt),
    UNARY(Sin, std::sin),   UNARY(Sinh, std::sinh),   UNARY(Sqrt, std::sqrt),   UNARY(Tan, std::tan),     UNARY(Tanh, std::tanh),
    BINARY(Atan2, std::atan2), BINARY(Power, std::pow)};

struct Worst {
  double ulps = 0;
  long double x = 0, y = 0, got = 0, want = 0;
};

// Numbers beyond the largest of T count as infinity where T would round them so.
template <class T>
double UlpsApart(T got, long double want) {
  const bool got_nan = std::isnan(got), want_nan = std::isnan(want);
  if (got_nan || want_nan) return got_nan && want_nan ? 0 : HUGE_VAL;
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr int kLowest = std::numeric_limits<T>::min_exponent - 1;  // of the smallest normal number
  const long double limit = std::ldexp(1.0L, std::numeric_limits<T>::max_exponent);
  if (want == 0 && got == 0) return std::signbit(got) == std::signbit(want) ? 0 : HUGE_VAL;
  if (std::isinf(want)) return got == want ? 0 : HUGE_VAL;
  const long double clamped = std::fmin(std::fmax(want, -limit), limit);
  const long double value = std::isinf(got) ? std::copysign(limit, static_cast<long double>(got)) : static_cast<long double>(got);
  const int exponent = clamped == 0 ? kLowest : std::max(kLowest, std::min(std::ilogb(clamped), std::numeric_limits<T>::max_exponent - 1));
  return static_cast<double>(std::fabs(value - clamped) / std::ldexp(1.0L, exponent - kDigits + 1));
}

uint64_t Scramble(uint64_t z) {
  z = (z + 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

template <class T>
T FromBits(uint64_t bits) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  else return std::bit_cast<double>(bits);
}

struct Engine {
  std::string name;
  std::unique_ptr<HloExecutable> executable;  // none: the reference
};

template <class T>
class Sweep {
 public:
  Sweep(const Op& op, const std::string& isa) : op_(op) {
    const std::string type = sizeof(T) == 4 ? "f32" : "f64", shape = type + "[" + std::to_string(kBlock) + "]";
    std::string text = "HloModule sweep\nENTRY e {\n  x = " + shape + " parameter(0)\n";
    if (op.arity == 2) text += "  y = " + shape + " parameter(1)\n";
    text += "  ROOT r = " + shape + " " + std::string(OpcodeName(op.opcode)) + (op.arity == 2 ? "(x, y)\n}\n" : "(x)\n}\n");
    module_ = std::move(ParseHloModule(text)).value();
    for (const std::string& each : SupportedIsas()) {
      if (!isa.empty() && isa != each) continue;
      ExecutableOptions options;
      options.isa = each;
      options.threads = 1;
      engines_.push_back({each, std::move(PrepareExecutable(*module_, options)).value()});
    }
    if (isa.empty() || isa == "reference") engines_.push_back({"reference", nullptr});
    worst_.resize(engines_.size());
    reference_ = MakeReferenceEvaluator();
    x_ = Literal(module_->entry_computation()->root()->shape());
    y_ = x_;
  }

  // Reads the block's inputs from `make`, which is given an input's number.
  template <class F>
  void Block(F&& make) {
    for (int64_t i = 0; i < kBlock; ++i) make(i, x_.template data<T>()[i], y_.template data<T>()[i]);
    std::vector<const Literal*> arguments{&x_};
    if (op_.arity == 2) arguments.push_back(&y_);
    std::vector<Literal> results;
    for (const Engine& engine : engines_) {
      auto result = engine.executable ? engine.executable->Run(arguments) : reference_->EvaluateComputation(*module_->entry_computation(), arguments);
      results.push_back(std::move(result).value());
    }
    for (int64_t i = 0; i < kBlock; ++i) {
      const T x = x_.template data<T>()[i], y = y_.template data<T>()[i];
      const long double want = Truth(x, y);
      for (size_t e = 0; e < engines_.size(); ++e) {
        const T got = results[e].template data<T>()[i];
        const double ulps = UlpsApart(got, want);
        if (ulps > worst_[e].ulps) worst_[e] = {ulps, x, y, got, want};
      }
    }
  }

  bool Report() const {
    const double allowed = GetOpcodeInfo(op_.opcode).max_ulps;
    bool good = true;
    for (size_t e = 0; e < engines_.size(); ++e) {
      const Worst& w = worst_[e];
      const bool fine = w.ulps <= allowed;
      good = good && fine;
      std::printf("%-4s %-22s %-10s %10.4g ulp%s at %.17Lg", sizeof(T) == 4 ? "f32" : "f64", std::string(OpcodeName(op_.opcode)).c_str(),
                  engines_[e].name.c_str(), w.ulps, fine ? "" : " TOO FAR", w.x);
      if (op_.arity == 2) std::printf(", %.17Lg", w.y);
      std::printf(": %.17Lg, not %.20Lg\n", w.got, w.want);
    }
    std::fflush(stdout);
    return good;
  }

 private:
  long double Truth(T x, T y) const {
    // For f32 a value in f64 is exact enough, and quicker by far.
    if constexpr (sizeof(T) == 4) return Quick(x, y);
    return op_.truth(x, y);
  }
  long double Quick(double x, double y) const {
    switch (op_.opcode) {
      case HloOpcode::kAcos: return std::acos(x);
      case HloOpcode::kAcosh: return std::acosh(x);
      case HloOpcode::kAsin: return std::asin(x);
      case HloOpcode::kAsinh: return std::asinh(x);
      case HloOpcode::kAtanh: return std::atanh(x);
      case HloOpcode::kCos: return std::cos(x);
      case HloOpcode::kCosh: return std::cosh(x);
      case HloOpcode::kErf: return std::erf(x);
      case HloOpcode::kExp: return std::exp(x);
      case HloOpcode::kExpm1: return std::expm1(x);
      case HloOpcode::kLog: return std::log(x);
      case HloOpcode::kLog1p: return std::log1p(x);
      case HloOpcode::kSin: return std::sin(x);
      case HloOpcode::kSinh: return std::sinh(x);
      case HloOpcode::kTan: return std::tan(x);
      case HloOpcode::kTanh: return std::tanh(x);
      case HloOpcode::kAtan2: return std::atan2(x, y);
      case HloOpcode::kPower: return std::pow(x, y);
      default: return op_.truth(x, y);
    }
  }

  const Op& op_;
  std::unique_ptr<HloModule> module_;
  std::unique_ptr<HloEvaluator> reference_;
  std::vector<Engine> engines_;
  std::vector<Worst> worst_;
  Literal x_, y_;
};

// Every N-th f32, starting at a place of the seed's; for two operands as many pairs, at random.
bool SweepF32(const Op& op, uint64_t every, uint64_t seed, const std::string& isa) {
  Sweep<float> sweep(op, isa);
  const uint64_t count = (uint64_t{1} << 32) / every, start = Scramble(seed) % every;
  for (uint64_t first = 0; first < count; first += kBlock) {
    sweep.Block([&](int64_t i, float& x, float& y) {
      const uint64_t number = first + static_cast<uint64_t>(i), random = Scramble(number ^ seed << 40);
      x = FromBits<float>(op.arity == 1 ? start + number * every : random >> 32);
      // Pairs of sizes that lead to results of interest: half of them within a few powers of two around 1.
      y = FromBits<float>(random);
      if (number & 1) x = std::ldexp(FromBits<float>((random >> 32 & 0x807fffff) | 0x3f800000), static_cast<int>(random >> 25 & 15) - 8),
                      y = std::ldexp(FromBits<float>((random & 0x807fffff) | 0x3f800000), static_cast<int>(random >> 40 & 15) - 8);
    });
  }
  return sweep.Report();
}

bool SweepF64(const Op& op, uint64_t count, uint64_t seed, const std::string& isa) {
  Sweep<double> sweep(op, isa);
  for (uint64_t first = 0; first < count; first += kBlock) {
    sweep.Block([&](int64_t i, double& x, double& y) {
      const uint64_t number = first + static_cast<uint64_t>(i), a = Scramble(number ^ seed << 40), b = Scramble(~number ^ seed << 40);
      x = FromBits<double>(a), y = FromBits<double>(b);
      // Three of four: where functions change, 2^-40 to 2^12.
      if (number & 3) {
        x = std::ldexp(FromBits<double>((a & 0x800fffffffffffff) | 0x3ff0000000000000), static_cast<int>(b % 53) - 40);
        y = std::ldexp(FromBits<double>((b & 0x800fffffffffffff) | 0x3ff0000000000000), static_cast<int>(a % 16) - 8);
      }
      if ((number & 7) == 1) x = 1 + x * 0x1p-12;  // next to 1, where logarithms are small
    });
  }
  return sweep.Report();
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t every = 1, seed = 1;
  std::string op_name, type, isa;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const size_t equals = flag.find('=');
    const std::string value = equals == std::string::npos ? "" : flag.substr(equals + 1), name = flag.substr(0, equals);
    if (name == "--every") every = std::max(1ull, std::strtoull(value.c_str(), nullptr, 10));
    else if (name == "--seed") seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--op") op_name = value;
    else if (name == "--type") type = value;
    else if (name == "--isa") isa = value;
    else return std::fprintf(stderr, "no such flag: %s\n", argv[i]), 2;
  }
  bool good = true;
  for (const Op& op : kOps) {
    if (!op_name.empty() && op_name != OpcodeName(op.opcode)) continue;
    if (type != "f64") good = SweepF32(op, every, seed, isa) && good;
    if (type != "f32") good = SweepF64(op, std::max<uint64_t>(kBlock, (uint64_t{1} << 28) / every), seed, isa) && good;
  }
  return good ? 0 : 1;
}
