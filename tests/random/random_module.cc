// See random_module.h.
#include "tests/random/random_module.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "hloir/builder.h"
#include "hloir/shape_inference.h"

namespace hloir {
namespace {

using Op = HloInstruction*;
using Ops = std::vector<Op>;

constexpr PrimitiveType kTypes[] = {
    PrimitiveType::F32, PrimitiveType::F32, PrimitiveType::F32, PrimitiveType::S32, PrimitiveType::S32, PrimitiveType::PRED,
    PrimitiveType::U8,  PrimitiveType::S8,  PrimitiveType::U32, PrimitiveType::BF16, PrimitiveType::F16, PrimitiveType::F64,
    PrimitiveType::S64, PrimitiveType::C64, PrimitiveType::U64, PrimitiveType::S16};
constexpr double kConstants[] = {0, 0, 1, 1, 2, -1, 3, 0.5, 4, 8, -0.0, 100, 7, 1e30, -3};

class Generator {
 public:
  Generator(HloModule& module, std::mt19937_64& random) : module_(module), random_(random) {}

  HloComputation* Entry() {
    Begin("main");
    for (int64_t k = 1 + Below(3); k > 0; --k) Parameter(RandomShape());
    Grow(4 + Below(18), /*depth=*/0);
    return End(/*tuple=*/true);
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool Chance(int64_t percent) { return Below(100) < percent; }
  template <class T>
  T Pick(std::initializer_list<T> list) { return list.begin()[Below(static_cast<int64_t>(list.size()))]; }

  // One computation at a time; those called are made first, on a stack.
  struct Frame {
    HloComputation* computation = nullptr;
    Ops values;
  };
  HloComputation* computation() { return frames_.back().computation; }
  Ops& values() { return frames_.back().values; }
  void Begin(std::string_view name) { frames_.push_back({module_.AddComputation(name), {}}); }
  // What nobody uses becomes part of the result; some of it, so that there is dead code too.
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

  PrimitiveType RandomType() { return kTypes[Below(std::size(kTypes))]; }
  DimVector RandomSizes(int64_t most_rank = 3) {
    DimVector sizes;
    for (int64_t rank = Below(most_rank + 1); rank > 0; --rank) sizes.push_back(Chance(2) ? 0 : 1 + Below(4));
    return sizes;
  }
  Shape RandomShape() { return Shape::Array(RandomType(), RandomSizes()); }

  Op Keep(Op op) {
    if (op != nullptr) values().push_back(op);
    return op;
  }
  Op Parameter(const Shape& shape) {
    return Keep(computation()->AddParameter(computation()->parameter_count(), shape, "p" + std::to_string(computation()->parameter_count())));
  }
  // nullptr if the ingredients do not fit.
  template <class A = std::monostate>
  Op Make(HloOpcode opcode, const Ops& operands, A attributes = {}, std::vector<HloComputation*> called = {}, const Shape* stated = nullptr) {
    std::vector<const Shape*> shapes;
    for (Op operand : operands) {
      if (operand == nullptr) return nullptr;
      shapes.push_back(&operand->shape());
    }
    Attributes view;
    if constexpr (!std::is_same_v<A, std::monostate>) view = &attributes;
    StatusOr<Shape> shape = InferShape(opcode, shapes, view, called, stated);
    if (!shape.ok()) return nullptr;
    if (shape->IsArray() && shape->ElementCount() > 512) return nullptr;
    Op op = computation()->AddInstruction(opcode, shape->WithDefaultLayout(), operands, std::move(attributes));
    for (HloComputation* callee : called) op->AddCalledComputation(callee);
    return Keep(op);
  }
  template <class A = std::monostate>
  Op Make(HloOpcode opcode, std::initializer_list<Op> operands, A attributes = {}, std::vector<HloComputation*> called = {}, const Shape* stated = nullptr) {
    return Make(opcode, Ops(operands), std::move(attributes), std::move(called), stated);
  }

  // A value that is there, likelier a recent one.
  Op Any() {
    const int64_t n = static_cast<int64_t>(values().size());
    for (int tries = 0; tries < 20; ++tries) {
      Op op = values()[static_cast<size_t>(n - 1 - std::min(Below(n), Below(n)))];
      if (op->shape().IsArray()) return op;
    }
    return Scalar(RandomType());
  }
  Op OfType(PrimitiveType type) {
    for (int tries = 0; tries < 6; ++tries) {
      if (Op op = Any(); op->shape().element_type() == type) return op;
    }
    return Make(HloOpcode::kConvert, {Any()}, std::monostate(), {}, nullptr) != nullptr ? values().back() : Splat(Shape::Array(type, RandomSizes()));
  }
  Op Floating() {
    for (int tries = 0; tries < 8; ++tries) {
      if (Op op = Any(); IsFloat(op->shape().element_type())) return op;
    }
    return Keep(Convert(Any(), PrimitiveType::F32));
  }
  Op Convert(Op x, PrimitiveType type) {
    if (x->shape().element_type() == type) return x;
    if (IsComplex(x->shape().element_type()) && !IsComplex(type)) x = Make(HloOpcode::kReal, {x});
    const Shape shape = Shape::Array(type, x->shape().dimensions());
    return Make(HloOpcode::kConvert, {x}, std::monostate(), {}, &shape);
  }
  Op Constant(PrimitiveType type, double value) {
    if (IsInteger(type) && std::abs(value) > 1e9) value = 5;
    if (!IsFloat(type) && !IsComplex(type) && value < 0 && !IsSigned(type)) value = 6;
    Literal literal(Shape::Scalar(type));
    PrimitiveTypeSwitch(type, [&](auto tag) {
      using S = typename decltype(tag)::Storage;
      if constexpr (std::is_same_v<S, bool>) literal.data<S>()[0] = value > 0;
      else literal.data<S>()[0] = static_cast<S>(value);
    });
    return Keep(computation()->AddConstant(std::move(literal)));
  }
  Op Scalar(PrimitiveType type) { return Constant(type, kConstants[Below(std::size(kConstants))]); }
  Op Splat(const Shape& shape) {
    Op scalar = Scalar(shape.element_type());
    if (shape.rank() == 0) return scalar;
    return Make(HloOpcode::kBroadcast, {scalar}, DimensionsAttributes{}, {}, &shape);
  }
  Op DenseConstant(const Shape& shape) {
    Literal literal(shape);
    PrimitiveTypeSwitch(shape.element_type(), [&](auto tag) {
      using S = typename decltype(tag)::Storage;
      const int64_t start = Below(4), step = Below(4);
      const bool sequence = Chance(40);
      for (int64_t k = 0; k < literal.element_count(); ++k) {
        const int64_t value = sequence ? start + step * k : Below(5);
        if constexpr (std::is_same_v<S, bool>) literal.data<S>()[static_cast<size_t>(k)] = value % 2 == 1;
        else literal.data<S>()[static_cast<size_t>(k)] = static_cast<S>(static_cast<double>(value));
      }
    });
    return Keep(computation()->AddConstant(std::move(literal)));
  }
  // Something of exactly that shape, made from what is there.
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
    // A value that its dimensions can be broadcast from, converted.
    Op op = Any();
    DimVector dimensions;
    int64_t at = 0;
    for (int64_t size : op->shape().dimensions()) {
      while (at < shape.rank() && shape.dimensions(at) != size) ++at;
      if (at >= shape.rank()) return op->shape().ElementCount() == shape.ElementCount() ? ReshapeTo(Convert(op, shape.element_type()), shape) : Splat(shape);
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
    if (type == PrimitiveType::PRED) return Pick({HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor, HloOpcode::kMaximum});
    if (IsComplex(type)) return Pick({HloOpcode::kAdd, HloOpcode::kMultiply});
    if (IsInteger(type) && Chance(20)) return Pick({HloOpcode::kAnd, HloOpcode::kOr});
    return Pick({HloOpcode::kAdd, HloOpcode::kAdd, HloOpcode::kMaximum, HloOpcode::kMinimum, HloOpcode::kMultiply});
  }
  Op Init(HloOpcode opcode, PrimitiveType type) {
    if (Chance(15)) return Like(Shape::Scalar(type));
    switch (opcode) {
      case HloOpcode::kMaximum: return Keep(computation()->AddConstant(Literal::MinValue(type)));
      case HloOpcode::kMinimum: return Keep(computation()->AddConstant(Literal::MaxValue(type)));
      case HloOpcode::kMultiply: return Constant(type, 1);
      case HloOpcode::kAnd: return type == PrimitiveType::PRED ? Constant(type, 1) : Constant(type, IsSigned(type) ? -1 : 255);
      default: return Constant(type, 0);
    }
  }

  void Grow(int64_t steps, int depth) {
    for (int64_t tries = 0; steps > 0 && tries < 200; ++tries) {
      if (Step(depth)) --steps;
    }
  }

  Op Step(int depth) {
    const int64_t what = Below(100);
    if (what < 40) return Elementwise();
    if (what < 68) return Movement();
    if (what < 78) return Reduction();
    if (what < 84) return Contraction();
    if (what < 92) return Indexed();
    if (what < 94) return Whole();
    if (depth >= 2) return Elementwise();
    return Control(depth);
  }

  Op Elementwise() {
    switch (Below(10)) {
      case 0: {
        Op x = Any();
        const bool total = Chance(15) && IsFloat(x->shape().element_type());
        return Make(HloOpcode::kCompare, {x, Like(x->shape())},
                    CompareAttributes{static_cast<ComparisonDirection>(Below(6)), total ? ComparisonType::kFloatTotalOrder : ComparisonType::kDefault});
      }
      case 1: {
        Op x = Any();
        Op p = Chance(60) ? Like(x->shape().WithElementType(PrimitiveType::PRED)) : Like(Shape::Scalar(PrimitiveType::PRED));
        return Make(HloOpcode::kSelect, {p, x, Like(x->shape())});
      }
      case 2: return Convert(Any(), RandomType());
      case 3: {
        Op x = Any();
        const Shape scalar = Shape::Scalar(x->shape().element_type());
        return Chance(50) ? Make(HloOpcode::kClamp, {Like(scalar), x, Like(scalar)})
                          : Make(HloOpcode::kClamp, {Like(x->shape()), x, Like(x->shape())});
      }
      case 4: {
        if (Chance(30)) return Make(HloOpcode::kReducePrecision, {Floating()}, ReducePrecisionAttributes{Pick<int64_t>({5, 8}), Pick<int64_t>({2, 7, 10, 23})});
        Op x = Any();
        const int bits = BitWidth(x->shape().element_type());
        const PrimitiveType to = bits == 32 ? Pick({PrimitiveType::S32, PrimitiveType::U32, PrimitiveType::F32})
                               : bits == 16 ? Pick({PrimitiveType::BF16, PrimitiveType::F16, PrimitiveType::S16})
                                            : Pick({PrimitiveType::S8, PrimitiveType::U8});
        if (bits > 32 || (bits == 8 && x->shape().element_type() == PrimitiveType::PRED)) return nullptr;
        const Shape shape = Shape::Array(to, x->shape().dimensions());
        return Make(HloOpcode::kBitcastConvert, {x}, std::monostate(), {}, &shape);
      }
      default: break;
    }
    // Any elementwise opcode without attributes.
    const HloOpcode opcode = static_cast<HloOpcode>(Below(kOpcodeCount));
    const bool plain = AttributesTypeSwitch(opcode, []<class T>(std::type_identity<T>) { return std::is_same_v<T, std::monostate>; });
    if (!HasTrait(opcode, kElementwise) || !plain || opcode == HloOpcode::kConvert || opcode == HloOpcode::kBitcastConvert ||
        opcode == HloOpcode::kStochasticConvert) {
      // The usual ones, and with the operands that simplifiers know.
      const HloOpcode usual = Pick({HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kSubtract, HloOpcode::kDivide,
                                    HloOpcode::kMaximum, HloOpcode::kMinimum, HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor,
                                    HloOpcode::kRemainder, HloOpcode::kPower});
      Op x = Any();
      if (Chance(10)) return Make(usual, {x, x});
      return Chance(30) ? Make(usual, {Like(x->shape()), x}) : Make(usual, {x, Like(x->shape())});
    }
    Op x = Chance(30) && HasTrait(opcode, kTranscendental) ? Floating() : Any();
    switch (GetOpcodeInfo(opcode).arity) {
      case 1: return Make(opcode, {x});
      case 2: return Make(opcode, {x, Like(x->shape())});
      default: return nullptr;
    }
  }

  Op Movement() {
    Op x = Any();
    const Shape& shape = x->shape();
    const int64_t rank = shape.rank();
    switch (Below(10)) {
      case 0: {
        DimVector sizes, dimensions;
        for (int64_t d = 0; d < rank; ++d) {
          if (Chance(30)) sizes.push_back(1 + Below(3));
          dimensions.push_back(static_cast<int64_t>(sizes.size()));
          sizes.push_back(shape.dimensions(d));
        }
        if (Chance(60)) sizes.push_back(1 + Below(3));
        const Shape wanted = Shape::Array(shape.element_type(), sizes);
        return Make(HloOpcode::kBroadcast, {x}, DimensionsAttributes{dimensions}, {}, &wanted);
      }
      case 1: return ReshapeTo(x, Shape::Array(shape.element_type(), Regroup(shape.dimensions())));
      case 2: {
        DimVector order;
        for (int64_t d = 0; d < rank; ++d) order.push_back(d);
        std::shuffle(order.begin(), order.end(), Shuffler{this});
        return Make(HloOpcode::kTranspose, {x}, DimensionsAttributes{order});
      }
      case 3: {
        DimVector dimensions;
        for (int64_t d = 0; d < rank; ++d) {
          if (Chance(50)) dimensions.push_back(d);
        }
        return Make(HloOpcode::kReverse, {x}, DimensionsAttributes{dimensions});
      }
      case 4: {
        if (rank == 0) return nullptr;
        const int64_t d = Below(rank);
        Ops parts{x};
        for (int64_t k = Below(3); k >= 0; --k) {
          Shape part = Shape::Array(shape.element_type(), shape.dimensions());
          if (Chance(60)) part.set_dimension(d, 1 + Below(3));
          parts.push_back(Chance(15) ? x : Like(part));
        }
        return Make(HloOpcode::kConcatenate, parts, DimensionsAttributes{{d}});
      }
      case 5: {
        SliceRanges ranges;
        for (int64_t size : shape.dimensions()) {
          const int64_t start = Chance(50) ? 0 : Below(size + 1);
          const int64_t limit = Chance(40) ? size : start + Below(size - start + 1);
          ranges.push_back({start, std::max(limit, start), Chance(20) ? 2 : 1});
        }
        return Make(HloOpcode::kSlice, {x}, SliceAttributes{ranges});
      }
      case 6: {
        PaddingConfig padding;
        for (int64_t d = 0; d < rank; ++d) padding.push_back({Below(4) - 1, Below(4) - 1, Chance(20) ? 1 : 0});
        return Make(HloOpcode::kPad, {x, Like(Shape::Scalar(shape.element_type()))}, PadAttributes{padding});
      }
      case 7: {
        Ops operands{x};
        DimVector sizes;
        for (int64_t size : shape.dimensions()) {
          operands.push_back(Index());
          sizes.push_back(size == 0 ? 0 : Chance(30) ? size : 1 + Below(size));
        }
        return Make(HloOpcode::kDynamicSlice, operands, DynamicSliceAttributes{sizes});
      }
      case 8: {
        DimVector sizes;
        for (int64_t size : shape.dimensions()) sizes.push_back(size == 0 ? 0 : Chance(30) ? size : 1 + Below(size));
        Ops operands{x, Like(Shape::Array(shape.element_type(), sizes))};
        for (int64_t d = 0; d < rank; ++d) operands.push_back(Index());
        return Make(HloOpcode::kDynamicUpdateSlice, operands);
      }
      default: return Chance(50) ? Make(HloOpcode::kCopy, {x}) : Like(RandomShape());
    }
  }
  struct Shuffler {
    using result_type = uint64_t;
    static constexpr uint64_t min() { return 0; }
    static constexpr uint64_t max() { return UINT64_MAX; }
    uint64_t operator()() { return generator->random_(); }
    Generator* generator;
  };
  // Other sizes of the same product.
  DimVector Regroup(const DimVector& sizes) {
    DimVector result;
    for (int64_t size : sizes) {
      if (!result.empty() && Chance(35)) {
        result.back() *= size;
      } else if (size == 4 && Chance(40)) {
        result.push_back(2), result.push_back(2);
      } else if (size == 1 && Chance(60)) {
        continue;
      } else {
        result.push_back(size);
      }
      if (Chance(15)) result.push_back(1);
    }
    return result;
  }

  Op Reduction() {
    Op x = Any();
    const Shape& shape = x->shape();
    const PrimitiveType type = shape.element_type();
    const int64_t rank = shape.rank();
    const HloOpcode opcode = ReducerOpcode(type);
    switch (Below(10)) {
      default: {
        DimVector dimensions;
        for (int64_t d = 0; d < rank; ++d) {
          if (Chance(55)) dimensions.push_back(d);
        }
        return Make(HloOpcode::kReduce, {x, Init(opcode, type)}, DimensionsAttributes{dimensions}, {Binary(opcode, type)});
      }
      case 0: return ArgMax(x);
      case 5: return Chance(60) ? SelectAndScatter(x) : OnHalves(x);
      case 6:
        if (Chance(20)) return LongScan();
        return nullptr;
      case 1:
      case 2: {
        if (rank == 0) return nullptr;
        Window window;
        for (int64_t d = 0; d < rank; ++d) {
          WindowDimension w;
          w.size = 1 + Below(std::min<int64_t>(3, std::max<int64_t>(1, shape.dimensions(d))));
          w.stride = 1 + Below(2);
          if (Chance(30)) w.padding_low = Below(2), w.padding_high = Below(2);
          if (Chance(10)) w.base_dilation = 2;
          if (Chance(10)) w.window_dilation = 2;
          if (Chance(15)) w = {.size = shape.dimensions(d), .padding_low = shape.dimensions(d) - 1};  // a running sum
          window.push_back(w);
        }
        return Make(HloOpcode::kReduceWindow, {x, Init(opcode, type)}, WindowAttributes{window}, {Binary(opcode, type)});
      }
      case 3: {
        if (rank == 0 || IsComplex(type)) return nullptr;
        const int64_t d = Below(rank);
        Ops operands{x};
        std::vector<PrimitiveType> types{type};
        for (int64_t k = Below(3); k > 0; --k) {
          Op other = Like(shape.WithElementType(RandomType()));
          if (other == nullptr || IsComplex(other->shape().element_type())) continue;
          operands.push_back(other), types.push_back(other->shape().element_type());
        }
        HloComputation* less = MakeComparator(module_, Chance(70) ? ComparisonDirection::kLt : ComparisonDirection::kGt, types);
        Op sorted = Make(HloOpcode::kSort, operands, SortAttributes{{d}, true}, {less});
        return operands.size() == 1 ? sorted : Elements(sorted);
      }
      case 4: {
        if (Op top = rank > 0 && (IsFloat(type) || IsInteger(type)) && shape.dimensions(rank - 1) > 0
                         ? Make(HloOpcode::kTopK, {x}, TopKAttributes{1 + Below(shape.dimensions(rank - 1)), true})
                         : nullptr) {
          return Elements(top);
        }
        return nullptr;
      }
    }
  }
  // The gradient of pooling.
  Op SelectAndScatter(Op x) {
    const PrimitiveType type = x->shape().element_type();
    if (x->shape().rank() == 0 || IsComplex(type) || x->shape().ElementCount() == 0) return nullptr;
    Window window;
    DimVector sizes;
    for (int64_t d = 0; d < x->shape().rank(); ++d) {
      WindowDimension w;
      w.size = 1 + Below(std::min<int64_t>(3, x->shape().dimensions(d)));
      w.stride = 1 + Below(2);
      w.padding_low = Chance(30), w.padding_high = Chance(30);
      window.push_back(w);
      sizes.push_back((x->shape().dimensions(d) + w.padding_low + w.padding_high - w.size) / w.stride + 1);
    }
    const PrimitiveType types[] = {type};
    HloComputation* select = MakeComparator(module_, Chance(70) ? ComparisonDirection::kGe : ComparisonDirection::kLt, types);
    const HloOpcode opcode = ReducerOpcode(type);
    return Make(HloOpcode::kSelectAndScatter, {x, Like(Shape::Array(type, sizes)), Init(opcode, type)}, WindowAttributes{window},
                {select, Binary(opcode, type)});
  }
  // A running sum that is long enough to be cut up.
  Op LongScan() {
    const PrimitiveType type = Pick({PrimitiveType::S32, PrimitiveType::F32, PrimitiveType::U8});
    const int64_t n = 100 + Below(200);
    const Shape shape = Chance(70) ? Shape::Array(type, {n}) : Shape::Array(type, {n, 1});
    const HloOpcode opcode = ReducerOpcode(type);
    Window window(static_cast<size_t>(shape.rank()));
    window[0].size = n;
    (Chance(60) ? window[0].padding_low : window[0].padding_high) = n - 1;
    return Make(HloOpcode::kReduceWindow, {Like(shape), Init(opcode, type)}, WindowAttributes{window}, {Binary(opcode, type)});
  }
  // The same operation on both halves of some arrays.
  Op OnHalves(Op x) {
    const Shape& shape = x->shape();
    if (shape.rank() == 0 || shape.dimensions(0) < 2) return nullptr;
    Op y = Like(shape);
    const int64_t cut = 1 + Below(shape.dimensions(0) - 1);
    Op last = nullptr;
    const HloOpcode opcode = Pick({HloOpcode::kAdd, HloOpcode::kMultiply, HloOpcode::kMaximum});
    for (const bool high : {false, true}) {
      SliceRanges ranges;
      for (int64_t size : shape.dimensions()) ranges.push_back({0, size, 1});
      (high ? ranges[0].start : ranges[0].limit) = cut;
      last = Make(opcode, {Make(HloOpcode::kSlice, {x}, SliceAttributes{ranges}), Make(HloOpcode::kSlice, {y}, SliceAttributes{ranges})});
    }
    return last;
  }
  // The largest element and where it is: a reduction of two arrays.
  Op ArgMax(Op x) {
    const PrimitiveType type = x->shape().element_type();
    if (x->shape().rank() == 0 || !(IsInteger(type) || IsFloat(type))) return nullptr;
    const Shape indices = Shape::Array(PrimitiveType::S32, x->shape().dimensions());
    const int64_t d = Below(x->shape().rank());
    Op iota = Make(HloOpcode::kIota, {}, IotaAttributes{d}, {}, &indices);
    Begin("argmax");
    Op a = Parameter(Shape::Scalar(type)), i = Parameter(Shape::Scalar(PrimitiveType::S32));
    Op b = Parameter(Shape::Scalar(type)), k = Parameter(Shape::Scalar(PrimitiveType::S32));
    Op better = Make(HloOpcode::kCompare, {a, b}, CompareAttributes{ComparisonDirection::kGe, ComparisonType::kDefault});
    Op most = Make(HloOpcode::kSelect, {better, a, b}), where = Make(HloOpcode::kSelect, {better, i, k});
    computation()->set_root(computation()->AddTuple(Ops{most, where}));
    HloComputation* reducer = computation();
    frames_.pop_back();
    Op lowest = Keep(computation()->AddConstant(Literal::MinValue(type)));
    return Elements(Make(HloOpcode::kReduce, {x, iota, lowest, Constant(PrimitiveType::S32, 0)}, DimensionsAttributes{{d}}, {reducer}));
  }
  // Some of what is in a tuple.
  Op Elements(Op tuple) {
    if (tuple == nullptr) return nullptr;
    Op last = nullptr;
    const int64_t n = tuple->shape().tuple_size();
    for (int64_t k = 0; k < n; ++k) {
      if (Chance(70) || (last == nullptr && k == n - 1)) last = Make(HloOpcode::kGetTupleElement, {tuple}, GetTupleElementAttributes{k});
    }
    return last;
  }

  Op Contraction() {
    Op x = Any();
    const PrimitiveType type = x->shape().element_type();
    const int64_t rank = x->shape().rank();
    if (Chance(80)) {
      DotAttributes a;
      DimVector sizes;  // of the right side
      for (int64_t d = 0; d < rank; ++d) {
        const int64_t at = static_cast<int64_t>(sizes.size());
        if (Chance(15) && at < 2) a.lhs_batch_dims.push_back(d), a.rhs_batch_dims.push_back(at), sizes.push_back(x->shape().dimensions(d));
        else if (Chance(50)) a.lhs_contracting_dims.push_back(d), a.rhs_contracting_dims.push_back(at), sizes.push_back(x->shape().dimensions(d));
        if (Chance(25)) sizes.push_back(1 + Below(3));
      }
      Op y = Like(Shape::Array(type, sizes));
      const Shape result = Shape::Array(type, {});
      return Make(HloOpcode::kDot, {x, y}, a, {}, &result);
    }
    if (rank != 3 || !IsFloat(type) || x->shape().ElementCount() == 0) return nullptr;
    ConvolutionAttributes a;  // [batch, width, feature]
    a.dim_labels.input_batch = 0, a.dim_labels.input_feature = 2, a.dim_labels.input_spatial = {1};
    a.dim_labels.kernel_input_feature = 1, a.dim_labels.kernel_output_feature = 2, a.dim_labels.kernel_spatial = {0};
    a.dim_labels.output_batch = 0, a.dim_labels.output_feature = 2, a.dim_labels.output_spatial = {1};
    WindowDimension w;
    w.size = 1 + Below(2), w.stride = 1 + Below(2), w.padding_low = Below(2), w.padding_high = Below(2);
    a.window = {w};
    Op kernel = Like(Shape::Array(type, {w.size, x->shape().dimensions(2), 1 + Below(3)}));
    const Shape result = Shape::Array(type, {});
    return Make(HloOpcode::kConvolution, {x, kernel}, a, {}, &result);
  }

  Op Indexed() {
    Op x = Any();
    const Shape& shape = x->shape();
    const int64_t rank = shape.rank();
    if (rank == 0 || shape.ElementCount() == 0) return nullptr;
    const int64_t indexed = 1 + Below(rank), count = 1 + Below(3);
    DimVector window, update_sizes{count};
    DimVector collapsed, offsets, map, slice;
    for (int64_t d = 0; d < rank; ++d) slice.push_back(1 + Below(shape.dimensions(d)));
    for (int64_t k = 0; k < indexed; ++k) map.push_back(k);
    if (Chance(25)) std::shuffle(map.begin(), map.end(), Shuffler{this});
    for (int64_t d = 0; d < rank; ++d) {
      if (slice[d] == 1 && Chance(60)) {
        collapsed.push_back(d);
      } else {
        offsets.push_back(static_cast<int64_t>(offsets.size()) + 1);
        update_sizes.push_back(slice[d]);
      }
    }
    const bool vector = Chance(75) || indexed != 1;
    Op indices = Like(Shape::Array(PrimitiveType::S32, vector ? DimVector{count, indexed} : DimVector{count}));
    if (Chance(50)) {
      GatherAttributes a;
      a.offset_dims = offsets, a.collapsed_slice_dims = collapsed, a.start_index_map = map, a.index_vector_dim = 1, a.slice_sizes = slice;
      return Make(HloOpcode::kGather, {x, indices}, a);
    }
    ScatterAttributes a;
    a.update_window_dims = offsets, a.inserted_window_dims = collapsed, a.scatter_dims_to_operand_dims = map, a.index_vector_dim = 1;
    const PrimitiveType type = shape.element_type();
    return Make(HloOpcode::kScatter, {x, indices, Like(Shape::Array(type, update_sizes))}, a, {Binary(ReducerOpcode(type), type)});
  }

  Op Whole() {
    Op x = Floating();
    if (x->shape().rank() < 2 || x->shape().ElementCount() == 0) return nullptr;
    const int64_t last = x->shape().rank() - 1;
    const Shape feature = Shape::Array(x->shape().element_type(), {x->shape().dimensions(last)});
    switch (Below(5)) {
      case 3: {
        const Shape bits = Shape::Array(Pick({PrimitiveType::U32, PrimitiveType::U8, PrimitiveType::U64, PrimitiveType::S16, PrimitiveType::F32}), RandomSizes());
        Op state = DenseConstant(Shape::Array(PrimitiveType::U64, {2 + Below(2)}));
        const Shape both = Shape::Tuple({state->shape(), bits});
        const auto algorithm = static_cast<RandomAlgorithm>(Below(3));
        if (state->shape().dimensions(0) == 3 && algorithm == RandomAlgorithm::kRngThreeFry) return nullptr;
        return Elements(Make(HloOpcode::kRngBitGenerator, {state}, RngBitGeneratorAttributes{algorithm}, {}, &both));
      }
      case 4: return x->shape().dimensions(last) == x->shape().dimensions(last - 1) ? Make(HloOpcode::kCholesky, {x}, CholeskyAttributes{Chance(60)}) : nullptr;
      case 0:
        return Make(HloOpcode::kBatchNormInference, {x, Like(feature), Like(feature), Like(feature), Like(feature)},
                    BatchNormAttributes{0.5f, last});
      case 1: return Elements(Make(HloOpcode::kBatchNormTraining, {x, Like(feature), Like(feature)}, BatchNormAttributes{0.5f, last}));
      default: {
        const int64_t n = x->shape().dimensions(last);
        if (x->shape().dimensions(last - 1) != n) return nullptr;
        TriangularSolveAttributes a;
        a.left_side = Chance(50), a.lower = Chance(50), a.unit_diagonal = Chance(30);
        a.transpose_a = Chance(50) ? TransposeA::kNoTranspose : TransposeA::kTranspose;
        return Make(HloOpcode::kTriangularSolve, {x, Like(x->shape())}, a);
      }
    }
  }

  // A computation of these parameters and, if given, that result.
  HloComputation* Body(std::string_view name, const std::vector<Shape>& parameters, const std::vector<Shape>& results, int depth,
                       bool tuple_parameter, bool elementwise_only) {
    Begin(name);
    if (tuple_parameter) {
      Op p = computation()->AddParameter(0, Shape::Tuple(parameters), "p");
      for (size_t k = 0; k < parameters.size(); ++k) Make(HloOpcode::kGetTupleElement, {p}, GetTupleElementAttributes{static_cast<int64_t>(k)});
    } else {
      for (const Shape& shape : parameters) Parameter(shape);
    }
    if (elementwise_only) {
      for (int64_t k = 1 + Below(5); k > 0; --k) Chance(70) ? Elementwise() : Movement();
    } else {
      Grow(1 + Below(6), depth + 1);
    }
    if (values().empty()) Scalar(PrimitiveType::F32);
    if (results.empty()) {
      Op root = Any();
      values().push_back(root);
      return End(false);
    }
    Ops elements;
    for (size_t k = 0; k < results.size(); ++k) elements.push_back(k < values().size() && Chance(20) && values()[k]->shape().Compatible(results[k]) ? values()[k] : Like(results[k]));
    for (size_t k = 0; k < results.size(); ++k) {
      if (elements[k] == nullptr) elements[k] = Splat(results[k]);
    }
    values().push_back(computation()->AddTuple(elements));
    return End(false);
  }

  // A fusion's body has a root that nobody else in it reads, and no dead code.
  void MakeFusible(HloComputation* body, Ops& arguments) {
    if (body->root()->user_count() > 0 || body->root()->IsParameter() || body->root()->IsConstant()) {
      body->set_root(body->AddInstruction(HloOpcode::kCopy, body->root()->shape(), {body->root()}));
    }
    for (HloInstruction* i = body->last(); i != nullptr;) {
      HloInstruction* dead = i;
      i = i->prev();
      if (dead->user_count() == 0 && !dead->IsRoot() && !dead->IsParameter()) body->RemoveInstruction(dead);
    }
    for (int64_t k = body->parameter_count(); k-- > 0;) {
      if (body->parameter(k)->user_count() > 0) continue;
      body->RemoveParameter(k);
      arguments.erase(arguments.begin() + k);
    }
  }

  Op Control(int depth) {
    Ops arguments;
    std::vector<Shape> shapes;
    for (int64_t k = 1 + Below(3); k > 0; --k) {
      Op x = Any();
      arguments.push_back(x), shapes.push_back(Shape::Array(x->shape().element_type(), x->shape().dimensions()));
    }
    switch (Below(5)) {
      case 0: return Make(HloOpcode::kCall, arguments, CallAttributes{}, {Body("called", shapes, {}, depth, false, false)});
      case 1: {
        HloComputation* body = Body("fused", shapes, {}, depth, false, true);
        MakeFusible(body, arguments);
        const Shape result = body->root()->shape();
        return Make(HloOpcode::kFusion, arguments, FusionAttributes{FusionKind::kLoop, {}}, {body}, &result);
      }
      case 2: {
        // Branches of one operand, alike in their result.
        const bool pred = Chance(60);
        std::vector<Shape> results;
        for (int64_t k = 1 + Below(2); k > 0; --k) results.push_back(RandomShape());
        std::vector<HloComputation*> branches;
        Ops operands{pred ? Like(Shape::Scalar(PrimitiveType::PRED)) : Like(Shape::Scalar(PrimitiveType::S32))};
        for (int64_t k = pred ? 2 : 1 + Below(3); k > 0; --k) {
          Op x = Any();
          operands.push_back(x);
          branches.push_back(Body("branch", {Shape::Array(x->shape().element_type(), x->shape().dimensions())}, results, depth, false, false));
        }
        if (pred && Chance(15)) branches[1] = branches[0], operands[2] = operands[1];
        return Elements(Make(HloOpcode::kConditional, operands, std::monostate(), branches));
      }
      default: return Loop(arguments, shapes, depth);
    }
  }

  // for (i = start; i < limit; i += step) over a tuple of the counter and the arguments.
  Op Loop(Ops arguments, std::vector<Shape> shapes, int depth) {
    const PrimitiveType type = Chance(80) ? PrimitiveType::S32 : PrimitiveType::U32;
    const int64_t counter = Below(static_cast<int64_t>(shapes.size()) + 1), limit = Below(5), step = 1 + Below(2);
    shapes.insert(shapes.begin() + counter, Shape::Scalar(type));
    arguments.insert(arguments.begin() + counter, Constant(type, static_cast<double>(Chance(70) ? 0 : Below(3))));
    Begin("condition");
    Op p = computation()->AddParameter(0, Shape::Tuple(shapes), "p");
    Op i = Make(HloOpcode::kGetTupleElement, {p}, GetTupleElementAttributes{counter});
    Op less = Make(HloOpcode::kCompare, {i, Constant(type, static_cast<double>(limit))}, CompareAttributes{ComparisonDirection::kLt, ComparisonType::kDefault});
    computation()->set_root(less);
    HloComputation* condition = computation();
    frames_.pop_back();

    HloComputation* body = Body("body", shapes, shapes, depth, true, false);
    Op root = body->root();
    frames_.push_back({body, {}});
    Op read = body->AddGetTupleElement(body->parameter(0), counter);
    root->ReplaceOperandWith(counter, Make(HloOpcode::kAdd, {read, Constant(type, static_cast<double>(step))}));
    for (int64_t k = 0; k < static_cast<int64_t>(shapes.size()); ++k) {
      if (k != counter && Chance(25)) root->ReplaceOperandWith(k, body->AddGetTupleElement(body->parameter(0), k));
    }
    frames_.pop_back();
    Op init = computation()->AddTuple(arguments);
    return Elements(Make(HloOpcode::kWhile, {init}, std::monostate(), {condition, body}));
  }

  HloModule& module_;
  std::mt19937_64& random_;
  std::vector<Frame> frames_;
};

}  // namespace

std::unique_ptr<HloModule> RandomModule(uint64_t seed) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15u + 1);
  auto module = std::make_unique<HloModule>("random_" + std::to_string(seed));
  module->set_entry_computation(Generator(*module, random).Entry());
  // What was begun and did not fit.
  for (int64_t i = module->computation_count(); i-- > 0;) {
    HloComputation* computation = module->computations()[static_cast<size_t>(i)];
    if (computation == module->entry_computation() || !computation->callers().empty()) continue;
    module->RemoveComputation(computation);
    i = module->computation_count();  // what it called may be free now
  }
  return module;
}

}  // namespace hloir
