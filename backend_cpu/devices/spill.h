// Memory that lies in a file: values that wait there rather than in memory. The file has no name, so it goes with the
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
  // ResourceExhausted, with the numbers, if the folder's disk has no room.
  static StatusOr<FileBlock> Make(const std::string& folder, int64_t bytes);
  FileBlock(FileBlock&& other) noexcept { *this = std::move(other); }
  FileBlock& operator=(FileBlock&& other) noexcept {
    std::swap(data_, other.data_), std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~FileBlock();
  std::byte* data() const { return data_; }
  // It will not be needed for a while: its pages need not be in memory.
  void Rest() const;

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

// The values in a file's memory, which `blocks` keep.
Status Spill(const std::string& folder, std::vector<Literal>& values, std::vector<FileBlock>& blocks);

}  // namespace hloir::reference
