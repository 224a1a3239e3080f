// The text syntax of pipelines: splits text into names, makes passes from names, and inserts a name into a list.
#include "hloir/pipeline.h"

#include "support/guard.h"

#include <algorithm>

namespace hloir {
namespace {

// The name without brackets and options.
std::string_view BareName(std::string_view entry) {
  while (entry.starts_with('[')) entry.remove_prefix(1);
  return entry.substr(0, entry.find_first_of("{]"));
}

Status InsertBeside(std::vector<std::string>& pipeline, std::string_view name, std::string_view pass, bool after) {
  const auto at =
      std::find_if(pipeline.begin(), pipeline.end(), [&](const std::string& entry) { return BareName(entry) == name; });
  if (at == pipeline.end()) return InvalidArgument("the pipeline has no pass '" + std::string(name) + "'");
  std::string entry(pass);
  // The pass joins the group and takes over the bracket at that end.
  if (after && at->ends_with(']')) {
    at->pop_back();
    entry += ']';
  } else if (!after && at->starts_with('[')) {
    at->erase(0, 1);
    entry.insert(0, 1, '[');
  }
  pipeline.insert(after ? at + 1 : at, std::move(entry));
  return OkStatus();
}

}  // namespace

Status InsertBefore(std::vector<std::string>& pipeline, std::string_view name, std::string_view pass) {
  return InsertBeside(pipeline, name, pass, false);
}
Status InsertAfter(std::vector<std::string>& pipeline, std::string_view name, std::string_view pass) {
  return InsertBeside(pipeline, name, pass, true);
}

StatusOr<std::vector<std::string>> SplitPipeline(std::string_view text) {
  std::vector<std::string> names;
  std::string name;
  bool in_options = false, in_comment = false;
  int line = 1;
  auto end_name = [&] {
    if (!name.empty()) names.push_back(std::move(name));
    name.clear();
  };
  for (char c : text) {
    if (c == '\n') {
      if (in_options) return InvalidArgument("line " + std::to_string(line) + ": a '{' without its '}'");
      ++line;
      in_comment = false;
      end_name();
    } else if (in_comment) {
      continue;
    } else if (in_options) {
      name += c;
      in_options = c != '}';
    } else if (c == '#') {
      in_comment = true;
      end_name();
    } else if (c == ',' || c == ' ' || c == '\t' || c == '\r') {
      end_name();
    } else if (c == ']' && name.empty()) {
      // A single bracket belongs to its neighbour.
      if (names.empty()) return InvalidArgument("the list of passes has a ']' without its '['");
      names.back() += ']';
    } else {
      // "[" and, on the next line, the first pass: one word.
      if (name.empty() && !names.empty() && names.back() == "[") {
        name = "[";
        names.pop_back();
      }
      name += c;
      in_options = c == '{';
    }
  }
  if (in_options) return InvalidArgument("line " + std::to_string(line) + ": a '{' without its '}'");
  end_name();
  return names;
}

StatusOr<HloPassPipeline> MakePipeline(const PassRegistry& registry, std::span<const std::string> names,
                                       const PassOptions& given, PipelineOptions pipeline_options) try {
  HLOIR_RETURN_IF_ERROR(registry.CheckRules(given.disabled_rules));
  PassOptions options = given;
  if (options.evaluator == nullptr) options.evaluator = registry.MakeEvaluator();  // one for all of them
  if (names.empty()) names = registry.default_pipeline();
  if (options.growth == nullptr) options.growth = std::make_shared<GrowthBudget>(pipeline_options.max_instructions);
  pipeline_options.growth = options.growth;
  HloPassPipeline pipeline(std::move(pipeline_options));
  std::vector<std::unique_ptr<HloPass>> group;
  bool in_group = false;
  for (std::string_view name : names) {
    bool opens = name.starts_with('['), closes = name.ends_with(']');
    if (opens) name.remove_prefix(1);
    if (closes && !name.empty()) name.remove_suffix(1);
    if (opens && in_group) return InvalidArgument("a fixpoint group [...] of passes cannot hold another one");
    if (closes && !in_group && !opens) return InvalidArgument("the list of passes has a ']' without its '['");
    HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloPass> pass, registry.Make(name, options));
    in_group = in_group || opens;
    if (in_group) group.push_back(std::move(pass));
    else pipeline.Add(std::move(pass));
    if (closes) {
      pipeline.AddFixpoint(std::move(group));
      group.clear();
      in_group = false;
    }
  }
  if (in_group) return InvalidArgument("the list of passes has a '[' without its ']'");
  return pipeline;
} catch (...) {
  return OutOfMemory();
}

}  // namespace hloir
