// The zip container, as far as .npz files need it: members stored or deflated, of any number and size (zip64), by zlib.
// libzip, which reads all kinds, would load a library of ciphers at each start, for longer than a small module runs.
// The format: APPNOTE.TXT of PKWARE. Tested by tests/unit/npz_test.cc, fuzzed by tests/fuzz/npz_fuzzer.cc.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hloir/printer.h"
#include "hloir/status.h"

namespace hloir {

// Reads a file of which nothing is trusted: no size costs memory before the bytes are there.
class ZipReader {
 public:
  static StatusOr<ZipReader> Open(const std::string& path);
  bool Has(std::string_view name) const { return members_.find(name) != members_.end(); }
  // The member's content, at most `most` bytes and UnpackLimit; nothing if there is no such member.
  StatusOr<std::optional<std::string>> Read(std::string_view name, uint64_t most);

 private:
  struct Close {
    void operator()(FILE* file) const { std::fclose(file); }
  };
  struct Member {
    uint64_t offset = 0, packed = 0, size = 0;  // of its own header; of its bytes here, and unpacked
    uint32_t crc = 0;
    uint16_t flags = 0, method = 0;
  };

  Status ReadDirectory();
  bool ReadAt(uint64_t offset, char* bytes, size_t size);
  bool Unpack(const Member& member, std::string& content);

  std::unique_ptr<FILE, Close> file_;
  uint64_t size_ = 0;
  std::map<std::string, Member, std::less<>> members_;
};

// Writes members as np.savez does, not compressed, one after the other. No time of day, so that equal contents give
// equal files.
class ZipWriter {
 public:
  explicit ZipWriter(const WriteText& write) : write_(write) {}
  Status Add(std::string_view name, std::string_view content);
  Status Finish();  // once, at the end

 private:
  Status Put(std::string_view bytes);

  const WriteText& write_;
  uint64_t written_ = 0, count_ = 0;
  std::string directory_;
};

}  // namespace hloir
