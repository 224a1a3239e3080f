// Legal names of instructions, computations and modules. XLA's rule: [A-Za-z_][A-Za-z0-9_.-]*, except element types and
// names that begin with __ (other than __xla_). HLO text does not quote names, so any other name could be parsed as
// something else. The parser reports an error for an illegal name; names from other sources (a message, a builder, a
// pass) are converted by LegalName. Tested by tests/unit/hostile_strings_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace hloir {

// [A-Za-z_][A-Za-z0-9_.-]*: a name, or another unquoted word.
bool IsWord(std::string_view text);
// Keywords, which are names only with a % before them.
inline constexpr std::string_view kKeywords[] = {
    "true",        "false",      "inf",           "nan",       "HloModule",
    "ENTRY",       "ROOT",       "FileLocations", "FileNames", "FunctionNames",
    "StackFrames", "maximal",    "replicated",    "manual",    "last_tile_dim_replicate",
    "shard_as",    "shard_like", "unknown",       "unreduced"};
bool IsKeyword(std::string_view text);
// f32, pred, token, …: a word that is always read as a type.
bool IsTypeWord(std::string_view name);
// A set of words, by their first letters and lengths, which distinguish them from nearly all others.
class WordFilter {
 public:
  constexpr void Add(std::string_view word) { lengths_[static_cast<size_t>(word[0])] |= 1u << word.size(); }
  // False: the word, of at least one letter, is none of the set.
  constexpr bool MayHave(std::string_view word) const {
    return word.size() < 32 && (lengths_[static_cast<size_t>(word[0] & 127)] >> word.size() & 1) != 0;
  }

 private:
  std::array<uint32_t, 128> lengths_{};  // by first letter; bit n: some word has n letters
};
inline bool MayBeTypeWord(std::string_view name) {
  static constexpr WordFilter kTypes = [] {
    WordFilter types;
#define HLOIR_TYPE(name, text, ...) types.Add(text);
#include "hloir/primitive_types.def"
#undef HLOIR_TYPE
    for (std::string_view type : {"token", "opaque", "opaque_type"}) types.Add(type);
    return types;
  }();
  return kTypes.MayHave(name);
}
// Begins with __: XLA keeps such names for its backends.
bool BeginsAsReserved(std::string_view name);
bool IsLegalName(std::string_view name);
// The name itself if it is legal; otherwise XLA's replacement: _ for each illegal character, _ appended to an element
// type, a_ before __, "name" for the empty text.
std::string LegalName(std::string_view name);

}  // namespace hloir
