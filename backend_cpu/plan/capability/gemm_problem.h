// GemmProblem: a dot as a matrix product for the kernels, and the conditions for having one. Operands are read through
// their views, so transposes and broadcasts before a dot are part of its packing. The step is steps/dot.h.
#pragma once

#include <utility>
#include <vector>

#include "kernels/kernel_table.h"
#include "plan/graph/graph.h"

namespace hloir::cpu {

// A product C[m,n] of A[m,k] and B[k,n] for each of a number of batches. Element (i, p) of A is at batch_offsets[b] +
// row_offsets[i] + k_offsets[p], in elements of its type; C's at c_offsets[b] + i·c_row + j.
struct GemmOperand {
  PrimitiveType type = PrimitiveType::F32;
  std::vector<int64_t> batch_offsets, row_offsets, k_offsets;
};
// Rows of a convolution with the same terms inside the input.
struct WindowRows {
  int64_t begin = 0, count = 0;                    // range in a.row_offsets; if its length is odd, the last row is
                                                   // repeated
  std::vector<std::pair<int64_t, int64_t>> terms;  // half-open ranges, in order
};
struct GemmProblem {
  GemmType compute = GemmType::kF32;
  PrimitiveType result = PrimitiveType::F32;
  int64_t batch = 1, m = 1, n = 1, k = 1;
  GemmOperand a, b;                // b's rows are C's columns
  int64_t c_row = 0;               // 0: n
  std::vector<int64_t> c_offsets;  // empty: consecutive, m·n apart
  // For reading A in place: see TermsInPlace. The result of row i of A is at offset c_rows[i] in C, if that is not
  // empty.
  std::vector<WindowRows> windows;
  std::vector<int64_t> c_rows;
  bool exchanged = false;  // A is the dot's right operand
  bool b_packed = false;   // before a loop: see steps/packed_operand.h
  const char* name = "dot";
};

// Offsets of all index combinations of some dimensions of the view, in row-major order.
std::vector<int64_t> Offsets(const View& view, const DimVector& dims);

// False: no kernel for these types.
bool GemmTypeFor(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result, GemmType* compute);
// The kernels that run a product: some machines have special ones for narrow operands.
GemmType KernelsFor(const GemmProblem& problem, const KernelTable& kernels);
// True if operands of this type need not be converted when they are packed.
bool IsTakenInPlace(GemmType compute, PrimitiveType type);
// The number of neighbouring terms of A that a step reads in place; 0: A must be packed.
int64_t TermsInPlace(const GemmProblem& problem, const KernelTable& kernels);
// A dot instruction's problem for views of its operands and a layout of its result, major to minor, which must be
// storable; empty: row-major.
bool MakeDotProblem(const HloInstruction& dot, const View& lhs, const View& rhs, const DimVector& order,
                    GemmProblem* problem);

// True if the kernel can store a dot's result in this order, major to minor: contiguous columns, or rows.
bool CanStoreInOrder(const HloInstruction& dot, const DimVector& order);

}  // namespace hloir::cpu
