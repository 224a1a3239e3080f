// Modules as expressions: computations, calls, opaque operations, and the dispatch by opcode. See build.h.
#include "equivalence/build.h"

#include <algorithm>
#include <cmath>

#include "equivalence/equivalence.h"
#include "equivalence/shards.h"
#include "hloir/analysis.h"
#include "hloir/custom_call.h"
#include "support/format.h"

namespace hloir::equivalence::inside {
namespace {

constexpr int32_t kMostCalls = 48;
constexpr int64_t kMostRecords = 1 << 20;
constexpr int64_t kLeastWork = 1 << 8;  // work left, with which an operation may still be given up

// An instruction that leaves nothing behind but its value.
bool IsAlone(const HloInstruction& i) {
  using enum HloOpcode;
  return !i.Is(kControlFlow | kSideEffect | kImpure) && !IsOneOf(i.opcode(), kFusion, kMap, kCustomCall, kScan);
}

// An operation that computes its result from its operands alone.
bool IsOneOperation(const HloInstruction& i) {
  return IsAlone(i) && i.opcode() != HloOpcode::kTuple && i.opcode() != HloOpcode::kGetTupleElement;
}

}  // namespace

PrimitiveType Normal(PrimitiveType type) {
  if (IsFloat(type)) return PrimitiveType::F64;
  if (IsComplex(type)) return PrimitiveType::C128;
  return type;
}

int64_t Shared::AttributesOf(const HloInstruction& i) {
  std::vector<const HloInstruction*>& all = like[i.opcode()];
  for (size_t k = 0; k < all.size(); ++k) {
    if (EqualAttributes(*all[k], i)) return static_cast<int64_t>(k);
  }
  all.push_back(&i);
  return static_cast<int64_t>(all.size()) - 1;
}

bool Builder::TooDeep(Inside in) {
  if (in.depth <= kMostCalls) return false;
  if (why_.empty()) why_ = "calls are nested too deeply";
  return true;
}

std::vector<Index> Builder::Dimensions(const Shape& shape) {
  std::vector<Index> index;
  for (int64_t d = 0; d < shape.rank(); ++d)
    index.push_back(x_.Var(x_.Dimension(static_cast<int32_t>(d), shape.dimensions(d))));
  return index;
}

ExprId Builder::Read(ExprId x, const Shape& shape, const std::vector<Index>& index) {
  Exprs::Substitution by;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const VarId v = x_.Dimension(static_cast<int32_t>(d), shape.dimensions(d));
    if (!(index[static_cast<size_t>(d)] == x_.Var(v))) by.push_back({v, index[static_cast<size_t>(d)]});
  }
  return x_.Substitute(x, by);
}

std::vector<VarId> Builder::Captured(const std::vector<ExprId>& values) const {
  std::set<VarId> turns;
  for (ExprId e : values) {
    for (VarId v : x_.At(e).free) {
      if (x_.VariableAt(v).level == Variable::kTurn) turns.insert(v);
    }
  }
  return {turns.begin(), turns.end()};
}

ExprId Builder::LeafArray(std::vector<int64_t> key, const Shape& shape, const std::vector<VarId>& captured) {
  Leaf leaf;
  leaf.key = std::move(key);
  leaf.type = shape.IsArray() ? Normal(shape.element_type()) : PrimitiveType::TOKEN;
  if (leaf.key[0] == -2 && shape.IsArray()) leaf.stored = shape.element_type();
  std::vector<Index> index;
  if (shape.IsArray()) {
    leaf.sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
    index = Dimensions(shape);
  }
  // The value also depends on the iterations of the enclosing loops.
  for (VarId v : captured) {
    leaf.sizes.push_back(x_.VariableAt(v).size);
    index.push_back(x_.Var(v));
  }
  return x_.MakeLeaf(x_.LeafOf(std::move(leaf)), std::move(index));
}

ExprId Builder::UnspecifiedArray(int64_t kind, const Shape& shape) {
  return LeafArray({kind, shared_.unspecified++}, shape,
                   shared_.devices ? shared_.devices->axes() : std::vector<VarId>());
}

bool Builder::Build(const HloModule& module, Value& result) {
  const HloComputation* entry = module.entry_computation();
  if (entry == nullptr) {
    why_ = "the module has no entry computation";
    return false;
  }
  for (const HloComputation* computation : module.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      for (const Shape* leaf : i->shape().Leaves()) {
        if (leaf->IsStatic() && !leaf->IsBuffer()) continue;
        why_ = Format("{} has dynamic sizes", i->name());
        return false;
      }
    }
  }
  std::vector<Value> arguments;
  const std::vector<VarId> each =
      shared_.devices && !shared_.same_parameters ? shared_.devices->axes() : std::vector<VarId>();
  // A tuple parameter and its leaves as separate parameters give the same values.
  int64_t k = 0;
  std::vector<int32_t> records;
  for (const HloInstruction* parameter : entry->parameters()) {
    Value value;
    for (const Shape* leaf : parameter->shape().Leaves()) value.push_back(LeafArray({-2, k++}, *leaf, each));
    records.push_back(static_cast<int32_t>(records_.size()));
    records_.push_back({parameter, value, 0, {}, nullptr});
    arguments.push_back(std::move(value));
  }
  result = Evaluate(*entry, arguments, {}, records, &root_record_);
  return why_.empty();
}

Value Builder::Evaluate(const HloComputation& computation, const std::vector<Value>& arguments, Inside in,
                        const std::vector<int32_t>& argument_records, int32_t* root_record) {
  if (TooDeep(in)) return {};
  std::unordered_map<const HloInstruction*, std::pair<Value, int32_t>> values;
  // The uses of a region are attributed to the instruction that calls it.
  const uint32_t around = x_.TakeUses();
  uint32_t inside = 0;
  for (const HloInstruction* i : computation.PostOrder()) {
    std::pair<Value, int32_t>& to = values[i];
    to.second = -1;
    if (i->IsParameter()) {
      to.first = arguments[static_cast<size_t>(i->parameter_number())];
      to.second = argument_records[static_cast<size_t>(i->parameter_number())];
      continue;
    }
    std::vector<const Value*> operands;
    std::vector<int32_t> records;
    for (const HloInstruction* operand : i->operands()) {
      const auto& [value, record] = values.at(operand);
      operands.push_back(&value);
      records.push_back(record);
    }
    x_.TakeUses();
    int32_t record = -1;
    branch_roots_.clear();
    const Exprs::Mark mark = x_.Here();
    const std::pair kept_elsewhere(shared_.agreed, effects_.size());
    const bool may_give_up = gives_up && in.record && x_.work_left() > kLeastWork && IsOneOperation(*i);
    const int64_t kept = may_give_up ? x_.SetAside() : 0;
    Value value = Of(*i, operands, in, records, &record);
    if (in.record && x_.unspecified() > 0) x_.Refuse("a division by an expression that is 0 over the reals");
    if (may_give_up) {
      const bool too_much = x_.OutOfWork() && x_.refusal() == nullptr;
      if (x_.refusal() == nullptr) x_.GiveBack(kept);
      if (too_much && why_.empty()) value = Opaque(*i, operands, in);
    }
    // The uses of branches are attributed to their conditional.
    records.insert(records.end(), branch_roots_.begin(), branch_roots_.end());
    branch_roots_.clear();
    if (!in.record) inside |= x_.TakeUses();
    if (!why_.empty()) {
      // In an iteration of the loop may be why the work was too much.
      if (in.record && out_of_budget_ && shared_.turns.count(i) != 0)
        records_.push_back({i, {}, 0, std::move(records), nullptr});
      return {};
    }
    if (x_.OutOfWork()) {
      if (x_.refusal() != nullptr) why_ = Format("{} at {}", x_.refusal(), i->name());
      else OutOfBudget(Format("out of budget at {}", i->name()));
      return {};
    }
    for (ExprId& part : value) part = x_.Named(part);
    const bool is_shard = in.matcher != nullptr && value.size() == 1 && in.matcher->Match(*i, value[0]);
    if (in.values != nullptr) in.values->push_back({i, value, 0, {}, nullptr});
    if (in.found != nullptr && value.size() == 1) (*in.found)[i] = is_shard || !x_.At(value[0]).open;
    if (!in.record) inside |= x_.TakeUses();
    if (in.record && record < 0) {
      record = static_cast<int32_t>(records_.size());
      if (record >= kMostRecords) {
        why_ = "too many instructions";
        return {};
      }
      std::shared_ptr<const Literal> folded = Folded(*i, records);
      if (folded != nullptr && value.size() == 1 && !i->IsConstant() && folded->IsAllSame()) {
        const PrimitiveType type = i->shape().element_type();
        if (IsFloat(type)) value[0] = x_.StandIn(value[0], folded->GetAsDouble(0));
        else if (type == PrimitiveType::PRED) value[0] = x_.Constant(*folded, 0);
      }
      const bool keeps = on_value && on_value(*i, folded.get(), value);
      records_.push_back({i, value, x_.TakeUses(), std::move(records), std::move(folded)});
      if (!keeps && IsAlone(*i) && kept_elsewhere == std::pair(shared_.agreed, effects_.size())) x_.Forget(mark, value);
    }
    auto& done = values[i];
    done.first = std::move(value);
    done.second = record;
  }
  x_.Uses(around | inside);
  auto& [value, record] = values.at(computation.root());
  if (root_record != nullptr) *root_record = record;
  return std::move(value);
}

// ---- Regions ----

ExprId Builder::RegionParameter(int64_t kind, int64_t a, int64_t b, const Shape& shape,
                                const std::vector<VarId>& axes) {
  return LeafArray(
      {-3, kind, a, b, static_cast<int64_t>(shape.IsArray() ? Normal(shape.element_type()) : shape.element_type())},
      shape, axes);
}

Value Builder::Region(const HloComputation& computation, Inside in, const std::vector<int64_t>* numbers) {
  // The region's parameters are values of one device.
  if (shared_.devices && shared_.devices->Communicates(computation)) {
    why_ = Format("{} communicates and is not looked into", computation.name());
    return {};
  }
  std::vector<Value> arguments;
  ++in.level, ++in.depth;
  in.record = false;
  in.values = nullptr, in.matcher = nullptr, in.found = nullptr;
  for (const HloInstruction* parameter : computation.parameters()) {
    Value value;
    int64_t k = 0;
    const int64_t own = parameter->parameter_number();
    const int64_t number = numbers != nullptr ? (*numbers)[static_cast<size_t>(own)] : own;
    for (const Shape* leaf : parameter->shape().Leaves())
      value.push_back(RegionParameter(0, in.level, number * 4096 + k++, *leaf));
    arguments.push_back(std::move(value));
  }
  Value result = Evaluate(computation, arguments, in, std::vector<int32_t>(arguments.size(), -1));
  // Values in a leaf's key must be the same for all devices.
  if (why_.empty() && !AxesOf(result).empty()) why_ = Format("{} depends on the device", computation.name());
  for (size_t k = 0; k < result.size() && why_.empty(); ++k)
    result[k] = Agreed(-2 - in.level - (int64_t{1} << 20) * static_cast<int64_t>(k), result[k]);
  return result;
}

HloOpcode Builder::Combiner(const HloComputation& computation, PrimitiveType type, Inside in, Value* region) {
  *region = Region(computation, in);
  if (region->size() != 1) return HloOpcode::kTuple;
  return CombinerOf(computation, *region, 0, 1, type, in);
}

HloOpcode Builder::CombinerOf(const HloComputation& computation, const Value& region, size_t k, size_t n,
                              PrimitiveType type, Inside in) {
  if (static_cast<size_t>(computation.parameter_count()) != 2 * n || region.size() != n) return HloOpcode::kTuple;
  const auto parameter = [&](size_t number) {
    const int64_t of = static_cast<int64_t>(number);
    const Shape& shape = computation.parameter(of)->shape();
    return shape.IsScalar() ? RegionParameter(0, in.level + 1, of * 4096, shape) : -1;
  };
  const ExprId a = parameter(k), b = parameter(n + k);
  if (a < 0 || b < 0) return HloOpcode::kTuple;
  ExprId made = region[k];
  if (const Expr& e = x_.At(made);
      e.kind == Expr::Kind::kFunction && e.op == HloOpcode::kReducePrecision && e.data.size() == 2 && e.data[0] < 0)
    made = e.args[0];
  if (x_.TypeOf(a) != type || x_.TypeOf(b) != type || x_.TypeOf(made) != type) return HloOpcode::kTuple;
  using enum HloOpcode;
  if (type == PrimitiveType::PRED) {
    if (made == x_.And(a, b)) return kAnd;
    if (made == x_.Or(a, b)) return kOr;
    return kTuple;
  }
  if (made == x_.Add(a, b)) return kAdd;
  if (type == PrimitiveType::C128) return kTuple;
  if (made == x_.Multiply(a, b)) return kMultiply;
  for (HloOpcode op : {kMaximum, kMinimum}) {
    if (made == x_.Function(op, type, {a, b})) return op;
  }
  if (type == PrimitiveType::F64 && region[k] == x_.LogOfExps(a, b)) return kLog;
  return kTuple;
}

ExprId Builder::RoundedAs(ExprId combined, ExprId e) {
  const Expr& rounding = x_.At(combined);
  if (rounding.kind != Expr::Kind::kFunction || rounding.op != HloOpcode::kReducePrecision) return e;
  return x_.Function(HloOpcode::kReducePrecision, rounding.type, {e}, rounding.data);
}

// ---- Opaque operations ----

namespace {

// Operations that are functions of real numbers, independent of the float type they compute in. For any other opaque
// operation the types are part of the function.
bool IsOfReals(HloOpcode opcode) {
  using enum HloOpcode;
  constexpr HloOpcode kAll[] = {kDot,          kConvolution,     kReduce,        kReduceWindow, kSelectAndScatter,
                                kCholesky,     kTriangularSolve, kFft,           kAllReduce,    kAllReduceStart,
                                kAllGather,    kAllGatherStart,  kReduceScatter, kAllToAll,     kCollectivePermute,
                                kGather,       kDynamicSlice,    kScatter,       kSort,         kBatchNormTraining,
                                kBatchNormGrad};
  return std::find(std::begin(kAll), std::end(kAll), opcode) != std::end(kAll);
}

// The operation's result depends on other devices, or on the device's number.
bool DependsOnDevice(const HloInstruction& i) {
  const CustomCall call = CustomCallOf(i);
  return i.Is(kCollective) || i.Is(kAsyncPart) || i.opcode() == HloOpcode::kPartitionId ||
         i.opcode() == HloOpcode::kReplicaId || i.opcode() == HloOpcode::kRecv ||
         call == CustomCall::kSpmdFullToShardShape || call == CustomCall::kSpmdShardToFullShape ||
         call == CustomCall::kSdyGlobalToLocalShape || call == CustomCall::kSdyLocalToGlobalShape;
}

}  // namespace

Value Builder::Opaque(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in) {
  std::vector<int64_t> key{-5, static_cast<int64_t>(i.opcode())};
  if (i.opcode() == HloOpcode::kCustomCall) {
    const CustomCallAttributes& call = i.attributes<CustomCallAttributes>();
    key.push_back(shared_.NameOf("target " + call.custom_call_target));
    key.push_back(shared_.NameOf("config " + std::string(i.extras().backend_config)));
    x_.Uses(kSameUnknown);
  }
  key.push_back(shared_.AttributesOf(i));
  const bool of_reals = IsOfReals(i.opcode());
  const auto add_type = [&](const Shape& leaf) {
    const PrimitiveType type = leaf.element_type();
    if (!of_reals || IsQuantized(type)) key.push_back(static_cast<int64_t>(type));
    else if (leaf.IsArray() && (IsFloat(type) || IsComplex(type))) x_.Uses(kRounds);
  };
  for (const Shape* leaf : i.shape().Leaves()) add_type(*leaf);
  const bool differs_each_time =
      i.Is(kImpure) || i.opcode() == HloOpcode::kInfeed || (i.opcode() == HloOpcode::kCustomCall && i.HasSideEffect());
  if (differs_each_time) {
    key.push_back(sequence_++);
    x_.Uses(kSameRandom);
  }
  std::vector<ExprId> all;
  for (size_t k = 0; k < operands.size(); ++k) {
    size_t part = 0;
    all.insert(all.end(), operands[k]->begin(), operands[k]->end());
    for (const Shape* leaf : i.operand(static_cast<int64_t>(k))->shape().Leaves()) {
      key.push_back(-7);
      key.push_back((*operands[k])[part++]);
      add_type(*leaf);
      if (!leaf->IsArray()) continue;
      for (int64_t size : leaf->dimensions()) key.push_back(size);
    }
  }
  for (const HloComputation* called : i.called_computations()) {
    for (ExprId e : Region(*called, in)) key.push_back(-8), key.push_back(e);
    if (!why_.empty()) return {};
  }
  std::vector<VarId> captured = Captured(all);
  if (shared_.devices && (differs_each_time || DependsOnDevice(i))) {
    const std::vector<VarId>& axes = shared_.devices->axes();
    captured.insert(captured.end(), axes.begin(), axes.end());
    std::sort(captured.begin(), captured.end());
    captured.erase(std::unique(captured.begin(), captured.end()), captured.end());
  }
  Value value;
  int64_t k = 0;
  for (const Shape* leaf : i.shape().Leaves()) {
    std::vector<int64_t> one = key;
    one.push_back(-9);
    one.push_back(k++);
    value.push_back(LeafArray(std::move(one), *leaf, captured));
    if (differs_each_time) shared_.differs_each_time.insert(x_.At(value.back()).tag);
  }
  // Both modules must have the same effects in the same order.
  if (i.Is(kSideEffect) || (i.opcode() == HloOpcode::kCustomCall && i.HasSideEffect())) {
    key.push_back(-17);
    effects_.push_back(LeafArray(std::move(key), Shape::Token()));
  }
  return value;
}

// ---- Dispatch ----

Value Builder::Of(const HloInstruction& i, const std::vector<const Value*>& operands, Inside in,
                  const std::vector<int32_t>& operand_records, int32_t* record) {
  using enum HloOpcode;
  Inside inner = in;
  ++inner.depth;
  switch (i.opcode()) {
    case kTuple: {
      Value all;
      for (const Value* operand : operands) all.insert(all.end(), operand->begin(), operand->end());
      return all;
    }
    case kGetTupleElement: {
      size_t first = 0;
      const Shape& tuple = i.operand(0)->shape();
      for (int64_t k = 0; k < i.tuple_index(); ++k) first += tuple.tuple_shapes(k).Leaves().size();
      const auto begin = operands[0]->begin() + static_cast<std::ptrdiff_t>(first);
      return {begin, begin + static_cast<std::ptrdiff_t>(i.shape().Leaves().size())};
    }
    case kCopy:
    case kOptimizationBarrier:
    case kDomain:
    case kAddDependency: return *operands[0];
    case kMap:
      // Only of scalars, so that no dimension of the body is confused with one of the result.
      for (const HloInstruction* inside = i.to_apply()->first(); inside != nullptr; inside = inside->next()) {
        if (!inside->shape().IsScalar() || !(inside->Is(kElementwise) || inside->IsParameter() || inside->IsConstant()))
          return Opaque(i, operands, in);
      }
      [[fallthrough]];
    case kCall:
    case kFusion: {
      std::vector<Value> arguments;
      for (const Value* operand : operands) arguments.push_back(*operand);
      return Evaluate(*i.called_computation(0), arguments, inner, operand_records, record);
    }
    case kCopyStart: return {(*operands[0])[0], (*operands[0])[0], LeafArray({-10}, Shape::Scalar(PrimitiveType::U32))};
    case kCopyDone: return {(*operands[0])[0]};
    case kGetDimensionSize:
      if (!i.operand(0)->shape().IsArray() || i.dimensions().empty()) break;
      return {x_.Integer(i.operand(0)->shape().dimensions(i.dimensions()[0]), PrimitiveType::S32)};
    case kCustomCall: {
      if (i.attributes<CustomCallAttributes>().custom_call_target == kUnspecified && i.shape().IsArray())
        return {UnspecifiedArray(-18, i.shape())};
      // Targets that only annotate their operands.
      Value all;
      for (int64_t k = 0; k < ForwardedOperands(i); ++k) {
        const Value& operand = *operands[static_cast<size_t>(k)];
        all.insert(all.end(), operand.begin(), operand.end());
      }
      if (!all.empty() && all.size() == i.shape().Leaves().size()) return all;
      break;
    }
    case kAfterAll: return {LeafArray({-11}, i.shape())};
    case kRngGetAndUpdateState:
      for (size_t k = 0; k < shared_.draws.size(); ++k) {
        if (shared_.draws[k].state == &i) return {StateOfDraw(k, i.shape())};
      }
      break;
    case kConditional: return Conditional(i, operands, inner);
    case kWhile: return While(i, *operands[0], inner);
    default: break;
  }
  if (shared_.devices && DependsOnDevice(i)) {
    Value value = Collective(i, operands, inner);
    if (!value.empty() || !why_.empty()) return value;
  }
  std::vector<ExprId> x;
  bool arrays = i.shape().IsArray() || i.opcode() == kReduce || i.opcode() == kSort || i.opcode() == kReduceWindow ||
                i.opcode() == kScatter || i.opcode() == kTopK || IsCustomCall(i, CustomCall::kTopK) ||
                i.opcode() == kBatchNormTraining || i.opcode() == kBatchNormGrad || i.opcode() == kScan ||
                i.opcode() == kRngBitGenerator || IsSolver(i);
  for (size_t k = 0; k < operands.size(); ++k) {
    arrays = arrays && i.operand(static_cast<int64_t>(k))->shape().IsArray() && operands[k]->size() == 1;
    if (!operands[k]->empty()) x.push_back(operands[k]->front());
  }
  if (!arrays) return Opaque(i, operands, in);
  Value value;
  switch (i.opcode()) {
    case kReduce: value = Reduce(i, x, inner); break;
    case kReduceWindow: value = ReduceWindow(i, x, inner); break;
    case kSort: value = Sort(i, x, inner); break;
    case kScatter: value = Scatter(i, x, inner); break;
    case kSelectAndScatter: value = SelectAndScatter(i, x, inner); break;
    case kCholesky:
    case kTriangularSolve:
      // On several devices a batch is compared item by item, else with the loops of an expander.
      if (!shared_.devices)
        value = i.opcode() == kCholesky ? Cholesky(i, x[0], inner) : TriangularSolve(i, x[0], x[1], inner);
      if (value.empty() && why_.empty()) value = Batched(i, x);
      break;
    case kScan: value = Scan(i, x, inner); break;
    case kRngBitGenerator: value = RandomBits(i, x[0]); break;
    case kRng:
      if (next_draw_ < shared_.draws.size()) value = Drawn(i, x);
      break;
    case kTopK: value = TopK(i, x[0], i.attributes<TopKAttributes>().largest, inner); break;
    case kBitcastConvert:
      if (const ExprId e = BitcastConvert(i, x[0], inner); e >= 0) value = {e};
      break;
    case kCustomCall:
      if (IsCustomCall(i, CustomCall::kTopK) && x.size() == 1) {
        x_.Uses(kFiniteOnly);
        value = TopK(i, x[0], true, inner);
      } else if (IsSolver(i)) {
        value = Batched(i, x);
      }
      break;
    case kFft: value = Batched(i, x); break;
    case kBatchNormInference:
    case kBatchNormTraining:
    case kBatchNormGrad: value = BatchNorm(i, x); break;
    default:
      if (const ExprId e = Array(i, x); e >= 0) value = {e};
      break;
  }
  if (value.empty() && why_.empty()) return Opaque(i, operands, in);
  return value;
}

}  // namespace hloir::equivalence::inside
