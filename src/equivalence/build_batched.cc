// Transforms, factorizations and library calls on batches, as functions of the rows of each item; and reductions that
// do not depend on the order of their elements. See build.h.
#include <algorithm>
#include <map>
#include <string_view>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {
namespace {

constexpr std::string_view kLibraries[] = {"lapack_", "cusolver_", "hipsolver_"};
constexpr std::string_view kSolvers[] = {"potrf", "getrf", "geqrf", "orgqr", "ungqr", "syevd", "heevd",
                                         "gesdd", "gesvd", "geev",  "gehrd", "sytrd", "hetrd"};

// The number of trailing dimensions that belong to one item.
int64_t InnerRank(const HloInstruction& i) {
  if (i.opcode() == HloOpcode::kFft) return static_cast<int64_t>(i.attributes<FftAttributes>().fft_length.size());
  return 2;  // a matrix
}

// The ranks of an element's values. The number of ranks suffices to order any three elements.
using Element = std::vector<int64_t>;

// Evaluates a region of scalars that only compares and selects on ranks; nothing for other regions.
std::optional<Element> Chosen(const HloComputation& computation, const Element& a, const Element& b) {
  using enum HloOpcode;
  std::map<const HloInstruction*, int64_t> values;
  for (const HloInstruction* i : computation.PostOrder()) {
    const auto of = [&](int64_t k) { return values.at(i->operand(k)); };
    if (i->opcode() == kTuple && i->IsRoot()) {
      Element made;
      for (const HloInstruction* part : i->operands()) made.push_back(values.at(part));
      return made;
    }
    if (!i->shape().IsScalar()) return std::nullopt;
    switch (i->opcode()) {
      case kParameter: {
        const size_t number = static_cast<size_t>(i->parameter_number());
        values[i] = number < a.size() ? a[number] : b[number - a.size()];
        break;
      }
      case kCompare: {
        const int64_t x = of(0), y = of(1);
        switch (i->attributes<CompareAttributes>().direction) {
          case ComparisonDirection::kEq: values[i] = x == y; break;
          case ComparisonDirection::kNe: values[i] = x != y; break;
          case ComparisonDirection::kLt: values[i] = x < y; break;
          case ComparisonDirection::kLe: values[i] = x <= y; break;
          case ComparisonDirection::kGt: values[i] = x > y; break;
          case ComparisonDirection::kGe: values[i] = x >= y; break;
        }
        break;
      }
      case kSelect: values[i] = of(0) != 0 ? of(1) : of(2); break;
      case kMaximum: values[i] = std::max(of(0), of(1)); break;
      case kMinimum: values[i] = std::min(of(0), of(1)); break;
      case kAnd:
      case kOr:
      case kNot:
        if (i->shape().element_type() != PrimitiveType::PRED) return std::nullopt;
        values[i] = i->opcode() == kNot ? of(0) == 0 : i->opcode() == kAnd ? (of(0) & of(1)) : (of(0) | of(1));
        break;
      default: return std::nullopt;  // computes
    }
  }
  return std::nullopt;
}

}  // namespace

// Returns whether a reduction by the region does not depend on the order of its elements, nor on the number of initial
// values. For regions that only compare and select this follows from ranks: three elements of two values have at most
// six values of one type.
bool Builder::TakesAnyOrder(const HloComputation& computation) {
  constexpr size_t kValues = 2;
  if (computation.parameter_count() != 2 * kValues) return false;
  std::vector<Element> all;
  const auto type = [&](size_t k) { return computation.parameter(static_cast<int64_t>(k))->shape().element_type(); };
  for (size_t k = 0; k < kValues; ++k) {
    if (type(k) != type(kValues + k) || IsComplex(type(k))) return false;
  }
  const int64_t ranks = type(0) == type(1) ? 6 : 3;
  const auto most = [&](size_t k) { return type(k) == PrimitiveType::PRED ? 2 : ranks; };
  for (int64_t first = 0; first < most(0); ++first) {
    for (int64_t second = 0; second < most(1); ++second) all.push_back({first, second});
  }
  std::map<std::pair<Element, Element>, Element> made;
  for (const Element& a : all) {
    for (const Element& b : all) {
      const std::optional<Element> chosen = Chosen(computation, a, b);
      if (!chosen || chosen->size() != kValues) return false;
      made[{a, b}] = *chosen;
    }
  }
  for (const Element& a : all) {
    if (made.at({a, a}) != a) return false;
    for (const Element& b : all) {
      if (made.at({a, b}) != made.at({b, a})) return false;
      for (const Element& c : all) {
        if (made.at({made.at({a, b}), c}) != made.at({a, made.at({b, c})})) return false;
      }
    }
  }
  return true;
}

// Returns kMaximum or kMinimum if result k of such a region is always that extreme of its two k-th values, whatever the
// other values are, else kTuple. Two elements of two values have at most four values of one type.
HloOpcode Builder::ExtremeOfChosen(const HloComputation& computation, size_t k) {
  constexpr int64_t kValues = 2, kRanks = 4;
  const auto type = [&](int64_t of) { return computation.parameter(of)->shape().element_type(); };
  if (computation.parameter_count() != 2 * kValues || type(static_cast<int64_t>(k)) == PrimitiveType::PRED)
    return HloOpcode::kTuple;
  for (int64_t of = 0; of < kValues; ++of) {
    if (type(of) != type(kValues + of) || IsComplex(type(of)) || type(of) == PrimitiveType::PRED)
      return HloOpcode::kTuple;
  }
  bool largest = true, least = true;
  for (int64_t code = 0; code < kRanks * kRanks * kRanks * kRanks && (largest || least); ++code) {
    const Element a{code % kRanks, code / kRanks % kRanks};
    const Element b{code / (kRanks * kRanks) % kRanks, code / (kRanks * kRanks * kRanks)};
    const std::optional<Element> chosen = Chosen(computation, a, b);
    if (!chosen || chosen->size() != static_cast<size_t>(kValues)) return HloOpcode::kTuple;
    largest = largest && (*chosen)[k] == std::max(a[k], b[k]);
    least = least && (*chosen)[k] == std::min(a[k], b[k]);
  }
  return largest ? HloOpcode::kMaximum : least ? HloOpcode::kMinimum : HloOpcode::kTuple;
}

bool Builder::IsSolver(const HloInstruction& i) {
  if (i.opcode() != HloOpcode::kCustomCall || i.HasSideEffect() || i.operand_count() != 1) return false;
  const std::string_view target = i.attributes<CustomCallAttributes>().custom_call_target;
  return std::any_of(std::begin(kLibraries), std::end(kLibraries),
                     [&](std::string_view library) { return target.starts_with(library); }) &&
         std::any_of(std::begin(kSolvers), std::end(kSolvers),
                     [&](std::string_view solver) { return target.find(solver) != std::string_view::npos; });
}

Value Builder::Batched(const HloInstruction& i, const std::vector<ExprId>& x) {
  const int64_t inner = InnerRank(i), batch = i.operand(0)->shape().rank() - inner;
  if (batch < 0) return {};
  const DimVector& items = i.operand(0)->shape().dimensions();
  const auto is_batched = [&](const Shape& shape) {
    return shape.IsArray() && shape.rank() >= batch && !IsQuantized(shape.element_type()) && shape.ElementCount() > 0 &&
           std::equal(items.begin(), items.begin() + batch, shape.dimensions().begin());
  };
  const std::vector<const Shape*> results = i.shape().Leaves();
  if (!std::all_of(results.begin(), results.end(), [&](const Shape* shape) { return is_batched(*shape); })) return {};
  std::vector<int64_t> data;
  if (i.opcode() == HloOpcode::kCustomCall) {
    data = {-1, shared_.NameOf("target " + i.attributes<CustomCallAttributes>().custom_call_target),
            shared_.NameOf("config " + std::string(i.extras().backend_config))};
    x_.Uses(kSameUnknown);
  } else {
    data = {shared_.AttributesOf(i)};
  }
  x_.Uses(kRounds);
  Value value;
  for (size_t r = 0; r < results.size(); ++r) {
    const std::vector<Index> out = Dimensions(*results[r]);
    std::vector<VarId> over;
    std::vector<ExprId> bodies;
    std::vector<int64_t> key = data;
    key.push_back(static_cast<int64_t>(r));
    for (size_t k = 0; k < x.size(); ++k) {
      const Shape& from = i.operand(static_cast<int64_t>(k))->shape();
      if (!is_batched(from)) return {};
      std::vector<Index> at(out.begin(), out.begin() + batch);
      key.push_back(static_cast<int64_t>(i.opcode() == HloOpcode::kCustomCall ? from.element_type()
                                                                              : Normal(from.element_type())));
      for (int64_t d = batch; d < from.rank(); ++d) {
        over.push_back(x_.Fresh(from.dimensions(d)));
        at.push_back(x_.Var(over.back()));
        key.push_back(from.dimensions(d));
      }
      bodies.push_back(Read(x[k], from, at));
    }
    // The position in the item's result.
    for (int64_t d = batch; d < results[r]->rank(); ++d) key.push_back(results[r]->dimensions(d));
    value.push_back(x_.Row(i.opcode(), std::move(key), over, std::move(bodies),
                           std::vector<Index>(out.begin() + batch, out.end()), Normal(results[r]->element_type())));
  }
  return value;
}

}  // namespace hloir::equivalence::inside
