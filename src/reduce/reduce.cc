// ReduceModule(): see reduce.h. Each candidate is a clone with one part removed.
#include "reduce/reduce.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "hloir/verifier.h"

namespace hloir {
namespace {

// Removes all instructions without users, even with side effects: unlike an optimizer, a reducer may remove them.
void RemoveUnused(HloModule& module) {
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<HloComputation*> all(module.computations().begin(), module.computations().end());
    for (HloComputation* computation : all) {
      if (computation != module.entry_computation() && computation->callers().empty()) {
        module.RemoveComputation(computation);
        changed = true;
        continue;
      }
      const std::vector<HloInstruction*> instructions = computation->instructions();
      for (auto i = instructions.rbegin(); i != instructions.rend(); ++i) {  // users first
        if ((*i)->user_count() > 0 || (*i)->IsRoot() || (*i)->IsParameter() || (*i)->HasControlDependencies()) continue;
        computation->RemoveInstruction(*i);
        changed = true;
      }
    }
    HloComputation* entry = module.entry_computation();
    for (int64_t k = entry->parameter_count(); k-- > 0;) {
      if (entry->parameter(k)->user_count() == 0 && !entry->parameter(k)->IsRoot())
        entry->RemoveParameter(k), changed = true;
    }
  }
}

// Replaces an instruction of the entry computation by a new parameter of its name. False if that is impossible, or if
// the instruction has no users: control dependencies keep it alive after the cut, so it would be cut repeatedly.
bool CutOff(HloInstruction* i) {
  if (i->IsParameter() || i->IsConstant() || !i->shape().IsArray() || i->IsRoot() || i->user_count() == 0) return false;
  HloComputation* entry = i->parent();
  const std::string name(i->name());
  i->set_name(name + ".cut");
  i->ReplaceAllUsesWith(entry->AddParameter(entry->parameter_count(), i->shape(), name));
  return true;
}

// Applies the n-th reduction; false if n is too large. Sets `skip` if it does not apply.
bool MakeSmaller(HloModule& module, int64_t n, bool& skip) {
  skip = false;
  HloComputation* entry = module.entry_computation();
  HloInstruction* root = entry->root();
  // Removes one result, keeps one result, or returns the operands of the result.
  if (root->opcode() == HloOpcode::kTuple && root->operand_count() > 0) {
    if (n < root->operand_count()) {
      std::vector<HloInstruction*> kept(root->operands().begin(), root->operands().end());
      kept.erase(kept.begin() + n);
      HloInstruction* smaller = kept.size() == 1 ? kept[0] : entry->AddTuple(kept);
      entry->set_root(smaller);
      return true;
    }
    n -= root->operand_count();
  } else {
    if (n < root->operand_count()) {
      entry->set_root(root->operand(n));
      return true;
    }
    n -= root->operand_count();
  }
  // Replaces an instruction by an operand of its shape, a new parameter, or zeros; or removes its control dependencies,
  // and makes it the result if it has no users.
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* i : computation->instructions()) {
      const int64_t ways = i->operand_count() + 4;
      if (n >= ways) {
        n -= ways;
        continue;
      }
      skip = true;
      if (n >= ways - 2) {
        const bool as_root = n == ways - 1;
        skip =
            !i->HasControlDependencies() || (as_root && (i->IsRoot() || i->user_count() > 0 || computation != entry));
        i->DropAllControlDependencies();
        if (as_root && !skip) entry->set_root(i);
        return true;
      }
      if (i->IsParameter() || i->IsConstant() || (i->IsRoot() && i->opcode() == HloOpcode::kTuple)) return true;
      if (i->user_count() == 0 && !i->IsRoot()) return true;  // a control dependency keeps it alive: no reduction
      HloInstruction* replacement = nullptr;
      if (n < i->operand_count()) {
        if (i->operand(n)->shape() == i->shape()) replacement = i->operand(n);
      } else if (n == i->operand_count()) {
        skip = computation != entry || !CutOff(i);
        return true;
      } else if (i->shape().IsArray() && i->opcode() != HloOpcode::kBroadcast) {
        replacement = computation->AddConstant(Literal(i->shape()));
      }
      if (replacement == nullptr) return true;
      i->ReplaceAllUsesWith(replacement);
      skip = false;
      return true;
    }
  }
  return false;
}

// Replaces an instruction of a called computation by zeros. False if that is impossible.
bool TakeZeros(HloInstruction* i) {
  if (i->IsParameter() || i->IsConstant() || !i->shape().IsArray() || i->user_count() == 0) return false;
  HloInstruction* zeros = i->parent()->AddConstant(Literal(i->shape()));
  i->ReplaceAllUsesWith(zeros);
  return true;
}

// The smallest module so far, and the stages of reduction: coarse ones first, so that a large module is small before
// single instructions are tried.
class Reducer {
 public:
  Reducer(const HloModule& module, const std::function<bool(const HloModule&)>& property, int64_t max_attempts)
      : property_(property), max_attempts_(max_attempts), best_(module.Clone()) {
    // Annotations that refer to parameters, results or the order by number would be wrong for a smaller module.
    ModuleConfig& config = best_->config();
    config.entry_computation_layout.reset();
    config.input_output_alias.clear();
    config.buffer_donor.clear();
    config.is_scheduled = false;
  }

  std::unique_ptr<HloModule> Reduce() {
    FewerResults();
    ShorterPrefix();
    FewerResults();
    FewerInstructions();
    OtherEntry();
    FewerInstructions();
    while (OneByOne()) continue;
    return std::move(best_);
  }

 private:
  // Accepts the candidate if it is legal and has the property.
  bool Take(std::unique_ptr<HloModule> candidate) {
    ++attempts_;
    RemoveUnused(*candidate);
    if (!VerifyModule(*candidate).ok() || !property_(*candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }
  bool more() const { return attempts_ < max_attempts_; }

  // Tries to remove intervals of 0 … size(), whose length is halved each round. `cut` creates the candidate; nullptr if
  // it does not apply.
  template <class Size, class Cut>
  void Stretches(Size size, Cut cut) {
    for (int64_t length = (size() + 1) / 2; length > 0 && more(); length = length == 1 ? 0 : (length + 1) / 2) {
      for (int64_t start = 0; start < size() && more();) {
        std::unique_ptr<HloModule> candidate = cut(start, std::min(start + length, size()));
        if (candidate == nullptr || !Take(std::move(candidate))) start += length;
      }
    }
  }

  void FewerResults() {
    const auto results = [&] {
      const HloInstruction* root = best_->entry_computation()->root();
      return root->opcode() == HloOpcode::kTuple ? root->operand_count() : 0;
    };
    Stretches(results, [&](int64_t first, int64_t end) -> std::unique_ptr<HloModule> {
      if (end - first == results()) return nullptr;
      std::unique_ptr<HloModule> candidate = best_->Clone();
      HloComputation* entry = candidate->entry_computation();
      std::vector<HloInstruction*> kept(entry->root()->operands().begin(), entry->root()->operands().end());
      kept.erase(kept.begin() + first, kept.begin() + end);
      entry->set_root(kept.size() == 1 ? kept[0] : entry->AddTuple(kept));
      return candidate;
    });
  }

  // Keeps a prefix of the instructions, with those without users as results; by bisection.
  void ShorterPrefix() {
    int64_t fails = 0, holds = best_->entry_computation()->instruction_count();
    while (holds - fails > 1 && more()) {
      const int64_t length = fails + (holds - fails) / 2;
      std::unique_ptr<HloModule> candidate = best_->Clone();
      HloComputation* entry = candidate->entry_computation();
      std::vector<HloInstruction*> all = entry->instructions(), results;
      all.resize(static_cast<size_t>(std::min<int64_t>(length, static_cast<int64_t>(all.size()))));
      const std::unordered_set<const HloInstruction*> prefix(all.begin(), all.end());
      for (HloInstruction* i : all) {
        const bool read = std::any_of(i->users().begin(), i->users().end(),
                                      [&](const HloInstruction* user) { return prefix.contains(user); });
        if (!read && !i->IsParameter() && !i->IsConstant()) results.push_back(i);
      }
      if (!results.empty()) entry->set_root(results.size() == 1 ? results[0] : entry->AddTuple(results));
      if (!results.empty() && Take(std::move(candidate)))
        holds = std::min(length, best_->entry_computation()->instruction_count());
      else fails = length;
    }
  }

  // A removed operand becomes a parameter in the entry computation, zeros in others.
  void FewerInstructions() {
    for (size_t k = 0; k < best_->computations().size() && more(); ++k) {
      const auto size = [&]() -> int64_t {
        return k < best_->computations().size() ? best_->computations()[k]->instruction_count() : 0;
      };
      if (size() < 4) continue;
      Stretches(size, [&](int64_t first, int64_t end) -> std::unique_ptr<HloModule> {
        std::unique_ptr<HloModule> candidate = best_->Clone();
        HloComputation* computation = candidate->computations()[k];
        const std::vector<HloInstruction*> all = computation->instructions();
        bool changed = false;
        for (int64_t i = first; i < end; ++i) {
          HloInstruction* one = all[static_cast<size_t>(i)];
          if (computation == candidate->entry_computation()) changed |= CutOff(one);
          else changed |= TakeZeros(one);
        }
        return changed ? std::move(candidate) : nullptr;
      });
    }
  }

  // A called computation alone.
  void OtherEntry() {
    for (size_t k = 0; k < best_->computations().size() && more(); ++k) {
      if (best_->computations()[k] == best_->entry_computation()) continue;
      std::unique_ptr<HloModule> candidate = best_->Clone();
      candidate->set_entry_computation(candidate->computations()[k]);
      if (Take(std::move(candidate))) k = 0;
    }
  }

  bool OneByOne() {
    bool smaller = false;
    for (int64_t n = 0; more();) {
      std::unique_ptr<HloModule> candidate = best_->Clone();
      bool skip = false;
      if (!MakeSmaller(*candidate, n, skip)) break;
      if (!skip && Take(std::move(candidate))) smaller = true;
      else ++n;
    }
    return smaller;
  }

  const std::function<bool(const HloModule&)>& property_;
  const int64_t max_attempts_;
  int64_t attempts_ = 0;
  std::unique_ptr<HloModule> best_;
};

}  // namespace

std::unique_ptr<HloModule> ReduceModule(const HloModule& module, const std::function<bool(const HloModule&)>& property,
                                        int64_t max_attempts) {
  return Reducer(module, property, max_attempts).Reduce();
}

}  // namespace hloir
