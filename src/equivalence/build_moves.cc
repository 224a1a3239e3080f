// Elementwise operations, and operations that move elements. See build.h.
#include <algorithm>
#include <cmath>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {
namespace {

constexpr size_t kMostParts = 64;  // of a concatenation
constexpr int64_t kMostCounted = 1 << 20;

bool IsArithmetic(const HloInstruction& i) {
  using enum HloOpcode;
  return i.opcode() == kAdd || i.opcode() == kSubtract || i.opcode() == kMultiply || i.opcode() == kDivide ||
         i.opcode() == kNegate || i.opcode() == kSqrt || i.opcode() == kRsqrt || i.opcode() == kPower ||
         i.Is(kTranscendental);
}

}  // namespace

ExprId Builder::OfConstant(const HloInstruction& i) {
  const Shape& shape = i.shape();
  if (i.literal().elided()) {
    x_.Uses(kSameElided);
    return LeafArray({-12, shared_.NameOf("constant " + std::string(i.name()))}, shape);
  }
  // (Numbers of a narrower type are the same numbers.)
  const PrimitiveType wide = Normal(shape.element_type());
  const bool narrow = wide != shape.element_type();
  const Literal converted = narrow ? i.literal().Convert(wide) : Literal();
  const Literal& literal = narrow ? converted : i.literal();
  if (literal.element_count() == 0) return LeafArray({-13}, shape);
  if (literal.element_count() == 1 || literal.IsAllSame()) return x_.Constant(literal, 0);
  // Constants that are affine in the index.
  const PrimitiveType type = wide;
  if ((IsInteger(type) || IsFloat(type)) && literal.element_count() <= kMostCounted) {
    const auto at = [&](int64_t k) {
      return IsInteger(type) ? static_cast<double>(literal.GetAsInt64(k)) : literal.GetAsDouble(k);
    };
    std::vector<double> steps(static_cast<size_t>(shape.rank()), 0);
    int64_t stride = 1;
    const double first = at(0);
    bool counts = first == std::floor(first) && std::fabs(first) < 1e6;
    for (int64_t d = shape.rank(); d-- > 0; stride *= shape.dimensions(d)) {
      if (shape.dimensions(d) > 1) steps[static_cast<size_t>(d)] = at(stride) - first;
      counts = counts && steps[static_cast<size_t>(d)] == std::floor(steps[static_cast<size_t>(d)]) &&
               std::fabs(steps[static_cast<size_t>(d)]) < 1e6;
    }
    for (int64_t k = 0; k < literal.element_count() && counts; ++k) {
      double expected = first;
      int64_t rest = k;
      for (int64_t d = shape.rank(); d-- > 0; rest /= shape.dimensions(d))
        expected += steps[static_cast<size_t>(d)] * static_cast<double>(rest % shape.dimensions(d));
      counts = expected == at(k);
    }
    if (counts) {
      Index sum = Exprs::Number(static_cast<int64_t>(first));
      const std::vector<Index> index = Dimensions(shape);
      for (size_t d = 0; d < index.size(); ++d) sum = x_.Plus(sum, index[d], static_cast<int64_t>(steps[d]));
      return x_.IndexValue(sum, Normal(type));
    }
  }
  // A table with one row per device, or per group of devices.
  if (shared_.devices && IsInteger(type) && shape.rank() > 0 &&
      shared_.devices->partitions() % shape.dimensions(0) == 0) {
    std::vector<int64_t> table, sizes(shape.dimensions().begin(), shape.dimensions().end());
    for (int64_t k = 0; k < literal.element_count(); ++k) table.push_back(literal.GetAsInt64(k));
    if (const auto entry = Devices::Entry(x_, table, x_.Flatten(Dimensions(shape), sizes)))
      return x_.IndexValue(*entry, Normal(type));
  }
  // Sorts the dimensions by size and content, so that a transposed constant gives the same leaf.
  std::vector<int64_t> order;
  std::vector<uint64_t> content;
  const size_t bytes = static_cast<size_t>(literal.size_bytes() / literal.element_count());
  const std::vector<int64_t> strides = [&] {
    std::vector<int64_t> of(static_cast<size_t>(shape.rank()), 1);
    for (int64_t d = shape.rank() - 1; d-- > 0;)
      of[static_cast<size_t>(d)] = of[static_cast<size_t>(d) + 1] * shape.dimensions(d + 1);
    return of;
  }();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    order.push_back(d);
    std::vector<uint64_t> slices(static_cast<size_t>(shape.dimensions(d)), 0);
    for (int64_t k = 0; k < literal.element_count() && shape.rank() > 1; ++k) {
      uint64_t element = 0;
      std::copy_n(literal.untyped_data() + static_cast<size_t>(k) * bytes, std::min<size_t>(bytes, 8),
                  reinterpret_cast<std::byte*>(&element));
      slices[static_cast<size_t>(k / strides[static_cast<size_t>(d)] % shape.dimensions(d))] += MixHash(3, element);
    }
    uint64_t hash = static_cast<uint64_t>(shape.dimensions(d));
    for (uint64_t slice : slices) hash = MixHash(hash, slice);
    content.push_back(hash);
    x_.Spent(literal.element_count() / 256);
  }
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::pair(shape.dimensions(a), content[static_cast<size_t>(a)]) <
           std::pair(shape.dimensions(b), content[static_cast<size_t>(b)]);
  });
  Leaf leaf;
  leaf.key = {-14};
  leaf.type = Normal(type);
  leaf.sizes = {literal.element_count()};
  Literal flat = literal;
  std::vector<int64_t> sizes;
  std::vector<Index> index;
  const std::vector<Index> given = Dimensions(shape);
  for (int64_t d : order) {
    sizes.push_back(shape.dimensions(d));
    index.push_back(given[static_cast<size_t>(d)]);
  }
  for (int64_t to = 0; to < literal.element_count(); ++to) {
    int64_t rest = to, from = 0;
    for (size_t k = order.size(); k-- > 0; rest /= sizes[k])
      from += rest % sizes[k] * strides[static_cast<size_t>(order[k])];
    std::copy_n(literal.untyped_data() + static_cast<size_t>(from) * bytes, bytes,
                flat.untyped_data() + static_cast<size_t>(to) * bytes);
  }
  flat.set_shape_layout(Shape::Array(type, {literal.element_count()}));
  leaf.literal = std::make_shared<const Literal>(std::move(flat));
  return x_.MakeLeaf(x_.LeafOf(std::move(leaf)), {x_.Flatten(index, sizes)});
}

ExprId Exprs::Constant(const Literal& literal, int64_t element) {
  const PrimitiveType type = literal.shape().element_type();
  if (type == PrimitiveType::PRED) return literal.GetAsInt64(element) != 0 ? True() : False();
  if (IsInteger(type)) return Integer(literal.GetAsInt64(element), type);
  if (IsComplex(type)) {
    const std::complex<double> value = literal.GetAsComplex(element);
    return Function(HloOpcode::kComplex, PrimitiveType::C128, {Real(value.real()), Real(value.imag())});
  }
  const double value = literal.GetAsDouble(element);
  if (value == 0 && std::signbit(value)) Uses(kRounds);  // the sign of zero is lost
  return Real(value);
}

// Converts an integer to a float; rounds unless the float represents every value in the integer's range.
ExprId Builder::FromInteger(ExprId x, PrimitiveType from, PrimitiveType to) {
  const ExprId exact = x_.Convert(x, from, PrimitiveType::F64);
  if (IsQuantized(to)) return Rounded(exact, to);
  const int64_t whole = int64_t{1} << (GetFloatFormat(to).mantissa_bits + 1);
  const Range range = x_.RangeOf(x);
  if (range.low >= -whole && range.high <= whole) return exact;
  if (shared_.keep_narrow)
    return x_.Function(HloOpcode::kReducePrecision, PrimitiveType::F64, {exact}, {-2, static_cast<int64_t>(to)});
  x_.Uses(BitWidth(to) < 32 ? kNarrows | kRounds : static_cast<uint32_t>(kRounds));
  return exact;
}

// Compares the bits as signed integers, with the bits of negative numbers inverted.
ExprId Builder::TotalOrder(ComparisonDirection direction, ExprId a, ExprId b, PrimitiveType of) {
  const PrimitiveType bits = BitWidth(of) == 16   ? PrimitiveType::S16
                             : BitWidth(of) == 32 ? PrimitiveType::S32
                                                  : PrimitiveType::S64;
  const auto key = [&](ExprId e) {
    const ExprId as_bits =
        x_.Function(HloOpcode::kBitcastConvert, bits, {e}, {static_cast<int64_t>(of), static_cast<int64_t>(bits)});
    const ExprId most = x_.Constant(Literal::MaxValue(bits), 0);
    const ExprId negative = x_.Compare(static_cast<int>(ComparisonDirection::kLt), as_bits, x_.Integer(0, bits));
    return x_.If(negative, x_.Function(HloOpcode::kXor, bits, {most, as_bits}), as_bits);
  };
  return x_.Compare(static_cast<int>(direction), key(a), key(b));
}

ExprId Builder::Rounded(ExprId e, PrimitiveType type) {
  if (e < 0 || !IsFloat(type) || x_.TypeOf(e) != PrimitiveType::F64) return e;
  if (IsQuantized(type))
    return x_.Function(HloOpcode::kReducePrecision, PrimitiveType::F64, {e}, {-1, static_cast<int64_t>(type)});
  if (shared_.keep_narrow && BitWidth(type) == 16)
    return x_.Function(HloOpcode::kReducePrecision, PrimitiveType::F64, {e}, {-2, static_cast<int64_t>(type)});
  return e;
}

ExprId Builder::Elementwise(const HloInstruction& i, const std::vector<ExprId>& x) {
  using enum HloOpcode;
  const PrimitiveType type = Normal(i.shape().element_type());
  const bool rounds = IsArithmetic(i);
  if (rounds && (type == PrimitiveType::F64 || type == PrimitiveType::C128)) x_.Uses(kRounds);
  if (rounds && i.opcode() != kNegate && type == PrimitiveType::F64)
    return Rounded(Exact(i, x), i.shape().element_type());
  return Exact(i, x);
}

ExprId Builder::Exact(const HloInstruction& i, const std::vector<ExprId>& x) {
  using enum HloOpcode;
  const PrimitiveType type = Normal(i.shape().element_type());
  const bool pred = type == PrimitiveType::PRED;
  switch (i.opcode()) {
    case kAdd: return pred ? x_.Or(x[0], x[1]) : x_.Add(x[0], x[1]);
    case kSubtract: return x_.Add(x[0], x[1], -1);
    case kNegate: return x_.Add(IsInteger(type) ? x_.Integer(0, type) : x_.Real(0), x[0], -1);
    case kMultiply: return pred ? x_.And(x[0], x[1]) : x_.Multiply(x[0], x[1]);
    case kSelect: return x_.If(x[0], x[1], x[2]);
    case kClamp: return x_.Function(kMinimum, type, {x_.Function(kMaximum, type, {x[0], x[1]}), x[2]});
    case kCompare: {
      const CompareAttributes& compare = i.attributes<CompareAttributes>();
      const PrimitiveType of = i.operand(0)->shape().element_type();
      if (compare.type == ComparisonType::kFloatTotalOrder && IsFloat(of)) {
        if (BitWidth(of) < 16) return -1;
        return TotalOrder(compare.direction, x[0], x[1], of);
      }
      return x_.Compare(static_cast<int>(compare.direction), x[0], x[1]);
    }
    case kConvert: {
      const PrimitiveType from = i.operand(0)->shape().element_type(), to = i.shape().element_type();
      if (IsFloat(from) && IsFloat(to)) {
        if (IsQuantized(to)) return x_.Function(kReducePrecision, type, {x[0]}, {-1, static_cast<int64_t>(to)});
        if (BitWidth(to) > BitWidth(from) || from == to) return x[0];
        if (const ExprId rounded = x_.RoundedConstant(x[0], to); rounded >= 0) return rounded;
        if (shared_.keep_narrow) return x_.Function(kReducePrecision, type, {x[0]}, {-2, static_cast<int64_t>(to)});
        x_.Uses(kNarrows | kRounds);
        return x[0];
      }
      if (IsComplex(from) && IsComplex(to)) {
        if (BitWidth(to) < BitWidth(from)) {
          if (shared_.keep_narrow) return -1;
          x_.Uses(kNarrows | kRounds);
        }
        return x[0];
      }
      if (IsInteger(from) && IsFloat(to)) return FromInteger(x[0], from, to);
      if (IsComplex(to) && !IsComplex(from))
        return x_.Function(kComplex, type, {x_.Convert(x[0], Normal(from), PrimitiveType::F64), x_.Real(0)});
      if (IsComplex(from))
        return x_.Convert(x_.Function(kReal, PrimitiveType::F64, {x[0]}), PrimitiveType::F64, Normal(to));
      return x_.Convert(x[0], Normal(from), Normal(to));
    }
    case kReducePrecision: {
      const ReducePrecisionAttributes& a = i.attributes<ReducePrecisionAttributes>();
      return x_.Function(kReducePrecision, type, {x[0]}, {a.exponent_bits, a.mantissa_bits});
    }
    case kStochasticConvert: return StochasticConvert(i, x);
    default: return x_.Function(i.opcode(), type, x);
  }
}

ExprId Builder::Bitcast(const HloInstruction& i, ExprId x) {
  const Shape from = i.operand(0)->shape().WithDefaultLayout(), to = i.shape().WithDefaultLayout();
  if (const PrimitiveType s = from.element_type(), t = to.element_type(); s != t) {
    if (BitWidth(s) != BitWidth(t) || BitWidth(s) < 8 || IsComplex(s) || IsComplex(t) ||
        from.dimensions() != to.dimensions() || !(from.layout() == to.layout()))
      return -1;
    return x_.Function(HloOpcode::kBitcastConvert, Normal(t), {x}, {static_cast<int64_t>(s), static_cast<int64_t>(t)});
  }
  if (from.element_type() != to.element_type() || from.ElementCount() != to.ElementCount()) return -1;
  for (const Shape* shape : {&from, &to}) {
    if (shape->layout().has_extras() && !shape->layout().extras().tiles.empty()) return -1;
  }
  const std::vector<Index> out = Dimensions(to);
  std::vector<Index> in_memory;
  std::vector<int64_t> sizes, old_sizes;
  const auto& minor = to.layout().minor_to_major();
  for (size_t k = minor.size(); k-- > 0;) {
    in_memory.push_back(out[static_cast<size_t>(minor[k])]);
    sizes.push_back(to.dimensions(minor[k]));
  }
  const auto& old_minor = from.layout().minor_to_major();
  for (size_t k = old_minor.size(); k-- > 0;) old_sizes.push_back(from.dimensions(old_minor[k]));
  const std::vector<Index> unflat = x_.Unflatten(x_.Flatten(in_memory, sizes), old_sizes);
  std::vector<Index> index(old_sizes.size());
  for (size_t k = 0; k < old_sizes.size(); ++k)
    index[static_cast<size_t>(old_minor[old_sizes.size() - 1 - k])] = unflat[k];
  return Read(x, from, index);
}

ExprId Builder::Pad(const HloInstruction& i, const std::vector<ExprId>& x) {
  const Shape& from = i.operand(0)->shape();
  const std::vector<Index> out = Dimensions(i.shape());
  std::vector<Index> index;
  ExprId inside = x_.True();
  size_t d = 0;
  for (const PaddingDimension& p : i.attributes<PadAttributes>().padding) {
    Index at = x_.Plus(out[d], Exprs::Number(-p.low));
    const int64_t step = p.interior + 1, size = from.dimensions(static_cast<int64_t>(d));
    inside = x_.And(inside, x_.Guard(false, at));
    inside = x_.And(inside, x_.Guard(false, x_.Plus(Exprs::Number((size - 1) * step), at, -1)));
    if (step > 1) {
      inside = x_.And(inside, x_.Guard(true, x_.Mod(at, step)));
      at = x_.Div(at, step);
    }
    index.push_back(std::move(at));
    ++d;
  }
  return x_.If(inside, Read(x[0], from, index), x[1]);
}

ExprId Builder::Gather(const HloInstruction& i, const std::vector<ExprId>& x) {
  const GatherAttributes& g = i.attributes<GatherAttributes>();
  const Shape &from = i.operand(0)->shape(), &indices = i.operand(1)->shape();
  const std::vector<Index> out = Dimensions(i.shape());
  const auto has = [](const DimVector& v, int64_t d) { return std::find(v.begin(), v.end(), d) != v.end(); };
  std::vector<Index> batch, offset;
  for (int64_t d = 0; d < i.shape().rank(); ++d)
    (has(g.offset_dims, d) ? offset : batch).push_back(out[static_cast<size_t>(d)]);
  const auto index_of = [&](int64_t component) {
    std::vector<Index> at;
    size_t next = 0;
    for (int64_t d = 0; d < indices.rank(); ++d)
      at.push_back(d == g.index_vector_dim ? Exprs::Number(component) : batch[next++]);
    return Read(x[1], indices, at);
  };
  std::vector<Index> at(static_cast<size_t>(from.rank()));
  size_t next = 0;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (!has(g.collapsed_slice_dims, d) && !has(g.operand_batching_dims, d))
      at[static_cast<size_t>(d)] = offset[next++];
  }
  const PrimitiveType type = Normal(indices.element_type());
  if (!IsInteger(type)) return -1;
  for (size_t k = 0; k < g.start_index_map.size(); ++k) {
    const int64_t d = g.start_index_map[k], most = from.dimensions(d) - g.slice_sizes[static_cast<size_t>(d)];
    if (most == 0) continue;
    if (BitWidth(type) < 32 && most >= (int64_t{1} << (BitWidth(type) - 1))) return -1;
    ExprId start = index_of(static_cast<int64_t>(k));
    if (!IsUnsigned(type)) start = x_.Function(HloOpcode::kMaximum, type, {start, x_.Integer(0, type)});
    start = x_.Function(HloOpcode::kMinimum, type, {start, x_.Integer(most, type)});
    at[static_cast<size_t>(d)] = x_.Plus(at[static_cast<size_t>(d)], x_.ValueTerm(start));
  }
  for (size_t k = 0; k < g.operand_batching_dims.size(); ++k) {
    // The batch dimension's place in the indices, without the index vector's dimension.
    const int64_t d = g.start_indices_batching_dims[k];
    at[static_cast<size_t>(g.operand_batching_dims[k])] =
        batch[static_cast<size_t>(d < g.index_vector_dim ? d : d - 1)];
  }
  return Read(x[0], from, at);
}

ExprId Builder::DynamicSlice(const HloInstruction& i, const std::vector<ExprId>& x) {
  const Shape& from = i.operand(0)->shape();
  if (x.size() != 1 + static_cast<size_t>(from.rank())) return -1;
  std::vector<Index> index = Dimensions(i.shape());
  for (int64_t d = 0; d < from.rank(); ++d) {
    const int64_t most = from.dimensions(d) - i.shape().dimensions(d);
    if (most == 0) continue;
    ExprId start = x[static_cast<size_t>(d) + 1];
    const PrimitiveType type = x_.TypeOf(start);
    if (BitWidth(type) < 32 && most >= (int64_t{1} << (BitWidth(type) - 1))) return -1;
    if (!IsUnsigned(type)) start = x_.Function(HloOpcode::kMaximum, type, {start, x_.Integer(0, type)});
    start = x_.Function(HloOpcode::kMinimum, type, {start, x_.Integer(most, type)});
    index[static_cast<size_t>(d)] = x_.Plus(index[static_cast<size_t>(d)], x_.ValueTerm(start));
  }
  return Read(x[0], from, index);
}

ExprId Builder::DynamicUpdateSlice(const HloInstruction& i, const std::vector<ExprId>& x) {
  const Shape &whole = i.shape(), &part = i.operand(1)->shape();
  if (x.size() != 2 + static_cast<size_t>(whole.rank())) return -1;
  std::vector<Index> index = Dimensions(whole);
  ExprId inside = x_.True();
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const int64_t most = whole.dimensions(d) - part.dimensions(d);
    if (most == 0) continue;
    ExprId start = x[static_cast<size_t>(d) + 2];
    const PrimitiveType type = x_.TypeOf(start);
    if (BitWidth(type) < 32 && most >= (int64_t{1} << (BitWidth(type) - 1))) return -1;
    ExprId clamped = start;
    if (!IsUnsigned(type)) clamped = x_.Function(HloOpcode::kMaximum, type, {start, x_.Integer(0, type)});
    clamped = x_.Function(HloOpcode::kMinimum, type, {clamped, x_.Integer(most, type)});
    if (!is_second && clamped != start && AxesOf({start}).empty()) {
      ++shared_.unbounded_starts;
      if (shared_.in_bounds) clamped = start;
    }
    Index& at = index[static_cast<size_t>(d)];
    at = x_.Plus(at, x_.ValueTerm(clamped), -1);
    inside = x_.And(inside, x_.Guard(false, at));
    inside = x_.And(inside, x_.Guard(false, x_.Plus(Exprs::Number(part.dimensions(d) - 1), at, -1)));
  }
  return x_.If(inside, Read(x[1], part, index), x[0]);
}

ExprId Builder::Array(const HloInstruction& i, const std::vector<ExprId>& x) {
  using enum HloOpcode;
  const Shape& shape = i.shape();
  const PrimitiveType type = Normal(shape.element_type());
  if (i.opcode() == kConstant) return OfConstant(i);
  if (shape.ElementCount() == 0) return LeafArray({-13}, shape);
  if (i.opcode() == kIota) {
    const int64_t d = i.attributes<IotaAttributes>().iota_dimension, size = shape.dimensions(d);
    const int bits = IsInteger(type) ? BitWidth(type) - (IsSigned(type) ? 1 : 0)
                     : IsFloat(type) ? std::min(24, GetFloatFormat(shape.element_type()).mantissa_bits + 1)
                                     : 24;
    if (type == PrimitiveType::C128 || (bits < 62 && size > (int64_t{1} << bits))) return -1;
    return x_.IndexValue(x_.Var(x_.Dimension(static_cast<int32_t>(d), size)), type);
  }
  if (x.empty()) return -1;
  const Shape& from = i.operand(0)->shape();
  const std::vector<Index> out = Dimensions(shape);
  switch (i.opcode()) {
    case kBitcast: return Bitcast(i, x[0]);
    case kReshape: {
      std::vector<int64_t> to(shape.dimensions().begin(), shape.dimensions().end()),
          old(from.dimensions().begin(), from.dimensions().end());
      return Read(x[0], from, x_.Unflatten(x_.Flatten(out, to), old));
    }
    case kTranspose: {
      std::vector<Index> index(out.size());
      for (size_t d = 0; d < out.size(); ++d) index[static_cast<size_t>(i.dimensions()[d])] = out[d];
      return Read(x[0], from, index);
    }
    case kBroadcast: {
      std::vector<Index> index;
      for (int64_t d : i.dimensions()) index.push_back(out[static_cast<size_t>(d)]);
      return Read(x[0], from, index);
    }
    case kReverse: {
      std::vector<Index> index = out;
      for (int64_t d : i.dimensions())
        index[static_cast<size_t>(d)] =
            x_.Plus(Exprs::Number(shape.dimensions(d) - 1), out[static_cast<size_t>(d)], -1);
      return Read(x[0], from, index);
    }
    case kSlice: {
      std::vector<Index> index;
      size_t d = 0;
      for (const SliceRange& range : i.attributes<SliceAttributes>().slice)
        index.push_back(x_.Plus(Exprs::Number(range.start), out[d++], range.stride));
      return Read(x[0], from, index);
    }
    case kConcatenate: {
      if (x.size() > kMostParts) return -1;
      const size_t d = static_cast<size_t>(i.dimensions()[0]);
      int64_t begin = 0;
      ExprId result = -1;
      Polynomial sum;
      for (size_t k = 0; k < x.size(); ++k) {
        const Shape& part = i.operand(static_cast<int64_t>(k))->shape();
        const int64_t end = begin + part.dimensions(static_cast<int64_t>(d));
        if (end == begin) continue;
        const ExprId inside = x_.And(x_.Guard(false, x_.Plus(out[d], Exprs::Number(-begin))),
                                     x_.Guard(false, x_.Plus(Exprs::Number(end - 1), out[d], -1)));
        std::vector<Index> index = out;
        index[d] = x_.Plus(out[d], Exprs::Number(-begin));
        const ExprId value = Read(x[k], part, index);
        if (type == PrimitiveType::PRED)
          result = result < 0 ? x_.And(inside, value) : x_.Or(result, x_.And(inside, value));
        else {
          const ExprId zero = IsInteger(type) ? x_.Integer(0, type) : x_.Real(0);
          for (const Monomial& m : x_.PolynomialOf(x_.If(inside, value, zero))) sum.push_back(m);
        }
        begin = end;
      }
      return type == PrimitiveType::PRED ? result : x_.Sum(std::move(sum), type);
    }
    case kPad: return Pad(i, x);
    case kDynamicSlice: return DynamicSlice(i, x);
    case kDynamicUpdateSlice: return DynamicUpdateSlice(i, x);
    case kGather: return Gather(i, x);
    case kDot: return Rounded(Dot(i, x), shape.element_type());
    case kConvolution: return Rounded(Convolution(i, x), shape.element_type());
    default: return i.Is(kElementwise) ? Elementwise(i, x) : -1;
  }
}

}  // namespace hloir::equivalence::inside
