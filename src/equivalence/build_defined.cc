// Operations that are defined by others: scan as a loop, stochastic-convert as arithmetic. See build.h.
#include <cmath>

#include "equivalence/build.h"

namespace hloir::equivalence::inside {

// A loop over the positions of a dimension. It carries the position, the values of the scan, and the results so far.
Value Builder::Scan(const HloInstruction& i, const std::vector<ExprId>& x, Inside in) {
  const ScanAttributes& scan = i.attributes<ScanAttributes>();
  const std::vector<const Shape*> results = i.shape().Leaves();
  const size_t carries = static_cast<size_t>(scan.num_carries);
  if (scan.dimensions.size() != 1 || x.size() < carries + 1 || results.size() < carries) return {};
  const size_t inputs = x.size() - carries, outputs = results.size() - carries;
  const int64_t d = scan.dimensions[0], size = i.operand(0)->shape().dimensions(d);
  const PrimitiveType counts = PrimitiveType::S64;
  const Shape counter = Shape::Scalar(counts);
  if (size == 0) return {};
  const auto zero = [&](const Shape& shape) {
    const PrimitiveType type = Normal(shape.element_type());
    return type == PrimitiveType::PRED ? x_.False() : x_.Sum({}, type);
  };
  LoopForm form;
  form.shapes = {&counter};
  Value init{x_.Integer(0, counts)};
  for (size_t k = 0; k < carries; ++k) {
    form.shapes.push_back(results[outputs + k]);
    init.push_back(x[inputs + k]);
  }
  for (size_t k = 0; k < outputs; ++k) {
    form.shapes.push_back(results[k]);
    init.push_back(zero(*results[k]));
  }
  form.instructions = i.to_apply()->instruction_count();
  form.condition = [&](const Value& carried, Inside) {
    return Value{x_.Compare(static_cast<int>(ComparisonDirection::kLt), carried[0], x_.Integer(size, counts))};
  };
  form.body = [&](const Value& carried, Inside inner) {
    ExprId place = carried[0];
    if (scan.is_reverse) place = x_.Add(x_.Integer(size - 1, counts), place, -1);
    place = x_.Function(HloOpcode::kMaximum, counts, {place, x_.Integer(0, counts)});
    place = x_.Function(HloOpcode::kMinimum, counts, {place, x_.Integer(size - 1, counts)});
    const Index at = size == 1 ? Index() : x_.ValueTerm(place);
    std::vector<Value> arguments;
    for (size_t k = 0; k < inputs; ++k) {
      const Shape& from = i.operand(static_cast<int64_t>(k))->shape();
      std::vector<Index> index = Dimensions(i.to_apply()->parameter(static_cast<int64_t>(k))->shape());
      index.insert(index.begin() + d, at);
      arguments.push_back({Read(x[k], from, index)});
    }
    for (size_t k = 0; k < carries; ++k) arguments.push_back({carried[1 + k]});
    const Value made = Evaluate(*i.to_apply(), arguments, inner, std::vector<int32_t>(arguments.size(), -1));
    if (!why_.empty() || made.size() != results.size()) return Value{};
    Value next{x_.Add(carried[0], x_.Integer(1, counts))};
    next.insert(next.end(), made.begin() + static_cast<std::ptrdiff_t>(outputs), made.end());
    for (size_t k = 0; k < outputs; ++k) {
      // The iteration writes the row at its position.
      std::vector<Index> index = Dimensions(*results[k]);
      const Index past = x_.Plus(index[static_cast<size_t>(d)], at, -1);
      const ExprId here = x_.And(x_.Guard(false, past), x_.Guard(false, x_.Times(past, -1)));
      index.erase(index.begin() + d);
      Shape row = *results[k];
      DimVector sizes(row.dimensions().begin(), row.dimensions().end());
      sizes.erase(sizes.begin() + d);
      next.push_back(
          x_.If(here, Read(made[k], Shape::Array(row.element_type(), sizes), index), carried[1 + carries + k]));
    }
    return next;
  };
  const Value last = Looped(i, form, init, in);
  if (!why_.empty() || last.size() != 1 + results.size()) return {};
  Value value(last.begin() + static_cast<std::ptrdiff_t>(1 + carries), last.end());
  value.insert(value.end(), last.begin() + 1, last.begin() + static_cast<std::ptrdiff_t>(1 + carries));
  return value;
}

// Rounds away from 0 if the fraction, as a fixed-point number, exceeds the random bits. The arithmetic is exact in f32
// and f64.
ExprId Builder::StochasticConvert(const HloInstruction& i, const std::vector<ExprId>& x) {
  const PrimitiveType from = i.operand(0)->shape().element_type(), to = i.shape().element_type(),
                      bits = i.operand(1)->shape().element_type(), real = PrimitiveType::F64;
  if ((from != PrimitiveType::F32 && from != PrimitiveType::F64) || !IsSigned(to) || !IsUnsigned(bits) ||
      BitWidth(bits) != BitWidth(from))
    return -1;
  const auto less = static_cast<int>(ComparisonDirection::kLt);
  const ExprId sign = x_.Function(HloOpcode::kSign, real, {x[0]}), size = x_.Function(HloOpcode::kAbs, real, {x[0]}),
               whole = x_.Function(HloOpcode::kFloor, real, {size});
  const ExprId fraction = x_.Multiply(x_.Add(size, whole, -1), x_.Real(std::ldexp(1.0, BitWidth(bits))));
  const ExprId up = x_.Compare(less, x[1], x_.Convert(fraction, real, bits)), down = x_.Convert(whole, real, to);
  const ExprId rounded = x_.If(up, x_.Add(down, x_.Integer(1, to)), down);
  const ExprId negative = x_.Add(x_.Integer(0, to), rounded, -1);
  ExprId result = x_.If(x_.Compare(less, sign, x_.Real(0)), negative, rounded);
  const auto end = [&](const Literal& value, ComparisonDirection beyond) {
    const double limit = value.Convert(from).GetAsDouble(0);
    result = x_.If(x_.Compare(static_cast<int>(beyond), x[0], x_.Real(limit)), x_.Constant(value, 0), result);
  };
  end(Literal::MinValue(to), ComparisonDirection::kLe);
  end(Literal::MaxValue(to), ComparisonDirection::kGe);
  return result;
}

}  // namespace hloir::equivalence::inside
