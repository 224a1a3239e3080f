// Values for constants whose own a text left out: `{...}`, as XLA's dumps have large ones unless they are made with
// --xla_dump_large_constants. Nothing runs on such a module unless its caller says which values to take. Tested by
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
    kAssume,  // random ones, the same for all constants of one shape: then two modules that had the same agree
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
// Gives each constant without values some; how many there were.
StatusOr<int64_t> FillElided(HloModule& module, const ElidedValues& values);

}  // namespace hloir
