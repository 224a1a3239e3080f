// RewriteGate, which passes call, and RewriteLog, which records requests.
#include "hloir/rewrite.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "hloir/detail/check.h"
#include "hloir/printer.h"

namespace hloir {
namespace {

// Limits of readable records. Metadata has its own limit.
constexpr size_t kMostConsumed = 512, kMostMade = 64;

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string Source(const OpMetadata& metadata) {
  std::string text(metadata.op_name);
  if (!metadata.source_file.empty()) {
    if (!text.empty()) text += " at ";
    text += std::string(metadata.source_file) + ":" + std::to_string(metadata.source_line);
  }
  return text;
}

// The instruction in ids: COMPUTATION/INSTRUCTION.
std::string Place(const HloInstruction& instruction) {
  return std::string(instruction.parent()->name()) + "/" + std::string(instruction.name());
}

}  // namespace

std::string Rewrite::Id() const {
  std::string id(pass);
  id.append("/").append(rule).append("@").append(instruction->parent()->name()).append("/").append(instruction->name());
  if (partner != nullptr) id.append("+").append(partner->name());
  return id;
}

namespace {

// True if the computation is the body of a new fusion.
bool IsNewBody(const HloComputation& computation, int32_t first_new_id) {
  const auto callers = computation.callers();
  return callers.size() == 1 && callers[0]->id() >= first_new_id && callers[0]->opcode() == HloOpcode::kFusion;
}

// An estimate of the length of an instruction's text, to avoid copies of long ones.
int64_t TextSize(const HloInstruction& i) {
  size_t bytes = 64 + i.name().size() + 8 * static_cast<size_t>(i.operand_count());
  if (i.metadata() != nullptr) bytes += i.metadata()->op_name.size();
  if (i.IsConstant()) bytes += static_cast<size_t>(i.shape().ByteSize());
  if (i.has_extras()) {
    bytes += i.extras().backend_config.size();
    for (const auto& [key, value] : i.extras().frontend_attributes) bytes += key.size() + value.size();
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace

void GrowthBudget::Begin(const HloModule& module) {
  most_ = given_;
  if (given_ > 0) return;
  constexpr int64_t kAlways = 50000, kTimes = 16, kMostText = int64_t{1} << 27;
  int64_t longest = 1;
  for (const HloInstruction* i : module.AllInstructions()) longest = std::max(longest, TextSize(*i));
  const int64_t count = module.instruction_count();
  most_ = count + std::min(kAlways + (kTimes - 1) * count, std::max(count, kMostText / longest));
}

void GrowthBudget::BeginPass(const HloModule& module) {
  // A rule may build its replacement just before the old instructions are removed.
  constexpr int64_t kOnTheWay = 1000;
  most_now_ = most_;
  // There are at most as many instructions as ids, and counting them visits each computation.
  if (module.instruction_id_limit() + kOnTheWay > most_)
    most_now_ = std::max(most_, module.instruction_count() + kOnTheWay);
  look_again_ = 0;
  stopped_ = false;
}

bool GrowthBudget::HasRoom(const HloModule& module, int64_t added) {
  const int64_t ids = module.instruction_id_limit();
  if (most_ > 0 && added < look_again_ - ids) return true;
  const int64_t room = (added > 0 ? most_ : most_now_) - module.instruction_count();
  if (added <= room) {
    look_again_ = room > std::numeric_limits<int64_t>::max() - ids ? std::numeric_limits<int64_t>::max() : ids + room;
    return true;
  }
  stopped_ = true;
  // After the limit is reached, passes copy nothing, not even smaller parts or after other passes freed room: otherwise
  // they would copy the callers of a large computation instead, later passes would search these, and fixpoints would
  // run to their limit.
  if (added > 0) most_ = 0;
  return false;
}

bool RewriteGate::Enabled(const RuleInfo& rule, MathMode math) const {
  if (math > options_.math) return false;
  if (options_.disabled_rules.empty() || !Contains(options_.disabled_rules, rule.name)) return true;
  if (options_.rewriter != nullptr) options_.rewriter->Disabled(pass_, rule.name);
  return false;
}

bool RewriteGate::Allow(const RuleInfo& rule, MathMode math, const HloInstruction& instruction, std::string reason,
                        const HloInstruction* partner) {
  current_ = {pass_, rule.name, rule.formula, math, &instruction, std::move(reason), partner, {}, {}};
  first_new_id_ = instruction.module()->instruction_id_limit();
  if (!HasRoom(rule, instruction, 0)) return false;
  return options_.rewriter == nullptr || options_.rewriter->Allow(current_);
}

bool RewriteGate::HasRoom(const RuleInfo& rule, const HloInstruction& instruction, int64_t added) {
  if (options_.growth == nullptr || options_.growth->HasRoom(*instruction.module(), added)) return true;
  Decline(rule, instruction, "the module would have more instructions than its limit");
  return false;
}

void RewriteGate::Decline(const RuleInfo& rule, const HloInstruction& instruction, std::string reason,
                          const HloInstruction* partner) {
  if (!explaining()) return;
  options_.rewriter->Declined(
      {pass_, rule.name, rule.formula, rule.integers, &instruction, std::move(reason), partner, {}, {}});
}

// The instruction, and each operand whose users are all in the list: these become dead with it.
void RewriteGate::FindConsumed() {
  consumed_.assign(1, current_.instruction);
  // They may have been moved into a body of the replacement.
  const bool moved = IsNewBody(*current_.instruction->parent(), first_new_id_);
  if (!moved && (current_.instruction->user_count() > 0 || current_.instruction->IsRoot())) return;
  std::unordered_map<const HloInstruction*, int64_t> dead_users;
  for (size_t at = 0; at < consumed_.size() && at < kMostConsumed; ++at) {
    std::span<const HloInstruction* const> operands = consumed_[at]->operands();
    for (size_t k = 0; k < std::min(operands.size(), kMostConsumed); ++k) {
      const HloInstruction* operand = operands[k];
      if (operand->IsRoot() || operand->HasControlDependencies() || operand->Is(kSideEffect | kCollective | kAsyncPart))
        continue;
      if (operand->IsParameter() || (moved && operand->id() >= first_new_id_)) continue;
      if (std::find(operands.begin(), operands.begin() + k, operand) != operands.begin() + k) continue;
      if (operand->user_count() == 1 || ++dead_users[operand] == operand->user_count()) consumed_.push_back(operand);
    }
  }
}

// The new instructions among the replacement and its operands, the replacement first.
void RewriteGate::FindMade(const HloInstruction* replacement) {
  made_.clear();
  auto add = [&](const HloInstruction* i) {
    if (i->id() >= first_new_id_ && std::find(made_.begin(), made_.end(), i) == made_.end()) made_.push_back(i);
  };
  add(replacement);
  for (size_t at = 0; at < made_.size() && made_.size() < kMostMade; ++at) {
    for (const HloInstruction* operand : made_[at]->operands()) add(operand);
  }
}

void RewriteGate::Done(HloInstruction* replacement) {
  HLOIR_CHECK(current_.instruction != nullptr, "Done() requires that Allow() returned true before");
  const bool is_new = replacement != nullptr && replacement->id() >= first_new_id_;
  if (replacement != nullptr) {
    if (is_new || explaining()) FindConsumed();
    replacement->MergeMetadataOf(*current_.instruction);
    if (is_new) {
      for (const HloInstruction* consumed : consumed_) replacement->MergeMetadataOf(*consumed);
    }
  }
  if (options_.rewriter == nullptr) return;
  if (replacement != nullptr && explaining()) {
    FindMade(replacement);
    current_.consumed = consumed_, current_.made = made_;
  }
  options_.rewriter->Done(current_, replacement);
}

void RewriteLog::Keep(const Rewrite& rewrite, Outcome outcome) {
  Entry& entry = entries_.emplace_back();
  entry.id = rewrite.Id();
  entry.pass = rewrite.pass, entry.rule = rewrite.rule, entry.formula = rewrite.formula;
  entry.reason = rewrite.reason, entry.math = rewrite.math, entry.outcome = outcome;
  entry.computation = rewrite.instruction->parent()->name();
  entry.instruction = rewrite.instruction->name();
  for (const HloInstruction* operand : rewrite.instruction->operands()) entry.operands.emplace_back(operand->name());
  entry.before = rewrite.instruction->ToString();
  if (const OpMetadata* metadata = rewrite.instruction->metadata()) {
    if (std::string source = Source(*metadata); !source.empty()) entry.sources.push_back(std::move(source));
  }
}

bool RewriteLog::MayAllow(std::string_view pass, std::string_view rule, const HloInstruction& instruction) const {
  if (propose_only || !take_only) return true;
  if (take.empty()) return false;
  Rewrite rewrite;
  rewrite.pass = pass, rewrite.rule = rule, rewrite.instruction = &instruction;
  const std::string id = rewrite.Id();  // that of a rewrite with a partner begins with it
  const auto first = take.lower_bound(id);
  return first != take.end() && first->starts_with(id);
}

bool RewriteLog::Allow(const Rewrite& rewrite) {
  bool allowed = !propose_only && allowed_ < max_rewrites;
  if (propose_only) {
    if (!seen_.insert(rewrite.Id()).second) return false;
  } else if (allowed && take_only) {
    auto wanted = take.find(rewrite.Id());
    allowed = wanted != take.end();
    if (allowed) {
      take.erase(wanted);
      taking_ = rewrite.Id();
      consumed_by_.emplace(Place(*rewrite.instruction), taking_);
      if (rewrite.partner != nullptr) consumed_by_.emplace(Place(*rewrite.partner), taking_);
      for (const HloInstruction* user : rewrite.instruction->users()) consumed_by_.emplace(Place(*user), taking_);
    }
  }
  if (!allowed && !propose_only) return false;
  ++counts_[std::string(rewrite.pass) + "/" + std::string(rewrite.rule)];
  if (keep_text && allowed_ >= first_entry) {
    Keep(rewrite, allowed ? Outcome::kApplied : Outcome::kProposed);
    if (propose_only) FindConflicts(rewrite);
  }
  if (allowed) ++allowed_;
  return allowed;
}

void RewriteLog::FindConflicts(const Rewrite& rewrite) {
  Entry& entry = entries_.back();
  for (const HloInstruction* i : {rewrite.instruction, rewrite.partner}) {
    if (i == nullptr) continue;
    std::vector<size_t>& others = proposed_[Place(*i)];
    for (size_t other : others) {
      entry.conflicts.push_back(entries_[other].id);
      entries_[other].conflicts.push_back(entry.id);
    }
    others.push_back(entries_.size() - 1);
  }
}

std::string_view RewriteLog::ExcludedBy(std::string_view id) const {
  // PASS/RULE@COMPUTATION/INSTRUCTION, and +PARTNER.
  const size_t at = id.find('@');
  if (at == std::string_view::npos) return "";
  const std::string_view place = id.substr(at + 1), one = place.substr(0, place.find('+'));
  std::string other;
  if (one.size() < place.size())
    other = std::string(one.substr(0, one.find('/') + 1)) + std::string(place.substr(one.size() + 1));
  for (const std::string_view key : {one, std::string_view(other)}) {
    if (const auto found = consumed_by_.find(key); found != consumed_by_.end()) return found->second;
  }
  return "";
}

void RewriteLog::Done(const Rewrite& rewrite, const HloInstruction* replacement) {
  if (take_only) {
    for (const HloInstruction* consumed : rewrite.consumed) consumed_by_.emplace(Place(*consumed), taking_);
  }
  if (!keep_text || allowed_ <= first_entry || replacement == nullptr) return;
  Entry& entry = entries_.back();
  std::string operands;  // removed as well; the text of the instruction itself was recorded before the change
  for (size_t at = rewrite.consumed.size(); at-- > 0;) {
    const HloInstruction& consumed = *rewrite.consumed[at];
    if (at > 0) operands += consumed.ToString() + "\n";
    if (consumed.metadata() == nullptr) continue;
    std::string source = Source(*consumed.metadata());
    if (!source.empty() && !Contains(entry.sources, source)) entry.sources.push_back(std::move(source));
  }
  entry.before.insert(0, operands);
  if (rewrite.made.empty()) entry.after = replacement->ToString();
  for (size_t at = rewrite.made.size(); at-- > 0;) {
    const HloInstruction& made = *rewrite.made[at];
    if (made.opcode() == HloOpcode::kFusion) entry.after += PrintComputation(*made.fused_computation()) + "\n";
    entry.after += made.ToString() + (at > 0 ? "\n" : "");
  }
}

void RewriteLog::Declined(const Rewrite& rewrite) {
  if (keep_text && keep_declined && seen_.insert("declined:" + rewrite.Id()).second) Keep(rewrite, Outcome::kDeclined);
}

void RewriteLog::Disabled(std::string_view, std::string_view rule) { disabled_.emplace(rule); }

}  // namespace hloir
