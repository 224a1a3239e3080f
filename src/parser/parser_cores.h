// The number of threads that read a text, for callers that override ParseModule's choice. Covered by
// tests/unit/parallel_parser_test.cc.
#pragma once

#include "hloir/parser.h"

namespace hloir {

// The minimal number of remaining bytes for reading with several threads. `threads` 0: one for each core, if there are
// at least four.
struct ParserCores {
  int threads = 0;
  size_t least_bytes = size_t{4} << 20;
};

// ParseModule with these settings. `parts`, if given, receives the number of parts read in parallel; 0: it was read
// sequentially.
StatusOr<std::unique_ptr<HloModule>> ParseModule(std::string text, const ParserOptions& options,
                                                 const ParserCores& cores, size_t* parts = nullptr);

}  // namespace hloir
