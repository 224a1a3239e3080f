// Moves by AVX-512. See isas.def.
#include "kernels/move_kernels.h"

namespace hloir::cpu {

const MoveTable& Avx512Moves() { return kMoves; }

}  // namespace hloir::cpu
