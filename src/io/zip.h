// ZIP archives, as .npz files are: members stored or deflated, with ZIP64 where sizes need it. Encrypted and split
// archives are refused. The format: PKWARE's APPNOTE. Files are untrusted: every size is checked against the available
// bytes before memory is allocated. Tested by tests/unit/zip_test.cc and by all that reads .npz files.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>

#include "hloir/status.h"

namespace hloir {

// An archive that is read member by member.
class ZipReader {
 public:
  struct Member {
    uint64_t header = 0, packed = 0, size = 0;  // where its local header is, and its bytes before and after unpacking
    uint32_t crc = 0;
    uint16_t method = 0;  // 0 stored, 8 deflated
    bool is_encrypted = false;
  };

  static StatusOr<ZipReader> Open(const std::string& path);
  // Null if there is no such member.
  const Member* Find(std::string_view name) const;
  // The member's bytes; its size is for the caller to limit.
  StatusOr<std::string> Read(const Member& member);

 private:
  Status ReadDirectory();
  bool ReadAt(uint64_t at, uint64_t count, std::string& bytes);

  std::ifstream in_;
  uint64_t size_ = 0, prefix_ = 0;  // of the file; the bytes before the archive in it
  std::unordered_map<std::string, Member> members_;
};

// An archive in memory, of stored members without timestamps, so that equal contents give equal files.
class ZipWriter {
 public:
  void Add(std::string_view name, std::string_view content);
  // The whole archive; no member can be added after.
  std::string Finish();

 private:
  std::string bytes_, directory_;
  uint64_t count_ = 0;
};

}  // namespace hloir
