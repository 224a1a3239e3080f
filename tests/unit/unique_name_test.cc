// Names made unique: by the namer itself, and where it serves.
#include "hloir/detail/unique_name.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/builder.h"
#include "hloir/detail/name_index.h"
#include "hloir/module.h"
#include "tests/unit/catch.h"

using namespace hloir;

TEST_CASE("a name is split into root and number") {
  CHECK(SplitNumber("add.12").root == "add");
  CHECK(SplitNumber("add.12").number == "12");
  CHECK(NameRoot("add") == "add");
  CHECK(NameRoot("add.1.2") == "add.1");
  CHECK(NameRoot("v1.x2") == "v1.x2");
  CHECK(NameRoot(".5") == ".5");
  CHECK(NameRoot("add.") == "add.");
  CHECK(NameRoot("add.1234567890123456789") == "add.1234567890123456789");  // no number that would fit
}

TEST_CASE("n names of one root take about n steps") {
  UniqueNamer namer;
  std::set<std::string, std::less<>> taken{"x", "x.3"};
  int64_t steps = 0;
  const auto is_taken = [&](std::string_view name) { return ++steps, taken.contains(name); };
  constexpr int kNames = 1000;
  for (int i = 0; i < kNames; ++i) REQUIRE(taken.insert(namer.Next("x", is_taken)).second);
  CHECK(steps == kNames + 1);
  CHECK(taken.contains("x.1001"));
  taken.erase("x.7");
  namer.Release("x.7");
  CHECK(namer.Next("x", is_taken) == "x.7");
}

TEST_CASE("computations and instructions are numbered as in XLA") {
  HloModule module("m");
  const auto add = [&](std::string_view name) {
    HloComputation* computation = module.AddComputation(name);
    computation->set_root(computation->AddParameter(0, Shape::Scalar(PrimitiveType::F32), "x"));
    return computation;
  };
  CHECK(add("region.3")->name() == "region.3");
  HloComputation* again = add("region.3");
  CHECK(again->name() == "region.3.1");
  CHECK(add("region.3")->name() == "region.3.2");
  module.RemoveComputation(again);
  CHECK(add("region.3")->name() == "region.3.1");  // free again
  CHECK(add("region.3")->name() == "region.3.3");

  HloComputation* computation = add("f");
  HloInstruction* x = computation->parameter(0);
  const auto negate = [&](std::string_view name) {
    return computation->AddInstruction(HloOpcode::kNegate, x->shape(), {x}, {}, name)->name();
  };
  CHECK(negate("n.5") == "n.5");
  CHECK(negate("n.5") == "n.1");
  CHECK(negate("n.5") == "n.2");
  CHECK(negate("") == "negate");
  CHECK(negate("") == "negate.1");
}

// Names are indexed by the roots that are asked for, and all of them once there were too many.
TEST_CASE("names of many roots are unique and found") {
  HloModule module("m");
  HloComputation& computation = *module.AddComputation("c");
  const Shape shape = Shape::Array(PrimitiveType::F32, {4});
  HloInstruction* p = computation.AddParameter(0, shape, "p");
  std::set<std::string, std::less<>> names;
  for (int k = 0; k < 40; ++k) {
    for (int root = 0; root <= k / 5; ++root) {
      // Short roots begin long ones: n, nn, nnn, …
      HloInstruction* i = computation.AddInstruction(HloOpcode::kNegate, shape, {p}, NoAttributes(),
                                                     std::string(static_cast<size_t>(root) + 1, 'n'));
      REQUIRE(names.emplace(i->name()).second);
      REQUIRE(computation.FindInstruction(i->name()) == i);
    }
  }
  for (HloInstruction* i : computation.instructions()) CHECK(computation.FindInstruction(i->name()) == i);
  CHECK(names.contains("nn.34"));
  CHECK(!names.contains("nn.35"));
}

TEST_CASE("a name that is given and freed again and again takes one place of the index") {
  struct Item {
    std::string text;
    bool gone = false;
    const std::string& name() const { return text; }
  };
  const auto is_gone = [](const Item& item) { return item.gone; };
  NameIndex<Item> index;
  index.Reset(8);
  std::vector<Item> items(100, Item{"body", true});
  Item other{"other"};
  index.Add(&other);
  for (Item& item : items) {
    item.gone = false;
    index.AddOver(&item, is_gone);
    CHECK(index.Find("body", [](const Item& found) { return !found.gone; }) == &item);
    item.gone = true;
  }
  CHECK(!index.full());
  CHECK(index.Find("body", [](const Item& found) { return !found.gone; }) == nullptr);
  CHECK(index.Find("other", [](const Item&) { return true; }) == &other);
}
