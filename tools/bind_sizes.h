// Modules with unbounded dimensions (`?`), for run and verify: the sizes come from the given inputs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "build/bind_sizes.h"
#include "hloir/io.h"
#include "hloir/verifier.h"

namespace hloir::tool {

// `inputs`: in0, in1, … of the first device.
inline Status BindGivenSizes(HloModule& module, const std::vector<Literal>& inputs) {
  std::vector<Shape> shapes;
  for (const Literal& input : inputs) shapes.push_back(input.shape());
  HLOIR_RETURN_IF_ERROR(BindSizes(module, shapes));
  return VerifyModule(module);
}

// True if an op of StableHLO remained a custom call, because its attributes follow from sizes.
inline bool LacksSizes(const HloModule& module) {
  for (const HloInstruction* i : module.AllInstructions()) {
    if (i->opcode() == HloOpcode::kCustomCall &&
        i->attributes<CustomCallAttributes>().custom_call_target.starts_with("stablehlo.dynamic_"))
      return true;
  }
  return false;
}

// Reads one module; a StableHLO program that computes shapes is read for those of the inputs in `inputs`, an .npz.
inline StatusOr<ModuleFile> ReadForInputs(const std::string& path, const std::string& inputs) {
  StatusOr<ModuleFile> read = ReadModuleFile(path, {.one_module = true});
  std::error_code error;
  if ((read.ok() && !LacksSizes(read->module())) || inputs.empty() || path == "-" ||
      std::filesystem::is_directory(inputs, error))
    return read;
  const StatusOr<StoredValues> given = ReadStoredValues(inputs);
  if (!given.ok()) return read;
  ReadOptions options;
  for (const Literal& input : given->inputs)
    options.argument_sizes.emplace_back(input.shape().dimensions().begin(), input.shape().dimensions().end());
  return ReadModuleFile(path, options);
}

}  // namespace hloir::tool
