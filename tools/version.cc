#include "tools/version.h"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend_cpu/isa/isa_names.h"
#include "hloir/version.h"

#ifndef HLOIR_COMMIT
#define HLOIR_COMMIT ""
#endif

namespace hloir::tool {

std::string VersionText() {
  std::string version = fmt::format("hloir {}", kVersion);
  if (std::string_view(HLOIR_COMMIT) != "") version += " (" HLOIR_COMMIT ")";
  const StatusOr<std::string> isa = cpu::ChosenIsa();
  return fmt::format("{}\ninstruction set: {}\nbuilt for: {}\n", version, isa.ok() ? *isa : isa.status().message(),
                     fmt::join(cpu::BuiltIsas(), ", "));
}

}  // namespace hloir::tool
