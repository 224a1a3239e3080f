// See scalar_items.h. Kinds first, then live values, then the instructions.
#include "plan/steps/scalar_items.h"

#include <cstring>

#include "plan/capability/kernel_choice.h"

namespace hloir::cpu {

std::optional<ScalarKind> KindOf(TileType type) {
  if (type == TileType::kF32) return ScalarKind::kFloat;
  if (type == TileType::kF64) return ScalarKind::kDouble;
  if (type == TileType::kC128) return std::nullopt;
  return ScalarKind::kInteger;  // of a c64 the bits
}
TileType TypeOf(ScalarKind kind, int bytes) {
  if (kind == ScalarKind::kFloat) return TileType::kF32;
  if (kind == ScalarKind::kDouble) return TileType::kF64;
  return bytes == 1 ? TileType::kU8 : bytes == 2 ? TileType::kU16 : bytes == 4 ? TileType::kU32 : TileType::kU64;
}

namespace {

class ItemMaker {
 public:
  ItemMaker(const ScalarValues& values, ScalarCode& code, ScalarItems& made)
      : values_(values), code_(code), made_(made) {}

  bool Run() {
    code_.rounds = values_.rounds;
    code_.assumptions = values_.assumptions;
    const size_t count = values_.values.size();
    if (!ChooseKinds()) return false;
    FindLive();
    FindFusions();
    for (const bool last : {false, true}) {
      for (size_t i = 0; i < count; ++i)
        if (live_[i] && !absorbed_[i] && made_.last[i] == last && !Translate(static_cast<int>(i))) return false;
    }
    return true;
  }

 private:
  const ScalarValue& Of(int value) const { return values_.values[static_cast<size_t>(value)]; }
  bool IsOp(int value, ScalarMeaning::Kind kind) const {
    return Of(value).kind == ScalarValue::kOp && Of(value).meaning.kind == kind;
  }
  bool IsBinary(int value, BinaryOp op) const {
    return IsOp(value, ScalarMeaning::kBinary) && Of(value).meaning.binary == op;
  }
  ScalarKind Kind(int value) const { return made_.kinds[static_cast<size_t>(value)].value_or(ScalarKind::kInteger); }
  TileType Type(int value) const { return TypeOf(Kind(value), Of(value).bytes); }
  bool Steady(int value) const { return made_.steady[static_cast<size_t>(value)]; }

  // ---- Kinds. Moves and choices have the kind of their operands. ----
  bool Demand(int value, std::optional<ScalarKind> kind) {
    auto& has = made_.kinds[static_cast<size_t>(value)];
    // A constant has a kind for each user.
    if (!kind || has == kind || Of(value).kind == ScalarValue::kConstant) return true;
    if (has) return false;
    has = kind;
    changed_ = true;
    return true;
  }
  bool Alike(int a, int b) {
    return Demand(a, made_.kinds[static_cast<size_t>(b)]) && Demand(b, made_.kinds[static_cast<size_t>(a)]);
  }
  bool ChooseKinds() {
    made_.kinds.resize(values_.values.size());
    do {
      changed_ = false;
      for (size_t i = 0; i < values_.values.size(); ++i) {
        const ScalarValue& value = values_.values[i];
        const int id = static_cast<int>(i);
        if (value.kind != ScalarValue::kOp) continue;
        const ScalarMeaning& meaning = value.meaning;
        bool good = true;
        switch (meaning.kind) {
          case ScalarMeaning::kSelect:
            good = Demand(value.in[0], ScalarKind::kInteger) && Alike(id, value.in[1]) && Alike(id, value.in[2]);
            break;
          case ScalarMeaning::kElement: good = Demand(value.in[0], ScalarKind::kInteger); break;
          case ScalarMeaning::kSetElement:
          case ScalarMeaning::kSetElementInside: good = Demand(value.in[1], ScalarKind::kInteger); break;
          default:
            for (int k = 0; k < meaning.inputs; ++k) good = good && Demand(value.in[k], KindOf(meaning.in[k]));
            good = good && Demand(id, KindOf(meaning.out));
        }
        if (!good) return false;
      }
      for (const ScalarCarry& carry : values_.carries)
        if (carry.leaf >= 0 && !Alike(carry.leaf, carry.next)) return false;
    } while (changed_);
    return values_.condition < 0 || Kind(values_.condition) == ScalarKind::kInteger;
  }

  // ---- Live instructions. ----
  void Mark(int value) {
    std::vector<int> work = {value};
    while (!work.empty()) {
      const int id = work.back();
      work.pop_back();
      if (live_[static_cast<size_t>(id)]) continue;
      live_[static_cast<size_t>(id)] = true;
      if (Of(id).kind == ScalarValue::kOp)
        for (int i = 0; i < Of(id).meaning.inputs; ++i) work.push_back(Of(id).in[i]);
      for (const ScalarCarry& carry : values_.carries)
        if (carry.leaf == id) work.push_back(carry.next);
    }
  }
  // The increment of the next value, if it is a constant.
  std::optional<int64_t> StepOf(const ScalarCarry& carry) const {
    if (carry.leaf < 0 || !IsOp(carry.next, ScalarMeaning::kBinary)) return std::nullopt;
    const ScalarValue& next = Of(carry.next);
    const TileType type = carry.bytes == 8 ? TileType::kS64 : TileType::kS32;
    if (carry.bytes < 4 || next.bytes != carry.bytes || KindOf(next.meaning.out) != ScalarKind::kInteger ||
        next.meaning.out > TileType::kU64)
      return std::nullopt;
    std::optional<int64_t> number;
    if (next.meaning.binary == BinaryOp::kAdd && next.in[0] == carry.leaf) number = values_.Number(next.in[1], type);
    else if (next.meaning.binary == BinaryOp::kAdd && next.in[1] == carry.leaf)
      number = values_.Number(next.in[0], type);
    else if (next.meaning.binary == BinaryOp::kSubtract && next.in[0] == carry.leaf) {
      number = values_.Number(next.in[1], type);
      if (number) number = static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(*number));
    }
    return number;
  }
  void FindLive() {
    const size_t count = values_.values.size();
    live_.assign(count, false);
    made_.last.assign(count, false);
    for (size_t i = 0; i < count; ++i)
      if (IsOp(static_cast<int>(i), ScalarMeaning::kSetElement) ||
          IsOp(static_cast<int>(i), ScalarMeaning::kSetElementInside))
        Mark(static_cast<int>(i));
    if (values_.condition >= 0) Mark(values_.condition);
    for (const ScalarCarry& carry : values_.carries) {
      made_.steps.push_back(StepOf(carry));
      if (carry.same < 0 && !made_.steps.back()) Mark(carry.next);
    }
    for (const ScalarCarry& carry : values_.carries) {
      const std::optional<int64_t> step = made_.steps[code_.carries.size()];
      ScalarCode::Carry made = {carry.place, carry.bytes};
      made.kind = carry.leaf >= 0 ? Kind(carry.leaf) : Kind(carry.next);
      made.same = carry.same;
      // A counter without other readers.
      made_.counted.push_back(carry.same >= 0 || (step && !live_[static_cast<size_t>(carry.leaf)]));
      if (made_.counted.back() && carry.same < 0) made.step = *step;
      code_.carries.push_back(made);
    }
    uses_.assign(count, 0);
    for (size_t i = 0; i < count; ++i) {
      const ScalarValue& value = values_.values[i];
      if (!live_[i] || value.kind != ScalarValue::kOp) continue;
      for (int k = 0; k < value.meaning.inputs; ++k) ++uses_[static_cast<size_t>(value.in[k])];
    }
    for (size_t i = 0; i < values_.carries.size(); ++i)
      if (!made_.counted[i]) ++uses_[static_cast<size_t>(values_.carries[i].next)];
    if (values_.condition >= 0) ++uses_[static_cast<size_t>(values_.condition)];
    std::vector<bool> carried(count);
    for (size_t i = 0; i < values_.carries.size(); ++i) {
      const ScalarCarry& carry = values_.carries[i];
      if (carry.leaf >= 0) carried[static_cast<size_t>(carry.leaf)] = true;
      // Counters advance when their old value is no longer needed.
      if (!made_.counted[i] && made_.steps[i] && uses_[static_cast<size_t>(carry.next)] == 1)
        made_.last[static_cast<size_t>(carry.next)] = true;
    }
    made_.steady.assign(count, false);
    for (size_t i = 0; i < count; ++i)
      made_.steady[i] = values_.values[i].kind == ScalarValue::kConstant ||
                        (values_.values[i].kind == ScalarValue::kLeaf && !carried[i]);
  }

  // ---- Instructions. ----
  bool Single(int value) const {
    return uses_[static_cast<size_t>(value)] == 1 && !made_.last[static_cast<size_t>(value)];
  }
  bool IsFloatProduct(int value) const {
    return IsBinary(value, BinaryOp::kMultiply) && Kind(value) != ScalarKind::kInteger &&
           Of(value).meaning.out <= TileType::kF64 && (Steady(Of(value).in[0]) || Steady(Of(value).in[1]));
  }
  int Product(int value) const { return Steady(Of(value).in[1]) ? Of(value).in[0] : Of(value).in[1]; }
  int Factor(int value) const { return Steady(Of(value).in[1]) ? Of(value).in[1] : Of(value).in[0]; }
  bool FromWideInteger(int value) const {
    return IsOp(value, ScalarMeaning::kConvert) &&
           (Of(value).meaning.in[0] == TileType::kS32 || Of(value).meaning.in[0] == TileType::kS64);
  }
  // The operand of a sum that is a product to be merged into it; -1: none. Prefers one that depends on the previous
  // iteration.
  int SummedProduct(int value) const {
    if (!IsBinary(value, BinaryOp::kAdd) || Kind(value) == ScalarKind::kInteger ||
        Of(value).meaning.out > TileType::kF64)
      return -1;
    int found = -1;
    for (int k = 0; k < 2; ++k) {
      const int in = Of(value).in[k];
      if (!IsFloatProduct(in) || !Single(in) || Steady(in)) continue;
      if (found < 0 || Of(Product(in)).kind == ScalarValue::kLeaf) found = k;
    }
    return found;
  }
  void FindFusions() {
    absorbed_.assign(values_.values.size(), false);
    for (size_t i = 0; i < values_.values.size(); ++i) {
      const int id = static_cast<int>(i);
      if (!live_[i] || Of(id).kind != ScalarValue::kOp) continue;
      const ScalarValue& value = Of(id);
      if (const int k = SummedProduct(id); k >= 0) {
        absorbed_[static_cast<size_t>(value.in[k])] = true;
        // The other operand keeps its own instruction.
      } else if (IsFloatProduct(id)) {
        if (const int x = Product(id); FromWideInteger(x) && Single(x)) absorbed_[static_cast<size_t>(x)] = true;
      } else if (const int x = IntegerProduct(id); x >= 0) {
        absorbed_[static_cast<size_t>(x)] = true;
      } else if (const int y = Masked(id); y >= 0) {
        absorbed_[static_cast<size_t>(y)] = true;
      } else if (const int z = XoredShift(id); z >= 0) {
        absorbed_[static_cast<size_t>(z)] = true;
      }
    }
    std::vector<int> indexing(values_.values.size());
    for (size_t i = 0; i < values_.values.size(); ++i) {
      const int index = live_[i] ? ShiftedIndex(static_cast<int>(i)) : -1;
      if (index >= 0 && ++indexing[static_cast<size_t>(index)] == uses_[static_cast<size_t>(index)])
        absorbed_[static_cast<size_t>(index)] = true;
    }
    // An operand of a sum cannot include a conversion.
    for (size_t i = 0; i < values_.values.size(); ++i) {
      const int id = static_cast<int>(i);
      if (absorbed_[i] && IsFloatProduct(id) && FromWideInteger(Product(id)))
        absorbed_[static_cast<size_t>(Product(id))] = false;
    }
  }
  std::optional<int64_t> ConstantOf(int value, int bytes) const {
    return values_.Number(value, bytes == 8 ? TileType::kS64 : TileType::kS32);
  }
  // x · constant in x · constant + constant, of integers.
  int IntegerProduct(int value) const {
    if (!IsBinary(value, BinaryOp::kAdd) || Kind(value) != ScalarKind::kInteger ||
        made_.last[static_cast<size_t>(value)] || Of(value).meaning.out > TileType::kU64 || Of(value).bytes < 4)
      return -1;
    const int bytes = Of(value).bytes, a = Of(value).in[0];
    if (!IsBinary(a, BinaryOp::kMultiply) || Of(a).meaning.out > TileType::kU64 || !Single(a) ||
        !ConstantOf(Of(value).in[1], bytes) || Of(a).bytes != bytes)
      return -1;
    return ConstantOf(Of(a).in[1], bytes) && !Steady(Of(a).in[0]) ? a : -1;
  }
  // x & constant in (x & constant) == constant.
  int Masked(int value) const {
    if (!IsBinary(value, BinaryOp::kEq)) return -1;
    const TileType type = Of(value).meaning.in[0];
    const int a = Of(value).in[0];
    if (type > TileType::kU64 || TileBytes(type) < 4 || !IsBinary(a, BinaryOp::kAnd) || !Single(a) ||
        Of(a).bytes != TileBytes(type) || !values_.Number(Of(value).in[1], type))
      return -1;
    return ConstantOf(Of(a).in[1], Of(a).bytes) && !Steady(Of(a).in[0]) ? a : -1;
  }
  // x << constant or x >> constant in its exclusive or with x.
  int XoredShift(int value) const {
    if (!IsBinary(value, BinaryOp::kXor) || Of(value).bytes < 4) return -1;
    for (int k = 0; k < 2; ++k) {
      const int shift = Of(value).in[k], x = Of(value).in[1 - k];
      if (!IsBinary(shift, BinaryOp::kShiftLeft) && !IsBinary(shift, BinaryOp::kShiftRightLogical)) continue;
      const auto amount = ConstantOf(Of(shift).in[1], Of(value).bytes);
      if (Of(shift).in[0] == x && Single(shift) && !Steady(x) && amount && *amount >= 0 &&
          *amount < 8 * Of(value).bytes)
        return shift;
    }
    return -1;
  }

  bool Push(const ScalarItem& item) {
    made_.items.push_back(item);
    return true;
  }
  bool Translate(int id) {
    const ScalarValue& value = Of(id);
    if (value.kind != ScalarValue::kOp) return true;
    const ScalarMeaning& meaning = value.meaning;
    ScalarItem item;
    item.result = id;
    item.type = meaning.in[0];
    item.a = value.in[0];
    if (meaning.inputs > 1) item.b = value.in[1];
    switch (meaning.kind) {
      case ScalarMeaning::kUnary:
        if (meaning.unary == UnaryOp::kNegate) item.op = RegisterOp::kNegate;
        else if (meaning.unary == UnaryOp::kAbs) item.op = RegisterOp::kAbs;
        else if (meaning.unary == UnaryOp::kSqrt) item.op = RegisterOp::kSqrt;
        else return Call(id);
        break;
      case ScalarMeaning::kBinary:
        if (const int k = SummedProduct(id); k >= 0) {
          const int product = value.in[k];
          item.op = k == 0 ? RegisterOp::kMultiplyAdd : RegisterOp::kAddMultiply;
          item.a = Product(product), item.memory = Factor(product), item.b = value.in[1 - k];
          return Push(item);
        }
        if (const int a = IsFloatProduct(id) ? Product(id) : -1; a >= 0 && absorbed_[static_cast<size_t>(a)]) {
          item.op = RegisterOp::kConvertMultiply;
          item.type = Of(a).meaning.in[0], item.other = meaning.out;
          item.a = Of(a).in[0], item.b = -1, item.memory = Factor(id);
          return Push(item);
        }
        if (const int a = IntegerProduct(id); a >= 0) {
          item.op = RegisterOp::kMultiplyAdd;
          item.a = Of(a).in[0], item.b = -1;
          item.x = *ConstantOf(Of(a).in[1], value.bytes), item.y = *ConstantOf(value.in[1], value.bytes);
          return Push(item);
        }
        if (const int a = Masked(id); a >= 0) {
          item.op = RegisterOp::kAndEq;
          item.a = Of(a).in[0], item.b = -1;
          item.x = *ConstantOf(Of(a).in[1], Of(a).bytes), item.y = *values_.Number(value.in[1], meaning.in[0]);
          return Push(item);
        }
        if (const int shift = XoredShift(id); shift >= 0) {
          item.op = IsBinary(shift, BinaryOp::kShiftLeft) ? RegisterOp::kXorLeft : RegisterOp::kXorRight;
          item.a = Of(shift).in[0], item.b = -1, item.x = *ConstantOf(Of(shift).in[1], value.bytes);
          return Push(item);
        }
        if (!TranslateBinary(meaning.binary, item)) return Call(id);
        break;
      case ScalarMeaning::kSelect:
        item.op = RegisterOp::kSelect;
        item.type = Type(id);
        item.memory = value.in[2];  // the other choice: see Allocate
        break;
      case ScalarMeaning::kConvert:
        item.op = RegisterOp::kConvert;
        item.other = meaning.out == TileType::kU64 ? TileType::kS64 : meaning.out;
        break;
      case ScalarMeaning::kElement:
      case ScalarMeaning::kSetElement:
      case ScalarMeaning::kSetElementInside: return Indexed(id);
      case ScalarMeaning::kCopy:
      case ScalarMeaning::kCall: return Call(id);
    }
    if (FindRegisterKernel(item.op, item.type, 0, 0, 0, item.other) == nullptr &&
        FindRegisterKernel(item.op, item.type, 0, 0, kMemory, item.other) == nullptr)
      return Call(id);
    return Push(item);
  }
  static bool TranslateBinary(BinaryOp op, ScalarItem& item) {
    switch (op) {
      case BinaryOp::kAdd: item.op = RegisterOp::kAdd; return true;
      case BinaryOp::kSubtract: item.op = RegisterOp::kSubtract; return true;
      case BinaryOp::kMultiply: item.op = RegisterOp::kMultiply; return true;
      case BinaryOp::kDivide: item.op = RegisterOp::kDivide; return true;
      case BinaryOp::kRemainder: item.op = RegisterOp::kRemainder; return true;
      case BinaryOp::kAnd: item.op = RegisterOp::kAnd; return true;
      case BinaryOp::kOr: item.op = RegisterOp::kOr; return true;
      case BinaryOp::kXor: item.op = RegisterOp::kXor; return true;
      case BinaryOp::kShiftLeft: item.op = RegisterOp::kShiftLeft; return true;
      case BinaryOp::kShiftRightArithmetic: item.op = RegisterOp::kShiftRightArithmetic; return true;
      case BinaryOp::kShiftRightLogical: item.op = RegisterOp::kShiftRightLogical; return true;
      case BinaryOp::kWrap: item.op = RegisterOp::kWrap; return true;
      case BinaryOp::kEq: item.op = RegisterOp::kEq; return true;
      case BinaryOp::kNe: item.op = RegisterOp::kNe; return true;
      case BinaryOp::kLt: item.op = RegisterOp::kLt; return true;
      case BinaryOp::kLe: item.op = RegisterOp::kLe; return true;
      case BinaryOp::kGt: item.op = RegisterOp::kGt; return true;
      case BinaryOp::kGe: item.op = RegisterOp::kGe; return true;
      default: return false;
    }
  }
  // The index of an element, if it is a value plus a constant, a sum that does not wrap around; else -1.
  int ShiftedIndex(int id) const {
    const ScalarMeaning::Kind kind = Of(id).meaning.kind;
    const bool reads = kind == ScalarMeaning::kElement;
    if (Of(id).kind != ScalarValue::kOp ||
        (!reads && kind != ScalarMeaning::kSetElement && kind != ScalarMeaning::kSetElementInside))
      return -1;
    const int i = Of(id).in[reads ? 0 : 1];
    const ScalarValue& index = Of(i);
    if (!IsBinary(i, BinaryOp::kAdd) && !IsBinary(i, BinaryOp::kSubtract)) return -1;
    const auto number = ConstantOf(index.in[1], index.bytes);
    constexpr int64_t kFar = int64_t{1} << 40;
    const bool good = index.known_range && !made_.last[static_cast<size_t>(i)] && !Steady(index.in[0]) &&
                      index.bytes == TileBytes(Of(id).meaning.in[reads ? 0 : 1]) && number && *number > -kFar &&
                      *number < kFar;
    return good ? i : -1;
  }
  bool Indexed(int id) {
    const ScalarValue& value = Of(id);
    const bool reads = value.meaning.kind == ScalarMeaning::kElement;
    ScalarItem item;
    item.op = reads                                                    ? RegisterOp::kElement
              : value.meaning.kind == ScalarMeaning::kSetElementInside ? RegisterOp::kSetElementInside
                                                                       : RegisterOp::kSetElement;
    item.other = value.meaning.in[reads ? 0 : 1];
    item.b = value.in[reads ? 0 : 1];
    item.a = reads ? -1 : value.in[0];
    item.result = reads ? id : -1;
    item.type = TypeOf(Kind(reads ? id : value.in[0]), value.bytes);
    item.pointer = reads ? value.op.in[0] : value.op.out;
    item.x = reinterpret_cast<intptr_t>(value.op.in[2]);
    item.y = value.op.extra;
    if (ShiftedIndex(id) >= 0) {
      const ScalarValue& index = Of(item.b);
      const int64_t number = *ConstantOf(index.in[1], index.bytes);
      item.z = index.meaning.binary == BinaryOp::kSubtract ? -number : number;
      item.b = index.in[0];
    }
    return Push(item);
  }
  // A call of the kernel itself, with operands in memory.
  bool Call(int id) {
    const ScalarValue& value = Of(id);
    auto op = std::make_unique<TileOp>(value.op);
    const auto room = [&] {
      code_.natural.emplace_back();
      return code_.natural.back().data();
    };
    for (int i = 0; i < value.meaning.inputs; ++i) {
      std::byte* place = room();
      op->in[i] = place;
      const int in = value.in[i];
      if (Of(in).kind == ScalarValue::kConstant) {
        std::memcpy(place, &Of(in).bits, sizeof(Of(in).bits));
        continue;
      }
      ScalarItem store;
      store.op = RegisterOp::kStore;
      store.type = TypeOf(Kind(in), TileBytes(value.meaning.in[i]));
      store.a = in;
      store.x = reinterpret_cast<intptr_t>(place);
      Push(store);
    }
    op->out = room();
    ScalarItem call;
    call.pointer = op.get();
    Push(call);
    ScalarItem load;
    load.op = RegisterOp::kLoad;
    load.type = TypeOf(Kind(id), value.bytes);
    load.pointer = op->out;
    load.result = id;
    code_.calls.push_back(std::move(op));
    return Push(load);
  }

  const ScalarValues& values_;
  ScalarCode& code_;
  ScalarItems& made_;
  bool changed_ = false;
  std::vector<bool> live_, absorbed_;
  std::vector<int> uses_;
};

}  // namespace

bool MakeScalarItems(const ScalarValues& values, ScalarCode& code, ScalarItems& items) {
  return ItemMaker(values, code, items).Run();
}

}  // namespace hloir::cpu
