// See reach.h. Covered by tests/unit/reach_test.cc.
#include "check/reach.h"

#include <algorithm>
#include <utility>

#include "support/format.h"

namespace hloir::check {
namespace {

// The offsets of the places of each kind.
enum { kTrue, kFalse };
enum { kBelow, kWithin, kAbove };
enum { kFirst, kLast, kBefore, kBehind };
enum { kNever, kOnce, kOften };

constexpr int64_t kMostKept = 1 << 16;  // elements of one value

// An operation's index operands, from `first` to `last`, and the largest legal index of each dimension.
struct Indices {
  int64_t first = 0, last = 0;
  std::vector<int64_t> largest;
};

Indices IndicesOf(const HloInstruction& i) {
  Indices indices;
  switch (i.opcode()) {
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice: {
      const bool slice = i.opcode() == HloOpcode::kDynamicSlice;
      const Shape &whole = i.operand(0)->shape(), &part = slice ? i.shape() : i.operand(1)->shape();
      indices.first = slice ? 1 : 2;
      for (int64_t d = 0; d < whole.rank() && indices.first + d < i.operand_count(); ++d) {
        if (!i.operand(indices.first + d)->shape().IsScalar()) return {};  // the old form
        indices.largest.push_back(whole.dimensions(d) - part.dimensions(d));
      }
      indices.last = i.operand_count();
      break;
    }
    case HloOpcode::kGather: {
      const auto& gather = i.attributes<GatherAttributes>();
      indices.first = 1, indices.last = 2;
      for (int64_t d : gather.start_index_map)
        indices.largest.push_back(i.operand(0)->shape().dimensions(d) - gather.slice_sizes[d]);
      break;
    }
    case HloOpcode::kScatter: {
      indices.first = i.operand_count() / 2, indices.last = indices.first + 1;
      for (int64_t d : i.attributes<ScatterAttributes>().scatter_dims_to_operand_dims)
        indices.largest.push_back(i.operand(0)->shape().dimensions(d) - 1);
      break;
    }
    default: break;  // no index operands
  }
  return indices;
}

bool IsPredicate(const HloInstruction& i) {
  return i.shape().IsArray() && i.shape().element_type() == PrimitiveType::PRED && !i.IsConstant() &&
         !i.Is(kMovesData) && i.opcode() != HloOpcode::kGetTupleElement;
}

}  // namespace

Reach::Reach(const HloModule& module) {
  std::unordered_set<const HloComputation*> applied;  // applied elementwise: comparators reach everything
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->Is(kControlFlow) || i->opcode() == HloOpcode::kFusion) continue;
    applied.insert(i->called_computations().begin(), i->called_computations().end());
  }
  for (const HloComputation* computation : module.computations()) {
    if (applied.count(computation) > 0) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (IsPredicate(*i)) {
        first_[i] = Add(*i, "is never true");
        Add(*i, "is never false");
      } else if (i->opcode() == HloOpcode::kClamp) {
        first_[i] = Add(*i, "never reaches its lower bound");
        Add(*i, "never passes a value unchanged");
        Add(*i, "never reaches its upper bound");
        for (const HloInstruction* operand : i->operands()) kept_.insert(operand);
      } else if (i->opcode() == HloOpcode::kConditional && !i->IsPredConditional()) {
        for (size_t branch = 0; branch < i->called_computations().size(); ++branch) {
          const size_t place = Add(*i, Format("never takes branch {}", branch));
          if (branch == 0) first_[i] = place;
        }
        kept_.insert(i->operand(0));
      } else if (i->opcode() == HloOpcode::kWhile) {
        first_[i] = Add(*i, "never runs zero iterations");
        Add(*i, "never runs one iteration");
        Add(*i, "never runs several iterations");
        loops_[i->while_condition()->root()] = i;
      } else if (const Indices indices = IndicesOf(*i); !indices.largest.empty()) {
        first_[i] = Add(*i, "never has an index of 0");
        Add(*i, "never has the last legal index");
        Add(*i, "never has an index below 0");
        Add(*i, "never has an index above the last");
        for (int64_t k = indices.first; k < indices.last; ++k) kept_.insert(i->operand(k));
      }
    }
  }
}

size_t Reach::Add(const HloInstruction& instruction, std::string what) {
  places_.push_back({&instruction, std::move(what)});
  return places_.size() - 1;
}

void Reach::Mark(size_t place) {
  reached_ += !places_[place].reached;
  places_[place].reached = true;
}

const Literal* Reach::ValueOf(const HloInstruction* instruction) const {
  if (instruction->IsConstant()) return &instruction->literal();
  const auto found = values_.find(instruction);
  return found == values_.end() ? nullptr : &found->second;
}

void Reach::SeeClamp(const HloInstruction& clamp, const Literal& result) {
  const Literal *low = ValueOf(clamp.operand(0)), *value = ValueOf(clamp.operand(1)), *high = ValueOf(clamp.operand(2));
  if (low == nullptr || value == nullptr || high == nullptr || IsComplex(result.shape().element_type())) return;
  const auto at = [](const Literal& bound, int64_t i) { return bound.GetAsDouble(bound.element_count() == 1 ? 0 : i); };
  for (int64_t i = 0; i < value->element_count(); ++i) {
    const double x = value->GetAsDouble(i);
    MarkAll(clamp, x < at(*low, i) ? kBelow : x > at(*high, i) ? kAbove : kWithin);
  }
}

void Reach::SeeIndices(const HloInstruction& user) {
  const Indices indices = IndicesOf(user);
  const int64_t dimensions = static_cast<int64_t>(indices.largest.size());
  for (int64_t k = indices.first; k < indices.last; ++k) {
    const Literal* values = ValueOf(user.operand(k));
    if (values == nullptr) continue;
    // The index vectors' dimension of gathers and scatters is usually the last one; for others the limits are
    // approximate.
    for (int64_t i = 0; i < values->element_count(); ++i) {
      const bool scalar = values->shape().rank() == 0 && indices.last - indices.first == dimensions;
      const int64_t largest = indices.largest[static_cast<size_t>(scalar ? k - indices.first : i % dimensions)];
      const int64_t index = values->GetAsInt64(i);
      if (index < 0) MarkAll(user, kBefore);
      if (index > largest) MarkAll(user, kBehind);
      if (index == 0) MarkAll(user, kFirst);
      if (index == largest) MarkAll(user, kLast);
    }
  }
}

void Reach::See(const HloInstruction& i, const Literal& value) {
  if (kept_.count(&i) > 0 && value.element_count() <= kMostKept) values_.insert_or_assign(&i, value);
  if (const auto loop = loops_.find(&i); loop != loops_.end() && value.element_count() == 1)
    turns_[loop->second] += value.GetAsInt64(0) != 0;
  const auto first = first_.find(&i);
  if (first == first_.end()) return;
  // The order must match the constructor, which allocated the places.
  if (IsPredicate(i)) {
    for (bool said : value.data<bool>()) Mark(first->second + (said ? kTrue : kFalse));
  } else if (i.opcode() == HloOpcode::kClamp) {
    SeeClamp(i, value);
  } else if (i.opcode() == HloOpcode::kConditional) {
    const Literal* branch = ValueOf(i.operand(0));
    if (branch == nullptr) return;
    Mark(first->second + static_cast<size_t>(BranchFor(i, branch->GetAsInt64(0))));
  } else if (i.opcode() == HloOpcode::kWhile) {
    const int64_t turns = std::exchange(turns_[&i], 0);
    Mark(first->second + (turns == 0 ? kNever : turns == 1 ? kOnce : kOften));
  } else {
    SeeIndices(i);
  }
}

int64_t BranchFor(const HloInstruction& conditional, int64_t selector) {
  if (conditional.IsPredConditional()) return selector != 0 ? 0 : 1;
  const auto last = static_cast<int64_t>(conditional.called_computations().size()) - 1;
  return selector < 0 || selector > last ? last : selector;
}

std::vector<std::string> Reach::Missing() const {
  std::vector<std::string> missing;
  for (const Place& place : places_) {
    if (!place.reached) missing.push_back(Format("{} {}", place.instruction->name(), place.what));
  }
  return missing;
}

}  // namespace hloir::check
