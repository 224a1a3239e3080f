// The normal form of loops. A loop-carried value that no iteration changes is its initial value, also in the body.
// Values that start and evolve alike are one. Both properties are assumed of all values first; assumptions that the
// body contradicts are dropped until the others hold at the start of each iteration, by induction. See prove_terms.h;
// prove_counters.cc has ranges and trip counts, prove_loop_results.cc the terms of the results.
#include <algorithm>
#include <utility>

#include "equivalence/prove_loop.h"

namespace hloir::equivalence {
namespace {

constexpr int kMostRounds = 12;

}  // namespace

const Term* Terms::OfWhile(const HloInstruction& i, const Operands& x, int depth) {
  const Shape& shape = i.shape();
  Loop loop{.instruction = i, .depth = depth};
  std::vector<int64_t> key{loop_level_};
  for (int64_t k = 0; k < (shape.IsTuple() ? shape.tuple_size() : 1); ++k) {
    const Shape& part = shape.IsTuple() ? shape.tuple_shapes(k) : shape;
    if (part.IsTuple()) return Opaque(i, x, depth);
    loop.initial.push_back(Part(x[0], shape, k));
    key.push_back(loop.initial.back()->id);
  }
  if (const auto found = loops_.find({&i, key}); found != loops_.end()) return found->second;
  ++loop_level_, ++nested_;
  const Term* result = Canonical(loop);
  --loop_level_, --nested_;
  if (result == nullptr) result = Opaque(i, x, depth);
  return loops_[{&i, std::move(key)}] = result;
}

// Element `k` of a state, which is an array or token if it has one element.
const Term* Terms::Part(const Term* state, const Shape& shape, int64_t k) {
  return shape.IsTuple() ? Element(state, k) : state;
}

const Term* Terms::StateOf(const Loop& loop, Operands elements) {
  if (!loop.instruction.shape().IsTuple()) return elements[0];
  return Op(HloOpcode::kTuple, loop.instruction.shape(), std::move(elements));
}

// The state in which each class has one of these variables.
const Term* Terms::Substituted(const Loop& loop, const Operands& variables) {
  Operands elements = loop.initial;
  for (size_t k = 0; k < elements.size(); ++k)
    if (loop.classes[k] >= 0) elements[k] = variables[static_cast<size_t>(loop.classes[k])];
  return StateOf(loop, std::move(elements));
}

// Gives a class its variable.
void Terms::SetVariable(Loop& loop, size_t c, int64_t name, int64_t twin) {
  const Shape& shape = loop.initial[loop.first[c]]->shape;
  const Term::Range all = RangeOfType(shape.element_type());
  loop.unbounded.resize(loop.first.size());
  loop.variables.resize(loop.first.size());
  loop.unbounded[c] = Variable(shape, name, twin, all);
  loop.variables[c] = Variable(shape, name, twin, loop.ranges.empty() ? all : loop.ranges[c]);
}

const Term* Terms::Condition(const Loop& loop, const Term* state) {
  return Build(*loop.instruction.while_condition(), std::span(&state, 1), loop.depth + 1);
}

const Term* Terms::Turn(const Loop& loop, const Term* state) {
  return Build(*loop.instruction.while_body(), std::span(&state, 1), loop.depth + 1);
}

const Term* Terms::Variable(const Shape& shape, int64_t name, int64_t twin, Term::Range range) {
  Term t;
  t.kind = Term::Kind::kParameter;
  t.shape = shape.WithoutLayout();
  t.data = {name, twin, loop_level_, range.low, range.high};
  return Make(std::move(t));
}

// The values of the classes after an iteration, and the condition before it.
void Terms::Iterate(Loop& loop) {
  loop.test = Condition(loop, Substituted(loop, loop.unbounded));
  const Term* after = Turn(loop, Substituted(loop, loop.variables));
  loop.next.clear();
  for (size_t k : loop.first) loop.next.push_back(Part(after, loop.instruction.shape(), static_cast<int64_t>(k)));
}

// Finds the invariant values and the classes of equal values. Returns false if they take too long.
bool Terms::FindClasses(Loop& loop) {
  const size_t n = loop.initial.size();
  loop.classes.assign(n, -1);
  for (int round = 0; round <= kMostRounds && !Spent(); ++round) {
    for (size_t c = 0; c < loop.first.size(); ++c) SetVariable(loop, c, static_cast<int64_t>(loop.first[c]), -1);
    const Term* after = Turn(loop, Substituted(loop, loop.variables));
    std::map<std::vector<int64_t>, int> parts;
    std::vector<int> finer(n, -1);
    std::vector<size_t> first;
    for (size_t k = 0; k < n; ++k) {
      const Term* next = Part(after, loop.instruction.shape(), static_cast<int64_t>(k));
      if (loop.classes[k] < 0 && next == loop.initial[k]) continue;
      const auto [found, is_new] =
          parts.emplace(std::vector<int64_t>{loop.classes[k], loop.initial[k]->id, next->id}, parts.size());
      finer[k] = found->second;
      if (is_new) first.push_back(k);
    }
    const bool stable = finer == loop.classes && first.size() == loop.first.size();
    loop.classes = std::move(finer), loop.first = std::move(first);
    if (stable) return why_.empty();
    loop.variables.clear(), loop.unbounded.clear();
  }
  return false;
}

// Returns the loop's results, or null if the loop has no normal form.
const Term* Terms::Canonical(Loop& loop) {
  const Term* begin = StateOf(loop, loop.initial);
  if (SplatInteger(Condition(loop, begin)) == 0) return begin;
  if (!FindClasses(loop)) return nullptr;
  Iterate(loop);
  CountTurns(loop);
  if (const Term* end = Unrolled(loop, begin)) return end;
  for (size_t c = 0; c < loop.first.size(); ++c) SetVariable(loop, c, static_cast<int64_t>(loop.first[c]), -1);
  Iterate(loop);
  NameVariables(loop);
  Iterate(loop);
  return why_.empty() ? ResultsOf(loop) : nullptr;
}

}  // namespace hloir::equivalence
