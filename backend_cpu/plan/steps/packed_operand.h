// PackedOperand: the right operand of a product that is packed once, before the loop that multiplies by it in each of
// its iterations, instead of being read or packed there. Tests: tests/unit/executable_kernels_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "plan/capability/gemm_problem.h"
#include "plan/run/step.h"
#include "plan/steps/gemm_packing.h"

namespace hloir::cpu {

// Blocks of k, in each of which are the panels of `width` columns.
struct PackedOperand {
  GemmOperand operand;
  GemmPacker packer;
  int64_t n = 0, k = 0, block_k = 1, width = 1;

  int64_t panels() const { return (n + width - 1) / width; }
  int64_t batch_bytes() const {
    const int64_t whole = k / block_k, rest = k % block_k;
    return panels() * (whole * packer.PanelBytes(block_k, width) + (rest > 0 ? packer.PanelBytes(rest, width) : 0));
  }
  int64_t bytes() const { return static_cast<int64_t>(operand.batch_offsets.size()) * batch_bytes(); }
  // Where the panel of column n begins, in the block of k that begins at k0.
  int64_t PanelAt(int64_t batch, int64_t k0, int64_t column) const {
    return batch * batch_bytes() + panels() * (k0 / block_k) * packer.PanelBytes(block_k, width) +
           column / width * packer.PanelBytes(std::min(k - k0, block_k), width);
  }
};

// Refs: the operand; then the packed one.
std::unique_ptr<Step> MakePackStep(PackedOperand operand);

}  // namespace hloir::cpu
