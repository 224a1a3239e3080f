// See the header.
#include "reference/mixed_precision.h"

namespace hloir::reference {
namespace {

bool Conforms(const Value& value, const Shape& shape) {
  if (!value.IsTuple()) return value.literal().shape().element_type() == shape.element_type();
  for (size_t i = 0; i < value.elements().size(); ++i) {
    if (!Conforms(value.elements()[i], shape.tuple_shapes(static_cast<int64_t>(i)))) return false;
  }
  return true;
}

}  // namespace

bool SameButForPrecision(const Shape& a, const Shape& b) {
  if (a.Compatible(b)) return true;
  const std::vector<const Shape*> x = a.Leaves(), y = b.Leaves();
  if (a.IsTuple() != b.IsTuple() || x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool floats = IsFloat(x[i]->element_type()) && IsFloat(y[i]->element_type());
    if (!x[i]->Compatible(*y[i]) && !(floats && x[i]->dimensions() == y[i]->dimensions())) return false;
  }
  return true;
}

Value ConformTo(Value value, const Shape& shape) {
  if (!value.IsTuple()) {
    const PrimitiveType type = value.literal().shape().element_type();
    if (type == shape.element_type() || !IsFloat(type) || !IsFloat(shape.element_type())) return value;
    return value.literal().Convert(shape.element_type());
  }
  if (Conforms(value, shape)) return value;  // the common case, without a copy
  std::vector<Value> elements = value.elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = ConformTo(std::move(elements[i]), shape.tuple_shapes(static_cast<int64_t>(i)));
  }
  return Value::Tuple(std::move(elements));
}

}  // namespace hloir::reference
