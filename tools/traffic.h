// How much a module does: instructions, and bytes that its instructions read and write, by the same counting as XLA's
// cost analysis in the large: a fusion moves its operands and results, loops count once.
#pragma once

#include <cstdint>
#include <string>

#include "hloir/module.h"

namespace hloir::tool {

struct Traffic {
  int64_t instructions = 0;  // without the bodies of fusions and of reductions
  int64_t bytes = 0;
};

Traffic MeasureTraffic(const HloModule& module);

// "1.5 kB", "12 MB".
std::string HumanBytes(int64_t bytes);
// "850 µs", "1.2 ms", "3.4 s".
std::string HumanTime(double milliseconds);

}  // namespace hloir::tool
