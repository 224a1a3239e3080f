// Structural hash and equality. Attributes go through VisitFields, so that a new field in attributes.def counts at
// once.
#include "hloir/analysis.h"

#include <cstring>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "support/hash.h"

namespace hloir {
namespace {

class Hasher {
 public:
  void AddWord(uint64_t word) { state_ = Mix(state_, word); }
  void Add(std::string_view text) {
    AddWord(text.size());
    for (char c : text) AddWord(static_cast<unsigned char>(c));
  }
  void Add(const Shape& shape) { AddWord(shape.Hash()); }
  // Elided values are skipped: they may be gigabytes of zeros.
  void Add(const Literal& literal) { AddWord(literal.elided() ? literal.shape().Hash() : literal.Hash()); }
  // Attributes of any kind. A kind without a rule only contributes its presence; equality compares it in full.
  template <class T>
  void AddValue(const T& value) {
    if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      AddWord(static_cast<uint64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      double wide = value;
      uint64_t bits;
      std::memcpy(&bits, &wide, sizeof(bits));
      AddWord(bits);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      Add(std::string_view(value));
    } else if constexpr (std::is_same_v<T, Shape> || std::is_same_v<T, Literal>) {
      Add(value);
    } else if constexpr (std::is_same_v<T, SliceRange>) {
      AddWord(static_cast<uint64_t>(value.start)), AddWord(static_cast<uint64_t>(value.limit));
      AddWord(static_cast<uint64_t>(value.stride));
    } else if constexpr (std::is_same_v<T, PaddingDimension>) {
      AddWord(static_cast<uint64_t>(value.low)), AddWord(static_cast<uint64_t>(value.high));
      AddWord(static_cast<uint64_t>(value.interior));
    } else if constexpr (std::is_same_v<T, WindowDimension>) {
      AddWord(static_cast<uint64_t>(value.size)), AddWord(static_cast<uint64_t>(value.stride));
      AddWord(static_cast<uint64_t>(value.padding_low)), AddWord(static_cast<uint64_t>(value.padding_high));
    } else if constexpr (requires { value.has_value(); }) {
      AddWord(value.has_value());
      if (value.has_value()) AddValue(*value);
    } else if constexpr (requires {
                           value.first;
                           value.second;
                         }) {
      AddValue(value.first), AddValue(value.second);
    } else if constexpr (requires {
                           value.begin();
                           value.size();
                         }) {
      AddWord(value.size());
      for (const auto& element : value) AddValue(static_cast<typename T::value_type>(element));
    }
  }
  uint64_t result() const { return state_; }

 private:
  uint64_t state_ = kGoldenRatio;
};

template <class T>
bool EqualValues(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Literal>) {
    // Elided values are equal only to themselves.
    if (a.elided() || b.elided()) return &a == &b;
    return a.BitwiseEqual(b) && a.shape() == b.shape();
  } else {
    return a == b;
  }
}

// Applies to both structs' fields in step.
template <class T>
bool EqualFields(const T& a, const T& b) {
  std::vector<const void*> fields;
  VisitFields(a, [&](std::string_view, const auto& field, FieldRule) { fields.push_back(&field); });
  bool equal = true;
  size_t next = 0;
  VisitFields(b, [&](std::string_view, const auto& field, FieldRule) {
    using Field = std::remove_cvref_t<decltype(field)>;
    equal = equal && EqualValues(*static_cast<const Field*>(fields[next]), field);
    ++next;
  });
  return equal;
}

void HashInstruction(const HloInstruction& instruction, Hasher& hasher) {
  hasher.AddWord(static_cast<uint64_t>(instruction.opcode()));
  hasher.Add(instruction.shape());
  instruction.attributes().Visit([&]<class T>(const T& attributes) {
    if constexpr (!std::is_same_v<T, NoAttributes>) {
      VisitFields(attributes, [&](std::string_view, const auto& field, FieldRule) { hasher.AddValue(field); });
    }
  });
  if (!instruction.has_extras()) return;
  const InstructionExtras& extras = instruction.extras();
  // Only if there are some, so that empty extras hash as none.
  if (instruction.sharding() != nullptr) hasher.AddWord(static_cast<uint64_t>(instruction.sharding()->kind) + 1);
  if (!extras.frontend_attributes.empty()) hasher.AddValue(extras.frontend_attributes);
  if (!extras.backend_config.empty()) hasher.Add(extras.backend_config);
}

// `of_computation` gives the hash of each called computation.
template <class F>
uint64_t HashComputation(const HloComputation& computation, F&& of_computation) {
  std::vector<const HloInstruction*> order = computation.PostOrder();
  std::unordered_map<const HloInstruction*, uint64_t> hashes;
  hashes.reserve(order.size());
  Hasher whole;
  uint64_t sum =
      0;  // a sum over all, independent of order: the walk depends on the stored order of instructions without users
  for (const HloInstruction* instruction : order) {
    Hasher hasher;
    HashInstruction(*instruction, hasher);
    for (const HloInstruction* operand : instruction->operands()) hasher.AddWord(hashes[operand]);
    for (const HloInstruction* before : instruction->control_predecessors()) hasher.AddWord(hashes[before] + 1);
    for (const HloComputation* called : instruction->called_computations()) hasher.AddWord(of_computation(*called));
    hashes[instruction] = hasher.result();
    sum += hasher.result();
  }
  whole.AddWord(sum);
  if (computation.root() != nullptr) whole.AddWord(hashes[computation.root()]);
  return whole.result();
}

}  // namespace

uint64_t StructuralHash(const HloInstruction& instruction) {
  Hasher hasher;
  HashInstruction(instruction, hasher);
  return hasher.result();
}

uint64_t MixHash(uint64_t hash, uint64_t word) { return Mix(hash, word); }

namespace {

// Hashes of a computation and all it calls, callees first, without recursion.
void HashAll(const std::vector<const HloComputation*>& callees_first, std::vector<uint64_t>& hashes) {
  for (const HloComputation* computation : callees_first) {
    hashes[computation->id()] =
        HashComputation(*computation, [&](const HloComputation& called) { return hashes[called.id()]; });
  }
}

}  // namespace

uint64_t StructuralHash(const HloComputation& computation) {
  const HloModule& module = *computation.module();
  std::vector<uint64_t> hashes(static_cast<size_t>(module.computation_id_limit()), 0);
  // Only the nodes that it reaches.
  std::vector<bool> wanted(hashes.size(), false);
  wanted[computation.id()] = true;
  std::vector<const HloComputation*> order = module.PostOrder(), todo;
  for (size_t i = order.size(); i-- > 0;) {
    if (!wanted[order[i]->id()]) continue;
    for (const HloInstruction* at = order[i]->first(); at != nullptr; at = at->next()) {
      for (const HloComputation* called : at->called_computations()) wanted[called->id()] = true;
    }
  }
  for (const HloComputation* candidate : order) {
    if (wanted[candidate->id()]) todo.push_back(candidate);
  }
  HashAll(todo, hashes);
  return hashes[computation.id()];
}

uint64_t StructuralHash(const HloModule& module) {
  std::vector<uint64_t> hashes(static_cast<size_t>(module.computation_id_limit()), 0);
  std::vector<const HloComputation*> order = module.PostOrder();
  HashAll(order, hashes);
  Hasher hasher;
  uint64_t sum = 0;
  for (const HloComputation* computation : order) sum += hashes[computation->id()];
  hasher.AddWord(sum);
  if (module.entry_computation() != nullptr) hasher.AddWord(hashes[module.entry_computation()->id()]);
  return hasher.result();
}

bool StructurallyEqual(const HloInstruction& a, const HloInstruction& b, bool same_layout) {
  if (a.opcode() != b.opcode() || a.operand_count() != b.operand_count() ||
      a.called_computations().size() != b.called_computations().size()) {
    return false;
  }
  if (&a.shape() != &b.shape() && !(same_layout ? a.shape() == b.shape() : a.shape().Compatible(b.shape())))
    return false;
  if (a.has_extras() || b.has_extras()) {
    const InstructionExtras &x = a.extras(), &y = b.extras();
    if ((a.sharding() == nullptr) != (b.sharding() == nullptr)) return false;
    if (a.sharding() != b.sharding() && !(*a.sharding() == *b.sharding())) return false;
    if (x.frontend_attributes != y.frontend_attributes || x.backend_config != y.backend_config ||
        x.result_accuracy != y.result_accuracy || x.unknown_attributes != y.unknown_attributes) {
      return false;
    }
  }
  return EqualAttributes(a, b);
}

bool EqualAttributes(const HloInstruction& a, const HloInstruction& b) {
  return a.attributes().Visit([&]<class T>(const T& attributes) {
    if constexpr (std::is_same_v<T, NoAttributes>) return true;
    else return EqualFields<T>(attributes, b.attributes<T>());
  });
}

bool StructurallyEqual(const HloComputation& a, const HloComputation& b) {
  // Pairs that must be equal; each is compared once.
  using Pair = std::pair<const HloComputation*, const HloComputation*>;
  std::vector<Pair> pairs{{&a, &b}};
  std::set<Pair> seen{{&a, &b}};  // never iterated, so that addresses do not affect the result
  for (size_t at = 0; at < pairs.size(); ++at) {
    const auto [left, right] = pairs[at];
    if (left == right) continue;
    if (left->instruction_count() != right->instruction_count() ||
        left->parameter_count() != right->parameter_count() || left->execution_thread() != right->execution_thread()) {
      return false;
    }
    std::vector<const HloInstruction*> xs = left->PostOrder(), ys = right->PostOrder();
    if (xs.size() != ys.size()) return false;
    std::unordered_map<const HloInstruction*, const HloInstruction*> same;
    same.reserve(xs.size());
    for (size_t i = 0; i < xs.size(); ++i) {
      const HloInstruction &x = *xs[i], &y = *ys[i];
      if (!StructurallyEqual(x, y)) return false;
      for (int64_t k = 0; k < x.operand_count(); ++k) {
        if (same[x.operand(k)] != y.operand(k)) return false;
      }
      if (x.control_predecessors().size() != y.control_predecessors().size()) return false;
      for (size_t k = 0; k < x.control_predecessors().size(); ++k) {
        if (same[x.control_predecessors()[k]] != y.control_predecessors()[k]) return false;
      }
      for (size_t k = 0; k < x.called_computations().size(); ++k) {
        Pair called{x.called_computations()[k], y.called_computations()[k]};
        if (seen.insert(called).second) pairs.push_back(called);
      }
      same[&x] = &y;
    }
    if (left->root() != nullptr && same[left->root()] != right->root()) return false;
  }
  return true;
}

}  // namespace hloir
