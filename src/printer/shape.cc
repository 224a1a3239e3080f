// The text of shapes and layouts: f32[2,<=3]{1,0:T(8,128)}, (s32[], pred[2]{0}). Entry points: Shape::ToString,
// Layout::ToString. The parser has the grammar. Covered by tests/unit/printer_test.cc.
#include "values.h"

namespace hloir {
namespace {

void AppendTileDimension(TextBuffer& out, int64_t size) {
  if (size == Tile::kCombine) out.Append('*');
  else out.AppendInt(size);
}

// The parts of a layout after the colon, in XLA's order. The sparse marks (D) are read but, as in XLA, not written.
void AppendLayoutExtras(TextBuffer& out, const LayoutExtras& extras) {
  if (!extras.tiles.empty()) {
    out.Append('T');
    for (const Tile& tile : extras.tiles) {
      out.Append('(');
      AppendJoined(out, tile.dimensions, ",", [&](int64_t size) { AppendTileDimension(out, size); });
      out.Append(')');
    }
  }
  auto number = [&](std::string_view mark, int64_t value) {
    out.Append(mark);
    out.AppendInt(value);
    out.Append(')');
  };
  auto type = [&](std::string_view mark, PrimitiveType value) {
    if (value == PrimitiveType::INVALID) return;
    out.Append(mark);
    out.Append(PrimitiveTypeName(value));
    out.Append(')');
  };
  if (extras.tail_padding_alignment_in_elements != 1) number("L(", extras.tail_padding_alignment_in_elements);
  type("#(", extras.index_primitive_type);
  type("*(", extras.pointer_primitive_type);
  if (extras.element_size_in_bits != 0) number("E(", extras.element_size_in_bits);
  if (extras.memory_space != 0) number("S(", extras.memory_space);
  if (!extras.split_configs.empty()) {
    out.Append("SC");
    for (const SplitConfig& split : extras.split_configs) {
      out.Append('(');
      out.AppendInt(split.dimension);
      out.Append(':');
      out.AppendInts(split.split_indices);
      out.Append(')');
    }
  }
  if (extras.physical_shape != nullptr) {
    out.Append("P(");
    AppendShape(out, *extras.physical_shape, true);
    out.Append(')');
  }
  if (extras.dynamic_shape_metadata_prefix_bytes != 0) number("M(", extras.dynamic_shape_metadata_prefix_bytes);
}

void AppendArrayShape(TextBuffer& out, const Shape& shape, bool with_layout) {
  out.Append(PrimitiveTypeName(shape.element_type()));
  out.Append('[');
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (i > 0) out.Append(',');
    if (shape.is_unbounded_dimension(i)) {
      out.Append('?');
      continue;
    }
    if (shape.is_dynamic_dimension(i)) out.Append("<=");
    out.AppendInt(shape.dimensions(i));
  }
  out.Append(']');
  // A scalar's layout is printed only if it has more than an order of dimensions.
  if (with_layout && shape.has_layout() && (shape.rank() > 0 || shape.layout().has_extras())) {
    AppendLayout(out, shape.layout());
  }
}

}  // namespace

void AppendLayout(TextBuffer& out, const Layout& layout) {
  out.Append('{');
  out.AppendInts(layout.minor_to_major());
  if (layout.has_extras()) {
    const size_t colon = out.size();
    out.Append(':');
    const size_t start = out.size();
    AppendLayoutExtras(out, layout.extras());
    if (out.size() == start) out.Truncate(colon);
  }
  out.Append('}');
}

// The parser limits the nesting of tuples and so the recursion.
void AppendTuple(TextBuffer& out, std::span<const Shape> shapes, bool with_layout) {
  out.Append('(');
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) out.Append(", ");
    if (i > 0 && i % 5 == 0) out.AppendAll("/*index=", static_cast<int64_t>(i), "*/");
    AppendShape(out, shapes[i], with_layout);
  }
  out.Append(')');
}

void AppendShape(TextBuffer& out, const Shape& shape, bool with_layout) {
  if (shape.IsTuple()) {
    AppendTuple(out, shape.tuple_shapes(), with_layout);
  } else if (shape.IsBuffer()) {
    out.Append("b(");
    if (shape.tuple_size() == 1) AppendShape(out, shape.tuple_shapes(0), with_layout);
    out.Append(')');
  } else {
    AppendArrayShape(out, shape, with_layout);
  }
}

std::string Shape::ToString(bool with_layout) const {
  TextBuffer out;
  AppendShape(out, *this, with_layout);
  return out.Take();
}

std::string Layout::ToString() const {
  TextBuffer out;
  AppendLayout(out, *this);
  return out.Take();
}

}  // namespace hloir
