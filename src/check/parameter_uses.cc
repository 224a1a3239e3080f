// See parameter_uses.h.
#include "check/parameter_uses.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace hloir::check {
namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

bool IsPlainCall(const HloInstruction& i) {
  return i.opcode() == HloOpcode::kCall || i.opcode() == HloOpcode::kFusion || i.opcode() == HloOpcode::kWhile;
}

bool KeepsOrder(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kSelect:  // selects let negative indices count from the end
    case HloOpcode::kConvert:
    case HloOpcode::kCopy:
    case HloOpcode::kBitcast:
    case HloOpcode::kReshape:
    case HloOpcode::kOptimizationBarrier:
    case HloOpcode::kTuple:
    case HloOpcode::kGetTupleElement:
    case HloOpcode::kCall:
    case HloOpcode::kFusion:
    case HloOpcode::kWhile:
    case HloOpcode::kParameter: return true;
    default: return false;  // other operations change the value
  }
}

// Calls `visit` for each operand part that an instruction moves to this place.
void ForEachSource(const Place& place, const std::function<void(const HloInstruction*, ShapeIndex)>& visit) {
  const HloInstruction& i = *place.instruction;
  switch (i.opcode()) {
    case HloOpcode::kSelect:
      visit(i.operand(1), place.index);
      visit(i.operand(2), place.index);
      break;
    case HloOpcode::kConvert:
    case HloOpcode::kCopy:
    case HloOpcode::kBitcast:
    case HloOpcode::kReshape:
    case HloOpcode::kBroadcast:
    case HloOpcode::kTranspose:
    case HloOpcode::kReverse:
    case HloOpcode::kSlice:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kGather:
    case HloOpcode::kOptimizationBarrier: visit(i.operand(0), place.index); break;
    case HloOpcode::kConcatenate:
    case HloOpcode::kSort:
      if (i.opcode() == HloOpcode::kSort && !place.index.empty()) {
        visit(i.operand(place.index[0]), {});
        break;
      }
      for (const HloInstruction* operand : i.operands()) visit(operand, {});
      break;
    case HloOpcode::kTuple:
      if (!place.index.empty())
        visit(i.operand(place.index[0]), ShapeIndex(place.index.begin() + 1, place.index.end()));
      break;
    case HloOpcode::kGetTupleElement: {
      ShapeIndex index{i.tuple_index()};
      for (int64_t k : place.index) index.push_back(k);
      visit(i.operand(0), std::move(index));
      break;
    }
    case HloOpcode::kCall:
    case HloOpcode::kFusion: visit(i.called_computations()[0]->root(), place.index); break;
    case HloOpcode::kWhile: visit(i.operand(0), place.index); break;
    case HloOpcode::kParameter:
      for (const HloInstruction* caller : i.parent()->callers()) {
        if (IsPlainCall(*caller) && i.parameter_number() < caller->operand_count())
          visit(caller->operand(i.parameter_number()), place.index);
      }
      break;
    default: break;  // other operations compute new values
  }
}

// Returns whether the value is a moved entry parameter.
bool IsParameterMoved(const HloInstruction* value) {
  constexpr int kMostSteps = 256;
  std::vector<Place> todo = {{value, {}}};
  for (int steps = 0; !todo.empty() && steps < kMostSteps; ++steps) {
    const Place place = std::move(todo.back());
    todo.pop_back();
    const HloInstruction& i = *place.instruction;
    if (i.IsParameter() && i.parent() == i.module()->entry_computation()) return true;
    ForEachSource(place, [&](const HloInstruction* source, ShapeIndex index) {
      todo.push_back({source, std::move(index)});
    });
  }
  return false;
}

const HloInstruction* Unmoved(const HloInstruction* i) {
  while (i->opcode() == HloOpcode::kBroadcast || i->opcode() == HloOpcode::kConvert ||
         i->opcode() == HloOpcode::kReshape)
    i = i->operand(0);
  return i;
}

// The number that the value is everywhere; NaN if it is no constant float.
double NumberOf(const HloInstruction* i) {
  i = Unmoved(i);
  if (!i->IsConstant() || !i->shape().IsArray() || !IsFloat(i->shape().element_type())) return std::nan("");
  if (i->literal().elided() || i->literal().element_count() == 0) return std::nan("");
  return i->literal().GetAsDouble(0);
}
// Powers with such an exponent are roots.
bool IsFraction(const HloInstruction* i) {
  const double value = NumberOf(i);
  return std::isfinite(value) && value != std::floor(value);
}
bool IsBetween0And1(const HloInstruction* i) {
  const double value = NumberOf(i);
  return value > 0 && value < 1;
}

// The factors of a product, also of a product of products, that it does not have an even number of times: the others
// are squared.
std::vector<const HloInstruction*> OddFactors(const HloInstruction& product) {
  constexpr int kMostSteps = 64;
  std::vector<const HloInstruction*> odd, todo = {&product};
  for (int steps = 0; !todo.empty(); ++steps) {
    const HloInstruction* i = todo.back();
    todo.pop_back();
    if (i->opcode() == HloOpcode::kMultiply && steps < kMostSteps) {
      todo.insert(todo.end(), i->operands().begin(), i->operands().end());
    } else if (const auto same = std::find(odd.begin(), odd.end(), i); same != odd.end()) {
      odd.erase(same);
    } else {
      odd.push_back(i);
    }
  }
  return odd;
}

}  // namespace

void BackWalk::Push(const HloInstruction* instruction, ShapeIndex index, int64_t number) {
  if (number == kUnbounded) return;
  auto [it, inserted] = numbers_.try_emplace({instruction->id(), index}, number);
  if (!inserted && it->second <= number) return;
  it->second = number;
  todo_.push_back({{instruction, std::move(index)}, number});
}

void BackWalk::Run(const HloModule& module) {
  // A place is revisited only for a smaller number; the limit bounds the cost of hostile graphs.
  const int64_t most = 64 * module.instruction_count() + 1024;  // which walks over all computations
  for (int64_t steps = 0; !todo_.empty() && steps < most; ++steps) {
    const auto [place, number] = std::move(todo_.back());
    todo_.pop_back();
    Step(place, number);
  }
}

const int64_t* BackWalk::Find(const HloInstruction* instruction, const ShapeIndex& index) const {
  const auto found = numbers_.find({instruction->id(), index});
  return found == numbers_.end() ? nullptr : &found->second;
}

bool BackWalk::Reaches(const HloInstruction* instruction) const {
  const auto found = numbers_.lower_bound({instruction->id(), {}});
  return found != numbers_.end() && found->first.first == instruction->id();
}

void BackWalk::Step(const Place& place, int64_t number) {
  const HloInstruction& i = *place.instruction;
  if (through_ == Through::kOrder && !KeepsOrder(i.opcode())) return;
  if (through_ == Through::kPositive) StepThroughArithmetic(i, number);
  ForEachSource(place, [&](const HloInstruction* source, ShapeIndex index) { Push(source, std::move(index), number); });
}

void BackWalk::StepThroughArithmetic(const HloInstruction& i, int64_t number) {
  switch (i.opcode()) {
    case HloOpcode::kMultiply:
      for (const HloInstruction* factor : OddFactors(i)) Push(factor, {}, number);
      break;
    case HloOpcode::kAdd:
    case HloOpcode::kDivide:
      Push(i.operand(0), {}, number);
      Push(i.operand(1), {}, number);
      break;
    case HloOpcode::kPower:  // such as 1 - b^t for a moment after t steps
      if (IsBetween0And1(i.operand(0))) Push(i.operand(1), {}, number);
      break;
    case HloOpcode::kSubtract:  // such as 1 - x for a probability
      if (Unmoved(i.operand(0))->IsConstant()) Push(i.operand(1), {}, number);
      break;
    case HloOpcode::kReduce:
      if (i.operand_count() == 2) Push(i.operand(0), {}, number);
      break;
    default: break;  // others may be positive for operands of any sign
  }
}

ParameterUses::ParameterUses(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions()) {
    AddIndices(*i);
    AddPositions(*i);
    AddWeights(*i);
    AddPositive(*i);
  }
  for (BackWalk* walk : {&bounds_, &positions_, &fan_in_, &positive_, &sorted_}) walk->Run(module);
  for (const HloInstruction* parameter : module.entry_computation()->parameters()) {
    has_typical_values_ = has_typical_values_ || fan_in_.Reaches(parameter) || positive_.Reaches(parameter);
  }
}

int64_t ParameterUses::IndexBound(const HloInstruction* parameter, const ShapeIndex& index) const {
  const int64_t* bound = bounds_.Find(parameter, index);
  return bound == nullptr ? -1 : std::max<int64_t>(*bound, 0);
}

int64_t ParameterUses::PositionBound(const HloInstruction* parameter, const ShapeIndex& index) const {
  const int64_t* bound = positions_.Find(parameter, index);
  return bound == nullptr ? -1 : *bound;
}

int64_t ParameterUses::FanIn(const HloInstruction* parameter, const ShapeIndex& index) const {
  const int64_t* negative = fan_in_.Find(parameter, index);
  return negative == nullptr ? 1 : -*negative;
}

bool ParameterUses::IsPositive(const HloInstruction* parameter, const ShapeIndex& index) const {
  return positive_.Find(parameter, index) != nullptr;
}

int64_t ParameterUses::SortedVectors(const HloInstruction* parameter, const ShapeIndex& index) const {
  const int64_t* size = sorted_.Find(parameter, index);
  return size == nullptr ? 0 : *size;
}

void ParameterUses::AddIndices(const HloInstruction& i) {
  switch (i.opcode()) {
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice: {
      const bool slice = i.opcode() == HloOpcode::kDynamicSlice;
      const Shape& whole = i.operand(0)->shape();
      const Shape& part = slice ? i.shape() : i.operand(1)->shape();
      const int64_t first = slice ? 1 : 2;
      for (int64_t k = first; k < i.operand_count(); ++k) {
        const int64_t d = k - first;
        if (i.operand(k)->shape().IsScalar() && d < whole.rank()) {
          bounds_.Push(i.operand(k), {}, whole.dimensions(d) - part.dimensions(d));
        } else if (d == 0) {  // the old form: one vector of indices
          int64_t bound = kUnbounded;
          for (int64_t e = 0; e < whole.rank(); ++e) bound = std::min(bound, whole.dimensions(e) - part.dimensions(e));
          bounds_.Push(i.operand(k), {}, bound);
        }
      }
      break;
    }
    case HloOpcode::kGather: {
      const auto& gather = i.attributes<GatherAttributes>();
      int64_t bound = kUnbounded;
      for (int64_t d : gather.start_index_map)
        bound = std::min(bound, i.operand(0)->shape().dimensions(d) - gather.slice_sizes[d]);
      bounds_.Push(i.operand(1), {}, bound);
      if (gather.indices_are_sorted) AddSorted(i.operand(1), gather.index_vector_dim);
      break;
    }
    case HloOpcode::kScatter: {
      const auto& scatter = i.attributes<ScatterAttributes>();
      const int64_t inputs = i.operand_count() / 2;
      const Shape &whole = i.operand(0)->shape(), &updates = i.operand(inputs + 1)->shape();
      int64_t bound = kUnbounded;
      for (int64_t d : scatter.scatter_dims_to_operand_dims) {
        // The window's size in dimension d: 1 if inserted, else the size of the corresponding window dimension of the
        // update.
        int64_t window = 1, place = 0;
        const auto skipped = [&](int64_t e) {
          return std::count(scatter.inserted_window_dims.begin(), scatter.inserted_window_dims.end(), e) > 0 ||
                 std::count(scatter.input_batching_dims.begin(), scatter.input_batching_dims.end(), e) > 0;
        };
        for (int64_t e = 0; e < d; ++e) place += !skipped(e);
        if (!skipped(d) && place < static_cast<int64_t>(scatter.update_window_dims.size()))
          window = updates.dimensions(scatter.update_window_dims[place]);
        bound = std::min(bound, whole.dimensions(d) - window);
      }
      bounds_.Push(i.operand(inputs), {}, bound);
      if (scatter.indices_are_sorted) AddSorted(i.operand(inputs), scatter.index_vector_dim);
      break;
    }
    default: break;  // no other operation has indices
  }
}

void ParameterUses::AddSorted(const HloInstruction* indices, int64_t index_vector_dim) {
  const Shape& shape = indices->shape();
  if (index_vector_dim == shape.rank()) return sorted_.Push(indices, {}, 1);
  if (index_vector_dim == shape.rank() - 1 && shape.dimensions(index_vector_dim) > 0)
    sorted_.Push(indices, {}, shape.dimensions(index_vector_dim));
}

void ParameterUses::AddPositions(const HloInstruction& i) {
  if (i.opcode() != HloOpcode::kCompare || !IsInteger(i.operand(0)->shape().element_type())) return;
  for (const int64_t side : {int64_t{0}, int64_t{1}}) {
    const HloInstruction* positions = Unmoved(i.operand(side));
    if (positions->opcode() != HloOpcode::kIota) continue;
    const int64_t size = positions->shape().dimensions(positions->attributes<IotaAttributes>().iota_dimension);
    if (size > 0) positions_.Push(i.operand(1 - side), {}, size - 1);
  }
}

void ParameterUses::AddWeights(const HloInstruction& i) {
  int64_t fan_in = 1;
  if (i.opcode() == HloOpcode::kConvolution) {
    const auto& convolution = i.attributes<ConvolutionAttributes>();
    const Shape& kernel = i.operand(1)->shape();
    fan_in =
        kernel.ElementCount() / std::max<int64_t>(1, kernel.dimensions(convolution.dim_labels.kernel_output_feature));
    if (fan_in > 1) fan_in_.Push(i.operand(1), {}, -fan_in);
    return;
  }
  if (i.opcode() != HloOpcode::kDot) return;
  const auto& dot = i.attributes<DotAttributes>();
  const HloInstruction *left = i.operand(0), *right = i.operand(1);
  for (const int64_t d : dot.lhs_contracting_dims) fan_in *= left->shape().dimensions(d);
  if (fan_in <= 1) return;
  // One parameter factor is sufficient. If both are parameters, the one of smaller rank is the weight.
  const bool right_first = right->shape().rank() <= left->shape().rank();
  const HloInstruction *weight = right_first ? right : left, *other = right_first ? left : right;
  if (!IsParameterMoved(weight)) weight = other;
  fan_in_.Push(weight, {}, -fan_in);
}

void ParameterUses::AddPositive(const HloInstruction& i) {
  switch (i.opcode()) {
    case HloOpcode::kSqrt:
    case HloOpcode::kRsqrt:
    case HloOpcode::kLog: positive_.Push(i.operand(0), {}, 0); break;
    case HloOpcode::kLog1p:
      positive_.Push(i.operand(0)->opcode() == HloOpcode::kNegate ? i.operand(0)->operand(0) : i.operand(0), {}, 0);
      break;
    case HloOpcode::kPower:
      if (IsFraction(i.operand(1))) positive_.Push(i.operand(0), {}, 0);
      break;
    case HloOpcode::kBatchNormInference: positive_.Push(i.operand(4), {}, 0); break;  // the variance
    default: break;                                                                   // defined everywhere
  }
}

}  // namespace hloir::check
