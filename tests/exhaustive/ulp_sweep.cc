// Measures the error of each transcendental op in units in the last place, with each instruction set and in the
// reference: for every f32, and for pairs and f64 on edge cases, hard regions and random numbers (samples.h); or on
// every N-th of these. The true value comes from libm in 80-bit arithmetic; for f32 libm's vectors in f64 sort out
// which values it must be asked for. Fails if an op is further off than opcodes.def says, if a NaN or an infinity is
// out of place, or if a zero has the wrong sign.
//
//   ulp_sweep [--every=N] [--op=NAME] [--type=f32|f64] [--isa=NAME] [--seed=N]
//
// ctest runs it with a large N; without one it is exhaustive: with one instruction set a minute or two for an op of
// f32. What that measured stands in docs/accuracy.md. Narrower floats: narrow_sweep.cc.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "exhaustive/samples.h"
#include "exhaustive/transcendentals.h"

namespace {

using namespace hloir;
using namespace hloir::sweep;

constexpr int64_t kBlock = 1 << 16;                             // inputs at a time
constexpr uint64_t kRandomF32 = 1 << 26, kRandomF64 = 1 << 22;  // of pairs, and of f64, around 1; and as many anywhere

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
  const long double value =
      std::isinf(got) ? std::copysign(limit, static_cast<long double>(got)) : static_cast<long double>(got);
  const int exponent = clamped == 0
                           ? kLowest
                           : std::max(kLowest, std::min(std::ilogb(clamped), std::numeric_limits<T>::max_exponent - 1));
  return static_cast<double>(std::fabs(value - clamped) / std::ldexp(1.0L, exponent - kDigits + 1));
}

// The same for f32, quickly: too high rather than too low where something is not a number, infinite or zero.
HLOIR_CLONES void QuickUlps(const float* got, const double* want, float* apart, int64_t count) {
  constexpr double kLimit = 0x1p128;
  for (int64_t i = 0; i < count; ++i) {
    const double value = got[i], truth = want[i];
    const double a = value > kLimit ? kLimit : value < -kLimit ? -kLimit : value;
    const double b = truth > kLimit ? kLimit : truth < -kLimit ? -kLimit : truth;
    const uint64_t exponent = std::bit_cast<uint64_t>(b) >> 52 & 0x7ff;
    const uint64_t low = 1023 - 126, high = 1023 + 127,
                   clamped = exponent < low    ? low
                             : exponent > high ? high
                                               : exponent;
    const double ulps = std::fabs(a - b) * std::bit_cast<double>((2046 + 23 - clamped) << 52);  // 2^(23 - exponent)
    const bool same =
        std::bit_cast<uint64_t>(value) == std::bit_cast<uint64_t>(truth) || (value != value && truth != truth);
    const bool odd = !(ulps < 1e9) || (value == 0 && truth == 0) || std::fabs(truth) > 0x1p1000;
    apart[i] = same ? 0.0f : odd ? 1e30f : static_cast<float>(ulps) * 1.00001f;
  }
}

template <class T>
class Sweep {
 public:
  Sweep(const Op& op, const std::string& isa) : op_(op), engines_(op, sizeof(T) == 4 ? "f32" : "f64", kBlock, isa) {
    worst_.resize(engines_.size());
    if constexpr (sizeof(T) == 4) truth_.resize(kBlock), apart_.resize(kBlock);
  }

  // Reads the block's inputs from `make`, which is given an input's number.
  template <class F>
  void Block(F&& make) {
    T* const x = engines_.x.template data<T>().data();
    T* const y = engines_.y.template data<T>().data();
    for (int64_t i = 0; i < kBlock; ++i) make(i, x[i], y[i]);
    if constexpr (sizeof(T) == 4) VectorTruth(op_.opcode, x, y, truth_.data(), kBlock);
    const T* first = nullptr;
    Worst first_worst;  // of this block; an engine that gives the same bits has the same
    for (size_t e = 0; e < engines_.size(); ++e) {
      const T* got = engines_.Run(e).template data<T>().data();
      Worst worst;
      if (first != nullptr && std::memcmp(got, first, kBlock * sizeof(T)) == 0) worst = first_worst;
      else Judge(x, y, got, worst);
      if (first == nullptr) first = got, first_worst = worst;
      if (worst.ulps > worst_[e].ulps) worst_[e] = worst;
    }
  }

  bool Report(uint64_t inputs) const {
    const double allowed = GetOpcodeInfo(op_.opcode).max_ulps;
    bool good = true;
    for (size_t e = 0; e < engines_.size(); ++e) {
      const Worst& w = worst_[e];
      const bool fine = w.ulps <= allowed;
      good = good && fine;
      std::printf("%-4s %-22s %-10s %10.4g ulp%s at %.17Lg", sizeof(T) == 4 ? "f32" : "f64",
                  std::string(OpcodeName(op_.opcode)).c_str(), engines_.name(e).c_str(), w.ulps, fine ? "" : " TOO FAR",
                  w.x);
      if (op_.arity == 2) std::printf(", %.17Lg", w.y);
      std::printf(": %.17Lg, not %.20Lg; of %llu inputs\n", w.got, w.want, static_cast<unsigned long long>(inputs));
    }
    std::fflush(stdout);
    return good;
  }

 private:
  void Judge(const T* x, const T* y, const T* got, Worst& worst) {
    // The quick truth finds those of f32 that may be the worst so far.
    if constexpr (sizeof(T) == 4) QuickUlps(got, truth_.data(), apart_.data(), kBlock);
    for (int64_t i = 0; i < kBlock; ++i) {
      if constexpr (sizeof(T) == 4) {
        if (apart_[i] <= worst.ulps) continue;
      }
      const long double want = op_.truth(x[i], y[i]);
      const double ulps = UlpsApart(got[i], want);
      if (ulps > worst.ulps) worst = {ulps, x[i], y[i], got[i], want};
    }
  }

  const Op& op_;
  Engines engines_;
  std::vector<Worst> worst_;
  std::vector<double> truth_;
  std::vector<float> apart_;
};

// Every N-th of `count` inputs, which make(number, x, y) gives, starting at a place of the seed's. Of f64 at least a
// block.
template <class T, class F>
bool SweepAll(const Op& op, uint64_t count, uint64_t every, uint64_t seed, const std::string& isa, F&& make) {
  Sweep<T> sweep(op, isa);
  if (sizeof(T) == 8) every = std::clamp<uint64_t>(count / kBlock, 1, every);
  const uint64_t start = Scramble(seed) % every, wanted = (count + every - 1) / every;
  for (uint64_t first = 0; first < wanted; first += kBlock) {
    sweep.Block([&](int64_t i, T& x, T& y) {
      make(std::min(start + (first + static_cast<uint64_t>(i)) * every, count - 1), x, y);
    });
  }
  return sweep.Report(wanted);
}

template <class T>
bool SweepOp(const Op& op, uint64_t every, uint64_t seed, const std::string& isa) {
  if (sizeof(T) == 4 && op.arity == 1) {
    return SweepAll<T>(op, uint64_t{1} << 32, every, seed, isa, [](uint64_t number, T& x, T&) {
      x = static_cast<T>(std::bit_cast<float>(static_cast<uint32_t>(number)));
    });
  }
  const Samples<T> samples(op.arity, sizeof(T) == 4 ? kRandomF32 : kRandomF64, seed);
  return SweepAll<T>(op, samples.count(), every, seed, isa,
                     [&](uint64_t number, T& x, T& y) { samples.Get(number, op.arity == 2, x, y); });
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
    if (type != "f64") good = SweepOp<float>(op, every, seed, isa) && good;
    if (type != "f32") good = SweepOp<double>(op, every, seed, isa) && good;
  }
  return good ? 0 : 1;
}
