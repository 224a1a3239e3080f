// MakeReferenceEvaluator, MakeStepEvaluator and EvaluateInPairs: the reference evaluator on one device, which may send
// to itself. Tests: tests/unit/evaluator_test.cc, pairs_test.cc.
#include "devices/evaluators.h"

#include <utility>
#include <vector>

#include "devices/devices.h"
#include "wide/evaluate_pairs.h"
#include "support/format.h"
#include "support/guard.h"
#include "wide/pairs.h"

namespace hloir::reference {
namespace {

class ReferenceEvaluator : public HloEvaluator {
 public:
  explicit ReferenceEvaluator(EvaluatorOptions options, RandomState* random = nullptr, Device* device = nullptr)
      : options_(std::move(options)), random_(random), device_(device) {}

  StatusOr<Literal> EvaluateInstruction(const HloInstruction& instruction,
                                        std::span<const Literal* const> operands) const override {
    return Guarded([&] { return EvaluateOne(device_, options_, random_, instruction, operands); });
  }

  StatusOr<Literal> EvaluateComputation(const HloComputation& computation,
                                        std::span<const Literal* const> arguments) const override {
    return Guarded([&]() -> StatusOr<Literal> {
      const HloModule* module = computation.module();
      const bool is_whole = module != nullptr && module->entry_computation() == &computation;
      if (device_ != nullptr || !is_whole || DeviceCountsOf(*module).devices() > 1 || !HasTransfers(*module))
        return EvaluateOn(device_, options_, computation, arguments);
      // One device that sends to itself.
      std::vector<Device> only = MakeDevices({});
      HLOIR_ASSIGN_OR_RETURN(std::vector<Literal> results, RunOnEach(only, {}, [&](Device& device) {
                               return EvaluateOn(&device, options_, computation, arguments);
                             }));
      return std::move(results[0]);
    });
  }

 private:
  EvaluatorOptions options_;
  RandomState* random_;
  Device* device_;
};

}  // namespace

std::unique_ptr<HloEvaluator> MakeStepEvaluator(EvaluatorOptions options, RandomState* random, Device* device) {
  return std::make_unique<ReferenceEvaluator>(std::move(options), random, device);
}

}  // namespace hloir::reference

namespace hloir {

std::unique_ptr<HloEvaluator> MakeReferenceEvaluator(EvaluatorOptions options) {
  return std::make_unique<reference::ReferenceEvaluator>(std::move(options));
}

StatusOr<Literal> EvaluateInPairs(const HloModule& module, std::span<const Literal* const> arguments,
                                  const EvaluatorOptions& options) {
  return Guarded([&]() -> StatusOr<Literal> {
    for (const HloInstruction* i : module.AllInstructions()) {
      if (reference::IsUnknownToPairs(*i)) return Unimplemented(Format("{} in double-double", i->opcode_name()));
    }
    return reference::EvaluateOn(nullptr, options, *module.entry_computation(), arguments, /*pairs=*/true);
  });
}

}  // namespace hloir
