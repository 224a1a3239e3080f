// support/hash.h: Mix distinguishes words and their order, also if the first is a plain word.
#include "support/hash.h"

#include <unordered_set>

#include "tests/unit/catch.h"

namespace hloir {
namespace {

TEST_CASE("Mix tells pairs of small words apart, in either order") {
  std::unordered_set<uint64_t> seen;
  for (uint64_t a = 0; a < 300; ++a) {
    for (uint64_t b = 0; b < 300; ++b) seen.insert(Mix(a, b));
  }
  CHECK(seen.size() == 90000);
}

}  // namespace
}  // namespace hloir
