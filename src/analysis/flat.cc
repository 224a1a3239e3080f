// See flat.h.
#include "analysis/flat.h"

#include <functional>
#include <utility>

#include "hloir/printer.h"
#include "hloir/analysis.h"
#include "support/hash.h"

namespace hloir {
namespace {

uint64_t HashText(std::string_view text) { return std::hash<std::string_view>()(text); }

PrintOptions PlainOptions() {
  PrintOptions options;
  options.print_subcomputation_mode = PrintOptions::SubcomputationMode::kOff;
  options.print_metadata = false;
  options.print_original_value = false;
  options.print_backend_config = false;
  options.print_frontend_attributes = false;
  options.print_control_dependencies = false;
  options.print_operand_names = false;
  options.print_operand_index_annotation_interval = 0;
  options.include_layout_in_shapes = false;
  options.print_percent = false;
  return options;
}

// A computation that can be inlined for comparison: a fusion's body, or one that only calls call.
bool IsAsyncWrapper(const HloComputation& computation) {
  for (const HloInstruction* caller : computation.callers()) {
    const bool wraps = caller->opcode() == HloOpcode::kFusion || caller->opcode() == HloOpcode::kCall;
    if (!wraps || caller->called_computations().size() != 1 || caller->operand_count() != computation.parameter_count())
      return false;
  }
  return !computation.IsEntry() && !computation.callers().empty();
}

// The initial elements of a loop, if a tuple instruction defines them.
const HloInstruction* InitOf(const HloComputation& computation) {
  if (computation.callers().size() != 1 || computation.callers()[0]->opcode() != HloOpcode::kWhile) return nullptr;
  const HloInstruction* init = computation.callers()[0]->operand(0);
  return init->opcode() == HloOpcode::kTuple ? init : nullptr;
}

}  // namespace

std::string PlainText(const HloInstruction& instruction) {
  static const PrintOptions kOptions = PlainOptions();
  std::string text = PrintInstruction(instruction, kOptions);
  const size_t name_end = text.find(" = ");
  return name_end == std::string::npos ? text : text.substr(name_end + 3);
}

FlatModule::FlatModule(const HloModule& module)
    : node_of_id_(static_cast<size_t>(module.instruction_id_limit()), -1),
      inlined_(static_cast<size_t>(module.computation_id_limit())) {
  const std::vector<const HloComputation*> computations = module.PostOrder();
  for (const HloComputation* computation : computations) {
    for (const HloInstruction* i : computation->PostOrder()) {
      node_of_id_[static_cast<size_t>(i->id())] = static_cast<int32_t>(nodes_.size());
      nodes_.emplace_back().instruction = i;
    }
  }
  // A computation with several callers belongs to the first in printing order.
  for (auto it = computations.rbegin(); it != computations.rend(); ++it) {
    if ((*it)->calling_count() == 0) continue;
    for (const HloInstruction* i : (*it)->PostOrder()) {
      if (i->called_computations().size() != 1 || !IsAsyncWrapper(*i->to_apply())) continue;
      const HloInstruction*& caller = inlined_[static_cast<size_t>(i->to_apply()->id())];
      if (caller == nullptr) caller = i;
    }
  }
  // Callers first, so that a body's home is known from its caller's.
  std::vector<std::pair<const HloComputation*, const HloInstruction*>> around(inlined_.size());
  for (auto it = computations.rbegin(); it != computations.rend(); ++it) {
    const HloComputation& computation = **it;
    auto& [home, fusion] = around[static_cast<size_t>(computation.id())];
    if (const HloInstruction* caller = inlined_[static_cast<size_t>(computation.id())]) {
      std::tie(home, fusion) = around[static_cast<size_t>(caller->parent()->id())];
      if (caller->opcode() == HloOpcode::kFusion) fusion = caller;
    } else {
      home = &computation;
      homes_.push_back(&computation);
    }
    for (const HloInstruction* i = computation.first(); i != nullptr; i = i->next()) {
      Node& node = nodes_[static_cast<size_t>(NodeOf(*i))];
      node.home = home, node.fusion = fusion;
    }
  }
  for (Node& node : nodes_) {
    const HloInstruction& i = *node.instruction;
    node.looked_through =
        Source(i) != &i || (i.opcode() == HloOpcode::kTuple && i.IsRoot() && IsLookedThrough(*i.parent()));
    for (const HloInstruction* operand : i.operands()) node.operands.push_back(Resolve(*operand));
    if (i.opcode() == HloOpcode::kGetTupleElement && i.operand(0)->IsParameter() && !IsLookedThrough(*i.parent())) {
      const HloInstruction* init = InitOf(*i.parent());
      if (init != nullptr && i.tuple_index() < init->operand_count())
        node.start = Resolve(*init->operand(i.tuple_index()));
    }
  }
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].looked_through) continue;
    for (int32_t operand : nodes_[n].operands) {
      std::vector<int32_t>& users = nodes_[static_cast<size_t>(operand)].users;
      if (users.empty() || users.back() != static_cast<int32_t>(n)) users.push_back(static_cast<int32_t>(n));
    }
  }
  Order();
  Hash();
}

const HloInstruction* FlatModule::Source(const HloInstruction& instruction) const {
  // The elements still to be visited, the last first. Deeper nesting does not occur in practice.
  std::vector<const HloInstruction*> elements;
  const HloInstruction* at = &instruction;
  for (int steps = 0; steps < 4096; ++steps) {
    const HloInstruction* caller = inlined_[static_cast<size_t>(at->parent()->id())];
    if (at->opcode() == HloOpcode::kGetTupleElement) {
      elements.push_back(at);
      at = at->operand(0);
    } else if (at->called_computations().size() == 1 && IsWrapper(*at)) {
      at = at->to_apply()->root();
    } else if (at->IsParameter() && caller != nullptr) {
      at = caller->operand(at->parameter_number());
    } else if (at->opcode() == HloOpcode::kTuple && !elements.empty() &&
               elements.back()->tuple_index() < at->operand_count()) {
      at = at->operand(elements.back()->tuple_index());
      elements.pop_back();
    } else {
      return elements.empty() ? at : elements.front();
    }
  }
  return &instruction;
}

void FlatModule::Order() {
  std::vector<uint8_t> state(nodes_.size());  // 1: its operands are being placed, 2: placed
  std::vector<int32_t> stack;
  // No operand is in another home, so homes can be placed one by one.
  std::vector<std::vector<int32_t>> by_home(inlined_.size());
  for (size_t n = 0; n < nodes_.size(); ++n)
    by_home[static_cast<size_t>(nodes_[n].home->id())].push_back(static_cast<int32_t>(n));
  std::vector<int32_t> all;
  for (auto home = homes_.rbegin(); home != homes_.rend(); ++home) {
    const std::vector<int32_t>& nodes = by_home[static_cast<size_t>((*home)->id())];
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  for (const int32_t n : all) {
    stack.assign(1, n);
    while (!stack.empty()) {
      const size_t top = static_cast<size_t>(stack.back());
      if (state[top] == 0) {
        state[top] = 1;
        for (int32_t operand : nodes_[top].operands)
          if (state[static_cast<size_t>(operand)] == 0) stack.push_back(operand);
        continue;
      }
      stack.pop_back();
      if (state[top] == 1) order_.push_back(static_cast<int32_t>(top));
      state[top] = 2;
    }
  }
}

void FlatModule::Hash() {
  home_hashes_.resize(inlined_.size());
  for (int32_t n : order_) {
    Node& node = nodes_[static_cast<size_t>(n)];
    const HloInstruction& i = *node.instruction;
    node.own_plain = HashText(PlainText(i));
    if (i.IsConstant()) node.own_plain = Mix(node.own_plain, i.literal().Hash());
    node.own = Mix(node.own_plain, StructuralHash(i));
    node.value = node.own, node.value_plain = node.own_plain;
    // Parameters of a loop's body and of its condition are distinguished only by their callers.
    for (const HloComputation* callee : i.called_computations()) {
      const uint64_t hash = HashOf(*callee);
      node.value = Mix(node.value, hash);
      if (!i.Is(kControlFlow)) node.value_plain = Mix(node.value_plain, hash);
    }
    for (int32_t operand : node.operands) {
      node.value = Mix(node.value, nodes_[static_cast<size_t>(operand)].value);
      node.value_plain = Mix(node.value_plain, nodes_[static_cast<size_t>(operand)].value_plain);
    }
    // In whatever order they come.
    uint64_t& home = home_hashes_[static_cast<size_t>(node.home->id())];
    if (&i == node.home->root()) home += Mix(node.value, 1);
    if (!node.looked_through && node.users.empty()) home += node.value;
  }
}

}  // namespace hloir
