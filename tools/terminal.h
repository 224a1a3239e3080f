// What the standard streams are: whether a person looks at them, and whether color is welcome (NO_COLOR is respected).
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace hloir::tool {

bool IsTerminal(FILE* stream);
bool UseColor(FILE* stream);
// Columns of the terminal; 80 if it does not say.
int TerminalWidth(FILE* stream);

// Cells that UTF-8 text takes on a terminal: its code points. We print no wide or combining characters.
size_t DisplayWidth(std::string_view text);

enum class Color { kGreen, kRed, kYellow, kDim };
std::string Paint(std::string_view text, Color color, bool use_color);

}  // namespace hloir::tool
