// What of hloir the playground calls: text in, JSON out, and the name of what is being done through Module.progress.
// index.html is the page; CMakeLists.txt beside this compiles both to one HTML file. It runs on one thread, a worker of
// the page, with the kernels for WebAssembly's vectors; modules for several devices are read and optimized, but not
// run, as their devices would be threads. Pictures are laid out by the page. Tested by tests/pages/playground against
// the command's own output.
#include <emscripten/emscripten.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "hloir/check.h"
#include "hloir/inspect.h"
#include "hloir/io.h"
#include "hloir/passes.h"
#include "hloir/printer.h"
#include "hloir/report.h"
#include "hloir/version.h"
#include "inspect/explain.h"
#include "support/text.h"

EM_JS(void, hloir_progress, (const char* doing), {
  if (Module.progress) Module.progress(UTF8ToString(doing));
});

namespace {

using namespace hloir;
using Json = nlohmann::ordered_json;

std::string answer;  // what was returned last

const char* Reply(const Json& json) {
  answer = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return answer.c_str();
}

const char* Failed(const Status& status) {
  return Reply({{"error", status.message()}, {"errors", Json::parse(DiagnosticsJson(status, "module.hlo"))}});
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// The content selects the form.
StatusOr<std::unique_ptr<HloModule>> Read(std::string content) {
  hloir_progress("reading");
  HLOIR_ASSIGN_OR_RETURN(ModuleFile file,
                         ParseModuleFile(std::move(content), {.one_module = true, .file_name = "module.hlo"}));
  return std::move(file.modules.front());
}

StatusOr<HloPassPipeline> Pipeline(const char* passes, const char* disabled, int math, PipelineOptions pipeline,
                                   Rewriter* rewriter) {
  HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes));
  PassOptions options;
  options.math = static_cast<MathMode>(math);
  options.disabled_rules = Words(disabled);
  options.rewriter = rewriter;
  return MakePipeline(names, options, std::move(pipeline));
}

Json Figures(const HloModule& module) {
  const InstructionCount count = CountInstructions(module);
  const Cost cost = CostAnalysis(module).total().repeated;
  return {{"instructions", count.instructions},
          {"top_level", count.top_level},
          {"flops", cost.flops},
          {"transcendentals", cost.transcendentals},
          {"bytes", cost.bytes}};
}

// Results as `hloir run` prints them.
StatusOr<std::string> RunText(const HloModule& module, Engine engine, uint64_t seed) {
  if (DeviceCountsOf(module).devices() > 1 || UsesDevices(module))
    return Unimplemented("it is for several devices, which the playground does not simulate");
  HLOIR_ASSIGN_OR_RETURN(const std::vector<Literal> inputs, MakeFakeInputs(module, seed));
  RunnerOptions options;
  options.engine = engine;
  options.threads = 1;
  options.max_steps = int64_t{1} << 22;
  HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options));
  std::vector<const Literal*> pointers;
  for (const Literal& input : inputs) pointers.push_back(&input);
  HLOIR_ASSIGN_OR_RETURN(const Literal result, runner.Run(pointers));
  std::string text;
  int number = 0;
  for (const Literal* leaf : result.Leaves()) {
    if (!leaf->shape().IsArray()) continue;
    text += "out" + std::to_string(number++) + " = " + leaf->shape().ToString(/*with_layout=*/false) + " " +
            leaf->ToString() + "\n";
  }
  return text;
}

// As page.js draws it.
Json SketchJson(const RewriteHistory::Sketch& sketch) {
  Json boxes = Json::array();
  for (const RewriteHistory::Sketch::Box& box : sketch.boxes)
    boxes.push_back({ShortName(box.name, 28), box.opcode, ShortName(box.shape, 24, false), box.marked ? 1 : 0, 0, 0,
                     7 * std::clamp<size_t>(box.name.size(), 16, 30) + 16});
  return {{"boxes", std::move(boxes)}, {"edges", sketch.edges}};
}

}  // namespace

extern "C" {

// Every pass with its rules: {"passes": […], "rules": […], "version": …}.
const char* hloir_lists() {
  return Reply({{"passes", Json::parse(PassListJson(BuiltinPasses()))},
                {"rules", Json::parse(RuleListJson(BuiltinPasses()))},
                {"version", std::string(kVersion)}});
}

// The text of a module in a file of any form: {"text"}.
const char* hloir_read(const char* bytes, int size) {
  auto module = Read(std::string(bytes, static_cast<size_t>(size)));
  if (!module.ok()) return Failed(module.status());
  return Reply({{"text", PrintModule(**module, PrintOptions::Readable())}});
}

// {"text": as it is printed, "figures", "stats": the tables}, or {"error", "errors": [{line, column, message}]}.
const char* hloir_check(const char* text) {
  auto module = Read(text);
  if (!module.ok()) return Failed(module.status());
  return Reply({{"text", PrintModule(**module, PrintOptions::Readable())},
                {"figures", Figures(**module)},
                {"stats", StatsReport(ModuleStats(**module))}});
}

// Runs passes ("": the whole pipeline) without the rules in `disabled`, and tells the story: {"before", "after": texts,
// "first": figures, "runs": [{pass, first, last, changed, values, figures}], "steps": [rewrites], "history": the story
// as text, "diff"}.
const char* hloir_explain(const char* text, const char* passes, const char* disabled, int math) {
  auto module = Read(text);
  if (!module.ok()) return Failed(module.status());
  const std::unique_ptr<HloModule> before = (*module)->Clone();
  const Optimizer optimize = [&](HloModule& m, PipelineOptions options, Rewriter* rewriter) -> Status {
    options.before = [inner = std::move(options.before)](const PassEvent& event, const HloModule& now) -> Status {
      hloir_progress(("pass " + std::to_string(event.number + 1) + ", " + std::string(event.pass)).c_str());
      return inner ? inner(event, now) : OkStatus();
    };
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, Pipeline(passes, disabled, math, std::move(options), rewriter));
    return pipeline.RunOnce(m).status();
  };
  auto history = MakeRewriteHistory(**module, optimize);
  if (!history.ok()) return Failed(history.status());
  Json runs = Json::array(), steps = Json::array();
  for (const RewriteHistory::Run& run : history->runs)
    runs.push_back({{"pass", run.pass},
                    {"first", run.first},
                    {"last", run.last},
                    {"changed", run.changed},
                    {"text", RunText(*history, run)},
                    {"bad", run.values == RewriteHistory::Values::kDifferent}});
  for (const RewriteHistory::Step& step : history->steps) {
    Json json = Json::parse(RewriteReportJson(step.rewrite));
    json["instructions"] = step.instructions;
    json["g"] = SketchJson(step.before), json["h"] = SketchJson(step.after);
    steps.push_back(std::move(json));
  }
  const ModuleDiff diff(*before, **module);
  return Reply({{"before", history->text_before},
                {"after", PrintModule(**module, PrintOptions::Readable())},
                {"first", Figures(*before)},
                {"last", Figures(**module)},
                {"runs", std::move(runs)},
                {"steps", std::move(steps)},
                {"history", HistoryText(*history)},
                {"diff", DiffReport(diff)}});
}

// Its picture: {"page": a page of its own}.
const char* hloir_graph(const char* text) {
  auto module = Read(text);
  if (!module.ok()) return Failed(module.status());
  hloir_progress("drawing");
  auto graph = MakeGraph(**module);
  if (!graph.ok()) return Failed(graph.status());
  return Reply({{"page", GraphPage(*graph)}});
}

// What it computes of inputs made up from the seed: {"reference", "fast": as hloir run prints them}.
const char* hloir_run(const char* text, int seed) {
  auto module = Read(text);
  if (!module.ok()) return Failed(module.status());
  hloir_progress("running");
  auto reference = RunText(**module, Engine::kReference, static_cast<uint64_t>(seed));
  if (!reference.ok()) return Failed(reference.status());
  auto fast = RunText(**module, Engine::kFast, static_cast<uint64_t>(seed));
  if (!fast.ok()) return Failed(fast.status());
  return Reply({{"reference", *reference}, {"fast", *fast}});
}

// Do two modules compute the same? {"agree": bool, "verdict": in words}.
const char* hloir_compare(const char* a, const char* b) {
  auto before = Read(a), after = Read(b);
  if (!before.ok()) return Failed(before.status());
  if (!after.ok()) return Failed(after.status());
  if (DeviceCountsOf(**before).devices() > 1 || UsesDevices(**before))
    return Failed(Unimplemented("it is for several devices, which the playground does not simulate"));
  CheckOptions options;
  options.runner.threads = 1;
  options.runner.max_steps = int64_t{1} << 22;
  hloir_progress("comparing");
  auto verdict = Check(**before, **after, {}, options);
  if (!verdict.ok()) return Failed(verdict.status());
  return Reply({{"agree", verdict->agrees()}, {"verdict", verdict->ToString()}});
}

}  // extern "C"
