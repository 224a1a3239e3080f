// Reports on passes: totals of a pipeline, and the list of passes; see hloir/report.h. Instructions are counted as in
// the text, including those of fusions and reductions.
#include <map>

#include "hloir/report.h"
#include "json.h"
#include "support/format.h"
#include "support/text.h"
#include "table.h"

namespace hloir {
namespace {

// All runs of one pass.
struct PassSum {
  std::string pass;
  int64_t runs = 0, changed = 0, added = 0;
  bool stopped = false;
  double milliseconds = 0;
};

// In the order of the passes' first runs.
std::vector<PassSum> Sums(std::span<const PassRun> runs) {
  std::vector<PassSum> sums;
  std::map<std::string, size_t> index;
  for (const PassRun& run : runs) {
    const auto [it, inserted] = index.try_emplace(run.pass, sums.size());
    if (inserted) sums.push_back({.pass = run.pass});
    PassSum& sum = sums[it->second];
    ++sum.runs;
    sum.changed += run.changed;
    sum.stopped |= run.stopped;
    sum.added += run.instructions_after - run.instructions_before;
    sum.milliseconds += run.milliseconds;
  }
  return sums;
}

Json OptionsJson(std::span<const PassOption> options) {
  Json json = Json::array();
  for (const PassOption& option : options) {
    json.push_back({{"name", option.name}, {"default", option.DefaultText()}, {"description", option.description}});
  }
  return json;
}

}  // namespace

std::string PassReportJson(std::span<const PassRun> runs, const RewriteLog& log) {
  Json passes = Json::array();
  for (const PassSum& sum : Sums(runs)) {
    passes.push_back({{"pass", sum.pass},
                      {"runs", sum.runs},
                      {"changed", sum.changed},
                      {"removed", -sum.added},
                      {"ms", sum.milliseconds}});
    if (sum.stopped) passes.back()["stopped"] = true;
  }
  Json json;
  if (!runs.empty()) {
    json["instructions_before"] = runs.front().instructions_before;
    json["instructions_after"] = runs.back().instructions_after;
  }
  json["passes"] = std::move(passes);
  json["rules"] = log.counts();
  return JsonLine(json);
}

std::string PassReport(std::span<const PassRun> runs, const RewriteLog& log) {
  Table table({"pass", "runs", "changed", "instructions", "time"});
  for (const PassSum& sum : Sums(runs)) {
    table.Add({sum.pass, Format("{}", sum.runs), Format("{}", sum.changed),
               sum.added == 0 ? "0" : Format("{:+}", sum.added), HumanTime(sum.milliseconds)});
  }
  if (!runs.empty()) {
    table.Add({"in all", Format("{}", runs.size()), "",
               Format("{} → {}", runs.front().instructions_before, runs.back().instructions_after), ""});
  }
  std::string text = table.ToString();
  for (const PassSum& sum : Sums(runs)) {
    if (sum.stopped) text += Format("{} stopped at the limit of instructions (--max-instructions)\n", sum.pass);
  }
  if (log.counts().empty()) return text;
  Table rules({"rule", "times"});
  for (const auto& [rule, times] : log.counts()) rules.Add({rule, Format("{}", times)});
  return text + "\n" + rules.ToString();
}

std::string PassListReport(const PassRegistry& registry, size_t columns) {
  std::string text;
  const auto list = [&](std::span<const PassOption> options) {
    for (const PassOption& option : options)
      text += ListRow(Format("  {{{}={}}}", option.name, option.DefaultText()), option.description, columns);
  };
  for (const PassInfo& pass : registry.passes()) {
    text += ListRow(pass.name, pass.description, columns);
    list(pass.options);
  }
  text += "\nOptions of every pass:\n";
  list(CommonPassOptions());
  return text;
}

std::string RuleListReport(const PassRegistry& registry, size_t columns) {
  std::string text;
  for (const PassInfo& pass : registry.passes()) {
    text += Format("{}\n", pass.name);
    for (const RuleInfo& rule : pass.rules) {
      std::string formula(rule.formula);
      if (rule.floats != MathMode::kExact) formula += Format("  (floats: --math={})", MathModeName(rule.floats));
      text += ListRow(rule.name, formula, columns);
    }
  }
  return text;
}

std::string PassListJson(const PassRegistry& registry) {
  Json passes = Json::array();
  for (const PassInfo& pass : registry.passes()) {
    std::vector<std::string_view> rules;
    for (const RuleInfo& rule : pass.rules) rules.push_back(rule.name);
    passes.push_back({{"name", pass.name},
                      {"description", pass.description},
                      {"options", OptionsJson(pass.options)},
                      {"rules", rules}});
  }
  return JsonLine({{"passes", std::move(passes)}, {"options", OptionsJson(CommonPassOptions())}});
}

std::string RuleListJson(const PassRegistry& registry) {
  Json rules = Json::array();
  for (const PassInfo& pass : registry.passes()) {
    for (const RuleInfo& rule : pass.rules) {
      rules.push_back({{"pass", pass.name},
                       {"rule", rule.name},
                       {"formula", rule.formula},
                       {"math", {{"integers", MathModeName(rule.integers)}, {"floats", MathModeName(rule.floats)}}}});
    }
  }
  return JsonLine(rules);
}

}  // namespace hloir
