// ReduceModule(): see reduce.h. Each candidate is a clone with one thing taken away.
#include "hloir/check/reduce.h"

#include <algorithm>
#include <string>
#include <vector>

#include "hloir/verifier.h"

namespace hloir {
namespace {

// All that nothing needs, side effects or not: a reducer may drop what an optimizer must keep.
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

// A new parameter in the place of an instruction of the entry computation; it takes the name. False if that cannot be.
bool CutOff(HloInstruction* i) {
  if (i->IsParameter() || i->IsConstant() || !i->shape().IsArray() || i->IsRoot()) return false;
  HloComputation* entry = i->parent();
  const std::string name(i->name());
  i->set_name(name + ".cut");
  i->ReplaceAllUsesWith(entry->AddParameter(entry->parameter_count(), i->shape(), name));
  return true;
}

// The n-th way to make the module smaller; false if there is none of that number. `skip` is set if it cannot be done.
bool MakeSmaller(HloModule& module, int64_t n, bool& skip) {
  skip = false;
  HloComputation* entry = module.entry_computation();
  HloInstruction* root = entry->root();
  // One result less, or the one result by itself; or what the result is made from.
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
  // An instruction's place goes to an operand of its shape, a new parameter, or zeros.
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* i : computation->instructions()) {
      const int64_t ways = i->operand_count() + 2;
      if (n >= ways) {
        n -= ways;
        continue;
      }
      skip = true;
      if (i->IsParameter() || i->IsConstant() || (i->IsRoot() && i->opcode() == HloOpcode::kTuple)) return true;
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

}  // namespace

std::unique_ptr<HloModule> ReduceModule(const HloModule& module, const std::function<bool(const HloModule&)>& property,
                                        int64_t max_attempts) {
  std::unique_ptr<HloModule> best = module.Clone();
  // What refers to parameters, results and order by number would be wrong for a smaller module.
  ModuleConfig& config = best->config();
  config.entry_computation_layout.reset();
  config.input_output_alias.clear();
  config.buffer_donor.clear();
  config.is_scheduled = false;
  int64_t attempts = 0;
  // Takes the candidate if it is legal and has the property.
  const auto take = [&](std::unique_ptr<HloModule> candidate) {
    ++attempts;
    RemoveUnused(*candidate);
    if (!VerifyModule(*candidate).ok() || !property(*candidate)) return false;
    best = std::move(candidate);
    return true;
  };
  // Stretches of the entry computation, halved from round to round.
  for (int64_t length = best->entry_computation()->instruction_count() / 2; length > 1 && attempts < max_attempts;
       length /= 2) {
    for (int64_t start = 0; start < best->entry_computation()->instruction_count() && attempts < max_attempts;) {
      std::unique_ptr<HloModule> candidate = best->Clone();
      const std::vector<HloInstruction*> all = candidate->entry_computation()->instructions();
      bool cut = false;
      for (int64_t k = start; k < std::min<int64_t>(start + length, static_cast<int64_t>(all.size())); ++k) {
        if (all[static_cast<size_t>(k)]->user_count() > 0) cut |= CutOff(all[static_cast<size_t>(k)]);
      }
      if (!cut || !take(std::move(candidate))) start += length;
    }
  }
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (int64_t n = 0; attempts < max_attempts;) {
      std::unique_ptr<HloModule> candidate = best->Clone();
      bool skip = false;
      if (!MakeSmaller(*candidate, n, skip)) break;
      if (!skip && take(std::move(candidate))) {
        smaller = true;
      } else {
        ++n;
      }
    }
  }
  return best;
}

}  // namespace hloir
