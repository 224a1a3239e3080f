// For emscripten 3.1, whose standard library is LLVM 13's: what hloir uses of C++20 and that one has not got. Read
// before every file of the playground; of no use to anything else.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000
namespace std {
template <class A, class B>
constexpr auto lexicographical_compare_three_way(A a, A a_end, B b, B b_end) -> decltype(*a <=> *b) {
  for (; a != a_end && b != b_end; ++a, ++b)
    if (auto order = *a <=> *b; order != 0) return order;
  return a != a_end ? strong_ordering::greater : b != b_end ? strong_ordering::less : strong_ordering::equal;
}

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

namespace ranges {
template <class R, class F>
constexpr bool any_of(R&& range, F f) {
  return std::any_of(std::begin(range), std::end(range), f);
}
template <class R, class F>
constexpr bool all_of(R&& range, F f) {
  return std::all_of(std::begin(range), std::end(range), f);
}
template <class A, class B>
constexpr bool equal(A&& a, B&& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
template <class A, class B>
constexpr bool includes(A&& a, B&& b) {
  return std::includes(std::begin(a), std::end(a), std::begin(b), std::end(b));
}
}  // namespace ranges

// Decimal numbers; musl's strtod and printf round right. Unlike strtod it takes no blanks, no + and no 0x.
template <class T>
requires(is_floating_point_v<T>) from_chars_result from_chars(const char* first, const char* last, T& value) {
  const char* at = first;
  if (at != last && *at == '-') ++at;
  if (at == last || !((*at >= '0' && *at <= '9') || *at == '.' || *at == 'i' || *at == 'n'))
    return {first, errc::invalid_argument};
  if (at + 1 < last && *at == '0' && (at[1] == 'x' || at[1] == 'X'))
    return value = 0, from_chars_result{at + 1, errc()};
  const char* end = at;
  const auto part = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '+' || c == '-' || c == 'E';
  };
  while (end != last && part(*end)) ++end;
  const string text(first, end);
  char* stop = nullptr;
  T read;
  if constexpr (is_same_v<T, float>) read = strtof(text.c_str(), &stop);
  else read = static_cast<T>(strtod(text.c_str(), &stop));
  if (stop == text.c_str()) return {first, errc::invalid_argument};
  const char* after = first + (stop - text.c_str());
  // What is too large is out of range; "inf" itself is not.
  if ((read == numeric_limits<T>::infinity() || read == -numeric_limits<T>::infinity()) && *at != 'i')
    return {after, errc::result_out_of_range};
  value = read;
  return {after, errc()};
}

template <class T>
requires(is_floating_point_v<T>) to_chars_result
    to_chars(char* first, char* last, T value, chars_format, int precision) {
  char text[64];
  const int size = snprintf(text, sizeof text, "%.*g", precision, static_cast<double>(value));
  if (size < 0 || size > last - first || size >= static_cast<int>(sizeof text)) return {last, errc::value_too_large};
  return {copy(text, text + size, first), errc()};
}
// The fewest digits that read back as the same number.
template <class T>
requires(is_floating_point_v<T>) to_chars_result to_chars(char* first, char* last, T value) {
  constexpr int kAllDigits = is_same_v<T, float> ? 9 : 17;
  to_chars_result result{last, errc::value_too_large};
  for (int digits = 1; digits <= kAllDigits; ++digits) {
    result = to_chars(first, last, value, chars_format::general, digits);
    if (result.ec != errc()) break;
    if (static_cast<T>(strtod(string(first, result.ptr).c_str(), nullptr)) == value) break;
  }
  return result;
}

}  // namespace std
#endif
