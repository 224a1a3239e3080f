// Shapes and layouts. Most shapes of a module repeat an earlier text: ParseInternedShape finds these in a table without
// parsing.

#include <algorithm>

#include "module_reader.h"

#include "support/format.h"

namespace hloir {

// The end of a shape's text, by counting brackets; its beginning if the search reached its limit. A guess: it is used
// as a key only if parsing the same text ended there. The search is limited, because many searches in one long text
// would take quadratic time.
const char* FragmentReader::ShapeEnd(const char* at) const {
  const char* const start = at;
  constexpr ptrdiff_t kLongest = 1 << 20;
  if (*at == '(') {
    int64_t open = 0;
    const char* const last = lexer_.end() - at > kLongest ? at + kLongest : lexer_.end();
    for (; (at = scan::FindEither<'(', ')'>(at, last)) != last; ++at) {
      if (*at == '(') ++open;
      else if (--open == 0) return at + 1;
    }
    return start;
  }
  while (lexer_internal::Is(*at, lexer_internal::kWordPart)) ++at;
  if (*at != '[') return start;  // or after a blank: too rare for a key
  at = scan::FindEither<']', '\n'>(at, lexer_.end());
  if (*at != ']') return start;
  ++at;
  if (*at == '{' && (IsDigit(at[1]) || at[1] == ':')) {
    at = scan::FindNot<scan::NoneOf<'}', '[', '\n'>>(at, lexer_.end());
    return *at == '}' ? at + 1 : start;  // [ as in P(shape): nested brackets and braces
  }
  // A layout may follow after a blank or a comment; or a computation's body, which begins with a name.
  const auto next = [](const char* p) {
    while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') ++p;
    return p;
  };
  const char* const brace = next(at);
  if (*brace == '/') return start;
  if (*brace != '{') return at;
  const char after = *next(brace + 1);
  return after == '%' || IsWordStart(after) || after == '}' ? at : start;
}

bool FragmentReader::LooksLikeShape() {
  if (lexer_.Peek() == '(') return true;
  const char* p = lexer_.at();
  if (!IsWordStart(*p)) return false;
  if (p[0] == 'b' && p[1] == '(') return true;
  while (lexer_internal::Is(*p, lexer_internal::kWordPart)) ++p;
  while (*p == ' ') ++p;
  return *p == '[';
}

// At a parenthesis: true if a tuple's shape begins, false for a tuple literal whose elements have shapes, `(f32[] 1)`.
// The text after the first array's shape decides.
bool FragmentReader::LooksLikeTupleShape() const {
  const char* p = lexer_.at();
  for (int open = 0; open <= kMaxDepth && (*p == '(' || *p == ' ' || *p == '\n'); ++p) open += *p == '(';
  if (*p == ')') return true;  // an empty tuple
  if (*p == '(') return false;
  const char* end = ShapeEnd(p);
  if (end == p) return false;
  while (*end == ' ' || *end == '\n') ++end;
  return *end == ',' || *end == ')';
}

bool ModuleReader::ParseInternedShape(const Shape*& shape) {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  const char* guess = ShapeEnd(start);
  const uint32_t size = static_cast<uint32_t>(guess - start);
  const uint32_t hash = HashBytes(start, size);
  if (size > 0) {
    if (const ShapeSlot& slot = FindShapeSlot(start, size, hash); slot.shape != nullptr) {
      shape = slot.shape;
      lexer_.set_at(guess);
      return true;
    }
  }
  Shape read;
  if (!ParseShape(read, Adjacent::kNo)) return false;
  shape = loader_.KeepShape(read);
  if (lexer_.at() != guess) return true;
  const auto add = [&](const ShapeSlot& added) {
    size_t at = added.hash & shape_mask_;
    while (shape_slots_[at].shape != nullptr) at = (at + 1) & shape_mask_;
    shape_slots_[at] = added;
  };
  add({start, size, hash, shape});
  if (2 * ++shape_count_ >= shape_slots_.size()) {
    std::vector<ShapeSlot> grown(2 * shape_slots_.size());
    shape_slots_.swap(grown);
    shape_mask_ = shape_slots_.size() - 1;
    for (const ShapeSlot& slot : grown) {
      if (slot.shape != nullptr) add(slot);
    }
  }
  return true;
}

// Array shapes inside tuples are usually in the table.
bool ModuleReader::ParseTupleElement(Shape& shape) {
  if (!IsWordStart(lexer_.Peek())) return ParseShape(shape, Adjacent::kNo);
  const Shape* interned = nullptr;
  if (!ParseInternedShape(interned)) return false;
  shape = *interned;
  return true;
}

namespace {

// Overflow of the size in bytes, multiplied dimension by dimension as in XLA: a later size of 0 does not prevent it.
bool SizeOverflows(const Shape& shape) {
  if (!shape.IsArray()) return false;
  int64_t bytes = StorageBytes(shape.element_type());
  for (const int64_t size : shape.dimensions()) {
    if (size < 0) return false;  // unbounded
    if (__builtin_mul_overflow(bytes, size, &bytes)) return true;
  }
  return false;
}

}  // namespace

// shape = "(" [shape {"," shape}] ")" | "b(" shape ")" | array_shape
bool FragmentReader::ParseShape(Shape& shape, Adjacent adjacent) {
  Nesting nesting(*this, kValueWeight);
  if (lexer_.Peek() == '(') {
    const char* start = lexer_.at();
    if (nesting.TooDeep()) return FailDepth(start);
    lexer_.Accept('(');
    std::vector<Shape> elements;
    if (!lexer_.Accept(')')) {
      do {
        const char* place = (lexer_.SkipBlank(), lexer_.at());
        if (!ParseTupleElement(elements.emplace_back())) return false;
        // In XLA this rule applies to arrays in tuples only.
        if (SizeOverflows(elements.back())) {
          return Fail(place, Format("an array in a tuple takes less than 2^63 bytes; {} takes more",
                                    elements.back().ToString(false)));
        }
      } while (lexer_.Accept(','));
      if (!Expect(')')) return false;
    }
    shape = Shape::Tuple(std::move(elements));
    return true;
  }
  if (lexer_.at()[0] == 'b' && lexer_.at()[1] == '(') {
    if (nesting.TooDeep()) return FailDepth(lexer_.at());
    lexer_.set_at(lexer_.at() + 2);
    const char* place = lexer_.at();
    Shape element;
    if (!ParseShape(element, Adjacent::kNo) || !Expect(')')) return false;
    if (!element.IsArray()) return Fail(place, "a buffer is one of an array");
    shape = Shape::Buffer(std::move(element));
    return true;
  }
  return ParseArrayShape(shape, adjacent);
}

namespace {

// HLO's name for a type by its name in NumPy or MLIR: f32 for float32, s8 for i8; "" for other words.
std::string NameOfOtherType(std::string_view name) {
  if (name == "bool" || name == "i1") return "pred";
  constexpr std::pair<std::string_view, std::string_view> kLetters[] = {
      {"bfloat", "bf"}, {"float", "f"}, {"complex", "c"}, {"uint", "u"}, {"int", "s"}, {"ui", "u"}, {"i", "s"}};
  for (const auto& [other, letter] : kLetters) {
    if (!name.starts_with(other)) continue;
    const std::string meant = std::string(letter) + std::string(name.substr(other.size()));
    return ParsePrimitiveType(meant) ? meant : "";
  }
  return "";
}

}  // namespace

bool FragmentReader::ParseArrayShape(Shape& shape, Adjacent adjacent) {
  const char* start = lexer_.at();
  const Word type_word = lexer_.ReadWord();
  if (type_word.empty()) return FailExpected("a shape");
  std::optional<PrimitiveType> type = ParsePrimitiveType(type_word.text());
  if (!type || *type == PrimitiveType::TUPLE || *type == PrimitiveType::BUFFER) {
    const std::string meant = NameOfOtherType(type_word.text());
    return Fail(start, Format("expected an element type, found '{}'{}", type_word.text(),
                              meant.empty() ? "" : Format("; did you mean '{}'?", meant)));
  }
  if (!Expect('[')) return false;
  DimVector dimensions;
  SmallVector<int64_t, 4> dynamic;
  if (!lexer_.Accept(']')) {
    do {
      if (lexer_.Accept('?')) {
        dynamic.push_back(static_cast<int64_t>(dimensions.size()));
        dimensions.push_back(Shape::kUnboundedSize);
        continue;
      }
      if (lexer_.Accept("<=")) dynamic.push_back(static_cast<int64_t>(dimensions.size()));
      int64_t size = 0;
      const char* place = (lexer_.SkipBlank(), lexer_.at());
      if (!lexer_.ReadInt(size)) return FailExpected("a dimension's size");
      if (size < 0) return Fail(place, "a dimension's size is negative or does not fit into 64 bits");
      dimensions.push_back(size);
    } while (lexer_.Accept(','));
    if (!Expect(']')) return false;
  }
  if (*type == PrimitiveType::TOKEN || *type == PrimitiveType::OPAQUE_TYPE) {
    if (!dimensions.empty()) return Fail(start, Format("{} takes no dimensions", type_word.text()));
    shape = *type == PrimitiveType::TOKEN ? Shape::Token() : Shape::Opaque();
    // Old dumps give them an empty layout.
    return true;
  }
  constexpr int64_t kMostDynamicRank = 64;
  if (!dynamic.empty() && dynamic.back() >= kMostDynamicRank) {
    return FailLimit(start, Format("only the first {} dimensions may be dynamic", kMostDynamicRank));
  }
  const bool fill = options().fill_missing_layouts;
  shape = fill ? Shape::Array(*type, std::move(dimensions)) : Shape(*type, std::move(dimensions));
  for (int64_t i : dynamic) shape.set_dynamic_dimension(i, true);

  // A brace is a layout's only if a number or a colon follows: `f32[] {` begins a computation's body.
  const char* before = lexer_.at();
  if (adjacent == Adjacent::kYes ? *lexer_.at() == '{' : lexer_.Peek() == '{') {
    lexer_.set_at(lexer_.at() + 1);
    const char next = lexer_.Peek();
    if (IsDigit(next) || next == ':') return ParseLayout(shape);
    if (next == '}' && shape.rank() == 0 && adjacent == Adjacent::kYes) {
      lexer_.Accept('}');
      return true;
    }
  }
  lexer_.set_at(before);
  return true;
}

// After the brace: [INT {"," INT}] [":" extras] "}"
bool FragmentReader::ParseLayout(Shape& shape) {
  const char* start = lexer_.at();
  DimVector minor_to_major;
  if (IsDigit(lexer_.Peek())) {
    do {
      int64_t dimension = 0;
      if (!lexer_.ReadInt(dimension)) return FailExpected("a dimension's number");
      minor_to_major.push_back(dimension);
    } while (lexer_.Accept(','));
  }
  const int64_t rank = shape.rank();
  const bool has_extras = lexer_.Accept(':');
  // A permutation, each dimension once.
  constexpr int64_t kFew = 64;
  uint64_t few = 0;
  std::vector<uint64_t> many(rank > kFew ? static_cast<size_t>((rank - 1) / kFew + 1) : 0);
  uint64_t* const seen = rank > kFew ? many.data() : &few;  // a bit each
  bool is_permutation = static_cast<int64_t>(minor_to_major.size()) == rank;
  for (int64_t dimension : minor_to_major) {
    if (dimension < 0 || dimension >= rank || (seen[dimension / kFew] >> dimension % kFew & 1) != 0) {
      is_permutation = false;
      break;
    }
    seen[dimension / kFew] |= uint64_t{1} << dimension % kFew;
  }
  if (!is_permutation) {
    return Fail(start,
                Format("the layout of {} must name each of its {} dimensions once", shape.ToString(false), rank));
  }
  Layout layout(std::move(minor_to_major));
  if (has_extras) {
    LayoutExtras extras;
    if (!ParseLayoutExtras(extras, rank)) return false;
    layout.set_extras(std::move(extras));
  }
  if (!Expect('}')) return false;
  shape.set_layout(std::move(layout));
  return true;
}

// D(…) T(…)(…) L(n) #(type) *(type) E(n) S(n) SC(…) P(shape) M(n), any of them, in this order.
bool FragmentReader::ParseLayoutExtras(LayoutExtras& extras, int64_t rank) {
  int next = 0;  // the number of parts that may no longer follow
  const auto is_next = [&](const auto& name, int part) {
    if (next > part || !lexer_.Accept(name)) return false;
    return next = part + 1, true;
  };
  auto read_number = [&](int64_t& value) {
    return Expect('(') && (lexer_.ReadInt(value) || FailExpected("a number")) && Expect(')');
  };
  auto read_type = [&](PrimitiveType& type) {
    if (!Expect('(')) return false;
    const char* place = lexer_.at();
    std::optional<PrimitiveType> found = ParsePrimitiveType(lexer_.ReadWord().text());
    if (!found || !IsInteger(*found) || IsSigned(*found)) return Fail(place, "expected an unsigned integer type");
    type = *found;
    return Expect(')');
  };
  while (lexer_.Peek() != '}') {
    const char* place = lexer_.at();
    if (is_next("SC(", 7)) {
      do {
        SplitConfig& split = extras.split_configs.emplace_back();
        if (!lexer_.ReadInt(split.dimension)) return FailExpected("a dimension's number");
        if (!Expect(':')) return false;
        if (lexer_.Accept(')')) continue;
        do {
          int64_t index = 0;
          if (!lexer_.ReadInt(index)) return FailExpected("a split index");
          split.split_indices.push_back(index);
        } while (lexer_.Accept(','));
        if (!Expect(')')) return false;
      } while (lexer_.Accept('('));
    } else if (is_next("T", 1)) {
      if (lexer_.Peek() != '(') return FailExpected("'('");
      while (lexer_.Accept('(')) {
        Tile& tile = extras.tiles.emplace_back();
        do {
          int64_t size = Tile::kCombine;
          if (!lexer_.Accept('*') && !lexer_.ReadInt(size)) return FailExpected("a tile's size");
          tile.dimensions.push_back(size);
        } while (lexer_.Accept(','));
        if (!Expect(')')) return false;
      }
    } else if (is_next("D", 0)) {
      if (!Expect('(')) return false;
      do {
        DimLevel& level = extras.dim_levels.emplace_back();
        level.type = lexer_.Peek();
        if (std::string_view("DCSH").find(level.type) == std::string_view::npos) {
          return FailExpected("a dimension's level: D, C, S or H");
        }
        lexer_.set_at(lexer_.at() + 1);
        level.non_unique = lexer_.Accept('+');
        level.non_ordered = lexer_.Accept('~');
      } while (lexer_.Accept(','));
      if (static_cast<int64_t>(extras.dim_levels.size()) != rank) {
        return Fail(place, Format("{} dimension levels for {} dimensions", extras.dim_levels.size(), rank));
      }
      if (!Expect(')')) return false;
    } else if (is_next("L", 2)) {
      if (!read_number(extras.tail_padding_alignment_in_elements)) return false;
    } else if (is_next("#", 3)) {
      if (!read_type(extras.index_primitive_type)) return false;
    } else if (is_next("*", 4)) {
      if (!read_type(extras.pointer_primitive_type)) return false;
    } else if (is_next("E", 5)) {
      if (!read_number(extras.element_size_in_bits)) return false;
    } else if (is_next("S", 6)) {
      if (!read_number(extras.memory_space)) return false;
    } else if (is_next("P", 8)) {
      Nesting nesting(*this, kValueWeight);
      if (nesting.TooDeep()) return FailDepth(place);
      Shape physical;
      if (!Expect('(') || !ParseShape(physical, Adjacent::kNo) || !Expect(')')) return false;
      if (std::all_of(extras.dim_levels.begin(), extras.dim_levels.end(), [](auto& l) { return l.type == 'D'; })) {
        return Fail(place, "only a sparse layout has a physical shape");
      }
      extras.physical_shape = std::make_shared<const Shape>(std::move(physical));
    } else if (is_next("M", 9)) {
      if (!read_number(extras.dynamic_shape_metadata_prefix_bytes)) return false;
    } else {
      return FailExpected("a layout's part (T D L # * E S SC P M) or '}'");
    }
  }
  return true;
}

}  // namespace hloir
