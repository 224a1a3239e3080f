// Packing of operands of matrix products: in panels of some rows, with the values for one step of the kernel
// contiguous.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hloir/shape.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

inline constexpr int64_t kPanelsTogether = 4;  // are packed faster together, if their rows are contiguous

struct GemmPacker {
  // Row rows[i]'s value for ks[p] is data[rows[i] + ks[p]]; panels of `width` rows are consecutive. Rows past the end,
  // and padding of the last step, are zeros.
  GemmKernels::Pack pack = nullptr;
  int64_t element_bytes = 4;  // of a packed value
  int64_t group = 1;          // values of a row per step
  int64_t header = 0;         // bytes for each row, before the panel's values

  int64_t Steps(int64_t k_count) const { return (k_count + group - 1) / group; }
  int64_t PanelBytes(int64_t k_count, int64_t width) const {
    return width * (header + Steps(k_count) * group * element_bytes);
  }
};

// True if packing converts the type to the one in which the product computes.
bool PacksAs(PrimitiveType type, PrimitiveType computed);

// For the left or right operand of a product by these kernels, which are those of `gemm`.
GemmPacker PackerFor(PrimitiveType type, GemmType gemm, const GemmKernels& kernels, bool left);

}  // namespace hloir::cpu
