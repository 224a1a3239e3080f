// See expand.h. Tests: tests/ops/map*.hlo, tests/ops/reduce-*.hlo, tests/unit/executable_types_test.cc.
#include "plan/lower/expand.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "hloir/builder.h"
#include "analysis/open_semantics.h"
#include "plan/lower/expand_ops.h"
#include "plan/capability/kernel_choice.h"

namespace hloir::cpu {
namespace {

using Op = HloInstruction*;
using Ops = std::vector<HloInstruction*>;

constexpr size_t kMaxOps = 64;  // of a computation that is expanded repeatedly

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

  // Sums of narrow floats keep XLA's order, on which they depend strongly.
  bool RoundsNarrowFloats() const {
    for (const HloInstruction* x : order_) {
      if (x->shape().IsArray() && Narrow(x->shape().element_type()) && !x->IsParameter() && !x->IsConstant() &&
          x->opcode() != HloOpcode::kSelect && !KeepsPrecision(x->opcode())) {
        return true;
      }
    }
    return false;
  }

  // The computation applied elementwise to arrays of these dims.
  Ops Apply(HloBuilder& b, const DimVector& dims, const Ops& arguments) const {
    std::unordered_map<const HloInstruction*, Op> values;
    for (const HloInstruction* instruction : order_) {
      Op& value = values[instruction];
      switch (instruction->opcode()) {
        case HloOpcode::kTuple: break;
        case HloOpcode::kParameter: value = arguments[static_cast<size_t>(instruction->parameter_number())]; break;
        case HloOpcode::kConstant: value = b.Broadcast(b.Constant(Literal(instruction->literal())), dims, {}); break;
        default: {  // elementwise, as the caller has checked
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

// Combines adjacent elements, in order, until one element is left.
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

// True for an array of numbers that increase by one along dimension d without wrap-around.
bool RisesAlong(const HloInstruction* x, int64_t d) {
  while (x->opcode() == HloOpcode::kBroadcast) {
    const DimVector& dims = x->dimensions();
    const auto at = std::find(dims.begin(), dims.end(), d);
    if (at == dims.end()) return false;
    d = at - dims.begin(), x = x->operand(0);
  }
  if (x->opcode() != HloOpcode::kIota || x->attributes<IotaAttributes>().iota_dimension != d) return false;
  const int64_t bits = BitWidth(x->shape().element_type()) - (IsSigned(x->shape().element_type()) ? 1 : 0);
  return bits >= 63 || x->shape().dimensions(d) <= int64_t{1} << bits;
}

// Argmax and argmin: the extreme value, then its smallest index, with vector operations.
bool ExpandArgExtreme(HloBuilder& b, const HloInstruction& reduce, const ScalarBody& body, const Ops& parameters) {
  if (parameters.size() != 4 || reduce.dimensions().size() != 1) return false;
  const int64_t along = reduce.dimensions()[0];
  if (!RisesAlong(reduce.operand(1), along)) return false;
  const std::optional<ArgExtreme> kind = FindArgExtreme(*reduce.to_apply());
  if (!kind) return false;
  // Narrow floats are compared in the type of their registers.
  const PrimitiveType narrow = parameters[0]->shape().element_type();
  const Op x = Narrow(narrow) ? b.Convert(parameters[0], PrimitiveType::F32) : parameters[0], index = parameters[1];
  const PrimitiveType type = x->shape().element_type(), index_type = index->shape().element_type();
  DimVector kept, all;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (d == along) continue;
    kept.push_back(x->shape().dimensions(d));
    all.push_back(d);
  }
  const DimVector& dims = x->shape().dimensions();
  const auto fold = [&](Op what, bool largest) {
    const PrimitiveType t = what->shape().element_type();
    const HloOpcode op = largest ? HloOpcode::kMaximum : HloOpcode::kMinimum;
    const Op start = b.Constant(largest ? Literal::MinValue(t) : Literal::MaxValue(t));
    return b.Reduce(what, start, {along}, MakeReducer(b.module(), op, t));
  };
  const auto wide = [&](Op what) { return b.Broadcast(what, dims, all); };
  const auto full = [&](const Literal& value) { return b.Broadcast(b.Constant(Literal(value)), dims, {}); };
  const Op extreme = fold(x, kind->largest);
  // A NaN is the extreme value, but compares unequal to itself.
  Op hit = b.Compare(x, wide(extreme), ComparisonDirection::kEq);
  if (IsFloat(type)) hit = b.Or(hit, b.Compare(x, x, ComparisonDirection::kNe));
  const Op first = fold(b.Select(hit, index, full(Literal::MaxValue(index_type))), false);
  Op value = extreme;
  if (IsFloat(type) && kind->zero != ArgExtreme::Zero::kExtreme) {
    const Op which = kind->zero == ArgExtreme::Zero::kFirst
                         ? first
                         : fold(b.Select(hit, index, full(Literal::MinValue(index_type))), true);
    const Op here = b.Compare(index, wide(which), ComparisonDirection::kEq);
    value =
        fold(b.Select(here, x, full(kind->largest ? Literal::MinValue(type) : Literal::MaxValue(type))), kind->largest);
  }
  // The initial values come first. The index does not depend on the sign of a zero, so it does not use `value`.
  const auto combine = [&](Op with) {
    if (Narrow(narrow)) with = b.Convert(with, narrow);
    return body.Apply(b, kept,
                      {b.Broadcast(parameters[2], kept, {}), b.Broadcast(parameters[3], kept, {}), with, first});
  };
  const Op best = combine(value)[0], place = combine(extreme)[1];
  if (!b.status().ok()) return false;
  return b.BuildEntry(Finished(b, {best, place}, reduce.shape())).ok();
}

// The extreme of narrow floats: that of wider ones, which needs no rounding.
bool ExpandNarrowExtreme(HloBuilder& b, const HloInstruction& reduce, const Ops& parameters) {
  const std::optional<BinaryOp> op = ReducerOp(*reduce.to_apply());
  const PrimitiveType narrow = parameters[0]->shape().element_type(), wide = PrimitiveType::F32;
  ReduceShape shape;
  if (parameters.size() != 2 || !Narrow(narrow) || (op != BinaryOp::kMaximum && op != BinaryOp::kMinimum) ||
      reduce.to_apply()->root()->shape().element_type() != narrow || !ReduceShapeOf(reduce, &shape))
    return false;
  HloComputation* extreme =
      MakeReducer(b.module(), op == BinaryOp::kMaximum ? HloOpcode::kMaximum : HloOpcode::kMinimum, wide);
  const Op found =
      b.Reduce(b.Convert(parameters[0], wide), b.Convert(parameters[1], wide), reduce.dimensions(), extreme);
  return b.BuildEntry(b.Convert(found, narrow)).ok();
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
  else
    done = ExpandNarrowExtreme(b, instruction, parameters) || ExpandArgExtreme(b, instruction, *body, parameters) ||
           ExpandReduce(b, instruction, *body, parameters);
  return done ? std::move(module) : nullptr;
}

}  // namespace hloir::cpu
