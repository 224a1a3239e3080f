// Simplifier: data movement: ops are joined, removed if they move nothing, and folded on constants. Part of simplify.h.
#include <algorithm>
#include <cstring>

#include "simplify.h"

namespace hloir::stablehlo {
namespace {

// Of elements in row-major order.
DimVector Strides(const Shape& shape) {
  DimVector strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t i = strides.size(); i-- > 1;) strides[i - 1] = strides[i] * shape.dimensions(static_cast<int64_t>(i));
  return strides;
}

}  // namespace

bool Simplifier::BroadcastInDim(Operation& op) {
  Value* x = op.operands[0];
  const Shape& shape = op.results[0]->shape();
  const DimVector dims = GetInts(op, "broadcast_dimensions");
  if (static_cast<int64_t>(dims.size()) != x->shape().rank() || !shape.IsStatic()) return false;
  for (int64_t d : dims) {
    if (d < 0 || d >= shape.rank()) return false;
  }
  bool is_iota = true;
  for (size_t i = 0; i < dims.size(); ++i) is_iota &= dims[i] == static_cast<int64_t>(i);
  if (is_iota && x->shape() == shape) return Replace(op, x);
  if (const Literal* splat = Splat(x)) return Replace(op, NewConstant(op, shape, Literal(*splat)));
  if (Operation* inner = Def(x, "stablehlo.broadcast_in_dim")) {
    // (One that only adds dimensions of size 1 becomes a reshape.)
    const DimVector inner_dims = GetInts(*inner, "broadcast_dimensions");
    const Value* from = inner->operands[0];
    if (!std::is_sorted(inner_dims.begin(), inner_dims.end()) ||
        from->shape().ElementCount() != x->shape().ElementCount()) {
      DimVector merged;
      for (int64_t d : inner_dims) {
        if (d < 0 || d >= static_cast<int64_t>(dims.size())) return false;
        merged.push_back(dims[static_cast<size_t>(d)]);
      }
      op.operands[0] = inner->operands[0];
      Set(op, "broadcast_dimensions", Ints(merged));
      return true;
    }
  }
  const bool is_sorted = std::is_sorted(dims.begin(), dims.end());
  const bool same_count = shape.ElementCount() == x->shape().ElementCount();
  if (same_count && is_sorted) return Become(op, "stablehlo.reshape", {x});
  if (same_count && shape.rank() == x->shape().rank()) {
    DimVector permutation(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) permutation[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
    Become(op, "stablehlo.transpose", {x});
    Set(op, "permutation", Ints(permutation));
    return true;
  }
  return false;
}

bool Simplifier::Reshape(Operation& op) {
  Value* x = op.operands[0];
  const Shape& shape = op.results[0]->shape();
  if (x->shape() == shape) return Replace(op, x);
  if (Operation* inner = Def(x, "stablehlo.reshape")) {
    op.operands[0] = inner->operands[0];
    return true;
  }
  const Attribute* constant = Constant(x);
  if (constant == nullptr || shape.ElementCount() != x->shape().ElementCount()) return false;
  Literal literal(*constant->literal);
  if (literal.element_count() != 1 || literal.shape().rank() != 0) literal.set_shape_layout(shape);
  return Replace(op, NewConstant(op, shape, std::move(literal)));
}

bool Simplifier::Transpose(Operation& op) {
  Value* x = op.operands[0];
  const DimVector permutation = GetInts(op, "permutation");
  if (static_cast<int64_t>(permutation.size()) != x->shape().rank()) return false;
  bool is_iota = true;
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] < 0 || permutation[i] >= x->shape().rank()) return false;
    is_iota &= permutation[i] == static_cast<int64_t>(i);
  }
  if (is_iota) return Replace(op, x);
  if (const Literal* splat = Splat(x)) return Replace(op, NewConstant(op, op.results[0]->shape(), Literal(*splat)));
  if (Constant(x) != nullptr && !IsComplex(x->shape().element_type())) {
    const DimVector strides = Strides(x->shape());
    DimVector steps;
    for (size_t i = 0; i < permutation.size(); ++i) {
      if (op.results[0]->shape().dimensions(static_cast<int64_t>(i)) != x->shape().dimensions(permutation[i]))
        return false;
      steps.push_back(strides[static_cast<size_t>(permutation[i])]);
    }
    return Rearranged(op, 0, steps);
  }
  if (Operation* inner = Def(x, "stablehlo.transpose")) {
    const DimVector first = GetInts(*inner, "permutation");
    if (first.size() != permutation.size()) return false;
    DimVector merged;
    for (int64_t p : permutation) merged.push_back(first[static_cast<size_t>(p)]);
    op.operands[0] = inner->operands[0];
    Set(op, "permutation", Ints(merged));
    return true;
  }
  if (round_ == 0) return false;  // transposes join first
  int64_t last = -1;
  for (int64_t p : permutation) {
    if (x->shape().dimensions(p) == 1) continue;
    if (p < last) return false;
    last = p;
  }
  return Become(op, "stablehlo.reshape", {x});
}

bool Simplifier::Rearranged(Operation& op, int64_t start, const DimVector& steps) {
  const Literal& from = *Constant(op.operands[0])->literal;
  const Shape& shape = op.results[0]->shape();
  const size_t rank = steps.size();
  Literal to(shape);
  const auto width = static_cast<size_t>(StorageBytes(shape.element_type()));
  DimVector index(rank);
  int64_t at = start;
  for (int64_t i = 0; i < to.element_count(); ++i) {
    if (at < 0 || at >= from.element_count()) return false;
    std::memcpy(to.untyped_data() + static_cast<size_t>(i) * width,
                from.untyped_data() + static_cast<size_t>(at) * width, width);
    for (size_t d = rank; d-- > 0;) {
      at += steps[d];
      if (++index[d] < shape.dimensions(static_cast<int64_t>(d))) break;
      at -= steps[d] * index[d];
      index[d] = 0;
    }
  }
  return Replace(op, NewConstant(op, shape, std::move(to)));
}

// Concatenates constants, if there are few elements.
bool Simplifier::ConcatenateConstants(Operation& op, int64_t dimension) {
  constexpr int64_t kMostElements = 65536;
  const Shape& shape = op.results[0]->shape();
  if (shape.ElementCount() > kMostElements || IsComplex(shape.element_type())) return false;
  for (const Value* operand : op.operands) {
    if (Constant(operand) == nullptr) return false;
  }
  Literal joined(shape);
  const auto width = static_cast<size_t>(StorageBytes(shape.element_type()));
  int64_t outer = 1;
  for (int64_t d = 0; d < dimension; ++d) outer *= shape.dimensions(d);
  std::byte* to = joined.untyped_data();
  const std::byte* end = to + joined.size_bytes();
  for (int64_t i = 0; i < outer; ++i) {
    for (const Value* operand : op.operands) {
      const Literal& part = *Constant(operand)->literal;
      const auto inner = static_cast<size_t>(operand->shape().ElementCount() / std::max<int64_t>(outer, 1));
      const bool is_splat = part.element_count() == 1;
      if (static_cast<size_t>(end - to) < inner * width) return false;
      for (size_t k = 0; k < inner; ++k, to += width)
        std::memcpy(to, part.untyped_data() + (is_splat ? 0 : static_cast<size_t>(i) * inner + k) * width, width);
    }
  }
  return to == end && Replace(op, NewConstant(op, shape, std::move(joined)));
}

bool Simplifier::Slice(Operation& op) {
  Value* x = op.operands[0];
  const Shape& shape = op.results[0]->shape();
  if (x->shape() == shape) return Replace(op, x);
  const bool is_complex = IsComplex(shape.element_type());
  if (const Literal* splat = Splat(x); splat != nullptr && !is_complex)
    return Replace(op, NewConstant(op, shape, Literal(*splat)));
  Operation* concat = Def(x, "stablehlo.concatenate");
  const DimVector start = GetInts(op, "start_indices"), limit = GetInts(op, "limit_indices");
  if (Constant(x) != nullptr && !is_complex && x->shape().rank() == shape.rank()) {
    const DimVector by = GetInts(op, "strides"), strides = Strides(x->shape());
    const auto rank = static_cast<size_t>(shape.rank());
    if (start.size() != rank || limit.size() != rank || (!by.empty() && by.size() != rank)) return false;
    int64_t first = 0;
    DimVector steps;
    for (size_t d = 0; d < rank; ++d) {
      const int64_t step = by.empty() ? 1 : by[d], size = x->shape().dimensions(static_cast<int64_t>(d));
      if (step < 1 || step > std::max<int64_t>(size, 1) || start[d] < 0 || start[d] > limit[d] || limit[d] > size)
        return false;
      if ((limit[d] - start[d] + step - 1) / step != shape.dimensions(static_cast<int64_t>(d))) return false;
      first += start[d] * strides[d];
      steps.push_back(step * strides[d]);
    }
    return Rearranged(op, first, steps);
  }
  if (concat == nullptr || static_cast<int64_t>(start.size()) != shape.rank() || start.size() != limit.size())
    return false;
  const int64_t dimension = GetInt(*concat, "dimension");
  if (dimension < 0 || dimension >= shape.rank()) return false;
  const auto d = static_cast<size_t>(dimension);
  for (const Value* part : concat->operands) {
    if (part->shape().rank() != shape.rank()) return false;
  }
  int64_t running = 0, front = 0;
  size_t first = concat->operands.size(), last = first;
  for (size_t i = 0; i < concat->operands.size(); ++i) {
    const int64_t size = concat->operands[i]->shape().dimensions(dimension);
    if (running + size > start[d] && first == concat->operands.size()) first = i, front = running;
    if (running < limit[d]) last = i + 1;
    running += size;
  }
  if (first >= last || last - first == concat->operands.size()) return false;
  if (last - first > 1 && Uses(x) != 1) return false;
  Shape joined = x->shape();
  int64_t size = 0;
  for (size_t i = first; i < last; ++i) size += concat->operands[i]->shape().dimensions(dimension);
  joined.set_dimension(dimension, size);
  Operation& shorter = New("stablehlo.concatenate", *concat,
                           {concat->operands.begin() + static_cast<ptrdiff_t>(first),
                            concat->operands.begin() + static_cast<ptrdiff_t>(last)},
                           joined);
  Attribute dim;
  dim.kind = Kind::kInteger;
  dim.integer = dimension;
  Set(shorter, "dimension", std::move(dim));
  DimVector new_start = start, new_limit = limit;
  new_start[d] -= front, new_limit[d] -= front;
  op.operands[0] = last - first == 1 ? concat->operands[first] : shorter.results[0];
  Set(op, "start_indices", Ints(new_start));
  Set(op, "limit_indices", Ints(new_limit));
  return true;
}

bool Simplifier::DynamicSlice(Operation& op) {
  Value* x = op.operands[0];
  const DimVector sizes = GetInts(op, "slice_sizes");
  if (static_cast<int64_t>(sizes.size()) != x->shape().rank() || op.operands.size() != sizes.size() + 1 ||
      !x->shape().IsStatic())
    return false;
  if (const Literal* splat = Splat(x)) return Replace(op, NewConstant(op, op.results[0]->shape(), Literal(*splat)));
  DimVector start, limit, strides;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Literal* index = Splat(op.operands[i + 1]);
    if (index == nullptr || sizes[i] > x->shape().dimensions(static_cast<int64_t>(i))) return false;
    // Read as signed, regardless of the type.
    const int64_t at =
        std::clamp<int64_t>(index->GetAsInt64(0), 0, x->shape().dimensions(static_cast<int64_t>(i)) - sizes[i]);
    start.push_back(at), limit.push_back(at + sizes[i]), strides.push_back(1);
  }
  Become(op, "stablehlo.slice", {x});
  Set(op, "start_indices", Ints(start));
  Set(op, "limit_indices", Ints(limit));
  Set(op, "strides", Ints(strides));
  return true;
}

bool Simplifier::DynamicUpdateSlice(Operation& op) {
  if (op.operands.size() < 2) return false;
  if (op.operands[1]->shape().ElementCount() == 0) return Replace(op, op.operands[0]);
  if (op.operands[0]->shape() != op.operands[1]->shape()) return false;
  for (size_t i = 2; i < op.operands.size(); ++i) {
    if (!IsSplatOf(op.operands[i], 0)) return false;
  }
  return Replace(op, op.operands[1]);
}

bool Simplifier::Concatenate(Operation& op) {
  if (op.operands.size() == 1) return Replace(op, op.operands[0]);
  const int64_t dimension = GetInt(op, "dimension");
  if (dimension < 0 || dimension >= op.results[0]->shape().rank()) return false;
  if (ConcatenateConstants(op, dimension)) return true;
  Values operands;
  for (Value* operand : op.operands) {
    if (operand->shape().rank() != op.results[0]->shape().rank()) return false;
    if (operand->shape().dimensions(dimension) == 0) continue;
    Operation* inner = Def(operand, "stablehlo.concatenate");
    if (inner != nullptr && Uses(operand) == 1 && GetInt(*inner, "dimension") == dimension) {
      for (Value* part : inner->operands) operands.push_back(part);
    } else {
      operands.push_back(operand);
    }
  }
  if (operands.empty()) return false;
  if (operands == op.operands) return JoinEqualSplats(op, dimension);
  op.operands = std::move(operands);
  return true;
}

// Neighbors that are one splat constant become one operand.
bool Simplifier::JoinEqualSplats(Operation& op, int64_t dimension) {
  Values joined;
  for (size_t i = 0; i < op.operands.size();) {
    Value* part = op.operands[i];
    const Literal* splat = Splat(part);
    size_t end = i + 1;
    while (splat != nullptr && end < op.operands.size() && SameValue(part, op.operands[end])) ++end;
    if (end - i > 1) {
      Shape shape = part->shape();
      shape.set_dimension(dimension, shape.dimensions(dimension) * static_cast<int64_t>(end - i));
      part = NewConstant(op, shape, Literal(*splat));
    }
    joined.push_back(part);
    i = end;
  }
  if (joined.size() == op.operands.size()) return false;
  op.operands = std::move(joined);
  return true;
}

bool Simplifier::Iota(Operation& op) {
  const Shape& shape = op.results[0]->shape();
  const int64_t dimension = GetInt(op, "iota_dimension");
  if (dimension < 0 || dimension >= shape.rank() || !shape.IsStatic()) return false;
  if (shape.dimensions(dimension) == 1) {
    return Replace(op, NewConstant(op, shape, Literal(Shape::Scalar(shape.element_type()))));
  }
  if (shape.rank() < 2) return false;
  Operation& line = New("stablehlo.iota", op, {}, Shape::Array(shape.element_type(), {shape.dimensions(dimension)}));
  Attribute zero;
  zero.kind = Kind::kInteger;
  Set(line, "iota_dimension", zero);
  Become(op, "stablehlo.broadcast_in_dim", {line.results[0]});
  Set(op, "broadcast_dimensions", Ints({dimension}));
  return true;
}

bool Simplifier::Reverse(Operation& op) {
  Value* x = op.operands[0];
  const DimVector dimensions = GetInts(op, "dimensions");
  bool moves = false;
  for (int64_t d : dimensions) {
    if (d < 0 || d >= x->shape().rank()) return false;
    moves |= x->shape().dimensions(d) != 1 && Splat(x) == nullptr;
  }
  if (!moves) return Replace(op, x);
  if (Constant(x) == nullptr || IsComplex(x->shape().element_type()) || x->shape() != op.results[0]->shape())
    return false;
  DimVector steps = Strides(x->shape());
  int64_t first = 0;
  for (int64_t d : dimensions) {
    int64_t& step = steps[static_cast<size_t>(d)];
    if (step < 0) return false;  // said twice
    first += step * (x->shape().dimensions(d) - 1);
    step = -step;
  }
  return Rearranged(op, first, steps);
}

bool Simplifier::Pad(Operation& op) {
  if (op.operands.size() != 2) return false;
  const Shape& shape = op.results[0]->shape();
  for (std::string_view name : {"edge_padding_low", "edge_padding_high", "interior_padding"}) {
    for (int64_t value : GetInts(op, name)) {
      if (value == 0) continue;
      if (op.operands[0]->shape().ElementCount() != 0) return false;
      Become(op, "stablehlo.broadcast_in_dim", {op.operands[1]});
      Set(op, "broadcast_dimensions", Ints({}));
      return true;
    }
  }
  return op.operands[0]->shape() == shape && Replace(op, op.operands[0]);
}

// One set of constant indices: a slice.
bool Simplifier::Gather(Operation& op) {
  const Attribute* numbers = op.Find("dimension_numbers");
  if (numbers == nullptr || op.operands.size() != 2) return false;
  const Attribute* index = Constant(op.operands[1]);
  const Attribute* vector_dim = numbers->Find("index_vector_dim");
  if (index == nullptr || !IsIntegerType(op.operands[1]->shape().element_type()) ||
      (vector_dim != nullptr && vector_dim->integer != 0) || op.operands[1]->shape().rank() > 1)
    return false;
  const auto entry = [&](std::string_view name) {
    const Attribute* list = numbers->Find(name);
    return list == nullptr ? DimVector() : IntsOf(*list);
  };
  const DimVector map = entry("start_index_map"), collapsed = entry("collapsed_slice_dims");
  Value* x = op.operands[0];
  DimVector end = GetInts(op, "slice_sizes"), start(end.size()), strides(end.size(), 1), sizes = end;
  if (static_cast<int64_t>(end.size()) != x->shape().rank() ||
      op.operands[1]->shape().ElementCount() != static_cast<int64_t>(map.size()))
    return false;
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] < 0 || map[i] >= x->shape().rank()) return false;
    const auto d = static_cast<size_t>(map[i]);
    const int64_t at = index->literal->GetAsInt64(index->literal->element_count() == 1 ? 0 : static_cast<int64_t>(i));
    const int64_t offset = std::clamp<int64_t>(at, 0, std::max<int64_t>(0, x->shape().dimensions(map[i]) - end[d]));
    start[d] += offset, end[d] += offset;
  }
  DimVector kept;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (std::find(collapsed.begin(), collapsed.end(), static_cast<int64_t>(d)) == collapsed.end())
      kept.push_back(sizes[d]);
  }
  const Shape& shape = op.results[0]->shape();
  if (kept != shape.dimensions()) return false;
  Operation& slice = New("stablehlo.slice", op, {x}, Shape::Array(shape.element_type(), sizes));
  Set(slice, "start_indices", Ints(start));
  Set(slice, "limit_indices", Ints(end));
  Set(slice, "strides", Ints(strides));
  if (collapsed.empty()) return Replace(op, slice.results[0]);
  return Become(op, "stablehlo.reshape", {slice.results[0]});
}

}  // namespace hloir::stablehlo
