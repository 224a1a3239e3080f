// See expand.h. Tests: tests/ops/map*.hlo, tests/ops/reduce-*.hlo, tests/unit/executable_types_test.cc.
#include "plan/lower/expand.h"

#include <algorithm>
#include <unordered_map>

#include "hloir/builder.h"
#include "hloir/analysis/open_semantics.h"
#include "plan/lower/expand_ops.h"
#include "plan/steps/kernel_choice.h"

namespace hloir::cpu {
namespace {

using Op = HloInstruction*;
using Ops = std::vector<HloInstruction*>;

constexpr size_t kMaxOps = 64;  // of a computation that is written out again and again

// A computation on scalars that consists of elementwise ops and constants.
class ScalarBody {
 public:
  static std::unique_ptr<ScalarBody> Make(const HloComputation& computation, const KernelTable& kernels) {
    auto body = std::unique_ptr<ScalarBody>(new ScalarBody());
    body->order_ = computation.PostOrder();
    body->root_ = computation.root();
    if (body->order_.size() > kMaxOps) return nullptr;
    for (const HloInstruction* instruction : body->order_) {
      const HloOpcode opcode = instruction->opcode();
      TileType tile;
      if (opcode == HloOpcode::kTuple) {
        if (instruction != body->root_) return nullptr;
        continue;
      }
      const PrimitiveType type = instruction->shape().element_type();
      if (!instruction->shape().IsScalar() || IsComplex(type) || !TileTypeFor(type, &tile)) return nullptr;
      if (opcode == HloOpcode::kParameter || (opcode == HloOpcode::kConstant && !instruction->literal().elided()))
        continue;
      if (!LoopSupports(*instruction, kernels)) return nullptr;
    }
    return body;
  }

  // Sums of narrow floats depend on their order so much that XLA's is to be kept.
  bool RoundsNarrowFloats() const {
    for (const HloInstruction* x : order_) {
      if (x->shape().IsArray() && Narrow(x->shape().element_type()) && !x->IsParameter() && !x->IsConstant() &&
          x->opcode() != HloOpcode::kSelect && !KeepsPrecision(x->opcode())) {
        return true;
      }
    }
    return false;
  }

  // The computation on arrays of these dims, element by element.
  Ops Apply(HloBuilder& b, const DimVector& dims, const Ops& arguments) const {
    std::unordered_map<const HloInstruction*, Op> values;
    for (const HloInstruction* instruction : order_) {
      Op& value = values[instruction];
      switch (instruction->opcode()) {
        case HloOpcode::kTuple: break;
        case HloOpcode::kParameter: value = arguments[static_cast<size_t>(instruction->parameter_number())]; break;
        case HloOpcode::kConstant: value = b.Broadcast(b.Constant(Literal(instruction->literal())), dims, {}); break;
        default: {
          Ops operands;
          for (const HloInstruction* operand : instruction->operands()) operands.push_back(values[operand]);
          value = b.computation()->AddInstructionWithAttributes(instruction->opcode(),
                                                                Shape::Array(instruction->shape().element_type(), dims),
                                                                operands, instruction->attributes());
        }
      }
    }
    Ops results;
    if (root_->opcode() != HloOpcode::kTuple) return {values[root_]};
    for (const HloInstruction* element : root_->operands()) results.push_back(values[element]);
    return results;
  }

 private:
  std::vector<const HloInstruction*> order_;
  const HloInstruction* root_ = nullptr;
};

Ops Joined(Ops a, const Ops& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Neighbours are combined, in their order, until one element is left.
Ops Halve(HloBuilder& b, const ScalarBody& body, Ops xs, int64_t dimension) {
  std::vector<Ops> rest;
  auto slices = [&](int64_t begin, int64_t end, int64_t stride) {
    Ops parts;
    for (Op x : xs) {
      DimVector starts(x->shape().rank(), 0), limits = x->shape().dimensions(), strides(x->shape().rank(), 1);
      starts[dimension] = begin, limits[dimension] = end, strides[dimension] = stride;
      parts.push_back(b.Slice(x, starts, limits, strides));
    }
    return parts;
  };
  auto combine = [&](const Ops& low, const Ops& high) {
    return body.Apply(b, low[0]->shape().dimensions(), Joined(low, high));
  };
  for (int64_t size = xs[0]->shape().dimensions(dimension); size > 1 && b.status().ok(); size /= 2) {
    if (size % 2 == 1) rest.push_back(slices(size - 1, size, 1));
    xs = combine(slices(0, size / 2 * 2, 2), slices(1, size / 2 * 2, 2));
  }
  for (size_t i = rest.size(); i-- > 0;) xs = combine(xs, rest[i]);
  return xs;
}

Op Finished(HloBuilder& b, const Ops& results, const Shape& shape) {
  return shape.IsTuple() ? b.Tuple(results) : results[0];
}

bool ExpandReduce(HloBuilder& b, const HloInstruction& reduce, const ScalarBody& body, const Ops& parameters) {
  const size_t n = parameters.size() / 2;
  Ops xs(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(n));
  DimVector kept;
  const DimVector dims = xs[0]->shape().dimensions();
  const DimVector& reduced = reduce.dimensions();
  auto is_reduced = [&](int64_t d) { return std::find(reduced.begin(), reduced.end(), d) != reduced.end(); };
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d)
    if (!is_reduced(d)) kept.push_back(dims[d]);
  // Elements stay in row-major order if the innermost dimensions go first.
  for (int64_t d = static_cast<int64_t>(dims.size()); d-- > 0 && b.status().ok();) {
    if (is_reduced(d)) xs = Halve(b, body, std::move(xs), d);
  }
  if (!b.status().ok()) return false;
  Ops arguments;
  for (size_t k = 0; k < n; ++k) arguments.push_back(b.Broadcast(parameters[n + k], kept, {}));
  for (Op x : xs) arguments.push_back(b.Reshape(x, kept));
  return b.status().ok() && b.BuildEntry(Finished(b, body.Apply(b, kept, arguments), reduce.shape())).ok();
}

}  // namespace

std::unique_ptr<HloModule> Expand(const HloInstruction& instruction, const KernelTable& kernels) {
  const bool map = instruction.opcode() == HloOpcode::kMap;
  if (auto expanded = map ? nullptr : ExpandOp(instruction)) return expanded;
  if (!map && instruction.opcode() != HloOpcode::kReduce) return nullptr;
  const size_t n = static_cast<size_t>(instruction.operand_count()) / 2;
  for (const HloInstruction* operand : instruction.operands()) {
    if (!operand->shape().IsArray() || (operand->shape().ElementCount() == 0)) return nullptr;
  }
  const HloComputation& called = *instruction.to_apply();
  auto body = ScalarBody::Make(called, kernels);
  if (body == nullptr || instruction.operand_count() == 0) return nullptr;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    if (i >= called.parameter_count() ||
        called.parameter(i)->shape().element_type() !=
            instruction.operand(map ? i : i % static_cast<int64_t>(n))->shape().element_type()) {
      return nullptr;
    }
  }
  if (!map && (body->RoundsNarrowFloats() || !IsAssociative(called))) return nullptr;
  auto module = std::make_unique<HloModule>("expanded");
  HloBuilder b(*module, "entry");
  Ops parameters;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    parameters.push_back(b.Parameter(
        i, Shape::Array(instruction.operand(i)->shape().element_type(), instruction.operand(i)->shape().dimensions())));
  }
  bool done;
  if (map) done = b.BuildEntry(body->Apply(b, instruction.shape().dimensions(), parameters)[0]).ok();
  else done = ExpandReduce(b, instruction, *body, parameters);
  return done ? std::move(module) : nullptr;
}

}  // namespace hloir::cpu
