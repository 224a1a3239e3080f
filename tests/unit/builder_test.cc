// HloBuilder: built modules are legal and as expected, the first error is kept and names its op, and the example in
// builder.h works.
#include <cmath>
#include <string>

#include "hloir/builder.h"
#include "hloir/verifier.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

constexpr PrimitiveType kF32 = PrimitiveType::F32;
Shape F32(DimVector sizes) { return Shape::Array(kF32, std::move(sizes)); }

void RequireLegal(const HloModule& module) {
  for (const VerifierError& error : VerifyModuleAll(module)) {
    INFO((error.instruction != nullptr ? std::string(error.instruction->name()) : "module") << ": " << error.message);
    CHECK(false);
  }
}

TEST_CASE("the example of builder.h") {
  HloModule module("softmax");
  HloBuilder b(module, "main");
  auto x = b.Parameter(0, Shape::Array(PrimitiveType::F32, {4, 8}), "x");
  auto highest = b.Reduce(x, b.Constant(-INFINITY), {1}, MakeReducer(module, HloOpcode::kMaximum, PrimitiveType::F32));
  auto e = b.Exp(b.Subtract(x, b.Broadcast(highest, {4, 8}, {0})));
  auto sum = b.Reduce(e, b.Constant(0.0f), {1}, MakeReducer(module, HloOpcode::kAdd, PrimitiveType::F32));
  Status status = b.BuildEntry(b.Divide(e, b.Broadcast(sum, {4, 8}, {0}))).status();

  REQUIRE(status.ok());
  RequireLegal(module);
  CHECK(module.entry_computation()->root()->shape() == F32({4, 8}));
  CHECK(module.entry_computation()->instruction_count() == 10);
  CHECK(highest->shape() == F32({4}));
  CHECK(module.computation_count() == 3);
}

TEST_CASE("data movement and contractions") {
  HloModule module("m");
  HloBuilder b(module, "main");
  auto x = b.Parameter(0, F32({4, 8}), "x");
  auto y = b.Parameter(1, F32({8, 16}), "y");
  auto i = b.Parameter(2, Shape::Scalar(PrimitiveType::S32), "i");
  auto xy = b.MatMul(x, y);
  CHECK(xy->shape() == F32({4, 16}));
  CHECK(b.MatMul(x, y, PrimitiveType::F64)->shape().element_type() == PrimitiveType::F64);
  CHECK(b.Transpose(x, {1, 0})->shape().Compatible(F32({8, 4})));
  CHECK(b.Reshape(x, {32})->shape() == F32({32}));
  CHECK(b.Reverse(x, {1})->shape() == F32({4, 8}));
  CHECK(b.Concatenate({x, x}, 0)->shape() == F32({8, 8}));
  CHECK(b.Slice(x, {1, 0}, {3, 8}, {1, 3})->shape() == F32({2, 3}));
  CHECK(b.Slice(x, {1, 0}, {3, 8})->shape() == F32({2, 8}));
  CHECK(b.DynamicSlice(x, {i, i}, {2, 2})->shape() == F32({2, 2}));
  CHECK(b.DynamicUpdateSlice(x, b.Full(F32({2, 2}), 7), {i, i})->shape() == F32({4, 8}));
  CHECK(b.Pad(x, b.Constant(0.0f), {{1, 1, 0}, {0, 0, 2}})->shape() == F32({6, 22}));
  CHECK(b.Iota(Shape::Array(PrimitiveType::S32, {3}), 0)->shape().rank() == 1);
  auto indices = b.Constant<int32_t>({0, 2, 2});
  GatherAttributes rows;
  rows.offset_dims = {1};
  rows.collapsed_slice_dims = {0};
  rows.start_index_map = {0};
  rows.index_vector_dim = 1;
  rows.slice_sizes = {1, 8};
  auto gathered = b.Gather(x, indices, rows);
  CHECK(gathered->shape() == F32({3, 8}));
  ScatterAttributes to_rows;
  to_rows.update_window_dims = {1};
  to_rows.inserted_window_dims = {0};
  to_rows.scatter_dims_to_operand_dims = {0};
  to_rows.index_vector_dim = 1;
  CHECK(b.Scatter(x, indices, gathered, to_rows, MakeReducer(module, HloOpcode::kAdd, kF32))->shape() == F32({4, 8}));
  ConvolutionAttributes convolution;
  convolution.window = {{3, 1, 1, 1, 1, 1, false}, {3, 2, 0, 0, 1, 1, false}};
  convolution.dim_labels = {0, 3, 2, 3, 0, 3, {1, 2}, {0, 1}, {1, 2}};
  CHECK(b.Convolution(b.Full(F32({1, 10, 11, 2}), 1), b.Full(F32({3, 3, 2, 5}), 1), convolution)->shape() ==
        F32({1, 10, 5, 5}));
  REQUIRE(b.BuildEntry(xy).ok());
  RequireLegal(module);
}

TEST_CASE("elementwise makers come from the opcode table") {
  HloModule module("m");
  HloBuilder b(module, "main");
  auto x = b.Parameter(0, F32({4}), "x");
  auto p = b.Compare(x, b.Full(F32({4}), 0), ComparisonDirection::kGt);
  CHECK(p->shape().element_type() == PrimitiveType::PRED);
  auto y = b.Select(p, b.Tanh(x), b.Negate(b.Sqrt(b.Abs(x))));
  y = b.Clamp(b.Constant(-1.0f), y, b.Constant(1.0f));
  y = b.Add(y, b.Convert(b.Convert(x, PrimitiveType::BF16), kF32));
  y = b.ReducePrecision(b.Power(y, x), 5, 10);
  auto c = b.Complex(y, y);
  CHECK(c->shape().element_type() == PrimitiveType::C64);
  CHECK(b.BitcastConvert(x, PrimitiveType::U8)->shape() == Shape::Array(PrimitiveType::U8, {4, 4}));
  REQUIRE(b.BuildEntry(b.Tuple({b.Real(c), b.IsFinite(y), b.ReplicaId(), b.OptimizationBarrier(y)})).ok());
  RequireLegal(module);
}

TEST_CASE("loops, branches, calls and sorts") {
  HloModule module("m");
  const Shape counter = Shape::Scalar(PrimitiveType::S32), state = Shape::Tuple({counter, F32({4})});
  auto make = [&](std::string_view name, auto body) {
    HloBuilder b(module, name);
    auto built = b.Build(body(b, b.Parameter(0, state)));
    REQUIRE(built.ok());
    return *built;
  };
  HloComputation* condition = make("condition", [](HloBuilder& b, auto s) {
    return b.Compare(b.GetTupleElement(s, 0), b.Constant(10), ComparisonDirection::kLt);
  });
  HloComputation* body = make("body", [](HloBuilder& b, auto s) {
    auto x = b.GetTupleElement(s, 1);
    return b.Tuple({b.Add(b.GetTupleElement(s, 0), b.Constant(1)), b.Multiply(x, x)});
  });
  HloBuilder b(module, "main");
  auto x = b.Parameter(0, F32({4}), "x");
  auto p = b.Parameter(1, Shape::Scalar(PrimitiveType::PRED), "p");
  auto loop = b.While(condition, body, b.Tuple({b.Constant(0), x}));
  CHECK(loop->shape() == state);
  CHECK(loop->while_body() == body);
  auto chosen = b.Conditional(p, loop, body, loop, body);
  auto called = b.Call(body, {chosen});
  const PrimitiveType types[] = {kF32, PrimitiveType::S32};
  HloComputation* before = MakeComparator(module, ComparisonDirection::kLt, types);
  auto sorted =
      b.Sort({b.GetTupleElement(called, 1), b.Iota(Shape::Array(PrimitiveType::S32, {4}), 0)}, 0, before, true);
  CHECK(sorted->shape().tuple_size() == 2);
  auto top = b.TopK(b.GetTupleElement(sorted, 0), 2);
  auto custom = b.CustomCall("target", F32({2}), {b.GetTupleElement(top, 0)});
  REQUIRE(b.BuildEntry(b.Tuple({custom, b.AfterAll()})).ok());
  RequireLegal(module);
}

TEST_CASE("the first error sticks, names its op, and comes out of Build") {
  HloModule module("m");
  {
    HloBuilder b(module, "main");
    auto x = b.Parameter(0, F32({4}), "x");
    auto y = b.Parameter(1, F32({5}), "y");
    auto bad = b.Add(x, y);
    CHECK(bad == nullptr);
    auto later = b.Tanh(b.Multiply(bad, x));
    CHECK(later == nullptr);
    CHECK(b.Named("z", later) == nullptr);
    auto built = b.Build(later);
    REQUIRE(!built.ok());
    CHECK(built.status().message() == "add, instruction 2 of main: operands differ in dimensions: f32[4] and f32[5]");
  }
  CHECK(module.computation_count() == 0);
}

TEST_CASE("other mistakes") {
  HloModule module("m");
  auto error_of = [&](auto make) {
    HloBuilder b(module, "f");
    auto built = b.Build(make(b));
    return built.ok() ? std::string() : built.status().message();
  };
  using B = HloBuilder;
  CHECK(error_of([](B& b) { return b.Parameter(1, F32({4})); }) == "f has no parameter 0");
  CHECK(error_of([](B& b) { return b.Parameter(-1, F32({4})); }) ==
        "parameter, instruction 0 of f: number -1 is out of range");
  CHECK(error_of([](B& b) {
          b.Parameter(0, F32({4}), "x");
          return b.Parameter(0, F32({4}));
        }) == "parameter, instruction 1 of f: number 0 is taken by x");
  CHECK(error_of([](B&) { return B::Op(nullptr); }) == "f has no root");
  CHECK(error_of([](B& b) { return b.Tanh(B::Op(nullptr)); }) == "tanh, instruction 0 of f: operand 0 is missing");
  CHECK(error_of([](B& b) { return b.Call(nullptr, {}); }) ==
        "call, instruction 0 of f: call calls a computation without root");
  CHECK(error_of([](B& b) {
          return b.Slice(b.Constant(1.0f), {1}, {1, 2});
        }) == "slice, instruction 1 of f: starts, limits and strides differ in length");
  HloBuilder other(module, "other");
  auto stranger = other.Parameter(0, F32({4}), "stranger");
  CHECK(error_of([&](B& b) { return b.Tanh(stranger); }) ==
        "tanh, instruction 0 of f: operand 0, stranger, is of another computation");
  CHECK(error_of([&](B&) { return stranger; }) == "the root stranger is of another computation than f");
}

TEST_CASE("collectives") {
  HloModule module("m");
  module.config().replica_count = 4;
  HloBuilder b(module, "main");
  auto x = b.Parameter(0, F32({8, 16}), "x");
  HloComputation* add = MakeReducer(module, HloOpcode::kAdd, kF32);
  CHECK(b.AllGather(x, 0, 4)->shape() == F32({32, 16}));
  CHECK(b.ReduceScatter(x, 1, 4, add)->shape() == F32({8, 4}));
  CHECK(b.AllReduce(x, add)->shape() == F32({8, 16}));
  CHECK(b.AllToAll(x, 0)->shape() == F32({8, 16}));
  auto shifted = b.CollectivePermute(x, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  REQUIRE(b.BuildEntry(shifted).ok());
  RequireLegal(module);
}

TEST_CASE("a builder adds to a computation that is there, in front of an instruction") {
  HloModule module("m");
  HloBuilder b(module, "main");
  auto x = b.Parameter(0, F32({2, 3}), "x");
  auto old = b.Named("old", b.Negate(x));
  OpMetadata metadata;
  metadata.op_name = "source";
  old->set_metadata(metadata);
  REQUIRE(b.BuildEntry(b.Exp(old)).ok());
  HloComputation& main = *module.entry_computation();
  module.config().is_scheduled = true;
  {
    HloBuilder inside(old);
    auto sum = inside.Reduce(x, inside.Constant(0.0f), {1}, MakeReducer(module, HloOpcode::kAdd, kF32));
    auto made = inside.Broadcast(sum, {2, 3}, {0});
    REQUIRE(inside.status().ok());
    CHECK(sum->shape() == F32({2}));
    CHECK(made->next() == old);  // in front of it, so a schedule stays one
    CHECK(made->metadata()->op_name == "source");
    CHECK_FALSE(inside.Build(made).ok());
    old->ReplaceAllUsesWith(made);
    main.RemoveInstruction(old);
  }
  RequireLegal(module);
  CHECK(main.instruction_count() == 5);

  // An error removes the incomplete instructions.
  HloInstruction* root = main.root();
  {
    HloBuilder inside(root);
    auto half = inside.Tanh(x);
    CHECK(inside.Add(half, inside.Slice(x, {0, 0}, {1, 3}, {1, 1})) == nullptr);
    CHECK(inside.status().message().starts_with("add, instruction "));
  }
  CHECK(main.instruction_count() == 5);
  RequireLegal(module);
}

}  // namespace
}  // namespace hloir
