// The one file of the library that includes fmt.
#include "support/format.h"

#define FMT_HEADER_ONLY
#include <fmt/args.h>
#include <fmt/format.h>

namespace hloir {

std::string FormatWith(std::string_view format, std::initializer_list<FormatArg> args) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArg& arg : args) std::visit([&](const auto& value) { store.push_back(value); }, arg.value());
  try {
    return fmt::vformat(fmt::string_view(format.data(), format.size()), store);
  } catch (const std::exception&) {
    return std::string(format);  // an internal error: the format string does not match its arguments
  }
}

}  // namespace hloir
