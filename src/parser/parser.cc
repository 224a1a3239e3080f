// The entry points of parser.h. The parsing itself: module_reader.h and fragment_reader.h.
#include "hloir/parser.h"

#include "module_reader.h"
#include "parser_cores.h"
#include "support/guard.h"

namespace hloir {
namespace {

using ModulePtr = std::unique_ptr<HloModule>;

StatusOr<std::vector<ModulePtr>> ParseSome(const std::shared_ptr<const std::string>& text, const ParserOptions& options,
                                           bool only_one, const ParserCores& cores = {}, size_t* parts = nullptr) {
  TextCursor cursor(*text, options);
  std::vector<ModulePtr> modules;
  do {
    ModuleReader reader(cursor, text, /*several_modules=*/!only_one, cores);
    modules.push_back(reader.ReadModule());
    cursor = reader.cursor();
    if (parts != nullptr) *parts = reader.part_count();
    if (modules.back() == nullptr) return cursor.TakeStatus();
  } while (!only_one && !cursor.AtEnd());
  if (!cursor.ExpectEnd()) return cursor.TakeStatus();
  return modules;
}

template <class T, class ReadFn>
StatusOr<T> ParseFragment(std::string_view text, ReadFn read) {
  const std::string copy(text);  // ends with NUL, as the lexer needs
  const ParserOptions options;
  FragmentReader reader{TextCursor(copy, options)};
  T value{};
  if (!read(reader, value) || !reader.ExpectEnd()) return reader.TakeStatus();
  return value;
}
template <class T>
StatusOr<T> ParseFragment(std::string_view text) {
  return ParseFragment<T>(text, [](FragmentReader& reader, T& value) { return reader.Read(value); });
}

}  // namespace

StatusOr<ModulePtr> ParseModule(std::string text, const ParserOptions& options, const ParserCores& cores,
                                size_t* parts) try {
  HLOIR_ASSIGN_OR_RETURN(std::vector<ModulePtr> modules, ParseSome(std::make_shared<const std::string>(std::move(text)),
                                                                   options, /*only_one=*/true, cores, parts));
  return std::move(modules.front());
} catch (...) {
  return OutOfMemory();
}

StatusOr<ModulePtr> ParseModule(std::string text, const ParserOptions& options) {
  return ParseModule(std::move(text), options, ParserCores());
}

StatusOr<std::vector<ModulePtr>> ParseModules(std::string text, const ParserOptions& options) {
  return ParseModules(std::make_shared<const std::string>(std::move(text)), options);
}

StatusOr<std::vector<ModulePtr>> ParseModules(std::shared_ptr<const std::string> text,
                                              const ParserOptions& options) try {
  return ParseSome(std::move(text), options, /*only_one=*/false);
} catch (...) {
  return OutOfMemory();
}

StatusOr<Shape> ParseShape(std::string_view text) { return ParseFragment<Shape>(text); }
StatusOr<Sharding> ParseSharding(std::string_view text) { return ParseFragment<Sharding>(text); }
StatusOr<ReplicaGroups> ParseReplicaGroups(std::string_view text) { return ParseFragment<ReplicaGroups>(text); }
StatusOr<Window> ParseWindow(std::string_view text) { return ParseFragment<Window>(text); }
StatusOr<ConvDimensionNumbers> ParseConvDimensionNumbers(std::string_view text) {
  return ParseFragment<ConvDimensionNumbers>(text);
}
StatusOr<PaddingConfig> ParsePadding(std::string_view text) { return ParseFragment<PaddingConfig>(text); }

StatusOr<Literal> ParseLiteral(std::string_view text) try {
  return ParseFragment<Literal>(
      text, [](FragmentReader& reader, Literal& value) { return reader.ParseShapedLiteral(value); });
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
