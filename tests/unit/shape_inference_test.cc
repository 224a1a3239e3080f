// InferShape: the shapes that text may omit, and cases that the verifier's files (tests/verifier_errors) cannot
// express: dynamic and unbounded dimensions, layouts, mixed precision, and sizes at the edge of 64 bits.
#include <string>
#include <vector>

#include "hloir/builder.h"
#include "hloir/parser.h"
#include "shape_inference/shape_inference.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

Shape S(const std::string& text) {
  StatusOr<Shape> shape = ParseShape(text);
  INFO(text);
  REQUIRE(shape.ok());
  return *shape;
}

// The inferred shape as text, or the error.
template <class A = NoAttributes>
std::string Infer(HloOpcode opcode, std::vector<std::string> operand_texts, A attributes = {},
                  const std::string& stated_text = "", std::vector<HloComputation*> called = {}) {
  std::vector<Shape> shapes;
  for (const std::string& text : operand_texts) shapes.push_back(S(text));
  std::vector<const Shape*> operands;
  for (const Shape& shape : shapes) operands.push_back(&shape);
  Attributes view;
  if constexpr (!std::is_same_v<A, NoAttributes>) view = &attributes;
  Shape stated;
  if (!stated_text.empty()) stated = S(stated_text);
  StatusOr<Shape> inferred = InferShape(opcode, operands, view, called, stated_text.empty() ? nullptr : &stated);
  return inferred.ok() ? inferred->ToString(/*with_layout=*/false) : inferred.status().message();
}
DimensionsAttributes Dims(DimVector dimensions) { return {std::move(dimensions)}; }
using Op = HloOpcode;

TEST_CASE("dynamic dimensions go through") {
  CHECK(Infer(Op::kAdd, {"f32[<=8,3]", "f32[8,3]"}) == "f32[<=8,3]");
  CHECK(Infer(Op::kTranspose, {"f32[<=8,3]"}, Dims({1, 0})) == "f32[3,<=8]");
  CHECK(Infer(Op::kConcatenate, {"f32[<=8,3]", "f32[4,3]"}, Dims({0})) == "f32[<=12,3]");
  CHECK(Infer(Op::kConcatenate, {"f32[<=8,3]", "f32[8,5]"}, Dims({1})) == "f32[<=8,8]");
  CHECK(Infer(Op::kSlice, {"f32[<=8,<=3]"}, SliceAttributes{{{0, 8, 1}, {0, 2, 1}}}) == "f32[<=8,2]");
  CHECK(Infer(Op::kPad, {"f32[<=8]", "f32[]"}, PadAttributes{{{1, 2, 1}}}) == "f32[<=18]");
  DotAttributes dot;
  dot.lhs_contracting_dims = {1};
  dot.rhs_contracting_dims = {0};
  CHECK(Infer(Op::kDot, {"f32[<=8,3]", "f32[3,<=4]"}, dot) == "f32[<=8,<=4]");
  CHECK(Infer(Op::kSetDimensionSize, {"f32[8,3]", "s32[]"}, Dims({1})) == "f32[8,<=3]");
  CHECK(Infer(Op::kDynamicSlice, {"f32[<=8,3]", "s32[]", "s32[]"}, DynamicSliceAttributes{{8, 2}}) == "f32[<=8,2]");
}

TEST_CASE("unbounded dimensions fit any and lose to a known size") {
  CHECK(Infer(Op::kAdd, {"f32[?,3]", "f32[8,3]"}) == "f32[8,3]");
  CHECK(Infer(Op::kAdd, {"f32[?,3]", "f32[<=8,?]"}) == "f32[<=8,3]");
  CHECK(Infer(Op::kAdd, {"f32[?,3]", "f32[?,3]"}) == "f32[?,3]");
  CHECK(Infer(Op::kAdd, {"f32[?,3]", "f32[8,4]"}) == "operands differ in dimensions: f32[?,3] and f32[8,4]");
  CHECK(Infer(Op::kConcatenate, {"f32[?]", "f32[4]"}, Dims({0})) == "f32[?]");
  CHECK(Infer(Op::kTranspose, {"f32[?,3]"}, Dims({1, 0})) == "f32[3,?]");
  CHECK(Infer(Op::kReshape, {"f32[?,3]"}, ReshapeAttributes{}, "f32[?]") == "f32[?]");
  CHECK(Infer(Op::kPad, {"f32[?]", "f32[]"}, PadAttributes{{{1, 2, 0}}}) == "f32[?]");
}

TEST_CASE("floats of different widths may meet, and the wider one wins") {
  CHECK(Infer(Op::kAdd, {"bf16[4]", "f32[4]"}) == "f32[4]");
  CHECK(Infer(Op::kAdd, {"f16[4]", "bf16[4]"}) == "bf16[4]");
  CHECK(Infer(Op::kAdd, {"f8e4m3fn[4]", "f8e5m2[4]"}) == "f8e5m2[4]");
  CHECK(Infer(Op::kSelect, {"pred[]", "bf16[4]", "f32[4]"}) == "f32[4]");
  CHECK(Infer(Op::kAdd, {"s32[4]", "s64[4]"}) == "operands differ in element type: s32[4] and s64[4]");
  DotAttributes dot;
  dot.lhs_contracting_dims = {1};
  dot.rhs_contracting_dims = {0};
  CHECK(Infer(Op::kDot, {"bf16[4,2]", "bf16[2,3]"}, dot) == "bf16[4,3]");
  CHECK(Infer(Op::kDot, {"bf16[4,2]", "bf16[2,3]"}, dot, "f32[4,3]") == "f32[4,3]");
  CHECK(Infer(Op::kDot, {"s8[4,2]", "s32[2,3]"}, dot) == "s32[4,3]");
}

TEST_CASE("elementwise results take the operand's layout, transposes permute it, the rest gets the default") {
  Shape columns = S("f32[2,3]{0,1}");
  const Shape* one[] = {&columns};
  StatusOr<Shape> negated = InferShape(Op::kNegate, one, {}, {});
  REQUIRE(negated.ok());
  CHECK(*negated == columns);
  StatusOr<Shape> finite = InferShape(Op::kIsFinite, one, {}, {});
  REQUIRE(finite.ok());
  CHECK(*finite == S("pred[2,3]{0,1}"));
  DimensionsAttributes swap{{1, 0}};
  StatusOr<Shape> transposed = InferShape(Op::kTranspose, one, &swap, {});
  REQUIRE(transposed.ok());
  CHECK(*transposed == S("f32[3,2]{1,0}"));
  SliceAttributes half{{{0, 1, 1}, {0, 3, 1}}};
  StatusOr<Shape> sliced = InferShape(Op::kSlice, one, &half, {});
  REQUIRE(sliced.ok());
  CHECK(*sliced == S("f32[1,3]{1,0}"));
}

TEST_CASE("windows") {
  auto window = [](WindowDimension w) {
    HloModule module("m");
    HloComputation* add = MakeReducer(module, HloOpcode::kAdd, PrimitiveType::F32);
    return Infer(Op::kReduceWindow, {"f32[10]", "f32[]"}, WindowAttributes{{w}}, "", {add});
  };
  CHECK(window({3, 1, 0, 0, 1, 1, false}) == "f32[8]");
  CHECK(window({3, 2, 1, 1, 1, 1, false}) == "f32[5]");
  CHECK(window({3, 1, 0, 0, 2, 1, false}) == "f32[17]");
  CHECK(window({3, 1, 0, 0, 1, 4, false}) == "f32[2]");
  CHECK(window({3, 1, -4, -4, 1, 1, false}) == "f32[0]");
  CHECK(window({11, 1, 0, 0, 1, 1, false}) == "f32[0]");
}

TEST_CASE("sizes past 64 bits are errors, not wrap-around") {
  const std::string huge = std::to_string(INT64_MAX);
  const std::string error = "a dimension of the result passes 64 bits";
  CHECK(Infer(Op::kConcatenate, {"f32[" + huge + "]", "f32[" + huge + "]"}, Dims({0})) == error);
  CHECK(Infer(Op::kPad, {"f32[" + huge + "]", "f32[]"}, PadAttributes{{{0, 1, 0}}}) == error);
  CHECK(Infer(Op::kPad, {"f32[" + huge + "]", "f32[]"}, PadAttributes{{{0, 0, INT64_MAX}}}) == error);
}

TEST_CASE("what must be stated is asked for") {
  CHECK(Infer(Op::kReshape, {"f32[6]"}, ReshapeAttributes{}) == "the result shape of reshape must be stated");
  CHECK(Infer(Op::kConvert, {"f32[6]"}) == "the result shape of convert must be stated");
}

TEST_CASE("ingredients that are not the opcode's") {
  CHECK(Infer(Op::kAdd, {"f32[6]"}) == "add takes 2 operands, not 1");
  CHECK(Infer(Op::kConcatenate, {}, Dims({0})) == "concatenate takes at least 1 operand, not 0");
  CHECK(Infer(Op::kTranspose, {"f32[6]"}) == "transpose lacks the attributes of its opcode");
  CHECK(Infer(Op::kReduce, {"f32[6]", "f32[]"}, Dims({0})) == "reduce calls one computation, not 0");
  HloModule module("m");
  HloComputation* add = MakeReducer(module, HloOpcode::kAdd, PrimitiveType::F32);
  CHECK(Infer(Op::kNegate, {"f32[6]"}, NoAttributes{}, "", {add}) == "negate calls no computations, but has 1");
  CHECK(Infer(Op::kReduce, {"f32[6]", "f32[]"}, Dims({0}), "", {nullptr}) == "reduce calls a computation without root");
}

TEST_CASE("tuples that grow with every line are stopped") {
  Shape tuple = Shape::Tuple({});
  Status status;
  int depth = 0;
  for (; depth < 5000 && status.ok(); ++depth) {
    const Shape* operands[] = {&tuple};
    StatusOr<Shape> next = InferShape(Op::kTuple, operands, {}, {});
    status = next.status();
    if (next.ok()) tuple = *std::move(next);
  }
  CHECK(status.code() == StatusCode::kResourceExhausted);
  tuple = Shape::Tuple({});
  for (status = {}, depth = 0; depth < 64 && status.ok(); ++depth) {
    const Shape* operands[] = {&tuple, &tuple};
    StatusOr<Shape> next = InferShape(Op::kTuple, operands, {}, {});
    status = next.status();
    if (next.ok()) tuple = *std::move(next);
  }
  CHECK(status.code() == StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace hloir
