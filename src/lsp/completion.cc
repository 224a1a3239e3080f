// See completion.h.
#include "lsp/completion.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "hloir/opcode.h"
#include "lsp/answers.h"
#include "lsp/opcode_help.h"
#include "support/text.h"

namespace hloir::lsp {
namespace {

// The rows of the tables as text. A row without a name begins a struct or an enum.
struct NamedRow {
  std::string_view group, name, type;
};
constexpr NamedRow kFieldRows[] = {
#define HLOIR_STRUCT(type) {#type, "", ""},
#define HLOIR_FIELD(ctype, name, default_value, rule) {"", #name, #ctype},
#define HLOIR_END(type)
#include "hloir/attributes.def"
#undef HLOIR_STRUCT
#undef HLOIR_FIELD
#undef HLOIR_END
};
constexpr NamedRow kEnumRows[] = {
#define HLOIR_ENUM(type) {#type, "", ""},
#define HLOIR_VALUE(enumerator, text) {"", text, ""},
#define HLOIR_ENUM_END(type)
#include "hloir/enums.def"
#undef HLOIR_ENUM
#undef HLOIR_VALUE
#undef HLOIR_ENUM_END
};
constexpr std::string_view kAttributesOf[] = {
#define HLOIR_OP(name, text, arity, attributes, calls, shape, types, cost, accuracy, traits) #attributes,
#include "hloir/opcodes.def"
#undef HLOIR_OP
};
constexpr std::string_view kTypeNames[] = {
#define HLOIR_TYPE(enumerator, text, ...) text,
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
};

// The rows of the struct or enum of that name; a struct's name may end in "Attributes".
std::vector<NamedRow> RowsOf(std::span<const NamedRow> rows, std::string_view group) {
  std::vector<NamedRow> found;
  bool is_in = false;
  for (const NamedRow& row : rows) {
    if (row.name.empty() && row.type.empty() && !row.group.empty())
      is_in = row.group == group || row.group == std::string(group) + "Attributes";
    else if (is_in && !row.name.empty()) found.push_back(row);
  }
  return found;
}

// The attributes of an opcode; those of every instruction come last.
std::vector<NamedRow> AttributesOf(HloOpcode opcode) {
  std::vector<NamedRow> found = RowsOf(kFieldRows, kAttributesOf[static_cast<size_t>(opcode)]);
  std::erase_if(found, [](const NamedRow& row) { return row.type == "Literal" || row.name == "number"; });
  const auto call = [&](std::string_view name) { found.push_back({"", name, "computation"}); };
  switch (GetOpcodeInfo(opcode).calls) {
    case CallKind::kNone: break;
    case CallKind::kToApply: call("to_apply"); break;
    case CallKind::kCalls: call("calls"); break;
    case CallKind::kConditionBody: call("condition"), call("body"); break;
    case CallKind::kBranches: call("branch_computations"), call("true_computation"), call("false_computation"); break;
    case CallKind::kSelectScatter: call("select"), call("scatter"); break;
    case CallKind::kCalledComputations: call("called_computations"), call("to_apply"); break;
  }
  for (const std::string_view name : {"metadata", "sharding", "frontend_attributes", "backend_config",
                                      "control-predecessors", "statistics", "origin"})
    found.push_back({"", name, "of any instruction"});
  return found;
}

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-'; }

// The context of a position in a statement.
struct Around {
  enum class Part { kNothing, kName, kOp, kOperands, kAttribute, kValue };
  Part part = Part::kNothing;
  size_t word = 0;              // where the word at the place begins
  std::optional<HloOpcode> op;  // in operands, attributes and values
  std::string_view key;         // of a value
  int commas = 0;               // of the operands before the place
  std::string_view before;      // in kOp: the text between "=" and the word
};

// Parses the statement from its beginning: `name = shape opcode(operands), key=value`. Skips strings, comments and
// nested brackets.
Around LookAround(const Document& document, size_t offset) {
  const std::string_view text = document.text();
  Around around;
  around.word = offset;
  while (around.word > 0 && IsWord(text[around.word - 1])) --around.word;
  if (around.word > 0 && text[around.word - 1] == '%') --around.word;
  if (document.outline().ComputationAt(offset) < 0) return around;
  // The statement is the last one that begins before the position; an incomplete one may be missing in the outline, and
  // begins with its line.
  const size_t line = around.word == 0 ? 0 : text.rfind('\n', around.word - 1) + 1;  // npos + 1 is 0
  const int32_t index = document.outline().InstructionAt(offset);
  const size_t begin = index < 0 ? line : document.outline().instructions[static_cast<size_t>(index)].whole.begin;
  const std::string_view statement = text.substr(begin, around.word < begin ? 0 : around.word - begin);
  const size_t equals = statement.find('=');
  around.part = Around::Part::kName;
  if (equals == std::string_view::npos) return around;
  around.part = Around::Part::kOp;
  around.before = statement.substr(equals + 1);
  int depth = 0;
  size_t word = 0;
  for (size_t at = equals + 1; at < statement.size(); ++at) {
    const char c = statement[at];
    if (c == '"' || statement.substr(at).starts_with("/*")) {
      at = c == '"' ? statement.find('"', at + 1) : statement.find("*/", at);
      if (at == std::string_view::npos) return {Around::Part::kNothing, around.word, {}, {}, 0, {}};
    } else if (c == '(' && depth == 0 && around.part == Around::Part::kOp) {
      const std::string_view name = statement.substr(word, at - word);
      around.op = ParseOpcode(name);
      // Else it is a tuple's shape.
      if (!name.empty()) around.part = Around::Part::kOperands;
      ++depth;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth == 0 && around.part == Around::Part::kOperands) around.part = Around::Part::kAttribute;
    } else if (c == ',' && depth == 1 && around.part == Around::Part::kOperands) {
      ++around.commas;
    } else if (c == ',' && depth == 0) {
      if (around.part == Around::Part::kValue) around.part = Around::Part::kAttribute;
    } else if (c == '=' && depth == 0 && around.part == Around::Part::kAttribute) {
      around.part = Around::Part::kValue;
      around.key = statement.substr(word, at - word);
    }
    if (!IsWord(c)) word = at + 1;
  }
  return around;
}

enum ItemKind {
  kFunctionItem = 3,
  kFieldItem = 5,
  kVariableItem = 6,
  kEnumItem = 20,
  kKeywordItem = 14,
  kTypeItem = 25
};

}  // namespace

Json Completion(const Document& document, size_t offset) {
  const std::string& text = document.text();
  const Outline& outline = document.outline();
  const Around around = LookAround(document, offset);
  std::string_view prefix = std::string_view(text).substr(around.word, offset - around.word);
  if (prefix.starts_with('%')) prefix.remove_prefix(1);
  Json items = Json::array();
  constexpr size_t kMost = 1000;
  bool is_whole = true;
  // If there are more names than a list may have, it has those with the word as prefix.
  const auto add = [&](std::string_view label, int kind, std::string detail) {
    if (items.size() >= kMost) return void(is_whole = false);
    items.push_back({{"label", label}, {"kind", kind}, {"detail", std::move(detail)}});
  };
  const auto add_computations = [&] {
    for (const Outline::Computation& c : outline.computations)
      if (!c.is_entry) add(c.name.In(text), kFunctionItem, "");
  };
  switch (around.part) {
    case Around::Part::kNothing:
    case Around::Part::kName: break;
    case Around::Part::kOp: {
      for (int k = 0; k < kOpcodeCount; ++k) {
        const HloOpcode opcode = static_cast<HloOpcode>(k);
        add(OpcodeName(opcode), kKeywordItem, std::string(OpcodeFormula(opcode)));
      }
      // A shape, while there is none.
      if (around.before.find_first_not_of(" (") == std::string_view::npos)
        for (const std::string_view name : kTypeNames) add(name, kTypeItem, "element type");
      break;
    }
    case Around::Part::kOperands: {
      const Outline::Computation& scope = outline.computations[static_cast<size_t>(outline.ComputationAt(offset))];
      const bool many = scope.end - scope.first > static_cast<int32_t>(kMost);
      for (int32_t i = scope.first; i < scope.end && is_whole; ++i) {
        const Outline::Instruction& instruction = outline.instructions[static_cast<size_t>(i)];
        const std::string_view name = instruction.name.In(text);
        if (instruction.whole.Has(offset) || (many && !name.starts_with(prefix))) continue;
        const HloInstruction* known = many ? nullptr : document.InstructionOf(i);
        add(name, kVariableItem,
            known != nullptr ? ShortName(known->shape().ToString(false), 60, false)
                             : std::string(instruction.shape.In(text).substr(0, 60)));
      }
      is_whole = is_whole && !many;
      break;
    }
    case Around::Part::kAttribute: {
      if (!around.op) break;
      for (const NamedRow& row : AttributesOf(*around.op)) {
        add(row.name, kFieldItem, std::string(row.type));
        items.back()["insertText"] = std::string(row.name) + "=";
      }
      break;
    }
    case Around::Part::kValue: {
      if (!around.op) break;
      for (const NamedRow& row : AttributesOf(*around.op)) {
        if (row.name != around.key) continue;
        if (row.type == "computation") add_computations();
        if (row.type == "bool") add("true", kKeywordItem, ""), add("false", kKeywordItem, "");
        for (const NamedRow& value : RowsOf(kEnumRows, row.type)) add(value.name, kEnumItem, std::string(row.type));
      }
      break;
    }
  }
  if (is_whole) return items;
  return {{"isIncomplete", true}, {"items", std::move(items)}};
}

Json SignatureHelp(const Document& document, size_t offset) {
  const Around around = LookAround(document, offset);
  if (around.part != Around::Part::kOperands || !around.op) return {};
  const OpcodeInfo& info = GetOpcodeInfo(*around.op);
  // Operands are a, b, c, … as in the formulas.
  const int least = info.arity < 0 ? -info.arity - 1 : info.arity, shown = std::min(std::max(least, 1), 20);
  std::string label = std::string(OpcodeName(*around.op)) + "(";
  Json parameters = Json::array();
  for (int k = 0; k < (info.arity == 0 ? 0 : shown); ++k) {
    if (k > 0) label += ", ";
    parameters.push_back({{"label", {label.size(), label.size() + 1}}});
    label += static_cast<char>('a' + k);
  }
  if (info.arity < 0) {
    label += ", ";
    parameters.push_back({{"label", {label.size(), label.size() + 3}}});
    label += "...";
  }
  label += ")";
  for (const NamedRow& row : AttributesOf(*around.op)) {
    if (row.type == "of any instruction") break;
    label.append(", ").append(row.name).append("=");
  }
  const int last = static_cast<int>(parameters.size()) - 1;
  Json signature = {
      {"label", std::move(label)}, {"documentation", OpcodeFormula(*around.op)}, {"parameters", std::move(parameters)}};
  return {{"signatures", Json::array({std::move(signature)})},
          {"activeSignature", 0},
          {"activeParameter", std::max(std::min(around.commas, last), 0)}};
}

Json QuickFixes(const Document& document, const std::string& uri, const Json& diagnostics) {
  Json fixes = Json::array();
  if (!diagnostics.is_array()) return fixes;
  const std::string_view text = document.text();
  for (const Json& diagnostic : diagnostics) {
    if (!diagnostic.is_object() || !diagnostic.contains("message") || !diagnostic.contains("range")) continue;
    if (!diagnostic["message"].is_string()) continue;
    const std::string message = diagnostic["message"].get<std::string>();
    constexpr std::string_view kMean = "; did you mean '";
    const size_t mean = message.find(kMean), end = message.find("'?", mean == std::string::npos ? 0 : mean);
    if (mean == std::string::npos || end == std::string::npos) continue;
    const std::string meant = message.substr(mean + kMean.size(), end - mean - kMean.size());
    // The wrong word is the last in quotes before; it stands where the diagnostic does, or on its line.
    const size_t close = message.rfind('\'', mean - 1);
    const size_t open = close == std::string::npos || close == 0 ? std::string::npos : message.rfind('\'', close - 1);
    if (open == std::string::npos) continue;
    const std::string_view wrong = std::string_view(message).substr(open + 1, close - open - 1);
    const size_t line = document.OffsetOf(PositionIn(diagnostic["range"], "start"));
    size_t at = text.find(wrong, line);
    const auto is_word = [&](size_t k) {
      return (k == 0 || !IsWord(text[k - 1])) && (k + wrong.size() == text.size() || !IsWord(text[k + wrong.size()]));
    };
    while (at != std::string_view::npos && !wrong.empty() && !is_word(at)) at = text.find(wrong, at + 1);
    if (wrong.empty() || at > std::min(text.find('\n', line), text.size())) continue;
    const Range range{static_cast<uint32_t>(at), static_cast<uint32_t>(at + wrong.size())};
    Json edits = Json::array({{{"range", ToJson(document, range)}, {"newText", meant}}});
    fixes.push_back({{"title", "Change to '" + meant + "'"},
                     {"kind", "quickfix"},
                     {"isPreferred", true},
                     {"diagnostics", Json::array({diagnostic})},
                     {"edit", {{"changes", {{uri, std::move(edits)}}}}}});
  }
  return fixes;
}

}  // namespace hloir::lsp
