// Linear conditions on integers: whether any integers satisfy all of them. Unknowns are eliminated one by one, first by
// equations, then by Fourier and Motzkin's method with bounds rounded to integers, so that sizes do not count.
//
// regions.cc asks it where the bounds of sums hold. Covered by tests/unit/equivalence_linear_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace hloir::equivalence {

int64_t FloorDiv(int64_t a, int64_t b);  // rounds down

// A constant plus unknowns with factors, in the order of the unknowns' numbers.
struct Linear {
  int64_t constant = 0;
  std::vector<std::pair<int32_t, int64_t>> terms;
  bool operator==(const Linear&) const = default;
  bool operator<(const Linear& other) const {
    return std::tie(constant, terms) < std::tie(other.constant, other.terms);
  }

  static Linear Of(int32_t unknown, int64_t factor = 1) { return {0, {{unknown, factor}}}; }
  int64_t FactorOf(int32_t unknown) const;
};
// a + factor * b; empty on overflow.
std::optional<Linear> Plus(const Linear& a, const Linear& b, int64_t factor = 1);

struct Condition {
  enum class Kind : uint8_t { kAtLeastZero, kZero, kNotZero } kind = Kind::kAtLeastZero;
  Linear value;
  bool operator==(const Condition&) const = default;
};

// False only if no integers satisfy all conditions. `work` is reduced by the number of conditions that were made.
bool MayHold(const std::vector<Condition>& conditions, int64_t& work);

}  // namespace hloir::equivalence
