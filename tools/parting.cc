// See parting.h.
#include "tools/parting.h"

#include <atomic>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "hloir/equivalence.h"
#include "hloir/evaluator.h"
#include "tools/value_summary.h"

namespace hloir::tool {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 28;  // of values that are kept for comparing
constexpr size_t kMaxTurns = 16;                 // of one instruction

// Arrays that are made, not given.
bool Counts(const HloInstruction& instruction) { return instruction.shape().IsArray() && !instruction.IsParameter(); }

}  // namespace

std::optional<Parting> FindParting(const HloModule& before, const HloModule& after,
                                   std::span<const Literal* const> inputs, const RunnerOptions& options) {
  std::unordered_map<std::string_view, const HloInstruction*> others;
  for (const HloComputation* computation : after.computations()) {
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next())
      if (Counts(*i)) others.emplace(i->name(), i);
  }
  // The values of each name, turn by turn; a name whose values found no room is out.
  std::unordered_map<std::string_view, std::vector<Literal>> kept;
  int64_t bytes = 0;
  EvaluatorOptions evaluator = ToEvaluatorOptions(options);
  evaluator.on_progress = nullptr;
  evaluator.on_result = [&](const HloInstruction& instruction, const Literal& value) {
    const auto other = others.find(instruction.name());
    if (other == others.end() || !Counts(instruction) || !other->second->shape().Compatible(instruction.shape()))
      return;
    std::vector<Literal>& turns = kept[instruction.name()];
    if (turns.size() >= kMaxTurns || value.size_bytes() > kMaxBytes - bytes) return;
    bytes += value.size_bytes();
    turns.push_back(value);
  };
  if (!MakeReferenceEvaluator(evaluator)->EvaluateComputation(*before.entry_computation(), inputs).ok())
    return std::nullopt;

  std::optional<Parting> found;
  std::atomic<bool> stop = false;
  std::unordered_map<std::string_view, size_t> turns;
  evaluator.cancel = &stop;
  evaluator.on_result = [&](const HloInstruction& instruction, const Literal& value) {
    const auto values = kept.find(instruction.name());
    if (found || values == kept.end() || !Counts(instruction)) return;
    const size_t turn = turns[instruction.name()]++;
    if (turn >= values->second.size() || CompareResults(values->second[turn], value, nullptr, nullptr).agree) return;
    found = Parting{std::string(instruction.name()), static_cast<int64_t>(turn), ValueSummary(values->second[turn]),
                    ValueSummary(value)};
    stop = true;
  };
  (void)MakeReferenceEvaluator(evaluator)->EvaluateComputation(*after.entry_computation(), inputs);
  return found;
}

std::string ToString(const Parting& parting) {
  const std::string turn = parting.turn > 0 ? fmt::format(", at its run number {}", parting.turn + 1) : "";
  return fmt::format("{} is the first instruction of both that differs{}: {}, then {}", parting.instruction, turn,
                     parting.before, parting.after);
}

}  // namespace hloir::tool
