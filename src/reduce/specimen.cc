// WriteSpecimen; see hloir/check/reduce.h. Tested by tests/cli/verify.test (--save).
#include <string>
#include <utility>
#include <vector>

#include "hloir/check/reduce.h"
#include "hloir/io.h"
#include "hloir/printer.h"

namespace hloir {

Status WriteSpecimen(const std::string& stem, const InputSet& inputs, const HloModule* module, const HloModule* other) {
  std::vector<std::vector<Literal>> leaves;
  for (const std::vector<Literal>& arguments : inputs.devices) {
    std::vector<Literal>& of_device = leaves.emplace_back();
    for (const Literal& argument : arguments)
      for (Literal& leaf : ResultLeaves(argument)) of_device.push_back(std::move(leaf));
  }
  HLOIR_RETURN_IF_ERROR(WriteLeaves(stem + ".npz", "in", leaves));
  for (const auto& [each, ending] : {std::pair(module, ".hlo"), std::pair(other, ".other.hlo")}) {
    if (each != nullptr) HLOIR_RETURN_IF_ERROR(WriteFile(stem + ending, PrintModule(*each, PrintOptions::Readable())));
  }
  return OkStatus();
}

}  // namespace hloir
