// HloBuilder: makes a computation in C++, one maker per op. Each maker checks its operands and infers the result's
// shape; the first error sticks, later makers pass it on, and Build() gives it back, so that calls chain without
// checks.
//
// Example:
//
//   HloModule module("softmax");
//   HloBuilder b(module, "main");
//   const auto kF32 = PrimitiveType::F32;
//   auto x = b.Parameter(0, Shape::Array(kF32, {4, 8}), "x");
//   auto highest = b.Reduce(x, b.Constant(-INFINITY), {1}, MakeReducer(module, HloOpcode::kMaximum, kF32));
//   auto e = b.Exp(b.Subtract(x, b.Broadcast(highest, {4, 8}, {0})));
//   auto sum = b.Reduce(e, b.Constant(0.0f), {1}, MakeReducer(module, HloOpcode::kAdd, kF32));
//   Status status = b.BuildEntry(b.Divide(e, b.Broadcast(sum, {4, 8}, {0}))).status();
//
// Ops without attributes (Add, Tanh, Select, …) all come from opcodes.def: b.Add(x, y), b.Tanh(x), b.Select(p, x, y).
// tests/unit/builder_test.cc.
//
// Threads: a builder, and the module that it adds to, belong to one thread at a time.
#pragma once

#include <concepts>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hloir/module.h"
#include "hloir/status.h"

#pragma GCC visibility push(default)
namespace hloir {

// Builds the instructions of a computation and infers their shapes. Keeps the first error; Build returns it.
class HloBuilder {
  // The notation of opcodes.def.
  using None = NoAttributes;
  using enum CallKind;
  using enum OpShape;
  static constexpr int kVariadic = -1;
  static constexpr int kAtLeast(int n) { return -n - 1; }

 public:
  // nullptr after an error.
  using Op = HloInstruction*;
  using Ops = std::span<HloInstruction* const>;
  using OpList = std::initializer_list<HloInstruction*>;

  // Makes a computation called `name` (made unique) in `module`. The computation is removed unless Build succeeds.
  HloBuilder(HloModule& module, std::string_view name);
  // Adds to the computation of `place` instead, in front of `place` and with its metadata: for passes.
  //
  //   HloBuilder b(old);
  //   HloInstruction* made = b.Negate(b.Subtract(y, x));
  //   if (b.status().ok()) PutInPlaceOf(old, made);
  //
  // No Build is needed. After an error the destructor removes the added instructions.
  explicit HloBuilder(HloInstruction* place);
  ~HloBuilder();
  HloBuilder(const HloBuilder&) = delete;
  HloBuilder& operator=(const HloBuilder&) = delete;

  // Returns the computation with that root, or the first error, which names the op. The builder must not be used
  // afterwards.
  StatusOr<HloComputation*> Build(Op root);
  // The same, and it becomes the module's entry.
  StatusOr<HloComputation*> BuildEntry(Op root);
  const Status& status() const { return status_; }
  HloModule& module() { return module_; }
  HloComputation* computation() { return computation_; }
  // Names an instruction: auto y = b.Named("y", b.Add(x, x)).
  Op Named(std::string_view name, Op op);

  // All makers call it; call it directly for an op without a maker. `stated` is the shape of an op whose shape does not
  // follow from operands and attributes.
  template <class A = NoAttributes>
  Op Make(HloOpcode opcode, Ops operands, A attributes = {}, std::span<HloComputation* const> called = {},
          const Shape* stated = nullptr) {
    Attributes view;
    if constexpr (!std::is_same_v<A, NoAttributes>) view = &attributes;
    Shape shape;
    if (!Check(opcode, operands, view, called, stated, shape)) return nullptr;
    return Finish(computation_->AddInstruction(opcode, shape, operands, std::move(attributes)), called);
  }
  template <class A = NoAttributes>
  Op Make(HloOpcode opcode, OpList operands, A attributes = {}, std::initializer_list<HloComputation*> called = {},
          const Shape* stated = nullptr) {
    return Make(opcode, Ops(operands.begin(), operands.size()), std::move(attributes),
                std::span<HloComputation* const>(called.begin(), called.size()), stated);
  }

  // Abs … Xor, Clamp, Select, Copy, OptimizationBarrier, AddDependency, ReplicaId, …: each op of fixed arity that has
  // neither attributes nor computations and whose shape follows from its operands.
#define HLOIR_OP(name, text, arity, attributes, calls, shape, ...)                                             \
  template <std::same_as<HloInstruction*>... Operands>                                                         \
  requires((arity) == sizeof...(Operands) && std::is_same_v<attributes, None> && (calls) == CallKind::kNone && \
           (shape) != OpShape::kGiven) Op                                                                      \
  name(Operands... operands) {                                                                                 \
    return Make(HloOpcode::k##name, OpList{operands...});                                                      \
  }
#include "hloir/opcodes.def"
#undef HLOIR_OP

  // Values from nowhere.
  Op Parameter(int64_t number, const Shape& shape, std::string_view name = {});
  Op Constant(Literal literal);
  // bool, int32_t, int64_t, uint32_t, uint64_t, float and double give pred, s32, s64, u32, u64, f32 and f64.
  template <class T>
  requires std::is_arithmetic_v<T> Op Constant(T value) { return Constant(Literal::Scalar(TypeOf<T>(), value)); }
  template <class T>
  requires std::is_arithmetic_v<T> Op Constant(std::initializer_list<T> values) {
    Literal literal(Shape::Array(TypeOf<T>(), {static_cast<int64_t>(values.size())}));
    std::copy(values.begin(), values.end(), literal.data<T>().begin());
    return Constant(std::move(literal));
  }
  Op Constant(PrimitiveType type, double value);
  // A whole array of one value.
  Op Full(const Shape& shape, double value);
  Op Iota(const Shape& shape, int64_t dimension);
  Op Rng(RandomDistribution distribution, Op a, Op b, const Shape& shape);
  Op RngBitGenerator(RandomAlgorithm algorithm, Op state, const Shape& bits);

  // Elementwise with attributes.
  Op Compare(Op lhs, Op rhs, ComparisonDirection direction, ComparisonType type = ComparisonType::kDefault);
  Op Convert(Op x, PrimitiveType type);
  Op BitcastConvert(Op x, PrimitiveType type);
  Op Bitcast(Op x, const Shape& shape);
  Op ReducePrecision(Op x, int64_t exponent_bits, int64_t mantissa_bits);
  Op StochasticConvert(Op x, Op random, PrimitiveType type);

  // Data movement. Broadcast: operand dimension i becomes dimension `dimensions[i]` of an array of these sizes.
  Op Broadcast(Op x, const DimVector& sizes, const DimVector& dimensions);
  Op Reshape(Op x, const DimVector& sizes);
  Op Transpose(Op x, const DimVector& permutation);
  Op Reverse(Op x, const DimVector& dimensions);
  Op Concatenate(Ops xs, int64_t dimension);
  Op Concatenate(OpList xs, int64_t dimension) { return Concatenate(Ops(xs.begin(), xs.size()), dimension); }
  Op Slice(Op x, const DimVector& starts, const DimVector& limits, const DimVector& strides = {});
  Op DynamicSlice(Op x, Ops starts, const DimVector& sizes);
  Op DynamicSlice(Op x, OpList starts, const DimVector& sizes) {
    return DynamicSlice(x, Ops(starts.begin(), starts.size()), sizes);
  }
  Op DynamicUpdateSlice(Op x, Op update, Ops starts);
  Op DynamicUpdateSlice(Op x, Op update, OpList starts) {
    return DynamicUpdateSlice(x, update, Ops(starts.begin(), starts.size()));
  }
  Op Pad(Op x, Op value, const PaddingConfig& padding);
  Op Gather(Op x, Op indices, GatherAttributes attributes);
  Op Scatter(Ops xs, Op indices, Ops updates, ScatterAttributes attributes, HloComputation* to_apply);
  Op Scatter(Op x, Op indices, Op update, ScatterAttributes attributes, HloComputation* to_apply) {
    return Scatter(Ops(&x, 1), indices, Ops(&update, 1), std::move(attributes), to_apply);
  }
  Op GetDimensionSize(Op x, int64_t dimension);
  Op SetDimensionSize(Op x, Op size, int64_t dimension);

  // Contractions. `type` INVALID: the operands'.
  Op Dot(Op lhs, Op rhs, DotAttributes attributes, PrimitiveType type = PrimitiveType::INVALID);
  // The last dimension of lhs meets the first of rhs.
  Op MatMul(Op lhs, Op rhs, PrimitiveType type = PrimitiveType::INVALID);
  Op RaggedDot(Op lhs, Op rhs, Op group_sizes, RaggedDotAttributes attributes,
               PrimitiveType type = PrimitiveType::INVALID);
  Op Convolution(Op input, Op kernel, ConvolutionAttributes attributes, PrimitiveType type = PrimitiveType::INVALID);

  // Reductions and order. Several arrays at once give a tuple.
  Op Reduce(Ops xs, Ops inits, const DimVector& dimensions, HloComputation* to_apply);
  Op Reduce(Op x, Op init, const DimVector& dimensions, HloComputation* to_apply) {
    return Reduce(Ops(&x, 1), Ops(&init, 1), dimensions, to_apply);
  }
  Op ReduceWindow(Ops xs, Ops inits, const Window& window, HloComputation* to_apply);
  Op ReduceWindow(Op x, Op init, const Window& window, HloComputation* to_apply) {
    return ReduceWindow(Ops(&x, 1), Ops(&init, 1), window, to_apply);
  }
  Op SelectAndScatter(Op x, Op source, Op init, const Window& window, HloComputation* select, HloComputation* scatter);
  Op Map(Ops xs, HloComputation* to_apply);
  // Inputs are cut along `dimension`, carries go through whole: see InferShape.
  Op Scan(Ops inputs, Ops carries, int64_t dimension, HloComputation* to_apply, bool is_reverse = false);
  Op Sort(Ops xs, int64_t dimension, HloComputation* comparator, bool is_stable = false);
  Op Sort(OpList xs, int64_t dimension, HloComputation* comparator, bool is_stable = false) {
    return Sort(Ops(xs.begin(), xs.size()), dimension, comparator, is_stable);
  }
  Op TopK(Op x, int64_t k, bool largest = true);

  // Whole-array mathematics.
  Op Fft(Op x, FftType type, const DimVector& lengths);
  Op Cholesky(Op x, bool lower = true);
  Op TriangularSolve(Op a, Op b, TriangularSolveAttributes attributes);
  Op BatchNormTraining(Op x, Op scale, Op offset, float epsilon, int64_t feature_index);
  Op BatchNormInference(Op x, Op scale, Op offset, Op mean, Op variance, float epsilon, int64_t feature_index);
  Op BatchNormGrad(Op x, Op scale, Op mean, Op variance, Op grad_output, float epsilon, int64_t feature_index);

  // Tuples and control flow.
  Op Tuple(Ops elements);
  Op Tuple(OpList elements) { return Tuple(Ops(elements.begin(), elements.size())); }
  Op GetTupleElement(Op tuple, int64_t index);
  Op Call(HloComputation* to_apply, Ops operands);
  Op Call(HloComputation* to_apply, OpList operands) { return Call(to_apply, Ops(operands.begin(), operands.size())); }
  Op While(HloComputation* condition, HloComputation* body, Op init);
  Op Conditional(Op pred, Op true_operand, HloComputation* true_computation, Op false_operand,
                 HloComputation* false_computation);
  Op Conditional(Op branch_index, std::span<HloComputation* const> branches, Ops operands);
  Op Fusion(FusionKind kind, HloComputation* body, Ops operands);
  Op CustomCall(std::string target, const Shape& shape, Ops operands);
  Op CustomCall(std::string target, const Shape& shape, OpList operands) {
    return CustomCall(std::move(target), shape, Ops(operands.begin(), operands.size()));
  }
  Op AfterAll(Ops tokens = {});

  // Collectives.
  Op AllGather(Op x, int64_t dimension, int64_t shards, AllGatherAttributes attributes = {});
  Op AllReduce(Op x, HloComputation* to_apply, AllReduceAttributes attributes = {});
  Op ReduceScatter(Op x, int64_t dimension, int64_t shards, HloComputation* to_apply,
                   ReduceScatterAttributes attributes = {});
  Op AllToAll(Op x, int64_t dimension, AllToAllAttributes attributes = {});
  Op CollectivePermute(Op x, Int64Pairs source_target_pairs, OptionalInt64 channel_id = {});

 private:
  template <class T>
  static constexpr PrimitiveType TypeOf() {
    if constexpr (std::is_same_v<T, bool>) return PrimitiveType::PRED;
    else if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? PrimitiveType::F32 : PrimitiveType::F64;
    else if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? PrimitiveType::S8 : PrimitiveType::U8;
    else if constexpr (sizeof(T) == 2) return std::is_signed_v<T> ? PrimitiveType::S16 : PrimitiveType::U16;
    else if constexpr (sizeof(T) == 4) return std::is_signed_v<T> ? PrimitiveType::S32 : PrimitiveType::U32;
    else return std::is_signed_v<T> ? PrimitiveType::S64 : PrimitiveType::U64;
  }
  bool Check(HloOpcode opcode, Ops operands, const Attributes& attributes, std::span<HloComputation* const> called,
             const Shape* stated, Shape& shape);
  Op Finish(Op op, std::span<HloComputation* const> called);
  Op Fail(HloOpcode opcode, std::string_view message);
  void Discard();

  HloModule& module_;
  HloInstruction* const place_ = nullptr;  // where to add to a computation that was there
  std::vector<HloInstruction*> made_;      // with a place
  HloComputation* computation_;
  Status status_;
  bool done_ = false;
};

// A computation (type, type) -> type of one binary op, for reductions, scatters and all-reduces.
HloComputation* MakeReducer(HloModule& module, HloOpcode opcode, PrimitiveType type);
// A computation (a0, b0, a1, b1, …) -> pred that compares a0 with b0, for sorting arrays of these types together.
HloComputation* MakeComparator(HloModule& module, ComparisonDirection direction, std::span<const PrimitiveType> types);

// Adds ops and sets attributes by their names in HLO text, for bindings and scripts. C++ programs should use
// HloBuilder, whose names the compiler checks.
//
//   StatusOr<HloInstruction*> sum =
//       AddByName(main, "reduce", std::vector{x, zero}, {{"dimensions", "{1}"}, {"to_apply", "add"}});
//   Status edited = SetAttribute(**sum, "metadata", "{op_name=\"sum\"}");
//
// Errors are InvalidArgument and leave the module as it was. Tested by tests/unit/by_name_test.cc, on every instruction
// of the corpus.
//
// Threads: as for the module (module.h).

// Attributes as PrintAttributes (printer.h) gives them: a name, and the text after its '='. Called computations and
// control predecessors are of the same module; stack_frame_id of metadata is not copied.
using NamedAttributes = std::vector<std::pair<std::string, std::string>>;

// Adds an instruction at the end of the computation. Infers its shape (InferShape) and checks `shape` against it; ops
// whose shape cannot be inferred require `shape`. Parameters and constants have functions of their own, AddParameter
// and AddConstant.
StatusOr<HloInstruction*> AddByName(HloComputation& computation, std::string_view opcode,
                                    std::span<HloInstruction* const> operands, const NamedAttributes& attributes = {},
                                    const Shape* shape = nullptr, std::string_view name = {});

// Sets one attribute; "" resets it to its default or removes it. The shape must not change.
Status SetAttribute(HloInstruction& instruction, std::string_view name, std::string_view value);

}  // namespace hloir
#pragma GCC visibility pop
