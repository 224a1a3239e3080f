// SeenTexts: a cache of values in braces, by their text. Many instructions have the metadata, sharding or frontend
// attributes of an instruction a few lines above; only new texts are parsed. Tested by tests/unit/parser_test.cc.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "lexer.h"

namespace hloir {

template <class T>
class SeenTexts {
 public:
  // Returns the cached value of the text in braces at the lexer and moves past it; nullptr: the text must be parsed.
  T* Find(Lexer& lexer) {
    lexer.SkipBlank();
    const char* const at = lexer.at();
    const size_t left = static_cast<size_t>(lexer.end() - at);
    slot_ = nullptr;
    if (last_.value != nullptr && left >= last_.text.size() && IsText(last_, at, last_.text.size())) {
      lexer.set_at(at + last_.text.size());
      return last_.value;
    }
    // The table does not pay for few texts, or if few are repeated.
    if (++asked_ <= kMany || (asked_ >= kTrials && 4 * known_ <= asked_)) return nullptr;
    const char* const end = End(at, lexer.end());
    if (end == nullptr) return nullptr;
    if (slots_.empty()) slots_.resize(kSlots);
    const size_t size = static_cast<size_t>(end - at);
    const size_t told_by = std::min<size_t>(size, 48);  // ends differ
    slot_ = &slots_[(HashBytes(end - told_by, told_by) + size) % kSlots];
    if (slot_->text.size() != size || !IsText(*slot_, at, size)) return nullptr;
    ++known_;
    last_ = *slot_;
    lexer.set_at(end);
    return last_.value;
  }
  // After Find returned nullptr: caches `value`, which must be kept, for the text from `at` to `end`.
  void Add(const char* at, const char* end, T* value) {
    last_ = {{at, static_cast<size_t>(end - at)}, value};
    if (slot_ != nullptr) *slot_ = last_;
  }

 private:
  struct Slot {  // the latest of a hash
    std::string_view text;
    T* value = nullptr;
  };
  static constexpr size_t kSlots = 1024, kMany = 32, kTrials = 256;

  static bool IsText(const Slot& slot, const char* at, size_t size) {
    return std::memcmp(slot.text.data(), at, size) == 0;
  }
  // The end of the braces that begin at `at`, by counting braces and quotes; nullptr if the search reached its limit. A
  // guess, which is compared with the end that the parser finds.
  static const char* End(const char* at, const char* end) {
    if (*at != '{') return nullptr;
    constexpr ptrdiff_t kLongest = 4096;  // because many searches in one long text would take quadratic time
    const char* const limit = at + std::min(kLongest, end - at);
    while (true) {
      at = scan::FindEither<'"', '}'>(at + 1, limit);
      if (at == limit) return nullptr;
      if (*at == '}') return at + 1;
      for (++at; (at = scan::FindEither<'"', '\\'>(at, limit)) != limit && *at == '\\'; at += 2) {
        if (limit - at <= 2) return nullptr;
      }
      if (at == limit) return nullptr;
    }
  }

  Slot last_;
  Slot* slot_ = nullptr;  // that Find looked at
  std::vector<Slot> slots_;
  size_t asked_ = 0, known_ = 0;  // the numbers of searches and hits
};

}  // namespace hloir
