// The builder of cases: the entry computation, parameters with their values, and instructions that shape inference
// accepts. One file of cases_*.cc for each group of families. Used by cases.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fuzz/cases.h"
#include "fuzz/inferred.h"
#include "hloir/builder.h"
#include "support/random.h"

namespace hloir::fuzz {

// The distribution of a parameter's values.
enum class Values {
  kCorners,   // any values of the type, including corner cases
  kModerate,  // numbers around 0, few of the same
  kSmall,     // small integers, so that sums and products of a few are exact
  kPositive,  // as kModerate, above 0
  kNearOne,   // numbers whose products are neither very large nor very small
};

class CaseMaker {
 public:
  using Op = HloInstruction*;
  using Ops = std::vector<Op>;

  CaseMaker(HloModule& module, Random& random, std::vector<Literal>& inputs, bool portable)
      : module_(module), random_(random), inputs_(inputs), portable_(portable), entry_(module.AddComputation("main")) {}

  // Builds the operation of a case; nullptr if the random choices are illegal. `result` describes it.
  Op Elementwise(Case& result);
  Op Compare(Case& result);
  Op Convert(Case& result);
  Op BitcastConvert(Case& result);
  Op Bitcast(Case& result);
  Op ReducePrecision(Case& result);
  Op StochasticConvert(Case& result);
  Op ClampOrSelect(Case& result);
  Op Chain(Case& result);
  Op Map(Case& result);

  Op Movement(Case& result);
  Op Pad(Case& result);
  Op DynamicSlice(Case& result);
  Op Gather(Case& result);
  Op Scatter(Case& result);
  Op Iota(Case& result);
  Op DynamicSize(Case& result);

  Op Reduce(Case& result);
  Op ReduceWindow(Case& result);
  Op SelectAndScatter(Case& result);
  Op Sort(Case& result);
  Op TopK(Case& result);

  Op Dot(Case& result);
  Op ScaledDot(Case& result);
  Op RaggedDot(Case& result);
  Op Convolution(Case& result);
  Op Fft(Case& result);
  Op Triangular(Case& result);
  Op BatchNorm(Case& result);
  Op RandomBits(Case& result);

  Op While(Case& result);
  Op Conditional(Case& result);

  Op PassOn(Case& result);
  Op Scan(Case& result);
  Op Exchange(Case& result);
  Op Asynchronous(Case& result);

  HloComputation* entry() { return entry_; }

 private:
  int64_t Below(int64_t n) { return random_.Below(n); }
  bool Chance(int64_t percent) { return random_.Chance(percent); }
  template <class T>
  T Pick(std::initializer_list<T> list) {
    return random_.Pick(list);
  }

  // A random type: any, or one of `types`.
  PrimitiveType AnyType();
  PrimitiveType TypeOf(OperandTypes types);
  PrimitiveType FloatType() { return TypeOf(OperandTypes::kFloat); }
  DimVector Sizes(int64_t least_rank, int64_t most_rank, int64_t most_size);

  // A parameter with values.
  Op In(const Shape& shape, Values values = Values::kCorners);
  Op In(PrimitiveType type, const DimVector& sizes, Values values = Values::kCorners) {
    return In(Shape::Array(type, sizes), values);
  }
  // Of whole numbers low … high.
  Op Integers(PrimitiveType type, const DimVector& sizes, int64_t low, int64_t high);
  Op Given(Literal value);

  template <class A = NoAttributes>
  Op Make(HloOpcode opcode, const Ops& operands, A attributes = {}, std::vector<HloComputation*> called = {},
          const Shape* stated = nullptr) {
    return MakeIn(entry_, opcode, operands, std::move(attributes), std::move(called), stated);
  }
  template <class A = NoAttributes>
  Op MakeIn(HloComputation* computation, HloOpcode opcode, const Ops& operands, A attributes = {},
            std::vector<HloComputation*> called = {}, const Shape* stated = nullptr) {
    return AddInferred(*computation, opcode, operands, std::move(attributes), called, stated, 4096);
  }
  Op Element(Op tuple, int64_t index) {
    return tuple == nullptr ? nullptr : Make(HloOpcode::kGetTupleElement, {tuple}, GetTupleElementAttributes{index});
  }
  // One of a tuple's elements.
  Op AnyElement(Op tuple) { return tuple == nullptr ? nullptr : Element(tuple, Below(tuple->shape().tuple_size())); }

  HloOpcode Reducer(PrimitiveType type);
  // The initial value of a reduction with `opcode`: usually its identity.
  Op Init(HloOpcode opcode, PrimitiveType type);
  // Values and tolerance for a sum of `terms` products of floats: exact, or rounded.
  Values SumValues(PrimitiveType type, HloOpcode opcode, int64_t terms, Case& result);
  void Name(Case& result, HloOpcode opcode, PrimitiveType type, std::string more = "");
  Op IndexedBy(Case& result, bool scatter);

  HloModule& module_;
  Random& random_;
  std::vector<Literal>& inputs_;
  const bool portable_;
  HloComputation* entry_;
};

std::string_view TypeName(PrimitiveType type);

}  // namespace hloir::fuzz
