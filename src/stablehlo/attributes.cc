// Reader: types and attributes, including `dense` constants. See reader.h.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "reader.h"
#include "ir/element_bytes.h"
#include "support/endian.h"
#include "support/format.h"
#include "support/number.h"

namespace hloir::stablehlo {
namespace {

int Nibble(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// "i32" is s32, "ui8" u8, "i1" pred, "f8E4M3FN" f8e4m3fn. (`tf32` is a precision, not a type.)
PrimitiveType ElementTypeOf(std::string_view word) {
  if (word == "i1") return PrimitiveType::PRED;
  if (word == "index") return PrimitiveType::S64;
  std::string name;
  if (word.starts_with("ui")) name = "u" + std::string(word.substr(2));
  else if (word.starts_with("i") && word.size() > 1 && IsDigit(word[1])) name = "s" + std::string(word.substr(1));
  else if (word.starts_with("f") || word.starts_with("bf")) name = word;
  else return PrimitiveType::INVALID;
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ParsePrimitiveType(name).value_or(PrimitiveType::INVALID);
}

// Parses one number of a dense constant to the storage of `type` (not complex); false if it is invalid.
bool StoreNumber(std::string_view token, PrimitiveType type, void* out) {
  return PrimitiveTypeSwitch(type, [&](auto tag) {
    using S = typename decltype(tag)::Storage;
    constexpr PrimitiveType kType = decltype(tag)::kType;
    if constexpr (IsComplex(kType)) {
      return false;
    } else {
      S& value = *static_cast<S*>(out);
      const char *begin = token.data(), *end = begin + token.size();
      const bool negative = begin < end && *begin == '-';
      if (token == "true" || token == "false") return value = S(token == "true" ? 1 : 0), !IsFloat(kType);
      if (token.substr(negative).starts_with("0x")) {
        uint64_t bits = 0;
        const auto read = std::from_chars(begin + negative + 2, end, bits, 16);
        if (read.ec != std::errc() || read.ptr != end) return false;
        if constexpr (IsFloat(kType)) {
          if (negative || (BitWidth(kType) < 64 && bits >> (BitWidth(kType) % 64) != 0)) return false;
          if constexpr (kType == PrimitiveType::F32) value = __builtin_bit_cast(float, static_cast<uint32_t>(bits));
          else if constexpr (kType == PrimitiveType::F64) value = __builtin_bit_cast(double, bits);
          else value = S::FromBits(static_cast<typename S::Bits>(bits));
        } else {
          value = static_cast<S>(negative ? 0 - bits : bits);
        }
        return true;
      }
      if constexpr (IsFloat(kType)) {
        // f32 is parsed directly, to round once.
        std::conditional_t<kType == PrimitiveType::F32, float, double> number = 0;
        const auto read = ReadNumber(begin, end, number);
        if (read.ec != std::errc() || read.ptr != end) return false;
        value = S(number);
      } else {
        uint64_t magnitude = 0;
        const auto read = std::from_chars(begin + negative, end, magnitude);
        if (read.ec != std::errc() || read.ptr != end) return false;
        value = static_cast<S>(negative ? 0 - magnitude : magnitude);
      }
      return true;
    }
  });
}

bool StoreElement(std::string_view token, PrimitiveType type, std::byte* out) {
  if (!IsComplex(type)) return StoreNumber(token, type, out);
  if (!token.starts_with('(') || !token.ends_with(')')) return false;
  const size_t comma = token.find(',');
  if (comma == std::string_view::npos) return false;
  std::string_view parts[] = {token.substr(1, comma - 1), token.substr(comma + 1, token.size() - comma - 2)};
  const PrimitiveType component = ComplexComponentType(type);
  for (size_t i = 0; i < 2; ++i) {
    std::string_view part = parts[i];
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!StoreNumber(part, component, out + i * static_cast<size_t>(StorageBytes(component)))) return false;
  }
  return true;
}

}  // namespace

bool Reader::ReadElementType(PrimitiveType& type) {
  Skip();
  const size_t begin = at_;
  if (Take("complex<")) {
    PrimitiveType part;
    if (!ReadElementType(part) || !Want(">")) return false;
    if (part == PrimitiveType::F32) type = PrimitiveType::C64;
    else if (part == PrimitiveType::F64) type = PrimitiveType::C128;
    else return FailAt(begin, "no such complex type");
    return true;
  }
  if (Peek() == '!') {
    ++at_;
    Word();
    return FailAt(begin, Format("the element type {} is not supported", Since(begin)), StatusCode::kUnimplemented);
  }
  const std::string_view word = Word();
  type = ElementTypeOf(word);
  if (type == PrimitiveType::INVALID) return at_ = begin, Expected("an element type");
  return true;
}

// The text between tensor< and >.
bool Reader::ReadTensor(Shape& shape) {
  if (!Want("<")) return false;
  DimVector dimensions;
  uint64_t dynamic = 0;
  for (Skip(); IsDigit(Peek()) || Peek() == '?'; Skip()) {
    int64_t size = Shape::kUnboundedSize;
    if (dimensions.size() >= 60) return Fail("too many dimensions", StatusCode::kResourceExhausted);
    if (Peek() == '?') ++at_, dynamic |= uint64_t{1} << dimensions.size();
    else if (!ReadInteger(size)) return false;
    if (size < 0 && size != Shape::kUnboundedSize) return Fail("the dimension is too large");
    dimensions.push_back(size);
    if (Peek() != 'x') return Expected("'x'");
    ++at_;
  }
  if (Peek() == '*') return Fail("tensors without a rank are not supported", StatusCode::kUnimplemented);
  PrimitiveType type;
  if (!ReadElementType(type)) return false;
  if (Take(",")) {  // #stablehlo.bounds<?, 4>
    Attribute encoding;
    if (!ReadAttribute(encoding)) return false;
    const size_t open = encoding.source.find('<');
    if (encoding.text.find("bounds") != std::string_view::npos && open != std::string_view::npos) {
      std::string_view rest = encoding.source.substr(open + 1);
      for (size_t i = 0; i < dimensions.size(); ++i) {
        rest.remove_prefix(std::min(rest.find_first_not_of(", "), rest.size()));
        int64_t bound = 0;
        const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), bound);
        if (read.ec == std::errc() && bound >= 0) dimensions[i] = bound;
        rest.remove_prefix(std::min(rest.find_first_of(",>"), rest.size()));
      }
    }
  }
  shape = Shape::Array(type, dimensions);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if ((dynamic >> i & 1) != 0) shape.set_dynamic_dimension(static_cast<int64_t>(i), true);
  }
  return Want(">");
}

bool Reader::ReadTypeList(std::vector<Type>& types) {
  do {
    if (!ReadType(types.emplace_back())) return false;
  } while (Take(","));
  return true;
}

bool Reader::ReadParenthesizedTypes(std::vector<Type>& types) {
  if (!Want("(")) return false;
  if (Take(")")) return true;
  do {
    if (!ReadType(types.emplace_back())) return false;
    Attribute ignored;
    if (Next("{") && !ReadDictionary(ignored)) return false;
  } while (Take(","));
  return Want(")");
}

bool Reader::ReadFunctionType(Type& type) {
  type.is_function = true;
  if (!ReadParenthesizedTypes(type.inputs) || !Want("->")) return false;
  if (Next("(")) return ReadParenthesizedTypes(type.results);
  return ReadType(type.results.emplace_back());
}

size_t Reader::SlotOf(std::string_view inside) {
  size_t hash = inside.size();
  for (const char c : inside.substr(0, 24)) hash = hash * 31 + static_cast<unsigned char>(c);
  return (hash ^ hash >> 8) % 256;
}

// The tensor whose < is at `at`, if one of this text was read before; `end` is then after its >.
const Shape* Reader::KnownTensorAt(size_t at, size_t& end) const {
  if (at >= text_.size() || text_[at] != '<') return nullptr;
  const size_t close = text_.find('>', at + 1);
  if (close == std::string_view::npos) return nullptr;
  const std::string_view inside = text_.substr(at + 1, close - at - 1);
  const KnownTensor& known = known_tensors_[SlotOf(inside)];
  if (known.text.data() == nullptr || known.text != inside) return nullptr;
  end = close + 1;
  return known.shape;
}

bool Reader::ReadType(Type& type) {
  const DepthGuard guard(*this);
  if (failed()) return false;
  Skip();
  const size_t begin = at_;
  if (Peek() == '(') return ReadFunctionType(type);
  if (TakeWord("tensor")) {
    size_t end = 0;
    if (const Shape* known = KnownTensorAt(at_, end)) return type.interned = known, at_ = end, true;
    const size_t from = at_ + 1;
    Shape shape;
    if (!ReadTensor(shape)) return false;
    type.interned = module_.Intern(shape);
    const std::string_view inside = text_.substr(from, at_ - 1 - from);
    if (text_[from - 1] == '<' && inside.find('>') == std::string_view::npos)
      known_tensors_[SlotOf(inside)] = {inside, type.interned};
    return true;
  }
  if (TakeWord("tuple")) {
    std::vector<Shape> elements;
    if (!Want("<")) return false;
    if (!Next(">")) {
      std::vector<Type> types;
      if (!ReadTypeList(types)) return false;
      for (Type& element : types) elements.push_back(element.shape());
    }
    type.interned = module_.Intern(Shape::Tuple(std::move(elements)));
    return Want(">");
  }
  if (Peek() == '!') {
    ++at_;
    Word();
    const std::string_view name = Since(begin);
    if (const auto alias = type_aliases_.find(name); alias != type_aliases_.end()) return type = alias->second, true;
    if (name.ends_with(".token")) return type.interned = module_.Intern(Shape::Token()), true;
    return FailAt(begin, Format("the type {} is not supported", name), StatusCode::kUnimplemented);
  }
  PrimitiveType element;
  if (!ReadElementType(element)) return false;
  type.interned = module_.Intern(Shape::Scalar(element));
  return true;
}

bool Reader::ReadList(Attribute& attribute) {
  attribute.kind = Attribute::Kind::kArray;
  if (!Want("[")) return false;
  if (Take("]")) return true;
  do {
    if (!ReadAttribute(attribute.elements.emplace_back())) return false;
  } while (Take(","));
  return Want("]");
}

// Appends to the list.
bool Reader::ReadDictionary(Attribute& attribute) {
  const DepthGuard guard(*this);
  if (failed()) return false;
  attribute.kind = Attribute::Kind::kDictionary;
  if (!Want("{")) return false;
  if (Take("}")) return true;
  do {
    Skip();
    std::string_view key;
    if (Peek() == '"') {
      const size_t begin = at_ + 1;
      if (!ReadString(key)) return false;
      key = text_.substr(begin, at_ - begin - 1);
    } else {
      key = Word();
    }
    if (key.empty()) return Expected("an attribute's name");
    Attribute& value = attribute.entries.emplace_back(key).value;
    value.offset = at_;
    if (Take("=") && !ReadAttribute(value)) return false;
  } while (Take(","));
  return Want("}");
}

// Numbers: 3, -1.5e+00, 0x7F; callers read a following type.
bool Reader::ReadNumber(Attribute& attribute) {
  Skip();
  const size_t begin = at_;
  if (Peek() == '-') ++at_;
  if (text_.substr(at_, 2) == "0x") {
    at_ += 2;
    while (Nibble(Peek()) >= 0) ++at_;
  } else {
    while (IsDigit(Peek())) ++at_;
    bool is_float = false;
    if (Peek() == '.') {
      is_float = true;
      for (++at_; IsDigit(Peek());) ++at_;
    }
    if ((Peek() == 'e' || Peek() == 'E') && at_ + 1 < text_.size() &&
        (IsDigit(text_[at_ + 1]) || text_[at_ + 1] == '+' || text_[at_ + 1] == '-')) {
      is_float = true;
      for (at_ += 2; IsDigit(Peek());) ++at_;
    }
    if (is_float) {
      attribute.kind = Attribute::Kind::kFloat;
      return StoreNumber(Since(begin), PrimitiveType::F64, &attribute.number) || FailAt(begin, "no such number");
    }
  }
  attribute.kind = Attribute::Kind::kInteger;
  if (!StoreNumber(Since(begin), PrimitiveType::S64, &attribute.integer)) return at_ = begin, Expected("a number");
  attribute.number = static_cast<double>(attribute.integer);
  return true;
}

// array<i64: 1, 2>, after the word.
bool Reader::ReadTypedArray(Attribute& attribute) {
  PrimitiveType type;
  if (!Want("<") || !ReadElementType(type)) return false;
  const bool has_integers = IsInteger(type) || type == PrimitiveType::PRED;
  attribute.kind = has_integers ? Attribute::Kind::kIntegers : Attribute::Kind::kArray;
  if (Take(":")) {
    do {
      Attribute element;
      if (has_integers && TakeWord("true")) element.integer = 1;
      else if (has_integers && TakeWord("false")) element.integer = 0;
      else if (!ReadNumber(element)) return false;
      if (!has_integers) attribute.elements.push_back(std::move(element));
      else if (element.kind == Attribute::Kind::kFloat) return Expected("an integer");
      else attribute.integers.push_back(element.integer);
    } while (Take(","));
  }
  return Want(">");
}

// [0, 1], if it is no other list; else at_ stays.
bool Reader::ReadIntegers(Attribute& attribute) {
  constexpr size_t kMostDigits = 18;
  size_t at = at_ + 1;
  for (;;) {
    const bool negative = at < text_.size() && text_[at] == '-';
    at += negative;
    const size_t digits = at;
    int64_t value = 0;
    for (; at < text_.size() && IsDigit(text_[at]) && at - digits < kMostDigits; ++at)
      value = value * 10 + (text_[at] - '0');
    if (at == digits || at >= text_.size()) break;
    attribute.integers.push_back(negative ? -value : value);
    if (text_[at] == ']') {
      attribute.kind = Attribute::Kind::kIntegers;
      return at_ = at + 1, true;
    }
    if (text_.substr(at, 2) != ", ") break;
    at += 2;
  }
  attribute.integers.clear();
  return false;
}

bool Reader::ReadDenseElements(std::vector<std::string_view>& flat, DimVector& dimensions, size_t level) {
  const DepthGuard guard(*this);
  if (failed()) return false;
  if (!Take("[")) {
    Skip();
    const size_t begin = at_;
    if (Peek() == '(') {
      const size_t end = text_.find(')', at_);
      if (end == std::string_view::npos || end - at_ > 100) return Fail("unterminated complex number");
      at_ = end + 1;
    } else {
      while (Nibble(Peek()) >= 0 || (Peek() != '\0' && std::strchr("+-.xtrulns", Peek()) != nullptr)) ++at_;
    }
    if (at_ == begin) return Expected("a number");
    flat.push_back(Since(begin));
    return level == dimensions.size() || FailAt(begin, "the lists of a constant are not of one depth");
  }
  const bool first = flat.empty() && level == dimensions.size();
  if (first) dimensions.push_back(-1);
  if (level >= dimensions.size()) return Fail("the lists of a constant are not of one depth");
  int64_t count = 0;
  if (!Take("]")) {
    do {
      if (!ReadDenseElements(flat, dimensions, level + 1)) return false;
      ++count;
    } while (Take(","));
    if (!Want("]")) return false;
  }
  if (dimensions[level] == -1) dimensions[level] = count;
  return dimensions[level] == count || Fail("the lists of a constant are not of one length");
}

bool Reader::FillDense(Attribute& attribute, const std::vector<std::string_view>& flat, const DimVector& dimensions) {
  const Shape& shape = *attribute.type;
  const bool is_splat = dimensions.empty() && flat.size() == 1;
  if (!is_splat && !flat.empty() && dimensions != shape.dimensions())
    return FailAt(attribute.offset, Format("the constant's lists do not fit {}", shape.ToString(false)));
  if (flat.empty() && shape.ElementCount() != 0) return FailAt(attribute.offset, "the constant has no elements");
  auto literal = std::make_shared<Literal>(is_splat ? Shape::Scalar(shape.element_type()) : shape);
  const auto width = static_cast<size_t>(StorageBytes(shape.element_type()));
  for (size_t i = 0; i < flat.size(); ++i) {
    if (!StoreElement(flat[i], shape.element_type(), literal->untyped_data() + i * width)) {
      return FailAt(static_cast<size_t>(flat[i].data() - text_.data()),
                    Format("'{}' is not {}", flat[i].substr(0, 40), PrimitiveTypeName(shape.element_type())));
    }
  }
  attribute.literal = std::move(literal);
  return true;
}

// Elements as bytes, little-endian, or one element for all. i1 has a byte or, as older MLIR wrote it, a bit.
bool Reader::FillDenseFromHex(Attribute& attribute, std::string_view hex) {
  const Shape& shape = *attribute.type;
  if (!hex.starts_with("0x") || hex.size() % 2 != 0)
    return FailAt(attribute.offset, "the constant is not a byte string");
  hex.remove_prefix(2);
  std::string bytes(hex.size() / 2, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = Nibble(hex[2 * i]), low = Nibble(hex[2 * i + 1]);
    if (high < 0 || low < 0) return FailAt(attribute.offset, "the constant is not a byte string");
    bytes[i] = static_cast<char>(high * 16 + low);
  }
  const auto width = static_cast<size_t>(StorageBytes(shape.element_type()));
  const int64_t count = shape.ElementCount();
  const bool is_pred = shape.element_type() == PrimitiveType::PRED;
  const bool is_splat = bytes.size() == width && count != 1;
  const bool is_packed =
      is_pred && count > 1 && static_cast<int64_t>(bytes.size()) == (count + 7) / 8 && !(is_splat && count > 8);
  if (!is_splat && !is_packed &&
      (count > INT32_MAX / static_cast<int64_t>(width) ||
       static_cast<int64_t>(bytes.size()) != count * static_cast<int64_t>(width)))
    return FailAt(attribute.offset,
                  Format("the constant has {} bytes, which do not fit {}", bytes.size(), shape.ToString(false)));
  auto literal = std::make_shared<Literal>(is_splat && !is_packed ? Shape::Scalar(shape.element_type()) : shape);
  if (is_packed) {
    for (int64_t i = 0; i < count; ++i)
      literal->data<bool>()[static_cast<size_t>(i)] = (bytes[static_cast<size_t>(i / 8)] >> (i % 8) & 1) != 0;
  } else if (is_pred) {
    for (size_t i = 0; i < bytes.size(); ++i) literal->data<bool>()[i] = bytes[i] != 0;
  } else {
    CopyLittleEndian(literal->untyped_data(), bytes.data(), bytes.size(), NumberBytes(shape.element_type()));
  }
  attribute.literal = std::move(literal);
  return true;
}

// The constant whose < is at `at`, if one of this text was read before, and else the place for it if it is short.
Reader::KnownConstant* Reader::KnownConstantAt(size_t at, std::string_view& text) {
  constexpr size_t kMostBytes = 64;
  const size_t close = text_.find('>', at), end = text_.find('>', std::min(close, text_.size() - 1) + 1);
  if (end >= text_.size() || end - at >= kMostBytes) return nullptr;
  text = text_.substr(at, end + 1 - at);
  return &known_constants_[SlotOf(text) % known_constants_.size()];
}

// dense<…> : tensor<…>, after the word.
bool Reader::ReadDense(Attribute& attribute) {
  attribute.kind = Attribute::Kind::kDense;
  const size_t begin = at_;
  std::string_view text;
  KnownConstant* const known = KnownConstantAt(begin, text);
  if (known != nullptr && known->text == text) {
    attribute.type = known->type, attribute.literal = known->literal;
    return at_ += text.size(), true;
  }
  if (!ReadNewDense(attribute)) return false;
  if (known != nullptr && Since(begin) == text) *known = {text, attribute.type, attribute.literal};
  return true;
}

bool Reader::ReadNewDense(Attribute& attribute) {
  if (!Want("<")) return false;
  std::vector<std::string_view> flat;
  DimVector dimensions;
  Type type;
  std::string_view hex;
  const bool is_hex = Next("\"");
  if (is_hex) {
    if (!ReadString(hex)) return false;
  } else if (!Next(">")) {
    if (!ReadDenseElements(flat, dimensions, 0)) return false;
  }
  if (!Want(">") || !Want(":") || !ReadType(type)) return false;
  attribute.type = type.interned;
  if (!attribute.type->IsArray() || !attribute.type->IsStatic())
    return FailAt(attribute.offset, "a constant is of a static tensor type");
  return is_hex ? FillDenseFromHex(attribute, hex) : FillDense(attribute, flat, dimensions);
}

// 3, WORD, "text", [..], <key = value, …>: without a following type.
bool Reader::ReadPlainValue(Attribute& attribute) {
  Skip();
  attribute.offset = at_;
  if (IsDigit(Peek()) || (Peek() == '-' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1])))
    return ReadNumber(attribute);
  if (Peek() == '<') {
    ++at_;
    attribute.kind = Attribute::Kind::kDictionary;
    return ReadEntries(attribute, ">");
  }
  if (Peek() == '[') {
    if (ReadIntegers(attribute)) return true;
    const DepthGuard guard(*this);
    if (failed()) return false;
    attribute.kind = Attribute::Kind::kArray;
    ++at_;
    if (Take("]")) return true;
    do {
      if (!ReadPlainValue(attribute.elements.emplace_back())) return false;
    } while (Take(","));
    return Want("]");
  }
  return ReadAttribute(attribute);
}

// key = value, … up to `end`.
bool Reader::ReadEntries(Attribute& attribute, std::string_view end) {
  if (Take(end)) return true;
  do {
    const std::string_view key = Word();
    if (key.empty()) return Expected("an attribute's name");
    Attribute& value = attribute.entries.emplace_back(key).value;
    if (!Want("=") || !ReadPlainValue(value)) return false;
  } while (Take(","));
  return Want(end);
}

// #stablehlo<precision HIGH> is the word HIGH; #stablehlo.gather<key = value, …> has entries; others are kept as text.
bool Reader::ReadDialectAttribute(Attribute& attribute) {
  const size_t begin = at_;
  ++at_;
  const std::string_view name = Word();
  if (Peek() != '<') {
    const auto alias = aliases_.find(Since(begin));
    if (alias != aliases_.end()) return attribute = alias->second, true;
    return FailAt(begin, Format("no {} is defined", Since(begin)));
  }
  attribute.kind = Attribute::Kind::kDialect;
  attribute.text = name;
  const size_t body = at_ + 1;
  if (!SkipBalanced()) return false;
  const size_t end = at_;
  const std::string_view inside = text_.substr(body, end - body - 1);
  const bool is_ours = name.starts_with("stablehlo") || name.starts_with("mhlo") || name.starts_with("chlo");
  if (!is_ours) return true;
  if (const size_t blank = inside.find(' ');
      name.find('.') == std::string_view::npos && blank != std::string_view::npos) {
    attribute.kind = Attribute::Kind::kWord;
    attribute.text = inside.substr(std::min(inside.find_first_not_of(' ', blank), inside.size()));
    return true;
  }
  at_ = body;
  Word();
  const bool has_entries = Next("=");
  at_ = body;
  if (has_entries && !ReadEntries(attribute, ">")) return false;
  at_ = end;
  return true;
}

bool Reader::ReadAttribute(Attribute& attribute) {
  const DepthGuard guard(*this);
  if (failed()) return false;
  Skip();
  const size_t begin = attribute.offset = at_;
  using Kind = Attribute::Kind;
  const char c = Peek();
  bool ok = true;
  Type type;
  if (c == '"') {
    attribute.kind = Kind::kString;
    ok = ReadString(attribute.text);
  } else if (c == '[') {
    ok = ReadList(attribute);
  } else if (c == '{') {
    ok = ReadDictionary(attribute);
  } else if (c == '#') {
    ok = ReadDialectAttribute(attribute);
  } else if (c == '@') {
    ++at_;
    attribute.kind = Kind::kSymbol;
    if (Peek() == '"') ok = ReadString(attribute.text);
    else attribute.text = Word();
  } else if (IsDigit(c) || c == '-') {
    ok = ReadNumber(attribute);
    if (ok && Take(":")) ok = ReadType(type);
  } else if (c == '(' || c == '!') {
    attribute.kind = Kind::kType;
    ok = ReadType(type);
    attribute.type = type.interned;
  } else if (TakeWord("dense")) {
    ok = ReadDense(attribute);
  } else if (TakeWord("array")) {
    ok = ReadTypedArray(attribute);
  } else if (TakeWord("unit")) {
  } else if (Next("dense_resource")) {
    ok = ReadDenseResource(attribute);
  } else if (Next("tensor<") || Next("tuple<") || Next("complex<")) {
    attribute.kind = Kind::kType;
    ok = ReadType(type);
    attribute.type = type.interned;
  } else {
    attribute.text = Word();
    if (attribute.text.empty()) return Expected("an attribute");
    const bool is_true = attribute.text == "true";
    attribute.kind = is_true || attribute.text == "false" ? Kind::kBool : Kind::kWord;
    attribute.integer = is_true;
    if (const PrimitiveType element = ElementTypeOf(attribute.text); element != PrimitiveType::INVALID)
      attribute.type = module_.Intern(Shape::Scalar(element));
  }
  attribute.source = Since(begin);
  return ok && !failed();
}

}  // namespace hloir::stablehlo
