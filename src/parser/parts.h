// State shared by the readers of a large text's parts; see parts.cc.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "module_reader.h"

namespace hloir {

// A computation in the text.
struct ModuleReader::Body {
  Head head;
  const char* begin;      // behind the opening brace
  const char* end;        // behind the closing one
  int32_t line, at_line;  // of its head, and of `begin`
  std::string_view thread;
  HloComputation* read = nullptr;  // by its part
};

// The whole text.
struct ModuleReader::Whole {
  std::vector<Body> bodies;                                // in the order of the text
  std::unordered_map<std::string_view, uint32_t> numbers;  // of bodies, by name
  std::vector<std::unique_ptr<Part>> parts;
  std::atomic<bool> given_up = false;
};

// A run of adjacent computations in the text.
struct ModuleReader::Part {
  Whole& whole;
  uint32_t first, last;  // bodies, the last one not included
  uint32_t at = 0;       // the one being read
  std::unique_ptr<ModuleReader> reader{};
  // Placeholders for called computations of other parts, by number.
  std::unordered_map<uint32_t, HloComputation*> stand_ins{};
  std::vector<std::pair<uint32_t, HloComputation*>> called{};  // the same in the order of the text
  std::vector<OpMetadata*> framed{};                           // with the text's stack_frame_id
  bool needs_names = false;                                    // some have to be made unique
};

}  // namespace hloir
