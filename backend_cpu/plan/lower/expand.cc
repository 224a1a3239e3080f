// See expand.h. Tests: tests/ops/map*.hlo, tests/ops/reduce-*.hlo, tests/unit/executable_types_test.cc.
#include "plan/lower/expand.h"

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>

#include "hloir/builder.h"
#include "plan/lower/expand_ops.h"
#include "plan/loops/loop_ops.h"

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
    body->order_ = computation.MakeInstructionPostOrder();
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
          // Attributes stay in the original's module, which outlives this one.
          value = b.computation()->AddInstructionWithAttributes(instruction->opcode(),
                                                                Shape::Array(instruction->shape().element_type(), dims),
                                                                operands, instruction->attributes_variant());
        }
      }
    }
    Ops results;
    if (root_->opcode() != HloOpcode::kTuple) return {values[root_]};
    for (const HloInstruction* element : root_->operands()) results.push_back(values[element]);
    return results;
  }

 private:
  std::vector<HloInstruction*> order_;
  const HloInstruction* root_ = nullptr;
};

Ops Joined(Ops a, const Ops& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Whether operands may be grouped anyhow, going by all triples of a few elements with ties and NaNs among them. (Small
// numbers: of those also floats' sums are exact.)
bool Associates(const ScalarBody& body, std::span<const PrimitiveType> types, const HloEvaluator& evaluator) {
  constexpr int kSamples = 5, kTriples = kSamples * kSamples * kSamples;
  // The first array has two equal elements and two NaNs, the others tell all apart.
  constexpr int kFirst[kSamples] = {1, 2, 2, -1, -1}, kOther[kSamples] = {2, 3, 1, 4, 0};
  HloModule module("associates");
  HloBuilder b(module, "entry");
  Ops sides[3];
  std::vector<Literal> inputs;
  for (int side = 0, period = 1; side < 3; ++side, period *= kSamples) {
    for (size_t k = 0; k < types.size(); ++k) {
      const Shape shape = Shape::Array(types[k], {kTriples});
      sides[side].push_back(b.Parameter(static_cast<int64_t>(inputs.size()), shape));
      Literal& literal = inputs.emplace_back(shape);
      for (int i = 0; i < kTriples; ++i) {
        const int sample = i / period % kSamples, number = k == 0 ? kFirst[sample] : kOther[sample];
        if (IsFloat(types[k])) literal.SetFromDouble(i, number < 0 ? std::numeric_limits<double>::quiet_NaN() : number);
        else literal.SetFromInt64(i, types[k] == PrimitiveType::PRED ? number & 1 : number);
      }
    }
  }
  auto combine = [&](const Ops& low, const Ops& high) { return body.Apply(b, {kTriples}, Joined(low, high)); };
  const Ops left = combine(combine(sides[0], sides[1]), sides[2]),
            right = combine(sides[0], combine(sides[1], sides[2]));
  auto entry = b.BuildEntry(b.Tuple(Joined(left, right)));
  if (!entry.ok()) return false;
  std::vector<const Literal*> arguments;
  for (const Literal& literal : inputs) arguments.push_back(&literal);
  auto value = evaluator.EvaluateComputation(**entry, arguments);
  if (!value.ok()) return false;
  for (size_t k = 0; k < left.size(); ++k) {
    if (!value->elements()[k].BitwiseEqual(value->elements()[left.size() + k])) return false;
  }
  return true;
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

std::unique_ptr<HloModule> Expand(const HloInstruction& instruction, const HloEvaluator& evaluator,
                                  const KernelTable& kernels) {
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
  if (!map) {
    std::vector<PrimitiveType> types;
    for (size_t k = 0; k < n; ++k) types.push_back(called.parameter(static_cast<int64_t>(k))->shape().element_type());
    if (body->RoundsNarrowFloats() || !Associates(*body, types, evaluator)) return nullptr;
  }
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
