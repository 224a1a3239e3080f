// Scatter as expressions: a condition tells which update is applied to an element. The result is a sum or an extreme
// over the updates, a select if there is one update, and a function of the row of updates for any other combiner. See
// build.h.
#include <algorithm>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {

// The conditions and the updates' indices in terms of the operand's dimensions and the updates' batch variables.
std::optional<Builder::Updates> Builder::UpdatesOf(const HloInstruction& i, ExprId starts, const Shape& updates) {
  const ScatterAttributes& s = i.attributes<ScatterAttributes>();
  const Shape &whole = i.operand(0)->shape(), &start_shape = i.operand((i.operand_count() - 1) / 2)->shape();
  const PrimitiveType index_type = Normal(start_shape.element_type());
  if (!IsInteger(index_type) || BitWidth(index_type) < 32) return std::nullopt;
  const std::vector<Index> out = Dimensions(whole);
  Updates result;
  result.meets = x_.True();
  result.at.resize(static_cast<size_t>(updates.rank()));
  // Of a batch dimension that the operand has too, only the update at the element's own index can meet the element.
  std::vector<int64_t> shared(static_cast<size_t>(updates.rank()), -1);  // by batch dimension: that of the operand
  for (size_t k = 0; k < s.input_batching_dims.size(); ++k) {
    const int64_t d = s.scatter_indices_batching_dims[k];
    shared[static_cast<size_t>(d < s.index_vector_dim ? d : d - 1)] = s.input_batching_dims[k];
  }
  std::vector<Index> batch;
  for (int64_t d = 0; d < updates.rank(); ++d) {
    if (Contains(s.update_window_dims, d)) continue;
    if (updates.dimensions(d) == 0) return std::nullopt;
    Index& at = result.at[static_cast<size_t>(d)];
    if (const int64_t of = shared[batch.size()]; of >= 0) {
      at = out[static_cast<size_t>(of)];
    } else {
      result.over.push_back(x_.Fresh(updates.dimensions(d)));
      at = x_.Var(result.over.back());
    }
    batch.push_back(at);
  }
  // The window's start in each dimension: 0, or the scatter index, which must keep the window in bounds.
  std::vector<Index> start(static_cast<size_t>(whole.rank()));
  std::vector<int64_t> window(static_cast<size_t>(whole.rank()), 1), of_window(window.size(), -1);
  size_t next = 0;
  for (int64_t d = 0; d < whole.rank(); ++d) {
    if (Contains(s.inserted_window_dims, d) || Contains(s.input_batching_dims, d)) continue;
    of_window[static_cast<size_t>(d)] = s.update_window_dims[next++];
    window[static_cast<size_t>(d)] = updates.dimensions(of_window[static_cast<size_t>(d)]);
  }
  std::vector<bool> told_at(window.size(), false);  // dimensions with a scatter index
  for (size_t k = 0; k < s.scatter_dims_to_operand_dims.size(); ++k) {
    const int64_t d = s.scatter_dims_to_operand_dims[k];
    std::vector<Index> where;
    size_t b = 0;
    for (int64_t j = 0; j < start_shape.rank(); ++j)
      where.push_back(j == s.index_vector_dim ? Exprs::Number(static_cast<int64_t>(k)) : batch[b++]);
    const ExprId told = Read(starts, start_shape, where);
    const int64_t most = whole.dimensions(d) - window[static_cast<size_t>(d)];
    if (window[static_cast<size_t>(d)] == 1 && whole.dimensions(d) > 1) {
      result.meets = x_.And(result.meets, x_.Compare(static_cast<int>(ComparisonDirection::kEq), told,
                                                     x_.IndexValue(out[static_cast<size_t>(d)], index_type)));
      told_at[static_cast<size_t>(d)] = true;
      continue;
    }
    ExprId clamped =
        IsUnsigned(index_type) ? told : x_.Function(HloOpcode::kMaximum, index_type, {told, x_.Integer(0, index_type)});
    clamped = x_.Function(HloOpcode::kMinimum, index_type, {clamped, x_.Integer(most, index_type)});
    const int less = static_cast<int>(ComparisonDirection::kLt);
    if (!IsUnsigned(index_type))
      result.meets = x_.And(result.meets, x_.Not(x_.Compare(less, told, x_.Integer(0, index_type))));
    result.meets = x_.And(result.meets, x_.Not(x_.Compare(less, x_.Integer(most, index_type), told)));
    if (most > 0) start[static_cast<size_t>(d)] = x_.ValueTerm(clamped);
  }
  for (size_t d = 0; d < out.size(); ++d) {
    if (Contains(s.input_batching_dims, static_cast<int64_t>(d))) continue;
    const Index inside = x_.Plus(out[d], start[d], -1);
    if (window[d] == 1) {
      if (!told_at[d]) result.meets = x_.And(result.meets, x_.Guard(true, inside));
    } else if (window[d] < whole.dimensions(static_cast<int64_t>(d))) {
      result.meets = x_.And(result.meets, x_.Guard(false, inside));
      result.meets = x_.And(result.meets, x_.Guard(false, x_.Plus(Exprs::Number(window[d] - 1), inside, -1)));
    }
    if (of_window[d] >= 0) result.at[static_cast<size_t>(of_window[d])] = window[d] == 1 ? Index() : inside;
  }
  return result;
}

Value Builder::Scatter(const HloInstruction& i, const std::vector<ExprId>& x, Inside in) {
  const size_t n = (x.size() - 1) / 2;
  const Shape& shape = i.operand(static_cast<int64_t>(n) + 1)->shape();
  const std::optional<Updates> to = UpdatesOf(i, x[n], shape);
  if (!to || IsQuantized(shape.element_type())) return {};
  std::vector<ExprId> updates;
  for (size_t k = 0; k < n; ++k) updates.push_back(Read(x[n + 1 + k], shape, to->at));
  const Value region = Region(*i.to_apply(), in);
  if (!why_.empty()) return {};
  // A single update is combined with the element directly.
  const bool scalars = [&] {
    for (const HloInstruction* inside = i.to_apply()->first(); inside != nullptr; inside = inside->next()) {
      if (inside->opcode() == HloOpcode::kTuple && inside == i.to_apply()->root()) continue;
      if (!inside->shape().IsScalar() || !(inside->Is(kElementwise) || inside->IsParameter() || inside->IsConstant()))
        return false;
    }
    return true;
  }();
  const bool one = std::all_of(to->over.begin(), to->over.end(), [&](VarId v) { return x_.VariableAt(v).size == 1; });
  if (one && scalars) {
    in.record = false;
    std::vector<Value> arguments;
    for (size_t k = 0; k < n; ++k) arguments.push_back({x[k]});
    for (size_t k = 0; k < n; ++k) arguments.push_back({updates[k]});
    const Value made = Evaluate(*i.to_apply(), arguments, in, std::vector<int32_t>(2 * n, -1));
    if (!why_.empty()) return {};
    Value result;
    for (size_t k = 0; k < n; ++k) result.push_back(x_.If(to->meets, made[k], x[k]));
    return result;
  }
  Value result;
  for (size_t k = 0; k < n; ++k) {
    const PrimitiveType type = x_.TypeOf(x[k]);
    const HloOpcode op = CombinerOf(*i.to_apply(), region, k, n, type, in);
    if (op == HloOpcode::kAdd && type != PrimitiveType::PRED) {
      const ExprId zero = IsInteger(type) ? x_.Integer(0, type) : x_.Real(0);
      result.push_back(RoundedAs(region[k], x_.Add(x[k], x_.SumOver(to->over, x_.If(to->meets, updates[k], zero)))));
    } else if (op == HloOpcode::kMaximum || op == HloOpcode::kMinimum) {
      // The extreme over no updates is the identity, -infinity or infinity.
      result.push_back(x_.Function(op, type, {x[k], x_.ExtremeOver(op, to->over, updates[k], to->meets)}));
    } else {
      // Any other combiner is applied in the order of the updates.
      std::vector<int64_t> data{static_cast<int64_t>(k)}, sizes;
      for (ExprId e : region) data.push_back(e);
      int64_t count = 1;
      for (VarId v : to->over) sizes.push_back(x_.VariableAt(v).size), count *= sizes.back();
      const VarId all = x_.Fresh(count);
      const std::vector<Index> apart = x_.Unflatten(x_.Var(all), sizes);
      Exprs::Substitution by;
      for (size_t j = 0; j < to->over.size(); ++j) by.push_back({to->over[j], apart[j]});
      std::vector<ExprId> bodies{x_.Substitute(to->meets, by)};
      for (ExprId update : updates) bodies.push_back(x_.Substitute(update, by));
      for (size_t j = 0; j < n; ++j) bodies.push_back(x[j]);
      result.push_back(x_.Row(HloOpcode::kScatter, std::move(data), {all}, std::move(bodies), {}, type));
    }
  }
  return result;
}

}  // namespace hloir::equivalence::inside
