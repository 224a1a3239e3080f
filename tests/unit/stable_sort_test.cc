// support/stable_sort.h: the same order as std::stable_sort.
#include "support/stable_sort.h"

#include <memory>
#include <string>

#include "tests/unit/catch.h"

namespace hloir {
namespace {

TEST_CASE("equal elements keep their order") {
  std::vector<std::pair<std::string, int>> items = {{"b", 0}, {"a", 1}, {"b", 2}, {"a", 3}, {"", 4}};
  StableSort(items, [](const auto& a, const auto& b) { return a.first < b.first; });
  CHECK(items == std::vector<std::pair<std::string, int>>{{"", 4}, {"a", 1}, {"a", 3}, {"b", 0}, {"b", 2}});
}

TEST_CASE("elements are moved") {
  std::vector<std::unique_ptr<int>> items;
  for (int value : {3, 1, 2}) items.push_back(std::make_unique<int>(value));
  StableSort(items, [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 3; ++i) CHECK(*items[i] == i + 1);
}

TEST_CASE("an empty list") {
  std::vector<int> items;
  StableSort(items, [](int a, int b) { return a < b; });
  CHECK(items.empty());
}

}  // namespace
}  // namespace hloir
