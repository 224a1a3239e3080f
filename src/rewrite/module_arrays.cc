// See rewrite/module_arrays.h.
#include "rewrite/module_arrays.h"

#include <algorithm>
#include <cmath>

namespace hloir {
namespace {

// log2(1 + x). With a table for small whole numbers.
float Log(double x) {
  constexpr size_t kKnown = 4096;
  static const std::vector<float> known = [] {
    std::vector<float> logs;
    for (size_t k = 0; k < kKnown; ++k) logs.push_back(static_cast<float>(std::log2(1 + static_cast<double>(k))));
    return logs;
  }();
  const bool small = x >= 0 && x < static_cast<double>(kKnown);
  if (small && static_cast<double>(static_cast<size_t>(x)) == x) return known[static_cast<size_t>(x)];
  return static_cast<float>(std::log2(1 + x));
}

// Elements and bytes of all arrays in it.
void Measure(const Shape& shape, double& elements, double& bytes) {
  if (shape.IsArray()) {
    elements += static_cast<double>(shape.ElementCount());
    bytes += static_cast<double>(shape.ByteSize());
    return;
  }
  for (const Shape* leaf : shape.Leaves()) {
    if (!leaf->IsArray()) continue;
    elements += static_cast<double>(leaf->ElementCount());
    bytes += static_cast<double>(leaf->ByteSize());
  }
}

// In the order of kFeatures.
void AppendFeatures(const HloInstruction& i, const Cost& cost, bool in_entry, bool in_fusion,
                    std::vector<float>& features) {
  const Shape& shape = i.shape();
  double elements = 0, bytes = 0;
  Measure(shape, elements, bytes);
  const int64_t rank = shape.IsArray() ? shape.rank() : 0;
  const auto size = [&](int64_t from_last) {
    return from_last < rank ? Log(static_cast<double>(shape.dimensions(rank - 1 - from_last))) : 0.0f;
  };
  const auto flag = [](bool yes) { return yes ? 1.0f : 0.0f; };
  const float row[] = {Log(elements),
                       Log(bytes),
                       static_cast<float>(rank),
                       size(0),
                       size(1),
                       size(2),
                       size(3),
                       flag(shape.IsTuple()),
                       flag(i.IsRoot()),
                       flag(in_entry),
                       flag(in_fusion),
                       Log(static_cast<double>(i.operand_count())),
                       Log(static_cast<double>(i.user_count())),
                       Log(cost.flops),
                       Log(cost.transcendentals),
                       Log(cost.bytes),
                       flag(i.Is(kElementwise))};
  static_assert(std::size(row) == ModuleArrays::kFeatures.size());
  features.insert(features.end(), std::begin(row), std::end(row));
}

}  // namespace

void ModuleArrays::AddEdge(const HloInstruction& from, int32_t to, EdgeKind kind, int32_t slot) {
  sources.push_back(node_of_[static_cast<size_t>(from.id())]);
  targets.push_back(to);
  kinds.push_back(kind);
  slots.push_back(slot);
}

void ModuleArrays::Fill(const HloModule& module, const CostAnalysis& cost) {
  std::vector<CostResult> costs(static_cast<size_t>(module.instruction_id_limit()));
  for (const HloInstruction* i : module.AllInstructions()) costs[static_cast<size_t>(i->id())] = cost.Of(*i);
  Fill(module, costs);
}

void ModuleArrays::Fill(const HloModule& module, std::span<const CostResult> costs) {
  for (std::vector<int32_t>* each :
       {&opcodes, &element_types, &computations, &offsets, &sources, &targets, &kinds, &slots})
    each->clear();
  nodes.clear();
  features.clear();
  node_of_.assign(static_cast<size_t>(module.instruction_id_limit()), -1);
  for (const HloComputation* computation : module.computations()) {
    const bool in_entry = computation->IsEntry(), in_fusion = computation->fusion() != nullptr;
    for (const HloInstruction* i = computation->first(); i != nullptr; i = i->next()) {
      node_of_[static_cast<size_t>(i->id())] = static_cast<int32_t>(nodes.size());
      nodes.push_back(i);
      opcodes.push_back(static_cast<int32_t>(i->opcode()));
      element_types.push_back(static_cast<int32_t>(i->shape().element_type()));
      computations.push_back(computation->id());
      AppendFeatures(*i, costs[static_cast<size_t>(i->id())].once, in_entry, in_fusion, features);
    }
  }
  offsets.push_back(0);
  for (int32_t node = 0; node < static_cast<int32_t>(nodes.size()); ++node) {
    const HloInstruction& i = *nodes[static_cast<size_t>(node)];
    for (int32_t k = 0; k < i.operand_count(); ++k) AddEdge(*i.operand(k), node, kOperand, k);
    for (size_t k = 0; k < i.called_computations().size(); ++k)
      AddEdge(*i.called_computations()[k]->root(), node, kCalled, static_cast<int32_t>(k));
    if (i.IsParameter()) {
      for (const HloInstruction* caller : i.parent()->callers())
        AddEdge(*caller, node, kArgument, static_cast<int32_t>(i.parameter_number()));
    }
    for (const HloInstruction* predecessor : i.control_predecessors()) AddEdge(*predecessor, node, kControl, 0);
    offsets.push_back(static_cast<int32_t>(sources.size()));
  }
}

}  // namespace hloir
