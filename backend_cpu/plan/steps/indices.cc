// See indices.h. Tests: tests/unit/executable_movement_test.cc.
#include "plan/steps/indices.h"

namespace hloir::cpu {

int64_t ReadIndex(PrimitiveType type, const std::byte* data, int64_t i) {
  switch (StorageBytes(type)) {
    case 1:
      return IsSigned(type) ? reinterpret_cast<const int8_t*>(data)[i] : reinterpret_cast<const uint8_t*>(data)[i];
    case 2:
      return IsSigned(type) ? reinterpret_cast<const int16_t*>(data)[i] : reinterpret_cast<const uint16_t*>(data)[i];
    case 4:
      return IsSigned(type) ? reinterpret_cast<const int32_t*>(data)[i]
                            : static_cast<int64_t>(reinterpret_cast<const uint32_t*>(data)[i]);
    default: {
      const int64_t value = reinterpret_cast<const int64_t*>(data)[i];
      return !IsSigned(type) && value < 0 ? INT64_MAX : value;
    }
  }
}

PrimitiveType IndexType(const HloInstruction& instruction, int64_t first) {
  return instruction.operand_count() > first ? instruction.operand(first)->shape().element_type() : PrimitiveType::S32;
}

TileKernel MoveOneKernel(MoveOne move, PrimitiveType index_type, int64_t bytes) {
  const int index = index_type == PrimitiveType::S32 ? 0 : index_type == PrimitiveType::S64 ? 1 : -1;
  const int size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : -1;
  if (index < 0 || size < 0) return nullptr;
  return OneElementKernels().move_one[static_cast<int>(move)][index][size];
}

}  // namespace hloir::cpu
