// Building blocks of random modules: the computation under construction and its values, types, shapes and constants,
// and a value of any shape from existing ones. Operands that trigger simplifications (zeros, ones, splats, sequences)
// are more likely than chance. Shape inference accepts each instruction before it is made, so a module is legal by
// construction. Used by ops.h.
//
// At most one argument of a call may draw a random number or add to the module, because compilers differ in the order
// of evaluation, and a seed must give the same module everywhere. (Elements in braces are evaluated from left to
// right.)
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "hloir/builder.h"
#include "fuzz/inferred.h"
#include "fuzz/programs.h"
#include "support/random.h"

namespace hloir::fuzz {

class RandomValues {
 public:
  using Op = HloInstruction*;
  using Ops = std::vector<Op>;

  RandomValues(HloModule& module, Random& random, const ProgramOptions& options)
      : module_(module), random_(random), portable_(options.portable), options_(options) {}

 protected:
  int64_t Below(int64_t n) { return random_.Below(n); }
  bool Chance(int64_t percent) { return random_.Chance(percent); }
  template <class T>
  T Pick(std::initializer_list<T> list) {
    return random_.Pick(list);
  }

  // A stack of computations under construction: callees are completed first.
  struct Frame {
    HloComputation* computation = nullptr;
    Ops values;
  };
  HloComputation* computation() { return frames_.back().computation; }
  Ops& values() { return frames_.back().values; }
  void Begin(std::string_view name) { frames_.push_back({module_.AddComputation(name), {}}); }
  // Most unused values become part of the result; the others are dead code.
  HloComputation* End(bool tuple) {
    Op root = values().back();
    if (tuple) {
      Ops results;
      for (Op value : values()) {
        if (value->user_count() == 0 && (results.empty() || Chance(85))) results.push_back(value);
      }
      if (results.empty() || Chance(5)) results.push_back(Any());
      root = computation()->AddTuple(results);
    }
    computation()->set_root(root);
    HloComputation* done = computation();
    frames_.pop_back();
    return done;
  }

  static constexpr PrimitiveType kTypes[] = {
      PrimitiveType::F32, PrimitiveType::F32,  PrimitiveType::F32, PrimitiveType::S32,
      PrimitiveType::S32, PrimitiveType::PRED, PrimitiveType::U8,  PrimitiveType::S8,
      PrimitiveType::U32, PrimitiveType::BF16, PrimitiveType::F16, PrimitiveType::F64,
      PrimitiveType::S64, PrimitiveType::C64,  PrimitiveType::U64, PrimitiveType::S16};
  static constexpr double kConstants[] = {0, 0, 1, 1, 2, -1, 3, 0.5, 4, 8, -0.0, 100, 7, 1e30, -3};

  PrimitiveType RandomType() { return kTypes[Below(std::size(kTypes))]; }
  DimVector RandomSizes() {
    DimVector sizes;
    int64_t rank = Below(options_.most_rank + 1);
    if (!IsLarge()) {
      for (; rank > 0; --rank) sizes.push_back(Chance(2) ? 0 : 1 + Below(4));
      return sizes;
    }
    // A power of two of elements, divided among the dimensions; some of these are one less or one more.
    int64_t bits = Below(std::bit_width(static_cast<uint64_t>(options_.most_elements)));
    int64_t count = 1;
    for (; rank > 0; --rank) {
      const int64_t own = rank == 1 ? bits : Below(bits + 1);
      bits -= own;
      int64_t size = int64_t{1} << own;
      if (Chance(30)) size = std::max<int64_t>(1, size + Below(3) - 1);
      if (count * size > options_.most_elements) size = options_.most_elements / count;
      count *= size;
      sizes.push_back(size);
    }
    return sizes;
  }
  bool IsLarge() const { return options_.most_elements > kSmallElements || options_.most_rank > kSmallRank; }
  Shape RandomShape() {
    const PrimitiveType type = RandomType();
    return Shape::Array(type, RandomSizes());
  }

  Op Keep(Op op) {
    if (op != nullptr) values().push_back(op);
    return op;
  }
  Op Parameter(const Shape& shape) {
    return Keep(computation()->AddParameter(computation()->parameter_count(), shape,
                                            "p" + std::to_string(computation()->parameter_count())));
  }
  // nullptr if shape inference fails, or if it would have more elements than the options allow; a given module may have
  // more.
  template <class A = NoAttributes>
  Op Make(HloOpcode opcode, const Ops& operands, A attributes = {}, std::vector<HloComputation*> called = {},
          const Shape* stated = nullptr) {
    return Keep(
        AddInferred(*computation(), opcode, operands, std::move(attributes), called, stated, options_.most_elements));
  }
  template <class A = NoAttributes>
  Op Make(HloOpcode opcode, std::initializer_list<Op> operands, A attributes = {},
          std::vector<HloComputation*> called = {}, const Shape* stated = nullptr) {
    return Make(opcode, Ops(operands), std::move(attributes), std::move(called), stated);
  }

  // An existing value; recent ones are more likely.
  Op Any() {
    const int64_t n = static_cast<int64_t>(values().size());
    for (int tries = 0; n > 0 && tries < 20; ++tries) {
      Op op = values()[static_cast<size_t>(n - 1 - std::min(Below(n), Below(n)))];
      if (op->shape().IsArray()) return op;
    }
    return Scalar(RandomType());
  }
  Op Floating() {
    for (int tries = 0; tries < 8; ++tries) {
      if (Op op = Any(); IsFloat(op->shape().element_type())) return op;
    }
    if (Op op = Keep(Convert(Any(), PrimitiveType::F32)); op != nullptr) return op;
    return Scalar(PrimitiveType::F32);  // it exceeds the limit on elements
  }
  Op Convert(Op x, PrimitiveType type) {
    if (x->shape().element_type() == type) return x;
    if (IsComplex(x->shape().element_type()) && !IsComplex(type)) x = Make(HloOpcode::kReal, {x});
    if (x == nullptr) return nullptr;
    const Shape shape = Shape::Array(type, x->shape().dimensions());
    return Make(HloOpcode::kConvert, {x}, NoAttributes(), {}, &shape);
  }
  Op Constant(PrimitiveType type, double value) {
    if (IsInteger(type) && std::abs(value) > 1e9) value = 5;
    if (!IsFloat(type) && !IsComplex(type) && value < 0 && !IsSigned(type)) value = 6;
    Literal literal(Shape::Scalar(type));
    literal.SetFromDouble(0, value);
    return Keep(computation()->AddConstant(std::move(literal)));
  }
  Op Scalar(PrimitiveType type) { return Constant(type, kConstants[Below(std::size(kConstants))]); }
  Op Splat(const Shape& shape) {
    Op scalar = Scalar(shape.element_type());
    if (shape.rank() == 0) return scalar;
    // Any number of elements: an existing value may exceed Make()'s limit.
    return Keep(AddInferred(*computation(), HloOpcode::kBroadcast, Ops{scalar}, DimensionsAttributes{}, {}, &shape,
                            shape.ElementCount()));
  }
  // For ops that read bits: NaN bits are unspecified.
  Op WithoutNan(Op x) {
    if (x == nullptr || !IsFloat(x->shape().element_type())) return x;
    Op is_nan =
        Make(HloOpcode::kCompare, {x, x}, CompareAttributes{ComparisonDirection::kNe, ComparisonType::kDefault});
    return Make(HloOpcode::kSelect, {is_nan, Splat(x->shape()), x});
  }
  Op DenseConstant(const Shape& shape) {
    constexpr int64_t kMostInText = 4096;
    if (IsLarge() && shape.ElementCount() > kMostInText) return Splat(shape);
    Literal literal(shape);
    const int64_t start = Below(4), step = Below(4);
    const bool sequence = Chance(40);
    for (int64_t k = 0; k < literal.element_count(); ++k) {
      const int64_t value = sequence ? start + step * k : Below(5);
      literal.SetFromInt64(k, shape.element_type() == PrimitiveType::PRED ? value % 2 : value);
    }
    return Keep(computation()->AddConstant(std::move(literal)));
  }
  // A value of exactly that shape, made from existing ones.
  Op Like(const Shape& wanted) {
    const Shape shape = Shape::Array(wanted.element_type(), wanted.dimensions());
    if (Chance(50)) {
      for (int tries = 0; tries < 8; ++tries) {
        if (Op op = Any(); op->shape().Compatible(shape)) return op;
      }
    }
    if (Chance(35)) return Splat(shape);
    if (Chance(15)) return DenseConstant(shape);
    if (Chance(15) && shape.rank() > 0 && shape.element_type() != PrimitiveType::PRED) {
      return Make(HloOpcode::kIota, {}, IotaAttributes{Below(shape.rank())}, {}, &shape);
    }
    // A converted value whose dimensions can be broadcast to it.
    Op op = Any();
    DimVector dimensions;
    int64_t at = 0;
    for (int64_t size : op->shape().dimensions()) {
      while (at < shape.rank() && shape.dimensions(at) != size) ++at;
      if (at >= shape.rank())
        return op->shape().ElementCount() == shape.ElementCount() ? ReshapeTo(Convert(op, shape.element_type()), shape)
                                                                  : Splat(shape);
      dimensions.push_back(at++);
    }
    op = Convert(op, shape.element_type());
    if (op == nullptr || op->shape().Compatible(shape)) return op;
    return Make(HloOpcode::kBroadcast, {op}, DimensionsAttributes{dimensions}, {}, &shape);
  }
  Op ReshapeTo(Op x, const Shape& shape) {
    return x == nullptr ? x : Make(HloOpcode::kReshape, {x}, ReshapeAttributes{}, {}, &shape);
  }
  Op Index(PrimitiveType type = PrimitiveType::S32) {
    if (Chance(40)) return Constant(type, static_cast<double>(Below(5)));
    return Like(Shape::Scalar(type));
  }

  HloComputation* Binary(HloOpcode opcode, PrimitiveType type) { return MakeReducer(module_, opcode, type); }
  HloOpcode ReducerOpcode(PrimitiveType type) {
    if (type == PrimitiveType::PRED)
      return Pick({HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor, HloOpcode::kMaximum});
    if (IsComplex(type)) return Pick({HloOpcode::kAdd, HloOpcode::kMultiply});
    if (IsInteger(type) && Chance(20)) return Pick({HloOpcode::kAnd, HloOpcode::kOr});
    return Pick({HloOpcode::kAdd, HloOpcode::kAdd, HloOpcode::kMaximum, HloOpcode::kMinimum, HloOpcode::kMultiply});
  }
  Op Init(HloOpcode opcode, PrimitiveType type) {
    if (!portable_ && Chance(15)) return Like(Shape::Scalar(type));
    if (opcode == HloOpcode::kMaximum) return Keep(computation()->AddConstant(Literal::MinValue(type)));
    if (opcode == HloOpcode::kMinimum) return Keep(computation()->AddConstant(Literal::MaxValue(type)));
    if (opcode == HloOpcode::kMultiply) return Constant(type, 1);
    if (opcode == HloOpcode::kAnd)
      return IsSigned(type) ? Constant(type, -1) : Keep(computation()->AddConstant(Literal::MaxValue(type)));
    return Constant(type, 0);
  }

  // Some elements of a tuple.
  Op Elements(Op tuple) {
    if (tuple == nullptr) return nullptr;
    Op last = nullptr;
    const int64_t n = tuple->shape().tuple_size();
    for (int64_t k = 0; k < n; ++k) {
      if (Chance(70) || (last == nullptr && k == n - 1))
        last = Make(HloOpcode::kGetTupleElement, {tuple}, GetTupleElementAttributes{k});
    }
    return last;
  }

  HloModule& module_;
  Random& random_;
  const bool portable_;
  const ProgramOptions options_;
  std::vector<Frame> frames_;
};

}  // namespace hloir::fuzz
