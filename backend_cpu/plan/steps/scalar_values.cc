// See scalar_values.h.
#include "plan/steps/scalar_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <unordered_map>

#include "plan/capability/kernel_choice.h"
#include "plan/steps/once_per_isa.h"

namespace hloir::cpu {

namespace {

using ScalarMeanings = std::unordered_map<TileKernel, ScalarMeaning>;

bool IsComparison(BinaryOp op) { return op >= BinaryOp::kEq; }
bool IsSigned(TileType type) {
  return type == TileType::kS8 || type == TileType::kS16 || type == TileType::kS32 || type == TileType::kS64;
}
bool IsIntegerType(TileType type) { return type <= TileType::kU64; }

void AddMeanings(const KernelTable& table, ScalarMeanings& meanings) {
  const auto add = [&](TileKernel kernel, const ScalarMeaning& meaning) {
    if (kernel != nullptr) meanings.emplace(kernel, meaning);
  };
  for (int t = 0; t < kTileTypes; ++t) {
    const TileType type = static_cast<TileType>(t);
    const TileType real = type == TileType::kC64 ? TileType::kF32 : TileType::kF64;
    for (int i = 0; i < static_cast<int>(UnaryOp::kCount); ++i) {
      const UnaryOp op = static_cast<UnaryOp>(i);
      if (op == UnaryOp::kReducePrecision) continue;  // needs more than its operand
      const TileType out = op == UnaryOp::kIsFinite                       ? TileType::kPred
                           : op == UnaryOp::kReal || op == UnaryOp::kImag ? real
                                                                          : type;
      add(table.unary[i][t], {ScalarMeaning::kUnary, op, {}, 1, {type}, out});
    }
    for (int i = 0; i < static_cast<int>(BinaryOp::kCount); ++i) {
      const BinaryOp op = static_cast<BinaryOp>(i);
      const TileType out = IsComparison(op)           ? TileType::kPred
                           : op != BinaryOp::kComplex ? type
                           : type == TileType::kF32   ? TileType::kC64
                                                      : TileType::kC128;
      for (int mode = 0; mode < 3; ++mode)
        add(table.binary[i][t][mode], {ScalarMeaning::kBinary, {}, op, 2, {type, type}, out});
    }
    for (int mode = 0; mode < kOperandModes; ++mode)
      add(table.select[t][mode], {ScalarMeaning::kSelect, {}, {}, 3, {TileType::kPred, type, type}, type});
    for (int to = 0; to < kTileTypes; ++to)
      add(table.convert[t][to], {ScalarMeaning::kConvert, {}, {}, 1, {type}, static_cast<TileType>(to)});
    add(table.to_odd[t], {ScalarMeaning::kCall, {}, {}, 1, {type}, TileType::kF32});
    add(table.splat[t], {ScalarMeaning::kCopy, {}, {}, 1, {type}, type});
  }
  constexpr TileType kWords[] = {TileType::kU8, TileType::kU16, TileType::kU32, TileType::kU64};
  for (int size = 0; size < 4; ++size) {
    add(table.copy[size], {ScalarMeaning::kCopy, {}, {}, 1, {kWords[size]}, kWords[size]});
    for (int wide = 0; wide < 2; ++wide) {
      const TileType index = wide != 0 ? TileType::kS64 : TileType::kS32, word = kWords[size];
      add(table.move_one[static_cast<int>(MoveOne::kSlice)][wide][size],
          {ScalarMeaning::kElement, {}, {}, 1, {index}, word});
      add(table.move_one[static_cast<int>(MoveOne::kUpdate)][wide][size],
          {ScalarMeaning::kSetElement, {}, {}, 2, {word, index}, word});
      add(table.move_one[static_cast<int>(MoveOne::kScatter)][wide][size],
          {ScalarMeaning::kSetElementInside, {}, {}, 2, {word, index}, word});
    }
  }
  for (int i = 0; i < 2; ++i) {
    add(table.widen[i], {ScalarMeaning::kCall, {}, {}, 1, {TileType::kU16}, TileType::kF32});
    add(table.narrow[i], {ScalarMeaning::kCall, {}, {}, 1, {TileType::kF32}, TileType::kU16});
  }
}
ScalarMeanings MakeScalarMeanings(const KernelTable& table) {
  ScalarMeanings meanings;
  AddMeanings(OneElementKernels(), meanings);
  AddMeanings(table, meanings);
  return meanings;
}

uint64_t ReadBits(const void* place, int bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, place, static_cast<size_t>(bytes));
  return bits;
}
// The integer in the first bytes of `bits`.
std::optional<int64_t> NumberOf(uint64_t bits, TileType type) {
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  };
  switch (type) {
    case TileType::kPred:
    case TileType::kU8: return as(uint8_t());
    case TileType::kS8: return as(int8_t());
    case TileType::kS16: return as(int16_t());
    case TileType::kU16: return as(uint16_t());
    case TileType::kS32: return as(int32_t());
    case TileType::kU32: return as(uint32_t());
    case TileType::kS64: return as(int64_t());
    case TileType::kU64:
      if (as(uint64_t()) > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
      return static_cast<int64_t>(as(uint64_t()));
    default: return std::nullopt;
  }
}
struct Range {
  int64_t low, high;
};
// The range of a type; for u64 the lower half.
Range RangeOf(TileType type) {
  const int bits = TileBytes(type) * 8;
  if (IsSigned(type))
    return {bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1)),
            (int64_t{1} << (bits - 2)) - 1 + (int64_t{1} << (bits - 2))};
  return {0, bits == 64 ? INT64_MAX : (int64_t{1} << bits) - 1};
}
bool Inside(__int128 low, __int128 high, Range range) { return low >= range.low && high <= range.high; }

// Reads the ops and tracks the value at each memory location.
class Reader {
 public:
  Reader(const ScalarMeanings& meanings, ScalarValues& to) : meanings_(meanings), to_(to) {}

  bool Add(const TileOp& op) {
    const auto found = meanings_.find(op.kernel);
    if (found == meanings_.end()) return false;
    ScalarValue value;
    value.meaning = found->second;
    value.op = op;
    const ScalarMeaning& meaning = value.meaning;
    for (int i = 0; i < meaning.inputs; ++i)
      if (TileBytes(meaning.in[i]) > 8) return false;
    if ((value.bytes = TileBytes(meaning.out)) > 8) return false;
    const bool element = meaning.kind == ScalarMeaning::kElement;
    const bool sets = meaning.kind == ScalarMeaning::kSetElement || meaning.kind == ScalarMeaning::kSetElementInside;
    for (int i = 0; i < meaning.inputs; ++i) {
      if (!Read(element ? op.in[1] : op.in[i], TileBytes(meaning.in[i]), value.in[i])) return false;
    }
    if (element || sets) {
      const auto begin = reinterpret_cast<uintptr_t>(element ? op.in[0] : op.out);
      const int64_t step = reinterpret_cast<intptr_t>(op.in[2]);
      if (op.extra < 0 || step < 0) return false;
      arrays_.push_back({begin, begin + static_cast<uintptr_t>(op.extra * step + value.bytes)});
    }
    if (meaning.kind == ScalarMeaning::kCopy) {
      Write(op.out, value.bytes, value.in[0]);
      return true;
    }
    to_.values.push_back(value);
    if (!sets) Write(op.out, value.bytes, static_cast<int>(to_.values.size()) - 1);
    return true;
  }
  bool Read(const void* place, int bytes, int& value) {
    const auto begin = reinterpret_cast<uintptr_t>(place);
    const auto found = places_.find(begin);
    if (found != places_.end() && found->second.bytes == bytes) {
      value = found->second.value;
      return true;
    }
    if (Overlaps(begin, bytes)) return false;
    ScalarValue leaf;
    leaf.kind = ScalarValue::kLeaf;
    leaf.place = static_cast<const std::byte*>(place);
    leaf.bytes = bytes;
    to_.values.push_back(leaf);
    value = static_cast<int>(to_.values.size()) - 1;
    places_[begin] = {bytes, value, false};
    leaves_.push_back(value);
    return true;
  }
  // At the end of the round.
  bool Finish(std::span<const ScalarPlace> results) {
    for (const auto& [begin, place] : places_) {
      for (const auto& [from, to] : arrays_)
        if (begin < to && from < begin + static_cast<uintptr_t>(place.bytes)) return false;
    }
    std::vector<bool> carried(to_.values.size());
    for (const int leaf : leaves_) {
      const ScalarValue& value = to_.values[static_cast<size_t>(leaf)];
      const auto found = places_.find(reinterpret_cast<uintptr_t>(value.place));
      // Memory that is read and then written in another width is not supported.
      if (found == places_.end() || found->second.bytes != value.bytes) return false;
      if (found->second.written && found->second.value != leaf) {
        to_.carries.push_back({const_cast<std::byte*>(value.place), value.bytes, leaf, found->second.value});
        found->second.carried = true;
      }
    }
    for (const auto& [begin, place] : places_) {
      if (!place.written || place.carried) continue;
      const auto wanted = [begin = begin, bytes = place.bytes](const ScalarPlace& result) {
        const auto from = reinterpret_cast<uintptr_t>(result.begin);
        return begin < from + static_cast<uintptr_t>(result.bytes) && from < begin + static_cast<uintptr_t>(bytes);
      };
      if (std::any_of(results.begin(), results.end(), wanted)) {
        // Without a leaf, the value would be unchanged.
        to_.carries.push_back({reinterpret_cast<std::byte*>(begin), place.bytes, -1, place.value});
      }
    }
    return true;
  }

 private:
  struct Place {
    int bytes, value;
    bool written, carried = false;
  };
  bool Overlaps(uintptr_t begin, int bytes) const {
    auto next = places_.lower_bound(begin);
    if (next != places_.end() && next->first < begin + static_cast<uintptr_t>(bytes)) return true;
    return next != places_.begin() &&
           begin < std::prev(next)->first + static_cast<uintptr_t>(std::prev(next)->second.bytes);
  }
  void Write(const void* place, int bytes, int value) {
    const auto begin = reinterpret_cast<uintptr_t>(place);
    const auto found = places_.find(begin);
    if (found != places_.end() && found->second.bytes == bytes) {
      found->second.value = value;
      found->second.written = true;
      return;
    }
    // Tile registers may share memory.
    while (true) {
      auto next = places_.lower_bound(begin);
      if (next != places_.begin() &&
          begin < std::prev(next)->first + static_cast<uintptr_t>(std::prev(next)->second.bytes))
        --next;
      else if (next == places_.end() || next->first >= begin + static_cast<uintptr_t>(bytes)) break;
      places_.erase(next);
    }
    places_[begin] = {bytes, value, true};
  }

  const ScalarMeanings& meanings_;
  ScalarValues& to_;
  std::map<uintptr_t, Place> places_;
  std::vector<int> leaves_;
  std::vector<std::pair<uintptr_t, uintptr_t>> arrays_;
};

// Rebuilds an iteration's values with simplifications. With `lowers`, signs become comparisons and shifts; before, they
// are part of patterns.
class Simplifier {
 public:
  Simplifier(const ScalarValues& from, bool lowers) : from_(from), lowers_(lowers) {}

  ScalarValues Run() {
    to_.assumptions = from_.assumptions;
    to_.rounds = from_.rounds;
    std::vector<bool> carried(from_.values.size()), integer(from_.values.size());
    for (const ScalarCarry& carry : from_.carries)
      if (carry.leaf >= 0) carried[static_cast<size_t>(carry.leaf)] = true;
    for (const ScalarValue& value : from_.values) {
      if (value.kind != ScalarValue::kOp) continue;
      for (int i = 0; i < value.meaning.inputs; ++i) {
        const bool moved = value.meaning.kind == ScalarMeaning::kSelect ? i > 0 : false;
        if (IsIntegerType(value.meaning.in[i]) && !moved && value.meaning.kind != ScalarMeaning::kCall)
          integer[static_cast<size_t>(value.in[i])] = true;
      }
    }
    std::vector<int> map(from_.values.size());
    for (size_t i = 0; i < from_.values.size(); ++i) {
      const ScalarValue& value = from_.values[i];
      if (value.kind == ScalarValue::kLeaf && !carried[i] && integer[i]) {
        const uint64_t bits = ReadBits(value.place, value.bytes);
        to_.assumptions.push_back({value.place, value.bytes, bits});
        map[i] = Constant(bits, value.bytes);
      } else if (value.kind == ScalarValue::kConstant) {
        map[i] = Constant(value.bits, value.bytes);
      } else if (value.kind == ScalarValue::kLeaf) {
        map[i] = Push(value);
      } else {
        ScalarValue made = value;
        for (int k = 0; k < value.meaning.inputs; ++k) made.in[k] = map[static_cast<size_t>(value.in[k])];
        map[i] = Make(made);
      }
    }
    for (ScalarCarry carry : from_.carries) {
      if (carry.leaf >= 0) carry.leaf = map[static_cast<size_t>(carry.leaf)];
      carry.next = map[static_cast<size_t>(carry.next)];
      to_.carries.push_back(carry);
    }
    if (from_.condition >= 0) to_.condition = map[static_cast<size_t>(from_.condition)];
    return std::move(to_);
  }

 private:
  const ScalarValue& Of(int value) const { return to_.values[static_cast<size_t>(value)]; }
  int Push(const ScalarValue& value) {
    to_.values.push_back(value);
    return static_cast<int>(to_.values.size()) - 1;
  }
  int Constant(uint64_t bits, int bytes) {
    for (size_t i = 0; i < to_.values.size(); ++i) {
      const ScalarValue& value = to_.values[i];
      if (value.kind == ScalarValue::kConstant && value.bits == bits && value.bytes == bytes)
        return static_cast<int>(i);
    }
    ScalarValue constant;
    constant.kind = ScalarValue::kConstant;
    constant.bits = bits;
    constant.bytes = bytes;
    return Push(constant);
  }
  int IntegerConstant(int64_t number, int bytes) {
    uint64_t bits = 0;
    const auto write = [&](auto value) { std::memcpy(&bits, &value, sizeof(value)); };
    if (bytes == 1) write(static_cast<int8_t>(number));
    else if (bytes == 2) write(static_cast<int16_t>(number));
    else if (bytes == 4) write(static_cast<int32_t>(number));
    else write(number);
    return Constant(bits, bytes);
  }
  std::optional<int64_t> Number(int value, TileType type) const { return to_.Number(value, type); }
  std::optional<Range> Known(int value, TileType type) const {
    if (const auto number = Number(value, type)) return Range{*number, *number};
    const ScalarValue& of = Of(value);
    if (of.known_range && Inside(of.low, of.high, RangeOf(type))) return Range{of.low, of.high};
    return std::nullopt;
  }
  bool Is(int value, BinaryOp op) const {
    const ScalarValue& of = Of(value);
    return of.kind == ScalarValue::kOp && of.meaning.kind == ScalarMeaning::kBinary && of.meaning.binary == op;
  }
  // 2^k: k.
  std::optional<int> PowerOfTwo(int value, TileType type) const {
    const auto number = Number(value, type);
    if (!number || *number <= 0 || (*number & (*number - 1)) != 0) return std::nullopt;
    return std::countr_zero(static_cast<uint64_t>(*number));
  }
  int MakeValue(const ScalarMeaning& meaning, TileKernel kernel, std::array<int, 3> in) {
    ScalarValue value;
    value.meaning = meaning;
    value.op.kernel = kernel;
    std::copy(in.begin(), in.end(), value.in);
    value.bytes = TileBytes(meaning.out);
    return Make(value);
  }
  int MakeBinary(BinaryOp op, TileType type, int a, int b) {
    return MakeValue({ScalarMeaning::kBinary, {}, op, 2, {type, type}, IsComparison(op) ? TileType::kPred : type},
                     OneElementKernels().binary[static_cast<int>(op)][static_cast<int>(type)][kVectorVector],
                     {a, b, -1});
  }
  int MakeSelect(TileType type, int which, int yes, int no) {
    return MakeValue({ScalarMeaning::kSelect, {}, {}, 3, {TileType::kPred, type, type}, type},
                     OneElementKernels().select[static_cast<int>(type)][kVectorVector], {which, yes, no});
  }
  int Truth(bool value) { return Constant(ReadBits(&value, 1), 1); }

  // The value itself, an existing equal one, or a simpler one.
  int Make(ScalarValue value) {
    const ScalarMeaning& meaning = value.meaning;
    const bool memory = meaning.kind == ScalarMeaning::kElement || meaning.kind == ScalarMeaning::kSetElement ||
                        meaning.kind == ScalarMeaning::kSetElementInside;
    if (memory) return Push(value);
    bool constant = true;
    for (int i = 0; i < meaning.inputs; ++i) constant = constant && Of(value.in[i]).kind == ScalarValue::kConstant;
    if (constant) return Fold(value);
    if (meaning.kind == ScalarMeaning::kBinary)
      if (const auto simpler = SimplerBinary(value)) return *simpler;
    if (meaning.kind == ScalarMeaning::kSelect)
      if (const auto simpler = SimplerSelect(value)) return *simpler;
    if (meaning.kind == ScalarMeaning::kConvert) {
      // The low bytes are the same.
      if (IsIntegerType(meaning.in[0]) && IsIntegerType(meaning.out) && meaning.in[0] != TileType::kPred &&
          meaning.out != TileType::kPred && TileBytes(meaning.out) <= TileBytes(meaning.in[0]))
        return value.in[0];
    }
    if (const auto lowered = Lowered(value)) return *lowered;
    SetRange(value);
    for (size_t i = 0; i < to_.values.size(); ++i) {
      const ScalarValue& other = to_.values[i];
      if (other.kind == ScalarValue::kOp && other.op.kernel == value.op.kernel && other.op.extra == value.op.extra &&
          std::equal(other.in, other.in + 3, value.in) && other.meaning.kind == meaning.kind)
        return static_cast<int>(i);
    }
    return Push(value);
  }
  int Fold(const ScalarValue& value) {
    std::array<uint64_t, 4> cells = {};
    TileOp op = value.op;
    for (int i = 0; i < value.meaning.inputs; ++i) {
      cells[static_cast<size_t>(i)] = Of(value.in[i]).bits;
      op.in[i] = &cells[static_cast<size_t>(i)];
    }
    op.out = &cells[3];
    op.kernel(op, 1);
    return Constant(ReadBits(&cells[3], value.bytes), value.bytes);
  }
  std::optional<int> SimplerBinary(const ScalarValue& value) {
    const BinaryOp op = value.meaning.binary;
    const TileType type = value.meaning.in[0];
    const int a = value.in[0], b = value.in[1];
    if (type == TileType::kPred) {
      for (const auto& [known, other] : {std::pair(a, b), std::pair(b, a)}) {
        const auto truth = Number(known, type);
        if (!truth) continue;
        if ((op == BinaryOp::kAnd || op == BinaryOp::kEq) && *truth != 0) return other;
        if ((op == BinaryOp::kOr || op == BinaryOp::kNe || op == BinaryOp::kXor) && *truth == 0) return other;
        if (op == BinaryOp::kAnd) return Truth(false);
        if (op == BinaryOp::kOr) return Truth(true);
      }
      // r < 0 and r != 0 => r < 0
      if (op == BinaryOp::kAnd) {
        for (const auto& [less, unequal] : {std::pair(a, b), std::pair(b, a)}) {
          if (Is(less, BinaryOp::kLt) && Is(unequal, BinaryOp::kNe) && Of(less).in[0] == Of(unequal).in[0] &&
              Number(Of(less).in[1], Of(less).meaning.in[0]) == 0 && IsSigned(Of(less).meaning.in[0]) &&
              Number(Of(unequal).in[1], Of(less).meaning.in[0]) == 0)
            return less;
        }
      }
      return std::nullopt;
    }
    if (!IsIntegerType(type)) return std::nullopt;
    if (const auto x = Known(a, type), y = Known(b, type); x && y) {
      const auto answer = [&](bool yes, bool no) -> std::optional<int> {
        if (yes || no) return Truth(yes);
        return std::nullopt;
      };
      const bool apart = x->high < y->low || x->low > y->high;
      switch (op) {
        case BinaryOp::kEq:
          if (auto t = answer(false, apart)) return t;
          break;
        case BinaryOp::kNe:
          if (auto t = answer(apart, false)) return t;
          break;
        case BinaryOp::kLt:
          if (auto t = answer(x->high < y->low, x->low >= y->high)) return t;
          break;
        case BinaryOp::kLe:
          if (auto t = answer(x->high <= y->low, x->low > y->high)) return t;
          break;
        case BinaryOp::kGt:
          if (auto t = answer(x->low > y->high, x->high <= y->low)) return t;
          break;
        case BinaryOp::kGe:
          if (auto t = answer(x->low >= y->high, x->high < y->low)) return t;
          break;
        default: break;
      }
    }
    if (op == BinaryOp::kWrap) {
      if (const auto x = Known(a, type); x && x->low >= 0) return a;
      // The remainder of the division that rounds down.
      if (Is(a, BinaryOp::kRemainder) && Of(a).meaning.in[0] == type && Of(a).in[1] == b && PowerOfTwo(b, type))
        return MakeBinary(BinaryOp::kAnd, type, Of(a).in[0], IntegerConstant(*Number(b, type) - 1, TileBytes(type)));
    }
    return std::nullopt;
  }
  std::optional<int> SimplerSelect(const ScalarValue& value) {
    const int which = value.in[0], yes = value.in[1], no = value.in[2];
    if (const auto truth = Number(which, TileType::kPred)) return *truth != 0 ? yes : no;
    if (yes == no) return yes;
    // a < 0 ? a + b : a
    if (Is(which, BinaryOp::kLt) && Is(yes, BinaryOp::kAdd)) {
      const TileType type = Of(which).meaning.in[0];
      const int a = Of(which).in[0];
      if (IsSigned(type) && Number(Of(which).in[1], type) == 0 && no == a && TileBytes(type) == value.bytes) {
        if (Of(yes).in[0] == a) return MakeBinary(BinaryOp::kWrap, type, a, Of(yes).in[1]);
        if (Of(yes).in[1] == a) return MakeBinary(BinaryOp::kWrap, type, a, Of(yes).in[0]);
      }
    }
    // The division by 2^k that rounds down: sign(x) != 1 and x % c != 0 ? x / c - 1 : x / c
    if (Is(which, BinaryOp::kAnd) && Is(yes, BinaryOp::kSubtract) && Is(no, BinaryOp::kDivide) && Of(yes).in[0] == no) {
      const TileType type = Of(no).meaning.in[0];
      const int x = Of(no).in[0], c = Of(no).in[1];
      const auto bits = IsSigned(type) && TileBytes(type) >= 4 ? PowerOfTwo(c, type) : std::nullopt;
      const auto sign_differs = [&](int v) {
        if (!Is(v, BinaryOp::kNe) || Number(Of(v).in[1], type) != 1) return false;
        const ScalarValue& sign = Of(Of(v).in[0]);
        return sign.kind == ScalarValue::kOp && sign.meaning.kind == ScalarMeaning::kUnary &&
               sign.meaning.unary == UnaryOp::kSign && sign.meaning.in[0] == type && sign.in[0] == x;
      };
      const auto has_rest = [&](int v) {
        if (!Is(v, BinaryOp::kNe) || Number(Of(v).in[1], type) != 0) return false;
        const int rest = Of(v).in[0];
        return Is(rest, BinaryOp::kRemainder) && Of(rest).meaning.in[0] == type && Of(rest).in[0] == x &&
               Of(rest).in[1] == c;
      };
      const int p = Of(which).in[0], q = Of(which).in[1];
      if (bits && Number(Of(yes).in[1], type) == 1 &&
          ((sign_differs(p) && has_rest(q)) || (sign_differs(q) && has_rest(p))))
        return MakeBinary(BinaryOp::kShiftRightArithmetic, type, x, IntegerConstant(*bits, TileBytes(type)));
    }
    return std::nullopt;
  }
  // The value as ops that have instructions, where it has none itself.
  std::optional<int> Lowered(const ScalarValue& value) {
    const ScalarMeaning& meaning = value.meaning;
    const TileType type = meaning.in[0];
    const int a = value.in[0], b = value.in[1], bytes = TileBytes(type);
    if (meaning.kind == ScalarMeaning::kConvert && type == TileType::kPred) {
      const auto of = [&](bool truth) {
        ScalarValue constant = value;
        constant.in[0] = Truth(truth);
        return Fold(constant);
      };
      return MakeSelect(meaning.out, a, of(true), of(false));
    }
    if (!IsIntegerType(type) || bytes < 4) return std::nullopt;
    if (meaning.kind == ScalarMeaning::kBinary &&
        (meaning.binary == BinaryOp::kMaximum || meaning.binary == BinaryOp::kMinimum)) {
      const bool greater = meaning.binary == BinaryOp::kMaximum;
      const int which = MakeBinary(greater ? BinaryOp::kGe : BinaryOp::kLe, type, a, b);
      const int made = MakeSelect(type, which, a, b);
      const Range all = RangeOf(type), x = Known(a, type).value_or(all), y = Known(b, type).value_or(all);
      // RangeOf of u64 is not all of it.
      if (ScalarValue& extreme = to_.values[static_cast<size_t>(made)];
          made != a && made != b && extreme.kind == ScalarValue::kOp && type != TileType::kU64) {
        extreme.known_range = true;
        extreme.low = greater ? std::max(x.low, y.low) : std::min(x.low, y.low);
        extreme.high = greater ? std::max(x.high, y.high) : std::min(x.high, y.high);
      }
      return made;
    }
    if (meaning.kind != ScalarMeaning::kUnary) return std::nullopt;
    const auto zero = [&] { return IntegerConstant(0, bytes); };
    switch (meaning.unary) {
      case UnaryOp::kNot: return MakeBinary(BinaryOp::kXor, type, a, IntegerConstant(-1, bytes));
      case UnaryOp::kAbs:
        if (!IsSigned(type)) return a;
        return MakeSelect(type, MakeBinary(BinaryOp::kLt, type, a, zero()),
                          MakeBinary(BinaryOp::kSubtract, type, zero(), a), a);
      case UnaryOp::kSign:
        if (!lowers_) return std::nullopt;
        if (!IsSigned(type))
          return MakeSelect(type, MakeBinary(BinaryOp::kNe, type, a, zero()), IntegerConstant(1, bytes), zero());
        return MakeSelect(type, MakeBinary(BinaryOp::kGt, type, a, zero()), IntegerConstant(1, bytes),
                          MakeBinary(BinaryOp::kShiftRightArithmetic, type, a, IntegerConstant(bytes * 8 - 1, bytes)));
      default: return std::nullopt;
    }
  }
  void SetRange(ScalarValue& value) const {
    const ScalarMeaning& meaning = value.meaning;
    if (!IsIntegerType(meaning.out) || meaning.out == TileType::kPred) return;
    if (meaning.kind == ScalarMeaning::kConvert && IsIntegerType(meaning.in[0])) {
      if (const auto x = Known(value.in[0], meaning.in[0])) {
        value.known_range = true;
        value.low = x->low, value.high = x->high;
      }
    }
    if (meaning.kind != ScalarMeaning::kBinary) return;
    // The kernel of an addition does not determine the signedness; signed is assumed.
    const TileType type = TileBytes(meaning.out) == 8   ? TileType::kS64
                          : TileBytes(meaning.out) == 4 ? TileType::kS32
                                                        : TileType::kPred;
    if (type == TileType::kPred) return;
    const auto x = Known(value.in[0], type), y = Known(value.in[1], type);
    if (!x || !y) return;
    __int128 low, high;
    switch (meaning.binary) {
      case BinaryOp::kAdd: low = __int128{x->low} + y->low, high = __int128{x->high} + y->high; break;
      case BinaryOp::kSubtract: low = __int128{x->low} - y->high, high = __int128{x->high} - y->low; break;
      default: return;
    }
    if (!Inside(low, high, RangeOf(type))) return;
    value.known_range = true;
    value.low = static_cast<int64_t>(low), value.high = static_cast<int64_t>(high);
  }

  const ScalarValues& from_;
  const bool lowers_;
  ScalarValues to_;
};

// The constant that each iteration adds to the carry.
std::optional<int64_t> StepOf(const ScalarValues& of, const ScalarCarry& carry, TileType type) {
  const ScalarValue& next = of.values[static_cast<size_t>(carry.next)];
  if (carry.leaf < 0 || next.kind != ScalarValue::kOp || next.meaning.kind != ScalarMeaning::kBinary ||
      TileBytes(type) != carry.bytes || TileBytes(next.meaning.out) != carry.bytes || !IsIntegerType(next.meaning.out))
    return std::nullopt;
  if (next.meaning.binary == BinaryOp::kAdd) {
    if (next.in[0] == carry.leaf) return of.Number(next.in[1], type);
    if (next.in[1] == carry.leaf) return of.Number(next.in[0], type);
  }
  if (next.meaning.binary == BinaryOp::kSubtract && next.in[0] == carry.leaf) {
    const auto number = of.Number(next.in[1], type);
    if (number && *number != INT64_MIN) return -*number;
  }
  return std::nullopt;
}

// The trip count of the loop, and so the range of its counters.
void CountRounds(ScalarValues& of) {
  if (of.condition < 0) return;
  const ScalarValue& test = of.values[static_cast<size_t>(of.condition)];
  if (test.kind != ScalarValue::kOp || test.meaning.kind != ScalarMeaning::kBinary) return;
  const TileType type = test.meaning.in[0];
  if (!IsIntegerType(type) || TileBytes(type) < 4) return;
  int a = test.in[0];
  BinaryOp op = test.meaning.binary;
  auto limit = of.Number(test.in[1], type);
  if (!limit) {
    limit = of.Number(a, type);
    a = test.in[1];
    op = op == BinaryOp::kLt   ? BinaryOp::kGt
         : op == BinaryOp::kLe ? BinaryOp::kGe
         : op == BinaryOp::kGt ? BinaryOp::kLt
         : op == BinaryOp::kGe ? BinaryOp::kLe
                               : op;
  }
  if (!limit) return;
  for (const ScalarCarry& carry : of.carries) {
    if (carry.next != a) continue;
    const TileType as = TileBytes(type) == 8 ? TileType::kS64 : TileType::kS32;
    const auto step = StepOf(of, carry, as);
    const auto begin = NumberOf(ReadBits(carry.place, carry.bytes), type);
    if (!step || *step == 0 || !begin) continue;
    __int128 distance;
    if (op == BinaryOp::kLt && *step > 0) distance = __int128{*limit} - *begin;
    else if (op == BinaryOp::kLe && *step > 0) distance = __int128{*limit} - *begin + 1;
    else if (op == BinaryOp::kGt && *step < 0) distance = __int128{*begin} - *limit;
    else if (op == BinaryOp::kGe && *step < 0) distance = __int128{*begin} - *limit + 1;
    else if (op == BinaryOp::kNe && (*step == 1 || *step == -1)) distance = (__int128{*limit} - *begin) * *step;
    else continue;
    const __int128 size = *step < 0 ? -__int128{*step} : __int128{*step};
    const __int128 rounds = (distance + size - 1) / size, end = *begin + rounds * *step;
    if (distance <= 0 || rounds > INT64_MAX || !Inside(end, end, RangeOf(type))) continue;
    of.rounds = static_cast<int64_t>(rounds);
    of.condition = -1;
    of.assumptions.push_back({carry.place, carry.bytes, ReadBits(carry.place, carry.bytes)});
    break;
  }
  if (of.rounds < 0) return;
  for (const ScalarCarry& carry : of.carries) {
    const TileType as = carry.bytes == 8 ? TileType::kS64 : TileType::kS32;
    if (carry.bytes < 4) continue;
    const auto step = StepOf(of, carry, as);
    if (!step) continue;
    const uint64_t bits = ReadBits(carry.place, carry.bytes);
    const int64_t begin = *NumberOf(bits, as);
    const __int128 last = begin + __int128{of.rounds - 1} * *step;
    if (!Inside(last, last, RangeOf(as))) continue;
    ScalarValue& leaf = of.values[static_cast<size_t>(carry.leaf)];
    leaf.known_range = true;
    leaf.low = std::min(begin, static_cast<int64_t>(last)), leaf.high = std::max(begin, static_cast<int64_t>(last));
    of.assumptions.push_back({carry.place, carry.bytes, bits});
  }
}

// Carries with equal initial and next values are merged.
void JoinCarries(ScalarValues& of) {
  for (size_t i = 0; i < of.carries.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      ScalarCarry &a = of.carries[k], &b = of.carries[i];
      if (a.leaf < 0 || b.leaf < 0 || a.same >= 0 || a.bytes != b.bytes) continue;
      const TileType type = a.bytes == 8 ? TileType::kS64 : TileType::kS32;
      const auto x = StepOf(of, a, type), y = StepOf(of, b, type);
      const uint64_t bits = ReadBits(a.place, a.bytes);
      if (a.bytes < 4 || !x || x != y || bits != ReadBits(b.place, b.bytes)) continue;
      for (const ScalarCarry& carry : {a, b}) of.assumptions.push_back({carry.place, carry.bytes, bits});
      for (ScalarValue& value : of.values)
        for (int& in : value.in)
          if (in == b.leaf) in = a.leaf;
      for (ScalarCarry& carry : of.carries)
        if (carry.next == b.leaf) carry.next = a.leaf;
      if (of.condition == b.leaf) of.condition = a.leaf;
      b.same = static_cast<int>(k);
      break;
    }
  }
}

}  // namespace

std::optional<int64_t> ScalarValues::Number(int value, TileType type) const {
  const ScalarValue& of = values[static_cast<size_t>(value)];
  if (of.kind != ScalarValue::kConstant || of.bytes < TileBytes(type)) return std::nullopt;
  if (of.bytes > TileBytes(type) && std::endian::native != std::endian::little) return std::nullopt;
  return NumberOf(of.bits, type);
}

std::optional<ScalarValues> BuildScalarValues(const KernelTable& table, std::span<const TileOp> condition,
                                              const bool* going, std::span<const TileOp> body,
                                              std::span<const ScalarPlace> results) {
  constexpr size_t kMostValues = 256;  // some searches go through all of them
  if (condition.size() + body.size() > kMostValues) return std::nullopt;
  ScalarValues raw;
  Reader reader(OncePerIsa<MakeScalarMeanings>(table), raw);
  for (const TileOp& op : body)
    if (!reader.Add(op)) return std::nullopt;
  for (const TileOp& op : condition)
    if (!reader.Add(op)) return std::nullopt;
  if (!reader.Read(going, 1, raw.condition) || !reader.Finish(results)) return std::nullopt;
  ScalarValues values = Simplifier(raw, false).Run();
  JoinCarries(values);
  CountRounds(values);
  return Simplifier(values, true).Run();
}

}  // namespace hloir::cpu
