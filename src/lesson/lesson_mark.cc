// Marks answers; see lesson/lesson.h. An exercise is a list of conditions over modules: the answer, files of the
// lesson, and results of passes on them. docs/lessons/teaching.md describes the language; the classes below are in its
// order: subjects, facts, conditions.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include "report/json.h"

#include "hloir/analysis.h"
#include "hloir/check.h"
#include "hloir/cost.h"
#include "hloir/io.h"
#include "lesson/lesson.h"
#include "hloir/inspect.h"
#include "hloir/parser.h"
#include "hloir/pipeline.h"
#include "hloir/pass.h"
#include "support/format.h"
#include "support/number.h"
#include "support/text.h"

namespace hloir {
namespace {

std::string Strip(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

// Lines without comments and blanks.
std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line = line.substr(0, line.find('#'));
    if (std::string stripped = Strip(line); !stripped.empty()) lines.push_back(std::move(stripped));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Accessors of an object's fields; a missing field, or one of another type, has a default.
std::string TextIn(const Json& json, const char* key, const std::string& otherwise = "") {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : otherwise;
}
double NumberIn(const Json& json, const char* key, double otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
}
bool FlagIn(const Json& json, const char* key, bool otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

// A number, or a word.
struct Fact {
  Fact(double number) : number(number) {}
  Fact(int64_t number) : number(static_cast<double>(number)) {}
  Fact(std::string word) : word(std::move(word)) {}
  // A value in a file or lesson.json: a number, if it is one.
  static Fact Of(const std::string& text) {
    double number = 0;
    const auto [end, error] = ReadNumber(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && !text.empty() ? Fact(number) : Fact(text);
  }
  bool operator==(const Fact&) const = default;
  std::string ToString() const { return number ? Format("{}", *number) : word; }

  std::optional<double> number;
  std::string word;
};

// A module, and the rewrites that made it, if passes did.
struct Subject {
  std::unique_ptr<HloModule> module;
  RewriteLog log;
};

class Marker {
 public:
  Marker(const Lesson& lesson, const Lesson::Exercise& exercise, const std::string& path, const PassRegistry& registry)
      : lesson_(lesson), exercise_(exercise), path_(path), registry_(registry) {}

  StatusOr<Mark> Run();

 private:
  Status ReadAnswer();
  StatusOr<const Subject*> SubjectOf(const std::string& name);
  StatusOr<std::unique_ptr<HloModule>> ModuleOf(const std::string& name);
  StatusOr<Fact> FactOf(const std::string& text, const std::string& of, const Json& condition);
  StatusOr<Fact> ModuleFact(const std::string& word, const std::string& rest, const Subject& subject);
  StatusOr<Fact> Wanted(const Json& json);
  StatusOr<Literal> ResultOn(const HloModule& module);
  StatusOr<Verdict> Compare(const std::string& a, const std::string& b, const Json& condition);
  StatusOr<bool> Holds(const Json& condition);
  std::string Say(std::string text) const;

  const Lesson& lesson_;
  const Lesson::Exercise& exercise_;
  const std::string& path_;
  const PassRegistry& registry_;
  PassRegistry with_plugin_;
  Json json_;
  std::string passes_;                       // kPasses, kPlugin
  std::map<std::string, std::string> said_;  // kNumbers
  std::vector<Literal> values_;              // kValues
  std::map<std::string, Subject> subjects_;  // by name
  std::string error_;                        // the reason why the answer cannot be read or run
  std::string found_, wanted_;               // of the condition evaluated last
};

// ---- Subjects: "answer", "FILE", and either with "| PASSES"; "| answer" are the answer's own passes. ----

Status Marker::ReadAnswer() {
  std::error_code code;
  if (path_ != "-" && !std::filesystem::exists(path_, code)) return InvalidArgument("the file does not exist");
  if (exercise_.answer == Lesson::Answer::kPlugin) {
    with_plugin_ = registry_;
    HLOIR_RETURN_IF_ERROR(LoadPassPlugin(path_, with_plugin_));
    passes_ = TextIn(json_, "passes");
    return OkStatus();
  }
  if (exercise_.answer == Lesson::Answer::kModule) {
    auto module = ReadModule(path_);
    if (!module.ok()) error_ = module.status().message();
    else subjects_["answer"].module = std::move(*module);
    return OkStatus();
  }
  HLOIR_ASSIGN_OR_RETURN(const std::string text, ReadFile(path_));
  const std::vector<std::string> lines = Lines(text);
  if (lines.empty()) error_ = "it is empty";
  for (const std::string& line : lines) {
    if (exercise_.answer == Lesson::Answer::kPasses) {
      passes_ += (passes_.empty() ? "" : ",") + line;
    } else if (exercise_.answer == Lesson::Answer::kValues) {
      auto value = ParseLiteral(line);
      if (value.ok()) values_.push_back(std::move(*value));
      else if (error_.empty())
        error_ = Format("'{}' is not a value like f32[2] {{1, 2}}: {}", line, value.status().message());
    } else {
      const size_t equals = line.find('=');
      if (equals != std::string::npos) said_[Strip(line.substr(0, equals))] = Strip(line.substr(equals + 1));
      else if (error_.empty()) error_ = Format("expected NAME = VALUE, found '{}'", line);
    }
  }
  return OkStatus();
}

StatusOr<std::unique_ptr<HloModule>> Marker::ModuleOf(const std::string& name) {
  if (name == "answer") {
    if (auto found = subjects_.find(name); found != subjects_.end()) return found->second.module->Clone();
    return InvalidArgument("the answer is not a module");
  }
  return ReadModule((std::filesystem::path(lesson_.folder) / name).string());
}

StatusOr<const Subject*> Marker::SubjectOf(const std::string& name) {
  if (auto found = subjects_.find(name); found != subjects_.end()) return &found->second;
  const bool by_passes = exercise_.answer == Lesson::Answer::kPasses || exercise_.answer == Lesson::Answer::kPlugin;
  const std::string whole = name == "answer" && by_passes ? TextIn(json_, "given") + " | answer" : name;
  const size_t bar = whole.find('|');
  HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ModuleOf(Strip(whole.substr(0, bar))));
  Subject& subject = subjects_[name];
  if (bar != std::string::npos) {
    std::string passes = Strip(whole.substr(bar + 1));
    const bool own = passes == "answer";
    if (own) passes = passes_;
    const auto run = [&]() -> Status {
      HLOIR_ASSIGN_OR_RETURN(const std::vector<std::string> names, SplitPipeline(passes));
      PassOptions options;
      options.rewriter = &subject.log;
      PipelineOptions pipeline_options;
      pipeline_options.verify_each = true;
      HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline,
                             MakePipeline(exercise_.answer == Lesson::Answer::kPlugin ? with_plugin_ : registry_, names,
                                          options, pipeline_options));
      return pipeline.RunOnce(*module).status();
    };
    if (const Status status = run(); !status.ok()) {
      if (own) error_ = status.message();
      return status;
    }
  }
  subject.module = std::move(module);
  return &subject;
}

// ---- Facts: counts and properties. ----

const HloInstruction* Find(const HloModule& module, const std::string& name) {
  if (name == "result") return module.entry_computation()->root();
  for (const HloComputation* computation : module.computations())
    if (const HloInstruction* found = computation->FindInstruction(name)) return found;
  return nullptr;
}

// "{1,0}" for an array, "" for other shapes.
std::string LayoutText(const Shape& shape) {
  if (!shape.IsArray()) return "";
  std::string text = "{";
  const Layout layout = shape.has_layout() ? shape.layout() : Layout::MajorToMinor(shape.rank());
  for (const int64_t dimension : layout.minor_to_major()) text += Format(text == "{" ? "{}" : ",{}", dimension);
  return text + "}";
}

StatusOr<Literal> Marker::ResultOn(const HloModule& module) {
  RunnerOptions options;
  options.engine = Engine::kReference;
  options.max_steps = int64_t{1} << 24;
  HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options));
  return runner.Run(Pointers(values_));
}

StatusOr<Fact> Marker::ModuleFact(const std::string& word, const std::string& rest, const Subject& subject) {
  const HloModule& module = *subject.module;
  if (word == "instructions") return Fact(CountInstructions(module).instructions);
  if (word == "top-level") return Fact(CountInstructions(module).top_level);
  if (word == "count" || word == "fusions") {
    int64_t count = 0;
    for (const HloInstruction* i : module.AllInstructions()) {
      const bool counts = word == "count"
                              ? i->opcode_name() == rest
                              : i->opcode() == HloOpcode::kFusion &&
                                    (rest.empty() || EnumWord(i->attributes<FusionAttributes>().kind) == rest);
      count += counts ? 1 : 0;
    }
    return Fact(count);
  }
  if (word == "flops" || word == "bytes" || word == "transcendentals") {
    const Cost cost = CostAnalysis(module).total().repeated;
    return Fact(word == "flops" ? cost.flops : word == "bytes" ? cost.bytes : cost.transcendentals);
  }
  if (word == "peak") return Fact(AssignBuffers(module).of(*module.entry_computation()).heap_bytes);
  if (word == "devices") return Fact(DeviceCountsOf(module).devices());
  if (word == "costliest") {
    const ModuleStats stats(module);
    return Fact(stats.steps.empty() ? std::string("nothing") : std::string(stats.steps.front().instruction->name()));
  }
  if (word == "collective" || word == "groups") {
    double bytes = 0;
    int64_t groups = 0;
    const ModuleStats stats(module);
    for (const Communication& collective : stats.collectives) {
      bytes += collective.payload * collective.times;
      if (collective.instruction->name() == rest) groups = static_cast<int64_t>(collective.groups.size());
    }
    return word == "groups" ? Fact(groups) : Fact(bytes);
  }
  if (word == "rewrites") {
    int64_t count = rest.empty() ? subject.log.allowed() : 0;
    for (const auto& [rule, times] : subject.log.counts())
      if (rule == rest || rule.ends_with("/" + rest)) count += times;
    return Fact(count);
  }
  if (word == "steps") {
    RunnerOptions options;
    options.threads = 1, options.profile = true, options.max_steps = int64_t{1} << 24;
    HLOIR_ASSIGN_OR_RETURN(Runner runner, Runner::Prepare(module, options));
    HLOIR_ASSIGN_OR_RETURN(const std::vector<Literal> inputs, MakeFakeInputs(module, 0));
    HLOIR_RETURN_IF_ERROR(runner.Run(Pointers(inputs)).status());
    int64_t count = 0;
    for (const StepProfile& step : runner.Profile().steps) count += step.name.find(rest) != std::string::npos ? 1 : 0;
    return Fact(count);
  }
  if (word == "result") {
    const auto result = ResultOn(module);
    if (!result.ok()) {
      if (exercise_.answer == Lesson::Answer::kValues) error_ = result.status().message();
      return result.status();
    }
    if (result->shape().IsArray() && result->element_count() == 1) return Fact(result->GetAsDouble(0));
    return Fact(result->ToString());
  }
  if (word == "shape" || word == "layout" || word == "opcode" || word == "trips") {
    const HloInstruction* found = Find(module, rest);
    if (found == nullptr) return Fact(std::string("nothing"));
    if (word == "shape") return Fact(found->shape().ToString(/*with_layout=*/false));
    if (word == "layout") return Fact(LayoutText(found->shape()));
    if (word == "opcode") return Fact(std::string(found->opcode_name()));
    return Fact(TripCount(*found).value_or(-1));
  }
  return InvalidArgument(Format("unknown fact '{} {}'", word, rest));
}

StatusOr<Fact> Marker::FactOf(const std::string& text, const std::string& of, const Json& condition) {
  const size_t blank = text.find(' ');
  const std::string word = text.substr(0, blank), rest = blank == std::string::npos ? "" : Strip(text.substr(blank));
  if (word == "said") {
    if (auto found = said_.find(rest); found != said_.end()) {
      // %add.3 and add.3 are the same name.
      return Fact::Of(found->second.starts_with('%') ? found->second.substr(1) : found->second);
    }
    error_ = Format("it has no line '{} = …'", rest);
    return InvalidArgument(error_);
  }
  if (word == "input") {
    size_t k = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), k);
    if (k >= values_.size() || values_[k].element_count() == 0) return Fact(std::string("nothing"));
    return Fact(values_[k].GetAsDouble(0));
  }
  if (word == "divergence") {
    HLOIR_ASSIGN_OR_RETURN(const Verdict verdict, Compare(of, TextIn(condition, "with"), condition));
    return Fact(verdict.divergence ? verdict.divergence->instruction : "nothing");
  }
  if (word == "equivalence") {
    HLOIR_ASSIGN_OR_RETURN(const Verdict verdict, Compare(of, TextIn(condition, "with"), condition));
    return Fact(std::string(AnswerName(verdict.answer)));
  }
  HLOIR_ASSIGN_OR_RETURN(const Subject* subject, SubjectOf(of));
  return ModuleFact(word, rest, *subject);
}

// ---- Conditions ----

StatusOr<Verdict> Marker::Compare(const std::string& a, const std::string& b, const Json& condition) {
  HLOIR_ASSIGN_OR_RETURN(const Subject* before, SubjectOf(a));
  HLOIR_ASSIGN_OR_RETURN(const Subject* after, SubjectOf(b));
  CheckOptions options;
  options.runner.max_steps = int64_t{1} << 22;
  options.runner.threads = 1;
  options.exact = FlagIn(condition, "exact", false);
  options.divergence = condition.contains("fact");
  return Check(*before->module, *after->module, {}, options);
}

// The other side of a comparison: a number, a word, or another fact, times a factor.
StatusOr<Fact> Marker::Wanted(const Json& json) {
  if (json.is_number()) return Fact(json.get<double>());
  if (json.is_string()) return Fact(json.get<std::string>());
  if (!json.is_object()) return InvalidArgument("a fact is compared with a number, a word or another fact");
  HLOIR_ASSIGN_OR_RETURN(Fact fact, FactOf(TextIn(json, "fact"), TextIn(json, "of", "answer"), json));
  if (fact.number) *fact.number = *fact.number * NumberIn(json, "times", 1.0) + NumberIn(json, "plus", 0.0);
  return fact;
}

StatusOr<bool> Marker::Holds(const Json& condition) {
  if (!condition.is_object()) return InvalidArgument("a condition must be an object");
  if (condition.contains("error"))
    return error_.find(TextIn(condition, "error")) != std::string::npos && !error_.empty();
  if (!error_.empty()) return false;
  if (condition.contains("any")) {
    for (const Json& one : condition["any"]) {
      HLOIR_ASSIGN_OR_RETURN(const bool holds, Holds(one));
      if (holds) return true;
    }
    return false;
  }
  if (condition.contains("same") || condition.contains("differs")) {
    const bool same = condition.contains("same");
    auto verdict = Compare(TextIn(condition, same ? "same" : "differs"), TextIn(condition, "of", "answer"), condition);
    if (!verdict.ok()) {
      found_ = verdict.status().message();
      // Modules that cannot be compared differ; for modules that cannot be run, neither condition holds.
      if (verdict.status().code() == StatusCode::kInvalidArgument && error_.empty()) return !same;
      if (error_.empty()) error_ = found_;
      return false;
    }
    found_ = verdict->reason.empty() ? std::string(OutcomeName(verdict->outcome)) : verdict->reason;
    return verdict->agrees() == same;
  }
  if (condition.contains("alike_on_values")) {
    std::vector<Literal> results;
    for (const Json& name : condition["alike_on_values"]) {
      HLOIR_ASSIGN_OR_RETURN(const Subject* subject, SubjectOf(name.is_string() ? name.get<std::string>() : ""));
      auto result = ResultOn(*subject->module);
      if (!result.ok()) return error_ = result.status().message(), false;
      results.push_back(std::move(*result));
    }
    if (results.size() != 2) return InvalidArgument("alike_on_values needs two modules");
    found_ = results[0].ToString(), wanted_ = results[1].ToString();
    return CompareResults(results[0], results[1], {.exact = true}).agree == FlagIn(condition, "alike", true);
  }
  auto fact = FactOf(TextIn(condition, "fact"), TextIn(condition, "of", "answer"), condition);
  if (!fact.ok()) {
    if (!error_.empty()) return false;
    return fact.status();
  }
  for (const char* relation : {"is", "is_not", "at_least", "at_most"}) {
    const auto found = condition.find(relation);
    if (found == condition.end()) continue;
    HLOIR_ASSIGN_OR_RETURN(const Fact wanted, Wanted(*found));
    found_ = fact->ToString(), wanted_ = wanted.ToString();
    const bool numbers = fact->number && wanted.number;
    if (relation[0] == 'i') {
      if ((*fact == wanted) != (relation[2] == '\0')) return false;
    } else if (!numbers || (relation[3] == 'l' ? *fact->number < *wanted.number : *fact->number > *wanted.number)) {
      return false;
    }
  }
  return true;
}

std::string Marker::Say(std::string text) const {
  for (const auto& [name, value] : {std::pair("{found}", found_), std::pair("{wanted}", wanted_)})
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
      text.replace(at, std::string_view(name).size(), value);
  return text;
}

StatusOr<Mark> Marker::Run() {
  json_ = Json::parse(exercise_.conditions, nullptr, /*allow_exceptions=*/false);
  if (!json_.is_object()) return InvalidArgument("the exercise is not a JSON object");
  HLOIR_RETURN_IF_ERROR(ReadAnswer());
  Mark mark;
  mark.right = true, mark.said = TextIn(json_, "right");
  for (const Json& want : json_["wants"]) {
    HLOIR_ASSIGN_OR_RETURN(const bool holds, Holds(want));
    if (holds) continue;
    mark.right = false;
    mark.said = error_.empty() ? Say(TextIn(want, "else")) : error_;
    break;
  }
  if (mark.right) mark.said = Say(std::move(mark.said));
  if (mark.right || !json_.contains("mistakes")) return mark;
  for (const Json& mistake : json_["mistakes"]) {
    bool fits = true;
    for (const Json& condition : mistake["when"]) {
      if (!fits) break;
      HLOIR_ASSIGN_OR_RETURN(fits, Holds(condition));
    }
    if (!fits) continue;
    mark.mistake = TextIn(mistake, "name"), mark.hint = Say(TextIn(mistake, "say"));
    break;
  }
  return mark;
}

}  // namespace

StatusOr<Mark> MarkAnswer(const Lesson& lesson, const Lesson::Exercise& exercise, const std::string& path,
                          const PassRegistry& registry) {
  return Marker(lesson, exercise, path, registry).Run();
}

}  // namespace hloir
