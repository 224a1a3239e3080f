// optimize-input-output-buffer-alias: aliases results with donated arguments.
//
// BEFORE
// HloModule example, buffer_donor={ (0, {}) }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   ROOT n = f32[8]{0} negate(x)
// }
// AFTER
// HloModule example, input_output_alias={ {}: (0, {}, may-alias) }
//
// ENTRY main {
//   x = f32[8]{0} parameter(0)
//   ROOT n = f32[8]{0} negate(x)
// }
// END
//
// Each donor in turn is aliased with the first result of its shape and layout without an alias. Leaves alone:
// parameters that buffer_donor does not name; donors without a matching result.
#include <algorithm>

#include "hloir/rewrite_util.h"

namespace hloir {
namespace {

constexpr RuleInfo kAlias = {"alias", "donated A, result B => B in A's place"};

// Every array of a shape, by its index.
std::vector<std::pair<ShapeIndex, const Shape*>> Arrays(const Shape& shape) {
  std::vector<std::pair<ShapeIndex, const Shape*>> arrays, stack{{ShapeIndex{}, &shape}};
  while (!stack.empty()) {
    const auto [index, part] = stack.back();
    stack.pop_back();
    if (part->IsArray()) arrays.emplace_back(index, part);
    if (!part->IsTuple()) continue;
    for (int64_t k = part->tuple_size(); k-- > 0;) {
      ShapeIndex below = index;
      below.push_back(k);
      stack.emplace_back(below, &part->tuple_shapes()[static_cast<size_t>(k)]);
    }
  }
  return arrays;
}

class OptimizeInputOutputBufferAlias : public RewritingPass {
 public:
  using RewritingPass::RewritingPass;

  StatusOr<bool> Run(HloModule& module) override {
    ModuleConfig& config = module.config();
    if (config.buffer_donor.empty()) return false;
    HloComputation& entry = *module.entry_computation();
    const ProgramShape shapes =
        config.entry_computation_layout ? *config.entry_computation_layout : entry.program_shape();
    std::vector<std::pair<ShapeIndex, const Shape*>> results = Arrays(shapes.result);
    std::erase_if(results, [&](const auto& result) {
      return std::any_of(config.input_output_alias.begin(), config.input_output_alias.end(),
                         [&](const InputOutputAlias& alias) { return alias.output_index == result.first; });
    });
    std::vector<BufferDonor> left;
    bool changed = false;
    for (const BufferDonor& donor : config.buffer_donor) {
      const Shape* given = shapes.parameters[static_cast<size_t>(donor.parameter)].AtIndex(donor.parameter_index);
      const auto taken = std::find_if(results.begin(), results.end(),
                                      [&](const auto& r) { return given != nullptr && *r.second == *given; });
      if (taken == results.end() || !Ask(kAlias, *entry.parameter(donor.parameter))) {
        left.push_back(donor);
        continue;
      }
      config.input_output_alias.push_back({taken->first, donor.parameter, donor.parameter_index, /*must_alias=*/false});
      results.erase(taken);
      gate_.Done(entry.parameter(donor.parameter));
      changed = true;
    }
    config.buffer_donor = std::move(left);
    return changed;
  }
};

}  // namespace

PassDefinition DefineOptimizeInputOutputBufferAlias() { return {MakePassOf<OptimizeInputOutputBufferAlias>, {kAlias}}; }

}  // namespace hloir
