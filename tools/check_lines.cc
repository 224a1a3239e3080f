// See check_lines.h. A directive is matched within a line: a position in the text is a line and an offset in it.
#include "tools/check_lines.h"

#include <algorithm>
#include <charconv>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "tools/terminal.h"

namespace hloir::tool {
namespace {

enum class Kind { kPlain, kNext, kSame, kNot, kDag };

// A part of a pattern: literal text, a regular expression, or a variable, which `regex` defines unless it is "".
struct Part {
  enum class Kind { kText, kRegex, kDefine, kUse } kind;
  std::string text, regex;  // of a variable: its name
};

struct Directive {
  Kind kind = Kind::kPlain;
  std::string name;  // "CHECK-NEXT"
  std::vector<Part> parts;
  std::string source;
  size_t line = 0;  // in the file of checks, from 1
};

struct Position {
  size_t line = 0, offset = 0;
  auto operator<=>(const Position&) const = default;
};

struct Span {
  Position begin, end;
};

using Variables = std::map<std::string, std::string>;

// Blanks and tabs of any number are one blank.
std::string OneBlank(std::string_view text) {
  std::string out;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank) out += c;
    else if (out.empty() || out.back() != ' ') out += ' ';
  }
  return out;
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(OneBlank(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool IsName(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

Status CheckRegex(const std::string& regex) {
  const RE2 compiled(regex, RE2::Quiet);
  return compiled.ok() ? OkStatus() : InvalidArgument(fmt::format("{}: {}", regex, compiled.error()));
}

StatusOr<std::vector<Part>> ParsePattern(std::string_view text) {
  std::vector<Part> parts;
  while (!text.empty()) {
    const size_t open = std::min(text.find("{{"), text.find("[["));
    if (open != 0) parts.push_back({Part::Kind::kText, std::string(text.substr(0, open)), ""});
    if (open >= text.size()) break;
    text.remove_prefix(open);
    const bool regex = text[0] == '{';
    size_t close = text.find(regex ? "}}" : "]]", 2);
    if (close == std::string_view::npos) return InvalidArgument(regex ? "'{{' has no '}}'" : "'[[' has no ']]'");
    while (close + 2 < text.size() && text[close + 2] == (regex ? '}' : ']')) ++close;  // "{{a{2}}}", "[[X:[a-z]]]"
    const std::string inside(text.substr(2, close - 2));
    text.remove_prefix(close + 2);
    if (regex) {
      HLOIR_RETURN_IF_ERROR(CheckRegex(inside));
      parts.push_back({Part::Kind::kRegex, "", inside});
      continue;
    }
    const size_t colon = std::min(inside.find(':'), inside.size());
    const std::string name = inside.substr(0, colon);
    if (!IsName(name)) return InvalidArgument(fmt::format("'{}' is not the name of a variable", name));
    const bool defines = colon < inside.size();
    if (defines) HLOIR_RETURN_IF_ERROR(CheckRegex(inside.substr(colon + 1)));
    parts.push_back({defines ? Part::Kind::kDefine : Part::Kind::kUse, name, defines ? inside.substr(colon + 1) : ""});
  }
  return parts;
}

// Parses the text between the prefix and the colon ("" is CHECK itself), and the repeat count of the directive.
std::optional<std::pair<Kind, int>> KindNamed(std::string_view suffix) {
  if (suffix.empty()) return {{Kind::kPlain, 1}};
  if (suffix == "-NEXT") return {{Kind::kNext, 1}};
  if (suffix == "-SAME") return {{Kind::kSame, 1}};
  if (suffix == "-NOT") return {{Kind::kNot, 1}};
  if (suffix == "-DAG") return {{Kind::kDag, 1}};
  int count = 0;
  constexpr std::string_view kCount = "-COUNT-";
  if (!suffix.starts_with(kCount)) return std::nullopt;
  suffix.remove_prefix(kCount.size());
  const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), count);
  if (error != std::errc() || end != suffix.data() + suffix.size() || count < 1 || count > 10000) return std::nullopt;
  return {{Kind::kPlain, count}};
}

bool InWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

// The directive in a line; nullopt if there is none.
Status AddDirective(const std::string& line, size_t number, std::string_view prefix, std::vector<Directive>& out) {
  for (size_t at = line.find(prefix); at != std::string::npos; at = line.find(prefix, at + 1)) {
    if (at > 0 && InWord(line[at - 1])) continue;
    size_t colon = at + prefix.size();
    while (colon < line.size() && InWord(line[colon])) ++colon;
    if (colon >= line.size() || line[colon] != ':') continue;
    const std::string_view suffix = std::string_view(line).substr(at + prefix.size(), colon - at - prefix.size());
    if (!suffix.empty() && suffix[0] != '-') continue;
    const auto kind = KindNamed(suffix);
    const std::string name = line.substr(at, colon - at);
    if (!kind) {
      return InvalidArgument(fmt::format(
          "there is no {0}; there are {1}, {1}-NEXT, {1}-SAME, {1}-NOT, {1}-DAG and {1}-COUNT-n", name, prefix));
    }
    std::string source = line.substr(colon + 1);
    source.erase(0, std::min(source.find_first_not_of(' '), source.size()));
    while (source.ends_with(' ')) source.pop_back();
    if (source.empty()) return InvalidArgument(name + " has no pattern");
    Directive made{kind->first, name, {}, source, number};
    HLOIR_ASSIGN_OR_RETURN(made.parts, ParsePattern(source));
    for (int k = 0; k < kind->second; ++k) out.push_back(made);
    return OkStatus();
  }
  return OkStatus();
}

// One run over the text.
class Matcher {
 public:
  Matcher(std::vector<std::string> lines, const std::string& checks_name, const std::string& text_name)
      : lines_(std::move(lines)), checks_name_(checks_name), text_name_(text_name) {}

  // The first failure, or "".
  std::string Run(const std::vector<Directive>& directives) {
    std::vector<const Directive*> nots;
    for (size_t k = 0; k < directives.size() && failure_.empty();) {
      if (directives[k].kind == Kind::kNot) {
        nots.push_back(&directives[k++]);
        continue;
      }
      const Position from = at_;
      size_t end = k + 1;
      while (directives[k].kind == Kind::kDag && end < directives.size() && directives[end].kind == Kind::kDag) ++end;
      const std::optional<Position> begin =
          directives[k].kind == Kind::kDag ? Dags({&directives[k], end - k}) : One(directives[k]);
      if (begin) Absent(nots, from, *begin);
      nots.clear();
      k = end;
    }
    if (failure_.empty()) Absent(nots, at_, {lines_.size(), 0});
    return failure_;
  }

 private:
  // Matches a directive other than -NOT and -DAG; returns the begin of the match.
  std::optional<Position> One(const Directive& directive) {
    size_t first = at_.line, last = lines_.size();
    const bool next = directive.kind == Kind::kNext;
    if (next || directive.kind == Kind::kSame) {
      if (!matched_) return Fail(directive, "stands before every other check, and has no line to follow", at_);
      first += next ? 1 : 0;
      last = std::min(first + 1, last);
    }
    const Position from = next ? Position{first, 0} : at_;
    const std::optional<Span> found = Find(directive, from, last, true);
    if (!found) {
      const char* where = next                            ? "the next line does not match"
                          : directive.kind == Kind::kSame ? "the rest of the line does not match"
                                                          : "nothing below matches";
      return Fail(directive, where, from);
    }
    at_ = found->end, matched_ = true;
    return found->begin;
  }

  // Matches directives in any order, without overlap; returns the begin of the first match.
  std::optional<Position> Dags(std::span<const Directive> group) {
    std::vector<Span> taken;
    for (const Directive& directive : group) {
      Position from = at_;
      std::optional<Span> found;
      while ((found = Find(directive, from, lines_.size(), false))) {
        const auto overlaps = std::find_if(taken.begin(), taken.end(), [&](const Span& other) {
          return found->begin < other.end && other.begin < found->end;
        });
        if (overlaps == taken.end()) break;
        from = overlaps->end;
      }
      if (!found) return Fail(directive, "nothing below matches", at_);
      Find(directive, from, lines_.size(), true);
      taken.push_back(*found);
    }
    Position begin = taken[0].begin;
    for (const Span& span : taken) begin = std::min(begin, span.begin), at_ = std::max(at_, span.end);
    matched_ = true;
    return begin;
  }

  void Absent(const std::vector<const Directive*>& nots, Position from, Position to) {
    for (const Directive* directive : nots) {
      const std::optional<Span> found = Find(*directive, from, std::min(to.line + 1, lines_.size()), false);
      if (failure_.empty() && found && found->end <= to) Fail(*directive, "this matches", found->begin);
    }
  }

  // The first match in lines up to `last`; `define` keeps the values of its variables.
  std::optional<Span> Find(const Directive& directive, Position from, size_t last, bool define) {
    for (size_t line = from.line; line < last; ++line) {
      const size_t offset = line == from.line ? from.offset : 0;
      Variables defined;
      const std::optional<std::pair<size_t, size_t>> found = FindIn(directive, lines_[line], offset, defined);
      if (!failure_.empty()) return std::nullopt;
      if (!found) continue;
      if (define) {
        for (auto& [name, value] : defined) variables_[name] = std::move(value);
      }
      return Span{{line, found->first}, {line, found->second}};
    }
    return std::nullopt;
  }

  std::optional<std::pair<size_t, size_t>> FindIn(const Directive& directive, const std::string& line, size_t offset,
                                                  Variables& defined) {
    // A variable that is used in the pattern that defines it: RE2 has no back-references, so all values are tried, from
    // the left and long ones first.
    for (size_t k = 0; k < directive.parts.size(); ++k) {
      const Part& part = directive.parts[k];
      const auto is_use = [&](const Part& p) { return p.kind == Part::Kind::kUse && p.text == part.text; };
      if (part.kind != Part::Kind::kDefine || defined.contains(part.text) ||
          std::none_of(directive.parts.begin() + static_cast<std::ptrdiff_t>(k), directive.parts.end(), is_use))
        continue;
      const RE2 regex(part.regex, RE2::Quiet);
      for (size_t begin = offset; begin < line.size(); ++begin) {
        for (size_t end = line.size(); end > begin; --end) {
          const std::string value = line.substr(begin, end - begin);
          if (line.find(value, end) == std::string::npos || !RE2::FullMatch(value, regex)) continue;
          Variables with = defined;
          with[part.text] = value;
          if (const auto found = FindIn(directive, line, offset, with)) {
            defined = std::move(with);
            return found;
          }
        }
      }
      return std::nullopt;
    }
    std::string pattern;
    std::vector<std::string> names;
    for (const Part& part : directive.parts) {
      const auto given = defined.find(part.text);
      if (part.kind == Part::Kind::kText) {
        pattern += RE2::QuoteMeta(part.text);
      } else if (part.kind == Part::Kind::kRegex) {
        pattern += "(?:" + part.regex + ")";
      } else if (given != defined.end()) {
        pattern += RE2::QuoteMeta(given->second);
      } else if (part.kind == Part::Kind::kDefine) {
        pattern += fmt::format("(?P<v{}>{})", names.size(), part.regex);
        names.push_back(part.text);
      } else if (const auto value = variables_.find(part.text); value != variables_.end()) {
        pattern += RE2::QuoteMeta(value->second);
      } else {
        (void)Fail(directive, "the variable " + part.text + " has no value yet", at_);
        return std::nullopt;
      }
    }
    const RE2& regex = Compiled(pattern);
    if (!regex.ok()) {
      (void)Fail(directive, regex.error(), at_);
      return std::nullopt;
    }
    std::vector<re2::StringPiece> groups(static_cast<size_t>(regex.NumberOfCapturingGroups()) + 1);
    const re2::StringPiece text(line);
    if (!regex.Match(text, offset, line.size(), RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size())))
      return std::nullopt;
    for (size_t k = 0; k < names.size(); ++k) {
      const auto group = static_cast<size_t>(regex.NamedCapturingGroups().at(fmt::format("v{}", k)));
      defined[names[k]] = std::string(groups[group]);
    }
    const auto begin = static_cast<size_t>(groups[0].data() - text.data());
    return {{begin, begin + groups[0].size()}};
  }

  // Caches the last one, which is requested again on every line.
  const RE2& Compiled(const std::string& pattern) {
    if (compiled_ == nullptr || compiled_->pattern() != pattern) compiled_ = std::make_unique<RE2>(pattern, RE2::Quiet);
    return *compiled_;
  }

  std::optional<Position> Fail(const Directive& directive, const std::string& what, Position where) {
    if (!failure_.empty()) return std::nullopt;
    failure_ = fmt::format("{}:{}: {}: {}\n  {}\n", checks_name_, directive.line, directive.name,
                           Printable(directive.source), what);
    const size_t first = std::min(where.line, lines_.size()), last = std::min(first + 5, lines_.size());
    if (first == last) failure_ += fmt::format("{} ends here\n", text_name_);
    for (size_t line = first; line < last; ++line)
      failure_ += fmt::format("{}:{}: {}\n", text_name_, line + 1, Printable(lines_[line]));
    for (const Part& part : directive.parts) {
      const auto value = variables_.find(part.text);
      if (part.kind == Part::Kind::kUse && value != variables_.end())
        failure_ += fmt::format("  {} is \"{}\"\n", part.text, Printable(value->second));
    }
    return std::nullopt;
  }

  const std::vector<std::string> lines_;
  const std::string &checks_name_, &text_name_;
  Position at_;           // behind the last match
  bool matched_ = false;  // there was one
  Variables variables_;
  std::string failure_;
  std::unique_ptr<RE2> compiled_;
};

}  // namespace

StatusOr<std::string> CheckLines(std::string_view checks, std::string_view text, std::string_view prefix,
                                 const std::string& checks_name, const std::string& text_name) {
  std::vector<Directive> directives;
  size_t number = 0;
  for (const std::string& line : LinesOf(checks)) {
    if (Status added = AddDirective(line, ++number, prefix, directives); !added.ok())
      return InvalidArgument(fmt::format("{}:{}: error: {}", checks_name, number, added.message()));
  }
  if (directives.empty()) return InvalidArgument(fmt::format("{}: it has no line with {}:", checks_name, prefix));
  return Matcher(LinesOf(text), checks_name, text_name).Run(directives);
}

}  // namespace hloir::tool
