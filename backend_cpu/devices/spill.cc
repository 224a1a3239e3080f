// See spill.h.
#include "devices/spill.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/format.h"

namespace hloir::reference {

StatusOr<FileBlock> FileBlock::Make(const std::string& folder, int64_t bytes) {
  FileBlock block;
  if (bytes <= 0) return block;
  std::string name = folder + "/hloir-XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return InvalidArgument(Format("no file can be made in {}: {}", folder, std::strerror(errno)));
  unlink(name.c_str());
  // Reserves disk space now: writing a page without space would end the process.
  const int refused = posix_fallocate(file, 0, bytes);
  void* data = refused != 0 ? MAP_FAILED
                            : mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (data == MAP_FAILED)
    return ResourceExhausted(
        Format("no room for {} bytes in {}: {}", bytes, folder, std::strerror(refused != 0 ? refused : errno)));
  block.data_ = static_cast<std::byte*>(data), block.bytes_ = bytes;
  return block;
}

FileBlock::~FileBlock() {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(bytes_));
}

void FileBlock::Rest() const {
  if (data_ != nullptr) madvise(data_, static_cast<size_t>(bytes_), MADV_DONTNEED);  // the file keeps its contents
}

Status Spill(const std::string& folder, std::vector<Literal>& values, std::vector<FileBlock>& blocks) {
  for (Literal& value : values) {
    std::vector<void*> memory;
    for (const Literal* leaf : value.Leaves()) {
      if (!leaf->shape().IsArray()) return OkStatus();  // a token: nothing to store
      HLOIR_ASSIGN_OR_RETURN(FileBlock block, FileBlock::Make(folder, leaf->size_bytes()));
      static std::byte none{};
      if (leaf->size_bytes() > 0)
        std::memcpy(block.data(), leaf->untyped_data(), static_cast<size_t>(leaf->size_bytes()));
      memory.push_back(block.data() != nullptr ? block.data() : &none);
      block.Rest();
      blocks.push_back(std::move(block));
    }
    if (!value.dynamic_sizes().empty()) continue;
    HLOIR_ASSIGN_OR_RETURN(value, Literal::Borrow(value.shape(), memory));
  }
  return OkStatus();
}

}  // namespace hloir::reference
