// The text of literals, on one line: {1, 2}, { { 1 }, { 2 } }, (1, nan). Entry points: Literal::ToString,
// AppendLiteral. Floats have the smaller of XLA's two precisions that reads back to the same bits. Covered by
// tests/unit/printer_test.cc.
#include <bit>
#include <cmath>

#include "values.h"
#include "support/number.h"

namespace hloir {
namespace {

// The number of digits with which any value of a type with `mantissa_bits` (without the implicit bit) reads back.
constexpr int MaxDigits(int mantissa_bits) { return (mantissa_bits + 1) * 30103 / 100000 + 2; }

// nan, or nan(0x…) if the mantissa is not only the quiet bit. Types without infinity have one NaN.
void AppendNan(TextBuffer& out, bool negative, uint64_t mantissa, int mantissa_bits, bool has_payload) {
  out.Append(negative ? "-nan" : "nan");
  if (!has_payload || mantissa == uint64_t{1} << (mantissa_bits - 1)) return;
  char digits[16];
  char* end = std::to_chars(digits, digits + sizeof(digits), mantissa, 16).ptr;
  out.Append("(0x");
  out.Append(std::string_view(digits, static_cast<size_t>(end - digits)));
  out.Append(')');
}

// f32 and f64: %.6g or %.15g if that reads back equal, otherwise three or two more digits.
template <class T>
void AppendWideFloat(TextBuffer& out, T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
  constexpr int kFewDigits = std::numeric_limits<T>::digits10, kAllDigits = std::numeric_limits<T>::max_digits10;
  if (std::isnan(value)) {
    const Bits bits = std::bit_cast<Bits>(value);
    AppendNan(out, bits >> (sizeof(T) * 8 - 1), bits & ((Bits{1} << kMantissaBits) - 1), kMantissaBits, true);
    return;
  }
  if (std::isinf(value)) {
    out.Append(value < 0 ? "-inf" : "inf");
    return;
  }
  // The fast path for small whole numbers, which most constants are.
  if (const int32_t whole = std::fabs(value) < 1e6 ? static_cast<int32_t>(value) : 0; whole != 0 && whole == value) {
    out.AppendInt(whole);
    return;
  }
  char text[32];
  char* end = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, kFewDigits).ptr;
  T again;
  if (auto read = ReadNumber(text, end, again); read.ec != std::errc() || again != value) {
    end = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, kAllDigits).ptr;
  }
  out.Append(std::string_view(text, static_cast<size_t>(end - text)));
}

template <PrimitiveType P>
void AppendSmallFloat(TextBuffer& out, SmallFloat<P> value) {
  constexpr FloatFormat kFormat = GetFloatFormat(P);
  const float wide = static_cast<float>(value);
  if (std::isnan(wide)) {
    const bool negative = kFormat.has_sign && (value.bits >> (kFormat.exponent_bits + kFormat.mantissa_bits) & 1);
    AppendNan(out, negative, value.bits & ((1u << kFormat.mantissa_bits) - 1), kFormat.mantissa_bits,
              kFormat.has_infinity);
  } else if (std::isinf(wide)) {
    out.Append(wide < 0 ? "-inf" : "inf");
  } else {
    out.AppendGeneral(wide, MaxDigits(kFormat.mantissa_bits));
  }
}

// XLA prints -0 and reads that as the integer 0; -0.0 reads back as -0.
template <class T>
bool AppendNegativeZero(TextBuffer& out, T value, bool reads_back) {
  if (!reads_back || !(value == T(0)) || !std::signbit(value)) return false;
  out.Append("-0.0");
  return true;
}

template <class T>
void AppendElement(TextBuffer& out, T value, bool reads_back) {
  if constexpr (!std::is_integral_v<T>) {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    if (AppendNegativeZero(out, static_cast<Wide>(value), reads_back)) return;
  }
  if constexpr (std::is_same_v<T, bool>) out.Append(value ? "true" : "false");
  else if constexpr (std::is_same_v<T, uint64_t>) out.AppendUnsigned(value);
  else if constexpr (std::is_integral_v<T>) out.AppendInt(value);
  else if constexpr (std::is_floating_point_v<T>) AppendWideFloat(out, value);
  else AppendSmallFloat(out, value);
}

template <class T>
void AppendElement(TextBuffer& out, std::complex<T> value, bool reads_back) {
  out.Append('(');
  AppendElement(out, value.real(), reads_back);
  out.Append(", ");
  AppendElement(out, value.imag(), reads_back);
  out.Append(')');
}

// Writes `size` elements from `offset` on, with commas between them.
using RowWriter = void (*)(TextBuffer&, const Literal&, int64_t offset, int64_t size, bool reads_back);
template <class T>
void WriteRow(TextBuffer& out, const Literal& literal, int64_t offset, int64_t size, bool reads_back) {
  const std::span<const T> data = literal.data<T>();
  for (int64_t i = offset; i < offset + size; ++i) {
    if (i > offset) out.Append(", ");
    AppendElement(out, data[i], reads_back);
    out.MaySend();
  }
}

// A pred is a word as a scalar, a digit in an array.
void WriteBits(TextBuffer& out, const Literal& literal, int64_t offset, int64_t size, bool) {
  const std::span<const bool> data = literal.data<bool>();
  for (int64_t i = offset; i < offset + size; ++i) {
    if (i > offset) out.Append(", ");
    out.Append(data[i] ? '1' : '0');
    out.MaySend();
  }
}

// Writes the array of one literal: nested braces, above rank 3 an opening brace has a comment with its index.
class ArrayWriter {
 public:
  ArrayWriter(TextBuffer& out, const Literal& literal, RowWriter write_row, bool reads_back)
      : out_(out),
        literal_(literal),
        write_row_(write_row),
        reads_back_(reads_back),
        bounds_(literal.shape().dimensions()),
        sizes_(bounds_) {
    if (literal.dynamic_sizes().size() == sizes_.size()) sizes_ = literal.dynamic_sizes();
  }

  void Write() {
    if (sizes_.empty()) return write_row_(out_, literal_, 0, 1, reads_back_);
    WriteLevel(0, 0, -1);
  }

 private:
  // The elements below `level`, of which the first is at `offset`; `index` is this level's index in the enclosing one.
  void WriteLevel(size_t level, int64_t offset, int64_t index) {
    const size_t rank = sizes_.size();
    const int64_t size = sizes_[level];
    out_.Append('{');
    if (level + 1 == rank) {
      const bool spaced = rank > 1 && size > 1;
      if (spaced) out_.Append(' ');
      write_row_(out_, literal_, offset, size, reads_back_);
      if (spaced) out_.Append(' ');
    } else {
      const bool commented = rank > 3 && level > 0;
      if (commented) {
        out_.Append(" /*i");
        out_.AppendInt(static_cast<int64_t>(level) - 1);
        out_.Append('=');
        out_.AppendInt(index);
        out_.Append("*/");
      }
      if (!commented || size > 0) out_.Append(' ');
      for (int64_t i = 0; i < size; ++i) {
        if (i > 0) out_.Append(", ");
        WriteLevel(level + 1, (offset + i) * bounds_[level + 1], i);
      }
      out_.Append(' ');
    }
    out_.Append('}');
  }

  TextBuffer& out_;
  const Literal& literal_;
  const RowWriter write_row_;
  const bool reads_back_;
  const DimVector& bounds_;
  DimVector sizes_;
};

// An array without elements has the braces of the dimensions before its first size of 0, up to a limit.
bool HasTooManyEmptyBraces(const Shape& shape) {
  constexpr int64_t kMaxEmptyBraces = 1 << 16;
  int64_t braces = 1;
  for (int64_t size : shape.dimensions()) {
    if (size == 0) return false;
    if (__builtin_mul_overflow(braces, size, &braces) || braces > kMaxEmptyBraces) return true;
  }
  return false;
}

void AppendArray(TextBuffer& out, const Literal& literal, bool reads_back) {
  if (literal.element_count() == 0 && HasTooManyEmptyBraces(literal.shape())) {
    out.Append("{}");
    return;
  }
  const bool is_scalar = literal.shape().rank() == 0;
  const RowWriter write_row = PrimitiveTypeSwitch(literal.shape().element_type(), [&](auto tag) -> RowWriter {
    using T = typename decltype(tag)::Storage;
    return std::is_same_v<T, bool> && !is_scalar ? WriteBits : WriteRow<T>;
  });
  ArrayWriter(out, literal, write_row, reads_back).Write();
}

// The parser limits the nesting of shapes and so the recursion.
void Append(TextBuffer& out, const Literal& literal, bool with_shape, bool reads_back) {
  if (literal.shape().IsTuple()) {
    out.Append("( ");
    AppendJoined(out, literal.elements(), ", ",
                 [&](const Literal& element) { Append(out, element, with_shape, reads_back); });
    out.Append(" )");
    return;
  }
  if (with_shape) {
    AppendShape(out, literal.shape(), true);
    if (!literal.dynamic_sizes().empty()) {
      out.Append('(');
      out.AppendInts(literal.dynamic_sizes());
      out.Append(')');
    }
    out.Append(' ');
  }
  if (literal.shape().IsArray()) AppendArray(out, literal, reads_back);
}

}  // namespace

void AppendLiteral(TextBuffer& out, const Literal& literal, bool reads_back) {
  Append(out, literal, false, reads_back);
}
void AppendLiteralWithShape(TextBuffer& out, const Literal& literal) { Append(out, literal, true, false); }

std::string Literal::ToString() const {
  TextBuffer out;
  AppendLiteral(out, *this, /*reads_back=*/false);
  return out.Take();
}

}  // namespace hloir
