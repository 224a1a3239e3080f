// See answers.h.
#include "lsp/answers.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "hloir/opcode.h"
#include "hloir/printer.h"
#include "lsp/opcode_help.h"
#include "support/format.h"
#include "support/text.h"

namespace hloir::lsp {
namespace {

const Outline::Instruction& At(const Document& document, int32_t index) {
  return document.outline().instructions[static_cast<size_t>(index)];
}
const Outline::Computation& ComputationAt(const Document& document, int32_t index) {
  return document.outline().computations[static_cast<size_t>(index)];
}

Json Place(const Document& document, const std::string& uri, Range range) {
  return {{"uri", uri}, {"range", ToJson(document, range)}};
}
Range NameOf(const Document& document, const Spot& spot) {
  return spot.kind == Spot::Kind::kComputation ? ComputationAt(document, spot.target).name
                                               : At(document, spot.target).name;
}
// A spot that refers to an existing instruction or computation.
std::optional<Spot> NamedAt(const Document& document, size_t offset) {
  const std::optional<Spot> spot = SpotAt(document.outline(), document.text(), offset);
  const bool named =
      spot && spot->target >= 0 && (spot->kind == Spot::Kind::kInstruction || spot->kind == Spot::Kind::kComputation);
  return named ? spot : std::nullopt;
}
std::vector<Spot> SpotsOf(const Document& document, const Spot& spot) {
  return lsp::SpotsOf(document.outline(), document.text(), spot.kind, spot.target);
}

// Removes backticks and line ends, which cannot be in inline code.
std::string Code(std::string_view text, size_t width = 120) {
  std::string code = ShortName(text, width);
  std::replace(code.begin(), code.end(), '`', '\'');
  return "`" + code + "`";
}
std::string CodeBlock(std::string_view text) {
  std::string line = Printable(ShortName(text, 400, false));
  for (size_t at = 0; (at = line.find("```", at)) != std::string::npos;) line.replace(at, 3, "'''");
  return "```hlo\n" + line + "\n```\n";
}
std::string Bytes(double bytes) { return HumanBytes(static_cast<int64_t>(std::min(bytes, 0x1p62))); }

std::string ShapeLine(const Shape& shape) {
  std::string line = "- shape " + Code(shape.ToString(false));
  if (shape.IsTuple()) return line + Format(", {} elements, {}\n", shape.tuple_size(), Bytes(double(shape.ByteSize())));
  if (!shape.IsArray()) return line + "\n";
  line += Format(": {} elements, {}\n", shape.ElementCount(), Bytes(static_cast<double>(shape.ByteSize())));
  if (!shape.has_layout() || shape.rank() < 2) return line;
  return line + "- layout " + Code(shape.layout().ToString()) +
         (shape.layout().IsMajorToMinor()
              ? ", row-major: neighbours along the last dimension lie side by side\n"
              : Format(": neighbours along dimension {} lie side by side\n", shape.layout().minor_to_major()[0]));
}

std::string CostLine(const Document& document, const HloInstruction& i) {
  const ModuleStats* stats = document.StatsOf(*i.module());
  if (stats == nullptr) return "";
  for (const ModuleStats::Step& step : stats->steps) {
    if (step.instruction != &i) continue;
    // A step's cost is of all its runs.
    std::string line = Format("- cost: {} FLOPs", HumanCount(step.cost.flops));
    if (step.cost.transcendentals > 0) line += Format(", {} transcendentals", HumanCount(step.cost.transcendentals));
    line += Format(", {} moved", Bytes(step.cost.bytes));
    if (step.times > 1) line += Format(", in {} runs", HumanCount(step.times));
    return line + Format(" ({:.1f} % of the module)\n", step.share * 100);
  }
  return "";
}

template <class List>
std::string Names(const List& list, std::string_view word) {
  if (list.empty()) return "";
  std::string line = Format("- {} {}{}: ", list.size(), word, list.size() == 1 ? "" : "s");
  size_t shown = 0;
  for (const auto* each : list) {
    if (shown == 8) return line + ", …\n";
    line += (shown++ == 0 ? "" : ", ") + Code(each->name(), 60);
  }
  return line + "\n";
}

std::string About(const Document& document, const HloInstruction& i) {
  PrintOptions options = PrintOptions::ShortParsable();
  options.print_metadata = false;
  options.print_backend_config = false;
  std::string text = CodeBlock(PrintInstruction(i, options));
  text += std::string(OpcodeFormula(i.opcode())) + "\n\n" + ShapeLine(i.shape()) + CostLine(document, i);
  text += Names(i.users(), "user");
  if (i.users().empty() && i.IsRoot()) text += "- the result of its computation\n";
  if (i.metadata() != nullptr && !i.metadata()->op_name.empty())
    text += "- op_name " + Code(i.metadata()->op_name) + "\n";
  if (const auto line = SourceOf(i)) {
    text += "- from " + Code(line->ToString());
    if (!line->function.empty()) text += ", " + Code(line->function);
    text += "\n";
  }
  return text;
}

std::string About(const Document& document, const HloComputation& computation) {
  std::string head(computation.name());
  head += " (";
  for (const HloInstruction* parameter : computation.parameters())
    head += (parameter == computation.parameter(0) ? "" : ", ") + std::string(parameter->name()) + ": " +
            parameter->shape().ToString(false);
  head += ") -> " + computation.root()->shape().ToString(false);
  std::string text = CodeBlock(head);
  text += Format("- {} instructions{}\n", computation.instruction_count(), computation.IsEntry() ? ", the entry" : "");
  const ModuleStats* stats = document.StatsOf(*computation.module());
  for (size_t k = 0; stats != nullptr && k < stats->computations.size(); ++k) {
    const ModuleStats::Computation& known = stats->computations[k];
    if (known.computation != &computation) continue;
    text += Format("- one run: {} FLOPs, {} moved", HumanCount(known.cost.flops), Bytes(known.cost.bytes));
    if (known.times > 1) text += Format("; {} runs", HumanCount(known.times));
    text += "\n";
  }
  return text + Names(computation.callers(), "caller");
}

Json Markdown(const Document& document, std::string text, Range range) {
  return {{"contents", {{"kind", "markdown"}, {"value", std::move(text)}}}, {"range", ToJson(document, range)}};
}

bool IsHex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

Position PositionIn(const Json& json, const char* key) {
  const auto at = [](const Json& object, const char* name) -> const Json* {
    if (!object.is_object()) return nullptr;
    const auto it = object.find(name);
    return it == object.end() ? nullptr : &*it;
  };
  const Json* const place = at(json, key);
  const auto number = [&](const char* name) {
    const Json* const found = place == nullptr ? nullptr : at(*place, name);
    if (found == nullptr || !found->is_number_integer()) return int64_t{0};
    if (found->is_number_unsigned()) return static_cast<int64_t>(std::min<uint64_t>(found->get<uint64_t>(), INT32_MAX));
    return std::clamp<int64_t>(found->get<int64_t>(), 0, INT32_MAX);
  };
  return {number("line"), number("character")};
}

Json ToJson(const Document& document, Range range) {
  const Position begin = document.PositionOf(range.begin), end = document.PositionOf(range.end);
  return {{"start", {{"line", begin.line}, {"character", begin.character}}},
          {"end", {{"line", end.line}, {"character", end.character}}}};
}

Json Hover(const Document& document, size_t offset) {
  const std::optional<Spot> spot = SpotAt(document.outline(), document.text(), offset);
  if (!spot) {
    // Elsewhere in an instruction, the hover is that of the instruction.
    const int32_t index = document.outline().InstructionAt(offset);
    const HloInstruction* known = index < 0 ? nullptr : document.InstructionOf(index);
    return known == nullptr ? Json() : Markdown(document, About(document, *known), At(document, index).name);
  }
  const std::string_view word = spot->range.In(document.text());
  if (spot->kind == Spot::Kind::kComputation) {
    const HloComputation* known = spot->target < 0 ? nullptr : document.ComputationOf(spot->target);
    return known == nullptr ? Json() : Markdown(document, About(document, *known), spot->range);
  }
  const bool is_name = spot->kind == Spot::Kind::kInstruction;
  const int32_t index = is_name ? spot->target : spot->owner;
  const HloInstruction* known = index < 0 ? nullptr : document.InstructionOf(index);
  if (known != nullptr) return Markdown(document, About(document, *known), spot->range);
  // The text does not parse, and never did.
  if (spot->kind == Spot::Kind::kOpcode) {
    if (const auto opcode = ParseOpcode(word))
      return Markdown(document, "**" + std::string(word) + "**: " + std::string(OpcodeFormula(*opcode)), spot->range);
  }
  if (is_name && index >= 0)
    return Markdown(document, CodeBlock(At(document, index).whole.In(document.text())), spot->range);
  return {};
}

namespace {

namespace fs = std::filesystem;

// The file that a module calls `name`: a relative name starts at the document's folder or at one of the workspace's; a
// name from another machine, at the folder in it that is called as one of the workspace's. Empty if there is none.
fs::path SourceFile(const fs::path& name, const fs::path& folder, const std::vector<std::string>& workspace) {
  std::vector<fs::path> places = {folder / name};
  for (const std::string& root : workspace) places.push_back(root / name);
  for (const fs::path root : workspace) {
    for (auto part = name.begin(); part != name.end(); ++part) {
      if (*part != (root.has_filename() ? root : root.parent_path()).filename()) continue;
      fs::path place = root;
      for (auto rest = std::next(part); rest != name.end(); ++rest) place /= *rest;
      places.push_back(std::move(place));
    }
  }
  std::error_code error;
  for (const fs::path& place : places)
    if (fs::is_regular_file(place, error)) return place;
  return {};
}

}  // namespace

Json Definition(const Document& document, const std::string& uri, size_t offset,
                const std::vector<std::string>& folders) {
  if (const auto spot = NamedAt(document, offset)) return Place(document, uri, NameOf(document, *spot));
  const int32_t index = document.outline().InstructionAt(offset);
  if (index < 0 || !At(document, index).metadata.Has(offset)) return {};
  const HloInstruction* known = document.InstructionOf(index);
  const auto line = known == nullptr ? std::nullopt : SourceOf(*known);
  if (!line) return {};
  const fs::path path = SourceFile(line->file, fs::path(PathOfUri(uri)).parent_path(), folders);
  if (path.empty()) return {};
  const Json place = {{"line", std::max<int64_t>(line->line - 1, 0)}, {"character", 0}};
  return {{"uri", UriOfPath(path.string())}, {"range", {{"start", place}, {"end", place}}}};
}

Json References(const Document& document, const std::string& uri, size_t offset, bool with_definition) {
  Json found = Json::array();
  if (const auto spot = NamedAt(document, offset)) {
    for (const Spot& other : SpotsOf(document, *spot))
      if (with_definition || !other.defines) found.push_back(Place(document, uri, other.range));
  }
  return found;
}

Json Highlights(const Document& document, size_t offset) {
  Json found = Json::array();
  constexpr int kRead = 2, kWrite = 3;
  if (const auto spot = NamedAt(document, offset)) {
    for (const Spot& other : SpotsOf(document, *spot))
      found.push_back({{"range", ToJson(document, other.range)}, {"kind", other.defines ? kWrite : kRead}});
  }
  return found;
}

Json Folds(const Document& document) {
  Json folds = Json::array();
  for (const Outline::Computation& computation : document.outline().computations) {
    const int64_t first = document.PositionOf(computation.name.begin).line,
                  last = document.PositionOf(computation.whole.end).line;
    if (last > first + 1) folds.push_back({{"startLine", first}, {"endLine", last - 1}});
  }
  return folds;
}

Json PrepareRename(const Document& document, size_t offset) {
  const auto spot = NamedAt(document, offset);
  return spot ? ToJson(document, spot->range) : Json();
}

StatusOr<Json> Rename(const Document& document, const std::string& uri, size_t offset, std::string_view name) {
  const auto spot = NamedAt(document, offset);
  if (!spot) return InvalidArgument("there is no name to rename here");
  if (name.starts_with('%')) name.remove_prefix(1);
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  };
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || name[0] == '.' || name[0] == '-' ||
      !std::all_of(name.begin(), name.end(), fits))
    return InvalidArgument("names are made of letters, digits, '_', '.' and '-', and begin with a letter or '_'");
  const Outline& outline = document.outline();
  const std::string& text = document.text();
  // The scope of an instruction's name is its computation, that of a computation's name its module.
  bool taken = false;
  if (spot->kind == Spot::Kind::kInstruction) {
    const Outline::Computation& scope = ComputationAt(document, outline.ComputationOf(spot->target));
    for (int32_t i = scope.first; i < scope.end; ++i)
      taken |= i != spot->target && At(document, i).name.In(text) == name;
  } else {
    const Outline::Module& scope = outline.modules[static_cast<size_t>(outline.ModuleOf(spot->target))];
    for (int32_t c = scope.first; c < scope.end; ++c)
      taken |= c != spot->target && ComputationAt(document, c).name.In(text) == name;
  }
  if (taken) return InvalidArgument(Format("'{}' already exists", ShortName(name, 60)));
  Json edits = Json::array();
  for (const Spot& other : SpotsOf(document, *spot))
    edits.push_back({{"range", ToJson(document, other.range)}, {"newText", name}});
  return Json{{"changes", {{uri, std::move(edits)}}}};
}

Json Formatting(const Document& document, Range within) {
  Json edits = Json::array();
  for (const Outline::Edit& edit : LayoutOf(document.text()))
    if (edit.range.begin >= within.begin && edit.range.end <= within.end)
      edits.push_back({{"range", ToJson(document, edit.range)}, {"newText", edit.text}});
  return edits;
}

Json InlayHints(const Document& document, Range within) {
  Json hints = Json::array();
  const std::string& text = document.text();
  const auto hint = [&](size_t at, const Shape& shape, bool operand) {
    const Position position = document.PositionOf(at);
    Json json = {{"position", {{"line", position.line}, {"character", position.character}}},
                 {"label", ShortName(shape.ToString(!operand), 60, false)},
                 {"kind", 1},
                 {"paddingRight", true}};
    hints.push_back(std::move(json));
  };
  const std::vector<Spot> spots = SpotsIn(document.outline(), text, within);
  for (auto spot = spots.begin(); spot != spots.end(); ++spot) {
    if (spot->owner < 0 || spot->range.begin < within.begin) continue;
    if (spot->kind == Spot::Kind::kOpcode && At(document, spot->owner).shape.empty()) {
      if (const HloInstruction* known = document.InstructionOf(spot->owner))
        hint(spot->range.begin, known->shape(), false);
    }
    if (spot->kind != Spot::Kind::kInstruction || spot->defines || spot->target < 0) continue;
    const HloInstruction* known = document.InstructionOf(spot->target);
    if (known == nullptr) continue;
    size_t at = spot->range.begin;
    if (at > 0 && text[at - 1] == '%') --at;
    // A shape in the text ends with a bracket or brace.
    size_t before = at;
    while (before > 0 && text[before - 1] == ' ') --before;
    const bool stated =
        before != at && before > 0 && (text[before - 1] == ']' || text[before - 1] == '}' || text[before - 1] == ')');
    const bool is_operand =
        before > 0 && (text[before - 1] == '(' || text[before - 1] == ',' || text[before - 1] == '/');
    if (!stated && is_operand) hint(at, known->shape(), true);
  }
  return hints;
}

std::string PathOfUri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return "";
  uri.remove_prefix(kScheme.size());
  uri.remove_prefix(std::min(uri.find('/'), uri.size()));  // a host
  std::string path;
  for (size_t k = 0; k < uri.size(); ++k) {
    if (uri[k] == '%' && k + 2 < uri.size() && IsHex(uri[k + 1]) && IsHex(uri[k + 2])) {
      path += static_cast<char>(std::stoi(std::string(uri.substr(k + 1, 2)), nullptr, 16));
      k += 2;
    } else {
      path += uri[k];
    }
  }
  return path;
}

std::string UriOfPath(std::string_view path) {
  std::string uri = "file://";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      constexpr const char* kHex = "0123456789ABCDEF";
      uri += {'%', kHex[static_cast<unsigned char>(c) >> 4], kHex[static_cast<unsigned char>(c) & 15]};
    }
  }
  return uri;
}

}  // namespace hloir::lsp
