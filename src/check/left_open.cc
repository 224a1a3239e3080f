// See left_open.h. A reduce is replaced by one that HLO says is the same: over the elements in reverse, then over two
// parts one by one and over their results (the two halves, or every second element and the others), or with the initial
// value last, or of one element without it; a reduce-window by one over the elements in reverse. If the module then
// gives something else, the value was never determined. What the other module has written out may be another formula
// (written_out.h). An rng has no variants: it is open where the other module has none for it. Covered by
// tests/unit/check_test.cc.
#include "check/left_open.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/compare.h"
#include "check/extremes.h"
#include "check/sources.h"
#include "check/written_out.h"
#include "analysis/open_semantics.h"
#include "hloir/rules.h"
#include "support/format.h"

namespace hloir::check {
namespace {

constexpr int kMaxTried = 16;  // instructions

bool IsReduce(const HloInstruction& i) {
  if (i.opcode() != HloOpcode::kReduce) return false;
  const DimVector& dims = i.attributes<DimensionsAttributes>().dimensions;
  const Shape& shape = i.operand(0)->shape();
  return !dims.empty() && shape.IsStatic() && shape.dimensions(dims[0]) >= 2;
}
bool IsReduceOfOne(const HloInstruction& i) {
  if (i.opcode() != HloOpcode::kReduce || !i.operand(0)->shape().IsStatic()) return false;
  const Shape& result = i.shape().IsTuple() ? i.shape().tuple_shapes(0) : i.shape();
  return i.operand(0)->shape().ElementCount() == result.ElementCount();
}

using Operands = std::vector<HloInstruction*>;

HloInstruction* CloneReduce(HloInstruction& reduce, const Operands& inputs, const Shape& shape, const DimVector& dims) {
  Operands operands = inputs;
  for (int64_t k = reduce.operand_count() / 2; k < reduce.operand_count(); ++k) operands.push_back(reduce.operand(k));
  HloInstruction* clone = reduce.parent()->AddClone(reduce, operands, &shape);
  clone->mutable_attributes<DimensionsAttributes>().dimensions = dims;
  return clone;
}

void Reverse(HloInstruction& reduce) {
  HloComputation* computation = reduce.parent();
  Operands reversed;
  for (int64_t k = 0; k < reduce.operand_count() / 2; ++k) {
    reversed.push_back(computation->AddInstruction(HloOpcode::kReverse, reduce.operand(k)->shape(), {reduce.operand(k)},
                                                   reduce.attributes<DimensionsAttributes>()));
  }
  reduce.ReplaceAllUsesWith(
      CloneReduce(reduce, reversed, reduce.shape(), reduce.attributes<DimensionsAttributes>().dimensions));
}

Shape WithDimension(const Shape& shape, int64_t d, int64_t size) {
  DimVector dims = shape.dimensions();
  dims[d] = size;
  return Shape::Array(shape.element_type(), dims);
}

// Over two parts of dimension d, then over their results.
void Split(HloInstruction& reduce, int64_t d, const SliceRange (&ranges)[2]) {
  HloComputation* computation = reduce.parent();
  const DimVector dims = reduce.attributes<DimensionsAttributes>().dimensions;
  const int64_t count = reduce.operand_count() / 2;
  HloInstruction* halves[2];
  for (int64_t half : {0, 1}) {
    const SliceRange& range = ranges[half];
    Operands slices;
    for (int64_t k = 0; k < count; ++k) {
      const Shape& whole = reduce.operand(k)->shape();
      SliceAttributes slice;
      for (int64_t limit : whole.dimensions()) slice.slice.push_back({0, limit, 1});
      slice.slice[d] = range;
      const Shape part = WithDimension(whole, d, (range.limit - range.start + range.stride - 1) / range.stride);
      slices.push_back(computation->AddInstruction(HloOpcode::kSlice, part, {reduce.operand(k)}, slice));
    }
    halves[half] = CloneReduce(reduce, slices, reduce.shape(), dims);
  }
  Operands pairs;
  for (int64_t k = 0; k < count; ++k) {
    Operands parts;
    Shape pair;
    for (HloInstruction* half : halves) {
      HloInstruction* part = half->shape().IsTuple() ? computation->AddGetTupleElement(half, k) : half;
      DimVector one = part->shape().dimensions();
      one.insert(one.begin(), 1);
      parts.push_back(computation->AddInstruction(HloOpcode::kReshape, Shape::Array(part->shape().element_type(), one),
                                                  {part}, ReshapeAttributes()));
      pair = WithDimension(parts[0]->shape(), 0, 2);
    }
    DimensionsAttributes first;
    first.dimensions = {0};
    pairs.push_back(computation->AddInstruction(HloOpcode::kConcatenate, pair, parts, first));
  }
  reduce.ReplaceAllUsesWith(CloneReduce(reduce, pairs, reduce.shape(), {0}));
}

void Halve(HloInstruction& reduce) {
  const int64_t d = reduce.attributes<DimensionsAttributes>().dimensions[0];
  const int64_t size = reduce.operand(0)->shape().dimensions(d);
  Split(reduce, d, {{0, size / 2, 1}, {size / 2, size, 1}});
}

// As the lanes of a vector do it.
void Deal(HloInstruction& reduce) {
  const DimVector& dims = reduce.attributes<DimensionsAttributes>().dimensions;
  const Shape& shape = reduce.operand(0)->shape();
  const int64_t d = *std::max_element(dims.begin(), dims.end()), size = shape.dimensions(d);
  if (size >= 2) Split(reduce, d, {{0, size, 2}, {1, size, 2}});
}

// The windows of the reversed array, from the last one on.
void ReverseWindows(HloInstruction& reduce) {
  HloComputation* computation = reduce.parent();
  Window window = reduce.attributes<WindowAttributes>().window;
  DimensionsAttributes windowed;
  const Shape& shape = reduce.operand(0)->shape();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    WindowDimension& w = window[d];
    if (w.size == 1) continue;
    windowed.dimensions.push_back(d);
    const int64_t size = (shape.dimensions(d) - 1) * w.base_dilation + 1 + w.padding_low + w.padding_high;
    const int64_t behind_the_last = (size - (w.size - 1) * w.window_dilation - 1) % w.stride;
    std::swap(w.padding_low, w.padding_high);
    w.padding_low -= behind_the_last;
  }
  const auto reversed = [&](HloInstruction* i) {
    return computation->AddInstruction(HloOpcode::kReverse, i->shape(), {i}, windowed);
  };
  Operands operands(reduce.operands().begin(), reduce.operands().end());
  for (int64_t k = 0; k < reduce.operand_count() / 2; ++k) operands[k] = reversed(operands[k]);
  HloInstruction* clone = computation->AddClone(reduce, operands);
  clone->mutable_attributes<WindowAttributes>().window = window;
  if (!clone->shape().IsTuple()) {
    reduce.ReplaceAllUsesWith(reversed(clone));
    return;
  }
  Operands results;
  for (int64_t k = 0; k < clone->shape().tuple_size(); ++k)
    results.push_back(reversed(computation->AddGetTupleElement(clone, k)));
  reduce.ReplaceAllUsesWith(computation->AddTuple(results));
}

// Sums and products: of the elements from their identity on, then with the initial value.
void InitialValueLast(HloInstruction& reduce) {
  const std::optional<HloOpcode> opcode = rules::BinaryReducer(reduce.to_apply());
  if (opcode != HloOpcode::kAdd && opcode != HloOpcode::kMultiply) return;
  HloComputation* computation = reduce.parent();
  const PrimitiveType type = reduce.shape().element_type();
  HloInstruction* identity =
      computation->AddConstant(opcode == HloOpcode::kAdd ? Literal::Zero(type) : Literal::One(type));
  const Operands operands = {reduce.operand(0), identity};
  HloInstruction* all = computation->AddClone(reduce, operands);
  HloInstruction* initial =
      computation->AddInstruction(HloOpcode::kBroadcast, reduce.shape(), {reduce.operand(1)}, DimensionsAttributes());
  reduce.ReplaceAllUsesWith(computation->AddInstruction(*opcode, reduce.shape(), {all, initial}));
}

// Of one element.
void WithoutInitialValue(HloInstruction& reduce) {
  HloComputation* computation = reduce.parent();
  const auto element = [&](int64_t k, const Shape& shape) {
    return computation->AddInstruction(HloOpcode::kReshape, shape, {reduce.operand(k)}, ReshapeAttributes());
  };
  if (!reduce.shape().IsTuple()) {
    reduce.ReplaceAllUsesWith(element(0, reduce.shape()));
    return;
  }
  Operands elements;
  for (int64_t k = 0; k < reduce.shape().tuple_size(); ++k)
    elements.push_back(element(k, reduce.shape().tuple_shapes(k)));
  reduce.ReplaceAllUsesWith(computation->AddTuple(elements));
}

// Sums and products that run over: of 0 * 2^100 * 2^100 the order decides whether it is 0 or NaN. Without a reason, as
// whether they do has to show.
void AddThoseThatMayOverflow(const HloModule& module, std::vector<OpenSemantics>& all) {
  std::unordered_set<const HloInstruction*> known;
  for (const OpenSemantics& open : all) known.insert(open.instruction);
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->opcode() != HloOpcode::kReduce && i->opcode() != HloOpcode::kReduceWindow) continue;
    const PrimitiveType type = i->operand(0)->shape().element_type();
    if ((IsFloat(type) || IsComplex(type)) && known.count(i) == 0) all.push_back({i, ""});
  }
}

std::vector<Rewrite> VariantsOf(const OpenSemantics& open) {
  const HloInstruction& i = *open.instruction;
  if (IsReduce(i)) return {Reverse, Halve, Deal, InitialValueLast};
  if (IsReduceOfOne(i) && !open.reason.empty()) return {WithoutInitialValue};
  if (i.opcode() == HloOpcode::kReduceWindow && (open.reason.empty() || !IsAssociative(*i.to_apply())))
    return {ReverseWindows};
  return {};
}

std::string Explanation(const HloInstruction& i, Rewrite apply) {
  return Format("HLO leaves open {} {} combines, and its reducer {} gives another result then",
                apply == Reverse || apply == ReverseWindows ? "in which order"
                                                            : "in which groups and with how many initial values",
                i.name(), i.to_apply()->name());
}

// If `other` has fewer rng, and so wrote some out: an instruction on whose open numbers each leaf depends that does not
// agree. XLA writes them out with the module's state, so that the state is another too. Where both have as many, both
// have the same numbers.
std::string NumbersOfItsOwn(const HloModule& module, const HloModule& other, const Comparison& seen) {
  if (CountOf(other, {HloOpcode::kRng}) >= CountOf(module, {HloOpcode::kRng})) return "";
  std::string reason;
  Comparison one = seen;  // in which a single leaf does not agree
  for (LeafDifference& leaf : one.leaves) leaf.agrees = true;
  for (size_t k = 0; k < seen.leaves.size(); ++k) {
    if (seen.leaves[k].agrees) continue;
    one.leaves[k].agrees = false;
    const HloInstruction* open = nullptr;
    for (const HloInstruction* i : SourcesOf(module, one)) {
      const bool drawn = i->opcode() == HloOpcode::kRng || i->opcode() == HloOpcode::kRngGetAndUpdateState;
      if (drawn && (open == nullptr || i->id() < open->id())) open = i;
    }
    if (open == nullptr) return "";
    one.leaves[k].agrees = true;
    if (reason.empty())
      reason = Format("HLO leaves open what {} gives, and the other module has its own way", open->name());
  }
  return reason;
}

bool AgreeButForRounding(const Results& a, const Results& b) {
  bool agree = a.size() == b.size();
  for (size_t d = 0; agree && d < a.size(); ++d) agree = Compare(a[d], b[d], {}, {}).agree;
  return agree;
}

}  // namespace

std::string LeftOpen(Subject& subject, const HloModule& other, size_t set, const Comparison& seen,
                     const Results* result) {
  const HloModule& module = subject.module();
  if (std::string reason = NumbersOfItsOwn(module, other, seen); !reason.empty()) return reason;
  std::vector<OpenSemantics> all = FindAllOpenSemantics(module);
  const bool shows = std::any_of(seen.leaves.begin(), seen.leaves.end(),
                                 [](const LeafDifference& leaf) { return leaf.nonfinite > 0; });
  if (shows || result != nullptr) AddThoseThatMayOverflow(module, all);
  const std::vector<WrittenOut> written_out = FindWrittenOut(module, other);
  if (all.empty() && written_out.empty()) return "";
  const std::unordered_set<const HloInstruction*> sources = SourcesOf(module, seen);
  const StatusOr<Results>& base = subject.ReferenceResult(set);
  const Arguments arguments = subject.ArgumentsOf(set);
  int tried = 0;
  // What the module gives with the variant.
  const auto run = [&](const HloInstruction& i, Rewrite apply) {
    std::unique_ptr<HloModule> variant = module.Clone();
    variant->config().is_scheduled = false;
    apply(*variant->FindComputation(i.parent()->name())->FindInstruction(i.name()));
    return subject.RunReference(*variant, arguments, /*whatever_it_takes=*/false);
  };
  const auto is_moved = [&](const StatusOr<Results>& results) {
    return results.ok() && !subject.CompareWithReference(*results, set).agree;
  };
  std::optional<StatusOr<Results>> others;
  for (const WrittenOut& open : written_out) {
    if (sources.count(open.instruction) == 0 || !base.ok() || ++tried > kMaxTried) continue;
    if (open.is_known && !others) others = subject.RunReference(other, arguments, /*whatever_it_takes=*/false);
    for (const Rewrite apply : open.variants) {
      const StatusOr<Results> results = run(*open.instruction, apply);
      const bool is_open =
          open.is_known ? results.ok() && others->ok() && AgreeButForRounding(*results, **others) : is_moved(results);
      if (is_open) return "HLO leaves open " + open.what_is_open;
    }
  }
  std::string untried;
  for (const OpenSemantics& open : all) {
    const HloInstruction* i = open.instruction;
    if (sources.count(i) == 0) continue;
    const std::vector<Rewrite> variants = VariantsOf(open);
    if (variants.empty() && i->opcode() != HloOpcode::kReduce && untried.empty() && !open.reason.empty())
      untried = Format("HLO leaves open what {} gives: {}", i->name(), open.reason);
    if (variants.empty() || !base.ok() || ++tried > kMaxTried) continue;
    for (const Rewrite apply : variants) {
      const StatusOr<Results> results = run(*i, apply);
      if (!is_moved(results)) continue;
      // Where no infinity or NaN shows, only one that was there on the way, and gives just this, has to do with it.
      if (open.reason.empty() && !shows && !AgreeButForRounding(*results, *result)) continue;
      return Explanation(*i, apply);
    }
  }
  // Of others there is no such variant: that they are open has to do.
  return base.ok() ? untried : "";
}

}  // namespace hloir::check
