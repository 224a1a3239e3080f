// The values that attributes take: numbers, words, lists, windows, paddings, dim_labels, aliases.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "module_reader.h"

#include "support/format.h"

namespace hloir {
namespace {

bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

void AppendUtf8(uint32_t code, char*& out) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr uint8_t kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  *out++ = static_cast<char>(kFirst[more] | code >> 6 * more);
  for (int i = more; i-- > 0;) *out++ = static_cast<char>(0x80 | (code >> 6 * i & 0x3f));
}

// C's escapes:
//  \t \" \ooo \xhh \uhhhh … False for anything else.
bool Unescape(std::string_view raw, std::string& text) {
  text.resize(raw.size());  // the intended name is never longer
  char* out = text.data();
  const char* p = raw.data();
  const char* const end = p + raw.size();
  // Reads between `least` and `most` digits of the base.
  auto read_digits = [&](int base, int least, int most, uint32_t limit, uint32_t& code) {
    const auto result = std::from_chars(p, std::min(end, p + most), code, base);
    if (result.ec != std::errc() || result.ptr - p < least || code > limit) return false;
    p = result.ptr;
    return true;
  };
  while (p < end) {
    const char* const plain = std::exchange(p, scan::CopyWhile<scan::NoneOf<'\\'>>(p, end, out));
    out += p - plain;
    if (p == end) break;
    if (++p == end) return false;
    const char c = *p;
    if (c == '\'' || c == '"') {  // as in names of parameters, params[\'bias\']
      *out++ = c;
      ++p;
      continue;
    }
    constexpr std::string_view kLetters = "abfnrtv\"'\\?", kMeant = "\a\b\f\n\r\t\v\"'\\?";
    uint32_t code = 0;
    if (const size_t k = kLetters.find(c); k != std::string_view::npos) {
      *out++ = kMeant[k];
      ++p;
    } else if (c >= '0' && c <= '7') {
      if (!read_digits(8, 1, 3, 0xff, code)) return false;
      *out++ = static_cast<char>(code);
    } else if (c == 'x' || c == 'X') {
      ++p;
      if (!read_digits(16, 1, 8, 0xff, code)) return false;
      *out++ = static_cast<char>(code);
    } else if (c == 'u' || c == 'U') {
      ++p;
      const int digits = c == 'u' ? 4 : 8;
      if (!read_digits(16, digits, digits, 0x10ffff, code) || (code >= 0xd800 && code < 0xe000)) return false;
      AppendUtf8(code, out);
    } else {
      return false;
    }
  }
  text.resize(static_cast<size_t>(out - text.data()));
  return true;
}

}  // namespace

bool FragmentReader::Read(bool& value) {
  if (lexer_.AcceptWord("true")) return value = true;
  if (lexer_.AcceptWord("false")) return value = false, true;
  return FailExpected("true or false");
}

bool FragmentReader::Read(int64_t& value) { return lexer_.ReadInt(value) || FailExpected("an integer"); }

bool FragmentReader::Read(double& value) {
  uint64_t payload;
  bool has_payload, negative;
  return ParseReal(PrimitiveType::F64, value, payload, has_payload, negative);
}

bool FragmentReader::Read(float& value) {
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  double wide = 0;
  if (!Read(wide)) return false;
  if (std::abs(wide) > std::numeric_limits<float>::max()) return Fail(place, "the number does not fit into a float");
  value = static_cast<float>(wide);
  return true;
}

bool FragmentReader::ReadString(std::string_view& text) {
  bool has_escapes = false;
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (!lexer_.ReadQuoted(text, has_escapes)) return FailExpected("a string");
  if (!has_escapes) return true;
  if (!Unescape(text, unescaped_)) return Fail(place, "the string has an invalid escape");
  text = Keep(unescaped_);
  return true;
}

bool FragmentReader::Read(std::string& value) {
  std::string_view text;
  bool has_escapes = false;
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (!lexer_.ReadQuoted(text, has_escapes)) return FailExpected("a string");
  if (!has_escapes) return value = text, true;
  return Unescape(text, value) || Fail(place, "the string has an invalid escape");
}

// The key of key=value: a word, or a quoted string (messages may have other keys than words).
bool FragmentReader::ReadKey(std::string& key, const char* what) {
  if (const char c = lexer_.Peek(); c == '"' || c == '\'') return Read(key);
  key = lexer_.ReadWord().text();
  return !key.empty() || FailExpected(what);
}

bool FragmentReader::ReadEnumWord(std::span<const std::string_view> words, int64_t& index) {
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  const std::string_view word = lexer_.ReadWord().text();
  auto take = [&](auto it) {
    index = it - words.begin();
    return true;
  };
  if (!word.empty()) {
    if (auto it = std::find(words.begin(), words.end(), word); it != words.end()) return take(it);
    // No algorithm at all is `unset`.
    if (words.data() == EnumWords<DotAlgorithm>().data() && EqualIgnoringCase(word, "unset"))
      return take(words.begin());
    // The words of some attributes are case-insensitive.
    const auto is_of = [&]<class... Enums>(std::type_identity<Enums>...) {
      return ((words.data() == EnumWords<Enums>().data()) || ...);
    };
    if (is_of(std::type_identity<Precision>(), std::type_identity<DotAlgorithm>(),
              std::type_identity<RandomDistribution>(), std::type_identity<RandomAlgorithm>(),
              std::type_identity<CustomCallSchedule>(), std::type_identity<CustomCallApiVersion>())) {
      auto it = std::find_if(words.begin(), words.end(), [&](auto w) { return EqualIgnoringCase(w, word); });
      if (it != words.end()) return take(it);
    }
  }
  lexer_.set_at(place);
  std::string list;
  for (std::string_view w : words) {
    if (!w.empty()) list += Format("{}{}", list.empty() ? "" : ", ", w);
  }
  return FailExpected(Format("one of {}", list));
}

// {1,2,3}
bool FragmentReader::Read(DimVector& value) {
  return ReadList([&] {
    int64_t number = 0;
    if (!lexer_.ReadInt(number)) return FailExpected("an integer");
    value.push_back(number);
    return true;
  });
}

// {true,false}, or a single word without braces.
bool FragmentReader::Read(BoolList& value) {
  bool one = false;
  if (!lexer_.Accept('{')) {
    if (!Read(one)) return false;
    value.push_back(one);
    return true;
  }
  if (lexer_.Accept('}')) return true;
  do {
    if (!Read(one)) return false;
    value.push_back(one);
  } while (lexer_.Accept(','));
  return Expect('}');
}

bool FragmentReader::Read(PrecisionList& value) {
  return ReadList([&] { return Read(value.emplace_back()); });
}

// {{0,1},{1,2}}
bool FragmentReader::Read(Int64Pairs& value) {
  return ReadList([&] {
    auto& [first, second] = value.emplace_back();
    return Expect('{') && Read(first) && Expect(',') && Read(second) && Expect('}');
  });
}

bool FragmentReader::Read(Int64Lists& value) {
  return ReadList([&] { return Read(value.emplace_back()); });
}

// {[0:4], [1:8:2]}
bool FragmentReader::Read(SliceRanges& value) {
  return ReadList([&] {
    SliceRange range;
    if (!Expect('[') || !Read(range.start) || !Expect(':') || !Read(range.limit)) return false;
    if (lexer_.Accept(':') && !Read(range.stride)) return false;
    if (!Expect(']')) return false;
    value.push_back(range);
    return true;
  });
}

// 0_0x1_2_1: low_high or low_high_interior for each dimension. Empty for a scalar.
bool FragmentReader::Read(PaddingConfig& value) { return ReadPadding(value, /*with_interior=*/true); }

bool FragmentReader::ReadPadding(PaddingConfig& value, bool with_interior) {
  lexer_.SkipBlank();
  auto read = [&](int64_t& number) {
    const char* place = lexer_.at();
    if (!lexer_.ReadInt(number)) return FailExpected("a padding's amount");
    return (number < 0) == (*place == '-') || number == 0 || Fail(place, "a padding does not fit into 64 bits");
  };
  if (!IsDigit(*lexer_.at()) && *lexer_.at() != '-') return true;
  while (true) {
    PaddingDimension dimension;
    if (!read(dimension.low)) return false;
    if (*lexer_.at() != '_') return FailExpected("'_' between the low and the high padding");
    lexer_.set_at(lexer_.at() + 1);
    if (!read(dimension.high)) return false;
    if (*lexer_.at() == '_') {
      if (!with_interior) return Fail(lexer_.at(), "a window's padding is low_high, with nothing between elements");
      lexer_.set_at(lexer_.at() + 1);
      if (!read(dimension.interior)) return false;
    }
    value.push_back(dimension);
    if (*lexer_.at() != 'x') return true;
    lexer_.set_at(lexer_.at() + 1);
  }
}

// 3x3, or one number alone.
bool FragmentReader::ReadDimensionByX(DimVector& sizes) {
  lexer_.SkipBlank();
  while (true) {
    int64_t number = 0;
    if (!lexer_.ReadInt(number)) return FailExpected("a number for each dimension, as in 3x3");
    sizes.push_back(number);
    if (*lexer_.at() != 'x') return true;
    lexer_.set_at(lexer_.at() + 1);
  }
}

// {size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x1}
bool FragmentReader::Read(Window& value) {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  if (!Expect('{')) return false;
  DimVector size, stride, lhs_dilate, rhs_dilate, rhs_reversal;
  PaddingConfig pad;
  while (!lexer_.Accept('}')) {
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    const std::string_view field = lexer_.ReadWord().text();
    DimVector* numbers = field == "size"           ? &size
                         : field == "stride"       ? &stride
                         : field == "lhs_dilate"   ? &lhs_dilate
                         : field == "rhs_dilate"   ? &rhs_dilate
                         : field == "rhs_reversal" ? &rhs_reversal
                                                   : nullptr;
    if (numbers == nullptr && field != "pad") {
      lexer_.set_at(place);
      return FailExpected("a window's field (size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal) or '}'");
    }
    if (numbers != nullptr ? !numbers->empty() : !pad.empty()) {
      return Fail(place, Format("the window has {} twice", field));
    }
    if (!ExpectEquals()) return false;
    if (numbers != nullptr ? !ReadDimensionByX(*numbers) : !ReadPadding(pad, /*with_interior=*/false)) return false;
  }
  const size_t rank = size.size();
  // XLA checks this per dimension.
  if (!rhs_reversal.empty() && rhs_reversal.size() < rank)
    while (rhs_reversal.size() < rank) rhs_reversal.push_back(0);
  for (size_t other : {stride.size(), pad.size(), lhs_dilate.size(), rhs_dilate.size(), rhs_reversal.size()}) {
    if (other != 0 && other != rank) return Fail(start, "the window's fields differ in their number of dimensions");
  }
  for (size_t i = 0; i < rank; ++i) {
    WindowDimension dimension;
    dimension.size = size[i];
    if (!stride.empty()) dimension.stride = stride[i];
    if (!pad.empty()) dimension.padding_low = pad[i].low, dimension.padding_high = pad[i].high;
    if (!lhs_dilate.empty()) dimension.base_dilation = lhs_dilate[i];
    if (!rhs_dilate.empty()) dimension.window_dilation = rhs_dilate[i];
    if (!rhs_reversal.empty()) dimension.window_reversal = rhs_reversal[i] == 1;
    value.push_back(dimension);
  }
  return true;
}

// b01f_01io->b01f: a letter or a spatial dimension's number for each dimension; ? for one without a meaning.
bool FragmentReader::Read(ConvDimensionNumbers& value) {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  const char* p = start;
  auto read_part = [&](std::string_view letters, int64_t& first, int64_t& second, DimVector& spatial) {
    const char* part = p;
    first = second = -1;
    constexpr int kMostSpatial = 10;
    int64_t places[kMostSpatial];
    int count = 0;
    uint32_t seen = 0;
    for (; IsDigit(*p) || *p == letters[0] || *p == letters[1] || *p == '?'; ++p) {
      const int64_t at = p - part;
      if (*p == '?') continue;
      int64_t* named = *p == letters[0] ? &first : *p == letters[1] ? &second : nullptr;
      if (named != nullptr) {
        if (*named >= 0) return Fail(p, Format("'{}' appears twice in the dim_labels", *p));
        *named = at;
        continue;
      }
      const int number = *p - '0';
      if ((seen >> number & 1) != 0) return Fail(p, Format("'{}' appears twice in the dim_labels", *p));
      seen |= 1u << number;
      places[number] = at;
      ++count;
    }
    if (first < 0 || second < 0) {
      return Fail(part, Format("dim_labels need '{}' and '{}' here", letters[0], letters[1]));
    }
    if (seen != (1u << count) - 1)
      return Fail(part, "dim_labels must number the spatial dimensions from 0 without a gap");
    spatial = DimVector(places, places + count);
    return true;
  };
  if (!read_part("bf", value.input_batch, value.input_feature, value.input_spatial)) return false;
  if (*p++ != '_') return Fail(p - 1, "expected '_' between the input's and the kernel's dim_labels");
  if (!read_part("io", value.kernel_input_feature, value.kernel_output_feature, value.kernel_spatial)) return false;
  if (p[0] != '-' || p[1] != '>') return Fail(p, "expected '->' between the kernel's and the output's dim_labels");
  p += 2;
  if (!read_part("bf", value.output_batch, value.output_feature, value.output_spatial)) return false;
  if (value.input_spatial.size() != value.kernel_spatial.size() ||
      value.input_spatial.size() != value.output_spatial.size()) {
    return Fail(start, "dim_labels differ in their number of spatial dimensions");
  }
  lexer_.set_at(p);
  return true;
}

// {lhs={sparsity=2x4 dimension=1 stride=1 idx=0} rhs={…}}
bool FragmentReader::Read(SparsityConfig& value) {
  if (!Expect('{')) return false;
  while (!lexer_.Accept('}')) {
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    const std::string_view side_name = lexer_.ReadWord().text();
    if (side_name != "lhs" && side_name != "rhs") {
      lexer_.set_at(place);
      return FailExpected("lhs, rhs or '}'");
    }
    SparsitySide& side = (side_name == "lhs" ? value.lhs : value.rhs).emplace();
    if (!ExpectEquals() || !Expect('{')) return false;
    while (!lexer_.Accept('}')) {
      lexer_.SkipBlank();
      place = lexer_.at();
      const std::string_view field = lexer_.ReadWord().text();
      if (field == "sparsity") {
        DimVector pair;
        if (!ExpectEquals() || !ReadDimensionByX(pair)) return false;
        if (pair.size() != 2) return Fail(place, "a sparsity is nonzeros x block, as in 2x4");
        side.nonzero = pair[0];
        side.block = pair[1];
      } else {
        int64_t* number = field == "dimension" ? &side.dimension
                          : field == "stride"  ? &side.stride
                          : field == "idx"     ? &side.index
                                               : nullptr;
        if (number == nullptr) {
          lexer_.set_at(place);
          return FailExpected("sparsity, dimension, stride, idx or '}'");
        }
        if (!ExpectEquals() || !Read(*number)) return false;
      }
      lexer_.Accept(',');
    }
    lexer_.Accept(',');
  }
  return true;
}

// {{0}: (1, {}), {1}: (0, {1})}
bool FragmentReader::Read(OutputOperandAliasing& value) {
  return ReadList([&] {
    OutputOperandAlias& alias = value.emplace_back();
    return Read(alias.output_index) && Expect(':') && Expect('(') && Read(alias.operand) && Expect(',') &&
           Read(alias.operand_index) && Expect(')');
  });
}

bool FragmentReader::Read(OptionalLiteral& value) { return ParseShapedLiteral(value.emplace()); }

// {f32[2]{0}, s32[]}
bool FragmentReader::Read(std::vector<Shape>& value) {
  return ReadList([&] { return ParseShape(value.emplace_back(), Adjacent::kNo); });
}

// {mode=highest} or {tolerance={atol=0.1,rtol=0,ulps=2}}
bool FragmentReader::Read(ResultAccuracy& value) {
  if (!Expect('{')) return false;
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  const std::string_view form = lexer_.ReadWord().text();
  if (form == "mode") {
    if (!ExpectEquals()) return false;
    lexer_.SkipBlank();
    place = lexer_.at();
    if (!Read(value.mode)) return false;
    // Of Precision's words, these two.
    if (value.mode != Precision::kDefault && value.mode != Precision::kHighest)
      return Fail(place, "a result_accuracy's mode is default or highest");
  } else if (form == "tolerance") {
    value.has_tolerance = true;
    if (!ExpectEquals() || !Expect('{')) return false;
    if (lexer_.Accept('}')) return Expect('}');
    do {
      lexer_.SkipBlank();
      place = lexer_.at();
      const std::string_view field = lexer_.ReadWord().text();
      if (field != "atol" && field != "rtol" && field != "ulps") {
        lexer_.set_at(place);
        return FailExpected("atol, rtol, ulps or '}'");
      }
      if (!ExpectEquals()) return false;
      if (field == "ulps" ? !Read(value.ulps) : !Read(field == "atol" ? value.atol : value.rtol)) return false;
    } while (lexer_.Accept(','));
    if (!Expect('}')) return false;
  } else {
    lexer_.set_at(place);
    return FailExpected("mode or tolerance");
  }
  return Expect('}');
}

}  // namespace hloir
