// See overview.h.
#include "lsp/overview.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "lsp/answers.h"

namespace hloir::lsp {
namespace {

enum SymbolKind { kModule = 2, kFunction = 12, kVariable = 13, kConstant = 14 };

}  // namespace

// Written directly as text: for a large dump it is a megabyte, and building a JSON tree would dominate the time.
std::string Symbols(const Document& document) {
  const Outline& outline = document.outline();
  const std::string& source = document.text();
  std::string out = "[";
  const auto add_text = [&](std::string_view text) {
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\'; });
    if (plain) out.append("\"").append(text).append("\"");
    else out += JsonLine(Json(text));
  };
  const auto add_place = [&](uint32_t offset) {
    const Position position = document.PositionOf(offset);
    out.append("{\"line\":").append(std::to_string(position.line));
    out.append(",\"character\":").append(std::to_string(position.character)).append("}");
  };
  const auto add_range = [&](std::string_view name, Range range) {
    out.append(",\"").append(name).append("\":{\"start\":");
    add_place(range.begin);
    out += ",\"end\":";
    add_place(range.end);
    out += '}';
  };
  const auto begin = [&](std::string_view name, std::string_view detail, int kind, Range whole, Range selected) {
    if (out.back() == '}') out += ',';
    out += "{\"name\":";
    add_text(name);
    out += ",\"detail\":";
    add_text(detail);
    out.append(",\"kind\":").append(std::to_string(kind));
    add_range("range", whole);
    add_range("selectionRange", selected);
  };
  std::string detail;
  int32_t left = 20'000;  // instructions
  for (const Outline::Module& module : outline.modules) {
    const bool is_level = outline.modules.size() > 1 && !module.name.empty();
    if (is_level) {
      begin(module.name.In(source), "", kModule, module.whole, module.name);
      out += ",\"children\":[";
    }
    for (int32_t c = module.first; c < module.end; ++c) {
      const Outline::Computation& computation = outline.computations[static_cast<size_t>(c)];
      begin(computation.name.In(source), computation.is_entry ? "ENTRY" : "", kFunction, computation.whole,
            computation.name);
      out += ",\"children\":[";
      // If there are very many, only those of small computations, to bound the list; a search finds the others.
      if (computation.end - computation.first > left) {
        out += "]}";
        continue;
      }
      left -= computation.end - computation.first;
      for (int32_t i = computation.first; i < computation.end; ++i) {
        const Outline::Instruction& instruction = outline.instructions[static_cast<size_t>(i)];
        // A symbol must have a name; an incomplete one may not.
        if (instruction.name.empty()) continue;
        const std::string_view opcode = instruction.opcode.In(source), shape = instruction.shape.In(source);
        constexpr size_t kMostShape = 60;
        detail.assign(opcode).append(" ").append(shape.substr(0, kMostShape));
        if (shape.size() > kMostShape) detail += "…";
        begin(instruction.name.In(source), detail, opcode == "constant" ? kConstant : kVariable, instruction.whole,
              instruction.name);
        out += '}';
      }
      out += "]}";
    }
    if (is_level) out += "]}";
  }
  return out + "]";
}

void AddSymbols(const Document& document, const std::string& uri, std::string_view query, size_t most, Json& found) {
  const std::string& text = document.text();
  const auto add = [&](Range name, std::string_view container, int kind) {
    const std::string_view word = name.In(text);
    const auto same = [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    };
    if (word.empty() || std::search(word.begin(), word.end(), query.begin(), query.end(), same) == word.end()) return;
    Json symbol = {{"name", word}, {"kind", kind}, {"location", {{"uri", uri}, {"range", ToJson(document, name)}}}};
    if (!container.empty()) symbol["containerName"] = container;
    found.push_back(std::move(symbol));
  };
  const Outline& outline = document.outline();
  for (const Outline::Computation& c : outline.computations)
    if (found.size() < most) add(c.name, "", kFunction);
  for (const Outline::Computation& c : outline.computations)
    for (int32_t i = c.first; i < c.end && found.size() < most; ++i)
      add(outline.instructions[static_cast<size_t>(i)].name, c.name.In(text), kVariable);
}

namespace {

Json CallItem(const Document& document, const std::string& uri, int32_t c) {
  const Outline::Computation& computation = document.outline().computations[static_cast<size_t>(c)];
  Json item = {{"name", computation.name.In(document.text())},
               {"kind", int{kFunction}},
               {"uri", uri},
               {"range", ToJson(document, computation.whole)},
               {"selectionRange", ToJson(document, computation.name)}};
  if (computation.is_entry) item["detail"] = "ENTRY";
  return item;
}
// The computation named at a position; -1 if there is none.
int32_t NamedComputation(const Document& document, size_t offset) {
  const std::optional<Spot> spot = SpotAt(document.outline(), document.text(), offset);
  return spot && spot->kind == Spot::Kind::kComputation ? spot->target : -1;
}
// Calls, one for each key, with their locations.
Json Calls(const Document& document, const std::string& uri, const char* key,
           const std::map<int32_t, std::vector<Range>>& places) {
  Json calls = Json::array();
  for (const auto& [c, ranges] : places) {
    Json from = Json::array();
    for (const Range range : ranges) from.push_back(ToJson(document, range));
    calls.push_back({{key, CallItem(document, uri, c)}, {"fromRanges", std::move(from)}});
  }
  return calls;
}

}  // namespace

Json CallItems(const Document& document, const std::string& uri, size_t offset) {
  const int32_t c = NamedComputation(document, offset);
  return c < 0 ? Json() : Json::array({CallItem(document, uri, c)});
}

Json IncomingCalls(const Document& document, const std::string& uri, size_t offset) {
  const int32_t c = NamedComputation(document, offset);
  if (c < 0) return {};
  const Outline& outline = document.outline();
  std::map<int32_t, std::vector<Range>> places;
  for (const Spot& spot : SpotsOf(outline, document.text(), Spot::Kind::kComputation, c))
    if (!spot.defines && spot.owner >= 0) places[outline.ComputationOf(spot.owner)].push_back(spot.range);
  return Calls(document, uri, "from", places);
}

Json OutgoingCalls(const Document& document, const std::string& uri, size_t offset) {
  const int32_t c = NamedComputation(document, offset);
  if (c < 0) return {};
  const Outline& outline = document.outline();
  std::map<int32_t, std::vector<Range>> places;
  for (const Spot& spot : SpotsIn(outline, document.text(), outline.computations[static_cast<size_t>(c)].whole))
    if (spot.kind == Spot::Kind::kComputation && !spot.defines && spot.target >= 0)
      places[spot.target].push_back(spot.range);
  return Calls(document, uri, "to", places);
}

namespace {
enum TokenKind { kFunctionToken, kVariableToken, kParameterToken, kTypeToken, kOpcodeToken };
}  // namespace

Json TokenLegend() {
  return {{"tokenTypes", {"function", "variable", "parameter", "type", "method"}}, {"tokenModifiers", {"declaration"}}};
}

Json Tokens(const Document& document, Range within) {
  // The limit for a whole text; a request for the visible range has no limit.
  constexpr uint32_t kMostBytes = uint32_t{1} << 20;
  within.end = std::min(within.end, within.begin + std::min(kMostBytes, UINT32_MAX - within.begin));
  const Outline& outline = document.outline();
  const std::string& text = document.text();
  Json data = Json::array();
  Position last;
  uint32_t end = 0;
  for (const Spot& spot : SpotsIn(outline, text, within)) {
    // A token is on one line; duplicates in an invalid text are merged.
    const std::string_view word = spot.range.In(text);
    if (spot.range.begin < end || word.empty() || word.find('\n') != std::string_view::npos) continue;
    end = spot.range.end;
    TokenKind kind = kTypeToken;
    if (spot.kind == Spot::Kind::kComputation) kind = kFunctionToken;
    if (spot.kind == Spot::Kind::kOpcode) kind = kOpcodeToken;
    if (spot.kind == Spot::Kind::kInstruction) {
      const bool known = spot.target >= 0;
      const auto k = static_cast<size_t>(known ? spot.target : 0);
      kind = known && outline.instructions[k].opcode.In(text) == "parameter" ? kParameterToken : kVariableToken;
    }
    const Position begin = document.PositionOf(spot.range.begin);
    const int64_t size = document.PositionOf(spot.range.end).character - begin.character;
    data.push_back(begin.line - last.line);
    data.push_back(begin.line == last.line ? begin.character - last.character : begin.character);
    data.push_back(size), data.push_back(int{kind}), data.push_back(spot.defines ? 1 : 0);
    last = begin;
  }
  return {{"data", std::move(data)}};
}

}  // namespace hloir::lsp
