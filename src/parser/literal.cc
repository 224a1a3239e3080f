// Literals: `{ {1, 2}, {3, 4} }` of all element types, `{...}`, tuples. Elements are read directly into the literal's
// storage; memory is allocated only for as many elements as the text can contain.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "module_reader.h"

#include "support/format.h"
#include "support/number.h"

namespace hloir {
namespace {

// The default mantissa bits of the type's NaN, which text may omit, or 0 if NaN has one encoding.
uint64_t DefaultNanPayload(PrimitiveType type) {
  const FloatFormat format = GetFloatFormat(type);
  return format.has_infinity && format.has_nan ? uint64_t{1} << (format.mantissa_bits - 1) : 0;
}

template <class Element>
Element NanWithPayload(PrimitiveType type, uint64_t payload, bool negative) {
  const FloatFormat format = GetFloatFormat(type);
  uint64_t exponent = ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  uint64_t sign = static_cast<uint64_t>(negative) << (format.exponent_bits + format.mantissa_bits);
  uint64_t bits = sign | exponent | payload;
  if constexpr (std::is_same_v<Element, float>) return __builtin_bit_cast(float, static_cast<uint32_t>(bits));
  else if constexpr (std::is_same_v<Element, double>) return __builtin_bit_cast(double, bits);
  else return Element::FromBits(static_cast<typename Element::Bits>(bits));
}

template <class T>
inline constexpr bool kIsComplexElement = false;
template <class T>
inline constexpr bool kIsComplexElement<std::complex<T>> = true;

}  // namespace

// A real number in text: decimal, inf, nan, nan(0x…), with or without a minus.
bool FragmentReader::ParseReal(PrimitiveType type, double& value, uint64_t& nan_payload, bool& has_payload,
                               bool& negative_nan) {
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  has_payload = false;
  const char* p = place + (*place == '-' ? 1 : 0);
  if (IsDigit(*p) || (*p == '.' && p != place)) {
    std::from_chars_result result = ReadNumber(place, lexer_.end(), value);
    if (result.ec == std::errc::result_out_of_range) {
      value = std::strtod(std::string(place, result.ptr).c_str(), nullptr);  // 0 or a denormal for an underflow
    } else if (result.ec != std::errc()) {
      return FailExpected("a number");
    }
    if (std::isinf(value)) return Fail(place, "the number does not fit into a double (+/-1.79769e+308)");
    constexpr double kOver64Bits = 18446744073709551616.0;
    if (std::abs(value) >= kOver64Bits && std::all_of(p, result.ptr, IsDigit)) {
      return Fail(place, "an integer is of 64 bits; larger numbers need a point or an exponent");
    }
    lexer_.set_at(result.ptr);
    return true;
  }
  const bool negative = p != place;
  if (std::string_view word(p, 3); static_cast<size_t>(lexer_.end() - p) >= 3 && (word == "inf" || word == "nan") &&
                                   !lexer_internal::Is(p[3], lexer_internal::kWordPart)) {
    lexer_.set_at(p + 3);
    if (word == "inf") {
      if (!GetFloatFormat(type).has_infinity) {
        return Fail(place, Format("{} has no infinity", PrimitiveTypeName(type)));
      }
      value = negative ? -HUGE_VAL : HUGE_VAL;
      return true;
    }
    if (!GetFloatFormat(type).has_nan) return Fail(place, Format("{} has no NaN", PrimitiveTypeName(type)));
    value = std::numeric_limits<double>::quiet_NaN();
    negative_nan = negative;
    nan_payload = DefaultNanPayload(type);
    has_payload = true;
    if (*lexer_.at() != '(') return true;
    const char* digits = lexer_.at() + 3;
    if (lexer_.at()[1] != '0' || lexer_.at()[2] != 'x')
      return Fail(lexer_.at(), "expected a NaN's payload, as in nan(0x1)");
    std::from_chars_result result = std::from_chars(digits, lexer_.end(), nan_payload, 16);
    if (result.ec != std::errc() || *result.ptr != ')') {
      return Fail(lexer_.at(), "expected a NaN's payload, as in nan(0x1)");
    }
    if (DefaultNanPayload(type) == 0) {
      return Fail(place, Format("{} has no NaN with a payload", PrimitiveTypeName(type)));
    }
    if (nan_payload == 0 || nan_payload >> GetFloatFormat(type).mantissa_bits != 0) {
      return Fail(place, Format("NaN payload 0x{:x} does not fit into the mantissa of {}, or is zero", nan_payload,
                                PrimitiveTypeName(type)));
    }
    lexer_.set_at(result.ptr + 1);
    return true;
  }
  return FailExpected(Format("a number of type {}", PrimitiveTypeName(type)));
}

bool FragmentReader::ParseIntElement(PrimitiveType type, int64_t& value) {
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (!lexer_.ReadInt(value) || lexer_internal::Is(*lexer_.at(), lexer_internal::kNumberPart)) {
    lexer_.set_at(place);
    return FailExpected(Format("an integer of type {}", PrimitiveTypeName(type)));
  }
  const int bits = type == PrimitiveType::PRED ? 64 : BitWidth(type);  // any number but 0 is true
  bool fits = true;
  if (IsSigned(type)) {
    // A negative value without a minus was above 2^63 in the text.
    fits = (value < 0) == (*place == '-') || value == 0;
    if (bits < 64) fits = fits && value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1);
  } else {
    // Compared as unsigned, so that u64 takes -1 for its largest value, as XLA does.
    fits = bits == 64 || static_cast<uint64_t>(value) >> bits == 0;
  }
  if (!fits) {
    return Fail(place, Format("{} does not fit into {}", std::string_view(place, lexer_.at() - place),
                              PrimitiveTypeName(type)));
  }
  return true;
}

template <class Element>
bool FragmentReader::ParseElement(PrimitiveType type, Element& element) {
  if constexpr (std::is_same_v<Element, bool>) {
    if (lexer_.AcceptWord("true")) return element = true;
    if (lexer_.AcceptWord("false")) return element = false, true;
    int64_t value = 0;
    if (!ParseIntElement(type, value)) return false;
    element = value != 0;
    return true;
  } else if constexpr (std::is_integral_v<Element>) {
    if (lexer_.AcceptWord("true")) return element = 1, true;
    if (lexer_.AcceptWord("false")) return element = 0, true;
    int64_t value = 0;
    if (!ParseIntElement(type, value)) return false;
    element = static_cast<Element>(value);
    return true;
  } else if constexpr (kIsComplexElement<Element>) {
    using Part = typename Element::value_type;
    Part real = 0, imaginary = 0;
    const PrimitiveType part_type = ComplexComponentType(type);
    if (!Expect('(') || !ParseElement<Part>(part_type, real) || !Expect(',') ||
        !ParseElement<Part>(part_type, imaginary) || !Expect(')'))
      return false;
    // As in XLA: a NaN real part applies to both parts, and the payload of c64's imaginary part comes from a double.
    if (std::isnan(real)) imaginary = real;
    else if (std::isnan(imaginary) && sizeof(Part) < 8)
      imaginary = std::copysign(std::numeric_limits<Part>::quiet_NaN(), imaginary);
    element = Element(real, imaginary);
    return true;
  } else {
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    double value = 0;
    uint64_t payload = 0;
    bool has_payload = false, negative_nan = false;
    if (!ParseReal(type, value, payload, has_payload, negative_nan)) return false;
    if (has_payload && payload != 0) {
      element = NanWithPayload<Element>(type, payload, negative_nan);
      return true;
    }
    if (has_payload && negative_nan) value = -value;
    element = static_cast<Element>(value);
    // The number was too large if it rounds to infinity, or to NaN in types without infinity.
    if (std::isfinite(value) && !std::isfinite(static_cast<double>(element))) {
      return Fail(place, Format("{} is out of range for {}", std::string_view(place, lexer_.at() - place),
                                PrimitiveTypeName(type)));
    }
    return true;
  }
}

bool FragmentReader::FailTooMany(size_t dimension, int64_t size) {
  return Fail(lexer_.at(), Format("dimension {} has {} elements, but the text has more", dimension, size));
}

// The array's first element, from a number without braces.
template <class Element>
bool FragmentReader::ParseFirst(Literal& literal) {
  Element value{};
  const char* at = lexer_.at();
  if (!ParseElement<Element>(literal.shape().element_type(), value)) return false;
  if (literal.element_count() == 0) return Fail(at, "an array without elements is {}");
  literal.data<Element>()[0] = value;
  return true;
}

// Elements up to the next brace: of the row that begins at `row`, after the first `count`.
template <class Element>
bool FragmentReader::ParseRow(Literal& literal, int64_t row, int64_t size, int64_t& count) {
  const PrimitiveType type = literal.shape().element_type();
  std::span<Element> data = literal.data<Element>();
  while (true) {
    lexer_.SkipBlank();
    const char c = *lexer_.at();
    if (c == '{' || c == '}') return true;
    if (c == ',') {
      lexer_.set_at(lexer_.at() + 1);
      continue;
    }
    if (count >= size) return FailTooMany(literal.shape().dimensions().size() - 1, size);
    if (!ParseElement<Element>(type, data[static_cast<size_t>(row + count)])) return false;
    ++count;
  }
}

// The elements of an array of rank 1 or more, from the outermost brace on. Commas may be left out.
bool FragmentReader::ParseElements(Literal& literal, RowReader parse_row) {
  const DimVector& bounds = literal.shape().dimensions();
  const DimVector& sizes = literal.dynamic_sizes().empty() ? bounds : literal.dynamic_sizes();
  const size_t rank = sizes.size();
  bool is_empty = false;
  for (int64_t size : sizes) is_empty = is_empty || size == 0;
  DimVector index(rank, 0);  // the number of elements, or braces, in each open level
  size_t level = 0;
  int64_t row = 0;  // the linear index of the innermost row's first element
  do {
    lexer_.SkipBlank();
    const char c = *lexer_.at();
    if (c == ',') {
      lexer_.set_at(lexer_.at() + 1);
    } else if (c == '{') {
      if (level == rank)
        return Fail(lexer_.at(), Format("braces are nested more than {} deep, the array's rank", rank));
      if (level > 0 && index[level - 1] >= sizes[level - 1]) return FailTooMany(level - 1, sizes[level - 1]);
      lexer_.set_at(lexer_.at() + 1);
      index[level++] = 0;
      if (level == rank) {
        row = 0;
        for (size_t i = 0; i + 1 < rank; ++i) row = (row + index[i]) * bounds[i + 1];
      }
    } else if (c == '}') {
      if (index[level - 1] != sizes[level - 1] && !is_empty) {
        return Fail(lexer_.at(), Format("dimension {} has {} elements, but the text has only {}", level - 1,
                                        sizes[level - 1], index[level - 1]));
      }
      lexer_.set_at(lexer_.at() + 1);
      if (--level > 0) ++index[level - 1];
    } else {
      if (level != rank) {
        return Fail(lexer_.at(), Format("an array of rank {} needs that many nested braces, found {}", rank, level));
      }
      if (!(this->*parse_row)(literal, row, sizes[rank - 1], index[rank - 1])) return false;
    }
  } while (level > 0);
  return true;
}

bool FragmentReader::CheckLiteralSize(const Shape& shape, const char* place) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (shape.is_unbounded_dimension(i)) return Fail(place, "a constant cannot have an unbounded dimension");
  }
  if (shape.ByteSize() > options().max_literal_bytes) {
    return FailLimit(place, Format("a constant of shape {} is over the limit of {} bytes", shape.ToString(false),
                                   options().max_literal_bytes));
  }
  return true;
}

bool FragmentReader::ParseArrayLiteral(const Shape& shape, Literal& literal) {
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (!CheckLiteralSize(shape, place)) return false;
  const auto [parse_first, parse_row] = PrimitiveTypeSwitch(shape.element_type(), [](auto tag) {
    using Element = typename decltype(tag)::Storage;
    return std::pair<FirstReader, RowReader>(&FragmentReader::ParseFirst<Element>, &FragmentReader::ParseRow<Element>);
  });
  if (shape.rank() == 0) {
    literal = Literal(shape);
    return (this->*parse_first)(literal);
  }
  DimVector dynamic_sizes;
  if (*place == '(' && !shape.IsStatic()) {
    lexer_.Accept('(');
    do {
      int64_t size = 0;
      if (!lexer_.ReadInt(size)) return FailExpected("a dimension's actual size");
      dynamic_sizes.push_back(size);
    } while (lexer_.Accept(','));
    if (!Expect(')')) return false;
    bool fits = static_cast<int64_t>(dynamic_sizes.size()) == shape.rank();
    for (int64_t i = 0; fits && i < shape.rank(); ++i) {
      fits = dynamic_sizes[i] >= 0 && dynamic_sizes[i] <= shape.dimensions(i) &&
             (shape.is_dynamic_dimension(i) || dynamic_sizes[i] == shape.dimensions(i));
    }
    if (!fits) return Fail(place, "the actual sizes do not fit the shape");
  }
  const bool has_dynamic_sizes = !dynamic_sizes.empty();
  if (lexer_.Peek() != '{') {
    // A number without braces is the first element, and the others are zero (as in XLA).
    if (has_dynamic_sizes || *lexer_.at() == ')') return FailExpected("'{'");
    literal = Literal(shape);
    return (this->*parse_first)(literal);
  }
  const char* brace = lexer_.at();
  lexer_.Accept('{');
  const bool elided = lexer_.Accept("...");
  lexer_.set_at(elided ? lexer_.at() : brace);
  // Each element takes at least a byte of text, so a shape with more elements is an error before memory is allocated.
  if (!elided && !has_dynamic_sizes && shape.ElementCount() > lexer_.end() - brace) {
    return Fail(brace,
                Format("the text ends before the {} elements of {}", shape.ElementCount(), shape.ToString(false)));
  }
  literal = Literal(shape);
  if (literal.element_count() != shape.ElementCount())
    return FailLimit(place, Format("no memory for {}", shape.ToString(false)));
  literal.set_dynamic_sizes(std::move(dynamic_sizes));
  if (elided) {
    literal.set_elided(true);
    return Expect('}');
  }
  return ParseElements(literal, parse_row);
}

bool FragmentReader::ParseLiteral(const Shape& shape, Literal& literal) {
  Nesting nesting(*this, kValueWeight);
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (nesting.TooDeep()) return FailDepth(place);
  if (shape.IsArray()) {
    if (lexer_.Peek() != '(' && LooksLikeShape()) {
      // Dumps of 2017 to 2019 repeat the shape.
      Shape repeated;
      if (!ParseShape(repeated, Adjacent::kYes)) return false;
      if (!repeated.Compatible(shape)) return Fail(place, "the literal's shape is not the constant's");
    }
    return ParseArrayLiteral(shape, literal);
  }
  if (!shape.IsTuple()) return Fail(place, Format("a literal cannot have shape {}", shape.ToString()));
  if (lexer_.Peek() == '{') {
    // An elided tuple.
    lexer_.Accept('{');
    if (!lexer_.Accept("...")) return FailExpected("'...'");
    for (const Shape* leaf : shape.Leaves()) {
      if (!leaf->IsArray()) return Fail(place, Format("a literal cannot have shape {}", leaf->ToString()));
      if (!CheckLiteralSize(*leaf, place)) return false;
    }
    if (!CheckLiteralSize(shape, place)) return false;
    literal = Literal(shape);
    literal.set_elided(true);
    return Expect('}');
  }
  if (*lexer_.at() == '(' && LooksLikeTupleShape()) {
    const char* end = ShapeEnd(lexer_.at());
    while (*end == ' ' || *end == '\n') ++end;
    // `() ()` is a shape and a literal, `()` a literal.
    if (*end == '(') {
      Shape repeated;
      if (!ParseShape(repeated, Adjacent::kYes)) return false;
      if (!repeated.Compatible(shape)) return Fail(place, "the literal's shape is not the constant's");
    }
  }
  if (!Expect('(')) return false;
  std::vector<Literal> elements;
  for (int64_t i = 0; i < shape.tuple_size(); ++i) {
    if (i > 0 && !Expect(',')) return false;
    if (!ParseLiteral(shape.tuple_shapes(i), elements.emplace_back())) return false;
  }
  if (!Expect(')')) return false;
  literal = Literal::Tuple(std::move(elements));
  return true;
}

bool FragmentReader::ParseShapedLiteral(Literal& literal) {
  Nesting nesting(*this, kValueWeight);
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (nesting.TooDeep()) return FailDepth(place);
  // Either `(f32[], s32[]) (1, 2)` or `(f32[] 1, s32[] 2)`.
  if (*place == '(' && !LooksLikeTupleShape()) {
    lexer_.Accept('(');
    std::vector<Literal> elements;
    do {
      if (!ParseShapedLiteral(elements.emplace_back())) return false;
    } while (lexer_.Accept(','));
    if (!Expect(')')) return false;
    literal = Literal::Tuple(std::move(elements));
    return true;
  }
  Shape shape;
  if (!ParseShape(shape, Adjacent::kYes)) return false;
  return ParseLiteral(shape, literal);
}

}  // namespace hloir
