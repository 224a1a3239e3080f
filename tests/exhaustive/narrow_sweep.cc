// The transcendental ops on every value of every float type under 32 bits (of two operands: every pair of the 8-bit
// types and under, and many pairs of the 16-bit ones). These are computed in f32 and rounded, so a result may be at
// most one step from the true value's nearest number. Prints how many are that step off. ctest runs all of it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "exhaustive/transcendentals.h"

namespace {

using namespace hloir;
using namespace hloir::sweep;

constexpr int64_t kPairs = 1 << 16;

// The number's place in its type's order: neighbours are one apart, both zeros are 0.
int Place(uint32_t bits, int width) {
  const int sign = 1 << (width - 1), magnitude = static_cast<int>(bits) & (sign - 1);
  return static_cast<int>(bits) & sign ? -magnitude : magnitude;
}

uint32_t BitsAt(const Literal& literal, int64_t i, int64_t bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, literal.untyped_data() + i * bytes, static_cast<size_t>(bytes));
  return bits;
}

bool Sweep(const Op& op, PrimitiveType type) {
  const int width = BitWidth(type);
  const int64_t bytes = StorageBytes(type), values = int64_t{1} << width;
  const int64_t count = op.arity == 1 ? values : kPairs;
  const std::string type_name(PrimitiveTypeName(type)), op_name(OpcodeName(op.opcode));
  Engines engines(op, type_name, count, "");
  for (int64_t i = 0; i < count; ++i) {
    // Pairs: all of 8 bits; of 16 bits, two numbers that run through all there are at different speeds.
    const uint32_t x = static_cast<uint32_t>(op.arity == 1 ? i : width <= 8 ? i % values : i);
    const uint32_t y = static_cast<uint32_t>(width <= 8 ? i / values % values : i * 40503 % values);
    std::memcpy(engines.x.untyped_data() + i * bytes, &x, static_cast<size_t>(bytes));
    std::memcpy(engines.y.untyped_data() + i * bytes, &y, static_cast<size_t>(bytes));
  }
  const Literal wide_x = engines.x.Convert(PrimitiveType::F64), wide_y = engines.y.Convert(PrimitiveType::F64);
  Literal truth(wide_x.shape());
  for (int64_t i = 0; i < count; ++i) {
    truth.data<double>()[i] = static_cast<double>(op.truth(wide_x.data<double>()[i], wide_y.data<double>()[i]));
  }
  // A type without a zero has numbers that f32 takes for zero: there the true value is f32's.
  const bool has_zero = type != PrimitiveType::F8E8M0FNU;
  const Literal want = (has_zero ? truth : truth.Convert(PrimitiveType::F32)).Convert(type);
  const Literal want_value = want.Convert(PrimitiveType::F64);
  bool good = true;
  int64_t most_off = 0;
  for (size_t e = 0; e < engines.size(); ++e) {
    const Literal& got = engines.Run(e);
    const Literal value = got.Convert(PrimitiveType::F64);
    int64_t off = 0, worst = 0, at = 0;
    for (int64_t i = 0; i < count; ++i) {
      const double a = value.data<double>()[i], b = want_value.data<double>()[i];
      if ((std::isnan(a) && std::isnan(b)) || (std::isnan(truth.data<double>()[i]) && a == b)) continue;
      const bool apart = std::isnan(a) || std::isnan(b) || (a == 0 && b == 0 && std::signbit(a) != std::signbit(b));
      const int64_t steps =
          apart ? values : std::abs(Place(BitsAt(got, i, bytes), width) - Place(BitsAt(want, i, bytes), width));
      off += steps != 0;
      if (steps > worst) worst = steps, at = i;
    }
    most_off = std::max(most_off, off);
    if (worst > 1) {
      std::printf("%s %s by %s: TOO FAR at %g, %g: %g, not %g\n", type_name.c_str(), op_name.c_str(),
                  engines.name(e).c_str(), wide_x.data<double>()[at], wide_y.data<double>()[at],
                  value.data<double>()[at], want_value.data<double>()[at]);
      good = false;
    }
  }
  std::printf("%-13s %-22s %5lld of %lld are not the nearest number\n", type_name.c_str(), op_name.c_str(),
              static_cast<long long>(most_off), static_cast<long long>(count));
  return good;
}

}  // namespace

int main() {
  bool good = true;
#define HLOIR_TYPE(name, ...)                                             \
  if (IsFloat(PrimitiveType::name) && BitWidth(PrimitiveType::name) < 32) \
    for (const Op& op : kOps) good = Sweep(op, PrimitiveType::name) && good;
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
  return good ? 0 : 1;
}
