// Where an instruction came from and what is said about it: metadata, origin, frontend attributes, backend configs,
// statistics.

#include <algorithm>

#include "module_reader.h"

#include "support/format.h"

namespace hloir {

// The same text as last time is the same metadata; else it is read anew.
bool ModuleReader::ParseSharedMetadata(HloInstruction* instruction) {
  lexer_.SkipBlank();
  const char* start = lexer_.at();
  if (!last_metadata_text_.empty() && static_cast<size_t>(lexer_.end() - start) >= last_metadata_text_.size() &&
      SameBytes(start, last_metadata_text_.data(), last_metadata_text_.size())) {
    GraphLoader::set_metadata(instruction, last_metadata_);
    lexer_.set_at(start + last_metadata_text_.size());
    return true;
  }
  OpMetadata* read = loader_.NewMetadata();
  const bool ok = ParseMetadata(*read);
  read = loader_.Own(read);
  if (!ok) return false;
  if (read->stack_frame_id != 0) read->stack_frame_id = stack_frames_.Use(read->stack_frame_id);
  GraphLoader::set_metadata(instruction, last_metadata_ = read);
  last_metadata_text_ = {start, static_cast<size_t>(lexer_.at() - start)};
  return true;
}

// {op_type="…" op_name="…" source_file="…" source_line=3 …}; commas may stand between.
bool FragmentReader::ParseMetadata(OpMetadata& metadata) {
  if (!Expect('{')) return false;
  while (!lexer_.Accept('}')) {
    // What nearly every instruction has, in the order in which it is written.
    if (lexer_.Accept("op_type=") && !ReadString(metadata.op_type)) return false;
    if (lexer_.Accept("op_name=") && !ReadString(metadata.op_name)) return false;
    if (lexer_.Accept("source_file=") && !ReadString(metadata.source_file)) return false;
    if (lexer_.Accept("source_line=") && !Read(metadata.source_line)) return false;
    if (lexer_.Accept("stack_frame_id=") && !Read(metadata.stack_frame_id)) return false;
    if (lexer_.Accept('}')) return true;

    const char* place = lexer_.at();
    const std::string_view field = lexer_.ReadWord().text();
    std::string_view* text = nullptr;
    int64_t* number = nullptr;
    if (field == "op_name") text = &metadata.op_name;
    else if (field == "op_type") text = &metadata.op_type;
    else if (field == "source_file") text = &metadata.source_file;
    else if (field == "stack_frame_id") number = &metadata.stack_frame_id;
    else if (field == "source_line") number = &metadata.source_line;
    else if (field == "source_end_line") number = &metadata.source_end_line;
    else if (field == "source_column") number = &metadata.source_column;
    else if (field == "source_end_column") number = &metadata.source_end_column;
    else if (field == "deduplicated_name") text = &metadata.deduplicated_name;
    else if (field == "scheduling_name") text = &metadata.scheduling_name;
    else if (field == "metadata_payload") text = &metadata.metadata_payload;
    if (text != nullptr) {
      if (!Expect('=') || !ReadString(*text)) return false;
    } else if (number != nullptr) {
      if (!Expect('=') || !Read(*number)) return false;
    } else if (field == "profile_type") {
      if (!Expect('=') || !Read(metadata.profile_type)) return false;
    } else if (field == "size_of_generated_code_in_bytes" || field == "size_of_memory_working_set_in_bytes" ||
               field == "preserve_layout" || field == "logical_creation_pass_id") {
      // Of some years' dumps; nothing depends on them.
      std::string_view skipped;
      if (!Expect('=') || !SkipAttributeValue(skipped)) return false;
    } else if (!field.empty() || !lexer_.Accept(',')) {
      lexer_.set_at(place);
      if (field.empty()) return FailExpected("a field of the metadata, or '}'");
      return Fail(place, Format("metadata has no field '{}'", field));
    }
    lexer_.Accept(',');
  }
  return true;
}

// {key="value",key2={json}}; sorted by key, and of a key that is said twice the last.
bool FragmentReader::ParseFrontendAttributes(FrontendAttributes& attributes) {
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  do {
    lexer_.SkipBlank();
    const Word key = lexer_.ReadWord();
    if (key.empty()) return FailExpected("a frontend attribute's name");
    if (!Expect('=')) return false;
    std::string value;
    if (lexer_.Peek() == '{') {
      std::string_view raw;
      if (!lexer_.ReadBraces(raw)) return Fail(lexer_.at(), "the braces are not balanced");
      value = raw;
    } else if (!Read(value)) {
      return false;
    }
    attributes.emplace_back(key.text(), std::move(value));
  } while (lexer_.Accept(','));
  if (!Expect('}')) return false;
  std::stable_sort(attributes.begin(), attributes.end(), [](auto& a, auto& b) { return a.first < b.first; });
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

// {visualizing_index=1,name=23.5}
bool FragmentReader::ParseStatistics(Statistics& statistics) {
  if (!Expect('{')) return false;
  lexer_.SkipBlank();
  const char* place = lexer_.at();
  if (lexer_.ReadWord().text() != "visualizing_index") {
    return Fail(place, "statistics begin with visualizing_index=");
  }
  if (!Expect('=') || !Read(statistics.visualizing_index)) return false;
  while (lexer_.Accept(',')) {
    const Word name = (lexer_.SkipBlank(), lexer_.ReadWord());
    if (name.empty()) return FailExpected("a statistic's name");
    double value = 0;
    if (!Expect('=') || !Read(value)) return false;
    statistics.values.emplace_back(name.text(), value);
  }
  if (!Expect('}')) return false;
  if (statistics.values.empty()) return Fail(place, "statistics need at least one value");
  if (statistics.visualizing_index < 0 ||
      statistics.visualizing_index > static_cast<int64_t>(statistics.values.size())) {
    return Fail(place, "visualizing_index is none of the statistics");
  }
  return true;
}

// {({"while" {0}}, {"while" {1}})}, {{"add"}}, {[synthetic_call]}
bool FragmentReader::ParseOriginalValue(OriginalValue& value) {
  if (lexer_.Peek() == '[') return ParseOriginalElement(value);
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
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
      if (!ParseOriginalElement(value.elements.emplace_back())) return false;
    } while (lexer_.Accept(','));
    return Expect(')');
  }
  if (!Expect('{')) return false;
  if (lexer_.Accept('}')) return true;
  return ParseOriginalArray(value.leaf.emplace()) && Expect('}');
}

// "name" [{index}]
bool FragmentReader::ParseOriginalArray(OriginalArray& array) {
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
    // Such a module may have such a table; each level gets a quarter of the depth, so that there are few.
    ParserOptions options = this->options();
    options.file_name = "recovery module";
    options.max_depth /= 4;
    if (options.max_depth < kInstructionWeight) return FailDepth(place);
    StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(std::move(text), options);
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
