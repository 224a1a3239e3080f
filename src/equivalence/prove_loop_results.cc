// The results of a loop: one term for each, with the loop-carried values that it depends on, whatever else the state
// holds and in which order. See prove_terms.h.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "equivalence/prove_algebra.h"
#include "equivalence/prove_loop.h"
#include "support/hash.h"

namespace hloir::equivalence {
namespace {

constexpr int kRoundsOfNames = 3;

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

}  // namespace

// Names are hashes of initial values and bodies, so that they do not depend on positions in the state.
void Terms::NameVariables(Loop& loop) {
  std::unordered_map<const Term*, uint64_t> names;
  for (size_t c = 0; c < loop.first.size(); ++c)
    names[loop.variables[c]] =
        Mix(static_cast<uint64_t>(loop.initial[loop.first[c]]->id), static_cast<uint64_t>(loop.ranges[c].high));
  for (int round = 0; round < kRoundsOfNames; ++round) {
    std::unordered_map<const Term*, uint64_t> better;
    for (size_t c = 0; c < loop.first.size(); ++c)
      better[loop.variables[c]] = Mix(names[loop.variables[c]], HashOf(loop.next[c], names));
    names = std::move(better);
  }
  std::map<uint64_t, int64_t> twins;
  for (size_t c = 0; c < loop.first.size(); ++c) {
    const uint64_t name = names[loop.variables[c]];
    SetVariable(loop, c, static_cast<int64_t>(name), twins[name]++);
  }
}

// Returns the tuple of the loop's results.
const Term* Terms::ResultsOf(const Loop& loop) {
  std::unordered_map<const Term*, size_t> class_of;
  for (size_t c = 0; c < loop.variables.size(); ++c) class_of[loop.variables[c]] = class_of[loop.unbounded[c]] = c;
  const auto needed = [&](const Term* t) {
    std::vector<size_t> found;
    for (const Term* part : PartsOf(t))
      if (const auto of = class_of.find(part); of != class_of.end()) found.push_back(of->second);
    return found;
  };
  std::vector<std::vector<size_t>> needs;
  for (const Term* next : loop.next) needs.push_back(needed(next));
  const std::vector<size_t> of_test = needed(loop.test);
  const auto result = [&](size_t of) {
    if (const Term* last = LastOf(loop, of)) return last;
    std::vector<size_t> all{of};
    std::vector<char> taken(loop.first.size());
    taken[of] = 1;
    const auto take = [&](const std::vector<size_t>& more) {
      for (size_t c : more)
        if (!std::exchange(taken[c], 1)) all.push_back(c);
    };
    take(of_test);
    for (size_t at = 0; at < all.size(); ++at) take(needs[all[at]]);
    std::sort(all.begin() + 1, all.end(),
              [&](size_t a, size_t b) { return loop.variables[a]->data < loop.variables[b]->data; });
    Operands operands{loop.test};
    for (size_t c : all)
      operands.insert(operands.end(), {loop.variables[c], loop.initial[loop.first[c]], loop.next[c]});
    return Op(HloOpcode::kWhile, loop.variables[of]->shape, std::move(operands));
  };
  const HloInstruction& i = loop.instruction;
  const auto users = i.users();
  const auto is_element = [](const HloInstruction* user) { return user->opcode() == HloOpcode::kGetTupleElement; };
  const bool whole = i.parent()->root() == &i || !std::all_of(users.begin(), users.end(), is_element);
  std::vector<const Term*> made(loop.first.size(), nullptr);
  Operands results = loop.initial;
  for (size_t k = 0; k < results.size(); ++k) {
    if (loop.classes[k] < 0) continue;
    const bool used = whole || std::any_of(users.begin(), users.end(), [&](const HloInstruction* user) {
                        return user->tuple_index() == static_cast<int64_t>(k);
                      });
    if (!used) {
      // A term that equals no other.
      results[k] = Variable(results[k]->shape, unused_++, -2, RangeOfType(results[k]->shape.element_type()));
      continue;
    }
    const Term*& term = made[static_cast<size_t>(loop.classes[k])];
    if (term == nullptr) term = result(static_cast<size_t>(loop.classes[k]));
    results[k] = term;
  }
  return StateOf(loop, std::move(results));
}

}  // namespace hloir::equivalence
