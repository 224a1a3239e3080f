// Places of elements in tiled layouts: worked examples of XLA's page on tiled layouts, and facts that hold for any.
#include "analysis/physical_layout.h"

#include <set>

#include "hloir/parser.h"
#include "tests/unit/catch.h"

namespace hloir {
namespace {

PhysicalLayout Placed(const std::string& text) {
  auto shape = ParseShape(text);
  REQUIRE(shape.ok());
  auto layout = PhysicalLayout::Of(*shape);
  INFO(layout.status().message());
  REQUIRE(layout.ok());
  return *layout;
}

// Every index of these sizes, in row-major order.
template <class F>
void ForEachIndex(const DimVector& sizes, F&& f) {
  DimVector index(sizes.size(), 0);
  for (;;) {
    f(index);
    size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

TEST_CASE("elements of a tiled layout lie where XLA's page says") {
  // Figure 1: tile (1,1) of 2x3 tiles of four, element (0,1) in it.
  const PhysicalLayout figure1 = Placed("f32[3,5]{1,0:T(2,2)}");
  CHECK(figure1.tiled_dimensions() == DimVector{2, 3, 2, 2});
  CHECK(figure1.LinearIndex({2, 3}) == 17);
  CHECK(figure1.BitOffset({2, 3}) == 17 * 32);
  CHECK(figure1.element_count() == 24);
  CHECK(figure1.byte_size() == 96);

  // Figure 2: 2x4 tiles, in them pairs of one column. By hand: the first row is 0 2 4 6 8 10 12 14, the second lies
  // between, the third begins behind the two tiles of 8.
  const PhysicalLayout figure2 = Placed("bf16[4,8]{1,0:T(2,4)(2,1)}");
  CHECK(figure2.LinearIndex({0, 0}) == 0);
  CHECK(figure2.LinearIndex({1, 0}) == 1);
  CHECK(figure2.LinearIndex({0, 1}) == 2);
  CHECK(figure2.LinearIndex({1, 3}) == 7);
  CHECK(figure2.LinearIndex({0, 4}) == 8);
  CHECK(figure2.LinearIndex({2, 0}) == 16);
  CHECK(figure2.LinearIndex({3, 7}) == 31);

  // The alternative packing of bf16: pairs of tiles, element by element.
  const PhysicalLayout pairs = Placed("bf16[8,8]{1,0:T(2,4)(2,1,1,1)}");
  CHECK(pairs.tiled_dimensions() == DimVector{2, 2, 2, 4, 2, 1, 1, 1});
  CHECK(pairs.LinearIndex({6, 5}) == 51);
}

TEST_CASE("an asterisk combines a dimension with the next more minor one") {
  // As f32[112,110] in tiles of 2x3.
  const PhysicalLayout combined = Placed("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
  const PhysicalLayout plain = Placed("f32[112,110]{1,0:T(2,3)}");
  CHECK(combined.element_count() == 112 * 111);
  for (const DimVector& at : {DimVector{0, 0, 0, 0, 0}, DimVector{1, 6, 7, 10, 9}, DimVector{1, 2, 3, 4, 5}}) {
    const int64_t row = (at[0] * 7 + at[1]) * 8 + at[2], column = at[3] * 10 + at[4];
    CHECK(combined.LinearIndex(at) == plain.LinearIndex({row, column}));
  }
}

TEST_CASE("without tiles the order of dimensions decides; tiles of few dimensions leave the major ones alone") {
  const PhysicalLayout columns = Placed("f32[3,5]{0,1}");
  CHECK(columns.LinearIndex({2, 3}) == 3 * 3 + 2);
  CHECK(columns.UntiledStride(0) == 1);
  CHECK(columns.UntiledStride(1) == 3);
  CHECK(Placed("f32[3,5]").LinearIndex({2, 3}) == 2 * 5 + 3);
  // A TPU's: 2 pictures of two tiles of 8x128.
  const PhysicalLayout tpu = Placed("f32[2,10,100]{2,1,0:T(8,128)}");
  CHECK(tpu.tiled_dimensions() == DimVector{2, 2, 1, 8, 128});
  CHECK(tpu.LinearIndex({1, 9, 99}) == 2048 + 1024 + 128 + 99);
  // A tile of more dimensions than the array has.
  CHECK(Placed("f32[5]{0:T(2,4)}").tiled_dimensions() == DimVector{1, 2, 2, 4});
  CHECK(Placed("f32[5]{0:T(2,4)}").LinearIndex({4}) == 8);
  CHECK(Placed("f32[]").LinearIndex({}) == 0);
  // Packed, and padded at the end.
  CHECK(Placed("s4[3,3]{1,0:E(4)}").BitOffset({2, 2}) == 32);
  CHECK(Placed("s4[3,3]{1,0:E(4)}").byte_size() == 5);
  CHECK(Placed("f32[100]{0:L(128)}").element_count() == 128);
}

TEST_CASE("no two elements share a place, and none lies outside") {
  for (const char* text : {"f32[3,5]{1,0:T(2,2)}", "f32[3,5]{0,1:T(2,2)}", "bf16[9,7]{1,0:T(4,4)(2,1)}",
                           "bf16[7,9]{0,1:T(2,4)(2,1,1,1)}", "f32[2,3,5]{0,2,1:T(*,2,3)}", "f32[5]{0:T(2,4)}"}) {
    CAPTURE(text);
    const PhysicalLayout layout = Placed(text);
    std::set<int64_t> places;
    int64_t count = 0;
    ForEachIndex(ParseShape(text)->dimensions(), [&](const DimVector& index) {
      const int64_t place = layout.LinearIndex(index);
      CHECK((place >= 0 && place < layout.element_count()));
      places.insert(place);
      ++count;
    });
    CHECK(static_cast<int64_t>(places.size()) == count);
  }
}

TEST_CASE("what does not lie in memory as an array is refused") {
  CHECK_FALSE(PhysicalLayout::Of(Shape::Token()).ok());
  CHECK_FALSE(PhysicalLayout::Of(Shape::Tuple({Shape::Scalar(PrimitiveType::F32)})).ok());
  Shape huge(PrimitiveType::F32, {int64_t{1} << 40, int64_t{1} << 40});
  CHECK(PhysicalLayout::Of(huge).status().code() == StatusCode::kResourceExhausted);
  auto tiled = ParseShape("f32[3,5]{1,0:T(2,2)}");
  LayoutExtras extras = tiled->layout().extras();
  for (int64_t wrong : {int64_t{0}, int64_t{-3}, Tile::kCombine}) {
    extras.tiles = {Tile{{2, wrong}}};
    Layout layout({1, 0});
    layout.set_extras(extras);
    Shape shape(PrimitiveType::F32, {3, 5});
    shape.set_layout(layout);
    CHECK(PhysicalLayout::Of(shape).status().code() == StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace hloir
