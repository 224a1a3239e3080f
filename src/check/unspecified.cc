// See unspecified.h. A reduce is replaced by an equivalent one under HLO's rules: over the reversed elements; over two
// parts and then over their results (the two halves, or the even and the odd elements); with the initial value combined
// last; or, with one element, without the initial value. A reduce-window is replaced by one over the reversed elements.
// If this changes the module's result, HLO does not specify the value. Covered by tests/unit/check_test.cc and
// explanations_test.cc.
#include "check/unspecified.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/compare.h"
#include "check/explanations.h"
#include "check/extremes.h"
#include "check/judge.h"
#include "check/reference_formula.h"
#include "check/sources.h"
#include "analysis/open_semantics.h"
#include "hloir/rules.h"
#include "support/format.h"

namespace hloir::check {
namespace {

constexpr int kMaxTried = 16;  // instructions

// The instruction whose result HLO does not specify, or null, and why.
struct Unspecified {
  const HloInstruction* source = nullptr;
  std::string reason = {};
};

// Takes the leaves that depend on it out of the difference.
std::string Take(Unspecified found, ResultDifference& d) {
  if (found.source == nullptr) return "";
  d.seen.agree = true;
  for (size_t k = 0; k < d.seen.leaves.size(); ++k) {
    LeafDifference& leaf = d.seen.leaves[k];
    leaf.agrees = leaf.agrees || SourcesOf(d.before.module(), OnlyLeaf(d.seen, k)).contains(found.source);
    d.seen.agree = d.seen.agree && leaf.agrees;
  }
  return std::move(found.reason);
}

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

// Reduces two parts of dimension d, then their results.
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

// Splits into even and odd elements, as vector lanes do.
void Deal(HloInstruction& reduce) {
  const DimVector& dims = reduce.attributes<DimensionsAttributes>().dimensions;
  const Shape& shape = reduce.operand(0)->shape();
  const int64_t d = *std::max_element(dims.begin(), dims.end()), size = shape.dimensions(d);
  if (size >= 2) Split(reduce, d, {{0, size, 2}, {1, size, 2}});
}

// Reverses the array, and with it the order of the windows.
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

// Reduces from the identity and combines the initial value last. Only for sums and products.
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

// For a reduction of one element.
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

// Adds sums and products that may overflow: the order of 0 * 2^100 * 2^100 decides between 0 and NaN. The empty reason
// means that the results must show the overflow.
void AddOverflowCandidates(const HloModule& module, std::vector<OpenSemantics>& all) {
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

std::string Reason(const HloInstruction& i, Rewrite apply) {
  return Format("HLO does not specify the {} of {}, and another choice changes the result of its reducer {}",
                apply == Reverse || apply == ReverseWindows ? "order" : "grouping and the number of initial values",
                i.name(), i.to_apply()->name());
}

bool AgreeButForRounding(const Results& a, const Results& b) {
  bool agree = a.size() == b.size();
  for (size_t d = 0; agree && d < a.size(); ++d) agree = Compare(a[d], b[d], {}, {}).agree;
  return agree;
}

// Runs the module by the reference with one instruction replaced.
class Variants {
 public:
  explicit Variants(const ResultDifference& d)
      : subject_(d.before),
        set_(d.set),
        arguments_(d.before.ArgumentsOf(d.set)),
        base_(d.before.ReferenceResult(d.set)) {}

  bool can_run() { return base_.ok() && ++tried_ <= kMaxTried; }
  StatusOr<Results> Run(const HloInstruction& i, Rewrite apply) const {
    std::unique_ptr<HloModule> variant = subject_.module().Clone();
    variant->config().is_scheduled = false;
    apply(*variant->FindComputation(i.parent()->name())->FindInstruction(i.name()));
    return Run(*variant);
  }
  StatusOr<Results> Run(const HloModule& module) const {
    return subject_.RunReference(module, arguments_, /*whatever_it_takes=*/false);
  }
  // Returns whether the results differ by more than rounding.
  bool Changes(const StatusOr<Results>& results) const {
    return results.ok() && !subject_.CompareWithReference(*results, set_).agree;
  }

 private:
  ModuleUnderTest& subject_;
  size_t set_;
  Arguments arguments_;
  const StatusOr<Results>& base_;
  int tried_ = 0;
};

Unspecified FindRng(const ResultDifference& d) {
  const HloModule& module = d.before.module();
  // XLA expands rng with a state of the module, so the state differs too. Modules with equal numbers of rng operations
  // draw the same numbers.
  if (CountOf(d.after.module(), {HloOpcode::kRng}) >= CountOf(module, {HloOpcode::kRng})) return {};
  const HloInstruction* rng = nullptr;
  for (const HloInstruction* i : SourcesOf(module, d.seen)) {
    const bool drawn = i->opcode() == HloOpcode::kRng || i->opcode() == HloOpcode::kRngGetAndUpdateState;
    if (drawn && (rng == nullptr || i->id() < rng->id())) rng = i;
  }
  if (rng == nullptr) return {};
  return {rng,
          Format("HLO does not specify the numbers of {}, and the other module computes different ones", rng->name())};
}

Unspecified FindFormula(const ResultDifference& d) {
  const std::vector<ReferenceFormula> formulas = FindReferenceFormulas(d.before.module(), d.after.module());
  if (formulas.empty()) return {};
  const std::unordered_set<const HloInstruction*> sources = SourcesOf(d.before.module(), d.seen);
  Variants variants(d);
  std::optional<StatusOr<Results>> others;
  for (const ReferenceFormula& formula : formulas) {
    if (sources.count(formula.instruction) == 0 || !variants.can_run()) continue;
    if (formula.is_known && !others) others = variants.Run(d.after.module());
    for (const Rewrite apply : formula.variants) {
      const StatusOr<Results> results = variants.Run(*formula.instruction, apply);
      const bool found = formula.is_known ? results.ok() && others->ok() && AgreeButForRounding(*results, **others)
                                          : variants.Changes(results);
      if (found) return {formula.instruction, "HLO does not specify " + formula.unspecified_part};
    }
  }
  return {};
}

bool ShowsNonfinite(const Comparison& seen) {
  return std::any_of(seen.leaves.begin(), seen.leaves.end(),
                     [](const LeafDifference& leaf) { return leaf.nonfinite > 0; });
}

// `overflows`: whether the order matters only because numbers overflow.
Unspecified FindOrder(const ResultDifference& d, bool& overflows) {
  const HloModule& module = d.before.module();
  std::vector<OpenSemantics> all = FindAllOpenSemantics(module);
  const bool shows = ShowsNonfinite(d.seen);
  // The other engine's result, if any: the order may explain it if intermediate values overflow.
  const Results* other = d.by_other || d.between == Between::kEngines ? d.b : nullptr;
  if (shows || other != nullptr) AddOverflowCandidates(module, all);
  if (all.empty()) return {};
  const std::unordered_set<const HloInstruction*> sources = SourcesOf(module, d.seen);
  Variants variants(d);
  Unspecified untried;
  for (const OpenSemantics& open : all) {
    const HloInstruction* i = open.instruction;
    if (sources.count(i) == 0) continue;
    const std::vector<Rewrite> rewrites = VariantsOf(open);
    if (rewrites.empty() && i->opcode() != HloOpcode::kReduce && untried.source == nullptr && !open.reason.empty())
      untried = {i, Format("HLO does not specify the result of {}: {}", i->name(), open.reason)};
    if (rewrites.empty() || !variants.can_run()) continue;
    for (const Rewrite apply : rewrites) {
      const StatusOr<Results> results = variants.Run(*i, apply);
      if (!variants.Changes(results)) continue;
      // If the results have no infinity or NaN, only a variant that gives the other engine's result is evidence.
      if (open.reason.empty() && !shows && !AgreeButForRounding(*results, *other)) continue;
      overflows = open.reason.empty();
      return {i, Reason(*i, apply)};
    }
  }
  // Other instructions have no variants; it is sufficient that HLO does not specify them.
  return d.before.ReferenceResult(d.set).ok() ? untried : Unspecified();
}

Unspecified FindOrderThatMatters(const ResultDifference& d) {
  bool overflows = false;
  Unspecified order = FindOrder(d, overflows);
  if (!overflows || d.between == Between::kEngines) return order;
  // NaN and infinities that also differ without large numbers need an order that matters there.
  const std::optional<Context> tame = WithoutExtremes(d.before.context(), d.set, d.before.module());
  if (!tame) return order;
  ModuleUnderTest x(d.before.module(), *tame), y(d.after.module(), *tame);
  const StatusOr<Results>&a = x.Result(0), &b = y.Result(0);
  if (!a.ok() || !b.ok()) return order;
  const ResultDifference rest{Between::kModules, 0, x, y, &*a, &*b, Judge(*a, x, *b, y, 0, /*exact=*/false)};
  return ShowsNonfinite(rest.seen) && FindOrder(rest, overflows).source == nullptr ? Unspecified() : order;
}

}  // namespace

std::string UnspecifiedRng(ResultDifference& d) { return Take(FindRng(d), d); }
std::string UnspecifiedFormula(ResultDifference& d) { return Take(FindFormula(d), d); }
std::string UnspecifiedOrder(ResultDifference& d) { return Take(FindOrderThatMatters(d), d); }

}  // namespace hloir::check
