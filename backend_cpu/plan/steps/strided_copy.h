// StridedCopy: moves the elements of one view to another. Runs are copied whole, transposes in cache-sized blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hloir/detail/small_vector.h"
#include "kernels/kernel_table.h"

namespace hloir::cpu {

// A prepared copy between two arrays of the same dims; strides and offsets in elements of `bytes` each.
struct StridedCopy {
  DimVector dims, from_strides, to_strides;  // collapsed
  int64_t from_offset = 0, to_offset = 0;    // in bytes
  int64_t bytes = 4;
  int64_t count = 0;
  int64_t slices = 1;  // of a part: of the outermost dimension
  bool whole = false;  // both are contiguous

  static StridedCopy Make(int64_t bytes, const DimVector& dims, const DimVector& from_strides, int64_t from_offset,
                          const DimVector& to_strides, int64_t to_offset);
  // The number of independent parts of the copy: slices of the outermost dimension, or as many slices as a block of a
  // transpose has rows.
  int64_t parts() const { return dims.empty() ? 1 : (dims[0] + slices - 1) / slices; }
  // With `kernels`, reversed dimensions use longer vectors, and large transposed copies bypass the caches.
  void Run(const std::byte* from, std::byte* to, const KernelTable* kernels = nullptr) const {
    RunPart(from, to, 0, parts(), kernels);
  }
  void RunPart(const std::byte* from, std::byte* to, int64_t begin, int64_t end,
               const KernelTable* kernels = nullptr) const;
};

}  // namespace hloir::cpu
