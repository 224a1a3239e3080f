// Rules checked by their formulas: "A + (B - A) => B" is a program. Its left side becomes a module, the rule of that
// formula rewrites it (and no other rule, by the log of rewrites), and the result is compared with the original, on
// every value of its operands, or by proof.
//
// Threads: any. Tested by tests/unit/rules_test.cc; `hloir fuzz rules` makes docs/proofs.md's table by it.
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
  // Nothing for a formula that is not an elementwise expression, as most that move data are.
  static std::optional<Formula> Parse(const RuleInfo& rule);
  ~Formula();
  Formula(Formula&&) noexcept;

  int64_t operands() const;    // that are numbers
  int64_t conditions() const;  // that are true or false
  int64_t constants() const;   // that have a name
  // The module of it on arrays of this many elements: its parameters are the operands, then the conditions, in the
  // order of their first use. `values` are those of the named constants. nullptr if the type does not go with the
  // formula.
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
  int64_t modules = 0;      // on which it fired: one for each choice of constants
  int64_t values = 0;       // of all of their elements
  bool exhaustive = false;  // those are all that there are
  int64_t proved = 0;       // modules that are proved to be unchanged
  std::string wrong;        // a counterexample: the module, and the difference; "" if there is none
};

// Runs single rules of a pass.
class RuleTester {
 public:
  // A pass of the registry that is a table of rules.
  RuleTester(const PassRegistry& registry, std::string_view pass);
  ~RuleTester();

  // The module after the rule alone, if it fires; nullptr if it does not.
  std::unique_ptr<HloModule> After(std::string_view rule, const HloModule& before);
  // On all values of a type of at most 8 bits; on wider ones, those of a few constants, by proof. Of a type with more
  // than `most` combinations of operands and constants nothing is tried. Nothing if the rule has no formula that can be
  // made, or never fires.
  std::optional<RuleTrial> Try(const RuleInfo& rule, PrimitiveType type, int64_t most = int64_t{1} << 17);
  // The same on a module that is given: by proof, or else on made-up inputs. Nothing if the rule does not fire.
  std::optional<RuleTrial> TryOn(std::string_view rule, const HloModule& module);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hloir::fuzz
