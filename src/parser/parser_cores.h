// The number of threads that read a text, for callers that do not want ParseModule's choice. Covered by
// tests/unit/parallel_parser_test.cc.
#pragma once

#include "hloir/parser.h"

namespace hloir {

// Several threads read the rest of a text if it has that many bytes. `threads` 0: one for each core, if there are at
// least four.
struct ParserCores {
  int threads = 0;
  size_t least_bytes = size_t{4} << 20;
};

// ParseModule so. `parts`, if given: how many parts of the text were read at once; 0: it was read as one.
StatusOr<std::unique_ptr<HloModule>> ParseModule(std::string text, const ParserOptions& options,
                                                 const ParserCores& cores, size_t* parts = nullptr);

}  // namespace hloir
