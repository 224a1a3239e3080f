// Reducer: the computation of a reduce or reduce-window, applied to elements of the arrays one by one.
#pragma once

#include <utility>
#include <vector>

#include "reference/evaluation.h"
#include "reference/scalar_function.h"

namespace hloir::reference {

class Reducer {
 public:
  // For an op whose operands are n arrays and n initial values. Its computation maps n accumulators and n elements to n
  // accumulators.
  static StatusOr<Reducer> Prepare(EvalContext& context);

  ScalarFunction& function() { return function_; }
  // From the initial values.
  void Begin() {
    for (size_t k = 0; k < initial_.size(); ++k) function_.argument(k) = initial_[k];
  }
  // The arrays' elements at this offset.
  Status Add(int64_t at) {
    const size_t n = initial_.size();
    for (size_t k = 0; k < n; ++k) function_.Load(n + k, context_->operand(static_cast<int64_t>(k)), at);
    const Status status = function_.Run();
    // A result may be another argument's slot: read all, then write.
    for (size_t k = 0; k < n; ++k) next_[k] = function_.result(k);
    for (size_t k = 0; k < n; ++k) function_.argument(k) = next_[k];
    return status;
  }
  void Store(std::vector<Literal>& results, int64_t at) {
    for (size_t k = 0; k < results.size(); ++k)
      StoreElement(function_.argument(k), function_.argument_type(k), results[k], at);
  }

 private:
  Reducer(EvalContext& context, ScalarFunction function) : context_(&context), function_(std::move(function)) {}

  EvalContext* context_;
  ScalarFunction function_;
  std::vector<Slot> initial_, next_;
};

}  // namespace hloir::reference
