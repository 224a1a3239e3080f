// See scalar_code.h. Kinds of registers first, then the list of instructions with values for operands, in which one
// often does the work of two; then registers, given out in that order: what is needed last makes room.
#include "plan/steps/scalar_code.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

namespace hloir::cpu {
namespace {

constexpr int kKinds = 3;
constexpr int kNever = std::numeric_limits<int>::max();

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

// An instruction whose operands are values still.
struct Item {
  RegisterOp op = RegisterOp::kCall;
  TileType type = TileType::kU64, other = TileType::kS64;
  int result = -1, a = -1, b = -1;
  int memory = -1;  // a value that must be in memory
  const void* pointer = nullptr;
  int64_t x = 0, y = 0, z = 0;
};

class Coder {
 public:
  Coder(const ScalarValues& values, ScalarCode& code) : values_(values), code_(code) {}

  bool Run() {
    code_.rounds = values_.rounds;
    code_.assumptions = values_.assumptions;
    const size_t count = values_.values.size();
    if (!ChooseKinds() || !FindLive()) return false;
    FindFusions();
    for (size_t i = 0; i < count; ++i)
      if (live_[i] && !absorbed_[i] && !last_[i] && !Translate(static_cast<int>(i))) return false;
    for (size_t i = 0; i < count; ++i)
      if (live_[i] && last_[i] && !Translate(static_cast<int>(i))) return false;
    return Allocate();
  }

 private:
  const ScalarValue& Of(int value) const { return values_.values[static_cast<size_t>(value)]; }
  bool IsOp(int value, ScalarMeaning::Kind kind) const {
    return Of(value).kind == ScalarValue::kOp && Of(value).meaning.kind == kind;
  }
  bool IsBinary(int value, BinaryOp op) const {
    return IsOp(value, ScalarMeaning::kBinary) && Of(value).meaning.binary == op;
  }
  ScalarKind Kind(int value) const { return kinds_[static_cast<size_t>(value)].value_or(ScalarKind::kInteger); }
  TileType Type(int value) const { return TypeOf(Kind(value), Of(value).bytes); }
  bool Steady(int value) const { return steady_[static_cast<size_t>(value)]; }

  // ---- Kinds. Moves and choices take that of what they move. ----
  bool Demand(int value, std::optional<ScalarKind> kind) {
    auto& has = kinds_[static_cast<size_t>(value)];
    // A constant has the kind that each user asks for.
    if (!kind || has == kind || Of(value).kind == ScalarValue::kConstant) return true;
    if (has) return false;
    has = kind;
    changed_ = true;
    return true;
  }
  bool Alike(int a, int b) {
    return Demand(a, kinds_[static_cast<size_t>(b)]) && Demand(b, kinds_[static_cast<size_t>(a)]);
  }
  bool ChooseKinds() {
    kinds_.resize(values_.values.size());
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

  // ---- What has to be computed. ----
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
  // What the next value adds, if it is a constant.
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
  bool FindLive() {
    const size_t count = values_.values.size();
    live_.assign(count, false);
    last_.assign(count, false);
    for (size_t i = 0; i < count; ++i)
      if (IsOp(static_cast<int>(i), ScalarMeaning::kSetElement) ||
          IsOp(static_cast<int>(i), ScalarMeaning::kSetElementInside))
        Mark(static_cast<int>(i));
    if (values_.condition >= 0) Mark(values_.condition);
    for (const ScalarCarry& carry : values_.carries)
      if (carry.same < 0 && !StepOf(carry)) Mark(carry.next);
    for (const ScalarCarry& carry : values_.carries) {
      ScalarCode::Carry made = {carry.place, carry.bytes};
      made.kind = carry.leaf >= 0 ? Kind(carry.leaf) : Kind(carry.next);
      made.same = carry.same;
      // A counter that nothing else reads.
      counted_.push_back(carry.same >= 0 || (StepOf(carry) && !live_[static_cast<size_t>(carry.leaf)]));
      if (counted_.back() && carry.same < 0) made.step = *StepOf(carry);
      code_.carries.push_back(made);
    }
    uses_.assign(count, 0);
    for (size_t i = 0; i < count; ++i) {
      const ScalarValue& value = values_.values[i];
      if (!live_[i] || value.kind != ScalarValue::kOp) continue;
      for (int k = 0; k < value.meaning.inputs; ++k) ++uses_[static_cast<size_t>(value.in[k])];
    }
    for (size_t i = 0; i < values_.carries.size(); ++i)
      if (!counted_[i]) ++uses_[static_cast<size_t>(values_.carries[i].next)];
    if (values_.condition >= 0) ++uses_[static_cast<size_t>(values_.condition)];
    std::vector<bool> carried(count);
    for (size_t i = 0; i < values_.carries.size(); ++i) {
      const ScalarCarry& carry = values_.carries[i];
      if (carry.leaf >= 0) carried[static_cast<size_t>(carry.leaf)] = true;
      // Counters go on when nothing needs what they were.
      if (!counted_[i] && StepOf(carry) && uses_[static_cast<size_t>(carry.next)] == 1)
        last_[static_cast<size_t>(carry.next)] = true;
    }
    steady_.assign(count, false);
    for (size_t i = 0; i < count; ++i)
      steady_[i] = values_.values[i].kind == ScalarValue::kConstant ||
                   (values_.values[i].kind == ScalarValue::kLeaf && !carried[i]);
    return true;
  }

  // ---- Instructions. ----
  bool Single(int value) const { return uses_[static_cast<size_t>(value)] == 1 && !last_[static_cast<size_t>(value)]; }
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
  // Which operand of a sum is a product that can be computed with it; -1: none. Rather the one that waits for the round
  // before.
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
      }
    }
    std::vector<int> indexing(values_.values.size());
    for (size_t i = 0; i < values_.values.size(); ++i) {
      const int index = live_[i] ? ShiftedIndex(static_cast<int>(i)) : -1;
      if (index >= 0 && ++indexing[static_cast<size_t>(index)] == uses_[static_cast<size_t>(index)])
        absorbed_[static_cast<size_t>(index)] = true;
    }
    // What goes into a sum cannot take a conversion with it.
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
    if (!IsBinary(value, BinaryOp::kAdd) || Kind(value) != ScalarKind::kInteger || last_[static_cast<size_t>(value)] ||
        Of(value).meaning.out > TileType::kU64 || Of(value).bytes < 4)
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
    if (type > TileType::kU64 || BytesOf(type) < 4 || !IsBinary(a, BinaryOp::kAnd) || !Single(a) ||
        Of(a).bytes != BytesOf(type) || !values_.Number(Of(value).in[1], type))
      return -1;
    return ConstantOf(Of(a).in[1], Of(a).bytes) && !Steady(Of(a).in[0]) ? a : -1;
  }

  bool Push(const Item& item) {
    items_.push_back(item);
    return true;
  }
  bool Translate(int id) {
    const ScalarValue& value = Of(id);
    if (value.kind != ScalarValue::kOp) return true;
    const ScalarMeaning& meaning = value.meaning;
    Item item;
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
  static bool TranslateBinary(BinaryOp op, Item& item) {
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
    const bool good = index.known_range && !last_[static_cast<size_t>(i)] && !Steady(index.in[0]) &&
                      index.bytes == BytesOf(Of(id).meaning.in[reads ? 0 : 1]) && number && *number > -kFar &&
                      *number < kFar;
    return good ? i : -1;
  }
  bool Indexed(int id) {
    const ScalarValue& value = Of(id);
    const bool reads = value.meaning.kind == ScalarMeaning::kElement;
    Item item;
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
  // Of the kernel itself, by way of memory.
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
      Item store;
      store.op = RegisterOp::kStore;
      store.type = TypeOf(Kind(in), BytesOf(value.meaning.in[i]));
      store.a = in;
      store.x = reinterpret_cast<intptr_t>(place);
      Push(store);
    }
    op->out = room();
    Item call;
    call.pointer = op.get();
    Push(call);
    Item load;
    load.op = RegisterOp::kLoad;
    load.type = TypeOf(Kind(id), value.bytes);
    load.pointer = op->out;
    load.result = id;
    code_.calls.push_back(std::move(op));
    return Push(load);
  }

  // ---- Registers. ----
  int& RegOf(int value) { return reg_[static_cast<size_t>(value)]; }
  int& SlotOf(int value, ScalarKind kind) { return slot_[static_cast<size_t>(value)][static_cast<size_t>(kind)]; }
  int& Holder(ScalarKind kind, int reg) { return holder_[static_cast<size_t>(kind)][static_cast<size_t>(reg)]; }
  int NextUse(int value) const {
    for (const int at : used_at_[static_cast<size_t>(value)])
      if (at >= at_) return at;
    return kNever;
  }
  // With what an item needs of a value taken away: whether it is needed after it.
  bool NeededAfter(int value) const {
    for (const int at : used_at_[static_cast<size_t>(value)])
      if (at > at_) return true;
    return false;
  }
  int NewSlot() {
    code_.slots.push_back(0);
    return static_cast<int>(code_.slots.size()) - 1;
  }
  int64_t* Slot(int slot) { return &code_.slots[static_cast<size_t>(slot)]; }
  bool Emit(RegisterOp op, TileType type, int d, int a, int b, Instruction instruction,
            TileType other = TileType::kS64) {
    instruction.kernel = FindRegisterKernel(op, type, d, a, b, other);
    if (instruction.kernel == nullptr) return false;
    code_.instructions.push_back(instruction);
    return true;
  }
  static TileType OperandType(ScalarKind kind) { return TypeOf(kind, 8); }
  bool StoreOperand(ScalarKind kind, int reg, int slot) {
    Instruction store;
    store.x = reinterpret_cast<intptr_t>(Slot(slot));
    return Emit(RegisterOp::kStoreOperand, OperandType(kind), 0, reg, 0, store);
  }
  bool LoadOperand(ScalarKind kind, int reg, int slot) {
    Instruction load;
    load.memory = Slot(slot);
    return Emit(RegisterOp::kLoadOperand, OperandType(kind), reg, 0, 0, load);
  }
  // A slot that has the value, if there is one or the value is steady.
  int InSlot(int value, ScalarKind kind) {
    int& slot = SlotOf(value, kind);
    if (slot >= 0 || !Steady(value)) return slot;
    slot = NewSlot();
    const ScalarValue& of = Of(value);
    if (of.kind == ScalarValue::kLeaf) {
      code_.invariants.push_back({of.place, of.bytes, kind, slot});
    } else if (kind == ScalarKind::kInteger) {
      // Of u64 those that are no int64_t have eight bytes, and so are their bits.
      *Slot(slot) = values_.Number(value, TypeOf(kind, of.bytes)).value_or(static_cast<int64_t>(of.bits));
    } else {
      std::memcpy(Slot(slot), &of.bits, sizeof(of.bits));
    }
    return slot;
  }
  // A register that is free, `wanted` if it is; -1: all are locked.
  int Take(ScalarKind kind, int wanted) {
    int best = -1, far = -1;
    if (wanted >= 0 && Holder(kind, wanted) < 0) return wanted;
    for (int reg = 0; reg < kRegisters; ++reg)
      if (Holder(kind, reg) < 0 && !(home_[static_cast<size_t>(kind)][static_cast<size_t>(reg)])) return reg;
    for (int reg = 0; reg < kRegisters; ++reg)
      if (Holder(kind, reg) < 0) return reg;
    for (int reg = 0; reg < kRegisters; ++reg) {
      const int value = Holder(kind, reg);
      if (std::find(locked_.begin(), locked_.end(), value) != locked_.end()) continue;
      if (NextUse(value) > far) far = NextUse(value), best = reg;
    }
    if (best < 0) return -1;
    const int value = Holder(kind, best);
    if (InSlot(value, kind) < 0) {
      const int slot = NewSlot();
      if (!StoreOperand(kind, best, slot)) return -1;
      SlotOf(value, kind) = slot;
    }
    RegOf(value) = -1;
    Holder(kind, best) = -1;
    return best;
  }
  void Hold(int value, ScalarKind kind, int reg) {
    Holder(kind, reg) = value;
    RegOf(value) = reg;
  }
  // The register that a value is in, or is loaded to.
  int InRegister(int value, ScalarKind kind) {
    if (RegOf(value) >= 0 && Holder(kind, RegOf(value)) == value) return RegOf(value);
    const int slot = InSlot(value, kind);
    if (slot < 0) return -1;
    const int reg = Take(kind, -1);
    if (reg < 0 || !LoadOperand(kind, reg, slot)) return -1;
    Hold(value, kind, reg);
    return reg;
  }
  bool Held(int value, ScalarKind kind) { return RegOf(value) >= 0 && Holder(kind, RegOf(value)) == value; }
  void Release() {
    for (int kind = 0; kind < kKinds; ++kind) {
      for (int reg = 0; reg < kRegisters; ++reg) {
        int& value = Holder(static_cast<ScalarKind>(kind), reg);
        if (value >= 0 && !NeededAfter(value)) RegOf(value) = -1, value = -1;
      }
    }
  }

  // The kinds of an item's operands, which are not those of constants.
  ScalarKind OperandKind(const Item& item, int value) const {
    if (Of(value).kind == ScalarValue::kConstant && item.op != RegisterOp::kConvertMultiply) {
      if (item.op == RegisterOp::kElement || item.op == RegisterOp::kSetElement ||
          item.op == RegisterOp::kSetElementInside)
        return value == item.b ? ScalarKind::kInteger : *KindOf(item.type);
      if (item.op == RegisterOp::kSelect && value == item.a) return ScalarKind::kInteger;
      return *KindOf(item.type);
    }
    if (Of(value).kind == ScalarValue::kConstant) return *KindOf(item.other);
    return Kind(value);
  }

  bool Allocate() {
    const size_t count = values_.values.size();
    used_at_.assign(count, {});
    for (size_t i = 0; i < items_.size(); ++i)
      for (const int value : {items_[i].a, items_[i].b, items_[i].memory})
        if (value >= 0) used_at_[static_cast<size_t>(value)].push_back(static_cast<int>(i));
    const int end = static_cast<int>(items_.size());
    hint_.assign(count, -1);
    reg_.assign(count, -1);
    slot_.assign(count, {-1, -1, -1});
    for (auto& of_kind : holder_) of_kind.fill(-1);
    for (auto& of_kind : home_) of_kind.fill(false);
    // One register stays free where not all carries have one, for those that go from slot to slot, and one for the
    // condition.
    int carried[kKinds] = {}, free[kKinds] = {};
    for (size_t i = 0; i < values_.carries.size(); ++i)
      carried[static_cast<size_t>(code_.carries[i].kind)] += !counted_[i];
    for (int kind = 0; kind < kKinds; ++kind) {
      free[kind] = kind == 0 && values_.condition >= 0 ? kRegisters - 1 : kRegisters;
      if (carried[kind] > free[kind]) --free[kind];
    }
    for (size_t i = 0; i < values_.carries.size(); ++i) {
      if (counted_[i]) continue;
      const ScalarCarry& carry = values_.carries[i];
      ScalarCode::Carry& made = code_.carries[i];
      used_at_[static_cast<size_t>(carry.next)].push_back(end);
      int& left = free[static_cast<size_t>(made.kind)];
      const bool read = carry.leaf >= 0 && !used_at_[static_cast<size_t>(carry.leaf)].empty();
      if (left > 0 && read) {
        made.reg = --left;
        home_[static_cast<size_t>(made.kind)][static_cast<size_t>(made.reg)] = true;
        Hold(carry.leaf, made.kind, made.reg);
        hint_[static_cast<size_t>(carry.next)] = made.reg;
      } else {
        made.slot = NewSlot();
        if (carry.leaf >= 0) SlotOf(carry.leaf, made.kind) = made.slot;
      }
    }
    if (values_.condition >= 0) used_at_[static_cast<size_t>(values_.condition)].push_back(end);
    // The last counter's addition goes with the jump.
    loop_add_ = -1;
    if (!items_.empty() && values_.condition < 0) {
      const Item& item = items_.back();
      if (item.result >= 0 && last_[static_cast<size_t>(item.result)]) loop_add_ = static_cast<int>(items_.size()) - 1;
    }
    for (at_ = 0; at_ < end; ++at_) {
      if (at_ == loop_add_) break;
      if (!Place(items_[static_cast<size_t>(at_)])) return false;
    }
    return EndRound(end);
  }

  bool Place(const Item& item) {
    locked_.clear();
    for (const int value : {item.a, item.b, item.memory})
      if (value >= 0) locked_.push_back(value);
    Instruction instruction;
    instruction.memory = item.pointer;
    instruction.x = item.x, instruction.y = item.y, instruction.z = item.z;
    RegisterOp op = item.op;
    int a = 0, b = 0;
    if (op == RegisterOp::kSelect) return PlaceSelect(item);
    const bool binary = item.memory < 0 && item.a >= 0 && item.b >= 0 && item.pointer == nullptr;
    if (binary) {
      int first = item.a, second = item.b;
      const ScalarKind kind_a = OperandKind(item, first), kind_b = OperandKind(item, second);
      const auto form = [&](int value, ScalarKind kind) { return Held(value, kind) ? 0 : kMemory; };
      a = form(first, kind_a), b = form(second, kind_b);
      const auto exists = [&](RegisterOp which, int x, int y) {
        return FindRegisterKernel(which, item.type, 0, x, y, item.other) != nullptr;
      };
      if (a == kMemory && b == kMemory) {
        if (InRegister(first, kind_a) < 0) return false;
        a = 0;
      }
      if (const auto mirrored = Mirrored(op, item.type); !exists(op, a, b) && mirrored && exists(*mirrored, b, a)) {
        op = *mirrored;
        std::swap(first, second), std::swap(a, b);
      }
      const ScalarKind kind_first = OperandKind(item, first), kind_second = OperandKind(item, second);
      if (a == kMemory && !exists(op, a, b)) {
        if (InRegister(first, kind_first) < 0) return false;
        a = 0;
      }
      if (!exists(op, a, b) && b != kMemory) {
        if (InSlot(second, kind_second) < 0) {
          const int slot = NewSlot();
          if (!StoreOperand(kind_second, RegOf(second), slot)) return false;
          SlotOf(second, kind_second) = slot;
        }
        b = kMemory;
      }
      if (a != kMemory) a = RegOf(first);
      else instruction.memory = Slot(InSlot(first, kind_first));
      if (b != kMemory) b = RegOf(second);
      else instruction.memory = Slot(InSlot(second, kind_second));
    } else {
      if (item.a >= 0 && (a = InRegister(item.a, OperandKind(item, item.a))) < 0) return false;
      if (item.b >= 0 && (b = InRegister(item.b, OperandKind(item, item.b))) < 0) return false;
      if (item.memory >= 0) {
        const int slot = InSlot(item.memory, OperandKind(item, item.memory));
        if (slot < 0) return false;
        instruction.memory = Slot(slot);
      }
    }
    int d = 0;
    Release();
    if (item.result >= 0) {
      const ScalarKind kind = Kind(item.result);
      locked_.clear();
      d = Take(kind, hint_[static_cast<size_t>(item.result)]);
      if (d < 0) return false;
      Hold(item.result, kind, d);
      if (!NeededAfter(item.result)) RegOf(item.result) = -1, Holder(kind, d) = -1;
    }
    return Emit(op, item.type, d, a, b, instruction, item.other);
  }
  static std::optional<RegisterOp> Mirrored(RegisterOp op, TileType type) {
    // Of two NaNs a sum is the first.
    const bool integer = type <= TileType::kU64;
    switch (op) {
      case RegisterOp::kAdd:
      case RegisterOp::kMultiply:
        if (!integer) return std::nullopt;
        return op;
      case RegisterOp::kAnd:
      case RegisterOp::kOr:
      case RegisterOp::kXor:
      case RegisterOp::kEq:
      case RegisterOp::kNe: return op;
      case RegisterOp::kLt: return RegisterOp::kGt;
      case RegisterOp::kLe: return RegisterOp::kGe;
      case RegisterOp::kGt: return RegisterOp::kLt;
      case RegisterOp::kGe: return RegisterOp::kLe;
      default: return std::nullopt;
    }
  }
  // d = a ? b : d, or the other way round, of which d comes first to where the result will be.
  bool PlaceSelect(const Item& item) {
    const ScalarKind kind = Kind(item.result);
    const int yes = item.b, no = item.memory;
    const int which = InRegister(item.a, ScalarKind::kInteger);
    if (which < 0) return false;
    const auto dies = [&](int value) { return Held(value, kind) && !NeededAfter(value) && value != item.a; };
    const bool keep_yes = !dies(no) && dies(yes);
    const int kept = keep_yes ? yes : no, chosen = keep_yes ? no : yes;
    int d;
    if (dies(kept)) {
      d = RegOf(kept);
    } else {
      d = Take(kind, hint_[static_cast<size_t>(item.result)]);
      if (d < 0) return false;
      if (Held(kept, kind)) {
        if (!Emit(RegisterOp::kMove, OperandType(kind), d, RegOf(kept), 0, {})) return false;
      } else if (const int slot = InSlot(kept, kind); slot < 0 || !LoadOperand(kind, d, slot)) {
        return false;
      }
    }
    Instruction instruction;
    int b = kMemory;
    if (Held(chosen, kind)) b = RegOf(chosen);
    else if (const int slot = InSlot(chosen, kind); slot >= 0) instruction.memory = Slot(slot);
    else return false;
    if (!Emit(keep_yes ? RegisterOp::kSelectOther : RegisterOp::kSelect, item.type, d, which, b, instruction))
      return false;
    if (Held(kept, kind) && RegOf(kept) == d) RegOf(kept) = -1, Holder(kind, d) = -1;
    Release();
    Hold(item.result, kind, d);
    return true;
  }

  // Every carry to its place, and back to the beginning.
  bool EndRound(int end) {
    at_ = end;
    locked_ = {values_.condition};
    for (const ScalarCarry& carry : values_.carries) locked_.push_back(carry.next);
    if (loop_add_ >= 0) {
      const Item& item = items_[static_cast<size_t>(loop_add_)];
      locked_.insert(locked_.end(), {item.a, item.b});
    }
    struct Pending {
      size_t carry;
      int slot;  // where the value waits; -1: in its register
    };
    std::vector<Pending> pending, waiting;
    int added = -1;
    int64_t step = 0;
    for (size_t i = 0; i < values_.carries.size(); ++i) {
      if (counted_[i]) continue;
      const ScalarCarry& carry = values_.carries[i];
      const ScalarCode::Carry& made = code_.carries[i];
      if (loop_add_ >= 0 && items_[static_cast<size_t>(loop_add_)].result == carry.next) {
        // In its register still, or loaded to it.
        added = static_cast<int>(i);
        step = *StepOf(carry);
        continue;
      }
      const bool shared = std::count_if(values_.carries.begin(), values_.carries.end(),
                                        [&](const ScalarCarry& other) { return other.next == carry.next; }) > 1;
      if (Of(carry.next).kind == ScalarValue::kOp && !shared && Held(carry.next, made.kind)) {
        pending.push_back({i, -1});
        continue;
      }
      // Others may need it where it is: a copy is made first.
      int from = Held(carry.next, made.kind) ? RegOf(carry.next) : -1;
      const int copy = NewSlot();
      if (from < 0) {
        const int slot = InSlot(carry.next, made.kind);
        if (slot < 0) return false;
        if ((from = Take(made.kind, -1)) < 0) {
          waiting.push_back({i, copy});
          continue;
        }
        if (!LoadOperand(made.kind, from, slot)) return false;
      }
      if (!StoreOperand(made.kind, from, copy)) return false;
      pending.push_back({i, copy});
    }
    // No register was left for these: what has its copy makes room, or a value that is to move later.
    for (const Pending& copy : waiting) {
      const ScalarKind kind = code_.carries[copy.carry].kind;
      locked_ = {values_.condition};
      if (loop_add_ >= 0) {
        const Item& item = items_[static_cast<size_t>(loop_add_)];
        locked_.insert(locked_.end(), {item.a, item.b});
      }
      Pending* room = nullptr;
      for (Pending& other : pending) {
        if (other.slot >= 0) continue;
        locked_.push_back(values_.carries[other.carry].next);
        if (code_.carries[other.carry].kind == kind) room = &other;
      }
      int reg = Take(kind, -1);
      if (reg < 0 && room == nullptr) return false;
      if (reg < 0) {
        const int value = values_.carries[room->carry].next;
        reg = RegOf(value);
        room->slot = NewSlot();
        if (!StoreOperand(kind, reg, room->slot)) return false;
        RegOf(value) = -1, Holder(kind, reg) = -1;
      }
      const int slot = InSlot(values_.carries[copy.carry].next, kind);
      if (slot < 0 || !LoadOperand(kind, reg, slot) || !StoreOperand(kind, reg, copy.slot)) return false;
      pending.push_back(copy);
    }
    int condition = -1;
    if (values_.condition >= 0) {
      // Kept in the register that no carry has.
      if (InRegister(values_.condition, ScalarKind::kInteger) < 0) return false;
      condition = NewSlot();
      const int reg = RegOf(values_.condition);
      if (!home_[0][static_cast<size_t>(reg)]) {
        condition = -2 - reg;
      } else if (!StoreOperand(ScalarKind::kInteger, reg, condition)) {
        return false;
      }
    }
    // What a counter was, if it is to be added to at the end.
    int add_reg = -1;
    if (added >= 0) {
      const ScalarCarry& carry = values_.carries[static_cast<size_t>(added)];
      const ScalarCode::Carry& made = code_.carries[static_cast<size_t>(added)];
      if (made.reg < 0 || !Held(carry.leaf, made.kind) || RegOf(carry.leaf) != made.reg)
        return AddInSlot(added, pending, condition, step);
      add_reg = made.reg;
    }
    return Finish(pending, condition, add_reg, step);
  }
  template <class Pending>
  bool AddInSlot(int added, std::vector<Pending>& pending, int condition, int64_t step) {
    const ScalarCarry& carry = values_.carries[static_cast<size_t>(added)];
    const ScalarCode::Carry& made = code_.carries[static_cast<size_t>(added)];
    const int from = InRegister(carry.leaf, made.kind);
    if (from < 0) return false;
    const int number = NewSlot(), copy = NewSlot();
    *Slot(number) = step;
    Instruction add;
    add.memory = Slot(number);
    if (!Emit(RegisterOp::kAdd, TileType::kU64, from, from, kMemory, add)) return false;
    if (!StoreOperand(made.kind, from, copy)) return false;
    pending.push_back({static_cast<size_t>(added), copy});
    return Finish(pending, condition, -1, 0);
  }
  template <class Pending>
  bool Finish(std::vector<Pending>& pending, int condition, int add_reg, int64_t step) {
    // To slots, which takes nothing away; then to registers, in an order in which nothing is overwritten.
    for (Pending& move : pending) {
      const ScalarCode::Carry& made = code_.carries[move.carry];
      const int value = values_.carries[move.carry].next;
      if (made.slot < 0 || move.slot >= 0) continue;
      if (!StoreOperand(made.kind, RegOf(value), made.slot)) return false;
    }
    const auto to_register = [&](const Pending& move) { return code_.carries[move.carry].reg >= 0 && move.slot < 0; };
    std::vector<Pending*> moves;
    for (Pending& move : pending)
      if (to_register(move)) moves.push_back(&move);
    while (!moves.empty()) {
      bool moved = false;
      for (size_t i = 0; i < moves.size() && !moved; ++i) {
        const ScalarCode::Carry& made = code_.carries[moves[i]->carry];
        const int from = RegOf(values_.carries[moves[i]->carry].next);
        const bool blocked = std::any_of(moves.begin(), moves.end(), [&](const Pending* other) {
          return other != moves[i] && code_.carries[other->carry].kind == made.kind &&
                 RegOf(values_.carries[other->carry].next) == made.reg;
        });
        if (blocked) continue;
        if (from != made.reg && !Emit(RegisterOp::kMove, OperandType(made.kind), made.reg, from, 0, {})) return false;
        moves.erase(moves.begin() + static_cast<std::ptrdiff_t>(i));
        moved = true;
      }
      if (moved) continue;
      Pending* waits = moves.back();  // a circle
      const ScalarCode::Carry& made = code_.carries[waits->carry];
      waits->slot = NewSlot();
      if (!StoreOperand(made.kind, RegOf(values_.carries[waits->carry].next), waits->slot)) return false;
      moves.pop_back();
    }
    // Slots last: their values are copies. By way of a register, which must then not be a carry's: so those first.
    for (int pass = 0; pass < 2; ++pass) {
      for (const Pending& move : pending) {
        const ScalarCode::Carry& made = code_.carries[move.carry];
        if (move.slot < 0 || (made.slot >= 0) != (pass == 0)) continue;
        if (made.reg >= 0) {
          if (!LoadOperand(made.kind, made.reg, move.slot)) return false;
          continue;
        }
        int free = -1;
        for (int reg = 0; reg < kRegisters; ++reg)
          if (!home_[static_cast<size_t>(made.kind)][static_cast<size_t>(reg)] && condition != -2 - reg) free = reg;
        if (free < 0) return false;
        if (!LoadOperand(made.kind, free, move.slot) || !StoreOperand(made.kind, free, made.slot)) return false;
      }
    }
    Instruction loop;
    loop.memory = code_.instructions.data();  // set again below
    loop.z = step;
    if (condition == -1) {
      const RegisterOp op = add_reg >= 0 ? RegisterOp::kLoopAdd : RegisterOp::kLoop;
      if (!Emit(op, TileType::kS64, std::max(add_reg, 0), 0, 0, loop)) return false;
    } else {
      int reg = -2 - condition;
      if (condition >= 0) {
        for (reg = 0; reg < kRegisters && home_[0][static_cast<size_t>(reg)]; ++reg) {
        }
        if (reg == kRegisters || !LoadOperand(ScalarKind::kInteger, reg, condition)) return false;
      }
      if (!Emit(RegisterOp::kLoopIf, TileType::kS64, 0, reg, 0, loop)) return false;
    }
    code_.instructions.back().memory = code_.instructions.data();
    return true;
  }

  const ScalarValues& values_;
  ScalarCode& code_;
  std::vector<std::optional<ScalarKind>> kinds_;
  bool changed_ = false;
  std::vector<bool> live_, absorbed_, last_, steady_, counted_;
  std::vector<int> uses_;
  std::vector<Item> items_;
  std::vector<std::vector<int>> used_at_;
  std::vector<int> hint_, reg_;
  std::vector<std::array<int, kKinds>> slot_;
  std::array<std::array<int, kRegisters>, kKinds> holder_ = {};
  std::array<std::array<bool, kRegisters>, kKinds> home_ = {};
  std::vector<int> locked_;
  int at_ = 0, loop_add_ = -1;
};

}  // namespace

bool MakeScalarCode(const ScalarValues& values, ScalarCode& code) { return Coder(values, code).Run(); }

}  // namespace hloir::cpu
