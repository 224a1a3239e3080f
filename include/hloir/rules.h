// Passes that are tables of rules, and the interface of a rule. A rule is a function under its formula:
//
//   // A * 1 => A
//   HloInstruction* MultiplyOne(HloInstruction* i, RuleContext& c) {
//     HloInstruction* a;
//     if (!Match(i, m::MultiplyAnyOrder(m::Any(&a), m::Splat(1)))) return nullptr;
//     return c.ReplaceWith(a);
//   }
//
// and a row in a table, which DefineRulePass makes a pass. It matches first; then requests the rewrite (by ReplaceWith
// or Allow); then builds. It returns the replacement of `i`, or nullptr if it does not apply or is not allowed. A rule
// that returns a replacement without a request is an error, which ends the pass.
//
// Rules run to a fixpoint; therefore the right side is never worse (fewer or cheaper instructions, or smaller
// operands); constants go to the right; no rule undoes another.
//
// Threads: a rule runs on the thread of its pass; tables are constant.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hloir/builder.h"
#include "hloir/match.h"
#include "hloir/pass.h"

#pragma GCC visibility push(default)
namespace hloir::rules {

class RuleContext;
using RuleFunction = HloInstruction* (*)(HloInstruction* instruction, RuleContext& context);

// A row of a table of rules.
struct Rule {
  HloOpcode opcode = {};  // of the instructions that it looks at
  std::string_view name, formula;
  // Its class, for each element type of the computation (for a compare: of its operands).
  MathMode integers, floats;
  RuleFunction apply;
  bool every_elementwise = false;  // tries all elementwise instructions; `opcode` is ignored
  const void* data = nullptr;      // passed to `apply` as RuleContext::data(); for rules defined at run time

  constexpr RuleInfo info() const { return {name, formula, integers, floats}; }
};

// A pass that runs these rules to their fixpoint: for PassRegistry::Add. The tables are kept by reference and must be
// constants. The pass adds a rule of its own, "dead-instruction", which removes instructions that a rewrite leaves
// unused.
PassDefinition DefineRulePass(std::vector<std::span<const Rule>> families);
inline PassDefinition DefineRulePass(std::span<const Rule> rules) { return DefineRulePass(std::vector{rules}); }

// The operations of a rule that matched.
class RuleContext {
 public:
  explicit RuleContext(RewriteGate& gate) : gate_(gate) {}

  // Requests the rewrite of the running rule. Nothing may be built before it returned true.
  bool Allow(std::string reason = {});
  // True if the module may grow by that many instructions. Rules that copy whole computations test it before Allow.
  bool HasRoom(int64_t added) { return gate_.HasRoom(rule_->info(), *instruction_, added); }
  // Replaces the instruction by an existing one: Allow(), and no annotation is lost.
  HloInstruction* ReplaceWith(HloInstruction* existing);

  // Builders. They put the instruction into the computation of the one that is being rewritten. Shapes made here have
  // the default layout; that of the final result is set to the old one's.
  HloInstruction* Unary(HloOpcode opcode, HloInstruction* a);
  HloInstruction* Binary(HloOpcode opcode, HloInstruction* a, HloInstruction* b);
  HloInstruction* Select(HloInstruction* p, HloInstruction* a, HloInstruction* b);
  HloInstruction* Compare(ComparisonDirection direction, HloInstruction* a, HloInstruction* b,
                          ComparisonType type = ComparisonType::kDefault);
  HloInstruction* Convert(HloInstruction* a, PrimitiveType type);
  HloInstruction* Broadcast(HloInstruction* a, const Shape& shape, DimVector dimensions);
  HloInstruction* BroadcastScalar(HloInstruction* scalar, const Shape& shape);  // the scalar itself, if shape is one
  HloInstruction* Reshape(HloInstruction* a, const Shape& shape);
  HloInstruction* Transpose(HloInstruction* a, const DimVector& permutation);
  HloInstruction* Slice(HloInstruction* a, const SliceRanges& ranges);
  HloInstruction* Constant(Literal literal) { return computation()->AddConstant(std::move(literal)); }
  // All elements this number.
  HloInstruction* Splat(const Shape& shape, double value);
  HloInstruction* SplatOf(const Shape& shape, Literal scalar);
  // A copy of `original`, an elementwise op, with other operands, the same type, and the dimensions of `dimensions`.
  HloInstruction* CloneOver(const HloInstruction* original, std::span<HloInstruction* const> operands,
                            const Shape& dimensions);
  template <class A>
  HloInstruction* Add(HloOpcode opcode, const Shape& shape, std::initializer_list<HloInstruction*> operands,
                      A attributes) {
    return computation()->AddInstruction(opcode, shape, operands, std::move(attributes));
  }
  // The result of `build` on the operands, with HloBuilder, which infers the shapes; calls Allow(). nullptr if the
  // rewrite is not allowed, or the builder failed.
  using Expansion = HloBuilder::Op (*)(HloBuilder& b, HloInstruction& i, HloBuilder::Ops operands);
  HloInstruction* Expand(Expansion build);
  HloComputation* computation() const { return instruction_->parent(); }
  const void* data() const { return rule_->data; }

  // For the driver.
  void Begin(const Rule* rule, HloInstruction* instruction, MathMode math) {
    rule_ = rule, instruction_ = instruction, math_ = math, allowed_ = false;
  }
  const Rule& rule() const { return *rule_; }
  bool allowed() const { return allowed_; }  // true if Allow() returned true

 private:
  HloInstruction* Built(Expansion build);

  RewriteGate& gate_;
  const Rule* rule_ = nullptr;
  HloInstruction* instruction_ = nullptr;
  MathMode math_ = MathMode::kExact;
  bool allowed_ = false;
};

// Short words for the tables.
inline constexpr MathMode kExact = MathMode::kExact, kRounding = MathMode::kRounding, kFast = MathMode::kFast;

// Facts that rules ask for.

// The element type of the instruction's arithmetic; for a compare, of its operands.
PrimitiveType ComputedType(const HloInstruction& instruction);
inline bool IsIntegral(const HloInstruction* i) { return IsInteger(i->shape().element_type()); }
inline bool IsFloating(const HloInstruction* i) { return IsFloat(i->shape().element_type()); }
inline bool IsPred(const HloInstruction* i) { return i->shape().element_type() == PrimitiveType::PRED; }
// Every bit set: -1, the largest unsigned number, true.
bool IsAllOnes(const HloInstruction* i);
// The exponent of a splat of an integer power of two; otherwise -1.
int PowerOfTwoExponent(const HloInstruction* i);
// A splat zero with the sign bit set, or without it.
bool IsNegativeZero(const HloInstruction* i);
bool IsPositiveZero(const HloInstruction* i);
// True for an array of static shape with at least one byte per element.
bool IsStaticArray(const HloInstruction* i);
// {0, 1, …, n-1}.
bool IsIdentity(const DimVector& dimensions);
// For a reshape that only inserts and drops dimensions of size 1: maps each dimension of the operand to one of the
// result; -1 for dimensions of size 1.
DimVector WhereDimensionsWent(const Shape& from, const Shape& to);
// True if the dimensions other than those of size 1 are the same, in the same order.
bool EqualIgnoringOnes(const Shape& a, const Shape& b);
// The neutral value of `opcode` for this type, as a literal: -0 for float add (0 would turn -0 into 0), 1, the lowest,
// … False if there is none.
bool IsIdentityElement(HloOpcode opcode, const HloInstruction* value);
// True if the defining instructions show that no element is negative or -0 (elements may be NaN).
bool IsNonNegative(const HloInstruction* i);
// True if `to` holds every value of `from`, so that a conversion there and back changes nothing.
bool HoldsAllOf(PrimitiveType to, PrimitiveType from);
// The integer of a splat; nullopt for other values and for unsigned numbers above INT64_MAX.
std::optional<int64_t> SplatInteger(const HloInstruction* i);
bool IsSplatZero(const HloInstruction* i);  // of either sign

// Rules shared by several tables. C op A => A op C, op commutative
HloInstruction* ConstantRight(HloInstruction* i, RuleContext& c);
// (A op C1) op C2 => A op (C1 op C2), op associative
HloInstruction* MergeConstants(HloInstruction* i, RuleContext& c);

// If `computation` is f(p0, p1) = p0 op p1 (or p1 op p0, if it commutes): op. Else nullopt.
std::optional<HloOpcode> BinaryReducer(const HloComputation* computation);

}  // namespace hloir::rules
#pragma GCC visibility pop
