// See names.h.
#include "ir/names.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "hloir/primitive_type.h"
#include "ir/scan.h"

namespace hloir {
namespace {

bool MayBegin(char c) { return scan::WordPart::Holds(c) && c != '.' && c != '-' && (c < '0' || c > '9'); }

}  // namespace

bool IsWord(std::string_view text) {
  const char* const end = text.data() + text.size();
  return !text.empty() && MayBegin(text[0]) && scan::WordEnd(text.data(), end) == end;
}

bool IsKeyword(std::string_view text) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), text) != std::end(kKeywords);
}

bool IsTypeWord(std::string_view name) {
  if (name.size() < 2 || name.size() > 13) return false;
  const bool has_digit = name[1] >= '0' && name[1] <= '9';
  if (!has_digit && name[0] != 'b' && name[0] != 'p' && name[0] != 't' && name[0] != 'o') return false;
  const std::optional<PrimitiveType> type = ParsePrimitiveType(name);
  return type && *type != PrimitiveType::TUPLE && *type != PrimitiveType::BUFFER;
}

bool BeginsAsReserved(std::string_view name) { return name.starts_with("__") && !name.starts_with("__xla_"); }

bool IsLegalName(std::string_view name) { return IsWord(name) && !IsTypeWord(name) && !BeginsAsReserved(name); }

std::string LegalName(std::string_view name) {
  if (name.empty()) return "name";
  std::string legal(name);
  if (IsLegalName(name)) return legal;
  if (!MayBegin(legal[0])) legal[0] = '_';
  for (char& c : legal) {
    if (!scan::WordPart::Holds(c)) c = '_';
  }
  if (IsTypeWord(legal)) legal += '_';
  if (BeginsAsReserved(legal)) legal[0] = 'a';
  return legal;
}

}  // namespace hloir
