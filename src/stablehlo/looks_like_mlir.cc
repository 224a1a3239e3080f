// LooksLikeMlir(): see hloir/stablehlo.h. Also compiled without StableHLO, to recognize its text.
#include "hloir/stablehlo.h"

#include <algorithm>

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

}  // namespace hloir
