// Contractions and reductions as sums over index variables. See build.h.
#include <algorithm>
#include <cmath>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {
ExprId Builder::InResultType(ExprId x, const Shape& from, const Shape& result) {
  const PrimitiveType given = x_.TypeOf(x), type = Normal(result.element_type());
  if (IsInteger(type)) return x_.Convert(x, given, type);
  if (given == type) return x;
  if (type != PrimitiveType::F64 || given == PrimitiveType::C128) return -1;
  if (given == PrimitiveType::PRED) return x_.Convert(x, given, type);
  return FromInteger(x, from.element_type(), result.element_type());
}

ExprId Builder::Dot(const HloInstruction& i, const std::vector<ExprId>& x) {
  const DotAttributes& dot = i.attributes<DotAttributes>();
  const PrimitiveType type = Normal(i.shape().element_type());
  if (type == PrimitiveType::PRED) return -1;
  const std::vector<Index> out = Dimensions(i.shape());
  std::vector<Index> at[2];
  std::vector<VarId> over;
  size_t next = 0;
  const auto& l = i.operand(0)->shape();
  const auto& r = i.operand(1)->shape();
  at[0].resize(static_cast<size_t>(l.rank()));
  at[1].resize(static_cast<size_t>(r.rank()));
  for (size_t k = 0; k < dot.lhs_batch_dims.size(); ++k, ++next) {
    at[0][static_cast<size_t>(dot.lhs_batch_dims[k])] = out[next];
    at[1][static_cast<size_t>(dot.rhs_batch_dims[k])] = out[next];
  }
  for (size_t k = 0; k < dot.lhs_contracting_dims.size(); ++k) {
    over.push_back(x_.Fresh(l.dimensions(dot.lhs_contracting_dims[k])));
    at[0][static_cast<size_t>(dot.lhs_contracting_dims[k])] = x_.Var(over.back());
    at[1][static_cast<size_t>(dot.rhs_contracting_dims[k])] = x_.Var(over.back());
  }
  for (int64_t d = 0; d < l.rank(); ++d) {
    if (!Contains(dot.lhs_batch_dims, d) && !Contains(dot.lhs_contracting_dims, d))
      at[0][static_cast<size_t>(d)] = out[next++];
  }
  for (int64_t d = 0; d < r.rank(); ++d) {
    if (!Contains(dot.rhs_batch_dims, d) && !Contains(dot.rhs_contracting_dims, d))
      at[1][static_cast<size_t>(d)] = out[next++];
  }
  ExprId a = Read(x[0], l, at[0]), b = Read(x[1], r, at[1]);
  a = InResultType(a, l, i.shape()), b = InResultType(b, r, i.shape());
  if (a < 0 || b < 0) return -1;
  const uint32_t before = x_.TakeUses();
  const ExprId product = x_.Multiply(a, b);
  const uint32_t multiplied = x_.TakeUses();
  x_.Uses(before | multiplied);
  return x_.SumOver(std::move(over), product);
}

ExprId Builder::Convolution(const HloInstruction& i, const std::vector<ExprId>& x) {
  const ConvolutionAttributes& conv = i.attributes<ConvolutionAttributes>();
  const PrimitiveType type = Normal(i.shape().element_type());
  if (x.size() != 2 || type == PrimitiveType::PRED || conv.sparsity_config.lhs || conv.sparsity_config.rhs) return -1;
  const ConvDimensionNumbers& d = conv.dim_labels;
  const Shape &input = i.operand(0)->shape(), &kernel = i.operand(1)->shape(), &output = i.shape();
  const std::vector<Index> out = Dimensions(output);
  std::vector<Index> in(static_cast<size_t>(input.rank())), ker(static_cast<size_t>(kernel.rank()));
  std::vector<VarId> over;
  const int64_t groups = conv.feature_group_count, batches = conv.batch_group_count;
  const int64_t channels = kernel.dimensions(d.kernel_input_feature), features = output.dimensions(d.output_feature);
  const Index feature = out[static_cast<size_t>(d.output_feature)];
  over.push_back(x_.Fresh(channels));
  const Index channel = x_.Var(over.back());
  ker[static_cast<size_t>(d.kernel_input_feature)] = channel;
  ker[static_cast<size_t>(d.kernel_output_feature)] = feature;
  in[static_cast<size_t>(d.input_feature)] =
      groups > 1 ? x_.Plus(channel, x_.Div(feature, features / groups), channels) : channel;
  Index batch = out[static_cast<size_t>(d.output_batch)];
  if (batches > 1) batch = x_.Plus(batch, x_.Div(feature, features / batches), output.dimensions(d.output_batch));
  in[static_cast<size_t>(d.input_batch)] = batch;
  ExprId inside = x_.True();
  for (size_t k = 0; k < conv.window.size(); ++k) {
    const WindowDimension& w = conv.window[k];
    const int64_t size = input.dimensions(d.input_spatial[k]);
    over.push_back(x_.Fresh(w.size));
    const Index tap = x_.Var(over.back());
    ker[static_cast<size_t>(d.kernel_spatial[k])] =
        w.window_reversal ? x_.Plus(Exprs::Number(w.size - 1), tap, -1) : tap;
    Index at = x_.Times(out[static_cast<size_t>(d.output_spatial[k])], w.stride);
    at = x_.Plus(x_.Plus(at, tap, w.window_dilation), Exprs::Number(-w.padding_low));
    inside = x_.And(inside, x_.Guard(false, at));
    inside = x_.And(inside, x_.Guard(false, x_.Plus(Exprs::Number((size - 1) * w.base_dilation), at, -1)));
    if (w.base_dilation > 1) {
      inside = x_.And(inside, x_.Guard(true, x_.Mod(at, w.base_dilation)));
      at = x_.Div(at, w.base_dilation);
    }
    in[static_cast<size_t>(d.input_spatial[k])] = at;
  }
  ExprId a = Read(x[0], input, in), b = Read(x[1], kernel, ker);
  a = InResultType(a, input, i.shape()), b = InResultType(b, kernel, i.shape());
  if (a < 0 || b < 0) return -1;
  const ExprId zero = IsInteger(type) ? x_.Integer(0, type) : x_.Real(0);
  return x_.SumOver(std::move(over), x_.If(inside, x_.Multiply(a, b), zero));
}

Value Builder::Reduce(const HloInstruction& i, const std::vector<ExprId>& x, Inside in) {
  const size_t n = x.size() / 2;
  const Shape& from = i.operand(0)->shape();
  std::vector<Index> index(static_cast<size_t>(from.rank()));
  std::vector<VarId> over;
  int32_t next = 0;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (Contains(i.dimensions(), d)) {
      over.push_back(x_.Fresh(from.dimensions(d)));
      index[static_cast<size_t>(d)] = x_.Var(over.back());
    } else {
      index[static_cast<size_t>(d)] = x_.Var(x_.Dimension(next++, from.dimensions(d)));
    }
  }
  for (VarId v : over) {
    if (x_.VariableAt(v).size == 0) return {};
  }
  std::vector<ExprId> bodies;
  for (size_t k = 0; k < n; ++k) bodies.push_back(Read(x[k], from, index));
  Value region;
  const PrimitiveType type = x_.TypeOf(x[0]);
  if (IsQuantized(i.operand(0)->shape().element_type())) return {};
  // The extreme of the k-th operand's elements and its initial value.
  const auto extreme_of = [&](HloOpcode op, size_t k, const std::vector<VarId>& variables, ExprId body) {
    const bool is_or = op == HloOpcode::kOr;
    ExprId result = x_.ExtremeOver(is_or ? HloOpcode::kAnd : op, variables, is_or ? x_.Not(body) : body, x_.True());
    if (is_or) result = x_.Not(result);
    const ExprId start = x[n + k];
    const PrimitiveType of = i.operand(static_cast<int64_t>(n + k))->shape().element_type();
    if (const auto init = x_.IntegerOf(start); init && IsInteger(of)) {
      const Literal least = op == HloOpcode::kMaximum ? Literal::MinValue(of) : Literal::MaxValue(of);
      if (least.GetAsInt64(0) == *init) return result;
    }
    if (op == HloOpcode::kAnd) return x_.And(result, start);
    if (is_or) return x_.Or(result, start);
    return x_.Function(op, x_.TypeOf(x[k]), {result, start});
  };
  const auto extreme = [&](HloOpcode op, size_t k) { return extreme_of(op, k, over, bodies[k]); };
  if (n == 1) {
    const HloOpcode op = Combiner(*i.to_apply(), type, in, &region);
    if (!why_.empty()) return {};
    if (op == HloOpcode::kAdd) return {RoundedAs(region[0], x_.Add(x_.SumOver(over, bodies[0]), x[1]))};
    if (op == HloOpcode::kMultiply) {
      x_.Uses(kRounds);
      return {RoundedAs(region[0], x_.Multiply(x_.ExtremeOver(op, over, bodies[0], x_.True()), x[1]))};
    }
    // An accumulator of a wider type that is truncated to a narrow integer at each step.
    for (PrimitiveType narrow : {PrimitiveType::S4, PrimitiveType::U4, PrimitiveType::S2, PrimitiveType::U2}) {
      if (op != HloOpcode::kTuple || region.size() != 1 || !IsInteger(type) || type == PrimitiveType::PRED ||
          BitWidth(type) <= BitWidth(narrow))
        continue;
      const auto cut = [&](ExprId e) { return x_.Convert(x_.Convert(e, type, narrow), narrow, type); };
      const ExprId a = RegionParameter(0, in.level + 1, 0, i.to_apply()->parameter(0)->shape());
      const ExprId b = RegionParameter(0, in.level + 1, 4096, i.to_apply()->parameter(1)->shape());
      if (x_.TypeOf(a) == type && x_.TypeOf(b) == type && region[0] == cut(x_.Add(a, b)))
        return {cut(x_.Add(x_.SumOver(over, bodies[0]), x[1]))};
    }
    if (op == HloOpcode::kMaximum || op == HloOpcode::kMinimum || op == HloOpcode::kAnd || op == HloOpcode::kOr)
      return {extreme(op, 0)};
    if (op == HloOpcode::kLog) {
      const ExprId sum = x_.SumOfExps(over, bodies[0], x_.True());
      return {x_.Function(op, type, {x_.Add(sum, x_.SumOfExps({}, x[1], x_.True()))})};
    }
  } else {
    region = Region(*i.to_apply(), in);
    if (!why_.empty()) return {};
  }
  const bool any_order = n > 1 && TakesAnyOrder(*i.to_apply());
  const auto data_of = [&](size_t k) {
    std::vector<int64_t> data{any_order ? -1 - static_cast<int64_t>(k) : static_cast<int64_t>(k)};
    for (ExprId e : region) data.push_back(e);
    return data;
  };
  // Where a result is the extreme of its values alone, it is that extreme, not a function of both.
  std::vector<HloOpcode> extremes(n, HloOpcode::kTuple);
  for (size_t k = 0; k < n && n == 2; ++k) extremes[k] = ExtremeOfChosen(*i.to_apply(), k);
  // A reduction of results of the same reduction is merged with it.
  const auto open_parts = [&] {
    std::optional<Expr> row;
    std::vector<bool> is_row(n);
    for (size_t k = 0; k < n; ++k) {
      ExprId e = bodies[k];
      if (const ExprId opened = x_.Opened(e); opened >= 0) e = opened;
      const Expr& part = x_.At(e);
      is_row[k] = part.kind == Expr::Kind::kBind && part.tag == kRow && part.op == HloOpcode::kReduce &&
                  part.data == data_of(k);
      if (!is_row[k] && extremes[k] == HloOpcode::kTuple) return false;
      if (!is_row[k]) continue;
      if (row && (part.args != row->args || part.bound != row->bound)) return false;
      row = part;
    }
    if (!row) return false;
    for (size_t k = 0; k < n; ++k) {
      if (row->args[n + k] != x[n + k]) return false;
    }
    Exprs::Substitution by;
    std::vector<VarId> inner;
    for (VarId v : row->bound) {
      inner.push_back(x_.Fresh(x_.VariableAt(v).size));
      by.push_back({v, x_.Var(inner.back())});
    }
    std::vector<ExprId> opened;
    for (size_t k = 0; k < n; ++k) {
      opened.push_back(x_.Substitute(row->args[k], by));
      if (!is_row[k] && x_.Named(extreme_of(extremes[k], k, inner, opened[k])) != bodies[k]) return false;
    }
    over.insert(over.end(), inner.begin(), inner.end());
    bodies = std::move(opened);
    return true;
  };
  if (any_order) {
    x_.Uses(kFiniteOnly);  // (which NaN comes first counts)
    while (open_parts()) {
    }
  }
  const std::vector<ExprId> plain = bodies;
  if (any_order) {
    // A place as an element of an array of places, read at one index, so that tiles and places in them are joined.
    for (ExprId& body : bodies) {
      const std::optional<Index> place = x_.AsIndex(body);
      if (!place || place->terms.empty() || x_.RangeOf(*place).low < 0) continue;
      Leaf places;
      places.key = {-20};
      places.type = x_.TypeOf(body);
      places.sizes = {int64_t{1} << 31};
      body = x_.MakeLeaf(x_.LeafOf(std::move(places)), {*place});
    }
  }
  Value value;
  for (size_t k = 0; k < n; ++k) {
    if (extremes[k] != HloOpcode::kTuple) {
      x_.Uses(kFiniteOnly);  // (the sign of zero, and which NaN)
      value.push_back(extreme_of(extremes[k], k, over, plain[k]));
      continue;
    }
    std::vector<int64_t> data = data_of(k);
    std::vector<ExprId> args = bodies;
    for (size_t j = 0; j < n; ++j) args.push_back(x[n + j]);
    value.push_back(x_.Row(HloOpcode::kReduce, data, over, std::move(args), {}, x_.TypeOf(x[k])));
  }
  return value;
}

// The elements of an operand that a window covers, by variables over its places. `prefix`: of all from one end up to
// some place, by a variable over the whole dimension.
Builder::Taps Builder::TapsOf(const Window& window, const Shape& from, const Shape& to, bool prefix) {
  const std::vector<Index> out = Dimensions(to);
  Taps taps;
  taps.inside = x_.True();
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    taps.over.push_back(x_.Fresh(w.size));
    const Index tap =
        w.window_reversal ? x_.Plus(Exprs::Number(w.size - 1), x_.Var(taps.over.back()), -1) : x_.Var(taps.over.back());
    const int64_t size = from.dimensions(static_cast<int64_t>(d)), last = to.dimensions(static_cast<int64_t>(d)) - 1;
    const auto require = [&](ExprId condition) { taps.inside = x_.And(taps.inside, condition); };
    if (prefix && w.size > 1 && w.stride == 1 && w.window_dilation == 1 && w.base_dilation == 1 && size > 0 &&
        (w.padding_low >= last || w.size - 1 - w.padding_low >= size - 1)) {
      // All from one end on, up to some place: a prefix, or a suffix.
      taps.over.back() = x_.Fresh(size);
      const Index at = x_.Var(taps.over.back()), first = x_.Plus(out[d], Exprs::Number(-w.padding_low));
      require(x_.Guard(false, x_.Plus(at, first, -1)));
      require(x_.Guard(false, x_.Plus(x_.Plus(first, at, -1), Exprs::Number(w.size - 1))));
      taps.at.push_back(at);
      continue;
    }
    Index at = x_.Plus(x_.Plus(x_.Times(out[d], w.stride), tap, w.window_dilation), Exprs::Number(-w.padding_low));
    require(x_.Guard(false, at));
    require(x_.Guard(false, x_.Plus(Exprs::Number((size - 1) * w.base_dilation), at, -1)));
    if (w.base_dilation > 1) {
      require(x_.Guard(true, x_.Mod(at, w.base_dilation)));
      at = x_.Div(at, w.base_dilation);
    }
    taps.at.push_back(at);
  }
  std::erase_if(taps.over, [&](VarId v) { return x_.VariableAt(v).size == 1; });
  return taps;
}

// Windows under any combiner: functions of all that a window covers, of the initial values, and of the combiner.
Value Builder::WindowRows(const Taps& taps, const std::vector<ExprId>& covered, const std::vector<ExprId>& init,
                          const Value& region) {
  Value value;
  for (size_t k = 0; k < covered.size(); ++k) {
    std::vector<int64_t> data{static_cast<int64_t>(k)};
    for (ExprId e : region) data.push_back(e);
    std::vector<ExprId> bodies;
    for (size_t j = 0; j < covered.size(); ++j) bodies.push_back(x_.If(taps.inside, covered[j], init[j]));
    bodies.insert(bodies.end(), init.begin(), init.end());
    value.push_back(
        x_.Row(HloOpcode::kReduceWindow, std::move(data), taps.over, std::move(bodies), {}, x_.TypeOf(covered[k])));
  }
  return value;
}

Value Builder::ReduceWindow(const HloInstruction& i, const std::vector<ExprId>& x, Inside in) {
  const Shape &from = i.operand(0)->shape(), &to = *i.shape().Leaves()[0];
  const PrimitiveType type = x_.TypeOf(x[0]);
  const Window& window = i.attributes<WindowAttributes>().window;
  const size_t n = x.size() / 2;
  for (size_t k = 0; k < n; ++k) {
    if (IsQuantized(i.operand(static_cast<int64_t>(k))->shape().element_type())) return {};
  }
  Value region;
  const HloOpcode op = n == 1 ? Combiner(*i.to_apply(), type, in, &region) : HloOpcode::kTuple;
  if (n > 1) region = Region(*i.to_apply(), in);
  if (!why_.empty()) return {};
  // The padding is the reduction's initial value, so that must be the identity.
  ExprId identity = -1;
  const PrimitiveType of = i.operand(static_cast<int64_t>(n))->shape().element_type();
  switch (op) {
    case HloOpcode::kAdd: identity = IsInteger(type) ? x_.Integer(0, type) : x_.Sum({}, type); break;
    case HloOpcode::kLog: identity = x_.Real(-INFINITY); break;
    case HloOpcode::kMultiply: identity = IsInteger(type) ? x_.Integer(1, type) : x_.Real(1); break;
    case HloOpcode::kMaximum:
    case HloOpcode::kMinimum:
      if (IsInteger(type))
        identity = x_.Constant(op == HloOpcode::kMaximum ? Literal::MinValue(of) : Literal::MaxValue(of), 0);
      else identity = x_.Real(op == HloOpcode::kMaximum ? -INFINITY : INFINITY);
      break;
    case HloOpcode::kAnd: identity = x_.True(); break;
    case HloOpcode::kOr: identity = x_.False(); break;
    default: break;  // a region that is no known operation has no known identity
  }
  const bool known = x[n] == identity;
  const Taps taps = TapsOf(window, from, to, known);
  std::vector<ExprId> covered;
  for (size_t k = 0; k < n; ++k) covered.push_back(Read(x[k], from, taps.at));
  if (!known) return WindowRows(taps, covered, {x.begin() + static_cast<std::ptrdiff_t>(n), x.end()}, region);
  const ExprId body = covered[0];
  if (op == HloOpcode::kAdd) return {RoundedAs(region[0], x_.SumOver(taps.over, x_.If(taps.inside, body, identity)))};
  if (op == HloOpcode::kLog) return {x_.Function(op, type, {x_.SumOfExps(taps.over, body, taps.inside)})};
  const bool is_or = op == HloOpcode::kOr;
  const ExprId result =
      x_.ExtremeOver(is_or ? HloOpcode::kAnd : op, taps.over, is_or ? x_.Not(body) : body, taps.inside);
  if (op == HloOpcode::kMultiply) {
    x_.Uses(kRounds);
    return {RoundedAs(region[0], result)};
  }
  return {is_or ? x_.Not(result) : result};
}

// A window reduction over pairs of values and places keeps the pairs that `select` prefers (place -1: none). Each
// element is then the sum of the sources of the windows that prefer it. On several devices places are counted from the
// window's start: unlike places in the array, these are the same on a device that has a part of the array.
Value Builder::SelectAndScatter(const HloInstruction& i, const std::vector<ExprId>& x, Inside in) {
  const Shape &from = i.operand(0)->shape(), &source = i.operand(1)->shape();
  const PrimitiveType type = x_.TypeOf(x[0]), places = PrimitiveType::S32;
  if (IsQuantized(from.element_type()) || type == PrimitiveType::PRED || source.ElementCount() == 0) return {};
  Value scatter;
  if (Combiner(*i.called_computation(1), type, in, &scatter) != HloOpcode::kAdd || !why_.empty()) return {};
  const size_t n = 1 + static_cast<size_t>(from.rank());
  const auto parameter = [&](size_t number) {
    const Shape scalar = Shape::Scalar(number % n == 0 ? from.element_type() : places);
    return RegionParameter(0, in.level + 1, static_cast<int64_t>(number) * 4096, scalar);
  };
  Inside inner = in;
  ++inner.level, inner.record = false;
  const Value prefers = Evaluate(*i.called_computation(0), {{parameter(0)}, {parameter(n)}}, inner, {-1, -1});
  if (!why_.empty()) return {};
  const auto is_set = [&](size_t number) {
    return x_.Not(x_.Compare(static_cast<int>(ComparisonDirection::kEq), parameter(number), x_.Integer(-1, places)));
  };
  const ExprId keeps = n == 1 ? prefers[0] : x_.Or(x_.And(prefers[0], is_set(1)), x_.Not(is_set(n + 1)));
  Value region;
  for (size_t k = 0; k < n; ++k) region.push_back(x_.If(keeps, parameter(k), parameter(n + k)));
  const Window& of = i.attributes<WindowAttributes>().window;
  for (const WindowDimension& w : of) {
    if (w.base_dilation != 1 || w.window_reversal) return {};
  }
  const Taps taps = TapsOf(of, from, source, false);
  const std::vector<Index> dimensions = Dimensions(source);
  // Where a window begins: the place that it covers, less the place in the window.
  const bool in_window = shared_.devices.has_value();
  const auto start = [&](size_t d, const Index& window) {
    if (!in_window) return Index{};
    return x_.Plus(x_.Times(window, of[d].stride), Exprs::Number(-of[d].padding_low));
  };
  std::vector<ExprId> covered{Read(x[0], from, taps.at)}, init{x[2]};
  for (size_t d = 0; d + 1 < n; ++d) {
    covered.push_back(x_.IndexValue(x_.Plus(taps.at[d], start(d, dimensions[d]), -1), places));
    init.push_back(x_.Integer(-1, places));
  }
  const Value chosen = WindowRows(taps, covered, init, region);
  std::vector<VarId> over;
  std::vector<Index> window;
  for (int64_t size : source.dimensions()) {
    over.push_back(x_.Fresh(size));
    window.push_back(x_.Var(over.back()));
  }
  const std::vector<Index> out = Dimensions(from);
  ExprId meets = x_.True();
  for (size_t d = 0; d + 1 < n; ++d) {
    const Index place = x_.Plus(out[d], start(d, window[d]), -1);
    if (in_window) {
      const Index last = Exprs::Number((of[d].size - 1) * of[d].window_dilation);
      meets = x_.And(meets, x_.And(x_.Guard(false, place), x_.Guard(false, x_.Plus(last, place, -1))));
    }
    meets = x_.And(meets, x_.Compare(static_cast<int>(ComparisonDirection::kEq), Read(chosen[d + 1], source, window),
                                     x_.IndexValue(place, places)));
  }
  return {x_.Add(x[2], x_.SumOver(over, x_.If(meets, Read(x[1], source, window), x_.Sum({}, type))))};
}

Value Builder::BatchNorm(const HloInstruction& i, const std::vector<ExprId>& x) {
  const BatchNormAttributes& norm = i.attributes<BatchNormAttributes>();
  const Shape& shape = i.operand(0)->shape();
  const size_t f = static_cast<size_t>(norm.feature_index);
  const std::vector<Index> out = Dimensions(shape);
  const ExprId epsilon = x_.Real(static_cast<double>(norm.epsilon));
  const double count =
      static_cast<double>(shape.ElementCount()) / static_cast<double>(shape.dimensions(norm.feature_index));
  if (shape.ElementCount() == 0) return {};
  // Reads a value with one dimension at the feature index.
  const auto at_feature = [&](ExprId e) {
    return Read(e, Shape::Array(shape.element_type(), {shape.dimensions(norm.feature_index)}), {out[f]});
  };
  const auto mean_of = [&](ExprId e) {
    std::vector<Index> index;
    std::vector<VarId> over;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (static_cast<size_t>(d) == f) {
        index.push_back(x_.Var(x_.Dimension(0, shape.dimensions(d))));
      } else {
        over.push_back(x_.Fresh(shape.dimensions(d)));
        index.push_back(x_.Var(over.back()));
      }
    }
    return x_.Multiply(x_.SumOver(over, Read(e, shape, index)), x_.Power(x_.Real(count), -kOne));
  };
  if (i.opcode() == HloOpcode::kBatchNormInference) {
    const ExprId scale = x_.Power(x_.Add(at_feature(x[4]), epsilon), -kOne / 2);
    return {x_.Add(x_.Multiply(x_.Multiply(x_.Add(x[0], at_feature(x[3]), -1), scale), at_feature(x[1])),
                   at_feature(x[2]))};
  }
  if (i.opcode() == HloOpcode::kBatchNormTraining) {
    const ExprId mean = mean_of(x[0]);
    const ExprId centred = x_.Add(x[0], at_feature(mean), -1);
    const ExprId variance = mean_of(x_.Multiply(centred, centred));
    const ExprId scale = x_.Power(x_.Add(at_feature(variance), epsilon), -kOne / 2);
    return {x_.Add(x_.Multiply(x_.Multiply(centred, scale), at_feature(x[1])), at_feature(x[2])), mean, variance};
  }
  // Operands: x, scale, mean, variance, gradient.
  const ExprId centred = x_.Add(x[0], at_feature(x[2]), -1), spread = x_.Add(at_feature(x[3]), epsilon);
  const ExprId one_by_root = x_.Power(spread, -kOne / 2), product = x_.Multiply(x[4], centred);
  const ExprId inner =
      x_.Add(x_.Add(x[4], at_feature(mean_of(x[4])), -1),
             x_.Multiply(x_.Multiply(centred, at_feature(mean_of(product))), x_.Power(spread, -kOne)), -1);
  const ExprId of_scale =
      x_.Multiply(x_.Multiply(mean_of(product), x_.Real(count)), x_.Power(x_.Add(x[3], epsilon), -kOne / 2));
  return {x_.Multiply(x_.Multiply(at_feature(x[1]), one_by_root), inner), of_scale,
          x_.Multiply(mean_of(x[4]), x_.Real(count))};
}

}  // namespace hloir::equivalence::inside
