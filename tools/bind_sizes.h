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
#include "hloir/stablehlo.h"
#include "hloir/verifier.h"
#include "io/gzip.h"

namespace hloir::tool {

// `inputs`: in0, in1, … of the first device.
inline Status BindGivenSizes(HloModule& module, const std::vector<Literal>& inputs) {
  std::vector<Shape> shapes;
  for (const Literal& input : inputs) shapes.push_back(input.shape());
  HLOIR_RETURN_IF_ERROR(BindSizes(module, shapes));
  return VerifyModule(module);
}

using ArgumentSizes = std::vector<std::vector<int64_t>>;

inline StatusOr<std::string> ReadUnpacked(const std::string& path) {
  StatusOr<std::string> bytes = ReadFile(path);
  return bytes.ok() && IsGzip(*bytes) ? Gunzip(*bytes) : bytes;
}

// A module file; StableHLO whose arguments have unbounded dimensions is read for arguments of these sizes.
inline StatusOr<ModuleFile> ReadWithSizes(const std::string& path, const ReadOptions& options,
                                          const ArgumentSizes& sizes) {
  if (sizes.empty()) return ReadModuleFile(path, options);
  HLOIR_ASSIGN_OR_RETURN(std::string text, ReadUnpacked(path));
  if (!LooksLikeMlir(text)) return InvalidArgument("sizes of arguments are for StableHLO text");
  ModuleFile file;
  HLOIR_ASSIGN_OR_RETURN(file.modules.emplace_back(),
                         ParseStablehlo(text, {.file_name = DisplayName(path), .argument_sizes = sizes}));
  if (options.verify) HLOIR_RETURN_IF_ERROR(VerifyModule(file.module()));
  file.text = std::make_shared<const std::string>(std::move(text));
  return file;
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
  const StatusOr<std::string> text = ReadUnpacked(path);
  const StatusOr<StoredValues> given = ReadStoredValues(inputs);
  if (!text.ok() || !LooksLikeMlir(*text) || !given.ok()) return read;
  ArgumentSizes sizes;
  for (const Literal& input : given->inputs)
    sizes.emplace_back(input.shape().dimensions().begin(), input.shape().dimensions().end());
  return ReadWithSizes(path, {}, sizes);
}

}  // namespace hloir::tool
