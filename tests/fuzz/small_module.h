// A fuzzer's bytes as a legal module that is small enough to be worth a try.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hloir/parser.h"
#include "hloir/verifier.h"

// nullptr if the bytes are none.
inline std::unique_ptr<hloir::HloModule> SmallModule(const uint8_t* data, size_t size) {
  hloir::ParserOptions options;
  options.max_literal_bytes = 1 << 16;
  auto module = hloir::ParseModule(std::string(reinterpret_cast<const char*>(data), size), options);
  if (!module.ok() || (*module)->instruction_count() > 300 || !hloir::VerifyModule(**module).ok()) return nullptr;
  return std::move(*module);
}
