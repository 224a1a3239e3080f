// See partition_op.h. Indexed ops are in indexed.cc, ops that need neighbours' elements in window.cc.
#include "partition_op.h"

#include <algorithm>

#include "hloir/rewrite_util.h"
#include "hloir/rules.h"

namespace hloir::spmd {

HloComputation* Reducers::Get(HloOpcode opcode, PrimitiveType type) {
  HloComputation*& made = made_[{opcode, type}];
  if (made == nullptr) made = MakeReducer(module_, opcode, type);
  return made;
}

std::optional<HloOpcode> SimpleReducer(const HloComputation& computation) {
  const std::optional<HloOpcode> opcode = rules::BinaryReducer(&computation);
  if (!opcode || !IsOneOf(*opcode, HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum, HloOpcode::kMinimum,
                          HloOpcode::kAnd, HloOpcode::kOr))
    return std::nullopt;
  const bool bitwise = *opcode == HloOpcode::kAnd || *opcode == HloOpcode::kOr;
  if (bitwise && computation.root()->shape().element_type() != PrimitiveType::PRED) return std::nullopt;
  return opcode;
}

Literal IdentityOf(HloOpcode reducer, PrimitiveType type) {
  if (IsOneOf(reducer, HloOpcode::kMultiply, HloOpcode::kAnd)) return Literal::One(type);
  if (reducer == HloOpcode::kMaximum) return Literal::MinValue(type);
  if (reducer == HloOpcode::kMinimum) return Literal::MaxValue(type);
  return Literal::Zero(type);
}

Part Reshard(SpmdBuilder& spmd, Reducers& reducers, Part part, const Shape& whole, const ArraySharding& to) {
  if (part.local == nullptr) return part;
  const Axes from = part.sharding.unreduced;
  const bool same = part.sharding.reduction == to.reduction || to.unreduced.empty();
  Axes reduced, begun;
  for (int64_t a : from) {
    if (!same || !Contains(to.unreduced, a)) reduced.push_back(a);
  }
  if (!reduced.empty()) {
    HloComputation* reducer = reducers.Get(part.sharding.reduction, whole.element_type());
    Axes left;
    for (int64_t a : from) {
      if (!Contains(reduced, a)) left.push_back(a);
    }
    part.sharding.unreduced.clear();
    part.local = spmd.ReducePartial(part.local, whole, reduced, reducer, part.sharding, to, &part.sharding);
    part.sharding.unreduced = left;
  }
  for (int64_t a : to.unreduced) {
    if (!Contains(part.sharding.unreduced, a)) begun.push_back(a);
  }
  // Along axes that stay partial each device keeps its own value; along axes that become partial values are still
  // copies.
  ArraySharding target = to;
  target.unreduced = part.sharding.unreduced;
  part.local = spmd.Reshard(part.local, whole, WithoutUnreduced(part.sharding), WithoutUnreduced(target));
  // Then the first device's counts, and of a maximum everybody's.
  if (!begun.empty() && to.reduction == HloOpcode::kAdd && part.local != nullptr) {
    HloBuilder& b = spmd.b;
    const DimVector& sizes = part.local->shape().dimensions();
    HloInstruction* first = b.Compare(spmd.Offset(begun, 1), spmd.Scalar(0), ComparisonDirection::kEq);
    part.local =
        b.Select(b.Broadcast(first, sizes, {}), part.local, b.Broadcast(spmd.Zero(part.local->shape()), sizes, {}));
  }
  part.sharding = to;
  return part;
}

OpPartitioner::OpPartitioner(SpmdBuilder& spmd, Reducers& reducers, Remaker* remaker, const HloInstruction& i,
                             std::span<const Part> operands, std::vector<std::optional<ArraySharding>> wanted,
                             Axes manual, bool padded_by_value)
    : spmd_(spmd),
      b(spmd.b),
      mesh_(spmd.mesh),
      reducers_(reducers),
      remaker_(remaker),
      i_(i),
      operands_(operands),
      wanted_(std::move(wanted)),
      manual_(std::move(manual)),
      padded_by_value_(padded_by_value),
      rule_(RuleOf(i)) {
  for (const Shape* leaf : i.shape().Leaves()) leaves_.push_back(leaf);
}

Axes OpPartitioner::AxesOf(FactorKind kind) const {
  Axes axes;
  for (size_t f = 0; f < rule_.factors.size(); ++f) {
    if (rule_.factors[f].kind != kind) continue;
    for (int64_t a : choice_.axes[f]) axes.push_back(a);
  }
  return axes;
}

int64_t OpPartitioner::CutFactor(int64_t k, int64_t d, FactorKind kind) const {
  for (int64_t f : rule_.operands[static_cast<size_t>(k)][static_cast<size_t>(d)]) {
    if (rule_.factors[static_cast<size_t>(f)].kind == kind && !choice_.axes[static_cast<size_t>(f)].empty()) return f;
  }
  return -1;
}

// Of a reduce of one array by a simple reducer.
bool OpPartitioner::InitIsNeutral() const {
  const HloInstruction* init = i_.operand(1);
  const std::optional<HloOpcode> reducer = SimpleReducer(*i_.to_apply());
  return reducer && init->IsConstant() &&
         init->literal().BitwiseEqual(IdentityOf(*reducer, init->shape().element_type()));
}

double OpPartitioner::BytesOf(size_t operand, const ArraySharding& to, bool* remake) {
  const Part& part = operands_[operand];
  const double moved = ReshardBytes(mesh_, i_.operand(static_cast<int64_t>(operand))->shape(), part.sharding, to);
  if (moved == 0 || remaker_ == nullptr || part.origin == nullptr) return part.runs * moved;
  // Making a value again costs time, and another array.
  constexpr double kGain = 0.5;
  const double remade = remaker_->BytesToRemake(*part.origin, to);
  if (remade > kGain * moved) return part.runs * moved;
  if (remake != nullptr) *remake = true;
  return part.runs * remade;
}

void OpPartitioner::Choose() {
  OpProblem problem{i_,
                    rule_,
                    {},
                    wanted_,
                    [this](size_t k, const ArraySharding& to) { return BytesOf(k, to); },
                    manual_,
                    {},
                    [this](const OpChoice& c) { return WindowBytes(c); }};
  for (const Part& operand : operands_) problem.operands.push_back(operand.sharding);
  for (size_t f = 0; f < rule_.factors.size(); ++f) problem.allowed.push_back(MayCut(f));
  choice_ = ChoosePartition(mesh_, problem);
}

double OpPartitioner::Bytes() {
  Choose();
  return choice_.bytes;
}

StatusOr<std::vector<Part>> OpPartitioner::Partition() {
  Choose();
  for (size_t k = 0; k < operands_.size(); ++k) {
    const Shape& whole = i_.operand(static_cast<int64_t>(k))->shape();
    if (!whole.IsArray()) {
      local_.push_back(operands_[k].local);
      continue;
    }
    bool remake = false;
    BytesOf(k, choice_.operands[k], &remake);
    local_.push_back(remake ? remaker_->Remake(*operands_[k].origin, choice_.operands[k])
                            : spmd_.Reshard(operands_[k].local, whole, operands_[k].sharding, choice_.operands[k]));
  }
  HLOIR_RETURN_IF_ERROR(b.status());
  MaskOperands();
  std::vector<Op> results = Emit();
  HLOIR_RETURN_IF_ERROR(b.status());
  std::vector<Part> parts;
  for (size_t k = 0; k < results.size(); ++k) {
    Part part{results[k], choice_.results[k]};
    const Shape& whole = *leaves_[k];
    if (whole.IsArray()) {
      const ArraySharding to = wanted_[k].value_or(part.sharding);
      if (!combined_ && !choice_.partial.empty()) {
        HloOpcode reducer = whole.element_type() == PrimitiveType::PRED ? HloOpcode::kOr : HloOpcode::kAdd;
        if (i_.opcode() == HloOpcode::kReduce ||
            (i_.opcode() == HloOpcode::kScatter && AxesOf(FactorKind::kIndexed).empty()))
          reducer = SimpleReducer(*i_.to_apply()).value_or(reducer);
        // Axes along which the result is wanted partial stay so, unless an initial value is to count once.
        Axes left, kept;
        const bool may_keep = reducer == to.reduction && (i_.opcode() != HloOpcode::kReduce || InitIsNeutral());
        for (int64_t a : choice_.partial) {
          const bool keeps = Contains(to.unreduced, a) && may_keep;
          (keeps ? kept : left).push_back(a);
        }
        part.local = spmd_.ReducePartial(part.local, whole, left, reducers_.Get(reducer, whole.element_type()),
                                         part.sharding, to, &part.sharding);
        part.sharding.unreduced = UnionOf({}, kept);
        if (!kept.empty()) part.sharding.reduction = reducer;
      }
      if (i_.opcode() == HloOpcode::kReduce && !combined_ && !choice_.partial.empty() && part.local != nullptr) {
        // The initial value, if it is not neutral, counts once.
        if (!InitIsNeutral())
          part.local = b.Make(*SimpleReducer(*i_.to_apply()),
                              {b.Broadcast(local_[1], part.local->shape().dimensions(), {}), part.local});
      }
      part = Reshard(spmd_, reducers_, part, whole, to);
    }
    parts.push_back(std::move(part));
  }
  HLOIR_RETURN_IF_ERROR(b.status());
  return parts;
}

// Elements past the end of a dimension that is combined must not count.
void OpPartitioner::MaskOperands() {
  for (size_t k = 0; k < local_.size(); ++k) {
    const Shape& whole = i_.operand(static_cast<int64_t>(k))->shape();
    for (int64_t d = 0; d < whole.rank(); ++d) {
      if (CutFactor(static_cast<int64_t>(k), d, FactorKind::kReduce) < 0) continue;
      Op value = nullptr;
      if (i_.opcode() == HloOpcode::kReduce) {
        const std::optional<HloOpcode> reducer = i_.operand_count() == 2 ? SimpleReducer(*i_.to_apply()) : std::nullopt;
        value = reducer ? b.Constant(IdentityOf(*reducer, whole.element_type()))
                        : local_[k + static_cast<size_t>(i_.operand_count() / 2)];
      } else {
        value = spmd_.Zero(whole);
      }
      local_[k] = spmd_.MaskBehind(local_[k], whole, choice_.operands[k], d, value);
    }
  }
}

bool OpPartitioner::MayCut(size_t factor) const {
  const Factor& f = rule_.factors[factor];
  // The result's dimension that a window's factor is.
  const auto dimension = [&] {
    for (int64_t d = 0; d < leaves_[0]->rank(); ++d) {
      if (Contains(rule_.results[0][static_cast<size_t>(d)], static_cast<int64_t>(factor))) return d;
    }
    return int64_t{-1};
  };
  switch (i_.opcode()) {
    case HloOpcode::kScatter: {
      if (f.kind != FactorKind::kReduce) return true;
      // Each device adds some updates, the first one to the array itself.
      const bool even = mesh_.DividesEvenly(f.size, mesh_.AllAxes());
      return even && i_.operand_count() == 3 && SimpleReducer(*i_.to_apply()).has_value();
    }
    case HloOpcode::kConvolution: {
      const auto& convolution = i_.attributes<ConvolutionAttributes>();
      if (f.kind == FactorKind::kWindow) {
        for (size_t k = 0; k < convolution.window.size(); ++k) {
          if (convolution.dim_labels.output_spatial[k] == dimension())
            return MayCutWindow(convolution.window[k], f.size);
        }
      }
      // Groups are cut between, not within.
      const bool groups = convolution.feature_group_count > 1 && f.kind == FactorKind::kPass &&
                          f.size == convolution.feature_group_count;
      return !groups || mesh_.DividesEvenly(f.size, mesh_.AllAxes());
    }
    case HloOpcode::kReduceWindow:
      return f.kind != FactorKind::kWindow ||
             MayCutWindow(i_.attributes<WindowAttributes>().window[static_cast<size_t>(dimension())], f.size);
    case HloOpcode::kSelectAndScatter: return f.kind != FactorKind::kWindow || MayCutSelectAndScatter(dimension());
    case HloOpcode::kPad:
      return f.kind != FactorKind::kWindow ||
             MayCutWindow(AsWindow(i_.attributes<PadAttributes>().padding[static_cast<size_t>(dimension())]), f.size);
    case HloOpcode::kDynamicUpdateSlice: return f.kind == FactorKind::kPass || i_.operand(2)->shape().IsScalar();
    default: return true;  // OpRule has only factors that can be cut
  }
}

OpPartitioner::Op OpPartitioner::Clone(std::span<const Op> operands) {
  if (!b.status().ok()) return nullptr;
  Shape shape;
  if (i_.shape().IsTuple()) {
    std::vector<Shape> elements;
    for (size_t k = 0; k < leaves_.size(); ++k)
      elements.push_back(leaves_[k]->IsArray() ? mesh_.ShardShape(*leaves_[k], choice_.results[k]) : *leaves_[k]);
    shape = Shape::Tuple(std::move(elements));
  } else {
    shape = i_.shape().IsArray() ? mesh_.ShardShape(i_.shape(), choice_.results[0]) : i_.shape();
  }
  Op clone = b.computation()->AddClone(i_, operands, &shape);
  clone->set_sharding(std::nullopt);
  // Sizes that are repeated in attributes.
  switch (i_.opcode()) {
    case HloOpcode::kReshape: clone->mutable_attributes<ReshapeAttributes>().inferred_dimension = -1; break;
    case HloOpcode::kCustomCall: {
      OptionalShapeList& layouts = clone->mutable_attributes<CustomCallAttributes>().operand_layout_constraints;
      for (size_t k = 0; layouts && k < layouts->size() && k < operands.size(); ++k) {
        for (int64_t d = 0; d < (*layouts)[k].rank(); ++d)
          (*layouts)[k].set_dimension(d, operands[k]->shape().dimensions(d));
      }
      break;
    }
    case HloOpcode::kDynamicSlice:
      clone->mutable_attributes<DynamicSliceAttributes>().dynamic_slice_sizes = shape.dimensions();
      break;
    case HloOpcode::kGather: {
      GatherAttributes& gather = clone->mutable_attributes<GatherAttributes>();
      const Shape& whole = i_.operand(0)->shape();
      for (int64_t d = 0; d < whole.rank(); ++d) {
        if (gather.slice_sizes[static_cast<size_t>(d)] == whole.dimensions(d) &&
            !Contains(gather.collapsed_slice_dims, d) && !Contains(gather.operand_batching_dims, d))
          gather.slice_sizes[static_cast<size_t>(d)] = operands[0]->shape().dimensions(d);
      }
      break;
    }
    case HloOpcode::kConvolution: {
      auto& convolution = clone->mutable_attributes<ConvolutionAttributes>();
      const int64_t d = convolution.dim_labels.input_feature;
      if (convolution.feature_group_count > 1)
        convolution.feature_group_count /= i_.operand(0)->shape().dimensions(d) / operands[0]->shape().dimensions(d);
      break;
    }
    default: break;  // other ops have no sizes among their attributes
  }
  return clone;
}

std::vector<OpPartitioner::Op> OpPartitioner::Leaves(Op result) {
  if (result == nullptr || !result->shape().IsTuple()) return {result};
  std::vector<Op> leaves;
  for (int64_t k = 0; k < result->shape().tuple_size(); ++k)
    leaves.push_back(b.computation()->AddGetTupleElement(result, k));
  return leaves;
}

OpPartitioner::Op OpPartitioner::EmitIota() {
  const int64_t d = i_.attributes<IotaAttributes>().iota_dimension;
  const Axes& axes = choice_.results[0].dims[static_cast<size_t>(d)];
  const Shape shape = mesh_.ShardShape(i_.shape(), choice_.results[0]);
  if (axes.empty()) return b.Iota(shape, d);
  Op local = b.Iota(shape.WithElementType(PrimitiveType::S32), d);
  Op start = b.Broadcast(spmd_.Offset(axes, shape.dimensions(d)), shape.dimensions(), {});
  return b.Convert(b.Add(local, start), shape.element_type());
}

// Copies of random numbers are those of one device.
OpPartitioner::Op OpPartitioner::EmitRng() {
  Op local = Clone(local_);
  Axes copies;
  for (int64_t a : mesh_.AllAxes()) {
    if (!choice_.results[0].Uses(a)) copies.push_back(a);
  }
  if (copies.empty() || local == nullptr) return local;
  const DimVector& sizes = local->shape().dimensions();
  Op first = b.Compare(spmd_.Offset(copies, 1), spmd_.Scalar(0), ComparisonDirection::kEq);
  Op zeros = b.Broadcast(spmd_.Zero(local->shape()), sizes, {});
  const PrimitiveType type = local->shape().element_type();
  return spmd_.AllReduce(b.Select(b.Broadcast(first, sizes, {}), local, zeros), copies,
                         reducers_.Get(type == PrimitiveType::PRED ? HloOpcode::kOr : HloOpcode::kAdd, type));
}

std::vector<OpPartitioner::Op> OpPartitioner::EmitReduce() {
  if (choice_.partial.empty()) return Leaves(Clone(local_));
  const std::optional<HloOpcode> reducer = i_.operand_count() == 2 ? SimpleReducer(*i_.to_apply()) : std::nullopt;
  if (reducer) {
    const Op operands[] = {local_[0], b.Constant(IdentityOf(*reducer, i_.shape().element_type()))};
    return {Clone(operands)};
  }
  // The results of all devices, concatenated and reduced again.
  combined_ = true;
  const size_t arrays = local_.size() / 2;
  std::vector<Op> all;
  for (Op leaf : Leaves(Clone(local_))) {
    if (leaf == nullptr) return {arrays, nullptr};
    DimVector sizes = leaf->shape().dimensions();
    sizes.insert(sizes.begin(), 1);
    all.push_back(spmd_.AllGather(b.Reshape(leaf, sizes), 0, choice_.partial));
  }
  const std::vector<Op> inits(local_.begin() + static_cast<int64_t>(arrays), local_.end());
  return Leaves(b.Reduce(all, inits, {0}, const_cast<HloComputation*>(i_.to_apply())));
}

std::vector<OpPartitioner::Op> OpPartitioner::Emit() {
  const HloOpcode opcode = i_.opcode();
  if (opcode == HloOpcode::kIota) return {EmitIota()};
  if (opcode == HloOpcode::kRng) return {EmitRng()};
  if (opcode == HloOpcode::kReduce) return EmitReduce();
  if (opcode == HloOpcode::kGather) return {EmitGather()};
  if (opcode == HloOpcode::kScatter) return EmitScatter();
  if (opcode == HloOpcode::kDynamicUpdateSlice) return {EmitDynamicUpdateSlice()};
  if (opcode == HloOpcode::kSlice) return {EmitSlice()};
  if (opcode == HloOpcode::kPad) return {EmitPad()};
  if (opcode == HloOpcode::kConcatenate) return {EmitConcatenate()};
  if (opcode == HloOpcode::kReverse) return {EmitReverse()};
  if (opcode == HloOpcode::kReduceWindow) return Leaves(EmitReduceWindow());
  if (opcode == HloOpcode::kSelectAndScatter) return {EmitSelectAndScatter()};
  if (opcode == HloOpcode::kConvolution) return {EmitConvolution()};
  return Leaves(Clone(local_));
}

}  // namespace hloir::spmd
