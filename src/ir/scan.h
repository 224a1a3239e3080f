// Scans over text, 16 bytes at a time where the machine has SSE2 (every x86-64 does): the end of a word, the end of a
// string, the next character to escape. They read nothing from `end` on, and return `end` if the scan reaches it.
// Tested by tests/unit/parser_test.cc and printer_test.cc through the lexer and TextBuffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace hloir::scan {

// The first byte for which `Test` is false.
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

// Copies bytes to `out` while `Test` is true; returns the first byte for which it is false. `out` must have room for
// all bytes.
template <class Test>
inline const char* CopyWhile(const char* p, const char* end, char* out) {
#ifdef __SSE2__
  const auto copy_16 = [&] {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), v);
    return static_cast<unsigned>(_mm_movemask_epi8(Test::Holds(v)));
  };
  const bool is_long = end - p >= 16;
  for (; end - p >= 16; p += 16, out += 16) {
    if (const unsigned holds = copy_16(); holds != 0xFFFF) return p + __builtin_ctz(~holds);
  }
  if (is_long) {  // the last 16, some of them once more
    out -= 16 - (end - p);
    p = end - 16;
    const unsigned holds = copy_16();
    return holds != 0xFFFF ? p + __builtin_ctz(~holds) : end;
  }
#endif
  for (; p != end && Test::Holds(*p); ++p) *out++ = *p;
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

// Above a comma, as all characters of words.
struct AboveComma {
  static bool Holds(char c) { return static_cast<signed char>(c) > ','; }
#ifdef __SSE2__
  static __m128i Holds(__m128i v) { return _mm_cmpgt_epi8(v, _mm_set1_epi8(',')); }
#endif
};

// None of some bytes.
template <char... bytes>
struct NoneOf {
  static bool Holds(char c) { return ((c != bytes) && ...); }
#ifdef __SSE2__
  static __m128i Holds(__m128i v) {
    __m128i any = _mm_setzero_si128();
    ((any = _mm_or_si128(any, _mm_cmpeq_epi8(v, _mm_set1_epi8(bytes)))), ...);
    return _mm_xor_si128(any, _mm_set1_epi8(-1));
  }
#endif
};

// Characters that are printed unchanged between quotes: printable ASCII but quotes and backslash.
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

// Characters before the end of a line, a string or a name.
using InOwnAttributes = NoneOf<'"', '%', '\n'>;
// Characters within a string of one line, before its end or an escape.
using InString = NoneOf<'"', '\\', '\n'>;
// Characters that do not change the depth of braces: all but braces, quotes, and the first of a comment.
using NoBrace = NoneOf<'{', '}', '"', '\'', '/'>;

// The number of occurrences of a byte.
template <char c>
inline size_t Count(const char* p, const char* end) {
  size_t count = 0;
#ifdef __SSE2__
  const auto is_c = [](const char* at) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), _mm_set1_epi8(c));
  };
  const bool is_long = end - p >= 16;
  while (end - p >= 16) {
    __m128i counts = _mm_setzero_si128();  // of each of 16 columns, downwards
    constexpr ptrdiff_t kMost = 255;
    const char* const stop = p + 16 * std::min((end - p) / 16, kMost);
    for (; stop - p >= 32; p += 32) counts = _mm_add_epi8(counts, _mm_add_epi8(is_c(p), is_c(p + 16)));
    if (p != stop) counts = _mm_add_epi8(counts, is_c(p)), p += 16;
    const __m128i halves = _mm_sad_epu8(_mm_sub_epi8(_mm_setzero_si128(), counts), _mm_setzero_si128());
    count += static_cast<size_t>(_mm_cvtsi128_si32(halves) + _mm_extract_epi16(halves, 4));
  }
  if (is_long) {  // the uncounted bytes among the last 16
    unsigned last = static_cast<unsigned>(_mm_movemask_epi8(is_c(end - 16))) >> (16 - (end - p));
    for (; last != 0; last &= last - 1) ++count;  // mostly none or one
    return count;
  }
#endif
  return count + static_cast<size_t>(std::count(p, end, c));
}

// The number of occurrences of a byte, if they are few.
template <char c>
inline size_t CountFew(const char* p, const char* end) {
  size_t count = 0;
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(c);
  const auto found_at = [&](const char* at) {
    return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), wanted)));
  };
  const char* const start = p;
  for (; end - p >= 16; p += 16) {
    for (unsigned found = found_at(p); found != 0; found &= found - 1) ++count;
  }
  if (p != start) {  // the uncounted bytes among the last 16
    for (unsigned found = found_at(end - 16) >> (16 - (end - p)); found != 0; found &= found - 1) ++count;
    return count;
  }
#endif
  return count + static_cast<size_t>(std::count(p, end, c));
}

// The end of the word that begins at `p`.
inline const char* WordEnd(const char* p, const char* end) { return FindNot<WordPart>(p, end); }
// The first of two bytes.
template <char a, char b>
inline const char* FindEither(const char* p, const char* end) {
  return FindNot<NoneOf<a, b>>(p, end);
}

// True if 16 bytes are equal.
inline bool Same16(const char* a, const char* b) {
#ifdef __SSE2__
  const auto load = [](const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
  return _mm_movemask_epi8(_mm_cmpeq_epi8(load(a), load(b))) == 0xFFFF;
#else
  return std::memcmp(a, b, 16) == 0;
#endif
}

// The first byte that is not above a comma, which ends an operand's name; bytes from 0x80 on end it, too.
inline const char* OperandEnd(const char* p, const char* end) { return FindNot<AboveComma>(p, end); }

// The number of bytes before the first `c` in 16 bytes; 0 without a `c`.
template <char c>
inline size_t DistanceTo(const char* p) {
#ifdef __SSE2__
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const unsigned found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
  return found == 0 ? 0 : static_cast<size_t>(__builtin_ctz(found));
#else
  const char* const found = std::find(p, p + 16, c);
  return found == p + 16 ? 0 : static_cast<size_t>(found - p);
#endif
}

}  // namespace hloir::scan
