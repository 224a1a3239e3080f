// Threaded code over machine registers, for loops of scalars: each instruction is a small function that ends by jumping
// to the next, and passes it four integers, four floats and four doubles as arguments, which so stay in registers. An
// instruction is compiled for each choice of its registers; FindRegisterKernel names them. plan/steps/scalar_loop.cc
// runs them. Elements have the functors of functors.h, so that bits are those of all other kernels.
//
// Where a compiler makes no jump of the last call the calls nest: whoever runs a program returns from it now and then
// (LoopFrame::left). Tests: tests/unit/scalar_loop_test.cc.
#pragma once

#include <cstdint>

#include "kernels/kernel_table.h"

namespace hloir::cpu {

inline constexpr int kRegisters = 4;        // of each kind
inline constexpr int kMemory = kRegisters;  // as an operand: the memory that Instruction::memory points to

struct Instruction;
struct LoopFrame {
  int64_t left = 0;   // rounds until kLoop… returns
  bool more = false;  // whether the condition held then
  int64_t integers[kRegisters] = {};
  float floats[kRegisters] = {};
  double doubles[kRegisters] = {};
};
using RegisterKernel = void (*)(const Instruction* at, LoopFrame* frame, int64_t, int64_t, int64_t, int64_t, float,
                                float, float, float, double, double, double, double);
struct Instruction {
  RegisterKernel kernel = nullptr;
  const void* memory = nullptr;  // an operand: an int64_t whatever the integer's type, a float, or a double
  int64_t x = 0, y = 0, z = 0;
};

// Integers keep their value in the low bits of a register, whatever stands above. `type` is that of the operands.
enum class RegisterOp : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRightArithmetic,
  kShiftRightLogical,
  kWrap,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kSelect,       // d = a ? b : d
  kSelectOther,  // d = a ? d : b
  kMultiplyAdd,  // d = a · memory + b, of integers d = a · x + y
  kAddMultiply,  // d = b + a · memory
  kAndEq,        // d = (a & x) == y
  kXorLeft,      // d = a ^ a << x, where x is below the width
  kXorRight,     // d = a ^ a >> x, without the sign
  kNegate,
  kAbs,
  kSqrt,
  kConvert,          // d = a, from s32 or s64 to another type
  kConvertMultiply,  // d = a, from s32 or s64 to a float, · memory
  kMove,
  kLoad,              // d = memory, the type's own bytes
  kStore,             // to x, a pointer: the type's own bytes of a
  kLoadOperand,       // d = memory, as operands are kept
  kStoreOperand,      // to x, as operands are kept
  kElement,           // d = the element at clamp(b + z, 0, y) of memory, x bytes from one to the next; b is `index`
  kSetElement,        // the element at clamp(b + z, 0, y) = a
  kSetElementInside,  // the same, if it exists
  kCall,              // of the TileOp at memory
  kLoop,              // ends a round: back to the instruction at memory
  kLoopAdd,           // d += z first
  kLoopIf,            // if a
};

// nullptr: there is none. `other`: the result type of kConvert; for moves of elements the index's type.
RegisterKernel FindRegisterKernel(RegisterOp op, TileType type, int d, int a, int b, TileType other = TileType::kS64);
// Runs from `first` on, with the frame's registers, until the loop ends or `left` is used up.
void RunRegisters(const Instruction* first, LoopFrame& frame);

}  // namespace hloir::cpu
