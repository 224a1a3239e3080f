// ParseStablehlo: text to tree (reader.cc), tree to graph (convert.cc). See hloir/stablehlo.h.
#include "hloir/stablehlo.h"

#include <algorithm>

#include "convert.h"

namespace hloir {
namespace {

std::string_view SkipBlanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

}  // namespace

bool LooksLikeMlir(std::string_view text) {
  // Comments, and aliases like `#loc = loc(…)` and `!type = …`, which take a line each.
  for (text = SkipBlanks(text); text.starts_with("//") || text.starts_with('#') || text.starts_with('!');) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    text = SkipBlanks(text);
  }
  for (std::string_view word :
       {"module @", "module {", "module attributes", "builtin.module", "\"builtin.module\"", "func.func"}) {
    if (text.starts_with(word)) return true;
  }
  return false;
}

StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string text, const StablehloOptions& options) {
  HLOIR_ASSIGN_OR_RETURN(const std::unique_ptr<stablehlo::Module> tree,
                         stablehlo::ParseMlir(std::make_shared<const std::string>(std::move(text)), options.file_name));
  stablehlo::Simplify(*tree);
  const stablehlo::Attribute* name = tree->root->Find("sym_name");
  auto module =
      std::make_unique<HloModule>(name != nullptr && !name->text.empty() ? stablehlo::AsHloName(name->text) : "main");
  HLOIR_RETURN_IF_ERROR(stablehlo::Converter(*tree, *module).Convert());
  return module;
}

}  // namespace hloir
