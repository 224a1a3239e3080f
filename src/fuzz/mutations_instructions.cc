// Mutations of opcode, operands and attributes. See mutations.h.
#include <algorithm>
#include <utility>

#include "fuzz/mutations.h"

namespace hloir::fuzz {
namespace {

using Instruction = HloInstruction*;

bool Has(const HloInstruction* i, HloOpcode opcode) { return i->opcode() == opcode; }

// The same instruction with other operands.
bool WithOperands(Instruction i, const std::vector<Instruction>& operands) {
  return Rewire(i, i->parent()->AddClone(*i, operands));
}

bool WithOperand(Instruction i, int64_t k, Instruction operand) {
  std::vector<Instruction> operands(i->operands().begin(), i->operands().end());
  operands[static_cast<size_t>(k)] = operand;
  return WithOperands(i, operands);
}

bool Swapped(Instruction i, int64_t j, int64_t k) {
  if (!i->operand(j)->shape().Compatible(i->operand(k)->shape()) || i->operand(j) == i->operand(k)) return false;
  std::vector<Instruction> operands(i->operands().begin(), i->operands().end());
  std::swap(operands[static_cast<size_t>(j)], operands[static_cast<size_t>(k)]);
  return WithOperands(i, operands);
}

Mutation As(const std::string& name, const std::string& what, HloOpcode from, HloOpcode to) {
  return {{name, what}, [from, to](Instruction i, uint64_t) {
            if (!Has(i, from) || !Takes(GetOpcodeInfo(to).operand_types, i->operand(0)->shape().element_type()))
              return false;
            return Rewire(i, i->parent()->AddInstruction(to, i->shape(), i->operands()));
          }};
}

Mutation Exchanged(const std::string& name, HloOpcode opcode) {
  return {{name + "-operands-swapped", "operands in the wrong order"},
          [opcode](Instruction i, uint64_t) { return Has(i, opcode) && Swapped(i, 0, 1); }};
}

Mutation DropOperation(const std::string& name, HloOpcode opcode, int64_t operand = 0) {
  return {{name + "-dropped", "left out"}, [opcode, operand](Instruction i, uint64_t) {
            return Has(i, opcode) && i->operand(operand)->shape().Compatible(i->shape()) &&
                   Rewire(i, i->operand(operand));
          }};
}

Mutation Compare(const std::string& name, const std::string& what, ComparisonDirection from, ComparisonDirection to) {
  return {{"compare-" + name, what}, [from, to](Instruction i, uint64_t) {
            if (!Has(i, HloOpcode::kCompare) || i->attributes<CompareAttributes>().direction != from) return false;
            i->mutable_attributes<CompareAttributes>().direction = to;
            return true;
          }};
}

// Changes attributes of type A by f(attributes, instruction), which returns true if it changed them.
template <class A, class F>
Mutation Attribute(const std::string& name, const std::string& what, HloOpcode opcode, F f) {
  return {{name, what},
          [opcode, f](Instruction i, uint64_t) { return Has(i, opcode) && f(i->mutable_attributes<A>(), *i); }};
}

// An index operand plus one.
Instruction Later(Instruction index) {
  return index->parent()->AddInstruction(HloOpcode::kAdd, index->shape(),
                                         {index, Filled(index->parent(), index->shape(), 1)});
}

// Exchanges the first two dimensions of equal size above one in a list.
bool SwapEqual(DimVector& list, const std::function<int64_t(int64_t)>& size_at) {
  for (int64_t a = 0; a < static_cast<int64_t>(list.size()); ++a) {
    for (int64_t b = a + 1; b < static_cast<int64_t>(list.size()); ++b) {
      if (size_at(a) != size_at(b) || size_at(a) < 2) continue;
      std::swap(list[a], list[b]);
      return true;
    }
  }
  return false;
}

void AddArithmetic(std::vector<Mutation>& m) {
  using O = HloOpcode;
  m.push_back(As("add-as-subtract", "a difference for a sum", O::kAdd, O::kSubtract));
  m.push_back(As("add-as-multiply", "a product for a sum", O::kAdd, O::kMultiply));
  m.push_back(As("subtract-as-add", "a sum for a difference", O::kSubtract, O::kAdd));
  m.push_back(As("multiply-as-add", "a sum for a product", O::kMultiply, O::kAdd));
  m.push_back(As("multiply-as-divide", "a quotient for a product", O::kMultiply, O::kDivide));
  m.push_back(As("divide-as-multiply", "a product for a quotient", O::kDivide, O::kMultiply));
  m.push_back(As("max-as-min", "the smaller for the larger", O::kMaximum, O::kMinimum));
  m.push_back(As("min-as-max", "the larger for the smaller", O::kMinimum, O::kMaximum));
  m.push_back(As("and-as-or", "or for and", O::kAnd, O::kOr));
  m.push_back(As("or-as-and", "and for or", O::kOr, O::kAnd));
  m.push_back(As("xor-as-or", "or in place of exclusive or", O::kXor, O::kOr));
  m.push_back(As("shift-left-as-right", "the other direction", O::kShiftLeft, O::kShiftRightLogical));
  m.push_back(As("shift-arithmetic-as-logical", "zeros for the sign", O::kShiftRightArithmetic, O::kShiftRightLogical));
  m.push_back(As("shift-logical-as-arithmetic", "the sign for zeros", O::kShiftRightLogical, O::kShiftRightArithmetic));
  m.push_back(As("remainder-as-divide", "the quotient for the remainder", O::kRemainder, O::kDivide));
  m.push_back(As("divide-as-remainder", "the remainder for the quotient", O::kDivide, O::kRemainder));
  m.push_back(As("power-as-multiply", "a product for a power", O::kPower, O::kMultiply));
  m.push_back(As("atan2-as-divide", "the quotient for its angle", O::kAtan2, O::kDivide));
  m.push_back(As("exp-as-expm1", "less one", O::kExp, O::kExpm1));
  m.push_back(As("expm1-as-exp", "more by one", O::kExpm1, O::kExp));
  m.push_back(As("log-as-log1p", "of one more", O::kLog, O::kLog1p));
  m.push_back(As("log1p-as-log", "of one less", O::kLog1p, O::kLog));
  m.push_back(As("sin-as-cos", "the other function", O::kSin, O::kCos));
  m.push_back(As("cos-as-sin", "the other function", O::kCos, O::kSin));
  m.push_back(As("tanh-as-logistic", "the other function", O::kTanh, O::kLogistic));
  m.push_back(As("tanh-as-erf", "a function like it", O::kTanh, O::kErf));
  m.push_back(As("logistic-as-tanh", "the other function", O::kLogistic, O::kTanh));
  m.push_back(As("sqrt-as-rsqrt", "the reciprocal", O::kSqrt, O::kRsqrt));
  m.push_back(As("sqrt-as-cbrt", "the third root", O::kSqrt, O::kCbrt));
  m.push_back(As("rsqrt-as-sqrt", "the reciprocal", O::kRsqrt, O::kSqrt));
  m.push_back(As("floor-as-ceil", "up for down", O::kFloor, O::kCeil));
  m.push_back(As("ceil-as-floor", "down for up", O::kCeil, O::kFloor));
  m.push_back(As("floor-as-round", "to the nearest", O::kFloor, O::kRoundNearestEven));
  m.push_back(As("round-even-as-away", "ties away from zero", O::kRoundNearestEven, O::kRoundNearestAfz));
  m.push_back(As("round-away-as-even", "ties to even", O::kRoundNearestAfz, O::kRoundNearestEven));
  m.push_back(As("clz-as-popcnt", "the other count", O::kClz, O::kPopulationCount));
  for (auto [name, opcode] :
       {std::pair("subtract", O::kSubtract), std::pair("divide", O::kDivide), std::pair("power", O::kPower),
        std::pair("remainder", O::kRemainder), std::pair("atan2", O::kAtan2), std::pair("shift-left", O::kShiftLeft)})
    m.push_back(Exchanged(name, opcode));
  for (auto [name, opcode] :
       {std::pair("negate", O::kNegate), std::pair("abs", O::kAbs), std::pair("sign", O::kSign),
        std::pair("not", O::kNot), std::pair("floor", O::kFloor), std::pair("ceil", O::kCeil),
        std::pair("reverse", O::kReverse), std::pair("reduce-precision", O::kReducePrecision),
        std::pair("all-reduce", O::kAllReduce), std::pair("collective-permute", O::kCollectivePermute),
        std::pair("while", O::kWhile), std::pair("dynamic-update-slice", O::kDynamicUpdateSlice),
        std::pair("scatter", O::kScatter)})
    m.push_back(DropOperation(name, opcode));
  m.push_back(DropOperation("clamp", O::kClamp, 1));
}

void AddChoices(std::vector<Mutation>& m) {
  using D = ComparisonDirection;
  m.push_back(Compare("lt-as-le", "or equal", D::kLt, D::kLe));
  m.push_back(Compare("le-as-lt", "but not equal", D::kLe, D::kLt));
  m.push_back(Compare("gt-as-ge", "or equal", D::kGt, D::kGe));
  m.push_back(Compare("ge-as-gt", "but not equal", D::kGe, D::kGt));
  m.push_back(Compare("eq-as-ne", "the opposite", D::kEq, D::kNe));
  m.push_back(Compare("ne-as-eq", "the opposite", D::kNe, D::kEq));
  m.push_back(Compare("eq-as-le", "or less", D::kEq, D::kLe));
  m.push_back(Compare("lt-as-gt", "the other way", D::kLt, D::kGt));
  m.push_back(Compare("gt-as-lt", "the other way", D::kGt, D::kLt));
  m.push_back({{"select-swapped", "the operands of a select exchanged"},
               [](Instruction i, uint64_t) { return Has(i, HloOpcode::kSelect) && Swapped(i, 1, 2); }});
  for (const int64_t which : {1, 2}) {
    m.push_back(
        {{which == 1 ? "select-always-true" : "select-always-false", "one side for all"},
         [which](Instruction i, uint64_t) { return Has(i, HloOpcode::kSelect) && Rewire(i, i->operand(which)); }});
  }
  for (const int64_t which : {0, 2}) {
    m.push_back({{which == 0 ? "clamp-without-lower" : "clamp-without-upper", "one bound is missing"},
                 [which](Instruction i, uint64_t) {
                   if (!Has(i, HloOpcode::kClamp) || i->operand(0)->shape() != i->operand(2)->shape()) return false;
                   const Shape& shape = i->operand(which)->shape();
                   if (IsComplex(shape.element_type()) || shape.element_type() == PrimitiveType::PRED) return false;
                   Instruction bound = i->parent()->AddConstant(which == 0 ? Literal::MinValue(shape.element_type())
                                                                           : Literal::MaxValue(shape.element_type()));
                   if (shape.rank() > 0)
                     bound = i->parent()->AddInstruction(HloOpcode::kBroadcast, shape, {bound}, DimensionsAttributes());
                   return WithOperand(i, which, bound);
                 }});
  }
  m.push_back({{"branches-swapped", "the other branch"}, [](Instruction i, uint64_t) {
                 if (!Has(i, HloOpcode::kConditional) || i->called_computations().size() < 2) return false;
                 HloComputation *a = i->called_computation(0), *b = i->called_computation(1);
                 if (a->parameter_count() != 1 || b->parameter_count() != 1 ||
                     !a->parameter(0)->shape().Compatible(b->parameter(0)->shape()))
                   return false;
                 i->set_called_computation(0, b), i->set_called_computation(1, a);
                 std::vector<Instruction> operands(i->operands().begin(), i->operands().end());
                 if (operands[1] != operands[2]) {
                   Instruction first = operands[1], second = operands[2];
                   i->ReplaceOperandWith(1, second), i->ReplaceOperandWith(2, first);
                 }
                 return a != b;
               }});
  m.push_back({{"branch-index-off-by-one", "the next branch"}, [](Instruction i, uint64_t) {
                 if (!Has(i, HloOpcode::kConditional) || i->IsPredConditional()) return false;
                 return WithOperand(i, 0, Later(i->operand(0)));
               }});
}

void AddMovement(std::vector<Mutation>& m) {
  using O = HloOpcode;
  m.push_back(Attribute<DimensionsAttributes>("transpose-other-order", "two equal dimensions swapped", O::kTranspose,
                                              [](DimensionsAttributes& a, const HloInstruction& i) {
                                                return SwapEqual(a.dimensions,
                                                                 [&](int64_t d) { return i.shape().dimensions(d); });
                                              }));
  m.push_back(Attribute<DimensionsAttributes>("broadcast-other-dimensions", "two equal dimensions swapped",
                                              O::kBroadcast, [](DimensionsAttributes& a, const HloInstruction& i) {
                                                return SwapEqual(a.dimensions, [&](int64_t k) {
                                                  return i.operand(0)->shape().dimensions(k);
                                                });
                                              }));
  m.push_back(Attribute<DimensionsAttributes>("reverse-other-dimension", "another dimension", O::kReverse,
                                              [](DimensionsAttributes& a, const HloInstruction& i) {
                                                if (a.dimensions.size() != 1 || i.shape().rank() < 2) return false;
                                                a.dimensions[0] = (a.dimensions[0] + 1) % i.shape().rank();
                                                return true;
                                              }));
  m.push_back(Attribute<IotaAttributes>("iota-other-dimension", "along another dimension", O::kIota,
                                        [](IotaAttributes& a, const HloInstruction& i) {
                                          if (i.shape().rank() < 2) return false;
                                          a.iota_dimension = (a.iota_dimension + 1) % i.shape().rank();
                                          return true;
                                        }));
  m.push_back({{"reshape-as-transpose", "a matrix transposed"}, [](Instruction i, uint64_t) {
                 const Shape& s = i->shape();
                 if (!Has(i, O::kReshape) || s.rank() < 2 || s.dimensions(0) != s.dimensions(1) || s.dimensions(0) < 2)
                   return false;
                 DimensionsAttributes order;
                 for (int64_t d = 0; d < s.rank(); ++d) order.dimensions.push_back(d < 2 ? 1 - d : d);
                 return Rewire(i, i->parent()->AddInstruction(O::kTranspose, s, {i}, order));
               }});
  m.push_back(Attribute<SliceAttributes>(
      "slice-off-by-one", "one later or earlier", O::kSlice, [](SliceAttributes& a, const HloInstruction& i) {
        for (int64_t d = 0; d < i.shape().rank(); ++d) {
          SliceRange& r = a.slice[static_cast<size_t>(d)];
          const int64_t by = r.limit < i.operand(0)->shape().dimensions(d) ? 1 : r.start > 0 ? -1 : 0;
          if (by == 0) continue;
          r.start += by, r.limit += by;
          return true;
        }
        return false;
      }));
  m.push_back(
      Attribute<PadAttributes>("pad-other-side", "low for high", O::kPad, [](PadAttributes& a, const HloInstruction&) {
        for (PaddingDimension& p : a.padding) {
          if (p.low == p.high) continue;
          std::swap(p.low, p.high);
          return true;
        }
        return false;
      }));
  m.push_back({{"pad-other-value", "one more"}, [](Instruction i, uint64_t) {
                 return Has(i, O::kPad) && i->shape().element_type() != PrimitiveType::PRED &&
                        WithOperand(i, 1, Later(i->operand(1)));
               }});
  m.push_back({{"concatenate-swapped", "parts in the wrong order"}, [](Instruction i, uint64_t) {
                 return Has(i, O::kConcatenate) && i->operand_count() > 1 && Swapped(i, 0, i->operand_count() - 1);
               }});
  for (auto [name, indexed, first] :
       {std::tuple("dynamic-slice", O::kDynamicSlice, 1), std::tuple("dynamic-update-slice", O::kDynamicUpdateSlice, 2),
        std::tuple("gather", O::kGather, 1)}) {
    const HloOpcode opcode = indexed;  // clang 14 cannot capture structured bindings
    const int64_t operand = first;
    m.push_back(
        {{std::string(name) + "-index-off-by-one", "one later"}, [opcode, operand](Instruction i, uint64_t seed) {
           if (!Has(i, opcode) || i->operand_count() <= operand) return false;
           const int64_t k = operand + static_cast<int64_t>(seed % static_cast<uint64_t>(i->operand_count() - operand));
           return WithOperand(i, k, Later(i->operand(k)));
         }});
  }
  m.push_back({{"scatter-index-off-by-one", "one later"}, [](Instruction i, uint64_t) {
                 return Has(i, O::kScatter) &&
                        WithOperand(i, i->operand_count() / 2, Later(i->operand(i->operand_count() / 2)));
               }});
  m.push_back({{"dynamic-slice-clamped-early", "the last legal index is not reached"}, [](Instruction i, uint64_t) {
                 // A scalar is sliced without an index.
                 if (!Has(i, O::kDynamicSlice) || i->operand_count() < 2 || !i->operand(1)->shape().IsScalar())
                   return false;
                 for (int64_t d = 0; d < i->shape().rank(); ++d) {
                   const int64_t last = i->operand(0)->shape().dimensions(d) - i->shape().dimensions(d);
                   if (last < 1) continue;
                   HloInstruction* index = i->operand(1 + d);
                   return WithOperand(i, 1 + d,
                                      i->parent()->AddInstruction(
                                          O::kMinimum, index->shape(),
                                          {index, Filled(i->parent(), index->shape(), static_cast<double>(last - 1))}));
                 }
                 return false;
               }});
  m.push_back({{"tuple-swapped", "two elements of one shape swapped"}, [](Instruction i, uint64_t) {
                 if (!Has(i, O::kTuple)) return false;
                 for (int64_t a = 0; a < i->operand_count(); ++a) {
                   for (int64_t b = a + 1; b < i->operand_count(); ++b) {
                     if (i->operand(a) == i->operand(b) || !i->operand(a)->shape().Compatible(i->operand(b)->shape()))
                       continue;
                     Instruction x = i->operand(a), y = i->operand(b);
                     i->ReplaceOperandWith(a, y), i->ReplaceOperandWith(b, x);
                     return true;
                   }
                 }
                 return false;
               }});
  m.push_back({{"tuple-other-element", "the neighbour of one shape"}, [](Instruction i, uint64_t) {
                 if (!Has(i, O::kGetTupleElement)) return false;
                 const Shape& tuple = i->operand(0)->shape();
                 for (int64_t k = 0; k < tuple.tuple_size(); ++k) {
                   if (k == i->tuple_index() || !tuple.tuple_shapes(k).Compatible(i->shape())) continue;
                   i->mutable_attributes<GetTupleElementAttributes>().index = k;
                   return true;
                 }
                 return false;
               }});
  m.push_back({{"sort-other-way", "the other direction"}, [](Instruction i, uint64_t) {
                 if (!Has(i, O::kSort)) return false;
                 HloComputation* by = i->module()->CloneComputation(*i->to_apply());
                 Instruction root = by->root();
                 if (root->opcode() != O::kCompare) return false;
                 auto& direction = root->mutable_attributes<CompareAttributes>().direction;
                 if (direction == Flipped(direction)) return false;
                 direction = Flipped(direction);
                 i->set_called_computation(0, by);
                 return true;
               }});
  m.push_back({{"permute-backwards", "to where it should come from"}, [](Instruction i, uint64_t) {
                 if (!Has(i, O::kCollectivePermute)) return false;
                 for (auto& [source, target] : i->mutable_attributes<CollectivePermuteAttributes>().source_target_pairs)
                   std::swap(source, target);
                 return true;
               }});
}

void AddSums(std::vector<Mutation>& m) {
  using O = HloOpcode;
  m.push_back({{"reduce-other-start", "an initial value one more"}, [](Instruction i, uint64_t) {
                 if (!Has(i, O::kReduce) && !Has(i, O::kReduceWindow)) return false;
                 const int64_t k = i->operand_count() / 2;
                 return i->operand(k)->shape().element_type() != PrimitiveType::PRED &&
                        WithOperand(i, k, Later(i->operand(k)));
               }});
  m.push_back({{"reduce-other-dimension", "over another of equal size"}, [](Instruction i, uint64_t) {
                 if (!Has(i, O::kReduce)) return false;
                 DimVector& dims = i->mutable_attributes<DimensionsAttributes>().dimensions;
                 const Shape& s = i->operand(0)->shape();
                 for (int64_t d = 0; dims.size() == 1 && d < s.rank(); ++d) {
                   if (d == dims[0] || s.dimensions(d) != s.dimensions(dims[0]) || s.dimensions(d) < 2) continue;
                   DimVector kept, other;
                   for (int64_t e = 0; e < s.rank(); ++e) {
                     if (e != dims[0]) kept.push_back(s.dimensions(e));
                     if (e != d) other.push_back(s.dimensions(e));
                   }
                   if (kept != other) continue;
                   dims[0] = d;
                   return true;
                 }
                 return false;
               }});
  for (const O opcode : {O::kReduceWindow, O::kConvolution, O::kSelectAndScatter}) {
    const std::string name(OpcodeName(opcode));
    m.push_back({{name + "-padding-swapped", "low for high"}, [opcode](Instruction i, uint64_t) {
                   if (!Has(i, opcode)) return false;
                   Window& window = Has(i, O::kConvolution) ? i->mutable_attributes<ConvolutionAttributes>().window
                                                            : i->mutable_attributes<WindowAttributes>().window;
                   for (WindowDimension& d : window) {
                     if (d.padding_low == d.padding_high) continue;
                     std::swap(d.padding_low, d.padding_high);
                     return true;
                   }
                   return false;
                 }});
    m.push_back({{name + "-window-shifted", "one later, with the padding moved"}, [opcode](Instruction i, uint64_t) {
                   if (!Has(i, opcode)) return false;
                   Window& window = Has(i, O::kConvolution) ? i->mutable_attributes<ConvolutionAttributes>().window
                                                            : i->mutable_attributes<WindowAttributes>().window;
                   for (WindowDimension& d : window) {
                     if (d.size < 2) continue;
                     --d.padding_low, ++d.padding_high;
                     return d.padding_low >= 0;
                   }
                   return false;
                 }});
  }
  m.push_back(Attribute<ConvolutionAttributes>("convolution-kernel-reversed", "the kernel read backwards",
                                               O::kConvolution, [](ConvolutionAttributes& a, const HloInstruction&) {
                                                 for (WindowDimension& d : a.window) {
                                                   if (d.size < 2) continue;
                                                   d.window_reversal = !d.window_reversal;
                                                   return true;
                                                 }
                                                 return false;
                                               }));
  m.push_back(Attribute<ConvolutionAttributes>(
      "convolution-kernel-transposed", "spatial dimensions swapped", O::kConvolution,
      [](ConvolutionAttributes& a, const HloInstruction& i) {
        DimVector& spatial = a.dim_labels.kernel_spatial;
        return SwapEqual(spatial,
                         [&](int64_t k) { return i.operand(1)->shape().dimensions(a.dim_labels.kernel_spatial[k]); });
      }));
  m.push_back({{"dot-other-contraction", "along the other dimension of a square"}, [](Instruction i, uint64_t) {
                 if (!Has(i, O::kDot)) return false;
                 auto& a = i->mutable_attributes<DotAttributes>();
                 const Shape& rhs = i->operand(1)->shape();
                 if (rhs.rank() != 2 || rhs.dimensions(0) != rhs.dimensions(1) || rhs.dimensions(0) < 2 ||
                     !a.rhs_batch_dims.empty() || a.rhs_contracting_dims.size() != 1)
                   return false;
                 a.rhs_contracting_dims[0] = 1 - a.rhs_contracting_dims[0];
                 return true;
               }});
  m.push_back(Exchanged("dot", O::kDot));
  m.push_back(Attribute<CholeskyAttributes>(
      "cholesky-other-triangle", "upper for lower", O::kCholesky,
      [](CholeskyAttributes& a, const HloInstruction&) { return a.lower = !a.lower, true; }));
  m.push_back(Attribute<TriangularSolveAttributes>(
      "triangular-solve-unit-diagonal", "ones on the diagonal, or not", O::kTriangularSolve,
      [](TriangularSolveAttributes& a, const HloInstruction&) { return a.unit_diagonal = !a.unit_diagonal, true; }));
  m.push_back(Attribute<TriangularSolveAttributes>(
      "triangular-solve-transposed", "of the transposed matrix", O::kTriangularSolve,
      [](TriangularSolveAttributes& a, const HloInstruction&) {
        a.transpose_a = a.transpose_a == TransposeA::kNoTranspose ? TransposeA::kTranspose : TransposeA::kNoTranspose;
        return true;
      }));
  m.push_back(
      Attribute<FftAttributes>("fft-backwards", "the inverse", O::kFft, [](FftAttributes& a, const HloInstruction&) {
        if (a.fft_type != FftType::kFft && a.fft_type != FftType::kIfft) return false;
        a.fft_type = a.fft_type == FftType::kFft ? FftType::kIfft : FftType::kFft;
        return true;
      }));
}

}  // namespace

void AddMutationsOfInstructions(std::vector<Mutation>& mutations) {
  AddArithmetic(mutations);
  AddChoices(mutations);
  AddMovement(mutations);
  AddSums(mutations);
}

}  // namespace hloir::fuzz
