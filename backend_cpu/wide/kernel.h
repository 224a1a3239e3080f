// Kernel: a loop of one op over the elements of arrays of one type, for the reference's types and for pairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hloir/primitive_type.h"

namespace hloir::reference {

struct KernelArgs {
  const std::byte* in[3] = {};
  std::byte* out = nullptr;
  int64_t stride[3] = {1, 1, 1};  // in elements; 0 for a scalar used as an array
  int64_t count = 1;
  int bits = 0;                                                              // the width of the operands' type
  PrimitiveType from = PrimitiveType::INVALID, to = PrimitiveType::INVALID;  // for kernels that convert
};
using Kernel = void (*)(const KernelArgs& args);

}  // namespace hloir::reference
