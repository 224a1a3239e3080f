// AddAlternatives, see hloir/rewrite/alternatives.h. Three steps:
//
// Record. Passes run on a scratch copy of the module, allowed those of the proposals that do not touch one another; on
// the next copy those that are left, and so on. After each rewrite the copy is held against what it was: which edge
// between old instructions leads elsewhere now. That finds every result that was replaced, also where a rewrite has
// several (fusion of siblings), and what was edited in place.
//
// Copy. What a rewrite made is copied into the module that will be returned, the target. Target and scratch copies are
// clones of one module, so that an old instruction has the same id in all of them.
//
// Connect. Each replaced value gets its custom-call, and one rewrite after the other is connected to those of its
// values, unless that would close a cycle. What it reads is read from the custom-calls, too, where that closes none.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "hloir/analysis/structural.h"
#include "hloir/pipeline.h"
#include "rewrite/alternatives.h"
#include "support/guard.h"

namespace hloir {
namespace {

size_t Index(const HloInstruction* i) { return static_cast<size_t>(i->id()); }

// A rewrite, as it is in the target.
struct Recorded {
  RewriteLog::Entry entry;
  struct Result {
    HloInstruction* source = nullptr;
    HloInstruction* made = nullptr;  // new, or one that stood there before
  };
  std::vector<Result> results;
  std::vector<HloInstruction*> made;          // all that is new
  std::vector<const HloInstruction*> region;  // what it replaces and what dies with it
};

// The module that the alternatives come into.
class Target {
 public:
  explicit Target(std::unique_ptr<HloModule> module)
      : module_(std::move(module)),
        old_instructions_(module_->instruction_id_limit()),
        old_computations_(module_->computation_id_limit()),
        instructions_(static_cast<size_t>(old_instructions_), nullptr),
        computations_(static_cast<size_t>(old_computations_), nullptr) {
    for (HloComputation* computation : module_->computations()) {
      computations_[static_cast<size_t>(computation->id())] = computation;
      for (HloInstruction* i = computation->first(); i != nullptr; i = i->next()) instructions_[Index(i)] = i;
    }
  }
  HloModule& module() { return *module_; }
  std::unique_ptr<HloModule> Release() { return std::move(module_); }

  bool IsOld(const HloInstruction* i) const { return i->id() < old_instructions_; }
  bool IsOld(const HloComputation* c) const { return c->id() < old_computations_; }
  // What corresponds to an old instruction or computation of a scratch copy.
  HloInstruction* Of(const HloInstruction* i) const { return instructions_[Index(i)]; }
  HloInstruction* At(int32_t id) const { return instructions_[static_cast<size_t>(id)]; }
  HloComputation* Of(const HloComputation* c) const { return computations_[static_cast<size_t>(c->id())]; }
  size_t old_count() const { return instructions_.size(); }

  // Copies `i`, of a scratch copy, with what it calls.
  HloInstruction* Copy(const HloInstruction& i, HloComputation& into, std::span<HloInstruction* const> operands) {
    HloInstruction* copy = into.AddClone(i, operands);
    for (const HloComputation* called : i.called_computations()) copy->AddCalledComputation(CopyOfCalled(*called));
    return copy;
  }

 private:
  bool IsUnchanged(const HloComputation& c) const { return IsOld(&c) && StructurallyEqual(c, *Of(&c)); }

  // The target's own where nothing changed in it, unless it is a body that has but one caller.
  HloComputation* CopyOfCalled(const HloComputation& called) {
    const bool is_body = called.fusion() != nullptr || IsAsyncBody(called);
    if (!is_body && IsUnchanged(called)) return Of(&called);
    const int32_t first_new = module_->computation_id_limit();
    HloComputation* copy = module_->CloneComputation(called);
    // It was copied with all that it calls; where the target has the same, that is called.
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
  static bool IsAsyncBody(const HloComputation& c) {
    return c.callers().size() == 1 && c.callers()[0]->opcode() == HloOpcode::kAsyncStart;
  }

  std::unique_ptr<HloModule> module_;
  const int32_t old_instructions_, old_computations_;
  std::vector<HloInstruction*> instructions_;  // by id
  std::vector<HloComputation*> computations_;
};

// Allows, on one scratch copy, rewrites that do not touch one another, and copies what they make into the target.
class Recorder : public RewriteLog {
 public:
  Recorder(HloModule& scratch, Target& target, std::set<std::string, std::less<>> wanted)
      : scratch_(scratch), target_(target), touched_(target.old_count(), false), here_(target.old_count(), nullptr) {
    take_only = true;
    take = std::move(wanted);
  }

  bool Allow(const Rewrite& rewrite) override {
    if (!take.contains(rewrite.Id()) || Touched(*rewrite.instruction)) return false;
    if (rewrite.partner != nullptr && Touched(*rewrite.partner)) return false;
    if (!RewriteLog::Allow(rewrite)) return false;
    first_new_ = scratch_.instruction_id_limit();
    source_ = rewrite.instruction->id();
    partner_ = rewrite.partner != nullptr ? rewrite.partner->id() : -1;
    return true;
  }

  void Done(const Rewrite& rewrite, const HloInstruction* replacement) override {
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

  std::vector<Recorded> recorded_;
  std::vector<AlternativeGraph::LeftOut> left_out_;
  std::vector<HloInstruction*> made_in_vain_;  // in the target

 private:
  bool Touched(const HloInstruction& i) const {
    const auto touched = [&](const HloInstruction* x) { return !target_.IsOld(x) || touched_[Index(x)]; };
    return touched(&i) || std::any_of(i.operands().begin(), i.operands().end(), touched) ||
           std::any_of(i.users().begin(), i.users().end(), touched);
  }
  void Touch(const HloInstruction* i) {
    if (target_.IsOld(i)) touched_[Index(i)] = true;
  }

  // An edge between old instructions that leads elsewhere since the rewrite; no user: the root of `computation`.
  struct Moved {
    const HloComputation* computation = nullptr;
    const HloInstruction* user = nullptr;
    int32_t source = 0;
    const HloInstruction* now = nullptr;
  };

  // What it was before: operands of the target's, but where an earlier rewrite on this copy moved edges.
  std::vector<int32_t> OperandsBefore(const HloInstruction* i) const {
    if (const auto known = operands_.find(i->id()); known != operands_.end()) return known->second;
    std::vector<int32_t> ids;
    for (const HloInstruction* operand : std::as_const(*target_.Of(i)).operands()) ids.push_back(operand->id());
    return ids;
  }
  bool SameOperands(const HloInstruction* i) const {
    const auto same = [](const HloInstruction* operand, int32_t id) { return operand->id() == id; };
    if (const auto known = operands_.find(i->id()); known != operands_.end())
      return std::equal(i->operands().begin(), i->operands().end(), known->second.begin(), known->second.end(), same);
    const HloInstruction* before = target_.Of(i);
    return std::equal(i->operands().begin(), i->operands().end(), before->operands().begin(), before->operands().end(),
                      [](const HloInstruction* a, const HloInstruction* b) { return a->id() == b->id(); });
  }
  // Do only new instructions call it? Then its copy is part of what was made.
  bool IsPartOfMade(const HloComputation& c) const {
    return !c.IsEntry() && std::none_of(c.callers().begin(), c.callers().end(),
                                        [&](const HloInstruction* caller) { return target_.IsOld(caller); });
  }

  // Fills in `recorded`, or says why the rewrite is no alternative.
  std::string Explain(const Rewrite& rewrite, const HloInstruction* replacement, Recorded& recorded);
  std::string FindMoved(std::vector<Moved>& moved);
  bool IsEditedInPlace(const HloInstruction* i) const {
    return new_operands_.contains(i->id()) || !StructurallyEqual(*i, *target_.Of(i));
  }
  // What `i` of the scratch copy is in the target; nullptr if it hangs on an earlier rewrite.
  HloInstruction* Import(const HloInstruction* i, bool edited_in_place, Recorded& recorded);

  const HloModule& scratch_;
  Target& target_;
  std::vector<bool> touched_;                // old instructions, by id
  std::vector<const HloInstruction*> here_;  // those that the scratch copy still has, by id
  std::set<int32_t> new_operands_;           // ids of old instructions with other operands than before this rewrite
  std::unordered_map<int32_t, std::vector<int32_t>> operands_;  // of old instructions whose edges moved
  std::unordered_map<int32_t, int32_t> roots_;                  // of old computations whose root moved
  std::unordered_map<int32_t, HloInstruction*> imported_;       // in the target, by the id in the scratch copy
  int32_t first_new_ = 0, source_ = 0, partner_ = -1;
  bool again_ = false;    // it hangs on another rewrite on this copy: try it on the next
  bool ordered_ = false;  // what was imported has control dependencies
};

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
      problem = "it changes what a computation takes or gives";
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

  // In place: the instruction itself, or an old one that was made to be the replacement, is another now.
  std::vector<const HloInstruction*> edited;
  const auto in_use = [](const HloInstruction* i) { return i != nullptr && (i->user_count() > 0 || i->IsRoot()); };
  const HloInstruction* source_now = here_[static_cast<size_t>(source_)];
  if (in_use(source_now) && IsEditedInPlace(source_now)) edited.push_back(source_now);
  if (target_.IsOld(replacement) && replacement->id() != source_ && IsEditedInPlace(replacement))
    edited.push_back(replacement);
  std::erase_if(moved, [&](const Moved& edge) {
    return std::find(edited.begin(), edited.end(), edge.user) != edited.end() && edge.user != nullptr;
  });

  // Each value whose uses moved, and where to.
  std::map<int32_t, const HloInstruction*> results;
  for (const Moved& edge : moved) {
    if (edge.source >= static_cast<int32_t>(target_.old_count())) {
      again_ = true;
      return "it takes up what another rewrite made";
    }
    const auto [known, is_new] = results.emplace(edge.source, edge.now);
    if (!is_new && known->second != edge.now) return "it replaces a value in more than one way";
  }
  for (const HloInstruction* i : edited) results.emplace(i->id(), i);
  if (results.empty()) return "nothing uses what it replaces";
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
      return "it takes up what another rewrite made";
    }
    if (made->parent() != source->parent() || !made->shape().Compatible(source->shape()))
      return "what it makes has another shape";
    // Dead code would be kept alive by being on offer, and then go with it.
    const bool stood_there = std::find(recorded.made.begin(), recorded.made.end(), made) == recorded.made.end();
    if (stood_there && !in_use(made)) return "it takes up dead code";
    recorded.results.push_back({source, made});
    recorded.region.push_back(source);
    ordered_ |= source->HasControlDependencies();
    if (ActsOutside(*source)) problem = "it replaces what acts outside";
  }
  for (const HloInstruction* made : recorded.made) {
    if (ActsOutside(*made)) problem = "it makes what acts outside";
  }
  if (ordered_) problem = "it takes part in control dependencies";
  for (const HloInstruction* consumed : rewrite.consumed) {
    if (target_.IsOld(consumed)) recorded.region.push_back(target_.Of(consumed));
  }
  recorded.region.push_back(target_.At(source_));
  if (partner_ >= 0 && !in_use(here_[static_cast<size_t>(partner_)])) recorded.region.push_back(target_.At(partner_));
  return problem;
}

// Puts what was recorded behind custom-calls.
class Connector {
 public:
  Connector(Target& target, std::vector<AlternativeGraph::LeftOut>& left_out) : target_(target), left_out_(left_out) {}

  // Of `all`, those that are in the module now.
  std::vector<Recorded> Run(std::vector<Recorded> all, std::vector<HloInstruction*> in_vain) {
    for (const Recorded& recorded : all) {
      for (const Recorded::Result& result : recorded.results) AddAlternative(result.source);
    }
    std::vector<Recorded> in;
    for (Recorded& recorded : all) {
      const std::string problem = Connect(recorded);
      if (problem.empty()) {
        in.push_back(std::move(recorded));
      } else {
        left_out_.push_back({recorded.entry.id, problem});
        in_vain.insert(in_vain.end(), recorded.made.begin(), recorded.made.end());
      }
    }
    FindConflicts(in);
    for (HloInstruction* alternative : order_) {
      if (alternative->operand_count() == 1) {
        alternative->ReplaceAllUsesWith(alternative->operand(0));
        in_vain.push_back(alternative);
      } else {
        WriteChoices(*alternative, choices_[alternative]);
      }
    }
    RemoveAllDead(std::move(in_vain));
    return in;
  }

 private:
  void AddAlternative(HloInstruction* source) {
    if (alternatives_.contains(source)) return;
    HloComputation& computation = *source->parent();
    if (numbered_.insert(&computation).second) {
      // Sparse numbers: an old instruction 3k, what is made for it 3k + 1, and its alternatives 3k + 2.
      int64_t k = 0;
      for (const HloInstruction* i : computation.PostOrder()) {
        if (target_.IsOld(i)) Place(i) = 3 * k++;
      }
    }
    const std::vector<HloInstruction*> users(source->users().begin(), source->users().end());
    CustomCallAttributes attributes;
    attributes.custom_call_target = kAlternativeTarget;
    HloInstruction* alternative = computation.AddInstruction(HloOpcode::kCustomCall, source->shape(), {source},
                                                             std::move(attributes), "alternative");
    Place(alternative) = Place(source) + 2;
    for (HloInstruction* user : users) {
      if (target_.IsOld(user)) source->ReplaceUseWith(user, alternative);
    }
    if (source->IsRoot()) computation.set_root(alternative);
    alternatives_[source] = alternative;
    order_.push_back(alternative);
  }

  std::string Connect(Recorded& recorded) {
    const HloComputation* computation = recorded.results[0].source->parent();
    int64_t first = INT64_MAX;
    for (const Recorded::Result& result : recorded.results) first = std::min(first, Place(result.source));
    bool in_order = !disordered_.contains(computation);
    for (const HloInstruction* made : recorded.made) Place(made) = first + 1;
    for (const HloInstruction* made : recorded.made) {
      in_order &= std::all_of(made->operands().begin(), made->operands().end(),
                              [&](const HloInstruction* operand) { return Place(operand) <= first + 1; });
    }
    // With several computations, as when two bodies change together, the numbers say nothing of the others.
    for (const Recorded::Result& result : recorded.results) in_order &= result.source->parent() == computation;

    std::vector<HloInstruction*> connected;
    for (const Recorded::Result& result : recorded.results) {
      HloInstruction* alternative = alternatives_.at(result.source);
      HloInstruction* made = Current(result.made, alternative, in_order);
      if (!(in_order && Place(made) < Place(alternative))) {
        in_order = false;
        if (Reaches(made, alternative)) {
          for (HloInstruction* earlier : connected) {
            earlier->RemoveOperandsFrom(earlier->operand_count() - 1);
            choices_[earlier].pop_back();
          }
          return "it would close a cycle with other alternatives";
        }
      }
      alternative->AppendOperand(made);
      choices_[alternative].push_back({recorded.entry.id, {}});
      connected.push_back(alternative);
    }
    if (!in_order) {
      for (const Recorded::Result& result : recorded.results) disordered_.insert(result.source->parent());
    }
    for (HloInstruction* made : recorded.made) {
      for (int64_t k = 0; k < made->operand_count(); ++k) {
        if (HloInstruction* current = Current(made->operand(k), made, in_order); current != made->operand(k))
          made->ReplaceOperandWith(k, current);
      }
    }
    return "";
  }

  // `value` as `reader` is to read it: with its alternatives, if it has some and that closes no cycle.
  HloInstruction* Current(HloInstruction* value, const HloInstruction* reader, bool in_order) {
    const auto found = alternatives_.find(value);
    if (found == alternatives_.end() || found->second == reader) return value;
    if (in_order ? Place(found->second) < Place(reader) : !Reaches(found->second, reader)) return found->second;
    return value;
  }

  // Does `from` need `goal`?
  bool Reaches(const HloInstruction* from, const HloInstruction* goal) {
    seen_.clear();
    std::vector<const HloInstruction*> stack{from};
    while (!stack.empty()) {
      const HloInstruction* i = stack.back();
      stack.pop_back();
      if (i == goal) return true;
      if (static_cast<size_t>(i->id()) >= seen_.size()) seen_.resize(Index(i) + 1, false);
      if (seen_[Index(i)]) continue;
      seen_[Index(i)] = true;
      stack.insert(stack.end(), i->operands().begin(), i->operands().end());
      stack.insert(stack.end(), i->control_predecessors().begin(), i->control_predecessors().end());
    }
    return false;
  }

  void FindConflicts(std::vector<Recorded>& all) {
    std::unordered_map<const HloInstruction*, std::vector<size_t>> by_place;
    std::vector<std::set<size_t>> conflicts(all.size());
    for (size_t at = 0; at < all.size(); ++at) {
      for (const HloInstruction* place :
           std::set<const HloInstruction*>(all[at].region.begin(), all[at].region.end())) {
        for (size_t other : by_place[place]) conflicts[at].insert(other), conflicts[other].insert(at);
        by_place[place].push_back(at);
      }
    }
    std::map<std::string, std::vector<std::string>, std::less<>> ids;
    for (size_t at = 0; at < all.size(); ++at) {
      std::vector<std::string>& here = ids[all[at].entry.id];
      for (size_t other : conflicts[at]) {
        if (!ShareSource(all[at], all[other])) here.push_back(all[other].entry.id);
      }
      all[at].entry.conflicts = here;
    }
    for (auto& [alternative, choices] : choices_) {
      for (AlternativeChoice& choice : choices) choice.conflicts = ids[choice.rewrite];
    }
  }
  static bool ShareSource(const Recorded& a, const Recorded& b) {
    return std::any_of(a.results.begin(), a.results.end(), [&](const Recorded::Result& x) {
      return std::any_of(b.results.begin(), b.results.end(),
                         [&](const Recorded::Result& y) { return x.source == y.source; });
    });
  }

  int64_t& Place(const HloInstruction* i) {
    if (Index(i) >= places_.size()) places_.resize(Index(i) + 1, 0);
    return places_[Index(i)];
  }

  Target& target_;
  std::vector<AlternativeGraph::LeftOut>& left_out_;
  std::unordered_map<const HloInstruction*, HloInstruction*> alternatives_;  // of a source
  std::vector<HloInstruction*> order_;                                       // all of them
  std::unordered_map<const HloInstruction*, std::vector<AlternativeChoice>> choices_;
  // Numbers that follow the edges of a computation, until there is an edge against them.
  std::vector<int64_t> places_;
  std::set<const HloComputation*> numbered_, disordered_;
  std::vector<bool> seen_;
};

StatusOr<AlternativeGraph> UnguardedAddAlternatives(const HloModule& module, const PassRegistry& registry,
                                                    std::span<const std::string> names, const PassOptions& given,
                                                    int64_t max_work) {
  if (module.config().is_scheduled) return Unimplemented("alternatives in a module that is scheduled");
  if (!AlternativesOf(module).empty()) return InvalidArgument("the module has alternatives already");
  PassOptions options = given;
  if (options.evaluator == nullptr) options.evaluator = registry.MakeEvaluator();
  const auto run = [&](HloModule& scratch, Rewriter& rewriter) -> Status {
    options.rewriter = &rewriter;
    HLOIR_ASSIGN_OR_RETURN(HloPassPipeline pipeline, MakePipeline(registry, names, options));
    return pipeline.RunOnce(scratch).status();
  };

  RewriteLog offers;
  offers.propose_only = true;
  HLOIR_RETURN_IF_ERROR(run(*module.Clone(), offers));
  std::map<std::string, size_t, std::less<>> order;
  std::set<std::string, std::less<>> wanted;
  for (const RewriteLog::Entry& entry : offers.entries()) {
    order.emplace(entry.id, order.size());
    wanted.insert(entry.id);
  }

  AlternativeGraph graph;
  Target target(module.Clone());
  const std::vector<bool> unreached = UnreachedComputations(target.module());
  std::vector<Recorded> recorded;
  std::vector<HloInstruction*> in_vain;
  const int64_t copies = max_work / std::max<int64_t>(1, module.instruction_count());
  for (int64_t copy = 0; !wanted.empty(); ++copy) {
    if (copy >= copies) {
      for (const std::string& id : wanted) graph.left_out.push_back({id, "to try it would have taken too long"});
      break;
    }
    const std::unique_ptr<HloModule> scratch = module.Clone();
    Recorder recorder(*scratch, target, wanted);
    HLOIR_RETURN_IF_ERROR(run(*scratch, recorder));
    if (recorder.recorded_.empty() && recorder.left_out_.empty()) {
      for (const std::string& id : wanted) graph.left_out.push_back({id, "its pass did not make it"});
      break;
    }
    for (Recorded& made : recorder.recorded_) {
      wanted.erase(made.entry.id);
      recorded.push_back(std::move(made));
    }
    for (AlternativeGraph::LeftOut& left_out : recorder.left_out_) {
      wanted.erase(left_out.rewrite);
      graph.left_out.push_back(std::move(left_out));
    }
    in_vain.insert(in_vain.end(), recorder.made_in_vain_.begin(), recorder.made_in_vain_.end());
  }

  std::stable_sort(recorded.begin(), recorded.end(), [&](const Recorded& a, const Recorded& b) {
    return order.find(a.entry.id)->second < order.find(b.entry.id)->second;
  });
  for (Recorded& made : Connector(target, graph.left_out).Run(std::move(recorded), std::move(in_vain)))
    graph.rewrites.push_back(std::move(made.entry));
  RemoveUnreached(target.module(), unreached);
  graph.module = target.Release();
  graph.module->PutInTextOrder();
  return graph;
}

}  // namespace

StatusOr<AlternativeGraph> AddAlternatives(const HloModule& module, const PassRegistry& registry,
                                           std::span<const std::string> names, const PassOptions& options,
                                           int64_t max_work) {
  return Guarded([&] { return UnguardedAddAlternatives(module, registry, names, options, max_work); });
}

}  // namespace hloir
