// Names and numbers in tables and on pages: short enough to stand there, and nothing in them that a terminal obeys.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hloir {

// At most `width` cells, control characters spelled out; what is too long loses its middle, or its end.
std::string ShortName(std::string_view name, size_t width, bool middle = true);

// "0", "12", "3.42 M"; beyond 10^18 as 1.2e+20.
std::string HumanCount(double count);

}  // namespace hloir
