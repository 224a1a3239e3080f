// The options of passes: users' values, checked against a pass's table and read by the pass.
#include "pass_options.h"

#include <charconv>
#include <optional>

namespace hloir {
namespace {

constexpr TextOption kMath = {"math", "how far this pass may change results: exact, rounding or fast"};
constexpr TextOption kDisable = {"disable", "the name of a rule not to apply; may be repeated"};
constexpr PassOption kCommon[] = {kDisable, kMath};

std::optional<int64_t> ToNumber(std::string_view value) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<PrimitiveType> ToElementType(std::string_view value) {
  const std::optional<PrimitiveType> type = ParsePrimitiveType(value);
  return type && IsArrayType(*type) ? type : std::nullopt;
}

// A description of the option's legal values; "" if this is one.
std::string_view Expected(const PassOption& option, std::string_view value) {
  switch (option.kind) {
    case PassOption::Kind::kFlag: return value == "true" || value == "false" ? "" : "true or false";
    case PassOption::Kind::kNumber: return ToNumber(value) ? "" : "a number";
    case PassOption::Kind::kElementType: return ToElementType(value) ? "" : "an element type";
    case PassOption::Kind::kText: return "";
  }
  return "";
}

std::string MustBe(std::string_view pass, std::string_view name, std::string_view expected, std::string_view value) {
  return "the option '" + std::string(name) + "' of the pass '" + std::string(pass) + "' must be " +
         std::string(expected) + ", not '" + std::string(value) + "'";
}

// "; it has a, b": the pass's own options, then those of every pass.
std::string ItHas(std::span<const PassOption> own) {
  std::string text;
  for (std::span<const PassOption> options : {own, CommonPassOptions()}) {
    for (const PassOption& option : options) text += (text.empty() ? "; it has " : ", ") + std::string(option.name);
  }
  return text;
}

Status SetPassOption(PassOptions& options, const PassInfo& pass, std::string_view name, std::string_view value) {
  if (name == kDisable.name) {
    for (const RuleInfo& rule : pass.rules) {
      if (rule.name == value) return options.disabled_rules.emplace_back(value), OkStatus();
    }
    return NoRule(pass.name, pass.rules, value);
  }
  if (name == kMath.name) {
    if (value == "exact") options.math = MathMode::kExact;
    else if (value == "rounding") options.math = MathMode::kRounding;
    else if (value == "fast") options.math = MathMode::kFast;
    else return InvalidArgument(MustBe(pass.name, name, "exact, rounding or fast", value));
    return OkStatus();
  }
  for (const PassOption& option : pass.options) {
    if (option.name != name) continue;
    if (const std::string_view expected = Expected(option, value); !expected.empty())
      return InvalidArgument(MustBe(pass.name, name, expected, value));
    options.values.insert_or_assign(std::string(name), std::string(value));
    return OkStatus();
  }
  return InvalidArgument("the pass '" + pass.name + "' has no option '" + std::string(name) + "'" +
                         ItHas(pass.options));
}

}  // namespace

std::span<const PassOption> CommonPassOptions() { return kCommon; }

std::string PassOption::DefaultText() const {
  switch (kind) {
    case Kind::kFlag: return number != 0 ? "true" : "false";
    case Kind::kNumber: return std::to_string(number);
    case Kind::kElementType: {
      const PrimitiveType type = static_cast<PrimitiveType>(number);
      return type == PrimitiveType::INVALID ? "" : std::string(PrimitiveTypeName(type));
    }
    case Kind::kText: return std::string(text);
  }
  return "";
}

Status SetPassOptions(PassOptions& options, const PassInfo& pass, std::string_view text) {
  while (true) {
    const size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) return OkStatus();
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      return InvalidArgument("the option '" + std::string(word) + "' of the pass '" + pass.name + "' has no '=VALUE'");
    }
    HLOIR_RETURN_IF_ERROR(SetPassOption(options, pass, word.substr(0, equals), word.substr(equals + 1)));
  }
}

// Values in the table were checked when they were set.
bool PassOptions::Get(const FlagOption& option) const {
  const auto given = values.find(option.name);
  return given == values.end() ? option.number != 0 : given->second == "true";
}
int64_t PassOptions::Get(const NumberOption& option) const {
  const auto given = values.find(option.name);
  return given == values.end() ? option.number : ToNumber(given->second).value_or(option.number);
}
PrimitiveType PassOptions::Get(const ElementTypeOption& option) const {
  const auto given = values.find(option.name);
  const PrimitiveType otherwise = static_cast<PrimitiveType>(option.number);
  return given == values.end() ? otherwise : ToElementType(given->second).value_or(otherwise);
}
std::string_view PassOptions::Get(const TextOption& option) const {
  const auto given = values.find(option.name);
  return given == values.end() ? option.text : std::string_view(given->second);
}

}  // namespace hloir
