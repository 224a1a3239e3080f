// Linear conditions on integers (equivalence/linear.h): conditions that no integers satisfy are found, and systems that
// small integers satisfy never count as impossible.
#include "equivalence/linear.h"

#include <random>

#include "tests/unit/catch.h"

using namespace hloir::equivalence;

namespace {

using enum Condition::Kind;

bool May(const std::vector<Condition>& conditions) {
  int64_t work = 1 << 20;
  return MayHold(conditions, work);
}
Linear Of(int64_t constant, std::vector<std::pair<int32_t, int64_t>> terms) { return {constant, std::move(terms)}; }

}  // namespace

TEST_CASE("bounds that exclude each other cannot hold") {
  CHECK(May({{kAtLeastZero, Of(-3, {{0, 1}})}, {kAtLeastZero, Of(3, {{0, -1}})}}));
  CHECK(!May({{kAtLeastZero, Of(-4, {{0, 1}})}, {kAtLeastZero, Of(3, {{0, -1}})}}));
  // x + y >= 7, x <= 3, y <= 3
  CHECK(!May(
      {{kAtLeastZero, Of(-7, {{0, 1}, {1, 1}})}, {kAtLeastZero, Of(3, {{0, -1}})}, {kAtLeastZero, Of(3, {{1, -1}})}}));
}

TEST_CASE("conditions are on integers") {
  // 2 x = 2 y + 1
  CHECK(!May({{kZero, Of(-1, {{0, 2}, {1, -2}})}}));
  // 3 <= 2 x <= 3
  CHECK(!May({{kAtLeastZero, Of(-3, {{0, 2}})}, {kAtLeastZero, Of(3, {{0, -2}})}}));
  // x is even, and 7.
  CHECK(!May({{kZero, Of(0, {{0, 1}, {1, -2}})}, {kZero, Of(-7, {{0, 1}})}}));
  // f = 4 q + r, 0 <= r < 4, f <= 31, q >= 8
  CHECK(!May({{kAtLeastZero, Of(0, {{0, 1}, {1, -4}})},
              {kAtLeastZero, Of(3, {{0, -1}, {1, 4}})},
              {kAtLeastZero, Of(31, {{0, -1}})},
              {kAtLeastZero, Of(-8, {{1, 1}})}}));
}

TEST_CASE("systems with a solution may hold") {
  std::mt19937 random(7);
  const auto number = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int equations = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<int64_t> solution;
    for (int k = 0; k < 5; ++k) solution.push_back(number(-9, 9));
    std::vector<Condition> conditions;
    for (int64_t n = number(1, 12); n > 0; --n) {
      Linear value;
      int64_t at = 0;
      for (int32_t k = 0; k < 5; ++k) {
        const int64_t factor = number(0, 2) == 0 ? number(-4, 4) : 0;
        if (factor == 0) continue;
        value.terms.push_back({k, factor});
        at += factor * solution[static_cast<size_t>(k)];
      }
      const bool equation = number(0, 3) == 0;
      equations += equation;
      value.constant = (equation ? 0 : number(0, 3)) - at;
      conditions.push_back({equation ? kZero : kAtLeastZero, value});
    }
    CHECK(May(conditions));
  }
  CHECK(equations > 1000);
}

TEST_CASE("sums of linear values end before they overflow") {
  CHECK(Plus(Of(1, {{0, 2}}), Of(3, {{0, -1}, {1, 5}}), 2) == Of(7, {{1, 10}}));
  CHECK(!Plus(Of(int64_t{1} << 59, {}), Of(int64_t{1} << 59, {}), 4));
}
