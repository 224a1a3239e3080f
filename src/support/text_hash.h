// TextHash: 128 bits of texts and words, for names and checksums of cache files. Not resistant to adversaries.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "support/format.h"
#include "support/hash.h"

namespace hloir {

// Takes eight bytes at a time, in two sums. Where a text ends counts: "a", "b" is not "ab".
class TextHash {
 public:
  TextHash& Add(std::string_view text) {
    for (; text.size() >= 8; text.remove_prefix(8)) AddWord(text.data(), 8);
    AddWord(text.data(), text.size());
    one_ = Mix(one_, text.size());
    return *this;
  }
  TextHash& Add(uint64_t word) {
    one_ = Mix(one_, word), two_ = Mix(two_, Scramble(word + kGoldenRatio));
    return *this;
  }
  uint64_t checksum() const { return one_; }
  // All bits, in 32 hexadecimal digits.
  std::string ToString() const { return Format("{:016x}{:016x}", one_, two_); }

 private:
  void AddWord(const char* data, size_t size) {
    uint64_t word = 0;
    if (size > 0) std::memcpy(&word, data, size);
    Add(word);
  }
  uint64_t one_ = 1, two_ = 2;
};

}  // namespace hloir
