// See open_semantics.h. associativity.cc proves the properties of a reducer.
#include "analysis/open_semantics.h"

#include <vector>

#include "analysis/associativity.h"
#include "support/format.h"

namespace hloir {
namespace {

constexpr int kMaxSteps = 64;  // maximal distance from a reduction to the constant of its initial value

// The constant of an array of equal elements, searched through parameters of fusions and calls.
const Literal* SplatConstant(const HloInstruction* value) {
  for (int step = 0; step < kMaxSteps; ++step) {
    switch (value->opcode()) {
      case HloOpcode::kConstant:
        return value->shape().IsArray() && value->literal().element_count() == 1 ? &value->literal() : nullptr;
      case HloOpcode::kBroadcast:
      case HloOpcode::kConvert:
      case HloOpcode::kCopy:
      case HloOpcode::kReshape: value = value->operand(0); break;
      case HloOpcode::kParameter: {
        const auto callers = value->parent()->callers();
        if (callers.size() != 1) return nullptr;
        const HloOpcode opcode = callers[0]->opcode();
        if (opcode != HloOpcode::kFusion && opcode != HloOpcode::kCall) return nullptr;
        value = callers[0]->operand(value->parameter_number());
        break;
      }
      default: return nullptr;  // unknown origin
    }
  }
  return nullptr;
}

// The reducer and the initial values; none for instructions other than reductions.
const HloComputation* ReducerOf(const HloInstruction& instruction, std::vector<const HloInstruction*>* initial) {
  switch (instruction.opcode()) {
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
      for (int64_t i = instruction.operand_count() / 2; i < instruction.operand_count(); ++i)
        initial->push_back(instruction.operand(i));
      return instruction.to_apply();
    case HloOpcode::kAllReduce:
    case HloOpcode::kAllReduceStart:
    case HloOpcode::kReduceScatter: return instruction.to_apply();
    case HloOpcode::kScatter:
      return instruction.attributes<ScatterAttributes>().unique_indices ? nullptr : instruction.to_apply();
    case HloOpcode::kSelectAndScatter:
      initial->push_back(instruction.operand(2));
      return instruction.called_computations()[1];
    default: return nullptr;  // no reducer
  }
}

std::string WhatIsOpen(const HloInstruction& instruction) {
  std::vector<const HloInstruction*> initial;
  const HloComputation* reducer = ReducerOf(instruction, &initial);
  if (reducer == nullptr) return "";
  const ReducerClass kind = ClassifyReducer(*reducer);
  if (kind == ReducerClass::kUnknown) return Format("its reducer {} is not known to be associative", reducer->name());
  if (kind == ReducerClass::kIdempotent || initial.empty()) return "";
  std::vector<const Literal*> values;
  for (const HloInstruction* operand : initial) values.push_back(SplatConstant(operand));
  if (IsNeutral(*reducer, values)) return "";
  return Format("its initial value is not known to be neutral for its reducer {}", reducer->name());
}

}  // namespace

bool IsAssociative(const HloComputation& reducer) { return ClassifyReducer(reducer) != ReducerClass::kUnknown; }

std::vector<OpenSemantics> FindAllOpenSemantics(const HloModule& module) {
  std::vector<OpenSemantics> all;
  for (const HloInstruction* i : module.AllInstructions()) {
    if (std::string reason = WhatIsOpen(*i); !reason.empty()) all.push_back({i, std::move(reason)});
  }
  return all;
}

std::optional<OpenSemantics> FindOpenSemantics(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions()) {
    if (std::string reason = WhatIsOpen(*i); !reason.empty()) return OpenSemantics{i, reason};
  }
  return std::nullopt;
}

}  // namespace hloir
