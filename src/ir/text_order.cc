// The order of computations in a module's text, and PutInTextOrder, which also makes names unique. Covered by
// tests/unit/text_order_test.cc.
#include <array>

#include "hloir/detail/fetch_ahead.h"
#include "hloir/module.h"

namespace hloir {
namespace {

// True if each computation precedes its callers.
bool ReadsBack(const std::vector<HloComputation*>& order) {
  if (order.empty()) return true;
  std::vector<bool> there(static_cast<size_t>(order[0]->module()->computation_id_limit()), false);
  for (const HloComputation* computation : order) {
    there[static_cast<size_t>(computation->id())] = true;
    for (const HloInstruction* caller : computation->callers()) {
      if (there[static_cast<size_t>(caller->parent()->id())]) return false;
    }
  }
  return true;
}

// x.0 and x are one name to readers.
struct ReadName {
  std::string_view operator()(const HloInstruction& i) const {
    return i.name().ends_with(".0") ? i.name().substr(0, i.name().size() - 2) : i.name();
  }
};

}  // namespace

// All computations called by one instruction are marked as visited together, so that a computation called again from
// within them follows that caller. Roots of the call graph come in stored order, the entry among them.
std::vector<HloComputation*> HloModule::MakeTextOrder(bool reads_back) const {
  struct Frame {
    HloComputation* computation;
    HloInstruction* next;
    int64_t left;  // instructions that call something
  };
  std::vector<HloComputation*> order;
  std::vector<bool> seen(static_cast<size_t>(next_computation_id_), false);
  std::vector<Frame> stack;
  auto enter = [&](HloComputation* computation) {
    if (seen[computation->id()]) return;
    seen[computation->id()] = true;
    stack.push_back({computation, computation->first(), computation->calling_count()});
  };
  auto walk = [&](HloComputation* root) {
    enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.left == 0) {
        order.push_back(top.computation);
        stack.pop_back();
        continue;
      }
      HloInstruction* caller = top.next;
      FetchAhead(caller);
      top.next = caller->next();
      const auto called = caller->called_computations();
      if (!called.empty()) --top.left;
      if (caller->opcode() == HloOpcode::kWhile) {  // XLA lists the body before the condition
        for (HloComputation* callee : called) enter(callee);
      } else {
        for (size_t i = called.size(); i-- > 0;) enter(called[i]);
      }
    }
  };
  for (HloComputation* computation : computations_) {
    if (computation->callers().empty()) walk(computation);
  }
  for (HloComputation* computation : computations_) walk(computation);  // computations that only call themselves
  if (reads_back && !ReadsBack(order)) return MakePostOrder();
  return order;
}

std::vector<const HloComputation*> HloModule::TextOrder(bool reads_back) const {
  const std::vector<HloComputation*> order = MakeTextOrder(reads_back);
  return {order.begin(), order.end()};
}

bool HloModule::PutInTextOrder() {
  bool changed = false;
  for (HloComputation* computation : computations_) {
    // A schedule is the order already.
    if (config_.is_scheduled && computation->fusion() == nullptr) continue;
    HloInstruction* at = computation->first();
    for (HloInstruction* i : computation->PostOrder()) {
      if (i == at) {
        at = at->next();
      } else {
        computation->MoveBefore(i, at);
        changed = true;
      }
    }
  }
  if (std::vector<HloComputation*> order = MakeTextOrder(/*reads_back=*/true); order != computations_) {
    computations_ = std::move(order);
    changed = true;
  }
  CallsEdited();
  // Names: callers first, and bodies of fusions after all others. Then an instruction that was copied into a body gets
  // another name, and the original keeps its own.
  NameIndex<HloInstruction, ReadName> taken;
  taken.Reset(static_cast<size_t>(instruction_count()));
  UniqueNamer namer;
  const auto claim = [&](HloInstruction* instruction, size_t hash) {
    if (taken.AddIfNew(instruction, hash)) return;
    changed = true;
    // The computation may choose another name than the requested one.
    namer.Next(NameRoot(instruction->name()), [&](std::string_view name) {
      const HloInstruction* other = taken.Find(name, [](const HloInstruction&) { return true; });
      const HloComputation& parent = *instruction->parent();
      if (other != nullptr && other->parent() != &parent && parent.FindInstruction(name) == nullptr) return true;
      instruction->set_name(name);
      return !taken.AddIfNew(instruction, taken.Fetch(ReadName()(*instruction)));
    });
  };
  // The table is larger than a cache: slots are prefetched some steps before the insertion.
  std::array<std::pair<HloInstruction*, size_t>, 16> waiting{};
  size_t next = 0;
  const auto queue = [&](HloInstruction* instruction, size_t hash) {
    auto& place = waiting[next++ % waiting.size()];
    if (place.first != nullptr) claim(place.first, place.second);
    place = {instruction, hash};
  };
  for (const bool bodies : {false, true}) {
    for (size_t k = computations_.size(); k-- > 0;) {
      if ((computations_[k]->fusion() != nullptr) != bodies) continue;
      for (HloInstruction* i : computations_[k]->AllInstructions()) {
        queue(i, taken.Fetch(ReadName()(*i)));
      }
    }
  }
  for (size_t k = 0; k < waiting.size(); ++k) queue(nullptr, 0);
  return changed;
}

}  // namespace hloir
