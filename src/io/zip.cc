// See zip.h. All numbers of a ZIP file are little-endian.
#include "zip.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "support/format.h"

namespace hloir {
namespace {

constexpr uint32_t kLocal = 0x04034B50, kCentral = 0x02014B50, kEnd = 0x06054B50, kEnd64 = 0x06064B50,
                   kLocator64 = 0x07064B50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocator64Bytes = 20;
constexpr uint32_t kIn64 = 0xFFFFFFFF;  // a size or place that ZIP64's extra field has
constexpr uint16_t kExtra64 = 1;
constexpr uint16_t kUtf8 = 1 << 11;
constexpr uint16_t kFirstDay = 1 << 5 | 1;  // 1 January 1980, the earliest date

uint64_t Get(std::string_view bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t k = width; k-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

void Put(std::string& bytes, uint64_t value, size_t width) {
  for (size_t k = 0; k < width; ++k) bytes += static_cast<char>(value >> (8 * k) & 0xFF);
}

uint32_t ChecksumOf(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  constexpr size_t kStep = size_t{1} << 30;  // zlib counts in 32 bits
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kStep, bytes.size())))
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(std::min(kStep, bytes.size())));
  return static_cast<uint32_t>(crc);
}

// Takes the ZIP64 values for those of `values` that are kIn64, in order; false if some are missing.
bool TakeExtra(std::string_view extra, std::initializer_list<uint64_t*> values) {
  std::string_view wide;
  while (extra.size() >= 4) {
    const size_t size = Get(extra, 2, 2);
    if (size > extra.size() - 4) return false;
    if (Get(extra, 0, 2) == kExtra64) wide = extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  for (uint64_t* value : values) {
    if (*value != kIn64) continue;
    if (wide.size() < 8) return false;
    *value = Get(wide, 0, 8);
    wide.remove_prefix(8);
  }
  return true;
}

}  // namespace

bool ZipReader::ReadAt(uint64_t at, uint64_t count, std::string& bytes) {
  if (at > size_ || count > size_ - at) return false;
  bytes.resize(static_cast<size_t>(count));
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(at));
  in_.read(bytes.data(), static_cast<std::streamsize>(count));
  return in_.gcount() == static_cast<std::streamsize>(count);
}

StatusOr<ZipReader> ZipReader::Open(const std::string& path) {
  ZipReader reader;
  std::error_code error;
  const auto failed = [&](std::string_view why) { return InvalidArgument(Format("cannot open {}: {}", path, why)); };
  errno = 0;
  reader.in_.open(path, std::ios::binary);
  if (!reader.in_) return failed(errno == ENOENT ? "No such file" : errno != 0 ? std::strerror(errno) : "Read error");
  reader.size_ = std::filesystem::file_size(path, error);
  if (error) return failed("Not a zip archive");
  if (Status status = reader.ReadDirectory(); !status.ok()) return failed(status.message());
  return reader;
}

Status ZipReader::ReadDirectory() {
  const Status none = InvalidArgument("Not a zip archive"), damaged = InvalidArgument("Zip archive inconsistent");
  // The end record is followed by a comment, of up to 65,535 bytes, and nothing else.
  const uint64_t tail_size = std::min<uint64_t>(size_, kEndBytes + 0xFFFF);
  std::string tail, record;
  if (!ReadAt(size_ - tail_size, tail_size, tail) || tail.size() < kEndBytes) return none;
  size_t end = tail.size() - kEndBytes;
  while (Get(tail, end, 4) != kEnd || Get(tail, end + 20, 2) != tail.size() - end - kEndBytes)
    if (end-- == 0) return none;
  uint64_t count = Get(tail, end + 10, 2), bytes = Get(tail, end + 12, 4), at = Get(tail, end + 16, 4);
  uint64_t directory_end = size_ - tail_size + end;
  if (Get(tail, end + 4, 2) != Get(tail, end + 6, 2)) return damaged;  // of several disks
  if (end >= kLocator64Bytes && Get(tail, end - kLocator64Bytes, 4) == kLocator64) {
    const uint64_t place = Get(tail, end - kLocator64Bytes + 8, 8);
    if (!ReadAt(place, kEnd64Bytes, record) || Get(record, 0, 4) != kEnd64) return damaged;
    count = Get(record, 32, 8), bytes = Get(record, 40, 8), at = Get(record, 48, 8);
    directory_end = place;
  }
  if (bytes > directory_end || at > directory_end - bytes) return damaged;
  prefix_ = directory_end - bytes - at;  // of what was put before the archive
  std::string directory;
  if (!ReadAt(directory_end - bytes, bytes, directory)) return damaged;
  std::string_view rest = directory;
  for (uint64_t i = 0; i < count; ++i) {
    if (rest.size() < kCentralBytes || Get(rest, 0, 4) != kCentral) return damaged;
    const size_t name = Get(rest, 28, 2), extra = Get(rest, 30, 2), comment = Get(rest, 32, 2);
    if (rest.size() - kCentralBytes < name + extra + comment) return damaged;
    Member member;
    member.is_encrypted = (Get(rest, 8, 2) & 1) != 0;
    member.method = static_cast<uint16_t>(Get(rest, 10, 2));
    member.crc = static_cast<uint32_t>(Get(rest, 16, 4));
    member.packed = Get(rest, 20, 4), member.size = Get(rest, 24, 4), member.header = Get(rest, 42, 4);
    if (!TakeExtra(rest.substr(kCentralBytes + name, extra), {&member.size, &member.packed, &member.header}))
      return damaged;
    members_.emplace(rest.substr(kCentralBytes, name), member);  // the first of several
    rest.remove_prefix(kCentralBytes + name + extra + comment);
  }
  return OkStatus();
}

const ZipReader::Member* ZipReader::Find(std::string_view name) const {
  const auto found = members_.find(std::string(name));
  return found == members_.end() ? nullptr : &found->second;
}

StatusOr<std::string> ZipReader::Read(const Member& member) {
  const Status damaged = InvalidArgument("it is damaged");
  if (member.is_encrypted) return InvalidArgument("it is encrypted");
  if (member.method != 0 && member.method != 8)
    return InvalidArgument(Format("its compression method {} is not supported", static_cast<int>(member.method)));
  if (member.header > size_ - prefix_) return damaged;
  const uint64_t at = prefix_ + member.header;
  std::string header, packed;
  if (!ReadAt(at, kLocalBytes, header) || Get(header, 0, 4) != kLocal) return damaged;
  if (!ReadAt(at + kLocalBytes + Get(header, 26, 2) + Get(header, 28, 2), member.packed, packed)) return damaged;
  if (member.method == 0) {
    if (packed.size() != member.size || ChecksumOf(packed) != member.crc) return damaged;
    return packed;
  }
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return ResourceExhausted("out of memory");
  // Grows with the data, so that a wrong size costs no memory.
  constexpr size_t kStep = size_t{1} << 24;
  std::string content;
  size_t read = 0;
  int state = Z_OK;
  while (state == Z_OK && content.size() <= member.size) {
    if (stream.avail_in == 0) {
      stream.next_in = reinterpret_cast<Bytef*>(packed.data() + read);
      stream.avail_in = static_cast<uInt>(std::min(kStep, packed.size() - read));
      read += stream.avail_in;
    }
    const size_t had = content.size(), step = static_cast<size_t>(std::min<uint64_t>(kStep, member.size + 1 - had));
    if (step == 0) break;
    content.resize(had + step);
    stream.next_out = reinterpret_cast<Bytef*>(content.data() + had);
    stream.avail_out = static_cast<uInt>(step);
    state = inflate(&stream, Z_NO_FLUSH);
    content.resize(had + step - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || content.size() != member.size || ChecksumOf(content) != member.crc) return damaged;
  return content;
}

void ZipWriter::Add(std::string_view name, std::string_view content) {
  const uint64_t at = bytes_.size(), size = content.size();
  const bool is_large = size >= kIn64, is_far = at >= kIn64;
  const uint32_t crc = ChecksumOf(content);
  const auto common = [&](std::string& to, size_t extra) {
    Put(to, is_large || is_far ? 45 : 20, 2);  // the version that is needed
    Put(to, kUtf8, 2);
    Put(to, 0, 2);  // stored
    Put(to, 0, 2);  // the time and date
    Put(to, kFirstDay, 2);
    Put(to, crc, 4);
    Put(to, is_large ? kIn64 : size, 4);
    Put(to, is_large ? kIn64 : size, 4);
    Put(to, name.size(), 2);
    Put(to, extra, 2);
  };
  Put(bytes_, kLocal, 4);
  common(bytes_, is_large ? 20 : 0);
  bytes_ += name;
  if (is_large) Put(bytes_, kExtra64, 2), Put(bytes_, 16, 2), Put(bytes_, size, 8), Put(bytes_, size, 8);
  bytes_ += content;
  const size_t wide = (is_large ? 16 : 0) + (is_far ? 8 : 0);
  Put(directory_, kCentral, 4);
  Put(directory_, 3 << 8 | 45, 2);  // written on Unix
  common(directory_, wide == 0 ? 0 : 4 + wide);
  Put(directory_, 0, 2);  // comment
  Put(directory_, 0, 2);  // disk
  Put(directory_, 0, 2);  // internal attributes
  Put(directory_, uint64_t{0100644} << 16, 4);
  Put(directory_, is_far ? kIn64 : at, 4);
  directory_ += name;
  if (wide > 0) Put(directory_, kExtra64, 2), Put(directory_, wide, 2);
  if (is_large) Put(directory_, size, 8), Put(directory_, size, 8);
  if (is_far) Put(directory_, at, 8);
  ++count_;
}

std::string ZipWriter::Finish() {
  const uint64_t at = bytes_.size(), size = directory_.size();
  bytes_ += directory_;
  constexpr uint64_t kMost = 0xFFFF;  // members
  if (at >= kIn64 || size >= kIn64 || count_ >= kMost) {
    const uint64_t place = bytes_.size();
    Put(bytes_, kEnd64, 4), Put(bytes_, kEnd64Bytes - 12, 8), Put(bytes_, 3 << 8 | 45, 2), Put(bytes_, 45, 2);
    Put(bytes_, 0, 4), Put(bytes_, 0, 4), Put(bytes_, count_, 8), Put(bytes_, count_, 8), Put(bytes_, size, 8),
        Put(bytes_, at, 8);
    Put(bytes_, kLocator64, 4), Put(bytes_, 0, 4), Put(bytes_, place, 8), Put(bytes_, 1, 4);
  }
  const uint64_t count = std::min(count_, kMost);
  Put(bytes_, kEnd, 4), Put(bytes_, 0, 2), Put(bytes_, 0, 2), Put(bytes_, count, 2), Put(bytes_, count, 2);
  Put(bytes_, std::min<uint64_t>(size, kIn64), 4), Put(bytes_, std::min<uint64_t>(at, kIn64), 4), Put(bytes_, 0, 2);
  return std::move(bytes_);
}

}  // namespace hloir
