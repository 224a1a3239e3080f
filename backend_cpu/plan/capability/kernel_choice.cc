// See kernel_choice.h.
#include "plan/capability/kernel_choice.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>

#include "kernels/move_kernels.h"

namespace hloir::cpu {
namespace {
constexpr int64_t kLeastTransposed = 8, kMostTransposed = 64;  // elements of a row, of which a tile has several
}  // namespace

int TileBytes(TileType type) {
  switch (type) {
    case TileType::kPred:
    case TileType::kS8:
    case TileType::kU8: return 1;
    case TileType::kS16:
    case TileType::kU16: return 2;
    case TileType::kS32:
    case TileType::kU32:
    case TileType::kF32: return 4;
    case TileType::kS64:
    case TileType::kU64:
    case TileType::kF64:
    case TileType::kC64: return 8;
    case TileType::kC128: return 16;
  }
  __builtin_unreachable();
}

std::optional<NarrowFloat> Narrow(PrimitiveType type) {
  if (type == PrimitiveType::BF16) return NarrowFloat::kBf16;
  if (type == PrimitiveType::F16) return NarrowFloat::kF16;
  return std::nullopt;
}

namespace {

// The kernel of the same name as the opcode.
template <class Op>
std::optional<Op> SameName(HloOpcode opcode) {
  switch (opcode) {
#define HLOIR_OP(name, ...)                                      \
  case HloOpcode::k##name:                                       \
    if constexpr (requires { Op::k##name; }) return Op::k##name; \
    else return std::nullopt;
#include "hloir/opcodes.def"
#undef HLOIR_OP
  }
  return std::nullopt;
}

}  // namespace

std::optional<UnaryOp> UnaryOpFor(HloOpcode opcode) {
  if (opcode == HloOpcode::kRoundNearestAfz) return UnaryOp::kRoundAfz;
  if (opcode == HloOpcode::kRoundNearestEven) return UnaryOp::kRoundEven;
  if (opcode == HloOpcode::kPopulationCount) return UnaryOp::kPopcnt;
  if (opcode == HloOpcode::kReducePrecision) return std::nullopt;  // its kernel needs its attributes
  return SameName<UnaryOp>(opcode);
}

std::optional<BinaryOp> BinaryOpFor(HloOpcode opcode) { return SameName<BinaryOp>(opcode); }

std::optional<BinaryOp> CompareOpFor(const HloInstruction& instruction) {
  const CompareAttributes& attributes = instruction.attributes<CompareAttributes>();
  PrimitiveType type = instruction.operand(0)->shape().element_type();
  const bool total = attributes.type == ComparisonType::kFloatTotalOrder;
  if (total && !IsFloat(type)) return std::nullopt;
  // There is no kernel for comparing integers in the order of the other signedness.
  if (attributes.type == ComparisonType::kSigned && !IsSigned(type)) return std::nullopt;
  if (attributes.type == ComparisonType::kUnsigned && !IsUnsigned(type) && type != PrimitiveType::PRED)
    return std::nullopt;
  static_assert(static_cast<int>(ComparisonDirection::kLt) == 5);
  BinaryOp base = total ? BinaryOp::kTotalEq : BinaryOp::kEq;  // both lists are in the directions' order
  return static_cast<BinaryOp>(static_cast<int>(base) + static_cast<int>(attributes.direction));
}

// Results of these on narrow floats need no rounding.
bool KeepsPrecision(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kNegate:
    case HloOpcode::kSign:
    case HloOpcode::kCeil:
    case HloOpcode::kFloor:
    case HloOpcode::kRoundNearestAfz:
    case HloOpcode::kRoundNearestEven:
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum: return true;
    default: return false;  // may round
  }
}

// Rough nanoseconds for one element.
double CostOf(HloOpcode opcode) {
  switch (CostClass(opcode)) {
    case OpCost::kDivision: return 0.5;
    case OpCost::kTranscendental: return 2;
    case OpCost::kFree:
    case OpCost::kMoves:
    case OpCost::kCheap:
    case OpCost::kByShape:
    case OpCost::kCalled:
    case OpCost::kCommunicates: return 0.1;
  }
  return 0.1;
}

// The operation of a reduction, if its computation is a plain binary op.
std::optional<BinaryOp> ReducerOp(const HloComputation& computation) {
  const HloInstruction* root = computation.root();
  while (root->opcode() == HloOpcode::kCall || root->opcode() == HloOpcode::kFusion) {
    // A call with the parameters in order.
    if (root->operand_count() != 2) return std::nullopt;
    for (int64_t i = 0; i < 2; ++i) {
      if (!root->operand(i)->IsParameter() || root->operand(i)->parameter_number() != i) return std::nullopt;
    }
    root = root->called_computations()[0]->root();
  }
  if (root->operand_count() != 2) return std::nullopt;
  const HloInstruction *a = root->operand(0), *b = root->operand(1);
  if (!a->IsParameter() || !b->IsParameter() || a == b) return std::nullopt;
  return root->Is(kAssociative) ? BinaryOpFor(root->opcode()) : std::nullopt;
}
namespace {

// `rows` rows of a few elements, `inner`: `row` is the row stride, `stride` that of elements.
template <class T, int64_t known = 0>
T* LoadShortRows(const T* from, int64_t rows, int64_t row, int64_t inner, int64_t stride, T* out) {
  if constexpr (known != 0) inner = known;
  if (row == 0 && rows > 1) {  // one row, repeated
    LoadShortRows<T, known>(from, 1, row, inner, stride, out);
    for (int64_t done = inner, all = rows * inner; done < all; done *= 2)
      std::memcpy(out + done, out, static_cast<size_t>(std::min(done, all - done)) * sizeof(T));
    return out + rows * inner;
  }
  if constexpr (sizeof(T) == 4 && known > 1) {
    if (row == 1 && stride == 0) {  // each element repeated
      typedef T V __attribute__((vector_size(16)));
      for (; rows >= 4; rows -= 4, from += 4, out += 4 * known) {
        V v, made[known];
        std::memcpy(&v, from, sizeof(v));
        if constexpr (known == 2) {
          made[0] = __builtin_shufflevector(v, v, 0, 0, 1, 1), made[1] = __builtin_shufflevector(v, v, 2, 2, 3, 3);
        } else if constexpr (known == 3) {
          made[0] = __builtin_shufflevector(v, v, 0, 0, 0, 1), made[1] = __builtin_shufflevector(v, v, 1, 1, 2, 2);
          made[2] = __builtin_shufflevector(v, v, 2, 3, 3, 3);
        } else {
          made[0] = __builtin_shufflevector(v, v, 0, 0, 0, 0), made[1] = __builtin_shufflevector(v, v, 1, 1, 1, 1);
          made[2] = __builtin_shufflevector(v, v, 2, 2, 2, 2), made[3] = __builtin_shufflevector(v, v, 3, 3, 3, 3);
        }
        std::memcpy(out, made, sizeof(made));
      }
    }
  }
  for (int64_t r = 0; r < rows; ++r, from += row, out += inner)
    for (int64_t i = 0; i < inner; ++i) out[i] = from[i * stride];
  return out;
}

constexpr int64_t kFewBytes = 512;  // too few for a call of memcpy

template <class T>
void LoadRun(const T* from, int64_t n, T* out, const MoveTable& moves) {
  const int64_t bytes = n * static_cast<int64_t>(sizeof(T));
  if (bytes < kLeastRun)
    for (int64_t i = 0; i < n; ++i) out[i] = from[i];
  else if (bytes <= kFewBytes) moves.copy_runs(from, 1, 0, bytes, out);
  else std::memcpy(static_cast<void*>(out), from, static_cast<size_t>(bytes));
}
// Loads along any view: in[0] is the array (or the first number), in[1] the tile's first element in the loop's order.
template <class T, const MoveTable& (*moves_of)()>
void LoadAlongView(const TileOp& op, int64_t n) {
  const MoveTable& moves = moves_of();
  const View& view = *static_cast<const View*>(op.aux);
  const T* base = static_cast<const T*>(op.in[0]);
  T* out = static_cast<T*>(op.out);
  const int rank = static_cast<int>(view.dims.size());
  int64_t index[64];
  int64_t at = 0;
  const auto decode = [&](auto linear) {  // divisions of 32 bits take half the time
    using Number = decltype(linear);
    for (int d = rank; d-- > 0;) {
      const Number dim = static_cast<Number>(std::min<uint64_t>(static_cast<uint64_t>(view.dims[d]), Number(-1)));
      const Number above = linear / dim;
      index[d] = static_cast<int64_t>(linear - above * dim), linear = above, at += index[d] * view.strides[d];
    }
  };
  const auto first = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(op.in[1]));
  if (first < UINT32_MAX) decode(static_cast<uint32_t>(first));
  else decode(first);
  const int64_t inner = view.dims[rank - 1], stride = view.strides[rank - 1];
  // Too short rows are left to the loop below at once, without a division.
  const int64_t row_bytes = inner * static_cast<int64_t>(sizeof(T));
  const bool in_runs = rank > 1 && stride == 1 && row_bytes >= kLeastRun && row_bytes <= kFewBytes;
  constexpr bool kHasSquares = sizeof(T) <= 8;
  constexpr int64_t kSide = kSquareSide<T>;
  const bool transposed = kHasSquares && rank > 1 && view.strides[rank - 2] == 1 && stride != 0 && stride != 1 &&
                          inner >= kSide && std::min(inner, view.dims[rank - 2]) >= kLeastTransposed;
  // The position after the last element along dimension d.
  const auto carry = [&](int d) {
    while (index[d] == view.dims[d]) {
      at -= index[d] * view.strides[d], index[d] = 0;
      if (d-- == 0) return;
      at += view.strides[d], ++index[d];
    }
  };
  while (n > 0) {
    if constexpr (kHasSquares) {
      const bool at_row = transposed && index[rank - 1] == 0;
      const int64_t rows = at_row ? std::min(n / inner, view.dims[rank - 2] - index[rank - 2]) : 0;
      if (rows >= kSide) {
        moves.transpose[std::countr_zero(sizeof(T))](base + at, stride, inner, rows, out, inner);
        out += rows * inner, n -= rows * inner;
        at += rows, index[rank - 2] += rows;
        carry(rank - 2);
        continue;
      }
    }
    if (in_runs && index[rank - 1] == 0 && n >= inner) {
      const int64_t row = view.strides[rank - 2], rows = std::min(n / inner, view.dims[rank - 2] - index[rank - 2]);
      moves.copy_runs(base + at, rows, row * static_cast<int64_t>(sizeof(T)), row_bytes, out);
      out += rows * inner, n -= rows * inner;
      at += rows * row, index[rank - 2] += rows;
      carry(rank - 2);
      continue;
    }
    if (rank > 1 && inner <= 8 && index[rank - 1] == 0 && n >= inner) {
      const int64_t row = view.strides[rank - 2];
      // All but the last of these rows: the general method finds the rest.
      const int64_t rows = std::min(n / inner, view.dims[rank - 2] - 1 - index[rank - 2]);
      const T* from = base + at;
      if (inner == 2) out = LoadShortRows<T, 2>(from, rows, row, inner, stride, out);
      else if (inner == 3) out = LoadShortRows<T, 3>(from, rows, row, inner, stride, out);
      else if (inner == 4) out = LoadShortRows<T, 4>(from, rows, row, inner, stride, out);
      else out = LoadShortRows<T>(from, rows, row, inner, stride, out);
      n -= rows * inner, at += rows * row, index[rank - 2] += rows;
      if (n == 0) return;
    }
    const int64_t run = std::min(n, inner - index[rank - 1]);
    const T* from = base + at;
    if (stride == 0)
      for (int64_t i = 0; i < run; ++i) out[i] = *from;
    else if (stride == 1) {
      LoadRun(from, run, out, moves);
    } else
      for (int64_t i = 0; i < run; ++i) out[i] = from[i * stride];
    out += run;
    n -= run;
    at += run * stride, index[rank - 1] += run;
    carry(rank - 1);
  }
}
template <class T, const MoveTable& (*moves_of)()>
void LoadRuns(const TileOp& op, int64_t n) {
  const MoveTable& moves = moves_of();
  const int64_t runs = reinterpret_cast<intptr_t>(op.in[1]), first = reinterpret_cast<intptr_t>(op.in[2]);
  const int64_t distance = runs >> kRunBits, length = runs & kLongestRun;
  const T* from = static_cast<const T*>(op.in[0]) + first / length * distance;
  T* out = static_cast<T*>(op.out);
  if (const int64_t past = first % length; past > 0) {
    const int64_t count = std::min(n, length - past);
    LoadRun(from + past, count, out, moves);
    out += count, n -= count, from += distance;
  }
  constexpr int64_t kSize = sizeof(T);
  if (length * kSize >= kLeastRun) {
    const int64_t rows = n / length;
    moves.copy_runs(from, rows, distance * kSize, length * kSize, out);
    out += rows * length, n -= rows * length, from += rows * distance;
  }
  for (; n > 0; n -= length, out += length, from += distance) LoadRun(from, std::min(n, length), out, moves);
}
template <class T>
void IotaAlongView(const TileOp& op, int64_t n) {
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

}  // namespace

bool LoadsTransposed(const View& view) {
  const size_t rank = view.dims.size();
  return rank > 1 && view.strides[rank - 2] == 1 && std::abs(view.strides[rank - 1]) > 1 &&
         view.dims[rank - 1] >= kLeastTransposed && view.dims[rank - 1] <= kMostTransposed &&
         view.dims[rank - 2] >= kLeastTransposed;
}
namespace {
template <const MoveTable& (*moves)()>
TileKernel LoadKernelOf(int64_t bytes, bool runs) {
  switch (bytes) {
    case 1: return runs ? &LoadRuns<uint8_t, moves> : &LoadAlongView<uint8_t, moves>;
    case 2: return runs ? &LoadRuns<uint16_t, moves> : &LoadAlongView<uint16_t, moves>;
    case 4: return runs ? &LoadRuns<uint32_t, moves> : &LoadAlongView<uint32_t, moves>;
    case 8: return runs ? &LoadRuns<uint64_t, moves> : &LoadAlongView<uint64_t, moves>;
    default: return runs ? &LoadRuns<std::complex<double>, moves> : &LoadAlongView<std::complex<double>, moves>;
  }
}
TileKernel LoadKernelFor(int64_t bytes, [[maybe_unused]] Isa isa, bool runs) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx512) return LoadKernelOf<&Avx512Moves>(bytes, runs);
  if (isa == Isa::kAvx2) return LoadKernelOf<&Avx2Moves>(bytes, runs);
#endif
  return LoadKernelOf<&PlainMoves>(bytes, runs);
}
}  // namespace
const MoveTable& PlainMoves() { return kMoves; }
TileKernel LoadKernel(int64_t bytes, Isa isa) { return LoadKernelFor(bytes, isa, false); }
TileKernel LoadRunsKernel(int64_t bytes, Isa isa) { return LoadKernelFor(bytes, isa, true); }
TileKernel IotaAlongViewKernel(TileType type) {
  switch (type) {
    case TileType::kPred: return &IotaAlongView<bool>;
    case TileType::kS8:
    case TileType::kU8: return &IotaAlongView<uint8_t>;
    case TileType::kS16:
    case TileType::kU16: return &IotaAlongView<uint16_t>;
    case TileType::kS32:
    case TileType::kU32: return &IotaAlongView<uint32_t>;
    case TileType::kS64:
    case TileType::kU64: return &IotaAlongView<uint64_t>;
    case TileType::kF32: return &IotaAlongView<float>;
    case TileType::kF64: return &IotaAlongView<double>;
    case TileType::kC64:
    case TileType::kC128: break;  // a graph has no such numbers
  }
  __builtin_unreachable();
}

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
    case PrimitiveType::F32:
    case PrimitiveType::BF16:
    case PrimitiveType::F16: *tile = TileType::kF32; return true;
    case PrimitiveType::F64: *tile = TileType::kF64; return true;
    case PrimitiveType::C64: *tile = TileType::kC64; return true;
    case PrimitiveType::C128: *tile = TileType::kC128; return true;
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
    case HloOpcode::kSelect: return true;
    case HloOpcode::kClamp: return kernels.binary[static_cast<int>(BinaryOp::kMaximum)][t][0] != nullptr;
    case HloOpcode::kConvert: return kernels.convert[t][static_cast<int>(result)] != nullptr;
    case HloOpcode::kBitcastConvert: {
      PrimitiveType from = instruction.operand(0)->shape().element_type(), to = instruction.shape().element_type();
      return BitWidth(from) == BitWidth(to) && !IsComplex(from) && !IsComplex(to) && !Narrow(from) && !Narrow(to) &&
             from != PrimitiveType::PRED && to != PrimitiveType::PRED;
    }
    default: return false;  // has no kernel
  }
}

bool ReduceShapeOf(const HloInstruction& reduce, ReduceShape* shape) {
  const Shape& input = reduce.operand(0)->shape();
  std::vector<bool> reduced(input.rank());
  for (int64_t d : reduce.dimensions()) reduced[d] = true;
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

bool LoopSupportsReduce(const HloInstruction& instruction, const KernelTable& kernels, ReduceShape* shape) {
  if (instruction.operand_count() != 2 || !instruction.shape().IsArray()) return false;
  const Shape& input = instruction.operand(0)->shape();
  TileType type;
  auto op = ReducerOp(*instruction.to_apply());
  if (!op || !TileTypeFor(input.element_type(), &type) || Narrow(input.element_type()) ||
      input.element_type() != instruction.shape().element_type() ||
      kernels.reduce_rows[static_cast<int>(*op)][static_cast<int>(type)] == nullptr || input.ElementCount() == 0) {
    return false;
  }
  return ReduceShapeOf(instruction, shape);
}

TileKernel ReducerKernel(const HloComputation& computation, PrimitiveType type, const KernelTable& kernels) {
  TileType tile;
  auto op = ReducerOp(computation);
  if (!op || Narrow(type) || !TileTypeFor(type, &tile)) return nullptr;
  return kernels.binary[static_cast<int>(*op)][static_cast<int>(tile)][kVectorVector];
}

TileKernel ScatterKernel(const HloComputation& computation, PrimitiveType type, PrimitiveType places) {
  TileType tile;
  auto op = ReducerOp(computation);
  if (!op || Narrow(type) || !TileTypeFor(type, &tile)) return nullptr;
  const int width = places == PrimitiveType::S32 ? 0 : places == PrimitiveType::S64 ? 1 : -1;
  return width < 0 ? nullptr : OneElementKernels().combine_at[static_cast<int>(*op)][static_cast<int>(tile)][width];
}

}  // namespace hloir::cpu
