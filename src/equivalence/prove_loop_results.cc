// The results of a loop: one term for each, with the loop-carried values that it depends on, whatever else the state
// holds and in which order. See prove_terms.h.
#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "equivalence/prove_algebra.h"
#include "equivalence/prove_loop.h"
#include "support/hash.h"

namespace hloir::equivalence {
namespace {

// Structural hashes of `parts`, which are sorted by id. They depend neither on the order in which terms were made,
// unlike the order of commutative operands, nor on the names of the variables of loops within: such a variable is known
// by its initial value.
std::unordered_map<const Term*, uint64_t> HashesOf(const std::vector<const Term*>& parts,
                                                   const std::unordered_map<const Term*, uint64_t>& names) {
  std::map<std::vector<int64_t>, const Term*> initial_of;  // by the variable without its range
  const auto key = [](const Term* t) { return std::vector(t->data.begin(), t->data.begin() + 3); };
  for (const Term* part : parts) {
    if (!IsOp(part, HloOpcode::kWhile)) continue;
    for (size_t k = 1; k + 2 < part->operands.size(); k += 3)
      initial_of[key(part->operands[k])] = part->operands[k + 1];
  }
  std::unordered_map<const Term*, uint64_t> hashes = names, sums;
  for (const Term* part : parts) {
    if (names.contains(part)) continue;
    if (part->kind == Term::Kind::kView && IsOp(part->operands[0], HloOpcode::kDot)) {
      // The sides of a dot may have been exchanged, and the dimensions of its result with them.
      hashes[part] = hashes[part->operands[0]];
      continue;
    }
    uint64_t hash = Mix(static_cast<uint64_t>(part->kind), static_cast<uint64_t>(part->opcode));
    std::span<const int64_t> data = part->data;
    uint64_t sum = 0;
    if (const auto inner = IsLoopVariable(part) ? initial_of.find(key(part)) : initial_of.end();
        inner != initial_of.end()) {
      hash = Mix(hash, hashes[inner->second]);
      data = data.subspan(2);
    } else if (part->operands.empty()) {
      hash = Mix(hash, static_cast<uint64_t>(part->id));
    } else if (part->kind == Term::Kind::kRing || part->kind == Term::Kind::kBits) {
      while (!data.empty()) {
        uint64_t product = 0;
        const size_t factors = static_cast<size_t>(data[1]);
        for (int64_t place : data.subspan(2, factors)) product += hashes[part->operands[static_cast<size_t>(place)]];
        sum += Mix(product, static_cast<uint64_t>(data[0]));
        data = data.subspan(2 + factors);
      }
    } else if (IsOp(part, HloOpcode::kWhile)) {
      const auto of = [&](size_t k) { return Mix(hashes[part->operands[k]], hashes[part->operands[k + 2]]); };
      hash = Mix(Mix(hash, hashes[part->operands[0]]), of(1));
      for (size_t k = 4; k < part->operands.size(); k += 3) sum += of(k);
    } else {
      const bool is_extreme = IsOp(part, HloOpcode::kMaximum) || IsOp(part, HloOpcode::kMinimum);
      const bool equates = (IsOp(part, HloOpcode::kCompare) && data[0] <= 1) || IsOp(part, HloOpcode::kAbs);
      for (const Term* operand : part->operands) {
        if (equates && operand->kind == Term::Kind::kRing) {
          // A sum that equals 0, or whose size is taken, may have either sign.
          for (const Term* atom : operand->operands) sum += hashes[atom];
        } else if (is_extreme && IsOp(operand, part->opcode)) {
          sum += sums[operand];  // the least of three may be taken in any order
        } else if (equates || HasTrait(part->opcode, kCommutative) || IsOp(part, HloOpcode::kDot)) {
          sum += hashes[operand];
        } else {
          hash = Mix(hash, hashes[operand]);
        }
      }
      if (is_extreme) sums[part] = sum;
    }
    hash = Mix(hash, sum);
    for (int64_t value : data) hash = Mix(hash, static_cast<uint64_t>(value));
    hashes[part] = hash;
  }
  return hashes;
}

}  // namespace

// Finds the classes that each class and the condition read.
void Terms::FindNeeds(Loop& loop) {
  std::unordered_map<const Term*, size_t> class_of;
  for (size_t c = 0; c < loop.variables.size(); ++c) class_of[loop.variables[c]] = class_of[loop.unbounded[c]] = c;
  const auto needed = [&](const Term* t) {
    std::vector<size_t> found;
    for (const Term* part : PartsOf(t))
      if (const auto of = class_of.find(part); of != class_of.end()) found.push_back(of->second);
    return found;
  };
  loop.needs.clear();
  for (const Term* next : loop.next) loop.needs.push_back(needed(next));
  loop.needs.push_back(needed(loop.test));
}

// These classes and those on which they depend, beside those of the condition.
std::vector<size_t> Terms::Needed(const Loop& loop, const std::vector<size_t>& classes) {
  std::vector<size_t> all;
  std::vector<char> taken(loop.first.size());
  const auto take = [&](const std::vector<size_t>& more) {
    for (size_t c : more)
      if (!std::exchange(taken[c], 1)) all.push_back(c);
  };
  take(classes);
  take(loop.needs.back());
  for (size_t at = 0; at < all.size(); ++at) take(loop.needs[all[at]]);
  return all;
}

// The classes that the results and the condition need, in order.
std::vector<size_t> Terms::NeededByResults(Loop& loop) {
  FindNeeds(loop);
  std::vector<size_t> used;
  for (size_t k = 0; k < loop.initial.size(); ++k)
    if (loop.classes[k] >= 0 && IsUsed(loop, k)) used.push_back(static_cast<size_t>(loop.classes[k]));
  std::vector<size_t> all = Needed(loop, used);
  std::sort(all.begin(), all.end());
  return all;
}

// Names are hashes of initial values and bodies, so that they depend neither on positions in the state nor on values
// that no result needs. They are refined until no more of them differ.
void Terms::NameVariables(Loop& loop) {
  const std::vector<size_t> named = NeededByResults(loop);
  std::unordered_map<const Term*, uint64_t> names;
  Operands bodies;
  for (size_t c : named) {
    names[loop.variables[c]] =
        Mix(static_cast<uint64_t>(loop.initial[loop.first[c]]->id), static_cast<uint64_t>(loop.ranges[c].high));
    bodies.push_back(loop.next[c]);
  }
  const std::vector<const Term*> parts = PartsOf(std::move(bodies));
  size_t kinds = 0, before;
  do {
    before = kinds;
    const auto hashes = HashesOf(parts, names);
    std::unordered_set<uint64_t> different;
    for (size_t c : named) {
      uint64_t& name = names[loop.variables[c]];
      name = Mix(name, hashes.at(loop.next[c]));
      different.insert(name);
    }
    kinds = different.size();
  } while (kinds > before);
  std::map<uint64_t, int64_t> twins;
  for (size_t c : named) {
    const uint64_t name = names[loop.variables[c]];
    SetVariable(loop, c, static_cast<int64_t>(name), twins[name]++);
  }
}

// Returns whether anything reads an element of the loop's last state.
bool Terms::IsUsed(const Loop& loop, size_t k) {
  const HloInstruction& i = loop.instruction;
  const auto users = i.users();
  return i.parent()->root() == &i || std::any_of(users.begin(), users.end(), [&](const HloInstruction* user) {
           return user->opcode() != HloOpcode::kGetTupleElement || user->tuple_index() == static_cast<int64_t>(k);
         });
}

// Returns the tuple of the loop's results.
const Term* Terms::ResultsOf(Loop& loop) {
  FindNeeds(loop);
  const auto result = [&](size_t of) {
    if (const Term* last = LastOf(loop, of)) return last;
    std::vector<size_t> all = Needed(loop, {of});
    std::sort(all.begin() + 1, all.end(),
              [&](size_t a, size_t b) { return loop.variables[a]->data < loop.variables[b]->data; });
    Operands operands{loop.test};
    for (size_t c : all)
      operands.insert(operands.end(), {loop.variables[c], loop.initial[loop.first[c]], loop.next[c]});
    return Op(HloOpcode::kWhile, loop.variables[of]->shape, std::move(operands));
  };
  std::vector<const Term*> made(loop.first.size(), nullptr);
  Operands results = loop.initial;
  for (size_t k = 0; k < results.size(); ++k) {
    if (loop.classes[k] < 0) continue;
    if (!IsUsed(loop, k)) {
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
