// Printer: types, names, attributes and constants. See print.h.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "print.h"
#include "support/endian.h"
#include "support/format.h"

namespace hloir::stablehlo {
namespace {

// "i32" for s32, "ui8" for u8, "f8E4M3FN" for f8e4m3fn; "" for types that StableHLO lacks.
std::string ElementTypeText(PrimitiveType type) {
  std::string name(PrimitiveTypeName(type));
  if (type == PrimitiveType::PRED) return "i1";
  if (IsComplex(type)) return Format("complex<{}>", ElementTypeText(ComplexComponentType(type)));
  if (IsInteger(type)) {
    if (BitWidth(type) < 2) return "";
    return (IsSigned(type) ? "i" : "ui") + name.substr(1);
  }
  if (!IsFloat(type)) return "";
  if (BitWidth(type) < 16)
    std::transform(name.begin() + 1, name.end(), name.begin() + 1,
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return name;
}

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

template <class T>
void AppendFloat(std::string& text, T value) {
  char digits[64];
  std::string_view number(digits,
                          static_cast<size_t>(std::to_chars(digits, digits + sizeof(digits), value).ptr - digits));
  const size_t exponent = std::min(number.find('e'), number.size());
  text += number.substr(0, exponent);
  if (number.find('.') == std::string_view::npos) text += ".0";  // MLIR's floats have a point
  text += number.substr(exponent);
}

// The bits of an element: 0x7FC00000.
void AppendBits(std::string& text, const std::byte* element, int bytes) {
  uint64_t bits = 0;
  for (int i = 0; i < bytes; ++i) {
    const int at = kBigEndian ? i : bytes - 1 - i;
    bits = bits << 8 | static_cast<uint64_t>(element[at]);
  }
  text += "0x";
  for (int nibble = 2 * bytes; nibble-- > 0;) text += kHexDigits[bits >> (4 * nibble) & 15];
}

void AppendElement(std::string& text, const Literal& literal, int64_t i) {
  const PrimitiveType type = literal.shape().element_type();
  if (type == PrimitiveType::PRED) return void(text += literal.GetAsInt64(i) != 0 ? "true" : "false");
  if (IsUnsigned(type)) return void(text += Format("{}", static_cast<uint64_t>(literal.GetAsInt64(i))));
  if (IsSigned(type)) return void(text += Format("{}", literal.GetAsInt64(i)));
  const bool is_complex = IsComplex(type);
  const PrimitiveType part = is_complex ? ComplexComponentType(type) : type;
  const int bytes = StorageBytes(part);
  const std::byte* at = literal.untyped_data() + i * StorageBytes(type);
  if (is_complex) text += '(';
  for (int k = 0; k < (is_complex ? 2 : 1); ++k, at += bytes) {
    if (k == 1) text += ", ";
    const std::complex<double> both = is_complex ? literal.GetAsComplex(i) : literal.GetAsDouble(i);
    const double value = k == 0 ? both.real() : both.imag();
    if (!std::isfinite(value)) AppendBits(text, at, bytes);
    else if (part == PrimitiveType::F32) AppendFloat(text, static_cast<float>(value));
    else AppendFloat(text, value);
  }
  if (is_complex) text += ')';
}

// Lists of lists, without recursion: brackets open and close where an index of a dimension begins and ends.
void AppendLists(std::string& text, const Literal& literal) {
  const DimVector& dimensions = literal.shape().dimensions();
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    if (i > 0) text += ", ";
    int64_t size = 1;
    size_t opened = 0;
    for (size_t d = dimensions.size(); d-- > 0; ++opened) {
      size *= dimensions[d];
      if (i % size != 0) break;
    }
    text.append(opened, '[');
    AppendElement(text, literal, i);
    size = 1;
    for (size_t d = dimensions.size(); d-- > 0;) {
      size *= dimensions[d];
      if ((i + 1) % size != 0) break;
      text += ']';
    }
  }
}

bool BeginsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool ContinuesName(char c) { return BeginsName(c) || (c >= '0' && c <= '9') || c == '$' || c == '.'; }

}  // namespace

std::string TypeText(const Shape& shape) {
  if (shape.IsToken()) return "!stablehlo.token";
  if (shape.IsTuple()) {
    std::string text = "tuple<";
    for (const Shape& element : shape.tuple_shapes()) {
      const std::string type = TypeText(element);
      if (type.empty()) return "";
      if (text.back() != '<') text += ", ";
      text += type;
    }
    return text + ">";
  }
  const std::string element = shape.IsArray() ? ElementTypeText(shape.element_type()) : "";
  if (element.empty()) return "";
  std::string text = "tensor<", bounds;
  bool has_bounds = false;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool is_bounded = shape.is_dynamic_dimension(d) && !shape.is_unbounded_dimension(d);
    text += shape.is_dynamic_dimension(d) ? "?" : Format("{}", shape.dimensions(d));
    text += 'x';
    if (d > 0) bounds += ", ";
    bounds += is_bounded ? Format("{}", shape.dimensions(d)) : "?";
    has_bounds |= is_bounded;
  }
  text += element;
  if (has_bounds) text += Format(", #stablehlo.bounds<{}>", bounds);
  return text + ">";
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\', quoted += c;
    else if (byte >= ' ' && byte != 0x7F) quoted += c;
    else quoted += '\\', quoted += kHexDigits[byte >> 4], quoted += kHexDigits[byte & 15];
  }
  return quoted + '"';
}

std::string NameText(std::string_view name) {
  const bool is_bare = !name.empty() && BeginsName(name[0]) && std::all_of(name.begin(), name.end(), &ContinuesName);
  return is_bare ? std::string(name) : Quoted(name);
}

std::string DenseText(const Literal& literal) {
  constexpr int64_t kMostListed = 100;  // as MLIR's printer
  const PrimitiveType type = literal.shape().element_type();
  const int64_t count = literal.element_count();
  if (count == 0) return "dense<>";
  std::string text = "dense<";
  if (count > 1 && literal.IsAllSame()) {
    AppendElement(text, literal, 0);
  } else if (count > kMostListed && BitWidth(type) >= 8) {
    const int width = StorageBytes(IsComplex(type) ? ComplexComponentType(type) : type);
    std::string bytes(static_cast<size_t>(count * StorageBytes(type)), '\0');
    CopyLittleEndian(bytes.data(), literal.untyped_data(), bytes.size(), static_cast<size_t>(width));
    text.reserve(2 * bytes.size() + 16);
    text += "\"0x";
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      text += kHexDigits[byte >> 4], text += kHexDigits[byte & 15];
    }
    text += '"';
  } else {
    AppendLists(text, literal);
  }
  return text + '>';
}

std::string FrontendText(const FrontendAttributes& attributes) {
  Entries entries;
  for (const auto& [key, value] : attributes) entries.Add(NameText(key), Quoted(value));
  return '{' + entries.text() + '}';
}

void Entries::AddUnit(std::string_view key) { text_ += Format("{}{}", text_.empty() ? "" : ", ", key); }

void Entries::Add(std::string_view key, std::string_view value) {
  AddUnit(key);
  text_ += Format(" = {}", value);
}

void Entries::AddInt(std::string_view key, int64_t value, std::string_view type) {
  Add(key, Format("{} : {}", value, type));
}

void Entries::AddInts(std::string_view key, std::span<const int64_t> values) {
  std::string text = "array<i64";
  for (size_t i = 0; i < values.size(); ++i) text += Format("{}{}", i == 0 ? ": " : ", ", values[i]);
  Add(key, text + '>');
}

void Entries::AddList(std::string_view key, std::span<const int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) text += Format("{}{}", i == 0 ? "" : ", ", values[i]);
  Add(key, text + ']');
}

void Entries::AddRows(std::string_view key, const std::vector<std::vector<int64_t>>& rows, int64_t width) {
  std::string text;
  for (const auto& row : rows) {
    text += text.empty() ? "[" : ", [";
    for (size_t i = 0; i < row.size(); ++i) text += Format("{}{}", i == 0 ? "" : ", ", row[i]);
    text += ']';
  }
  if (!rows.empty()) text = '[' + text + ']';
  Add(key, Format("dense<{}> : tensor<{}x{}xi64>", text, rows.size(), width));
}

void Entries::AddWord(std::string_view key, std::string_view enumeration, std::string_view word) {
  Add(key, Format("#stablehlo<{} {}>", enumeration, word));
}

}  // namespace hloir::stablehlo
