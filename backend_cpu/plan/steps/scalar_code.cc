// See scalar_code.h. Registers are assigned in the order of the instructions (scalar_items.h); the value with the most
// distant next use is evicted.
#include "plan/steps/scalar_code.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "plan/steps/scalar_items.h"

namespace hloir::cpu {
namespace {

constexpr int kKinds = 3;
constexpr int kNever = std::numeric_limits<int>::max();

class RegisterAllocator {
 public:
  RegisterAllocator(const ScalarValues& values, const ScalarItems& items, ScalarCode& code)
      : values_(values), items_(items), code_(code) {}

  bool Allocate() {
    const size_t count = values_.values.size();
    used_at_.assign(count, {});
    for (size_t i = 0; i < items_.items.size(); ++i)
      for (const int value : {items_.items[i].a, items_.items[i].b, items_.items[i].memory})
        if (value >= 0) used_at_[static_cast<size_t>(value)].push_back(static_cast<int>(i));
    const int end = static_cast<int>(items_.items.size());
    hint_.assign(count, -1);
    reg_.assign(count, -1);
    slot_.assign(count, {-1, -1, -1});
    for (auto& of_kind : holder_) of_kind.fill(-1);
    for (auto& of_kind : home_) of_kind.fill(false);
    // If not all carries have registers, one register stays free for moves from slot to slot, and one for the
    // condition.
    int carried[kKinds] = {}, free[kKinds] = {};
    for (size_t i = 0; i < values_.carries.size(); ++i)
      carried[static_cast<size_t>(code_.carries[i].kind)] += !items_.counted[i];
    for (int kind = 0; kind < kKinds; ++kind) {
      free[kind] = kind == 0 && values_.condition >= 0 ? kRegisters - 1 : kRegisters;
      if (carried[kind] > free[kind]) --free[kind];
    }
    for (size_t i = 0; i < values_.carries.size(); ++i) {
      if (items_.counted[i]) continue;
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
    // The last counter's addition is part of the jump.
    loop_add_ = -1;
    if (!items_.items.empty() && values_.condition < 0) {
      const ScalarItem& item = items_.items.back();
      if (item.result >= 0 && items_.last[static_cast<size_t>(item.result)])
        loop_add_ = static_cast<int>(items_.items.size()) - 1;
    }
    for (at_ = 0; at_ < end; ++at_) {
      if (at_ == loop_add_) break;
      if (!Place(items_.items[static_cast<size_t>(at_)])) return false;
    }
    return EndRound(end);
  }

 private:
  const ScalarValue& Of(int value) const { return values_.values[static_cast<size_t>(value)]; }
  ScalarKind Kind(int value) const { return items_.kinds[static_cast<size_t>(value)].value_or(ScalarKind::kInteger); }
  int& RegOf(int value) { return reg_[static_cast<size_t>(value)]; }
  int& SlotOf(int value, ScalarKind kind) { return slot_[static_cast<size_t>(value)][static_cast<size_t>(kind)]; }
  int& Holder(ScalarKind kind, int reg) { return holder_[static_cast<size_t>(kind)][static_cast<size_t>(reg)]; }
  int NextUse(int value) const {
    for (const int at : used_at_[static_cast<size_t>(value)])
      if (at >= at_) return at;
    return kNever;
  }
  // With an item's use of a value removed: true if it is needed later.
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
  // A slot that has the value, if there is one or the value is loop-invariant.
  int InSlot(int value, ScalarKind kind) {
    int& slot = SlotOf(value, kind);
    if (slot >= 0 || !items_.steady[static_cast<size_t>(value)]) return slot;
    slot = NewSlot();
    const ScalarValue& of = Of(value);
    if (of.kind == ScalarValue::kLeaf) {
      code_.invariants.push_back({of.place, of.bytes, kind, slot});
    } else if (kind == ScalarKind::kInteger) {
      // u64 numbers beyond int64_t have eight bytes, and so are their bits.
      *Slot(slot) = values_.Number(value, TypeOf(kind, of.bytes)).value_or(static_cast<int64_t>(of.bits));
    } else {
      std::memcpy(Slot(slot), &of.bits, sizeof(of.bits));
    }
    return slot;
  }
  // A free register, preferably `wanted`; -1: all are locked.
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
  // The register of a value, which is loaded if necessary.
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

  // The kinds of an item's operands (constants have none).
  ScalarKind OperandKind(const ScalarItem& item, int value) const {
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

  bool Place(const ScalarItem& item) {
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
    // The sum of two NaNs is the first one.
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
  // d = a ? b : d, or the reverse, after d was moved to the result's place.
  bool PlaceSelect(const ScalarItem& item) {
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

  // Moves every carry to its location, and jumps back to the beginning.
  bool EndRound(int end) {
    at_ = end;
    locked_ = {values_.condition};
    for (const ScalarCarry& carry : values_.carries) locked_.push_back(carry.next);
    if (loop_add_ >= 0) {
      const ScalarItem& item = items_.items[static_cast<size_t>(loop_add_)];
      locked_.insert(locked_.end(), {item.a, item.b});
    }
    struct Pending {
      size_t carry;
      int slot;  // the slot of the value; -1: in its register
    };
    std::vector<Pending> pending, waiting;
    int added = -1;
    int64_t step = 0;
    for (size_t i = 0; i < values_.carries.size(); ++i) {
      if (items_.counted[i]) continue;
      const ScalarCarry& carry = values_.carries[i];
      const ScalarCode::Carry& made = code_.carries[i];
      if (loop_add_ >= 0 && items_.items[static_cast<size_t>(loop_add_)].result == carry.next) {
        // Still in its register, or loaded to it.
        added = static_cast<int>(i);
        step = *items_.steps[i];
        continue;
      }
      const bool shared = std::count_if(values_.carries.begin(), values_.carries.end(),
                                        [&](const ScalarCarry& other) { return other.next == carry.next; }) > 1;
      if (Of(carry.next).kind == ScalarValue::kOp && !shared && Held(carry.next, made.kind)) {
        pending.push_back({i, -1});
        continue;
      }
      // Other uses may need the old location, so it is copied first.
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
    // No register was free for these: evicts values with a copy, or a value that moves later.
    for (const Pending& copy : waiting) {
      const ScalarKind kind = code_.carries[copy.carry].kind;
      locked_ = {values_.condition};
      if (loop_add_ >= 0) {
        const ScalarItem& item = items_.items[static_cast<size_t>(loop_add_)];
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
      // Kept in a register without a carry.
      if (InRegister(values_.condition, ScalarKind::kInteger) < 0) return false;
      condition = NewSlot();
      const int reg = RegOf(values_.condition);
      if (!home_[0][static_cast<size_t>(reg)]) {
        condition = -2 - reg;
      } else if (!StoreOperand(ScalarKind::kInteger, reg, condition)) {
        return false;
      }
    }
    // The counter's value before, if the end adds to it.
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
    // Moves to slots first; then to registers, in an order without overwriting needed values.
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
  const ScalarItems& items_;
  ScalarCode& code_;
  std::vector<std::vector<int>> used_at_;
  std::vector<int> hint_, reg_;
  std::vector<std::array<int, kKinds>> slot_;
  std::array<std::array<int, kRegisters>, kKinds> holder_ = {};
  std::array<std::array<bool, kRegisters>, kKinds> home_ = {};
  std::vector<int> locked_;
  int at_ = 0, loop_add_ = -1;
};

}  // namespace

bool MakeScalarCode(const ScalarValues& values, ScalarCode& code) {
  ScalarItems items;
  return MakeScalarItems(values, code, items) && RegisterAllocator(values, items, code).Allocate();
}

}  // namespace hloir::cpu
