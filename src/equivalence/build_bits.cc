// Bitcast conversions of one element, of several elements to one, and of one to several. See build.h.
#include "equivalence/build.h"

namespace hloir::equivalence::inside {
namespace {

PrimitiveType UnsignedOf(int width) {
  switch (width) {
    case 8: return PrimitiveType::U8;
    case 16: return PrimitiveType::U16;
    case 32: return PrimitiveType::U32;
    case 64: return PrimitiveType::U64;
    default: return PrimitiveType::PRED;
  }
}

}  // namespace

ExprId Builder::BitcastConvert(const HloInstruction& i, ExprId x, Inside in) {
  const Shape &from_shape = i.operand(0)->shape(), &shape = i.shape();
  const PrimitiveType from = from_shape.element_type(), to = shape.element_type();
  if (IsComplex(from) || IsComplex(to)) return -1;
  const int old_width = BitWidth(from), width = BitWidth(to);
  const auto same_width = [&](ExprId e, PrimitiveType a, PrimitiveType b) {
    if (a == b) return e;
    return x_.Function(HloOpcode::kBitcastConvert, Normal(b), {e}, {static_cast<int64_t>(a), static_cast<int64_t>(b)});
  };
  if (old_width == width) return from_shape.rank() == shape.rank() ? same_width(x, from, to) : -1;
  const PrimitiveType part = UnsignedOf(old_width), whole = UnsignedOf(width);
  if (part == PrimitiveType::PRED || whole == PrimitiveType::PRED || from == PrimitiveType::PRED ||
      to == PrimitiveType::PRED)
    return -1;
  if (old_width > width) {
    // Shifts the element's bits down to the part that the index selects.
    if (shape.rank() != from_shape.rank() + 1) return -1;
    const int64_t last = shape.rank() - 1;
    const Index place = x_.Times(Dimensions(shape)[static_cast<size_t>(last)], width);
    const ExprId shifted =
        x_.Function(HloOpcode::kShiftRightLogical, part, {same_width(x, from, part), x_.IndexValue(place, part)});
    const int64_t mask = static_cast<int64_t>((uint64_t{1} << width) - 1);
    const ExprId low = x_.Function(HloOpcode::kAnd, part, {shifted, x_.Integer(mask, part)});
    return same_width(x_.Convert(low, part, whole), whole, to);
  }
  // Shifts each part to its position and combines them by or.
  if (shape.rank() != from_shape.rank() - 1) return -1;
  std::vector<Index> index = Dimensions(shape);
  const VarId v = x_.Fresh(width / old_width);
  index.push_back(x_.Var(v));
  const ExprId element = same_width(Read(x, from_shape, index), from, part);
  const ExprId shifted =
      x_.Function(HloOpcode::kShiftLeft, whole,
                  {x_.Convert(element, part, whole), x_.IndexValue(x_.Times(x_.Var(v), old_width), whole)});
  const ExprId a = RegionParameter(0, in.level + 1, 0, Shape::Scalar(whole));
  const ExprId b = RegionParameter(0, in.level + 1, 4096, Shape::Scalar(whole));
  const ExprId region = x_.Function(HloOpcode::kOr, whole, {a, b});
  const ExprId joined = x_.Row(HloOpcode::kReduce, {0, region}, {v}, {shifted, x_.Integer(0, whole)}, {}, whole);
  return same_width(joined, whole, to);
}

}  // namespace hloir::equivalence::inside
