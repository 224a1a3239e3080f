// From passes.def: the list of all passes, a pass by its name (or XLA's), and pipelines by names.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "support/did_you_mean.h"
#include "hloir/pass.h"

namespace hloir {

#define HLOIR_PASS(maker, name, description, rules) std::unique_ptr<HloPass> maker(const PassOptions& options);
#include "hloir/passes.def"
#undef HLOIR_PASS

std::span<const PassInfo> AllPasses() {
  static constexpr std::array kPasses = {
#define HLOIR_PASS(maker, name, description, rules) PassInfo{name, description, rules, maker},
#include "hloir/passes.def"
#undef HLOIR_PASS
  };
  return kPasses;
}

std::vector<std::string_view> RuleNames(const PassInfo& pass) {
  std::vector<std::string_view> names;
  if (pass.name == "algebraic-simplifier") {
    for (const RuleInfo& rule : AlgebraicRules()) names.push_back(rule.name);
  }
  for (std::string_view left = pass.rules; !left.empty();) {
    const std::string_view name = left.substr(0, left.find(' '));
    names.push_back(name);
    left.remove_prefix(std::min(left.size(), name.size() + 1));
  }
  return names;
}

namespace {

// Do all these rules exist, of that pass or (for "") of any?
Status CheckRules(std::span<const std::string> rules, std::string_view pass_name) {
  if (rules.empty()) return OkStatus();
  std::vector<std::string_view> names;
  for (const PassInfo& pass : AllPasses()) {
    if (!pass_name.empty() && pass.name != pass_name) continue;
    const std::vector<std::string_view> own = RuleNames(pass);
    names.insert(names.end(), own.begin(), own.end());
  }
  for (const std::string& rule : rules) {
    if (std::find(names.begin(), names.end(), rule) != names.end()) continue;
    const std::string who =
        pass_name.empty() ? "no pass has" : "the pass '" + std::string(pass_name) + "' does not have";
    return InvalidArgument(who + " a rule named '" + rule + "'" + DidYouMean(rule, names));
  }
  return OkStatus();
}

// Sets what `text`, "x=1 y=2", says.
Status SetPassOptions(PassOptions& options, std::string_view pass, std::string_view text) {
  while (true) {
    const size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) return OkStatus();
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      return InvalidArgument("the option '" + std::string(word) + "' of the pass '" + std::string(pass) +
                             "' has no '=VALUE'");
    }
    HLOIR_RETURN_IF_ERROR(SetPassOption(options, pass, word.substr(0, equals), word.substr(equals + 1)));
  }
}

// What XLA's hlo-opt calls them, where that is not our name with other hyphens.
constexpr std::pair<std::string_view, std::string_view> kXlaNames[] = {
    {"algsimp", "algebraic-simplifier"},
    {"all-reduce-simp", "all-reduce-simplifier"},
    {"memory-scheduler", "hlo-memory-scheduler"},
    {"AssumeGatherIndicesInBoundRewriteToCopy", "assume-gather-indices-in-bound-rewrite-to-copy"},
    {"CallInliner", "call-inliner"},
    {"ReduceWindowToReduceAndBroadcast", "reduce-window-to-reduce-and-broadcast"},
    {"cse_barrier_expander", "optimization-barrier-expander"},
    {"float-normalization-bf16", "float-normalization"},
    {"int4-size-setter", "sub-byte-normalization"},
    {"sub-byte-size-setter", "sub-byte-normalization"},
    {"simplify-conditional", "conditional-simplifier"},
    {"simplify-sorts", "sort-simplifier"},
    {"simplify-while-loops", "while-loop-simplifier"},
};

}  // namespace

StatusOr<std::unique_ptr<HloPass>> MakePass(std::string_view name, const PassOptions& options) {
  std::string_view values;
  if (const size_t brace = name.find('{'); brace != std::string_view::npos && name.ends_with('}')) {
    values = name.substr(brace + 1, name.size() - brace - 2);
    name = name.substr(0, brace);
  }
  std::string spelled(name);
  for (const auto& [xla, ours] : kXlaNames) {
    if (name == xla) spelled = ours;
  }
  std::replace(spelled.begin(), spelled.end(), '_', '-');  // XLA has both
  for (const PassInfo& pass : AllPasses()) {
    if (pass.name != spelled) continue;
    PassOptions own = options;
    const size_t shared = own.disabled_rules.size();
    HLOIR_RETURN_IF_ERROR(SetPassOptions(own, name, values));
    HLOIR_RETURN_IF_ERROR(CheckRules(std::span<const std::string>(own.disabled_rules).subspan(shared), pass.name));
    return pass.make(own);
  }
  std::vector<std::string_view> names;
  for (const PassInfo& pass : AllPasses()) names.push_back(pass.name);
  for (const auto& [xla, ours] : kXlaNames) names.push_back(xla);
  return InvalidArgument("there is no pass named '" + std::string(name) + "'" + DidYouMean(spelled, names));
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
      // A bracket by itself belongs to its neighbour.
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

std::vector<std::string> DefaultPipeline() {
  return {"call-inliner", "dynamic-padder", "batchnorm-expander", "tuple-simplifier", "dce",
          // Until nothing changes: what each instruction is, then what loops and branches do with them.
          "[algebraic-simplifier", "constant-folding", "cse", "reshape-mover", "zero-sized-hlo-elimination",
          "all-reduce-simplifier", "sort-simplifier", "conditional-simplifier", "conditional-to-select",
          "while-loop-constant-sinking", "while-loop-simplifier",
          "while-loop-unroller{elementwise-only=true max-rounds=8}", "while-loop-invariant-code-motion",
          "tuple-simplifier", "hlo-module-dce", "dce]", "computation-deduplicator", "fusion",
          "reshape-decomposer{disable=decompose-reshape}", "tuple-simplifier", "dce"};
}

StatusOr<HloPassPipeline> MakePipeline(std::span<const std::string> names, const PassOptions& options,
                                       PipelineOptions pipeline_options) {
  HLOIR_RETURN_IF_ERROR(CheckRules(options.disabled_rules, ""));
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
