// The parts of regions.h: two expressions as summands (summands.cc), which elements of one summand are those of another
// (unify.cc), and conditions as linear conditions on unknowns (unknowns.cc). regions.cc compares the summands.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "equivalence/expr.h"
#include "equivalence/linear.h"

namespace hloir::equivalence::inside {

// A product under conditions, summed over variables.
struct Summand {
  bool second = false;  // of the second expression
  DoubleDouble real;
  int64_t integer = 0;
  std::vector<VarId> over;
  std::vector<ExprId> bounds;    // conditions on indices alone
  std::vector<Factor> parts;     // the other factors
  std::vector<Condition> given;  // more conditions, on unknowns
  size_t from = 0;               // the first group that it may belong to
};

// A summand over the elements of its group's first summand.
struct Piece {
  bool second;
  DoubleDouble real;
  int64_t integer;
  std::vector<Condition> conditions;
};

class Regions {
 public:
  Regions(Exprs& exprs, PrimitiveType type, bool sums) : x_(exprs), type_(type), sums_(sums) {}

  // Adds the summands of a sum, or the parts of an extreme. False if there are too many.
  bool AddSum(const Polynomial& sum, bool second) {
    return std::all_of(sum.begin(), sum.end(), [&](const Monomial& m) { return AddProduct(m, {}, second); });
  }
  bool AddExtreme(HloOpcode op, ExprId e, bool second);

  // Whether the summands of the first expression are those of the second. Those of one side are held against those of
  // the other; `second` says which side comes first.
  bool Cancel(bool second);
  bool finite_only() const { return finite_only_; }

 private:
  bool AddProduct(Monomial m, std::vector<VarId> over, bool second);
  bool AddOpened(const Monomial& m, size_t factor, std::vector<VarId> over, bool second);
  bool AddTaps(const Summand& s, VarId tap);
  void Decide(Summand& s);
  ExprId FirstBound(ExprId e) const;
  bool Finish(Summand s);
  bool IsPiece(const Summand& first, const Summand& other, std::vector<Condition>& conditions,
               std::vector<Linear>& where);
  using Then = std::function<bool()>;
  bool Unify(ExprId p, ExprId q, const Then& then);
  bool UnifyAll(const std::vector<std::pair<ExprId, ExprId>>& pairs, size_t k, const Then& then);
  bool UnifyIndices(const std::vector<Index>& p, const std::vector<Index>& q, size_t k, const Then& then);
  bool UnifyIndex(const Index& p, const Index& q, const Then& then);
  bool UnifyFactors(const std::vector<Factor>& p, const std::vector<Factor>& q, std::vector<bool>& used, size_t k,
                    const Then& then);
  bool UnifySums(const Polynomial& p, const Polynomial& q, std::vector<bool>& used, size_t k, const Then& then);

  // Unknowns of linear.h.
  using Values = std::map<int32_t, Linear>;
  int32_t UnknownOf(VarId v);
  std::optional<Linear> LinearOf(const Index& index, const Values& values);
  std::optional<Linear> Replaced(const Linear& value, const Values& values) const;
  void UseUnits(std::vector<Linear>& equations, std::vector<VarId>& left, Values& values, bool alone);
  void UseDigits(std::vector<Linear>& equations, std::vector<VarId>& left, Values& values);
  std::optional<Values> Solved(std::vector<Linear> equations, const std::vector<VarId>& variables, bool digits,
                               std::vector<Linear>& rest);
  void Put(int32_t unknown, const Linear& value, std::vector<Linear>& equations, Values& values);
  std::optional<Linear> Quotient(const Linear& inner, int64_t by);
  std::optional<Linear> DividedBy(const Linear& inner, int64_t div, int64_t mod);
  std::vector<Condition> Facts() const;
  bool Possible(const Summand& s);
  bool AddBounds(const Summand& s, const Values& values, std::vector<Condition>& conditions);
  bool ConditionOf(ExprId bound, const Values& values, std::vector<Condition>& conditions);
  bool SameInAll(std::vector<Piece> pieces, std::vector<Condition>& facts, int depth);
  bool SameWithout(const std::vector<Piece>& pieces);

  Exprs& x_;
  const PrimitiveType type_;
  const bool sums_;
  bool finite_only_ = false;  // summands of one side cancel, or sums were multiplied out
  std::vector<Summand> summands_;
  std::vector<std::pair<Index, Index>> equations_;  // of the pair that is being unified
  std::set<VarId> inner_;                           // variables that its parts bind
  int pairs_left_ = 0;
  bool overflowed_ = false;
  int64_t work_ = int64_t{60000};  // of linear.h
  std::map<VarId, int32_t> unknowns_;
  std::map<Linear, std::map<int64_t, int32_t>> quotients_;  // by what they are divided by
  int32_t next_ = 0;
  std::vector<Condition> facts_;
  std::set<VarId> bound_;  // variables of summands
};

// Whether a condition bounds indices that do not depend on data.
bool IsBound(const Exprs& x, ExprId e);
// The last condition, and those that speak of its unknowns, or of unknowns of these, and so on.
std::vector<Condition> Connected(const std::vector<Condition>& all);

}  // namespace hloir::equivalence::inside
