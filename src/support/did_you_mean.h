// DidYouMean: a suggestion for the message about an unknown word. For opcodes, passes and rules.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// "; did you mean 'NAME'?" with the most similar name, or "" if none is similar. `Names` is a range of texts.
template <class Names>
std::string DidYouMean(std::string_view word, const Names& names);

// The edit distance: letters to change, add or remove; for short words.
size_t EditDistance(std::string_view a, std::string_view b);

template <class Names>
std::string DidYouMean(std::string_view word, const Names& names) {
  constexpr size_t kLongest = 60;
  if (word.size() > kLongest) return "";
  size_t best = (word.size() < 12 ? 2 : word.size() / 4) + 1;
  std::string_view nearest;
  for (std::string_view name : names) {
    if (const size_t distance = EditDistance(word, name); distance < best) best = distance, nearest = name;
  }
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

}  // namespace hloir
