// Parse: the module that a text has, for tests in which the text must parse.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hloir/parser.h"
#include "tests/unit/catch.h"

namespace hloir {

inline std::unique_ptr<HloModule> Parse(std::string_view text) {
  auto module = ParseModule(std::string(text));
  REQUIRE(module.status().message() == "");
  return *std::move(module);
}

}  // namespace hloir
