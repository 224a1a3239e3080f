// See divergence.h. Instructions are paired by name, or else by structure (analysis/match.h), and their executions by
// count. The values show whether names are meaningful: in related modules, most instructions of the same name have
// equal values, except users of the first difference; in unrelated modules hardly any have. Covered by
// tests/unit/divergence_test.cc.
#include "check/divergence.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/match.h"
#include "hloir/rewrite.h"
#include "support/format.h"

namespace hloir {
namespace check {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 28;  // bytes of values that are kept for comparison
constexpr size_t kMaxRuns = 16;                  // executions of one instruction

// Arrays that are computed, not parameters.
bool Counts(const HloInstruction& instruction) { return instruction.shape().IsArray() && !instruction.IsParameter(); }

template <class F>
void ForEach(const HloModule& module, F&& f) {
  for (const HloInstruction* i : module.AllInstructions()) f(*i);
}

// For each instruction of `after`, by id, its instruction of `before`, or null.
using Partners = std::vector<const HloInstruction*>;

// Names such as "add" and "add.12", which any compiler generates anew.
bool IsGeneric(const HloInstruction& i) {
  std::string_view name = i.name();
  if (!name.starts_with(i.opcode_name())) return false;
  name.remove_prefix(i.opcode_name().size());
  return name.find_first_not_of(".0123456789") == std::string_view::npos;
}

// Two instructions of the same generic name are related if they share an operand or a user.
bool AreConnected(const HloInstruction& a, const HloInstruction& b) {
  const bool serves = a.operand_count() == 0;
  const auto x = serves ? a.users() : a.operands(), y = serves ? b.users() : b.operands();
  if (x.empty() && y.empty()) return true;
  return std::any_of(x.begin(), x.end(), [&](const HloInstruction* i) {
    return std::any_of(y.begin(), y.end(), [&](const HloInstruction* k) { return i->name() == k->name(); });
  });
}

// `any`: also pairs generic names of unrelated instructions.
Partners ByName(const HloModule& before, const HloModule& after, bool any) {
  std::unordered_map<std::string_view, const HloInstruction*> names;
  ForEach(before, [&](const HloInstruction& i) { names.emplace(i.name(), &i); });
  Partners partners(static_cast<size_t>(after.instruction_id_limit()), nullptr);
  ForEach(after, [&](const HloInstruction& i) {
    const auto found = names.find(i.name());
    if (found != names.end() && (any || !IsGeneric(i) || AreConnected(*found->second, i)))
      partners[static_cast<size_t>(i.id())] = found->second;
  });
  return partners;
}

Partners ByStructure(const HloModule& before, const HloModule& after) {
  const FlatModule a(before), b(after);
  const NodeMatch match = MatchNodes(a, b);
  Partners partners(static_cast<size_t>(after.instruction_id_limit()), nullptr);
  for (size_t node = 0; node < match.before_of.size(); ++node) {
    if (match.before_of[node] < 0) continue;
    partners[static_cast<size_t>(b[static_cast<int32_t>(node)].instruction->id())] =
        a[match.before_of[node]].instruction;
  }
  return partners;
}

// The instructions that reach the result along a path of instructions that do not agree.
std::unordered_set<const HloInstruction*> WithoutAgreement(
    const HloModule& module, const std::unordered_map<const HloInstruction*, bool>& agrees) {
  std::unordered_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> todo;
  const auto visit = [&](const HloInstruction* i) {
    const auto found = agrees.find(i);
    if ((found == agrees.end() || !found->second) && seen.insert(i).second) todo.push_back(i);
  };
  visit(module.entry_computation()->root());
  while (!todo.empty()) {
    const HloInstruction& i = *todo.back();
    todo.pop_back();
    for (const HloInstruction* operand : i.operands()) visit(operand);
    for (const HloComputation* called : i.called_computations()) visit(called->root());
  }
  return seen;
}

// The instruction, and those that it is computed from.
std::unordered_set<const HloInstruction*> CausesOf(const HloInstruction& of) {
  std::unordered_set<const HloInstruction*> causes{&of};
  std::vector<const HloInstruction*> todo{&of};
  const auto add = [&](const HloInstruction* i) {
    if (causes.insert(i).second) todo.push_back(i);
  };
  while (!todo.empty()) {
    const HloInstruction& i = *todo.back();
    todo.pop_back();
    for (const HloInstruction* operand : i.operands()) add(operand);
    for (const HloComputation* called : i.called_computations()) add(called->root());
    if (!i.IsParameter()) continue;
    for (const HloInstruction* caller : i.parent()->callers()) {
      for (const HloInstruction* operand : caller->operands()) add(operand);
    }
  }
  return causes;
}

class Search {
 public:
  Search(const HloModule& before, const HloModule& after, const Context& context, size_t set)
      : before_(before), after_(after), arguments_(context.ArgumentsOf(set)[0]) {
    options_ = ToEvaluatorOptions(context.options.runner);
    options_.on_progress = nullptr;
    constexpr int64_t kMostSteps = int64_t{1} << 26;  // of the reference: a minute
    options_.max_steps = std::min(options_.max_steps, kMostSteps);
  }

  // A pair and its execution. With() returns nothing if the pairing is meaningless.
  struct Found {
    const HloInstruction *before = nullptr, *after = nullptr;
    size_t run = 0;
    std::string before_value, after_value;
  };
  std::optional<Found> With(const Partners& partners);
  // The values of the instruction's operands at execution `run`.
  std::vector<Divergence::Operand> OperandsOf(const HloModule& module, const HloInstruction& instruction, size_t run);

 private:
  bool Run(const HloModule& module, std::function<void(const HloInstruction&, const Literal&)> watch) {
    options_.on_result = std::move(watch);
    return MakeReferenceEvaluator(options_)->EvaluateComputation(*module.entry_computation(), arguments_).ok();
  }

  const HloModule &before_, &after_;
  std::vector<const Literal*> arguments_;
  EvaluatorOptions options_;
};

std::optional<Search::Found> Search::With(const Partners& partners) {
  std::vector<bool> wanted(static_cast<size_t>(before_.instruction_id_limit()), false);
  ForEach(after_, [&](const HloInstruction& i) {
    const HloInstruction* partner = partners[static_cast<size_t>(i.id())];
    if (partner != nullptr && Counts(i) && Counts(*partner) && i.shape().Compatible(partner->shape()))
      wanted[static_cast<size_t>(partner->id())] = true;
  });
  // The values of each instruction by execution. An instruction whose values exceed the limit is left out.
  std::unordered_map<const HloInstruction*, std::vector<Literal>> kept;
  int64_t bytes = 0;
  const auto keep = [&](const HloInstruction& instruction, const Literal& value) {
    if (!wanted[static_cast<size_t>(instruction.id())]) return;
    std::vector<Literal>& runs = kept[&instruction];
    if (runs.size() >= kMaxRuns || value.size_bytes() > kMaxBytes - bytes) return;
    bytes += value.size_bytes();
    runs.push_back(value);
  };
  if (!Run(before_, keep)) return std::nullopt;

  // Pairs that differ in some execution, in the order of their first difference, and whether each instruction of
  // `after` agrees in all.
  std::vector<Found> differing;
  std::unordered_map<const HloInstruction*, bool> agrees;
  std::unordered_map<const HloInstruction*, size_t> runs;
  // `tainted`: instructions of `after` that differ or depend on one that differs. `agreeing` counts equal pairs;
  // `roots` counts pairs that differ although their operands agree.
  std::vector<bool> tainted(static_cast<size_t>(after_.instruction_id_limit()));
  int64_t agreeing = 0, roots = 0;
  (void)Run(after_, [&](const HloInstruction& instruction, const Literal& value) {
    bool from_tainted = false;
    for (const HloInstruction* operand : instruction.operands())
      from_tainted = from_tainted || tainted[static_cast<size_t>(operand->id())];
    if (from_tainted) tainted[static_cast<size_t>(instruction.id())] = true;
    const HloInstruction* partner = partners[static_cast<size_t>(instruction.id())];
    const auto values = kept.find(partner);
    if (partner == nullptr || values == kept.end() || !Counts(instruction)) return;
    const size_t run = runs[&instruction]++;
    if (run >= values->second.size()) return;
    const bool agree = CompareResults(values->second[run], value).agree;
    const auto all = agrees.try_emplace(&instruction, true).first;
    if (agree) {
      ++agreeing;
      return;
    }
    tainted[static_cast<size_t>(instruction.id())] = true;
    if (!from_tainted) ++roots;
    if (std::exchange(all->second, false))
      differing.push_back({partner, &instruction, run, ValueSummary(values->second[run]), ValueSummary(value)});
  });
  if (differing.empty() || (roots > 1 && roots > agreeing)) return std::nullopt;
  // A pair may differ while its users agree, such as a divisor and its reciprocal, or a value and its negation. Such a
  // pair does not count: a difference must reach the result along values that differ.
  const std::unordered_set<const HloInstruction*> reaching = WithoutAgreement(after_, agrees);
  for (Found& found : differing) {
    if (reaching.count(found.after) > 0) return std::move(found);
  }
  return std::move(differing[0]);
}

std::vector<Divergence::Operand> Search::OperandsOf(const HloModule& module, const HloInstruction& instruction,
                                                    size_t run) {
  std::unordered_map<const HloInstruction*, std::string> latest;
  std::vector<Divergence::Operand> operands;
  size_t runs = 0;
  for (size_t k = 0; k < arguments_.size(); ++k)
    latest[module.entry_computation()->parameter(static_cast<int64_t>(k))] = ValueSummary(*arguments_[k]);
  (void)Run(module, [&](const HloInstruction& i, const Literal& value) {
    if (&i == &instruction && runs++ == run) {
      for (const HloInstruction* operand : instruction.operands())
        operands.push_back({std::string(operand->name()), latest[operand]});
    }
    if (instruction.OperandIndex(&i) >= 0) latest[&i] = ValueSummary(value);
  });
  return operands;
}

// The rewrite that created the instruction, or else the rewrite of its nearest ancestor without a partner.
std::string RuleFor(const RewriteLog& record, const HloInstruction& made, const Partners& partners) {
  std::unordered_map<std::string_view, const RewriteLog::Entry*> makers;  // the last one of each name
  for (const RewriteLog::Entry& entry : record.entries()) {
    if (entry.outcome != RewriteLog::Outcome::kApplied) continue;
    std::string_view text = entry.after;
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      if (line.starts_with("ROOT ")) line.remove_prefix(5);
      if (line.starts_with("%")) line.remove_prefix(1);
      if (const size_t end = line.find(" = "); end != std::string_view::npos) makers[line.substr(0, end)] = &entry;
    }
  }
  std::vector<const HloInstruction*> queue{&made};
  for (size_t at = 0; at < queue.size() && at < 64; ++at) {
    if (const auto found = makers.find(queue[at]->name()); found != makers.end()) {
      const RewriteLog::Entry& entry = *found->second;
      return Format("{}/{}: {}", entry.pass, entry.rule, entry.formula);
    }
    for (const HloInstruction* operand : queue[at]->operands()) {
      if (partners[static_cast<size_t>(operand->id())] == nullptr &&
          std::find(queue.begin(), queue.end(), operand) == queue.end())
        queue.push_back(operand);
    }
  }
  return "";
}

}  // namespace

std::optional<Divergence> FindDivergence(const HloModule& before, const HloModule& after, const Context& context,
                                         size_t set, std::pair<const HloInstruction*, const HloInstruction*> known) {
  if (context.counts.devices() > 1) return std::nullopt;  // values would have to be distinguished by device
  Search search(before, after, context, set);
  const RewriteLog* record = context.options.record ? context.options.record() : nullptr;
  Partners partners = ByName(before, after, /*any=*/record != nullptr);
  std::optional<Search::Found> found = search.With(partners);
  const bool by_name = found.has_value();
  if (!by_name) {
    partners = ByStructure(before, after);
    found = search.With(partners);
  }
  const auto in_step = [&] {
    return CausesOf(*known.first).count(found->before) > 0 && CausesOf(*known.second).count(found->after) > 0;
  };
  if (known.second != nullptr && (!found || !in_step())) {
    Partners step(partners.size(), nullptr);
    step[static_cast<size_t>(known.second->id())] = known.first;
    if (auto in = search.With(step)) found = std::move(in), partners = std::move(step);
  }
  if (!found) return std::nullopt;
  Divergence result;
  result.instruction = found->before->name();
  result.partner = found->after->name();
  result.by_structure = !by_name;
  result.run = static_cast<int64_t>(found->run);
  result.before = std::move(found->before_value);
  result.after = std::move(found->after_value);
  result.text = found->before->ToString();
  result.partner_text = found->after->ToString();
  result.operands = search.OperandsOf(before, *found->before, found->run);
  result.partner_operands = search.OperandsOf(after, *found->after, found->run);
  if (record != nullptr) result.rule = RuleFor(*record, *found->after, partners);
  return result;
}

}  // namespace check

std::string Divergence::ToString(const std::string& before_name, const std::string& after_name) const {
  return Format("first divergence: {}{}{} ({}: {}, {}: {})", instruction,
                partner == instruction ? "" : Format(" and {}", partner), run > 0 ? Format(", run {}", run + 1) : "",
                before_name, before, after_name, after);
}

std::string Divergence::Details(const std::string& before_name, const std::string& after_name) const {
  std::string details = ToString(before_name, after_name);
  const auto side = [&](const std::string& name, const std::string& line, const std::vector<Operand>& values) {
    details += Format("\n  {}: {}", name, line);
    for (const Operand& operand : values) {
      if (!operand.value.empty()) details += Format("\n    {} is {}", operand.name, operand.value);
    }
  };
  side(before_name, text, operands);
  side(after_name, partner_text, partner_operands);
  if (!rule.empty()) details += "\n  made by " + rule;
  return details;
}

}  // namespace hloir
