// See gzip.h.
#include "gzip.h"

#include <zlib.h>

#include <algorithm>
#include <functional>

#include "support/format.h"

namespace hloir {
namespace {

constexpr int kGzipFormat = 16 + MAX_WBITS;
constexpr size_t kStep = size_t{1} << 20;  // zlib counts in 32 bits, and output grows as data arrives
constexpr size_t kOutput = size_t{1} << 16;

// Ends the stream on every return.
struct Ender {
  z_stream* stream;
  int (*end)(z_stream*);
  ~Ender() { end(stream); }
};

// The content's size modulo 2^32, from the last four bytes. A hint only: there may be several members, and it may be
// wrong.
uint64_t SizeAtEnd(std::string_view bytes) {
  if (bytes.size() < 4) return 0;
  uint64_t size = 0;
  for (size_t k = 1; k <= 4; ++k) size = size << 8 | static_cast<unsigned char>(bytes[bytes.size() - k]);
  return size;
}

Bytef* Input(const char* bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes)); }

}  // namespace

bool IsGzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B"); }

uint64_t UnpackLimit(uint64_t packed, uint64_t always) {
  constexpr uint64_t kTimes = 200;
  return std::max(always, packed < UINT64_MAX / kTimes ? packed * kTimes : UINT64_MAX);
}

StatusOr<std::string> Gunzip(std::string_view bytes) {
  const uint64_t limit = UnpackLimit(bytes.size(), uint64_t{1} << 26);
  z_stream stream{};
  if (inflateInit2(&stream, kGzipFormat) != Z_OK) return ResourceExhausted("out of memory");
  const Ender ender{&stream, inflateEnd};
  std::string content;
  content.reserve(std::min(limit, SizeAtEnd(bytes)) + kStep);  // doubling would need three times the final size
  while (true) {
    const uInt given = static_cast<uInt>(std::min(bytes.size(), kStep));
    stream.next_in = Input(bytes.data());
    stream.avail_in = given;
    const size_t had = content.size();
    content.resize(had + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(content.data() + had);
    stream.avail_out = static_cast<uInt>(kStep);
    const int code = inflate(&stream, Z_NO_FLUSH);
    content.resize(had + kStep - stream.avail_out);
    bytes.remove_prefix(given - stream.avail_in);
    if (content.size() > limit) return ResourceExhausted(Format("gzip: unpacked it has more than {} bytes", limit));
    if (code == Z_STREAM_END) {
      if (bytes.empty()) return content;
      if (!IsGzip(bytes)) return InvalidArgument("broken gzip: something else follows it");
      if (inflateReset(&stream) != Z_OK) return Internal("zlib cannot be reset");
    } else if (code == Z_BUF_ERROR || (code == Z_OK && bytes.empty() && stream.avail_out > 0)) {
      return InvalidArgument("broken gzip: it ends too early");
    } else if (code != Z_OK) {
      return InvalidArgument(Format("broken gzip: {}", stream.msg != nullptr ? stream.msg : "not its format"));
    }
  }
}

Status Gzip(const std::function<Status(const WriteText&)>& produce, const WriteText& write) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return ResourceExhausted("out of memory");
  }
  const Ender ender{&stream, deflateEnd};
  std::string bytes(kOutput, 0);
  const auto compress = [&](std::string_view content, int flush) -> Status {
    do {
      stream.next_in = Input(content.data());
      stream.avail_in = static_cast<uInt>(std::min(content.size(), kStep));
      content.remove_prefix(stream.avail_in);
      do {
        stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
        stream.avail_out = static_cast<uInt>(bytes.size());
        // Z_BUF_ERROR: there was nothing to do.
        if (deflate(&stream, flush) == Z_STREAM_ERROR) return Internal("zlib cannot compress");
        HLOIR_RETURN_IF_ERROR(write({bytes.data(), bytes.size() - stream.avail_out}));
      } while (stream.avail_out == 0);
    } while (!content.empty());
    return OkStatus();
  };
  HLOIR_RETURN_IF_ERROR(produce([&](std::string_view piece) { return compress(piece, Z_NO_FLUSH); }));
  return compress({}, Z_FINISH);
}

StatusOr<std::string> Gzip(std::string_view content) {
  std::string bytes;
  HLOIR_RETURN_IF_ERROR(Gzip([&](const WriteText& write) { return write(content); },
                             [&](std::string_view piece) {
                               bytes += piece;
                               return OkStatus();
                             }));
  return bytes;
}

}  // namespace hloir
