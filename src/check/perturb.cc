// PerturbModule(), FlushFactors() and MoveRoundings(): a module that rounds otherwise. Covered by
// tests/unit/check_test.cc.
#include <cmath>
#include <complex>
#include <vector>

#include "check/rounding.h"
#include "check/subject.h"

namespace hloir::check {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 22;  // of one result; larger ones are left as they are

// How much is moved, and whether c128 stands for double-double.
struct Move {
  double size;
  bool pairs;
};

// Factors for a result: 1 and a random part of `size`, up or down, never nothing. Of large results one pattern is
// repeated along the leading dimensions.
HloInstruction* AddFactors(HloComputation* computation, const Shape& shape, uint64_t pattern, const Move& move) {
  constexpr int64_t kMaxFactors = 4096;
  int64_t count = 1, first = shape.rank();
  while (first > 0 && count * shape.dimensions(first - 1) <= kMaxFactors) count *= shape.dimensions(--first);
  DimVector tail, places;
  for (int64_t d = first; d < shape.rank(); ++d) tail.push_back(shape.dimensions(d)), places.push_back(d);
  Literal factors(Shape::Array(shape.element_type(), tail));
  for (int64_t i = 0; i < factors.element_count(); ++i) {
    uint64_t bits = (static_cast<uint64_t>(i) + 1) * 0x9E3779B97F4A7C15 + pattern * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 29)) * 0x94D049BB133111EB;
    const double part = 0.25 + 0.75 * static_cast<double>(bits >> 11 & 0xFFFFFFFF) * 0x1p-32;
    const double by = ((bits >> 63) != 0 ? part : -part) * move.size;
    if (move.pairs) factors.data<std::complex<double>>()[static_cast<size_t>(i)] = {1, by};
    else factors.SetFromDouble(i, 1 + by);
  }
  HloInstruction* constant = computation->AddConstant(std::move(factors));
  if (first == 0) return constant;
  DimensionsAttributes dimensions;
  dimensions.dimensions = places;
  return computation->AddInstruction(HloOpcode::kBroadcast, Shape::Array(shape.element_type(), shape.dimensions()),
                                     {constant}, dimensions);
}

HloInstruction* AddMoved(HloInstruction* i, uint64_t pattern, const Move& move) {
  HloComputation* computation = i->parent();
  return computation->AddInstruction(HloOpcode::kMultiply, i->shape(),
                                     {i, AddFactors(computation, i->shape(), pattern, move)});
}

// The operand whose elements `i` adds up; -1: none.
int64_t Summed(const HloInstruction& i) {
  switch (i.opcode()) {
    case HloOpcode::kDot:
    case HloOpcode::kConvolution:
    case HloOpcode::kReduce:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kAllReduce:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kFft:
    case HloOpcode::kCholesky:
    case HloOpcode::kTriangularSolve: return 0;
    case HloOpcode::kSelectAndScatter: return 1;
    case HloOpcode::kScatter: return 2;
    default: return -1;
  }
}

bool IsWide(const Shape& shape) {
  return shape.IsArray() && shape.IsStatic() && shape.ElementCount() > 0 &&
         (shape.element_type() == PrimitiveType::F64 || shape.element_type() == PrimitiveType::C128);
}

}  // namespace

std::unique_ptr<HloModule> PerturbModule(const HloModule& module, uint64_t pattern) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  for (HloComputation* computation : ComputationsThatRunOnce(*copy)) {
    for (HloInstruction* i : computation->instructions()) {
      if (!Rounds(*i) || !i->shape().IsStatic() || i->shape().ElementCount() > kMaxElements) continue;
      Literal factors(Shape::Array(i->shape().element_type(), i->shape().dimensions()));
      FillWithNearlyOne(factors, pattern + static_cast<uint64_t>(i->id()) * 7919);
      const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
      const bool was_root = i->IsRoot();
      HloInstruction* moved = computation->AddInstruction(HloOpcode::kMultiply, i->shape(),
                                                          {i, computation->AddConstant(std::move(factors))});
      for (HloInstruction* user : users) i->ReplaceUseWith(user, moved);
      if (was_root) computation->set_root(moved);
    }
  }
  return copy;
}

std::unique_ptr<HloModule> FlushFactors(const HloModule& module) {
  std::unique_ptr<HloModule> copy = module.Clone();
  copy->config().is_scheduled = false;
  bool any = false;
  const double smallest = std::ldexp(1.0, 1 - GetFloatFormat(PrimitiveType::BF16).bias);
  for (HloComputation* computation : ComputationsThatRunOnce(*copy)) {
    for (HloInstruction* i : computation->instructions()) {
      if (i->opcode() != HloOpcode::kDot && i->opcode() != HloOpcode::kConvolution) continue;
      for (int64_t k = 0; k < 2; ++k) {
        HloInstruction* factor = i->operand(k);
        const Shape& shape = factor->shape();
        if (shape.element_type() != PrimitiveType::BF16 || !shape.IsStatic()) continue;
        const auto splat = [&](double value) {
          HloInstruction* scalar = computation->AddConstant(Literal::Scalar(PrimitiveType::BF16, value));
          return computation->AddInstruction(HloOpcode::kBroadcast, shape, {scalar}, DimensionsAttributes());
        };
        CompareAttributes less;
        less.direction = ComparisonDirection::kLt;
        HloInstruction* size = computation->AddInstruction(HloOpcode::kAbs, shape, {factor});
        HloInstruction* tiny = computation->AddInstruction(
            HloOpcode::kCompare, shape.WithElementType(PrimitiveType::PRED), {size, splat(smallest)}, less);
        i->ReplaceOperandWith(k, computation->AddInstruction(HloOpcode::kSelect, shape, {tiny, splat(0), factor}));
        any = true;
      }
    }
  }
  return any ? std::move(copy) : nullptr;
}

void MoveRoundings(HloModule& ideal, uint64_t pattern, double size, bool exact_too, bool pairs) {
  const Move move{size, pairs};
  for (HloComputation* computation : ComputationsThatRunOnce(ideal)) {
    for (HloInstruction* i : computation->instructions()) {
      if (!Rounds(*i) || !IsWide(i->shape())) continue;
      const uint64_t own = pattern * 1000003 + static_cast<uint64_t>(i->id()) * 7919;
      const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
      const bool was_root = i->IsRoot();
      HloInstruction* source = i;
      if (const int64_t summed = Summed(*i);
          summed >= 0 && summed < i->operand_count() && IsWide(i->operand(summed)->shape())) {
        std::vector<HloInstruction*> operands(i->operands().begin(), i->operands().end());
        operands[static_cast<size_t>(summed)] = AddMoved(i->operand(summed), own + 1, move);
        source = computation->AddClone(*i, operands);
      }
      HloInstruction* moved = AddMoved(source, own, move);
      if (!exact_too && (pairs || i->shape().element_type() == PrimitiveType::F64)) {
        // What has no more digits than f32 (of pairs: f64) came about without rounding: sums and products of whole
        // numbers.
        HloInstruction* few = computation->AddInstruction(
            HloOpcode::kConvert, i->shape().WithElementType(pairs ? PrimitiveType::F64 : PrimitiveType::F32), {i});
        HloInstruction* again = computation->AddInstruction(HloOpcode::kConvert, i->shape(), {few});
        HloInstruction* exact = computation->AddInstruction(
            HloOpcode::kCompare, i->shape().WithElementType(PrimitiveType::PRED), {again, i}, CompareAttributes());
        moved = computation->AddInstruction(HloOpcode::kSelect, i->shape(), {exact, i, moved});
      }
      for (HloInstruction* user : users) i->ReplaceUseWith(user, moved);
      if (was_root) computation->set_root(moved);
    }
  }
}

void FillWithNearlyOne(Literal& literal, uint64_t pattern) {
  const double ulp =
      std::ldexp(1.0, -GetFloatFormat(ComplexComponentType(literal.shape().element_type())).mantissa_bits);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const bool up = ((static_cast<uint64_t>(i) + pattern) * 0x9E3779B97F4A7C15 >> 63) != 0;
    literal.SetFromDouble(i, up ? 1 + ulp : 1 - ulp);
  }
}

}  // namespace hloir::check
