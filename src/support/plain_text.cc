// See plain_text.h.
#include "support/plain_text.h"

#include "support/format.h"

namespace hloir {
namespace {

// The length of the printable UTF-8 character at the beginning of the text; 0: none.
size_t PrintableBytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) >= ' ' && byte(0) != 0x7F;
  const size_t size = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : byte(0) >= 0xC2 ? 2 : 0;
  if (size == 0 || byte(0) > 0xF4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return byte(0) == 0xC2 && byte(1) < 0xA0 ? 0 : size;  // U+0080 to U+009F control terminals, too
}

// The same with ends of lines and tabs.
size_t PlainBytes(std::string_view text) { return text[0] == '\n' || text[0] == '\t' ? 1 : PrintableBytes(text); }

}  // namespace

bool IsPlainText(std::string_view text) {
  while (!text.empty()) {
    const size_t size = PlainBytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string WithoutControls(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t size = PlainBytes(text);
    if (size > 0) result += text.substr(0, size);
    else result += Format("\\x{:02x}", static_cast<unsigned char>(text[0])), size = 1;
    text.remove_prefix(size);
  }
  return result;
}

}  // namespace hloir
