// See graph.h.
#include "proof_check/graph.h"

#include <charconv>
#include <utility>

#include "hloir/custom_call.h"
#include "support/format.h"

namespace hloir::proof_check {
namespace {

constexpr int kMostCalls = 64;
constexpr size_t kMostOps = 1 << 20;

// Returns whether an operation, or one that it calls, has a side effect or is non-deterministic.
bool ActsOrDiffers(const HloInstruction& i, std::unordered_map<const HloComputation*, bool>& known) {
  if (i.Is(kImpure) || i.Is(kSideEffect) || (i.opcode() == HloOpcode::kCustomCall && i.HasSideEffect())) return true;
  for (const HloComputation* called : i.called_computations()) {
    const auto [found, added] = known.try_emplace(called, false);
    if (added) {
      bool acts = false;
      for (const HloInstruction* inside : called->AllInstructions()) acts = acts || ActsOrDiffers(*inside, known);
      known[called] = acts;
    }
    if (known[called]) return true;
  }
  return false;
}

}  // namespace

bool PassesOn(const HloInstruction& loop, int64_t k) {
  const HloInstruction& root = *loop.while_body()->root();
  if (root.opcode() != HloOpcode::kTuple || !loop.shape().tuple_shapes(k).IsArray()) return false;
  const HloInstruction& next = *root.operand(k);
  return next.opcode() == HloOpcode::kGetTupleElement && next.tuple_index() == k && next.operand(0)->IsParameter();
}

StatusOr<Graph> Graph::Make(const HloComputation& computation) {
  Graph graph;
  std::vector<std::vector<ValueId>> arguments;
  for (const HloInstruction* parameter : computation.parameters()) {
    arguments.push_back(graph.AddOp(*parameter, {}, std::string(parameter->name())));
    graph.parameters_.insert(graph.parameters_.end(), arguments.back().begin(), arguments.back().end());
  }
  HLOIR_RETURN_IF_ERROR(graph.Add(computation, arguments, "", 0, graph.results_));
  return graph;
}

std::vector<ValueId> Graph::AddOp(const HloInstruction& i, std::vector<std::vector<ValueId>> operands,
                                  std::string name) {
  Op op{&i, std::move(operands), value_count(), i.shape().Leaves(), std::move(name)};
  std::vector<ValueId> values;
  for (size_t k = 0; k < op.shapes.size(); ++k) {
    values.push_back(value_count());
    op_of_.push_back(static_cast<int32_t>(ops_.size()));
  }
  if (ActsOrDiffers(i, acts_)) effects_.push_back(static_cast<int32_t>(ops_.size()));
  ops_.push_back(std::move(op));
  return values;
}

Status Graph::Add(const HloComputation& computation, const std::vector<std::vector<ValueId>>& arguments,
                  const std::string& path, int depth, std::vector<ValueId>& results) {
  if (depth > kMostCalls) return Unimplemented("calls are nested too deeply");
  std::unordered_map<const HloInstruction*, std::vector<ValueId>> values;
  for (const HloInstruction* i : computation.PostOrder()) {
    if (ops_.size() > kMostOps) return ResourceExhausted("too many instructions");
    std::vector<std::vector<ValueId>> operands;
    for (const HloInstruction* operand : i->operands()) operands.push_back(values[operand]);
    std::string name = path + std::string(i->name());
    std::vector<ValueId> value;
    switch (i->opcode()) {
      using enum HloOpcode;
      case kParameter: value = arguments[static_cast<size_t>(i->parameter_number())]; break;
      case kTuple:
        for (const std::vector<ValueId>& operand : operands) value.insert(value.end(), operand.begin(), operand.end());
        break;
      case kGetTupleElement: {
        size_t first = 0;
        for (int64_t k = 0; k < i->tuple_index(); ++k) first += i->operand(0)->shape().tuple_shapes(k).Leaves().size();
        const auto begin = operands[0].begin() + static_cast<std::ptrdiff_t>(first);
        value.assign(begin, begin + static_cast<std::ptrdiff_t>(i->shape().Leaves().size()));
        break;
      }
      case kCopy:
      case kOptimizationBarrier:
      case kDomain:
      case kAddDependency: value = operands[0]; break;
      case kCopyDone: value = {operands[0][0]}; break;
      case kCopyStart: value = {operands[0][0], operands[0][0], AddOp(*i, operands, name)[2]}; break;
      case kCall:
      case kFusion:
        HLOIR_RETURN_IF_ERROR(Add(*i->called_computation(0), operands, name + "/", depth + 1, value));
        break;
      case kCustomCall:
        // Targets that only annotate their operands.
        for (int64_t k = 0; k < ForwardedOperands(*i); ++k) {
          const std::vector<ValueId>& operand = operands[static_cast<size_t>(k)];
          value.insert(value.end(), operand.begin(), operand.end());
        }
        if (!value.empty() && value.size() == i->shape().Leaves().size()) break;
        value = AddOp(*i, std::move(operands), name);
        break;
      // Any other operation has its own values.
      default: value = AddOp(*i, std::move(operands), name); break;
    }
    by_name_[name] = value;
    read_.push_back({i, value});
    // A value that no turn of a loop changes is what the loop began with.
    for (size_t k = 0; i->opcode() == HloOpcode::kWhile && k < value.size(); ++k) {
      const bool flat = static_cast<int64_t>(value.size()) == i->shape().tuple_size();
      if (flat && PassesOn(*i, static_cast<int64_t>(k))) value[k] = ops_.back().operands[0][k];
    }
    values[i] = std::move(value);
  }
  results = values[computation.root()];
  return OkStatus();
}

std::string Graph::NameOf(ValueId value) const {
  const Op& op = OpOf(value);
  return op.shapes.size() == 1 ? op.name : Format("{}#{}", op.name, value - op.first);
}

ValueId Graph::Find(std::string_view name) const {
  size_t part = 0;
  if (const size_t hash = name.rfind('#'); hash != std::string_view::npos) {
    const std::string_view number = name.substr(hash + 1);
    if (std::from_chars(number.data(), number.data() + number.size(), part).ec != std::errc()) return -1;
    name = name.substr(0, hash);
  }
  const auto found = by_name_.find(std::string(name));
  return found != by_name_.end() && part < found->second.size() ? found->second[part] : -1;
}

}  // namespace hloir::proof_check
