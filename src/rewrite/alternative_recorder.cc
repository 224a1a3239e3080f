// See alternative_recorder.h.
#include "rewrite/alternative_recorder.h"

#include <algorithm>
#include <map>

#include "hloir/analysis.h"

namespace hloir::alternatives {
namespace {

size_t Index(const HloInstruction* i) { return static_cast<size_t>(i->id()); }

bool IsAsyncBody(const HloComputation& c) {
  return c.callers().size() == 1 && c.callers()[0]->opcode() == HloOpcode::kAsyncStart;
}

}  // namespace

bool Target::IsUnchanged(const HloComputation& c) const { return IsOld(&c) && StructurallyEqual(c, *Of(&c)); }

HloComputation* Target::CopyOfCalled(const HloComputation& called) {
  const bool is_body = called.fusion() != nullptr || IsAsyncBody(called);
  if (!is_body && IsUnchanged(called)) return Of(&called);
  const int32_t first_new = module_->computation_id_limit();
  HloComputation* copy = module_->CloneComputation(called);
  // It was copied with its callees; calls are redirected to equal computations of the target.
  std::vector<std::pair<const HloComputation*, HloComputation*>> pairs{{&called, copy}};
  std::set<const HloComputation*> seen;
  for (size_t at = 0; at < pairs.size(); ++at) {
    const auto [from, to] = pairs[at];
    if (!seen.insert(from).second) continue;
    HloInstruction* there = to->first();
    for (const HloInstruction* here = from->first(); here != nullptr; here = here->next(), there = there->next()) {
      for (size_t k = 0; k < here->called_computations().size(); ++k) {
        const HloComputation* callee = here->called_computations()[k];
        if (callee->fusion() == nullptr && !IsAsyncBody(*callee) && IsUnchanged(*callee)) {
          there->set_called_computation(static_cast<int64_t>(k), Of(callee));
        } else {
          pairs.emplace_back(callee, there->called_computation(static_cast<int64_t>(k)));
        }
      }
    }
  }
  std::vector<HloComputation*> unused;
  for (HloComputation* c : module_->computations()) {
    if (c->id() >= first_new && c != copy && c->callers().empty()) unused.push_back(c);
  }
  module_->RemoveComputations(unused);
  return copy;
}

bool Recorder::Allow(const Rewrite& rewrite) {
  if (!take.contains(rewrite.Id()) || Touched(*rewrite.instruction)) return false;
  if (rewrite.partner != nullptr && Touched(*rewrite.partner)) return false;
  if (!RewriteLog::Allow(rewrite)) return false;
  first_new_ = scratch_.instruction_id_limit();
  source_ = rewrite.instruction->id();
  partner_ = rewrite.partner != nullptr ? rewrite.partner->id() : -1;
  return true;
}

void Recorder::Done(const Rewrite& rewrite, const HloInstruction* replacement) {
  RewriteLog::Done(rewrite, replacement);
  Recorded recorded;
  recorded.entry = entries().back();
  const std::string problem = Explain(rewrite, replacement, recorded);
  if (problem.empty()) {
    recorded_.push_back(std::move(recorded));
  } else {
    made_in_vain_.insert(made_in_vain_.end(), recorded.made.begin(), recorded.made.end());
    if (!again_) left_out_.push_back({recorded.entry.id, problem});
    else if (recorded_.empty() && left_out_.empty()) left_out_.push_back({recorded.entry.id, problem});
  }
}

bool Recorder::Touched(const HloInstruction& i) const {
  const auto touched = [&](const HloInstruction* x) { return !target_.IsOld(x) || touched_[Index(x)]; };
  return touched(&i) || std::any_of(i.operands().begin(), i.operands().end(), touched) ||
         std::any_of(i.users().begin(), i.users().end(), touched);
}

std::vector<int32_t> Recorder::OperandsBefore(const HloInstruction* i) const {
  if (const auto known = operands_.find(i->id()); known != operands_.end()) return known->second;
  std::vector<int32_t> ids;
  for (const HloInstruction* operand : std::as_const(*target_.Of(i)).operands()) ids.push_back(operand->id());
  return ids;
}

bool Recorder::SameOperands(const HloInstruction* i) const {
  const auto same = [](const HloInstruction* operand, int32_t id) { return operand->id() == id; };
  if (const auto known = operands_.find(i->id()); known != operands_.end())
    return std::equal(i->operands().begin(), i->operands().end(), known->second.begin(), known->second.end(), same);
  const HloInstruction* before = target_.Of(i);
  return std::equal(i->operands().begin(), i->operands().end(), before->operands().begin(), before->operands().end(),
                    [](const HloInstruction* a, const HloInstruction* b) { return a->id() == b->id(); });
}

bool Recorder::IsPartOfMade(const HloComputation& c) const {
  return !c.IsEntry() && std::none_of(c.callers().begin(), c.callers().end(),
                                      [&](const HloInstruction* caller) { return target_.IsOld(caller); });
}

bool Recorder::IsEditedInPlace(const HloInstruction* i) const {
  return new_operands_.contains(i->id()) || !StructurallyEqual(*i, *target_.Of(i));
}

std::string Recorder::FindMoved(std::vector<Moved>& moved) {
  std::string problem;
  here_.assign(here_.size(), nullptr);
  new_operands_.clear();
  for (const HloComputation* computation : scratch_.computations()) {
    if (!target_.IsOld(computation)) continue;
    const bool counts = !IsPartOfMade(*computation);
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      if (!target_.IsOld(i)) continue;
      here_[Index(i)] = i;
      if (SameOperands(i)) continue;
      new_operands_.insert(i->id());
      const std::vector<int32_t> before = OperandsBefore(i);
      const bool dead = i->user_count() == 0 && !i->IsRoot() && i->id() != source_;
      if (counts && !dead) {
        if (static_cast<int64_t>(before.size()) != i->operand_count()) {
          if (i->id() != source_) problem = "it changes the operands of other instructions";
        } else {
          for (int64_t k = 0; k < i->operand_count(); ++k) {
            if (i->operand(k)->id() != before[static_cast<size_t>(k)])
              moved.push_back({computation, i, before[static_cast<size_t>(k)], i->operand(k)});
          }
        }
      }
      std::vector<int32_t>& now = operands_[i->id()];
      now.clear();
      for (const HloInstruction* operand : i->operands()) now.push_back(operand->id());
    }
    const HloComputation& before = *target_.Of(computation);
    const auto root = roots_.find(computation->id());
    const int32_t root_before = root != roots_.end() ? root->second : before.root()->id();
    if (computation->root()->id() != root_before) {
      if (counts) moved.push_back({computation, nullptr, root_before, computation->root()});
      roots_[computation->id()] = computation->root()->id();
    }
    if (counts && (computation->parameter_count() != before.parameter_count() ||
                   !(computation->program_shape() == before.program_shape()))) {
      problem = "it changes the signature of a computation";
    }
  }
  return problem;
}

HloInstruction* Recorder::Import(const HloInstruction* root, bool edited_in_place, Recorded& recorded) {
  const auto is_made = [&](const HloInstruction* i) { return i->id() >= first_new_ || (edited_in_place && i == root); };
  const auto known = [&](const HloInstruction* i) -> HloInstruction* {
    const auto there = imported_.find(i->id());
    if (is_made(i)) return there != imported_.end() ? there->second : nullptr;
    return target_.IsOld(i) && there == imported_.end() ? target_.Of(i) : nullptr;
  };
  std::vector<const HloInstruction*> stack{root};
  std::vector<HloInstruction*> operands;
  while (!stack.empty()) {
    const HloInstruction* i = stack.back();
    if (known(i) != nullptr) {
      stack.pop_back();
      continue;
    }
    if (!is_made(i) || !target_.IsOld(i->parent())) return nullptr;
    const size_t depth = stack.size();
    for (const HloInstruction* operand : i->operands()) {
      if (known(operand) == nullptr) stack.push_back(operand);
    }
    if (stack.size() > depth) continue;
    stack.pop_back();
    operands.clear();
    for (const HloInstruction* operand : i->operands()) operands.push_back(known(operand));
    ordered_ |= i->HasControlDependencies();
    HloInstruction* copy = target_.Copy(*i, *target_.Of(i->parent()), operands);
    imported_[i->id()] = copy;
    recorded.made.push_back(copy);
  }
  return known(root);
}

std::string Recorder::Explain(const Rewrite& rewrite, const HloInstruction* replacement, Recorded& recorded) {
  again_ = false;
  std::vector<Moved> moved;
  std::string problem = FindMoved(moved);
  for (const HloInstruction* consumed : rewrite.consumed) Touch(consumed);
  for (const int32_t id : {source_, partner_}) {
    if (id >= 0) touched_[static_cast<size_t>(id)] = true;
  }
  for (const Moved& edge : moved) {
    if (edge.user != nullptr) Touch(edge.user);
    Touch(edge.now);
    if (edge.source < static_cast<int32_t>(touched_.size())) touched_[static_cast<size_t>(edge.source)] = true;
  }
  if (replacement == nullptr) return "it only removes";
  if (!problem.empty()) return problem;

  // An edit in place: the instruction itself, or an old one that became the replacement, has changed.
  std::vector<const HloInstruction*> edited;
  const auto in_use = [](const HloInstruction* i) { return i != nullptr && (i->user_count() > 0 || i->IsRoot()); };
  const HloInstruction* source_now = here_[static_cast<size_t>(source_)];
  if (in_use(source_now) && IsEditedInPlace(source_now)) edited.push_back(source_now);
  if (target_.IsOld(replacement) && replacement->id() != source_ && IsEditedInPlace(replacement))
    edited.push_back(replacement);
  std::erase_if(moved, [&](const Moved& edge) {
    return std::find(edited.begin(), edited.end(), edge.user) != edited.end() && edge.user != nullptr;
  });

  // Each value whose uses moved, and the new value.
  std::map<int32_t, const HloInstruction*> results;
  for (const Moved& edge : moved) {
    if (edge.source >= static_cast<int32_t>(target_.old_count())) {
      again_ = true;
      return "it replaces an instruction that another rewrite made";
    }
    const auto [known, is_new] = results.emplace(edge.source, edge.now);
    if (!is_new && known->second != edge.now) return "it replaces a value in more than one way";
  }
  for (const HloInstruction* i : edited) results.emplace(i->id(), i);
  if (results.empty()) return "nothing uses the replaced value";
  ordered_ = false;
  for (const auto& [id, now] : results) {
    HloInstruction* source = target_.At(id);
    const bool in_place = std::find(edited.begin(), edited.end(), now) != edited.end();
    const HloInstruction* still = here_[static_cast<size_t>(id)];
    if (!in_place && still != nullptr &&
        std::any_of(still->users().begin(), still->users().end(),
                    [&](const auto* user) { return target_.IsOld(user) && in_use(user); })) {
      return "it replaces some uses of a value and not all";
    }
    HloInstruction* made = Import(now, in_place, recorded);
    if (made == nullptr) {
      again_ = true;
      return "it replaces an instruction that another rewrite made";
    }
    if (made->parent() != source->parent() || !made->shape().Compatible(source->shape()))
      return "the replacement has another shape";
    // An alternative for dead code would keep it alive.
    const bool stood_there = std::find(recorded.made.begin(), recorded.made.end(), made) == recorded.made.end();
    if (stood_there && !in_use(made)) return "it takes up dead code";
    recorded.results.push_back({source, made});
    recorded.region.push_back(source);
    ordered_ |= source->HasControlDependencies();
    if (ActsOutside(*source)) problem = "it replaces an instruction with side effects";
  }
  for (const HloInstruction* made : recorded.made) {
    if (ActsOutside(*made)) problem = "it makes an instruction with side effects";
  }
  if (ordered_) problem = "it takes part in control dependencies";
  for (const HloInstruction* consumed : rewrite.consumed) {
    if (target_.IsOld(consumed)) recorded.region.push_back(target_.Of(consumed));
  }
  recorded.region.push_back(target_.At(source_));
  if (partner_ >= 0 && !in_use(here_[static_cast<size_t>(partner_)])) recorded.region.push_back(target_.At(partner_));
  return problem;
}

}  // namespace hloir::alternatives
