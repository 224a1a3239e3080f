// Compiles a cluster of nodes into a FusedLoop: emits the tile ops. loop_nest.cc determines the nest of loops,
// capability/kernel_choice.cc the kernels, loop_registers.cc the offsets of registers.
#include "plan/loops/fused_loop.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "plan/loops/fused_loop_step.h"
#include "plan/loops/loop_chains.h"
#include "plan/loops/loop_nest.h"
#include "plan/capability/kernel_choice.h"
#include "plan/loops/loop_patterns.h"
#include "plan/loops/loop_registers.h"
#include "support/ranges.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kMaxTile = 1024;
constexpr size_t kFewNodes = 4;
constexpr int64_t kNoChain = 1;           // `extra` of a copy that must stay a separate op
constexpr double kBytesPerNano = 16;      // from memory: a guess, like CostOf
constexpr double kBytesPerNanoHere = 30;  // as NanosOf: most of it comes from a cache

// The time of an element with vectors of 256 bits, as measured over bench/cases.py: it determines the number of
// threads. (CostOf, which must not change, determines the order of sums.)
double NanosOf(HloOpcode opcode) {
  switch (CostClass(opcode)) {
    case OpCost::kDivision: return 0.1;
    case OpCost::kTranscendental: return 0.5;
    default: break;
  }
  if (IsOneOf(opcode, HloOpcode::kMaximum, HloOpcode::kMinimum, HloOpcode::kClamp, HloOpcode::kReduce,
              HloOpcode::kSelect))
    return 0.1;
  return 0.05;
}

// Data movement and conversions count as 0. A reduction is an operation on each reduced element.
bool IsArithmetic(const Node& node) {
  return !IsOneOf(node.opcode(), HloOpcode::kConvert, HloOpcode::kBitcastConvert, HloOpcode::kReal, HloOpcode::kImag) &&
         !node.is_copy && !HasTrait(node.opcode(), kMovesData);
}

}  // namespace

// The place of an emitted value: a register, or memory that is read in place.
class LoopBuilder {
 public:
  LoopBuilder(const LoopRequest& request, int64_t max_tile)
      : request_(request),
        graph_(*request.graph),
        kernels_(*request.kernels),
        max_tile_(max_tile),
        reduces_(request.reduces && request.reduce.reduced > 1),
        loop_(std::make_unique<FusedLoop>()) {}

  // nullptr if the registers do not fit; then try a smaller tile.
  std::unique_ptr<FusedLoop> Build() {
    for (int32_t node : request_.nodes)
      for (ValueId id : graph_.nodes[node].outputs) in_cluster_.push_back(id);
    std::sort(in_cluster_.begin(), in_cluster_.end());
    ChooseSpace();
    patterns_ = FindPatterns(graph_, request_.nodes, request_.stored);
    loop_->body_.reserve(request_.nodes.size() + request_.stored.size());
    loop_->sources_.reserve(request_.nodes.size() + request_.stored.size() + 1);
    const Nodes order = InOrder();
    for (int32_t index : order) {
      const Node& node = graph_.nodes[index];
      cost_ += CostOf(node.opcode()) * static_cast<double>(request_.count);
      nanoseconds_ += NanosOf(node.opcode()) * static_cast<double>(request_.count);
      if (IsArithmetic(node)) loop_->flops_ += static_cast<double>(request_.count);
      if (node.opcode() == HloOpcode::kReduce) EmitReduce(node, index == order.back() && request_.copied == kNoValue);
      else if (std::find(early_.begin(), early_.end(), index) == early_.end()) EmitNode(index);
    }
    if (request_.copied != kNoValue) EmitCopy(request_.copied);
    MakeChains(kernels_, loop_->nest_.tile, {&loop_->prologue_, &loop_->first_, &loop_->next_}, &loop_->body_);
    if (!FitRegisters()) return nullptr;
    Complete();
    return std::move(loop_);
  }

 private:
  using Nodes = SmallVector<int32_t, 16>;
  struct Operand {
    TilePlace place;
    TileType type = TileType::kF32;
    bool uniform = false;    // one element, for the whole tile
    bool invariant = false;  // the same for every tile
  };
  struct Known {
    ValueId id;
    Operand operand;
  };
  struct PendingSink {
    BinaryOp op = BinaryOp::kAdd;
    TileType type = TileType::kF32;
    int64_t bytes = 4, count = 1, room = 1;
    TilePlace accumulator, init, out_place;
  };

  // Nodes whose results are only used outside come last, so that the result may reuse the buffer of an operand (a
  // loop's counter).
  Nodes InOrder() const {
    if (patterns_.rest.size() < 2) return patterns_.rest;
    Nodes read;
    const auto reads = [&](ValueId id) {
      const ValueId root = graph_.values[id].root;
      if (root != kNoValue && graph_.values[root].node >= 0) read.push_back(graph_.values[root].node);
    };
    for (int32_t index : patterns_.rest)
      for (ValueId id : graph_.nodes[index].inputs) reads(id);
    // The values that the omitted nodes would have read.
    for (const auto& [node, wrap] : patterns_.wraps) reads(wrap.x), reads(wrap.by);
    for (const auto& [node, of] : patterns_.conjugates) reads(of);
    std::sort(read.begin(), read.end());
    Nodes order;
    for (bool inner : {true, false}) {
      for (int32_t index : patterns_.rest)
        if (std::binary_search(read.begin(), read.end(), index) == inner) order.push_back(index);
    }
    return order;
  }

  // ---- The nest.
  // ----------------------------------------------------------------------------------------------------------
  void CollectViews(std::vector<View>* views) const {
    if (request_.copied != kNoValue) {
      View view = graph_.values[request_.copied].view.Collapse();
      if (view.dims.size() > 1) views->push_back(std::move(view));
    }
    for (int32_t index : request_.nodes) {
      const Node& node = graph_.nodes[index];
      const size_t inputs = node.opcode() == HloOpcode::kReduce ? 1 : node.inputs.size();
      for (size_t i = 0; i < inputs; ++i) {
        const GraphValue& value = graph_.values[node.inputs[i]];
        if (value.count != request_.count || InRegister(node.inputs[i])) continue;
        View view = value.view.Collapse();
        if (view.dims.size() > 1) views->push_back(std::move(view));
      }
    }
  }
  // Only a reduction, whose kernel reads values directly from memory; for bf16, possibly after a conversion.
  bool ReducesMemory() const {
    if (!reduces_ || request_.nodes.size() > 2 || request_.copied != kNoValue) return false;
    const Node& node = graph_.nodes[request_.nodes.back()];
    if (node.opcode() != HloOpcode::kReduce) return false;
    ValueId from = node.inputs[0];
    if (request_.nodes.size() == 2) {
      const Node& convert = graph_.nodes[request_.nodes[0]];
      if (!InRegister(from) || graph_.values[from].root != convert.outputs[0] || request_.stored.size() != 1 ||
          convert.opcode() != HloOpcode::kConvert || graph_.values[from].type != PrimitiveType::F32)
        return false;
      from = convert.inputs[0];
      if (graph_.values[from].type != PrimitiveType::BF16) return false;
    }
    const GraphValue& value = graph_.values[from];
    const auto narrow = Narrow(value.type);
    const int op = static_cast<int>(*ReducerOp(*node.instruction->to_apply()));
    return value.kind != ValueKind::kIota && value.count == request_.count &&
           (!narrow || (*narrow == NarrowFloat::kBf16 && kernels_.reduce_bf16_rows[op] != nullptr));
  }
  void ChooseSpace() {
    std::vector<View> views;
    CollectViews(&views);
    reduces_memory_ = views.empty() && ReducesMemory();
    const bool few = max_tile_ == kMaxTile && request_.nodes.size() <= kFewNodes && !request_.reduces;
    space_ = ChooseNest(request_.count, reduces_ ? &request_.reduce : nullptr, views, max_tile_,
                        reduces_memory_ && request_.reduce.inner == 1, few);
    loop_->nest_ = space_.nest;
  }

  // ---- Sources.
  // -----------------------------------------------------------------------------------------------------------
  int AddRef(Ref ref, bool written) {
    auto& list = written ? writes_ : reads_;
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].buffer == ref.buffer && list[i].offset == ref.offset) return static_cast<int>(i);
    }
    list.push_back(ref);
    return static_cast<int>(list.size() - 1);
  }
  // Written refs are numbered from kWritten on until all reads are known.
  static constexpr int kWritten = 1 << 20;

  TilePlace AddSource(int ref, int64_t offset, DimVector strides) {
    // The innermost stride is given for one element, and becomes that of a tile.
    strides[strides.size() - 1] *= loop_->nest_.tile;
    for (size_t i = 0; i < loop_->sources_.size(); ++i) {
      const LoopSource& other = loop_->sources_[i];
      if (other.ref == ref && other.offset == offset && other.strides == strides) {
        return {TilePlace::kSource, static_cast<int32_t>(i)};
      }
    }
    loop_->sources_.push_back({ref, offset, std::move(strides)});
    return {TilePlace::kSource, static_cast<int32_t>(loop_->sources_.size() - 1)};
  }
  DimVector Scaled(const DimVector& strides, int64_t factor) const {
    DimVector scaled = strides;
    for (int64_t& stride : scaled) stride *= factor;
    return scaled;
  }
  DimVector RowMajorStrides() const { return View::RowMajor(space_.dims).strides; }

  // The view's strides along space_.dims, if it has any.
  std::optional<DimVector> SplitStrides(const View& collapsed) const {
    if (collapsed.dims.empty()) return DimVector(space_.dims.size(), 0);
    auto view = collapsed.Reshape(space_.dims);
    if (!view) return std::nullopt;
    return view->strides;
  }

  // The view with its runs as the last two dimensions, if a tile has whole ones, of at least a vector.
  std::optional<View> RunsIn(const View& collapsed, int64_t bytes) const {
    constexpr int64_t kVector = 64;
    const int64_t length = collapsed.dims.empty() ? 0 : collapsed.dims.back(), tile = loop_->nest_.tile;
    if (length * bytes < kVector || length > kLongestRun || tile != space_.dims.back() || tile % length != 0 ||
        collapsed.strides.back() != 1)
      return std::nullopt;
    DimVector dims = space_.dims;
    dims[dims.size() - 1] = tile / length;
    dims.push_back(length);
    return collapsed.Reshape(dims);
  }

  // ---- Ops.
  // ---------------------------------------------------------------------------------------------------------------
  TilePlace NewRegister(int64_t element_bytes, bool persistent, int64_t elements = 0) {
    registers_.push_back({element_bytes * (elements > 0 ? elements : loop_->nest_.tile), persistent});
    return {TilePlace::kRegister, static_cast<int32_t>(registers_.size() - 1)};
  }

  // Emits one op; its result is uniform or invariant if all operands are.
  Operand Emit(TileKernel kernel, std::initializer_list<Operand> in, TileType type, int64_t extra = 0,
               std::optional<TilePlace> out = std::nullopt, int64_t out_bytes = 0) {
    LoopOp op;
    op.op.kernel = kernel;
    op.op.extra = extra;
    Operand result;
    result.type = type;
    result.uniform = result.invariant = true;
    int k = 0;
    for (const Operand& operand : in) {
      op.in[k++] = operand.place;
      result.uniform = result.uniform && operand.uniform;
      result.invariant = result.invariant && operand.invariant;
    }
    if (out) result.invariant = false;
    if (result.uniform) op.op.divisor = 0;
    std::vector<LoopOp>& list = result.invariant ? loop_->prologue_ : loop_->body_;
    if (const LoopOp* same = out ? nullptr : Equal(op, list)) {
      result.place = same->out;
      if (result.place.kind == TilePlace::kRegister) aliased_.push_back(result.place.index);
      return result;
    }
    result.place = out ? *out : NewRegister(out_bytes > 0 ? out_bytes : TileBytes(type), result.invariant);
    op.out = result.place;
    list.push_back(op);
    return result;
  }
  // An op that computed the same before: of a value that stands twice in the module, perhaps because the array was to
  // be computed again instead of kept. Within a tile it is kept.
  static const LoopOp* Equal(const LoopOp& op, const std::vector<LoopOp>& list) {
    const auto equal = [&](const LoopOp& other) {
      return other.op.kernel == op.op.kernel && other.op.extra == op.op.extra && other.op.divisor == op.op.divisor &&
             other.op.aux == nullptr && std::equal(std::begin(op.in), std::end(op.in), std::begin(other.in));
    };
    const auto found = std::find_if(list.begin(), list.end(), equal);
    return found == list.end() ? nullptr : &*found;
  }

  Operand Splat(const Operand& scalar) {
    LoopOp op;
    op.op.kernel = kernels_.splat[static_cast<int>(scalar.type)];
    op.in[0] = scalar.place;
    Operand result = scalar;
    result.uniform = false;
    result.place = op.out = NewRegister(TileBytes(scalar.type), scalar.invariant);
    (scalar.invariant ? loop_->prologue_ : loop_->body_).push_back(op);
    return result;
  }

  bool InRegister(ValueId id) const {
    const GraphValue& value = graph_.values[id];
    if (value.root == kNoValue) return false;
    return std::binary_search(in_cluster_.begin(), in_cluster_.end(), value.root) && graph_.IsWhole(id) &&
           value.type == graph_.values[value.root].type;
  }
  // nullptr: it has not been emitted yet.
  const Operand* ResultOf(ValueId id) const {
    for (size_t k = results_.size(); k-- > 0;)
      if (results_[k].id == id) return &results_[k].operand;
    return nullptr;
  }

  Operand OperandFor(ValueId id) {
    const GraphValue& value = graph_.values[id];
    if (InRegister(id)) {
      const Operand* result = ResultOf(value.root);
      if (result != nullptr) return *result;
    }
    for (const auto& [other, operand] : loaded_) {
      const GraphValue& seen = graph_.values[other];
      if (other == id || (seen.root == value.root && seen.type == value.type && seen.view == value.view)) {
        return operand;
      }
    }
    Operand operand = Load(id);
    loaded_.push_back({id, operand});
    return operand;
  }

  void CountBytes(int64_t bytes) {
    cost_ += static_cast<double>(bytes) / kBytesPerNano;
    nanoseconds_ += static_cast<double>(bytes) / kBytesPerNanoHere;
  }

  // Integers of 64 bits that count from 0 and stay within 32 bits are compared as such, with twice as many per vector.
  bool IsSmallNumber(ValueId id) const {
    const GraphValue& value = graph_.values[id];
    if (value.kind != ValueKind::kIota || (value.type != PrimitiveType::S64 && value.type != PrimitiveType::U64))
      return false;
    int64_t least = value.view.offset, most = value.view.offset;
    for (size_t d = 0; d < value.view.dims.size(); ++d) {
      const int64_t last = (value.view.dims[d] - 1) * value.view.strides[d];
      (last < 0 ? least : most) += last;
    }
    return least >= 0 && most <= INT32_MAX;
  }

  // `as`: the type for generated numbers, if it differs from the value's type.
  Operand Load(ValueId id, std::optional<TileType> as = std::nullopt) {
    const GraphValue& value = graph_.values[id];
    const View view = value.view.Collapse();
    const auto narrow = Narrow(value.type);
    Operand operand;
    TileTypeFor(value.type, &operand.type);
    if (as) operand.type = *as;
    const bool numbers = value.kind == ValueKind::kIota;
    const int64_t bytes = numbers ? 1 : StorageBytes(value.type);
    const int ref = numbers ? -1 : AddRef(request_.read(value.root), false);
    const int64_t offset = view.offset * bytes;
    if (!numbers) CountBytes(std::min(request_.count, graph_.values[value.root].count) * bytes);
    const int t = static_cast<int>(operand.type);
    const int64_t size = numbers || !narrow ? TileBytes(operand.type) : 2;
    auto strides = SplitStrides(view);
    const int64_t inner = strides ? strides->back() : 0;
    if (request_.count == 1) {
      operand.place = AddSource(ref, offset, {0});
      if (numbers) operand = Emit(kernels_.iota[t], {operand}, operand.type, 0);
    } else if (strides && inner == 0) {  // one element for the tile
      operand.uniform = true;
      operand.invariant = std::all_of(strides->begin(), strides->end(), [](int64_t s) { return s == 0; });
      operand.place = AddSource(ref, offset, Scaled(*strides, bytes));
      if (numbers) operand = Emit(kernels_.iota[t], {operand}, operand.type, 0);
    } else if (strides && numbers) {
      operand.invariant = loop_->nest_.sizes.back() == 1 &&
                          std::all_of(strides->begin(), strides->end() - 1, [](int64_t s) { return s == 0; });
      operand.place = AddSource(ref, offset, *strides);
      operand = Emit(kernels_.iota[t], {operand}, operand.type, inner);
    } else if (strides && inner == 1) {
      operand.place = AddSource(ref, offset, Scaled(*strides, bytes));
    } else if (strides) {
      operand.place = AddSource(ref, offset, Scaled(*strides, bytes));
      operand = Emit(kernels_.strided_load[Log2Bytes(bytes)], {operand}, operand.type, inner, std::nullopt, size);
    } else if (const auto in_runs = numbers ? std::nullopt : RunsIn(view, bytes)) {
      const DimVector none(space_.dims.size(), 0);
      const int64_t distance = in_runs->strides[space_.dims.size() - 1], length = in_runs->dims.back();
      DimVector outer = in_runs->strides;
      outer.resize(space_.dims.size());
      outer[outer.size() - 1] = 0;
      operand.place = AddSource(ref, offset, Scaled(outer, bytes));
      Operand runs, first;
      runs.place = AddSource(-1, distance << kRunBits | length, none);
      first.place = AddSource(-1, 0, none);
      operand = Emit(LoadRunsKernel(bytes, kernels_.isa), {operand, runs, first}, operand.type, 0, std::nullopt, size);
    } else {
      // No strides fit the nest: load along the view, from the tile's position in the loop's order.
      operand.place = AddSource(ref, offset, DimVector(space_.dims.size(), 0));
      Operand first;
      first.place = AddSource(-1, 0, RowMajorStrides());
      const int64_t period = view.strides[0] == 0 ? view.count() / view.dims[0] : view.count();
      operand.invariant = first.invariant = period <= loop_->nest_.tile && loop_->nest_.tile % period == 0 &&
                                            (space_.dims.size() == 1 || space_.dims.back() % period == 0);
      operand = Emit(numbers ? IotaAlongViewKernel(operand.type) : LoadKernel(bytes, kernels_.isa), {operand, first},
                     operand.type, 0, std::nullopt, size);
      loop_->views_.push_back(std::make_unique<View>(view));
      (operand.invariant ? loop_->prologue_ : loop_->body_).back().op.aux = loop_->views_.back().get();
    }
    if (narrow && !numbers) operand = Emit(kernels_.widen[static_cast<int>(*narrow)], {operand}, TileType::kF32);
    else if (narrow) operand = Rounded(operand, value.type);
    return operand;
  }

  Operand Rounded(const Operand& operand, PrimitiveType type) {
    auto narrow = Narrow(type);
    if (!narrow) return operand;
    const UnaryOp round = *narrow == NarrowFloat::kBf16 ? UnaryOp::kRoundToBf16 : UnaryOp::kRoundToF16;
    return Emit(kernels_.unary[static_cast<int>(round)][static_cast<int>(TileType::kF32)], {operand}, TileType::kF32);
  }

  Operand EmitBinary(BinaryOp op, const Operand& a, const Operand& b, TileType result) {
    OperandMode mode = a.uniform == b.uniform ? kVectorVector : a.uniform ? kScalarVector : kVectorScalar;
    return Emit(kernels_.binary[static_cast<int>(op)][static_cast<int>(a.type)][mode], {a, b}, result);
  }

  Operand Compute(const HloInstruction& instruction, std::span<const Operand> in) {
    const HloOpcode opcode = instruction.opcode();
    const PrimitiveType to = instruction.shape().element_type();
    TileType type;
    TileTypeFor(to, &type);
    const int t = static_cast<int>(in[0].type);
    if (auto unary = UnaryOpFor(opcode)) {
      Operand result = Emit(kernels_.unary[static_cast<int>(*unary)][t], {in[0]}, type);
      return KeepsPrecision(opcode) ? result : Rounded(result, to);
    }
    if (auto binary = BinaryOpFor(opcode)) {
      Operand result = EmitBinary(*binary, in[0], in[1], type);
      return KeepsPrecision(opcode) ? result : Rounded(result, to);
    }
    switch (opcode) {
      case HloOpcode::kCompare: return EmitBinary(*CompareOpFor(instruction), in[0], in[1], TileType::kPred);
      case HloOpcode::kClamp:
        return EmitBinary(BinaryOp::kMinimum, EmitBinary(BinaryOp::kMaximum, in[0], in[1], type), in[2], type);
      case HloOpcode::kSelect: {
        const bool all_uniform = in[0].uniform && in[1].uniform && in[2].uniform;
        const Operand which = in[0].uniform && !all_uniform ? Splat(in[0]) : in[0];
        int mode = all_uniform ? 0 : (in[1].uniform ? kScalarVector : 0) | (in[2].uniform ? kVectorScalar : 0);
        return Emit(kernels_.select[static_cast<int>(type)][mode], {which, in[1], in[2]}, type);
      }
      case HloOpcode::kConvert:
        if (in[0].type == type) return Rounded(in[0], to);
        if (Narrow(to) && kernels_.to_odd[t] != nullptr) return Rounded(Emit(kernels_.to_odd[t], {in[0]}, type), to);
        return Rounded(Emit(kernels_.convert[t][static_cast<int>(type)], {in[0]}, type), to);
      default:  // bitcast-convert
        return Emit(kernels_.copy[Log2Bytes(TileBytes(type))], {in[0]}, type);
    }
  }

  // For a remainder of integers: the quotient of the same operands, if the loop needs that too. One division, which
  // takes longer than all else, then gives both.
  std::optional<Operand> QuotientFor(int32_t remainder) {
    const Node& node = graph_.nodes[remainder];
    if (node.opcode() != HloOpcode::kRemainder || node.is_copy || request_.count == 1 ||
        !IsInteger(node.instruction->shape().element_type()))
      return std::nullopt;
    const auto emitted = [&](int32_t divide) {
      const ValueId id = graph_.nodes[divide].outputs[0];
      if (ResultOf(id) == nullptr) EmitNode(divide), early_.push_back(divide);
      return *ResultOf(id);
    };
    for (int32_t index : patterns_.rest) {
      const Node& other = graph_.nodes[index];
      if (other.opcode() == HloOpcode::kDivide && !other.is_copy && other.inputs[0] == node.inputs[0] &&
          other.inputs[1] == node.inputs[1])
        return emitted(index);
    }
    const auto guarded = std::find_if(patterns_.guarded.begin(), patterns_.guarded.end(),
                                      [&](const GuardedRemainder& found) { return found.remainder == remainder; });
    if (guarded == patterns_.guarded.end()) return std::nullopt;
    const Operand guard = OperandFor(guarded->guard), one = OperandFor(node.inputs[0]);  // a / 1
    const Operand quotient = emitted(guarded->divide);
    if (guard.uniform || one.uniform || quotient.uniform) return std::nullopt;
    return Emit(kernels_.select[static_cast<int>(one.type)][kVectorVector], {guard, one, quotient}, one.type);
  }

  // The inverse of a power of two, by which a product has the bits of the quotient.
  std::optional<Operand> InverseFor(const Node& node, const Operand& by) {
    constexpr int64_t kWorthwhile = 64;
    constexpr int kMostExponent = 100;
    if (node.opcode() != HloOpcode::kDivide || node.is_copy || request_.count < kWorthwhile || !by.invariant ||
        !by.uniform || (by.type != TileType::kF32 && by.type != TileType::kF64))
      return std::nullopt;
    const Literal* literal = graph_.NumberOf(node.inputs[1]);
    int exponent = 0;
    if (literal == nullptr || std::abs(std::frexp(literal->GetAsDouble(0), &exponent)) != 0.5 ||
        std::abs(exponent) > kMostExponent)
      return std::nullopt;
    const Operand one = EmitBinary(BinaryOp::kDivide, by, by, by.type);
    return EmitBinary(BinaryOp::kDivide, one, by, by.type);
  }

  void EmitNode(int32_t index) {
    const Node& node = graph_.nodes[index];
    const ValueId id = node.outputs[0];
    Operand in[3], result;
    if (auto wrap = patterns_.wraps.find(index); wrap != patterns_.wraps.end()) {
      in[0] = OperandFor(wrap->second.x), in[1] = OperandFor(wrap->second.by);
      result = EmitBinary(BinaryOp::kWrap, in[0], in[1], in[0].type);
    } else if (auto conjugate = patterns_.conjugates.find(index); conjugate != patterns_.conjugates.end()) {
      in[0] = OperandFor(conjugate->second);
      const auto& kernels = kernels_.unary[static_cast<int>(UnaryOp::kConjugate)];
      result = Emit(kernels[static_cast<int>(in[0].type)], {in[0]}, in[0].type);
    } else {
      const bool small =
          node.opcode() == HloOpcode::kCompare && IsSmallNumber(node.inputs[0]) && IsSmallNumber(node.inputs[1]);
      for (size_t i = 0; i < node.inputs.size(); ++i)
        in[i] = small ? Load(node.inputs[i], TileType::kS32) : OperandFor(node.inputs[i]);
      if (const std::optional<Operand> quotient = QuotientFor(index)) {
        // a - a / b · b, also for b = 0 and -1
        result = EmitBinary(BinaryOp::kSubtract, in[0], EmitBinary(BinaryOp::kMultiply, *quotient, in[1], in[0].type),
                            in[0].type);
      } else if (const std::optional<Operand> inverse = InverseFor(node, in[1])) {
        result = Rounded(EmitBinary(BinaryOp::kMultiply, in[0], *inverse, in[0].type), graph_.values[id].type);
      } else {
        result = node.is_copy ? in[0] : Compute(*node.instruction, {in, node.inputs.size()});
      }
    }
    // Some conversions are no-ops; then two values share a register.
    for (const Operand& operand : in) {
      if (operand.place.kind == TilePlace::kRegister && result.place.kind == TilePlace::kRegister &&
          operand.place.index == result.place.index) {
        aliased_.push_back(result.place.index);
      }
    }
    if (std::find(request_.stored.begin(), request_.stored.end(), id) != request_.stored.end()) Store(id, &result);
    results_.push_back({id, result});
  }

  void EmitCopy(ValueId id) {
    cost_ += CostOf(HloOpcode::kCopy) * static_cast<double>(request_.count);
    Operand value = OperandFor(id);
    Store(id, &value);
  }

  // Writes the result to memory: by the op that computes it, if that is the last one emitted and no rounding follows.
  void Store(ValueId id, Operand* result) {
    const GraphValue& value = graph_.values[id];
    const int64_t bytes = StorageBytes(value.type);
    CountBytes(value.bytes());
    const int ref = AddRef(request_.write(id), true) + kWritten;
    const TilePlace place = AddSource(ref, 0, Scaled(RowMajorStrides(), bytes));
    auto narrow = Narrow(value.type);
    std::vector<LoopOp>& body = loop_->body_;
    const bool streams = !narrow && Streams(value);
    const bool last = !streams && !body.empty() && body.back().out.kind == TilePlace::kRegister &&
                      result->place.kind == TilePlace::kRegister && body.back().out.index == result->place.index &&
                      !result->uniform;
    if (!narrow && last && std::find(aliased_.begin(), aliased_.end(), result->place.index) == aliased_.end()) {
      body.back().out = place;
      result->place = place;
      return;
    }
    if (result->place.kind == TilePlace::kRegister) aliased_.push_back(result->place.index);
    Operand from = *result;
    from.invariant = false;
    if (from.uniform && !narrow && !streams) {
      LoopOp op;
      op.op.kernel = kernels_.splat[static_cast<int>(from.type)];
      op.in[0] = from.place;
      op.out = place;
      body.push_back(op);
      return;
    }
    if (from.uniform) from = Splat(*result), from.invariant = false;
    loop_->streams_ = loop_->streams_ || streams;
    const int size = Log2Bytes(bytes);
    Emit(narrow ? kernels_.narrow[static_cast<int>(*narrow)] : (streams ? kernels_.stream : kernels_.copy)[size],
         {from}, from.type, streams && !BeginsLines(place) ? kNoChain : 0, place);
  }

  // All tiles begin at a cache line if the first one does, so a chain may use non-temporal stores.
  bool BeginsLines(const TilePlace& place) const {
    return AllOf(loop_->sources_[static_cast<size_t>(place.index)].strides,
                 [](int64_t stride) { return stride % static_cast<int64_t>(kStreamedLine) == 0; });
  }

  // Its operands are no longer in the caches either.
  bool Streams(const GraphValue& value) const {
    constexpr int64_t kLeastTile = 1024;
    const int64_t bytes = StorageBytes(value.type);
    return value.bytes() >= kLeastStreamed && space_.nest.tile * bytes >= kLeastTile &&
           kernels_.stream[Log2Bytes(bytes)] != nullptr;
  }

  // ---- Reductions.
  // -------------------------------------------------------------------------------------------------------- Removes
  // the last operation if it only widens the operand of a reduction, which can widen itself.
  TileKernel TakeWidening(TileKernel reduce, Operand* x) {
    const std::vector<LoopOp>& body = loop_->body_;
    if (reduce == nullptr || body.empty() || x->place.kind != TilePlace::kRegister || x->type != TileType::kF32)
      return nullptr;
    const LoopOp last = body.back();
    if (last.op.kernel != kernels_.widen[static_cast<int>(NarrowFloat::kBf16)] ||
        last.out.kind != TilePlace::kRegister || last.out.index != x->place.index)
      return nullptr;
    loop_->body_.pop_back();
    x->place = last.in[0];
    return reduce;
  }

  // `last`: nothing is emitted after it.
  void EmitReduce(const Node& node, bool last) {
    const BinaryOp op = *ReducerOp(*node.instruction->to_apply());
    Operand x = OperandFor(node.inputs[0]);
    if (x.uniform) x = Splat(x);
    const int t = static_cast<int>(x.type);
    const int64_t bytes = TileBytes(x.type);
    TileKernel reduce = kernels_.reduce_rows[static_cast<int>(op)][t];
    const auto& binary = kernels_.binary[static_cast<int>(op)][t];
    const ReduceShape& shape = request_.reduce;

    const GraphValue& init_value = graph_.values[node.inputs[1]];
    Operand init;
    init.type = x.type;
    init.uniform = init.invariant = request_.count > 1;
    init.place = AddSource(AddRef(request_.read(init_value.root), false), init_value.view.offset * bytes,
                           DimVector(space_.dims.size(), 0));
    if (!reduces_) {  // of one element each
      Operand result = EmitBinary(op, init, x, x.type);
      Store(node.outputs[0], &result);
      return;
    }
    const int out = AddRef(request_.write(node.outputs[0]), true) + kWritten;
    if (last && sinks_.empty() && (space_.rows_in_tile || shape.inner == 1)) {
      const TileKernel widening = TakeWidening(kernels_.reduce_bf16_rows[static_cast<int>(op)], &x);
      if (widening != nullptr) reduce = widening;
    }
    if (space_.rows_in_tile) {
      // Each tile has whole rows, whose results are consecutive across tiles.
      LoopOp rows;
      rows.op.kernel = reduce;
      rows.op.extra = shape.reduced;
      rows.in[0] = x.place;
      rows.out = NewRegister(bytes, false, loop_->nest_.tile / shape.reduced);
      loop_->body_.push_back(rows);
      LoopOp join;
      join.op.kernel = binary[kScalarVector];
      join.op.divisor = shape.reduced;
      join.in[0] = init.place;
      join.in[1] = rows.out;
      join.out = AddRowSource(out, bytes);
      loop_->body_.push_back(join);
      return;
    }
    PendingSink& sink = sinks_.emplace_back();
    sink.bytes = bytes;
    sink.op = op;
    sink.type = x.type;
    sink.init = init.place;
    const bool row = shape.inner == 1;
    sink.count = row ? 1 : space_.flat ? shape.inner : loop_->nest_.tile;
    sink.room = row ? 1 : loop_->nest_.tile;
    sink.accumulator = NewRegister(bytes, true, sink.room);
    LoopOp first, next;
    first.in[0] = x.place;
    first.out = next.in[0] = next.out = sink.accumulator;
    next.op.kernel = binary[kVectorVector];
    if (reduces_memory_ && !row && !space_.flat && TakeColumns(op, x, &first)) {
      loop_->all_steps_ = true;
      loop_->first_.push_back(first);
      PutResults(sink, out);
      return;
    }
    if (row) {
      first.op.kernel = reduce;
      LoopOp tile = first;
      tile.out = NewRegister(bytes, true, 1);
      loop_->next_.push_back(tile);
      next.op.divisor = 0;
      next.in[1] = tile.out;
    } else {
      first.op.kernel = kernels_.copy[Log2Bytes(bytes)];
      next.in[1] = x.place;
    }
    loop_->first_.push_back(first);
    loop_->next_.push_back(next);
    PutResults(sink, out);
  }

  // One call for the whole reduction, along its single loop.
  bool TakeColumns(BinaryOp op, Operand x, LoopOp* call) {
    const std::vector<bool>& reduced = loop_->nest_.reduced;
    if (std::count(reduced.begin(), reduced.end(), true) != 1) return false;
    call->op.kernel = kernels_.reduce_columns[static_cast<int>(op)][static_cast<int>(x.type)];
    const TileKernel widening = TakeWidening(kernels_.reduce_bf16_columns[static_cast<int>(op)], &x);
    if (widening != nullptr) call->op.kernel = widening;
    if (call->op.kernel == nullptr) return false;
    const size_t loop = static_cast<size_t>(std::find(reduced.begin(), reduced.end(), true) - reduced.begin());
    call->in[0] = x.place;
    call->in[1] = AddSource(-1, loop_->sources_[x.place.index].strides[loop], DimVector(space_.dims.size(), 0));
    return true;
  }
  // The destination of a unit's results: along the kept loops, in the result's own order.
  void PutResults(PendingSink& sink, int out) {
    DimVector strides(space_.dims.size(), 0);
    if (space_.flat) {
      if (space_.dims.size() > 1) strides[0] = sink.bytes * request_.reduce.inner;
    } else {
      int64_t stride = sink.bytes;
      for (size_t d = space_.dims.size(); d-- > 0;) {
        if (!loop_->nest_.reduced[d]) strides[d] = stride, stride *= space_.dims[d];
      }
    }
    sink.out_place = AddSource(out, 0, strides);
  }

  // Each tile of the one loop gives tile/reduced results.
  TilePlace AddRowSource(int ref, int64_t bytes) {
    loop_->sources_.push_back({ref, 0, {loop_->nest_.tile / request_.reduce.reduced * bytes}});
    return {TilePlace::kSource, static_cast<int32_t>(loop_->sources_.size() - 1)};
  }
  // False: they take more than a thread's scratch memory.
  bool FitRegisters() {
    SmallVector<int64_t, 16> offsets;
    FusedLoop& loop = *loop_;
    loop.register_bytes_ =
        PlaceRegisters({&loop.prologue_, &loop.body_, &loop.first_, &loop.next_}, std::move(registers_), &offsets);
    for (PendingSink& sink : sinks_) sink.accumulator.index = static_cast<int32_t>(offsets[sink.accumulator.index]);
    const size_t ops = loop.prologue_.size() + loop.body_.size() + loop.first_.size() + loop.next_.size();
    return loop.register_bytes_ + static_cast<int64_t>(ops * sizeof(TileOp) + loop.sources_.size() * 8) + 1024 <
           kScratchBytes;
  }

  void Complete() {
    const int reads = static_cast<int>(reads_.size());
    for (LoopSource& source : loop_->sources_) {
      if (source.ref >= kWritten) source.ref += reads - kWritten;
    }
    for (const PendingSink& sink : sinks_) {
      LoopSink done;
      const auto& binary = kernels_.binary[static_cast<int>(sink.op)][static_cast<int>(sink.type)];
      done.combine = binary[kVectorVector];
      done.combine_one = binary[kScalarVector];
      done.element_bytes = sink.bytes;
      done.accumulator = sink.accumulator.index;
      done.accumulator_count = sink.count;
      done.accumulator_room = sink.room;
      done.init = sink.init.index;
      done.out = sink.out_place.index;
      loop_->sinks_.push_back(done);
    }
    FindShareable();
    loop_->SetRefs(reads_, writes_);
    NameIt();
    loop_->Prepare(static_cast<int64_t>(cost_), nanoseconds_);
  }

  // Avoids a formatter and allocates once, because a large module has very many loops.
  void NameIt() {
    std::string& name = loop_->name_;
    name.reserve(64 + 16 * request_.nodes.size());
    name = "loop ";
    name += std::to_string(request_.count);
    name += " elements";
    if (request_.reduces) {
      name += ", reduce ";
      name += std::to_string(request_.reduce.outer);
      name += 'x';
      name += std::to_string(request_.reduce.reduced);
      name += 'x';
      name += std::to_string(request_.reduce.inner);
    }
    name += ':';
    for (int32_t node : request_.nodes) {
      name += ' ';
      name += graph_.nodes[node].instruction->opcode_name();
    }
    if (request_.copied != kNoValue) name += " iota";
  }

  // A result may reuse the buffer of an operand that is read in the same order, and not after the write. Linear in the
  // ops: a loop may have a hundred operands and as many results.
  void FindShareable() {
    const auto& sources = loop_->sources_;
    loop_->reads_.resize(reads_.size());
    loop_->writes_.resize(writes_.size());
    const auto is_read = [&](const LoopSource& source) {
      return source.ref >= 0 && source.ref < static_cast<int32_t>(reads_.size());
    };
    const auto note_reads = [&](const LoopOp& at, int32_t op, int32_t link) {
      for (const TilePlace& place : at.in) {
        if (place.kind != TilePlace::kSource || !is_read(sources[place.index])) continue;
        FusedLoop::Access& read = loop_->reads_[static_cast<size_t>(sources[place.index].ref)];
        read.op = std::max(read.op, op), read.link = std::max(read.link, link);
      }
    };
    // A chain's ops and its links each have their places; other ops have one in both orders.
    int32_t ops_end = 0, links_end = 0;
    for (int32_t i = 0; i < static_cast<int32_t>(loop_->body_.size()); ++i) {
      const LoopOp& at = loop_->body_[static_cast<size_t>(i)];
      if (at.op.kernel == nullptr)
        ops_end = i + 1 + static_cast<int32_t>(at.op.extra), links_end = ops_end + static_cast<int32_t>(at.op.divisor);
      const int32_t op = i >= ops_end && i < links_end ? -1 : i, link = i < ops_end ? -1 : i;
      note_reads(at, op, link);
      if (at.out.kind != TilePlace::kSource) continue;
      const size_t result = static_cast<size_t>(sources[at.out.index].ref) - reads_.size();
      FusedLoop::Access& write = loop_->writes_[result];
      if (write.op < 0) write.op = op;
      if (write.link < 0) write.link = link;
      write.source = at.out.index;
    }
    for (const auto* list : {&loop_->prologue_, &loop_->first_, &loop_->next_})
      for (const LoopOp& at : *list) note_reads(at, FusedLoop::kNeverShared, FusedLoop::kNeverShared);
    for (const PendingSink& sink : sinks_)
      if (const LoopSource& init = sources[sink.init.index]; is_read(init))
        loop_->reads_[static_cast<size_t>(init.ref)].op = FusedLoop::kNeverShared;
    for (size_t s = 0; s < sources.size(); ++s) {
      if (!is_read(sources[s])) continue;
      FusedLoop::Access& read = loop_->reads_[static_cast<size_t>(sources[s].ref)];
      if (read.source < 0) read.source = static_cast<int32_t>(s);
      else if (!SamePlaces(sources[s], sources[static_cast<size_t>(read.source)])) read.op = FusedLoop::kNeverShared;
    }
  }

  const LoopRequest& request_;
  LoopPatterns patterns_;
  const Graph& graph_;
  const KernelTable& kernels_;
  const int64_t max_tile_;
  const bool reduces_;
  bool reduces_memory_ = false;
  std::unique_ptr<FusedLoop> loop_;
  LoopSpace space_;
  double cost_ = 0, nanoseconds_ = 0;
  SmallVector<Ref, 6> reads_, writes_;
  std::vector<PendingSink> sinks_;
  LoopRegisters registers_;
  // All of these are short: a cluster has a hundred nodes at most.
  SmallVector<ValueId, 16> in_cluster_;  // sorted
  SmallVector<Known, 8> results_, loaded_;
  SmallVector<int32_t, 2> early_;    // nodes that were emitted before their turn
  SmallVector<int32_t, 8> aliased_;  // registers shared by two values
};

int64_t FusedLoopPartialBytes(const Step& loop) { return static_cast<const FusedLoop&>(loop).partial_bytes(); }

std::unique_ptr<Step> BuildFusedLoop(const LoopRequest& request) {
  for (int64_t tile = request.nodes.size() > 24 ? kMaxTile / 2 : kMaxTile;; tile /= 2) {
    if (auto loop = LoopBuilder(request, tile).Build()) return loop;
    if (tile == 1) return nullptr;
  }
}

}  // namespace hloir::cpu
