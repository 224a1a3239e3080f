// See uninterpreted.h. A hash of all bits of the operands would distinguish modules that round differently. So the
// functions are smooth in floats: each element of a result is the sum of an element of each operand and of the sine of
// weighted sums over all their elements; the weights come from a hash of target, config and dimensions. Bits of
// integers and predicates are hashed.
#include "calls/uninterpreted.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <span>
#include <string_view>
#include <vector>

#include "support/hash.h"

namespace hloir::reference {
namespace {

uint64_t HashText(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = Mix(hash, static_cast<unsigned char>(c));
  return Mix(hash, text.size());
}

// A number from -1 to 1.
double Weight(uint64_t hash) { return std::ldexp(static_cast<double>(Scramble(hash) >> 11), -52) - 1; }

bool IsSmooth(PrimitiveType type) { return IsFloat(type) || IsComplex(type); }

// The inputs of a result besides single elements of the operands.
struct Summary {
  static constexpr int kSums = 4;
  uint64_t hash = 0;  // of target, config, dimensions, integers and predicates
  std::array<double, kSums> sums{};
  double size = 0;  // the mean magnitude of floats
  std::vector<const Literal*> floats;

  void Add(const Literal& leaf) {
    hash =
        Mix(hash, IsSmooth(leaf.shape().element_type()) ? 0 : static_cast<uint64_t>(leaf.shape().element_type()) + 1);
    for (const int64_t d : leaf.shape().dimensions()) hash = Mix(hash, static_cast<uint64_t>(d));
    for (const int64_t d : leaf.dynamic_sizes()) hash = Mix(hash, static_cast<uint64_t>(d));
    if (IsSmooth(leaf.shape().element_type())) return floats.push_back(&leaf);
    for (int64_t i = 0; i < leaf.element_count(); ++i) hash = Mix(hash, static_cast<uint64_t>(leaf.GetAsInt64(i)));
  }

  // After all leaves were added.
  void Sum() {
    int64_t count = 0;
    for (size_t k = 0; k < floats.size(); ++k) {
      count += floats[k]->element_count();
      for (int64_t i = 0; i < floats[k]->element_count(); ++i) {
        const std::complex<double> z = floats[k]->GetAsComplex(i);
        Sum(Mix(Mix(hash, k), static_cast<uint64_t>(i)), z.real());
        if (IsComplex(floats[k]->shape().element_type())) Sum(Mix(Mix(hash, ~k), static_cast<uint64_t>(i)), z.imag());
      }
    }
    const double n = static_cast<double>(std::max<int64_t>(count, 1));
    for (double& sum : sums) sum /= std::sqrt(n);
    size = floats.empty() ? 1 : size / n + 0x1p-10;
  }

 private:
  // NaN and infinities are propagated per element (ElementOf); here they count as other numbers.
  void Sum(uint64_t place, double x) {
    if (std::isnan(x)) return;
    const double bounded = std::isinf(x) ? std::copysign(1, x) : x / (1 + std::abs(x));
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += Weight(Mix(place, k)) * bounded;
    if (std::isfinite(x)) size += std::abs(x);
  }
};

// From -1 to 1.
double Wave(const Summary& s, uint64_t place) {
  double angle = 3 * Weight(Mix(place, Summary::kSums));
  for (size_t k = 0; k < s.sums.size(); ++k) angle += 3 * Weight(Mix(place, k)) * s.sums[k];
  return std::sin(angle);
}

double ElementOf(const Summary& s, uint64_t place, int64_t index, bool imaginary) {
  if (s.floats.empty()) return Weight(place);
  double sum = 0;
  for (size_t k = 0; k < s.floats.size(); ++k) {
    const Literal& leaf = *s.floats[k];
    if (leaf.element_count() == 0) continue;
    const std::complex<double> z = leaf.GetAsComplex(index % leaf.element_count());
    const double weight = Weight(Mix(place, 16 + k));
    sum += (0.5 + 0.25 * std::abs(weight)) * std::copysign(1, weight) * (imaginary ? z.imag() : z.real());
  }
  return sum / static_cast<double>(s.floats.size()) + 0.5 * s.size * (0.5 * Weight(Mix(place, 8)) + Wave(s, place));
}

void Fill(const Summary& s, uint64_t place, Literal& result) {
  const PrimitiveType type = result.shape().element_type();
  for (int64_t i = 0; i < result.element_count(); ++i) {
    const uint64_t at = Mix(place, static_cast<uint64_t>(i));
    if (IsComplex(type)) {
      const std::complex<double> z(ElementOf(s, at, i, false), ElementOf(s, ~at, i, true));
      if (type == PrimitiveType::C64)
        result.data<std::complex<float>>()[static_cast<size_t>(i)] = std::complex<float>(z);
      else result.data<std::complex<double>>()[static_cast<size_t>(i)] = z;
    } else if (IsFloat(type)) {
      const double x = ElementOf(s, at, i, false);
      result.SetFromDouble(i, type == PrimitiveType::F8E8M0FNU ? std::abs(x) : x);
    } else {
      // Small values, so that an index is likely in bounds.
      const double wave = s.floats.empty() ? Weight(at) : Wave(s, at);
      const int values = type == PrimitiveType::PRED ? 2 : BitWidth(type) >= 8 ? 8 : 1 << (BitWidth(type) - 1);
      result.SetFromInt64(i, std::min(static_cast<int>((wave + 1) / 2 * values), values - 1));
    }
  }
}

// False if one is neither an array nor a token: a buffer.
bool AddLeaves(std::span<const Value> operands, Summary& summary) {
  std::vector<const Value*> rest;
  const auto push = [&](std::span<const Value> values) {
    for (size_t i = values.size(); i-- > 0;) rest.push_back(&values[i]);
  };
  push(operands);
  while (!rest.empty()) {
    const Value& value = *rest.back();
    rest.pop_back();
    if (value.IsTuple()) {
      push(value.elements());
      continue;
    }
    for (const Literal* leaf : value.literal().Leaves()) {
      if (leaf->shape().IsArray()) summary.Add(*leaf);
      else if (!leaf->shape().IsToken()) return false;
    }
  }
  return true;
}

}  // namespace

StatusOr<Value> EvaluateUninterpreted(EvalContext& context) {
  const auto& call = context.attributes<CustomCallAttributes>();
  Summary summary;
  summary.hash = HashText(HashText(0, call.custom_call_target), context.instruction.extras().backend_config);
  if (!AddLeaves(context.operands, summary))
    return UnimplementedOp(context, "its target is unknown, and it takes a buffer");
  summary.Sum();
  for (const Shape* leaf : context.shape.Leaves())
    if (!leaf->IsArray() && !leaf->IsToken())
      return UnimplementedOp(context, "its target is unknown, and it gives a buffer");
  Literal result(context.shape);
  uint64_t index = 0;
  std::vector<Literal*> rest{&result};
  while (!rest.empty()) {
    Literal& literal = *rest.back();
    rest.pop_back();
    for (size_t i = literal.elements().size(); i-- > 0;) rest.push_back(&literal.elements()[i]);
    if (literal.shape().IsArray()) Fill(summary, Mix(summary.hash, ++index), literal);
  }
  return Value(std::move(result));
}

}  // namespace hloir::reference
