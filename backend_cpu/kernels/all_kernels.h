// All kernels of one instruction set in one table: what isa/*.cc instantiate.
#pragma once

#include <xsimd/xsimd.hpp>

#include "kernels/elementwise_kernels.h"
#include "kernels/fft_kernels.h"
#include "kernels/gemm_kernels.h"
#include "kernels/math_kernels.h"
#include "kernels/reduce_kernels.h"

namespace hloir::cpu {
namespace {

template <class Arch>
KernelTable MakeTable(const char* name) {
  KernelTable table = {};
  table.name = name;
  table.vector_bytes = static_cast<int>(sizeof(xsimd::batch<float, Arch>));
  FillElementwise(table);
  FillMath<Arch>(table);
  FillReduce<Arch>(table);
  FillGemm<Arch>(table);
  FillFft<Arch>(table);
  return table;
}

}  // namespace
}  // namespace hloir::cpu
