// Literals in XLA's LiteralProto: the field of each element type, and its bytes.
#include <cstring>

#include "hloir/proto.h"
#include "codec.h"
#include "support/endian.h"
#include "values.h"

namespace hloir {
namespace {

// Elements of type x are in LiteralProto's field "xs".
struct BytesFinder {
  std::string_view type;
  proto::Bytes* found = nullptr;
  template <class T>
  void operator()(uint32_t, std::string_view name, T& field) {
    if constexpr (std::is_same_v<T, proto::Bytes>) {
      if (name.size() == type.size() + 1 && name.starts_with(type)) found = &field;
    }
  }
};
// The field of a type whose elements are stored as bytes; nullptr for types with numeric fields.
proto::Bytes* BytesField(proto::Literal& m, PrimitiveType type) {
  BytesFinder finder{PrimitiveTypeName(type)};
  proto::Fields(finder, m);
  return finder.found;
}

// Elements of integer types under a byte: XLA writes one byte each, with the value in the low bits. Packed elements,
// the first in the low bits, are recognized by the number of bytes and read as well.
bool IsSubByteInteger(PrimitiveType type) { return BitWidth(type) < 8 && IsInteger(type); }
int64_t PackedBytes(PrimitiveType type, int64_t count) {
  const int64_t per_byte = 8 / BitWidth(type);
  return count / per_byte + (count % per_byte != 0);
}

template <class T, class Source>
Status CopyElements(const Source& source, Literal& literal, const std::vector<int64_t>& order) {
  if (static_cast<int64_t>(source.size()) != literal.element_count()) {
    return InvalidArgument("literal: " + std::to_string(source.size()) + " elements for a shape of " +
                           std::to_string(literal.element_count()));
  }
  std::span<T> data = literal.data<T>();
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(source[order.empty() ? i : order[i]]);
  return OkStatus();
}

template <class C, class T>
Status CopyComplex(const std::vector<T>& source, Literal& literal, const std::vector<int64_t>& order) {
  std::vector<C> pairs(source.size() / 2);
  for (size_t i = 0; i < pairs.size(); ++i) pairs[i] = C(source[2 * i], source[2 * i + 1]);
  return CopyElements<C>(pairs, literal, order);
}

template <class T, class Target>
void WriteElements(const Literal& literal, Target& target, const std::vector<int64_t>& order) {
  std::span<const T> data = literal.data<T>();
  target.resize(data.size());
  for (size_t i = 0; i < data.size(); ++i) target[order.empty() ? i : order[i]] = data[i];
}

}  // namespace

std::vector<int64_t> LayoutOrder(const Shape& shape) {
  std::vector<int64_t> order;
  if (!shape.has_layout() || shape.layout().IsMajorToMinor()) return order;
  const int64_t rank = shape.rank();
  DimVector strides(static_cast<size_t>(rank), 0);
  int64_t stride = 1;
  for (int64_t dim : shape.layout().minor_to_major()) {
    strides[dim] = stride;
    stride *= shape.dimensions(dim);
  }
  order.resize(static_cast<size_t>(shape.ElementCount()));
  DimVector index(static_cast<size_t>(rank), 0);
  int64_t at = 0;
  for (int64_t& place : order) {
    place = at;
    for (int64_t d = rank; d-- > 0;) {
      at += strides[d];
      if (++index[d] < shape.dimensions(d)) break;
      at -= strides[d] * shape.dimensions(d);
      index[d] = 0;
    }
  }
  return order;
}

StatusOr<Literal> FromProto(const proto::Literal& m) {
  if (!m.shape.has_value()) return InvalidArgument("literal: no shape");
  HLOIR_ASSIGN_OR_RETURN(Shape shape, FromProto(*m.shape));
  if (shape.IsTuple()) {
    if (shape.tuple_size() != static_cast<int64_t>(m.tuple_literals.size())) {
      return InvalidArgument("literal: the tuple's elements do not fit its shape");
    }
    std::vector<Literal> elements;
    for (const proto::Literal& element : m.tuple_literals) {
      HLOIR_ASSIGN_OR_RETURN(Literal converted, FromProto(element));
      elements.push_back(std::move(converted));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.IsArray()) return Literal(shape);
  if (shape.ByteSize() > kMaxProtoLiteralBytes) return ResourceExhausted("literal: too large");
  const PrimitiveType type = shape.element_type();
  const int64_t count = shape.ElementCount();
  const proto::Bytes* bytes = BytesField(const_cast<proto::Literal&>(m), type);
  // The number of bytes is checked before memory for the shape is allocated.
  size_t held = 0;
  switch (type) {
    case PrimitiveType::PRED: held = m.preds.size(); break;
    case PrimitiveType::S32: held = m.s32s.size(); break;
    case PrimitiveType::S64: held = m.s64s.size(); break;
    case PrimitiveType::U32: held = m.u32s.size(); break;
    case PrimitiveType::U64: held = m.u64s.size(); break;
    case PrimitiveType::F32: held = m.f32s.size(); break;
    case PrimitiveType::F64: held = m.f64s.size(); break;
    case PrimitiveType::C64: held = m.c64s.size() / 2; break;
    case PrimitiveType::C128: held = m.c128s.size() / 2; break;
    default:
      held = bytes->value.size() / static_cast<size_t>(StorageBytes(type));
      if (IsSubByteInteger(type) && held == static_cast<size_t>(PackedBytes(type, count)))
        held = static_cast<size_t>(count);
  }
  if (held != static_cast<size_t>(count)) {
    return InvalidArgument("literal: " + std::to_string(held) + " elements for " + shape.ToString());
  }
  Literal literal(shape);
  const std::vector<int64_t> order = LayoutOrder(shape);
  switch (type) {
    case PrimitiveType::PRED: HLOIR_RETURN_IF_ERROR(CopyElements<bool>(m.preds, literal, order)); break;
    case PrimitiveType::S32: HLOIR_RETURN_IF_ERROR(CopyElements<int32_t>(m.s32s, literal, order)); break;
    case PrimitiveType::S64: HLOIR_RETURN_IF_ERROR(CopyElements<int64_t>(m.s64s, literal, order)); break;
    case PrimitiveType::U32: HLOIR_RETURN_IF_ERROR(CopyElements<uint32_t>(m.u32s, literal, order)); break;
    case PrimitiveType::U64: HLOIR_RETURN_IF_ERROR(CopyElements<uint64_t>(m.u64s, literal, order)); break;
    case PrimitiveType::F32: HLOIR_RETURN_IF_ERROR(CopyElements<float>(m.f32s, literal, order)); break;
    case PrimitiveType::F64: HLOIR_RETURN_IF_ERROR(CopyElements<double>(m.f64s, literal, order)); break;
    case PrimitiveType::C64: HLOIR_RETURN_IF_ERROR(CopyComplex<std::complex<float>>(m.c64s, literal, order)); break;
    case PrimitiveType::C128: HLOIR_RETURN_IF_ERROR(CopyComplex<std::complex<double>>(m.c128s, literal, order)); break;
    default: {
      const auto* raw = reinterpret_cast<const uint8_t*>(bytes->value.data());
      if (IsSubByteInteger(type)) {
        const bool packed = bytes->value.size() != static_cast<size_t>(count);
        const int bits = BitWidth(type), per_byte = packed ? 8 / bits : 1;
        for (int64_t i = 0; i < count; ++i) {
          int64_t from = order.empty() ? i : order[i];
          int64_t value = raw[from / per_byte] >> (from % per_byte * bits) & ((1 << bits) - 1);
          if (IsSigned(type) && value >> (bits - 1)) value -= int64_t{1} << bits;
          literal.SetFromInt64(i, value);
        }
      } else {
        const size_t size = static_cast<size_t>(StorageBytes(type));
        for (int64_t i = 0; i < count; ++i) {
          CopyLittleEndian(literal.untyped_data() + static_cast<size_t>(i) * size,
                           raw + static_cast<size_t>(order.empty() ? i : order[i]) * size, size, size);
        }
      }
    }
  }
  return literal;
}

proto::Literal ToProto(const Literal& literal, std::deque<std::string>& storage) {
  proto::Literal m;
  const Shape& shape = literal.shape();
  m.shape = ToProto(shape);
  for (const Literal& element : literal.elements()) m.tuple_literals.push_back(ToProto(element, storage));
  if (!shape.IsArray()) return m;
  const PrimitiveType type = shape.element_type();
  const std::vector<int64_t> order = LayoutOrder(shape);
  switch (type) {
    case PrimitiveType::PRED: WriteElements<bool>(literal, m.preds, order); return m;
    case PrimitiveType::S32: WriteElements<int32_t>(literal, m.s32s, order); return m;
    case PrimitiveType::S64: WriteElements<int64_t>(literal, m.s64s, order); return m;
    case PrimitiveType::U32: WriteElements<uint32_t>(literal, m.u32s, order); return m;
    case PrimitiveType::U64: WriteElements<uint64_t>(literal, m.u64s, order); return m;
    case PrimitiveType::F32: WriteElements<float>(literal, m.f32s, order); return m;
    case PrimitiveType::F64: WriteElements<double>(literal, m.f64s, order); return m;
    default: break;
  }
  if (IsComplex(type)) {
    const size_t count = static_cast<size_t>(literal.element_count());
    m.c64s.resize(type == PrimitiveType::C64 ? 2 * count : 0);
    m.c128s.resize(type == PrimitiveType::C128 ? 2 * count : 0);
    for (size_t i = 0; i < count; ++i) {
      const size_t to = 2 * (order.empty() ? i : static_cast<size_t>(order[i]));
      if (type == PrimitiveType::C64) {
        m.c64s[to] = literal.data<std::complex<float>>()[i].real();
        m.c64s[to + 1] = literal.data<std::complex<float>>()[i].imag();
      } else {
        m.c128s[to] = literal.data<std::complex<double>>()[i].real();
        m.c128s[to + 1] = literal.data<std::complex<double>>()[i].imag();
      }
    }
    return m;
  }
  std::string& bytes = storage.emplace_back();
  if (IsSubByteInteger(type)) {
    bytes.assign(static_cast<size_t>(literal.element_count()), '\0');
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      bytes[static_cast<size_t>(order.empty() ? i : order[i])] =
          static_cast<char>(literal.GetAsInt64(i) & ((1 << BitWidth(type)) - 1));
    }
  } else {
    const size_t size = static_cast<size_t>(StorageBytes(type));
    bytes.assign(static_cast<size_t>(literal.size_bytes()), '\0');
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      CopyLittleEndian(bytes.data() + static_cast<size_t>(order.empty() ? i : order[i]) * size,
                       literal.untyped_data() + static_cast<size_t>(i) * size, size, size);
    }
  }
  BytesField(m, type)->value = bytes;
  return m;
}

StatusOr<Literal> ParseLiteralProto(std::string_view bytes) {
  try {
    return FromProto(proto::Decode<proto::Literal>(bytes));
  } catch (const std::exception& error) {
    return InvalidArgument(std::string("literal: ") + error.what());
  }
}

std::string SerializeLiteralProto(const Literal& literal) {
  std::deque<std::string> storage;
  proto::Literal message = ToProto(literal, storage);
  return proto::Encode(message);
}

}  // namespace hloir
