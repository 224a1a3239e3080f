// Films passes; see inspect/explain.h.
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
constexpr int64_t kMostSteps = 1 << 16;  // instructions run for the values of an act
constexpr double kMostWork = 1 << 24;    // operations and bytes of a module that is run
constexpr size_t kMostSketches = 4000;   // of a film; beyond, text has to do

// Some instructions and their operands.
Film::Sketch SketchOf(std::span<const HloInstruction* const> instructions) {
  Film::Sketch sketch;
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
class FilmLog : public RewriteLog {
 public:
  FilmLog() { keep_declined = true; }
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
      if (scenes.size() < kMostSketches) scenes.back().before = SketchOf(near);
      scenes.back().instructions = rewrite.instruction->module()->instruction_count();
    }
    return allowed;
  }
  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override {
    RewriteLog::Done(rewrite, replacement);
    if (scenes.empty() || replacement == nullptr) return;
    std::vector<const HloInstruction*> made(rewrite.made.begin(), rewrite.made.end());
    if (made.empty()) made.push_back(replacement);
    if (scenes.size() < kMostSketches) scenes[applied_].after = SketchOf(made);
    scenes[applied_].instructions = replacement->module()->instruction_count();
  }
  void Declined(const Rewrite& rewrite) override {
    RewriteLog::Declined(rewrite);
    if (entries().size() > scenes.size()) {
      scenes.resize(entries().size());
      scenes.back().instructions = rewrite.instruction->module()->instruction_count();
    }
  }
  std::vector<Film::Scene> scenes;  // as many as entries

 private:
  void Resize() {
    scenes.resize(entries().size());
    applied_ = scenes.size() - 1;
  }
  size_t applied_ = 0;
};

Film::Figures FiguresOf(const HloModule& module) {
  return {CountInstructions(module), CostAnalysis(module).total().once};
}

// Runs modules repeatedly on the same inputs.
class Screening {
 public:
  Screening(const HloModule& module, uint64_t seed) {
    const Cost cost = CostAnalysis(module).total().repeated;
    if (cost.flops + cost.transcendentals + cost.bytes > kMostWork) {
      why_not_ = "it is too large to be run after each pass";
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
  void Judge(const HloModule& module, Film::Act& act) const {
    act.why_not = why_not_;
    if (!why_not_.empty()) return;
    const StatusOr<Literal> now = Run(module);
    if (!now.ok()) {
      act.why_not = now.status().message();
      return;
    }
    const Comparison comparison = CompareResults(first_, *now);
    act.values = comparison.differing() == 0 ? Film::Values::kSameBits
                 : comparison.agree          ? Film::Values::kRounding
                                             : Film::Values::kDifferent;
  }

 private:
  StatusOr<Literal> Run(const HloModule& module) const {
    EvaluatorOptions options;
    options.unknown_calls = UnknownCalls::kUninterpreted;
    options.max_steps = kMostSteps;
    std::vector<const Literal*> arguments;
    for (const Literal& literal : inputs_) arguments.push_back(&literal);
    return MakeReferenceEvaluator(options)->EvaluateComputation(*module.entry_computation(), arguments);
  }
  std::string why_not_;
  std::vector<Literal> inputs_;
  Literal first_;
};

// Allows the rewrites of a record in their order.
class Replayer : public Rewriter {
 public:
  explicit Replayer(const Film& film) {
    for (const Film::Scene& scene : film.scenes)
      if (scene.rewrite.outcome == RewriteLog::Outcome::kApplied) ids_.push_back(&scene.rewrite.id);
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

const char* ValuesText(Film::Values values) {
  switch (values) {
    case Film::Values::kNotRun: return "not run";
    case Film::Values::kSameBits: return "values unchanged, bit for bit";
    case Film::Values::kRounding: return "values changed within rounding error";
    case Film::Values::kDifferent: return "VALUES CHANGED";
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

std::string FiguresText(const Film::Figures& f) {
  return Format("{} instructions, {} top-level, {} FLOPs, {} moved", f.count.instructions, f.count.top_level,
                HumanCount(f.cost.flops), HumanBytes(static_cast<int64_t>(std::min(f.cost.bytes, 0x1p62))));
}
Json FiguresJson(const Film::Figures& f) {
  return {{"i", f.count.instructions},
          {"t", f.count.top_level},
          {"f", HumanCount(f.cost.flops)},
          {"b", HumanBytes(static_cast<int64_t>(std::min(f.cost.bytes, 0x1p62)))}};
}

}  // namespace

StatusOr<Film> MakeFilm(HloModule& module, const Optimizer& optimize, uint64_t seed) try {
  Film film;
  film.module = module.name();
  film.at_first = FiguresOf(module);
  film.text_before = PrintModule(module);
  const Screening screening(module, seed);
  FilmLog log;
  PipelineOptions options;
  options.after = [&](const PassEvent& event, const HloModule& now) -> Status {
    const size_t first = film.acts.empty() ? 0 : film.acts.back().last, last = log.entries().size();
    if (!event.changed && first == last) return OkStatus();
    Film::Act& act = film.acts.emplace_back();
    act.pass = event.pass, act.number = event.number, act.first = first, act.last = last, act.changed = event.changed;
    act.figures = FiguresOf(now);
    if (event.changed) screening.Judge(now, act);
    else if (film.acts.size() > 1) act.values = film.acts[film.acts.size() - 2].values;
    return OkStatus();
  };
  HLOIR_RETURN_IF_ERROR(optimize(module, std::move(options), &log));
  film.text_after = PrintModule(module);
  if (auto layouts = ChosenLayouts(module); layouts.ok()) film.layouts = *std::move(layouts);
  film.scenes = std::move(log.scenes);
  film.scenes.resize(log.entries().size());
  for (size_t k = 0; k < film.scenes.size(); ++k) film.scenes[k].rewrite = log.entries()[k];
  return film;
} catch (...) {
  return OutOfMemory();
}

Status Replay(const Film& film, HloModule& module, const Optimizer& optimize) {
  Replayer replayer(film);
  HLOIR_RETURN_IF_ERROR(optimize(module, {}, &replayer));
  if (replayer.left() > 0) return Internal(Format("{} rewrites of the record did not occur again", replayer.left()));
  return OkStatus();
}

std::string ActText(const Film& film, const Film::Act& act) {
  std::string text = Format("== {}", act.pass);
  size_t applied = 0;
  for (size_t k = act.first; k < act.last; ++k)
    applied += film.scenes[k].rewrite.outcome == RewriteLog::Outcome::kApplied;
  text += Format(": {} done, {} refused\n   {}\n", applied, act.last - act.first - applied, FiguresText(act.figures));
  if (!act.changed) return text + "   nothing changed\n";
  return text + Format("   {}{}\n", ValuesText(act.values), act.why_not.empty() ? "" : ": " + Printable(act.why_not));
}

std::string SceneText(const Film& film, size_t scene) {
  // Without metadata, which the sources of a rewrite share.
  RewriteLog::Entry rewrite = film.scenes[scene].rewrite;
  rewrite.before = WithoutMetadata(rewrite.before), rewrite.after = WithoutMetadata(rewrite.after);
  return Format("\n{}. {}", scene + 1, Printable(RewriteReport(rewrite)));
}

std::string LayoutsText(const Film& film) {
  if (film.layouts.empty()) return {};
  size_t moved = 0;
  for (const LayoutChoice& choice : film.layouts) moved += choice.moved;
  std::string text = Format("== layouts that the engine selects: {} not row-major, {} row-major\n", moved,
                            film.layouts.size() - moved);
  for (const LayoutChoice& choice : film.layouts) {
    text += Format("   {} {}\n     {}{}\n", choice.instruction, choice.shape.ToString(),
                   choice.moved ? "" : "unchanged: ", choice.reason);
  }
  return text;
}

std::string FilmText(const Film& film) {
  std::string text = Format("{}: {}\n", ShortName(film.module, 60), FiguresText(film.at_first));
  for (const Film::Act& act : film.acts) {
    text += "\n" + ActText(film, act);
    for (size_t k = act.first; k < act.last; ++k) text += SceneText(film, k);
  }
  if (const std::string layouts = LayoutsText(film); !layouts.empty()) text += "\n" + layouts;
  return text;
}

StatusOr<std::string> FilmPage(const Film& film) {
  const auto sketch_json = [&](const Film::Sketch& sketch) {
    Json json = Json::object();
    if (sketch.boxes.empty()) return json;
    LayoutGraph layout;
    for (const Film::Sketch::Box& box : sketch.boxes)
      layout.sizes.push_back({7.0 * static_cast<double>(std::clamp<size_t>(box.name.size(), 16, 30)) + 16, 36});
    layout.edges = sketch.edges;
    const LayoutResult at = LayOut(layout);
    Json boxes = Json::array();
    for (size_t k = 0; k < sketch.boxes.size(); ++k) {
      const Film::Sketch::Box& box = sketch.boxes[k];
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
  Json scenes = Json::array(), acts = Json::array();
  for (const Film::Scene& scene : film.scenes) {
    Json json = Json::parse(RewriteReportJson(scene.rewrite));
    json["count"] = scene.instructions;
    json["g"] = sketch_json(scene.before);
    json["h"] = sketch_json(scene.after);
    scenes.push_back(std::move(json));
  }
  for (const Film::Act& act : film.acts) {
    acts.push_back({{"pass", act.pass},
                    {"first", act.first},
                    {"last", act.last},
                    {"changed", act.changed},
                    {"figures", FiguresJson(act.figures)},
                    {"values", act.changed ? ValuesText(act.values) : "nothing changed"},
                    {"bad", act.values == Film::Values::kDifferent},
                    {"why", act.why_not}});
  }
  Json chosen = Json::array();
  for (const LayoutChoice& choice : film.layouts) {
    chosen.push_back({{"name", choice.instruction},
                      {"shape", choice.shape.ToString()},
                      {"why", (choice.moved ? "" : "unchanged: ") + choice.reason}});
  }
  return FillPage(kExplainPage, JsonLine({{"name", film.module},
                                          {"first", FiguresJson(film.at_first)},
                                          {"acts", std::move(acts)},
                                          {"scenes", std::move(scenes)},
                                          {"layouts", std::move(chosen)},
                                          {"before", film.text_before},
                                          {"after", film.text_after}}));
}

}  // namespace hloir
