// Where the unit tests' main() comes from. Catch2 version 2 defines it here; version 3 brings it as a library.
#if __has_include(<catch2/catch_all.hpp>)
// Catch2::Catch2WithMain has it.
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
