// src/io/zip.h: archives of its own writer and of NumPy's kind, and bytes that are no archive.
#include "io/zip.h"

#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/unit/catch.h"

namespace hloir {
namespace {

class TemporaryArchive {
 public:
  TemporaryArchive()
      : path_((std::filesystem::temp_directory_path() / ("hloir_zip_test_" + std::to_string(std::rand()))).string()) {}
  ~TemporaryArchive() { std::remove(path_.c_str()); }
  // Opens these bytes.
  StatusOr<ZipReader> Open(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    return ZipReader::Open(path_);
  }

 private:
  std::string path_;
};

void Put(std::string& bytes, uint64_t value, int width) {
  for (int k = 0; k < width; ++k) bytes += static_cast<char>(value >> (8 * k) & 0xFF);
}

std::string Deflated(const std::string& content) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(content.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// An archive of one member "m". `wide`: its sizes are in extra fields, as numpy.savez writes them.
std::string ArchiveOf(const std::string& content, bool is_deflated, bool wide, uint64_t stated_size, int flags = 0) {
  const std::string packed = is_deflated ? Deflated(content) : content;
  const uint64_t crc = crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
  const auto common = [&](std::string& to) {
    Put(to, 45, 2), Put(to, static_cast<uint64_t>(flags), 2), Put(to, is_deflated ? 8 : 0, 2), Put(to, 0, 4),
        Put(to, crc, 4);
    Put(to, wide ? 0xFFFFFFFF : packed.size(), 4), Put(to, wide ? 0xFFFFFFFF : stated_size, 4);
    Put(to, 1, 2), Put(to, wide ? 20 : 0, 2);
  };
  const auto extra = [&](std::string& to) {
    if (wide) Put(to, 1, 2), Put(to, 16, 2), Put(to, stated_size, 8), Put(to, packed.size(), 8);
  };
  std::string bytes = "PK\3\4", directory = "PK\1\2";
  common(bytes), bytes += 'm', extra(bytes), bytes += packed;
  Put(directory, 45, 2), common(directory), Put(directory, 0, 14), directory += 'm', extra(directory);
  const uint64_t at = bytes.size();
  bytes += directory + "PK\5\6";
  Put(bytes, 0, 4), Put(bytes, 1, 2), Put(bytes, 1, 2), Put(bytes, directory.size(), 4), Put(bytes, at, 4),
      Put(bytes, 0, 2);
  return bytes;
}

}  // namespace

TEST_CASE("a written archive is read back") {
  const TemporaryArchive file;
  ZipWriter writer;
  const std::string all(300000, 'x');
  writer.Add("empty", "");
  writer.Add("a.npy", "some bytes");
  writer.Add("b/c", all);
  const std::string bytes = writer.Finish();
  auto archive = file.Open(bytes);
  REQUIRE(archive.ok());
  for (const auto& [name, content] :
       {std::pair<std::string, std::string>{"empty", ""}, {"a.npy", "some bytes"}, {"b/c", all}}) {
    const ZipReader::Member* member = archive->Find(name);
    REQUIRE(member != nullptr);
    CHECK(member->size == content.size());
    const StatusOr<std::string> read = archive->Read(*member);
    REQUIRE(read.ok());
    CHECK(*read == content);
  }
  CHECK(archive->Find("d") == nullptr);
  // After other bytes, and with a comment.
  std::string more = "#!/bin/sh\n" + bytes;
  more[more.size() - 2] = 3;
  archive = file.Open(more + "end");
  REQUIRE(archive.ok());
  REQUIRE(archive->Find("a.npy") != nullptr);
  CHECK(*archive->Read(*archive->Find("a.npy")) == "some bytes");
}

TEST_CASE("more members than 16 bits count") {
  const TemporaryArchive file;
  ZipWriter writer;
  for (int i = 0; i < 70000; ++i) writer.Add(std::to_string(i), std::to_string(i * 3));
  auto archive = file.Open(writer.Finish());
  REQUIRE(archive.ok());
  REQUIRE(archive->Find("69999") != nullptr);
  CHECK(*archive->Read(*archive->Find("69999")) == "209997");
}

TEST_CASE("deflated members, and sizes in extra fields") {
  const TemporaryArchive file;
  std::string content;
  for (int i = 0; i < 20000; ++i) content += std::to_string(i * i);
  for (const bool is_deflated : {false, true}) {
    for (const bool wide : {false, true}) {
      auto archive = file.Open(ArchiveOf(content, is_deflated, wide, content.size()));
      REQUIRE(archive.ok());
      REQUIRE(archive->Find("m") != nullptr);
      const StatusOr<std::string> read = archive->Read(*archive->Find("m"));
      REQUIRE(read.ok());
      CHECK(*read == content);
      // Any other size than the content's is refused, whichever is larger.
      for (const uint64_t size : {content.size() - 1, content.size() + 1, size_t{1} << 40}) {
        if (!wide && size > 0xFFFFFFFF) continue;
        auto wrong = file.Open(ArchiveOf(content, is_deflated, wide, size));
        REQUIRE(wrong.ok());
        CHECK_FALSE(wrong->Read(*wrong->Find("m")).ok());
      }
    }
  }
  auto encrypted = file.Open(ArchiveOf(content, true, false, content.size(), 1));
  REQUIRE(encrypted.ok());
  CHECK(encrypted->Read(*encrypted->Find("m")).status().message() == "it is encrypted");
}

TEST_CASE("damaged archives are errors") {
  const TemporaryArchive file;
  const std::string good = ArchiveOf("some bytes, some bytes, some bytes", true, true, 34);
  CHECK(file.Open(good)->Read(*file.Open(good)->Find("m")).ok());
  for (size_t size = 0; size < good.size(); ++size) CHECK_FALSE(file.Open(good.substr(0, size)).ok());
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      auto archive = file.Open(bytes);
      if (!archive.ok()) continue;
      const ZipReader::Member* member = archive->Find("m");
      if (member == nullptr || member->size > 1 << 20) continue;
      const StatusOr<std::string> read = archive->Read(*member);
      if (read.ok()) CHECK(*read == "some bytes, some bytes, some bytes");
    }
  }
}

}  // namespace hloir
