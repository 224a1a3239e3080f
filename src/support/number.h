// ReadNumber: std::from_chars for float and double, also with standard libraries that lack it (libc++ before 20).
// Tests: tests/unit/parser_test.cc and printer_test.cc, which scripts/test-clang libc++ runs with the stand-in.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>
#include <version>

#ifndef __cpp_lib_to_chars
#include <locale.h>
#include <stdlib.h>
#endif

namespace hloir {

template <class T>
std::from_chars_result ReadNumber(const char* first, const char* last, T& value) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
#ifdef __cpp_lib_to_chars
  return std::from_chars(first, last, value);
#else
  // The end of the number, determined here because strtod also accepts hexadecimal numbers, blanks and a plus.
  const char* at = first;
  const auto digits = [&] {
    const char* start = at;
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at - start;
  };
  if (at != last && *at == '-') ++at;
  auto count = digits();
  if (at != last && *at == '.') ++at, count += digits();
  if (count == 0) return {first, std::errc::invalid_argument};
  if (at != last && (*at == 'e' || *at == 'E')) {
    const char* before = at++;
    if (at != last && (*at == '-' || *at == '+')) ++at;
    if (digits() == 0) at = before;
  }
  static const locale_t kC = newlocale(LC_ALL_MASK, "C", nullptr);  // whose point is a point
  const std::string text(first, at);
  const T read = std::is_same_v<T, float> ? static_cast<T>(strtof_l(text.c_str(), nullptr, kC))
                                          : static_cast<T>(strtod_l(text.c_str(), nullptr, kC));
  const bool zeros = text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == std::string::npos;
  if (std::isinf(read) || (read == 0 && !zeros)) return {at, std::errc::result_out_of_range};
  value = read;
  return {at, std::errc()};
#endif
}

}  // namespace hloir
