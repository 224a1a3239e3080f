// The text of annotations: metadata, frontend attributes, origin, statistics, result accuracy, backend config. Covered
// by tests/unit/printer_test.cc.
#include <algorithm>
#include <functional>
#include <utility>

#include "support/plain_text.h"
#include "values.h"
#include "support/stable_sort.h"

namespace hloir {
namespace {

// One balanced {…} and nothing after it; braces within double quotes do not count. Such a text is printed unquoted,
// because it reads back, unless it contains control characters.
bool IsBracedDict(std::string_view text) {
  if (text.empty() || text.front() != '{' || !IsPlainText(text)) return false;
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '{': ++depth; break;
      case '}':
        if (--depth == 0) return i + 1 == text.size();
        break;
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      default: break;
    }
  }
  return false;
}

}  // namespace

void AppendDictOrQuoted(TextBuffer& out, std::string_view text) {
  if (IsBracedDict(text)) out.Append(text);
  else out.AppendQuoted(text);
}

void AppendMetadata(TextBuffer& out, const OpMetadata& metadata, bool only_op_name) {
  bool first = true;
  auto separate = [&] {
    if (!std::exchange(first, false)) out.Append(' ');
  };
  auto text = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    separate();
    out.Append(key);
    out.AppendQuoted(value);
  };
  auto number = [&](std::string_view key, int64_t value) {
    if (value == 0) return;
    separate();
    out.AppendAll(key, value);
  };
  if (only_op_name) return text("op_name=", metadata.op_name);
  text("op_type=", metadata.op_type);
  text("op_name=", metadata.op_name);
  text("source_file=", metadata.source_file);
  number("source_line=", metadata.source_line);
  number("source_end_line=", metadata.source_end_line);
  number("source_column=", metadata.source_column);
  number("source_end_column=", metadata.source_end_column);
  if (!metadata.profile_type.empty()) {
    separate();
    out.Append("profile_type=");
    AppendBracedInts(out, metadata.profile_type);
  }
  text("deduplicated_name=", metadata.deduplicated_name);
  text("scheduling_name=", metadata.scheduling_name);
  number("stack_frame_id=", metadata.stack_frame_id);
  text("metadata_payload=", metadata.metadata_payload);
}

// " /*merged: {op_name="…"}, {…}*/"
void AppendMergedMetadata(TextBuffer& out, std::span<const OpMetadata* const> merged) {
  if (merged.empty()) return;
  TextBuffer comment;
  AppendJoined(comment, merged, ", ", [&](const OpMetadata* metadata) {
    comment.Append('{');
    AppendMetadata(comment, *metadata, false);
    comment.Append('}');
  });
  out.Append(" /*merged: ");
  // No name may end the comment.
  std::string_view text = comment.view();
  for (size_t end; (end = text.find("*/")) != std::string_view::npos; text.remove_prefix(end + 1)) {
    out.Append(text.substr(0, end + 1));
    out.Append(' ');
  }
  out.Append(text);
  out.Append("*/");
}

void AppendFrontendAttributes(TextBuffer& out, const FrontendAttributes& attributes) {
  auto append = [&](const FrontendAttributes& sorted) {
    out.Append('{');
    AppendJoined(out, sorted, ",", [&](const auto& item) {
      out.AppendKey(item.first);
      out.Append('=');
      AppendDictOrQuoted(out, item.second);
    });
    out.Append('}');
  };
  if (std::is_sorted(attributes.begin(), attributes.end())) return append(attributes);
  FrontendAttributes sorted = attributes;
  StableSort(sorted, std::less<>());
  append(sorted);
}

// The parser limits the depth of the tree and so the recursion.
void AppendOriginalArray(TextBuffer& out, const OriginalArray& array) {
  out.AppendQuoted(array.first);
  if (array.second.empty()) return;
  out.Append(' ');
  AppendBracedInts(out, array.second);
}

void AppendOriginalValue(TextBuffer& out, const OriginalValue& value) {
  if (value.synthetic_call) {
    out.Append("[synthetic_call]");
  } else if (value.is_tuple) {
    out.Append('(');
    AppendJoined(out, value.elements, ", ", [&](const OriginalValue& element) { AppendOriginalValue(out, element); });
    out.Append(')');
  } else {
    out.Append('{');
    if (value.leaf.has_value()) AppendOriginalArray(out, *value.leaf);
    out.Append('}');
  }
}

void AppendStatistics(TextBuffer& out, const Statistics& statistics) {
  out.Append("{visualizing_index=");
  out.AppendInt(statistics.visualizing_index);
  for (const auto& [name, percent] : statistics.values) {
    out.Append(',');
    out.AppendKey(name);
    out.Append('=');
    out.AppendGeneral(percent, 6);
  }
  out.Append('}');
}

void AppendResultAccuracy(TextBuffer& out, const ResultAccuracy& accuracy) {
  if (!accuracy.has_tolerance) {
    out.Append("{mode=");
    out.Append(EnumWord(accuracy.mode));
    out.Append('}');
    return;
  }
  out.Append("{tolerance={atol=");
  out.AppendGeneral(accuracy.atol, 6);
  out.Append(",rtol=");
  out.AppendGeneral(accuracy.rtol, 6);
  out.Append(",ulps=");
  out.AppendInt(accuracy.ulps);
  out.Append("}}");
}

}  // namespace hloir
