// Contractions, reductions, scatters and sorts. See evaluate.h.
#include <algorithm>
#include <bit>
#include <functional>
#include <unordered_map>

#include "proof_check/evaluate.h"
#include "support/format.h"
#include "support/hash.h"
#include "support/stable_sort.h"

namespace hloir::proof_check {
namespace {

DimVector StridesOf(const DimVector& dims) {
  DimVector strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

// f(index) for each index, in row-major order.
template <class F>
void ForEach(const DimVector& dims, F&& f) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;
  DimVector index(dims.size(), 0);
  while (true) {
    f(index);
    size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

int64_t At(const DimVector& list, int64_t k) { return list[static_cast<size_t>(k)]; }
bool Has(const DimVector& list, int64_t value) { return std::find(list.begin(), list.end(), value) != list.end(); }

// The linear indices of all elements along these dimensions.
std::vector<int64_t> Places(const DimVector& dims, const DimVector& along) {
  const DimVector strides = StridesOf(dims);
  DimVector sizes;
  for (int64_t d : along) sizes.push_back(At(dims, d));
  std::vector<int64_t> places;
  ForEach(sizes, [&](const DimVector& index) {
    int64_t place = 0;
    for (size_t k = 0; k < along.size(); ++k) place += index[k] * At(strides, along[k]);
    places.push_back(place);
  });
  return places;
}

DimVector Others(int64_t rank, const DimVector& a, const DimVector& b) {
  DimVector others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Has(a, d) && !Has(b, d)) others.push_back(d);
  }
  return others;
}

ArrayPtr ElementOf(const Array& array, int64_t at) {
  Array scalar{Shape::Scalar(array.shape.element_type()), {}, {}};
  if (array.HasNumbers()) {
    for (size_t k = static_cast<size_t>(at); k < array.numbers.size();
         k += static_cast<size_t>(array.shape.ElementCount()))
      scalar.numbers.push_back(array.numbers[k]);
  } else {
    const int64_t value = array.literal.GetAsInt64(at);
    scalar.literal = Literal(scalar.shape);
    scalar.literal.SetFromInt64(0, value);
    scalar.bounds = array.bounds.open ? array.bounds : Bounds{value, value};
  }
  return std::make_shared<const Array>(std::move(scalar));
}

// A hash of everything that is known of scalars.
uint64_t KeyOf(uint64_t key, const std::vector<ArrayPtr>& scalars) {
  for (const ArrayPtr& x : scalars) {
    const Bounds& bounds = x->bounds;
    if (!x->HasNumbers()) key = Mix(key, static_cast<uint64_t>(x->literal.GetAsInt64(0)));
    key = Mix(Mix(key, static_cast<uint64_t>(bounds.low)), static_cast<uint64_t>(bounds.high));
    key = Mix(key, (bounds.open ? 2u : 0u) + (bounds.wraps ? 1u : 0u));
    for (const Number& n : x->numbers) {
      key = Mix(Mix(Mix(key, n.p), n.q), n.choice);
      key = Mix(Mix(key, (n.has_q ? 4u : 0u) + (n.undefined ? 2u : 0u) + (n.open ? 1u : 0u)),
                std::bit_cast<uint64_t>(n.value));
    }
  }
  return key;
}

void Store(Array& array, int64_t at, const Array& scalar) {
  if (!array.HasNumbers()) {
    array.bounds = array.bounds.With(scalar.bounds);
    return array.literal.SetFromInt64(at, scalar.literal.GetAsInt64(0));
  }
  for (size_t part = 0; part < scalar.numbers.size(); ++part)
    array.numbers[static_cast<size_t>(at) + part * static_cast<size_t>(array.shape.ElementCount())] =
        scalar.numbers[part];
}

Array Empty(const Shape& shape) {
  Array array{shape, {}, {}};
  const size_t count = static_cast<size_t>(shape.ElementCount());
  if (array.HasNumbers()) array.numbers.resize(array.IsReal() ? count : 2 * count);
  else array.literal = Literal(shape.WithDefaultLayout());
  return array;
}

std::vector<ArrayPtr> Finished(std::vector<Array>& arrays) {
  std::vector<ArrayPtr> finished;
  for (Array& array : arrays) finished.push_back(std::make_shared<const Array>(std::move(array)));
  return finished;
}

// A hash of everything but the sum on which the result's bits depend.
uint64_t KeyOf(const HloInstruction& i, const PrecisionList& precision, DotAlgorithm algorithm) {
  uint64_t key = Mix(static_cast<uint64_t>(i.opcode()), static_cast<uint64_t>(algorithm));
  for (Precision p : precision) key = Mix(key, static_cast<uint64_t>(p));
  for (const HloInstruction* operand : i.operands())
    key = Mix(key, static_cast<uint64_t>(operand->shape().element_type()));
  return Mix(key, static_cast<uint64_t>(i.shape().element_type()));
}

}  // namespace

ArrayPtr Evaluation::Dot(const HloInstruction& i, const Array& x, const Array& y) {
  const DotAttributes& d = i.attributes<DotAttributes>();
  const DimVector &left = x.shape.dimensions(), &right = y.shape.dimensions();
  const std::vector<int64_t> batch_x = Places(left, d.lhs_batch_dims), batch_y = Places(right, d.rhs_batch_dims),
                             sum_x = Places(left, d.lhs_contracting_dims),
                             sum_y = Places(right, d.rhs_contracting_dims),
                             rows = Places(left, Others(x.shape.rank(), d.lhs_batch_dims, d.lhs_contracting_dims)),
                             columns = Places(right, Others(y.shape.rank(), d.rhs_batch_dims, d.rhs_contracting_dims));
  if (x.IsReal() != y.IsReal() || (!x.IsReal() && trial_.arithmetic.bits())) return nullptr;
  Array result{i.shape(), {}, {}};
  const int64_t count = i.shape().ElementCount(), length = static_cast<int64_t>(sum_x.size());
  if (sum_x.size() != sum_y.size() || batch_x.size() != batch_y.size()) return nullptr;
  if (length > 0 && (count > shared_.work_left / length || shared_.Spend(count * length) < 0))
    return Fail("too large"), nullptr;
  Arithmetic& a = trial_.arithmetic;
  const PrimitiveType type = i.shape().element_type();
  const uint64_t key = KeyOf(i, d.operand_precision, d.algorithm);
  const auto sum_of = [&](int64_t left_at, int64_t right_at, bool imaginary_x, bool imaginary_y) {
    const size_t x_at = static_cast<size_t>(left_at + (imaginary_x ? x.shape.ElementCount() : 0)),
                 y_at = static_cast<size_t>(right_at + (imaginary_y ? y.shape.ElementCount() : 0));
    Number sum = a.Literal(0);
    for (size_t k = 0; k < sum_x.size(); ++k) {
      const Number product = a.Multiply(x.numbers[x_at + static_cast<size_t>(sum_x[k])],
                                        y.numbers[y_at + static_cast<size_t>(sum_y[k])], type);
      sum = a.bits() ? a.PlainAdd(sum, a.SumTerm(product)) : a.Add(sum, product, type);
    }
    return a.OfSum(key, sum);
  };
  std::vector<Number> imaginary;
  for (size_t b = 0; b < batch_x.size(); ++b) {
    for (int64_t row : rows) {
      for (int64_t column : columns) {
        const int64_t left_at = batch_x[b] + row, right_at = batch_y[b] + column;
        const Number real = sum_of(left_at, right_at, false, false);
        if (x.IsReal()) {
          result.numbers.push_back(real);
          continue;
        }
        result.numbers.push_back(a.Add(real, a.Negate(sum_of(left_at, right_at, true, true)), type));
        imaginary.push_back(
            a.Add(sum_of(left_at, right_at, false, true), sum_of(left_at, right_at, true, false), type));
      }
    }
  }
  result.numbers.insert(result.numbers.end(), imaginary.begin(), imaginary.end());
  return std::make_shared<const Array>(std::move(result));
}

ArrayPtr Evaluation::Convolution(const HloInstruction& i, const Array& x, const Array& y) {
  const ConvolutionAttributes& c = i.attributes<ConvolutionAttributes>();
  const ConvDimensionNumbers& labels = c.dim_labels;
  const DimVector &in = x.shape.dimensions(), &kernel = y.shape.dimensions(), &out = i.shape().dimensions();
  const DimVector in_strides = StridesOf(in), kernel_strides = StridesOf(kernel);
  const size_t spatial = labels.input_spatial.size();
  if (c.window.size() != spatial || c.feature_group_count < 1 || c.batch_group_count < 1) return nullptr;
  const int64_t features = At(kernel, labels.kernel_input_feature), outputs = At(out, labels.output_feature),
                batches = At(out, labels.output_batch);
  const int64_t per_group = outputs / c.feature_group_count, per_batch_group = outputs / c.batch_group_count;
  if (outputs > 0 && (per_group == 0 || per_batch_group == 0)) return nullptr;
  const int64_t count = i.shape().ElementCount(), taps = outputs > 0 ? y.shape.ElementCount() / outputs : 0;
  if (taps > 0 && (count > shared_.work_left / taps || shared_.Spend(count * taps) < 0))
    return Fail("too large"), nullptr;
  Arithmetic& a = trial_.arithmetic;
  const PrimitiveType type = i.shape().element_type();
  DimVector kernel_sizes;
  for (int64_t d : labels.kernel_spatial) kernel_sizes.push_back(At(kernel, d));
  Array result{i.shape(), {}, {}};
  ForEach(out, [&](const DimVector& index) {
    const int64_t batch = At(index, labels.output_batch), feature = At(index, labels.output_feature);
    const int64_t x_base = (feature / per_batch_group * batches + batch) * At(in_strides, labels.input_batch) +
                           feature / per_group * features * At(in_strides, labels.input_feature);
    const int64_t y_base = feature * At(kernel_strides, labels.kernel_output_feature);
    Number sum = a.Literal(0);
    ForEach(kernel_sizes, [&](const DimVector& tap) {
      int64_t from = x_base, of = y_base;
      for (size_t d = 0; d < spatial; ++d) {
        const WindowDimension& w = c.window[d];
        const int64_t place =
            At(index, labels.output_spatial[d]) * w.stride + tap[d] * w.window_dilation - w.padding_low;
        if (place < 0 || place % w.base_dilation != 0) return;
        const int64_t at = place / w.base_dilation;
        if (at >= At(in, labels.input_spatial[d])) return;
        from += at * At(in_strides, labels.input_spatial[d]);
        of +=
            (w.window_reversal ? kernel_sizes[d] - 1 - tap[d] : tap[d]) * At(kernel_strides, labels.kernel_spatial[d]);
      }
      for (int64_t k = 0; k < features; ++k) {
        const Number product =
            a.Multiply(x.numbers[static_cast<size_t>(from + k * At(in_strides, labels.input_feature))],
                       y.numbers[static_cast<size_t>(of + k * At(kernel_strides, labels.kernel_input_feature))], type);
        sum = a.bits() ? a.PlainAdd(sum, a.SumTerm(product)) : a.Add(sum, product, type);
      }
    });
    result.numbers.push_back(a.OfSum(KeyOf(i, c.operand_precision, c.algorithm), sum));
  });
  return std::make_shared<const Array>(std::move(result));
}

// Solutions of matrix equations that are unique over the reals, so that all algorithms have them.

bool Evaluation::SpendOnSolves(const Shape& shape, size_t n) {
  const int64_t count = shape.ElementCount(), each = static_cast<int64_t>(n);
  if (each > 0 && (count > shared_.work_left / each || shared_.Spend(count * each) < 0)) return Fail("too large");
  return shape.element_type() == PrimitiveType::F32 || shape.element_type() == PrimitiveType::F64;
}

// l l^T = a, or u^T u = a, with a positive diagonal. One triangle of `a` is read; the other one of the result is zero.
ArrayPtr Evaluation::Cholesky(const HloInstruction& i, const Array& x) {
  const PrimitiveType type = x.shape.element_type();
  const size_t n = static_cast<size_t>(x.shape.dimensions().back());
  Arithmetic& a = trial_.arithmetic;
  if (a.bits() || !SpendOnSolves(x.shape, n)) return nullptr;
  const bool lower = i.attributes<CholeskyAttributes>().lower;
  Array result{x.shape, {}, std::vector<Number>(x.numbers.size(), a.Literal(0))};
  for (size_t base = 0; base < x.numbers.size(); base += n * n) {
    const auto at = [&](size_t row, size_t column) { return base + (lower ? row * n + column : column * n + row); };
    for (size_t column = 0; column < n; ++column) {
      for (size_t row = column; row < n; ++row) {
        Number rest = x.numbers[at(row, column)];
        for (size_t k = 0; k < column; ++k)
          rest =
              a.Add(rest, a.Negate(a.Multiply(result.numbers[at(row, k)], result.numbers[at(column, k)], type)), type);
        Number& made = result.numbers[at(row, column)];
        if (row == column) a.Unary(HloOpcode::kSqrt, rest, type, made);
        else made = a.Divide(rest, result.numbers[at(column, column)], type);
      }
    }
  }
  return std::make_shared<const Array>(std::move(result));
}

// op(x) r = y, or r op(x) = y, by substitution: the unknowns of a column (or row) of r, one after the other. One
// triangle of `x` is read.
ArrayPtr Evaluation::TriangularSolve(const HloInstruction& i, const Array& x, const Array& y) {
  const TriangularSolveAttributes& solve = i.attributes<TriangularSolveAttributes>();
  const PrimitiveType type = y.shape.element_type();
  const size_t n = static_cast<size_t>(x.shape.dimensions().back());
  Arithmetic& a = trial_.arithmetic;
  if (a.bits() || !SpendOnSolves(y.shape, n)) return nullptr;
  // r op(x) = y is op(x)^T r^T = y^T.
  const bool turned = (solve.transpose_a != TransposeA::kNoTranspose) == solve.left_side,
             forward = solve.lower != turned;
  const size_t lines =
      static_cast<size_t>(y.shape.dimensions()[y.shape.dimensions().size() - (solve.left_side ? 1 : 2)]);
  Array result = y;
  for (size_t made = 0; made < y.numbers.size(); ++made) {
    const size_t matrix = made / (n * lines), step = made / lines % n, line = made % lines;
    const auto row = [&](size_t k) { return forward ? k : n - 1 - k; };
    const auto of = [&](size_t k) -> Number& {
      return result.numbers[matrix * n * lines + (solve.left_side ? row(k) * lines + line : line * n + row(k))];
    };
    const auto factor = [&](size_t k) -> const Number& {
      return x.numbers[matrix * n * n + (turned ? row(k) * n + row(step) : row(step) * n + row(k))];
    };
    Number& rest = of(step);
    for (size_t k = 0; k < step; ++k) rest = a.Add(rest, a.Negate(a.Multiply(factor(k), of(k), type)), type);
    if (!solve.unit_diagonal) rest = a.Divide(rest, factor(step), type);
  }
  return std::make_shared<const Array>(std::move(result));
}

// ---- Combiners ----

Evaluation::Combiner Evaluation::CombinerOf(const HloComputation& computation) {
  Combiner combiner;
  combiner.graph = shared_.GraphOf(computation);
  if (combiner.graph == nullptr || combiner.graph->results().size() != 1 || combiner.graph->parameters().size() != 2)
    return combiner;
  const ValueId result = combiner.graph->results()[0];
  const Graph::Op& op = combiner.graph->OpOf(result);
  combiner.type = op.instruction->shape().element_type();
  const auto& p = combiner.graph->parameters();
  if (op.operands.size() != 2 || IsComplex(combiner.type)) return combiner;
  const ValueId x = op.operands[0][0], y = op.operands[1][0];
  if ((x == p[0] && y == p[1]) || (x == p[1] && y == p[0])) {
    if (op.instruction->Is(kCommutative)) combiner.op = op.instruction->opcode();
  }
  return combiner;
}

// reduce and reduce-window: each result combines elements of the operands, or initial values where the window reaches
// into the padding.
Evaluation::Arrays Evaluation::Reduce(const HloInstruction& i, const Arrays& x) {
  const size_t n = x.size() / 2;
  if (n == 0 || x.size() != static_cast<size_t>(i.operand_count())) return {};
  const DimVector& in = x[0]->shape.dimensions();
  const DimVector strides = StridesOf(in);
  const Shape& shape = *i.shape().Leaves()[0];
  DimVector inside;  // the window of one result
  Window window;
  DimVector kept;
  if (i.opcode() == HloOpcode::kReduceWindow) {
    const OptionalWindow& given = i.attributes<WindowAttributes>().window;
    window = given.value_or(Window());
    if (window.size() != in.size()) return {};
    for (const WindowDimension& w : window) inside.push_back(w.size);
  } else {
    kept = Others(x[0]->shape.rank(), i.dimensions(), {});
    for (int64_t d : i.dimensions()) inside.push_back(At(in, d));
  }
  int64_t each = 1;
  for (int64_t size : inside) each *= size;
  const int64_t count = shape.ElementCount();
  if (each > 0 && (count > shared_.work_left / each || shared_.Spend(count * each) < 0))
    return Fail("too large"), Arrays();
  const auto places = [&](const DimVector& index, const std::function<void(int64_t)>& use) {
    ForEach(inside, [&](const DimVector& at) {
      int64_t place = 0;
      if (window.empty()) {
        for (size_t k = 0; k < kept.size(); ++k) place += index[k] * At(strides, kept[k]);
        for (size_t k = 0; k < at.size(); ++k) place += at[k] * At(strides, i.dimensions()[k]);
        return use(place);
      }
      for (size_t d = 0; d < window.size(); ++d) {
        const WindowDimension& w = window[d];
        const int64_t padded = index[d] * w.stride + at[d] * w.window_dilation - w.padding_low;
        if (padded < 0 || padded % w.base_dilation != 0 || padded / w.base_dilation >= in[d]) return use(-1);
        place += padded / w.base_dilation * strides[d];
      }
      use(place);
    });
  };
  const Combiner combiner = CombinerOf(*i.to_apply());
  Arithmetic& a = trial_.arithmetic;
  std::vector<Array> results;
  for (const Shape* leaf : i.shape().Leaves()) results.push_back(Empty(*leaf));
  constexpr size_t kMostCombined = 1 << 14;
  std::unordered_map<uint64_t, Arrays> combined;  // the results of the combiner, by its operands
  Arrays init;
  std::vector<Arrays> elements;
  int64_t to = 0;
  constexpr size_t kFew = 3;
  const bool chooses = IsOneOf(combiner.op, HloOpcode::kMaximum, HloOpcode::kMinimum) ||
                       (!x[0]->HasNumbers() && IsOneOf(combiner.op, HloOpcode::kAnd, HloOpcode::kOr));
  const bool sums = a.bits() && (combiner.op == HloOpcode::kAdd || combiner.op == HloOpcode::kMultiply);
  ForEach(shape.dimensions(), [&](const DimVector& index) {
    if (!why_.empty()) return;
    if (n == 1 && chooses && x[0]->IsReal()) {
      std::vector<Number> numbers = {x[1]->numbers[0]};
      places(index, [&](int64_t place) {
        if (place >= 0) numbers.push_back(x[0]->numbers[static_cast<size_t>(place)]);
      });
      results[0].numbers[static_cast<size_t>(to++)] = a.Extremum(numbers, combiner.op == HloOpcode::kMaximum);
      return;
    }
    if (n == 1 && chooses && x[0]->bounds.open) {
      // As Arithmetic::Extremum, but of the multiset, as conditions have two values only. One holds if not all of the
      // opposites do.
      const bool opposite = x[0]->shape.element_type() == PrimitiveType::PRED &&
                            IsOneOf(combiner.op, HloOpcode::kOr, HloOpcode::kMaximum);
      const bool bitwise = IsOneOf(combiner.op, HloOpcode::kAnd, HloOpcode::kOr);
      const auto value_of = [&](const Array& array, int64_t at) {
        return array.literal.GetAsInt64(at) ^ (opposite ? 1 : 0);
      };
      std::vector<int64_t> values;
      places(index, [&](int64_t place) {
        if (place >= 0) values.push_back(value_of(*x[0], place));
      });
      std::sort(values.begin(), values.end());
      if (values.size() > kFew && values.front() != values.back()) {
        uint64_t key = x[0]->shape.element_type() == PrimitiveType::PRED ? 0 : static_cast<uint64_t>(combiner.op);
        key = Mix(key, static_cast<uint64_t>(value_of(*x[1], 0)));
        for (int64_t value : values) key = Mix(key, static_cast<uint64_t>(value));
        const int64_t chosen = values[Scramble(Mix(trial_.seed, key)) % values.size()] ^ (opposite ? 1 : 0);
        results[0].bounds =
            bitwise ? Bounds::Of(combiner.type) : results[0].bounds.With(x[0]->bounds).With(x[1]->bounds);
        results[0].bounds.open = true;
        results[0].bounds.wraps = x[0]->bounds.wraps || x[1]->bounds.wraps;
        results[0].literal.SetFromInt64(to++, chosen);
        return;
      }
    }
    if (n == 1 && combiner.op != HloOpcode::kTuple && x[0]->IsReal()) {
      const Number init = x[1]->numbers[0];
      Number sum = sums ? a.SumTerm(init) : init;
      bool known = true;
      places(index, [&](int64_t place) {
        const Number& element = place < 0 ? init : x[0]->numbers[static_cast<size_t>(place)];
        if (sums) sum = a.PlainAdd(sum, a.SumTerm(element));
        else known = known && a.Binary(combiner.op, Number(sum), element, combiner.type, sum);
      });
      if (!known) Fail("a reduction by an unknown operation");
      results[0].numbers[static_cast<size_t>(to++)] = sums ? a.OfSum(static_cast<uint64_t>(combiner.op), sum) : sum;
      return;
    }
    if (init.empty()) {
      elements.resize(static_cast<size_t>(x[0]->shape.ElementCount()));
      for (size_t k = 0; k < n; ++k) init.push_back(ElementOf(*x[n + k], 0));
    }
    Arrays state = init;
    places(index, [&](int64_t place) {
      if (!why_.empty()) return;
      Arrays& element = place < 0 ? init : elements[static_cast<size_t>(place)];
      for (size_t k = 0; element.size() < n; ++k) element.push_back(ElementOf(*x[k], place));
      // Windows that overlap combine the same numbers.
      if (combined.size() > kMostCombined) combined.clear();
      const auto [known, added] = combined.try_emplace(KeyOf(KeyOf(0, state), element));
      if (added) {
        Arrays both = state;
        both.insert(both.end(), element.begin(), element.end());
        known->second = Call(*i.to_apply(), both);
      }
      state = known->second;
    });
    if (!why_.empty()) return;
    for (size_t k = 0; k < n; ++k) Store(results[k], to, *state[k]);
    ++to;
  });
  if (!why_.empty()) return {};
  return Finished(results);
}

// Combines the windows of the updates with the operands in the order of the updates.
Evaluation::Arrays Evaluation::Scatter(const HloInstruction& i, const Arrays& x) {
  const size_t n = x.size() / 2;
  if (n == 0 || x.size() != static_cast<size_t>(i.operand_count())) return {};
  const ScatterAttributes& s = i.attributes<ScatterAttributes>();
  const DimVector &dims = x[0]->shape.dimensions(), &updates = x[n + 1]->shape.dimensions(),
                  &indices = x[n]->shape.dimensions();
  const DimVector strides = StridesOf(dims), index_strides = StridesOf(indices);
  std::vector<Array> results;
  for (size_t k = 0; k < n; ++k) results.push_back(*x[k]);
  DimVector window_of;  // the operand's dimension for each window dimension
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
    if (!Has(s.inserted_window_dims, d) && !Has(s.input_batching_dims, d)) window_of.push_back(d);
  }
  if (window_of.size() != s.update_window_dims.size()) return {};
  const Combiner combiner = CombinerOf(*i.to_apply());
  Arithmetic& a = trial_.arithmetic;
  const bool has_vector = s.index_vector_dim < static_cast<int64_t>(indices.size());
  int64_t update = -1;
  ForEach(updates, [&](const DimVector& index) {
    ++update;
    if (!why_.empty()) return;
    DimVector batch;
    for (int64_t d = 0; d < static_cast<int64_t>(updates.size()); ++d) {
      if (!Has(s.update_window_dims, d)) batch.push_back(At(index, d));
    }
    if (has_vector) batch.insert(batch.begin() + s.index_vector_dim, 0);
    int64_t base = 0;
    for (size_t d = 0; d < batch.size(); ++d) base += batch[d] * index_strides[d];
    DimVector place(dims.size(), 0);
    for (size_t k = 0; k < s.scatter_dims_to_operand_dims.size(); ++k) {
      const int64_t at = base + (has_vector ? static_cast<int64_t>(k) * At(index_strides, s.index_vector_dim) : 0);
      place[static_cast<size_t>(s.scatter_dims_to_operand_dims[k])] = x[n]->literal.GetAsInt64(at);
    }
    for (size_t k = 0; k < s.input_batching_dims.size(); ++k)
      place[static_cast<size_t>(s.input_batching_dims[k])] = At(batch, s.scatter_indices_batching_dims[k]);
    DimVector sizes(dims.size(), 1);
    for (size_t k = 0; k < window_of.size(); ++k)
      sizes[static_cast<size_t>(window_of[k])] = At(updates, s.update_window_dims[k]);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (place[d] < 0 || place[d] > dims[d] - sizes[d]) return;
    }
    for (size_t k = 0; k < window_of.size(); ++k)
      place[static_cast<size_t>(window_of[k])] += At(index, s.update_window_dims[k]);
    int64_t to = 0;
    for (size_t d = 0; d < dims.size(); ++d) to += place[d] * strides[d];
    if (combiner.op != HloOpcode::kTuple && !a.bits() && results[0].IsReal()) {
      Number& element = results[0].numbers[static_cast<size_t>(to)];
      const Number& value = x[n + 1]->numbers[static_cast<size_t>(update)];
      if (!a.Binary(combiner.op, Number(element), value, combiner.type, element))
        Fail("a scatter by an unknown operation");
      return;
    }
    Arrays both;
    for (const Array& result : results) both.push_back(ElementOf(result, to));
    for (size_t k = 0; k < n; ++k) both.push_back(ElementOf(*x[n + 1 + k], update));
    const Arrays combined = Call(*i.to_apply(), both);
    for (size_t k = 0; k < combined.size() && why_.empty(); ++k) Store(results[k], to, *combined[k]);
  });
  return why_.empty() ? Finished(results) : Arrays();
}

// Combines each element of the source with the element that its window selects, in the order of the source.
ArrayPtr Evaluation::SelectAndScatter(const HloInstruction& i, const Arrays& x) {
  const OptionalWindow& given = i.attributes<WindowAttributes>().window;
  const DimVector &dims = x[0]->shape.dimensions(), &windows = x[1]->shape.dimensions();
  const DimVector strides = StridesOf(dims);
  const Combiner combiner = CombinerOf(*i.called_computation(1));
  if (!given.has_value() || given->size() != dims.size() || combiner.op == HloOpcode::kTuple || !x[0]->IsReal() ||
      !x[1]->IsReal() || !x[2]->IsReal())
    return nullptr;
  DimVector sizes;
  int64_t each = 1;
  for (const WindowDimension& w : *given) {
    if (w.base_dilation != 1 || w.window_reversal) return nullptr;
    sizes.push_back(w.size);
    each *= w.size;
  }
  const int64_t count = x[1]->shape.ElementCount();
  if (each > 0 && (count > shared_.work_left / each || shared_.Spend(count * each) < 0))
    return Fail("too large"), nullptr;
  Array result = Empty(i.shape());
  std::fill(result.numbers.begin(), result.numbers.end(), x[2]->numbers[0]);
  size_t from = 0;
  ForEach(windows, [&](const DimVector& index) {
    int64_t selected = -1;
    ForEach(sizes, [&](const DimVector& at) {
      int64_t place = 0;
      for (size_t d = 0; d < dims.size(); ++d) {
        const WindowDimension& w = (*given)[d];
        const int64_t along = index[d] * w.stride + at[d] * w.window_dilation - w.padding_low;
        if (along < 0 || along >= dims[d]) return;
        place += along * strides[d];
      }
      if (!why_.empty()) return;
      if (selected >= 0) {
        const Arrays keeps = Call(*i.called_computation(0), {ElementOf(*x[0], selected), ElementOf(*x[0], place)});
        if (!why_.empty() || keeps[0]->literal.data<bool>()[0]) return;
      }
      selected = place;
    });
    const Number& value = x[1]->numbers[from++];
    if (selected < 0 || !why_.empty()) return;
    Number& element = result.numbers[static_cast<size_t>(selected)];
    if (!trial_.arithmetic.Binary(combiner.op, Number(element), value, combiner.type, element))
      Fail("a scatter by an unknown operation");
  });
  return why_.empty() ? std::make_shared<const Array>(std::move(result)) : nullptr;
}

// A computation of each element by itself.
Evaluation::Arrays Evaluation::Map(const HloInstruction& i, const Arrays& x) {
  Array result = Empty(i.shape());
  for (int64_t k = 0; k < i.shape().ElementCount(); ++k) {
    Arrays arguments;
    for (const ArrayPtr& a : x) arguments.push_back(ElementOf(*a, k));
    const Arrays made = Call(*i.to_apply(), arguments);
    if (!why_.empty()) return {};
    Store(result, k, *made[0]);
  }
  return {std::make_shared<const Array>(std::move(result))};
}

// A computation of the inputs' slices along a dimension, one after the other, and of what it carries on.
Evaluation::Arrays Evaluation::Scan(const HloInstruction& i, const Arrays& x) {
  const ScanAttributes& s = i.attributes<ScanAttributes>();
  const size_t along = static_cast<size_t>(s.dimensions[0]), carries = static_cast<size_t>(s.num_carries),
               inputs = x.size() - carries;
  const std::vector<const Shape*> shapes = i.shape().Leaves();
  if (x.size() != static_cast<size_t>(i.operand_count()) || inputs + shapes.size() == carries) return {};
  const int64_t length = (inputs > 0 ? x[0]->shape : *shapes[0]).dimensions()[along];
  // The places of a slice in an array.
  const auto places = [&](const DimVector& dims, int64_t at) {
    std::vector<int64_t> all = Places(dims, Others(static_cast<int64_t>(dims.size()), {s.dimensions[0]}, {}));
    for (int64_t& place : all) place += at * StridesOf(dims)[along];
    return all;
  };
  std::vector<Array> stacked;
  for (size_t k = 0; k + carries < shapes.size(); ++k) stacked.push_back(Empty(*shapes[k]));
  Arrays state(x.begin() + static_cast<std::ptrdiff_t>(inputs), x.end());
  for (int64_t step = 0; step < length; ++step) {
    const int64_t at = s.is_reverse ? length - 1 - step : step;
    Arrays arguments;
    for (size_t k = 0; k < inputs; ++k) {
      DimVector dims = x[k]->shape.dimensions();
      const std::vector<int64_t> from = places(dims, at);
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(along));
      Array slice = Empty(Shape::Array(x[k]->shape.element_type(), dims));
      for (size_t to = 0; to < from.size(); ++to) Store(slice, static_cast<int64_t>(to), *ElementOf(*x[k], from[to]));
      arguments.push_back(std::make_shared<const Array>(std::move(slice)));
    }
    arguments.insert(arguments.end(), state.begin(), state.end());
    const Arrays made = Call(*i.to_apply(), arguments);
    if (!why_.empty() || made.size() != shapes.size()) return {};
    for (size_t k = 0; k < stacked.size(); ++k) {
      const std::vector<int64_t> to = places(stacked[k].shape.dimensions(), at);
      for (size_t from = 0; from < to.size(); ++from)
        Store(stacked[k], to[from], *ElementOf(*made[k], static_cast<int64_t>(from)));
    }
    state.assign(made.begin() + static_cast<std::ptrdiff_t>(stacked.size()), made.end());
  }
  Arrays all = Finished(stacked);
  all.insert(all.end(), state.begin(), state.end());
  return all;
}

// Ranks are a total order. Sorting is unsupported when signs order the numbers.
Evaluation::Arrays Evaluation::Sort(const HloInstruction& i, const Arrays& x) {
  const bool floats = std::any_of(x.begin(), x.end(), [](const ArrayPtr& a) { return a->HasNumbers(); });
  if (x.empty() || (floats && trial_.order != Order::kRanks) || x.size() != static_cast<size_t>(i.operand_count()))
    return {};
  const DimVector& dims = x[0]->shape.dimensions();
  const int64_t dimension = i.attributes<SortAttributes>().dimensions[0], length = At(dims, dimension),
                step = At(StridesOf(dims), dimension);
  std::vector<Array> results;
  for (const ArrayPtr& a : x) results.push_back(*a);
  DimVector outer = dims;
  outer[static_cast<size_t>(dimension)] = std::min<int64_t>(length, 1);
  const DimVector strides = StridesOf(dims);
  ForEach(outer, [&](const DimVector& index) {
    if (!why_.empty()) return;
    int64_t base = 0;
    for (size_t d = 0; d < dims.size(); ++d) base += index[d] * strides[d];
    std::vector<int64_t> order;
    for (int64_t k = 0; k < length; ++k) order.push_back(base + k * step);
    StableSort(order, [&](int64_t p, int64_t q) {
      Arrays arguments;
      for (const ArrayPtr& a : x) arguments.push_back(ElementOf(*a, p)), arguments.push_back(ElementOf(*a, q));
      if (!why_.empty() || shared_.Spend(16) < 0) return !Fail("too large");
      const Arrays less = Call(*i.to_apply(), arguments);
      return why_.empty() && less[0]->literal.data<bool>()[0];
    });
    for (size_t k = 0; k < x.size(); ++k) {
      for (int64_t at = 0; at < length; ++at)
        Store(results[k], base + at * step, *ElementOf(*x[k], order[static_cast<size_t>(at)]));
    }
  });
  if (!why_.empty()) return {};
  return Finished(results);
}

}  // namespace hloir::proof_check
