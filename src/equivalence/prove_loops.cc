// The normal form of loops: one term for each result, with the loop-carried values that it depends on, whatever else
// the state holds and in which order. See prove_terms.h.
//
// A loop-carried value that no iteration changes is its initial value, also in the body. Values that start and evolve
// alike are one. Both properties are assumed of all values first; assumptions that the body contradicts are dropped
// until the others hold at the start of each iteration, by induction. Loops of a few iterations are unrolled.
#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

#include "equivalence/prove_terms.h"
#include "support/hash.h"

namespace hloir::equivalence {
namespace {

using Range = Term::Range;

constexpr int kMostRounds = 12;
constexpr int64_t kMostTurns = 8, kMostUnrolled = 1024;  // iterations to unroll, and their instructions

bool IsLess(const Term* t) {
  return t->kind == Term::Kind::kOp && t->opcode == HloOpcode::kCompare &&
         static_cast<ComparisonDirection>(t->data[0]) == ComparisonDirection::kLt;
}

// `t` and all terms below it, operands first.
std::vector<const Term*> PartsOf(const Term* t) {
  std::vector<const Term*> parts{t};
  std::unordered_set<const Term*> seen{t};
  for (size_t at = 0; at < parts.size(); ++at) {
    for (const Term* operand : parts[at]->operands) {
      if (seen.insert(operand).second) parts.push_back(operand);
    }
  }
  std::sort(parts.begin(), parts.end(), [](const Term* a, const Term* b) { return a->id < b->id; });
  return parts;
}

// A structural hash that does not depend on the order in which terms were made, unlike the order of commutative
// operands.
uint64_t HashOf(const Term* t, const std::unordered_map<const Term*, uint64_t>& variables) {
  std::unordered_map<const Term*, uint64_t> hashes;
  for (const Term* part : PartsOf(t)) {
    if (const auto found = variables.find(part); found != variables.end()) {
      hashes[part] = found->second;
      continue;
    }
    uint64_t hash = Mix(static_cast<uint64_t>(part->kind), static_cast<uint64_t>(part->opcode));
    if (part->operands.empty()) hash = Mix(hash, static_cast<uint64_t>(part->id));
    const bool is_polynomial = part->kind == Term::Kind::kRing || part->kind == Term::Kind::kBits;
    uint64_t sum = 0;
    for (const Term* operand : part->operands) {
      if (is_polynomial || HasTrait(part->opcode, kCommutative)) sum += hashes[operand];
      else hash = Mix(hash, hashes[operand]);
    }
    hash = Mix(hash, sum);
    for (size_t k = 0; k < part->data.size() && !is_polynomial; ++k)
      hash = Mix(hash, static_cast<uint64_t>(part->data[k]));
    hashes[part] = hash;
  }
  return hashes[t];
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

}  // namespace

const Term* Terms::OfWhile(const HloInstruction& i, const Operands& x, int depth) {
  const Shape& shape = i.shape();
  bool arrays = shape.IsTuple();
  for (int64_t k = 0; arrays && k < shape.tuple_size(); ++k) arrays = shape.tuple_shapes(k).IsArray();
  if (!arrays) return OfOpaqueWhile(i, x, depth);
  Operands initial;
  std::vector<int64_t> key{loop_level_};
  for (int64_t k = 0; k < shape.tuple_size(); ++k) {
    initial.push_back(Element(x[0], k));
    key.push_back(initial.back()->id);
  }
  if (const auto found = loops_.find({&i, key}); found != loops_.end()) return found->second;
  ++loop_level_;
  const Term* result = Canonical(i, initial, depth);
  --loop_level_;
  if (result == nullptr) result = OfOpaqueWhile(i, x, depth);
  return loops_[{&i, std::move(key)}] = result;
}

// The loop as an operation on its whole state.
const Term* Terms::OfOpaqueWhile(const HloInstruction& i, const Operands& x, int depth) {
  Operands operands = x;
  for (const HloComputation* called : i.called_computations()) operands.push_back(Body(*called, depth + 1));
  return Op(i.opcode(), i.shape(), std::move(operands), {}, &i);
}

// Returns the tuple of the loop's results, or null if the loop has no normal form.
const Term* Terms::Canonical(const HloInstruction& loop, const Operands& initial, int depth) {
  const HloComputation &body = *loop.while_body(), &condition = *loop.while_condition();
  const size_t n = initial.size();
  const auto variable = [&](const Shape& shape, int64_t name, int64_t twin, Range range) {
    Term t;
    t.kind = Term::Kind::kParameter;
    t.shape = shape;
    t.data = {name, twin, loop_level_, range.low, range.high};
    return Make(std::move(t));
  };
  const auto tuple = [&](Operands elements) { return Op(HloOpcode::kTuple, loop.shape(), std::move(elements)); };
  const auto holds = [&](const Term* state) { return Build(condition, std::span(&state, 1), depth + 1); };
  const auto turn = [&](const Term* state) { return Build(body, std::span(&state, 1), depth + 1); };
  const Term* begin = tuple(initial);
  if (SplatInteger(holds(begin)) == 0) return begin;

  // Classes of equal values; -1: invariant values.
  std::vector<int> classes(n, -1);
  int count = 0;
  Operands next(n), unnamed;
  const Term* state = begin;
  for (int round = 0;; ++round) {
    if (round > kMostRounds || Spent()) return nullptr;
    unnamed.clear();
    Operands elements = initial;
    for (size_t k = 0; k < n; ++k) {
      if (classes[k] < 0) continue;
      elements[k] = variable(initial[k]->shape, classes[k], -1, RangeOfType(initial[k]->shape.element_type()));
      if (static_cast<size_t>(classes[k]) == unnamed.size()) unnamed.push_back(elements[k]);
    }
    state = tuple(std::move(elements));
    const Term* after = turn(state);
    std::map<std::vector<int64_t>, int> parts;
    std::vector<int> finer(n, -1);
    for (size_t k = 0; k < n; ++k) {
      next[k] = Element(after, static_cast<int64_t>(k));
      if (classes[k] < 0 && next[k] == initial[k]) continue;
      finer[k] =
          parts.emplace(std::vector<int64_t>{classes[k], initial[k]->id, next[k]->id}, parts.size()).first->second;
    }
    const bool stable = finer == classes && static_cast<int>(parts.size()) == count;
    classes = std::move(finer), count = static_cast<int>(parts.size());
    if (stable) break;
  }

  // A representative of each class, and the comparisons that have a known value at the start of each iteration.
  std::vector<size_t> first(static_cast<size_t>(count));
  for (size_t k = n; k-- > 0;) {
    if (classes[k] >= 0) first[static_cast<size_t>(classes[k])] = k;
  }
  std::vector<Test> tests;
  const Term* test = holds(state);
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
  std::vector<Range> ranges(first.size());
  for (size_t c = 0; c < first.size(); ++c) {
    const Shape& shape = initial[first[c]]->shape;
    const Range all = ranges[c] = RangeOfType(shape.element_type());
    if (!shape.IsScalar() || !IsInteger(shape.element_type()) || shape.element_type() == PrimitiveType::U64) continue;
    const Polynomial sum = RingOf(next[first[c]]);
    const auto step = sum.find({});
    if (sum.size() != 2 || step == sum.end() || sum.rbegin()->second != 1 ||
        sum.rbegin()->first != std::vector<int32_t>{unnamed[c]->id})
      continue;
    const int unused = 64 - WidthOfTerm(shape.element_type());
    const Counter counter{initial[first[c]]->range, static_cast<int64_t>(step->second << unused) >> unused};
    for (const Test& against : tests) {
      if (against.less->operands[0] != unnamed[c]) continue;
      ranges[c] = RangeOfCounter(counter, against, all).value_or(ranges[c]);
      const std::optional<int64_t> turns = only_test ? TurnsOf(counter, against, all) : std::nullopt;
      if (!turns || *turns > kMostTurns || *turns * body.instruction_count() > kMostUnrolled) continue;
      const Term* end = begin;
      for (int64_t k = 0; k < *turns; ++k) end = turn(end);
      return end;
    }
  }

  // The body under these ranges.
  Operands elements = initial;
  for (size_t k = 0; k < n; ++k) {
    if (classes[k] < 0) continue;
    const size_t c = static_cast<size_t>(classes[k]);
    elements[k] = unnamed[c] = variable(initial[k]->shape, classes[k], -1, ranges[c]);
  }
  const Term* after = turn(tuple(elements));
  for (size_t c = 0; c < first.size(); ++c) next[first[c]] = Element(after, static_cast<int64_t>(first[c]));

  // Names are hashes of initial values and bodies, so that they do not depend on positions in the state.
  std::unordered_map<const Term*, uint64_t> names;
  for (size_t c = 0; c < first.size(); ++c)
    names[unnamed[c]] = Mix(static_cast<uint64_t>(initial[first[c]]->id), static_cast<uint64_t>(ranges[c].high));
  for (int round = 0; round < 3; ++round) {
    std::unordered_map<const Term*, uint64_t> better;
    for (size_t c = 0; c < first.size(); ++c)
      better[unnamed[c]] = Mix(names[unnamed[c]], HashOf(next[first[c]], names));
    names = std::move(better);
  }
  std::map<uint64_t, int64_t> twins;
  Operands variables;
  for (size_t c = 0; c < first.size(); ++c) {
    const uint64_t name = names[unnamed[c]];
    variables.push_back(variable(initial[first[c]]->shape, static_cast<int64_t>(name), twins[name]++, ranges[c]));
  }
  for (size_t k = 0; k < n; ++k)
    if (classes[k] >= 0) elements[k] = variables[static_cast<size_t>(classes[k])];
  state = tuple(elements);
  test = holds(state);
  after = turn(state);

  // Each result with the values that it depends on.
  std::unordered_map<const Term*, size_t> class_of;
  for (size_t c = 0; c < variables.size(); ++c) class_of[variables[c]] = c;
  const auto needed = [&](const Term* t) {
    std::vector<size_t> found;
    for (const Term* part : PartsOf(t))
      if (const auto of = class_of.find(part); of != class_of.end()) found.push_back(of->second);
    return found;
  };
  std::vector<std::vector<size_t>> needs;
  for (size_t c = 0; c < first.size(); ++c) {
    next[c] = Element(after, static_cast<int64_t>(first[c]));
    needs.push_back(needed(next[c]));
  }
  const std::vector<size_t> of_test = needed(test);
  const auto is_element = [](const HloInstruction* user) { return user->opcode() == HloOpcode::kGetTupleElement; };
  const auto users = loop.users();
  const bool whole = loop.parent()->root() == &loop || !std::all_of(users.begin(), users.end(), is_element);
  std::vector<const Term*> made(first.size(), nullptr);
  Operands results = initial;
  for (size_t k = 0; k < n; ++k) {
    if (classes[k] < 0) continue;
    const bool used = whole || std::any_of(users.begin(), users.end(), [&](const HloInstruction* user) {
                        return user->tuple_index() == static_cast<int64_t>(k);
                      });
    if (!used) {
      // A term that equals no other.
      results[k] = variable(initial[k]->shape, unused_++, -2, RangeOfType(initial[k]->shape.element_type()));
      continue;
    }
    const size_t of = static_cast<size_t>(classes[k]);
    if (made[of] == nullptr) {
      std::vector<size_t> all{of};
      std::vector<char> taken(first.size());
      taken[of] = 1;
      const auto take = [&](const std::vector<size_t>& more) {
        for (size_t c : more)
          if (!std::exchange(taken[c], 1)) all.push_back(c);
      };
      take(of_test);
      for (size_t at = 0; at < all.size(); ++at) take(needs[all[at]]);
      std::sort(all.begin() + 1, all.end(),
                [&](size_t a, size_t b) { return variables[a]->data < variables[b]->data; });
      Operands operands{test};
      for (size_t c : all) operands.insert(operands.end(), {variables[c], initial[first[c]], next[c]});
      made[of] = Op(HloOpcode::kWhile, variables[of]->shape, std::move(operands));
    }
    results[k] = made[of];
  }
  return tuple(std::move(results));
}

}  // namespace hloir::equivalence
