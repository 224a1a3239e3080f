// Records the rewrites of passes; see inspect/explain.h.
#include "inspect/explain.h"

#include <algorithm>
#include <unordered_map>

#include "hloir/check.h"
#include "hloir/evaluator.h"
#include "hloir/printer.h"
#include "hloir/report.h"
#include "inspect/layout.h"
#include "inspect/pages.h"
#include "report/json.h"
#include "support/format.h"
#include "support/text.h"
#include "support/guard.h"

namespace hloir {
namespace {

constexpr size_t kMostBoxes = 24;        // of a sketch
constexpr int64_t kMostSteps = 1 << 16;  // instructions run for the values of an run
constexpr double kMostWork = 1 << 24;    // operations and bytes of a module that the reference evaluator runs
// Of larger ones, which the engine runs: some ten times a second.
constexpr double kMostEngineOperations = 1 << 30, kMostEngineBytes = 1 << 28;
constexpr int64_t kMostEngineSteps = 1 << 21;
constexpr size_t kMostSketches = 4000;  // of a history; beyond, text has to do

// Some instructions and their operands.
RewriteHistory::Sketch SketchOf(std::span<const HloInstruction* const> instructions) {
  RewriteHistory::Sketch sketch;
  std::unordered_map<const HloInstruction*, int> boxes;
  const auto box = [&](const HloInstruction* i, bool marked) {
    const auto [it, inserted] = boxes.try_emplace(i, static_cast<int>(sketch.boxes.size()));
    if (inserted)
      sketch.boxes.push_back(
          {std::string(i->name()), std::string(i->opcode_name()), i->shape().ToString(/*with_layout=*/false), marked});
    return it->second;
  };
  for (const HloInstruction* i : instructions)
    if (sketch.boxes.size() < kMostBoxes) box(i, true);
  for (const HloInstruction* i : instructions) {
    const auto to = boxes.find(i);
    if (to == boxes.end()) continue;
    for (const HloInstruction* operand : i->operands()) {
      if (!boxes.contains(operand) && sketch.boxes.size() >= kMostBoxes) continue;
      const std::pair<int, int> edge = {box(operand, false), to->second};
      if (std::find(sketch.edges.begin(), sketch.edges.end(), edge) == sketch.edges.end()) sketch.edges.push_back(edge);
    }
  }
  return sketch;
}

// The log, with graphs of the removed instructions, which exist only during the rewrite.
class HistoryLog : public RewriteLog {
 public:
  HistoryLog() { keep_declined = true; }
  bool Allow(const Rewrite& rewrite) override {
    const size_t before = entries().size();
    const bool allowed = RewriteLog::Allow(rewrite);
    if (entries().size() > before) {
      Resize();
      // Draws the instructions before the rewrite, which removes their edges.
      std::vector<const HloInstruction*> near = {rewrite.instruction};
      for (const HloInstruction* operand : rewrite.instruction->operands())
        if (!operand->IsParameter() && operand->user_count() == 1) near.push_back(operand);
      if (rewrite.partner != nullptr) near.push_back(rewrite.partner);
      if (steps.size() < kMostSketches) steps.back().before = SketchOf(near);
      steps.back().instructions = rewrite.instruction->module()->instruction_count();
    }
    return allowed;
  }
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override {
    RewriteLog::Done(rewrite, replacement);
    if (steps.empty() || replacement == nullptr) return;
    std::vector<const HloInstruction*> made(rewrite.made.begin(), rewrite.made.end());
    if (made.empty()) made.push_back(replacement);
    if (steps.size() < kMostSketches) steps[applied_].after = SketchOf(made);
    steps[applied_].instructions = replacement->module()->instruction_count();
  }
  void Declined(const Rewrite& rewrite) override {
    RewriteLog::Declined(rewrite);
    if (entries().size() > steps.size()) {
      steps.resize(entries().size());
      steps.back().instructions = rewrite.instruction->module()->instruction_count();
    }
  }
  std::vector<RewriteHistory::Step> steps;  // as many as entries

 private:
  void Resize() {
    steps.resize(entries().size());
    applied_ = steps.size() - 1;
  }
  size_t applied_ = 0;
};

RewriteHistory::Figures FiguresOf(const HloModule& module) {
  return {CountInstructions(module), CostAnalysis(module).total().once};
}

// Runs modules repeatedly on the same inputs.
class Screening {
 public:
  Screening(const HloModule& module, uint64_t seed) {
    const Cost cost = CostAnalysis(module).total().repeated;
    const double operations = cost.flops + cost.transcendentals;
    by_engine_ = operations + cost.bytes > kMostWork;
    if (operations > kMostEngineOperations || cost.bytes > kMostEngineBytes) {
      why_not_ = Format("a run takes {} operations and moves {}, too many to run it after each pass",
                        HumanCount(operations), HumanBytes(static_cast<int64_t>(std::min(cost.bytes, 0x1p62))));
      return;
    }
    auto inputs = MakeFakeInputs(module, seed, InputKind::kPlain);
    if (!inputs.ok()) {
      why_not_ = inputs.status().message();
      return;
    }
    inputs_ = *std::move(inputs);
    if (auto result = Run(module); result.ok()) first_ = *std::move(result);
    else why_not_ = result.status().message();
  }
  void Judge(const HloModule& module, RewriteHistory::Run& run) const {
    run.why_not = why_not_;
    if (!why_not_.empty()) return;
    const StatusOr<Literal> now = Run(module);
    if (!now.ok()) {
      run.why_not = now.status().message();
      return;
    }
    const Comparison comparison = CompareResults(first_, *now);
    run.values = comparison.differing() == 0 ? RewriteHistory::Values::kSameBits
                 : comparison.agree          ? RewriteHistory::Values::kRounding
                                             : RewriteHistory::Values::kDifferent;
  }

 private:
  StatusOr<Literal> Run(const HloModule& module) const {
    EvaluatorOptions options;
    options.unknown_calls = UnknownCalls::kUninterpreted;
    options.max_steps = by_engine_ ? kMostEngineSteps : kMostSteps;
    std::vector<const Literal*> arguments;
    for (const Literal& literal : inputs_) arguments.push_back(&literal);
    if (by_engine_) {
      ExecutableOptions engine;
      engine.evaluator = options;
      HLOIR_ASSIGN_OR_RETURN(const auto executable, PrepareExecutable(module, engine));
      return executable->Run(arguments);
    }
    return MakeReferenceEvaluator(options)->EvaluateComputation(*module.entry_computation(), arguments);
  }
  std::string why_not_;
  bool by_engine_ = false;
  std::vector<Literal> inputs_;
  Literal first_;
};

// Allows the rewrites of a record in their order.
class Replayer : public Rewriter {
 public:
  explicit Replayer(const RewriteHistory& history) {
    for (const RewriteHistory::Step& step : history.steps)
      if (step.rewrite.outcome == RewriteLog::Outcome::kApplied) ids_.push_back(&step.rewrite.id);
  }
  bool Allow(const Rewrite& rewrite) override {
    if (next_ >= ids_.size() || *ids_[next_] != rewrite.Id()) return false;
    ++next_;
    return true;
  }
  size_t left() const { return ids_.size() - next_; }

 private:
  std::vector<const std::string*> ids_;
  size_t next_ = 0;
};

const char* ValuesText(RewriteHistory::Values values) {
  switch (values) {
    case RewriteHistory::Values::kNotRun: return "not run";
    case RewriteHistory::Values::kSameBits: return "values unchanged, bit for bit";
    case RewriteHistory::Values::kRounding: return "values changed within rounding error";
    case RewriteHistory::Values::kDifferent: return "VALUES CHANGED";
  }
  return "";
}

// Instructions as they are printed, without their source locations.
std::string WithoutMetadata(std::string_view text) {
  constexpr std::string_view kBegin = ", metadata={";
  std::string result;
  while (!text.empty()) {
    const size_t begin = text.find(kBegin);
    result += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin + kBegin.size());
    bool quoted = false;
    size_t depth = 1, at = 0;
    for (; at < text.size() && depth > 0; ++at) {
      const char c = text[at];
      if (quoted && c == '\\') ++at;
      else if (c == '"') quoted = !quoted;
      else if (!quoted) depth += c == '{' ? 1 : 0, depth -= c == '}' ? 1 : 0;
    }
    text.remove_prefix(std::min(at, text.size()));
  }
  return result;
}

std::string FiguresText(const RewriteHistory::Figures& f) {
  return Format("{} instructions, {} top-level, {} FLOPs, {} moved", f.count.instructions, f.count.top_level,
                HumanCount(f.cost.flops), HumanBytes(static_cast<int64_t>(std::min(f.cost.bytes, 0x1p62))));
}
Json FiguresJson(const RewriteHistory::Figures& f) {
  return {{"i", f.count.instructions},
          {"t", f.count.top_level},
          {"f", HumanCount(f.cost.flops)},
          {"b", HumanBytes(static_cast<int64_t>(std::min(f.cost.bytes, 0x1p62)))}};
}

}  // namespace

StatusOr<RewriteHistory> MakeRewriteHistory(HloModule& module, const Optimizer& optimize, uint64_t seed) try {
  RewriteHistory history;
  history.module = module.name();
  history.initial = FiguresOf(module);
  history.text_before = PrintModule(module);
  const Screening screening(module, seed);
  HistoryLog log;
  PipelineOptions options;
  options.after = [&](const PassEvent& event, const HloModule& now) -> Status {
    const size_t first = history.runs.empty() ? 0 : history.runs.back().last, last = log.entries().size();
    if (!event.changed && first == last) return OkStatus();
    RewriteHistory::Run& run = history.runs.emplace_back();
    run.pass = event.pass, run.number = event.number, run.first = first, run.last = last, run.changed = event.changed;
    run.figures = FiguresOf(now);
    if (event.changed) screening.Judge(now, run);
    else if (history.runs.size() > 1) run.values = history.runs[history.runs.size() - 2].values;
    return OkStatus();
  };
  HLOIR_RETURN_IF_ERROR(optimize(module, std::move(options), &log));
  history.text_after = PrintModule(module);
  if (auto layouts = ChosenLayouts(module); layouts.ok()) history.layouts = *std::move(layouts);
  history.steps = std::move(log.steps);
  history.steps.resize(log.entries().size());
  for (size_t k = 0; k < history.steps.size(); ++k) history.steps[k].rewrite = log.entries()[k];
  return history;
} catch (...) {
  return OutOfMemory();
}

Status Replay(const RewriteHistory& history, HloModule& module, const Optimizer& optimize) {
  Replayer replayer(history);
  HLOIR_RETURN_IF_ERROR(optimize(module, {}, &replayer));
  if (replayer.left() > 0) return Internal(Format("{} rewrites of the record did not occur again", replayer.left()));
  return OkStatus();
}

std::string RunText(const RewriteHistory& history, const RewriteHistory::Run& run) {
  std::string text = Format("== {}", run.pass);
  size_t applied = 0;
  for (size_t k = run.first; k < run.last; ++k)
    applied += history.steps[k].rewrite.outcome == RewriteLog::Outcome::kApplied;
  text += Format(": {} done, {} refused\n   {}\n", applied, run.last - run.first - applied, FiguresText(run.figures));
  if (!run.changed) return text + "   nothing changed\n";
  return text + Format("   {}{}\n", ValuesText(run.values), run.why_not.empty() ? "" : ": " + Printable(run.why_not));
}

std::string StepText(const RewriteHistory& history, size_t step) {
  // Without metadata, which the sources of a rewrite share.
  RewriteLog::Entry rewrite = history.steps[step].rewrite;
  rewrite.before = WithoutMetadata(rewrite.before), rewrite.after = WithoutMetadata(rewrite.after);
  return Format("\n{}. {}", step + 1, Printable(RewriteReport(rewrite)));
}

std::string LayoutsText(const RewriteHistory& history) {
  if (history.layouts.empty()) return {};
  size_t moved = 0;
  for (const LayoutChoice& choice : history.layouts) moved += choice.moved;
  std::string text = Format("== layouts that the engine selects: {} not row-major, {} row-major\n", moved,
                            history.layouts.size() - moved);
  for (const LayoutChoice& choice : history.layouts) {
    text += Format("   {} {}\n     {}{}\n", choice.instruction, choice.shape.ToString(),
                   choice.moved ? "" : "unchanged: ", choice.reason);
  }
  return text;
}

std::string HistoryText(const RewriteHistory& history) {
  std::string text = Format("{}: {}\n", ShortName(history.module, 60), FiguresText(history.initial));
  for (const RewriteHistory::Run& run : history.runs) {
    text += "\n" + RunText(history, run);
    for (size_t k = run.first; k < run.last; ++k) text += StepText(history, k);
  }
  if (const std::string layouts = LayoutsText(history); !layouts.empty()) text += "\n" + layouts;
  return text;
}

StatusOr<std::string> HistoryPage(const RewriteHistory& history) {
  const auto sketch_json = [&](const RewriteHistory::Sketch& sketch) {
    Json json = Json::object();
    if (sketch.boxes.empty()) return json;
    LayoutGraph layout;
    for (const RewriteHistory::Sketch::Box& box : sketch.boxes)
      layout.sizes.push_back({7.0 * static_cast<double>(std::clamp<size_t>(box.name.size(), 16, 30)) + 16, 36});
    layout.edges = sketch.edges;
    const LayoutResult at = LayOut(layout);
    Json boxes = Json::array();
    for (size_t k = 0; k < sketch.boxes.size(); ++k) {
      const RewriteHistory::Sketch::Box& box = sketch.boxes[k];
      boxes.push_back({ShortName(box.name, 28), box.opcode, ShortName(box.shape, 24, false), box.marked ? 1 : 0,
                       static_cast<int64_t>(at.centers[k].first), static_cast<int64_t>(at.centers[k].second),
                       static_cast<int64_t>(layout.sizes[k].first)});
    }
    json = {{"w", static_cast<int64_t>(at.width)},
            {"h", static_cast<int64_t>(at.height)},
            {"boxes", std::move(boxes)},
            {"edges", sketch.edges}};
    return json;
  };
  Json steps = Json::array(), runs = Json::array();
  for (const RewriteHistory::Step& step : history.steps) {
    Json json = Json::parse(RewriteReportJson(step.rewrite));
    json["count"] = step.instructions;
    json["g"] = sketch_json(step.before);
    json["h"] = sketch_json(step.after);
    steps.push_back(std::move(json));
  }
  for (const RewriteHistory::Run& run : history.runs) {
    runs.push_back({{"pass", run.pass},
                    {"first", run.first},
                    {"last", run.last},
                    {"changed", run.changed},
                    {"figures", FiguresJson(run.figures)},
                    {"values", run.changed ? ValuesText(run.values) : "nothing changed"},
                    {"bad", run.values == RewriteHistory::Values::kDifferent},
                    {"why", run.why_not}});
  }
  Json chosen = Json::array();
  for (const LayoutChoice& choice : history.layouts) {
    chosen.push_back({{"name", choice.instruction},
                      {"shape", choice.shape.ToString()},
                      {"why", (choice.moved ? "" : "unchanged: ") + choice.reason}});
  }
  return FillPage(kExplainPage, JsonLine({{"name", history.module},
                                          {"first", FiguresJson(history.initial)},
                                          {"runs", std::move(runs)},
                                          {"steps", std::move(steps)},
                                          {"layouts", std::move(chosen)},
                                          {"before", WithoutMetadata(history.text_before)},
                                          {"after", WithoutMetadata(history.text_after)}}));
}

}  // namespace hloir
