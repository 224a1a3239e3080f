// Marks on figures of reports: what rests on a loop of unknown trip count has a star, and one line explains it.
#pragma once

#include <string>

#include "support/format.h"

namespace hloir {

inline std::string Marked(std::string figure, bool times_known) { return times_known ? figure : figure + " *"; }
inline std::string UnknownLoopsNote(int64_t loops) {
  return loops > 0 ? Format("* rests on loops of unknown trip count, counted once: {}\n", loops) : std::string();
}

}  // namespace hloir
