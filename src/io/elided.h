// Values for elided constants: `{...}`, as XLA's dumps have large ones unless they are made with
// --xla_dump_large_constants. A module with elided constants runs only if the caller selects values. Tested by
// tests/cli/elided.test.
#pragma once

#include <cstdint>
#include <string>

#include "hloir/module.h"
#include "hloir/status.h"

namespace hloir {

struct ElidedValues {
  enum class How : uint8_t {
    kRefuse,
    kAssume,  // random ones, the same for all constants of one shape, so that modules with equal constants agree
    kZeros,
    kIota,
    kRandom,  // of each constant its own, by its name
    kFile,    // c0, c1, … of an .npz, in the order of the text
  };
  How how = How::kRefuse;
  std::string file;
};

// refuse, assume, zeros, iota, random, or the name of an .npz.
StatusOr<ElidedValues> ParseElidedValues(const std::string& text);
// Sets the values of elided constants; returns their number.
StatusOr<int64_t> FillElided(HloModule& module, const ElidedValues& values);

}  // namespace hloir
