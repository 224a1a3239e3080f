// See hloir/cost.h. The opcode table has the costs of elementwise ops. Other ops have a rule, unless they only read all
// operands and write the result.
#include "hloir/cost.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "analysis/custom_call_cost.h"
#include "analysis/execution_counts.h"
#include "analysis/unbounded.h"
#include "hloir/detail/steps.h"
#include "hloir/analysis.h"

namespace hloir {

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  transcendentals += other.transcendentals;
  bytes += other.bytes;
  return *this;
}
Cost operator*(Cost cost, double times) {
  return {cost.flops * times, cost.transcendentals * times, cost.bytes * times};
}
double CostAnalysis::Bytes::Sum() const { return std::accumulate(operands.begin(), operands.end(), output); }

namespace {

using Bytes = CostAnalysis::Bytes;

double Elements(const Shape& shape) {
  double elements = 0;
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->IsArray()) elements += static_cast<double>(leaf->ElementCount());
  }
  return elements;
}
const Shape& FirstShape(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_size() > 0 ? shape.tuple_shapes(0) : shape;
}
// The bytes of an array in memory: packed if its layout is; including the actual sizes, an s32 each, if it is dynamic.
double SizeOfLeaf(const Shape& leaf) {
  double bytes = static_cast<double>(leaf.ByteSize());
  if (!leaf.IsArray()) return bytes;
  const int64_t bits = leaf.has_layout() ? leaf.layout().extras().element_size_in_bits : 0;
  if (bits > 0) bytes = std::ceil(static_cast<double>(leaf.ElementCount()) * static_cast<double>(bits) / 8);
  if (!leaf.IsStatic()) bytes += 4.0 * static_cast<double>(leaf.rank());
  return bytes;
}
// The number of elements, summed over the arrays of a tuple.
double Size(const Shape& shape) {
  if (!shape.IsTuple()) return SizeOfLeaf(shape);
  double bytes = 0;
  for (const Shape* leaf : shape.Leaves()) bytes += SizeOfLeaf(*leaf);
  return bytes;
}
// A tuple itself is a table of pointers.
double TableSize(const Shape& tuple) { return 8.0 * static_cast<double>(tuple.tuple_size()); }
double SizeRead(const Shape& operand) { return operand.IsTuple() ? TableSize(operand) : Size(operand); }

Bytes DefaultBytes(const HloInstruction& i) {
  Bytes bytes;
  for (const HloInstruction* operand : i.operands()) bytes.operands.push_back(SizeRead(operand->shape()));
  bytes.output = Size(i.shape());
  return bytes;
}

// ---- Ops that read parts of operands or write parts of the result.

void NoBytes(const HloInstruction&, Bytes& bytes) {
  std::fill(bytes.operands.begin(), bytes.operands.end(), 0);
  bytes.output = 0;
}
void TupleBytes(const HloInstruction& i, Bytes& bytes) {
  NoBytes(i, bytes);
  bytes.output = TableSize(i.shape());
}
// A transpose that matches the change of layout moves no element.
void TransposeBytes(const HloInstruction& i, Bytes& bytes) {
  const auto minor_to_major = [](const Shape& shape) {
    return (shape.has_layout() ? shape : shape.WithDefaultLayout()).layout().minor_to_major();
  };
  const DimVector from = minor_to_major(i.operand(0)->shape()), to = minor_to_major(i.shape());
  if (from.size() != to.size()) return;
  for (size_t k = 0; k < to.size(); ++k) {
    if (i.dimensions()[static_cast<size_t>(to[k])] != from[k]) return;
  }
  NoBytes(i, bytes);
}
// Ops that read as many bytes as they write: slice, dynamic-slice, gather.
void SliceBytes(const HloInstruction&, Bytes& bytes) { bytes.operands[0] = bytes.output; }
// Counts the first of several index operands only.
void OneIndex(size_t first, Bytes& bytes) {
  for (size_t k = first + 1; k < bytes.operands.size(); ++k) bytes.operands[k] = 0;
}
void DynamicSliceBytes(const HloInstruction& i, Bytes& bytes) {
  SliceBytes(i, bytes);
  OneIndex(1, bytes);
}
void DynamicUpdateSliceBytes(const HloInstruction&, Bytes& bytes) {
  bytes.operands[0] = 0;  // the rest of the array is not moved
  bytes.output = bytes.operands[1];
  OneIndex(2, bytes);
}
// Only the updated part is read and written.
void ScatterBytes(const HloInstruction& i, Bytes& bytes) {
  const size_t arrays = static_cast<size_t>(i.operand_count() - 1) / 2;
  bytes.output = 0;
  for (size_t k = 0; k < arrays; ++k) bytes.output += bytes.operands[k] = bytes.operands[arrays + 1 + k];
}
// Half of a triangular matrix.
void TriangularSolveBytes(const HloInstruction&, Bytes& bytes) { bytes.operands[0] /= 2; }
void CholeskyBytes(const HloInstruction&, Bytes& bytes) {
  bytes.operands[0] /= 2;
  bytes.output /= 2;
}

constexpr int kMaxNesting = 32;  // of fusions in fusions

// The bytes that a fusion reads of `value`, a parameter or an element of one: each slice is a read, and all users of
// the whole share one read.
double BytesReadInFusion(const HloInstruction& value, int nesting) {
  const double whole = Size(value.shape());
  double bytes = 0;
  bool read_whole = false;
  for (const HloInstruction* user : value.users()) {
    switch (user->opcode()) {
      case HloOpcode::kSlice: bytes += Size(user->shape()); continue;
      case HloOpcode::kBroadcast:
      case HloOpcode::kReshape: bytes += whole; continue;
      case HloOpcode::kDynamicSlice:
        if (user->operand(0) != &value) break;
        bytes += Size(user->shape());
        continue;
      case HloOpcode::kDynamicUpdateSlice:
        if (user->operand(0) == &value) continue;
        break;
      case HloOpcode::kFusion:
        if (nesting >= kMaxNesting) break;
        for (int64_t k = 0; k < user->operand_count(); ++k) {
          if (user->operand(k) == &value) {
            bytes += BytesReadInFusion(*user->fused_computation()->parameter(k), nesting + 1);
          }
        }
        continue;
      default: break;  // reads the whole value
    }
    if (!read_whole) bytes += whole;
    read_whole = true;
  }
  return bytes;
}
// The bytes that a fusion writes for a value of its root: for an update in place, the update.
double BytesWrittenByFusion(const HloInstruction& value) {
  return Size(value.opcode() == HloOpcode::kDynamicUpdateSlice ? value.operand(1)->shape() : value.shape());
}
void FusionBytes(const HloInstruction& i, Bytes& bytes) {
  const HloComputation& body = *i.fused_computation();
  for (int64_t k = 0; k < i.operand_count() && k < body.parameter_count(); ++k) {
    const HloInstruction& parameter = *body.parameter(k);
    double& read = bytes.operands[static_cast<size_t>(k)] = 0;
    if (!parameter.shape().IsTuple()) {
      read = BytesReadInFusion(parameter, 0);
      continue;
    }
    for (const HloInstruction* user : parameter.users()) {
      const bool by_element = user->opcode() == HloOpcode::kGetTupleElement;
      read += by_element ? BytesReadInFusion(*user, 0) : Size(parameter.shape());
    }
  }
  bytes.output = 0;
  const HloInstruction& root = *body.root();
  if (root.opcode() != HloOpcode::kTuple) bytes.output = BytesWrittenByFusion(root);
  else
    for (const HloInstruction* element : root.operands()) bytes.output += BytesWrittenByFusion(*element);
}

// ---- Operations. `called`: the costs of the called computations, in order.

using Called = std::span<const Cost>;
Cost Flops(double flops) { return {flops, 0, 0}; }
Cost Times(const Cost& called, double times) { return {called.flops * times, called.transcendentals * times, 0}; }

Cost DotCost(const HloInstruction& i, const DimVector& contracting) {
  double width = 1;
  for (int64_t d : contracting) width *= static_cast<double>(i.operand(0)->shape().dimensions(d));
  return Flops(2 * width * Elements(i.shape()));
}
Cost DotCost(const HloInstruction& i, Called) { return DotCost(i, i.attributes<DotAttributes>().lhs_contracting_dims); }
Cost RaggedDotCost(const HloInstruction& i, Called) {
  return DotCost(i, i.attributes<RaggedDotAttributes>().lhs_contracting_dims);
}

// The number of positions of a window along one dimension whose `tap` is an element of the input, not padding or a hole
// of dilation.
double PositionsInInput(const WindowDimension& w, int64_t input, int64_t output, int64_t tap) {
  // Position p reads p * stride + offset, which must be k * base_dilation with 0 <= k < input.
  const __int128 offset = static_cast<__int128>(tap) * w.window_dilation - w.padding_low;
  const __int128 last = static_cast<__int128>(input - 1) * w.base_dilation;
  const __int128 stride = w.stride;
  __int128 begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const __int128 end = last < offset ? 0 : std::min<__int128>(output, (last - offset) / stride + 1);
  // Positions on an element repeat with `period`; the first is below it.
  const int64_t period = w.base_dilation / std::gcd(w.base_dilation, w.stride);
  const __int128 searched = std::min(end, begin + period);
  while (begin < searched && (begin * stride + offset) % w.base_dilation != 0) ++begin;
  return begin < searched ? static_cast<double>((end - begin + period - 1) / period) : 0;
}

Cost ConvolutionCost(const HloInstruction& i, Called) {
  const ConvolutionAttributes& a = i.attributes<ConvolutionAttributes>();
  return Flops(ConvolutionFlops(i.operand(0)->shape(), i.operand(1)->shape(), i.shape(), a.window, a.dim_labels));
}

double WindowSize(const HloInstruction& i) {
  double size = 1;
  for (const WindowDimension& d : i.attributes<WindowAttributes>().window) size *= static_cast<double>(d.size);
  return size;
}
// n values are joined by n - 1 calls.
Cost ReduceCost(const HloInstruction& i, Called called) {
  return Times(called[0], Elements(i.operand(0)->shape()) - Elements(FirstShape(i.shape())));
}
Cost ReduceWindowCost(const HloInstruction& i, Called called) {
  return Times(called[0], (WindowSize(i) - 1) * Elements(FirstShape(i.shape())));
}
Cost SelectAndScatterCost(const HloInstruction& i, Called called) {
  const double sources = Elements(i.operand(1)->shape());
  Cost cost = Times(called[0], sources * (WindowSize(i) - 1));
  cost += Times(called[1], sources);
  return cost;
}
Cost MapCost(const HloInstruction& i, Called called) { return Times(called[0], Elements(i.shape())); }
Cost ScatterCost(const HloInstruction& i, Called called) {
  const int64_t first_update = (i.operand_count() + 1) / 2;
  return Times(called[0], Elements(i.operand(first_update)->shape()));
}
Cost ScanCost(const HloInstruction&, Called called) { return Times(called[0], 1); }
// By comparisons, n log n.
Cost SortCost(const HloInstruction& i, Called) {
  const double n = Elements(i.operand(0)->shape());
  return Flops(n <= 1 ? 0 : n * std::ceil(std::log2(n)));
}
Cost FftCost(const HloInstruction& i, Called) {
  double log = 1;
  for (int64_t length : i.attributes<FftAttributes>().fft_length) {
    log *= length < 1 ? 0 : static_cast<double>(std::bit_width(static_cast<uint64_t>(length)) - 1);
  }
  return Flops(8 * log * Elements(i.operand(0)->shape()));  // a complex multiply-add is 8
}
double LastDimension(const Shape& shape) {
  return shape.rank() == 0 ? 1 : static_cast<double>(shape.dimensions(shape.rank() - 1));
}
Cost CholeskyCost(const HloInstruction& i, Called) {
  const Shape& a = i.operand(0)->shape();
  return Flops(std::floor(LastDimension(a) * Elements(a) / 3));
}
Cost TriangularSolveCost(const HloInstruction& i, Called) {
  return Flops(2 * LastDimension(i.operand(0)->shape()) * Elements(i.operand(1)->shape()));
}
Cost RandomCost(const HloInstruction& i, Called) { return {0, Elements(i.shape()), 0}; }
// Counted as for two devices: one addition per element.
Cost AllReduceCost(const HloInstruction& i, Called) { return Flops(Elements(i.shape())); }
// Computations that run once per execution of the instruction.
Cost CalledCost(const HloInstruction&, Called called) {
  Cost cost;
  for (const Cost& each : called) cost += each;
  return cost;
}
// The maximum over the branches, separately for each number.
Cost ConditionalCost(const HloInstruction&, Called called) {
  Cost cost;
  for (const Cost& branch : called) {
    const auto larger = [](double a, double b) { return std::isnan(b) || b > a ? b : a; };
    cost.flops = larger(cost.flops, branch.flops);
    cost.transcendentals = larger(cost.transcendentals, branch.transcendentals);
    cost.bytes = larger(cost.bytes, branch.bytes);
  }
  return cost;
}

Cost CustomCallCost(const HloInstruction& i, Called) {
  const std::optional<CustomCallModel> model = ModelOf(i);
  return model ? model->operations : Cost();
}
void CustomCallBytes(const HloInstruction& i, Bytes& bytes) {
  const std::optional<CustomCallModel> model = ModelOf(i);
  if (!model || !model->moves) NoBytes(i, bytes);
}

struct Rule {
  HloOpcode opcode;
  Cost (*cost)(const HloInstruction&, Called) = nullptr;   // nullptr: by the opcode table; bytes are its callees'
  void (*bytes)(const HloInstruction&, Bytes&) = nullptr;  // nullptr: all of the operands and of the result
};
constexpr Rule kCostRules[] = {
    {HloOpcode::kParameter, nullptr, NoBytes},
    {HloOpcode::kConstant, nullptr, NoBytes},
    {HloOpcode::kGetTupleElement, nullptr, NoBytes},
    {HloOpcode::kBitcast, nullptr, NoBytes},
    {HloOpcode::kAfterAll, nullptr, NoBytes},
    {HloOpcode::kDomain, nullptr, NoBytes},
    {HloOpcode::kCustomCall, CustomCallCost, CustomCallBytes},
    {HloOpcode::kTuple, nullptr, TupleBytes},
    {HloOpcode::kAddDependency, nullptr, NoBytes},
    {HloOpcode::kTranspose, nullptr, TransposeBytes},
    {HloOpcode::kSlice, nullptr, SliceBytes},
    {HloOpcode::kDynamicSlice, nullptr, DynamicSliceBytes},
    {HloOpcode::kGather, nullptr, SliceBytes},
    {HloOpcode::kDynamicUpdateSlice, nullptr, DynamicUpdateSliceBytes},
    {HloOpcode::kScatter, ScatterCost, ScatterBytes},
    {HloOpcode::kDot, DotCost},
    {HloOpcode::kScaledDot, DotCost},
    {HloOpcode::kRaggedDot, RaggedDotCost},
    {HloOpcode::kConvolution, ConvolutionCost},
    {HloOpcode::kReduce, ReduceCost},
    {HloOpcode::kReduceWindow, ReduceWindowCost},
    {HloOpcode::kSelectAndScatter, SelectAndScatterCost},
    {HloOpcode::kMap, MapCost},
    {HloOpcode::kScan, ScanCost},
    {HloOpcode::kSort, SortCost},
    {HloOpcode::kFft, FftCost},
    {HloOpcode::kCholesky, CholeskyCost, CholeskyBytes},
    {HloOpcode::kTriangularSolve, TriangularSolveCost, TriangularSolveBytes},
    {HloOpcode::kRng, RandomCost},
    {HloOpcode::kRngBitGenerator, RandomCost},
    {HloOpcode::kAllReduce, AllReduceCost},
    {HloOpcode::kAllReduceStart, AllReduceCost},
    {HloOpcode::kCall, CalledCost, NoBytes},
    {HloOpcode::kWhile, CalledCost, NoBytes},
    {HloOpcode::kConditional, ConditionalCost, NoBytes},
    {HloOpcode::kAsyncStart, CalledCost, NoBytes},
    {HloOpcode::kFusion, CalledCost, FusionBytes},
};
constexpr std::array<Rule, kOpcodeCount> kRuleOf = [] {
  std::array<Rule, kOpcodeCount> rules{};
  for (const Rule& rule : kCostRules) rules[static_cast<size_t>(rule.opcode)] = rule;
  return rules;
}();
const Rule& RuleOf(const HloInstruction& i) { return kRuleOf[static_cast<size_t>(i.opcode())]; }

// Its cost without the bytes that it moves itself.
Cost CostWithCallees(const HloInstruction& i, Called called) {
  if (auto cost = RuleOf(i).cost) return cost(i, called);
  if (!i.Is(kElementwise) || i.Is(kMovesData) || !i.shape().IsArray()) return {};
  const double elements = Elements(i.shape());
  return i.Is(kTranscendental) ? Cost{0, elements, 0} : Flops(elements);
}

// The cost of an instruction with an array of unknown size.
Bytes UnboundedBytes(const HloInstruction& i) {
  Bytes bytes = DefaultBytes(i);
  if (CostClass(i.opcode()) == OpCost::kFree || i.Is(kControlFlow)) {
    NoBytes(i, bytes);
    return bytes;
  }
  for (size_t k = 0; k < bytes.operands.size(); ++k)
    if (IsUnbounded(i.operand(static_cast<int64_t>(k))->shape())) bytes.operands[k] = kUnknownCost;
  if (IsUnbounded(i.shape())) bytes.output = kUnknownCost;
  return bytes;
}
Cost UnboundedCost(const HloInstruction& i, Called called) {
  if (i.Is(kControlFlow) || IsOneOf(i.opcode(), HloOpcode::kFusion, HloOpcode::kAsyncStart))
    return CostWithCallees(i, called);
  if (CostClass(i.opcode()) == OpCost::kFree || i.Is(kMovesData)) return {};
  return i.Is(kTranscendental) ? Cost{0, kUnknownCost, 0} : Flops(kUnknownCost);
}

Bytes MovedBytes(const HloInstruction& i) {
  if (TouchesUnbounded(i)) return UnboundedBytes(i);
  Bytes bytes = DefaultBytes(i);
  if (auto adjust = RuleOf(i).bytes) adjust(i, bytes);
  return bytes;
}

}  // namespace

double ConvolutionFlops(const Shape& input, const Shape& kernel, const Shape& output, const Window& window,
                        const ConvDimensionNumbers& d) {
  double positions = 1;
  constexpr int64_t kMostSteps = 1 << 20;  // beyond, padding and dilation are counted as if they were elements
  for (size_t k = 0; k < window.size(); ++k) {
    const WindowDimension& w = window[k];
    const int64_t in = input.dimensions(d.input_spatial[k]), out = output.dimensions(d.output_spatial[k]);
    if (w.stride < 1 || w.base_dilation < 1 || w.size < 1 || in < 1 || w.size > kMostSteps ||
        w.base_dilation > kMostSteps / w.size) {
      positions *= static_cast<double>(w.size) * static_cast<double>(out);
      continue;
    }
    double here = 0;
    for (int64_t tap = 0; tap < w.size; ++tap) here += PositionsInInput(w, in, out, tap);
    positions *= here;
  }
  const double features_in = static_cast<double>(kernel.dimensions(d.kernel_input_feature));
  const double features_out = static_cast<double>(output.dimensions(d.output_feature));
  return 2 * positions * features_in * features_out * static_cast<double>(output.dimensions(d.output_batch));
}

CostAnalysis::Bytes CostAnalysis::BytesOf(const HloInstruction& instruction) const { return MovedBytes(instruction); }

namespace {

// MovedBytes(i).Sum(), mostly without a table of its operands.
double SumOfMovedBytes(const HloInstruction& i, bool unbounded) {
  if (RuleOf(i).bytes != nullptr || unbounded) return MovedBytes(i).Sum();
  double sum = Size(i.shape());
  for (const HloInstruction* operand : i.operands()) sum += SizeRead(operand->shape());
  return sum;
}

// Without the computations that it calls: a call, loop, conditional or fusion costs nothing itself.
Cost CostAlone(const HloInstruction& i) {
  if (i.Is(kControlFlow) || IsOneOf(i.opcode(), HloOpcode::kFusion, HloOpcode::kAsyncStart)) return {};
  SmallVector<Cost, 2> called;
  for (size_t k = 0; k < i.called_computations().size(); ++k) called.push_back(Flops(1));
  const bool unbounded = TouchesUnbounded(i);
  Cost cost = (unbounded ? UnboundedCost : CostWithCallees)(i, {called.data(), called.size()});
  cost.bytes = SumOfMovedBytes(i, unbounded);
  return cost;
}

}  // namespace

int64_t StepsOf(const HloInstruction& instruction) {
  constexpr double kWorkOfAStep = 1024;
  constexpr double kMost = 0x1p40;  // the largest limit; the sum over a computation does not overflow
  const Cost cost = CostAlone(instruction);
  const double more = (cost.flops + cost.transcendentals + cost.bytes) / kWorkOfAStep;
  return more >= 1 ? 1 + static_cast<int64_t>(std::min(more, kMost)) : 1;  // NaN, of an unknown size, is 0
}

int64_t StepsOnce(const HloModule& module) {
  constexpr int64_t kMost = int64_t{1} << 60;
  int64_t steps = 0;
  for (const HloInstruction* i : module.AllInstructions()) steps = std::min(steps + StepsOf(*i), kMost);
  return steps;
}

CostResult CostAnalysis::Of(const HloInstruction& i) const {
  CostResult result;
  SmallVector<Cost, 2> once, repeated;
  for (const HloComputation* computation : i.called_computations()) {
    const CostResult& callee = Of(*computation);
    once.push_back(callee.once);
    repeated.push_back(callee.repeated);
    result.unknown_loops += callee.unknown_loops;
    result.custom_calls += callee.custom_calls;
  }
  if (i.opcode() == HloOpcode::kWhile) {
    const std::optional<int64_t> trips = TripCount(i);
    if (trips) {
      repeated[0] = repeated[0] * static_cast<double>(*trips + 1);  // the condition runs once more than the body
      repeated[1] = repeated[1] * static_cast<double>(*trips);
    } else {
      ++result.unknown_loops;
    }
  } else if (i.opcode() == HloOpcode::kScan && !i.dimensions().empty()) {
    repeated[0] = repeated[0] * static_cast<double>(i.operand(0)->shape().dimensions(i.dimensions()[0]));
  } else if (i.opcode() == HloOpcode::kCustomCall) {
    if (!ModelOf(i)) ++result.custom_calls;
  }
  const auto cost_of = TouchesUnbounded(i) ? UnboundedCost : CostWithCallees;
  result.once = cost_of(i, {once.data(), once.size()});
  result.repeated = cost_of(i, {repeated.data(), repeated.size()});
  // Fused values are not in memory; a computation called per element is counted by its caller.
  if (!i.Is(kControlFlow) && i.opcode() != HloOpcode::kAsyncStart) result.once.bytes = result.repeated.bytes = 0;
  const double bytes = BytesOf(i).Sum();
  result.once.bytes += bytes;
  result.repeated.bytes += bytes;
  return result;
}

const CostResult& CostAnalysis::Of(const HloComputation& computation) const {
  static const CostResult kNothing;
  const size_t id = static_cast<size_t>(computation.id());
  return id < computations_.size() ? computations_[id] : kNothing;
}

CostAnalysis::CostAnalysis(const HloModule& module) {
  for (const HloComputation* computation : module.PostOrder()) Update(*computation);
}

void CostAnalysis::Update(const HloComputation& computation) {
  CostResult sum;
  for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
    const CostResult cost = Of(*i);
    sum.once += cost.once;
    sum.repeated += cost.repeated;
    sum.unknown_loops += cost.unknown_loops;
    sum.custom_calls += cost.custom_calls;
  }
  const size_t id = static_cast<size_t>(computation.id());
  if (id >= computations_.size())
    computations_.resize(static_cast<size_t>(computation.module()->computation_id_limit()));
  computations_[id] = sum;
  if (computation.IsEntry()) total_ = sum;
}

// PostOrder has callees first.
std::vector<double> CountExecutions(const HloModule& module, const std::vector<int32_t>& branch) {
  const std::vector<const HloComputation*> order = module.PostOrder();
  std::vector<double> times(static_cast<size_t>(module.computation_id_limit()), 0);
  const auto of = [&](const HloComputation* c) -> double& { return times[static_cast<size_t>(c->id())]; };
  of(module.entry_computation()) = 1;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const double here = of(*it);
    if (here == 0 || (*it)->calling_count() == 0) continue;
    for (const HloInstruction* i = (*it)->first(); i != nullptr; i = i->next()) {
      if (!i->Is(kControlFlow) && i->opcode() != HloOpcode::kAsyncStart) continue;
      const std::optional<int64_t> trips = i->opcode() == HloOpcode::kWhile ? TripCount(*i) : std::nullopt;
      const int32_t only = branch.empty() ? -1 : branch[static_cast<size_t>(i->id())];
      int32_t at = 0;
      for (const HloComputation* callee : i->called_computations()) {
        if (only >= 0 && at++ != only) continue;
        double rounds = 1;
        if (trips) rounds = static_cast<double>(*trips) + (callee == i->while_condition() ? 1 : 0);
        of(callee) += here * rounds;
      }
    }
  }
  return times;
}
std::vector<double> ExecutionCounts(const HloModule& module) { return CountExecutions(module, {}); }

std::vector<bool> KnownExecutionCounts(const HloModule& module) {
  const std::vector<const HloComputation*> order = module.PostOrder();
  std::vector<bool> known(static_cast<size_t>(module.computation_id_limit()), true);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if ((*it)->calling_count() == 0) continue;
    const bool here = known[static_cast<size_t>((*it)->id())];
    for (const HloInstruction* i = (*it)->first(); i != nullptr; i = i->next()) {
      if (!i->Is(kControlFlow) && i->opcode() != HloOpcode::kAsyncStart) continue;
      if (here && (i->opcode() != HloOpcode::kWhile || TripCount(*i))) continue;
      for (const HloComputation* callee : i->called_computations()) known[static_cast<size_t>(callee->id())] = false;
    }
  }
  return known;
}

}  // namespace hloir
