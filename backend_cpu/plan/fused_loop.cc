// Compiles a cluster of nodes into a FusedLoop: chooses the nest of loops, then emits tile ops and gives registers places.
#include "plan/fused_loop.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "hloir/format.h"
#include "plan/fused_loop_step.h"

namespace hloir::cpu {
namespace {

constexpr int64_t kMaxTile = 1024;
constexpr int64_t kMinRow = 64;  // shorter rows are not worth a kernel call each

int64_t TileBytes(TileType type) {
  switch (type) {
    case TileType::kPred: case TileType::kS8: case TileType::kU8: return 1;
    case TileType::kS16: case TileType::kU16: return 2;
    case TileType::kS32: case TileType::kU32: case TileType::kF32: return 4;
    case TileType::kS64: case TileType::kU64: case TileType::kF64: return 8;
  }
  __builtin_unreachable();
}

std::optional<NarrowFloat> Narrow(PrimitiveType type) {
  if (type == PrimitiveType::BF16) return NarrowFloat::kBf16;
  if (type == PrimitiveType::F16) return NarrowFloat::kF16;
  return std::nullopt;
}

std::optional<UnaryOp> UnaryOpFor(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs: return UnaryOp::kAbs;
    case HloOpcode::kNegate: return UnaryOp::kNegate;
    case HloOpcode::kNot: return UnaryOp::kNot;
    case HloOpcode::kSign: return UnaryOp::kSign;
    case HloOpcode::kCeil: return UnaryOp::kCeil;
    case HloOpcode::kFloor: return UnaryOp::kFloor;
    case HloOpcode::kRoundNearestAfz: return UnaryOp::kRoundAfz;
    case HloOpcode::kRoundNearestEven: return UnaryOp::kRoundEven;
    case HloOpcode::kClz: return UnaryOp::kClz;
    case HloOpcode::kPopulationCount: return UnaryOp::kPopcnt;
    case HloOpcode::kIsFinite: return UnaryOp::kIsFinite;
    case HloOpcode::kSqrt: return UnaryOp::kSqrt;
    case HloOpcode::kRsqrt: return UnaryOp::kRsqrt;
    case HloOpcode::kCbrt: return UnaryOp::kCbrt;
    case HloOpcode::kExp: return UnaryOp::kExp;
    case HloOpcode::kExpm1: return UnaryOp::kExpm1;
    case HloOpcode::kLog: return UnaryOp::kLog;
    case HloOpcode::kLog1p: return UnaryOp::kLog1p;
    case HloOpcode::kLogistic: return UnaryOp::kLogistic;
    case HloOpcode::kTanh: return UnaryOp::kTanh;
    case HloOpcode::kSin: return UnaryOp::kSin;
    case HloOpcode::kCos: return UnaryOp::kCos;
    case HloOpcode::kTan: return UnaryOp::kTan;
    case HloOpcode::kSinh: return UnaryOp::kSinh;
    case HloOpcode::kCosh: return UnaryOp::kCosh;
    case HloOpcode::kAsin: return UnaryOp::kAsin;
    case HloOpcode::kAcos: return UnaryOp::kAcos;
    case HloOpcode::kAsinh: return UnaryOp::kAsinh;
    case HloOpcode::kAcosh: return UnaryOp::kAcosh;
    case HloOpcode::kAtanh: return UnaryOp::kAtanh;
    case HloOpcode::kErf: return UnaryOp::kErf;
    default: return std::nullopt;
  }
}

std::optional<BinaryOp> BinaryOpFor(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAdd: return BinaryOp::kAdd;
    case HloOpcode::kSubtract: return BinaryOp::kSubtract;
    case HloOpcode::kMultiply: return BinaryOp::kMultiply;
    case HloOpcode::kDivide: return BinaryOp::kDivide;
    case HloOpcode::kRemainder: return BinaryOp::kRemainder;
    case HloOpcode::kMaximum: return BinaryOp::kMaximum;
    case HloOpcode::kMinimum: return BinaryOp::kMinimum;
    case HloOpcode::kAnd: return BinaryOp::kAnd;
    case HloOpcode::kOr: return BinaryOp::kOr;
    case HloOpcode::kXor: return BinaryOp::kXor;
    case HloOpcode::kShiftLeft: return BinaryOp::kShiftLeft;
    case HloOpcode::kShiftRightArithmetic: return BinaryOp::kShiftRightArithmetic;
    case HloOpcode::kShiftRightLogical: return BinaryOp::kShiftRightLogical;
    case HloOpcode::kMulhi: return BinaryOp::kMulhi;
    case HloOpcode::kPower: return BinaryOp::kPower;
    case HloOpcode::kAtan2: return BinaryOp::kAtan2;
    default: return std::nullopt;
  }
}

std::optional<BinaryOp> CompareOpFor(const HloInstruction& instruction) {
  const CompareAttributes& attributes = instruction.attributes<CompareAttributes>();
  PrimitiveType type = instruction.operand(0)->shape().element_type();
  const bool total = attributes.type == ComparisonType::kFloatTotalOrder;
  if (total && !IsFloat(type)) return std::nullopt;
  // An integer compared in the other sign's order is not worth a kernel.
  if (attributes.type == ComparisonType::kSigned && !IsSigned(type)) return std::nullopt;
  if (attributes.type == ComparisonType::kUnsigned && !IsUnsigned(type) && type != PrimitiveType::PRED) return std::nullopt;
  static_assert(static_cast<int>(ComparisonDirection::kLt) == 5);
  BinaryOp base = total ? BinaryOp::kTotalEq : BinaryOp::kEq;  // both lists are in the directions' order
  return static_cast<BinaryOp>(static_cast<int>(base) + static_cast<int>(attributes.direction));
}

// Results of these on narrow floats need no rounding.
bool KeepsPrecision(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs: case HloOpcode::kNegate: case HloOpcode::kSign: case HloOpcode::kCeil: case HloOpcode::kFloor:
    case HloOpcode::kRoundNearestAfz: case HloOpcode::kRoundNearestEven: case HloOpcode::kMaximum: case HloOpcode::kMinimum:
      return true;
    default: return false;
  }
}

// Rough nanoseconds for one element.
double CostOf(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kExp: case HloOpcode::kTanh: case HloOpcode::kLogistic: case HloOpcode::kLog: case HloOpcode::kSin:
    case HloOpcode::kCos: return 1;
    case HloOpcode::kDivide: case HloOpcode::kSqrt: case HloOpcode::kRsqrt: return 0.5;
    case HloOpcode::kRemainder: return 3;
    default: return HasTrait(opcode, kTranscendental) ? 8 : 0.1;
  }
}

// The operation of a reduction by a plain binary op, if that is what the computation is.
std::optional<BinaryOp> ReducerOp(const HloComputation& computation) {
  const HloInstruction* root = computation.root();
  while (root->opcode() == HloOpcode::kCall || root->opcode() == HloOpcode::kFusion) {
    // A call that passes its parameters on in order.
    if (root->operand_count() != 2) return std::nullopt;
    for (int64_t i = 0; i < 2; ++i) {
      if (!root->operand(i)->IsParameter() || root->operand(i)->parameter_number() != i) return std::nullopt;
    }
    root = root->called_computations()[0]->root();
  }
  if (root->operand_count() != 2) return std::nullopt;
  const HloInstruction *a = root->operand(0), *b = root->operand(1);
  if (!a->IsParameter() || !b->IsParameter() || a == b) return std::nullopt;
  switch (root->opcode()) {
    case HloOpcode::kAdd: case HloOpcode::kMultiply: case HloOpcode::kMaximum: case HloOpcode::kMinimum:
    case HloOpcode::kAnd: case HloOpcode::kOr: case HloOpcode::kXor:
      return BinaryOpFor(root->opcode());
    default: return std::nullopt;
  }
}

// Loads along any view: in[0] is the array (or the first number), in[1] the tile's first element in the loop's order.
template <class T>
void LoadAlongView(const TileOp& op, int64_t n) {
  const View& view = *static_cast<const View*>(op.aux);
  const T* base = static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  const int rank = static_cast<int>(view.dims.size());
  int64_t index[64];
  int64_t linear = reinterpret_cast<intptr_t>(op.in[1]), at = 0;
  for (int d = rank; d-- > 0;) index[d] = linear % view.dims[d], linear /= view.dims[d], at += index[d] * view.strides[d];
  const int64_t inner = view.dims[rank - 1], stride = view.strides[rank - 1];
  while (n > 0) {
    const int64_t run = std::min(n, inner - index[rank - 1]);
    const T* from = base + at;
    if (stride == 0) for (int64_t i = 0; i < run; ++i) out[i] = *from;
    else if (stride == 1) for (int64_t i = 0; i < run; ++i) out[i] = from[i];
    else for (int64_t i = 0; i < run; ++i) out[i] = from[i * stride];
    out += run;
    n -= run;
    at -= index[rank - 1] * stride;
    index[rank - 1] = 0;
    for (int d = rank - 1; d-- > 0;) {
      at += view.strides[d];
      if (++index[d] < view.dims[d]) break;
      at -= view.dims[d] * view.strides[d];
      index[d] = 0;
    }
  }
}
template <class T>
void NumbersAlongView(const TileOp& op, int64_t n) {
  const View& view = *static_cast<const View*>(op.aux);
  T* out = static_cast<T*>(op.out);
  const int rank = static_cast<int>(view.dims.size());
  const int64_t start = reinterpret_cast<intptr_t>(op.in[0]), first = reinterpret_cast<intptr_t>(op.in[1]);
  for (int64_t i = 0; i < n; ++i) {
    int64_t linear = first + i, number = start;
    for (int d = rank; d-- > 0; linear /= view.dims[d]) number += linear % view.dims[d] * view.strides[d];
    out[i] = static_cast<T>(number);
  }
}
TileKernel LoadKernel(int64_t bytes) {
  switch (bytes) {
    case 1: return &LoadAlongView<uint8_t>;
    case 2: return &LoadAlongView<uint16_t>;
    case 4: return &LoadAlongView<uint32_t>;
    default: return &LoadAlongView<uint64_t>;
  }
}
TileKernel NumbersKernel(TileType type) {
  switch (type) {
    case TileType::kPred: return &NumbersAlongView<bool>;
    case TileType::kS8: case TileType::kU8: return &NumbersAlongView<uint8_t>;
    case TileType::kS16: case TileType::kU16: return &NumbersAlongView<uint16_t>;
    case TileType::kS32: case TileType::kU32: return &NumbersAlongView<uint32_t>;
    case TileType::kS64: case TileType::kU64: return &NumbersAlongView<uint64_t>;
    case TileType::kF32: return &NumbersAlongView<float>;
    case TileType::kF64: return &NumbersAlongView<double>;
  }
  __builtin_unreachable();
}
int Log2Bytes(int64_t bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3; }

}  // namespace

bool TileTypeFor(PrimitiveType type, TileType* tile) {
  switch (type) {
    case PrimitiveType::PRED: *tile = TileType::kPred; return true;
    case PrimitiveType::S8: *tile = TileType::kS8; return true;
    case PrimitiveType::U8: *tile = TileType::kU8; return true;
    case PrimitiveType::S16: *tile = TileType::kS16; return true;
    case PrimitiveType::U16: *tile = TileType::kU16; return true;
    case PrimitiveType::S32: *tile = TileType::kS32; return true;
    case PrimitiveType::U32: *tile = TileType::kU32; return true;
    case PrimitiveType::S64: *tile = TileType::kS64; return true;
    case PrimitiveType::U64: *tile = TileType::kU64; return true;
    case PrimitiveType::F32: case PrimitiveType::BF16: case PrimitiveType::F16: *tile = TileType::kF32; return true;
    case PrimitiveType::F64: *tile = TileType::kF64; return true;
    default: return false;
  }
}

bool LoopSupports(const HloInstruction& instruction, const KernelTable& kernels) {
  if (!instruction.shape().IsArray()) return false;
  TileType result, type;
  if (!TileTypeFor(instruction.shape().element_type(), &result)) return false;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray() || !TileTypeFor(operand->shape().element_type(), &type)) return false;
  }
  const HloOpcode opcode = instruction.opcode();
  if (instruction.operand_count() > 0) TileTypeFor(instruction.operand(0)->shape().element_type(), &type);
  const int t = static_cast<int>(type);
  if (auto unary = UnaryOpFor(opcode)) return kernels.unary[static_cast<int>(*unary)][t] != nullptr;
  if (auto binary = BinaryOpFor(opcode)) return kernels.binary[static_cast<int>(*binary)][t][0] != nullptr;
  switch (opcode) {
    case HloOpcode::kCompare: {
      auto compare = CompareOpFor(instruction);
      return compare && kernels.binary[static_cast<int>(*compare)][t][0] != nullptr;
    }
    case HloOpcode::kSelect:
    case HloOpcode::kClamp:
      return true;
    case HloOpcode::kConvert: {
      // Wide numbers would be rounded twice on their way to a narrow float.
      PrimitiveType from = instruction.operand(0)->shape().element_type();
      return !Narrow(instruction.shape().element_type()) || BitWidth(from) <= 16 || from == PrimitiveType::F32;
    }
    case HloOpcode::kBitcastConvert: {
      PrimitiveType from = instruction.operand(0)->shape().element_type(), to = instruction.shape().element_type();
      return BitWidth(from) == BitWidth(to) && !Narrow(from) && !Narrow(to) && from != PrimitiveType::PRED &&
             to != PrimitiveType::PRED;
    }
    default: return false;
  }
}

bool LoopSupportsReduce(const HloInstruction& instruction, const KernelTable& kernels, ReduceShape* shape) {
  if (instruction.operand_count() != 2 || !instruction.shape().IsArray()) return false;
  const Shape& input = instruction.operand(0)->shape();
  TileType type;
  auto op = ReducerOp(*instruction.to_apply());
  if (!op || !TileTypeFor(input.element_type(), &type) || Narrow(input.element_type()) || input.element_type() != instruction.shape().element_type() ||
      kernels.reduce_rows[static_cast<int>(*op)][static_cast<int>(type)] == nullptr || input.ElementCount() == 0) {
    return false;
  }
  std::vector<bool> reduced(input.rank());
  for (int64_t d : instruction.dimensions()) reduced[d] = true;
  *shape = ReduceShape();
  int phase = 0;  // outer, reduced, inner
  for (int64_t d = 0; d < input.rank(); ++d) {
    const int64_t size = input.dimensions(d);
    if (size == 1) continue;
    if (reduced[d]) {
      if (phase == 2) return false;
      phase = 1;
      shape->reduced *= size;
    } else if (phase == 0) {
      shape->outer *= size;
    } else {
      phase = 2;
      shape->inner *= size;
    }
  }
  return true;
}

TileKernel ReducerKernel(const HloComputation& computation, PrimitiveType type, const KernelTable& kernels) {
  TileType tile;
  auto op = ReducerOp(computation);
  if (!op || Narrow(type) || !TileTypeFor(type, &tile)) return nullptr;
  return kernels.binary[static_cast<int>(*op)][static_cast<int>(tile)][kVectorVector];
}

// What an emitted value is: a register or memory that is read in place.
class LoopBuilder {
 public:
  LoopBuilder(const LoopRequest& request, int64_t max_tile)
      : request_(request), graph_(*request.graph), kernels_(*request.kernels), max_tile_(max_tile), reduces_(request.reduces && request.reduce.reduced > 1),
        loop_(std::make_unique<FusedLoop>()) {}

  // Nothing, if the registers do not fit; then try a smaller tile.
  std::unique_ptr<FusedLoop> Build() {
    for (int32_t node : request_.nodes) for (ValueId id : graph_.nodes[node].outputs) in_cluster_[id] = true;
    for (ValueId id : request_.stored) stored_[id] = true;
    ChooseNest();
    for (int32_t index : request_.nodes) {
      const Node& node = graph_.nodes[index];
      cost_ += CostOf(node.opcode()) * static_cast<double>(request_.count);
      if (node.opcode() == HloOpcode::kReduce) EmitReduce(node);
      else EmitNode(node);
    }
    if (!PlaceRegisters()) return nullptr;
    Complete();
    return std::move(loop_);
  }

 private:
  struct Operand {
    TilePlace place;
    TileType type = TileType::kF32;
    bool uniform = false;    // one element, for the whole tile
    bool invariant = false;  // the same for every tile
  };

  // ---- The nest. ----------------------------------------------------------------------------------------------------------
  void CollectViews(std::vector<View>* views) const {
    for (int32_t index : request_.nodes) {
      const Node& node = graph_.nodes[index];
      const size_t inputs = node.opcode() == HloOpcode::kReduce ? 1 : node.inputs.size();
      for (size_t i = 0; i < inputs; ++i) {
        const Value& value = graph_.values[node.inputs[i]];
        if (value.count != request_.count || InRegister(node.inputs[i])) continue;
        View view = value.view.Collapse();
        if (view.dims.size() > 1) views->push_back(std::move(view));
      }
    }
  }

  // Sizes of loops, outermost first, along which the reductions and as many views as possible have strides. No view may
  // make rows shorter than kMinRow: it is followed element by element then.
  DimVector CommonDims(const std::vector<View>& views) const {
    std::vector<int64_t> boundaries{1, request_.count};  // ascending; each divides the next
    auto add = [&](std::span<const int64_t> wanted) {
      std::vector<int64_t> joined = boundaries;
      joined.insert(joined.end(), wanted.begin(), wanted.end());
      std::sort(joined.begin(), joined.end());
      joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
      for (size_t i = 1; i < joined.size(); ++i) if (joined[i] % joined[i - 1] != 0) return;
      boundaries = std::move(joined);
    };
    if (reduces_) add(std::vector<int64_t>{request_.reduce.inner, request_.reduce.inner * request_.reduce.reduced});
    for (const View& view : views) {
      std::vector<int64_t> wanted;
      for (size_t d = view.dims.size(), suffix = 1; d-- > 1;) wanted.push_back(static_cast<int64_t>(suffix *= view.dims[d]));
      if (wanted[0] >= kMinRow) add(wanted);
    }
    DimVector dims;
    for (size_t i = boundaries.size(); i-- > 1;) dims.push_back(boundaries[i] / boundaries[i - 1]);
    return dims;
  }

  void ChooseNest() {
    std::vector<View> views;
    CollectViews(&views);
    LoopNest& nest = loop_->nest_;
    const ReduceShape& reduce = request_.reduce;
    dims_ = CommonDims(views);
    flat_ = dims_.empty() || dims_.back() < kMinRow;
    if (flat_) {
      // Loops over the kept outer part, if what follows it is reduced together; all else is one row.
      const bool rows = reduces_ && reduce.inner == 1 && reduce.reduced <= max_tile_;
      const int64_t outer = reduces_ && !rows ? reduce.outer : 1;
      dims_ = outer > 1 ? DimVector{outer, request_.count / outer} : DimVector{request_.count};
      rows_in_tile_ = rows;
    }
    nest.sizes = dims_;
    nest.tile_loop = static_cast<int>(dims_.size()) - 1;
    nest.extent = dims_.back();
    nest.tile = std::min(nest.extent, max_tile_);
    if (flat_ && nest.extent > nest.tile) {
      // Tiles of whole rows where that is needed, or lets what repeats be loaded once.
      int64_t unit = reduces_ ? (rows_in_tile_ ? reduce.reduced : reduce.inner) : 1;
      for (const View& view : views) {
        if (view.strides[0] != 0) continue;
        const int64_t period = std::lcm(unit, view.count() / view.dims[0]);
        if (period <= max_tile_) unit = period;
      }
      nest.tile = std::max<int64_t>(1, max_tile_ / unit) * unit;
    } else if (!flat_) {
      // Equal tiles, in whole vectors.
      const int64_t tiles = (nest.extent + max_tile_ - 1) / max_tile_;
      nest.tile = std::min(nest.extent, ((nest.extent + tiles - 1) / tiles + 63) / 64 * 64);
    }
    nest.sizes.back() = (nest.extent + nest.tile - 1) / nest.tile;
    nest.reduced.assign(dims_.size(), false);
    if (reduces_ && !rows_in_tile_) {
      int64_t suffix = 1;
      for (size_t d = dims_.size(); d-- > 0;) {
        const int64_t next = suffix * dims_[d];
        // In flat mode the row is reduced × inner, and its tiles are folded.
        nest.reduced[d] = flat_ ? d + 1 == dims_.size() : suffix >= reduce.inner && next <= reduce.inner * reduce.reduced;
        suffix = next;
      }
    }
  }

  // ---- Sources. -----------------------------------------------------------------------------------------------------------
  int AddRef(Ref ref, bool written) {
    std::vector<Ref>& list = written ? writes_ : reads_;
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
  DimVector RowMajorStrides() const { return View::RowMajor(dims_).strides; }

  // The view's strides along dims_, if it has any.
  std::optional<DimVector> SplitStrides(const View& collapsed) const {
    if (collapsed.dims.empty()) return DimVector(dims_.size(), 0);
    auto view = collapsed.Reshape(dims_);
    if (!view) return std::nullopt;
    return view->strides;
  }

  // ---- Ops. ---------------------------------------------------------------------------------------------------------------
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
    result.place = out ? *out : NewRegister(out_bytes > 0 ? out_bytes : TileBytes(type), result.invariant);
    op.out = result.place;
    (result.invariant ? loop_->prologue_ : loop_->body_).push_back(op);
    return result;
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
    const Value& value = graph_.values[id];
    if (value.root == kNoValue) return false;
    auto it = in_cluster_.find(value.root);
    return it != in_cluster_.end() && graph_.IsWhole(id) && value.type == graph_.values[value.root].type;
  }

  Operand OperandFor(ValueId id) {
    const Value& value = graph_.values[id];
    if (InRegister(id)) {
      auto it = results_.find(value.root);
      if (it != results_.end()) return it->second;
    }
    for (const auto& [other, operand] : loaded_) {
      const Value& seen = graph_.values[other];
      if (other == id || (seen.root == value.root && seen.type == value.type && seen.view.offset == value.view.offset &&
                          seen.view.dims == value.view.dims && seen.view.strides == value.view.strides)) {
        return operand;
      }
    }
    Operand operand = Load(id);
    loaded_.emplace_back(id, operand);
    return operand;
  }

  Operand Load(ValueId id) {
    const Value& value = graph_.values[id];
    const View view = value.view.Collapse();
    const auto narrow = Narrow(value.type);
    Operand operand;
    TileTypeFor(value.type, &operand.type);
    const bool numbers = value.kind == ValueKind::kNumbers;
    const int64_t bytes = numbers ? 1 : StorageBytes(value.type);
    const int ref = numbers ? -1 : AddRef(request_.read(value.root), false);
    const int64_t offset = view.offset * bytes;
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
      operand.place = AddSource(ref, offset, *strides);
      operand = Emit(kernels_.iota[t], {operand}, operand.type, inner);
    } else if (strides && inner == 1) {
      operand.place = AddSource(ref, offset, Scaled(*strides, bytes));
    } else if (strides) {
      operand.place = AddSource(ref, offset, Scaled(*strides, bytes));
      operand = Emit(kernels_.strided_load[Log2Bytes(bytes)], {operand}, operand.type, inner, std::nullopt, size);
    } else {
      // No strides fit the nest: follow the view, from the tile's place in the loop's order.
      operand.place = AddSource(ref, offset, DimVector(dims_.size(), 0));
      Operand first;
      first.place = AddSource(-1, 0, RowMajorStrides());
      const int64_t period = view.strides[0] == 0 ? view.count() / view.dims[0] : view.count();
      operand.invariant = first.invariant = period <= loop_->nest_.tile && loop_->nest_.tile % period == 0 &&
                                            (dims_.size() == 1 || dims_.back() % period == 0);
      operand = Emit(numbers ? NumbersKernel(operand.type) : LoadKernel(bytes), {operand, first}, operand.type, 0,
                     std::nullopt, size);
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
      case HloOpcode::kCompare:
        return EmitBinary(*CompareOpFor(instruction), in[0], in[1], TileType::kPred);
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
        return Rounded(Emit(kernels_.convert[t][static_cast<int>(type)], {in[0]}, type), to);
      default:  // bitcast-convert
        return Emit(kernels_.copy[Log2Bytes(TileBytes(type))], {in[0]}, type);
    }
  }

  void EmitNode(const Node& node) {
    const ValueId id = node.outputs[0];
    Operand in[3];
    for (size_t i = 0; i < node.inputs.size(); ++i) in[i] = OperandFor(node.inputs[i]);
    Operand result = node.is_copy ? in[0] : Compute(*node.instruction, {in, node.inputs.size()});
    // Some conversions do nothing; then two values share a register.
    for (const Operand& operand : in) {
      if (operand.place.kind == TilePlace::kRegister && result.place.kind == TilePlace::kRegister &&
          operand.place.index == result.place.index) {
        aliased_.insert({result.place.index, true});
      }
    }
    if (stored_.contains(id)) Store(id, &result);
    results_[id] = result;
  }

  // Has the result written to memory: by the op that computes it, if that is the last one emitted and stores as it is.
  void Store(ValueId id, Operand* result) {
    const Value& value = graph_.values[id];
    const int64_t bytes = StorageBytes(value.type);
    const int ref = AddRef(request_.write(id), true) + kWritten;
    const TilePlace place = AddSource(ref, 0, Scaled(RowMajorStrides(), bytes));
    auto narrow = Narrow(value.type);
    std::vector<LoopOp>& body = loop_->body_;
    const bool last = !body.empty() && body.back().out.kind == TilePlace::kRegister && result->place.kind == TilePlace::kRegister &&
                      body.back().out.index == result->place.index && !result->uniform;
    if (!narrow && last && !aliased_.contains(result->place.index)) {
      body.back().out = place;
      result->place = place;
      return;
    }
    if (result->place.kind == TilePlace::kRegister) aliased_.insert({result->place.index, true});
    Operand from = *result;
    from.invariant = false;
    if (from.uniform && !narrow) {
      LoopOp op;
      op.op.kernel = kernels_.splat[static_cast<int>(from.type)];
      op.in[0] = from.place;
      op.out = place;
      body.push_back(op);
      return;
    }
    if (from.uniform) from = Splat(*result), from.invariant = false;
    Emit(narrow ? kernels_.narrow[static_cast<int>(*narrow)] : kernels_.copy[Log2Bytes(bytes)], {from}, from.type, 0, place);
  }

  // ---- Reductions. --------------------------------------------------------------------------------------------------------
  void EmitReduce(const Node& node) {
    const BinaryOp op = *ReducerOp(*node.instruction->to_apply());
    Operand x = OperandFor(node.inputs[0]);
    if (x.uniform) x = Splat(x);
    const int t = static_cast<int>(x.type);
    const int64_t bytes = TileBytes(x.type);
    const TileKernel reduce = kernels_.reduce_rows[static_cast<int>(op)][t];
    const auto& binary = kernels_.binary[static_cast<int>(op)][t];
    const ReduceShape& shape = request_.reduce;

    const Value& init_value = graph_.values[node.inputs[1]];
    Operand init;
    init.type = x.type;
    init.uniform = init.invariant = request_.count > 1;
    init.place = AddSource(AddRef(request_.read(init_value.root), false), init_value.view.offset * bytes,
                           DimVector(dims_.size(), 0));
    if (!reduces_) {  // of one element each
      Operand result = EmitBinary(op, init, x, x.type);
      Store(node.outputs[0], &result);
      return;
    }
    const int out = AddRef(request_.write(node.outputs[0]), true) + kWritten;
    if (rows_in_tile_) {
      // Whole rows lie in each tile: their results follow one another as the tiles do.
      LoopOp rows;
      rows.op.kernel = reduce;
      rows.op.extra = shape.reduced;
      rows.in[0] = x.place;
      rows.out = NewRegister(bytes, false);
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
    sink.count = row ? 1 : flat_ ? shape.inner : loop_->nest_.tile;
    sink.room = row ? 1 : loop_->nest_.tile;
    sink.accumulator = NewRegister(bytes, true, sink.room);
    LoopOp first, next;
    first.in[0] = x.place;
    first.out = next.in[0] = next.out = sink.accumulator;
    next.op.kernel = binary[kVectorVector];
    if (row) {
      first.op.kernel = reduce;
      LoopOp tile = first;
      tile.out = NewRegister(bytes, true, 1);
      next_.push_back(tile);
      next.op.divisor = 0;
      next.in[1] = tile.out;
    } else {
      first.op.kernel = kernels_.copy[Log2Bytes(bytes)];
      next.in[1] = x.place;
    }
    first_.push_back(first);
    next_.push_back(next);
    // Where a unit's results go: along the kept loops, in the result's own order.
    DimVector strides(dims_.size(), 0);
    if (flat_) {
      if (dims_.size() > 1) strides[0] = bytes * shape.inner;
    } else {
      int64_t stride = bytes;
      for (size_t d = dims_.size(); d-- > 0;) {
        if (!loop_->nest_.reduced[d]) strides[d] = stride, stride *= dims_[d];
      }
    }
    sink.out_place = AddSource(out, 0, strides);
  }

  // Each tile of the one loop gives tile/reduced results.
  TilePlace AddRowSource(int ref, int64_t bytes) {
    loop_->sources_.push_back({ref, 0, {loop_->nest_.tile / request_.reduce.reduced * bytes}});
    return {TilePlace::kSource, static_cast<int32_t>(loop_->sources_.size() - 1)};
  }

  // ---- Registers. ---------------------------------------------------------------------------------------------------------
  bool PlaceRegisters() {
    loop_->first_ = first_;
    loop_->next_ = next_;
    const int64_t body_end = static_cast<int64_t>(loop_->body_.size());
    std::vector<int64_t> last_use(registers_.size(), -1);
    auto use = [&](const LoopOp& op, int64_t at) {
      for (const TilePlace& place : op.in) {
        if (place.kind == TilePlace::kRegister) last_use[place.index] = std::max(last_use[place.index], at);
      }
      if (op.out.kind == TilePlace::kRegister) last_use[op.out.index] = std::max(last_use[op.out.index], at);
    };
    for (int64_t i = 0; i < body_end; ++i) use(loop_->body_[i], i);
    for (const auto* list : {&loop_->prologue_, &loop_->first_, &loop_->next_}) {
      for (const LoopOp& op : *list) use(op, body_end);
    }
    // Registers of one size share places when one is done before the next begins.
    std::vector<int64_t> offsets(registers_.size(), -1);
    std::unordered_map<int64_t, std::vector<int64_t>> free;
    int64_t top = 0;
    auto take = [&](int32_t r) {
      if (offsets[r] >= 0) return;
      const int64_t bytes = (registers_[r].bytes + 63) / 64 * 64;
      std::vector<int64_t>& list = free[registers_[r].bytes];  // not rounded: an op may write over equal elements only
      if (!registers_[r].persistent && !list.empty()) {
        offsets[r] = list.back();
        list.pop_back();
      } else {
        offsets[r] = top;
        top += bytes;
      }
    };
    for (const auto* list : {&loop_->prologue_, &loop_->first_, &loop_->next_}) {
      for (const LoopOp& op : *list) {
        for (const TilePlace& place : op.in) if (place.kind == TilePlace::kRegister && registers_[place.index].persistent) take(place.index);
        if (op.out.kind == TilePlace::kRegister) registers_[op.out.index].persistent = true, take(op.out.index);
      }
    }
    for (int64_t i = 0; i < body_end; ++i) {
      const LoopOp& op = loop_->body_[i];
      auto release = [&] {
        for (int k = 0; k < 3; ++k) {
          const TilePlace& place = op.in[k];
          if (place.kind != TilePlace::kRegister || last_use[place.index] != i || registers_[place.index].persistent) continue;
          bool again = false;
          for (int j = 0; j < k; ++j) again = again || (op.in[j].kind == TilePlace::kRegister && op.in[j].index == place.index);
          if (!again) free[registers_[place.index].bytes].push_back(offsets[place.index]);
        }
      };
      // An elementwise op may write over what it reads: element i is read before it is written, in equal sizes.
      if (op.op.extra == 0 && op.op.aux == nullptr) {
        release();
        if (op.out.kind == TilePlace::kRegister) take(op.out.index);
      } else {
        if (op.out.kind == TilePlace::kRegister) take(op.out.index);
        release();
      }
      if (op.out.kind == TilePlace::kRegister && last_use[op.out.index] == i && !registers_[op.out.index].persistent) {
        free[registers_[op.out.index].bytes].push_back(offsets[op.out.index]);
      }
    }
    for (auto* list : {&loop_->prologue_, &loop_->body_, &loop_->first_, &loop_->next_}) {
      for (LoopOp& op : *list) {
        for (TilePlace& place : op.in) if (place.kind == TilePlace::kRegister) place.index = static_cast<int32_t>(offsets[place.index]);
        if (op.out.kind == TilePlace::kRegister) op.out.index = static_cast<int32_t>(offsets[op.out.index]);
      }
    }
    for (PendingSink& sink : sinks_) {
      sink.accumulator.index = static_cast<int32_t>(offsets[sink.accumulator.index]);
    }
    loop_->register_bytes_ = (top + 63) / 64 * 64;
    const int64_t ops = static_cast<int64_t>(loop_->prologue_.size() + loop_->body_.size() + first_.size() + next_.size());
    return top + ops * static_cast<int64_t>(sizeof(TileOp)) + static_cast<int64_t>(loop_->sources_.size()) * 8 + 1024 < kScratchBytes;
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
    loop_->name_ = Format("loop {} elements", request_.count);
    if (request_.reduces) {
      loop_->name_ += Format(", reduce {}x{}x{}", request_.reduce.outer, request_.reduce.reduced, request_.reduce.inner);
    }
    loop_->name_ += ":";
    for (int32_t node : request_.nodes) {
      loop_->name_ += " ";
      loop_->name_ += graph_.nodes[node].instruction->opcode_name();
    }
    loop_->Prepare(static_cast<int64_t>(cost_));
  }

  // A result may take the place of an operand that is read in the same order, and no more once the result is written.
  void FindShareable() {
    const auto& sources = loop_->sources_;
    auto uses = [&](const std::vector<LoopOp>& list, int ref) {
      int last = -1;
      for (size_t i = 0; i < list.size(); ++i) {
        for (const TilePlace& place : list[i].in) {
          if (place.kind == TilePlace::kSource && sources[place.index].ref == ref) last = static_cast<int>(i);
        }
      }
      return last;
    };
    const int reads = static_cast<int>(reads_.size());
    for (size_t i = 0; i < loop_->body_.size(); ++i) {
      const TilePlace& out = loop_->body_[i].out;
      if (out.kind != TilePlace::kSource) continue;
      const LoopSource& target = sources[out.index];
      for (int r = 0; r < reads; ++r) {
        if (uses(loop_->prologue_, r) >= 0 || uses(loop_->first_, r) >= 0 || uses(loop_->next_, r) >= 0) continue;
        bool same = true;
        for (const PendingSink& sink : sinks_) same = same && sources[sink.init.index].ref != r;
        for (const LoopSource& source : sources) {
          if (source.ref == r) same = same && source.strides == target.strides && source.offset == target.offset;
        }
        if (same && uses(loop_->body_, r) >= 0 && uses(loop_->body_, r) <= static_cast<int>(i)) {
          loop_->shareable_.emplace_back(r, target.ref);
        }
      }
    }
  }

  struct Register {
    int64_t bytes;
    bool persistent;  // keeps its value from tile to tile
  };
  struct PendingSink {
    BinaryOp op = BinaryOp::kAdd;
    TileType type = TileType::kF32;
    int64_t bytes = 4, count = 1, room = 1;
    TilePlace accumulator, init, out_place;
  };

  const LoopRequest& request_;
  const Graph& graph_;
  const KernelTable& kernels_;
  const int64_t max_tile_;
  const bool reduces_;
  std::unique_ptr<FusedLoop> loop_;
  DimVector dims_;             // the loop's index space; the last is cut into tiles
  bool flat_ = false;          // rows are too short for a kernel call each: all is one row, other views are loaded
  bool rows_in_tile_ = false;  // reductions of short rows
  double cost_ = 0;
  std::vector<Ref> reads_, writes_;
  std::vector<LoopOp> first_, next_;
  std::vector<PendingSink> sinks_;
  std::vector<Register> registers_;
  std::unordered_map<ValueId, bool> in_cluster_, stored_;
  std::unordered_map<ValueId, Operand> results_;
  std::unordered_map<int32_t, bool> aliased_;  // registers that two values are in
  std::vector<std::pair<ValueId, Operand>> loaded_;
};

int64_t FusedLoopPartialBytes(const Step& loop) { return static_cast<const FusedLoop&>(loop).partial_bytes(); }

std::unique_ptr<Step> BuildFusedLoop(const LoopRequest& request) {
  for (int64_t tile = request.nodes.size() > 24 ? kMaxTile / 2 : kMaxTile;; tile /= 2) {
    if (auto loop = LoopBuilder(request, tile).Build()) return loop;
    if (tile == 1) return nullptr;
  }
}

}  // namespace hloir::cpu
