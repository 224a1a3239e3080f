// The table of all kernels of one instruction set, instantiated by isa/*.cc. Everything has internal linkage (why:
// isa/isas.def).
#pragma once

#include "kernels/elementwise_kernels.h"
#include "kernels/fft_kernels.h"
#include "kernels/gather_kernels.h"
#include "kernels/gemm_kernels.h"
#include "kernels/reduce_kernels.h"
#include "kernels/vector.h"

namespace hloir::cpu {
namespace {

template <class Arch>
KernelTable MakeTable(Isa isa) {
  KernelTable table = {};
  table.isa = isa;
  FillPerElement(table);
  FillElementwise(table);
  FillReduce<Arch>(table);
  FillGather(table);
  FillGemm<Arch>(table);
  FillFft<Arch>(table);
  return table;
}

}  // namespace
}  // namespace hloir::cpu
