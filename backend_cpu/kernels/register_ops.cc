// See register_ops.h.
#include "kernels/register_ops.h"

#include <array>
#include <utility>

#include "kernels/elementwise_kernels.h"

#define HLOIR_REGISTERS                                                                                         \
  int64_t i0, int64_t i1, int64_t i2, int64_t i3, float f0, float f1, float f2, float f3, double d0, double d1, \
      double d2, double d3

namespace hloir::cpu {
namespace {

struct Registers {
  int64_t i[kRegisters];
  float f[kRegisters];
  double d[kRegisters];
};
template <class Body>
void Handler(const Instruction* at, LoopFrame* frame, HLOIR_REGISTERS) {
  Registers r = {{i0, i1, i2, i3}, {f0, f1, f2, f3}, {d0, d1, d2, d3}};
  Body::Do(*at, r);
  ++at;
  return at->kernel(at, frame, r.i[0], r.i[1], r.i[2], r.i[3], r.f[0], r.f[1], r.f[2], r.f[3], r.d[0], r.d[1], r.d[2],
                    r.d[3]);
}

template <class T, int which>
inline T Get(const Instruction& at, const Registers& r) {
  if constexpr (std::is_same_v<T, float>) {
    if constexpr (which == kMemory) return *static_cast<const float*>(at.memory);
    else return r.f[which];
  } else if constexpr (std::is_same_v<T, double>) {
    if constexpr (which == kMemory) return *static_cast<const double*>(at.memory);
    else return r.d[which];
  } else {
    int64_t bits;
    if constexpr (which == kMemory) bits = *static_cast<const int64_t*>(at.memory);
    else bits = r.i[which];
    if constexpr (kIsPred<T>) return {static_cast<uint8_t>(bits)};
    else return static_cast<T>(bits);
  }
}
template <int which, class T>
inline void Set(Registers& r, T value) {
  if constexpr (std::is_same_v<T, float>) r.f[which] = value;
  else if constexpr (std::is_same_v<T, double>) r.d[which] = value;
  else if constexpr (kIsPred<T>) r.i[which] = value.v;
  else r.i[which] = static_cast<int64_t>(static_cast<Unsigned<T>>(value));
}

template <class F, class T, int d, int a, int b>
struct BinaryBody {
  static void Do(const Instruction& at, Registers& r) { Set<d>(r, F::Apply(Get<T, a>(at, r), Get<T, b>(at, r))); }
};
template <class F, class T, int d, int a>
struct UnaryBody {
  static void Do(const Instruction& at, Registers& r) { Set<d>(r, F::Apply(Get<T, a>(at, r))); }
};
template <class T, int d, int a, int b, bool other>
struct SelectBody {
  static void Do(const Instruction& at, Registers& r) {
    const T chosen = Get<T, b>(at, r), kept = Get<T, d>(at, r);
    const bool yes = static_cast<uint8_t>(r.i[a]) != 0;
    Set<d>(r, yes != other ? chosen : kept);
  }
};
template <class T, int d, int a, int b, bool sum_first>
struct MultiplyAddBody {
  static void Do(const Instruction& at, Registers& r) {
    const T product = Get<T, a>(at, r) * Get<T, kMemory>(at, r), sum = Get<T, b>(at, r);
    Set<d>(r, sum_first ? sum + product : product + sum);
  }
};
template <int d, int a>
struct IntegerMultiplyAddBody {
  static void Do(const Instruction& at, Registers& r) {
    r.i[d] =
        static_cast<int64_t>(static_cast<uint64_t>(r.i[a]) * static_cast<uint64_t>(at.x) + static_cast<uint64_t>(at.y));
  }
};
template <class T, int d, int a>
struct AndEqBody {
  static void Do(const Instruction& at, Registers& r) {
    r.i[d] = static_cast<T>(r.i[a] & at.x) == static_cast<T>(at.y) ? 1 : 0;
  }
};
template <class T, int d, int a, bool left>  // T: unsigned
struct XorShiftBody {
  static void Do(const Instruction& at, Registers& r) {
    const T v = Get<T, a>(at, r);
    Set<d>(r, static_cast<T>(v ^ (left ? v << at.x : v >> at.x)));
  }
};
template <class From, class To, int d, int a, bool multiply>
struct ConvertBody {
  static void Do(const Instruction& at, Registers& r) {
    const To converted = ConvertOne<From, To>(Get<From, a>(at, r));
    if constexpr (multiply) Set<d>(r, converted * Get<To, kMemory>(at, r));
    else Set<d>(r, converted);
  }
};
template <class T, int d, int a>
struct MoveBody {
  static void Do(const Instruction& at, Registers& r) { Set<d>(r, Get<T, a>(at, r)); }
};
template <class T, int d>
struct LoadBody {
  static void Do(const Instruction& at, Registers& r) { Set<d>(r, *static_cast<const T*>(at.memory)); }
};
template <class T, int a>
struct StoreBody {
  static void Do(const Instruction& at, Registers& r) { *reinterpret_cast<T*>(at.x) = Get<T, a>(at, r); }
};
inline int64_t Clamped(int64_t index, int64_t last) {
  index = index < 0 ? 0 : index;
  return index > last ? last : index;
}
template <class T, class Index, int d, int b>
struct ElementBody {
  static void Do(const Instruction& at, Registers& r) {
    const int64_t index = Clamped(static_cast<int64_t>(Get<Index, b>(at, r)) + at.z, at.y);
    Set<d>(r, *reinterpret_cast<const T*>(static_cast<const char*>(at.memory) + index * at.x));
  }
};
template <class T, class Index, int a, int b, bool inside>
struct SetElementBody {
  static void Do(const Instruction& at, Registers& r) {
    int64_t index = static_cast<int64_t>(Get<Index, b>(at, r)) + at.z;
    if constexpr (!inside) index = Clamped(index, at.y);
    else if (index < 0 || index > at.y) return;
    *reinterpret_cast<T*>(static_cast<char*>(const_cast<void*>(at.memory)) + index * at.x) = Get<T, a>(at, r);
  }
};
struct CallBody {
  static void Do(const Instruction& at, Registers&) {
    const TileOp& op = *static_cast<const TileOp*>(at.memory);
    op.kernel(op, 1);
  }
};

void Leave(LoopFrame* frame, HLOIR_REGISTERS) {
  const int64_t i[] = {i0, i1, i2, i3};
  const float f[] = {f0, f1, f2, f3};
  const double d[] = {d0, d1, d2, d3};
  for (int k = 0; k < kRegisters; ++k) frame->integers[k] = i[k], frame->floats[k] = f[k], frame->doubles[k] = d[k];
}
#define HLOIR_PASS_ON i0, i1, i2, i3, f0, f1, f2, f3, d0, d1, d2, d3
// d: the register to be added to; -1: none. a: the condition's; -1: none.
template <int d, int a>
void Loop(const Instruction* at, LoopFrame* frame, HLOIR_REGISTERS) {
  const auto add = [&](int64_t& i) {
    i = static_cast<int64_t>(static_cast<uint64_t>(i) + static_cast<uint64_t>(at->z));
  };
  if constexpr (d == 0) add(i0);
  else if constexpr (d == 1) add(i1);
  else if constexpr (d == 2) add(i2);
  else if constexpr (d == 3) add(i3);
  --frame->left;
  if constexpr (a >= 0) {
    const int64_t condition = a == 0 ? i0 : a == 1 ? i1 : a == 2 ? i2 : i3;
    frame->more = static_cast<uint8_t>(condition) != 0;
    if (!frame->more) return Leave(frame, HLOIR_PASS_ON);
  }
  if (frame->left <= 0) return Leave(frame, HLOIR_PASS_ON);
  at = static_cast<const Instruction*>(at->memory);
  return at->kernel(at, frame, HLOIR_PASS_ON);
}

// Tables of an instruction's kernels, by its registers.
using Table = std::array<RegisterKernel, kRegisters*(kRegisters + 1) * (kRegisters + 1)>;
constexpr size_t At(int d, int a, int b) {
  return static_cast<size_t>((d * (kRegisters + 1) + a) * (kRegisters + 1) + b);
}
// make.operator()<d, a, b>() is an entry.
template <class Make>
constexpr Table MakeTable(Make make) {
  Table table = {};
  [&]<int... n>(std::integer_sequence<int, n...>) {
    constexpr int kSide = kRegisters + 1;
    ((table[static_cast<size_t>(n)] = make.template operator()<n / (kSide * kSide), n / kSide % kSide, n % kSide>()),
     ...);
  }
  (std::make_integer_sequence<int, static_cast<int>(std::tuple_size_v<Table>)>());
  return table;
}
// The operands that may be in memory: none; the second; either of them.
enum Forms { kSecond, kEither, kSecondAlone };
template <class F, class T, Forms forms>
constexpr Table kBinary = MakeTable([]<int d, int a, int b>() -> RegisterKernel {
  if constexpr ((a == kMemory && (b == kMemory || forms != kEither)) || (forms == kSecondAlone && b != kMemory))
    return nullptr;
  else return &Handler<BinaryBody<F, T, d, a, b>>;
});
template <class F, class T>
constexpr Table kUnary = MakeTable([]<int d, int a, int b>() -> RegisterKernel {
  if constexpr (a == kMemory || b != 0) return nullptr;
  else return &Handler<UnaryBody<F, T, d, a>>;
});
template <class T, bool other>
constexpr Table kSelects = MakeTable([]<int d, int a, int b>() -> RegisterKernel {
  if constexpr (a == kMemory) return nullptr;
  else return &Handler<SelectBody<T, d, a, b, other>>;
});
template <class T, bool sum_first>
constexpr Table kMultiplyAdds = MakeTable([]<int d, int a, int b>() -> RegisterKernel {
  if constexpr (a == kMemory || b == kMemory) return nullptr;
  else return &Handler<MultiplyAddBody<T, d, a, b, sum_first>>;
});
// Of instructions that have no b: make.operator()<d, a>().
template <class Make>
constexpr Table MakeTwo(Make make) {
  return MakeTable([make]<int d, int a, int b>() -> RegisterKernel {
    if constexpr (a == kMemory || b != 0) return nullptr;
    else return make.template operator()<d, a>();
  });
}
constexpr Table kIntegerMultiplyAdds =
    MakeTwo([]<int d, int a>() -> RegisterKernel { return &Handler<IntegerMultiplyAddBody<d, a>>; });
template <class T>
constexpr Table kAndEqs = MakeTwo([]<int d, int a>() -> RegisterKernel { return &Handler<AndEqBody<T, d, a>>; });
template <class T, bool left>
constexpr Table kXorShifts = MakeTwo([]<int d, int a>() -> RegisterKernel {
  return &Handler<XorShiftBody<T, d, a, left>>;
});
template <class From, class To, bool multiply>
constexpr Table kConverts = MakeTwo([]<int d, int a>() -> RegisterKernel {
  return &Handler<ConvertBody<From, To, d, a, multiply>>;
});
template <class T>
constexpr Table kMoves = MakeTwo([]<int d, int a>() -> RegisterKernel { return &Handler<MoveBody<T, d, a>>; });
template <class T>
constexpr Table kLoads = MakeTwo([]<int d, int a>() -> RegisterKernel {
  if constexpr (a == 0) return &Handler<LoadBody<T, d>>;
  else return nullptr;
});
template <class T>
constexpr Table kStores = MakeTwo([]<int d, int a>() -> RegisterKernel {
  if constexpr (d == 0) return &Handler<StoreBody<T, a>>;
  else return nullptr;
});
template <class T, class Index>
constexpr Table kElements = MakeTable([]<int d, int a, int b>() -> RegisterKernel {
  if constexpr (a != 0 || b == kMemory) return nullptr;
  else return &Handler<ElementBody<T, Index, d, b>>;
});
template <class T, class Index, bool inside>
constexpr Table kSetElements = MakeTable([]<int d, int a, int b>() -> RegisterKernel {
  if constexpr (d != 0 || a == kMemory || b == kMemory) return nullptr;
  else return &Handler<SetElementBody<T, Index, a, b, inside>>;
});
constexpr Table kLoopAdds = MakeTwo([]<int d, int a>() -> RegisterKernel {
  if constexpr (a == 0) return &Loop<d, -1>;
  else return nullptr;
});
constexpr Table kLoopIfs = MakeTwo([]<int d, int a>() -> RegisterKernel {
  if constexpr (d == 0) return &Loop<-1, a>;
  else return nullptr;
});

// f(T()) for the type, or nullptr.
template <class F>
const Table* OfFloat(TileType type, F f) {
  if (type == TileType::kF32) return f(float());
  return type == TileType::kF64 ? f(double()) : nullptr;
}
template <class F>
const Table* OfWideInteger(TileType type, F f) {
  switch (type) {
    case TileType::kS32: return f(int32_t());
    case TileType::kU32: return f(uint32_t());
    case TileType::kS64: return f(int64_t());
    case TileType::kU64: return f(uint64_t());
    default: return nullptr;
  }
}
bool IsFloat(TileType type) { return type == TileType::kF32 || type == TileType::kF64; }
bool IsInteger(TileType type) { return type <= TileType::kU64; }
// By the number of bytes: of moves the type does not matter.
template <class F>
const Table* OfWord(TileType type, F f) {
  switch (type) {
    case TileType::kPred:
    case TileType::kS8:
    case TileType::kU8: return f(uint8_t());
    case TileType::kS16:
    case TileType::kU16: return f(uint16_t());
    case TileType::kS32:
    case TileType::kU32: return f(uint32_t());
    case TileType::kS64:
    case TileType::kU64: return f(uint64_t());
    default: return OfFloat(type, f);
  }
}
// One width serves all where only low bits matter.
template <class F, Forms float_forms>
const Table* Arithmetic(TileType type) {
  if (IsInteger(type) && type != TileType::kPred) return &kBinary<F, uint64_t, kSecond>;
  return OfFloat(type, [](auto t) { return &kBinary<F, decltype(t), float_forms>; });
}
template <class F>
const Table* Bitwise(TileType type) {
  return IsInteger(type) ? &kBinary<F, uint64_t, kSecond> : nullptr;
}
template <class F>
const Table* Equality(TileType type) {
  switch (type) {
    case TileType::kPred: return &kBinary<F, uint8_t, kSecondAlone>;
    case TileType::kS32:
    case TileType::kU32: return &kBinary<F, uint32_t, kSecond>;
    case TileType::kS64:
    case TileType::kU64: return &kBinary<F, uint64_t, kSecond>;
    default: return OfFloat(type, [](auto t) { return &kBinary<F, decltype(t), kSecond>; });
  }
}
template <class F, Forms integer_forms>
const Table* Order(TileType type) {
  if (IsFloat(type)) return OfFloat(type, [](auto t) { return &kBinary<F, decltype(t), kSecond>; });
  return OfWideInteger(type, [](auto t) { return &kBinary<F, decltype(t), integer_forms>; });
}
template <class F>
const Table* ByNumber(TileType type) {
  return OfWideInteger(type, [](auto t) { return &kBinary<F, decltype(t), kSecondAlone>; });
}
template <bool multiply>
const Table* Conversion(TileType from, TileType to) {
  const bool wide = from == TileType::kS64;
  if (!wide && from != TileType::kS32) return nullptr;
  if constexpr (!multiply) {
    if (!wide && (to == TileType::kS64 || to == TileType::kU64)) return &kConverts<int32_t, int64_t, false>;
  }
  if (to == TileType::kF32) return wide ? &kConverts<int64_t, float, multiply> : &kConverts<int32_t, float, multiply>;
  if (to == TileType::kF64) return wide ? &kConverts<int64_t, double, multiply> : &kConverts<int32_t, double, multiply>;
  return nullptr;
}
template <class F>
const Table* OfIndexed(TileType type, TileType index, F f) {
  return OfWord(type, [&](auto t) -> const Table* {
    return index == TileType::kS32 ? f(t, int32_t()) : index == TileType::kS64 ? f(t, int64_t()) : nullptr;
  });
}

const Table* FindTable(RegisterOp op, TileType type, TileType other) {
  switch (op) {
    case RegisterOp::kAdd: return Arithmetic<AddFn, kEither>(type);
    case RegisterOp::kSubtract: return Arithmetic<SubtractFn, kEither>(type);
    case RegisterOp::kMultiply: return Arithmetic<MultiplyFn, kEither>(type);
    case RegisterOp::kDivide:
      if (!IsFloat(type)) return ByNumber<DivideFn>(type);
      return OfFloat(type, [](auto t) { return &kBinary<DivideFn, decltype(t), kEither>; });
    case RegisterOp::kRemainder: return ByNumber<RemainderFn>(type);
    case RegisterOp::kAnd: return Bitwise<AndFn>(type);
    case RegisterOp::kOr: return Bitwise<OrFn>(type);
    case RegisterOp::kXor: return Bitwise<XorFn>(type);
    case RegisterOp::kShiftLeft: return ByNumber<ShiftLeftFn>(type);
    case RegisterOp::kShiftRightArithmetic: return ByNumber<ShiftRightArithmeticFn>(type);
    case RegisterOp::kShiftRightLogical: return ByNumber<ShiftRightLogicalFn>(type);
    case RegisterOp::kWrap:
      return type == TileType::kS32   ? &kBinary<WrapFn, int32_t, kSecondAlone>
             : type == TileType::kS64 ? &kBinary<WrapFn, int64_t, kSecondAlone>
                                      : nullptr;
    case RegisterOp::kEq: return Equality<EqFn>(type);
    case RegisterOp::kNe: return Equality<NeFn>(type);
    case RegisterOp::kLt: return Order<LtFn, kSecond>(type);
    case RegisterOp::kLe: return Order<LeFn, kSecond>(type);
    case RegisterOp::kGt: return Order<GtFn, kSecondAlone>(type);
    case RegisterOp::kGe: return Order<GeFn, kSecondAlone>(type);
    case RegisterOp::kSelect:
      if (IsInteger(type)) return &kSelects<uint64_t, false>;
      return OfFloat(type, [](auto t) { return &kSelects<decltype(t), false>; });
    case RegisterOp::kSelectOther:
      if (IsInteger(type)) return &kSelects<uint64_t, true>;
      return OfFloat(type, [](auto t) { return &kSelects<decltype(t), true>; });
    case RegisterOp::kMultiplyAdd:
      if (IsInteger(type)) return &kIntegerMultiplyAdds;
      return OfFloat(type, [](auto t) { return &kMultiplyAdds<decltype(t), false>; });
    case RegisterOp::kAddMultiply: return OfFloat(type, [](auto t) { return &kMultiplyAdds<decltype(t), true>; });
    case RegisterOp::kAndEq: return OfWideInteger(type, [](auto t) { return &kAndEqs<Unsigned<decltype(t)>>; });
    case RegisterOp::kXorLeft: return &kXorShifts<uint64_t, true>;
    case RegisterOp::kXorRight:
      return OfWideInteger(type, [](auto t) { return &kXorShifts<Unsigned<decltype(t)>, false>; });
    case RegisterOp::kNegate:
      if (IsInteger(type)) return type == TileType::kPred ? nullptr : &kUnary<NegateFn, uint64_t>;
      return OfFloat(type, [](auto t) { return &kUnary<NegateFn, decltype(t)>; });
    case RegisterOp::kAbs: return OfFloat(type, [](auto t) { return &kUnary<AbsFn, decltype(t)>; });
    case RegisterOp::kSqrt: return OfFloat(type, [](auto t) { return &kUnary<SqrtFn, decltype(t)>; });
    case RegisterOp::kConvert: return Conversion<false>(type, other);
    case RegisterOp::kConvertMultiply: return Conversion<true>(type, other);
    case RegisterOp::kMove:
      if (IsInteger(type)) return &kMoves<uint64_t>;
      return OfFloat(type, [](auto t) { return &kMoves<decltype(t)>; });
    case RegisterOp::kLoad: return OfWord(type, [](auto t) { return &kLoads<decltype(t)>; });
    case RegisterOp::kStore: return OfWord(type, [](auto t) { return &kStores<decltype(t)>; });
    case RegisterOp::kLoadOperand: return FindTable(RegisterOp::kLoad, IsInteger(type) ? TileType::kU64 : type, other);
    case RegisterOp::kStoreOperand:
      return FindTable(RegisterOp::kStore, IsInteger(type) ? TileType::kU64 : type, other);
    case RegisterOp::kElement:
      return OfIndexed(type, other, [](auto t, auto i) { return &kElements<decltype(t), decltype(i)>; });
    case RegisterOp::kSetElement:
      return OfIndexed(type, other, [](auto t, auto i) { return &kSetElements<decltype(t), decltype(i), false>; });
    case RegisterOp::kSetElementInside:
      return OfIndexed(type, other, [](auto t, auto i) { return &kSetElements<decltype(t), decltype(i), true>; });
    case RegisterOp::kLoopAdd: return &kLoopAdds;
    case RegisterOp::kLoopIf: return &kLoopIfs;
    case RegisterOp::kCall:
    case RegisterOp::kLoop: return nullptr;
  }
  return nullptr;
}

}  // namespace

RegisterKernel FindRegisterKernel(RegisterOp op, TileType type, int d, int a, int b, TileType other) {
  if (op == RegisterOp::kCall) return &Handler<CallBody>;
  if (op == RegisterOp::kLoop) return &Loop<-1, -1>;
  const Table* table = FindTable(op, type, other);
  return table == nullptr ? nullptr : (*table)[At(d, a, b)];
}

void RunRegisters(const Instruction* first, LoopFrame& frame) {
  const auto& i = frame.integers;
  const auto& f = frame.floats;
  const auto& d = frame.doubles;
  first->kernel(first, &frame, i[0], i[1], i[2], i[3], f[0], f[1], f[2], f[3], d[0], d[1], d[2], d[3]);
}

}  // namespace hloir::cpu
