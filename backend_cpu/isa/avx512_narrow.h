// Matrix products of narrow types by extensions of AVX-512. See avx512_narrow.cc and avx512_tiles.cc.
#pragma once

#include "kernels/kernel_table.h"

namespace hloir::cpu {

void FillBytesGemm(GemmKernels& kernels);  // needs AVX512_VNNI
void FillBf16Gemm(GemmKernels& kernels);   // needs AVX512_BF16
// No effect if the machine or the operating system has no AMX.
void FillTileGemm(GemmKernels& bytes, GemmKernels& bf16);

}  // namespace hloir::cpu
