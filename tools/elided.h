// --elided, of each command that runs modules.
#pragma once

#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "io/elided.h"
#include "tools/flags.h"
#include "tools/report.h"

namespace hloir::tool {

inline CLI::Option* AddElidedFlag(CLI::App& command, ElidedValues& values, const std::string& otherwise = "refuse") {
  return command
      .add_option_function<std::string>(
          "--elided",
          [&values](const std::string& text) {
            StatusOr<ElidedValues> parsed = ParseElidedValues(text);
            if (!parsed.ok()) throw CLI::ValidationError(parsed.status().message());
            values = *std::move(parsed);
          },
          "Values of elided constants, {...}: refuse, assume (random ones, equal for constants of one shape), zeros, "
          "iota, "
          "random, or a file .npz with c0, c1, ... in the order of the text (default: " +
              otherwise + ")")
      ->type_name("HOW");
}

// Sets the values of the module's elided constants, and reports the assumption.
inline Status TakeElided(HloModule& module, const ElidedValues& values) {
  HLOIR_ASSIGN_OR_RETURN(const int64_t count, FillElided(module, values));
  if (count > 0 && values.how == ElidedValues::How::kAssume)
    Note(fmt::format("{}: {} elided constants: those of one shape are assumed equal", module.name(), count));
  return OkStatus();
}

}  // namespace hloir::tool
