// See nonfinite.h.
#include "triage/nonfinite.h"

#include <complex>
#include <unordered_map>
#include <vector>

#include "hloir/check.h"

namespace hloir::triage {
namespace {

struct Seen {
  bool nan = false, infinite = false;
};

Seen Look(const Literal& value) {
  Seen seen;
  // Each part of a complex number counts.
  for (const LeafDifference& leaf : CompareResults(value, value).leaves) seen.infinite |= leaf.finite != leaf.total;
  if (!seen.infinite) return seen;
  for (const Literal* leaf : value.Leaves()) {
    const PrimitiveType type = leaf->shape().element_type();
    if (!leaf->shape().IsArray() || !IsFloat(ComplexComponentType(type))) continue;
    for (int64_t i = 0; i < leaf->element_count() && !seen.nan; ++i) {
      const std::complex<double> x = leaf->GetAsComplex(i);
      seen.nan = x.real() != x.real() || x.imag() != x.imag();
    }
  }
  return seen;
}

class Trace {
 public:
  explicit Trace(bool nan) : nan_(nan) {}

  void Add(const HloInstruction& i, const Literal& value) {
    const Seen seen = Look(value);
    if (nan_ ? !seen.nan : !seen.infinite) return;
    order_.push_back(&i);
    values_.insert_or_assign(&i, ValueSummary(value));
  }
  bool Has(const HloInstruction* i) const { return values_.contains(i); }

  NonfiniteOrigin From(const HloInstruction* i) const {
    while (const HloInstruction* operand = OperandOf(*i)) i = operand;
    // In a called computation, the first non-finite value comes from finite ones.
    while (const HloInstruction* inner = FirstInside(*i)) i = inner;
    return {i, nan_, values_.at(i)};
  }

 private:
  // Prefers instructions to constants: a mask of -inf is not the origin of an infinity.
  const HloInstruction* OperandOf(const HloInstruction& i) const {
    const HloInstruction* constant = nullptr;
    for (const HloInstruction* operand : i.operands()) {
      if (!Has(operand)) continue;
      if (!operand->IsConstant()) return operand;
      constant = operand;
    }
    return constant;
  }
  // The first non-finite value that the computations called by `i` computed.
  const HloInstruction* FirstInside(const HloInstruction& i) const {
    for (const HloInstruction* made : order_) {
      if (made->IsParameter() || made->IsConstant()) continue;
      for (const HloComputation* called : i.called_computations())
        if (made->parent() == called) return made;
    }
    return nullptr;
  }

  bool nan_;
  std::vector<const HloInstruction*> order_;  // in the order of execution
  std::unordered_map<const HloInstruction*, std::string> values_;
};

}  // namespace

std::optional<NonfiniteOrigin> FindNonfinite(const HloModule& module, std::span<const Literal* const> arguments,
                                             EvaluatorOptions options) {
  const HloComputation& entry = *module.entry_computation();
  options.on_result = nullptr;
  StatusOr<Literal> result = MakeReferenceEvaluator(options)->EvaluateComputation(entry, arguments);
  if (!result.ok()) return std::nullopt;
  const Seen seen = Look(*result);
  if (!seen.nan && !seen.infinite) return std::nullopt;
  Trace trace(seen.nan);
  for (size_t k = 0; k < arguments.size(); ++k) trace.Add(*entry.parameter(static_cast<int64_t>(k)), *arguments[k]);
  options.on_result = [&](const HloInstruction& i, const Literal& value) { trace.Add(i, value); };
  if (!MakeReferenceEvaluator(options)->EvaluateComputation(entry, arguments).ok() || !trace.Has(entry.root()))
    return std::nullopt;
  return trace.From(entry.root());
}

}  // namespace hloir::triage
