// Checks of rules by their formulas, such as "A + (B - A) => B". The left side becomes a module, the rule rewrites it
// (and no other rule, by the log of rewrites), and the result is compared with the original on all values of its
// operands, or by proof.
//
// Threads: any. Tested by tests/unit/rules_test.cc; `hloir fuzz rules` generates the table in docs/proofs.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hloir/module.h"
#include "hloir/pass.h"

namespace hloir::fuzz {

// The left side of a rule's formula, over free operands (A, B, …), constants (C, C1, N, 2^K, 0, ones, …) and conditions
// (P, Q).
class Formula {
 public:
  // nullopt for a formula that is not an elementwise expression, such as most for data movement.
  static std::optional<Formula> Parse(const RuleInfo& rule);
  ~Formula();
  Formula(Formula&&) noexcept;

  int64_t operands() const;    // that are numbers
  int64_t conditions() const;  // that are true or false
  int64_t constants() const;   // that have a name
  // Its module on arrays of this many elements: the parameters are the operands, then the conditions, in the order of
  // their first use. `values` are the named constants. nullptr if the formula does not support the type.
  std::unique_ptr<HloModule> Make(PrimitiveType type, int64_t elements, const std::vector<int64_t>& values) const;

 private:
  struct Node;
  struct Maker;
  explicit Formula(std::unique_ptr<Node> root);
  std::unique_ptr<Node> root_;
  std::vector<std::string> operands_, conditions_, constants_;
};

// The result for one rule on one type.
struct RuleTrial {
  PrimitiveType type = PrimitiveType::INVALID;
  int64_t modules = 0;      // modules on which the rule fired: one per choice of constants
  int64_t values = 0;       // of all of their elements
  bool exhaustive = false;  // those are all that there are
  int64_t proved = 0;       // modules that are proved to be unchanged
  std::string wrong;        // a counterexample: the module, and the difference; "" if there is none
};

// Runs single rules of a pass.
class RuleTester {
 public:
  // A rule pass of the registry.
  RuleTester(const PassRegistry& registry, std::string_view pass);
  ~RuleTester();

  // The module after only this rule; nullptr if it does not fire.
  std::unique_ptr<HloModule> After(std::string_view rule, const HloModule& before);
  // Checks all values of types of at most 8 bits, and proves wider types for a few constants. Types with more than
  // `most` combinations of operands and constants are skipped. nullopt if the rule has no supported formula, or never
  // fires.
  std::optional<RuleTrial> Try(const RuleInfo& rule, PrimitiveType type, int64_t most = int64_t{1} << 17);
  // The same on a given module: by proof, otherwise on generated inputs. nullopt if the rule does not fire.
  std::optional<RuleTrial> TryOn(std::string_view rule, const HloModule& module);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hloir::fuzz
