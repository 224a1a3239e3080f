// Shapes and layouts: sizes, comparison, hashing. Their text is written by printer/shape.cc and read by the parser.
#include "hloir/shape.h"

#include <functional>

#include "support/hash.h"

namespace hloir {
namespace {

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// Calls visit(leaf) for all leaves, depth first, without recursion: the depth of nested tuples is not bounded here.
template <class Visit>
void ForEachLeaf(const Shape& shape, Visit&& visit) {
  if (!shape.IsTuple()) return visit(shape);
  std::vector<const Shape*> stack{&shape};
  while (!stack.empty()) {
    const Shape* top = stack.back();
    stack.pop_back();
    if (!top->IsTuple()) {
      visit(*top);
      continue;
    }
    for (auto it = top->tuple_shapes().rbegin(); it != top->tuple_shapes().rend(); ++it) stack.push_back(&*it);
  }
}

}  // namespace

bool LayoutExtras::operator==(const LayoutExtras& o) const {
  bool same_physical = (physical_shape == nullptr) == (o.physical_shape == nullptr) &&
                       (physical_shape == nullptr || *physical_shape == *o.physical_shape);
  return tiles == o.tiles && dim_levels == o.dim_levels &&
         tail_padding_alignment_in_elements == o.tail_padding_alignment_in_elements &&
         index_primitive_type == o.index_primitive_type && pointer_primitive_type == o.pointer_primitive_type &&
         element_size_in_bits == o.element_size_in_bits && memory_space == o.memory_space &&
         split_configs == o.split_configs && same_physical &&
         dynamic_shape_metadata_prefix_bytes == o.dynamic_shape_metadata_prefix_bytes;
}

Layout Layout::MajorToMinor(int64_t rank) {
  DimVector dims;
  dims.reserve(rank);
  for (int64_t i = rank; i-- > 0;) dims.push_back(i);
  return Layout(std::move(dims));
}

const LayoutExtras& Layout::extras() const {
  static const LayoutExtras kNone;
  return extras_ ? *extras_ : kNone;
}

void Layout::set_extras(LayoutExtras extras) {
  if (extras == LayoutExtras()) extras_ = nullptr;
  else extras_ = std::make_shared<const LayoutExtras>(std::move(extras));
}

bool Layout::IsMajorToMinor() const {
  for (size_t i = 0; i < minor_to_major_.size(); ++i) {
    if (minor_to_major_[i] != static_cast<int64_t>(minor_to_major_.size() - 1 - i)) return false;
  }
  return true;
}

bool Layout::operator==(const Layout& other) const {
  return minor_to_major_ == other.minor_to_major_ && extras() == other.extras();
}

Shape Shape::Array(PrimitiveType element_type, DimVector dimensions) {
  Shape shape(element_type, std::move(dimensions));
  shape.set_layout(Layout::MajorToMinor(shape.rank()));
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.element_type_ = PrimitiveType::TUPLE;
  shape.tuple_shapes_ = std::move(elements);
  return shape;
}

Shape Shape::Token() { return Shape(PrimitiveType::TOKEN, {}); }
Shape Shape::Opaque() { return Shape(PrimitiveType::OPAQUE_TYPE, {}); }

Shape Shape::Buffer(Shape element) {
  Shape shape(PrimitiveType::BUFFER, {});
  shape.tuple_shapes_.push_back(std::move(element));
  return shape;
}

void Shape::set_dynamic_dimension(int64_t i, bool dynamic) {
  if (i >= 64) return;
  if (dynamic) dynamic_mask_ |= uint64_t{1} << i;
  else dynamic_mask_ &= ~(uint64_t{1} << i);
}

bool Shape::AreLeavesStatic() const {
  bool is_static = true;
  ForEachLeaf(*this, [&](const Shape& leaf) { is_static &= leaf.dynamic_mask_ == 0; });
  return is_static;
}

const Shape* Shape::AtIndex(const ShapeIndex& index) const {
  const Shape* at = this;
  for (int64_t i : index) {
    if (!at->IsTuple() || i < 0 || i >= at->tuple_size()) return nullptr;
    at = &at->tuple_shapes_[i];
  }
  return at;
}

std::vector<const Shape*> Shape::Leaves() const {
  std::vector<const Shape*> leaves;
  ForEachLeaf(*this, [&](const Shape& leaf) { leaves.push_back(&leaf); });
  return leaves;
}

int64_t Shape::ElementCount() const {
  if (!IsArray()) return 0;
  int64_t count = 1;
  for (int64_t size : dimensions_) {
    if (size == 0) return 0;
    count = SaturatingMultiply(count, size == kUnboundedSize ? INT64_MAX : size);
  }
  return count;
}

int64_t Shape::ByteSize() const {
  int64_t total = 0;
  ForEachLeaf(*this, [&](const Shape& leaf) {
    int64_t bytes = SaturatingMultiply(leaf.ElementCount(), StorageBytes(leaf.element_type_));
    if (__builtin_add_overflow(total, bytes, &total)) total = INT64_MAX;
  });
  return total;
}

// The parser's limit on the depth of shapes bounds the recursion below.
bool Shape::operator==(const Shape& other) const {
  return this == &other || (element_type_ == other.element_type_ && dynamic_mask_ == other.dynamic_mask_ &&
                            dimensions_ == other.dimensions_ && has_layout_ == other.has_layout_ &&
                            (!has_layout_ || layout_ == other.layout_) && tuple_shapes_ == other.tuple_shapes_);
}

bool Shape::Compatible(const Shape& other) const {
  if (this == &other) return true;
  if (element_type_ != other.element_type_ || dimensions_ != other.dimensions_ ||
      tuple_shapes_.size() != other.tuple_shapes_.size()) {
    return false;
  }
  for (size_t i = 0; i < tuple_shapes_.size(); ++i) {
    if (!tuple_shapes_[i].Compatible(other.tuple_shapes_[i])) return false;
  }
  return true;
}

Shape Shape::WithElementType(PrimitiveType type) const {
  Shape shape = *this;
  shape.element_type_ = type;
  if (shape.has_layout_ && shape.layout_.extras().element_size_in_bits != 0) {
    // The packing of a sub-byte type does not apply to another type.
    LayoutExtras extras = shape.layout_.extras();
    extras.element_size_in_bits = 0;
    shape.layout_.set_extras(std::move(extras));
  }
  return shape;
}

Shape Shape::WithoutLayout() const {
  Shape shape = *this;
  shape.clear_layout();
  for (Shape& element : shape.tuple_shapes_) element = element.WithoutLayout();
  return shape;
}

Shape Shape::WithDefaultLayout() const {
  Shape shape = *this;
  if (shape.IsArray() && !shape.has_layout_) shape.set_layout(Layout::MajorToMinor(shape.rank()));
  for (Shape& element : shape.tuple_shapes_) element = element.WithDefaultLayout();
  return shape;
}

size_t Shape::Hash() const {
  size_t hash = static_cast<size_t>(element_type_) + 1;
  for (int64_t size : dimensions_) hash = Mix(hash, static_cast<size_t>(size));
  hash = Mix(hash, dynamic_mask_);
  if (has_layout_) {
    for (int64_t dim : layout_.minor_to_major()) hash = Mix(hash, static_cast<size_t>(dim));
    hash = Mix(hash, static_cast<size_t>(layout_.extras().memory_space));
  }
  for (const Shape& element : tuple_shapes_) hash = Mix(hash, element.Hash());
  return hash;
}

}  // namespace hloir
