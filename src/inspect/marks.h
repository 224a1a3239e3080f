// Marks in reports: numbers that depend on an unknown trip count have a star, which one line explains.
#pragma once

#include <string>

#include "support/format.h"

namespace hloir {

inline std::string Marked(std::string figure, bool times_known) { return times_known ? figure : figure + " *"; }
inline std::string UnknownLoopsNote(int64_t loops) {
  return loops > 0 ? Format("* rests on loops of unknown trip count, counted once: {}\n", loops) : std::string();
}

}  // namespace hloir
