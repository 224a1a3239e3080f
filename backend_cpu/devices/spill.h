// Memory mapped from a file, for values that are not needed for a while. The file has no name, so it ends with the
// process. Tests: tests/unit/transport_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "hloir/literal.h"
#include "hloir/status.h"

namespace hloir::reference {

// A block of a file, mapped; page-aligned.
class FileBlock {
 public:
  FileBlock() = default;
  // ResourceExhausted, with both sizes, if the folder's disk has too little space.
  static StatusOr<FileBlock> Make(const std::string& folder, int64_t bytes);
  FileBlock(FileBlock&& other) noexcept { *this = std::move(other); }
  FileBlock& operator=(FileBlock&& other) noexcept {
    std::swap(data_, other.data_), std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~FileBlock();
  std::byte* data() const { return data_; }
  // A hint that it is not needed for a while, so that its pages may leave memory.
  void Rest() const;

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

// Copies of the values in file memory, owned by `blocks`.
Status Spill(const std::string& folder, std::vector<Literal>& values, std::vector<FileBlock>& blocks);

}  // namespace hloir::reference
