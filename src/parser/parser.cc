// The entry points of parser.h, and how errors read. The parsing itself: see hlo_parser.h.
#include "hloir/parser.h"
#include "support/format.h"

#include <algorithm>

#include "hlo_parser.h"

namespace hloir {

bool HloParser::Fail(const char* place, std::string message) {
  if (error_code_ == StatusCode::kOk) {
    error_code_ = StatusCode::kInvalidArgument;
    error_at_ = place;
    error_message_ = std::move(message);
  }
  return false;
}

bool HloParser::FailLimit(const char* place, std::string message) {
  Fail(place, std::move(message));
  if (error_at_ == place) error_code_ = StatusCode::kResourceExhausted;
  return false;
}

bool HloParser::FailExpected(std::string_view what) {
  std::string found = DescribeNext();
  return Fail(lexer_.at(), Format("expected {}, found {}", what, found));
}

bool HloParser::FailExpected(char c) { return FailExpected(std::string{'\'', c, '\''}); }

// What stands at the lexer's place, for messages.
std::string HloParser::DescribeNext() {
  constexpr size_t kLongest = 40;
  const char c = lexer_.Peek();
  const char* at = lexer_.at();
  if (at == lexer_.end()) return "the end of the text";
  if (c == '\0') return "a NUL byte";
  if (c == '/' && at[1] == '*') return "a comment that does not end";
  if (c == '"' || c == '\'') {
    std::string_view raw;
    bool has_escapes;
    if (!lexer_.ReadQuoted(raw, has_escapes)) return "a string that does not end";
    lexer_.set_at(at);
    return raw.size() <= kLongest ? Format("{}{}{}", c, raw, c) : "a string";
  }
  const char* stop = at;
  if (c == '%') ++stop;
  while (lexer_internal::Is(*stop, lexer_internal::kWordPart)) ++stop;
  if (stop == at) ++stop;
  if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') {
    return Format("byte 0x{:02x}", static_cast<unsigned char>(c));
  }
  return Format("'{}'", std::string_view(at, std::min<size_t>(stop - at, kLongest)));
}

bool HloParser::ExpectEnd() { return lexer_.AtEnd() || FailExpected("the end of the text"); }

Status HloParser::TakeStatus() const {
  if (error_code_ == StatusCode::kOk) return OkStatus();
  const char* begin = lexer_.begin();
  const char* line_start = error_at_;
  while (line_start > begin && line_start[-1] != '\n') --line_start;
  const char* line_end = std::find(error_at_, lexer_.end(), '\n');
  const auto line_number = 1 + std::count(begin, line_start, '\n');
  // Long lines are cut around the place. Tabs stay, so that the caret stands right whatever their width.
  constexpr ptrdiff_t kBefore = 100, kAfter = 60;
  const char* from = error_at_ - line_start > kBefore ? error_at_ - kBefore : line_start;
  const char* to = line_end - error_at_ > kAfter ? error_at_ + kAfter : line_end;
  std::string source(from, to), caret(from, error_at_);
  for (char& c : source) {
    if (static_cast<unsigned char>(c) < ' ' && c != '\t') c = ' ';
  }
  for (char& c : caret) {
    if (c != '\t') c = ' ';
  }
  return Status(error_code_, Format("{}:{}:{}: error: {}\n{}\n{}^", options_.file_name, line_number,
                                    error_at_ - line_start + 1, error_message_, source, caret));
}

namespace {

using ModulePtr = std::unique_ptr<HloModule>;

StatusOr<std::vector<ModulePtr>> ParseSome(std::shared_ptr<const std::string> owner, const ParserOptions& options,
                                           bool only_one) {
  HloParser parser(*owner, options);
  parser.set_owner(owner);
  parser.set_several_modules(!only_one);
  std::vector<ModulePtr> modules;
  do {
    ModulePtr module;
    if (!parser.ParseModule(module)) return parser.TakeStatus();
    modules.push_back(std::move(module));
  } while (!only_one && !parser.AtEnd());
  if (!parser.ExpectEnd()) return parser.TakeStatus();
  return modules;
}

// Metadata that was read from a copy looks into the text itself.
void LookInto(std::string_view text, std::string_view copy, Sharding& sharding) {
  for (OpMetadata& m : sharding.metadata) {
    for (std::string_view* view :
         {&m.op_type, &m.op_name, &m.source_file, &m.deduplicated_name, &m.scheduling_name, &m.metadata_payload}) {
      if (!view->empty()) *view = text.substr(static_cast<size_t>(view->data() - copy.data()), view->size());
    }
  }
  for (Sharding& element : sharding.tuple_elements) LookInto(text, copy, element);
}

template <class T, class ReadFn>
StatusOr<T> ParseFragment(std::string_view text, ReadFn read) {
  const std::string copy(text);  // ends with NUL, as the lexer needs
  ParserOptions options;
  HloParser parser(copy, options);
  T value{};
  if (!read(parser, value) || !parser.ExpectEnd()) return parser.TakeStatus();
  if constexpr (std::is_same_v<T, Sharding>) LookInto(text, copy, value);
  return value;
}
template <class T>
StatusOr<T> ParseFragment(std::string_view text) {
  return ParseFragment<T>(text, [](HloParser& parser, T& value) { return parser.Read(value); });
}

}  // namespace

StatusOr<ModulePtr> ParseHloModule(std::string text, const ParserOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(std::vector<ModulePtr> modules,
                         ParseSome(std::make_shared<const std::string>(std::move(text)), options, /*only_one=*/true));
  return std::move(modules.front());
}

StatusOr<std::vector<ModulePtr>> ParseHloModules(std::string text, const ParserOptions& options) {
  return ParseHloModules(std::make_shared<const std::string>(std::move(text)), options);
}

StatusOr<std::vector<ModulePtr>> ParseHloModules(std::shared_ptr<const std::string> text,
                                                 const ParserOptions& options) {
  return ParseSome(std::move(text), options, /*only_one=*/false);
}

StatusOr<Shape> ParseShape(std::string_view text) { return ParseFragment<Shape>(text); }
StatusOr<Sharding> ParseSharding(std::string_view text) { return ParseFragment<Sharding>(text); }
StatusOr<ReplicaGroups> ParseReplicaGroups(std::string_view text) { return ParseFragment<ReplicaGroups>(text); }
StatusOr<Window> ParseWindow(std::string_view text) { return ParseFragment<Window>(text); }
StatusOr<ConvDimensionNumbers> ParseConvDimensionNumbers(std::string_view text) {
  return ParseFragment<ConvDimensionNumbers>(text);
}
StatusOr<PaddingConfig> ParsePadding(std::string_view text) { return ParseFragment<PaddingConfig>(text); }
StatusOr<Literal> ParseLiteral(std::string_view text) {
  return ParseFragment<Literal>(text,
                                [](HloParser& parser, Literal& value) { return parser.ParseShapedLiteral(value); });
}

}  // namespace hloir
