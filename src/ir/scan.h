// Scans over text, 16 bytes at a time where the machine has SSE2 (every x86-64 does): how far does a word go, where
// does a string end, what needs an escape. They look at nothing from `end` on, and return it where nothing stops them
// earlier. Tested by tests/unit/parser_test.cc and printer_test.cc through the lexer and TextBuffer.
#pragma once

#include <cstddef>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace hloir::scan {

// The first byte for which `Test` does not hold.
template <class Test>
inline const char* FindNot(const char* p, const char* end) {
#ifdef __SSE2__
  for (; end - p >= 16; p += 16) {
    const int holds = _mm_movemask_epi8(Test::Holds(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
    if (holds != 0xFFFF) return p + __builtin_ctz(~static_cast<unsigned>(holds));
  }
#endif
  while (p != end && Test::Holds(*p)) ++p;
  return p;
}

// [A-Za-z0-9_.-]
struct WordPart {
  static constexpr bool Holds(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  }
#ifdef __SSE2__
  static __m128i Holds(__m128i v) {
    // Unsigned x <= n is min(x, n) == x.
    auto at_most = [](__m128i x, char n) { return _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(n)), x); };
    const __m128i letter = at_most(_mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a')), 25);
    const __m128i dash_to_nine = at_most(_mm_sub_epi8(v, _mm_set1_epi8('-')), '9' - '-');  // - . / 0…9
    const __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('/'));
    const __m128i underscore = _mm_cmpeq_epi8(v, _mm_set1_epi8('_'));
    return _mm_or_si128(_mm_or_si128(letter, underscore), _mm_andnot_si128(slash, dash_to_nine));
  }
#endif
};

// Neither of two bytes.
template <char a, char b>
struct Neither {
  static bool Holds(char c) { return c != a && c != b; }
#ifdef __SSE2__
  static __m128i Holds(__m128i v) {
    const __m128i either = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(a)), _mm_cmpeq_epi8(v, _mm_set1_epi8(b)));
    return _mm_xor_si128(either, _mm_set1_epi8(-1));
  }
#endif
};

// What stands between quotes as it is: printable ASCII but quotes and backslash.
struct Plain {
  static bool Holds(char c) { return c >= ' ' && c < 0x7F && c != '"' && c != '\\' && c != '\''; }
#ifdef __SSE2__
  static __m128i Holds(__m128i v) {
    auto is = [v](char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
    const __m128i special = _mm_or_si128(_mm_or_si128(is('"'), is('\'')), _mm_or_si128(is('\\'), is(0x7F)));
    return _mm_andnot_si128(special, _mm_cmpgt_epi8(v, _mm_set1_epi8(0x1F)));  // bytes from 0x80 on are negative
  }
#endif
};

// None of what tells how deep braces are: braces, quotes, and what a comment begins with.
struct NoBrace {
  static bool Holds(char c) { return c != '{' && c != '}' && c != '"' && c != '\'' && c != '/'; }
#ifdef __SSE2__
  static __m128i Holds(__m128i v) {
    auto is = [v](char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); };
    const __m128i brace = _mm_or_si128(is('{'), is('}'));
    const __m128i other = _mm_or_si128(_mm_or_si128(is('"'), is('\'')), is('/'));
    return _mm_xor_si128(_mm_or_si128(brace, other), _mm_set1_epi8(-1));
  }
#endif
};

// The end of the word that begins at `p`.
inline const char* WordEnd(const char* p, const char* end) { return FindNot<WordPart>(p, end); }
// The first of two bytes.
template <char a, char b>
inline const char* FindEither(const char* p, const char* end) {
  return FindNot<Neither<a, b>>(p, end);
}

}  // namespace hloir::scan
