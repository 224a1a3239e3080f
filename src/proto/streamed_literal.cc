// XLA's format for literals that follow an HloUnoptimizedSnapshot, because a message is limited to 2 GiB: the length of
// a ShapeProto (8 bytes), that ShapeProto, and then for each array in it, in the order of the tuple tree, its dynamic
// sizes (32 bits each, only if it has any) and its elements by the layout's order; pred and types under a byte are
// packed, first element in the low bits. Tested by tests/unit/proto_test.cc.
#include <cstring>

#include "codec.h"
#include "ir/element_bytes.h"
#include "support/endian.h"
#include "values.h"

namespace hloir {
namespace {

// Bits of an element in the stream. The 6-bit floats take a byte each.
int StreamedBits(PrimitiveType type) {
  const int bits = BitWidth(type);
  return type == PrimitiveType::PRED ? 1 : bits == 6 ? 8 : bits;
}

bool IsDynamic(const Shape& shape) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) return true;
  }
  return false;
}

// Reads bytes of a stream; the error is a truncated stream.
class StreamReader {
 public:
  explicit StreamReader(std::string_view bytes) : bytes_(bytes) {}
  bool Take(size_t count, std::string_view& taken) {
    if (count > bytes_.size()) return false;
    taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return true;
  }
  bool AtEnd() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

template <class T>
void AppendLittleEndian(T value, std::string& bytes) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  CopyLittleEndian(bytes.data() + at, &value, sizeof(T), sizeof(T));
}

Status TooShort() { return InvalidArgument("literal: the stream ends within it"); }

StatusOr<Literal> ReadArray(const Shape& shape, StreamReader& stream) {
  DimVector sizes;
  std::string_view bytes;
  if (IsDynamic(shape)) {
    if (!stream.Take(static_cast<size_t>(shape.rank()) * 4, bytes)) return TooShort();
    for (int64_t d = 0; d < shape.rank(); ++d) {
      const int32_t size = LoadLittleEndian<int32_t>(bytes.data() + 4 * d);
      if (size < 0 || size > shape.dimensions(d)) return InvalidArgument("literal: a dynamic size exceeds its bound");
      sizes.push_back(size);
    }
  }
  const PrimitiveType type = shape.element_type();
  if (shape.ByteSize() > kMaxProtoLiteralBytes) return ResourceExhausted("literal: too large");
  const int64_t count = shape.ElementCount();
  const int bits = StreamedBits(type), per_byte = bits < 8 ? 8 / bits : 1;
  const int64_t size = bits < 8 ? (count + per_byte - 1) / per_byte : count * StorageBytes(type);
  if (!stream.Take(static_cast<size_t>(size), bytes)) return TooShort();
  Literal literal(shape);
  const std::vector<int64_t> order = LayoutOrder(shape);
  const size_t width = static_cast<size_t>(StorageBytes(type));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = order.empty() ? i : order[i];
    if (bits >= 8) {
      CopyLittleEndian(literal.untyped_data() + static_cast<size_t>(i) * width,
                       bytes.data() + static_cast<size_t>(from) * width, width, NumberBytes(type));
      continue;
    }
    const uint8_t byte = static_cast<uint8_t>(bytes[from / per_byte]);
    uint8_t value = static_cast<uint8_t>(byte >> (from % per_byte * bits) & ((1 << bits) - 1));
    if (IsInteger(type) && IsSigned(type) && value >> (bits - 1)) value |= static_cast<uint8_t>(0xFF << bits);
    std::memcpy(literal.untyped_data() + i, &value, 1);
  }
  if (!sizes.empty()) literal.set_dynamic_sizes(std::move(sizes));
  return literal;
}

// The limit on the nesting of a ShapeProto bounds the recursion.
StatusOr<Literal> ReadPieces(const Shape& shape, StreamReader& stream) {
  if (shape.IsArray()) return ReadArray(shape, stream);
  if (!shape.IsTuple()) return InvalidArgument("literal: " + shape.ToString() + " cannot stand in a stream");
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    HLOIR_ASSIGN_OR_RETURN(Literal literal, ReadPieces(element, stream));
    elements.push_back(std::move(literal));
  }
  return Literal::Tuple(std::move(elements));
}

void WritePieces(const Literal& literal, std::string& bytes) {
  for (const Literal& element : literal.elements()) WritePieces(element, bytes);
  const Shape& shape = literal.shape();
  if (!shape.IsArray()) return;
  if (IsDynamic(shape)) {
    const DimVector& sizes = literal.dynamic_sizes().empty() ? shape.dimensions() : literal.dynamic_sizes();
    for (int64_t d : sizes) {
      const int32_t size = static_cast<int32_t>(d);
      AppendLittleEndian(size, bytes);
    }
  }
  const PrimitiveType type = shape.element_type();
  const int64_t count = literal.element_count();
  const int bits = StreamedBits(type), per_byte = bits < 8 ? 8 / bits : 1;
  const size_t width = static_cast<size_t>(StorageBytes(type)), begin = bytes.size();
  const std::vector<int64_t> order = LayoutOrder(shape);
  bytes.resize(
      begin + static_cast<size_t>(bits < 8 ? (count + per_byte - 1) / per_byte : count * static_cast<int64_t>(width)),
      '\0');
  const auto* data = reinterpret_cast<const char*>(literal.untyped_data());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t to = order.empty() ? i : order[i];
    if (bits >= 8) {
      CopyLittleEndian(bytes.data() + begin + static_cast<size_t>(to) * width, data + static_cast<size_t>(i) * width,
                       width, NumberBytes(type));
    } else {
      char& byte = bytes[begin + static_cast<size_t>(to / per_byte)];
      byte = static_cast<char>(byte | (data[i] & ((1 << bits) - 1)) << (to % per_byte * bits));
    }
  }
}

}  // namespace

StatusOr<Literal> ReadStreamedLiteral(std::string_view bytes) {
  StreamReader stream(bytes);
  std::string_view part;
  if (!stream.Take(8, part)) return TooShort();
  const uint64_t shape_size = LoadLittleEndian<uint64_t>(part.data());
  if (!stream.Take(shape_size, part)) return TooShort();
  HLOIR_ASSIGN_OR_RETURN(const Shape shape, FromProto(proto::Decode<proto::Shape>(part)));
  HLOIR_ASSIGN_OR_RETURN(Literal literal, ReadPieces(shape, stream));
  if (!stream.AtEnd()) return InvalidArgument("literal: its stream is longer than its shape says");
  return literal;
}

std::string WriteStreamedLiteral(const Literal& literal) {
  proto::Shape shape = ToProto(literal.shape());
  const std::string shape_bytes = proto::Encode(shape);
  std::string bytes;
  AppendLittleEndian(uint64_t{shape_bytes.size()}, bytes);
  bytes += shape_bytes;
  WritePieces(literal, bytes);
  return bytes;
}

}  // namespace hloir
