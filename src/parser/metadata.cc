// Annotations of instructions: metadata, origin, frontend attributes, backend configs, statistics.

#include <algorithm>
#include <cmath>

#include "module_reader.h"
#include "parts.h"

#include "support/format.h"
#include "support/stable_sort.h"

namespace hloir {

bool ModuleReader::ParseSharedMetadata(HloInstruction* instruction) {
  const OpMetadata* metadata = seen_metadata_.Find(lexer_);
  if (metadata == nullptr) {
    const char* const start = lexer_.at();
    OpMetadata* read = loader_.NewMetadata();
    const bool ok = ParseMetadata(*read);
    read = loader_.Own(read);
    if (!ok) return false;
    if (read->stack_frame_id != 0) {
      if (part_ != nullptr) part_->framed.push_back(read);  // the whole's tables say which
      else read->stack_frame_id = stack_frames_.Use(read->stack_frame_id);
    }
    seen_metadata_.Add(start, lexer_.at(), metadata = read);
  }
  GraphLoader::set_metadata(instruction, metadata);
  return true;
}

// Usually these are the only extras; instructions share them.
bool ModuleReader::ParseSharedFrontendAttributes(HloInstruction* instruction) {
  InstructionExtras* extras = seen_frontend_attributes_.Find(lexer_);
  if (extras == nullptr) {
    const char* const start = lexer_.at();
    extras = loader_.NewExtras();
    if (!ParseFrontendAttributes(extras->frontend_attributes)) return false;
    seen_frontend_attributes_.Add(start, lexer_.at(), extras);
  }
  if (GraphLoader::HasExtras(*instruction)) {
    GraphLoader::extras(instruction).frontend_attributes = extras->frontend_attributes;
  } else {
    GraphLoader::ShareExtras(instruction, extras);
  }
  return true;
}

// {op_name="…"} or {op_name="…" stack_frame_id=3}, as XLA prints most metadata; reads nothing at any other text.
bool FragmentReader::ReadUsualMetadata(OpMetadata& metadata) {
  constexpr std::string_view kName = "{op_name=\"", kFrame = " stack_frame_id=";
  const char* at = lexer_.at();
  const auto accept = [&](std::string_view text) {
    if (static_cast<size_t>(lexer_.end() - at) < text.size() || std::memcmp(at, text.data(), text.size()) != 0)
      return false;
    at += text.size();
    return true;
  };
  if (!accept(kName)) return false;
  const char* const name = at;
  at = scan::FindNot<scan::InString>(at, lexer_.end());
  const std::string_view op_name(name, static_cast<size_t>(at - name));
  if (!accept("\"")) return false;
  int64_t frame = 0;
  if (accept(kFrame)) {
    constexpr ptrdiff_t kSurelyFit = 9;
    const char* const first = at;
    for (; IsDigit(*at) && at - first <= kSurelyFit; ++at) frame = frame * 10 + (*at - '0');
    if (at == first || at - first > kSurelyFit) return false;
  }
  if (!accept("}")) return false;
  metadata.op_name = op_name;
  metadata.stack_frame_id = frame;
  lexer_.set_at(at);
  return true;
}

// {op_type="…" op_name="…" source_file="…" source_line=3 …}; optional commas between fields; each field at most once.
bool FragmentReader::ParseMetadata(OpMetadata& metadata) {
  lexer_.SkipBlank();
  if (ReadUsualMetadata(metadata)) return true;
  const char* const start = lexer_.at();
  if (!Expect('{')) return false;
  uint32_t seen = 0;
  while (!lexer_.Accept('}')) {
    // The fields that nearly every instruction has, in the order in which XLA prints them.
    const auto is_next = [&](const auto& name, uint32_t bit) {
      if ((seen & bit) != 0 || !lexer_.Accept(name)) return false;
      return seen |= bit, true;
    };
    if (is_next("op_type=", 1) && !ReadString(metadata.op_type)) return false;
    if (is_next("op_name=", 2) && !ReadString(metadata.op_name)) return false;
    if (is_next("source_file=", 4) && !ReadString(metadata.source_file)) return false;
    if (is_next("source_line=", 8) && !Read(metadata.source_line)) return false;
    if (is_next("stack_frame_id=", 16) && !Read(metadata.stack_frame_id)) return false;
    if (lexer_.Accept('}')) break;

    lexer_.Accept(',');
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    const std::string_view field = lexer_.ReadWord().text();
    std::string_view* text = nullptr;
    int64_t* number = nullptr;
    uint32_t bit = 0;
    if (field == "op_type") text = &metadata.op_type, bit = 1;
    else if (field == "op_name") text = &metadata.op_name, bit = 2;
    else if (field == "source_file") text = &metadata.source_file, bit = 4;
    else if (field == "source_line") number = &metadata.source_line, bit = 8;
    else if (field == "stack_frame_id") number = &metadata.stack_frame_id, bit = 16;
    else if (field == "source_end_line") number = &metadata.source_end_line, bit = 32;
    else if (field == "source_column") number = &metadata.source_column, bit = 64;
    else if (field == "source_end_column") number = &metadata.source_end_column, bit = 128;
    else if (field == "deduplicated_name") text = &metadata.deduplicated_name, bit = 256;
    else if (field == "scheduling_name") text = &metadata.scheduling_name, bit = 512;
    else if (field == "metadata_payload") text = &metadata.metadata_payload, bit = 1024;
    else if (field == "profile_type") bit = 2048;
    if ((seen & bit) != 0) return Fail(place, Format("the metadata has {} twice", field));
    seen |= bit;
    if (text != nullptr) {
      if (!ExpectEquals() || !ReadString(*text)) return false;
    } else if (number != nullptr) {
      if (!ExpectEquals() || !Read(*number)) return false;
    } else if (field == "profile_type") {
      if (!ExpectEquals() || !Read(metadata.profile_type)) return false;
    } else if (field == "size_of_generated_code_in_bytes" || field == "size_of_memory_working_set_in_bytes" ||
               field == "preserve_layout" || field == "logical_creation_pass_id") {
      // Fields of old dumps, which are ignored.
      std::string_view skipped;
      if (!ExpectEquals() || !SkipAttributeValue(skipped)) return false;
    } else {
      lexer_.set_at(place);
      if (field.empty()) return FailExpected("a field of the metadata, or '}'");
      return Fail(place, Format("metadata has no field '{}'", field));
    }
  }
  for (int64_t type : metadata.profile_type) {
    if (type < 0 || type > 3) return Fail(start, "a profile_type is a number from 0 to 3");
  }
  for (int64_t number : {metadata.source_line, metadata.source_end_line, metadata.source_column,
                         metadata.source_end_column, metadata.stack_frame_id}) {
    if (number != static_cast<int32_t>(number))
      return Fail(start, "a number of the metadata does not fit into 32 bits");
  }
  return true;
}

// {key="value",key2={json}}; sorted by key; the last value of a repeated key.
bool FragmentReader::ParseFrontendAttributes(FrontendAttributes& attributes) {
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  do {
    std::string key;
    if (!ReadKey(key, "a frontend attribute's name") || !ExpectEquals()) return false;
    std::string& value = attributes.emplace_back(std::move(key), std::string()).second;
    if (lexer_.Peek() == '{') {
      std::string_view raw;
      if (!lexer_.ReadBraces(raw)) return Fail(lexer_.at(), "the braces are not balanced");
      value = raw;
    } else if (!Read(value)) {
      return false;
    }
  } while (lexer_.Accept(','));
  if (!Expect('}')) return false;
  const auto not_less = [](auto& a, auto& b) { return a.first >= b.first; };
  if (std::adjacent_find(attributes.begin(), attributes.end(), not_less) == attributes.end()) return true;
  StableSort(attributes, [](auto& a, auto& b) { return a.first < b.first; });
  FrontendAttributes last;
  for (auto& attribute : attributes) {
    if (!last.empty() && last.back().first == attribute.first) last.back() = std::move(attribute);
    else last.push_back(std::move(attribute));
  }
  attributes = std::move(last);
  return true;
}

// A string, or raw JSON.
bool FragmentReader::ParseBackendConfig(std::string_view& config) {
  if (lexer_.Peek() == '{') return lexer_.ReadBraces(config) || Fail(lexer_.at(), "the braces are not balanced");
  return ReadString(config);
}

// {visualizing_index=1,name=23.5}. The first is the index, regardless of its name; without values there are no
// statistics.
bool FragmentReader::ParseStatistics(Statistics& statistics) {
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  if (lexer_.SkipBlank(), lexer_.ReadWord().empty()) return FailExpected("visualizing_index=");
  if (!ExpectEquals() || !Read(statistics.visualizing_index)) return false;
  while (lexer_.Accept(',')) {
    std::string name;
    if (!ReadKey(name, "a statistic's name") || !ExpectEquals()) return false;
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    double value = 0;
    if (!Read(value)) return false;
    if (std::isinf(value)) return Fail(place, "a statistic is a finite number");
    statistics.values.emplace_back(std::move(name), value);
  }
  return Expect('}');
}

// {({"while" {0}}, {"while" {1}})}, {{"add"}}, {[synthetic_call]}
bool FragmentReader::ParseOriginalValue(OriginalValue& value) {
  if (lexer_.Peek() == '[') return ParseOriginalElement(value);
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return value.is_tuple = true;
  return ParseOriginalElement(value) && Expect('}');
}

bool FragmentReader::ParseOriginalElement(OriginalValue& value) {
  Nesting nesting(*this, kValueWeight);
  if (nesting.TooDeep()) return FailDepth(lexer_.at());
  if (lexer_.Accept('[')) {
    value.synthetic_call = true;
    return lexer_.AcceptWord("synthetic_call") ? Expect(']') : FailExpected("synthetic_call");
  }
  if (lexer_.Accept('(')) {
    value.is_tuple = true;
    if (lexer_.Accept(')')) return true;
    do {
      // A missing element has no leaves, like an empty tuple.
      OriginalValue& element = value.elements.emplace_back();
      if (const char c = lexer_.Peek(); c == ',' || c == ')') element.is_tuple = true;
      else if (!ParseOriginalElement(element)) return false;
    } while (lexer_.Accept(','));
    // Only leaves are stored, so elements without leaves after the last leaf are dropped.
    const auto has_no_leaf = [](const OriginalValue& element) { return element.is_tuple && element.elements.empty(); };
    while (!value.elements.empty() && has_no_leaf(value.elements.back())) value.elements.pop_back();
    return Expect(')');
  }
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  if (!ParseOriginalArray(value.leaf.emplace()) || !Expect('}')) return false;
  if (value.leaf->first.empty()) value.leaf.reset();
  return true;
}

// ["name" [{index}]]
bool FragmentReader::ParseOriginalArray(OriginalArray& array) {
  if (lexer_.Peek() == '}') return true;
  return Read(array.first) && (lexer_.Peek() != '{' || Read(array.second));
}

// { {"original"}: {"replacement"} [, "a module's text"] … }
bool ModuleReader::ParseOriginRecoveryTable(std::vector<OriginRecovery>& table) {
  if (!Expect('{')) return false;
  while (!lexer_.Accept('}')) {
    OriginRecovery& entry = table.emplace_back();
    if (!Expect('{') || !ParseOriginalArray(entry.original) || !Expect('}') || !Expect(':') || !Expect('{') ||
        !ParseOriginalArray(entry.replacement) || !Expect('}')) {
      return false;
    }
    if (!lexer_.Accept(',')) continue;
    lexer_.SkipBlank();
    const char* place = lexer_.at();
    std::string text;
    if (!Read(text)) return false;
    // A recovery module may have such a table itself; each level gets a quarter of the depth limit.
    ParserOptions options = this->options();
    options.file_name = "recovery module";
    options.max_depth /= 4;
    if (options.max_depth < kInstructionWeight) return FailDepth(place);
    StatusOr<std::unique_ptr<HloModule>> module = hloir::ParseModule(std::move(text), options);
    if (!module.ok()) {
      const std::string& message = module.status().message();
      return Fail(place, message.substr(0, message.find('\n')));
    }
    entry.recovery_module = *std::move(module);
  }
  SortOriginRecoveries(table);
  return true;
}

}  // namespace hloir
