// What may name an instruction, a computation or a module: XLA's rule, [A-Za-z_][A-Za-z0-9_.-]* but no element type and
// nothing that begins with __ (other than __xla_). Names stand bare in HLO text, so that any other could be read as
// more than a name. Text with an illegal name is refused; from anywhere else (a message, a builder, a pass) a module
// takes LegalName of what it is given. Tested by tests/unit/hostile_strings_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace hloir {

// [A-Za-z_][A-Za-z0-9_.-]*: a name, or another word that text holds without quotes.
bool IsWord(std::string_view text);
// Words of the language, which are names only with a % before them.
inline constexpr std::string_view kKeywords[] = {
    "true",        "false",      "inf",           "nan",       "HloModule",
    "ENTRY",       "ROOT",       "FileLocations", "FileNames", "FunctionNames",
    "StackFrames", "maximal",    "replicated",    "manual",    "last_tile_dim_replicate",
    "shard_as",    "shard_like", "unknown",       "unreduced"};
bool IsKeyword(std::string_view text);
// f32, pred, token, …: a word that is always read as a type.
bool IsTypeWord(std::string_view name);
// Begins with __: XLA keeps such names for its backends.
bool BeginsAsReserved(std::string_view name);
bool IsLegalName(std::string_view name);
// The name itself if it is legal; otherwise the one that XLA makes of it: _ for each character that may not stand
// there, _ behind a type word, a_ for __, "name" for nothing.
std::string LegalName(std::string_view name);

}  // namespace hloir
