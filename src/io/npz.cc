// The .npz container and the .npy arrays in it; see hloir/io.h. The format:
// numpy.org/devdocs/reference/generated/numpy.lib.format.html. Files are untrusted: sizes are checked against the
// available bytes before memory is allocated.
#include <zip.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "gzip.h"
#include "hloir/io.h"
#include "support/endian.h"
#include "support/format.h"
#include "support/guard.h"

namespace hloir {
namespace {

constexpr const char* kOrder = kBigEndian ? ">" : "<";  // of bytes, as NumPy names it
constexpr std::string_view kMagic = "\x93NUMPY";

constexpr PrimitiveType kTypes[] = {
#define HLOIR_TYPE(name, ...) PrimitiveType::name,
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
};

// NumPy's "f4" for f32, without byte order; "" for a type that NumPy lacks.
std::string NumpyDescr(PrimitiveType type) {
  if (!MlDtypesName(type).empty()) return {};
  const char* kind = "";
  switch (GetTypeClass(type)) {
    case TypeClass::kPred: kind = "b"; break;
    case TypeClass::kSigned: kind = "i"; break;
    case TypeClass::kUnsigned: kind = "u"; break;
    case TypeClass::kFloat: kind = "f"; break;
    case TypeClass::kComplex: kind = "c"; break;
    case TypeClass::kNone: return {};
  }
  return kind + std::to_string(StorageBytes(type));
}

// ---- .npy ----

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  DimVector shape;
  std::string_view data;
};

// Reads the header, a Python dict literal of three known keys: {'descr': '<f4', 'fortran_order': False, 'shape': (2,
// 3), }.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  bool Read(NpyHeader& header) {
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Take('{')) return false;
    while (!Take('}')) {
      std::string key;
      if (!String(key) || !Take(':')) return false;
      if (key == "descr" && !has_descr) {
        if (!String(header.descr)) return false;
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        if (Word("True")) header.fortran_order = true;
        else if (!Word("False")) return false;
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        if (!Tuple(header.shape)) return false;
        has_shape = true;
      } else {
        return false;
      }
      if (!Take(',') && Peek() != '}') return false;
    }
    return has_descr && has_order && has_shape;
  }

 private:
  void SkipSpace() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t')) text_.remove_prefix(1);
  }
  char Peek() {
    SkipSpace();
    return text_.empty() ? '\0' : text_[0];
  }
  bool Take(char c) {
    if (Peek() != c || c == '\0') return false;
    text_.remove_prefix(1);
    return true;
  }
  bool Word(std::string_view word) {
    SkipSpace();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool String(std::string& value) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool Tuple(DimVector& values) {
    constexpr size_t kMaxRank = 64;
    if (!Take('(')) return false;
    while (!Take(')')) {
      SkipSpace();
      int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0 || values.size() >= kMaxRank) return false;
      text_.remove_prefix(end - text_.data());
      (void)Word("L");  // Python 2 wrote long integers so
      values.push_back(value);
      if (!Take(',') && Peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
};

StatusOr<NpyHeader> ReadHeader(std::string_view bytes) {
  const Status broken = InvalidArgument("it is not a NumPy array");
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) return broken;
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) return InvalidArgument(Format("the .npy version {} is not known", version));
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) return broken;
  uint32_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= uint32_t{static_cast<unsigned char>(bytes[8 + i])} << (8 * i);
  bytes.remove_prefix(8 + length_bytes);
  if (length > bytes.size()) return broken;
  NpyHeader header;
  if (!HeaderReader(bytes.substr(0, length)).Read(header)) return InvalidArgument("its header cannot be read");
  header.data = bytes.substr(length);
  return header;
}

// The element type for `descr` and ml_dtypes' name. `swap`: the byte order is reversed.
StatusOr<PrimitiveType> ElementType(std::string_view descr, std::string_view dtype, bool& swap) {
  std::string_view kind = descr;
  if (!kind.empty() && std::string_view("<>|=").find(kind[0]) != std::string_view::npos) kind.remove_prefix(1);
  swap = descr.starts_with(kBigEndian ? '<' : '>');
  if (!dtype.empty()) {
    for (const PrimitiveType type : kTypes) {
      if (MlDtypesName(type).empty() && PrimitiveTypeName(type) == dtype) return type;
      if (MlDtypesName(type) != dtype) continue;
      const std::string width = std::to_string(StorageBytes(type));
      if (kind != "u" + width && kind != "i" + width && kind != "V" + width) {
        return InvalidArgument(Format("{} elements cannot be stored as '{}'", dtype, descr));
      }
      return type;
    }
    return InvalidArgument(Format("the type '{}' is not known", dtype));
  }
  for (const PrimitiveType type : kTypes) {
    if (!kind.empty() && NumpyDescr(type) == kind) return type;
  }
  if (kind.starts_with('V')) {
    return InvalidArgument("NumPy does not record its element type; store the type's name beside it, under NAME.dtype");
  }
  return InvalidArgument(Format("elements of NumPy's type '{}' have no HLO type", descr));
}

// Moves elements from Fortran order to C order.
void FromFortranOrder(const std::byte* from, std::byte* to, const DimVector& dims, int64_t count, size_t size) {
  if (count == 0) return;  // other dimensions may be too large to multiply
  DimVector index(dims.size(), 0);
  DimVector strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < dims.size(); ++d) at += index[d] * strides[d];
    std::memcpy(to + at * size, from + i * size, size);
    for (size_t d = 0; d < dims.size() && ++index[d] == dims[d]; ++d) index[d] = 0;
  }
}

// Normalizes bytes of a file for the storage of literals: bools become 0 or 1, types under a byte keep their low bits,
// sign-extended for signed types.
void Normalize(Literal& literal) {
  const PrimitiveType type = literal.shape().element_type();
  const std::span bytes(reinterpret_cast<uint8_t*>(literal.untyped_data()), static_cast<size_t>(literal.size_bytes()));
  const int bits = BitWidth(type);
  if (type == PrimitiveType::PRED) {
    for (uint8_t& b : bytes) b = b != 0;
  } else if (bits < 8) {
    const uint8_t mask = static_cast<uint8_t>((1 << bits) - 1), sign = static_cast<uint8_t>(1 << (bits - 1));
    for (uint8_t& b : bytes) {
      b &= mask;
      if (IsSigned(type) && (b & sign)) b |= static_cast<uint8_t>(~mask);
    }
  }
}

void SwapBytes(Literal& literal) {
  const PrimitiveType type = literal.shape().element_type();
  const size_t unit = StorageBytes(ComplexComponentType(type));
  std::byte* bytes = literal.untyped_data();
  for (int64_t i = 0; i + static_cast<int64_t>(unit) <= literal.size_bytes(); i += unit)
    std::reverse(bytes + i, bytes + i + unit);
}

// ---- .npz ----

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

StatusOr<Archive> OpenArchive(const std::string& path, int flags) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), flags, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  Status status = InvalidArgument(Format("cannot open {}: {}", path, zip_error_strerror(&error)));
  zip_error_fini(&error);
  return status;
}

// The bytes of a member; nullopt if there is no such member.
StatusOr<std::optional<std::string>> ReadMember(zip_t* archive, const std::string& name, const NpzLimits& limits) {
  const zip_int64_t index = zip_name_locate(archive, name.c_str(), 0);
  if (index < 0) return std::optional<std::string>();
  zip_stat_t stat;
  if (zip_stat_index(archive, index, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE))
    return InvalidArgument("it is damaged");
  uint64_t limit = static_cast<uint64_t>(limits.max_bytes);
  if (stat.valid & ZIP_STAT_COMP_SIZE) limit = std::min(limit, UnpackLimit(stat.comp_size, uint64_t{1} << 28));
  if (stat.size > limit) return ResourceExhausted(Format("it has {} bytes; the limit is {}", stat.size, limit));
  std::unique_ptr<zip_file_t, Discard> file(zip_fopen_index(archive, index, 0));
  if (!file) return InvalidArgument(zip_strerror(archive));
  // Grows with the data, so that a wrong size costs no memory.
  std::string content;
  constexpr size_t kStep = size_t{1} << 24;
  while (content.size() < stat.size) {
    const size_t had = content.size(), step = std::min<size_t>(kStep, stat.size - had);
    content.resize(had + step);
    const zip_int64_t got = zip_fread(file.get(), content.data() + had, step);
    if (got <= 0) return InvalidArgument("it is damaged");
    content.resize(had + static_cast<size_t>(got));
  }
  // Reading on to the end makes libzip compare the checksum.
  char end;
  if (zip_fread(file.get(), &end, 1) != 0) return InvalidArgument("it is damaged");
  return std::optional<std::string>(std::move(content));
}

// A NumPy scalar string, UTF-32 ('<U8') or bytes ('|S8'), of ASCII characters: a type's name.
StatusOr<std::string> ParseText(std::string_view bytes) {
  HLOIR_ASSIGN_OR_RETURN(NpyHeader header, ReadHeader(bytes));
  const bool wide = header.descr.starts_with("<U");
  if (!header.shape.empty() || !(wide || header.descr.starts_with("|S")) || header.data.size() > 4096) {
    return InvalidArgument("not a name");
  }
  std::string text;
  for (size_t i = 0; i < header.data.size() && header.data[i] != '\0'; i += wide ? 4 : 1) text += header.data[i];
  return text;
}

Status Prefixed(const std::string& path, std::string_view member, const Status& status) {
  return Status(status.code(), Format("cannot read {} of {}: {}", member, path, status.message()));
}

// Adds a member to be written when the archive is closed; the archive keeps the bytes.
Status AddMember(zip_t* archive, const std::string& name, std::string_view content) {
  void* copy = std::malloc(std::max<size_t>(content.size(), 1));
  if (copy == nullptr) return ResourceExhausted("out of memory");
  std::memcpy(copy, content.data(), content.size());
  zip_source_t* source = zip_source_buffer(archive, copy, content.size(), /*freep=*/1);
  if (source == nullptr) {
    std::free(copy);
    return Internal(zip_strerror(archive));
  }
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return Internal(zip_strerror(archive));
  }
  // Uncompressed, as np.savez, and without a timestamp, so that equal values give equal files.
  zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
  zip_file_set_dostime(archive, index, 0, (1 << 5) | 1, 0);
  return OkStatus();
}

// The beginning of a .npy file: all but the elements.
std::string NpyBytes(std::string_view descr, std::string_view shape, size_t reserve) {
  std::string header = Format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape);
  // Magic, version, length and header together are a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes;
  bytes.reserve(10 + header.size() + reserve);
  bytes.append(kMagic).append("\x01\x00", 2);
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes += header;
}

// The form of np.array("bfloat16").
std::string PrintTextNpy(std::string_view text) {
  std::string bytes = NpyBytes(Format("<U{}", text.size()), "()", 4 * text.size());
  for (char c : text) bytes.append({c, '\0', '\0', '\0'});
  return bytes;
}

}  // namespace

std::string_view MlDtypesName(PrimitiveType type) {
  constexpr std::string_view kPackage = "ml_dtypes.";
  const std::string_view name = NumpyName(type);
  return name.starts_with(kPackage) ? name.substr(kPackage.size()) : std::string_view();
}

StatusOr<Literal> ParseNpy(std::string_view bytes, std::string_view dtype, const NpzLimits& limits) {
  HLOIR_ASSIGN_OR_RETURN(NpyHeader header, ReadHeader(bytes));
  bool swap = false;
  HLOIR_ASSIGN_OR_RETURN(PrimitiveType type, ElementType(header.descr, dtype, swap));
  Shape shape = Shape::Array(type, header.shape);
  const int64_t size = shape.ByteSize();
  if (size > limits.max_bytes) return ResourceExhausted(Format("{} is over the limit", shape.ToString(false)));
  // There may be more bytes than needed, as for NumPy.
  if (static_cast<uint64_t>(size) > header.data.size()) {
    return InvalidArgument(
        Format("{} takes {} bytes, but there are {}", shape.ToString(false), size, header.data.size()));
  }
  Literal literal(shape);
  const auto* from = reinterpret_cast<const std::byte*>(header.data.data());
  if (header.fortran_order) {
    FromFortranOrder(from, literal.untyped_data(), shape.dimensions(), literal.element_count(), StorageBytes(type));
  } else if (size > 0) {
    std::memcpy(literal.untyped_data(), from, size);
  }
  if (swap) SwapBytes(literal);
  Normalize(literal);
  return literal;
}

std::string PrintNpy(const Literal& literal) {
  const Shape& shape = literal.shape();
  const PrimitiveType type = shape.element_type();
  std::string descr = NumpyDescr(type);
  if (descr.empty()) descr = "u" + std::to_string(StorageBytes(type));  // its bits
  descr.insert(0, StorageBytes(type) == 1 ? "|" : kOrder);
  std::string dims = "(";
  for (int64_t d : shape.dimensions()) dims += Format("{}, ", d);
  if (shape.rank() > 1) dims.resize(dims.size() - 2);
  else if (shape.rank() == 1) dims.pop_back();
  dims += ")";
  std::string bytes = NpyBytes(descr, dims, literal.size_bytes());
  const size_t begin = bytes.size();
  bytes.append(reinterpret_cast<const char*>(literal.untyped_data()), literal.size_bytes());
  // ml_dtypes keeps the bits above a type under a byte at zero.
  if (const int bits = BitWidth(type); bits < 8) {
    for (size_t i = begin; i < bytes.size(); ++i) bytes[i] = static_cast<char>(bytes[i] & ((1 << bits) - 1));
  }
  return bytes;
}

StatusOr<std::vector<Literal>> ReadNpz(const std::string& path, std::string_view prefix, const NpzLimits& limits) try {
  HLOIR_ASSIGN_OR_RETURN(Archive archive, OpenArchive(path, ZIP_RDONLY));
  std::vector<Literal> leaves;
  for (int64_t i = 0; i < limits.max_arrays; ++i) {
    const std::string name = Format("{}{}", prefix, i);
    auto member = ReadMember(archive.get(), name + ".npy", limits);
    if (!member.ok()) return Prefixed(path, name, member.status());
    if (!member->has_value()) break;
    auto type_member = ReadMember(archive.get(), name + ".dtype.npy", limits);
    if (!type_member.ok()) return Prefixed(path, name + ".dtype", type_member.status());
    std::string dtype;
    if (type_member->has_value()) {
      auto text = ParseText(**type_member);
      if (!text.ok()) return Prefixed(path, name + ".dtype", text.status());
      dtype = *text;
    }
    auto literal = ParseNpy(**member, dtype, limits);
    if (!literal.ok()) return Prefixed(path, name, literal.status());
    leaves.push_back(std::move(*literal));
  }
  return leaves;
} catch (...) {
  return OutOfMemory();
}

StatusOr<bool> NpzHas(const std::string& path, std::string_view prefix) {
  HLOIR_ASSIGN_OR_RETURN(Archive archive, OpenArchive(path, ZIP_RDONLY));
  return zip_name_locate(archive.get(), Format("{}0.npy", prefix).c_str(), 0) >= 0;
}

Status WriteNpz(const std::string& path, std::string_view prefix, std::span<const Literal* const> leaves) {
  const NpzLeaves all[] = {{std::string(prefix), {leaves.begin(), leaves.end()}}};
  return WriteNpz(path, all);
}

Status WriteNpz(const std::string& path, std::span<const NpzLeaves> all) try {
  if (path == "-") return InvalidArgument("an .npz cannot be written to standard output: name a file");
  // Built in memory, because an interrupted libzip would leave a partial file.
  zip_source_t* source = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  if (source == nullptr) return ResourceExhausted("out of memory");
  zip_source_keep(source);  // the archive takes one reference with it
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> bytes(source, zip_source_free);
  Archive archive(zip_open_from_source(source, ZIP_TRUNCATE, nullptr));
  if (!archive) {
    zip_source_free(source);
    return ResourceExhausted("out of memory");
  }
  for (const auto& [prefix, leaves] : all) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      const std::string name = Format("{}{}", prefix, i);
      HLOIR_RETURN_IF_ERROR(AddMember(archive.get(), name + ".npy", PrintNpy(*leaves[i])));
      if (std::string_view dtype = MlDtypesName(leaves[i]->shape().element_type()); !dtype.empty()) {
        HLOIR_RETURN_IF_ERROR(AddMember(archive.get(), name + ".dtype.npy", PrintTextNpy(dtype)));
      }
    }
  }
  // libzip writes no file for an archive without members; NumPy reads an empty archive.
  if (zip_get_num_entries(archive.get(), 0) == 0) HLOIR_RETURN_IF_ERROR(AddMember(archive.get(), "empty", ""));
  if (zip_close(archive.get()) != 0) {
    return InvalidArgument(Format("cannot write {}: {}", path, zip_strerror(archive.get())));
  }
  (void)archive.release();
  zip_stat_t stat;
  if (zip_source_stat(source, &stat) != 0 || zip_source_open(source) != 0) return Internal("libzip returned no data");
  std::string content(stat.size, '\0');
  const zip_int64_t got = zip_source_read(source, content.data(), stat.size);
  zip_source_close(source);
  if (got != static_cast<zip_int64_t>(stat.size)) return Internal("libzip returned no data");
  return WriteFile(path, content);
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
