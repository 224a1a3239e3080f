// The table of terms, and views. See prove_terms.h.
#include "equivalence/prove_terms.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hloir/analysis.h"
#include "hloir/cost.h"
#include "support/hash.h"

namespace hloir::equivalence {
namespace {

constexpr int kMostHeight = 200;               // height limit of elementwise operations that views are moved through
constexpr int kMostHeightOfPart = 2;           // the same of parts of concatenations, which are rebuilt for each view
constexpr int64_t kMaxTermElements = 1 << 14;  // size limit of constants that are folded

bool IsContiguous(std::span<const int64_t> strides, const DimVector& dimensions) {
  int64_t expected = 1;
  for (size_t k = dimensions.size(); k-- > 0;) {
    if (dimensions[k] == 1) continue;
    if (strides[k] != expected) return false;
    expected *= dimensions[k];
  }
  return true;
}

std::vector<int64_t> ContiguousStrides(const DimVector& dimensions) {
  std::vector<int64_t> strides(dimensions.size());
  int64_t step = 1;
  for (size_t k = dimensions.size(); k-- > 0;) {
    strides[k] = dimensions[k] == 1 ? 0 : step;
    step *= dimensions[k];
  }
  return strides;
}

}  // namespace

bool Term::IsElementwise() const {
  if (operands.empty()) return false;  // an opaque operation without operands
  return kind == Kind::kRing || kind == Kind::kBits ||
         (kind == Kind::kOp && like == nullptr && HasTrait(opcode, kElementwise));
}

Terms::Terms(int64_t max_work) : work_left_(max_work) {
  EvaluatorOptions options;
  options.max_steps = int64_t{1} << 24;
  evaluator_ = MakeReferenceEvaluator(std::move(options));
}

bool Terms::Spent(int64_t work) {
  work_left_ -= work;
  if (work_left_ < 0 && why_.empty()) why_ = "the modules are too large";
  return !why_.empty();
}

bool Terms::Equal(const Term& a, const Term& b) const {
  if (a.kind != b.kind || a.opcode != b.opcode || a.operands != b.operands || a.data != b.data ||
      !a.shape.Compatible(b.shape) || (a.like == nullptr) != (b.like == nullptr) ||
      (a.literal == nullptr) != (b.literal == nullptr)) {
    return false;
  }
  if (a.literal != nullptr && !a.literal->BitwiseEqual(*b.literal)) return false;
  if (a.like == nullptr || a.like == b.like) return true;
  if (!EqualAttributes(*a.like, *b.like)) return false;
  // Frontend attributes name the devices of a transfer, and the shardings of calls that begin and end manual ones.
  const bool is_call = a.opcode == HloOpcode::kCustomCall;
  if (!is_call && !(HasTrait(a.opcode, kSideEffect) && HasTrait(a.opcode, kAsyncPart))) return true;
  const auto &x = a.like->extras(), &y = b.like->extras();
  return x.frontend_attributes == y.frontend_attributes && (!is_call || x.backend_config == y.backend_config);
}

const Term* Terms::Make(Term t) {
  uint64_t hash = Mix(static_cast<uint64_t>(t.kind), static_cast<uint64_t>(t.opcode));
  hash = Mix(hash, static_cast<uint64_t>(t.shape.element_type()));
  for (int64_t size : t.shape.dimensions()) hash = Mix(hash, static_cast<uint64_t>(size));
  for (const Term* operand : t.operands) hash = Mix(hash, static_cast<uint64_t>(operand->id) + 1);
  for (int64_t value : t.data) hash = Mix(hash, static_cast<uint64_t>(value));
  if (t.literal != nullptr) hash = Mix(hash, t.literal->Hash());
  std::vector<const Term*>& candidates = by_hash_[hash];
  for (const Term* candidate : candidates) {
    if (Equal(*candidate, t)) return candidate;
  }
  Spent();
  t.id = static_cast<int32_t>(terms_.size());
  t.height = 0;
  if (t.IsElementwise()) {
    for (const Term* operand : t.operands) t.height = std::max(t.height, operand->height);
    ++t.height;
  }
  t.range = RangeOf(t);
  terms_.push_back(std::move(t));
  candidates.push_back(&terms_.back());
  return &terms_.back();
}

const Term* Terms::Op(HloOpcode opcode, Shape shape, Operands operands, std::vector<int64_t> data,
                      const HloInstruction* like) {
  Term t;
  t.opcode = opcode;
  t.shape = shape.WithoutLayout();
  t.operands = std::move(operands);
  t.data = std::move(data);
  t.like = like;
  return Make(std::move(t));
}

const Term* Terms::Constant(Literal literal) {
  const Shape shape = literal.shape().WithoutLayout();
  if (shape.rank() > 0 && literal.element_count() > 0 && literal.IsAllSame()) {
    Literal scalar(Shape::Scalar(shape.element_type()));
    std::memcpy(scalar.untyped_data(), literal.untyped_data(), static_cast<size_t>(scalar.size_bytes()));
    return Splat(shape, scalar);
  }
  const PrimitiveType type = shape.element_type();
  if (shape.rank() == 1 && literal.element_count() > 1 && (IsInteger(type) || IsFloat(type))) {
    bool counts = true;
    for (int64_t k = 0; k < literal.element_count() && counts; ++k)
      counts = IsInteger(type) ? literal.GetAsInt64(k) == k : literal.GetAsDouble(k) == static_cast<double>(k);
    // A floating-point 0 may be -0.
    if (counts && (IsInteger(type) || 1 / literal.GetAsDouble(0) > 0)) {
      Term iota;
      iota.kind = Term::Kind::kIota;
      iota.shape = Shape::Scalar(type);
      return View({Make(std::move(iota)), 0, {1}}, shape);
    }
  }
  Term t;
  t.kind = Term::Kind::kConstant;
  t.shape = shape;
  t.literal = std::make_shared<const Literal>(std::move(literal));
  return Make(std::move(t));
}

const Term* Terms::Splat(const Shape& shape, const Literal& scalar) {
  const Term* one = Constant(scalar);
  return View({one, 0, std::vector<int64_t>(static_cast<size_t>(shape.rank()), 0)}, shape);
}

const Term* Terms::SplatOf(const Shape& shape, int64_t value) {
  Literal scalar(Shape::Scalar(shape.element_type()));
  if (IsFloat(shape.element_type())) scalar.SetFromDouble(0, static_cast<double>(value));
  else scalar.SetFromInt64(0, value);
  return Splat(shape, scalar);
}

std::optional<Literal> Terms::ConstantOf(const Term* t) {
  if (t->kind == Term::Kind::kConstant) return *t->literal;
  if (t->kind != Term::Kind::kView || t->operands[0]->kind != Term::Kind::kConstant ||
      !t->operands[0]->shape.IsScalar() || t->shape.ElementCount() > kMaxTermElements ||
      Spent(t->shape.ElementCount() / 64))
    return std::nullopt;
  const Literal& one = *t->operands[0]->literal;
  Literal all(t->shape.WithDefaultLayout());
  const size_t size = static_cast<size_t>(one.size_bytes());
  for (int64_t k = 0; k < all.element_count(); ++k)
    std::memcpy(all.untyped_data() + static_cast<size_t>(k) * size, one.untyped_data(), size);
  return all;
}

// ---- Views ----

Terms::Strided Terms::AsStrided(const Term* t) const {
  if (t->kind != Term::Kind::kView) return {t, 0, ContiguousStrides(t->shape.dimensions())};
  return {t->operands[0], t->data[0], {t->data.begin() + 1, t->data.end()}};
}

const Term* Terms::View(Strided v, const Shape& shape) {
  const DimVector& dimensions = shape.dimensions();
  if (shape.ElementCount() == 0) {
    Term t;
    t.kind = Term::Kind::kConstant;
    t.shape = shape.WithoutLayout();
    t.literal = std::make_shared<const Literal>(shape.WithDefaultLayout());
    return Make(std::move(t));
  }
  for (size_t k = 0; k < dimensions.size(); ++k) {
    if (dimensions[k] == 1) v.strides[k] = 0;
  }
  const bool endless = v.base->kind == Term::Kind::kIota;
  if (endless) {
    // Any other arithmetic sequence is an iota times a factor plus a number.
    const PrimitiveType type = shape.element_type();
    const auto walks = std::count_if(v.strides.begin(), v.strides.end(), [](int64_t stride) { return stride != 0; });
    const auto walk = std::find_if(v.strides.begin(), v.strides.end(), [](int64_t stride) { return stride != 0; });
    if (walks == 0 && (IsInteger(type) || v.offset == 0))
      return FromPolynomial({{{}, static_cast<uint64_t>(v.offset)}}, shape, false);
    if (IsInteger(type) && (v.offset != 0 || (walks == 1 && *walk != 1))) {
      const uint64_t step = walks == 1 ? static_cast<uint64_t>(*walk) : 1, offset = static_cast<uint64_t>(v.offset);
      v.offset = 0;
      if (walks == 1) *walk = 1;
      const Term* counted = View(std::move(v), shape);
      return FromPolynomial({{{}, offset}, {{counted->id}, step}}, shape, false);
    }
  }
  if (!endless && v.offset == 0 && v.base->shape.dimensions() == dimensions && IsContiguous(v.strides, dimensions))
    return v.base;
  if (v.base->kind == Term::Kind::kConstant && !v.base->shape.IsScalar() && shape.ElementCount() <= kMaxTermElements) {
    const Literal& from = *v.base->literal;
    Literal to(shape.WithDefaultLayout());
    const size_t size = static_cast<size_t>(StorageBytes(shape.element_type()));
    std::vector<int64_t> index(dimensions.size(), 0);
    Spent(to.element_count() / 16);
    int64_t at = v.offset;
    for (int64_t k = 0; k < to.element_count(); ++k) {
      std::memcpy(to.untyped_data() + static_cast<size_t>(k) * size,
                  from.untyped_data() + static_cast<size_t>(at) * size, size);
      for (size_t d = dimensions.size(); d-- > 0;) {
        at += v.strides[d];
        if (++index[d] < dimensions[d]) break;
        at -= v.strides[d] * dimensions[d];
        index[d] = 0;
      }
    }
    return Constant(std::move(to));
  }
  if (const Term* part = ViewOfPart(v, shape)) return part;
  Term t;
  t.kind = Term::Kind::kView;
  t.shape = shape.WithoutLayout();
  t.operands = {v.base};
  t.data = {v.offset};
  t.data.insert(t.data.end(), v.strides.begin(), v.strides.end());
  return Make(std::move(t));
}

// A view of a concatenation along the first dimension larger than 1 that reads one part alone, as a view of that part;
// else null.
const Term* Terms::ViewOfPart(const Strided& v, const Shape& shape) {
  if (v.base->kind != Term::Kind::kOp || v.base->opcode != HloOpcode::kConcatenate) return nullptr;
  const DimVector& whole = v.base->shape.dimensions();
  const size_t along = static_cast<size_t>(v.base->data[0]);
  if (std::any_of(whole.begin(), whole.begin() + v.base->data[0], [](int64_t size) { return size != 1; }))
    return nullptr;
  int64_t row = 1, first = v.offset, last = v.offset;
  for (size_t d = along + 1; d < whole.size(); ++d) row *= whole[d];
  for (size_t d = 0; d < v.strides.size(); ++d)
    (v.strides[d] < 0 ? first : last) += v.strides[d] * (shape.dimensions()[d] - 1);
  int64_t begin = 0;
  for (const Term* part : v.base->operands) {
    const int64_t end = begin + part->shape.dimensions()[along] * row;
    if (first >= begin && last < end) {
      if (part->height > kMostHeightOfPart) return nullptr;
      Walk walk{shape.dimensions(), std::vector<int64_t>(v.strides.size(), 0), v.strides, {v.offset - begin}};
      return Walked(Reshape(part, {end - begin}), walk);
    }
    begin = end;
  }
  return nullptr;
}

const Term* Terms::Rebuilt(const Term* t, const std::function<const Term*(const Term*)>& change,
                           std::unordered_map<const Term*, const Term*>& done) {
  if (!t->IsElementwise() || t->height > kMostHeight) return change(t);
  if (const auto found = done.find(t); found != done.end()) return found->second;
  if (Spent()) return t;
  Operands operands;
  for (const Term* operand : t->operands) operands.push_back(Rebuilt(operand, change, done));
  const Term* result;
  if (t->kind == Term::Kind::kOp) {
    result = Elementwise(t->opcode, t->shape.element_type(), std::move(operands), t->data);
  } else {
    const bool bits = t->kind == Term::Kind::kBits;
    Polynomial sum;
    bool fits = true;
    for (size_t at = 0; at < t->data.size();) {
      Polynomial product{{{}, static_cast<uint64_t>(t->data[at])}};
      const size_t factors = static_cast<size_t>(t->data[at + 1]);
      at += 2;
      for (size_t k = 0; k < factors; ++k, ++at) {
        const Term* factor = operands[static_cast<size_t>(t->data[at])];
        fits = fits && Times(product, bits ? BitsOf(factor) : RingOf(factor), bits);
      }
      for (const auto& [key, value] : product) {
        if (bits) sum[key] ^= value;
        else sum[key] += value;
      }
    }
    if (!fits && why_.empty()) why_ = "a polynomial is too large";
    result = FromPolynomial(sum, operands[0]->shape.WithElementType(t->shape.element_type()), bits);
  }
  if (why_.empty()) done[t] = result;
  return result;
}

const Term* Terms::Walked(const Term* t, const Walk& walk) {
  std::vector<int64_t> key{0};
  for (const std::span<const int64_t> part : {std::span<const int64_t>(walk.dimensions.data(), walk.dimensions.size()),
                                              std::span(walk.from), std::span(walk.step), std::span(walk.start)}) {
    key.push_back(static_cast<int64_t>(part.size()));
    key.insert(key.end(), part.begin(), part.end());
  }
  return Rebuilt(
      t,
      [&](const Term* leaf) {
        const Strided from = AsStrided(leaf);
        Strided to{from.base, from.offset, {}};
        for (size_t j = 0; j < from.strides.size(); ++j) to.offset += walk.start[j] * from.strides[j];
        for (size_t k = 0; k < walk.dimensions.size(); ++k) {
          to.strides.push_back(walk.from[k] < 0 ? 0 : walk.step[k] * from.strides[static_cast<size_t>(walk.from[k])]);
        }
        return View(std::move(to), Shape::Array(leaf->shape.element_type(), walk.dimensions));
      },
      rebuilt_[std::move(key)]);
}

const Term* Terms::Transpose(const Term* t, std::span<const int64_t> permutation) {
  Walk walk;
  for (int64_t d : permutation) {
    walk.dimensions.push_back(t->shape.dimensions(d));
    walk.from.push_back(d);
    walk.step.push_back(1);
  }
  walk.start.assign(permutation.size(), 0);
  return Walked(t, walk);
}

const Term* Terms::Broadcast(const Term* t, const DimVector& dimensions, const DimVector& places) {
  Walk walk;
  walk.dimensions = dimensions;
  walk.from.assign(dimensions.size(), -1);
  walk.step.assign(dimensions.size(), 1);
  for (size_t j = 0; j < places.size(); ++j) walk.from[static_cast<size_t>(places[j])] = static_cast<int64_t>(j);
  walk.start.assign(places.size(), 0);
  return Walked(t, walk);
}

const Term* Terms::Slice(const Term* t, std::span<const int64_t> starts, std::span<const int64_t> steps,
                         const DimVector& sizes) {
  // A view of a concatenation: the part that it reads alone.
  if (t->kind == Term::Kind::kOp && t->opcode == HloOpcode::kConcatenate) {
    const size_t d = static_cast<size_t>(t->data[0]);
    if (steps[d] == 1 && sizes[d] > 0) {
      Operands parts;
      int64_t from = starts[d], left = sizes[d];
      for (const Term* operand : t->operands) {
        const int64_t size = operand->shape.dimensions()[d];
        if (from < size && left > 0) {
          std::vector<int64_t> begin(starts.begin(), starts.end());
          DimVector part = sizes;
          begin[d] = from;
          part[d] = std::min(left, size - from);
          left -= part[d];
          parts.push_back(Slice(operand, begin, steps, part));
          from = 0;
        } else if (left > 0) {
          from -= size;
        }
      }
      return Concatenate(std::move(parts), t->data[0]);
    }
  }
  Walk walk;
  walk.dimensions = sizes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    walk.from.push_back(static_cast<int64_t>(d));
    walk.step.push_back(steps[d]);
  }
  walk.start.assign(starts.begin(), starts.end());
  return Walked(t, walk);
}

// A dynamic-slice of a view that drops dimensions of size 1, or reorders the others, as a view of a dynamic-slice; else
// null.
const Term* Terms::SliceOfBase(const Term* view, const Operands& starts, const Shape& shape) {
  const Strided v = AsStrided(view);
  if (v.base == view || v.offset != 0 || v.base->kind == Term::Kind::kIota) return nullptr;
  const DimVector& whole = v.base->shape.dimensions();
  const std::vector<int64_t> steps = ContiguousStrides(whole);
  std::vector<size_t> from(whole.size(), starts.size());
  size_t left = 0;
  for (int64_t size : whole) left += size != 1 ? 1 : 0;
  for (size_t d = 0; d < starts.size(); ++d) {
    const int64_t size = view->shape.dimensions()[d];
    if (size == 1) continue;
    size_t e = 0;
    while (e < whole.size() && (whole[e] != size || steps[e] != v.strides[d] || from[e] < starts.size())) ++e;
    if (e == whole.size() || left == 0) return nullptr;
    from[e] = d;
    --left;
  }
  if (left != 0) return nullptr;
  Operands moved;
  DimVector sizes = whole;
  for (size_t e = 0; e < whole.size(); ++e) {
    const bool has = from[e] < starts.size();
    moved.push_back(has ? starts[from[e]] : SplatOf(Shape::Scalar(PrimitiveType::S64), 0));
    if (has) sizes[e] = shape.dimensions()[from[e]];
  }
  Walk walk{shape.dimensions(), std::vector<int64_t>(starts.size(), -1), std::vector<int64_t>(starts.size(), 1),
            std::vector<int64_t>(whole.size(), 0)};
  for (size_t e = 0; e < whole.size(); ++e)
    if (from[e] < starts.size()) walk.from[from[e]] = static_cast<int64_t>(e);
  return Walked(DynamicSlice(v.base, std::move(moved), sizes), walk);
}

// A dynamic-slice of integers 0, 1, 2, …: the first ones and, in each dimension, the start where it is clamped.
const Term* Terms::SliceOfIota(const Term* iota, const Operands& starts, const Shape& shape) {
  const Strided v = AsStrided(iota);
  const DimVector& sizes = shape.dimensions();
  Operands sum{View(v, shape)};
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t room = iota->shape.dimensions()[d] - sizes[d];
    if (room == 0 || v.strides[d] == 0) continue;
    const PrimitiveType type = starts[d]->shape.element_type();
    if (!IsInteger(type) || room > RangeOfType(type).high) return nullptr;
    const Shape scalar = Shape::Scalar(type);
    const Term* start = Elementwise(HloOpcode::kMaximum, type, {starts[d], SplatOf(scalar, 0)});
    start = Elementwise(HloOpcode::kMinimum, type, {start, SplatOf(scalar, room)});
    start = Convert(Shape::Scalar(shape.element_type()), start);
    sum.push_back(Elementwise(HloOpcode::kMultiply, shape.element_type(),
                              {Broadcast(start, sizes, {}), SplatOf(shape, v.strides[d])}));
    sum = {Elementwise(HloOpcode::kAdd, shape.element_type(), std::move(sum))};
  }
  return sum[0];
}

const Term* Terms::DynamicSlice(const Term* t, Operands starts, const DimVector& sizes) {
  const std::vector<std::optional<int64_t>> known = ClampStarts(starts, t->shape.dimensions(), sizes);
  if (std::all_of(known.begin(), known.end(), [](const auto& start) { return start.has_value(); })) {
    std::vector<int64_t> from;
    for (const std::optional<int64_t>& start : known) from.push_back(*start);
    return Slice(t, from, std::vector<int64_t>(sizes.size(), 1), sizes);
  }
  std::vector<int64_t> key{1};
  for (const Term* start : starts) key.push_back(start->id);
  key.insert(key.end(), sizes.begin(), sizes.end());
  return Rebuilt(
      t,
      [&](const Term* leaf) {
        const Shape shape = Shape::Array(leaf->shape.element_type(), sizes);
        Strided from = AsStrided(leaf);
        bool moves = false;
        for (size_t d = 0; d < sizes.size(); ++d)
          moves = moves || (sizes[d] != leaf->shape.dimensions()[d] && from.strides[d] != 0);
        if (leaf->kind == Term::Kind::kOp && leaf->opcode == HloOpcode::kDynamicUpdateSlice && leaf->like == nullptr &&
            leaf->operands[1]->shape.dimensions() == sizes &&
            std::equal(starts.begin(), starts.end(), leaf->operands.begin() + 2, leaf->operands.end()))
          return leaf->operands[1];
        if (!moves) return View(std::move(from), shape);  // each slice has the same elements
        if (from.base->kind == Term::Kind::kIota && IsInteger(shape.element_type()))
          if (const Term* counted = SliceOfIota(leaf, starts, shape)) return counted;
        if (const Term* moved = SliceOfBase(leaf, starts, shape)) return moved;
        Operands operands{leaf};
        operands.insert(operands.end(), starts.begin(), starts.end());
        return Op(HloOpcode::kDynamicSlice, shape, std::move(operands), {sizes.begin(), sizes.end()});
      },
      rebuilt_[std::move(key)]);
}

const Term* Terms::Reshape(const Term* t, const DimVector& dimensions) {
  if (t->shape.dimensions() == dimensions) return t;
  std::vector<int64_t> key{2};
  key.insert(key.end(), dimensions.begin(), dimensions.end());
  return Rebuilt(
      t,
      [&](const Term* leaf) -> const Term* {
        const Shape shape = Shape::Array(leaf->shape.element_type(), dimensions);
        if (shape.ElementCount() == 0) return View({leaf, 0, std::vector<int64_t>(dimensions.size(), 0)}, shape);
        // Merges adjacent dimensions with compatible strides, then splits the result into the new dimensions.
        const Strided from = AsStrided(leaf);
        std::vector<std::pair<int64_t, int64_t>> merged;  // sizes and strides
        for (size_t k = 0; k < from.strides.size(); ++k) {
          const int64_t size = leaf->shape.dimensions()[k];
          if (size == 1) continue;
          if (!merged.empty() && merged.back().second == from.strides[k] * size) {
            merged.back().first *= size;
            merged.back().second = from.strides[k];
          } else {
            merged.push_back({size, from.strides[k]});
          }
        }
        Strided to{from.base, from.offset, std::vector<int64_t>(dimensions.size(), 0)};
        size_t next = merged.size();
        int64_t left = 1, stride = 0;
        for (size_t k = dimensions.size(); k-- > 0;) {
          if (dimensions[k] == 1) continue;
          if (left == 1) {
            --next;
            left = merged[next].first, stride = merged[next].second;
          }
          if (left % dimensions[k] != 0) {
            // No strided view exists: the row becomes a term of its own.
            DimVector sizes;
            for (const auto& [size, unused] : merged) sizes.push_back(size);
            Strided rows{from.base, from.offset, {}};
            for (const auto& [unused, step] : merged) rows.strides.push_back(step);
            const Term* whole = View(std::move(rows), Shape::Array(shape.element_type(), sizes));
            const Term* flat =
                Op(HloOpcode::kReshape, Shape::Array(shape.element_type(), {shape.ElementCount()}), {whole});
            return View({flat, 0, ContiguousStrides(dimensions)}, shape);
          }
          to.strides[k] = stride;
          stride *= dimensions[k];
          left /= dimensions[k];
        }
        return View(std::move(to), shape);
      },
      rebuilt_[std::move(key)]);
}

const Term* Terms::Concatenate(Operands operands, int64_t dimension) {
  const size_t d = static_cast<size_t>(dimension);
  Operands parts;
  for (const Term* operand : operands) {
    if (operand->kind == Term::Kind::kOp && operand->opcode == HloOpcode::kConcatenate &&
        operand->data[0] == dimension) {
      parts.insert(parts.end(), operand->operands.begin(), operand->operands.end());
    } else if (operand->shape.dimensions()[d] > 0) {
      parts.push_back(operand);
    }
  }
  if (parts.empty()) return operands[0];
  Shape shape = parts[0]->shape;
  int64_t total = 0;
  for (const Term* part : parts) total += part->shape.dimensions()[d];
  shape.set_dimension(dimension, total);
  if (shape.ElementCount() == 0) return View({parts[0], 0, std::vector<int64_t>(shape.dimensions().size(), 0)}, shape);
  // Joins adjacent parts that continue the same view.
  Operands joined;
  for (const Term* part : parts) {
    if (!joined.empty()) {
      const Term* last = joined.back();
      const Strided a = AsStrided(last), b = AsStrided(part);
      const int64_t m = last->shape.dimensions()[d], n = part->shape.dimensions()[d];
      const int64_t step = m > 1 ? a.strides[d] : n > 1 ? b.strides[d] : b.offset - a.offset;
      std::vector<int64_t> strides = a.strides;
      strides[d] = b.strides[d];
      const bool elementwise = last->IsElementwise() || part->IsElementwise();
      if (!elementwise && a.base == b.base && strides == b.strides && b.offset == a.offset + m * step &&
          (n == 1 || b.strides[d] == step)) {
        Shape both = last->shape;
        both.set_dimension(dimension, m + n);
        strides[d] = step;
        joined.back() = View({a.base, a.offset, std::move(strides)}, both);
        continue;
      }
    }
    joined.push_back(part);
  }
  if (joined.size() == 1) return joined[0];
  return Op(HloOpcode::kConcatenate, shape, std::move(joined), {dimension});
}

}  // namespace hloir::equivalence
