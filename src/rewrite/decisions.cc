// See rewrite/decisions.h. Listing rewrites and making one are runs of a pass with different Rewriters.
#include "rewrite/decisions.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/mixed_floats.h"
#include "hloir/pipeline.h"
#include "support/guard.h"
#include "support/hash.h"

namespace hloir {
namespace {

// "[cse{disable=merge}", "dce]" => "cse{disable=merge}", "dce"
std::string_view WithoutBrackets(std::string_view name) {
  while (name.starts_with('[')) name.remove_prefix(1);
  while (name.ends_with(']')) name.remove_suffix(1);
  return name;
}

constexpr std::string_view kSweep = "dce";

uint64_t KeyOf(int32_t kind, const HloInstruction* instruction, const HloInstruction* partner) {
  const auto id = [](const HloInstruction* i) { return static_cast<uint64_t>(i == nullptr ? 0 : i->id() + 1); };
  return Mix(Mix(id(instruction), id(partner)), static_cast<uint64_t>(kind));
}

std::vector<bool> IdsOf(const HloModule& module) {
  std::vector<bool> there(static_cast<size_t>(module.instruction_id_limit()), false);
  for (const HloInstruction* i : module.AllInstructions()) there[static_cast<size_t>(i->id())] = true;
  return there;
}

// A key of an instruction's cost: equal keys of one instruction mean an equal cost, because its shapes and the
// computations that it calls are unchanged. 0: no key (the trip count of a loop depends on other instructions).
uint64_t CostKey(const HloInstruction& i, const std::vector<uint64_t>& computation_keys) {
  if (i.Is(kControlFlow | kCollective | kAsyncPart)) return 0;
  uint64_t key = reinterpret_cast<uintptr_t>(&i.shape());
  for (const HloInstruction* operand : i.operands()) key = Mix(key, reinterpret_cast<uintptr_t>(&operand->shape()));
  for (const HloComputation* called : i.called_computations())
    key = Mix(key, computation_keys[static_cast<size_t>(called->id())]);
  return key | 1;
}
// A key of a computation's graph, valid while no attributes are edited in place.
void MixEdges(uint64_t& key, const HloInstruction& i, uint64_t cost_key) {
  key = Mix(key, static_cast<uint64_t>(i.id()));
  key = Mix(key, cost_key);
  for (const HloInstruction* operand : i.operands()) key = Mix(key, static_cast<uint64_t>(operand->id()));
}

void operator+=(CostResult& sum, const CostResult& cost) {
  sum.once += cost.once;
  sum.repeated += cost.repeated;
  sum.unknown_loops += cost.unknown_loops;
  sum.custom_calls += cost.custom_calls;
}
bool Same(const CostResult& a, const CostResult& b) {
  return a.once == b.once && a.repeated == b.repeated && a.unknown_loops == b.unknown_loops &&
         a.custom_calls == b.custom_calls;
}

}  // namespace

// The Rewriter of all passes of a space: it records the requested rewrites, or allows one.
class DecisionSpace::Asked : public Rewriter {
 public:
  Asked(std::deque<Kind>& kinds, GrowthBudget& growth) : kinds_(kinds), growth_(growth) {}

  void Declare(int32_t pass, std::string_view name, const RuleInfo& rule) {
    rules_.resize(std::max(rules_.size(), static_cast<size_t>(pass) + 1));
    kinds_.push_back({std::string(name), std::string(rule.name), std::string(rule.formula), pass});
    rules_[static_cast<size_t>(pass)].emplace(kinds_.back().rule, static_cast<int32_t>(kinds_.size()) - 1);
  }
  void BeginSearch(std::vector<Opportunity>* found) {
    found_ = found;
    seen_.clear();
  }
  void BeginPass(int32_t pass) {
    pass_ = pass;
    rules_.resize(std::max(rules_.size(), static_cast<size_t>(pass) + 1));
  }
  void BeginTake(const Opportunity& wanted, const HloModule& module) {
    found_ = nullptr;
    module_ = &module;
    wanted_ = wanted;
    taken_ = false;
  }
  bool taken() const { return taken_; }

  bool Allow(const Rewrite& rewrite) override {
    if (found_ == nullptr) {
      if (taken_ || rewrite.instruction != wanted_.instruction || rewrite.partner != wanted_.partner) return false;
      return taken_ = KindOf(rewrite) == wanted_.kind;
    }
    const int32_t kind = KindOf(rewrite);
    if (seen_.insert(KeyOf(kind, rewrite.instruction, rewrite.partner)).second)
      found_->push_back({kind, rewrite.math, rewrite.instruction, rewrite.partner});
    return false;
  }

  // The module must not grow further, so that a pass can stop its search.
  void Done(const Rewrite&, const HloInstruction*) override {
    growth_ = GrowthBudget(1);
    growth_.Begin(*module_);
    (void)growth_.HasRoom(*module_, 1);
  }

 private:
  int32_t KindOf(const Rewrite& rewrite) {
    const auto& rules = rules_[static_cast<size_t>(pass_)];
    if (const auto known = rules.find(rewrite.rule); known != rules.end()) return known->second;
    Declare(pass_, rewrite.pass, {rewrite.rule, rewrite.formula, rewrite.math});
    return static_cast<int32_t>(kinds_.size()) - 1;
  }

  std::deque<Kind>& kinds_;
  GrowthBudget& growth_;
  std::vector<std::unordered_map<std::string_view, int32_t>> rules_;  // kinds by pass and rule
  int32_t pass_ = 0;
  std::vector<Opportunity>* found_ = nullptr;  // nullptr: one is to be taken
  std::unordered_set<uint64_t> seen_;
  Opportunity wanted_;
  const HloModule* module_ = nullptr;
  bool taken_ = false;
};

DecisionSpace::DecisionSpace()
    : growth_(std::make_shared<GrowthBudget>()), asked_(std::make_unique<Asked>(kinds_, *growth_)) {}
DecisionSpace::~DecisionSpace() = default;

StatusOr<std::shared_ptr<DecisionSpace>> DecisionSpace::Make(const PassRegistry& registry,
                                                             const DecisionOptions& options) try {
  std::shared_ptr<DecisionSpace> space(new DecisionSpace());
  space->max_instructions_ = options.max_instructions;
  PassOptions pass_options = options.pass_options;
  pass_options.growth = space->growth_;
  if (pass_options.evaluator == nullptr) pass_options.evaluator = registry.MakeEvaluator();
  HLOIR_RETURN_IF_ERROR(registry.CheckRules(pass_options.disabled_rules));
  pass_options.rewriter = nullptr;
  if (registry.Find(kSweep) != nullptr) {
    PassOptions sweep_options = pass_options;
    sweep_options.disabled_rules.clear();
    HLOIR_ASSIGN_OR_RETURN(space->sweep_, registry.Make(kSweep, sweep_options));
  }
  pass_options.rewriter = space->asked_.get();
  const bool all = options.passes.empty();
  for (const std::string& given : all ? registry.default_pipeline() : options.passes) {
    const std::string name(WithoutBrackets(given));
    if ((all && name == kSweep) ||
        std::find(space->passes_.begin(), space->passes_.end(), name) != space->passes_.end())
      continue;
    HLOIR_ASSIGN_OR_RETURN(std::unique_ptr<HloPass> pass, registry.Make(name, pass_options));
    const PassInfo* info = registry.Find(std::string_view(name).substr(0, name.find('{')));
    const int32_t index = static_cast<int32_t>(space->passes_.size());
    for (const RuleInfo& rule : info->rules) space->asked_->Declare(index, info->name, rule);
    space->passes_.push_back(name);
    space->made_.push_back(std::move(pass));
  }
  return space;
} catch (...) {
  return OutOfMemory();
}

Decisions::Decisions(Decisions&&) noexcept = default;
Decisions& Decisions::operator=(Decisions&&) noexcept = default;
Decisions::~Decisions() = default;

StatusOr<Decisions> Decisions::Begin(const HloModule& module, std::shared_ptr<DecisionSpace> space) try {
  Decisions decisions;
  decisions.space_ = std::move(space);
  decisions.module_ = module.Clone();
  LegalizeMixedFloats(*decisions.module_);
  decisions.growth_ = GrowthBudget(decisions.space_->max_instructions_);
  decisions.growth_.Begin(module);
  HLOIR_RETURN_IF_ERROR(decisions.Sweep());
  return decisions;
} catch (...) {
  return OutOfMemory();
}

Decisions Decisions::Clone() const {
  Decisions copy;
  copy.space_ = space_;
  copy.module_ = module_->Clone();
  copy.growth_ = growth_;
  copy.found_ = found_;
  if (open_.empty()) return copy;
  // Computations and instructions of a clone are stored in the order of the original's.
  std::vector<const HloInstruction*> clones(static_cast<size_t>(module_->instruction_id_limit()), nullptr);
  for (size_t c = 0; c < module_->computations().size(); ++c) {
    const HloInstruction* clone = std::as_const(*copy.module_).computations()[c]->first();
    for (const HloInstruction* i = module_->computations()[c]->first(); i != nullptr;
         i = i->next(), clone = clone->next())
      clones[static_cast<size_t>(i->id())] = clone;
  }
  copy.open_ = open_;
  for (Opportunity& opportunity : copy.open_) {
    for (const HloInstruction** i : {&opportunity.instruction, &opportunity.partner})
      if (*i != nullptr) *i = clones[static_cast<size_t>((*i)->id())];
  }
  return copy;
}

StatusOr<bool> Decisions::Run(HloPass& pass) {
  *space_->growth_ = growth_;
  space_->growth_->BeginPass(*module_);
  return pass.Run(*module_);
}

Status Decisions::Sweep() {
  if (space_->sweep_ == nullptr) return OkStatus();
  return Run(*space_->sweep_).status();
}

Status Decisions::Find() {
  open_.clear();
  space_->asked_->BeginSearch(&open_);
  for (size_t pass = 0; pass < space_->made_.size(); ++pass) {
    space_->asked_->BeginPass(static_cast<int32_t>(pass));
    if (Status status = Run(*space_->made_[pass]).status(); !status.ok())
      return Status(status.code(), "pass " + space_->passes_[pass] + ": " + status.message());
  }
  found_ = true;
  return OkStatus();
}

StatusOr<std::span<const Opportunity>> Decisions::Open() {
  if (!found_) HLOIR_RETURN_IF_ERROR(Guarded([&] { return Find(); }));
  return std::span<const Opportunity>(open_.data(), open_.size());
}

StatusOr<DecisionStep> Decisions::Take(size_t index) try {
  HLOIR_RETURN_IF_ERROR(Open().status());
  if (index >= open_.size()) return InvalidArgument("no such opportunity");
  const Opportunity wanted = open_[index];
  std::vector<bool> before = IdsOf(*module_);
  const int32_t pass = space_->kinds_[static_cast<size_t>(wanted.kind)].pass_index;
  space_->asked_->BeginTake(wanted, *module_);
  space_->asked_->BeginPass(pass);
  found_ = false;
  open_.clear();
  counted_ = false;
  if (Status status = Run(*space_->made_[static_cast<size_t>(pass)]).status(); !status.ok())
    return Status(status.code(), "pass " + space_->passes_[static_cast<size_t>(pass)] + ": " + status.message());
  if (!space_->asked_->taken()) return Internal("a pass found an opportunity once, but not again");
  HLOIR_RETURN_IF_ERROR(Sweep());

  DecisionStep step{.kind = wanted.kind, .removed = {}, .added = {}};
  const std::vector<bool> after = IdsOf(*module_);
  before.resize(after.size(), false);
  for (size_t id = 0; id < after.size(); ++id) {
    if (before[id] != after[id]) (after[id] ? step.added : step.removed).push_back(static_cast<int32_t>(id));
  }
  return step;
} catch (...) {
  return OutOfMemory();
}

std::string Decisions::Id(const Opportunity& opportunity) const {
  const DecisionSpace::Kind& kind = space_->kinds_[static_cast<size_t>(opportunity.kind)];
  Rewrite rewrite;
  rewrite.pass = kind.pass, rewrite.rule = kind.rule;
  rewrite.instruction = opportunity.instruction, rewrite.partner = opportunity.partner;
  return rewrite.Id();
}

void Decisions::Count() {
  if (counted_) return;
  const size_t instructions = static_cast<size_t>(module_->instruction_id_limit());
  const bool first = !cost_;
  if (first) cost_.emplace(*module_);
  entry_counted_ = first;
  instruction_costs_.resize(instructions);
  counted_as_.resize(instructions, 0);
  computation_costs_.resize(static_cast<size_t>(module_->computation_id_limit()));
  std::vector<uint64_t> keys(static_cast<size_t>(module_->computation_id_limit()), 0);
  for (const HloComputation* computation : module_->PostOrder()) {  // callees first
    CostResult sum;
    uint64_t& computation_key = keys[static_cast<size_t>(computation->id())];
    Mix(computation_key, static_cast<uint64_t>(computation->root()->id()));
    const bool entry = computation->IsEntry();
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      const size_t id = static_cast<size_t>(i->id());
      const uint64_t key = CostKey(*i, keys);
      if (!entry) MixEdges(computation_key, *i, key);
      if (key == 0 || counted_as_[id] != key) {
        instruction_costs_[id] = cost_->Of(*i);
        counted_as_[id] = key;
      }
      sum += instruction_costs_[id];
    }
    CostResult& known = computation_costs_[static_cast<size_t>(computation->id())];
    if (Same(known, sum)) continue;
    known = sum;
    if (!first && !entry) cost_->Update(*computation);
  }
  counted_ = true;
}

const CostResult& Decisions::total_cost() {
  Count();
  return computation_costs_[static_cast<size_t>(module_->entry_computation()->id())];
}

std::span<const CostResult> Decisions::instruction_costs() {
  Count();
  return {instruction_costs_.data(), instruction_costs_.size()};
}

const CostAnalysis& Decisions::cost() {
  Count();
  if (!entry_counted_) cost_->Update(*module_->entry_computation());
  entry_counted_ = true;
  return *cost_;
}

std::unique_ptr<HloModule> Decisions::Finished() const {
  std::unique_ptr<HloModule> copy = module_->Clone();
  copy->PutInTextOrder();
  return copy;
}

}  // namespace hloir
