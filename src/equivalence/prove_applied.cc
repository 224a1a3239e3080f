// Operations that apply a computation to elements: map, reduce, sort; and constants, which the reference evaluator
// folds. See prove_terms.h.
#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "equivalence/prove_algebra.h"
#include "ir/mixed_floats.h"

namespace hloir::equivalence {
namespace {

constexpr int64_t kMostFolded = 1 << 14;      // elements of a folded constant
constexpr int64_t kMostFoldedWork = 1 << 20;  // elements that folding one operation reads
constexpr int64_t kMostReducedSingly = 8;     // integers that a reduction combines one after another

DimVector SizesOf(const Shape& shape, std::span<const int64_t> places) {
  DimVector sizes;
  for (int64_t d : places) sizes.push_back(shape.dimensions(d));
  return sizes;
}

bool AppliesToElements(HloOpcode opcode) {
  using enum HloOpcode;
  static constexpr HloOpcode kApplied[] = {kMap, kReduce, kReduceWindow, kScan, kScatter, kSelectAndScatter, kSort};
  return std::find(std::begin(kApplied), std::end(kApplied), opcode) != std::end(kApplied);
}

// The elements that each result reads: those of its window.
int64_t WindowElements(const HloInstruction& i) {
  int64_t product = 1;
  if (i.opcode() != HloOpcode::kReduceWindow && i.opcode() != HloOpcode::kSelectAndScatter) return product;
  for (const WindowDimension& w : i.attributes<WindowAttributes>().window)
    if (product < kMostFoldedWork) product *= std::max<int64_t>(w.size, 1);
  return product;
}

// True if a combination of two elements is one operation that commutes.
bool Commutes(const HloInstruction& combiner) {
  return combiner.Is(kCommutative) && combiner.operand_count() == 2 && combiner.operand(0)->IsParameter() &&
         combiner.operand(1)->IsParameter() && combiner.operand(0) != combiner.operand(1);
}

// The parameters that are part of a term, by number.
std::unordered_set<int64_t> ParametersOf(const Term* t) {
  std::unordered_set<int64_t> numbers;
  for (const Term* part : PartsOf(t))
    if (part->kind == Term::Kind::kParameter && !IsLoopVariable(part)) numbers.insert(part->data[0]);
  return numbers;
}

}  // namespace

const Term* Terms::Parameter(int64_t number, const Shape& shape) {
  Term t;
  t.kind = Term::Kind::kParameter;
  t.shape = shape.WithoutLayout();
  t.data = {number};
  return Make(std::move(t));
}

// A constant of the text. Elided ones are equal if their names and shapes are, which the proof's user is told.
const Term* Terms::OfConstant(const HloInstruction& i) {
  if (i.shape().IsArray() && i.literal().elided()) {
    const auto [found, is_new] = elided_.try_emplace(std::string(i.name()), static_cast<int64_t>(elided_.size()));
    return Op(HloOpcode::kConstant, i.shape(), {}, {found->second});
  }
  return Values(i.literal());
}

const Term* Terms::Values(const Literal& literal) {
  if (literal.shape().IsArray()) return Constant(literal);
  Operands elements;
  for (const Literal& element : literal.elements()) elements.push_back(Values(element));
  return Op(HloOpcode::kTuple, literal.shape(), std::move(elements));
}

// The value of an operation on constants; null if it is not known.
const Term* Terms::OfConstants(const HloInstruction& i, const Operands& x) {
  if (!i.Is(kFoldable) || i.Is(kElementwise) || x.empty()) return nullptr;
  if (!i.called_computations().empty() && !AppliesToElements(i.opcode())) return nullptr;
  int64_t work = 0;
  for (const Shape* leaf : i.shape().Leaves()) {
    if (!leaf->IsArray() || leaf->ElementCount() > kMostFolded) return nullptr;
    work += leaf->ElementCount();
  }
  std::vector<Literal> values;
  for (const Term* t : x) {
    if (!t->shape.IsArray() || t->shape.ElementCount() > kMostFolded) return nullptr;
    std::optional<Literal> value = ConstantOf(t);
    if (!value) return nullptr;
    work += value->element_count();
    values.push_back(*std::move(value));
  }
  const int64_t window = WindowElements(i);
  if (window > kMostFoldedWork / std::max<int64_t>(work, 1) || Spent(1 + work * window / 16)) return nullptr;
  std::vector<const Literal*> operands;
  for (const Literal& value : values) operands.push_back(&value);
  if (i.called_computations().empty()) {
    std::optional<Literal> result = Evaluate(i.opcode(), i.shape().WithoutLayout(), operands, {}, &i);
    return result ? Constant(*std::move(result)) : nullptr;
  }
  const StatusOr<Literal> result = evaluator_->EvaluateInstruction(i, operands);
  return result.ok() && result->shape().Compatible(i.shape()) ? Values(*result) : nullptr;
}

// A map is its computation on arrays, if that is elementwise.
const Term* Terms::OfMap(const HloInstruction& i, const Operands& x, int depth) {
  const DimVector& dimensions = i.shape().dimensions();
  std::unordered_map<const HloInstruction*, const Term*> terms;
  for (const HloInstruction* inner : i.to_apply()->PostOrder()) {
    if (inner->IsParameter()) {
      terms[inner] = x[static_cast<size_t>(inner->parameter_number())];
    } else if (inner->IsConstant() && inner->shape().IsScalar() && !inner->literal().elided()) {
      terms[inner] = Broadcast(Constant(inner->literal()), dimensions, {});
    } else if (const auto data = DataOfElementwise(*inner); data && !MixesFloats(*inner)) {
      Operands operands;
      for (const HloInstruction* operand : inner->operands()) operands.push_back(terms[operand]);
      terms[inner] = Elementwise(inner->opcode(), inner->shape().element_type(), std::move(operands), *data);
    } else {
      return Opaque(i, x, depth);
    }
  }
  return terms[i.to_apply()->root()];
}

const Term* Terms::OfReduce(const HloInstruction& i, const Operands& x, int depth) {
  const DimVector& reduced = i.dimensions();
  const PrimitiveType type = i.shape().element_type();
  std::vector<int64_t> kept, last;
  for (int64_t d = 0; d < x[0]->shape.rank(); ++d)
    (std::find(reduced.begin(), reduced.end(), d) == reduced.end() ? kept : last).push_back(d);
  const DimVector sizes = SizesOf(x[0]->shape, kept);
  const int64_t rows = Shape::Array(type, sizes).ElementCount();
  const HloInstruction& combiner = *i.to_apply()->root();
  const bool commutes = Commutes(combiner) && x[0]->shape.element_type() == type;
  const Term* initial = Broadcast(x[1], sizes, {});
  if (x[0]->shape.ElementCount() == 0 && x[1]->shape.element_type() == type) return initial;
  // Each result combines a single element with the initial value.
  if (commutes && x[0]->shape.ElementCount() == rows)
    return Elementwise(combiner.opcode(), type, {initial, Reshape(x[0], sizes)});
  if (commutes && combiner.Is(kAssociative) && last.size() == 1 && (IsInteger(type) || type == PrimitiveType::PRED) &&
      x[0]->shape.dimensions(last[0]) <= kMostReducedSingly) {
    const size_t d = static_cast<size_t>(last[0]);
    const std::vector<int64_t> ones(x[0]->shape.dimensions().size(), 1);
    std::vector<int64_t> start(ones.size(), 0);
    DimVector row = x[0]->shape.dimensions();
    const Term* result = initial;
    for (row[d] = 1; start[d] < x[0]->shape.dimensions()[d]; ++start[d])
      result = Elementwise(combiner.opcode(), type, {result, Reshape(Slice(x[0], start, ones, row), sizes)});
    return result;
  }
  // The order [kept, reduced] keeps the dimensions' order, which is the order of combining.
  std::vector<int64_t> order = kept;
  order.insert(order.end(), last.begin(), last.end());
  const int64_t row = Shape::Array(type, SizesOf(x[0]->shape, last)).ElementCount();
  const Term* operand = Reshape(Transpose(x[0], order), {rows, row});
  const Term* result =
      Op(HloOpcode::kReduce, Shape::Array(type, {rows}), {operand, x[1], Nested(*i.to_apply(), depth + 1)});
  return Reshape(result, sizes);
}

// The padding of a window is no element. It may be elements that are the initial value, which each window has once, if
// another one changes no bit: 0 + 0, 1 * 1, or a maximum of equal numbers.
const Term* Terms::OfReduceWindow(const HloInstruction& i, const Operands& x, int depth) {
  const PrimitiveType type = x[0]->shape.IsArray() ? x[0]->shape.element_type() : PrimitiveType::TUPLE;
  const HloInstruction& combiner = *i.to_apply()->root();
  if (x.size() != 2 || !Commutes(combiner) || i.shape().element_type() != type || x[1]->shape.element_type() != type ||
      Elementwise(combiner.opcode(), type, {x[1], x[1]}) != x[1]) {
    return Opaque(i, x, depth);
  }
  std::vector<int64_t> windows;
  for (const WindowDimension& w : i.attributes<WindowAttributes>().window) {
    if (w.padding_low < 0 || w.padding_high < 0 || w.base_dilation != 1 || w.window_reversal)
      return Opaque(i, x, depth);
    windows.insert(windows.end(), {w.size, w.stride, w.window_dilation});
  }
  int64_t d = 0;
  const Term* padded = x[0];
  for (const WindowDimension& w : i.attributes<WindowAttributes>().window)
    padded = PadWith(padded, x[1], d++, w.padding_low, w.padding_high);
  return Op(HloOpcode::kReduceWindow, i.shape(), {padded, x[1], Nested(*i.to_apply(), depth + 1)}, std::move(windows));
}

// Each result of a sort, with the arrays that the comparison reads. Their order among equal elements is the operands'
// if the sort is stable; else it may depend on all of them.
const Term* Terms::OfSort(const HloInstruction& i, const Operands& x, int depth) {
  const SortAttributes& sort = i.attributes<SortAttributes>();
  const HloComputation& comparison = *i.to_apply();
  std::unordered_set<int64_t> read = ParametersOf(Nested(comparison, depth + 1));
  Operands arguments, keys;
  std::vector<int64_t> place;  // of each operand among the keys
  for (size_t k = 0; k < x.size(); ++k) {
    const int64_t left = static_cast<int64_t>(2 * k);
    const bool is_key = !sort.is_stable || read.contains(left) || read.contains(left + 1);
    place.push_back(is_key ? static_cast<int64_t>(keys.size()) : -1);
    if (is_key) keys.push_back(x[k]);
  }
  for (const HloInstruction* parameter : comparison.parameters()) {
    const int64_t of = place[static_cast<size_t>(parameter->parameter_number() / 2)];
    // A parameter that is not read may have any number.
    arguments.push_back(Parameter(of < 0 ? -1 : 2 * of + parameter->parameter_number() % 2, parameter->shape()));
  }
  ++nested_;
  const Term* compares = Build(comparison, arguments, depth + 1);
  --nested_;
  Operands results;
  for (size_t k = 0; k < x.size(); ++k) {
    Operands operands = keys;
    if (place[k] < 0) operands.push_back(x[k]);
    const int64_t of = place[k] < 0 ? static_cast<int64_t>(keys.size()) : place[k];
    operands.push_back(compares);
    results.push_back(
        Op(HloOpcode::kSort, x[k]->shape, std::move(operands), {sort.dimensions[0], sort.is_stable ? 1 : 0, of}));
  }
  return i.shape().IsArray() ? results[0] : Op(HloOpcode::kTuple, i.shape(), std::move(results));
}

}  // namespace hloir::equivalence
