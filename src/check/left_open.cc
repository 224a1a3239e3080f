// See left_open.h. A reduce is replaced by one that HLO says is the same: over the elements in reverse, then over two
// parts one by one and over their results (the two halves, or every second element and the others), or with the initial
// value last; a reduce-window by one over the elements in reverse. If the module then gives something else, the value
// was never determined. An rng has no variants: it is open where the other module has none for it. Covered by
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
#include "hloir/analysis/open_semantics.h"
#include "hloir/builder.h"
#include "hloir/rewrite/rules.h"
#include "support/format.h"

namespace hloir::check {
namespace {

constexpr int kMaxReduces = 16;  // that are tried

bool IsReduce(const HloInstruction& i) {
  if (i.opcode() != HloOpcode::kReduce) return false;
  const DimVector& dims = i.attributes<DimensionsAttributes>().dimensions;
  const Shape& shape = i.operand(0)->shape();
  return !dims.empty() && shape.IsStatic() && shape.dimensions(dims[0]) >= 2;
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

bool IsSolver(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kCholesky || i.opcode() == HloOpcode::kTriangularSolve;
}

// Of a matrix that is not positive definite, or has a 0 on its diagonal, a solver gives `number`. (The reference's
// cholesky gives NaN.)
template <int number>
void OutsideItsDomain(HloInstruction& solver) {
  const bool factors = solver.opcode() == HloOpcode::kCholesky;
  const Operands operands(solver.operands().begin(), solver.operands().end());
  HloInstruction* clone = solver.parent()->AddClone(solver, operands);
  HloBuilder b(&solver);
  const HloBuilder::Op size = b.Abs(factors ? clone : operands[0]);
  const Shape& shape = size->shape();
  const int64_t rows = shape.rank() - 2, columns = shape.rank() - 1;
  HloBuilder::Op bad = b.Not(b.IsFinite(size));
  if (!factors) bad = b.Or(bad, b.Compare(size, b.Full(shape, 0), ComparisonDirection::kEq));
  const Shape places = Shape::Array(PrimitiveType::S32, shape.dimensions());
  bad = b.And(bad, b.Compare(b.Iota(places, rows), b.Iota(places, columns), ComparisonDirection::kEq));
  HloComputation* either = MakeReducer(*solver.module(), HloOpcode::kOr, PrimitiveType::PRED);
  const HloBuilder::Op any = b.Reduce(bad, b.Constant(false), {rows, columns}, either);
  DimVector batch;
  for (int64_t d = 0; d < rows; ++d) batch.push_back(d);
  const HloBuilder::Op spread = b.Broadcast(any, solver.shape().dimensions(), batch);
  const HloBuilder::Op result = b.Select(spread, b.Full(solver.shape(), number), clone);
  if (b.status().ok()) solver.ReplaceAllUsesWith(result);
}

// Those that the other module may have written out, which is another solver.
void AddSolvers(const HloModule& module, std::vector<OpenSemantics>& all) {
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      const bool reads_diagonal =
          i->opcode() != HloOpcode::kTriangularSolve || !i->attributes<TriangularSolveAttributes>().unit_diagonal;
      if (IsSolver(*i) && reads_diagonal) all.push_back({i, ""});
    }
  }
}

// Sums and products that run over: of 0 * 2^100 * 2^100 the order decides whether it is 0 or NaN. Without a reason, as
// whether they do has to show.
void AddThoseThatMayOverflow(const HloModule& module, std::vector<OpenSemantics>& all) {
  std::unordered_set<const HloInstruction*> known;
  for (const OpenSemantics& open : all) known.insert(open.instruction);
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i : computation->instructions()) {
      if (i->opcode() != HloOpcode::kReduce && i->opcode() != HloOpcode::kReduceWindow) continue;
      const PrimitiveType type = i->operand(0)->shape().element_type();
      if ((IsFloat(type) || IsComplex(type)) && known.count(i) == 0) all.push_back({i, ""});
    }
  }
}

using Rewrite = void (*)(HloInstruction&);
std::vector<Rewrite> VariantsOf(const OpenSemantics& open) {
  const HloInstruction& i = *open.instruction;
  if (IsReduce(i)) return {Reverse, Halve, Deal, InitialValueLast};
  if (i.opcode() == HloOpcode::kReduceWindow && (open.reason.empty() || !IsAssociative(*i.to_apply())))
    return {ReverseWindows};
  if (IsSolver(i)) return {OutsideItsDomain<0>, OutsideItsDomain<1>};
  return {};
}

std::string Explanation(const HloInstruction& i, Rewrite apply) {
  if (IsSolver(i))
    return Format("HLO leaves open what {} gives of a matrix that {}", i.name(),
                  i.opcode() == HloOpcode::kCholesky ? "is not positive definite" : "is singular");
  return Format("HLO leaves open {} {} combines, and its reducer {} gives another result then",
                apply == Reverse || apply == ReverseWindows ? "in which order"
                                                            : "in which groups and with how many initial values",
                i.name(), i.to_apply()->name());
}

int64_t CountRngs(const HloModule& module) {
  int64_t count = 0;
  for (const HloComputation* computation : module.computations()) {
    if (!computation->MayHave(HloOpcode::kRng)) continue;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next())
      count += i->opcode() == HloOpcode::kRng ? 1 : 0;
  }
  return count;
}

// If `other` has fewer rng, and so wrote some out: an instruction on whose open numbers each leaf depends that does not
// agree. XLA writes them out with the module's state, so that the state is another too. Where both have as many, both
// have the same numbers.
std::string NumbersOfItsOwn(const HloModule& module, const HloModule& other, const Comparison& seen) {
  if (CountRngs(other) >= CountRngs(module)) return "";
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
  if (!SolveAlike(module, other)) AddSolvers(module, all);
  if (all.empty()) return "";
  const std::unordered_set<const HloInstruction*> sources = SourcesOf(module, seen);
  const StatusOr<Results>& base = subject.ReferenceResult(set);
  const Arguments arguments = subject.ArgumentsOf(set);
  int tried = 0;
  std::string untried;
  for (const OpenSemantics& open : all) {
    const HloInstruction* i = open.instruction;
    if (sources.count(i) == 0) continue;
    const std::vector<Rewrite> variants = VariantsOf(open);
    if (variants.empty() && i->opcode() != HloOpcode::kReduce && untried.empty() && !open.reason.empty())
      untried = Format("HLO leaves open what {} gives: {}", i->name(), open.reason);
    if (variants.empty() || !base.ok() || ++tried > kMaxReduces) continue;
    for (const Rewrite apply : variants) {
      std::unique_ptr<HloModule> variant = module.Clone();
      variant->config().is_scheduled = false;
      apply(*variant->FindComputation(i->parent()->name())->FindInstruction(i->name()));
      const StatusOr<Results> results = subject.RunReference(*variant, arguments, /*whatever_it_takes=*/false);
      if (!results.ok() || subject.CompareWithReference(*results, set).agree) continue;
      // Where no infinity or NaN shows, only one that was there on the way, and gives just this, has to do with it.
      if (open.reason.empty() && !shows && !IsSolver(*i) && !AgreeButForRounding(*results, *result)) continue;
      return Explanation(*i, apply);
    }
  }
  // Of others there is no such variant: that they are open has to do.
  return base.ok() ? untried : "";
}

}  // namespace hloir::check
