// From passes.def: the list of all passes, a pass by its name, and pipelines by names.
#include <array>

#include "hloir/pass.h"

namespace hloir {

#define HLOIR_PASS(maker, name, description) std::unique_ptr<HloPass> maker(const PassOptions& options);
#include "hloir/passes.def"
#undef HLOIR_PASS

std::span<const PassInfo> AllPasses() {
  static constexpr std::array kPasses = {
#define HLOIR_PASS(maker, name, description) PassInfo{name, description, maker},
#include "hloir/passes.def"
#undef HLOIR_PASS
  };
  return kPasses;
}

StatusOr<std::unique_ptr<HloPass>> MakePass(std::string_view name, const PassOptions& options) {
  for (const PassInfo& pass : AllPasses()) {
    if (pass.name == name) return pass.make(options);
  }
  return InvalidArgument("there is no pass named '" + std::string(name) + "'");
}

std::vector<std::string> DefaultPipeline() {
  return {
      "call-inliner", "tuple-simplifier", "dce", "[algebraic-simplifier", "constant-folding", "cse", "tuple-simplifier",
      "dce]",         "fusion",           "dce"};
}

StatusOr<HloPassPipeline> MakePipeline(std::span<const std::string> names, const PassOptions& options,
                                       PipelineOptions pipeline_options) {
  const std::vector<std::string> default_names = DefaultPipeline();
  if (names.empty()) names = default_names;
  HloPassPipeline pipeline(std::move(pipeline_options));
  std::vector<std::unique_ptr<HloPass>> group;
  bool in_group = false;
  for (std::string_view name : names) {
    bool opens = name.starts_with('['), closes = name.ends_with(']');
    if (opens) name.remove_prefix(1);
    if (closes && !name.empty()) name.remove_suffix(1);
    if (opens && in_group) return InvalidArgument("a fixpoint group [...] of passes cannot hold another one");
    if (closes && !in_group && !opens) return InvalidArgument("the list of passes has a ']' without its '['");
    HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloPass> pass, MakePass(name, options));
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
}

}  // namespace hloir
