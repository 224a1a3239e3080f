// ScalarFunction: a computation on scalars (the body of a reduce, sort, scatter, map, …) prepared once to be called for
// each element. A computation of elementwise ops, constants and tuples becomes a flat list of kernel calls on fixed
// slots; any other is evaluated in full at each call.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "reference/elementwise.h"
#include "reference/evaluation.h"

namespace hloir::reference {

// One scalar, in its ComputeType.
struct alignas(16) Slot {
  std::byte bytes[16];
};

class ScalarFunction {
 public:
  // Narrow floats (bf16, f16, f8) are rounded after each op.
  static StatusOr<ScalarFunction> Prepare(Evaluation& run, const HloComputation& computation);

  size_t argument_count() const { return argument_types_.size(); }
  size_t result_count() const { return results_.size(); }
  Slot& argument(size_t i) { return slots_[i]; }
  const Slot& result(size_t i) const { return slots_[results_[i]]; }
  PrimitiveType argument_type(size_t i) const { return argument_types_[i]; }
  PrimitiveType result_type(size_t i) const { return result_types_[i]; }
  // Loads argument k from element i of an array, and stores result k to an element.
  void Load(size_t k, const Literal& literal, int64_t i) {
    Load(k, literal.shape().element_type(), literal.untyped_data(), i);
  }
  void Load(size_t k, PrimitiveType type, const std::byte* array, int64_t i);
  void Store(size_t k, Literal& literal, int64_t i) const;
  // From the arguments to the results.
  Status Run() {
    if (general_ != nullptr) return RunGeneral();
    for (const Step& step : steps_) step.kernel(step.args);
    return OkStatus();
  }
  // A list of kernel calls, which cannot fail.
  bool is_flat() const { return general_ == nullptr; }
  // The number of instructions of a Run.
  int64_t cost() const { return static_cast<int64_t>(steps_.size()) + 1; }
  // True if the function is exactly op(argument 0, argument 1).
  bool IsBinary(HloOpcode opcode) const { return binary_ == opcode; }

 private:
  struct Step {
    Kernel kernel;
    KernelArgs args;
  };
  ScalarFunction() = default;
  friend class ScalarCompiler;
  Status RunGeneral();

  std::vector<Slot> slots_;  // never resized after preparation: steps point into it. The arguments come first
  std::vector<Step> steps_;
  std::vector<size_t> results_;
  std::vector<PrimitiveType> argument_types_, result_types_;
  HloOpcode binary_ = HloOpcode::kTuple;  // kTuple: none
  Evaluation* run_ = nullptr;
  const HloComputation* general_ = nullptr;  // evaluated in full if set
};

// Loads and stores an element of an array of `type`, from and to a slot of type `slot_type`.
void LoadElement(PrimitiveType type, const std::byte* array, int64_t i, PrimitiveType slot_type, Slot& slot);
void StoreElement(const Slot& slot, PrimitiveType slot_type, PrimitiveType type, std::byte* array, int64_t i);
inline void LoadElement(const Literal& literal, int64_t i, PrimitiveType slot_type, Slot& slot) {
  LoadElement(literal.shape().element_type(), literal.untyped_data(), i, slot_type, slot);
}
inline void StoreElement(const Slot& slot, PrimitiveType slot_type, Literal& literal, int64_t i) {
  StoreElement(slot, slot_type, literal.shape().element_type(), literal.untyped_data(), i);
}

}  // namespace hloir::reference
