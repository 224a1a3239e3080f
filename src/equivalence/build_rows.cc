// Sorts and top-k: functions of a row of elements and of the comparator. See build.h.
#include <algorithm>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {

Value Builder::Sort(const HloInstruction& i, const std::vector<ExprId>& x, Inside in) {
  const SortAttributes& sort = i.attributes<SortAttributes>();
  const Shape& shape = i.operand(0)->shape();
  const Value region = Region(*i.to_apply(), in);
  if (!why_.empty()) return {};
  const int64_t d = sort.dimensions.empty() ? 0 : sort.dimensions[0];
  if (shape.rank() == 0 || shape.dimensions(d) == 0) return {};
  // An operand that is not compared decides nothing but its own result.
  std::set<int64_t> leaves;
  if (Reached(region[0], leaves)) return {};
  std::vector<size_t> compared;
  std::vector<int64_t> numbers(2 * x.size(), -1);
  for (size_t k = 0; k < x.size(); ++k) {
    const Shape scalar = Shape::Scalar(i.operand(static_cast<int64_t>(k))->shape().element_type());
    const auto reads = [&](size_t number) {
      const ExprId e = RegionParameter(0, in.level + 1, static_cast<int64_t>(number) * 4096, scalar);
      return leaves.count(x_.At(e).tag) != 0;
    };
    if (!reads(2 * k) && !reads(2 * k + 1)) continue;
    for (size_t side : {size_t{0}, size_t{1}}) numbers[2 * k + side] = static_cast<int64_t>(2 * compared.size() + side);
    compared.push_back(k);
  }
  if (compared.empty()) return {};
  const Value comparator = Region(*i.to_apply(), in, &numbers);
  if (!why_.empty()) return {};
  const std::vector<Index> out = Dimensions(shape);
  Value value;
  for (size_t k = 0; k < x.size(); ++k) {
    const VarId v = x_.Fresh(shape.dimensions(d));
    std::vector<Index> index = out;
    index[static_cast<size_t>(d)] = x_.Var(v);
    const size_t place = static_cast<size_t>(std::find(compared.begin(), compared.end(), k) - compared.begin());
    std::vector<ExprId> bodies;
    for (size_t operand : compared) bodies.push_back(Read(x[operand], shape, index));
    if (place == compared.size()) bodies.push_back(Read(x[k], shape, index));
    std::vector<int64_t> data{static_cast<int64_t>(place), sort.is_stable};
    for (ExprId e : comparator) data.push_back(e);
    value.push_back(x_.Row(HloOpcode::kSort, std::move(data), {v}, std::move(bodies), {out[static_cast<size_t>(d)]},
                           x_.TypeOf(x[k])));
  }
  return value;
}

// Top-k as the first elements of a stable sort of (value, position) pairs by total order of the values.
Value Builder::TopK(const HloInstruction& i, ExprId x, bool largest, Inside in) {
  const Shape& from = i.operand(0)->shape();
  if (from.rank() == 0 || i.shape().Leaves().size() != 2) return {};
  const int64_t d = from.rank() - 1;
  const PrimitiveType of = from.element_type();
  const Shape place = Shape::Scalar(PrimitiveType::S32);
  if (IsComplex(of) || (IsFloat(of) && BitWidth(of) < 16) || from.dimensions(d) == 0 || of == PrimitiveType::PRED)
    return {};
  const std::vector<Index> out = Dimensions(*i.shape().Leaves()[0]);
  const auto parameter = [&](int64_t number) {
    return RegionParameter(0, in.level + 1, number * 4096, number < 2 ? Shape::Scalar(of) : place);
  };
  const ComparisonDirection direction = largest ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  const ExprId region = IsFloat(of) ? TotalOrder(direction, parameter(0), parameter(1), of)
                                    : x_.Compare(static_cast<int>(direction), parameter(0), parameter(1));
  Value value;
  for (int64_t k = 0; k < 2; ++k) {
    const VarId v = x_.Fresh(from.dimensions(d));
    std::vector<Index> index = out;
    index[static_cast<size_t>(d)] = x_.Var(v);
    std::vector<ExprId> bodies{Read(x, from, index)};
    if (k == 1) bodies.push_back(x_.IndexValue(x_.Var(v), PrimitiveType::S32));
    value.push_back(x_.Row(HloOpcode::kSort, {k, 1, region}, {v}, std::move(bodies), {out[static_cast<size_t>(d)]},
                           k == 0 ? x_.TypeOf(x) : PrimitiveType::S32));
  }
  return value;
}

}  // namespace hloir::equivalence::inside
