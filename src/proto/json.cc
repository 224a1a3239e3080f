// HloProto as JSON, by protobuf's JSON mapping with the .proto files' field names: 64-bit integers as strings, bytes in
// base64, enums as numbers. Reading also accepts numbers for strings, enums' names and lowerCamelCase names.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <nlohmann/json.hpp>

#include "hloir/proto.h"
#include "support/format.h"
#include "support/parse_json.h"
#include "codec.h"
#include "values.h"
#include "support/guard.h"

namespace hloir {
namespace {

using Json = nlohmann::ordered_json;
constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kBase64[group >> (18 - 6 * k) & 63];
  }
  return text;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  uint32_t group = 0;
  int bits = 0;
  for (char c : text) {
    if (c == '=') break;
    const char* at = std::strchr(kBase64, c == '-' ? '+' : c == '_' ? '/' : c);
    if (at == nullptr || c == '\0') return std::nullopt;
    group = group << 6 | static_cast<uint32_t>(at - kBase64);
    if ((bits += 6) >= 8) bytes += static_cast<char>(group >> (bits -= 8) & 0xFF);
  }
  return bytes;
}

template <class Message>
Json ToJson(Message& message);

class JsonWriter {
 public:
  explicit JsonWriter(Json& object) : object_(object) {}

  void operator()(uint32_t, const char* name, bool field) {
    if (field) object_[name] = true;
  }
  void operator()(uint32_t, const char* name, int64_t field) {
    if (field != 0) object_[name] = std::to_string(field);
  }
  void operator()(uint32_t, const char* name, float field) {
    if (field != 0) object_[name] = Value(field);
  }
  void operator()(uint32_t, const char* name, double field) {
    if (field != 0) object_[name] = Value(field);
  }
  void operator()(uint32_t, const char* name, std::string_view field) {
    if (!field.empty()) object_[name] = std::string(field);
  }
  void operator()(uint32_t, const char* name, const proto::Bytes& field) {
    if (!field.value.empty()) object_[name] = EncodeBase64(field.value);
  }
  template <class T>
  void operator()(uint32_t, const char* name, std::optional<T>& field) {
    if (field.has_value()) object_[name] = Value(*field);
  }
  template <class T>
  void operator()(uint32_t, const char* name, std::vector<T>& field) {
    if (field.empty()) return;
    Json& list = object_[name] = Json::array();
    if constexpr (std::is_same_v<T, bool>) {
      for (bool item : field) list.push_back(item);
    } else {
      for (T& item : field) list.push_back(Value(item));
    }
  }
  void Map(uint32_t, const char* name, const proto::StringPairs& map) {
    Json& entries = object_[name] = Json::object();
    for (const auto& [key, value] : map) entries[std::string(key)] = std::string(value);
  }
  template <class Entry>
  void MessageMap(uint32_t, const char* name, std::vector<Entry>& entries) {
    Json& map = object_[name] = Json::object();
    for (Entry& entry : entries) {
      if (entry.value.has_value()) map[std::to_string(entry.key)] = ToJson(*entry.value);
    }
  }

 private:
  static Json Value(bool value) { return value; }
  static Json Value(int32_t value) { return value; }
  static Json Value(uint32_t value) { return value; }
  static Json Value(int64_t value) { return std::to_string(value); }
  static Json Value(uint64_t value) { return std::to_string(value); }
  static Json Value(float value) { return Value(static_cast<double>(value)); }
  static Json Value(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
  }
  static Json Value(std::string_view value) { return std::string(value); }
  template <class T>
  static Json Value(proto::Raw<T>& raw) {
    T message = proto::Decode<T>(raw.bytes);
    return ToJson(message);
  }
  template <class T>
  requires(std::is_class_v<T>) static Json Value(T& message) { return ToJson(message); }
  Json& object_;
};

template <class Message>
Json ToJson(Message& message) {
  Json object = Json::object();
  JsonWriter writer(object);
  proto::Fields(writer, message);
  return object;
}

struct JsonError : std::exception {
  explicit JsonError(std::string text) : message(std::move(text)) {}
  const char* what() const noexcept override { return message.c_str(); }
  std::string message;
};

// protobuf's own writer prints enums by name: the names of a field's enum, in the order of their numbers from 0. Types
// and dot algorithms have the same names in HLO text, in lower case.
std::optional<int64_t> EnumNumber(std::string_view field, std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kEnums[] = {
      {"custom_call_api_version",
       "API_VERSION_UNSPECIFIED API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING "
       "API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI"},
      {"custom_call_schedule", "SCHEDULE_NONE SCHEDULE_LATEST SCHEDULE_EARLIEST"},
      {"dim_level_types", "DIM_DENSE DIM_COMPRESSED DIM_SINGLETON DIM_LOOSE_COMPRESSED"},
      {"distribution", "RNG_INVALID RNG_UNIFORM RNG_NORMAL"},
      {"fft_type", "FFT IFFT RFFT IRFFT"},
      {"kind", "UNDEFINED_ALIAS MAY_ALIAS MUST_ALIAS"},
      {"last_tile_dims", "REPLICATED MAXIMAL TUPLE OTHER MANUAL UNKNOWN UNREDUCED"},
      {"mode", "DEFAULT HIGHEST"},
      {"operand_precision", "DEFAULT HIGH HIGHEST PACKED_NIBBLE"},
      {"padding_type", "PADDING_INVALID PADDING_VALID PADDING_SAME"},
      {"profile_type", "INVALID WINDOW FLAG INTEGER"},
      {"rng_algorithm", "RNG_DEFAULT RNG_THREE_FRY RNG_PHILOX"},
      {"shard_group_type", "AS LIKE"},
      {"transpose_a", "TRANSPOSE_INVALID NO_TRANSPOSE TRANSPOSE ADJOINT"},
      {"type", "REPLICATED MAXIMAL TUPLE OTHER MANUAL UNKNOWN UNREDUCED"},
  };
  std::string small(name);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (field == "element_type" || field.ends_with("primitive_type")) {
    const std::optional<PrimitiveType> type = ParsePrimitiveType(small);
    return type.has_value() ? std::optional<int64_t>(static_cast<int64_t>(*type)) : std::nullopt;
  }
  if (field == "algorithm") {
    const auto words = EnumWords<DotAlgorithm>();
    const auto word =
        std::find(words.begin(), words.end(), std::string_view(small).substr(small.starts_with("alg_") ? 4 : 0));
    return word != words.end() ? std::optional<int64_t>(word - words.begin()) : std::nullopt;
  }
  for (const auto& [known, names] : kEnums) {
    if (known != field) continue;
    int64_t number = 0;
    for (size_t at = 0; at < names.size(); ++number) {
      const size_t end = std::min(names.find(' ', at), names.size());
      if (names.substr(at, end - at) == name) return number;
      at = end + 1;
    }
  }
  return std::nullopt;
}

class JsonReader {
 public:
  JsonReader(const Json& object, std::deque<std::string>& storage, int depth)
      : object_(object), storage_(storage), depth_(depth) {}

  template <class T>
  void operator()(uint32_t, const char* name, T& field) {
    if (const Json* value = Find(name)) Read(*value, field, name);
  }
  void Map(uint32_t, const char* name, proto::StringPairs& map) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    for (const auto& [key, text] : Check(*value, value->is_object(), name).items()) {
      map.emplace_back(Keep(key), Keep(Check(text, text.is_string(), name).template get<std::string>()));
    }
  }
  template <class Entry>
  void MessageMap(uint32_t, const char* name, std::vector<Entry>& entries) {
    const Json* value = Find(name);
    if (value == nullptr) return;
    for (const auto& [key, item] : Check(*value, value->is_object(), name).items()) {
      Entry& entry = entries.emplace_back();
      Read(Json(key), entry.key, name);
      Read(item, entry.value, name);
    }
  }

 private:
  const Json* Find(const char* name) const {
    auto it = object_.find(name);
    if (it == object_.end()) {
      std::string camel;
      for (const char* c = name; *c != '\0'; ++c) {
        if (*c == '_') camel += static_cast<char>(std::toupper(*++c));
        else camel += *c;
      }
      it = object_.find(camel);
    }
    return it == object_.end() || it->is_null() ? nullptr : &*it;
  }
  static const Json& Check(const Json& value, bool fits, const char* name) {
    if (!fits) throw JsonError(std::string("JSON: '") + name + "' has a value of the wrong kind");
    return value;
  }
  std::string_view Keep(std::string text) { return storage_.emplace_back(std::move(text)); }

  template <class T>
  requires(std::is_arithmetic_v<T>) void Read(const Json& value, T& field, const char* name) {
    if constexpr (std::is_same_v<T, bool>) {
      field = Check(value, value.is_boolean(), name).get<bool>();
    } else if (value.is_string()) {
      const std::string& text = value.get_ref<const std::string&>();
      char* end = nullptr;
      if constexpr (std::is_floating_point_v<T>) field = static_cast<T>(std::strtod(text.c_str(), &end));
      else if constexpr (std::is_same_v<T, uint64_t>) field = std::strtoull(text.c_str(), &end, 10);
      else field = static_cast<T>(std::strtoll(text.c_str(), &end, 10));
      if constexpr (std::is_same_v<T, int64_t>) {
        if (end == text.c_str()) {
          const std::optional<int64_t> number = EnumNumber(name, text);
          Check(value, number.has_value(), name);
          field = *number;
          return;
        }
      }
      Check(value, !text.empty() && end == text.c_str() + text.size(), name);
    } else {
      field = Check(value, value.is_number() && (std::is_floating_point_v<T> || value.is_number_integer()), name)
                  .template get<T>();
    }
  }
  void Read(const Json& value, std::string_view& field, const char* name) {
    field = Keep(Check(value, value.is_string(), name).get<std::string>());
  }
  void Read(const Json& value, proto::Bytes& field, const char* name) {
    std::optional<std::string> bytes =
        DecodeBase64(Check(value, value.is_string(), name).get_ref<const std::string&>());
    Check(value, bytes.has_value(), name);
    field.value = Keep(std::move(*bytes));
  }
  template <class T>
  void Read(const Json& value, std::optional<T>& field, const char* name) {
    Read(value, field.emplace(), name);
  }
  template <class T>
  void Read(const Json& value, proto::Raw<T>& field, const char* name) {
    T message;
    Read(value, message, name);
    field.bytes = Keep(proto::Encode(message));
  }
  template <class T>
  void Read(const Json& value, std::vector<T>& field, const char* name) {
    for (const Json& item : Check(value, value.is_array(), name)) {
      T element{};
      Read(item, element, name);
      field.push_back(std::move(element));
    }
  }
  template <class T>
  requires(std::is_class_v<T>) void Read(const Json& value, T& message, const char* name) {
    if (depth_ > proto::kMaxNesting) throw proto::TooDeep();
    JsonReader nested(Check(value, value.is_object(), name), storage_, depth_ + 1);
    proto::Fields(nested, message);
  }

  const Json& object_;
  std::deque<std::string>& storage_;
  int depth_;
};

template <class Message>
std::string FromJson(const Json& object, std::deque<std::string>& storage) {
  Message message;
  JsonReader reader(object, storage, 0);
  proto::Fields(reader, message);
  return proto::Encode(message);
}

// The keys that identify the four messages.
constexpr const char* kKnownFields[] = {"hlo",
                                        "hlo_module",
                                        "hloModule",
                                        "partitions",
                                        "computations",
                                        "name",
                                        "entry_computation_name",
                                        "entryComputationName",
                                        "id"};

// "LINE:COLUMN: error: not JSON: …"; converted from nlohmann's message, which counts bytes.
Status SyntaxError(std::string_view text, const Json::parse_error& error) {
  const std::string_view before = text.substr(0, error.byte > 0 ? error.byte - 1 : 0);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  if (before.size() >= text.size())
    return InvalidArgument(Format("{}:{}: error: truncated JSON: the text ends here", line, column));
  std::string_view what = error.what();
  if (const size_t at = what.find(" - "); at != std::string_view::npos) what.remove_prefix(at + 3);
  return InvalidArgument(Format("{}:{}: error: not JSON: {}", line, column, what));
}

}  // namespace

StatusOr<std::string> SerializeHloProtoAsJson(const HloProtoFile& file, const HloModule* module) try {
  HLOIR_ASSIGN_OR_RETURN(std::string bytes, SerializeMessage(file, module, nullptr));
  // Strings that are not UTF-8 (names and configs may hold any bytes) are written with the invalid bytes replaced.
  auto write = [&](auto message) { return ToJson(message).dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; };
  try {
    switch (file.form) {
      case HloProtoFile::Form::kHloProto: return write(proto::Decode<proto::HloProto>(bytes));
      case HloProtoFile::Form::kHloModuleProto: return write(proto::Decode<proto::Module>(bytes));
      case HloProtoFile::Form::kHloSnapshot: return write(proto::Decode<proto::Snapshot>(bytes));
      case HloProtoFile::Form::kHloUnoptimizedSnapshot: return write(proto::Decode<proto::UnoptimizedSnapshot>(bytes));
    }
  } catch (const proto::TooDeep&) {
    return proto::TooDeepError();
  }
  return Internal("unknown file format");
} catch (...) {
  return OutOfMemory();
}

StatusOr<HloProtoFile> ParseHloProtoJson(std::string_view text) try {
  if (NestsDeeperThan(text, 4 * proto::kMaxNesting)) return proto::TooDeepError();
  try {
    const Json json = Json::parse(text);
    if (!json.is_object()) return InvalidArgument("JSON: no object");
    const bool is_known = std::any_of(std::begin(kKnownFields), std::end(kKnownFields),
                                      [&](const char* name) { return json.contains(name); });
    if (!is_known)
      return InvalidArgument("JSON, but not an HloProto, HloModuleProto or snapshot: it has none of their fields");
    std::deque<std::string> storage;
    auto has = [&](const char* name, const char* camel) { return json.contains(name) || json.contains(camel); };
    if (has("hlo", "hlo")) return ParseHloProto(FromJson<proto::Snapshot>(json, storage));
    if (has("partitions", "partitions")) return ParseHloProto(FromJson<proto::UnoptimizedSnapshot>(json, storage));
    if (has("hlo_module", "hloModule")) return ParseHloProto(FromJson<proto::HloProto>(json, storage));
    return ParseHloProto(FromJson<proto::Module>(json, storage));
  } catch (const proto::TooDeep&) {
    return proto::TooDeepError();
  } catch (const Json::parse_error& error) {
    return SyntaxError(text, error);
  } catch (const std::exception& error) {
    return InvalidArgument(error.what());
  }
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
