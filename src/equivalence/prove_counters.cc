// Counters: loop-carried integers to which each iteration adds the same. A comparison of one with a limit gives its
// range and, if it is the condition, the trip count, which gives the last values of all counters. Loops of a few
// iterations are unrolled. See prove_terms.h.
#include <algorithm>

#include "equivalence/prove_algebra.h"
#include "equivalence/prove_loop.h"

namespace hloir::equivalence {
namespace {

using Range = Term::Range;

constexpr int64_t kMostTurns = 8, kMostUnrolled = 2048;  // iterations to unroll, and their terms

bool IsLess(const Term* t) {
  return IsOp(t, HloOpcode::kCompare) && static_cast<ComparisonDirection>(t->data[0]) == ComparisonDirection::kLt;
}

// A loop-carried value that changes by `step` in each iteration.
struct Counter {
  Range start;
  int64_t step = 0;
};

// A comparison with a limit, which has the `expected` value at the start of each iteration.
struct Test {
  const Term* less = nullptr;
  bool expected = true;
};

// The range of the counter at the start of an iteration, if it never wraps around.
std::optional<Range> RangeOfCounter(const Counter& counter, const Test& test, Range all) {
  const Range limit = test.less->operands[1]->range, start = counter.start;
  const int64_t step = counter.step;
  if (test.expected && step > 0 && limit.high > all.low && limit.high - 1 <= all.high - step && start.low < limit.high)
    return Range{start.low, limit.high - 1};
  if (!test.expected && step < 0 && limit.low >= all.low - step && start.high >= limit.low)
    return Range{limit.low, start.high};
  return std::nullopt;
}

// The trip count of a loop whose condition is this test.
std::optional<int64_t> TurnsOf(const Counter& counter, const Test& test, Range all) {
  const Range limit = test.less->operands[1]->range, start = counter.start;
  if (start.low != start.high || limit.low != limit.high) return std::nullopt;
  if (test.expected ? start.low >= limit.low : start.low < limit.low) return 0;
  if (!RangeOfCounter(counter, test, all)) return std::nullopt;
  return test.expected ? (limit.low - start.low + counter.step - 1) / counter.step
                       : (start.low - limit.low) / -counter.step + 1;
}

// Returns whether a variable of this loop is a part of `t`.
bool Varies(const Term* t, const std::vector<const Term*>& variables) {
  const std::vector<const Term*> parts = PartsOf(t);
  return std::any_of(parts.begin(), parts.end(), [&](const Term* part) {
    return std::find(variables.begin(), variables.end(), part) != variables.end();
  });
}

}  // namespace

// The amount by which each iteration changes a class of integers; null if that is not the same each time.
const Term* Terms::StepOf(const Loop& loop, size_t c) {
  const Term* variable = loop.variables[c];
  if (!variable->shape.IsArray() || !IsInteger(variable->shape.element_type())) return nullptr;
  Polynomial sum = RingOf(loop.next[c]);
  const auto own = sum.find({variable->id});
  if (own == sum.end() || own->second != 1) return nullptr;
  sum.erase(own);
  const Term* step = FromPolynomial(sum, variable->shape, false);
  return Varies(step, loop.variables) ? nullptr : step;
}

// Sets the ranges of the classes and, if it is known, the trip count.
void Terms::CountTurns(Loop& loop) {
  std::vector<Test> tests;
  const Term* test = loop.test;
  const Polynomial p = BitsOf(test);
  if (IsLess(test)) {
    tests.push_back({test, true});
  } else if (test->kind == Term::Kind::kBits && p.size() == 1) {
    for (int32_t atom : p.begin()->first)
      if (IsLess(At(atom))) tests.push_back({At(atom), true});
  } else if (test->kind == Term::Kind::kBits && p.size() == 2 && p.contains({}) && p.rbegin()->first.size() == 1) {
    if (const Term* atom = At(p.rbegin()->first[0]); IsLess(atom)) tests.push_back({atom, false});
  }
  const bool only_test = tests.size() == 1 && (tests[0].less == test || test == Not(tests[0].less));
  for (size_t c = 0; c < loop.first.size(); ++c) {
    const Term *initial = loop.initial[loop.first[c]], *variable = loop.variables[c];
    const PrimitiveType type = variable->shape.element_type();
    const Range all = loop.ranges.emplace_back(RangeOfType(type));
    if (!variable->shape.IsScalar() || !IsInteger(type) || type == PrimitiveType::U64) continue;
    const Term* change = StepOf(loop, c);
    const std::optional<int64_t> step = change == nullptr ? std::nullopt : SplatInteger(change);
    if (!step || *step == 0) continue;
    const int unused = 64 - WidthOfTerm(type);
    const Counter counter{initial->range, static_cast<int64_t>(static_cast<uint64_t>(*step) << unused) >> unused};
    for (const Test& against : tests) {
      if (against.less->operands[0] != variable) continue;
      loop.ranges[c] = RangeOfCounter(counter, against, all).value_or(loop.ranges[c]);
      if (only_test) loop.turns = TurnsOf(counter, against, all);
    }
  }
}

// The state after the last iteration, if there are few; else null. Their number and size are those of the normal form,
// so that loops that are written in different ways are unrolled alike.
const Term* Terms::Unrolled(Loop& loop, const Term* begin) {
  if (loop.turns.value_or(0) > kMostTurns) return nullptr;
  Operands bodies{loop.test};
  for (size_t c : NeededByResults(loop)) bodies.push_back(loop.next[c]);
  const int64_t size = static_cast<int64_t>(PartsOf(std::move(bodies)).size());
  if (size * loop.turns.value_or(1) > kMostUnrolled) return nullptr;
  const Term* state = begin;
  for (int64_t k = 0; k <= kMostTurns && (loop.turns || size * k <= kMostUnrolled); ++k) {
    const std::optional<int64_t> goes_on = loop.turns ? k < *loop.turns : SplatInteger(Condition(loop, state));
    if (!goes_on || !why_.empty()) return nullptr;
    if (*goes_on == 0) return state;
    state = Turn(loop, state);
  }
  return nullptr;
}

// The value of a class after the last iteration if it is a counter and the trip count is known; else null.
const Term* Terms::LastOf(const Loop& loop, size_t c) {
  const Term* step = loop.turns ? StepOf(loop, c) : nullptr;
  if (step == nullptr) return nullptr;
  const Term* initial = loop.initial[loop.first[c]];
  Polynomial sum = RingOf(initial);
  for (const auto& [key, factor] : RingOf(step)) sum[key] += factor * static_cast<uint64_t>(*loop.turns);
  return FromPolynomial(sum, initial->shape, false);
}

}  // namespace hloir::equivalence
