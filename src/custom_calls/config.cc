// See config.h.
#include "custom_calls/config.h"

#include <charconv>

#include "support/parse_json.h"

namespace hloir::custom_calls {
namespace {

// A number, or a text that is one.
double NumberOf(const Json& value, double otherwise) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return otherwise;
  const std::string& text = value.get_ref<const std::string&>();
  int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  return error == std::errc() && end == text.data() + text.size() ? static_cast<double>(whole) : otherwise;
}

}  // namespace

Json ReadConfig(const HloInstruction& call) {
  Json config = ParseJson<Json>(call.extras().backend_config);
  return config.is_object() ? config : Json::object();
}

const Json& Section(const Json& config, const char* name) {
  const auto at = config.find(name);
  return at != config.end() && at->is_object() ? *at : config;
}

double Float(const Json& message, const char* field, double otherwise) {
  const auto at = message.find(field);
  return at == message.end() ? otherwise : NumberOf(*at, otherwise);
}

bool Flag(const Json& message, const char* field, bool otherwise) {
  const auto at = message.find(field);
  return at != message.end() && at->is_boolean() ? at->get<bool>() : otherwise;
}

std::string Choice(const Json& message, const char* field, std::span<const std::string_view> names) {
  const auto at = message.find(field);
  if (at == message.end()) return std::string(names[0]);
  const double number = NumberOf(*at, -1);
  if (number >= 0 && number < static_cast<double>(names.size())) return std::string(names[static_cast<size_t>(number)]);
  return at->is_string() ? at->get<std::string>() : at->dump();
}

DimVector Numbers(const Json& message, const char* field) {
  DimVector numbers;
  const auto list = message.find(field);
  if (list == message.end() || !list->is_array()) return numbers;
  constexpr double kMost = 1e15;  // larger values are not sizes and do not convert
  for (const Json& item : *list) {
    const double number = NumberOf(item, -1);
    numbers.push_back(number >= 0 && number <= kMost ? static_cast<int64_t>(number) : -1);
  }
  return numbers;
}

DotAttributes DotDimensions(const Json& message, const char* field) {
  DotAttributes dims;
  const auto at = message.find(field);
  if (at == message.end()) return dims;
  dims.lhs_batch_dims = Numbers(*at, "lhs_batch_dimensions");
  dims.rhs_batch_dims = Numbers(*at, "rhs_batch_dimensions");
  dims.lhs_contracting_dims = Numbers(*at, "lhs_contracting_dimensions");
  dims.rhs_contracting_dims = Numbers(*at, "rhs_contracting_dimensions");
  return dims;
}

}  // namespace hloir::custom_calls
