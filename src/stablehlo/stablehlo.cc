// ParseStablehlo: text to tree (reader.cc), tree to graph (convert.cc). See hloir/stablehlo.h.
#include "hloir/stablehlo.h"

#include <algorithm>

#include "bind_arguments.h"
#include "convert.h"

namespace hloir {
StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string text, const StablehloOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<stablehlo::Module> tree,
                         stablehlo::ParseMlir(std::make_shared<const std::string>(std::move(text)), options.file_name));
  if (!options.argument_sizes.empty()) HLOIR_RETURN_IF_ERROR(stablehlo::BindArguments(*tree, options.argument_sizes));
  if (options.simplify) stablehlo::Simplify(*tree);
  if (!options.argument_sizes.empty()) HLOIR_RETURN_IF_ERROR(stablehlo::CheckShapeAssertions(*tree));
  const stablehlo::Attribute* name = tree->root->Find("sym_name");
  auto module = std::make_unique<HloModule>(name != nullptr && !name->text.empty() ? std::string(name->text) : "main");
  HLOIR_RETURN_IF_ERROR(stablehlo::Converter(*tree, *module, !options.simplify).Convert());
  return module;
}

}  // namespace hloir
