// Kernels for a single element, in plain code: what the body of a scalar loop is made of, where a kernel that counts
// costs more than its work. See FusedLoop::Bound.
#include <unordered_map>

#include "kernels/elementwise_kernels.h"

namespace hloir::cpu {

namespace {

template <Count count>
KernelTable Make() {
  KernelTable made = {};
  FillElementwise<count>(made);
  return made;
}

template <class F, class G, class T, int side>
void Paired(const TileOp& op, int64_t) {
  const TileOp &next = *(&op + 1), &after = *(&op + 2);
  const T result = F::Apply(*static_cast<const T*>(op.in[0]), *static_cast<const T*>(op.in[1]));
  *static_cast<T*>(op.out) = result;
  const T other = *static_cast<const T*>(next.in[1 - side]);
  *static_cast<T*>(next.out) = G::Apply(side == 0 ? result : other, side == 0 ? other : result);
  return after.kernel(after, 1);
}

template <class F, class G, class T>
TileKernel PairOf(int side) {
  return side == 0 ? &Paired<F, G, T, 0> : &Paired<F, G, T, 1>;
}
template <class F, class T>
TileKernel PairOf(BinaryOp second, int side) {
  switch (second) {
    case BinaryOp::kAdd: return PairOf<F, AddFn, T>(side);
    case BinaryOp::kSubtract: return PairOf<F, SubtractFn, T>(side);
    case BinaryOp::kMultiply: return PairOf<F, MultiplyFn, T>(side);
    case BinaryOp::kDivide: return PairOf<F, DivideFn, T>(side);
    default: return nullptr;
  }
}
template <class T>
TileKernel PairOf(BinaryOp first, BinaryOp second, int side) {
  switch (first) {
    case BinaryOp::kAdd: return PairOf<AddFn, T>(second, side);
    case BinaryOp::kSubtract: return PairOf<SubtractFn, T>(second, side);
    case BinaryOp::kMultiply: return PairOf<MultiplyFn, T>(second, side);
    case BinaryOp::kDivide: return PairOf<DivideFn, T>(second, side);
    default: return nullptr;
  }
}

struct Known {
  BinaryOp op;
  TileType type;
};
// The operations that pairs are made of: the arithmetic of loops.
std::unordered_map<TileKernel, Known> MakeKnown() {
  std::unordered_map<TileKernel, Known> known;
  for (const TileType type : {TileType::kF32, TileType::kF64}) {
    for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kSubtract, BinaryOp::kMultiply, BinaryOp::kDivide})
      known[OneElementKernels().binary[static_cast<int>(op)][static_cast<int>(type)][kVectorVector]] = {op, type};
  }
  return known;
}

}  // namespace

TileKernel PairedKernel(TileKernel first, TileKernel second, int side) {
  static const std::unordered_map<TileKernel, Known> known = MakeKnown();
  const auto a = known.find(first), b = known.find(second);
  if (a == known.end() || b == known.end() || a->second.type != b->second.type) return nullptr;
  return a->second.type == TileType::kF32 ? PairOf<float>(a->second.op, b->second.op, side)
                                          : PairOf<double>(a->second.op, b->second.op, side);
}

const KernelTable& OneElementKernels() {
  static const KernelTable table = Make<Count::kOne>();
  return table;
}

const KernelTable& ChainedKernels() {
  static const KernelTable table = Make<Count::kNext>();
  return table;
}

}  // namespace hloir::cpu
