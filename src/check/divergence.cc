// See divergence.h. Instructions are matched by name and by how often they have run. Whether names mean anything is
// seen from the values: of related modules most of what has the same name has the same values, but for what is computed
// from the first difference; of unrelated ones hardly anything has. Covered by tests/unit/divergence_test.cc.
#include "check/divergence.h"

#include <unordered_map>
#include <vector>

#include "support/format.h"

namespace hloir {
namespace check {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 28;  // of values that are kept for comparing
constexpr size_t kMaxRuns = 16;                  // of one instruction

// Arrays that are made, not given.
bool Counts(const HloInstruction& instruction) { return instruction.shape().IsArray() && !instruction.IsParameter(); }

}  // namespace

std::optional<Divergence> FindDivergence(const HloModule& before, const HloModule& after, const Context& context,
                                         size_t set) {
  if (context.counts.devices() > 1) return std::nullopt;  // values would have to be told apart by device
  std::unordered_map<std::string_view, const HloInstruction*> others;
  for (const HloComputation* computation : after.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next())
      if (Counts(*i)) others.emplace(i->name(), i);
  }
  const std::vector<const Literal*> arguments = context.ArgumentsOf(set)[0];
  // The values of each name, run by run; a name whose values found no room is out.
  std::unordered_map<std::string_view, std::vector<Literal>> kept;
  int64_t bytes = 0;
  EvaluatorOptions evaluator = ToEvaluatorOptions(context.options.runner);
  evaluator.on_progress = nullptr;
  evaluator.on_result = [&](const HloInstruction& instruction, const Literal& value) {
    const auto other = others.find(instruction.name());
    if (other == others.end() || !Counts(instruction) || !other->second->shape().Compatible(instruction.shape()))
      return;
    std::vector<Literal>& runs = kept[instruction.name()];
    if (runs.size() >= kMaxRuns || value.size_bytes() > kMaxBytes - bytes) return;
    bytes += value.size_bytes();
    runs.push_back(value);
  };
  if (!MakeReferenceEvaluator(evaluator)->EvaluateComputation(*before.entry_computation(), arguments).ok())
    return std::nullopt;

  std::optional<Divergence> found;
  std::unordered_map<std::string_view, size_t> runs;
  // Of instructions of `after`: what differs, or is computed from what does. Names that agree, and names that differ
  // though nothing that they are computed from does.
  std::vector<bool> tainted(static_cast<size_t>(after.instruction_id_limit()));
  int64_t agreeing = 0, roots = 0;
  evaluator.on_result = [&](const HloInstruction& instruction, const Literal& value) {
    bool from_tainted = false;
    for (const HloInstruction* operand : instruction.operands())
      from_tainted = from_tainted || tainted[static_cast<size_t>(operand->id())];
    if (from_tainted) tainted[static_cast<size_t>(instruction.id())] = true;
    const auto values = kept.find(instruction.name());
    if (values == kept.end() || !Counts(instruction)) return;
    const size_t run = runs[instruction.name()]++;
    if (run >= values->second.size()) return;
    if (CompareResults(values->second[run], value).agree) {
      ++agreeing;
      return;
    }
    tainted[static_cast<size_t>(instruction.id())] = true;
    if (!from_tainted) ++roots;
    if (found) return;
    found = Divergence{std::string(instruction.name()), static_cast<int64_t>(run), ValueSummary(values->second[run]),
                       ValueSummary(value)};
  };
  (void)MakeReferenceEvaluator(evaluator)->EvaluateComputation(*after.entry_computation(), arguments);
  if (roots > 1 && roots > agreeing) return std::nullopt;
  return found;
}

}  // namespace check

std::string Divergence::ToString(const std::string& before_name, const std::string& after_name) const {
  return Format("first divergence: {}{} ({}: {}, {}: {})", instruction, run > 0 ? Format(", run {}", run + 1) : "",
                before_name, before, after_name, after);
}

}  // namespace hloir
