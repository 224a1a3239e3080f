// Moves by AVX2. See isas.def.
#include "kernels/move_kernels.h"

namespace hloir::cpu {

const MoveTable& Avx2Moves() { return kMoves; }

}  // namespace hloir::cpu
