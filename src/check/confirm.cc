// ConfirmDifference(): see confirm.h.
#include "check/confirm.h"

#include "hloir/check.h"
#include "hloir/evaluator.h"

namespace hloir::check {

std::vector<Literal> ConfirmDifference(const HloModule& a, const HloModule& b, const ElementValues& elements) {
  StatusOr<std::vector<Literal>> made = MakeFakeInputs(a, 0);
  if (!made.ok()) return {};
  for (const auto& [number, values] : elements) {
    if (number >= static_cast<int64_t>(made->size())) continue;
    Literal& argument = (*made)[static_cast<size_t>(number)];
    const PrimitiveType type = argument.shape().element_type();
    if (!IsInteger(type) && type != PrimitiveType::PRED) continue;
    for (const auto& [k, value] : values) {
      int64_t number_of_type = value;
      if (IsSigned(type) && BitWidth(type) < 64 && (value >> (BitWidth(type) - 1) & 1) != 0)
        number_of_type = value - (int64_t{1} << BitWidth(type));
      argument.SetFromInt64(k, number_of_type);
    }
  }
  std::vector<const Literal*> arguments;
  for (const Literal& argument : *made) arguments.push_back(&argument);
  EvaluatorOptions options;
  options.max_steps = int64_t{1} << 20;
  const auto evaluator = MakeReferenceEvaluator(options);
  const StatusOr<Literal> x = evaluator->EvaluateComputation(*a.entry_computation(), arguments),
                          y = evaluator->EvaluateComputation(*b.entry_computation(), arguments);
  if (!x.ok() || !y.ok() || CompareResults(*x, *y, {.exact = true}).agree) return {};
  return *std::move(made);
}

}  // namespace hloir::check
