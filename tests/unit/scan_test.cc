// src/ir/scan.h: the vectorized scans against their plain form: every byte at every place of texts of up to 49 bytes,
// in front of bytes that must not be read, and every pair of bytes side by side.
#include "ir/scan.h"

#include <string>

#include "tests/unit/catch.h"

namespace hloir::scan {
namespace {

constexpr size_t kLongest = 49;  // three vectors and one more byte

template <class Test>
size_t PlainLength(const char* p, size_t size) {
  size_t i = 0;
  while (i < size && Test::Holds(p[i])) ++i;
  return i;
}

// Where the scans stop in the first `size` bytes; the rest of `text` would go on.
template <class Test>
bool StopsRight(const std::string& text, size_t size) {
  const char* const p = text.data();
  const size_t wanted = PlainLength<Test>(p, size);
  char out[kLongest + 16];
  return static_cast<size_t>(FindNot<Test>(p, p + size) - p) == wanted &&
         static_cast<size_t>(CopyWhile<Test>(p, p + size, out) - p) == wanted &&
         std::string_view(out, wanted) == std::string_view(p, wanted);
}

// `holding`: a byte for which Test is true.
template <class Test>
void CheckTest(char holding) {
  REQUIRE(Test::Holds(holding));
  size_t wrong = 0;
  for (size_t size = 0; size <= kLongest; ++size) {
    std::string text(kLongest + 16, holding);
    wrong += !StopsRight<Test>(text, size);
    for (size_t at = 0; at < size; ++at) {
      for (int c = 0; c < 256; ++c) {
        text[at] = static_cast<char>(c);
        wrong += !StopsRight<Test>(text, size);
      }
      text[at] = holding;
    }
  }
  for (int c = 0; c < 256; ++c) {
    for (int d = 0; d < 256; ++d) {
      std::string text(kLongest, holding);
      text[14] = static_cast<char>(c), text[15] = static_cast<char>(d);
      wrong += !StopsRight<Test>(text, kLongest);
    }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("scans stop where the plain test does, for every byte") {
  CheckTest<WordPart>('a');
  CheckTest<Plain>('a');
  CheckTest<NoBrace>('a');
  CheckTest<AboveComma>('a');
  CheckTest<InString>('a');
  CheckTest<InOwnAttributes>('a');
  CheckTest<NoneOf<'"', '\\'>>('a');
  CheckTest<NoneOf<'"', '}'>>('a');
  CheckTest<NoneOf<'(', ')'>>('a');
  CheckTest<NoneOf<']', '\n'>>('a');
  CheckTest<NoneOf<' ', '\n'>>('a');
}

TEST_CASE("bytes are counted as by the plain loop") {
  size_t wrong = 0;
  for (const size_t size : {0, 1, 15, 16, 17, 31, 33, 47, 48, 4079, 4080, 4081, 8192, 20000}) {
    for (int step = 1; step < 40; ++step) {
      std::string text(size, 'x');
      for (size_t i = 0; i < size; i += static_cast<size_t>(step)) text[i] = '\n';
      const auto wanted = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
      wrong += Count<'\n'>(text.data(), text.data() + size) != wanted;
      wrong += CountFew<'\n'>(text.data(), text.data() + size) != wanted;
    }
  }
  for (int c = 0; c < 256; ++c) {
    const std::string text(100, static_cast<char>(c));
    wrong += Count<'\n'>(text.data(), text.data() + text.size()) != (c == '\n' ? 100U : 0U);
    wrong += CountFew<'\n'>(text.data(), text.data() + text.size()) != (c == '\n' ? 100U : 0U);
  }
  CHECK(wrong == 0);
}

TEST_CASE("16 bytes are equal if each of them is") {
  const std::string text = "0123456789abcdefg";
  size_t wrong = !Same16(text.data(), std::string(text).data());
  for (size_t at = 0; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[at] = static_cast<char>(other[at] ^ 1 << bit);
      wrong += Same16(text.data(), other.data()) != (at >= 16);
    }
  }
  CHECK(wrong == 0);
}

}  // namespace hloir::scan
