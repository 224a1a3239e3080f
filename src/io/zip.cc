// See zip.h.
#include "zip.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "gzip.h"
#include "support/endian.h"
#include "support/format.h"

namespace hloir {
namespace {

// A member's header stands before its bytes, and again in the directory behind all of them, of which the end record
// says where it is. Numbers that do not fit are all ones there, and in 64 bits beside it.
constexpr uint32_t kMemberMark = 0x04034B50, kEntryMark = 0x02014B50, kEndMark = 0x06054B50;  // "PK", 5, 6
constexpr uint32_t kEnd64Mark = 0x06064B50, kLocator64Mark = 0x07064B50;
constexpr size_t kMemberBytes = 30, kEntryBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocator64Bytes = 20;
constexpr uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1, kUtf8 = 0x800, kExtra64 = 1;
constexpr uint16_t kVersion = 20, kVersion64 = 45, kFirstOf1980 = (1 << 5) | 1;
constexpr uint32_t kLarge = 0xFFFFFFFF;
constexpr uint16_t kMany = 0xFFFF;

// One number after the other; past the end they are 0, and there is no more.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  T Next() {
    T value = 0;
    if (const std::string_view bytes = Next(sizeof(T)); bytes.size() == sizeof(T))
      value = LoadLittleEndian<T>(bytes.data());
    return value;
  }
  std::string_view Next(size_t size) {
    ok_ = ok_ && size <= bytes_.size();
    const std::string_view next = bytes_.substr(0, ok_ ? size : 0);
    bytes_.remove_prefix(next.size());
    return next;
  }
  bool ok() const { return ok_; }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

template <class T>
void Append(std::string& bytes, T value) {
  char number[sizeof(T)];
  CopyLittleEndian(number, &value, sizeof(T), sizeof(T));
  bytes.append(number, sizeof(T));
}

}  // namespace

StatusOr<ZipReader> ZipReader::Open(const std::string& path) {
  const auto failed = [&](const char* why) { return InvalidArgument(Format("cannot open {}: {}", path, why)); };
  ZipReader reader;
  reader.file_.reset(std::fopen(path.c_str(), "rb"));
  if (reader.file_ == nullptr) return failed(errno == ENOENT ? "No such file" : std::strerror(errno));
  const bool sought = fseeko(reader.file_.get(), 0, SEEK_END) == 0;
  const off_t size = sought ? ftello(reader.file_.get()) : -1;
  if (size < 0) return failed(std::strerror(errno));
  reader.size_ = static_cast<uint64_t>(size);
  if (const Status status = reader.ReadDirectory(); !status.ok()) return failed(status.message().c_str());
  return reader;
}

bool ZipReader::ReadAt(uint64_t offset, char* bytes, size_t size) {
  return offset <= size_ && size <= size_ - offset && fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) == 0 &&
         std::fread(bytes, 1, size, file_.get()) == size;
}

Status ZipReader::ReadDirectory() {
  const Status foreign = InvalidArgument("Not a zip archive"), broken = InvalidArgument("its directory is damaged");
  // The end record, before a comment.
  std::string tail(std::min<uint64_t>(size_, kEndBytes + kMany), '\0');
  if (tail.size() < kEndBytes || !ReadAt(size_ - tail.size(), tail.data(), tail.size())) return foreign;
  const size_t end = tail.rfind("PK\x05\x06", tail.size() - kEndBytes);
  if (end == std::string::npos) return foreign;
  Numbers record(std::string_view(tail).substr(end));
  record.Next(10);
  uint64_t count = record.Next<uint16_t>(), bytes = record.Next<uint32_t>(), offset = record.Next<uint32_t>();
  if (count == kMany || bytes == kLarge || offset == kLarge) {
    char locator[kLocator64Bytes], record64[kEnd64Bytes];
    const uint64_t at = size_ - tail.size() + end;
    if (at < kLocator64Bytes || !ReadAt(at - kLocator64Bytes, locator, kLocator64Bytes)) return broken;
    if (LoadLittleEndian<uint32_t>(locator) != kLocator64Mark ||
        !ReadAt(LoadLittleEndian<uint64_t>(locator + 8), record64, kEnd64Bytes) ||
        LoadLittleEndian<uint32_t>(record64) != kEnd64Mark)
      return broken;
    count = LoadLittleEndian<uint64_t>(record64 + 32);
    bytes = LoadLittleEndian<uint64_t>(record64 + 40);
    offset = LoadLittleEndian<uint64_t>(record64 + 48);
  }
  if (bytes > size_) return broken;
  std::string directory(bytes, '\0');
  if (!ReadAt(offset, directory.data(), directory.size())) return broken;
  Numbers entries(directory);
  for (uint64_t k = 0; k < count; ++k) {
    if (entries.Next<uint32_t>() != kEntryMark) return broken;
    Member member;
    entries.Next(4);
    member.flags = entries.Next<uint16_t>();
    member.method = entries.Next<uint16_t>();
    entries.Next(4);
    member.crc = entries.Next<uint32_t>();
    member.packed = entries.Next<uint32_t>();
    member.size = entries.Next<uint32_t>();
    const size_t name_size = entries.Next<uint16_t>(), extra_size = entries.Next<uint16_t>();
    const size_t comment_size = entries.Next<uint16_t>();
    entries.Next(8);
    member.offset = entries.Next<uint32_t>();
    const std::string_view name = entries.Next(name_size);
    Numbers extra(entries.Next(extra_size));
    entries.Next(comment_size);
    while (extra.ok() && !extra.empty()) {
      const uint16_t kind = extra.Next<uint16_t>(), size = extra.Next<uint16_t>();
      Numbers field(extra.Next(size));
      if (kind != kExtra64) continue;
      for (uint64_t* number : {&member.size, &member.packed, &member.offset})
        if (*number == kLarge) *number = field.Next<uint64_t>();
    }
    if (!entries.ok()) return broken;
    members_.emplace(name, member);
  }
  return OkStatus();
}

StatusOr<std::optional<std::string>> ZipReader::Read(std::string_view name, uint64_t most) {
  const auto found = members_.find(name);
  if (found == members_.end()) return std::optional<std::string>();
  const Member& member = found->second;
  const uint64_t limit = std::min(most, UnpackLimit(member.packed, uint64_t{1} << 28));
  if (member.size > limit) return ResourceExhausted(Format("it has {} bytes; the limit is {}", member.size, limit));
  if ((member.flags & kEncrypted) != 0) return InvalidArgument("it is encrypted");
  if (member.method != kStored && member.method != kDeflated)
    return InvalidArgument(Format("its compression, number {} of zip's, is not supported", member.method));
  std::string content;
  if (!Unpack(member, content) || content.size() != member.size ||
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()) != member.crc)
    return InvalidArgument("it is damaged");
  return std::optional<std::string>(std::move(content));
}

bool ZipReader::Unpack(const Member& member, std::string& content) {
  char header[kMemberBytes];
  if (!ReadAt(member.offset, header, kMemberBytes) || LoadLittleEndian<uint32_t>(header) != kMemberMark) return false;
  const uint64_t begin =
      member.offset + kMemberBytes + LoadLittleEndian<uint16_t>(header + 26) + LoadLittleEndian<uint16_t>(header + 28);
  if (begin > size_ || member.packed > size_ - begin) return false;
  if (member.method == kStored) {
    if (member.packed != member.size) return false;
    content.resize(member.size);
    return ReadAt(begin, content.data(), content.size());
  }
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ender(&stream, inflateEnd);
  constexpr size_t kInput = size_t{1} << 16, kOutput = size_t{1} << 24;
  std::vector<char> input(kInput);
  uint64_t read = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    if (stream.avail_in == 0 && read < member.packed) {
      const size_t step = std::min<uint64_t>(kInput, member.packed - read);
      if (!ReadAt(begin + read, input.data(), step)) return false;
      read += step;
      stream.next_in = reinterpret_cast<Bytef*>(input.data());
      stream.avail_in = static_cast<uInt>(step);
    }
    // One byte more than it should have shows that it has more.
    if (stream.avail_out == 0) {
      const size_t had = content.size(), step = std::min<uint64_t>(kOutput, member.size + 1 - had);
      if (step == 0) return false;
      content.resize(had + step);
      stream.next_out = reinterpret_cast<Bytef*>(content.data() + had);
      stream.avail_out = static_cast<uInt>(step);
    }
    code = inflate(&stream, Z_NO_FLUSH);
  }
  content.resize(content.size() - stream.avail_out);
  return code == Z_STREAM_END;
}

Status ZipWriter::Put(std::string_view bytes) {
  written_ += bytes.size();
  return write_(bytes);
}

Status ZipWriter::Add(std::string_view name, std::string_view content) {
  const uint64_t size = content.size(), offset = written_;
  const uint32_t crc = static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), size));
  const bool large = size >= kLarge, far = offset >= kLarge;
  const auto add_header = [&](std::string& to, size_t extra) {
    Append(to, large || far ? kVersion64 : kVersion);
    Append(to, kUtf8);
    Append(to, kStored);
    Append(to, uint16_t{0});
    Append(to, kFirstOf1980);
    Append(to, crc);
    for (int k = 0; k < 2; ++k) Append(to, large ? kLarge : static_cast<uint32_t>(size));  // packed, unpacked
    Append(to, static_cast<uint16_t>(name.size()));
    Append(to, static_cast<uint16_t>(extra > 0 ? extra + 4 : 0));
  };
  const auto add_extra = [&](std::string& to, size_t extra, bool with_offset) {
    if (extra == 0) return;
    Append(to, kExtra64);
    Append(to, static_cast<uint16_t>(extra));
    for (int k = 0; large && k < 2; ++k) Append(to, size);
    if (with_offset) Append(to, offset);
  };
  std::string header;
  Append(header, kMemberMark);
  add_header(header, large ? 16 : 0);
  header += name;
  add_extra(header, large ? 16 : 0, false);
  const size_t extra = (large ? 16 : 0) + (far ? 8 : 0);
  Append(directory_, kEntryMark);
  Append(directory_, kVersion64);
  add_header(directory_, extra);
  directory_.append(10, '\0');  // no comment, the first disk, no attributes
  Append(directory_, far ? kLarge : static_cast<uint32_t>(offset));
  directory_ += name;
  add_extra(directory_, extra, far);
  ++count_;
  HLOIR_RETURN_IF_ERROR(Put(header));
  return Put(content);
}

Status ZipWriter::Finish() {
  const uint64_t offset = written_, bytes = directory_.size();
  const bool large = count_ >= kMany || offset >= kLarge || bytes >= kLarge;
  std::string end = std::move(directory_);
  if (large) {
    Append(end, kEnd64Mark);
    Append(end, uint64_t{kEnd64Bytes - 12});
    Append(end, kVersion64);
    Append(end, kVersion64);
    end.append(8, '\0');
    for (uint64_t number : {count_, count_, bytes, offset}) Append(end, number);
    Append(end, kLocator64Mark);
    end.append(4, '\0');
    Append(end, offset + bytes);
    Append(end, uint32_t{1});
  }
  Append(end, kEndMark);
  end.append(4, '\0');
  for (int k = 0; k < 2; ++k) Append(end, large ? kMany : static_cast<uint16_t>(count_));
  for (uint64_t number : {bytes, offset}) Append(end, large ? kLarge : static_cast<uint32_t>(number));
  Append(end, uint16_t{0});
  return Put(end);
}

}  // namespace hloir
