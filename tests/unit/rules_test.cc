// Rules by their formulas: on all values of the smallest types, each exact rule of the algebraic simplifier is right; a
// wrong one is caught; docs/notes/rules-proved.md names them all.
#include "fuzz/rules.h"

#include <filesystem>
#include <set>

#include "hloir/io.h"
#include "hloir/passes.h"
#include "hloir/rewrite/rules.h"
#include "tests/unit/catch.h"
#include "tests/unit/folders.h"

using namespace hloir;
using fuzz::Formula;
using fuzz::RuleTester;
using fuzz::RuleTrial;

namespace {

// A - B => B - A, which is wrong, and 0 - A => -A, which is right.
HloInstruction* Turned(HloInstruction* i, rules::RuleContext& c) {
  HloInstruction *a, *b;
  if (!Match(i, match::Subtract(match::Any(&a), match::Any(&b))) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kNegate, c.Binary(HloOpcode::kAdd, a, b));
}
HloInstruction* FromZero(HloInstruction* i, rules::RuleContext& c) {
  HloInstruction* a;
  if (!Match(i, match::Subtract(match::Splat(0), match::Any(&a))) || !c.Allow()) return nullptr;
  return c.Unary(HloOpcode::kNegate, a);
}
constexpr rules::Rule kRules[] = {
    {HloOpcode::kSubtract, "turned", "A - B => -(A + B)", MathMode::kExact, MathMode::kExact, Turned},
    {HloOpcode::kSubtract, "from-zero", "0 - A => -A", MathMode::kExact, MathMode::kExact, FromZero},
};

std::vector<RuleInfo> ExactRules() {
  std::vector<RuleInfo> exact;
  for (const RuleInfo& rule : BuiltinPasses().Find("algebraic-simplifier")->rules) {
    if (rule.integers == MathMode::kExact && rule.name != "dead-instruction") exact.push_back(rule);
  }
  return exact;
}

}  // namespace

TEST_CASE("formulas are read as the programs that they are") {
  const auto formula = [](std::string_view text, std::string_view name = "some") {
    return Formula::Parse({name, text});
  };
  const auto sum = formula("(A + C1) + C2 => A + (C1 + C2)");
  REQUIRE(sum);
  CHECK(sum->operands() == 1);
  CHECK(sum->constants() == 2);
  const auto module = sum->Make(PrimitiveType::S8, 3, {5, -7});
  REQUIRE(module);
  CHECK(module->entry_computation()->root()->ToString() == "%add.1 = s8[3]{0} add(%add, %broadcast.1)");
  CHECK(!sum->Make(PrimitiveType::U8, 3, {5, -7}));  // there is no such number
  const auto choice = formula("select(P, A, false) => P & A");
  REQUIRE(choice);
  CHECK(choice->conditions() == 1);
  CHECK(!choice->Make(PrimitiveType::F32, 2, {})->entry_computation()->root()->shape().IsTuple());
  CHECK(!formula("reshape(reshape(A)) => reshape(A)"));
  CHECK(!formula("A + => A"));
  CHECK(formula("|A| * |A| => A * A"));
}

TEST_CASE("a wrong rule is caught, a right one is not, and each fires alone") {
  PassRegistry registry;
  REQUIRE(registry.Add("mine", "two rules", rules::DefineRulePass(kRules)).ok());
  RuleTester tester(registry, "mine");
  const std::optional<RuleTrial> wrong = tester.Try(kRules[0].info(), PrimitiveType::U4);
  REQUIRE(wrong);
  CHECK(wrong->wrong.find("elements differ") != std::string::npos);
  const std::optional<RuleTrial> right = tester.Try(kRules[1].info(), PrimitiveType::S8);
  REQUIRE(right);
  CHECK(right->wrong == "");
  CHECK(right->exhaustive);
  CHECK(right->values == 256);
  // On a wide type a wrong one is caught by values, a right one proved.
  CHECK(tester.Try(kRules[0].info(), PrimitiveType::S32)->wrong != "");
  const std::optional<RuleTrial> proved = tester.Try(kRules[1].info(), PrimitiveType::S32);
  REQUIRE(proved);
  CHECK(proved->proved == 1);
}

TEST_CASE("exact rules on all values of the smallest types") {
  RuleTester tester(BuiltinPasses(), "algebraic-simplifier");
  int64_t tried = 0;
  for (const RuleInfo& rule : ExactRules()) {
    for (PrimitiveType type : {PrimitiveType::PRED, PrimitiveType::S4, PrimitiveType::U4}) {
      const std::optional<RuleTrial> trial = tester.Try(rule, type, /*most=*/1 << 12);
      if (!trial) continue;
      ++tried;
      INFO(rule.name << " on " << PrimitiveTypeName(type));
      CHECK(trial->wrong == "");
    }
  }
  CHECK(tried >= 300);
}

TEST_CASE("docs/notes/rules-proved.md names every exact rule") {
  const auto page =
      ReadFile((std::filesystem::path(kCorpusFolder) / ".." / "docs" / "notes" / "rules-proved.md").string());
  REQUIRE(page.ok());
  std::set<std::string> named;
  for (size_t at = page->find("\n| `"); at != std::string::npos; at = page->find("\n| `", at + 1)) {
    const size_t begin = at + 4;
    named.insert(page->substr(begin, page->find('`', begin) - begin));
  }
  std::set<std::string> exact;
  for (const RuleInfo& rule : ExactRules()) exact.emplace(rule.name);
  INFO("make it again: scripts/rules-page build/release/tools/hloir --proved");
  CHECK(named == exact);
}
